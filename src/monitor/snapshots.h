/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers with pictures that are made on demand, of the next frame. */
#pragma once

#include "fleet.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _VhmSnapshots VhmSnapshots;

VhmSnapshots *vhm_snapshots_new (VhmFleet * fleet);
void vhm_snapshots_free (VhmSnapshots * snapshots);

/* Answers @message with a picture of @camera that is at most about a second old
 * now, or with the last ordinary one if no frames come. */
void vhm_snapshots_answer (VhmSnapshots * snapshots,
    SoupServerMessage * message, VhmCamera * camera, VhmPictureSize size);

G_END_DECLS
