/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Publishes the current states under retained topics of an MQTT broker, and
 * each event when it happens. docs/monitor-outputs.md lists the topics and
 * payloads. */
#include "backoff.h"
#include "broker.h"
#include "homeassistant.h"
#include "json.h"
#include "letter.h"
#include "onvif.h"
#include "retained.h"

#include <string.h>

/* Payloads that Home Assistant expects by default. */
#define ONLINE "online"
#define OFFLINE "offline"

/* Maximum number of unacknowledged events. */
#define MAX_UNACKNOWLEDGED 100

/* Maximum number of notices that wait for the broker. */
#define MAX_NOTICES 16

/* Longest time without any acknowledgement, µs. */
#define MAX_ACKNOWLEDGE_TIME (60 * G_TIME_SPAN_SECOND)

/* A connection that lasted this long resets the delay of reconnecting, µs. */
#define MIN_STABLE_TIME (10 * G_TIME_SPAN_SECOND)

/* A notice that the broker has not acknowledged yet. */
typedef struct
{
  gchar *payload;
  gint message;                 /* its number; -1 if it was not sent over this
                                 * connection */
} Notice;

/* What is published of a camera, apart from its events. */
typedef struct
{
  GstVideoHealthConditions known, unconfirmed;
  gboolean has_video;
} Told;

typedef struct
{
  VhmOutput output;             /* up while it is connected */
  const VhmMqttSettings *settings;
  gchar *status;                /* topic with the status of this program */
  VhmBroker *broker;            /* NULL between two attempts */
  gint64 since;                 /* when it connected, monotonic µs */
  gint64 retry_at;              /* time of the next attempt, monotonic µs */
  gint64 delay;                 /* of vhm_backoff_next() */

  VhmRetained *retained;
  GHashTable *events;           /* message -> number of the event in it */
  GQueue notices;               /* of Notice, published before events */
  guint sent;                   /* unacknowledged events */
  gint64 acknowledged;          /* monotonic µs of the last acknowledgement, or
                                 * of the first event sent after all were
                                 * acknowledged */

  GHashTable *told;             /* VhmCamera -> Told */
  gboolean changed;             /* the list of cameras changed */
} Mqtt;

/* Settings */

static gchar *
parse_broker (const VhmValue * value)
{
  VhmMqttSettings *mqtt = value->group;
  gchar *scheme = NULL, *userinfo = NULL, *host = NULL, *path = NULL;
  gchar *why = NULL;
  gint port;

  if (!g_uri_split_network (value->text, G_URI_FLAGS_NONE, &scheme, &host,
          &port, NULL)
      || !g_uri_split (value->text, G_URI_FLAGS_NONE, NULL, &userinfo, NULL,
          NULL, &path, NULL, NULL, NULL))
    g_clear_pointer (&scheme, g_free);
  if (userinfo)
    why = g_strdup ("contains a user name or password, which others could "
        "read: write user:password into a file that only you can read, and set "
        "credentials=FILE");
  else if (!scheme || !*host || *path
      || !(g_str_equal (scheme, "mqtt") || g_str_equal (scheme, "mqtts")))
    why = g_strdup ("must be mqtt://HOST or, with TLS, mqtts://HOST; add "
        ":PORT unless the port is 1883 or 8883");
  else {
    vhm_value_take (value, g_steal_pointer (&host));
    mqtt->tls = g_str_equal (scheme, "mqtts");
    mqtt->port = port > 0 ? port : mqtt->tls ? 8883 : 1883;
  }
  g_free (scheme);
  g_free (userinfo);
  g_free (host);
  g_free (path);
  return why;
}

static gchar *
parse_topic (const VhmValue * value)
{
  const gchar *p;

  for (p = value->text; *p; p = g_utf8_next_char (p))
    if (!g_unichar_isprint (g_utf8_get_char (p)) || strchr ("#+", *p))
      break;
  if (!*value->text || *p || *value->text == '$' || *value->text == '/'
      || g_str_has_suffix (value->text, "/") || strstr (value->text, "//")
      || strlen (value->text) > VHM_MAX_NAME_BYTES)
    return g_strdup_printf ("\"%s\" is not a topic prefix: set 1 to %d bytes, "
        "such as site1 or fleet/site1, without #, + or empty levels, not "
        "starting with $", value->text, VHM_MAX_NAME_BYTES);
  vhm_value_take (value, g_strdup (value->text));
  return NULL;
}

static void
set_defaults (gpointer group)
{
  VhmMqttSettings *mqtt = group;

  mqtt->prefix = g_strdup ("videohistogram");
  mqtt->keepalive = 30;
}

/* Checks the keys of [mqtt] against each other. */
static void
check_settings (const VhmReading * reading, gpointer group)
{
  const VhmMqttSettings *mqtt = group;
  VhmProblems *problems = reading->problems;
  const guint line = mqtt->group.line;
  const gboolean has_certificate = vhm_group_has (mqtt, reading, "certificate");
  const gboolean has_its_key = vhm_group_has (mqtt, reading, "key");

  if (!mqtt->host) {
    if (!vhm_group_has (mqtt, reading, "broker"))
      vhm_problems_error (problems, reading->file, line,
          "[mqtt] has no broker: add a line such as broker=mqtt://127.0.0.1");
  } else if (!mqtt->tls && (has_certificate || has_its_key
          || vhm_group_has (mqtt, reading, "ca")))
    vhm_problems_error (problems, reading->file, line,
        "[mqtt] has files for TLS, which mqtt:// does not use: set "
        "broker=mqtts://%s", mqtt->host);
  else if (!mqtt->tls && mqtt->password && !vhm_host_is_loopback (mqtt->host))
    vhm_problems_warn (problems, reading->file, line,
        "[mqtt] sends the password to %s without TLS, where others can read "
        "it: set broker=mqtts://%s if the broker supports TLS",
        mqtt->host, mqtt->host);
  if (has_certificate != has_its_key)
    vhm_problems_error (problems, reading->file, line,
        "[mqtt] has %s without %s: set both or neither",
        has_certificate ? "certificate" : "key",
        has_certificate ? "key" : "certificate");
}

static gchar *
describe_settings (gconstpointer group)
{
  const VhmMqttSettings *mqtt = group;

  return g_strdup_printf ("MQTT %s://%s:%u", mqtt->tls ? "mqtts" : "mqtt",
      mqtt->host, mqtt->port);
}

#define AT(field) G_STRUCT_OFFSET (VhmMqttSettings, field)

static const VhmKey keys[] = {
  {"broker", parse_broker, VHM_TEXT, AT (host)},
  {NULL, NULL, VHM_WHOLE, AT (port)},
  {NULL, NULL, VHM_WHOLE, AT (tls)},
  {"ca", vhm_parse_input, VHM_TEXT, AT (ca)},
  {"certificate", vhm_parse_input, VHM_TEXT, AT (certificate)},
  {"key", vhm_parse_private_key, VHM_TEXT, AT (key)},
  {"credentials", vhm_parse_credentials, VHM_SECRET, AT (user)},
  {NULL, NULL, VHM_SECRET, AT (password)},
  {"prefix", parse_topic, VHM_TEXT, AT (prefix)},
  {"discovery", parse_topic, VHM_TEXT, AT (discovery)},
  {"keepalive", vhm_parse_number, VHM_NUMBER, AT (keepalive), 10, 3600},
  {"pictures", vhm_parse_truth, VHM_WHOLE, AT (pictures)},
  {NULL}
};

/* To the broker */

static void
count_message (Mqtt * mqtt)
{
  if (!mqtt->sent++)
    mqtt->acknowledged = g_get_monotonic_time ();
}

static gchar *
make_topic (const Mqtt * mqtt, const gchar * what, const gchar * camera)
{
  return g_strdup_printf ("%s/%s/%s", mqtt->settings->prefix, what, camera);
}

/* Publishes the picture of an event, before the event: who receives this has
 * the picture already. */
static void
publish_picture (Mqtt * mqtt, const gchar * camera, GBytes * jpeg)
{
  gchar *topic = make_topic (mqtt, "pictures", camera);
  gsize length;
  gconstpointer data = g_bytes_get_data (jpeg, &length);

  vhm_broker_publish_data (mqtt->broker, topic, data, length, FALSE);
  g_free (topic);
}

static void
on_deliver (gpointer data, const GPtrArray * events, GBytes * jpeg)
{
  Mqtt *mqtt = data;
  const VhmEvent *event = g_ptr_array_index (events, events->len - 1);
  gchar *payload = vhm_letter_make (&mqtt->output, events, NULL);
  gchar *topic = events->len == 1 ? make_topic (mqtt, "events", event->camera) :
      g_strconcat (mqtt->settings->prefix, "/outages", NULL);
  gint message;

  if (jpeg)
    publish_picture (mqtt, event->camera, jpeg);
  message = vhm_broker_publish (mqtt->broker, topic, payload, FALSE);
  if (message >= 0) {
    guint64 *number = g_memdup2 (&event->number, sizeof event->number);

    g_hash_table_insert (mqtt->events, GINT_TO_POINTER (message), number);
    count_message (mqtt);
  }
  g_free (payload);
  g_free (topic);
}

/* States */

/* Sets the state of the group whose first condition is @condition, and the
 * message by which Home Assistant discovers it. */
static void
set_state (Mqtt * mqtt, const VhmCamera * camera, guint condition)
{
  const VhmMqttSettings *s = mqtt->settings;
  const gchar *name = camera->settings->name;
  gchar *topic, *payload, *video;

  if (s->discovery) {
    video = make_topic (mqtt, "video", name);
    topic = vhm_home_assistant_make_topic (s, name, condition);
    payload = vhm_home_assistant_make_config (s, camera->settings, condition,
        mqtt->status, video, mqtt->output.page);
    vhm_retained_set (mqtt->retained, topic, payload);
    g_free (payload);
    g_free (topic);
    g_free (video);
  }
  topic = vhm_onvif_make_topic (s->prefix, name, condition);
  payload = camera->added ? vhm_onvif_make_state (camera, condition) : NULL;
  vhm_retained_set (mqtt->retained, topic, payload);
  g_free (payload);
  g_free (topic);
}

static void
set_states (Mqtt * mqtt, const VhmCamera * camera,
    GstVideoHealthConditions conditions)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (vhm_onvif_is_first (i)
        && vhm_onvif_get_group (i) & camera->settings->conditions & conditions)
      set_state (mqtt, camera, i);
}

/* Sets whether the camera sends video. */
static void
set_video (Mqtt * mqtt, const VhmCamera * camera)
{
  gchar *topic = make_topic (mqtt, "video", camera->settings->name);

  vhm_retained_set (mqtt->retained, topic,
      camera->has_video ? ONLINE : OFFLINE);
  g_free (topic);
}

/* Sets the message by which Home Assistant discovers pictures. */
static void
set_image (Mqtt * mqtt, const VhmCamera * camera)
{
  const VhmMqttSettings *s = mqtt->settings;
  gchar *topic, *picture, *payload;

  if (!s->discovery || !s->pictures)
    return;
  topic = vhm_home_assistant_make_image_topic (s, camera->settings->name);
  picture = make_topic (mqtt, "pictures", camera->settings->name);
  payload = vhm_home_assistant_make_image_config (s, camera->settings, picture,
      mqtt->status, mqtt->output.page);
  vhm_retained_set (mqtt->retained, topic, payload);
  g_free (payload);
  g_free (picture);
  g_free (topic);
}

/* Publishes what changes without an event: whether the camera sends video, and
 * the states of conditions that were judged for the first time, became
 * unconfirmed, or were confirmed. */
static void
note_changes (Mqtt * mqtt, VhmCamera * camera)
{
  const Told now = { camera->known, vhm_camera_get_unconfirmed (camera),
    camera->has_video
  };
  Told *told = g_hash_table_lookup (mqtt->told, camera);
  GstVideoHealthConditions changed;
  guint i;

  if (!told) {
    told = g_new0 (Told, 1);
    g_hash_table_insert (mqtt->told, camera, told);
  }
  changed = (told->known ^ now.known) | (told->unconfirmed ^ now.unconfirmed);
  if (told->has_video != now.has_video && !mqtt->changed)
    set_video (mqtt, camera);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (changed >> i & 1 && !mqtt->changed)
      set_states (mqtt, camera, vhm_onvif_get_group (i));
  *told = now;
}

/* Sets all topics. */
static void
set_all (Mqtt * mqtt)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (mqtt->output.fleet);
  guint i;

  mqtt->changed = FALSE;
  vhm_retained_begin (mqtt->retained);
  vhm_retained_set (mqtt->retained, mqtt->status, ONLINE);
  for (i = 0; i < cameras->len; i++) {
    const VhmCamera *camera = g_ptr_array_index (cameras, i);

    set_video (mqtt, camera);
    set_states (mqtt, camera, GST_VIDEO_HEALTH_CONDITIONS_ALL);
    set_image (mqtt, camera);
  }
  vhm_retained_end (mqtt->retained);
}

/* Notices */

static void
notice_free (gpointer data)
{
  Notice *notice = data;

  g_free (notice->payload);
  g_free (notice);
}

static void
publish_notice (gpointer data, gpointer output)
{
  Notice *notice = data;
  Mqtt *mqtt = output;
  gchar *topic = g_strconcat (mqtt->settings->prefix, "/notices", NULL);

  notice->message =
      vhm_broker_publish (mqtt->broker, topic, notice->payload, FALSE);
  g_free (topic);
}

static gint
compare_message (gconstpointer notice, gconstpointer message)
{
  return ((const Notice *) notice)->message != *(const gint *) message;
}

/* Returns whether @message is that of a notice, which is then done. */
static gboolean
take_notice (Mqtt * mqtt, gint message)
{
  GList *link = g_queue_find_custom (&mqtt->notices, &message, compare_message);

  if (!link)
    return FALSE;
  notice_free (link->data);
  g_queue_delete_link (&mqtt->notices, link);
  return TRUE;
}

/* The connection */

static void
on_connected (gpointer data)
{
  Mqtt *mqtt = data;

  g_message ("mqtt: connected to %s:%u", mqtt->settings->host,
      mqtt->settings->port);
  mqtt->output.up = TRUE;
  mqtt->since = g_get_monotonic_time ();
  g_free (mqtt->output.reason);
  mqtt->output.reason = g_strdup ("");
  vhm_retained_set_broker (mqtt->retained, mqtt->broker);
  g_queue_foreach (&mqtt->notices, publish_notice, mqtt);
  vhm_delivery_start (mqtt->output.delivery);
}

static void
on_published (gpointer data, gint message)
{
  Mqtt *mqtt = data;
  const guint64 *number = g_hash_table_lookup (mqtt->events,
      GINT_TO_POINTER (message));

  mqtt->acknowledged = g_get_monotonic_time ();
  if (number) {
    const guint64 done = *number;

    g_hash_table_remove (mqtt->events, GINT_TO_POINTER (message));
    mqtt->sent--;
    vhm_delivery_done (mqtt->output.delivery, done);
  } else if (!take_notice (mqtt, message))
    vhm_retained_published (mqtt->retained, message);
}

/* Gives up the connection, whatever its state is. Takes @reason. */
static void
drop_broker (Mqtt * mqtt, gchar * reason)
{
  if (mqtt->broker)
    vhm_broker_forget (mqtt->broker);
  mqtt->broker = NULL;
  mqtt->output.up = FALSE;
  g_free (mqtt->output.reason);
  mqtt->output.reason = reason;
  vhm_retained_set_broker (mqtt->retained, NULL);
  vhm_delivery_stop (mqtt->output.delivery);
  g_hash_table_remove_all (mqtt->events);
  mqtt->sent = 0;
}

static void
retry_later (Mqtt * mqtt, const gchar * why)
{
  const gint64 now = g_get_monotonic_time ();

  if (mqtt->output.up && now - mqtt->since > MIN_STABLE_TIME)
    mqtt->delay = 0;
  /* Log each reason once, not at every attempt. */
  if (g_strcmp0 (mqtt->output.reason, why))
    g_message ("mqtt: no connection to %s:%u, retrying: %s",
        mqtt->settings->host, mqtt->settings->port, why);
  drop_broker (mqtt, g_strdup (why));
  mqtt->retry_at = now + vhm_backoff_next (&mqtt->delay);
}

static void
on_ended (gpointer data, const gchar * why)
{
  retry_later (data, why);
}

static const VhmBrokerHandler broker_handler = {
  .connected = on_connected,.published = on_published,.ended = on_ended
};

static void
connect_broker (Mqtt * mqtt)
{
  mqtt->broker = vhm_broker_new (mqtt->settings, mqtt->status, OFFLINE,
      &broker_handler, mqtt);
}

/* Reports of the fleet */

static void
on_added (gpointer data, G_GNUC_UNUSED VhmCamera * camera)
{
  Mqtt *mqtt = data;

  mqtt->changed = TRUE;
}

static void
on_removed (gpointer data, VhmCamera * camera)
{
  Mqtt *mqtt = data;

  g_hash_table_remove (mqtt->told, camera);
  mqtt->changed = TRUE;
}

/* @camera is NULL if it was removed: its topics are deleted. */
static void
on_event (gpointer data, VhmCamera * camera, const VhmEvent * event)
{
  if (camera)
    set_states (data, camera, vhm_onvif_get_group (event->condition));
}

/* It waits in memory until the broker has acknowledged it: it may say that
 * nothing can be stored. */
static void
on_notice (gpointer data, const VhmNotice * notice)
{
  Mqtt *mqtt = data;
  Notice *waiting = g_new (Notice, 1);

  waiting->payload = vhm_json_make (notice, vhm_json_add_local_notice);
  waiting->message = -1;
  g_queue_push_tail (&mqtt->notices, waiting);
  if (mqtt->notices.length > MAX_NOTICES)
    notice_free (g_queue_pop_head (&mqtt->notices));
  if (mqtt->output.up)
    publish_notice (waiting, mqtt);
}

static void
on_tick (gpointer data)
{
  Mqtt *mqtt = data;
  const GPtrArray *cameras = vhm_fleet_get_cameras (mqtt->output.fleet);
  const gint64 now = g_get_monotonic_time ();
  guint i;

  for (i = 0; i < cameras->len; i++)
    note_changes (mqtt, g_ptr_array_index (cameras, i));
  if (mqtt->changed)
    set_all (mqtt);
  if (mqtt->sent && now - mqtt->acknowledged > MAX_ACKNOWLEDGE_TIME)
    retry_later (mqtt, "the broker stopped acknowledging messages");
  if (!mqtt->broker && now >= mqtt->retry_at)
    connect_broker (mqtt);
  vhm_retained_tick (mqtt->retained);
}

/* Life cycle */

static void
start (gpointer output)
{
  Mqtt *mqtt = output;

  mqtt->settings = mqtt->output.settings;
  mqtt->told = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  mqtt->events = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  mqtt->status = g_strconcat (mqtt->settings->prefix, "/status", NULL);
  if (mqtt->settings->pictures)
    vhm_delivery_want_pictures (mqtt->output.delivery);
  g_free (mqtt->output.reason);
  mqtt->output.reason = g_strdup ("connecting");
  mqtt->retained = vhm_retained_new (vhm_fleet_get_store (mqtt->output.fleet));
  mqtt->changed = TRUE;
}

/* Publishes that this program goes offline, after everything sent before. */
static void
stop (gpointer output)
{
  Mqtt *mqtt = output;

  if (mqtt->output.up)
    vhm_broker_publish (mqtt->broker, mqtt->status, OFFLINE, TRUE);
  drop_broker (mqtt, g_strdup (""));
  vhm_retained_free (mqtt->retained);
  g_queue_clear_full (&mqtt->notices, notice_free);
  g_free (mqtt->status);
  g_hash_table_unref (mqtt->events);
  g_hash_table_unref (mqtt->told);
}

const VhmOutputClass vhm_mqtt_output = {
  .group.name = "mqtt",
  .group.size = sizeof (VhmMqttSettings),
  .group.keys = keys,
  .group.set_defaults = set_defaults,
  .group.check = check_settings,
  .group.describe = describe_settings,
  .size = sizeof (Mqtt),
  .window = MAX_UNACKNOWLEDGED,
  .deliver = on_deliver,
  .listener.added = on_added,
  .listener.updated = on_added,
  .listener.removed = on_removed,
  .listener.event = on_event,
  .listener.unstored = on_event,
  .listener.tick = on_tick,
  .listener.notice = on_notice,
  .start = start,
  .stop = stop,
  .count_threads = vhm_broker_count_threads,
};
