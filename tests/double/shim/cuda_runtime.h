/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once
#include "cuda_shim.h"
