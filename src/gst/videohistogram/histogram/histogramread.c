/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads histograms from structures and from JSON. The input may come from
 * anywhere: nothing in it is trusted. */
#include <json-glib/json-glib.h>
#include <string.h>

#include "gst/videohistogram/gstvideohistogram.h"
#include "gstvideohistogram-private.h"
#include "histogramserialize.h"
#include "initialized.h"
#include "core/error.h"

#define NAME "videohistogram"
#define N_CHANNELS GST_VIDEO_HISTOGRAM_N_CHANNELS

/* Lines have two levels of nesting; json-glib recurses for each level. */
#define MAX_NESTING 8

/* Fields of structures */

/* Whether @value is a whole number from 0 to @max. */
static gboolean
to_number (const GValue * value, guint64 max, guint64 * number)
{
  gint64 with_sign = 0;

  switch (G_VALUE_TYPE (value)) {
    case G_TYPE_UCHAR:
      *number = g_value_get_uchar (value);
      break;
    case G_TYPE_UINT:
      *number = g_value_get_uint (value);
      break;
    case G_TYPE_ULONG:
      *number = g_value_get_ulong (value);
      break;
    case G_TYPE_UINT64:
      *number = g_value_get_uint64 (value);
      break;
    case G_TYPE_CHAR:
      *number = with_sign = g_value_get_schar (value);
      break;
    case G_TYPE_INT:
      *number = with_sign = g_value_get_int (value);
      break;
    case G_TYPE_LONG:
      *number = with_sign = g_value_get_long (value);
      break;
    case G_TYPE_INT64:
      *number = with_sign = g_value_get_int64 (value);
      break;
    default:
      return FALSE;
  }
  return with_sign >= 0 && *number <= max;
}

static gboolean
read_number (const GstStructure * s, const gchar * name, guint64 max,
    guint64 * number, GError ** error)
{
  const GValue *value = gst_structure_get_value (s, name);

  if (value && to_number (value, max, number))
    return TRUE;
  vh_set_parse_error (error,
      value ? "%s is not a number from 0 to %" G_GUINT64_FORMAT :
      "%s is missing: a number from 0 to %" G_GUINT64_FORMAT, name, max);
  return FALSE;
}

static gboolean
read_uint (const GstStructure * s, const gchar * name, guint max,
    guint * number, GError ** error)
{
  guint64 value;

  if (!read_number (s, name, max, &value, error))
    return FALSE;
  *number = value;
  return TRUE;
}

/* An unknown time may be left out. */
static gboolean
read_time (const GstStructure * s, const gchar * name, GstClockTime * time,
    GError ** error)
{
  return !gst_structure_has_field (s, name)
      || read_number (s, name, G_MAXUINT64, time, error);
}

static const gchar *
read_string (const GstStructure * s, const gchar * name, GError ** error)
{
  const gchar *text = gst_structure_get_string (s, name);

  if (!text)
    vh_set_parse_error (error, "the string %s is missing", name);
  return text;
}

/* Reads exactly @n numbers, separated by @separator. */
static gboolean
read_numbers (const GstStructure * s, const gchar * name,
    const gchar * separator, guint ** numbers, guint n, GError ** error)
{
  const gchar *text = read_string (s, name, error);
  gchar **words;
  guint i = 0;

  if (!text)
    return FALSE;
  words = g_strsplit (text, separator, n + 1);
  if (g_strv_length (words) == n) {
    guint64 value;

    for (; i < n && g_ascii_string_to_unsigned (words[i], 10, 0, G_MAXINT,
            &value, NULL); i++)
      *numbers[i] = value;
  }
  g_strfreev (words);
  if (i < n)
    vh_set_parse_error (error,
        "%s is \"%s\", not %u numbers separated by \"%s\"",
        name, text, n, separator);
  return i == n;
}

/* Values that this GStreamer does not know are "unknown". */
static GstVideoColorMatrix
read_matrix (const GstStructure * s)
{
  const gchar *nick = gst_structure_get_string (s, "matrix");
  GEnumClass *klass = g_type_class_ref (GST_TYPE_VIDEO_COLOR_MATRIX);
  const GEnumValue *value = nick ? g_enum_get_value_by_nick (klass, nick) :
      NULL;
  const gint matrix = value ? value->value : GST_VIDEO_COLOR_MATRIX_UNKNOWN;

  g_type_class_unref (klass);
  return matrix;
}

/* The statistics depend on the range, so it must be certain. */
static gboolean
read_range (const GstStructure * s, GstVideoColorimetry * colorimetry,
    GError ** error)
{
  const gchar *name;
  guint range = 0;

  if (!gst_structure_has_field (s, "range"))
    return TRUE;
  name = read_string (s, "range", error);
  if (!name)
    return FALSE;
  while (range < VH_N_RANGES && !g_str_equal (name, vh_range_name (range)))
    range++;
  if (range == VH_N_RANGES) {
    vh_set_parse_error (error,
        "range is \"%s\", not full, limited or unknown", name);
    return FALSE;
  }
  if (colorimetry->range != GST_VIDEO_COLOR_RANGE_UNKNOWN
      && colorimetry->range != range) {
    vh_set_parse_error (error,
        "range is %s, but the colorimetry has the range %s", name,
        vh_range_name (colorimetry->range));
    return FALSE;
  }
  colorimetry->range = range;
  return TRUE;
}

static gboolean
read_colorimetry (const GstStructure * s, GstVideoColorimetry * colorimetry,
    GError ** error)
{
  const gchar *text = gst_structure_get_string (s, "colorimetry");
  GstVideoColorimetry read = { 0 };

  if (text && !gst_video_colorimetry_from_string (&read, text))
    memset (&read, 0, sizeof (read));
  colorimetry->range = vh_known_value (GST_TYPE_VIDEO_COLOR_RANGE, read.range);
  colorimetry->matrix =
      vh_known_value (GST_TYPE_VIDEO_COLOR_MATRIX, read.matrix);
  colorimetry->transfer =
      vh_known_value (GST_TYPE_VIDEO_TRANSFER_FUNCTION, read.transfer);
  colorimetry->primaries =
      vh_known_value (GST_TYPE_VIDEO_COLOR_PRIMARIES, read.primaries);
  return read_range (s, colorimetry, error);
}

/* The size of a histogram that was not counted may be unknown. */
static gboolean
check_region (const GstStructure * s, const GstVideoHistogramInfo * info,
    GError ** error)
{
  const guint64 area = (guint64) info->region_width * info->region_height;
  const guint64 gradients = vh_info_channel_pixels (info,
      GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT);
  guint64 pixels = area;

  if (info->width > 0 && info->height > 0
      && (info->region_x + info->region_width > info->width
          || info->region_y + info->region_height > info->height)) {
    vh_set_parse_error (error,
        "roi is \"%s\", which lies outside the picture of %ux%u pixels",
        gst_structure_get_string (s, "roi"), info->width, info->height);
    return FALSE;
  }
  if (gst_structure_has_field (s, "pixels")
      && !read_number (s, "pixels", G_MAXUINT64, &pixels, error))
    return FALSE;
  if (pixels != area) {
    vh_set_parse_error (error,
        "pixels is %" G_GUINT64_FORMAT ", but the roi has %"
        G_GUINT64_FORMAT " pixels", pixels, area);
    return FALSE;
  }
  pixels = gradients;
  if (gst_structure_has_field (s, "gradient-pixels")
      && !read_number (s, "gradient-pixels", G_MAXUINT64, &pixels, error))
    return FALSE;
  if (pixels != gradients)
    vh_set_parse_error (error,
        "gradient-pixels is %" G_GUINT64_FORMAT ", but the roi has %"
        G_GUINT64_FORMAT " pixels with a neighbour to the right",
        pixels, gradients);
  return pixels == gradients;
}

/* Lines written before version 0.2 have no depth; it follows from the
 * format. */
static gboolean
read_format (const GstStructure * s, GstVideoHistogramInfo * info,
    GError ** error)
{
  const gchar *name = read_string (s, "format", error);

  if (!name)
    return FALSE;
  info->format = gst_video_format_from_string (name);
  if (info->format == GST_VIDEO_FORMAT_UNKNOWN
      && !g_str_equal (name, "unknown")) {
    vh_set_parse_error (error,
        "this GStreamer does not know the format \"%s\"", name);
    return FALSE;
  }
  if (gst_structure_has_field (s, "depth")
      || info->format == GST_VIDEO_FORMAT_UNKNOWN)
    return read_uint (s, "depth", 16, &info->depth, error);
  info->depth = MAX (8, GST_VIDEO_FORMAT_INFO_DEPTH
      (gst_video_format_get_info (info->format), 0));
  return TRUE;
}

static gboolean
read_info (const GstStructure * s, GstVideoHistogramInfo * info,
    GError ** error)
{
  guint *const grid[] = { &info->columns, &info->rows };
  guint *const roi[] = { &info->region_x, &info->region_y,
    &info->region_width, &info->region_height
  };
  guint c;

  gst_video_histogram_info_init (info);
  info->channels = 0;
  for (c = 0; c < N_CHANNELS; c++) {
    if (gst_structure_has_field (s, gst_video_histogram_channel_get_name (c)))
      info->channels |= 1u << c;
  }
  if (!info->channels) {
    vh_set_parse_error (error,
        "the counts are missing: write them with message-counts=true or "
        "GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS");
    return FALSE;
  }
  info->matrix = read_matrix (s);
  return read_colorimetry (s, &info->colorimetry, error)
      && read_format (s, info, error)
      && read_uint (s, "bins", GST_VIDEO_HISTOGRAM_MAX_BINS, &info->bins, error)
      && read_uint (s, "width", G_MAXINT, &info->width, error)
      && read_uint (s, "height", G_MAXINT, &info->height, error)
      && read_numbers (s, "grid", "x", (guint **) grid, 2, error)
      && read_numbers (s, "roi", ",", (guint **) roi, 4, error)
      && check_region (s, info, error)
      && read_time (s, "timestamp", &info->timestamp, error)
      && read_time (s, "stream-time", &info->stream_time, error)
      && read_time (s, "running-time", &info->running_time, error)
      && read_time (s, "duration", &info->duration, error);
}

static gsize
get_length (const GValue * array)
{
  return GST_VALUE_HOLDS_LIST (array) ? gst_value_list_get_size (array) :
      gst_value_array_get_size (array);
}

static const GValue *
get_item (const GValue * array, gsize i)
{
  return GST_VALUE_HOLDS_LIST (array) ? gst_value_list_get_value (array, i) :
      gst_value_array_get_value (array, i);
}

/* Returns the array or list @name if it has @n values. */
static const GValue *
get_array (const GstStructure * s, const gchar * name, gsize n, GError ** error)
{
  const GValue *array = gst_structure_get_value (s, name);
  gsize length;

  if (!array || !(GST_VALUE_HOLDS_ARRAY (array)
          || GST_VALUE_HOLDS_LIST (array))) {
    vh_set_parse_error (error, "the array %s is missing", name);
    return NULL;
  }
  length = get_length (array);
  if (length != n) {
    vh_set_parse_error (error,
        "%s has %" G_GSIZE_FORMAT " counts, not %" G_GSIZE_FORMAT,
        name, length, n);
    return NULL;
  }
  return array;
}

/* Reads @n counts from 32-bit numbers; otherwise like read_array(). */
static gboolean
read_bytes (GBytes * bytes, const gchar * name, guint32 * counts, gsize n,
    GError ** error)
{
  gsize size = 0, i;
  const guint8 *data = bytes ? g_bytes_get_data (bytes, &size) : NULL;

  if (size / sizeof (guint32) != n || size % sizeof (guint32) != 0) {
    vh_set_parse_error (error,
        "%s has %" G_GSIZE_FORMAT " bytes, not %" G_GSIZE_FORMAT
        " counts of 4 bytes", name, size, n);
    return FALSE;
  }
  for (i = 0; counts && i < n; i++)
    counts[i] = GST_READ_UINT32_LE (data + i * sizeof (guint32));
  return TRUE;
}

/* Reads @n counts; if @counts is NULL, only checks that they are there. */
static gboolean
read_array (const GstStructure * s, const gchar * name, guint32 * counts,
    gsize n, GError ** error)
{
  const GValue *array = gst_structure_get_value (s, name);
  guint64 count;
  gsize i;

  if (array && G_VALUE_HOLDS (array, G_TYPE_BYTES))
    return read_bytes (g_value_get_boxed (array), name, counts, n, error);
  array = get_array (s, name, n, error);
  for (i = 0; array && counts && i < n; i++) {
    if (!to_number (get_item (array, i), G_MAXUINT32, &count)) {
      vh_set_parse_error (error,
          "%s: count %" G_GSIZE_FORMAT " is not a number from 0 "
          "to %u", name, i, G_MAXUINT32);
      return FALSE;
    }
    counts[i] = count;
  }
  return array != NULL;
}

/* Reads the counts of all cells of @channel. */
static gboolean
read_cells (const GstStructure * s, const GstVideoHistogramInfo * info,
    GstVideoHistogramChannel channel, guint32 * counts, GError ** error)
{
  const gsize cells = (gsize) info->columns * info->rows;
  gchar *name = g_strconcat (gst_video_histogram_channel_get_name (channel),
      cells > 1 ? "-cells" : NULL, NULL);
  const gboolean ok = read_array (s, name, counts, cells * info->bins, error);

  g_free (name);
  return ok;
}

/* Memory is allocated only for counts that are present. */
static gboolean
has_counts (const GstStructure * s, const GstVideoHistogramInfo * info,
    GError ** error)
{
  gboolean ok = TRUE;
  guint c;

  for (c = 0; c < N_CHANNELS && ok; c++)
    ok = !(info->channels & (1u << c)) || read_cells (s, info, c, NULL, error);
  return ok;
}

/* The counts of all cells must add up to the counts of the whole, and these to
 * the number of pixels. */
static gboolean
check_channel (const GstStructure * s, GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, GError ** error)
{
  const gchar *name = gst_video_histogram_channel_get_name (channel);
  const guint64 pixels = gst_video_histogram_get_channel_pixels (histogram,
      channel);
  guint n, i;
  const guint32 *counts = gst_video_histogram_get_counts (histogram, channel,
      &n);
  guint32 *whole = g_new (guint32, n);
  gboolean ok = read_array (s, name, whole, n, error);
  guint64 sum = 0;

  if (ok && memcmp (counts, whole, n * sizeof (*counts)) != 0) {
    vh_set_parse_error (error, "%s-cells do not add up to %s", name, name);
    ok = FALSE;
  }
  for (i = 0; i < n; i++)
    sum += counts[i];
  if (ok && gst_video_histogram_get_pixels (histogram) > 0 && sum != pixels) {
    vh_set_parse_error (error,
        "%s counts %" G_GUINT64_FORMAT " pixels, but the roi has %"
        G_GUINT64_FORMAT, name, sum, pixels);
    ok = FALSE;
  }
  g_free (whole);
  return ok;
}

static gboolean
read_counts (const GstStructure * s, GstVideoHistogram * histogram,
    GError ** error)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  VhCounts *counts = vh_histogram_counts (histogram);
  gboolean ok = TRUE;
  guint c;

  /* The cells of a channel follow each other. */
  for (c = 0; c < N_CHANNELS && ok; c++)
    ok = !(info->channels & (1u << c)) || read_cells (s, info, c,
        vh_counts_cell (counts, c, 0, 0), error);
  vh_counts_complete (counts);
  for (c = 0; c < N_CHANNELS && ok; c++)
    ok = !(info->channels & (1u << c))
        || check_channel (s, histogram, c, error);
  return ok;
}

/**
 * gst_video_histogram_from_structure:
 * @structure: a #GstStructure from gst_video_histogram_to_structure(), with
 *     counts
 * @error: return location for a #GError, or %NULL
 *
 * Reads a histogram back from a structure, such as a stored message of the
 * element `videohistogram`. Info, counts and therefore statistics are the same
 * as before. Numbers may have any integer type; counts may be a
 * #GstValueArray, a #GstValueList or #GBytes. A joint histogram is not
 * restored, since only its statistics are in the structure. May be called from
 * any thread.
 *
 * Returns: (transfer full) (nullable): a new, complete #GstVideoHistogram, or
 *     %NULL with %GST_VIDEO_HISTOGRAM_ERROR_PARSE if @structure is not a
 *     histogram, has no counts or contradicts itself
 *
 * Since: 0.2
 */
GstVideoHistogram *
gst_video_histogram_from_structure (const GstStructure * structure,
    GError ** error)
{
  GstVideoHistogram *histogram;
  GstVideoHistogramInfo info;
  GError *wrong = NULL;
  const gchar *backend;

  vh_return_val_unless_initialized (error, NULL);
  g_return_val_if_fail (GST_IS_STRUCTURE (structure), NULL);
  g_return_val_if_fail (!error || !*error, NULL);

  if (!gst_structure_has_name (structure, NAME)) {
    vh_set_parse_error (error, "the structure is named %s, not " NAME,
        gst_structure_get_name (structure));
    return NULL;
  }
  if (!read_info (structure, &info, error))
    return NULL;
  if (!vh_info_check (&info, &wrong)) {
    vh_set_parse_error (error, "%s", wrong->message);
    g_error_free (wrong);
    return NULL;
  }
  if (!has_counts (structure, &info, error))
    return NULL;
  backend = gst_structure_get_string (structure, "backend");
  histogram = vh_histogram_new (&info,
      vh_backend_from_word (vh_backend_to_word (backend)));
  if (!histogram) {
    vh_set_parse_error (error, "not enough memory for the counts");
    return NULL;
  }
  if (!read_counts (structure, histogram, error))
    gst_clear_video_histogram (&histogram);
  return histogram;
}

/* JSON */

static void
add_value (JsonBuilder * builder, const GValue * value)
{
  guint i;

  if (GST_VALUE_HOLDS_ARRAY (value)) {
    json_builder_begin_array (builder);
    for (i = 0; i < gst_value_array_get_size (value); i++)
      add_value (builder, gst_value_array_get_value (value, i));
    json_builder_end_array (builder);
  } else if (G_VALUE_HOLDS_STRING (value) && g_value_get_string (value)) {
    json_builder_add_string_value (builder, g_value_get_string (value));
  } else if (G_VALUE_HOLDS_DOUBLE (value)) {
    json_builder_add_double_value (builder, g_value_get_double (value));
  } else if (G_VALUE_HOLDS_UINT (value)) {
    json_builder_add_int_value (builder, g_value_get_uint (value));
  } else if (G_VALUE_HOLDS_INT (value)) {
    json_builder_add_int_value (builder, g_value_get_int (value));
  } else if (G_VALUE_HOLDS_UINT64 (value)
      && g_value_get_uint64 (value) <= G_MAXINT64) {
    json_builder_add_int_value (builder, g_value_get_uint64 (value));
  } else {
    json_builder_add_null_value (builder);
  }
}

/**
 * gst_video_histogram_to_json:
 * @histogram: a #GstVideoHistogram
 * @flags: what to write in addition to the description of the frame
 *
 * Writes the fields of gst_video_histogram_to_structure() as a JSON object on
 * one line, without a newline at the end, as `pipelines/file-to-jsonl` does.
 * Times are null if they are unknown or 2^63 ns (292 years) or more. Waits if
 * @histogram is pending. May be called from any thread.
 *
 * Returns: (transfer full) (nullable): the line, to be freed with g_free(), or
 *     %NULL if counting failed
 *
 * Since: 0.2
 */
gchar *
gst_video_histogram_to_json (GstVideoHistogram * histogram,
    GstVideoHistogramStructureFlags flags)
{
  GstStructure *s;
  JsonBuilder *builder;
  JsonNode *root;
  gchar *json;
  gint i;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), NULL);
  g_return_val_if_fail ((flags & ~VH_STRUCTURE_ALL) == 0, NULL);

  s = gst_video_histogram_to_structure (histogram,
      flags & ~GST_VIDEO_HISTOGRAM_STRUCTURE_BYTES);
  if (!s)
    return NULL;
  builder = json_builder_new ();
  json_builder_begin_object (builder);
  for (i = 0; i < gst_structure_n_fields (s); i++) {
    const gchar *name = gst_structure_nth_field_name (s, i);

    json_builder_set_member_name (builder, name);
    add_value (builder, gst_structure_get_value (s, name));
  }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  json = json_to_string (root, FALSE);
  json_node_unref (root);
  g_object_unref (builder);
  gst_structure_free (s);
  return json;
}

/* The length of the number at @text; 0 if it is not a JSON number, or is an
 * integer that does not fit the 64 bits of json-glib, which would wrap it. */
static gsize
skip_number (const gchar * text)
{
  const gsize length = strspn (text, "+-.0123456789eE");
  const gsize whole = strspn (text, "-0123456789");
  const gchar *digits = text + (text[0] == '-');

  if (text[0] == '+' || (digits[0] == '0' && g_ascii_isdigit (digits[1])))
    return 0;
  if (whole == length) {
    gchar *number = g_strndup (text, length);
    const gboolean fits = g_ascii_string_to_signed (number, 10, G_MININT64,
        G_MAXINT64, NULL, NULL);

    g_free (number);
    return fits ? length : 0;
  }
  return length;
}

/* Finds text that json-glib must not see: too many levels, or invalid JSON;
 * NULL if there is none. json-glib also accepts comments, single quotes,
 * assignments and hexadecimal numbers, where brackets and quotes have another
 * meaning. */
static const gchar *
find_unreadable (const gchar * json)
{
  guint depth = 0;

  while (*json) {
    gsize length = 1;

    if (*json == '"') {
      for (; json[length] && json[length] != '"'; length++)
        length += json[length] == '\\' && json[length + 1];
      length += json[length] == '"';
    } else if (*json == '-' || *json == '+' || g_ascii_isdigit (*json)) {
      length = skip_number (json);
    } else if (*json == '[' || *json == '{') {
      length = ++depth <= MAX_NESTING;
    } else if (*json == ']' || *json == '}') {
      depth -= depth > 0;
    } else if (!strchr (":, \t\r\n", *json)) {
      length = strspn (json, "aeflnrstu");
    }
    if (length == 0)
      return json;
    json += length;
  }
  return NULL;
}

/* Values of an array must have one type, so values that are not integers become
 * -1, which is not a valid count. */
static void
take_array (GstStructure * s, const gchar * name, JsonArray * array)
{
  const guint n = json_array_get_length (array);
  GValue values = G_VALUE_INIT, value = G_VALUE_INIT;
  guint i;

  gst_value_array_init (&values, n);
  for (i = 0; i < n; i++) {
    JsonNode *node = json_array_get_element (array, i);

    g_value_init (&value, G_TYPE_INT64);
    g_value_set_int64 (&value,
        json_node_get_value_type (node) == G_TYPE_INT64 ?
        json_node_get_int (node) : -1);
    gst_value_array_append_and_take_value (&values, &value);
  }
  gst_structure_take_value (s, name, &values);
}

/* Field names of structures are interned and never freed, so only members that
 * a histogram has are converted. */
static void
take_member (GstStructure * s, JsonObject * object, const gchar * name)
{
  JsonNode *node = json_object_get_member (object, name);
  GValue value = G_VALUE_INIT;

  if (node && JSON_NODE_HOLDS_ARRAY (node)) {
    take_array (s, name, json_node_get_array (node));
  } else if (node && JSON_NODE_HOLDS_VALUE (node)) {
    json_node_get_value (node, &value);
    gst_structure_take_value (s, name, &value);
  }
}

static GstStructure *
structure_from_object (JsonObject * object)
{
  static const gchar *const names[] = {
    "timestamp", "stream-time", "running-time", "duration", "width", "height",
    "format", "depth", "colorimetry", "matrix", "range", "bins", "pixels",
    "backend", "grid", "roi", "gradient-pixels",
  };
  GstStructure *s = gst_structure_new_empty (NAME);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++)
    take_member (s, object, names[i]);
  for (i = 0; i < N_CHANNELS; i++) {
    const gchar *name = gst_video_histogram_channel_get_name (i);
    gchar *cells = g_strconcat (name, "-cells", NULL);

    take_member (s, object, name);
    take_member (s, object, cells);
    g_free (cells);
  }
  return s;
}

/**
 * gst_video_histogram_from_json:
 * @json: a line with counts from gst_video_histogram_to_json() or
 *     `pipelines/file-to-jsonl`
 * @error: return location for a #GError, or %NULL
 *
 * Reads a histogram back from JSON, as gst_video_histogram_from_structure()
 * does from a structure. Whole numbers must fit into a #gint64. May be called
 * from any thread.
 *
 * Returns: (transfer full) (nullable): a new, complete #GstVideoHistogram, or
 *     %NULL with %GST_VIDEO_HISTOGRAM_ERROR_PARSE if @json is not a histogram,
 *     has no counts or contradicts itself
 *
 * Since: 0.2
 */
GstVideoHistogram *
gst_video_histogram_from_json (const gchar * json, GError ** error)
{
  GstVideoHistogram *histogram = NULL;
  JsonNode *root = NULL;
  const gchar *unreadable;
  GError *problem = NULL;

  vh_return_val_unless_initialized (error, NULL);
  g_return_val_if_fail (json != NULL, NULL);
  g_return_val_if_fail (!error || !*error, NULL);

  unreadable = find_unreadable (json);
  if (!unreadable)
    root = json_from_string (json, &problem);
  if (root && JSON_NODE_HOLDS_OBJECT (root)) {
    GstStructure *s = structure_from_object (json_node_get_object (root));

    histogram = gst_video_histogram_from_structure (s, error);
    gst_structure_free (s);
  } else if (unreadable) {
    vh_set_parse_error (error,
        "not a JSON object with numbers of up to 64 bits: unexpected byte at %"
        G_GSIZE_FORMAT, (gsize) (unreadable - json));
  } else {
    vh_set_parse_error (error,
        "not a JSON object%s%s", problem ? ": " : "",
        problem ? problem->message : "");
  }
  g_clear_pointer (&root, json_node_unref);
  g_clear_error (&problem);
  return histogram;
}
