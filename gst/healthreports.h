/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes of conditions on their way to the application, in order. Thread-safe,
 * except for clear(). */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* The times of a frame, for messages. */
typedef struct
{
  GstClockTime timestamp, stream_time, duration;
} VhFrameTimes;

/* A change, and the frame that caused it. */
typedef struct
{
  GstVideoHealthChange change;
  VhFrameTimes times;
  const gchar *detail;          /* where or how it shows, or NULL */
  gchar *description;           /* of the value and the next limit */
} VhHealthReport;

typedef void (*VhHealthReportFunc) (gpointer user_data,
    const VhHealthReport * report);

typedef struct
{
  VhHealthReportFunc func;
  gpointer user_data;

  GMutex lock;                  /* not held while the function runs */
  GCond idle;                   /* no thread hands over any more */
  GQueue queue;                 /* of VhHealthReport, oldest first */
  GThread *runner;              /* hands reports over, or NULL */
} VhHealthReports;

void vh_health_reports_init (VhHealthReports * self, VhHealthReportFunc func,
    gpointer user_data);
void vh_health_reports_clear (VhHealthReports * self);

/* Queues the changes that a frame of @times caused in @health. */
void vh_health_reports_collect (VhHealthReports * self,
    GstVideoHealth * health, const VhFrameTimes * times);

/* Calls the function for each report. If another thread is already doing that,
 * it hands over these as well. Called without locks. */
void vh_health_reports_hand_over (VhHealthReports * self);

/* Waits until everything has been handed over, or until @end, in monotonic us,
 * unless the caller is the thread that does it. */
void vh_health_reports_await (VhHealthReports * self, gint64 end);

/* The message of a report. */
GstStructure *vh_health_report_to_structure (const VhHealthReport * report);

G_END_DECLS
