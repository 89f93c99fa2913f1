/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "papers.h"
#include "cuda/methods.h"
#include "joint.h"
#include "products.h"
#include "racy.h"
#include "report.h"
#include "sort.h"

#include <math.h>

#define SHAMS_JOINT_REPEATS 9
#define NOTES_ITEMS (1920 * 1080)
#define NOTES_REPEATS 15

#define NAME_WIDTH 34
#define CLAIM_WIDTH 60

/* The methods of the papers, by their names in the element's property `method`.
 * The tables have a dash for a method that the build does not contain. */
#define TAGGED "tagged-warps"
#define THREAD_TABLES "thread-tables"
#define GLOBAL "global-atomics"
#define SHARED "coarsened-interleaved"  /* with the papers' stride loop */
#define VECTOR "block-vector"
#define THREAD_BYTES "thread-bytes-packed"

/* The first result of a case with these properties, or NULL. */
static const BenchResult *
find (const GPtrArray * results, const gchar * size, guint depth, guint bins,
    BenchDataKind kind, guint n)
{
  guint i;

  for (i = 0; i < results->len; i++) {
    const BenchResult *result = g_ptr_array_index (results, i);

    if (g_str_equal (result->c.size.name, size) && result->c.depth == depth
        && result->c.bins == bins && result->c.data.kind == kind
        && result->c.data.n == n)
      return result;
  }
  return NULL;
}

/* GB/s of the entrant @name; NAN if it was not measured. */
static gdouble
gbs (const BenchResult * result, const gchar * name)
{
  const BenchTime *time = result ? bench_result_find (result, name) : NULL;

  return time ? bench_result_gbs (result, time) : NAN;
}

static gdouble
microseconds (const BenchResult * result, const gchar * name)
{
  const BenchTime *time = result ? bench_result_find (result, name) : NULL;

  return time ? time->median : NAN;
}

/* Shams and Kennedy, figures 2 to 4: throughput by bins and distribution. */

static const guint shams_bins[] = {
  16, 64, 256, 1024, 4096, 10000, 16384, 32768, 65536
};

static const struct
{
  const gchar *name;
  BenchDataKind kind;
  guint n;
} shams_data[] = {
  {"uniform", BENCH_DATA_RANDOM, 0},
  {"normal", BENCH_DATA_NORMAL, 0},
  {"one value", BENCH_DATA_RANDOM, 1},
};

static gdouble
shams_gbs (const GPtrArray * results, guint data, guint bins,
    const gchar * name)
{
  return gbs (find (results, "256M", 16, shams_bins[bins],
          shams_data[data].kind, shams_data[data].n), name);
}

/* The lowest and highest GB/s of @name, relative to @other unless that is NULL,
 * for the data @first to @last. */
static void
shams_range (const GPtrArray * results, const gchar * name,
    const gchar * other, guint first, guint last, gdouble * least,
    gdouble * most)
{
  guint d, b;

  *least = NAN;
  *most = NAN;
  for (d = first; d <= last; d++) {
    for (b = 0; b < G_N_ELEMENTS (shams_bins); b++) {
      const gdouble value = shams_gbs (results, d, b, name) /
          (other ? shams_gbs (results, d, b, other) : 1);

      *least = fmin (*least, value);
      *most = fmax (*most, value);
    }
  }
}

static void
print_claim (const gchar * what, const gchar * there, gdouble least,
    gdouble most)
{
  g_print ("%-*s %12s   ", CLAIM_WIDTH, what, there);
  if (isfinite (least))
    g_print ("%.3g ... %.3g\n", least, most);
  else
    g_print ("-\n");
}

static void
report_shams_claims (const GPtrArray * results)
{
  gdouble least, most;

  g_print ("\n%-*s %12s   %s\n", CLAIM_WIDTH, "statements in the text, as "
      "ratios", "there", "here");
  shams_range (results, TAGGED, "cpu", 0, 1, &least, &most);
  print_claim ("method 1 (" TAGGED ") over the CPU, uniform and normal data",
      "3 ... 30", least, most);
  shams_range (results, TAGGED, "cpu", 2, 2, &least, &most);
  print_claim ("method 1 over the CPU, one value (each warp takes 32 turns)",
      "the lowest", least, most);
  shams_range (results, THREAD_TABLES, "cpu", 0, 2, &least, &most);
  print_claim ("method 2 (" THREAD_TABLES ") over the CPU", "up to 30", least,
      most);
  shams_range (results, THREAD_TABLES, TAGGED, 2, 2, &least, &most);
  print_claim ("method 2 over method 1, one value", "above 1", least, most);
  shams_range (results, "cpu", NULL, 0, 2, &least, &most);
  print_claim ("CPU, GB/s by bins and data", "constant", least, most);
}

static void
report_shams (const GPtrArray * results)
{
  static const gchar *const names[] = { TAGGED, THREAD_TABLES, "auto", "cpu" };
  guint i, d, b;

  g_print ("\nShams and Kennedy 2007, GeForce 8800 GTX: throughput by bins and "
      "distribution\nHere, GB/s of 16-bit samples. The paper has plots; the "
      "ratios in its text are below.\n%-*s", NAME_WIDTH, "bins");
  for (b = 0; b < G_N_ELEMENTS (shams_bins); b++)
    g_print (" %11u", shams_bins[b]);
  g_print ("\n");
  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    for (d = 0; d < G_N_ELEMENTS (shams_data); d++) {
      gchar *label = g_strdup_printf ("%s, %s", names[i], shams_data[d].name);

      g_print ("%-*s", NAME_WIDTH, label);
      for (b = 0; b < G_N_ELEMENTS (shams_bins); b++)
        bench_print_number (shams_gbs (results, d, b, names[i]));
      g_print ("\n");
      g_free (label);
    }
  }
  report_shams_claims (results);
}

/* Throughput by warps per block, with the samples of figure 2. The methods use
 * at most as many warps as their kernels allow. */
static void
report_shams_warps (BenchArena * arena, const GPtrArray * entrants,
    GPtrArray * measured)
{
  static const guint warps[] = { 2, 4, 8, 16, 32 };
  static const struct
  {
    const gchar *name;
    VhCudaKernel kernel;
  } methods[] = {
    {TAGGED, VH_CUDA_KERNEL_TAGGED_WARPS},
    {THREAD_TABLES, VH_CUDA_KERNEL_THREAD_TABLES},
  };
  const BenchEffort effort = {.max_repeats = 15,.budget = 100000 };
  gint *most = arena->gpu->device->max_threads;
  guint i, d, w;

  g_print ("\nThe same by warps per block, 256 bins\n%-*s", NAME_WIDTH,
      "warps");
  for (w = 0; w < G_N_ELEMENTS (warps); w++)
    g_print (" %11u", warps[w]);
  g_print ("\n");
  for (i = 0; i < G_N_ELEMENTS (methods); i++) {
    const gint before = most[methods[i].kernel];
    GPtrArray *one = g_ptr_array_new ();

    g_ptr_array_add (one, (gpointer) bench_entrants_find (entrants,
            methods[i].name));
    for (d = 0; d < G_N_ELEMENTS (shams_data); d++) {
      const BenchCase c = {
        .data = {shams_data[d].kind, shams_data[d].n},
        .bins = 256,
        .size = {"256M",.bytes = 256 << 20},
        .depth = 16,
      };
      gchar *label = g_strdup_printf ("%s, %s", methods[i].name,
          shams_data[d].name);

      g_print ("%-*s", NAME_WIDTH, label);
      for (w = 0; w < G_N_ELEMENTS (warps); w++) {
        const gint threads = warps[w] * VH_CUDA_WARP;
        BenchResult *result = NULL;
        BenchWarps *one_warps;

        most[methods[i].kernel] = threads;
        if (one->pdata[0] && threads <= before)
          result = bench_measure (arena, one, &c, &effort);
        one_warps = g_new (BenchWarps, 1);
        *one_warps = (BenchWarps) {
          .method = methods[i].name,.data = shams_data[d].name,
          .warps = warps[w],.gbs = gbs (result, methods[i].name),
        };
        g_ptr_array_add (measured, one_warps);
        bench_print_number (one_warps->gbs);
        g_clear_pointer (&result, bench_result_free);
      }
      g_print ("\n");
      g_free (label);
    }
    most[methods[i].kernel] = before;
    g_ptr_array_unref (one);
  }
}

/* The paper's example of joint histograms: two images, 100 x 100 bins. Returns
 * FALSE if a count is wrong. */
static gboolean
report_shams_joints (BenchArena * arena)
{
  GPtrArray *joints = g_ptr_array_new_with_free_func ((GDestroyNotify)
      bench_joint_free);
  gboolean right;
  guint d;

  for (d = 0; d < G_N_ELEMENTS (shams_data); d++) {
    const BenchJointCase c = {
      .size = {"2160p",.width = 3840,.height = 2160},
      .data = {shams_data[d].kind, shams_data[d].n},
      .bins = 100,
    };

    bench_joints_measure (joints, arena, &c, SHAMS_JOINT_REPEATS);
  }
  bench_joints_report (joints);
  right = bench_joints_count_bad (joints) == 0;
  g_ptr_array_unref (joints);
  return right;
}

/* Wilt: contention for a single table in global memory. */
static void
report_wilt (const GPtrArray * results)
{
  static const struct
  {
    guint values, gtx280, m2050, gtx680;
  } rows[] = {
    {256, 58, 1530, 10720},
    {128, 39, 969, 7074},
    {64, 28, 660, 4734},
    {32, 26, 749, 3058},
    {16, 22, 557, 3767},
    {8, 16, 349, 4422},
    {4, 11, 210, 2864},
    {2, 7, 121, 1725},
    {1, 4, 68, 988},
  };
  gdouble least = NAN, most = NAN, cpu_least = NAN, cpu_most = NAN;
  guint i;

  g_print ("\nWilt 2013: contention, millions of pixels per second, by number "
      "of values\n%-8s %35s  %s\n%-8s %11s %11s %11s %11s %11s\n", "",
      "one table in global memory", "               here", "values",
      "GTX 280", "M2050", "GTX 680", "the same", "auto");
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    const BenchResult *result = find (results, "256M", 8, 256,
        BENCH_DATA_RANDOM, rows[i].values);

    g_print ("%-8u %11u %11u %11u", rows[i].values, rows[i].gtx280,
        rows[i].m2050, rows[i].gtx680);
    bench_print_number (gbs (result, GLOBAL) * 1e3);
    bench_print_number (gbs (result, "auto") * 1e3);
    g_print ("\n");
    least = fmin (least, gbs (result, THREAD_BYTES));
    most = fmax (most, gbs (result, THREAD_BYTES));
    cpu_least = fmin (cpu_least, gbs (result, "cpu"));
    cpu_most = fmax (cpu_most, gbs (result, "cpu"));
  }
  g_print ("%-*s %12s   %s\n", CLAIM_WIDTH,
      "GB/s, ideally the same for all data", "there", "here");
  print_claim ("bytes for each thread (" THREAD_BYTES "), GF100 and GK104",
      "9, 6.6", least, most);
  print_claim ("one core of a CPU, Haswell", "2", cpu_least, cpu_most);
}

/* The H100 paper: 1 GiB of uniform bytes, 256 bins. */
static void
report_h100 (const GPtrArray * results)
{
  static const struct
  {
    const gchar *what, *name, *ms, *gbs, *percent;
  } rows[] = {
    {"global atomics", GLOBAL, "276.13", "3.89", "0.1"},
    {"shared atomics", SHARED, "1.53", "703.10", "21.0"},
    {"shared atomics, vectors", VECTOR, "0.47", "2297.21", "68.5"},
    {"CUB", "cub", "0.50", "2139.35", "63.8"},
    {"auto", "auto", "-", "-", "-"},
  };
  const BenchResult *result = find (results, "1G", 8, 256, BENCH_DATA_RANDOM,
      0);
  guint i;

  g_print ("\nA 256-bin histogram on an H100: 2^30 bytes, uniform\n"
      "%-*s %35s %35s\n%-*s %11s %11s %11s %11s %11s %11s\n", NAME_WIDTH, "",
      "H100", "here", NAME_WIDTH, "", "ms", "GB/s", "% of peak", "ms", "GB/s",
      "% of read");
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    const BenchTime *time = result ? bench_result_find (result, rows[i].name) :
        NULL;

    g_print ("%-*s %11s %11s %11s", NAME_WIDTH, rows[i].what, rows[i].ms,
        rows[i].gbs, rows[i].percent);
    bench_print_number (time ? time->median / 1e3 : NAN);
    bench_print_number (gbs (result, rows[i].name));
    bench_print_number (time ? bench_result_share (result, time) * 100 : NAN);
    g_print ("\n");
  }
}

/* AMS 148: 65,536 items, 16 bins. */
static void
report_notes_times (const GPtrArray * results)
{
  const BenchResult *result = find (results, "256x256", 8, 16, BENCH_DATA_RAMP,
      0);

  g_print ("\nReeves: 65536 items, 16 bins of 4096, microseconds\n"
      "%-*s %11s %11s\n", NAME_WIDTH, "", "there", "here");
  g_print ("%-*s %11d", NAME_WIDTH, "global atomics", 20);
  bench_print_number (microseconds (result, GLOBAL));
  g_print ("\n%-*s %11d", NAME_WIDTH, "shared atomics", 9);
  bench_print_number (microseconds (result, SHARED));
  g_print ("\n%-*s %11s", NAME_WIDTH, "auto", "-");
  bench_print_number (microseconds (result, "auto"));
  g_print ("\n");
}

/* The distribution of the colors of an image. */
static void
report_colors (const GPtrArray * results, const BenchPhoto * photo)
{
  enum
  { BINS = 16, WIDTH = 20 };
  const BenchResult *result = find (results, "1080p", 8, 256, BENCH_DATA_PHOTO,
      0);
  const guint32 *counts[3];
  GstVideoHistogram *histogram;
  GError *error = NULL;
  guint most = 1, c, b;

  if (!photo) {
    g_print ("\nReeves: the colours of an image need --photo\n");
    return;
  }
  histogram = bench_photo_count (photo, BINS, &error);
  if (!histogram) {
    g_print ("\nReeves: the colours of an image: %s\n", error->message);
    g_clear_error (&error);
    return;
  }
  for (c = 0; c < 3; c++) {
    counts[c] = gst_video_histogram_get_counts (histogram,
        GST_VIDEO_HISTOGRAM_CHANNEL_RED + c, NULL);
    for (b = 0; b < BINS; b++)
      most = MAX (most, counts[c][b]);
  }
  g_print ("\nReeves: the colours of an image, here one of %u x %u pixels, "
      "counted by the library (%s)\n%-10s %-*s %-*s %s\n", photo->width,
      photo->height, gst_video_histogram_get_backend (histogram), "values",
      WIDTH + 8, "red", WIDTH + 8, "green", "blue");
  for (b = 0; b < BINS; b++) {
    g_print ("%3u - %3u ", b * 256 / BINS, (b + 1) * 256 / BINS - 1);
    for (c = 0; c < 3; c++) {
      const guint width = (guint64) counts[c][b] * WIDTH / most;
      gchar *bar = g_strnfill (width, '#');

      g_print (" %7u%s%-*s", counts[c][b], *bar || c < 2 ? " " : "",
          c < 2 ? WIDTH : 0, bar);
      g_free (bar);
    }
    g_print ("\n");
  }
  gst_video_histogram_unref (histogram);
  if (result && bench_result_behind (result) > -1) {
    const BenchTime *best = bench_result_best (result);

    g_print ("its three channels at 1080p, 256 bins, microseconds: auto %.2f, "
        "%s %.2f\n", microseconds (result, "auto"), best->entrant->name,
        best->median);
  }
}

gboolean
bench_notes_report (BenchGpu * gpu, guint items, guint repeats)
{
  gboolean right = bench_racy_report (gpu);

  right = right && bench_sort_report (gpu, items, repeats);
  return right && bench_products_report (gpu, items, repeats);
}

gboolean
bench_papers_report (BenchArena * arena, const GPtrArray * entrants,
    const GPtrArray * results, const BenchPhoto * photo, GPtrArray * warps)
{
  BenchGpu *gpu = arena->gpu;
  gboolean right = TRUE;

  report_shams (results);
  if (gpu && !gpu->failure) {
    report_shams_warps (arena, entrants, warps);
    right = report_shams_joints (arena);
  }
  report_wilt (results);
  report_h100 (results);
  report_notes_times (results);
  report_colors (results, photo);
  if (gpu && !gpu->failure)
    right = bench_notes_report (gpu, NOTES_ITEMS, NOTES_REPEATS) && right;
  return right;
}
