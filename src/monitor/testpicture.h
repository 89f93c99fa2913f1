/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simulated cameras, each with its own fault. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Their names, up to a NULL. The first one has no fault. */
const gchar *const *vhm_test_picture_get_names (void);

/* Returns a live source of raw video, or NULL with an error. */
GstElement *vhm_test_picture_new (const gchar * name, GError ** error);

G_END_DECLS
