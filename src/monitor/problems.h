/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with a configuration: everything at once, each with its file
 * and line. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GPtrArray *lines;             /* of gchar, one for each problem, sorted by the
                                 * lines that they are in */
  GArray *numbers;              /* of guint: these; 0 where there is none */
  guint errors;                 /* of these; the others are warnings */
} VhmProblems;

VhmProblems *vhm_problems_new (void);
void vhm_problems_free (VhmProblems * problems);

/* @line is 0 where there is none. */
void vhm_problems_error (VhmProblems * problems, const gchar * file, guint line,
    const gchar * format, ...) G_GNUC_PRINTF (4, 5);
void vhm_problems_warn (VhmProblems * problems, const gchar * file, guint line,
    const gchar * format, ...) G_GNUC_PRINTF (4, 5);

/* All of them, a line each. To be freed. */
gchar *vhm_problems_describe (const VhmProblems * problems);

/* To the standard error, which is where a service's journal takes it from. */
void vhm_problems_print (const VhmProblems * problems);

/* The one of @names, up to a NULL, that is most like @name, or NULL if none
 * is. */
const gchar *vhm_nearest_name (const gchar * name, const gchar * const *names);

G_END_DECLS
