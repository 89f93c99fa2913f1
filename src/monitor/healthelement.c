/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthelement.h"

struct _VhmHealthElement
{
  GstElement *element;
  gulong handler;
  VhmChangeFunc func;
  gpointer data;
};

const gchar *
vhm_health_element_get_elements (void)
{
  return "videohealth name=health post-messages=false";
}

/* Signals come in order, from one thread at a time. */
static void
on_change (G_GNUC_UNUSED GstElement * element,
    const GstVideoHealthChange * change, VhmHealthElement * health)
{
  const gint64 now = g_get_real_time ();
  const VhmChange c = { change->condition, change->active, change->value,
    change->threshold,
    now - (gint64) (change->time - MIN (change->time, change->since)) / 1000,
    now
  };

  health->func (health->data, &c);
}

/* signal-loss is judged outside of the pipeline, which may not even exist. */
void
vhm_health_element_set_key_frames (VhmHealthElement * health,
    const VhmCameraSettings * camera, gboolean key_frames)
{
  g_object_set (health->element, "conditions", camera->conditions
      & ~GST_VIDEO_HEALTH_CONDITIONS_SIGNAL_LOSS
      & ~(key_frames ? VHM_OF_EVERY_FRAME : 0), NULL);
}

VhmHealthElement *
vhm_health_element_new (GstBin * bin, const VhmCameraSettings * camera,
    const gchar * learned, VhmChangeFunc func, gpointer data)
{
  VhmHealthElement *health = g_new0 (VhmHealthElement, 1);

  health->func = func;
  health->data = data;
  health->element = gst_bin_get_by_name (bin, "health");
  g_object_set (health->element, "state-location", learned,
      "interval", (guint64) (camera->interval * GST_SECOND),
      "views", camera->views, NULL);
  vhm_health_element_set_key_frames (health, camera,
      camera->decode == VHM_DECODE_KEY_FRAMES);
  if (camera->rules)
    g_object_set (health->element, "rules", camera->rules, NULL);
  if (camera->ignore)
    g_object_set (health->element, "ignore", camera->ignore, NULL);
  health->handler = g_signal_connect (health->element, "change",
      G_CALLBACK (on_change), health);
  return health;
}

void
vhm_health_element_free (VhmHealthElement * health)
{
  g_signal_handler_disconnect (health->element, health->handler);
  gst_object_unref (health->element);
  g_free (health);
}

gboolean
vhm_health_element_is (const VhmHealthElement * health, gpointer object)
{
  return object == health->element;
}

void
vhm_health_element_unlearn (VhmHealthElement * health)
{
  g_signal_emit_by_name (health->element, "forget");
}

/* The field @name of @times, in µs; 0 without it. @times may be NULL. */
static gint64
get_time (const GstStructure * times, const gchar * name)
{
  GstClockTime time = 0;

  if (times)
    gst_structure_get_clock_time (times, name, &time);
  return time / GST_USECOND;
}

void
vhm_health_element_get_verdict (VhmHealthElement * health, VhmVerdict * verdict)
{
  GstStructure *values = NULL, *unknown = NULL, *details = NULL;
  GstStructure *held_back = NULL, *durations = NULL, *holds = NULL;
  GstStructure *pending = NULL;
  guint i;

  g_object_get (health->element, "values", &values, "active", &verdict->active,
      NULL);
  verdict->judged = 0;
  if (values) {
    gst_structure_get (values, "unknown", GST_TYPE_STRUCTURE, &unknown, NULL);
    gst_structure_get (values, "detail", GST_TYPE_STRUCTURE, &details, NULL);
    gst_structure_get (values, "held-back", GST_TYPE_STRUCTURE, &held_back,
        NULL);
    gst_structure_get (values, "duration", GST_TYPE_STRUCTURE, &durations,
        NULL);
    gst_structure_get (values, "hold", GST_TYPE_STRUCTURE, &holds, NULL);
    gst_structure_get (values, "pending", GST_TYPE_STRUCTURE, &pending, NULL);
  }
  for (i = 0; values && i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    const gchar *name = gst_video_health_condition_get_name (i);

    if (gst_structure_get_double (values, name, &verdict->values[i]))
      verdict->judged |= 1 << i;
    verdict->unknown[i] = unknown ?
        g_intern_string (gst_structure_get_string (unknown, name)) : NULL;
    verdict->details[i] = details ?
        g_intern_string (gst_structure_get_string (details, name)) : NULL;
    verdict->held_back[i] = 0;
    if (held_back)
      gst_structure_get_flags (held_back, name,
          GST_TYPE_VIDEO_HEALTH_CONDITIONS, &verdict->held_back[i]);
    verdict->durations[i] = get_time (durations, name);
    verdict->holds[i] = get_time (holds, name);
    verdict->pending[i] = get_time (pending, name);
  }
  gst_clear_structure (&unknown);
  gst_clear_structure (&details);
  gst_clear_structure (&held_back);
  gst_clear_structure (&durations);
  gst_clear_structure (&holds);
  gst_clear_structure (&pending);
  g_clear_pointer (&values, gst_structure_free);
}
