/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "counting.h"
#include "core/error.h"
#include "core/log.h"
#include "core/methods.h"

void
vh_counting_open (VhCounting * self, VhDevice * device, GstElement * element)
{
  *self = (VhCounting) {
    .device = device,
    .element = element,
  };
}

void
vh_counting_close (VhCounting * self)
{
  if (self->joint)
    self->joint->klass->close (self->joint);
  if (self->counter)
    self->counter->klass->close (self->counter);
  *self = (VhCounting) { 0, };
}

static gboolean
same_spec (const VhCountSpec * a, const VhCountSpec * b)
{
  return a->shape.channels == b->shape.channels
      && a->shape.bins == b->shape.bins
      && a->shape.columns == b->shape.columns
      && a->shape.rows == b->shape.rows && a->method == b->method;
}

void
vh_counting_set (VhCounting * self, const VhLayout * layout,
    gboolean same_layout, const VhCountSpec * spec, guint joint_bins)
{
  if (!same_layout) {
    self->device_ready = FALSE;
    self->upload_planes = 0;
  }
  if (!same_layout || !same_spec (&self->spec, spec))
    self->counter_ready = FALSE;
  if (!same_layout || self->joint_bins != joint_bins
      || self->spec.method != spec->method
      || self->joint_state == VH_JOINT_FAILED)
    self->joint_state = VH_JOINT_UNPREPARED;
  self->layout = layout;
  self->spec = *spec;
  self->joint_bins = joint_bins;
}

static gboolean
ensure_device (VhCounting * self, guint upload_planes, GError ** error)
{
  if (self->device_ready && (upload_planes & ~self->upload_planes) == 0)
    return TRUE;

  upload_planes |= self->upload_planes;
  self->device_ready = self->device->klass->configure (self->device,
      self->layout, upload_planes, error);
  if (!self->device_ready)
    return FALSE;
  self->upload_planes = upload_planes;
  GST_DEBUG_OBJECT (self->element, "configured %s for %s of %dx%d pixels, "
      "upload of planes 0x%x", self->device->klass->name,
      GST_VIDEO_INFO_NAME (&self->layout->info),
      GST_VIDEO_INFO_WIDTH (&self->layout->info),
      GST_VIDEO_INFO_HEIGHT (&self->layout->info), upload_planes);
  return TRUE;
}

static gboolean
ensure_counter (VhCounting * self, GError ** error)
{
  const VhCountsShape *shape = &self->spec.shape;

  if (self->counter_ready)
    return TRUE;

  if (!self->counter)
    self->counter = self->device->klass->new_counter (self->device);
  self->counter_ready = self->counter->klass->configure (self->counter,
      self->layout, &self->spec, error);
  if (self->counter_ready) {
    GST_DEBUG_OBJECT (self->element, "configured counting on %s: channels "
        "0x%x, %u bins, %ux%u cells, method %s", self->device->klass->name,
        shape->channels, shape->bins, shape->columns, shape->rows,
        vh_method_nick (self->spec.method));
  }
  return self->counter_ready;
}

gboolean
vh_counting_ensure (VhCounting * self, guint upload_planes, GError ** error)
{
  return ensure_device (self, upload_planes, error)
      && ensure_counter (self, error);
}

gboolean
vh_counting_ensure_joint (VhCounting * self, GError ** error)
{
  const VhDeviceClass *klass = self->device->klass;
  GError *local = NULL;

  if (self->joint_state == VH_JOINT_UNPREPARED) {
    GST_DEBUG_OBJECT (self->element, "configuring joint histograms of %s: %u "
        "bins", klass->name, self->joint_bins);
    self->joint_state = VH_JOINT_FAILED;
    if (!self->joint && klass->new_joint_counter)
      self->joint = klass->new_joint_counter (self->device);
    if (self->joint && self->joint->klass->configure (self->joint,
            self->layout, self->joint_bins, self->spec.method, &local))
      self->joint_state = VH_JOINT_READY;
  }
  if (self->joint_state == VH_JOINT_READY)
    return TRUE;

  if (local) {
    GST_DEBUG_OBJECT (self->element, "no joint histograms on %s: %s",
        klass->name, local->message);
    g_propagate_error (error, local);
  } else {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "this device cannot count "
        "joint histograms");
  }
  return FALSE;
}

void
vh_counting_note_failure (VhCounting * self, const GError * error)
{
  if (!g_error_matches (error, VH_ERROR, VH_ERROR_DEVICE))
    return;
  self->device_ready = FALSE;
  self->counter_ready = FALSE;
  if (self->joint_state == VH_JOINT_READY)
    self->joint_state = VH_JOINT_UNPREPARED;
}
