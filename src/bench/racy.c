/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "racy.h"

/* The case in AMS 148: this many items, and item number modulo BINS as the
 * bin. */
#define ITEMS 65536
#define BINS 16
#define THREADS 256
#define PRINTED_IN_THE_NOTES 9

static gboolean
count (BenchGpu * gpu, CUdeviceptr memory, guint32 * counts)
{
  CUdeviceptr bins = memory, items = memory + BINS * sizeof (guint32);
  guint32 n_items = ITEMS, n_bins = BINS;
  void *arguments[] = { &bins, &items, &n_items, &n_bins };
  guint32 *data = g_new (guint32, BINS + ITEMS);
  gboolean uploaded;
  guint i;

  for (i = 0; i < BINS; i++)
    data[i] = 0;
  for (i = 0; i < ITEMS; i++)
    data[BINS + i] = i;
  uploaded = bench_gpu_upload (gpu, memory, data,
      (BINS + ITEMS) * sizeof (guint32), "uploading items");
  g_free (data);
  return uploaded
      && bench_gpu_launch (gpu, BENCH_KERNEL_RACY, ITEMS / THREADS, THREADS,
      arguments)
      && bench_gpu_wait (gpu)
      && bench_gpu_check (gpu, gpu->MemcpyDtoH (counts, bins,
          BINS * sizeof (guint32)), "downloading counts");
}

gboolean
bench_racy_report (BenchGpu * gpu)
{
  CUdeviceptr memory = bench_gpu_alloc (gpu, (BINS + ITEMS) * sizeof (guint32));
  guint32 counts[BINS];
  guint wrong = 0, sum = 0, i;

  if (!memory || !count (gpu, memory, counts)) {
    g_print ("the GPU failed: %s\n", gpu->failure ? gpu->failure :
        "not enough memory");
    return FALSE;
  }
  bench_gpu_release (gpu, memory);

  g_print ("\nbins[item %% %u]++ without an atomic, %u items\n"
      "%-6s %10s %10s %12s\n", BINS, ITEMS, "bin", "right", "counted",
      "in the notes");
  for (i = 0; i < BINS; i++) {
    g_print ("%-6u %10u %10u %12u%s\n", i, ITEMS / BINS, counts[i],
        PRINTED_IN_THE_NOTES, counts[i] == ITEMS / BINS ? "" : "  wrong");
    wrong += counts[i] != ITEMS / BINS;
    sum += counts[i];
  }
  g_print ("%u of %u bins are wrong, %u of %u items are lost%s\n", wrong, BINS,
      ITEMS - sum, ITEMS, wrong > 0 ? "" : ": nothing went wrong this time, "
      "which is not guaranteed");
  return TRUE;
}
