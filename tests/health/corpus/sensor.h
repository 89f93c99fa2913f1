/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sensor with exposure control and limited gain, noise that grows with the
 * gain, an infrared filter that is removed at night, and a noise filter. */
#pragma once

#include "picture.h"

G_BEGIN_DECLS

typedef struct
{
  guint width, height;
  TestRandom random;
  gdouble amplification, max_amplification;     /* 1 in full daylight */
  gdouble pace;                 /* of the exposure, in s */
  gdouble noise;                /* about 1 */
  gdouble smoothing;            /* of the noise filter, 0 ... 0.9 */
  gboolean has_infrared;
  gboolean infrared;            /* night mode, lamp on */
  gdouble unsure;               /* s since the mode should change */
  gfloat *planes[3];            /* luma 0 ... 1, and chroma -0.5 ... 0.5 */
  gfloat *seen[3];              /* last output of the noise filter */
  gboolean started;

  /* Faults; 1 or TRUE for a sensor without one. */
  gdouble exposure_fault, noise_fault;
  gdouble balance_fault[N_COLORS];
  gboolean exposure_works;
} Sensor;

Sensor *sensor_new (guint width, guint height, gboolean has_infrared,
    guint64 seed);
void sensor_free (Sensor * sensor);

/* Sets the exposure for @picture, @passed s after the one before, with a light
 * sensor that sees @brightness. */
void sensor_expose (Sensor * sensor, const Picture * picture, gdouble passed,
    gdouble brightness);

/* Converts @picture to planes. */
void sensor_develop (Sensor * sensor, const Picture * picture);

/* Smooths the planes, and writes them as I420. */
void sensor_write (Sensor * sensor, guint8 * frame);

G_END_DECLS
