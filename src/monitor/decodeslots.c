/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decodeslots.h"

#include "gpu.h"
#include "load.h"

#include <gst/video/video.h>
#include <math.h>
#include <stdatomic.h>

/* While one thread runs, another one is ready to. */
#define SLOTS_OF_PROCESSOR 2

/* If no slot becomes free for so long, those who have them wait for something
 * else, such as another stream of their camera, and others need not wait for
 * them, µs. */
#define STUCK_TIME G_TIME_SPAN_SECOND

/* Belongs to both pads of a decoder. */
typedef struct
{
  GstPadChainFunction decode;
  atomic_bool busy;             /* has a slot */
  guint period;                 /* in which it last waited */
  gint64 waited;                /* in that period, µs */
} User;

/* A thread that waits. */
typedef struct
{
  GCond change;
  gboolean may;
} Waiter;

static GMutex lock;
static GQueue waiters;          /* of Waiter, in their order */
static guint n_busy, n_allowed;
static gint64 changed;          /* when a slot was last taken or left, µs */
static guint period;            /* increases when waits are measured */
static gint64 longest;          /* in this period, µs */

static guint
count_slots (void)
{
  static gsize n;

  if (g_once_init_enter (&n))
    g_once_init_leave (&n, ceil (SLOTS_OF_PROCESSOR
            * vhm_load_get_processors ()));
  return n;
}

/* With @lock, as the next two functions. */
static void
serve (void)
{
  while (n_busy < n_allowed && waiters.head) {
    Waiter *next = g_queue_pop_head (&waiters);

    n_busy++;
    next->may = TRUE;
    g_cond_signal (&next->change);
  }
  changed = g_get_monotonic_time ();
}

static void
note_wait (User * user, gint64 wait)
{
  if (user->period != period)
    user->waited = 0;
  user->period = period;
  user->waited += wait;
  longest = MAX (longest, user->waited);
}

static void
wait_for_slot (User * user)
{
  const gint64 begin = g_get_monotonic_time ();
  Waiter waiter = {.may = FALSE };

  g_cond_init (&waiter.change);
  g_queue_push_tail (&waiters, &waiter);
  while (!waiter.may) {
    if (g_get_monotonic_time () - changed >= STUCK_TIME) {
      n_allowed = n_busy + count_slots ();
      serve ();
    } else
      g_cond_wait_until (&waiter.change, &lock, changed + STUCK_TIME);
  }
  g_cond_clear (&waiter.change);
  note_wait (user, g_get_monotonic_time () - begin);
}

static void
take (User * user)
{
  const guint n_slots = count_slots ();

  g_mutex_lock (&lock);
  if (n_busy < n_slots)
    n_allowed = n_slots;
  if (n_busy < n_allowed && !waiters.head) {
    n_busy++;
    changed = g_get_monotonic_time ();
  } else
    wait_for_slot (user);
  g_mutex_unlock (&lock);
  atomic_store (&user->busy, TRUE);
}

static void
leave (User * user)
{
  if (!atomic_exchange (&user->busy, FALSE))
    return;
  g_mutex_lock (&lock);
  n_busy--;
  serve ();
  g_mutex_unlock (&lock);
}

static GstFlowReturn
on_packet (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  User *user = pad->chaindata;
  GstFlowReturn result;

  take (user);
  result = user->decode (pad, parent, buffer);
  leave (user);
  return result;
}

/* What is decoded may wait for its time, or for room in a queue. */
static GstPadProbeReturn
on_decoded (G_GNUC_UNUSED GstPad * pad, G_GNUC_UNUSED GstPadProbeInfo * info,
    gpointer data)
{
  leave (data);
  return GST_PAD_PROBE_OK;
}

void
vhm_decode_slots_use (GstElement * decoder)
{
  GstElementFactory *factory = gst_element_get_factory (decoder);
  GstPad *sink, *src;
  User *user;

  if (!GST_IS_VIDEO_DECODER (decoder)
      || (factory && vhm_gpu_is_decoder (factory)))
    return;
  user = g_atomic_rc_box_new0 (User);
  sink = GST_VIDEO_DECODER_SINK_PAD (decoder);
  src = GST_VIDEO_DECODER_SRC_PAD (decoder);
  user->decode = GST_PAD_CHAINFUNC (sink);
  gst_pad_set_chain_function_full (sink, on_packet, user,
      g_atomic_rc_box_release);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, on_decoded,
      g_atomic_rc_box_acquire (user), g_atomic_rc_box_release);
}

gdouble
vhm_decode_slots_measure_wait (void)
{
  static gint64 last;
  const gint64 now = g_get_monotonic_time ();
  gdouble share;

  g_mutex_lock (&lock);
  share = last && now > last ? MIN (1, longest / (gdouble) (now - last)) : 0;
  longest = 0;
  period++;
  g_mutex_unlock (&lock);
  last = now;
  return share;
}
