/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random events in a stream and changes of its elements, reproduced by a seed.
 * The one generator for tests with synthetic streams. */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include "random.h"

G_BEGIN_DECLS

/* Formats in system memory and in CUDA memory. cudaupload drops the last pixel
 * of an odd row of YUY2, so that comes last here. */
extern const GstVideoFormat test_scenario_formats[];
#define TEST_SCENARIO_N_FORMATS 9
#define TEST_SCENARIO_N_UPLOADED 8

typedef struct
{
  GstVideoFormat format;
  guint width, height;
} TestShape;

/* One of the first @n_formats. Width and height are at least @least, and less
 * than @least + @width and @least + @height. */
TestShape test_scenario_shape (TestRandom * random, guint n_formats,
    guint least, guint width, guint height);

/* Caps of @shape in system memory. */
GstCaps *test_scenario_caps (const TestShape * shape);

/* A segment with any rate that a source may send. */
GstEvent *test_scenario_segment (TestRandom * random);

typedef enum
{
  /* downstream */
  TEST_EVENT_GAP,
  TEST_EVENT_TAG,
  TEST_EVENT_SEGMENT_DONE,
  TEST_EVENT_CUSTOM,
  TEST_EVENT_OOB,
  TEST_N_DOWNSTREAM,
  /* upstream */
  TEST_EVENT_QOS = TEST_N_DOWNSTREAM,
  TEST_EVENT_SEEK,
  TEST_EVENT_RECONFIGURE,
  TEST_EVENT_LATENCY,
  TEST_EVENT_STEP,
  TEST_EVENT_NAVIGATION,
  TEST_N_EVENTS
} TestEvent;

/* An event of this kind, with @time and @number if it uses them. */
GstEvent *test_scenario_event (TestEvent which, GstClockTime time,
    guint64 number);

/* A random event, downstream or upstream. */
GstEvent *test_scenario_downstream (TestRandom * random);
GstEvent *test_scenario_upstream (TestRandom * random);

/* Sends @event, which it takes, from the end of @h where such events start. */
void test_scenario_send (GstHarness * h, GstEvent * event);

/* Sets the property @name, or a random one if NULL, of a videohistogram or a
 * videoequalize to one of its values. Frames can be counted and corrected with
 * all of them. */
void test_scenario_set (GstElement * element, const gchar * name,
    TestRandom * random);

G_END_DECLS
