/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small output, which is not part of the program: appends what it is handed
 * to a file, as a line of JSON. lines.py shows that the program treats it like
 * its own outputs. */
#include "monitor/letter.h"
#include "monitor/output.h"

#include <stdio.h>

typedef struct
{
  VhmGroup group;
  gchar *name;
  gchar *file;
} LinesSettings;

static void
on_deliver (gpointer data, const GPtrArray * events,
    G_GNUC_UNUSED GBytes * jpeg)
{
  VhmOutput *output = data;
  const LinesSettings *settings = output->settings;
  const VhmEvent *last = g_ptr_array_index (events, events->len - 1);
  gchar *letter = vhm_letter_make (output, events, NULL);
  FILE *file = fopen (settings->file, "ae");

  if (file)
    fprintf (file, "%s\n", letter);
  g_free (letter);
  if (file && !fclose (file))
    vhm_delivery_done (output->delivery, last->number);
  else
    vhm_delivery_give_up (output->delivery, "cannot write");
}

static void
start (gpointer data)
{
  VhmOutput *output = data;

  output->up = TRUE;
  vhm_delivery_start (output->delivery);
}

#define AT(field) G_STRUCT_OFFSET (LinesSettings, field)

static const VhmKey keys[] = {
  {NULL, NULL, VHM_TEXT, AT (name)},
  {"file", vhm_parse_file, VHM_TEXT, AT (file)},
  {NULL}
};

static void
check_settings (const VhmReading * reading, gpointer group)
{
  const LinesSettings *lines = group;

  if (!vhm_group_has (group, reading, "file"))
    vhm_problems_error (reading->problems, reading->file, lines->group.line,
        "lines %s has no file", lines->name);
}

const VhmOutputClass vhm_lines_output = {
  .group.name = "lines",
  .group.size = sizeof (LinesSettings),
  .group.keys = keys,
  .group.name_offset = AT (name),
  .group.check = check_settings,
  .size = sizeof (VhmOutput),
  .window = 1,
  .deliver = on_deliver,
  .start = start,
};
