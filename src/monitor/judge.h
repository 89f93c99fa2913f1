/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Judges the frames of one pipeline. Thread-safe, and never waits for the
 * pipeline. */
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

/* Judges what passes the elements in @bin. @state is what vhm_judge_save() gave
 * once, or NULL; one that is none is ignored. */
VhmJudge *vhm_judge_new (GstBin * bin, const VhmCameraSettings * camera,
    GVariant * state, VhmChangeFunc func, gpointer data);

/* Once the pipeline has ended. */
void vhm_judge_free (VhmJudge * judge);

void vhm_judge_get_verdict (VhmJudge * judge, VhmVerdict * verdict);

/* What was learned of the camera. */
GVariant *vhm_judge_save (VhmJudge * judge);

G_END_DECLS
