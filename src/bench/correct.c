/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of correcting a frame: counting, making the curve, and applying it.
 * Many frames are used in turn, so that reads and writes go to memory, not to
 * the cache; copying the same frames is timed for comparison. */
#include "correct.h"
#include "core/channels.h"
#include "core/methods.h"
#include "cpu/cpudevice.h"
#include "cuda/choose.h"
#include "cuda/countlaunch.h"
#include "cuda/curves.h"
#include "cuda/watcher.h"
#include "json.h"

#define RUNS 16                 /* in a graph */
#define MAX_FRAMES 32
#define SLOW 5000               /* microseconds; a longer run, as on the driver
                                 * emulated by tests/double, is timed alone */

static const struct
{
  const gchar *name, *format;
  guint method;
} cases[] = {
  {"equalize", "NV12", VH_CURVE_EQUALIZE},
  {"stretch", "NV12", VH_CURVE_STRETCH},
  {"gamma", "NV12", VH_CURVE_GAMMA},
  {"match", "NV12", VH_CURVE_MATCH},
  {"clahe", "NV12", VH_CURVE_CLAHE},
  {"clahe", "GRAY8", VH_CURVE_CLAHE},
  {"equalize", "P016_LE", VH_CURVE_EQUALIZE},
  {"clahe", "P016_LE", VH_CURVE_CLAHE},
  {"clahe", "GRAY16_LE", VH_CURVE_CLAHE},
};

/* Parts that are timed separately. */
typedef enum
{
  PART_COPY,
  PART_COUNT,
  PART_CORRECT,                 /* making the curve, and applying it */
  PART_ALL,
  N_PARTS
} Part;

static const gchar *const part_names[N_PARTS] = {
  "copy", "count", "correct", "all"
};

typedef struct
{
  BenchGpu *gpu;
  VhLayout layout;
  VhCountsShape shape;
  GstBuffer *in, *out;          /* in system memory: a frame, and the CPU's
                                 * result */
  VhFrameView in_view, out_view;
  VhReference reference;
  VhEqualizeJob job;

  gsize size;                   /* bytes of a frame */
  guint n_frames;
  CUdeviceptr frames;           /* n_frames to read, then as many to write */
  CUdeviceptr accumulators, counts;
  VhKernelParams params;
  VhCudaCurves *curves;
  Part part;                    /* what enqueue() does */

  gdouble median[N_PARTS];      /* microseconds */
  const gchar *problem;         /* or NULL */
} Correct;

/* Fills @buffer with a gradient and noise, so that all tiles differ. */
static void
fill (GstBuffer * buffer, const VhLayout * layout)
{
  const guint width = GST_VIDEO_INFO_WIDTH (&layout->info);
  guint32 noise = 1;
  GstMapInfo map;
  gsize i;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (i = 0; i < map.size; i++) {
    const gsize sample = layout->depth > 8 ? i / 2 : i;

    noise = noise * 1664525 + 1013904223;
    map.data[i] = layout->depth > 8 && i % 2 == 0 ? noise >> 24 :
        40 + sample % width * 120 / width + (noise >> 26);
  }
  gst_buffer_unmap (buffer, &map);
}

static void
init_job (Correct * self, guint method)
{
  const guint depth = self->layout.depth, shift = depth > 12 ? depth - 12 : 0;
  const guint tiles = method == VH_CURVE_CLAHE ? 8 : 1;
  const guint width = GST_VIDEO_INFO_WIDTH (&self->layout.info);
  const guint height = GST_VIDEO_INFO_HEIGHT (&self->layout.info);
  guint i;

  self->job = (VhEqualizeJob) {
    .curve = {
      .method = method,
      .depth = depth,
      .bins = 1u << (depth - shift),
      .low = 16u << (depth - 8) >> shift,
      .high = 235u << (depth - 8) >> shift,
      .columns = MIN (tiles, width),
      .rows = MIN (tiles, height),
      .share = VH_SHARE_ONE / 4,
      .scene_threshold = VH_SHARE_ONE / 10,
      .strength = VH_SHARE_ONE,
      .low_percentile = 1 << 24,
      .high_percentile = 0xffffffffu - (1 << 24),
      .max_gain = 4 * VH_LEVEL_ONE,
      .target = VH_SHARE_ONE / 2,
      .clip_limit = 3,
    },
    .color = VH_COLOR_SCALE,
    .region = {0, 0, width, height},
    .reference = &self->reference,
    .black = 16 << (depth - 8),
    .white = 235 << (depth - 8),
    .chroma_limit = 112 << (depth - 8),
  };
  for (i = 0; i < self->job.curve.bins; i++)
    self->reference.sums[i] = self->reference.n += i % 7;
  self->shape = (VhCountsShape) {
    .channels = 1u << VH_CHANNEL_LUMA,
    .bins = self->job.curve.bins,
    .columns = self->job.curve.columns,
    .rows = self->job.curve.rows,
  };
}

/* The addresses of frame @k, which is read or written. */
static VhCudaPlanes
planes_at (const Correct * self, const VhFrameView * view, guint k)
{
  VhCudaPlanes planes = {.view = view };
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    planes.data[p] = self->frames + k * self->size + view->plane[p].offset;
    planes.stride[p] = view->plane[p].stride;
  }
  return planes;
}

static gboolean
count (Correct * self, guint k)
{
  const VhCudaPlanes planes = planes_at (self, &self->in_view, k);
  BenchGpu *gpu = self->gpu;
  VhKernelParams params = self->params;
  VhCudaLaunch launch;

  vh_cuda_params_set_frame (&params, &planes, &planes.view->picture);
  params.accumulators = self->accumulators;
  params.ticket = self->accumulators +
      vh_cuda_accumulator_size (vh_cuda_max_results (&params));
  params.device_counts = self->counts;
  params.sequence = 1;
  launch = vh_cuda_choose_launch (gpu->device, &self->layout,
      VH_METHOD_AUTO, &params, NULL);
  /* As in the element, nothing earlier on the stream writes the frame. */
  launch.complete = TRUE;
  return bench_gpu_check (gpu, vh_cuda_device_load (gpu->device,
          launch.kernel), "loading a kernel")
      && bench_gpu_check (gpu, vh_cuda_launch (gpu->device, &launch, &params,
          gpu->stream), "launching a kernel");
}

static gboolean
enqueue (gpointer data, guint k)
{
  Correct *self = data;
  BenchGpu *gpu = self->gpu;
  const guint from = k % self->n_frames, to = self->n_frames + from;
  const VhCudaPlanes in = planes_at (self, &self->in_view, from);
  const VhCudaPlanes out = planes_at (self, &self->out_view, to);

  if (self->part == PART_COPY) {
    return bench_gpu_check (gpu, gpu->MemcpyDtoDAsync (self->frames + to *
            self->size, self->frames + from * self->size, self->size,
            gpu->stream), "copying a frame");
  }
  if (self->part != PART_CORRECT && !count (self, from))
    return FALSE;
  return self->part == PART_COUNT || bench_gpu_check (gpu,
      vh_cuda_curves_enqueue (self->curves, &self->params, &in, &out,
          self->counts, &self->job, gpu->stream), "correcting a frame");
}

/* Counts frame @in and corrects it into @out. */
static gboolean
work_on_cpu (Correct * self, VhDevice * cpu, VhFrame * in, VhFrame * out)
{
  const VhCountSpec spec = {.shape = self->shape };
  VhCounter *counter = cpu->klass->new_counter (cpu);
  VhCorrector *corrector = cpu->klass->new_corrector (cpu);
  VhCounts *counts = vh_counts_new (&spec.shape);
  const gboolean done =
      counter->klass->configure (counter, &self->layout, &spec, NULL)
      && corrector->klass->configure (corrector, &self->layout,
      &self->job.curve, NULL)
      && counter->klass->submit (counter, in, &in->view->picture, counts, NULL)
      && corrector->klass->submit (corrector, in, out, counts, &self->job,
      NULL);

  vh_counts_unref (counts);
  corrector->klass->close (corrector);
  counter->klass->close (counter);
  return done;
}

/* Corrects the frame on the CPU. */
static gboolean
correct_on_cpu (Correct * self)
{
  const VhDeviceConfig config = {.cuda_device_id = -1 };
  VhDevice *cpu = vh_cpu_device_class.open (&config, NULL);
  VhFrame *in = cpu->klass->begin (cpu, &self->in_view, VH_FRAME_READ, FALSE,
      NULL);
  VhFrame *out = cpu->klass->begin (cpu, &self->out_view, VH_FRAME_WRITE,
      FALSE, NULL);
  const gboolean done = in && out && work_on_cpu (self, cpu, in, out);

  if (out)
    cpu->klass->end (cpu, out, NULL);
  if (in)
    cpu->klass->end (cpu, in, NULL);
  cpu->klass->close (cpu);
  return done;
}

/* Corrects the first frame on both devices, and compares the results. */
static gboolean
check (Correct * self)
{
  BenchGpu *gpu = self->gpu;
  guint8 *bytes = g_malloc (self->size);
  gboolean done;

  self->job.reset = TRUE;
  self->part = PART_ALL;
  done = correct_on_cpu (self) && enqueue (self, 0) && bench_gpu_wait (gpu)
      && bench_gpu_check (gpu, gpu->MemcpyDtoH (bytes, self->frames +
          self->n_frames * self->size, self->size), "downloading a frame");
  self->job.reset = FALSE;
  if (!done)
    self->problem = gpu->failure ? gpu->failure : "the CPU cannot";
  else if (gst_buffer_memcmp (self->out, 0, bytes, self->size) != 0)
    self->problem = "WRONG";
  g_free (bytes);
  return self->problem == NULL;
}

static gboolean
measure (Correct * self, Part part, guint repeats)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  BenchTime time;
  BenchReplay replay;
  gdouble us;
  guint i;

  self->part = part;
  bench_replay_init (&replay, self->gpu, enqueue, self, 1);
  us = bench_replay_time (&replay, self->gpu);
  bench_replay_free (&replay, self->gpu);
  bench_replay_init (&replay, self->gpu, enqueue, self,
      us > SLOW ? 1 : MAX (RUNS, self->n_frames));
  bench_replay_time (&replay, self->gpu);
  for (i = 0; i < repeats; i++) {
    us = bench_replay_time (&replay, self->gpu);
    g_array_append_val (values, us);
  }
  bench_replay_free (&replay, self->gpu);
  bench_time_set (&time, values, replay.n);
  self->median[part] = time.median;
  g_array_unref (values);
  return self->gpu->failure == NULL;
}

/* Allocates frames, results and curves on the GPU. */
static gboolean
upload (Correct * self)
{
  BenchGpu *gpu = self->gpu;
  const gsize results = vh_cuda_max_results (&self->params);
  const gsize accumulators = vh_cuda_accumulator_size (results) + 256;
  CUresult result;
  gboolean done;
  GstMapInfo map;
  guint i;

  self->accumulators = bench_gpu_alloc (gpu, accumulators);
  self->counts = bench_gpu_alloc (gpu, results * sizeof (guint32));
  self->frames = bench_gpu_alloc (gpu, 2 * self->n_frames * self->size);
  self->curves = vh_cuda_curves_new (gpu->own, &self->job.curve, &result);
  if (!self->accumulators || !self->counts || !self->frames || !self->curves) {
    self->problem = "not enough memory on the GPU";
    return FALSE;
  }
  gst_buffer_map (self->in, &map, GST_MAP_READ);
  done = bench_gpu_check (gpu, gpu->driver->MemsetD8Async (self->accumulators,
          0, accumulators, gpu->stream), "clearing memory")
      && bench_gpu_check (gpu, gpu->driver->MemsetD8Async (self->frames, 0,
          2 * self->n_frames * self->size, gpu->stream), "clearing memory")
      && bench_gpu_wait (gpu);
  for (i = 0; i < self->n_frames && done; i++) {
    done = bench_gpu_upload (gpu, self->frames + i * self->size, map.data,
        self->size, "uploading a frame");
  }
  gst_buffer_unmap (self->in, &map);
  return done;
}

static void
correct_init (Correct * self, BenchGpu * gpu, const BenchSize * size,
    const gchar * format, guint method)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      format, "width", G_TYPE_INT, (gint) size->width, "height", G_TYPE_INT,
      (gint) size->height, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  guint planes;

  memset (self, 0, sizeof (*self));
  self->gpu = gpu;
  vh_layout_from_caps (&self->layout, caps, NULL);
  gst_caps_unref (caps);
  self->size = GST_VIDEO_INFO_SIZE (&self->layout.info);
  self->in = gst_buffer_new_allocate (NULL, self->size, NULL);
  self->out = gst_buffer_new_allocate (NULL, self->size, NULL);
  fill (self->in, &self->layout);
  gst_buffer_memset (self->out, 0, 0, self->size);
  planes = (1u << GST_VIDEO_INFO_N_PLANES (&self->layout.info)) - 1;
  vh_frame_view_init (&self->in_view, &self->layout, self->in, planes, NULL);
  vh_frame_view_init (&self->out_view, &self->layout, self->out, planes, NULL);
  init_job (self, method);
  vh_cuda_params_init (&self->params, &self->layout, &self->shape);
  /* Enough frames that each has left the cache when it is used again. */
  self->n_frames = CLAMP (gpu->l2_bytes / self->size + 1, 2, MAX_FRAMES);
}

/* The memory of a lost GPU cannot be freed. */
static void
correct_clear (Correct * self)
{
  BenchGpu *gpu = self->gpu;

  if (self->curves && bench_gpu_wait (gpu)) {
    vh_cuda_curves_free (self->curves, NULL);
    /* Without memory pools, memory is freed only once the watcher sees that it
     * is unused. */
    bench_gpu_wait (gpu);
    vh_cuda_watcher_look ();
  }
  bench_gpu_release (gpu, self->frames);
  bench_gpu_release (gpu, self->accumulators);
  bench_gpu_release (gpu, self->counts);
  gst_buffer_unref (self->in);
  gst_buffer_unref (self->out);
}

static void
add_json (JsonBuilder * json, const BenchSize * size, guint i,
    const Correct * correct)
{
  guint part;

  json_builder_begin_object (json);
  bench_json_string (json, "size", size->name);
  bench_json_string (json, "format", cases[i].format);
  bench_json_string (json, "method", cases[i].name);
  bench_json_string (json, "result",
      correct->problem ? correct->problem : "exact");
  for (part = 0; part < N_PARTS && !correct->problem; part++) {
    gchar *name = g_strconcat (part_names[part], "-us-median", NULL);

    bench_json_number (json, name, correct->median[part]);
    g_free (name);
  }
  json_builder_end_object (json);
}

static void
print_row (const BenchSize * size, guint i, const Correct * correct)
{
  const gdouble *median = correct->median;

  g_print ("%-10s %-10s %-10s", size->name, cases[i].format, cases[i].name);
  if (correct->problem) {
    g_print (" %s\n", correct->problem);
  } else {
    g_print (" %8.2f %8.2f %8.2f %8.2f %8.2f  exact\n", median[PART_COPY],
        median[PART_COUNT], median[PART_CORRECT], median[PART_ALL],
        median[PART_ALL] / median[PART_COPY]);
  }
}

gboolean
bench_correct_report (BenchGpu * gpu, const GArray * sizes, guint repeats,
    const gchar * json, GError ** error)
{
  JsonBuilder *builder = json_builder_new ();
  gboolean right = TRUE;
  guint s, i, part;

  g_print ("%s: microseconds, medians of %u\n%-10s %-10s %-10s %8s %8s %8s %8s "
      "%8s\n", gpu->name, repeats, "size", "format", "method", "copy", "count",
      "correct", "all", "all/copy");
  json_builder_begin_object (builder);
  bench_json_string (builder, "gpu", gpu->name);
  json_builder_set_member_name (builder, "equalize");
  json_builder_begin_array (builder);
  for (s = 0; s < sizes->len; s++) {
    const BenchSize *size = &g_array_index (sizes, BenchSize, s);

    for (i = 0; i < G_N_ELEMENTS (cases) && size->bytes == 0; i++) {
      Correct correct;

      correct_init (&correct, gpu, size, cases[i].format, cases[i].method);
      if (upload (&correct) && check (&correct)) {
        for (part = 0; part < N_PARTS && measure (&correct, part, repeats);)
          part++;
      }
      if (gpu->failure)
        correct.problem = gpu->failure;
      right &= correct.problem == NULL;
      print_row (size, i, &correct);
      add_json (builder, size, i, &correct);
      correct_clear (&correct);
    }
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  right &= !json || bench_json_save (builder, json, error);
  g_object_unref (builder);
  return right;
}
