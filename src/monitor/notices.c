/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "notices.h"

#include "event.h"
#include "storedhistory.h"
#include "core/duration.h"

#define NOT_RELOADED "Key file not reloaded, the previous one stays in effect."
#define RELOADED "Key file reloaded."

struct _VhmNotices
{
  VhmStore *store;
  void (*tell) (gpointer data, const VhmNotice * notice);
  gpointer data;
  gint64 failing_since;         /* since when nothing can be stored, µs since
                                 * 1970; or 0 */
  guint errors;                 /* that kept the key file from being
                                 * reloaded */
};

VhmNotices *
vhm_notices_new (VhmStore * store,
    void (*tell) (gpointer data, const VhmNotice * notice), gpointer data)
{
  VhmNotices *notices = g_new0 (VhmNotices, 1);

  notices->store = store;
  notices->tell = tell;
  notices->data = data;
  return notices;
}

void
vhm_notices_free (VhmNotices * notices)
{
  g_free (notices);
}

static void
add_notice (VhmNotices * notices, const VhmNotice * notice)
{
  vhm_store_add_notice (notices->store, notice);
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

static gchar *
describe_store_trouble (const gchar * trouble)
{
  return trouble ? g_strdup_printf ("Cannot store events: %s. States are still "
      "published; events follow once they are stored.", trouble)
      : g_strdup ("");
}

/* The store has logged both. The first notice cannot be stored itself, so the
 * second one repeats when the failures began. */
void
vhm_notices_watch_store (VhmNotices * notices)
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

/* A busy machine takes less. */
#define MIN_PAUSE (10 * G_TIME_SPAN_SECOND)

/* From @since until @now, which are in µs since 1970. The duration is the
 * difference of both as clocks show them. @cause: a sentence without its
 * end */
static void
add_unwatched (VhmNotices * notices, gint64 since, gint64 now,
    const gchar * cause)
{
  gchar *time = vh_duration_print (now / G_TIME_SPAN_SECOND
      - since / G_TIME_SPAN_SECOND);
  gchar *text = g_strdup_printf ("%s for %s, and no camera was watched. "
      "Alarms that ended in this time end with the first judgement after it, "
      "marked \"while nobody watched\".", cause, time);
  const VhmNotice notice = { now, VHM_NOTICE_PROGRAM, text, (gchar *) "",
    FALSE, since
  };

  g_message ("%s", text);
  add_notice (notices, &notice);
  g_free (text);
  g_free (time);
}

gboolean
vhm_notices_add_gap (VhmNotices * notices, gint64 last)
{
  const gint64 now = g_get_real_time ();

  if (now - last >= VHM_MIN_GAP)
    add_unwatched (notices, last, now, "The monitor did not run");
  return now - last >= VHM_MIN_GAP;
}

gboolean
vhm_notices_add_pause (VhmNotices * notices, gint64 pause)
{
  const gint64 now = g_get_real_time ();

  if (pause >= MIN_PAUSE)
    add_unwatched (notices, now - pause, now, "The monitor stood still");
  else
    g_message ("The monitor stood still for %.1f s.",
        pause / (gdouble) G_TIME_SPAN_SECOND);
  return pause >= MIN_PAUSE;
}

/* The errors themselves quote values and paths. */
static gchar *
describe_errors (guint errors)
{
  return errors ? g_strdup_printf ("It has %u error%s. The log says which.",
      errors, errors == 1 ? "" : "s") : g_strdup ("");
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

gchar *
vhm_notices_describe_trouble (const VhmNotices * notices, VhmRole role)
{
  gchar *store = describe_store_trouble (vhm_store_get_trouble
      (notices->store));
  gchar *errors, *text;

  if (!notices->errors || role != VHM_ROLE_OPERATOR)
    return store;
  errors = describe_errors (notices->errors);
  text = g_strconcat (store, *store ? " " : "", NOT_RELOADED " ", errors, NULL);
  g_free (errors);
  g_free (store);
  return text;
}
