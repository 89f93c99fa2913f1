#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Black scenes and freezes begin and end at the frames that ffmpeg's blackdetect and
freezedetect say."""

import re
import shutil
import subprocess
import unittest

import gi

import common

gi.require_version('GstVideoHistogram', '1.0')
from gi.repository import Gst  # noqa: E402
from gi.repository import GstVideoHistogram as Vh  # noqa: E402

try:
    import numpy
except ImportError as error:
    common.skip(f'{error}; python3-numpy has it')
if not shutil.which('ffmpeg'):
    common.skip('there is no ffmpeg')

WIDTH, HEIGHT, FPS = 96, 64, 25
SIZE = WIDTH * HEIGHT * 3 // 2
LUMA = WIDTH * HEIGHT


def make_clip(random):
    """Frames of I420: motion, fades to black, and freezes with a little noise, which drift."""
    frames = []
    scene = random.integers(30, 230, (SIZE,)).astype(float)
    for _ in range(4):
        for _ in range(random.integers(20, 80)):
            scene += random.normal(0, 6, SIZE)
            frames.append(scene)
            scene = scene.clip(20, 235)
        steps = random.integers(4, 150)
        for i in range(steps + random.integers(30, 90)):
            share = max(0, 1 - i / steps)
            faded = scene * share + (1 - share) * 128
            faded[:LUMA] = scene[:LUMA] * share + (1 - share) * 16
            frames.append(faded + random.normal(0, 1.5, SIZE))
        for _ in range(random.integers(20, 60)):
            frames.append(scene + random.normal(0, 6, SIZE))
        frozen, drift = frames[-1], random.choice([0, 0.004])
        for i in range(random.integers(30, 140)):
            frames.append(frozen + (random.random(SIZE) < drift * i))
    return [frame.clip(0, 255).astype(numpy.uint8) for frame in frames]


def ask_ffmpeg(frames):
    """[(first frame, frame after it)] of black scenes and of freezes that have ended."""
    log = subprocess.run(
        ['ffmpeg', '-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', f'{WIDTH}x{HEIGHT}',
         '-r', str(FPS), '-i', '-', '-vf', 'blackdetect=d=2,freezedetect=n=0.001:d=2',
         '-f', 'null', '-'],
        input=b''.join(frame.tobytes() for frame in frames), capture_output=True,
        check=True).stderr.decode()
    names = (('black_start:', 'black_end:'), ('freeze_start: ', 'freeze_end: '))
    return [list(zip(*([round(float(time) * FPS)
                        for time in re.findall(name + r'([\d.]+)', log)] for name in pair)))
            for pair in names]


def ask_health(frames):
    health = Vh.VideoHealth.new()
    health.set_conditions(Vh.VideoHealthConditions.BLACK | Vh.VideoHealthConditions.FROZEN)
    # ffmpeg has one threshold for both.
    health.set_rules('black,leave=0.9799999; frozen,leave=0.0010001')
    engine = Vh.VideoHistogramEngine.new()
    engine.open(Vh.VideoHistogramBackend.CPU, -1, None)
    engine.configure(Gst.Caps.from_string(
        f'video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={FPS}/1,'
        'colorimetry=bt601'), Vh.video_histogram_spec_init())
    found = {Vh.VideoHealthCondition.BLACK: [], Vh.VideoHealthCondition.FROZEN: []}
    kept = None
    for number, frame in enumerate(frames):
        health.add_histogram(engine.submit(Gst.Buffer.new_wrapped(frame.tobytes()), None, False))
        samples = frame.astype(int)
        if kept is not None:
            health.add_difference(numpy.abs(samples - kept).sum() / SIZE / 256)
        health.judge(number * Gst.SECOND // FPS, Gst.CLOCK_TIME_NONE)
        if health.wants_frame():
            kept = samples
        there, change = health.next_change()
        while there:
            found[change.condition].append(round(change.since * FPS / Gst.SECOND))
            there, change = health.next_change()
    return [list(zip(times[::2], times[1::2])) for times in found.values()]


class Ffmpeg(unittest.TestCase):
    def test_same_frames(self):
        for seed in range(4):
            frames = make_clip(numpy.random.default_rng(seed))
            theirs, ours = ask_ffmpeg(frames), ask_health(frames)
            with self.subTest(seed=seed):
                self.assertGreater(len(theirs[0]), 0)
                self.assertEqual(ours[0], theirs[0])
                # A black picture is black and not frozen.
                freezes = [freeze for freeze in theirs[1]
                           if not any(start - 30 < freeze[0] < end for start, end in theirs[0])]
                self.assertGreater(len(freezes), 0)
                self.assertEqual(ours[1], freezes)


common.main()
