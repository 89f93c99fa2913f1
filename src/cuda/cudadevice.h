/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.h"

G_BEGIN_DECLS

extern const VhDeviceClass vh_cuda_device_class;

G_END_DECLS
