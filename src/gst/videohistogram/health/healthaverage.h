/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The average of a number over the last seconds. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble value;
  gdouble added;                /* s that frames have counted for */
  GstClockTime time;            /* of the last frame that counted, or NONE */
} VhHealthAverage;

void vh_health_average_init (VhHealthAverage * average);

/* The next frame does not continue the previous ones; the value stays. */
void vh_health_average_restart (VhHealthAverage * average);

/* Adds the number of a frame; @period is the time constant, in s. The average
 * starts at 0. */
void vh_health_average_add (VhHealthAverage * average, gdouble number,
    gdouble period, GstClockTime time);

/* The same, but until frames have counted for @period, the average is the mean
 * of their numbers. */
void vh_health_average_add_mean (VhHealthAverage * average, gdouble number,
    gdouble period, GstClockTime time);

G_END_DECLS
