/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bits of a buffer that belong to no sample of its picture change no count and
 * no value, in any format and at any edge of the picture. Which bits these are,
 * GStreamer's own unpacking of frames decides. Sweeps compare GPUs with the
 * CPU. */
#include "sweepfixture.h"

#include "common/env.h"

#define MAX_SIDE 8
#define N_FRAMES 4
#define CHANNELS (GST_VIDEO_HISTOGRAM_CHANNELS_LUMA | \
    GST_VIDEO_HISTOGRAM_CHANNELS_RED | GST_VIDEO_HISTOGRAM_CHANNELS_GREEN | \
    GST_VIDEO_HISTOGRAM_CHANNELS_BLUE | GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT)
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

/* A picture at @x, @y in planes that are larger by @more on each axis. */
typedef struct
{
  guint x, y, width, height, more;
} Place;

static const Place places[] = {
  {0, 0, 1, 1, 0}, {0, 0, 3, 5, 0}, {0, 0, 4, 2, 0}, {0, 0, 7, 3, 0},
  {1, 0, 3, 3, 1}, {1, 1, 4, 2, 2}, {2, 1, 5, 3, 3}, {1, 1, 1, 1, 1},
};

/* Unpacked pixels of the picture, without alpha. */
typedef guint16 Pixels[MAX_SIDE][MAX_SIDE][3];

static GstVideoHistogramEngine *counting;
static GstVideoHealth *health;
static GstVideoHealthEngine *engine;

/* What was found out about a frame, in words and numbers. */
static GString *found;

static void
setup (void)
{
  sweep_setup ();
  counting = sweep_open_engine (GST_VIDEO_HISTOGRAM_BACKEND_CPU);
  health = gst_video_health_new ();
  engine = gst_video_health_engine_new (health, counting);
}

static void
teardown (void)
{
  g_object_unref (engine);
  g_object_unref (health);
  gst_video_histogram_engine_close (counting);
  g_object_unref (counting);
  sweep_teardown ();
}

static void
unpack (const GstVideoInfo * info, guint8 * image, const Place * place,
    Pixels pixels)
{
  const GstVideoFormatInfo *finfo = info->finfo;
  const gboolean wide = gst_video_format_get_info (finfo->unpack_format)->bits
      > 8;
  guint64 line[2 * MAX_SIDE];
  gpointer data[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  guint x, y, c, p;

  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    data[p] = image + GST_VIDEO_INFO_PLANE_OFFSET (info, p);
    stride[p] = GST_VIDEO_INFO_PLANE_STRIDE (info, p);
  }
  for (y = 0; y < place->height; y++) {
    finfo->unpack_func (finfo, GST_VIDEO_PACK_FLAG_NONE, line, data, stride, 0,
        place->y + y, GST_VIDEO_INFO_WIDTH (info));
    for (x = 0; x < place->width; x++) {
      for (c = 0; c < 3; c++) {
        const guint i = 4 * (place->x + x) + 1 + c;

        pixels[y][x][c] = wide ? ((guint16 *) line)[i] : ((guint8 *) line)[i];
      }
    }
  }
}

/* Fills @used with the bits of @image that make a difference. */
static void
find_used (const GstVideoInfo * info, guint8 * image, gsize size,
    const Place * place, guint8 * used)
{
  Pixels before = { 0, }, after = { 0, };
  gsize i;
  guint bit;

  unpack (info, image, place, before);
  for (i = 0; i < size; i++) {
    used[i] = 0;
    for (bit = 1; bit < 256; bit <<= 1) {
      image[i] ^= bit;
      unpack (info, image, place, after);
      image[i] ^= bit;
      if (memcmp (before, after, sizeof (before)) != 0)
        used[i] |= bit;
    }
  }
}

static GstBuffer *
make_buffer (GstVideoInfo * info, const guint8 * image, gsize size,
    const Place * place)
{
  GstBuffer *buffer = gst_buffer_new_memdup (image, size);
  GstVideoCropMeta *crop;

  if (place->more == 0)
    return buffer;
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info),
      info->offset, info->stride);
  crop = gst_buffer_add_video_crop_meta (buffer);
  crop->x = place->x;
  crop->y = place->y;
  crop->width = place->width;
  crop->height = place->height;
  return buffer;
}

static void
note_counts (GBytes * counts)
{
  gchar *sum = g_compute_checksum_for_bytes (G_CHECKSUM_MD5, counts);

  g_string_append_printf (found, "counts %s\n", sum);
  g_free (sum);
  g_bytes_unref (counts);
}

/* Counts a frame with all channels, and its chroma. */
static void
count (GstCaps * caps, GstBuffer * buffer)
{
  GstVideoHistogramSpec spec;
  GstVideoHistogram *histogram;
  GstVideoJointHistogram *joint;
  GError *error = NULL;
  guint i;

  gst_video_histogram_spec_init (&spec);
  spec.channels = CHANNELS;
  spec.joint = GST_VIDEO_HISTOGRAM_JOINT_CHROMA;
  fail_unless (gst_video_histogram_engine_configure (counting, caps, &spec,
          &error), "%s", error ? error->message : "");
  histogram = gst_video_histogram_engine_submit (counting, buffer, NULL, FALSE,
      &error);
  fail_unless (histogram, "%s", error ? error->message : "");
  fail_unless (gst_video_histogram_wait (histogram, MAX_WAIT));
  for (i = 0; i < GST_VIDEO_HISTOGRAM_N_CHANNELS; i++) {
    if (CHANNELS & (1u << i))
      note_counts (gst_video_histogram_get_counts_bytes (histogram, i));
  }
  joint = gst_video_histogram_get_joint (histogram);
  if (joint) {
    fail_unless (gst_video_joint_histogram_wait (joint, MAX_WAIT));
    note_counts (gst_video_joint_histogram_get_counts_bytes (joint));
  }
  gst_video_histogram_unref (histogram);
}

static void
judge (GstBuffer * buffer, guint number)
{
  GError *error = NULL;
  gdouble value;
  guint i;

  fail_unless (gst_video_health_engine_submit (engine, buffer,
          number * GST_SECOND, GST_CLOCK_TIME_NONE, &error), "%s",
      error ? error->message : "");
  fail_unless (gst_video_health_engine_finish (engine, MAX_WAIT));
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    if (gst_video_health_get_value (health, i, &value))
      g_string_append_printf (found, "%s %.17g\n",
          gst_video_health_condition_get_name (i), value);
  }
  fail_unless (number == 0 || !gst_video_health_get_value (health,
          GST_VIDEO_HEALTH_CONDITION_FROZEN, &value) || value == 0,
      "the difference is %g", value);
}

/* Finds out all about a picture that does not change; @outside draws the other
 * bits, or they are 0. */
static gchar *
find_all (GstCaps * caps, GstVideoInfo * info, const guint8 * image,
    const guint8 * used, gsize size, const Place * place, TestRandom * outside)
{
  guint8 *frame = g_malloc (size);
  guint n;
  gsize i;

  found = g_string_new (NULL);
  gst_video_health_reset (health);
  gst_video_health_forget (health);
  for (n = 0; n <= N_FRAMES; n++) {
    GstBuffer *buffer;

    for (i = 0; i < size; i++)
      frame[i] = (image[i] & used[i]) | (outside ?
          test_random_below (outside, 256) & ~used[i] : 0);
    buffer = make_buffer (info, frame, size, place);
    if (n == 0)
      count (caps, buffer);
    if (n == 0)
      fail_unless (gst_video_health_engine_configure (engine, caps, NULL));
    else
      judge (buffer, n - 1);
    gst_buffer_unref (buffer);
  }
  g_free (frame);
  return g_string_free (found, FALSE);
}

static void
check (GstVideoFormat format, const Place * place, TestRandom * random)
{
  GstVideoInfo planes, picture;
  guint8 *image, *used;
  gchar *with, *without;
  GstCaps *caps;
  gsize size;

  fail_unless (gst_video_info_set_format (&planes, format,
          place->width + place->more, place->height + place->more));
  fail_unless (gst_video_info_set_format (&picture, format, place->width,
          place->height));
  caps = gst_video_info_to_caps (&picture);
  size = GST_VIDEO_INFO_SIZE (&planes);
  image = g_malloc (size);
  used = g_malloc (size);
  test_random_fill (random, image, size);
  find_used (&planes, image, size, place, used);
  without = find_all (caps, &planes, image, used, size, place, NULL);
  with = find_all (caps, &planes, image, used, size, place, random);
  fail_unless (g_str_equal (with, without), "%s %ux%u at %u,%u: %s differs "
      "from %s", gst_video_format_to_string (format), place->width,
      place->height, place->x, place->y, with, without);
  g_free (with);
  g_free (without);
  g_free (image);
  g_free (used);
  gst_caps_unref (caps);
}

GST_START_TEST (test_outside)
{
  GstCaps *caps = gst_video_histogram_engine_get_caps ();
  gchar **formats = test_caps_list_formats (caps);
  TestRandom random = test_random_new (test_env_number ("TEST_SEED", 1));
  guint i;

  for (i = 0; formats[i]; i++)
    check (gst_video_format_from_string (formats[i]), &places[__i__], &random);
  g_strfreev (formats);
  gst_caps_unref (caps);
}

GST_END_TEST;

TEST_SUITE (outside, setup, teardown)
{
  tcase_add_loop_test (tc, test_outside, 0, G_N_ELEMENTS (places));
}
