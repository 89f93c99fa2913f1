/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings from the key file and the command line, validated as a whole before
 * any of them is used. */
#pragma once

#include "problems.h"

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

typedef enum
{
  VHM_TRANSPORT_AUTO,           /* UDP, then TCP if nothing arrives */
  VHM_TRANSPORT_TCP,
  VHM_TRANSPORT_UDP,
} VhmTransport;

/* A camera. Immutable. */
typedef struct
{
  gchar *name;
  gchar *uri;                   /* without user and password; or test:NAME */
  gchar *user, *password;       /* or NULL */
  VhmTransport transport;
  gdouble latency;              /* s, buffer for RTSP */
  gdouble timeout;              /* s without a frame until reconnecting */
  gdouble interval;             /* s between frames that are measured and
                                 * judged; 0: every frame */
  gchar *rules, *ignore;        /* as in the properties of videohealth */
  GstVideoHealthConditions conditions;  /* those that are judged */
  GstVideoHealthConditions named;       /* those that the user named */
  guint line;                   /* of the header of the group, or 0, here and in
                                 * the structs below */
} VhmCameraSettings;

VhmCameraSettings *vhm_camera_settings_ref (VhmCameraSettings * camera);
void vhm_camera_settings_unref (VhmCameraSettings * camera);
gboolean vhm_camera_settings_equal (const VhmCameraSettings * a,
    const VhmCameraSettings * b);

typedef struct
{
  gchar *host;                  /* address or host name to listen on */
  guint16 port;                 /* 0: any free port */
  gchar *certificate, *key;     /* PEM files; both or neither */
  gchar *secret;                /* for the login, or NULL for none */
  gchar **hosts;                /* further host names that browsers may use */
  gchar *url;                   /* public address of the page, or NULL */
  guint line;
} VhmHttpSettings;

typedef struct
{
  gchar *directory;
  guint pictures;               /* the maximum size of event pictures, in MB */
  guint days;                   /* how long minutes are kept */
  guint line;
} VhmStoreSettings;

/* The MQTT broker. Immutable, like VhmWebhookSettings. */
typedef struct
{
  gchar *host;
  guint16 port;
  gboolean tls;
  gchar *ca;                    /* PEM file; NULL: the system's */
  gchar *certificate, *key;     /* PEM files of this client; both or neither */
  gchar *user, *password;       /* or NULL */
  gchar *prefix;                /* of all topics */
  gchar *discovery;             /* Home Assistant's topic prefix, or NULL */
  gdouble keepalive;            /* s */
  guint line;
} VhmMqttSettings;

VhmMqttSettings *vhm_mqtt_settings_ref (VhmMqttSettings * mqtt);
void vhm_mqtt_settings_unref (VhmMqttSettings * mqtt);
gboolean vhm_mqtt_settings_equal (const VhmMqttSettings * a,
    const VhmMqttSettings * b);

/* A receiver of events over HTTP. */
typedef struct
{
  gchar *name;
  gchar *url;
  gchar *ca;                    /* PEM file; NULL: the system's */
  GBytes *secret;               /* key for signing requests */
  gdouble timeout;              /* s, of one attempt */
  gdouble expire;               /* s until an event is discarded */
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
  VhmMqttSettings *mqtt;        /* or NULL */
  GPtrArray *webhooks;          /* of VhmWebhookSettings, in file order */
  GPtrArray *cameras;           /* of VhmCameraSettings, in file order */
  GPtrArray *lines;             /* of VhmKeyLine, or NULL */
} VhmSettings;

/* The command line. */
typedef struct
{
  gchar *config;                /* the key file, or NULL */
  gchar *listen;                /* overrides the key file, or NULL */
  gchar *directory;             /* likewise */
  gchar **sources;              /* [NAME=]SOURCE each, or NULL */
} VhmArguments;

/* Adds everything that is wrong to @problems. After an error the result is only
 * valid for vhm_config_check_needs() and vhm_config_check_folder(). */
VhmSettings *vhm_settings_read (const VhmArguments * arguments,
    VhmProblems * problems);
void vhm_settings_free (VhmSettings * settings);

G_END_DECLS
