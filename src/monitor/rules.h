/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules as text, in the syntax of the property rules of videohealth. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Merges rules: fields of @rules override those that @base, which may be NULL,
 * has for the same condition. Both must be valid. To be freed. */
gchar *vhm_rules_refine (const gchar * base, const gchar * rules);

G_END_DECLS
