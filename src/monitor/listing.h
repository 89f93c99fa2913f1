/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers that take long to make: lists of stored data. The thread of the store
 * writes their text piece by piece, so that neither the main loop nor an event
 * has to wait for a list. A list is abandoned if its client disconnects. */
#pragma once

#include "alarmtext.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Answers @message with an array, later, or refuses it at once if there are
 * already too many such requests. */
void vhm_listing_minutes (VhmStore * store, SoupServerMessage * message,
    const gchar * camera, gint64 from, gint64 before);
void vhm_listing_events (VhmStore * store, SoupServerMessage * message,
    const VhmEventFilter * filter);

/* Maximum number of alarms in a list that is not a file. */
#define VHM_MAX_ALARMS 500

/* Likewise with alarms. Takes what the members of @filter refer to. If
 * @is_file, the limit may be higher: the answer is a file to save, and is sent
 * while it is made. */
void vhm_listing_alarms (VhmStore * store, SoupServerMessage * message,
    VhmAlarmFilter * filter, const VhmAlarmFormat * format, gboolean is_file);

G_END_DECLS
