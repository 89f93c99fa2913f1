/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What users call a source of video: a URI, a device, a file, a test
 * picture. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Checks @text. Sets @uri, to be freed, or returns what is wrong, to be freed.
 * A file that is not absolute is in @folder. */
gchar *vhm_address_parse (const gchar * text, const gchar * folder,
    gchar ** uri);

/* Scheme and host of @uri, or what else may be shown to everyone: addresses may
 * have passwords in their path, too. To be freed. */
gchar *vhm_address_describe (const gchar * uri);

/* The host of @uri, or NULL where it has none. To be freed. */
gchar *vhm_address_get_host (const gchar * uri);

/* @message without what vhm_address_describe() leaves out, and without
 * @password, which may be NULL. To be freed. */
gchar *vhm_address_hide (const gchar * uri, const gchar * password,
    const gchar * message);

/* The test picture that @uri is, or NULL. */
const gchar *vhm_address_get_test_picture (const gchar * uri);

/* Whether its frames come when they are made; else it is a file, which has an
 * end. */
gboolean vhm_address_is_live (const gchar * uri);

/* Whether two addresses are of the same host and port. @port is for those
 * without one. */
gboolean vhm_address_is_same_server (const gchar * a, const gchar * b,
    gint port);

G_END_DECLS
