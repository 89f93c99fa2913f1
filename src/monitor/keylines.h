/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of a key file, with their numbers, which GKeyFile does not tell. */
#pragma once

#include "problems.h"

G_BEGIN_DECLS

typedef struct
{
  guint line;                   /* from 1 */
  gchar *group;
  gchar *key;                   /* NULL in the line of the group itself */
  gchar *value;
} VhmKeyLine;

/* Groups and their keys in the order of the file, an array of VhmKeyLine. Lines
 * that are neither, keys outside of a group and what occurs twice are errors.
 * Returns NULL if @path cannot be read, which is an error too. */
GPtrArray *vhm_key_lines_read (const gchar * path, VhmProblems * problems);

G_END_DECLS
