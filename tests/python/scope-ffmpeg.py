#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""videoscope lights exactly the pixels that ffmpeg's waveform, vectorscope and histogram light, for
8-bit 4:4:4 pictures with layout=only and without a graticule."""

import os
import pathlib
import shutil
import subprocess
import unittest

import common
from common import Gst

try:
    import numpy
except ImportError as error:
    common.skip(f'{error}; python3-numpy has it')
if not shutil.which('ffmpeg'):
    common.skip('there is no ffmpeg')

WIDTH, HEIGHT = 320, 240
DATA = pathlib.Path(os.environ.get('TEST_DATA') or common.SOURCE.parent / 'shared' / 'data')
BLACK = 16


def pictures():
    """Yields names and bytes of Y444 pictures: generated ones, and real ones if there are any."""
    sources = [('random', None)]
    sources += [(name, ['-f', 'lavfi', '-i', f'{name}=size={WIDTH}x{HEIGHT}:rate=1'])
                for name in ('testsrc2', 'mandelbrot', 'smptehdbars')]
    sources += [(name, ['-i', str(DATA / name)]) for name in ('kodim03.png', 'bikes.mp4')
                if (DATA / name).exists()]
    for name, source in sources:
        if source:
            data = subprocess.run(
                ['ffmpeg', '-v', 'error', *source, '-vf', f'scale={WIDTH}:{HEIGHT}', '-frames:v',
                 '1', '-pix_fmt', 'yuv444p', '-f', 'rawvideo', '-'], capture_output=True,
                check=True).stdout
        else:
            data = numpy.random.default_rng(7).integers(
                0, 256, 3 * WIDTH * HEIGHT, numpy.uint8).tobytes()
        yield name, data


def ask_ffmpeg(data, scope, shape):
    """Returns the luma of what a filter draws for a picture."""
    drawn = subprocess.run(
        ['ffmpeg', '-v', 'error', '-f', 'rawvideo', '-pix_fmt', 'yuv444p', '-s',
         f'{WIDTH}x{HEIGHT}', '-color_range', 'tv', '-i', '-', '-vf', f'{scope},format=yuv444p',
         '-f', 'rawvideo', '-'], input=data, capture_output=True, check=True).stdout
    return numpy.frombuffer(drawn, numpy.uint8)[:shape[0] * shape[1]].reshape(shape)


def ask_scope(data, settings, shape):
    """Likewise for videoscope."""
    pipeline = Gst.parse_launch(
        'appsrc name=source format=time ! videoscope name=scope layout=only graticule=none '
        f'intensity=gain gain=1000000 {settings} ! video/x-raw,width={shape[1]},height={shape[0]} '
        '! fakesink name=sink signal-handoffs=true')
    source, sink = pipeline.get_by_name('source'), pipeline.get_by_name('sink')
    source.set_property('caps', Gst.Caps.from_string(
        f'video/x-raw,format=Y444,width={WIDTH},height={HEIGHT},framerate=25/1,'
        'colorimetry=bt601'))
    got = []
    sink.connect('handoff', lambda _sink, buffer, _pad:
                 got.append(buffer.extract_dup(0, buffer.get_size())))
    pipeline.set_state(Gst.State.PLAYING)
    frame = Gst.Buffer.new_wrapped(data)
    frame.pts = 0
    source.emit('push-buffer', frame)
    source.emit('end-of-stream')
    message = pipeline.get_bus().timed_pop_filtered(
        60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING)
    assert message and message.type == Gst.MessageType.EOS, message and message.get_structure()
    pipeline.set_state(Gst.State.NULL)
    frame, = got
    return numpy.frombuffer(frame, numpy.uint8)[:shape[0] * shape[1]].reshape(shape)


class Judge(unittest.TestCase):
    def check(self, scope, settings, shape):
        for name, data in pictures():
            with self.subTest(picture=name, scope=scope):
                theirs = self.lit(ask_ffmpeg(data, scope, shape))
                ours = ask_scope(data, settings, shape) > BLACK
                self.assertGreater(ours.sum(), 0)
                self.assertEqual(int((ours != theirs).sum()), 0)

    @staticmethod
    def lit(picture):
        """The background is its darkest value."""
        return picture > picture.min()

    def test_waveform(self):
        self.check('waveform=mode=column:mirror=1:components=1:intensity=1:graticule=none:'
                   'scale=digital', 'scopes=waveform', (256, WIDTH))

    def test_vectorscope(self):
        self.check('vectorscope=mode=gray:intensity=1:graticule=none', 'scopes=vectorscope',
                   (256, 256))

    def test_histogram(self):
        """Bars: the levels that occur; the fullest is as high as the plot."""
        shape = (200, 256)
        for name, data in pictures():
            with self.subTest(picture=name):
                theirs = self.lit(ask_ffmpeg(
                    data, 'histogram=level_height=200:scale_height=0:components=1:'
                    'levels_mode=linear', shape))
                ours = ask_scope(data, 'scopes=histogram', shape) > BLACK
                # ffmpeg rounds the height of a bar down, we round up so that no bar is lost.
                self.assertFalse((theirs & ~ours).any())
                self.assertLessEqual(int((ours & ~theirs).sum(axis=0).max()), 1)
                self.assertEqual(int(ours.sum(axis=0).max()), shape[0])


common.main()
