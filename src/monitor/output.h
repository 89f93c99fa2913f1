/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all outputs say of themselves. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gchar *name;                  /* of its group in the key file */
  gboolean up;
  gchar *reason;                /* why it is not up, for people; or empty */
  guint64 queued;               /* events that wait */
  guint64 delivered;            /* that were, since the program started */
  guint64 dead;                 /* that were given up */
} VhmOutput;

G_END_DECLS
