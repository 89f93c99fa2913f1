/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthtime.h"
#include "gst/videohistogram/gstvideohistogram.h"

#include <math.h>
#include <string.h>

#define MAX_TIME (24 * 3600 * GST_SECOND)
#define LIMITS "from 1ms to 24h, or 0"

static const struct
{
  const gchar *name;
  gdouble ns;
} units[] = {
  {"ns", 1}, {"us", GST_USECOND}, {"\302\265s", GST_USECOND},
  {"ms", GST_MSECOND}, {"s", GST_SECOND}, {"min", 60 * GST_SECOND},
  {"h", 3600 * GST_SECOND},
};

static gboolean
find_unit (const gchar * name, gdouble * ns)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (units); i++) {
    if (g_str_equal (units[i].name, name)) {
      *ns = units[i].ns;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
is_allowed (gdouble ns)
{
  return ns == 0 || (ns >= GST_VIDEO_HISTOGRAM_MIN_TIME && ns <= MAX_TIME);
}

/* @ns as a number of @unit, one of the units above. */
static gdouble
count (gdouble ns, const gchar * unit)
{
  gdouble of = 1;

  find_unit (unit, &of);
  return ns / of;
}

/* A second unit to suggest for @ns; the first one is s, or ms below a second.
 * The second one is h or min if the number is then a multiple of a quarter,
 * such as 1.5min; otherwise ms, such as 100000ms, or s below a second. */
static const gchar *
find_other_unit (gdouble ns)
{
  static const gchar *const longer[] = { "h", "min" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (longer); i++) {
    const gdouble n = count (ns, longer[i]);

    if (n >= 1 && 4 * n == floor (4 * n))
      return longer[i];
  }
  return ns < GST_SECOND ? "s" : "ms";
}

static gchar *
print_in (gdouble ns, const gchar * unit)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (number, sizeof (number), "%.15g", count (ns, unit));
  return g_strconcat (number, unit, NULL);
}

/* A number without a unit may have been meant as seconds or as ns. */
static gchar *
ask_for_unit (const gchar * text, const gchar * field, gdouble number)
{
  const gdouble ns = round (number <= (gdouble) MAX_TIME / GST_SECOND ?
      number * GST_SECOND : number);
  gchar *printed, *other, *problem;

  if (!is_allowed (ns))
    return g_strdup_printf ("%s is %s, without a unit; write a time " LIMITS
        ", in ns, us, ms, s, min or h", field, text);
  printed = print_in (ns, ns < GST_SECOND ? "ms" : "s");
  other = print_in (ns, find_other_unit (ns));
  problem = g_strdup_printf ("%s is %s, without a unit; write \"%s=%s\" or "
      "\"%s=%s\"", field, text, field, printed, field, other);
  g_free (other);
  g_free (printed);
  return problem;
}

gchar *
vh_health_time_parse (const gchar * text, const gchar * field,
    GstClockTime * time)
{
  gchar *unit;
  const gdouble number = g_ascii_strtod (text, &unit);
  const gboolean is_number = unit != text;
  gdouble ns = 1;

  unit += strspn (unit, " ");
  if (!is_number || !isfinite (number) || (*unit && !find_unit (unit, &ns)))
    return g_strdup_printf ("%s is %s, not a time such as 2s, 500ms or 1.5min",
        field, text);
  ns *= number;
  if (!is_allowed (ns) && (*unit || ns < 0))
    return g_strdup_printf ("%s is %s, not a time " LIMITS, field, text);
  if (!*unit && number != 0)
    return ask_for_unit (text, field, number);
  *time = round (ns);
  return NULL;
}

gchar *
vh_health_time_print (GstClockTime time)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  if (time % GST_MSECOND)
    return g_strdup_printf ("%" G_GUINT64_FORMAT "ns", time);
  if (time && time < GST_SECOND)
    return g_strdup_printf ("%" G_GUINT64_FORMAT "ms", time / GST_MSECOND);
  g_ascii_formatd (number, sizeof (number), "%.15g",
      (gdouble) time / GST_SECOND);
  return g_strconcat (number, "s", NULL);
}
