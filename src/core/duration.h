/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Durations in words: "40 s", "15 h 39 min", "2 d 5 h". */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VH_LONG_DURATION 120    /* seconds: from here on, without seconds */

/* Rounds @seconds to one or two units, where the second one still matters. To
 * be freed. */
static inline gchar *
vh_duration_print (gdouble seconds)
{
  const guint64 s = (guint64) (MAX (seconds, 0) + 0.5);
  const guint64 minutes = (s + 30) / 60, hours = (s + 1800) / 3600;
  const gboolean days = minutes >= 24 * 60;
  const guint64 large = days ? hours / 24 : minutes / 60;
  const guint64 small = days ? hours % 24 : minutes % 60;

  if (s < VH_LONG_DURATION)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " s", s);
  if (!large)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " min", small);
  if (!small)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " %s", large,
        days ? "d" : "h");
  return g_strdup_printf ("%" G_GUINT64_FORMAT " %s %" G_GUINT64_FORMAT " %s",
      large, days ? "d" : "h", small, days ? "h" : "min");
}

G_END_DECLS
