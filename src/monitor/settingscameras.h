/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* [cameras], which has the defaults of all cameras, and [camera NAME]. */
#pragma once

#include "keys.h"

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

typedef enum
{
  VHM_TRANSPORT_AUTO,           /* UDP, then TCP if nothing arrives */
  VHM_TRANSPORT_TCP,
  VHM_TRANSPORT_UDP,
} VhmTransport;

/* Conditions that need consecutive frames: docs/videohealth.md says how
 * many. */
#define VHM_OF_EVERY_FRAME (GST_VIDEO_HEALTH_CONDITIONS_FLASHING | \
    GST_VIDEO_HEALTH_CONDITIONS_BANDING)

typedef enum
{
  VHM_DECODE_ALL,
  VHM_DECODE_KEY_FRAMES,        /* drops what is not a key frame before the
                                 * decoder */
  VHM_DECODE_AUTO,              /* the one or the other, by load */
} VhmDecode;

/* [cameras] has no name and no URI. */
typedef struct
{
  VhmGroup group;
  gchar *name;
  gchar *group_name;            /* of cameras, such as a site, or NULL */
  gchar *uri;                   /* without user and password; or test:NAME */
  gchar *substream;             /* likewise, and judged in place of @uri; or
                                 * NULL */
  gchar *user, *password;       /* or NULL */
  gchar *credentials;           /* the file that they are from, or NULL */
  VhmTransport transport;
  VhmDecode decode;
  gdouble latency;              /* s, buffer for RTSP */
  gdouble timeout;              /* s without a frame until reconnecting */
  gdouble interval;             /* s between frames that are measured and
                                 * judged; 0: every frame */
  GstVideoHealthSensitivity sensitivity;        /* also in the rules */
  guint views;                  /* of the camera's tour */
  gchar *rules, *ignore;        /* as in the properties of videohealth */
  gchar *quiet;                 /* as schedule.h reads it, or NULL */
  GstVideoHealthConditions conditions;  /* those that are judged */
  GstVideoHealthConditions named;       /* those that the user named */
} VhmCameraSettings;

/* The address of the stream that is judged. */
const gchar *vhm_camera_settings_get_judged (const VhmCameraSettings *
    camera);

/* Reads the file of credentials again. Returns the settings with what it has
 * now, or NULL if that is the same, or cannot be used. */
VhmCameraSettings *vhm_camera_settings_read_credentials
    (const VhmCameraSettings * camera);

/* The value of the key decode. */
const gchar *vhm_decode_get_name (VhmDecode decode);

extern const VhmGroupClass vhm_cameras_group;
extern const VhmGroupClass vhm_camera_group;

G_END_DECLS
