/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "referencefile.h"

#include <gst/video/video.h>
#include <string.h>

/* How far into a file to look for the start of a stored histogram: other
 * messages may precede it. */
#define MAX_PREFIX (4 << 20)

/* The longest stored histogram: 65536 bins in all channels and several
 * cells. */
#define MAX_TEXT (64 << 20)

/* Maximum number of brackets. A stored histogram needs fewer, because it has
 * only a few arrays per channel. GStreamer's parser recurses for each open
 * bracket: a file full of them would overflow the stack. */
#define MAX_BRACKETS 1000

#define STRUCTURE_NAME "videohistogram"

/* Stored histograms */

/* Returns the structure of the first videohistogram message in @text, from its
 * name to the end of the line, or NULL. */
static gchar *
find_structure (const gchar * text, gsize size)
{
  const gchar *name, *end;
  gsize length;

  name = size == 0 ? NULL :
      g_strstr_len (text, MIN (size, MAX_PREFIX), STRUCTURE_NAME ", ");
  if (!name)
    return NULL;
  length = MIN (size - (name - text), MAX_TEXT);
  end = memchr (name, '\n', length);
  return g_strndup (name, end ? end - name : length);
}

/* Reads the @n numbers of the array in @field. Returns NULL if it is not an
 * array of counts. */
static guint32 *
read_counts (const GstStructure * structure, const gchar * field, guint * n)
{
  const GValue *array = gst_structure_get_value (structure, field);
  guint32 *counts;
  guint i;

  if (!array || !GST_VALUE_HOLDS_ARRAY (array))
    return NULL;
  *n = gst_value_array_get_size (array);
  counts = g_new0 (guint32, MAX (*n, 1));
  for (i = 0; i < *n; i++) {
    const GValue *count = gst_value_array_get_value (array, i);

    if (!G_VALUE_HOLDS_UINT (count)) {
      g_free (counts);
      return NULL;
    }
    counts[i] = g_value_get_uint (count);
  }
  return counts;
}

/* Reads what the histogram in @structure measures. Returns FALSE if the
 * structure does not say. */
static gboolean
read_info (const GstStructure * structure, GstVideoHistogramInfo * info)
{
  const gchar *format = gst_structure_get_string (structure, "format");
  const gchar *colorimetry =
      gst_structure_get_string (structure, "colorimetry");
  const gchar *range = gst_structure_get_string (structure, "range");
  const GstVideoFormatInfo *format_info;
  gint width = 0, height = 0;

  memset (info, 0, sizeof (*info));
  info->format = format ? gst_video_format_from_string (format) :
      GST_VIDEO_FORMAT_UNKNOWN;
  if (info->format == GST_VIDEO_FORMAT_UNKNOWN)
    return FALSE;

  format_info = gst_video_format_get_info (info->format);
  info->depth = GST_VIDEO_FORMAT_INFO_DEPTH (format_info, 0);
  gst_structure_get_int (structure, "width", &width);
  gst_structure_get_int (structure, "height", &height);
  if (info->depth < 8 || info->depth > 16 || width < 1 || height < 1)
    return FALSE;
  info->width = info->region_width = width;
  info->height = info->region_height = height;

  if (colorimetry)
    gst_video_colorimetry_from_string (&info->colorimetry, colorimetry);
  info->colorimetry.range = g_strcmp0 (range, "full") == 0 ?
      GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235;
  info->matrix = info->colorimetry.matrix;
  info->channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA;
  info->columns = info->rows = 1;
  info->timestamp = info->stream_time = info->running_time = info->duration =
      GST_CLOCK_TIME_NONE;
  return TRUE;
}

static GstVideoHistogram *
histogram_from_structure (const GstStructure * structure)
{
  GstVideoHistogram *histogram = NULL;
  GstVideoHistogramInfo info;
  guint32 *counts;
  guint n = 0;

  counts = read_counts (structure, "luma", &n);
  if (counts && n > 0 && n <= GST_VIDEO_HISTOGRAM_MAX_BINS
      && read_info (structure, &info)) {
    info.bins = n;
    histogram = gst_video_histogram_new (&info);
    if (histogram) {
      gst_video_histogram_set_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, 0, 0, counts, n);
    }
  }
  g_free (counts);
  return histogram;
}

/* Pictures */

/* Returns a pipeline that decodes the file @path and stops at the first
 * picture, which is then the last sample of its element `sink`. */
static GstElement *
make_decoder (const gchar * path, GError ** error)
{
  GstElement *pipeline, *element;
  GstCaps *caps;

  pipeline = gst_parse_launch ("filesrc name=source ! decodebin ! videoconvert "
      "! capsfilter name=caps ! fakesink name=sink", error);
  if (!pipeline || *error) {
    gst_clear_object (&pipeline);
    return NULL;
  }

  element = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_object_set (element, "location", path, NULL);
  gst_object_unref (element);

  caps = gst_video_histogram_engine_get_caps ();
  element = gst_bin_get_by_name (GST_BIN (pipeline), "caps");
  g_object_set (element, "caps", caps, NULL);
  gst_object_unref (element);
  gst_caps_unref (caps);
  return pipeline;
}

/* Returns the first picture that @pipeline decodes, or NULL. */
static GstSample *
decode_first (GstElement * pipeline)
{
  GstSample *sample = NULL;
  GstElement *sink;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  if (gst_element_get_state (pipeline, NULL, NULL, VH_REFERENCE_TIMEOUT) ==
      GST_STATE_CHANGE_SUCCESS) {
    sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    g_object_get (sink, "last-sample", &sample, NULL);
    gst_object_unref (sink);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return sample;
}

static GstVideoHistogram *
count_sample (GstSample * sample, GError ** error)
{
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstVideoHistogram *histogram = NULL;
  GstVideoHistogramSpec spec;

  gst_video_histogram_spec_init (&spec);
  if (gst_video_histogram_engine_open (engine, GST_VIDEO_HISTOGRAM_BACKEND_CPU,
          -1, NULL, error)
      && gst_video_histogram_engine_configure (engine,
          gst_sample_get_caps (sample), &spec, error)) {
    histogram = gst_video_histogram_engine_submit (engine,
        gst_sample_get_buffer (sample), NULL, FALSE, error);
  }
  gst_video_histogram_engine_close (engine);
  g_object_unref (engine);
  return histogram;
}

static GstVideoHistogram *
count_picture (const gchar * path, GError ** error)
{
  GstVideoHistogram *histogram;
  GstElement *pipeline;
  GstSample *sample;

  pipeline = make_decoder (path, error);
  if (!pipeline)
    return NULL;
  sample = decode_first (pipeline);
  gst_object_unref (pipeline);
  if (!sample) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
        "%s is neither a picture that this GStreamer can decode nor a stored "
        "histogram", path);
    return NULL;
  }
  histogram = count_sample (sample, error);
  gst_sample_unref (sample);
  return histogram;
}

/* Returns the path of @where, or NULL with an error if that is not a file. */
static gchar *
get_path (const gchar * where, GError ** error)
{
  gchar *path = gst_uri_is_valid (where) ?
      g_filename_from_uri (where, NULL, error) : g_strdup (where);

  if (path && !g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "there is no file %s", path);
    g_clear_pointer (&path, g_free);
  }
  return path;
}

/* Counts brackets in quotes as well, because GStreamer may parse quoted text
 * again. */
static gboolean
has_few_brackets (const gchar * text)
{
  guint n = 0;

  for (text = strpbrk (text, "<{["); text && n <= MAX_BRACKETS;
      text = strpbrk (text + 1, "<{["))
    n++;
  return n <= MAX_BRACKETS;
}

/* Returns the structure of a message in the file @path, or NULL if there is
 * none. */
static GstStructure *
read_structure (const gchar * path, GError ** error)
{
  GMappedFile *file = g_mapped_file_new (path, FALSE, error);
  GstStructure *structure = NULL;
  gchar *text, *end;

  if (!file)
    return NULL;
  text = find_structure (g_mapped_file_get_contents (file),
      g_mapped_file_get_length (file));
  g_mapped_file_unref (file);
  if (text && has_few_brackets (text))
    structure = gst_structure_from_string (text, &end);
  g_free (text);
  return structure;
}

GstVideoHistogram *
vh_reference_file_load (const gchar * where, GError ** error)
{
  GstVideoHistogram *histogram = NULL;
  GError *own_error = NULL;
  GstStructure *structure;
  gchar *path;

  path = get_path (where, error);
  if (!path)
    return NULL;

  structure = read_structure (path, &own_error);
  if (structure) {
    histogram = histogram_from_structure (structure);
    gst_structure_free (structure);
    if (!histogram) {
      g_set_error (&own_error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          "the stored histogram in %s has no counts of luma or no video format",
          path);
    }
  } else if (!own_error) {
    histogram = count_picture (path, &own_error);
  }
  g_free (path);
  if (own_error)
    g_propagate_error (error, own_error);
  return histogram;
}
