/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An output: what a kind of group in the configuration does with events. Each
 * class has files of its own, and its name in monitor_outputs of meson.build.
 * Used by the main thread only. */
#pragma once

#include "delivery.h"
#include "keys.h"

G_BEGIN_DECLS

/* The start of the struct of each output, which starts as zeros. */
typedef struct
{
  gpointer settings;            /* its VhmGroup */
  gchar *name;                  /* header of its group, such as "webhook ops" */
  gchar *page;                  /* URL of the page with all cameras, or NULL */
  VhmFleet *fleet;
  VhmDelivery *delivery;

  /* set by its class */
  gboolean up;                  /* can reach its receiver */
  gchar *reason;                /* why it is not up, for people, or empty, but
                                 * not NULL; freed by outputs.c */
} VhmOutput;

typedef struct
{
  VhmGroupClass group;          /* of its settings */
  gsize size;                   /* of its struct */
  /* For vhm_delivery_new() and vhm_fleet_add_listener(), with the output as
   * data. */
  guint window;
  VhmDeliver deliver;
  VhmListener listener;

  /* Called when the members above are set; calls vhm_delivery_start(), now or
   * later. */
  void (*start) (gpointer output);
  /* Frees what the class has set, except for the members of VhmOutput. Called
   * while these still exist; or NULL. */
  void (*stop) (gpointer output);
  /* Counts threads that stopped outputs left; or NULL. */
  guint (*count_threads) (void);
} VhmOutputClass;

/* The groups of all VhmOutputClass; ends with NULL. */
extern const VhmGroupClass *const vhm_output_groups[];

G_END_DECLS
