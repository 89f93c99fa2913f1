#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The numbers and names of scopes can be read: tesseract reads them, in 640x360 and in 3840x2160."""

import re
import shutil
import subprocess
import tempfile
import unittest

import common
from common import Gst

if not shutil.which('tesseract'):
    common.skip('there is no tesseract; tesseract-ocr has it')

# How much larger small text is made for tesseract, which expects letters of 30 pixels.
SIZES = ((640, 360, 4), (3840, 2160, 1))


def read(settings, width, height, factor):
    """The words that tesseract finds in a black frame with @settings."""
    with tempfile.NamedTemporaryFile(suffix='.png') as file:
        pipeline = Gst.parse_launch(
            'videotestsrc num-buffers=1 pattern=black ! video/x-raw,format=I420,'
            f'width={width},height={height} ! videoscope graticule=white {settings} '
            '! videoconvert ! videoscale method=lanczos ! video/x-raw,format=GRAY8,'
            f'width={width * factor},height={height * factor} ! pngenc '
            f'! filesink location={file.name}')
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(
            60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        assert message and message.type == Gst.MessageType.EOS, message
        pipeline.set_state(Gst.State.NULL)
        text = subprocess.run(['tesseract', file.name, '-', '--psm', '11'], capture_output=True,
                              text=True, check=True).stdout
    return set(re.findall(r'[A-Za-z]+|\d+', text))


class Text(unittest.TestCase):
    def check(self, settings, *words):
        for width, height, factor in SIZES:
            with self.subTest(size=f'{width}x{height}', settings=settings):
                self.assertLessEqual(set(words), read(settings, width, height, factor))

    def test_waveform_alone(self):
        self.check('layout=only scopes=waveform', 'Waveform', 'luma', '25', '50', '75', '100')

    def test_histogram_alone(self):
        self.check('layout=only scopes=histogram scale=code', 'Histogram', '71', '126', '180',
                   '235')

    def test_vectorscope_alone(self):
        self.check('layout=only scopes=vectorscope skin-line=0 targets=75', 'Vectorscope', 'Mg',
                   'Cy')

    def test_over_the_picture(self):
        self.check('scopes=waveform+histogram size=0.5 opacity=1', 'Waveform', 'Histogram', '50',
                   '75')


common.main()
