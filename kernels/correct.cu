/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What corrects frames, to be compiled into one fat binary. */
#include "curve.cu"
#include "equalize.cu"
