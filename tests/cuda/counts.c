/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in all kinds of memory, counted on the GPU: the counts equal the
 * CPU's, and pixels are copied only if necessary. */
#include <gst/cuda/gstcudamemory.h>

#include "common/env.h"
#include "common/launches.h"
#include "common/suite.h"
#include "gpu.h"

#define PINNED "VideoHistogramPinned"

static const struct
{
  guint width, height;
} sizes[] = {
  {1, 1}, {2, 2}, {3, 5}, {17, 1}, {1, 33}, {63, 47}, {321, 241}, {640, 90},
};

/* In system memory, a frame of this size is large enough to be uploaded. */
#define WIDTH 641
#define HEIGHT 411

static gchar **
list_cuda_formats (void)
{
  GstElementFactory *factory = gst_element_factory_find ("cudaupload");
  const GList *item;
  gchar **formats = NULL;

  fail_unless (factory != NULL, "nvcodec has no cudaupload");
  for (item = gst_element_factory_get_static_pad_templates (factory); item;
      item = item->next) {
    GstStaticPadTemplate *template = item->data;
    GstCaps *caps = gst_static_pad_template_get_caps (template);

    if (template->direction == GST_PAD_SRC)
      formats = test_caps_list_formats (caps);
    gst_caps_unref (caps);
  }
  gst_object_unref (factory);
  return formats;
}

static void
add_crop (GstBuffer * buffer, guint x, guint y, guint width, guint height)
{
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

  crop->x = x;
  crop->y = y;
  crop->width = width;
  crop->height = height;
}

/* Passes @buffer, or the one of @frame if NULL, and compares its histogram with
 * that of @frame. */
static void
check_frame (TestElement * t, GstBuffer * buffer, TestFrame * frame,
    const GstVideoHistogramSpec * spec, const gchar * backend)
{
  GstVideoHistogram *expected = test_count_on_cpu (frame->buffer, frame->caps,
      spec);
  GstVideoHistogram *histogram;
  GstMemory *memory;
  GstBuffer *out;
  const gchar *wrong;

  if (!buffer)
    buffer = g_steal_pointer (&frame->buffer);
  memory = gst_buffer_peek_memory (buffer, 0);
  out = test_element_pass (t, buffer);
  histogram = test_get_histogram (out);
  wrong = test_compare (histogram, expected);
  if (!wrong && g_strcmp0 (gst_video_histogram_get_backend (histogram),
          backend) != 0)
    wrong = "it was counted elsewhere";
  fail_if (wrong, "%s: %s, %ux%u, channels 0x%x, %u bins, grid %ux%u, region "
      "%u,%u,%u,%u", wrong, gst_video_format_to_string (frame->format),
      frame->width, frame->height, spec->channels, spec->bins, spec->columns,
      spec->rows, spec->region_x, spec->region_y, spec->region_width,
      spec->region_height);
  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  gst_video_histogram_unref (histogram);
  gst_video_histogram_unref (expected);
  gst_buffer_unref (out);
}

/* All formats that nvcodec supports in CUDA memory, in all sizes, with all
 * possible requests: one launch each, and no copy. */
GST_START_TEST (test_cuda_frames)
{
  gchar **formats = list_cuda_formats ();
  TestRandom random = test_random_new (__i__);
  GstVideoHistogramSpec spec;
  TestElement t;
  TestFrame frame;
  guint f, s, copies, launches;

  test_element_init (&t, NULL, "attach-meta", "always", "post-messages",
      "false", NULL);
  for (f = 0; formats[f]; f++) {
    const GstVideoFormat format = gst_video_format_from_string (formats[f]);

    for (s = __i__; s < G_N_ELEMENTS (sizes); s += 2) {
      guint width = sizes[s].width, height = sizes[s].height;
      GstBuffer *buffer;

      test_upload_round_up (format, &width, &height);
      test_frame_init_plain (&frame, &random, format, width, height, NULL);
      buffer = test_upload (&test_uploader, frame.buffer, frame.caps);
      fail_unless (gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0)));
      test_spec_init_random (&spec, &random, frame.caps);
      test_set_spec (t.element, &spec);
      gst_harness_set_src_caps (t.h, test_cuda_caps (frame.caps));

      copies = test_gpu_calls (TEST_GPU_COPIES, NULL);
      launches = test_gpu_calls (TEST_GPU_LAUNCHES, NULL);
      check_frame (&t, buffer, &frame, &spec, "cuda");
      fail_unless_equals_int (test_gpu_calls (TEST_GPU_COPIES, NULL), copies);
      if (test_double ())
        fail_unless_equals_int (test_gpu_calls (TEST_GPU_LAUNCHES, NULL),
            launches + 1);
      test_frame_clear (&frame);
    }
  }
  test_element_clear (&t);
  g_strfreev (formats);
}

GST_END_TEST;

/* The pixels that a crop meta leaves. */
/* Colors of 4:2:0, by vectors if the region and the picture consist of whole
 * ones. */
static const struct
{
  guint width, height;
  guint x, y;                   /* the region */
  gboolean vectors;
} yuv_regions[] = {
  {8, 1, 0, 0, TRUE}, {8, 2, 0, 0, TRUE}, {64, 33, 0, 0, TRUE},
  {320, 90, 16, 6, TRUE}, {640, 180, 0, 90, TRUE},
  {321, 20, 0, 0, FALSE}, {320, 20, 1, 0, FALSE}, {320, 20, 4, 0, FALSE},
  {320, 20, 0, 3, FALSE},
};

GST_START_TEST (test_yuv_colors)
{
  static const gchar *const of_formats[] = { "NV12", "NV21", "I420", "YV12" };
  static const GstVideoHistogramChannels channels[] = {
    GST_VIDEO_HISTOGRAM_CHANNELS_RGB,
    GST_VIDEO_HISTOGRAM_CHANNELS_RGB | GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
    GST_VIDEO_HISTOGRAM_CHANNELS_GREEN,
  };
  static const gchar *const colorimetries[] = { "bt709", "1:4:0:0", "bt601" };
  GstVideoHistogramSpec spec = test_spec;
  guint f, c;

  spec.bins = __i__ % 2 ? 100 : 256;
  spec.region_x = yuv_regions[__i__].x;
  spec.region_y = yuv_regions[__i__].y;
  for (f = 0; f < G_N_ELEMENTS (of_formats); f++) {
    for (c = 0; c < G_N_ELEMENTS (channels); c++) {
      const GstVideoFormat format =
          gst_video_format_from_string (of_formats[f]);
      guint width = yuv_regions[__i__].width;
      guint height = yuv_regions[__i__].height;
      GstVideoHistogram *histogram, *expected;
      GstVideoHistogramEngine *engine, *cpu;
      const gchar *wrong;
      TestFrame frame;
      GstBuffer *buffer;
      GstCaps *caps;

      spec.channels = channels[c];
      test_upload_round_up (format, &width, &height);
      test_frame_init_plain (&frame, &test_numbers, format, width, height,
          colorimetries[c]);
      buffer = test_upload (&test_uploader, frame.buffer, frame.caps);
      caps = test_cuda_caps (frame.caps);
      engine = test_engine_new (GST_VIDEO_HISTOGRAM_BACKEND_CUDA, caps, &spec);
      cpu = test_engine_new (GST_VIDEO_HISTOGRAM_BACKEND_CPU, frame.caps,
          &spec);
      test_gpu_watch ("vh_yuv_columns");
      histogram = gst_video_histogram_engine_submit (engine, buffer, NULL,
          FALSE, NULL);
      expected = gst_video_histogram_engine_submit (cpu, frame.buffer, NULL,
          FALSE, NULL);
      wrong = test_compare (histogram, expected);
      fail_if (wrong, "%s, %u channels: %s", of_formats[f], c, wrong);
      if (test_double ())
        fail_unless_equals_int (test_gpu_watched (),
            yuv_regions[__i__].vectors);
      gst_video_histogram_unref (histogram);
      gst_video_histogram_unref (expected);
      gst_buffer_unref (buffer);
      gst_caps_unref (caps);
      g_object_unref (engine);
      g_object_unref (cpu);
      test_frame_clear (&frame);
    }
  }
  test_gpu_watch (NULL);
}

GST_END_TEST;

GST_START_TEST (test_crop)
{
  static const gchar *const formats[] = {
    "I420", "NV12", "YUY2", "RGB", "BGRx", "P010_10LE"
  };
  TestRandom random = test_random_new (7);
  GstVideoHistogramSpec spec;
  TestElement t;
  TestFrame frame;
  guint f, i;

  test_element_init (&t, NULL, "attach-meta", "always", "post-messages",
      "false", NULL);
  gst_video_histogram_spec_init (&spec);
  spec.channels |= GST_VIDEO_HISTOGRAM_CHANNELS_RGB;
  spec.columns = 3;
  test_set_spec (t.element, &spec);
  for (f = 0; f < G_N_ELEMENTS (formats); f++) {
    test_frame_init_plain (&frame, &random,
        gst_video_format_from_string (formats[f]), 99, 77, NULL);
    gst_harness_set_src_caps (t.h, test_cuda_caps (frame.caps));
    for (i = 0; i < 8; i++) {
      GstBuffer *buffer = test_upload (&test_uploader, frame.buffer,
          frame.caps);
      const guint x = test_random_below (&random, 90);
      const guint y = test_random_below (&random, 70);
      const guint width = 1 + test_random_below (&random, 99 - x);
      const guint height = 1 + test_random_below (&random, 77 - y);
      TestFrame cropped = frame;

      add_crop (buffer, x, y, width, height);
      cropped.buffer = gst_buffer_copy (frame.buffer);
      add_crop (cropped.buffer, x, y, width, height);
      check_frame (&t, buffer, &cropped, &spec, "cuda");
      gst_buffer_unref (cropped.buffer);
    }
    test_frame_clear (&frame);
  }
  test_element_clear (&t);
}

GST_END_TEST;

/* Frames that do not hold what their metas promise are not read. */
GST_START_TEST (test_hostile)
{
  static const struct
  {
    gsize offset;
    gint stride;
    guint width, height;
  } claims[] = {
    {0, 1 << 30, 64, 48}, {1 << 20, 64, 64, 48}, {0, 0, 64, 48},
    {0, -64, 64, 48}, {0, 64, 64, 1 << 20}, {0, 64, 1 << 20, 48},
  };
  TestRandom random = test_random_new (3);
  TestElement t;
  TestFrame frame;
  guint i, launches;

  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_RGBA, 64, 48, NULL);
  test_element_init (&t, NULL, "attach-meta", "always", NULL);
  gst_harness_set_src_caps (t.h, test_cuda_caps (frame.caps));
  launches = test_gpu_calls (TEST_GPU_LAUNCHES, NULL);
  for (i = 0; i < G_N_ELEMENTS (claims); i++) {
    GstBuffer *uploaded = test_upload (&test_uploader, frame.buffer,
        frame.caps);
    GstBuffer *buffer = gst_buffer_copy (uploaded);
    GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

    fail_unless (meta != NULL);
    gst_buffer_unref (uploaded);
    meta->offset[0] = claims[i].offset;
    meta->stride[0] = claims[i].stride;
    meta->width = claims[i].width;
    meta->height = claims[i].height;
    buffer = test_element_pass (&t, buffer);
    fail_unless (gst_buffer_get_video_histogram_meta (buffer) == NULL);
    gst_buffer_unref (buffer);
  }
  test_element_check_count (&t, "skipped", i);
  fail_unless_equals_int (test_gpu_calls (TEST_GPU_LAUNCHES, NULL), launches);
  test_element_clear (&t);
  test_frame_clear (&frame);
}

GST_END_TEST;

/* CUDA memory under caps of system memory is counted in place, between other
 * frames, with every backend but the CPU. */
GST_START_TEST (test_plain_caps)
{
  TestRandom random = test_random_new (11);
  GstVideoHistogramSpec spec;
  TestElement t;
  TestFrame frame;
  guint i, copies;

  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_NV12, 160, 90, NULL);
  test_element_init (&t, NULL, "attach-meta", "always", "backend",
      __i__ ? "cuda" : "auto", NULL);
  gst_video_histogram_spec_init (&spec);
  gst_harness_set_src_caps (t.h, gst_caps_ref (frame.caps));
  for (i = 0; i < 12; i++) {
    if (i % 3 == 2) {
      check_frame (&t, gst_buffer_copy (frame.buffer), &frame, &spec,
          __i__ ? "cuda" : "cpu");
    } else {
      GstBuffer *buffer = test_upload (&test_uploader, frame.buffer,
          frame.caps);

      copies = test_gpu_calls (TEST_GPU_COPIES, NULL);
      check_frame (&t, buffer, &frame, &spec, "cuda");
      fail_unless_equals_int (test_gpu_calls (TEST_GPU_COPIES, NULL), copies);
    }
  }
  test_element_clear (&t);
  test_frame_clear (&frame);
}

GST_END_TEST;

/* Frames in pageable memory, with any layout: only the planes that are needed
 * are uploaded, with one copy each. */
static const struct
{
  const gchar *format;
  GstVideoHistogramChannels channels;
  guint planes;
  gsize bytes;                  /* bytes sent to the GPU, in rows without
                                 * padding */
} uploads[] = {
  {"I420", GST_VIDEO_HISTOGRAM_CHANNELS_LUMA, 1, WIDTH * HEIGHT},
  {"I420", GST_VIDEO_HISTOGRAM_CHANNELS_RGB, 3,
      WIDTH * HEIGHT + 2 * ((WIDTH + 1) / 2) * ((HEIGHT + 1) / 2)},
  {"NV12", GST_VIDEO_HISTOGRAM_CHANNELS_LUMA, 1, WIDTH * HEIGHT},
  {"NV12", GST_VIDEO_HISTOGRAM_CHANNELS_RED, 2,
      WIDTH * HEIGHT + 2 * ((WIDTH + 1) / 2) * ((HEIGHT + 1) / 2)},
  {"GBR", GST_VIDEO_HISTOGRAM_CHANNELS_GREEN, 1, WIDTH * HEIGHT},
  {"GBR", GST_VIDEO_HISTOGRAM_CHANNELS_LUMA, 3, 3 * WIDTH * HEIGHT},
  {"RGB", GST_VIDEO_HISTOGRAM_CHANNELS_RGB, 1, 3 * WIDTH * HEIGHT},
  {"P010_10LE", GST_VIDEO_HISTOGRAM_CHANNELS_LUMA, 1, 2 * WIDTH * HEIGHT},
  {"GRAY16_BE", GST_VIDEO_HISTOGRAM_CHANNELS_LUMA, 1, 2 * WIDTH * HEIGHT},
  {"Y444", GST_VIDEO_HISTOGRAM_CHANNELS_BLUE, 3, 3 * WIDTH * HEIGHT},
};

GST_START_TEST (test_pageable)
{
  TestRandom random = test_random_new (__i__);
  const GstVideoFormat format =
      gst_video_format_from_string (uploads[__i__].format);
  GstVideoHistogramSpec spec;
  TestElement t;
  TestFrame frame;
  guint i, k, copies;
  gsize before = 0, room;

  test_element_init (&t, NULL, "attach-meta", "always", "backend", "cuda",
      "post-messages", "false", NULL);
  gst_video_histogram_spec_init (&spec);
  spec.channels = uploads[__i__].channels;
  test_set_spec (t.element, &spec);
  for (i = 0; i < 4; i++) {
    test_frame_init_plain (&frame, &random, format, WIDTH, HEIGHT, NULL);
    gst_harness_set_src_caps (t.h, gst_caps_ref (frame.caps));
    copies = test_gpu_calls (TEST_GPU_COPIES, NULL);
    if (i == 0 && test_double ())
      before = test_double ()->live_bytes (VH_DOUBLE_DEVICE_MEMORY);
    check_frame (&t, NULL, &frame, &spec, "cuda");
    if (test_double ()) {
      fail_unless_equals_int (test_gpu_calls (TEST_GPU_COPIES, NULL),
          copies + uploads[__i__].planes);
      /* Room for two frames with rows aligned to 128 bytes, and for older
       * memory that is freed a little later. */
      room = before + 2 * (uploads[__i__].bytes + 128 * 3 * HEIGHT);
      for (k = 0; k < 1000 && test_double ()->live_bytes
          (VH_DOUBLE_DEVICE_MEMORY) > room; k++)
        g_usleep (1000);
      fail_unless (test_double ()->live_bytes (VH_DOUBLE_DEVICE_MEMORY) <=
          room);
    }
    test_frame_clear (&frame);
  }
  test_element_clear (&t);
}

GST_END_TEST;

/* Gradients, alone and with other channels, with any cells, regions and bins,
 * with a launch of their own. */
GST_START_TEST (test_gradient)
{
  static const gchar *const of_formats[] = {
    "NV12", "GRAY8", "P010_10LE", "Y444_16LE", "YUY2", "RGBA", "RGB", "GBR",
  };
  static const GstVideoHistogramChannels others[] = {
    0, GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
    GST_VIDEO_HISTOGRAM_CHANNELS_LUMA | GST_VIDEO_HISTOGRAM_CHANNELS_RGB,
  };
  static const guint bins[] = { 0, 256, 100, 1024, 65536 };
  guint f, c;

  for (f = 0; f < G_N_ELEMENTS (of_formats); f++) {
    for (c = 0; c < G_N_ELEMENTS (others); c++) {
      GstVideoHistogramSpec spec = test_spec;
      GstVideoHistogram *histogram, *expected;
      GstVideoHistogramEngine *engine, *cpu;
      const gchar *wrong;
      TestFrame frame;

      spec.channels = others[c] | GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
      spec.bins = bins[__i__];
      spec.columns = 1 + test_random_below (&test_numbers, 4);
      spec.rows = 1 + test_random_below (&test_numbers, 3);
      /* Many megabytes of counts take the double longer than a GPU is
       * allowed. */
      if (test_double () && spec.bins == 65536) {
        spec.columns = MIN (spec.columns, 2);
        spec.rows = 1;
      }
      spec.method = test_random_once_in (&test_numbers, 3) ?
          GST_VIDEO_HISTOGRAM_METHOD_GLOBAL_COPIES :
          GST_VIDEO_HISTOGRAM_METHOD_AUTO;
      if (test_random_once_in (&test_numbers, 2)) {
        spec.region_x = test_random_below (&test_numbers, 30);
        spec.region_width = 1 + test_random_below (&test_numbers, 90);
      }
      test_frame_init_plain (&frame, &test_numbers,
          gst_video_format_from_string (of_formats[f]),
          40 + test_random_below (&test_numbers, 200),
          1 + test_random_below (&test_numbers, 60), NULL);
      engine = test_engine_new (GST_VIDEO_HISTOGRAM_BACKEND_CUDA, frame.caps,
          &spec);
      cpu = test_engine_new (GST_VIDEO_HISTOGRAM_BACKEND_CPU, frame.caps,
          &spec);
      test_gpu_watch ("vh_gradient");
      histogram = gst_video_histogram_engine_submit (engine, frame.buffer, NULL,
          FALSE, NULL);
      expected = gst_video_histogram_engine_submit (cpu, frame.buffer, NULL,
          FALSE, NULL);
      wrong = test_compare (histogram, expected);
      fail_if (wrong, "%s, %u bins, %ux%u cells: %s", of_formats[f], spec.bins,
          spec.columns, spec.rows, wrong);
      if (test_double ())
        fail_unless_equals_int (test_gpu_watched (), 1);
      gst_video_histogram_unref (histogram);
      gst_video_histogram_unref (expected);
      g_object_unref (engine);
      g_object_unref (cpu);
      test_frame_clear (&frame);
    }
  }
  test_gpu_watch (NULL);
}

GST_END_TEST;

/* Any strides, offsets, memories and crops. */
GST_START_TEST (test_pageable_layouts)
{
  TestRandom random = test_random_new (__i__ + 100);
  GstCaps *caps = gst_video_histogram_engine_get_caps ();
  gchar **formats = test_caps_list_formats (caps);
  GstVideoHistogramSpec spec;
  TestElement t;
  TestFrame frame;
  guint i;

  test_element_init (&t, NULL, "attach-meta", "always", "backend", "cuda",
      "post-messages", "false", NULL);
  for (i = 0; i < 40; i++) {
    test_frame_init_random (&frame, &random,
        gst_video_format_from_string (formats[test_random_below (&random,
                    g_strv_length (formats))]),
        1 + test_random_below (&random, 200),
        1 + test_random_below (&random, 100), NULL);
    test_spec_init_random (&spec, &random, frame.caps);
    test_set_spec (t.element, &spec);
    gst_harness_set_src_caps (t.h, gst_caps_ref (frame.caps));
    check_frame (&t, NULL, &frame, &spec, "cuda");
    test_frame_clear (&frame);
  }
  test_element_clear (&t);
  g_strfreev (formats);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Answers ALLOCATION queries like a sink, with the pool @user_data if not
 * NULL. */
static GstPadProbeReturn
answer_allocation (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  if (user_data)
    gst_query_add_allocation_pool (query, user_data, 4096, 3, 5);
  return GST_PAD_PROBE_HANDLED;
}

static void
answer_allocations (TestElement * t, GstBufferPool * pool)
{
  gst_pad_add_probe (t->h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_allocation, pool, NULL);
}

static GstQuery *
query_allocation (TestElement * t, GstCaps * caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);

  fail_unless (gst_pad_peer_query (t->h->srcpad, query));
  return query;
}

/* A failed allocation does not end the process, except under sanitizers. */
static void
check_too_much (GstAllocator * allocator)
{
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  if (!TEST_SANITIZED (TRUE, FALSE))
    fail_unless (gst_allocator_alloc (allocator, G_MAXSIZE / 2, NULL) == NULL);
  params.prefix = 2;
  fail_unless (gst_allocator_alloc (allocator, G_MAXSIZE - 1, &params) == NULL);
  params.prefix = 0;
  params.padding = 2;
  fail_unless (gst_allocator_alloc (allocator, G_MAXSIZE - 1, &params) == NULL);
}

/* Upstream is offered memory that the copy engine can read: there is one copy,
 * and no CPU copy to a staging buffer, which is not even allocated. */
GST_START_TEST (test_pinned_pool)
{
  TestRandom random = test_random_new (5);
  GstVideoHistogramSpec spec;
  GstBufferPool *pool;
  GstAllocator *allocator;
  GstStructure *config;
  GstQuery *query;
  TestElement t;
  TestFrame frame;
  guint size, min, max, i, copies;

  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_I420, WIDTH, HEIGHT,
      NULL);
  test_element_init (&t, NULL, "attach-meta", "always", NULL);
  answer_allocations (&t, NULL);
  gst_harness_set_src_caps (t.h, gst_caps_ref (frame.caps));
  query = query_allocation (&t, frame.caps);
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  fail_unless_equals_int (size, frame.size);
  fail_unless_equals_int (min, 0);
  fail_unless_equals_int (max, 0);
  fail_unless_equals_int (gst_query_get_n_allocation_params (query), 1);
  gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  fail_unless_equals_string (allocator->mem_type, PINNED);
  check_too_much (allocator);
  gst_object_unref (allocator);
  gst_query_unref (query);

  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, frame.caps, size, 0, 0);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  gst_video_histogram_spec_init (&spec);
  for (i = 0; i < 6; i++) {
    guint pinned = test_live ().n[VH_DOUBLE_PINNED_MEMORY];
    GstBuffer *buffer;

    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
            NULL), GST_FLOW_OK);
    fail_unless (gst_memory_is_type (gst_buffer_peek_memory (buffer, 0),
            PINNED));
    gst_buffer_fill (buffer, 0, frame.image, frame.size);
    if (test_double () && i == 0) {
      pinned = test_live ().n[VH_DOUBLE_PINNED_MEMORY];
    }
    copies = test_gpu_calls (TEST_GPU_COPIES, NULL);
    check_frame (&t, buffer, &frame, &spec, "cuda");
    if (test_double ())
      fail_unless_equals_int (test_gpu_calls (TEST_GPU_COPIES, NULL),
          copies + 1);
    fail_unless (test_live ().n[VH_DOUBLE_PINNED_MEMORY] <= pinned);
  }
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  test_element_clear (&t);
  test_frame_clear (&frame);
}

GST_END_TEST;

static GstPadProbeReturn
note_memory (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    gpointer user_data)
{
  guint *n = user_data;

  if (gst_memory_is_type (gst_buffer_peek_memory (GST_PAD_PROBE_INFO_BUFFER
              (info), 0), PINNED))
    (*n)++;
  return GST_PAD_PROBE_OK;
}

/* videotestsrc uses the offered pool. */
GST_START_TEST (test_pinned_pipeline)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc num-buffers=20 ! "
      "video/x-raw,format=NV12,width=640,height=480 ! videohistogram "
      "interval=0 ! fakesink name=sink", NULL);
  guint n = 0;

  test_pipeline_tap (pipeline, "sink", "sink", note_memory, &n);
  test_pipeline_play_to_end (pipeline);
  test_pipeline_stop (pipeline);
  fail_unless_equals_int (n, 20);
}

GST_END_TEST;

/* Downstream's pool takes precedence. */
GST_START_TEST (test_pool_of_downstream)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw,format=NV12,width=640,"
      "height=480,framerate=25/1");
  GstBufferPool *pool = gst_buffer_pool_new (), *answered;
  GstQuery *query;
  TestElement t;
  guint size, min, max;

  test_element_init (&t, NULL, "backend", "cuda", NULL);
  answer_allocations (&t, pool);
  gst_harness_set_src_caps (t.h, gst_caps_ref (caps));
  query = query_allocation (&t, caps);
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  fail_unless_equals_int (gst_query_get_n_allocation_params (query), 0);
  gst_query_parse_nth_allocation_pool (query, 0, &answered, &size, &min, &max);
  fail_unless (answered == pool);
  fail_unless_equals_int (size, 4096);
  fail_unless_equals_int (min, 3);
  fail_unless_equals_int (max, 5);
  gst_object_unref (answered);
  gst_query_unref (query);
  test_element_clear (&t);
  gst_object_unref (pool);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* No pool is offered if frames are counted on the CPU or come in CUDA
 * memory. */
GST_START_TEST (test_no_pool)
{
  static const struct
  {
    const gchar *backend, *caps;
  } cases[] = {
    {"cpu", "video/x-raw,format=NV12,width=640,height=480"},
    {"auto", "video/x-raw,format=NV12,width=64,height=48"},
    {"auto", "video/x-raw(" TEST_CUDA "),format=NV12,width=640,height=480"},
    {"cuda", "video/x-raw(" TEST_CUDA "),format=NV12,width=640,height=480"},
  };
  GstCaps *caps = gst_caps_from_string (cases[__i__].caps);
  GstQuery *query;
  TestElement t;

  test_element_init (&t, NULL, "backend", cases[__i__].backend, NULL);
  answer_allocations (&t, NULL);
  gst_harness_set_src_caps (t.h, gst_caps_ref (caps));
  query = query_allocation (&t, caps);
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 0);
  fail_unless_equals_int (gst_query_get_n_allocation_params (query), 0);
  gst_query_unref (query);
  test_element_clear (&t);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Runs last, after all kinds of launches for large and small frames. */
GST_START_TEST (test_launches)
{
  if (test_leave_out ("what kernels are launched with"))
    return;
  test_launches_check ();
}

GST_END_TEST;

TEST_SUITE (counts, test_gpu_setup, test_gpu_teardown)
{
  test_launches_watch ();
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_cuda_frames, 0, 2);
  tcase_add_loop_test (tc, test_yuv_colors, 0, G_N_ELEMENTS (yuv_regions));
  tcase_add_test (tc, test_crop);
  tcase_add_test (tc, test_hostile);
  tcase_add_loop_test (tc, test_plain_caps, 0, 2);
  tcase_add_loop_test (tc, test_pageable, 0, G_N_ELEMENTS (uploads));
  tcase_add_loop_test (tc, test_gradient, 0, 5);
  tcase_add_loop_test (tc, test_pageable_layouts, 0, 3);
  tcase_add_test (tc, test_pinned_pool);
  tcase_add_test (tc, test_pinned_pipeline);
  tcase_add_test (tc, test_pool_of_downstream);
  tcase_add_loop_test (tc, test_no_pool, 0, 4);
  tcase_add_test (tc, test_launches);
}
