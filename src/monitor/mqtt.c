/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mqtt.h"

#include "backoff.h"
#include "broker.h"
#include "delivery.h"
#include "homeassistant.h"
#include "json.h"
#include "onvif.h"
#include "retained.h"

#define NAME "mqtt"

/* Payloads that Home Assistant expects by default. */
#define ONLINE "online"
#define OFFLINE "offline"

/* Maximum number of unacknowledged events. */
#define MAX_UNACKNOWLEDGED 100

/* Longest time without any acknowledgement, µs. */
#define MAX_ACKNOWLEDGE_TIME (60 * G_TIME_SPAN_SECOND)

/* Time limit for disconnecting at the end, µs. */
#define MAX_DISCONNECT_TIME (2 * G_TIME_SPAN_SECOND)

/* A connection that lasted this long resets the delay of reconnecting, µs. */
#define MIN_STABLE_TIME (10 * G_TIME_SPAN_SECOND)

/* What is known of a camera. */
typedef struct
{
  gint64 since;                 /* when it was added, µs since 1970 */
  GstVideoHealthConditions conditions;  /* those judged so far */
} Known;

struct _VhmMqtt
{
  VhmFleet *fleet;
  VhmStore *store;
  VhmMqttSettings *settings;    /* NULL without a broker; then the members up to
                                 * delivery are unused */
  gchar *page;                  /* URL of the page with all cameras, or NULL */
  gchar *status;                /* topic with the status of this program */
  VhmBroker *broker;            /* NULL between two attempts */
  gboolean connected;
  gint64 since;                 /* when it connected, monotonic µs */
  gint64 retry_at;              /* time of the next attempt, monotonic µs */
  gint64 delay;                 /* of vhm_backoff_next() */
  gchar *reason;                /* why it is not connected, or empty */

  VhmRetained *retained;
  VhmDelivery *delivery;
  GHashTable *events;           /* message -> number of the event in it */
  guint sent;                   /* unacknowledged events */
  gint64 acknowledged;          /* monotonic µs of the last acknowledgement, or
                                 * of the first event sent after all were
                                 * acknowledged */

  GHashTable *cameras;          /* name -> Known */
  gboolean changed;             /* the list of cameras changed */
};

/* To the broker */

static void
count_message (VhmMqtt * mqtt)
{
  if (!mqtt->sent++)
    mqtt->acknowledged = g_get_monotonic_time ();
}

static void
on_deliver (gpointer data, const GPtrArray * events)
{
  VhmMqtt *mqtt = data;
  const VhmEvent *event = g_ptr_array_index (events, events->len - 1);
  JsonBuilder *builder = json_builder_new ();
  gchar *host = vhm_fleet_find_host (mqtt->fleet, event->camera);
  gchar *topic, *payload;
  gint message;

  if (events->len == 1) {
    vhm_json_add_event (builder, event);
    topic = g_strdup_printf ("%s/events/%s", mqtt->settings->prefix,
        event->camera);
  } else {
    vhm_json_add_outage (builder, host, events);
    topic = g_strconcat (mqtt->settings->prefix, "/outages", NULL);
  }
  payload = vhm_json_end (builder);
  message = vhm_broker_publish (mqtt->broker, topic, payload, FALSE);
  if (message >= 0) {
    guint64 *number = g_memdup2 (&event->number, sizeof event->number);

    g_hash_table_insert (mqtt->events, GINT_TO_POINTER (message), number);
    count_message (mqtt);
  }
  g_free (payload);
  g_free (topic);
  g_free (host);
}

/* States */

/* Sets the state of the group whose first condition is @condition, and the
 * message by which Home Assistant discovers it. @known is NULL if @camera is
 * not known yet. */
static void
set_state (VhmMqtt * mqtt, const VhmCamera * camera, guint condition,
    const Known * known)
{
  const VhmMqttSettings *s = mqtt->settings;
  const gchar *name = camera->settings->name;
  gchar *topic, *payload;

  if (s->discovery) {
    topic = vhm_home_assistant_make_topic (s, name, condition);
    payload = vhm_home_assistant_make_config (s, name, condition,
        mqtt->status, mqtt->page);
    vhm_retained_set (mqtt->retained, topic, payload);
    g_free (payload);
    g_free (topic);
  }
  topic = vhm_onvif_make_topic (s->prefix, name, condition);
  payload = known ? vhm_onvif_make_state (camera, condition,
      known->conditions, known->since) : NULL;
  vhm_retained_set (mqtt->retained, topic, payload);
  g_free (payload);
  g_free (topic);
}

static void
set_states (VhmMqtt * mqtt, const VhmCamera * camera,
    GstVideoHealthConditions conditions)
{
  const Known *known = g_hash_table_lookup (mqtt->cameras,
      camera->settings->name);
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (vhm_onvif_is_first (i)
        && vhm_onvif_get_group (i) & camera->settings->conditions & conditions)
      set_state (mqtt, camera, i, known);
}

/* Publishes the states of conditions that were judged for the first time. */
static void
note_judged (VhmMqtt * mqtt, const VhmCamera * camera)
{
  Known *known = g_hash_table_lookup (mqtt->cameras, camera->settings->name);
  GstVideoHealthConditions judged = 0;
  guint i;

  if (!known)
    return;
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (camera->conditions[i].judged || camera->conditions[i].number)
      judged |= 1 << i;
  judged &= ~known->conditions;
  known->conditions |= judged;
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (judged >> i & 1 && !mqtt->changed)
      set_states (mqtt, camera, vhm_onvif_get_group (i));
}

/* Sets all topics. */
static void
set_all (VhmMqtt * mqtt)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (mqtt->fleet);
  guint i;

  mqtt->changed = FALSE;
  vhm_retained_begin (mqtt->retained);
  vhm_retained_set (mqtt->retained, mqtt->status, ONLINE);
  for (i = 0; i < cameras->len; i++)
    set_states (mqtt, g_ptr_array_index (cameras, i),
        GST_VIDEO_HEALTH_CONDITIONS_ALL);
  vhm_retained_end (mqtt->retained);
}

/* The connection */

static void
on_connected (gpointer data)
{
  VhmMqtt *mqtt = data;

  g_message ("mqtt: connected to %s:%u", mqtt->settings->host,
      mqtt->settings->port);
  mqtt->connected = TRUE;
  mqtt->since = g_get_monotonic_time ();
  g_free (mqtt->reason);
  mqtt->reason = g_strdup ("");
  vhm_retained_set_broker (mqtt->retained, mqtt->broker);
  vhm_delivery_start (mqtt->delivery);
}

static void
on_published (gpointer data, gint message)
{
  VhmMqtt *mqtt = data;
  const guint64 *number = g_hash_table_lookup (mqtt->events,
      GINT_TO_POINTER (message));

  mqtt->acknowledged = g_get_monotonic_time ();
  if (number) {
    const guint64 done = *number;

    g_hash_table_remove (mqtt->events, GINT_TO_POINTER (message));
    mqtt->sent--;
    vhm_delivery_done (mqtt->delivery, done);
  } else
    vhm_retained_published (mqtt->retained, message);
}

/* Gives up the connection, whatever its state is. Takes @reason. */
static void
leave (VhmMqtt * mqtt, gchar * reason)
{
  if (mqtt->broker)
    vhm_broker_forget (mqtt->broker);
  mqtt->broker = NULL;
  mqtt->connected = FALSE;
  g_free (mqtt->reason);
  mqtt->reason = reason;
  vhm_retained_set_broker (mqtt->retained, NULL);
  vhm_delivery_stop (mqtt->delivery);
  g_hash_table_remove_all (mqtt->events);
  mqtt->sent = 0;
}

static void
fail (VhmMqtt * mqtt, const gchar * why)
{
  const gint64 now = g_get_monotonic_time ();

  if (mqtt->connected && now - mqtt->since > MIN_STABLE_TIME)
    mqtt->delay = 0;
  /* Log each reason once, not at every attempt. */
  if (g_strcmp0 (mqtt->reason, why))
    g_message ("mqtt: no connection to %s:%u, retrying: %s",
        mqtt->settings->host, mqtt->settings->port, why);
  leave (mqtt, g_strdup (why));
  mqtt->retry_at = now + vhm_backoff_next (&mqtt->delay);
}

static void
on_ended (gpointer data, const gchar * why)
{
  fail (data, why);
}

static const VhmBrokerHandler broker_handler =
    { on_connected, on_published, on_ended };

static void
connect_broker (VhmMqtt * mqtt)
{
  mqtt->broker = vhm_broker_new (mqtt->settings, mqtt->status, OFFLINE,
      &broker_handler, mqtt);
}

/* Reports of the fleet */

static void
on_added (gpointer data, VhmCamera * camera)
{
  VhmMqtt *mqtt = data;
  const Known known = { g_get_real_time () };

  g_hash_table_insert (mqtt->cameras, g_strdup (camera->settings->name),
      g_memdup2 (&known, sizeof known));
  mqtt->changed = TRUE;
}

static void
on_removed (gpointer data, VhmCamera * camera)
{
  VhmMqtt *mqtt = data;

  g_hash_table_remove (mqtt->cameras, camera->settings->name);
  mqtt->changed = TRUE;
}

static void
on_unstored (gpointer data, VhmCamera * camera, const VhmEvent * event)
{
  VhmMqtt *mqtt = data;

  if (mqtt->settings)
    set_states (mqtt, camera, vhm_onvif_get_group (event->condition));
}

static void
on_event (gpointer data, VhmCamera * camera, const VhmEvent * event)
{
  VhmMqtt *mqtt = data;

  if (!mqtt->settings)
    return;
  /* The topics of a removed camera are deleted. */
  if (camera)
    set_states (mqtt, camera, vhm_onvif_get_group (event->condition));
  vhm_delivery_note (mqtt->delivery);
}

static void
on_picture (gpointer data, guint64 number)
{
  VhmMqtt *mqtt = data;

  if (mqtt->settings)
    vhm_delivery_note_picture (mqtt->delivery, number);
}

/* Published only while connected; the API lists past notices. */
static void
on_notice (gpointer data, const VhmNotice * notice)
{
  VhmMqtt *mqtt = data;
  JsonBuilder *builder;
  gchar *topic, *payload;

  if (!mqtt->settings || !mqtt->connected)
    return;
  builder = json_builder_new ();
  vhm_json_add_notice (builder, notice);
  payload = vhm_json_end (builder);
  topic = g_strconcat (mqtt->settings->prefix, "/notices", NULL);
  vhm_broker_publish (mqtt->broker, topic, payload, FALSE);
  g_free (topic);
  g_free (payload);
}

static void
on_tick (gpointer data)
{
  VhmMqtt *mqtt = data;
  const GPtrArray *cameras = vhm_fleet_get_cameras (mqtt->fleet);
  const gint64 now = g_get_monotonic_time ();
  guint i;

  for (i = 0; mqtt->settings && i < cameras->len; i++)
    note_judged (mqtt, g_ptr_array_index (cameras, i));
  if (!mqtt->settings)
    return;
  if (mqtt->changed)
    set_all (mqtt);
  if (mqtt->sent && now - mqtt->acknowledged > MAX_ACKNOWLEDGE_TIME)
    fail (mqtt, "the broker stopped acknowledging messages");
  if (!mqtt->broker && now >= mqtt->retry_at)
    connect_broker (mqtt);
  vhm_retained_tick (mqtt->retained);
  vhm_delivery_tick (mqtt->delivery);
}

static const VhmListener listener = {
  .added = on_added,.removed = on_removed,.event = on_event,
  .unstored = on_unstored,.tick = on_tick,.picture = on_picture,
  .notice = on_notice
};

/* Life cycle */

VhmMqtt *
vhm_mqtt_new (VhmFleet * fleet)
{
  VhmMqtt *mqtt = g_new0 (VhmMqtt, 1);

  mqtt->fleet = fleet;
  mqtt->store = vhm_fleet_get_store (fleet);
  mqtt->cameras = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  mqtt->events = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  vhm_fleet_add_listener (fleet, &listener, mqtt);
  return mqtt;
}

/* Publishes that this program goes offline, after everything sent before. */
static void
say_goodbye (VhmMqtt * mqtt)
{
  if (mqtt->connected)
    vhm_broker_publish (mqtt->broker, mqtt->status, OFFLINE, TRUE);
  leave (mqtt, g_strdup (""));
}

void
vhm_mqtt_set (VhmMqtt * mqtt, VhmMqttSettings * settings, const gchar * page)
{
  if (mqtt->settings && settings
      && vhm_group_equal (mqtt->settings, settings))
    return;
  if (mqtt->settings) {
    say_goodbye (mqtt);
    g_clear_pointer (&mqtt->retained, vhm_retained_free);
    g_clear_pointer (&mqtt->delivery, vhm_delivery_free);
    g_clear_pointer (&mqtt->reason, g_free);
    g_clear_pointer (&mqtt->status, g_free);
    g_clear_pointer (&mqtt->page, g_free);
    g_clear_pointer (&mqtt->settings, vhm_group_unref);
  }
  if (!settings)
    return;
  mqtt->settings = vhm_group_ref (settings);
  mqtt->page = g_strdup (page);
  mqtt->status = g_strconcat (settings->prefix, "/status",
      NULL);
  mqtt->reason = g_strdup ("connecting");
  mqtt->retry_at = mqtt->delay = 0;
  mqtt->retained = vhm_retained_new (mqtt->store);
  mqtt->delivery = vhm_delivery_new (mqtt->fleet, NAME, MAX_UNACKNOWLEDGED,
      on_deliver, mqtt);
  mqtt->changed = TRUE;
}

gboolean
vhm_mqtt_free (VhmMqtt * mqtt)
{
  const gint64 end = g_get_monotonic_time () + MAX_DISCONNECT_TIME;

  vhm_mqtt_set (mqtt, NULL, NULL);
  while (vhm_broker_count_threads () && g_get_monotonic_time () < end)
    g_usleep (10000);
  g_hash_table_unref (mqtt->events);
  g_hash_table_unref (mqtt->cameras);
  g_free (mqtt);
  return !vhm_broker_count_threads ();
}

gboolean
vhm_mqtt_describe (const VhmMqtt * mqtt, VhmOutput * output)
{
  if (!mqtt->settings)
    return FALSE;
  output->name = g_strdup (NAME);
  output->up = mqtt->connected;
  output->reason = g_strdup (mqtt->reason);
  vhm_delivery_get_counts (mqtt->delivery, &output->queued,
      &output->delivered, &output->dead);
  return TRUE;
}
