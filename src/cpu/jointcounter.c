/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms on the CPU. Run by run, the samples of both sides are
 * converted to bins, and each pair of bins to one number of 16 bits; these
 * numbers are counted like samples of more than 8 bits. */
#include "jointcounter.h"
#include "core/error.h"
#include "lumarows.h"
#include "operation.h"

#include <string.h>

#define RUN_PIXELS VH_LUMA_PIXELS

/* Counters of the tables besides the histogram; together they fit into a
 * first-level cache. */
#define TABLE_COUNTERS 4096

/* With at least this many pixels per counter, several tables are faster. */
#define TABLE_PIXELS 16

typedef struct
{
  VhJointCounter parent;
  const VhLoops *loops;
  const VhScopeOps *scope_ops;
  guint bins;
  VhLumaRows rows;
  VhScopeColors colors;

  guint16 chroma[RUN_PIXELS];   /* of RGB; guint8 for 8 bits */
  guint8 a[RUN_PIXELS], b[RUN_PIXELS];  /* bins */
  guint16 pairs[RUN_PIXELS];
  guint32 table[TABLE_COUNTERS];        /* zero between frames */
} JointCounter;

typedef struct
{
  VhLuma parent;
  guint8 *bins;
} CpuLuma;

static void
cpu_luma_free (VhLuma * luma)
{
  g_free (((CpuLuma *) luma)->bins);
  g_free (luma);
}

static VhLuma *
joint_counter_new_luma (VhJointCounter * joint, gsize pixels, GError ** error)
{
  guint8 *bins = g_try_malloc (pixels);
  CpuLuma *luma;

  if (!bins) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "not enough memory "
        "for luma of %" G_GSIZE_FORMAT " pixels", pixels);
    return NULL;
  }
  luma = g_new (CpuLuma, 1);
  vh_luma_init (&luma->parent, cpu_luma_free, joint->klass, pixels);
  luma->bins = bins;
  return &luma->parent;
}

static gboolean
joint_counter_configure (VhJointCounter * joint, const VhLayout * layout,
    guint bins, G_GNUC_UNUSED guint method, G_GNUC_UNUSED GError ** error)
{
  JointCounter *self = (JointCounter *) joint;

  vh_luma_rows_init (&self->rows, layout, self->loops);
  vh_scope_colors_init (&self->colors, layout);
  self->scope_ops = layout->depth > 8 ? &self->loops->scope->ops16 :
      &self->loops->scope->ops8;
  self->bins = bins;
  return TRUE;
}

static void
find_bins (JointCounter * self, guint8 * bins, gconstpointer samples, gsize n)
{
  if (self->rows.layout.depth == 8)
    self->loops->bins_of_codes (bins, samples, n, self->bins);
  else
    self->loops->bins8 (bins, samples, n, self->bins, self->rows.layout.depth);
}

/* Chooses the tables to count in, including the histogram. */
static guint
choose_tables (JointCounter * self, gsize pixels, guint32 * counts,
    guint32 * tables[4])
{
  const guint n_counters = self->bins * self->bins;
  guint n = 1, i;

  if (n_counters <= TABLE_COUNTERS && pixels / TABLE_PIXELS >= n_counters)
    n = n_counters <= TABLE_COUNTERS / 4 ? 4 : 2;
  for (i = 0; i < 4; i++)
    tables[i] = i % n == 0 ? counts : self->table + (i % n - 1) * n_counters;
  return n;
}

static void
add_tables (JointCounter * self, guint32 * const tables[4], guint n)
{
  const guint n_counters = self->bins * self->bins;
  guint table, i;

  for (table = 1; table < n; table++) {
    for (i = 0; i < n_counters; i++)
      tables[0][i] += tables[table][i];
    memset (tables[table], 0, n_counters * sizeof (guint32));
  }
}

/* Stores the bins of U and V in a and b. */
static void
find_chroma_bins (JointCounter * self, const VhFrameView * view, gsize x,
    gsize y, gsize n)
{
  guint8 *const bins[2] = { self->a, self->b };
  gconstpointer rgb[3];
  guint i;

  if (self->rows.layout.model != VH_MODEL_RGB) {
    for (i = 0; i < 2; i++) {
      find_bins (self, bins[i], vh_luma_rows_samples (&self->rows, view, 1 + i,
              x, y, n), n);
    }
    return;
  }
  for (i = 0; i < 3; i++)
    rgb[i] = vh_luma_rows_samples (&self->rows, view, i, x, y, n);
  for (i = 0; i < 2; i++) {
    self->scope_ops->chroma (self->chroma, rgb, n, i, &self->colors);
    find_bins (self, bins[i], self->chroma, n);
  }
}

/* Converts the bins of @n chroma samples to pair numbers. */
static void
find_chroma_pairs (JointCounter * self, const VhFrameView * view, gsize x,
    gsize y, gsize n)
{
  const VhComponent *u = &self->rows.layout.component[1], *v = u + 1;
  const VhPlane *plane = &view->plane[u->plane];

  if (self->rows.layout.model == VH_MODEL_YUV && self->rows.layout.depth == 8
      && u->plane == v->plane && u->pixel_stride == 2
      && u->offset + v->offset == 1) {
    self->loops->pairs_of_codes (self->pairs, plane->data + y * plane->stride +
        2 * x, n, self->bins, u->offset > v->offset);
    return;
  }
  find_chroma_bins (self, view, x, y, n);
  self->loops->pairs16 (self->pairs, self->a, self->b, n, self->bins);
}

static void
count_chroma (JointCounter * self, const VhFrameView * view,
    const VhRect * region, guint32 * const tables[4])
{
  gsize x, y, n;

  for (y = region->y; y < (gsize) region->y + region->height; y++) {
    for (x = 0; x < region->width; x += n) {
      n = MIN (region->width - x, RUN_PIXELS);
      find_chroma_pairs (self, view, region->x + x, y, n);
      self->loops->count_pairs16 (tables, self->pairs, n);
    }
  }
}

/* @keep may be @against: a run is counted before it is kept. */
static void
count_luma (JointCounter * self, const VhFrameView * view,
    const VhRect * region, const guint8 * against, guint8 * keep,
    guint32 * const tables[4])
{
  gsize x, y, n, at = 0;

  for (y = 0; y < region->height; y++) {
    for (x = 0; x < region->width; x += n, at += n) {
      n = MIN (region->width - x, RUN_PIXELS);
      find_bins (self, self->b, vh_luma_rows_find (&self->rows, view,
              region->x + x, region->y + y, n), n);
      if (tables[0]) {
        self->loops->pairs16 (self->pairs, against + at, self->b, n,
            self->bins);
        self->loops->count_pairs16 (tables, self->pairs, n);
      }
      if (keep)
        memcpy (keep + at, self->b, n);
    }
  }
}

static gboolean
joint_counter_submit (VhJointCounter * joint, VhFrame * frame,
    const VhRect * region, VhJoint * work, G_GNUC_UNUSED GError ** error)
{
  JointCounter *self = (JointCounter *) joint;
  const CpuLuma *against = (const CpuLuma *) work->against;
  CpuLuma *keep = work->keep ? (CpuLuma *) * work->keep : NULL;
  guint32 *tables[4] = { NULL, };
  guint n_tables = 0;

  if (work->counts) {
    n_tables = choose_tables (self, (gsize) region->width * region->height,
        vh_counts_storage (work->counts), tables);
  }
  if (work->counts && work->chroma) {
    const VhRect chroma = vh_chroma_region (&self->rows.layout, region);

    count_chroma (self, frame->view, &chroma, tables);
  }
  if (keep || (work->counts && !work->chroma)) {
    guint32 *none[4] = { NULL, };

    count_luma (self, frame->view, region, against ? against->bins : NULL,
        keep ? keep->bins : NULL, work->chroma ? none : tables);
  }
  work->kept = keep != NULL;
  if (work->counts) {
    add_tables (self, tables, n_tables);
    vh_counts_complete (work->counts);
  }
  return TRUE;
}

static void
joint_counter_close (VhJointCounter * joint)
{
  g_free (joint);
}

static const VhJointCounterClass joint_counter_class = {
  .configure = joint_counter_configure,
  .new_luma = joint_counter_new_luma,
  .submit = joint_counter_submit,
  .close = joint_counter_close,
};

VhJointCounter *
vh_cpu_joint_counter_new (VhDevice * device)
{
  JointCounter *self = g_new0 (JointCounter, 1);

  self->parent.klass = &joint_counter_class;
  self->loops = vh_cpu_loops (device);
  return &self->parent;
}
