/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthflashes.h"
#include "healthluminance.h"

#include <string.h>

/* Flashes of a smaller part of the picture do not count. */
#define MIN_AREA 0.25

void
vh_health_flashes_clear (VhHealthFlashes * flashes)
{
  memset (flashes, 0, sizeof (*flashes));
}

static void
add_step (VhHealthFlicker * flicker, gint direction, GstClockTime time)
{
  flicker->direction = direction;
  flicker->step[flicker->n_steps++ % VH_FLASH_STEPS] = time;
}

/* A step may take several frames: it is measured from the lowest luminance
 * since the last step down, or from the highest since the last step up. */
static void
follow (VhHealthFlicker * flicker, gdouble luminance, GstClockTime time)
{
  flicker->low = MIN (flicker->low, luminance);
  flicker->high = MAX (flicker->high, luminance);
  if (flicker->direction <= 0 && luminance > flicker->low
      && vh_health_is_step (flicker->low, luminance)) {
    add_step (flicker, 1, time);
    flicker->high = luminance;
  } else if (flicker->direction >= 0 && luminance < flicker->high
      && vh_health_is_step (flicker->high, luminance)) {
    add_step (flicker, -1, time);
    flicker->low = luminance;
  }
}

/* Counts the flashes in the second up to @time. */
static guint
count_flashes (const VhHealthFlicker * flicker, GstClockTime time)
{
  const guint known = MIN (flicker->n_steps, VH_FLASH_STEPS);
  guint n = 0;

  while (n < known && time < GST_SECOND +
      flicker->step[(flicker->n_steps - 1 - n) % VH_FLASH_STEPS])
    n++;
  return n / 2;
}

/* The largest number of flashes that more than a quarter of the picture has
 * had. */
static guint
count_in_area (const VhHealthFlashes * flashes,
    const VhHealthEvidence * evidence, GstClockTime time)
{
  guint64 pixels[VH_FLASH_STEPS / 2 + 1] = { 0, }, all = 0, area = 0;
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  guint i, n;

  for (i = 0; i < flashes->columns * flashes->rows; i++) {
    if (VH_HEALTH_HAS_CELL (ignored, i))
      continue;
    pixels[count_flashes (&flashes->cell[i], time)] += evidence->cell[i].pixels;
    all += evidence->cell[i].pixels;
  }
  for (n = VH_FLASH_STEPS / 2; n > 0; n--) {
    area += pixels[n];
    if (area > all * MIN_AREA)
      break;
  }
  return n;
}

static void
start (VhHealthFlashes * flashes, const VhHealthEvidence * evidence)
{
  guint i;

  vh_health_flashes_clear (flashes);
  flashes->columns = evidence->columns;
  flashes->rows = evidence->rows;
  for (i = 0; i < flashes->columns * flashes->rows; i++) {
    flashes->cell[i].low = flashes->cell[i].high =
        evidence->cell[i].luminance;
  }
}

void
vh_health_flashes_add (VhHealthFlashes * flashes,
    const VhHealthEvidence * evidence, GstClockTime time)
{
  VhHealthFlicker *const whole = &flashes->whole;
  guint of_cells, i;

  if (flashes->columns != evidence->columns || flashes->rows != evidence->rows)
    start (flashes, evidence);
  for (i = 0; i < flashes->columns * flashes->rows; i++)
    follow (&flashes->cell[i], evidence->cell[i].luminance, time);

  if (evidence->present & GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS) {
    if (whole->direction <= 0 && evidence->risen > MIN_AREA)
      add_step (whole, 1, time);
    else if (whole->direction >= 0 && evidence->fallen > MIN_AREA)
      add_step (whole, -1, time);
  }
  of_cells = count_in_area (flashes, evidence, time);
  flashes->flashes = MAX (of_cells, count_flashes (whole, time));
}
