/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "products.h"
#include "report.h"

#include <gst/videohistogram/videohistogram.h>
#include <math.h>
#include <string.h>

#define WARP 32
#define THREADS 256
#define RUNS 16

/* The most bins on a side of a joint histogram, and the width and height of the
 * two frames that it is counted from. */
#define JOINT_SIDE GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS
#define FRAME_SIDE 1024

#define NOTES_SIDE 1024         /* of the matrix in AMS 148 */

/* With counts and values up to these, products and their sums over a row are
 * exact in float. */
#define MAX_VECTOR 15
#define MAX_COUNT 16

static const struct
{
  const gchar *name;
  BenchKernel kernel;
  gboolean sparse;
  guint threads_per_row;
} products[] = {
  {"sparse, thread", BENCH_KERNEL_SPARSE_THREADS, TRUE, 1},
  {"dense, thread", BENCH_KERNEL_DENSE_THREADS, FALSE, 1},
  {"sparse, warp", BENCH_KERNEL_SPARSE_WARPS, TRUE, WARP},
  {"dense, warp", BENCH_KERNEL_DENSE_WARPS, FALSE, WARP},
};

typedef struct
{
  BenchGpu *gpu;
  guint32 n;                    /* number of rows and of columns */
  CUdeviceptr memory;
  CUdeviceptr offsets, columns, values, matrix, vector, product;
  guint which;                  /* index in products */
} Job;

/* @m different numbers below @n, in random order. */
static guint32 *
choose_places (GRand * random, guint n, guint m)
{
  guint32 *places = g_new (guint32, n);
  guint i;

  for (i = 0; i < n; i++)
    places[i] = i;
  for (i = 0; i < m; i++) {
    const guint other = g_rand_int_range (random, i, n);
    const guint32 place = places[other];

    places[other] = places[i];
    places[i] = place;
  }
  return places;
}

/* Counts luma of two frames in which only some pairs occur, each about as
 * often: with the library, on its GPU if it has one. */
static GstVideoSparseCounts *
count_pairs (GRand * random, guint n_pairs, GError ** error)
{
  const gsize size = FRAME_SIDE * FRAME_SIDE;
  guint32 *pairs = choose_places (random, JOINT_SIDE * JOINT_SIDE, n_pairs);
  guint8 *pixels[2] = { g_malloc (size), g_malloc (size) };
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      "GRAY8", "width", G_TYPE_INT, FRAME_SIDE, "height", G_TYPE_INT,
      FRAME_SIDE, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);
  GstVideoSparseCounts *sparse = NULL;
  GstVideoJointHistogram *joint = NULL;
  GstVideoHistogramSpec spec;
  GstBuffer *frames[2];
  gsize i;

  for (i = 0; i < size; i++) {
    pixels[0][i] = pairs[i % n_pairs] / JOINT_SIDE;
    pixels[1][i] = pairs[i % n_pairs] % JOINT_SIDE;
  }
  for (i = 0; i < 2; i++)
    frames[i] = gst_buffer_new_wrapped (pixels[i], size);
  gst_video_histogram_spec_init (&spec);
  spec.joint_bins = JOINT_SIDE;
  if (gst_video_histogram_engine_open (engine, GST_VIDEO_HISTOGRAM_BACKEND_AUTO,
          -1, NULL, error)
      && gst_video_histogram_engine_configure (engine, caps, &spec, error)) {
    joint = gst_video_histogram_engine_count_joint (engine,
        GST_VIDEO_HISTOGRAM_JOINT_OTHER, frames[0], frames[1], error);
  }
  if (joint)
    sparse = gst_video_joint_histogram_to_sparse (joint);
  if (joint && !sparse) {
    g_set_error_literal (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_DEVICE, "pairs could not be counted");
  }
  gst_clear_video_joint_histogram (&joint);
  gst_buffer_unref (frames[0]);
  gst_buffer_unref (frames[1]);
  gst_caps_unref (caps);
  g_object_unref (engine);
  g_free (pairs);
  return sparse;
}

/* A matrix of a size that no joint histogram has. */
static GstVideoSparseCounts *
make_counts (GRand * random, guint n, guint n_counts)
{
  guint32 *places = choose_places (random, n * n, n_counts);
  guint32 *counts = g_new0 (guint32, n * n);
  GstVideoSparseCounts *sparse;
  guint i;

  for (i = 0; i < n_counts; i++)
    counts[places[i]] = g_rand_int_range (random, 1, MAX_COUNT + 1);
  sparse = gst_video_sparse_counts_new (n, n, counts, n * n);
  g_free (places);
  g_free (counts);
  return sparse;
}

static gboolean
enqueue (gpointer data, G_GNUC_UNUSED guint k)
{
  Job *job = data;
  void *sparse[] = { &job->offsets, &job->columns, &job->values, &job->vector,
    &job->product, &job->n
  };
  void *dense[] = { &job->matrix, &job->vector, &job->product, &job->n };
  const guint threads = job->n * products[job->which].threads_per_row;

  return bench_gpu_launch (job->gpu, products[job->which].kernel,
      (threads - 1) / THREADS + 1, THREADS,
      products[job->which].sparse ? sparse : dense);
}

/* Copies everything into the GPU's memory. */
static gboolean
upload (Job * job, GstVideoSparseCounts * sparse, const gdouble * vector)
{
  guint n_offsets, n_values, i, row;
  const guint32 *offsets = gst_video_sparse_counts_get_row_offsets (sparse,
      &n_offsets);
  const guint32 *columns = gst_video_sparse_counts_get_columns (sparse,
      &n_values);
  const guint32 *values = gst_video_sparse_counts_get_values (sparse,
      &n_values);
  const gsize square = (gsize) job->n * job->n;
  const gsize words = n_offsets + 2 * (gsize) n_values + square + 2 * job->n;
  guint32 *host = g_new0 (guint32, words);
  guint32 *matrix = host + n_offsets + 2 * n_values;
  gfloat *floats = (gfloat *) (matrix + square);
  gboolean uploaded;

  memcpy (host, offsets, n_offsets * sizeof (guint32));
  memcpy (host + n_offsets, columns, n_values * sizeof (guint32));
  memcpy (host + n_offsets + n_values, values, n_values * sizeof (guint32));
  for (row = 0; row < job->n; row++) {
    for (i = offsets[row]; i < offsets[row + 1]; i++)
      matrix[(gsize) row * job->n + columns[i]] = values[i];
    floats[row] = vector[row];
  }
  job->memory = bench_gpu_alloc (job->gpu, words * sizeof (guint32));
  job->offsets = job->memory;
  job->columns = job->offsets + n_offsets * sizeof (guint32);
  job->values = job->columns + n_values * sizeof (guint32);
  job->matrix = job->values + n_values * sizeof (guint32);
  job->vector = job->matrix + square * sizeof (guint32);
  job->product = job->vector + job->n * sizeof (guint32);
  uploaded = job->memory && bench_gpu_upload (job->gpu, job->memory, host,
      words * sizeof (guint32), "uploading a matrix");
  g_free (host);
  return uploaded;
}

/* Times the product that @job selects, and prints the time. FALSE if the result
 * is not @expected. */
static gboolean
measure (Job * job, const gdouble * expected, guint repeats)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gfloat *product = g_new0 (gfloat, job->n);
  gboolean right = TRUE;
  BenchTime time = { NULL, };
  BenchReplay replay;
  guint i;

  bench_gpu_check (job->gpu, job->gpu->driver->MemsetD8Async (job->product,
          0xff, job->n * sizeof (gfloat), job->gpu->stream), "filling results");
  bench_replay_init (&replay, job->gpu, enqueue, job, RUNS);
  bench_replay_enqueue (&replay, job->gpu);
  for (i = 0; i < repeats && !job->gpu->failure; i++) {
    const gdouble us = bench_replay_time (&replay, job->gpu);

    g_array_append_val (values, us);
  }
  bench_gpu_check (job->gpu, job->gpu->MemcpyDtoH (product, job->product,
          job->n * sizeof (gfloat)), "downloading a product");
  for (i = 0; i < job->n; i++)
    right &= product[i] == expected[i];
  bench_time_set (&time, values, replay.n);
  bench_print_number (right && !job->gpu->failure ? time.median : NAN);
  bench_replay_free (&replay, job->gpu);
  g_array_unref (values);
  g_free (product);
  return right && !job->gpu->failure;
}

/* Prints a row of the table for @sparse, which has @density. Takes @sparse. */
static gboolean
report (BenchGpu * gpu, GRand * random, GstVideoSparseCounts * sparse,
    gdouble density, guint repeats)
{
  Job job = {.gpu = gpu,.n = gst_video_sparse_counts_get_n_rows (sparse) };
  gdouble *vector = g_new (gdouble, job.n), *expected;
  gboolean right = TRUE;
  guint n, i;

  for (i = 0; i < job.n; i++)
    vector[i] = g_rand_int_range (random, 0, MAX_VECTOR + 1);
  expected = gst_video_sparse_counts_multiply (sparse, vector, job.n, &n);
  g_print ("%4u x %-4u %7.3f ", job.n, job.n, density);
  if (upload (&job, sparse, vector)) {
    for (job.which = 0; job.which < G_N_ELEMENTS (products); job.which++) {
      g_print ("   ");
      right = measure (&job, expected, repeats) && right;
    }
  }
  g_print ("%s\n", right ? "" : "   WRONG");
  bench_gpu_release (gpu, job.memory);
  gst_video_sparse_counts_unref (sparse);
  g_free (vector);
  g_free (expected);
  return right && job.memory && !gpu->failure;
}

gboolean
bench_products_report (BenchGpu * gpu, guint64 items, guint repeats)
{
  const guint side = CLAMP (sqrt (items), WARP, NOTES_SIDE);
  static const gdouble densities[] = {
    0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1
  };
  GRand *random = g_rand_new_with_seed (1);
  gboolean right = TRUE;
  guint i;

  g_print ("\nReeves: a matrix times a vector, microseconds: first a joint "
      "histogram of the library, then a matrix\nof the size in the notes, "
      "which state 16.4 sparse and 89.9 dense for density 0.1\n%-11s %7s ",
      "", "density");
  for (i = 0; i < G_N_ELEMENTS (products); i++)
    g_print (" %14s", products[i].name);
  g_print ("\n");
  for (i = 0; i < G_N_ELEMENTS (densities) && !gpu->failure; i++) {
    GError *error = NULL;
    GstVideoSparseCounts *sparse = count_pairs (random,
        densities[i] * JOINT_SIDE * JOINT_SIDE, &error);

    if (!sparse) {
      g_print ("%s\n", error->message);
      g_clear_error (&error);
    }
    right = sparse && report (gpu, random, sparse, densities[i], repeats)
        && right;
  }
  for (i = 0; i < G_N_ELEMENTS (densities) && !gpu->failure; i++) {
    GstVideoSparseCounts *sparse = make_counts (random, side,
        densities[i] * side * side);

    right = report (gpu, random, sparse, densities[i], repeats) && right;
  }
  g_rand_free (random);
  return right;
}
