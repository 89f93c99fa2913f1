/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "source.h"

#include "address.h"
#include "testpicture.h"

/* From the camera's to rtspsrc's. */
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

/* Called once the URI has got its element: rtspsrc, souphttpsrc, … */
static void
on_source_setup (GstElement * bin, GstElement * source,
    const VhmCameraSettings * camera)
{
  (void) bin;
  if (has_property (source, "protocols"))
    gst_util_set_object_arg (G_OBJECT (source), "protocols",
        protocols[camera->transport]);
  if (has_property (source, "latency"))
    g_object_set (source, "latency", (guint) (camera->latency * 1000), NULL);
  /* A camera that was switched off sends nothing any more, over TCP either. */
  if (has_property (source, "tcp-timeout"))
    g_object_set (source, "tcp-timeout",
        (guint64) (camera->timeout * G_USEC_PER_SEC), NULL);
  if (has_property (source, "user-id") && camera->user)
    g_object_set (source, "user-id", camera->user, "user-pw",
        camera->password, NULL);
  if (has_property (source, "drop-on-latency"))
    g_object_set (source, "drop-on-latency", TRUE, NULL);
}

static void
unref_camera (gpointer data, GClosure * closure)
{
  (void) closure;
  vhm_camera_settings_unref (data);
}

GstElement *
vhm_source_new (const VhmCameraSettings * camera, GError ** error)
{
  const gchar *test = vhm_address_get_test_picture (camera->uri);
  GstElement *source;
  GstCaps *caps;

  if (test)
    return vhm_test_picture_new (test, error);
  source = gst_element_factory_make ("uridecodebin", "source");
  if (!source) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "there is no element uridecodebin: install gst-plugins-base");
    return NULL;
  }
  /* Sound is not decoded. */
  caps = gst_caps_from_string ("video/x-raw(ANY)");
  g_object_set (source, "uri", camera->uri, "caps", caps,
      "expose-all-streams", FALSE, NULL);
  gst_caps_unref (caps);
  g_signal_connect_data (source, "source-setup", G_CALLBACK (on_source_setup),
      vhm_camera_settings_ref ((VhmCameraSettings *) camera), unref_camera, 0);
  return source;
}
