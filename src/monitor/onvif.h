/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* States as ONVIF's JSON over MQTT has them, as of its Core Specification:
 * docs/monitor.md. Conditions that share a topic have one state. */
#pragma once

#include "camera.h"

G_BEGIN_DECLS

/* Those that have the topic of @condition, itself among them. */
GstVideoHealthConditions vhm_onvif_get_group (GstVideoHealthCondition
    condition);

/* Whether @condition is the first of its group. */
gboolean vhm_onvif_is_first (GstVideoHealthCondition condition);

/* Where the state of @condition is told. To be freed. */
gchar *vhm_onvif_make_topic (const gchar * prefix, const gchar * camera,
    GstVideoHealthCondition condition);

/* The payload there. @known are the conditions that were ever judged: a state
 * of others is null. @time, in µs since 1970, is that of a state that has never
 * changed. To be freed. */
gchar *vhm_onvif_make_state (const VhmCamera * camera,
    GstVideoHealthCondition condition, GstVideoHealthConditions known,
    gint64 time);

G_END_DECLS
