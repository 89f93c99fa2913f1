/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entrants: every method of counting on the GPU, and what it is compared
 * with. */
#pragma once

#include "peers.h"

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

typedef enum
{
  BENCH_EMPTY,                  /* a kernel that does nothing */
  BENCH_READ,                   /* a kernel that only reads */
  BENCH_METHOD,
  BENCH_PEER,
  BENCH_CPU,                    /* the CPU backend, one thread */
} BenchEntrantKind;

typedef struct
{
  BenchEntrantKind kind;
  gchar *name;
  GstVideoHistogramMethod method;       /* of METHOD */
  gboolean to_host;             /* of METHOD: also deliver counts to the host */
  const BenchPeer *peer;        /* of PEER, or NULL */
  gchar *problem;               /* why it is not available, or NULL */
} BenchEntrant;

/* All entrants, or those in the comma-separated list @names plus the read-only
 * pass: an array of BenchEntrant. Without @gpu, only those that need none.
 * Modules of peers are searched for in @peers. If a name is unknown, returns
 * NULL with @error (G_OPTION_ERROR_BAD_VALUE) set. */
GPtrArray *bench_entrants_new (const gchar * names, gboolean gpu,
    const gchar * peers, GError ** error);

/* Prepares the peers for the GPU with the current context. */
void bench_entrants_start (GPtrArray * entrants,
    const BenchPeerDevice * device);

/* Whether it is a method itself, not the automatic choice. */
gboolean bench_entrant_is_method (const BenchEntrant * entrant);

const BenchEntrant *bench_entrants_find (const GPtrArray * entrants,
    const gchar * name);

G_END_DECLS
