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
  gboolean refused;             /* of a group: an error has been reported for
                                 * it; its keys can still be checked. Of a key:
                                 * which group was meant is a guess */
} VhmKeyLine;

/* Groups and their keys in the order of the file, an array of VhmKeyLine. Lines
 * that are neither, keys outside of a group and what occurs twice are errors.
 * Returns NULL if @path cannot be read, which is an error too. */
GPtrArray *vhm_key_lines_read (const gchar * path, VhmProblems * problems);

/* The line of @key in the group that begins at the line @group, or NULL; @lines
 * may be NULL. */
const VhmKeyLine *vhm_key_lines_find (const GPtrArray * lines, guint group,
    const gchar * key);

G_END_DECLS
