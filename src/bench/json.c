/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "json.h"
#include "core/methods.h"
#include "papers.h"
#include "report.h"

#include <math.h>

void
bench_json_string (JsonBuilder * json, const gchar * name, const gchar * value)
{
  json_builder_set_member_name (json, name);
  if (value)
    json_builder_add_string_value (json, value);
  else
    json_builder_add_null_value (json);
}

void
bench_json_int (JsonBuilder * json, const gchar * name, gint64 value)
{
  json_builder_set_member_name (json, name);
  json_builder_add_int_value (json, value);
}

void
bench_json_number (JsonBuilder * json, const gchar * name, gdouble value)
{
  json_builder_set_member_name (json, name);
  if (isfinite (value))
    json_builder_add_double_value (json, value);
  else
    json_builder_add_null_value (json);
}

gboolean
bench_json_save (JsonBuilder * json, const gchar * path, GError ** error)
{
  JsonGenerator *generator = json_generator_new ();
  JsonNode *root = json_builder_get_root (json);
  gboolean written;

  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  written = json_generator_to_file (generator, path, error);
  g_object_unref (generator);
  json_node_unref (root);
  return written;
}

static void
add_gpu (JsonBuilder * json, const BenchGpu * gpu)
{
  json_builder_set_member_name (json, "gpu");
  if (!gpu) {
    json_builder_add_null_value (json);
    return;
  }
  json_builder_begin_object (json);
  bench_json_string (json, "name", gpu->name);
  bench_json_int (json, "multiprocessors", gpu->device->multiprocessors);
  bench_json_number (json, "compute-capability",
      gpu->major + gpu->minor / 10.0);
  bench_json_int (json, "driver-cuda-version", gpu->cuda_version);
  bench_json_int (json, "l2-bytes", gpu->l2_bytes);
  bench_json_int (json, "clock-khz", gpu->clock_khz);
  bench_json_string (json, "failure", gpu->failure);
  json_builder_end_object (json);
}

/* Members that every time has. */
static void
add_figures (JsonBuilder * json, const BenchTime * time)
{
  static const gchar *const counts[] = {
    [BENCH_COUNTS_NONE] = NULL,
    [BENCH_COUNTS_EXACT] = "exact",
    [BENCH_COUNTS_WRONG] = "wrong",
  };

  if (time->problem)
    bench_json_string (json, "problem", time->problem);
  bench_json_string (json, "counts", counts[time->counts]);
  bench_json_int (json, "repeats", time->repeats);
  if (time->repeats > 0) {
    bench_json_number (json, "us-median", time->median);
    bench_json_number (json, "us-least", time->least);
    bench_json_number (json, "us-most", time->most);
  }
}

static void
add_time (JsonBuilder * json, const BenchResult * result,
    const BenchTime * time)
{
  static const gchar *const kinds[] = {
    [BENCH_EMPTY] = "empty",
    [BENCH_READ] = "read",
    [BENCH_METHOD] = "method",
    [BENCH_PEER] = "peer",
    [BENCH_CPU] = "cpu",
  };

  json_builder_begin_object (json);
  bench_json_string (json, "name", time->entrant->name);
  bench_json_string (json, "kind", kinds[time->entrant->kind]);
  add_figures (json, time);
  if (time->repeats > 0) {
    bench_json_int (json, "runs", time->runs);
    json_builder_set_member_name (json, "one-by-one");
    json_builder_add_boolean_value (json, time->one_by_one);
    if (time->entrant->kind != BENCH_EMPTY) {
      bench_json_number (json, "gb-per-s", bench_result_gbs (result, time));
      bench_json_number (json, "of-reading",
          bench_result_share (result, time));
    }
  }
  json_builder_end_object (json);
}

static const gchar *
name_of (const BenchTime * time)
{
  return time ? time->entrant->name : NULL;
}

static void
add_result (JsonBuilder * json, gconstpointer item)
{
  const BenchResult *result = item;
  gchar *data = bench_data_name (result->c.data);
  guint i;

  json_builder_begin_object (json);
  bench_json_string (json, "case", result->text);
  bench_json_string (json, "size", result->c.size.name);
  bench_json_int (json, "width", result->width);
  bench_json_int (json, "height", result->height);
  bench_json_int (json, "bytes", result->bytes);
  bench_json_string (json, "channels",
      bench_channels_name (result->c.channels));
  bench_json_string (json, "format", bench_case_format (&result->c));
  bench_json_int (json, "depth", result->c.depth);
  bench_json_int (json, "bins", result->c.bins);
  bench_json_string (json, "data", data);
  bench_json_string (json, "from", result->c.warm ? "l2" : "hbm");
  if (result->failure)
    bench_json_string (json, "failure", result->failure);
  bench_json_string (json, "best", name_of (bench_result_best (result)));
  bench_json_string (json, "auto-takes",
      name_of (bench_result_chosen (result)));
  bench_json_number (json, "auto-behind", bench_result_behind (result));
  json_builder_set_member_name (json, "times");
  json_builder_begin_array (json);
  for (i = 0; i < result->times->len; i++)
    add_time (json, result, &g_array_index (result->times, BenchTime, i));
  json_builder_end_array (json);
  json_builder_end_object (json);
  g_free (data);
}

static void
add_latency (JsonBuilder * json, gconstpointer item)
{
  const BenchLatency *latency = item;
  json_builder_begin_object (json);
  bench_json_string (json, "size", latency->size.name);
  if (latency->problem)
    bench_json_string (json, "problem", latency->problem);
  bench_json_int (json, "launches", latency->launches);
  bench_json_number (json, "launch-us-p50", latency->submit_p50);
  bench_json_number (json, "launch-us-p99", latency->submit_p99);
  bench_json_number (json, "counts-us-p50", latency->seen_p50);
  bench_json_number (json, "counts-us-p99", latency->seen_p99);
  json_builder_end_object (json);
}

static void
add_joint (JsonBuilder * json, gconstpointer item)
{
  const BenchJoint *joint = item;
  gchar *data = bench_data_name (joint->c.data);

  json_builder_begin_object (json);
  bench_json_string (json, "size", joint->c.size.name);
  bench_json_string (json, "data", data);
  bench_json_string (json, "method", vh_method_nick (joint->method));
  bench_json_string (json, "kind", joint->c.chroma ? "chroma" : "luma");
  bench_json_int (json, "bins", joint->c.bins);
  add_figures (json, &joint->time);
  json_builder_end_object (json);
  g_free (data);
}

static void
add_batch (JsonBuilder * json, gconstpointer item)
{
  const BenchBatch *batch = item;
  gchar *data = bench_data_name (batch->c.data);
  guint i;

  json_builder_begin_object (json);
  bench_json_string (json, "size", batch->c.size.name);
  bench_json_string (json, "data", data);
  bench_json_int (json, "frames", batch->n);
  json_builder_set_member_name (json, "times");
  json_builder_begin_array (json);
  for (i = 0; i < BENCH_BATCH_N_WAYS; i++) {
    json_builder_begin_object (json);
    bench_json_string (json, "name", bench_batch_way_name (i));
    add_figures (json, &batch->times[i]);
    json_builder_end_object (json);
  }
  json_builder_end_array (json);
  json_builder_end_object (json);
  g_free (data);
}

/* Adds red, green and blue in 256 bins. */
static void
add_photo (JsonBuilder * json, const BenchPhoto * photo)
{
  static const gchar *const names[] = { "red", "green", "blue" };
  GstVideoHistogram *histogram = photo ? bench_photo_count (photo, 256, NULL) :
      NULL;
  guint c, n, i;

  json_builder_set_member_name (json, "photo");
  if (!histogram) {
    json_builder_add_null_value (json);
    return;
  }
  json_builder_begin_object (json);
  bench_json_int (json, "width", photo->width);
  bench_json_int (json, "height", photo->height);
  for (c = 0; c < G_N_ELEMENTS (names); c++) {
    const guint32 *counts = gst_video_histogram_get_counts (histogram,
        GST_VIDEO_HISTOGRAM_CHANNEL_RED + c, &n);

    json_builder_set_member_name (json, names[c]);
    json_builder_begin_array (json);
    for (i = 0; i < n; i++)
      json_builder_add_int_value (json, counts[i]);
    json_builder_end_array (json);
  }
  json_builder_end_object (json);
  gst_video_histogram_unref (histogram);
}

static void
add_warps (JsonBuilder * json, gconstpointer item)
{
  const BenchWarps *warps = item;

  json_builder_begin_object (json);
  bench_json_string (json, "method", warps->method);
  bench_json_string (json, "data", warps->data);
  bench_json_int (json, "warps", warps->warps);
  bench_json_number (json, "gb-per-s", warps->gbs);
  json_builder_end_object (json);
}

static void
add_all (JsonBuilder * json, const gchar * name, const GPtrArray * items,
    void (*add) (JsonBuilder * json, gconstpointer item))
{
  guint i;

  json_builder_set_member_name (json, name);
  json_builder_begin_array (json);
  for (i = 0; i < items->len; i++)
    add (json, g_ptr_array_index (items, i));
  json_builder_end_array (json);
}

gboolean
bench_json_write (const gchar * path, const BenchGpu * gpu,
    const BenchPhoto * photo, gboolean papers, const BenchLists * lists,
    GError ** error)
{
  const GPtrArray *results = lists->results, *latencies = lists->latencies;
  const BenchResult *worst = bench_find_worst (results);
  JsonBuilder *json = json_builder_new ();
  gboolean written;

  json_builder_begin_object (json);
  bench_json_string (json, "program", "videohistogram-bench");
  bench_json_string (json, "version", PACKAGE_VERSION);
  json_builder_set_member_name (json, "papers");
  json_builder_add_boolean_value (json, papers);
  add_gpu (json, gpu);
  add_photo (json, photo);
  bench_json_int (json, "wrong", bench_count_wrong (results, latencies));
  bench_json_int (json, "failures",
      bench_count_failures (results, latencies));
  bench_json_string (json, "auto-worst-case", worst ? worst->text : NULL);
  bench_json_number (json, "auto-worst",
      worst ? bench_result_behind (worst) : NAN);
  add_all (json, "cases", results, add_result);
  add_all (json, "latencies", latencies, add_latency);
  add_all (json, "joints", lists->joints, add_joint);
  add_all (json, "batches", lists->batches, add_batch);
  add_all (json, "warps", lists->warps, add_warps);
  json_builder_end_object (json);
  written = bench_json_save (json, path, error);
  g_object_unref (json);
  return written;
}
