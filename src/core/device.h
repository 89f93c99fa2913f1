/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A device processes the frames of one stream: the CPU or a GPU. It makes
 * operations, which are configured for caps, given frames and closed. A frame
 * is brought to the device once, for all operations that use it:
 *
 *   frame = device->klass->begin (device, &view, VH_FRAME_READ, FALSE, &error);
 *   counter->klass->submit (counter, frame, &region, counts, &error);
 *   joint->klass->submit (joint, frame, &region, &work, &error);
 *   device->klass->end (device, frame, &error);
 *
 * A device and its operations are used by one thread at a time, except for
 * @set_context and @answer_context_query. Operations are closed before their
 * device.
 *
 * "FALSE with DEVICE" means that a function returns FALSE and sets @error to
 * VH_ERROR_DEVICE, and so on for NULL and other errors. */
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
 * emulated device is slow and needs longer limits. */
typedef struct
{
  GstClockTime late_after;      /* until a kernel counts as late */
  GstClockTime correct_within;  /* for correcting a frame */
} VhDeviceLimits;

/* Settings for opening a device. */
typedef struct
{
  VhDeviceLimits limits;
  gint cuda_device_id;          /* -1: any */
  gboolean must_exist;          /* opening fails if the device does not
                                 * exist; if FALSE, this is noticed at the
                                 * first frame */
  GstElement *element;          /* shares contexts with its neighbours; may be
                                 * NULL; outlives the device */
} VhDeviceConfig;

/* The maximum number of frames on a device, from begin to end. */
#define VH_DEVICE_MAX_FRAMES 2

/* The maximum number of results, such as counts, that one operation of a GPU
 * may have of one frame: only joint counters have several, because frames of
 * other streams are counted against the frame too. */
#define VH_OPERATION_MAX_RESULTS 4

/* The maximum number of results of all operations of one frame, from begin to
 * end: submitting more fails with FRAME. */
#define VH_FRAME_MAX_RESULTS 8

typedef enum
{
  VH_FRAME_READ,
  VH_FRAME_WRITE,               /* for reading and writing */
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

  /* TRUE if measuring luminance with new_meter() takes less time than counting
   * luma in cells. */
  gboolean measures_cells;

  /* Whether @memory is on a device of this class, so that the host should not
   * read it. NULL: never. */
  gboolean (*owns) (GstMemory * memory);

  /* The error (BACKEND) says in one clause why the device cannot be used. */
  VhDevice *(*open) (const VhDeviceConfig * config, GError ** error);
  void (*close) (VhDevice * device);

  /* Prepares for frames of @layout, whose @upload_planes (a bit each) are
   * copied to the device from system memory; 0: frames are already on the
   * device. Does everything that is slow the first time. Fails with DEVICE. It
   * may then be called again, which costs nothing as long as it would still
   * fail. */
  gboolean (*configure) (VhDevice * device, const VhLayout * layout,
      guint upload_planes, GError ** error);

  /* Maps the planes in @view->planes, and copies them to the device unless they
   * are already there. If there is no room for another frame, @wait decides
   * between waiting for room and OVERLOAD; it never waits for a device that
   * hangs. Returns NULL with FRAME, OVERLOAD or DEVICE; a frame beyond
   * VH_DEVICE_MAX_FRAMES is a FRAME error. */
  VhFrame *(*begin) (VhDevice * device, VhFrameView * view,
      VhFrameAccess access, gboolean wait, GError ** error);

  /* Unmaps the view. Operations in flight may continue: the device holds the
   * buffer until they are done. A frame for writing is complete on return, or
   * in the order of its memory's stream. FALSE with DEVICE means that the frame
   * is not complete and must not be used. If two frames are begun, end the one
   * for writing first. */
  gboolean (*end) (VhDevice * device, VhFrame * frame, GError ** error);

  /* These make operations, which are not configured yet. All but the first are
   * NULL if the device lacks the operation. */
  VhCounter *(*new_counter) (VhDevice * device);
  VhJointCounter *(*new_joint_counter) (VhDevice * device);
  VhDifferencer *(*new_differencer) (VhDevice * device);
  VhMeter *(*new_meter) (VhDevice * device);
  VhCorrector *(*new_corrector) (VhDevice * device);
  VhScope *(*new_scope) (VhDevice * device);

  /* The rest may be NULL. */

  /* Makes a pool of memories on the device and stream of @memory, which must be
   * on this device, and its configuration, which the caller completes and sets.
   * pool_fits() says whether @pool still matches @memory. */
  GstBufferPool *(*new_pool) (GstMemory * memory, GstStructure ** config);
  gboolean (*pool_fits) (GstBufferPool * pool, GstMemory * memory);

  /* Adds to an ALLOCATION @query the best pool for frames in system memory, of
   * @caps and of @size bytes each. */
  void (*propose_allocation) (VhDevice * device, GstQuery * query,
      GstCaps * caps, gsize size);

  /* GstContext, as in GstElement; called by any thread. */
  void (*set_context) (VhDevice * device, GstContext * context);
  gboolean (*answer_context_query) (VhDevice * device, GstQuery * query);
};

/* What to count in each frame. */
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
   * device will complete them. FALSE with FRAME, OVERLOAD or DEVICE if nothing
   * was counted. */
  gboolean (*submit) (VhCounter * counter, VhFrame * frame,
      const VhRect * region, VhCounts * counts, GError ** error);

  /* Explains in full sentences why the requested method is not used, and which
   * method could be; NULL if it is used. The function may be NULL. */
  gchar *(*dup_method_problem) (VhCounter * counter);

  void (*close) (VhCounter * counter);
};

struct _VhJointCounter
{
  const VhJointCounterClass *klass;
};

struct _VhJointCounterClass
{
  /* Prepares for joint histograms of @bins x @bins of frames of @layout. A GPU
   * uses @method if that method can count pairs. All large allocations happen
   * here, except for VhLuma. */
  gboolean (*configure) (VhJointCounter * joint, const VhLayout * layout,
      guint bins, guint method, GError ** error);

  /* Memory for luma of up to @pixels. */
  VhLuma *(*new_luma) (VhJointCounter * joint, gsize pixels, GError ** error);

  /* Processes @region of @frame as @work says. Fails the counts that it cannot
   * make; FALSE with FRAME or DEVICE, after which they may be pending. */
  gboolean (*submit) (VhJointCounter * joint, VhFrame * frame,
      const VhRect * region, VhJoint * work, GError ** error);

  /* As in VhCounterClass, for methods that count pairs. May be NULL. */
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
  /* Prepares for frames of @layout, with all planes; no frame is kept at first.
   * All large allocations happen here. */
  gboolean (*configure) (VhDifferencer * differencer, const VhLayout * layout,
      GError ** error);

  /* Compares the picture of @frame with the kept one, and copies it. Fails the
   * counts that it cannot make; FALSE with FRAME or DEVICE, after which they
   * may be pending, and the kept frame must not be compared. */
  gboolean (*submit) (VhDifferencer * differencer, VhFrame * frame,
      VhDifference * work, GError ** error);

  /* Keeps the frame that was submitted last, in place of the one kept so far.
   */
  void (*keep) (VhDifferencer * differencer);

  void (*close) (VhDifferencer * differencer);
};

/* Adds up luma and chroma, and keeps the luma of the last frame. */
struct _VhMeter
{
  const VhMeterClass *klass;
};

struct _VhMeterClass
{
  /* Prepares for frames of @layout, with @bins of luma; no frame is kept at
   * first. All large allocations happen here. */
  gboolean (*configure) (VhMeter * meter, const VhLayout * layout, guint bins,
      GError ** error);

  /* Measures @region of @frame, no larger than a picture of the layout. Fails
   * the counts that it cannot make; FALSE with FRAME or DEVICE, after which
   * they may be pending, and the kept frame must not be compared. */
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
  /* Prepares to correct frames of @layout by curves like @curve; starts a new
   * stream. */
  gboolean (*configure) (VhCorrector * corrector, const VhLayout * layout,
      const VhCurveParams * curve, GError ** error);

  /* Corrects @in into @out. Both may be the same frame, begun for writing.
   * Otherwise @out has all planes of a frame of the same caps,
   * vh_frame_view_takes() must be TRUE for it, and everything that
   * vh_frame_view_copy() would write is written. @counts are the luma of the
   * picture of @in, in the bins and tiles of @job, counted by a device of the
   * same class; they may be pending. Frames must come in the order of the
   * stream, because the corrector carries its curve from frame to frame. FALSE
   * with FRAME or DEVICE if @out must not be used; if @out is @in, it is
   * unchanged as far as is known. */
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
  /* Prepares to draw @plan, which is kept until the next call: frames of @in
   * are drawn into frames of @out, which have the same format, and the same
   * size if they may be drawn in place. May be called again at any time; traces
   * that continue keep what they show. All large allocations happen here, and
   * none if no more memory is needed than before. */
  gboolean (*configure) (VhScope * scope, const VhLayout * in,
      const VhLayout * out, VhScopePlan * plan, GError ** error);

  /* Counts the picture of @in, which has the plan's size, and draws into @out.
   * Both may be the same frame, begun for writing. Otherwise @out has no crop,
   * and all of it is written: the picture of @in, black elsewhere, and panels.
   * Frames must come in the order of the stream. FALSE with FRAME or DEVICE if
   * @out must not be used; if @out is @in, it is unchanged as far as known. */
  gboolean (*submit) (VhScope * scope, VhFrame * in, VhFrame * out,
      const VhScopeJob * job, GError ** error);

  /* Waits for all submitted frames, and copies the table of trace @i of the
   * last one to @counts, which has room for vh_scope_trace_cells(). The trace
   * must not be a histogram. FALSE with DEVICE. */
  gboolean (*read) (VhScope * scope, guint i, guint32 * counts,
      GError ** error);

  void (*close) (VhScope * scope);
};

G_END_DECLS
