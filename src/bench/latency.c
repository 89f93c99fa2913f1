/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "latency.h"

#define LAUNCHES 4000
#define WARM_UP 500             /* launches that are not timed: they jitter */
#define BINS 256

/* No launch starts after this time. */
#define TIME_LIMIT (500 * G_TIME_SPAN_MILLISECOND)

/* Percentile @p by nearest rank. */
static gdouble
percentile (GArray * values, guint p)
{
  if (values->len == 0)
    return 0;
  bench_sort (values);
  return g_array_index (values, gdouble, (values->len * p + 99) / 100 - 1);
}

/* Times one launch, from the call to the counts. */
static gboolean
launch (BenchContest * contest, guint k, gdouble * submit, gdouble * seen,
    gchar ** problem)
{
  const GstClockTime before = gst_util_get_timestamp ();
  GstClockTime called;

  if (!bench_contest_enqueue (contest, k))
    return FALSE;
  called = gst_util_get_timestamp ();
  if (!bench_contest_see (contest, k)) {
    *problem = g_strdup ("counts did not arrive in the host's memory");
    return FALSE;
  }
  *seen = (gst_util_get_timestamp () - before) / 1e3;
  *submit = (called - before) / 1e3;
  return bench_contest_check_seen (contest, k, problem);
}

static void
measure (BenchContest * contest, BenchLatency * latency)
{
  GArray *submits = g_array_new (FALSE, FALSE, sizeof (gdouble));
  GArray *seens = g_array_new (FALSE, FALSE, sizeof (gdouble));
  const gint64 begin = g_get_monotonic_time ();
  gdouble submit, seen;
  guint k;

  for (k = 0; k < WARM_UP + LAUNCHES && !latency->problem; k++) {
    const gint64 age = g_get_monotonic_time () - begin;

    if (!launch (contest, k, &submit, &seen, &latency->problem)
        || (age > TIME_LIMIT && submits->len > 0))
      break;
    if (k >= WARM_UP || age > TIME_LIMIT / 2) {
      g_array_append_val (submits, submit);
      g_array_append_val (seens, seen);
    }
  }
  latency->counts = latency->problem ? BENCH_COUNTS_WRONG :
      BENCH_COUNTS_EXACT;
  latency->launches = submits->len;
  latency->submit_p50 = percentile (submits, 50);
  latency->submit_p99 = percentile (submits, 99);
  latency->seen_p50 = percentile (seens, 50);
  latency->seen_p99 = percentile (seens, 99);
  g_array_unref (submits);
  g_array_unref (seens);
}

BenchLatency *
bench_latency_measure (BenchArena * arena, const BenchSize * size)
{
  const BenchCase c = {.size = *size,.bins = BINS,.depth = 8 };
  const BenchEntrant entrant = {
    .kind = BENCH_METHOD,
    .method = GST_VIDEO_HISTOGRAM_METHOD_AUTO,
    .to_host = TRUE,
  };
  BenchLatency *latency = g_new0 (BenchLatency, 1);
  BenchContest contest;
  GError *error = NULL;

  latency->size = *size;
  if (!bench_frames_make (arena->frames, &c, &error)) {
    latency->problem = g_strdup (error->message);
    g_clear_error (&error);
    return latency;
  }
  if (!bench_arena_set_case (arena, &c)
      || !bench_contest_init (&contest, arena, &entrant, &latency->problem)
      || !bench_contest_poison (&contest) || !bench_gpu_wait (arena->gpu))
    goto done;
  measure (&contest, latency);
  bench_gpu_wait (arena->gpu);

done:
  if (arena->gpu->failure && !latency->problem)
    latency->problem = g_strdup (arena->gpu->failure);
  return latency;
}

void
bench_latency_free (BenchLatency * latency)
{
  g_free (latency->problem);
  g_free (latency);
}
