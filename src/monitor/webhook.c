/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "webhook.h"

#include "address.h"
#include "backoff.h"
#include "config.h"
#include "delivery.h"
#include "json.h"

#include <libsoup/soup.h>
#include <string.h>

/* RFC 6585, which libsoup has no name for. */
#define TOO_MANY_REQUESTS 429

struct _VhmWebhook
{
  VhmWebhookSettings *settings;
  gchar *name;                  /* of its group */
  VhmDelivery *delivery;
  SoupSession *session;         /* NULL while ca cannot be read */

  VhmEvent *event;              /* that is to be delivered, or NULL */
  GCancellable *attempt;        /* NULL between two attempts */
  guint deadline;               /* source of its end */
  gint64 retry_at;              /* monotonic µs */
  gint64 delay;                 /* of vhm_backoff_next() */
  gchar *reason;                /* what went wrong last; or empty */
};

/* What is posted */

/* As the Standard Webhooks have it: the signature is of the id, the time and
 * the body, so that neither can be changed. To be freed. */
static gchar *
sign (const VhmWebhook * webhook, const gchar * id, const gchar * time,
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
make_message (const VhmWebhook * webhook)
{
  const VhmEvent *event = webhook->event;
  SoupMessage *message = soup_message_new ("POST", webhook->settings->url);
  SoupMessageHeaders *headers = soup_message_get_request_headers (message);
  JsonBuilder *builder = json_builder_new ();
  /* The same for each attempt, also after a restart, and another one for each
   * program that posts there. */
  gchar *id = g_strdup_printf ("%" G_GUINT64_FORMAT "-%" G_GINT64_FORMAT,
      event->number, event->time);
  gchar *time = g_strdup_printf ("%" G_GINT64_FORMAT,
      g_get_real_time () / G_USEC_PER_SEC);
  gchar *body, *signature;
  GBytes *bytes;

  vhm_json_add_event (builder, event);
  body = vhm_json_end (builder);
  signature = sign (webhook, id, time, body);
  soup_message_headers_replace (headers, "webhook-id", id);
  soup_message_headers_replace (headers, "webhook-timestamp", time);
  soup_message_headers_replace (headers, "webhook-signature", signature);
  /* The answer is not read to its end. */
  soup_message_headers_replace (headers, "Connection", "close");
  bytes = g_bytes_new_take (body, strlen (body));
  soup_message_set_request_body_from_bytes (message, "application/json",
      bytes);
  /* An event goes where the user wants it to, and nowhere else. */
  soup_message_add_flags (message, SOUP_MESSAGE_NO_REDIRECT);
  g_bytes_unref (bytes);
  g_free (signature);
  g_free (time);
  g_free (id);
  return message;
}

/* What becomes of it */

static void
set_reason (VhmWebhook * webhook, const gchar * reason)
{
  gchar *hidden = vhm_address_hide (webhook->settings->url, NULL, reason);

  /* Once, not each time that it is tried again. */
  if (*hidden && g_strcmp0 (hidden, webhook->reason))
    g_message ("%s: %s", webhook->name, hidden);
  g_free (webhook->reason);
  webhook->reason = hidden;
}

static void
succeed (VhmWebhook * webhook)
{
  const guint64 number = webhook->event->number;

  set_reason (webhook, "");
  webhook->delay = 0;
  g_clear_pointer (&webhook->event, vhm_event_free);
  vhm_delivery_done (webhook->delivery, number);
}

static void
give_up (VhmWebhook * webhook, const gchar * reason)
{
  set_reason (webhook, reason);
  g_warning ("%s: event %" G_GUINT64_FORMAT " is given up: %s", webhook->name,
      webhook->event->number, webhook->reason);
  webhook->delay = 0;
  g_clear_pointer (&webhook->event, vhm_event_free);
  vhm_delivery_give_up (webhook->delivery, webhook->reason);
}

static void
retry_later (VhmWebhook * webhook, const gchar * reason)
{
  const gint64 age = g_get_real_time () - webhook->event->time;

  if (age > webhook->settings->expire * G_USEC_PER_SEC) {
    give_up (webhook, reason);
    return;
  }
  set_reason (webhook, reason);
  webhook->retry_at = g_get_monotonic_time ()
      + vhm_backoff_next (&webhook->delay);
}

/* The same request would get these answers again; the others may get better. */
static gboolean
is_final (guint status)
{
  return SOUP_STATUS_IS_REDIRECTION (status)
      || (SOUP_STATUS_IS_CLIENT_ERROR (status)
      && status != SOUP_STATUS_REQUEST_TIMEOUT
      && status != TOO_MANY_REQUESTS);
}

static void
on_status (VhmWebhook * webhook, guint status)
{
  gchar *reason = g_strdup_printf ("%u %s", status,
      soup_status_get_phrase (status));

  if (SOUP_STATUS_IS_SUCCESSFUL (status))
    succeed (webhook);
  else if (is_final (status))
    give_up (webhook, reason);
  else
    retry_later (webhook, reason);
  g_free (reason);
}

static void
end_attempt (VhmWebhook * webhook)
{
  g_clear_object (&webhook->attempt);
  g_clear_handle_id (&webhook->deadline, g_source_remove);
}

/* @data was freed if it was cancelled by vhm_webhook_free(): a deadline clears
 * the attempt first. */
static void
on_answer (GObject * source, GAsyncResult * result, gpointer data)
{
  SoupSession *session = SOUP_SESSION (source);
  GError *error = NULL;
  SoupMessage *message = soup_session_get_async_result_message (session,
      result);
  const guint status = soup_message_get_status (message);
  GInputStream *stream = soup_session_send_finish (session, result, &error);
  VhmWebhook *webhook = data;

  if (stream) {
    end_attempt (webhook);
    /* What else is sent, maybe without end, is of no interest: that closes the
     * connection. */
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

static gboolean
on_deadline (gpointer data)
{
  VhmWebhook *webhook = data;
  gchar *reason = g_strdup_printf ("no answer within %g seconds",
      webhook->settings->timeout);

  webhook->deadline = 0;
  g_cancellable_cancel (webhook->attempt);
  end_attempt (webhook);
  retry_later (webhook, reason);
  g_free (reason);
  return G_SOURCE_REMOVE;
}

/* The session */

/* Nothing of one request has to do with the next. */
static void
open_session (VhmWebhook * webhook)
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
begin_attempt (VhmWebhook * webhook)
{
  SoupMessage *message;

  if (!webhook->session)
    open_session (webhook);
  if (!webhook->session)
    return;
  message = make_message (webhook);
  webhook->attempt = g_cancellable_new ();
  webhook->deadline = g_timeout_add (webhook->settings->timeout * 1000,
      on_deadline, webhook);
  soup_session_send_async (webhook->session, message, G_PRIORITY_DEFAULT,
      webhook->attempt, on_answer, webhook);
  g_object_unref (message);
}

/* Events */

static void
on_deliver (gpointer data, const VhmEvent * event)
{
  VhmWebhook *webhook = data;

  webhook->event = vhm_event_copy (event);
  webhook->retry_at = 0;
  begin_attempt (webhook);
}

void
vhm_webhook_note (VhmWebhook * webhook)
{
  vhm_delivery_note (webhook->delivery);
}

void
vhm_webhook_recount (VhmWebhook * webhook)
{
  vhm_delivery_recount (webhook->delivery);
}

void
vhm_webhook_tick (VhmWebhook * webhook)
{
  if (webhook->event && !webhook->attempt
      && g_get_monotonic_time () >= webhook->retry_at)
    begin_attempt (webhook);
  vhm_delivery_tick (webhook->delivery);
}

void
vhm_webhook_describe (const VhmWebhook * webhook, VhmOutput * output)
{
  output->name = g_strdup (webhook->name);
  output->up = !*webhook->reason;
  output->reason = g_strdup (webhook->reason);
  vhm_delivery_get_counts (webhook->delivery, &output->queued,
      &output->delivered, &output->dead);
}

/* Its life */

VhmWebhook *
vhm_webhook_new (VhmWebhookSettings * settings, VhmStore * store)
{
  VhmWebhook *webhook = g_new0 (VhmWebhook, 1);

  webhook->settings = vhm_webhook_settings_ref (settings);
  webhook->name = g_strconcat ("webhook ", settings->name, NULL);
  webhook->reason = g_strdup ("");
  webhook->delivery = vhm_delivery_new (store, webhook->name, 1, on_deliver,
      webhook);
  vhm_delivery_start (webhook->delivery);
  return webhook;
}

void
vhm_webhook_free (VhmWebhook * webhook)
{
  if (webhook->attempt)
    g_cancellable_cancel (webhook->attempt);
  end_attempt (webhook);
  vhm_delivery_free (webhook->delivery);
  g_clear_object (&webhook->session);
  g_clear_pointer (&webhook->event, vhm_event_free);
  vhm_webhook_settings_unref (webhook->settings);
  g_free (webhook->name);
  g_free (webhook->reason);
  g_free (webhook);
}

const VhmWebhookSettings *
vhm_webhook_get_settings (const VhmWebhook * webhook)
{
  return webhook->settings;
}
