/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the cost of counting and drawing scopes on the CPU, on one thread:
 * the median per frame over a few frames read from a file.
 *
 *   bench-scope FILE FORMAT WIDTH HEIGHT FRAMES SCOPES
 *
 * SCOPES is a list of waveform, vectorscope and histogram, joined by +. They
 * are drawn into a frame of their own, with the sizes that ffmpeg uses: 256
 * levels per column, 256x256, and a histogram of 200 rows per component. */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/channels.h"
#include "core/joint.h"
#include "cpu/cpudevice.h"

#define FRAMES 8
#define ROWS 200                /* height of a histogram */
#define BINS 256

static VhLayout in, out;
static VhScopePlan *plan;
static GstBuffer *frames[FRAMES], *drawn;

static void
check (gboolean ok, GError * error)
{
  if (!ok) {
    g_printerr ("bench-scope: %s\n", error ? error->message : "failed");
    exit (1);
  }
}

static void
read_layout (VhLayout * layout, const gchar * format, guint width,
    guint height)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      format, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height,
      "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  GError *error = NULL;

  check (vh_layout_from_caps (layout, caps, &error), error);
  gst_caps_unref (caps);
}

static void
read_frames (const gchar * path)
{
  FILE *file = fopen (path, "rb");
  guint i;

  check (file != NULL, NULL);
  for (i = 0; i < FRAMES; i++) {
    GstMapInfo map;

    frames[i] = gst_buffer_new_allocate (NULL, in.info.size, NULL);
    gst_buffer_map (frames[i], &map, GST_MAP_WRITE);
    check (fread (map.data, map.size, 1, file) == 1, NULL);
    gst_buffer_unmap (frames[i], &map);
  }
  fclose (file);
}

/* Adds a panel with a trace: below the others if it is as wide as the picture,
 * otherwise to their right. */
static void
add_trace (guint kind, guint value, guint columns, guint levels, guint height,
    guint * x, guint * y)
{
  VhScopePanel *panel = &plan->panel[plan->n_panels];
  guint i;

  plan->trace[plan->n_traces] = (VhScopeTrace) {
    .kind = kind,
    .value = value,
    .columns = columns,
    .levels = levels,
    .x = *x,
    .y = *y,
    .width = columns,
    .height = height,
    .panel = plan->n_panels,
    .color = {255, 255, 255},
  };
  *panel = (VhScopePanel) {
    .x = *x,
    .y = *y,
    .width = columns,
    .height = height,
    .opacity = 255,
    .graticule = plan->n_graticules,
  };
  for (i = 1; i < VH_SCOPE_STEPS; i++)
    plan->brightness[plan->n_traces][i] = MIN (i / 4 + 20, 255);
  plan->n_graticules += (gsize) columns * height;
  plan->n_traces++;
  plan->n_panels++;
  if (kind == VH_TRACE_WAVEFORM)
    *y += height;
  else
    *x += columns;
}

static void
make_plan (const gchar * format, gchar ** scopes)
{
  const gchar *const *names = (const gchar * const *) scopes;
  guint x = 0, y = 0, width = 0, height = 0, i;

  plan = vh_scope_plan_new ();
  if (g_strv_contains (names, "waveform"))
    add_trace (VH_TRACE_WAVEFORM, VH_SCOPE_LUMA,
        GST_VIDEO_INFO_WIDTH (&in.info), BINS, BINS, &x, &y);
  if (g_strv_contains (names, "vectorscope"))
    add_trace (VH_TRACE_CHROMA, 0, VH_SCOPE_CHROMA_BINS, VH_SCOPE_CHROMA_BINS,
        VH_SCOPE_CHROMA_BINS, &x, &y);
  for (i = 0; i < 3 && g_strv_contains (names, "histogram"); i++)
    add_trace (VH_TRACE_HISTOGRAM, i > 0 ? VH_SCOPE_U + i - 1 : VH_SCOPE_LUMA,
        BINS, 1, ROWS, &x, &y);
  for (i = 0; i < plan->n_panels; i++) {
    width = MAX (width, plan->panel[i].x + plan->panel[i].width);
    height = MAX (height, plan->panel[i].y + plan->panel[i].height);
  }
  plan->graticules = g_new0 (guint32, plan->n_graticules);
  read_layout (&out, format, width, height);
  vh_scope_colors_init (&plan->colors, &out);
}

/* Whether a trace needs the joint histogram of U and V; otherwise luma is
 * enough. */
static gboolean
needs (gboolean chroma)
{
  guint i;

  for (i = 0; i < plan->n_traces; i++) {
    const VhScopeTrace *trace = &plan->trace[i];
    const gboolean of_chroma = trace->kind == VH_TRACE_CHROMA
        || trace->value >= VH_SCOPE_U;

    if (of_chroma == chroma && trace->kind != VH_TRACE_WAVEFORM)
      return TRUE;
  }
  return FALSE;
}

static VhCounts *
new_counts (guint bins)
{
  const VhCountsShape shape = { 1u << VH_CHANNEL_LUMA, bins, 1, 1 };

  return vh_counts_new (&shape);
}

typedef struct
{
  VhDevice *device;
  VhCounter *counter;
  VhJointCounter *joint;
  VhScope *scope;
} Bench;

static void
bench_init (Bench * bench)
{
  const VhDeviceConfig config = {.cuda_device_id = -1 };
  const VhCountSpec spec = {
    .shape = {1u << VH_CHANNEL_LUMA, BINS, 1, 1},
  };
  GError *error = NULL;

  bench->device = vh_cpu_device_class.open (&config, &error);
  check (bench->device != NULL, error);
  bench->counter = bench->device->klass->new_counter (bench->device);
  bench->joint = bench->device->klass->new_joint_counter (bench->device);
  bench->scope = bench->device->klass->new_scope (bench->device);
  check (bench->counter->klass->configure (bench->counter, &in, &spec, &error)
      && bench->joint->klass->configure (bench->joint, &in, BINS, 0, &error)
      && bench->scope->klass->configure (bench->scope, &in, &out, plan, &error),
      error);
}

static VhFrame *
begin (Bench * bench, VhFrameView * view, const VhLayout * layout,
    GstBuffer * buffer, VhFrameAccess access)
{
  const guint planes = (1u << GST_VIDEO_INFO_N_PLANES (&layout->info)) - 1;
  GError *error = NULL;
  VhFrame *frame;

  check (vh_frame_view_init (view, layout, buffer, planes, &error), error);
  frame = bench->device->klass->begin (bench->device, view, access, FALSE,
      &error);
  check (frame != NULL, error);
  return frame;
}

/* Does all the work of a frame. */
static void
draw (Bench * bench, guint i)
{
  const gboolean with_luma = needs (FALSE), with_chroma = needs (TRUE);
  VhScopeJob job = { NULL, };
  VhFrameView in_view, out_view;
  GError *error = NULL;
  VhFrame *from, *to;

  from = begin (bench, &in_view, &in, frames[i], VH_FRAME_READ);
  to = begin (bench, &out_view, &out, drawn, VH_FRAME_WRITE);
  if (with_luma) {
    job.histogram = new_counts (BINS);
    check (bench->counter->klass->submit (bench->counter, from,
            &in_view.picture, job.histogram, &error), error);
  }
  if (with_chroma) {
    VhJoint work = {.bins = BINS,.chroma = TRUE };

    work.counts = job.chroma = new_counts (BINS * BINS);
    check (bench->joint->klass->submit (bench->joint, from, &in_view.picture,
            &work, &error), error);
  }
  check (bench->scope->klass->submit (bench->scope, from, to, &job, &error),
      error);
  bench->device->klass->end (bench->device, to, NULL);
  bench->device->klass->end (bench->device, from, NULL);
  g_clear_pointer (&job.histogram, vh_counts_unref);
  g_clear_pointer (&job.chroma, vh_counts_unref);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

int
main (int argc, char **argv)
{
  Bench bench;
  gchar **scopes;
  gint64 *ns;
  guint n, i;

  gst_init (NULL, NULL);
  if (argc != 7) {
    g_printerr ("usage: bench-scope FILE FORMAT WIDTH HEIGHT FRAMES SCOPES\n");
    return 1;
  }
  n = MAX (atoi (argv[5]), 1);
  scopes = g_strsplit (argv[6], "+", -1);
  read_layout (&in, argv[2], atoi (argv[3]), atoi (argv[4]));
  read_frames (argv[1]);
  make_plan (argv[2], scopes);
  drawn = gst_buffer_new_allocate (NULL, out.info.size, NULL);
  bench_init (&bench);

  ns = g_new (gint64, n);
  for (i = 0; i < FRAMES; i++)
    draw (&bench, i);
  for (i = 0; i < n; i++) {
    const GstClockTime start = gst_util_get_timestamp ();

    draw (&bench, i % FRAMES);
    ns[i] = gst_util_get_timestamp () - start;
  }
  qsort (ns, n, sizeof (*ns), compare);
  g_print ("%.1f\n", ns[n / 2] / 1000.0);

  bench.scope->klass->close (bench.scope);
  bench.joint->klass->close (bench.joint);
  bench.counter->klass->close (bench.counter);
  bench.device->klass->close (bench.device);
  for (i = 0; i < FRAMES; i++)
    gst_buffer_unref (frames[i]);
  gst_buffer_unref (drawn);
  vh_scope_plan_unref (plan);
  g_strfreev (scopes);
  g_free (ns);
  return 0;
}
