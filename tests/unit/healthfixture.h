/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GstVideoHealth, and simulated cameras for it. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

#include "common/close.h"
#include "common/suite.h"

G_BEGIN_DECLS

#define N GST_VIDEO_HEALTH_N_CONDITIONS
#define C(id) GST_VIDEO_HEALTH_CONDITION_##id
#define BIT(id) GST_VIDEO_HEALTH_CONDITIONS_##id
#define LUMA GST_VIDEO_HISTOGRAM_CHANNEL_LUMA
#define GRADIENT GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT

#define SIDE 8
#define CELLS (SIDE * SIDE)
#define BINS 256
#define CELL_PIXELS 1000

/* The object under test, and the time of the next frame that show() gives it.
 * Each test starts with a new object and at 0. */
extern GstVideoHealth *health;
extern GstClockTime now;

void health_setup (void);
void health_teardown (void);

/* Continues with a new object, as after a restart of the program. */
void health_renew (void);

/* Histograms */

/* Fills the bins of cell @c, which are 0 before; @gradient is NULL if only luma
 * is counted. */
typedef void (*FillCell) (guint c, guint32 * luma, guint32 * gradient,
    gconstpointer data);

/* A histogram of @side x @side cells in 256 bins. */
GstVideoHistogram *make_cells (guint side, GstVideoHistogramChannels channels,
    GstVideoColorRange range, FillCell fill, gconstpointer data);

#define WITH_GRADIENT (GST_VIDEO_HISTOGRAM_CHANNELS_LUMA | \
    GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT)

/* 50,000 pixels in 256 bins around @mean, with @spread, both in levels. */
void fill_bell (guint32 * counts, gdouble mean, gdouble spread);

/* A histogram of @columns x @rows cells, each with one value. */
GstVideoHistogram *make_flat (guint depth, guint columns, guint rows,
    guint (*code_of) (guint x, guint y, gconstpointer data),
    gconstpointer data);

/* For make_flat(): all cells have the same code, @data. */
guint same_code (guint x, guint y, gconstpointer data);

/* @share of the pixels in bin @bin, and the others in the middle. */
GstVideoHistogram *make_two (GstVideoColorRange range, guint depth, guint bin,
    gdouble share);

/* A camera's picture: each cell has its own level, spread and texture. */
typedef struct
{
  guint seed;
  gdouble contrast;             /* factor for levels and textures */
  gdouble sharpness;            /* factor for textures */
  gboolean covered;
  guint side;                   /* of the grid; 0: SIDE */
  guint textures;               /* seed of other textures; 0: the usual ones */
} Scene;

extern const Scene usual, other_scene, covered_scene;

/* Returns the histogram of @scene from a cache. */
GstVideoHistogram *get_scene (const Scene * scene);

/* The upper half of one scene and the lower half of another, with only @part of
 * the pixels in each cell. */
GstVideoHistogram *make_halves (const Scene * upper, const Scene * lower,
    gdouble part);

/* Frames: evidence is added, then judged. */

void judge (GstClockTime time);

/* Takes @histogram. */
void add (GstVideoHistogram * histogram);
void add_luma (gboolean bad, guint bin);
void add_scene (const Scene * scene);

/* Chroma around @u, @v, in 8-bit codes, up to @reach away. */
GstVideoJointHistogram *make_chroma (guint bins, guint u, guint v, guint reach);
void add_chroma (guint u, guint v, guint reach);

/* Takes @joint, and returns whether it was accepted. */
gboolean add_joint (GstVideoHistogramJoint kind,
    GstVideoJointHistogram * joint);

void judge_difference (gdouble difference, guint ms);

/* Frame @i of a picture in which bands move, or not. */
void add_bands (gboolean bad, guint i);

/* Judges a frame each second, for this long. */
void show (const Scene * scene, guint seconds);
void show_histogram (GstVideoHistogram * histogram, guint seconds);
void show_at (const Scene * scene, guint seconds, GstClockTime real_time);

/* Judges frame @i of a camera's day in a few frames, with all kinds of evidence
 * and times. */
void feed_any (guint i);

/* What was found */

gdouble value_of (GstVideoHealthCondition condition);
gboolean is_active (GstVideoHealthCondition condition);
gboolean is_judged (GstVideoHealthCondition condition);
gboolean has_change (void);

/* The only pending change. */
GstVideoHealthChange fetch_change (void);

/* Fails unless the value of @condition is from @least to @most. */
void check_value (GstVideoHealthCondition condition, gdouble least,
    gdouble most);

/* Stands for the names of all conditions in a message. */
#define CONDITIONS "CONDITIONS"

/* Fails unless @error, which it frees, is a PARSE error with this message. */
void check_parse_error (GError * error, const gchar * message);

G_END_DECLS
