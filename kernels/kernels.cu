/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What method=auto chooses from, to be compiled into one fat binary. */
#include "framecolumns.cu"
#include "lanecolumns.cu"
#include "packedcounters.cu"
#include "replicated.cu"
