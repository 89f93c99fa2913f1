#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of events and of a camera, in Chromium."""

import datetime
import json
import re
import shutil
import signal
import time

import browser
import common

HOSTILE = '<img src=x onerror=document.title=666>'
CONFIG = f'''[cameras]
conditions=dark;signal-loss
[camera door]
uri=test
group=Gates
[camera {HOSTILE}]
uri=test
[camera lost]
uri=rtsp://127.0.0.1:1/
'''
# On a busy machine, a camera may take a while to send frames, which is not what a test is about.
STEADY = CONFIG.replace('group=Gates', 'group=Gates\nrules=signal-loss,enter=300,leave=1')
DAYS = 40
MORNING = 7 * 3600
OPERATOR, VIEWER = 'secret-of-operators', 'secret-of-viewers'
ROWS = '[...document.querySelectorAll("#events-rows tr:not(.day)")]'
COUNT = 'document.getElementById("events-count").textContent'


def text_of(selector):
    return f'(document.querySelector({selector!r})?.innerText ?? "")'


def shown(selector):
    return f'[...document.querySelectorAll({selector!r})].filter(e => e.checkVisibility())'


class Case(common.Case):
    def browse(self, monitor, at='', **options):
        page = browser.Browser(**options)
        self.addCleanup(page.close)
        page.open(f'http://127.0.0.1:{monitor.port}/{at}')
        return page

    def stored(self, config=CONFIG, extra=()):
        """A monitor that knows of three alarms a day, the first one acknowledged; and of @extra:
        camera, seconds ago, length."""
        monitor = self.monitor(config=config)
        self.assertEqual(monitor.stop(), 0)
        midnight = int(time.time()) // 86400 * 86400
        rows = []
        for day in range(DAYS, 0, -1):
            for i, camera in enumerate(('door', HOSTILE, 'removed')):
                for active in 1, 0:
                    at = (midnight - day * 86400 + MORNING + i * 3600 + (not active) * 90) * 10**6
                    acknowledged = at if active and not i else 0
                    rows.append(f"('{camera}', 'dark', {active}, {active}, 0.95, 0.9, {at}, {at}, "
                                f"'', {acknowledged}, '')")
        for camera, ago, length in extra:
            for active, at in (1, time.time() - ago), (0, time.time() - ago + length):
                at = int(at * 1e6)
                rows.append(f"('{camera}', 'dark', {active}, {active}, 0.95, 0.9, {at}, {at}, '', "
                            "0, '')")
        common.run_sql(monitor, 'DELETE FROM alarms', 'DELETE FROM events',
                       'INSERT INTO events (camera, condition, active, topic_active, value, '
                       'threshold, time, since, reason, acknowledged, acknowledged_by) VALUES '
                       + ','.join(rows))
        monitor.start()
        return monitor

    def check_quiet(self, page):
        self.assertEqual(page.problems, [])
        self.assertNotIn('666', page.evaluate('document.title'))


class Events(Case):
    def test_find(self):
        """Filters choose rows, are in the address, and go by their chips, or all by Escape."""
        monitor = self.stored()
        page = self.browse(monitor, '#events')
        page.wait_for(f'{COUNT}.startsWith("The newest 100 alarms") && {ROWS}.length === 100')
        days = page.evaluate('document.querySelectorAll("#events-rows .day").length')
        self.assertGreater(days, 30)
        page.click('document.getElementById("events-older")')
        page.wait_for(f'{ROWS}.length > {3 * DAYS - 1} && {shown("#events-older")}.length === 0')
        page.evaluate('document.getElementById("events-search").focus()')
        page.write('too gates')
        page.press('Enter', '\r')
        page.wait_for(f'{COUNT}.startsWith("{DAYS} alarms") && '
                      'location.hash === "#events?filter=too+gates"')
        page.evaluate('''(() => { const list = document.getElementById("events-state");
            list.value = "=unacknowledged"; list.dispatchEvent(new Event("change")); })()''')
        page.wait_for(f'{COUNT} === "No alarms match the filter."')
        page.click('document.querySelector("#events-chips button")')
        page.wait_for(f'{COUNT}.startsWith("{DAYS} alarms")')
        self.assertIn('filter=too%20gates',
                      page.evaluate('document.getElementById("events-csv").href'))
        page.press('Escape')
        page.wait_for('location.hash === "#events"')
        page.click('document.querySelector("[data-key=\'7d\']")')
        page.wait_for(f'{ROWS}.length < 30 && {ROWS}.length > 15')
        self.check_quiet(page)

    def test_keys(self):
        """Keys lead to every row: of one alarm, of several, and of a camera that is gone."""
        monitor = self.stored(STEADY, [('door', 7200 - i * 600, 60) for i in range(4)])
        page = self.browse(monitor, '#events?condition=dark')
        page.wait_for(f'{ROWS}.length > 10')
        done = text_of('#events-done')
        at = f'{ROWS}.indexOf(document.activeElement.closest("tr"))'
        page.press('j')
        self.assertEqual(page.evaluate('document.activeElement.innerText'), 'door ×4')
        page.press('a')
        page.wait_for(f'{done}.startsWith("4 alarms acknowledged.") && '
                      f'{ROWS}[0].querySelector("button.acknowledge").innerText === "Undo"')
        page.press('a')
        page.wait_for(f'{done}.startsWith("4 alarms not acknowledged any more.")')
        page.evaluate('document.getElementById("name-form").hidden = true')
        before = page.evaluate(f'{ROWS}.length')
        for n in 4, 0:
            page.press('Enter', '\r')
            page.wait_for(f'{ROWS}.length === {before + n} && {at} === 0')
        for row in range(1, 5):
            page.press('j')
            self.assertEqual(page.evaluate(at), row)
        page.press('k')
        self.assertEqual(page.evaluate(at), 3)
        self.check_quiet(page)

    def test_focus(self):
        """The focus goes to the next row if its own goes."""
        monitor = self.stored(STEADY, [('door', 7200 - i * 600, 60) for i in range(4)])
        page = self.browse(monitor, '#events?condition=dark&state=unacknowledged')
        page.wait_for(f'{ROWS}.length > 10')
        page.press('j')
        begun = page.evaluate(f'{ROWS}[1].item.begun')
        page.press('a')
        page.wait_for(f'document.activeElement.closest("tr")?.item.begun === {begun!r}')
        self.assertEqual(page.evaluate(f'{ROWS}[0].item.begun'), begun)
        self.check_quiet(page)

    def test_only(self):
        """One press shows the alarms of the camera of a row, with a finger, too."""
        monitor = self.stored()
        page = self.browse(monitor, '#events')
        seen = '[...document.querySelectorAll(".only")].filter(e => e.checkVisibility(' \
            '{ opacityProperty: true }))'
        for width, height, touch in (1280, 720, False), (1024, 768, True), (768, 1024, True):
            page.resize(width, height, touch=touch)
            page.wait_for(f'{ROWS}.length > 10')
            if touch:
                page.wait_for(f'{seen}.length === {ROWS}.length')
            page.click('document.querySelector(".only")')
            page.wait_for('location.hash.includes("camera=")')
            page.evaluate('location.hash = "#events"')
            page.wait_for('!document.querySelector("#events-chips button")')
        self.check_quiet(page)

    def test_acknowledge(self):
        """One row, or all that are shown, are acknowledged, and Undo takes back just that."""
        monitor = self.stored(STEADY)
        page = self.browse(monitor, '#events?camera=removed')
        page.wait_for(f'{COUNT} === "{DAYS} alarms, {DAYS} not acknowledged"')
        self.assertIn('not watched any more', page.evaluate(f'{ROWS}[0].innerText'))
        button = f'{ROWS}[0].querySelector("button.acknowledge")'
        page.click(button)
        page.wait_for(f'{COUNT} === "{DAYS} alarms, {DAYS - 1} not acknowledged" && '
                      f'{button}.textContent === "Undo"')
        other = self.browse(monitor, '#events?camera=removed')
        other.wait_for(f'{button}?.textContent === "Undo"')
        page.click('document.getElementById("events-all")')
        self.assertIn(f'Acknowledge {DAYS - 1} alarms?', page.evaluate(text_of('#ask')))
        # The question is about this list.
        page.evaluate('location.hash = "#"')
        page.wait_for('!document.querySelector("dialog[open]")')
        page.evaluate('location.hash = "#events?camera=removed"')
        page.wait_for(f'{COUNT} === "{DAYS} alarms, {DAYS - 1} not acknowledged"')
        page.click('document.getElementById("events-all")')
        page.evaluate('document.getElementById("ask-note").value = "a drill & more"')
        page.click('document.querySelector("#ask [value=yes]")')
        page.wait_for(f'{COUNT} === "{DAYS} alarms, none to acknowledge"')
        self.assertEqual(monitor.json('actions')[0]['note'], 'a drill & more')
        page.click('document.getElementById("events-undo")')
        page.wait_for(f'{COUNT} === "{DAYS} alarms, {DAYS - 1} not acknowledged"')
        page.click(button)
        page.wait_for(f'{COUNT} === "{DAYS} alarms, {DAYS} not acknowledged"')
        alarms = monitor.json('alarms?camera=removed&state=acknowledged')['alarms']
        self.assertEqual(alarms, [])
        # The key says so where there is nothing to acknowledge.
        page.evaluate('location.hash = "#events?camera=door"')
        page.wait_for(f'{COUNT} === "{DAYS} alarms, none to acknowledge"')
        for key, words in ('', 'No alarm is selected'), ('j', 'There is nothing to acknowledge'):
            if key:
                page.press(key)
            page.press('a')
            page.wait_for(f'{text_of("#problem")}.includes({words!r})')
        self.check_quiet(page)

    def test_outage(self):
        """Cameras that were lost together are one row, which opens, with one button for all."""
        monitor = self.monitor(config='[cameras]\nrules=signal-loss,enter=1,leave=0.5\n' + ''.join(
            f'[camera {name}]\nuri=rtsp://127.0.0.1:1/{name}\ngroup=Gates\n' for name in 'abc'))
        common.wait_for(lambda: [c['outage'] for name in 'abc' for c in
                                 monitor.camera(name)['active']].count(None) == 0
                        and all(monitor.camera(name)['active'] for name in 'abc'), 'an outage')
        page = self.browse(monitor, '#events')
        page.wait_for(f'{ROWS}.length === 1 && {ROWS}[0].innerText.includes("3 cameras")')
        text = page.evaluate(f'{ROWS}[0].innerText')
        for part in 'On 127.0.0.1 in group Gates', 'No video', 'still active':
            self.assertIn(part, text)
        page.press('j')
        page.press('Enter', '\r')
        page.wait_for(f'{ROWS}.length === 4 && document.activeElement.ariaExpanded === "true"')
        page.press('a')
        page.wait_for(f'{COUNT} === "3 alarms, none to acknowledge"')
        self.assertEqual([monitor.camera(name)['active'][0]['acknowledged'] is None
                          for name in 'abc'], [False] * 3)
        page.click('document.getElementById("events-undo")')
        page.wait_for(f'{COUNT} === "3 alarms, 3 not acknowledged"')
        page.click('document.activeElement.closest("body").querySelector("[aria-expanded]")')
        page.wait_for(f'{ROWS}.length === 1')
        self.check_quiet(page)

    def test_reload(self):
        """The list follows the groups and cameras of a changed key file, while it is open."""
        monitor = self.stored(STEADY)
        page = self.browse(monitor, '#events')
        page.wait_for(f'{ROWS}.length === 100')
        page.click('document.getElementById("events-older")')
        page.wait_for(f'{ROWS}.length > 100')
        page.point({'x': 1, 'y': 1})  # no hand keeps the rows
        page.evaluate('document.querySelector("[data-key=other]").click()')
        date = 'document.querySelector("#events-from input").value'
        page.evaluate(f'{date} = "2026-01-02"')
        menu = '[...document.querySelectorAll("#events-group option")].map(o => o.innerText).join()'
        self.assertEqual(page.evaluate(menu), 'Group,Gates,Without a group')
        places = (f'[...new Set({ROWS}.filter(row => row.item.camera === "door")'
                  '.map(row => row.querySelector("small").innerText))].join()')
        self.assertEqual(page.evaluate(places), 'Gates')
        monitor.config.write_text(STEADY.replace('Gates', 'Lobby'))
        monitor.reload()
        page.wait_for(f'{menu} === "Group,Lobby,Without a group"')
        page.wait_for(f'{places} === "Lobby"')
        # What is being typed stays.
        self.assertEqual(page.evaluate(date), '2026-01-02')
        # Of a group that goes, no rows stay.
        page.evaluate('location.hash = "#events?group=Lobby"')
        page.wait_for(f'{COUNT}.startsWith("{DAYS} alarms")')
        monitor.config.write_text(STEADY.replace('Gates', 'Yard'))
        monitor.reload()
        page.wait_for(f'{COUNT}.startsWith("There is no group “Lobby”") && {ROWS}.length === 0')
        page.evaluate('location.hash = "#events?camera=door"')
        page.wait_for(f'{places} === "Yard"')
        self.assertTrue(page.evaluate(f'{ROWS}.every(row => row.querySelector("a"))'))
        monitor.config.write_text(STEADY.replace('[camera door]', '[camera gate]'))
        monitor.reload()
        page.wait_for(f'{places} === "not watched any more"')
        self.assertFalse(page.evaluate(f'{ROWS}.some(row => row.querySelector("a"))'))
        names = '[...document.querySelectorAll("#events-names option")].map(o => o.value).join()'
        self.assertIn('gate', page.evaluate(names))
        self.assertNotIn('door', page.evaluate(names))
        conditions = ('[...document.querySelectorAll("#events-condition option")]'
                      '.map(o => o.value).join()')
        self.assertEqual(page.evaluate(conditions), ',=signal-loss,=dark')
        monitor.config.write_text(STEADY.replace('dark;', 'dark;bright;'))
        monitor.reload()
        page.wait_for(f'{conditions} === ",=signal-loss,=bright,=dark"')
        self.check_quiet(page)

    def test_no_group(self):
        """An address with a group that does not exist says so, in each view."""
        page = self.browse(self.stored(STEADY))
        for address, part in (('events', 'events-count'), ('', 'empty'), ('wall', 'wall-title')):
            for group, said in (('Hall', 'There is no group “Hall”: '), ('Gates', '')):
                with self.subTest(address=address, group=group):
                    page.evaluate(f'location.hash = "#{address}?group={group}"')
                    shown_now = text_of(f'#{part}:not([hidden])')
                    page.wait_for(f'document.body.dataset.view === {address or "overview"!r} && ' +
                                  (f'{shown_now}.startsWith({said!r})' if said else
                                   f'!{shown_now}.includes("no group")'))
        self.check_quiet(page)

    def test_partly_over(self):
        """A camera of an outage came back while nobody watched, and another one did not."""
        monitor = self.stored(STEADY)
        self.assertEqual(monitor.stop(), 0)
        at = int(time.time() - 600) * 10**6
        common.run_sql(monitor, 'INSERT INTO events (camera, condition, active, topic_active, '
                       'value, threshold, time, '
                       'since, reason, acknowledged, acknowledged_by, outage) '
                       'VALUES ' + ','.join(
                           f"('{camera}', 'signal-loss', {active}, {active}, 9, 5, {t}, {t}, "
                           f"'{reason}', {acknowledged}, '{by}', 1)"
                           for camera, active, t, reason, acknowledged, by in (
                               ('lost', 1, at, 'timed out', at, 'Ann'),
                               ('removed', 1, at, '', 0, ''),
                               ('removed', 0, at + 129 * 10**6, 'while nobody watched', 0, ''))))
        monitor.start()
        page = self.browse(monitor, '#events?condition=signal-loss')
        page.wait_for(f'/2 cameras[^]*1 of 2: Ann, /.test({ROWS}[0]?.innerText)')
        text = page.evaluate(f'{ROWS}[0].innerText')
        self.assertNotIn('at most', text)
        self.assertRegex(text, '(still active|not judged yet), 1 of 2 over')
        page.click(f'{ROWS}[0].querySelector("button")')
        page.wait_for(f'{ROWS}.some(row => /at most 3\\smin/.test(row.innerText))')
        # It was lost for another reason.
        page.wait_for(f'{ROWS}.some(row => /Timed out.*Now: cannot connect/.test(row.innerText))')
        reasons = {alarm['camera']: (alarm['reason'], alarm['present_reason'])
                   for alarm in monitor.json('alarms?condition=signal-loss')['alarms']}
        self.assertEqual(reasons['removed'], ('', ''))
        self.assertEqual(reasons['lost'], ('timed out', monitor.camera('lost')['reason']))
        self.assertIn('cannot connect', reasons['lost'][1])
        self.check_quiet(page)


class Again(Case):
    def test_noisy(self):
        """An alarm that comes back again and again is one row, which opens; others stay alone."""
        monitor = self.stored(STEADY, [
            *(('door', 3000 - 200 * i, 60) for i in range(12)), ('removed', 2000, 30),
            ('removed', 1700, 30), ('door', 9000, 30)])
        page = self.browse(monitor, '#events?period=6h&condition=dark')
        page.wait_for(f'{ROWS}.length === 4 && {ROWS}[0].innerText.includes("door ×12")')
        self.assertIn('Active for 12\u00a0min in all', page.evaluate(f'{ROWS}[0].innerText'))
        page.click(f'{ROWS}[0].querySelector("[aria-expanded]")')
        page.wait_for(f'{ROWS}.length === 16 && document.querySelectorAll(".member").length === 12')
        page.press('a')
        page.wait_for(f'{COUNT} === "15 alarms, 3 not acknowledged"')
        page.click(f'{ROWS}[0].querySelector("[aria-expanded]")')
        page.wait_for(f'{ROWS}.length === 4')
        self.check_quiet(page)

    def test_after_an_outage(self):
        """An alarm soon after one of an outage hides neither."""
        monitor = self.stored(STEADY, [('door', 3000, 60), ('door', 2000, 60)])
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, 'UPDATE events SET outage = 7 WHERE camera = \'door\' AND active '
                       f'AND abs(time / 1000000 - {time.time() - 3000}) < 60')
        monitor.start()
        page = self.browse(monitor, '#events?period=6h&condition=dark&camera=door')
        page.wait_for(f'{COUNT}.startsWith("2 alarms") && {ROWS}.length === 2')
        self.check_quiet(page)


class Notes(Case):
    def test_note(self):
        """The alarm of a camera is acknowledged with a note, which its activity shows."""
        monitor = self.monitor(config=CONFIG)
        common.wait_for(lambda: monitor.camera('lost')['active'], 'the loss of a signal')
        page = self.browse(monitor, '#camera/lost')
        button = ('[...document.querySelectorAll("#camera-alarms button")].find('
                  'b => b.textContent.includes("with a note") && b.checkVisibility())')
        page.wait_for(button)
        page.click(button)
        page.write('50 % off')
        page.press('Enter', '\r')
        page.wait_for(f'/acknowledged No video: 50.% off/.test({text_of("#actions")}) && !{button}')
        self.assertTrue(monitor.camera('lost')['active'][0]['acknowledged'])
        self.check_name(monitor, page)
        self.check_quiet(page)

    def check_name(self, monitor, page):
        """Where nobody logs in, the page asks once who acknowledges."""
        form = shown('#name-form')
        page.wait_for(f'{form}.length === 1')
        page.evaluate('document.querySelector("#name-form input").focus()')
        page.write('Ann & Bob')
        page.click('document.querySelector("#name-form button")')
        page.wait_for(f'{form}.length === 0')
        # The alarm that was acknowledged before the answer has the name, too, and its note.
        page.wait_for(f'{text_of("#camera-alarms")}.includes("Acknowledged by Ann & Bob, ")')
        lost = monitor.camera('lost')['active'][0]
        self.assertEqual((lost['acknowledged_by'], lost['note']), ('Ann & Bob', '50 % off'))
        self.assertEqual([a['user'] for a in monitor.json('actions')
                          if a['action'] == 'acknowledge'], ['Ann & Bob'])
        # It stays theirs.
        answer = monitor.ask(f'/api/v1/events/{lost["event"]}/acknowledge?by=Cid', 'POST')
        self.assertIn(b'"Ann & Bob"', answer.body)
        event = monitor.camera('lost')['active'][0]['event']
        for action in 'unacknowledge', 'acknowledge':
            page.evaluate('document.activeElement.blur()')
            page.press('a')
            common.wait_for(lambda a=action: monitor.json('actions')[0]['action'] == a, action)
        self.assertEqual({a['user'] for a in monitor.json('actions')}, {'Ann & Bob'})
        page.wait_for(f'{text_of("#camera-alarms")}.includes("Acknowledged by Ann & Bob, ")')
        page.evaluate('location.hash = "#"')
        page.wait_for(f'{text_of("article .state")}.startsWith("by Ann & Bob, ")')
        self.assertEqual(page.evaluate(f'{form}.length'), 0)
        answer = monitor.ask(f'/api/v1/events/{event}/unacknowledge?by=Cid', 'POST')
        self.assertEqual(answer.status, 200)
        self.assertEqual(monitor.json('actions')[0]['user'], 'Cid')


    def test_words(self):
        """A tile of the usual size breaks who acknowledged an alarm between words."""
        monitor = self.monitor(config=CONFIG)
        active = common.wait_for(lambda: monitor.camera('lost')['active'], 'the loss of a signal')
        monitor.ask(f'/api/v1/events/{active[0]["event"]}/acknowledge', 'POST')
        page = self.browse(monitor, width=1920, height=1080)
        page.wait_for('[...document.querySelectorAll(".grid .state")].some(state => '
                      'state.innerText.startsWith("by someone, "))')
        broken = '''[...document.querySelectorAll(".grid .state span")].flatMap(({ firstChild }) =>
            [...firstChild.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
              const range = document.createRange();
              range.setStart(firstChild, index);
              range.setEnd(firstChild, index + word.length);
              return range.getClientRects().length > 1;
            }).map(([word]) => word))'''
        self.assertEqual(page.evaluate(broken), [])
        self.check_quiet(page)


class Tiles(Case):
    def test_held(self):
        """After a click, Undo has the place of Acknowledge for a while, though the camera has
        another alarm."""
        monitor = self.monitor(config='[camera a]\nuri=test\nconditions=default;+monochrome\n'
                               'rules=dark,enter=0.001,leave=0.0005,duration=0s;'
                               'monochrome,enter=0.02,leave=0.01,duration=0s\n')
        common.wait_for(lambda: len(monitor.camera('a')['active']) == 2, 'two alarms')
        page = self.browse(monitor)
        button = 'document.querySelector("#tiles button.acknowledge")'
        page.wait_for(f'{button}?.textContent === "Acknowledge"')
        number = page.evaluate(f'{button}.dataset.event')
        page.click(button)
        page.wait_for(f'{button}.textContent === "Undo" && !{button}.ariaBusy.includes("true")')
        common.wait_for(lambda: any(c['acknowledged'] for c in monitor.camera('a')['active']),
                        'the server')
        time.sleep(2)
        self.assertEqual(page.evaluate(f'[{button}.textContent, {button}.dataset.event]'),
                         ['Undo', number])
        page.wait_for(f'{button}.textContent === "Acknowledge" && '
                      f'{button}.dataset.event !== "{number}"')


class Missed(Case):
    def test_missed(self):
        """The overview names alarms that came and went while nobody was there."""
        monitor = self.stored(STEADY, [('door', 3600, 60), ('door', 1800, 60), ('door', 900, 60)])
        monitor.stop()
        common.run_sql(monitor, 'UPDATE events SET quiet = 1 WHERE time > '
                       f'{time.time() - 950} * 1e6', 'UPDATE alarms SET is_to_do = 0 '
                       'WHERE number IN (SELECT number FROM events WHERE quiet)')
        monitor.start()
        common.wait_for(lambda: monitor.camera('lost')['active'], 'the loss of a signal')
        page = self.browse(monitor)
        missed = f'{shown("#missed")}.map(link => link.innerText).join()'
        page.wait_for(f'/^\\d+ alarms ended unacknowledged in 24 hours$/.test({missed})')
        # Whoever snoozes a camera has seen it.
        before = int(page.evaluate(missed).split()[0])
        for until, count in (int(time.time()) + 3600, before - 2), (0, before):
            monitor.ask(f'/api/v1/cameras/door/snooze?until={until}' if until else
                        '/api/v1/cameras/door/unsnooze', 'POST')
            page.wait_for(f'/^{count} alarm/.test({missed} || "0 alarms")')
        # So has whoever acknowledges it elsewhere.
        number = monitor.json('alarms?state=missed&camera=door')['alarms'][0]['event']
        for what, count in ('acknowledge', before - 1), ('unacknowledge', before):
            self.assertEqual(monitor.ask(f'/api/v1/events/{number}/{what}', 'POST').status, 200)
            page.wait_for(f'/^{count} alarm/.test({missed} || "0 alarms")')
        page.click('document.getElementById("missed")')
        # The list has just these, and not what is still active, as lost is, or was quiet.
        page.wait_for(f'{COUNT} === "{before} alarms, {before} not acknowledged"')
        exported = page.evaluate('fetch(document.getElementById("events-json").href)'
                                 '.then(answer => answer.json())')
        self.assertEqual(len(exported['alarms']), before)
        page.click('document.getElementById("events-all")')
        page.click('document.querySelector("#ask [value=yes]")')
        page.wait_for(f'{COUNT} === "No alarms match the filter."')
        page.evaluate('new Promise(done => setTimeout(done, 3500))')
        page.evaluate('location.hash = "#"')
        page.wait_for(f'document.querySelector(".strip svg") && !{missed}')
        self.check_quiet(page)

    def test_snoozed(self):
        """Nobody has to acknowledge a snoozed alarm, or one that ended because of a snooze."""
        monitor = self.monitor(config=CONFIG)
        common.wait_for(lambda: monitor.camera('lost')['active'], 'the loss of a signal')
        events = self.browse(monitor, '#events?condition=signal-loss')
        events.wait_for(f'{COUNT} === "1 alarm, 1 not acknowledged"')
        for n, what in ((2, f'snooze?until={int(time.time()) + 3600}&note=Roof'),
                        (3, 'unsnooze')):
            monitor.ask(f'/api/v1/cameras/lost/{what}', 'POST')
            common.wait_for(lambda n=n: len(monitor.json('alarms')['alarms']) == n, n)
            todo = monitor.json('alarms?state=unacknowledged')['alarms']
            self.assertEqual([a['event'] for a in todo], [] if n == 2 else [5])
            rest = 'none to acknowledge' if n == 2 else '1 not acknowledged'
            events.wait_for(f'{COUNT} === "{n} alarms, {rest}"')
            if n == 2:
                self.check_banner(monitor)
        self.assertRegex(monitor.json('alarms')['alarms'][-1]['end_reason'], '^snoozed .*: Roof$')
        page = self.browse(monitor)
        page.wait_for('document.querySelector(".strip svg .lost")')
        self.assertEqual(page.evaluate(shown('#missed') + '.length'), 0)
        self.check_quiet(page)


    def check_banner(self, monitor):
        """The page of a camera says of a snoozed alarm what it says of others, except its end."""
        page = self.browse(monitor, '#camera/lost')
        page.wait_for(f'/No video for \\d+.s · Snoozed until .*: Roof\\. Since \\d\\d:/.test('
                      f'{text_of("#camera-alarms")})')
        self.assertNotIn('alarm ends', page.evaluate(text_of('#camera-alarms')))
        page.wait_for("""new Set([...document.querySelectorAll(
            '#camera-alarms, #camera-list, #actions')].map(e =>
            /[Ss]nooze.* until (.*?): Roof/.exec(e.innerText.replace(/\\n/g, ' '))?.[1]
            )).size === 1""")


class Sizes(Case):
    def test_resized(self):
        """What suits a phone and what suits a screen follows the window, until somebody chooses."""
        page = self.browse(self.monitor(config=CONFIG))
        page.wait_for('document.querySelector("#tiles article")')
        density = 'document.getElementById("density").value'
        shows = 'document.getElementById("tiles").dataset.density'
        filters = 'document.getElementById("events-more").open'
        for width, height, wanted in (360, 740, 'list'), (1280, 720, 'medium'), (360, 740, 'list'):
            page.resize(width, height)
            page.wait_for(f'{density} === {wanted!r} && {shows} === {wanted!r} && '
                          f'{filters} === {"true" if width > 360 else "false"}')
        for name, value in ('order', 'name'), ('density', 'small'):
            page.evaluate(f'(list => {{ list.value = {value!r}; '
                          'list.dispatchEvent(new Event("change")); })'
                          f'(document.getElementById({name!r}))')
            wanted = value if name == 'density' else 'medium'
            page.resize(1280, 720)
            page.wait_for(f'{density} === {wanted!r} && {shows} === {wanted!r}')
        self.check_quiet(page)


    def test_header(self):
        """However many counts there are, and however long the news, the header is whole: the news
        has two lines at most, and the menu stays at the top right."""
        monitor = self.monitor(config='''[cameras]
[camera Parking deck number five, northern entrance, left lane, 2]
uri=rtsp://127.0.0.1:1/
[camera door]
uri=test
[camera dim]
uri=test:dark
rules=dark,duration=0s,enter=0.3,leave=0.1
[camera quiet]
uri=test
quiet=*@00:00-24:00
[camera snoozed]
uri=test
[camera gray]
uri=test
conditions=monochrome
rules=monochrome,duration=0s,enter=0.0001,leave=0.00005
''')
        monitor.ask(f'/api/v1/cameras/snoozed/snooze?until={int(time.time()) + 3600}', 'POST')
        page = self.browse(monitor, '#camera/door')
        page.wait_for(f'{shown("#news")}.length && {shown("#counts a")}.length >= 5 &&'
                      '/^Newest: Parking/.test(document.getElementById("news").title)')
        page.evaluate((common.HERE / 'layout.js').read_text())
        for width in 360, 768, 1024, 1100, 1280, 1366, 1440, 1600, 1920:
            page.resize(width, 720)
            with self.subTest(width):
                self.assertEqual(page.evaluate('[...layout.cut(), ...layout.crowded()]'), [])
                top, height, right, end = page.evaluate('''(() => {
                    const [menu, news, header] = ["#menu", "#news", "header"].map((part) =>
                        document.querySelector(part).getBoundingClientRect());
                    return [menu.top - header.top, news.height, menu.right, innerWidth];
                })()''')
                self.assertLess(top, 40)
                self.assertLess(end - right, 20)
                if width >= 1024:
                    self.assertLess(height, 50)
        self.check_quiet(page)


class Gaps(Case):
    """No alarms does not mean that all was well, if nobody watched."""

    def test_gap(self):
        monitor = self.monitor(config=STEADY)
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, f"""INSERT INTO minutes (camera, minute, frames, measured, average,
            low, high, active) VALUES ('door', {int(time.time()) // 60 - 1}, 1, 1, 0.5, 0, 1, 0)""")
        monitor.start()
        page = self.browse(monitor, '#camera/door')
        page.wait_for('document.querySelector("#levels:not([hidden]) .band")?.getAttribute("d")')
        # Before, it was new: nobody watched, but Alarms does not say so.
        page.wait_for(f'/^Watched since (... )?..:..[.]$/.test({text_of("#unwatched")})')
        striped = 'getComputedStyle(document.getElementById("timeline"))' \
            '.getPropertyValue("--watched")'
        self.assertRegex(page.evaluate(striped), r'^linear-gradient\(90deg, [^%]* 99[.]\d+%, ')
        self.assertNotIn('#0000', page.evaluate(striped))
        page.evaluate('location.hash = "#"')
        gaps = '[...document.querySelector("#tiles .strip")?.querySelectorAll(".gap") ?? []]'

        def hours(i):
            return f'{gaps}[{i}]?.getAttribute("d").split("h")[1]'

        before = 'document.querySelector("#tiles .strip .before")'
        page.wait_for(f'{before}?.getAttribute("width") > 23.9 && !{gaps}.length && '
                      f'{before}.textContent.startsWith("Watched since")')
        page.evaluate('location.hash = "#events"')
        page.wait_for(f'{COUNT} && !document.querySelector("#events-rows .gap")')
        page.open('about:blank')
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, 'UPDATE running SET time = time - 6000000000',
                       'UPDATE first_watched SET time = time - 10800000000', f"""INSERT INTO events
            (camera, condition, active, topic_active, value, threshold, time, since, reason)
            SELECT 'door', 'dark', 1, 1, 0.95, 0.9, t, t, '' FROM
            (SELECT {int(time.time() - 7200) * 10**6} AS t)""")
        monitor.start()
        common.wait_for(lambda: monitor.json('notices'), 'the notice')
        page.open(f'http://127.0.0.1:{monitor.port}/#events')
        row = 'document.querySelector("#events-rows .gap")'
        page.wait_for('/Not watched from .* to .*, at most 1.h (40|41).min/'
                      f'.test({row}?.innerText)')
        self.assertIn('did not run', page.evaluate(f'{row}.title'))
        page.wait_for(ROWS + '.some(row => /Ended: while nobody watched[^]*at most 2.h/'
                      '.test(row.innerText))')
        page.evaluate('location.hash = "#events?before=2026-01-01T00:00:00Z"')
        page.wait_for(f'{COUNT} === "No alarms match the filter." && !{row}')
        page.evaluate('location.hash = "#events?period=1h&filter=nothing"')
        page.wait_for(f'{COUNT} === "No alarms match the filter." && {row}.checkVisibility()')
        page.evaluate('location.hash = "#camera/door"')
        page.wait_for(f'{text_of("#unwatched")}.startsWith("Watched since ")')
        # The times are those of the notice, whatever the records of minutes are.
        self.assertTrue(page.evaluate('''Promise.all(["notices", "words"].map(name =>
            import(`${location.origin}/${name}.js`))).then(([{ gaps }, { clock }]) =>
            document.getElementById("unwatched").textContent.endsWith(`: ${
                [gaps()[0].begun, gaps()[0].ended].map((time) => clock(time, Date.now()))
                .join(" to ")}.`))'''))
        # Times of yesterday have a weekday.
        self.assertRegex(page.evaluate(text_of('#unwatched')),
                         r' since (... )?..:... Not watched: (... )?..:.. to (... )?..:..[.]$')
        page.wait_for('/at most 2.h.*ended: while nobody watched/.test('
                      f'{text_of("#camera-list")})')
        page.evaluate('location.hash = "#"')
        page.wait_for(f'{hours(0)} > 1.5 && {hours(0)} < 1.8 && '
                      f'Math.abs({before}.getAttribute("width") - 21) < 0.1')
        self.check_quiet(page)


class Limits(Case):
    def test_changed(self):
        """An alarm that another limit ends says so."""
        config = '[camera a]\nuri=test\nrules=dark,duration=0s,hold=0s,enter=0.05,leave=0.01\n'
        monitor = self.monitor(config=config)
        common.wait_for(lambda: monitor.camera('a')['active'], 'an alarm')
        monitor.config.write_text(config.replace('enter=0.05,leave=0.01', 'enter=0.9,leave=0.8'))
        monitor.reload()
        common.wait_for(lambda: monitor.json('alarms')['alarms'][0]['ended'], 'the end')
        self.assertEqual(monitor.json('alarms')['alarms'][0]['end_reason'], 'the limit was changed')
        page = self.browse(monitor, '#events')
        page.wait_for(f'{ROWS}[0]?.innerText.includes("Ended: the limit was changed")')
        page.evaluate('location.hash = "#camera/a"')
        page.wait_for(f'{text_of("#camera-list")}.includes("ended: the limit was changed")')
        self.check_quiet(page)


    def test_coded(self):
        """Where limits have no effect, none is offered, and what helps is said."""
        clip = self.clip(300, rate='10/1')
        monitor = self.monitor(config='[cameras]\nconditions=frozen;dark\n'
                               f'[camera coded]\nuri={clip}\n[camera raw]\nuri=test\n')
        for camera, apply in ('coded', False), ('raw', True):
            common.wait_for(lambda camera=camera: monitor.camera(camera)['conditions'][1]['value']
                          is not None, 'a value')
            frozen = [c for c in monitor.json(f'cameras/{camera}')['conditions']
                      if c['condition'] == 'frozen'][0]
            self.assertEqual(frozen['limits_apply'], apply)
            self.assertEqual(frozen['scale']['sentence'] ==
                             'The picture changes as usual for this camera.', not apply)
            answer = monitor.ask(f'/api/v1/cameras/{camera}/what-if?condition=frozen&enter=0.01')
            self.assertEqual(answer.status, 200 if apply else 400)
            if not apply:
                self.assertRegex(answer.json()['error'], 'compressed.*longer duration')
        page = self.browse(monitor, '#camera/coded')
        bar = 'document.querySelector("#conditions li[data-key=frozen]")'
        page.wait_for(f'/limits have no effect.*frozen,duration=1min/.test({bar}?.innerText)')
        visible = f'[...{bar}.querySelectorAll("button, .track")].filter(e => e.checkVisibility())'
        self.assertEqual(page.evaluate(f'{visible}.length'), 0)
        page.evaluate('location.hash = "#camera/raw"')
        page.wait_for(f'{visible}.length === 2')
        self.check_quiet(page)


class Words(Case):
    def test_duration(self):
        """Durations are rounded, not cut off."""
        page = self.browse(self.monitor(config=CONFIG))
        page.wait_for('document.querySelector("#tiles article")')
        wanted = {0: '0 s', 59.6: '60 s', 119: '119 s', 119.6: '2 min', 179: '3 min',
                  3569: '59 min', 3570: '1 h', 7198: '2 h', 8040: '2 h 14 min',
                  86369: '23 h 59 min', 86370: '1 d', 93599: '1 d 2 h', 172799: '2 d', -1: '0 s'}
        found = page.evaluate(f'''import(`${{location.origin}}/words.js`).then(
            ({{ duration }}) => {list(wanted)}.map(duration))''')
        self.assertEqual(found, list(wanted.values()))

    def test_period(self):
        """A short period has seconds, so that it does not start and end at the same time."""
        page = self.browse(self.monitor(config=CONFIG))
        page.wait_for('document.querySelector("#tiles article")')
        for end, wanted in (('06:30:29', '06:30:01 to 06:30:29'), ('06:40:02', '06:30 to 06:40')):
            self.assertEqual(page.evaluate(f'''import(`${{location.origin}}/words.js`).then(
                ({{ period }}) => period("2026-11-28T06:30:01", "2026-11-28T{end}",
                    new Date("2026-11-28T12:00")))'''), wanted)

    def test_capital(self):
        page = self.browse(self.monitor(config=CONFIG))
        page.wait_for('document.querySelector("#tiles article")')
        for text, wanted in (('too dark', 'Too dark'), ('', ''), ('no video: rtsp://a', 'No video: '
                             'rtsp://a'), ('rtsp://a rejected it', 'rtsp://a rejected it')):
            self.assertEqual(page.evaluate(f'''import(`${{location.origin}}/words.js`).then(
                ({{ capital }}) => capital({text!r}))'''), wanted)

    def test_amounts(self):
        """A value has the same digits wherever it is."""
        monitor = self.monitor(config='[camera a]\nuri=test\n'
                               'conditions=dark;bright;monochrome;noisy\n')
        page = self.browse(monitor, '#camera/a')
        page.wait_for('document.querySelector("#conditions li")')
        found = []
        for c in range(4):
            common.wait_for(lambda c=c: monitor.camera('a')['conditions'][c]['value'] is not None,
                          'a value')
            scale = monitor.camera('a')['conditions'][c]['scale']
            found.append(page.evaluate(f'''import(`${{location.origin}}/conditions.js`).then(
                ({{ amount }}) => amount({json.dumps(scale)}, {scale["value"]}))'''))
            self.assertRegex(scale['sentence'],
                             rf'(^| ){re.escape(found[-1].replace(chr(0xa0), " "))}[ ;]')
        self.assertIn('.', ''.join(found))
        self.check_quiet(page)


class Elsewhere(Case):
    """Whatever a page shows, what is wrong with other cameras is said, and a press away."""

    def test_news(self):
        monitor = self.monitor(config=CONFIG)
        common.wait_for(lambda: monitor.camera('lost')['active'], 'the loss of a signal')
        page = self.browse(monitor, '#camera/door')
        news = shown('#news')
        page.wait_for(f'/^Newest: lost, No video, since /.test({news}[0]?.innerText)')
        page.click(f'{news}[0]')
        page.wait_for('location.hash.startsWith("#camera/lost?alarm=") && '
                      f'!{news}.length && document.getElementById("curve-what").value === '
                      '"signal-loss"')
        page.evaluate('location.hash = "#?filter=door"')
        page.wait_for(f'{text_of("#counts .others")} === "Only “door” · 1 other camera to do"')
        page.click('document.querySelector("#counts .others")')
        page.wait_for('location.hash === "" && !document.querySelector("#counts .others")')
        page.wait_for('document.querySelectorAll("#tiles article").length === 3')
        # The tile has the reason.
        tile = 'document.querySelector("article[data-name=lost] .no-picture")'
        reason = monitor.camera('lost')['reason']
        self.assertEqual(page.evaluate(f'{tile}.textContent.toLowerCase()'), reason.lower())
        self.check_quiet(page)

    def test_long_notice(self):
        """A long message ends at a word, with a hint, and nothing of the page is pushed out."""
        monitor = self.monitor(config=STEADY)
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, *(f"INSERT INTO notices (time, text) VALUES ({time.time_ns()} / "
                                  f"1000, '{text}')" for text in ('word ' * 99, 'y' * 240)))
        monitor.start()
        page = self.browse(monitor, width=360, height=640)
        texts = '[...document.querySelectorAll("#notices p > span")].map(e => e.textContent)'
        page.wait_for(f'{texts}.length === 2')
        self.assertEqual(sorted(page.evaluate(texts)),
                         ['word ' * 47 + 'word … The log has the rest.', 'y' * 240])
        # It is whole.
        self.assertEqual(page.evaluate("""[...document.querySelectorAll("#notices p")].filter(
            (p) => p.scrollHeight > p.clientHeight).length"""), 0)
        self.check_quiet(page)


    def test_partly_snoozed(self):
        """The count of what is snoozed has a camera with another alarm, too."""
        monitor = self.monitor(config='[camera door]\nuri=test:dark\n'
                               'rules=dark,duration=0s,enter=0.3,leave=0.1\n')
        until = int(time.time()) + 3600
        monitor.ask(f'/api/v1/cameras/door/snooze?condition=moved&until={until}', 'POST')
        page = self.browse(monitor)
        counts = ('[...document.querySelectorAll("#counts a:not(.none)")].map(a => a.innerText'
                  '.replace(/\\s+/, " ")).join()')
        page.wait_for(f'{counts} === "1 impaired,1 snoozed"')
        page.evaluate('location.hash = "#?state=snoozed"')
        page.wait_for('document.querySelectorAll("#tiles article").length === 1 && '
                      f'{text_of("#overview-title")} === "1 snoozed"')
        self.check_quiet(page)

    def test_messages(self):
        """On a phone, messages are small, beside the views, and away from what was pressed last."""
        monitor = self.monitor(config=CONFIG)
        page = self.browse(monitor, width=360, height=640)
        page.wait_for('document.querySelector("#tiles article a")')
        page.evaluate('''import(`${location.origin}/state.js`).then(({say}) => {
            say("The camera “North gate” was removed from the key file, or renamed.", true);
            document.getElementById("name-form").hidden = false;
        })''')
        for y in 100, 500:
            page.evaluate(f'''document.body.dispatchEvent(new PointerEvent("pointerdown",
                {{ clientY: {y}, bubbles: true }}))''')
            for message in 'problem', 'name-form':
                place, nav = page.evaluate(f'''["#{message}", "nav"].map(part => {{
                    const r = document.querySelector(part).getBoundingClientRect();
                    return [r.top, r.bottom];
                }})''')
                self.assertLess(place[1] - place[0], 640 / 5, message)
                self.assertLessEqual(place[1], nav[0], message)
                self.assertTrue(place[0] > 320 if y == 100 else place[1] < 320, (message, y))
                self.assertFalse(page.evaluate(f'''(e => e.scrollHeight > e.clientHeight + 1)(
                    document.getElementById("{message}"))'''))
        self.check_quiet(page)


class Shape(Case):
    def row_of(self, page, element):
        """The lightness of the middle row of pixels of @element, as the browser renders it."""
        place = page.evaluate(f'(({{x, y, width, height}}) => ({{x, y, width, height}}))'
                              f'({element}.getBoundingClientRect())')
        picture = page.call('Page.captureScreenshot', format='png', clip={**place, 'scale': 1})
        return page.evaluate(f'''(async () => {{
            const bytes = Uint8Array.from(atob("{picture['data']}"), c => c.charCodeAt(0));
            const bitmap = await createImageBitmap(new Blob([bytes], {{type: "image/png"}}));
            const context = new OffscreenCanvas(bitmap.width, 1).getContext("2d");
            context.drawImage(bitmap, 0, -Math.floor(bitmap.height / 2));
            return [...context.getImageData(0, 0, bitmap.width, 1).data]
              .filter((_, i) => i % 4 === 1);
        }})()''')

    def is_whole(self, page, canvas):
        """Whether a white picture of 4:3 is between black bars."""
        width, height = page.evaluate(f'(({{width, height}}) => [width, height])'
                                      f'({canvas}.getBoundingClientRect())')
        row = self.row_of(page, canvas)
        white = [x for x, level in enumerate(row) if level > 200]
        bar = (width - height * 4 / 3) / 2
        return (bar > 10 and len(white) > 2 and abs(white[0] - bar) < 3
                and abs(white[-1] - width + bar) < 3 and len(white) == white[-1] - white[0] + 1
                and max(row[:white[0] - 2]) < 30)

    def test_whole(self):
        """A picture of 4:3 is shown whole in a tile of 16:9, between black bars."""
        monitor = self.monitor(f'narrow={self.clip(300, "white", "5/1")}',
                               config='[cameras]\nconditions=signal-loss\n')
        page = self.browse(monitor)
        for at, element in (('#', '#tiles canvas'), ('#wall', '#wall-tiles canvas'),
                            ('#camera/narrow', '#pictures canvas')):
            with self.subTest(at):
                canvas = f'document.querySelector({element!r})'
                page.evaluate(f'location.hash = {at!r}')
                page.wait_for(f'{canvas}?.dataset.picture && {canvas}.checkVisibility()')
                # It is shown, and moved to its place, a little later.
                common.wait_for(lambda c=canvas: self.is_whole(page, c), 'a whole picture')
        self.check_quiet(page)


class Together(Case):
    """Cameras of one host or group that are lost together are one line, with their names."""

    def test_outage(self):
        lost = ''.join(f'[camera {n}]\nuri=rtsp://127.0.0.1:1/{n}\n' for n in 'abc')
        monitor = self.monitor(config='[cameras]\nrules=signal-loss,enter=0.5,leave=0.3\n'
                               'conditions=signal-loss\n'
                               f'[camera well]\nuri=test\n{common.NEVER_LOST}'
                               + lost.replace('uri', 'group=Gates\nuri') +
                               '[camera alone]\nuri=rtsp://localhost:1/x\n')
        common.wait_for(lambda: all(monitor.camera(n)['active'] for n in ('a', 'b', 'c', 'alone')),
                        'the loss')
        page = self.browse(monitor)
        row = 'document.querySelector("#outages li")'
        place = '3 cameras on 127.0.0.1 in group Gates'
        page.wait_for(f'/^No video from {place} for \\d+.s[.] Since .*: a, b, c[.]/'
                      f'.test({row}?.querySelector("p").innerText)')
        self.assertEqual(page.evaluate('document.querySelectorAll("#outages li").length'), 1)
        self.assertEqual(page.evaluate('document.querySelectorAll("#tiles article").length'), 5)
        button = f'{row}.querySelector("button")'

        def press(words, after, *expected):
            page.wait_for(f'{button}.innerText === {words!r}')
            page.click(button)
            page.wait_for(f'{button}.innerText === {after!r} && !{button}.hidden')
            self.assertEqual([bool(monitor.camera(n)['active'][0]['acknowledged'])
                              for n in ('a', 'b', 'c', 'alone')], [*expected, False])
        press('Acknowledge all', 'Undo', True, True, True)
        # One of them is to do again.
        event = monitor.camera('a')['active'][0]['event']
        monitor.ask(f'/api/v1/events/{event}/unacknowledge', 'POST')
        press('Acknowledge all', 'Undo', True, True, True)
        press('Undo', 'Acknowledge all', False, False, False)
        # Somebody else acknowledges all, with a note: the row has it, and takes it back here, too.
        events = self.browse(monitor, '#events?group=Gates')
        numbers = ','.join(str(monitor.camera(n)['active'][0]['event']) for n in 'abc')
        monitor.ask(f'/api/v1/events/acknowledge?numbers={numbers}&note=Mast&by=Cid', 'POST')
        page.wait_for(f'/Acknowledged by Cid, ..:..: Mast[.]/.test({row}.innerText)')
        joined = f'{ROWS}[0]?.querySelector("button.acknowledge")'
        events.wait_for(f'{ROWS}[0].innerText.includes("Note: Mast") && {ROWS}[0].innerText'
                        f'.includes("Cid, ") && {joined}.innerText === "Undo"')
        events.click(joined)
        events.wait_for(f'{joined}.innerText === "Acknowledge all"')
        page.wait_for(f'{button}.innerText === "Acknowledge all"')
        page.click(f'{row}.querySelector("a")')
        page.wait_for('location.hash.startsWith("#?outage=") && '
                      'document.querySelectorAll("#tiles article").length === 3')
        # Among cameras of another state, nothing is said or offered about these.
        for state, n in ('ok', 0), ('lost', 1), ('snoozed', 0), ('todo', 1):
            page.evaluate(f'location.hash = "#?state={state}"')
            page.wait_for(f'location.hash.endsWith("state={state}") && '
                          f'document.querySelectorAll("#outages li").length === {n}')
        page.evaluate('location.hash = "#wall"')
        page.wait_for(f'/^Newest: (No video from {place}|alone, No video), since /'
                      f'.test({text_of("#wall-news")})')
        page.evaluate('location.hash = "#camera/b"')
        page.wait_for(f'{text_of("#camera-alarms")}.includes('
                      '"Lost together with 2 other cameras on 127.0.0.1 in group Gates.")')
        page.evaluate('location.hash = "#events?camera=a&camera=b"')
        page.wait_for(f'{text_of("#events-rows")}.includes("2 cameras")')
        self.check_quiet(page)


class Loss(Case):
    def check_clock(self, page):
        """The list of alarms counts on like the rows above the pictures."""
        seconds = """["#camera-alarms [data-kind=lost]", "#camera-list"].map(part => Number(
            /No video\\D*(?:..:..(?::..)?\\D*)*?(\\d+).s/.exec(document.querySelector(part)
            ?.innerText)?.[1])).join()"""
        for _ in range(2):
            before = page.evaluate(seconds)
            page.wait_for(f'(([a, b]) => a === b && `${{a}},${{b}}` !== "{before}")'
                          f'({seconds}.split(","))')

    def check_lasting(self, monitor, page, last):
        """What is before the loss lasts until then, and no longer."""
        [alarm] = monitor.json('alarms?condition=dark&state=active')['alarms']
        times = [datetime.datetime.fromisoformat(text.rstrip('Z'))
                 for text in (last['since'], last['last_seen'])]
        self.assertEqual(alarm['last_seen'], last['last_seen'])
        seconds = int(times[1].timestamp()) - int(times[0].timestamp())
        self.assertEqual(alarm['duration'], seconds)
        page.wait_for(f'/Too dark for {seconds}.s[.]/.test('
                      f'{text_of("#camera-alarms [data-kind=unjudged]")})')
        lines = monitor.ask('/api/v1/alarms?condition=dark&state=active&format=csv').body
        self.assertIn(f',0:00:{seconds:02},no,'.encode(), lines)

    def check_to_do(self, monitor, page):
        """What was active before the loss is to do, whoever has acknowledged the loss."""
        def to_do():
            return [a['condition'] for a in monitor.json('alarms?state=unacknowledged')['alarms']]

        [loss] = monitor.json('alarms?condition=signal-loss&state=active')['alarms']
        monitor.ask(f'/api/v1/events/{loss["event"]}/acknowledge?by=Ann', 'POST')
        self.assertEqual(to_do(), ['dark'])
        page.evaluate('location.hash = "#"')
        act = 'document.querySelector("#tiles .todo .act button")'
        page.wait_for(f'{act}?.ariaLabel === "Acknowledge door: Too dark" && '
                      f'{text_of("#overview-title")} === "1 camera to do" && '
                      'document.title === "(1) Cameras" && '
                      'document.querySelectorAll("#tiles article").length === 1')
        page.wait_for(f'{text_of("#news")} === "" || {text_of("#news")}.includes("Too dark")')
        time.sleep(1)  # a button that has just come is not pressed
        page.click(act)
        page.point({'x': 1, 'y': 1})  # no hand keeps the tiles
        page.wait_for(f'{text_of("#overview-title")} === "1 camera acknowledged" && '
                      'document.title === "Cameras" && !document.querySelector("#tiles .todo")')
        self.assertEqual(to_do(), [])
        page.evaluate('document.getElementById("name-form").hidden = true')

    def test_before(self):
        """While a camera gives no video, what it showed last is not present. If it is still there
        afterwards, its alarm goes on; if not, it ended when it was last seen."""
        dark, bright = self.clip(150, 'black'), self.clip(151)
        clip = self.folder / 'clip.avi'
        shutil.copy(dark, clip)
        monitor = self.monitor(config=f'''[camera door]
uri={clip}
conditions=dark;signal-loss
rules=dark,duration=0s,hold=0s;signal-loss,enter=3,leave=1,hold=0s
''')

        def states():
            return {c['condition']: c['unconfirmed'] for c in monitor.camera('door')['active']}

        common.wait_for(lambda: states() == {'dark': False}, 'dark')
        page = self.browse(monitor, '#camera/door')
        last = {}

        def measured():
            return [monitor.metrics()['videohistogram_health_state'
                                      f'{{camera="door",condition="{condition}"}}']
                    for condition in ('dark', 'signal-loss')]

        self.assertEqual(measured(), [1, 0])
        for source in dark, bright:
            clip.write_bytes(b'')
            common.wait_for(lambda: states() == {'dark': True, 'signal-loss': False}, 'the loss')
            camera = monitor.camera('door')
            last = next(c for c in camera['active'] if c['condition'] == 'dark')
            self.assertEqual(camera['severity'], 'lost')
            self.assertIsNone(last['value'])
            self.assertEqual(measured(), [0, 1])
            # The last frame may come shortly after the last one that was measured.
            seen, lost = (datetime.datetime.fromisoformat(text.rstrip('Z'))
                          for text in (last['last_seen'], camera['since']))
            self.assertLess(abs(lost - seen), datetime.timedelta(seconds=1))
            common.wait_for(lambda n=camera['reconnects']:
                            monitor.camera('door')['reconnects'] > n + 1, 'two attempts')
            self.assertEqual(monitor.camera('door')['since'], camera['since'])
            page.wait_for(f'/Too dark for .*From before the loss of video, last seen/.test('
                          f'{text_of("#camera-alarms [data-kind=unjudged]")})')
            page.wait_for(f'/Too dark[^]*before the loss/.test({text_of("#camera-list")})')
            self.check_clock(page)
            self.check_lasting(monitor, page, last)
            if source == dark:
                self.check_to_do(monitor, page)
            page.evaluate('location.hash = "#events"')
            page.wait_for(f'{ROWS}.some(row => /Too dark[^]*before the loss/.test(row.innerText))')
            for view in '#wall', '#':
                page.evaluate(f'location.hash = "{view}"')
                page.wait_for('/Too dark\\s*before the loss/.test('
                              f'{text_of("article .badge.unjudged")})')
            page.evaluate('location.hash = "#camera/door"')
            shutil.copy(source, clip)
            wanted = {'dark': False} if source == dark else {}
            common.wait_for(lambda w=wanted: states() == w, 'the end of the loss')
            self.assertEqual(measured(), [len(wanted), 0])
        [alarm] = monitor.json('alarms?condition=dark')['alarms']
        self.assertEqual((alarm['ended'], alarm['end_reason']),
                         (last['last_seen'], 'while there was no video'))
        self.assertIn(f'camera door: cleared after {alarm["duration"]} s: too dark',
                      monitor.output())
        self.check_quiet(page)


class Camera(Case):
    def test_past(self):
        """A row leads to its day. There, keys lead through alarms, and Now to the present."""
        monitor = self.stored()
        page = self.browse(monitor, '#events?camera=door&period=7d')
        page.wait_for(f'{ROWS}.length > 5')
        page.click(f'{ROWS}[2].querySelector("p a")')
        page.wait_for(f'{text_of("#camera-past")}.includes("07:00:00")')
        # From the alarm, a press leads to another limit for its condition.
        page.click('document.getElementById("past-try")')
        page.wait_for(f'{text_of("#trial-title")} === "Try another limit for “Too dark”" && '
                      'document.activeElement.id === "trial-limit"')
        page.press('Escape')
        page.wait_for('document.getElementById("trial").hidden')
        words = page.evaluate(text_of('#camera-past')).replace('\xa0', ' ')
        self.assertIn('Dark part of the picture: 95 %, with the limit of that time at 90 %. Switch '
                      'on a light', words.replace('\u00a0', ' '))
        self.assertEqual(page.evaluate(f'{shown("#camera .live")}.length'), 0)
        reference = text_of('[data-part=reference]')
        page.wait_for('/^Current reference · .* .none was kept with the alarm.$/'
                      f'.test({reference})')
        page.click('document.querySelector("#spans [data-key=month]")')
        marks = 'document.querySelectorAll("#lanes a").length'
        page.wait_for(f'{marks} > 20 && {marks} <= 31')
        self.assertGreaterEqual(page.evaluate(
            'Math.min(...[...document.querySelectorAll("#lanes a")].map(a => a.offsetWidth))'), 3)
        page.evaluate('document.querySelector("#lanes [tabindex=\'0\']").focus()')
        before = page.evaluate('location.hash')
        page.press('ArrowLeft')
        page.press('Enter', '\r')
        page.wait_for(f'location.hash !== {json.dumps(before)} && location.hash.includes("alarm=")')
        page.click('document.getElementById("past-now")')
        page.wait_for('!location.hash.includes("at=")')
        page.wait_for(f'{shown("#conditions li")}.length === 2')
        # The span that was chosen is kept, and one in the address counts.
        month = 'document.querySelector("#spans [data-key=month]").getAttribute("aria-pressed")'
        page.evaluate('location.hash = "#camera/lost?span=hour"')
        page.wait_for(f'{month} === "false"')
        page.evaluate('location.hash = "#camera/door"')
        page.wait_for(f'{month} === "true" && document.getElementById("earlier").href'
                      '.endsWith("&span=month")')
        page.open(f'http://127.0.0.1:{monitor.port}/#camera/door?at=yesterday')
        page.wait_for(f'{text_of("#problem-text")}.includes("“yesterday” is not a time")')
        self.check_quiet(page)

    def test_hour(self):
        """Alarms of the last minutes can be told apart and hit: in an hour, and several that are
        next to each other lead closer. Events go on from there."""
        ago = (3000, 1230, 1200, 1180, 130, 60, 20)  # s
        monitor = self.stored(extra=[('door', s, 10) for s in ago])
        page = self.browse(monitor, '#camera/door?span=month')
        marks = '[...document.querySelectorAll("#lanes .lane a")]'
        alarms = 'document.querySelectorAll("#camera-list li").length'
        page.wait_for(f'{alarms} > 20')
        for span, count in ('month', None), ('day', 1 + len(ago)), ('hour', len(ago)):
            with self.subTest(span):
                if span != 'month':
                    page.click(f'document.querySelector("#spans [data-key={span}]")')
                    page.wait_for(f'{alarms} === {count} || {alarms} === {count - 1}')
                overlaps = page.evaluate(f'''{marks}.map(a => a.getBoundingClientRect())
                    .filter((r, i, all) => r.width < 11 || (i && r.left < all[i - 1].right - 0.1))
                    .length''')
                self.assertEqual(overlaps, 0)
        times = page.evaluate('[...document.querySelectorAll("#camera-list time")]'
                              '.map(t => t.textContent.replace(/^... /, "").length)')
        self.assertEqual(times, [8, 8, 5, 8, 8, 8, 5])
        self.assertTrue(page.evaluate(f'document.getElementById("later").hidden && '
                                      f'document.getElementById("to-now").hidden'))
        page.click('document.querySelector("#spans [data-key=day]")')
        page.wait_for(f'{text_of("#axis")}.includes("18:00") && '
                      f'{marks}.at(-1).title.includes("alarms:")')
        page.click(f'{marks}.at(-1)')
        page.wait_for('location.hash.includes("span=hours")')
        page.click('document.getElementById("list-all")')
        page.wait_for('location.hash === "#events?camera=door&period=6h"')
        self.check_quiet(page)

    def test_curve(self):
        """The values of a condition, between its limits."""
        monitor = self.stored(STEADY)
        self.assertEqual(monitor.stop(), 0)
        minute = int(time.time()) // 60
        # dark, with 0.5 at worst and 0.25 at best, as limitrecord.c writes it
        common.run_sql(monitor, 'INSERT INTO minutes VALUES ' + ','.join(
            f"('door', {minute - m}, 60, 60, 0.5, 0.1, 0.9, 0, x'02007e007d')"
            for m in range(5, 600)))
        monitor.start()
        page = self.browse(monitor, '#camera/door')
        words = f'{text_of("#curve-words")}.replaceAll("\xa0", " ")'
        # The test picture itself is less dark.
        page.wait_for(f'/^Dark part of the picture: from [.0-9]+.% to 50.%, /.test({words})')
        self.assertEqual(page.evaluate('[...document.querySelectorAll("#curve b")]'
                                       '.map(b => b.textContent).join()'), '90\xa0%,80\xa0%')
        page.wait_for(f'/ to 50.%, each for 5.s or longer[.] Alarm/.test({words})')
        # An alarm has no value that its scale does not have.
        self.assertEqual(page.evaluate("""import("/conditions.js").then(({ fromRule }) =>
            [0.7, 1.2, 0].map((value) => Math.round(fromRule({ enter: 0.7, leave: 0.5,
            scale: { enter: 30, leave: 50, least: 0 } }, value))).join())"""), '30,0,100')
        # The whole name of each condition is in the list.
        self.assertTrue(page.evaluate("""[...document.getElementById("curve-what").options].every(
            ({ text }) => { const paper = document.createElement("canvas").getContext("2d");
              const list = getComputedStyle(document.getElementById("curve-what"));
              paper.font = list.font;
              return paper.measureText(text).width < parseFloat(list.width) - 40; })"""))
        d = page.evaluate('document.querySelector("#curve .values").getAttribute("d")')
        self.assertGreater(d.count('M'), 590)
        page.evaluate('''(() => { const list = document.getElementById("curve-what");
            list.value = "signal-loss"; list.dispatchEvent(new Event("change")); })()''')
        page.wait_for(f'{words}.startsWith("Time without a frame")')
        self.check_quiet(page)

    def test_ending(self):
        """While an alarm waits for its end, the page says what the picture shows now."""
        monitor = self.monitor(config=CONFIG)
        page = self.browse(monitor, '#camera/door')
        page.wait_for('document.querySelector("#pictures canvas").dataset.picture')
        said = page.evaluate('''Promise.all(["state", "camera"].map(name =>
            import(`${location.origin}/${name}.js`))).then(([{cameras}, {view}]) =>
            [0.1, 0.4, null].map(value => {
                const scale = { value, enter: 0.1, leave: 0.2, sentence: "It says this." };
                cameras.get("door").active = [{ condition: "frozen", words: "picture frozen",
                    severity: "impaired", since: new Date().toISOString(), advice: "Restart it",
                    scale, event: 1 }];
                view.update();
                return document.querySelector("[data-part=now] figcaption").innerText + "|" +
                    document.getElementById("camera-alarms").innerText;
            }))''')
        self.assertRegex(said[0], r'^The same picture since (.|\n)*It says this\. Restart it\.')
        self.assertRegex(said[1], r'^Now · (.|\n)*It says this\.(?!.* Restart)')
        self.assertRegex(said[2], r'^Now · (.|\n)*It says this\. Restart it\.')
        self.check_quiet(page)

    def test_key_frames(self):
        """Key frames are up to a minute apart: a picture of 20 s ago is the one of now, and of
        another camera it is the last one."""
        monitor = self.monitor(config=CONFIG)
        page = self.browse(monitor, '#camera/door')
        page.wait_for('document.querySelector("#pictures canvas").dataset.picture')
        words = page.evaluate('''Promise.all(["state", "camera"].map(name =>
            import(`${location.origin}/${name}.js`))).then(([{cameras}, {view}]) => {
            const real = Date.now;
            Date.now = () => real() + 20000;
            const said = ["all", "keyframes"].map(decode => {
                cameras.get("door").decode = decode;
                view.update();
                return document.querySelector("[data-part=now] figcaption").innerText +
                  document.getElementById("camera-state").innerText;
            });
            Date.now = real;
            return said;
        })''')
        self.assertRegex(words[0], r'^Last picture · .* no frame for \d+.s$')
        self.assertRegex(words[1], r'^Now · .* live, judged by key frames$')
        self.check_quiet(page)

    def test_last_picture(self):
        """The last picture is the last one of the program, also if this page got none since."""
        monitor = self.monitor(config=CONFIG)
        page = self.browse(monitor, '#camera/door')
        page.wait_for('document.querySelector("#pictures canvas").dataset.picture')
        said = page.evaluate('''Promise.all(["state", "camera", "tile", "words"].map(name =>
            import(`${location.origin}/${name}.js`))).then(([{cameras}, {view}, tiles, words]) => {
            const real = Date.now;
            const picture = real() + 120000;
            Date.now = () => real() + 600000;
            cameras.get("door").picture = new Date(picture).toISOString();
            view.update();
            const tile = tiles.makeTile({ name: "door" });
            tile.querySelector("canvas").dataset.picture = 1;
            tiles.updateTile(tile, cameras.get("door"));
            const all = ["[data-part=now] figcaption", ".age"].map((part, i) =>
                (i ? tile : document).querySelector(part).textContent);
            all.push(words.clock(picture, Date.now()));
            Date.now = real;
            return all;
        })''')
        self.assertEqual(said[:2], [f'Last picture · {said[2]}', f'last picture {said[2]}'])
        self.check_quiet(page)

    def test_moved(self):
        """An alarm says what to do. Of a camera that moved, that may be to relearn."""
        monitor = self.monitor(config=CONFIG.replace('conditions=', 'conditions=moved;'))
        page = self.browse(monitor, '#camera/door')
        page.wait_for(f'{text_of("#camera-alarms")}.includes("Nothing is wrong")')
        page.wait_for(f'{text_of("#conditions")}.includes("Camera moved")')
        words = page.evaluate('''Promise.all(["state", "camera"].map(name =>
            import(`${location.origin}/${name}.js`))).then(([{cameras}, {view}]) => {
            cameras.get("door").active = [{...cameras.get("door").conditions.find(c =>
              c.condition === "moved"), scale: null, since: new Date().toISOString(), event: 1}];
            view.update();
            [...document.querySelectorAll("#camera-alarms button")].find(b =>
              b.textContent === "Relearn…" && b.checkVisibility()).click();
            return document.getElementById("camera-alarms").innerText +
              document.getElementById("ask").innerText;
        })''')
        self.assertIn('If the camera was moved on purpose, relearn the reference.', words)
        self.assertIn('Relearn the reference of door?', words)
        # It would be wrong to keep the user from the only remedy.
        self.assertNotIn('Something is wrong', words)
        self.check_quiet(page)

    def test_phone(self):
        """The first screen has what is wrong, since when, and the picture."""
        monitor = self.monitor(config='[camera hall, with a name that takes two lines]\n'
                               'uri=test:dark\ngroup=Gates\nrules=dark,duration=0s,enter=0.3,'
                               'leave=0.1\n')
        page = self.browse(monitor, width=360, height=640)
        page.wait_for('document.querySelector("#tiles article a")')
        page.evaluate('location.hash = document.querySelector("#tiles article a").hash')
        page.wait_for(f'{text_of("#camera-alarms")}.includes("Too dark for") && '
                      f'{text_of("#camera-alarms")}.includes("Since ") && '
                      'document.querySelector("#pictures canvas").dataset.picture')
        bottom = '''document.querySelector("#pictures canvas").getBoundingClientRect().bottom <
            document.querySelector("nav").getBoundingClientRect().top'''
        page.wait_for(bottom)
        self.assertLessEqual(page.evaluate(f'''{shown("#camera button")}.filter(b =>
            b.getBoundingClientRect().top < 590).length'''), 3)
        # Whatever is beside it, the label of an alarm is whole.
        page.wait_for('document.querySelector("#camera-list .badge")')
        self.assertEqual(page.evaluate('''[...document.querySelectorAll("#camera-list li")].filter(
            (row) => { row.querySelector(".what").textContent =
                "23 s, still active · at 31 % · acknowledged by a user with a long name";
            const badge = row.querySelector(".badge");
            return badge.offsetWidth < badge.scrollWidth || badge.offsetHeight > 40 ||
                badge.getBoundingClientRect().right > row.getBoundingClientRect().right;
        }).length'''), 0)
        names = page.evaluate(f'{shown("#camera button")}.map(b => b.ariaLabel ?? b.innerText)')
        self.assertEqual(len(names), len(set(names)))
        self.check_quiet(page)

    def test_snooze(self):
        """Keys snooze the camera until the morning, and a press takes it back."""
        monitor = self.monitor(config=CONFIG)
        page = self.browse(monitor, '#camera/door')
        page.wait_for(f'{shown("#camera-snooze")}.length')
        page.click('document.getElementById("camera-snooze")')
        # A second Enter snoozes nothing; after the note, the next morning is first.
        self.assertEqual(page.evaluate('document.activeElement.id'), 'snooze-what')
        page.evaluate(f'document.getElementById("snooze-note").value = {HOSTILE!r}')
        for _ in range(2):
            page.press('Tab')
        self.assertRegex(page.evaluate('document.activeElement.textContent'), r'Until (\w+ )?08:00')
        page.press('Enter', '\r')
        page.wait_for(f'{text_of("#camera-alarms")}.includes("The whole camera · Snoozed until")')
        self.assertTrue(monitor.camera('door')['snoozed'])
        page.wait_for('document.activeElement.id === "camera-title"')
        page.wait_for(f'/snoozed the camera until .*: {HOSTILE}/.test({text_of("#actions")})')
        # One line says so, and one button ends it.
        self.assertEqual(page.evaluate(f'{shown("#camera-said, #camera-undo")}.length'), 0)
        page.click('[...document.querySelectorAll("#camera-alarms button")].find('
                   'b => b.textContent === "End the snooze" && b.checkVisibility())')
        page.wait_for(f'!{text_of("#camera-alarms")}.includes("Snoozed until")')
        self.assertIsNone(monitor.camera('door')['snoozed'])
        page.click('document.getElementById("camera-snooze")')
        page.evaluate('''(() => { const list = document.getElementById("snooze-what");
            list.value = "=dark"; list.dispatchEvent(new Event("change")); })()''')
        page.wait_for(f'{text_of("#quiet-line")} === "quiet=dark@22:00-06:00"')
        # Times have 24 hours, and wrong ones are refused.
        until = 'document.querySelector("#snooze-until .hours")'
        self.assertEqual(page.evaluate(f'{until}.value'), '08:00')
        self.assertEqual(page.evaluate('''["24:00", "8 PM", "08:60", "23:59", "7:05"].filter(t => {
            document.querySelector("#snooze-until .hours").value = t;
            return document.querySelector("#snooze-until .hours").checkValidity();
        }).join()'''), '23:59,7:05')
        page.click('document.querySelector("#snooze [class=tools] button:not([type])")')
        common.wait_for(lambda: [c for c in monitor.camera('door')['conditions']
                                 if c['condition'] == 'dark' and c['quiet']], 'a snooze of dark')
        # It is not active: somebody has to see that nobody would hear of it, and to end that.
        alarms = text_of('#camera-alarms')
        page.wait_for(f'/Nothing is wrong[^]*Too dark · Snoozed until/.test({alarms})')
        page.evaluate('location.hash = "#?state=snoozed"')
        page.wait_for(f'{text_of("article .badge.snoozed")}.startsWith("Snoozed: Too dark")')
        self.assertEqual(page.evaluate(text_of('#overview-title')), '1 snoozed')
        page.evaluate('location.hash = "#camera/door"')
        page.wait_for(f'{alarms}.includes("Too dark · Snoozed until")')
        page.click('[...document.querySelectorAll("#camera-alarms button")].find('
                   'b => b.textContent === "End the snooze" && b.checkVisibility())')
        page.wait_for(f'!{alarms}.includes("Snoozed until")')
        self.assertEqual(monitor.camera('door')['snoozed_conditions'], [])
        self.check_quiet(page)

    def test_after_snooze(self):
        """What is still active when a snooze ends is not new: the page says since when it is."""
        monitor = self.monitor(config='[camera hall]\nuri=test:dark\nconditions=dark\n'
                               'rules=dark,duration=0s,enter=0.3,leave=0.1\n')
        common.wait_for(lambda: monitor.camera('hall')['active'], 'an alarm')
        page = self.browse(monitor)
        badge = 'document.querySelector("article .badge.new .more")?.textContent'
        page.wait_for(f'{badge} === "New"')
        page.evaluate("""window.said = []; window.Notification = function (title, { body }) {
            said.push(`${title}: ${body}`); this.addEventListener = () => {}; };""")
        page.evaluate('document.getElementById("notify").checked = true')
        since = monitor.camera('hall')['active'][0]['since']
        for action in f'snooze?until={int(time.time()) + 3600}', 'unsnooze':
            self.assertEqual(monitor.ask(f'/api/v1/cameras/hall/{action}', 'POST').status, 200)
            common.wait_for(lambda q=action != 'unsnooze': monitor.json('events')[-1]['quiet'] == q
                            and monitor.json('events')[-1]['active'], action)
        page.wait_for(f'{badge} === "Still active"')
        # It was never over.
        self.assertNotIn('cleared', monitor.output())
        self.assertRegex(monitor.output(), r'hall: now quiet after \d+ s: too dark .*: snoozed '
                         r'until (?s:.*)hall: no longer quiet after \d+ s: too dark ')
        page.wait_for('/^hall: Too dark, still active: Still active since .*: it is no longer '
                      'quiet$/.test(said.join())')
        self.assertEqual(monitor.camera('hall')['active'][0]['active_since'], since)
        page.evaluate('location.hash = "#camera/hall"')
        page.wait_for(f'/^Too dark for .* Still active since .*; quiet until /.test('
                      f'{text_of("#camera-alarms")})')
        page.wait_for(f'/^[^·]*Too dark\\s*still active since /.test({text_of("#camera-list")})')
        # A frozen picture is as old as the condition, too.
        self.assertEqual(page.evaluate('import("/state.js").then(({ frozenSince }) => frozenSince('
                                       '{ active: [{ condition: "frozen", since: 2, '
                                       'active_since: 1, scale: { value: 1, enter: 1, leave: 2 } '
                                       '}] }))'), 1)
        self.check_quiet(page)

    def test_limits(self):
        """Each condition has its bar. Another limit is tried on the history, and gives its rule."""
        monitor = self.monitor(config=CONFIG)
        page = self.browse(monitor, '#camera/door')
        bar = '[...document.querySelectorAll("#conditions li")].find(b => b.dataset.key === "dark")'
        page.wait_for(f'{bar}?.innerText.includes("Alarm after 5\\u00a0s above 90\\u00a0%")')
        self.assertFalse(page.evaluate(shown('#trial') + '.length'))
        page.click(f'{bar}.querySelector("button")')
        page.wait_for(f'{text_of("#trial-words")}.endsWith("as now")')
        self.assertFalse(page.evaluate(shown('#trial-rule') + '.length'))
        title = text_of('#trial-title')
        page.press('ArrowLeft')
        page.wait_for(f'/^Make .* more sensitive$/.test({title})')
        for _ in range(11):
            page.press('ArrowRight')
        page.wait_for(f'/^Make .* less sensitive$/.test({title})')
        page.wait_for(f'{text_of("#trial-line")} === "rules=dark,enter=0.95,leave=0.84"')
        self.assertEqual(page.evaluate(text_of('#trial-words')).replace('\xa0', ' '), 'Alarm after '
                         '5 s above 95 %, ends after 5 s below 84 %. Now: alarm after 5 s above '
                         '90 %, ends after 5 s below 80 %.')
        self.assertIn('enter=0.95 is 95\xa0%', page.evaluate(text_of('#trial-units')))
        self.assertIn('still needs 5\u00a0s to start', page.evaluate(text_of('#trial-duration')))
        words = page.evaluate(text_of('#trial-rule'))
        self.assertIn(str(monitor.config), words)
        self.assertRegex(words, rf'videohistogram-monitor --reload={monitor.process.pid}\b')
        self.assertFalse(page.evaluate(shown('#trial-now') + '.length'))
        # The line is put into the key file.
        monitor.config.write_text(CONFIG.replace(
            'group=Gates', 'group=Gates\nrules=dark,enter=0.95,leave=0.84,duration=7s'))
        monitor.reload()
        page.wait_for(f'/above 95\u00a0%.* below 84\u00a0%, as now$/.test('
                      f'{text_of("#trial-words")})')
        self.assertIn('still needs 7\u00a0s to start', page.evaluate(text_of('#trial-duration')))
        # The curve does not wait until the history is loaded again.
        begin = time.monotonic()
        page.wait_for(f'/after 7.s above 95/.test({text_of("#curve-words")})')
        self.assertLess(time.monotonic() - begin, 30)
        self.check_quiet(page)

    def test_snooze_after_reload(self):
        """The open form to snooze follows a reload, and never is about another condition than the
        one that was chosen."""
        monitor = self.monitor(config=STEADY)
        page = self.browse(monitor, '#camera/door')
        what = 'document.getElementById("snooze-what")'
        choices = f'[...{what}.options].map(o => o.value).join()'
        page.wait_for(f'{text_of("#conditions")}.includes("dark")')
        page.click('document.getElementById("camera-snooze")')
        self.assertEqual(page.evaluate(choices), '=,=signal-loss,=dark')
        for conditions in 'dark;signal-loss;bright', 'dark;signal-loss':
            monitor.config.write_text(STEADY.replace('dark;signal-loss', conditions))
            monitor.reload()
            if 'bright' in conditions:
                page.wait_for(f'{choices} === "=,=signal-loss,=dark,=bright"')
                page.evaluate(f'{what}.value = "=bright"')
        page.wait_for(shown('#snooze') + '.length === 0')
        self.check_quiet(page)

    def test_held_back(self):
        """What another condition holds back is not nothing."""
        monitor = self.monitor(config=CONFIG)
        page = self.browse(monitor, '#camera/door')
        page.wait_for(f'{text_of("#camera-alarms")}.includes("Nothing is wrong.")')
        words = page.evaluate('''Promise.all(["state", "camera"].map(name =>
            import(`${location.origin}/${name}.js`))).then(([{cameras}, {view}]) => {
            const dark = cameras.get("door").conditions.find(c => c.condition === "dark");
            dark.held_back_by = ["signal-loss"];
            dark.scale.value = dark.scale.enter + 1;
            view.update();
            return [document.getElementById("camera-unknown").innerText,
              document.getElementById("camera-alarms").innerText];
        })''')
        self.assertIn('No alarm because of No video: Too dark.', words[0])
        self.assertNotIn('Nothing is wrong', words[1])
        self.check_quiet(page)

    def test_pending(self):
        """A value that is past its limit, but not for long enough yet, is shown as that."""
        monitor = self.monitor(config='[camera a]\nuri=test\nconditions=dark\n'
                               'rules=dark,enter=0.001,leave=0.0005,duration=40s\n')

        def dark():
            return monitor.camera('a')['conditions'][0]

        common.wait_for(lambda: dark()['pending_since'], 'a pending start')
        page = self.browse(monitor, '#camera/a')
        words = r'past its limit of 0.1\u00a0% for \d+\u00a0s; an alarm after 40\u00a0s'
        page.wait_for(f'/^OK Too dark: {words}\\.$/.test({text_of("#camera-alarms p")})')
        hint = text_of('#conditions .hint')
        page.wait_for(f'/^Dark part of the picture: {words}\\./.test({hint})')
        page.wait_for(f'{text_of("#camera-alarms p")}.startsWith("Too dark for ")')
        self.assertIsNone(dark()['pending_since'])
        page.wait_for(f'!{hint}.includes("past its limit")')
        self.check_quiet(page)

    def test_first(self):
        """The page shows the alarm that a tile shows first, or the one that the address names."""
        monitor = self.monitor(config='[camera a]\nuri=test\nconditions=dark;monochrome\n'
                               'rules=dark,enter=0.001,leave=0.0005,duration=0s;'
                               'monochrome,enter=0.2,leave=0.1,duration=3s\n')
        common.wait_for(lambda: len(monitor.camera('a')['active']) == 2, 'two alarms')
        later = [c for c in monitor.camera('a')['active'] if c['condition'] == 'monochrome'][0]
        page = self.browse(monitor, f'#camera/a?alarm={later["event"]}')
        for at, condition in (None, 'monochrome'), ('#camera/a', 'dark'):
            if at:
                page.evaluate(f'location.hash = "{at}"')
            page.wait_for(f'document.getElementById("curve-what").value === "{condition}" && '
                          'document.querySelector("#camera-list [aria-current]")')
        self.check_quiet(page)

    def test_order(self):
        """A condition stays on top after its alarm, for those who come to look for it; and what is
        not judged is said."""
        monitor = self.stored(STEADY, extra=(('door', 600, 60),))
        page = self.browse(monitor, '#camera/door')
        first = text_of('#conditions li')
        page.wait_for(f'{first}.startsWith("Too dark")')
        page.evaluate('location.hash = "#camera/lost"')
        page.wait_for(f'{first}.startsWith("No video")')
        unknown = text_of('#camera-unknown')
        self.assertEqual(page.evaluate(unknown), '')
        page.evaluate('location.hash = "#camera/door"')
        page.wait_for(f'{first}.startsWith("Too dark") && '
                      f'{text_of("#camera-state")}.includes("live")')
        self.assertEqual(page.evaluate('''Promise.all(["state", "camera"].map(name =>
            import(`${location.origin}/${name}.js`))).then(([{cameras}, {view}]) => {
            Object.assign(cameras.get("door").conditions.find(c => c.condition === "dark"),
              { unknown: "no-contents",
                scale: { sentence: "Not judged: the picture has too few details." } });
            view.update();
            return document.getElementById("camera-unknown").innerText;
        })'''), 'Not judged: Too dark (the picture has too few details).')
        self.check_quiet(page)

    def test_running_alarm(self):
        """A trial says what becomes of the alarm that is active."""
        monitor = self.monitor(config=CONFIG.replace('conditions=dark', 'conditions=monochrome')
                               .replace('group=Gates', 'rules=monochrome,enter=0.2,leave=0.1,'
                                        'duration=0s'))
        page = self.browse(monitor, '#camera/door')
        button = 'document.querySelector("#conditions li.active button")'
        page.wait_for(button)
        page.click(button)
        # Between the limits that the trial makes of 35, the alarm goes on.
        for value, words, hidden in (
                (80, 'the active alarm ends after 5 s.', True),
                (35, 'continues, and ends after 5 s below ', True),
                (22, 'continues, and ends after 5 s below 11', False)):
            page.evaluate(f'''(() => {{ const slider = document.getElementById("trial-limit");
                slider.value = {value}; slider.dispatchEvent(new Event("input")); }})()''')
            page.wait_for(f'{text_of("#trial-now")}.replaceAll("\xa0", " ").includes({words!r})')
            self.assertEqual('would not have come' in page.evaluate(text_of('#trial-answer')),
                             hidden)
        # A snooze of the camera ends by one button, whatever it has quiet.
        page.click('document.getElementById("camera-snooze")')
        page.click('document.querySelector("#snooze-times button")')
        quiet = '[...document.querySelectorAll("#camera-alarms li")].filter(' \
            'row => row.innerText.includes("Snoozed until"))'
        page.wait_for(f'{quiet}.length === 2')
        # On a busy machine, an answer from before the snooze may come after it.
        page.wait_for(f'{shown("#camera-alarms button")}.map(b => b.innerText).join() === '
                      '"End the snooze"')
        self.check_quiet(page)

    def test_pictures(self):
        """Any two pictures are compared with a slider between them; the full one and scopes come
        on demand."""
        monitor = self.monitor(config=CONFIG)
        page = self.browse(monitor, '#camera/door')
        page.wait_for('document.querySelector("#pictures canvas").dataset.picture')
        page.wait_for('document.querySelector("[data-part=reference] img").naturalWidth')
        page.click('document.querySelector("[data-key=reference-now]")')
        parts = f'{shown("#pictures figure")}.map(f => f.dataset.part).join()'
        self.assertEqual(page.evaluate(parts), 'reference,now')
        # It comes once the page has shown both pictures.
        page.wait_for(f'{shown("#wiper")}.length')
        page.evaluate('document.getElementById("wiper").focus()')
        page.press('ArrowRight')
        page.wait_for('document.getElementById("pictures").style.getPropertyValue("--wipe") > .5')
        page.click('document.getElementById("full-size")')
        picture = 'document.querySelector("#picture-dialog img")'
        page.wait_for(f'{picture}.naturalWidth === 640 && '
                      f'{text_of("#picture-words")}.includes("640×360")')
        page.click('document.querySelector("#picture-kinds [data-key=vectorscope]")')
        page.wait_for(f'{picture}.naturalWidth === 480')
        page.press('Escape')
        page.wait_for(f'!{shown("#picture-dialog")}.length')
        page.open(f'http://127.0.0.1:{monitor.port}/#camera/lost')
        page.wait_for(f'{text_of("#camera-alarms")}.includes("No video for")')
        self.assertEqual(page.evaluate(f'{shown("#pictures, #full-size, #scopes")}.length'), 0)
        page.press('f')
        self.assertEqual(page.evaluate(f'{shown("#picture-dialog")}.length'), 0)
        self.assertEqual(page.evaluate(f'{shown("img")}.filter(i => !i.naturalWidth).length'), 0)
        self.check_quiet(page)

    def test_viewer(self):
        """Viewers see no buttons that the server would refuse; a camera that goes says so."""
        self.write('o', OPERATOR)
        self.write('v', VIEWER)
        config = f'{CONFIG}[http]\nlisten=127.0.0.1:0\nsecret=o\nviewer-secret=v\n'
        monitor = self.monitor(config=config, listen=False)
        page = self.browse(monitor, 'login')
        page.wait_for('document.querySelector("input[type=password]")')
        page.evaluate('document.querySelector("input[type=password]").focus()')
        page.write(VIEWER)
        page.press('Enter', '\r')
        title = 'document.getElementById("overview-title")?.textContent'
        page.wait_for(f'{title} === "1 camera not acknowledged"')
        self.assertEqual(page.evaluate('document.getElementById("user").innerText'), 'Viewer')
        menu = 'document.getElementById("menu").open'
        page.click('document.querySelector("#menu summary")')
        self.assertIn('You are logged in as a viewer', page.evaluate(text_of('#menu')))
        for at in '#events', '#':
            page.evaluate(f'document.getElementById("menu").open = true; location.hash = {at!r}')
            page.wait_for(f'!{menu}')
        page.click('document.querySelector("#menu summary")')
        self.assertNotIn('to do', page.evaluate(text_of('body')).lower())
        page.press('?')
        self.assertNotIn('acknowledge', page.evaluate(text_of('#help-dialog')))
        page.press('Escape')
        page.evaluate('location.hash = "#camera/lost"')
        page.wait_for(f'{text_of("#camera-alarms")}.includes("No video for")')
        words = page.evaluate(f'{shown("button")}.map(b => b.innerText).join()')
        for word in 'Acknowledge', 'nooze', 'Relearn', 'Try another':
            self.assertNotIn(word, words)
        # The key file is no business of theirs.
        monitor.config.write_text(config + '[y]\n')
        monitor.process.send_signal(signal.SIGHUP)
        page.wait_for('fetch("api/v1/notices").then(r => r.json()).then(n => n.length === 1)')
        self.assertEqual(page.evaluate(text_of('#messages')), '')
        monitor.config.write_text(config.replace('[camera lost]\nuri=rtsp://127.0.0.1:1/\n', ''))
        monitor.reload()
        page.wait_for(f'{text_of("#camera-state")}.startsWith("Not watched any more")')
        self.assertEqual(page.evaluate(f'{shown("#conditions li")}.length'), 0)
        # The page may have asked for the camera before it knew.
        page.problems = [p for p in page.problems if '404' not in p]
        self.check_quiet(page)


if __name__ == '__main__':
    if not browser.path():
        common.skip('Chromium is not installed')
    common.main()
