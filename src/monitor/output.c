/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output.h"

/* The build defines VHM_OUTPUTS: OUTPUT (mqtt) for vhm_mqtt_output, and so
 * on. */
#define OUTPUT(name) extern const VhmOutputClass vhm_##name##_output;
VHM_OUTPUTS
#undef OUTPUT
#define OUTPUT(name) &vhm_##name##_output.group,
const VhmGroupClass *const vhm_output_groups[] = { VHM_OUTPUTS NULL };
