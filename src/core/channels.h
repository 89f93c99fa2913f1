/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The channels that can be counted, one row each, in the order of the values
 * of GstVideoHistogramChannel. VhCounts and the kernels use the same order. */
#pragma once

#include "layout.h"

G_BEGIN_DECLS

/* How the value of a channel comes from the components of a pixel. */
typedef enum
{
  VH_VALUE_COMPONENT,           /* the channel's only component, unchanged */
  VH_VALUE_LUMA,                /* from R, G, B, see VhLumaWeights */
  VH_VALUE_RED,                 /* RED, GREEN and BLUE: from Y, U, V, see
                                 * VhYuvToRgb; U and V of grey frames are
                                 * neutral */
  VH_VALUE_GREEN,
  VH_VALUE_BLUE,
  VH_VALUE_GRADIENT,            /* |luma of the pixel to the right - luma|; the
                                 * region's last column has no value */
  VH_N_VALUES,
} VhValue;

/* Sets of components, a bit each. */
#define VH_FIRST 1u
#define VH_SECOND 2u
#define VH_THIRD 4u
#define VH_ALL 7u

/* C (ID, name, description, and its components and value in grey, YUV and RGB
 * frames) */
/* *INDENT-OFF* */
#define VH_CHANNELS(C) \
  C (LUMA, "luma", "Luma: Y of YUV, a weighted sum of RGB", \
      VH_FIRST, COMPONENT, VH_FIRST, COMPONENT, VH_ALL, LUMA) \
  C (RED, "red", "Red: R of RGB, converted from YUV", \
      VH_FIRST, RED, VH_ALL, RED, VH_FIRST, COMPONENT) \
  C (GREEN, "green", "Green: G of RGB, converted from YUV", \
      VH_FIRST, GREEN, VH_ALL, GREEN, VH_SECOND, COMPONENT) \
  C (BLUE, "blue", "Blue: B of RGB, converted from YUV", \
      VH_FIRST, BLUE, VH_ALL, BLUE, VH_THIRD, COMPONENT) \
  C (GRADIENT, "gradient", "Luma differences to the next pixel on the right", \
      VH_FIRST, GRADIENT, VH_FIRST, GRADIENT, VH_ALL, GRADIENT)
/* *INDENT-ON* */

typedef enum
{
#define C(id, name, description, gc, gv, yc, yv, rc, rv) VH_CHANNEL_##id,
  VH_CHANNELS (C)
#undef C
  VH_N_CHANNELS,
} VhChannelId;

/* How a channel is computed for one color model. */
typedef struct
{
  guint components;             /* a bit each */
  VhValue value;
} VhChannelSource;

typedef struct
{
  const gchar *name;            /* as in messages */
  const gchar *description;
  VhChannelSource source[VH_N_MODELS];
} VhChannel;

extern const VhChannel vh_channels[VH_N_CHANNELS];

#define VH_ALL_CHANNELS ((1u << VH_N_CHANNELS) - 1)

/* How @channel is computed from frames of @layout. */
const VhChannelSource *vh_channel_source (const VhLayout * layout,
    guint channel);

/* The component of @layout that equals @channel, or -1 if its value has to be
 * computed. */
gint vh_channel_component (const VhLayout * layout, guint channel);

/* The set of components that counting @channels (a bit each) reads. */
guint vh_channels_components (const VhLayout * layout, guint channels);

/* The set of planes that counting @channels reads. */
guint vh_channels_planes (const VhLayout * layout, guint channels);

G_END_DECLS
