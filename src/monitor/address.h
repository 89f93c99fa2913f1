/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses of video sources as users write them: a URI, a device, a file, a
 * test picture. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Parses @text. Sets @uri, to be freed, or returns the error, to be freed.
 * Relative files are in @folder. */
gchar *vhm_address_parse (const gchar * text, const gchar * folder,
    gchar ** uri);

/* The part of @uri that everyone may see, such as scheme and host: paths can
 * contain passwords, too. To be freed. */
gchar *vhm_address_describe (const gchar * uri);

/* Likewise without the folders of a file or a device, for people who may watch
 * a camera but do not run the machine. To be freed. */
gchar *vhm_address_show (const gchar * uri);

/* The host of @uri, or NULL where it has none. To be freed. */
gchar *vhm_address_get_host (const gchar * uri);

/* Returns @message without the parts of @uri that vhm_address_show() hides,
 * and without @password, which may be NULL. To be freed. */
gchar *vhm_address_hide (const gchar * uri, const gchar * password,
    const gchar * message);

/* The name of the test picture if @uri is one, or NULL. */
const gchar *vhm_address_get_test_picture (const gchar * uri);

/* Whether frames arrive in real time; otherwise it is a file, which ends. */
gboolean vhm_address_is_live (const gchar * uri);

/* Whether two addresses have the same host and port. @port is the default
 * port. */
gboolean vhm_address_is_same_server (const gchar * a, const gchar * b,
    gint port);

G_END_DECLS
