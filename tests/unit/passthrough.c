/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output video is the input video: the same memories with the same bytes,
 * the same times, flags and metas, every buffer, in order. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/random.h"
#include "common/suite.h"

#define WIDTH 64
#define HEIGHT 48
#define SIZE 4608
#define CAPS "video/x-raw,format=I420,width=64,height=48,framerate=25/1"
#define N_BUFFERS 25

/* Flags that belong to a pool, not to the frame. */
#define FLAGS_OF_POOLS GST_BUFFER_FLAG_TAG_MEMORY

/* All properties of a buffer, to compare with later. */
typedef struct
{
  GstBuffer *buffer;            /* only to compare */
  GstMemory *memory[2];
  gchar *checksum;
  GstClockTime pts, dts, duration;
  guint64 offset, offset_end;
  GstBufferFlags flags;
  gchar *metas;
} Record;

/* The APIs of the metas, in order, without the one that the element adds. */
static gchar *
list_metas (GstBuffer * buffer)
{
  GString *names = g_string_new (NULL);
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, &state))) {
    if (meta->info->api != GST_VIDEO_HISTOGRAM_META_API_TYPE)
      g_string_append_printf (names, "%s ", g_type_name (meta->info->api));
  }
  return g_string_free (names, FALSE);
}

static gchar *
checksum (GstBuffer * buffer)
{
  guint8 bytes[SIZE];

  fail_unless_equals_int (gst_buffer_extract (buffer, 0, bytes, SIZE), SIZE);
  return g_compute_checksum_for_data (G_CHECKSUM_MD5, bytes, SIZE);
}

static void
record_init (Record * record, GstBuffer * buffer)
{
  guint i;

  *record = (Record) {
    .buffer = buffer,
    .pts = GST_BUFFER_PTS (buffer),
    .dts = GST_BUFFER_DTS (buffer),
    .duration = GST_BUFFER_DURATION (buffer),
    .offset = GST_BUFFER_OFFSET (buffer),
    .offset_end = GST_BUFFER_OFFSET_END (buffer),
    .flags = gst_buffer_get_flags (buffer) & ~FLAGS_OF_POOLS,
    .metas = list_metas (buffer),
    .checksum = checksum (buffer),
  };
  for (i = 0; i < gst_buffer_n_memory (buffer); i++)
    record->memory[i] = gst_buffer_peek_memory (buffer, i);
}

static void
record_clear (Record * record)
{
  g_free (record->checksum);
  g_free (record->metas);
}

static void
check_same (const Record * a, GstBuffer * buffer)
{
  Record b;

  record_init (&b, buffer);
  fail_unless (a->memory[0] == b.memory[0] && a->memory[1] == b.memory[1]);
  fail_unless_equals_string (a->checksum, b.checksum);
  fail_unless_equals_uint64 (a->pts, b.pts);
  fail_unless_equals_uint64 (a->dts, b.dts);
  fail_unless_equals_uint64 (a->duration, b.duration);
  fail_unless_equals_uint64 (a->offset, b.offset);
  fail_unless_equals_uint64 (a->offset_end, b.offset_end);
  fail_unless_equals_int (a->flags, b.flags);
  fail_unless_equals_string (a->metas, b.metas);
  record_clear (&b);
}

/* Buffer @n, with something of everything. */
static GstBuffer *
make_frame (guint n)
{
  static const guint flags[] = {
    0, GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_LIVE, GST_BUFFER_FLAG_MARKER,
    GST_BUFFER_FLAG_DELTA_UNIT, GST_BUFFER_FLAG_GAP, GST_BUFFER_FLAG_CORRUPTED,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF,
    GST_BUFFER_FLAG_LAST << 3,
  };
  TestRandom random = test_random_new (n);
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-unix");
  guint8 bytes[SIZE];
  GstBuffer *buffer;

  test_random_fill (&random, bytes, SIZE);
  buffer = gst_buffer_new_allocate (NULL, 3072, NULL);
  gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, SIZE - 3072,
          NULL));
  gst_buffer_fill (buffer, 0, bytes, SIZE);
  GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
  GST_BUFFER_DTS (buffer) = n * 40 * GST_MSECOND + 1;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  GST_BUFFER_OFFSET (buffer) = n + 1000;
  GST_BUFFER_OFFSET_END (buffer) = n + 1001;
  GST_BUFFER_FLAG_SET (buffer, flags[n % G_N_ELEMENTS (flags)]);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 2, 3, 4);
  gst_buffer_add_reference_timestamp_meta (buffer, reference, 7, 8);
  gst_buffer_add_video_region_of_interest_meta (buffer, "hand", 5, 6, 7, 8);
  gst_buffer_add_video_time_code_meta_full (buffer, 25, 1, NULL, 0, 1, 2, 3, 4,
      0);
  gst_caps_unref (reference);
  return buffer;
}

/* Configurations of the elements. */
static const struct
{
  const gchar *attach_meta, *interval, *channels;       /* NULL: videohealth */
} modes[] = {
  {"auto", "0", "luma"},
  {"never", "18446744073709551615", "luma"},
  {"never", "0", "luma+red+green+blue"},
  {"always", "0", "luma"},
  {"always", "100000000", "red"},
  {"never", "0", NULL},
};

static void
init_mode (TestElement * t, guint mode)
{
  if (!modes[mode].channels) {
    test_element_init_health (t, CAPS, NULL, NULL);
    return;
  }
  test_element_init (t, CAPS, "attach-meta", modes[mode].attach_meta,
      "interval", modes[mode].interval, "channels", modes[mode].channels,
      NULL);
}

/* Buffers that nothing else holds: the same buffers come out. */
GST_START_TEST (test_own_buffers)
{
  TestElement t;
  Record record;
  GstBuffer *buffer, *out;
  guint n;

  init_mode (&t, __i__);
  for (n = 0; n < N_BUFFERS; n++) {
    buffer = make_frame (n);
    record_init (&record, buffer);
    out = test_element_pass (&t, buffer);
    fail_unless (out == buffer);
    check_same (&record, out);
    fail_unless (gst_buffer_is_writable (out));
    fail_unless ((gst_buffer_get_video_histogram_meta (out) != NULL) ==
        (strcmp (modes[__i__].attach_meta, "always") == 0));
    gst_buffer_unref (out);
    record_clear (&record);
  }
  fail_unless_equals_int (gst_harness_buffers_received (t.h), N_BUFFERS);
  fail_unless_equals_int (gst_harness_buffers_in_queue (t.h), 0);
  test_element_clear (&t);
}

GST_END_TEST;

/* Buffers that something else holds, as after a tee. With a meta they leave in
 * a new buffer around the same memories, and the held one is unchanged. */
GST_START_TEST (test_shared_buffers)
{
  const gboolean with_meta = strcmp (modes[__i__].attach_meta, "always") == 0;
  TestElement t;
  Record record;
  GstBuffer *buffer, *out;
  guint n;

  init_mode (&t, __i__);
  for (n = 0; n < N_BUFFERS; n++) {
    buffer = make_frame (n);
    record_init (&record, buffer);
    out = test_element_pass (&t, gst_buffer_ref (buffer));
    fail_unless ((out == buffer) == !with_meta);
    check_same (&record, out);
    check_same (&record, buffer);
    fail_unless (gst_buffer_get_video_histogram_meta (buffer) == NULL);
    fail_unless ((gst_buffer_get_video_histogram_meta (out) != NULL) ==
        with_meta);
    gst_buffer_unref (out);
    gst_buffer_unref (buffer);
    record_clear (&record);
  }
  test_element_clear (&t);
}

GST_END_TEST;

/* Also as lists of buffers. */
GST_START_TEST (test_buffer_list)
{
  GstBufferList *list = gst_buffer_list_new ();
  TestElement t;
  Record records[N_BUFFERS];
  guint n;

  init_mode (&t, __i__);
  for (n = 0; n < N_BUFFERS; n++) {
    gst_buffer_list_add (list, make_frame (n));
    record_init (&records[n], gst_buffer_list_get (list, n));
  }
  fail_unless_equals_int (gst_pad_push_list (t.h->srcpad, list), GST_FLOW_OK);
  for (n = 0; n < N_BUFFERS; n++) {
    GstBuffer *out = gst_harness_pull (t.h);

    check_same (&records[n], out);
    gst_buffer_unref (out);
    record_clear (&records[n]);
  }
  test_element_clear (&t);
}

GST_END_TEST;

/* Pipelines: what passes at two places. */

typedef struct
{
  GMutex lock;
  GPtrArray *memories;          /* only to compare */
  GPtrArray *checksums;
  guint n_metas;
} Tap;

static void
tap_init (Tap * tap)
{
  g_mutex_init (&tap->lock);
  tap->memories = g_ptr_array_new ();
  tap->checksums = g_ptr_array_new_with_free_func (g_free);
  tap->n_metas = 0;
}

static void
tap_clear (Tap * tap)
{
  g_ptr_array_unref (tap->memories);
  g_ptr_array_unref (tap->checksums);
  g_mutex_clear (&tap->lock);
}

static GstPadProbeReturn
note_buffer (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Tap *tap = user_data;

  g_mutex_lock (&tap->lock);
  g_ptr_array_add (tap->memories, gst_buffer_peek_memory (buffer, 0));
  g_ptr_array_add (tap->checksums, checksum (buffer));
  if (gst_buffer_get_video_histogram_meta (buffer))
    tap->n_metas++;
  g_mutex_unlock (&tap->lock);
  return GST_PAD_PROBE_OK;
}

static void
tap_pad (GstElement * pipeline, const gchar * element, const gchar * name,
    Tap * tap)
{
  tap_init (tap);
  test_pipeline_tap (pipeline, element, name, note_buffer, tap);
}

static void
check_same_taps (const Tap * a, const Tap * b)
{
  guint i;

  fail_unless_equals_int (a->memories->len, b->memories->len);
  for (i = 0; i < a->memories->len; i++) {
    fail_unless (a->memories->pdata[i] == b->memories->pdata[i],
        "buffer %u is in another memory", i);
    fail_unless_equals_string (a->checksums->pdata[i], b->checksums->pdata[i]);
  }
}

GST_START_TEST (test_behind_a_tee)
{
  gchar *element = modes[__i__].channels ?
      g_strdup_printf ("videohistogram interval=0 attach-meta=%s",
      modes[__i__].attach_meta) : g_strdup ("videohealth");
  gchar *launch = g_strdup_printf ("videotestsrc num-buffers=%d pattern=snow ! "
      CAPS " ! identity name=in ! tee name=t t. ! queue ! identity name=other "
      "! fakesink sync=false t. ! queue ! %s ! identity name=out "
      "! fakesink sync=false", N_BUFFERS, element);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  Tap in, other, out;

  tap_pad (pipeline, "in", "sink", &in);
  tap_pad (pipeline, "other", "src", &other);
  tap_pad (pipeline, "out", "src", &out);
  test_pipeline_play_to_end (pipeline);
  test_pipeline_stop (pipeline);

  fail_unless_equals_int (in.memories->len, N_BUFFERS);
  check_same_taps (&in, &other);
  check_same_taps (&in, &out);
  fail_unless_equals_int (other.n_metas, 0);
  fail_unless_equals_int (out.n_metas,
      strcmp (modes[__i__].attach_meta, "always") == 0 ? N_BUFFERS : 0);
  tap_clear (&in);
  tap_clear (&other);
  tap_clear (&out);
  g_free (launch);
  g_free (element);
}

GST_END_TEST;

/* Sequences of states that start and end in NULL. */
static const gchar *const sequences[] = {
  "R", "RP", "RPR", "RPL", "RPLPR", "L", "P", "LP", "LPLPLP", "LR", "LRLR",
  "LNL", "PRPRP", "LPRPL", "RNRNPNLN", "LRPNPLRL",
};

static GstState
state_of (gchar letter)
{
  switch (letter) {
    case 'N':
      return GST_STATE_NULL;
    case 'R':
      return GST_STATE_READY;
    case 'P':
      return GST_STATE_PAUSED;
    default:
      return GST_STATE_PLAYING;
  }
}

/* Checks that @out equals @in, except for one buffer each time the pipeline is
 * stopped while it is in transit. */
static void
check_same_until_stopped (const Tap * in, const Tap * out, guint stops)
{
  guint i, n = 0;

  for (i = 0; i < in->memories->len; i++) {
    if (n < out->memories->len
        && in->memories->pdata[i] == out->memories->pdata[n]
        && g_str_equal (in->checksums->pdata[i], out->checksums->pdata[n]))
      n++;
    else
      fail_unless (stops-- > 0, "buffer %u was lost or changed", i);
  }
  fail_unless_equals_int (n, out->memories->len);
}

/* All buffers that go in come out, in whatever state. */
GST_START_TEST (test_state_sequences)
{
  const gchar *sequence = sequences[__i__ / 2];
  GstElement *pipeline = gst_parse_launch (__i__ % 2 ?
      "videotestsrc ! " CAPS " ! videohistogram name=h interval=0 "
      "attach-meta=always ! fakesink sync=false" :
      "videotestsrc ! " CAPS " ! videohistogram name=h interval=0 "
      "! fakesink sync=false", NULL);
  Tap in, out;
  guint stops = 1;

  tap_pad (pipeline, "h", "sink", &in);
  tap_pad (pipeline, "h", "src", &out);
  for (; *sequence; sequence++) {
    stops += state_of (*sequence) <= GST_STATE_READY;
    fail_if (gst_element_set_state (pipeline, state_of (*sequence)) ==
        GST_STATE_CHANGE_FAILURE);
    fail_if (gst_element_get_state (pipeline, NULL, NULL, 60 * GST_SECOND) ==
        GST_STATE_CHANGE_FAILURE);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  check_same_until_stopped (&in, &out, stops);
  tap_clear (&in);
  tap_clear (&out);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* A pool of a few buffers: none is held back. */
GST_START_TEST (test_small_pool)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT,
  };
  GstBuffer *buffer;
  TestElement t;
  guint n;

  gst_buffer_pool_config_set_params (config, NULL, SIZE, 2, 2);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  init_mode (&t, __i__);
  for (n = 0; n < N_BUFFERS; n++) {
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
            &params), GST_FLOW_OK);
    gst_buffer_memset (buffer, 0, n, SIZE);
    test_element_push (&t, buffer);
  }
  test_element_clear (&t);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

GST_END_TEST;

TEST_SUITE (passthrough, NULL, NULL)
{
  tcase_add_loop_test (tc, test_own_buffers, 0, G_N_ELEMENTS (modes));
  tcase_add_loop_test (tc, test_shared_buffers, 0, G_N_ELEMENTS (modes));
  tcase_add_loop_test (tc, test_buffer_list, 0, G_N_ELEMENTS (modes));
  tcase_add_loop_test (tc, test_behind_a_tee, 0, G_N_ELEMENTS (modes));
  tcase_add_loop_test (tc, test_state_sequences, 0,
      2 * G_N_ELEMENTS (sequences));
  tcase_add_loop_test (tc, test_small_pool, 0, G_N_ELEMENTS (modes));
}
