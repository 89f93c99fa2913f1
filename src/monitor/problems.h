/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of a configuration: all of them, each with file and line. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GPtrArray *lines;             /* of gchar, one per problem, sorted by line */
  GArray *numbers;              /* of guint: their lines; 0 without one */
  guint errors;                 /* how many are errors; the others are
                                 * warnings */
} VhmProblems;

VhmProblems *vhm_problems_new (void);
void vhm_problems_free (VhmProblems * problems);

/* @line is 0 if the problem has no line. */
void vhm_problems_error (VhmProblems * problems, const gchar * file, guint line,
    const gchar * format, ...) G_GNUC_PRINTF (4, 5);
void vhm_problems_warn (VhmProblems * problems, const gchar * file, guint line,
    const gchar * format, ...) G_GNUC_PRINTF (4, 5);

/* All problems, one per line. To be freed. */
gchar *vhm_problems_describe (const VhmProblems * problems);

/* Prints to standard error, which goes to the journal of a service. */
void vhm_problems_print (const VhmProblems * problems);

/* Returns the most similar of @names, which end with NULL, or NULL if none is
 * similar. */
const gchar *vhm_nearest_name (const gchar * name, const gchar * const *names);

G_END_DECLS
