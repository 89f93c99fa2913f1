/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "notices.h"

#include "event.h"
#include "storedhistory.h"
#include "core/duration.h"

#define NOT_RELOADED "Key file not reloaded, the previous one stays in effect."
#define RELOADED "Key file reloaded."

/* Share of the processors from which on the monitor itself is worth sparing,
 * and from which on no other program is to blame. */
#define MIN_OWN_LOAD 0.25
#define MAX_OWN_LOAD 0.8

/* How long the machine must have been too busy until there is a notice, and how
 * long it must keep up until that is over, µs. */
#define MIN_BUSY (20 * G_TIME_SPAN_SECOND)
#define MIN_KEEPING_UP (30 * G_TIME_SPAN_SECOND)

struct _VhmNotices
{
  VhmStore *store;
  GQueue unstored;              /* of VhmNotice: they wait to be stored */
  void (*tell) (gpointer data, const VhmNotice * notice);
  gpointer data;
  gint64 failing_since;         /* since when nothing can be stored, µs since
                                 * 1970; or 0 */
  guint errors;                 /* that kept the key file from being
                                 * reloaded */
  gint64 busy_since, busy_last; /* when the machine was first and last too busy,
                                 * µs since 1970; 0: it keeps up */
  gchar *busy;                  /* the notice of that, or NULL */
  gint64 paused;                /* when the last long pause ended, µs since
                                 * 1970; or 0 */
  guint pauses;                 /* that have no notice yet */
  gint64 pauses_since, pauses_time;     /* the start of the first one, and how
                                         * long they took together, µs */
};

/* They are stored one after the other. */
static void
on_stored (gpointer data, G_GNUC_UNUSED gpointer result,
    G_GNUC_UNUSED const gchar * why)
{
  VhmNotices *notices = data;

  vhm_notice_free (g_queue_pop_head (&notices->unstored));
}

static void
add_notice (VhmNotices * notices, const VhmNotice * notice)
{
  g_queue_push_tail (&notices->unstored, vhm_notice_copy (notice));
  vhm_store_add_notice (notices->store, notice, on_stored, notices);
  notices->tell (notices->data, notice);
}

static void
add (VhmNotices * notices, VhmNoticeKind kind, const gchar * text,
    const gchar * detail, gboolean over)
{
  const VhmNotice notice = { g_get_real_time (), kind, (gchar *) text,
    (gchar *) detail, over
  };

  add_notice (notices, &notice);
}

/* Problems that lasted when the program ended. */
static void
on_open (gpointer data, gpointer result, G_GNUC_UNUSED const gchar * why)
{
  const GPtrArray *open = result;
  guint i;

  for (i = 0; open && i < open->len; i++) {
    const VhmNotice *notice = g_ptr_array_index (open, i);

    add (data, notice->kind, notice->kind == VHM_NOTICE_MACHINE ?
        "The monitor was restarted while this machine was too busy."
        : "The monitor was restarted, with the present key file.", "", TRUE);
  }
}

VhmNotices *
vhm_notices_new (VhmStore * store,
    void (*tell) (gpointer data, const VhmNotice * notice), gpointer data)
{
  VhmNotices *notices = g_new0 (VhmNotices, 1);

  notices->store = store;
  notices->tell = tell;
  notices->data = data;
  g_queue_init (&notices->unstored);
  vhm_store_list_open_notices (store, on_open, notices);
  return notices;
}

GPtrArray *
vhm_notices_list (const VhmNotices * notices, const GPtrArray * stored,
    guint limit)
{
  GPtrArray *list = g_ptr_array_new ();
  const GList *l;
  guint i;

  for (l = notices->unstored.tail; l && list->len < limit; l = l->prev)
    g_ptr_array_add (list, l->data);
  for (i = 0; i < stored->len && list->len < limit; i++)
    g_ptr_array_add (list, g_ptr_array_index (stored, i));
  return list;
}

static void
log_text (GLogLevelFlags level, const gchar * text)
{
  gchar *local = vhm_text_localize (text, NULL);

  g_log (G_LOG_DOMAIN, level, "%s", local);
  g_free (local);
}

static gchar *
describe_store_trouble (const gchar * trouble)
{
  return trouble ? g_strdup_printf ("Cannot store events: %s. States are still "
      "published; events follow once they are stored.", trouble)
      : g_strdup ("");
}

/* The store has logged both. */
static void
watch_store (VhmNotices * notices)
{
  const gchar *trouble = vhm_store_get_trouble (notices->store);
  gchar *text, *since;

  if (!trouble == !notices->failing_since)
    return;
  if (trouble) {
    notices->failing_since = g_get_real_time ();
    text = describe_store_trouble (trouble);
  } else {
    since = vhm_time_to_text (notices->failing_since);
    notices->failing_since = 0;
    text = g_strdup_printf ("Events are being stored again, after failures "
        "since %s.", since);
    g_free (since);
  }
  add (notices, VHM_NOTICE_DATABASE, text, "", !trouble);
  g_free (text);
}

void
vhm_notices_add_of_gpu (VhmNotices * notices, const gchar * text)
{
  g_warning ("%s", text);
  add (notices, VHM_NOTICE_GPU, text, "", FALSE);
}

static void
begin_busy (VhmNotices * notices, const VhmLoad * load)
{
  gchar *since = vhm_time_to_text (notices->busy_since);

  notices->busy = g_strdup_printf ("This machine has been too busy since %s: "
      "frames come late or are lost. The monitor itself uses %.0f %% of %.3g "
      "processor%s. %s processors%s.", since, 100 * load->own,
      load->processors, load->processors == 1 ? "" : "s",
      load->own > MAX_OWN_LOAD ? "Add" : "Stop other programs or add",
      load->decodes_all && load->own >= MIN_OWN_LOAD ?
      ", or set decode=keyframes for cameras" : "");
  g_free (since);
  log_text (G_LOG_LEVEL_WARNING, notices->busy);
  add (notices, VHM_NOTICE_MACHINE, notices->busy, "", FALSE);
}

static void
end_busy (VhmNotices * notices)
{
  gchar *time = vh_duration_print (vhm_seconds_between (notices->busy_since,
          notices->busy_last));
  gchar *text = g_strdup_printf ("This machine keeps up with the cameras "
      "again, after %s.", time);

  g_message ("%s", text);
  add (notices, VHM_NOTICE_MACHINE, text, "", TRUE);
  g_clear_pointer (&notices->busy, g_free);
  g_free (text);
  g_free (time);
}

void
vhm_notices_note_load (VhmNotices * notices, gboolean busy,
    const VhmLoad * load)
{
  const gint64 now = g_get_real_time ();

  if (busy) {
    notices->busy_last = now;
    if (!notices->busy_since)
      notices->busy_since = now;
    if (!notices->busy && now - notices->busy_since >= MIN_BUSY)
      begin_busy (notices, load);
  } else if (notices->busy_since
      && now - notices->busy_last >= MIN_KEEPING_UP) {
    if (notices->busy)
      end_busy (notices);
    notices->busy_since = 0;
  }
}

gboolean
vhm_notices_is_busy (const VhmNotices * notices, gboolean lasting)
{
  return lasting ? notices->busy != NULL : notices->busy_since != 0;
}

/* A busy machine takes less. */
#define MIN_PAUSE (10 * G_TIME_SPAN_SECOND)
/* Pauses that follow each other within this time are reported together. */
#define MAX_BETWEEN_PAUSES (3 * G_TIME_SPAN_MINUTE)

#define AFTER_UNWATCHED " Alarms that ended in this time end with the first " \
    "judgement after it, marked \"while nobody watched\"."

/* From @since until @now, which are in µs since 1970. @cause: a sentence up to
 * the duration */
static void
add_unwatched (VhmNotices * notices, gint64 since, gint64 now, gint64 seconds,
    const gchar * cause)
{
  gchar *time = vh_duration_print (seconds);
  gchar *text = g_strdup_printf ("%s %s, and no camera was watched."
      AFTER_UNWATCHED, cause, time);
  const VhmNotice notice = { now, VHM_NOTICE_PROGRAM, text, (gchar *) "",
    FALSE, since
  };

  g_message ("%s", text);
  add_notice (notices, &notice);
  g_free (text);
  g_free (time);
}

/* It ran for some time after @last, which nobody knows. */
gboolean
vhm_notices_add_gap (VhmNotices * notices, gint64 last)
{
  const gint64 now = g_get_real_time ();

  if (now - last >= VHM_MIN_GAP)
    add_unwatched (notices, last, now, vhm_seconds_round_up
        (vhm_seconds_between (last, now)),
        "The monitor did not run for at most");
  return now - last >= VHM_MIN_GAP;
}

static void
add_pause (VhmNotices * notices, gint64 since, gint64 until)
{
  add_unwatched (notices, since, until, vhm_seconds_between (since, until),
      "The monitor stood still for");
}

/* Between several pauses, cameras were watched: the notice has no @since. */
static void
add_pauses (VhmNotices * notices)
{
  gchar *since = vhm_time_to_text (notices->pauses_since);
  gchar *until = vhm_time_to_text (notices->paused);
  gchar *time = vh_duration_print (notices->pauses_time / G_TIME_SPAN_SECOND);
  gchar *text = g_strdup_printf ("The monitor stood still %u more times from "
      "%s to %s, for %s in all, and no camera was watched." AFTER_UNWATCHED,
      notices->pauses, since, until, time);

  if (notices->pauses > 1)
    add (notices, VHM_NOTICE_PROGRAM, text, "", FALSE);
  else
    add_pause (notices, notices->pauses_since, notices->paused);
  notices->pauses = 0;
  notices->pauses_time = 0;
  g_free (text);
  g_free (time);
  g_free (until);
  g_free (since);
}

static void
collect_pause (VhmNotices * notices, gint64 since, gint64 until)
{
  if (!notices->pauses++)
    notices->pauses_since = since;
  notices->pauses_time += until - since;
  g_message ("The monitor stood still for %" G_GINT64_FORMAT " s.",
      vhm_seconds_between (since, until));
}

gboolean
vhm_notices_add_pause (VhmNotices * notices, gint64 pause)
{
  const gint64 now = g_get_real_time ();

  if (pause < MIN_PAUSE) {
    g_message ("The monitor stood still for %.1f s.",
        pause / (gdouble) G_TIME_SPAN_SECOND);
    return FALSE;
  }
  if (notices->paused && now - notices->paused < MAX_BETWEEN_PAUSES)
    collect_pause (notices, now - pause, now);
  else
    add_pause (notices, now - pause, now);
  notices->paused = now;
  return TRUE;
}

void
vhm_notices_tick (VhmNotices * notices)
{
  watch_store (notices);
  if (notices->pauses
      && g_get_real_time () - notices->paused >= MAX_BETWEEN_PAUSES)
    add_pauses (notices);
}

void
vhm_notices_free (VhmNotices * notices)
{
  if (notices->pauses)
    add_pauses (notices);
  g_queue_clear_full (&notices->unstored, (GDestroyNotify) vhm_notice_free);
  g_free (notices->busy);
  g_free (notices);
}

/* The errors themselves quote values and paths. */
static gchar *
describe_errors (guint errors)
{
  return errors ? g_strdup_printf ("The new one has %u error%s. The log says "
      "which.", errors, errors == 1 ? "" : "s") : g_strdup ("");
}

void
vhm_notices_set_errors (VhmNotices * notices, guint errors)
{
  gchar *detail = describe_errors (errors);

  if (errors != notices->errors)
    add (notices, VHM_NOTICE_CONFIGURATION, errors ? NOT_RELOADED : RELOADED,
        detail, !errors);
  notices->errors = errors;
  g_free (detail);
}

gboolean
vhm_notices_is_configured (const VhmNotices * notices)
{
  return !notices->errors;
}

static void
add_sentences (GString * text, const gchar * sentences)
{
  if (text->len && *sentences)
    g_string_append_c (text, ' ');
  g_string_append (text, sentences);
}

gchar *
vhm_notices_describe_trouble (const VhmNotices * notices, VhmRole role)
{
  GString *text = g_string_new (notices->busy);
  gchar *store = describe_store_trouble (vhm_store_get_trouble
      (notices->store));
  gchar *errors = describe_errors (notices->errors);

  add_sentences (text, store);
  if (notices->errors && role == VHM_ROLE_OPERATOR) {
    add_sentences (text, NOT_RELOADED);
    add_sentences (text, errors);
  }
  g_free (errors);
  g_free (store);
  return g_string_free (text, FALSE);
}
