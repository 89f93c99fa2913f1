#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Uses everything in the public headers from Python, without a binding of our own."""

import json
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import gi

import common
from common import Gst

gi.require_version('GstVideoHistogram', '1.0')
from gi.repository import GLib, GObject, GstVideo  # noqa: E402
from gi.repository import GstVideoHistogram as Vh  # noqa: E402

LUMA = Vh.VideoHistogramChannel.LUMA
RED = Vh.VideoHistogramChannel.RED
CAPS = 'video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1'


def make_engine(caps=CAPS, **spec_fields):
    engine = Vh.VideoHistogramEngine.new()
    spec = Vh.VideoHistogramSpec.new()
    for name, value in spec_fields.items():
        setattr(spec, name, value)
    assert engine.open(Vh.VideoHistogramBackend.CPU, -1, None)
    assert engine.configure(Gst.Caps.from_string(caps), spec)
    return engine


def make_buffer():
    buffer = Gst.Buffer.new_wrapped(bytes(range(32)))
    buffer.pts = 3 * Gst.SECOND
    buffer.duration = Gst.SECOND
    return buffer


class Engine(unittest.TestCase):
    def test_counts(self):
        histogram = make_engine(columns=2).submit(make_buffer(), None, False)
        self.assertEqual(histogram.get_counts(LUMA), [1] * 32 + [0] * 224)
        self.assertEqual(histogram.get_cell_counts(LUMA, 0, 0)[:9],
                         [1, 1, 1, 1, 0, 0, 0, 0, 1])
        self.assertEqual(histogram.get_pixels(), 32)
        self.assertEqual(histogram.get_cell_pixels(1, 0), 16)
        self.assertEqual(histogram.get_counts(RED), [])
        self.assertEqual(histogram.get_backend(), 'cpu')
        self.assertEqual(histogram.get_state(), Vh.VideoHistogramState.COMPLETE)
        self.assertTrue(histogram.wait(Gst.CLOCK_TIME_NONE))

    def test_info(self):
        segment = Gst.Segment()
        segment.init(Gst.Format.TIME)
        segment.base = Gst.SECOND
        histogram = make_engine(region_x=1, region_width=5, region_height=2, rows=2,
                                bins=7).submit(make_buffer(), segment, False)
        info = histogram.get_info()
        self.assertEqual(info.format, GstVideo.VideoFormat.GRAY8)
        self.assertEqual((info.depth, info.width, info.height), (8, 8, 4))
        self.assertEqual((info.region_x, info.region_y, info.region_width, info.region_height),
                         (1, 0, 5, 2))
        self.assertEqual(info.colorimetry.range, GstVideo.VideoColorRange(1))
        self.assertEqual(info.matrix, GstVideo.VideoColorMatrix.BT709
                         if info.colorimetry.matrix != GstVideo.VideoColorMatrix.BT601
                         else GstVideo.VideoColorMatrix.BT601)
        self.assertEqual(info.channels, Vh.VideoHistogramChannels.LUMA)
        self.assertEqual((info.bins, info.columns, info.rows), (7, 1, 2))
        self.assertEqual(info.timestamp, 3 * Gst.SECOND)
        self.assertEqual(info.stream_time, 3 * Gst.SECOND)
        self.assertEqual(info.running_time, 4 * Gst.SECOND)
        self.assertEqual(info.duration, Gst.SECOND)

    def test_info_outlives_its_histogram(self):
        engine = make_engine()
        infos = []
        for i in range(50):
            buffer = make_buffer()
            buffer.pts = i * Gst.SECOND
            infos.append(engine.submit(buffer, None, False).get_info())
        self.assertEqual([info.timestamp for info in infos],
                         [i * Gst.SECOND for i in range(50)])
        self.assertEqual([info.copy().bins for info in infos], [256] * 50)

    def test_structs_are_boxed(self):
        for struct in (Vh.VideoHistogramInfo, Vh.VideoHistogramSpec,
                       Vh.VideoHistogramStatistics, Vh.VideoEqualizerSettings):
            self.assertTrue(struct.__gtype__.is_a(GObject.TYPE_BOXED), struct)

    def test_info_init(self):
        info = Vh.VideoHistogramInfo.new()
        self.assertEqual((info.depth, info.bins, info.columns, info.rows), (8, 256, 1, 1))
        self.assertEqual({info.timestamp, info.stream_time, info.running_time, info.duration},
                         {Gst.CLOCK_TIME_NONE})
        self.assertEqual(Vh.VideoHistogram.new(info).get_counts(LUMA), [0] * 256)
        info.bins = 0
        fatal = GLib.log_set_always_fatal(GLib.LogLevelFlags.LEVEL_ERROR)
        # PyGObject raises this for NULL, after the critical warning.
        with self.assertRaises(TypeError):
            Vh.VideoHistogram.new(info)
        GLib.log_set_always_fatal(fatal)

    def test_statistics(self):
        histogram = make_engine().submit(make_buffer(), None, False)
        ok, stats = histogram.get_statistics(LUMA)
        self.assertTrue(ok)
        self.assertEqual(stats.pixels, 32)
        for name in ('average', 'variance', 'min', 'max', 'median', 'p1', 'p99', 'entropy',
                     'clipped_low', 'clipped_high'):
            self.assertIsInstance(getattr(stats, name), float)
        self.assertEqual(stats.entropy, 5.0)
        ok, cell = histogram.get_cell_statistics(LUMA, 0, 0)
        self.assertEqual((ok, cell.average), (True, stats.average))
        self.assertFalse(histogram.get_statistics(RED)[0])
        self.assertEqual(histogram.get_percentile_bin(LUMA, 50), 15)
        self.assertEqual(histogram.get_bin_level(LUMA, 255), 1.0)

    def test_structure(self):
        histogram = make_engine().submit(make_buffer(), None, False)
        structure = histogram.to_structure(Vh.VideoHistogramStructureFlags.COUNTS |
                                           Vh.VideoHistogramStructureFlags.STATISTICS)
        self.assertEqual(structure.get_name(), 'videohistogram')
        self.assertEqual(list(structure['luma'])[:33], [1] * 32 + [0])
        self.assertEqual(structure['luma-entropy'], 5.0)

    def test_lines_of_file_to_jsonl(self):
        """What the program writes stays the same when it is read and written again."""
        flags = (Vh.VideoHistogramStructureFlags.COUNTS |
                 Vh.VideoHistogramStructureFlags.STATISTICS)
        with tempfile.TemporaryDirectory() as folder:
            clip = f'{folder}/clip.avi'
            common.run('videotestsrc num-buffers=3 ! video/x-raw,format=I420,width=64,'
                       f'height=48 ! jpegenc ! avimux ! filesink location={clip}')
            lines = subprocess.run(
                [common.SOURCE / 'pipelines/file-to-jsonl', clip, '--grid', '2x1', '--bins',
                 '16'], capture_output=True, text=True, check=True,
                env={**os.environ, 'VH_BUILD': str(common.build_root())}).stdout.splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines:
            histogram = Vh.VideoHistogram.from_json(line)
            self.assertEqual(histogram.get_info().bins, 16)
            self.assertEqual(histogram.get_cell_pixels(0, 0), 64 * 48 // 2)
            self.assertEqual(json.loads(histogram.to_json(flags)), json.loads(line))
            read = Vh.VideoHistogram.from_structure(histogram.to_structure(flags))
            self.assertEqual(read.to_json(flags), histogram.to_json(flags))
        with self.assertRaises(GLib.Error) as caught:
            Vh.VideoHistogram.from_json(lines[0].replace('"bins":16', '"bins":17'))
        self.assertTrue(caught.exception.matches(Vh.video_histogram_error_quark(),
                                                 Vh.VideoHistogramError.PARSE))
        self.assertIn('luma-cells has 32 counts, not 34', caught.exception.message)

    def test_errors(self):
        engine = make_engine()
        with self.assertRaises(GLib.Error) as caught:
            engine.submit(Gst.Buffer.new_wrapped(b'short'), None, False)
        self.assertTrue(caught.exception.matches(Vh.video_histogram_error_quark(),
                                                 Vh.VideoHistogramError.FRAME))
        spec = Vh.VideoHistogramSpec.new()
        with self.assertRaises(GLib.Error) as caught:
            engine.configure(Gst.Caps.from_string('audio/x-raw'), spec)
        self.assertTrue(caught.exception.matches(Vh.video_histogram_error_quark(),
                                                 Vh.VideoHistogramError.FORMAT))
        for function in (
                lambda: engine.submit(make_buffer(), None, False),
                lambda: engine.count_joint(Vh.VideoHistogramJoint.OTHER, make_buffer(),
                                           make_buffer()),
                lambda: Vh.VideoEqualizer.new().process(make_buffer(), make_buffer())):
            with self.assertRaises(GLib.Error) as caught:
                function()
            self.assertTrue(caught.exception.matches(Vh.video_histogram_error_quark(),
                                                     Vh.VideoHistogramError.SPEC))

    def test_joint(self):
        engine = make_engine(joint=Vh.VideoHistogramJoint.PREVIOUS, joint_bins=2)
        low, high = (Gst.Buffer.new_wrapped(bytes([value] * 32)) for value in (0, 255))
        self.assertIsNone(engine.submit(low, None, False).get_joint())
        joint = engine.submit(high, None, False).get_joint()
        self.assertEqual(joint.get_kind(), Vh.VideoHistogramJoint.PREVIOUS)
        self.assertEqual(joint.get_counts(), [0, 32, 0, 0])
        self.assertEqual((joint.get_n_a(), joint.get_n_b(), joint.get_pixels()), (2, 2, 32))
        self.assertEqual(joint.get_backend(), 'cpu')
        self.assertEqual(joint.get_state(), Vh.VideoHistogramState.COMPLETE)
        self.assertTrue(joint.wait(0))
        self.assertIsNone(engine.dup_joint_problem())

    def test_joint_of_two(self):
        engine, other = (make_engine(joint=Vh.VideoHistogramJoint.OTHER, joint_bins=2)
                         for _ in range(2))
        low, high = (Gst.Buffer.new_wrapped(bytes([value] * 32)) for value in (0, 255))
        joint = engine.count_joint(Vh.VideoHistogramJoint.OTHER, high, low)
        self.assertEqual(joint.get_counts(), [0, 0, 32, 0])
        with self.assertRaises(GLib.Error):
            engine.count_joint(Vh.VideoHistogramJoint.CHROMA, high, None)
        engine.set_joint_other(other)
        other.submit(low, None, False)
        self.assertEqual(engine.submit(high, None, False).get_joint().get_counts(),
                         [0, 32, 0, 0])
        engine.set_joint_other(None)
        self.assertIsNone(engine.submit(high, None, False).get_joint())

    def test_backend(self):
        engine = make_engine()
        self.assertEqual(engine.get_active_backend(), 'cpu')
        self.assertEqual(engine.dup_backend_reason(), '')
        engine.close()
        self.assertIsNone(engine.get_active_backend())
        self.assertIn('I420', Vh.VideoHistogramEngine.get_caps().to_string())


class Objects(unittest.TestCase):
    def make(self, counts):
        info = Vh.VideoHistogramInfo()
        info.format = GstVideo.VideoFormat.GRAY8
        info.depth = 8
        info.channels = Vh.VideoHistogramChannels.LUMA
        info.bins = len(counts)
        info.columns = info.rows = 1
        histogram = Vh.VideoHistogram.new(info)
        self.assertTrue(histogram.set_counts(LUMA, 0, 0, counts))
        return histogram

    def test_stored_counts(self):
        self.assertEqual(self.make([1, 2, 3]).get_counts(LUMA), [1, 2, 3])

    def test_distance(self):
        a, b = self.make([1, 0]), self.make([0, 3])
        self.assertEqual(a.distance(b, LUMA, Vh.VideoHistogramDistance.EARTH_MOVER), (True, 0.5))
        self.assertFalse(a.distance(b, RED, Vh.VideoHistogramDistance.EARTH_MOVER)[0])

    def test_joint(self):
        joint = Vh.VideoJointHistogram.new(2, 3, [2, 2, 0, 0, 2, 2])
        self.assertEqual(joint.get_mutual_information(), (True, 0.5))
        self.assertEqual(joint.get_normalized_mutual_information(), (True, 1.25))
        self.assertEqual(joint.get_correlation_ratio(), (True, 0.5))
        self.assertEqual(joint.dup_marginal_a(), [4, 4])
        self.assertEqual(joint.dup_marginal_b(), [2, 4, 2])
        self.assertEqual(joint.dup_conditional_means(), [0.5, 1.5])

    def test_sparse(self):
        sparse = Vh.VideoJointHistogram.new(2, 3, [7, 0, 8, 0, 9, 0]).to_sparse()
        self.assertEqual((sparse.get_n_rows(), sparse.get_n_columns()), (2, 3))
        self.assertEqual(sparse.get_row_offsets(), [0, 2, 3])
        self.assertEqual(sparse.get_columns(), [0, 2, 1])
        self.assertEqual(sparse.get_values(), [7, 8, 9])
        self.assertEqual(sparse.multiply([1, 10, 100]), [807, 90])
        self.assertEqual(Vh.VideoSparseCounts.new(1, 2, [0, 5]).get_values(), [5])

    def test_meta(self):
        buffer = Gst.Buffer.new()
        self.assertIsNone(Vh.buffer_get_video_histogram_meta(buffer))
        Vh.buffer_add_video_histogram_meta(buffer, self.make([4, 5]))
        meta = Vh.buffer_get_video_histogram_meta(buffer)
        self.assertEqual(meta.histogram.get_counts(LUMA), [4, 5])

    def test_names(self):
        self.assertEqual([Vh.video_histogram_channel_get_name(Vh.VideoHistogramChannel(i))
                          for i in range(5)], list(common.CHANNELS))


class Health(unittest.TestCase):
    def test_table(self):
        """The page has the same rules, topics and ranges as the library."""
        rules = Vh.VideoHealth.new().dup_rules()
        rows = re.findall(r'^\| `([a-z-]+)` \| (.*) \|$',
                          (common.SOURCE / 'docs/videohealth.md').read_text(), re.MULTILINE)
        rows = {name: cells.split(' | ') for name, cells in rows if cells.count(' | ') == 7}
        self.assertEqual(list(rows), [rule.split(',')[0] for rule in rules.split('; ')])
        for number, (name, cells) in enumerate(rows.items()):
            _, unit, enter, leave, span, duration, hold, topic = cells
            times = [float(time.removesuffix(' s')) for time in (duration, hold)]
            with self.subTest(name):
                self.assertIn(f'{name},enter={enter.removeprefix("≤ ")},leave={leave},'
                              f'duration={times[0]:g}s,hold={times[1]:g}s', rules)
                self.assertEqual(enter.startswith('≤'), float(leave) > float(enter.strip('≤ ')))
                condition = Vh.VideoHealthCondition(number)
                self.assertEqual(Vh.VideoHealth.new().get_rule(condition),
                                 (float(enter.removeprefix('≤ ')), float(leave),
                                  *(int(time * Gst.SECOND) for time in times)))
                self.assertEqual(Vh.VideoHealthCondition.get_topic(condition), topic.strip('`'))
                self.assertEqual(Vh.VideoHealthCondition.get_unit(condition), unit)
                with self.assertRaisesRegex(GLib.Error, rf'not a number from 0 to {span[2:]}\b'):
                    Vh.VideoHealth.new().set_rules(f'{name},enter=100000')

    def test_survives(self):
        health = Vh.VideoHealth.new()
        health.judge(Gst.SECOND, Gst.CLOCK_TIME_NONE)
        health.tick(9 * Gst.SECOND)
        data = health.save().get_data_as_bytes().get_data()
        other = Vh.VideoHealth.new()
        other.restore(GLib.Variant.new_from_bytes(GLib.VariantType('a{sv}'), GLib.Bytes(data),
                                                  False))
        self.assertEqual(other.get_active(), Vh.VideoHealthConditions.SIGNAL_LOSS)
        with self.assertRaises(GLib.Error) as caught:
            other.restore(GLib.Variant.new_from_bytes(
                GLib.VariantType('a{sv}'), GLib.Bytes(data[:-7]), False))
        self.assertTrue(caught.exception.matches(Vh.video_histogram_error_quark(),
                                                 Vh.VideoHistogramError.PARSE))
        self.assertEqual(other.get_active(), Vh.VideoHealthConditions.SIGNAL_LOSS)


class Element(unittest.TestCase):
    def setUp(self):
        self.pipeline = Gst.parse_launch(
            'videotestsrc num-buffers=3 ! ' + CAPS + ' ! videohistogram name=h interval=0 '
            'attach-meta=always ! fakesink name=sink signal-handoffs=true')
        self.element = self.pipeline.get_by_name('h')
        self.addCleanup(self.pipeline.set_state, Gst.State.NULL)

    def play(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        message = self.pipeline.get_bus().timed_pop_filtered(
            20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.assertEqual(message.type, Gst.MessageType.EOS)

    def test_signal(self):
        pixels = []
        self.element.connect('histogram', lambda _, h: pixels.append(h.get_pixels()))
        self.play()
        self.assertEqual(pixels, [32, 32, 32])

    def test_last_histogram(self):
        self.assertIsNone(self.element.props.last_histogram)
        self.play()
        self.assertEqual(sum(self.element.props.last_histogram.get_counts(LUMA)), 32)

    def test_meta(self):
        pixels = []
        self.pipeline.get_by_name('sink').connect(
            'handoff', lambda _, buffer, __: pixels.append(
                sum(Vh.buffer_get_video_histogram_meta(buffer).histogram.get_counts(LUMA))))
        self.play()
        self.assertEqual(pixels, [32, 32, 32])


class Headers(unittest.TestCase):
    FOLDER = common.SOURCE / 'src' / 'gst' / 'videohistogram'

    def find(self, glob, pattern):
        return {name for path in self.FOLDER.glob(glob)
                for name in re.findall(pattern, path.read_text())}

    def test_every_function_is_there(self):
        gir = (common.build_root() / 'src/gst/videohistogram/GstVideoHistogram-1.0.gir').read_text()
        names = self.find('gst*.h', r'\b(gst_[a-z0-9_]+) ?\(')
        # Functions that other languages replace with means of their own.
        names -= self.find('*/*.c', r'\* (gst_[a-z0-9_]+): \(skip\)')
        names = {name for name in names if not name.endswith('_get_type')}
        self.assertGreater(len(names), 25)
        for name in names:
            with self.subTest(function=name):
                tag = re.search(rf'<(?:method|function|constructor)[^>]*'
                                rf'c:identifier="{name}"[^>]*>', gir)
                self.assertIsNotNone(tag)
                self.assertNotIn('introspectable="0"', tag.group())

    def test_types_of_properties(self):
        """Enums and flags of elements are in the typelib, under their C names, each value with a
        text."""
        named = 0
        for feature in Gst.Registry.get().get_feature_list_by_plugin('videohistogram'):
            element = feature.create(None)
            self.assertRegex(element.get_name(), rf'^{feature.get_name()}\d+$')
            for pspec in element.list_properties():
                if not pspec.value_type.is_a(GObject.TYPE_ENUM) and not pspec.value_type.is_a(
                        GObject.TYPE_FLAGS):
                    continue
                name = pspec.value_type.name
                with self.subTest(element=feature.get_name(), type=name):
                    kind = getattr(Vh, name[len('Gst'):])
                    self.assertEqual(kind.__gtype__, pspec.value_type)
                    for attribute in ('__enum_values__', '__flags_values__'):
                        for value in getattr(kind, attribute, {}).values():
                            self.assertRegex(value.first_value_name if attribute[2] == 'f'
                                             else value.value_name, r'^GST_VIDEO_[A-Z0-9_]+$')
                            named += 1
                    self.assertGreater(len(pspec.blurb), 20)
        self.assertGreater(named, 60)

    def test_values_of_properties_are_explained(self):
        """gst-inspect-1.0 shows the C names of the values. The text of the property explains each
        value, except those for studies and those that need no explanation."""
        explained = 0
        for feature in Gst.Registry.get().get_feature_list_by_plugin('videohistogram'):
            for pspec in feature.create(None).list_properties():
                if (not pspec.flags & GObject.ParamFlags.WRITABLE or pspec.value_type.name in
                        ('GstVideoHistogramMethod', 'GstVideoScopePosition')):
                    continue
                kind = getattr(Vh, pspec.value_type.name[len('Gst'):], None)
                for attribute, nick in (('__enum_values__', 'value_nick'),
                                        ('__flags_values__', 'first_value_nick')):
                    for value in getattr(kind, attribute, {}).values():
                        with self.subTest(element=feature.get_name(), name=pspec.name):
                            self.assertRegex(pspec.blurb, rf'\b{getattr(value, nick)}\b')
                        explained += 1
        self.assertGreater(explained, 50)

    def test_methods_are_for_study(self):
        """The property and the header say which method to use, and what the others are for."""
        pspec = Gst.ElementFactory.make('videohistogram').find_property('method')
        gir = common.build_root() / 'src/gst/videohistogram/GstVideoHistogram-1.0.gir'
        text = re.search(r'<enumeration name="VideoHistogramMethod".*?</enumeration>',
                         gir.read_text(), re.S)
        for words in (pspec.blurb, ' '.join(text.group().split())):
            self.assertRegex(words, r'Use (auto|%\w+_METHOD_AUTO), the fastest; the other methods '
                                    r'give the same counts and are for study')

    def test_names_of_types(self):
        """No two type names differ only in case, and the elements' types are named alike."""
        names = [feature.load().get_element_type().name for feature in
                 Gst.Registry.get().get_feature_list_by_plugin('videohistogram')]
        for name in names:
            self.assertRegex(name, r'^GstVideo[A-Z][a-z]+Element$')
        names += [getattr(Vh, name).__gtype__.name for name in dir(Vh)
                  if name.startswith('Video') and hasattr(getattr(Vh, name), '__gtype__')]
        self.assertEqual(len({name.lower() for name in names}), len(set(names)))

    def test_every_function_is_described(self):
        """Each function, parameter and return value has a description that can be understood
        alone."""
        core = '{http://www.gtk.org/introspection/core/1.0}'
        gir = xml.etree.ElementTree.parse(
            common.build_root() / 'src/gst/videohistogram/GstVideoHistogram-1.0.gir')
        functions = [element for tag in ('function', 'method', 'constructor')
                     for element in gir.iter(core + tag)]
        self.assertGreater(len(functions), 60)
        for function in functions:
            name = function.get('{http://www.gtk.org/introspection/c/1.0}identifier')
            if name.endswith('_get_type'):
                continue
            parts = {'itself': function}
            for parameter in function.iterfind(f'{core}parameters/*'):
                parts[parameter.get('name')] = parameter
            result = function.find(core + 'return-value')
            if result.find(f'{core}type[@name="none"]') is None:
                parts['what it returns'] = result
            with self.subTest(function=name):
                self.assertEqual([part for part, element in parts.items()
                                  if element.find(core + 'doc') is None], [])


common.main()
