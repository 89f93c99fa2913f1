// SPDX-License-Identifier: LGPL-2.1-or-later
// Every function of the library once, as a program of somebody else would call
// it: with what is installed, by tests/python/installed.py.

const Gst.VideoHistogramChannel LUMA = Gst.VideoHistogramChannel.LUMA;
const string CAPS = "video/x-raw,format=NV12,width=16,height=8,framerate=25/1";
const int PIXELS = 16 * 8;

void check (bool condition) {
  if (!condition)
    error ("a check failed");
}

void check_numbers (uint32[] numbers, uint32[] expected) {
  check (numbers.length == expected.length);
  for (int i = 0; i < numbers.length; i++)
    check (numbers[i] == expected[i]);
}

Gst.Buffer make_frame (uint8 luma) {
  var frame = new Gst.Buffer.allocate (null, PIXELS * 3 / 2, null);
  frame.memset (0, luma, PIXELS);
  frame.memset (PIXELS, 128, PIXELS / 2);
  return frame;
}

Gst.VideoHistogramEngine make_engine (Gst.VideoHistogramSpec spec) throws Error {
  var engine = new Gst.VideoHistogramEngine ();
  engine.set_overload (Gst.VideoHistogramOverload.WAIT);
  check (engine.open (Gst.VideoHistogramBackend.CPU, -1, null));
  check (engine.configure (Gst.Caps.from_string (CAPS), spec));
  return engine;
}

void use_counts (Gst.VideoHistogram histogram) {
  Gst.VideoHistogramStatistics statistics;
  unowned Gst.VideoHistogramInfo? info = histogram.get_info ();

  check (info.format == Gst.Video.Format.NV12 && info.bins == 256);
  check (histogram.wait (Gst.CLOCK_TIME_NONE));
  check (histogram.get_state () == Gst.VideoHistogramState.COMPLETE);
  check (histogram.get_backend () == "cpu");
  check (histogram.get_counts (LUMA)[100] == PIXELS);
  check (histogram.get_cell_counts (LUMA, 1, 0)[100] == PIXELS / 2);
  check (histogram.get_counts_bytes (LUMA)[100 * 4] == PIXELS / 2);
  check (histogram.get_pixels () == PIXELS);
  check (histogram.get_cell_pixels (0, 0) == PIXELS / 2);
  check (histogram.get_channel_pixels (LUMA) == PIXELS);
  check (histogram.get_cell_channel_pixels (LUMA, 0, 0) == PIXELS / 2);
  check (histogram.get_statistics (LUMA, out statistics));
  check (statistics.pixels == PIXELS && statistics.entropy == 0);
  check (statistics.copy ().median == statistics.median);
  check (histogram.get_cell_statistics (LUMA, 0, 0, out statistics));
  check (statistics.pixels == PIXELS / 2);
  check (histogram.get_percentile_bin (LUMA, 50) == 100);
  check (histogram.get_bin_level (LUMA, 16) == 0);
  check (LUMA.get_name () == "luma");
}

void use_joint (Gst.VideoJointHistogram joint) {
  double result;

  check (joint.wait (Gst.CLOCK_TIME_NONE));
  check (joint.get_state () == Gst.VideoHistogramState.COMPLETE);
  check (joint.get_kind () == Gst.VideoHistogramJoint.PREVIOUS);
  check (joint.get_backend () == "cpu");
  check (joint.get_n_a () == 4 && joint.get_n_b () == 4);
  check (joint.get_running_time () == Gst.CLOCK_TIME_NONE);
  check (joint.get_pixels () == PIXELS);
  check (joint.get_counts ()[1 * 4 + 1] == PIXELS);
  check (joint.get_counts_bytes ()[5 * 4] == PIXELS);
  check (joint.dup_marginal_a ()[1] == PIXELS);
  check (joint.dup_marginal_b ()[1] == PIXELS);
  check (joint.dup_conditional_means ()[1] == 1);
  check (joint.get_mutual_information (out result) && result == 0);
  joint.get_normalized_mutual_information (out result);
  joint.get_correlation_ratio (out result);

  var sparse = joint.to_sparse ();
  check (sparse.get_n_rows () == 4 && sparse.get_n_columns () == 4);
  check_numbers (sparse.get_row_offsets (), { 0, 0, 1, 1, 1 });
  check_numbers (sparse.get_columns (), { 1 });
  check_numbers (sparse.get_values (), { PIXELS });
  check (sparse.multiply ({ 1, 1, 1, 1 })[1] == PIXELS);
}

void use_made_up_ones () {
  uint32[] counts = { 3, 0, 0, 1 };
  var info = Gst.VideoHistogramInfo ();
  double result;

  check (info.bins == 256 && info.timestamp == Gst.CLOCK_TIME_NONE);
  info.bins = 4;
  check (info.copy ().bins == 4);
  var a = new Gst.VideoHistogram (info), b = new Gst.VideoHistogram (info);
  check (a.set_counts (LUMA, 0, 0, counts) && b.set_counts (LUMA, 0, 0, counts));
  check (a.distance (b, LUMA, Gst.VideoHistogramDistance.CHI_SQUARE, out result));
  check (result == 0);
  check (new Gst.VideoJointHistogram (2, 2, counts).get_pixels () == 4);
  check_numbers (new Gst.VideoSparseCounts (2, 2, counts).get_values (), { 3, 1 });
  Gst.video_histogram_info_init (out info);
  check (info.bins == 256);
}

void use_stored_ones (Gst.VideoHistogram histogram) throws Error {
  var flags = Gst.VideoHistogramStructureFlags.COUNTS;
  var read = Gst.VideoHistogram.from_structure (histogram.to_structure (flags));

  check_numbers (read.get_counts (LUMA), histogram.get_counts (LUMA));
  read = Gst.VideoHistogram.from_json (histogram.to_json (flags));
  check_numbers (read.get_counts (LUMA), histogram.get_counts (LUMA));
  try {
    Gst.VideoHistogram.from_json ("{");
    check (false);
  } catch (Gst.VideoHistogramError.PARSE error) {
  }
}

void use_engine () throws Error {
  Gst.VideoHistogramSpec spec;

  Gst.video_histogram_spec_init (out spec);
  spec = Gst.VideoHistogramSpec ();
  check (spec.columns == 1 && spec.copy ().rows == 1);
  spec.columns = 2;
  spec.joint = Gst.VideoHistogramJoint.PREVIOUS;
  spec.joint_bins = 4;
  var engine = make_engine (spec), other = make_engine (spec);
  var caps = Gst.VideoHistogramEngine.get_caps ();
  check (!caps.is_empty ());
  check (engine.get_active_backend () == "cpu");
  engine.dup_backend_reason ();
  check (engine.dup_method_problem () == null);
  engine.dup_joint_problem ();
  check (!engine.is_degraded ());
  engine.set_context (new Gst.Context ("nothing", false));
  check (!engine.answer_context_query (new Gst.Query.context ("nothing")));
  engine.set_joint_other (other);
  engine.set_joint_other (null);
  engine.end_frames (false);

  var frame = make_frame (100);
  engine.submit (frame, null, false);
  var histogram = engine.submit (frame, null, true);
  use_counts (histogram);
  use_joint (histogram.get_joint ());
  use_stored_ones (histogram);
  unowned Gst.VideoHistogramMeta? meta = Gst.buffer_get_video_histogram_meta (frame);
  check_numbers (meta.histogram.get_counts (LUMA), histogram.get_counts (LUMA));
  check (engine.count_joint (Gst.VideoHistogramJoint.OTHER, frame, frame).get_n_a () == 4);
  check (Gst.buffer_add_video_histogram_meta (new Gst.Buffer (), histogram) != null);
  engine.propose_allocation (new Gst.Query.allocation (caps, false));
  engine.end_frames (false);
  engine.close ();
}

void use_equalizer () throws Error {
  var equalizer = new Gst.VideoEqualizer ();
  Gst.VideoEqualizerSettings settings;

  Gst.video_equalizer_settings_init (out settings);
  settings = Gst.VideoEqualizerSettings ();
  check (settings.strength == 1 && settings.copy ().smoothing == Gst.SECOND / 2);
  settings.method = Gst.VideoEqualizeMethod.GAMMA;
  equalizer.set_context (new Gst.Context ("nothing", false));
  check (equalizer.open (-1, null));
  check (!equalizer.answer_context_query (new Gst.Query.context ("nothing")));
  check (equalizer.set_settings (settings));
  check (equalizer.set_reference (null));
  var caps = Gst.Caps.from_string (CAPS);
  check (equalizer.configure (caps));
  equalizer.reset ();
  var dark = make_frame (50);
  check (equalizer.process (dark, make_frame (0)));
  check (equalizer.get_counted () == 1);
  check (equalizer.get_active_backend () == "cpu");
  check ("system memory" in equalizer.dup_backend_reason ());
  Gst.Structure config;
  var pool = equalizer.new_pool (dark, out config);
  Gst.BufferPool.config_set_params (config, caps, PIXELS * 3 / 2, 0, 0);
  check (pool.set_config ((owned) config));
  check (equalizer.pool_fits (pool, dark));
  equalizer.close ();
}

void use_scope () throws Error {
  var scope = new Gst.VideoScope ();
  Gst.VideoScopeSettings settings;
  int width, height;

  Gst.video_scope_settings_init (out settings);
  settings = Gst.VideoScopeSettings ();
  check (settings.zebra_low == 0.95 && settings.copy ().skin_line == 123);
  settings.scopes = Gst.VideoScopes.WAVEFORM | Gst.VideoScopes.VECTORSCOPE;
  settings.get_output_size (8, 4, out width, out height);
  check (width == 8 && height == 4);
  scope.set_context (new Gst.Context ("nothing", false));
  check (scope.open (-1, null));
  check (!scope.answer_context_query (new Gst.Query.context ("nothing")));
  check (scope.set_settings (settings));
  check (scope.set_lines ({ 16, 235 }));
  check (scope.set_false_color_table ("0 0.1 #0000ff"));
  var caps = Gst.Caps.from_string (CAPS);
  check (scope.configure (caps, caps));
  scope.reset ();
  var dark = make_frame (50), drawn = make_frame (0);
  check (scope.process (dark, drawn));
  check (scope.blank (drawn));
  check (scope.get_active_backend () == "cpu");
  check ("system memory" in scope.dup_backend_reason ());
  Gst.Structure config;
  var pool = scope.new_pool (dark, out config);
  Gst.BufferPool.config_set_params (config, caps, PIXELS * 3 / 2, 0, 0);
  check (pool.set_config ((owned) config));
  check (scope.pool_fits (pool, dark));
  scope.close ();
}

void use_health () throws Error {
  var health = new Gst.VideoHealth ();
  var black = Gst.VideoHealthCondition.BLACK;
  Gst.VideoHealthChange change;
  double enter, leave, value;
  Gst.ClockTime duration, hold;

  health.set_conditions (Gst.VideoHealthConditions.BLACK);
  check (health.get_conditions () == Gst.VideoHealthConditions.BLACK);
  check (health.set_rules ("black,duration=0ms"));
  check (health.dup_rules ().has_prefix ("signal-loss,"));
  health.set_coded (true);
  check (health.get_coded ());
  health.set_views (4);
  check (health.get_views () == 4);
  health.get_rule (black, out enter, out leave, out duration, out hold);
  check (enter > 0 && duration == 0);
  check (health.get_duration (black) == 0);
  check (health.get_hold (black) == hold);
  check (health.get_pending (black) == 0);
  check (health.set_ignored ("black,x=0,y=0,width=0.5,height=0.5"));
  check (health.set_ignored (null));
  try {
    health.set_rules ("balck");
    check (false);
  } catch (Gst.VideoHistogramError.PARSE error) {
  }
  check (health.get_evidence () == Gst.VideoHealthEvidence.LUMA);

  var counts = new uint32[32 * 32];
  counts[0] = PIXELS;
  var info = Gst.VideoHistogramInfo ();
  info.bins = 32;
  var histogram = new Gst.VideoHistogram (info);
  check (histogram.set_counts (LUMA, 0, 0, counts[0:32]));
  check (health.add_histogram (histogram));
  var joint = new Gst.VideoJointHistogram (32, 32, counts);
  check (health.add_joint (Gst.VideoHistogramJoint.CHROMA, joint));
  check (health.add_difference (0));
  health.add_corrupted (false);

  health.judge (Gst.SECOND, Gst.CLOCK_TIME_NONE);
  health.skip (Gst.SECOND);
  health.tick (Gst.SECOND);
  check (health.next_change (out change));
  check (change.condition == black && change.active && change.since == Gst.SECOND);
  check (change.topic == black.get_topic ());
  check (black.get_name () == "black");
  check (black.get_unit () == "share of pixels");
  check (black.get_description () != null);
  check (black.get_words () == "picture black");
  check (black.get_severity () == Gst.VideoHealthSeverity.IMPAIRED);
  check (black.get_advice () != null);
  string unit;
  double most;
  check (black.get_scale (out unit, out most) != null && unit == "%" && most == 100);
  check (black.scale (0.25) == 25);
  check (black.describe (true, 1, 0.97, Gst.SECOND, null) ==
         "100 % of the picture is black; the alarm ends after 1 s below 97 %.");
  check (health.describe (black).has_prefix ("100 % of the picture is black; the alarm ends "));
  check (Gst.VideoHealth.get_default_conditions () != 0);
  health.get_unknown_reason (black);
  health.get_detail (black);
  check (health.get_held_back_by (black) == 0);
  check (!health.next_change (out change));
  health.wants_frame ();
  check (health.get_active () == Gst.VideoHealthConditions.BLACK);
  check (health.get_judged () == Gst.VideoHealthConditions.BLACK);
  check (health.get_value (black, out value) && value == 1);
  var state = health.save ();
  health.reset ();
  health.forget ();
  check (health.get_active () == 0);
  check (health.restore (state));
  check (health.get_active () == Gst.VideoHealthConditions.BLACK);
}

void use_health_engine () throws Error {
  var health = new Gst.VideoHealth ();
  var counting = new Gst.VideoHistogramEngine ();
  var engine = new Gst.VideoHealthEngine (health, counting);
  double value;

  counting.open (Gst.VideoHistogramBackend.CPU, -1, null);
  check (engine.configure (Gst.Caps.from_string (CAPS)));
  check (engine.submit (make_frame (16), 0, Gst.CLOCK_TIME_NONE));
  check (engine.finish (Gst.SECOND));
  check (health.get_value (Gst.VideoHealthCondition.BLACK, out value) && value == 1);
  check (engine.get_n_failed () == 0);
  engine.restart ();
  health.restart ();
  counting.close ();
}

// An element in READY counts with an engine that others can find.
void use_element () {
  var element = Gst.ElementFactory.make ("videohistogram", null);

  element.set_state (Gst.State.READY);
  check (Gst.VideoHistogramEngine.find (element) != null);
  element.set_state (Gst.State.NULL);
}

int main (string[] args) {
  Gst.init (ref args);
  try {
    use_made_up_ones ();
    use_engine ();
    use_equalizer ();
    use_scope ();
    use_health ();
    use_health_engine ();
    use_element ();
  } catch (Error error) {
    printerr ("%s\n", error.message);
    return 1;
  }
  Gst.deinit ();
  return 0;
}
