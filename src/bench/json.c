/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "json.h"
#include "report.h"

#include <json-glib/json-glib.h>
#include <math.h>

static void
add_string (JsonBuilder * json, const gchar * name, const gchar * value)
{
  json_builder_set_member_name (json, name);
  if (value)
    json_builder_add_string_value (json, value);
  else
    json_builder_add_null_value (json);
}

static void
add_int (JsonBuilder * json, const gchar * name, gint64 value)
{
  json_builder_set_member_name (json, name);
  json_builder_add_int_value (json, value);
}

/* JSON has no NAN. */
static void
add_number (JsonBuilder * json, const gchar * name, gdouble value)
{
  json_builder_set_member_name (json, name);
  if (isfinite (value))
    json_builder_add_double_value (json, value);
  else
    json_builder_add_null_value (json);
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
  add_string (json, "name", gpu->name);
  add_int (json, "multiprocessors", gpu->device->multiprocessors);
  add_number (json, "compute-capability", gpu->major + gpu->minor / 10.0);
  add_int (json, "driver-cuda-version", gpu->cuda_version);
  add_int (json, "l2-bytes", gpu->l2_bytes);
  add_int (json, "clock-khz", gpu->clock_khz);
  add_string (json, "failure", gpu->failure);
  json_builder_end_object (json);
}

static const gchar *
counts_name (BenchCounts counts)
{
  static const gchar *const names[] = {
    [BENCH_COUNTS_NONE] = NULL,
    [BENCH_COUNTS_EXACT] = "exact",
    [BENCH_COUNTS_WRONG] = "wrong",
  };

  return names[counts];
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
  add_string (json, "name", time->entrant->name);
  add_string (json, "kind", kinds[time->entrant->kind]);
  if (time->problem)
    add_string (json, "problem", time->problem);
  add_string (json, "counts", counts_name (time->counts));
  if (time->repeats > 0) {
    add_number (json, "us-median", time->median);
    add_number (json, "us-least", time->least);
    add_number (json, "us-most", time->most);
    add_int (json, "repeats", time->repeats);
    add_int (json, "runs", time->runs);
    json_builder_set_member_name (json, "one-by-one");
    json_builder_add_boolean_value (json, time->one_by_one);
    if (time->entrant->kind != BENCH_EMPTY) {
      add_number (json, "gb-per-s", bench_result_gbs (result, time));
      add_number (json, "of-reading", bench_result_share (result, time));
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
add_result (JsonBuilder * json, const BenchResult * result)
{
  gchar *data = bench_data_name (result->c.data);
  guint i;

  json_builder_begin_object (json);
  add_string (json, "case", result->text);
  add_string (json, "size", result->c.size.name);
  add_int (json, "width", result->width);
  add_int (json, "height", result->height);
  add_int (json, "bytes", result->bytes);
  add_string (json, "channels", bench_channels_name (result->c.channels));
  add_string (json, "format", bench_case_format (&result->c));
  add_int (json, "depth", result->c.depth);
  add_int (json, "bins", result->c.bins);
  add_string (json, "data", data);
  add_string (json, "from", result->c.warm ? "l2" : "hbm");
  if (result->failure)
    add_string (json, "failure", result->failure);
  add_string (json, "best", name_of (bench_result_best (result)));
  add_string (json, "auto-takes", name_of (bench_result_chosen (result)));
  add_number (json, "auto-behind", bench_result_behind (result));
  json_builder_set_member_name (json, "times");
  json_builder_begin_array (json);
  for (i = 0; i < result->times->len; i++)
    add_time (json, result, &g_array_index (result->times, BenchTime, i));
  json_builder_end_array (json);
  json_builder_end_object (json);
  g_free (data);
}

static void
add_latency (JsonBuilder * json, const BenchLatency * latency)
{
  json_builder_begin_object (json);
  add_string (json, "size", latency->size.name);
  if (latency->problem)
    add_string (json, "problem", latency->problem);
  add_int (json, "launches", latency->launches);
  add_number (json, "launch-us-p50", latency->submit_p50);
  add_number (json, "launch-us-p99", latency->submit_p99);
  add_number (json, "counts-us-p50", latency->seen_p50);
  add_number (json, "counts-us-p99", latency->seen_p99);
  json_builder_end_object (json);
}

static void
add_joint (JsonBuilder * json, const BenchJoint * joint)
{
  gchar *data = bench_data_name (joint->c.data);

  json_builder_begin_object (json);
  add_string (json, "size", joint->c.size.name);
  add_string (json, "data", data);
  add_int (json, "bins", joint->c.bins);
  if (joint->time.problem)
    add_string (json, "problem", joint->time.problem);
  add_string (json, "counts", counts_name (joint->time.counts));
  add_int (json, "repeats", joint->time.repeats);
  add_number (json, "us-median", joint->time.median);
  add_number (json, "us-least", joint->time.least);
  add_number (json, "us-most", joint->time.most);
  json_builder_end_object (json);
  g_free (data);
}

static void
add_batch (JsonBuilder * json, const BenchBatch * batch)
{
  gchar *data = bench_data_name (batch->c.data);
  guint i;

  json_builder_begin_object (json);
  add_string (json, "size", batch->c.size.name);
  add_string (json, "data", data);
  add_int (json, "frames", batch->n);
  json_builder_set_member_name (json, "times");
  json_builder_begin_array (json);
  for (i = 0; i < BENCH_BATCH_N_WAYS; i++) {
    const BenchTime *time = &batch->times[i];

    json_builder_begin_object (json);
    add_string (json, "name", bench_batch_way_name (i));
    if (time->problem)
      add_string (json, "problem", time->problem);
    add_string (json, "counts", counts_name (time->counts));
    add_int (json, "repeats", time->repeats);
    if (time->repeats > 0) {
      add_number (json, "us-median", time->median);
      add_number (json, "us-least", time->least);
      add_number (json, "us-most", time->most);
    }
    json_builder_end_object (json);
  }
  json_builder_end_array (json);
  json_builder_end_object (json);
  g_free (data);
}

static JsonNode *
make_root (const BenchGpu * gpu, const GPtrArray * results,
    const GPtrArray * latencies, const GPtrArray * joints,
    const GPtrArray * batches)
{
  const BenchResult *worst = bench_find_worst (results);
  JsonBuilder *json = json_builder_new ();
  JsonNode *root;
  guint i;

  json_builder_begin_object (json);
  add_string (json, "program", "videohistogram-bench");
  add_string (json, "version", PACKAGE_VERSION);
  add_gpu (json, gpu);
  add_int (json, "wrong", bench_count_wrong (results, latencies));
  add_int (json, "failures", bench_count_failures (results, latencies));
  add_string (json, "auto-worst-case", worst ? worst->text : NULL);
  add_number (json, "auto-worst", worst ? bench_result_behind (worst) : NAN);
  json_builder_set_member_name (json, "cases");
  json_builder_begin_array (json);
  for (i = 0; i < results->len; i++)
    add_result (json, g_ptr_array_index (results, i));
  json_builder_end_array (json);
  json_builder_set_member_name (json, "latencies");
  json_builder_begin_array (json);
  for (i = 0; i < latencies->len; i++)
    add_latency (json, g_ptr_array_index (latencies, i));
  json_builder_end_array (json);
  json_builder_set_member_name (json, "joints");
  json_builder_begin_array (json);
  for (i = 0; i < joints->len; i++)
    add_joint (json, g_ptr_array_index (joints, i));
  json_builder_end_array (json);
  json_builder_set_member_name (json, "batches");
  json_builder_begin_array (json);
  for (i = 0; i < batches->len; i++)
    add_batch (json, g_ptr_array_index (batches, i));
  json_builder_end_array (json);
  json_builder_end_object (json);
  root = json_builder_get_root (json);
  g_object_unref (json);
  return root;
}

gboolean
bench_json_write (const gchar * path, const BenchGpu * gpu,
    const GPtrArray * results, const GPtrArray * latencies,
    const GPtrArray * joints, const GPtrArray * batches, GError ** error)
{
  JsonNode *root = make_root (gpu, results, latencies, joints, batches);
  JsonGenerator *generator = json_generator_new ();
  gboolean written;

  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  written = json_generator_to_file (generator, path, error);
  g_object_unref (generator);
  json_node_unref (root);
  return written;
}
