/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Three kinds of charts, in colours that nearly all people can tell apart, and
 * with marks of different shapes for those who cannot. */
#pragma once

#include "svg.h"

G_BEGIN_DECLS

/* Numbers in rows and columns; NAN where there is none. */
typedef struct
{
  gchar *title, *subtitle;
  gchar *x_label, *y_label;
  GPtrArray *rows;              /* names */
  GPtrArray *columns;           /* names */
  GArray *values;               /* of gdouble, row by row */
  const gchar *format;          /* of a value */
} BenchChart;

/* Takes the strings. */
BenchChart *bench_chart_new (gchar * title, gchar * subtitle, gchar * x_label,
    gchar * y_label, const gchar * format);
void bench_chart_free (BenchChart * chart);
void bench_chart_add_column (BenchChart * chart, gchar * name);

/* A row with as many values as there are columns. Without any it is left
 * out. */
void bench_chart_add_row (BenchChart * chart, const gchar * name,
    const gdouble * values);

/* What a line is: how much it stands out. */
typedef const gchar *(*BenchHighlight) (const gchar * row);

/* A line of marks for each row along a logarithmic axis, one for each column;
 * the best rows are at the top. */
BenchSvg *bench_chart_draw_dots (const BenchChart * chart,
    gboolean more_is_better);

/* A line for each row through the columns, with a logarithmic axis unless
 * @linear. @highlight gives the colour of a row that stands out, or NULL. */
BenchSvg *bench_chart_draw_lines (const BenchChart * chart,
    BenchHighlight highlight, gboolean linear);

/* A bar for each row, of the first column, labelled with what the row's name
 * has after a tab. */
BenchSvg *bench_chart_draw_bars (const BenchChart * chart);

G_END_DECLS
