/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "storedalarms.h"

#include <string.h>

/* A series is a condition of a camera. Its alarms follow each other in time,
 * unless the clock was set back. To list alarms of several series, alarms of
 * all series are read first, while that is cheap. The rest comes from merging
 * the newest alarms of each series: each step takes one row of an index,
 * however many alarms there are. */

/* Rows of alarms that take about as long as one step of a series */
#define ROWS_PER_STEP 2

/* Next alarm of a series */
typedef struct
{
  gint64 series;
  VhmAlarmPlace place;
} Head;

typedef struct
{
  sqlite3 *db;
  const VhmAlarmFilter *filter;
  GArray *series;               /* of gint64: those that the filter selects,
                                 * ascending */
  sqlite3_stmt *next;
  gint64 from;                  /* takes alarms that started since then, and
                                 * the previous one of each series if it had not
                                 * ended by then; µs since 1970 */
  GSequence *heads;             /* of Head, in the order of the list */
  GArray *found;                /* of VhmAlarmPlace */
  GHashTable *folded;           /* camera → its name and group, case-folded */
  gchar *conditions[GST_VIDEO_HEALTH_N_CONDITIONS];     /* case-folded name and
                                                         * words, or NULL */
  int code;                     /* of SQLite */
} Search;

static GHashTable *
ref_table (GHashTable * table)
{
  return table ? g_hash_table_ref (table) : NULL;
}

void
vhm_alarm_filter_clear (VhmAlarmFilter * filter)
{
  g_clear_pointer (&filter->cameras, g_hash_table_unref);
  g_clear_pointer (&filter->groups, g_hash_table_unref);
  g_clear_pointer (&filter->snoozed, g_hash_table_unref);
  g_clear_pointer (&filter->group_of, g_hash_table_unref);
  g_clear_pointer (&filter->last_seen, g_hash_table_unref);
  g_clear_pointer (&filter->reasons, g_hash_table_unref);
  g_clear_pointer (&filter->words, g_ptr_array_unref);
}

static void
filter_free (gpointer data)
{
  vhm_alarm_filter_clear (data);
  g_free (data);
}

static void
alarm_free (gpointer data)
{
  VhmAlarm *alarm = data;

  vhm_event_free (alarm->event);
  g_free (alarm->end_reason);
  g_free (alarm->present_reason);
  g_free (alarm);
}

gint64
vhm_alarm_get_duration (const VhmAlarm * alarm)
{
  return vhm_seconds_between (alarm->begun, alarm->end_number ? alarm->ended
      : alarm->last_seen ? alarm->last_seen : g_get_real_time ());
}

gboolean
vhm_alarm_is_at_most (const VhmAlarm * alarm)
{
  return alarm->end_number && g_str_equal (alarm->end_reason,
      VHM_UNWATCHED_END);
}

static void
list_free (gpointer data)
{
  VhmAlarmList *list = data;

  g_ptr_array_unref (list->alarms);
  g_clear_pointer (&list->group_of, g_hash_table_unref);
  g_free (list);
}

static const gchar *
get_group (GHashTable * group_of, const gchar * camera)
{
  const gchar *group = group_of ? g_hash_table_lookup (group_of, camera) : NULL;

  return group ? group : "";
}

const gchar *
vhm_alarm_list_get_group (const VhmAlarmList * list, const VhmAlarm * alarm)
{
  return get_group (list->group_of, alarm->event->camera);
}

/* Series */

static gchar *
fold (const gchar * name, const gchar * more)
{
  gchar *both = g_strjoin ("\n", name, more, NULL);
  gchar *folded = g_utf8_casefold (both, -1);

  g_free (both);
  return folded;
}

/* Each name is folded once per search: there are thousands of series. */
static const gchar *
fold_camera (Search * search, const gchar * camera)
{
  gchar *folded = g_hash_table_lookup (search->folded, camera);

  if (!folded) {
    folded = fold (camera, get_group (search->filter->group_of, camera));
    g_hash_table_insert (search->folded, g_strdup (camera), folded);
  }
  return folded;
}

static const gchar *
fold_condition (Search * search, GstVideoHealthCondition condition)
{
  if (!search->conditions[condition])
    search->conditions[condition] =
        fold (gst_video_health_condition_get_name (condition),
        gst_video_health_condition_get_words (condition));
  return search->conditions[condition];
}

/* Whether each word of the filter is in the camera, its group or the
 * condition. */
static gboolean
has_words (Search * search, const gchar * camera,
    GstVideoHealthCondition condition)
{
  const GPtrArray *words = search->filter->words;
  guint i = 0;

  while (words && i < words->len
      && (strstr (fold_condition (search, condition), words->pdata[i])
          || strstr (fold_camera (search, camera), words->pdata[i])))
    i++;
  return !words || i == words->len;
}

/* Whether the state has only alarms that somebody should look at. */
static gboolean
is_to_do (VhmAlarmState state)
{
  return state == VHM_ALARM_UNACKNOWLEDGED || state == VHM_ALARM_MISSED;
}

static gboolean
is_selected (Search * search, const gchar * camera, const gchar * condition)
{
  const gint number = vhm_condition_from_name (condition);
  const VhmAlarmFilter *filter = search->filter;

  return number >= 0 && filter->conditions >> number & 1
      && (!filter->cameras || g_hash_table_contains (filter->cameras, camera))
      && (!filter->groups || g_hash_table_contains (filter->groups,
          get_group (filter->group_of, camera)))
      && !(is_to_do (filter->state) && filter->snoozed
      && g_hash_table_contains (filter->snoozed, camera))
      && has_words (search, camera, number);
}

static void
add_series (sqlite3_stmt * row, gpointer data)
{
  const gint64 id = sqlite3_column_int64 (row, 0);
  Search *search = data;

  if (is_selected (search, (const gchar *) sqlite3_column_text (row, 1),
          (const gchar *) sqlite3_column_text (row, 2)))
    g_array_append_val (search->series, id);
}

static void
select_series (Search * search)
{
  search->series = g_array_new (FALSE, FALSE, sizeof (gint64));
  search->code = vhm_database_read (search->db, vhm_database_prepare
      (search->db, "SELECT id, camera, condition FROM series ORDER BY id", ""),
      add_series, search);
}

/* Merging */

static gboolean
precedes (const VhmAlarmPlace * a, const VhmAlarmPlace * b)
{
  return a->begun != b->begun ? a->begun > b->begun : a->number > b->number;
}

static gint
compare_heads (gconstpointer a, gconstpointer b, G_GNUC_UNUSED gpointer data)
{
  const Head *first = a, *second = b;

  return precedes (&first->place, &second->place) ? -1 : 1;
}

#define FOLLOWING(which) "SELECT begun, number, ended, series FROM alarms " \
    "WHERE " which " (begun, number) < (?2, ?3) " \
    "ORDER BY begun DESC, number DESC"

/* Returns a statement for the alarms that follow a place, in the series ?1 or
 * in all, by the index for it. */
static sqlite3_stmt *
prepare_following (Search * search, gboolean all)
{
  static const gchar *const statements[2][3] = {
    {FOLLOWING ("series = ?1 AND"), FOLLOWING ("series = ?1 AND is_to_do AND"),
        FOLLOWING ("series = ?1 AND is_acknowledged = 1 AND")},
    {FOLLOWING (""), FOLLOWING ("is_to_do AND"),
        FOLLOWING ("is_acknowledged = 1 AND")}
  };
  const VhmAlarmState state = search->filter->state;
  sqlite3_stmt *following = vhm_database_prepare (search->db,
      statements[all][is_to_do (state) ? 1 :
          state == VHM_ALARM_ACKNOWLEDGED ? 2 : 0], "");

  if (!following)
    search->code = sqlite3_errcode (search->db);
  return following;
}

static void
bind_place (sqlite3_stmt * following, const VhmAlarmPlace * place)
{
  sqlite3_bind_int64 (following, 2, place->begun);
  sqlite3_bind_int64 (following, 3, place->number);
}

static VhmAlarmPlace
read_place (sqlite3_stmt * row)
{
  return (VhmAlarmPlace) {
  sqlite3_column_int64 (row, 0), sqlite3_column_int64 (row, 1)};
}

static gboolean
is_over (sqlite3_stmt * row)
{
  return sqlite3_column_type (row, 2) != SQLITE_NULL;
}

/* Whether the state of the filter selects it; the statement has selected by
 * what is to do, and by acknowledgement. */
static gboolean
has_state (const Search * search, sqlite3_stmt * row)
{
  const VhmAlarmState state = search->filter->state;

  return (state != VHM_ALARM_OVER && state != VHM_ALARM_MISSED)
      || is_over (row);
}

/* Moves @head to the next alarm that the filter selects. Returns FALSE after
 * the last one. */
static gboolean
advance_head (Search * search, Head * head)
{
  sqlite3_stmt *next = search->next;
  gboolean found = FALSE;

  sqlite3_bind_int64 (next, 1, head->series);
  bind_place (next, &head->place);
  while (!found && (search->code = sqlite3_step (next)) == SQLITE_ROW) {
    head->place = read_place (next);
    if (head->place.begun < search->from && is_over (next)
        && sqlite3_column_int64 (next, 2) <= search->from)
      break;
    found = has_state (search, next);
  }
  if (search->code == SQLITE_ROW)
    search->code = SQLITE_DONE;
  sqlite3_reset (next);
  return found;
}

/* Whether to go on. One more than the limit shows that more follow. */
static gboolean
wants_more (const Search * search)
{
  return search->code == SQLITE_DONE
      && search->found->len <= search->filter->limit;
}

static void
add_head (Search * search, gint64 series, VhmAlarmPlace place)
{
  Head head = { series, place };

  if (advance_head (search, &head))
    g_sequence_insert_sorted (search->heads, g_memdup2 (&head, sizeof head),
        compare_heads, NULL);
}

/* Takes alarms of the heads in their order until the page is full, or all are
 * taken. */
static void
merge_heads (Search * search)
{
  while (wants_more (search) && !g_sequence_is_empty (search->heads)) {
    GSequenceIter *first = g_sequence_get_begin_iter (search->heads);
    Head *head = g_sequence_get (first);

    g_array_append_val (search->found, head->place);
    if (advance_head (search, head))
      g_sequence_sort_changed (first, compare_heads, NULL);
    else
      g_sequence_remove (first);
  }
}

/* Alarms of each series after @place. */
static void
find_by_series (Search * search, VhmAlarmPlace place)
{
  guint i;

  search->next = prepare_following (search, FALSE);
  for (i = 0; search->code == SQLITE_DONE && i < search->series->len; i++)
    add_head (search, g_array_index (search->series, gint64, i), place);
  merge_heads (search);
}

static gint
compare_series (gconstpointer a, gconstpointer b)
{
  const gint64 first = *(const gint64 *) a, second = *(const gint64 *) b;

  return (first > second) - (first < second);
}

/* Alarms of all series that started after @place, which moves to the last one
 * that was read, while that costs no more than steps of each series. */
static void
find_common (Search * search, VhmAlarmPlace * place)
{
  sqlite3_stmt *all = prepare_following (search, TRUE);
  guint64 n = (guint64) ROWS_PER_STEP * search->series->len;

  if (!all)
    return;
  bind_place (all, place);
  while (n-- && wants_more (search)
      && (search->code = sqlite3_step (all)) == SQLITE_ROW) {
    const gint64 series = sqlite3_column_int64 (all, 3);
    const VhmAlarmPlace next = read_place (all);

    search->code = SQLITE_DONE;
    if (next.begun < search->from)
      break;
    *place = next;
    if (has_state (search, all) && g_array_binary_search (search->series,
            &series, compare_series, NULL))
      g_array_append_val (search->found, next);
  }
  sqlite3_finalize (all);
}

static void
add_active (sqlite3_stmt * row, gpointer data)
{
  const VhmAlarmPlace place = read_place (row);
  Search *search = data;

  if (search->found->len <= search->filter->limit
      && is_selected (search, (const gchar *) sqlite3_column_text (row, 2),
          (const gchar *) sqlite3_column_text (row, 3)))
    g_array_append_val (search->found, place);
}

/* There is at most one active alarm in each series. */
static void
find_active (Search * search, VhmAlarmPlace place)
{
  search->code = vhm_database_read (search->db, vhm_database_prepare
      (search->db, "SELECT begun, number, camera, condition "
          "FROM alarms INDEXED BY active_alarms JOIN series ON id = series "
          "WHERE ended IS NULL AND (begun, number) < (?, ?) "
          "ORDER BY begun DESC, number DESC", "ii", place.begun,
          (gint64) place.number), add_active, search);
}

static void
find_alarms (Search * search)
{
  const VhmAlarmFilter *filter = search->filter;
  const VhmAlarmPlace before = { filter->before, 0 };
  VhmAlarmPlace place = precedes (&filter->after, &before) ? before
      : filter->after;

  if (filter->from >= filter->before)
    return;
  if (filter->state == VHM_ALARM_ACTIVE)
    find_active (search, place);
  else {
    select_series (search);
    find_common (search, &place);
    if (wants_more (search))
      find_by_series (search, place);
  }
}

/* Reading */

static void
append_alarm (sqlite3_stmt * row, const VhmAlarmFilter * filter,
    GPtrArray * alarms)
{
  VhmEvent *event = vhm_store_read_event (row);
  const gint64 *seen;
  const gchar *reason;
  VhmAlarm *alarm;

  if (!event)
    return;
  seen = filter->last_seen ? g_hash_table_lookup (filter->last_seen,
      &event->number) : NULL;
  reason = filter->reasons ? g_hash_table_lookup (filter->reasons,
      &event->number) : NULL;
  alarm = g_new (VhmAlarm, 1);
  alarm->event = event;
  alarm->begun = sqlite3_column_int64 (row, VHM_N_EVENT_COLUMNS);
  alarm->ended = sqlite3_column_int64 (row, VHM_N_EVENT_COLUMNS + 1);
  alarm->end_number = sqlite3_column_int64 (row, VHM_N_EVENT_COLUMNS + 2);
  alarm->last_seen = seen && !alarm->end_number ? *seen : 0;
  alarm->end_reason = g_strdup ((const gchar *) sqlite3_column_text (row,
          VHM_N_EVENT_COLUMNS + 3));
  alarm->present_reason = g_strdup (reason && !alarm->end_number
      && !g_str_equal (reason, event->reason) ? reason : "");
  g_ptr_array_add (alarms, alarm);
}

static int
read_alarms (Search * search, guint n, GPtrArray * alarms)
{
  sqlite3_stmt *statement = vhm_database_prepare (search->db, "SELECT "
      VHM_EVENT_COLUMNS ", begun, ended, end_number, ifnull ((SELECT reason "
      "FROM events e WHERE e.number = end_number), '') FROM alarms "
      "JOIN events USING (number) WHERE alarms.number = ?", "");
  int code = statement ? SQLITE_DONE : sqlite3_errcode (search->db);
  guint i;

  for (i = 0; code == SQLITE_DONE && i < n; i++) {
    sqlite3_bind_int64 (statement, 1,
        g_array_index (search->found, VhmAlarmPlace, i).number);
    while ((code = sqlite3_step (statement)) == SQLITE_ROW)
      append_alarm (statement, search->filter, alarms);
    sqlite3_reset (statement);
  }
  sqlite3_finalize (statement);
  return code;
}

static int
list_alarms (sqlite3 * db, gpointer request, gpointer * result)
{
  const VhmAlarmFilter *filter = request;
  Search search = { db, filter,.from = filter->from,.code = SQLITE_DONE };
  VhmAlarmList *list = g_new0 (VhmAlarmList, 1);
  guint i, n;

  search.heads = g_sequence_new (g_free);
  search.found = g_array_new (FALSE, FALSE, sizeof (VhmAlarmPlace));
  search.folded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  list->alarms = g_ptr_array_new_with_free_func (alarm_free);
  list->group_of = ref_table (filter->group_of);
  *result = list;
  find_alarms (&search);
  n = MIN (search.found->len, filter->limit);
  list->more = search.found->len > filter->limit;
  list->last = n ? g_array_index (search.found, VhmAlarmPlace, n - 1)
      : filter->after;
  if (search.code == SQLITE_DONE)
    search.code = read_alarms (&search, n, list->alarms);
  sqlite3_finalize (search.next);
  g_sequence_free (search.heads);
  g_array_unref (search.found);
  g_hash_table_unref (search.folded);
  for (i = 0; i < G_N_ELEMENTS (search.conditions); i++)
    g_free (search.conditions[i]);
  g_clear_pointer (&search.series, g_array_unref);
  return search.code;
}

void
vhm_store_list_alarms (VhmStore * store, const VhmAlarmFilter * filter,
    VhmRender render, VhmAnswer answer, gpointer data)
{
  VhmAlarmFilter *request = g_memdup2 (filter, sizeof *filter);

  ref_table (request->cameras);
  ref_table (request->groups);
  ref_table (request->snoozed);
  ref_table (request->group_of);
  ref_table (request->last_seen);
  ref_table (request->reasons);
  if (request->words)
    g_ptr_array_ref (request->words);
  vhm_store_render (store, list_alarms, request, filter_free, list_free,
      render, answer, data);
}
