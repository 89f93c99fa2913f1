/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A script is a string of bytes that says which properties are set on an
 * element and what is sent to it, in which order. Every string is a valid
 * script. oracle.c checks the results. */
#include <gst/gst.h>
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>
#include <math.h>

#include "common/counts.h"
#include "common/memory.h"
#include "common/scenario.h"
#include "gstvideoequalizeelement.h"
#include "gstvideohistogramelement.h"
#include "gstvideoscopeelement.h"
#include "oracle.h"
#include "script.h"

#define MAX_STEPS 64
#define MAX_KEPT 4
#define MAX_PARTS 5
#define MAX_IMAGE (1 << 16)     /* maximum bytes of a buffer */

typedef struct
{
  const guint8 *data;           /* bytes that are left */
  gsize size;

  TestElement t;
  OracleKind kind;
  GQueue kept;                  /* other references to the GstBuffer */
  GstClockTime now;
} Script;

/* Bytes. Each statement takes at most one, so that every compiler reads a
 * script in the same order. */

static guint
take (Script * s)
{
  if (s->size == 0)
    return 0;
  s->size--;
  return *s->data++;
}

static guint
below (Script * s, guint n)
{
  return take (s) % n;
}

static gboolean
once_in (Script * s, guint n)
{
  return take (s) % n == n - 1;
}

static guint64
take_word (Script * s)
{
  guint64 word = 0;
  guint i;

  for (i = 0; i < 8; i++)
    word = word << 8 | take (s);
  return word;
}

/* Returns a number near @fit, or an absurd one. */
static guint64
near (Script * s, guint64 fit)
{
  switch (below (s, 12)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return fit + take (s);
    case 3:
      return fit - take (s);
    case 4:
      return -fit;
    case 5:
      return G_MAXUINT64 - take (s);
    case 6:
      return (guint64) G_MAXINT - take (s);
    case 7:
      return (guint64) 1 << below (s, 64);
    case 8:
      return fit * 2;
    case 9:
      return take_word (s);
    default:
      return fit;
  }
}

/* Caps */

static const gchar *const formats[] = {
  "GRAY8", "I420", "NV12", "YV12", "NV21", "RGB", "RGBA", "xBGR", "GBR", "GBRA",
  "GRAY16_LE", "GRAY16_BE", "P010_10LE", "P016_LE", "I420_10LE", "I420_12BE",
  "YUY2", "UYVY", "Y42B", "Y444", "Y444_16LE", "AYUV", "VUYA", "A420", "AV12",
  "RGB10A2_LE", "BGR10A2_LE", "ARGB64", "AYUV64", "Y210", "Y410", "Y41B",
  "YUV9", "NV16", "NV24", "RGBP", "GBR_10LE", "GBRA_12BE", "I422_10BE",
  "Y444_12LE", "IYU1", "IYU2", "NV61", "P012_BE", "YVYU", "VYUY", "BGRP",
  "A444_10LE", "Y212_LE", "Y412_LE", "I420", "GRAY8",
  /* no element accepts these */
  "v210", "NV12_64Z32", "GRAY10_LE32", "RGB16", "ENCODED", "nonsense",
};

static const gchar *const features[] = {
  "", "", "", "", "", "(memory:SystemMemory)",
  "(meta:GstVideoOverlayComposition)", "(format:Interlaced)",
  "(memory:CUDAMemory)", "(memory:GLMemory)", "(meta:Unknown)",
  "(memory:DMABuf)",
};

static const gchar *const extras[] = {
  "", "", "", "", ",colorimetry=bt601", ",colorimetry=bt2020-10",
  ",colorimetry=sRGB", ",colorimetry=1:4:0:0", ",colorimetry=0:0:0:0",
  ",interlace-mode=alternate", ",interlace-mode=interleaved",
  ",interlace-mode=mixed,field-order=bottom-field-first",
  ",multiview-mode=side-by-side", ",pixel-aspect-ratio=0/1",
  ",chroma-site=jpeg", ",views=2,multiview-mode=frame-by-frame",
};

static const guint sizes[] = {
  16, 16, 1, 2, 3, 4, 5, 7, 8, 15, 17, 31, 32, 33, 48, 64, 65, 100, 255,
  16384, 32767,
};

static const gchar *const rates[] = { "25/1", "0/1", "30000/1001", "1/10" };

static void
send_caps (Script * s)
{
  const gchar *format = formats[below (s, G_N_ELEMENTS (formats))];
  const guint width = sizes[below (s, G_N_ELEMENTS (sizes))];
  const guint height = sizes[below (s, G_N_ELEMENTS (sizes))];
  const guint more = take (s);
  const gchar *extra = extras[below (s, G_N_ELEMENTS (extras))];
  gchar *text = g_strdup_printf ("video/x-raw%s,format=%s,width=%u,height=%u,"
      "framerate=%s%s", features[more % G_N_ELEMENTS (features)], format, width,
      height, rates[more / 64], extra);
  GstCaps *caps = gst_caps_from_string (text);

  gst_harness_push_event (s->t.h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  g_free (text);
}

/* The caps that buffers are sent with, whether or not the element accepted
 * them. */
static void
get_info (Script * s, GstVideoInfo * info)
{
  GstCaps *caps = gst_pad_get_current_caps (s->t.h->srcpad);

  if (!caps || !gst_video_info_from_caps (info, caps))
    gst_video_info_set_format (info, GST_VIDEO_FORMAT_GRAY8, 16, 16);
  gst_clear_caps (&caps);
}

/* Buffers */

/* The bytes of a frame with these caps, with planes as in the caps or with
 * gaps. */
static gsize
place_planes (Script * s, const GstVideoInfo * info, gsize * offset,
    gint * stride)
{
  const guint gap = below (s, 3) == 2 ? 1 + take (s) : 0;
  gsize size = 0;
  guint p;

  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const gsize end = p + 1 < GST_VIDEO_INFO_N_PLANES (info) ?
        info->offset[p + 1] : info->size;
    const gsize rows = (end - info->offset[p]) / MAX (info->stride[p], 1);

    offset[p] = gap ? size + gap / 2 : info->offset[p];
    stride[p] = info->stride[p] + gap;
    size = offset[p] + rows * stride[p];
  }
  return gap ? size : info->size;
}

static GstMemory *
make_memory (Script * s, const guint8 * data, gsize size)
{
  const guint kind = take (s);
  const gsize before = kind & 1 ? kind >> 4 : 0;
  const gsize after = kind & 1 ? 3 : 0;
  guint8 *block;

  if ((kind & 0x1e) == 0x1e)
    return test_memory_unmappable (size);
  block = g_malloc (MAX (before + size + after, 1));
  memset (block, 0x77, before + size + after);
  if (size > 0)
    memcpy (block + before, data, size);
  return oracle_memory_new (block, before + size + after, before, size,
      ((kind & 6) == 6 ? GST_MEMORY_FLAG_READONLY : 0) |
      ((kind & 8) ? GST_MEMORY_FLAG_NO_SHARE : 0));
}

/* Splits @size bytes over several memories. */
static GstBuffer *
make_memories (Script * s, gsize size)
{
  const guint n = once_in (s, 3) ? below (s, MAX_PARTS) : 1;
  TestRandom random = test_random_new (take (s));
  guint8 *image = g_malloc (size + 1);
  GstBuffer *buffer = gst_buffer_new ();
  gsize at = 0;
  guint i;

  test_random_fill (&random, image, size);
  if (once_in (s, 4))
    memset (image, take (s), size);
  for (i = 0; i < n; i++) {
    const gsize part = i == n - 1 ? size - at : (size - at) * take (s) / 255;

    gst_buffer_append_memory (buffer, make_memory (s, image + at, part));
    at += part;
  }
  g_free (image);
  return buffer;
}

static void
add_video_meta (Script * s, GstBuffer * buffer, const GstVideoInfo * info,
    gsize * offset, gint * stride, gboolean honest)
{
  GstVideoFormat format = GST_VIDEO_INFO_FORMAT (info);
  guint n_planes = GST_VIDEO_INFO_N_PLANES (info);
  guint width = GST_VIDEO_INFO_WIDTH (info);
  guint height = GST_VIDEO_INFO_FIELD_HEIGHT (info), p;
  GstVideoMeta *meta;

  for (p = 0; p < n_planes && !honest; p++) {
    if (once_in (s, 3))
      offset[p] = near (s, offset[p]);
    if (once_in (s, 3))
      stride[p] = near (s, stride[p]);
  }
  if (!honest && once_in (s, 3))
    width = near (s, width);
  if (!honest && once_in (s, 3))
    height = near (s, height);
  if (!honest && once_in (s, 8))
    n_planes = below (s, GST_VIDEO_MAX_PLANES + 1);
  if (!honest && once_in (s, 8))
    format = take (s);
  meta = gst_buffer_add_video_meta_full (buffer, below (s, 8), format, width,
      height, n_planes, offset, stride);
  if (meta && once_in (s, 16))
    meta->id = below (s, 3);
}

static void
add_crop_meta (Script * s, GstBuffer * buffer, const GstVideoInfo * info)
{
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);
  const guint width = GST_VIDEO_INFO_WIDTH (info);
  const guint height = GST_VIDEO_INFO_HEIGHT (info);

  if (once_in (s, 2)) {
    crop->x = near (s, width / 2);
    crop->y = near (s, height / 2);
    crop->width = near (s, width);
    crop->height = near (s, height);
  } else {
    crop->x = take (s) % width;
    crop->y = take (s) % height;
    crop->width = 1 + take (s) % (width - crop->x);
    crop->height = 1 + take (s) % (height - crop->y);
  }
}

/* Attaches a histogram of another frame, or one that claims to be of this
 * frame. */
static void
add_histogram_meta (Script * s, GstBuffer * buffer, const GstVideoInfo * info)
{
  const gboolean claims = once_in (s, 2);
  const guint bins = claims ? 256 : 1 + take (s);
  GstVideoHistogramInfo about = test_counts_info (claims ?
      GST_VIDEO_INFO_FORMAT (info) : GST_VIDEO_FORMAT_GRAY8,
      claims ? CLAMP (GST_VIDEO_INFO_COMP_DEPTH (info, 0), 8, 16) : 8,
      GST_VIDEO_COLOR_RANGE_0_255, bins, 1 + take (s));
  GstVideoHistogram *histogram;
  GstVideoHistogramMeta *meta;
  guint32 *counts;
  guint bin;

  if (claims) {
    about.width = about.region_width = GST_VIDEO_INFO_WIDTH (info);
    about.height = about.region_height = GST_VIDEO_INFO_FIELD_HEIGHT (info);
    about.colorimetry = info->colorimetry;
    about.columns = about.rows = once_in (s, 2) ? 8 : 1;
    about.columns = MIN (about.columns, about.width);
    about.rows = MIN (about.rows, about.height);
  }
  histogram = gst_video_histogram_new (&about);
  counts = g_new0 (guint32, bins);
  bin = take (s) % bins;
  counts[bin] = take (s);
  gst_video_histogram_set_counts (histogram, GST_VIDEO_HISTOGRAM_CHANNEL_LUMA,
      0, 0, counts, bins);
  meta = gst_buffer_add_video_histogram_meta (buffer, histogram);
  /* Sets its time as if it had been counted here. */
  if (claims && gst_buffer_n_memory (buffer) > 0 && once_in (s, 2))
    meta->_memory[0] = gst_buffer_peek_memory (buffer, 0);
  gst_video_histogram_unref (histogram);
  g_free (counts);
}

static void
add_overlay_meta (GstBuffer * buffer)
{
  GstBuffer *pixels = gst_buffer_new_allocate (NULL, 4 * 2 * 2, NULL);
  GstVideoOverlayRectangle *rectangle;
  GstVideoOverlayComposition *composition;

  gst_buffer_memset (pixels, 0, 0x80, 4 * 2 * 2);
  gst_buffer_add_video_meta (pixels, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 2, 2);
  rectangle = gst_video_overlay_rectangle_new_raw (pixels, -1, 70000, 2, 2,
      GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  composition = gst_video_overlay_composition_new (rectangle);
  gst_buffer_add_video_overlay_composition_meta (buffer, composition);
  gst_video_overlay_composition_unref (composition);
  gst_video_overlay_rectangle_unref (rectangle);
  gst_buffer_unref (pixels);
}

static void
add_other_meta (Script * s, GstBuffer * buffer)
{
  GstCaps *reference;
  GstBuffer *parent;
  guint x, width;

  switch (below (s, 5)) {
    case 0:
      add_overlay_meta (buffer);
      break;
    case 1:
      x = near (s, 1);
      width = near (s, 9);
      gst_buffer_add_video_region_of_interest_meta (buffer, "face", x, x, width,
          width);
      break;
    case 2:
      reference = gst_caps_new_empty_simple ("timestamp/x-unix");
      gst_buffer_add_reference_timestamp_meta (buffer, reference, take (s),
          GST_CLOCK_TIME_NONE);
      gst_caps_unref (reference);
      break;
    case 3:
      parent = gst_buffer_new ();
      gst_buffer_add_parent_buffer_meta (buffer, parent);
      gst_buffer_unref (parent);
      break;
    default:
      gst_buffer_add_video_time_code_meta_full (buffer, 25, 1, NULL, 0, 1, 2,
          3, 4, 0);
      break;
  }
}

static void
add_metas (Script * s, GstBuffer * buffer, const GstVideoInfo * info,
    gsize * offset, gint * stride)
{
  const guint which = take (s);

  if (which & 1)
    add_video_meta (s, buffer, info, offset, stride, which & 2);
  if ((which & 0xc) == 0xc)
    add_crop_meta (s, buffer, info);
  if ((which & 0x30) == 0x30)
    add_histogram_meta (s, buffer, info);
  if ((which & 0xc0) == 0xc0)
    add_other_meta (s, buffer);
  if (which == 0xff)
    add_video_meta (s, buffer, info, offset, stride, FALSE);
}

static void
set_times (Script * s, GstBuffer * buffer)
{
  const guint kind = take (s);

  s->now += 40 * GST_MSECOND;
  if ((kind & 3) != 3)
    GST_BUFFER_PTS (buffer) = s->now;
  if ((kind & 0xc) == 0xc)
    GST_BUFFER_PTS (buffer) = near (s, s->now);
  if ((kind & 0x30) == 0x30)
    GST_BUFFER_DTS (buffer) = near (s, s->now);
  if (kind & 0x40)
    GST_BUFFER_DURATION (buffer) = near (s, 40 * GST_MSECOND);
  if (kind & 0x80)
    GST_BUFFER_FLAG_SET (buffer, (take_word (s) & 0xffff) << 4);
}

static GstBuffer *
make_buffer (Script * s)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES] = { 0, };
  GstVideoInfo info;
  GstBuffer *buffer;
  gsize size;

  get_info (s, &info);
  size = place_planes (s, &info, offset, stride);
  if (once_in (s, 6))
    size = near (s, size);
  buffer = make_memories (s, MIN (size, MAX_IMAGE));
  add_metas (s, buffer, &info, offset, stride);
  set_times (s, buffer);
  return buffer;
}

/* Takes @buffer; returns NULL if it could not be copied. */
static void
keep (Script * s, GstBuffer * buffer)
{
  if (!buffer)
    return;
  g_queue_push_tail (&s->kept, buffer);
  if (s->kept.length > MAX_KEPT)
    gst_buffer_unref (g_queue_pop_head (&s->kept));
}

/* Pushes @buffer and checks the result. */
static void
push (Script * s, GstBuffer * buffer)
{
  OracleBefore *before;
  GstMapInfo map;
  GstMemory *locked = NULL;
  GstFlowReturn flow;
  GstBuffer *out;

  /* Another mapping writes to the buffer. */
  if (once_in (s, 32) && gst_buffer_n_memory (buffer) > 0) {
    locked = gst_buffer_get_memory (buffer, 0);
    if (!gst_memory_map (locked, &map, GST_MAP_WRITE)) {
      gst_memory_unref (locked);
      locked = NULL;
    }
  }
  before = oracle_look (&s->t, s->kind, buffer);
  flow = gst_harness_push (s->t.h, buffer);
  out = gst_harness_try_pull (s->t.h);
  oracle_check (before, flow, out);
  if (locked) {
    gst_memory_unmap (locked, &map);
    gst_memory_unref (locked);
  }
  if (out && once_in (s, 4))
    keep (s, out);
  else
    gst_clear_buffer (&out);
}

static void
send_buffer (Script * s)
{
  const guint kind = take (s);
  GstBuffer *buffer;

  if (kind >= 0xf0 && s->kept.length > 0) {
    buffer = g_queue_pop_head (&s->kept);
    if (kind & 1)
      keep (s, gst_buffer_ref (buffer));
  } else {
    buffer = make_buffer (s);
    if (kind >= 0xc0)
      keep (s, kind & 1 ? gst_buffer_ref (buffer) : gst_buffer_copy (buffer));
  }
  push (s, buffer);
}

/* Events */

static void
send_segment (Script * s)
{
  static const GstFormat segment_formats[] = {
    GST_FORMAT_TIME, GST_FORMAT_TIME, GST_FORMAT_BYTES, GST_FORMAT_DEFAULT
  };
  GstSegment segment;

  gst_segment_init (&segment, segment_formats[below (s, 4)]);
  if (once_in (s, 2)) {
    segment.rate = once_in (s, 2) ? -1.0 : 0.5 + below (s, 4);
    segment.start = near (s, GST_SECOND);
    segment.stop = near (s, 10 * GST_SECOND);
    segment.time = near (s, 0);
    segment.base = near (s, 0);
    /* Copies the values from above: reading more of the script here would
     * change the meaning of the corpus. */
    segment.offset = segment.base;
    segment.duration = segment.time;
    segment.position = segment.start;
  }
  gst_harness_push_event (s->t.h, gst_event_new_segment (&segment));
}

/* The pointer position is derived from @number, or absent. */
static GstEvent *
make_navigation (guint64 number)
{
  const gdouble x = (gint64) number / 3.0;
  GstStructure *structure;

  switch (number % 4) {
    case 0:
      return gst_navigation_event_new_mouse_button_press (1, x, -x,
          GST_NAVIGATION_MODIFIER_NONE);
    case 1:
      return gst_navigation_event_new_mouse_scroll (x, NAN, INFINITY, 0,
          GST_NAVIGATION_MODIFIER_NONE);
    case 2:
      return gst_navigation_event_new_key_press ("Left",
          GST_NAVIGATION_MODIFIER_NONE);
    default:
      structure = gst_structure_new ("application/x-gst-navigation", "event",
          G_TYPE_STRING, "mouse-move", "pointer_x", G_TYPE_STRING, "left",
          "pointer_y", G_TYPE_INT, 3, NULL);
      return gst_event_new_navigation (structure);
  }
}

static void
send_event (Script * s)
{
  GstHarness *h = s->t.h;
  const guint which = below (s, 14);
  const guint64 time = near (s, s->now);

  switch (which) {
    case 0:
      gst_harness_push_event (h, gst_event_new_flush_start ());
      break;
    case 1:
      gst_harness_push_event (h, gst_event_new_flush_stop (once_in (s, 2)));
      break;
    case 2:
      gst_harness_push_event (h, gst_event_new_eos ());
      break;
    case 3:
      test_scenario_send (h, test_scenario_event (TEST_EVENT_GAP, time / 2,
              near (s, GST_SECOND)));
      break;
    case 4:
      gst_harness_push_event (h, gst_event_new_stream_start ("stream"));
      break;
    case 5:
      test_scenario_send (h, test_scenario_event (TEST_EVENT_OOB, 0, 0));
      break;
    case 6:
      test_scenario_send (h, test_scenario_event (TEST_EVENT_RECONFIGURE, 0,
              0));
      break;
    case 7:
      gst_harness_push_upstream_event (h,
          gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, time % 9 / 2.0,
              (GstClockTimeDiff) (near (s, GST_SECOND) / 2), time));
      break;
    case 8:
      test_scenario_send (h, test_scenario_event (TEST_EVENT_SEEK, 0,
              take (s)));
      break;
    case 9:
      test_scenario_send (h, test_scenario_event (TEST_EVENT_LATENCY, 0,
              take (s)));
      break;
    case 10:
    case 11:
      send_segment (s);
      break;
    case 12:
      test_scenario_send (h, test_scenario_event (TEST_EVENT_TAG, 0, 0));
      break;
    default:
      gst_harness_push_upstream_event (h, make_navigation (time));
      break;
  }
}

static void
send_query (Script * s)
{
  GstCaps *caps = gst_pad_get_current_caps (s->t.h->srcpad);
  GstPad *pad = once_in (s, 2) ? GST_BASE_TRANSFORM_SRC_PAD (s->t.element) :
      GST_BASE_TRANSFORM_SINK_PAD (s->t.element);
  GstQuery *query;

  switch (below (s, 5)) {
    case 0:
      query = gst_query_new_latency ();
      break;
    case 1:
      query = gst_query_new_allocation (caps, once_in (s, 2));
      break;
    case 2:
      query = gst_query_new_caps (caps);
      break;
    case 3:
      query = gst_query_new_context ("gst.cuda.context");
      break;
    default:
      query = gst_query_new_position (GST_FORMAT_TIME);
      break;
  }
  gst_pad_query (pad, query);
  gst_query_unref (query);
  gst_clear_caps (&caps);
}

/* Properties */

typedef struct
{
  const gchar *name;
  const gchar *values[12];
} Values;

/* Numbers out of range never reach an element: GObject rejects them, from GLib
 * 2.80 on with a critical message. NaN is rejected likewise; older versions
 * passed it on. */
#if GLIB_CHECK_VERSION (2, 79, 0)
#define UNORDERED "0.05"
#else
#define UNORDERED "nan"
#endif

static const Values histogram_values[] = {
  {"channels", {"luma", "red", "luma+red", "luma+red+green+blue", "green+blue",
          "gradient", "luma+gradient", "nonsense"}},
  {"bins", {"0", "1", "2", "3", "64", "255", "256", "257", "1024", "4096"}},
  {"grid", {"1x1", "2x2", "3x1", "1x7", "8x8", "16x16", "0x1", "x", "65x1"}},
  {"roi", {"", "0,0,1,1", "1,1,5,5", "3,0,9999,2", "15,15,4294967295,1",
          "4294967295,0,1,1", "0,0,0,0", "nonsense"}},
  {"method", {"auto", "global-atomics", "nonsense"}},
  {"joint", {"none", "chroma", "previous", "other"}},
  {"joint-bins", {"1", "2", "64", "255", "256"}},
  {"joint-with", {"", "nobody", "videohistogram0"}},
  {"post-messages", {"true", "false"}},
  {"interval", {"0", "1000000", "100000000", "18446744073709551615"}},
  {"message-counts", {"true", "false"}},
  {"message-bytes", {"true", "false"}},
  {"message-statistics", {"true", "false"}},
  {"attach-meta", {"auto", "always", "never"}},
  {"backend", {"auto", "cpu"}},
};

static const Values equalize_values[] = {
  {"method", {"none", "equalize", "stretch", "gamma", "match", "clahe"}},
  {"strength", {"0", "0.001", "0.5", "1"}},
  {"low-percentile", {"0", "0.5", "50", "100"}},
  {"high-percentile", {"0", "50", "99.5", "100"}},
  {"max-gain", {"1", "4", "100"}},
  {"target", {"0", "0.45", "1"}},
  {"clip-limit", {"0", "0.01", "2", "1000"}},
  {"tiles", {"1x1", "8x8", "32x32", "1x32", "3x5", "33x1", "nonsense"}},
  {"smoothing", {"0", "500000000", "3600000000000"}},
  {"scene-threshold", {"0", "0.1", "1"}},
  {"color", {"scale", "keep", "channels"}},
  {"reference", {"", "/nowhere", "/dev/null"}},
};

/* *INDENT-OFF* */
static const Values scope_values[] = {
  {"scopes", {"none", "histogram", "waveform", "parade", "vectorscope",
          "false-color", "zebra", "histogram+waveform+vectorscope",
          "histogram+waveform+parade+vectorscope+false-color+zebra",
          "nonsense"}},
  {"layout", {"overlay", "beside", "only", "nonsense"}},
  {"position", {"top-left", "top", "top-right", "left", "right", "bottom-left",
          "bottom", "bottom-right"}},
  {"size", {"0.05", "0.35", "1", "0.5", UNORDERED, "0.999"}},
  {"opacity", {"0", "0.7", "1"}},
  {"components", {"luma", "rgb", "yuv"}},
  {"mode", {"overlay", "stack", "parade"}},
  {"intensity", {"auto", "gain", "power"}},
  {"gain", {"0", "1", "1e6", "1e-300"}},
  {"exponent", {"0.05", "0.4", "1"}},
  {"persistence", {"0", "1000000", "500000000", "3600000000000"}},
  {"envelope", {"none", "instant", "peak", "instant+peak"}},
  {"graticule", {"none", "green", "amber", "white"}},
  {"scale", {"code", "percent", "ire", "mv", "nits"}},
  {"limits", {"none", "range", "r103", "range+r103"}},
  {"targets", {"none", "75", "100", "75+100"}},
  {"skin-line", {"0", "123", "360"}},
  {"lines", {"", "16,235", "nan,inf,-inf", "-1e308,1e308", "0x10", ",", "1,",
          "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
          "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"}},
  {"false-color", {"arri", "obs", "cinezone", "table"}},
  {"false-color-table", {"", "0 0.1 #0000ff; 0.9 1.1 #ff0000", "-0.2 1.2 grey",
          "nan inf #000000", "10 0 grey", "0 10 #12345", "0 1e300 #ffffff",
          ";;;\n;", "/", "/dev/null", "0 1 grey;0 1 grey"}},
  {"zebra-low", {"-0.2", "0.7", "1.2"}},
  {"zebra-high", {"-0.2", "1", "1.2"}},
};
/* *INDENT-ON* */

static const struct
{
  const Values *values;
  guint n;
} properties[ORACLE_N_KINDS] = {
  [ORACLE_HISTOGRAM] = {histogram_values, G_N_ELEMENTS (histogram_values)},
  [ORACLE_EQUALIZE] = {equalize_values, G_N_ELEMENTS (equalize_values)},
  [ORACLE_SCOPE] = {scope_values, G_N_ELEMENTS (scope_values)},
};

static void
set_property (Script * s)
{
  const Values *values =
      &properties[s->kind].values[below (s, properties[s->kind].n)];
  guint n = 0;

  while (n < G_N_ELEMENTS (values->values) && values->values[n])
    n++;
  gst_util_set_object_arg (G_OBJECT (s->t.element), values->name,
      values->values[below (s, n)]);
}

/* States */

static void
begin_stream (Script * s)
{
  GstSegment segment;

  gst_element_set_state (s->t.element, GST_STATE_PLAYING);
  gst_harness_push_event (s->t.h, gst_event_new_stream_start ("stream"));
  send_caps (s);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (s->t.h, gst_event_new_segment (&segment));
}

static void
change_state (Script * s)
{
  const GstState state = GST_STATE_NULL + below (s, 4);

  gst_element_set_state (s->t.element, state);
  if (state <= GST_STATE_READY && !once_in (s, 4))
    begin_stream (s);
}

static void
step (Script * s)
{
  switch (below (s, 16)) {
    case 0:
    case 1:
      send_caps (s);
      break;
    case 2:
    case 3:
      send_event (s);
      break;
    case 4:
    case 5:
      set_property (s);
      break;
    case 6:
      change_state (s);
      break;
    case 7:
      send_query (s);
      break;
    default:
      send_buffer (s);
      break;
  }
  test_element_forget_output (&s->t);
}

static void
ignore_message (const gchar * domain, GLogLevelFlags level,
    const gchar * message, gpointer user_data)
{
  (void) domain;
  (void) level;
  (void) message;
  (void) user_data;
}

void
script_init (void)
{
  static const gchar *const domains[] = { "GStreamer-VideoHistogram",
    "GStreamer", "GStreamer-Video", "GLib-GObject"
  };
  guint i;

  gst_init (NULL, NULL);
  /* Values and events that make no sense cause warnings, as they should. */
  for (i = 0; i < G_N_ELEMENTS (domains); i++)
    g_log_set_handler (domains[i], G_LOG_LEVEL_WARNING, ignore_message, NULL);
  g_log_set_always_fatal (G_LOG_LEVEL_CRITICAL | G_LOG_FATAL_MASK);
  MUST (GST_ELEMENT_REGISTER (videohistogram, NULL)
      && GST_ELEMENT_REGISTER (videoequalize, NULL)
      && GST_ELEMENT_REGISTER (videoscope, NULL), "no elements");
}

void
script_run (const guint8 * data, gsize size)
{
  Script s = {.data = data,.size = size,.kept = G_QUEUE_INIT };
  GstBuffer *buffer;
  guint i;

  s.kind = below (&s, ORACLE_N_KINDS);
  if (s.kind == ORACLE_EQUALIZE)
    test_element_init_equalize (&s.t, NULL, "smoothing", "0", NULL);
  else if (s.kind == ORACLE_SCOPE)
    test_element_init_scope (&s.t, NULL, NULL, NULL);
  else
    test_element_init (&s.t, NULL, "interval", "0", NULL);
  begin_stream (&s);
  for (i = 0; i < MAX_STEPS && s.size > 0; i++)
    step (&s);
  while ((buffer = g_queue_pop_head (&s.kept)))
    gst_buffer_unref (buffer);
  test_element_clear (&s.t);
}
