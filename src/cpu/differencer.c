/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares frames on the CPU with a copy of an earlier frame's samples. Samples
 * are fetched in runs that fit into the nearest cache, and copied while they
 * are in it. */
#include "differencer.h"
#include "core/error.h"
#include "operation.h"

#include <stdlib.h>
#include <string.h>

/* Alignment of copies in bytes, so that rows can be written as whole
 * vectors. */
#define ALIGN 64

/* Samples of a run: a multiple of every group size. */
#define RUN_SAMPLES (3 * 1024)

/* The samples of a picture: run by run, and each run row by row without
 * gaps. */
typedef struct
{
  guint8 *samples[VH_MAX_SAMPLE_RUNS];  /* guint16 above 8 bits */
  VhRect bounds[VH_MAX_SAMPLE_RUNS];
  gboolean filled;
} Copy;

typedef struct
{
  VhDifferencer parent;
  const VhLoops *loops;
  VhLayout layout;
  VhSampleRun runs[VH_MAX_SAMPLE_RUNS];
  VhFetch fetch[VH_MAX_SAMPLE_RUNS];
  guint n_runs;
  guint sample_bytes;           /* of a copy */
  Copy kept, last;
  guint16 fetched[RUN_SAMPLES]; /* or guint8 */
} Differencer;

static void
copy_clear (Copy * self)
{
  guint i;

  for (i = 0; i < VH_MAX_SAMPLE_RUNS; i++)
    g_clear_pointer (&self->samples[i], free);
  self->filled = FALSE;
}

static gboolean
copy_init (Copy * self, const Differencer * owner)
{
  guint i;

  copy_clear (self);
  for (i = 0; i < owner->n_runs; i++) {
    const VhRect bounds = vh_sample_run_most (&owner->runs[i],
        &owner->layout);

    self->samples[i] = aligned_alloc (ALIGN, GST_ROUND_UP_N ((gsize)
            bounds.width * bounds.height * owner->sample_bytes, ALIGN));
    if (!self->samples[i])
      return FALSE;
  }
  return TRUE;
}

static gboolean
differencer_configure (VhDifferencer * differencer, const VhLayout * layout,
    GError ** error)
{
  Differencer *self = (Differencer *) differencer;
  guint i;

  self->layout = *layout;
  self->sample_bytes = layout->depth > 8 ? 2 : 1;
  self->n_runs = vh_layout_sample_runs (layout, self->runs);
  for (i = 0; i < self->n_runs; i++) {
    self->fetch[i] = vh_fetch_samples (layout, self->runs[i].component);
    self->fetch[i].pixel_stride = self->runs[i].pixel_stride;
  }
  if (copy_init (&self->kept, self) && copy_init (&self->last, self))
    return TRUE;
  copy_clear (&self->kept);
  copy_clear (&self->last);
  g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "not enough memory "
      "for a copy of a frame");
  return FALSE;
}

static gboolean
is_like (const Copy * a, const Copy * b, guint n_runs)
{
  guint i;

  for (i = 0; i < n_runs; i++) {
    if (a->bounds[i].width != b->bounds[i].width
        || a->bounds[i].height != b->bounds[i].height)
      return FALSE;
  }
  return a->filled;
}

/* Sets alpha and padding to 0. Groups that have any are of 1, 2, 4 or 8
 * samples, so a mask for 8 samples can be repeated. */
static void
clear_unused (const VhSampleRun * run, gpointer samples, gsize n,
    guint sample_bytes)
{
  guint64 mask[2] = { 0, };
  gsize bytes = n * sample_bytes, i;
  guint8 *data = samples;

  for (i = 0; i < 8; i++) {
    if (run->used & (1u << i % run->samples))
      memset ((guint8 *) mask + i * sample_bytes, 0xff, sample_bytes);
  }
  if (sample_bytes == 1)
    mask[1] = mask[0];
  for (i = 0; i < bytes; i += sizeof (mask)) {
    const gsize size = MIN (sizeof (mask), bytes - i);
    guint64 words[2] = { 0, };

    memcpy (words, data + i, size);
    words[0] &= mask[0];
    words[1] &= mask[1];
    memcpy (data + i, words, size);
  }
}

/* Returns @n samples of row @y, starting at sample @x: in place, or fetched. */
static gconstpointer
find_samples (Differencer * self, guint i, const VhFrameView * view, gsize x,
    gsize y, gsize n)
{
  const VhSampleRun *run = &self->runs[i];
  const VhPlane *plane =
      &view->plane[self->layout.component[run->component].plane];
  const guint8 *row = plane->data + y * plane->stride + run->offset;

  if (run->used != (1u << run->samples) - 1) {
    if (self->sample_bytes == 1)
      memcpy (self->fetched, row + x, n);
    else
      self->loops->ops16.fetch (self->fetched, row, x, n, &self->fetch[i]);
    clear_unused (run, self->fetched, n, self->sample_bytes);
    return self->fetched;
  }
  if (self->sample_bytes == 1)
    return row + x;
  self->loops->ops16.fetch (self->fetched, row, x, n, &self->fetch[i]);
  return self->fetched;
}

/* Copies @n samples, and compares them with @kept. */
static guint64
compare (Differencer * self, guint8 * last, const guint8 * samples,
    const guint8 * kept, gsize n)
{
  return self->sample_bytes == 1 ?
      self->loops->difference8 (last, samples, kept, n) :
      self->loops->difference16 ((guint16 *) last, (const guint16 *) samples,
      (const guint16 *) kept, n);
}

/* Copies a row, and compares it with @kept, which may be NULL. */
static guint64
take_row (Differencer * self, guint i, const VhFrameView * view, guint y,
    const guint8 * kept, guint8 * last, const VhRect * ignored, guint n_ignored)
{
  const VhRect *bounds = &self->last.bounds[i];
  const gsize sample = self->sample_bytes;
  guint from = 0, end = 0, at = 0;
  guint64 sum = 0;
  gboolean more = kept && vh_difference_next (ignored, n_ignored, y,
      bounds->width, &from, &end);

  while (at < bounds->width) {
    const guint first = at, n = MIN (bounds->width - at, RUN_SAMPLES);
    const guint8 *samples = find_samples (self, i, view, bounds->x + at,
        bounds->y + y, n);

    while (at < first + n) {
      const guint8 *here = samples + (at - first) * sample;
      const guint next = MIN (!more ? bounds->width : at < from ? from : end,
          first + n);

      if (more && at >= from)
        sum += compare (self, last + at * sample, here, kept + at * sample,
            next - at);
      else
        memcpy (last + at * sample, here, (next - at) * sample);
      at = next;
      if (more && at == end) {
        from = end;
        more = vh_difference_next (ignored, n_ignored, y, bounds->width, &from,
            &end);
      }
    }
  }
  return sum;
}

static gboolean
differencer_submit (VhDifferencer * differencer, VhFrame * frame,
    VhDifference * work, G_GNUC_UNUSED GError ** error)
{
  Differencer *self = (Differencer *) differencer;
  const VhFrameView *view = frame->view;
  guint64 sum = 0;
  guint i, y;

  for (i = 0; i < self->n_runs; i++)
    self->last.bounds[i] = vh_sample_run_rect (&self->runs[i], &view->picture);
  work->compared = is_like (&self->kept, &self->last, self->n_runs);
  work->n = 0;
  for (i = 0; i < self->n_runs; i++) {
    const VhRect *bounds = &self->last.bounds[i];
    const gsize stride = (gsize) bounds->width * self->sample_bytes;
    VhRect ignored[VH_DIFFERENCE_MAX_IGNORED];
    const guint n_ignored = vh_difference_find_ignored (work, view,
        &self->runs[i], bounds, ignored);

    work->n += vh_difference_count (&self->runs[i], bounds, ignored,
        n_ignored);
    for (y = 0; y < bounds->height; y++) {
      sum += take_row (self, i, view, y, work->compared ?
          self->kept.samples[i] + y * stride : NULL,
          self->last.samples[i] + y * stride, ignored, n_ignored);
    }
  }
  self->last.filled = TRUE;
  if (work->compared) {
    vh_difference_set_sum (work->counts, sum);
    vh_counts_complete (work->counts);
  } else {
    vh_counts_fail (work->counts);
  }
  return TRUE;
}

static void
differencer_keep (VhDifferencer * differencer)
{
  Differencer *self = (Differencer *) differencer;
  const Copy kept = self->kept;

  if (!self->last.filled)
    return;
  self->kept = self->last;
  self->last = kept;
  self->last.filled = FALSE;
}

static void
differencer_close (VhDifferencer * differencer)
{
  Differencer *self = (Differencer *) differencer;

  copy_clear (&self->kept);
  copy_clear (&self->last);
  g_free (self);
}

static const VhDifferencerClass differencer_class = {
  .configure = differencer_configure,
  .submit = differencer_submit,
  .keep = differencer_keep,
  .close = differencer_close,
};

VhDifferencer *
vh_cpu_differencer_new (VhDevice * device)
{
  Differencer *self = g_new0 (Differencer, 1);

  self->parent.klass = &differencer_class;
  self->loops = vh_cpu_loops (device);
  return &self->parent;
}
