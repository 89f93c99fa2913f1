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
  gdouble interval;             /* s between two frames that are measured and
                                 * judged; 0: every frame */
  gchar *rules, *ignore;        /* as the properties of videohealth */
  GstVideoHealthConditions conditions;  /* that can be judged */
  GstVideoHealthConditions named;       /* those of them that were named */
  guint line;                   /* of the group, or 0; so in other structs */
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
  gchar *url;                   /* where people find the page, or NULL */
  guint line;
} VhmHttpSettings;

typedef struct
{
  gchar *directory;
  guint pictures;               /* MB of pictures of events, at most */
  guint days;                   /* that minutes are kept */
  guint line;
} VhmStoreSettings;

/* The broker that everything is told to. Never changed once it is made, as are
 * those of webhooks. */
typedef struct
{
  gchar *host;
  guint16 port;
  gboolean tls;
  gchar *ca;                    /* file in PEM; NULL: those of the system */
  gchar *certificate, *key;     /* of this client; both or none */
  gchar *user, *password;       /* NULL where there are none */
  gchar *prefix;                /* of all topics */
  gchar *discovery;             /* prefix of Home Assistant's topics, or NULL */
  gdouble keepalive;            /* s */
  guint line;
} VhmMqttSettings;

VhmMqttSettings *vhm_mqtt_settings_ref (VhmMqttSettings * mqtt);
void vhm_mqtt_settings_unref (VhmMqttSettings * mqtt);
gboolean vhm_mqtt_settings_equal (const VhmMqttSettings * a,
    const VhmMqttSettings * b);

/* Who gets events by HTTP. */
typedef struct
{
  gchar *name;
  gchar *url;
  gchar *ca;                    /* file in PEM; NULL: those of the system */
  GBytes *secret;               /* what requests are signed with */
  gdouble timeout;              /* s of one attempt */
  gdouble expire;               /* s until an event is given up */
  guint line;
} VhmWebhookSettings;

VhmWebhookSettings *vhm_webhook_settings_ref (VhmWebhookSettings * webhook);
void vhm_webhook_settings_unref (VhmWebhookSettings * webhook);
gboolean vhm_webhook_settings_equal (const VhmWebhookSettings * a,
    const VhmWebhookSettings * b);

typedef struct
{
  VhmHttpSettings http;
  VhmStoreSettings store;
  VhmMqttSettings *mqtt;        /* NULL where there is no broker */
  GPtrArray *webhooks;          /* of VhmWebhookSettings, in their order */
  GPtrArray *cameras;           /* of VhmCameraSettings, in their order */
  GPtrArray *lines;             /* of the key file, or NULL */
} VhmSettings;

/* What the command line says. */
typedef struct
{
  gchar *config;                /* the key file, or NULL */
  gchar *listen;                /* in place of the key file's, or NULL */
  gchar *directory;             /* likewise */
  gchar **sources;              /* [NAME=]SOURCE each, or NULL */
} VhmArguments;

/* Everything that is wrong goes to @problems. If anything is, what is returned
 * is only good for vhm_check_needs() and vhm_check_folder(). */
VhmSettings *vhm_settings_read (const VhmArguments * arguments,
    VhmProblems * problems);
void vhm_settings_free (VhmSettings * settings);

G_END_DECLS
