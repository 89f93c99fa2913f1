/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptions of streams in SDP, as RTSP servers send them. GStreamer makes
 * the name of each attribute and of each parameter of a format a GQuark, which
 * is never freed. */
#pragma once

#include <gst/sdp/gstsdpmessage.h>

G_BEGIN_DECLS

/* Attributes of a stream, and of all of them together */
#define VHM_MAX_SDP_ATTRIBUTES 64

/* Removes what GStreamer does not need to show video, and attributes beyond the
 * maximum. */
void vhm_sdp_reduce (GstSDPMessage * sdp);

G_END_DECLS
