/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers that a frame is judged by, from its histograms. Levels are as in
 * gst_video_histogram_get_bin_level(): black is 0, white is 1. */
#pragma once

#include "gst/videohistogram/gstvideohealthcondition.h"
#include "gst/videohistogram/gstvideojointhistogram.h"
#include "healthareas.h"

G_BEGIN_DECLS

/* The maximum number of cells on a side. Finer grids are combined into this
 * many. */
#define VH_HEALTH_SIDE 8
#define VH_HEALTH_CELLS (VH_HEALTH_SIDE * VH_HEALTH_SIDE)
#define VH_HEALTH_QUARTILES 4
#define VH_HEALTH_ROWS GST_VIDEO_HISTOGRAM_MAX_GRID

/* Parts of the picture: a grid that is finer than cells. */
#define VH_HEALTH_PART_SIDE 64
#define VH_HEALTH_PARTS (VH_HEALTH_PART_SIDE * VH_HEALTH_PART_SIDE)

/* Up to this level a pixel is dark. */
#define VH_HEALTH_DARK_LEVEL 0.15

/* The scale of luma, kept from frame to frame. */
typedef struct
{
  guint bins, depth;
  gboolean limited;
  GstVideoTransferFunction transfer;
  gdouble black, step;          /* level of bin 0, and difference per bin */
  gdouble gradient;             /* difference per bin of gradients */
  guint32 *luminance;           /* of each bin, in 1/256 cd/m² */
  guint32 *rest;                /* counts, used while a histogram is added */
} VhHealthScale;

/* Luma of a part of the picture, in whole numbers, so that the order of
 * additions does not matter. */
typedef struct
{
  guint64 pixels, sum, squares; /* of bins */
  guint64 luminance;            /* sum, in the scale's unit */
} VhHealthMoments;

/* Chroma of the picture, likewise. */
typedef struct
{
  guint bins;
  guint64 pixels, neutral;
  /* Samples in each bin. */
  guint64 u[GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS];
  guint64 v[GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS];
} VhHealthChroma;

typedef struct
{
  guint64 pixels;
  gdouble level;                /* mean */
  gdouble spread;               /* standard deviation of levels */
  gdouble luminance;            /* mean, in cd/m² */
  gdouble texture;              /* root mean square of gradients, in levels; 0
                                 * if they are not known */
  gdouble flat, faint;          /* shares of the gradients: of less than a step
                                 * of 8 bits, and of 1 to VH_FAINT_STEPS */
} VhHealthCell;

typedef struct
{
  const VhHealthAreas *ignored; /* or NULL. Cells that these touch do not count
                                 * in the picture's values, so histograms
                                 * without cells and joint histograms are not
                                 * used */
  GstVideoHealthEvidence present;       /* which of the following is known */

  /* LUMA */
  gdouble black, dark, bright;  /* shares of the picture */
  gdouble contrast;             /* 99th - 1st percentile, in levels */
  gdouble level;                /* mean */
  gdouble spread;               /* as for a cell */
  guint columns, rows;          /* of cells; 1x1 without a grid; 0x0: none */
  gboolean levels;              /* the levels of the cells are known */
  gdouble red_weight, blue_weight;      /* of luma, by its matrix */
  VhHealthCell cell[VH_HEALTH_CELLS];   /* row by row */

  gdouble texture;              /* GRADIENT: as for a cell */
  gdouble floor;                /* the same, including the ignored cells */
  gboolean textures;            /* the textures of the cells are known, too */
  gboolean gradients;           /* and so are their flat and faint gradients */

  guint n_bands;                /* ROWS */
  gdouble band[VH_HEALTH_ROWS]; /* mean level of each row of the grid */

  /* CHROMA; U and V are -0.5 to 0.5 */
  gdouble neutral;              /* share of the samples */
  gdouble u, v;                 /* mean */
  gdouble chroma_spread;        /* root mean square distance from the mean */
  gdouble least_u, least_v;     /* at least nine tenths of the samples are not
                                 * below these */
  gdouble quartile[VH_HEALTH_QUARTILES];        /* of the samples: the lower and
                                 * upper one of U, and of V */
  gdouble risen, fallen;        /* PREVIOUS: shares of the picture */
  gdouble difference;           /* DIFFERENCE: 0 to 1 */
  gboolean repeated;            /* the difference belongs to the previous
                                 * field, of the other parity */
  gdouble noise;                /* NOISE: standard deviation, in levels */
  gfloat *part;                 /* PARTS: mean levels of VH_HEALTH_PARTS, row by
                                 * row; allocated when they are first set */
  gdouble aspect;               /* of the picture: its height divided by its
                                 * width, in pixels */
  guint n_frames, n_corrupted;  /* CORRUPTED: frames since the last judged one,
                                 * and how many of them are damaged */
} VhHealthEvidence;

/* The cells that are ignored, a bit each, row by row. */
guint64 vh_health_evidence_find_ignored (const VhHealthEvidence * evidence);

/* Whether the set @cells has @cell. */
#define VH_HEALTH_HAS_CELL(cells, cell) (((cells) >> (cell) & 1) != 0)

/* Clears everything except @ignored; @part stays allocated. */
void vh_health_evidence_clear (VhHealthEvidence * evidence);

void vh_health_scale_clear (VhHealthScale * scale);

/* Makes @scale that of luma histograms of @info. */
void vh_health_scale_set (VhHealthScale * scale,
    const GstVideoHistogramInfo * info);

/* Adds the luma of @histogram, and sets @scale from it. FALSE if it has no luma
 * that can be used. */
gboolean vh_health_evidence_add_luma (VhHealthEvidence * evidence,
    VhHealthScale * scale, GstVideoHistogram * histogram);

/* Adds the gradients of @histogram. FALSE if it has no gradients that can be
 * used. */
gboolean vh_health_evidence_add_gradient (VhHealthEvidence * evidence,
    GstVideoHistogram * histogram);

/* Adds U against V, in the range of the luma histogram in @scale if that is
 * known. */
gboolean vh_health_evidence_add_chroma (VhHealthEvidence * evidence,
    const VhHealthScale * scale, GstVideoJointHistogram * joint);

/* Sets the cells, which are not known, of a grid of VH_HEALTH_SIDE. */
void vh_health_evidence_add_cells (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhHealthMoments cells[VH_HEALTH_CELLS]);

/* The same as vh_health_evidence_add_chroma(), with chroma of some pixels. */
void vh_health_evidence_set_chroma (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhHealthChroma * chroma);

/* Adds the luma of the previous frame against this frame's, in the scale of
 * this frame's histogram; FALSE if the scale is not known. */
gboolean vh_health_evidence_add_previous (VhHealthEvidence * evidence,
    const VhHealthScale * scale, GstVideoJointHistogram * joint);

/* Adds the luma of the kept frame against this frame's. */
gboolean vh_health_evidence_add_kept (VhHealthEvidence * evidence,
    GstVideoJointHistogram * joint);

gboolean vh_health_evidence_add_difference (VhHealthEvidence * evidence,
    gdouble difference);

void vh_health_evidence_add_corrupted (VhHealthEvidence * evidence,
    gboolean corrupted);

G_END_DECLS
