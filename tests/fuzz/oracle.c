/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oracle.h"

#include <gst/base/gstbasetransform.h>
#include <gst/videohistogram/videohistogram.h>

#include "cpu/reference.h"
#include "gst/videohistogram/histogram/gstvideohistogram-private.h"

#define MAX_MEMORIES 16
#define ALL_PLANES ((1u << GST_VIDEO_MAX_PLANES) - 1)

/* The bytes of a memory without mapping it. They stay valid while the memory is
 * in use. */
typedef struct
{
  guint8 *block;
  gsize block_size;
  gsize offset;                 /* offset of the memory in the block */
} Bytes;

struct _OracleBefore
{
  TestElement *t;
  OracleKind kind;
  GstVideoInfo info;            /* width and height in the caps at the time */
  gboolean has_info;            /* FALSE if the buffer passed without any */

  GstBuffer *buffer;            /* borrowed: the element may write to it */
  GstClockTime pts, dts, duration;
  guint64 offset, offset_end;
  GstBufferFlags flags;
  gboolean writable;            /* the buffer and all of its memories */

  guint n;
  GstMemory *memory[MAX_MEMORIES];      /* copy to compare with */
  gsize memory_size[MAX_MEMORIES];
  Bytes *bytes[MAX_MEMORIES];   /* NULL if the memory has no block */
  guint8 *copy[MAX_MEMORIES];   /* copy of the block */
  guint8 *image;                /* all bytes of the buffer */
  gsize size;                   /* of @image, in bytes */
  gboolean readable[MAX_MEMORIES];

  GstVideoMeta video;           /* from the video meta, if has_video */
  GstVideoCropMeta crop;        /* likewise */
  gboolean has_video, has_crop;

  guint64 worked, passed, dropped;
};

/* Counters of the frames that an element processes and skips. */
static const struct
{
  const gchar *worked, *passed;
} counters[ORACLE_N_KINDS] = {
  [ORACLE_HISTOGRAM] = {"processed", "skipped"},
  [ORACLE_EQUALIZE] = {"counted", "uncorrected"},
  [ORACLE_SCOPE] = {"drawn", "undrawn"},
};

/* Where the planes of a frame lie in the image. */
typedef struct
{
  guint x, y, width, height;    /* size of the picture in the planes */
  gsize offset[GST_VIDEO_MAX_PLANES];
  gsize stride[GST_VIDEO_MAX_PLANES];
  guint rows[GST_VIDEO_MAX_PLANES];
  gsize row_bytes[GST_VIDEO_MAX_PLANES];
} Planes;

static GQuark
bytes_quark (void)
{
  return g_quark_from_static_string ("oracle-bytes");
}

static void
clear_bytes (gpointer bytes)
{
  g_free (((Bytes *) bytes)->block);
}

static void
release_bytes (gpointer bytes)
{
  g_rc_box_release_full (bytes, clear_bytes);
}

GstMemory *
oracle_memory_new (guint8 * block, gsize block_size, gsize offset, gsize size,
    GstMemoryFlags flags)
{
  const gboolean whole = offset == 0 && size == block_size;
  Bytes *bytes = g_rc_box_new (Bytes);
  GstMemory *memory = gst_memory_new_wrapped (whole ? flags : 0, block,
      block_size, 0, block_size, bytes, release_bytes);

  if (!whole) {
    GstMemory *parent = memory;

    memory = gst_memory_share (parent, offset, size);
    GST_MINI_OBJECT_FLAG_SET (memory, flags);
    gst_memory_unref (parent);
  }
  *bytes = (Bytes) {
  block, block_size, offset};
  gst_mini_object_set_qdata (GST_MINI_OBJECT (memory), bytes_quark (), bytes,
      NULL);
  return memory;
}

/* Copies the bytes of one memory into the image from @at on. */
static void
look_at_memory (OracleBefore * before, guint i, gsize at)
{
  GstMemory *memory = before->memory[i];
  Bytes *bytes = gst_mini_object_get_qdata (GST_MINI_OBJECT (memory),
      bytes_quark ());
  GstMapInfo map;

  before->writable &= gst_memory_is_writable (memory)
      && !GST_MEMORY_IS_READONLY (memory);
  if (bytes) {
    before->bytes[i] = g_rc_box_acquire (bytes);
    before->copy[i] = g_malloc (MAX (bytes->block_size, 1));
    memcpy (before->copy[i], bytes->block, bytes->block_size);
    memcpy (before->image + at, bytes->block + bytes->offset, memory->size);
  }
  before->readable[i] = gst_memory_map (memory, &map, GST_MAP_READ);
  if (before->readable[i]) {
    memcpy (before->image + at, map.data, map.size);
    gst_memory_unmap (memory, &map);
  }
}

static guint64
get_count (const OracleBefore * before, const gchar * name)
{
  return test_element_get_count (before->t, name);
}

OracleBefore *
oracle_look (TestElement * t, OracleKind kind, GstBuffer * buffer)
{
  OracleBefore *before = g_new0 (OracleBefore, 1);
  GstVideoMeta *video = gst_buffer_get_video_meta (buffer);
  GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);
  gsize at = 0;
  guint i;

  before->t = t;
  before->kind = kind;
  before->buffer = buffer;
  before->pts = GST_BUFFER_PTS (buffer);
  before->dts = GST_BUFFER_DTS (buffer);
  before->duration = GST_BUFFER_DURATION (buffer);
  before->offset = GST_BUFFER_OFFSET (buffer);
  before->offset_end = GST_BUFFER_OFFSET_END (buffer);
  before->flags = gst_buffer_get_flags (buffer);
  before->has_video = video != NULL;
  if (video)
    before->video = *video;
  before->has_crop = crop != NULL;
  if (crop)
    before->crop = *crop;

  before->writable = gst_buffer_is_writable (buffer);
  before->n = gst_buffer_n_memory (buffer);
  before->size = gst_buffer_get_size (buffer);
  before->image = g_malloc0 (before->size + 1);
  for (i = 0; i < before->n; i++) {
    before->memory[i] = gst_buffer_peek_memory (buffer, i);
    before->memory_size[i] = before->memory[i]->size;
    look_at_memory (before, i, at);
    at += before->memory[i]->size;
  }
  before->worked = get_count (before, counters[kind].worked);
  before->passed = get_count (before, counters[kind].passed);
  before->dropped = kind == ORACLE_HISTOGRAM ? get_count (before, "dropped") :
      0;
  return before;
}

static void
free_before (OracleBefore * before)
{
  guint i;

  for (i = 0; i < before->n; i++) {
    g_free (before->copy[i]);
    if (before->bytes[i])
      release_bytes (before->bytes[i]);
  }
  g_free (before->image);
  g_free (before);
}

/* Returns the planes that @channels are read from. */
static guint
planes_of (const OracleBefore * before, GstVideoHistogramChannels channels)
{
  /* One bit per component: R, G and B, and Y, U and V. */
  static const guint of_rgb[] = { 7, 1, 2, 4, 7 };
  static const guint of_yuv[] = { 1, 5, 7, 3, 1 };
  const GstVideoFormatInfo *finfo = before->info.finfo;
  const guint *needed = GST_VIDEO_FORMAT_INFO_IS_RGB (finfo) ? of_rgb : of_yuv;
  guint planes = 0, channel, i;

  for (channel = 0; channel < GST_VIDEO_HISTOGRAM_N_CHANNELS; channel++) {
    for (i = 0; i < MIN (3, finfo->n_components); i++) {
      if ((channels & (1 << channel)) && (needed[channel] & (1 << i)))
        planes |= 1u << finfo->plane[i];
    }
  }
  return planes;
}

/* Whether every byte from @offset on can be read, that is, no memory in the
 * range fails to map. */
static gboolean
is_readable (const OracleBefore * before, gsize offset, gsize end)
{
  gsize at = 0;
  guint i;

  for (i = 0; i < before->n; i++) {
    const gsize next = at + before->memory_size[i];

    if (!before->readable[i] && next > at && next > offset && at < end)
      return FALSE;
    at = next;
  }
  return end <= before->size;
}

static gboolean
prove_plane (const OracleBefore * before, guint p, guint width, guint height,
    Planes * planes)
{
  const GstVideoFormatInfo *finfo = before->info.finfo;
  const gsize offset = before->has_video ? before->video.offset[p] :
      before->info.offset[p];
  const gint stride = before->has_video ? before->video.stride[p] :
      before->info.stride[p];
  gsize end;
  guint i;

  for (i = 0; i < finfo->n_components; i++) {
    guint64 w, h;

    if (finfo->plane[i] != p)
      continue;
    w = ((guint64) width + (1u << finfo->w_sub[i]) - 1) >> finfo->w_sub[i];
    h = ((guint64) height + (1u << finfo->h_sub[i]) - 1) >> finfo->h_sub[i];
    planes->row_bytes[p] = MAX (planes->row_bytes[p],
        w * finfo->pixel_stride[i]);
    planes->rows[p] = MAX (planes->rows[p], h);
  }
  if (stride <= 0 || (gsize) stride < planes->row_bytes[p])
    return FALSE;
  planes->offset[p] = offset;
  planes->stride[p] = stride;
  return g_size_checked_mul (&end, planes->rows[p] - 1, stride)
      && g_size_checked_add (&end, end, planes->row_bytes[p])
      && g_size_checked_add (&end, end, offset)
      && end <= before->size && is_readable (before, offset, end);
}

/* Whether the buffer holds the @wanted planes of a frame with this layout. */
static gboolean
prove (const OracleBefore * before, guint wanted, Planes * planes)
{
  const GstVideoInfo *info = &before->info;
  guint width = GST_VIDEO_INFO_WIDTH (info);
  guint height = GST_VIDEO_INFO_FIELD_HEIGHT (info), p;

  memset (planes, 0, sizeof (*planes));
  if (!before->has_info)
    return FALSE;
  if (before->has_video) {
    const GstVideoMeta *video = &before->video;

    if (video->format != GST_VIDEO_INFO_FORMAT (info)
        || video->n_planes != GST_VIDEO_INFO_N_PLANES (info)
        || (!before->has_crop
            && (video->width != width || video->height != height)))
      return FALSE;
    width = video->width;
    height = video->height;
  }
  planes->width = width;
  planes->height = height;
  if (before->has_crop) {
    const GstVideoCropMeta *crop = &before->crop;

    if (crop->width == 0 || crop->height == 0
        || (guint64) crop->x + crop->width > width
        || (guint64) crop->y + crop->height > height)
      return FALSE;
    planes->x = crop->x;
    planes->y = crop->y;
    planes->width = crop->width;
    planes->height = crop->height;
  }
  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if ((wanted & (1u << p)) && !prove_plane (before, p, width, height, planes))
      return FALSE;
  }
  return TRUE;
}

/* Checks that @out has the memories of the original buffer; it may be a new
 * buffer. */
static void
check_same (const OracleBefore * before, GstBuffer * out)
{
  guint i;

  MUST (gst_buffer_n_memory (out) == before->n, "memories were added or lost");
  for (i = 0; i < before->n; i++) {
    MUST (gst_buffer_peek_memory (out, i) == before->memory[i],
        "memory %u is another", i);
  }
}

static void
check_times (const OracleBefore * before, GstBuffer * out)
{
  MUST (GST_BUFFER_PTS (out) == before->pts
      && GST_BUFFER_DTS (out) == before->dts
      && GST_BUFFER_DURATION (out) == before->duration
      && GST_BUFFER_OFFSET (out) == before->offset
      && GST_BUFFER_OFFSET_END (out) == before->offset_end,
      "times have changed");
  /* The base class marks the first buffer after a flush as DISCONT. */
  MUST (((gst_buffer_get_flags (out) ^ before->flags) &
          ~(GST_BUFFER_FLAG_TAG_MEMORY | GST_BUFFER_FLAG_DISCONT)) == 0
      && (GST_BUFFER_IS_DISCONT (out)
          || !(before->flags & GST_BUFFER_FLAG_DISCONT)),
      "flags have changed");
}

/* Marks the bytes of the image that belong to rows of @planes. */
static guint8 *
mark_rows (const OracleBefore * before, const Planes * planes)
{
  guint8 *rows = g_malloc0 (before->size + 1);
  guint p, y;

  for (p = 0; planes && p < GST_VIDEO_INFO_N_PLANES (&before->info); p++) {
    for (y = 0; y < planes->rows[p]; y++) {
      memset (rows + planes->offset[p] + (gsize) y * planes->stride[p], 1,
          planes->row_bytes[p]);
    }
  }
  return rows;
}

/* Checks that the memories are unchanged, apart from the rows of @planes if
 * given. */
static void
check_bytes (const OracleBefore * before, const Planes * planes)
{
  guint8 *rows = mark_rows (before, planes);
  gsize at = 0, b;
  guint i;

  for (i = 0; i < before->n; i++) {
    const Bytes *bytes = before->bytes[i];
    const gsize size = before->memory_size[i];

    if (bytes && memcmp (bytes->block, before->copy[i], bytes->block_size)) {
      for (b = 0; b < bytes->block_size; b++) {
        const gboolean may = b >= bytes->offset && b < bytes->offset + size
            && rows[at + b - bytes->offset];

        MUST (may || bytes->block[b] == before->copy[i][b],
            "byte %" G_GSIZE_FORMAT " of memory %u was written to", b, i);
      }
    }
    at += size;
  }
  g_free (rows);
}

/* Counts with the reference, for a histogram with the settings of @got. */
static GstVideoHistogram *
count (const OracleBefore * before, const VhLayout * layout,
    const Planes * planes, const GstVideoHistogramInfo * got)
{
  GstVideoHistogram *expected = vh_histogram_new (got, "reference");
  VhFrameView view = {.layout = layout };
  const VhRect region = {
    planes->x + got->region_x, planes->y + got->region_y, got->region_width,
    got->region_height
  };
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    view.plane[p].data = before->image + planes->offset[p];
    view.plane[p].stride = planes->stride[p];
  }
  vh_reference_count (&view, &region, vh_histogram_counts (expected));
  vh_counts_complete (vh_histogram_counts (expected));
  return expected;
}

static void
compare (GstVideoHistogram * got, GstVideoHistogram * expected)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (got);
  guint channel, column, row, n;

  for (channel = 0; channel < GST_VIDEO_HISTOGRAM_N_CHANNELS; channel++) {
    for (row = 0; row < info->rows; row++) {
      for (column = 0; column < info->columns; column++) {
        const guint32 *a = gst_video_histogram_get_cell_counts (got, channel,
            column, row, &n);
        const guint32 *b = gst_video_histogram_get_cell_counts (expected,
            channel, column, row, NULL);

        MUST (!a == !b && (!a || memcmp (a, b, n * sizeof (*a)) == 0),
            "wrong counts of channel %u", channel);
      }
    }
  }
}

/* The caps that the element has accepted, or NULL. */
static GstCaps *
get_caps (const OracleBefore * before)
{
  return gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD
      (before->t->element));
}

/* Checks that the last histogram belongs to this frame and is correct. */
static void
check_counts (const OracleBefore * before)
{
  const GstVideoHistogramInfo *info;
  GstVideoHistogram *got, *expected;
  GstCaps *caps = get_caps (before);
  VhLayout layout;
  Planes planes;

  MUST (caps && vh_layout_from_caps (&layout, caps, NULL),
      "counted without a format");
  gst_caps_unref (caps);
  g_object_get (before->t->element, "last-histogram", &got, NULL);
  MUST (got != NULL, "counted, and there is no histogram");
  info = gst_video_histogram_get_info (got);
  MUST (prove (before, planes_of (before, info->channels), &planes),
      "counted what is not there");
  MUST (info->width == planes.width && info->height == planes.height
      && (guint64) info->region_x + info->region_width <= planes.width
      && (guint64) info->region_y + info->region_height <= planes.height,
      "counted outside of the picture");
  expected = count (before, &layout, &planes, info);
  compare (got, expected);
  gst_video_histogram_unref (got);
  gst_video_histogram_unref (expected);
}

/* Whether the element has to count a frame with its present caps and
 * properties. */
static gboolean
has_to_be_counted (const OracleBefore * before)
{
  GstVideoHistogramJoint joint;
  gboolean whole;
  Planes planes;
  gchar *roi;
  guint bins;

  g_object_get (before->t->element, "roi", &roi, "joint", &joint, "bins", &bins,
      NULL);
  whole = *roi == '\0' && joint == GST_VIDEO_HISTOGRAM_JOINT_NONE
      && bins <= 256;
  g_free (roi);
  return whole && prove (before, ALL_PLANES, &planes);
}

static void
check_histogram (const OracleBefore * before, GstBuffer * out)
{
  const guint64 counted = get_count (before, "processed") - before->worked;
  const guint64 skipped = get_count (before, "skipped") - before->passed;
  const guint64 dropped = get_count (before, "dropped") - before->dropped;
  guint64 interval;

  g_object_get (before->t->element, "interval", &interval, NULL);
  check_same (before, out);
  check_times (before, out);
  check_bytes (before, NULL);
  MUST (counted + skipped + dropped <= 1, "a frame was finished twice");
  MUST (interval > 0 || counted + skipped + dropped == 1,
      "a frame was forgotten");
  if (counted)
    check_counts (before);
  MUST (!skipped || !has_to_be_counted (before), "skipped a good frame");
}

/* Checks that the element wrote only to the rows of a frame that nobody else
 * held, or to none of the input. */
static void
check_written (const OracleBefore * before, GstBuffer * out)
{
  Planes planes;

  if (out == before->buffer && before->writable) {
    check_same (before, out);
    check_bytes (before, prove (before, ALL_PLANES, &planes) ? &planes : NULL);
  } else {
    check_bytes (before, NULL);
  }
}

/* Whether the element has to correct a frame with its present caps and
 * properties. */
static gboolean
has_to_be_corrected (const OracleBefore * before)
{
  GstVideoEqualizeMethod method;
  gdouble low, high;
  Planes planes;

  g_object_get (before->t->element, "method", &method, "low-percentile", &low,
      "high-percentile", &high, NULL);
  return method != GST_VIDEO_EQUALIZE_METHOD_MATCH && !before->has_crop
      && (method != GST_VIDEO_EQUALIZE_METHOD_STRETCH || low < high)
      && prove (before, ALL_PLANES, &planes);
}

static void
check_equalize (const OracleBefore * before, GstBuffer * out)
{
  const gboolean uncorrected =
      get_count (before, "uncorrected") != before->passed;

  check_times (before, out);
  if (uncorrected) {
    MUST (!has_to_be_corrected (before), "did not correct a good frame");
    check_same (before, out);
    check_bytes (before, NULL);
  } else {
    check_written (before, out);
  }
}

/* The caps of the source pad, or of the sink pad if it has none. */
static void
get_out_info (const OracleBefore * before, GstVideoInfo * info)
{
  GstCaps *caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SRC_PAD
      (before->t->element));

  *info = before->info;
  MUST (!caps || gst_video_info_from_caps (info, caps), "odd caps are pushed");
  MUST (info->finfo == before->info.finfo, "the format has changed");
  gst_clear_caps (&caps);
}

/* A buffer that passed a videoscope: unchanged or, if the size differs,
 * replaced. */
static void
check_undrawn (const OracleBefore * before, GstBuffer * out,
    const GstVideoInfo * info)
{
  Planes planes;

  MUST (before->has_crop || !prove (before, ALL_PLANES, &planes),
      "did not draw on a good frame");
  check_bytes (before, NULL);
  if (!before->has_info || (info->width == before->info.width
          && info->height == before->info.height))
    check_same (before, out);
}

static void
check_scope (const OracleBefore * before, GstBuffer * out)
{
  const guint64 drawn = get_count (before, "drawn") - before->worked;
  const guint64 undrawn = get_count (before, "undrawn") - before->passed;
  GstVideoInfo info;

  get_out_info (before, &info);
  check_times (before, out);
  MUST (drawn + undrawn == !gst_base_transform_is_passthrough
      (GST_BASE_TRANSFORM (before->t->element)), "a frame was forgotten");
  if (drawn) {
    check_written (before, out);
    MUST (out == before->buffer || gst_buffer_get_size (out) == info.size,
        "a frame left that is not one of its caps");
  } else if (undrawn) {
    check_undrawn (before, out, &info);
  } else {
    check_same (before, out);
    check_bytes (before, NULL);
  }
}

static void (*const checks[ORACLE_N_KINDS]) (const OracleBefore * before,
    GstBuffer * out) = {
  [ORACLE_HISTOGRAM] = check_histogram,
  [ORACLE_EQUALIZE] = check_equalize,
  [ORACLE_SCOPE] = check_scope,
};

void
oracle_check (OracleBefore * before, GstFlowReturn flow, GstBuffer * out)
{
  MUST ((flow == GST_FLOW_OK) == (out != NULL), "%s, and %s buffer came out",
      gst_flow_get_name (flow), out ? "a" : "no");
  MUST (flow == GST_FLOW_OK || flow == GST_FLOW_FLUSHING || flow == GST_FLOW_EOS
      || flow == GST_FLOW_NOT_NEGOTIATED, "flow is %s",
      gst_flow_get_name (flow));
  if (out) {
    GstCaps *caps = get_caps (before);

    before->has_info = caps != NULL;
    MUST (!caps || gst_video_info_from_caps (&before->info, caps),
        "odd caps were taken");
    gst_clear_caps (&caps);
  }
  if (out)
    checks[before->kind] (before, out);
  free_before (before);
}
