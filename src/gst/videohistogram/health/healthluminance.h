/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Flashes as ITU-R BT.1702 defines them: a change of at least this luminance,
 * with the darker side below the second value, in cd/m². */
#define VH_FLASH_STEP 20.0
#define VH_FLASH_DARKER 160.0

/* The luminance in cd/m² that a display shows for @level. */
gdouble vh_health_luminance (gdouble level, GstVideoTransferFunction transfer);

/* Whether the change from @before to @after, in cd/m², is one half of a
 * flash. */
static inline gboolean
vh_health_is_step (gdouble before, gdouble after)
{
  return ABS (after - before) >= VH_FLASH_STEP
      && MIN (before, after) < VH_FLASH_DARKER;
}

G_END_DECLS
