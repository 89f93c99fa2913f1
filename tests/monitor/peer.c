/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which addresses count as one client, and how many wrong secrets each may
 * send. */
#include "common/suite.h"
#include "monitor/loginfailures.h"
#include "monitor/peer.h"

/* More than the limits. */
#define MANY 1000

static gchar *
name_of (const gchar * address)
{
  GInetAddress *inet = g_inet_address_new_from_string (address);
  GSocketAddress *peer;
  gchar *name;

  fail_unless (inet != NULL, "%s", address);
  peer = g_inet_socket_address_new (inet, g_random_int_range (1, 65536));
  name = vhm_peer_name (peer);
  g_object_unref (peer);
  g_object_unref (inet);
  return name;
}

/* Another port is never another client. */
static const struct
{
  const gchar *one, *other;
  gboolean same;
} pairs[] = {
  {"192.0.2.1", "192.0.2.1", TRUE},
  {"192.0.2.1", "192.0.2.2", FALSE},
  {"192.0.2.1", "::ffff:192.0.2.1", TRUE},
  {"::ffff:192.0.2.1", "::ffff:192.0.2.2", FALSE},
  /* But not addresses that only end like an IPv4 address. */
  {"192.0.2.1", "::192.0.2.1", FALSE},
  {"192.0.2.1", "64:ff9b::192.0.2.1", FALSE},
  {"127.0.0.1", "::1", FALSE},
  /* Whoever has one address of a /64 network has them all. */
  {"2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", TRUE},
  {"2001:db8:1:2::1", "2001:db8:1:3::1", FALSE},
  {"2001:db8:1:2::1", "2001:db8:1:202::1", FALSE},
  {"2001:db8:1:2::1", "2001:db9:1:2::1", FALSE},
  {"fe80::1", "fe80::2", TRUE},
  {"fd00::1", "fe80::1", FALSE},
};

GST_START_TEST (test_names)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (pairs); i++) {
    gchar *one = name_of (pairs[i].one), *other = name_of (pairs[i].other);

    fail_unless (g_str_equal (one, other) == pairs[i].same, "%s: %s, %s: %s",
        pairs[i].one, one, pairs[i].other, other);
    g_free (one);
    g_free (other);
  }
}

GST_END_TEST;

static void
guess (VhmLoginFailures * failures, const gchar * address, guint times)
{
  gchar *name = name_of (address);

  while (times--)
    vhm_login_failures_add (failures, name);
  g_free (name);
}

static gboolean
may_try (VhmLoginFailures * failures, const gchar * address)
{
  gchar *name = name_of (address);
  const gboolean may = vhm_login_failures_may_try (failures, name);

  g_free (name);
  return may;
}

GST_START_TEST (test_guesses)
{
  VhmLoginFailures *failures = vhm_login_failures_new ();
  guint i;

  /* One guess each from many addresses of a network */
  for (i = 0; i < MANY; i++) {
    gchar *address = g_strdup_printf ("2001:db8:1:2:%x::%x", i, i * 7);

    guess (failures, address, 1);
    g_free (address);
  }
  fail_if (may_try (failures, "2001:db8:1:2:abcd::1"));
  fail_unless (may_try (failures, "2001:db8:1:3::1"));
  fail_unless (may_try (failures, "::1"));

  guess (failures, "::ffff:192.0.2.1", MANY);
  fail_if (may_try (failures, "192.0.2.1"));
  fail_unless (may_try (failures, "192.0.2.2"));
  fail_unless (may_try (failures, "::ffff:192.0.2.2"));
  vhm_login_failures_free (failures);
}

GST_END_TEST;

TEST_SUITE (peer, NULL, NULL)
{
  tcase_add_test (tc, test_names);
  tcase_add_test (tc, test_guesses);
}
