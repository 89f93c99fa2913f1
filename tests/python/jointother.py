#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""joint=other with two streams that differ in segments, seeks, latency, ends and times.

Frames are snow, and frame N is the same in both streams: only a frame compared with itself has high
mutual information. Whatever the streams do, each analysed frame has its message, no frame is
compared with one of another running time, and the pipeline ends."""

import time
import unittest

import common
from common import Gst

FRAME = Gst.SECOND // 25
SIZE = 64
CAPS = f'video/x-raw,format=GRAY8,width={SIZE},height={SIZE},framerate=25/1'
SOURCE = f'videotestsrc pattern=snow %s ! {CAPS}'
LEFT = ' ! videohistogram name=left interval=0 message-counts=false ! %s'
RIGHT = (' ! videohistogram name=right joint-with=left interval=0 message-counts=false ! %s')
SINK = 'fakesink async=false sync=%s'
# Mutual information of snow with this many pixels in 64 x 64 bins: different frames are below 1.
SAME_FRAME = 3
# The element waits two seconds for a stalled stream; tests wait far less than two seconds per
# frame.
LONGEST = 15


def snow(number):
    """Returns pixels that are different for each number."""
    state, pixels = number * 7919 + 1, bytearray()
    while len(pixels) < SIZE * SIZE:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        pixels += (state >> 16).to_bytes(8, 'little')[:6]
    return bytes(pixels[:SIZE * SIZE])


class Other(unittest.TestCase):
    def start(self, launch):
        self.pipeline = Gst.parse_launch(launch)
        self.addCleanup(self.pipeline.set_state, Gst.State.NULL)
        self.results = {'left': [], 'right': []}
        self.pipeline.set_state(Gst.State.PLAYING)

    def wait(self, until=lambda: False):
        """Takes messages to the end, or until a condition holds."""
        end = time.monotonic() + LONGEST
        while not until():
            message = self.pipeline.get_bus().timed_pop_filtered(
                int(max(end - time.monotonic(), 0) * Gst.SECOND),
                Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR)
            self.assertIsNotNone(message, f'{LONGEST} s are over: {self.results}')
            if message.type == Gst.MessageType.ERROR:
                self.fail(message.parse_error())
            if message.type == Gst.MessageType.EOS:
                return
            result = message.get_structure()
            if result.get_name() != 'videohistogram':
                continue
            values = [result.get_value(name) if result.has_field(name) else None for name in (
                'running-time', 'joint-running-time', 'joint-mutual-information')]
            self.results[message.src.name].append(values)

    def paired(self):
        """Returns how many frames of `right` were compared; fails if one was compared with the
        wrong frame."""
        found = [values for values in self.results['right'] if values[1] is not None]
        for running, other, bits in found:
            self.assertLess(abs(running - other), FRAME // 2, self.results['right'])
            self.assertGreater(bits, SAME_FRAME, (running, other))
        return len(found)

    def check_times(self):
        """No frame is compared with one of another time. After a seek videotestsrc continues its
        snow, so that pictures differ."""
        for running, other, _ in self.results['right']:
            if other is not None:
                self.assertLess(abs(running - other), FRAME // 2)

    def check(self, n_left, n_right, n_paired):
        self.assertEqual((len(self.results['left']), len(self.results['right'])),
                         (n_left, n_right))
        self.assertEqual(self.paired(), n_paired)

    def finish(self, a, b, *counts):
        """Ends both streams, and checks the results."""
        a.emit('end-of-stream')
        b.emit('end-of-stream')
        self.wait()
        self.check(*counts)

    def tee(self, left, right):
        """Both streams come from one source."""
        return (f'{SOURCE % "num-buffers=50"} ! tee name=t t. ! {left}{LEFT % (SINK % "false")} '
                f't. ! {right}{RIGHT % (SINK % "false")}')

    def two(self):
        """Two sources fed by the test."""
        source = f'appsrc name=%s format=time handle-segment-change=true caps={CAPS}'
        self.start(f'{source % "a"}{LEFT % (SINK % "false")} '
                   f'{source % "b"}{RIGHT % (SINK % "false")}')
        return self.pipeline.get_by_name('a'), self.pipeline.get_by_name('b')

    def push(self, source, number, pts, segment=None):
        buffer = Gst.Buffer.new_wrapped(snow(number))
        buffer.pts = pts
        buffer.duration = FRAME
        sample = Gst.Sample.new(buffer, Gst.Caps.from_string(CAPS), segment, None)
        self.assertEqual(source.emit('push-sample', sample), Gst.FlowReturn.OK)

    def segment(self, start, base=0):
        segment = Gst.Segment()
        segment.init(Gst.Format.TIME)
        segment.start, segment.time, segment.base = start, 0, base
        return segment

    def test_segments(self):
        """Both streams have the same running times, but their segments start at different
        positions, and change."""
        for start, base in ((10 * Gst.SECOND, 0), (0, 0), (7 * FRAME, 0)):
            with self.subTest(start=start):
                a, b = self.two()
                for i in range(30):
                    self.push(a, i, i * FRAME, self.segment(0))
                    self.push(b, i, start + i * FRAME, self.segment(start))
                # Another segment continues where the first ended, as after an edit.
                for i in range(30, 50):
                    self.push(a, i, i * FRAME, self.segment(0))
                    self.push(b, i, 99 * Gst.SECOND + i * FRAME,
                              self.segment(99 * Gst.SECOND + 30 * FRAME, 30 * FRAME))
                self.finish(a, b, 50, 50, 50)

    def test_other_times(self):
        """One stream starts a second later: it is compared with frames of the same times, and
        frames beyond the other stream have no counterpart."""
        a, b = self.two()
        for i in range(50):
            self.push(a, i, i * FRAME, self.segment(0))
            # Frame i of b shows the same as a at the same running time.
            self.push(b, i + 25, i * FRAME, self.segment(0, Gst.SECOND))
        self.finish(a, b, 50, 50, 25)

    def test_latency(self):
        """One branch is half a second behind the other."""
        behind = ('queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 '
                  'min-threshold-buffers=12')
        for left, right in ((behind, 'queue'), ('queue', behind)):
            with self.subTest(left=left):
                self.start(self.tee(left, right))
                self.wait()
                self.check(50, 50, 50)

    def test_live(self):
        """A live stream with a non-live one: videotestsrc makes the same snow in both."""
        self.start(f'{SOURCE % "num-buffers=25 is-live=true"}{LEFT % (SINK % "true")} '
                   f'{SOURCE % "num-buffers=25"}{RIGHT % (SINK % "true")}')
        self.wait()
        self.assertEqual((len(self.results['left']), len(self.results['right'])), (25, 25))
        # The first frame of a live source may be late and not have time 0.
        self.check_times()
        self.assertGreater(sum(other is not None for _, other, _ in self.results['right']), 15)

    def test_one_ends(self):
        """The rest of the longer stream has no counterpart and does not wait for one. The threads
        decide which stream starts first, so the test starts the pipeline several times."""
        for left, right in ((20, 60), (60, 20)) * 4:
            with self.subTest(left=left):
                self.start(f'{SOURCE % f"num-buffers={left}"}{LEFT % (SINK % "false")} '
                           f'{SOURCE % f"num-buffers={right}"}{RIGHT % (SINK % "false")}')
                self.wait()
                self.pipeline.set_state(Gst.State.NULL)
                self.check(left, right, 20)

    def test_gaps(self):
        """Frames missing from one stream."""
        a, b = self.two()
        for i in range(50):
            if not 10 <= i < 20:
                self.push(a, i, i * FRAME, self.segment(0))
            if not 30 <= i < 33:
                self.push(b, i, i * FRAME, self.segment(0))
        self.finish(a, b, 40, 47, 37)

    def test_no_times(self):
        """Frames without a PTS have no running time. Each is compared with the last such frame of
        the other stream. Frames with times are compared with frames that have the same time."""
        a, b = self.two()
        for i in range(40):
            pts = Gst.CLOCK_TIME_NONE if 10 <= i < 20 else i * FRAME
            self.push(a, i, pts, self.segment(0))
            self.wait(lambda: len(self.results['left']) == i + 1)
            self.push(b, i, pts, self.segment(0))
            self.wait(lambda: len(self.results['right']) == i + 1)
        a.emit('end-of-stream')
        b.emit('end-of-stream')
        self.wait()
        self.assertEqual((len(self.results['left']), len(self.results['right'])), (40, 40))
        for i, (running, other, bits) in enumerate(self.results['right']):
            with self.subTest(frame=i):
                self.assertIsNotNone(bits)
                self.assertGreater(bits, SAME_FRAME)
                if not 10 <= i < 20:
                    self.assertEqual(running, other)

    def seek(self, name):
        """Seeks the element @name to the start once both streams have frames."""
        sinks = ' name='.join((SINK % 'true', ''))
        self.start(f'{SOURCE % "num-buffers=75"}{LEFT % (sinks + "sink-left")} '
                   f'{SOURCE % "num-buffers=75"}{RIGHT % (sinks + "sink-right")}')
        self.wait(lambda: min(map(len, self.results.values())) >= 10)
        element = self.pipeline.get_by_name(name) if name else self.pipeline
        self.assertTrue(element.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0))
        self.wait()

    def test_seek_in_one(self):
        """A flushing seek restarts the running time of one stream; the other one continues."""
        for branch in ('left', 'right'):
            with self.subTest(branch):
                self.seek(f'sink-{branch}')
                self.check_times()
                self.assertGreaterEqual(len(self.results['right']), 60)

    def test_seek_in_both(self):
        """Seeks the pipeline, as an application does."""
        self.seek('')
        self.check_times()
        times = [running for running, _, _ in self.results['right']]
        self.assertGreater(max(i for i, running in enumerate(times) if running == 0), 0)
        # Sources seek one after the other, so the first frames may come from one only.
        self.assertNotIn(None, [other for _, other, _ in self.results['right'][-30:]])


common.main()
