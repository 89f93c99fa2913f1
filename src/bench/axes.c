/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "axes.h"

#include <string.h>

/* Data in one piece has rows of this many bytes, without gaps between them. */
#define BULK_ROW 32768
#define MAX_BULK ((guint64) 2 << 30)
#define MAX_SIDE 16384

static const gchar *const channels_names[] = {
  [BENCH_LUMA] = "luma",
  [BENCH_PITCHED] = "pitched",
  [BENCH_GRADIENT] = "gradient",
  [BENCH_YUV_RGB] = "yuv-rgb",
  [BENCH_RGB] = "rgb",
  [BENCH_RGBA_LUMA] = "rgba-luma",
};

static const gchar *const formats[][4] = {
  [BENCH_LUMA] = {"GRAY8", "P010_10LE", "P012_LE", "GRAY16_LE"},
  [BENCH_PITCHED] = {"NV12", "P010_10LE", "P012_LE", "P016_LE"},
  [BENCH_GRADIENT] = {"GRAY8", "P010_10LE", "P012_LE", "GRAY16_LE"},
  [BENCH_YUV_RGB] = {"NV12", "P010_10LE", "P012_LE", "P016_LE"},
  [BENCH_RGB] = {"RGBA", NULL, NULL, "RGBA64_LE"},
  [BENCH_RGBA_LUMA] = {"RGBA", NULL, NULL, "RGBA64_LE"},
};

static const struct
{
  const gchar *name;
  guint width, height;
} frame_names[] = {
  {"720p", 1280, 720},
  {"1080p", 1920, 1080},
  {"2160p", 3840, 2160},
};

/* Whether all of @text is a number from @least to @most. */
static gboolean
parse_number (const gchar * text, guint64 least, guint64 most, guint * number)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, least, most, &value, NULL))
    return FALSE;
  *number = value;
  return TRUE;
}

/* Each of these appends the value that @text names to @list, or returns FALSE
 * if it is unknown. */

static gboolean
parse_data (const gchar * text, GArray * list)
{
  static const struct
  {
    const gchar *name;
    BenchData data;
  } names[] = {
    {"uniform", {BENCH_DATA_RANDOM, 0}},
    {"normal", {BENCH_DATA_NORMAL, 0}},
    {"one-value", {BENCH_DATA_RANDOM, 1}},
    {"photo", {BENCH_DATA_PHOTO, 0}},
    {"film", {BENCH_DATA_FILM, 0}},
    {"ramp", {BENCH_DATA_RAMP, 0}},
  };
  BenchData data = {.kind = BENCH_DATA_RANDOM };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    if (g_str_equal (text, names[i].name)) {
      g_array_append_val (list, names[i].data);
      return TRUE;
    }
  }
  if (g_str_equal (text, "distinct")) {
    for (data.n = 256; data.n > 0; data.n /= 2)
      g_array_append_val (list, data);
    return TRUE;
  }
  if (!g_str_has_prefix (text, "distinct-")
      || !parse_number (text + strlen ("distinct-"), 1, 256, &data.n))
    return FALSE;
  g_array_append_val (list, data);
  return TRUE;
}

static gboolean
parse_bins (const gchar * text, GArray * list)
{
  guint bins;

  if (!parse_number (text, 1, GST_VIDEO_HISTOGRAM_MAX_BINS, &bins))
    return FALSE;
  g_array_append_val (list, bins);
  return TRUE;
}

static gboolean
parse_bulk (const gchar * text, BenchSize * size)
{
  const gsize length = strlen (text);
  gchar *digits;
  guint number = 0;
  guint shift;

  switch (length > 1 ? text[length - 1] : 0) {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    default:
      return FALSE;
  }
  digits = g_strndup (text, length - 1);
  if (parse_number (digits, 1, MAX_BULK, &number))
    size->bytes = (guint64) number << shift;
  g_free (digits);
  return size->bytes > 0 && size->bytes <= MAX_BULK
      && size->bytes % BULK_ROW == 0;
}

static gboolean
parse_size (const gchar * text, GArray * list)
{
  BenchSize size = { {0}, };
  gchar **sides;
  guint i;

  if (strlen (text) >= sizeof (size.name))
    return FALSE;
  g_strlcpy (size.name, text, sizeof (size.name));
  for (i = 0; i < G_N_ELEMENTS (frame_names); i++) {
    if (g_str_equal (text, frame_names[i].name)) {
      size.width = frame_names[i].width;
      size.height = frame_names[i].height;
    }
  }
  sides = g_strsplit (text, "x", -1);
  if (g_strv_length (sides) == 2
      && !(parse_number (sides[0], 1, MAX_SIDE, &size.width)
          && parse_number (sides[1], 1, MAX_SIDE, &size.height)))
    size.width = 0;
  g_strfreev (sides);
  if (size.width == 0 && !parse_bulk (text, &size))
    return FALSE;
  g_array_append_val (list, size);
  return TRUE;
}

static gboolean
parse_channels (const gchar * text, GArray * list)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (channels_names); i++) {
    const BenchChannels channels = i;

    if (g_str_equal (text, channels_names[i])) {
      g_array_append_val (list, channels);
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
parse_depth (const gchar * text, GArray * list)
{
  guint depth;

  if (!parse_number (text, 8, 16, &depth)
      || (depth != 8 && depth != 10 && depth != 12 && depth != 16))
    return FALSE;
  g_array_append_val (list, depth);
  return TRUE;
}

static gboolean
parse_from (const gchar * text, GArray * list)
{
  const gboolean warm = g_str_equal (text, "l2");

  if (!warm && !g_str_equal (text, "hbm"))
    return FALSE;
  g_array_append_val (list, warm);
  return TRUE;
}

static gboolean
parse_list (const gchar * axis, const gchar * text,
    gboolean (*parse) (const gchar * text, GArray * list), const gchar * known,
    GArray ** list, gsize size, GError ** error)
{
  gchar **items = g_strsplit (text, ",", -1);
  gboolean good = items[0] != NULL;
  guint i;

  *list = g_array_new (FALSE, FALSE, size);
  for (i = 0; items[i] && good; i++) {
    good = parse (g_strstrip (items[i]), *list);
    if (!good) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "--%s: unknown value \"%s\"; use %s", axis, items[i], known);
    }
  }
  if (!items[0]) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--%s: empty list; use %s", axis, known);
  }
  g_strfreev (items);
  return good;
}

gboolean
bench_axes_parse (BenchAxes * axes, const gchar * data, const gchar * bins,
    const gchar * sizes, const gchar * channels, const gchar * depths,
    const gchar * from, GError ** error)
{
  *axes = (BenchAxes) { NULL, };
  return parse_list ("data", data, parse_data, "uniform, normal, one-value, "
      "photo, film, ramp, distinct or distinct-N with N from 1 to 256",
      &axes->data, sizeof (BenchData), error)
      && parse_list ("bins", bins, parse_bins, "numbers from 1 to 65536",
      &axes->bins, sizeof (guint), error)
      && parse_list ("sizes", sizes, parse_size, "720p, 1080p, 2160p, "
      "WIDTHxHEIGHT up to 16384x16384, or multiples of 32K up to 2G such as "
      "64M", &axes->sizes, sizeof (BenchSize), error)
      && parse_list ("channels", channels, parse_channels, "luma, pitched, "
      "gradient, yuv-rgb, rgb or rgba-luma", &axes->channels,
      sizeof (BenchChannels), error)
      && parse_list ("depths", depths, parse_depth, "8, 10, 12 or 16",
      &axes->depths, sizeof (guint), error)
      && parse_list ("from", from, parse_from, "hbm or l2", &axes->from,
      sizeof (gboolean), error);
}

void
bench_axes_clear (BenchAxes * axes)
{
  g_clear_pointer (&axes->data, g_array_unref);
  g_clear_pointer (&axes->bins, g_array_unref);
  g_clear_pointer (&axes->sizes, g_array_unref);
  g_clear_pointer (&axes->channels, g_array_unref);
  g_clear_pointer (&axes->depths, g_array_unref);
  g_clear_pointer (&axes->from, g_array_unref);
}

gchar *
bench_data_name (BenchData data)
{
  switch (data.kind) {
    case BENCH_DATA_NORMAL:
      return g_strdup ("normal");
    case BENCH_DATA_PHOTO:
      return g_strdup ("photo");
    case BENCH_DATA_FILM:
      return g_strdup ("film");
    case BENCH_DATA_RAMP:
      return g_strdup ("ramp");
    default:
      return data.n == 0 ? g_strdup ("uniform") :
          data.n == 1 ? g_strdup ("one-value") :
          g_strdup_printf ("distinct-%u", data.n);
  }
}

gboolean
bench_data_needs_photo (BenchData data)
{
  return data.kind == BENCH_DATA_PHOTO || data.kind == BENCH_DATA_FILM;
}

const gchar *
bench_channels_name (BenchChannels channels)
{
  return channels_names[channels];
}

guint
bench_channels_count (BenchChannels channels)
{
  return channels == BENCH_RGB || channels == BENCH_YUV_RGB ? 3 : 1;
}

const gchar *
bench_case_format (const BenchCase * c)
{
  return formats[c->channels][c->depth == 8 ? 0 : c->depth == 10 ? 1 :
      c->depth == 12 ? 2 : 3];
}

void
bench_case_dimensions (const BenchCase * c, guint * width, guint * height)
{
  const guint components = c->channels < BENCH_RGB ? 1 : 4;

  *width = c->size.width;
  *height = c->size.height;
  if (c->size.bytes > 0) {
    *width = BULK_ROW / (components * (c->depth > 8 ? 2 : 1));
    *height = c->size.bytes / BULK_ROW;
  }
}

gchar *
bench_case_describe (const BenchCase * c)
{
  gchar *data = bench_data_name (c->data);
  gchar *text = g_strdup_printf ("%s %s of %s, %u bins%s, %s", c->size.name,
      bench_channels_name (c->channels), bench_case_format (c), c->bins,
      c->size.bytes > 0 ? "" : c->warm ? ", from L2" : ", from HBM", data);

  g_free (data);
  return text;
}
