/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends what is wrong with cameras that are not there any more, whether they
 * were removed while the program ran or while it did not. */
#pragma once

#include "store.h"

G_BEGIN_DECLS

typedef struct _VhmEndings VhmEndings;

typedef gboolean (*VhmHasCamera) (gpointer data, const gchar * name);

/* @stored is called with each event once it is stored. */
VhmEndings *vhm_endings_new (VhmStore * store, VhmHasCamera has_camera,
    VhmStored stored, gpointer data);
void vhm_endings_free (VhmEndings * endings);

/* There may be fewer cameras than before. */
void vhm_endings_look (VhmEndings * endings);

G_END_DECLS
