/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cameras that are not there, each with a fault of its own. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Their names, up to a NULL. The first one has no fault. */
const gchar *const *vhm_test_picture_get_names (void);

/* A live source of raw video, or NULL. */
GstElement *vhm_test_picture_new (const gchar * name, GError ** error);

G_END_DECLS
