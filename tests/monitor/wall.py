# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page with all cameras, in Chromium: one test has 8 tiles, or 64 with TEST_LONG."""

import os
import sqlite3
import time
import urllib.parse

import browser
import common

# Sets the title of the page if a browser ever runs it.
HOSTILE = '<img src=x onerror=document.title=666>'

WINDOW_SECONDS = 10
TILES = 64 if os.environ.get('TEST_LONG') else 8


def tile(name):
    return f'[...document.querySelectorAll("article")].find(t => t.dataset.name === {name!r})'


class Wall(common.Case):
    def browse(self, monitor, at='', **options):
        page = browser.Browser(**options)
        self.addCleanup(page.close)
        page.open(f'http://127.0.0.1:{monitor.port}/{at}')
        return page

    def check_quiet(self, monitor, page):
        """The page has no errors, and sends no requests to other hosts."""
        self.assertEqual(page.problems, [])
        ours = f'http://127.0.0.1:{monitor.port}/'
        self.assertTrue(page.requests)
        self.assertEqual([u for u in page.requests if not u.startswith((ours, 'about:'))], [])
        self.assertNotEqual(page.evaluate('document.title'), '666')

    def test_many(self):
        """Each of many tiles shows one picture after the other."""
        path = self.clip(300, rate='5/1')
        monitor = self.monitor(*(f'camera{i}={path}' for i in range(TILES)))
        page = self.browse(monitor, width=3840, height=4320)
        page.wait_for(f'document.querySelectorAll("article").length === {TILES}')
        page.evaluate('''window.seen = {};
            new MutationObserver(list => list.forEach(({target}) =>
              (seen[target.dataset.name] ??= new Set()).add(target.dataset.picture)))
            .observe(document.getElementById("wall"),
              {subtree: true, attributeFilter: ["data-picture"]})''')
        page.wait_for(f'Object.keys(seen).length === {TILES}'
                      ' && Object.values(seen).every(s => s.size >= 4)')
        # At least one picture a second is made while somebody watches. A machine that also runs
        # other tests is slower.
        page.evaluate('for (const name in seen) seen[name].clear()')
        page.evaluate(f'new Promise(done => setTimeout(done, {WINDOW_SECONDS * 1000}))')
        fewest = page.evaluate('Math.min(...Object.values(seen).map(s => s.size))')
        if TILES == 64:
            self.assertGreaterEqual(fewest, WINDOW_SECONDS)
        page.wait_for(f'Object.values(seen).every(s => s.size >= {WINDOW_SECONDS})')
        common.figure(f'pictures of the slowest of {TILES} tiles in {WINDOW_SECONDS} s', fewest)
        self.check_quiet(monitor, page)

    def test_words(self):
        """Every state is shown in words, old frames are called old, and hostile names do not
        run."""
        monitor = self.monitor('healthy=test', config=(
            f'[camera {HOSTILE}]\nuri=rtsp://127.0.0.1:1/a\n'
            '[camera stuck]\nuri=test:freezing\nrules=frozen,duration=1s\n'
            f'[mqtt]\nbroker=mqtt://127.0.0.1:{common.free_port()}\n'))
        quoted = urllib.parse.quote(HOSTILE)
        common.wait_for(lambda: monitor.camera(quoted)['active'], 'the loss of a signal')
        monitor.stop()
        with sqlite3.connect(monitor.folder / 'state' / 'monitor.db') as database:
            changed = database.execute('UPDATE events SET reason = ?', (HOSTILE,))
            self.assertTrue(changed.rowcount)
            database.execute('INSERT INTO notices (time, text) VALUES (?, ?)',
                             (time.time_ns() // 1000, HOSTILE))
        database.close()
        monitor.start()
        page = self.browse(monitor)
        page.wait_for(f'{tile("healthy")}?.querySelector(".conditions").textContent'
                      '.includes("OK")')
        lost = f'{tile(HOSTILE)}?'
        self.assertEqual(page.evaluate(f'{lost}.querySelector("h2").textContent'), HOSTILE)
        page.wait_for(f'{lost}.querySelector(".conditions").textContent.includes("no video")')
        page.wait_for(f'document.getElementById("events").textContent.includes({HOSTILE!r})')
        page.wait_for(f'document.getElementById("notices").textContent.includes({HOSTILE!r})')
        # Identical frames are as old as the first of them.
        page.wait_for(f'/([5-9]|\\d\\d) seconds old/.test('
                      f'{tile("stuck")}.querySelector("figcaption").textContent)')
        page.wait_for(f'{tile("stuck")}.querySelector(".histogram path")'
                      f' && {tile("stuck")}.querySelectorAll(".histogram .line").length === 3')
        self.assertEqual(page.evaluate('document.querySelector("article").dataset.level'), 'bad')
        page.wait_for('/mqtt cannot deliver: .*refused.*; \\d+ events? waiting/'
                      '.test(document.querySelector("#outputs:not([hidden])")?.textContent)')
        page.open(f'http://127.0.0.1:{monitor.port}/#camera={quoted}')
        page.wait_for('document.getElementById("camera-dialog").open')
        self.check_quiet(monitor, page)

    def test_keyboard(self):
        """Everything works without a mouse."""
        monitor = self.monitor('a=test', 'b=rtsp://127.0.0.1:1/a')
        common.wait_for(lambda: monitor.camera('b')['active'], 'the loss of a signal')
        common.wait_for(lambda: monitor.camera('a')['reference'], 'a reference picture')
        page = self.browse(monitor, width=360, height=800, dark=True)
        page.wait_for('document.querySelector("article .conditions button")')
        reached = set()
        for _ in range(30):
            page.press('Tab')
            reached.add(page.evaluate(
                'document.activeElement.id || document.activeElement.textContent'))
        self.assertLessEqual({'filter', 'order', 'help-button', 'a', 'b', 'Acknowledge', 'Values'},
                             reached)
        self.assertTrue(page.evaluate('document.documentElement.scrollWidth <= innerWidth'))

        page.evaluate('document.activeElement.blur()')
        page.press('j')
        self.assertEqual(page.evaluate('document.activeElement.textContent'), 'b')
        page.press('j')
        page.press('Enter', '\r')
        page.wait_for('document.getElementById("camera-dialog").open')
        self.assertEqual(page.evaluate('location.hash'), '#camera=a')
        for image in ('camera-picture', 'camera-reference'):
            page.wait_for(f'document.getElementById("{image}").naturalWidth')
        page.press('Escape')
        page.wait_for('!document.getElementById("camera-dialog").open')

        page.evaluate('document.querySelector("article .conditions button").focus()')
        page.press('Enter', '\r')
        common.wait_for(lambda: monitor.camera('b')['active'][0]['acknowledged'], 'it is seen')
        page.evaluate('document.getElementById("filter").focus()')
        page.call('Input.insertText', text='a')
        page.call('Input.insertText', text=' pictures nowhere')
        page.wait_for('!document.getElementById("empty").hidden')
        self.check_quiet(monitor, page)


if __name__ == '__main__':
    if not browser.path():
        common.skip('there is no chromium: the package chromium has it')
    common.main()
