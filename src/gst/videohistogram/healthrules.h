/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules as text: for each condition
 * `<condition>,enter=,leave=,duration=,hold=` in the syntax of GstStructure,
 * with `;` in between. Times have a unit: `2s`. */
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
 * FALSE leaves @rules unchanged; @error then has a line for each fault. */
gboolean vh_health_rules_parse (VhHealthRules * rules, const gchar * text,
    GError ** error);

/* The condition of @name, or -1. */
gint vh_health_find_condition (const gchar * name, GError ** error);

/* The next entry of @text, from @*at on, which is moved behind it. Returns
 * FALSE at the end of @text. If the entry cannot be read, @entry is NULL, and
 * @error gets a line with @what it should be and an @example. */
gboolean vh_health_read_entry (const gchar * text, gsize * at,
    GstStructure ** entry, const gchar * what, const gchar * example,
    GError ** error);

/* The number @field, from 0 to @max, if it is there. */
gboolean vh_health_read_number (const GstStructure * s, const gchar * field,
    gdouble max, gdouble * number, GError ** error);

/* All rules, completely. */
gchar *vh_health_rules_print (const VhHealthRules * rules);

G_END_DECLS
