#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a table of streams from real coders through videohealth, pipelines/file-to-jsonl and
videohistogram-monitor, and checks what must and must not be reported for each."""

import dataclasses
import json
import os
import re
import subprocess
import sys
import unittest

import streams
from streams import Clip

if 'TEST_MONITOR' in os.environ:
    sys.path.insert(0, str(streams.ROOT / 'tests/monitor'))
    import common

LONG = bool(os.environ.get('TEST_LONG'))


@dataclasses.dataclass(frozen=True)
class Stream:
    """@make returns the path. The conditions in @must have to be reported once each and, if @over,
    end before the stream does; those in @may may be reported, and no others. @frames is the least
    and the most frames to be decoded, or None if not known. @left_out frames come before the first
    key frame, give or take @reordered; if @marked, decoders flag them, so that videohealth skips
    them without help."""
    make: object
    must: frozenset = frozenset()
    may: frozenset = frozenset()
    over: bool = False
    frames: tuple = None
    left_out: int = 0
    reordered: int = 0
    marked: bool = True
    live: bool = True       # also run by the monitor
    quick: bool = True


def whole(clip, must=(), may=(), **options):
    count = round(clip.seconds * clip.rate)
    # Decoders sometimes lose the last frame.
    options.setdefault('frames', (count - 1, count))
    return Stream(lambda: streams.make(clip), frozenset(must), frozenset(may), **options)


def joined(clip, seconds, **options):
    count = round(clip.seconds * clip.rate)
    gop = round(clip.gop * clip.rate)
    skipped = gop - max(1, round(seconds * clip.rate))
    left = count - gop
    # Frames shown before the key frame but sent after it may be lost with it.
    return Stream(lambda: streams.join(clip, seconds), left_out=skipped, reordered=clip.bframes,
                  frames=(left - clip.bframes - 1, left + clip.bframes), **options)


def damaged(function, clip, *arguments, **options):
    return Stream(lambda: function(streams.make(clip), *arguments), **options)


def changing_size():
    """The size changes in mid-stream, and back."""
    parts = [streams.make(Clip(scene='walkers', seconds=8, width=width, height=height))
             for width, height in ((320, 240), (480, 360), (320, 240))]
    return streams.cached(('sizes', *parts), 'h264', lambda path: path.write_bytes(
        b''.join(bytes(data) for part in parts for _, _, data in streams.elementary(part))))


def variable_rate():
    """The rate drops from 10 frames a second to 1 and rises again, as with cameras that save
    bandwidth at night."""
    source = streams.make(Clip(scene='walkers', seconds=24))
    return streams.cached(('variable', source), 'mkv', lambda path: subprocess.run(
        ['ffmpeg', '-v', 'error', '-i', source, '-vf',
         'select=lt(mod(n\\,120)\\,60)+not(mod(n\\,10))', '-fps_mode', 'vfr', '-c:v', 'libx264',
         '-preset', 'veryfast', '-threads', '1', path], check=True))


def jumping():
    """Times jump back by the length of a clip twice, and far ahead once."""
    clip = streams.make(Clip(scene='walkers', seconds=8))
    later = streams.shift(clip, 9800)
    return streams.cached(('jumping', clip), 'ts', lambda path: path.write_bytes(
        b''.join(part.read_bytes() for part in (clip, clip, later, clip))))


WALKERS = Clip(scene='walkers', gop=5, bframes=3, seconds=15)
# By then the camera's usual picture has been learned, also if no key frame stands out.
FREEZE = Clip(scene='walkers', gop=5, seconds=96, freezes=((76, 87),))
ROOM = Clip(gop=5, seconds=20)
DARK = {'dark', 'low-contrast', 'monochrome', 'blurry', 'covered', 'moved'}
CODERS = ['x264-crf23', 'x264-crf28', 'x264-cbr', 'x265-crf28', 'x265-cbr', 'mpeg2', 'mpeg4',
          'mjpeg']
# These coders skip what does not move, so a freeze before them looks like people who leave: see
# docs/videohealth.md.
SELDOM_FROZEN = {'x264-crf28', 'x265-crf28'}
QUICK = {'x264-crf28', 'x265-crf28', 'mjpeg', 'mpeg2'}


def of(clip, **changes):
    if changes.get('coder') == 'mjpeg':
        changes['container'] = 'avi'
    if changes.get('coder') == 'mpeg2':     # it supports no slower rates
        changes.setdefault('rate', 24)
    return dataclasses.replace(clip, **changes)


STREAMS = {
    # Nothing is wrong with these.
    **{f'{coder}': whole(of(WALKERS, coder=coder), quick=coder in QUICK) for coder in CODERS},
    **{f'gop-{gop}-s': whole(of(WALKERS, coder=coder, gop=gop, rate=rate, seconds=40), quick=False)
       for gop, rate, coder in ((1, 30, 'x264-crf28'), (10, 10, 'x265-crf28'),
                                (30, 5, 'x264-crf28'))},
    'open-gop': whole(of(WALKERS, coder='x264-open'), quick=False),
    'refresh': whole(of(WALKERS, coder='x264-refresh')),
    'variable-rate': Stream(variable_rate),
    'sizes': Stream(changing_size, frames=(230, 240)),
    # The same clip again and again is a loop.
    'jumping': Stream(jumping, may=frozenset({'looping'}), live=False),
    'lost-packets': damaged(streams.lose, WALKERS, 0.02, 6, 9),
    'bit-errors': damaged(streams.flip, WALKERS, 0.05, 6, 9),
    **{f'joined-{coder}-{bframes}': joined(
        of(WALKERS, coder=coder, bframes=bframes), 1, marked=coder.startswith('x264'),
        quick=bframes == 0)
       for coder in ('x264-crf28', 'x265-crf28', 'mpeg2') for bframes in (0, 3)},
    'joined-footage': joined(Clip(scene='cctv-768x576.avi', gop=12, seconds=30), 1, quick=False),
    # Nothing moves.
    **{f'still-{coder}': whole(of(ROOM, coder=coder), quick=coder in QUICK) for coder in CODERS},
    # People leave, and nothing moves any more.
    **{f'left-{coder}': whole(of(WALKERS, coder=coder, scene='leaving', seconds=90), live=False,
                              quick=coder == 'x264-crf28') for coder in CODERS},
    'left-vp9': whole(of(WALKERS, coder='vp9', scene='leaving', seconds=90, noise=1.5,
                         container='mkv'), live=False),
    # A freeze before the coder, and a covered lens.
    **{f'frozen-{coder}': whole(of(FREEZE, coder=coder), {'frozen'}, over=True, live=False,
                                quick=coder in ('x264-cbr', 'mjpeg'))
       for coder in CODERS if coder not in SELDOM_FROZEN},
    **{f'black-{coder}': whole(of(WALKERS, coder=coder, scene='dark'), {'black'}, DARK,
                               quick=coder in QUICK) for coder in CODERS},
}


def selected():
    """Yields (name, stream, path) of the streams that can be made here."""
    for name, stream in STREAMS.items():
        if not (stream.quick or LONG):
            continue
        try:
            yield name, stream, stream.make()
        except subprocess.CalledProcessError:   # the footage is missing
            print(f'left out: {name}')


class Files(unittest.TestCase):
    def check_told(self, stream, told):
        begun = [what[1:] for _, what, _ in told if what[0] == '+']
        ended = [what[1:] for _, what, _ in told if what[0] == '-']
        self.assertEqual(set(begun) - stream.may, stream.must, told)
        for condition in stream.must:
            self.assertEqual(begun.count(condition), 1, told)
            self.assertTrue(condition in ended or not stream.over, told)

    def test_videohealth(self):
        for name, stream, path in selected():
            if stream.marked:
                with self.subTest(stream=name):
                    self.check_told(stream, streams.changes(path))

    def test_long_duration(self):
        """A freeze is reported once it has lasted for the duration, however long that is: nothing
        is learned from it meanwhile."""
        path = streams.make(Clip(coder='x264-cbr', scene='walkers', seconds=150,
                                 freezes=((80, 130),)))
        for duration, count in (2, 2), (30, 2), (60, 0):
            with self.subTest(duration=duration):
                told = streams.changes(path, conditions='frozen',
                                       rules=f'frozen,duration={duration}s')
                self.assertEqual([what for _, what, _ in told], ['+frozen', '-frozen'][:count])
                if told:
                    self.assertAlmostEqual(told[0][0], 80 + duration, delta=2)
                    self.assertAlmostEqual(told[1][0], 135, delta=2)

    def check_lines(self, stream, path):
        done = subprocess.run([streams.ROOT / 'pipelines/file-to-jsonl', path, '--no-counts',
                               '--channels', 'luma'], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        if stream.frames:
            least, most = stream.frames
            self.assertTrue(least <= len(lines) <= most, f'{len(lines)} of {stream.frames}')
        # Frames shown before the first one but sent after it may come, too.
        left_out = re.search(r'the first (\d+) frames', done.stderr)
        self.assertLessEqual(abs(stream.left_out - int(left_out[1] if left_out else 0)),
                             stream.reordered, done.stderr)
        times = [line['running-time'] for line in lines]
        self.assertEqual(times, sorted(times))
        # Gray in place of missing data would show.
        averages = [line['luma-average'] for line in lines]
        if 'black' not in stream.must:
            self.assertLess(max(averages) - min(averages), 0.05)

    def test_file_to_jsonl(self):
        """There is a line for each whole frame, in order, with rising times."""
        for name, stream, path in selected():
            with self.subTest(stream=name):
                self.check_lines(stream, path)


if 'TEST_MONITOR' in os.environ:
    class Cameras(common.Case):
        """The monitor reports the same for all streams at once, as its cameras."""

        def test_monitor(self):
            cameras = {name: (stream, path) for name, stream, path in selected() if stream.live}
            monitor = self.monitor(*(f'{name}={path}' for name, (_, path) in cameras.items()))
            common.wait_for(lambda: all(monitor.camera(name)['frames']
                                        >= WALKERS.seconds * WALKERS.rate / 2
                                        for name in cameras), 'frames of all')
            must = {(name, condition) for name, (stream, _) in cameras.items()
                    for condition in stream.must}
            told = common.wait_for(lambda: (
                told := {(e['camera'], e['condition']) for e in monitor.json('events?limit=1000')}
            ) >= must and told, must)
            for name, condition in told - must:
                self.assertIn(condition, cameras[name][0].may, f'{name}: {condition}')


if __name__ == '__main__':
    unittest.main() if 'TEST_MONITOR' not in os.environ else common.main()
