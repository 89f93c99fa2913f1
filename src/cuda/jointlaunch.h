/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/joint.h"
#include "device.h"
#include "params.h"

G_BEGIN_DECLS

typedef enum
{
  VH_CUDA_JOINT_CHROMA,
  VH_CUDA_JOINT_LUMA,
  VH_CUDA_JOINT_KEEP,           /* keeps luma, and counts nothing */
} VhCudaJointWork;

/* Loads the kernels of @method, which vh_cuda_joint_choose_method()
 * returned. */
CUresult vh_cuda_joint_load (VhCudaDevice * device, guint method);

/* Chooses the method (a VhMethod) that counts joint histograms of @bins x @bins
 * of frames with the layout of @params: the requested @method if it can count
 * pairs, otherwise AUTO, which needs no @scratch. If @method can count pairs,
 * but not with that many bins, sets @problem to sentences that say why, and
 * which method can. */
guint vh_cuda_joint_choose_method (const VhCudaDevice * device, guint method,
    const VhKernelParams * params, guint bins, gsize * scratch,
    gchar ** problem);

/* Makes chroma samples take the place of pixels in @params, which describe
 * @region of a frame of @layout, and finds out how to read them. */
void vh_cuda_joint_place_chroma (VhJointParams * params,
    const VhLayout * layout, const VhRect * region);

/* Launches the kernels for @work by @method on @stream, and fills the part of
 * @params that describes the launch; chroma must be placed. */
CUresult vh_cuda_joint_launch (const VhCudaDevice * device, guint method,
    VhCudaJointWork work, VhJointParams * params, CUstream stream);

G_END_DECLS
