/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A decoder has few surfaces, and waits for them without limit: the element
 * holds at most one, and none forever. Also frames whose planes are in several
 * memories. */
#include "surfaces.h"

#include "common/env.h"
#include "common/suite.h"
#include "cuda/gstcudacompat.h"
#include "gpu.h"

#define WIDTH 160
#define HEIGHT 96
#define N_FRAMES 20
#define MANY 4                  /* surfaces */
#define FEW 2

/* How long a surface may be away while the GPU works normally. */
#define MAX_WAIT (TEST_SANITIZED (2000, 400) * G_TIME_SPAN_MILLISECOND)

/* How long the GPU hangs, in frames of 20 ms. */
#define HUNG_FRAMES 120

static TestElement t;
static GstCaps *caps;
static TestFrame frame;

static void
setup (void)
{
  test_gpu_setup ();
  test_frame_init_plain (&frame, &test_numbers, GST_VIDEO_FORMAT_NV12, WIDTH,
      HEIGHT, NULL);
  caps = gst_caps_ref (frame.caps);
}

static void
teardown (void)
{
  if (test_double ())
    test_double ()->hang_kernels (FALSE);
  test_element_clear (&t);
  gst_clear_caps (&caps);
  test_frame_clear (&frame);
  test_gpu_teardown ();
}

static GstBufferPool *
make_pool (guint n)
{
  GstBuffer *buffer = test_upload (&test_uploader, frame.buffer, caps);
  GstBufferPool *pool = test_cuda_pool_new (test_context_of (buffer),
      caps, n, FALSE);

  gst_buffer_unref (buffer);
  return pool;
}

static void
init_element (gboolean equalize)
{
  if (equalize)
    test_element_init_equalize (&t, NULL, "smoothing", "0", NULL);
  else
    test_element_init (&t, NULL, "backend", "cuda", "interval", "0",
        "post-messages", "false", NULL);
  test_gpu_set_caps (&t, caps, TRUE);
}

/* A decoder, with surfaces or with an equally small pool. */
typedef struct
{
  TestSurfaces *surfaces;       /* or NULL */
  GstBufferPool *pool;
  guint n;
} Decoder;

static void
decoder_init (Decoder * self, gboolean pooled, guint n)
{
  *self = (Decoder) {
    .pool = make_pool (n),
    .n = n,
  };
  if (!pooled)
    self->surfaces = test_surfaces_new (self->pool, n);
}

static GstBuffer *
try_pool (GstBufferPool * pool)
{
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT,
  };
  GstBuffer *buffer = NULL;

  return gst_buffer_pool_acquire_buffer (pool, &buffer, &params) ==
      GST_FLOW_OK ? buffer : NULL;
}

/* Returns the next picture, or NULL if no surface is free in time. */
static GstBuffer *
decode (Decoder * self)
{
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;
  GstBuffer *buffer = NULL;

  if (self->surfaces) {
    buffer = test_surfaces_acquire (self->surfaces, MAX_WAIT);
  } else {
    while (!(buffer = try_pool (self->pool)) && g_get_monotonic_time () < end)
      g_usleep (500);
  }
  return buffer;
}

/* Surfaces in use. */
static guint
count_away (Decoder * self)
{
  GstBuffer *buffers[MANY];
  guint n = 0, i;

  if (self->surfaces)
    return self->n - test_surfaces_free_count (self->surfaces);
  while (n < self->n && (buffers[n] = try_pool (self->pool)))
    n++;
  for (i = 0; i < n; i++)
    gst_buffer_unref (buffers[i]);
  return self->n - n;
}

static void
decoder_clear (Decoder * self)
{
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;

  while (count_away (self) > 0) {
    fail_unless (g_get_monotonic_time () < end, "surfaces are still held");
    g_usleep (1000);
  }
  g_clear_pointer (&self->surfaces, test_surfaces_free);
  test_pool_free (self->pool);
}

/* Decodes a picture, passes it, and drops it. Returns how many surfaces are
 * held then. */
static guint
pass (Decoder * self, guint n)
{
  GstBuffer *buffer = decode (self);

  fail_unless (buffer != NULL, "frame %u: all surfaces are held", n);
  /* Contents do not matter while kernels hang. */
  if (self->surfaces)
    test_surfaces_decoded (buffer);
  test_element_push (&t, buffer);
  return count_away (self);
}

/* Ordinary numbers of surfaces, so few that holding any hurts, and pools of the
 * same sizes. */
static const struct
{
  gboolean equalize, pooled;
  guint n;
} decoders[] = {
  {FALSE, FALSE, MANY}, {FALSE, FALSE, FEW}, {FALSE, TRUE, MANY},
  {TRUE, FALSE, MANY}, {TRUE, FALSE, FEW}, {TRUE, TRUE, MANY},
};

/* A late kernel gives back buffers of a pool that somebody waits for. */
static guint
max_held (guint kind)
{
  return decoders[kind].pooled ? 2 : 1;
}

/* A slow GPU. */
GST_START_TEST (test_slow)
{
  Decoder decoder;
  guint i;

  init_element (decoders[__i__].equalize);
  decoder_init (&decoder, decoders[__i__].pooled, decoders[__i__].n);
  test_set_delay (5 * TEST_GPU_SLOW);
  for (i = 0; i < N_FRAMES; i++)
    fail_unless (pass (&decoder, i) <= max_held (__i__));
  test_set_delay (0);
  test_element_clear (&t);
  decoder_clear (&decoder);
}

GST_END_TEST;

/* While the GPU hangs, the element holds no more surfaces than max_held(), and
 * the decoder can use all others. */
GST_START_TEST (test_hang)
{
  Decoder decoder;
  guint i;

  if (test_leave_out ("a GPU that hangs"))
    return;
  init_element (decoders[__i__].equalize);
  decoder_init (&decoder, decoders[__i__].pooled, decoders[__i__].n);
  pass (&decoder, 0);
  test_double ()->hang_kernels (TRUE);
  for (i = 0; i < HUNG_FRAMES; i++) {
    fail_unless (pass (&decoder, i) <= max_held (__i__));
    g_usleep (20000);
  }
  test_double ()->hang_kernels (FALSE);
  test_element_clear (&t);
  test_gpu_finish ();
  decoder_clear (&decoder);
}

GST_END_TEST;

/* Planes in several memories */

#define ALL_CHANNELS (GST_VIDEO_HISTOGRAM_CHANNELS_LUMA | \
    GST_VIDEO_HISTOGRAM_CHANNELS_RGB)

/* A frame with luma of one picture and chroma of another, each in a CUDA memory
 * of one of @pools, and the CPU's counts. */
static GstBuffer *
make_planes (GstBufferPool * pools[2], GstVideoHistogram ** expected)
{
  GstBuffer *buffer = gst_buffer_new (), *both = NULL;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES] = { 0, };
  guint p;

  for (p = 0; p < 2; p++) {
    const GstVideoMeta *meta;
    TestFrame picture;
    GstBuffer *plane;

    test_frame_init_plain (&picture, &test_numbers, GST_VIDEO_FORMAT_NV12,
        WIDTH, HEIGHT, NULL);
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pools[p], &plane,
            NULL), GST_FLOW_OK);
    test_fill (plane, &picture);
    meta = gst_buffer_get_video_meta (plane);
    fail_unless (meta != NULL);
    stride[p] = meta->stride[p];
    offset[p] = gst_buffer_get_size (buffer) + meta->offset[p];
    gst_buffer_append_memory (buffer, gst_buffer_get_memory (plane, 0));
    gst_buffer_unref (plane);
    if (p == 0)
      both = gst_buffer_copy_deep (picture.buffer);
    gst_buffer_fill (both, picture.offset[p], picture.image +
        picture.offset[p], picture.size - picture.offset[p]);
    test_frame_clear (&picture);
  }
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT, 2, offset, stride);
  *expected = test_count_on_cpu (both, caps, &test_spec);
  gst_buffer_unref (both);
  return buffer;
}

/* All channels, which need both planes. If memories have streams (from
 * GStreamer 1.24 on), each plane is still being written on a stream of its
 * own. */
GST_START_TEST (test_planes)
{
  GstVideoHistogram *expected;
  GstBufferPool *pools[2];
  GstBuffer *buffer, *out;
  guint i, p;

  test_spec.channels = ALL_CHANNELS;
  test_element_init (&t, NULL, "interval", "0", "attach-meta", "always",
      "overload", "wait", NULL);
  test_set_spec (t.element, &test_spec);
  test_gpu_set_caps (&t, caps, TRUE);
  buffer = test_upload (&test_uploader, frame.buffer, caps);
  for (p = 0; p < 2; p++) {
    pools[p] = test_cuda_pool_new (test_context_of (buffer), caps, 0,
        TRUE);
  }
  gst_buffer_unref (buffer);
  test_set_delay (5 * TEST_GPU_SLOW);
  for (i = 0; i < N_FRAMES; i++) {
    buffer = make_planes (pools, &expected);
    fail_unless_equals_int (gst_buffer_n_memory (buffer), 2);
#if GST_CHECK_VERSION (1, 24, 0)
    fail_unless (vh_gst_cuda_memory_stream (gst_buffer_peek_memory (buffer,
                0)) != vh_gst_cuda_memory_stream (gst_buffer_peek_memory
            (buffer, 1)));
#endif
    out = test_element_pass (&t, buffer);
    test_check_histogram (test_get_histogram (out), expected);
    gst_buffer_unref (out);
  }
  test_set_delay (0);
  test_wait_for_frames (&t, N_FRAMES);
  test_element_check_count (&t, "processed", N_FRAMES);
  test_element_check_string (&t, "active-backend", "cuda");
  test_element_clear (&t);
  for (p = 0; p < 2; p++)
    test_pool_free (pools[p]);
}

GST_END_TEST;

TEST_SUITE (surfaces, setup, teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_slow, 0, G_N_ELEMENTS (decoders));
  tcase_add_loop_test (tc, test_hang, 0, G_N_ELEMENTS (decoders));
  tcase_add_test (tc, test_planes);
}
