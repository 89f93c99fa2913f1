/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthluminance.h"

#include <math.h>

/* White of an SDR display in cd/m², as guidelines for flashes assume it. */
#define SDR_WHITE 200.0

/* Peak of the nominal HLG display in cd/m², and its system gamma. */
#define HLG_PEAK 1000.0
#define HLG_GAMMA 1.2

/* SMPTE ST 2084 */
static gdouble
luminance_of_pq (gdouble level)
{
  const gdouble m1 = 2610.0 / 16384, m2 = 2523.0 / 32;
  const gdouble c1 = 3424.0 / 4096, c2 = 2413.0 / 128, c3 = 2392.0 / 128;
  const gdouble root = pow (level, 1 / m2);

  return 10000 * pow (MAX (root - c1, 0) / (c2 - c3 * root), 1 / m1);
}

/* ITU-R BT.2100 */
static gdouble
luminance_of_hlg (gdouble level)
{
  const gdouble a = 0.17883277, b = 0.28466892, c = 0.55991073;
  const gdouble light = level <= 0.5 ? level * level / 3 :
      (exp ((level - c) / a) + b) / 12;

  return HLG_PEAK * pow (light, HLG_GAMMA);
}

gdouble
vh_health_luminance (gdouble level, GstVideoTransferFunction transfer)
{
  level = CLAMP (level, 0, 1);
  if (transfer == GST_VIDEO_TRANSFER_SMPTE2084)
    return luminance_of_pq (level);
  if (transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67)
    return luminance_of_hlg (level);
  /* ITU-R BT.1886 */
  return SDR_WHITE * pow (level, 2.4);
}
