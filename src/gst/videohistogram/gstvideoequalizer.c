/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:gstvideoequalizer
 * @title: GstVideoEqualizer
 * @short_description: corrects frames from their histogram, wherever they are
 *
 * What the element `videoequalize` corrects with, for programs that have frames
 * but no pipeline:
 *
 * |[<!-- language="C" -->
 * equalizer = gst_video_equalizer_new ();
 * gst_video_equalizer_open (equalizer, -1, NULL);
 * gst_video_equalizer_settings_init (&settings);
 * settings.method = GST_VIDEO_EQUALIZE_METHOD_CLAHE;
 * gst_video_equalizer_set_settings (equalizer, &settings);
 * if (!gst_video_equalizer_configure (equalizer, caps, &error)
 *     || !gst_video_equalizer_process (equalizer, buffer, buffer, &error))
 *   ...
 * ]|
 *
 * Frames are those of one stream, in its order: with a time constant, what one
 * frame is corrected by depends on those before it. Frames in system memory are
 * corrected on the CPU, frames in CUDA memory on the GPU where they are; the
 * results are the same bytes. docs/definitions.md says what they are.
 *
 * Thread-safety: an equalizer is used by one thread at a time, except for
 * gst_video_equalizer_set_settings(), gst_video_equalizer_set_reference(),
 * gst_video_equalizer_reset(), gst_video_equalizer_get_counted(),
 * gst_video_equalizer_set_context() and
 * gst_video_equalizer_answer_context_query(), which may be called from any
 * thread.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideoequalizer.h"
#include "histogrammeasured.h"
#include "core/backend.h"

#include <math.h>

/* Between two frames of which neither times, nor durations, nor the caps tell
 * how far they are apart. */
#define DEFAULT_FRAME_TIME (40 * GST_MSECOND)

/* GST_CUDA_CONTEXT_TYPE, in builds without CUDA too. */
#define CUDA_CONTEXT_TYPE "gst.cuda.context"

/* Where frames are corrected: one for each kind of memory. */
typedef struct
{
  VhBackend *backend;           /* NULL where there is none */
  gboolean configured;
  guint columns, rows;          /* that it is configured for */
  gboolean reset;               /* the next frame begins afresh */
} Device;

/* Counts of a reference as they were given. */
typedef struct
{
  GstVideoHistogramInfo info;
  guint32 *counts;              /* info.bins of them */
} Reference;

struct _GstVideoEqualizer
{
  GObject parent;

  gboolean open;
  VhBackendConfig config;
  GstContext *context;          /* for the CUDA backend when it is opened, or
                                 * NULL; protected by lock */
  Device cpu;
  Device cuda;                  /* its backend is written under lock */
  gchar *cuda_problem;          /* why there is no CUDA backend, or NULL where
                                 * none was tried */

  gboolean configured;
  VhLayout layout;
  guint planes;                 /* all, a bit each */
  VhReference *mapped;          /* the reference in the bins of the frames, or
                                 * NULL */
  guint mapped_id;              /* reference_id that it was made of */
  GstClockTime last_time;       /* PTS of the last frame, or NONE */

  GMutex lock;
  /* protected by lock */
  GstVideoEqualizerSettings settings;
  Reference *reference;         /* or NULL */
  guint reference_id;           /* another one for each reference */
  gboolean reset;
  guint64 counted;
};

G_DEFINE_TYPE (GstVideoEqualizer, gst_video_equalizer, G_TYPE_OBJECT);

/* Enum types by hand, for the descriptions that gst-inspect-1.0 shows. */

GType
gst_video_equalize_method_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_VIDEO_EQUALIZE_METHOD_NONE, "Frames are not changed", "none"},
    {GST_VIDEO_EQUALIZE_METHOD_EQUALIZE,
        "All of the range is used evenly", "equalize"},
    {GST_VIDEO_EQUALIZE_METHOD_STRETCH,
        "Two percentiles become black and white", "stretch"},
    {GST_VIDEO_EQUALIZE_METHOD_GAMMA,
        "A power takes the median to a target", "gamma"},
    {GST_VIDEO_EQUALIZE_METHOD_MATCH,
        "The histogram becomes that of a reference", "match"},
    {GST_VIDEO_EQUALIZE_METHOD_CLAHE,
        "Evenly in each tile, with limited contrast", "clahe"},
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVideoEqualizeMethod", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_video_equalize_color_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_VIDEO_EQUALIZE_COLOR_SCALE,
        "Saturation stays: colour is scaled as luma is", "scale"},
    {GST_VIDEO_EQUALIZE_COLOR_KEEP,
        "Colour differences stay as they are", "keep"},
    {GST_VIDEO_EQUALIZE_COLOR_CHANNELS,
        "The curve is applied to R, G and B each; hues change", "channels"},
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVideoEqualizeColor", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

static void
free_reference (Reference * reference)
{
  g_free (reference->counts);
  g_free (reference);
}

static void
gst_video_equalizer_finalize (GObject * object)
{
  GstVideoEqualizer *equalizer = GST_VIDEO_EQUALIZER (object);

  gst_video_equalizer_close (equalizer);
  g_clear_pointer (&equalizer->reference, free_reference);
  g_free (equalizer->mapped);
  gst_context_replace (&equalizer->context, NULL);
  g_mutex_clear (&equalizer->lock);
  G_OBJECT_CLASS (gst_video_equalizer_parent_class)->finalize (object);
}

static void
gst_video_equalizer_class_init (GstVideoEqualizerClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_video_equalizer_finalize;
}

static void
gst_video_equalizer_init (GstVideoEqualizer * equalizer)
{
  g_mutex_init (&equalizer->lock);
  gst_video_equalizer_settings_init (&equalizer->settings);
}

/**
 * gst_video_equalizer_settings_init:
 * @settings: (out caller-allocates): a #GstVideoEqualizerSettings
 *
 * Sets @settings to what the element does by default: the range is used evenly
 * by all of the picture, smoothed over half a second.
 */
void
gst_video_equalizer_settings_init (GstVideoEqualizerSettings * settings)
{
  *settings = (GstVideoEqualizerSettings) {
    .method = GST_VIDEO_EQUALIZE_METHOD_EQUALIZE,
    .color = GST_VIDEO_EQUALIZE_COLOR_SCALE,
    .strength = 1,
    .low_percentile = 0.5,
    .high_percentile = 99.5,
    .max_gain = 4,
    .target = 0.45,
    .clip_limit = 2,
    .tile_columns = 8,
    .tile_rows = 8,
    .smoothing = 0.5,
    .scene_threshold = 0.1,
  };
}

/**
 * gst_video_equalizer_new:
 *
 * Returns: (transfer full): a new #GstVideoEqualizer, closed
 */
GstVideoEqualizer *
gst_video_equalizer_new (void)
{
  return g_object_new (GST_TYPE_VIDEO_EQUALIZER, NULL);
}

/**
 * gst_video_equalizer_open:
 * @equalizer: a #GstVideoEqualizer
 * @cuda_device_id: the CUDA device for frames that are not on one yet, -1 for
 *     any
 * @element: (nullable): the element on whose behalf frames are corrected, to
 *     share its CUDA context with its neighbours; it must live until @equalizer
 *     is closed
 *
 * Makes ready to be configured. No GPU is touched before there are caps or
 * frames of CUDA memory. An equalizer that is open is closed first.
 */
void
gst_video_equalizer_open (GstVideoEqualizer * equalizer, gint cuda_device_id,
    GstElement * element)
{
  g_return_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer));

  gst_video_equalizer_close (equalizer);
  equalizer->config = (VhBackendConfig) {
    .cuda_device_id = cuda_device_id,
    .element = element,
  };
  equalizer->cpu.backend =
      vh_cpu_backend_class.open (&equalizer->config, NULL);
  equalizer->open = TRUE;
}

/**
 * gst_video_equalizer_close:
 * @equalizer: a #GstVideoEqualizer
 *
 * Gives back what the equalizer holds, and forgets the frames before. Settings,
 * reference and the number of frames counted stay.
 */
void
gst_video_equalizer_close (GstVideoEqualizer * equalizer)
{
  VhBackend *cuda;

  g_return_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer));

  g_mutex_lock (&equalizer->lock);
  cuda = equalizer->cuda.backend;
  equalizer->cuda.backend = NULL;
  g_mutex_unlock (&equalizer->lock);
  if (cuda)
    cuda->klass->close (cuda);
  if (equalizer->cpu.backend)
    equalizer->cpu.backend->klass->close (equalizer->cpu.backend);
  equalizer->cpu.backend = NULL;
  equalizer->open = FALSE;
  equalizer->configured = FALSE;
  g_clear_pointer (&equalizer->cuda_problem, g_free);
}

/* Opens the CUDA backend; what fails is not tried again before the next
 * caps. */
static gboolean
ensure_cuda (GstVideoEqualizer * equalizer, GError ** error)
{
  GError *local = NULL;
  VhBackend *backend = NULL;

  if (!equalizer->cuda.backend && !equalizer->cuda_problem) {
#ifdef HAVE_CUDA
    backend = vh_cuda_backend_class.open (&equalizer->config, &local);
#else
    g_set_error (&local, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_BACKEND,
        "this build has no CUDA backend: it was made without nvcc");
#endif
    if (local)
      equalizer->cuda_problem = g_strdup (local->message);
    g_clear_error (&local);
    g_mutex_lock (&equalizer->lock);
    equalizer->cuda.backend = backend;
    if (backend && equalizer->context)
      backend->klass->set_context (backend, equalizer->context);
    g_mutex_unlock (&equalizer->lock);
  }
  if (!equalizer->cuda.backend) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_DEVICE, "%s", equalizer->cuda_problem);
    return FALSE;
  }
  return TRUE;
}

/* What is counted of @picture for @curve. */
static GstVideoHistogramInfo
describe (GstVideoEqualizer * equalizer, const VhRect * picture,
    const VhCurveParams * curve)
{
  const VhLayout *layout = &equalizer->layout;

  return (GstVideoHistogramInfo) {
    .format = GST_VIDEO_INFO_FORMAT (&layout->info),
    .depth = layout->depth,
    .width = picture->width,
    .height = picture->height,
    .region_width = picture->width,
    .region_height = picture->height,
    .colorimetry = layout->colorimetry,
    .matrix = layout->matrix,
    .channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
    .bins = curve->bins,
    .columns = curve->columns,
    .rows = curve->rows,
    .timestamp = GST_CLOCK_TIME_NONE,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
    .duration = GST_CLOCK_TIME_NONE,
  };
}

static gboolean
configure_device (GstVideoEqualizer * equalizer, Device * device,
    const VhCurveParams * curve, GError ** error)
{
  const GstVideoInfo *video = &equalizer->layout.info;
  const VhRect picture = {
    .width = GST_VIDEO_INFO_WIDTH (video),
    .height = GST_VIDEO_INFO_FIELD_HEIGHT (video),
  };
  const GstVideoHistogramInfo info = describe (equalizer, &picture, curve);
  GError *local = NULL;

  if (device->configured && device->columns == curve->columns
      && device->rows == curve->rows)
    return TRUE;

  device->configured = device->backend->klass->configure (device->backend,
      &equalizer->layout, &info, GST_VIDEO_HISTOGRAM_METHOD_AUTO, FALSE,
      &local);
  device->columns = curve->columns;
  device->rows = curve->rows;
  device->reset = TRUE;
  if (!device->configured) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_DEVICE, "%s", local->message);
    g_error_free (local);
    return FALSE;
  }
  if (device->backend->klass->prepare_equalize)
    device->backend->klass->prepare_equalize (device->backend, curve, NULL);
  return TRUE;
}

/* @number, from 0, as a whole number, where @one stands for 1. */
static guint32
fixed_point (gdouble number, guint32 one)
{
  return (guint32) rint (number * one);
}

/* A percentile, 0 to 100, of 2^32: rounded down, so that one that is reached by
 * a whole number of pixels is that number's. */
static guint32
fixed_percentile (gdouble percentile)
{
  return MIN (percentile / 100 * 4294967296.0, 4294967295.0);
}

static void
get_range (GstVideoColorRange range, guint depth, guint * black, guint * white)
{
  const gboolean limited = range == GST_VIDEO_COLOR_RANGE_16_235;

  *black = limited ? 16 << (depth - 8) : 0;
  *white = limited ? 235 << (depth - 8) : (1 << depth) - 1;
}

/* What @settings mean for a @picture of the caps, for frames of which each is
 * on its own. */
static void
make_job (GstVideoEqualizer * equalizer,
    const GstVideoEqualizerSettings * settings, const VhRect * picture,
    VhEqualizeJob * job)
{
  const VhLayout *layout = &equalizer->layout;
  const gboolean tiles = settings->method == GST_VIDEO_EQUALIZE_METHOD_CLAHE;
  const guint depth = layout->depth;
  const guint bin_shift = depth > VH_CURVE_DEPTH ? depth - VH_CURVE_DEPTH : 0;
  guint black, white;

  get_range (layout->colorimetry.range, depth, &black, &white);
  *job = (VhEqualizeJob) {
    .curve = {
      .method = settings->method,
      .depth = depth,
      .bins = 1u << (depth - bin_shift),
      .low = black >> bin_shift,
      .high = white >> bin_shift,
      .columns = tiles ? MIN (settings->tile_columns, picture->width) : 1,
      .rows = tiles ? MIN (settings->tile_rows, picture->height) : 1,
      .share = VH_SHARE_ONE,
      .scene_threshold = fixed_point (settings->scene_threshold, VH_SHARE_ONE),
      .strength = fixed_point (settings->strength, VH_SHARE_ONE),
      .low_percentile = fixed_percentile (settings->low_percentile),
      .high_percentile = fixed_percentile (settings->high_percentile),
      .max_gain = fixed_point (settings->max_gain, VH_LEVEL_ONE),
      .target = fixed_point (settings->target, VH_SHARE_ONE),
      .clip_limit = settings->clip_limit,
    },
    .color = settings->color,
    .black = black,
    .white = white,
    .chroma_limit = black > 0 ? 112 << (depth - 8) : (1 << (depth - 1)) - 1,
  };
}

/* Has the device ready that frames of @caps will be on. */
static void
prepare_device (GstVideoEqualizer * equalizer, GstCaps * caps)
{
  const gboolean cuda_caps =
      gst_caps_features_contains (gst_caps_get_features (caps, 0),
      "memory:CUDAMemory");
  const GstVideoInfo *video = &equalizer->layout.info;
  const VhRect picture = {
    .width = GST_VIDEO_INFO_WIDTH (video),
    .height = GST_VIDEO_INFO_FIELD_HEIGHT (video),
  };
  GstVideoEqualizerSettings settings;
  VhEqualizeJob job;

  g_mutex_lock (&equalizer->lock);
  settings = equalizer->settings;
  g_mutex_unlock (&equalizer->lock);
  make_job (equalizer, &settings, &picture, &job);
  if (!cuda_caps)
    configure_device (equalizer, &equalizer->cpu, &job.curve, NULL);
  else if (ensure_cuda (equalizer, NULL))
    configure_device (equalizer, &equalizer->cuda, &job.curve, NULL);
}

/**
 * gst_video_equalizer_configure:
 * @equalizer: an open #GstVideoEqualizer
 * @caps: fixed caps of raw video in a format of
 *     gst_video_histogram_engine_get_caps()
 * @error: return location for a #GError
 *
 * Prepares for frames of @caps, and forgets the frames before. May be called
 * again at any time. A GPU that cannot be used is only an error of the frames
 * that are there.
 *
 * Returns: %TRUE, or %FALSE with %GST_VIDEO_HISTOGRAM_ERROR_FORMAT; the
 *     equalizer then corrects nothing until it is configured again
 */
gboolean
gst_video_equalizer_configure (GstVideoEqualizer * equalizer, GstCaps * caps,
    GError ** error)
{
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);
  g_return_val_if_fail (equalizer->open, FALSE);
  g_return_val_if_fail (GST_IS_CAPS (caps), FALSE);

  equalizer->configured = FALSE;
  equalizer->cpu.configured = FALSE;
  equalizer->cuda.configured = FALSE;
  equalizer->last_time = GST_CLOCK_TIME_NONE;
  g_clear_pointer (&equalizer->mapped, g_free);
  g_clear_pointer (&equalizer->cuda_problem, g_free);
  if (!vh_layout_from_caps (&equalizer->layout, caps, error))
    return FALSE;

  equalizer->planes =
      (1u << GST_VIDEO_INFO_N_PLANES (&equalizer->layout.info)) - 1;
  equalizer->configured = TRUE;
  prepare_device (equalizer, caps);
  return TRUE;
}

/* @value within @least ... @most; @least where it is no number. */
static gdouble
limit (gdouble value, gdouble least, gdouble most)
{
  return value > least ? MIN (value, most) : least;
}

/**
 * gst_video_equalizer_set_settings:
 * @equalizer: a #GstVideoEqualizer
 * @settings: what is to be done to frames from now on
 *
 * Changes the settings, which may be done while frames are corrected: it counts
 * from the next frame. Numbers that are out of range become the nearest that
 * are not. Another method, or another number of tiles, begins without the
 * frames before; with other changes the curve goes on from where it is.
 *
 * May be called from any thread.
 */
void
gst_video_equalizer_set_settings (GstVideoEqualizer * equalizer,
    const GstVideoEqualizerSettings * settings)
{
  const guint most = GST_VIDEO_EQUALIZER_MAX_TILES;
  GstVideoEqualizerSettings set;

  g_return_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer));
  g_return_if_fail (settings != NULL);
  g_return_if_fail ((guint) settings->method <=
      GST_VIDEO_EQUALIZE_METHOD_CLAHE);
  g_return_if_fail ((guint) settings->color <=
      GST_VIDEO_EQUALIZE_COLOR_CHANNELS);

  set = *settings;
  set.strength = limit (set.strength, 0, 1);
  set.low_percentile = limit (set.low_percentile, 0, 100);
  set.high_percentile = limit (set.high_percentile, 0, 100);
  set.max_gain = limit (set.max_gain, 1, 100);
  set.target = limit (set.target, 0, 1);
  set.clip_limit = limit (set.clip_limit, 0, 1000);
  set.tile_columns = CLAMP (set.tile_columns, 1, most);
  set.tile_rows = CLAMP (set.tile_rows, 1, most);
  set.smoothing = limit (set.smoothing, 0, G_MAXDOUBLE);
  set.scene_threshold = limit (set.scene_threshold, 0, 1);

  g_mutex_lock (&equalizer->lock);
  equalizer->settings = set;
  g_mutex_unlock (&equalizer->lock);
}

/**
 * gst_video_equalizer_set_reference:
 * @equalizer: a #GstVideoEqualizer
 * @reference: (nullable): a histogram that has counted luma, of any bins, depth
 *     and range, or %NULL for none
 *
 * Sets what %GST_VIDEO_EQUALIZE_METHOD_MATCH makes the histograms of frames
 * like: black of the reference is black of the frames, white is white. Waits
 * for counts that are pending. A histogram without counts of luma is none;
 * while there is none, that method changes nothing.
 *
 * May be called from any thread.
 */
void
gst_video_equalizer_set_reference (GstVideoEqualizer * equalizer,
    GstVideoHistogram * reference)
{
  Reference *set = NULL, *before;
  const guint32 *counts;
  guint bins;

  g_return_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer));
  g_return_if_fail (reference == NULL || GST_IS_VIDEO_HISTOGRAM (reference));

  counts = reference ? gst_video_histogram_get_counts (reference,
      GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, &bins) : NULL;
  if (counts && gst_video_histogram_get_pixels (reference) > 0) {
    set = g_new (Reference, 1);
    set->info = *gst_video_histogram_get_info (reference);
    set->counts = g_memdup2 (counts, bins * sizeof (*counts));
  }

  g_mutex_lock (&equalizer->lock);
  before = equalizer->reference;
  equalizer->reference = set;
  equalizer->reference_id++;
  g_mutex_unlock (&equalizer->lock);
  g_clear_pointer (&before, free_reference);
}

/**
 * gst_video_equalizer_reset:
 * @equalizer: a #GstVideoEqualizer
 *
 * Has the next frame corrected as the first of a stream, after a seek say.
 *
 * May be called from any thread.
 */
void
gst_video_equalizer_reset (GstVideoEqualizer * equalizer)
{
  g_return_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer));

  g_mutex_lock (&equalizer->lock);
  equalizer->reset = TRUE;
  g_mutex_unlock (&equalizer->lock);
}

/* How many pixels of @reference, with @cumulative[bins + 1] before each bin,
 * are darker than @level, where 0 is black and 1 is white. Levels within a bin
 * are as frequent as each other; but where there is a bin for each code value,
 * black and white are just that. */
static gdouble
count_darker (const Reference * reference, const guint64 * cumulative,
    gdouble level)
{
  const GstVideoHistogramInfo *info = &reference->info;
  const gboolean fine = info->bins >= 1u << info->depth;
  guint black, white, bin;
  gdouble code, place;

  get_range (info->colorimetry.range, info->depth, &black, &white);
  code = black + level * ((gdouble) white - black);
  place = ldexp ((code + 0.5) * info->bins, -(gint) info->depth);
  /* Where the bins are those of the frames, edges meet edges. */
  place = ldexp (rint (ldexp (place, 20)), -20);
  if (place <= 0)
    return 0;
  if (place >= info->bins)
    return cumulative[info->bins];

  bin = place;
  if (fine && bin == (guint64) black * info->bins >> info->depth)
    return cumulative[bin + 1];
  if (fine && bin == (guint64) white * info->bins >> info->depth)
    return cumulative[bin];
  return cumulative[bin] + (place - bin) * reference->counts[bin];
}

/* Brings @reference into the bins of the frames that @curve is for: what is
 * beyond black and white is black and white. Frames that have more bins get
 * what is in one of the reference's in equal parts. NULL where it has more
 * pixels than can be counted. */
static VhReference *
map_reference (const Reference * reference, const VhLayout * layout,
    const VhCurveParams * curve)
{
  const guint bins = reference->info.bins;
  guint64 *cumulative = g_new0 (guint64, bins + 1);
  VhReference *mapped = NULL;
  guint black, white, b;

  get_range (layout->colorimetry.range, layout->depth, &black, &white);
  for (b = 0; b < bins; b++)
    cumulative[b + 1] = cumulative[b] + reference->counts[b];
  if (cumulative[bins] <= G_MAXUINT32) {
    mapped = g_new0 (VhReference, 1);
    mapped->n = cumulative[bins];
    for (b = curve->low; b < curve->bins; b++) {
      const gdouble edge =
          ldexp ((gdouble) (b + 1), layout->depth) / curve->bins - 0.5;

      mapped->sums[b] = b >= curve->high ? mapped->n :
          (guint32) rint (count_darker (reference, cumulative,
              (edge - black) / ((gdouble) white - black)));
    }
  }
  g_free (cumulative);
  return mapped;
}

/* Takes what may be changed from other threads, and makes it the @job for a
 * picture like @picture. */
static void
take_settings (GstVideoEqualizer * equalizer,
    GstVideoEqualizerSettings * settings, const VhRect * picture,
    VhEqualizeJob * job)
{
  g_mutex_lock (&equalizer->lock);
  *settings = equalizer->settings;
  make_job (equalizer, settings, picture, job);
  if (settings->method == GST_VIDEO_EQUALIZE_METHOD_MATCH) {
    if (equalizer->mapped_id != equalizer->reference_id || !equalizer->mapped) {
      g_clear_pointer (&equalizer->mapped, g_free);
      if (equalizer->reference) {
        equalizer->mapped = map_reference (equalizer->reference,
            &equalizer->layout, &job->curve);
      }
      equalizer->mapped_id = equalizer->reference_id;
    }
    job->reference = equalizer->mapped;
    job->reference_id = equalizer->mapped_id;
  }
  if (equalizer->reset) {
    equalizer->cpu.reset = equalizer->cuda.reset = TRUE;
    equalizer->last_time = GST_CLOCK_TIME_NONE;
    equalizer->reset = FALSE;
  }
  g_mutex_unlock (&equalizer->lock);
}

static gboolean
corrects (const VhEqualizeJob * job)
{
  return job->curve.method != VH_CURVE_NONE && job->curve.strength > 0
      && (job->curve.method != VH_CURVE_MATCH || job->reference);
}

/* Time since the last frame, as well as it is known. */
static GstClockTime
measure_step (GstVideoEqualizer * equalizer, GstBuffer * buffer)
{
  const GstVideoInfo *video = &equalizer->layout.info;
  const GstClockTime time = GST_BUFFER_PTS (buffer);

  if (GST_CLOCK_TIME_IS_VALID (time)
      && GST_CLOCK_TIME_IS_VALID (equalizer->last_time)
      && time > equalizer->last_time)
    return time - equalizer->last_time;
  if (GST_BUFFER_DURATION_IS_VALID (buffer) && GST_BUFFER_DURATION (buffer) > 0)
    return GST_BUFFER_DURATION (buffer);
  if (GST_VIDEO_INFO_FPS_N (video) > 0 && GST_VIDEO_INFO_FPS_D (video) > 0) {
    return gst_util_uint64_scale_int (GST_SECOND, GST_VIDEO_INFO_FPS_D (video),
        GST_VIDEO_INFO_FPS_N (video));
  }
  return DEFAULT_FRAME_TIME;
}

/* The share of a frame after @step in an exponential average with a time
 * constant of @smoothing seconds. */
static guint32
smoothing_share (GstClockTime step, gdouble smoothing)
{
  if (smoothing <= 0)
    return VH_SHARE_ONE;
  /* None would stop the curve for ever. */
  return MAX (1, fixed_point (-expm1 (-(gdouble) step / GST_SECOND /
              smoothing), VH_SHARE_ONE));
}

static gboolean
is_on_device (const VhFrameView * view)
{
#ifdef HAVE_CUDA
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if ((view->planes & (1u << p)) && view->plane[p].memory
        && vh_cuda_backend_class.owns (view->plane[p].memory))
      return TRUE;
  }
#else
  (void) view;
#endif
  return FALSE;
}

/* Whether @counted is what @wanted says, but for its times. */
static gboolean
is_counted_as (const GstVideoHistogramInfo * counted,
    const GstVideoHistogramInfo * wanted)
{
  return counted->format == wanted->format && counted->depth == wanted->depth
      && counted->width == wanted->width && counted->height == wanted->height
      && counted->region_x == 0 && counted->region_y == 0
      && counted->region_width == wanted->region_width
      && counted->region_height == wanted->region_height
      && gst_video_colorimetry_is_equal (&counted->colorimetry,
      &wanted->colorimetry)
      && counted->matrix == wanted->matrix
      && (counted->channels & GST_VIDEO_HISTOGRAM_CHANNELS_LUMA)
      && counted->bins == wanted->bins && counted->columns == wanted->columns
      && counted->rows == wanted->rows;
}

/* The histogram of @wanted that came with the frame, for a backend of @klass;
 * NULL where none fits, or none is there yet. */
static GstVideoHistogram *
find_histogram (GstVideoEqualizer * equalizer, const VhBackendClass * klass,
    const VhFrameView * view, const GstVideoHistogramInfo * wanted)
{
  const guint planes = vh_layout_planes (&equalizer->layout,
      GST_VIDEO_HISTOGRAM_CHANNELS_LUMA);
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (view->buffer, &state,
              GST_VIDEO_HISTOGRAM_META_API_TYPE))) {
    GstVideoHistogramMeta *own = (GstVideoHistogramMeta *) meta;
    GstVideoHistogram *histogram = own->histogram;
    gboolean usable;

    if (!is_counted_as (gst_video_histogram_get_info (histogram), wanted)
        || !vh_meta_is_measured (own, view, planes))
      continue;
    if (klass == &vh_cpu_backend_class) {
      usable = gst_video_histogram_get_state (histogram) ==
          GST_VIDEO_HISTOGRAM_STATE_COMPLETE;
    } else {
      usable = g_strcmp0 (gst_video_histogram_get_backend (histogram),
          klass->name) == 0 && gst_video_histogram_get_state (histogram) !=
          GST_VIDEO_HISTOGRAM_STATE_FAILED;
    }
    if (usable)
      return gst_video_histogram_ref (histogram);
  }
  return NULL;
}

/* Counts the frame of @buffer as @wanted. */
static GstVideoHistogram *
count_frame (GstVideoEqualizer * equalizer, Device * device,
    GstBuffer * buffer, const GstVideoHistogramInfo * wanted, GError ** error)
{
  const VhBackendClass *klass = device->backend->klass;
  GstVideoHistogram *histogram;
  VhFrameView view;

  if (!vh_frame_view_init (&view, &equalizer->layout, buffer,
          vh_layout_planes (&equalizer->layout,
              GST_VIDEO_HISTOGRAM_CHANNELS_LUMA), error))
    return NULL;

  histogram = vh_histogram_new (wanted, klass->name);
  if (!histogram) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD, "there is no memory for the "
        "counts");
    return NULL;
  }
  if (!klass->submit (device->backend, &view, &view.picture, histogram,
          error)) {
    gst_clear_video_histogram (&histogram);
    return NULL;
  }
  g_mutex_lock (&equalizer->lock);
  equalizer->counted++;
  g_mutex_unlock (&equalizer->lock);
  return histogram;
}

/* Histograms that came with @buffer are of pixels that are no more. */
static void
outdate_metas (GstBuffer * buffer)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_HISTOGRAM_META_API_TYPE)))
    vh_meta_forget_measured ((GstVideoHistogramMeta *) meta);
}

static gboolean
correct_frame (GstVideoEqualizer * equalizer, VhFrameView * in,
    VhFrameView * out, VhEqualizeJob * job, GError ** error)
{
  Device *device = is_on_device (in) ? &equalizer->cuda : &equalizer->cpu;
  GstVideoHistogramInfo wanted;
  GstVideoHistogram *histogram;
  gboolean corrected;

  if ((device == &equalizer->cuda && !ensure_cuda (equalizer, error))
      || !configure_device (equalizer, device, &job->curve, error))
    return FALSE;

  wanted = describe (equalizer, &in->picture, &job->curve);
  histogram = find_histogram (equalizer, device->backend->klass, in, &wanted);
  if (!histogram)
    histogram = count_frame (equalizer, device, in->buffer, &wanted, error);
  if (!histogram)
    return FALSE;

  job->reset = device->reset;
  corrected = device->backend->klass->equalize (device->backend, in, out,
      histogram, job, error);
  gst_video_histogram_unref (histogram);
  if (corrected)
    device->reset = FALSE;
  return corrected;
}

/* Copies the frame through the host, whichever memories it lies in. */
static gboolean
copy_frame (VhFrameView * in, VhFrameView * out, GError ** error)
{
  if (!vh_frame_view_map (in, GST_MAP_READ, error))
    return FALSE;
  if (!vh_frame_view_map (out, GST_MAP_READWRITE, error)) {
    vh_frame_view_unmap (in);
    return FALSE;
  }
  vh_frame_view_copy (out, in, in->planes);
  vh_frame_view_unmap (in);
  vh_frame_view_unmap (out);
  return TRUE;
}

/* Finds all planes of @in and, where it is another buffer, @out. */
static gboolean
view_frames (GstVideoEqualizer * equalizer, GstBuffer * in, GstBuffer * out,
    VhFrameView views[2], GError ** error)
{
  const VhLayout *layout = &equalizer->layout;
  const VhFrameView *target = in == out ? &views[0] : &views[1];
  const VhRect *picture = &views[0].picture;

  if (!vh_frame_view_init (&views[0], layout, in, equalizer->planes, error)
      || (in != out && !vh_frame_view_init (&views[1], layout, out,
              equalizer->planes, error))
      || !vh_frame_view_takes (target, &views[0], error))
    return FALSE;

  if (is_on_device (&views[0]) != is_on_device (target)) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_FRAME, "The frame and the buffer for its "
        "correction are not on the same device");
    return FALSE;
  }
  if ((guint64) picture->width * picture->height > G_MAXUINT32) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_FRAME, "A picture of %ux%u pixels is too "
        "large", picture->width, picture->height);
    return FALSE;
  }
  return TRUE;
}

/**
 * gst_video_equalizer_process:
 * @equalizer: a #GstVideoEqualizer that is configured
 * @in: the next frame of the stream, of those caps
 * @out: a writable buffer for a frame of those caps, in the same kind of
 *     memory, whose video meta says where its planes are; or @in itself, to
 *     correct it where it is, if it and all of its memories are writable
 * @error: return location for a #GError
 *
 * Corrects a frame. Where @in has a #GstVideoHistogramMeta that is of just
 * these pixels, in the bins and tiles that are needed, its counts are used;
 * else the frame is counted first. On return @out is complete or, in CUDA
 * memory, will be in the order of its stream.
 *
 * All of the picture is written to @out, with alpha. What is around the picture
 * of a crop meta is copied where @out has the same room for it. Times and metas
 * are left to the caller. A frame that is all of one code value stays as it is,
 * and so does every frame where the method is %GST_VIDEO_EQUALIZE_METHOD_NONE
 * or the strength is 0: callers had better pass those on.
 *
 * The pictures of @in and @out must have the same size. No plane of @out may
 * lie across memories, and its picture may not begin where pixels share chroma
 * with other ones than they do in @in.
 *
 * Returns: %TRUE, or %FALSE with %GST_VIDEO_HISTOGRAM_ERROR_FRAME where a
 *     buffer does not hold such a frame or cannot be written,
 *     %GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD or
 *     %GST_VIDEO_HISTOGRAM_ERROR_DEVICE; @in is then unchanged, and @out not to
 *     be used, unless it is @in
 */
gboolean
gst_video_equalizer_process (GstVideoEqualizer * equalizer, GstBuffer * in,
    GstBuffer * out, GError ** error)
{
  GstVideoEqualizerSettings settings;
  VhFrameView views[2];
  VhFrameView *target = in == out ? &views[0] : &views[1];
  VhEqualizeJob job;
  gboolean done;

  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);
  g_return_val_if_fail (equalizer->configured, FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (in), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (out), FALSE);
  g_return_val_if_fail (gst_buffer_is_writable (out), FALSE);

  if (!view_frames (equalizer, in, out, views, error))
    return FALSE;
  take_settings (equalizer, &settings, &views[0].picture, &job);
  if (!corrects (&job))
    return in == out || copy_frame (&views[0], target, error);

  job.curve.share = smoothing_share (measure_step (equalizer, in),
      settings.smoothing);
  done = correct_frame (equalizer, &views[0], target, &job, error);
  if (done) {
    equalizer->last_time = GST_BUFFER_PTS (in);
    outdate_metas (out);
  }
  return done;
}

/**
 * gst_video_equalizer_new_pool:
 * @equalizer: a #GstVideoEqualizer
 * @buffer: a frame
 * @config: (out) (transfer full): the configuration of the new pool, to be
 *     completed with caps, size and options and given to it by
 *     gst_buffer_pool_set_config()
 *
 * Makes a pool of buffers that frames like @buffer can be corrected into: of
 * the kind of memory that @buffer is in, on the same device and stream.
 *
 * Returns: (transfer full): a new #GstBufferPool
 */
GstBufferPool *
gst_video_equalizer_new_pool (GstVideoEqualizer * equalizer,
    GstBuffer * buffer, GstStructure ** config)
{
  GstBufferPool *pool;

  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), NULL);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (config != NULL, NULL);

#ifdef HAVE_CUDA
  if (gst_buffer_n_memory (buffer) > 0
      && vh_cuda_backend_class.owns (gst_buffer_peek_memory (buffer, 0)))
    return vh_cuda_backend_class.new_pool (gst_buffer_peek_memory (buffer, 0),
        config);
#endif
  pool = gst_video_buffer_pool_new ();
  *config = gst_buffer_pool_get_config (pool);
  return pool;
}

/**
 * gst_video_equalizer_pool_fits:
 * @equalizer: a #GstVideoEqualizer
 * @pool: a pool of gst_video_equalizer_new_pool()
 * @buffer: a frame
 *
 * Returns: whether frames like @buffer can be corrected into buffers of @pool:
 *     it is for the same kind of memory, and the same context of a device
 *
 * Since: 0.2
 */
gboolean
gst_video_equalizer_pool_fits (GstVideoEqualizer * equalizer,
    GstBufferPool * pool, GstBuffer * buffer)
{
  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER_POOL (pool), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);

#ifdef HAVE_CUDA
  if (gst_buffer_n_memory (buffer) > 0
      && vh_cuda_backend_class.owns (gst_buffer_peek_memory (buffer, 0)))
    return vh_cuda_backend_class.pool_fits (gst_buffer_peek_memory (buffer, 0),
        pool);
#endif
  return GST_IS_VIDEO_BUFFER_POOL (pool);
}

/**
 * gst_video_equalizer_get_counted:
 * @equalizer: a #GstVideoEqualizer
 *
 * Returns: how many frames it counted itself, having found no histogram of
 *     theirs with them. May be called from any thread.
 */
guint64
gst_video_equalizer_get_counted (GstVideoEqualizer * equalizer)
{
  guint64 counted;

  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), 0);

  g_mutex_lock (&equalizer->lock);
  counted = equalizer->counted;
  g_mutex_unlock (&equalizer->lock);
  return counted;
}

/**
 * gst_video_equalizer_set_context:
 * @equalizer: a #GstVideoEqualizer
 * @context: a #GstContext that the equalizer's element was given
 *
 * Lets the equalizer use the CUDA context in @context, if there is one, now or
 * when frames in CUDA memory come. May be called from any thread.
 */
void
gst_video_equalizer_set_context (GstVideoEqualizer * equalizer,
    GstContext * context)
{
  g_return_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer));

  g_mutex_lock (&equalizer->lock);
  if (gst_context_has_context_type (context, CUDA_CONTEXT_TYPE))
    gst_context_replace (&equalizer->context, context);
  if (equalizer->cuda.backend)
    equalizer->cuda.backend->klass->set_context (equalizer->cuda.backend,
        context);
  g_mutex_unlock (&equalizer->lock);
}

/**
 * gst_video_equalizer_answer_context_query:
 * @equalizer: a #GstVideoEqualizer
 * @query: a CONTEXT query to the equalizer's element
 *
 * Answers with the equalizer's CUDA context, if it has one and that is what
 * @query asks for. May be called from any thread.
 *
 * Returns: whether @query was answered
 */
gboolean
gst_video_equalizer_answer_context_query (GstVideoEqualizer * equalizer,
    GstQuery * query)
{
  gboolean answered = FALSE;

  g_return_val_if_fail (GST_IS_VIDEO_EQUALIZER (equalizer), FALSE);

  g_mutex_lock (&equalizer->lock);
  if (equalizer->cuda.backend)
    answered = equalizer->cuda.backend->klass->
        answer_context_query (equalizer->cuda.backend, query);
  g_mutex_unlock (&equalizer->lock);
  return answered;
}
