/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GstVideoHealthEngine on the CPU, for tests with pictures. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

#include "common/random.h"
#include "common/suite.h"

G_BEGIN_DECLS

/* The objects under test, and for the pictures random numbers and a count. Each
 * test starts with new objects, the same numbers and 0. */
extern GstVideoHealth *health;
extern TestRandom numbers;
extern guint n_frames;

/* For frames with @caps, of which @conditions are judged. */
void engine_setup (const gchar * caps, GstVideoHealthConditions conditions);
void engine_teardown (void);

/* Judges a frame that was captured at @time. Takes @buffer. */
void engine_judge (GstBuffer * buffer, GstClockTime time);

G_END_DECLS
