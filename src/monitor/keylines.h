/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of a key file with their numbers, which GKeyFile does not
 * provide. */
#pragma once

#include "problems.h"

G_BEGIN_DECLS

typedef struct
{
  guint line;                   /* from 1 */
  gchar *group;
  gchar *key;                   /* NULL: the line is the header of @group */
  gchar *value;
  gboolean refused;             /* header: an error was reported, but the keys
                                 * below can still be checked; key: which group
                                 * it belongs to is a guess */
} VhmKeyLine;

/* Reads groups and their keys in the order of the file. Returns an array of
 * VhmKeyLine. Lines that are neither, keys outside of a group and duplicates
 * are errors. Returns NULL, also with an error, if @path cannot be read. */
GPtrArray *vhm_key_lines_read (const gchar * path, VhmProblems * problems);

/* The line of @key in the group with the header in line @group, or below
 * another header of the same group, which is an error; or NULL. @lines may be
 * NULL. */
const VhmKeyLine *vhm_key_lines_find (const GPtrArray * lines, guint group,
    const gchar * key);

G_END_DECLS
