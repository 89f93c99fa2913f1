#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras that are judged by key frames, whose streams are from real coders."""

import datetime
import os
import subprocess
import unittest

import common
import rtsp

# s between key frames: longer than all that a camera without a frame is allowed.
DISTANCE = 6
RATE = 5
TIMEOUT = 4
CONFIG = f"""
[cameras]
decode=keyframes
transport=tcp
timeout={TIMEOUT}
conditions=signal-loss
rules=signal-loss,enter=3,leave=1
[camera live]
uri=test
"""

# Elements that complain of what they cannot decode.
COMPLAINTS = {'GST_DEBUG': '*:0,libav:2,videodecoder:2', 'GST_DEBUG_NO_COLOR': '1'}


PROCESSORS = len(os.sched_getaffinity(0))


def seconds_of(text):
    return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()


class Case(common.Case):
    def film(self, name, coder, seconds=30, pattern='ball'):
        """Returns the path of a file."""
        path = self.folder / name
        subprocess.run(['gst-launch-1.0', '-q', 'videotestsrc', f'pattern={pattern}',
                        f'num-buffers={seconds * RATE}', '!',
                        f'video/x-raw,format=I420,width=160,height=120,framerate={RATE}/1', '!',
                        *coder.split(), '!', 'matroskamux', '!', 'filesink', f'location={path}'],
                       check=True, env=common.environment_of_others())
        return path

    def times(self, monitor, name, n):
        """When each of @n frames in a row came."""
        times = []

        def note():
            time = monitor.camera(name)['last_frame']
            if time and time not in times:
                times.append(time)
            return len(times) == n
        common.wait_for(note, f'{n} frames of {name}')
        return [seconds_of(t) for t in times]

    def check_undisturbed(self, monitor, name, reconnects):
        """The first attempt may have been too slow: there were so many @reconnects."""
        camera = monitor.camera(name)
        self.assertEqual((camera['state'], camera['reconnects'], camera['active'],
                          camera['decode']), ('up', reconnects, [], 'keyframes'))


@unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
class Live(Case):
    def test_codecs(self):
        """Nothing is lost and nothing is late between key frames: neither the signal nor the
        camera, whatever the codec."""
        codecs = ('sparse-h264', 'sparse-h265', 'jpeg')
        monitor = self.monitor(config=CONFIG + ''.join(
            f'[camera {c}]\nuri={rtsp.Server(self, c).uri()}\n' for c in codecs),
            environment=COMPLAINTS)
        for codec in codecs:
            monitor.wait_for_state(codec, 'up')
        before = {codec: monitor.camera(codec)['reconnects'] for codec in codecs}
        for codec in codecs:
            times = self.times(monitor, codec, 3)
            # The first time may be seen late.
            if codec == 'jpeg':
                self.assertLess(times[2] - times[1], DISTANCE)
            else:
                self.assertGreater(times[2] - times[1], TIMEOUT)
        for codec in codecs:
            self.check_undisturbed(monitor, codec, before[codec])
        self.assertNotRegex(monitor.output(), 'WARN|ERROR')

    def test_outage(self):
        """A camera whose packets end, although its connection stays, is lost and reconnected, and
        is back with its next key frame. Before that, what is dropped between key frames counts as
        signal."""
        server = rtsp.Server(self, 'sparse-h264')
        proxy = common.Proxy(self, server.port)
        monitor = self.monitor(config=f'{CONFIG}[camera a]\n'
                               f'uri=rtsp://127.0.0.1:{proxy.port}/stream\n')
        monitor.wait_for_state('a', 'up')
        # Connecting may have taken long enough for a loss.
        common.wait_for(lambda: not monitor.camera('a')['active'], 'the signal')
        first = len(monitor.json('events?camera=a'))
        reconnects = monitor.camera('a')['reconnects']
        self.times(monitor, 'a', 2)
        self.assertEqual(len(monitor.json('events?camera=a')), first)
        proxy.swallow()
        common.wait_for(lambda: monitor.camera('a')['active'], 'the loss')
        self.assertEqual(monitor.camera('a')['reconnects'], reconnects)
        common.wait_for(lambda: monitor.camera('a')['state'] == 'waiting', 'the end of the attempt')
        proxy.recover()
        common.wait_for(lambda: not monitor.camera('a')['active'], 'its end')
        self.assertGreater(monitor.camera('a')['reconnects'], reconnects)
        events = [(e['condition'], e['active']) for e in monitor.json('events?camera=a')]
        self.assertEqual(events[first:], [('signal-loss', True), ('signal-loss', False)])


class Files(Case):
    def test_distance(self):
        """A file in which the time between key frames is longer than the timeout."""
        path = self.film('film.mkv', f'x264enc bframes=2 key-int-max={DISTANCE * RATE}')
        monitor = self.monitor(config=f'{CONFIG}[camera a]\nuri={path}\n', environment=COMPLAINTS)
        before = monitor.wait_for_state('a', 'up')['reconnects']
        times = self.times(monitor, 'a', 3)
        self.assertGreater(times[2] - times[1], TIMEOUT)
        self.check_undisturbed(monitor, 'a', before)
        self.assertNotRegex(monitor.output(), 'WARN|ERROR')

    def test_black(self):
        """A condition that two key frames show lasts for the time between them."""
        black = self.film('black.mkv', f'x264enc key-int-max={DISTANCE * RATE}', pattern='black')
        monitor = self.monitor(config=f'{CONFIG}[camera a]\nuri={black}\nconditions=black\n')
        common.wait_for(lambda: monitor.camera('a')['active'], 'black')
        event, = monitor.json('events?camera=a')
        self.assertEqual(event['condition'], 'black')
        self.assertGreater(seconds_of(event['time']) - seconds_of(event['since']), TIMEOUT)

    def test_open_groups(self):
        """Decoders of H.264 give no frame for key frames that continue the count of the frames
        between them: all frames are decoded then, and the page says so."""
        path = self.film('open.mkv', 'x264enc bframes=2 key-int-max=20 '
                         'option-string=open-gop=1:scenecut=0')
        monitor = self.monitor(config=f'[camera a]\nuri={path}\ndecode=keyframes\n')
        common.wait_for(lambda: monitor.camera('a')['frames'] > 30, 'frames')
        self.assertEqual(monitor.camera('a')['decode'], 'all')

    @unittest.skipUnless(1 < PROCESSORS <= 16, 'needs more processors, or fewer cameras')
    def test_threads(self):
        """Decoders have one thread each if there are more cameras than processors."""
        path = self.film('film.mkv', 'x264enc key-int-max=5', seconds=5)

        def start(cameras):
            monitor = self.monitor(*(f'c{i}={path}' for i in range(cameras)))
            for i in range(cameras):
                monitor.wait_for_state(f'c{i}', 'up')
            return monitor

        def count(monitor):
            return len(os.listdir(f'/proc/{monitor.process.pid}/task'))
        monitor = start(1)
        one = count(monitor)
        self.assertEqual(monitor.stop(), 0)
        monitor = start(PROCESSORS + 1)
        # One has the threads of its decoder, besides six or, while a picture is made, seven.
        common.wait_for(lambda: count(monitor) < one + 7 * PROCESSORS, 'few threads')

    def test_conditions(self):
        """What needs every frame is not judged, and the reason is shown."""
        monitor = self.monitor(config='[camera a]\nuri=test\ninterval=0\n'
                               '[camera b]\nuri=test\ninterval=0\ndecode=keyframes\n')
        common.wait_for(lambda: all(monitor.camera(n)['judged'] for n in 'ab'), 'frames')
        unseen = [{c['condition'] for c in monitor.camera(n)['conditions']
                   if c['unknown'] == 'key-frames-only' and c['value'] is None} for n in 'ab']
        self.assertEqual(unseen, [set(), {'flashing', 'banding'}])


if __name__ == '__main__':
    common.main()
