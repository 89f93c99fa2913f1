/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which caps are accepted: formats, memories, metas; the same on both sides. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/frame.h"
#include "common/suite.h"

#define RAW(features) "video/x-raw" features \
    ",format=RGBA,width=64,height=48,framerate=25/1"

static TestElement t;

static void
teardown (void)
{
  test_element_clear (&t);
}

static GstCaps *
query_caps (TestElement * t, const gchar * pad_name, const gchar * filter_text)
{
  GstPad *pad = gst_element_get_static_pad (t->element, pad_name);
  GstCaps *filter = filter_text ? gst_caps_from_string (filter_text) : NULL;
  GstCaps *caps = gst_pad_query_caps (pad, filter);

  gst_object_unref (pad);
  gst_clear_caps (&filter);
  return caps;
}

static gboolean
accepts (TestElement * t, const gchar * pad_name, const gchar * text)
{
  GstPad *pad = gst_element_get_static_pad (t->element, pad_name);
  GstCaps *caps = gst_caps_from_string (text);
  const gboolean ok = gst_pad_query_accept_caps (pad, caps);

  gst_object_unref (pad);
  gst_caps_unref (caps);
  return ok;
}

static const gchar *const taken[] = {
  RAW (""),
  RAW ("(memory:SystemMemory)"),
  RAW ("(memory:SystemMemory,meta:GstVideoOverlayComposition)"),
  RAW ("(meta:GstVideoOverlayComposition)"),
  RAW ("(memory:SystemMemory,meta:SomethingNobodyKnows)"),
  RAW ("(memory:CUDAMemory)"),
  RAW ("(memory:CUDAMemory,meta:GstVideoOverlayComposition)"),
  RAW ("(memory:CUDAMemory,meta:SomethingNobodyKnows)"),
};

static const gchar *const refused[] = {
  RAW ("(memory:GLMemory)"), RAW ("(memory:DMABuf)"),
  RAW ("(memory:D3D11Memory)"),
  RAW ("(memory:NVMM)"), RAW ("(memory:VASurface)"),
  RAW ("(memory:GLMemory,meta:GstVideoOverlayComposition)"),
  RAW ("(memory:SystemMemory,memory:GLMemory)"),
  "audio/x-raw,format=S16LE,rate=48000,channels=2",
  "video/x-raw,format=v210,width=64,height=48,framerate=25/1",
  "video/x-raw,format=RGB16,width=64,height=48,framerate=25/1",
  "video/x-raw,format=NV12_64Z32,width=64,height=48,framerate=25/1",
  "image/jpeg,width=64,height=48",
};

GST_START_TEST (test_taken)
{
  GstCaps *caps, *wanted = gst_caps_from_string (taken[__i__]);

  test_element_init (&t, NULL, NULL, NULL);
  fail_unless (accepts (&t, "sink", taken[__i__]), "%s", taken[__i__]);
  fail_unless (accepts (&t, "src", taken[__i__]), "%s", taken[__i__]);
  caps = query_caps (&t, "sink", taken[__i__]);
  fail_unless (gst_caps_is_equal (caps, wanted));
  gst_caps_unref (caps);

  /* The output has the same caps. */
  gst_harness_set_src_caps_str (t.h, taken[__i__]);
  test_element_push (&t, test_flat_buffer (wanted, 1));
  caps = gst_pad_get_current_caps (t.h->sinkpad);
  fail_unless (gst_caps_is_equal (caps, wanted));
  gst_caps_unref (caps);
  gst_caps_unref (wanted);
}

GST_END_TEST;

GST_START_TEST (test_refused)
{
  GstCaps *caps;

  test_element_init (&t, NULL, NULL, NULL);
  caps = query_caps (&t, "sink", refused[__i__]);
  fail_unless (gst_caps_is_empty (caps), "%s", refused[__i__]);
  gst_caps_unref (caps);
  gst_harness_set_src_caps_str (t.h, refused[__i__]);
  fail_unless_equals_int (gst_harness_push (t.h, gst_buffer_new ()),
      GST_FLOW_NOT_NEGOTIATED);
}

GST_END_TEST;

/* Only what downstream accepts is offered upstream. */
GST_START_TEST (test_downstream_limits)
{
  GstCaps *caps, *wanted;

  test_element_init (&t, NULL, NULL, NULL);
  gst_harness_set_sink_caps_str (t.h, "video/x-raw,format={NV12,I420},"
      "width=[1,1000],height=48,framerate=25/1");
  caps = query_caps (&t, "sink", "video/x-raw,format={I420,YV12},width=64");
  wanted = gst_caps_from_string ("video/x-raw,format=I420,width=64,height=48,"
      "framerate=25/1");
  fail_unless (gst_caps_is_equal (caps, wanted));
  gst_caps_unref (caps);
  gst_caps_unref (wanted);
}

GST_END_TEST;

/* If upstream offers both memories, system memory is used if downstream accepts
 * only that, or does not say. */
GST_START_TEST (test_memory_is_chosen)
{
  static const struct
  {
    const gchar *src, *sink;
    gboolean is_system;
  } cases[] = {
    {RAW ("(memory:GLMemory)") ";" RAW (""), "ANY", TRUE},
    {RAW ("(memory:DMABuf)") ";" RAW (""), "video/x-raw(ANY)", TRUE},
    {RAW ("(memory:GLMemory)") ";" RAW (""), "video/x-raw", TRUE},
    {RAW ("(memory:CUDAMemory)") ";" RAW (""), "video/x-raw", TRUE},
    {RAW ("") ";" RAW ("(memory:CUDAMemory)"), "video/x-raw(memory:CUDAMemory)",
        FALSE},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    TestElement t;
    GstCaps *caps;

    test_element_init (&t, NULL, NULL, NULL);
    gst_harness_set_sink_caps_str (t.h, cases[i].sink);
    caps = gst_caps_truncate (query_caps (&t, "sink", cases[i].src));
    fail_unless (gst_caps_is_fixed (caps), "case %u", i);
    fail_unless_equals_int (gst_caps_features_contains (gst_caps_get_features
            (caps, 0), GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY),
        cases[i].is_system);
    gst_caps_unref (caps);
    test_element_clear (&t);
  }
}

GST_END_TEST;

/* Both templates are the same, and contain what other elements look for. */
GST_START_TEST (test_templates)
{
  GstElementFactory *factory = gst_element_factory_find ("videohistogram");
  GstCaps *cuda = gst_caps_from_string (RAW ("(memory:CUDAMemory)"));
  GstCaps *system = gst_caps_from_string (RAW (""));
  GstElement *element = gst_element_factory_create (factory, NULL);
  GstCaps *sink, *src;

  gst_object_ref_sink (element);
  sink = gst_pad_template_get_caps (gst_element_get_pad_template (element,
          "sink"));
  src = gst_pad_template_get_caps (gst_element_get_pad_template (element,
          "src"));
  fail_unless (gst_caps_is_equal (sink, src));
  fail_unless (gst_caps_is_subset (cuda, sink));
  fail_unless (gst_caps_is_subset (system, sink));
  fail_unless_equals_string (gst_element_factory_get_metadata (factory,
          GST_ELEMENT_METADATA_KLASS), "Filter/Analyzer/Video");
  fail_unless_equals_int (gst_plugin_feature_get_rank (GST_PLUGIN_FEATURE
          (factory)), GST_RANK_NONE);
  gst_caps_unref (sink);
  gst_caps_unref (src);
  gst_caps_unref (cuda);
  gst_caps_unref (system);
  gst_object_unref (element);
  gst_object_unref (factory);
}

GST_END_TEST;

/* The element supports every format of the library. */
GST_START_TEST (test_every_format)
{
  GstCaps *all = gst_video_histogram_engine_get_caps ();
  gchar **formats = test_caps_list_formats (all);
  guint i;

  test_element_init (&t, NULL, "interval", "0", "channels",
      "luma+red+green+blue", NULL);
  for (i = 0; formats[i]; i++) {
    GstCaps *caps = test_caps (formats[i], 6, 4);

    gst_harness_set_src_caps (t.h, gst_caps_ref (caps));
    test_element_push (&t, test_flat_buffer (caps, 0x40));
    gst_caps_unref (caps);
    fail_unless_equals_int (test_element_count_results (&t), 1);
  }
  g_strfreev (formats);
  gst_caps_unref (all);
}

GST_END_TEST;

TEST_SUITE (negotiation, NULL, teardown)
{
  tcase_add_loop_test (tc, test_taken, 0, G_N_ELEMENTS (taken));
  tcase_add_loop_test (tc, test_refused, 0, G_N_ELEMENTS (refused));
  tcase_add_test (tc, test_downstream_limits);
  tcase_add_test (tc, test_memory_is_chosen);
  tcase_add_test (tc, test_templates);
  tcase_add_test (tc, test_every_format);
}
