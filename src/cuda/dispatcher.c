/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One launch for many elements: a thread that arrives while another is in the
 * driver waits here instead of in the driver's own lock, and one of the waiting
 * threads launches the frames of all of them. This needs no extra thread, and
 * no thread waits for more frames: a thread that arrives alone launches at
 * once. */
#include "dispatcher.h"

/* A frame to launch, on the stack of the thread that submits it. */
typedef struct
{
  const VhCudaLaunch *launch;
  const VhKernelParams *params;
  GCond changed;                /* signalled when another thread has set one of
                                 * these: */
  gboolean launched;            /* @result is set */
  gboolean leads;               /* this thread must launch */
  CUresult result;
} Waiter;

struct _VhCudaDispatcher
{
  const VhCudaDriver *driver;
  CUstream stream;
  GMutex lock;
  GQueue waiting;               /* of Waiter, protected by lock */
  gboolean led;                 /* a thread is launching; protected by lock */
};

VhCudaDispatcher *
vh_cuda_dispatcher_new (const VhCudaDriver * driver, CUresult * result)
{
  VhCudaDispatcher *self;
  CUstream stream;

  *result = driver->StreamCreate (&stream, CU_STREAM_NON_BLOCKING);
  if (*result != CUDA_SUCCESS)
    return NULL;
  self = g_new0 (VhCudaDispatcher, 1);
  self->driver = driver;
  self->stream = stream;
  g_mutex_init (&self->lock);
  g_queue_init (&self->waiting);
  return self;
}

void
vh_cuda_dispatcher_free (VhCudaDispatcher * dispatcher, gboolean in_context)
{
  if (!dispatcher)
    return;
  if (in_context && !vh_cuda_is_lost ())
    vh_cuda_note (dispatcher->driver->StreamDestroy (dispatcher->stream));
  g_mutex_clear (&dispatcher->lock);
  g_free (dispatcher);
}

gboolean
vh_cuda_dispatcher_takes (const VhCudaLaunch * launch)
{
  return launch->kernel == VH_CUDA_KERNEL_FRAME_PLANE && launch->complete;
}

CUstream
vh_cuda_dispatcher_stream (const VhCudaDispatcher * dispatcher)
{
  return dispatcher->stream;
}

/* Takes as many waiting frames as one launch can count, in order of arrival.
 * Returns how many. */
static guint
take (VhCudaDispatcher * self, Waiter * taken[VH_KERNEL_FRAMES],
    VhCudaBatch * batch)
{
  Waiter *waiter;
  guint n = 0;

  while ((waiter = g_queue_peek_head (&self->waiting)) != NULL
      && vh_cuda_batch_add (batch, waiter->launch, waiter->params))
    taken[n++] = g_queue_pop_head (&self->waiting);
  return n;
}

/* Launches for the caller, which is the first waiting thread, and for the
 * others that fit; leaves the rest to the next thread, so that no thread
 * launches more than once for others. Must be called with the lock, which is
 * not held during driver calls. */
static void
lead (VhCudaDispatcher * self, const VhCudaDevice * device)
{
  Waiter *taken[VH_KERNEL_FRAMES], *next;
  VhCudaBatch batch = { 0, };
  const guint n = take (self, taken, &batch);
  CUresult result;
  guint i;

  g_mutex_unlock (&self->lock);
  if (n == 1) {
    result = vh_cuda_launch (device, taken[0]->launch, taken[0]->params,
        self->stream);
  } else {
    result = vh_cuda_batch_launch (device, &batch, self->stream);
  }
  g_mutex_lock (&self->lock);

  /* The other threads cannot continue without the lock, so their frames still
   * exist. */
  for (i = 0; i < n; i++) {
    taken[i]->result = result;
    taken[i]->launched = TRUE;
    if (i > 0)
      g_cond_signal (&taken[i]->changed);
  }
  next = g_queue_peek_head (&self->waiting);
  self->led = next != NULL;
  if (next) {
    next->leads = TRUE;
    g_cond_signal (&next->changed);
  }
}

CUresult
vh_cuda_dispatch (const VhCudaDevice * device, const VhCudaLaunch * launch,
    const VhKernelParams * params)
{
  VhCudaDispatcher *self = device->dispatcher;
  Waiter waiter = {.launch = launch,.params = params };

  g_cond_init (&waiter.changed);
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->waiting, &waiter);
  if (!self->led)
    self->led = waiter.leads = TRUE;
  while (!waiter.launched && !waiter.leads)
    g_cond_wait (&waiter.changed, &self->lock);
  if (!waiter.launched)
    lead (self, device);
  g_mutex_unlock (&self->lock);
  g_cond_clear (&waiter.changed);
  return waiter.result;
}
