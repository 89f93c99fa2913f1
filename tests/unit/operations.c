/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which parts of a device an engine configures for which change, and how it
 * passes frames to it. A device that only records calls replaces the CPU. */
#include <gst/videohistogram/videohistogram.h>

#include "common/fakedevice.h"
#include "common/suite.h"

#define GRAY "video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1"
#define WIDE "video/x-raw,format=GRAY8,width=16,height=4,framerate=25/1"
#define OTHER_RATE "video/x-raw,format=GRAY8,width=8,height=4,framerate=50/1"

/* Calls since they were last checked, besides those of the device. */
static struct
{
  guint joints;                 /* number of configure calls */
  guint counted, joined;
} done;

static gboolean
fake_count (G_GNUC_UNUSED const VhRect * region, VhCounts * counts,
    G_GNUC_UNUSED GError ** error)
{
  done.counted++;
  vh_counts_complete (counts);
  return TRUE;
}

static gboolean
joint_configure (G_GNUC_UNUSED VhJointCounter * joint,
    G_GNUC_UNUSED const VhLayout * layout, G_GNUC_UNUSED guint bins,
    G_GNUC_UNUSED guint method, G_GNUC_UNUSED GError ** error)
{
  done.joints++;
  return TRUE;
}

static void
free_luma (VhLuma * luma)
{
  g_free (luma);
}

static VhLuma *
joint_new_luma (VhJointCounter * joint, gsize pixels,
    G_GNUC_UNUSED GError ** error)
{
  VhLuma *luma = g_new0 (VhLuma, 1);

  vh_luma_init (luma, free_luma, joint->klass, pixels);
  return luma;
}

static gboolean
joint_submit (G_GNUC_UNUSED VhJointCounter * joint,
    G_GNUC_UNUSED VhFrame * frame, G_GNUC_UNUSED const VhRect * region,
    VhJoint * work, G_GNUC_UNUSED GError ** error)
{
  done.joined++;
  work->kept = work->keep != NULL;
  if (work->counts)
    vh_counts_complete (work->counts);
  return TRUE;
}

static void
joint_close (VhJointCounter * joint)
{
  g_free (joint);
}

static const VhJointCounterClass joint_class = {
  .configure = joint_configure,
  .new_luma = joint_new_luma,
  .submit = joint_submit,
  .close = joint_close,
};

static VhJointCounter *
note_new_joint_counter (G_GNUC_UNUSED VhDevice * device)
{
  VhJointCounter *joint = g_new0 (VhJointCounter, 1);

  joint->klass = &joint_class;
  return joint;
}

const VhDeviceClass vh_cpu_device_class = {
  FAKE_DEVICE,
  .new_joint_counter = note_new_joint_counter,
};

static GstVideoHistogramEngine *engine;
static GstVideoHistogramSpec spec;

static void
setup (void)
{
  engine = gst_video_histogram_engine_new ();
  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  gst_video_histogram_spec_init (&spec);
  fake_error = TEST_NO_ERROR;
}

static void
teardown (void)
{
  g_object_unref (engine);
}

static void
forget_calls (void)
{
  memset (&done, 0, sizeof (done));
  memset (&fake, 0, sizeof (fake));
}

/* Configures, and checks which parts that configured. */
static void
check_configured (const gchar * text, guint devices, guint counters,
    guint joints)
{
  GstCaps *caps = gst_caps_from_string (text);

  forget_calls ();
  fail_unless (gst_video_histogram_engine_configure (engine, caps, &spec,
          NULL));
  fail_unless_equals_int (fake.devices, devices);
  fail_unless_equals_int (fake.counters, counters);
  fail_unless_equals_int (done.joints, joints);
  gst_caps_unref (caps);
}

/* Expects the error with this code, or -1 for none. */
static void
submit (gint code)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64, NULL);
  GError *error = NULL;
  GstVideoHistogram *histogram;

  forget_calls ();
  histogram = gst_video_histogram_engine_submit (engine, buffer, NULL, FALSE,
      &error);
  fail_unless ((histogram != NULL) == (code < 0));
  fail_unless_equals_int (error ? error->code : -1, code);
  fail_unless_equals_int (fake.begun - (code >= 0), fake.ended);
  gst_clear_video_histogram (&histogram);
  g_clear_error (&error);
  gst_buffer_unref (buffer);
}

/* A change of the region configures nothing; other channels or bins configure
 * the counter; new caps configure everything. */
GST_START_TEST (test_what_is_configured)
{
  check_configured (GRAY, 1, 1, 0);
  check_configured (GRAY, 0, 0, 0);
  spec.region_x = spec.region_y = spec.region_width = spec.region_height = 1;
  check_configured (GRAY, 0, 0, 0);
  spec.region_x = 3;
  check_configured (GRAY, 0, 0, 0);
  submit (-1);
  fail_unless_equals_int (fake.counters, 0);

  spec.bins = 7;
  check_configured (GRAY, 0, 1, 0);
  spec.channels = GST_VIDEO_HISTOGRAM_CHANNELS_RGB;
  check_configured (GRAY, 0, 1, 0);
  spec.columns = 2;
  check_configured (GRAY, 0, 1, 0);
  spec.rows = 2;
  check_configured (GRAY, 0, 1, 0);
  spec.method = GST_VIDEO_HISTOGRAM_METHOD_BLOCK_SCALAR;
  check_configured (GRAY, 0, 1, 0);

  spec.joint = GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS;
  check_configured (GRAY, 0, 0, 1);
  check_configured (GRAY, 0, 0, 0);
  spec.joint_bins = 9;
  check_configured (GRAY, 0, 0, 1);
  spec.region_x = 1;
  check_configured (GRAY, 0, 0, 0);

  check_configured (OTHER_RATE, 1, 1, 1);
  check_configured (WIDE, 1, 1, 1);
}

GST_END_TEST;

/* After a rejected configuration the old one does not apply. */
GST_START_TEST (test_after_an_error)
{
  GstCaps *caps = gst_caps_from_string (GRAY);

  check_configured (GRAY, 1, 1, 0);
  spec.region_x = 8;
  fail_if (gst_video_histogram_engine_configure (engine, caps, &spec, NULL));
  spec.region_x = 0;
  check_configured (GRAY, 0, 0, 0);
  gst_caps_unref (caps);

  caps = gst_caps_from_string ("video/x-raw,format=v210,width=8,height=4");
  fail_if (gst_video_histogram_engine_configure (engine, caps, &spec, NULL));
  gst_caps_unref (caps);
  check_configured (GRAY, 1, 1, 0);
}

GST_END_TEST;

/* Each frame is passed to the device once for all operations. */
GST_START_TEST (test_once)
{
  guint i;

  spec.joint = GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS;
  check_configured (GRAY, 1, 1, 1);
  for (i = 0; i < 3; i++) {
    submit (-1);
    fail_unless_equals_int (fake.begun, 1);
    fail_unless_equals_int (done.counted, 1);
    fail_unless_equals_int (done.joined, 1);
  }
}

GST_END_TEST;

/* A device that failed is configured again, a full one is not. */
GST_START_TEST (test_failures)
{
  check_configured (GRAY, 1, 1, 0);
  fake_error = VH_ERROR_OVERLOAD;
  submit (GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD);
  submit (-1);
  fail_unless_equals_int (fake.devices, 0);

  fake_error = VH_ERROR_DEVICE;
  submit (GST_VIDEO_HISTOGRAM_ERROR_DEVICE);
  fail_unless_equals_int (fake.devices, 0);
  submit (-1);
  fail_unless_equals_int (fake.devices, 1);
  fail_unless_equals_int (fake.counters, 1);
}

GST_END_TEST;

GST_START_TEST (test_overload)
{
  check_configured (GRAY, 1, 1, 0);
  submit (-1);
  fail_unless_equals_int (fake.waited, 0);
  gst_video_histogram_engine_set_overload (engine,
      GST_VIDEO_HISTOGRAM_OVERLOAD_WAIT);
  submit (-1);
  fail_unless_equals_int (fake.waited, 1);
  gst_video_histogram_engine_set_overload (engine,
      GST_VIDEO_HISTOGRAM_OVERLOAD_DROP);
  submit (-1);
  fail_unless_equals_int (fake.waited, 0);
}

GST_END_TEST;

/* An element's engine is the one last opened for it. */
GST_START_TEST (test_find)
{
  GstElement *element = gst_object_ref_sink (gst_bin_new ("some"));
  GstVideoHistogramEngine *other = gst_video_histogram_engine_new ();
  GstVideoHistogramEngine *found;

  fail_unless (gst_video_histogram_engine_find (element) == NULL);
  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, element, NULL));
  found = gst_video_histogram_engine_find (element);
  fail_unless (found == engine);
  g_object_unref (found);
  gst_video_histogram_engine_close (engine);
  fail_unless (gst_video_histogram_engine_find (element) == NULL);

  /* The last one opened; closing it is enough. */
  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, element, NULL));
  fail_unless (gst_video_histogram_engine_open (other,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, element, NULL));
  gst_video_histogram_engine_close (engine);
  found = gst_video_histogram_engine_find (element);
  fail_unless (found == other);
  g_object_unref (found);
  g_object_unref (other);
  fail_unless (gst_video_histogram_engine_find (element) == NULL);
  gst_object_unref (element);
}

GST_END_TEST;

TEST_SUITE (operations, setup, teardown)
{
  tcase_add_test (tc, test_what_is_configured);
  tcase_add_test (tc, test_after_an_error);
  tcase_add_test (tc, test_once);
  tcase_add_test (tc, test_failures);
  tcase_add_test (tc, test_overload);
  tcase_add_test (tc, test_find);
}
