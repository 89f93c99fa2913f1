/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watches an element with one sink pad and one source pad: whether it follows
 * GStreamer's protocol and passes everything on. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  TEST_RULE_STREAM_START,       /* comes before everything else */
  TEST_RULE_CAPS,               /* come before the segment and buffers */
  TEST_RULE_SEGMENT,            /* comes before buffers, also after a flush */
  TEST_RULE_EOS,                /* only a flush or a new stream may follow */
  TEST_RULE_FLUSH,              /* starts once, then stops once */
  TEST_RULE_LOST,               /* all input is passed on */
  TEST_RULE_ONCE,               /* once, when it arrives */
  TEST_RULE_SEQNUM,             /* with the sequence number of its cause */
  TEST_RULE_TIMES,              /* times and flags of a buffer stay */
  TEST_RULE_SIZE,               /* a buffer holds a frame of its caps */
  TEST_RULE_FLOW,               /* downstream's result is returned upstream */
  TEST_RULE_UPSTREAM,           /* events go upstream once */
  TEST_RULE_QUERIES,            /* upstream's answers are passed on */
  TEST_RULE_ALLOCATION,         /* metas of downstream's answer, too */
  TEST_N_RULES
} TestRule;

typedef struct _TestPadChecker TestPadChecker;

/* Watches the pads "sink" and "src" of @element from now on. */
TestPadChecker *test_pad_checker_new (GstElement * element);

/* Call when nothing passes any more. */
void test_pad_checker_free (TestPadChecker * self);

/* Call while the element is in READY: a new stream follows. */
void test_pad_checker_restart (TestPadChecker * self);

/* Queries latency, duration and seeking on both sides and, if there are caps,
 * allocation. */
void test_pad_checker_query (TestPadChecker * self);

/* How often a rule was broken. */
guint test_pad_checker_broken (TestPadChecker * self, TestRule rule);

/* The first problem, or NULL. */
const gchar *test_pad_checker_problem (TestPadChecker * self);

/* Buffers and events watched. */
guint64 test_pad_checker_watched (TestPadChecker * self);

G_END_DECLS
