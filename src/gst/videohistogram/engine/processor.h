/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A processor has the devices of one stream and the tasks that are done there
 * with each frame, such as counting, comparing or correcting it. A task has an
 * operation on each device: it is made when a frame first needs it, and
 * configured again only for new caps or settings, or after its device failed.
 * Used by one thread at a time, except for references to tasks. */
#pragma once

#include "core/device.h"
#include "devices/devices.h"
#include "enginechoice.h"

G_BEGIN_DECLS

typedef struct _VhProcessor VhProcessor;
typedef struct _VhTask VhTask;
typedef struct _VhTaskClass VhTaskClass;

/* Only one of the tasks has more than one result of a frame. */
#define VH_PROCESSOR_MAX_TASKS \
  (VH_FRAME_MAX_RESULTS - VH_OPERATION_MAX_RESULTS + 1)

/* A frame of an engine, as its tasks see it. */
typedef struct
{
  VhWhere where;                /* the device that processes it */
  VhFrame *frame;               /* on that device; only for submit() */
  VhRect region;                /* to count, in pixels of the planes */
  GstVideoHistogram *histogram; /* of that region, which has the frame's times;
                                 * NULL if metas have all that is counted */
  gboolean has_histogram, has_joint;    /* these are from metas; the histogram
                                         * must not be counted */
  gboolean has_others;          /* metas also have the histograms of all specs
                                 * after the first, which are never counted */
} VhTaskFrame;

struct _VhTaskClass
{
  const gchar *name;            /* of what is done, in debug output */
  gboolean required;            /* frames are not processed without it; if
                                 * FALSE, they are, and it is not tried again
                                 * for every frame */
  gboolean always;              /* for engines: also needs frames of which metas
                                 * have all histograms */

  /* Makes the operation of @device, such as a VhCounter; NULL if the device
   * lacks it. */
  gpointer (*open) (VhDevice * device);

  /* Prepares the operation at @where for the processor's layout and the task's
   * settings. */
  gboolean (*configure) (VhTask * task, VhWhere where, GError ** error);

  void (*close) (gpointer operation);

  /* The next two are only called by engines. */

  /* The planes of the next frame that are needed. */
  guint (*planes) (VhTask * task);

  /* Processes a frame, or does nothing if the operation is not ready. FALSE
   * with FRAME, OVERLOAD or DEVICE: if the task is required, this ends the
   * frame, otherwise it is logged. */
  gboolean (*submit) (VhTask * task, const VhTaskFrame * frame,
      GError ** error);

  /* The rest may be NULL. */

  /* Forgets earlier frames; or only those at @where, where the device
   * failed. */
  void (*forget) (VhTask * task);
  void (*forget_at) (VhTask * task, VhWhere where);

  /* Releases memory of devices, after the operations were closed. */
  void (*drop) (VhTask * task);

  void (*finalize) (VhTask * task);

  /* Follows the spec of the engine's histogram, which is complete. */
  void (*set) (VhTask * task, const GstVideoHistogramSpec * spec);

  /* Called when the engine is configured, for the device of its frames, and
   * before and after each frame; finish() is called even if the frame failed.
   * If one of the first two is NULL, the operation is made ready instead. */
  void (*prepare) (VhTask * task, VhWhere where);
  void (*begin) (VhTask * task, const VhTaskFrame * frame);
  void (*finish) (VhTask * task);
};

/* Defines name_open() and name_close() for operations of @Type, which @make of
 * VhDeviceClass makes. */
#define VH_DEFINE_TASK_OPERATION(name, Type, make) \
  static gpointer name##_open (VhDevice * device) \
  { \
    return device->klass->make ? device->klass->make (device) : NULL; \
  } \
  static void name##_close (gpointer operation) \
  { \
    Type *self = operation; \
    self->klass->close (self); \
  } \
  static void name##_close (gpointer operation)

/* These functions, and name_configure(), as fields of a VhTaskClass. */
#define VH_TASK_OPERATION(name) \
  .open = name##_open, .configure = name##_configure, .close = name##_close

typedef enum
{
  VH_TASK_UNPREPARED,
  VH_TASK_READY,
  VH_TASK_FAILED,
} VhTaskState;

struct _VhTask
{
  const VhTaskClass *klass;
  gint refcount;                /* atomic */
  VhProcessor *processor;       /* that it belongs to, or NULL */
  gboolean idle;                /* need not be ready for now */
  gpointer operation[VH_N_DEVICES];     /* NULL until it is needed */
  VhTaskState state[VH_N_DEVICES];
  VhWhere last;                 /* of tasks that compare frames, which set it:
                                 * where the last one is; VH_N_DEVICES: none */
};

/* Makes a task of @size bytes, which start with a VhTask; the rest is zero. */
gpointer vh_task_new (const VhTaskClass * klass, gsize size);
gpointer vh_task_ref (gpointer task);
void vh_task_unref (gpointer task);

/* Makes the operation at @where ready; its device must be ready. FALSE with
 * @error if that is not possible. */
gboolean vh_task_ensure (VhTask * self, VhWhere where, GError ** error);

/* Returns the operation at @where if it is ready, otherwise NULL. */
gpointer vh_task_get (const VhTask * self, VhWhere where);

/* Says that settings have changed: operations are configured again. */
void vh_task_outdate (VhTask * self);

/* These call functions of the class that may be NULL. vh_task_set() also allows
 * another attempt at an operation that could not be made ready. */
void vh_task_forget (VhTask * self);
void vh_task_set (VhTask * self, const GstVideoHistogramSpec * spec);
void vh_task_prepare (VhTask * self, VhWhere where);
void vh_task_begin (VhTask * self, const VhTaskFrame * frame);

struct _VhProcessor
{
  VhDevices *devices;
  VhChoice choice;
  VhLayout layout;              /* of the frames */
  struct
  {
    VhDevice *device;           /* NULL until it is needed */
    gboolean ready;             /* for the layout */
    guint upload_planes;        /* that it is configured to upload */
  } on[VH_N_DEVICES];
  VhTask *tasks[VH_PROCESSOR_MAX_TASKS];        /* in the order in which they
                                                 * get frames */
  guint n_tasks;
};

void vh_processor_init (VhProcessor * self);
void vh_processor_clear (VhProcessor * self);

/* Opens the devices for frames that are processed where they are, also for
 * @element, which may be NULL. The GPU is opened now if @cuda_device_id names
 * one. FALSE with BACKEND or SPEC. */
gboolean vh_processor_open (VhProcessor * self, gint cuda_device_id,
    GstElement * element, GError ** error);

/* Closes operations and devices. */
void vh_processor_close (VhProcessor * self);

/* Adds a task, takes the reference to it, and returns it. */
gpointer vh_processor_add (VhProcessor * self, gpointer task);

/* Replaces the tasks by @n others. Those that stay keep their operations. */
void vh_processor_set_tasks (VhProcessor * self, VhTask * const *tasks,
    guint n);

/* Reads the layout from @caps. Everything is then configured again, and a GPU
 * that could not be opened is tried again. FALSE with FORMAT. */
gboolean vh_processor_set_caps (VhProcessor * self, GstCaps * caps,
    GError ** error);

/* Makes the device at @where ready for frames whose @upload_planes are copied
 * to it, and all required tasks. FALSE with DEVICE or BACKEND. */
gboolean vh_processor_ensure (VhProcessor * self, VhWhere where,
    guint upload_planes, GError ** error);

/* Makes everything ready for frames that are processed at @where because they
 * are there. FALSE with DEVICE. */
gboolean vh_processor_ensure_at (VhProcessor * self, VhWhere where,
    GError ** error);

/* Notes that processing a frame at @where failed. After DEVICE, everything
 * there is configured again before the next frame. */
void vh_processor_note_failure (VhProcessor * self, VhWhere where,
    const GError * error);

/* Processes a frame at @where. */
typedef gboolean (*VhProcessFunc) (gpointer data, VhWhere where,
    GError ** error);

/* Calls @process for a frame at @at, of which @planes are needed: on the GPU if
 * the frame is there or is worth uploading. If that fails with DEVICE, and the
 * frame is in system memory, the CPU processes it. FALSE with the error of
 * @process or of vh_processor_ensure(). */
gboolean vh_processor_process (VhProcessor * self, VhWhere at, guint planes,
    VhProcessFunc process, gpointer data, GError ** error);

G_END_DECLS
