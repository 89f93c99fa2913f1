#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every element links, also in gst-launch-1.0, with every feature and interlace mode in its
templates, and frames and fields pass.

Features and elements come from the registry, so that new ones are covered. The program runs with
the driver double if TEST_MEMORY is cuda."""

import os
import subprocess
import unittest

import common
from common import Gst
import gi

gi.require_version('GstApp', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import GLib, GstApp, GstVideo  # noqa: E402,F401

CUDA = os.environ.get('TEST_MEMORY') == 'cuda'
MODES = [value.value_nick for value in GstVideo.VideoInterlaceMode.__enum_values__.values()]
FIELDS = 'format:Interlaced'
META = 'meta:GstVideoOverlayComposition'
SIZES = (64, 48), (320, 240), (70, 52)


def elements():
    """Names of all elements of the plugin with video in and out."""
    return sorted(feature.get_name() for feature in
                  Gst.Registry.get().get_feature_list_by_plugin('videohistogram')
                  if isinstance(feature, Gst.ElementFactory))


def listed(name, direction):
    """Returns the features of each structure in an element's template, each with a supported
    format."""
    factory = Gst.ElementFactory.find(name)
    caps, = (template.get_caps() for template in factory.get_static_pad_templates()
             if template.direction == direction)
    for i in range(caps.get_size()):
        features = caps.get_features(i)
        if not features.is_any():
            formats = caps[i].get_value('format')
            yield features.to_string().replace(' ', ''), list(formats)[0]


def variants(name, direction=Gst.PadDirection.SINK):
    """Yields caps with each feature and each matching interlace mode."""
    for features, layout in listed(name, direction):
        for mode in MODES:
            if (mode == 'alternate') == (FIELDS in features):
                yield (f'video/x-raw({features}),format={layout},width=320,height=240,'
                       f'framerate=25/1,interlace-mode={mode}')


class Linking(unittest.TestCase):
    def test_all_are_there(self):
        self.assertGreaterEqual(set(elements()), {
            'videohistogram', 'videoequalize', 'videohealth', 'videoscope'})
        for name in elements():
            for memory in 'memory:SystemMemory', 'memory:CUDAMemory':
                features = [text.split(',') for text, _ in listed(name, Gst.PadDirection.SINK)]
                self.assertIn(sorted([memory, FIELDS]), [sorted(each) for each in features])

    def test_gst_launch(self):
        """Runs one program per element: its chains link, or it names the one that does not."""
        for name in elements():
            chains = [chain for caps in variants(name) for chain in (
                f'fakesrc num-buffers=0 ! capsfilter caps={caps} ! {name} ! fakesink',
                f'fakesrc num-buffers=0 ! capsfilter caps={caps} ! {name} ! '
                f'capsfilter caps={caps} ! fakesink')]
            self.assertGreater(len(chains), 20)
            with self.subTest(name):
                done = subprocess.run(
                    ['gst-launch-1.0', '-q', *' '.join(chains).split()], timeout=120,
                    capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_before_a_filter(self):
        """A capsfilter after the element decides the caps; nothing before the element restricts
        them."""
        for name in elements():
            for caps in variants(name, Gst.PadDirection.SRC):
                with self.subTest(name, caps=caps):
                    Gst.parse_launch(f'identity ! {name} ! capsfilter caps={caps} ! fakesink')

    def test_link_filtered(self):
        for name in elements():
            for text in variants(name):
                with self.subTest(name, caps=text):
                    caps = Gst.Caps.from_string(text)
                    pipeline = Gst.Pipeline()
                    parts = [Gst.ElementFactory.make(part) for part in
                             ('fakesrc', name, 'fakesink')]
                    for part in parts:
                        pipeline.add(part)
                    self.assertTrue(parts[0].link_filtered(parts[1], caps))
                    self.assertTrue(parts[1].link_filtered(parts[2], caps))

    def test_other_memories_do_not_link(self):
        for name in elements():
            for memory in 'GLMemory', 'DMABuf', 'VAMemory':
                with self.subTest(name, memory=memory), self.assertRaises(GLib.Error):
                    Gst.parse_launch(f'fakesrc ! video/x-raw(memory:{memory}) ! {name} ! fakesink')


class Fields(unittest.TestCase):
    """Frames of each interlace mode, from elements that produce them."""

    def passed(self, before, name, after, features=''):
        """Returns how many buffers of six frames leave, all with @features."""
        pipeline = Gst.parse_launch(
            f'videotestsrc num-buffers=6 ! {before} ! {name} ! {after} fakesink name=end '
            'signal-handoffs=true')
        seen = []
        end = pipeline.get_by_name('end')
        end.connect('handoff', lambda _sink, buffer, pad: seen.append(pad.get_current_caps()))
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(
            60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual(message.type, Gst.MessageType.EOS, before)
        for caps in seen:
            self.assertIn(features, caps.get_features(0).to_string())
        return len(seen)

    def test_of_interlace(self):
        for name in elements():
            for width, height in SIZES:
                size = f'video/x-raw,width={width},height={height},framerate=50/1 ! interlace'
                fields = f'video/x-raw({FIELDS}),interlace-mode=alternate'
                for after in '', f'{fields} ! ':
                    with self.subTest(name, width=width, after=after):
                        self.assertEqual(self.passed(
                            f'{size} field-pattern=2:2 ! {fields}', name, after, FIELDS), 12)

    def test_sizes_of_scopes(self):
        """With scopes beside the picture, fields become larger, and are still fields."""
        for position in 'left', 'top', 'bottom', 'right':
            self.assertEqual(self.passed(
                'video/x-raw,width=320,height=240,framerate=50/1 ! interlace field-pattern=2:2 ! '
                f'video/x-raw({FIELDS})', f'videoscope layout=beside position={position}', '',
                FIELDS), 12)

    def test_counts(self):
        """A field has half the rows."""
        results = common.run(
            'videotestsrc num-buffers=4 pattern=white ! video/x-raw,format=I420,width=320,'
            'height=240,framerate=50/1 ! interlace field-pattern=2:2 ! '
            f'video/x-raw({FIELDS}) ! videohistogram interval=0 ! fakesink')
        self.assertEqual({result['pixels'] for result in results}, {320 * 120})
        self.assertGreater(len(results), 3)


class Refused(unittest.TestCase):
    def first_error(self, name, caps):
        """Returns (element name, message) if the caps arrive after all is linked."""
        pipeline = Gst.parse_launch(f'appsrc name=start format=time ! {name} name=it ! fakesink')
        start = pipeline.get_by_name('start')
        self.addCleanup(pipeline.set_state, Gst.State.NULL)
        pipeline.set_state(Gst.State.PLAYING)
        start.set_property('caps', Gst.Caps.from_string(caps))
        start.emit('push-buffer', Gst.Buffer.new_allocate(None, 64 * 48 * 4, None))
        start.emit('end-of-stream')
        message = pipeline.get_bus().timed_pop_filtered(
            60 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
        self.assertEqual(message.type, Gst.MessageType.ERROR, caps)
        return message.src.get_name(), message.parse_error()[0].message

    def test_without_caps(self):
        """The element is the first to report it. Analysing elements pass buffers with a warning;
        for elements that change frames it is an error."""
        changing = {'videoequalize', 'videoscope'}
        for name in elements():
            with self.subTest(name):
                pipeline = Gst.parse_launch(f'appsrc name=start ! {name} name=it ! fakesink')
                start = pipeline.get_by_name('start')
                self.addCleanup(pipeline.set_state, Gst.State.NULL)
                pipeline.set_state(Gst.State.PLAYING)
                start.emit('push-buffer', Gst.Buffer.new_allocate(None, 100, None))
                start.emit('end-of-stream')
                message = pipeline.get_bus().timed_pop_filtered(
                    60 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.WARNING
                    | Gst.MessageType.EOS)
                kind = Gst.MessageType.ERROR if name in changing else Gst.MessageType.WARNING
                self.assertEqual((message.type, message.src.get_name()), (kind, 'it'))
                error, _debug = (message.parse_error() if name in changing
                                 else message.parse_warning())
                self.assertRegex(error.message, 'without caps.*Put a decoder before this element')

    def test_each_says_so(self):
        """The first error comes from the element, and says what to do."""
        for name in elements():
            for caps, words in (
                    ('video/x-raw,format=RGB16', 'put videoconvert before it.*RGB16'),
                    ('video/x-raw,format=UYVP', 'put videoconvert before it.*UYVP'),
                    ('video/x-raw(memory:GLMemory),format=RGBA',
                     'put an element before it.*GLMemory'),
                    ('video/x-h264', 'put a decoder before it.*x-h264'),
                    ('image/jpeg', 'put a decoder before it.*jpeg'),
                    ('audio/x-raw,format=S16LE', 'link it to raw video.*audio')):
                with self.subTest(name, caps=caps):
                    where, text = self.first_error(
                        name, caps + ('' if 'audio' in caps else
                                      ',width=64,height=48,framerate=25/1'))
                    self.assertEqual(where, 'it')
                    self.assertRegex(text, '^it does not accept these frames: ' + words)


class NoCaps(unittest.TestCase):
    """Buffers without caps."""
    SOURCES = (
        'fakesrc num-buffers=5 sizetype=fixed sizemax=115200',
        'fakesrc num-buffers=1',
        f'filesrc location="{common.SOURCE}/LICENSE"',
        'appsrc name=start format=time',
    )

    def problems(self, launch):
        """Returns all warnings and errors up to the end."""
        pipeline = Gst.parse_launch(launch)
        pipeline.set_state(Gst.State.PLAYING)
        start = pipeline.get_by_name('start')
        if start:
            start.emit('push-buffer', Gst.Buffer.new_wrapped(bytes(100)))
            start.emit('end-of-stream')
        said = []
        while True:
            message = pipeline.get_bus().timed_pop_filtered(
                60 * Gst.SECOND,
                Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING)
            self.assertIsNotNone(message, launch)
            if message.type == Gst.MessageType.WARNING:
                said.append(message.parse_warning()[0].message)
                continue
            if message.type == Gst.MessageType.ERROR:
                said.append(message.parse_error()[0].message)
            pipeline.set_state(Gst.State.NULL)
            return said

    def test_each_says_so(self):
        """There is one warning, not one per buffer, and it says what to do. An error may follow."""
        for name in elements():
            for source in self.SOURCES:
                with self.subTest(name, source=source):
                    said = self.problems(f'{source} ! {name} ! fakesink')
                    self.assertEqual(len([text for text in said if 'without caps' in text
                                          and 'decodebin' in text]), 1, said)
                    self.assertLessEqual(len(said), 2, said)

    def test_video_is_not_complained_of(self):
        for name in elements():
            with self.subTest(name):
                self.assertEqual(self.problems(
                    f'videotestsrc num-buffers=2 ! {name} ! fakesink'), [])


@unittest.skipUnless(CUDA, 'with the driver double only')
class Cuda(unittest.TestCase):
    def frames(self, caps):
        pipeline = Gst.parse_launch(f'videotestsrc num-buffers=4 ! {caps} ! cudaupload ! '
                                    'appsink name=end sync=false')
        pipeline.set_state(Gst.State.PLAYING)
        end = pipeline.get_by_name('end')
        buffers = [end.emit('pull-sample').get_buffer() for _ in range(4)]
        pipeline.set_state(Gst.State.NULL)
        return buffers

    def test_frames_and_fields(self):
        for name in elements():
            for mode, rows, beside in (
                    ('progressive', 240, ''), ('interleaved', 240, ''),
                    ('progressive', 240, f',{META}'), ('alternate', 120, f',{FIELDS}'),
                    ('alternate', 120, f',{META},{FIELDS}')):
                features = 'memory:CUDAMemory' + beside
                layout = 'format=NV12,width=320,height={},framerate=25/1'
                caps = (f'video/x-raw({features}),{layout.format(240)},interlace-mode={mode}')
                for after in '', f' ! {caps}':
                    with self.subTest(name, features=features, mode=mode, after=after):
                        pipeline = Gst.parse_launch(
                            f'appsrc name=start format=time caps={caps} ! {name}{after} ! '
                            'appsink name=end sync=false')
                        pipeline.set_state(Gst.State.PLAYING)
                        start, end = (pipeline.get_by_name(x) for x in ('start', 'end'))
                        for buffer in self.frames(f'video/x-raw,{layout.format(rows)}'):
                            start.emit('push-buffer', buffer)
                        start.emit('end-of-stream')
                        samples = [end.emit('pull-sample') for _ in range(4)]
                        self.assertIsNone(end.emit('pull-sample'))
                        left = samples[0].get_caps().get_features(0)
                        for feature in features.split(','):
                            self.assertTrue(left.contains(feature), left.to_string())
                        pipeline.set_state(Gst.State.NULL)


common.main()
