/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge.h"

struct _VhmJudge
{
  GstElement *health;
  gulong handler;
  VhmChangeFunc func;
  gpointer data;
};

const gchar *
vhm_judge_get_elements (void)
{
  return "videohealth name=health post-messages=false";
}

/* Signals come in order, from one thread at a time. */
static void
on_change (GstElement * element, const GstVideoHealthChange * change,
    VhmJudge * judge)
{
  const gint64 now = g_get_real_time ();
  const VhmChange c = { change->condition, change->active, change->value,
    change->threshold,
    now - (gint64) (change->time - MIN (change->time, change->since)) / 1000,
    now
  };

  (void) element;
  judge->func (judge->data, &c);
}

VhmJudge *
vhm_judge_new (GstBin * bin, const VhmCameraSettings * camera,
    const gchar * learned, VhmChangeFunc func, gpointer data)
{
  VhmJudge *judge = g_new0 (VhmJudge, 1);

  judge->func = func;
  judge->data = data;
  judge->health = gst_bin_get_by_name (bin, "health");
  /* signal-loss is judged outside of the pipeline, which may not even exist. */
  g_object_set (judge->health, "conditions", camera->conditions
      & ~GST_VIDEO_HEALTH_CONDITIONS_SIGNAL_LOSS, "state-location", learned,
      "interval", (guint64) (camera->interval * GST_SECOND), NULL);
  if (camera->rules)
    g_object_set (judge->health, "rules", camera->rules, NULL);
  if (camera->ignore)
    g_object_set (judge->health, "ignore", camera->ignore, NULL);
  judge->handler = g_signal_connect (judge->health, "change",
      G_CALLBACK (on_change), judge);
  return judge;
}

void
vhm_judge_free (VhmJudge * judge)
{
  g_signal_handler_disconnect (judge->health, judge->handler);
  gst_object_unref (judge->health);
  g_free (judge);
}

void
vhm_judge_unlearn (VhmJudge * judge)
{
  g_signal_emit_by_name (judge->health, "forget");
}

void
vhm_judge_get_verdict (VhmJudge * judge, VhmVerdict * verdict)
{
  GstStructure *values = NULL;
  guint i;

  g_object_get (judge->health, "values", &values, "active", &verdict->active,
      NULL);
  verdict->judged = 0;
  for (i = 0; values && i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (gst_structure_get_double (values,
            gst_video_health_condition_get_name (i), &verdict->values[i]))
      verdict->judged |= 1 << i;
  g_clear_pointer (&values, gst_structure_free);
}
