/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:gstvideohistogramengine
 * @title: GstVideoHistogramEngine
 * @short_description: counts frames, wherever that is cheapest
 *
 * What the element `videohistogram` counts with, for programs that have frames
 * but no pipeline, or that count from a pad probe:
 *
 * |[<!-- language="C" -->
 * engine = gst_video_histogram_engine_new ();
 * gst_video_histogram_spec_init (&spec);
 * if (!gst_video_histogram_engine_open (engine,
 *         GST_VIDEO_HISTOGRAM_BACKEND_AUTO, -1, NULL, &error)
 *     || !gst_video_histogram_engine_configure (engine, caps, &spec, &error))
 *   ...
 * histogram = gst_video_histogram_engine_submit (engine, buffer, NULL, FALSE,
 *     &error);
 * ]|
 *
 * Thread-safety: an engine is used by one thread at a time, except for
 * gst_video_histogram_engine_get_active_backend(),
 * gst_video_histogram_engine_dup_backend_reason() and
 * gst_video_histogram_engine_set_joint_other(). The histograms it makes may go
 * anywhere, and outlive it.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideohistogramengine.h"
#include "gstvideohistogrammeta.h"
#include "histogrammeasured.h"
#include "core/backend.h"
#include "core/segment.h"

/* Whether a backend counts joint histograms of what is configured. */
typedef enum
{
  JOINT_UNPREPARED,
  JOINT_READY,
  JOINT_FAILED,                 /* not tried again with every frame */
} JointState;

struct _GstVideoHistogramEngine
{
  GObject parent;

  VhBackend *cpu;               /* NULL while closed */
  VhBackend *cuda;              /* NULL where it is not wanted or cannot be
                                 * used; written under lock */
  GstVideoHistogramBackend wanted;
  gboolean configured;
  gboolean cuda_configured;
  gboolean cuda_caps;           /* the caps say that frames are in CUDA
                                 * memory */
  gboolean prefer_cuda;         /* for frames in system memory */
  VhLayout layout;
  GstVideoHistogramInfo info;   /* of a frame without crop meta */
  GstVideoHistogramSpec spec;
  guint planes;                 /* that the channels and the joint histogram
                                 * need, bit per plane */

  /* joint histograms */
  JointState cpu_joint, cuda_joint;
  gchar *joint_problem;         /* why none is counted, or NULL */
  gboolean keeps_luma;          /* of the frame under way */
  VhLuma *luma;                 /* of the frame that was counted last, or NULL;
                                 * written under lock */
  VhLuma *spare;                /* for the next frame's, or NULL */
  VhLuma *pair;                 /* for count_joint(), or NULL */
  gint watchers;                /* atomic: engines that count against luma */
  GWeakRef other;               /* the engine that this one counts against */

  GstElement *element;          /* that it was opened for, or NULL */
  GstVideoHistogramOverload overload;

  GMutex lock;
  gboolean luma_shared;         /* others may take luma, so nobody writes to it;
                                 * protected by lock */
  const gchar *active_backend;  /* static, NULL while closed; protected by
                                 * lock */
  gchar *reason;                /* why no other; protected by lock */
  gboolean degraded;            /* a device that should count fails; protected
                                 * by lock */
  gchar *open_reason;           /* why there is no CUDA backend, or NULL */
};

G_DEFINE_TYPE (GstVideoHistogramEngine, gst_video_histogram_engine,
    G_TYPE_OBJECT);

/* In `auto`, frames in system memory of at least this many bytes (of the planes
 * that are needed) are uploaded: smaller ones are counted on the CPU in less
 * time than a launch takes. docs/measurements.md has the crossover. */
#define UPLOAD_BYTES (64 * 1024)

/* Few enough for a small picture to fill: with too many bins, chance alone
 * makes mutual information. */
#define DEFAULT_JOINT_BINS 64

#define OTHER_DEVICE "the other stream is counted on another device than " \
    "this one, CPU or GPU"

/* Enum types by hand, for the descriptions that gst-inspect-1.0 shows. */

GType
gst_video_histogram_backend_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_VIDEO_HISTOGRAM_BACKEND_AUTO,
        "On the GPU where there is one and it pays, else on the CPU", "auto"},
    {GST_VIDEO_HISTOGRAM_BACKEND_CPU, "On the CPU", "cpu"},
    {GST_VIDEO_HISTOGRAM_BACKEND_CUDA,
        "On an NVIDIA GPU; an error where none can be used", "cuda"},
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type =
        g_enum_register_static ("GstVideoHistogramBackend", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_video_histogram_method_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_VIDEO_HISTOGRAM_METHOD_AUTO,
        "The fastest for the device and the frames", "auto"},
    {GST_VIDEO_HISTOGRAM_METHOD_LANE_COLUMNS,
        "A column of counters for each lane of a warp", "lane-columns"},
    {GST_VIDEO_HISTOGRAM_METHOD_REPLICATED,
        "As many copies of each counter as fit in a block", "replicated"},
    {GST_VIDEO_HISTOGRAM_METHOD_PACKED_COUNTERS,
          "Counters of 16 bits in a block, which move what they cannot hold",
        "packed-counters"},
    {GST_VIDEO_HISTOGRAM_METHOD_GLOBAL_ATOMICS,
        "Atomic additions to one table in global memory", "global-atomics"},
    {GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SCALAR,
        "A table for each block, a sample at a time", "block-scalar"},
    {GST_VIDEO_HISTOGRAM_METHOD_BLOCK_VECTOR,
        "A table for each block, 16 bytes at a time", "block-vector"},
    {GST_VIDEO_HISTOGRAM_METHOD_GLOBAL_COPIES,
        "A table for each block in global memory", "global-copies"},
    {GST_VIDEO_HISTOGRAM_METHOD_COARSENED_CONTIGUOUS,
          "A table for each block, and for each thread a run of samples",
        "coarsened-contiguous"},
    {GST_VIDEO_HISTOGRAM_METHOD_COARSENED_INTERLEAVED,
          "A table for each block, and threads that take many samples in turns",
        "coarsened-interleaved"},
    {GST_VIDEO_HISTOGRAM_METHOD_RUN_AGGREGATION,
          "A table for each block, and one addition for each run of equal "
          "samples", "run-aggregation"},
    {GST_VIDEO_HISTOGRAM_METHOD_TREE_REDUCTION,
        "A table for each block, added up in pairs", "tree-reduction"},
    {GST_VIDEO_HISTOGRAM_METHOD_TAGGED_WARPS,
          "A table for each warp, with counters that carry the lane that wrote "
          "them", "tagged-warps"},
    {GST_VIDEO_HISTOGRAM_METHOD_THREAD_TABLES,
          "A table for each thread, the lower bits of it in shared memory",
        "thread-tables"},
    {GST_VIDEO_HISTOGRAM_METHOD_BYTE_COUNTERS,
        "A byte for each bin and thread, up to 64 bins", "byte-counters"},
    {GST_VIDEO_HISTOGRAM_METHOD_WARP_TABLES,
        "A table for each warp", "warp-tables"},
    {GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_ROW,
          "A table of bytes for each thread, thread after thread, up to 256 "
          "bins", "thread-bytes-row"},
    {GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_COLUMN,
          "A table of bytes for each thread, bin after bin, up to 256 bins",
        "thread-bytes-column"},
    {GST_VIDEO_HISTOGRAM_METHOD_THREAD_BYTES_PACKED,
          "A table of bytes for each thread, four bins after four bins, up to "
          "256 bins", "thread-bytes-packed"},
    {GST_VIDEO_HISTOGRAM_METHOD_RADIX_SORT,
        "Sorting by bits, and the lengths of runs", "radix-sort"},
    {GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SORT,
        "Sorting by CUB, and the lengths of runs", "block-sort"},
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVideoHistogramMethod", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

static void
gst_video_histogram_engine_finalize (GObject * object)
{
  GstVideoHistogramEngine *engine = GST_VIDEO_HISTOGRAM_ENGINE (object);

  gst_video_histogram_engine_close (engine);
  gst_video_histogram_engine_set_joint_other (engine, NULL);
  g_weak_ref_clear (&engine->other);
  g_free (engine->joint_problem);
  g_free (engine->reason);
  g_mutex_clear (&engine->lock);
  G_OBJECT_CLASS (gst_video_histogram_engine_parent_class)->finalize (object);
}

static void
gst_video_histogram_engine_class_init (GstVideoHistogramEngineClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_video_histogram_engine_finalize;
}

static void
gst_video_histogram_engine_init (GstVideoHistogramEngine * engine)
{
  g_mutex_init (&engine->lock);
  g_weak_ref_init (&engine->other, NULL);
}

/**
 * gst_video_histogram_spec_init:
 * @spec: (out caller-allocates): a #GstVideoHistogramSpec
 *
 * Sets @spec to what the element counts by default: luma of the whole picture,
 * in one cell, with as many bins as the depth suggests.
 */
void
gst_video_histogram_spec_init (GstVideoHistogramSpec * spec)
{
  *spec = (GstVideoHistogramSpec) {
    .channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
    .columns = 1,
    .rows = 1,
  };
}

/**
 * gst_video_histogram_engine_new:
 *
 * Returns: (transfer full): a new #GstVideoHistogramEngine, closed
 */
GstVideoHistogramEngine *
gst_video_histogram_engine_new (void)
{
  return g_object_new (GST_TYPE_VIDEO_HISTOGRAM_ENGINE, NULL);
}

/* Says where frames are counted now, and why nowhere else; @degraded: because
 * of a failure. */
static void
set_active (GstVideoHistogramEngine * engine, const gchar * name,
    const gchar * reason, gboolean degraded)
{
  g_mutex_lock (&engine->lock);
  engine->active_backend = name;
  engine->degraded = degraded;
  if (g_strcmp0 (engine->reason, reason) != 0) {
    g_free (engine->reason);
    engine->reason = g_strdup (reason);
  }
  g_mutex_unlock (&engine->lock);
}

static VhBackend *
open_cuda (const VhBackendConfig * config, GError ** error)
{
#ifdef HAVE_CUDA
  return vh_cuda_backend_class.open (config, error);
#else
  (void) config;
  g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
      GST_VIDEO_HISTOGRAM_ERROR_BACKEND,
      "this build has no CUDA backend: it was made without nvcc");
  return NULL;
#endif
}

/* Engines by the element that they were opened for: a GWeakRef in each
 * element. */
static GMutex elements_lock;

static GQuark
engine_quark (void)
{
  return g_quark_from_static_string ("GstVideoHistogramEngine");
}

static void
free_weak_ref (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

static void
set_element (GstVideoHistogramEngine * engine, GstElement * element)
{
  GWeakRef *ref;

  g_mutex_lock (&elements_lock);
  if (engine->element)
    g_object_set_qdata (G_OBJECT (engine->element), engine_quark (), NULL);
  engine->element = element;
  if (element) {
    ref = g_new0 (GWeakRef, 1);
    g_weak_ref_init (ref, engine);
    g_object_set_qdata_full (G_OBJECT (element), engine_quark (), ref,
        free_weak_ref);
  }
  g_mutex_unlock (&elements_lock);
}

/**
 * gst_video_histogram_engine_find:
 * @element: an element
 *
 * Finds the engine that is open on behalf of @element. May be called from any
 * thread.
 *
 * Returns: (transfer full) (nullable): the engine, or %NULL where there is none
 *
 * Since: 0.2
 */
GstVideoHistogramEngine *
gst_video_histogram_engine_find (GstElement * element)
{
  GstVideoHistogramEngine *engine = NULL;
  GWeakRef *ref;

  g_return_val_if_fail (GST_IS_ELEMENT (element), NULL);

  g_mutex_lock (&elements_lock);
  ref = g_object_get_qdata (G_OBJECT (element), engine_quark ());
  if (ref)
    engine = g_weak_ref_get (ref);
  g_mutex_unlock (&elements_lock);
  return engine;
}

/**
 * gst_video_histogram_engine_open:
 * @engine: a #GstVideoHistogramEngine
 * @backend: where to count
 * @cuda_device_id: the CUDA device to count on, -1 for any
 * @element: (nullable): the element on whose behalf frames are counted, to
 *     share its CUDA context with its neighbours; it must live until @engine is
 *     closed
 * @error: return location for a #GError
 *
 * Looks where frames can be counted. An engine that is open is closed first.
 *
 * Returns: %TRUE, or %FALSE with %GST_VIDEO_HISTOGRAM_ERROR_BACKEND where
 *     @backend cannot be used on this machine or with this build;
 *     %GST_VIDEO_HISTOGRAM_BACKEND_AUTO and %GST_VIDEO_HISTOGRAM_BACKEND_CPU
 *     always can
 */
gboolean
gst_video_histogram_engine_open (GstVideoHistogramEngine * engine,
    GstVideoHistogramBackend backend, gint cuda_device_id, GstElement * element,
    GError ** error)
{
  const VhBackendConfig config = {
    .cuda_device_id = cuda_device_id,
    .element = element,
  };
  VhBackend *cuda = NULL;
  GError *cuda_error = NULL;

  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), FALSE);

  gst_video_histogram_engine_close (engine);
  if (backend != GST_VIDEO_HISTOGRAM_BACKEND_CPU)
    cuda = open_cuda (&config, &cuda_error);
  if (!cuda && backend == GST_VIDEO_HISTOGRAM_BACKEND_CUDA) {
    set_active (engine, NULL, cuda_error->message, FALSE);
    g_propagate_error (error, cuda_error);
    return FALSE;
  }

  set_element (engine, element);
  engine->wanted = backend;
  engine->cpu = vh_cpu_backend_class.open (&config, NULL);
  engine->open_reason = cuda_error ? g_strdup (cuda_error->message) : NULL;
  g_clear_error (&cuda_error);
  g_mutex_lock (&engine->lock);
  engine->cuda = cuda;
  g_mutex_unlock (&engine->lock);
  set_active (engine, cuda ? "cuda" : "cpu",
      engine->open_reason ? engine->open_reason : "", FALSE);
  return TRUE;
}

/* Forgets the last frame. */
static void
drop_lumas (GstVideoHistogramEngine * engine)
{
  VhLuma *luma;

  g_mutex_lock (&engine->lock);
  luma = g_steal_pointer (&engine->luma);
  engine->luma_shared = FALSE;
  g_mutex_unlock (&engine->lock);
  g_clear_pointer (&luma, vh_luma_unref);
  g_clear_pointer (&engine->spare, vh_luma_unref);
  g_clear_pointer (&engine->pair, vh_luma_unref);
}

/**
 * gst_video_histogram_engine_close:
 * @engine: a #GstVideoHistogramEngine
 *
 * Gives back what the engine holds. Histograms that are pending become complete
 * or failed. Takes less than a second, whatever a device does.
 */
void
gst_video_histogram_engine_close (GstVideoHistogramEngine * engine)
{
  VhBackend *cuda;

  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));

  set_element (engine, NULL);
  g_mutex_lock (&engine->lock);
  cuda = engine->cuda;
  engine->cuda = NULL;
  g_mutex_unlock (&engine->lock);
  if (cuda)
    cuda->klass->close (cuda);
  drop_lumas (engine);
  if (engine->cpu)
    engine->cpu->klass->close (engine->cpu);
  engine->cpu = NULL;
  engine->configured = FALSE;
  g_clear_pointer (&engine->open_reason, g_free);
  set_active (engine, NULL, NULL, FALSE);
}

/* Cuts the region of @spec to a picture of @picture's size. */
static gboolean
cut_region (const GstVideoHistogramSpec * spec, const VhRect * picture,
    VhRect * region)
{
  if (spec->region_x >= picture->width || spec->region_y >= picture->height)
    return FALSE;

  region->x = spec->region_x;
  region->y = spec->region_y;
  region->width = picture->width - region->x;
  region->height = picture->height - region->y;
  if (spec->region_width > 0)
    region->width = MIN (spec->region_width, region->width);
  if (spec->region_height > 0)
    region->height = MIN (spec->region_height, region->height);
  return TRUE;
}

/* What a frame with @picture is measured as; FALSE where nothing of the region
 * lies in it. */
static gboolean
describe (GstVideoHistogramEngine * engine, const VhRect * picture,
    GstVideoHistogramInfo * info)
{
  const VhLayout *layout = &engine->layout;
  const GstVideoHistogramSpec *spec = &engine->spec;
  VhRect region;

  if (!cut_region (spec, picture, &region))
    return FALSE;

  *info = (GstVideoHistogramInfo) {
    .format = GST_VIDEO_INFO_FORMAT (&layout->info),
    .depth = layout->depth,
    .width = picture->width,
    .height = picture->height,
    .region_x = region.x,
    .region_y = region.y,
    .region_width = region.width,
    .region_height = region.height,
    .colorimetry = layout->colorimetry,
    .matrix = layout->matrix,
    .channels = spec->channels,
    .bins = spec->bins,
    .columns = spec->columns,
    .rows = spec->rows,
    .timestamp = GST_CLOCK_TIME_NONE,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
    .duration = GST_CLOCK_TIME_NONE,
  };
  return TRUE;
}

static guint
default_bins (guint depth)
{
  if (depth <= 8)
    return 256;
  return depth <= 10 ? 1024 : 4096;
}

static gboolean
check_spec (const GstVideoHistogramSpec * spec, GError ** error)
{
  const guint all = (1 << GST_VIDEO_HISTOGRAM_N_CHANNELS) - 1;
  guint64 counters;

  if ((guint) spec->method > GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SORT) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_SPEC, "There is no method %u: see "
        "GstVideoHistogramMethod", spec->method);
    return FALSE;
  }
  if ((guint) spec->joint > GST_VIDEO_HISTOGRAM_JOINT_OTHER
      || spec->joint_bins < 1
      || spec->joint_bins > GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_SPEC, "Joint histogram %u in %u bins: 1 to "
        "%d bins of each side are allowed", spec->joint, spec->joint_bins,
        GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS);
    return FALSE;
  }
  if (spec->channels == 0 || (spec->channels & ~all)
      || spec->bins < 1 || spec->bins > GST_VIDEO_HISTOGRAM_MAX_BINS
      || spec->columns < 1 || spec->columns > GST_VIDEO_HISTOGRAM_MAX_GRID
      || spec->rows < 1 || spec->rows > GST_VIDEO_HISTOGRAM_MAX_GRID) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_SPEC,
        "Channels 0x%x, %u bins, grid %ux%u: at least one of the %d channels, "
        "1 to %d bins, and a grid of 1x1 to %dx%d are allowed", spec->channels,
        spec->bins, spec->columns, spec->rows, GST_VIDEO_HISTOGRAM_N_CHANNELS,
        GST_VIDEO_HISTOGRAM_MAX_BINS, GST_VIDEO_HISTOGRAM_MAX_GRID,
        GST_VIDEO_HISTOGRAM_MAX_GRID);
    return FALSE;
  }

  counters = (guint64) __builtin_popcount (spec->channels) * spec->bins *
      spec->columns * spec->rows;
  if (counters > GST_VIDEO_HISTOGRAM_MAX_COUNTERS) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_SPEC,
        "%u bins in a grid of %ux%u for these channels are %" G_GUINT64_FORMAT
        " counters; at most %" G_GUINT64_FORMAT " are allowed: use fewer bins, "
        "cells or channels", spec->bins, spec->columns, spec->rows, counters,
        GST_VIDEO_HISTOGRAM_MAX_COUNTERS);
    return FALSE;
  }
  return TRUE;
}

/* Bytes that would have to be uploaded of each frame in system memory. */
static gsize
upload_bytes (GstVideoHistogramEngine * engine)
{
  const GstVideoInfo *info = &engine->layout.info;
  gsize bytes = 0;
  guint p;

  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];

    if (!(engine->planes & (1u << p)))
      continue;
    gst_video_format_info_component (info->finfo, p, components);
    bytes += (gsize) GST_VIDEO_INFO_PLANE_STRIDE (info, p) *
        GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
  }
  return bytes;
}

static gboolean
configure_cuda (GstVideoHistogramEngine * engine, GError ** error)
{
  if (!engine->cuda_configured) {
    engine->cuda_configured = engine->cuda->klass->configure (engine->cuda,
        &engine->layout, &engine->info, engine->spec.method,
        engine->prefer_cuda && !engine->cuda_caps, error);
  }
  return engine->cuda_configured;
}

/* Decides where frames of @caps are counted, and has the GPU ready if it is
 * there. */
static void
choose_backend (GstVideoHistogramEngine * engine, GstCaps * caps)
{
  const gboolean cuda_caps =
      gst_caps_features_contains (gst_caps_get_features (caps, 0),
      "memory:CUDAMemory");
  GError *error = NULL;

  engine->cuda_caps = cuda_caps;
  engine->cuda_configured = FALSE;
  engine->prefer_cuda = engine->cuda
      && (engine->wanted == GST_VIDEO_HISTOGRAM_BACKEND_CUDA
      || upload_bytes (engine) >= UPLOAD_BYTES);

  if (engine->cuda && (cuda_caps || engine->prefer_cuda)) {
    if (configure_cuda (engine, &error))
      set_active (engine, "cuda", "", FALSE);
    else
      set_active (engine, cuda_caps ? "none" : "cpu", error->message, TRUE);
    g_clear_error (&error);
  } else if (engine->cuda) {
    set_active (engine, "cpu", "frames this small are counted on the CPU in "
        "less time than the GPU takes to start", FALSE);
  }
}

/* Whether joint histograms of @kind can be counted in frames as they come. */
static gboolean
has_joint (GstVideoHistogramEngine * engine, GstVideoHistogramJoint kind)
{
  return kind != GST_VIDEO_HISTOGRAM_JOINT_CHROMA
      || vh_layout_has_chroma (&engine->layout);
}

/* The planes that a joint histogram of @kind needs. */
static guint
joint_planes (GstVideoHistogramEngine * engine, GstVideoHistogramJoint kind)
{
  if (kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA)
    return has_joint (engine, kind) ? vh_layout_chroma_planes (&engine->layout)
        : 0;
  if (kind == GST_VIDEO_HISTOGRAM_JOINT_NONE)
    return 0;
  return vh_layout_planes (&engine->layout, GST_VIDEO_HISTOGRAM_CHANNELS_LUMA);
}

static gboolean
is_watched (GstVideoHistogramEngine * engine)
{
  return g_atomic_int_get (&engine->watchers) > 0;
}

static void
set_joint_problem (GstVideoHistogramEngine * engine, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);

/* With NULL there is none. */
static void
set_joint_problem (GstVideoHistogramEngine * engine, const gchar * format, ...)
{
  va_list arguments;

  g_clear_pointer (&engine->joint_problem, g_free);
  if (!format)
    return;
  va_start (arguments, format);
  engine->joint_problem = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

static JointState *
joint_state (GstVideoHistogramEngine * engine, VhBackend * backend)
{
  return backend == engine->cpu ? &engine->cpu_joint : &engine->cuda_joint;
}

static void
fail_joint (GstVideoHistogramEngine * engine, VhBackend * backend,
    const GError * error)
{
  *joint_state (engine, backend) = JOINT_FAILED;
  set_joint_problem (engine, "%s", error->message);
}

/* Has @backend prepared for joint histograms. */
static gboolean
ensure_joint (GstVideoHistogramEngine * engine, VhBackend * backend,
    GError ** error)
{
  const guint planes = engine->planes | (is_watched (engine) ?
      joint_planes (engine, GST_VIDEO_HISTOGRAM_JOINT_OTHER) : 0);
  JointState *state = joint_state (engine, backend);
  GError *local = NULL;

  if (*state == JOINT_UNPREPARED && backend->klass->prepare_joint
      && backend->klass->prepare_joint (backend, engine->spec.joint_bins,
          planes, &local))
    *state = JOINT_READY;
  if (*state == JOINT_READY)
    return TRUE;

  if (local)
    fail_joint (engine, backend, local);
  g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
      GST_VIDEO_HISTOGRAM_ERROR_DEVICE, "%s", engine->joint_problem ?
      engine->joint_problem : "there are no joint histograms");
  g_clear_error (&local);
  return FALSE;
}

static gboolean
suits (const VhLuma * luma, const VhBackend * backend, gsize pixels)
{
  return luma && luma->maker == backend->klass && luma->capacity >= pixels;
}

/* Sees to it that @luma takes @pixels, and that nobody else reads it. */
static gboolean
ensure_luma (GstVideoHistogramEngine * engine, VhBackend * backend,
    VhLuma ** luma, gsize pixels, GError ** error)
{
  const gsize whole = (gsize) engine->info.region_width *
      engine->info.region_height;
  GError *local = NULL;

  if (suits (*luma, backend, pixels) && vh_luma_is_exclusive (*luma))
    return TRUE;
  g_clear_pointer (luma, vh_luma_unref);
  *luma = backend->klass->new_luma (backend, MAX (pixels, whole), &local);
  if (*luma)
    return TRUE;
  fail_joint (engine, backend, local);
  g_propagate_error (error, local);
  return FALSE;
}

/* Makes room for joint histograms before the first frame comes. */
static void
prepare_joint (GstVideoHistogramEngine * engine)
{
  const GstVideoHistogramJoint kind = engine->spec.joint;
  VhBackend *backend = engine->cuda_configured ? engine->cuda : engine->cpu;

  drop_lumas (engine);
  engine->cpu_joint = engine->cuda_joint = JOINT_UNPREPARED;
  set_joint_problem (engine, NULL);
  if (!has_joint (engine, kind)) {
    set_joint_problem (engine, "joint=chroma takes YUV video, and this is %s",
        GST_VIDEO_INFO_NAME (&engine->layout.info));
  }
  if (!is_watched (engine) && (kind == GST_VIDEO_HISTOGRAM_JOINT_NONE
          || !has_joint (engine, kind)))
    return;

  if (ensure_joint (engine, backend, NULL)
      && (is_watched (engine) || kind == GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS))
    ensure_luma (engine, backend, &engine->spare, 0, NULL);
}

/**
 * gst_video_histogram_engine_configure:
 * @engine: an open #GstVideoHistogramEngine
 * @caps: fixed caps of raw video in a format of
 *     gst_video_histogram_engine_get_caps()
 * @spec: what to count
 * @error: return location for a #GError
 *
 * Prepares for frames of @caps. May be called again at any time, for other caps
 * or another @spec.
 *
 * Returns: %TRUE, or %FALSE with %GST_VIDEO_HISTOGRAM_ERROR_FORMAT or
 *     %GST_VIDEO_HISTOGRAM_ERROR_SPEC; the engine then counts nothing until it
 *     is configured again
 */
gboolean
gst_video_histogram_engine_configure (GstVideoHistogramEngine * engine,
    GstCaps * caps, const GstVideoHistogramSpec * spec, GError ** error)
{
  VhRect picture = { 0, };

  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), FALSE);
  g_return_val_if_fail (engine->cpu != NULL, FALSE);
  g_return_val_if_fail (GST_IS_CAPS (caps), FALSE);
  g_return_val_if_fail (spec != NULL, FALSE);

  engine->configured = FALSE;
  if (!vh_layout_from_caps (&engine->layout, caps, error))
    return FALSE;

  engine->spec = *spec;
  if (engine->spec.bins == 0)
    engine->spec.bins = default_bins (engine->layout.depth);
  if (engine->spec.joint_bins == 0)
    engine->spec.joint_bins = DEFAULT_JOINT_BINS;
  if (!check_spec (&engine->spec, error))
    return FALSE;

  picture.width = GST_VIDEO_INFO_WIDTH (&engine->layout.info);
  picture.height = GST_VIDEO_INFO_FIELD_HEIGHT (&engine->layout.info);
  if (!describe (engine, &picture, &engine->info)) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_SPEC, "The region %u,%u,%u,%u lies outside "
        "the picture of %ux%u pixels", spec->region_x, spec->region_y,
        spec->region_width, spec->region_height, picture.width, picture.height);
    return FALSE;
  }

  engine->planes = vh_layout_planes (&engine->layout, spec->channels) |
      joint_planes (engine, spec->joint);
  engine->configured = engine->cpu->klass->configure (engine->cpu,
      &engine->layout, &engine->info, engine->spec.method, FALSE, error);
  if (engine->configured) {
    choose_backend (engine, caps);
    prepare_joint (engine);
  }
  return engine->configured;
}

static void
set_times (GstVideoHistogramInfo * info, GstBuffer * buffer,
    const GstSegment * segment)
{
  info->timestamp = GST_BUFFER_PTS (buffer);
  info->duration = GST_BUFFER_DURATION (buffer);
  if (segment && segment->format == GST_FORMAT_TIME
      && GST_BUFFER_PTS_IS_VALID (buffer)) {
    info->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
        info->timestamp);
    info->running_time = vh_segment_running_time (segment, info->timestamp);
  }
}

/* A reference to luma of the last frame of the other engine, or NULL. */
static VhLuma *
ref_other_luma (GstVideoHistogramEngine * engine)
{
  GstVideoHistogramEngine *other = g_weak_ref_get (&engine->other);
  VhLuma *luma = NULL;

  if (!other)
    return NULL;
  g_mutex_lock (&other->lock);
  if (other->luma_shared)
    luma = vh_luma_ref (other->luma);
  g_mutex_unlock (&other->lock);
  g_object_unref (other);
  return luma;
}

/* Whether @backend can count what @luma holds against a frame's @region; says
 * why it cannot luma of another engine. */
static gboolean
is_countable (GstVideoHistogramEngine * engine, VhBackend * backend,
    const VhLuma * luma, const VhRect * region)
{
  const gboolean same_size = luma->width == region->width
      && luma->height == region->height;
  const gboolean same_maker = luma->maker == backend->klass;

  if (same_size && same_maker && luma->bins == engine->spec.joint_bins)
    return TRUE;
  if (luma == engine->luma)
    return FALSE;
  if (!same_maker) {
    set_joint_problem (engine, OTHER_DEVICE);
  } else if (!same_size) {
    set_joint_problem (engine, "the other stream is counted in %ux%u pixels, "
        "and this one in %ux%u; both must have the same size", luma->width,
        luma->height, region->width, region->height);
  } else {
    set_joint_problem (engine, "the other stream is kept in %u bins, and this "
        "one in %u; both must have the same joint-bins", luma->bins,
        engine->spec.joint_bins);
  }
  return FALSE;
}

/* A reference to luma that the frame with @region is counted against, or
 * NULL. */
static VhLuma *
ref_against (GstVideoHistogramEngine * engine, VhBackend * backend,
    const VhRect * region)
{
  VhLuma *luma = NULL;

  if (engine->spec.joint == GST_VIDEO_HISTOGRAM_JOINT_OTHER) {
    luma = ref_other_luma (engine);
    if (!luma)
      set_joint_problem (engine, NULL);
  } else if (engine->spec.joint == GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS
      && engine->luma) {
    luma = vh_luma_ref (engine->luma);
  }

  if (luma && !is_countable (engine, backend, luma, region))
    g_clear_pointer (&luma, vh_luma_unref);
  return luma;
}

/* Where the frame's luma is to be kept: in place of the last one, unless others
 * may read that. */
static VhLuma **
choose_keep (GstVideoHistogramEngine * engine, VhBackend * backend,
    gsize pixels)
{
  if (!is_watched (engine)) {
    g_mutex_lock (&engine->lock);
    engine->luma_shared = FALSE;
    g_mutex_unlock (&engine->lock);
    if (suits (engine->luma, backend, pixels)
        && vh_luma_is_exclusive (engine->luma))
      return &engine->luma;
  }
  return ensure_luma (engine, backend, &engine->spare, pixels, NULL) ?
      &engine->spare : NULL;
}

static GstVideoJointHistogram *
new_joint (GstVideoHistogramEngine * engine, VhBackend * backend,
    GstVideoHistogramJoint kind, const VhRect * region, VhJoint * joint)
{
  const guint bins = engine->spec.joint_bins;
  GstVideoJointHistogram *histogram;
  VhRect counted = *region;

  joint->chroma = kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA;
  if (joint->chroma)
    counted = vh_chroma_region (&engine->layout, region);
  histogram = vh_joint_histogram_new (kind, bins, bins,
      (guint64) counted.width * counted.height, backend->klass->name);
  if (histogram)
    joint->counts = vh_joint_histogram_counts (histogram);
  return histogram;
}

/* Finds out what of joint histograms is to be done with a frame, and gives
 * @histogram the one that comes of it. FALSE where there is nothing to do; else
 * end_joint() has to follow. */
static gboolean
begin_joint (GstVideoHistogramEngine * engine, VhBackend * backend,
    const VhRect * region, GstVideoHistogram * histogram, VhJoint * joint)
{
  const GstVideoHistogramJoint kind = engine->spec.joint;
  const gboolean counts = kind != GST_VIDEO_HISTOGRAM_JOINT_NONE
      && has_joint (engine, kind);

  *joint = (VhJoint) {
    .bins = engine->spec.joint_bins,
  };
  /* What nobody wants any more would soon not be of the last frame. */
  if (!engine->keeps_luma && engine->luma)
    drop_lumas (engine);
  if (!engine->keeps_luma && !counts)
    return FALSE;
  if (!ensure_joint (engine, backend, NULL)
      || (engine->keeps_luma && !(joint->keep = choose_keep (engine, backend,
                  (gsize) region->width * region->height)))) {
    drop_lumas (engine);
    return FALSE;
  }

  if (counts)
    joint->against = ref_against (engine, backend, region);
  if (joint->against || (counts && kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA)) {
    GstVideoJointHistogram *own = new_joint (engine, backend, kind, region,
        joint);

    if (own) {
      vh_histogram_set_joint (histogram, own);
      gst_video_joint_histogram_unref (own);
    } else {
      g_clear_pointer (&joint->against, vh_luma_unref);
    }
  }
  return joint->keep || joint->counts;
}

/* Makes what was kept of a frame the last one. */
static void
end_joint (GstVideoHistogramEngine * engine, const VhRect * region,
    VhJoint * joint, gboolean counted)
{
  g_clear_pointer (&joint->against, vh_luma_unref);
  if (joint->unreadable) {
    if (engine->spec.joint == GST_VIDEO_HISTOGRAM_JOINT_OTHER)
      set_joint_problem (engine, OTHER_DEVICE);
  } else if (joint->counts && counted) {
    set_joint_problem (engine, NULL);
  }
  if (!joint->keep)
    return;
  if (!joint->kept) {
    if (counted)
      drop_lumas (engine);
    return;
  }

  (*joint->keep)->width = region->width;
  (*joint->keep)->height = region->height;
  (*joint->keep)->bins = joint->bins;
  g_mutex_lock (&engine->lock);
  if (joint->keep == &engine->spare) {
    VhLuma *kept = engine->spare;

    engine->spare = engine->luma;
    engine->luma = kept;
  }
  engine->luma_shared = TRUE;
  g_mutex_unlock (&engine->lock);
}

/* The meta comes first: a backend that holds the buffer makes it read-only. */
static GstVideoHistogram *
submit_to (GstVideoHistogramEngine * engine, VhBackend * backend,
    VhFrameView * view, const VhRect * region,
    const GstVideoHistogramInfo * info, gboolean attach, GError ** error)
{
  GstVideoHistogram *histogram = vh_histogram_new (info, backend->klass->name);
  GstVideoHistogramMeta *meta = NULL;
  gboolean submitted;
  VhJoint joint;

  if (!histogram) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD, "there is no memory for the "
        "counts");
    return NULL;
  }
  if (attach) {
    meta = gst_buffer_add_video_histogram_meta (view->buffer, histogram);
    if (meta)
      vh_meta_set_measured (meta, view);
  }
  if (begin_joint (engine, backend, region, histogram, &joint)) {
    submitted = backend->klass->submit_joint (backend, view, region, histogram,
        &joint, error);
    end_joint (engine, region, &joint, submitted);
  } else {
    submitted = backend->klass->submit (backend, view, region, histogram,
        error);
  }
  if (!submitted) {
    if (meta)
      gst_buffer_remove_meta (view->buffer, &meta->meta);
    gst_clear_video_histogram (&histogram);
  }
  return histogram;
}

static gboolean
is_on_device (GstVideoHistogramEngine * engine, const VhFrameView * view)
{
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if ((view->planes & (1u << p)) && view->plane[p].memory
        && engine->cuda->klass->owns (view->plane[p].memory))
      return TRUE;
  }
  return FALSE;
}

/* Counts on the GPU what is there, or is better sent there; on the CPU what is
 * in system memory and the GPU cannot count. */
static GstVideoHistogram *
submit_view (GstVideoHistogramEngine * engine, VhFrameView * view,
    const VhRect * region, const GstVideoHistogramInfo * info, gboolean attach,
    GError ** error)
{
  const gboolean on_device = engine->cuda && is_on_device (engine, view);
  GstVideoHistogram *histogram = NULL;
  GError *cuda_error = NULL;

  if (!on_device && !engine->prefer_cuda)
    return submit_to (engine, engine->cpu, view, region, info, attach, error);

  if (configure_cuda (engine, &cuda_error))
    histogram = submit_to (engine, engine->cuda, view, region, info, attach,
        &cuda_error);
  if (histogram) {
    set_active (engine, "cuda", "", FALSE);
    return histogram;
  }

  if (!g_error_matches (cuda_error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_DEVICE)) {
    g_propagate_error (error, cuda_error);
    return NULL;
  }
  set_active (engine, on_device ? "none" : "cpu", cuda_error->message, TRUE);
  if (on_device) {
    g_propagate_error (error, cuda_error);
    return NULL;
  }
  g_error_free (cuda_error);
  return submit_to (engine, engine->cpu, view, region, info, attach, error);
}

/* Proves @planes of @buffer, and describes it. */
static gboolean
view_frame (GstVideoHistogramEngine * engine, GstBuffer * buffer, guint planes,
    VhFrameView * view, GstVideoHistogramInfo * info, VhRect * region,
    GError ** error)
{
  if (!vh_frame_view_init (view, &engine->layout, buffer, planes, error))
    return FALSE;

  if (!describe (engine, &view->picture, info)) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_SPEC, "The region lies outside the picture "
        "of %ux%u pixels that the crop meta leaves", view->picture.width,
        view->picture.height);
    return FALSE;
  }

  *region = (VhRect) {
    .x = view->picture.x + info->region_x,
    .y = view->picture.y + info->region_y,
    .width = info->region_width,
    .height = info->region_height,
  };
  return TRUE;
}

/* With %GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT: how often is looked whether there is
 * room, in microseconds, and after how long the device is given up. */
#define ROOM_INTERVAL 500
#define ROOM_PATIENCE (2 * G_TIME_SPAN_SECOND)

/**
 * gst_video_histogram_engine_set_overload:
 * @engine: a #GstVideoHistogramEngine
 * @overload: what happens to frames for which the device has no room
 *
 * Says whether gst_video_histogram_engine_submit() fails with
 * %GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD at once, as it does at first, or waits
 * for room; after two seconds without any it fails with
 * %GST_VIDEO_HISTOGRAM_ERROR_DEVICE then.
 *
 * Since: 0.2
 */
void
gst_video_histogram_engine_set_overload (GstVideoHistogramEngine * engine,
    GstVideoHistogramOverload overload)
{
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));

  engine->overload = overload;
}

/**
 * gst_video_histogram_engine_submit:
 * @engine: an open #GstVideoHistogramEngine
 * @buffer: a frame of the caps that @engine is configured for
 * @segment: (nullable): the segment of the frame, for the times of its
 *     histogram
 * @attach_meta: whether to attach the histogram to @buffer, which must be
 *     writable then, as a #GstVideoHistogramMeta
 * @error: return location for a #GError
 *
 * Counts a frame, or has it counted: the histogram may be pending, and @buffer
 * be referred to until it is not. The frame is only read; nothing outside its
 * memories is, whatever its metas say.
 *
 * Returns: (transfer full) (nullable): the histogram, or %NULL with
 *     %GST_VIDEO_HISTOGRAM_ERROR_FRAME where the buffer does not hold such a
 *     frame, %GST_VIDEO_HISTOGRAM_ERROR_SPEC where the region lies outside its
 *     picture, %GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD or
 *     %GST_VIDEO_HISTOGRAM_ERROR_DEVICE
 */
GstVideoHistogram *
gst_video_histogram_engine_submit (GstVideoHistogramEngine * engine,
    GstBuffer * buffer, const GstSegment * segment, gboolean attach_meta,
    GError ** error)
{
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  GError *local = NULL;
  VhFrameView view;
  VhRect region;
  guint planes;
  gint64 end;

  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);
  g_return_val_if_fail (engine->configured, NULL);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (!attach_meta || gst_buffer_is_writable (buffer), NULL);

  engine->keeps_luma = is_watched (engine)
      || engine->spec.joint == GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS;
  planes = engine->planes;
  if (engine->keeps_luma)
    planes |= joint_planes (engine, GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS);
  if (!view_frame (engine, buffer, planes, &view, &info, &region, error))
    return NULL;
  set_times (&info, buffer, segment);
  end = g_get_monotonic_time () + ROOM_PATIENCE;
  while (!(histogram = submit_view (engine, &view, &region, &info, attach_meta,
              &local)) && engine->overload == GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT
      && g_error_matches (local, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD)
      && g_get_monotonic_time () < end) {
    g_clear_error (&local);
    g_usleep (ROOM_INTERVAL);
  }
  if (!histogram && engine->overload == GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT
      && g_error_matches (local, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD))
    local->code = GST_VIDEO_HISTOGRAM_ERROR_DEVICE;
  if (!histogram)
    g_propagate_error (error, local);
  return histogram;
}

/* Counts a joint histogram of what @views hold, on @backend: of U and V of one,
 * or of luma of two. */
static GstVideoJointHistogram *
count_joint_on (GstVideoHistogramEngine * engine, VhBackend * backend,
    GstVideoHistogramJoint kind, VhFrameView views[2], const VhRect regions[2],
    GError ** error)
{
  VhJoint first = {.bins = engine->spec.joint_bins };
  VhJoint joint = first;
  GstVideoJointHistogram *histogram;
  guint last = 0;

  if (!ensure_joint (engine, backend, error))
    return NULL;
  if (kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER) {
    if (!ensure_luma (engine, backend, &engine->pair,
            (gsize) regions[0].width * regions[0].height, error))
      return NULL;
    first.keep = &engine->pair;
    if (!backend->klass->submit_joint (backend, &views[0], &regions[0], NULL,
            &first, error))
      return NULL;
    joint.against = engine->pair;
    last = 1;
  }

  histogram = new_joint (engine, backend, kind, &regions[last], &joint);
  if (!backend->klass->submit_joint (backend, &views[last], &regions[last],
          NULL, &joint, error))
    gst_clear_video_joint_histogram (&histogram);
  return histogram;
}

/**
 * gst_video_histogram_engine_count_joint:
 * @engine: an engine that is configured for the caps of the frames
 * @kind: %GST_VIDEO_HISTOGRAM_JOINT_CHROMA for U against V of @a, or
 *     %GST_VIDEO_HISTOGRAM_JOINT_OTHER for luma of @a against luma of @b
 * @a: a frame
 * @b: (nullable): another frame; %NULL for chroma
 * @error: return location for a #GError
 *
 * Counts a joint histogram of any two frames, or of the chroma of one, in as
 * many bins as the spec says for joint histograms, and nothing else. It may be
 * pending, and the buffers be referred to until it is not. Between frames that
 * follow each other, gst_video_histogram_engine_submit() with a joint histogram
 * in the spec costs less.
 *
 * Returns: (transfer full) (nullable): the joint histogram, or %NULL with
 *     %GST_VIDEO_HISTOGRAM_ERROR_FRAME where a buffer does not hold such a
 *     frame, %GST_VIDEO_HISTOGRAM_ERROR_SPEC where the video has no chroma or
 *     the regions of the frames differ in size,
 *     %GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD or %GST_VIDEO_HISTOGRAM_ERROR_DEVICE
 */
GstVideoJointHistogram *
gst_video_histogram_engine_count_joint (GstVideoHistogramEngine * engine,
    GstVideoHistogramJoint kind, GstBuffer * a, GstBuffer * b, GError ** error)
{
  GstVideoJointHistogram *joint = NULL;
  GstVideoHistogramInfo info;
  GError *cuda_error = NULL;
  VhFrameView views[2];
  VhRect regions[2];
  gboolean on_device;
  guint planes;

  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);
  g_return_val_if_fail (engine->configured, NULL);
  g_return_val_if_fail (kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA
      || kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER, NULL);
  g_return_val_if_fail (GST_IS_BUFFER (a), NULL);
  g_return_val_if_fail (kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER ?
      GST_IS_BUFFER (b) : b == NULL, NULL);

  if (!has_joint (engine, kind)) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_SPEC, "%s has no U and V",
        GST_VIDEO_INFO_NAME (&engine->layout.info));
    return NULL;
  }
  planes = joint_planes (engine, kind);
  if (!view_frame (engine, a, planes, &views[0], &info, &regions[0], error)
      || (b && !view_frame (engine, b, planes, &views[1], &info, &regions[1],
              error)))
    return NULL;
  if (b && (regions[0].width != regions[1].width
          || regions[0].height != regions[1].height)) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_SPEC, "One frame has %ux%u pixels to count, "
        "and the other %ux%u", regions[0].width, regions[0].height,
        regions[1].width, regions[1].height);
    return NULL;
  }

  on_device = engine->cuda && (is_on_device (engine, &views[0])
      || (b && is_on_device (engine, &views[1])));
  if ((on_device || engine->prefer_cuda)
      && configure_cuda (engine, &cuda_error)) {
    joint = count_joint_on (engine, engine->cuda, kind, views, regions,
        &cuda_error);
  }
  if (!joint && !on_device && (!cuda_error || g_error_matches (cuda_error,
              GST_VIDEO_HISTOGRAM_ERROR, GST_VIDEO_HISTOGRAM_ERROR_DEVICE))) {
    g_clear_error (&cuda_error);
    return count_joint_on (engine, engine->cpu, kind, views, regions, error);
  }
  if (cuda_error)
    g_propagate_error (error, cuda_error);
  return joint;
}

/**
 * gst_video_histogram_engine_set_joint_other:
 * @engine: a #GstVideoHistogramEngine
 * @other: (nullable): the engine of another stream, or %NULL
 *
 * Says which stream %GST_VIDEO_HISTOGRAM_JOINT_OTHER counts against: luma of
 * the frame that was last submitted to @other, which keeps it from now on, but
 * not the frame. Its region must be of the same size, its joint bins as many,
 * and both be counted on the same device. May be called from any thread; does
 * not keep @other alive.
 */
void
gst_video_histogram_engine_set_joint_other (GstVideoHistogramEngine * engine,
    GstVideoHistogramEngine * other)
{
  GstVideoHistogramEngine *before;

  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));
  g_return_if_fail (other == NULL || GST_IS_VIDEO_HISTOGRAM_ENGINE (other));
  g_return_if_fail (other != engine);

  if (other)
    g_atomic_int_inc (&other->watchers);
  g_mutex_lock (&engine->lock);
  before = g_weak_ref_get (&engine->other);
  g_weak_ref_set (&engine->other, other);
  g_mutex_unlock (&engine->lock);
  if (before) {
    g_atomic_int_add (&before->watchers, -1);
    g_object_unref (before);
  }
}

/**
 * gst_video_histogram_engine_propose_allocation:
 * @engine: a #GstVideoHistogramEngine
 * @query: an ALLOCATION query that downstream has answered
 *
 * Adds to the answer what memory frames had best be written to: memory that the
 * GPU's copy engine reads directly, where frames in system memory are uploaded
 * and downstream offers no pool of its own.
 */
void
gst_video_histogram_engine_propose_allocation (GstVideoHistogramEngine * engine,
    GstQuery * query)
{
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));
  g_return_if_fail (GST_IS_QUERY (query));

  if (engine->cuda_configured && engine->prefer_cuda)
    engine->cuda->klass->propose_allocation (engine->cuda, query);
}

/**
 * gst_video_histogram_engine_set_context:
 * @engine: a #GstVideoHistogramEngine
 * @context: a #GstContext that the engine's element was given
 *
 * Lets the engine use the CUDA context in @context, if there is one. May be
 * called from any thread.
 */
void
gst_video_histogram_engine_set_context (GstVideoHistogramEngine * engine,
    GstContext * context)
{
  g_return_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine));

  g_mutex_lock (&engine->lock);
  if (engine->cuda)
    engine->cuda->klass->set_context (engine->cuda, context);
  g_mutex_unlock (&engine->lock);
}

/**
 * gst_video_histogram_engine_answer_context_query:
 * @engine: a #GstVideoHistogramEngine
 * @query: a CONTEXT query to the engine's element
 *
 * Answers with the engine's CUDA context, if it has one and that is what @query
 * asks for. May be called from any thread.
 *
 * Returns: whether @query was answered
 */
gboolean
gst_video_histogram_engine_answer_context_query (
    GstVideoHistogramEngine * engine, GstQuery * query)
{
  gboolean answered = FALSE;

  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), FALSE);

  g_mutex_lock (&engine->lock);
  if (engine->cuda)
    answered = engine->cuda->klass->answer_context_query (engine->cuda, query);
  g_mutex_unlock (&engine->lock);
  return answered;
}

/**
 * gst_video_histogram_engine_get_active_backend:
 * @engine: a #GstVideoHistogramEngine
 *
 * Returns: (nullable): where frames are counted now: `cpu` or `cuda`, `none`
 *     for frames on a GPU that fails; %NULL while @engine is closed. May be
 *     called from any thread.
 */
const gchar *
gst_video_histogram_engine_get_active_backend (GstVideoHistogramEngine * engine)
{
  const gchar *name;

  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);

  g_mutex_lock (&engine->lock);
  name = engine->active_backend;
  g_mutex_unlock (&engine->lock);
  return name;
}

/**
 * gst_video_histogram_engine_dup_method_problem:
 * @engine: a #GstVideoHistogramEngine
 *
 * Returns: (transfer full) (nullable): why frames of what was configured last
 *     are not counted by the method that was asked for, and which could, in
 *     sentences; %NULL where they are, and on the CPU, which chooses by itself
 */
gchar *
gst_video_histogram_engine_dup_method_problem (GstVideoHistogramEngine * engine)
{
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);

  if (!engine->cuda_configured || !engine->cuda->klass->dup_method_problem)
    return NULL;
  return engine->cuda->klass->dup_method_problem (engine->cuda);
}

/**
 * gst_video_histogram_engine_dup_joint_problem:
 * @engine: a #GstVideoHistogramEngine
 *
 * Returns: (transfer full) (nullable): why no joint histogram was counted with
 *     the frame that was submitted last, or will be with those of what was
 *     configured last, in a clause; %NULL where there is no problem, and where
 *     there is only no frame yet to count against
 */
gchar *
gst_video_histogram_engine_dup_joint_problem (GstVideoHistogramEngine * engine)
{
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);

  return g_strdup (engine->joint_problem);
}

/**
 * gst_video_histogram_engine_dup_backend_reason:
 * @engine: a #GstVideoHistogramEngine
 *
 * Returns: (transfer full) (nullable): why no other backend is in use, in a
 *     sentence; empty where none was tried, %NULL while @engine is closed. May
 *     be called from any thread.
 */
gchar *
gst_video_histogram_engine_dup_backend_reason (GstVideoHistogramEngine * engine)
{
  gchar *reason;

  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), NULL);

  g_mutex_lock (&engine->lock);
  reason = g_strdup (engine->reason);
  g_mutex_unlock (&engine->lock);
  return reason;
}

/**
 * gst_video_histogram_engine_is_degraded:
 * @engine: a #GstVideoHistogramEngine
 *
 * Returns: whether a device that should count fails now, so that frames are
 *     counted elsewhere or not at all;
 *     gst_video_histogram_engine_dup_backend_reason() says why. May be called
 *     from any thread.
 */
gboolean
gst_video_histogram_engine_is_degraded (GstVideoHistogramEngine * engine)
{
  gboolean degraded;

  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM_ENGINE (engine), FALSE);

  g_mutex_lock (&engine->lock);
  degraded = engine->degraded;
  g_mutex_unlock (&engine->lock);
  return degraded;
}

/**
 * gst_video_histogram_engine_get_caps:
 *
 * The formats that can be counted: every one of 8 to 16 bits a sample whose
 * layout GStreamer's format tables tell.
 *
 * Returns: (transfer full): raw video caps in system memory
 */
GstCaps *
gst_video_histogram_engine_get_caps (void)
{
  GArray *formats = g_array_new (FALSE, FALSE, sizeof (GstVideoFormat));
  const GstVideoFormat *raw;
  GstCaps *caps;
  guint n_raw, i;

  raw = gst_video_formats_raw (&n_raw);
  for (i = 0; i < n_raw; i++) {
    if (vh_layout_supports (gst_video_format_get_info (raw[i])))
      g_array_append_val (formats, raw[i]);
  }
  caps = gst_video_make_raw_caps ((const GstVideoFormat *) formats->data,
      formats->len);
  g_array_unref (formats);
  return caps;
}
