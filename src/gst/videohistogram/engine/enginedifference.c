/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "enginedifference.h"
#include "core/log.h"

void
vh_frame_difference_clear (VhFrameDifference * difference)
{
  g_clear_pointer (&difference->counts, vh_counts_unref);
  *difference = (VhFrameDifference) { 0, };
}

void
vh_difference_stream_close (VhDifferenceStream * self)
{
  guint i;

  for (i = 0; i < VH_N_DEVICES; i++) {
    VhDifferencer *differencer = self->on[i].differencer;

    if (differencer)
      differencer->klass->close (differencer);
    self->on[i] = (VhComparing) { 0, };
  }
  self->has_last = self->has_kept = FALSE;
}

void
vh_difference_stream_set (VhDifferenceStream * self, const VhLayout * layout,
    gboolean same_layout, gboolean wanted)
{
  guint i;

  if (!wanted) {
    vh_difference_stream_close (self);
  } else if (!same_layout || !self->wanted) {
    for (i = 0; i < VH_N_DEVICES; i++)
      self->on[i].tried = self->on[i].ready = FALSE;
    self->has_last = self->has_kept = FALSE;
  }
  self->layout = layout;
  self->wanted = wanted;
}

guint
vh_difference_stream_planes (const VhDifferenceStream * self)
{
  return self->wanted ? vh_layout_sample_planes (self->layout) : 0;
}

void
vh_difference_stream_prepare (VhDifferenceStream * self, VhWhere where,
    VhDevice * device)
{
  VhComparing *on = &self->on[where];
  GError *error = NULL;

  if (!self->wanted || on->tried || !device->klass->new_differencer)
    return;
  on->tried = TRUE;
  if (!on->differencer)
    on->differencer = device->klass->new_differencer (device);
  on->ready = on->differencer->klass->configure (on->differencer, self->layout,
      &error);
  if (!on->ready)
    GST_DEBUG ("frames are not compared on %s: %s", device->klass->name,
        error->message);
  g_clear_error (&error);
}

void
vh_difference_stream_note_failure (VhDifferenceStream * self, VhWhere where)
{
  if (self->has_last && self->last == where)
    self->has_last = FALSE;
  if (self->has_kept && self->kept == where)
    self->has_kept = FALSE;
  if (self->on[where].ready)
    self->on[where].tried = self->on[where].ready = FALSE;
}

gboolean
vh_difference_stream_submit (VhDifferenceStream * self, VhWhere where,
    VhFrame * frame, VhFrameDifference * difference, GError ** error)
{
  const VhCountsShape shape = vh_difference_shape ();
  VhDifferencer *differencer = self->on[where].differencer;
  VhDifference work = {
    .ignored = self->ignored,
    .n_ignored = self->n_ignored,
  };

  self->has_last = FALSE;
  if (!self->on[where].ready || !(work.counts = vh_counts_new (&shape)))
    return TRUE;
  if (!differencer->klass->submit (differencer, frame, &work, error)) {
    vh_counts_unref (work.counts);
    return FALSE;
  }
  self->has_last = TRUE;
  self->last = where;
  /* A kept frame that was forgotten here may still be in the differencer: its
   * difference is dropped. */
  if (work.compared && self->has_kept && self->kept == where && work.n > 0) {
    *difference = (VhFrameDifference) {
      .counts = work.counts,
      .n = work.n,
      .depth = self->layout->depth,
    };
  } else {
    vh_counts_unref (work.counts);
  }
  return TRUE;
}

void
vh_difference_stream_keep (VhDifferenceStream * self)
{
  VhDifferencer *differencer = self->on[self->last].differencer;

  if (!self->has_last)
    return;
  differencer->klass->keep (differencer);
  self->has_last = FALSE;
  self->has_kept = TRUE;
  self->kept = self->last;
}

void
vh_difference_stream_forget (VhDifferenceStream * self)
{
  self->has_last = self->has_kept = FALSE;
}
