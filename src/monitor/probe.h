/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command that tries a camera: what it sends, what is wrong with it, and
 * its group for the key file. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define VHM_PROBE "probe"

/* Runs the command with its own arguments, argv[0] being its name. Returns the
 * exit status. May leave threads that are stuck: exit at once. */
int vhm_probe_run (int argc, char **argv);

G_END_DECLS
