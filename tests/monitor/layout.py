#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the page looks, in Chromium: in windows from that of a phone to that of a large screen, dark
and light, with one to 200 cameras of real footage, nothing is cut off, nothing overlaps, and
everything is legible, has a name and a role, and is reached with the keyboard. TEST_LONG tries all
combinations."""

import datetime
import itertools
import os
import pathlib
import subprocess
import unittest

import browser
import common

DATA = pathlib.Path(os.environ.get('TEST_DATA') or common.HERE.parents[2] / 'shared/data')
FOOTAGE = (DATA / 'cctv-768x576.avi',
           pathlib.Path('/usr/share/doc/opencv-doc/examples/data/vtest.avi'))
SCRIPT = (common.HERE / 'layout.js').read_text()
AXE = pathlib.Path(os.environ.get('TEST_AXE', ''))
MISSING_AXE = 'there is no axe-core: pipelines/setup --tests fetches it'

SIZES = {360: 640, 1280: 720, 1920: 1080, 3840: 2160}
NUMBERS = (1, 16, 64, 200)
SCHEMES = ('light', 'dark')
LONG = bool(os.environ.get('TEST_LONG'))
# Number of cameras: widths and schemes.
COMBINATIONS = ({n: list(itertools.product(SIZES, SCHEMES)) for n in NUMBERS} if LONG else
                {1: [(3840, 'dark')], 16: [(360, 'dark'), (1280, 'light')], 64: [(3840, 'dark')]})
MAX_OF_WALL = 64
WITH_KEYS = 16  # cameras, with which everything is reached
MAX_TABS = 250  # until the focus is where it began

# Names as people give them, and as nobody should.
NAMES = ('Café terrace, a rather long name, Donaudampfschifffahrt', 'Gate', '停车场 3',
         '<b>Ramp<b> &amp;', 'x' * 40)
GROUPS = ('North gate', '', 'Underground car park, level 2 (visitors)', 'South')
# Two or three alarms at once, which take a badge that counts the rest.
TWO = ('\nconditions=default;+monochrome\nrules=dark,enter=0.001,leave=0.0005,duration=0s;'
       'monochrome,enter=0.02,leave=0.01,duration=0s')
THREE = f'{TWO};bright,enter=0.0001,leave=0.00005,duration=0s'
SEVERAL = {1: TWO, 9: THREE}  # of 16 cameras
CROPS = (0, 96, 192, 288)  # pixels from the left and the right, so that views differ

# The day and night before, as the alarms of a database: condition, hours ago, and how long.
HISTORY = (('dark', 20, 3), ('blurry', 9, 0.2), ('signal-loss', 8, 1.5), ('monochrome', 30, 8),
           ('dark', 3, 0.01), ('frozen', 60, 24))

# Rules of axe-core: what the guidelines ask for, and what is good practice.
TAGS = ('wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice')
AXE_RUN = f'''axe.run(document, {{runOnly: {list(TAGS)!r}, resultTypes: ["violations"]}}).then(
    ({{violations}}) => violations.flatMap(({{id, help, nodes}}) => nodes.map((node) =>
        `${{id}} (${{help}}): ${{node.html.slice(0, 200)}}; ${{node.failureSummary}}`)))'''


def find_footage():
    return next((path for path in FOOTAGE if path.exists()), None)


class Layout(common.Case):
    def footage(self):
        """Clips of real footage that take little to decode, with different views."""
        for crop in CROPS:
            path = self.folder / f'{crop}.avi'
            subprocess.run(
                ['gst-launch-1.0', '-q', 'filesrc', f'location={find_footage()}', '!', 'decodebin',
                 '!', 'videorate', '!', 'video/x-raw,framerate=1/1', '!', 'videocrop',
                 f'left={crop}', f'right={CROPS[-1] - crop}', 'top=150', 'bottom=156', '!',
                 'videoconvertscale', '!', 'video/x-raw,width=480,height=270', '!', 'jpegenc', '!',
                 'avimux', '!', 'filesink', f'location={path}'],
                check=True, env=common.environment_of_others())
            yield path

    def watch(self, count):
        """A monitor with @count cameras, of which some are lost or dark, and a history."""
        clips = [*self.footage(), self.clip(60, 'black', '1/1')]
        config = '[cameras]\nrules=dark,duration=2s\n'
        names = []
        for i in range(count):
            names.append(f'{NAMES[i]} {i}' if i < len(NAMES) and count > 1 else f'Camera {i}')
            uri = ('rtsp://127.0.0.1:1/a\nrules=signal-loss,enter=1,leave=0.5'
                   if i % 8 == 3 else
                   clips[-1] if i % 16 == 5 else
                   f'{clips[i % len(CROPS)]}{SEVERAL.get(i % 16, "")}')
            config += (f'[camera {names[-1]}]\nuri={uri}\n'
                       f'group={GROUPS[i % len(GROUPS)] if count > 1 else ""}\n')
        monitor = self.monitor(config=config)
        monitor.stop()
        self.remember(monitor, names)
        monitor.start()
        lost = sum(i % 8 == 3 for i in range(count))
        common.wait_for(lambda: self.is_ready(monitor, lost), 'cameras that are up or lost')
        return monitor

    @staticmethod
    def is_ready(monitor, lost):
        cameras = monitor.json('cameras')
        active = [c['condition'] for camera in cameras for c in camera['active']]
        return (active.count('signal-loss') >= lost and
                ('black' in active or len(cameras) == 1) and
                (active.count('bright') >= len(cameras) // 16) and
                sum(camera['state'] == 'up' for camera in cameras) == len(cameras) - lost)

    @staticmethod
    def remember(monitor, names):
        now = datetime.datetime.now().timestamp()
        rows = []
        for name in names[:20]:
            for condition, ago, length in HISTORY:
                for active, hours in ((1, ago), (0, ago - length)):
                    when = int((now - hours * 3600) * 1e6)
                    rows.append((when, f"('{name}', '{condition}', {active}, {active}, 0.5, 0.4, "
                                       f"{when}, {when}, '')"))
        common.run_sql(monitor, 'INSERT INTO events (camera, condition, active, topic_active, '
                       'value, threshold, time, since, reason) VALUES '
                       + ', '.join(text for _, text in sorted(rows)))

    def browse(self, monitor, at, width, scheme):
        page = browser.Browser(width=width, height=SIZES[width], dark=scheme == 'dark')
        self.addCleanup(page.close)
        page.open(f'http://127.0.0.1:{monitor.port}/{at}')
        page.wait_for('document.querySelector("article")')
        page.evaluate(SCRIPT)
        return page

    def go(self, page, at, ready):
        page.evaluate(f'location.hash = {at!r}')
        page.wait_for(ready)
        # Pictures come, and everything is where it stays.
        page.evaluate('new Promise(done => setTimeout(done, 500))')

    def views(self, count):
        """Addresses, and when they are shown. In the short tier, many cameras are only on the
        wall."""
        yield '#wall', 'document.querySelector("#wall-tiles canvas[data-picture]")'
        if count > WITH_KEYS and not LONG:
            return
        yield '#', f'document.querySelectorAll("#tiles article").length === {count}'
        yield '#events', 'document.querySelector("#events-rows tr [data-label]")'
        yield f'#camera/Camera%20{min(count - 1, 6)}', (
            'document.querySelector("#lanes a") && document.querySelector("#conditions li") && '
            'document.querySelector("#camera canvas[data-picture]")')

    def check_page(self, page, count, axe):
        for at, ready in self.views(count):
            self.go(page, at, ready)
            with self.subTest(at):
                self.check_looks(page, at, count, axe)
        for density in ('large', 'small', 'list') if LONG or count <= WITH_KEYS else ():
            self.go(page, '#', 'document.querySelector("#tiles article")')
            page.evaluate(f'layout.choose("density", {density!r})')
            with self.subTest(density):
                self.check_looks(page, '#', count, False)

    def check_looks(self, page, at, count, axe):
        found = page.evaluate('["cut", "crowded", "overlaps", "overPictures", "separable"].flatMap('
                              '(check) => layout[check]())')
        if count >= WITH_KEYS and at in ('#', '#wall') and not page.evaluate(
                'layout.count(".badge.rest")'):
            found.append('no badge counts more alarms')
        if at == '#wall':
            most = -(-count // -(-count // MAX_OF_WALL))
            found += page.evaluate(f'layout.wall({most})')
        if at == '#' and axe and page.evaluate('innerWidth') == min(SIZES):
            found += page.evaluate(f'scrollTo(0, 0), layout.phone({count})')
        if axe:
            found += page.evaluate(AXE_RUN)
        self.assertFalse(found, '\n'.join(found))

    def check_keyboard(self, page):
        """Tab leads to everything, and to where it can be seen."""
        for at, ready in (*self.views(WITH_KEYS), ('#events?camera=Camera%206', 'true')):
            if at == '#events':
                continue    # it has hundreds of rows
            self.go(page, at, ready)
            with self.subTest(at, by='keys'):
                # An alarm may come while the keys are pressed.
                found = self.press_tabs(page) and self.press_tabs(page)
                self.assertFalse(found, '\n'.join(found))

    @staticmethod
    def press_tabs(page):
        """Returns what is not reached."""
        page.evaluate('layout.start()')
        for _ in range(MAX_TABS):
            page.press('Tab')
            if page.evaluate('layout.step()'):
                break
        return page.evaluate('layout.missed()')

    def check_quiet(self, monitor, page):
        self.assertEqual(page.problems, [])
        ours = f'http://127.0.0.1:{monitor.port}/'
        self.assertEqual([r for r in page.requests
                          if not r.startswith((ours, f'blob:{ours}', 'about:', 'data:'))], [])

    def check_number(self, count):
        monitor = self.watch(count)
        for width, scheme in COMBINATIONS[count]:
            with self.subTest(width=width, scheme=scheme):
                page = self.browse(monitor, '', width, scheme)
                has_axe = AXE.is_file()
                if has_axe:
                    page.evaluate(AXE.read_text())
                self.check_page(page, count, has_axe)
                if count == WITH_KEYS:
                    self.check_keyboard(page)
                self.check_quiet(monitor, page)
                page.close()
                self._cleanups.pop()
        self.assertTrue(AXE.is_file(), MISSING_AXE)


for number in COMBINATIONS:
    setattr(Layout, f'test_{number}', lambda self, n=number: self.check_number(n))


if __name__ == '__main__':
    if not browser.path():
        common.skip('there is no chromium: the package chromium has it')
    if not find_footage():
        common.skip(f'{FOOTAGE[0]} is missing: install opencv-doc, or set TEST_DATA')
    common.main(at_once=1)
