/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enginejoint.h"
#include "enginespec.h"
#include "core/channels.h"
#include "core/error.h"
#include "core/log.h"

#define OTHER_DEVICE "the streams are counted on different devices (CPU and " \
    "GPU); set the same backend on both"

/* Limits on the frames that a stream keeps for others. */
#define MAX_KEPT 256
#define MAX_KEPT_BYTES (64 << 20)
#define MAX_SPARE 4             /* memories for further frames */

/* How long a frame waits for another stream that sends nothing, in us. */
#define MAX_WAIT (2 * G_USEC_PER_SEC)

/* Warn after this many frames in a row without a counterpart in the other
 * stream. */
#define MAX_MISSES 10

/* When a stream last had a frame, for streams that wait for it; in ms of the
 * monotonic clock. */
typedef struct
{
  gint refcount;                /* atomic */
  gint last;                    /* atomic */
} Activity;

/* A kept frame. */
typedef struct
{
  VhLuma *luma;
  GstClockTime time, step;      /* running time, and ns between frames or 0 */
} Kept;

/* How long counts wait for another stream. */
typedef struct
{
  gint refcount;                /* atomic */
  gint over;                    /* atomic: the wait has ended */
  gint since;                   /* ms */
  Activity *activity;           /* of the other stream */
} Wait;

/* A frame that waits for a frame of the stream that holds this request. */
typedef struct
{
  Wait *wait;
  GstVideoJointHistogram *joint;
  VhLuma *luma;
  GstClockTime time, step;
  VhJointStream *stream;        /* the stream of that frame */
} Request;

/* A stream that counts against this one. */
typedef struct
{
  const VhJointStream *stream;
  GstClockTime seen;            /* time of the last frame that it looked up */
} Counter;

struct _VhJointStream
{
  VhTask parent;

  const VhLayout *layout;
  GstVideoHistogramJoint kind;
  guint bins, method;
  gsize region_pixels;

  VhWhere where;                /* the device of the current frame */
  VhJointCounter *counter;      /* its operation */
  VhJoint work;                 /* of the current frame */
  gboolean keeps;               /* keeps_luma(), when the planes of the current
                                 * frame were chosen */
  gboolean has_work;            /* a joint histogram, or luma to keep */
  gboolean submitted;           /* work was submitted */
  guint n_results;              /* submitted for the current frame */

  gchar *problem;               /* why nothing is counted, or NULL */
  VhLuma *luma;                 /* of the last frame if is_last, or NULL;
                                 * written under lock */
  gboolean is_last;
  VhLuma *spare;                /* memory for the next frame's luma, or NULL */
  VhLuma *pair;                 /* for vh_joint_stream_count(), or NULL */
  GstClockTime time, step;      /* of the current frame, as in Kept */
  GstVideoJointHistogram *later;        /* of the current frame, if its
                                         * counterpart may still come, or
                                         * NULL */
  gint misses;                  /* atomic: frames in a row without a
                                 * counterpart */
  Activity *activity;

  GMutex lock;
  GArray *kept;                 /* of Kept, in ascending order of time;
                                 * protected by lock */
  gsize kept_bytes;             /* protected by lock */
  GPtrArray *spares;            /* of VhLuma; protected by lock */
  GArray *requests;             /* of Request; protected by lock */
  GArray *counters;             /* of Counter; protected by lock */
  gboolean ended;               /* no frames are expected for now; protected by
                                 * lock */
  gboolean shared;              /* other threads may use luma, so nothing may
                                 * write to it; protected by lock */
  gboolean untimed;             /* luma belongs to a frame without a running
                                 * time; protected by lock */
  VhJointStream *other;         /* to count against, or NULL; protected by
                                 * lock */

  GMutex linking;               /* held, before any lock, while other changes:
                                 * each stream that was other must know it */
};

static gint
now_ms (void)
{
  return (gint) (guint) (g_get_monotonic_time () / 1000);
}

/* Milliseconds from @then to now. */
static guint
ms_since (gint then)
{
  return (guint) now_ms () - (guint) then;
}

static void
clear_kept (gpointer data)
{
  vh_luma_unref (((Kept *) data)->luma);
}

static void
activity_unref (Activity * activity)
{
  if (g_atomic_int_dec_and_test (&activity->refcount))
    g_free (activity);
}

static void
wait_unref (gpointer data)
{
  Wait *self = data;

  if (!g_atomic_int_dec_and_test (&self->refcount))
    return;
  activity_unref (self->activity);
  g_free (self);
}

static gboolean
is_silent (const Wait * self)
{
  return MIN (ms_since (self->since),
      ms_since (g_atomic_int_get (&self->activity->last))) >= MAX_WAIT / 1000;
}

/* Ends the wait. Returns FALSE if it had already ended. */
static gboolean
end_wait (Wait * self)
{
  return g_atomic_int_compare_and_exchange (&self->over, FALSE, TRUE);
}

/* Called with the lock of @counts held. */
static void
poll_wait (gpointer job, VhCounts * counts)
{
  if (is_silent (job) && end_wait (job))
    vh_counts_fail (counts);
}

static const VhPendingFuncs wait_funcs = {
  .poll = poll_wait,
  .release = wait_unref,
};

/* Ends the wait of the request. Returns TRUE if it was still waiting; then the
 * caller must complete or fail its counts. */
static gboolean
end_request (Request * self)
{
  if (!end_wait (self->wait))
    return FALSE;
  vh_counts_set_pending (vh_joint_histogram_counts (self->joint), NULL, NULL);
  wait_unref (self->wait);
  return TRUE;
}

static void
clear_request (gpointer data)
{
  Request *self = data;

  if (end_request (self)) {
    g_atomic_int_inc (&self->stream->misses);
    vh_counts_fail (vh_joint_histogram_counts (self->joint));
  }
  wait_unref (self->wait);
  gst_video_joint_histogram_unref (self->joint);
  vh_luma_unref (self->luma);
  vh_task_unref (self->stream);
}

/* Returns @stream in the counters of @self, which is locked, or NULL. */
static Counter *
find_counter (VhJointStream * self, const VhJointStream * stream)
{
  guint i;

  for (i = 0; i < self->counters->len; i++) {
    Counter *counter = &g_array_index (self->counters, Counter, i);

    if (counter->stream == stream)
      return counter;
  }
  return NULL;
}

static void
add_counter (VhJointStream * self, const VhJointStream * stream)
{
  const Counter counter = { stream, GST_CLOCK_TIME_NONE };

  g_mutex_lock (&self->lock);
  g_array_append_val (self->counters, counter);
  g_mutex_unlock (&self->lock);
}

static void
remove_counter (VhJointStream * self, const VhJointStream * stream)
{
  Counter *counter;

  g_mutex_lock (&self->lock);
  counter = find_counter (self, stream);
  g_array_remove_index_fast (self->counters,
      counter - (Counter *) (gpointer) self->counters->data);
  g_mutex_unlock (&self->lock);
}

void
vh_joint_stream_set_other (VhJointStream * self, VhJointStream * other)
{
  VhJointStream *before;

  g_mutex_lock (&self->linking);
  g_mutex_lock (&self->lock);
  before = self->other;
  self->other = other ? vh_task_ref (other) : NULL;
  g_mutex_unlock (&self->lock);
  if (before != other) {
    if (before)
      remove_counter (before, self);
    if (other)
      add_counter (other, self);
  }
  g_mutex_unlock (&self->linking);
  if (before)
    vh_task_unref (before);
}

/* Returns a reference to the stream to count against, or NULL. */
static VhJointStream *
ref_other (VhJointStream * self)
{
  VhJointStream *other;

  g_mutex_lock (&self->lock);
  other = self->other ? vh_task_ref (self->other) : NULL;
  g_mutex_unlock (&self->lock);
  return other;
}

/* Whether streams count against this one. */
static gboolean
is_watched (VhJointStream * self)
{
  gboolean watched;

  g_mutex_lock (&self->lock);
  watched = self->counters->len > 0;
  g_mutex_unlock (&self->lock);
  return watched;
}

/* Whether the luma of each frame is needed later. */
static gboolean
keeps_luma (VhJointStream * self)
{
  return self->kind == GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS || is_watched (self);
}

/* Whether the luma of a frame may be needed later. */
static gboolean
may_keep_luma (VhJointStream * self)
{
  return self->kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER || keeps_luma (self);
}

/* Takes the requests that wait for frames of @self. */
static GArray *
steal_requests (VhJointStream * self)
{
  GArray *requests = self->requests;

  self->requests = g_array_new (FALSE, FALSE, sizeof (Request));
  g_array_set_clear_func (self->requests, clear_request);
  return requests;
}

/* Forgets the frames kept for other streams, and fails the requests that wait
 * for more. */
static void
forget_kept (VhJointStream * self)
{
  GArray *requests;

  g_mutex_lock (&self->lock);
  self->shared = FALSE;
  g_array_set_size (self->kept, 0);
  self->kept_bytes = 0;
  requests = steal_requests (self);
  g_mutex_unlock (&self->lock);
  g_array_unref (requests);
}

/* Forgets the last frame and releases its memory. */
static void
joint_drop (VhTask * task)
{
  VhJointStream *self = (VhJointStream *) task;
  VhLuma *luma;

  forget_kept (self);
  g_mutex_lock (&self->lock);
  luma = g_steal_pointer (&self->luma);
  g_ptr_array_set_size (self->spares, 0);
  g_mutex_unlock (&self->lock);
  self->is_last = FALSE;
  self->time = GST_CLOCK_TIME_NONE;
  g_clear_pointer (&luma, vh_luma_unref);
  g_clear_pointer (&self->spare, vh_luma_unref);
  g_clear_pointer (&self->pair, vh_luma_unref);
}

/* Forgets the last frame, and keeps its memory for the next one. */
static void
joint_forget (VhTask * task)
{
  VhJointStream *self = (VhJointStream *) task;

  forget_kept (self);
  self->is_last = FALSE;
  self->time = GST_CLOCK_TIME_NONE;
}

/* Takes @luma, and puts it aside for a later frame. */
static void
put_luma_aside (VhJointStream * self, VhLuma * luma)
{
  if (self->spares->len < MAX_SPARE)
    g_ptr_array_add (self->spares, luma);
  else
    vh_luma_unref (luma);
}

/* Forgets the frames that no stream needs any more, and the oldest ones if
 * there are too many. Streams need no frame older than the last one at or
 * before the time that they have looked up. Called with the lock. */
static void
prune_kept (VhJointStream * self)
{
  GstClockTime needed = G_MAXUINT64;
  guint i;

  for (i = 0; i < self->counters->len; i++) {
    const GstClockTime seen =
        g_array_index (self->counters, Counter, i).seen;

    needed = MIN (needed, GST_CLOCK_TIME_IS_VALID (seen) ? seen : 0);
  }
  while (self->kept->len > 1
      && (g_array_index (self->kept, Kept, 1).time <= needed
          || self->kept->len > MAX_KEPT
          || self->kept_bytes > MAX_KEPT_BYTES)) {
    VhLuma *luma = vh_luma_ref (g_array_index (self->kept, Kept, 0).luma);

    self->kept_bytes -= luma->capacity;
    g_array_remove_index (self->kept, 0);
    put_luma_aside (self, luma);
  }
}

/* Notes that @stream has looked up @time, unless it meanwhile counts against
 * another stream than @self, which is locked. */
static void
note_seen (VhJointStream * self, const VhJointStream * stream,
    GstClockTime time)
{
  Counter *counter = find_counter (self, stream);

  if (counter)
    counter->seen = time;
  prune_kept (self);
}

void
vh_joint_stream_end_frames (VhJointStream * self, gboolean forget)
{
  VhJointStream *other = ref_other (self);
  GArray *requests;

  g_mutex_lock (&self->lock);
  self->ended = TRUE;
  requests = steal_requests (self);
  g_mutex_unlock (&self->lock);
  g_array_unref (requests);
  if (forget)
    joint_forget (&self->parent);

  if (other) {
    g_mutex_lock (&other->lock);
    note_seen (other, self, forget ? GST_CLOCK_TIME_NONE : G_MAXUINT64 - 1);
    g_mutex_unlock (&other->lock);
    vh_task_unref (other);
  }
}

static void
set_problem (VhJointStream * self, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);

/* If @format is NULL, there is no problem. */
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

static guint
joint_planes (VhTask * task)
{
  VhJointStream *self = (VhJointStream *) task;
  guint planes = vh_joint_stream_kind_planes (self, self->kind);

  self->keeps = keeps_luma (self);
  if (self->keeps)
    planes |= vh_joint_stream_kind_planes (self,
        GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS);
  return planes;
}

/* Forgets the last frame, because the next one may be another kind of frame. */
static void
joint_set (VhTask * task, const GstVideoHistogramSpec * spec)
{
  VhJointStream *self = (VhJointStream *) task;
  gboolean had_frames;

  if (self->bins != spec->joint_bins || self->method != spec->method)
    vh_task_outdate (task);
  self->layout = &task->processor->layout;
  self->kind = spec->joint;
  self->bins = spec->joint_bins;
  self->method = spec->method;
  self->region_pixels = vh_spec_pixels (spec, self->layout);
  /* Frames of the other stream may already be waiting for this stream's first
   * frame. They keep waiting, because only a stream that has had frames forgets
   * them here. */
  g_mutex_lock (&self->lock);
  had_frames = self->shared;
  g_mutex_unlock (&self->lock);
  if (had_frames || self->is_last)
    joint_forget (&self->parent);
  set_problem (self, NULL);
  if (!vh_joint_stream_has (self, self->kind)) {
    set_problem (self, "joint=chroma needs video in color, but this is %s",
        GST_VIDEO_INFO_NAME (&self->layout->info));
  }
}

/* Makes joint histograms ready at @where, or stores why that is not possible.
 */
static gboolean
ensure_joint (VhJointStream * self, VhWhere where, GError ** error)
{
  VhTask *task = &self->parent;
  const gboolean tried = task->state[where] == VH_TASK_FAILED;
  GError *local = NULL;

  self->where = where;
  if (vh_task_ensure (task, where, &local)) {
    self->counter = task->operation[where];
    return TRUE;
  }
  if (!tried)
    set_problem (self, "%s", local->message);
  g_error_free (local);
  g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "%s", self->problem ?
      self->problem : "joint histograms are not available");
  return FALSE;
}

static gboolean
luma_suits (const VhJointStream * self, const VhLuma * luma, gsize pixels)
{
  return luma && luma->maker == self->counter->klass
      && luma->capacity >= pixels;
}

/* Returns a luma that was put aside and has no other reference, or NULL. */
static VhLuma *
take_spare (VhJointStream * self, gsize pixels)
{
  VhLuma *luma = NULL;
  guint i;

  g_mutex_lock (&self->lock);
  for (i = 0; i < self->spares->len && !luma; i++) {
    VhLuma *spare = g_ptr_array_index (self->spares, i);

    if (luma_suits (self, spare, pixels) && vh_luma_is_exclusive (spare))
      luma = g_ptr_array_steal_index_fast (self->spares, i);
  }
  g_mutex_unlock (&self->lock);
  return luma;
}

/* Ensures that @luma has room for @pixels, and no other reference. */
static gboolean
ensure_luma (VhJointStream * self, VhLuma ** luma, gsize pixels,
    GError ** error)
{
  GError *local = NULL;

  if (luma_suits (self, *luma, pixels) && vh_luma_is_exclusive (*luma))
    return TRUE;
  g_clear_pointer (luma, vh_luma_unref);
  *luma = take_spare (self, pixels);
  if (*luma)
    return TRUE;
  pixels = MAX (pixels, self->region_pixels);
  GST_DEBUG_OBJECT (self->parent.processor->choice.element, "making room for "
      "the luma of %" G_GSIZE_FORMAT " pixels on %s", pixels,
      vh_where_name (self->where));
  *luma = self->counter->klass->new_luma (self->counter, pixels, &local);
  if (*luma)
    return TRUE;
  self->parent.state[self->where] = VH_TASK_FAILED;
  set_problem (self, "%s", local->message);
  g_propagate_error (error, local);
  return FALSE;
}

static void
joint_prepare (VhTask * task, VhWhere where)
{
  VhJointStream *self = (VhJointStream *) task;
  const gboolean counts = self->kind != GST_VIDEO_HISTOGRAM_JOINT_NONE
      && vh_joint_stream_has (self, self->kind);

  if (!may_keep_luma (self))
    joint_drop (&self->parent);
  if ((counts || keeps_luma (self)) && ensure_joint (self, where, NULL)
      && keeps_luma (self) && !self->luma)
    ensure_luma (self, &self->spare, 0, NULL);
}

/* Whether the other stream has a frame to count against. */
typedef enum
{
  MATCH_NONE,                   /* no frame matches, now or later */
  MATCH_FOUND,
  MATCH_LATER                   /* a match may still come */
} Match;

static GstClockTime
get_distance (GstClockTime a, GstClockTime b)
{
  return a > b ? a - b : b - a;
}

/* Whether frames at both times show the same moment: they are less than half a
 * frame apart. */
static gboolean
is_same_moment (GstClockTime a, GstClockTime step_a, GstClockTime b,
    GstClockTime step_b)
{
  const GstClockTime distance = get_distance (a, b);

  return distance == 0 || 2 * distance < MIN (step_a, step_b);
}

/* Finds the frame of @other, which is locked, that shows the same moment as
 * @time, and is nearest to it. */
static Match
find_match (VhJointStream * other, GstClockTime time, GstClockTime step,
    Kept * found)
{
  const Kept *kept = (const Kept *) (gpointer) other->kept->data;
  const guint n = other->kept->len;
  guint i, best = n;

  for (i = 0; i < n; i++) {
    if (is_same_moment (kept[i].time, kept[i].step, time, step)
        && (best == n || get_distance (kept[i].time, time) <
            get_distance (kept[best].time, time)))
      best = i;
  }
  if (best < n) {
    *found = kept[best];
    vh_luma_ref (found->luma);
    return MATCH_FOUND;
  }
  if (other->ended || (n > 0 && kept[n - 1].time > time)
      || (n == 0 && other->shared))
    return MATCH_NONE;
  return MATCH_LATER;
}

/* Finds the other stream's counterpart of this frame, with a reference. A frame
 * without a running time matches the last one, if that has no running time
 * either. */
static Match
look_up_match (VhJointStream * self, Kept * found)
{
  VhJointStream *other = ref_other (self);
  Match match = MATCH_NONE;

  if (!other)
    return MATCH_NONE;
  g_mutex_lock (&other->lock);
  if (GST_CLOCK_TIME_IS_VALID (self->time)) {
    match = find_match (other, self->time, self->step, found);
    if (match == MATCH_LATER && other->kept->len > 0
        && ms_since (g_atomic_int_get (&other->activity->last)) >=
        MAX_WAIT / 1000)
      match = MATCH_NONE;
    note_seen (other, self, self->time);
  } else if (other->shared && other->untimed) {
    *found = (Kept) { vh_luma_ref (other->luma), GST_CLOCK_TIME_NONE, 0 };
    match = MATCH_FOUND;
  }
  g_mutex_unlock (&other->lock);
  vh_task_unref (other);
  return match;
}

/* Whether @luma can be counted against the current frame's @region. If not, and
 * @luma is from another stream, stores the reason. */
static gboolean
is_countable (VhJointStream * self, const VhLuma * luma, const VhRect * region)
{
  const gboolean same_size = luma->width == region->width
      && luma->height == region->height;
  const gboolean same_maker = luma->maker == self->counter->klass;

  if (same_size && same_maker && luma->bins == self->bins)
    return TRUE;
  if (luma == self->luma)
    return FALSE;
  if (!same_maker) {
    set_problem (self, OTHER_DEVICE);
  } else if (!same_size) {
    set_problem (self, "the other stream is counted in %ux%u pixels, but this "
        "one in %ux%u; both must have the same size", luma->width,
        luma->height, region->width, region->height);
  } else {
    set_problem (self, "the other stream has %u joint bins, but this one has "
        "%u; both must have the same joint-bins", luma->bins, self->bins);
  }
  return FALSE;
}

/* Notes a frame without a counterpart so far. It is a problem only if many in a
 * row never had one. */
static void
note_match (VhJointStream * self, Match match)
{
  if (match == MATCH_NONE)
    g_atomic_int_inc (&self->misses);
  if (g_atomic_int_get (&self->misses) < MAX_MISSES) {
    set_problem (self, NULL);
    return;
  }
  set_problem (self, "the stream of joint-with has no frames with the same "
      "running times; set interval=0 on both elements, and use streams that "
      "are synchronized to one clock");
}

/* Whether frames of the other stream can be counted against this one's @region,
 * as far as is known. */
static gboolean
may_match (VhJointStream * self, const VhRect * region)
{
  VhJointStream *other = ref_other (self);
  VhLuma *luma = NULL;
  gboolean may;

  if (!other)
    return FALSE;
  g_mutex_lock (&other->lock);
  if (other->kept->len > 0)
    luma = vh_luma_ref (g_array_index (other->kept, Kept,
            other->kept->len - 1).luma);
  g_mutex_unlock (&other->lock);
  may = !luma || is_countable (self, luma, region);
  g_clear_pointer (&luma, vh_luma_unref);
  vh_task_unref (other);
  return may;
}

/* Finds the luma to count the frame with @region against, with a reference.
 * Sets @found only for MATCH_FOUND. */
static Match
find_against (VhJointStream * self, const VhRect * region, Kept * found)
{
  Match match = MATCH_NONE;

  if (self->kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER) {
    match = look_up_match (self, found);
    if (match != MATCH_FOUND)
      note_match (self, match);
    if (match == MATCH_LATER && !may_match (self, region))
      match = MATCH_NONE;
  } else if (self->kind == GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS
      && self->is_last) {
    *found = (Kept) { vh_luma_ref (self->luma), GST_CLOCK_TIME_NONE, 0 };
    match = MATCH_FOUND;
  }
  if (match == MATCH_FOUND && !is_countable (self, found->luma, region)) {
    vh_luma_unref (found->luma);
    match = MATCH_NONE;
  }
  return match;
}

/* Where to keep the frame's luma: in place of the last frame's, unless other
 * streams may read it. */
static VhLuma **
choose_keep (VhJointStream * self, gsize pixels)
{
  if (!is_watched (self)) {
    g_mutex_lock (&self->lock);
    self->shared = FALSE;
    g_mutex_unlock (&self->lock);
    if (luma_suits (self, self->luma, pixels)
        && vh_luma_is_exclusive (self->luma))
      return &self->luma;
  }
  return ensure_luma (self, &self->spare, pixels, NULL) ? &self->spare : NULL;
}

static GstVideoJointHistogram *
new_joint (VhJointStream * self, GstVideoHistogramJoint kind,
    const VhRect * region, VhJoint * work)
{
  GstVideoJointHistogram *joint;
  VhRect counted = *region;

  work->chroma = kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA;
  if (work->chroma)
    counted = vh_chroma_region (self->layout, region);
  joint = vh_joint_histogram_new (kind, self->bins, self->bins,
      (guint64) counted.width * counted.height, vh_where_name (self->where));
  if (joint)
    work->counts = vh_joint_histogram_counts (joint);
  return joint;
}

/* Notes the time of the frame, and its distance to other frames. */
static void
note_time (VhJointStream * self, const GstVideoHistogramInfo * info)
{
  const GstClockTime last = self->time, time = info->running_time;
  const GstVideoInfo *video = &self->layout->info;
  GstClockTime step = G_MAXUINT64;

  self->time = time;
  if (GST_CLOCK_TIME_IS_VALID (info->duration) && info->duration > 0)
    step = info->duration;
  if (GST_VIDEO_INFO_FPS_N (video) > 0 && GST_VIDEO_INFO_FPS_D (video) > 0) {
    step = MIN (step, gst_util_uint64_scale_int (GST_SECOND,
            GST_VIDEO_INFO_FPS_D (video), GST_VIDEO_INFO_FPS_N (video)));
  }
  if (GST_CLOCK_TIME_IS_VALID (last) && GST_CLOCK_TIME_IS_VALID (time)
      && time > last)
    step = MIN (step, time - last);
  self->step = step == G_MAXUINT64 ? 0 : step;
  g_atomic_int_set (&self->activity->last, now_ms ());
  g_mutex_lock (&self->lock);
  self->ended = FALSE;
  g_mutex_unlock (&self->lock);
}

/* Gives the frame an own joint histogram, unless there is no memory for it. */
static void
attach_joint (VhJointStream * self, const VhTaskFrame * frame, Match match,
    const Kept * found)
{
  VhJoint *work = &self->work;
  GstVideoJointHistogram *joint = new_joint (self, self->kind, &frame->region,
      work);

  if (!joint) {
    g_clear_pointer (&work->against, vh_luma_unref);
    return;
  }
  vh_histogram_set_joint (frame->histogram, joint);
  if (match == MATCH_FOUND)
    vh_joint_histogram_set_time (joint, found->time);
  if (match == MATCH_LATER) {
    work->counts = NULL;
    self->later = gst_video_joint_histogram_ref (joint);
  }
  gst_video_joint_histogram_unref (joint);
}

/* Decides what to do with the frame, and gives its result to the histogram.
 * FALSE if there is nothing to do. */
static gboolean
choose_work (VhJointStream * self, const VhTaskFrame * frame)
{
  const VhRect *region = &frame->region;
  const gboolean counts = self->kind != GST_VIDEO_HISTOGRAM_JOINT_NONE
      && vh_joint_stream_has (self, self->kind);
  gboolean keeps = self->keeps;
  VhJoint *work = &self->work;
  Match match = MATCH_NONE;
  Kept found = { NULL, };

  *work = (VhJoint) {
    .bins = self->bins,
  };
  note_time (self, gst_video_histogram_get_info (frame->histogram));
  /* Luma that is no longer updated would soon be out of date. */
  if (self->luma && !may_keep_luma (self))
    joint_drop (&self->parent);
  if (!keeps && !counts)
    return FALSE;
  if (!ensure_joint (self, frame->where, NULL)) {
    joint_drop (&self->parent);
    return FALSE;
  }
  if (counts)
    match = find_against (self, region, &found);
  keeps |= match == MATCH_LATER;
  if (keeps && !(work->keep = choose_keep (self,
              (gsize) region->width * region->height))) {
    if (match == MATCH_FOUND)
      vh_luma_unref (found.luma);
    joint_drop (&self->parent);
    return FALSE;
  }

  if (match == MATCH_FOUND)
    work->against = found.luma;
  if (match != MATCH_NONE || (counts
          && self->kind == GST_VIDEO_HISTOGRAM_JOINT_CHROMA))
    attach_joint (self, frame, match, &found);
  return work->keep || work->counts;
}

static void
joint_begin (VhTask * task, const VhTaskFrame * frame)
{
  VhJointStream *self = (VhJointStream *) task;

  self->has_work = self->submitted = FALSE;
  if (frame->has_joint)
    joint_forget (&self->parent);
  else if (frame->histogram)
    self->has_work = choose_work (self, frame);
}

/* Keeps the frame's luma for other streams; called with the lock. If time does
 * not increase, a new pass over the video has started. */
static void
keep_for_others (VhJointStream * self)
{
  const Kept kept = { vh_luma_ref (self->luma), self->time, self->step };

  if (self->kept->len > 0 && g_array_index (self->kept, Kept,
          self->kept->len - 1).time >= kept.time) {
    g_array_set_size (self->kept, 0);
    self->kept_bytes = 0;
  }
  g_array_append_val (self->kept, kept);
  self->kept_bytes += kept.luma->capacity;
  prune_kept (self);
}

/* Makes the luma kept for this frame the last one. */
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
  self->untimed = !GST_CLOCK_TIME_IS_VALID (self->time);
  if (self->counters->len > 0 && GST_CLOCK_TIME_IS_VALID (self->time))
    keep_for_others (self);
  g_mutex_unlock (&self->lock);
  self->is_last = TRUE;
}

/* Counts @luma against the frame into @joint, which fails if the frame has no
 * room for another result on a GPU: the frame itself is still to be counted. */
static void
count_with (VhJointStream * self, const VhTaskFrame * frame,
    GstVideoJointHistogram * joint, VhLuma * luma)
{
  VhJoint work = {
    .bins = luma->bins,
    .counts = vh_joint_histogram_counts (joint),
    .against = luma,
  };
  GError *error = NULL;

  if (self->where == VH_ON_GPU
      && self->n_results++ >= VH_OPERATION_MAX_RESULTS) {
    vh_counts_fail (work.counts);
    return;
  }
  if (self->counter->klass->submit (self->counter, frame->frame,
          &frame->region, &work, &error))
    return;
  GST_DEBUG_OBJECT (self->parent.processor->choice.element, "no joint "
      "histogram with another stream: %s", error->message);
  vh_counts_fail (work.counts);
  vh_processor_note_failure (self->parent.processor, self->where, error);
  g_error_free (error);
}

/* Counts the frame of @request, from another stream, against this stream's
 * frame, which is side a. */
static void
answer_request (VhJointStream * self, const VhTaskFrame * frame,
    Request * request)
{
  const VhLuma *luma = request->luma;
  const VhRect *region = &frame->region;

  if (luma->maker != self->counter->klass || luma->width != region->width
      || luma->height != region->height || luma->bins != self->bins
      || !end_request (request))
    return;
  g_atomic_int_set (&request->stream->misses, 0);
  vh_counts_transpose (vh_joint_histogram_counts (request->joint), self->bins);
  vh_joint_histogram_set_time (request->joint, self->time);
  count_with (self, frame, request->joint, request->luma);
}

/* Answers the requests of other streams for this frame, and fails the requests
 * for an earlier one that did not come. */
static void
answer_others (VhJointStream * self, const VhTaskFrame * frame)
{
  GArray *all, *due;
  guint i;

  g_mutex_lock (&self->lock);
  all = steal_requests (self);
  due = steal_requests (self);
  for (i = 0; i < all->len; i++) {
    const Request *request = &g_array_index (all, Request, i);
    const gboolean is_due = request->time <= self->time
        || is_same_moment (request->time, request->step, self->time,
        self->step);

    g_array_append_vals (is_due ? due : self->requests, request, 1);
  }
  g_mutex_unlock (&self->lock);
  /* The elements now belong to the other two arrays. */
  g_array_set_clear_func (all, NULL);
  g_array_unref (all);

  for (i = 0; i < due->len; i++) {
    Request *request = &g_array_index (due, Request, i);

    if (is_same_moment (request->time, request->step, self->time, self->step))
      answer_request (self, frame, request);
  }
  g_array_unref (due);
}

/* Makes the frame, with its luma kept, wait for the other stream, or counts it
 * if its counterpart has arrived meanwhile. */
static void
wait_for_other (VhJointStream * self, const VhTaskFrame * frame)
{
  GstVideoJointHistogram *joint = g_steal_pointer (&self->later);
  VhCounts *counts = vh_joint_histogram_counts (joint);
  VhJointStream *other = ref_other (self);
  Match match = MATCH_NONE;
  Kept found;

  if (other) {
    g_mutex_lock (&other->lock);
    match = find_match (other, self->time, self->step, &found);
    if (match == MATCH_LATER) {
      Request request = {
        .wait = g_new (Wait, 1),
        .joint = gst_video_joint_histogram_ref (joint),
        .luma = vh_luma_ref (self->luma),
        .time = self->time,
        .step = self->step,
        .stream = vh_task_ref (self),
      };

      /* One reference for the request and one for its counts. */
      *request.wait = (Wait) { 2, FALSE, now_ms (), other->activity };
      g_atomic_int_inc (&other->activity->refcount);
      vh_counts_set_pending (counts, &wait_funcs, request.wait);
      if (other->requests->len >= MAX_KEPT
          || other->requests->len * request.luma->capacity > MAX_KEPT_BYTES)
        g_array_remove_index (other->requests, 0);
      g_array_append_val (other->requests, request);
    }
    g_mutex_unlock (&other->lock);
    vh_task_unref (other);
  }
  if (match == MATCH_FOUND && is_countable (self, found.luma,
          &frame->region)) {
    g_atomic_int_set (&self->misses, 0);
    vh_joint_histogram_set_time (joint, found.time);
    count_with (self, frame, joint, found.luma);
  } else if (match != MATCH_LATER) {
    g_atomic_int_inc (&self->misses);
    vh_counts_fail (counts);
  }
  if (match == MATCH_FOUND)
    vh_luma_unref (found.luma);
  gst_video_joint_histogram_unref (joint);
}

/* Counts the frame, whose luma was kept, and frames of other streams against
 * each other. */
static void
match_with_others (VhJointStream * self, const VhTaskFrame * frame)
{
  VhJoint *work = &self->work;

  if (!work->kept)
    return;
  set_last (self, g_steal_pointer (&work->keep), &frame->region, work->bins);
  if (!GST_CLOCK_TIME_IS_VALID (self->time))
    return;
  answer_others (self, frame);
  if (self->later)
    wait_for_other (self, frame);
}

static gboolean
joint_submit (VhTask * task, const VhTaskFrame * frame, GError ** error)
{
  VhJointStream *self = (VhJointStream *) task;
  VhJoint *work = &self->work;

  if (!self->has_work)
    return TRUE;
  self->n_results = 1;
  self->submitted = self->counter->klass->submit (self->counter, frame->frame,
      &frame->region, work, error);
  if (self->submitted)
    match_with_others (self, frame);
  else if (work->counts)
    vh_counts_fail (work->counts);
  return self->submitted;
}

static void
joint_finish (VhTask * task)
{
  VhJointStream *self = (VhJointStream *) task;
  VhJoint *work = &self->work;

  if (!self->has_work)
    return;
  g_clear_pointer (&work->against, vh_luma_unref);
  if (work->unreadable) {
    if (self->kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER)
      set_problem (self, OTHER_DEVICE);
  } else if (work->counts && self->submitted) {
    g_atomic_int_set (&self->misses, 0);
    set_problem (self, NULL);
  }
  if (self->later)
    vh_counts_fail (vh_joint_histogram_counts (self->later));
  gst_clear_video_joint_histogram (&self->later);
  if (work->keep && self->submitted)
    joint_drop (&self->parent);
}

/* Begins one frame on the device, submits @work, and ends the frame. Work on
 * two frames begins and ends them one after the other, so that each finds
 * room. */
static gboolean
submit_only (VhJointStream * self, VhFrameView * view, const VhRect * region,
    VhJoint * work, GError ** error)
{
  VhDevice *device = self->parent.processor->on[self->where].device;
  VhFrame *frame = device->klass->begin (device, view, VH_FRAME_READ, TRUE,
      error);
  gboolean submitted;

  if (!frame)
    return FALSE;
  submitted = self->counter->klass->submit (self->counter, frame, region, work,
      error);
  device->klass->end (device, frame, NULL);
  return submitted;
}

GstVideoJointHistogram *
vh_joint_stream_count (VhJointStream * self, VhWhere where,
    GstVideoHistogramJoint kind, VhFrameView views[2], const VhRect regions[2],
    GError ** error)
{
  VhJoint first = {.bins = self->bins };
  VhJoint work = first;
  GstVideoJointHistogram *joint;
  guint last = 0;

  if (!ensure_joint (self, where, error))
    return NULL;
  if (kind == GST_VIDEO_HISTOGRAM_JOINT_OTHER) {
    if (!ensure_luma (self, &self->pair,
            (gsize) regions[0].width * regions[0].height, error))
      return NULL;
    first.keep = &self->pair;
    if (!submit_only (self, &views[0], &regions[0], &first, error))
      return NULL;
    work.against = self->pair;
    last = 1;
  }

  joint = new_joint (self, kind, &regions[last], &work);
  if (!joint) {
    g_set_error (error, VH_ERROR, VH_ERROR_OVERLOAD, "not enough "
        "memory for the counts");
  } else if (!submit_only (self, &views[last], &regions[last], &work,
          error)) {
    gst_clear_video_joint_histogram (&joint);
  }
  return joint;
}

VH_DEFINE_TASK_OPERATION (joint, VhJointCounter, new_joint_counter);

static gboolean
joint_configure (VhTask * task, VhWhere where, GError ** error)
{
  VhJointStream *self = (VhJointStream *) task;
  VhJointCounter *counter = task->operation[where];

  GST_DEBUG_OBJECT (task->processor->choice.element, "configuring joint "
      "histograms of %s: %u bins", vh_where_name (where), self->bins);
  return counter->klass->configure (counter, &task->processor->layout,
      self->bins, self->method, error);
}

static void
joint_finalize (VhTask * task)
{
  VhJointStream *self = (VhJointStream *) task;

  joint_drop (&self->parent);
  g_array_unref (self->kept);
  g_ptr_array_unref (self->spares);
  g_array_unref (self->requests);
  g_array_unref (self->counters);
  activity_unref (self->activity);
  g_free (self->problem);
  g_mutex_clear (&self->linking);
  g_mutex_clear (&self->lock);
}

static const VhTaskClass joint_class = {
  .name = "joint histograms",
  VH_TASK_OPERATION (joint),
  .forget = joint_forget,
  .drop = joint_drop,
  .finalize = joint_finalize,
  .set = joint_set,
  .planes = joint_planes,
  .prepare = joint_prepare,
  .begin = joint_begin,
  .submit = joint_submit,
  .finish = joint_finish,
};

VhJointStream *
vh_joint_stream_new (void)
{
  VhJointStream *self = vh_task_new (&joint_class, sizeof (*self));

  self->activity = g_new (Activity, 1);
  *self->activity = (Activity) { 1, now_ms () };
  self->kept = g_array_new (FALSE, FALSE, sizeof (Kept));
  g_array_set_clear_func (self->kept, clear_kept);
  self->spares =
      g_ptr_array_new_with_free_func ((GDestroyNotify) vh_luma_unref);
  self->requests = g_array_new (FALSE, FALSE, sizeof (Request));
  g_array_set_clear_func (self->requests, clear_request);
  self->counters = g_array_new (FALSE, FALSE, sizeof (Counter));
  g_mutex_init (&self->lock);
  g_mutex_init (&self->linking);
  return self;
}
