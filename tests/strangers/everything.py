#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every function of the library once, as a program of somebody else would call it: with what
is installed, by tests/python/installed.py."""

import gc

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstVideo', '1.0')
gi.require_version('GstVideoHistogram', '1.0')
from gi.repository import GLib, Gst, GstVideo  # noqa: E402
from gi.repository import GstVideoHistogram as Vh  # noqa: E402

LUMA = Vh.VideoHistogramChannel.LUMA
CAPS = 'video/x-raw,format=NV12,width=16,height=8,framerate=25/1'
PIXELS = 16 * 8


def check(condition):
    if not condition:
        raise AssertionError


def make_frame(luma):
    return Gst.Buffer.new_wrapped(bytes([luma]) * PIXELS + bytes([128]) * (PIXELS // 2))


def make_engine(spec):
    engine = Vh.VideoHistogramEngine.new()
    engine.set_overload(Vh.VideoHistogramOverload.WAIT)
    check(engine.open(Vh.VideoHistogramBackend.CPU, -1, None))
    check(engine.configure(Gst.Caps.from_string(CAPS), spec))
    return engine


def use_counts(histogram):
    info = histogram.get_info()
    check(info.format == GstVideo.VideoFormat.NV12 and info.bins == 256)
    check(histogram.wait(Gst.CLOCK_TIME_NONE))
    check(histogram.get_state() == Vh.VideoHistogramState.COMPLETE)
    check(histogram.get_backend() == 'cpu')
    check(histogram.get_counts(LUMA)[100] == PIXELS)
    check(histogram.get_cell_counts(LUMA, 1, 0)[100] == PIXELS // 2)
    both = histogram.get_counts_bytes(LUMA).get_data()
    check(len(both) == 2 * 256 * 4 and both[100 * 4:101 * 4] == bytes([PIXELS // 2, 0, 0, 0]))
    check(histogram.get_pixels() == PIXELS)
    check(histogram.get_cell_pixels(0, 0) == PIXELS // 2)
    check(histogram.get_channel_pixels(LUMA) == PIXELS)
    check(histogram.get_cell_channel_pixels(LUMA, 0, 0) == PIXELS // 2)
    there, statistics = histogram.get_statistics(LUMA)
    check(there and statistics.pixels == PIXELS and statistics.entropy == 0)
    check(histogram.get_cell_statistics(LUMA, 0, 0)[0])
    check(histogram.get_percentile_bin(LUMA, 50) == 100)
    check(histogram.get_bin_level(LUMA, 16) == 0)
    check(Vh.VideoHistogramChannel.get_name(LUMA) == 'luma')


def use_joint(joint):
    check(joint.wait(Gst.CLOCK_TIME_NONE))
    check(joint.get_state() == Vh.VideoHistogramState.COMPLETE)
    check(joint.get_kind() == Vh.VideoHistogramJoint.PREVIOUS)
    check(joint.get_backend() == 'cpu')
    check((joint.get_n_a(), joint.get_n_b(), joint.get_pixels()) == (4, 4, PIXELS))
    check(joint.get_running_time() == Gst.CLOCK_TIME_NONE)
    check(joint.get_counts() == [0] * 5 + [PIXELS] + [0] * 10)
    check(joint.get_counts_bytes().get_data()[5 * 4] == PIXELS)
    check(joint.dup_marginal_a()[1] == PIXELS)
    check(joint.dup_marginal_b()[1] == PIXELS)
    check(joint.dup_conditional_means()[1] == 1)
    check(joint.get_mutual_information() == (True, 0))
    check(len(joint.get_normalized_mutual_information()) == 2)
    check(len(joint.get_correlation_ratio()) == 2)

    sparse = joint.to_sparse()
    check((sparse.get_n_rows(), sparse.get_n_columns()) == (4, 4))
    check(sparse.get_row_offsets() == [0, 0, 1, 1, 1])
    check(sparse.get_columns() == [1] and sparse.get_values() == [PIXELS])
    check(sparse.multiply([1, 1, 1, 1]) == [0, PIXELS, 0, 0])


def use_made_up_ones():
    counts = [3, 0, 0, 1]
    info = Vh.VideoHistogramInfo.new()
    info.bins = 4
    a, b = Vh.VideoHistogram.new(info), Vh.VideoHistogram.new(info)
    check(a.set_counts(LUMA, 0, 0, counts) and b.set_counts(LUMA, 0, 0, counts))
    check(a.distance(b, LUMA, Vh.VideoHistogramDistance.CHI_SQUARE) == (True, 0))
    check(Vh.VideoJointHistogram.new(2, 2, counts).get_pixels() == 4)
    check(Vh.VideoSparseCounts.new(2, 2, counts).get_values() == [3, 1])


def use_stored_ones(histogram):
    flags = Vh.VideoHistogramStructureFlags.COUNTS
    read = Vh.VideoHistogram.from_structure(histogram.to_structure(flags))
    check(read.get_counts(LUMA) == histogram.get_counts(LUMA))
    read = Vh.VideoHistogram.from_json(histogram.to_json(flags))
    check(read.get_counts(LUMA) == histogram.get_counts(LUMA))
    try:
        Vh.VideoHistogram.from_json('{')
    except GLib.Error as error:
        check(error.matches(Vh.VideoHistogramError.quark(), Vh.VideoHistogramError.PARSE))
    else:
        check(False)


def use_structs():
    """They are filled in, whichever way they are made."""
    for struct, field, value in ((Vh.VideoHistogramInfo, 'bins', 256),
                                 (Vh.VideoHistogramSpec, 'rows', 1),
                                 (Vh.VideoHistogramStatistics, 'pixels', 0),
                                 (Vh.VideoEqualizerSettings, 'strength', 1),
                                 (Vh.VideoScopeSettings, 'opacity', 0.7)):
        for made in struct(), struct.new(), struct().copy():
            check(getattr(made, field) == value)
        if struct != Vh.VideoHistogramStatistics:
            check(getattr(struct.init(), field) == value)


def use_engine():
    spec = Vh.VideoHistogramSpec.new()
    spec.columns = 2
    spec.joint = Vh.VideoHistogramJoint.PREVIOUS
    spec.joint_bins = 4
    engine, other = make_engine(spec), make_engine(spec)
    caps = Vh.VideoHistogramEngine.get_caps()
    check(not caps.is_empty())
    check(engine.get_active_backend() == 'cpu')
    engine.dup_backend_reason()
    check(engine.dup_method_problem() is None)
    engine.dup_joint_problem()
    check(not engine.is_degraded())
    engine.set_context(Gst.Context.new('nothing', False))
    check(not engine.answer_context_query(Gst.Query.new_context('nothing')))
    engine.set_joint_other(other)
    engine.set_joint_other(None)
    engine.end_frames(False)

    frame = make_frame(100)
    engine.submit(frame, None, False)
    histogram = engine.submit(frame, None, True)
    use_counts(histogram)
    use_joint(histogram.get_joint())
    use_stored_ones(histogram)
    meta = Vh.buffer_get_video_histogram_meta(frame)
    check(meta.histogram.get_counts(LUMA) == histogram.get_counts(LUMA))
    check(engine.count_joint(Vh.VideoHistogramJoint.OTHER, frame, frame).get_n_a() == 4)
    bare = Gst.Buffer.new()
    check(Vh.buffer_add_video_histogram_meta(bare, histogram) is not None)
    engine.propose_allocation(Gst.Query.new_allocation(caps, False))
    engine.end_frames(False)
    engine.close()


def use_equalizer():
    equalizer = Vh.VideoEqualizer.new()
    settings = Vh.VideoEqualizerSettings.new()
    settings.method = Vh.VideoEqualizeMethod.GAMMA
    equalizer.set_context(Gst.Context.new('nothing', False))
    equalizer.open(-1, None)
    check(not equalizer.answer_context_query(Gst.Query.new_context('nothing')))
    equalizer.set_settings(settings)
    equalizer.set_reference(None)
    caps = Gst.Caps.from_string(CAPS)
    check(equalizer.configure(caps))
    equalizer.reset()
    dark, bright = make_frame(50), make_frame(0)
    check(equalizer.process(dark, bright))
    check(equalizer.get_counted() == 1)
    check(equalizer.get_active_backend() == 'cpu')
    check('system memory' in equalizer.dup_backend_reason())
    pool, config = equalizer.new_pool(dark)
    Gst.BufferPool.config_set_params(config, caps, PIXELS * 3 // 2, 0, 0)
    check(pool.set_config(config))
    check(equalizer.pool_fits(pool, dark))
    equalizer.close()


def use_scope():
    scope = Vh.VideoScope.new()
    settings = Vh.VideoScopeSettings.new()
    settings.scopes = Vh.VideoScopes.WAVEFORM | Vh.VideoScopes.VECTORSCOPE
    check(tuple(settings.get_output_size(8, 4)) == (8, 4))
    scope.set_context(Gst.Context.new('nothing', False))
    scope.open(-1, None)
    check(not scope.answer_context_query(Gst.Query.new_context('nothing')))
    scope.set_settings(settings)
    scope.set_lines([16, 235])
    check(scope.set_false_color_table('0 0.1 #0000ff'))
    caps = Gst.Caps.from_string(CAPS)
    check(scope.configure(caps, caps))
    scope.reset()
    dark, drawn = make_frame(50), make_frame(0)
    check(scope.process(dark, drawn))
    check(scope.blank(drawn))
    check(scope.get_active_backend() == 'cpu')
    check('system memory' in scope.dup_backend_reason())
    pool, config = scope.new_pool(dark)
    Gst.BufferPool.config_set_params(config, caps, PIXELS * 3 // 2, 0, 0)
    check(pool.set_config(config))
    check(scope.pool_fits(pool, dark))
    scope.close()


def use_health():
    health = Vh.VideoHealth.new()
    black, conditions = Vh.VideoHealthCondition.BLACK, Vh.VideoHealthConditions.BLACK
    health.set_conditions(conditions)
    check(health.get_conditions() == conditions)
    check(health.set_rules('black,duration=0,hold=500ms'))
    check(health.dup_rules().startswith('signal-loss,'))
    health.set_coded(True)
    check(health.get_coded())
    health.set_views(4)
    check(health.get_views() == 4)
    check(tuple(health.get_rule(black)) == (0.98, 0.97, 0, 500 * Gst.MSECOND))
    check(health.get_duration(black) == 0)
    check(health.get_hold(black) == 500 * Gst.MSECOND)
    check(health.get_pending(black) == 0)
    check(health.set_ignored('black,x=0,y=0,width=0.5,height=0.5'))
    check(health.set_ignored(None))
    try:
        health.set_rules('balck')
    except GLib.Error as error:
        check(error.matches(Vh.VideoHistogramError.quark(), Vh.VideoHistogramError.PARSE))
    else:
        check(False)
    check(health.get_evidence() == Vh.VideoHealthEvidence.LUMA)

    counts = [PIXELS] + [0] * (32 * 32 - 1)
    info = Vh.VideoHistogramInfo.new()
    info.bins = 32
    histogram = Vh.VideoHistogram.new(info)
    check(histogram.set_counts(LUMA, 0, 0, counts[:32]))
    check(health.add_histogram(histogram))
    joint = Vh.VideoJointHistogram.new(32, 32, counts)
    check(health.add_joint(Vh.VideoHistogramJoint.CHROMA, joint))
    check(health.add_difference(0))
    health.add_corrupted(False)

    health.judge(Gst.SECOND, Gst.CLOCK_TIME_NONE)
    health.skip(Gst.SECOND)
    health.tick(Gst.SECOND)
    there, change = health.next_change()
    check(there and change.condition == black and change.active and change.since == Gst.SECOND)
    check(change.topic == Vh.VideoHealthCondition.get_topic(black))
    check(Vh.VideoHealthCondition.get_name(black) == 'black')
    check(Vh.VideoHealthCondition.get_unit(black) == 'share of pixels')
    check(Vh.VideoHealthCondition.get_description(black))
    check(Vh.VideoHealthCondition.get_words(black) == 'picture black')
    check(Vh.VideoHealthCondition.get_severity(black) == Vh.VideoHealthSeverity.IMPAIRED)
    check(Vh.VideoHealthCondition.get_advice(black))
    check(Vh.VideoHealthCondition.get_scale(black) == ('Black part of the picture', '%', 100))
    check(Vh.VideoHealthCondition.scale(black, 0.25) == 25)
    check(Vh.VideoHealthCondition.describe(black, True, 1, 0.97, Gst.SECOND, None) ==
          '100 % of the picture is black; the alarm ends after 1 s below 97 %.')
    check(health.describe(black).startswith('100 % of the picture is black; the alarm ends '))
    check(Vh.VideoHealth.get_default_conditions() & Vh.VideoHealthConditions.BLACK)
    health.get_unknown_reason(black)
    health.get_detail(black)
    check(not health.get_held_back_by(black))
    check(not health.next_change()[0])
    health.wants_frame()
    check(health.get_active() == conditions and health.get_judged() == conditions)
    check(health.get_value(black) == (True, 1))
    state = health.save()
    health.reset()
    health.forget()
    check(health.get_active() == 0)
    check(health.restore(state) and health.get_active() == conditions)


def use_health_engine():
    health, counting = Vh.VideoHealth.new(), Vh.VideoHistogramEngine.new()
    counting.open(Vh.VideoHistogramBackend.CPU, -1, None)
    engine = Vh.VideoHealthEngine.new(health, counting)
    check(engine.configure(Gst.Caps.from_string(CAPS)))
    frame = Gst.Buffer.new_wrapped(bytes([16] * PIXELS + [128] * (PIXELS // 2)))
    check(engine.submit(frame, 0, Gst.CLOCK_TIME_NONE))
    check(engine.finish(Gst.SECOND))
    check(health.get_value(Vh.VideoHealthCondition.BLACK) == (True, 1))
    check(engine.get_n_failed() == 0)
    engine.restart()
    health.restart()
    counting.close()


def use_element():
    """An element in READY counts with an engine that others can find."""
    element = Gst.ElementFactory.make('videohistogram')
    element.set_state(Gst.State.READY)
    check(Vh.VideoHistogramEngine.find(element) is not None)
    element.set_state(Gst.State.NULL)


Gst.init(None)
use_structs()
use_made_up_ones()
use_engine()
use_equalizer()
use_scope()
use_health()
use_health_engine()
use_element()
# The leaks tracer looks at what is left.
gc.collect()
Gst.deinit()
