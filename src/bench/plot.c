/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "plot.h"
#include "chart.h"

#include <math.h>
#include <stdlib.h>

#define MAX_BARS 30

static const BenchResult *
result_at (const GPtrArray * results, guint i)
{
  return g_ptr_array_index (results, i);
}

/* Lines that stand out from those of the other methods. */
static const gchar *
highlight (const gchar * row)
{
  static const struct
  {
    const gchar *row, *color;
  } highlights[] = {
    {"auto", "#0072B2"},
    {"read", "#000000"},
    {"cub", "#D55E00"},
    {"npp", "#E69F00"},
    {"cpu", "#CC79A7"},
    {"global-atomics", "#009E73"},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (highlights); i++) {
    if (g_str_equal (row, highlights[i].row))
      return highlights[i].color;
  }
  return NULL;
}

static const gchar *
highlight_colors (const gchar * row)
{
  return g_str_equal (row, "red") ? "#D55E00" :
      g_str_equal (row, "green") ? "#009E73" : "#0072B2";
}

static gboolean
save (BenchSvg * svg, const gchar * folder, const gchar * name, GError ** error)
{
  gchar *path = g_build_filename (folder, name, NULL);
  gboolean saved = bench_svg_save (svg, path, error);

  bench_svg_free (svg);
  g_free (path);
  return saved;
}

/* What is drawn of a time. */
typedef gdouble (*Measure) (const BenchResult * result, const BenchTime * time);

static gdouble
percent_of_read (const BenchResult * result, const BenchTime * time)
{
  return bench_result_share (result, time) * 100;
}

static gdouble
microseconds (const BenchResult * result, const BenchTime * time)
{
  (void) result;
  return time->median;
}

/* A row for each entrant, of all results that are columns. */
static void
add_rows (BenchChart * chart, const GPtrArray * columns, Measure measure)
{
  const GArray *times = columns->len > 0 ? result_at (columns, 0)->times : NULL;
  gdouble *values = g_new (gdouble, columns->len + 1);
  guint i, k;

  for (i = 0; times && i < times->len; i++) {
    const BenchEntrant *entrant = g_array_index (times, BenchTime, i).entrant;
    const gchar *name = entrant->name;

    if (entrant->kind == BENCH_EMPTY && measure != microseconds)
      continue;
    for (k = 0; k < columns->len; k++) {
      const BenchResult *result = result_at (columns, k);
      const BenchTime *time = bench_result_find (result, name);

      values[k] = time ? measure (result, time) : NAN;
    }
    bench_chart_add_row (chart, name, values);
  }
  g_free (values);
}

/* Results with such luma of 8 bits, in 256 bins, of @like's size and way, but
 * no series of a few values. */
static GPtrArray *
select_kinds (const GPtrArray * results, const BenchResult * like)
{
  GPtrArray *columns = g_ptr_array_new ();
  guint i;

  for (i = 0; i < results->len && like; i++) {
    const BenchResult *result = result_at (results, i);
    const BenchCase *c = &result->c;

    if (c->channels == like->c.channels && c->depth == like->c.depth
        && c->bins == like->c.bins && c->warm == like->c.warm
        && result->bytes == like->bytes && result->width == like->width
        && (c->data.kind != BENCH_DATA_RANDOM || c->data.n < 2))
      g_ptr_array_add (columns, (gpointer) result);
  }
  return columns;
}

/* The largest data in one piece, or the frame that is most like 1080p. */
static const BenchResult *
find_base (const GPtrArray * results, gboolean bulk)
{
  const gdouble frame = 1920 * 1080;
  const BenchResult *best = NULL;
  guint i;

  for (i = 0; i < results->len; i++) {
    const BenchResult *result = result_at (results, i);

    if (result->c.channels != BENCH_LUMA || result->c.depth != 8
        || result->c.bins != 256 || result->c.warm || result->failure
        || (result->c.size.bytes > 0) != bulk)
      continue;
    if (!best || (bulk ? result->bytes > best->bytes :
            fabs (log (result->pixels / frame)) <
            fabs (log (best->pixels / frame))))
      best = result;
  }
  return best;
}

static gboolean
plot_kinds (const gchar * folder, const GPtrArray * results, gboolean bulk,
    GError ** error)
{
  const BenchResult *base = find_base (results, bulk);
  GPtrArray *columns = select_kinds (results, base);
  gboolean written = TRUE;
  BenchChart *chart;
  guint i;

  if (columns->len > 0) {
    chart = bench_chart_new (bulk ?
        g_strdup_printf ("%s of 8-bit samples: how near to the speed of "
            "reading", base->c.size.name) :
        g_strdup_printf ("One frame of %s: how long counting takes",
            base->c.size.name),
        g_strdup_printf ("8-bit luma, 256 bins, one kernel a run, median; %s "
            "is better", bulk ? "more" : "less"),
        g_strdup (bulk ? "throughput, % of a kernel that only reads the same "
            "bytes (logarithmic)" : "microseconds for a frame (logarithmic)"),
        NULL, bulk ? "%.3g %%" : "%.4g us");
    for (i = 0; i < columns->len; i++) {
      bench_chart_add_column (chart,
          bench_data_name (result_at (columns, i)->c.data));
    }
    add_rows (chart, columns, bulk ? percent_of_read : microseconds);
    if (chart->rows->len > 0) {
      written = save (bench_chart_draw_dots (chart, bulk), folder,
          bulk ? "bulk.svg" : "frame.svg", error);
    }
    bench_chart_free (chart);
  }
  g_ptr_array_unref (columns);
  return written;
}

static gint
compare_bins (gconstpointer a, gconstpointer b)
{
  const guint x = (*(const BenchResult * const *) a)->c.bins;
  const guint y = (*(const BenchResult * const *) b)->c.bins;

  return (x > y) - (x < y);
}

static gint
compare_distinct (gconstpointer a, gconstpointer b)
{
  const guint x = (*(const BenchResult * const *) a)->c.data.n;
  const guint y = (*(const BenchResult * const *) b)->c.data.n;

  return (x < y) - (x > y);
}

static gboolean
is_same_but (const BenchResult * a, const BenchResult * b, gboolean bins)
{
  return a->c.channels == b->c.channels && a->c.depth == b->c.depth
      && a->c.warm == b->c.warm && a->bytes == b->bytes
      && a->width == b->width
      && a->c.data.kind == BENCH_DATA_RANDOM
      && b->c.data.kind == BENCH_DATA_RANDOM
      && (bins ? a->c.data.n == b->c.data.n :
      a->c.bins == b->c.bins && a->c.data.n > 0 && b->c.data.n > 0);
}

/* Whether the columns of @series have that of @result already. */
static gboolean
has_column (const GPtrArray * series, const BenchResult * result)
{
  guint i;

  for (i = 0; i < series->len; i++) {
    const BenchCase *c = &result_at (series, i)->c;

    if (c->bins == result->c.bins && c->data.n == result->c.data.n)
      return TRUE;
  }
  return FALSE;
}

/* The longest series in which nothing but the bins, or the number of values,
 * differs; of series as long, that of the most bytes. */
static GPtrArray *
find_series (const GPtrArray * results, gboolean bins, gboolean one_value)
{
  GPtrArray *longest = g_ptr_array_new ();
  guint i, k;

  for (i = 0; i < results->len; i++) {
    const BenchResult *first = result_at (results, i);
    GPtrArray *series = g_ptr_array_new ();

    for (k = 0; k < results->len; k++) {
      if (is_same_but (first, result_at (results, k), bins)
          && (!bins || first->c.data.n == (one_value ? 1 : 0))
          && !has_column (series, result_at (results, k)))
        g_ptr_array_add (series, g_ptr_array_index (results, k));
    }
    if (series->len > longest->len || (series->len == longest->len
            && series->len > 0
            && first->bytes > result_at (longest, 0)->bytes)) {
      g_ptr_array_unref (longest);
      longest = series;
    } else {
      g_ptr_array_unref (series);
    }
  }
  g_ptr_array_sort (longest, bins ? compare_bins : compare_distinct);
  return longest;
}

static gboolean
plot_series (const gchar * folder, const gchar * name,
    const GPtrArray * results, gboolean bins, gboolean one_value,
    GError ** error)
{
  GPtrArray *series = find_series (results, bins, one_value);
  gboolean written = TRUE;
  BenchChart *chart;
  guint i;

  if (series->len > 2) {
    const BenchResult *first = result_at (series, 0);
    gchar *data = bench_data_name (first->c.data);

    chart = bench_chart_new (bins ?
        g_strdup_printf ("Throughput by bins, %s data", data) :
        g_strdup ("Throughput by how many values there are"),
        g_strdup_printf ("%s of %s%s; more is better", first->c.size.name,
            bench_case_format (&first->c), bins ? "" : ", 256 bins"),
        g_strdup (bins ? "bins" : "values that differ"),
        g_strdup ("GB/s (logarithmic)"), "%.0f");
    for (i = 0; i < series->len; i++) {
      const BenchCase *c = &result_at (series, i)->c;

      bench_chart_add_column (chart, g_strdup_printf ("%u",
              bins ? c->bins : c->data.n));
    }
    add_rows (chart, series, bench_result_gbs);
    if (chart->rows->len > 0) {
      written = save (bench_chart_draw_lines (chart, highlight, FALSE), folder,
          name, error);
    }
    bench_chart_free (chart);
    g_free (data);
  }
  g_ptr_array_unref (series);
  return written;
}

static gint
compare_behind (gconstpointer a, gconstpointer b)
{
  const gdouble x = bench_result_behind (*(const BenchResult * const *) a);
  const gdouble y = bench_result_behind (*(const BenchResult * const *) b);

  return (x < y) - (x > y);
}

static void
add_bar (BenchChart * chart, const BenchResult * result)
{
  const BenchTime *best = bench_result_best (result);
  const BenchTime *chosen = bench_result_chosen (result);
  const gdouble behind = bench_result_behind (result) * 100;
  gchar *name = g_strdup_printf ("%s\tbest %s, auto %s", result->text,
      best->entrant->name, !chosen ? "another" :
      chosen->entrant == best->entrant ? "the same" : chosen->entrant->name);

  bench_chart_add_row (chart, name, &behind);
  g_free (name);
}

static gboolean
plot_auto (const gchar * folder, const GPtrArray * results, GError ** error)
{
  GPtrArray *sorted = g_ptr_array_new ();
  gboolean written = TRUE;
  BenchChart *chart;
  guint i;

  for (i = 0; i < results->len; i++) {
    if (!isnan (bench_result_behind (result_at (results, i))))
      g_ptr_array_add (sorted, g_ptr_array_index (results, i));
  }
  g_ptr_array_sort (sorted, compare_behind);
  if (sorted->len > 0) {
    chart = bench_chart_new (g_strdup ("How far auto is behind the best "
            "method"),
        g_strdup_printf ("the worst %u of %u cases; all others are nearer",
            MIN (sorted->len, MAX_BARS), sorted->len),
        g_strdup ("% more time than the best method"), NULL, "%+.1f %%");
    bench_chart_add_column (chart, g_strdup ("behind"));
    for (i = 0; i < MIN (sorted->len, MAX_BARS); i++)
      add_bar (chart, result_at (sorted, i));
    written = save (bench_chart_draw_bars (chart), folder, "auto.svg", error);
    bench_chart_free (chart);
  }
  g_ptr_array_unref (sorted);
  return written;
}

static gboolean
plot_colors (const gchar * folder, const BenchPhoto * photo, GError ** error)
{
  static const gchar *const names[] = { "red", "green", "blue" };
  BenchChart *chart = bench_chart_new (g_strdup ("Colours of the photograph"),
      g_strdup_printf ("%u × %u pixels, 256 bins", photo->width,
          photo->height), g_strdup ("code value"), g_strdup ("pixels"), "%.0f");
  const gsize n = (gsize) photo->width * photo->height;
  gboolean written;
  guint i, c;
  gsize k;

  for (i = 0; i < 256; i++)
    bench_chart_add_column (chart, g_strdup_printf ("%u", i));
  for (c = 0; c < G_N_ELEMENTS (names); c++) {
    gdouble counts[256] = { 0, };

    for (k = 0; k < n; k++)
      counts[photo->pixels[k * 4 + c]]++;
    bench_chart_add_row (chart, names[c], counts);
  }
  written = save (bench_chart_draw_lines (chart, highlight_colors, TRUE),
      folder, "colours.svg", error);
  bench_chart_free (chart);
  return written;
}

gboolean
bench_plots_write (const gchar * folder, const GPtrArray * results,
    const BenchPhoto * photo, GError ** error)
{
  return plot_kinds (folder, results, TRUE, error)
      && plot_kinds (folder, results, FALSE, error)
      && plot_series (folder, "bins-uniform.svg", results, TRUE, FALSE, error)
      && plot_series (folder, "bins-one-value.svg", results, TRUE, TRUE, error)
      && plot_series (folder, "contention.svg", results, FALSE, FALSE, error)
      && plot_auto (folder, results, error)
      && (!photo || plot_colors (folder, photo, error));
}
