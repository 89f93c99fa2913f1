/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "slots.h"
#include "frames.h"

#include <string.h>

/* There are more slots than frames in flight, for consumers of counts on the
 * device; fewer if results have many megabytes. */
#define MAX_SLOTS 4
#define MIN_SLOTS 2
#define MIN_SLOTS_RESULTS (1 << 18)

typedef enum
{
  SLOT_FREE,
  SLOT_TAKEN,                   /* being prepared for a launch */
  SLOT_RUNNING,                 /* a kernel will write it */
  SLOT_KEPT,                    /* written and fetched; the counts stay on the
                                 * device until the slot is needed */
} SlotState;

/* Connects counts with their slot. */
typedef struct
{
  VhCudaSlots *slots;           /* holds a reference */
  VhCudaSlot *slot;             /* NULL once the slot was reused; protected by
                                 * the slots' lock */
  VhCounts *counts;             /* without a reference: they own the job */
  VhCudaFence *fence;           /* holds a reference */
} Job;

struct _VhCudaSlot
{
  VhCudaSlots *slots;
  SlotState state;
  guint32 sequence;             /* that the kernel writes with each result */
  guint n_results;              /* that the kernel writes */
  guint n_values;               /* results per channel and cell */
  guint n_seen;                 /* results that were found to be written */
  guint bins, depth;            /* of the counts */
  guint scratch_layout;         /* the layout that the last kernel left; 0:
                                 * none */
  VhCudaFence *fence;           /* of the last enqueued work */
  CUstream stream;              /* of that work */
  Job *owner;                   /* of the counts, or NULL */
  gboolean failed;              /* the counts have failed */
  guint mapped;                 /* how many consumers on the device keep it */

  /* constant */
  CUdeviceptr accumulators;
  CUdeviceptr ticket;
  CUdeviceptr scratch;
  CUdeviceptr device_counts;    /* guint32[max_results] */
  CUdeviceptr host_address;     /* of host_counts, on the device */
  guint64 *host_counts;         /* max_results: sequence and count */
};

struct _VhCudaSlots
{
  gint refcount;                /* atomic */
  VhCudaStream *stream;         /* holds a reference */
  gsize max_results;
  gsize scratch;                /* bytes of each slot */
  guint n_slots;
  VhCudaMemory *memory;
  VhCudaPinned *pinned;

  GMutex lock;
  VhCudaSlot slots[MAX_SLOTS];  /* protected by lock, except for the constant
                                 * parts */
  guint32 sequence;             /* the last one used; protected by lock */
};

/* Rounds up to whole cache lines, so that slots do not share one. */
static gsize
pad (gsize size)
{
  return GST_ROUND_UP_N (size, 256);
}

static void
place_slots (VhCudaSlots * self)
{
  const gsize accumulators = pad (vh_cuda_accumulator_size (self->max_results));
  const gsize counts = pad (self->max_results * sizeof (guint32));
  const gsize ticket = pad (sizeof (guint32));
  const gsize device_size = self->memory->size / self->n_slots;
  const gsize host_size = pad (self->max_results * sizeof (guint64));
  guint i;

  for (i = 0; i < self->n_slots; i++) {
    VhCudaSlot *slot = &self->slots[i];

    slot->slots = self;
    slot->accumulators = self->memory->address + i * device_size;
    slot->device_counts = slot->accumulators + accumulators;
    slot->ticket = slot->device_counts + counts;
    slot->scratch = slot->ticket + ticket;
    slot->host_counts = (guint64 *) (self->pinned->data + i * host_size);
    slot->host_address = self->pinned->address + i * host_size;
    slot->stream = self->stream->handle;
  }
}

static CUresult
allocate (VhCudaSlots * self, GstClockTime late_after)
{
  const gsize device_size = pad (vh_cuda_accumulator_size (self->max_results)) +
      pad (self->max_results * sizeof (guint32)) + pad (sizeof (guint32)) +
      pad (self->scratch);
  const gsize host_size = pad (self->max_results * sizeof (guint64));
  VhCudaDevice *device = self->stream->device;
  VhCudaFence *cleared;
  CUresult result;
  guint i;

  self->pinned = vh_cuda_pinned_take (device, self->n_slots * host_size,
      &result);
  if (!self->pinned)
    return result;
  memset (self->pinned->data, 0, self->n_slots * host_size);
  self->memory = vh_cuda_memory_new (self->stream, self->n_slots * device_size,
      TRUE, &result);
  if (!self->memory)
    return result;
  place_slots (self);
  cleared = vh_cuda_fence_new (self->stream, late_after);
  vh_cuda_fence_start (cleared, self->stream->handle);
  for (i = 0; i < self->n_slots; i++)
    self->slots[i].fence = vh_cuda_fence_ref (cleared);
  vh_cuda_fence_unref (cleared);
  return CUDA_SUCCESS;
}

/* Called once no kernel writes the host's counts any more. Kernels may still
 * use the device's memory after their last result; that memory is freed after
 * their fences. */
static void
free_slots (VhCudaSlots * self)
{
  VhCudaFence *fences[MAX_SLOTS] = { NULL, };
  guint i;

  for (i = 0; i < self->n_slots; i++)
    fences[i] = self->slots[i].fence;
  vh_cuda_memory_free (self->memory, fences, self->n_slots);
  vh_cuda_pinned_give (self->stream->device, self->pinned);
  for (i = 0; i < self->n_slots; i++)
    g_clear_pointer (&fences[i], vh_cuda_fence_unref);
  vh_cuda_stream_unref (self->stream);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static VhCudaSlots *
vh_cuda_slots_ref (VhCudaSlots * slots)
{
  g_atomic_int_inc (&slots->refcount);
  return slots;
}

void
vh_cuda_slots_unref (VhCudaSlots * slots)
{
  if (g_atomic_int_dec_and_test (&slots->refcount))
    free_slots (slots);
}

VhCudaSlots *
vh_cuda_slots_new (VhCudaStream * stream, gsize max_results, gsize scratch,
    GstClockTime late_after, CUresult * result)
{
  VhCudaSlots *self = g_new0 (VhCudaSlots, 1);

  self->refcount = 1;
  self->stream = vh_cuda_stream_ref (stream);
  self->max_results = max_results;
  self->scratch = scratch;
  self->n_slots = scratch > 0 || max_results >= MIN_SLOTS_RESULTS ?
      MIN_SLOTS : MAX_SLOTS;
  g_mutex_init (&self->lock);
  *result = allocate (self, late_after);
  if (*result != CUDA_SUCCESS)
    g_clear_pointer (&self, vh_cuda_slots_unref);
  return self;
}

gboolean
vh_cuda_slots_are_on (const VhCudaSlots * slots, const VhCudaStream * stream)
{
  return slots && slots->stream == stream;
}

gboolean
vh_cuda_slots_fit (const VhCudaSlots * slots, gsize max_results, gsize scratch)
{
  return slots->max_results >= max_results && slots->scratch >= scratch;
}

gsize
vh_cuda_slots_get_scratch (const VhCudaSlots * slots)
{
  return slots->scratch;
}

/* Finds an unused slot or, if there is none, the slot that has kept its counts
 * longest. With @idle, ignores slots that have work on another stream. */
static VhCudaSlot *
find_slot (VhCudaSlots * self, CUstream stream, gboolean idle)
{
  VhCudaSlot *kept = NULL;
  guint i;

  for (i = 0; i < self->n_slots; i++) {
    VhCudaSlot *slot = &self->slots[i];

    if ((slot->state != SLOT_FREE && slot->state != SLOT_KEPT)
        || slot->mapped > 0
        /* A stream cannot wait for work without an event. */
        || ((idle || !vh_cuda_fence_can_order (slot->fence))
            && slot->stream != stream
            && !vh_cuda_fence_has_ended (slot->fence)))
      continue;
    if (slot->state == SLOT_FREE)
      return slot;
    if (!kept || (gint32) (slot->sequence - kept->sequence) < 0)
      kept = slot;
  }
  return kept;
}

VhCudaSlot *
vh_cuda_slots_acquire (VhCudaSlots * slots, CUstream stream,
    gboolean may_follow)
{
  VhCudaSlot *found;

  g_mutex_lock (&slots->lock);
  found = find_slot (slots, stream, TRUE);
  if (!found && may_follow) {
    found = find_slot (slots, stream, FALSE);
    if (found && vh_cuda_fence_order (found->fence, stream) != CUDA_SUCCESS)
      found = NULL;
  }
  if (found) {
    if (found->owner)
      found->owner->slot = NULL;
    found->owner = NULL;
    found->state = SLOT_TAKEN;
    /* 0 means that a slot was never written. */
    if (++slots->sequence == 0)
      slots->sequence = 1;
    found->sequence = slots->sequence;
    found->stream = stream;
  }
  g_mutex_unlock (&slots->lock);
  return found;
}

void
vh_cuda_slot_set_params (VhCudaSlot * slot, VhKernelParams * params)
{
  params->accumulators = slot->accumulators;
  params->ticket = slot->ticket;
  params->scratch = slot->scratch;
  params->device_counts = slot->device_counts;
  params->host_counts = slot->host_address;
  params->sequence = slot->sequence;
}

CUresult
vh_cuda_slot_prepare_scratch (VhCudaSlot * slot, guint layout, CUstream stream)
{
  const VhCudaSlots *slots = slot->slots;
  CUresult result = CUDA_SUCCESS;

  if (slot->scratch_layout == layout || slots->scratch == 0)
    return CUDA_SUCCESS;
  /* Unused memory is clear. */
  if (slot->scratch_layout != 0) {
    result = slots->stream->device->driver->MemsetD8Async (slot->scratch, 0,
        slots->scratch, stream);
  }
  if (result == CUDA_SUCCESS)
    slot->scratch_layout = layout;
  return result;
}

/* Whether all results are complete. Each arrives in one word together with the
 * number of its launch, in any order. */
static gboolean
look_for_results (gpointer data)
{
  VhCudaSlot *slot = data;

  while (slot->n_seen < slot->n_results
      && __atomic_load_n (&slot->host_counts[slot->n_seen],
          __ATOMIC_RELAXED) >> 32 == slot->sequence)
    slot->n_seen++;
  return slot->n_seen == slot->n_results;
}

/* Writes the counts of @slot to @storage, [channel][cell][bin]. If the results
 * are per code value, several may fall into a bin, and bins may stay empty. */
static void
fetch_counts (const VhCudaSlot * slot, guint32 * storage)
{
  guint i;

  if (slot->n_values == slot->bins) {
    for (i = 0; i < slot->n_results; i++)
      storage[i] = (guint32) slot->host_counts[i];
    return;
  }
  for (i = 0; i < slot->n_results; i++) {
    const guint cell = i / slot->n_values, value = i % slot->n_values;
    const guint bin = ((guint64) value * slot->bins) >> slot->depth;

    storage[(gsize) cell * slot->bins + bin] += (guint32) slot->host_counts[i];
  }
}

static void
finish_results (gpointer data, gboolean complete)
{
  VhCudaSlot *slot = data;
  VhCudaSlots *slots = slot->slots;

  g_mutex_lock (&slots->lock);
  slot->failed = !complete;
  if (slot->owner && complete) {
    fetch_counts (slot, vh_counts_storage (slot->owner->counts));
    vh_counts_complete (slot->owner->counts);
  } else if (slot->owner) {
    vh_counts_fail (slot->owner->counts);
  }
  if (complete)
    slot->state = slot->owner ? SLOT_KEPT : SLOT_FREE;
  g_mutex_unlock (&slots->lock);
}

/* Called when a launch has ended. Its slot is usually free by now, and another
 * launch may be using it; but if the launch was late, so that its counts were
 * not used, frees the slot. Not called after a failure, because it is unknown
 * whether the launch has ended: then the slots stay. */
static void
end_launch (gpointer data, guint32 launch)
{
  VhCudaSlot *slot = data;
  VhCudaSlots *slots = slot->slots;

  g_mutex_lock (&slots->lock);
  if (slot->state == SLOT_RUNNING && slot->sequence == launch)
    slot->state = SLOT_FREE;
  g_mutex_unlock (&slots->lock);
  vh_cuda_slots_unref (slots);
}

static const VhCudaResultFuncs result_funcs = {
  .look = look_for_results,
  .finish = finish_results,
  .end = end_launch,
};

static void
job_poll (gpointer data, G_GNUC_UNUSED VhCounts * counts)
{
  vh_cuda_fence_poll (((Job *) data)->fence);
}

static void
job_release (gpointer data)
{
  Job *job = data;

  g_mutex_lock (&job->slots->lock);
  if (job->slot) {
    job->slot->owner = NULL;
    if (job->slot->state == SLOT_KEPT)
      job->slot->state = SLOT_FREE;
  }
  g_mutex_unlock (&job->slots->lock);
  vh_cuda_fence_unref (job->fence);
  vh_cuda_slots_unref (job->slots);
  g_free (job);
}

static void
job_unmap_device (gpointer data)
{
  Job *job = data;

  g_mutex_lock (&job->slots->lock);
  if (job->slot)
    job->slot->mapped--;
  g_mutex_unlock (&job->slots->lock);
}

/* Counts of this thread's current frame have no event yet: their readers come
 * after them on the frame's stream. */
static gboolean
job_map_device (gpointer data, VhCountsDeviceView * view)
{
  Job *job = data;
  gboolean mapped;

  g_mutex_lock (&job->slots->lock);
  mapped = job->slot && !job->slot->failed && !vh_cuda_is_lost ();
  if (mapped) {
    job->slot->mapped++;
    view->context = job->slots->stream->device->context;
    view->counts = job->slot->device_counts;
    view->n_values = job->slot->n_values;
  }
  g_mutex_unlock (&job->slots->lock);
  if (!mapped)
    return FALSE;

  /* Does not call the driver with the lock, because results need the lock. */
  view->event = vh_cuda_fence_event (job->fence);
  mapped = view->event || !vh_cuda_fence_is_started (job->fence);
  if (!mapped)
    job_unmap_device (job);
  return mapped;
}

static const VhPendingFuncs job_funcs = {
  .poll = job_poll,
  .release = job_release,
  .map_device = job_map_device,
  .unmap_device = job_unmap_device,
};

/* Returns the previous fence. It must be released without the slots' lock,
 * because fences call finish_results() with their own lock. */
static VhCudaFence *
set_fence (VhCudaSlot * slot, VhCudaFence * fence)
{
  VhCudaFence *before = slot->fence;

  slot->fence = vh_cuda_fence_ref (fence);
  return before;
}

/* Makes @counts the owner of @slot; @fence covers its kernel. */
static void
give_slot (VhCudaSlot * slot, SlotState state, const VhKernelParams * params,
    VhCudaFence * fence, VhCounts * counts)
{
  Job *job = g_new (Job, 1);
  VhCudaFence *before;

  job->slots = vh_cuda_slots_ref (slot->slots);
  job->slot = slot;
  job->counts = counts;
  job->fence = vh_cuda_fence_ref (fence);

  g_mutex_lock (&slot->slots->lock);
  slot->state = state;
  slot->n_results = params->n_results;
  slot->n_values = params->n_values;
  slot->n_seen = 0;
  slot->failed = FALSE;
  slot->bins = vh_counts_shape (counts)->bins;
  slot->depth = params->depth;
  slot->owner = job;
  before = set_fence (slot, fence);
  g_mutex_unlock (&slot->slots->lock);
  vh_cuda_fence_unref (before);

  vh_counts_set_pending (counts, &job_funcs, job);
}

/* Keeps the slots until @fence, which has no results of them, has ended. */
static void
hold_slots (VhCudaSlot * slot, VhCudaFence * fence)
{
  vh_cuda_fence_set_silent (fence);
  vh_cuda_fence_hold (fence, vh_cuda_slots_ref (slot->slots),
      (GDestroyNotify) vh_cuda_slots_unref, FALSE);
}

/* A slot without results for the host becomes SLOT_KEPT at once: nothing is
 * fetched from it, and its next user follows the fence. */
void
vh_cuda_slot_submitted (VhCudaSlot * slot, const VhKernelParams * params,
    VhCudaFence * fence, VhCounts * counts)
{
  if (params->host_counts) {
    give_slot (slot, SLOT_RUNNING, params, fence, counts);
    vh_cuda_slots_ref (slot->slots);
    vh_cuda_fence_add_results (fence, &result_funcs, slot, slot->sequence);
  } else {
    give_slot (slot, SLOT_KEPT, params, fence, counts);
    hold_slots (slot, fence);
    vh_counts_fail (counts);
  }
}

void
vh_cuda_slot_cancel (VhCudaSlot * slot, VhCudaFence * fence)
{
  VhCudaFence *before;

  g_mutex_lock (&slot->slots->lock);
  slot->state = SLOT_FREE;
  before = set_fence (slot, fence);
  g_mutex_unlock (&slot->slots->lock);
  vh_cuda_fence_unref (before);
  hold_slots (slot, fence);
}
