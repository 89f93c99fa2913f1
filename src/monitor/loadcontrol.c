/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "loadcontrol.h"

#include "decodeslots.h"
#include "load.h"

/* µs: how often the load is measured, and a camera may change. */
#define MEASURING_INTERVAL (2 * G_TIME_SPAN_SECOND)

/* µs: how often to find out whether the machine keeps up. */
#define WATCHING_INTERVAL (5 * G_TIME_SPAN_SECOND)

/* The share of time that a thread may wait for a processor. Without one that
 * waits longer, it is not for want of processors that frames are late or
 * lost. */
#define MAX_WAIT_SHARE 0.5

/* Loads, as shares of the processors. */
#define MAX_LOAD 0.8
#define LOW_LOAD 0.5

/* µs: how long the load must be low until a camera gets all frames again. It is
 * doubled each time that an overload follows a return this soon. */
#define MIN_WAIT G_TIME_SPAN_MINUTE
#define MAX_WAIT G_TIME_SPAN_HOUR
#define SOON (2 * G_TIME_SPAN_MINUTE)

struct _VhmLoadControl
{
  VhmFleet *fleet;
  VhmLoadRule rule;
  guint64 reliefs;              /* so far */
  guint64 dropped;              /* frames, of all cameras */
  gdouble load;                 /* as last measured */
  gint64 measured;              /* monotonic µs */
  gint64 watched;               /* likewise: the machine */
  gboolean busy;                /* it did not keep up */
  gint64 behind;                /* when any camera was last behind by then, µs
                                 * since 1970 */
};

VhmLoadStep
vhm_load_rule_step (VhmLoadRule * rule, gdouble load, gboolean dropping,
    gboolean relieved, gint64 now)
{
  if (load > MAX_LOAD || dropping) {
    if (rule->returned && now - rule->returned < SOON)
      rule->wait = MIN (MAX (rule->wait, MIN_WAIT) * 2, MAX_WAIT);
    rule->returned = 0;
    rule->since = 0;
    return VHM_LOAD_RELIEVE;
  }
  if (load > LOW_LOAD || !relieved) {
    rule->since = 0;
    return VHM_LOAD_KEEP;
  }
  if (!rule->since)
    rule->since = now;
  if (now - rule->since < MAX (rule->wait, MIN_WAIT))
    return VHM_LOAD_KEEP;
  rule->since = rule->returned = now;
  return VHM_LOAD_RETURN;
}

/* Pixels that are decoded in a second. */
static gdouble
get_work (const VhmCamera * camera)
{
  const GstVideoHistogramInfo *info;

  if (!camera->histogram)
    return 0;
  info = gst_video_histogram_get_info (camera->histogram);
  return (gdouble) info->width * info->height * vhm_camera_get_rate (camera);
}

static gboolean
needs_every_frame (const VhmCamera * camera)
{
  return (camera->settings->conditions & VHM_OF_EVERY_FRAME) != 0;
}

/* Whether @a is relieved before @b. */
static gboolean
comes_before (const VhmCamera * a, const VhmCamera * b)
{
  if (needs_every_frame (a) != needs_every_frame (b))
    return needs_every_frame (b);
  return get_work (a) > get_work (b);
}

static void
relieve_one (VhmLoadControl * control, gdouble load)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (control->fleet);
  VhmCamera *first = NULL;
  guint i;

  for (i = 0; i < cameras->len; i++) {
    VhmCamera *camera = g_ptr_array_index (cameras, i);

    if (vhm_camera_can_be_relieved (camera)
        && (!first || comes_before (camera, first)))
      first = camera;
  }
  if (!first)
    return;
  vhm_camera_relieve (first, ++control->reliefs);
  g_message ("camera %s: judged by key frames because of the load: %.0f %% of "
      "%.3g processors%s", first->settings->name, 100 * load,
      vhm_load_get_processors (), control->busy ? ", and this machine is too "
      "busy" : "");
}

/* The camera that was relieved last, or NULL. */
static VhmCamera *
find_last (const VhmLoadControl * control)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (control->fleet);
  VhmCamera *last = NULL;
  guint i;

  for (i = 0; i < cameras->len; i++) {
    VhmCamera *camera = g_ptr_array_index (cameras, i);

    if (camera->relieved && (!last || camera->relieved > last->relieved))
      last = camera;
  }
  return last;
}

/* Whether frames were dropped since the last call. */
static gboolean
are_dropped (VhmLoadControl * control)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (control->fleet);
  const guint64 before = control->dropped;
  guint i;

  control->dropped = 0;
  for (i = 0; i < cameras->len; i++)
    control->dropped +=
        ((const VhmCamera *) g_ptr_array_index (cameras, i))->dropped;
  /* Those of a removed camera count no more. */
  return control->dropped > before;
}

/* When frames of any camera last came late or were lost, µs since 1970. */
static gint64
find_behind (const VhmLoadControl * control)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (control->fleet);
  gint64 last = 0, damaged;
  guint i;

  for (i = 0; i < cameras->len; i++)
    last = MAX (last, vhm_camera_get_behind (g_ptr_array_index (cameras, i),
            &damaged));
  return last;
}

/* Whether any camera is judged by all frames, whatever the load. */
static gboolean
decodes_all (const VhmLoadControl * control)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (control->fleet);
  guint i;

  for (i = 0; i < cameras->len; i++) {
    const VhmCamera *camera = g_ptr_array_index (cameras, i);

    if (camera->settings->decode == VHM_DECODE_ALL)
      return TRUE;
  }
  return FALSE;
}

/* The machine does not keep up if frames are late or lost, and threads wait for
 * processors. Either alone is harmless, or has another cause. */
static void
watch_machine (VhmLoadControl * control, gint64 now)
{
  const VhmLoad load = { control->load, vhm_load_get_processors (),
    decodes_all (control)
  };
  gint64 behind;
  gdouble wait;

  if (now - control->watched < WATCHING_INTERVAL)
    return;
  control->watched = now;
  behind = find_behind (control);
  /* What decodes waits for its turn, then for a processor. */
  wait = vhm_load_measure_wait () + vhm_decode_slots_measure_wait ();
  control->busy = wait > MAX_WAIT_SHARE && behind > control->behind;
  vhm_notices_note_load (vhm_fleet_get_notices (control->fleet),
      control->busy, &load);
  control->behind = behind;
}

static void
on_tick (gpointer data)
{
  VhmLoadControl *control = data;
  const gint64 now = g_get_monotonic_time ();
  VhmCamera *last;
  gdouble load;

  watch_machine (control, now);
  if (now - control->measured < MEASURING_INTERVAL)
    return;
  control->measured = now;
  load = control->load = vhm_load_measure ();
  last = find_last (control);
  switch (vhm_load_rule_step (&control->rule, load, are_dropped (control)
          || control->busy, last != NULL, now)) {
    case VHM_LOAD_RELIEVE:
      relieve_one (control, load);
      break;
    case VHM_LOAD_RETURN:
      vhm_camera_relieve (last, 0);
      g_message ("camera %s: all frames are judged again: the load is %.0f %%",
          last->settings->name, 100 * load);
      break;
    default:
      break;
  }
}

static const VhmListener listener = {.tick = on_tick };

VhmLoadControl *
vhm_load_control_new (VhmFleet * fleet)
{
  VhmLoadControl *control = g_new0 (VhmLoadControl, 1);

  control->fleet = fleet;
  vhm_fleet_add_listener (fleet, &listener, control);
  return control;
}

void
vhm_load_control_free (VhmLoadControl * control)
{
  vhm_fleet_remove_listener (control->fleet, control);
  g_free (control);
}
