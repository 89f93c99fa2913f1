/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.h"

G_BEGIN_DECLS

VhScope *vh_cpu_scope_new (VhDevice * device);

G_END_DECLS
