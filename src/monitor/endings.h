/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends active conditions of cameras that no longer exist, whether they were
 * removed while the program ran or while it did not. */
#pragma once

#include "store.h"

G_BEGIN_DECLS

typedef struct _VhmEndings VhmEndings;

typedef gboolean (*VhmHasCamera) (gpointer data, const gchar * name);

/* Calls @stored with each event once it is stored. */
VhmEndings *vhm_endings_new (VhmStore * store, VhmHasCamera has_camera,
    VhmStored stored, gpointer data);
void vhm_endings_free (VhmEndings * endings);

/* To be called when cameras may have been removed. */
void vhm_endings_look (VhmEndings * endings);

G_END_DECLS
