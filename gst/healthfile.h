/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a GstVideoHealth in a file. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* The result of loading a file. */
typedef enum
{
  VH_HEALTH_FILE_RESTORED,
  VH_HEALTH_FILE_NONE,          /* missing, or invalid and renamed */
  VH_HEALTH_FILE_LEFT           /* could not be loaded; must not be replaced */
} VhHealthFile;

/* Restores @health from the file @path. An invalid file, such as one that is
 * truncated, is renamed to end in `.bad`, or `.bad2` and so on, and @error is
 * set. @error is also set if the folder is missing, if the file cannot be read
 * or renamed, and if it is not a regular file. In all of these cases @health is
 * unchanged. A missing file is not an error. Symbolic links are followed, and
 * stay. */
VhHealthFile vh_health_file_load (GstVideoHealth * health, const gchar * path,
    GError ** error);

/* Saves @health in the file @path, which is replaced as a whole or not at all,
 * and only if it is a regular file or missing. Symbolic links are followed, and
 * stay. */
gboolean vh_health_file_save (GstVideoHealth * health, const gchar * path,
    GError ** error);

G_END_DECLS
