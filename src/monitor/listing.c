/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "listing.h"

#include "answer.h"
#include "connections.h"
#include "json.h"
#include "shares.h"
#include "storedhistory.h"

#include <string.h>

/* Maximum number of lists in progress, and of lists in progress or waiting. One
 * client gets half of them. */
#define MAX_RUNNING 4
#define MAX_LISTINGS 32

/* Maximum number of files that are being sent, of which one client gets half,
 * and how long a client may take to read one, µs. */
#define MAX_FILES 4
#define MAX_FILE_TIME (10 * G_TIME_SPAN_MINUTE)

/* Minutes per piece */
#define MINUTES_OF_PIECE 1440

#define GONE "the client has disconnected"

typedef struct _Listing Listing;

/* What is listed */
typedef struct
{
  void (*ask_for_piece) (Listing * listing);
  /* Appends @piece, which the store has rendered, to the text, with the end
   * after the last one. Returns whether another piece follows. */
  gboolean (*take_piece) (Listing * listing, gconstpointer piece);
} Subject;

struct _Listing
{
  const Subject *subject;
  VhmStore *store;
  SoupServerMessage *message;
  gchar *peer;
  GString *text;                /* the answer so far; of a file, what follows
                                 * what was sent */

  gchar *camera;                /* or NULL */
  gint64 from, before;          /* minutes still to list */

  VhmEventFilter events;

  VhmAlarmFilter alarms;
  const VhmAlarmFormat *format;
  guint left;                   /* number of alarms still to list */
  gboolean has_alarms;          /* some were listed */

  /* of a file */
  gboolean is_file;
  gboolean begun;               /* the head is being sent */
  gboolean asking;              /* for a piece */
  gboolean gone;                /* libsoup is done with the message */
  gulong wrote, finished;       /* signal handlers */
};

/* Main thread only. */
static GQueue waiting = G_QUEUE_INIT;
static VhmShares listings = VHM_SHARES (MAX_LISTINGS);
static VhmShares running = VHM_SHARES (MAX_RUNNING);
static VhmShares files = VHM_SHARES (MAX_FILES);

static void run_next (void);

static void
listing_free (Listing * listing)
{
  vhm_shares_release (listing->is_file ? &files : &listings, listing->peer, 1);
  if (listing->is_file) {
    g_signal_handler_disconnect (listing->message, listing->wrote);
    g_signal_handler_disconnect (listing->message, listing->finished);
  }
  if (!listing->gone)
    soup_server_message_unpause (listing->message);
  g_object_unref (listing->message);
  g_free (listing->peer);
  g_string_free (listing->text, TRUE);
  vhm_alarm_filter_clear (&listing->alarms);
  g_free (listing->camera);
  g_free (listing);
}

static const gchar *
get_type (const Listing * listing)
{
  return listing->format ? listing->format->type : "application/json";
}

static void
finish_listing (Listing * listing, const gchar * why)
{
  if (why)
    vhm_answer_refuse_failed (listing->message, why);
  else
    vhm_answer_text (listing->message, get_type (listing),
        g_strdup (listing->text->str));
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

static void
ask_for_piece (Listing * listing)
{
  listing->asking = TRUE;
  listing->subject->ask_for_piece (listing);
}

/* Files */

static void
send_text (Listing * listing)
{
  soup_message_body_append (soup_server_message_get_response_body
      (listing->message), SOUP_MEMORY_COPY, listing->text->str,
      listing->text->len);
  g_string_truncate (listing->text, 0);
  soup_server_message_unpause (listing->message);
}

static void
begin_file (Listing * listing)
{
  SoupMessageHeaders *headers =
      soup_server_message_get_response_headers (listing->message);
  GHashTable *parameters = g_hash_table_new (g_str_hash, g_str_equal);
  gchar *file = vhm_alarm_format_name_file (listing->format, &listing->alarms);

  soup_server_message_set_status (listing->message, SOUP_STATUS_OK, NULL);
  soup_message_headers_replace (headers, "Content-Type", get_type (listing));
  g_hash_table_insert (parameters, (gpointer) "filename", file);
  soup_message_headers_set_content_disposition (headers, "attachment",
      parameters);
  /* HTTP/1.0 has no chunks: closing the connection ends the answer. */
  soup_message_headers_set_encoding (headers,
      soup_server_message_get_http_version (listing->message) == SOUP_HTTP_1_0 ?
      SOUP_ENCODING_EOF : SOUP_ENCODING_CHUNKED);
  soup_message_body_set_accumulate (soup_server_message_get_response_body
      (listing->message), FALSE);
  vhm_connections_allow (listing->message, MAX_FILE_TIME);
  listing->begun = TRUE;
  g_hash_table_unref (parameters);
  g_free (file);
}

static void
end_file (Listing * listing, const gchar * why)
{
  if (why && listing->begun)
    vhm_connections_allow (listing->message, 0);
  else if (why)
    vhm_answer_refuse_failed (listing->message, why);
  else
    soup_message_body_complete (soup_server_message_get_response_body
        (listing->message));
  listing_free (listing);
}

/* The client has read enough to go on. */
static void
on_wrote (G_GNUC_UNUSED SoupServerMessage * message, gpointer data)
{
  Listing *listing = data;

  if (!listing->asking)
    ask_for_piece (listing);
}

static void
on_finished (G_GNUC_UNUSED SoupServerMessage * message, gpointer data)
{
  Listing *listing = data;

  listing->gone = TRUE;
  if (!listing->asking)
    listing_free (listing);
}

static void
take_piece_of_file (Listing * listing, gconstpointer piece, const gchar * why)
{
  gboolean more;

  if (listing->gone) {
    listing_free (listing);
    return;
  }
  if (!why && !listing->begun)
    begin_file (listing);
  more = !why && listing->subject->take_piece (listing, piece);
  if (listing->text->len && !why)
    send_text (listing);
  else if (more)
    ask_for_piece (listing);
  if (!more)
    end_file (listing, why);
}

/* Pieces */

static void
on_piece (gpointer data, gpointer piece, const gchar * why)
{
  Listing *listing = data;

  listing->asking = FALSE;
  if (listing->is_file) {
    take_piece_of_file (listing, piece, why);
    return;
  }
  if (!why && !vhm_connections_is_there (listing->message))
    why = GONE;
  if (!why && listing->subject->take_piece (listing, piece)) {
    ask_for_piece (listing);
    return;
  }
  vhm_shares_release (&running, listing->peer, 1);
  finish_listing (listing, why);
  run_next ();
}

/* Starts the lists that may run, and drops those whose clients have left. */
static void
run_next (void)
{
  GList *l, *next;

  for (l = waiting.head; l; l = next) {
    Listing *listing = l->data;
    const gboolean is_there = vhm_connections_is_there (listing->message);

    next = l->next;
    if (is_there && !vhm_shares_take (&running, listing->peer, 1))
      continue;
    g_queue_delete_link (&waiting, l);
    if (is_there)
      ask_for_piece (listing);
    else
      finish_listing (listing, GONE);
  }
}

/* Refuses @message and returns NULL if there are too many lists. */
static Listing *
listing_new (VhmStore * store, SoupServerMessage * message,
    const Subject * subject, const gchar * head, gboolean is_file)
{
  const gchar *peer = vhm_connections_get_peer (message);
  Listing *listing;

  if (!vhm_shares_take (is_file ? &files : &listings, peer, 1)) {
    vhm_answer_refuse (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        is_file ? "Too many exports are in progress: retry later." :
        "Too many lists are being prepared: retry later.");
    return NULL;
  }
  listing = g_new0 (Listing, 1);
  listing->subject = subject;
  listing->store = store;
  listing->message = g_object_ref (message);
  listing->peer = g_strdup (peer);
  listing->text = g_string_new (head);
  listing->is_file = is_file;
  soup_server_message_pause (message);
  if (is_file) {
    listing->wrote = g_signal_connect (message, "wrote-chunk",
        G_CALLBACK (on_wrote), listing);
    listing->finished = g_signal_connect (message, "finished",
        G_CALLBACK (on_finished), listing);
  }
  return listing;
}

static void
start_listing (Listing * listing)
{
  if (listing->is_file) {
    ask_for_piece (listing);
    return;
  }
  g_queue_push_tail (&waiting, listing);
  run_next ();
}

/* Minutes */

static void
append_elements (Listing * listing, const gchar * elements)
{
  if (*elements && listing->text->len > 1)
    g_string_append_c (listing->text, ',');
  g_string_append (listing->text, elements);
}

static void
ask_for_minutes (Listing * listing)
{
  vhm_store_list_minutes (listing->store, listing->camera, listing->from,
      MIN (listing->from + MINUTES_OF_PIECE, listing->before),
      render_minutes, on_piece, listing);
}

static gboolean
take_minutes (Listing * listing, gconstpointer piece)
{
  append_elements (listing, piece);
  listing->from += MINUTES_OF_PIECE;
  if (listing->from < listing->before)
    return TRUE;
  g_string_append_c (listing->text, ']');
  return FALSE;
}

void
vhm_listing_minutes (VhmStore * store, SoupServerMessage * message,
    const gchar * camera, gint64 from, gint64 before)
{
  static const Subject minutes = { ask_for_minutes, take_minutes };
  Listing *listing;

  if (from >= before) {
    vhm_answer_text (message, "application/json", g_strdup ("[]"));
    return;
  }
  listing = listing_new (store, message, &minutes, "[", FALSE);
  if (!listing)
    return;
  listing->camera = g_strdup (camera);
  listing->from = from;
  listing->before = before;
  start_listing (listing);
}

/* Events */

static void
ask_for_events (Listing * listing)
{
  vhm_store_list_events (listing->store, &listing->events, render_events,
      on_piece, listing);
}

static gboolean
take_events (Listing * listing, gconstpointer piece)
{
  append_elements (listing, piece);
  g_string_append_c (listing->text, ']');
  return FALSE;
}

void
vhm_listing_events (VhmStore * store, SoupServerMessage * message,
    const VhmEventFilter * filter)
{
  static const Subject events = { ask_for_events, take_events };
  Listing *listing = listing_new (store, message, &events, "[", FALSE);

  if (!listing)
    return;
  listing->camera = g_strdup (filter->camera);
  listing->events = *filter;
  listing->events.camera = listing->camera;
  start_listing (listing);
}

/* Alarms */

static void
ask_for_alarms (Listing * listing)
{
  listing->alarms.limit = MIN (listing->left, VHM_MAX_ALARMS);
  vhm_store_list_alarms (listing->store, &listing->alarms,
      listing->format->render, on_piece, listing);
}

static gboolean
take_alarms (Listing * listing, gconstpointer data)
{
  const VhmAlarmPiece *piece = data;
  gchar *end;

  if (piece->count && listing->has_alarms)
    g_string_append (listing->text, listing->format->separator);
  g_string_append (listing->text, piece->text);
  listing->has_alarms |= piece->count > 0;
  listing->alarms.after = piece->last;
  listing->left -= piece->count;
  if (piece->more && listing->left)
    return TRUE;
  end = listing->format->make_end (piece);
  g_string_append (listing->text, end);
  g_free (end);
  return FALSE;
}

void
vhm_listing_alarms (VhmStore * store, SoupServerMessage * message,
    VhmAlarmFilter * filter, const VhmAlarmFormat * format, gboolean is_file)
{
  static const Subject alarms = { ask_for_alarms, take_alarms };
  Listing *listing = listing_new (store, message, &alarms, format->head,
      is_file);

  if (!listing) {
    vhm_alarm_filter_clear (filter);
    return;
  }
  listing->alarms = *filter;
  listing->format = format;
  listing->left = filter->limit;
  start_listing (listing);
}
