/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts: their memory layout, how they become complete, and which thread
 * polls. Also the tables of channels and methods that the whole library
 * uses. */
#include <gst/videohistogram/videohistogram.h>

#include "common/env.h"
#include "common/suite.h"
#include "core/channels.h"
#include "core/counts.h"
#include "core/methods.h"

#define N_THREADS 8

GST_START_TEST (test_places)
{
  const VhCountsShape shape = {.channels = 1 | 4 | 8,.bins = 5,.columns = 3,
    .rows = 2
  };
  VhCounts *counts = vh_counts_new (&shape);
  guint32 *storage = vh_counts_storage (counts);
  gsize i;

  fail_unless_equals_int (vh_counts_length (counts), 3 * 5 * 3 * 2);
  fail_unless (memcmp (vh_counts_shape (counts), &shape, sizeof (shape)) == 0);
  for (i = 0; i < vh_counts_length (counts); i++)
    fail_unless_equals_int (storage[i], 0);
  fail_unless (vh_counts_cell (counts, 0, 0, 0) == storage);
  fail_unless (vh_counts_cell (counts, 0, 1, 0) == storage + 5);
  fail_unless (vh_counts_cell (counts, 0, 0, 1) == storage + 15);
  fail_unless (vh_counts_cell (counts, 1, 0, 0) == NULL);
  fail_unless (vh_counts_cell (counts, 2, 0, 0) == storage + 30);
  fail_unless (vh_counts_cell (counts, 3, 2, 1) == storage + 60 + 15 + 10);
  vh_counts_unref (counts);
}

GST_END_TEST;

/* A sanitizer would end the program here. */
GST_START_TEST (test_no_memory)
{
  /* 2^61 bytes, which valgrind does not mistake for a negative number. */
  const VhCountsShape shape = {.channels = 1,.bins = 1u << 31,
    .columns = 1 << 14,.rows = 1 << 14
  };

  if (TEST_SANITIZED (FALSE, TRUE))
    fail_unless (vh_counts_new (&shape) == NULL);
}

GST_END_TEST;

/* A job that records which thread polls. */
typedef struct
{
  gint asking;                  /* atomic: threads in poll */
  gint polls, releases, mapped; /* atomic */
  gint end_after;               /* polls until it is complete; negative:
                                 * never */
  gboolean fails;
} Job;

static void
poll_job (gpointer data, VhCounts * counts)
{
  Job *job = data;
  const gint polls = g_atomic_int_add (&job->polls, 1) + 1;

  fail_unless_equals_int (g_atomic_int_add (&job->asking, 1), 0);
  fail_if (job->end_after >= 0 && polls > job->end_after);
  g_thread_yield ();
  if (polls == job->end_after && job->fails) {
    vh_counts_fail (counts);
  } else if (polls == job->end_after) {
    vh_counts_storage (counts)[0] = 9;
    vh_counts_complete (counts);
  }
  g_atomic_int_add (&job->asking, -1);
}

static void
release_job (gpointer data)
{
  g_atomic_int_inc (&((Job *) data)->releases);
}

static gboolean
map_job (gpointer data, VhCountsDeviceView * view)
{
  g_atomic_int_inc (&((Job *) data)->mapped);
  view->counts = 42;
  return TRUE;
}

static void
unmap_job (gpointer data)
{
  g_atomic_int_add (&((Job *) data)->mapped, -1);
}

static const VhPendingFuncs funcs = {
  poll_job, release_job, map_job, unmap_job
};

static VhCounts *
make_counts (Job * job)
{
  const VhCountsShape shape = {.channels = 1,.bins = 4,.columns = 1,.rows = 1 };
  VhCounts *counts = vh_counts_new (&shape);

  if (job)
    vh_counts_set_pending (counts, &funcs, job);
  return counts;
}

static gpointer
wait_for (gpointer data)
{
  VhCounts *counts = data;
  const gboolean complete = vh_counts_wait (counts, GST_CLOCK_TIME_NONE);

  return GUINT_TO_POINTER (complete ? vh_counts_storage (counts)[0] : 0);
}

/* However many threads wait, one at a time polls, and none after the end. */
GST_START_TEST (test_one_asks)
{
  Job job = {.end_after = 20,.fails = __i__ };
  VhCounts *counts = make_counts (&job);
  GThread *threads[N_THREADS];
  guint i;

  for (i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("wait", wait_for, counts);
  for (i = 0; i < N_THREADS; i++)
    fail_unless_equals_int (GPOINTER_TO_UINT (g_thread_join (threads[i])),
        __i__ ? 0 : 9);
  fail_unless_equals_int (job.polls, 20);
  fail_unless_equals_int (vh_counts_poll (counts),
      __i__ ? VH_COUNTS_FAILED : VH_COUNTS_COMPLETE);
  fail_unless_equals_int (job.polls, 20);
  vh_counts_unref (counts);
  fail_unless_equals_int (job.releases, 1);
}

GST_END_TEST;

/* Another thread may also end the pending state, once and for all. */
GST_START_TEST (test_ended_once)
{
  Job job = {.end_after = -1 };
  VhCounts *counts = make_counts (&job);
  GThread *thread = g_thread_new ("wait", wait_for, counts);

  fail_unless_equals_int (vh_counts_poll (counts), VH_COUNTS_PENDING);
  fail_if (vh_counts_wait (counts, GST_MSECOND));
  vh_counts_storage (counts)[0] = 9;
  vh_counts_complete (counts);
  fail_unless_equals_int (GPOINTER_TO_UINT (g_thread_join (thread)), 9);
  vh_counts_fail (counts);
  fail_unless_equals_int (vh_counts_poll (counts), VH_COUNTS_COMPLETE);
  fail_unless (vh_counts_ref (counts) == counts);
  vh_counts_unref (counts);
  fail_unless_equals_int (job.releases, 0);
  vh_counts_unref (counts);
  fail_unless_equals_int (job.releases, 1);
}

GST_END_TEST;

/* Renewed counts are like new, except for those with other references. */
GST_START_TEST (test_renew)
{
  const VhCountsShape shape = { 1, 16, 1, 1 };
  VhCounts *counts = vh_counts_new (&shape);
  guint i;

  for (i = 0; i < 16; i++)
    vh_counts_storage (counts)[i] = i;
  vh_counts_complete (counts);
  vh_counts_ref (counts);
  fail_if (vh_counts_renew (counts));
  fail_unless_equals_int (vh_counts_poll (counts), VH_COUNTS_COMPLETE);
  fail_unless_equals_int (vh_counts_storage (counts)[15], 15);
  vh_counts_unref (counts);
  fail_unless (vh_counts_renew (counts));
  fail_unless_equals_int (vh_counts_poll (counts), VH_COUNTS_PENDING);
  for (i = 0; i < 16; i++)
    fail_unless_equals_int (vh_counts_storage (counts)[i], 0);
  vh_counts_unref (counts);
}

GST_END_TEST;

GST_START_TEST (test_map)
{
  Job job = {.end_after = -1 };
  VhCounts *counts = make_counts (&job);
  VhCountsDeviceView view;

  fail_unless (vh_counts_map_device (counts, &view));
  fail_unless_equals_uint64 (view.counts, 42);
  fail_unless (vh_counts_map_device (counts, &view));
  fail_unless_equals_int (job.mapped, 2);
  vh_counts_unmap_device (counts);
  vh_counts_unmap_device (counts);
  fail_unless_equals_int (job.mapped, 0);
  vh_counts_unref (counts);

  counts = make_counts (NULL);
  fail_if (vh_counts_map_device (counts, &view));
  vh_counts_unref (counts);
}

GST_END_TEST;

/* Each channel is a value of the public types, and consists of existing
 * components. */
GST_START_TEST (test_channels)
{
  static const gchar *const caps[VH_N_MODELS] = {
    "video/x-raw,format=GRAY8,width=8,height=4",
    "video/x-raw,format=I420,width=8,height=4",
    "video/x-raw,format=RGB,width=8,height=4",
  };
  GFlagsClass *flags = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_CHANNELS);
  guint c, m;

  fail_unless_equals_int (flags->n_values, VH_N_CHANNELS);
  for (c = 0; c < VH_N_CHANNELS; c++) {
    fail_unless_equals_int (flags->values[c].value, 1 << c);
    fail_unless_equals_string (flags->values[c].value_nick,
        vh_channels[c].name);
    fail_unless_equals_string (gst_video_histogram_channel_get_name (c),
        vh_channels[c].name);
  }
  for (m = 0; m < VH_N_MODELS; m++) {
    GstCaps *video = gst_caps_from_string (caps[m]);
    VhLayout layout;

    fail_unless (vh_layout_from_caps (&layout, video, NULL));
    fail_unless_equals_int (layout.model, m);
    for (c = 0; c < VH_N_CHANNELS; c++) {
      const VhChannelSource *source = vh_channel_source (&layout, c);
      const gint component = vh_channel_component (&layout, c);

      fail_unless (source->components > 0
          && source->components < 1u << layout.n_components);
      fail_unless_equals_int (vh_channels_components (&layout, 1u << c),
          source->components);
      fail_unless (component < 0 ? source->value != VH_VALUE_COMPONENT :
          source->components == 1u << component);
    }
    fail_unless_equals_int (vh_channels_planes (&layout, VH_ALL_CHANNELS),
        (1 << GST_VIDEO_INFO_N_PLANES (&layout.info)) - 1);
    gst_caps_unref (video);
  }
  g_type_class_unref (flags);
}

GST_END_TEST;

GST_START_TEST (test_methods)
{
  static const gchar *const nicks[] = {
    "auto",
#define M(id, nick, description) nick,
    VH_METHODS (M)
#undef M
  };
  GEnumClass *methods = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_METHOD);
  guint i;

  fail_unless_equals_int (methods->n_values, VH_N_METHODS);
  for (i = 0; i < VH_N_METHODS; i++) {
    fail_unless_equals_int (methods->values[i].value, i);
    fail_unless_equals_string (methods->values[i].value_nick, nicks[i]);
  }
  g_type_class_unref (methods);
}

GST_END_TEST;

TEST_SUITE (corecounts, NULL, NULL)
{
  tcase_add_test (tc, test_places);
  tcase_add_test (tc, test_no_memory);
  tcase_add_loop_test (tc, test_one_asks, 0, 2);
  tcase_add_test (tc, test_ended_once);
  tcase_add_test (tc, test_renew);
  tcase_add_test (tc, test_map);
  tcase_add_test (tc, test_channels);
  tcase_add_test (tc, test_methods);
}
