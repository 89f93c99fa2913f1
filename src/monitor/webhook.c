/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Posts signed events and notices to a URL, one after the other.
 * docs/monitor-outputs.md describes requests and answers. For the main thread,
 * which it never blocks. */
#include "webhook.h"

#include "address.h"
#include "answer.h"
#include "backoff.h"
#include "config.h"
#include "json.h"
#include "letter.h"
#include "secretfile.h"

#include <libsoup/soup.h>
#include <string.h>

#define SIGNING_PREFIX "whsec_"

/* Maximum number of waiting notices. */
#define MAX_NOTICES 16

/* Maximum number of informational answers, with a status of 1xx, before the
 * final one. libsoup reads them one after the other as long as they come. */
#define MAX_INFORMATIONAL 8

/* A message to post. */
typedef struct
{
  gchar *id;                    /* the same in each attempt */
  gchar *body;
  gint64 time;                  /* of its first event or the notice, µs since
                                 * 1970 */
  guint64 number;               /* of its last event; 0 for a notice */
} Letter;

typedef struct
{
  VhmOutput output;             /* its reason is the last failure's */
  const VhmWebhookSettings *settings;
  SoupSession *session;         /* NULL until the file of ca could be read */

  Letter *letter;               /* being delivered, or NULL */
  Letter *next;                 /* events that wait behind notices, or NULL */
  GQueue notices;               /* of Letter, posted before events */
  GCancellable *attempt;        /* NULL between two attempts */
  SoupMessage *message;         /* of the attempt */
  guint informational;          /* its informational answers */
  guint deadline;               /* source that ends the attempt */
  gint64 retry_at;              /* time of the next attempt, monotonic µs */
  gint64 delay;                 /* of vhm_backoff_next() */
} Webhook;

/* Settings */

static gchar *
parse_url (const VhmValue * value)
{
  gchar *url = NULL;
  gchar *why = vhm_value_read_url (value, "must be an address such as "
      "https://alarms.example.org/cameras", &url);

  if (!why)
    vhm_value_take (value, url);
  return why;
}

/* A secret as Standard Webhooks defines it. */
static gchar *
parse_signing_secret (const VhmValue * value)
{
  gchar *secret;
  gchar *why = vhm_value_read_secret (value, &secret);
  guchar *key = NULL;
  gsize length = 0;

  if (why)
    return why;
  if (g_str_has_prefix (secret, SIGNING_PREFIX))
    key = g_base64_decode (secret + strlen (SIGNING_PREFIX), &length);
  vhm_secret_free (secret);
  if (length < VHM_MIN_SECRET_BYTES) {
    g_free (key);
    return g_strdup_printf ("%s: must be one line, " SIGNING_PREFIX
        " followed by at least %d bytes in base64: write the output of "
        "\"echo " SIGNING_PREFIX "$(openssl rand -base64 32)\" into it",
        value->text, VHM_MIN_SECRET_BYTES);
  }
  vhm_value_take (value, g_bytes_new_take (key, length));
  return NULL;
}

static void
set_defaults (gpointer group)
{
  VhmWebhookSettings *webhook = group;

  webhook->timeout = 10;
  webhook->expire = 86400;
}

static void
check_settings (const VhmReading * reading, gpointer group)
{
  const VhmWebhookSettings *webhook = group;

  if (!vhm_group_has (webhook, reading, "url"))
    vhm_problems_error (reading->problems, reading->file, webhook->group.line,
        "webhook %s has no url: add a line such as "
        "url=https://alarms.example.org/cameras", webhook->name);
  if (!vhm_group_has (webhook, reading, "secret"))
    vhm_problems_error (reading->problems, reading->file, webhook->group.line,
        "webhook %s has no secret: write the output of \"echo " SIGNING_PREFIX
        "$(openssl rand -base64 32)\" into a file, and set secret=FILE",
        webhook->name);
}

#define AT(field) G_STRUCT_OFFSET (VhmWebhookSettings, field)

static const VhmKey keys[] = {
  {NULL, NULL, VHM_TEXT, AT (name)},
  {"url", parse_url, VHM_TEXT, AT (url)},
  {"ca", vhm_parse_input, VHM_TEXT, AT (ca)},
  {"secret", parse_signing_secret, VHM_BYTES, AT (secret)},
  {"timeout", vhm_parse_number, VHM_NUMBER, AT (timeout), 1, 300},
  {"expire", vhm_parse_number, VHM_NUMBER, AT (expire), 0, 31536000},
  {"pictures", vhm_parse_truth, VHM_WHOLE, AT (pictures)},
  {NULL}
};

/* Messages */

/* The signature of the Standard Webhooks, to be freed. It covers the id, the
 * time and the body, so that none of them can be forged. */
static gchar *
sign_letter (const Webhook * webhook, const gchar * id, const gchar * time,
    const gchar * body)
{
  gsize key_length, length = 32;
  gconstpointer key = g_bytes_get_data (webhook->settings->secret,
      &key_length);
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, key, key_length);
  gchar *text = g_strconcat (id, ".", time, ".", body, NULL);
  guint8 digest[32];
  gchar *encoded, *signature;

  g_hmac_update (hmac, (const guchar *) text, strlen (text));
  g_hmac_get_digest (hmac, digest, &length);
  g_hmac_unref (hmac);
  encoded = g_base64_encode (digest, length);
  signature = g_strconcat ("v1,", encoded, NULL);
  g_free (encoded);
  g_free (text);
  return signature;
}

static SoupMessage *
make_message (const Webhook * webhook)
{
  const Letter *letter = webhook->letter;
  SoupMessage *message = soup_message_new ("POST", webhook->settings->url);
  SoupMessageHeaders *headers = soup_message_get_request_headers (message);
  gchar *time = g_strdup_printf ("%" G_GINT64_FORMAT,
      g_get_real_time () / G_USEC_PER_SEC);
  gchar *signature = sign_letter (webhook, letter->id, time, letter->body);
  GBytes *bytes;

  soup_message_headers_replace (headers, "webhook-id", letter->id);
  soup_message_headers_replace (headers, "webhook-timestamp", time);
  soup_message_headers_replace (headers, "webhook-signature", signature);
  /* The body of the answer is not read. */
  soup_message_headers_replace (headers, "Connection", "close");
  bytes = g_bytes_new (letter->body, strlen (letter->body));
  soup_message_set_request_body_from_bytes (message, "application/json",
      bytes);
  /* Events go only to the configured URL. */
  soup_message_add_flags (message, SOUP_MESSAGE_NO_REDIRECT);
  g_bytes_unref (bytes);
  g_free (signature);
  g_free (time);
  return message;
}

static void
letter_free (gpointer data)
{
  Letter *letter = data;

  g_free (letter->id);
  g_free (letter->body);
  g_free (letter);
}

/* The id of a letter is the same in each attempt, even after a restart, and
 * differs between programs that post to the same URL. */
static Letter *
make_letter (const Webhook * webhook, const GPtrArray * events, GBytes * jpeg)
{
  const VhmEvent *first = g_ptr_array_index (events, 0);
  const VhmEvent *last = g_ptr_array_index (events, events->len - 1);
  Letter *letter = g_new (Letter, 1);

  letter->id = g_strdup_printf ("%" G_GUINT64_FORMAT "-%" G_GINT64_FORMAT,
      last->number, last->time);
  letter->body = vhm_letter_make (&webhook->output, events, jpeg);
  letter->time = first->time;
  letter->number = last->number;
  return letter;
}

static Letter *
make_notice (const VhmNotice * notice)
{
  JsonBuilder *builder = json_builder_new ();
  Letter *letter = g_new (Letter, 1);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "notice");
  vhm_json_add_local_notice (builder, notice);
  json_builder_end_object (builder);
  letter->id = g_strdup_printf ("notice-%" G_GINT64_FORMAT, notice->time);
  letter->body = vhm_json_end (builder);
  letter->time = notice->time;
  letter->number = 0;
  return letter;
}

/* Results of attempts */

static void begin_attempt (Webhook * webhook);

static void
set_reason (Webhook * webhook, const gchar * reason)
{
  gchar *hidden = vhm_address_hide (webhook->settings->url, NULL, reason);

  /* Log each reason once, not at every attempt. */
  if (*hidden && g_strcmp0 (hidden, webhook->output.reason))
    g_message ("%s: delivery failed: %s", webhook->output.name, hidden);
  g_free (webhook->output.reason);
  webhook->output.reason = hidden;
  webhook->output.up = !*hidden;
}

/* Drops the current letter and starts with the next one, if any. */
static void
take_next (Webhook * webhook)
{
  g_clear_pointer (&webhook->letter, letter_free);
  webhook->delay = webhook->retry_at = 0;
  webhook->letter = g_queue_pop_head (&webhook->notices);
  if (!webhook->letter)
    webhook->letter = g_steal_pointer (&webhook->next);
  if (webhook->letter)
    begin_attempt (webhook);
}

static void
note_delivered (Webhook * webhook)
{
  const guint64 number = webhook->letter->number;

  set_reason (webhook, "");
  take_next (webhook);
  if (number)
    vhm_delivery_done (webhook->output.delivery, number);
}

static void
give_up (Webhook * webhook, const gchar * reason)
{
  const guint64 number = webhook->letter->number;

  set_reason (webhook, reason);
  if (number)
    g_warning ("%s: event %" G_GUINT64_FORMAT " was not delivered and is now "
        "a dead letter: %s", webhook->output.name, number,
        webhook->output.reason);
  else
    g_warning ("%s: a notice was not delivered and was dropped: %s",
        webhook->output.name, webhook->output.reason);
  take_next (webhook);
  if (number)
    vhm_delivery_give_up (webhook->output.delivery, webhook->output.reason);
}

static void
retry_later (Webhook * webhook, const gchar * reason)
{
  const gint64 age = g_get_real_time () - webhook->letter->time;

  if (age > webhook->settings->expire * G_USEC_PER_SEC) {
    give_up (webhook, reason);
    return;
  }
  set_reason (webhook, reason);
  webhook->retry_at = g_get_monotonic_time ()
      + vhm_backoff_next (&webhook->delay);
}

/* Whether repeating the request would get the same answer. Other errors may be
 * temporary. */
static gboolean
is_final (guint status)
{
  return SOUP_STATUS_IS_REDIRECTION (status)
      || (SOUP_STATUS_IS_CLIENT_ERROR (status)
      && status != SOUP_STATUS_REQUEST_TIMEOUT
      && status != VHM_STATUS_TOO_MANY_REQUESTS);
}

static void
on_status (Webhook * webhook, guint status)
{
  gchar *reason = g_strdup_printf ("%u %s", status,
      vhm_answer_get_phrase (status));

  if (SOUP_STATUS_IS_SUCCESSFUL (status))
    note_delivered (webhook);
  else if (is_final (status))
    give_up (webhook, reason);
  else
    retry_later (webhook, reason);
  g_free (reason);
}

static void
end_attempt (Webhook * webhook)
{
  if (webhook->message)
    g_signal_handlers_disconnect_by_data (webhook->message, webhook);
  g_clear_object (&webhook->message);
  g_clear_object (&webhook->attempt);
  g_clear_handle_id (&webhook->deadline, g_source_remove);
}

/* If stop() cancelled the attempt, @data is freed already and must
 * not be used. cancel_attempt() has handled the attempt itself. */
static void
on_answer (GObject * source, GAsyncResult * result, gpointer data)
{
  SoupSession *session = SOUP_SESSION (source);
  GError *error = NULL;
  SoupMessage *message = soup_session_get_async_result_message (session,
      result);
  const guint status = soup_message_get_status (message);
  GInputStream *stream = soup_session_send_finish (session, result, &error);
  Webhook *webhook = data;

  if (stream) {
    end_attempt (webhook);
    /* Closes the connection without reading the body, which might be
     * endless. */
    g_object_unref (stream);
    on_status (webhook, status);
  } else {
    if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
      end_attempt (webhook);
      retry_later (webhook, error->message);
    }
    g_error_free (error);
  }
}

/* Takes @reason. */
static void
cancel_attempt (Webhook * webhook, gchar * reason)
{
  g_cancellable_cancel (webhook->attempt);
  end_attempt (webhook);
  retry_later (webhook, reason);
  g_free (reason);
}

static gboolean
on_deadline (gpointer data)
{
  Webhook *webhook = data;

  webhook->deadline = 0;
  cancel_attempt (webhook, g_strdup_printf ("no answer within %g seconds",
          webhook->settings->timeout));
  return G_SOURCE_REMOVE;
}

static void
on_informational (SoupMessage * message, Webhook * webhook)
{
  if (++webhook->informational > MAX_INFORMATIONAL)
    cancel_attempt (webhook, g_strdup_printf ("more than %d informational "
            "answers, the last with status %u, and no final one",
            MAX_INFORMATIONAL, soup_message_get_status (message)));
}

/* The session */

/* Requests share no state, such as authentication. */
static void
open_session (Webhook * webhook)
{
  GTlsDatabase *database = NULL;
  GError *error = NULL;

  if (webhook->settings->ca)
    database = g_tls_file_database_new (webhook->settings->ca, &error);
  if (error) {
    gchar *reason = g_strdup_printf ("%s: %s", webhook->settings->ca,
        error->message);

    retry_later (webhook, reason);
    g_free (reason);
    g_error_free (error);
    return;
  }
  webhook->session = soup_session_new_with_options ("user-agent",
      "videohistogram-monitor/" PACKAGE_VERSION, "timeout", 0, NULL);
  soup_session_remove_feature_by_type (webhook->session,
      SOUP_TYPE_AUTH_MANAGER);
  if (database)
    soup_session_set_tls_database (webhook->session, database);
  g_clear_object (&database);
}

static void
begin_attempt (Webhook * webhook)
{
  if (!webhook->session)
    open_session (webhook);
  if (!webhook->session)
    return;
  webhook->message = make_message (webhook);
  webhook->informational = 0;
  webhook->attempt = g_cancellable_new ();
  webhook->deadline = g_timeout_add (webhook->settings->timeout * 1000,
      on_deadline, webhook);
  g_signal_connect (webhook->message, "got-informational",
      G_CALLBACK (on_informational), webhook);
  soup_session_send_async (webhook->session, webhook->message,
      G_PRIORITY_DEFAULT, webhook->attempt, on_answer, webhook);
}

/* Events */

static void
on_deliver (gpointer data, const GPtrArray * events, GBytes * jpeg)
{
  Webhook *webhook = data;

  webhook->next = make_letter (webhook, events, jpeg);
  if (!webhook->letter)
    take_next (webhook);
}

/* It is not kept across restarts, because it may say that nothing can be
 * stored. */
static void
on_notice (gpointer data, const VhmNotice * notice)
{
  Webhook *webhook = data;

  g_queue_push_tail (&webhook->notices, make_notice (notice));
  if (webhook->notices.length > MAX_NOTICES)
    letter_free (g_queue_pop_head (&webhook->notices));
  if (!webhook->letter)
    take_next (webhook);
}

static void
on_tick (gpointer data)
{
  Webhook *webhook = data;

  if (webhook->letter && !webhook->attempt
      && g_get_monotonic_time () >= webhook->retry_at)
    begin_attempt (webhook);
}

/* Life cycle */

static void
start (gpointer output)
{
  Webhook *webhook = output;

  webhook->settings = webhook->output.settings;
  webhook->output.up = TRUE;
  g_queue_init (&webhook->notices);
  if (webhook->settings->pictures)
    vhm_delivery_want_pictures (webhook->output.delivery);
  vhm_delivery_start (webhook->output.delivery);
}

static void
stop (gpointer output)
{
  Webhook *webhook = output;

  if (webhook->attempt)
    g_cancellable_cancel (webhook->attempt);
  end_attempt (webhook);
  g_clear_object (&webhook->session);
  g_clear_pointer (&webhook->letter, letter_free);
  g_clear_pointer (&webhook->next, letter_free);
  g_queue_clear_full (&webhook->notices, letter_free);
}

const VhmOutputClass vhm_webhook_output = {
  .group.name = "webhook",
  .group.size = sizeof (VhmWebhookSettings),
  .group.keys = keys,
  .group.name_offset = AT (name),
  .group.set_defaults = set_defaults,
  .group.check = check_settings,
  .size = sizeof (Webhook),
  .window = 1,
  .deliver = on_deliver,
  .listener.tick = on_tick,
  .listener.notice = on_notice,
  .start = start,
  .stop = stop,
};
