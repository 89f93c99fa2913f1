/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every function of the library once, as a program of somebody else would call
 * it: built against what is installed, by tests/python/installed.py. */
#include <gst/videohistogram/videohistogram.h>

#define LUMA GST_VIDEO_HISTOGRAM_CHANNEL_LUMA
#define CAPS "video/x-raw,format=NV12,width=16,height=8,framerate=25/1"
#define PIXELS (16 * 8)

#define CHECK(condition) G_STMT_START { \
  if (!(condition)) \
    g_error ("%s:%d: %s", __func__, __LINE__, #condition); \
} G_STMT_END

static GstBuffer *
make_frame (guint8 luma)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, PIXELS * 3 / 2, NULL);

  gst_buffer_memset (buffer, 0, luma, PIXELS);
  gst_buffer_memset (buffer, PIXELS, 128, PIXELS / 2);
  return buffer;
}

static GstVideoHistogramEngine *
make_engine (GstVideoHistogramSpec * spec)
{
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstCaps *caps = gst_caps_from_string (CAPS);
  GError *error = NULL;

  gst_video_histogram_engine_set_overload (engine,
      GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT);
  if (!gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, &error)
      || !gst_video_histogram_engine_configure (engine, caps, spec, &error))
    g_error ("%s", error->message);
  gst_caps_unref (caps);
  return engine;
}

static void
use_counts (GstVideoHistogram * histogram)
{
  GBytes *bytes;
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  GstVideoHistogramStatistics statistics;
  guint n;

  CHECK (info->format == GST_VIDEO_FORMAT_NV12 && info->bins == 256);
  CHECK (gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE));
  CHECK (gst_video_histogram_get_state (histogram) ==
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  CHECK (g_str_equal (gst_video_histogram_get_backend (histogram), "cpu"));
  CHECK (gst_video_histogram_get_counts (histogram, LUMA, &n)[100] == PIXELS);
  CHECK (n == 256);
  CHECK (gst_video_histogram_get_cell_counts (histogram, LUMA, 1, 0, NULL)[100]
      == PIXELS / 2);
  bytes = gst_video_histogram_get_counts_bytes (histogram, LUMA);
  CHECK (g_bytes_get_size (bytes) == 2 * 256 * 4);
  g_bytes_unref (bytes);
  CHECK (gst_video_histogram_get_pixels (histogram) == PIXELS);
  CHECK (gst_video_histogram_get_cell_pixels (histogram, 0, 0) == PIXELS / 2);
  CHECK (gst_video_histogram_get_channel_pixels (histogram, LUMA) == PIXELS);
  CHECK (gst_video_histogram_get_cell_channel_pixels (histogram, LUMA, 0, 0) ==
      PIXELS / 2);
  CHECK (gst_video_histogram_get_statistics (histogram, LUMA, &statistics));
  CHECK (statistics.pixels == PIXELS && statistics.entropy == 0);
  CHECK (gst_video_histogram_get_cell_statistics (histogram, LUMA, 0, 0,
          &statistics));
  CHECK (gst_video_histogram_get_percentile_bin (histogram, LUMA, 50) == 100);
  CHECK (gst_video_histogram_get_bin_level (histogram, LUMA, 16) == 0);
  CHECK (g_str_equal (gst_video_histogram_channel_get_name (LUMA), "luma"));
}

/* There is no GPU that has made the counts. */
static void
use_device_view (GstVideoHistogram * histogram)
{
  GstVideoHistogramDeviceView view;

  if (gst_video_histogram_map_device (histogram, &view))
    gst_video_histogram_unmap_device (histogram, &view);
}

static void
use_joint (GstVideoJointHistogram * joint)
{
  GBytes *bytes;
  GstVideoSparseCounts *sparse;
  gdouble result, vector[4] = { 1, 1, 1, 1 }, *product, *means;
  guint32 *marginal;
  guint n;

  CHECK (gst_video_joint_histogram_wait (joint, GST_CLOCK_TIME_NONE));
  CHECK (gst_video_joint_histogram_get_state (joint) ==
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  CHECK (gst_video_joint_histogram_get_kind (joint) ==
      GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS);
  CHECK (g_str_equal (gst_video_joint_histogram_get_backend (joint), "cpu"));
  CHECK (gst_video_joint_histogram_get_n_a (joint) == 4);
  CHECK (gst_video_joint_histogram_get_n_b (joint) == 4);
  CHECK (gst_video_joint_histogram_get_pixels (joint) == PIXELS);
  CHECK (gst_video_joint_histogram_get_running_time (joint) ==
      GST_CLOCK_TIME_NONE);
  CHECK (gst_video_joint_histogram_get_counts (joint, &n)[1 * 4 + 1] == PIXELS);
  CHECK (n == 16);
  bytes = gst_video_joint_histogram_get_counts_bytes (joint);
  CHECK (g_bytes_get_size (bytes) == 16 * 4);
  g_bytes_unref (bytes);
  marginal = gst_video_joint_histogram_dup_marginal_a (joint, &n);
  CHECK (marginal[1] == PIXELS);
  g_free (marginal);
  marginal = gst_video_joint_histogram_dup_marginal_b (joint, &n);
  CHECK (marginal[1] == PIXELS);
  g_free (marginal);
  means = gst_video_joint_histogram_dup_conditional_means (joint, &n);
  CHECK (n == 4 && means[1] == 1);
  g_free (means);
  CHECK (gst_video_joint_histogram_get_mutual_information (joint, &result));
  CHECK (gst_video_joint_histogram_get_normalized_mutual_information (joint,
          &result));
  CHECK (gst_video_joint_histogram_get_correlation_ratio (joint, &result));

  sparse = gst_video_sparse_counts_ref (gst_video_joint_histogram_to_sparse
      (joint));
  gst_video_sparse_counts_unref (sparse);
  CHECK (gst_video_sparse_counts_get_n_rows (sparse) == 4);
  CHECK (gst_video_sparse_counts_get_n_columns (sparse) == 4);
  CHECK (gst_video_sparse_counts_get_row_offsets (sparse, &n)[4] == 1);
  CHECK (n == 5);
  CHECK (gst_video_sparse_counts_get_columns (sparse, &n)[0] == 1);
  CHECK (gst_video_sparse_counts_get_values (sparse, &n)[0] == PIXELS);
  product = gst_video_sparse_counts_multiply (sparse, vector, 4, &n);
  CHECK (n == 4 && product[1] == PIXELS);
  g_free (product);
  gst_video_sparse_counts_unref (sparse);
}

static void
use_made_up_ones (void)
{
  const guint32 counts[4] = { 3, 0, 0, 1 };
  GstVideoHistogramInfo info;
  GstVideoHistogram *a, *b;
  GstVideoJointHistogram *joint;
  GstVideoSparseCounts *sparse;
  gdouble distance;

  gst_video_histogram_info_init (&info);
  info.bins = 4;
  a = gst_video_histogram_new (&info);
  b = gst_video_histogram_new (&info);
  CHECK (gst_video_histogram_set_counts (a, LUMA, 0, 0, counts, 4));
  CHECK (gst_video_histogram_set_counts (b, LUMA, 0, 0, counts, 4));
  CHECK (gst_video_histogram_distance (a, b, LUMA,
          GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE, &distance));
  CHECK (distance == 0);
  gst_video_histogram_unref (gst_video_histogram_ref (a));
  gst_clear_video_histogram (&a);
  gst_clear_video_histogram (&b);

  joint = gst_video_joint_histogram_new (2, 2, counts, 4);
  gst_video_joint_histogram_unref (gst_video_joint_histogram_ref (joint));
  gst_clear_video_joint_histogram (&joint);
  CHECK (joint == NULL);
  sparse = gst_video_sparse_counts_new (2, 2, counts, 4);
  gst_video_sparse_counts_unref (sparse);
}

static void
use_stored_ones (GstVideoHistogram * histogram)
{
  const GstVideoHistogramStructureFlags flags =
      GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS;
  GstStructure *s = gst_video_histogram_to_structure (histogram, flags);
  gchar *json = gst_video_histogram_to_json (histogram, flags);
  GstVideoHistogram *read;
  GError *error = NULL;

  read = gst_video_histogram_from_structure (s, NULL);
  use_device_view (read);
  gst_video_histogram_unref (read);
  read = gst_video_histogram_from_json (json, NULL);
  CHECK (gst_video_histogram_get_pixels (read) == PIXELS);
  gst_video_histogram_unref (read);
  CHECK (!gst_video_histogram_from_json ("{", &error));
  CHECK (error->domain == gst_video_histogram_error_quark ());
  g_error_free (error);
  g_free (json);
  gst_structure_free (s);
}

/* They are filled in. */
static void
use_structs (void)
{
  GstVideoHistogramInfo *info = gst_video_histogram_info_new ();
  GstVideoHistogramInfo *info_copy = gst_video_histogram_info_copy (info);
  GstVideoHistogramSpec *spec = gst_video_histogram_spec_new ();
  GstVideoHistogramSpec *spec_copy = gst_video_histogram_spec_copy (spec);
  GstVideoHistogramStatistics *statistics =
      gst_video_histogram_statistics_new ();
  GstVideoHistogramStatistics *statistics_copy =
      gst_video_histogram_statistics_copy (statistics);
  GstVideoEqualizerSettings *correcting = gst_video_equalizer_settings_new ();
  GstVideoEqualizerSettings *correcting_copy =
      gst_video_equalizer_settings_copy (correcting);
  GstVideoScopeSettings *drawing = gst_video_scope_settings_new ();
  GstVideoScopeSettings *drawing_copy =
      gst_video_scope_settings_copy (drawing);

  CHECK (info->bins == 256 && info_copy->bins == 256);
  CHECK (spec->rows == 1 && spec_copy->rows == 1);
  CHECK (statistics->pixels == 0 && statistics_copy->pixels == 0);
  CHECK (correcting->strength == 1 && correcting_copy->strength == 1);
  CHECK (drawing->opacity == 0.7 && drawing_copy->opacity == 0.7);
  gst_video_histogram_info_free (info);
  gst_video_histogram_info_free (info_copy);
  gst_video_histogram_spec_free (spec);
  gst_video_histogram_spec_free (spec_copy);
  gst_video_histogram_statistics_free (statistics);
  gst_video_histogram_statistics_free (statistics_copy);
  gst_video_equalizer_settings_free (correcting);
  gst_video_equalizer_settings_free (correcting_copy);
  gst_video_scope_settings_free (drawing);
  gst_video_scope_settings_free (drawing_copy);
}

static void
use_engine (void)
{
  GstVideoHistogramSpec spec;
  GstVideoHistogramEngine *engine, *other;
  GstBuffer *frame = make_frame (100);
  GstVideoHistogram *histogram;
  GstVideoJointHistogram *joint;
  GstContext *context = gst_context_new ("nothing", FALSE);
  GstQuery *query = gst_query_new_context ("nothing");
  GstCaps *caps = gst_video_histogram_engine_get_caps ();
  GError *error = NULL;
  gchar *text;

  gst_video_histogram_spec_init (&spec);
  spec.columns = 2;
  spec.joint = GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS;
  spec.joint_bins = 4;
  engine = make_engine (&spec);
  other = make_engine (&spec);
  CHECK (!gst_caps_is_empty (caps));
  CHECK (g_str_equal (gst_video_histogram_engine_get_active_backend (engine),
          "cpu"));
  g_free (gst_video_histogram_engine_dup_backend_reason (engine));
  text = gst_video_histogram_engine_dup_method_problem (engine);
  CHECK (text == NULL);
  text = gst_video_histogram_engine_dup_joint_problem (engine);
  g_free (text);
  CHECK (!gst_video_histogram_engine_is_degraded (engine));
  gst_video_histogram_engine_set_context (engine, context);
  CHECK (!gst_video_histogram_engine_answer_context_query (engine, query));
  gst_video_histogram_engine_set_joint_other (engine, other);
  gst_video_histogram_engine_set_joint_other (engine, NULL);
  gst_video_histogram_engine_end_frames (engine, FALSE);

  gst_video_histogram_unref (gst_video_histogram_engine_submit (engine, frame,
          NULL, FALSE, NULL));
  histogram = gst_video_histogram_engine_submit (engine, frame, NULL, TRUE,
      &error);
  CHECK (histogram != NULL);
  use_counts (histogram);
  use_device_view (histogram);
  use_joint (gst_video_histogram_get_joint (histogram));
  use_stored_ones (histogram);
  CHECK (gst_buffer_get_video_histogram_meta (frame)->histogram == histogram);
  CHECK (gst_video_histogram_meta_get_info ()->api ==
      gst_video_histogram_meta_api_get_type ());
  joint = gst_video_histogram_engine_count_joint (engine,
      GST_VIDEO_HISTOGRAM_JOINT_OTHER, frame, frame, NULL);
  CHECK (joint != NULL);
  gst_video_joint_histogram_unref (joint);
  gst_buffer_unref (frame);
  frame = gst_buffer_new ();
  CHECK (gst_buffer_add_video_histogram_meta (frame, histogram) != NULL);
  gst_buffer_unref (frame);

  gst_query_unref (query);
  query = gst_query_new_allocation (caps, FALSE);
  gst_video_histogram_engine_propose_allocation (engine, query);
  gst_query_unref (query);
  gst_video_histogram_unref (histogram);
  gst_context_unref (context);
  gst_caps_unref (caps);
  gst_video_histogram_engine_end_frames (engine, FALSE);
  gst_video_histogram_engine_close (engine);
  g_object_unref (other);
  g_object_unref (engine);
}

static void
use_equalizer (void)
{
  GstVideoEqualizer *equalizer = gst_video_equalizer_new ();
  GstVideoEqualizerSettings settings;
  GstContext *context = gst_context_new ("nothing", FALSE);
  GstQuery *query = gst_query_new_context ("nothing");
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstBuffer *in = make_frame (50), *out = make_frame (0);
  GstStructure *config = NULL;
  GstBufferPool *pool;
  GError *error = NULL;

  gst_video_equalizer_settings_init (&settings);
  settings.method = GST_VIDEO_EQUALIZE_METHOD_GAMMA;
  gst_video_equalizer_set_context (equalizer, context);
  CHECK (gst_video_equalizer_open (equalizer, -1, NULL, &error));
  CHECK (!gst_video_equalizer_answer_context_query (equalizer, query));
  CHECK (gst_video_equalizer_set_settings (equalizer, &settings, &error));
  gst_video_equalizer_set_reference (equalizer, NULL, NULL);
  CHECK (gst_video_equalizer_configure (equalizer, caps, &error));
  gst_video_equalizer_reset (equalizer);
  CHECK (gst_video_equalizer_process (equalizer, in, out, &error));
  CHECK (gst_video_equalizer_get_counted (equalizer) == 1);
  CHECK (g_str_equal (gst_video_equalizer_get_active_backend (equalizer),
          "cpu"));
  g_free (gst_video_equalizer_dup_backend_reason (equalizer));
  pool = gst_video_equalizer_new_pool (equalizer, in, &config);
  gst_buffer_pool_config_set_params (config, caps, PIXELS * 3 / 2, 0, 0);
  CHECK (gst_buffer_pool_set_config (pool, config));
  CHECK (gst_video_equalizer_pool_fits (equalizer, pool, in));
  gst_object_unref (pool);
  gst_video_equalizer_close (equalizer);

  gst_buffer_unref (in);
  gst_buffer_unref (out);
  gst_caps_unref (caps);
  gst_query_unref (query);
  gst_context_unref (context);
  g_object_unref (equalizer);
}

static void
use_scope (void)
{
  GstVideoScope *scope = gst_video_scope_new ();
  const gdouble lines[] = { 16, 235 };
  GstVideoScopeSettings settings;
  GstContext *context = gst_context_new ("nothing", FALSE);
  GstQuery *query = gst_query_new_context ("nothing");
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstBuffer *in = make_frame (50), *out = make_frame (0);
  GstStructure *config = NULL;
  GstBufferPool *pool;
  GError *error = NULL;
  gint width, height;

  gst_video_scope_settings_init (&settings);
  settings.scopes = (GstVideoScopes) (GST_VIDEO_SCOPES_WAVEFORM |
      GST_VIDEO_SCOPES_VECTORSCOPE);
  gst_video_scope_settings_get_output_size (&settings, 8, 4, &width, &height);
  CHECK (width == 8 && height == 4);
  gst_video_scope_set_context (scope, context);
  CHECK (gst_video_scope_open (scope, -1, NULL, &error));
  CHECK (!gst_video_scope_answer_context_query (scope, query));
  CHECK (gst_video_scope_set_settings (scope, &settings, &error));
  gst_video_scope_set_lines (scope, lines, 2, NULL);
  CHECK (gst_video_scope_set_false_color_table (scope, "0 0.1 #0000ff",
          &error));
  CHECK (gst_video_scope_configure (scope, caps, caps, &error));
  gst_video_scope_reset (scope);
  CHECK (gst_video_scope_process (scope, in, out, &error));
  CHECK (gst_video_scope_blank (scope, out, &error));
  CHECK (g_str_equal (gst_video_scope_get_active_backend (scope), "cpu"));
  g_free (gst_video_scope_dup_backend_reason (scope));
  pool = gst_video_scope_new_pool (scope, in, &config);
  gst_buffer_pool_config_set_params (config, caps, PIXELS * 3 / 2, 0, 0);
  CHECK (gst_buffer_pool_set_config (pool, config));
  CHECK (gst_video_scope_pool_fits (scope, pool, in));
  gst_object_unref (pool);
  gst_video_scope_close (scope);

  gst_buffer_unref (in);
  gst_buffer_unref (out);
  gst_caps_unref (caps);
  gst_query_unref (query);
  gst_context_unref (context);
  g_object_unref (scope);
}

static void
use_health (void)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHealthChange change;
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  GstVideoJointHistogram *joint;
  guint32 counts[32 * 32] = { PIXELS, };
  GError *error = NULL;
  GVariant *state;
  GstClockTime hold;
  gdouble value;
  gchar *text;

  gst_video_health_set_conditions (health, GST_VIDEO_HEALTH_CONDITIONS_BLACK);
  CHECK (gst_video_health_get_conditions (health) ==
      GST_VIDEO_HEALTH_CONDITIONS_BLACK);
  CHECK (gst_video_health_set_rules (health, "black,duration=0,hold=500ms",
          &error));
  text = gst_video_health_dup_rules (health);
  CHECK (g_str_has_prefix (text, "signal-loss,"));
  gst_video_health_set_coded (health, TRUE);
  CHECK (gst_video_health_get_coded (health));
  gst_video_health_set_views (health, 4);
  CHECK (gst_video_health_get_views (health) == 4);
  gst_video_health_get_rule (health, GST_VIDEO_HEALTH_CONDITION_BLACK, &value,
      NULL, NULL, &hold);
  CHECK (value == 0.98 && hold == 500 * GST_MSECOND);
  g_free (text);
  CHECK (!gst_video_health_set_rules (health, "balck", &error));
  CHECK (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_PARSE));
  g_clear_error (&error);
  CHECK (gst_video_health_get_evidence (health) ==
      GST_VIDEO_HEALTH_EVIDENCE_LUMA);
  CHECK (gst_video_health_set_ignored (health,
          "black,x=0,y=0,width=0.5,height=0.5", &error));
  CHECK (gst_video_health_get_evidence (health) ==
      (GST_VIDEO_HEALTH_EVIDENCE_LUMA | GST_VIDEO_HEALTH_EVIDENCE_CELLS));
  CHECK (!gst_video_health_set_ignored (health, "black,x=2", &error));
  g_clear_error (&error);
  CHECK (gst_video_health_set_ignored (health, NULL, &error));

  gst_video_histogram_info_init (&info);
  info.bins = 32;
  histogram = gst_video_histogram_new (&info);
  gst_video_histogram_set_counts (histogram, LUMA, 0, 0, counts, 32);
  joint = gst_video_joint_histogram_new (32, 32, counts, 32 * 32);
  CHECK (gst_video_health_add_histogram (health, histogram));
  CHECK (gst_video_health_add_joint (health, GST_VIDEO_HISTOGRAM_JOINT_CHROMA,
          joint));
  CHECK (gst_video_health_add_difference (health, 0));
  gst_video_health_add_corrupted (health, FALSE);
  gst_video_joint_histogram_unref (joint);
  gst_video_histogram_unref (histogram);

  gst_video_health_judge (health, GST_SECOND, GST_CLOCK_TIME_NONE);
  gst_video_health_skip (health, GST_SECOND);
  gst_video_health_tick (health, GST_SECOND);
  CHECK (gst_video_health_next_change (health, &change));
  CHECK (change.condition == GST_VIDEO_HEALTH_CONDITION_BLACK && change.active);
  CHECK (g_str_equal (change.topic,
          gst_video_health_condition_get_topic (change.condition)));
  CHECK (g_str_equal (gst_video_health_condition_get_name (change.condition),
          "black"));
  CHECK (g_str_equal (gst_video_health_condition_get_unit (change.condition),
          "share of pixels"));
  CHECK (gst_video_health_condition_get_description (change.condition));
  CHECK (g_str_equal (gst_video_health_condition_get_words (change.condition),
          "picture black"));
  CHECK (gst_video_health_condition_get_severity (change.condition) ==
      GST_VIDEO_HEALTH_SEVERITY_IMPAIRED);
  CHECK (gst_video_health_condition_get_advice (change.condition));
  CHECK (gst_video_health_condition_get_scale (change.condition, NULL, NULL));
  CHECK (gst_video_health_condition_scale (change.condition, 0.25) == 25);
  text = gst_video_health_condition_describe (change.condition, TRUE, 1, 0.97,
      GST_SECOND, NULL);
  CHECK (g_str_equal (text, "100 % of the picture is black; the alarm ends "
          "after 1 s below 97 %."));
  g_free (text);
  text = gst_video_health_describe (health, change.condition);
  CHECK (g_str_has_prefix (text, "100 % of the picture is black; the alarm "));
  g_free (text);
  CHECK (gst_video_health_get_default_conditions () ==
      GST_VIDEO_HEALTH_CONDITIONS_DEFAULT);
  gst_video_health_get_unknown_reason (health, change.condition);
  gst_video_health_get_detail (health, change.condition);
  CHECK (!gst_video_health_get_held_back_by (health, change.condition));
  gst_video_health_get_duration (health, change.condition);
  gst_video_health_get_hold (health, change.condition);
  CHECK (gst_video_health_get_pending (health, change.condition) == 0);
  gst_video_health_wants_frame (health);
  CHECK (gst_video_health_get_active (health) ==
      GST_VIDEO_HEALTH_CONDITIONS_BLACK);
  CHECK (gst_video_health_get_judged (health) ==
      GST_VIDEO_HEALTH_CONDITIONS_BLACK);
  CHECK (gst_video_health_get_value (health, GST_VIDEO_HEALTH_CONDITION_BLACK,
          &value) && value == 1);
  state = gst_video_health_save (health);
  gst_video_health_reset (health);
  gst_video_health_forget (health);
  CHECK (gst_video_health_restore (health, state, &error));
  CHECK (gst_video_health_get_active (health) != 0);
  g_variant_unref (state);
  g_object_unref (health);
}

static void
use_health_engine (void)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogramEngine *counting = gst_video_histogram_engine_new ();
  GstVideoHealthEngine *engine = gst_video_health_engine_new (health, counting);
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, PIXELS * 3 / 2, NULL);
  GError *error = NULL;
  gdouble value;

  gst_buffer_memset (buffer, 0, 16, PIXELS * 3 / 2);
  CHECK (!gst_video_health_engine_submit (engine, buffer, 0,
          GST_CLOCK_TIME_NONE, &error));
  CHECK (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_SPEC));
  g_clear_error (&error);
  CHECK (gst_video_histogram_engine_open (counting,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, &error));
  CHECK (gst_video_health_engine_configure (engine, caps, &error));
  CHECK (gst_video_health_engine_submit (engine, buffer, 0,
          GST_CLOCK_TIME_NONE, &error));
  CHECK (gst_video_health_engine_finish (engine, GST_SECOND));
  CHECK (gst_video_health_get_value (health, GST_VIDEO_HEALTH_CONDITION_BLACK,
          &value) && value == 1);
  CHECK (gst_video_health_engine_get_n_failed (engine) == 0);
  gst_video_health_engine_restart (engine);
  gst_video_health_restart (health);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
  g_object_unref (engine);
  gst_video_histogram_engine_close (counting);
  g_object_unref (counting);
  g_object_unref (health);
}

/* An element in READY counts with an engine that others can find. */
static void
use_element (void)
{
  GstElement *element = gst_element_factory_make ("videohistogram", NULL);
  GstVideoHistogramEngine *engine;

  gst_element_set_state (element, GST_STATE_READY);
  engine = gst_video_histogram_engine_find (element);
  CHECK (engine != NULL);
  g_object_unref (engine);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

static void
use_types (void)
{
  const GType types[] = {
    gst_video_histogram_get_type (),
    gst_video_histogram_info_get_type (),
    gst_video_histogram_spec_get_type (),
    gst_video_histogram_statistics_get_type (),
    gst_video_histogram_channels_get_type (),
    gst_video_histogram_backend_get_type (),
    gst_video_histogram_method_get_type (),
    gst_video_histogram_overload_get_type (),
    gst_video_histogram_overload_policy_get_type (),
    gst_video_histogram_attach_meta_get_type (),
    gst_video_histogram_joint_get_type (),
    gst_video_joint_histogram_get_type (),
    gst_video_sparse_counts_get_type (),
    gst_video_histogram_engine_get_type (),
    gst_video_equalizer_get_type (),
    gst_video_equalizer_settings_get_type (),
    gst_video_equalize_method_get_type (),
    gst_video_equalize_color_get_type (),
    gst_video_scope_get_type (),
    gst_video_scope_settings_get_type (),
    gst_video_scopes_get_type (),
    gst_video_scope_layout_get_type (),
    gst_video_scope_position_get_type (),
    gst_video_scope_components_get_type (),
    gst_video_scope_mode_get_type (),
    gst_video_scope_intensity_get_type (),
    gst_video_scope_envelope_get_type (),
    gst_video_scope_graticule_get_type (),
    gst_video_scope_scale_get_type (),
    gst_video_scope_limits_get_type (),
    gst_video_scope_targets_get_type (),
    gst_video_scope_false_color_get_type (),
    gst_video_health_get_type (),
    gst_video_health_engine_get_type (),
    gst_video_health_condition_get_type (),
    gst_video_health_conditions_get_type (),
    gst_video_health_change_get_type (),
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (types); i++)
    CHECK (g_type_name (types[i]) != NULL);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  use_types ();
  use_structs ();
  use_made_up_ones ();
  use_engine ();
  use_equalizer ();
  use_scope ();
  use_health ();
  use_health_engine ();
  use_element ();
  gst_deinit ();
  return 0;
}
