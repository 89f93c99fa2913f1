/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "histogramserialize.h"
#include "gstvideohistogram-private.h"
#include "core/channels.h"

/* Version 1, little-endian and without padding:
 *
 *   guint32 words[N_WORDS]     the numbers of the info, and the backend
 *   guint64 times[N_TIMES]     the times of the info, in ns
 *   guint32 counts[]           [channel][row][column][bin], of the counted
 *                              channels, up to the last byte
 *
 * Enums have the values of GStreamer's headers, which never change their
 * meaning. */
enum
{
  WORD_FORMAT,
  WORD_DEPTH,
  WORD_WIDTH,
  WORD_HEIGHT,
  WORD_REGION_X,
  WORD_REGION_Y,
  WORD_REGION_WIDTH,
  WORD_REGION_HEIGHT,
  WORD_COLOR_RANGE,
  WORD_COLOR_MATRIX,
  WORD_COLOR_TRANSFER,
  WORD_COLOR_PRIMARIES,
  WORD_MATRIX,
  WORD_CHANNELS,
  WORD_BINS,
  WORD_COLUMNS,
  WORD_ROWS,
  WORD_BACKEND,
  N_WORDS
};

enum
{
  TIME_TIMESTAMP,
  TIME_STREAM_TIME,
  TIME_RUNNING_TIME,
  TIME_DURATION,
  N_TIMES
};

#define HEADER_SIZE (N_WORDS * sizeof (guint32) + N_TIMES * sizeof (guint64))

/* Indexed by WORD_BACKEND. A histogram does not own its backend's name. */
static const gchar *const backends[] = { "none", "cpu", "cuda" };

guint32
vh_backend_to_word (const gchar * backend)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (backends); i++) {
    if (g_strcmp0 (backend, backends[i]) == 0)
      return i;
  }
  return 0;
}

const gchar *
vh_backend_from_word (guint32 word)
{
  return backends[word < G_N_ELEMENTS (backends) ? word : 0];
}

/* How many counters a histogram of @words has; 0 if a number is out of range,
 * or there are too many counters. */
static guint64
count_counters (const guint32 * words)
{
  guint64 counters = 0;
  guint32 channels;

  if (words[WORD_DEPTH] < 8 || words[WORD_DEPTH] > 16
      || (words[WORD_CHANNELS] & ~VH_ALL_CHANNELS) != 0
      || words[WORD_BINS] > GST_VIDEO_HISTOGRAM_MAX_BINS
      || words[WORD_COLUMNS] > GST_VIDEO_HISTOGRAM_MAX_GRID
      || words[WORD_ROWS] > GST_VIDEO_HISTOGRAM_MAX_GRID)
    return 0;

  for (channels = words[WORD_CHANNELS]; channels; channels &= channels - 1)
    counters++;
  /* Below 2^31 by the limits above. */
  counters *= (guint64) words[WORD_COLUMNS] * words[WORD_ROWS]
      * words[WORD_BINS];
  return counters <= GST_VIDEO_HISTOGRAM_MAX_COUNTERS ? counters : 0;
}

gint
vh_known_value (GType type, guint32 word)
{
  GEnumClass *klass = g_type_class_ref (type);
  const gboolean known = word <= G_MAXINT
      && g_enum_get_value (klass, word) != NULL;

  g_type_class_unref (klass);
  return known ? word : 0;
}

/* The bytes may start at any address: GStreamer puts a name of any length in
 * front of them. */
static guint8 *
put_uint32 (guint8 * data, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (data, &value, sizeof (value));
  return data + sizeof (value);
}

static guint8 *
put_uint64 (guint8 * data, guint64 value)
{
  value = GUINT64_TO_LE (value);
  memcpy (data, &value, sizeof (value));
  return data + sizeof (value);
}

static const guint8 *
get_uint32 (const guint8 * data, guint32 * value)
{
  memcpy (value, data, sizeof (*value));
  *value = GUINT32_FROM_LE (*value);
  return data + sizeof (*value);
}

static const guint8 *
get_uint64 (const guint8 * data, guint64 * value)
{
  memcpy (value, data, sizeof (*value));
  *value = GUINT64_FROM_LE (*value);
  return data + sizeof (*value);
}

gsize
vh_histogram_serialized_size (GstVideoHistogram * histogram)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  const gsize n = vh_counts_length (vh_histogram_counts (histogram));

  if (info->format == GST_VIDEO_FORMAT_UNKNOWN
      || n > GST_VIDEO_HISTOGRAM_MAX_COUNTERS
      || !gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE))
    return 0;
  return HEADER_SIZE + n * sizeof (guint32);
}

void
vh_histogram_serialize (GstVideoHistogram * histogram, guint8 * data)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  const guint32 *counts = vh_counts_storage (vh_histogram_counts (histogram));
  const gsize n_counts = vh_counts_length (vh_histogram_counts (histogram));
  const guint32 words[N_WORDS] = {
    [WORD_FORMAT] = info->format,
    [WORD_DEPTH] = info->depth,
    [WORD_WIDTH] = info->width,
    [WORD_HEIGHT] = info->height,
    [WORD_REGION_X] = info->region_x,
    [WORD_REGION_Y] = info->region_y,
    [WORD_REGION_WIDTH] = info->region_width,
    [WORD_REGION_HEIGHT] = info->region_height,
    [WORD_COLOR_RANGE] = info->colorimetry.range,
    [WORD_COLOR_MATRIX] = info->colorimetry.matrix,
    [WORD_COLOR_TRANSFER] = info->colorimetry.transfer,
    [WORD_COLOR_PRIMARIES] = info->colorimetry.primaries,
    [WORD_MATRIX] = info->matrix,
    [WORD_CHANNELS] = info->channels,
    [WORD_BINS] = info->bins,
    [WORD_COLUMNS] = info->columns,
    [WORD_ROWS] = info->rows,
    [WORD_BACKEND] =
        vh_backend_to_word (gst_video_histogram_get_backend (histogram)),
  };
  const guint64 times[N_TIMES] = {
    [TIME_TIMESTAMP] = info->timestamp,
    [TIME_STREAM_TIME] = info->stream_time,
    [TIME_RUNNING_TIME] = info->running_time,
    [TIME_DURATION] = info->duration,
  };
  gsize i;

  for (i = 0; i < N_WORDS; i++)
    data = put_uint32 (data, words[i]);
  for (i = 0; i < N_TIMES; i++)
    data = put_uint64 (data, times[i]);
  for (i = 0; i < n_counts; i++)
    data = put_uint32 (data, counts[i]);
}

GstVideoHistogram *
vh_histogram_deserialize (const guint8 * data, gsize size, guint8 version)
{
  guint32 words[N_WORDS];
  guint64 times[N_TIMES];
  GstVideoHistogramInfo info = { 0 };
  GstVideoHistogram *histogram;
  const gchar *backend;
  guint32 *counts;
  guint64 n_counts;
  gsize i;

  if (version != VH_SERIALIZE_VERSION || size < HEADER_SIZE)
    return NULL;

  for (i = 0; i < N_WORDS; i++)
    data = get_uint32 (data, &words[i]);
  for (i = 0; i < N_TIMES; i++)
    data = get_uint64 (data, &times[i]);

  /* Memory is allocated only for counts that are present. */
  n_counts = count_counters (words);
  if (n_counts == 0 || size - HEADER_SIZE != n_counts * sizeof (guint32))
    return NULL;

  /* The meaning of the counts depends on the format, for example for RGB. */
  info.format = vh_known_value (GST_TYPE_VIDEO_FORMAT, words[WORD_FORMAT]);
  if (info.format == GST_VIDEO_FORMAT_UNKNOWN)
    return NULL;

  info.depth = words[WORD_DEPTH];
  info.width = words[WORD_WIDTH];
  info.height = words[WORD_HEIGHT];
  info.region_x = words[WORD_REGION_X];
  info.region_y = words[WORD_REGION_Y];
  info.region_width = words[WORD_REGION_WIDTH];
  info.region_height = words[WORD_REGION_HEIGHT];
  info.colorimetry.range =
      vh_known_value (GST_TYPE_VIDEO_COLOR_RANGE, words[WORD_COLOR_RANGE]);
  info.colorimetry.matrix =
      vh_known_value (GST_TYPE_VIDEO_COLOR_MATRIX, words[WORD_COLOR_MATRIX]);
  info.colorimetry.transfer =
      vh_known_value (GST_TYPE_VIDEO_TRANSFER_FUNCTION,
      words[WORD_COLOR_TRANSFER]);
  info.colorimetry.primaries =
      vh_known_value (GST_TYPE_VIDEO_COLOR_PRIMARIES,
      words[WORD_COLOR_PRIMARIES]);
  info.matrix =
      vh_known_value (GST_TYPE_VIDEO_COLOR_MATRIX, words[WORD_MATRIX]);
  info.channels = words[WORD_CHANNELS];
  info.bins = words[WORD_BINS];
  info.columns = words[WORD_COLUMNS];
  info.rows = words[WORD_ROWS];
  info.timestamp = times[TIME_TIMESTAMP];
  info.stream_time = times[TIME_STREAM_TIME];
  info.running_time = times[TIME_RUNNING_TIME];
  info.duration = times[TIME_DURATION];
  backend = vh_backend_from_word (words[WORD_BACKEND]);

  histogram = vh_histogram_new (&info, backend);
  if (!histogram)
    return NULL;
  counts = vh_counts_storage (vh_histogram_counts (histogram));
  for (i = 0; i < n_counts; i++)
    data = get_uint32 (data, &counts[i]);
  vh_counts_complete (vh_histogram_counts (histogram));
  return histogram;
}
