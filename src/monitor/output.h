/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of an output. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gchar *name;                  /* of its group in the configuration */
  gboolean up;
  gchar *reason;                /* why it is not up, for people, or empty */
  guint64 queued;               /* events that wait */
  guint64 delivered;            /* events delivered since the program started */
  guint64 dead;                 /* dead letters */
} VhmOutput;

G_END_DECLS
