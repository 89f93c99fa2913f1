/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "enginejoint.h"
#include "core/channels.h"
#include "core/error.h"
#include "core/log.h"

#define OTHER_DEVICE "the other stream and this one are counted on different " \
    "devices (CPU and GPU)"

struct _VhJointStream
{
  gint refcount;                /* atomic */
  gint watchers;                /* atomic: streams that count against this
                                 * one */

  const VhLayout *layout;
  GstVideoHistogramJoint kind;
  guint bins;
  gsize region_pixels;

  gchar *problem;               /* why none is counted, or NULL */
  VhLuma *luma;                 /* of the last frame if is_last, or NULL;
                                 * written under lock */
  gboolean is_last;
  VhLuma *spare;                /* for the next frame's, or NULL */
  VhLuma *pair;                 /* for vh_joint_stream_count(), or NULL */

  GMutex lock;
  gboolean shared;              /* other threads may take luma, so nothing
                                 * writes to it; protected by lock */
  VhJointStream *other;         /* to count against, or NULL; protected by
                                 * lock */
};

VhJointStream *
vh_joint_stream_new (void)
{
  VhJointStream *self = g_new0 (VhJointStream, 1);

  self->refcount = 1;
  g_mutex_init (&self->lock);
  return self;
}

VhJointStream *
vh_joint_stream_ref (VhJointStream * self)
{
  g_atomic_int_inc (&self->refcount);
  return self;
}

void
vh_joint_stream_unref (VhJointStream * self)
{
  if (!g_atomic_int_dec_and_test (&self->refcount))
    return;
  vh_joint_stream_drop (self);
  g_free (self->problem);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
vh_joint_stream_set_other (VhJointStream * self, VhJointStream * other)
{
  VhJointStream *before;

  if (other) {
    vh_joint_stream_ref (other);
    g_atomic_int_inc (&other->watchers);
  }
  g_mutex_lock (&self->lock);
  before = self->other;
  self->other = other;
  g_mutex_unlock (&self->lock);
  if (before) {
    g_atomic_int_add (&before->watchers, -1);
    vh_joint_stream_unref (before);
  }
}

static gboolean
is_watched (VhJointStream * self)
{
  return g_atomic_int_get (&self->watchers) > 0;
}

static gboolean
keeps_luma (VhJointStream * self)
{
  return self->kind == GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS || is_watched (self);
}

void
vh_joint_stream_drop (VhJointStream * self)
{
  VhLuma *luma;

  g_mutex_lock (&self->lock);
  luma = g_steal_pointer (&self->luma);
  self->shared = FALSE;
  g_mutex_unlock (&self->lock);
  self->is_last = FALSE;
  g_clear_pointer (&luma, vh_luma_unref);
  g_clear_pointer (&self->spare, vh_luma_unref);
  g_clear_pointer (&self->pair, vh_luma_unref);
}

void
vh_joint_stream_forget_last (VhJointStream * self)
{
  g_mutex_lock (&self->lock);
  self->shared = FALSE;
  g_mutex_unlock (&self->lock);
  self->is_last = FALSE;
}

static void
set_problem (VhJointStream * self, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);

/* With NULL there is none. */
static void
set_problem (VhJointStream * self, const gchar * format, ...)
{
  va_list arguments;

  g_clear_pointer (&self->problem, g_free);
  if (!format)
    return;
  va_start (arguments, format);
  self->problem = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

gchar *
vh_joint_stream_dup_problem (const VhJointStream * self)
{
  return g_strdup (self->problem);
}

gboolean
vh_joint_stream_has (const VhJointStream * self, GstVideoHistogramJoint kind)
{
  return kind != GST_VIDEO_HISTOGRAM_JOINT_CHROMA
      || vh_layout_has_chroma (self->layout);
}

guint
vh_joint_stream_kind_planes (const VhJointStream * self,
    GstVideoHistogramJoint kind)
{
  if (kind == GST_VIDEO_HISTOGRAM_JOINT_NONE
      || !vh_joint_stream_has (self, kind))
    return 0;
  if (kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA)
    return vh_layout_chroma_planes (self->layout);
  return vh_channels_planes (self->layout, 1u << VH_CHANNEL_LUMA);
}

guint
vh_joint_stream_planes (VhJointStream * self)
{
  guint planes = vh_joint_stream_kind_planes (self, self->kind);

  if (keeps_luma (self))
    planes |= vh_joint_stream_kind_planes (self,
        GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS);
  return planes;
}

void
vh_joint_stream_set (VhJointStream * self, const VhLayout * layout,
    GstVideoHistogramJoint kind, guint bins, gsize region_pixels)
{
  self->layout = layout;
  self->kind = kind;
  self->bins = bins;
  self->region_pixels = region_pixels;
  vh_joint_stream_forget_last (self);
  set_problem (self, NULL);
  if (!vh_joint_stream_has (self, kind)) {
    set_problem (self, "joint=chroma needs video in colour, but this is %s",
        GST_VIDEO_INFO_NAME (&layout->info));
  }
}

static void
fail (VhJointStream * self, VhCounting * counting, const GError * error)
{
  counting->joint_state = VH_JOINT_FAILED;
  set_problem (self, "%s", error->message);
}

/* Makes joint histograms ready, or stores why there are none. */
static gboolean
ensure_joint (VhJointStream * self, VhCounting * counting, GError ** error)
{
  const gboolean tried = counting->joint_state == VH_JOINT_FAILED;
  GError *local = NULL;

  if (vh_counting_ensure_joint (counting, &local))
    return TRUE;
  if (!tried)
    fail (self, counting, local);
  g_error_free (local);
  g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "%s", self->problem ?
      self->problem : "there are no joint histograms");
  return FALSE;
}

static gboolean
suits (const VhLuma * luma, const VhCounting * counting, gsize pixels)
{
  return luma && luma->maker == counting->joint->klass
      && luma->capacity >= pixels;
}

/* Ensures that @luma has room for @pixels, and no other reference. */
static gboolean
ensure_luma (VhJointStream * self, VhCounting * counting, VhLuma ** luma,
    gsize pixels, GError ** error)
{
  GError *local = NULL;

  if (suits (*luma, counting, pixels) && vh_luma_is_exclusive (*luma))
    return TRUE;
  g_clear_pointer (luma, vh_luma_unref);
  pixels = MAX (pixels, self->region_pixels);
  GST_DEBUG_OBJECT (counting->element, "making room for luma of %"
      G_GSIZE_FORMAT " pixels on %s", pixels, counting->device->klass->name);
  *luma = counting->joint->klass->new_luma (counting->joint, pixels, &local);
  if (*luma)
    return TRUE;
  fail (self, counting, local);
  g_propagate_error (error, local);
  return FALSE;
}

void
vh_joint_stream_prepare (VhJointStream * self, VhCounting * counting)
{
  const gboolean counts = self->kind != GST_VIDEO_HISTOGRAM_JOINT_NONE
      && vh_joint_stream_has (self, self->kind);

  if (!keeps_luma (self))
    vh_joint_stream_drop (self);
  if ((counts || keeps_luma (self)) && ensure_joint (self, counting, NULL)
      && keeps_luma (self) && !self->luma)
    ensure_luma (self, counting, &self->spare, 0, NULL);
}

/* A reference to luma of the last frame of the other stream, or NULL. */
static VhLuma *
ref_other_luma (VhJointStream * self)
{
  VhJointStream *other;
  VhLuma *luma = NULL;

  g_mutex_lock (&self->lock);
  other = self->other ? vh_joint_stream_ref (self->other) : NULL;
  g_mutex_unlock (&self->lock);
  if (!other)
    return NULL;

  g_mutex_lock (&other->lock);
  if (other->shared)
    luma = vh_luma_ref (other->luma);
  g_mutex_unlock (&other->lock);
  vh_joint_stream_unref (other);
  return luma;
}

/* Whether @counting can count @luma against a frame's @region; for luma of
 * another stream, stores why not. */
static gboolean
is_countable (VhJointStream * self, const VhCounting * counting,
    const VhLuma * luma, const VhRect * region)
{
  const gboolean same_size = luma->width == region->width
      && luma->height == region->height;
  const gboolean same_maker = luma->maker == counting->joint->klass;

  if (same_size && same_maker && luma->bins == self->bins)
    return TRUE;
  if (luma == self->luma)
    return FALSE;
  if (!same_maker) {
    set_problem (self, OTHER_DEVICE);
  } else if (!same_size) {
    set_problem (self, "the other stream is counted in %ux%u pixels, and this "
        "one in %ux%u; both must have the same size", luma->width,
        luma->height, region->width, region->height);
  } else {
    set_problem (self, "the other stream is kept in %u bins, and this one in "
        "%u; both must have the same joint-bins", luma->bins, self->bins);
  }
  return FALSE;
}

/* A reference to the luma to count the frame with @region against, or NULL. */
static VhLuma *
ref_against (VhJointStream * self, const VhCounting * counting,
    const VhRect * region)
{
  VhLuma *luma = NULL;

  if (self->kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER) {
    luma = ref_other_luma (self);
    if (!luma)
      set_problem (self, NULL);
  } else if (self->kind == GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS
      && self->is_last) {
    luma = vh_luma_ref (self->luma);
  }

  if (luma && !is_countable (self, counting, luma, region))
    g_clear_pointer (&luma, vh_luma_unref);
  return luma;
}

/* Where to keep the frame's luma: in place of the last one, unless other
 * streams may read that. */
static VhLuma **
choose_keep (VhJointStream * self, VhCounting * counting, gsize pixels)
{
  if (!is_watched (self)) {
    g_mutex_lock (&self->lock);
    self->shared = FALSE;
    g_mutex_unlock (&self->lock);
    if (suits (self->luma, counting, pixels)
        && vh_luma_is_exclusive (self->luma))
      return &self->luma;
  }
  return ensure_luma (self, counting, &self->spare, pixels, NULL) ?
      &self->spare : NULL;
}

static GstVideoJointHistogram *
new_joint (VhJointStream * self, const VhCounting * counting,
    GstVideoHistogramJoint kind, const VhRect * region, VhJoint * work)
{
  GstVideoJointHistogram *joint;
  VhRect counted = *region;

  work->chroma = kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA;
  if (work->chroma)
    counted = vh_chroma_region (self->layout, region);
  joint = vh_joint_histogram_new (kind, self->bins, self->bins,
      (guint64) counted.width * counted.height, counting->device->klass->name);
  if (joint)
    work->counts = vh_joint_histogram_counts (joint);
  return joint;
}

gboolean
vh_joint_stream_begin (VhJointStream * self, VhCounting * counting,
    const VhRect * region, GstVideoHistogram * histogram, VhJoint * work)
{
  const gboolean keeps = keeps_luma (self);
  const gboolean counts = self->kind != GST_VIDEO_HISTOGRAM_JOINT_NONE
      && vh_joint_stream_has (self, self->kind);

  *work = (VhJoint) {
    .bins = self->bins,
  };
  /* Luma that is no longer kept would soon be out of date. */
  if (!keeps && self->luma)
    vh_joint_stream_drop (self);
  if (!keeps && !counts)
    return FALSE;
  if (!ensure_joint (self, counting, NULL)
      || (keeps && !(work->keep = choose_keep (self, counting,
                  (gsize) region->width * region->height)))) {
    vh_joint_stream_drop (self);
    return FALSE;
  }

  if (counts)
    work->against = ref_against (self, counting, region);
  if (work->against || (counts
          && self->kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA)) {
    GstVideoJointHistogram *own = new_joint (self, counting, self->kind,
        region, work);

    if (own) {
      vh_histogram_set_joint (histogram, own);
      gst_video_joint_histogram_unref (own);
    } else {
      g_clear_pointer (&work->against, vh_luma_unref);
    }
  }
  return work->keep || work->counts;
}

/* The luma kept of this frame is now the last one. */
static void
set_last (VhJointStream * self, VhLuma ** kept, const VhRect * region,
    guint bins)
{
  (*kept)->width = region->width;
  (*kept)->height = region->height;
  (*kept)->bins = bins;
  g_mutex_lock (&self->lock);
  if (kept == &self->spare) {
    VhLuma *luma = self->spare;

    self->spare = self->luma;
    self->luma = luma;
  }
  self->shared = TRUE;
  g_mutex_unlock (&self->lock);
  self->is_last = TRUE;
}

void
vh_joint_stream_end (VhJointStream * self, const VhRect * region,
    VhJoint * work, gboolean submitted)
{
  g_clear_pointer (&work->against, vh_luma_unref);
  if (work->unreadable) {
    if (self->kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER)
      set_problem (self, OTHER_DEVICE);
  } else if (work->counts && submitted) {
    set_problem (self, NULL);
  }
  if (work->keep && work->kept)
    set_last (self, work->keep, region, work->bins);
  else if (work->keep && submitted)
    vh_joint_stream_drop (self);
}

/* Begins and ends one frame on the device for @work, which may take several
 * frames: there is room for each. */
static gboolean
submit_frame (VhCounting * counting, VhFrameView * view, const VhRect * region,
    VhJoint * work, GError ** error)
{
  const VhDeviceClass *klass = counting->device->klass;
  VhFrame *frame = klass->begin (counting->device, view, VH_FRAME_READ, TRUE,
      error);
  gboolean submitted;

  if (!frame)
    return FALSE;
  submitted = counting->joint->klass->submit (counting->joint, frame, region,
      work, error);
  klass->end (counting->device, frame, NULL);
  return submitted;
}

GstVideoJointHistogram *
vh_joint_stream_count (VhJointStream * self, VhCounting * counting,
    GstVideoHistogramJoint kind, VhFrameView views[2], const VhRect regions[2],
    GError ** error)
{
  VhJoint first = {.bins = self->bins };
  VhJoint work = first;
  GstVideoJointHistogram *joint;
  guint last = 0;

  if (!ensure_joint (self, counting, error))
    return NULL;
  if (kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER) {
    if (!ensure_luma (self, counting, &self->pair,
            (gsize) regions[0].width * regions[0].height, error))
      return NULL;
    first.keep = &self->pair;
    if (!submit_frame (counting, &views[0], &regions[0], &first, error))
      return NULL;
    work.against = self->pair;
    last = 1;
  }

  joint = new_joint (self, counting, kind, &regions[last], &work);
  if (!joint) {
    g_set_error (error, VH_ERROR, VH_ERROR_OVERLOAD, "there is not enough "
        "memory for the counts");
  } else if (!submit_frame (counting, &views[last], &regions[last], &work,
          error)) {
    gst_clear_video_joint_histogram (&joint);
  }
  return joint;
}
