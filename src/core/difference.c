/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "difference.h"

#define SUM_BINS 4
#define SUM_BITS 16

/* Makes a run of the plane of component @first, with all components in it. */
static VhSampleRun
find_plane_run (const VhLayout * layout, guint first)
{
  const VhComponent *components = layout->component;
  const guint bytes = components[first].sample_bytes;
  VhSampleRun run = {.component = first,.pixel_stride = bytes };
  guint group = 0, i, k;

  for (i = first; i < layout->n_components; i++) {
    const VhComponent *c = &components[i];

    if (c->plane == components[first].plane && c->pixel_stride > group) {
      group = c->pixel_stride;
      run.w_sub = c->w_sub;
      run.h_sub = c->h_sub;
    }
  }
  run.samples = group / bytes;
  for (i = first; i < layout->n_components; i++) {
    const VhComponent *c = &components[i];

    for (k = c->offset; c->plane == components[first].plane && k < group;
        k += c->pixel_stride)
      run.used |= 1u << k / bytes;
  }
  return run;
}

static gboolean
shares_plane (const VhLayout * layout, guint component)
{
  guint i;

  for (i = 0; i < component; i++) {
    if (layout->component[i].plane == layout->component[component].plane)
      return TRUE;
  }
  return FALSE;
}

/* Splits @runs[0], if luma of single pixels shares groups in it. Returns how
 * many runs there are. */
static guint
split_plane_run (const VhLayout * layout, VhSampleRun * runs)
{
  const VhComponent *first = &layout->component[runs[0].component];
  guint outside[2] = { 0, }, i;

  for (i = 0; i < layout->n_components; i++) {
    const VhComponent *c = &layout->component[i];

    if (c->plane == first->plane && c->w_sub < runs[0].w_sub) {
      outside[0] |= 1u << c->offset / c->sample_bytes;
      outside[1] |= 1u << (c->offset + c->pixel_stride) / c->sample_bytes;
    }
  }
  if (!outside[0])
    return 1;
  /* No packed format has more than two pixels in a group. */
  g_assert (runs[0].w_sub == 1);
  runs[1] = runs[2] = runs[0];
  runs[0].groups = VH_RUN_WHOLE;
  runs[1].groups = VH_RUN_FIRST;
  runs[1].used &= ~outside[0];
  runs[2].groups = VH_RUN_LAST;
  runs[2].used &= ~outside[1];
  return 3;
}

guint
vh_layout_sample_runs (const VhLayout * layout,
    VhSampleRun runs[VH_MAX_SAMPLE_RUNS])
{
  guint n = 0, i;

  for (i = 0; i < layout->n_components; i++) {
    const VhComponent *c = &layout->component[i];

    /* A word of 32 bits holds several samples. */
    if (c->sample_bytes == 4) {
      runs[n++] = (VhSampleRun) {
        .component = i,
        .offset = c->offset,
        .pixel_stride = c->pixel_stride,
        .samples = 1,
        .used = 1,
        .w_sub = c->w_sub,
        .h_sub = c->h_sub,
      };
    } else if (!shares_plane (layout, i)) {
      runs[n] = find_plane_run (layout, i);
      n += split_plane_run (layout, &runs[n]);
    }
  }
  return n;
}

guint
vh_layout_sample_planes (const VhLayout * layout)
{
  guint planes = 0, i;

  for (i = 0; i < layout->n_components; i++)
    planes |= 1u << layout->component[i].plane;
  return planes;
}

/* Where all groups of the pixels in @rect lie, in samples and rows of @run. */
static VhRect
find_groups (const VhSampleRun * run, const VhRect * rect)
{
  const guint x = rect->x >> run->w_sub, y = rect->y >> run->h_sub;

  return (VhRect) {
    .x = x * run->samples,
    .y = y,
    .width = (((rect->x + rect->width - 1) >> run->w_sub) - x + 1) *
        run->samples,
    .height = ((rect->y + rect->height - 1) >> run->h_sub) - y + 1,
  };
}

VhRect
vh_sample_run_rect (const VhSampleRun * run, const VhRect * picture)
{
  const guint within = (1u << run->w_sub) - 1;
  const guint first = picture->x & within ? run->samples : 0;
  const guint last = (picture->x + picture->width) & within ? run->samples : 0;
  VhRect rect = find_groups (run, picture);

  switch (run->groups) {
    case VH_RUN_ALL:
      break;
    case VH_RUN_WHOLE:
      rect.x += first;
      rect.width -= first + last;
      break;
    case VH_RUN_FIRST:
      rect.width = first;
      break;
    case VH_RUN_LAST:
      rect.x += rect.width - last;
      rect.width = last;
      break;
  }
  return rect;
}

VhRect
vh_sample_run_most (const VhSampleRun * run, const VhLayout * layout)
{
  const VhRect picture = {
    .width = GST_VIDEO_INFO_WIDTH (&layout->info) + (1u << run->w_sub) - 1,
    .height = GST_VIDEO_INFO_HEIGHT (&layout->info) + (1u << run->h_sub) - 1,
  };
  VhRect most = find_groups (run, &picture);

  if (run->groups == VH_RUN_FIRST || run->groups == VH_RUN_LAST)
    most.width = run->samples;
  return most;
}

/* Reduces @rect to what lies in @bounds, relative to them. FALSE if nothing
 * does. */
static gboolean
clip (VhRect * rect, const VhRect * bounds)
{
  const guint x = MAX (rect->x, bounds->x), y = MAX (rect->y, bounds->y);
  const guint x_end = MIN (rect->x + rect->width, bounds->x + bounds->width);
  const guint y_end = MIN (rect->y + rect->height, bounds->y + bounds->height);

  if (x >= x_end || y >= y_end)
    return FALSE;
  *rect = (VhRect) { x - bounds->x, y - bounds->y, x_end - x, y_end - y };
  return TRUE;
}

guint
vh_difference_find_ignored (const VhDifference * work,
    const VhFrameView * view, const VhSampleRun * run, const VhRect * bounds,
    VhRect ignored[VH_DIFFERENCE_MAX_IGNORED])
{
  const VhRect *picture = &view->picture;
  guint n = 0, i;

  for (i = 0; i < work->n_ignored; i++) {
    const VhRect *from = &work->ignored[i];
    VhRect rect = { picture->x + from->x, picture->y + from->y };

    if (from->x >= picture->width || from->y >= picture->height
        || from->width == 0 || from->height == 0)
      continue;
    rect.width = MIN (from->width, picture->width - from->x);
    rect.height = MIN (from->height, picture->height - from->y);
    ignored[n] = find_groups (run, &rect);
    n += clip (&ignored[n], bounds);
  }
  return n;
}

gboolean
vh_difference_next (const VhRect * ignored, guint n_ignored, guint y,
    guint width, guint * from, guint * end)
{
  guint i = 0;

  while (i < n_ignored) {
    const VhRect *rect = &ignored[i++];

    if (y - rect->y < rect->height && *from - rect->x < rect->width) {
      *from = rect->x + rect->width;
      i = 0;
    }
  }
  *end = width;
  for (i = 0; i < n_ignored; i++) {
    const VhRect *rect = &ignored[i];

    if (y - rect->y < rect->height && rect->x > *from)
      *end = MIN (*end, rect->x);
  }
  return *from < width;
}

guint64
vh_difference_count (const VhSampleRun * run, const VhRect * bounds,
    const VhRect * ignored, guint n_ignored)
{
  guint64 n = 0;
  guint y, from, end;

  if (n_ignored == 0)
    n = (guint64) bounds->width * bounds->height;
  for (y = 0; n_ignored > 0 && y < bounds->height; y++) {
    for (from = 0; vh_difference_next (ignored, n_ignored, y, bounds->width,
            &from, &end); from = end)
      n += end - from;
  }
  return n / run->samples * __builtin_popcount (run->used);
}

VhCountsShape
vh_difference_shape (void)
{
  return (VhCountsShape) {
    .channels = 1,
    .bins = SUM_BINS,
    .columns = 1,
    .rows = 1,
  };
}

void
vh_difference_set_sum (VhCounts * counts, guint64 sum)
{
  guint32 *bins = vh_counts_storage (counts);
  guint i;

  for (i = 0; i < SUM_BINS; i++, sum >>= SUM_BITS)
    bins[i] = sum & ((1u << SUM_BITS) - 1);
}

guint64
vh_difference_get_sum (VhCounts * counts)
{
  const guint32 *bins = vh_counts_storage (counts);
  guint64 sum = 0;
  guint i;

  for (i = 0; i < SUM_BINS; i++)
    sum += (guint64) bins[i] << i * SUM_BITS;
  return sum;
}
