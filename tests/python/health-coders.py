#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera that sees no motion is never frozen, whatever the coder; a camera that hangs is reported
as frozen once. Runs some of the variants of tests/health/coders, or with TEST_LONG many of them,
with drawn pictures."""

import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest

import common


def load_coders():
    loader = importlib.machinery.SourceFileLoader(
        'coders', str(common.SOURCE / 'tests/health/coders'))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('coders', loader))
    loader.exec_module(module)
    return module


coders = load_coders()
LONG = bool(os.environ.get('TEST_LONG'))
FPS = 5
# Kind of coder, its settings, seconds between key frames.
CODERS = (
    ('H.264, quality', ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '24'], 10),
    ('H.264, bitrate', ['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '300k', '-maxrate',
                        '300k', '-bufsize', '600k'], 1),
    ('H.265, quality', ['-c:v', 'libx265', '-preset', 'ultrafast', '-crf', '24', '-x265-params',
                        'log-level=error'], 2),
    ('JPEG', ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '20'], 1),
)
# A coder that skips everything but key frames.
COARSE = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-crf', '36']


def draw_picture(folder):
    path = pathlib.Path(folder, 'picture.png')
    subprocess.run(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i',
                    'mandelbrot=size=640x360:start_scale=0.6', '-frames:v', '1', str(path)],
                   check=True)
    return path


def make_variant(photo, coder, gop, noise=1.5, clock=False, live=40.4):
    frames = str(gop * FPS)
    return coders.Variant(photo, 320, 180, FPS, noise, 0, clock, live,
                          [*coder, '-g', frames, '-keyint_min', frames], 'a picture', '', gop)


class Coders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.photo = draw_picture(cls.folder.name)

    def judge(self, variant, hangs):
        path = os.path.join(self.folder.name, 'camera.mkv')
        coders.encode(variant, coders.Camera(variant, 1).film(hangs), path)
        return coders.judge(path)

    def check_hangs(self, variant, delay):
        found = self.judge(variant, True)
        rating = coders.rate(variant, found)
        self.assertTrue(rating.good, found)
        self.assertEqual(rating.false, 0, found)
        self.assertLessEqual(rating.delay, delay)

    def test_hangs(self):
        for name, coder, gop in CODERS:
            with self.subTest(name):
                variant = make_variant(self.photo, coder, gop, live=90.4)
                self.check_hangs(variant, coders.FREEZE)

    def test_hangs_soon(self):
        """JPEG skips nothing, so a freeze is detected after 5 s."""
        _, coder, gop = CODERS[-1]
        variant = make_variant(self.photo, coder, gop, live=8.4)
        self.check_hangs(variant, 5)

    def test_still(self):
        for gop in (1, 4, 10):
            with self.subTest(gop=gop):
                variant = make_variant(self.photo, COARSE, gop, noise=0.7)
                self.assertEqual(self.judge(variant, False), [])

    def test_left(self):
        """After the people have left, nothing changes."""
        _, coder, _ = CODERS[0]
        variant = make_variant(self.photo, [*coder, '-crf', '28'], 5, live=70)
        variant = variant._replace(visits=((0, 30), (60, 80)))
        self.assertEqual(self.judge(variant, False), [])

    @unittest.skipUnless(LONG, 'needs minutes')
    def test_drawn(self):
        results = [coders.try_variant(seed, [self.photo], self.folder.name)[1]
                   for seed in range(5000, 5030)]
        self.assertEqual(sum(rating.false for both in results for rating in both), 0)
        before, after = ([both[place].good for both in results] for place in (0, 1))
        self.assertGreater(sum(before), 0.7 * len(results))
        self.assertGreater(sum(after), 0.8 * len(results))


common.main()
