/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handmade buffers that do not hold what their caps and metas promise, and odd
 * ones that do, for all elements and all kinds of memory. Every buffer must
 * leave unchanged or corrected, nothing outside of it may be read, and unusable
 * ones must be counted. */
#pragma once

#include "element.h"

G_BEGIN_DECLS

/* All buffers describe a frame of this size, in planes without gaps. */
#define TEST_HOSTILE_WIDTH 64
#define TEST_HOSTILE_HEIGHT 48
#define TEST_HOSTILE_SIZE 4608
#define TEST_HOSTILE_RAW(features) "video/x-raw" features \
    ",format=I420,width=64,height=48,framerate=25/1"

/* Makes a memory of exactly @size bytes of @data. */
typedef GstMemory *(*TestMakeMemory) (gconstpointer data, gsize size,
    GstMemoryFlags flags);

/* The memory that frames are in. */
typedef struct
{
  const gchar *caps;            /* TEST_HOSTILE_RAW */
  const gchar *backend;         /* backend that counts */
  TestMakeMemory make_memory;
  gboolean gathers;             /* planes that span memories are read */
} TestHostileSource;

/* Returns the number of buffers. */
guint test_hostile_n (void);

/* The bytes of the frame, and the count of each value in its luma. */
const guint8 *test_hostile_image (void);
const guint32 *test_hostile_counts (void);

/* Returns the correct frame in one memory. */
GstBuffer *test_hostile_honest (const TestHostileSource * source);

/* Passes @buffer, which has the frame's bytes; the same buffer must leave with
 * the same memories. */
void test_hostile_pass_unchanged (TestElement * t, GstBuffer * buffer);

/* Checks that the last histogram has @counts. */
void test_hostile_check_counts (TestElement * t, const guint32 * counts);

/* Passes the @i th buffer and then the correct one through a videohistogram. */
void test_hostile_count (const TestHostileSource * source, guint i);

/* Likewise through a videoequalize, and a videoscope. */
void test_hostile_correct (const TestHostileSource * source, guint i);
void test_hostile_draw (const TestHostileSource * source, guint i);

/* Likewise through a videohealth. */
void test_hostile_judge (const TestHostileSource * source, guint i);

G_END_DECLS
