/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All metrics, in Prometheus' text format. */
#pragma once

#include "outputs.h"

G_BEGIN_DECLS

/* To be freed. */
gchar *vhm_metrics_make (const VhmFleet * fleet, const VhmOutputs * outputs);

G_END_DECLS
