/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers in system memory that do not hold what their caps and metas promise:
 * those of common/hostile.c, and some more. Their memories end at a page that
 * cannot be read. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>
#include <malloc.h>

#include "common/hostile.h"
#include "common/memory.h"
#include "common/suite.h"

#define WIDTH TEST_HOSTILE_WIDTH
#define HEIGHT TEST_HOSTILE_HEIGHT
#define CAPS TEST_HOSTILE_RAW ("")
#define MIN_LAYOUTS 60
#define MAX_TAKEN (64 * 1024 * 1024)    /* bytes */

static TestElement t;

static void
teardown (void)
{
  test_element_clear (&t);
}

static GstMemory *
make_memory (gconstpointer data, gsize size, GstMemoryFlags flags)
{
  return test_memory_guarded (data, size, FALSE, flags);
}

static const TestHostileSource source = { CAPS, "auto", make_memory, TRUE };

GST_START_TEST (test_count)
{
  test_hostile_count (&source, __i__);
}

GST_END_TEST;

GST_START_TEST (test_correct)
{
  test_hostile_correct (&source, __i__);
}

GST_END_TEST;

GST_START_TEST (test_judge)
{
  test_hostile_judge (&source, __i__);
}

GST_END_TEST;

GST_START_TEST (test_draw)
{
  test_hostile_draw (&source, __i__);
}

GST_END_TEST;

GST_START_TEST (test_how_many)
{
  fail_unless (test_hostile_n () >= MIN_LAYOUTS);
}

GST_END_TEST;

/* The last four pixels, then a region relative to the frame in the caps, not to
 * the crop. */
GST_START_TEST (test_true_crop_meta)
{
  const guint8 *image = test_hostile_image ();
  GstBuffer *buffer = test_hostile_honest (&source);
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);
  guint32 counts[256] = { 0, };

  crop->x = 62;
  crop->y = 46;
  crop->width = crop->height = 2;
  counts[image[46 * 64 + 62]]++;
  counts[image[46 * 64 + 63]]++;
  counts[image[47 * 64 + 62]]++;
  counts[image[47 * 64 + 63]]++;
  test_element_init (&t, CAPS, "interval", "0", "attach-meta",
      __i__ ? "always" : "never", NULL);
  test_hostile_pass_unchanged (&t, gst_buffer_copy (buffer));
  test_hostile_check_counts (&t, counts);
  test_element_check_count (&t, "skipped", 0);
  g_object_set (t.element, "roi", "10,10,4,4", NULL);
  test_hostile_pass_unchanged (&t, buffer);
  test_element_check_count (&t, "skipped", 1);
}

GST_END_TEST;

/* Another mapping writes to the memory, and something may also hold the
 * buffer. */
GST_START_TEST (test_memory_that_is_locked)
{
  const gboolean held = __i__;
  GstBuffer *buffer = test_hostile_honest (&source), *out;
  GstMemory *memory = gst_buffer_get_memory (buffer, 0);
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  test_element_init (&t, CAPS, "interval", "0", "attach-meta", "always", NULL);
  if (held)
    gst_buffer_ref (buffer);
  out = test_element_pass (&t, buffer);
  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  test_element_check_count (&t, "skipped", 1);
  gst_buffer_unref (out);
  if (held)
    gst_buffer_unref (buffer);
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
}

GST_END_TEST;

/* One field of interlaced video in alternate mode. */
GST_START_TEST (test_fields)
{
  const guint8 *image = test_hostile_image ();
  guint32 counts[256] = { 0, };
  GstVideoHistogram *histogram;
  guint i;

  for (i = 0; i < WIDTH * HEIGHT / 2; i++)
    counts[image[i]]++;
  test_element_init (&t, "video/x-raw(format:Interlaced),format=GRAY8,width=64,"
      "height=48,framerate=25/1,interlace-mode=alternate", "interval", "0",
      NULL);
  test_hostile_pass_unchanged (&t, test_buffer_guarded (image,
          WIDTH * HEIGHT / 2));
  test_element_check_count (&t, "skipped", 0);
  test_hostile_check_counts (&t, counts);
  /* The picture is the field. */
  g_object_get (t.element, "last-histogram", &histogram, NULL);
  fail_unless_equals_int (gst_video_histogram_get_info (histogram)->height,
      HEIGHT / 2);
  fail_unless_equals_int (gst_video_histogram_get_info
      (histogram)->region_height, HEIGHT / 2);
  gst_video_histogram_unref (histogram);
  test_hostile_pass_unchanged (&t, test_buffer_guarded (image,
          WIDTH * HEIGHT / 2 - 1));
  test_element_check_count (&t, "skipped", 1);
}

GST_END_TEST;

/* Buffers before any caps, before and after a property is changed. */
GST_START_TEST (test_without_caps)
{
  test_element_init (&t, NULL, "interval", "0", NULL);
  test_element_begin (&t, NULL);
  test_hostile_pass_unchanged (&t, test_hostile_honest (&source));
  g_object_set (t.element, "bins", 3, NULL);
  test_hostile_pass_unchanged (&t, test_hostile_honest (&source));
  test_element_check_count (&t, "skipped", 2);
}

GST_END_TEST;

static void
set_caps_downstream (TestElement * t, const gchar * caps)
{
  gst_harness_set_sink_caps_str (t->h, caps);
  gst_harness_push_upstream_event (t->h, gst_event_new_reconfigure ());
}

/* Makes the base class mark the next frame as DISCONT, because it lost a
 * DISCONT frame. */
static void
lose_discont (TestElement * t)
{
  GstBuffer *buffer = test_hostile_honest (&source);

  set_caps_downstream (t, "video/x-raw,format=RGB");
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  fail_unless_equals_int (gst_harness_push (t->h, buffer),
      GST_FLOW_NOT_NEGOTIATED);
  set_caps_downstream (t, CAPS);
}

/* A held frame, whose memory may be read but not shared. */
GST_START_TEST (test_discont_of_memory_of_one_owner)
{
  const gboolean equalize = __i__ % 2, does_nothing = __i__ / 2;
  GstBuffer *held = test_hostile_honest (&source), *out;
  gint64 position;
  guint i;

  GST_BUFFER_PTS (held) = 2 * GST_SECOND;
  GST_BUFFER_DURATION (held) = GST_SECOND;
  GST_MINI_OBJECT_FLAG_SET (gst_buffer_peek_memory (held, 0),
      GST_MEMORY_FLAG_NO_SHARE);
  if (equalize)
    test_element_init_equalize (&t, CAPS, "strength", does_nothing ? "0" : "1",
        NULL);
  else
    test_element_init (&t, CAPS, "interval", "0", "attach-meta",
        does_nothing ? "never" : "always", NULL);
  lose_discont (&t);
  for (i = 0; i < 2; i++) {
    out = test_element_pass (&t, gst_buffer_ref (held));
    if (equalize && !does_nothing) {
      fail_unless (out != held);
      fail_unless (GST_BUFFER_IS_DISCONT (out) == (i == 0));
      test_element_check_count (&t, "counted", i + 1);
    } else {
      fail_unless (out == held);
    }
    gst_buffer_unref (out);
    fail_unless (gst_element_query_position (t.element, GST_FORMAT_TIME,
            &position));
    fail_unless_equals_int64 (position, 3 * GST_SECOND);
  }
  if (equalize) {
    test_element_check_count (&t, "uncorrected", 0);
  } else {
    test_hostile_check_counts (&t, test_hostile_counts ());
    test_element_check_count (&t, "skipped", 0);
  }
  gst_buffer_unref (held);
}

GST_END_TEST;

/* A memory that cannot even be copied. */
GST_START_TEST (test_discont_of_memory_that_cannot_be_copied)
{
  GstBuffer *held = gst_buffer_new (), *out;

  test_element_init_equalize (&t, CAPS, NULL, NULL);
  lose_discont (&t);
  gst_buffer_append_memory (held, test_memory_unmappable (TEST_HOSTILE_SIZE));
  gst_memory_lock (gst_buffer_peek_memory (held, 0), GST_LOCK_FLAG_WRITE);
  out = test_element_pass (&t, gst_buffer_ref (held));
  fail_unless (out == held);
  test_element_check_count (&t, "uncorrected", 1);
  gst_memory_unlock (gst_buffer_peek_memory (held, 0), GST_LOCK_FLAG_WRITE);
  gst_buffer_unref (out);
  gst_buffer_unref (held);
}

GST_END_TEST;

/* Large caps alone must not make the element allocate a copy. */
GST_START_TEST (test_small_buffer_of_large_caps)
{
  const gsize before = mallinfo2 ().hblkhd;

  test_element_init_equalize (&t, TEST_GRAY_CAPS (32767, 16384), NULL, NULL);
  test_hostile_pass_unchanged (&t, test_hostile_honest (&source));
  test_element_check_count (&t, "uncorrected", 1);
  fail_unless (mallinfo2 ().hblkhd < before + MAX_TAKEN);
}

GST_END_TEST;

/* Nor a frame to draw on. */
GST_START_TEST (test_small_buffer_of_large_caps_drawn)
{
  const gsize before = mallinfo2 ().hblkhd;

  test_element_init_scope (&t, TEST_GRAY_CAPS (32767, 16384), NULL, NULL);
  test_hostile_pass_unchanged (&t, test_hostile_honest (&source));
  test_element_check_count (&t, "undrawn", 1);
  fail_unless (mallinfo2 ().hblkhd < before + MAX_TAKEN);
}

GST_END_TEST;

TEST_SUITE (hostile, NULL, teardown)
{
  tcase_add_test (tc, test_how_many);
  tcase_add_loop_test (tc, test_count, 0, test_hostile_n ());
  tcase_add_loop_test (tc, test_correct, 0, test_hostile_n ());
  tcase_add_loop_test (tc, test_judge, 0, test_hostile_n ());
  tcase_add_loop_test (tc, test_draw, 0, test_hostile_n ());
  tcase_add_loop_test (tc, test_true_crop_meta, 0, 2);
  tcase_add_loop_test (tc, test_memory_that_is_locked, 0, 2);
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_without_caps);
  tcase_add_loop_test (tc, test_discont_of_memory_of_one_owner, 0, 4);
  tcase_add_test (tc, test_discont_of_memory_that_cannot_be_copied);
  tcase_add_test (tc, test_small_buffer_of_large_caps);
  tcase_add_test (tc, test_small_buffer_of_large_caps_drawn);
}
