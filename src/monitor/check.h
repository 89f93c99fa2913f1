/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether what a configuration names is there: what else would only show once
 * the program runs. */
#pragma once

#include "settings.h"

G_BEGIN_DECLS

/* Elements that cameras need, and certificates and keys of outputs. */
void vhm_check_needs (const VhmSettings * settings, const gchar * file,
    VhmProblems * problems);

/* Whether the folder of the database is there or can be made; it is not left
 * behind. */
void vhm_check_folder (const VhmSettings * settings, const gchar * file,
    VhmProblems * problems);

/* What the configuration has, in one line; @verbose: the rules of each camera
 * after that. To be freed. */
gchar *vhm_check_describe (const VhmSettings * settings, const gchar * file,
    gboolean verbose);

G_END_DECLS
