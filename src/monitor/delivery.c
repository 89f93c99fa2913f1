/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delivery.h"

/* Number of events to fetch at once. */
#define BATCH_EVENTS 100

/* Maximum number of events in memory. Most of them wait for others of their
 * outage. */
#define MAX_EVENTS (10 * BATCH_EVENTS)

/* How long an event waits for its picture from the store, µs. */
#define MAX_READING_TIME (2 * G_TIME_SPAN_SECOND)

/* Larger pictures are not handed out: 100 events may be on their way. Those of
 * cameras take 10 to 40 KB. */
#define MAX_PICTURE_BYTES (128 * 1024)

typedef enum
{
  WAITING,
  FLYING,                       /* handed to the output */
  FALLING,                      /* being stored as a dead letter */
  LANDED,                       /* done */
} State;

/* An event on its way to the output. */
typedef struct
{
  VhmEvent *event;
  State state;
  guint64 letter;               /* number of the last event that was handed out
                                 * together with it */
  gboolean lost;                /* became a dead letter */
  gchar *reason;                /* why it is given up, or NULL */
  gint64 asked;                 /* when the store was asked for the picture,
                                 * monotonic µs; 0: not yet */
  gboolean answered;
  GBytes *jpeg;                 /* or NULL */
} Flight;

static void
flight_free (gpointer data)
{
  Flight *flight = data;

  vhm_event_free (flight->event);
  g_free (flight->reason);
  g_clear_pointer (&flight->jpeg, g_bytes_unref);
  g_free (flight);
}

struct _VhmDelivery
{
  VhmFleet *fleet;
  VhmStore *store;              /* NULL after vhm_delivery_free() */
  gchar *output;
  guint window;
  VhmDeliver deliver;
  gpointer data;
  gboolean pictures;            /* are handed out with events */

  gboolean opened, opening;
  gboolean outdated;            /* repeat the pending vhm_outbox_open() */
  gboolean started;
  gboolean listing;
  gboolean pumping;
  gboolean exhausted;           /* the last listing found no new events */
  gboolean again;               /* storing a dead letter failed; the next tick
                                 * retries */
  guint generation;             /* increases with each start and stop */

  GQueue flights;               /* of Flight, in order; everything before the
                                 * first that has not landed is done */
  GHashTable *by_number;        /* number of the event -> Flight */
  guint flying;                 /* deliveries handed to the output */
  guint landed;                 /* how many of flights have landed */
  guint64 number;               /* all events up to this one are done */
  guint64 listed;               /* number of the last event that was fetched */
  GHashTable *settled;          /* numbers of requeued dead letters that were
                                 * delivered */
  gboolean unsettled;           /* one of them could not be stored as done */

  VhmDeliveryCounts counts;
  guint64 meanwhile;            /* events done since vhm_outbox_open() */
};

/* Called after the last answer of the store, which may come after
 * vhm_delivery_free(). */
static void
clear_delivery (gpointer data)
{
  VhmDelivery *delivery = data;

  g_hash_table_unref (delivery->by_number);
  g_queue_clear_full (&delivery->flights, flight_free);
  g_hash_table_unref (delivery->settled);
  g_free (delivery->output);
}

static void
delivery_unref (VhmDelivery * delivery)
{
  g_rc_box_release_full (delivery, clear_delivery);
}

static void hand_out_due (VhmDelivery * delivery);
static void open_outbox (VhmDelivery * delivery);

/* Opening the outbox */

static void
on_opened (gpointer data, gpointer result, const gchar * why)
{
  VhmDelivery *delivery = data;
  const VhmOutbox *outbox = result;

  delivery->opening = FALSE;
  if (delivery->store && delivery->outdated)
    open_outbox (delivery);
  else if (delivery->store && !why) {
    delivery->counts.queued = outbox->queued - MIN (outbox->queued,
        delivery->meanwhile);
    delivery->counts.dead = outbox->dead;
    if (!delivery->opened)
      delivery->number = delivery->listed = outbox->number;
    delivery->opened = TRUE;
    delivery->exhausted = FALSE;
    hand_out_due (delivery);
  }
  delivery_unref (delivery);
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

/* From the store */

typedef struct
{
  VhmDelivery *delivery;
  guint generation;
  guint64 number;               /* of the event, if it is about one */
} Listing;

static void
on_settled (gpointer data, G_GNUC_UNUSED gpointer result, const gchar * why)
{
  VhmDelivery *delivery = data;

  if (why)
    delivery->unsettled = TRUE;
  delivery_unref (delivery);
}

static void
settle_event (VhmDelivery * delivery, guint64 number)
{
  vhm_outbox_done (delivery->store, delivery->output, number, on_settled,
      g_rc_box_acquire (delivery));
}

/* Queues a fetched event. Returns whether it is new. */
static gboolean
take_listed (VhmDelivery * delivery, const VhmEvent * event)
{
  Flight *flight;

  delivery->listed = MAX (delivery->listed, event->number);
  /* Requeued dead letters are listed until they are stored as done. */
  if (g_hash_table_contains (delivery->by_number, &event->number))
    return FALSE;
  /* It was delivered before, but storing this may have failed. */
  if (g_hash_table_contains (delivery->settled, &event->number)) {
    settle_event (delivery, event->number);
    return FALSE;
  }
  flight = g_new0 (Flight, 1);
  flight->event = vhm_event_copy (event);
  g_queue_push_tail (&delivery->flights, flight);
  g_hash_table_insert (delivery->by_number, &flight->event->number, flight);
  return TRUE;
}

static void
on_listed (gpointer data, gpointer result, const gchar * why)
{
  Listing *listing = data;
  VhmDelivery *delivery = listing->delivery;
  const GPtrArray *events = result;
  gboolean found = FALSE;
  guint i;

  if (delivery->store && listing->generation == delivery->generation) {
    delivery->listing = FALSE;
    for (i = 0; !why && i < events->len; i++)
      found |= take_listed (delivery, g_ptr_array_index (events, i));
    delivery->exhausted = !found;
    hand_out_due (delivery);
  }
  delivery_unref (delivery);
  g_free (listing);
}

static void
list_events (VhmDelivery * delivery)
{
  Listing *listing = g_new (Listing, 1);

  listing->delivery = g_rc_box_acquire (delivery);
  listing->generation = delivery->generation;
  delivery->listing = TRUE;
  vhm_outbox_list (delivery->store, delivery->output, delivery->listed,
      BATCH_EVENTS, on_listed, listing);
}

/* To the output */

/* Whether the waiting flight in @l goes out together with a later one. */
static gboolean
has_later (GList * l)
{
  const VhmEvent *event = ((const Flight *) l->data)->event;

  for (l = l->next; event->outage && l; l = l->next) {
    const Flight *other = l->data;

    if (other->state == WAITING && other->event->outage == event->outage
        && other->event->active == event->active)
      return TRUE;
  }
  return FALSE;
}

static void
on_jpeg (gpointer data, gpointer result, G_GNUC_UNUSED const gchar * why)
{
  Listing *listing = data;
  VhmDelivery *delivery = listing->delivery;
  const VhmStoredPicture *picture = result;
  Flight *flight = NULL;

  if (delivery->store && listing->generation == delivery->generation)
    flight = g_hash_table_lookup (delivery->by_number, &listing->number);
  if (flight) {
    flight->answered = TRUE;
    if (picture && g_bytes_get_size (picture->jpeg) <= MAX_PICTURE_BYTES)
      flight->jpeg = g_bytes_ref (picture->jpeg);
    hand_out_due (delivery);
  }
  delivery_unref (delivery);
  g_free (listing);
}

/* Whether the picture of @flight has been read, if it is wanted. Asks for it
 * once. */
static gboolean
has_read_picture (VhmDelivery * delivery, Flight * flight)
{
  const gint64 now = g_get_monotonic_time ();
  Listing *listing;

  if (!delivery->pictures || !flight->event->has_picture || flight->answered)
    return TRUE;
  if (flight->asked)
    return now - flight->asked >= MAX_READING_TIME;
  flight->asked = now;
  listing = g_new (Listing, 1);
  listing->delivery = g_rc_box_acquire (delivery);
  listing->generation = delivery->generation;
  listing->number = flight->event->number;
  vhm_store_get_picture (delivery->store, listing->number, on_jpeg, listing);
  return FALSE;
}

/* Hands out @last together with earlier events of its outage. */
static void
hand_out (VhmDelivery * delivery, const Flight * last)
{
  const VhmEvent *event = last->event;
  const guint64 letter = event->number;
  GPtrArray *events =
      g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_event_free);
  GList *l;

  for (l = delivery->flights.head; l; l = l->next) {
    Flight *flight = l->data;

    if (flight->state != WAITING || !(flight == last
            || (event->outage && flight->event->outage == event->outage
                && flight->event->active == event->active)))
      continue;
    flight->state = FLYING;
    flight->letter = letter;
    g_ptr_array_add (events, vhm_event_copy_localized (flight->event));
  }
  delivery->flying++;
  delivery->deliver (delivery->data, events, events->len == 1 ? last->jpeg :
      NULL);
  g_ptr_array_unref (events);
}

typedef struct
{
  GHashTable *cameras;          /* name -> VhmEvent that holds back later events
                                 * of the camera */
  gint64 hurried;               /* outage not to wait for, because one of its
                                 * cameras has a later event */
} Pass;

/* Whether the store may have events that are not fetched yet. */
static gboolean
may_list_more (const VhmDelivery * delivery)
{
  return !delivery->exhausted && delivery->flights.length < MAX_EVENTS;
}

/* Whether @event has to wait for other events of its outage. */
static gboolean
is_held (const VhmDelivery * delivery, const VhmEvent * event,
    const Pass * pass)
{
  return event->outage && event->outage != pass->hurried
      && (may_list_more (delivery)
      || !vhm_fleet_is_outage_complete (delivery->fleet, event,
          delivery->listed));
}

/* The next flight to hand out, or NULL. The end of an outage, which may take a
 * while, holds back only events of its own cameras. */
static Flight *
find_next (const VhmDelivery * delivery, Pass * pass)
{
  GList *l;

  for (l = delivery->flights.head; l; l = l->next) {
    Flight *flight = l->data;
    const VhmEvent *event = flight->event, *before;

    if (flight->state != WAITING)
      continue;
    before = g_hash_table_lookup (pass->cameras, event->camera);
    if (before && before->outage != event->outage) {
      pass->hurried = before->outage;
      return NULL;
    }
    if (vhm_fleet_awaits_picture (delivery->fleet, event->number)
        || (event->active && is_held (delivery, event, pass)))
      return NULL;
    if (!event->active && is_held (delivery, event, pass))
      g_hash_table_insert (pass->cameras, event->camera, (gpointer) event);
    else if (!has_later (l))
      return flight;
  }
  return NULL;
}

static Flight *
find_next_of_all (const VhmDelivery * delivery)
{
  Pass pass = { g_hash_table_new (g_str_hash, g_str_equal), 0 };
  Flight *next = find_next (delivery, &pass);

  if (!next && pass.hurried) {
    g_hash_table_remove_all (pass.cameras);
    next = find_next (delivery, &pass);
  }
  g_hash_table_unref (pass.cameras);
  return next;
}

/* Hands out as many events as possible, and fetches more. */
static void
hand_out_due (VhmDelivery * delivery)
{
  Flight *next;

  if (!delivery->opened || !delivery->started || delivery->pumping)
    return;
  delivery->pumping = TRUE;
  while (delivery->started && delivery->flying < delivery->window
      && (next = find_next_of_all (delivery))
      && has_read_picture (delivery, next))
    hand_out (delivery, next);
  delivery->pumping = FALSE;
  if (delivery->started && !delivery->listing && may_list_more (delivery)
      && delivery->flying < delivery->window)
    list_events (delivery);
}

static void
land_flight (VhmDelivery * delivery, Flight * flight)
{
  flight->state = LANDED;
  delivery->landed++;
  delivery->counts.queued -= MIN (delivery->counts.queued, 1);
  if (delivery->opening)
    delivery->meanwhile++;
}

/* Removes flights that have landed, up to the first that has not. */
static void
remove_landed (VhmDelivery * delivery)
{
  const guint64 before = delivery->number;
  Flight *flight;

  while ((flight = g_queue_peek_head (&delivery->flights))
      && flight->state == LANDED) {
    const guint64 number = flight->event->number;

    delivery->number = MAX (delivery->number, number);
    /* A requeued dead letter has to be stored as done separately. */
    if (number <= before && !flight->lost) {
      g_hash_table_add (delivery->settled, g_memdup2 (&number,
              sizeof number));
      settle_event (delivery, number);
    }
    g_hash_table_remove (delivery->by_number, &number);
    flight_free (g_queue_pop_head (&delivery->flights));
    delivery->landed--;
  }
  if (delivery->number > before)
    vhm_outbox_done (delivery->store, delivery->output, delivery->number, NULL,
        NULL);
}

void
vhm_delivery_done (VhmDelivery * delivery, guint64 number)
{
  const Flight *first = g_hash_table_lookup (delivery->by_number, &number);
  GList *l;

  if (!first || first->state != FLYING)
    return;
  for (l = delivery->flights.head; l; l = l->next) {
    Flight *flight = l->data;

    if (flight->state != FLYING || flight->letter != first->letter)
      continue;
    delivery->counts.delivered++;
    land_flight (delivery, flight);
  }
  delivery->flying--;
  remove_landed (delivery);
  hand_out_due (delivery);
}

static Flight *
find_falling (const VhmDelivery * delivery)
{
  GList *l;

  for (l = delivery->flights.head; l; l = l->next) {
    Flight *flight = l->data;

    if (flight->state == FALLING)
      return flight;
  }
  return NULL;
}

static void give_up_next (VhmDelivery * delivery);

static void
on_given_up (gpointer data, G_GNUC_UNUSED gpointer result, const gchar * why)
{
  Listing *listing = data;
  VhmDelivery *delivery = listing->delivery;

  if (delivery->store && listing->generation == delivery->generation) {
    if (why)
      delivery->again = TRUE;
    else {
      Flight *flight = find_falling (delivery);

      flight->lost = TRUE;
      delivery->counts.dead++;
      land_flight (delivery, flight);
      give_up_next (delivery);
    }
  }
  delivery_unref (delivery);
  g_free (listing);
}

/* Stores the falling flights as dead letters, one after the other. */
static void
give_up_next (VhmDelivery * delivery)
{
  const Flight *flight = find_falling (delivery);
  Listing *listing;

  delivery->again = FALSE;
  if (!flight) {
    delivery->flying--;
    remove_landed (delivery);
    hand_out_due (delivery);
    return;
  }
  listing = g_new (Listing, 1);
  listing->delivery = g_rc_box_acquire (delivery);
  listing->generation = delivery->generation;
  vhm_outbox_give_up (delivery->store, delivery->output,
      flight->event->number, flight == g_queue_peek_head (&delivery->flights) ?
      MAX (delivery->number, flight->event->number) : delivery->number,
      flight->reason, on_given_up, listing);
}

void
vhm_delivery_give_up (VhmDelivery * delivery, const gchar * reason)
{
  GList *l;

  for (l = delivery->flights.head; l; l = l->next) {
    Flight *flight = l->data;

    if (flight->state != FLYING)
      continue;
    flight->state = FALLING;
    flight->reason = g_strdup (reason);
  }
  give_up_next (delivery);
}

static void
reset_flights (VhmDelivery * delivery, gboolean started)
{
  delivery->generation++;
  delivery->started = started;
  delivery->listing = delivery->exhausted = delivery->again = FALSE;
  delivery->listed = delivery->number;
  delivery->flying = delivery->landed = 0;
  g_hash_table_remove_all (delivery->by_number);
  g_queue_clear_full (&delivery->flights, flight_free);
}

void
vhm_delivery_want_pictures (VhmDelivery * delivery)
{
  delivery->pictures = TRUE;
}

void
vhm_delivery_start (VhmDelivery * delivery)
{
  reset_flights (delivery, TRUE);
  hand_out_due (delivery);
}

void
vhm_delivery_stop (VhmDelivery * delivery)
{
  reset_flights (delivery, FALSE);
}

static void
on_event (gpointer data, G_GNUC_UNUSED VhmCamera * camera,
    const VhmEvent * event)
{
  VhmDelivery *delivery = data;

  if (event->quiet)
    return;
  delivery->counts.queued++;
  delivery->exhausted = FALSE;
  hand_out_due (delivery);
}

static void
on_picture (gpointer data, guint64 number, gint64 reference)
{
  VhmDelivery *delivery = data;
  Flight *flight = g_hash_table_lookup (delivery->by_number, &number);

  if (flight) {
    flight->event->has_picture = TRUE;
    flight->event->reference = reference;
  }
  hand_out_due (delivery);
}

void
vhm_delivery_recount (VhmDelivery * delivery)
{
  if (delivery->opening)
    delivery->outdated = TRUE;
  else
    open_outbox (delivery);
}

static void
on_tick (gpointer data)
{
  VhmDelivery *delivery = data;

  if (!delivery->opened && !delivery->opening)
    open_outbox (delivery);
  if (delivery->again)
    give_up_next (delivery);
  /* Reading that failed before may succeed now. */
  if (delivery->unsettled
      || delivery->counts.queued > delivery->flights.length - delivery->landed)
    delivery->exhausted = delivery->unsettled = FALSE;
  hand_out_due (delivery);
}

static const VhmListener listener = {.event = on_event,.tick = on_tick,
  .picture = on_picture
};

const VhmDeliveryCounts *
vhm_delivery_get_counts (const VhmDelivery * delivery)
{
  return &delivery->counts;
}

VhmDelivery *
vhm_delivery_new (VhmFleet * fleet, const gchar * output, guint window,
    VhmDeliver deliver, gpointer data)
{
  VhmDelivery *delivery = g_rc_box_new0 (VhmDelivery);

  delivery->fleet = fleet;
  delivery->store = vhm_fleet_get_store (fleet);
  delivery->output = g_strdup (output);
  delivery->window = window;
  delivery->deliver = deliver;
  delivery->data = data;
  delivery->by_number = g_hash_table_new (g_int64_hash, g_int64_equal);
  delivery->settled = g_hash_table_new_full (g_int64_hash, g_int64_equal,
      g_free, NULL);
  open_outbox (delivery);
  vhm_fleet_add_listener (fleet, &listener, delivery);
  return delivery;
}

void
vhm_delivery_free (VhmDelivery * delivery)
{
  vhm_fleet_remove_listener (delivery->fleet, delivery);
  delivery->store = NULL;
  delivery->started = FALSE;
  delivery_unref (delivery);
}
