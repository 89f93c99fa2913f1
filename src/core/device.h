/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A device is where the frames of one stream are worked on: the CPU, or a GPU.
 * It makes operations, which are opened for caps, take frames and are closed. A
 * frame is brought to the device once, for all operations that it takes part
 * in:
 *
 *   frame = device->klass->begin (device, &view, VH_FRAME_READ, FALSE, &error);
 *   counter->klass->submit (counter, frame, &region, counts, &error);
 *   joint->klass->submit (joint, frame, &region, &work, &error);
 *   device->klass->end (device, frame, &error);
 *
 * A device and its operations are used by one thread at a time, except for
 * @set_context and @answer_context_query. Operations are closed before their
 * device. */
#pragma once

#include "correction.h"
#include "counts.h"
#include "difference.h"
#include "frameview.h"
#include "joint.h"
#include "meter.h"
#include "scope.h"

G_BEGIN_DECLS

typedef struct _VhDevice VhDevice;
typedef struct _VhDeviceClass VhDeviceClass;
typedef struct _VhCounter VhCounter;
typedef struct _VhCounterClass VhCounterClass;
typedef struct _VhJointCounter VhJointCounter;
typedef struct _VhJointCounterClass VhJointCounterClass;
typedef struct _VhDifferencer VhDifferencer;
typedef struct _VhDifferencerClass VhDifferencerClass;
typedef struct _VhMeter VhMeter;
typedef struct _VhMeterClass VhMeterClass;
typedef struct _VhCorrector VhCorrector;
typedef struct _VhCorrectorClass VhCorrectorClass;
typedef struct _VhScope VhScope;
typedef struct _VhScopeClass VhScopeClass;

/* How long to wait for a device, in ns; 0: the default of its class. An
 * emulated device takes longer for everything. */
typedef struct
{
  GstClockTime late_after;      /* a kernel that is silent for so long */
  GstClockTime correct_within;  /* a frame that is corrected */
} VhDeviceLimits;

/* Settings for opening a device. */
typedef struct
{
  VhDeviceLimits limits;
  gint cuda_device_id;          /* -1: any */
  gboolean must_exist;          /* or opening fails; otherwise the first frame
                                 * finds out */
  GstElement *element;          /* on behalf of which contexts are shared; may
                                 * be NULL; outlives the device */
} VhDeviceConfig;

typedef enum
{
  VH_FRAME_READ,
  VH_FRAME_WRITE,               /* and read */
} VhFrameAccess;

/* A frame on a device, from begin to end. Belongs to the device. */
typedef struct
{
  VhFrameView *view;            /* mapped */
} VhFrame;

struct _VhDevice
{
  const VhDeviceClass *klass;
};

struct _VhDeviceClass
{
  const gchar *name;            /* as in messages and properties; static */

  /* Whether @memory lies on such a device, where the host should not read it.
   * NULL: none does. */
  gboolean (*owns) (GstMemory * memory);

  /* The error (BACKEND) says in one clause why this machine cannot. */
  VhDevice *(*open) (const VhDeviceConfig * config, GError ** error);
  void (*close) (VhDevice * device);

  /* Prepares for frames of @layout, whose @upload_planes (a bit each) are
   * copied to the device from system memory; 0: frames are already there.
   * Anything that is slow the first time is done here. Fails with DEVICE; may
   * be called again then, which costs nothing while it would fail again. */
  gboolean (*configure) (VhDevice * device, const VhLayout * layout,
      guint upload_planes, GError ** error);

  /* Maps the proven planes of @view and copies them to the device if they are
   * not there. If there is no room for another frame, @wait decides between
   * waiting for room and OVERLOAD; it never waits for a device that hangs. NULL
   * with FRAME, OVERLOAD or DEVICE. Two frames may be begun at once. */
  VhFrame *(*begin) (VhDevice * device, VhFrameView * view,
      VhFrameAccess access, gboolean wait, GError ** error);

  /* Unmaps the view. Operations in flight may continue: the device holds the
   * buffer until they are done. A frame for writing is complete on return, or
   * will be in the order of its memory's stream; FALSE with DEVICE if it is
   * not, and must not be used. Of two frames, the one for writing is ended
   * first. */
  gboolean (*end) (VhDevice * device, VhFrame * frame, GError ** error);

  /* Operations, not configured. All but the first are NULL if a device has no
   * such operation. */
  VhCounter *(*new_counter) (VhDevice * device);
  VhJointCounter *(*new_joint_counter) (VhDevice * device);
  VhDifferencer *(*new_differencer) (VhDevice * device);
  VhMeter *(*new_meter) (VhDevice * device);
  VhCorrector *(*new_corrector) (VhDevice * device);
  VhScope *(*new_scope) (VhDevice * device);

  /* The rest may be NULL. */

  /* A new pool of memories on the device and stream of @memory, which the
   * device owns, and its configuration, to be completed and set; and whether
   * @pool is still such a one. */
  GstBufferPool *(*new_pool) (GstMemory * memory, GstStructure ** config);
  gboolean (*pool_fits) (GstBufferPool * pool, GstMemory * memory);

  /* Adds to the answer of an ALLOCATION @query the best pool for frames in
   * system memory, of @caps and @size bytes. */
  void (*propose_allocation) (VhDevice * device, GstQuery * query,
      GstCaps * caps, gsize size);

  /* GstContext, as in GstElement; called by any thread. */
  void (*set_context) (VhDevice * device, GstContext * context);
  gboolean (*answer_context_query) (VhDevice * device, GstQuery * query);
};

/* What is counted of each frame. */
typedef struct
{
  VhCountsShape shape;
  guint method;                 /* VhMethod: how a GPU counts */
} VhCountSpec;

struct _VhCounter
{
  const VhCounterClass *klass;
};

struct _VhCounterClass
{
  /* Prepares for frames of @layout; may be called again at any time. Allocates
   * nothing if no more memory is needed than before. */
  gboolean (*configure) (VhCounter * counter, const VhLayout * layout,
      const VhCountSpec * spec, GError ** error);

  /* Counts @region (in pixels of the planes) of @frame into @counts, which are
   * pending and have the configured shape: on return they are complete, or the
   * device will complete them. With FALSE nothing was counted: FRAME, OVERLOAD
   * or DEVICE says why. */
  gboolean (*submit) (VhCounter * counter, VhFrame * frame,
      const VhRect * region, VhCounts * counts, GError ** error);

  /* Why frames are not counted by the requested method, and which methods
   * could, in sentences; NULL if they are. May be NULL. */
  gchar *(*dup_method_problem) (VhCounter * counter);

  void (*close) (VhCounter * counter);
};

struct _VhJointCounter
{
  const VhJointCounterClass *klass;
};

struct _VhJointCounterClass
{
  /* Prepares for joint histograms of @bins x @bins of frames of @layout, on a
   * GPU by @method where it counts pairs; all large allocations happen here,
   * except for VhLuma. */
  gboolean (*configure) (VhJointCounter * joint, const VhLayout * layout,
      guint bins, guint method, GError ** error);

  /* Memory for luma of up to @pixels. */
  VhLuma *(*new_luma) (VhJointCounter * joint, gsize pixels, GError ** error);

  /* Does with @region of @frame what @work says. Counts that cannot be made are
   * failed; FALSE only if the device failed. */
  gboolean (*submit) (VhJointCounter * joint, VhFrame * frame,
      const VhRect * region, VhJoint * work, GError ** error);

  /* As that of VhCounterClass, for a method that counts pairs. May be NULL. */
  gchar *(*dup_method_problem) (VhJointCounter * joint);

  void (*close) (VhJointCounter * joint);
};

/* Compares frames with one that it keeps. */
struct _VhDifferencer
{
  const VhDifferencerClass *klass;
};

struct _VhDifferencerClass
{
  /* Prepares for frames of @layout, of which all planes are needed. Keeps none
   * at first. All large allocations happen here. */
  gboolean (*configure) (VhDifferencer * differencer, const VhLayout * layout,
      GError ** error);

  /* Compares the picture of @frame with the one that is kept, and copies it.
   * Counts that cannot be made are failed; FALSE only if the device failed: it
   * keeps none then. */
  gboolean (*submit) (VhDifferencer * differencer, VhFrame * frame,
      VhDifference * work, GError ** error);

  /* Keeps the frame that was last submitted, in place of the one before. */
  void (*keep) (VhDifferencer * differencer);

  void (*close) (VhDifferencer * differencer);
};

/* Measures zones of luma; keeps that of the last frame. */
struct _VhMeter
{
  const VhMeterClass *klass;
};

struct _VhMeterClass
{
  /* Prepares for frames of @layout, in @bins of luma. Keeps none at first. All
   * large allocations happen here. */
  gboolean (*configure) (VhMeter * meter, const VhLayout * layout, guint bins,
      GError ** error);

  /* Measures @region of @frame, no larger than a picture of the layout. Counts
   * that cannot be made are failed; FALSE only if the device failed: it keeps
   * none then. */
  gboolean (*submit) (VhMeter * meter, VhFrame * frame, const VhRect * region,
      VhMetering * work, GError ** error);

  void (*close) (VhMeter * meter);
};

struct _VhCorrector
{
  const VhCorrectorClass *klass;
};

struct _VhCorrectorClass
{
  /* Prepares to correct frames of @layout by curves like @curve; begins a
   * stream. */
  gboolean (*configure) (VhCorrector * corrector, const VhLayout * layout,
      const VhCurveParams * curve, GError ** error);

  /* Corrects @in into @out, which may be the same frame (then for writing).
   * Otherwise it has all planes of a frame of the same caps, for which
   * vh_frame_view_takes() is TRUE, and what vh_frame_view_copy() writes is
   * written. @counts are of luma of the picture of @in, in the bins and tiles
   * of @job, counted by a device of the same class, and may be pending. Frames
   * come in the order of the stream, whose curve the corrector keeps. FALSE
   * with FRAME or DEVICE if @out must not be used; if it is @in, it is
   * unchanged, as far as that can be known. */
  gboolean (*submit) (VhCorrector * corrector, VhFrame * in, VhFrame * out,
      VhCounts * counts, const VhEqualizeJob * job, GError ** error);

  void (*close) (VhCorrector * corrector);
};

struct _VhScope
{
  const VhScopeClass *klass;
};

struct _VhScopeClass
{
  /* Prepares to draw by @plan, which is kept until the next call: frames of
   * @in are drawn into frames of @out, of the same format, or the same size
   * too where they may be drawn in place. May be called again at any time; what
   * is shown of traces that continue goes on. All large allocations happen
   * here, and none where no more memory is needed than before. */
  gboolean (*configure) (VhScope * scope, const VhLayout * in,
      const VhLayout * out, VhScopePlan * plan, GError ** error);

  /* Counts the picture of @in, whose size the plan is for, and draws into @out:
   * the same frame (then for writing), or another one, of which the picture is
   * all of it, and all of it is written: the picture of @in, black elsewhere,
   * and panels. Frames come in the order of the stream. FALSE with FRAME or
   * DEVICE if @out must not be used; if it is @in, it is unchanged, as far as
   * that can be known. */
  gboolean (*submit) (VhScope * scope, VhFrame * in, VhFrame * out,
      const VhScopeJob * job, GError ** error);

  /* Waits for the frames that were submitted, and copies the table of trace
   * @i, not a histogram, of the last of them to @counts, of
   * vh_scope_trace_cells(). FALSE with DEVICE. */
  gboolean (*read) (VhScope * scope, guint i, guint32 * counts,
      GError ** error);

  void (*close) (VhScope * scope);
};

G_END_DECLS
