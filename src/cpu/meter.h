/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.h"

G_BEGIN_DECLS

/* Measures frames that are mapped, on the thread that submits them. */
VhMeter *vh_cpu_meter_new (VhDevice * device);

G_END_DECLS
