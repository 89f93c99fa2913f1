/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings from the key file and the command line, validated as a whole before
 * any of them is used. */
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

/* [camera NAME] and, without name and uri, [cameras]. */
typedef struct
{
  VhmGroup group;
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
} VhmCameraSettings;

typedef struct
{
  VhmGroup group;
  gchar *host;                  /* address or host name to listen on */
  guint port;                   /* 0: any free port */
  gchar *certificate, *key;     /* PEM files; both or neither */
  gchar *secret;                /* for the login, or NULL for none */
  gchar **hosts;                /* further host names that browsers may use */
  gchar *url;                   /* public address of the page, or NULL */
} VhmHttpSettings;

typedef struct
{
  VhmGroup group;
  gchar *directory;
  guint pictures;               /* the maximum size of event pictures, in MB */
  guint days;                   /* how long minutes are kept */
} VhmStoreSettings;

/* [mqtt]: the broker. */
typedef struct
{
  VhmGroup group;
  gchar *host;
  guint port;
  gboolean tls;
  gchar *ca;                    /* PEM file; NULL: the system's */
  gchar *certificate, *key;     /* PEM files of this client; both or neither */
  gchar *user, *password;       /* or NULL */
  gchar *prefix;                /* of all topics */
  gchar *discovery;             /* Home Assistant's topic prefix, or NULL */
  gdouble keepalive;            /* s */
} VhmMqttSettings;

/* [webhook NAME]: a receiver of events over HTTP. */
typedef struct
{
  VhmGroup group;
  gchar *name;
  gchar *url;
  gchar *ca;                    /* PEM file; NULL: the system's */
  GBytes *secret;               /* key for signing requests */
  gdouble timeout;              /* s, of one attempt */
  gdouble expire;               /* s until an event is discarded */
} VhmWebhookSettings;

extern const VhmGroupClass vhm_cameras_group, vhm_camera_group,
    vhm_http_group, vhm_store_group, vhm_mqtt_group, vhm_webhook_group;

typedef struct
{
  VhmCameraSettings *defaults;  /* [cameras] */
  VhmHttpSettings *http;
  VhmStoreSettings *store;
  GPtrArray *outputs;           /* of VhmGroup, in file order */
  GPtrArray *cameras;           /* of VhmCameraSettings, in file order */
  GPtrArray *lines;             /* of VhmKeyLine, or NULL */
} VhmSettings;

/* The name of the command line in problems, in place of a file's. */
#define VHM_COMMAND_LINE "command line"

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

/* Checks [http] together with @listen, the address of the command line, or
 * NULL. */
void vhm_http_settings_check (const VhmHttpSettings * http,
    const VhmReading * reading, const gchar * listen);

G_END_DECLS
