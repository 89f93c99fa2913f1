/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "snapshots.h"

#include "answer.h"
#include "connections.h"
#include "shares.h"

/* Requests that wait for a picture. One client gets half of them. */
#define MAX_WAITING 64

/* Cameras of which full pictures, or scopes, are made at once: one of a frame
 * in 4K takes as long as the ordinary pictures of 30 cameras. One client gets
 * half of them, so that the next one does not wait for all of its pictures. */
#define MAX_FULL_CAMERAS 4

/* µs: how old a picture may be when it is requested. */
#define MAX_AGE G_TIME_SPAN_SECOND

typedef struct
{
  SoupServerMessage *message;
  gchar *peer;
  gchar *camera;
  VhmPictureSize size;
  gint64 since;                 /* monotonic µs */
  gboolean asked;               /* the camera makes the picture for it */
} Waiting;

struct _VhmSnapshots
{
  VhmFleet *fleet;
  GQueue waiting;               /* of Waiting, in their order */
  VhmShares places;             /* of waiting requests */
  VhmShares large;              /* of cameras that make a large picture */
};

/* Whether each pixel of a frame counts for it. */
static gboolean
is_large (const Waiting * waiting)
{
  return waiting->size >= VHM_PICTURE_FULL;
}

/* Whether the camera may make this picture now. */
static gboolean
may_ask (VhmSnapshots * snapshots, const Waiting * waiting)
{
  GList *l;

  if (!is_large (waiting) || waiting->asked)
    return TRUE;
  for (l = snapshots->waiting.head; l; l = l->next) {
    const Waiting *other = l->data;

    if (other->asked && is_large (other)
        && g_str_equal (other->camera, waiting->camera))
      return FALSE;
  }
  return vhm_shares_take (&snapshots->large, waiting->peer, 1);
}

/* The request is answered. */
static void
end_waiting (VhmSnapshots * snapshots, Waiting * waiting)
{
  vhm_shares_release (&snapshots->places, waiting->peer, 1);
  if (waiting->asked && is_large (waiting))
    vhm_shares_release (&snapshots->large, waiting->peer, 1);
  g_object_unref (waiting->message);
  g_free (waiting->peer);
  g_free (waiting->camera);
  g_free (waiting);
}

/* Whether the request is answered. Its client may have disconnected. */
static gboolean
is_answered (VhmSnapshots * snapshots, Waiting * waiting, gint64 now)
{
  VhmCamera *camera = vhm_fleet_find (snapshots->fleet, waiting->camera);
  const VhmPicture *picture = camera ?
      vhm_camera_get_snapshot (camera, waiting->size) : NULL;

  if (!vhm_connections_is_there (waiting->message))
    return TRUE;
  if (camera && !(picture->jpeg && picture->arrival >= waiting->since - MAX_AGE)
      && camera->state == VHM_CAMERA_UP
      && now - waiting->since < vhm_camera_get_snapshot_time (camera,
          waiting->size)) {
    if (may_ask (snapshots, waiting)) {
      waiting->asked = TRUE;
      vhm_camera_want_snapshot (camera, waiting->size);
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
      end_waiting (snapshots, waiting);
    }
  }
}

static const VhmListener listener = {.tick = on_tick };

VhmSnapshots *
vhm_snapshots_new (VhmFleet * fleet)
{
  VhmSnapshots *snapshots = g_new0 (VhmSnapshots, 1);

  snapshots->fleet = fleet;
  snapshots->places = (VhmShares) VHM_SHARES (MAX_WAITING);
  snapshots->large = (VhmShares) VHM_SHARES (MAX_FULL_CAMERAS);
  g_queue_init (&snapshots->waiting);
  vhm_fleet_add_listener (fleet, &listener, snapshots);
  return snapshots;
}

void
vhm_snapshots_free (VhmSnapshots * snapshots)
{
  Waiting *waiting;

  while ((waiting = g_queue_pop_head (&snapshots->waiting)))
    end_waiting (snapshots, waiting);
  g_free (snapshots);
}

void
vhm_snapshots_answer (VhmSnapshots * snapshots, SoupServerMessage * message,
    VhmCamera * camera, VhmPictureSize size)
{
  const gchar *peer = vhm_connections_get_peer (message);
  const gint64 now = g_get_monotonic_time ();
  Waiting *waiting;

  if (!vhm_shares_take (&snapshots->places, peer, 1)) {
    vhm_answer_refuse (message, SOUP_STATUS_SERVICE_UNAVAILABLE, "Too many "
        "pictures are being made: retry later, or use GET /pictures.");
    return;
  }
  waiting = g_new0 (Waiting, 1);
  waiting->message = g_object_ref (message);
  waiting->peer = g_strdup (peer);
  waiting->camera = g_strdup (camera->settings->name);
  waiting->size = size;
  waiting->since = now;
  if (is_answered (snapshots, waiting, now))
    end_waiting (snapshots, waiting);
  else {
    soup_server_message_pause (message);
    g_queue_push_tail (&snapshots->waiting, waiting);
  }
}
