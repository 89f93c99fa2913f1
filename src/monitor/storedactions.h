/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What users did, and the snoozes that they set, in the store. */
#pragma once

#include "quiet.h"
#include "store.h"
#include "user.h"

G_BEGIN_DECLS

/* Names of actions. */
#define VHM_ACTION_LOGIN "login"
#define VHM_ACTION_ACKNOWLEDGE "acknowledge"
#define VHM_ACTION_UNACKNOWLEDGE "unacknowledge"
#define VHM_ACTION_UNLEARN "unlearn"
#define VHM_ACTION_SNOOZE "snooze"
#define VHM_ACTION_UNSNOOZE "unsnooze"

typedef struct
{
  guint64 number;               /* rises with each action; 0 until it is
                                 * stored */
  gint64 time;                  /* µs since 1970 */
  gchar *user, *role;
  gchar *name;
  gchar *camera;                /* "" if it is about none, or about all */
  gchar *condition;             /* its name, or "" */
  guint64 event;                /* number, or 0 */
  gint64 until;                 /* end of a snooze, µs since 1970, or 0 */
  gchar *note;                  /* why, in the words of the user, or "" */
} VhmAction;

/* An action of @user that happens now, without event, until and note. */
VhmAction *vhm_action_new (const VhmUser * user, const gchar * name,
    const gchar * camera, const gchar * condition);
/* @note may come from anybody, or be NULL: it is cut to 200 bytes, and loses
 * control characters. */
void vhm_action_set_note (VhmAction * action, const gchar * note);
void vhm_action_free (VhmAction * action);

/* Takes @action. */
void vhm_store_add_action (VhmStore * store, VhmAction * action);

/* The result is a GPtrArray of VhmAction with numbers below @before, the newest
 * first. @camera is NULL for all. */
void vhm_store_list_actions (VhmStore * store, const gchar * camera,
    guint64 before, guint limit, VhmAnswer answer, gpointer data);

/* Stores the snooze that @action, which it takes, sets or, without until, ends.
 * Its condition is "" for the whole camera. There is no result. */
void vhm_store_set_snooze (VhmStore * store, VhmAction * action,
    VhmAnswer answer, gpointer data);

/* Deletes a snooze that is over, unless another one with another end has
 * replaced it meanwhile. */
void vhm_store_end_snooze (VhmStore * store, const gchar * camera,
    const gchar * condition, gint64 until);

/* The result is a GPtrArray of names: the cameras that have snoozes. */
void vhm_store_list_snoozed (VhmStore * store, VhmAnswer answer,
    gpointer data);

/* Deletes all snoozes of a camera. */
void vhm_store_forget_snoozes (VhmStore * store, const gchar * camera);

/* In the thread of the store: */

typedef struct
{
  guint snooze;                 /* as in quiet.h */
  gint64 until;
  gchar *by, *note;
} VhmStoredSnooze;

void vhm_stored_snooze_free (VhmStoredSnooze * snooze);

/* Appends the snoozes of the camera to @snoozes. */
int vhm_store_read_snoozes (sqlite3 * db, const gchar * camera,
    GPtrArray * snoozes);

/* Records @action for the event with this number. */
int vhm_store_write_event_action (sqlite3 * db, const VhmAction * action,
    guint64 event);

/* The same of an acknowledgement. One without a user that is the last action
 * for the event gets the user of @action, and its note if there is one. */
int vhm_store_write_acknowledgement (sqlite3 * db, const VhmAction * action,
    guint64 event);

/* Deletes actions from before @minute, since 1970, by at most a day at a
 * time. */
int vhm_store_delete_actions (sqlite3 * db, gint64 minute);

G_END_DECLS
