/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Judges the frames of one pipeline. For its threads. */
#pragma once

#include "change.h"
#include "settings.h"

G_BEGIN_DECLS

typedef struct _VhmJudge VhmJudge;

/* Called in a streaming thread, without locks. */
typedef void (*VhmChangeFunc) (gpointer data, const VhmChange * change);

/* The elements that it needs in the pipeline, as gst_parse_launch() takes
 * them. */
const gchar *vhm_judge_get_elements (void);

/* Judges what passes the elements in @bin. What is learned of the camera is
 * kept in the file @learned. */
VhmJudge *vhm_judge_new (GstBin * bin, const VhmCameraSettings * camera,
    const gchar * learned, VhmChangeFunc func, gpointer data);

/* Once the pipeline has ended. */
void vhm_judge_free (VhmJudge * judge);

/* Forgets what was learned of the camera: it is meant to look otherwise from
 * now on. */
void vhm_judge_unlearn (VhmJudge * judge);

void vhm_judge_get_verdict (VhmJudge * judge, VhmVerdict * verdict);

G_END_DECLS
