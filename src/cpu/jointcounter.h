/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.h"

G_BEGIN_DECLS

/* Counts joint histograms of frames that are mapped, on the thread that submits
 * them. */
VhJointCounter *vh_cpu_joint_counter_new (VhDevice * device);

G_END_DECLS
