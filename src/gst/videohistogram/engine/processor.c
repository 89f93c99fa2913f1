/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "processor.h"
#include "gst/videohistogram/histogram/settingscheck.h"
#include "core/error.h"
#include "core/log.h"

#include <string.h>

/* Tasks */

gpointer
vh_task_new (const VhTaskClass * klass, gsize size)
{
  VhTask *self = g_malloc0 (size);

  self->klass = klass;
  self->refcount = 1;
  self->last = VH_N_DEVICES;
  return self;
}

gpointer
vh_task_ref (gpointer task)
{
  g_atomic_int_inc (&((VhTask *) task)->refcount);
  return task;
}

void
vh_task_unref (gpointer task)
{
  VhTask *self = task;

  if (!g_atomic_int_dec_and_test (&self->refcount))
    return;
  if (self->klass->finalize)
    self->klass->finalize (self);
  g_free (self);
}

gboolean
vh_task_ensure (VhTask * self, VhWhere where, GError ** error)
{
  const VhTaskClass *klass = self->klass;
  gpointer *operation = &self->operation[where];
  GError *local = NULL;

  if (self->state[where] == VH_TASK_READY)
    return TRUE;
  if (self->state[where] == VH_TASK_FAILED) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "%s is not possible on %s",
        klass->name, vh_where_name (where));
    return FALSE;
  }

  if (!*operation)
    *operation = klass->open (self->processor->on[where].device);
  if (!*operation) {
    g_set_error (&local, VH_ERROR, VH_ERROR_DEVICE, "this device lacks %s",
        klass->name);
  } else if (klass->configure (self, where, &local)) {
    self->state[where] = VH_TASK_READY;
    return TRUE;
  }
  GST_DEBUG_OBJECT (self->processor->choice.element, "no %s on %s: %s",
      klass->name, vh_where_name (where), local->message);
  if (!klass->required)
    self->state[where] = VH_TASK_FAILED;
  g_propagate_error (error, local);
  return FALSE;
}

gpointer
vh_task_get (const VhTask * self, VhWhere where)
{
  return self->state[where] == VH_TASK_READY ? self->operation[where] : NULL;
}

void
vh_task_outdate (VhTask * self)
{
  guint i;

  for (i = 0; i < VH_N_DEVICES; i++)
    self->state[i] = VH_TASK_UNPREPARED;
  self->last = VH_N_DEVICES;
}

void
vh_task_forget (VhTask * self)
{
  self->last = VH_N_DEVICES;
  if (self->klass->forget)
    self->klass->forget (self);
}

void
vh_task_set (VhTask * self, const GstVideoHistogramSpec * spec)
{
  guint i;

  for (i = 0; i < VH_N_DEVICES; i++) {
    if (self->state[i] == VH_TASK_FAILED)
      self->state[i] = VH_TASK_UNPREPARED;
  }
  if (self->klass->set)
    self->klass->set (self, spec);
}

void
vh_task_prepare (VhTask * self, VhWhere where)
{
  if (self->klass->prepare)
    self->klass->prepare (self, where);
  else
    vh_task_ensure (self, where, NULL);
}

void
vh_task_begin (VhTask * self, const VhTaskFrame * frame)
{
  if (self->klass->begin)
    self->klass->begin (self, frame);
  else
    vh_task_ensure (self, frame->where, NULL);
}

static void
close_task (VhTask * self)
{
  guint i;

  for (i = 0; i < VH_N_DEVICES; i++)
    g_clear_pointer (&self->operation[i], self->klass->close);
  vh_task_outdate (self);
  vh_task_forget (self);
  if (self->klass->drop)
    self->klass->drop (self);
}

static void
note_failure_of_task (VhTask * self, VhWhere where)
{
  if (self->last == where)
    self->last = VH_N_DEVICES;
  if (self->klass->forget_at)
    self->klass->forget_at (self, where);
  if (self->state[where] == VH_TASK_READY)
    self->state[where] = VH_TASK_UNPREPARED;
}

/* The processor */

void
vh_processor_init (VhProcessor * self)
{
  *self = (VhProcessor) {
    .devices = vh_devices_new (),
  };
  vh_choice_init (&self->choice);
}

void
vh_processor_clear (VhProcessor * self)
{
  vh_processor_set_tasks (self, NULL, 0);
  vh_devices_free (self->devices);
  vh_choice_clear (&self->choice);
}

gboolean
vh_processor_open (VhProcessor * self, gint cuda_device_id,
    GstElement * element, GError ** error)
{
  const VhDeviceConfig config = {
    .cuda_device_id = cuda_device_id,
    .must_exist = TRUE,
    .element = element,
  };

  if (!vh_check_device_id (cuda_device_id, error))
    return FALSE;
  vh_devices_open (self->devices, &config);
  if (cuda_device_id >= 0
      && !vh_devices_get (self->devices, VH_ON_GPU, error)) {
    vh_devices_close (self->devices);
    return FALSE;
  }
  self->choice.element = element;
  return TRUE;
}

void
vh_processor_close (VhProcessor * self)
{
  guint i;

  for (i = 0; i < self->n_tasks; i++)
    close_task (self->tasks[i]);
  memset (self->on, 0, sizeof (self->on));
  vh_devices_close (self->devices);
  vh_choice_set_active (&self->choice, NULL, NULL, FALSE);
  self->choice.element = NULL;
}

gpointer
vh_processor_add (VhProcessor * self, gpointer task)
{
  g_assert (self->n_tasks < VH_PROCESSOR_MAX_TASKS);
  self->tasks[self->n_tasks++] = task;
  ((VhTask *) task)->processor = self;
  return task;
}

void
vh_processor_set_tasks (VhProcessor * self, VhTask * const *tasks, guint n)
{
  const guint n_before = self->n_tasks;
  VhTask *before[VH_PROCESSOR_MAX_TASKS];
  guint i;

  for (i = 0; i < n_before; i++) {
    before[i] = self->tasks[i];
    before[i]->processor = NULL;
  }
  self->n_tasks = 0;
  for (i = 0; i < n; i++)
    vh_processor_add (self, vh_task_ref (tasks[i]));
  for (i = 0; i < n_before; i++) {
    if (!before[i]->processor)
      close_task (before[i]);
    vh_task_unref (before[i]);
  }
}

gboolean
vh_processor_set_caps (VhProcessor * self, GstCaps * caps, GError ** error)
{
  guint i;

  vh_devices_retry (self->devices);
  for (i = 0; i < VH_N_DEVICES; i++) {
    self->on[i].ready = FALSE;
    self->on[i].upload_planes = 0;
  }
  for (i = 0; i < self->n_tasks; i++)
    vh_task_outdate (self->tasks[i]);
  return vh_layout_from_caps (&self->layout, caps, error);
}

static gboolean
ensure_device (VhProcessor * self, VhWhere where, guint upload_planes,
    GError ** error)
{
  VhDevice **device = &self->on[where].device;

  if (self->on[where].ready
      && (upload_planes & ~self->on[where].upload_planes) == 0)
    return TRUE;

  if (!*device)
    *device = vh_devices_get (self->devices, where, error);
  upload_planes |= self->on[where].upload_planes;
  self->on[where].ready = *device && (*device)->klass->configure (*device,
      &self->layout, upload_planes, error);
  if (!self->on[where].ready)
    return FALSE;
  self->on[where].upload_planes = upload_planes;
  GST_DEBUG_OBJECT (self->choice.element, "configured %s for %s of %dx%d "
      "pixels, upload of planes 0x%x", vh_where_name (where),
      GST_VIDEO_INFO_NAME (&self->layout.info),
      GST_VIDEO_INFO_WIDTH (&self->layout.info),
      GST_VIDEO_INFO_HEIGHT (&self->layout.info), upload_planes);
  return TRUE;
}

gboolean
vh_processor_ensure (VhProcessor * self, VhWhere where, guint upload_planes,
    GError ** error)
{
  guint i;

  if (!ensure_device (self, where, upload_planes, error))
    return FALSE;
  for (i = 0; i < self->n_tasks; i++) {
    VhTask *task = self->tasks[i];

    if (task->klass->required && !task->idle
        && !vh_task_ensure (task, where, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
vh_processor_ensure_at (VhProcessor * self, VhWhere where, GError ** error)
{
  GError *local = NULL;

  if (vh_processor_ensure (self, where, 0, &local)) {
    vh_choice_set_at (&self->choice, where);
    return TRUE;
  }
  vh_choice_set_active (&self->choice, "none", local->message, TRUE);
  g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "%s", local->message);
  g_error_free (local);
  return FALSE;
}

void
vh_processor_note_failure (VhProcessor * self, VhWhere where,
    const GError * error)
{
  guint i;

  if (!g_error_matches (error, VH_ERROR, VH_ERROR_DEVICE))
    return;
  self->on[where].ready = FALSE;
  for (i = 0; i < self->n_tasks; i++)
    note_failure_of_task (self->tasks[i], where);
}

static gboolean
process_on (VhProcessor * self, VhWhere where, VhWhere at, guint planes,
    VhProcessFunc process, gpointer data, GError ** error)
{
  GError *local = NULL;

  if (!vh_processor_ensure (self, where,
          vh_choice_upload_planes (&self->choice, at, planes), error))
    return FALSE;
  if (process (data, where, &local))
    return TRUE;
  vh_processor_note_failure (self, where, local);
  g_propagate_error (error, local);
  return FALSE;
}

gboolean
vh_processor_process (VhProcessor * self, VhWhere at, guint planes,
    VhProcessFunc process, gpointer data, GError ** error)
{
  VhChoice *choice = &self->choice;
  GError *gpu_error = NULL;

  if (vh_choice_for (choice, at) == VH_ON_CPU)
    return process_on (self, VH_ON_CPU, at, planes, process, data, error);

  if (process_on (self, VH_ON_GPU, at, planes, process, data, &gpu_error)) {
    vh_choice_set_active (choice, vh_where_name (VH_ON_GPU), "", FALSE);
    return TRUE;
  }
  if (!g_error_matches (gpu_error, VH_ERROR, VH_ERROR_DEVICE)) {
    g_propagate_error (error, gpu_error);
    return FALSE;
  }
  vh_choice_set_active (choice, at == VH_ON_GPU ? "none" :
      vh_where_name (VH_ON_CPU), gpu_error->message, TRUE);
  if (at == VH_ON_GPU) {
    g_propagate_error (error, gpu_error);
    return FALSE;
  }
  g_error_free (gpu_error);
  return process_on (self, VH_ON_CPU, at, planes, process, data, error);
}
