/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element of the plugin in a harness, with a bus. */
#pragma once

#include <gst/check/gstharness.h>

G_BEGIN_DECLS

typedef struct
{
  GstHarness *h;
  GstElement *element;
  GstBus *bus;
} TestElement;

/* Makes a playing element of @factory for @caps, or without caps if NULL. Names
 * and values of properties follow as strings. */
void test_element_init_factory (TestElement * self, const gchar * factory,
    const gchar * caps, const gchar * property, ...) G_GNUC_NULL_TERMINATED;

#define test_element_init(self, ...) \
    test_element_init_factory (self, "videohistogram", __VA_ARGS__)
#define test_element_init_equalize(self, ...) \
    test_element_init_factory (self, "videoequalize", __VA_ARGS__)
#define test_element_init_health(self, ...) \
    test_element_init_factory (self, "videohealth", __VA_ARGS__)
#define test_element_init_scope(self, ...) \
    test_element_init_factory (self, "videoscope", __VA_ARGS__)

/* Does nothing if it has been cleared, or is all 0. */
void test_element_clear (TestElement * self);

/* Pushes @buffer, which must be accepted, and returns the buffer that comes
 * out. */
GstBuffer *test_element_pass (TestElement * self, GstBuffer * buffer);

/* Pushes @buffer and drops the result. */
void test_element_push (TestElement * self, GstBuffer * buffer);

/* Drops unread events at both ends. */
void test_element_forget_events (TestElement * self);

/* Drops unread events and messages. */
void test_element_forget_output (TestElement * self);

/* Returns a counter: processed, dropped, skipped; counted, uncorrected; drawn,
 * undrawn. */
guint64 test_element_get_count (TestElement * self, const gchar * name);

/* Fails unless the counter @name is @count. */
#define test_element_check_count(self, name, count) \
    fail_unless_equals_uint64 (test_element_get_count (self, name), count)

/* Starts a stream of @caps, or without caps if NULL, at time 0. */
void test_element_begin (TestElement * self, const gchar * caps);

/* Flushes the stream; times start at 0 again. */
void test_element_flush (TestElement * self);

/* Stops the element and starts another stream of @caps. */
void test_element_restart (TestElement * self, const gchar * caps);

/* Removes the messages of @types from the bus and returns their number. */
guint test_element_count_messages (TestElement * self, GstMessageType types);

/* Takes the next warning or error, by @type, and fails unless its text contains
 * @part. */
void test_element_expect (TestElement * self, GstMessageType type,
    const gchar * part);

/* Returns the text of the next warning on @bus, or NULL. */
gchar *test_bus_pop_warning (GstBus * bus);

/* Returns a string property. */
gchar *test_element_dup_string (TestElement * self, const gchar * name);

/* Fails unless the property @name is the string @value. */
void test_element_check_string (TestElement * self, const gchar * name,
    const gchar * value);

/* The next `videohistogram` message on the bus, or NULL. */
GstMessage *test_element_pop_result (TestElement * self);

/* Removes the `videohistogram` messages from the bus and returns their
 * number. */
guint test_element_count_results (TestElement * self);

/* A GRAY8 frame of @width x @height, all of @value. */
GstBuffer *test_gray_buffer (guint width, guint height, guint8 value,
    GstClockTime pts);

/* A frame of @caps without a time; every byte is @value. */
GstBuffer *test_flat_buffer (GstCaps * caps, guint8 value);

/* Caps of @format in system memory, 25 frames a second. */
GstCaps *test_caps (const gchar * format, guint width, guint height);

/* Runs the pipeline @launch to the end of the stream, and fails on an error or
 * a warning. The pipeline is left playing: call test_pipeline_stop(). */
GstElement *test_pipeline_run (const gchar * launch);
void test_pipeline_play_to_end (GstElement * pipeline);
void test_pipeline_stop (GstElement * pipeline);

/* Calls @probe for each buffer on the pad @pad of the element @element. */
void test_pipeline_tap (GstElement * pipeline, const gchar * element,
    const gchar * pad, GstPadProbeCallback probe, gpointer data);

#define TEST_GRAY_CAPS(width, height) "video/x-raw,format=GRAY8,width=" #width \
    ",height=" #height ",framerate=25/1"

G_END_DECLS
