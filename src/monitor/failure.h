/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Says in words why an attempt to show a camera failed, and what to do. */
#pragma once

#include "settings.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define VHM_NO_FRAME "the file ends before the first video frame: it may be " \
    "damaged or incomplete"

/* Start of the reason where nothing connects; its cause follows the address if
 * it is known. */
#define VHM_NO_CONNECTION "cannot connect to"

/* Start and end of the reasons where something connects, but sends nothing. */
#define VHM_NO_PACKETS "no packets from"
#define VHM_NO_ANSWER " does not answer"

/* Part of the reason where a camera does not accept the credentials. */
#define VHM_REJECTED "rejected the user name or password"

/* What is known when the error comes. */
typedef struct
{
  const gchar *uri;
  const VhmCameraSettings *camera;
  gboolean has_frames;
  gboolean has_keys;            /* reasons name keys of the key file */
  GstBus *bus;                  /* brings the name of a missing decoder */
  gchar **missing;              /* see vhm_failure_note_missing() */
} VhmFailure;

/* Notes what a message about a missing plugin says in @missing, to be freed,
 * unless it is about sound or something was noted before. @has_keys: as
 * above. */
void vhm_failure_note_missing (gchar ** missing, gboolean has_keys,
    const GstStructure * message);

/* Connects to @uri again to find out what GStreamer does not tell. Returns an
 * error, or NULL if it connects. Waits for up to 3 s. */
GError *vhm_failure_connect_again (const gchar * uri);

/* The reason for an error, to be freed. May wait for 3 s. */
gchar *vhm_failure_explain (const VhmFailure * failure, GstMessage * message);

G_END_DECLS
