/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a pipeline has saved what it has learned. The element does that when
 * it leaves PAUSED, even if other elements are stuck then. */
#pragma once

#include "healthelement.h"

#include <stdatomic.h>

G_BEGIN_DECLS

typedef struct
{
  const VhmHealthElement *health;
  atomic_bool unsaved;          /* has learned what is not saved yet */
  _Atomic gint64 failed;        /* when saving last failed, µs; or 0 */
} VhmLearning;

/* Watches the messages of @health, all of which pass @bus until the pipeline
 * has ended. */
void vhm_learning_watch (VhmLearning * learning, GstBus * bus,
    const VhmHealthElement * health);

/* The pipeline has its first frame. */
void vhm_learning_begin (VhmLearning * learning);

/* The number of pipelines that have learned and have not saved yet, and of
 * those that could not save at their end. Thread-safe. */
guint vhm_learning_count_unsaved (void);
guint vhm_learning_count_failed (void);

G_END_DECLS
