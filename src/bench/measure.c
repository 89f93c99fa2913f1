/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "measure.h"

#include <math.h>

#define MIN_REPEATS 3

/* How long to keep the GPU busy at the start and before each case, because it
 * is idle while data is made. */
#define WARM_UP_TIME (300 * G_TIME_SPAN_MILLISECOND)
#define BUSY_TIME (50 * G_TIME_SPAN_MILLISECOND)

/* A repeat has enough runs to take this long, but no more than are needed to
 * read COLD_BYTES, which no GPU cache holds. */
#define REPEAT_US 2000
#define MIN_RUNS 64
#define MAX_RUNS 256
#define COLD_BYTES ((guint64) 128 << 20)

/* Repeats shorter than this are run twice, and only the second one is timed. */
#define WARM_UP_US 3000

/* If the first run takes this long, it predicts the time of the next ones well
 * enough. */
#define SLOW_US 50000

typedef struct
{
  BenchContest contest;
  guint i;                      /* index in the results */
  gboolean ready, captured, one_by_one;
  BenchReplay replay;
  GArray *values;
  gdouble expected;             /* microseconds of a repeat */
  gdouble spent;
} Run;

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

void
bench_sort (GArray * values)
{
  g_array_sort (values, compare);
}

void
bench_time_set (BenchTime * time, GArray * values, guint runs)
{
  const guint n = values->len;

  time->repeats = n;
  time->runs = runs;
  if (n == 0)
    return;
  bench_sort (values);
  time->least = g_array_index (values, gdouble, 0);
  time->most = g_array_index (values, gdouble, n - 1);
  time->median = (g_array_index (values, gdouble, (n - 1) / 2) +
      g_array_index (values, gdouble, n / 2)) / 2;
}

static BenchTime *
time_of (BenchResult * result, const Run * run)
{
  return &g_array_index (result->times, BenchTime, run->i);
}

static void
set_wrong (BenchTime * time, gchar * difference)
{
  time->counts = BENCH_COUNTS_WRONG;
  g_free (time->problem);
  time->problem = difference;
}

static gboolean
is_on_gpu (const Run * run)
{
  return run->ready && run->contest.entrant->kind != BENCH_CPU;
}

/* Gives each entrant its own part of the scratch memory, because methods expect
 * it to be as they left it. Returns the total size. */
static gsize
place_scratch (const BenchArena * arena, Run * runs, guint n)
{
  gsize size = 0;
  guint i;

  for (i = 0; i < n; i++) {
    if (is_on_gpu (&runs[i])) {
      runs[i].contest.scratch = arena->scratch + size;
      size += GST_ROUND_UP_N (runs[i].contest.scratch_size, 256);
    }
  }
  return size;
}

/* Allocates scratch memory. While there is not enough, excludes the entrant
 * that needs most. */
static void
reserve_scratch (BenchArena * arena, BenchResult * result, Run * runs, guint n)
{
  guint i;

  while (!bench_arena_reserve (arena, place_scratch (arena, runs, n))
      && !arena->gpu->failure) {
    Run *most = NULL;

    for (i = 0; i < n; i++) {
      if (is_on_gpu (&runs[i]) && (!most || runs[i].contest.scratch_size >
              most->contest.scratch_size))
        most = &runs[i];
    }
    if (!most)
      return;
    time_of (result, most)->problem = g_strdup_printf ("not enough memory for "
        "%" G_GSIZE_FORMAT " MiB of scratch",
        most->contest.scratch_size >> 20);
    most->ready = FALSE;
  }
  place_scratch (arena, runs, n);
}

/* Returns the microseconds of one run, after checking its counts. Returns a
 * negative number and excludes the entrant if the run fails or counts are
 * wrong. */
static gdouble
run_and_check (Run * run, BenchReplay * replay, BenchArena * arena,
    BenchTime * time)
{
  BenchGpu *gpu = arena->gpu;
  gchar *difference = NULL;
  gdouble us;

  if (!bench_contest_poison (&run->contest))
    return -1;
  us = bench_replay_time (replay, gpu);
  if (us >= 0
      && bench_contest_check (&run->contest, replay->n, &difference))
    return us;

  run->ready = FALSE;
  if (gpu->failure) {
    g_free (difference);
    return -1;
  }
  if (us < 0)
    time->problem = g_strdup_printf ("fails: %s", run->contest.why);
  else
    set_wrong (time, difference);
  bench_arena_wipe (arena);
  return -1;
}

/* Starts an entrant. The first run finds wrong counts early, before more time
 * is spent. */
static void
begin (Run * run, BenchArena * arena, BenchResult * result)
{
  const guint64 enough = CLAMP (COLD_BYTES / result->bytes, MIN_RUNS, MAX_RUNS);
  BenchTime *time = time_of (result, run);
  BenchReplay once;
  gdouble us;

  bench_replay_init (&once, arena->gpu, bench_contest_enqueue, &run->contest,
      1);
  us = run_and_check (run, &once, arena, time);
  if (us >= 0 && us < SLOW_US)
    us = run_and_check (run, &once, arena, time);
  if (us < 0)
    return;
  run->values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  bench_replay_init (&run->replay, arena->gpu, bench_contest_enqueue,
      &run->contest, result->c.size.bytes > 0 && us > REPEAT_US / MIN_RUNS ?
      1 : CLAMP (REPEAT_US / MAX (us, 0.01), 1, enough));
  run->expected = us * run->replay.n;
  run->one_by_one = run->replay.n > 1 && !run->replay.exec;
  run->captured = TRUE;
}

static void
repeat (Run * run, BenchArena * arena, BenchResult * result)
{
  gdouble us;

  if (run->expected < WARM_UP_US)
    bench_replay_enqueue (&run->replay, arena->gpu);
  us = run_and_check (run, &run->replay, arena, time_of (result, run));
  if (us >= 0) {
    run->spent += us * run->replay.n;
    g_array_append_val (run->values, us);
  }
}

static gboolean
wants_more (const Run * run, const BenchEffort * effort)
{
  return is_on_gpu (run) && run->values->len < effort->max_repeats
      && (run->values->len < MIN_REPEATS || run->spent < effort->budget);
}

/* Reads frames on the GPU for @time. */
static void
keep_busy (BenchArena * arena, gint64 time)
{
  const BenchEntrant read = {.kind = BENCH_READ };
  const gint64 begin = g_get_monotonic_time ();
  BenchContest contest = {.arena = arena,.entrant = &read };

  while (g_get_monotonic_time () - begin < time
      && bench_contest_enqueue (&contest, 0) && bench_gpu_wait (arena->gpu));
}

static void
measure_on_gpu (BenchArena * arena, BenchResult * result, Run * runs, guint n,
    const BenchEffort * effort)
{
  gboolean more = TRUE;
  guint i;

  reserve_scratch (arena, result, runs, n);
  for (i = 0; i < n; i++) {
    if (is_on_gpu (&runs[i]) && !arena->gpu->failure)
      begin (&runs[i], arena, result);
  }
  keep_busy (arena, BUSY_TIME);
  while (more && !arena->gpu->failure) {
    more = FALSE;
    for (i = 0; i < n && !arena->gpu->failure; i++) {
      if (wants_more (&runs[i], effort)) {
        repeat (&runs[i], arena, result);
        more = TRUE;
      }
    }
  }
  for (i = 0; i < n; i++) {
    if (runs[i].captured)
      bench_replay_free (&runs[i].replay, arena->gpu);
  }
}

/* Times frames one by one with the clock. Uses only frames whose counts are
 * known. */
static void
measure_on_cpu (Run * run, BenchResult * result, const BenchEffort * effort)
{
  BenchTime *time = time_of (result, run);
  const guint n = run->contest.arena->frames->n_checked;
  gchar *difference = NULL;
  guint k = 0;

  run->values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  while (run->values->len <= effort->max_repeats
      && (run->values->len <= MIN_REPEATS || run->spent < effort->budget)) {
    const GstClockTime before = gst_util_get_timestamp ();
    GstVideoHistogram *histogram = bench_contest_count (&run->contest, k,
        &time->problem);
    const gdouble us = (gst_util_get_timestamp () - before) / 1e3;
    gboolean right;

    if (!histogram)
      return;
    right = bench_contest_check_histogram (&run->contest, k, histogram,
        &difference);
    gst_video_histogram_unref (histogram);
    if (!right) {
      set_wrong (time, difference);
      return;
    }
    run->spent += us;
    g_array_append_val (run->values, us);
    k = (k + 1) % n;
  }
  /* The first frame was only a warm-up. */
  g_array_remove_index (run->values, 0);
}

static void
enter (BenchArena * arena, BenchResult * result, const GPtrArray * entrants,
    Run * runs)
{
  const gboolean bulk = result->c.size.bytes > 0;
  guint i;

  for (i = 0; i < entrants->len; i++) {
    const BenchEntrant *entrant = g_ptr_array_index (entrants, i);
    BenchTime time = {.entrant = entrant };

    runs[i].i = i;
    if (bulk && (entrant->to_host || entrant->kind == BENCH_EMPTY)) {
      time.problem = g_strdup ("counts only single frames");
    } else {
      runs[i].ready = bench_contest_init (&runs[i].contest, arena, entrant,
          &time.problem);
    }
    time.kernel = runs[i].contest.kernel;
    g_array_append_val (result->times, time);
  }
}

/* Stores the times of an entrant, and frees it. */
static void
leave (BenchResult * result, Run * run)
{
  BenchTime *time = time_of (result, run);

  if (run->values && !time->problem) {
    bench_time_set (time, run->values, run->captured ? run->replay.n : 1);
    time->one_by_one = run->one_by_one;
    if (time->repeats > 0 && time->entrant->kind != BENCH_EMPTY
        && time->entrant->kind != BENCH_READ)
      time->counts = BENCH_COUNTS_EXACT;
  }
  if (run->values)
    g_array_unref (run->values);
  bench_contest_clear (&run->contest);
}

void
bench_warm_up (BenchArena * arena, const BenchCase * c)
{
  if (bench_frames_make (arena->frames, c, NULL)
      && bench_arena_set_case (arena, c))
    keep_busy (arena, WARM_UP_TIME);
}

BenchResult *
bench_measure (BenchArena * arena, const GPtrArray * entrants,
    const BenchCase * c, const BenchEffort * effort)
{
  BenchResult *result = g_new0 (BenchResult, 1);
  Run *runs = g_new0 (Run, entrants->len);
  GError *error = NULL;
  guint i;

  result->c = *c;
  result->text = bench_case_describe (c);
  result->times = g_array_new (FALSE, TRUE, sizeof (BenchTime));
  bench_case_dimensions (c, &result->width, &result->height);
  result->pixels = (guint64) result->width * result->height;
  if (!bench_frames_make (arena->frames, c, &error)
      || !bench_arena_set_case (arena, c)) {
    result->failure = g_strdup (error ? error->message : arena->gpu->failure);
    g_clear_error (&error);
    g_free (runs);
    return result;
  }
  result->bytes = bench_frames_bytes (arena->frames);

  enter (arena, result, entrants, runs);
  if (arena->gpu)
    measure_on_gpu (arena, result, runs, entrants->len, effort);
  for (i = 0; i < entrants->len; i++) {
    if (runs[i].ready && !is_on_gpu (&runs[i]))
      measure_on_cpu (&runs[i], result, effort);
    leave (result, &runs[i]);
  }
  if (arena->gpu && arena->gpu->failure)
    result->failure = g_strdup (arena->gpu->failure);
  g_free (runs);
  return result;
}

void
bench_result_free (BenchResult * result)
{
  guint i;

  for (i = 0; i < result->times->len; i++)
    g_free (g_array_index (result->times, BenchTime, i).problem);
  g_array_unref (result->times);
  g_free (result->failure);
  g_free (result->text);
  g_free (result);
}

const BenchTime *
bench_result_find (const BenchResult * result, const gchar * name)
{
  guint i;

  for (i = 0; i < result->times->len; i++) {
    const BenchTime *time = &g_array_index (result->times, BenchTime, i);

    if (time->repeats > 0 && g_str_equal (time->entrant->name, name))
      return time;
  }
  return NULL;
}

const BenchTime *
bench_result_best (const BenchResult * result)
{
  const BenchTime *best = NULL;
  guint i;

  for (i = 0; i < result->times->len; i++) {
    const BenchTime *time = &g_array_index (result->times, BenchTime, i);

    if (bench_entrant_is_method (time->entrant)
        && time->counts == BENCH_COUNTS_EXACT
        && (!best || time->median < best->median))
      best = time;
  }
  return best;
}

const BenchTime *
bench_result_chosen (const BenchResult * result)
{
  const BenchTime *choice = bench_result_find (result, "auto");
  guint i;

  for (i = 0; choice && i < result->times->len; i++) {
    const BenchTime *time = &g_array_index (result->times, BenchTime, i);

    if (bench_entrant_is_method (time->entrant) && time->repeats > 0
        && time->kernel == choice->kernel)
      return time;
  }
  return NULL;
}

gdouble
bench_result_behind (const BenchResult * result)
{
  const BenchTime *best = bench_result_best (result);
  const BenchTime *choice = bench_result_find (result, "auto");

  return best && choice ? choice->median / best->median - 1 : NAN;
}

gdouble
bench_result_gbs (const BenchResult * result, const BenchTime * time)
{
  return result->bytes / time->median / 1e3;
}

gdouble
bench_result_share (const BenchResult * result, const BenchTime * time)
{
  const BenchTime *read = bench_result_find (result, "read");

  return read ? read->median / time->median : NAN;
}
