/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MQTT discovery for Home Assistant: a device for each camera, with a binary
 * sensor for each state of onvif.h, and an image. */
#pragma once

#include "mqttsettings.h"
#include "settingscameras.h"

G_BEGIN_DECLS

/* The topic and the payload of a discovery message, both to be freed. @status
 * is the topic with the status of this program, @video the topic that says
 * whether the camera sends video, @page the URL of the page with all cameras,
 * or NULL. */
gchar *vhm_home_assistant_make_topic (const VhmMqttSettings * settings,
    const gchar * camera, GstVideoHealthCondition condition);
gchar *vhm_home_assistant_make_config (const VhmMqttSettings * settings,
    const VhmCameraSettings * camera, GstVideoHealthCondition condition,
    const gchar * status, const gchar * video, const gchar * page);

/* The same for an image: the picture of the last event, which is published to
 * @picture. */
gchar *vhm_home_assistant_make_image_topic (const VhmMqttSettings * settings,
    const gchar * camera);
gchar *vhm_home_assistant_make_image_config (const VhmMqttSettings * settings,
    const VhmCameraSettings * camera, const gchar * picture,
    const gchar * status, const gchar * page);

G_END_DECLS
