/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* videohistogram-bench: times every method of counting on this GPU, beside
 * other libraries, the CPU, and the speed of reading, and checks what they
 * count. */
#include "correct.h"
#include "json.h"
#include "papers.h"
#include "report.h"

#include <unistd.h>

#define EXIT_WRONG 1
#define EXIT_USAGE 2

/* Defaults for the lists that are not given as options, if at least one is
 * given. */
#define BASE_DATA "uniform,normal,one-value"
#define BASE_BINS "256"
#define BASE_SIZES "1080p"
#define BASE_CHANNELS "luma"
#define BASE_DEPTHS "8"
#define BASE_FROM "hbm"

/* Larger frames are launched one by one. */
#define BATCH_PIXELS (1920 * 1080)

static struct
{
  gchar *methods, *data, *bins, *sizes, *channels, *depths, *from;
  gboolean quick, all, papers, notes, joint, batches, equalize, details;
  gboolean dry_run;
  gchar *json, *photo, *peers;
  gint device, repeats, limit;
} options = {.repeats = 15 };

static const GOptionEntry entries[] = {
  {"methods", 0, 0, G_OPTION_ARG_STRING, &options.methods,
      "What to time: methods of the element, auto, auto-to-host, cub, npp, "
        "cpu, empty (all of them)", "LIST"},
  {"data", 0, 0, G_OPTION_ARG_STRING, &options.data,
      "Data: uniform, normal, one-value, photo, film, ramp, distinct-N, "
        "distinct "
        "(" BASE_DATA ")", "LIST"},
  {"bins", 0, 0, G_OPTION_ARG_STRING, &options.bins,
      "Numbers of bins, 1 to 65536 (" BASE_BINS ")", "LIST"},
  {"sizes", 0, 0, G_OPTION_ARG_STRING, &options.sizes,
      "Frames of 720p, 1080p, 2160p or WIDTHxHEIGHT, or bytes such as 64M, 1G "
        "(" BASE_SIZES ")", "LIST"},
  {"channels", 0, 0, G_OPTION_ARG_STRING, &options.channels,
      "Channels: luma, pitched (luma with gaps between rows), gradient, "
        "yuv-rgb, rgb, rgba-luma "
        "(" BASE_CHANNELS ")", "LIST"},
  {"depths", 0, 0, G_OPTION_ARG_STRING, &options.depths,
        "Bits per sample: 8, 10, 12, 16; more than 8 in 16-bit words "
        "(" BASE_DEPTHS ")",
      "LIST"},
  {"from", 0, 0, G_OPTION_ARG_STRING, &options.from,
      "Source of frames: hbm (many in turn) or l2 (one repeatedly) "
        "(" BASE_FROM ")", "LIST"},
  {"quick", 0, 0, G_OPTION_ARG_NONE, &options.quick,
      "Time only a few cases, in less than half a minute", NULL},
  {"all", 0, 0, G_OPTION_ARG_NONE, &options.all,
      "Time every value of the lists that are not given; takes hours", NULL},
  {"papers", 0, 0, G_OPTION_ARG_NONE, &options.papers,
        "Repeat measurements of published papers, and print their figures too",
      NULL},
  {"notes", 0, 0, G_OPTION_ARG_NONE, &options.notes,
        "Only run the other listings of Reeves' course notes (AMS 148): "
        "counting without atomics, which loses counts; sort and reduce by "
        "key; products of sparse counts",
      NULL},
  {"joint", 0, 0, G_OPTION_ARG_NONE, &options.joint,
      "Also time joint histograms; default if no list is given", NULL},
  {"batches", 0, 0, G_OPTION_ARG_NONE, &options.batches,
        "Also time launches of many frames; default if no list is given",
      NULL},
  {"equalize", 0, 0, G_OPTION_ARG_NONE, &options.equalize,
      "Only time correcting and copying frames of --sizes (2160p,1080p)", NULL},
  {"photo", 0, 0, G_OPTION_ARG_FILENAME, &options.photo,
        "Binary PPM file for the data photo and film, which are left out "
        "otherwise",
      "FILE"},
  {"json", 0, 0, G_OPTION_ARG_FILENAME, &options.json,
      "Write all results to FILE; src/bench/plot draws them", "FILE"},
  {"details", 0, 0, G_OPTION_ARG_NONE, &options.details,
      "Also print a table of each case, with the range of its times", NULL},
  {"dry-run", 0, 0, G_OPTION_ARG_NONE, &options.dry_run,
      "Only print what would be measured", NULL},
  {"repeats", 0, 0, G_OPTION_ARG_INT, &options.repeats,
        "Repeat each measurement up to N times, slow ones 3 or more times (15)",
      "N"},
  {"limit", 0, 0, G_OPTION_ARG_INT, &options.limit,
      "Start no new table after this many seconds", "SECONDS"},
  {"device", 0, 0, G_OPTION_ARG_INT, &options.device,
      "Use CUDA device N (0)", "N"},
  {"peers", 0, 0, G_OPTION_ARG_FILENAME, &options.peers,
      "Folder of the cub and npp modules (the folder of this program)", "DIR"},
  {NULL}
};

typedef struct
{
  BenchGpu *gpu;                /* or NULL */
  BenchPhoto *photo;            /* or NULL */
  GPtrArray *entrants, *plan;
  BenchLists lists;
  BenchFrames *frames;
  BenchArena *arena;
  GError *no_gpu;               /* why there is no GPU, or NULL */
  gint64 begin;
  gboolean wrong;               /* a result that is in none of the lists was
                                 * wrong */
} Bench;

static gboolean
has_axes (void)
{
  return options.data || options.bins || options.sizes || options.channels
      || options.depths || options.from;
}

static gboolean
parse_options (int *argc, char ***argv, GError ** error)
{
  GOptionContext *context = g_option_context_new ("- time every method of "
      "counting on this GPU, and check what they count");
  gboolean parsed;

  g_option_context_set_description (context, "A LIST is separated by commas. "
      "Defaults are in parentheses. If you give any of --data,\n--bins, "
      "--sizes, --channels, --depths and --from, the program times all "
      "combinations of their\nvalues, with the defaults of the others. If you "
      "give none of them, it varies one at a time,\nwhich takes about three "
      "minutes.\n\nThe exit status is 0 if "
      "all counts were exact, 1 if not or if the GPU failed, 2 for bad "
      "options.\n");
  g_option_context_add_main_entries (context, entries, NULL);
  parsed = g_option_context_parse (context, argc, argv, error);
  g_option_context_free (context);
  if (!parsed)
    return FALSE;
  if (*argc > 1) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
        "unknown argument %s", (*argv)[1]);
    return FALSE;
  }
  if ((options.equalize || options.notes) && (options.methods || options.data
          || options.bins || options.channels || options.depths || options.from
          || options.quick || options.all || options.papers
          || options.equalize + options.notes > 1)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
        "%s can only be combined with --sizes", options.notes ? "--notes" :
        "--equalize");
    return FALSE;
  }
  if (options.quick + options.all + options.papers > 1
      || (has_axes () && (options.quick || options.papers))) {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
        "--quick and --papers cannot be combined with each other, --all or "
        "lists such as --bins");
    return FALSE;
  }
  if (options.repeats < 3 || options.limit < 0 || options.device < 0) {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--repeats must be at least 3, --limit and --device at least 0");
    return FALSE;
  }
  return TRUE;
}

/* Parses the given lists; the defaults for data and sizes are @data and
 * @sizes. */
static gboolean
parse_axes (BenchAxes * axes, const gchar * data, const gchar * sizes,
    GError ** error)
{
  return bench_axes_parse (axes, options.data ? options.data : data,
      options.bins ? options.bins : BASE_BINS,
      options.sizes ? options.sizes : sizes,
      options.channels ? options.channels : BASE_CHANNELS,
      options.depths ? options.depths : BASE_DEPTHS,
      options.from ? options.from : BASE_FROM, error);
}

/* Makes the plan from the given lists. */
static gboolean
plan_axes (Bench * bench, GError ** error)
{
  BenchAxes axes;
  gboolean parsed = parse_axes (&axes, BASE_DATA, BASE_SIZES, error);

  bench->plan = bench_plan_new_empty ();
  if (parsed)
    bench_plan_add (bench->plan, &axes);
  bench_axes_clear (&axes);
  return parsed;
}

static gboolean
make_plan (Bench * bench, GError ** error)
{
  if (has_axes () && !options.all) {
    if (!plan_axes (bench, error))
      return FALSE;
  } else if (options.all) {
    if (!bench_plan_all (&bench->plan, options.data, options.bins,
            options.sizes, options.channels, options.depths, options.from,
            error))
      return FALSE;
  } else {
    bench->plan = bench_plan_new (options.papers ? BENCH_SET_PAPERS :
        options.quick || !bench->gpu ? BENCH_SET_QUICK : BENCH_SET_DEFAULT);
  }
  if (!bench->photo)
    bench_plan_remove_photos (bench->plan);
  if (bench->plan->len > 0)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "nothing to measure: %s", bench->photo ?
      "no format has this combination, or the frames are too large for l2" :
      "no format has this combination, the frames are too large for l2, or "
      "photo and film need --photo=FILE");
  return FALSE;
}

static gchar *
find_peers (void)
{
  gchar *program, *folder;

  if (options.peers)
    return g_strdup (options.peers);
  program = g_file_read_link ("/proc/self/exe", NULL);
  folder = program ? g_path_get_dirname (program) : g_strdup (".");
  g_free (program);
  return folder;
}

static gboolean
make_entrants (Bench * bench, GError ** error)
{
  gchar *peers = find_peers ();

  bench->entrants = bench_entrants_new (options.methods, bench->gpu != NULL,
      peers, error);
  g_free (peers);
  if (!bench->entrants)
    return FALSE;
  if (bench->gpu) {
    const BenchGpu *gpu = bench->gpu;
    const BenchPeerDevice device = {
      .id = gpu->device->id,
      .multiprocessors = gpu->device->multiprocessors,
      .threads_per_multiprocessor = gpu->device->threads_per_multiprocessor,
      .threads_per_block = gpu->threads_per_block,
      .shared_per_block = gpu->shared_per_block,
      .major = gpu->major,
      .minor = gpu->minor,
    };

    if (!options.dry_run)
      bench_entrants_start (bench->entrants, &device);
  }
  if (bench->entrants->len > 0)
    return TRUE;
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--methods: without a GPU, use cpu");
  return FALSE;
}

static void
print_head (const Bench * bench)
{
  guint i;

  if (!bench->gpu) {
    g_print ("No GPU: %s. Measuring only the CPU.\n",
        bench->no_gpu->message);
  } else {
    g_print ("%s, %d multiprocessors, %.0f MB of L2, driver for CUDA %d.%d\n",
        bench->gpu->name, bench->gpu->device->multiprocessors,
        bench->gpu->l2_bytes / 1048576.0, bench->gpu->cuda_version / 1000,
        bench->gpu->cuda_version % 1000 / 10);
  }
  for (i = 0; i < bench->entrants->len; i++) {
    const BenchEntrant *entrant = g_ptr_array_index (bench->entrants, i);

    if (entrant->problem)
      g_print ("leaving out %s: %s\n", entrant->name, entrant->problem);
    else if (entrant->peer)
      g_print ("%s: %s\n", entrant->name, entrant->peer->version);
  }
  if (!bench->photo)
    g_print ("leaving out the data photo and film: give --photo=FILE\n");
}

static void
print_plan (const Bench * bench)
{
  guint i, k;

  for (i = 0; i < bench->plan->len; i++) {
    const BenchGroup *group = g_ptr_array_index (bench->plan, i);

    g_print ("%s:", group->title);
    for (k = 0; k < group->cases->len; k++) {
      gchar *column = bench_group_column (group,
          &g_array_index (group->cases, BenchCase, k));

      g_print (" %s", column);
      g_free (column);
    }
    g_print ("\n");
  }
  g_print ("%u case%s\n", bench_plan_count (bench->plan),
      bench_plan_count (bench->plan) == 1 ? "" : "s");
}

static gboolean
has_failed (const Bench * bench)
{
  return bench->gpu && bench->gpu->failure;
}

/* Whether to start no further table. A table that was started is always
 * completed. */
static gboolean
is_over (const Bench * bench)
{
  return has_failed (bench) || (options.limit > 0
      && g_get_monotonic_time () - bench->begin >
      options.limit * G_TIME_SPAN_SECOND);
}

static void
show_progress (const Bench * bench, const BenchGroup * group)
{
  if (isatty (STDERR_FILENO)) {
    g_printerr ("\r\033[K%u of %u: %s\r", bench->lists.results->len + 1,
        bench_plan_count (bench->plan), group->title);
  }
}

static gboolean
write_json (const Bench * bench, GError ** error)
{
  return !options.json || bench_json_write (options.json, bench->gpu,
      bench->photo, options.papers, &bench->lists, error);
}

static gboolean
measure_group (Bench * bench, const BenchGroup * group, GError ** error)
{
  const BenchEffort effort = {.max_repeats = options.repeats,.budget = 100000 };
  const guint first = bench->lists.results->len;
  guint i;

  for (i = 0; i < group->cases->len && !has_failed (bench); i++) {
    show_progress (bench, group);
    g_ptr_array_add (bench->lists.results, bench_measure (bench->arena,
            bench->entrants, &g_array_index (group->cases, BenchCase, i),
            &effort));
  }
  if (isatty (STDERR_FILENO))
    g_printerr ("\r\033[K");
  bench_report_group (group,
      (BenchResult * const *) bench->lists.results->pdata + first,
      bench->lists.results->len - first, options.details);
  return write_json (bench, error);
}

/* Measures latencies for every frame size that was measured. */
static void
measure_latencies (Bench * bench)
{
  guint i, k;

  for (i = 0; i < bench->lists.results->len && !has_failed (bench); i++) {
    const BenchResult *result = g_ptr_array_index (bench->lists.results, i);
    gboolean known = result->c.size.bytes > 0;

    for (k = 0; k < bench->lists.latencies->len && !known; k++) {
      const BenchLatency *latency =
          g_ptr_array_index (bench->lists.latencies, k);

      known = g_str_equal (latency->size.name, result->c.size.name);
    }
    if (!known) {
      g_ptr_array_add (bench->lists.latencies,
          bench_latency_measure (bench->arena, &result->c.size));
    }
  }
  bench_report_latencies (bench->lists.latencies);
}

/* A result of the largest frames with up to @most pixels, or NULL. */
static const BenchResult *
find_largest (const Bench * bench, guint64 most)
{
  const BenchResult *largest = NULL;
  guint i;

  for (i = 0; i < bench->lists.results->len; i++) {
    const BenchResult *result = g_ptr_array_index (bench->lists.results, i);

    if (result->c.size.bytes == 0 && result->pixels <= most
        && (!largest || result->pixels > largest->pixels))
      largest = result;
  }
  return largest;
}

/* Measures joint histograms of the largest frames that were measured. */
static void
measure_joints (Bench * bench)
{
  static const struct
  {
    gboolean chroma;
    guint bins;
  } kinds[] = {
    {FALSE, BENCH_JOINT_BINS}, {FALSE, 100}, {TRUE, BENCH_JOINT_BINS},
    {TRUE, 64},
  };
  const BenchResult *largest = find_largest (bench, G_MAXUINT64);
  BenchAxes axes;
  guint i, k;

  parse_axes (&axes, BASE_DATA ",photo", BASE_SIZES, NULL);
  for (i = 0; i < axes.data->len && largest; i++) {
    const BenchData data = g_array_index (axes.data, BenchData, i);

    if (bench_data_needs_photo (data) && !bench->photo)
      continue;
    for (k = 0; k < G_N_ELEMENTS (kinds) && !has_failed (bench); k++) {
      const BenchJointCase c = {
        .size = largest->c.size,.data = data,.chroma = kinds[k].chroma,
        .bins = kinds[k].bins,
      };

      bench_joints_measure (bench->lists.joints, bench->arena, &c,
          options.repeats);
    }
  }
  bench_axes_clear (&axes);
  bench_joints_report (bench->lists.joints);
}

/* Measures batches of the largest frames that were measured, up to 1080p. */
static void
measure_batches (Bench * bench)
{
  static const BenchData data[] = {
    {BENCH_DATA_RANDOM, 0}, {BENCH_DATA_RANDOM, 1},
  };
  static const guint n_frames[] = { 8, 16, 64 };
  const BenchResult *largest = find_largest (bench, BATCH_PIXELS);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (data) * G_N_ELEMENTS (n_frames) && largest
      && !has_failed (bench); i++) {
    g_ptr_array_add (bench->lists.batches, bench_batch_measure (bench->arena,
            bench_entrants_find (bench->entrants, "cub"), &largest->c.size,
            data[i / G_N_ELEMENTS (n_frames)],
            n_frames[i % G_N_ELEMENTS (n_frames)], options.repeats));
  }
  bench_batches_report (bench->lists.batches);
}

static gboolean
run (Bench * bench, GError ** error)
{
  guint i, left;

  bench->frames = bench_frames_new (bench->gpu, bench->photo);
  bench->arena = bench_arena_new (bench->gpu, bench->frames);
  bench->begin = g_get_monotonic_time ();
  if (bench->gpu) {
    const BenchGroup *first = g_ptr_array_index (bench->plan, 0);

    bench_warm_up (bench->arena, &g_array_index (first->cases, BenchCase, 0));
  }
  for (i = 0; i < bench->plan->len && !is_over (bench); i++) {
    if (!measure_group (bench, g_ptr_array_index (bench->plan, i), error))
      return FALSE;
  }
  if (bench->gpu && !options.papers) {
    if (!is_over (bench))
      measure_latencies (bench);
    if ((options.joint || !has_axes ()) && !is_over (bench))
      measure_joints (bench);
    if ((options.batches || !has_axes ()) && !is_over (bench))
      measure_batches (bench);
  }
  left = bench_plan_count (bench->plan) - bench->lists.results->len;
  if (bench->gpu && bench->gpu->failure)
    g_print ("\nTHE GPU FAILED: %s\n", bench->gpu->failure);
  if (left > 0)
    g_print ("\nleft out %u case%s\n", left, left == 1 ? "" : "s");
  bench_report_summary (bench->lists.results, bench->lists.latencies);
  g_print ("%.0f seconds\n",
      (g_get_monotonic_time () - bench->begin) / 1e6);
  if (options.papers) {
    bench->wrong = !bench_papers_report (bench->arena, bench->entrants,
        bench->lists.results, bench->photo, bench->lists.warps);
  }
  return write_json (bench, error);
}

static void
bench_clear (Bench * bench)
{
  if (bench->arena)
    bench_arena_free (bench->arena);
  if (bench->frames)
    bench_frames_free (bench->frames);
  g_clear_pointer (&bench->entrants, g_ptr_array_unref);
  g_clear_pointer (&bench->plan, g_ptr_array_unref);
  g_ptr_array_unref (bench->lists.results);
  g_ptr_array_unref (bench->lists.latencies);
  g_ptr_array_unref (bench->lists.joints);
  g_ptr_array_unref (bench->lists.batches);
  g_ptr_array_unref (bench->lists.warps);
  g_clear_error (&bench->no_gpu);
  bench_photo_free (bench->photo);
  bench_gpu_free (bench->gpu);
}

static int
correct (Bench * bench, GError ** error)
{
  BenchAxes axes;
  gboolean right;

  if (!parse_axes (&axes, BASE_DATA, "2160p,1080p", error)) {
    bench_axes_clear (&axes);
    return EXIT_USAGE;
  }
  right = bench_correct_report (bench->gpu, axes.sizes, options.repeats,
      options.json, error);
  bench_axes_clear (&axes);
  return right ? 0 : EXIT_WRONG;
}

/* Runs --notes with as many items as the first of --sizes has pixels or
 * bytes. */
static int
run_notes (Bench * bench, GError ** error)
{
  gboolean right = FALSE;
  BenchAxes axes;

  if (parse_axes (&axes, BASE_DATA, BASE_SIZES, error)) {
    const BenchSize *size = &g_array_index (axes.sizes, BenchSize, 0);

    right = bench_notes_report (bench->gpu, size->bytes > 0 ? size->bytes :
        (guint64) size->width * size->height, options.repeats);
  }
  bench_axes_clear (&axes);
  return *error ? EXIT_USAGE : right ? 0 : EXIT_WRONG;
}

/* All errors in the options are found before anything is measured. */
static int
bench_main (Bench * bench, GError ** error)
{
  if (options.photo) {
    bench->photo = bench_photo_load (options.photo, error);
    if (!bench->photo)
      return EXIT_USAGE;
  }
  bench->gpu = bench_gpu_open (options.device, &bench->no_gpu);
  if (options.notes) {
    if (!bench->gpu)
      g_propagate_error (error, g_steal_pointer (&bench->no_gpu));
    return bench->gpu ? run_notes (bench, error) : EXIT_WRONG;
  }
  if (options.equalize) {
    if (!bench->gpu)
      g_propagate_error (error, g_steal_pointer (&bench->no_gpu));
    return bench->gpu ? correct (bench, error) : EXIT_WRONG;
  }
  if (!make_plan (bench, error) || !make_entrants (bench, error))
    return EXIT_USAGE;
  print_head (bench);
  if (options.dry_run) {
    print_plan (bench);
    return 0;
  }
  if (!run (bench, error))
    return EXIT_WRONG;
  return bench->wrong
      || bench_count_wrong (bench->lists.results, bench->lists.latencies) > 0
      || bench_count_failures (bench->lists.results, bench->lists.latencies) > 0
      || bench_joints_count_bad (bench->lists.joints) > 0
      || bench_batches_count_bad (bench->lists.batches) > 0
      || (bench->gpu && bench->gpu->failure) ? EXIT_WRONG : 0;
}

int
main (int argc, char **argv)
{
  Bench bench = { NULL, };
  GError *error = NULL;
  int status;

  if (!parse_options (&argc, &argv, &error)) {
    g_printerr ("videohistogram-bench: %s; see --help\n", error->message);
    g_clear_error (&error);
    return EXIT_USAGE;
  }
  gst_init (NULL, NULL);
  bench.lists.results = g_ptr_array_new_with_free_func ((GDestroyNotify)
      bench_result_free);
  bench.lists.latencies = g_ptr_array_new_with_free_func ((GDestroyNotify)
      bench_latency_free);
  bench.lists.joints = g_ptr_array_new_with_free_func ((GDestroyNotify)
      bench_joint_free);
  bench.lists.warps = g_ptr_array_new_with_free_func (g_free);
  bench.lists.batches = g_ptr_array_new_with_free_func ((GDestroyNotify)
      bench_batch_free);
  status = bench_main (&bench, &error);
  if (error)
    g_printerr ("videohistogram-bench: %s\n", error->message);
  g_clear_error (&error);
  /* Resources of a lost GPU cannot be freed. */
  if (!bench.gpu || !bench.gpu->failure)
    bench_clear (&bench);
  return status;
}
