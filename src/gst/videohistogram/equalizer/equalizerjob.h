/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What GstVideoEqualizerSettings mean for frames. */
#pragma once

#include <gst/videohistogram/gstvideoequalizersettings.h>
#include <gst/videohistogram/gstvideohistogram.h>
#include "core/correction.h"

G_BEGIN_DECLS

/* FALSE with the error SPEC if a field of @settings is outside its limits. */
gboolean vh_equalizer_check_settings (
    const GstVideoEqualizerSettings * settings, GError ** error);

/* Makes the job of @settings for a @picture of @layout, with each frame
 * corrected on its own. The caller adds the reference. FALSE if the region lies
 * outside the picture. */
gboolean vh_equalizer_make_job (const GstVideoEqualizerSettings * settings,
    const VhLayout * layout, const VhRect * picture, VhEqualizeJob * job);

/* Whether @job changes anything. */
gboolean vh_equalizer_corrects (const VhEqualizeJob * job);

/* What to count in @picture for @job. */
GstVideoHistogramInfo vh_equalizer_describe (const VhLayout * layout,
    const VhRect * picture, const VhEqualizeJob * job);

/* The weight of a frame, @step ns after the previous one, in an exponential
 * average with a time constant of @smoothing ns. */
guint32 vh_equalizer_share (GstClockTime step, GstClockTime smoothing);

/* The code values of black and white in samples of @depth bits. */
void vh_equalizer_get_range (GstVideoColorRange range, guint depth,
    guint * black, guint * white);

G_END_DECLS
