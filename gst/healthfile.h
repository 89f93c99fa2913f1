/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a GstVideoHealth in a file. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* What became of a file that was to be loaded. */
typedef enum
{
  VH_HEALTH_FILE_RESTORED,
  VH_HEALTH_FILE_NONE,          /* there is none, or none any more */
  VH_HEALTH_FILE_LEFT           /* it is as it was, and must not be replaced */
} VhHealthFile;

/* Restores @health from the file @path. A file that is none, was cut off or is
 * of something else is renamed to end in `.bad`, or `.bad2` and so on, and
 * @error set. So it is if there is no folder for a file, and if what is there
 * cannot be read or renamed, or is no regular file. In all of these cases
 * @health is as before. No file is no error. Symbolic links are followed, and
 * stay. */
VhHealthFile vh_health_file_load (GstVideoHealth * health, const gchar * path,
    GError ** error);

/* Saves @health in the file @path, which is replaced as a whole or not at all,
 * and only if it is a regular one or not there. Symbolic links are followed,
 * and stay. */
gboolean vh_health_file_save (GstVideoHealth * health, const gchar * path,
    GError ** error);

G_END_DECLS
