/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "chart.h"

#include <math.h>
#include <string.h>

#define INK "#222222"
#define FAINT "#666666"
#define GRID "#dddddd"
#define GREY "#9a9a9a"

/* Of Okabe and Ito, without the yellow, which is too light for a line. */
static const gchar *const colors[] = {
  "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
};

/* From numbers to pixels. */
typedef struct
{
  gdouble least, most;
  gdouble from, to;             /* pixels */
  gboolean log;
} Scale;

BenchChart *
bench_chart_new (gchar * title, gchar * subtitle, gchar * x_label,
    gchar * y_label, const gchar * format)
{
  BenchChart *self = g_new0 (BenchChart, 1);

  self->title = title;
  self->subtitle = subtitle;
  self->x_label = x_label;
  self->y_label = y_label;
  self->format = format;
  self->rows = g_ptr_array_new_with_free_func (g_free);
  self->columns = g_ptr_array_new_with_free_func (g_free);
  self->values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  return self;
}

void
bench_chart_free (BenchChart * chart)
{
  g_free (chart->title);
  g_free (chart->subtitle);
  g_free (chart->x_label);
  g_free (chart->y_label);
  g_ptr_array_unref (chart->rows);
  g_ptr_array_unref (chart->columns);
  g_array_unref (chart->values);
  g_free (chart);
}

void
bench_chart_add_column (BenchChart * chart, gchar * name)
{
  g_ptr_array_add (chart->columns, name);
}

void
bench_chart_add_row (BenchChart * chart, const gchar * name,
    const gdouble * values)
{
  gboolean any = FALSE;
  guint i;

  for (i = 0; i < chart->columns->len; i++)
    any |= isfinite (values[i]);
  if (!any)
    return;
  g_ptr_array_add (chart->rows, g_strdup (name));
  g_array_append_vals (chart->values, values, chart->columns->len);
}

static gdouble
value_at (const BenchChart * self, guint row, guint column)
{
  return g_array_index (self->values, gdouble, row * self->columns->len +
      column);
}

static const gchar *
row_name (const BenchChart * self, guint row)
{
  return g_ptr_array_index (self->rows, row);
}

/* Digits as @format has them; the formats are of this file's users. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static gchar *
format_value (const BenchChart * self, gdouble value)
{
  return g_strdup_printf (self->format, value);
}
#pragma GCC diagnostic pop

/* All values, with some room. */
static Scale
make_scale (const BenchChart * self, gdouble from, gdouble to, gboolean log)
{
  Scale scale = { INFINITY, -INFINITY, from, to, log };
  guint i;

  for (i = 0; i < self->values->len; i++) {
    const gdouble value = g_array_index (self->values, gdouble, i);

    if (isfinite (value) && (!log || value > 0)) {
      scale.least = MIN (scale.least, value);
      scale.most = MAX (scale.most, value);
    }
  }
  if (!log) {
    scale.least = MIN (scale.least, 0);
    scale.most = MAX (scale.most * 1.05, scale.least + 1);
  } else if (scale.least > scale.most) {
    scale.least = 1;
    scale.most = 10;
  } else {
    scale.least /= 1.3;
    scale.most *= 1.3;
  }
  return scale;
}

static gdouble
scale_at (const Scale * scale, gdouble value)
{
  const gdouble share = scale->log ? log (value / scale->least) /
      log (scale->most / scale->least) :
      (value - scale->least) / (scale->most - scale->least);

  return scale->from + share * (scale->to - scale->from);
}

/* Ticks of 1, 2 and 5 in each decade; of 1 alone where there are many
 * decades. */
static GArray *
make_ticks (const Scale * scale)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gdouble tick;

  if (scale->log) {
    const gboolean few = scale->most / scale->least < 300;
    gdouble decade;

    for (decade = pow (10, floor (log10 (scale->least)));
        decade < scale->most; decade *= 10) {
      const gdouble in_decade[] = { decade, 2 * decade, 5 * decade };
      guint i;

      for (i = 0; i < (few ? 3 : 1); i++) {
        if (in_decade[i] >= scale->least && in_decade[i] <= scale->most)
          g_array_append_val (ticks, in_decade[i]);
      }
    }
  } else {
    const gdouble range = scale->most - scale->least;
    gdouble step = pow (10, floor (log10 (range)));

    step = range / step < 2 ? step / 5 : range / step < 5 ? step / 2 : step;
    for (tick = ceil (scale->least / step) * step; tick <= scale->most;
        tick += step)
      g_array_append_val (ticks, tick);
  }
  return ticks;
}

static void
draw_x_axis (BenchSvg * svg, const BenchChart * self, const Scale * x,
    gdouble top, gdouble bottom)
{
  GArray *ticks = make_ticks (x);
  guint i;

  for (i = 0; i < ticks->len; i++) {
    const gdouble tick = g_array_index (ticks, gdouble, i);
    gchar *text = g_strdup_printf ("%g", tick);

    bench_svg_line (svg, scale_at (x, tick), top, scale_at (x, tick), bottom,
        GRID, 1, NULL);
    bench_svg_text (svg, scale_at (x, tick), bottom + 16, BENCH_MIDDLE, 12,
        FAINT, text);
    g_free (text);
  }
  g_array_unref (ticks);
  bench_svg_text (svg, (x->from + x->to) / 2, bottom + 36, BENCH_MIDDLE, 13,
      INK, self->x_label);
}

static BenchSvg *
begin (const BenchChart * self, gdouble width, gdouble height)
{
  BenchSvg *svg = bench_svg_new (width, height, self->title);

  bench_svg_text (svg, 16, 28, BENCH_START, 18, INK, self->title);
  bench_svg_text (svg, 16, 48, BENCH_START, 12.5, FAINT, self->subtitle);
  return svg;
}

/* The marks of the columns, in one line. */
static void
draw_legend (BenchSvg * svg, const BenchChart * self, gdouble x, gdouble y)
{
  guint i;

  for (i = 0; i < self->columns->len; i++) {
    const gchar *name = g_ptr_array_index (self->columns, i);

    bench_svg_mark (svg, x + 6, y - 4, i, 5,
        colors[i % G_N_ELEMENTS (colors)]);
    bench_svg_text (svg, x + 16, y, BENCH_START, 12.5, INK, name);
    x += 34 + 7.5 * strlen (name);
  }
}

typedef struct
{
  guint row;
  gdouble middle, least, most;
} Rank;

static gint
compare_ranks (gconstpointer a, gconstpointer b)
{
  const gdouble x = ((const Rank *) a)->middle;
  const gdouble y = ((const Rank *) b)->middle;

  return (x > y) - (x < y);
}

/* The rows by the geometric mean of what they have. */
static Rank *
rank_rows (const BenchChart * self, gboolean more_is_better)
{
  Rank *ranks = g_new0 (Rank, self->rows->len + 1);
  guint row, column;

  for (row = 0; row < self->rows->len; row++) {
    Rank *rank = &ranks[row];
    guint n = 0;

    *rank = (Rank) { row, 0, INFINITY, -INFINITY };
    for (column = 0; column < self->columns->len; column++) {
      const gdouble value = value_at (self, row, column);

      if (!isfinite (value) || value <= 0)
        continue;
      rank->middle += log (value);
      rank->least = MIN (rank->least, value);
      rank->most = MAX (rank->most, value);
      n++;
    }
    rank->middle /= MAX (n, 1) * (more_is_better ? -1.0 : 1.0);
  }
  qsort (ranks, self->rows->len, sizeof (Rank), compare_ranks);
  return ranks;
}

static void
draw_dot_row (BenchSvg * svg, const BenchChart * self, const Rank * rank,
    const Scale * x, gdouble y)
{
  /* For equal ones to be seen. */
  const gdouble apart = 12.0 / self->columns->len;
  gchar *least = format_value (self, rank->least);
  gchar *most = format_value (self, rank->most);
  gchar *range = g_str_equal (least, most) ? g_strdup (least) :
      g_strdup_printf ("%s … %s", least, most);
  guint i;

  bench_svg_text (svg, x->from - 10, y + 4, BENCH_END, 12.5, INK,
      row_name (self, rank->row));
  bench_svg_line (svg, scale_at (x, rank->least), y,
      scale_at (x, rank->most), y, GREY, 1.5, NULL);
  for (i = 0; i < self->columns->len; i++) {
    const gdouble value = value_at (self, rank->row, i);

    if (isfinite (value) && value > 0) {
      bench_svg_mark (svg, scale_at (x, value), y + apart * (i -
              (self->columns->len - 1) / 2.0), i, 4.5,
          colors[i % G_N_ELEMENTS (colors)]);
    }
  }
  bench_svg_text (svg, x->to + 12, y + 4, BENCH_START, 12, FAINT, range);
  g_free (range);
  g_free (most);
  g_free (least);
}

BenchSvg *
bench_chart_draw_dots (const BenchChart * chart, gboolean more_is_better)
{
  const gdouble top = 92, step = 25, left = 200, right = 780;
  const gdouble bottom = top + step * chart->rows->len + 6;
  const Scale x = make_scale (chart, left, right, TRUE);
  BenchSvg *svg = begin (chart, 960, bottom + 52);
  Rank *ranks = rank_rows (chart, more_is_better);
  guint i;

  draw_legend (svg, chart, left, 74);
  draw_x_axis (svg, chart, &x, top, bottom);
  for (i = 0; i < chart->rows->len; i++)
    draw_dot_row (svg, chart, &ranks[i], &x, top + step * (i + 0.5));
  g_free (ranks);
  return svg;
}

/* Where a row's label is, and where it ought to be. */
typedef struct
{
  guint row;
  gdouble wanted, y;
} Label;

static gint
compare_labels (gconstpointer a, gconstpointer b)
{
  const gdouble x = ((const Label *) a)->wanted;
  const gdouble y = ((const Label *) b)->wanted;

  return (x > y) - (x < y);
}

/* Labels in a row that have to stand @step from each other. */
typedef struct
{
  guint n;
  gdouble place;                /* of all, less what their numbers add */
} Cluster;

/* Spreads the labels so that they do not meet: those that would stand around
 * the middle of where they ought to be. */
static void
spread_labels (Label * labels, guint n, gdouble step, const Scale * y)
{
  Cluster *clusters = g_new0 (Cluster, n + 1);
  guint last = 0, first = 0, i, k;

  for (i = 0; i < n; i++) {
    clusters[last++] = (Cluster) { 1, labels[i].wanted - i * step };
    while (last > 1 && clusters[last - 2].place > clusters[last - 1].place) {
      Cluster *a = &clusters[last - 2], *b = &clusters[--last];

      a->place = (a->place * a->n + b->place * b->n) / (a->n + b->n);
      a->n += b->n;
    }
  }
  for (i = 0; i < last; i++) {
    const gdouble place = MAX (y->to, MIN (clusters[i].place, y->from - n *
            step));

    for (k = 0; k < clusters[i].n; k++, first++)
      labels[first].y = place + first * step;
  }
  g_free (clusters);
}

static Label *
place_labels (const BenchChart * self, const Scale * y, gdouble step)
{
  const guint n = self->rows->len;
  Label *labels = g_new0 (Label, n + 1);
  guint i, column;

  for (i = 0; i < n; i++) {
    labels[i].row = i;
    for (column = self->columns->len; column-- > 0;) {
      if (isfinite (value_at (self, i, column)))
        break;
    }
    labels[i].wanted = scale_at (y, value_at (self, i, column));
  }
  qsort (labels, n, sizeof (Label), compare_labels);
  spread_labels (labels, n, step, y);
  return labels;
}

static gdouble
column_x (const BenchChart * self, guint column, gdouble left, gdouble right)
{
  return left + (right - left) * (self->columns->len > 1 ?
      column / (self->columns->len - 1.0) : 0.5);
}

static void
draw_line_axes (BenchSvg * svg, const BenchChart * self, const Scale * y,
    gdouble left, gdouble right)
{
  const guint every = (self->columns->len + 15) / 16;
  GArray *ticks = make_ticks (y);
  guint i;

  for (i = 0; i < ticks->len; i++) {
    const gdouble tick = g_array_index (ticks, gdouble, i);
    gchar *text = g_strdup_printf ("%g", tick);

    bench_svg_line (svg, left, scale_at (y, tick), right, scale_at (y, tick),
        GRID, 1, NULL);
    bench_svg_text (svg, left - 8, scale_at (y, tick) + 4, BENCH_END, 12,
        FAINT, text);
    g_free (text);
  }
  g_array_unref (ticks);
  for (i = 0; i < self->columns->len; i += every) {
    bench_svg_text (svg, column_x (self, i, left, right), y->from + 18,
        BENCH_MIDDLE, 12, FAINT, g_ptr_array_index (self->columns, i));
  }
  bench_svg_text (svg, (left + right) / 2, y->from + 40, BENCH_MIDDLE, 13, INK,
      self->x_label);
  bench_svg_text_up (svg, 20, (y->from + y->to) / 2, 13, INK, self->y_label);
}

static void
draw_line (BenchSvg * svg, const BenchChart * self, const Label * label,
    const Scale * y, gdouble left, gdouble right, const gchar * color)
{
  const gboolean marks = self->columns->len <= 32;
  gdouble *points = g_new (gdouble, 2 * self->columns->len);
  guint n = 0, i;

  for (i = 0; i < self->columns->len; i++) {
    const gdouble value = value_at (self, label->row, i);

    if (!isfinite (value) || (y->log && value <= 0))
      continue;
    points[2 * n] = column_x (self, i, left, right);
    points[2 * n++ + 1] = scale_at (y, value);
  }
  bench_svg_path (svg, points, n, color ? color : GREY, color ? 2.4 : 1.1,
      NULL);
  for (i = 0; i < n && color && marks; i++)
    bench_svg_mark (svg, points[2 * i], points[2 * i + 1], label->row, 4,
        color);
  bench_svg_line (svg, points[2 * n - 2] + 4, points[2 * n - 1], right + 14,
      label->y, color ? color : GREY, 0.7, "2 2");
  bench_svg_text (svg, right + 18, label->y + 4, BENCH_START, 12,
      color ? color : FAINT, row_name (self, label->row));
  g_free (points);
}

BenchSvg *
bench_chart_draw_lines (const BenchChart * chart, BenchHighlight highlight,
    gboolean linear)
{
  const gdouble left = 84, right = 700, top = 72, bottom = 520;
  const Scale y = make_scale (chart, bottom, top, !linear);
  BenchSvg *svg = begin (chart, 920, bottom + 56);
  Label *labels = place_labels (chart, &y, 14);
  guint i, pass;

  draw_line_axes (svg, chart, &y, left, right);
  /* What stands out is drawn last, on top. */
  for (pass = 0; pass < 2; pass++) {
    for (i = 0; i < chart->rows->len; i++) {
      const gchar *color = highlight (row_name (chart, labels[i].row));

      if (pass == (color != NULL))
        draw_line (svg, chart, &labels[i], &y, left, right, color);
    }
  }
  g_free (labels);
  return svg;
}

BenchSvg *
bench_chart_draw_bars (const BenchChart * chart)
{
  const gdouble top = 66, step = 20, left = 380, right = 700;
  const gdouble bottom = top + step * chart->rows->len + 6;
  const Scale x = make_scale (chart, left, right, FALSE);
  BenchSvg *svg = begin (chart, 1000, bottom + 52);
  guint i;

  draw_x_axis (svg, chart, &x, top, bottom);
  for (i = 0; i < chart->rows->len; i++) {
    gchar **name = g_strsplit (row_name (chart, i), "\t", 2);
    const gdouble value = value_at (chart, i, 0), y = top + step * (i + 0.5);
    const gdouble from = scale_at (&x, MIN (value, 0));
    const gdouble to = scale_at (&x, MAX (value, 0));
    gchar *text = format_value (chart, value);
    gchar *label = g_strdup_printf ("%s  %s", text, name[1] ? name[1] : "");

    bench_svg_text (svg, left - 8, y + 4, BENCH_END, 11.5, INK, name[0]);
    bench_svg_box (svg, from, y - 6, MAX (to - from, 1), 12, colors[0]);
    bench_svg_text (svg, to + 6, y + 4, BENCH_START, 11.5, FAINT, label);
    g_free (label);
    g_free (text);
    g_strfreev (name);
  }
  return svg;
}
