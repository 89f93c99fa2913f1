/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notices, which concern all cameras: of the store, the key file, the GPU, the
 * machine and the program.
 * Main thread only. */
#pragma once

#include "storedhistory.h"
#include "user.h"

G_BEGIN_DECLS

typedef struct _VhmNotices VhmNotices;

/* Calls @tell with each notice, which is stored in @store, too. */
VhmNotices *vhm_notices_new (VhmStore * store,
    void (*tell) (gpointer data, const VhmNotice * notice), gpointer data);
void vhm_notices_free (VhmNotices * notices);

/* Sends one notice when nothing can be stored, one when storing works again,
 * and those about pauses that were collected. To be called several times a
 * second. */
void vhm_notices_tick (VhmNotices * notices);

/* The last @limit notices, the newest first: those that wait to be stored, and
 * @stored. To be freed without its elements. */
GPtrArray *vhm_notices_list (const VhmNotices * notices,
    const GPtrArray * stored, guint limit);

/* Logs @text and makes it a notice about the GPU. */
void vhm_notices_add_of_gpu (VhmNotices * notices, const gchar * text);

/* Sends a notice if the program was last known to run at @last, in µs since
 * 1970, which is long ago. Returns whether it is. */
gboolean vhm_notices_add_gap (VhmNotices * notices, gint64 last);

/* Logs that the program has stood still for @pause µs until now. From ten
 * seconds on, that is a notice, too: of pauses that follow each other within
 * minutes, the first one has a notice at once, and the others have one together
 * later. Returns whether the pause is that long. */
gboolean vhm_notices_add_pause (VhmNotices * notices, gint64 pause);

typedef struct
{
  gdouble own;                  /* of this program, as a share of all
                                 * @processors */
  gdouble processors;
  gboolean decodes_all;         /* some cameras are judged by all frames,
                                 * whatever the load */
} VhmLoad;

/* Notes whether this machine was too busy for the cameras since the last call,
 * which should be some seconds ago. A notice follows if it lasts, and another
 * one when it is over. */
void vhm_notices_note_load (VhmNotices * notices, gboolean busy,
    const VhmLoad * load);

/* Whether the machine is, or has just been, too busy for the cameras. @lasting:
 * so long that there is a notice. */
gboolean vhm_notices_is_busy (const VhmNotices * notices, gboolean lasting);

/* Sets how many errors kept the key file from being reloaded; 0 once it was.
 * Each change is a notice. */
void vhm_notices_set_errors (VhmNotices * notices, guint errors);

/* Whether the current configuration is the one in the key file. */
gboolean vhm_notices_is_configured (const VhmNotices * notices);

/* Current problems for users with this role who view the page; empty without
 * any. To be freed. */
gchar *vhm_notices_describe_trouble (const VhmNotices * notices, VhmRole role);

G_END_DECLS
