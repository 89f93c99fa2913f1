#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Gray frames corrected by the library and by OpenCV are equal in every pixel."""

import unittest

import gi

import common

gi.require_version('GstVideoHistogram', '1.0')
from gi.repository import Gst  # noqa: E402
from gi.repository import GstVideoHistogram as Vh  # noqa: E402

try:
    import numpy
    import cv2
except ImportError as error:
    common.skip(f'{error}; python3-numpy and python3-opencv have them')

PHOTO = common.SOURCE.parent / 'shared/data/kodim03.png'
METHOD = Vh.VideoEqualizeMethod
SEED = 7
CLIP_LIMITS = (0, 0.1, 1, 2, 3.5, 40, 1000)
# Columns, rows, and a size that they divide.
TILINGS = ((8, 8, 128, 96), (8, 8, 8, 8), (1, 1, 37, 23), (2, 3, 46, 51), (5, 4, 155, 84),
           (32, 32, 320, 224), (31, 7, 31 * 9, 7 * 33))


def pictures(random, width, height):
    """Yields (name, picture): noise, natural, few values, low contrast."""
    noise = random.integers(0, 256, (height, width), dtype=numpy.uint8)
    yield 'noise', noise
    for sigma, low, high in ((3, 0, 255), (9, 90, 140), (20, 3, 40)):
        smooth = cv2.GaussianBlur(random.random((height, width)), (0, 0), sigma)
        smooth -= smooth.min()
        smooth *= (high - low) / max(smooth.max(), 1e-9)
        yield f'smooth {low}-{high}', (low + smooth + random.random((height, width))).clip(
            0, 255).astype(numpy.uint8)
    ramp = numpy.add.outer(numpy.arange(height), numpy.arange(width))
    yield 'ramp', ramp.astype(numpy.uint8)
    yield 'two values', numpy.where(noise < 30, 100, 101).astype(numpy.uint8)
    yield 'black and white', numpy.where(noise < 200, 0, 255).astype(numpy.uint8)
    flat = numpy.full((height, width), 77, numpy.uint8)
    flat[0, 0] = 78
    yield 'nearly flat', flat
    if PHOTO.exists():
        photo = cv2.imread(str(PHOTO), cv2.IMREAD_GRAYSCALE)
        yield 'photo', cv2.resize(photo, (width, height), interpolation=cv2.INTER_AREA)


class Equalizer:
    """Corrects each picture alone, at full strength."""

    def __init__(self, method, **settings):
        self.equalizer = Vh.VideoEqualizer.new()
        self.equalizer.open(-1, None)
        wanted = Vh.VideoEqualizerSettings.new()
        wanted.method = method
        wanted.smoothing = 0
        for name, value in settings.items():
            setattr(wanted, name, value)
        self.equalizer.set_settings(wanted)

    def correct(self, picture):
        height, width = picture.shape
        stride = (width + 3) // 4 * 4
        self.equalizer.configure(Gst.Caps.from_string(
            f'video/x-raw,format=GRAY8,width={width},height={height},framerate=25/1'))
        padded = numpy.zeros((height, stride), numpy.uint8)
        padded[:, :width] = picture
        before = Gst.Buffer.new_wrapped(padded.tobytes())
        after = Gst.Buffer.new_allocate(None, padded.size, None)
        assert self.equalizer.process(before, after)
        return numpy.frombuffer(after.extract_dup(0, padded.size), numpy.uint8).reshape(
            height, stride)[:, :width]


class OpenCv(unittest.TestCase):
    def check(self, name, got, wanted):
        wrong = numpy.argwhere(got != wanted)
        if len(wrong):
            y, x = wrong[0]
            self.fail(f'{name}: {len(wrong)} pixels of {got.size} differ, such as {x},{y}: '
                      f'{got[y, x]}, not {wanted[y, x]}')

    def test_equalize_hist(self):
        random = numpy.random.default_rng(SEED)
        equalizer = Equalizer(METHOD.EQUALIZE)
        for width, height in ((320, 240), (1, 2), (7, 3), (33, 65), (1920, 1080)):
            for name, picture in pictures(random, width, height):
                self.check(f'{name} {width}x{height}', equalizer.correct(picture),
                           cv2.equalizeHist(picture))

    def test_clahe(self):
        random = numpy.random.default_rng(SEED)
        for columns, rows, width, height in TILINGS:
            for limit in CLIP_LIMITS:
                equalizer = Equalizer(METHOD.CLAHE, clip_limit=limit, tile_columns=columns,
                                      tile_rows=rows)
                clahe = cv2.createCLAHE(limit, (columns, rows))
                for name, picture in pictures(random, width, height):
                    # OpenCV changes flat pictures, too.
                    if (picture == picture[0, 0]).all():
                        continue
                    self.check(f'{name} {width}x{height} {columns}x{rows} {limit}',
                               equalizer.correct(picture), clahe.apply(picture))


common.main()
