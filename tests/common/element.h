/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A videohistogram or a videoequalize in a harness, with a bus. */
#pragma once

#include <gst/check/gstharness.h>

G_BEGIN_DECLS

typedef struct
{
  GstHarness *h;
  GstElement *element;
  GstBus *bus;
} TestElement;

/* Makes a playing videohistogram for @caps, or for none yet where that is NULL.
 * What follows are names and values, as strings, of properties. */
void test_element_init (TestElement * self, const gchar * caps,
    const gchar * property, ...) G_GNUC_NULL_TERMINATED;

/* The same of a videoequalize. */
void test_element_init_equalize (TestElement * self, const gchar * caps,
    const gchar * property, ...) G_GNUC_NULL_TERMINATED;

void test_element_clear (TestElement * self);

/* Pushes @buffer, which has to be accepted, and returns what comes out, which
 * is a buffer. */
GstBuffer *test_element_pass (TestElement * self, GstBuffer * buffer);

/* Pushes @buffer and forgets it. */
void test_element_push (TestElement * self, GstBuffer * buffer);

/* Forgets the events that came out at either end, which nobody reads. */
void test_element_forget_events (TestElement * self);

/* Those, and the messages. */
void test_element_forget_output (TestElement * self);

/* The value of one of the counters: processed, dropped, skipped; counted,
 * uncorrected. */
guint64 test_element_get_count (TestElement * self, const gchar * name);

/* The next `videohistogram` message on the bus, or NULL. */
GstMessage *test_element_pop_result (TestElement * self);

/* How many `videohistogram` messages are on the bus; takes them. */
guint test_element_count_results (TestElement * self);

/* A GRAY8 frame of @width x @height, all of @value. */
GstBuffer *test_gray_buffer (guint width, guint height, guint8 value,
    GstClockTime pts);

#define TEST_GRAY_CAPS(width, height) "video/x-raw,format=GRAY8,width=" #width \
    ",height=" #height ",framerate=25/1"

G_END_DECLS
