/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of the picture that conditions ignore, as text: for each rectangle
 * `<condition>,x=,y=,width=,height=` in the syntax of GstStructure, separated
 * by `;`. */
#pragma once

#include "healthconditions.h"

G_BEGIN_DECLS

typedef struct
{
  VhHealthAreas of[VH_HEALTH_N];
} VhHealthIgnored;

/* Parses @text, which may be NULL. FALSE leaves @ignored unchanged. */
gboolean vh_health_ignored_parse (VhHealthIgnored * ignored,
    const gchar * text, GError ** error);

G_END_DECLS
