/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A test program with one test case. */
#pragma once

#include <gst/check/gstcheck.h>

/* Defines main(), which runs the suite @name. It calls @setup before and
 * @teardown after each test; both may be NULL. Then follows the body of a
 * function that adds the tests to the test case @tc:
 *
 *   TEST_SUITE (events, NULL, NULL)
 *   {
 *     tcase_add_test (tc, test_eos);
 *   } */
#define TEST_SUITE(name, setup, teardown) \
static void add_tests (TCase * tc); \
static Suite * \
name##_suite (void) \
{ \
  Suite *s = suite_create (#name); \
  TCase *tc = tcase_create (#name); \
\
  suite_add_tcase (s, tc); \
  tcase_add_checked_fixture (tc, setup, teardown); \
  add_tests (tc); \
  return s; \
} \
GST_CHECK_MAIN (name) \
static void \
add_tests (TCase * tc)
