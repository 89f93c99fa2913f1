/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules as text: for each condition
 * `<condition>,enter=,leave=,duration=,hold=` in the syntax of GstStructure,
 * with `;` in between. */
#pragma once

#include "healthconditions.h"

G_BEGIN_DECLS

typedef struct
{
  VhHealthRule of[VH_HEALTH_N];
} VhHealthRules;

/* Sets @rules to those of the table. */
void vh_health_rules_init (VhHealthRules * rules);

/* What @text, which may be NULL, says, and for the rest those of the table.
 * FALSE leaves @rules unchanged. */
gboolean vh_health_rules_parse (VhHealthRules * rules, const gchar * text,
    GError ** error);

/* All rules, completely. */
gchar *vh_health_rules_print (const VhHealthRules * rules);

G_END_DECLS
