/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "source.h"

#include "address.h"
#include "intake.h"
#include "place.h"
#include "testpicture.h"

#include <gst/rtsp/gstrtspmessage.h>
#include <string.h>

#define RTSP_PORT 554

/* Values of rtspsrc for each transport. */
static const gchar *const protocols[] = {
  [VHM_TRANSPORT_AUTO] = "udp+udp-mcast+tcp",
  [VHM_TRANSPORT_TCP] = "tcp",
  [VHM_TRANSPORT_UDP] = "udp+udp-mcast",
};

static gboolean
has_property (gpointer object, const gchar * name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (object), name)
      != NULL;
}

static gboolean
is_named_server (const VhmCameraSettings * camera, const gchar * uri)
{
  return vhm_address_is_same_server (uri, camera->uri, RTSP_PORT)
      || (camera->substream
      && vhm_address_is_same_server (uri, camera->substream, RTSP_PORT));
}

/* The password is for the addresses that the user named, not for one to which a
 * server redirects. rtspsrc follows redirections by itself. Its first request
 * to another server does not contain the password yet, so it is enough to clear
 * the password in rtspsrc then. */
static gboolean
on_before_send (GstElement * source, GstRTSPMessage * message,
    const VhmCameraSettings * camera)
{
  const gchar *uri = message->type == GST_RTSP_MESSAGE_REQUEST ?
      message->type_data.request.uri : NULL;

  if (uri && strstr (uri, "://") && !is_named_server (camera, uri)) {
    g_object_set (source, "user-id", NULL, "user-pw", NULL, NULL);
    GST_INFO_OBJECT (source, "redirected elsewhere: removing the password");
  }
  return TRUE;
}

static void
unref_camera (gpointer data, G_GNUC_UNUSED GClosure * closure)
{
  vhm_group_unref (data);
}

static void
set_credentials (GstElement * source, const VhmCameraSettings * camera)
{
  g_object_set (source, "user-id", camera->user, "user-pw", camera->password,
      NULL);
  if (has_property (source, "automatic-redirect"))
    g_object_set (source, "automatic-redirect", FALSE, NULL);
  if (g_signal_lookup ("before-send", G_OBJECT_TYPE (source)))
    g_signal_connect_data (source, "before-send", G_CALLBACK (on_before_send),
        vhm_group_ref (camera), unref_camera, 0);
}

/* Called once the element for the URI exists: rtspsrc, souphttpsrc, … */
static void
on_source_setup (G_GNUC_UNUSED GstElement * bin, GstElement * source,
    const VhmCameraSettings * camera)
{
  if (has_property (source, "protocols"))
    gst_util_set_object_arg (G_OBJECT (source), "protocols",
        protocols[camera->transport]);
  if (has_property (source, "latency"))
    g_object_set (source, "latency", (guint) (camera->latency * 1000), NULL);
  /* A camera that is switched off falls silent without closing the TCP
   * connection: limits how long to wait for it. */
  if (has_property (source, "tcp-timeout"))
    g_object_set (source, "tcp-timeout",
        (guint64) (camera->timeout * G_USEC_PER_SEC), NULL);
  if (has_property (source, "user-id") && camera->user)
    set_credentials (source, camera);
  if (has_property (source, "drop-on-latency"))
    g_object_set (source, "drop-on-latency", TRUE, NULL);
}

/* Cameras send JPEG over HTTP as parts of one stream. Its demuxer never signals
 * that no further stream follows, so decoding would wait until a buffer is
 * full. */
static void
on_element_added (G_GNUC_UNUSED GstBin * bin, G_GNUC_UNUSED GstBin * parent,
    GstElement * element, G_GNUC_UNUSED gpointer data)
{
  if (has_property (element, "single-stream"))
    g_object_set (element, "single-stream", TRUE, NULL);
}

GstElement *
vhm_source_new (const VhmCameraSettings * camera, const gchar * uri,
    gboolean software, GError ** error)
{
  const gchar *test = vhm_address_get_test_picture (uri);
  GstElement *source;
  GstCaps *caps;

  if (test)
    return vhm_test_picture_new (test, error);
  source = gst_element_factory_make ("uridecodebin", "source");
  if (!source) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer has no element uridecodebin: install gst-plugins-base");
    return NULL;
  }
  /* Sound is not decoded. */
  caps = gst_caps_from_string ("video/x-raw(ANY)");
  g_object_set (source, "uri", uri, "caps", caps,
      "expose-all-streams", FALSE, "force-sw-decoders", software, NULL);
  gst_caps_unref (caps);
  g_signal_connect (source, "deep-element-added",
      G_CALLBACK (on_element_added), NULL);
  g_signal_connect_data (source, "source-setup", G_CALLBACK (on_source_setup),
      vhm_group_ref (camera), unref_camera, 0);
  vhm_place_allow (G_OBJECT (source), uri);
  vhm_intake_watch (source);
  return source;
}

static void
on_pad_added (G_GNUC_UNUSED GstElement * source, GstPad * pad,
    GstElement * queue)
{
  GstPad *sink = gst_element_get_static_pad (queue, "sink");

  /* The first video pad; another one may have a lower quality. */
  if (!gst_pad_is_linked (sink))
    gst_pad_link (pad, sink);
  gst_object_unref (sink);
}

/* A decoder queries what downstream accepts before it is linked. */
static gboolean
on_query (G_GNUC_UNUSED GstElement * source, G_GNUC_UNUSED GstPad * pad,
    GstElement * element, GstQuery * query, GstElement * queue)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  GstCaps *filter, *caps;
  GstPad *sink;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS || !factory
      || !gst_element_factory_list_is_type (factory,
          GST_ELEMENT_FACTORY_TYPE_DECODER))
    return FALSE;
  gst_query_parse_caps (query, &filter);
  sink = gst_element_get_static_pad (queue, "sink");
  caps = gst_pad_query_caps (sink, filter);
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  gst_object_unref (sink);
  return TRUE;
}

void
vhm_source_link (GstElement * source, GstElement * queue)
{
  GstPad *pad = gst_element_get_static_pad (source, "src");

  if (pad) {
    gst_object_unref (pad);
    gst_element_link (source, queue);
    return;
  }
  g_signal_connect_object (source, "pad-added", G_CALLBACK (on_pad_added),
      queue, 0);
  g_signal_connect_object (source, "autoplug-query", G_CALLBACK (on_query),
      queue, 0);
}
