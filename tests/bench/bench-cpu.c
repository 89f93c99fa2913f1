/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend and its counters as plain functions, for the drivers
 * cpu-histogram and cpu-equalize to call in their own process on the arrays
 * that they give to other libraries. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "cpu/cpubackend.h"
#include "cpu/curves.h"
#include "cpu/reference.h"

#include <string.h>

typedef struct
{
  VhBackend *backend;
  VhLayout layout;
  GstVideoHistogramInfo info;
  GstBuffer *buffer;
  GstBuffer *corrected;         /* or NULL */
  VhEqualizeJob job;
} Bench;

GST_API_EXPORT const gchar *bench_kernels_name (guint index);
GST_API_EXPORT Bench *bench_new (const gchar * caps_string, guint channels,
    guint bins, guint kernels, gpointer data, gsize size);
GST_API_EXPORT void bench_free (Bench * bench);
GST_API_EXPORT gboolean bench_count (Bench * bench, guint32 * counts);
GST_API_EXPORT gboolean bench_reference (Bench * bench, guint32 * counts);
GST_API_EXPORT void bench_prepare_equalize (Bench * bench, guint method,
    guint columns, guint rows, gdouble clip_limit, gpointer corrected);
GST_API_EXPORT gboolean bench_equalize (Bench * bench);
GST_API_EXPORT gboolean bench_reference_equalize (Bench * bench);
GST_API_EXPORT void bench_copy (gpointer to, gconstpointer from, gsize size);
GST_API_EXPORT const gchar *bench_counter_name (guint kernels, guint index);
GST_API_EXPORT gpointer bench_counter_state (guint kernels, guint index);
GST_API_EXPORT void bench_counter (guint kernels, guint index, gpointer state,
    const guint8 * codes, gsize n, guint32 * counts);
GST_API_EXPORT guint64 bench_read (const guint8 * data, gsize size);

/* NULL after the last. */
const gchar *
bench_kernels_name (guint index)
{
  const VhLoops *kernels = vh_loops_list ()[index];

  return kernels ? kernels->name : NULL;
}

/* Borrows @data, which holds one frame of @caps_string. */
Bench *
bench_new (const gchar * caps_string, guint channels, guint bins,
    guint kernels, gpointer data, gsize size)
{
  const VhBackendConfig config = { -1 };
  Bench *bench;
  GstCaps *caps;

  gst_init (NULL, NULL);
  bench = g_new0 (Bench, 1);
  caps = gst_caps_from_string (caps_string);
  if (!caps || !vh_layout_from_caps (&bench->layout, caps, NULL))
    g_error ("%s is not a format that can be counted", caps_string);
  gst_caps_unref (caps);

  bench->info.channels = channels;
  bench->info.bins = bins;
  bench->info.columns = 1;
  bench->info.rows = 1;
  bench->backend = vh_cpu_backend_class.open (&config, NULL);
  vh_cpu_backend_use_loops (bench->backend, vh_loops_list ()[kernels]);
  if (!vh_cpu_backend_class.configure (bench->backend, &bench->layout,
          &bench->info, GST_VIDEO_HISTOGRAM_METHOD_AUTO, FALSE, NULL))
    g_error ("No memory to count in");
  bench->buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, data,
      size, 0, size, NULL, NULL);
  return bench;
}

void
bench_free (Bench * bench)
{
  vh_cpu_backend_class.close (bench->backend);
  gst_buffer_unref (bench->buffer);
  gst_clear_buffer (&bench->corrected);
  g_free (bench);
}

static gboolean
count_with (Bench * bench, gboolean reference, guint32 * counts)
{
  VhFrameView view;
  GstVideoHistogram *histogram;
  gboolean counted;

  if (!vh_frame_view_init (&view, &bench->layout, bench->buffer,
          vh_layout_planes (&bench->layout, bench->info.channels), NULL))
    return FALSE;

  histogram = vh_histogram_new (&bench->info, "cpu");
  if (reference) {
    counted = vh_frame_view_map (&view, GST_MAP_READ, NULL);
    if (counted)
      vh_reference_count (&view, &view.picture, histogram);
    vh_frame_view_unmap (&view);
  } else {
    counted = vh_cpu_backend_class.submit (bench->backend, &view,
        &view.picture, histogram, NULL);
  }
  memcpy (counts, vh_histogram_storage (histogram),
      vh_histogram_storage_length (histogram) * sizeof (*counts));
  gst_video_histogram_unref (histogram);
  return counted;
}

/* All that is done per frame, from the buffer to the counts of each channel. */
gboolean
bench_count (Bench * bench, guint32 * counts)
{
  return count_with (bench, FALSE, counts);
}

gboolean
bench_reference (Bench * bench, guint32 * counts)
{
  return count_with (bench, TRUE, counts);
}

/* Has bench_equalize() correct by @method, into @corrected, which it borrows
 * and which has the size of the frame; frames are of full range. */
void
bench_prepare_equalize (Bench * bench, guint method, guint columns, guint rows,
    gdouble clip_limit, gpointer corrected)
{
  const guint depth = bench->layout.depth;
  const gsize size = gst_buffer_get_size (bench->buffer);

  bench->corrected = gst_buffer_new_wrapped_full (0, corrected, size, 0, size,
      NULL, NULL);
  bench->job = (VhEqualizeJob) {
    .curve = {
      .method = method,
      .depth = depth,
      .bins = 1u << MIN (depth, VH_CURVE_DEPTH),
      .high = (1u << MIN (depth, VH_CURVE_DEPTH)) - 1,
      .columns = columns,
      .rows = rows,
      .share = VH_SHARE_ONE,
      .strength = VH_SHARE_ONE,
      .max_gain = 4 * VH_LEVEL_ONE,
      .clip_limit = clip_limit,
    },
    .white = (1u << depth) - 1,
    .chroma_limit = (1u << (depth - 1)) - 1,
  };
  bench->info.bins = bench->job.curve.bins;
  bench->info.columns = columns;
  bench->info.rows = rows;
  if (!vh_cpu_backend_class.configure (bench->backend, &bench->layout,
          &bench->info, GST_VIDEO_HISTOGRAM_METHOD_AUTO, FALSE, NULL))
    g_error ("No memory to count in");
}

/* All that is done per frame: finds and counts it, makes its curves and
 * corrects it. */
gboolean
bench_equalize (Bench * bench)
{
  const guint planes = (1u << GST_VIDEO_INFO_N_PLANES (&bench->layout.info))
      - 1;
  VhFrameView in, out;
  GstVideoHistogram *histogram;
  gboolean corrected;

  if (!vh_frame_view_init (&in, &bench->layout, bench->buffer, planes, NULL)
      || !vh_frame_view_init (&out, &bench->layout, bench->corrected, planes,
          NULL))
    return FALSE;

  histogram = vh_histogram_new (&bench->info, "cpu");
  corrected = vh_cpu_backend_class.submit (bench->backend, &in, &in.picture,
      histogram, NULL)
      && vh_cpu_backend_class.equalize (bench->backend, &in, &out, histogram,
      &bench->job, NULL);
  gst_video_histogram_unref (histogram);
  return corrected;
}

/* What bench_equalize() should do, by the scalar reference. */
gboolean
bench_reference_equalize (Bench * bench)
{
  const guint planes = (1u << GST_VIDEO_INFO_N_PLANES (&bench->layout.info))
      - 1;
  VhCpuEqualizer *equalizer = vh_cpu_equalizer_new (&bench->layout,
      vh_loops_list ()[0]);
  GstVideoHistogram *histogram = vh_histogram_new (&bench->info, "cpu");
  VhFrameView in, out;
  gboolean corrected;

  corrected = vh_frame_view_init (&in, &bench->layout, bench->buffer, planes,
      NULL) && vh_frame_view_init (&out, &bench->layout, bench->corrected,
      planes, NULL) && vh_frame_view_map (&in, GST_MAP_READ, NULL)
      && vh_frame_view_map (&out, GST_MAP_READWRITE, NULL);
  if (corrected) {
    vh_reference_count (&in, &in.picture, histogram);
    vh_histogram_complete (histogram);
    corrected = vh_cpu_equalizer_advance (equalizer, histogram, &bench->job,
        NULL);
    vh_frame_view_copy (&out, &in, planes);
    if (corrected && !vh_cpu_equalizer_is_constant (equalizer)) {
      vh_reference_correct (&out, &bench->job,
          vh_cpu_equalizer_get_levels (equalizer));
    }
    vh_frame_view_unmap (&in);
    vh_frame_view_unmap (&out);
  }
  gst_video_histogram_unref (histogram);
  vh_cpu_equalizer_free (equalizer);
  return corrected;
}

/* For comparison: the least that a frame takes which is corrected into
 * another. */
void
bench_copy (gpointer to, gconstpointer from, gsize size)
{
  memcpy (to, from, size);
}

/* NULL after the last of the kernels. */
const gchar *
bench_counter_name (guint kernels, guint index)
{
  return index < VH_MAX_COUNTERS ?
      vh_loops_list ()[kernels]->counters[index]->name : NULL;
}

/* A state of the counter, never freed. */
gpointer
bench_counter_state (guint kernels, guint index)
{
  const gsize size = vh_loops_list ()[kernels]->counters[index]->state_size;
  const guintptr state = (guintptr) g_malloc0 (size + VH_STATE_ALIGN);

  return (gpointer) ((state + VH_STATE_ALIGN - 1) / VH_STATE_ALIGN
      * VH_STATE_ALIGN);
}

/* One counter alone, on an array. */
void
bench_counter (guint kernels, guint index, gpointer state,
    const guint8 * codes, gsize n, guint32 * counts)
{
  const VhCounter *counter = vh_loops_list ()[kernels]->counters[index];

  memset (counts, 0, 256 * sizeof (*counts));
  counter->count (state, codes, n);
  counter->fold (state, counts);
}

typedef guint64 Words __attribute__ ((vector_size (32), aligned (1),
    may_alias));

/* Only reads @data: what no counter can be faster than. */
#if defined (__x86_64__) && defined (__gnu_linux__) && !defined (__clang__)
__attribute__ ((target_clones ("avx2", "default")))
#endif
guint64
bench_read (const guint8 * data, gsize size)
{
  const Words *words = (const Words *) data;
  Words a = { 0, }, b = { 0, }, c = { 0, }, d = { 0, };
  gsize i;

  for (i = 0; i + 4 <= size / sizeof (Words); i += 4) {
    __builtin_prefetch (words + i + 128);
    __builtin_prefetch (words + i + 130);
    a |= words[i];
    b |= words[i + 1];
    c |= words[i + 2];
    d |= words[i + 3];
  }
  a |= b | c | d;
  return a[0] | a[1] | a[2] | a[3];
}
