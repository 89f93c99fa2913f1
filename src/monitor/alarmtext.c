/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "alarmtext.h"

#include "json.h"

#include <math.h>
#include <string.h>

/* Takes @text. */
static VhmAlarmPiece *
piece_new (const VhmAlarmList * list, gchar * text)
{
  const gsize size = strlen (text) + 1;
  VhmAlarmPiece *piece = g_malloc (sizeof *piece + size);

  piece->last = list->last;
  piece->more = list->more;
  piece->count = list->alarms->len;
  memcpy (piece->text, text, size);
  g_free (text);
  return piece;
}

/* Cursors: two numbers in hexadecimal, so that clients see no meaning in
 * them. */

#define CURSOR_LENGTH 32

static gchar *
format_place (const VhmAlarmPlace * place)
{
  return g_strdup_printf ("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER
      "x", (guint64) place->begun, place->number);
}

gboolean
vhm_alarm_place_parse (const gchar * text, VhmAlarmPlace * place)
{
  guint64 numbers[2];
  guint i;

  if (strlen (text) != CURSOR_LENGTH)
    return FALSE;
  for (i = 0; i < 2; i++) {
    gchar *half = g_strndup (text + i * CURSOR_LENGTH / 2, CURSOR_LENGTH / 2);
    const gboolean valid = g_ascii_string_to_unsigned (half, 16, 0,
        G_MAXUINT64, &numbers[i], NULL);

    g_free (half);
    if (!valid)
      return FALSE;
  }
  place->begun = (gint64) numbers[0];
  place->number = numbers[1];
  return place->number <= G_MAXINT64;
}

/* JSON */

static gpointer
render_json (gpointer result)
{
  const VhmAlarmList *list = result;
  JsonBuilder *builder = json_builder_new ();
  gchar *array, *text;
  guint i;

  json_builder_begin_array (builder);
  for (i = 0; i < list->alarms->len; i++) {
    const VhmAlarm *alarm = g_ptr_array_index (list->alarms, i);

    vhm_json_add_alarm (builder, alarm, vhm_alarm_list_get_group (list, alarm));
  }
  json_builder_end_array (builder);
  array = vhm_json_end (builder);
  text = g_strndup (array + 1, strlen (array) - 2);
  g_free (array);
  return piece_new (list, text);
}

static gchar *
make_json_end (const VhmAlarmPiece * last)
{
  gchar *cursor = format_place (&last->last);
  gchar *text = last->more ? g_strdup_printf ("],\"cursor\":\"%s\"}", cursor)
      : g_strdup ("],\"cursor\":null}");

  g_free (cursor);
  return text;
}

const VhmAlarmFormat vhm_alarms_as_json = {
  "application/json", "alarms.json", "{\"alarms\":[", ",", render_json,
  make_json_end
};

/* CSV (RFC 4180) */

#define CSV_HEAD "event,end_event,camera,group,condition,words,severity," \
    "begun,ended,duration,value,threshold,unit,reason,acknowledged," \
    "acknowledged_by,picture,outage,quiet,active_since,reference,note\r\n"

/* Whether a spreadsheet could run @text as a formula. Spreadsheets skip spaces,
 * and East Asian ones read wide characters like narrow ones. */
static gboolean
is_formula (const gchar * text)
{
  static const gchar *const starts[] = { "=", "+", "-", "@",
    "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"
  };
  guint i;

  while (*text && g_unichar_isspace (g_utf8_get_char (text)))
    text = g_utf8_next_char (text);
  for (i = 0; i < G_N_ELEMENTS (starts); i++)
    if (g_str_has_prefix (text, starts[i]))
      return TRUE;
  return FALSE;
}

static void
append_text (GString * csv, const gchar * text)
{
  g_string_append_c (csv, '"');
  /* Spreadsheets take what follows as text. */
  if (is_formula (text))
    g_string_append_c (csv, '\'');
  for (; *text; text++) {
    if (*text == '"')
      g_string_append_c (csv, '"');
    g_string_append_c (csv, *text);
  }
  g_string_append (csv, "\",");
}

static void
append_number (GString * csv, gdouble number)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isfinite (number))
    g_string_append (csv, g_ascii_formatd (text, sizeof text, "%.10g",
            number));
  g_string_append_c (csv, ',');
}

static void
append_reference (GString * csv, guint64 number)
{
  if (number)
    g_string_append_printf (csv, "%" G_GUINT64_FORMAT, number);
  g_string_append_c (csv, ',');
}

static void
append_time (GString * csv, gint64 time)
{
  gchar *text = time ? vhm_time_to_text (time) : g_strdup ("");

  g_string_append_printf (csv, "%s,", text);
  g_free (text);
}

static void
append_alarm (GString * csv, const VhmAlarm * alarm, const gchar * group)
{
  const VhmEvent *event = alarm->event;

  append_reference (csv, event->number);
  append_reference (csv, alarm->end_number);
  append_text (csv, event->camera);
  append_text (csv, group);
  append_text (csv, gst_video_health_condition_get_name (event->condition));
  append_text (csv, gst_video_health_condition_get_words (event->condition));
  append_text (csv,
      vhm_severity_get_name (gst_video_health_condition_get_severity
          (event->condition)));
  append_time (csv, alarm->begun);
  append_time (csv, alarm->end_number ? alarm->ended : 0);
  append_number (csv, vhm_alarm_get_duration (alarm));
  append_number (csv, event->value);
  append_number (csv, event->threshold);
  append_text (csv, gst_video_health_condition_get_unit (event->condition));
  append_text (csv, event->reason);
  append_time (csv, event->acknowledged);
  append_text (csv, event->acknowledged_by);
  g_string_append (csv, event->has_picture ? "true," : "false,");
  append_reference (csv, event->outage);
  g_string_append (csv, event->quiet ? "true," : "false,");
  append_time (csv, event->active_since);
  append_time (csv, event->reference);
  append_text (csv, event->note);
  /* In place of the last comma */
  g_string_overwrite (csv, csv->len - 1, "\r\n");
}

static gpointer
render_csv (gpointer result)
{
  const VhmAlarmList *list = result;
  GString *csv = g_string_new (NULL);
  guint i;

  for (i = 0; i < list->alarms->len; i++) {
    const VhmAlarm *alarm = g_ptr_array_index (list->alarms, i);

    append_alarm (csv, alarm, vhm_alarm_list_get_group (list, alarm));
  }
  return piece_new (list, g_string_free (csv, FALSE));
}

static gchar *
make_csv_end (G_GNUC_UNUSED const VhmAlarmPiece * last)
{
  return g_strdup ("");
}

const VhmAlarmFormat vhm_alarms_as_csv = {
  "text/csv; charset=utf-8; header=present", "alarms.csv", CSV_HEAD, "",
  render_csv, make_csv_end
};
