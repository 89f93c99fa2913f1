/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Posts events and notices to an address, signed, one after the other:
 * docs/monitor.md has requests and answers. For the main thread, which never
 * waits for it. */
#pragma once

#include "fleet.h"
#include "output.h"

G_BEGIN_DECLS

typedef struct _VhmWebhook VhmWebhook;

VhmWebhook *vhm_webhook_new (VhmWebhookSettings * settings, VhmFleet * fleet);
void vhm_webhook_free (VhmWebhook * webhook);

const VhmWebhookSettings *vhm_webhook_get_settings (const VhmWebhook *
    webhook);

/* An event is stored. */
void vhm_webhook_note (VhmWebhook * webhook);

/* The picture of the event of this number is stored. */
void vhm_webhook_note_picture (VhmWebhook * webhook, guint64 number);

/* Something concerns all cameras. It is not kept for after a restart: it may
 * be that nothing can be stored. */
void vhm_webhook_notify (VhmWebhook * webhook, const VhmNotice * notice);

/* Dead letters are to be tried again, or were forgotten, or an event was stored
 * that was not noted. */
void vhm_webhook_recount (VhmWebhook * webhook);

/* To be called several times a second. */
void vhm_webhook_tick (VhmWebhook * webhook);

/* Sets @output, whose texts are to be freed. */
void vhm_webhook_describe (const VhmWebhook * webhook, VhmOutput * output);

G_END_DECLS
