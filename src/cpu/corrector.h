/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.h"

G_BEGIN_DECLS

/* Corrects frames that are mapped, on the thread that submits them. */
VhCorrector *vh_cpu_corrector_new (VhDevice * device);

G_END_DECLS
