/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launch.h"

G_BEGIN_DECLS

/* The kernel that counts such a frame by @method (a VhMethod), and what of
 * @params it reads besides. AUTO stands for the method that is fastest, which
 * is also taken where @method cannot count the frame; then @problem, unless
 * NULL, is set to a sentence that says why and names a method that can. AUTO
 * needs no scratch. The kernel may have to be loaded. Whether the frame is
 * complete is left to the caller to say. */
VhCudaLaunch vh_cuda_choose_launch (const VhCudaDevice * device,
    const VhLayout * layout, guint method, VhKernelParams * params,
    gchar ** problem);

/* A sentence that says that @method cannot count such frames, why in a clause,
 * and which method can. */
gchar *vh_cuda_describe_problem (const VhCudaDevice * device,
    const VhLayout * layout, guint method, const VhKernelParams * params,
    const gchar * why);

G_END_DECLS
