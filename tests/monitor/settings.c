/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading key files and command lines. */
#include <glib/gstdio.h>
#include <string.h>

#include "common/suite.h"
#include "monitor/address.h"
#include "monitor/mqttsettings.h"
#include "monitor/output.h"
#include "monitor/settings.h"
#include "monitor/webhook.h"

#define CAMERA "[camera a]\nuri=test\n"

extern const VhmOutputClass vhm_mqtt_output, vhm_webhook_output;
static const VhmGroupClass *const outputs[] = { &vhm_mqtt_output.group,
  &vhm_webhook_output.group, NULL
};

static gchar *folder;

static void
setup (void)
{
  folder = g_dir_make_tmp ("test-settings-XXXXXX", NULL);
}

static gchar *
write_file (const gchar * name, const gchar * text)
{
  gchar *path = g_build_filename (folder, name, NULL);

  fail_unless (g_file_set_contents_full (path, text, -1,
          G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  return path;
}

static void
remove_file (gchar * path)
{
  g_unlink (path);
  g_free (path);
}

static void
teardown (void)
{
  fail_unless (g_rmdir (folder) == 0);
  g_free (folder);
}

/* Reads a key file with @text, and returns its problems in @problems unless
 * that is NULL. */
static VhmSettings *
read_text (const gchar * text, VhmProblems ** problems)
{
  gchar *path = write_file ("monitor.conf", text);
  const VhmArguments arguments = { path };
  VhmProblems *found = vhm_problems_new ();
  VhmSettings *settings = vhm_settings_read (&arguments, outputs, found);

  if (found->errors)
    g_clear_pointer (&settings, vhm_settings_free);
  if (problems)
    *problems = found;
  else {
    fail_unless_equals_int (found->lines->len, 0);
    vhm_problems_free (found);
  }
  remove_file (path);
  return settings;
}

GST_START_TEST (test_all_keys)
{
  gchar *door = write_file ("door", "admin:pass:word \n");
  gchar *sign = write_file ("sign", "whsec_MDEyMzQ1Njc4OWFiY2RlZg==\n");
  gchar *ca = write_file ("ca.pem", "x");
  VhmSettings *settings =
      read_text ("# a comment\n\n [camera door] \nuri = rtsp://192.0.2.1/a\n"
      "credentials=door\ntransport=tcp\nlatency=1.5\ntimeout=7\ninterval=0\n"
      "rules=dark,enter=0.95\nconditions=dark+frozen\n"
      "ignore=frozen,x=0,y=0,width=0.3,height=0.1\nviews=4\n"
      "[http]\nlisten=[::1]:80\nhosts=a.example, b.example\n"
      "[store]\ndirectory=sub/folder\npictures=7\ndays=8\n"
      "[mqtt]\nbroker=mqtts://[2001:db8::1]:77\nca=ca.pem\n"
      "certificate=/etc/passwd\nkey=sign\ncredentials=door\n"
      "prefix=fleet/site 1\ndiscovery=homeassistant\nkeepalive=19\n"
      "[webhook ops]\nurl=HTTPS://a.example/b?c=d\nca=/etc/passwd\n"
      "secret=sign\ntimeout=3\nexpire=4\n", NULL);
  const VhmMqttSettings *mqtt = g_ptr_array_index (settings->outputs, 0);
  const VhmCameraSettings *camera;
  const VhmWebhookSettings *webhook;
  gchar *expected = g_build_filename (folder, "sub/folder", NULL);

  fail_unless_equals_int (settings->cameras->len, 1);
  camera = g_ptr_array_index (settings->cameras, 0);
  fail_unless_equals_string (camera->name, "door");
  fail_unless_equals_string (camera->uri, "rtsp://192.0.2.1/a");
  fail_unless_equals_string (camera->user, "admin");
  fail_unless_equals_string (camera->password, "pass:word");
  fail_unless_equals_int (camera->transport, VHM_TRANSPORT_TCP);
  fail_unless_equals_float (camera->latency, 1.5);
  fail_unless_equals_float (camera->timeout, 7);
  fail_unless_equals_float (camera->interval, 0);
  fail_unless_equals_string (camera->rules, "dark,enter=0.95");
  fail_unless_equals_string (camera->ignore,
      "frozen,x=0,y=0,width=0.3,height=0.1");
  fail_unless_equals_int (camera->views, 4);
  fail_unless_equals_int (camera->conditions,
      GST_VIDEO_HEALTH_CONDITIONS_DARK | GST_VIDEO_HEALTH_CONDITIONS_FROZEN);
  fail_unless_equals_string (settings->http->host, "::1");
  fail_unless_equals_int (settings->http->port, 80);
  fail_unless_equals_string (settings->http->hosts[0], "a.example");
  fail_unless_equals_string (settings->http->hosts[1], "b.example");
  fail_unless (settings->http->hosts[2] == NULL);
  fail_unless_equals_string (settings->store->directory, expected);
  fail_unless_equals_int (settings->store->pictures, 7);
  fail_unless_equals_int (settings->store->days, 8);
  g_free (expected);

  expected = g_build_filename (folder, "ca.pem", NULL);
  fail_unless_equals_string (mqtt->host, "2001:db8::1");
  fail_unless_equals_int (mqtt->port, 77);
  fail_unless (mqtt->tls);
  fail_unless_equals_string (mqtt->ca, expected);
  fail_unless_equals_string (mqtt->certificate, "/etc/passwd");
  fail_unless_equals_string (mqtt->key, sign);
  fail_unless_equals_string (mqtt->user, "admin");
  fail_unless_equals_string (mqtt->password, "pass:word");
  fail_unless_equals_string (mqtt->prefix, "fleet/site 1");
  fail_unless_equals_string (mqtt->discovery, "homeassistant");
  fail_unless_equals_float (mqtt->keepalive, 19);
  g_free (expected);

  fail_unless_equals_int (settings->outputs->len, 2);
  webhook = g_ptr_array_index (settings->outputs, 1);
  fail_unless_equals_string (webhook->name, "ops");
  fail_unless_equals_string (webhook->url, "HTTPS://a.example/b?c=d");
  fail_unless_equals_string (webhook->ca, "/etc/passwd");
  fail_unless_equals_int (g_bytes_get_size (webhook->secret), 16);
  fail_unless (memcmp (g_bytes_get_data (webhook->secret, NULL),
          "0123456789abcdef", 16) == 0);
  fail_unless_equals_float (webhook->timeout, 3);
  fail_unless_equals_float (webhook->expire, 4);
  vhm_settings_free (settings);
  remove_file (ca);
  remove_file (sign);
  remove_file (door);
}

GST_END_TEST;

/* [cameras] applies to cameras before and after it, and each may override
 * it. */
GST_START_TEST (test_defaults)
{
  VhmSettings *settings = read_text ("[camera a]\nuri=test\n"
      "[cameras]\ntimeout=3\ntransport=udp\n"
      "[camera b]\nuri=test:dark\ntimeout=4\n", NULL);
  const VhmCameraSettings *a = g_ptr_array_index (settings->cameras, 0);
  const VhmCameraSettings *b = g_ptr_array_index (settings->cameras, 1);

  fail_unless_equals_string (a->uri, "test:healthy");
  fail_unless_equals_string (b->uri, "test:dark");
  fail_unless_equals_float (a->timeout, 3);
  fail_unless_equals_float (b->timeout, 4);
  fail_unless_equals_int (a->transport, VHM_TRANSPORT_UDP);
  fail_unless_equals_int (b->transport, VHM_TRANSPORT_UDP);
  fail_unless_equals_int (a->conditions,
      gst_video_health_get_default_conditions ()
      & ~(GST_VIDEO_HEALTH_CONDITIONS_FLASHING
          | GST_VIDEO_HEALTH_CONDITIONS_BANDING));
  fail_unless_equals_string (settings->http->host, "127.0.0.1");
  fail_unless_equals_int (settings->outputs->len, 0);
  vhm_settings_free (settings);
}

GST_END_TEST;

/* Conditions that need every frame are judged only with interval=0. */
GST_START_TEST (test_interval)
{
  VhmSettings *settings = read_text ("[cameras]\ninterval=0.5\n"
      "[camera a]\nuri=test\n[camera b]\nuri=test\ninterval=0\n"
      "[camera c]\nuri=test\nconditions=all+dark\n"
      "[camera d]\nuri=test\ninterval=0\nconditions=flashing+dark\n", NULL);
  const guint all = GST_VIDEO_HEALTH_CONDITIONS_ALL;
  const guint dark = GST_VIDEO_HEALTH_CONDITIONS_DARK;
  const guint flashing = GST_VIDEO_HEALTH_CONDITIONS_FLASHING;
  const guint most = all & ~(flashing | GST_VIDEO_HEALTH_CONDITIONS_BANDING);
  const guint usual = gst_video_health_get_default_conditions ();
  const guint expected[] = { most & usual, usual, most, flashing | dark };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (expected); i++) {
    const VhmCameraSettings *camera = g_ptr_array_index (settings->cameras, i);

    fail_unless_equals_int (camera->conditions, expected[i]);
  }
  vhm_settings_free (settings);
}

GST_END_TEST;

/* Rules and conditions of a camera change those of [cameras] one by one. */
GST_START_TEST (test_refined)
{
  static const struct
  {
    const gchar *lines, *rules;
    guint without;              /* removed from those of all */
  } cameras[] = {
    {"", "dark,enter=0.9,duration=2s;blurry,enter=0.5", 0},
    {"rules= dark , hold=7ms; bright,enter=0.7", "dark,enter=0.9,"
          "duration=2s,hold=7ms;blurry,enter=0.5;"
          "bright,enter=0.7", 0},
    {"rules=dark,enter=0.85,leave=0.1;dark,leave=0.2", "dark,enter=0.85,"
          "duration=2s,leave=0.2;blurry,enter=0.5", 0},
    {"conditions=-flapping; -dark", NULL,
        GST_VIDEO_HEALTH_CONDITIONS_FLAPPING
          | GST_VIDEO_HEALTH_CONDITIONS_DARK},
    {"conditions=+dark", NULL, 0},
    {"sensitivity=low\nrules=dark,enter=0.99", "dark,enter=0.99,duration=2s;"
          "blurry,enter=0.5;all,sensitivity=low", 0},
  };
  const guint common = GST_VIDEO_HEALTH_CONDITIONS_ALL
      & ~(GST_VIDEO_HEALTH_CONDITIONS_FLASHING
      | GST_VIDEO_HEALTH_CONDITIONS_BANDING
      | GST_VIDEO_HEALTH_CONDITIONS_MONOCHROME);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cameras); i++) {
    gchar *text = g_strdup_printf ("[camera a]\nuri=test\n%s\n[cameras]\n"
        "rules=%s\nconditions=all;-monochrome\n", cameras[i].lines,
        cameras[0].rules);
    VhmSettings *settings = read_text (text, NULL);
    const VhmCameraSettings *camera = g_ptr_array_index (settings->cameras, 0);

    fail_unless_equals_string (camera->rules, cameras[i].rules ?
        cameras[i].rules : cameras[0].rules);
    fail_unless_equals_int (camera->conditions, common & ~cameras[i].without);
    vhm_settings_free (settings);
    g_free (text);
  }
}

GST_END_TEST;

/* Only the named conditions are judged, whatever separates the names. */
GST_START_TEST (test_conditions)
{
  const guint usual = gst_video_health_get_default_conditions ();
  const struct
  {
    const gchar *text;
    guint conditions;
  } lists[] = {
    {"dark+frozen", GST_VIDEO_HEALTH_CONDITIONS_DARK
          | GST_VIDEO_HEALTH_CONDITIONS_FROZEN},
    {"dark; frozen", GST_VIDEO_HEALTH_CONDITIONS_DARK
          | GST_VIDEO_HEALTH_CONDITIONS_FROZEN},
    {"dark;+frozen;-dark", GST_VIDEO_HEALTH_CONDITIONS_FROZEN},
    {"-all;low-contrast", GST_VIDEO_HEALTH_CONDITIONS_LOW_CONTRAST},
    {"all;-low-contrast", GST_VIDEO_HEALTH_CONDITIONS_ALL
          & ~GST_VIDEO_HEALTH_CONDITIONS_LOW_CONTRAST},
    {"default;-low-contrast", usual
          & ~GST_VIDEO_HEALTH_CONDITIONS_LOW_CONTRAST},
    {"-low-contrast;-banding", usual
          & ~(GST_VIDEO_HEALTH_CONDITIONS_LOW_CONTRAST
              | GST_VIDEO_HEALTH_CONDITIONS_BANDING)},
    {"", 0}, {";", 0}, {"dark;-dark", 0}, {"-all", 0}, {"all;--dark", 0},
    {"all-dark", 0}, {"+-dark", 0}, {"-", 0},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lists); i++) {
    gchar *text = g_strdup_printf ("[camera a]\nuri=test\ninterval=0\n"
        "conditions=%s\n", lists[i].text);
    VhmProblems *problems;
    VhmSettings *settings = read_text (text, &problems);
    const VhmCameraSettings *camera;

    fail_unless_equals_int (settings != NULL, lists[i].conditions != 0);
    if (settings) {
      camera = g_ptr_array_index (settings->cameras, 0);
      fail_unless_equals_int (camera->conditions, lists[i].conditions);
      vhm_settings_free (settings);
    }
    vhm_problems_free (problems);
    g_free (text);
  }
}

GST_END_TEST;

static gboolean
settings_equal (const VhmSettings * a, const VhmSettings * b)
{
  return vhm_group_equal (a->http, b->http)
      && vhm_group_equal (a->store, b->store)
      && vhm_group_equal (g_ptr_array_index (a->cameras, 0),
      g_ptr_array_index (b->cameras, 0))
      && (!a->outputs->len || vhm_group_equal (g_ptr_array_index (a->outputs,
              0), g_ptr_array_index (b->outputs, 0)));
}

/* Each of @lines makes settings that differ from all others: every difference
 * counts, because a reload acts on it. */
static void
check_equality (const gchar * begin, const gchar * const *lines, guint n)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify)
      vhm_settings_free);
  guint i, j;

  for (i = 0; i < n; i++) {
    gchar *text = g_strconcat (begin, lines[i], NULL);

    g_ptr_array_add (all, read_text (text, NULL));
    g_free (text);
  }
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      fail_unless_equals_int (settings_equal (g_ptr_array_index (all, i),
              g_ptr_array_index (all, j)), i == j);
  g_ptr_array_unref (all);
}

/* Only live keys may change while a camera runs. */
GST_START_TEST (test_live_keys)
{
  static const gchar *const lines[] = { "group=b",
    "group=a\nquiet=dark@22:00-06:00", "group=a\ntimeout=11"
  };
  VhmSettings *before = read_text (CAMERA "group=a\n", NULL);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lines); i++) {
    gchar *text = g_strconcat (CAMERA, lines[i], NULL);
    VhmSettings *after = read_text (text, NULL);

    fail_unless_equals_int (vhm_group_equal_but_live (g_ptr_array_index
            (before->cameras, 0), g_ptr_array_index (after->cameras, 0)),
        i < 2);
    vhm_settings_free (after);
    g_free (text);
  }
  vhm_settings_free (before);
}

GST_END_TEST;

GST_START_TEST (test_equality)
{
  static const gchar *const camera[] = { "test", "test:dark",
    "test\ntransport=tcp", "test\nlatency=2", "test\ntimeout=2",
    "test\ninterval=2", "test\nrules=dark,enter=0.95",
    "test\nconditions=dark", "test\nignore=dark,x=0,y=0,width=1,height=1",
    "test\ncredentials=one", "test\ncredentials=two",
    "test\nviews=4", "test\ngroup=North gate", "test\nquiet=dark@22:00-06:00"
  };
  static const gchar *const http[] = { "", "listen=[::1]:80",
    "listen=127.0.0.1:81", "secret=sign", "hosts=a", "hosts=a b",
    "url=http://a"
  };
  static const gchar *const store[] = { "directory=a", "directory=b",
    "directory=a\npictures=1", "directory=a\ndays=1"
  };
  static const gchar *const mqtt[] = { "broker=mqtts://a",
    "broker=mqtts://b", "broker=mqtts://a:1",
    "broker=mqtt://a:8883", "broker=mqtts://a\nca=one",
    "broker=mqtts://a\ncertificate=one\nkey=two",
    "broker=mqtts://a\ncertificate=one\nkey=sign",
    "broker=mqtts://a\ncredentials=one", "broker=mqtts://a\ncredentials=two",
    "broker=mqtts://a\nprefix=x", "broker=mqtts://a\ndiscovery=x",
    "broker=mqtts://a\nkeepalive=17"
  };
  static const gchar *const webhook[] = { "a]\nsecret=sign\nurl=http://a",
    "b]\nsecret=sign\nurl=http://a", "a]\nsecret=sign\nurl=http://b",
    "a]\nsecret=sign\nurl=http://a\nca=one",
    "a]\nsecret=sign\nurl=http://a\ntimeout=7",
    "a]\nsecret=sign\nurl=http://a\nexpire=7"
  };
  gchar *one = write_file ("one", "user:password");
  gchar *two = write_file ("two", "user:passwort");
  gchar *sign = write_file ("sign", "whsec_MDEyMzQ1Njc4OWFiY2RlZg==\n");

  check_equality ("[camera a]\nuri=", camera, G_N_ELEMENTS (camera));
  check_equality (CAMERA "[http]\n", http, G_N_ELEMENTS (http));
  check_equality (CAMERA "[store]\n", store, G_N_ELEMENTS (store));
  check_equality (CAMERA "[mqtt]\n", mqtt, G_N_ELEMENTS (mqtt));
  check_equality (CAMERA "[webhook ", webhook, G_N_ELEMENTS (webhook));
  remove_file (one);
  remove_file (two);
  remove_file (sign);
}

GST_END_TEST;

GST_START_TEST (test_any_bytes)
{
  static const gchar alphabet[] = "[]=#\n a:/,.\\\"0\t\xc3\xa9";
  GRand *random = g_rand_new_with_seed (7);
  guint i, j;

  for (i = 0; i < 2000; i++) {
    GString *text = g_string_new (i % 2 ? "[camera a]\nuri=test\n" : NULL);
    VhmProblems *problems;
    VhmSettings *settings;

    for (j = g_rand_int_range (random, 0, 80); j > 0; j--)
      g_string_append_c (text, alphabet[g_rand_int_range (random, 0,
                  sizeof alphabet - 1)]);
    settings = read_text (text->str, &problems);
    if (settings)
      vhm_settings_free (settings);
    vhm_problems_free (problems);
    g_string_free (text, TRUE);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* Rejected settings are freed, whatever comes before and after them. */
GST_START_TEST (test_refused_hosts)
{
  static const gchar *const hosts[] = { "a/b", "a/b c", "a a/b", ", a, , a/b c"
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (hosts); i++) {
    gchar *text = g_strdup_printf ("[camera a]\nuri=test\n[http]\nhosts=%s\n",
        hosts[i]);
    VhmProblems *problems;

    fail_unless (read_text (text, &problems) == NULL);
    fail_unless_equals_int (problems->errors, 1);
    vhm_problems_free (problems);
    g_free (text);
  }
}

GST_END_TEST;

GST_START_TEST (test_nearest_name)
{
  static const gchar *const names[] = { "uri", "timeout", "interval", NULL };

  fail_unless_equals_string (vhm_nearest_name ("url", names), "uri");
  fail_unless_equals_string (vhm_nearest_name ("time-out", names), "timeout");
  fail_unless_equals_string (vhm_nearest_name ("intervall", names),
      "interval");
  fail_unless (vhm_nearest_name ("colour", names) == NULL);
  fail_unless (vhm_nearest_name ("", names) == NULL);
}

GST_END_TEST;

static void
check_address (const gchar * text, gboolean right)
{
  gchar *uri = NULL;
  gchar *why = vhm_address_parse (text, "/", &uri);

  fail_unless_equals_string (uri, right ? text : NULL);
  fail_unless_equals_int (why == NULL, right);
  g_free (why);
  g_free (uri);
}

/* Addresses on this machine have no host. */
GST_START_TEST (test_without_host)
{
  check_address ("file:///a.avi", TRUE);
  check_address ("v4l2:///dev/video0", TRUE);
  check_address ("srt://:9000?mode=listener", TRUE);
  check_address ("srt://", FALSE);
  check_address ("rtsp://:554/a", FALSE);
  check_address ("http:///a", FALSE);
}

GST_END_TEST;

static void
check_hidden (const gchar * uri, const gchar * shown, const gchar * message,
    const gchar * hidden)
{
  gchar *text = vhm_address_show (uri);

  fail_unless_equals_string (text, shown);
  g_free (text);
  text = vhm_address_hide (uri, "geheim", message);
  fail_unless_equals_string (text, hidden);
  g_free (text);
}

GST_START_TEST (test_hiding)
{
  check_hidden ("rtsp://192.0.2.1:554/a?p=x", "rtsp://192.0.2.1:554",
      "no rtsp://192.0.2.1:554/a?p=x there", "no rtsp://192.0.2.1:554 there");
  check_hidden ("rtsp://192.0.2.1/a/b?p=x", "rtsp://192.0.2.1",
      "/a/b?p=x, ?p=x and geheim", "/..., ?... and ***");
  check_hidden ("rtsp://[2001:db8::1]:5/a", "rtsp://[2001:db8::1]:5", "x", "x");
  check_hidden ("rtsp://192.0.2.1", "rtsp://192.0.2.1", "a/b", "a/b");
  check_hidden ("test:dark", "test:dark", "test:dark", "test:dark");
  check_hidden ("v4l2:///dev/video0", "video0", "/dev/video0 is busy",
      "video0 is busy");
  check_hidden ("srt://:9000?passphrase=x", "srt://:9000",
      "no srt://:9000?passphrase=x", "no srt://:9000");
  check_hidden ("file:///a/b%20c.avi", "b c.avi",
      "/a/b c.avi: file:///a/b%20c.avi: no", "b c.avi: b c.avi: no");
}

GST_END_TEST;

TEST_SUITE (settings, setup, teardown)
{
  tcase_add_test (tc, test_all_keys);
  tcase_add_test (tc, test_defaults);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_refined);
  tcase_add_test (tc, test_conditions);
  tcase_add_test (tc, test_equality);
  tcase_add_test (tc, test_live_keys);
  tcase_add_test (tc, test_any_bytes);
  tcase_add_test (tc, test_refused_hosts);
  tcase_add_test (tc, test_nearest_name);
  tcase_add_test (tc, test_without_host);
  tcase_add_test (tc, test_hiding);
}
