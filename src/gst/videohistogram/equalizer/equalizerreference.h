/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of `match`: its counts as given, and converted to the bins of
 * the frames to correct. */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include "core/correction.h"

G_BEGIN_DECLS

/* Constant once made, so any thread may read it. */
typedef struct _VhEqualizerReference VhEqualizerReference;

/* Copies the luma of @histogram, which it waits for; NULL if that has no
 * luma. */
VhEqualizerReference *vh_equalizer_reference_new (GstVideoHistogram *
    histogram);
VhEqualizerReference *vh_equalizer_reference_ref (VhEqualizerReference * self);
void vh_equalizer_reference_unref (VhEqualizerReference * self);

/* Converts the reference to the bins that @curve has for frames of @layout;
 * free with g_free(). NULL if it has more pixels than can be counted. */
VhReference *vh_equalizer_reference_map (const VhEqualizerReference * self,
    const VhLayout * layout, const VhCurveParams * curve);

G_END_DECLS
