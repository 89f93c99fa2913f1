/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What outputs send, at any time that a clock or a database may have. */
#include <json-glib/json-glib.h>

#include "common/suite.h"
#include "monitor/letter.h"
#include "monitor/schedule.h"

static const struct
{
  gint64 time;                  /* µs since 1970 */
  const gchar *text, *link;
} times[] = {
  {0, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00Z"},
  {1764119526123456, "2025-11-26T01:12:06.123Z", "2025-11-26T01:12:06Z"},
  {-1, "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59Z"},
  {G_GINT64_CONSTANT (253402300800) * G_USEC_PER_SEC,
      "9999-12-31T00:00:00.999Z", "9999-12-31T00:00:00Z"},
  {G_MAXINT64, "9999-12-31T00:00:00.999Z", "9999-12-31T00:00:00Z"},
  {G_MININT64, "1000-01-02T00:00:00.000Z", "1000-01-02T00:00:00Z"},
};

GST_START_TEST (test_times)
{
  const VhmOutput output = {.page = (gchar *) "http://127.0.0.1/" };
  GPtrArray *events =
      g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_event_free);
  VhmEvent *event = vhm_event_new ("a b", GST_VIDEO_HEALTH_CONDITION_DARK);
  guint i;

  g_ptr_array_add (events, event);
  for (i = 0; i < G_N_ELEMENTS (times); i++) {
    JsonParser *parser = json_parser_new ();
    JsonObject *object;
    gchar *link = g_strconcat ("http://127.0.0.1/#camera/a%20b?at=",
        times[i].link, NULL);
    gchar *text;

    event->time = times[i].time;
    text = vhm_letter_make (&output, events, NULL);
    fail_unless (json_parser_load_from_data (parser, text, -1, NULL));
    object = json_node_get_object (json_parser_get_root (parser));
    assert_equals_string (json_object_get_string_member (object, "link"), link);
    assert_equals_string (json_object_get_string_member (object, "time"),
        times[i].time ? times[i].text : NULL);
    g_free (text);
    g_free (link);
    g_object_unref (parser);
  }
  g_ptr_array_unref (events);
}

GST_END_TEST;

GST_START_TEST (test_schedule)
{
  gchar *why = NULL;
  VhmSchedule *schedule = vhm_schedule_new ("dark@22:00-06:00", &why);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (times); i++)
    fail_unless (vhm_schedule_find_end (schedule,
            GST_VIDEO_HEALTH_CONDITION_DARK, times[i].time) >= 0);
  vhm_schedule_free (schedule);
}

GST_END_TEST;

TEST_SUITE (letter, NULL, NULL)
{
  tcase_add_test (tc, test_times);
  tcase_add_test (tc, test_schedule);
}
