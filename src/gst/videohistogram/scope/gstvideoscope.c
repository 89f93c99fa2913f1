/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstVideoScope:
 *
 * Draws histograms, waveforms and vectorscopes of frames.
 *
 * A scope draws as the element `videoscope` does. Use it in programs that have
 * frames but no pipeline:
 *
 * |[<!-- language="C" -->
 * scope = gst_video_scope_new ();
 * gst_video_scope_settings_init (&settings);
 * settings.scopes = GST_VIDEO_SCOPES_WAVEFORM;
 * if (!gst_video_scope_open (scope, -1, NULL, &error)
 *     || !gst_video_scope_set_settings (scope, &settings, &error)
 *     || !gst_video_scope_configure (scope, caps, caps, &error)
 *     || !gst_video_scope_process (scope, buffer, buffer, &error))
 *   ...
 * ]|
 *
 * Every pixel is counted, at the depth of the format. Pass the frames of one
 * stream in their order: with persistence and peaks, the drawing of a frame
 * depends on the frames before it. The CPU draws on frames in system memory,
 * the GPU on frames in CUDA memory, where they are. Both give the same bytes.
 *
 * A scope is used by one thread at a time, except for the functions whose
 * description says that they may be called from any thread.
 *
 * Since: 0.2
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gst/videohistogram/gstvideoscope.h"
#include "gst/videohistogram/engine/counting.h"
#include "gst/videohistogram/engine/enginechoice.h"
#include "gst/videohistogram/engine/framepair.h"
#include "gst/videohistogram/histogram/gstvideohistogrammeta-private.h"
#include "scopeplan.h"
#include "gst/videohistogram/histogram/initialized.h"
#include "gst/videohistogram/histogram/settingscheck.h"
#include "core/channels.h"
#include "core/error.h"
#include "core/log.h"
#include "devices/devices.h"

#include <math.h>

/* Caps may promise any size: above this many pixels, nothing is allocated
 * before the first frame. */
#define MAX_PREPARED_PIXELS (1 << 26)

/* What to count for the traces of a plan, besides waveforms. */
typedef struct
{
  guint channels;               /* of histograms, a bit each */
  guint bins;                   /* of these */
  gboolean chroma;              /* U and V together */
} Needs;

/* The operations that draw on one device. */
typedef struct
{
  VhCounting counting;          /* has no device until it is needed */
  VhScope *scope;               /* NULL until it is needed */
  gboolean scope_ready;         /* for the current plan */
  gboolean reset;               /* the next frame is the first of a stream */
  VhCounts *chroma;             /* zeroed, for the next frame, or NULL */
} Bench;

struct _GstVideoScope
{
  GObject parent;

  gboolean open;
  GstElement *element;          /* it was opened for, or NULL */
  VhDevices *devices;
  VhChoice choice;
  Bench bench[VH_N_DEVICES];

  gboolean configured;
  VhLayout in, out;
  guint planes;                 /* all, a bit each */
  GstClockTime last_time;       /* PTS of the last frame, or NONE */

  VhScopePlan *plan;            /* or NULL */
  Needs needs;                  /* of the plan */
  guint planned_id;             /* wishes_id the plan was made from */
  guint width, height;          /* of the pictures the plan is for */
  GstClockTime persistence;     /* as planned */
  VhScopeSketch *sketch;

  GMutex lock;
  /* protected by lock */
  VhScopeWishes wishes;
  guint wishes_id;              /* changes whenever wishes change */
  gboolean reset;
};

G_DEFINE_TYPE (GstVideoScope, gst_video_scope, G_TYPE_OBJECT);

static void
gst_video_scope_finalize (GObject * object)
{
  GstVideoScope *scope = GST_VIDEO_SCOPE (object);

  gst_video_scope_close (scope);
  vh_devices_free (scope->devices);
  vh_choice_clear (&scope->choice);
  vh_scope_sketch_free (scope->sketch);
  g_mutex_clear (&scope->lock);
  G_OBJECT_CLASS (gst_video_scope_parent_class)->finalize (object);
}

static void
gst_video_scope_class_init (GstVideoScopeClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_video_scope_finalize;
}

static void
gst_video_scope_init (GstVideoScope * scope)
{
  g_mutex_init (&scope->lock);
  scope->devices = vh_devices_new ();
  vh_choice_init (&scope->choice);
  scope->sketch = vh_scope_sketch_new ();
  gst_video_scope_settings_init (&scope->wishes.settings);
}

/**
 * gst_video_scope_new:
 *
 * Creates a scope. Open and configure it before you process frames: see
 * gst_video_scope_open() and gst_video_scope_configure(). May be called from
 * any thread.
 *
 * Returns: (transfer full): a new #GstVideoScope, closed
 *
 * Since: 0.2
 */
GstVideoScope *
gst_video_scope_new (void)
{
  vh_return_val_unless_initialized (NULL, NULL);

  return g_object_new (GST_TYPE_VIDEO_SCOPE, NULL);
}

/**
 * gst_video_scope_open:
 * @scope: a #GstVideoScope
 * @cuda_device_id: the CUDA device for frames that are not on one yet, or -1
 *     for any
 * @element: (nullable): the element that draws, to share the CUDA context of
 *     its neighbours; it must live until @scope is closed
 * @error: return location for a #GError, or %NULL
 *
 * Opens the scope. If @cuda_device_id is -1, no GPU is used until there are
 * caps or frames of CUDA memory; any other device is opened at once. If the
 * scope is already open, it is closed first.
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_BACKEND if the device cannot be used,
 * and %GST_VIDEO_HISTOGRAM_ERROR_SPEC if @cuda_device_id is below -1. After an
 * error the scope is closed.
 *
 * Returns: %TRUE if the scope is open, %FALSE with @error set otherwise
 *
 * Since: 0.2
 */
gboolean
gst_video_scope_open (GstVideoScope * scope, gint cuda_device_id,
    GstElement * element, GError ** error)
{
  const VhDeviceConfig config = {
    .cuda_device_id = cuda_device_id,
    .must_exist = TRUE,
    .element = element,
  };

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), FALSE);
  g_return_val_if_fail (element == NULL || GST_IS_ELEMENT (element), FALSE);

  gst_video_scope_close (scope);
  if (!vh_check_device_id (cuda_device_id, error))
    return FALSE;
  vh_devices_open (scope->devices, &config);
  if (cuda_device_id >= 0
      && !vh_devices_get (scope->devices, VH_ON_GPU, error)) {
    vh_devices_close (scope->devices);
    return FALSE;
  }
  scope->element = scope->choice.element = element;
  scope->open = TRUE;
  return TRUE;
}

static void
close_bench (Bench * bench)
{
  if (bench->scope)
    bench->scope->klass->close (bench->scope);
  vh_counting_close (&bench->counting);
  g_clear_pointer (&bench->chroma, vh_counts_unref);
  *bench = (Bench) { 0, };
}

/**
 * gst_video_scope_close:
 * @scope: a #GstVideoScope
 *
 * Releases the resources of the scope and forgets earlier frames. Settings,
 * lines and the false color table are kept.
 *
 * Since: 0.2
 */
void
gst_video_scope_close (GstVideoScope * scope)
{
  guint i;

  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_SCOPE (scope));

  for (i = 0; i < VH_N_DEVICES; i++)
    close_bench (&scope->bench[i]);
  g_clear_pointer (&scope->plan, vh_scope_plan_unref);
  vh_devices_close (scope->devices);
  vh_choice_set_active (&scope->choice, NULL, NULL, FALSE);
  scope->element = scope->choice.element = NULL;
  scope->open = FALSE;
  scope->configured = FALSE;
}

/* Plans */

static Needs
find_needs (const VhScopePlan * plan)
{
  Needs needs = { 0, };
  guint i;

  for (i = 0; i < plan->n_traces; i++) {
    const VhScopeTrace *trace = &plan->trace[i];

    if (trace->kind == VH_TRACE_CHROMA
        || (trace->kind == VH_TRACE_HISTOGRAM
            && (trace->value == VH_SCOPE_U || trace->value == VH_SCOPE_V))) {
      needs.chroma = TRUE;
    } else if (trace->kind == VH_TRACE_HISTOGRAM) {
      needs.channels |= 1u << trace->value;
      needs.bins = trace->columns;
    }
  }
  return needs;
}

/* VH_SCOPE_LUMA to VH_SCOPE_BLUE are used as numbers of channels. */
G_STATIC_ASSERT ((guint) VH_SCOPE_LUMA == (guint) VH_CHANNEL_LUMA);
G_STATIC_ASSERT ((guint) VH_SCOPE_RED == (guint) VH_CHANNEL_RED);
G_STATIC_ASSERT ((guint) VH_SCOPE_GREEN == (guint) VH_CHANNEL_GREEN);
G_STATIC_ASSERT ((guint) VH_SCOPE_BLUE == (guint) VH_CHANNEL_BLUE);

/* Makes the plan for pictures of @width x @height, unless it already exists. */
static gboolean
ensure_plan (GstVideoScope * scope, guint width, guint height, GError ** error)
{
  VhScopeWishes wishes;
  gboolean reset, fits;
  guint i, id;

  g_mutex_lock (&scope->lock);
  id = scope->wishes_id;
  fits = scope->plan && scope->planned_id == id && scope->width == width
      && scope->height == height;
  if (!fits)
    wishes = scope->wishes;
  reset = scope->reset;
  scope->reset = FALSE;
  g_mutex_unlock (&scope->lock);

  if (reset) {
    for (i = 0; i < VH_N_DEVICES; i++)
      scope->bench[i].reset = TRUE;
    scope->last_time = GST_CLOCK_TIME_NONE;
  }
  if (fits)
    return TRUE;

  g_clear_pointer (&scope->plan, vh_scope_plan_unref);
  for (i = 0; i < VH_N_DEVICES; i++)
    scope->bench[i].scope_ready = FALSE;
  scope->plan = vh_scope_plan_make (&wishes, &scope->in, width, height,
      &scope->out, scope->sketch, error);
  if (!scope->plan)
    return FALSE;
  scope->needs = find_needs (scope->plan);
  scope->planned_id = id;
  scope->width = width;
  scope->height = height;
  scope->persistence = wishes.settings.persistence;
  GST_DEBUG_OBJECT (scope->element, "planned %u scopes with %u traces for a "
      "picture of %ux%u pixels", scope->plan->n_panels, scope->plan->n_traces,
      width, height);
  return TRUE;
}

/* Devices */

static gboolean
ensure_scope (GstVideoScope * scope, Bench * bench, GError ** error)
{
  VhDevice *device = bench->counting.device;

  if (bench->scope_ready)
    return TRUE;
  if (!bench->scope && device->klass->new_scope)
    bench->scope = device->klass->new_scope (device);
  if (!bench->scope) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "the device %s cannot draw",
        device->klass->name);
    return FALSE;
  }
  bench->scope_ready = bench->scope->klass->configure (bench->scope,
      &scope->in, &scope->out, scope->plan, error);
  return bench->scope_ready;
}

/* Makes the operations of @bench ready for the plan. */
static gboolean
ensure_operations (GstVideoScope * scope, Bench * bench, GError ** error)
{
  const Needs *needs = &scope->needs;
  const VhCountSpec spec = {
    .shape.channels = needs->channels ? needs->channels :
        1u << VH_CHANNEL_LUMA,
    .shape.bins = needs->bins ? needs->bins : 1,
    .shape.columns = 1,
    .shape.rows = 1,
  };

  vh_counting_set (&bench->counting, &scope->in,
      bench->counting.layout != NULL, &spec, VH_SCOPE_CHROMA_BINS);
  return vh_counting_ensure (&bench->counting, 0, error)
      && (!needs->chroma || vh_counting_ensure_joint (&bench->counting, error))
      && ensure_scope (scope, bench, error);
}

/* Makes everything ready to draw on frames at @where. If a GPU cannot be
 * opened, it is not tried again before the next caps. */
static gboolean
ensure_bench (GstVideoScope * scope, VhWhere where, GError ** error)
{
  Bench *bench = &scope->bench[where];
  GError *local = NULL;

  if (!bench->counting.device) {
    vh_counting_open (&bench->counting, vh_devices_get (scope->devices, where,
            &local), scope->element);
  }
  if (bench->counting.device && ensure_operations (scope, bench, &local)) {
    vh_choice_set_at (&scope->choice, where);
    return TRUE;
  }
  vh_choice_set_active (&scope->choice, "none", local->message, TRUE);
  g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "%s", local->message);
  g_error_free (local);
  return FALSE;
}

/* Prepares the device that the frames of @caps will be on. */
static void
prepare_device (GstVideoScope * scope, GstCaps * caps)
{
  const GstVideoInfo *in = &scope->in.info, *out = &scope->out.info;
  GError *error = NULL;

  if ((guint64) out->width * out->height > MAX_PREPARED_PIXELS)
    return;
  if (!ensure_plan (scope, GST_VIDEO_INFO_WIDTH (in),
          GST_VIDEO_INFO_FIELD_HEIGHT (in), &error)
      || !ensure_bench (scope, vh_where_caps (caps), &error)) {
    GST_DEBUG_OBJECT (scope->element, "frames cannot be drawn on: %s",
        error->message);
    g_error_free (error);
  }
}

/* Marks everything in @bench as made for other caps. */
static void
outdate_bench (Bench * bench)
{
  bench->counting.layout = NULL;
  bench->scope_ready = FALSE;
  bench->reset = TRUE;
}

/**
 * gst_video_scope_configure:
 * @scope: an open #GstVideoScope
 * @caps: fixed caps of raw video, in a format of
 *     gst_video_histogram_engine_get_caps()
 * @output_caps: caps of the frames to draw into: @caps, or caps that differ
 *     from it in size
 * @error: return location for a #GError, or %NULL
 *
 * Prepares for frames with @caps and forgets earlier frames. Call it again at
 * any time. A GPU that cannot be used is not an error here;
 * gst_video_scope_process() fails for the frames that are on it.
 *
 * If the output is larger than the frames, scopes are drawn beside the
 * picture; if it is smaller, only scopes are drawn. See
 * gst_video_scope_settings_get_output_size().
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_FORMAT, and
 * %GST_VIDEO_HISTOGRAM_ERROR_SPEC if the scope is not open. After an error it
 * draws nothing until it is configured again.
 *
 * Returns: %TRUE if the scope is ready for frames, %FALSE with @error set
 *     otherwise
 *
 * Since: 0.2
 */
gboolean
gst_video_scope_configure (GstVideoScope * scope, GstCaps * caps,
    GstCaps * output_caps, GError ** error)
{
  guint i;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), FALSE);
  g_return_val_if_fail (GST_IS_CAPS (caps), FALSE);
  g_return_val_if_fail (GST_IS_CAPS (output_caps), FALSE);

  if (!scope->open) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The scope is closed: "
        "gst_video_scope_open() must succeed before "
        "gst_video_scope_configure()");
    return FALSE;
  }

  scope->configured = FALSE;
  scope->last_time = GST_CLOCK_TIME_NONE;
  g_clear_pointer (&scope->plan, vh_scope_plan_unref);
  vh_devices_retry (scope->devices);
  for (i = 0; i < VH_N_DEVICES; i++)
    outdate_bench (&scope->bench[i]);
  if (!vh_layout_from_caps (&scope->in, caps, error)
      || !vh_layout_from_caps (&scope->out, output_caps, error))
    return FALSE;
  if (GST_VIDEO_INFO_FORMAT (&scope->in.info) !=
      GST_VIDEO_INFO_FORMAT (&scope->out.info)) {
    g_set_error (error, VH_ERROR, VH_ERROR_FORMAT, "Frames of %s cannot be "
        "drawn into frames of %s: both must have the same format",
        GST_VIDEO_INFO_NAME (&scope->in.info),
        GST_VIDEO_INFO_NAME (&scope->out.info));
    return FALSE;
  }

  scope->planes = (1u << GST_VIDEO_INFO_N_PLANES (&scope->in.info)) - 1;
  scope->configured = TRUE;
  prepare_device (scope, caps);
  return TRUE;
}

/* Settings */

/**
 * gst_video_scope_set_settings:
 * @scope: a #GstVideoScope
 * @settings: what to draw, and how
 * @error: return location for a #GError, or %NULL
 *
 * Changes the settings. This may be done while frames are drawn on and takes
 * effect with the next frame. A trace continues if the change does not concern
 * it. May be called from any thread.
 *
 * If a field is outside its limits, the error is
 * %GST_VIDEO_HISTOGRAM_ERROR_SPEC, its message names the field, and the
 * settings do not change.
 *
 * Returns: %TRUE if the settings were changed, %FALSE with @error set
 *     otherwise
 *
 * Since: 0.2
 */
gboolean
gst_video_scope_set_settings (GstVideoScope * scope,
    const GstVideoScopeSettings * settings, GError ** error)
{
  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), FALSE);
  g_return_val_if_fail (settings != NULL, FALSE);

  if (!vh_scope_check_settings (settings, error))
    return FALSE;
  g_mutex_lock (&scope->lock);
  scope->wishes.settings = *settings;
  scope->wishes_id++;
  g_mutex_unlock (&scope->lock);
  return TRUE;
}

/**
 * gst_video_scope_set_lines:
 * @scope: a #GstVideoScope
 * @lines: (array length=n_lines) (nullable): levels, in the unit of the scale
 * @n_lines: length of @lines, up to %GST_VIDEO_SCOPE_MAX_LINES
 * @error: return location for a #GError, or %NULL
 *
 * Sets additional lines in histograms and waveforms. Lines outside the range
 * of the scale are not drawn. May be called from any thread.
 *
 * If there are too many lines or one is not a number, the error is
 * %GST_VIDEO_HISTOGRAM_ERROR_SPEC, and the lines do not change.
 *
 * Returns: %TRUE if the lines were set, %FALSE with @error set otherwise
 *
 * Since: 0.2
 */
gboolean
gst_video_scope_set_lines (GstVideoScope * scope, const gdouble * lines,
    guint n_lines, GError ** error)
{
  guint i;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), FALSE);
  g_return_val_if_fail (lines != NULL || n_lines == 0, FALSE);

  if (n_lines > GST_VIDEO_SCOPE_MAX_LINES) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "%u lines are too many: up to "
        G_STRINGIFY (GST_VIDEO_SCOPE_MAX_LINES) " are allowed", n_lines);
    return FALSE;
  }
  for (i = 0; i < n_lines; i++) {
    if (!isfinite (lines[i])) {
      g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "Line %u is %g, but must be "
          "a finite number", i + 1, lines[i]);
      return FALSE;
    }
  }

  g_mutex_lock (&scope->lock);
  scope->wishes.n_lines = n_lines;
  for (i = 0; i < n_lines; i++)
    scope->wishes.line[i] = lines[i];
  scope->wishes_id++;
  g_mutex_unlock (&scope->lock);
  return TRUE;
}

/**
 * gst_video_scope_set_false_color_table:
 * @scope: a #GstVideoScope
 * @table: bands of luma in ascending order, separated by newlines or
 *     semicolons: `FROM TO #RRGGBB` or `FROM TO grey`, with levels of -1 to 2,
 *     where 0 is black and 1 is white
 * @error: return location for a #GError, or %NULL
 *
 * Sets the color table of %GST_VIDEO_SCOPE_FALSE_COLOR_TABLE. A band includes
 * its first level and excludes its second. Luma between bands is shown without
 * color. May be called from any thread.
 *
 * If @table is not valid, the error is %GST_VIDEO_HISTOGRAM_ERROR_SPEC, and
 * the table does not change.
 *
 * Returns: %TRUE if the table was set, %FALSE with @error set otherwise
 *
 * Since: 0.2
 */
gboolean
gst_video_scope_set_false_color_table (GstVideoScope * scope,
    const gchar * table, GError ** error)
{
  VhScopeTable read = { 0, };

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), FALSE);
  g_return_val_if_fail (table != NULL, FALSE);

  if (!vh_scope_table_parse (&read, table, error))
    return FALSE;
  g_mutex_lock (&scope->lock);
  scope->wishes.table = read;
  scope->wishes_id++;
  g_mutex_unlock (&scope->lock);
  return TRUE;
}

/**
 * gst_video_scope_reset:
 * @scope: a #GstVideoScope
 *
 * Forgets earlier frames, for example after a seek: the next frame is drawn as
 * the first of a stream, without persistence and peaks. May be called from any
 * thread.
 *
 * Since: 0.2
 */
void
gst_video_scope_reset (GstVideoScope * scope)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_SCOPE (scope));

  g_mutex_lock (&scope->lock);
  scope->reset = TRUE;
  g_mutex_unlock (&scope->lock);
}

/* Frames */

/* Makes counts of @channels with @bins; NULL with the error OVERLOAD. */
static VhCounts *
new_counts (guint channels, guint bins, GError ** error)
{
  const VhCountsShape shape = { channels, bins, 1, 1 };
  VhCounts *counts = vh_counts_new (&shape);

  if (!counts) {
    g_set_error (error, VH_ERROR, VH_ERROR_OVERLOAD, "not enough "
        "memory for the counts");
  }
  return counts;
}

static gboolean
count_histogram (Bench * bench, VhFrame * frame, VhScopeJob * job,
    GError ** error)
{
  VhCounter *counter = bench->counting.counter;
  const VhCountsShape *shape = &bench->counting.spec.shape;

  job->histogram = new_counts (shape->channels, shape->bins, error);
  return job->histogram && counter->klass->submit (counter, frame,
      &frame->view->picture, job->histogram, error);
}

static gboolean
count_chroma (Bench * bench, VhFrame * frame, VhScopeJob * job, GError ** error)
{
  VhJointCounter *joint = bench->counting.joint;
  VhJoint work = {
    .bins = VH_SCOPE_CHROMA_BINS,
    .chroma = TRUE,
    .for_device = TRUE,
  };

  job->chroma = g_steal_pointer (&bench->chroma);
  if (!job->chroma) {
    job->chroma = new_counts (1,
        VH_SCOPE_CHROMA_BINS * VH_SCOPE_CHROMA_BINS, error);
  }
  work.counts = job->chroma;
  return job->chroma && joint->klass->submit (joint, frame,
      &frame->view->picture, &work, error);
}

/* Counts what the plan needs in @frame, which was begun on @bench. */
static gboolean
count_frame (GstVideoScope * scope, Bench * bench, VhFrame * frame,
    VhScopeJob * job, GError ** error)
{
  return (!scope->needs.channels || count_histogram (bench, frame, job, error))
      && (!scope->needs.chroma || count_chroma (bench, frame, job, error));
}

/* Counts of U and V are so large that it is cheaper to clear and reuse them, if
 * nothing else has a reference, than to allocate new ones. */
static void
release_counts (Bench * bench, VhScopeJob * job)
{
  g_clear_pointer (&job->histogram, vh_counts_unref);
  if (job->chroma && vh_counts_renew (job->chroma))
    bench->chroma = g_steal_pointer (&job->chroma);
  g_clear_pointer (&job->chroma, vh_counts_unref);
}

/* Counts the frame and draws. */
static gboolean
work_on (GstVideoScope * scope, Bench * bench, VhFrameView * in,
    VhFrameView * out, VhScopeJob * job, GError ** error)
{
  VhDevice *device = bench->counting.device;
  VhFramePair frames;
  gboolean drawn;

  if (!vh_frame_pair_begin (&frames, device, in, out, error))
    return FALSE;
  drawn = count_frame (scope, bench, frames.in, job, error)
      && bench->scope->klass->submit (bench->scope, frames.in, frames.out, job,
      error);
  if (!vh_frame_pair_end (&frames, device, drawn ? error : NULL))
    drawn = FALSE;
  release_counts (bench, job);
  return drawn;
}

/* The share of the last frame's traces that is still shown at @buffer's
 * time. */
static gfloat
decay_until (GstVideoScope * scope, GstBuffer * buffer)
{
  const gdouble step = vh_frame_step (&scope->in.info, buffer,
      scope->last_time);

  return scope->persistence > 0 ? exp (-step / scope->persistence) : 0;
}

static gboolean
draw_frame (GstVideoScope * scope, VhFrameView * in, VhFrameView * out,
    GError ** error)
{
  const VhWhere where = vh_where_view (in);
  Bench *bench = &scope->bench[where];
  VhScopeJob job = {
    .decay = decay_until (scope, in->buffer),
  };
  GError *local = NULL;

  if (!ensure_bench (scope, where, error))
    return FALSE;
  job.reset = bench->reset;
  if (work_on (scope, bench, in, out, &job, &local))
    bench->reset = FALSE;
  GST_LOG_OBJECT (scope->element, "frame of %" GST_TIME_FORMAT " on %s: %s",
      GST_TIME_ARGS (GST_BUFFER_PTS (in->buffer)), vh_where_name (where),
      local ? local->message : "drawn");
  if (!local)
    return TRUE;

  vh_counting_note_failure (&bench->counting, local);
  if (!bench->counting.device_ready)
    bench->scope_ready = FALSE;
  g_propagate_error (error, local);
  return FALSE;
}

/* Finds the planes of @in and, if it is another buffer, of @out; FALSE if they
 * cannot be drawn on. */
static gboolean
view_frames (GstVideoScope * scope, GstBuffer * in, GstBuffer * out,
    VhFrameView views[2], GError ** error)
{
  const VhRect *picture = &views[0].picture;

  if (!vh_devices_view (&views[0], &scope->in, in, scope->planes, error))
    return FALSE;
  if ((guint64) picture->width * picture->height > G_MAXUINT32) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "A picture of %ux%u pixels "
        "is too large", picture->width, picture->height);
    return FALSE;
  }
  if (in == out)
    return TRUE;
  if (!vh_devices_view (&views[1], &scope->out, out, scope->planes, error))
    return FALSE;
  if (vh_where_view (&views[0]) != vh_where_view (&views[1])) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "The frame and the output "
        "buffer are not on the same device");
    return FALSE;
  }
  return TRUE;
}

static gboolean
is_configured (GstVideoScope * scope, GError ** error)
{
  if (!scope->configured) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "The scope has no caps: "
        "gst_video_scope_configure() must succeed first");
  }
  return scope->configured;
}

static gboolean
has_same_size (GstVideoScope * scope)
{
  const GstVideoInfo *in = &scope->in.info, *out = &scope->out.info;

  return GST_VIDEO_INFO_WIDTH (in) == GST_VIDEO_INFO_WIDTH (out)
      && GST_VIDEO_INFO_HEIGHT (in) == GST_VIDEO_INFO_HEIGHT (out);
}

/* Whether the plan can be drawn into @out, which may be @in. */
static gboolean
takes (GstVideoScope * scope, const VhFrameView * in, const VhFrameView * out,
    GError ** error)
{
  if (in == out && !scope->plan->shows_picture) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "With layout=only, the "
        "output must be another buffer than the input");
    return FALSE;
  }
  return vh_scope_plan_takes (scope->plan, in, out, error);
}

/**
 * gst_video_scope_process:
 * @scope: a configured #GstVideoScope
 * @in: the next frame of the stream, with the configured caps
 * @out: a writable buffer for a frame with the output caps in the same kind of
 *     memory, with a #GstVideoMeta that says where its planes are; or, if the
 *     output has the size of the frames, @in itself to draw in place, if the
 *     buffer and all of its memories are writable
 * @error: return location for a #GError, or %NULL
 *
 * Counts a frame and draws. On return, @out is complete; in CUDA memory, it is
 * complete for work that follows on its stream. An @out other than @in is
 * overwritten completely. If @in has a crop meta, the picture is the part that
 * it leaves, and must start where its pixels do not share chroma with pixels
 * outside. Times and metas are not copied.
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_FRAME if a buffer does not hold such a
 * frame or cannot be written, %GST_VIDEO_HISTOGRAM_ERROR_SPEC if @scope is not
 * configured, %GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD, and
 * %GST_VIDEO_HISTOGRAM_ERROR_DEVICE. After an error @in is unchanged, and an
 * @out other than @in must not be used.
 *
 * Returns: %TRUE if the frame was drawn, %FALSE with @error set otherwise
 *
 * Since: 0.2
 */
gboolean
gst_video_scope_process (GstVideoScope * scope, GstBuffer * in, GstBuffer * out,
    GError ** error)
{
  VhFrameView views[2];
  VhFrameView *target = in == out ? &views[0] : &views[1];

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (in), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (out), FALSE);
  g_return_val_if_fail (gst_buffer_is_writable (out), FALSE);
  g_return_val_if_fail (in != out || !scope->configured
      || has_same_size (scope), FALSE);

  if (!is_configured (scope, error)
      || !view_frames (scope, in, out, views, error)
      || !ensure_plan (scope, views[0].picture.width, views[0].picture.height,
          error)
      || !takes (scope, &views[0], target, error)
      || !draw_frame (scope, &views[0], target, error))
    return FALSE;
  scope->last_time = GST_BUFFER_PTS (in);
  vh_metas_forget_measured (out);
  return TRUE;
}

static void
fill_black (GstVideoScope * scope, VhFrameView * view)
{
  guint8 pattern[VH_SCOPE_MAX_PATTERN];
  VhScopeColors colors;
  guint p, y;
  gsize x;

  vh_scope_colors_init (&colors, &scope->out);
  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (&scope->out.info); p++) {
    const VhPlane *plane = &view->plane[p];
    const guint length = vh_scope_black (&colors, &scope->out, p, pattern);

    for (y = 0; y < plane->rows; y++) {
      guint8 *row = (guint8 *) plane->data + y * plane->stride;

      for (x = 0; x < plane->row_bytes; x++)
        row[x] = pattern[x % length];
    }
  }
}

/**
 * gst_video_scope_blank:
 * @scope: a configured #GstVideoScope
 * @out: a writable buffer for a frame with the output caps
 * @error: return location for a #GError, or %NULL
 *
 * Makes @out black. Show it instead of a frame that could not be drawn, if the
 * output has a different size than the frames.
 *
 * Errors are %GST_VIDEO_HISTOGRAM_ERROR_FRAME if the buffer cannot be written,
 * and %GST_VIDEO_HISTOGRAM_ERROR_SPEC if @scope is not configured.
 *
 * Returns: %TRUE if @out is black, %FALSE with @error set otherwise
 *
 * Since: 0.2
 */
gboolean
gst_video_scope_blank (GstVideoScope * scope, GstBuffer * out, GError ** error)
{
  VhFrameView view;

  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (out), FALSE);
  g_return_val_if_fail (gst_buffer_is_writable (out), FALSE);

  if (!is_configured (scope, error)
      || !vh_devices_view (&view, &scope->out, out, scope->planes, error)
      || !vh_frame_view_map (&view, GST_MAP_READWRITE, error))
    return FALSE;
  fill_black (scope, &view);
  vh_frame_view_unmap (&view);
  return TRUE;
}

/**
 * gst_video_scope_new_pool:
 * @scope: a #GstVideoScope
 * @buffer: a frame
 * @config: (out) (transfer full): the configuration of the new pool; add caps,
 *     size and options to it and set it with gst_buffer_pool_set_config()
 *
 * Creates a pool of buffers that frames like @buffer can be drawn into: they
 * have the same kind of memory, on the same device and stream.
 *
 * Returns: (transfer full): a new #GstBufferPool
 *
 * Since: 0.2
 */
GstBufferPool *
gst_video_scope_new_pool (GstVideoScope * scope, GstBuffer * buffer,
    GstStructure ** config)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), NULL);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (config != NULL, NULL);

  return vh_devices_new_pool (buffer, config);
}

/**
 * gst_video_scope_pool_fits:
 * @scope: a #GstVideoScope
 * @pool: a pool from gst_video_scope_new_pool()
 * @buffer: a frame
 *
 * Checks whether frames like @buffer can be drawn into buffers of @pool.
 * Replace the pool if not: frames may start to come from another context. Call
 * it from the thread that draws.
 *
 * Returns: %TRUE if @pool has the kind of memory, the device and the stream of
 *     @buffer
 *
 * Since: 0.2
 */
gboolean
gst_video_scope_pool_fits (GstVideoScope * scope, GstBufferPool * pool,
    GstBuffer * buffer)
{
  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER_POOL (pool), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);

  return vh_devices_pool_fits (pool, buffer);
}

/**
 * gst_video_scope_get_active_backend:
 * @scope: a #GstVideoScope
 *
 * Returns where frames are drawn on now. This is known from the caps, and then
 * from the last frame. May be called from any thread.
 *
 * Returns: (nullable): `cpu`, `cuda`, or `none` after a failure, a static
 *     string; %NULL before gst_video_scope_configure()
 *
 * Since: 0.2
 */
const gchar *
gst_video_scope_get_active_backend (GstVideoScope * scope)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), NULL);

  return vh_choice_get_active (&scope->choice);
}

/**
 * gst_video_scope_dup_backend_reason:
 * @scope: a #GstVideoScope
 *
 * Explains why frames are drawn on by the active backend, or why drawing
 * failed. May be called from any thread.
 *
 * Returns: (transfer full) (nullable): the reason, to be freed with g_free();
 *     empty on a GPU, %NULL before gst_video_scope_configure()
 *
 * Since: 0.2
 */
gchar *
gst_video_scope_dup_backend_reason (GstVideoScope * scope)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), NULL);

  return vh_choice_dup_reason (&scope->choice);
}

/**
 * gst_video_scope_set_context:
 * @scope: a #GstVideoScope
 * @context: (transfer none): a #GstContext that was set on the element of
 *     @scope
 *
 * Lets the scope use the CUDA context in @context, if it has one, now or when
 * frames in CUDA memory arrive. May be called from any thread.
 *
 * Since: 0.2
 */
void
gst_video_scope_set_context (GstVideoScope * scope, GstContext * context)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_SCOPE (scope));
  g_return_if_fail (GST_IS_CONTEXT (context));

  vh_devices_set_context (scope->devices, context);
}

/**
 * gst_video_scope_answer_context_query:
 * @scope: a #GstVideoScope
 * @query: a CONTEXT query to the element of @scope
 *
 * Answers @query with the CUDA context of the scope, if the query asks for one
 * and the scope has it. May be called from any thread.
 *
 * Returns: %TRUE if @query was answered
 *
 * Since: 0.2
 */
gboolean
gst_video_scope_answer_context_query (GstVideoScope * scope, GstQuery * query)
{
  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), FALSE);
  g_return_val_if_fail (GST_IS_QUERY (query)
      && GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT, FALSE);

  return vh_devices_answer_context_query (scope->devices, query);
}
