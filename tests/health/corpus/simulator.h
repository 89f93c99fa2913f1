/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A camera with a place, a lens and a sensor, and its possible faults. The same
 * seed gives the same frames. */
#pragma once

#include "sensor.h"
#include "world.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define N_PARAMETERS 4
#define N_NUMBERS 4

typedef struct _Simulator Simulator;

typedef enum
{
  STAGE_NONE,                   /* no fault */
  STAGE_VIEW,                   /* direction of the camera */
  STAGE_SCENE,                  /* in front of and in the lens */
  STAGE_SENSOR,                 /* before the sensor is exposed */
  STAGE_PLANES,                 /* luma and chroma, before the noise filter */
  STAGE_FRAME,                  /* before the coder */
  STAGE_CODER,                  /* the coder gets too few bits */
  STAGE_NETWORK,                /* between coder and decoder */
  STAGE_DECODED,                /* after the decoder */
} Stage;

typedef enum
{
  WHEN_EVER,                    /* the seed decides on day or night */
  WHEN_DAY,
  WHEN_NIGHT,                   /* by lamps */
  WHEN_DUSK,                    /* the fault begins at sunset */
} When;

typedef struct
{
  const gchar *name;
  Stage stage;
  /* @amount is 0 to 1. May be NULL for the last three stages. */
  void (*apply) (Simulator * simulator, gdouble amount);
  gdouble numbers[N_NUMBERS];   /* meaning: see @apply */
  const gchar *find;            /* conditions, one of which must be found */
  const gchar *first;           /* of which one must come first */
  const gchar *also;            /* conditions that may be found, too */
  When when;
  gdouble learn, last;          /* s before and during the fault; 0: 100
                                 * and 60 */
  gdouble ramp;                 /* s until full strength, 0: 0.1 to 1.5 */
  guint fps;                    /* if the fault needs that rate; 0: any */
  guint views;                  /* property of videohealth; 0: the default */
  gboolean on_tour;             /* the camera is on a tour before and after */
} Fault;

extern const Fault faults[];
extern const guint n_faults;

const Fault *fault_find (const gchar * name);

struct _Simulator
{
  World *world;
  Sensor *sensor;
  guint width, height;
  gsize size;                   /* of a frame, I420 */
  Picture *picture;             /* linear light */
  Picture *other;               /* a blurred copy */
  gfloat *alpha;                /* of obstacles */
  gboolean prepared;            /* alpha is filled */
  TestRandom random;            /* of the fault */
  const Fault *fault;
  gdouble p[N_PARAMETERS];      /* 0 ... 1, drawn by the seed */
  gdouble time, passed;         /* s since the start, and since last frame */
  gdouble begun;                /* s since the fault started */
  gdouble midnight;             /* s since midnight at the start */
  guint fps;
  gboolean clock;               /* burnt in */
  guint8 *frame;                /* being made */
  guint8 *kept;                 /* frozen frame, if there is one */
  GPtrArray *history;           /* last frames, for loops */
  guint looped;
};

Simulator *simulator_new (World * world, Sensor * sensor, guint fps,
    guint64 seed);
void simulator_free (Simulator * simulator);

/* Writes the frame at @time as I420, with @fault, which may be NULL, by
 * @amount. */
void simulator_take (Simulator * simulator, gdouble time, gdouble amount,
    guint8 * frame);

G_END_DECLS
