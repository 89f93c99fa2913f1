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
  "application/json", "json", "{\"alarms\":[", ",", render_json,
  make_json_end
};

/* CSV (RFC 4180) */

/* Without what only programs use: they read JSON. The byte-order mark tells
 * spreadsheets that the text is UTF-8. */
#define CSV_HEAD "\xef\xbb\xbf" "camera,group,words,severity,begun,ended," \
    "lasted,at_most,reason,end_reason,acknowledged,acknowledged_by,note," \
    "quiet,active_since,condition,value,threshold,unit," \
    "present_reason\r\n"

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
append_truth (GString * csv, gboolean truth)
{
  g_string_append (csv, truth ? "yes," : "no,");
}

static void
append_time (GString * csv, gint64 time)
{
  gchar *text = time ? vhm_time_print (time, VHM_TIME_FORMAT) : g_strdup ("");

  g_string_append_printf (csv, "%s,", text);
  g_free (text);
}

/* As h:mm:ss. */
static void
append_duration (GString * csv, const VhmAlarm * alarm)
{
  const gint64 seconds = vhm_alarm_get_duration (alarm);

  g_string_append_printf (csv, "%" G_GINT64_FORMAT ":%02d:%02d,",
      seconds / 3600, (gint) (seconds / 60 % 60), (gint) (seconds % 60));
}

/* Its times are like those of the other columns. */
static void
append_reason (GString * csv, const gchar * reason)
{
  gchar *text = vhm_text_localize (reason, VHM_TIME_FORMAT);

  append_text (csv, text);
  g_free (text);
}

static void
append_alarm (GString * csv, const VhmAlarm * alarm, const gchar * group)
{
  const VhmEvent *event = alarm->event;

  append_text (csv, event->camera);
  append_text (csv, group);
  append_text (csv, gst_video_health_condition_get_words (event->condition));
  append_text (csv,
      vhm_severity_get_name (gst_video_health_condition_get_severity
          (event->condition)));
  append_time (csv, alarm->begun);
  append_time (csv, alarm->end_number ? alarm->ended : 0);
  append_duration (csv, alarm);
  append_truth (csv, vhm_alarm_is_at_most (alarm));
  append_reason (csv, event->reason);
  append_reason (csv, alarm->end_reason);
  append_time (csv, event->acknowledged);
  append_text (csv, event->acknowledged_by);
  append_text (csv, event->note);
  append_truth (csv, event->quiet);
  append_time (csv, event->active_since);
  append_text (csv, gst_video_health_condition_get_name (event->condition));
  append_number (csv, event->value);
  append_number (csv, event->threshold);
  append_text (csv, gst_video_health_condition_get_unit (event->condition));
  append_reason (csv, alarm->present_reason);
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
  "text/csv; charset=utf-8; header=present", "csv", CSV_HEAD, "",
  render_csv, make_csv_end
};

/* Names of files */

#define MAX_NAME 40             /* characters */

/* Appends @name as it may be in the name of a file on any system. */
static void
append_name (GString * file, const gchar * name)
{
  guint i;

  g_string_append_c (file, '_');
  for (i = 0; *name && i < MAX_NAME; i++, name = g_utf8_next_char (name)) {
    const gunichar c = g_utf8_get_char (name);

    g_string_append_unichar (file,
        g_unichar_isalnum (c) || g_unichar_ismark (c) ? c : '-');
  }
}

/* Appends the only name of @names, or how many there are. */
static void
append_names (GString * file, GHashTable * names, const gchar * what)
{
  GHashTableIter iter;
  gpointer name;

  if (!names)
    return;
  g_hash_table_iter_init (&iter, names);
  if (g_hash_table_size (names) == 1
      && g_hash_table_iter_next (&iter, &name, NULL))
    append_name (file, *(gchar *) name ? name : "no group");
  else
    g_string_append_printf (file, "_%u-%s", g_hash_table_size (names), what);
}

/* Appends the days of the period, without those to come. */
static void
append_period (GString * file, const VhmAlarmFilter * filter)
{
  const gint64 end = MIN (filter->before, g_get_real_time ());
  gchar *from = filter->from > G_MININT64 ?
      vhm_time_print (filter->from, "%Y-%m-%d") : g_strdup ("until");
  gchar *until = vhm_time_print (end - 1, "%Y-%m-%d");

  if (!g_str_equal (from, until))
    g_string_append_printf (file, "_%s", from);
  g_string_append_printf (file, "_%s", until);
  g_free (until);
  g_free (from);
}

gchar *
vhm_alarm_format_name_file (const VhmAlarmFormat * format,
    const VhmAlarmFilter * filter)
{
  GString *file = g_string_new ("alarms");

  append_names (file, filter->cameras, "cameras");
  append_names (file, filter->groups, "groups");
  append_period (file, filter);
  g_string_append_printf (file, ".%s", format->extension);
  return g_string_free (file, FALSE);
}
