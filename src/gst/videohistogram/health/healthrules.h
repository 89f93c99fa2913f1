/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules as text: for each condition
 * `<condition>,enter=,leave=,duration=,hold=` in the syntax of GstStructure,
 * separated by `;`. Times have a unit: `2s`. */
#pragma once

#include "healthconditions.h"

G_BEGIN_DECLS

typedef struct
{
  VhHealthRule of[VH_HEALTH_N];
} VhHealthRules;

/* Sets the default rules of the table. */
void vh_health_rules_init (VhHealthRules * rules);

/* Parses @text, which may be NULL; conditions that it does not name get the
 * default rules of the table. FALSE leaves @rules unchanged; @error then has a
 * line for each mistake. */
gboolean vh_health_rules_parse (VhHealthRules * rules, const gchar * text,
    GError ** error);

/* The condition called @name, or -1 with @error. */
gint vh_health_find_condition (const gchar * name, GError ** error);

/* Reads the next entry of @text at *@at, and moves *@at to the end of the
 * entry. Returns FALSE at the end of @text. If the entry cannot be read, sets
 * @entry to NULL, and adds a line to @error with @what it should be and an
 * @example. */
gboolean vh_health_read_entry (const gchar * text, gsize * at,
    GstStructure ** entry, const gchar * what, const gchar * example,
    GError ** error);

/* Reads the number @field, from 0 to @max, if it is present. */
gboolean vh_health_read_number (const GstStructure * s, const gchar * field,
    gdouble max, gdouble * number, GError ** error);

/* Returns all rules with all fields. */
gchar *vh_health_rules_print (const VhHealthRules * rules);

G_END_DECLS
