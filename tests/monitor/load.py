#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras with decode=auto, which are judged by key frames while the load is high; and machines
that are too busy for the cameras. The program reads the load, and how long threads wait for
processors, from files."""

import contextlib
import http.client
import json
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
        self.load, self.wait = self.folder / 'load', self.folder / 'wait'

    def set_number(self, path, number):
        other = path.with_suffix('.new')
        other.write_text(str(number))
        other.rename(path)

    def set_load(self, load):
        self.set_number(self.load, load)

    def film(self, width):
        path = self.folder / f'{width}.mkv'
        subprocess.run(['gst-launch-1.0', '-q', 'videotestsrc', 'pattern=ball', 'num-buffers=100',
                        '!', f'video/x-raw,format=I420,width={width},height=120,framerate=10/1',
                        '!', 'x264enc', 'key-int-max=10', '!', 'h264parse', '!', 'matroskamux',
                        '!', 'filesink', f'location={path}'],
                       check=True, env=common.environment_of_others())
        return path

    def watch(self, config, up=True):
        self.set_load(0.1)
        monitor = self.monitor(config=CONFIG + config, environment={
            'TEST_LOAD': str(self.load), 'TEST_WAIT': str(self.wait)})
        for camera in monitor.json('cameras') if up else ():
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


LOSSY = 'conditions=corrupted\nrules=corrupted,enter=0.2,leave=0.1,duration=0s,hold=1h\n'


@unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
class Busy(Case):
    def trouble(self, monitor):
        """What the page shows above everything else."""
        connection = http.client.HTTPConnection('127.0.0.1', monitor.port,
                                                timeout=common.MAX_WAIT_SECONDS)
        with contextlib.closing(connection):
            connection.request('GET', '/events')
            response = connection.getresponse()
            while (line := response.readline()) != b'event: cameras\n':
                self.assertTrue(line)
            return json.loads(response.readline().removeprefix(b'data: '))['trouble']

    def damaged(self, monitor, name):
        """The first alarm of a camera, as the list of alarms and the camera have it."""
        def find():
            return [c for c in monitor.camera(name)['active'] if c['condition'] == 'corrupted']
        condition, = common.wait_for(find, f'damage of {name}')
        alarm, = (a for a in monitor.json('alarms')['alarms'] if a['camera'] == name)
        self.assertEqual(alarm['advice'], condition['advice'])
        return alarm

    def check_lost(self, monitor, config):
        """A camera that is connected is lost because of the machine, another one for its own
        reason: everywhere."""
        uri = rtsp.Server(self, 'stalling').uri()
        self.write('monitor.conf', f'{CONFIG}{config}[camera silent]\nuri={uri}\n'
                   'conditions=signal-loss\n[camera off]\nuri=rtsp://127.0.0.1:1/\n'
                   'conditions=signal-loss\n')
        monitor.reload()

        def lost():
            alarms = {a['camera']: a for a in monitor.json('alarms')['alarms']
                      if a['condition'] == 'signal-loss'}
            return len(alarms) == 2 and alarms
        alarms = common.wait_for(lost, 'two losses')
        self.assertEqual(alarms['silent']['reason'], 'this machine was too busy')
        self.assertIn('cannot connect', alarms['off']['reason'])
        for name, advice in ('silent', 'Stop other programs'), ('off', 'Check the power'):
            condition, = monitor.camera(name)['active']
            self.assertIn(advice, condition['advice'])
            self.assertEqual(alarms[name]['advice'], condition['advice'])
        self.assertRegex(monitor.output(), r'camera silent: .*: this machine was too busy\n')
        # Later attempts fail because of the machine, too.
        reason = common.wait_for(lambda: monitor.camera('silent')['reason'], 'the next attempt')
        self.assertEqual(reason, 'this machine was too busy')
        self.assertNotIn('sends no video', monitor.output())

    def test_losses(self):
        """A machine is only too busy if threads wait, and frames are late or lost; then neither the
        camera nor the network is to blame."""
        uri = rtsp.Server(self, 'lossy-h264').uri()
        config = f'[camera a]\nuri={uri}\n{LOSSY}'
        self.set_number(self.wait, 0.4)
        monitor = self.watch(config)
        alarm = self.damaged(monitor, 'a')
        self.assertEqual(alarm['reason'], '')
        self.assertIn('Check the camera', alarm['advice'])
        self.assertEqual((self.trouble(monitor), monitor.json('notices')), ('', []))
        self.assertEqual(monitor.metrics()['videohistogram_machine_busy'], 0)

        self.set_number(self.wait, 0.9)
        notice, = common.wait_for(lambda: monitor.json('notices'), 'a notice')
        self.assertEqual((notice['kind'], notice['over']), ('machine', False))
        self.assertRegex(notice['text'], 'too busy since .*Z: frames come late or are lost. The '
                         r'monitor itself uses 10 % of 2 processors\. Stop other programs or '
                         r'add processors\.$')
        self.assertRegex(monitor.output(), r'too busy since \d\d:\d\d:\d\d: frames come late')
        self.assertEqual(self.trouble(monitor), notice['text'])
        self.assertEqual(monitor.metrics()['videohistogram_machine_busy'], 1)
        self.write('monitor.conf', f'{CONFIG}{config}[camera b]\nuri={uri}\n{LOSSY}')
        monitor.reload()
        alarm = self.damaged(monitor, 'b')
        self.assertEqual(alarm['reason'], 'this machine was too busy')
        self.assertIn('Stop other programs', alarm['advice'])
        self.assertEqual(self.damaged(monitor, 'a')['reason'], '')
        self.check_lost(monitor, config)
        self.assertRegex(monitor.output(), r'\(corrupted: damaged part of the last seconds '
                         r'[\d.]+ %, threshold 20 %\)')

        self.set_number(self.wait, 0.4)
        over = common.wait_for(lambda: [n for n in monitor.json('notices') if n['over']], 'the end')
        self.assertRegex(over[0]['text'], 'keeps up with the cameras again, after')
        self.assertEqual(self.trouble(monitor), '')
        self.assertEqual(monitor.metrics()['videohistogram_machine_busy'], 0)

    def test_advice(self):
        """A notice only suggests what helps, and is not in effect."""
        uri = rtsp.Server(self, 'lossy-h264').uri()
        for load, decode, advice in ((0.5, 'all', 'Stop other programs or add processors, or set '
                                      'decode=keyframes for cameras.'),
                                     (0.9, 'keyframes', 'Add processors.')):
            self.set_number(self.wait, 0.9)
            monitor = self.watch(f'[camera a]\nuri={uri}\ndecode={decode}\n')
            self.set_load(load)
            common.wait_for(lambda m=monitor, a=advice: any(
                n['text'].endswith(f' of 2 processors. {a}') for n in m.json('notices')), advice)
            monitor.kill()

    def test_no_losses(self):
        """Threads that wait do no harm as long as no frame is late or lost. Files never lose any,
        not even where they start again."""
        self.set_number(self.wait, 0.9)
        monitor = self.watch(f'[camera a]\nuri=rtsp://127.0.0.1:1/\n'
                             f'[camera file]\nuri={self.clip(60)}\n', up=False)
        # Each one comes later than the one before it: the last one after half a minute.
        common.wait_for(lambda: monitor.camera('a')['reconnects'] >= 5, 'attempts to connect')
        self.assertEqual(monitor.json('notices'), [])


if __name__ == '__main__':
    common.main()
