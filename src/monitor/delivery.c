/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delivery.h"

/* Events that are fetched at once. */
#define BATCH 100

/* An event that the output has. */
typedef struct
{
  guint64 number;
  gboolean done;
  gchar *reason;                /* why it is given up, or NULL */
} Flight;

static void
flight_free (gpointer data)
{
  Flight *flight = data;

  g_free (flight->reason);
  g_free (flight);
}

struct _VhmDelivery
{
  VhmStore *store;              /* NULL once it was freed */
  gchar *output;
  guint window;
  VhmDeliver deliver;
  gpointer data;

  gboolean opened, opening;
  gboolean outdated;            /* what is being asked now */
  gboolean started;
  gboolean listing;
  gboolean pumping;
  gboolean exhausted;           /* nothing was found when last listed */
  gboolean again;               /* the first that flies could not be given up
                                 * when it was to be */
  guint generation;             /* rises with each start and stop */

  GQueue pending;               /* of VhmEvent, to be handed out */
  GQueue flying;                /* of Flight */
  guint64 number;               /* of the last event before which all is done */
  guint64 listed;               /* of the last one that was listed */
  GHashTable *settled;          /* numbers of those that were done when they
                                 * were tried again */
  gboolean unsettled;           /* one of these could not be written */

  guint64 queued, delivered, dead;
  guint64 meanwhile;            /* done since it was asked how many there are */
};

/* Answers of the store may come after it was freed. */
static void
clear (gpointer data)
{
  VhmDelivery *delivery = data;

  g_queue_clear_full (&delivery->pending, (GDestroyNotify) vhm_event_free);
  g_queue_clear_full (&delivery->flying, flight_free);
  g_hash_table_unref (delivery->settled);
  g_free (delivery->output);
}

static void
unref (VhmDelivery * delivery)
{
  g_rc_box_release_full (delivery, clear);
}

static void pump (VhmDelivery * delivery);
static void open_outbox (VhmDelivery * delivery);

/* How many there are */

static void
on_opened (gpointer data, gpointer result, const gchar * why)
{
  VhmDelivery *delivery = data;
  const VhmOutbox *outbox = result;

  delivery->opening = FALSE;
  if (delivery->store && delivery->outdated)
    open_outbox (delivery);
  else if (delivery->store && !why) {
    delivery->queued = outbox->queued - MIN (outbox->queued,
        delivery->meanwhile);
    delivery->dead = outbox->dead;
    if (!delivery->opened)
      delivery->number = delivery->listed = outbox->number;
    delivery->opened = TRUE;
    delivery->exhausted = FALSE;
    pump (delivery);
  }
  unref (delivery);
}

static void
open_outbox (VhmDelivery * delivery)
{
  delivery->opening = TRUE;
  delivery->outdated = FALSE;
  delivery->meanwhile = 0;
  vhm_outbox_open (delivery->store, delivery->output, on_opened,
      g_rc_box_acquire (delivery));
}

/* Out of the store */

typedef struct
{
  VhmDelivery *delivery;
  guint generation;
} Listing;

static void
on_settled (gpointer data, gpointer result, const gchar * why)
{
  VhmDelivery *delivery = data;

  (void) result;
  if (why)
    delivery->unsettled = TRUE;
  unref (delivery);
}

static void
settle (VhmDelivery * delivery, guint64 number)
{
  vhm_outbox_done (delivery->store, delivery->output, number, on_settled,
      g_rc_box_acquire (delivery));
}

static void
take_listed (VhmDelivery * delivery, const VhmEvent * event)
{
  /* The store may have been unable to write that it was done. */
  if (g_hash_table_contains (delivery->settled, &event->number)) {
    settle (delivery, event->number);
    return;
  }
  g_queue_push_tail (&delivery->pending, vhm_event_copy (event));
  delivery->listed = MAX (delivery->listed, event->number);
}

static void
on_listed (gpointer data, gpointer result, const gchar * why)
{
  Listing *listing = data;
  VhmDelivery *delivery = listing->delivery;
  const GPtrArray *events = result;
  guint i;

  if (delivery->store && listing->generation == delivery->generation) {
    delivery->listing = FALSE;
    for (i = 0; !why && i < events->len; i++)
      take_listed (delivery, g_ptr_array_index (events, i));
    delivery->exhausted = !delivery->pending.head;
    pump (delivery);
  }
  unref (delivery);
  g_free (listing);
}

static void
list (VhmDelivery * delivery)
{
  Listing *listing = g_new (Listing, 1);

  listing->delivery = g_rc_box_acquire (delivery);
  listing->generation = delivery->generation;
  delivery->listing = TRUE;
  vhm_outbox_list (delivery->store, delivery->output, delivery->listed, BATCH,
      on_listed, listing);
}

/* To the output */

static void
hand_out (VhmDelivery * delivery)
{
  while (delivery->started && delivery->pending.head
      && delivery->flying.length < delivery->window) {
    VhmEvent *event = g_queue_pop_head (&delivery->pending);
    Flight *flight = g_new0 (Flight, 1);

    flight->number = event->number;
    g_queue_push_tail (&delivery->flying, flight);
    delivery->deliver (delivery->data, event);
    vhm_event_free (event);
  }
}

/* Goes on, as far as it can. */
static void
pump (VhmDelivery * delivery)
{
  if (!delivery->opened || !delivery->started || delivery->pumping)
    return;
  delivery->pumping = TRUE;
  hand_out (delivery);
  delivery->pumping = FALSE;
  /* What is to be tried again is listed as long as it is not done. */
  if (delivery->started && !delivery->listing && !delivery->exhausted
      && !delivery->pending.head && (delivery->window > 1
          || !delivery->flying.head))
    list (delivery);
}

static void
land (VhmDelivery * delivery, guint64 number)
{
  delivery->number = MAX (delivery->number, number);
  delivery->queued -= MIN (delivery->queued, 1);
  if (delivery->opening)
    delivery->meanwhile++;
}

/* Those that are done, up to the first one that is not. */
static void
land_all (VhmDelivery * delivery)
{
  const guint64 before = delivery->number;
  Flight *flight;

  while ((flight = g_queue_peek_head (&delivery->flying)) && flight->done) {
    land (delivery, flight->number);
    delivery->delivered++;
    /* One that was tried again is not among those up to the last. */
    if (flight->number <= before) {
      g_hash_table_add (delivery->settled, g_memdup2 (&flight->number,
              sizeof flight->number));
      settle (delivery, flight->number);
    }
    flight_free (g_queue_pop_head (&delivery->flying));
  }
  if (delivery->number > before)
    vhm_outbox_done (delivery->store, delivery->output, delivery->number, NULL,
        NULL);
}

void
vhm_delivery_done (VhmDelivery * delivery, guint64 number)
{
  GList *l;

  for (l = delivery->flying.head; l; l = l->next) {
    Flight *flight = l->data;

    if (flight->number == number) {
      flight->done = TRUE;
      break;
    }
  }
  land_all (delivery);
  pump (delivery);
}

static void
on_given_up (gpointer data, gpointer result, const gchar * why)
{
  Listing *listing = data;
  VhmDelivery *delivery = listing->delivery;

  (void) result;
  if (delivery->store && listing->generation == delivery->generation) {
    if (why)
      delivery->again = TRUE;
    else {
      Flight *flight = g_queue_pop_head (&delivery->flying);

      land (delivery, flight->number);
      delivery->dead++;
      flight_free (flight);
      pump (delivery);
    }
  }
  unref (delivery);
  g_free (listing);
}

static void
give_up_first (VhmDelivery * delivery)
{
  const Flight *flight = g_queue_peek_head (&delivery->flying);
  Listing *listing = g_new (Listing, 1);

  listing->delivery = g_rc_box_acquire (delivery);
  listing->generation = delivery->generation;
  delivery->again = FALSE;
  vhm_outbox_give_up (delivery->store, delivery->output, flight->number,
      flight->reason, on_given_up, listing);
}

void
vhm_delivery_give_up (VhmDelivery * delivery, const gchar * reason)
{
  Flight *flight = g_queue_peek_head (&delivery->flying);

  flight->reason = g_strdup (reason);
  give_up_first (delivery);
}

static void
reset (VhmDelivery * delivery, gboolean started)
{
  delivery->generation++;
  delivery->started = started;
  delivery->listing = delivery->exhausted = delivery->again = FALSE;
  delivery->listed = delivery->number;
  g_queue_clear_full (&delivery->pending, (GDestroyNotify) vhm_event_free);
  g_queue_clear_full (&delivery->flying, flight_free);
}

void
vhm_delivery_start (VhmDelivery * delivery)
{
  reset (delivery, TRUE);
  pump (delivery);
}

void
vhm_delivery_stop (VhmDelivery * delivery)
{
  reset (delivery, FALSE);
}

void
vhm_delivery_note (VhmDelivery * delivery)
{
  delivery->queued++;
  delivery->exhausted = FALSE;
  pump (delivery);
}

void
vhm_delivery_recount (VhmDelivery * delivery)
{
  if (delivery->opening)
    delivery->outdated = TRUE;
  else
    open_outbox (delivery);
}

void
vhm_delivery_tick (VhmDelivery * delivery)
{
  if (!delivery->opened && !delivery->opening)
    open_outbox (delivery);
  if (delivery->again)
    give_up_first (delivery);
  /* What could not be read before may be readable now. */
  if (delivery->unsettled
      || delivery->queued > delivery->flying.length + delivery->pending.length)
    delivery->exhausted = delivery->unsettled = FALSE;
  pump (delivery);
}

void
vhm_delivery_get_counts (const VhmDelivery * delivery, guint64 * queued,
    guint64 * delivered, guint64 * dead)
{
  *queued = delivery->queued;
  *delivered = delivery->delivered;
  *dead = delivery->dead;
}

VhmDelivery *
vhm_delivery_new (VhmStore * store, const gchar * output, guint window,
    VhmDeliver deliver, gpointer data)
{
  VhmDelivery *delivery = g_rc_box_new0 (VhmDelivery);

  delivery->store = store;
  delivery->output = g_strdup (output);
  delivery->window = window;
  delivery->deliver = deliver;
  delivery->data = data;
  delivery->settled = g_hash_table_new_full (g_int64_hash, g_int64_equal,
      g_free, NULL);
  open_outbox (delivery);
  return delivery;
}

void
vhm_delivery_free (VhmDelivery * delivery)
{
  delivery->store = NULL;
  delivery->started = FALSE;
  unref (delivery);
}
