/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks a buffer that was pushed through one of the elements against
 * expectations computed without the code under test. Calls abort() if a check
 * fails. */
#pragma once

#include <gst/video/video.h>

#include "common/element.h"

G_BEGIN_DECLS

/* Ends the program with a message about the failed check. */
#define MUST(condition, ...) \
G_STMT_START { \
  if (!(condition)) \
    g_error (__VA_ARGS__); \
} G_STMT_END

/* Wraps exactly these bytes in a memory; takes @block. Bytes of the block
 * outside the range do not belong to the memory. */
GstMemory *oracle_memory_new (guint8 * block, gsize block_size, gsize offset,
    gsize size, GstMemoryFlags flags);

/* The elements under test. */
typedef enum
{
  ORACLE_HISTOGRAM,
  ORACLE_EQUALIZE,
  ORACLE_SCOPE,
  ORACLE_N_KINDS
} OracleKind;

/* Records a buffer before it is pushed. */
typedef struct _OracleBefore OracleBefore;

OracleBefore *oracle_look (TestElement * t, OracleKind kind,
    GstBuffer * buffer);

/* Compares the recorded buffer with @out, the result or NULL; frees @before but
 * not @out. */
void oracle_check (OracleBefore * before, GstFlowReturn flow, GstBuffer * out);

G_END_DECLS
