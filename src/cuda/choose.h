/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launch.h"

G_BEGIN_DECLS

/* Chooses the kernel that counts the frame of @params by @method (a VhMethod),
 * and fills what else of @params it reads. AUTO stands for the fastest method,
 * which is also used if @method cannot count the frame; then @problem, unless
 * NULL, is set to a sentence that says why and names a method that can. AUTO
 * needs no scratch. The kernel may have to be loaded. The caller sets whether
 * the frame is complete. */
VhCudaLaunch vh_cuda_choose_launch (const VhCudaDevice * device,
    const VhLayout * layout, guint method, VhKernelParams * params,
    gchar ** problem);

/* Chooses the kernel that counts gradients of luma of the frame of @params,
 * with as many results for each cell as @params->n_values says; if that is 0,
 * it is set. @params then describes only these results. The caller sets whether
 * the frame is complete. */
VhCudaLaunch vh_cuda_choose_gradient (const VhCudaDevice * device,
    const VhLayout * layout, VhKernelParams * params);

/* A sentence that says that @method cannot count these frames, why, and which
 * method can. */
gchar *vh_cuda_describe_problem (const VhCudaDevice * device,
    const VhLayout * layout, guint method, const VhKernelParams * params,
    const gchar * why);

G_END_DECLS
