/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a GstVideoHealth in a file. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Restores @health from the file @path. A file that is none, was cut off or is
 * of something else is renamed to @path with `.bad` behind it, or `.bad2`
 * and so on, and FALSE returned with @error; @health is as before then. No file
 * is no error, but no folder for one is. */
gboolean vh_health_file_load (GstVideoHealth * health, const gchar * path,
    GError ** error);

/* Saves @health in the file @path, which is replaced as a whole or not at
 * all. */
gboolean vh_health_file_save (GstVideoHealth * health, const gchar * path,
    GError ** error);

G_END_DECLS
