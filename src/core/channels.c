/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "channels.h"

/* *INDENT-OFF* */
const VhChannel vh_channels[VH_N_CHANNELS] = {
#define C(id, name, description, gc, gv, yc, yv, rc, rv) \
  {name, description, { \
      [VH_MODEL_GRAY] = {gc, VH_VALUE_##gv}, \
      [VH_MODEL_YUV] = {yc, VH_VALUE_##yv}, \
      [VH_MODEL_RGB] = {rc, VH_VALUE_##rv}, \
  }},
  VH_CHANNELS (C)
#undef C
};
/* *INDENT-ON* */

const VhChannelSource *
vh_channel_source (const VhLayout * layout, guint channel)
{
  return &vh_channels[channel].source[layout->model];
}

gint
vh_channel_component (const VhLayout * layout, guint channel)
{
  const VhChannelSource *source = vh_channel_source (layout, channel);

  return source->value == VH_VALUE_COMPONENT ?
      __builtin_ctz (source->components) : -1;
}

guint
vh_channels_components (const VhLayout * layout, guint channels)
{
  guint components = 0, i;

  for (i = 0; i < VH_N_CHANNELS; i++) {
    if (channels & (1u << i))
      components |= vh_channel_source (layout, i)->components;
  }
  return components;
}

guint
vh_channels_planes (const VhLayout * layout, guint channels)
{
  const guint components = vh_channels_components (layout, channels);
  guint planes = 0, i;

  for (i = 0; i < layout->n_components; i++) {
    if (components & (1u << i))
      planes |= 1u << layout->component[i].plane;
  }
  return planes;
}
