/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cameras, events and outputs as JSON, as docs/monitor-http.md and
 * openapi.json describe it. */
#pragma once

#include "camera.h"
#include "outbox.h"
#include "output.h"
#include "storedactions.h"
#include "storedalarms.h"
#include "storedhistory.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef enum
{
  VHM_JSON_BRIEF,               /* what changes often */
  VHM_JSON_FULL,                /* everything */
} VhmJsonDetail;

/* Members of a camera that change with each frame; even the brief form has
 * them. The measurements make up most of the JSON of a camera. */
#define VHM_JSON_LIVE "last_frame", "picture"
#define VHM_JSON_MEASUREMENTS "measured", "luma", "histogram"

void vhm_json_add_camera (JsonBuilder * builder, const VhmCamera * camera,
    VhmJsonDetail detail);

/* Adds an item: a VhmEvent, VhmAction, VhmNotice, VhmMinute, VhmOutput or
 * VhmDeadLetter. */
typedef void (*VhmJsonAdd) (JsonBuilder * builder, gconstpointer item);
void vhm_json_add_event (JsonBuilder * builder, gconstpointer event);
void vhm_json_add_action (JsonBuilder * builder, gconstpointer action);
void vhm_json_add_notice (JsonBuilder * builder, gconstpointer notice);
/* Its text is as vhm_text_localize() has it. */
void vhm_json_add_local_notice (JsonBuilder * builder, gconstpointer notice);
/* Without what concerns operators. */
void vhm_json_add_notice_for_viewers (JsonBuilder * builder,
    gconstpointer notice);
void vhm_json_add_minute (JsonBuilder * builder, gconstpointer minute);
void vhm_json_add_output (JsonBuilder * builder, gconstpointer output);
void vhm_json_add_dead_letter (JsonBuilder * builder, gconstpointer letter);

/* Adds the members of an event to the current object. */
void vhm_json_add_event_members (JsonBuilder * builder,
    const VhmEvent * event);

/* Adds an alarm of a camera in @group. */
void vhm_json_add_alarm (JsonBuilder * builder, const VhmAlarm * alarm,
    const gchar * group);

/* The item, or an array of items. To be freed. */
gchar *vhm_json_make (gconstpointer item, VhmJsonAdd add);
gchar *vhm_json_make_array (const GPtrArray * items, VhmJsonAdd add);

/* @time in µs since 1970; 0 becomes null. */
void vhm_json_add_time (JsonBuilder * builder, const gchar * name,
    gint64 time);

/* Consumes @builder. To be freed. */
gchar *vhm_json_end (JsonBuilder * builder);

G_END_DECLS
