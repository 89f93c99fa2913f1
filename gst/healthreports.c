/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthreports.h"

void
vh_health_reports_init (VhHealthReports * self, VhHealthReportFunc func,
    gpointer user_data)
{
  self->func = func;
  self->user_data = user_data;
  g_mutex_init (&self->lock);
  g_cond_init (&self->idle);
  g_queue_init (&self->queue);
}

static void
free_report (gpointer data)
{
  VhHealthReport *report = data;

  g_free (report->description);
  g_free (report);
}

void
vh_health_reports_clear (VhHealthReports * self)
{
  g_queue_clear_full (&self->queue, free_report);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->idle);
}

void
vh_health_reports_collect (VhHealthReports * self, GstVideoHealth * health,
    const VhFrameTimes * times)
{
  GstVideoHealthChange change;

  g_mutex_lock (&self->lock);
  while (gst_video_health_next_change (health, &change)) {
    VhHealthReport *report = g_new (VhHealthReport, 1);

    report->change = change;
    report->times = *times;
    report->detail = gst_video_health_get_detail (health, change.condition);
    report->description = gst_video_health_describe (health, change.condition);
    g_queue_push_tail (&self->queue, report);
  }
  g_mutex_unlock (&self->lock);
}

void
vh_health_reports_hand_over (VhHealthReports * self)
{
  VhHealthReport *report;

  g_mutex_lock (&self->lock);
  if (self->runner || g_queue_is_empty (&self->queue)) {
    g_mutex_unlock (&self->lock);
    return;
  }
  self->runner = g_thread_self ();
  while ((report = g_queue_pop_head (&self->queue))) {
    g_mutex_unlock (&self->lock);
    self->func (self->user_data, report);
    free_report (report);
    g_mutex_lock (&self->lock);
  }
  self->runner = NULL;
  g_cond_broadcast (&self->idle);
  g_mutex_unlock (&self->lock);
}

void
vh_health_reports_await (VhHealthReports * self, gint64 end)
{
  g_mutex_lock (&self->lock);
  while (self->runner && self->runner != g_thread_self ()
      && g_cond_wait_until (&self->idle, &self->lock, end));
  g_mutex_unlock (&self->lock);
}

GstStructure *
vh_health_report_to_structure (const VhHealthReport * report)
{
  const GstVideoHealthChange *change = &report->change;

  return gst_structure_new ("videohealth",
      "condition", G_TYPE_STRING,
      gst_video_health_condition_get_name (change->condition),
      "active", G_TYPE_BOOLEAN, change->active,
      "value", G_TYPE_DOUBLE, change->value,
      "threshold", G_TYPE_DOUBLE, change->threshold,
      "unit", G_TYPE_STRING,
      gst_video_health_condition_get_unit (change->condition),
      "since", G_TYPE_UINT64, change->since,
      "timestamp", G_TYPE_UINT64, report->times.timestamp,
      "stream-time", G_TYPE_UINT64, report->times.stream_time,
      "running-time", G_TYPE_UINT64, change->time,
      "duration", G_TYPE_UINT64, report->times.duration,
      "topic", G_TYPE_STRING, change->topic,
      "topic-active", G_TYPE_BOOLEAN, change->topic_active,
      "words", G_TYPE_STRING,
      gst_video_health_condition_get_words (change->condition),
      "description", G_TYPE_STRING, report->description,
      "detail", G_TYPE_STRING, report->detail ? report->detail : "",
      "advice", G_TYPE_STRING,
      gst_video_health_condition_get_advice (change->condition), NULL);
}
