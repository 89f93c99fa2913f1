/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.h"

G_BEGIN_DECLS

/* Compares frames that are mapped, on the thread that submits them. */
VhDifferencer *vh_cpu_differencer_new (VhDevice * device);

G_END_DECLS
