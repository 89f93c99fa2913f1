/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "outputs.h"

/* Time limit for the threads of outputs to end, µs. */
#define END_WITHIN (2 * G_TIME_SPAN_SECOND)

struct _VhmOutputs
{
  VhmFleet *fleet;
  GPtrArray *all;               /* of VhmOutput */
};

static const VhmOutputClass *
get_class (const VhmGroupClass * group)
{
  return (const VhmOutputClass *) group;
}

static VhmOutput *
output_new (VhmFleet * fleet, VhmGroup * settings, const gchar * page)
{
  const VhmOutputClass *klass = get_class (settings->class);
  VhmOutput *output = g_malloc0 (klass->size);

  output->settings = vhm_group_ref (settings);
  output->name = vhm_group_make_header (settings);
  output->page = g_strdup (page);
  output->fleet = fleet;
  output->reason = g_strdup ("");
  vhm_fleet_add_listener (fleet, &klass->listener, output);
  output->delivery = vhm_delivery_new (fleet, output->name, klass->window,
      klass->deliver, output);
  klass->start (output);
  return output;
}

static void
output_free (gpointer data)
{
  VhmOutput *output = data;
  const VhmOutputClass *klass =
      get_class (((VhmGroup *) output->settings)->class);

  if (klass->stop)
    klass->stop (output);
  vhm_delivery_free (output->delivery);
  vhm_fleet_remove_listener (output->fleet, output);
  vhm_group_unref (output->settings);
  g_free (output->name);
  g_free (output->page);
  g_free (output->reason);
  g_free (output);
}

VhmOutputs *
vhm_outputs_new (VhmFleet * fleet)
{
  VhmOutputs *outputs = g_new0 (VhmOutputs, 1);

  outputs->fleet = fleet;
  outputs->all = g_ptr_array_new_with_free_func (output_free);
  return outputs;
}

static guint
count_threads (void)
{
  guint n = 0, i;

  for (i = 0; vhm_output_groups[i]; i++)
    if (get_class (vhm_output_groups[i])->count_threads)
      n += get_class (vhm_output_groups[i])->count_threads ();
  return n;
}

gboolean
vhm_outputs_free (VhmOutputs * outputs)
{
  const gint64 end = g_get_monotonic_time () + END_WITHIN;

  g_ptr_array_unref (outputs->all);
  g_free (outputs);
  while (count_threads () && g_get_monotonic_time () < end)
    g_usleep (10000);
  return !count_threads ();
}

/* Takes the output with these settings out of @outputs. NULL if there is
 * none. */
static VhmOutput *
take_output (GPtrArray * outputs, const VhmGroup * settings)
{
  guint i;

  for (i = 0; i < outputs->len; i++)
    if (vhm_group_equal (((VhmOutput *) g_ptr_array_index (outputs,
                    i))->settings, settings))
      return g_ptr_array_steal_index (outputs, i);
  return NULL;
}

void
vhm_outputs_set (VhmOutputs * outputs, const GPtrArray * settings,
    const gchar * page)
{
  GPtrArray *before = outputs->all;
  guint i;

  outputs->all = g_ptr_array_new_with_free_func (output_free);
  for (i = 0; i < settings->len; i++)
    g_ptr_array_add (outputs->all,
        take_output (before, g_ptr_array_index (settings, i)));
  /* A changed output continues where the one before it ends. */
  g_ptr_array_unref (before);
  for (i = 0; i < settings->len; i++)
    if (!g_ptr_array_index (outputs->all, i))
      g_ptr_array_index (outputs->all, i) = output_new (outputs->fleet,
          g_ptr_array_index (settings, i), page);
}

const GPtrArray *
vhm_outputs_get_all (const VhmOutputs * outputs)
{
  return outputs->all;
}

void
vhm_outputs_recount (VhmOutputs * outputs)
{
  guint i;

  for (i = 0; i < outputs->all->len; i++)
    vhm_delivery_recount (((VhmOutput *) g_ptr_array_index (outputs->all,
                i))->delivery);
}
