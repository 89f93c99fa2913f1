/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge.h"

struct _VhmJudge
{
  GstElement *counter;
  gulong handler;
  GMutex lock;                  /* of health */
  GstVideoHealth *health;
  VhmChangeFunc func;
  gpointer data;
};

const gchar *
vhm_judge_get_elements (void)
{
  return "videohistogram name=evidence channels=luma+gradient grid=8x8 "
      "joint=chroma interval=0 post-messages=false";
}

/* Signals come in order, from one thread at a time. */
static void
on_histogram (GstElement * element, GstVideoHistogram * histogram,
    VhmJudge * judge)
{
  const GstClockTime time =
      gst_video_histogram_get_info (histogram)->running_time;
  const gint64 real = g_get_real_time ();
  GstVideoHealthChange change;
  gboolean there;

  (void) element;
  g_mutex_lock (&judge->lock);
  gst_video_health_add_histogram (judge->health, histogram);
  gst_video_health_judge (judge->health, time, real * 1000);
  g_mutex_unlock (&judge->lock);
  do {
    g_mutex_lock (&judge->lock);
    there = gst_video_health_next_change (judge->health, &change);
    g_mutex_unlock (&judge->lock);
    if (there) {
      const VhmChange c = { change.condition, change.active,
        change.topic_active, change.value, change.threshold,
        real - (gint64) (time - MIN (time, change.since)) / 1000,
        real - (gint64) (time - MIN (time, change.time)) / 1000
      };

      judge->func (judge->data, &c);
    }
  } while (there);
}

VhmJudge *
vhm_judge_new (GstBin * bin, const VhmCameraSettings * camera,
    GVariant * state, VhmChangeFunc func, gpointer data)
{
  VhmJudge *judge = g_new0 (VhmJudge, 1);

  g_mutex_init (&judge->lock);
  judge->func = func;
  judge->data = data;
  judge->health = gst_video_health_new ();
  /* Whether frames come is judged outside of the pipeline, which may not even
   * be there. */
  gst_video_health_set_conditions (judge->health, camera->conditions
      & ~GST_VIDEO_HEALTH_CONDITIONS_SIGNAL_LOSS);
  if (camera->rules)
    gst_video_health_set_rules (judge->health, camera->rules, NULL);
  if (state)
    gst_video_health_restore (judge->health, state, NULL);
  judge->counter = gst_bin_get_by_name (bin, "evidence");
  judge->handler = g_signal_connect (judge->counter, "histogram",
      G_CALLBACK (on_histogram), judge);
  return judge;
}

void
vhm_judge_free (VhmJudge * judge)
{
  g_signal_handler_disconnect (judge->counter, judge->handler);
  gst_object_unref (judge->counter);
  g_object_unref (judge->health);
  g_mutex_clear (&judge->lock);
  g_free (judge);
}

void
vhm_judge_get_verdict (VhmJudge * judge, VhmVerdict * verdict)
{
  guint i;

  g_mutex_lock (&judge->lock);
  verdict->judged = gst_video_health_get_judged (judge->health);
  verdict->active = gst_video_health_get_active (judge->health);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (!gst_video_health_get_value (judge->health, i, &verdict->values[i]))
      verdict->judged &= ~(1 << i);
  g_mutex_unlock (&judge->lock);
}

GVariant *
vhm_judge_save (VhmJudge * judge)
{
  GVariant *state;

  g_mutex_lock (&judge->lock);
  state = gst_video_health_save (judge->health);
  g_mutex_unlock (&judge->lock);
  return state;
}
