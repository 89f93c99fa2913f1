/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of the elements in this plugin. An element derives from it and
 * implements how to open its device and what to do with caps and with frames.
 * The base class does the rest: the same caps on both pads, in system memory
 * and in GPU memory, contexts, the device property, QoS, and frames that must
 * be neither copied nor lost. It never delays, drops or changes video. A class
 * that changes the size of frames overrides `transform_caps` of
 * GstBaseTransform and chains up. */
#pragma once

#include <gst/gst.h>
#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define VH_TYPE_BASE_TRANSFORM (vh_base_transform_get_type ())
G_DECLARE_DERIVABLE_TYPE (VhBaseTransform, vh_base_transform, VH,
    BASE_TRANSFORM, GstBaseTransform)

/* The minimum time between two warnings of the same kind on the bus. */
#define VH_WARNING_INTERVAL (60 * GST_SECOND)

/* How many kinds of warnings an element may have. */
#define VH_MAX_WARNINGS 4

/**
 * VhBaseTransformClass:
 * @open: gets ready for caps, on CUDA device @cuda_device_id, -1 for any.
 *     Called from NULL to READY, and from READY to PAUSED if a property that it
 *     depends on has changed. Posts an error before it returns %FALSE
 * @close: releases what @open acquired
 * @take_context: handles a context set on the element, in any state
 * @answer_context: answers a CONTEXT query; returns whether it did
 * @configure: prepares for frames of @caps; %FALSE refuses the caps. Streaming
 *     thread
 * @restart: called after a start or a flush: the next frames do not continue
 *     the earlier ones. Streaming thread
 * @downstream_changed: called with the next frame after downstream was replaced
 *     or may want other metas or memory. Streaming thread
 * @process: takes a frame and returns the frame to push, which is the same or
 *     another one, or %NULL to push none. Not called in passthrough. Without
 *     it, the base class calls `transform_ip`. Streaming thread
 *
 * All are optional.
 */
struct _VhBaseTransformClass
{
  GstBaseTransformClass parent_class;

  gboolean (*open) (VhBaseTransform * base, gint cuda_device_id);
  void (*close) (VhBaseTransform * base);
  void (*take_context) (VhBaseTransform * base,
      GstContext * context);
  gboolean (*answer_context) (VhBaseTransform * base,
      GstQuery * query);
  gboolean (*configure) (VhBaseTransform * base, GstCaps * caps);
  void (*restart) (VhBaseTransform * base);
  void (*downstream_changed) (VhBaseTransform * base);
  GstBuffer *(*process) (VhBaseTransform * base, GstBuffer * buffer);
};

/* The caps of the input, and of the output, which are the same unless the class
 * transforms caps. NULL before there are any. Streaming thread. */
GstCaps *vh_base_transform_get_caps (VhBaseTransform * base);
GstCaps *vh_base_transform_get_src_caps (VhBaseTransform *
    base);

/* Notes that a property that open() depends on was set. Called with the object
 * lock. */
void vh_base_transform_set_device_changed (VhBaseTransform *
    base);

/* Requests a call of downstream_changed() with the next frame. Any thread. */
void vh_base_transform_check_downstream (VhBaseTransform *
    base);

/* The running time of a frame in ns, or GST_CLOCK_TIME_NONE if it has no
 * timestamp or its timestamp is outside the segment. Streaming thread. */
GstClockTime vh_base_transform_get_running_time (
    VhBaseTransform * base, GstBuffer * buffer);

/* The time of a frame, for intervals and lateness: its running time or, if it
 * has none, the monotonic clock, in ns. Streaming thread. */
GstClockTime vh_base_transform_get_time (VhBaseTransform *
    base, GstBuffer * buffer);

/* The stream time of a frame in ns, or GST_CLOCK_TIME_NONE. Streaming
 * thread. */
GstClockTime vh_base_transform_get_stream_time (
    VhBaseTransform * base, GstBuffer * buffer);

/* Whether a frame of @time would be late downstream, according to the last QoS
 * event. */
gboolean vh_base_transform_is_late (VhBaseTransform * base,
    GstClockTime time);

/* Whether the frames come from a live source. Upstream is asked once, and again
 * after a start, new caps or a new segment. Streaming thread. */
gboolean vh_base_transform_is_live (VhBaseTransform * base);

/* Posts @message, which it takes. The bins that the message passes live until
 * then: an application that stops a pipeline in a handler may drop it while a
 * thread of the element, which that did not wait for, is posting. Any
 * thread. */
void vh_base_transform_post (VhBaseTransform * base, GstMessage * message);

/* Posts a QoS message: the work for @buffer of @time was left out. */
void vh_base_transform_post_qos (VhBaseTransform * base,
    GstBuffer * buffer, GstClockTime time, guint64 processed, guint64 dropped);

/* Posts a warning with @domain and @code, unless one of the same @kind was
 * posted less than VH_WARNING_INTERVAL ago, even if the
 * element was restarted since. Elements number their kinds themselves, below
 * VH_MAX_WARNINGS. */
void vh_base_transform_warn (VhBaseTransform * base,
    guint kind, GQuark domain, gint code, const gchar * format, ...)
    G_GNUC_PRINTF (5, 6);

/* Warns that the GPU @cuda_device_id, which the user chose, cannot be used
 * because of @reason. */
void vh_base_transform_warn_device (VhBaseTransform * base,
    guint kind, gint cuda_device_id, const gchar * reason);

G_END_DECLS
