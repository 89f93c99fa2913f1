/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "snapshots.h"

#include "answer.h"
#include "connections.h"

/* Requests that wait for a picture. */
#define MAX_WAITING 64

/* Cameras of which full pictures, or scopes, are made at once: one of a frame
 * in 4K takes as long as the ordinary pictures of 30 cameras. */
#define MAX_FULL_CAMERAS 4

/* µs: how old a picture may be when it is requested, and how long a request
 * waits for the next one. */
#define MAX_AGE G_TIME_SPAN_SECOND
#define MAX_WAITING_TIME (5 * G_TIME_SPAN_SECOND)

typedef struct
{
  SoupServerMessage *message;
  gchar *camera;
  VhmPictureSize size;
  gint64 since;                 /* monotonic µs */
  gboolean asked;               /* the camera makes the picture for it */
} Waiting;

struct _VhmSnapshots
{
  VhmFleet *fleet;
  GQueue waiting;               /* of Waiting, in their order */
};

static void
waiting_free (gpointer data)
{
  Waiting *waiting = data;

  g_object_unref (waiting->message);
  g_free (waiting->camera);
  g_free (waiting);
}

/* Whether each pixel of a frame counts for it. */
static gboolean
is_large (const Waiting * waiting)
{
  return waiting->size >= VHM_PICTURE_FULL;
}

/* Whether the camera may make this picture now. */
static gboolean
may_ask (const VhmSnapshots * snapshots, const Waiting * waiting)
{
  guint made = 0;
  GList *l;

  if (!is_large (waiting) || waiting->asked)
    return TRUE;
  for (l = snapshots->waiting.head; l; l = l->next) {
    const Waiting *other = l->data;

    if (other->asked && is_large (other)) {
      if (g_str_equal (other->camera, waiting->camera))
        return FALSE;
      made++;
    }
  }
  return made < MAX_FULL_CAMERAS;
}

/* Whether the request is answered. Its client may have disconnected. */
static gboolean
is_answered (VhmSnapshots * snapshots, Waiting * waiting, gint64 now)
{
  VhmCamera *camera = vhm_fleet_find (snapshots->fleet, waiting->camera);
  const VhmPicture *picture = camera ? &camera->pictures[waiting->size] : NULL;

  if (!vhm_connections_is_there (waiting->message))
    return TRUE;
  if (camera && !(picture->jpeg && picture->arrival >= waiting->since - MAX_AGE)
      && camera->state == VHM_CAMERA_UP
      && now - waiting->since < MAX_WAITING_TIME) {
    if (may_ask (snapshots, waiting)) {
      waiting->asked = TRUE;
      vhm_camera_want_picture (camera, waiting->size);
    }
    return FALSE;
  }
  /* There is no other picture like a scope. */
  if (camera && !picture->jpeg && waiting->size <= VHM_PICTURE_FULL)
    picture = &camera->pictures[VHM_PICTURE_480];
  vhm_answer_picture (waiting->message, picture ? picture->jpeg : NULL,
      picture ? picture->time : 0, VHM_NO_PICTURE);
  return TRUE;
}

static void
on_tick (gpointer data)
{
  VhmSnapshots *snapshots = data;
  const gint64 now = g_get_monotonic_time ();
  GList *l, *next;

  for (l = snapshots->waiting.head; l; l = next) {
    Waiting *waiting = l->data;

    next = l->next;
    if (is_answered (snapshots, waiting, now)) {
      g_queue_delete_link (&snapshots->waiting, l);
      soup_server_message_unpause (waiting->message);
      waiting_free (waiting);
    }
  }
}

static const VhmListener listener = {.tick = on_tick };

VhmSnapshots *
vhm_snapshots_new (VhmFleet * fleet)
{
  VhmSnapshots *snapshots = g_new0 (VhmSnapshots, 1);

  snapshots->fleet = fleet;
  g_queue_init (&snapshots->waiting);
  vhm_fleet_add_listener (fleet, &listener, snapshots);
  return snapshots;
}

void
vhm_snapshots_free (VhmSnapshots * snapshots)
{
  g_queue_clear_full (&snapshots->waiting, waiting_free);
  g_free (snapshots);
}

void
vhm_snapshots_answer (VhmSnapshots * snapshots, SoupServerMessage * message,
    VhmCamera * camera, VhmPictureSize size)
{
  const gint64 now = g_get_monotonic_time ();
  Waiting *waiting;

  if (snapshots->waiting.length >= MAX_WAITING) {
    vhm_answer_refuse (message, SOUP_STATUS_SERVICE_UNAVAILABLE, "Too many "
        "pictures are being made: retry later, or use GET /pictures.");
    return;
  }
  waiting = g_new0 (Waiting, 1);
  waiting->message = g_object_ref (message);
  waiting->camera = g_strdup (camera->settings->name);
  waiting->size = size;
  waiting->since = now;
  if (is_answered (snapshots, waiting, now))
    waiting_free (waiting);
  else {
    soup_server_message_pause (message);
    g_queue_push_tail (&snapshots->waiting, waiting);
  }
}
