/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decoderwatch.h"

/* Bound of the search for the decoder. */
#define MAX_ELEMENTS 64

/* A loss alone damages frames for at most this long: streams with intra refresh
 * have no key frames. */
#define MAX_DAMAGE (5 * GST_SECOND)

struct _VhDecoderWatch
{
  GstPad *sink, *src;           /* of the decoder */
  gulong sink_probe, src_probe;

  GMutex lock;
  /* protected by lock */
  gboolean started;             /* data came since the stream started, or
                                 * continued elsewhere */
  GstClockTime from;            /* PTS of the first data after a loss, or
                                 * NONE */
  GstClockTime last;            /* the same of the last loss */
  GstClockTime until;           /* PTS of the key frame that ends the damage, or
                                 * NONE */
};

static void
restart (VhDecoderWatch * watch)
{
  watch->started = FALSE;
  watch->from = watch->last = watch->until = GST_CLOCK_TIME_NONE;
}

/* The data after a start may also be marked as discontinuous, but nothing was
 * lost. */
static void
follow_data (VhDecoderWatch * watch, GstBuffer * buffer)
{
  const gboolean lost = watch->started
      && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  const gboolean key =
      !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  const GstClockTime time = GST_BUFFER_PTS (buffer);

  watch->started = TRUE;
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (lost) {
    if (!GST_CLOCK_TIME_IS_VALID (watch->from)
        || GST_CLOCK_TIME_IS_VALID (watch->until))
      watch->from = time;
    watch->last = time;
    watch->until = GST_CLOCK_TIME_NONE;
  } else if (key && GST_CLOCK_TIME_IS_VALID (watch->from)
      && !GST_CLOCK_TIME_IS_VALID (watch->until)) {
    watch->until = time;
  }
}

static gboolean
is_damaged (const VhDecoderWatch * watch, GstClockTime time)
{
  return GST_CLOCK_TIME_IS_VALID (time)
      && GST_CLOCK_TIME_IS_VALID (watch->from) && time >= watch->from
      && (!GST_CLOCK_TIME_IS_VALID (watch->until) || time < watch->until)
      && (time < watch->last || time - watch->last < MAX_DAMAGE);
}

static GstPadProbeReturn
on_data (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  VhDecoderWatch *watch = data;

  g_mutex_lock (&watch->lock);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    follow_data (watch, GST_PAD_PROBE_INFO_BUFFER (info));
  } else {
    switch (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))) {
      case GST_EVENT_STREAM_START:
      case GST_EVENT_SEGMENT:
      case GST_EVENT_FLUSH_STOP:
        restart (watch);
        break;
      default:
        break;
    }
  }
  g_mutex_unlock (&watch->lock);
  return GST_PAD_PROBE_OK;
}

/* Marks the frame as newer decoders do. */
static GstPadProbeReturn
on_frame (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  VhDecoderWatch *watch = data;
  gboolean damaged;

  g_mutex_lock (&watch->lock);
  damaged = is_damaged (watch, GST_BUFFER_PTS (buffer));
  g_mutex_unlock (&watch->lock);
  if (damaged) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }
  return GST_PAD_PROBE_OK;
}

static gboolean
is_video_decoder (GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory && gst_element_factory_list_is_type (factory,
      GST_ELEMENT_FACTORY_TYPE_DECODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
      | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE);
}

/* The pad of an element, not of a bin, that @sink gets its data from, or
 * NULL. */
static GstPad *
find_source (GstPad * sink)
{
  GstPad *pad = gst_pad_get_peer (sink), *next;

  while (pad && GST_IS_PROXY_PAD (pad)) {
    if (GST_IS_GHOST_PAD (pad)) {
      /* The source pad of a bin: go in. */
      next = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
    } else {
      /* The inner side of the sink pad of a bin: go out. */
      GstProxyPad *ghost = gst_proxy_pad_get_internal (GST_PROXY_PAD (pad));

      next = ghost ? gst_pad_get_peer (GST_PAD (ghost)) : NULL;
      gst_clear_object (&ghost);
    }
    gst_object_unref (pad);
    pad = next;
  }
  return pad;
}

/* The only input of @element, or NULL. */
static GstPad *
find_input (GstElement * element)
{
  GstPad *pad = NULL;

  GST_OBJECT_LOCK (element);
  if (element->numsinkpads == 1)
    pad = gst_object_ref (element->sinkpads->data);
  GST_OBJECT_UNLOCK (element);
  return pad;
}

/* Sets @src and @sink to pads of the decoder. */
static gboolean
find_decoder (GstPad * pad, GstPad ** src, GstPad ** sink)
{
  GstPad *from = NULL, *to = gst_object_ref (pad);
  gboolean found = FALSE;
  guint i;

  for (i = 0; i < MAX_ELEMENTS && to && !found; i++) {
    GstElement *element;

    gst_clear_object (&from);
    from = find_source (to);
    gst_clear_object (&to);
    element = from ? gst_pad_get_parent_element (from) : NULL;
    if (!element)
      break;
    to = find_input (element);
    found = to && is_video_decoder (element);
    gst_object_unref (element);
  }
  if (found) {
    *src = from;
    *sink = to;
    return TRUE;
  }
  gst_clear_object (&from);
  gst_clear_object (&to);
  return FALSE;
}

static void
unref_watch (gpointer data)
{
  VhDecoderWatch *watch = data;

  g_mutex_clear (&watch->lock);
}

static void
release_watch (gpointer watch)
{
  g_atomic_rc_box_release_full (watch, unref_watch);
}

static VhDecoderWatch *
new_watch (GstPad * src, GstPad * sink)
{
  VhDecoderWatch *watch = g_atomic_rc_box_new0 (VhDecoderWatch);

  g_mutex_init (&watch->lock);
  restart (watch);
  /* The data of the frame that is on its way was not seen. */
  watch->started = TRUE;
  watch->sink = sink;
  watch->src = src;
  watch->sink_probe = gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      on_data, g_atomic_rc_box_acquire (watch), release_watch);
  watch->src_probe = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER,
      on_frame, g_atomic_rc_box_acquire (watch), release_watch);
  return watch;
}

VhDecoderWatch *
vh_decoder_watch_follow (VhDecoderWatch * watch, GstPad * pad)
{
  GstPad *src = NULL, *sink = NULL;

  find_decoder (pad, &src, &sink);
  if (watch && watch->src == src) {
    gst_clear_object (&src);
    gst_clear_object (&sink);
    return watch;
  }
  if (watch)
    vh_decoder_watch_free (watch);
  return src ? new_watch (src, sink) : NULL;
}

gboolean
vh_decoder_watch_has_lost (VhDecoderWatch * watch)
{
  gboolean lost;

  if (!watch)
    return FALSE;
  g_mutex_lock (&watch->lock);
  lost = GST_CLOCK_TIME_IS_VALID (watch->from);
  g_mutex_unlock (&watch->lock);
  return lost;
}

void
vh_decoder_watch_free (VhDecoderWatch * watch)
{
  gst_pad_remove_probe (watch->sink, watch->sink_probe);
  gst_pad_remove_probe (watch->src, watch->src_probe);
  gst_clear_object (&watch->sink);
  gst_clear_object (&watch->src);
  release_watch (watch);
}
