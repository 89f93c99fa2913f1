/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers that do not hold what their caps and metas promise. Whatever they
 * say: they leave as they came, nothing outside of them is read (their memories
 * end where a page begins that cannot be read), and `skipped` counts them. Odd
 * ones that do hold a frame are counted, and counted right. */
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/memory.h"

#define WIDTH 64
#define HEIGHT 48
#define SIZE 4608
#define CAPS "video/x-raw,format=I420,width=64,height=48,framerate=25/1"
#define HONEST_OFFSET {0, 3072, 3840}
#define HONEST_STRIDE {64, 32, 32}
#define I420 GST_VIDEO_FORMAT_I420

static guint8 image[SIZE];
static guint32 honest_counts[256];

typedef GstBuffer *(*MakeBuffer) (gconstpointer data);

static void
setup (void)
{
  guint i;

  memset (honest_counts, 0, sizeof (honest_counts));
  for (i = 0; i < SIZE; i++)
    image[i] = i * 7 + i / 64;
  for (i = 0; i < WIDTH * HEIGHT; i++)
    honest_counts[image[i]]++;
}

static GstBuffer *
make_honest (gconstpointer data)
{
  (void) data;
  return test_buffer_guarded (image, SIZE);
}

/* Whether the last histogram is of @counts, or of the frame that it should be
 * where that is NULL. */
static void
check_counts (TestElement * t, const guint32 * counts)
{
  GstVideoHistogram *histogram;
  const guint32 *got;

  g_object_get (t->element, "last-histogram", &histogram, NULL);
  fail_unless (histogram != NULL);
  got = gst_video_histogram_get_counts (histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, NULL);
  fail_unless (memcmp (got, counts, 256 * sizeof (*counts)) == 0,
      "wrong counts");
  gst_video_histogram_unref (histogram);
}

/* Passes a buffer, which has to leave as the same with the same memories. */
static void
pass_unchanged (TestElement * t, GstBuffer * buffer)
{
  const guint n = gst_buffer_n_memory (buffer);
  const GstBufferFlags flags = gst_buffer_get_flags (buffer);
  GstMemory *memories[16];
  GstBuffer *out;
  guint i;

  for (i = 0; i < n; i++)
    memories[i] = gst_buffer_peek_memory (buffer, i);

  out = test_element_pass (t, buffer);
  fail_unless (out == buffer);
  fail_unless_equals_int (gst_buffer_n_memory (out), n);
  fail_unless_equals_int (gst_buffer_get_flags (out), flags);
  for (i = 0; i < n; i++)
    fail_unless (gst_buffer_peek_memory (out, i) == memories[i]);
  gst_buffer_unref (out);
}

/* Passes what @make makes of @data, then an honest frame. @counts are those of
 * the first, NULL where it is to be skipped. */
static void
check_with (const gchar * attach_meta, const gchar * name, MakeBuffer make,
    gconstpointer data, const gchar * channels, const gchar * roi,
    const guint32 * counts)
{
  TestElement t;
  guint64 skipped;

  test_element_init (&t, CAPS, "interval", "0", "channels", channels, "roi",
      roi, "attach-meta", attach_meta, NULL);
  pass_unchanged (&t, make (data));
  skipped = test_element_get_count (&t, "skipped");
  fail_unless (skipped == (counts ? 0 : 1), "%s: skipped is %" G_GUINT64_FORMAT,
      name, skipped);
  fail_unless_equals_uint64 (test_element_get_count (&t, "processed"),
      counts ? 1 : 0);
  fail_unless_equals_int (test_element_count_results (&t), counts ? 1 : 0);
  if (counts)
    check_counts (&t, counts);

  pass_unchanged (&t, make_honest (NULL));
  fail_unless_equals_uint64 (test_element_get_count (&t, "skipped"), skipped);
  fail_unless_equals_int (test_element_count_results (&t), 1);
  if (strstr (channels, "luma") && *roi == '\0')
    check_counts (&t, honest_counts);
  test_element_clear (&t);
}

static void
check (const gchar * name, MakeBuffer make, gconstpointer data,
    const gchar * channels, const guint32 * counts)
{
  check_with ("never", name, make, data, channels, "", counts);
  check_with ("always", name, make, data, channels, "", counts);
}

/* What a video meta says of a buffer of so many bytes. */
typedef struct
{
  const gchar *name;
  const gchar *channels;
  gsize size;
  GstVideoFormat format;
  guint width, height, n_planes;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
} Claim;

static const Claim false_claims[] = {
  {"one byte short", "red", SIZE - 1, I420, 64, 48, 3, HONEST_OFFSET,
      HONEST_STRIDE},
  {"luma one byte short", "luma", 3071, I420, 64, 48, 3, HONEST_OFFSET,
      HONEST_STRIDE},
  {"100 bytes", "luma", 100, I420, 64, 48, 3, HONEST_OFFSET, HONEST_STRIDE},
  {"1 byte", "luma", 1, I420, 64, 48, 3, HONEST_OFFSET, HONEST_STRIDE},
  {"offset is the last byte", "luma", SIZE, I420, 64, 48, 3,
      {SIZE - 1, 3072, 3840}, HONEST_STRIDE},
  {"offset is the end", "luma", SIZE, I420, 64, 48, 3, {SIZE, 3072, 3840},
      HONEST_STRIDE},
  {"one byte too far", "luma", SIZE, I420, 64, 48, 3,
      {SIZE - 3072 + 1, 3072, 3840}, HONEST_STRIDE},
  {"offset is the greatest number", "luma", SIZE, I420, 64, 48, 3,
      {G_MAXSIZE, 3072, 3840}, HONEST_STRIDE},
  {"offset overflows into the buffer", "luma", SIZE, I420, 64, 48, 3,
      {G_MAXSIZE - 3071 + 10, 3072, 3840}, HONEST_STRIDE},
  {"offset of chroma overflows", "luma+blue", SIZE, I420, 64, 48, 3,
      {0, G_MAXSIZE - 700, 3840}, HONEST_STRIDE},
  {"offset of V is huge", "green", SIZE, I420, 64, 48, 3,
      {0, 3072, G_GUINT64_CONSTANT (1) << 40}, HONEST_STRIDE},
  {"stride 0", "luma", SIZE, I420, 64, 48, 3, HONEST_OFFSET, {0, 32, 32}},
  {"stride 0 of chroma", "red", SIZE, I420, 64, 48, 3, HONEST_OFFSET,
      {64, 32, 0}},
  {"stride 1", "luma", SIZE, I420, 64, 48, 3, HONEST_OFFSET, {1, 32, 32}},
  {"stride less than a row", "luma", SIZE, I420, 64, 48, 3, HONEST_OFFSET,
      {63, 32, 32}},
  {"stride 2^30", "luma", SIZE, I420, 64, 48, 3, HONEST_OFFSET,
      {1 << 30, 32, 32}},
  {"greatest stride", "luma", SIZE, I420, 64, 48, 3, HONEST_OFFSET,
      {G_MAXINT, 32, 32}},
  {"negative stride", "luma", SIZE, I420, 64, 48, 3, HONEST_OFFSET,
      {-64, 32, 32}},
  {"bottom up", "luma", SIZE, I420, 64, 48, 3, {3008, 3072, 3840},
      {-64, 32, 32}},
  {"most negative stride", "luma", SIZE, I420, 64, 48, 3, HONEST_OFFSET,
      {G_MININT, 32, 32}},
  {"stride one too much", "luma", 3072 + 46, I420, 64, 48, 3, {0, 0, 0},
      {65, 32, 32}},
  {"larger than the caps", "luma", SIZE, I420, 4096, 4096, 3,
      {0, 16777216, 20971520}, {4096, 2048, 2048}},
  {"larger than the caps, honest stride", "luma", SIZE, I420, 4096, 4096, 3,
      HONEST_OFFSET, HONEST_STRIDE},
  {"smaller than the caps", "luma", SIZE, I420, 32, 32, 3, HONEST_OFFSET,
      HONEST_STRIDE},
  {"no pixels", "luma", SIZE, I420, 0, 0, 3, HONEST_OFFSET, HONEST_STRIDE},
  {"greatest size", "luma", SIZE, I420, G_MAXUINT, G_MAXUINT, 3, HONEST_OFFSET,
      HONEST_STRIDE},
  {"of another format", "luma", SIZE, GST_VIDEO_FORMAT_Y42B, 64, 48, 3,
      HONEST_OFFSET, HONEST_STRIDE},
  {"of no format", "luma", SIZE, GST_VIDEO_FORMAT_UNKNOWN, 64, 48, 3,
      HONEST_OFFSET, HONEST_STRIDE},
  {"no planes", "luma", SIZE, I420, 64, 48, 0, HONEST_OFFSET, HONEST_STRIDE},
  {"one plane", "luma", SIZE, I420, 64, 48, 1, HONEST_OFFSET, HONEST_STRIDE},
  {"four planes", "luma", SIZE, I420, 64, 48, 4, HONEST_OFFSET, HONEST_STRIDE},
};

static GstBuffer *
make_claimed (gconstpointer data)
{
  Claim claim = *(const Claim *) data;
  GstBuffer *buffer = test_buffer_guarded (image, claim.size);

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      claim.format, claim.width, claim.height, claim.n_planes, claim.offset,
      claim.stride);
  return buffer;
}

GST_START_TEST (test_false_video_meta)
{
  check (false_claims[__i__].name, make_claimed, &false_claims[__i__],
      false_claims[__i__].channels, NULL);
}

GST_END_TEST;

/* True as far as the channels go that are counted. */
static const Claim true_claims[] = {
  {"honest", "luma", SIZE, I420, 64, 48, 3, HONEST_OFFSET, HONEST_STRIDE},
  {"honest in colour", "luma+red", SIZE, I420, 64, 48, 3, HONEST_OFFSET,
      HONEST_STRIDE},
  {"no chroma there", "luma", 3072, I420, 64, 48, 3, HONEST_OFFSET,
      HONEST_STRIDE},
  {"no chroma meant", "luma", SIZE, I420, 64, 48, 3, {0, G_MAXSIZE, SIZE},
      {64, G_MININT, 0}},
};

GST_START_TEST (test_true_video_meta)
{
  check (true_claims[__i__].name, make_claimed, &true_claims[__i__],
      true_claims[__i__].channels, honest_counts);
}

GST_END_TEST;

typedef struct
{
  const gchar *name;
  guint x, y, width, height;
  guint meta_width;             /* of a video meta, 0 for none */
} Crop;

static const Crop false_crops[] = {
  {"right of the frame", 64, 0, 1, 1, 0},
  {"below the frame", 0, 48, 1, 1, 0},
  {"across the right edge", 60, 0, 5, 48, 0},
  {"across the bottom edge", 0, 40, 64, 9, 0},
  {"larger than the frame", 0, 0, 65, 49, 0},
  {"greatest x", G_MAXUINT, 0, 2, 2, 0},
  {"greatest y", 0, G_MAXUINT, 2, 2, 0},
  {"greatest size", 0, 0, G_MAXUINT, G_MAXUINT, 0},
  {"x and width overflow", 2, 0, G_MAXUINT, 48, 0},
  {"no width", 0, 0, 0, 48, 0},
  {"no height", 0, 0, 64, 0, 0},
  {"of a larger frame that is not there", 0, 0, 64, 48, 128},
  {"in the part of a larger frame that is not there", 64, 0, 64, 48, 128},
};

static GstBuffer *
make_cropped (gconstpointer data)
{
  const Crop *claim = data;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, 6144, 7680 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 128, 64, 64 };
  GstBuffer *buffer = make_honest (NULL);
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

  crop->x = claim->x;
  crop->y = claim->y;
  crop->width = claim->width;
  crop->height = claim->height;
  if (claim->meta_width > 0) {
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, I420,
        claim->meta_width, 48, 3, offset, stride);
  }
  return buffer;
}

GST_START_TEST (test_false_crop_meta)
{
  check (false_crops[__i__].name, make_cropped, &false_crops[__i__], "luma",
      NULL);
}

GST_END_TEST;

GST_START_TEST (test_true_crop_meta)
{
  const Crop crop = { "the last four pixels", 62, 46, 2, 2, 0 };
  guint32 counts[256] = { 0, };

  counts[image[46 * 64 + 62]]++;
  counts[image[46 * 64 + 63]]++;
  counts[image[47 * 64 + 62]]++;
  counts[image[47 * 64 + 63]]++;
  check (crop.name, make_cropped, &crop, "luma", counts);
  /* A region that lies in the frame of the caps, not in what the crop leaves.
   * */
  check_with ("never", crop.name, make_cropped, &crop, "luma", "10,10,4,4",
      NULL);
}

GST_END_TEST;

/* Memories: so many bytes each, and how they are made. */

typedef struct
{
  const gchar *name;
  guint n;
  gsize size[4];
  GstMemoryFlags flags;
  GstBufferFlags buffer_flags;
  gint unmappable;              /* index, -1 for none */
} Memories;

static GstBuffer *
make_memories (gconstpointer data)
{
  const Memories *claim = data;
  GstBuffer *buffer = gst_buffer_new ();
  gsize at = 0;
  guint i;

  for (i = 0; i < claim->n; i++) {
    gst_buffer_append_memory (buffer, (gint) i == claim->unmappable ?
        test_memory_unmappable (claim->size[i]) :
        test_memory_guarded (image + at, claim->size[i], FALSE, claim->flags));
    at += claim->size[i];
  }
  GST_BUFFER_FLAG_SET (buffer, claim->buffer_flags);
  return buffer;
}

static const Memories false_memories[] = {
  {"zero memories", 0, {0}, 0, 0, -1},
  {"zero memories, a gap", 0, {0}, 0,
      GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DROPPABLE, -1},
  {"an empty memory", 1, {0}, 0, 0, -1},
  {"four empty memories", 4, {0, 0, 0, 0}, 0, 0, -1},
  {"short", 1, {3071}, 0, 0, -1},
  {"short in two", 2, {3000, 71}, 0, 0, -1},
  {"a memory that does not map", 1, {SIZE}, 0, 0, 0},
  {"a part that does not map", 2, {1000, SIZE - 1000}, 0, 0, 1},
  {"a part in front that does not map", 2, {1000, SIZE - 1000}, 0, 0, 0},
};

GST_START_TEST (test_false_memories)
{
  check (false_memories[__i__].name, make_memories, &false_memories[__i__],
      "luma", NULL);
}

GST_END_TEST;

static const Memories true_memories[] = {
  {"a plane across two", 2, {1000, SIZE - 1000}, 0, 0, -1},
  {"a plane across four", 4, {1, 63, 1000, SIZE - 1064}, 0, 0, -1},
  {"empty ones between", 4, {0, 1000, 0, SIZE - 1000}, 0, 0, -1},
  {"one per plane", 3, {3072, 768, 768}, 0, 0, -1},
  {"chroma that does not map", 2, {3072, 1536}, 0, 0, 1},
  {"read-only", 1, {SIZE}, GST_MEMORY_FLAG_READONLY, 0, -1},
  {"read-only in two", 2, {1000, SIZE - 1000}, GST_MEMORY_FLAG_READONLY, 0, -1},
  {"not to be shared", 1, {SIZE}, GST_MEMORY_FLAG_NO_SHARE, 0, -1},
  {"a gap with data", 1, {SIZE}, 0, GST_BUFFER_FLAG_GAP, -1},
  {"corrupted", 1, {SIZE}, 0, GST_BUFFER_FLAG_CORRUPTED |
      GST_BUFFER_FLAG_DISCONT, -1},
};

GST_START_TEST (test_true_memories)
{
  check (true_memories[__i__].name, make_memories, &true_memories[__i__],
      "luma", honest_counts);
}

GST_END_TEST;

/* Somebody else is writing into the memory. */
GST_START_TEST (test_memory_that_is_locked)
{
  TestElement t;
  GstBuffer *buffer = make_honest (NULL);
  GstMemory *memory = gst_buffer_get_memory (buffer, 0);
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  test_element_init (&t, CAPS, "interval", "0", NULL);
  pass_unchanged (&t, buffer);
  fail_unless_equals_uint64 (test_element_get_count (&t, "skipped"), 1);
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
  test_element_clear (&t);
}

GST_END_TEST;

/* One field of interlaced video that comes field by field. */
GST_START_TEST (test_fields)
{
  TestElement t;
  guint32 counts[256] = { 0, };
  guint i;

  for (i = 0; i < WIDTH * HEIGHT / 2; i++)
    counts[image[i]]++;
  test_element_init (&t, "video/x-raw(format:Interlaced),format=GRAY8,width=64,"
      "height=48,framerate=25/1,interlace-mode=alternate", "interval", "0",
      NULL);
  pass_unchanged (&t, test_buffer_guarded (image, WIDTH * HEIGHT / 2));
  fail_unless_equals_uint64 (test_element_get_count (&t, "skipped"), 0);
  check_counts (&t, counts);
  pass_unchanged (&t, test_buffer_guarded (image, WIDTH * HEIGHT / 2 - 1));
  fail_unless_equals_uint64 (test_element_get_count (&t, "skipped"), 1);
  test_element_clear (&t);
}

GST_END_TEST;

static Suite *
hostile_suite (void)
{
  Suite *s = suite_create ("hostile");
  TCase *tc = tcase_create ("hostile");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_loop_test (tc, test_false_video_meta, 0,
      G_N_ELEMENTS (false_claims));
  tcase_add_loop_test (tc, test_true_video_meta, 0, G_N_ELEMENTS (true_claims));
  tcase_add_loop_test (tc, test_false_crop_meta, 0, G_N_ELEMENTS (false_crops));
  tcase_add_test (tc, test_true_crop_meta);
  tcase_add_loop_test (tc, test_false_memories, 0,
      G_N_ELEMENTS (false_memories));
  tcase_add_loop_test (tc, test_true_memories, 0, G_N_ELEMENTS (true_memories));
  tcase_add_test (tc, test_memory_that_is_locked);
  tcase_add_test (tc, test_fields);
  return s;
}

GST_CHECK_MAIN (hostile);
