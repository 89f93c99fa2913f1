/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers made by hand that do not hold what their caps and metas promise, and
 * odd ones that do, for both elements and any kind of memory. Whatever they
 * say, they leave unchanged or corrected, nothing outside of them is read, and
 * unusable ones are counted. */
#pragma once

#include "element.h"

G_BEGIN_DECLS

/* All are about this frame, in planes without gaps. */
#define TEST_HOSTILE_WIDTH 64
#define TEST_HOSTILE_HEIGHT 48
#define TEST_HOSTILE_SIZE 4608
#define TEST_HOSTILE_RAW(features) "video/x-raw" features \
    ",format=I420,width=64,height=48,framerate=25/1"

/* Makes a memory of just @size bytes of @data. */
typedef GstMemory *(*TestMakeMemory) (gconstpointer data, gsize size,
    GstMemoryFlags flags);

/* Where the frames are. */
typedef struct
{
  const gchar *caps;            /* TEST_HOSTILE_RAW */
  const gchar *backend;         /* of videohistogram */
  TestMakeMemory make_memory;
  gboolean gathers;             /* planes that lie across memories are read */
} TestHostileSource;

/* How many buffers there are. */
guint test_hostile_n (void);

/* The bytes of the frame, and how often each value is in its luma. */
const guint8 *test_hostile_image (void);
const guint32 *test_hostile_counts (void);

/* The frame in one memory. */
GstBuffer *test_hostile_honest (const TestHostileSource * source);

/* Passes @buffer, whose bytes are those of the frame; the same buffer must
 * leave with the same memories. */
void test_hostile_pass_unchanged (TestElement * t, GstBuffer * buffer);

/* Fails unless the last histogram is of @counts. */
void test_hostile_check_counts (TestElement * t, const guint32 * counts);

/* Passes the @i th buffer and then the honest one through a videohistogram. */
void test_hostile_count (const TestHostileSource * source, guint i);

/* The same through a videoequalize, and a videoscope. */
void test_hostile_correct (const TestHostileSource * source, guint i);
void test_hostile_draw (const TestHostileSource * source, guint i);

G_END_DECLS
