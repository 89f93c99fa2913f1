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
#include "gst/videohistogram/gstvideoscope.h"
#include "gst/videohistogram/engine/counting.h"
#include "gst/videohistogram/engine/framepair.h"
#include "gst/videohistogram/histogram/gstvideohistogrammeta-private.h"
#include "scopeplan.h"
#include "gst/videohistogram/histogram/initialized.h"
#include "core/channels.h"
#include "core/error.h"
#include "core/log.h"
#include "core/methods.h"

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

/* The task that draws. */
typedef struct
{
  VhTask parent;
  GstVideoScope *owner;
  gboolean reset[VH_N_DEVICES]; /* the next frame there is the first of a
                                 * stream */
} Drawing;

struct _GstVideoScope
{
  GObject parent;

  gboolean open;
  VhProcessor processor;
  VhCounting *counting;
  VhTask *pairing;              /* counts U and V together */
  Drawing *drawing;
  VhCounts *chroma[VH_N_DEVICES];       /* zeroed, for the next frame, or
                                         * NULL */

  gboolean configured;
  VhLayout out;
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
  vh_processor_clear (&scope->processor);
  vh_scope_sketch_free (scope->sketch);
  g_mutex_clear (&scope->lock);
  G_OBJECT_CLASS (gst_video_scope_parent_class)->finalize (object);
}

static void
gst_video_scope_class_init (GstVideoScopeClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_video_scope_finalize;
}

VH_DEFINE_TASK_OPERATION (pairing, VhJointCounter, new_joint_counter);

static gboolean
pairing_configure (VhTask * task, VhWhere where, GError ** error)
{
  VhJointCounter *counter = task->operation[where];

  return counter->klass->configure (counter, &task->processor->layout,
      VH_SCOPE_CHROMA_BINS, VH_METHOD_AUTO, error);
}

static const VhTaskClass pairing_class = {
  .name = "counting U and V together",
  .required = TRUE,
  VH_TASK_OPERATION (pairing),
};

VH_DEFINE_TASK_OPERATION (drawing, VhScope, new_scope);

static gboolean
drawing_configure (VhTask * task, VhWhere where, GError ** error)
{
  GstVideoScope *owner = ((Drawing *) task)->owner;
  VhScope *scope = task->operation[where];

  return scope->klass->configure (scope, &task->processor->layout, &owner->out,
      owner->plan, error);
}

static const VhTaskClass drawing_class = {
  .name = "drawing",
  .required = TRUE,
  VH_TASK_OPERATION (drawing),
};

static void
gst_video_scope_init (GstVideoScope * scope)
{
  VhProcessor *processor = &scope->processor;

  g_mutex_init (&scope->lock);
  vh_processor_init (processor);
  scope->counting = vh_processor_add (processor, vh_counting_new ());
  scope->pairing = vh_processor_add (processor,
      vh_task_new (&pairing_class, sizeof (VhTask)));
  scope->drawing = vh_processor_add (processor,
      vh_task_new (&drawing_class, sizeof (Drawing)));
  scope->drawing->owner = scope;
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
  vh_return_val_unless_initialized (error, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_SCOPE (scope), FALSE);
  g_return_val_if_fail (element == NULL || GST_IS_ELEMENT (element), FALSE);

  gst_video_scope_close (scope);
  scope->open = vh_processor_open (&scope->processor, cuda_device_id, element,
      error);
  return scope->open;
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
    g_clear_pointer (&scope->chroma[i], vh_counts_unref);
  g_clear_pointer (&scope->plan, vh_scope_plan_unref);
  vh_processor_close (&scope->processor);
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
      scope->drawing->reset[i] = TRUE;
    scope->last_time = GST_CLOCK_TIME_NONE;
  }
  if (fits)
    return TRUE;

  g_clear_pointer (&scope->plan, vh_scope_plan_unref);
  vh_task_outdate (&scope->drawing->parent);
  scope->plan = vh_scope_plan_make (&wishes, &scope->processor.layout, width,
      height, &scope->out, scope->sketch, error);
  if (!scope->plan)
    return FALSE;
  scope->needs = find_needs (scope->plan);
  scope->planned_id = id;
  scope->width = width;
  scope->height = height;
  scope->persistence = wishes.settings.persistence;
  GST_DEBUG_OBJECT (scope->processor.choice.element, "planned %u scopes with "
      "%u traces for a picture of %ux%u pixels", scope->plan->n_panels,
      scope->plan->n_traces, width, height);
  return TRUE;
}

/* Devices */

/* Makes everything ready to draw the plan on frames at @where. */
static gboolean
ensure_ready (GstVideoScope * scope, VhWhere where, GError ** error)
{
  const Needs *needs = &scope->needs;
  const VhCountSpec spec = {
    .shape.channels = needs->channels,
    .shape.bins = needs->bins,
    .shape.columns = 1,
    .shape.rows = 1,
  };

  scope->counting->parent.idle = !needs->channels;
  if (needs->channels)
    vh_counting_set (scope->counting, &spec);
  scope->pairing->idle = !needs->chroma;
  return vh_processor_ensure_at (&scope->processor, where, error);
}

/* Prepares the device that the frames of @caps will be on. */
static void
prepare_device (GstVideoScope * scope, GstCaps * caps)
{
  const GstVideoInfo *in = &scope->processor.layout.info;
  const GstVideoInfo *out = &scope->out.info;
  GError *error = NULL;

  if ((guint64) out->width * out->height > MAX_PREPARED_PIXELS)
    return;
  if (!ensure_plan (scope, GST_VIDEO_INFO_WIDTH (in),
          GST_VIDEO_INFO_FIELD_HEIGHT (in), &error)
      || !ensure_ready (scope, vh_where_caps (caps), &error)) {
    GST_DEBUG_OBJECT (scope->processor.choice.element, "frames cannot be drawn "
        "on: %s", error->message);
    g_error_free (error);
  }
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
  for (i = 0; i < VH_N_DEVICES; i++)
    scope->drawing->reset[i] = TRUE;
  if (!vh_processor_set_caps (&scope->processor, caps, error)
      || !vh_layout_from_caps (&scope->out, output_caps, error))
    return FALSE;
  if (GST_VIDEO_INFO_FORMAT (&scope->processor.layout.info) !=
      GST_VIDEO_INFO_FORMAT (&scope->out.info)) {
    g_set_error (error, VH_ERROR, VH_ERROR_FORMAT, "Frames of %s cannot be "
        "drawn into frames of %s: both must have the same format",
        GST_VIDEO_INFO_NAME (&scope->processor.layout.info),
        GST_VIDEO_INFO_NAME (&scope->out.info));
    return FALSE;
  }

  scope->planes =
      (1u << GST_VIDEO_INFO_N_PLANES (&scope->processor.layout.info)) - 1;
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

static gboolean
count_chroma (GstVideoScope * scope, VhWhere where, VhFrame * frame,
    VhScopeJob * job, GError ** error)
{
  const VhCountsShape shape = {
    1, VH_SCOPE_CHROMA_BINS * VH_SCOPE_CHROMA_BINS, 1, 1
  };
  VhJointCounter *joint = scope->pairing->operation[where];
  VhJoint work = {
    .bins = VH_SCOPE_CHROMA_BINS,
    .chroma = TRUE,
    .for_device = TRUE,
  };

  job->chroma = g_steal_pointer (&scope->chroma[where]);
  if (!job->chroma)
    job->chroma = vh_counting_new_counts (&shape, error);
  work.counts = job->chroma;
  return job->chroma && joint->klass->submit (joint, frame,
      &frame->view->picture, &work, error);
}

/* Counts what the plan needs in @frame. */
static gboolean
count_frame (GstVideoScope * scope, VhWhere where, VhFrame * frame,
    VhScopeJob * job, GError ** error)
{
  if (scope->needs.channels && !(job->histogram =
          vh_counting_count (scope->counting, where, frame,
              &frame->view->picture, error)))
    return FALSE;
  return !scope->needs.chroma
      || count_chroma (scope, where, frame, job, error);
}

/* Counts of U and V are so large that it is cheaper to clear and reuse them, if
 * nothing else has a reference, than to allocate new ones. */
static void
release_counts (VhCounts ** chroma, VhScopeJob * job)
{
  g_clear_pointer (&job->histogram, vh_counts_unref);
  if (job->chroma && vh_counts_renew (job->chroma))
    *chroma = g_steal_pointer (&job->chroma);
  g_clear_pointer (&job->chroma, vh_counts_unref);
}

static gboolean
count_and_draw (GstVideoScope * scope, VhWhere where, VhFrameView * in,
    VhFrameView * out, VhScopeJob * job, GError ** error)
{
  VhDevice *device = scope->processor.on[where].device;
  VhScope *drawer = scope->drawing->parent.operation[where];
  VhFramePair frames;
  gboolean drawn;

  if (!vh_frame_pair_begin (&frames, device, in, out, error))
    return FALSE;
  drawn = count_frame (scope, where, frames.in, job, error)
      && drawer->klass->submit (drawer, frames.in, frames.out, job, error);
  if (!vh_frame_pair_end (&frames, device, drawn ? error : NULL))
    drawn = FALSE;
  release_counts (&scope->chroma[where], job);
  return drawn;
}

/* The share of the last frame's traces that is still shown at @buffer's
 * time. */
static gfloat
decay_until (GstVideoScope * scope, GstBuffer * buffer)
{
  const gdouble step = vh_frame_step (&scope->processor.layout.info, buffer,
      scope->last_time);

  return scope->persistence > 0 ? exp (-step / scope->persistence) : 0;
}

static gboolean
draw_frame (GstVideoScope * scope, VhFrameView * in, VhFrameView * out,
    GError ** error)
{
  const VhWhere where = vh_where_view (in);
  gboolean *reset = &scope->drawing->reset[where];
  VhScopeJob job = {
    .decay = decay_until (scope, in->buffer),
  };
  GError *local = NULL;

  if (!ensure_ready (scope, where, error))
    return FALSE;
  job.reset = *reset;
  if (count_and_draw (scope, where, in, out, &job, &local))
    *reset = FALSE;
  GST_LOG_OBJECT (scope->processor.choice.element, "frame of %" GST_TIME_FORMAT
      " on %s: %s",
      GST_TIME_ARGS (GST_BUFFER_PTS (in->buffer)), vh_where_name (where),
      local ? local->message : "drawn");
  if (!local)
    return TRUE;

  vh_processor_note_failure (&scope->processor, where, local);
  g_propagate_error (error, local);
  return FALSE;
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
  const GstVideoInfo *in = &scope->processor.layout.info;
  const GstVideoInfo *out = &scope->out.info;

  return GST_VIDEO_INFO_WIDTH (in) == GST_VIDEO_INFO_WIDTH (out)
      && GST_VIDEO_INFO_HEIGHT (in) == GST_VIDEO_INFO_HEIGHT (out);
}

/* Whether the plan can be drawn into @out, which may be @in. */
static gboolean
plan_takes (GstVideoScope * scope, const VhFrameView * in,
    const VhFrameView * out, GError ** error)
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
      || !vh_frame_pair_view (views, &scope->processor.layout, &scope->out,
          scope->planes, in, out, error)
      || !ensure_plan (scope, views[0].picture.width, views[0].picture.height,
          error)
      || !plan_takes (scope, &views[0], target, error)
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

  return vh_choice_get_active (&scope->processor.choice);
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

  return vh_choice_dup_reason (&scope->processor.choice);
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

  vh_devices_set_context (scope->processor.devices, context);
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

  return vh_devices_answer_context_query (scope->processor.devices, query);
}
