/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings from the key file and the command line, validated as a whole before
 * any of them is used. */
#pragma once

#include "settingscameras.h"
#include "settingsserver.h"

G_BEGIN_DECLS

typedef struct
{
  VhmCameraSettings *defaults;  /* [cameras] */
  VhmHttpSettings *http;
  VhmStoreSettings *store;
  GPtrArray *outputs;           /* of VhmGroup, in file order */
  GPtrArray *cameras;           /* of VhmCameraSettings, in file order */
  GPtrArray *lines;             /* of VhmKeyLine, or NULL */
} VhmSettings;

/* The command line. */
typedef struct
{
  gchar *config;                /* the key file, or NULL */
  gchar *listen;                /* overrides the key file, or NULL */
  gchar *directory;             /* likewise */
  gchar **sources;              /* [NAME=]SOURCE each, or NULL */
} VhmArguments;

/* Reads groups for cameras, the server and @outputs, which end with NULL. Adds
 * everything that is wrong to @problems. After an error the result is only
 * valid for vhm_config_check_needs() and vhm_config_check_folder(). */
VhmSettings *vhm_settings_read (const VhmArguments * arguments,
    const VhmGroupClass * const *outputs, VhmProblems * problems);
void vhm_settings_free (VhmSettings * settings);

G_END_DECLS
