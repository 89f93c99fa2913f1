/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the user wants: from the key file and the command line, checked as a
 * whole before anything of it is used. */
#pragma once

#include "problems.h"

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

typedef enum
{
  VHM_TRANSPORT_AUTO,           /* UDP, and TCP where nothing comes by it */
  VHM_TRANSPORT_TCP,
  VHM_TRANSPORT_UDP,
} VhmTransport;

/* A camera. Never changed once it is made. */
typedef struct
{
  gchar *name;
  gchar *uri;                   /* without user and password; or test:… */
  gchar *user, *password;       /* NULL where there are none */
  VhmTransport transport;
  gdouble latency;              /* s, of RTSP */
  gdouble timeout;              /* s without a frame until it is tried again */
  gdouble interval;             /* s between two published measurements */
  gchar *rules, *ignore;        /* as the properties of videohealth */
  GstVideoHealthConditions conditions;
} VhmCameraSettings;

VhmCameraSettings *vhm_camera_settings_ref (VhmCameraSettings * camera);
void vhm_camera_settings_unref (VhmCameraSettings * camera);
gboolean vhm_camera_settings_equal (const VhmCameraSettings * a,
    const VhmCameraSettings * b);

typedef struct
{
  gchar *host;                  /* an address, or a name of this machine */
  guint16 port;                 /* 0 for any that is free */
  gchar *certificate, *key;     /* files in PEM; both or none */
  gchar *secret;                /* NULL: no login */
  gchar **hosts;                /* more names that browsers may call it by */
} VhmHttpSettings;

typedef struct
{
  gchar *directory;
  guint pictures;               /* MB of pictures of events, at most */
  guint days;                   /* that minutes are kept */
} VhmStoreSettings;

typedef struct
{
  VhmHttpSettings http;
  VhmStoreSettings store;
  GPtrArray *cameras;           /* of VhmCameraSettings, in their order */
} VhmSettings;

/* What the command line says. */
typedef struct
{
  gchar *config;                /* the key file, or NULL */
  gchar *listen;                /* in place of the key file's, or NULL */
  gchar *directory;             /* likewise */
  gchar **sources;              /* [NAME=]SOURCE each, or NULL */
} VhmArguments;

/* Everything that is wrong goes to @problems. Returns NULL if anything is. */
VhmSettings *vhm_settings_read (const VhmArguments * arguments,
    VhmProblems * problems);
void vhm_settings_free (VhmSettings * settings);

G_END_DECLS
