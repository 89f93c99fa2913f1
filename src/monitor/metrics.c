/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include "address.h"
#include "config.h"
#include "gpu.h"

#include <math.h>
#include <string.h>

#define PREFIX "videohistogram_"

/* The page while it is written. */
typedef struct
{
  GString *text;
  const gchar *name;            /* of the metric */
  gchar *camera;                /* the labels with its name */
} Page;

/* Adds the series of one metric for one camera. */
typedef void (*Series) (Page * page, const VhmCamera * camera);

/* Escapes a label value for the text format. */
static gchar *
escape_label (const gchar * text)
{
  GString *result = g_string_new (text);

  g_string_replace (result, "\\", "\\\\", 0);
  g_string_replace (result, "\"", "\\\"", 0);
  g_string_replace (result, "\n", "\\n", 0);
  return g_string_free (result, FALSE);
}

/* Adds one line. @labels has further labels with a leading comma, or is "". */
static void
add_sample (Page * page, const gchar * labels, gdouble value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (page->text, PREFIX "%s{%s%s} %s\n", page->name,
      page->camera, labels, isnan (value) ? "NaN" : isinf (value) ?
      value > 0 ? "+Inf" : "-Inf" : g_ascii_dtostr (number, sizeof number,
          value));
}

/* Numbers of a struct as series of one metric. */
typedef struct
{
  const gchar *labels;          /* NULL: no more of them */
  gsize offset;
} Number;

/* The statistics of luma, which are gdouble. */
static void
add_luma (Page * page, const VhmCamera * camera, const Number * numbers)
{
  GstVideoHistogramStatistics luma;

  if (!numbers || !camera->histogram
      || !gst_video_histogram_get_statistics (camera->histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, &luma))
    return;
  luma.variance = sqrt (luma.variance); /* shown as the deviation */
  for (; numbers->labels; numbers++)
    add_sample (page, numbers->labels, G_STRUCT_MEMBER (gdouble, &luma,
            numbers->offset));
}

static void
add_condition (Page * page, guint condition, const gchar * more,
    gdouble value)
{
  gchar *labels = g_strdup_printf (",condition=\"%s\"%s",
      gst_video_health_condition_get_name (condition), more);

  add_sample (page, labels, value);
  g_free (labels);
}

static gboolean
is_watched (const VhmCamera * camera, guint condition)
{
  return camera->settings->conditions >> condition & 1;
}

/* Without video, only the loss is known. A restart alone does not end what was
 * active: alerts would resolve and fire again. */
static gboolean
is_from_before_loss (const VhmCamera * camera, const VhmCondition * condition)
{
  return condition->unconfirmed && (condition->last_seen
      || camera->conditions[GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS].active);
}

static void
add_states (Page * page, const VhmCamera * camera)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    const VhmCondition *condition = &camera->conditions[i];

    if (is_watched (camera, i))
      add_condition (page, i, "", condition->active
          && (i == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS
              || !is_from_before_loss (camera, condition)));
  }
}

static void
add_quiet (Page * page, const VhmCamera * camera)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (is_watched (camera, i))
      add_condition (page, i, "", vhm_quiet_get (camera->quiet, i).until != 0);
}

static void
add_values (Page * page, const VhmCamera * camera)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (is_watched (camera, i) && camera->conditions[i].judged)
      add_condition (page, i, "", camera->conditions[i].value);
}

static void
add_transitions (Page * page, const VhmCamera * camera)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (is_watched (camera, i)) {
      add_condition (page, i, ",to=\"active\"", camera->conditions[i].begun);
      add_condition (page, i, ",to=\"inactive\"", camera->conditions[i].ended);
    }
}

static void
add_last_frame (Page * page, const VhmCamera * camera)
{
  if (camera->last_frame)
    add_sample (page, "", camera->last_frame / (gdouble) G_USEC_PER_SEC);
}

static void
add_up (Page * page, const VhmCamera * camera)
{
  add_sample (page, "", camera->state == VHM_CAMERA_UP);
}

static void
add_key_frame (Page * page, const VhmCamera * camera)
{
  add_sample (page, "", camera->state == VHM_CAMERA_KEY_FRAME);
}

/* Without a value, there is no label. */
static void
add_label (GString * labels, const gchar * name, const gchar * value)
{
  gchar *escaped = value ? escape_label (value) : NULL;

  if (escaped)
    g_string_append_printf (labels, ",%s=\"%s\"", name, escaped);
  g_free (escaped);
}

static void
add_camera_info (Page * page, const VhmCamera * camera)
{
  const gchar *group = camera->settings->group_name;
  gchar *host = vhm_address_get_host (vhm_camera_settings_get_judged
      (camera->settings));
  GString *labels = g_string_new (NULL);

  add_label (labels, "host", host);
  add_label (labels, "group", group);
  add_sample (page, labels->str, 1);
  g_string_free (labels, TRUE);
  g_free (host);
}

static void
add_down_info (Page * page, const VhmCamera * camera)
{
  gchar *escaped = escape_label (camera->reason);
  gchar *labels = g_strdup_printf (",reason=\"%s\"", escaped);

  if (camera->state != VHM_CAMERA_UP)
    add_sample (page, labels, 1);
  g_free (labels);
  g_free (escaped);
}

static void
add_video_info (Page * page, const VhmCamera * camera)
{
  const GstVideoHistogramInfo *info;
  GstVideoColorimetry colorimetry;
  gchar *text, *labels;

  if (!camera->histogram)
    return;
  info = gst_video_histogram_get_info (camera->histogram);
  colorimetry = info->colorimetry;
  text = gst_video_colorimetry_to_string (&colorimetry);
  labels = g_strdup_printf (",format=\"%s\",colorimetry=\"%s\",width=\"%u\","
      "height=\"%u\",backend=\"%s\"",
      gst_video_format_to_string (info->format), text ? text : "",
      info->width, info->height,
      gst_video_histogram_get_backend (camera->histogram));
  add_sample (page, labels, 1);
  g_free (labels);
  g_free (text);
}

/* The name of metrics, and the label of cameras, before the monitor said camera
 * everywhere. They go with the release after 0.2.0. */
#define FORMER(name, new_name) name, "gauge", \
    "Former name of " PREFIX new_name ", which replaces it."

#define LUMA(field) G_STRUCT_OFFSET (GstVideoHistogramStatistics, field)
#define COUNT(field) G_STRUCT_OFFSET (VhmCamera, field)

static const Number mean[] = { {"", LUMA (average)}, {NULL} };

static const Number percentiles[] = {
  {",percentile=\"1\"", LUMA (p1)}, {",percentile=\"50\"", LUMA (median)},
  {",percentile=\"99\"", LUMA (p99)}, {NULL}
};

static const Number deviation[] = { {"", LUMA (variance)}, {NULL} };
static const Number entropy[] = { {"", LUMA (entropy)}, {NULL} };

static const Number clipped[] = {
  {",end=\"low\"", LUMA (clipped_low)}, {",end=\"high\"", LUMA (clipped_high)},
  {NULL}
};

static const Number received[] = { {"", COUNT (frames)}, {NULL} };

static const Number frames[] = {
  {",result=\"analysed\"", COUNT (analysed)},
  {",result=\"dropped\"", COUNT (dropped)},
  {",result=\"skipped\"", COUNT (skipped)}, {NULL}
};

static const Number reconnects[] = { {"", COUNT (reconnects)}, {NULL} };

static const struct
{
  const gchar *name;
  const gchar *type;
  const gchar *help;
  Series series;
  const Number *luma, *counts;  /* of the statistics, and of the camera */
} metrics[] = {
  {"luma_mean_ratio", "gauge",
      "Mean luma level, from 0 (black) to 1 (white).", NULL, mean},
  {"luma_percentile_ratio", "gauge",
        "Percentiles of the luma level, from 0 (black) to 1 (white).",
      NULL, percentiles},
  {"luma_deviation_ratio", "gauge",
        "Standard deviation of the luma level; black to white is 1.",
      NULL, deviation},
  {"luma_entropy", "gauge",
      "Entropy of the luma histogram, in bits.", NULL, entropy},
  {"clipped_ratio", "gauge",
        "Share of pixels with luma at or below black (low), or at or above "
        "white (high).",
      NULL, clipped},
  {"health_state", "gauge",
        "Whether the condition is active (1) or not (0). What a camera showed "
        "before a loss of video is 0 until a frame shows it again.",
      add_states},
  {"health_quiet", "gauge",
        "Whether the condition is snoozed, or quiet by its schedule (1), or "
        "not (0).",
      add_quiet},
  {"health_value", "gauge",
        "Measured value that decides whether the condition is active, in the "
        "unit of the condition.",
      add_values},
  {"health_transitions_total", "counter",
        "Number of times the condition became active or inactive since the "
        "program started.",
      add_transitions},
  {"frames_received_total", "counter",
      "Number of frames received.", NULL, NULL, received},
  {"frames_total", "counter",
        "Number of frames due for analysis, by result: analysed, dropped or "
        "skipped.",
      NULL, NULL, frames},
  {"last_frame_timestamp_seconds", "gauge",
        "Time at which the last frame was received, in seconds since 1970.",
      add_last_frame},
  {"camera_up", "gauge",
      "Whether the camera is sending frames (1) or not (0).", add_up},
  {"camera_waiting_for_key_frame", "gauge",
        "Whether video arrives but cannot be decoded before the next key frame "
        "(1) or not (0).",
      add_key_frame},
  {"reconnects_total", "counter",
        "Number of connection attempts after the first one.",
      NULL, NULL, reconnects},
  {"camera_video_info", "gauge",
      "Format of the video; always 1.", add_video_info},
  {"camera_down_info", "gauge",
        "Reason why the camera is not sending frames; 1 while it is not.",
      add_down_info},
  {"camera_info", "gauge",
        "Host in the address of the camera, and its group, if any; always 1.",
      add_camera_info},
  {FORMER ("stream_up", "camera_up"), add_up},
  {FORMER ("stream_waiting_for_key_frame", "camera_waiting_for_key_frame"),
      add_key_frame},
  {FORMER ("stream_info", "camera_video_info"), add_video_info},
  {FORMER ("stream_down_info", "camera_down_info"), add_down_info},
};

static void
add_header (GString * text, const gchar * name, const gchar * type,
    const gchar * help)
{
  g_string_append_printf (text, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX
      "%s %s\n", name, help, name, type);
}

static void
add_gauge (GString * text, const gchar * name, const gchar * help,
    const gchar * labels, guint value)
{
  add_header (text, name, "gauge", help);
  g_string_append_printf (text, PREFIX "%s%s %u\n", name, labels, value);
}

/* Metrics of outputs, whose names need no escaping */

static gdouble
get_up (const VhmOutput * output)
{
  return output->up;
}

static gdouble
get_queued (const VhmOutput * output)
{
  return vhm_delivery_get_counts (output->delivery)->queued;
}

static gdouble
get_delivered (const VhmOutput * output)
{
  return vhm_delivery_get_counts (output->delivery)->delivered;
}

static gdouble
get_dead (const VhmOutput * output)
{
  return vhm_delivery_get_counts (output->delivery)->dead;
}

typedef gdouble (*GetNumber) (const VhmOutput * output);

static const struct
{
  const gchar *name;
  const gchar *type;
  const gchar *help;
  GetNumber get;
} output_metrics[] = {
  {"output_up", "gauge",
      "Whether the output can reach its receiver (1) or not (0).", get_up},
  {"output_queued", "gauge",
      "Number of events waiting to be delivered.", get_queued},
  {"output_delivered_total", "counter",
      "Number of events delivered.", get_delivered},
  {"output_dead_letters", "gauge",
        "Number of dead letters: undelivered events that are neither requeued "
        "nor discarded.",
      get_dead},
};

static void
add_outputs (GString * text, const VhmOutputs * outputs)
{
  const GPtrArray *all = vhm_outputs_get_all (outputs);
  guint i, j;

  for (i = 0; all->len && i < G_N_ELEMENTS (output_metrics); i++) {
    add_header (text, output_metrics[i].name, output_metrics[i].type,
        output_metrics[i].help);
    for (j = 0; j < all->len; j++) {
      const VhmOutput *output = g_ptr_array_index (all, j);

      g_string_append_printf (text, PREFIX "%s{output=\"%s\"} %.0f\n",
          output_metrics[i].name, output->name,
          output_metrics[i].get (output));
    }
  }
}

gchar *
vhm_metrics_make (const VhmFleet * fleet, const VhmOutputs * outputs)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (fleet);
  Page page = { g_string_new (NULL) };
  GPtrArray *labels = g_ptr_array_new_with_free_func (g_free);
  guint i, j;

  for (j = 0; j < cameras->len; j++) {
    const VhmCamera *camera = g_ptr_array_index (cameras, j);
    gchar *name = escape_label (camera->settings->name);

    g_ptr_array_add (labels, g_strdup_printf ("camera=\"%s\",stream=\"%s\"",
            name, name));
    g_free (name);
  }
  for (i = 0; i < G_N_ELEMENTS (metrics); i++) {
    page.name = metrics[i].name;
    add_header (page.text, page.name, metrics[i].type, metrics[i].help);
    for (j = 0; j < cameras->len; j++) {
      const VhmCamera *camera = g_ptr_array_index (cameras, j);
      const Number *count;

      page.camera = g_ptr_array_index (labels, j);
      if (metrics[i].series)
        metrics[i].series (&page, camera);
      add_luma (&page, camera, metrics[i].luma);
      for (count = metrics[i].counts; count && count->labels; count++)
        add_sample (&page, count->labels, G_STRUCT_MEMBER (guint64, camera,
                count->offset));
    }
  }
  add_gauge (page.text, "cameras", "Number of configured cameras.", "",
      cameras->len);
  add_gauge (page.text, "camera_threads",
      "Number of camera threads, including those that should have ended.", "",
      vhm_attempt_count_threads ());
  add_gauge (page.text, "store_up",
      "Whether the database can be written (1) or not (0).", "",
      !vhm_store_get_trouble (vhm_fleet_get_store (fleet)));
  add_gauge (page.text, "config_last_reload_successful",
      "Whether the configuration was valid when last read (1) or not (0).",
      "", vhm_notices_is_configured
      (vhm_fleet_get_notices (fleet)));
  add_gauge (page.text, "gpu_lost",
      "Whether the program has lost its GPU (1) or not (0).", "",
      vhm_gpu_is_lost ());
  add_gauge (page.text, "machine_busy",
      "Whether this machine is too busy to keep up with the cameras (1) or not "
      "(0).", "", vhm_notices_is_busy (vhm_fleet_get_notices (fleet), TRUE));
  add_outputs (page.text, outputs);
  add_gauge (page.text, "build_info",
      "Version of the program; always 1.",
      "{version=\"" PACKAGE_VERSION "\"}", 1);
  g_ptr_array_unref (labels);
  return g_string_free (page.text, FALSE);
}
