/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launch.h"

G_BEGIN_DECLS

/* Chooses the kernel that counts the frame of @params by @method (a VhMethod),
 * and fills the other parts of @params that it reads. AUTO means the fastest
 * method; it is also used if @method cannot count the frame. In that case
 * @problem, unless NULL, is set to a sentence that says why and names a method
 * that can. AUTO needs no scratch. The kernel may still have to be loaded. The
 * caller sets whether the frame is complete. */
VhCudaLaunch vh_cuda_choose_launch (const VhCudaDevice * device,
    const VhLayout * layout, guint method, VhKernelParams * params,
    gchar ** problem);

/* Chooses the kernel that counts the luma gradients of the frame of @params,
 * with @params->n_values results per cell; sets that number if it is 0. @params
 * then describes only these results. The caller sets whether the frame is
 * complete. */
VhCudaLaunch vh_cuda_choose_gradient (const VhCudaDevice * device,
    const VhLayout * layout, VhKernelParams * params);

/* Returns a sentence that says why @method cannot count these frames, and which
 * method can. */
gchar *vh_cuda_describe_problem (const VhCudaDevice * device,
    const VhLayout * layout, guint method, const VhKernelParams * params,
    const gchar * why);

G_END_DECLS
