/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend and its counters as plain functions. The drivers
 * cpu-histogram and cpu-equalize call them in their own process, on the same
 * arrays that they pass to other libraries. */
#include "core/channels.h"
#include "cpu/cpudevice.h"
#include "cpu/curves.h"
#include "cpu/reference.h"

#include <string.h>

typedef struct
{
  VhDevice *device;
  VhCounter *counter;
  VhCorrector *corrector;
  VhLayout layout;
  VhCountSpec spec;
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

static void
configure_counter (Bench * bench)
{
  if (!bench->counter->klass->configure (bench->counter, &bench->layout,
          &bench->spec, NULL))
    g_error ("No memory to count in");
}

/* Borrows @data, which holds one frame of @caps_string. */
Bench *
bench_new (const gchar * caps_string, guint channels, guint bins,
    guint kernels, gpointer data, gsize size)
{
  const VhDeviceConfig config = {.cuda_device_id = -1 };
  Bench *bench;
  GstCaps *caps;

  gst_init (NULL, NULL);
  bench = g_new0 (Bench, 1);
  caps = gst_caps_from_string (caps_string);
  if (!caps || !vh_layout_from_caps (&bench->layout, caps, NULL))
    g_error ("%s is not a format that can be counted", caps_string);
  gst_caps_unref (caps);

  bench->spec.shape = (VhCountsShape) {
    .channels = channels,
    .bins = bins,
    .columns = 1,
    .rows = 1,
  };
  bench->device = vh_cpu_device_class.open (&config, NULL);
  vh_cpu_device_use_loops (bench->device, vh_loops_list ()[kernels]);
  bench->counter = bench->device->klass->new_counter (bench->device);
  bench->corrector = bench->device->klass->new_corrector (bench->device);
  configure_counter (bench);
  bench->buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, data,
      size, 0, size, NULL, NULL);
  return bench;
}

void
bench_free (Bench * bench)
{
  bench->corrector->klass->close (bench->corrector);
  bench->counter->klass->close (bench->counter);
  bench->device->klass->close (bench->device);
  gst_buffer_unref (bench->buffer);
  gst_clear_buffer (&bench->corrected);
  g_free (bench);
}

static gboolean
count_with (Bench * bench, gboolean reference, guint32 * counted)
{
  VhFrameView view;
  VhFrame *frame;
  VhCounts *counts;

  if (!vh_frame_view_init (&view, &bench->layout, bench->buffer,
          vh_channels_planes (&bench->layout, bench->spec.shape.channels),
          NULL)
      || !(frame = bench->device->klass->begin (bench->device, &view,
              VH_FRAME_READ, FALSE, NULL)))
    return FALSE;

  counts = vh_counts_new (&bench->spec.shape);
  if (reference)
    vh_reference_count (&view, &view.picture, counts);
  else
    bench->counter->klass->submit (bench->counter, frame, &view.picture,
        counts, NULL);
  bench->device->klass->end (bench->device, frame, NULL);
  memcpy (counted, vh_counts_storage (counts),
      vh_counts_length (counts) * sizeof (*counted));
  vh_counts_unref (counts);
  return TRUE;
}

/* Does all the work of a frame, from the buffer to the counts of each
 * channel. */
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

/* Sets the @method of bench_equalize(), and the frame that it writes to.
 * Borrows @corrected, which has the size of the input; frames have full
 * range. */
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
    .region = {0, 0, bench->layout.info.width, bench->layout.info.height},
  };
  bench->job.edges = vh_equalize_edges (&bench->job.region,
      bench->layout.info.width, bench->layout.info.height);
  bench->spec.shape.bins = bench->job.curve.bins;
  bench->spec.shape.columns = columns;
  bench->spec.shape.rows = rows;
  configure_counter (bench);
  bench->corrector->klass->configure (bench->corrector, &bench->layout,
      &bench->job.curve, NULL);
}

/* The number of frames started. */
typedef struct
{
  VhFrameView views[2];
  VhFrame *in, *out;
} Frames;

static gboolean
begin_frames (Bench * bench, Frames * frames)
{
  const VhDeviceClass *klass = bench->device->klass;
  const guint planes = (1u << GST_VIDEO_INFO_N_PLANES (&bench->layout.info))
      - 1;

  if (!vh_frame_view_init (&frames->views[0], &bench->layout, bench->buffer,
          planes, NULL)
      || !vh_frame_view_init (&frames->views[1], &bench->layout,
          bench->corrected, planes, NULL))
    return FALSE;
  frames->in = klass->begin (bench->device, &frames->views[0], VH_FRAME_READ,
      FALSE, NULL);
  frames->out = klass->begin (bench->device, &frames->views[1], VH_FRAME_WRITE,
      FALSE, NULL);
  return frames->in && frames->out;
}

static void
end_frames (Bench * bench, Frames * frames)
{
  bench->device->klass->end (bench->device, frames->out, NULL);
  bench->device->klass->end (bench->device, frames->in, NULL);
}

/* Does all the work of a frame: finds and counts it, makes its curves and
 * corrects it. */
gboolean
bench_equalize (Bench * bench)
{
  VhCounts *counts;
  gboolean corrected;
  Frames frames;

  if (!begin_frames (bench, &frames))
    return FALSE;
  counts = vh_counts_new (&bench->spec.shape);
  corrected = bench->counter->klass->submit (bench->counter, frames.in,
      &frames.in->view->picture, counts, NULL)
      && bench->corrector->klass->submit (bench->corrector, frames.in,
      frames.out, counts, &bench->job, NULL);
  end_frames (bench, &frames);
  vh_counts_unref (counts);
  return corrected;
}

/* Does the same as bench_equalize(), with the scalar reference. */
gboolean
bench_reference_equalize (Bench * bench)
{
  VhCpuCurves *curves;
  VhFrameView *in, *out;
  VhCounts *counts;
  gboolean corrected;
  Frames frames;

  if (!begin_frames (bench, &frames))
    return FALSE;
  in = frames.in->view;
  out = frames.out->view;
  curves = vh_cpu_curves_new ();
  counts = vh_counts_new (&bench->spec.shape);
  vh_reference_count (in, &in->picture, counts);
  vh_counts_complete (counts);
  corrected = vh_cpu_curves_advance (curves, counts, &bench->job, NULL);
  vh_frame_view_copy (out, in, in->planes);
  if (corrected && !vh_cpu_curves_is_constant (curves)) {
    vh_reference_correct (out, &bench->job,
        vh_cpu_curves_get_levels (curves));
  }
  end_frames (bench, &frames);
  vh_counts_unref (counts);
  vh_cpu_curves_free (curves);
  return corrected;
}

/* Copies a frame, for comparison: a correction into another frame cannot take
 * less. */
void
bench_copy (gpointer to, gconstpointer from, gsize size)
{
  memcpy (to, from, size);
}

/* The name of a counter, or NULL after the last. */
const gchar *
bench_counter_name (guint kernels, guint index)
{
  return index < VH_MAX_COUNTERS ?
      vh_loops_list ()[kernels]->counters[index]->name : NULL;
}

/* The state of the counter, never freed. */
gpointer
bench_counter_state (guint kernels, guint index)
{
  const gsize size = vh_loops_list ()[kernels]->counters[index]->state_size;
  const guintptr state = (guintptr) g_malloc0 (size + VH_STATE_ALIGN);

  return (gpointer) ((state + VH_STATE_ALIGN - 1) / VH_STATE_ALIGN
      * VH_STATE_ALIGN);
}

/* Runs one counter on an array. */
void
bench_counter (guint kernels, guint index, gpointer state,
    const guint8 * codes, gsize n, guint32 * counts)
{
  const VhCodeCounter *counter = vh_loops_list ()[kernels]->counters[index];

  memset (counts, 0, 256 * sizeof (*counts));
  counter->count (state, codes, n);
  counter->fold (state, counts);
}

typedef guint64 Words __attribute__ ((vector_size (32), aligned (1),
    may_alias));

/* Only reads @data: no counter can be faster. */
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
