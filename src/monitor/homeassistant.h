/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What makes Home Assistant find cameras by itself: a binary sensor for each
 * state that onvif.h has, in a device for each camera. */
#pragma once

#include "settings.h"

G_BEGIN_DECLS

/* Both to be freed. @status is the topic that says whether the program is
 * there, @page the address of the page with all cameras, or NULL. */
gchar *vhm_home_assistant_make_topic (const VhmMqttSettings * settings,
    const gchar * camera, GstVideoHealthCondition condition);
gchar *vhm_home_assistant_make_config (const VhmMqttSettings * settings,
    const gchar * camera, GstVideoHealthCondition condition,
    const gchar * status, const gchar * page);

G_END_DECLS
