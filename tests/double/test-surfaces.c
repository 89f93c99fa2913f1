/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests' own decoder surfaces: how they come and go. */
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

#include "cuda/gstcudacompat.h"
#include "surfaces.h"

#define N_SURFACES 3

static GstBufferPool *
make_pool (GstCudaContext * context)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw(memory:CUDAMemory),"
      "format=NV12,width=100,height=50,framerate=1/1");
  GstBufferPool *pool = gst_cuda_buffer_pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_buffer_pool_config_set_params (config, caps, info.size, 0, N_SURFACES);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  gst_caps_unref (caps);
  return pool;
}

static gpointer
give_back (gpointer memory)
{
  g_usleep (20000);
  gst_memory_unref (memory);
  return NULL;
}

GST_START_TEST (test_surfaces)
{
  GstCudaContext *context;
  GstBufferPool *pool;
  TestSurfaces *surfaces;
  GstBuffer *buffers[N_SURFACES], *next;
  GstMemory *memory;
  GstMapInfo map;
  GThread *thread;
  guint round, i;

  fail_unless (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  context = gst_cuda_context_new (0);
  pool = make_pool (context);
  surfaces = test_surfaces_new (pool, N_SURFACES);
  for (round = 0; round < 3; round++) {
    for (i = 0; i < N_SURFACES; i++) {
      buffers[i] = test_surfaces_acquire (surfaces, 0);
      fail_unless (buffers[i] != NULL);
      fail_unless (buffers[i]->pool == NULL);
      fail_unless (gst_is_cuda_memory (gst_buffer_peek_memory (buffers[i],
                  0)));
      fail_unless (gst_buffer_get_video_meta (buffers[i])->stride[0] >= 100);
      fail_unless (gst_buffer_map (buffers[i], &map, GST_MAP_WRITE));
      gst_buffer_unmap (buffers[i], &map);
      test_surfaces_decoded (buffers[i]);
      fail_if (gst_memory_map (gst_buffer_peek_memory (buffers[i], 0), &map,
              GST_MAP_WRITE));
    }
    fail_unless_equals_int (test_surfaces_free_count (surfaces), 0);
    fail_unless (test_surfaces_acquire (surfaces, 10000) == NULL);

    /* The memory counts, not the buffer. */
    memory = gst_buffer_get_memory (buffers[0], 0);
    gst_buffer_unref (buffers[0]);
    fail_unless (test_surfaces_acquire (surfaces, 10000) == NULL);
    thread = g_thread_new ("gives back", give_back, memory);
    next = test_surfaces_acquire (surfaces, 10 * G_TIME_SPAN_SECOND);
    fail_unless (next != NULL);
    fail_unless (gst_buffer_peek_memory (next, 0) == memory);
    g_thread_join (thread);
    gst_buffer_unref (next);
    for (i = 1; i < N_SURFACES; i++)
      gst_buffer_unref (buffers[i]);
    fail_unless_equals_int (test_surfaces_free_count (surfaces), N_SURFACES);
  }
  test_surfaces_free (surfaces);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_object_unref (context);
}

GST_END_TEST;

static Suite *
surfaces_suite (void)
{
  Suite *s = suite_create ("surfaces");
  TCase *tc = tcase_create ("general");

  tcase_add_test (tc, test_surfaces);
  suite_add_tcase (s, tc);
  return s;
}

int
main (int argc, char **argv)
{
  /* Without a registry, GStreamer loads nvcodec into this process, which then
   * has a driver: a child could not use the GPU. */
  g_setenv ("CK_FORK", "no", TRUE);
  gst_check_init (&argc, &argv);
  return gst_check_run_suite (surfaces_suite (), "surfaces", __FILE__);
}
