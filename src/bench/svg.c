/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "svg.h"

#define FONT "DejaVu Sans, Helvetica, Arial, sans-serif"

struct _BenchSvg
{
  GString *text;
};

BenchSvg *
bench_svg_new (gdouble width, gdouble height, const gchar * title)
{
  BenchSvg *self = g_new0 (BenchSvg, 1);
  gchar *escaped = g_markup_escape_text (title, -1);

  self->text = g_string_new (NULL);
  g_string_append_printf (self->text, "<?xml version=\"1.0\" "
      "encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"" FONT "\">\n<title>%s</title>\n", width, height, width,
      height, escaped);
  bench_svg_box (self, 0, 0, width, height, "#ffffff");
  g_free (escaped);
  return self;
}

void
bench_svg_free (BenchSvg * svg)
{
  g_string_free (svg->text, TRUE);
  g_free (svg);
}

gboolean
bench_svg_save (BenchSvg * svg, const gchar * path, GError ** error)
{
  gchar *all = g_strconcat (svg->text->str, "</svg>\n", NULL);
  gboolean saved = g_file_set_contents (path, all, -1, error);

  g_free (all);
  return saved;
}

static void
add_text (BenchSvg * self, const gchar * place, BenchAnchor anchor,
    gdouble size, const gchar * color, const gchar * text)
{
  static const gchar *const anchors[] = {
    [BENCH_START] = "start",
    [BENCH_MIDDLE] = "middle",
    [BENCH_END] = "end",
  };
  gchar *escaped = g_markup_escape_text (text, -1);

  g_string_append_printf (self->text, "<text %s text-anchor=\"%s\" "
      "font-size=\"%.1f\" fill=\"%s\">%s</text>\n", place, anchors[anchor],
      size, color, escaped);
  g_free (escaped);
}

void
bench_svg_text (BenchSvg * svg, gdouble x, gdouble y, BenchAnchor anchor,
    gdouble size, const gchar * color, const gchar * text)
{
  gchar *place = g_strdup_printf ("x=\"%.1f\" y=\"%.1f\"", x, y);

  add_text (svg, place, anchor, size, color, text);
  g_free (place);
}

void
bench_svg_text_up (BenchSvg * svg, gdouble x, gdouble y, gdouble size,
    const gchar * color, const gchar * text)
{
  gchar *place = g_strdup_printf ("transform=\"translate(%.1f %.1f) "
      "rotate(-90)\"", x, y);

  add_text (svg, place, BENCH_MIDDLE, size, color, text);
  g_free (place);
}

static void
add_dash (BenchSvg * self, const gchar * dash)
{
  if (dash)
    g_string_append_printf (self->text, " stroke-dasharray=\"%s\"", dash);
  g_string_append (self->text, "/>\n");
}

void
bench_svg_line (BenchSvg * svg, gdouble x1, gdouble y1, gdouble x2,
    gdouble y2, const gchar * color, gdouble width, const gchar * dash)
{
  g_string_append_printf (svg->text, "<line x1=\"%.1f\" y1=\"%.1f\" "
      "x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"", x1, y1,
      x2, y2, color, width);
  add_dash (svg, dash);
}

void
bench_svg_path (BenchSvg * svg, const gdouble * points, guint n,
    const gchar * color, gdouble width, const gchar * dash)
{
  guint i;

  g_string_append (svg->text, "<polyline fill=\"none\" points=\"");
  for (i = 0; i < n; i++) {
    g_string_append_printf (svg->text, "%.1f,%.1f ", points[2 * i],
        points[2 * i + 1]);
  }
  g_string_append_printf (svg->text, "\" stroke=\"%s\" stroke-width=\"%.1f\" "
      "stroke-linejoin=\"round\"", color, width);
  add_dash (svg, dash);
}

void
bench_svg_box (BenchSvg * svg, gdouble x, gdouble y, gdouble width,
    gdouble height, const gchar * color)
{
  g_string_append_printf (svg->text, "<rect x=\"%.1f\" y=\"%.1f\" "
      "width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height,
      color);
}

/* A circle, or straight lines between points of a unit square. */
void
bench_svg_mark (BenchSvg * svg, gdouble x, gdouble y, guint shape,
    gdouble size, const gchar * color)
{
  static const struct
  {
    guint n;
    gdouble at[12][2];
  } shapes[] = {
    {4, {{-.9, -.9}, {.9, -.9}, {.9, .9}, {-.9, .9}}},
    {3, {{0, -1.2}, {1.1, .8}, {-1.1, .8}}},
    {4, {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}},
    {3, {{0, 1.2}, {1.1, -.8}, {-1.1, -.8}}},
    {12, {{-.4, -1.2}, {.4, -1.2}, {.4, -.4}, {1.2, -.4}, {1.2, .4}, {.4, .4},
            {.4, 1.2}, {-.4, 1.2}, {-.4, .4}, {-1.2, .4}, {-1.2, -.4},
            {-.4, -.4}}},
  };
  guint i;

  shape %= 1 + G_N_ELEMENTS (shapes);
  if (shape == 0) {
    g_string_append_printf (svg->text, "<circle cx=\"%.1f\" cy=\"%.1f\" "
        "r=\"%.1f\"", x, y, size);
  } else {
    g_string_append (svg->text, "<polygon points=\"");
    for (i = 0; i < shapes[shape - 1].n; i++) {
      g_string_append_printf (svg->text, "%.1f,%.1f ",
          x + size * shapes[shape - 1].at[i][0],
          y + size * shapes[shape - 1].at[i][1]);
    }
    g_string_append_c (svg->text, '"');
  }
  g_string_append_printf (svg->text, " fill=\"%s\" fill-opacity=\"0.9\" "
      "stroke=\"#ffffff\" stroke-width=\"0.6\"/>\n", color);
}
