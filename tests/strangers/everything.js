// SPDX-License-Identifier: LGPL-2.1-or-later
// Every function of the library once, as a program of somebody else would call
// it: with what is installed, by tests/python/installed.py.
imports.gi.versions.Gst = '1.0';
imports.gi.versions.GstVideo = '1.0';
imports.gi.versions.GstVideoHistogram = '1.0';
const { GLib, Gst, GstVideo, GstVideoHistogram: Vh } = imports.gi;
const System = imports.system;

const LUMA = Vh.VideoHistogramChannel.LUMA;
const CAPS = 'video/x-raw,format=NV12,width=16,height=8,framerate=25/1';
const PIXELS = 16 * 8;

function check(condition) {
    if (!condition)
        throw new Error('a check failed');
}

function same(a, b) {
    check(JSON.stringify(Array.from(a)) === JSON.stringify(Array.from(b)));
}

function makeFrame(luma) {
    const bytes = new Uint8Array(PIXELS * 3 / 2).fill(128);
    return Gst.Buffer.new_wrapped(bytes.fill(luma, 0, PIXELS));
}

function makeEngine(spec) {
    const engine = Vh.VideoHistogramEngine.new();
    engine.set_overload(Vh.VideoHistogramOverload.WAIT);
    check(engine.open(Vh.VideoHistogramBackend.CPU, -1, null));
    check(engine.configure(Gst.Caps.from_string(CAPS), spec));
    return engine;
}

function useCounts(histogram) {
    const info = histogram.get_info();
    check(info.format === GstVideo.VideoFormat.NV12 && info.bins === 256);
    check(histogram.wait(Gst.SECOND));
    check(histogram.get_state() === Vh.VideoHistogramState.COMPLETE);
    check(histogram.get_backend() === 'cpu');
    check(histogram.get_counts(LUMA)[100] === PIXELS);
    check(histogram.get_cell_counts(LUMA, 1, 0)[100] === PIXELS / 2);
    const both = histogram.get_counts_bytes(LUMA).toArray();
    check(both.length === 2 * 256 * 4 && both[100 * 4] === PIXELS / 2);
    check(histogram.get_pixels() === PIXELS);
    check(histogram.get_cell_pixels(0, 0) === PIXELS / 2);
    check(histogram.get_channel_pixels(LUMA) === PIXELS);
    check(histogram.get_cell_channel_pixels(LUMA, 0, 0) === PIXELS / 2);
    const [there, statistics] = histogram.get_statistics(LUMA);
    check(there && statistics.pixels === PIXELS && statistics.entropy === 0);
    check(histogram.get_cell_statistics(LUMA, 0, 0)[0]);
    check(histogram.get_percentile_bin(LUMA, 50) === 100);
    check(histogram.get_bin_level(LUMA, 16) === 0);
    check(Vh.video_histogram_channel_get_name(LUMA) === 'luma');
}

function useJoint(joint) {
    check(joint.wait(Gst.SECOND));
    check(joint.get_state() === Vh.VideoHistogramState.COMPLETE);
    check(joint.get_kind() === Vh.VideoHistogramJoint.PREVIOUS);
    check(joint.get_backend() === 'cpu');
    check(joint.get_n_a() === 4 && joint.get_n_b() === 4);
    check(joint.get_running_time() > 0);    // none, which is the highest number
    check(joint.get_pixels() === PIXELS);
    check(joint.get_counts()[1 * 4 + 1] === PIXELS);
    check(joint.get_counts_bytes().toArray()[5 * 4] === PIXELS);
    check(joint.dup_marginal_a()[1] === PIXELS);
    check(joint.dup_marginal_b()[1] === PIXELS);
    check(joint.dup_conditional_means()[1] === 1);
    same(joint.get_mutual_information(), [true, 0]);
    check(joint.get_normalized_mutual_information().length === 2);
    check(joint.get_correlation_ratio().length === 2);

    const sparse = joint.to_sparse();
    check(sparse.get_n_rows() === 4 && sparse.get_n_columns() === 4);
    same(sparse.get_row_offsets(), [0, 0, 1, 1, 1]);
    same(sparse.get_columns(), [1]);
    same(sparse.get_values(), [PIXELS]);
    same(sparse.multiply([1, 1, 1, 1]), [0, PIXELS, 0, 0]);
}

function useMadeUpOnes() {
    const counts = [3, 0, 0, 1];
    const info = Vh.VideoHistogramInfo.new();
    info.bins = 4;
    const a = Vh.VideoHistogram.new(info), b = Vh.VideoHistogram.new(info);
    check(a.set_counts(LUMA, 0, 0, counts) && b.set_counts(LUMA, 0, 0, counts));
    same(a.distance(b, LUMA, Vh.VideoHistogramDistance.CHI_SQUARE), [true, 0]);
    check(Vh.VideoJointHistogram.new(2, 2, counts).get_pixels() === 4);
    same(Vh.VideoSparseCounts.new(2, 2, counts).get_values(), [3, 1]);
}

function useStoredOnes(histogram) {
    const flags = Vh.VideoHistogramStructureFlags.COUNTS;
    let read = Vh.VideoHistogram.from_structure(histogram.to_structure(flags));
    same(read.get_counts(LUMA), histogram.get_counts(LUMA));
    read = Vh.VideoHistogram.from_json(histogram.to_json(flags));
    same(read.get_counts(LUMA), histogram.get_counts(LUMA));
    let failure = null;
    try {
        Vh.VideoHistogram.from_json('{');
    } catch (error) {
        failure = error;
    }
    check(failure.matches(Vh.VideoHistogramError, Vh.VideoHistogramError.PARSE));
    check(failure.domain === Vh.VideoHistogramError.quark());
}

// They are filled in, whichever way they are made.
function useStructs() {
    for (const [struct, field, value] of [
        [Vh.VideoHistogramInfo, 'bins', 256], [Vh.VideoHistogramSpec, 'rows', 1],
        [Vh.VideoHistogramStatistics, 'pixels', 0],
        [Vh.VideoEqualizerSettings, 'strength', 1],
        [Vh.VideoScopeSettings, 'opacity', 0.7]]) {
        for (const made of [new struct(), struct.new(), struct.new().copy()])
            check(made[field] === value);
        if (struct !== Vh.VideoHistogramStatistics)
            check(struct.init()[field] === value);
    }
}

function useEngine() {
    const spec = Vh.VideoHistogramSpec.new();
    spec.columns = 2;
    spec.joint = Vh.VideoHistogramJoint.PREVIOUS;
    spec.joint_bins = 4;
    const engine = makeEngine(spec), other = makeEngine(spec);
    const caps = Vh.VideoHistogramEngine.get_caps();
    check(!caps.is_empty());
    check(engine.get_active_backend() === 'cpu');
    engine.dup_backend_reason();
    check(engine.dup_method_problem() === null);
    engine.dup_joint_problem();
    check(!engine.is_degraded());
    engine.set_context(Gst.Context.new('nothing', false));
    check(!engine.answer_context_query(Gst.Query.new_context('nothing')));
    engine.set_joint_other(other);
    engine.set_joint_other(null);
    engine.end_frames(false);

    const frame = makeFrame(100);
    engine.submit(frame, null, false);
    const histogram = engine.submit(frame, null, true);
    useCounts(histogram);
    useJoint(histogram.get_joint());
    useStoredOnes(histogram);
    const meta = Vh.buffer_get_video_histogram_meta(frame);
    same(meta.histogram.get_counts(LUMA), histogram.get_counts(LUMA));
    const joint = engine.count_joint(Vh.VideoHistogramJoint.OTHER, frame, frame);
    check(joint.get_n_a() === 4);
    check(Vh.buffer_add_video_histogram_meta(Gst.Buffer.new(), histogram) !== null);
    engine.propose_allocation(Gst.Query.new_allocation(caps, false));
    engine.end_frames(false);
    engine.close();
}

function useEqualizer() {
    const equalizer = Vh.VideoEqualizer.new();
    const settings = Vh.VideoEqualizerSettings.new();
    settings.method = Vh.VideoEqualizeMethod.GAMMA;
    equalizer.set_context(Gst.Context.new('nothing', false));
    equalizer.open(-1, null);
    check(!equalizer.answer_context_query(Gst.Query.new_context('nothing')));
    equalizer.set_settings(settings);
    equalizer.set_reference(null);
    const caps = Gst.Caps.from_string(CAPS);
    check(equalizer.configure(caps));
    equalizer.reset();
    const dark = makeFrame(50), bright = makeFrame(0);
    check(equalizer.process(dark, bright));
    check(equalizer.get_counted() === 1);
    check(equalizer.get_active_backend() === 'cpu');
    check(equalizer.dup_backend_reason().includes('system memory'));
    const [pool, config] = equalizer.new_pool(dark);
    Gst.BufferPool.config_set_params(config, caps, PIXELS * 3 / 2, 0, 0);
    check(pool.set_config(config));
    check(equalizer.pool_fits(pool, dark));
    equalizer.close();
}

function useScope() {
    const scope = Vh.VideoScope.new();
    const settings = Vh.VideoScopeSettings.new();
    settings.scopes = Vh.VideoScopes.WAVEFORM | Vh.VideoScopes.VECTORSCOPE;
    const [width, height] = settings.get_output_size(8, 4);
    check(width === 8 && height === 4);
    scope.set_context(Gst.Context.new('nothing', false));
    scope.open(-1, null);
    check(!scope.answer_context_query(Gst.Query.new_context('nothing')));
    scope.set_settings(settings);
    scope.set_lines([16, 235]);
    check(scope.set_false_color_table('0 0.1 #0000ff'));
    const caps = Gst.Caps.from_string(CAPS);
    check(scope.configure(caps, caps));
    scope.reset();
    const dark = makeFrame(50), drawn = makeFrame(0);
    check(scope.process(dark, drawn));
    check(scope.blank(drawn));
    check(scope.get_active_backend() === 'cpu');
    check(scope.dup_backend_reason().includes('system memory'));
    const [pool, config] = scope.new_pool(dark);
    Gst.BufferPool.config_set_params(config, caps, PIXELS * 3 / 2, 0, 0);
    check(pool.set_config(config));
    check(scope.pool_fits(pool, dark));
    scope.close();
}

function useHealth() {
    const health = Vh.VideoHealth.new();
    const black = Vh.VideoHealthCondition.BLACK;
    const conditions = Vh.VideoHealthConditions.BLACK;
    health.set_conditions(conditions);
    check(health.get_conditions() === conditions);
    check(health.set_rules('black,duration=0,hold=500ms'));
    check(health.dup_rules().startsWith('signal-loss,'));
    health.set_coded(true);
    check(health.get_coded());
    health.set_views(4);
    check(health.get_views() === 4);
    check(health.get_rule(black).join() === '0.98,0.97,0,500000000');
    check(health.get_duration(black) === 0);
    check(health.get_hold(black) === 500000000);
    check(health.get_pending(black) === 0);
    check(health.set_ignored('black,x=0,y=0,width=0.5,height=0.5'));
    check(health.set_ignored(null));
    let failure = null;
    try {
        health.set_rules('balck');
    } catch (error) {
        failure = error;
    }
    check(failure.matches(Vh.VideoHistogramError, Vh.VideoHistogramError.PARSE));
    check(health.get_evidence() === Vh.VideoHealthEvidence.LUMA);

    const counts = new Array(32 * 32).fill(0);
    counts[0] = PIXELS;
    const info = Vh.VideoHistogramInfo.new();
    info.bins = 32;
    const histogram = Vh.VideoHistogram.new(info);
    check(histogram.set_counts(LUMA, 0, 0, counts.slice(0, 32)));
    check(health.add_histogram(histogram));
    const joint = Vh.VideoJointHistogram.new(32, 32, counts);
    check(health.add_joint(Vh.VideoHistogramJoint.CHROMA, joint));
    check(health.add_difference(0));
    health.add_corrupted(false);

    // JavaScript has no number for GST_CLOCK_TIME_NONE.
    health.judge(Gst.SECOND, 0);
    health.skip(Gst.SECOND);
    health.tick(Gst.SECOND);
    const [there, change] = health.next_change();
    check(there && change.condition === black && change.active);
    check(change.since === Gst.SECOND);
    check(change.topic === Vh.video_health_condition_get_topic(black));
    check(Vh.video_health_condition_get_name(black) === 'black');
    check(Vh.video_health_condition_get_unit(black) === 'share of pixels');
    check(Vh.video_health_condition_get_description(black));
    check(Vh.video_health_condition_get_words(black) === 'picture black');
    check(Vh.video_health_condition_get_severity(black) === Vh.VideoHealthSeverity.IMPAIRED);
    check(Vh.video_health_condition_get_advice(black));
    same(Vh.video_health_condition_get_scale(black), ['Black part of the picture', '%', 100]);
    check(Vh.video_health_condition_scale(black, 0.25) === 25);
    check(Vh.video_health_condition_describe(black, true, 1, 0.97, Gst.SECOND, null) ===
        '100 % of the picture is black; the alarm ends after 1 s below 97 %.');
    check(health.describe(black).startsWith('100 % of the picture is black; the alarm ends '));
    check(Vh.VideoHealth.get_default_conditions() & Vh.VideoHealthConditions.BLACK);
    health.get_unknown_reason(black);
    health.get_detail(black);
    check(!health.get_held_back_by(black));
    check(!health.next_change()[0]);
    health.wants_frame();
    check(health.get_active() === conditions);
    check(health.get_judged() === conditions);
    same(health.get_value(black), [true, 1]);
    const state = health.save();
    health.reset();
    health.forget();
    check(health.get_active() === 0);
    check(health.restore(state) && health.get_active() === conditions);
}

function useHealthEngine() {
    const health = Vh.VideoHealth.new();
    const counting = Vh.VideoHistogramEngine.new();
    counting.open(Vh.VideoHistogramBackend.CPU, -1, null);
    const engine = Vh.VideoHealthEngine.new(health, counting);
    check(engine.configure(Gst.Caps.from_string(CAPS)));
    const bytes = new Uint8Array(PIXELS * 3 / 2).fill(16);
    // JavaScript has no number for GST_CLOCK_TIME_NONE.
    check(engine.submit(Gst.Buffer.new_wrapped(bytes), 0, 0));
    check(engine.finish(Gst.SECOND));
    same(health.get_value(Vh.VideoHealthCondition.BLACK), [true, 1]);
    check(engine.get_n_failed() === 0);
    engine.restart();
    health.restart();
    counting.close();
}

// An element in READY counts with an engine that others can find.
function useElement() {
    const element = Gst.ElementFactory.make('videohistogram', null);
    element.set_state(Gst.State.READY);
    check(Vh.VideoHistogramEngine.find(element) !== null);
    element.set_state(Gst.State.NULL);
}

Gst.init(null);
useStructs();
useMadeUpOnes();
useEngine();
useEqualizer();
useScope();
useHealth();
useHealthEngine();
useElement();
// The leaks tracer looks at what is left.
System.gc();
Gst.deinit();
