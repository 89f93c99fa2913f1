/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules as text, as the property rules of videohealth takes them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @rules, whose fields take the place of those that @base, which may be NULL,
 * has of the same condition. Both are valid. To be freed. */
gchar *vhm_rules_refine (const gchar * base, const gchar * rules);

G_END_DECLS
