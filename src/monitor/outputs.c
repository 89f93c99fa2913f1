/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "outputs.h"

#include "mqtt.h"
#include "webhook.h"

struct _VhmOutputs
{
  VhmFleet *fleet;
  VhmMqtt *mqtt;
  GPtrArray *webhooks;          /* of VhmWebhook */
};

/* Only for webhooks, because MQTT is a listener itself. */

static void
call_all (const VhmOutputs * outputs, void (*function) (VhmWebhook *))
{
  guint i;

  for (i = 0; i < outputs->webhooks->len; i++)
    function (g_ptr_array_index (outputs->webhooks, i));
}

static void
on_event (gpointer data, VhmCamera * camera, const VhmEvent * event)
{
  (void) camera;
  (void) event;
  call_all (data, vhm_webhook_note);
}

static void
on_picture (gpointer data, guint64 number)
{
  const VhmOutputs *outputs = data;
  guint i;

  for (i = 0; i < outputs->webhooks->len; i++)
    vhm_webhook_note_picture (g_ptr_array_index (outputs->webhooks, i),
        number);
}

static void
on_notice (gpointer data, const VhmNotice * notice)
{
  const VhmOutputs *outputs = data;
  guint i;

  for (i = 0; i < outputs->webhooks->len; i++)
    vhm_webhook_notify (g_ptr_array_index (outputs->webhooks, i), notice);
}

static void
on_tick (gpointer data)
{
  call_all (data, vhm_webhook_tick);
}

static const VhmListener listener = {.event = on_event,.tick = on_tick,
  .picture = on_picture,.notice = on_notice
};

VhmOutputs *
vhm_outputs_new (VhmFleet * fleet)
{
  VhmOutputs *outputs = g_new0 (VhmOutputs, 1);

  outputs->fleet = fleet;
  outputs->mqtt = vhm_mqtt_new (fleet);
  outputs->webhooks =
      g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_webhook_free);
  vhm_fleet_add_listener (fleet, &listener, outputs);
  return outputs;
}

gboolean
vhm_outputs_free (VhmOutputs * outputs)
{
  const gboolean all = vhm_mqtt_free (outputs->mqtt);

  g_ptr_array_unref (outputs->webhooks);
  g_free (outputs);
  return all;
}

/* Takes the webhook with equal settings out of @webhooks, or makes a new
 * one. */
static VhmWebhook *
take_webhook (VhmOutputs * outputs, GPtrArray * webhooks,
    VhmWebhookSettings * settings)
{
  guint i;

  for (i = 0; i < webhooks->len; i++) {
    VhmWebhook *webhook = g_ptr_array_index (webhooks, i);

    if (vhm_group_equal (vhm_webhook_get_settings (webhook),
            settings))
      return g_ptr_array_steal_index (webhooks, i);
  }
  return vhm_webhook_new (settings, outputs->fleet);
}

void
vhm_outputs_set (VhmOutputs * outputs, const VhmSettings * settings,
    const gchar * page)
{
  GPtrArray *before = outputs->webhooks;
  VhmMqttSettings *mqtt = NULL;
  guint i;

  outputs->webhooks =
      g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_webhook_free);
  for (i = 0; i < settings->outputs->len; i++) {
    VhmGroup *group = g_ptr_array_index (settings->outputs, i);

    if (group->class == &vhm_mqtt_group)
      mqtt = (VhmMqttSettings *) group;
    else
      g_ptr_array_add (outputs->webhooks, take_webhook (outputs, before,
              (VhmWebhookSettings *) group));
  }
  vhm_mqtt_set (outputs->mqtt, mqtt, page);
  g_ptr_array_unref (before);
}

static void
output_free (gpointer data)
{
  VhmOutput *output = data;

  g_free (output->name);
  g_free (output->reason);
  g_free (output);
}

GPtrArray *
vhm_outputs_describe (const VhmOutputs * outputs)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (output_free);
  VhmOutput *output = g_new0 (VhmOutput, 1);
  guint i;

  if (vhm_mqtt_describe (outputs->mqtt, output))
    g_ptr_array_add (all, output);
  else
    g_free (output);
  for (i = 0; i < outputs->webhooks->len; i++) {
    output = g_new0 (VhmOutput, 1);
    vhm_webhook_describe (g_ptr_array_index (outputs->webhooks, i), output);
    g_ptr_array_add (all, output);
  }
  return all;
}

void
vhm_outputs_recount (VhmOutputs * outputs)
{
  call_all (outputs, vhm_webhook_recount);
}
