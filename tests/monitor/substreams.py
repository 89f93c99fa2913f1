#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras whose sub-stream is judged, and whose main stream is for full pictures."""

import concurrent.futures
import unittest

import common
import rtsp

LOGIN = 'watcher:pass-word'
# Sizes of the two streams.
SUB, MAIN = 160, 320
CONFIG = """
[cameras]
transport=tcp
conditions=signal-loss;black
rules=signal-loss,enter=1,leave=0.5
credentials=camera.secret
"""


def width_of(jpeg):
    """The width in the header of a JPEG picture."""
    at = 2
    while jpeg[at + 1] not in (0xC0, 0xC2):
        at += 2 + int.from_bytes(jpeg[at + 2:at + 4], 'big')
    return int.from_bytes(jpeg[at + 7:at + 9], 'big')


@unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
class Substreams(common.Case):
    def setUp(self):
        super().setUp()
        self.write('camera.secret', LOGIN)
        self.camera = rtsp.Server(self, 'small', login=LOGIN, main='jpeg')
        # Only the main stream is behind it.
        self.proxy = common.Proxy(self, self.camera.port)
        self.main = f'rtsp://127.0.0.1:{self.proxy.port}/main'

    def watch(self):
        monitor = self.monitor(config=f'{CONFIG}[camera a]\nuri={self.main}\n'
                               f'substream={self.camera.uri()}\n')
        monitor.wait_for_state('a', 'up')
        common.wait_for(lambda: 'video' in monitor.camera('a'), 'a measured frame')
        common.wait_for(lambda: monitor.ask('/api/v1/cameras/a/picture').status == 200,
                        'a picture')
        return monitor

    def full(self, monitor):
        answer = monitor.ask('/api/v1/cameras/a/picture?width=full')
        self.assertEqual(answer.status, 200)
        return width_of(answer.body)

    def test_pictures(self):
        """The main stream is connected only for full pictures, once for all who ask at the same
        time, and is closed after that."""
        monitor = self.watch()
        camera = monitor.camera('a')
        self.assertEqual((camera['video']['width'], camera['substream']), (SUB, True))
        self.assertEqual(width_of(monitor.ask('/api/v1/cameras/a/picture').body), SUB)
        self.assertEqual(self.proxy.accepted, 0)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            widths = list(pool.map(lambda _: self.full(monitor), range(4)))
        self.assertEqual((widths, self.proxy.accepted), ([MAIN] * 4, 1))
        common.wait_for(lambda: self.proxy.closed == 1, 'the end of the connection')
        self.assertEqual(monitor.camera('a')['main_trouble'], '')
        self.assertNotIn('pass-word', monitor.output() + monitor.ask('/api/v1/cameras').text)

    def test_outages(self):
        """Without the main stream, full pictures are of the sub-stream, and the JSON says why.
        Without the sub-stream, the camera is lost."""
        monitor = self.watch()
        self.proxy.close()
        self.assertEqual(self.full(monitor), SUB)
        trouble = monitor.camera('a')['main_trouble']
        self.assertTrue(trouble)
        self.assertIn(f'camera a: no full picture of the main stream: {trouble}', monitor.output())
        self.assertEqual(monitor.camera('a')['active'], [])
        self.camera.kill()
        common.wait_for(lambda: monitor.camera('a')['active'], 'the loss')
        self.camera.start()
        common.wait_for(lambda: not monitor.camera('a')['active'], 'its end')
        self.assertNotIn('pass-word', monitor.output() + monitor.ask('/api/v1/cameras/a').text)

    def test_reload(self):
        """The key changes while a full picture is on its way."""
        monitor = self.watch()
        self.proxy.swallow()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            picture = pool.submit(monitor.ask, '/api/v1/cameras/a/picture?width=full')
            common.wait_for(lambda: self.proxy.accepted, 'the connection')
            self.write('monitor.conf', f'{CONFIG}[camera a]\nuri={self.camera.uri("main")}\n')
            monitor.reload()
            picture.result()
        monitor.wait_for_state('a', 'up')
        common.wait_for(lambda: 'video' in monitor.camera('a'), 'a measured frame')
        common.wait_for(lambda: monitor.ask('/api/v1/cameras/a/picture').status == 200,
                        'a picture')
        camera = monitor.camera('a')
        self.assertEqual((camera['video']['width'], camera['substream']), (MAIN, False))
        self.assertEqual(self.full(monitor), MAIN)


if __name__ == '__main__':
    common.main()
