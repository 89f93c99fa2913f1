/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of alarms as text, as GET /api/v1/alarms answers them. */
#pragma once

#include "storedalarms.h"

G_BEGIN_DECLS

/* Part of a list. */
typedef struct
{
  VhmAlarmPlace last;           /* as in VhmAlarmList */
  gboolean more;
  guint count;                  /* of alarms in it; fewer than the limit if a
                                 * later version has stored others */
  gchar text[];                 /* of each alarm */
} VhmAlarmPiece;

/* How to write a list: @head, pieces with @separator between those that have
 * text, and the end. */
typedef struct
{
  const gchar *type;            /* MIME type */
  const gchar *extension;       /* of a file with an exported list */
  const gchar *head;
  const gchar *separator;
  VhmRender render;             /* makes a VhmAlarmPiece from a VhmAlarmList, in
                                 * any thread */
  gchar *(*make_end) (const VhmAlarmPiece * last);
} VhmAlarmFormat;

extern const VhmAlarmFormat vhm_alarms_as_json, vhm_alarms_as_csv;

/* The name of a file with the alarms of @filter: its cameras, its groups and
 * its days. To be freed. */
gchar *vhm_alarm_format_name_file (const VhmAlarmFormat * format,
    const VhmAlarmFilter * filter);

/* Reads the cursor that an earlier list ended with. Returns FALSE if @text is
 * not one. */
gboolean vhm_alarm_place_parse (const gchar * text, VhmAlarmPlace * place);

G_END_DECLS
