#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same picture at 8, 10, 12 and 16 bits: every operation gives the same picture or numbers,
within the bounds in docs/definitions.md under "Depths".

The footage is not part of the project; without it, only generated pictures are used."""

import os
import pathlib
import unittest

import common
import gi
import numpy as np

gi.require_version('Gst', '1.0')
gi.require_version('GstVideo', '1.0')
gi.require_version('GstVideoHistogram', '1.0')
from gi.repository import Gst, GstVideo, GstVideoHistogram  # noqa: E402

DATA = pathlib.Path(os.environ.get('TEST_DATA') or common.SOURCE.parent / 'shared' / 'data')
LUMA = GstVideoHistogram.VideoHistogramChannel.LUMA
GRADIENT = GstVideoHistogram.VideoHistogramChannel.GRADIENT

# Formats by depth: with only luma; with luma, U and V; with planes of R, G and B.
FORMATS = {
    'GRAY': {8: 'GRAY8', 16: 'GRAY16_LE'},
    'YUV': {8: 'Y444', 10: 'Y444_10LE', 12: 'Y444_12LE', 16: 'Y444_16LE'},
    'RGB': {8: 'GBR', 10: 'GBR_10LE', 12: 'GBR_12LE'},
}
RANGES = {'full': '1:4:0:0', 'limited': '2:4:0:0'}
RNG = np.random.default_rng(1)


def stretch(plane, width, height):
    """Scales a plane by nearest pixels."""
    rows = np.arange(height) * plane.shape[0] // height
    columns = np.arange(width) * plane.shape[1] // width
    return plane[rows][:, columns]


def pictures(width, height):
    """Three 8-bit planes in 16 to 235: noise and slopes, flat bars, a dark ramp, and a photograph
    if there is one."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    noise = RNG.normal(0, 6, (height, width))
    slopes = 60 + 90 * x + 40 * np.sin(9 * y) + noise
    bars = 30 + 25 * np.floor(8 * x)
    ramp = 16 + 60 * (x + y) / 2
    found = {'slopes': slopes, 'bars': bars, 'ramp': ramp}
    clip = DATA / 'kodim03.png'
    if clip.exists():
        found['photograph'] = stretch(photograph(clip), width, height) * 0.8 + 20
    for name, luma in found.items():
        planes = [luma, 128 + (luma - 128) / 3, 140 - (luma - 128) / 4]
        yield name, [np.clip(np.rint(p), 16, 235).astype(np.uint16) for p in planes]


def photograph(path):
    sample, = run(f'filesrc location="{path}" ! decodebin ! videoconvert ! '
                  'video/x-raw,format=GRAY8 ! appsink name=sink sync=false')[0]
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    data = sample.get_buffer().extract_dup(0, sample.get_buffer().get_size())
    rows = np.frombuffer(data, np.uint8).reshape(info.height, -1)
    return rows[:, :info.width].astype(float)


def run(launch, buffers=(), caps=None):
    """Runs a pipeline; returns the samples of its sink and the structures of its messages."""
    pipeline = Gst.parse_launch(launch)
    source, sink = pipeline.get_by_name('source'), pipeline.get_by_name('sink')
    if source:
        source.set_property('caps', caps)
    pipeline.set_state(Gst.State.PLAYING)
    for n, data in enumerate(buffers):
        buffer = Gst.Buffer.new_wrapped(data)
        buffer.pts, buffer.duration = n * Gst.SECOND // 25, Gst.SECOND // 25
        source.emit('push-buffer', buffer)
    if source:
        source.emit('end-of-stream')
    samples, messages = [], []
    while sample := sink.emit('try-pull-sample', 60 * Gst.SECOND):
        samples.append(sample)
        if not source:
            break
    while message := pipeline.get_bus().pop_filtered(
            Gst.MessageType.ELEMENT | Gst.MessageType.ERROR):
        assert message.type == Gst.MessageType.ELEMENT, message.parse_error()
        messages.append(message.get_structure().copy())
    pipeline.set_state(Gst.State.NULL)
    return samples, messages


def deepen(plane, depth, low='zeros'):
    """Converts an 8-bit plane to @depth; @low chooses the new low bits."""
    shift = depth - 8
    deep = plane.astype(np.uint32) << shift
    if low == 'copies':
        deep |= (plane.astype(np.uint32) << 8 | plane) >> (16 - shift) & ((1 << shift) - 1)
    elif low == 'noise' and shift:
        deep |= RNG.integers(0, 1 << shift, plane.shape, np.uint32)
    return deep.astype(np.uint8 if depth == 8 else '<u2')


def make_caps(form, planes, colors):
    height, width = planes[0].shape
    return Gst.Caps.from_string(
        f'video/x-raw,format={form},width={width},height={height},framerate=25/1,'
        f'colorimetry={colors}')


def pack(planes):
    return b''.join(plane.tobytes() for plane in planes)


class Depths(unittest.TestCase):
    most = {}                   # measured values, for the table in the docs

    @classmethod
    def tearDownClass(cls):
        for what, value in cls.most.items():
            print(f'{what} {value:.2f}')

    def bound(self, what, value, most):
        self.most[what] = max(value, self.most.get(what, 0))
        self.assertLessEqual(value, most, what)

    def through(self, launch, model, depth, planes, ranges, low='zeros', frames=1):
        planes = planes[:1] if model == 'GRAY' else planes
        deep = [deepen(plane, depth, low) for plane in planes]
        element = f'appsrc name=source format=time ! {launch} ! appsink name=sink sync=false'
        return run(element, [pack(deep)] * frames,
                   make_caps(FORMATS[model][depth], deep, RANGES[ranges]))

    def picture(self, launch, model, depth, planes, ranges, low='zeros'):
        """Returns planes in 8-bit codes, fractional for deeper samples."""
        samples, _ = self.through(launch, model, depth, planes, ranges, low)
        buffer = samples[-1].get_buffer()
        info = GstVideo.VideoInfo.new_from_caps(samples[-1].get_caps())
        data = buffer.extract_dup(0, buffer.get_size())
        codes = np.frombuffer(data, np.uint8 if depth == 8 else '<u2')
        n = 1 if model == 'GRAY' else 3
        codes = codes.reshape(n, info.height, -1)[:, :, :info.width]
        return codes.astype(float) / 2 ** (depth - 8)

    def cases(self, size, models):
        for name, planes in pictures(*size):
            for model in models:
                for ranges in RANGES if model == 'YUV' else ('full',):
                    for depth in FORMATS[model]:
                        if depth > 8:
                            yield name, planes, model, ranges, depth

    def compare(self, launch, what, most, mean, chroma=None, size=(160, 96), low='zeros',
                models=FORMATS):
        """Returns luma, or R, G and B, in 8-bit codes, and the mean of chroma."""
        for name, planes, model, ranges, depth in self.cases(size, models):
            with self.subTest(launch, picture=name, model=model, depth=depth, range=ranges):
                off = np.abs(self.picture(launch, model, depth, planes, ranges, low) -
                             self.picture(launch, model, 8, planes, ranges))
                luma = off if model == 'RGB' else off[:1]
                self.bound(f'{what}: most', luma.max(), most)
                self.bound(f'{what}: mean', luma.mean(), mean)
                if model == 'YUV':
                    self.bound(f'{what}, chroma: mean', off[1:].mean(), chroma or mean)

    def test_clahe(self):
        for size, tiles, limit in (((160, 120), '8x8', 2), ((160, 120), '16x16', 40),
                                   ((640, 360), '8x8', 4), ((328, 241), '5x3', 1),
                                   ((320, 240), '2x2', 10)):
            launch = f'videoequalize method=clahe smoothing=0 tiles={tiles} clip-limit={limit}'
            self.compare(launch, 'clahe', 1.01, 0.6, 1, size, models=('GRAY', 'YUV'))
            self.compare(launch, 'clahe, bits repeated', 3, 1.5, 1, size, 'copies', ('GRAY',))
            self.compare(launch, 'clahe, noise in the lower bits', 255, 2, 2, size, 'noise',
                         ('GRAY',))
        self.compare('videoequalize method=clahe smoothing=0', 'clahe of RGB', 6, 1,
                     models=('RGB',))

    def test_curves(self):
        for method, most in (('equalize', 1.5), ('stretch', 1.5), ('gamma', 1.5)):
            self.compare(f'videoequalize method={method} smoothing=0', method, most, 0.8, 1.5,
                         models=('GRAY', 'YUV'))
        self.compare('videoequalize method=stretch smoothing=0', 'stretch of RGB', 6, 1.5,
                     models=('RGB',))

    def counted(self, settings, model, depth, planes, ranges, low='zeros'):
        """Returns the last message for two frames, as a histogram."""
        _, messages = self.through(
            f'videohistogram interval=0 bins=256 message-bytes=true {settings}', model, depth,
            planes, ranges, low, 2)
        return messages[-1]

    def test_counts(self):
        """Counts in equal numbers of bins, joint histograms, and all statistics."""
        for name, planes, model, ranges, depth in self.cases((160, 96), ('GRAY', 'YUV')):
            joint = 'chroma' if model == 'YUV' else 'previous'
            settings = f'channels=luma+gradient joint={joint}'
            with self.subTest(picture=name, model=model, depth=depth, range=ranges):
                first, second = (
                    self.counted(settings, model, d, planes, ranges) for d in (8, depth))
                for i in range(first.n_fields()):
                    field = first.nth_field_name(i)
                    if field.endswith('-bytes') or field in ('luma', 'gradient'):
                        continue
                    a, b = first.get_double(field), second.get_double(field)
                    if a[0]:
                        limit = 0 if field.startswith('joint') else 1.01
                        kind = 'joint' if limit == 0 else 'statistics'
                        self.bound(f'{kind}: most of 255', abs(a[1] - b[1]) * 255, limit)
                one, two = map(
                    GstVideoHistogram.VideoHistogram.from_structure, (first, second))
                for channel in LUMA, GRADIENT:
                    self.assertEqual(list(one.get_counts(channel)),
                                     list(two.get_counts(channel)))

    def test_scopes(self):
        """The scopes alone, in 8-bit codes."""
        for scope in 'histogram', 'waveform', 'vectorscope':
            for name, planes, model, ranges, depth in self.cases((160, 96), ('YUV',)):
                launch = f'videoscope layout=only scopes={scope}'
                with self.subTest(scope, picture=name, depth=depth, range=ranges):
                    off = np.abs(self.picture(launch, model, depth, planes, ranges) -
                                 self.picture(launch, model, 8, planes, ranges))
                    self.bound(f'{scope}: mean', off.mean(), 1)

    def test_health(self):
        """The values of conditions for the second of two equal frames."""
        for name, planes, model, ranges, depth in self.cases((160, 96), ('YUV',)):
            with self.subTest(picture=name, depth=depth, range=ranges):
                first, second = (
                    self.values(d, planes, ranges) for d in (8, depth))
                self.assertEqual(set(first), set(second))
                self.assertIn('black', first)
                for condition, value in first.items():
                    self.bound(f'health, {condition}', abs(value - second[condition]), 0.02)

    def values(self, depth, planes, ranges):
        deep = [deepen(plane, depth) for plane in planes]
        caps = make_caps(FORMATS['YUV'][depth], deep, RANGES[ranges])
        pipeline = Gst.parse_launch('appsrc name=source format=time ! videohealth name=health ! '
                                    'appsink name=sink sync=false')
        source = pipeline.get_by_name('source')
        source.set_property('caps', caps)
        pipeline.set_state(Gst.State.PLAYING)
        for n in range(2):
            buffer = Gst.Buffer.new_wrapped(pack(deep))
            buffer.pts, buffer.duration = n * Gst.SECOND // 25, Gst.SECOND // 25
            source.emit('push-buffer', buffer)
            pipeline.get_by_name('sink').emit('try-pull-sample', 60 * Gst.SECOND)
        values = pipeline.get_by_name('health').get_property('values')
        found = {values.nth_field_name(i): values.get_double(values.nth_field_name(i))
                 for i in range(values.n_fields())}
        pipeline.set_state(Gst.State.NULL)
        return {name: value for name, (known, value) in found.items() if known}


common.main()
