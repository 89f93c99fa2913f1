/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hostile.h"
#include "env.h"
#include "memory.h"

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#define SIZE TEST_HOSTILE_SIZE
#define LUMA_SIZE (TEST_HOSTILE_WIDTH * TEST_HOSTILE_HEIGHT)
#define HONEST_OFFSET {0, 3072, 3840}
#define HONEST_STRIDE {64, 32, 32}
#define I420 GST_VIDEO_FORMAT_I420
#define MAX_WAIT (TEST_MAX_WAIT * G_TIME_SPAN_SECOND)
#define MAX_MEMORIES 16

/* What must happen to a buffer. */
typedef enum
{
  FITS_NOT,
  FITS_LUMA,                    /* is counted but cannot be corrected */
  FITS_GATHERED,                /* if planes can be gathered */
  FITS,
} Fit;

/* What a video meta claims about a buffer of this size in bytes. */
typedef struct
{
  const gchar *name;
  const gchar *channels;        /* channels to count */
  gsize size;
  GstVideoFormat format;
  guint width, height, n_planes;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  Fit fit;
} Claim;

static const Claim claims[] = {
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
  {"stride of U is less than a row", "blue", SIZE, I420, 64, 48, 3,
      HONEST_OFFSET, {64, 31, 32}},
  {"offset of V is the end", "red", SIZE, I420, 64, 48, 3, {0, 3072, SIZE},
      HONEST_STRIDE},
  /* Correct for the channels that are counted. */
  {"honest", "luma", SIZE, I420, 64, 48, 3, HONEST_OFFSET, HONEST_STRIDE, FITS},
  {"honest in color", "luma+red", SIZE, I420, 64, 48, 3, HONEST_OFFSET,
      HONEST_STRIDE, FITS},
  {"no chroma there", "luma", LUMA_SIZE, I420, 64, 48, 3, HONEST_OFFSET,
      HONEST_STRIDE, FITS_LUMA},
  {"no chroma meant", "luma", SIZE, I420, 64, 48, 3, {0, G_MAXSIZE, SIZE},
      {64, G_MININT, 0}, FITS_LUMA},
};

static GstBuffer *
make_buffer (const TestHostileSource * source, gsize size)
{
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, source->make_memory (test_hostile_image (),
          size, 0));
  return buffer;
}

static GstBuffer *
make_claimed (const TestHostileSource * source, const Claim * claim)
{
  GstBuffer *buffer = make_buffer (source, claim->size);
  Claim copy = *claim;

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      claim->format, claim->width, claim->height, claim->n_planes, copy.offset,
      copy.stride);
  return buffer;
}

typedef struct
{
  const gchar *name;
  guint x, y, width, height;
  guint meta_width;             /* width in a video meta, or 0 for none */
} Crop;

/* None of these fits. */
static const Crop crops[] = {
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
make_cropped (const TestHostileSource * source, const Crop * claim)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, 6144, 7680 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 128, 64, 64 };
  GstBuffer *buffer = test_hostile_honest (source);
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

/* Memories: the size of each, and how it is made. */
typedef struct
{
  const gchar *name;
  guint n;
  gsize size[4];
  GstMemoryFlags flags;
  GstBufferFlags buffer_flags;
  gint unmappable;              /* index, or -1 */
  Fit fit;
} Memories;

static const Memories memories[] = {
  {"zero memories", 0, {0}, 0, 0, -1, FITS_NOT},
  {"zero memories, a gap", 0, {0}, 0,
      GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DROPPABLE, -1, FITS_NOT},
  {"an empty memory", 1, {0}, 0, 0, -1, FITS_NOT},
  {"four empty memories", 4, {0, 0, 0, 0}, 0, 0, -1, FITS_NOT},
  {"short", 1, {3071}, 0, 0, -1, FITS_NOT},
  {"short in two", 2, {3000, 71}, 0, 0, -1, FITS_NOT},
  {"a memory that does not map", 1, {SIZE}, 0, 0, 0, FITS_NOT},
  {"a part that does not map", 2, {1000, SIZE - 1000}, 0, 0, 1, FITS_NOT},
  {"a part in front that does not map", 2, {1000, SIZE - 1000}, 0, 0, 0,
      FITS_NOT},
  {"an end that does not map", 2, {3071, SIZE - 3071}, 0, 0, 1, FITS_NOT},
  {"a plane across two", 2, {1000, SIZE - 1000}, 0, 0, -1,
      FITS_GATHERED},
  {"a plane across four", 4, {1, 63, 1000, SIZE - 1064}, 0, 0, -1,
      FITS_GATHERED},
  {"empty ones between", 4, {0, 1000, 0, SIZE - 1000}, 0, 0, -1,
      FITS_GATHERED},
  {"one per plane", 3, {LUMA_SIZE, 768, 768}, 0, 0, -1, FITS},
  {"chroma that does not map", 2, {LUMA_SIZE, 1536}, 0, 0, 1, FITS_LUMA},
  {"read-only", 1, {SIZE}, GST_MEMORY_FLAG_READONLY, 0, -1, FITS},
  {"read-only in two", 2, {1000, SIZE - 1000}, GST_MEMORY_FLAG_READONLY, 0, -1,
      FITS_GATHERED},
  {"not to be shared", 1, {SIZE}, GST_MEMORY_FLAG_NO_SHARE, 0, -1, FITS},
  {"a gap with data", 1, {SIZE}, 0, GST_BUFFER_FLAG_GAP, -1, FITS},
  {"corrupted", 1, {SIZE}, 0, GST_BUFFER_FLAG_CORRUPTED |
      GST_BUFFER_FLAG_DISCONT, -1, FITS},
};

static GstBuffer *
make_memories (const TestHostileSource * source, const Memories * claim)
{
  GstBuffer *buffer = gst_buffer_new ();
  gsize at = 0;
  guint i;

  for (i = 0; i < claim->n; i++) {
    gst_buffer_append_memory (buffer, (gint) i == claim->unmappable ?
        test_memory_unmappable (claim->size[i]) :
        source->make_memory (test_hostile_image () + at, claim->size[i],
            claim->flags));
    at += claim->size[i];
  }
  GST_BUFFER_FLAG_SET (buffer, claim->buffer_flags);
  return buffer;
}

/* The buffers. */

typedef struct
{
  const gchar *name;
  const gchar *channels;
  Fit fit;
  GstBuffer *buffer;
} Layout;

guint
test_hostile_n (void)
{
  return G_N_ELEMENTS (claims) + G_N_ELEMENTS (crops) +
      G_N_ELEMENTS (memories);
}

static Layout
make_layout (const TestHostileSource * source, guint i)
{
  Fit fit;

  if (i < G_N_ELEMENTS (claims)) {
    return (Layout) {
    claims[i].name, claims[i].channels, claims[i].fit,
          make_claimed (source, &claims[i])};
  }
  i -= G_N_ELEMENTS (claims);
  if (i < G_N_ELEMENTS (crops)) {
    return (Layout) {
    crops[i].name, "luma", FITS_NOT, make_cropped (source, &crops[i])};
  }
  i -= G_N_ELEMENTS (crops);
  fit = memories[i].fit;
  if (fit == FITS_GATHERED)
    fit = source->gathers ? FITS : FITS_NOT;
  return (Layout) {
  memories[i].name, "luma", fit, make_memories (source, &memories[i])};
}

const guint8 *
test_hostile_image (void)
{
  static guint8 image[SIZE];
  guint i;

  for (i = 0; i < SIZE; i++)
    image[i] = i * 7 + i / 64;
  return image;
}

const guint32 *
test_hostile_counts (void)
{
  static guint32 counts[256];
  const guint8 *image = test_hostile_image ();
  guint i;

  memset (counts, 0, sizeof (counts));
  for (i = 0; i < LUMA_SIZE; i++)
    counts[image[i]]++;
  return counts;
}

GstBuffer *
test_hostile_honest (const TestHostileSource * source)
{
  return make_buffer (source, SIZE);
}

/* Returns the bytes of @memory, or NULL if it does not map. GStreamer's CUDA
 * memory must have its original size while it is read. */
static guint8 *
read_memory (GstMemory * memory)
{
  const gsize offset = memory->offset, size = memory->size;
  guint8 *bytes = NULL;
  GstMapInfo map;

  memory->offset = 0;
  memory->size = memory->maxsize;
  if (gst_memory_map (memory, &map, GST_MAP_READ)) {
    bytes = g_malloc (size + 1);
    memcpy (bytes, map.data + offset, size);
    gst_memory_unmap (memory, &map);
  }
  memory->offset = offset;
  memory->size = size;
  return bytes;
}

/* Whether the memories of @buffer that can be mapped have the bytes of
 * @expected. */
static gboolean
has_bytes (GstBuffer * buffer, const guint8 * expected)
{
  gboolean equal = TRUE;
  gsize at = 0;
  guint i;

  for (i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    guint8 *bytes = read_memory (memory);

    equal = equal
        && (!bytes || memcmp (bytes, expected + at, memory->size) == 0);
    at += memory->size;
    g_free (bytes);
  }
  return equal;
}

void
test_hostile_pass_unchanged (TestElement * t, GstBuffer * buffer)
{
  const guint n = gst_buffer_n_memory (buffer);
  const GstBufferFlags flags = gst_buffer_get_flags (buffer);
  GstMemory *before[MAX_MEMORIES];
  GstBuffer *out;
  guint i;

  for (i = 0; i < n; i++)
    before[i] = gst_buffer_peek_memory (buffer, i);

  out = test_element_pass (t, buffer);
  fail_unless (out == buffer);
  fail_unless_equals_int (gst_buffer_n_memory (out), n);
  fail_unless_equals_int (gst_buffer_get_flags (out), flags);
  for (i = 0; i < n; i++)
    fail_unless (gst_buffer_peek_memory (out, i) == before[i]);
  fail_unless (has_bytes (out, test_hostile_image ()), "it was written to");
  gst_buffer_unref (out);
}

void
test_hostile_check_counts (TestElement * t, const guint32 * counts)
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

/* Passes @buffer; returns whether it was counted, by its message, or
 * skipped. */
static gboolean
is_counted (TestElement * t, GstBuffer * buffer)
{
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;
  const guint64 skipped = test_element_get_count (t, "skipped");
  guint results = 0;

  test_hostile_pass_unchanged (t, buffer);
  while (results == 0 && test_element_get_count (t, "skipped") == skipped) {
    fail_unless (g_get_monotonic_time () < end, "a frame is not finished");
    results = test_element_count_results (t);
    g_usleep (100);
  }
  return results > 0;
}

static void
count_with (const TestHostileSource * source, guint i,
    const gchar * attach_meta)
{
  const Layout layout = make_layout (source, i);
  const gboolean fits = layout.fit != FITS_NOT;
  TestElement t;

  test_element_init (&t, source->caps, "interval", "0", "channels",
      layout.channels, "backend", source->backend, "attach-meta", attach_meta,
      NULL);
  fail_unless (is_counted (&t, layout.buffer) == fits, "%s: it is %s",
      layout.name, fits ? "skipped" : "counted");
  if (fits)
    test_hostile_check_counts (&t, test_hostile_counts ());

  fail_unless (is_counted (&t, test_hostile_honest (source)), "after %s",
      layout.name);
  if (strstr (layout.channels, "luma"))
    test_hostile_check_counts (&t, test_hostile_counts ());
  test_element_check_count (&t, "skipped", !fits);
  test_element_check_count (&t, "processed", 1 + fits);
  test_element_clear (&t);
}

void
test_hostile_count (const TestHostileSource * source, guint i)
{
  count_with (source, i, "never");
  count_with (source, i, "always");
}

/* An element that changes frames, a setting of it, and its counter of unchanged
 * frames. */
typedef struct
{
  const gchar *factory, *property, *value, *unchanged;
} Changer;

static const Changer equalizer = { "videoequalize", "smoothing", "0",
  "uncorrected"
};

static const Changer tiles = { "videoequalize", "method", "clahe",
  "uncorrected"
};

static const Changer scope = { "videoscope", "graticule", "none", "undrawn" };

/* Returns the frame after the element changed it, in system memory. */
static guint8 *
make_changed (const Changer * changer)
{
  GstBuffer *buffer = gst_buffer_new_memdup (test_hostile_image (), SIZE);
  guint8 *changed = g_malloc (SIZE);
  TestElement t;

  test_element_init_factory (&t, changer->factory, TEST_HOSTILE_RAW (""),
      changer->property, changer->value, NULL);
  buffer = test_element_pass (&t, buffer);
  test_element_check_count (&t, changer->unchanged, 0);
  gst_buffer_extract (buffer, 0, changed, SIZE);
  fail_if (memcmp (changed, test_hostile_image (), SIZE) == 0);
  gst_buffer_unref (buffer);
  test_element_clear (&t);
  return changed;
}

/* Checks that @buffer has the pixels of @expected, in the same places or, for a
 * new buffer, where its video meta says. */
static void
check_pixels (const gchar * name, GstBuffer * buffer, const guint8 * expected)
{
  static const gsize offset[] = HONEST_OFFSET;
  static const gsize stride[] = HONEST_STRIDE;
  GstVideoFrame got;
  GstVideoInfo info;
  guint p, y;

  if (!gst_buffer_get_video_meta (buffer)) {
    fail_unless (has_bytes (buffer, expected), "%s: it is not changed", name);
    return;
  }
  gst_video_info_set_format (&info, I420, TEST_HOSTILE_WIDTH,
      TEST_HOSTILE_HEIGHT);
  fail_unless (gst_video_frame_map (&got, &info, buffer, GST_MAP_READ));
  for (p = 0; p < 3; p++) {
    const guint8 *data = GST_VIDEO_FRAME_PLANE_DATA (&got, p);

    for (y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&got, p); y++) {
      fail_unless (memcmp (data + y * GST_VIDEO_FRAME_PLANE_STRIDE (&got, p),
              expected + offset[p] + y * stride[p], stride[p]) == 0,
          "%s: row %u of plane %u is not changed as it should be", name, y, p);
    }
  }
  gst_video_frame_unmap (&got);
}

static void
change_with (const Changer * changer, const TestHostileSource * source, guint i,
    const guint8 * expected, gboolean held)
{
  const Layout layout = make_layout (source, i);
  guint64 unchanged;
  GstBuffer *out;
  TestElement t;

  test_element_init_factory (&t, changer->factory, source->caps,
      changer->property, changer->value, NULL);
  if (held)
    gst_buffer_ref (layout.buffer);
  if (layout.fit == FITS) {
    out = test_element_pass (&t, layout.buffer);
    check_pixels (layout.name, out, expected);
    gst_buffer_unref (out);
  } else {
    test_hostile_pass_unchanged (&t, layout.buffer);
  }
  unchanged = test_element_get_count (&t, changer->unchanged);
  fail_unless (unchanged == (layout.fit != FITS), "%s: %s is %"
      G_GUINT64_FORMAT, layout.name, changer->unchanged, unchanged);
  if (held) {
    fail_unless (has_bytes (layout.buffer, test_hostile_image ()),
        "%s: memory with another reference was written to", layout.name);
    gst_buffer_unref (layout.buffer);
  }

  out = test_element_pass (&t, test_hostile_honest (source));
  check_pixels (layout.name, out, expected);
  test_element_check_count (&t, changer->unchanged, unchanged);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING), unchanged);
  gst_buffer_unref (out);
  test_element_clear (&t);
}

static void
change (const Changer * changer, const TestHostileSource * source, guint i)
{
  guint8 *expected = make_changed (changer);

  change_with (changer, source, i, expected, FALSE);
  change_with (changer, source, i, expected, TRUE);
  g_free (expected);
}

void
test_hostile_correct (const TestHostileSource * source, guint i)
{
  change (&equalizer, source, i);
  /* The driver double is slow, and judges frames before it chooses a method. */
  if (g_str_equal (source->backend, "cpu"))
    change (&tiles, source, i);
}

void
test_hostile_draw (const TestHostileSource * source, guint i)
{
  change (&scope, source, i);
}

/* Passes @buffer, and waits until it appears in one of the counters. */
static void
pass_to_judge (TestElement * t, GstBuffer * buffer)
{
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;
  const guint64 before = test_element_get_count (t, "processed") +
      test_element_get_count (t, "skipped");

  test_hostile_pass_unchanged (t, buffer);
  while (test_element_get_count (t, "processed") +
      test_element_get_count (t, "skipped") == before) {
    fail_unless (g_get_monotonic_time () < end, "a frame is not finished");
    g_usleep (100);
  }
}

void
test_hostile_judge (const TestHostileSource * source, guint i)
{
  const Layout layout = make_layout (source, i);
  const gboolean fits = layout.fit == FITS;
  GstStructure *values;
  TestElement t;

  /* Uses all planes, and reacts quickly. */
  test_element_init_health (&t, source->caps, "backend", source->backend,
      "conditions", "black+monochrome", NULL);
  /* Damaged frames are judged only after a whole one. */
  pass_to_judge (&t, test_hostile_honest (source));
  pass_to_judge (&t, layout.buffer);
  fail_unless (test_element_get_count (&t, "skipped") == !fits, "%s: it is %s",
      layout.name, fits ? "skipped" : "judged");
  pass_to_judge (&t, test_hostile_honest (source));
  test_element_check_count (&t, "skipped", !fits);
  test_element_check_count (&t, "processed", 2 + fits);
  g_object_get (t.element, "values", &values, NULL);
  fail_unless (gst_structure_has_field (values, "black"), "after %s",
      layout.name);
  gst_structure_free (values);
  test_element_clear (&t);
}
