#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames just within a limit are OK, frames just beyond it are not: flashes by number, area, place,
step and darker state, day and night by their changes per hour, tints by what is tinted."""

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

WIDTH, HEIGHT, FPS = 200, 200, 24
Condition = Vh.VideoHealthCondition


class Camera:
    """Counts 8-bit full-range frames in every way, and judges them."""

    def __init__(self):
        self.health = Vh.VideoHealth.new()
        spec = Vh.VideoHistogramSpec.new()
        spec.columns = spec.rows = 8
        spec.joint = Vh.VideoHistogramJoint.PREVIOUS
        spec.joint_bins = 256
        self.luma = self.open(spec)
        spec = Vh.VideoHistogramSpec.new()
        spec.joint = Vh.VideoHistogramJoint.CHROMA
        spec.joint_bins = 128
        self.chroma = self.open(spec)

    @staticmethod
    def open(spec):
        engine = Vh.VideoHistogramEngine.new()
        engine.open(Vh.VideoHistogramBackend.CPU, -1, None)
        engine.configure(Gst.Caps.from_string(
            f'video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={FPS}/1,'
            'colorimetry=1:4:7:1'), spec)
        return engine

    def show(self, luma, seconds, blue=None, red=None):
        """Returns the changes."""
        planes = [luma] + [numpy.full((HEIGHT // 2, WIDTH // 2), 128) if plane is None else plane
                           for plane in (blue, red)]
        frame = Gst.Buffer.new_wrapped(
            b''.join(plane.clip(0, 255).astype('u1').tobytes() for plane in planes))
        for engine in (self.luma, self.chroma):
            self.health.add_histogram(engine.submit(frame, None, False))
        self.health.judge(round(seconds * Gst.SECOND), Gst.CLOCK_TIME_NONE)
        changes = []
        there, change = self.health.next_change()
        while there:
            changes.append((change.condition, change.active))
            there, change = self.health.next_change()
        return changes


def code_of(luminance):
    """The code for a luminance in cd/m2, by BT.1886 with a white of 200."""
    return round(255 * (luminance / 200) ** (1 / 2.4))


def is_flashing(pairs, area, darker=60, step=40, corner=True):
    """Shows four seconds with this many flashes a second, in this share of the picture: a corner,
    or the top."""
    camera, found = Camera(), []
    side = round(area ** 0.5 * WIDTH)
    where = numpy.s_[:side, :side] if corner else numpy.s_[:round(area * HEIGHT)]
    for i in range(4 * FPS):
        luma = numpy.full((HEIGHT, WIDTH), code_of(darker))
        if i * 2 * pairs // FPS % 2:
            luma[where] = code_of(darker + step)
        found += camera.show(luma, i / FPS)
    return (Condition.FLASHING, True) in found


class Flashing(unittest.TestCase):
    def test_number(self):
        self.assertFalse(is_flashing(3, 1))
        self.assertTrue(is_flashing(4, 1))

    def test_area(self):
        for corner in (False, True):
            self.assertFalse(is_flashing(4, 0.24, corner=corner))
            self.assertTrue(is_flashing(4, 0.26, corner=corner))

    def test_step(self):
        self.assertFalse(is_flashing(4, 1, step=19))
        self.assertTrue(is_flashing(4, 1, step=21))

    def test_darker_state(self):
        self.assertFalse(is_flashing(4, 1, darker=161, step=30))
        self.assertTrue(is_flashing(4, 1, darker=159, step=30))


class Color(unittest.TestCase):
    def test_flapping(self):
        """Twenty changes between day and night in an hour."""
        camera, found = Camera(), []
        random = numpy.random.default_rng(0)
        blue = random.integers(100, 150, (HEIGHT // 2, WIDTH // 2))
        luma = random.integers(50, 200, (HEIGHT, WIDTH))
        for second in range(3600):
            day = second // 180 % 2 == 0
            found += camera.show(luma, second, blue=blue if day else None)
        flips = [active for condition, active in found if condition == Condition.MONOCHROME]
        self.assertEqual(len(flips), 19)
        self.assertEqual([active for condition, active in found
                          if condition == Condition.FLAPPING], [True])

    def test_magenta(self):
        """Red and blue rise by 30 % within ten seconds; the lower two thirds of the picture have no
        other color."""
        camera = Camera()
        random = numpy.random.default_rng(1)
        grey = random.uniform(0.3, 0.7, (HEIGHT // 2, WIDTH // 2))
        found = [change for second in range(10) for change in camera.show(
            numpy.kron(grey, numpy.ones((2, 2))) * 255, second,
            blue=128 + 255 * grey * 0.3 * (1 - 0.114 - 0.299) / 1.772,
            red=128 + 255 * grey * 0.3 * (1 - 0.114 - 0.299) / 1.402)]
        self.assertEqual([c for c in found if c[0] == Condition.COLOR_CAST],
                         [(Condition.COLOR_CAST, True)])

    def test_sunset(self):
        """For ten minutes the sky is as red as possible, down to the horizon; the ground keeps its
        colors in the light of that sky."""
        camera, found = Camera(), []
        random = numpy.random.default_rng(2)
        own = random.normal(0, 8, (2, HEIGHT // 2, WIDTH // 2))
        for second in range(600):
            red = numpy.sin(second / 600 * numpy.pi)
            blue_plane, red_plane = 128 + own
            sky = numpy.s_[:HEIGHT // 3]
            blue_plane[sky] -= 40 * red
            red_plane[sky] += 75 * red
            found += camera.show(numpy.full((HEIGHT, WIDTH), 125), second, blue=blue_plane,
                                 red=red_plane)
        self.assertNotIn((Condition.COLOR_CAST, True), found)


common.main()
