/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What must hold of a buffer that was pushed through one of the elements,
 * worked out without the code that is tested. Whatever does not is an
 * abort(). */
#pragma once

#include <gst/video/video.h>

#include "common/element.h"

G_BEGIN_DECLS

/* Ends the program, with a word on what is wrong. */
#define MUST(condition, ...) \
G_STMT_START { \
  if (!(condition)) \
    g_error (__VA_ARGS__); \
} G_STMT_END

/* A memory of exactly these bytes; takes @block. The bytes around them in the
 * block, if any, do not belong to it. */
GstMemory *oracle_memory_new (guint8 * block, gsize block_size, gsize offset,
    gsize size, GstMemoryFlags flags);

/* The elements. */
typedef enum
{
  ORACLE_HISTOGRAM,
  ORACLE_EQUALIZE,
  ORACLE_SCOPE,
  ORACLE_N_KINDS
} OracleKind;

/* A buffer as it is before it is pushed. */
typedef struct _OracleBefore OracleBefore;

OracleBefore *oracle_look (TestElement * t, OracleKind kind,
    GstBuffer * buffer);

/* Compares it with @out, which came of it, or NULL; frees @before, but leaves
 * @out. */
void oracle_check (OracleBefore * before, GstFlowReturn flow, GstBuffer * out);

G_END_DECLS
