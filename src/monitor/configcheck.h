/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that what a configuration names is available, which would otherwise
 * only show while the program runs. */
#pragma once

#include "settings.h"

G_BEGIN_DECLS

/* Checks the elements that cameras need, the certificates and keys of outputs,
 * and the limit of open files. */
void vhm_config_check_needs (const VhmSettings * settings, const gchar * file,
    VhmProblems * problems);

/* Checks that the folder of the database exists or can be created; does not
 * leave it behind. */
void vhm_config_check_folder (const VhmSettings * settings, const gchar * file,
    VhmProblems * problems);

/* Summarizes the configuration in one line; with @verbose the rules of each
 * camera follow. To be freed. */
gchar *vhm_config_check_describe (const VhmSettings * settings,
    const gchar * file, gboolean verbose);

G_END_DECLS
