/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Judges the frames of one pipeline. For its threads. */
#pragma once

#include "change.h"
#include "settings.h"

G_BEGIN_DECLS

typedef struct _VhmJudge VhmJudge;

/* Called in a streaming thread, without locks. */
typedef void (*VhmChangeFunc) (gpointer data, const VhmChange * change);

/* The elements that the pipeline must contain, in the syntax of
 * gst_parse_launch(). */
const gchar *vhm_judge_get_elements (void);

/* Judges the video that passes these elements in @bin. The file @learned
 * keeps the learned reference of the camera. */
VhmJudge *vhm_judge_new (GstBin * bin, const VhmCameraSettings * camera,
    const gchar * learned, VhmChangeFunc func, gpointer data);

/* To be called after the pipeline has ended. */
void vhm_judge_free (VhmJudge * judge);

/* Discards the learned reference: from now on the camera is meant to show
 * something else. */
void vhm_judge_unlearn (VhmJudge * judge);

void vhm_judge_get_verdict (VhmJudge * judge, VhmVerdict * verdict);

G_END_DECLS
