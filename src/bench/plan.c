/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan.h"

#define KINDS "uniform,normal,one-value,photo,film,ramp"
#define FEW "uniform,photo,one-value"
/* Includes the most bins that method 1, tagged-warps, counts in one, two and
 * three windows with 227 KiB of shared memory per block, and one bin more than
 * each of these. */
#define SHAMS_BINS "16,64,256,1024,4096,10000,16384,19285,19286,32768,38570," \
    "38571,57855,57856,65536"
#define BINS "16,64,256,1024,4096,65536"

/* Largest frame that is assumed to fit into the cache besides everything
 * else. */
#define MAX_WARM ((guint64) 32 << 20)

/* Lists of values, as in the options of the same names. */
typedef struct
{
  const gchar *sizes, *channels, *depths, *bins, *from, *data;
} Sweep;

static const Sweep quick_sweeps[] = {
  {"1080p", "luma", "8", "256", "hbm", FEW},
  {"1080p", "rgb", "8", "256", "hbm", "uniform"},
  {"64M", "luma", "8", "256", "hbm", FEW},
  {"64M", "luma", "16", "4096", "hbm", "uniform"},
};

/* The most informative ones first, because --limit leaves out the last ones. */
static const Sweep default_sweeps[] = {
  {"1G", "luma", "8", "256", "hbm", KINDS},
  {"1080p", "luma", "8", "256", "hbm,l2", KINDS},
  {"720p,2160p", "luma", "8", "256", "hbm,l2", FEW},
  {"1080p", "rgb", "8", "256", "hbm,l2", FEW},
  {"1080p,2160p", "yuv-rgb", "8", "256", "hbm", FEW},
  {"1080p,2160p", "gradient", "8", "256", "hbm", FEW},
  {"1G", "rgb", "8", "256", "hbm", "uniform,one-value"},
  {"256M", "luma", "8", "256", "hbm", "distinct"},
  {"256M", "luma", "16", BINS, "hbm", "uniform"},
  {"1080p", "luma", "16", BINS, "hbm", "uniform"},
  {"256M", "luma", "16", BINS, "hbm", "one-value"},
  {"2G", "luma", "16", "4096,65536", "hbm", "uniform"},
  {"2G", "luma", "16", "4096,65536", "hbm", "one-value"},
  {"1080p", "luma", "10", "1024", "hbm", FEW},
  {"1080p", "luma", "12", "4096", "hbm", FEW},
  {"1080p", "luma", "16", "4096", "hbm", "photo,one-value"},
  {"1080p", "pitched,rgba-luma", "8", "256", "hbm", FEW},
  {"1080p", "pitched", "10", "1024", "hbm", "uniform"},
  {"1080p", "rgb,rgba-luma", "16", "4096", "hbm", "uniform"},
  {"1G", "rgba-luma", "8", "256", "hbm", "uniform,one-value"},
  {"64M", "luma", "8", "256", "hbm", FEW},
  {"1080p", "luma", "8", "16,64,1024", "hbm", "uniform"},
  {"1080p", "luma", "8", "16,64,1024", "hbm", "one-value"},
};

static const Sweep papers_sweeps[] = {
  {"256M", "luma", "16", SHAMS_BINS, "hbm", "uniform"},
  {"256M", "luma", "16", SHAMS_BINS, "hbm", "normal"},
  {"256M", "luma", "16", SHAMS_BINS, "hbm", "one-value"},
  {"256M", "luma", "8", "256", "hbm", "distinct"},
  {"1G", "luma", "8", "256", "hbm", "uniform"},
  {"256x256", "luma", "8", "16", "l2", "ramp"},
  {"1080p", "rgb", "8", "256", "hbm", "photo"},
};

static const Sweep all = {
  "720p,1080p,2160p,64M,1G", "luma,pitched,gradient,yuv-rgb,rgb,rgba-luma",
  "8,10,12,16", BINS,
  "hbm,l2", "uniform,normal,one-value,distinct-128,distinct-64,distinct-32,"
      "distinct-16,distinct-8,distinct-4,distinct-2,photo,film,ramp"
};

static const struct
{
  const Sweep *sweeps;
  guint n;
} sets[] = {
  [BENCH_SET_DEFAULT] = {default_sweeps, G_N_ELEMENTS (default_sweeps)},
  [BENCH_SET_QUICK] = {quick_sweeps, G_N_ELEMENTS (quick_sweeps)},
  [BENCH_SET_PAPERS] = {papers_sweeps, G_N_ELEMENTS (papers_sweeps)},
};

static void
group_free (gpointer data)
{
  BenchGroup *group = data;

  g_free (group->title);
  g_array_unref (group->cases);
  g_free (group);
}

static BenchGroup *
group_new (BenchColumns columns)
{
  BenchGroup *group = g_new0 (BenchGroup, 1);

  group->columns = columns;
  group->cases = g_array_new (FALSE, FALSE, sizeof (BenchCase));
  return group;
}

/* Describes what all cases of the group have in common. */
static gchar *
make_title (const BenchGroup * group)
{
  const BenchCase *c = &g_array_index (group->cases, BenchCase, 0);
  gchar *data = bench_data_name (c->data);
  gchar *varied = group->columns == BENCH_COLUMNS_BINS ?
      g_strdup_printf ("%s data", data) : g_strdup_printf ("%u bins", c->bins);
  gchar *title = g_strdup_printf ("%s, %s of %s, %s%s", c->size.name,
      bench_channels_name (c->channels), bench_case_format (c), varied,
      c->size.bytes > 0 ? "" : c->warm ? ", from L2" : ", from HBM");

  g_free (varied);
  g_free (data);
  return title;
}

static guint64
frame_bytes (const BenchCase * c)
{
  guint width, height;

  bench_case_dimensions (c, &width, &height);
  return (guint64) width * height * (c->channels < BENCH_RGB ? 1 : 4) *
      (c->depth > 8 ? 2 : 1);
}

/* Appends a group of cases that are equal to @c except for what the columns
 * vary. */
static void
add_group (GPtrArray * plan, BenchColumns columns, BenchCase c,
    const BenchAxes * axes)
{
  const gboolean by_bins = columns == BENCH_COLUMNS_BINS;
  const guint n = by_bins ? axes->bins->len : axes->data->len;
  BenchGroup *group;
  guint i;

  if (!bench_case_format (&c)
      || ((c.channels == BENCH_YUV_RGB || c.channels == BENCH_GRADIENT)
          && c.size.bytes > 0)
      || (c.warm && (c.size.bytes > 0 || frame_bytes (&c) > MAX_WARM)))
    return;
  group = group_new (columns);
  for (i = 0; i < n; i++) {
    if (by_bins)
      c.bins = g_array_index (axes->bins, guint, i);
    else
      c.data = g_array_index (axes->data, BenchData, i);
    g_array_append_val (group->cases, c);
  }
  group->title = make_title (group);
  g_ptr_array_add (plan, group);
}

/* Appends the groups of one size, channels, depth and source of frames. */
static void
add_groups (GPtrArray * plan, BenchCase c, const BenchAxes * axes)
{
  guint i;

  if (axes->bins->len > axes->data->len) {
    for (i = 0; i < axes->data->len; i++) {
      c.data = g_array_index (axes->data, BenchData, i);
      add_group (plan, BENCH_COLUMNS_BINS, c, axes);
    }
  } else {
    for (i = 0; i < axes->bins->len; i++) {
      c.bins = g_array_index (axes->bins, guint, i);
      add_group (plan, BENCH_COLUMNS_DATA, c, axes);
    }
  }
}

void
bench_plan_add (GPtrArray * plan, const BenchAxes * axes)
{
  BenchCase c = { {0}, };
  guint s, k, d, f;

  for (s = 0; s < axes->sizes->len; s++) {
    c.size = g_array_index (axes->sizes, BenchSize, s);
    for (k = 0; k < axes->channels->len; k++) {
      c.channels = g_array_index (axes->channels, BenchChannels, k);
      for (d = 0; d < axes->depths->len; d++) {
        c.depth = g_array_index (axes->depths, guint, d);
        for (f = 0; f < axes->from->len; f++) {
          c.warm = g_array_index (axes->from, gboolean, f);
          add_groups (plan, c, axes);
        }
      }
    }
  }
}

GPtrArray *
bench_plan_new_empty (void)
{
  return g_ptr_array_new_with_free_func (group_free);
}

GPtrArray *
bench_plan_new (BenchSet set)
{
  GPtrArray *plan = bench_plan_new_empty ();
  guint i;

  for (i = 0; i < sets[set].n; i++) {
    const Sweep *sweep = &sets[set].sweeps[i];
    BenchAxes axes;
    GError *error = NULL;

    if (!bench_axes_parse (&axes, sweep->data, sweep->bins, sweep->sizes,
            sweep->channels, sweep->depths, sweep->from, &error))
      g_error ("%s", error->message);
    bench_plan_add (plan, &axes);
    bench_axes_clear (&axes);
  }
  return plan;
}

gboolean
bench_plan_all (GPtrArray ** plan, const gchar * data, const gchar * bins,
    const gchar * sizes, const gchar * channels, const gchar * depths,
    const gchar * from, GError ** error)
{
  BenchAxes axes;
  gboolean parsed = bench_axes_parse (&axes, data ? data : all.data,
      bins ? bins : all.bins, sizes ? sizes : all.sizes,
      channels ? channels : all.channels, depths ? depths : all.depths,
      from ? from : all.from, error);

  *plan = bench_plan_new_empty ();
  if (parsed)
    bench_plan_add (*plan, &axes);
  bench_axes_clear (&axes);
  return parsed;
}

void
bench_plan_remove_photos (GPtrArray * plan)
{
  guint i, k;

  for (i = plan->len; i-- > 0;) {
    BenchGroup *group = g_ptr_array_index (plan, i);

    for (k = group->cases->len; k-- > 0;) {
      if (bench_data_needs_photo (g_array_index (group->cases, BenchCase,
                  k).data))
        g_array_remove_index (group->cases, k);
    }
    if (group->cases->len == 0)
      g_ptr_array_remove_index (plan, i);
  }
}

guint
bench_plan_count (const GPtrArray * plan)
{
  guint n = 0, i;

  for (i = 0; i < plan->len; i++)
    n += ((const BenchGroup *) g_ptr_array_index (plan, i))->cases->len;
  return n;
}

gchar *
bench_group_column (const BenchGroup * group, const BenchCase * c)
{
  if (group->columns == BENCH_COLUMNS_BINS)
    return g_strdup_printf ("%u", c->bins);
  if (c->data.kind == BENCH_DATA_RANDOM && c->data.n > 1)
    return g_strdup_printf ("%u values", c->data.n);
  return bench_data_name (c->data);
}
