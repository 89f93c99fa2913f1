/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "limitrecord.h"

#include <math.h>
#include <string.h>

/* A condition starts if its value stays past `enter` for the duration of its
 * rule. So it would start with any threshold up to the least value of that
 * time, and the highest of these least values in a minute is the strictest
 * threshold that would have started it. Likewise for `leave` and hold.
 *
 * A minute in which a condition could start and end is kept as a list of
 * limits in the order of time. Other minutes are kept as two limits without
 * times. */

/* Parts of a window of time, each with its extreme value. */
#define N_PARTS 16

/* Maximum number of limits of a condition in one minute, and of those that did
 * not start or end it. */
#define MAX_LIMITS 60
#define MAX_OTHER_LIMITS 4

/* Longest gap between two frames that does not interrupt a duration. */
#define MAX_GAP (10 * G_TIME_SPAN_SECOND)

/* A limit that differs less from the one before, as a share of the distance
 * between both thresholds, is noise. */
#define MIN_SWING (1 / 8.)

/* A record is a sequence of conditions, each with a byte: the condition in the
 * lower bits, and the number of limits that follow above them. 0 stands for two
 * limits without times, and MANY for a number in the next byte. */
#define CONDITION_BITS 5
#define CONDITION_MASK ((1 << CONDITION_BITS) - 1)
#define MANY 7
#define MAX_RECORD 65536

/* In the byte with the second of a limit. */
#define ENTERS 0x80

#define NO_CODE 0xffff

/* A damaged record may have a greater value, or NAN. */
#define MAX_VALUE 1e9

G_STATIC_ASSERT (GST_VIDEO_HEALTH_N_CONDITIONS <= CONDITION_MASK);

/* The extreme of the values in the last µs. */
typedef struct
{
  gint64 since[N_PARTS];        /* monotonic µs of the first value */
  gfloat extreme[N_PARTS];
  guint first, n;
} Window;

typedef struct
{
  gboolean is_set;
  gboolean enters;              /* as in VhmLimit */
  gboolean past;                /* the threshold in effect */
  gdouble value;
  guint second;
} Limit;

typedef struct
{
  Window entering, leaving;
  gint64 last;                  /* monotonic µs of the last value */
  gboolean active;
  /* of this minute */
  Limit worst, best;
  GArray *limits;               /* of Limit; empty while none could start and
                                 * end */
} Track;

struct _VhmLimits
{
  VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS];
  Track tracks[GST_VIDEO_HEALTH_N_CONDITIONS];
};

/* Windows */

static guint
get_part (const Window * window, guint i)
{
  return (window->first + i) % N_PARTS;
}

/* Adds @value at @now. Returns whether the window is @span long, and its least
 * or greatest value. */
static gboolean
window_add (Window * window, gint64 now, gint64 span, gdouble value,
    gboolean least, gdouble * extreme)
{
  guint part = get_part (window, window->n + N_PARTS - 1), i;

  if (window->n && now - window->since[part] < span / (N_PARTS - 2)) {
    window->extreme[part] = least ? MIN (window->extreme[part], value) :
        MAX (window->extreme[part], value);
  } else {
    part = get_part (window, window->n++);
    window->since[part] = now;
    window->extreme[part] = value;
  }
  while (window->n == N_PARTS || (window->n > 1
          && window->since[get_part (window, 1)] <= now - span)) {
    window->first = get_part (window, 1);
    window->n--;
  }
  *extreme = value;
  for (i = 0; i < window->n; i++) {
    const gdouble other = window->extreme[get_part (window, i)];

    *extreme = least ? MIN (*extreme, other) : MAX (*extreme, other);
  }
  return now - window->since[window->first] >= span;
}

/* Limits of a minute */

static gboolean
is_below (const VhmThresholds * t)
{
  return t->enter < t->leave;
}

/* By how much @worse is further on the side of the alarm than @better. */
static gdouble
get_swing (const VhmThresholds * t, gdouble worse, gdouble better)
{
  return is_below (t) ? better - worse : worse - better;
}

/* Replaces @limit by @with if that goes further. Its time is when it passed the
 * threshold in effect: after that, it may still grow for long. With @latest, it
 * is the time of the last change. */
static void
update_limit (Limit * limit, const VhmThresholds * t, const Limit * with,
    gboolean latest)
{
  const gdouble swing = get_swing (t, with->value, limit->value);
  guint second = limit->second;

  if (!limit->is_set || !limit->past || latest)
    second = with->second;
  if (limit->is_set && (with->enters ? swing <= 0 : swing >= 0)
      && with->past <= limit->past)
    return;
  *limit = *with;
  limit->second = second;
}

/* Removes the two neighbours that differ least, but those between which the
 * condition changed only if there are too many. Limits alternate, so that their
 * neighbours go further. */
static void
remove_smallest_swing (GArray * limits, const VhmThresholds * t)
{
  gdouble least = G_MAXDOUBLE;
  guint smallest = 0, i;

  for (i = 0; i + 1 < limits->len; i++) {
    const Limit *a = &g_array_index (limits, Limit, i);
    const Limit *b = &g_array_index (limits, Limit, i + 1);
    const gdouble swing = fabs (get_swing (t, a->value, b->value));

    if (swing < least && !(a->past && b->past)) {
      least = swing;
      smallest = i;
    }
  }
  if (least == G_MAXDOUBLE && limits->len < MAX_LIMITS)
    return;
  if (smallest + 2 < limits->len) {
    const Limit *first = &g_array_index (limits, Limit, smallest);
    Limit *next = &g_array_index (limits, Limit, smallest + 2);

    if (first->past)
      next->second = first->second;
  }
  g_array_remove_range (limits, smallest, 2);
}

static void
append_limit (Track * track, const VhmThresholds * t, const Limit * limit)
{
  if (track->limits->len >= MAX_OTHER_LIMITS)
    remove_smallest_swing (track->limits, t);
  g_array_append_val (track->limits, *limit);
}

static void
note_limit (Track * track, const VhmThresholds * t, const Limit * limit,
    gboolean latest)
{
  Limit *whole = limit->enters ? &track->worst : &track->best;
  const Limit *other = limit->enters ? &track->best : &track->worst;
  const gdouble least = fabs (t->enter - t->leave) * MIN_SWING;
  Limit *last = track->limits->len ? &g_array_index (track->limits, Limit,
      track->limits->len - 1) : NULL;

  update_limit (whole, t, limit, latest);
  if (last && last->enters == limit->enters) {
    update_limit (last, t, limit, latest);
    return;
  }
  if (last)
    other = last;
  else
    limit = whole;
  if (!other->is_set || (limit->enters ?
          get_swing (t, limit->value, other->value) :
          get_swing (t, other->value, limit->value)) <= least)
    return;
  if (!last)
    append_limit (track, t, other);
  append_limit (track, t, limit);
}

/* What the rule in effect did is known, and what other thresholds would have
 * done must agree with it: other conditions may explain this one, for
 * example. */
static void
note_start (VhmLimitRecord * record, GstVideoHealthCondition condition,
    Limit * limit, gboolean active)
{
  Track *track = &record->tracks[condition];
  const VhmThresholds *t = &record->thresholds[condition];

  limit->past = limit->is_set
      && vhm_thresholds_are_passed (t, TRUE, limit->value);
  if (active && !track->active && !limit->past) {
    limit->value = t->enter;
    limit->is_set = limit->past = TRUE;
  } else if (!active && limit->past) {
    track->entering.n = 0;
    limit->is_set = FALSE;
  }
  if (limit->is_set)
    note_limit (track, t, limit,
        condition == GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS);
}

static void
note_end (VhmLimitRecord * record, GstVideoHealthCondition condition,
    Limit * limit, gboolean active)
{
  Track *track = &record->tracks[condition];
  const VhmThresholds *t = &record->thresholds[condition];

  limit->past = limit->is_set
      && vhm_thresholds_are_passed (t, FALSE, limit->value);
  if (!active && track->active && !limit->past) {
    limit->value = t->leave;
    limit->is_set = limit->past = TRUE;
  } else if (active && limit->past)
    limit->is_set = FALSE;
  if (limit->is_set)
    note_limit (track, t, limit, FALSE);
}

void
vhm_limit_record_set_duration (VhmLimitRecord * record,
    GstVideoHealthCondition condition, gint64 duration)
{
  record->thresholds[condition].duration = duration;
}

void
vhm_limit_record_add (VhmLimitRecord * record,
    GstVideoHealthCondition condition, gint64 now, guint second, gdouble value,
    gboolean active)
{
  Track *track = &record->tracks[condition];
  const VhmThresholds *t = &record->thresholds[condition];
  Limit start = {.enters = TRUE,.second = second };
  Limit end = {.second = second };

  /* What is active before the first value, as the saved state has it, started
   * earlier. Or it is over, and the program was killed before it saved that. */
  if (!track->last)
    track->active = active;
  if (now - track->last > MAX_GAP || isnan (value))
    track->entering.n = 0;
  if (now - track->last > MAX_GAP)
    track->leaving.n = 0;
  if (!isnan (value)) {
    track->last = now;
    start.is_set = window_add (&track->entering, now, t->duration, value,
        !is_below (t), &start.value);
    end.is_set = window_add (&track->leaving, now, t->hold, value,
        is_below (t), &end.value);
  }
  note_start (record, condition, &start, active);
  note_end (record, condition, &end, active);
  track->active = active;
}

/* Records */

/* The upper 16 bits of a number in single precision, without the sign: it has
 * none. Greater numbers have greater codes. */
static gdouble
decode_value (guint code)
{
  const guint32 bits = (guint32) code << 15;
  gfloat number;

  memcpy (&number, &bits, sizeof number);
  return fmin (number, MAX_VALUE);
}

static guint
encode_value (gdouble value)
{
  const gfloat number = CLAMP (value, 0, MAX_VALUE);
  guint32 bits;

  memcpy (&bits, &number, sizeof bits);
  return bits >> 15;
}

/* Rounds so that the threshold in effect still separates the values. */
static guint
encode_limit (const VhmThresholds * t, const Limit * limit)
{
  const guint code = encode_value (limit->value);
  guint i;

  for (i = 0; i < 3; i++) {
    const guint near = i < 2 ? code + i : MAX (code, 1) - 1;

    if (vhm_thresholds_are_passed (t, limit->enters, decode_value (near))
        == limit->past)
      return near;
  }
  return code;
}

static void
append_code (GByteArray * record, const VhmThresholds * t, const Limit * limit)
{
  const guint code = limit->is_set ? encode_limit (t, limit) : NO_CODE;
  const guint8 bytes[] = { code & 0xff, code >> 8 };

  g_byte_array_append (record, bytes, sizeof bytes);
}

static void
append_track (GByteArray * record, guint condition, const Track * track,
    const VhmThresholds * t)
{
  const guint n = track->limits->len;
  const guint8 head[] = { condition | MIN (n, MANY) << CONDITION_BITS, n };
  guint i;

  g_byte_array_append (record, head, n < MANY ? 1 : 2);
  if (!n) {
    append_code (record, t, &track->worst);
    append_code (record, t, &track->best);
  }
  for (i = 0; i < n; i++) {
    const Limit *limit = &g_array_index (track->limits, Limit, i);
    const guint8 time = limit->second | (limit->enters ? ENTERS : 0);

    append_code (record, t, limit);
    g_byte_array_append (record, &time, 1);
  }
}

GBytes *
vhm_limit_record_peek (const VhmLimitRecord * record)
{
  GByteArray *bytes = g_byte_array_new ();
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    const Track *track = &record->tracks[i];

    if (track->worst.is_set || track->best.is_set)
      append_track (bytes, i, track, &record->thresholds[i]);
  }
  return g_byte_array_free_to_bytes (bytes);
}

GBytes *
vhm_limit_record_take (VhmLimitRecord * record)
{
  GBytes *bytes = vhm_limit_record_peek (record);
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    Track *track = &record->tracks[i];

    track->worst.is_set = track->best.is_set = FALSE;
    g_array_set_size (track->limits, 0);
  }
  return bytes;
}

/* The number of bytes of the limits after a head, and how many there are. */
static gsize
get_length (guint n, gsize of_limit)
{
  return n ? n * (of_limit + 1) : 2 * of_limit;
}

gboolean
vhm_limit_record_read (const guint8 * record, gsize size,
    GstVideoHealthCondition condition, VhmLimitFunc func, gpointer data)
{
  gboolean found = FALSE;
  gsize at = 0;

  size = MIN (size, MAX_RECORD);
  while (at < size) {
    const guint head = record[at++];
    guint n = head >> CONDITION_BITS, i;
    gsize length;

    if (n == MANY && at < size)
      n = record[at++];
    length = get_length (n, 2);
    if (length > size - at)
      break;
    for (i = 0; (head & CONDITION_MASK) == condition
        && i < (n ? n : 2); i++) {
      const guint8 *limit = record + at + i * (n ? 3 : 2);
      const guint code = limit[0] | limit[1] << 8;
      const VhmLimit read = { n ? limit[2] >= ENTERS : i == 0,
        decode_value (code), n ? limit[2] & ~ENTERS : 0
      };

      found = TRUE;
      if (code != NO_CODE)
        func (data, &read);
    }
    at += length;
  }
  return found;
}

VhmLimitRecord *
vhm_limit_record_new (const VhmThresholds * thresholds)
{
  VhmLimitRecord *record = g_new0 (VhmLimitRecord, 1);
  guint i;

  memcpy (record->thresholds, thresholds, sizeof record->thresholds);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    record->tracks[i].limits = g_array_new (FALSE, FALSE, sizeof (Limit));
  return record;
}

void
vhm_limit_record_free (VhmLimitRecord * record)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    g_array_unref (record->tracks[i].limits);
  g_free (record);
}
