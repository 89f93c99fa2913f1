# SPDX-License-Identifier: LGPL-2.1-or-later
"""What people do with the pages, in Chromium: each flow from start to end."""

import contextlib
import datetime
import re
import shutil
import signal
import sqlite3
import time

import browser
import common
import rtsp

SECRET = 'a-secret-of-32-characters-length'

LOGIN = 'document.querySelector("input[name=secret]")'
# The number of cameras in the overview.
TILES = 'document.querySelectorAll("#tiles article").length'
ORDER = '[...document.querySelectorAll("#tiles article")].map(t => t.dataset.name).join()'
CAMERA = 'document.getElementById("camera").checkVisibility()'
MENU = 'document.querySelector("#menu summary")'
PROBLEM = 'document.querySelector("#problem:not([hidden]) #problem-text")?.textContent'
NOTICES = '[...document.querySelectorAll("#notices li p")].map(p => p.textContent)'

# The user and role of the session, as a new stream names them.
WHO = '''new Promise(done => {
    const stream = new EventSource("events");
    stream.addEventListener("cameras", ({data}) => {
        stream.close();
        done([JSON.parse(data).user, JSON.parse(data).role]);
    });
})'''

# The smallest target for a finger, in CSS pixels.
FINGER = 44

# All controls that are smaller than a finger.
SMALL = f'''[...document.querySelectorAll("a, button, input, select, summary")].filter(e => {{
    const r = e.getBoundingClientRect();
    const inside = !document.querySelector("dialog[open]") || e.closest("dialog[open]");
    // Links within a text are as high as it, and the list of alarms has what marks of a timeline
    // lead to.
    if (getComputedStyle(e).display === "inline" || e.closest(".lane")) return false;
    return inside && e.checkVisibility() && r.width &&
      Math.min(r.width, r.height) < {FINGER} - 0.5;
}}).map(e => `${{e.tagName}} ${{e.id}} ${{e.textContent}}`)'''

# Words of ordinary length that are broken across lines, and elements wider than the screen.
BROKEN = '''(() => {
    const found = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        if (!node.parentElement.checkVisibility()) continue;
        for (const { 0: word, index } of node.data.matchAll(/[^\\s/-]+/g)) {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            const lines = new Set([...range.getClientRects()].map((r) => r.top));
            if (word.length <= 20 && lines.size > 1) found.push(word);
        }
    }
    for (const e of [document.documentElement, ...document.querySelectorAll("dialog[open]")]) {
        if (e.scrollWidth > e.clientWidth) found.push(`${e.tagName} ${e.id} is too wide`);
    }
    return found;
})()'''


def tile(name):
    return f'document.querySelector("#tiles article[data-name=\\"{name}\\"]")'


def acknowledge(name):
    return f'{tile(name)}?.querySelector("button.acknowledge")'


class Flow(common.Case):
    def browse(self, **options):
        page = browser.Browser(**options)
        self.addCleanup(page.close)
        return page

    def wait_for_pictures(self, page, count=2):
        """Waits until each canvas in view has shown @count new pictures. A camera that changes its
        section gets another canvas."""
        page.evaluate('''window.seen = new Map();
            new MutationObserver(list => list.forEach(({target}) =>
              seen.set(target, (seen.get(target) ?? new Set()).add(target.dataset.picture))))
            .observe(document.body, {subtree: true, attributeFilter: ["data-picture"]})''')
        page.wait_for('(shown => shown.length && '
                      f'shown.every(canvas => seen.get(canvas).size >= {count}))'
                      '([...seen.keys()].filter(canvas => canvas.checkVisibility()))')

    def go(self, page, hash_, section):
        """Follows an address within the page."""
        page.evaluate(f'location.hash = {hash_!r}')
        page.wait_for(f'document.getElementById({section!r}).checkVisibility()')


class Login(Flow):
    def secure(self, folder, more=''):
        folder = self.folder / folder
        folder.mkdir()
        (folder / 'secret').write_text(SECRET)
        (folder / 'secret').chmod(0o600)
        monitor = common.Monitor(folder, f'a={self.clip(300, rate="5/1")}',
                                 config=f'[http]\nsecret=secret\n{more}')
        self.addCleanup(monitor.kill)
        self.addCleanup(monitor.end)
        return monitor

    def log_in(self, page, secret, user=None):
        page.wait_for(f'document.readyState === "complete" && {LOGIN}')
        if user is not None:
            page.click('document.querySelector("input[name=user]")')
            page.write(user)
        page.click(LOGIN)
        page.write(secret)
        page.click('document.querySelector("button")')

    def log_out(self, page):
        page.click(MENU)
        page.click('document.querySelector("#logout:not([hidden]) button")')

    def check(self, page, url):
        """Logs in with a wrong secret, with the right one, and logs out."""
        page.open(url)
        self.log_in(page, SECRET[:-1])
        page.wait_for('location.hash === "#wrong" && '
                      'getComputedStyle(document.getElementById("wrong")).display === "block"')
        self.log_in(page, SECRET, 'Zoë <b>')
        page.wait_for(f'{TILES} === 1')
        page.wait_for('document.querySelector("article canvas").dataset.picture')
        self.assertEqual(page.evaluate(WHO), ['Zoë <b>', 'operator'])
        self.assertEqual(page.evaluate('location.href'), url)
        cookies = page.call('Network.getCookies')['cookies']
        self.log_out(page)
        page.wait_for(f'location.pathname === "/login" && {LOGIN}')
        self.assertEqual(page.call('Network.getCookies')['cookies'], [])
        page.open(url)
        page.wait_for(f'location.pathname === "/login" && {LOGIN}')
        return '; '.join(f'{c["name"]}={c["value"]}' for c in cookies)

    def test_login(self):
        """By each name of this machine, without and with TLS."""
        plain = self.secure('plain')
        self.certify('cert')
        tls = self.secure('tls', 'certificate=../cert.pem\nkey=../cert.key\n')
        page = self.browse()
        for host in ('127.0.0.1', 'localhost'):
            with self.subTest(host=host):
                cookie = self.check(page, f'http://{host}:{plain.port}/')
                self.assertIn('=', cookie)
                # A copy of the cookie is useless.
                self.assertEqual(plain.ask('/', headers={'Cookie': cookie}).status, 401)
        # As if the user had accepted this certificate.
        page.call('Security.setIgnoreCertificateErrors', ignore=True)
        self.check(page, f'https://127.0.0.1:{tls.port}/')

        # Another tab notices the logout, too, and continues where it was after a login, as does a
        # link.
        place = f'http://localhost:{plain.port}/#camera/a'
        page.open(place)
        self.log_in(page, SECRET[1:])
        page.wait_for('location.hash === "#wrong"')
        self.log_in(page, SECRET)
        page.wait_for(CAMERA)
        self.assertEqual(page.evaluate('location.href'), place)
        other = page.tab(newWindow=True)
        other.open(f'http://localhost:{plain.port}/')
        other.wait_for(f'{TILES} === 1')
        self.log_out(other)
        other.wait_for(LOGIN)
        page.wait_for(f'location.pathname === "/login" && {LOGIN}')
        ended = 'document.getElementById("ended").checkVisibility()'
        page.wait_for(f'document.readyState === "complete" && {ended}')
        other.wait_for(f'document.readyState === "complete" && !{ended}')
        self.log_in(page, SECRET)
        page.wait_for(CAMERA)
        self.assertEqual(page.evaluate('location.href'), place)
        # A logged-out browser keeps nothing that would let anybody continue.
        self.log_in(other, SECRET)
        other.wait_for(f'{TILES} === 1 && !{CAMERA}')
        # Only the answers that a page without a session gets are errors.
        self.assertEqual([p for p in page.problems + other.problems if '401' not in p], [])


class Tabs(Flow):
    def test_seven(self):
        """Any number of tabs and windows work; hidden ones send no requests."""
        clip = self.clip(300, rate='5/1')
        names = ['a', 'b', 'c']
        monitor = self.monitor(*(f'{name}={clip}' for name in names))
        url = f'http://127.0.0.1:{monitor.port}/'
        small = {'width': 640, 'height': 480}  # small, to save work
        tabs = [self.browse(**small)]
        tabs += [tabs[0].tab(**small) for _ in range(6)]
        for i, page in enumerate(tabs):
            page.open(f'{url}?{i}' + (f'#camera/{names[i % 3]}' if i % 2 else ''))
        for i, page in enumerate(tabs):
            page.wait_for(CAMERA if i % 2 else f'{TILES} === 3')
        for i in (0, 6, 3):
            tabs[i].show()
            self.wait_for_pictures(tabs[i])
        # The newly hidden page may still finish a request.
        for page in tabs[:3] + tabs[4:]:
            page.requests.clear()
        self.wait_for_pictures(tabs[3])
        self.assertEqual([page.requests for page in tabs[:3] + tabs[4:]], [[]] * 6)

        windows = [tabs[0].tab(newWindow=True, **small) for _ in range(7)]
        for i, page in enumerate(windows):
            page.open(f'{url}?window{i}')
        for page in windows:
            page.wait_for(f'{TILES} === 3 && document.visibilityState === "visible"')
        for page in windows:
            self.wait_for_pictures(page)
        # The tab that holds the shared event stream goes away.
        tabs[3].open('about:blank')
        for page in windows[:2]:
            self.wait_for_pictures(page)
        for page in tabs + windows:
            self.assertEqual(page.problems, [])

    def test_last_picture(self):
        """A page that comes into view beside another has the last picture of a lost camera, even
        if the server has sent it already."""
        clip = self.folder / 'clip.avi'
        shutil.copy(self.clip(300, rate='5/1'), clip)
        monitor = self.monitor(f'a={clip}')
        url = f'http://127.0.0.1:{monitor.port}/'
        page = self.browse()
        blank = page.tab()
        page.show()
        window = page.tab(newWindow=True)
        for one in page, window:
            one.open(url)
            one.wait_for(f'{TILES} === 1')
            self.wait_for_pictures(one)
        blank.show()
        page.wait_for('document.hidden')
        self.wait_for_pictures(window)
        self.wait_for_pictures(window)
        clip.write_bytes(b'')
        window.wait_for(f'{tile("a")}.classList.contains("gone")')
        page.show()
        new = page.tab(newWindow=True)
        new.open(url)
        last = f'Number({tile("a")}?.querySelector("canvas").dataset.picture)'
        for one in page, new:
            common.wait_for(lambda p=one: p.evaluate(last) == window.evaluate(last),
                            'the last picture')
            self.assertEqual(one.problems, [])

    def test_in_view(self):
        """Cameras out of view get no pictures."""
        clip = self.clip(300, rate='2/1')
        monitor = self.monitor(*(f'c{i}={clip}' for i in range(1, 31)))
        page = self.browse(width=390, height=844)
        page.open(f'http://127.0.0.1:{monitor.port}/')
        page.wait_for(f'{tile("c1")}?.querySelector("canvas[data-picture]")')

        def asked():
            """The cameras of the last stream of pictures."""
            query = [r for r in page.requests if '/pictures?' in r][-1]
            return re.search('cameras=([^&]*)', query)[1].split('/')

        common.wait_for(lambda: (self.wait_for_pictures(page),
                                 'c1' in asked() and 'c30' not in asked())[1],
                        'only what is in view')
        self.assertFalse(page.evaluate(f'{tile("c30")}.querySelector("canvas").dataset.picture'))
        page.evaluate(f'{tile("c30")}.scrollIntoView({{behavior: "instant"}})')
        page.wait_for(f'{tile("c30")}.querySelector("canvas").dataset.picture')
        common.wait_for(lambda: (self.wait_for_pictures(page),
                                 'c30' in asked() and 'c1' not in asked())[1],
                        'only what is in view')
        self.assertEqual(page.problems, [])


class Hands(Flow):
    """What an operator's hand does: it never hits the wrong thing, and every action can be
    undone."""

    @staticmethod
    def wait_for_button(page, button, text):
        """Waits until the server has answered what the button asked for."""
        page.wait_for(f'{button}?.textContent === {text!r} && {button}.ariaBusy === "false"')

    def acknowledged(self, monitor, *names):
        """Checks that, of the lost cameras, exactly @names are acknowledged."""
        return {c['name'] for c in monitor.json('cameras')
                if any(a['acknowledged'] for a in c['active'])} == set(names)

    def test_hands(self):
        lost = '[camera {}]\nuri=rtsp://127.0.0.1:1/a\n'
        config = ('[cameras]\nrules=signal-loss,enter=0.5,leave=0.3\n' + lost.format('lost-b')
                  + lost.format('lost-c') +
                  f'[camera well]\nuri={self.clip(300, rate="5/1")}\n{common.NEVER_LOST}')
        monitor = self.monitor(config=config)
        page = self.browse()
        page.open(f'http://127.0.0.1:{monitor.port}/')
        for name in ('lost-b', 'lost-c'):
            page.wait_for(acknowledge(name))
        # The one that was lost last is first.
        one, other, well = page.evaluate(ORDER).split(',')
        self.assertEqual({one, other, well}, {'lost-b', 'lost-c', 'well'})
        self.assertEqual(well, 'well')

        with self.subTest('nothing moves'):
            page.click(acknowledge(one))
            self.wait_for_button(page, acknowledge(one), 'Undo')
            self.assertTrue(self.acknowledged(monitor, one))
            page.evaluate('new Promise(done => setTimeout(done, 2500))')
            self.assertEqual(page.evaluate(ORDER), f'{one},{other},well')
            self.assertTrue(self.acknowledged(monitor, one))
        with self.subTest('undo'):
            page.click(acknowledge(one))
            self.wait_for_button(page, acknowledge(one), 'Acknowledge')
            self.assertTrue(self.acknowledged(monitor))
        with self.subTest('a press that lasts over a tick counts'):
            where = page.find(acknowledge(one))
            page.point(where)
            page.call('Input.dispatchMouseEvent', type='mousePressed', button='left',
                      clickCount=1, **where)
            text = f'{tile(one)}.querySelector(".badge .for").textContent'
            before = page.evaluate(text)
            page.wait_for(f'{text} !== {before!r}')
            page.call('Input.dispatchMouseEvent', type='mouseReleased', button='left',
                      clickCount=1, **where)
            self.wait_for_button(page, acknowledge(one), 'Undo')
        with self.subTest('a press while the server has not answered yet counts'):
            page.evaluate('''window.waiting = [];
                window.real = fetch;
                window.fetch = (url, options) => options?.method !== "POST" ? real(url, options) :
                  new Promise(done => waiting.push([url, () => done(real(url, options))]))''')
            for word in ('Acknowledge', 'Undo', 'Acknowledge'):
                page.click(acknowledge(one))
                page.wait_for(f'{acknowledge(one)}.textContent === {word!r}')
            self.assertEqual(page.evaluate('waiting.length'), 1)
            page.click(acknowledge(one))
            page.click(acknowledge(one))
            page.evaluate('window.fetch = real, waiting[0][1]()')
            page.wait_for(f'{acknowledge(one)}.ariaBusy === "false"')
            self.assertEqual(page.evaluate(f'{acknowledge(one)}.textContent'), 'Acknowledge')
            self.assertTrue(self.acknowledged(monitor))
            page.click(acknowledge(one))
            self.wait_for_button(page, acknowledge(one), 'Undo')
        with self.subTest('the events say so, too, and can undo it'):
            number = page.evaluate(f'{acknowledge(one)}.dataset.event')
            row = f'document.querySelector("#events-rows button[data-event=\\"{number}\\"]")'
            self.go(page, '#events', 'events')
            # Both were lost together.
            opens = 'document.querySelector("#events-rows [aria-expanded]")'
            page.wait_for(opens)
            page.click(opens)
            self.wait_for_button(page, row, 'Undo')
            page.click(row)
            self.wait_for_button(page, row, 'Acknowledge')
        with self.subTest('a double click counts once'):
            where = page.click(row)
            self.wait_for_button(page, row, 'Undo')
            page.push(where, 2)
            page.evaluate('new Promise(done => setTimeout(done, 500))')
            self.assertTrue(self.acknowledged(monitor, one))
        with self.subTest('sorted once no hand is there'):
            self.go(page, '#', 'overview')
            page.evaluate('scrollTo(0, 0)')
            page.point({'x': 5, 'y': 5})
            page.wait_for(f'{ORDER} === "{other},{one},well"')
        with self.subTest('what comes under the hand is not pressed'):
            page.evaluate(f'''new MutationObserver((list, observer) => {{
                const button = {acknowledge("lost-a")};
                const first = document.querySelector("#tiles article");
                if (!button || first.dataset.name !== "lost-a") return;
                observer.disconnect();
                const click = new MouseEvent("click", {{bubbles: true, detail: 1}});
                button.dispatchEvent(click);
                window.clicked = true;
            }}).observe(document.getElementById("tiles"), {{subtree: true, childList: true}})''')
            monitor.config.write_text(config + lost.format('lost-a'))
            monitor.reload()
            page.wait_for('window.clicked')
            common.wait_for(lambda: monitor.camera('lost-a')['active'], 'an alarm')
            page.evaluate('new Promise(done => setTimeout(done, 800))')
            self.assertTrue(self.acknowledged(monitor, one))
            page.click(acknowledge('lost-a'))
            self.wait_for_button(page, acknowledge('lost-a'), 'Undo')
        with self.subTest('relearning'):
            self.relearn(monitor, page)
        self.assertEqual(page.problems, [])

    def relearn(self, monitor, page):
        def asked():
            return sum(r.endswith('/unlearn') for r in page.requests)

        said = 'document.querySelector("#camera-said:not([hidden])")?.textContent'
        monitor.wait_for_state('well', 'up')
        page.click(f'{tile("well")}.querySelector("a")')
        page.wait_for(CAMERA)
        for button, count in (('Cancel', 0), ('Relearn', 1)):
            page.click('document.getElementById("relearn")')
            page.wait_for('document.getElementById("ask").open')
            page.click('[...document.querySelectorAll("#ask button")]'
                       f'.find(b => b.textContent === {button!r})')
            page.wait_for('!document.getElementById("ask").open')
            if count:
                page.wait_for(f'{said}?.includes("Reference discarded")')
            self.assertEqual((asked(), bool(page.evaluate(said))), (count, bool(count)))

        # From camera to camera by keys; each shows its own state.
        page.press('j')
        page.press('k')
        page.press('k')
        page.wait_for('document.getElementById("camera-title").textContent !== "well"')
        self.assertFalse(page.evaluate(said))
        page.press('Escape')
        page.wait_for(f'!{CAMERA}')


def text_of(name):
    """The text of the element with the id @name."""
    return f'document.getElementById("{name}").textContent'


class Attention(Flow):
    """New alarms are heard and seen by somebody who looks elsewhere."""

    # Notes the loudest sample that the page plays, and its notifications.
    WATCH = '''window.loudest = 0;
        window.said = [];
        const connect = AudioNode.prototype.connect;
        AudioNode.prototype.connect = function (to, ...rest) {
            if (to === this.context.destination) {
                // Keeps 0.7 s, as the page of a busy machine may look late.
                const meter = new AnalyserNode(this.context, {fftSize: 32768});
                const samples = new Float32Array(meter.fftSize);
                connect.call(this, meter);
                setInterval(() => {
                    meter.getFloatTimeDomainData(samples);
                    loudest = Math.max(loudest, ...samples);
                }, 20);
            }
            return connect.call(this, to, ...rest);
        };
        const Real = Notification;
        window.Notification = class extends Real {
            constructor(title, options) {
                super(title, options);
                said.push(title);
            }
        };'''
    SILENT = 'document.querySelector("#silent:not([hidden])")'

    def test_attention(self):
        config = ('[cameras]\nrules=signal-loss,enter=0.5,leave=0.3\n'
                  f'[camera a]\nuri=test\n{common.NEVER_LOST}')
        monitor = self.monitor(config=config)

        def lose(*names):
            monitor.config.write_text(config + ''.join(
                f'[camera {name}]\nuri=rtsp://127.0.0.1:1/{name}\n' for name in names))
            monitor.reload()

        page = self.browse()
        url = f'http://127.0.0.1:{monitor.port}/'
        page.call('Browser.grantPermissions', origin=url[:-1], permissions=['notifications'])
        page.call('Page.addScriptToEvaluateOnNewDocument', source=self.WATCH)
        page.open(url)
        page.wait_for(f'{TILES} === 1')
        self.assertEqual(page.call('Page.getInstallabilityErrors')['installabilityErrors'], [])
        page.click(MENU)
        for name in ('notify', 'chime'):
            page.click(f'document.getElementById("{name}")')
        page.wait_for('loudest > 0.1')
        self.assertEqual(page.problems, [])
        with self.subTest('a page that was opened again is silent, and says so'):
            page.open(f'{url}?again#wall')
            page.wait_for(f'{self.SILENT}?.checkVisibility() && {self.SILENT}'
                          '.getBoundingClientRect().bottom <= document.getElementById("wall-tiles")'
                          '.getBoundingClientRect().top')
            lose('b')
            page.wait_for('said.join() === "b: No video" && document.title === "(1) Cameras"')
            self.assertEqual(page.evaluate('loudest'), 0)
        with self.subTest('until somebody is there'):
            page.press('j')
            page.wait_for(f'!{self.SILENT}')
            lose('b', 'c')
            page.wait_for('said.at(-1) === "c: No video" && loudest > 0.1')
            self.assertIn('c: No video', page.evaluate(text_of('announcement')))
            # Who reads the page later would take it for a new alarm.
            page.wait_for(f'!{text_of("announcement")}')
            self.assertTrue(page.evaluate('document.getElementById("icon").href')
                            .startswith('blob:'))
        with self.subTest('a wall of a group is silent about others'):
            config += f'[camera d]\nuri=test\ngroup=Yard\n{common.NEVER_LOST}'
            lose('b', 'c')
            common.wait_for(lambda: monitor.camera('d')['picture'], 'a picture')
            page.evaluate('location.hash = "#wall?group=Yard"')
            page.wait_for('document.title === "Yard"')
            config += '[camera e]\nuri=rtsp://127.0.0.1:1/e\ngroup=Yard\n'
            lose('b', 'c', 'f')
            page.wait_for('document.title === "(1) Yard" && said.at(-1) === "e: No video"')
            common.wait_for(lambda: monitor.camera('f')['active'], 'another loss')
            self.assertNotIn('f: No video', page.evaluate('said'))
        # Chromium reports the silence as well.
        self.assertEqual([p for p in page.problems if 'AudioContext' not in p], [])


class Notices(Flow):
    """Notices never cover more than a part of the screen, the newest is first, and each can be
    closed."""

    def test_notices(self):
        config = '[camera a]\nuri=test\n'
        wrong = config + ''.join(f'[Camera x{i}]\nuri=test\n' for i in range(10))
        monitor = self.monitor(config=config)
        monitor.stop()
        now = time.time_ns() // 1000
        common.run_sql(monitor, *(
            'INSERT INTO notices (time, kind, text) VALUES '
            f'({now - hours * 3600_000_000}, "gpu", "Something {hours} hours ago (since '
            '2026-01-02T03:04:05.000Z)")'
            for hours in range(24, 0, -2)))
        monitor.start()
        for text in (wrong, config, wrong + '[y]\n'):
            monitor.config.write_text(text)
            said = len(monitor.json('notices'))
            monitor.process.send_signal(signal.SIGHUP)
            common.wait_for(lambda s=said: len(monitor.json('notices')) > s, 'a notice')
        page = self.browse(width=390, height=844)
        url = f'http://127.0.0.1:{monitor.port}/'
        page.open(url)
        page.wait_for(f'{TILES} === 1 && {NOTICES}.length === 11')
        with self.subTest('in order, once each'):
            # Notices older than a day are history, as is every reload but the last one.
            # Times within them are local, too.
            self.assertEqual([re.sub(r'.*: | \(since Jan 2, \d\d:04\)$', '', n)
                              for n in page.evaluate(NOTICES)],
                             [f'Something {i} hours ago' for i in range(2, 23, 2)])
            # The last one is in the banner.
            self.assertRegex(page.evaluate(text_of('trouble')),
                             '^Key file not reloaded.* 11 errors')
        for width, height in ((390, 844), (360, 640), (1280, 900), (640, 450)):
            with self.subTest(width=width):
                page.resize(width, height)
                self.assertLess(page.evaluate(f'{tile("a")}.getBoundingClientRect().top'),
                                0.8 * height)
        page.resize(390, 844)
        self.assertEqual(page.evaluate(BROKEN), [])
        self.assertEqual(page.evaluate(SMALL), [])

        with self.subTest('closed, here, elsewhere and later'):
            other = page.tab(newWindow=True)
            other.open(url)
            other.wait_for(f'{NOTICES}.length === 11')
            page.click('document.querySelectorAll("#notices button")[1]')
            for p in (page, other):
                p.wait_for(f'{NOTICES}.length === 10 && '
                           f'!{NOTICES}.join().includes(": Something 4 h")')
            page.open(f'{url}?again')
            page.wait_for(f'{TILES} === 1 && {NOTICES}.length === 10')
        with self.subTest('a hand that is too fast closes one'):
            where = page.find('document.querySelector("#notices button")')
            page.evaluate(f'''for (const detail of [1, 2, 1])
                document.elementFromPoint({where["x"]}, {where["y"]}).dispatchEvent(
                    new MouseEvent("click", {{bubbles: true, detail}}))''')
            self.assertEqual(len(page.evaluate(NOTICES)), 9)
        with self.subTest('with keys'):
            page.evaluate('document.querySelectorAll("#notices button")[1].focus()')
            page.press('Enter', '\r')
            page.wait_for(f'{NOTICES}.length === 8')
            self.assertIn('10 hours ago', page.evaluate(
                'document.activeElement.getAttribute("aria-label")'))
        with self.subTest('what is new comes first'):
            monitor.config.write_text(config)
            monitor.reload()
            page.wait_for(f'{NOTICES}[0]?.endsWith("Key file reloaded.") && '
                          f'{NOTICES}.length === 9')
            self.assertRegex(page.evaluate(NOTICES)[0], '^✓ ')
            self.assertNotIn('not reloaded', page.evaluate(f'{NOTICES}.join()'))
        with self.subTest('all'):
            page.click('document.getElementById("close-notices")')
            for p in (page, other):
                p.wait_for('document.getElementById("notices-section").hidden')
        self.assertEqual(page.problems + other.problems, [])


class States(Flow):
    """The page is right about the state of a camera, and says what is missing."""

    STATE = text_of('camera-state')
    FIGURE = 'document.querySelector("[data-part=now] figcaption").textContent'
    ALARMS = text_of('camera-alarms')

    # Texts shown within the next seconds that only a current picture may have.
    OF_NOW = f'''new Promise(done => {{
        const said = [];
        const end = performance.now() + 2500;
        const look = () => {{
            const text = {FIGURE};
            if (/^Now/.test(text)) said.push(text);
            if (performance.now() < end) setTimeout(look, 50);
            else done(said);
        }};
        look();
    }})'''

    def test_states(self):
        config = ('[cameras]\nrules=frozen,duration=1s;signal-loss,enter=0.5,leave=0.3\n'
                  f'[camera still]\nuri={self.clip(300, "checkers-8", "5/1")}\n{common.NEVER_LOST}'
                  '[camera lost]\nuri=rtsp://127.0.0.1:1/a\n')
        removable = f'[camera well]\nuri={self.clip(300, rate="5/1")}\n{common.NEVER_LOST}'
        monitor = self.monitor(config=config + removable)
        page = self.browse(width=390, height=844)
        url = f'http://127.0.0.1:{monitor.port}/'

        with self.subTest('lost'):
            page.open(f'{url}?lost#camera/lost')
            page.wait_for(f'/(re)?connecting$/.test({self.STATE})')
            page.wait_for(f'/^No video for .*Since .*Cannot connect to /.test({self.ALARMS})')
            page.wait_for(f'{self.FIGURE} === "No picture yet"')
            page.wait_for('document.querySelector("#conditions li")')
            for name, judged in (('lost', False), ('well', True)):
                common.wait_for(lambda n=name, j=judged: monitor.camera(n)['judged'] == j, name)
        if rtsp.is_there():
            with self.subTest('a stream that is open, and brings nothing'):
                stalling = rtsp.Server(self, 'stalling')
                config += f'[camera stalls]\nuri={stalling.uri()}\ntransport=tcp\ntimeout=600\n'
                monitor.config.write_text(config + removable)
                monitor.reload()
                common.wait_for(lambda: monitor.camera('stalls')['frames'] and
                                monitor.camera('stalls')['active'], 'the loss')
                page.open(f'{url}?stalls#camera/stalls')
                page.wait_for(f'{self.ALARMS}.startsWith("No video for ")')
                page.wait_for(f'/no frame for \\d+.s$/.test({self.STATE}) && '
                              f'{self.FIGURE}.startsWith("Last picture")')
                self.assertEqual(page.evaluate(self.OF_NOW), [])
        with self.subTest('removed while it is open, and back again'):
            self.check_removed(monitor, page, config, removable)
        with self.subTest('addresses'):
            self.check_addresses(page, url)
        with self.subTest('a picture that stands still is as old as the first of its kind'):
            common.wait_for(lambda: [c for c in monitor.camera('still')['active']
                                     if c['condition'] == 'frozen'], 'the freeze')
            page.open(f'{url}?still#camera/still')
            page.wait_for(f'{self.FIGURE}.startsWith("The same picture since ")')
            # That holds after each update of the texts, whichever code makes it.
            self.assertEqual(page.evaluate(self.OF_NOW), [])
        with self.subTest('no threshold decided'):
            # The API answers from the database, and the log has what was sent.
            for path in 'events?limit=500', 'alarms':
                found = monitor.json(path)
                frozen = [e for e in (found if path != 'alarms' else found['alarms'])
                          if e['condition'] == 'frozen']
                self.assertEqual({e['threshold'] for e in frozen}, {None}, path)
            self.assertRegex(monitor.output(), r'camera still: [a-z ]+ \(frozen\)\n')
        # The picture of a removed camera cannot be fetched, and one address asks for nonsense.
        self.assertEqual([p for p in page.problems if '404' not in p and '400' not in p], [])

    def check_removed(self, monitor, page, config, removable):
        page.open(f'http://127.0.0.1:{monitor.port}/?well#camera/well')
        page.wait_for(f'{self.STATE}.endsWith(" · live") && {self.FIGURE}.startsWith("Now")')
        for text, gone in ((config, True), (config + removable, False), (config, True)):
            monitor.config.write_text(text)
            monitor.reload()
            if gone:
                page.wait_for(f'{PROBLEM}?.includes("“well” was removed") && {CAMERA}')
                self.assertRegex(page.evaluate(self.STATE), '^Not watched any more')
                self.assertFalse(page.evaluate(
                    'document.getElementById("relearn").checkVisibility()'))
            else:
                page.wait_for(f'!{PROBLEM} && {self.STATE}.endsWith(" · live")')
                page.wait_for('document.getElementById("relearn").checkVisibility()')
        self.assertEqual(page.evaluate(BROKEN), [])
        self.assertEqual(page.evaluate(SMALL), [])
        page.click('document.getElementById("problem-wall")')
        page.wait_for(f'!{CAMERA} && !{PROBLEM} && !location.hash && {TILES} && !{tile("well")}')

    def check_addresses(self, page, url):
        later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=2)
        for i, (hash_, section, said) in enumerate((
                ('camera/nosuch', 'overview', 'no camera “nosuch”'),
                ('camera/', 'overview', 'no camera “”'),
                ('camera', 'overview', 'no camera “”'),
                ('camera/%E0%A4', 'overview', 'no camera “'),
                (f'camera/{"x" * 3000}', 'overview', 'xx…'),
                ('at=2026-11-24T18:00Z', 'overview', 'no view “at=2026-11-24'),
                ('camera/still?at=garbage', 'camera', '“garbage” is not a time'),
                ('camera/still?at=', 'camera', '“” is not a time'),
                ('camera/still?at=garbage 1', 'camera', '“garbage 1” is not a time'),
                ('camera/still?at=2026-13-45T00:00Z', 'camera', 'is not a time'),
                ('camera/still?at=0001-01-01', 'camera', 'is not a time'),
                (f'camera/still?at={later:%Y-%m-%dT%H:%MZ}', 'camera', 'in the future'),
                ('events?condition=nonsense', 'events', 'The alarms cannot be shown'),
                ('elsewhere', 'overview', 'no view “elsewhere”'),
                # What all objects have.
                ('constructor', 'overview', 'no view “constructor”'),
                ('?state=constructor', 'overview', None),
                ('events?constructor=valueOf', 'events', None),
                ('events?period=constructor', 'events', None),
                ('camera/still?at=2026-11-24T18:00+01:00', 'camera', None),
                ('wall', 'wall', None),
                ('events?camera=nosuch', 'events', None),
                # As earlier versions had it.
                ('camera=still&at=2026-11-24T18:00Z', 'camera', None),
                ('camera=nosuch', 'overview', 'no camera “nosuch”'),
                ('camera/still', 'camera', None))):
            with self.subTest(hash_[:40]):
                # Half of them load the page again, half only change the hash.
                if i % 2:
                    page.evaluate(f'location.hash = {hash_!r}')
                else:
                    page.open(f'{url}?{i}#{hash_}')
                page.wait_for('document.readyState === "complete" && '
                              f'document.getElementById({section!r}).checkVisibility() && ' +
                              (f'{PROBLEM}?.includes({said!r})' if said else f'!{PROBLEM}'))
                self.assertFalse(page.evaluate(
                    'document.documentElement.scrollWidth > innerWidth'))
                if said and section == 'overview':
                    self.assertTrue(page.evaluate('''(() => {
                        const link = document.getElementById("problem-wall");
                        const r = link.getBoundingClientRect();
                        return document.elementFromPoint(r.x + 5, r.y + r.height / 2) === link;
                    })()'''))


def stamp(when):
    return int(when.timestamp() * 1000000)


class Days(Flow):
    """Past days, and the same on a phone."""

    ALARMS = 120

    def fill(self, monitor, jpeg):
        """Stores many alarms two days ago, the first with a picture, of which the last ended today,
        and 30 dark minutes. Returns the time at the end of the earlier day."""
        now = datetime.datetime.now(datetime.timezone.utc).replace(second=0, microsecond=0)
        # At noon, so that it is one day also if the test runs just after midnight.
        end = (now - datetime.timedelta(days=2)).replace(hour=12)
        columns = ('camera, condition, active, topic_active, value, threshold, time, since, '
                   'reason')
        with contextlib.closing(sqlite3.connect(monitor.folder / 'state/monitor.db')) as database:
            def add(when, active):
                return database.execute(
                    f'INSERT INTO events ({columns}) VALUES (?,?,?,?,?,?,?,?,?)',
                    ('a', 'dark', active, active, 0.9, 0.8, stamp(when), stamp(when), '')).lastrowid

            database.execute("DELETE FROM events WHERE camera = 'a'")
            first = add(end - datetime.timedelta(hours=23), 1)
            for i in range(1, 2 * self.ALARMS - 1):
                add(end - datetime.timedelta(seconds=7200 - 20 * i), (i + 1) % 2)
            add(now - datetime.timedelta(minutes=20), 0)
            database.execute('INSERT INTO pictures (number, jpeg) VALUES (?, ?)', (first, jpeg))
            dark = 1 << monitor.conditions.index('dark')
            for i in range(40):
                database.execute(
                    'INSERT INTO minutes (camera, minute, frames, measured, average, low, high, '
                    'active) VALUES (?,?,?,?,?,?,?,?)',
                    ('a', int(end.timestamp()) // 60 - 60 + i, 60, 60, 0.1, 0.02, 0.3,
                     dark if i < 30 else 0))
            database.commit()
        return end, first

    def check_phone(self, page, what):
        """Also on a tablet."""
        for width, height in ((360, 740), (390, 844), (768, 1024), (1024, 768)):
            page.resize(width, height, touch=True)
            with self.subTest(what, width=width):
                # Screen readers have the heading of the wall.
                self.assertEqual(page.evaluate(f'{BROKEN}.filter(w => w !== "Wall")'), [])
                self.assertEqual(page.evaluate(SMALL), [])

    def test_days(self):
        name = 'Café terrace, a rather long name, Donaudampfschifffahrt'
        monitor = self.monitor(f'a={self.clip(300, rate="5/1")}',
                               config=f'[cameras]\n{common.NEVER_LOST}[camera {name}]\n'
                               + common.LOST.partition('\n')[2])
        common.wait_for(lambda: monitor.camera('a')['reference'], 'a reference')
        common.wait_for(lambda: [c for c in monitor.json('cameras') if c['active']], 'the loss')
        monitor.conditions = [c['condition'] for c in monitor.camera('a')['conditions']]
        jpeg = monitor.ask('/api/v1/cameras/a/picture').body
        monitor.stop()
        end, first = self.fill(monitor, jpeg)
        monitor.start()
        page = self.browse()
        url = f'http://127.0.0.1:{monitor.port}/'
        with self.subTest('events'):
            self.check_events(monitor, page, url, name, first)
        with self.subTest('a day that is over'):
            self.check_past(page, url, end, first)
        with self.subTest('a phone'):
            page.resize(360, 740)
            page.open(f'{url}?phone')
            page.wait_for(f'{TILES} === 2 && {acknowledge(name)}')
            self.check_phone(page, 'the overview')
            page.evaluate('document.getElementById("help-dialog").showModal()')
            self.check_phone(page, 'the keys')
            page.press('Escape')
            self.go(page, '#events', 'events')
            page.wait_for('document.querySelector("#events-rows button.acknowledge")')
            self.check_phone(page, 'events')
            self.go(page, '#camera/a', 'camera')
            page.wait_for('document.querySelector("#conditions li")')
            self.check_phone(page, 'a camera')
            self.go(page, '#wall', 'wall')
            self.check_phone(page, 'the wall')
            page.open(f'{url}login')
            page.wait_for(f'document.readyState === "complete" && {LOGIN}')
            self.check_phone(page, 'the page to log in')
        self.assertEqual(page.problems, [])

    def check_events(self, monitor, page, url, name, first):
        """Finds alarms, and acknowledges all that are found."""
        # One row has all of them but one.
        rows = f'Number(/\\d+/.exec({text_of("events-count")}) ?? 0)'
        chip = 'document.querySelector("#events-chips button")'
        page.open(f'{url}#events')
        page.wait_for(f'{rows} === 100')
        page.click('document.getElementById("events-older")')
        page.wait_for(f'{rows} === {self.ALARMS + 1} && '
                      'document.getElementById("events-older").hidden')
        page.wait_for('document.querySelector("#events-rows tr:last-child").dataset.key === '
                      f'"again {first}"')
        # By name, with keys alone.
        page.press('/')
        page.write('donau')
        page.wait_for(f'{rows} === 1 && location.hash === "#events?filter=donau"')
        self.assertEqual(page.evaluate('document.getElementById("events-search").value'), 'donau')
        self.check_export(monitor, page, 1)
        page.press('Escape')
        page.wait_for(f'{rows} === 100 && location.hash === "#events"')
        self.go(page, '#events?camera=a', 'events')
        page.click(chip)
        page.wait_for(f'{rows} === 100 && location.hash === "#events"')
        self.check_one_day(monitor, page, rows)
        page.click('document.querySelector("#events-period [data-key=\\"24h\\"]")')
        page.wait_for(f'{rows} === 2 && location.hash === "#events?period=24h"')
        self.check_export(monitor, page, 2)
        self.go(page, '#events?condition=dark&state=active', 'events')
        page.wait_for(f'{rows} === 0 && '
                      f'{text_of("events-count")} === "No alarms match the filter."')
        self.go(page, '#events?condition=dark&state=unacknowledged', 'events')
        page.wait_for(f'{rows} === 100')
        for button, count in (('Cancel', 0), ('Acknowledge', 100)):
            page.click('document.querySelector("#events-all:not([hidden])")')
            page.wait_for('document.getElementById("ask").open')
            page.click('[...document.querySelectorAll("#ask button")]'
                       f'.find(b => b.textContent === {button!r})')
            page.wait_for('!document.getElementById("ask").open')
            if count:
                page.wait_for(f'{rows} === {self.ALARMS - count}')
            alarms = monitor.json('alarms?limit=500')['alarms']
            self.assertEqual(sum(bool(a['acknowledged']) for a in alarms), count)
        page.click('document.querySelector("#events-done:not([hidden]) button")')
        page.wait_for(f'{rows} === {self.ALARMS} && document.getElementById("events-undo").hidden')
        alarms = monitor.json('alarms?limit=500')['alarms']
        self.assertEqual([a for a in alarms if a['acknowledged']], [])

    def check_one_day(self, monitor, page, rows):
        """The same date at both ends is that whole day."""
        alarms = monitor.json('alarms?limit=500')['alarms']
        days = [datetime.datetime.fromisoformat(a['begun'].replace('Z', '+00:00')).astimezone()
                .date() for a in alarms]
        day = days[-1]
        page.click('document.querySelector("#events-period [data-key=other]")')
        for key in ('from', 'before'):
            page.evaluate(f'''{{
                const date = document.querySelector("#events-{key} input");
                date.value = "{day}";
                date.dispatchEvent(new Event("change", {{ bubbles: true }}));
            }}''')
            page.wait_for(f'location.hash.includes("{key}=")')
        page.wait_for(f'{rows} === {min(100, days.count(day))}')
        self.assertEqual(page.evaluate('document.querySelector("#events-before input").value'),
                         str(day))
        # A mistyped time changes nothing, and is shown as such.
        hours = 'document.querySelector("#events-from .hours")'
        page.click(hours)
        page.evaluate(f'{hours}.select()')
        page.write('25:00')
        page.press('Tab')
        page.wait_for(f'{hours}.matches(":invalid") && document.activeElement === {hours}')
        self.assertIn('from=', page.evaluate('location.hash'))
        page.press('Escape')
        page.wait_for(f'{rows} === 100 && location.hash === "#events"')

    def check_export(self, monitor, page, count):
        """What is exported is what the filters show."""
        for kind in ('csv', 'json'):
            path = page.evaluate(f'document.getElementById("events-{kind}").getAttribute("href")')
            answer = monitor.ask(f'/{path}')
            self.assertEqual(answer.status, 200, answer.text)
            self.assertIn('attachment', answer.headers['Content-Disposition'])
            found = len(answer.json()['alarms']) if kind == 'json' else answer.text.count('\n') - 1
            self.assertEqual(found, count)

    def check_past(self, page, url, end, first):
        title = text_of('list-title')
        state = text_of('camera-state')
        picture = 'document.querySelector("[data-part=alarm] img")'
        page.open(f'{url}?past#camera/a?at={end:%Y-%m-%dT%H:%MZ}')
        page.wait_for(f'{state}.startsWith("As it was on ") && '
                      f'{title} === "{self.ALARMS} alarms"')
        page.wait_for(f'{picture}.naturalWidth')
        self.assertIn(f'/events/{first}/picture', page.evaluate(f'{picture}.src'))
        page.wait_for('document.querySelector("#levels:not([hidden]) .band").getAttribute("d")')
        hidden = [f'!document.querySelector({i!r}).checkVisibility()' for i in
                  ('[data-part=now]', '#conditions', '#relearn', '#camera-alarms')]
        self.assertTrue(page.evaluate(' && '.join(hidden)))
        text = page.evaluate('document.getElementById("camera").innerText')
        for live in ('live', 'Now ·', 'Nothing is wrong'):
            self.assertNotIn(live, text)
        # The mark of an alarm leads to its picture, and is in the address.
        page.click('document.querySelector("#lanes .lane a")')
        page.wait_for(f'location.hash.includes("alarm={first}") && '
                      'document.querySelector("#lanes .lane a[aria-current]")')
        self.check_phone(page, 'a day')
        page.resize(1280, 900)
        # Two or three days later is today.
        while page.evaluate(f'{state}.startsWith("As it was on ")'):
            before = page.evaluate(state)
            page.click('document.getElementById("later")')
            page.wait_for(f'{state} !== {before!r}')
        page.wait_for(f'!({hidden[0]}) && document.getElementById("later").hidden')
        # A day without data is shown as such.
        page.open(f'{url}?none#camera/a?at=2001-01-01T00:00Z')
        page.wait_for('document.getElementById("lanes-none").checkVisibility()')
        self.assertFalse(page.evaluate(f'{picture}.checkVisibility()'))


class Away(Flow):
    def test_server(self):
        """The page says that the server is gone or hangs, and continues when it is back."""
        port = common.free_port()
        monitor = self.monitor('--listen', f'127.0.0.1:{port}',
                               f'a={self.clip(300, rate="5/1")}', listen=False)
        page = self.browse()
        page.open(f'http://127.0.0.1:{port}/')
        page.wait_for(f'{TILES} === 1')
        self.wait_for_pictures(page)
        lost = 'document.body.classList.contains("stale") && ' \
            'document.getElementById("trouble").checkVisibility()'
        for away, back in ((monitor.kill, monitor.start),
                           (lambda: monitor.process.send_signal(signal.SIGSTOP),
                            lambda: monitor.process.send_signal(signal.SIGCONT))):
            self.go(page, '#camera/a', 'camera')
            page.wait_for(f'{States.STATE}.endsWith(" · live")')
            self.wait_for_pictures(page)
            away()
            page.wait_for(f'{lost} && document.title === "No connection"')
            # Unknown states are shown neither as OK nor as current.
            page.wait_for(f'{States.STATE}.endsWith("not known without the server") && '
                          f'{States.FIGURE}.startsWith("Last picture")')
            self.assertNotIn('Nothing is wrong', page.evaluate(States.ALARMS))
            self.go(page, '#', 'overview')
            page.wait_for(f'{text_of("overview-title")} === "Not known without the server"')
            self.assertNotIn('OK', page.evaluate(f'{tile("a")}.innerText'))
            # What is lost is the server: no count takes the look of lost cameras.
            self.assertEqual(page.evaluate('getComputedStyle(document.querySelector('
                                           '"#counts .ok")).backgroundImage'), 'none')
            back()
            page.wait_for(f'!({lost}) && {tile("a")}.innerText.includes("OK")')
            self.wait_for_pictures(page)
        monitor.kill()
        page.wait_for(lost)
        page.evaluate('location.hash = "camera/b"')
        page.wait_for(f'{PROBLEM}?.includes("no camera “b”")')
        page.press('Escape')
        page.wait_for(f'!{PROBLEM}')
        # Failed requests meanwhile are in the console; the page itself has no errors.
        self.assertEqual([p for p in page.problems if 'net::ERR' not in p
                          and 'exceptionId' in p], [])


if __name__ == '__main__':
    if not browser.path():
        common.skip('there is no chromium: the package chromium has it')
    common.main()
