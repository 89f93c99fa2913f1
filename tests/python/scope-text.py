#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The numbers and names in scopes are readable: tesseract reads them in 640x360 and 3840x2160."""

import re
import shutil
import subprocess
import tempfile
import unittest

import common
from common import Gst

try:
    import numpy
except ImportError as error:
    common.skip(f'{error}; python3-numpy has it')
if not shutil.which('tesseract'):
    common.skip('there is no tesseract; tesseract-ocr has it')

# The scale for tesseract, which expects letters of about 30 pixels.
SIZES = ((640, 360, 3), (3840, 2160, 0.5))


def draw(settings, width, height, factor):
    """Draws a black frame with @settings, scaled; returns luma as an array."""
    scaled = int(width * factor), int(height * factor)
    pipeline = Gst.parse_launch(
        'videotestsrc num-buffers=1 pattern=black ! video/x-raw,format=I420,'
        f'width={width},height={height} ! videoscope graticule=white {settings} '
        '! videoconvert ! videoscale method=lanczos ! video/x-raw,format=GRAY8,'
        f'width={scaled[0]},height={scaled[1]} '
        '! fakesink name=sink signal-handoffs=true')
    got = []
    pipeline.get_by_name('sink').connect('handoff', lambda _sink, buffer, _pad:
                                         got.append(buffer.extract_dup(0, buffer.get_size())))
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    assert message and message.type == Gst.MessageType.EOS, message
    pipeline.set_state(Gst.State.NULL)
    return numpy.frombuffer(got[0], numpy.uint8).reshape(scaled[::-1])


def read(picture, part, numbers):
    """Reads the words, or only numbers, in a part of a picture (left, top, right, bottom, as
    shares), dark on white with a margin. A tall part has a number per line, others are one line."""
    height, width = picture.shape
    left, top, right, bottom = part
    cut = 255 - picture[int(top * height):int(bottom * height),
                        int(left * width):int(right * width)]
    cut = numpy.pad(cut, 40, constant_values=255)
    mode = '6' if numbers and cut.shape[0] > cut.shape[1] else '7'
    only = ['-c', 'tessedit_char_whitelist=0123456789 '] if numbers else []
    with tempfile.NamedTemporaryFile(suffix='.pgm') as file:
        file.write(b'P5 %d %d 255\n' % (cut.shape[1], cut.shape[0]) + cut.tobytes())
        file.flush()
        text = subprocess.run(['tesseract', file.name, '-', '--psm', mode, *only],
                              capture_output=True, text=True, check=True).stdout
    return set(re.findall(r'[A-Za-z]+|\d+', text))


class Text(unittest.TestCase):
    def check(self, settings, *parts):
        for width, height, factor in SIZES:
            picture = draw(settings, width, height, factor)
            for part, words in parts:
                with self.subTest(size=f'{width}x{height}', settings=settings):
                    wanted = set(words.split())
                    self.assertLessEqual(wanted, read(picture, part, min(wanted).isdigit()))

    def test_waveform_alone(self):
        self.check('layout=only scopes=waveform', ((0, 0, 0.5, 0.065), 'Waveform luma'),
                   ((0, 0.065, 0.08, 1), '25 50 75 100'))

    def test_histogram_alone(self):
        self.check('layout=only scopes=histogram scale=code',
                   ((0, 0, 0.5, 0.065), 'Histogram luma code'),
                   ((0, 0.935, 1, 1), '71 126 180 235'))

    def test_vectorscope_alone(self):
        self.check('layout=only scopes=vectorscope skin-line=0 targets=75',
                   ((0, 0, 0.4, 0.065), 'Vectorscope'),
                   ((0.565, 0.29, 0.62, 0.36), 'Mg'))

    def test_over_the_picture(self):
        self.check('scopes=waveform size=0.8 opacity=1 position=bottom-left',
                   ((0, 0.2, 0.4, 0.255), 'Waveform luma'),
                   ((0, 0.26, 0.066, 0.98), '25 50 100'))


common.main()
