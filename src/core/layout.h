/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Where the samples of one component lie: sample (x, y) of the picture is the
 * little- or big-endian word of @sample_bytes at
 * `plane + (y >> h_sub) * stride + (x >> w_sub) * pixel_stride + offset`,
 * and its code value `(word >> shift) & ((1 << depth) - 1)`. */
typedef struct
{
  guint8 plane;
  guint8 offset;                /* bytes */
  guint8 pixel_stride;          /* bytes */
  guint8 sample_bytes;          /* 1, 2 or 4 */
  guint8 shift;                 /* bits */
  guint8 w_sub, h_sub;          /* log2 */
} VhComponent;

/* What the components of a format are. */
typedef enum
{
  VH_MODEL_GRAY,                /* Y */
  VH_MODEL_YUV,                 /* Y, U, V */
  VH_MODEL_RGB,                 /* R, G, B */
  VH_N_MODELS,
} VhModel;

/* Where the samples of a format lie in its planes, and how channels are
 * computed from them. Plain data, made once per caps. */
typedef struct
{
  GstVideoInfo info;
  VhModel model;
  guint depth;                  /* bits of a sample, 8 to 16 */
  gboolean big_endian;
  guint n_components;           /* 1 or 3: alpha is not a component */
  VhComponent component[3];
  GstVideoColorimetry colorimetry;      /* of the caps; its range is known */
  GstVideoColorMatrix matrix;   /* for luma of RGB and RGB of YUV */
} VhLayout;

/* A rectangle in pixels of the picture. */
typedef struct
{
  guint x, y, width, height;
} VhRect;

/* Whether frames of @finfo can be counted. */
gboolean vh_layout_supports (const GstVideoFormatInfo * finfo);

/* Fills @layout from raw video @caps; FALSE with @error set unless
 * vh_layout_supports() their format. */
gboolean vh_layout_from_caps (VhLayout * layout, GstCaps * caps,
    GError ** error);

/* The cell at @column and @row of a grid over @region: the pixels with `x *
 * columns / width == column`, and the same for rows. Cells may be empty. */
VhRect vh_grid_cell (const VhRect * region, guint columns, guint rows,
    guint column, guint row);

G_END_DECLS
