#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Black scenes and freezes start and end at the frames that ffmpeg's blackdetect and freezedetect
report, and differences between frames equal those of its scdet: 2 clips of 8 and of 10 bits, or 20
with TEST_LONG."""

import os
import pathlib
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

MAX_JOINT_BINS = 256
WIDTH, HEIGHT, FPS = 96, 64, 25
SIZE = WIDTH * HEIGHT * 3 // 2
LUMA = WIDTH * HEIGHT
FORMATS = {8: ('yuv420p', 'I420', numpy.uint8), 10: ('yuv420p10le', 'I420_10LE', numpy.uint16)}

# Since some version after 7, and certainly in 9, freezedetect gives chroma more weight than its
# samples have. Frozen pictures therefore differ in luma only, which is judged as before.
VERSION = subprocess.run(['ffmpeg', '-version'], capture_output=True, text=True, check=True).stdout
MAJOR = re.search(r'version n?(\d+)', VERSION)
CHROMA_COUNTS = MAJOR is not None and int(MAJOR[1]) <= 7

# What moves in the clips: ffmpeg's sources, and real footage if there is any.
SOURCES = ('testsrc2', 'mandelbrot', 'life=mold=10:ratio=0.3:death_color=#306080', 'smptebars',
           'gradients')
FOOTAGE = ('cctv-768x576.avi', 'bikes.mp4', 'kodim03.png')
DATA = pathlib.Path(os.environ.get('TEST_DATA') or common.SOURCE.parent / 'shared' / 'data')
CLIPS = 20 if os.environ.get('TEST_LONG') else 2


def read_source(number):
    """Returns I420 frames of 8 bits as numbers, or None if the footage is missing."""
    name = (SOURCES + FOOTAGE)[number % len(SOURCES + FOOTAGE)]
    if name in FOOTAGE:
        path = DATA / name
        if not path.exists():
            return None
        source = ['-i', str(path)]
    else:
        separator = ':' if '=' in name else '='
        source = ['-f', 'lavfi', '-i', f'{name}{separator}size={WIDTH}x{HEIGHT}:rate={FPS}']
    data = subprocess.run(
        ['ffmpeg', '-v', 'error', *source, '-vf', f'scale={WIDTH}:{HEIGHT}', '-frames:v', '200',
         '-pix_fmt', 'yuv420p', '-f', 'rawvideo', '-'], capture_output=True, check=True).stdout
    return numpy.frombuffer(data, numpy.uint8).reshape(-1, SIZE).astype(float)


def make_clip(random, moving, depth):
    """Makes I420 frames: motion, fades to black, and freezes with a little drifting noise."""
    frames, at, noise = [], 0, random.uniform(2, 6)

    def show():
        nonlocal at
        at += 1
        frames.append(moving[at % len(moving)] + random.normal(0, noise, SIZE))

    for _ in range(3):
        for _ in range(random.integers(20, 80)):
            show()
        scene, steps = frames[-1], random.integers(4, 150)
        for i in range(steps + random.integers(60, 120)):
            share = max(0, 1 - i / steps)
            faded = scene * share + (1 - share) * 128
            faded[:LUMA] = scene[:LUMA] * share + (1 - share) * 16
            frames.append(faded + random.normal(0, 1.5, SIZE))
        for _ in range(random.integers(20, 60)):
            show()
        frozen, drift = frames[-1], random.choice([0, 0.004])
        for i in range(random.integers(60, 140)):
            changed = random.random(SIZE) < drift * i
            changed[LUMA:] &= CHROMA_COUNTS
            frames.append(frozen + changed)
        show()
    scale = 1 << (depth - 8)
    return [(frame * scale).clip(0, 256 * scale - 1).astype(FORMATS[depth][2])
            for frame in frames]


def ask_ffmpeg(frames, depth):
    """Returns [(first frame, frame after the last)] of black scenes and of finished freezes, and
    for all frames but the first the mean absolute difference to the frame before, in percent."""
    log = subprocess.run(
        ['ffmpeg', '-f', 'rawvideo', '-pix_fmt', FORMATS[depth][0], '-s', f'{WIDTH}x{HEIGHT}',
         '-r', str(FPS), '-i', '-', '-vf', 'blackdetect=d=2,freezedetect=n=0.001:d=2,scdet,'
         'metadata=print:key=lavfi.scd.mafd', '-f', 'null', '-'],
        input=b''.join(frame.tobytes() for frame in frames), capture_output=True,
        check=True).stderr.decode()
    names = (('black_start:', 'black_end:'), ('freeze_start: ', 'freeze_end: '))
    found = [list(zip(*([round(float(time) * FPS)
                         for time in re.findall(name + r'([\d.]+)', log)] for name in pair)))
             for pair in names]
    return found + [re.findall(r'lavfi.scd.mafd=([\d.]+)', log)[1:]]


def open_engine(depth):
    engine = Vh.VideoHistogramEngine.new()
    engine.open(Vh.VideoHistogramBackend.CPU, -1, None)
    spec = Vh.VideoHistogramSpec.new()
    spec.bins = 1 << depth
    spec.joint = Vh.VideoHistogramJoint.PREVIOUS
    spec.joint_bins = min(1 << depth, MAX_JOINT_BINS)
    engine.configure(Gst.Caps.from_string(
        f'video/x-raw,format={FORMATS[depth][1]},width={WIDTH},height={HEIGHT},'
        f'framerate={FPS}/1,colorimetry=bt601'), spec)
    return engine


def difference_of(joint):
    """Returns the mean absolute difference in a joint histogram, in percent, as text."""
    bins = joint.get_n_a()
    counts = numpy.array(joint.get_counts(), float).reshape(bins, bins)
    level = numpy.arange(bins)
    return f'{100 * (counts * abs(level[:, None] - level)).sum() / counts.sum() / bins:.3f}'


def ask_health(frames, depth):
    health = Vh.VideoHealth.new()
    health.set_conditions(Vh.VideoHealthConditions.BLACK | Vh.VideoHealthConditions.FROZEN)
    # ffmpeg uses one threshold for start and end.
    health.set_rules('black,leave=0.9799999; frozen,leave=0.0010001')
    engine = open_engine(depth)
    found = {Vh.VideoHealthCondition.BLACK: [], Vh.VideoHealthCondition.FROZEN: []}
    kept, differences = None, []
    for number, frame in enumerate(frames):
        histogram = engine.submit(Gst.Buffer.new_wrapped(frame.tobytes()), None, False)
        health.add_histogram(histogram)
        if depth == 8 and number > 0:
            differences.append(difference_of(histogram.get_joint()))
        samples = frame.astype(int)
        if kept is not None:
            health.add_difference(numpy.abs(samples - kept).sum() / SIZE / (1 << depth))
        health.judge(number * Gst.SECOND // FPS, Gst.CLOCK_TIME_NONE)
        if health.wants_frame():
            kept = samples
        there, change = health.next_change()
        while there:
            found[change.condition].append(round(change.since * FPS / Gst.SECOND))
            there, change = health.next_change()
    return [list(zip(times[::2], times[1::2])) for times in found.values()] + [differences]


class Ffmpeg(unittest.TestCase):
    def compare(self, moving, seed, depth):
        frames = make_clip(numpy.random.default_rng(seed), moving, depth)
        theirs, ours = ask_ffmpeg(frames, depth), ask_health(frames, depth)
        self.assertGreater(len(theirs[0]), 0)
        self.assertEqual(ours[0], theirs[0])
        # A black picture is reported as black, not as frozen.
        freezes = [freeze for freeze in theirs[1]
                   if not any(start - 30 < freeze[0] < end for start, end in theirs[0])]
        self.assertGreater(len(freezes), 0)
        self.assertEqual(ours[1], freezes)
        if depth == 8:
            self.assertEqual(ours[2], theirs[2])

    def test_same_frames(self):
        for seed in range(CLIPS):
            moving = read_source(seed)
            for depth in FORMATS:
                if moving is not None:
                    with self.subTest(seed=seed, depth=depth):
                        self.compare(moving, seed, depth)


common.main()
