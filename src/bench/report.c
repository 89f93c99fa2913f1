/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.h"

#include <math.h>

#define NAME_WIDTH 24
#define COLUMN_WIDTH 12

static const BenchTime *
time_at (const BenchResult * result, guint i)
{
  return i < result->times->len ?
      &g_array_index (result->times, BenchTime, i) : NULL;
}

void
bench_print_number (gdouble value)
{
  if (!isfinite (value))
    g_print (" %*s", COLUMN_WIDTH - 1, "-");
  else
    g_print (" %*.*f", COLUMN_WIDTH - 1,
        value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 4, value);
}

static void
print_text (const gchar * text)
{
  g_print (" %*s", COLUMN_WIDTH - 1, text);
}

/* Prints microseconds for frames, GB/s for data in one piece. */
static void
print_cell (const BenchResult * result, const BenchTime * time)
{
  if (!time || time->repeats == 0)
    print_text (time && time->counts == BENCH_COUNTS_WRONG ? "WRONG" : "-");
  else
    bench_print_number (result->c.size.bytes > 0 ?
        bench_result_gbs (result, time) : time->median);
}

/* Whether the entrant has a row in the table. Peers always have one. */
static gboolean
has_row (BenchResult * const *results, guint n, guint entrant)
{
  guint i;

  for (i = 0; i < n; i++) {
    const BenchTime *time = time_at (results[i], entrant);

    if (time && (time->repeats > 0 || time->counts == BENCH_COUNTS_WRONG
            || time->entrant->kind == BENCH_PEER))
      return TRUE;
  }
  return FALSE;
}

static void
print_behind (BenchResult * const *results, guint n)
{
  GString *line = g_string_new (NULL);
  gboolean any = FALSE;
  guint i;

  for (i = 0; i < n; i++) {
    const gdouble behind = bench_result_behind (results[i]);

    any |= !isnan (behind);
    if (isnan (behind))
      g_string_append_printf (line, " %*s", COLUMN_WIDTH - 1, "-");
    else
      g_string_append_printf (line, " %+*.1f", COLUMN_WIDTH - 1, behind * 100);
  }
  if (any)
    g_print ("%-*s%s\n", NAME_WIDTH, "auto behind the best, %", line->str);
  g_string_free (line, TRUE);
}

/* Prints "WHAT: NAME (column, column), NAME (column)" for the entrants that
 * @find returns. */
static void
print_winners (const gchar * what, const BenchGroup * group,
    BenchResult * const *results, guint n,
    const BenchTime * (*find) (const BenchResult * result))
{
  GString *line = g_string_new (NULL);
  guint i, k;

  for (i = 0; i < n; i++) {
    const BenchTime *winner = find (results[i]);
    gboolean known = !winner;

    for (k = 0; k < i && !known; k++) {
      const BenchTime *other = find (results[k]);

      known = other && other->entrant == winner->entrant;
    }
    if (known)
      continue;
    g_string_append_printf (line, "%s%s (", line->len > 0 ? ", " : "",
        winner->entrant->name);
    for (k = i; k < n; k++) {
      const BenchTime *other = find (results[k]);
      gchar *column = bench_group_column (group, &results[k]->c);

      if (other && other->entrant == winner->entrant)
        g_string_append_printf (line, "%s%s", k > i ? ", " : "", column);
      g_free (column);
    }
    g_string_append_c (line, ')');
  }
  if (line->len > 0)
    g_print ("%s: %s\n", what, line->str);
  g_string_free (line, TRUE);
}

/* Prints why numbers are missing, each reason once. */
static void
print_problems (BenchResult * const *results, guint n)
{
  GHashTable *seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  guint i, k;

  for (i = 0; i < n; i++) {
    for (k = 0; k < results[i]->times->len; k++) {
      const BenchTime *time = time_at (results[i], k);
      const gchar *problem = time->problem;
      gchar *line;

      if (time->one_by_one && time->entrant->kind != BENCH_CPU)
        problem = "not captured in a graph, so its time includes launching";
      /* The header lists entrants that are not available at all. */
      if (!problem || time->entrant->problem)
        continue;
      line = g_strdup_printf ("%s: %s", time->entrant->name, problem);
      if (!g_hash_table_contains (seen, line)) {
        g_print ("  %s%s\n", time->counts == BENCH_COUNTS_WRONG ?
            "WRONG COUNTS: " : "", line);
      }
      g_hash_table_add (seen, line);
    }
    if (results[i]->failure)
      g_print ("  %s: %s\n", results[i]->text, results[i]->failure);
  }
  g_hash_table_unref (seen);
}

static void
print_details (const BenchResult * result)
{
  guint i;

  g_print ("\n%s\n%-*s %11s %11s %11s %11s %11s %7s %5s\n", result->text,
      NAME_WIDTH, "", "median us", "min us", "max us", "GB/s",
      "of reading", "repeats", "runs");
  for (i = 0; i < result->times->len; i++) {
    const BenchTime *time = time_at (result, i);

    if (time->repeats == 0)
      continue;
    g_print ("%-*s", NAME_WIDTH, time->entrant->name);
    bench_print_number (time->median);
    bench_print_number (time->least);
    bench_print_number (time->most);
    bench_print_number (time->entrant->kind == BENCH_EMPTY ? NAN :
        bench_result_gbs (result, time));
    bench_print_number (time->entrant->kind == BENCH_EMPTY ? NAN :
        bench_result_share (result, time));
    g_print (" %7u %5u\n", time->repeats, time->runs);
  }
}

void
bench_report_group (const BenchGroup * group, BenchResult * const *results,
    guint n, gboolean details)
{
  guint i, k;

  if (n == 0)
    return;
  g_print ("\n%s: %s\n%-*s", group->title,
      results[0]->c.size.bytes > 0 ? "GB/s" : "us for a frame", NAME_WIDTH, "");
  for (i = 0; i < n; i++) {
    gchar *column = bench_group_column (group, &results[i]->c);

    print_text (column);
    g_free (column);
  }
  g_print ("\n");
  for (k = 0; k < results[0]->times->len; k++) {
    if (!has_row (results, n, k))
      continue;
    g_print ("%-*s", NAME_WIDTH, time_at (results[0], k)->entrant->name);
    for (i = 0; i < n; i++)
      print_cell (results[i], time_at (results[i], k));
    g_print ("\n");
  }
  print_behind (results, n);
  print_winners ("best method", group, results, n, bench_result_best);
  print_winners ("auto uses", group, results, n, bench_result_chosen);
  print_problems (results, n);
  for (i = 0; i < n && details; i++)
    print_details (results[i]);
}

void
bench_report_latencies (const GPtrArray * latencies)
{
  guint i;

  if (latencies->len == 0)
    return;
  g_print ("\nhost, 8-bit luma, one frame at a time, us\n"
      "%-*s %11s %11s %11s %11s %9s\n", NAME_WIDTH, "", "launch p50",
      "launch p99", "counts p50", "counts p99", "launches");
  for (i = 0; i < latencies->len; i++) {
    const BenchLatency *latency = g_ptr_array_index (latencies, i);

    g_print ("%-*s", NAME_WIDTH, latency->size.name);
    if (latency->problem) {
      g_print (" %s\n", latency->problem);
      continue;
    }
    bench_print_number (latency->submit_p50);
    bench_print_number (latency->submit_p99);
    bench_print_number (latency->seen_p50);
    bench_print_number (latency->seen_p99);
    g_print (" %9u\n", latency->launches);
  }
}

const BenchResult *
bench_find_worst (const GPtrArray * results)
{
  const BenchResult *worst = NULL;
  guint i;

  for (i = 0; i < results->len; i++) {
    const BenchResult *result = g_ptr_array_index (results, i);
    const gdouble behind = bench_result_behind (result);

    if (!isnan (behind) && (!worst || behind > bench_result_behind (worst)))
      worst = result;
  }
  return worst;
}

/* How many measurements have counts in this state. */
static guint
count_counts (const GPtrArray * results, BenchCounts counts)
{
  guint n = 0, i, k;

  for (i = 0; i < results->len; i++) {
    const BenchResult *result = g_ptr_array_index (results, i);

    for (k = 0; k < result->times->len; k++)
      n += time_at (result, k)->counts == counts;
  }
  return n;
}

guint
bench_count_wrong (const GPtrArray * results, const GPtrArray * latencies)
{
  guint n = count_counts (results, BENCH_COUNTS_WRONG), i;

  for (i = 0; i < latencies->len; i++) {
    const BenchLatency *latency = g_ptr_array_index (latencies, i);

    n += latency->counts == BENCH_COUNTS_WRONG;
  }
  return n;
}

guint
bench_count_failures (const GPtrArray * results, const GPtrArray * latencies)
{
  guint n = 0, i;

  for (i = 0; i < results->len; i++)
    n += ((const BenchResult *) g_ptr_array_index (results, i))->failure
        != NULL;
  for (i = 0; i < latencies->len; i++) {
    const BenchLatency *latency = g_ptr_array_index (latencies, i);

    n += latency->problem && latency->counts == BENCH_COUNTS_NONE;
  }
  return n;
}

static void
print_wrong (const GPtrArray * results)
{
  guint i, k;

  for (i = 0; i < results->len; i++) {
    const BenchResult *result = g_ptr_array_index (results, i);

    for (k = 0; k < result->times->len; k++) {
      const BenchTime *time = time_at (result, k);

      if (time->counts == BENCH_COUNTS_WRONG)
        g_print ("WRONG COUNTS: %s, %s: %s\n", result->text,
            time->entrant->name, time->problem);
    }
  }
}

void
bench_report_summary (const GPtrArray * results, const GPtrArray * latencies)
{
  const BenchResult *worst = bench_find_worst (results);
  const guint wrong = bench_count_wrong (results, latencies);
  const guint exact = count_counts (results, BENCH_COUNTS_EXACT);
  const guint failures = bench_count_failures (results, latencies);

  g_print ("\n%u case%s\n", results->len, results->len == 1 ? "" : "s");
  if (worst) {
    const BenchTime *best = bench_result_best (worst);

    g_print ("auto is furthest behind in: %s: %.2f us, %+.1f %% of the %.2f us "
        "of %s\n", worst->text, bench_result_find (worst, "auto")->median,
        bench_result_behind (worst) * 100, best->median, best->entrant->name);
  }
  if (failures > 0)
    g_print ("%u case%s failed\n", failures, failures == 1 ? "" : "s");
  if (wrong > 0) {
    print_wrong (results);
    g_print ("counts: WRONG in %u, exact in %u\n", wrong, exact);
  } else {
    g_print ("counts: exact in all %u\n", exact);
  }
}
