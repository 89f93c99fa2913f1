/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "equalizerreference.h"
#include "equalizerjob.h"

#include <math.h>

struct _VhEqualizerReference
{
  GstVideoHistogramInfo info;
  guint32 *counts;              /* info.bins of them */
};

VhEqualizerReference *
vh_equalizer_reference_new (GstVideoHistogram * histogram)
{
  VhEqualizerReference *self;
  const guint32 *counts;
  guint bins;

  counts = gst_video_histogram_get_counts (histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, &bins);
  if (!counts || gst_video_histogram_get_pixels (histogram) == 0)
    return NULL;
  self = g_atomic_rc_box_new0 (VhEqualizerReference);
  self->info = *gst_video_histogram_get_info (histogram);
  self->counts = g_memdup2 (counts, bins * sizeof (*counts));
  return self;
}

VhEqualizerReference *
vh_equalizer_reference_ref (VhEqualizerReference * self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer self)
{
  g_free (((VhEqualizerReference *) self)->counts);
}

void
vh_equalizer_reference_unref (VhEqualizerReference * self)
{
  g_atomic_rc_box_release_full (self, clear);
}

/* How many pixels of @self are darker than @level, where 0 is black and 1 is
 * white; @cumulative[bins + 1] has the count before each bin. Levels within a
 * bin count as equally frequent. But with a bin for each code value, black and
 * white are exactly one bin each. */
static gdouble
count_darker (const VhEqualizerReference * self, const guint64 * cumulative,
    gdouble level)
{
  const GstVideoHistogramInfo *info = &self->info;
  const gboolean fine = info->bins >= 1u << info->depth;
  guint black, white, bin;
  gdouble code, place;

  vh_equalizer_get_range (info->colorimetry.range, info->depth, &black, &white);
  code = black + level * ((gdouble) white - black);
  place = ldexp ((code + 0.5) * info->bins, -(gint) info->depth);
  /* Removes rounding errors: if the reference has the bins of the frames, their
   * edges must coincide exactly. */
  place = ldexp (rint (ldexp (place, 20)), -20);
  if (place <= 0)
    return 0;
  if (place >= info->bins)
    return cumulative[info->bins];

  bin = place;
  if (fine && bin == (guint64) black * info->bins >> info->depth)
    return cumulative[bin + 1];
  if (fine && bin == (guint64) white * info->bins >> info->depth)
    return cumulative[bin];
  return cumulative[bin] + (place - bin) * self->counts[bin];
}

/* Pixels beyond black and white count as black and white. If frames have more
 * bins than the reference, each of its counts is divided equally among their
 * bins. */
VhReference *
vh_equalizer_reference_map (const VhEqualizerReference * self,
    const VhLayout * layout, const VhCurveParams * curve)
{
  const guint bins = self->info.bins;
  guint64 *cumulative = g_new0 (guint64, bins + 1);
  VhReference *mapped = NULL;
  guint black, white, b;

  vh_equalizer_get_range (layout->colorimetry.range, layout->depth, &black,
      &white);
  for (b = 0; b < bins; b++)
    cumulative[b + 1] = cumulative[b] + self->counts[b];
  if (cumulative[bins] <= G_MAXUINT32) {
    mapped = g_new0 (VhReference, 1);
    mapped->n = cumulative[bins];
    for (b = curve->low; b < curve->bins; b++) {
      const gdouble edge =
          ldexp ((gdouble) (b + 1), layout->depth) / curve->bins - 0.5;

      mapped->sums[b] = b >= curve->high ? mapped->n :
          (guint32) rint (count_darker (self, cumulative,
              (edge - black) / ((gdouble) white - black)));
    }
  }
  g_free (cumulative);
  return mapped;
}
