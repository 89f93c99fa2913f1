/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "data.h"
#include "core/channels.h"
#include "cpu/reference.h"

#include <math.h>
#include <string.h>

/* Frames used in turn cover this much memory, several times the cache of a GPU,
 * but there are at most MAX_FRAMES. */
#define COLD_BYTES ((gsize) 256 << 20)
#define MAX_FRAMES 512
#define PITCH 512

/* If the number of distinct values is limited, they are adjacent, and start
 * with this one of 256. */
#define FIRST_VALUE 77

#define MAX_THREADS 32
#define TABLE_SIZE (1 << BENCH_TABLE_BITS)

/* Height of each black bar of a 2.39:1 picture in 16:9, as a fraction. */
#define BAR (0.5 * (1 - 16 / 9.0 / 2.39))
#define SIGMA (30 / 256.0)

#define ERROR(...) g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, \
    __VA_ARGS__)

/* The next number of a PPM's header. */
static gboolean
read_number (const guint8 ** at, const guint8 * end, guint * number)
{
  while (*at < end && (g_ascii_isspace (**at) || **at == '#')) {
    if (**at == '#') {
      while (*at < end && **at != '\n')
        (*at)++;
    } else {
      (*at)++;
    }
  }
  if (*at == end || !g_ascii_isdigit (**at))
    return FALSE;
  for (*number = 0; *at < end && g_ascii_isdigit (**at); (*at)++) {
    if (*number > 65535)
      return FALSE;
    *number = *number * 10 + (**at - '0');
  }
  return TRUE;
}

BenchPhoto *
bench_photo_load (const gchar * path, GError ** error)
{
  BenchPhoto *photo;
  const guint8 *at, *end;
  guint width, height, most;
  gchar *content;
  gsize length, i;

  if (!g_file_get_contents (path, &content, &length, error))
    return NULL;
  at = (const guint8 *) content + 2;
  end = (const guint8 *) content + length;
  if (length < 2 || memcmp (content, "P6", 2) != 0
      || !read_number (&at, end, &width) || !read_number (&at, end, &height)
      || !read_number (&at, end, &most) || width == 0 || height == 0
      || most != 255 || at++ == end
      || (gsize) (end - at) < (gsize) width * height * 3) {
    ERROR ("%s: not a complete binary PPM (P6) of 8 bits", path);
    g_free (content);
    return NULL;
  }

  photo = g_new0 (BenchPhoto, 1);
  photo->width = width;
  photo->height = height;
  photo->pixels = g_malloc ((gsize) width * height * 4);
  for (i = 0; i < (gsize) width * height; i++, at += 3) {
    memcpy (photo->pixels + i * 4, at, 3);
    photo->pixels[i * 4 + 3] = (13933 * at[0] + 46871 * at[1] + 4732 * at[2] +
        32768) >> 16;
  }
  g_free (content);
  return photo;
}

void
bench_photo_free (BenchPhoto * photo)
{
  if (photo)
    g_free (photo->pixels);
  g_free (photo);
}

GstVideoHistogram *
bench_photo_count (const BenchPhoto * photo, guint bins, GError ** error)
{
  const gsize size = (gsize) photo->width * photo->height * 4;
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      "RGBx", "width", G_TYPE_INT, photo->width, "height", G_TYPE_INT,
      photo->height, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);
  GstBuffer *frame = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
      photo->pixels, size, 0, size, NULL, NULL);
  GstVideoHistogram *histogram = NULL;
  GstVideoHistogramSpec spec;

  gst_video_histogram_spec_init (&spec);
  spec.channels = GST_VIDEO_HISTOGRAM_CHANNELS_RGB;
  spec.bins = bins;
  if (gst_video_histogram_engine_open (engine, GST_VIDEO_HISTOGRAM_BACKEND_AUTO,
          -1, NULL, error)
      && gst_video_histogram_engine_configure (engine, caps, &spec, error))
    histogram = gst_video_histogram_engine_submit (engine, frame, NULL, FALSE,
        error);
  if (histogram
      && !gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE)) {
    gst_clear_video_histogram (&histogram);
    ERROR ("the photograph could not be counted");
  }
  gst_buffer_unref (frame);
  gst_caps_unref (caps);
  g_object_unref (engine);
  return histogram;
}

BenchFrames *
bench_frames_new (BenchGpu * gpu, const BenchPhoto * photo)
{
  BenchFrames *self = g_new0 (BenchFrames, 1);
  const gsize size = photo ? (gsize) photo->width * photo->height * 4 : 0;

  self->gpu = gpu;
  self->photo = photo;
  self->table = g_new0 (guint16, TABLE_SIZE);
  self->full = g_new0 (guint32,
      BENCH_SLOTS * BENCH_MAX_CHANNELS * BENCH_CODES);
  if (gpu) {
    self->device_table = bench_gpu_alloc (gpu, TABLE_SIZE * sizeof (guint16));
    if (photo)
      self->device_photo = bench_gpu_alloc (gpu, size);
    if (self->device_photo) {
      bench_gpu_upload (gpu, self->device_photo, photo->pixels, size,
          "uploading the photograph");
    }
  }
  return self;
}

void
bench_frames_free (BenchFrames * frames)
{
  if (frames->gpu) {
    bench_gpu_release (frames->gpu, frames->device);
    bench_gpu_release (frames->gpu, frames->device_table);
    bench_gpu_release (frames->gpu, frames->device_photo);
  }
  gst_clear_caps (&frames->caps);
  g_free (frames->host);
  g_free (frames->table);
  g_free (frames->full);
  g_free (frames);
}

/* Fills the table of a distribution: uniform, or normal by its cumulative
 * distribution function. */
static void
fill_table (guint16 * table, BenchData data, guint depth)
{
  const guint codes = 1u << depth;
  guint i, code = 0;

  for (i = 0; i < TABLE_SIZE; i++) {
    if (data.kind == BENCH_DATA_NORMAL) {
      const gdouble p = (i + 0.5) / TABLE_SIZE;

      while (code < codes - 1 && 0.5 * erfc ((0.5 - (code + 1.0) / codes) /
              SIGMA / G_SQRT2) < p)
        code++;
      table[i] = code;
    } else if (data.n > 0) {
      table[i] = (FIRST_VALUE + (guint64) i * data.n / TABLE_SIZE) % 256 <<
          (depth - 8);
    } else {
      table[i] = (guint64) i * codes / TABLE_SIZE;
    }
  }
}

static void
set_pattern (BenchFrames * self, const BenchCase * c)
{
  BenchPattern *p = &self->pattern;
  guint width, height;
  gsize row;

  bench_case_dimensions (c, &width, &height);
  *p = (BenchPattern) {
    .width = width,
    .height = height,
    .rows = c->channels == BENCH_YUV_RGB ? height + (height + 1) / 2 : height,
    .components = c->channels < BENCH_RGB ? 1 : 4,
    .sample_bytes = c->depth > 8 ? 2 : 1,
    .depth = c->depth,
    .shift = self->layout.component[0].shift,
    .kind = c->data.kind == BENCH_DATA_RAMP ? BENCH_PATTERN_RAMP :
        c->data.kind == BENCH_DATA_PHOTO || c->data.kind == BENCH_DATA_FILM ?
        BENCH_PATTERN_PHOTO : BENCH_PATTERN_TABLE,
    .bars = c->data.kind == BENCH_DATA_FILM ? (guint) (height * BAR) : 0,
  };
  row = (gsize) width * p->components * p->sample_bytes;
  p->stride = c->channels == BENCH_PITCHED ? GST_ROUND_UP_N (row, PITCH) : row;
  p->frame_bytes = GST_ROUND_UP_N (p->stride * p->rows, 256);
  /* The CPU only uses frames whose counts are known. */
  p->frames = c->size.bytes > 0 ? 1 : !self->gpu ? BENCH_SLOTS :
      CLAMP (COLD_BYTES / p->frame_bytes, 1, MAX_FRAMES);
  if (self->photo) {
    p->photo_width = self->photo->width;
    p->photo_height = self->photo->height;
  }
}

static gboolean
reserve (BenchFrames * self, gsize size, GError ** error)
{
  if (self->host_size < size) {
    g_free (self->host);
    self->host = g_try_malloc (size);
    self->host_size = self->host ? size : 0;
  }
  if (self->gpu && self->device_size < size) {
    bench_gpu_release (self->gpu, self->device);
    self->device = bench_gpu_alloc (self->gpu, size);
    self->device_size = self->device ? size : 0;
  }
  if (self->host && (!self->gpu || self->device))
    return TRUE;
  ERROR ("%s", self->gpu && self->gpu->failure ? self->gpu->failure :
      "not enough memory for the frames");
  return FALSE;
}

static gboolean
make_on_gpu (BenchFrames * self, gsize size)
{
  BenchGpu *gpu = self->gpu;
  BenchPattern *p = &self->pattern;
  void *arguments[] = { p };

  p->data = self->device;
  p->table = self->device_table;
  p->photo = self->device_photo;
  return bench_gpu_upload (gpu, self->device_table, self->table,
      TABLE_SIZE * sizeof (guint16), "uploading a table")
      && bench_gpu_launch (gpu, BENCH_KERNEL_FILL,
      MIN ((guint64) p->frames * p->rows, 65536), 256, arguments)
      && bench_gpu_wait (gpu)
      && bench_gpu_check (gpu, gpu->MemcpyDtoH (self->host, self->device, size),
      "downloading the data");
}

/* Rows of all frames: every @step-th, starting with @first. */
typedef struct
{
  const BenchPattern *pattern;
  guint first, step;
} Share;

static gpointer
make_share (gpointer data)
{
  const Share *share = data;
  const BenchPattern *p = share->pattern;
  guint64 row;

  for (row = share->first; row < (guint64) p->frames * p->rows;
      row += share->step)
    bench_pattern_fill (p, row / p->rows, row % p->rows, 0, 1);
  return NULL;
}

static void
make_on_cpu (BenchFrames * self)
{
  BenchPattern *p = &self->pattern;
  GThread *threads[MAX_THREADS];
  Share shares[MAX_THREADS];
  const guint n = MIN (g_get_num_processors (), MAX_THREADS);
  guint i;

  p->data = (guintptr) self->host;
  p->table = (guintptr) self->table;
  p->photo = self->photo ? (guintptr) self->photo->pixels : 0;
  for (i = 0; i < n; i++) {
    shares[i] = (Share) {.pattern = p,.first = i,.step = n };
    threads[i] = g_thread_new ("data", make_share, &shares[i]);
  }
  for (i = 0; i < n; i++)
    g_thread_join (threads[i]);
}

/* Counts with the reference of the library, which can convert to RGB and
 * compute differences. */
static void
reference_of_library (const BenchFrames * frames, guint i, guint32 * full)
{
  const BenchPattern *p = &frames->pattern;
  const guint8 *data = frames->host + i * p->frame_bytes;
  const VhFrameView view = {
    .layout = &frames->layout,
    .plane = {{.data = (gpointer) data,.stride = p->stride},
        {.data = (gpointer) (data + p->stride * p->height),
            .stride = p->stride}},
  };
  const VhRect region = { 0, 0, p->width, p->height };
  const VhCountsShape shape = {
    .channels = bench_frames_channels (frames),
    .bins = 1u << p->depth,
    .columns = 1,
    .rows = 1,
  };
  VhCounts *counts = vh_counts_new (&shape);
  guint c;

  vh_reference_count (&view, &region, counts);
  for (c = 0; c < frames->n_channels; c++) {
    memcpy (full + (gsize) c * BENCH_CODES,
        vh_counts_storage (counts) + (gsize) c * shape.bins,
        shape.bins * sizeof (guint32));
  }
  vh_counts_complete (counts);
  vh_counts_unref (counts);
}

void
bench_frames_reference (const BenchFrames * frames, guint i, guint32 * full)
{
  const BenchPattern *p = &frames->pattern;
  const BenchFrame frame = {
    .data = frames->host + i * p->frame_bytes,
    .stride = p->stride,
    .width = p->width,
    .height = p->height,
    .components = p->components,
    .sample_bytes = p->sample_bytes,
    .depth = p->depth,
    .shift = p->shift,
    .luma = frames->made.channels == BENCH_RGBA_LUMA,
  };

  if (frames->made.channels == BENCH_YUV_RGB
      || frames->made.channels == BENCH_GRADIENT)
    reference_of_library (frames, i, full);
  else
    bench_counts_reference (&frame, full);
}

/* Counts the first frames. */
static void
count_reference (BenchFrames * self)
{
  guint i;

  self->n_channels = bench_channels_count (self->made.channels);
  self->n_checked = MIN (self->pattern.frames, BENCH_SLOTS);
  for (i = 0; i < self->n_checked; i++) {
    bench_frames_reference (self, i,
        self->full + (gsize) i * self->n_channels * BENCH_CODES);
  }
}

static gboolean
is_made (const BenchFrames * self, const BenchCase * c)
{
  const BenchCase *made = &self->made;

  return self->valid && made->data.kind == c->data.kind
      && made->data.n == c->data.n && made->size.width == c->size.width
      && made->size.height == c->size.height
      && made->size.bytes == c->size.bytes && made->channels == c->channels
      && made->depth == c->depth;
}

gboolean
bench_frames_make (BenchFrames * frames, const BenchCase * c, GError ** error)
{
  guint width, height;
  gsize size;

  if (is_made (frames, c))
    return TRUE;
  frames->valid = FALSE;
  bench_case_dimensions (c, &width, &height);
  gst_clear_caps (&frames->caps);
  frames->caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      bench_case_format (c), "width", G_TYPE_INT, width, "height", G_TYPE_INT,
      height, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  if (!vh_layout_from_caps (&frames->layout, frames->caps, error))
    return FALSE;

  set_pattern (frames, c);
  fill_table (frames->table, c->data, c->depth);
  size = frames->pattern.frames * frames->pattern.frame_bytes;
  if (!reserve (frames, size, error))
    return FALSE;
  if (!frames->gpu) {
    make_on_cpu (frames);
  } else if (!make_on_gpu (frames, size)) {
    ERROR ("%s", frames->gpu->failure);
    return FALSE;
  }
  frames->made = *c;
  count_reference (frames);
  frames->valid = TRUE;
  return TRUE;
}

void
bench_frames_expect (const BenchFrames * frames, guint i, guint bins,
    guint32 * expected)
{
  const guint depth = frames->pattern.depth;
  guint c;

  for (c = 0; c < frames->n_channels; c++) {
    bench_counts_rebin (frames->full +
        ((gsize) i * frames->n_channels + c) * BENCH_CODES, 1u << depth, depth,
        bins, expected + (gsize) c * bins);
  }
}

GstVideoHistogramChannels
bench_frames_channels (const BenchFrames * frames)
{
  if (frames->made.channels == BENCH_GRADIENT)
    return GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  return frames->n_channels > 1 ? GST_VIDEO_HISTOGRAM_CHANNELS_RGB :
      GST_VIDEO_HISTOGRAM_CHANNELS_LUMA;
}

guint64
bench_frames_bytes (const BenchFrames * frames)
{
  const BenchPattern *p = &frames->pattern;

  return (guint64) p->width * p->rows * p->components * p->sample_bytes;
}

GstBuffer *
bench_frames_buffer (const BenchFrames * frames, guint i)
{
  const BenchPattern *p = &frames->pattern;
  const GstVideoInfo *info = &frames->layout.info;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES];
  GstBuffer *buffer;
  guint plane;

  /* Strides of planes that do not exist are ignored. */
  for (plane = 0; plane < GST_VIDEO_MAX_PLANES; plane++)
    stride[plane] = p->stride;
  if (p->rows > p->height)
    offset[1] = p->stride * p->height;
  buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
      frames->host + i * p->frame_bytes, p->frame_bytes, 0, p->frame_bytes,
      NULL, NULL);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), p->width, p->height,
      GST_VIDEO_INFO_N_PLANES (info), offset, stride);
  return buffer;
}
