#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A GPU that decodes, fails and is lost: the driver double, with a decoder of this test instead of
NVDEC. With TEST_LONG it is also lost when the CPU cannot take over."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import subprocess
import unittest

import common

CAMERAS = 64
# As much work as the driver double can do for this many cameras.
SELDOM = ('[cameras]\ninterval=60\ntimeout=30\nconditions=black+signal-loss\n'
          'rules=signal-loss,enter=20\n')
# NVIDIA's decoders always fail on the driver double.
NO_NVDEC = {'GST_PLUGIN_FEATURE_RANK': 'nvjpegdec:NONE'}
# The exit status in the program's documentation.
RESTART = 75


class Gpu(common.Case):
    def setUp(self):
        super().setUp()
        self.lost = self.folder / 'lost'

    def with_gpu(self, *arguments, config=None, **environment):
        return self.monitor(*arguments, config=config, environment={
            'TEST_GPU_LOST': str(self.lost), **NO_NVDEC, **environment})

    def wait_for_decoder(self, monitor, decoder):
        """Waits until @decoder decodes for every camera and frames arrive; returns the cameras."""
        def decoded():
            cameras = monitor.json('cameras')
            return all(c['decoder'] == decoder and c['state'] == 'up' for c in cameras) and cameras
        return common.wait_for(decoded, decoder)

    def events(self, monitor):
        """All events without their pictures, which may come later."""
        return [{**e, 'picture': None} for e in monitor.json('events?limit=1000')]

    def test_used(self):
        """Frames stay on the GPU, in one context for all cameras, and pictures are made from
        them."""
        path = self.clip(60)
        monitor = self.with_gpu(*(f'c{i}={path}' for i in range(4)), VH_DOUBLE_LOG='1')
        self.wait_for_decoder(monitor, 'testhardwaredec')
        for i in range(4):
            common.wait_for(lambda name=f'c{i}': monitor.camera(name)['picture']
                            and 'luma' in monitor.camera(name), 'a picture')
            self.assertEqual(monitor.camera(f'c{i}')['video']['backend'], 'cuda')
        said = monitor.output()
        # The contexts in which plugins probe the GPU are gone.
        self.assertEqual(said.count('cuCtxCreate') - said.count('cuCtxDestroy'), 1)
        self.assertEqual(monitor.stop(), 0)

    def test_created_one_by_one(self):
        path = self.clip(60)
        monitor = self.with_gpu(*(f'c{i}={path}' for i in range(6)), TEST_SLOW_CREATION='1')
        self.wait_for_decoder(monitor, 'testhardwaredec')
        self.assertEqual({c['reconnects'] for c in monitor.json('cameras')}, {0})

    def test_failing_decoder(self):
        """A failing decoder is not used again for that camera."""
        monitor = self.with_gpu(f'a={self.clip(60)}', TEST_DECODER_FAILS='20')
        common.wait_for(lambda: monitor.camera('a')['reconnects'], 'the failure')
        self.wait_for_decoder(monitor, 'jpegdec')
        self.assertEqual(monitor.camera('a')['reconnects'], 1)
        self.assertIn('it cannot decode any more', monitor.output())
        self.assertEqual(monitor.camera('a')['gpu_trouble'],
                         'testhardwaredec failed: it cannot decode any more')
        self.assertEqual(monitor.metrics()['videohistogram_gpu_lost'], 0)

    def check_room(self, why, reconnects, **environment):
        """The GPU has room for two cameras: the CPU decodes a third one, until one of the others is
        removed. The JSON and the log say why."""
        path = self.clip(60)

        def config(names):
            return ''.join(f'[camera {name}]\nuri={path}\n' for name in names)
        monitor = self.with_gpu(config=config('ab'), TEST_DECODERS='2', **environment)
        self.wait_for_decoder(monitor, 'testhardwaredec')
        self.write('monitor.conf', config('abc'))
        monitor.reload()
        common.wait_for(lambda: monitor.camera('c')['decoder'] == 'jpegdec'
                        and monitor.camera('c')['gpu_trouble'], 'the CPU')
        camera = monitor.wait_for_state('c', 'up')
        self.assertIn(why, camera['gpu_trouble'])
        self.assertEqual(camera['reconnects'], reconnects)
        self.assertIn(f'camera c: decoded on the CPU: {camera["gpu_trouble"]}', monitor.output())
        self.assertEqual([c['gpu_trouble'] for c in monitor.json('cameras')[:2]], ['', ''])
        # After two others, one more does not even ask.
        names = 'abc'
        for name, more in (('d', reconnects), ('e', reconnects), ('f', 0)):
            names += name
            self.write('monitor.conf', config(names))
            monitor.reload()
            common.wait_for(lambda: monitor.camera(names[-1])['gpu_trouble'], 'the CPU')
            self.assertEqual(monitor.wait_for_state(name, 'up')['reconnects'], more)
            self.assertEqual(monitor.camera(name)['gpu_trouble'], camera['gpu_trouble'])
            self.assertEqual(monitor.camera(name)['decoder'], 'jpegdec')
        self.write('monitor.conf', config('ac'))
        monitor.reload()
        self.wait_for_decoder(monitor, 'testhardwaredec')
        self.assertEqual(monitor.camera('c')['gpu_trouble'], '')
        self.assertIn('camera c: decoded by the GPU again', monitor.output())
        self.assertEqual(monitor.metrics()['videohistogram_gpu_lost'], 0)

    def test_room(self):
        self.check_room('testhardwaredec cannot start beside the 2 cameras', 1)

    def test_room_of_state(self):
        """GStreamer itself takes another decoder."""
        self.check_room('testhardwaredec cannot start beside the 2 cameras', 0,
                        TEST_REFUSES='state')

    def test_lost(self):
        """All cameras continue without the GPU, each is retried at most once, and no event is
        lost."""
        path = self.clip(50, rate='1/1')
        black = self.clip(51, pattern='black', rate='1/1')
        monitor = self.with_gpu(*(f'c{i}={path}' for i in range(CAMERAS - 1)),
                                config=f'{SELDOM}[camera bad]\nuri={black}\ninterval=0\n',
                                VH_DOUBLE_DELAY='0', VH_DOUBLE_PREEMPT='0')
        self.wait_for_decoder(monitor, 'testhardwaredec')
        common.wait_for(lambda: monitor.camera('bad')['active'], 'a condition')
        before = self.events(monitor)
        self.assertEqual(monitor.metrics()['videohistogram_gpu_lost'], 0)
        stream = http.client.HTTPConnection('127.0.0.1', monitor.port, timeout=60)
        with contextlib.closing(stream):
            stream.request('GET', '/events')
            response = stream.getresponse()
            self.lost.write_text('')
            while not (line := response.readline()).startswith(b'event: notice'):
                self.assertTrue(line, monitor.output()[-3000:])
            notice = json.loads(response.readline()[6:])
        self.assertIn('GPU lost; cameras continue on the CPU', notice['text'])
        cameras = self.wait_for_decoder(monitor, 'jpegdec')
        for camera in cameras:
            self.assertEqual(camera['gpu_trouble'], 'the GPU was lost')
            self.assertEqual(camera['reconnects'], 1, camera['name'])
        self.assertEqual(monitor.metrics()['videohistogram_gpu_lost'], 1)
        common.wait_for(lambda: monitor.json('notices'), 'it to be stored')
        # This was not a signal loss, and active conditions are still active.
        events = self.events(monitor)
        self.assertEqual(events[:len(before)], before)
        self.assertEqual([e for e in events if e['condition'] == 'signal-loss'], [])
        self.assertTrue(monitor.camera('bad')['active'])
        self.check_comparison(monitor)
        monitor.start()
        self.assertEqual(monitor.json('notices')[-1], notice)
        self.assertEqual(self.events(monitor)[:len(events)], events)

    def check_comparison(self, monitor):
        """On a busy machine the CPU may be too slow even for these cameras; then the program
        exits."""
        found = common.wait_for(lambda: re.search(
            r'cameras deliver (\d+) %|alone manages only (\d+) %', monitor.output()),
            'the comparison')
        if found[1]:
            self.assertGreaterEqual(int(found[1]), 90)
            self.assertIsNone(monitor.process.poll())
            self.assertEqual(monitor.stop(), 0)
        else:
            self.assertLessEqual(int(found[2]), 90)
            self.assertEqual(monitor.process.wait(common.MAX_WAIT_SECONDS), RESTART)

    @unittest.skipUnless(os.environ.get('TEST_LONG'), 'leaves other tests no processor')
    def test_too_much(self):
        """The CPU cannot take over: the program exits to be restarted, and keeps its state."""
        path = self.folder / 'large.avi'
        subprocess.run(['gst-launch-1.0', '-q', 'videotestsrc', 'num-buffers=50', '!',
                        'video/x-raw,width=1280,height=720,framerate=50/1', '!', 'jpegenc', '!',
                        'avimux', '!', 'filesink', f'location={path}'], check=True)
        monitor = self.with_gpu(*(f'c{i}={path}' for i in range(4)), config=SELDOM,
                                TEST_BURDEN='1')
        self.wait_for_decoder(monitor, 'testhardwaredec')
        # There must be frames to compare with.
        common.wait_for(lambda: all(c['frames'] > 50 for c in monitor.json('cameras')), 'frames')
        # The load that follows runs on one CPU: other threads get the rest.
        for task in (pathlib.Path('/proc') / str(monitor.process.pid) / 'task').iterdir():
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(task.name), {min(os.sched_getaffinity(0))})
        self.lost.write_text('')
        common.wait_for(lambda: 'GPU lost' in monitor.output(), 'the loss')
        self.assertEqual(monitor.process.wait(2 * common.MAX_WAIT_SECONDS), RESTART)
        why = 'Exiting so that the service manager restarts the program'
        self.assertIn(why, monitor.output())
        self.lost.unlink()
        monitor.start()
        self.assertEqual(monitor.metrics()['videohistogram_gpu_lost'], 0)
        texts = [n['text'] for n in monitor.json('notices')]
        self.assertEqual(len(texts), 2)
        self.assertIn(why, texts[0])


if __name__ == '__main__':
    common.main(at_once=1)
