/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "correction.h"
#include "frameview.h"
#include "histogram-private.h"
#include "joint.h"

G_BEGIN_DECLS

typedef struct _VhBackend VhBackend;
typedef struct _VhBackendClass VhBackendClass;

/* What the engine gives a backend to open with. */
typedef struct
{
  gint cuda_device_id;          /* -1: any */
  GstElement *element;          /* on whose behalf, to share contexts; may be
                                 * NULL; outlives the backend */
} VhBackendConfig;

/* Where frames are counted: one implementation per kind of device. None of the
 * functions is called by two threads at once for the same backend, but for
 * @set_context and @answer_context_query. */
struct _VhBackendClass
{
  const gchar *name;            /* as in messages and properties */

  /* Makes a backend ready to be configured, at NULL to READY. The error says in
   * one clause why this machine cannot. */
  VhBackend *(*open) (const VhBackendConfig * config, GError ** error);

  /* Prepares for frames of @layout and for histograms of @info (its picture and
   * region are those of a frame without crop meta), which are to be brought to
   * the device if @upload and counted by @method if it can; all allocation of
   * size happens here, once per caps. */
  gboolean (*configure) (VhBackend * backend, const VhLayout * layout,
      const GstVideoHistogramInfo * info, GstVideoHistogramMethod method,
      gboolean upload, GError ** error);

  /* Counts @region (in pixels of the planes) of @view into @histogram, which is
   * pending and described by its info. On return it is complete, or pending in
   * the hands of the backend, which may hold a reference to the view's buffer
   * until it is complete. With FALSE nothing was counted: ERROR_FRAME, OVERLOAD
   * or DEVICE says why. */
  gboolean (*submit) (VhBackend * backend, VhFrameView * view,
      const VhRect * region, GstVideoHistogram * histogram, GError ** error);

  /* Ends; histograms that are pending become complete or failed by
   * themselves. */
  void (*close) (VhBackend * backend);

  /* The rest may be NULL. */

  /* Why frames of what was configured last are not counted by the method that
   * was asked for, and which could, in sentences; NULL where they are. */
  gchar *(*dup_method_problem) (VhBackend * backend);

  /* Prepares for joint histograms of @bins x @bins, until the next configure;
   * all allocation of size for them happens here, but for lumas. @planes (a bit
   * each) are those that frames are then needed of. NULL where a backend has no
   * joint histograms. */
  gboolean (*prepare_joint) (VhBackend * backend, guint bins, guint planes,
      GError ** error);

  /* Memory for luma of up to @pixels. */
  VhLuma *(*new_luma) (VhBackend * backend, gsize pixels, GError ** error);

  /* As @submit, and does besides what @joint says: where frames are counted and
   * that cannot be, its counts have failed. Without @histogram it does only
   * that. The view has the planes for both. */
  gboolean (*submit_joint) (VhBackend * backend, VhFrameView * view,
      const VhRect * region, GstVideoHistogram * histogram, VhJoint * joint,
      GError ** error);

  /* Prepares for frames of what was configured to be corrected by curves like
   * @curve: what takes long the first time, or needs memory, is done here. May
   * be NULL, or fail: then the first frame has it done. */
  gboolean (*prepare_equalize) (VhBackend * backend,
      const VhCurveParams * curve, GError ** error);

  /* Corrects frame @in into @out, which may be the same view (it is mapped for
   * reading and writing then) and else has all planes of a frame of the same
   * caps, where vh_frame_view_takes() the picture: what is written then is what
   * vh_frame_view_copy() writes. Neither is mapped. @histogram is of luma of
   * the picture of @in, in the bins and tiles of @job, counted by a backend of
   * the same class; it may be pending. Frames come in the order of the stream,
   * whose curve the backend keeps. On return @out is complete, or will be in
   * the order of the stream that its memory tells. FALSE with ERROR_FRAME or
   * ERROR_DEVICE where @out is not, which is then not to be used; where @in is
   * @out, it is unchanged, if anybody can tell. */
  gboolean (*equalize) (VhBackend * backend, VhFrameView * in,
      VhFrameView * out, GstVideoHistogram * histogram,
      const VhEqualizeJob * job, GError ** error);

  /* Whether @memory lies on the device, where the host had better not read
   * it. */
  gboolean (*owns) (GstMemory * memory);

  /* A new pool of memories on the device and stream of @memory, which the
   * device owns, and its configuration, to be completed and set. */
  GstBufferPool *(*new_pool) (GstMemory * memory, GstStructure ** config);

  /* Whether @pool is one that new_pool() makes for @memory. */
  gboolean (*pool_fits) (GstMemory * memory, GstBufferPool * pool);

  /* Adds to the answer of an ALLOCATION @query what frames in system memory had
   * best be written to. */
  void (*propose_allocation) (VhBackend * backend, GstQuery * query);

  /* GstContext, as GstElement has it. */
  void (*set_context) (VhBackend * backend, GstContext * context);
  gboolean (*answer_context_query) (VhBackend * backend, GstQuery * query);
};

struct _VhBackend
{
  const VhBackendClass *klass;
};

extern const VhBackendClass vh_cpu_backend_class;
extern const VhBackendClass vh_cuda_backend_class;

G_END_DECLS
