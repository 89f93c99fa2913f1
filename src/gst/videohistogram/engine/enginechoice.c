/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enginechoice.h"
#include "core/log.h"

/* In `auto`, frames in system memory of at least this many bytes (of the needed
 * planes) are uploaded; the CPU counts smaller ones in less time than a launch
 * takes. docs/measurements.md has the crossover. */
#define UPLOAD_BYTES (64 * 1024)

void
vh_choice_init (VhChoice * choice)
{
  *choice = (VhChoice) { 0, };
  g_mutex_init (&choice->lock);
}

void
vh_choice_clear (VhChoice * choice)
{
  g_free (choice->reason);
  g_mutex_clear (&choice->lock);
}

void
vh_choice_set_active (VhChoice * choice, const gchar * name,
    const gchar * reason, gboolean degraded)
{
  g_mutex_lock (&choice->lock);
  if (g_strcmp0 (choice->active, name) != 0
      || g_strcmp0 (choice->reason, reason) != 0) {
    GST_DEBUG_OBJECT (choice->element, "working on %s%s%s",
        name ? name : "no device", reason && *reason ? ": " : "",
        reason ? reason : "");
    g_free (choice->reason);
    choice->reason = g_strdup (reason);
  }
  choice->active = name;
  choice->degraded = degraded;
  g_mutex_unlock (&choice->lock);
}

void
vh_choice_set_at (VhChoice * choice, VhWhere where)
{
  vh_choice_set_active (choice, vh_where_name (where), where == VH_ON_CPU ?
      "frames in system memory are processed by the CPU" : "", FALSE);
}

/* Bytes of a frame that would have to be uploaded. */
static gsize
upload_bytes (const VhLayout * layout, guint planes)
{
  const GstVideoInfo *info = &layout->info;
  gsize bytes = 0;
  guint p;

  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];

    if (!(planes & (1u << p)))
      continue;
    gst_video_format_info_component (info->finfo, p, components);
    bytes += (gsize) GST_VIDEO_INFO_PLANE_STRIDE (info, p) *
        GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
  }
  return bytes;
}

void
vh_choice_make (VhChoice * choice, GstCaps * caps, const VhLayout * layout,
    guint planes)
{
  choice->caps = vh_where_caps (caps);
  choice->uploads = choice->has_gpu
      && (choice->wanted != GST_VIDEO_HISTOGRAM_BACKEND_AUTO
      || upload_bytes (layout, planes) >= UPLOAD_BYTES);
  if (choice->has_gpu && vh_choice_for (choice, choice->caps) == VH_ON_CPU) {
    vh_choice_set_active (choice, vh_where_name (VH_ON_CPU), "frames this "
        "small are counted faster by the CPU than by the GPU", FALSE);
  }
}

VhWhere
vh_choice_for (const VhChoice * choice, VhWhere where)
{
  return choice->has_gpu && (choice->uploads || where == VH_ON_GPU) ?
      VH_ON_GPU : VH_ON_CPU;
}

guint
vh_choice_upload_planes (const VhChoice * choice, VhWhere where, guint planes)
{
  return vh_choice_for (choice, where) == where ? 0 : planes;
}

const gchar *
vh_choice_get_active (VhChoice * choice)
{
  const gchar *name;

  g_mutex_lock (&choice->lock);
  name = choice->active;
  g_mutex_unlock (&choice->lock);
  return name;
}

gchar *
vh_choice_dup_reason (VhChoice * choice)
{
  gchar *reason;

  g_mutex_lock (&choice->lock);
  reason = g_strdup (choice->reason);
  g_mutex_unlock (&choice->lock);
  return reason;
}

gboolean
vh_choice_is_degraded (VhChoice * choice)
{
  gboolean degraded;

  g_mutex_lock (&choice->lock);
  degraded = choice->degraded;
  g_mutex_unlock (&choice->lock);
  return degraded;
}
