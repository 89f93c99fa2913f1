/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* States in the format of ONVIF's JSON over MQTT (Core Specification); see
 * docs/monitor-outputs.md. Conditions that share a topic have one state. */
#pragma once

#include "camera.h"

G_BEGIN_DECLS

/* All conditions with the same topic as @condition, including itself. */
GstVideoHealthConditions vhm_onvif_get_group (GstVideoHealthCondition
    condition);

/* Whether @condition is the first of its group. */
gboolean vhm_onvif_is_first (GstVideoHealthCondition condition);

/* The MQTT topic of the state of @condition. To be freed. */
gchar *vhm_onvif_make_topic (const gchar * prefix, const gchar * camera,
    GstVideoHealthCondition condition);

/* The payload for that topic, to be freed. States of conditions that are not
 * known yet, or unconfirmed, are null. */
gchar *vhm_onvif_make_state (const VhmCamera * camera,
    GstVideoHealthCondition condition);

G_END_DECLS
