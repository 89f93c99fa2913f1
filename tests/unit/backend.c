/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which backend counts, and the message if it is not the requested one. */

#include "common/element.h"
#include "common/suite.h"

static GstElement *element;
static GstBus *bus;
static guint n_notified;

static void
note (void)
{
  n_notified++;
}

static void
setup (void)
{
  element = gst_element_factory_make ("videohistogram", NULL);
  gst_object_ref_sink (element);
  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  n_notified = 0;
  g_signal_connect (element, "notify::active-backend", note, NULL);
  g_signal_connect (element, "notify::backend-reason", note, NULL);
}

static void
teardown (void)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

static gchar *
get_string (const gchar * name)
{
  gchar *text;

  g_object_get (element, name, &text, NULL);
  return text;
}

static void
check_string (const gchar * name, const gchar * wanted)
{
  gchar *text = get_string (name);

  fail_unless_equals_string (text, wanted);
  g_free (text);
}

static gboolean
has_gpu (void)
{
  return g_file_test ("/dev/nvidiactl", G_FILE_TEST_EXISTS);
}

GST_START_TEST (test_cpu)
{
  check_string ("active-backend", NULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (n_notified, 2);
  check_string ("active-backend", "cpu");
  check_string ("backend-reason", "");
  gst_element_set_state (element, GST_STATE_NULL);
  check_string ("active-backend", NULL);
}

GST_END_TEST;

/* Without a GPU the CPU counts, and a message says why. */
GST_START_TEST (test_auto)
{
  gchar *reason;

  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  if (has_gpu ())
    return;
  check_string ("active-backend", "cpu");
  reason = get_string ("backend-reason");
  fail_unless (strlen (reason) > 15);
  fail_unless (strstr (reason, "CUDA") != NULL || strstr (reason, "NVIDIA") !=
      NULL || strstr (reason, "libcuda") != NULL, "%s", reason);
  g_free (reason);
}

GST_END_TEST;

/* One error says what to do, and that works. */
GST_START_TEST (test_cuda_without_a_gpu)
{
  GstMessage *message;
  GError *error;
  guint i;

  if (has_gpu ())
    return;

  for (i = 0; i < 3; i++) {
    gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PLAYING),
        GST_STATE_CHANGE_FAILURE);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    fail_unless (message != NULL, "no error on the bus");
    fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (element));
    gst_message_parse_error (message, &error, NULL);
    fail_unless (error->domain == GST_RESOURCE_ERROR);
    fail_unless (strstr (error->message, "backend=auto") != NULL
        && strstr (error->message, "backend=cpu") != NULL, "%s",
        error->message);
    g_error_free (error);
    gst_message_unref (message);
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
    fail_unless_equals_int (GST_STATE (element), GST_STATE_NULL);
    check_string ("active-backend", NULL);

    gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_READY),
        GST_STATE_CHANGE_SUCCESS);
    gst_element_set_state (element, GST_STATE_NULL);
  }
}

GST_END_TEST;

/* A backend set in READY is used from the next start on, each time. */
GST_START_TEST (test_set_in_ready)
{
  guint i;

  if (has_gpu ())
    return;
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  for (i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
        GST_STATE_CHANGE_FAILURE);
    check_string ("active-backend", NULL);
  }
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  fail_if (gst_element_set_state (element, GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_FAILURE);
  check_string ("active-backend", "cpu");
  check_string ("backend-reason", "");
}

GST_END_TEST;

/* A backend set in READY is opened at the next start, even if it is the one set
 * before: a GPU may have come back. */
GST_START_TEST (test_set_again_in_ready)
{
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  gst_element_set_state (element, GST_STATE_READY);
  gst_element_set_state (element, GST_STATE_PAUSED);
  gst_element_set_state (element, GST_STATE_READY);
  fail_unless_equals_int (n_notified, 2);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  gst_element_set_state (element, GST_STATE_PAUSED);
  fail_unless_equals_int (n_notified, 4);
}

GST_END_TEST;

GST_START_TEST (test_cuda_in_a_pipeline)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc ! videohistogram "
      "backend=cuda ! fakesink", NULL);
  GstBus *pipeline_bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  guint n = 0;

  if (!has_gpu ()) {
    fail_unless_equals_int (gst_element_set_state (pipeline,
            GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
    while ((message = gst_bus_pop_filtered (pipeline_bus,
                GST_MESSAGE_ERROR))) {
      gst_message_unref (message);
      n++;
    }
    fail_unless_equals_int (n, 1);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
  gst_object_unref (pipeline_bus);
  gst_object_unref (pipeline);
}

GST_END_TEST;

TEST_SUITE (backend, setup, teardown)
{
  tcase_add_test (tc, test_cpu);
  tcase_add_test (tc, test_auto);
  tcase_add_test (tc, test_cuda_without_a_gpu);
  tcase_add_test (tc, test_set_in_ready);
  tcase_add_test (tc, test_set_again_in_ready);
  tcase_add_test (tc, test_cuda_in_a_pipeline);
}
