/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms on an NVIDIA GPU: a kernel counts a frame against luma that
 * was kept of another, and keeps its own for the next. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "joint.h"

/* Pixels for each thread, at least. */
#define PIXELS 4

#define VECTOR 16               /* bytes */

/* The longest that freeing luma waits for a kernel that uses it. */
#define FREE_TIMEOUT (200 * GST_MSECOND)

#define MAX_PACKED 65535

/* Luma on a device. All that uses it, on whatever stream, is enqueued one after
 * the other: each waits for the event, and records it anew. */
typedef struct
{
  VhLuma parent;
  VhCudaDevice *device;
  VhCudaRing *ring;             /* of who made it, to see what is under way */
  CUdeviceptr bins;             /* uint8_t[capacity] */

  GMutex lock;
  CUevent event;
  gboolean recorded;            /* event; protected by lock */
} CudaLuma;

/* Luma that could not be freed yet. */
static GMutex garbage_lock;
static GSList *garbage;         /* of CudaLuma, protected by garbage_lock */

/* Whether nothing uses @self any more, after a while at most; the context must
 * be current. */
static gboolean
wait_until_idle (CudaLuma * self, GstClockTime timeout)
{
  const GstClockTime end = gst_util_get_timestamp () + timeout;
  CUresult result = CUDA_SUCCESS;

  while (self->recorded) {
    result = self->device->driver->EventQuery (self->event);
    vh_cuda_note (result);
    if (result != CUDA_ERROR_NOT_READY || gst_util_get_timestamp () >= end)
      break;
    g_usleep (100);
  }
  return result == CUDA_SUCCESS;
}

/* Frees @self, unless a kernel may still use it, or freeing would wait for
 * others; nothing of a lost GPU is. */
static gboolean
try_to_free (CudaLuma * self, GstClockTime timeout)
{
  const VhCudaDriver *driver = self->device->driver;
  gboolean idle = vh_cuda_ring_drain (self->ring, timeout);

  if (vh_cuda_device_push (self->device) != CUDA_SUCCESS)
    return FALSE;
  idle = idle && wait_until_idle (self, timeout);
  if (idle) {
    vh_cuda_note (driver->EventDestroy (self->event));
    vh_cuda_note (driver->MemFree (self->bins));
  }
  vh_cuda_device_pop (self->device);
  if (!idle)
    return FALSE;

  vh_cuda_ring_unref (self->ring);
  vh_cuda_device_unref (self->device);
  g_mutex_clear (&self->lock);
  g_free (self);
  return TRUE;
}

static void
cuda_luma_free (VhLuma * luma)
{
  gboolean stuck;

  /* What holds up one holds up the next. */
  g_mutex_lock (&garbage_lock);
  stuck = garbage != NULL;
  g_mutex_unlock (&garbage_lock);
  if (try_to_free ((CudaLuma *) luma, stuck ? 0 : FREE_TIMEOUT))
    return;
  g_mutex_lock (&garbage_lock);
  garbage = g_slist_prepend (garbage, luma);
  g_mutex_unlock (&garbage_lock);
}

void
vh_cuda_luma_free_garbage (void)
{
  GSList *all, *item;

  g_mutex_lock (&garbage_lock);
  all = g_steal_pointer (&garbage);
  g_mutex_unlock (&garbage_lock);
  for (item = all; item; item = item->next) {
    if (!try_to_free (item->data, 0)) {
      g_mutex_lock (&garbage_lock);
      garbage = g_slist_prepend (garbage, item->data);
      g_mutex_unlock (&garbage_lock);
    }
  }
  g_slist_free (all);
}

VhLuma *
vh_cuda_luma_new (VhCudaJoint * joint, VhCudaDevice * device,
    gconstpointer maker, gsize pixels, GError ** error)
{
  const VhCudaDriver *driver = device->driver;
  CUdeviceptr bins = 0;
  CUevent event = NULL;
  CudaLuma *self;
  CUresult result;

  result = driver->MemAlloc (&bins, MAX (pixels, 1));
  if (result == CUDA_SUCCESS)
    result = driver->EventCreate (&event, CU_EVENT_DISABLE_TIMING);
  if (result != CUDA_SUCCESS) {
    vh_cuda_set_error (driver, error, result, "Allocating memory for luma");
    if (bins && !vh_cuda_is_lost ())
      vh_cuda_note (driver->MemFree (bins));
    return NULL;
  }

  self = g_new0 (CudaLuma, 1);
  vh_luma_init (&self->parent, cuda_luma_free, maker, pixels);
  self->device = vh_cuda_device_ref (device);
  self->ring = vh_cuda_ring_ref (joint->ring);
  self->bins = bins;
  self->event = event;
  g_mutex_init (&self->lock);
  return &self->parent;
}

/* From here to end_use() @self, which may be NULL, is used by what is enqueued
 * on @stream, and by nothing else. */
static CUresult
begin_use (CudaLuma * self, CUstream stream)
{
  if (!self)
    return CUDA_SUCCESS;
  g_mutex_lock (&self->lock);
  if (!self->recorded)
    return CUDA_SUCCESS;
  return self->device->driver->StreamWaitEvent (stream, self->event, 0);
}

static CUresult
end_use (CudaLuma * self, CUstream stream)
{
  CUresult result;

  if (!self)
    return CUDA_SUCCESS;
  result = self->device->driver->EventRecord (self->event, stream);
  self->recorded |= result == CUDA_SUCCESS;
  g_mutex_unlock (&self->lock);
  return result;
}

gboolean
vh_cuda_joint_ensure (VhCudaJoint * joint, VhCudaDevice * device,
    CUstream stream, CUresult * result, GError ** error)
{
  static const VhCudaKernel kernels[] = {
    VH_CUDA_KERNEL_JOINT_CHROMA, VH_CUDA_KERNEL_JOINT_LUMA,
    VH_CUDA_KERNEL_JOINT_KEEP,
  };
  const VhKernelParams params = {
    .columns = 1,
    .rows = 1,
    .channels = 1,
    .bins = joint->bins * joint->bins,
    .depth = 16,
  };
  guint i;

  *result = CUDA_SUCCESS;
  if (joint->ring && joint->ring_bins == joint->bins)
    return TRUE;
  vh_cuda_joint_clear (joint);

  for (i = 0; i < G_N_ELEMENTS (kernels) && *result == CUDA_SUCCESS; i++)
    *result = vh_cuda_device_load (device, kernels[i]);
  if (*result != CUDA_SUCCESS) {
    vh_cuda_set_error (device->driver, error, *result,
        "Loading the kernels of joint histograms");
    return FALSE;
  }
  joint->ring = vh_cuda_ring_new (device, &params, 0, stream, result, error);
  joint->ring_bins = joint->bins;
  return joint->ring != NULL;
}

void
vh_cuda_joint_clear (VhCudaJoint * joint)
{
  g_clear_pointer (&joint->ring, vh_cuda_ring_unref);
}

/* Whether rows from @data on are whole vectors. */
static gboolean
is_aligned (guint64 data, guint64 stride)
{
  return (data | stride) % VECTOR == 0;
}

/* Where the samples of @component lie in the region; FALSE where they are no
 * bytes. */
static gboolean
find_vectors (const VhKernelParams * frame, const VhKernelComponent * component,
    guint64 * data, guint64 * stride)
{
  *data = component->data + (guint64) frame->y * component->stride +
      (guint64) frame->x * component->pixel_stride;
  *stride = component->stride;
  return component->sample_bytes == 1 && component->shift == 0
      && frame->depth == 8;
}

/* Luma, and what it is counted against or kept in. */
static void
find_luma_vectors (VhJointParams * params)
{
  const VhKernelParams *frame = &params->frame;

  params->samples = VH_PAIRS_ANY;
  params->a = params->against;
  params->a_stride = frame->width;
  params->row_vectors = frame->width / VECTOR;
  if (frame->model != VH_KERNEL_RGB && frame->component[0].pixel_stride == 1
      && frame->width % VECTOR == 0
      && find_vectors (frame, &frame->component[0], &params->b,
          &params->b_stride) && is_aligned (params->b, params->b_stride))
    params->samples = VH_PAIRS_PLANES;
}

static void
find_chroma_vectors (VhJointParams * params)
{
  const VhKernelParams *frame = &params->frame;
  const guint bytes = frame->component[1].pixel_stride;
  const guint row = frame->width * bytes;

  params->samples = VH_PAIRS_ANY;
  params->row_vectors = row / VECTOR;
  if (!find_vectors (frame, &frame->component[1], &params->a,
          &params->a_stride)
      || !find_vectors (frame, &frame->component[2], &params->b,
          &params->b_stride) || row % VECTOR != 0)
    return;
  if (bytes == 1 && is_aligned (params->a, params->a_stride)
      && is_aligned (params->b, params->b_stride)) {
    params->samples = VH_PAIRS_PLANES;
  } else if (bytes == 2 && params->b == params->a + 1
      && is_aligned (params->a, params->a_stride)) {
    params->samples = VH_PAIRS_INTERLEAVED;
  } else if (bytes == 2 && params->a == params->b + 1
      && is_aligned (params->b, params->b_stride)) {
    params->samples = VH_PAIRS_SWAPPED;
    params->a = params->b;
  }
}

/* The kernel for @params, one of those of joint.cu. Blocks that count in packed
 * counters get less than 2^16 pixels each. */
static VhCudaLaunch
choose_launch (const VhCudaDevice * device, VhCudaKernel kernel,
    VhJointParams * params)
{
  const guint64 pixels = (guint64) params->frame.width * params->frame.height;
  const guint64 vectors = (guint64) params->row_vectors * params->frame.height;
  const gsize room = device->shared_limit - VH_CUDA_FIXED_SHARED;
  const gsize table = GST_ROUND_UP_16 (params->frame.n_results *
      sizeof (guint16));
  guint blocks = device->multiprocessors;
  VhCudaLaunch launch = {.kernel = kernel,.grid = {1, 1, 1} };

  launch.threads = MIN (device->max_threads[kernel], 1024);
  params->packed = kernel != VH_CUDA_KERNEL_JOINT_KEEP && table <= room;
  if (params->packed)
    launch.shared = table;
  if (launch.shared <= room / 2)
    blocks *= MAX (device->threads_per_multiprocessor / launch.threads, 1);
  launch.grid[0] = CLAMP (pixels / (launch.threads *
          (params->samples == VH_PAIRS_ANY ? PIXELS : VECTOR)), 1, blocks);
  if (params->packed) {
    const guint64 most = MAX_PACKED / launch.threads * launch.threads;
    const guint64 most_vectors = MAX_PACKED / VECTOR;

    launch.grid[0] = MAX (launch.grid[0],
        params->samples == VH_PAIRS_ANY ? (pixels + most - 1) / most :
        (vectors + most_vectors - 1) / most_vectors);
  }
  params->frame.n_blocks = launch.grid[0];
  return launch;
}

CUresult
vh_cuda_joint_launch (const VhCudaDevice * device, VhCudaKernel kernel,
    VhJointParams * params, CUstream stream)
{
  void *arguments[] = { params };
  VhCudaLaunch launch;

  if (kernel == VH_CUDA_KERNEL_JOINT_CHROMA)
    find_chroma_vectors (params);
  else
    find_luma_vectors (params);
  launch = choose_launch (device, kernel, params);
  return device->driver->LaunchKernel (device->kernels[kernel], launch.grid[0],
      1, 1, launch.threads, 1, 1, launch.shared, stream, arguments, NULL);
}

/* Chroma samples take the place of pixels. */
static CUresult
launch_chroma (const VhCudaDevice * device, const VhJointParams * luma,
    const VhLayout * layout, const VhRect * region, CUstream stream)
{
  const VhRect chroma = vh_chroma_region (layout, region);
  VhJointParams params = *luma;
  guint i;

  for (i = 1; i < 3; i++)
    params.frame.component[i].w_sub = params.frame.component[i].h_sub = 0;
  params.frame.x = chroma.x;
  params.frame.y = chroma.y;
  params.frame.width = chroma.width;
  params.frame.height = chroma.height;
  return vh_cuda_joint_launch (device, VH_CUDA_KERNEL_JOINT_CHROMA, &params,
      stream);
}

static CUresult
launch_luma (const VhCudaDevice * device, VhJointParams * params,
    CudaLuma * against, CudaLuma * keep, CUstream stream)
{
  CudaLuma *first = MIN (against, keep), *second = MAX (against, keep);
  CUresult result, ended;

  /* In the same order, whichever is against the other. */
  if (first == second)
    first = NULL;
  result = begin_use (first, stream);
  ended = begin_use (second, stream);
  if (result == CUDA_SUCCESS)
    result = ended;
  params->against = against ? against->bins : 0;
  params->keep = keep ? keep->bins : 0;
  if (result == CUDA_SUCCESS) {
    result = vh_cuda_joint_launch (device, against ? VH_CUDA_KERNEL_JOINT_LUMA :
        VH_CUDA_KERNEL_JOINT_KEEP, params, stream);
  }
  ended = end_use (second, stream);
  if (result == CUDA_SUCCESS)
    result = ended;
  ended = end_use (first, stream);
  return result == CUDA_SUCCESS ? ended : result;
}

/* Takes a slot for the counts that @work asks for; -1 where there are none to
 * be counted. */
static gint
take_slot (VhCudaJoint * joint, const VhCudaDevice * device, CUstream stream,
    VhJoint * work)
{
  const CudaLuma *against = (const CudaLuma *) work->against;
  gint slot = -1;

  if (!work->counts)
    return -1;
  work->unreadable = against && against->device != device;
  if (!work->unreadable)
    slot = vh_cuda_ring_acquire (joint->ring, stream, TRUE);
  if (slot < 0)
    vh_histogram_fail (work->counts);
  return slot;
}

/* Where luma goes: on the device that the frame is on. NULL where there is no
 * such place. */
static CudaLuma *
find_keep (VhCudaJoint * joint, VhCudaDevice * device, VhJoint * work,
    VhLuma ** replaced)
{
  VhLuma *replacement;

  if (!work->keep)
    return NULL;
  if (((CudaLuma *) * work->keep)->device != device) {
    replacement = vh_cuda_luma_new (joint, device, (*work->keep)->maker,
        (*work->keep)->capacity, NULL);
    if (!replacement)
      return NULL;
    *replaced = *work->keep;
    *work->keep = replacement;
  }
  return (CudaLuma *) * work->keep;
}

CUresult
vh_cuda_joint_submit (VhCudaJoint * joint, VhCudaDevice * device,
    const VhKernelParams * params, const VhFrameView * view,
    const VhRect * region, const CUdeviceptr data[GST_VIDEO_MAX_PLANES],
    const gsize stride[GST_VIDEO_MAX_PLANES], CUstream stream, VhJoint * work,
    VhLuma ** replaced)
{
  CudaLuma *keep = find_keep (joint, device, work, replaced);
  CudaLuma *against = (CudaLuma *) work->against;
  VhJointParams p = {.frame = *params };
  CUresult result = CUDA_SUCCESS;
  const gint slot = take_slot (joint, device, stream, work);

  if (slot < 0)
    against = NULL;

  p.frame.columns = p.frame.rows = p.frame.channels = 1;
  p.frame.bins = work->bins;
  p.frame.n_values = p.frame.n_results = work->bins * work->bins;
  vh_cuda_params_set_frame (&p.frame, view, region, data, stride);
  if (slot >= 0)
    vh_cuda_ring_set_params (joint->ring, slot, &p.frame);

  if (slot >= 0 && work->chroma)
    result = launch_chroma (device, &p, view->layout, region, stream);
  if (result == CUDA_SUCCESS && (against || keep))
    result = launch_luma (device, &p, against, keep, stream);
  work->kept = keep && result == CUDA_SUCCESS;

  if (slot >= 0 && result == CUDA_SUCCESS) {
    vh_cuda_ring_submitted (joint->ring, slot, &p.frame, stream, NULL,
        work->counts);
  } else if (slot >= 0) {
    vh_cuda_ring_cancel (joint->ring, slot, stream, NULL);
    vh_histogram_fail (work->counts);
  }
  return result;
}
