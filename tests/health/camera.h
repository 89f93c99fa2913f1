/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A camera that looks at real footage, with models of weather, lens, exposure
 * and sensor, and of what may go wrong with each. The same seed gives the same
 * frames. Levels are 0 (black) to 1 (white), chroma is -0.5 to 0.5. */
#pragma once

#include "common/random.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Pictures are larger than the camera's view by this factor, so that it can be
 * turned. */
#define FOOTAGE_MARGIN 1.6

typedef struct
{
  guint width, height;          /* size of a picture, even */
  guint n_frames;
  gdouble fps;
  guint8 *frames;               /* I420 without padding, one after the other */
} Footage;

/* Loads frames of @path, scaled. On failure prints a message and returns
 * NULL. */
Footage *footage_load (const gchar * path, guint width, guint height);
void footage_free (Footage * footage);

/* Whether any pixel is colored. */
gboolean footage_has_colors (const Footage * footage);

#define N_PARAMETERS 4

typedef struct
{
  gdouble light;                /* light of the scene; 1 by day */
  gdouble rain;                 /* share of pixels with streaks of rain */
  guint people;
  gdouble headlights;           /* position, 0 to 1; < 0: none */
  gdouble lamp;                 /* light of a lamp in the scene, 0 to 1 */
  gboolean infrared;
} Weather;

typedef struct _Camera Camera;

typedef enum
{
  STAGE_VIEW,                   /* direction of the camera */
  STAGE_SCENE,                  /* incoming light: exposure reacts */
  STAGE_SENSOR,                 /* after exposure */
  STAGE_STREAM,                 /* after coding */
} Stage;

/* What may go wrong. @amount is 0 to 1, @p are N_PARAMETERS of 0 to 1 drawn by
 * the seed. */
typedef struct
{
  const gchar *name;
  Stage stage;
  void (*apply) (Camera * camera, const gdouble * p, gdouble amount);
  gboolean auto_exposure;
  guint fps;
  guint expected;               /* conditions, one of which must be found */
  guint allowed;                /* conditions that may be found, too */
  gdouble within;               /* longest delay, in s */
} Impairment;

extern const Impairment impairments[];
extern const guint n_impairments;

struct _Camera
{
  const Footage *footage;
  GstVideoFormat format;
  guint width, height, fps;
  TestRandom random;
  Weather weather;
  gdouble time;                 /* s */

  gdouble start, speed;         /* position in the footage and speed, in
                                 * frames */
  gdouble view_x, view_y;       /* position in the footage's margin, 0 to 1 */
  gdouble noise;                /* standard deviation, at a gain of 1 */
  gdouble gain, max_gain, pace; /* of the exposure; pace in s */
  gdouble target;               /* mean level */
  gboolean auto_exposure;
  gfloat *y, *u, *v, *scratch;
  gfloat *kept;                 /* frozen frame */
  gdouble phase;                /* phases of the walking person and of the
                                 * drops */
};

Camera *camera_new (const Footage * footage, GstVideoFormat format,
    guint width, guint height, guint64 seed);
void camera_free (Camera * camera);

/* Returns the frame at @time, with @impairment, which may be NULL, by
 * @amount. */
GstBuffer *camera_take (Camera * camera, gdouble time,
    const Impairment * impairment, const gdouble * p, gdouble amount);

/* 0 ... 1 */
static inline gdouble
random_share (TestRandom * random)
{
  return (test_random (random) >> 11) * (1.0 / (1ull << 53));
}

static inline gdouble
random_between (TestRandom * random, gdouble low, gdouble high)
{
  return low + (high - low) * random_share (random);
}

static inline gdouble
mix (gdouble a, gdouble b, gdouble share)
{
  return a + (b - a) * share;
}

G_END_DECLS
