/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "listing.h"

#include "answer.h"
#include "connections.h"
#include "json.h"
#include "storedhistory.h"

#include <string.h>

/* Maximum number of lists in progress, and of lists in progress or waiting. */
#define MAX_RUNNING 4
#define MAX_LISTINGS 32

/* Minutes per piece */
#define MINUTES_OF_PIECE 1440

#define GONE "the client has disconnected"

typedef struct
{
  VhmStore *store;
  SoupServerMessage *message;
  GString *text;                /* the array so far */
  gchar *camera;                /* or NULL */
  gint64 from, before;          /* minutes still to list */
  VhmEventFilter filter;        /* for events, if no minutes are listed */
} Listing;

/* Main thread only. */
static GQueue waiting = G_QUEUE_INIT;
static guint running;

static void run_next (void);

static void
listing_free (Listing * listing)
{
  soup_server_message_unpause (listing->message);
  g_object_unref (listing->message);
  if (listing->text)
    g_string_free (listing->text, TRUE);
  g_free (listing->camera);
  g_free (listing);
}

static void
finish_listing (Listing * listing, const gchar * why)
{
  if (why)
    vhm_answer_refuse_failed (listing->message, why);
  else {
    g_string_append_c (listing->text, ']');
    vhm_answer_text (listing->message, "application/json",
        g_string_free (g_steal_pointer (&listing->text), FALSE));
  }
  listing_free (listing);
}

/* The thread of the store */

/* The elements of the array in @text, which it takes. */
static gpointer
strip_brackets (gchar * text)
{
  gchar *piece = g_strndup (text + 1, strlen (text) - 2);

  g_free (text);
  return piece;
}

static gpointer
render_minutes (gpointer result)
{
  const GArray *minutes = result;
  JsonBuilder *builder = json_builder_new ();
  guint i;

  json_builder_begin_array (builder);
  for (i = 0; i < minutes->len; i++)
    vhm_json_add_minute (builder, &g_array_index (minutes, VhmMinute, i));
  json_builder_end_array (builder);
  return strip_brackets (vhm_json_end (builder));
}

static gpointer
render_events (gpointer result)
{
  return strip_brackets (vhm_json_make_array (result, vhm_json_add_event));
}

/* The main thread */

static void ask_for_piece (Listing * listing);

static void
on_piece (gpointer data, gpointer result, const gchar * why)
{
  Listing *listing = data;
  const gchar *piece = result;

  if (!why && !vhm_connections_is_there (listing->message))
    why = GONE;
  if (!why && *piece) {
    if (listing->text->len > 1)
      g_string_append_c (listing->text, ',');
    g_string_append (listing->text, piece);
  }
  listing->from += MINUTES_OF_PIECE;
  if (!why && listing->from < listing->before) {
    ask_for_piece (listing);
    return;
  }
  running--;
  finish_listing (listing, why);
  run_next ();
}

static void
ask_for_piece (Listing * listing)
{
  if (listing->before > listing->from)
    vhm_store_list_minutes (listing->store, listing->camera, listing->from,
        MIN (listing->from + MINUTES_OF_PIECE, listing->before),
        render_minutes, on_piece, listing);
  else
    vhm_store_list_events (listing->store, &listing->filter, render_events,
        on_piece, listing);
}

static void
run_next (void)
{
  Listing *listing;

  while (running < MAX_RUNNING && (listing = g_queue_pop_head (&waiting))) {
    if (vhm_connections_is_there (listing->message)) {
      running++;
      ask_for_piece (listing);
    } else
      finish_listing (listing, GONE);
  }
}

/* Refuses @message and returns NULL if there are too many lists. */
static Listing *
listing_new (VhmStore * store, SoupServerMessage * message,
    const gchar * camera)
{
  Listing *listing;

  if (running + waiting.length >= MAX_LISTINGS) {
    vhm_answer_refuse (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "Too many lists are being prepared: retry later.");
    return NULL;
  }
  listing = g_new0 (Listing, 1);
  listing->store = store;
  listing->message = g_object_ref (message);
  listing->text = g_string_new ("[");
  listing->camera = g_strdup (camera);
  soup_server_message_pause (message);
  return listing;
}

static void
enqueue_listing (Listing * listing)
{
  g_queue_push_tail (&waiting, listing);
  run_next ();
}

void
vhm_listing_minutes (VhmStore * store, SoupServerMessage * message,
    const gchar * camera, gint64 from, gint64 before)
{
  Listing *listing;

  if (from >= before) {
    vhm_answer_text (message, "application/json", g_strdup ("[]"));
    return;
  }
  listing = listing_new (store, message, camera);
  if (!listing)
    return;
  listing->from = from;
  listing->before = before;
  enqueue_listing (listing);
}

void
vhm_listing_events (VhmStore * store, SoupServerMessage * message,
    const VhmEventFilter * filter)
{
  Listing *listing = listing_new (store, message, filter->camera);

  if (!listing)
    return;
  listing->filter = *filter;
  listing->filter.camera = listing->camera;
  enqueue_listing (listing);
}
