/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upload.h"
#include "pinned.h"

#include <string.h>

/* Rows of uploaded planes are aligned to this many bytes. */
#define UPLOAD_ALIGN 128

struct _VhCudaStaging
{
  gint refcount;                /* atomic: held by the upload and a fence */
  VhCudaMemory *memory;
  VhCudaPinned *pinned;         /* of the same size, or NULL */
  VhCudaFence *fence;           /* of the last frame in it, or NULL */
};

static void
staging_unref (gpointer data)
{
  VhCudaStaging *self = data;

  if (!g_atomic_int_dec_and_test (&self->refcount))
    return;
  if (self->memory)
    vh_cuda_pinned_give (self->memory->stream->device, self->pinned);
  vh_cuda_memory_free (self->memory, &self->fence, 1);
  g_clear_pointer (&self->fence, vh_cuda_fence_unref);
  g_free (self);
}

static CUresult
prepare (VhCudaStaging ** staging, VhCudaStream * stream, gsize size,
    gboolean pinned)
{
  CUresult result = CUDA_SUCCESS;

  if (*staging && (*staging)->memory->size < size)
    g_clear_pointer (staging, staging_unref);
  if (!*staging) {
    VhCudaMemory *memory = vh_cuda_memory_new (stream, size, FALSE, &result);

    if (!memory)
      return result;
    *staging = g_new0 (VhCudaStaging, 1);
    (*staging)->refcount = 1;
    (*staging)->memory = memory;
  }
  if (pinned && !(*staging)->pinned) {
    (*staging)->pinned = vh_cuda_pinned_take (stream->device,
        (*staging)->memory->size, &result);
  }
  return result;
}

CUresult
vh_cuda_upload_prepare (VhCudaUpload * self, VhCudaStream * stream, gsize size,
    gboolean pinned)
{
  CUresult result = CUDA_SUCCESS;
  guint i;

  for (i = 0; i < VH_CUDA_UPLOADS && result == CUDA_SUCCESS; i++)
    result = prepare (&self->staging[i], stream, size, pinned);
  return result;
}

gsize
vh_cuda_upload_size (const VhLayout * layout, guint planes)
{
  const GstVideoInfo *info = &layout->info;
  gsize size = 0;
  guint p;

  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];

    if (!(planes & (1u << p)))
      continue;
    gst_video_format_info_component (info->finfo, p, components);
    size += (gsize) GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]) *
        GST_ROUND_UP_N (GST_VIDEO_INFO_PLANE_STRIDE (info, p), UPLOAD_ALIGN);
  }
  return size;
}

gboolean
vh_cuda_upload_is_pinned (const VhFrameView * view)
{
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if ((view->planes & (1u << p)) && (!view->plane[p].memory
            || !vh_is_pinned_memory (view->plane[p].memory)))
      return FALSE;
  }
  return TRUE;
}

/* Sets the place of each plane in an upload; returns the total size. */
static gsize
place_planes (VhCudaPlanes * planes)
{
  gsize size = 0;
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    const VhPlane *plane = &planes->view->plane[p];

    if (!(planes->view->planes & (1u << p)))
      continue;
    planes->data[p] = size;
    planes->stride[p] = GST_ROUND_UP_N (plane->row_bytes, UPLOAD_ALIGN);
    size += planes->stride[p] * plane->rows;
  }
  return size;
}

/* Copies a plane to memory that the copy engine reads. */
static void
copy_rows (guint8 * to, gsize to_stride, const VhPlane * plane)
{
  guint y;

  for (y = 0; y < plane->rows; y++)
    memcpy (to + y * to_stride, plane->data + y * plane->stride,
        plane->row_bytes);
}

static CUresult
upload_plane (VhCudaStaging * staging, VhCudaStream * stream,
    const VhPlane * plane, CUdeviceptr * data, gsize stride, gboolean pinned)
{
  CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_HOST,
    .srcHost = plane->data,
    .srcPitch = plane->stride,
    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
    .dstPitch = stride,
    .WidthInBytes = plane->row_bytes,
    .Height = plane->rows,
  };

  if (!pinned) {
    guint8 *to = staging->pinned->data + *data;

    copy_rows (to, stride, plane);
    copy.srcHost = to;
    copy.srcPitch = stride;
  }
  *data += staging->memory->address;
  copy.dstDevice = *data;
  return stream->device->driver->Memcpy2DAsync (&copy, stream->handle);
}

/* Finds a staging area that no frame uses. There is one as long as fewer than
 * VH_CUDA_UPLOADS frames are in flight. */
static VhCudaStaging *
find_staging (VhCudaUpload * self)
{
  guint i;

  for (i = 0; i < VH_CUDA_UPLOADS; i++) {
    VhCudaStaging *staging = self->staging[i];

    if (!staging->fence
        || vh_cuda_fence_poll (staging->fence) == VH_CUDA_FENCE_PASSED)
      return staging;
  }
  return NULL;
}

CUresult
vh_cuda_upload_frame (VhCudaUpload * self, VhCudaStream * stream,
    VhCudaFence * fence, VhCudaPlanes * planes)
{
  const gboolean pinned = vh_cuda_upload_is_pinned (planes->view);
  const gsize size = place_planes (planes);
  CUresult result = vh_cuda_upload_prepare (self, stream, size, !pinned);
  VhCudaStaging *staging;
  guint p;

  if (result != CUDA_SUCCESS)
    return result;
  staging = find_staging (self);
  if (!staging)
    return CUDA_ERROR_NOT_READY;
  g_clear_pointer (&staging->fence, vh_cuda_fence_unref);
  staging->fence = vh_cuda_fence_ref (fence);
  g_atomic_int_inc (&staging->refcount);
  vh_cuda_fence_hold (fence, staging, staging_unref, FALSE);

  for (p = 0; p < GST_VIDEO_MAX_PLANES && result == CUDA_SUCCESS; p++) {
    if (planes->view->planes & (1u << p)) {
      result = upload_plane (staging, stream, &planes->view->plane[p],
          &planes->data[p], planes->stride[p], pinned);
    }
  }
  return result;
}

void
vh_cuda_upload_clear (VhCudaUpload * self)
{
  guint i;

  for (i = 0; i < VH_CUDA_UPLOADS; i++)
    g_clear_pointer (&self->staging[i], staging_unref);
}
