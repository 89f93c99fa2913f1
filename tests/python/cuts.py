#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""videoequalize finds cuts in coded footage, and does not mistake anything else for one.

The first frame after a cut is corrected with its own curve; no other frame is. The footage is not
part of the project: it is in ../shared/data next to the checkout, or in the folder TEST_DATA."""

import os
import pathlib
import subprocess
import unittest

import common
import gi
import numpy
from common import Gst

gi.require_version('GstVideoHistogram', '1.0')
from gi.repository import GstVideoHistogram as Vh  # noqa: E402

DATA = pathlib.Path(os.environ.get('TEST_DATA') or common.SOURCE.parent / 'shared' / 'data')
CCTV, QUAY, ROOM = 'cctv-768x576.avi', 'health/quay-frozen.mkv', 'health/room-spray.mkv'
WIDTH, HEIGHT, FPS = 320, 176, 25
LENGTH = 60
CUT = 30
CAPS = f'video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT},framerate={FPS}/1'
METHODS = {'equalize': Vh.VideoEqualizeMethod.EQUALIZE, 'clahe': Vh.VideoEqualizeMethod.CLAHE}


def run(*arguments, given=None):
    return subprocess.run(['ffmpeg', '-v', 'error', *arguments], input=given, check=True,
                          capture_output=True).stdout


def pictures(raw):
    return numpy.frombuffer(raw, numpy.uint8).reshape(-1, HEIGHT, WIDTH)


def load(clip, number=LENGTH):
    return pictures(run('-i', DATA / clip, '-vf', f'scale={WIDTH}:{HEIGHT}', '-frames:v',
                        str(number), '-pix_fmt', 'gray', '-f', 'rawvideo', '-'))


def code(frames, crf):
    """Codes frames with x264."""
    coded = run('-f', 'rawvideo', '-pix_fmt', 'gray', '-s', f'{WIDTH}x{HEIGHT}', '-r', str(FPS),
                '-i', '-', '-c:v', 'libx264', '-preset', 'veryfast', '-crf', str(crf),
                '-pix_fmt', 'yuv420p', '-f', 'matroska', '-', given=frames.tobytes())
    return pictures(run('-i', '-', '-pix_fmt', 'gray', '-f', 'rawvideo', '-', given=coded))


def lit(frames, factors):
    return numpy.stack([(frame * factor).clip(0, 255).astype(numpy.uint8)
                        for frame, factor in zip(frames, factors)])


def noisy(frames):
    noise = numpy.random.default_rng(1).normal(0, 12, frames.shape)
    return (frames + noise).clip(0, 255).astype(numpy.uint8)


def changed(frames, change):
    return numpy.concatenate([frames[:CUT], change(frames[CUT:])])


def lamp(factor):
    return lambda frames: lit(frames, [factor if i >= CUT else 1 for i in range(len(frames))])


def flicker(frames):
    """Light of 50 Hz mains at 30 frames a second."""
    return lit(frames, 1 + 0.1 * numpy.sin(2 * numpy.pi * numpy.arange(len(frames)) / 3 + 1))


# Changes of a clip, and the methods that have to find a cut.
CHANGES = {
    'nothing': (lambda frames: frames, ()),
    'noise': (noisy, ()),
    'flicker': (flicker, ()),
    'a darker lamp': (lamp(0.85), ()),
    'a brighter lamp': (lamp(1.15), ()),
    'mirrored': (lambda frames: changed(frames, lambda rest: rest[:, :, ::-1]), ('clahe',)),
    'upside down': (lambda frames: changed(frames, lambda rest: rest[:, ::-1]), ('clahe',)),
    'halves swapped': (lambda frames: changed(frames, lambda rest: numpy.roll(
        rest, WIDTH // 2, 2)), ('clahe',)),
}


class Cuts(unittest.TestCase):
    def own(self, frames, method):
        """Returns the frames, apart from the first, that are corrected with their own curves."""
        stream, alone = (Vh.VideoEqualizer.new() for _ in range(2))
        for equalizer in stream, alone:
            settings = Vh.VideoEqualizerSettings.new()
            settings.method = METHODS[method]
            self.assertTrue(equalizer.open(-1, None))
            equalizer.set_settings(settings)
            equalizer.configure(Gst.Caps.from_string(CAPS))
        found = []
        for i, frame in enumerate(frames):
            outputs = []
            for equalizer in stream, alone:
                if equalizer is alone:
                    equalizer.reset()
                buffer = Gst.Buffer.new_allocate(None, WIDTH * HEIGHT, None)
                buffer.fill(0, frame.tobytes())
                buffer.pts = i * Gst.SECOND // FPS
                self.assertTrue(equalizer.process(buffer, buffer))
                outputs.append(buffer.extract_dup(0, WIDTH * HEIGHT))
            if outputs[0] == outputs[1] and i > 0:
                found.append(i)
        return found

    def test_changes(self):
        for clip in CCTV, QUAY:
            frames = load(clip)
            for name, (change, methods) in CHANGES.items():
                coded = code(change(frames), 33)
                for method in METHODS:
                    with self.subTest(clip, change=name, method=method):
                        self.assertEqual(self.own(coded, method), [CUT] if method in methods
                                         else [])

    def test_scenes(self):
        """Scenes whose histograms differ by less than scene-threshold."""
        for first, second in ((CCTV, QUAY), (ROOM, CCTV), (QUAY, ROOM)):
            coded = code(numpy.concatenate([load(first)[:CUT], load(second)[:CUT]]), 28)
            for method in METHODS:
                with self.subTest(f'{first}, {second}', method=method):
                    self.assertEqual(self.own(coded, method), [CUT])


for path in CCTV, QUAY, ROOM:
    if not (DATA / path).exists():
        common.skip(f'there is no {DATA / path}')
common.main()
