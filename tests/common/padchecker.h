/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watches an element with one sink pad and one source pad: whether it follows
 * GStreamer's protocol, and passes everything on. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  TEST_RULE_STREAM_START,       /* comes before all else */
  TEST_RULE_CAPS,               /* come before the segment and buffers */
  TEST_RULE_SEGMENT,            /* comes before buffers, also after a flush */
  TEST_RULE_EOS,                /* nothing follows but a flush or a new
                                 * stream */
  TEST_RULE_FLUSH,              /* starts once, and then stops once */
  TEST_RULE_LOST,               /* input is passed on */
  TEST_RULE_ONCE,               /* and once, when it comes */
  TEST_RULE_SEQNUM,             /* with the number that says what it is of */
  TEST_RULE_TIMES,              /* of a buffer stay, and its flags */
  TEST_RULE_SIZE,               /* a buffer holds a frame of its caps */
  TEST_RULE_FLOW,               /* upstream hears what downstream returned */
  TEST_RULE_UPSTREAM,           /* events go upstream, once */
  TEST_RULE_QUERIES,            /* upstream's answers are handed on */
  TEST_RULE_ALLOCATION,         /* so are the metas of downstream's */
  TEST_N_RULES
} TestRule;

typedef struct _TestPadChecker TestPadChecker;

/* Watches the pads "sink" and "src" of @element from now on. */
TestPadChecker *test_pad_checker_new (GstElement * element);

/* To be called when nothing passes any more. */
void test_pad_checker_free (TestPadChecker * self);

/* Must be called while the element is in READY: a new stream follows. */
void test_pad_checker_restart (TestPadChecker * self);

/* Queries latency, duration and seeking on both sides and, if there are caps,
 * an allocation. */
void test_pad_checker_query (TestPadChecker * self);

/* How often a rule was broken. */
guint test_pad_checker_broken (TestPadChecker * self, TestRule rule);

/* What was wrong first, or NULL. */
const gchar *test_pad_checker_problem (TestPadChecker * self);

/* Buffers and events that were watched. */
guint64 test_pad_checker_watched (TestPadChecker * self);

G_END_DECLS
