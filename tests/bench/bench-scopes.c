/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the cost of a frame with scopes: GPU or CPU time per part, and the
 * time of the streaming thread. Four panels lie over the picture: a histogram
 * and a waveform of luma, a parade of red, green and blue, and a vectorscope.
 *
 *   bench-scopes [cpu|cuda [WIDTHxHEIGHT [FORMAT [gradient|noise|flat
 *     [PERSISTENCE]]]]]
 *
 * PERSISTENCE is the share of a count that is kept for the next frame, 0 to 1,
 * by default 0. Frames for a GPU are in CUDA memory and drawn on in place. GPU
 * time is measured between two events on a stream, after everything on it has
 * been enqueued. 8-bit histograms are counted on another stream, so GPU times
 * leave them out. The thread's time includes GPU time if GStreamer's CUDA
 * memories have no stream. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/check/gstharness.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/channels.h"
#include "cpu/cpudevice.h"
#ifdef HAVE_CUDA
#include <gmodule.h>
#include "cuda/cudadevice.h"
#include "cuda/session.h"
#endif

#define FRAMES 8
#define TURNS 60
#define N_PARTS 3
#define DELAY_BYTES (8 << 20)
#define DELAYS 64               /* memory sets to delay the GPU by */

/* Parts that are drawn, or only counted. */
typedef enum
{
  CASE_HISTOGRAM,
  CASE_WAVEFORM,
  CASE_PARADE,
  CASE_VECTORSCOPE,
  CASE_COUNTED,
  CASE_ALL,
  N_CASES
} Case;

static const gchar *const names[N_CASES] = {
  "histogram", "waveform", "parade", "vectorscope", "all, not drawn", "all"
};

static VhLayout layout;
static GstBuffer *frames[FRAMES];
static gfloat decay;
static gboolean on_gpu;

static VhDevice *device;
static VhCounter *counter;
static VhJointCounter *joint;
static VhScope *scope;

static gdouble part_us[N_PARTS + 1][TURNS];     /* and all together */
static gdouble enqueue_us[TURNS], thread_us[TURNS];

static void
check (gboolean ok, GError ** error)
{
  if (!ok) {
    g_printerr ("bench-scopes: %s\n", error && *error ? (*error)->message :
        "failed");
    exit (1);
  }
}

/* Clocks: the GPU's if the work runs there, otherwise the host's. */

#ifdef HAVE_CUDA
static struct
{
  CUresult (*create) (CUevent *, unsigned int);
  CUresult (*record) (CUevent, CUstream);
  CUresult (*synchronize) (CUevent);
  CUresult (*elapsed) (float *, CUevent, CUevent);
  CUresult (*allocate) (CUdeviceptr *, size_t);
  CUresult (*set) (CUdeviceptr, unsigned char, size_t, CUstream);
} driver;
static CUevent events[N_PARTS + 1];
static CUdeviceptr delay;

static void
find (GModule * module, const gchar * name, gpointer function)
{
  if (!g_module_symbol (module, name, function))
    g_error ("no %s", name);
}

static void
open_gpu_clock (void)
{
  GModule *module = g_module_open ("libcuda.so.1", 0);
  GError *error = NULL;
  guint i;

  check (module != NULL, NULL);
  find (module, "cuEventCreate", &driver.create);
  find (module, "cuEventRecord", &driver.record);
  find (module, "cuEventSynchronize", &driver.synchronize);
  find (module, "cuEventElapsedTime", &driver.elapsed);
  find (module, "cuMemAlloc_v2", &driver.allocate);
  find (module, "cuMemsetD8Async", &driver.set);
  check (vh_cuda_session_enter ((VhCudaSession *) device, &error), &error);
  for (i = 0; i <= N_PARTS; i++)
    check (driver.create (&events[i], CU_EVENT_DEFAULT) == CUDA_SUCCESS, NULL);
  check (driver.allocate (&delay, DELAY_BYTES) == CUDA_SUCCESS, NULL);
  vh_cuda_session_leave ((VhCudaSession *) device);
}

static void
delay_gpu (void)
{
  VhCudaSession *session = (VhCudaSession *) device;
  guint i;

  check (vh_cuda_session_enter (session, NULL), NULL);
  for (i = 0; i < DELAYS; i++) {
    driver.set (delay, i, DELAY_BYTES, vh_cuda_session_stream
        (session)->handle);
  }
  vh_cuda_session_leave (session);
}
#endif

static gint64 host_times[N_PARTS + 1];

/* An event between two parts keeps their launches from overlapping, so some
 * rounds omit it. */
static void
mark (VhFrame * frame, guint part, gboolean parts)
{
  if (!parts && part > 0 && part < N_PARTS)
    return;
#ifdef HAVE_CUDA
  if (on_gpu) {
    if (delay)
      driver.record (events[part], vh_cuda_frame (frame)->stream);
    return;
  }
#else
  (void) frame;
#endif
  host_times[part] = g_get_monotonic_time ();
}

static gdouble
get_between (guint first, guint second)
{
#ifdef HAVE_CUDA
  gfloat ms = 0;

  if (on_gpu && delay) {
    check (vh_cuda_session_enter ((VhCudaSession *) device, NULL), NULL);
    driver.synchronize (events[second]);
    driver.elapsed (&ms, events[first], events[second]);
    vh_cuda_session_leave ((VhCudaSession *) device);
    return ms * 1e3;
  }
#endif
  return host_times[second] - host_times[first];
}

/* Frames */

static void
fill_row (guint8 * row, guint samples, guint bytes, gint shift, guint most,
    const gchar * content, guint32 * noise)
{
  guint x;

  for (x = 0; x < samples; x++) {
    guint value = most / 4 + (guint64) x * (most / 2) / samples;

    *noise = *noise * 1664525 + 1013904223;
    if (g_str_equal (content, "noise"))
      value = *noise >> 16 & most;
    else if (g_str_equal (content, "gradient"))
      value += (*noise >> 24) * most >> 13;
    else
      value = most / 2;
    if (bytes == 1)
      row[x] = value;
    else
      ((guint16 *) row)[x] = value << shift;
  }
}

static GstBuffer *
make_frame (const gchar * content, guint number)
{
  const guint bytes = layout.component[0].sample_bytes;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, layout.info.size, NULL);
  guint32 noise = number + 1;
  GstVideoFrame frame;
  gint p, y;

  check (gst_video_frame_map (&frame, &layout.info, buffer, GST_MAP_WRITE),
      NULL);
  for (p = 0; p < (gint) GST_VIDEO_FRAME_N_PLANES (&frame); p++) {
    guint8 *data = GST_VIDEO_FRAME_PLANE_DATA (&frame, p);
    const gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p);

    for (y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, p); y++) {
      fill_row (data + (gsize) y * stride, stride / bytes, bytes,
          layout.component[0].shift, (1u << layout.depth) - 1, content,
          &noise);
    }
  }
  gst_video_frame_unmap (&frame);
  return buffer;
}

static void
make_frames (const gchar * size, const gchar * format, const gchar * content)
{
  guint width = 3840, height = 2160, i;
  GstHarness *upload = NULL;
  GstCaps *caps;

  if (size)
    sscanf (size, "%ux%u", &width, &height);
  caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format,
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
      GST_TYPE_FRACTION, 60, 1, NULL);
  check (vh_layout_from_caps (&layout, caps, NULL), NULL);
  if (on_gpu) {
    upload = gst_harness_new ("cudaupload");
    gst_harness_set_src_caps (upload, gst_caps_copy (caps));
    gst_harness_set_sink_caps_str (upload, "video/x-raw(memory:CUDAMemory)");
  }
  for (i = 0; i < FRAMES; i++) {
    frames[i] = make_frame (content, i);
    if (upload)
      frames[i] = gst_harness_push_and_pull (upload, frames[i]);
  }
  gst_caps_unref (caps);
}

/* Plans */

static void
add_trace (VhScopePlan * plan, guint kind, guint value, guint x, guint width)
{
  VhScopePanel *panel = &plan->panel[plan->n_panels];
  VhScopeTrace *trace = &plan->trace[plan->n_traces++];

  *trace = (VhScopeTrace) {
    .kind = kind,
    .value = value,
    .columns = kind == VH_TRACE_WAVEFORM ? width :
        kind == VH_TRACE_CHROMA ? VH_SCOPE_CHROMA_BINS : 1u << layout.depth,
    .levels = kind == VH_TRACE_WAVEFORM ? 1u << layout.depth :
        kind == VH_TRACE_CHROMA ? VH_SCOPE_CHROMA_BINS : 1,
    .x = panel->x + x,
    .y = panel->y,
    .width = width,
    .height = panel->height,
    .panel = plan->n_panels,
    .color = {200, 200, 200},
  };
}

static void
add_panel (VhScopePlan * plan, Case which)
{
  const guint width = GST_VIDEO_INFO_WIDTH (&layout.info);
  const guint height = GST_VIDEO_INFO_HEIGHT (&layout.info);
  VhScopePanel *panel = &plan->panel[plan->n_panels];
  guint i;

  *panel = (VhScopePanel) {
    .x = width / 4 * plan->n_panels / 4 * 4,
    .y = height * 3 / 4 / 4 * 4,
    .width = width / 16 * 4,
    .height = height / 16 * 4,
    .opacity = 160,
    .graticule = plan->n_graticules,
  };
  plan->n_graticules += panel->width * panel->height;
  if (which == CASE_HISTOGRAM)
    add_trace (plan, VH_TRACE_HISTOGRAM, VH_SCOPE_LUMA, 0, panel->width);
  else if (which == CASE_WAVEFORM)
    add_trace (plan, VH_TRACE_WAVEFORM, VH_SCOPE_LUMA, 0, panel->width);
  else if (which == CASE_VECTORSCOPE)
    add_trace (plan, VH_TRACE_CHROMA, 0, 0, panel->height);
  for (i = 0; i < 3 && which == CASE_PARADE; i++) {
    add_trace (plan, VH_TRACE_WAVEFORM, VH_SCOPE_RED + i,
        panel->width / 3 * i, panel->width / 3);
  }
  plan->n_panels++;
}

static VhScopePlan *
make_plan (Case which)
{
  VhScopePlan *plan = vh_scope_plan_new ();
  guint i, step;

  vh_scope_colors_init (&plan->colors, &layout);
  plan->shows_picture = TRUE;
  for (i = CASE_HISTOGRAM; i <= CASE_VECTORSCOPE; i++) {
    if (which == i || which >= CASE_COUNTED)
      add_panel (plan, i);
  }
  plan->graticules = g_new0 (guint32, plan->n_graticules);
  for (i = 0; i < plan->n_graticules; i += 50)
    plan->graticules[i] = 0x80404040;
  for (i = 0; i < plan->n_traces; i++) {
    for (step = 1; step < VH_SCOPE_STEPS; step++)
      plan->brightness[i][step] = MIN (80 + step / 2, 255);
  }
  if (which == CASE_COUNTED)
    plan->n_panels = 0;
  return plan;
}

/* Rounds */

static VhCounts *
new_counts (guint bins)
{
  const VhCountsShape shape = { 1u << VH_CHANNEL_LUMA, bins, 1, 1 };

  return vh_counts_new (&shape);
}

static void
take_frame (Case which, guint turn, gboolean parts)
{
  const gboolean histogram = which == CASE_HISTOGRAM || which >= CASE_COUNTED;
  const gboolean chroma = which >= CASE_VECTORSCOPE;
  VhJoint work = {
    .bins = VH_SCOPE_CHROMA_BINS,
    .chroma = TRUE,
    .for_device = TRUE,
  };
  VhScopeJob job = {.decay = decay };
  GError *error = NULL;
  gint64 begin, enqueued;
  VhFrameView view;
  VhFrame *frame;
  guint i;

  check (vh_frame_view_init (&view, &layout, frames[turn % FRAMES],
          (1u << GST_VIDEO_INFO_N_PLANES (&layout.info)) - 1, &error), &error);
#ifdef HAVE_CUDA
  if (delay)
    delay_gpu ();
#endif
  begin = g_get_monotonic_time ();
  frame = device->klass->begin (device, &view, VH_FRAME_WRITE, TRUE, &error);
  check (frame != NULL, &error);
  mark (frame, 0, parts);
  if (histogram) {
    job.histogram = new_counts (1u << layout.depth);
    check (counter->klass->submit (counter, frame, &view.picture,
            job.histogram, &error), &error);
  }
  mark (frame, 1, parts);
  if (chroma) {
    work.counts = job.chroma = new_counts (VH_SCOPE_CHROMA_BINS *
        VH_SCOPE_CHROMA_BINS);
    check (joint->klass->submit (joint, frame, &view.picture, &work, &error),
        &error);
  }
  mark (frame, 2, parts);
  check (scope->klass->submit (scope, frame, frame, &job, &error), &error);
  mark (frame, 3, parts);
  enqueued = g_get_monotonic_time ();
  check (device->klass->end (device, frame, &error), &error);
  thread_us[turn] = g_get_monotonic_time () - begin;
  enqueue_us[turn] = enqueued - begin;
  for (i = 0; i < N_PARTS && parts; i++)
    part_us[i][turn] = get_between (i, i + 1);
  if (!parts)
    part_us[N_PARTS][turn] = get_between (0, N_PARTS);
  g_clear_pointer (&job.histogram, vh_counts_unref);
  g_clear_pointer (&job.chroma, vh_counts_unref);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

static gdouble
median (gdouble us[TURNS])
{
  qsort (us, TURNS, sizeof (*us), compare);
  return us[TURNS / 2];
}

static void
configure (VhScopePlan * plan)
{
  const VhCountSpec spec = {
    .shape = {1u << VH_CHANNEL_LUMA, 1u << layout.depth, 1, 1},
  };
  GError *error = NULL;

  check (device->klass->configure (device, &layout, 0, &error), &error);
  check (counter->klass->configure (counter, &layout, &spec, &error), &error);
  check (joint->klass->configure (joint, &layout, VH_SCOPE_CHROMA_BINS, 0,
          &error), &error);
  check (scope->klass->configure (scope, &layout, &layout, plan, &error),
      &error);
}

static void
open_device (void)
{
  const VhDeviceConfig config = {.cuda_device_id = -1 };
  const VhDeviceClass *klass = &vh_cpu_device_class;
  GError *error = NULL;

#ifdef HAVE_CUDA
  if (on_gpu)
    klass = &vh_cuda_device_class;
#endif
  device = klass->open (&config, &error);
  check (device != NULL, &error);
  counter = klass->new_counter (device);
  joint = klass->new_joint_counter (device);
  scope = klass->new_scope (device);
}

int
main (int argc, char **argv)
{
  guint which, turn, i;

  gst_init (NULL, NULL);
  on_gpu = argc > 1 && g_str_equal (argv[1], "cuda");
  make_frames (argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : "P010_10LE",
      argc > 4 ? argv[4] : "gradient");
  decay = argc > 5 ? g_ascii_strtod (argv[5], NULL) : 0;
  open_device ();
  g_print ("%-16s %10s %8s %8s %8s   %9s %9s\n", "us of a frame", "histogram",
      "u and v", "scopes", "in all", "enqueued", "thread");
  for (which = 0; which < N_CASES; which++) {
    VhScopePlan *plan = make_plan (which);

    configure (plan);
    take_frame (which, 0, TRUE);
#ifdef HAVE_CUDA
    /* The plan is now in the context of the frames. */
    if (on_gpu && !delay)
      open_gpu_clock ();
#endif
    for (turn = 0; turn < TURNS; turn++) {
      take_frame (which, turn, TRUE);
      take_frame (which, turn, FALSE);
    }
    g_print ("%-16s", names[which]);
    for (i = 0; i <= N_PARTS; i++)
      g_print (" %*.1f", i == 0 ? 10 : 8, median (part_us[i]));
    g_print ("   %9.1f %9.1f\n", median (enqueue_us), median (thread_us));
    vh_scope_plan_unref (plan);
  }
  scope->klass->close (scope);
  joint->klass->close (joint);
  counter->klass->close (counter);
  device->klass->close (device);
  return 0;
}
