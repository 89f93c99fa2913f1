/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Posts signed events and notices to a URL, one after the other.
 * docs/monitor-outputs.md describes requests and answers. For the main thread,
 * which it never blocks. */
#pragma once

#include "fleet.h"
#include "output.h"

G_BEGIN_DECLS

typedef struct _VhmWebhook VhmWebhook;

VhmWebhook *vhm_webhook_new (VhmWebhookSettings * settings, VhmFleet * fleet);
void vhm_webhook_free (VhmWebhook * webhook);

const VhmWebhookSettings *vhm_webhook_get_settings (const VhmWebhook *
    webhook);

/* Call it when an event has been stored. */
void vhm_webhook_note (VhmWebhook * webhook);

/* Call it when the picture of the event with this number has been stored. */
void vhm_webhook_note_picture (VhmWebhook * webhook, guint64 number);

/* Posts a notice. It is not kept across restarts, because the notice may say
 * that nothing can be stored. */
void vhm_webhook_notify (VhmWebhook * webhook, const VhmNotice * notice);

/* Call it after dead letters were requeued or discarded, or after an event was
 * stored without vhm_webhook_note(). */
void vhm_webhook_recount (VhmWebhook * webhook);

/* Call it several times a second. */
void vhm_webhook_tick (VhmWebhook * webhook);

/* Sets @output; the caller frees its strings. */
void vhm_webhook_describe (const VhmWebhook * webhook, VhmOutput * output);

G_END_DECLS
