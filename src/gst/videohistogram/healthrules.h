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

/* The condition of @name, or -1. */
gint vh_health_find_condition (const gchar * name, GError ** error);

/* GStreamer takes 3000000000 for an int, and makes it -1294967296: numbers that
 * do not say their type become doubles, which hold each ns of three months.
 * NULL if @text is no UTF-8. */
gchar *vh_health_type_numbers (const gchar * text);

/* The entry that @rest begins with, and @rest what follows it; NULL if there is
 * none: GStreamer itself has a critical for a name that is none. */
GstStructure *vh_health_read_entry (gchar ** rest);

/* The number @field, from 0 to @max, if it is there. */
gboolean vh_health_read_number (const GstStructure * s, const gchar * field,
    gdouble max, gdouble * number, GError ** error);

/* All rules, completely. */
gchar *vh_health_rules_print (const VhHealthRules * rules);

G_END_DECLS
