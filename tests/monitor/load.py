#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras with decode=auto, which are judged by key frames while the load is high. The program
reads the load from a file."""

import contextlib
import http.client
import re
import subprocess
import threading
import unittest

import common
import rtsp

CONFIG = """
[cameras]
decode=auto
conditions=all;-monochrome
"""


class Case(common.Case):
    def setUp(self):
        super().setUp()
        self.load = self.folder / 'load'

    def set_load(self, load):
        other = self.folder / 'load.new'
        other.write_text(str(load))
        other.rename(self.load)

    def film(self, width):
        path = self.folder / f'{width}.mkv'
        subprocess.run(['gst-launch-1.0', '-q', 'videotestsrc', 'pattern=ball', 'num-buffers=100',
                        '!', f'video/x-raw,format=I420,width={width},height=120,framerate=10/1',
                        '!', 'x264enc', 'key-int-max=10', '!', 'h264parse', '!', 'matroskamux',
                        '!', 'filesink', f'location={path}'],
                       check=True, env=common.environment_of_others())
        return path

    def watch(self, config):
        self.set_load(0.1)
        monitor = self.monitor(config=CONFIG + config, environment={'TEST_LOAD': str(self.load)})
        for camera in monitor.json('cameras'):
            monitor.wait_for_state(camera['name'], 'up')
            common.wait_for(lambda name=camera['name']: 'video' in monitor.camera(name), 'a frame')
        return monitor

    def decoded(self, monitor):
        return {c['name']: (c['decode'], c['decode_reason']) for c in monitor.json('cameras')}


class Load(Case):
    def test_order(self):
        """The largest goes first, what needs every frame last, and the others never."""
        small, large = self.film(160), self.film(320)
        monitor = self.watch(f'[camera stage]\nuri={large}\ninterval=0\n'
                             f'[camera small]\nuri={small}\n[camera large]\nuri={large}\n'
                             f'[camera whole]\nuri={large}\ndecode=all\n[camera raw]\nuri=test\n')
        decoded = self.decoded(monitor)
        self.assertEqual(decoded.pop('whole'), ('all', ''))
        self.assertEqual(set(decoded.values()), {('all', 'auto')})
        self.set_load(0.9)
        common.wait_for(lambda: self.decoded(monitor)['stage'] == ('keyframes', 'load'),
                        'relief of the last one')
        self.set_load(0.7)
        self.assertEqual(re.findall('camera (.*): judged by key frames because of the load: '
                                    '90 % of 2 processors', monitor.output()),
                         ['large', 'small', 'stage'])
        now = self.decoded(monitor)
        self.assertEqual((now['whole'], now['raw']), (('all', ''), ('all', 'auto')))
        conditions = {c['condition']: c for c in monitor.camera('stage')['conditions']}
        common.wait_for(lambda: {c['condition']: c for c in monitor.camera('stage')['conditions']}
                        ['flashing']['unknown'] == 'key-frames-only', 'an unknown condition')
        conditions = {c['condition']: c for c in monitor.camera('stage')['conditions']}
        self.assertEqual(conditions['banding']['unknown'], 'key-frames-only')
        self.assertIsNone(conditions['flashing']['value'])
        self.assertNotIn('flashing', {c['condition'] for c in
                                      monitor.camera('small')['conditions']})

    def test_reload(self):
        """A camera that is changed starts with all frames."""
        film = self.film(160)
        monitor = self.watch(f'[camera a]\nuri={film}\n')
        self.set_load(0.9)
        common.wait_for(lambda: self.decoded(monitor)['a'][0] == 'keyframes', 'relief')
        self.set_load(0.1)
        self.write('monitor.conf', f'{CONFIG}[camera a]\nuri={film}\ndecode=all\n')
        monitor.reload()
        common.wait_for(lambda: self.decoded(monitor)['a'] == ('all', ''), 'all frames')
        self.assertEqual(monitor.wait_for_state('a', 'up')['reconnects'], 0)


class Wall(threading.Thread):
    """What a wall that is open reads: a picture of each camera after the other."""

    def __init__(self, test, monitor):
        super().__init__(daemon=True)
        self.pictures = 0
        self.connection = http.client.HTTPConnection('127.0.0.1', monitor.port,
                                                     timeout=common.MAX_WAIT_SECONDS)
        self.connection.request('GET', '/pictures?width=480')
        self.response = self.connection.getresponse()
        test.assertEqual(self.response.status, 200)
        self.start()
        test.addCleanup(self.join)

    def run(self):
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            while data := self.response.read1(1 << 16):
                self.pictures += data.count(b'\xff\xd8\xff')


@unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
class Walls(Case):
    CAMERAS = 4
    WALLS = 5

    def test_substreams(self):
        """Cameras whose sub-streams are judged by load, while walls are open: the walls go on, and
        full pictures are of the main streams, before and after the change."""
        server = rtsp.Server(self, 'h264', main='jpeg')
        names = [f'c{i}' for i in range(self.CAMERAS)]
        monitor = self.watch(''.join(f'[camera {n}]\ntransport=tcp\nuri={server.uri("main")}\n'
                                     f'substream={server.uri()}\n' for n in names))
        walls = [Wall(self, monitor) for _ in range(self.WALLS)]

        def check():
            before = [w.pictures for w in walls]
            common.wait_for(lambda: all(w.pictures - b >= 2 * self.CAMERAS
                                        for w, b in zip(walls, before)), 'pictures on all walls')
            self.assertEqual(monitor.ask('/api/v1/cameras/c0/picture?width=full').status, 200)
            cameras = monitor.json('cameras')
            self.assertEqual([(c['state'], c['substream'], c['main_trouble'], c['active'])
                              for c in cameras], [('up', True, '', [])] * self.CAMERAS)

        check()
        self.set_load(0.9)
        common.wait_for(lambda: set(self.decoded(monitor).values()) == {('keyframes', 'load')},
                        'relief of all')
        self.set_load(0.7)
        check()
        self.assertTrue(all(w.is_alive() for w in walls))
        self.assertEqual([monitor.camera(n)['reconnects'] for n in names], [0] * self.CAMERAS)
        self.assertEqual(monitor.stop(), 0)


if __name__ == '__main__':
    common.main()
