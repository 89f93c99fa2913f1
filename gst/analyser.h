/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of the elements that analyse frames with a
 * GstVideoHistogramEngine and pass them on untouched. An element derives from
 * it and implements how to analyse a frame. The base class does the rest: the
 * engine with its properties, contexts and memory; which frames to analyse, and
 * whether they wait for the device; the counters and the reports of frames that
 * could not be analysed; and warnings when the device starts to fail. */
#pragma once

#include "basetransform.h"

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

#define VH_TYPE_ANALYSER (vh_analyser_get_type ())
#define VH_ANALYSER(object) \
    G_TYPE_CHECK_INSTANCE_CAST (object, VH_TYPE_ANALYSER, VhAnalyser)
#define VH_ANALYSER_CLASS(klass) \
    G_TYPE_CHECK_CLASS_CAST (klass, VH_TYPE_ANALYSER, VhAnalyserClass)

typedef struct
{
  VhBaseTransform parent;

  GstVideoHistogramEngine *engine;

  /* protected by the object lock */
  GstVideoHistogramBackend backend;
  GstVideoHistogramOverloadPolicy overload;
  GstClockTime interval;        /* ns, 0: every frame; a property of elements
                                 * that have it */
  guint64 processed;            /* frames analysed */
  guint64 dropped;              /* analyses left out on overload */
  guint64 skipped;              /* frames that could not be analysed */
  gboolean settings_changed;    /* since configure() was last called */

  /* streaming thread */
  gboolean every_frame;         /* set by the element: analyses frames that are
                                 * not due, too */
  gboolean configured;
  gboolean waits;               /* the engine, for room on the device */
  gboolean degraded;            /* as last reported by the engine */
  gboolean frame_warned;        /* about a bad frame, since the last caps */
  GstClockTime last_due;        /* when a frame was last due, ns; NONE at
                                 * first */
  GstClockTime last_analysed;   /* when analyse() was last called */
} VhAnalyser;

/* What to do with a frame. */
typedef struct
{
  GstClockTime time;            /* for intervals and lateness, ns */
  gboolean due;                 /* the interval has passed */
  gboolean wait;                /* it waits if the device has no room for it */
} VhFramePlan;

/**
 * VhAnalyserClass:
 * @category: for debug output, by default the one of the base class
 * @analysed: what happens to frames, for messages: "analysed", "judged"
 * @configure: configures the engine for caps and settings; without it, counts
 *     luma. Caps are refused if the error is
 *     %GST_VIDEO_HISTOGRAM_ERROR_FORMAT; after other errors, frames pass
 *     without being analysed
 * @accept: returns whether a frame that has come may be analysed, and sets its
 *     @time; without it, all frames may be, at vh_base_transform_get_time().
 *     Not for elements that set every_frame
 * @analyse: analyses a frame, and counts it as processed or skipped once it is
 *     finished. If it sets an error, the base class counts the frame
 * @pass: called instead of analyse() for frames that are refused, not due (see
 *     @plan) or late, and if configure() failed
 * @report: called last for each frame, once the state of the device has been
 *     reported: with TRUE if analyse() was called, even if it failed. Without
 *     @pass, not for frames that are not due
 *
 * All but @analyse are optional. All are called by the streaming thread.
 */
typedef struct
{
  VhBaseTransformClass parent_class;

  GstDebugCategory *category;
  const gchar *analysed;
  gboolean (*configure) (VhAnalyser * analyser, GstCaps * caps,
      GError ** error);
  gboolean (*accept) (VhAnalyser * analyser, GstBuffer * buffer,
      GstClockTime * time);
  void (*analyse) (VhAnalyser * analyser, GstBuffer * buffer,
      const VhFramePlan * plan, GError ** error);
  void (*pass) (VhAnalyser * analyser, GstBuffer * buffer,
      const VhFramePlan * plan);
  void (*report) (VhAnalyser * analyser, gboolean analysed);
} VhAnalyserClass;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VhAnalyser, g_object_unref)

GType vh_analyser_get_type (void);

/* Counts a frame in @counter, one of the fields. Any thread. */
void vh_analyser_count (VhAnalyser * analyser, guint64 * counter);

/* The next frame is due. Streaming thread. */
void vh_analyser_reset_schedule (VhAnalyser * analyser);

/* For rows of property tables: the setting has changed, so that configure() is
 * called before the next frame is analysed. With the object lock. */
void vh_analyser_note_settings (gpointer analyser);

G_END_DECLS
