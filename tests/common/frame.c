/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame.h"
#include "memory.h"

#include <string.h>

#define MAX_MEMORIES 8

typedef enum
{
  CONTENT_NOISE,
  CONTENT_FLAT,
  CONTENT_TWO_VALUES,
  CONTENT_RUNS,
  CONTENT_RAMP,
  CONTENT_GRADIENT_AND_NOISE,
  CONTENT_EXTREMES,
  N_CONTENTS,
} Content;

/* Bytes per step of the content in a plane: one pixel, or two if they share
 * chroma. */
static guint
plane_unit (const GstVideoFormatInfo * finfo, guint plane)
{
  guint unit = 0, i;

  for (i = 0; i < finfo->n_components; i++) {
    if (finfo->plane[i] == plane)
      unit = MAX (unit, (guint) finfo->pixel_stride[i]);
  }
  return unit;
}

static guint
plane_rows (const GstVideoFormatInfo * finfo, guint plane, guint height)
{
  guint i;

  for (i = 0; i < finfo->n_components; i++) {
    if (finfo->plane[i] == plane)
      return GST_VIDEO_SUB_SCALE (finfo->h_sub[i], height);
  }
  g_assert_not_reached ();
}

static gsize
plane_row_bytes (const GstVideoFormatInfo * finfo, guint plane, guint width)
{
  gsize bytes = 0;
  guint i;

  for (i = 0; i < finfo->n_components; i++) {
    if (finfo->plane[i] == plane) {
      bytes = MAX (bytes, (gsize) GST_VIDEO_SUB_SCALE (finfo->w_sub[i], width)
          * finfo->pixel_stride[i]);
    }
  }
  return bytes;
}

/* Fills a row with words of 8 or 16 bits that rise from @value by @step. */
static void
fill_ramp (const GstVideoFormatInfo * finfo, guint8 * row, gsize bytes,
    guint value, guint step, guint noise, TestRandom * random)
{
  const gboolean is_le = (finfo->flags & GST_VIDEO_FORMAT_FLAG_LE) != 0;
  gsize i;

  for (i = 0; i < bytes; i += finfo->depth[0] > 8 ? 2 : 1) {
    const guint word = value + (noise ? test_random_below (random, noise) : 0);

    row[i] = word;
    if (finfo->depth[0] > 8) {
      row[i] = is_le ? word : word >> 8;
      row[i + 1] = is_le ? word >> 8 : word;
    }
    value += step;
  }
}

/* Fills a row with units of @a or @b, which alternate every @run units on
 * average. */
static void
fill_units (guint8 * row, gsize bytes, guint unit, const guint8 * a,
    const guint8 * b, guint run, TestRandom * random)
{
  gboolean second = FALSE;
  gsize i;

  for (i = 0; i + unit <= bytes; i += unit) {
    if (run && test_random_once_in (random, run))
      second = !second;
    memcpy (row + i, second ? b : a, unit);
  }
}

/* Unused bits of words, above or below the 10 or 12 bits of a sample, stay
 * random. */
static void
fill_plane (const GstVideoFormatInfo * finfo, guint plane, guint8 * data,
    gsize stride, guint width, guint height, Content content,
    TestRandom * random)
{
  const guint unit = plane_unit (finfo, plane);
  const guint rows = plane_rows (finfo, plane, height);
  const gsize bytes = plane_row_bytes (finfo, plane, width);
  const guint step = 1 + test_random_below (random, 300);
  guint8 a[8], b[8];
  guint y;

  test_random_fill (random, a, sizeof (a));
  test_random_fill (random, b, sizeof (b));
  if (content == CONTENT_EXTREMES) {
    memset (a, 0, sizeof (a));
    memset (b, 0xff, sizeof (b));
  }

  for (y = 0; y < rows; y++, data += stride) {
    switch (content) {
      case CONTENT_FLAT:
        fill_units (data, bytes, unit, a, a, 0, random);
        break;
      case CONTENT_TWO_VALUES:
      case CONTENT_EXTREMES:
        fill_units (data, bytes, unit, a, b, 2, random);
        break;
      case CONTENT_RUNS:
        fill_units (data, bytes, unit, a, b, 100, random);
        break;
      case CONTENT_RAMP:
        fill_ramp (finfo, data, bytes, y * step, step, 0, random);
        break;
      case CONTENT_GRADIENT_AND_NOISE:
        fill_ramp (finfo, data, bytes, y, 1, 8, random);
        break;
      default:
        break;                  /* already noise */
    }
  }
}

static void
make_caps (TestFrame * frame)
{
  frame->caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, gst_video_format_to_string (frame->format),
      "width", G_TYPE_INT, frame->width, "height", G_TYPE_INT, frame->height,
      "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  if (frame->colorimetry) {
    gst_caps_set_simple (frame->caps, "colorimetry", G_TYPE_STRING,
        frame->colorimetry, NULL);
  }
}

static void
init (TestFrame * frame, GstVideoFormat format, guint width, guint height,
    const gchar * colorimetry)
{
  *frame = (TestFrame) {
    .format = format,
    .width = width,
    .height = height,
    .colorimetry = g_strdup (colorimetry),
    .n_planes = GST_VIDEO_FORMAT_INFO_N_PLANES (gst_video_format_get_info
        (format)),
  };
  make_caps (frame);
}

void
test_frame_init_plain (TestFrame * frame, TestRandom * random,
    GstVideoFormat format, guint width, guint height,
    const gchar * colorimetry)
{
  GstVideoInfo info;
  guint p;

  init (frame, format, width, height, colorimetry);
  g_assert (gst_video_info_from_caps (&info, frame->caps));
  frame->size = info.size;
  frame->image = g_malloc (info.size);
  test_random_fill (random, frame->image, info.size);
  for (p = 0; p < frame->n_planes; p++) {
    frame->offset[p] = info.offset[p];
    frame->stride[p] = info.stride[p];
    fill_plane (info.finfo, p, frame->image + info.offset[p], info.stride[p],
        width, height, test_random_below (random, N_CONTENTS), random);
  }
  frame->buffer = test_buffer_guarded (frame->image, frame->size);
}

/* Places planes of @width x @height pixels anywhere, in any order, with
 * padding between rows and gaps between planes. The last row of a plane has
 * no padding. */
static void
place_planes (TestFrame * frame, TestRandom * random, guint width, guint height)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (frame->format);
  const guint first = test_random_below (random, frame->n_planes);
  guint i;

  for (i = 0; i < frame->n_planes; i++) {
    const guint p = (first + i) % frame->n_planes;
    const gsize bytes = plane_row_bytes (finfo, p, width);
    const guint rows = plane_rows (finfo, p, height);

    if (test_random_once_in (random, 2))
      frame->size += test_random_below (random, 70);
    frame->offset[p] = frame->size;
    frame->stride[p] = bytes;
    if (test_random_once_in (random, 2))
      frame->stride[p] += test_random_below (random, 80);
    frame->size += (gsize) (rows - 1) * frame->stride[p] + bytes;
  }
  if (test_random_once_in (random, 2))
    frame->size += test_random_below (random, 70);
}

/* Makes a memory of @size bytes of @data that is part of a larger one. */
static GstMemory *
make_shared_memory (TestRandom * random, const guint8 * data, gsize size)
{
  const gsize before = test_random_below (random, 40);
  const gsize after = test_random_below (random, 40);
  guint8 *larger = g_malloc (before + size + after);
  GstMemory *parent, *memory;

  test_random_fill (random, larger, before + size + after);
  if (size > 0)
    memcpy (larger + before, data, size);
  parent = test_memory_guarded (larger, before + size + after, FALSE, 0);
  memory = gst_memory_share (parent, before, size);
  gst_memory_unref (parent);
  g_free (larger);
  return memory;
}

static GstMemory *
make_memory (TestRandom * random, const guint8 * data, gsize size)
{
  if (test_random_once_in (random, 4))
    return make_shared_memory (random, data, size);
  return test_memory_guarded (data, size, test_random_once_in (random, 2),
      test_random_once_in (random, 2) ? GST_MEMORY_FLAG_READONLY : 0);
}

static gint
compare_sizes (gconstpointer a, gconstpointer b)
{
  const gsize x = *(const gsize *) a, y = *(const gsize *) b;

  return x < y ? -1 : x > y;
}

/* Cuts the image into memories: one, one per plane, or at random positions. */
static void
make_memories (TestFrame * frame, TestRandom * random)
{
  gsize cut[MAX_MEMORIES + 1] = { 0, };
  guint n = 1, i;

  switch (test_random_below (random, 4)) {
    case 0:
      n = frame->n_planes;
      for (i = 1; i < n; i++)
        cut[i] = frame->offset[i];
      break;
    case 1:
      n = 1 + test_random_below (random, MAX_MEMORIES);
      for (i = 1; i < n; i++)
        cut[i] = test_random (random) % (frame->size + 1);
      break;
    default:
      break;
  }
  cut[n] = frame->size;
  qsort (cut, n, sizeof (*cut), compare_sizes);

  frame->buffer = gst_buffer_new ();
  for (i = 0; i < n; i++) {
    gst_buffer_append_memory (frame->buffer, make_memory (random,
            frame->image + cut[i], cut[i + 1] - cut[i]));
  }
}

void
test_frame_init_random (TestFrame * frame, TestRandom * random,
    GstVideoFormat format, guint width, guint height,
    const gchar * colorimetry)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (format);
  const Content content = test_random_below (random, N_CONTENTS);
  guint full_width = width, full_height = height, p;

  if (test_random_once_in (random, 5)) {
    test_frame_init_plain (frame, random, format, width, height, colorimetry);
    return;
  }

  init (frame, format, width, height, colorimetry);
  if (test_random_once_in (random, 3)) {
    frame->x = test_random_below (random, 40);
    frame->y = test_random_below (random, 40);
    full_width += frame->x + test_random_below (random, 40);
    full_height += frame->y + test_random_below (random, 40);
  }

  place_planes (frame, random, full_width, full_height);
  frame->image = g_malloc (frame->size);
  test_random_fill (random, frame->image, frame->size);
  for (p = 0; p < frame->n_planes; p++) {
    fill_plane (finfo, p, frame->image + frame->offset[p], frame->stride[p],
        full_width, full_height, content, random);
  }
  make_memories (frame, random);

  gst_buffer_add_video_meta_full (frame->buffer, 0, format, full_width,
      full_height, frame->n_planes, frame->offset, frame->stride);
  if (full_width != width || full_height != height || frame->x || frame->y) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (frame->buffer);

    crop->x = frame->x;
    crop->y = frame->y;
    crop->width = width;
    crop->height = height;
  }
}

void
test_frame_clear (TestFrame * frame)
{
  gst_clear_buffer (&frame->buffer);
  gst_clear_caps (&frame->caps);
  g_clear_pointer (&frame->image, g_free);
  g_clear_pointer (&frame->colorimetry, g_free);
}

gchar **
test_caps_list_formats (GstCaps * caps)
{
  const GValue *list = gst_structure_get_value (gst_caps_get_structure (caps,
          0), "format");
  GPtrArray *names = g_ptr_array_new ();
  guint i;

  for (i = 0; i < gst_value_list_get_size (list); i++) {
    g_ptr_array_add (names,
        g_value_dup_string (gst_value_list_get_value (list, i)));
  }
  g_ptr_array_add (names, NULL);
  return (gchar **) g_ptr_array_free (names, FALSE);
}

void
test_buffer_add_metas (GstBuffer * buffer, GstVideoMeta * meta,
    const GstVideoCropMeta * crop)
{
  if (meta) {
    gst_buffer_add_video_meta_full (buffer, 0, meta->format, meta->width,
        meta->height, meta->n_planes, meta->offset, meta->stride);
  }
  if (crop) {
    GstVideoCropMeta *copy = gst_buffer_add_video_crop_meta (buffer);

    copy->x = crop->x;
    copy->y = crop->y;
    copy->width = crop->width;
    copy->height = crop->height;
  }
}

/* Chooses a range within @size pixels: stores its first pixel and returns its
 * length. */
static guint
choose_part (TestRandom * random, guint size, guint * first)
{
  *first = test_random_once_in (random, 2) ? 0 :
      test_random_below (random, size);
  if (test_random_once_in (random, 2))
    return size - *first;
  return 1 + test_random_below (random, size - *first);
}

void
test_random_region (TestRandom * random, guint width, guint height,
    guint region[4])
{
  region[0] = region[1] = 0;
  region[2] = width;
  region[3] = height;
  if (test_random_once_in (random, 4)) {
    region[2] = choose_part (random, width, &region[0]);
    region[3] = choose_part (random, height, &region[1]);
  }
}
