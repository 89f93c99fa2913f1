/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes drawings. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _BenchSvg BenchSvg;

typedef enum
{
  BENCH_START,
  BENCH_MIDDLE,
  BENCH_END,
} BenchAnchor;

/* A white page of so many pixels. */
BenchSvg *bench_svg_new (gdouble width, gdouble height, const gchar * title);
void bench_svg_free (BenchSvg * svg);
gboolean bench_svg_save (BenchSvg * svg, const gchar * path, GError ** error);

/* Where a font is @size pixels high. */
void bench_svg_text (BenchSvg * svg, gdouble x, gdouble y, BenchAnchor anchor,
    gdouble size, const gchar * color, const gchar * text);

/* Reads upwards. */
void bench_svg_text_up (BenchSvg * svg, gdouble x, gdouble y, gdouble size,
    const gchar * color, const gchar * text);

/* @dash is as in SVG, or NULL. */
void bench_svg_line (BenchSvg * svg, gdouble x1, gdouble y1, gdouble x2,
    gdouble y2, const gchar * color, gdouble width, const gchar * dash);

/* A line through @n points x, y. */
void bench_svg_path (BenchSvg * svg, const gdouble * points, guint n,
    const gchar * color, gdouble width, const gchar * dash);
void bench_svg_box (BenchSvg * svg, gdouble x, gdouble y, gdouble width,
    gdouble height, const gchar * color);

/* One of a few shapes, which @shape counts through. */
void bench_svg_mark (BenchSvg * svg, gdouble x, gdouble y, guint shape,
    gdouble size, const gchar * color);

G_END_DECLS
