/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ring.h"
#include "launch.h"

/* More slots than frames under way, for counts that consumers on the device may
 * want; not for results of many megabytes. */
#define MAX_SLOTS 4
#define MIN_SLOTS 2
#define MIN_SLOTS_RESULTS (1 << 18)

/* How long a kernel may be silent before its event is asked whether it
 * failed. */
#define ASK_AFTER (2 * GST_MSECOND)

GstClockTime vh_cuda_late_after = 2 * GST_SECOND;

/* How long to wait without sleeping. */
#define SPIN_FOR (500 * GST_USECOND)

/* The longest that freeing waits for a kernel that has counted and has yet to
 * end. */
#define FREE_TIMEOUT (100 * GST_MSECOND)

typedef enum
{
  SLOT_FREE,
  SLOT_TAKEN,                   /* being prepared for a launch */
  SLOT_RUNNING,                 /* a kernel is to write it */
  SLOT_KEPT,                    /* written and fetched; the counts stay on the
                                 * device until the slot is needed */
  SLOT_CANCELLED,               /* no kernel, but operations that read the
                                 * frame */
  SLOT_RETIRED,                 /* given up: a kernel may still write it */
} SlotState;

typedef struct _Job Job;

typedef struct
{
  SlotState state;
  guint32 sequence;             /* that the kernel writes with each result */
  guint n_results;              /* that the kernel writes */
  guint n_values;               /* of them for each channel and cell */
  guint n_seen;                 /* of them that were seen to be written */
  GstBuffer *frame;             /* held, or NULL */
  CUevent event;                /* after the last kernel, at first after
                                 * clearing */
  gboolean recorded;            /* event was */
  gboolean unrecorded;          /* it could not be: the stream is asked */
  gboolean ended;               /* all that was enqueued, as was seen */
  gboolean late;                /* the counts for this frame, if they come, are
                                 * not used */
  CUstream stream;              /* that it was recorded on */
  GstClockTime submitted;       /* monotonic, ns */
  Job *owner;                   /* of the histogram that the counts are for, or
                                 * NULL */
  guint mapped;                 /* times that a consumer on the device keeps
                                 * it */

  CUdeviceptr accumulators;
  CUdeviceptr ticket;
  CUdeviceptr scratch;
  CUdeviceptr device_counts;    /* guint32[max_results] */
  guint64 *host_counts;         /* max_results, mapped: sequence and count */
} Slot;

struct _VhCudaRing
{
  gint refcount;                /* atomic */
  VhCudaDevice *device;
  gsize max_results;
  gsize scratch;                /* bytes of each slot */
  guint bins, depth;
  guint n_slots;

  CUdeviceptr device_memory;
  guint8 *host_memory;          /* pinned, mapped */
  CUdeviceptr host_address;     /* of host_memory on the device */

  GMutex lock;
  Slot slots[MAX_SLOTS];          /* protected by lock, but for the constant
                                   * parts */
  guint32 sequence;             /* last one given out; protected by lock */
  gboolean counted;             /* a frame, since that was asked; protected by
                                 * lock */
  gpointer leftovers;           /* or NULL */
  GDestroyNotify free_leftovers;
  gboolean given_up;            /* nobody has it, and it cannot be freed;
                                 * protected by rings_lock */
  GstBuffer *done[MAX_SLOTS];   /* frames to let go of; protected by lock */
  guint n_done;
};

/* A histogram's hold on its slot. */
struct _Job
{
  VhCudaRing *ring;
  Slot *slot;                   /* NULL once it was given to another; protected
                                 * by the ring's lock */
};

/* All of this process. */
static GMutex rings_lock;       /* comes before a ring's */
static GSList *rings;           /* of VhCudaRing, protected by rings_lock */

/* Sizes on lines of their own, so that slots do not share one. */
static gsize
pad (gsize size)
{
  return GST_ROUND_UP_N (size, 256);
}

static CUresult
allocate (VhCudaRing * self, CUstream stream)
{
  const VhCudaDriver *driver = self->device->driver;
  const gsize accumulators = pad (vh_cuda_accumulator_size (self->max_results));
  const gsize counts = pad (self->max_results * sizeof (guint32));
  const gsize ticket = pad (sizeof (guint32));
  const gsize device_size = accumulators + counts + ticket +
      pad (self->scratch);
  const gsize host_size = pad (self->max_results * sizeof (guint64));
  CUresult result;
  guint i;

  result = driver->MemAlloc (&self->device_memory, self->n_slots * device_size);
  if (result == CUDA_SUCCESS) {
    result = driver->MemHostAlloc ((void **) &self->host_memory,
        self->n_slots * host_size,
        CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE);
  }
  if (result == CUDA_SUCCESS) {
    memset (self->host_memory, 0, self->n_slots * host_size);
    result = driver->MemHostGetDevicePointer (&self->host_address,
        self->host_memory, 0);
  }
  for (i = 0; i < self->n_slots && result == CUDA_SUCCESS; i++) {
    Slot *slot = &self->slots[i];

    slot->accumulators = self->device_memory + i * device_size;
    slot->device_counts = slot->accumulators + accumulators;
    slot->ticket = slot->device_counts + counts;
    slot->scratch = slot->ticket + ticket;
    slot->host_counts = (guint64 *) (self->host_memory + i * host_size);
    slot->stream = stream;
    result = driver->EventCreate (&slot->event, CU_EVENT_DISABLE_TIMING);
  }
  /* Last, so that nothing is under way where something failed. */
  if (result == CUDA_SUCCESS) {
    result = driver->MemsetD8Async (self->device_memory, 0,
        self->n_slots * device_size, stream);
  }
  for (i = 0; i < self->n_slots && result == CUDA_SUCCESS; i++) {
    result = driver->EventRecord (self->slots[i].event, stream);
    self->slots[i].recorded = result == CUDA_SUCCESS;
    self->slots[i].unrecorded = result != CUDA_SUCCESS;
  }
  return result;
}

/* What has become of a slot that is running or cancelled. */
typedef enum
{
  PROGRESS_NONE,
  PROGRESS_DONE,
  PROGRESS_FAILED,
} Progress;

/* Whether something was enqueued for @slot that the GPU can be asked about. */
static gboolean
is_enqueued (const Slot * slot)
{
  return slot->recorded || slot->unrecorded;
}

static CUresult
query (VhCudaRing * self, const Slot * slot)
{
  const VhCudaDriver *driver = self->device->driver;
  CUresult result = vh_cuda_device_push (self->device);

  if (result == CUDA_SUCCESS) {
    result = slot->recorded ? driver->EventQuery (slot->event) :
        driver->StreamQuery (slot->stream);
    vh_cuda_device_pop (self->device);
  }
  return result;
}

static Progress
ask_gpu (VhCudaRing * self, Slot * slot)
{
  CUresult result;

  if (vh_cuda_is_lost ())
    return PROGRESS_FAILED;
  if (slot->ended)
    return PROGRESS_DONE;
  if (!is_enqueued (slot))
    return PROGRESS_NONE;

  result = query (self, slot);
  /* What a slot has is given up where its context is gone: not for one
   * error. */
  if (result != CUDA_SUCCESS
      && vh_cuda_failure (result) == VH_CUDA_FAILURE_CONTEXT)
    result = query (self, slot);
  slot->ended = result == CUDA_SUCCESS;
  if (result == CUDA_ERROR_NOT_READY)
    return PROGRESS_NONE;
  if (result == CUDA_SUCCESS)
    return PROGRESS_DONE;
  switch (vh_cuda_failure (result)) {
    case VH_CUDA_FAILURE_LOST:
      vh_cuda_set_lost ();
      return PROGRESS_FAILED;
    case VH_CUDA_FAILURE_CONTEXT:
      return PROGRESS_FAILED;
    default:
      return PROGRESS_NONE;
  }
}

/* Whether all results are there. Each comes with the number of its launch in
 * one word, in no order. */
static gboolean
is_written (Slot * slot)
{
  while (slot->n_seen < slot->n_results
      && __atomic_load_n (&slot->host_counts[slot->n_seen],
          __ATOMIC_RELAXED) >> 32 == slot->sequence)
    slot->n_seen++;
  return slot->n_seen == slot->n_results;
}

/* Writes the counts of @slot to @storage, [channel][cell][bin]. Where the
 * results are of code values, several may fall into a bin, and bins may stay
 * empty. */
static void
fetch_counts (VhCudaRing * self, const Slot * slot, guint32 * storage)
{
  guint i;

  for (i = 0; i < slot->n_results; i++) {
    const guint cell = i / slot->n_values, value = i % slot->n_values;
    const guint bin = slot->n_values == self->bins ? value :
        ((guint64) value * self->bins) >> self->depth;

    storage[(gsize) cell * self->bins + bin] += (guint32) slot->host_counts[i];
  }
}

/* Gives up the lock, and then the frames that are done: with a frame go its
 * metas, and with those the histograms of this ring. */
static void
unlock (VhCudaRing * self)
{
  GstBuffer *done[MAX_SLOTS];
  const guint n = self->n_done;
  guint i;

  memcpy (done, self->done, sizeof (done));
  self->n_done = 0;
  g_mutex_unlock (&self->lock);
  for (i = 0; i < n; i++)
    gst_buffer_unref (done[i]);
}

static void
let_go (VhCudaRing * self, Slot * slot)
{
  if (slot->frame)
    self->done[self->n_done++] = g_steal_pointer (&slot->frame);
}

static GstClockTime
age_of (const Slot * slot)
{
  return gst_util_get_timestamp () - slot->submitted;
}

/* The GPU may be busy with other things, or hang: nobody knows. The slot stays
 * the kernel's until that ends. So does the frame, unless a pool waits for it,
 * whose owner may write the next one there: that is why counts that come late
 * are not used. */
static void
set_late (VhCudaRing * self, Slot * slot)
{
  slot->late = TRUE;
  if (slot->frame && slot->frame->pool && slot->mapped == 0)
    let_go (self, slot);
}

static Progress
look_at (VhCudaRing * self, Slot * slot)
{
  Progress progress;

  if (slot->state == SLOT_RUNNING && is_written (slot))
    return PROGRESS_DONE;
  if (slot->state == SLOT_RUNNING && age_of (slot) < ASK_AFTER)
    return PROGRESS_NONE;

  progress = ask_gpu (self, slot);
  /* The kernel has run, so its results are there by now. */
  if (progress == PROGRESS_DONE && slot->state == SLOT_RUNNING
      && !is_written (slot))
    progress = PROGRESS_FAILED;
  if (progress == PROGRESS_NONE && age_of (slot) > vh_cuda_late_after)
    set_late (self, slot);
  return progress;
}

/* Ends what is under way in @slot. After a failure nobody knows whether a
 * kernel still reads the frame and writes the slot: the slot is given up for
 * good, and the frame too, whose memory cannot be freed, unless a pool waits
 * for it. */
static void
end_slot (VhCudaRing * self, Slot * slot, Progress progress)
{
  if (progress == PROGRESS_FAILED) {
    if (slot->frame && slot->frame->pool)
      let_go (self, slot);
    slot->state = SLOT_RETIRED;
  } else {
    self->counted |= slot->state == SLOT_RUNNING && !slot->late;
    let_go (self, slot);
    slot->state = slot->owner ? SLOT_KEPT : SLOT_FREE;
    vh_cuda_device_end (self->device);
  }
}

/* Frees the slots that are done and that no histogram waits for, and sees which
 * are late. */
static void
reap (VhCudaRing * self)
{
  guint i;

  for (i = 0; i < self->n_slots; i++) {
    Slot *slot = &self->slots[i];
    const gboolean awaited = slot->owner && !slot->late;
    Progress progress;

    if ((slot->state != SLOT_CANCELLED && slot->state != SLOT_RUNNING)
        || (awaited && age_of (slot) <= vh_cuda_late_after))
      continue;
    progress = look_at (self, slot);
    if (progress != PROGRESS_NONE && !awaited)
      end_slot (self, slot, progress);
  }
}

/* Frames that a kernel or a copy may still read. Those whose kernels are done
 * are let go, before anybody asks for the counts. */
static guint
count_frames (VhCudaRing * self)
{
  guint n = 0, i;

  for (i = 0; i < self->n_slots; i++) {
    Slot *slot = &self->slots[i];

    if (slot->state == SLOT_RUNNING && is_written (slot))
      let_go (self, slot);
    if (slot->state == SLOT_CANCELLED
        || (slot->state == SLOT_RUNNING && !is_written (slot)))
      n++;
  }
  return n;
}

/* Whether what was enqueued for @slot is not at its end yet: a kernel that has
 * written all results may still run, and to free what it uses would stall all
 * streams. */
static gboolean
is_busy (VhCudaRing * self, Slot * slot)
{
  return is_enqueued (slot) && ask_gpu (self, slot) == PROGRESS_NONE;
}

static guint
count_busy (VhCudaRing * self)
{
  guint n = 0, i;

  for (i = 0; i < self->n_slots; i++) {
    if (self->slots[i].state != SLOT_RETIRED && is_busy (self, &self->slots[i]))
      n++;
  }
  return n;
}

static gboolean
is_late (VhCudaRing * self)
{
  gboolean late = FALSE;
  guint i;

  for (i = 0; i < self->n_slots; i++) {
    const Slot *slot = &self->slots[i];

    late |= slot->late && (slot->state == SLOT_RUNNING
        || slot->state == SLOT_CANCELLED);
  }
  return late;
}

/* Whether a frame that was submitted to @device before @time is under way, of
 * whatever ring; and whether one is late. */
static gboolean
is_device_busy (VhCudaDevice * device, GstClockTime time, gboolean * late)
{
  gboolean busy = FALSE;
  GSList *item;
  guint i;

  g_mutex_lock (&rings_lock);
  for (item = rings; item; item = item->next) {
    VhCudaRing *ring = item->data;

    if (ring->device != device)
      continue;
    g_mutex_lock (&ring->lock);
    for (i = 0; i < ring->n_slots; i++) {
      Slot *slot = &ring->slots[i];

      busy |= slot->submitted < time && ((slot->state == SLOT_RUNNING
              && !is_written (slot)) || (slot->state == SLOT_CANCELLED
              && is_busy (ring, slot)));
    }
    *late |= is_late (ring);
    g_mutex_unlock (&ring->lock);
  }
  g_mutex_unlock (&rings_lock);
  return busy;
}

gboolean
vh_cuda_ring_drain (VhCudaRing * ring, GstClockTime timeout)
{
  const GstClockTime start = gst_util_get_timestamp ();
  gboolean busy, late;

  do {
    g_mutex_lock (&ring->lock);
    reap (ring);
    busy = count_frames (ring) > 0 || count_busy (ring) > 0;
    late = is_late (ring);
    unlock (ring);
    if (!busy)
      busy = is_device_busy (ring->device, start, &late);
    if (busy && !late)
      g_usleep (100);
  } while (busy && !late && gst_util_get_timestamp () < start + timeout);
  return !busy;
}

VhCudaRingState
vh_cuda_ring_wait (VhCudaRing * ring, gint slot, GstClockTime timeout)
{
  const GstClockTime start = gst_util_get_timestamp ();
  VhCudaRingState state;
  GstClockTime age;

  while (TRUE) {
    g_mutex_lock (&ring->lock);
    reap (ring);
    state = ring->slots[slot].state == SLOT_CANCELLED ? VH_CUDA_RING_LATE :
        ring->slots[slot].state == SLOT_RETIRED ? VH_CUDA_RING_WORN :
        VH_CUDA_RING_READY;
    unlock (ring);
    age = gst_util_get_timestamp () - start;
    if (state != VH_CUDA_RING_LATE || age >= timeout)
      return state;
    /* Sleeping takes longer than most of what is waited for. */
    if (age < SPIN_FOR)
      g_thread_yield ();
    else
      g_usleep (50);
  }
}

/* Frees all, unless a kernel that was given up may still write there, or the
 * GPU is lost: then freeing would wait for ever, or fail. */
static void
free_ring (VhCudaRing * self)
{
  const VhCudaDriver *driver = self->device->driver;
  gboolean idle;
  guint i;

  /* Histograms that nobody looked at may have left slots that are done. */
  idle = vh_cuda_ring_drain (self, FREE_TIMEOUT);
  for (i = 0; i < self->n_slots; i++) {
    idle &= self->slots[i].state == SLOT_FREE
        || self->slots[i].state == SLOT_KEPT;
  }
  g_mutex_lock (&rings_lock);
  self->given_up = !idle;
  if (idle)
    rings = g_slist_remove (rings, self);
  g_mutex_unlock (&rings_lock);
  if (!idle)
    return;

  if (vh_cuda_device_push (self->device) == CUDA_SUCCESS) {
    for (i = 0; i < self->n_slots && !vh_cuda_is_lost (); i++) {
      if (self->slots[i].event)
        vh_cuda_note (driver->EventDestroy (self->slots[i].event));
    }
    if (self->device_memory && !vh_cuda_is_lost ())
      vh_cuda_note (driver->MemFree (self->device_memory));
    if (self->host_memory && !vh_cuda_is_lost ())
      vh_cuda_note (driver->MemFreeHost (self->host_memory));
    if (self->leftovers)
      self->free_leftovers (self->leftovers);
    vh_cuda_device_pop (self->device);
  }
  vh_cuda_device_unref (self->device);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Frees what was given up for kernels that have ended since: on all contexts of
 * the GPU, for nobody may come back to the one that it was on. Returns whether
 * one is left on @device whose kernel may yet end. */
static gboolean
free_given_up (VhCudaDevice * device)
{
  GSList *mine = NULL, *item;
  gboolean late = FALSE;

  g_mutex_lock (&rings_lock);
  for (item = rings; item; item = item->next) {
    VhCudaRing *ring = item->data;

    if (ring->given_up && ring->device->id == device->id) {
      ring->given_up = FALSE;
      mine = g_slist_prepend (mine, ring);
    }
  }
  g_mutex_unlock (&rings_lock);

  for (item = mine; item; item = item->next) {
    VhCudaRing *ring = item->data;

    late |= vh_cuda_ring_check (ring) == VH_CUDA_RING_LATE
        && ring->device == device;
    if (vh_cuda_ring_drain (ring, 0)) {
      free_ring (ring);
    } else {
      g_mutex_lock (&rings_lock);
      ring->given_up = TRUE;
      g_mutex_unlock (&rings_lock);
    }
  }
  g_slist_free (mine);
  return late;
}

VhCudaRing *
vh_cuda_ring_new (VhCudaDevice * device, const VhKernelParams * params,
    gsize scratch, CUstream stream, CUresult * result, GError ** error)
{
  VhCudaRing *self;

  /* Who starts again and again shall not add to what cannot be freed. */
  if (free_given_up (device)) {
    *result = CUDA_ERROR_NOT_READY;
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_DEVICE, "a kernel takes too long");
    return NULL;
  }
  if (vh_cuda_is_lost ()) {
    *result = CUDA_ERROR_UNKNOWN;
    return NULL;
  }

  self = g_new0 (VhCudaRing, 1);
  self->refcount = 1;
  self->device = vh_cuda_device_ref (device);
  self->max_results = vh_cuda_max_results (params);
  self->bins = params->bins;
  self->depth = params->depth;
  self->scratch = scratch;
  self->n_slots = scratch > 0 || self->max_results >= MIN_SLOTS_RESULTS ?
      MIN_SLOTS : MAX_SLOTS;
  g_mutex_init (&self->lock);
  g_mutex_lock (&rings_lock);
  rings = g_slist_prepend (rings, self);
  g_mutex_unlock (&rings_lock);

  *result = allocate (self, stream);
  if (*result != CUDA_SUCCESS) {
    vh_cuda_set_error (device->driver, error, *result,
        "Allocating memory for the counts");
    free_ring (self);
    return NULL;
  }
  return self;
}

gsize
vh_cuda_ring_get_scratch (const VhCudaRing * ring)
{
  return ring->scratch;
}

VhCudaRing *
vh_cuda_ring_ref (VhCudaRing * ring)
{
  g_atomic_int_inc (&ring->refcount);
  return ring;
}

void
vh_cuda_ring_unref (VhCudaRing * ring)
{
  if (g_atomic_int_dec_and_test (&ring->refcount))
    free_ring (ring);
}

/* A slot that nobody needs, or failing that the one whose counts were kept
 * longest; with @idle, none that has anything to do on another stream. */
static gint
find_slot (VhCudaRing * self, CUstream stream, gboolean idle)
{
  gint kept = -1;
  guint i;

  for (i = 0; i < self->n_slots; i++) {
    Slot *slot = &self->slots[i];

    /* What has no event cannot be waited for. */
    if ((idle || slot->unrecorded) && slot->stream != stream
        && slot->state != SLOT_RETIRED && is_busy (self, slot))
      continue;
    if (slot->state == SLOT_FREE)
      return i;
    if (slot->state == SLOT_KEPT && slot->mapped == 0
        && (kept < 0 || slot->submitted < self->slots[kept].submitted))
      kept = i;
  }
  return kept;
}

/* Keeps @stream from running ahead of what was last done to @slot. */
static gboolean
follow (VhCudaRing * self, const Slot * slot, CUstream stream)
{
  CUresult result = vh_cuda_device_push (self->device);

  if (result == CUDA_SUCCESS) {
    result = self->device->driver->StreamWaitEvent (stream, slot->event, 0);
    vh_cuda_device_pop (self->device);
  }
  vh_cuda_note (result);
  return result == CUDA_SUCCESS;
}

gint
vh_cuda_ring_acquire (VhCudaRing * ring, CUstream stream, gboolean may_follow)
{
  gint found = -1;

  g_mutex_lock (&ring->lock);
  reap (ring);
  if (count_frames (ring) < VH_CUDA_MAX_FRAMES) {
    found = find_slot (ring, stream, TRUE);
    if (found < 0 && may_follow) {
      found = find_slot (ring, stream, FALSE);
      if (found >= 0 && !follow (ring, &ring->slots[found], stream))
        found = -1;
    }
  }
  if (found >= 0) {
    Slot *slot = &ring->slots[found];

    if (slot->owner)
      slot->owner->slot = NULL;
    slot->owner = NULL;
    slot->state = SLOT_TAKEN;
    /* 0 is what a slot has that was never written. */
    if (++ring->sequence == 0)
      ring->sequence = 1;
    slot->sequence = ring->sequence;
    slot->late = FALSE;
    slot->stream = stream;
  }
  unlock (ring);
  return found;
}

void
vh_cuda_ring_set_params (VhCudaRing * ring, gint slot, VhKernelParams * params)
{
  const Slot *s = &ring->slots[slot];

  params->accumulators = s->accumulators;
  params->ticket = s->ticket;
  params->scratch = s->scratch;
  params->device_counts = s->device_counts;
  params->host_counts = ring->host_address +
      ((guint8 *) s->host_counts - ring->host_memory);
  params->sequence = s->sequence;
}

static GstVideoHistogramState
job_poll (gpointer data, GstVideoHistogram * histogram)
{
  Job *job = data;
  GstVideoHistogramState state = GST_VIDEO_HISTOGRAM_STATE_PENDING;
  Progress progress = PROGRESS_NONE;

  g_mutex_lock (&job->ring->lock);
  if (job->slot && !job->slot->late)
    progress = look_at (job->ring, job->slot);
  if (progress == PROGRESS_DONE) {
    fetch_counts (job->ring, job->slot, vh_histogram_storage (histogram));
    state = GST_VIDEO_HISTOGRAM_STATE_COMPLETE;
  } else if (progress == PROGRESS_FAILED || !job->slot || job->slot->late) {
    state = GST_VIDEO_HISTOGRAM_STATE_FAILED;
  }
  if (progress != PROGRESS_NONE)
    end_slot (job->ring, job->slot, progress);
  unlock (job->ring);
  return state;
}

static void
job_release (gpointer data)
{
  Job *job = data;

  g_mutex_lock (&job->ring->lock);
  if (job->slot) {
    job->slot->owner = NULL;
    if (job->slot->state == SLOT_KEPT)
      job->slot->state = SLOT_FREE;
  }
  unlock (job->ring);
  vh_cuda_ring_unref (job->ring);
  g_free (job);
}

static gboolean
job_map_device (gpointer data, GstVideoHistogramDeviceView * view)
{
  Job *job = data;
  gboolean mapped;

  g_mutex_lock (&job->ring->lock);
  mapped = job->slot && job->slot->recorded && !job->slot->late
      && job->slot->state != SLOT_RETIRED && !vh_cuda_is_lost ();
  if (mapped) {
    job->slot->mapped++;
    view->cuda_context = job->ring->device->context;
    view->event = job->slot->event;
    view->counts = job->slot->device_counts;
    view->n_values = job->slot->n_values;
  }
  unlock (job->ring);
  return mapped;
}

static void
job_unmap_device (gpointer data)
{
  Job *job = data;

  g_mutex_lock (&job->ring->lock);
  job->slot->mapped--;
  unlock (job->ring);
}

static const VhPendingFuncs job_funcs = {
  .poll = job_poll,
  .release = job_release,
  .map_device = job_map_device,
  .unmap_device = job_unmap_device,
};

static void
record (VhCudaRing * self, Slot * slot, CUstream stream)
{
  CUresult result;

  vh_cuda_device_begin (self->device);
  slot->submitted = gst_util_get_timestamp ();
  result = self->device->driver->EventRecord (slot->event, stream);
  vh_cuda_note (result);
  slot->recorded = result == CUDA_SUCCESS;
  slot->unrecorded = result != CUDA_SUCCESS;
  slot->ended = FALSE;
}

void
vh_cuda_ring_submitted (VhCudaRing * ring, gint slot,
    const VhKernelParams * params, CUstream stream, GstBuffer * frame,
    GstVideoHistogram * histogram)
{
  Slot *s = &ring->slots[slot];
  Job *job = g_new (Job, 1);

  job->ring = vh_cuda_ring_ref (ring);
  job->slot = s;

  g_mutex_lock (&ring->lock);
  s->state = SLOT_RUNNING;
  s->n_results = params->n_results;
  s->n_values = params->n_values;
  s->n_seen = 0;
  s->owner = job;
  s->frame = frame;
  record (ring, s, stream);
  unlock (ring);

  vh_histogram_set_pending (histogram, &job_funcs, job);
}

void
vh_cuda_ring_cancel (VhCudaRing * ring, gint slot, CUstream stream,
    GstBuffer * frame)
{
  Slot *s = &ring->slots[slot];

  g_mutex_lock (&ring->lock);
  s->frame = frame;
  s->state = SLOT_CANCELLED;
  record (ring, s, stream);
  unlock (ring);
}

void
vh_cuda_ring_release (VhCudaRing * ring, gint slot)
{
  g_mutex_lock (&ring->lock);
  ring->slots[slot].state = SLOT_FREE;
  unlock (ring);
}

void
vh_cuda_ring_set_leftovers (VhCudaRing * ring, gpointer leftovers,
    GDestroyNotify free)
{
  ring->leftovers = leftovers;
  ring->free_leftovers = free;
}

VhCudaRingState
vh_cuda_ring_check (VhCudaRing * ring)
{
  VhCudaRingState state = VH_CUDA_RING_READY;
  guint i;

  g_mutex_lock (&ring->lock);
  reap (ring);
  if (ring->counted)
    state = VH_CUDA_RING_COUNTED;
  ring->counted = FALSE;
  for (i = 0; i < ring->n_slots; i++) {
    if (ring->slots[i].state == SLOT_RETIRED)
      state = VH_CUDA_RING_WORN;
  }
  if (is_late (ring))
    state = VH_CUDA_RING_LATE;
  unlock (ring);
  return state;
}
