/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Invalid struct fields, and calls in the wrong order, are refused with a
 * message that names the field and what is allowed. tests/python/nonsense.py
 * covers the arguments of functions. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>
#include <math.h>

#include "common/suite.h"

#define CAPS "video/x-raw,format=GRAY8,width=8,height=8,framerate=25/1"
#define SIZE 64

typedef union
{
  GstVideoHistogramSpec spec;
  GstVideoHistogramInfo info;
  GstVideoEqualizerSettings equalizer;
  GstVideoScopeSettings scope;
} Settings;

typedef enum
{
  SPEC,
  INFO,
  EQUALIZER,
  SCOPE,
  N_KINDS,
} Kind;

typedef enum
{
  COUNT,                        /* guint, enums and flags */
  NUMBER,
  TIME,                         /* -1: none */
} Type;

typedef struct
{
  Kind kind;
  gsize offset;
  Type type;
  gdouble value;
  const gchar *says;            /* part of the message */
} Field;

#define S(field, value, says) \
    {SPEC, G_STRUCT_OFFSET (Settings, spec.field), COUNT, value, says}
#define I(field, value, says) \
    {INFO, G_STRUCT_OFFSET (Settings, info.field), COUNT, value, says}
#define E(type, field, value, says) \
    {EQUALIZER, G_STRUCT_OFFSET (Settings, equalizer.field), type, value, says}
#define V(type, field, value, says) \
    {SCOPE, G_STRUCT_OFFSET (Settings, scope.field), type, value, says}
#define MINUS_5 (4294967296.0 - 5)

/* *INDENT-OFF* */
static const Field fields[] = {
  S (channels, 0, "channels is 0, but must be at least one"),
  S (channels, 32, "channels is 0x20, but must be a combination of luma, red"),
  S (channels, MINUS_5, "channels is 0xfffffffb"),
  S (bins, 65537, "bins is 65537, but must be from 0 to 65536"),
  S (bins, MINUS_5, "bins is 4294967291"),
  S (columns, 0, "columns is 0, but must be from 1 to 64"),
  S (columns, 65, "columns is 65"),
  S (rows, 0, "rows is 0, but must be from 1 to 64"),
  S (rows, 2147483648.0, "rows is 2147483648"),
  S (region_x, 8, "The region 8,0,0,0 lies outside the picture of 8x8"),
  S (region_x, MINUS_5, "region-x is 4294967291, but must be from 0 to"),
  S (region_y, MINUS_5, "region-y is 4294967291, but must be from 0 to"),
  S (region_width, MINUS_5, "region-width is 4294967291, but must be from 0"),
  S (region_height, MINUS_5, "region-height is 4294967291, but must be from"),
  S (method, 99, "method is 99, but must be one of auto, lane-columns"),
  S (method, 4294967295.0, "method is -1, but must be one of auto"),
  S (joint, 4, "joint is 4, but must be one of none, chroma, previous, other"),
  S (joint, 1, "joint=chroma needs video in color, but this is GRAY8"),
  S (joint_bins, 257, "joint-bins is 257, but must be from 0 to 256"),

  I (format, 9999, "format is 9999, but must be a value of GstVideoFormat"),
  I (depth, 0, "depth is 0, but must be from 8 to 16"),
  I (depth, 17, "depth is 17"),
  I (width, MINUS_5, "width is 4294967291, but must be from 0 to 2147483647"),
  I (height, MINUS_5, "height is 4294967291"),
  I (region_x, MINUS_5, "region-x is 4294967291"),
  I (region_y, MINUS_5, "region-y is 4294967291"),
  I (region_width, MINUS_5, "region-width is 4294967291"),
  I (region_height, MINUS_5, "region-height is 4294967291"),
  I (channels, 0, "make 0 counters, but must make from 1 to 16777216"),
  I (channels, 64, "channels is 0x40, but must be a combination of luma"),
  I (bins, 0, "bins is 0, but must be from 1 to 65536"),
  I (bins, 65537, "bins is 65537"),
  I (columns, 0, "columns is 0, but must be from 1 to 64"),
  I (rows, 65, "rows is 65"),

  E (COUNT, method, 99, "method is 99, but must be one of none, equalize"),
  E (COUNT, color, 3, "color is 3, but must be one of scale, keep, channels"),
  E (NUMBER, strength, 1.5, "strength is 1.5, but must be from 0 to 1"),
  E (COUNT, method, 6, "method is 6, but must be one of none, equalize"),
  E (NUMBER, strength, 7, "strength is 7, but must be from 0 to 1"),
  E (NUMBER, strength, -1, "strength is -1"),
  E (NUMBER, strength, NAN, "strength is nan"),
  E (NUMBER, low_percentile, -1, "low-percentile is -1, but must be from 0 to"),
  E (NUMBER, low_percentile, -5, "low-percentile is -5"),
  E (NUMBER, low_percentile, 1e99, "e+98, but must be from 0 to 100"),
  E (NUMBER, high_percentile, 101, "high-percentile is 101"),
  E (NUMBER, high_percentile, INFINITY, "high-percentile is inf"),
  E (NUMBER, max_gain, 0, "max-gain is 0, but must be from 1 to 100"),
  E (NUMBER, max_gain, INFINITY, "max-gain is inf"),
  E (NUMBER, target, -1, "target is -1"),
  E (NUMBER, target, -INFINITY, "target is -inf, but must be from 0 to 1"),
  E (NUMBER, clip_limit, 1e300, "e+300, but must be from 0 to 1000"),
  E (NUMBER, clip_limit, 1e9, "clip-limit is 1000000000"),
  E (COUNT, tile_columns, 0, "columns of tiles is 0, but must be from 1 to"),
  E (COUNT, tile_rows, 33, "rows of tiles is 33"),
  E (COUNT, tile_rows, MINUS_5, "rows of tiles is 4294967291"),
  E (TIME, smoothing, 2, "smoothing is 2 ns, but must be 0, or from 1000000"),
  E (TIME, smoothing, 2, " to 3600000000000 ns, for example 2000000000 for 2"),
  E (TIME, smoothing, 999999, "smoothing is 999999 ns"),
  E (TIME, smoothing, -1, "smoothing is 1.8446744073709552e+19"),
  E (TIME, smoothing, 1e18, "but must be from 0 to 3600000000000 ns"),
  E (NUMBER, scene_threshold, -1, "scene-threshold is -1"),
  E (NUMBER, scene_threshold, NAN, "scene-threshold is nan, but must be from"),
  E (COUNT, region_x, MINUS_5, "region-x is 4294967291, but must be from 0"),
  E (COUNT, region_y, MINUS_5, "region-y is 4294967291"),
  E (COUNT, region_width, MINUS_5, "region-width is 4294967291"),
  E (COUNT, region_height, MINUS_5, "region-height is 4294967291"),

  V (COUNT, scopes, 64, "scopes is 0x40, but must be a combination of"),
  V (COUNT, scopes, 1 << 20, "scopes is 0x100000"),
  V (COUNT, layout, 3, "layout is 3, but must be one of overlay, beside, only"),
  V (COUNT, position, 99, "position is 99, but must be one of top-left, top"),
  V (NUMBER, size, 0, "size is 0, but must be from"),
  V (NUMBER, opacity, 1.1, "opacity is 1.1"),
  V (NUMBER, opacity, NAN, "opacity is nan, but must be from 0 to 1"),
  V (COUNT, components, 99, "components is 99, but must be one of luma"),
  V (COUNT, components, 3, "components is 3"),
  V (COUNT, mode, 3, "mode is 3"),
  V (COUNT, mode, 99, "mode is 99, but must be one of overlay"),
  V (COUNT, intensity, 99, "intensity is 99, but must be one of auto"),
  V (COUNT, intensity, 3, "intensity is 3"),
  V (NUMBER, gain, -1, "gain is -1"),
  V (NUMBER, gain, INFINITY, "gain is inf, but must be from 0 to 1000000"),
  V (NUMBER, exponent, 0, "exponent is 0, but must be from"),
  V (NUMBER, exponent, NAN, "exponent is nan"),
  V (TIME, persistence, 2, "2000000000 for 2 seconds"),
  V (TIME, persistence, 999999, "persistence is 999999 ns"),
  V (TIME, persistence, -1, "persistence is 1.8446744073709552e+19"),
  V (TIME, persistence, 5, "persistence is 5 ns, but must be 0, or from"),
  V (COUNT, envelope, 4, "envelope is 0x4, but must be a combination of"),
  V (COUNT, graticule, 99, "graticule is 99, but must be one of none"),
  V (COUNT, graticule, 4, "graticule is 4"),
  V (COUNT, scale, 5, "scale is 5"),
  V (COUNT, scale, 99, "scale is 99, but must be one of code"),
  V (COUNT, limits, 4, "limits is 0x4, but must be a combination of"),
  V (COUNT, targets, 4, "targets is 0x4, but must be a combination of"),
  V (NUMBER, skin_line, 361, "skin-line is 361, but must be from 0 to 360"),
  V (COUNT, false_color, 4, "false-color is 4"),
  V (COUNT, false_color, 99, "false-color is 99, but must be one of arri"),
  V (NUMBER, zebra_low, 70, "zebra-low is 70"),
  V (NUMBER, zebra_high, 100, "zebra-high is 100"),
  V (NUMBER, zebra_low, -2, "zebra-low is -2, but must be from"),
  V (NUMBER, zebra_high, NAN, "zebra-high is nan, but must be from"),
};
/* *INDENT-ON* */

static void
init_settings (Kind kind, Settings * settings)
{
  switch (kind) {
    case SPEC:
      gst_video_histogram_spec_init (&settings->spec);
      break;
    case INFO:
      gst_video_histogram_info_init (&settings->info);
      break;
    case EQUALIZER:
      gst_video_equalizer_settings_init (&settings->equalizer);
      break;
    default:
      gst_video_scope_settings_init (&settings->scope);
      break;
  }
}

static void
set_field (Settings * settings, const Field * field)
{
  gpointer place = (guint8 *) settings + field->offset;

  if (field->type == COUNT)
    *(guint *) place = (guint) (gint64) field->value;
  else if (field->type == TIME)
    *(GstClockTime *) place = field->value < 0 ? GST_CLOCK_TIME_NONE :
        field->value;
  else
    *(gdouble *) place = field->value;
}

/* The last critical warning. */
static gchar *warned;

static void
keep_warning (const gchar * domain, GLogLevelFlags level, const gchar * message,
    gpointer data)
{
  (void) domain, (void) level, (void) data;
  g_free (warned);
  warned = g_strdup (message);
}

/* gst_video_histogram_new() has no GError: it warns. */
static gboolean
make_histogram (const GstVideoHistogramInfo * info, GError ** error)
{
  const GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_LEVEL_ERROR);
  const GLogFunc before = g_log_set_default_handler (keep_warning, NULL);
  GstVideoHistogram *histogram = gst_video_histogram_new (info);

  g_log_set_default_handler (before, NULL);
  g_log_set_always_fatal (fatal);
  if (histogram) {
    gst_video_histogram_unref (histogram);
    return TRUE;
  }
  fail_unless (warned != NULL);
  g_set_error_literal (error, GST_VIDEO_HISTOGRAM_ERROR,
      GST_VIDEO_HISTOGRAM_ERROR_SPEC, warned);
  g_clear_pointer (&warned, g_free);
  return FALSE;
}

static gboolean
configure_engine (const GstVideoHistogramSpec * spec, GError ** error)
{
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstCaps *caps = gst_caps_from_string (CAPS);
  gboolean ok;

  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  ok = gst_video_histogram_engine_configure (engine, caps, spec, error);
  if (ok && spec->joint) {
    gchar *problem = gst_video_histogram_engine_dup_joint_problem (engine);

    ok = problem == NULL;
    if (problem)
      g_set_error_literal (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_SPEC, problem);
    g_free (problem);
  }
  gst_caps_unref (caps);
  g_object_unref (engine);
  return ok;
}

static gboolean
apply_settings (Kind kind, const Settings * settings, GError ** error)
{
  GObject *object;
  gboolean ok;

  if (kind == SPEC)
    return configure_engine (&settings->spec, error);
  if (kind == INFO)
    return make_histogram (&settings->info, error);
  object = kind == EQUALIZER ? G_OBJECT (gst_video_equalizer_new ()) :
      G_OBJECT (gst_video_scope_new ());
  ok = kind == EQUALIZER ?
      gst_video_equalizer_set_settings (GST_VIDEO_EQUALIZER (object),
      &settings->equalizer, error) :
      gst_video_scope_set_settings (GST_VIDEO_SCOPE (object), &settings->scope,
      error);
  g_object_unref (object);
  return ok;
}

static void
check_refused (Kind kind, const Settings * settings, const gchar * says)
{
  GError *error = NULL;

  fail_if (apply_settings (kind, settings, &error), "no error, but: %s", says);
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_SPEC));
  fail_unless (strstr (error->message, says) != NULL, "\"%s\" does not say: %s",
      error->message, says);
  g_clear_error (&error);
}

GST_START_TEST (test_fields)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (fields); i++) {
    Settings settings;

    init_settings (fields[i].kind, &settings);
    set_field (&settings, &fields[i]);
    check_refused (fields[i].kind, &settings, fields[i].says);
  }
}

GST_END_TEST;

/* Structs as their init functions leave them are valid; structs of zeros, or of
 * random bytes, are not. */
GST_START_TEST (test_not_initialized)
{
  static const gchar *const zeros[N_KINDS] = {
    "columns is 0", "depth is 0", "max-gain is 0", "size is 0"
  };
  Settings settings;
  guint kind;

  for (kind = 0; kind < N_KINDS; kind++) {
    init_settings (kind, &settings);
    fail_unless (apply_settings (kind, &settings, NULL));
    memset (&settings, 0, sizeof (settings));
    check_refused (kind, &settings, zeros[kind]);
    memset (&settings, 0xa5, sizeof (settings));
    check_refused (kind, &settings, " must be ");
  }
}

GST_END_TEST;

/* Objects that count, correct, draw and judge, and the calls on them. */
typedef enum
{
  OPEN,
  CONFIGURE,
  USE,
  CLOSE,
  N_STEPS,
} Step;

typedef struct
{
  const gchar *name;
  GObject *(*make) (void);
  gboolean (*open) (gpointer object, gint device, GError ** error);
  gboolean (*configure) (gpointer object, GstCaps * caps, GError ** error);
  gboolean (*use) (gpointer object, GstBuffer * buffer, GError ** error);
  void (*close) (gpointer object);
} Class;

static GObject *
make_engine (void)
{
  return G_OBJECT (gst_video_histogram_engine_new ());
}

static gboolean
open_engine (gpointer object, gint device, GError ** error)
{
  return gst_video_histogram_engine_open (object,
      GST_VIDEO_HISTOGRAM_BACKEND_AUTO, device, NULL, error);
}

static gboolean
configure_any_engine (gpointer object, GstCaps * caps, GError ** error)
{
  GstVideoHistogramSpec spec;

  gst_video_histogram_spec_init (&spec);
  return gst_video_histogram_engine_configure (object, caps, &spec, error);
}

static gboolean
use_engine (gpointer object, GstBuffer * buffer, GError ** error)
{
  GstVideoHistogram *histogram = gst_video_histogram_engine_submit (object,
      buffer, NULL, FALSE, error);

  if (!histogram)
    return FALSE;
  gst_video_histogram_unref (histogram);
  return TRUE;
}

static gboolean
use_joint (gpointer object, GstBuffer * buffer, GError ** error)
{
  GstVideoJointHistogram *joint =
      gst_video_histogram_engine_count_joint (object,
      GST_VIDEO_HISTOGRAM_JOINT_OTHER, buffer, buffer, error);

  if (!joint)
    return FALSE;
  gst_video_joint_histogram_unref (joint);
  return TRUE;
}

static void
close_engine (gpointer object)
{
  gst_video_histogram_engine_close (object);
}

static GObject *
make_equalizer (void)
{
  return G_OBJECT (gst_video_equalizer_new ());
}

static gboolean
open_equalizer (gpointer object, gint device, GError ** error)
{
  return gst_video_equalizer_open (object, device, NULL, error);
}

static gboolean
configure_equalizer (gpointer object, GstCaps * caps, GError ** error)
{
  return gst_video_equalizer_configure (object, caps, error);
}

static gboolean
use_equalizer (gpointer object, GstBuffer * buffer, GError ** error)
{
  return gst_video_equalizer_process (object, buffer, buffer, error);
}

static void
close_equalizer (gpointer object)
{
  gst_video_equalizer_close (object);
}

static GObject *
make_scope (void)
{
  return G_OBJECT (gst_video_scope_new ());
}

static gboolean
open_scope (gpointer object, gint device, GError ** error)
{
  return gst_video_scope_open (object, device, NULL, error);
}

static gboolean
configure_scope (gpointer object, GstCaps * caps, GError ** error)
{
  return gst_video_scope_configure (object, caps, caps, error);
}

static gboolean
use_scope (gpointer object, GstBuffer * buffer, GError ** error)
{
  return gst_video_scope_process (object, buffer, buffer, error);
}

static gboolean
use_blank (gpointer object, GstBuffer * buffer, GError ** error)
{
  return gst_video_scope_blank (object, buffer, error);
}

static void
close_scope (gpointer object)
{
  gst_video_scope_close (object);
}

static const Class classes[] = {
  {"engine", make_engine, open_engine, configure_any_engine, use_engine,
      close_engine},
  {"engine", make_engine, open_engine, configure_any_engine, use_joint,
      close_engine},
  {"equalizer", make_equalizer, open_equalizer, configure_equalizer,
      use_equalizer, close_equalizer},
  {"scope", make_scope, open_scope, configure_scope, use_scope, close_scope},
  {"scope", make_scope, open_scope, configure_scope, use_blank, close_scope},
};

static gboolean
take_step (const Class * klass, GObject * object, Step step, GError ** error)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);
  gboolean ok = TRUE;

  gst_buffer_memset (buffer, 0, 128, SIZE);
  if (step == OPEN)
    ok = klass->open (object, -1, error);
  else if (step == CONFIGURE)
    ok = klass->configure (object, caps, error);
  else if (step == USE)
    ok = klass->use (object, buffer, error);
  else
    klass->close (object);
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  return ok;
}

/* All sequences of four steps. An impossible step gives a reason, and changes
 * nothing. */
GST_START_TEST (test_order)
{
  const Class *klass = &classes[__i__];
  guint sequence;

  for (sequence = 0; sequence < N_STEPS * N_STEPS * N_STEPS * N_STEPS;
      sequence++) {
    GObject *object = klass->make ();
    gboolean open = FALSE, configured = FALSE;
    guint rest = sequence, i;

    for (i = 0; i < 4; i++, rest /= N_STEPS) {
      const Step step = rest % N_STEPS;
      const gboolean can = step == CONFIGURE ? open :
          step != USE || configured;
      GError *error = NULL;

      fail_unless_equals_int (take_step (klass, object, step, &error), can);
      fail_unless ((error == NULL) == can);
      if (error) {
        fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
                GST_VIDEO_HISTOGRAM_ERROR_SPEC));
        fail_unless (strstr (error->message, klass->name) != NULL
            && strstr (error->message, "must succeed") != NULL, "%s",
            error->message);
        g_clear_error (&error);
      }
      open = step == OPEN || (open && step != CLOSE);
      configured = can && (step == CONFIGURE || (configured && step == USE));
    }
    g_object_unref (object);
  }
}

GST_END_TEST;

static const gchar *const wrong_caps[] = {
  "ANY",
  "EMPTY",
  "audio/x-raw",
  "video/x-raw",
  "video/x-raw,format=GRAY8",
  "video/x-raw,format=NONSENSE,width=8,height=8,framerate=25/1",
  "video/x-raw,format=GRAY8,width=0,height=8,framerate=25/1",
  "video/x-raw,format=GRAY8,width=-8,height=8,framerate=25/1",
  "video/x-raw,format=GRAY8,width=8,height=[1,8],framerate=25/1",
  "video/x-raw,format=ENCODED,width=8,height=8,framerate=25/1",
  "video/x-raw,format=GRAY8,width=2147483647,height=2147483647,"
      "framerate=25/1",
};

/* A failed configuration leaves nothing configured. */
GST_START_TEST (test_caps)
{
  const Class *klass = &classes[__i__];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (wrong_caps); i++) {
    GObject *object = klass->make ();
    GstCaps *caps = gst_caps_from_string (wrong_caps[i]);
    GError *error = NULL;

    fail_unless (take_step (klass, object, OPEN, NULL));
    fail_unless (take_step (klass, object, CONFIGURE, NULL));
    fail_if (klass->configure (object, caps, &error), "%s", wrong_caps[i]);
    fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
            GST_VIDEO_HISTOGRAM_ERROR_FORMAT), "%s: %s", wrong_caps[i],
        error->message);
    fail_unless (strlen (error->message) > 10);
    g_clear_error (&error);
    fail_if (take_step (klass, object, USE, &error));
    g_clear_error (&error);
    gst_caps_unref (caps);
    g_object_unref (object);
  }
}

GST_END_TEST;

/* A device that cannot exist leaves the object closed. */
GST_START_TEST (test_device)
{
  static const gint devices[] = { -2, -99, G_MININT };
  const Class *klass = &classes[__i__];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (devices); i++) {
    GObject *object = klass->make ();
    GError *error = NULL;

    fail_unless (take_step (klass, object, OPEN, NULL));
    fail_if (klass->open (object, devices[i], &error));
    fail_unless (strstr (error->message, "or -1 for any") != NULL, "%s",
        error->message);
    g_clear_error (&error);
    fail_if (take_step (klass, object, CONFIGURE, NULL));
    g_object_unref (object);
  }
}

GST_END_TEST;

/* Text quoted in a message may have any length and any bytes. */
GST_START_TEST (test_messages_of_long_text)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoScope *scope = gst_video_scope_new ();
  gchar *text = g_strnfill (100000, 'x');
  guint i;

  for (i = 0; i < 3; i++) {
    GError *error = NULL;

    fail_if (i == 0 ? gst_video_health_set_rules (health, text, &error) :
        i == 1 ? gst_video_health_set_ignored (health, text, &error) :
        gst_video_scope_set_false_color_table (scope, text, &error));
    fail_unless (strlen (error->message) < 600);
    fail_unless (strstr (error->message, "xxx…xxx") != NULL);
    g_clear_error (&error);
  }
  g_free (text);
  g_object_unref (health);
  g_object_unref (scope);
}

GST_END_TEST;

TEST_SUITE (nonsense, NULL, NULL)
{
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_not_initialized);
  tcase_add_loop_test (tc, test_order, 0, G_N_ELEMENTS (classes));
  tcase_add_loop_test (tc, test_caps, 0, G_N_ELEMENTS (classes));
  tcase_add_loop_test (tc, test_device, 0, G_N_ELEMENTS (classes));
  tcase_add_test (tc, test_messages_of_long_text);
}
