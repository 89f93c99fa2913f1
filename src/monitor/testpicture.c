/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testpicture.h"

#define FRAMES_PER_SECOND 25

/* In every 45 s, the last 20 s have the fault, so that it starts and ends while
 * someone watches. */
#define PERIOD (45 * GST_SECOND)
#define FAULT (20 * GST_SECOND)

typedef struct _Faulty Faulty;

/* A fault. Changes @buffer, which it may replace, at @time within the
 * period. */
typedef void (*Fault) (Faulty * faulty, GstBuffer ** buffer,
    GstClockTime time);

struct _Faulty
{
  Fault fault;
  GstBuffer *kept;              /* the frame that a frozen picture shows */
};

static gboolean
is_faulty (GstClockTime time)
{
  return time >= PERIOD - FAULT;
}

static void
multiply (GstBuffer ** buffer, guint percent)
{
  GstMapInfo map;
  gsize i;

  *buffer = gst_buffer_make_writable (*buffer);
  if (!gst_buffer_map (*buffer, &map, GST_MAP_READWRITE))
    return;
  /* Luma is the first two thirds of I420, and has limited range. */
  for (i = 0; i < map.size * 2 / 3; i++)
    map.data[i] = CLAMP (16 + (map.data[i] - 16) * (gint) percent / 100, 16,
        235);
  gst_buffer_unmap (*buffer, &map);
}

static void
darken (G_GNUC_UNUSED Faulty * faulty, GstBuffer ** buffer, GstClockTime time)
{
  if (is_faulty (time))
    multiply (buffer, 12);
}

static void
freeze (Faulty * faulty, GstBuffer ** buffer, GstClockTime time)
{
  GstBuffer *frozen;

  if (!is_faulty (time)) {
    gst_buffer_replace (&faulty->kept, *buffer);
    return;
  }
  if (!faulty->kept)
    return;
  frozen = gst_buffer_copy (faulty->kept);
  gst_buffer_copy_into (frozen, *buffer, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_unref (*buffer);
  *buffer = frozen;
}

static void
flash (G_GNUC_UNUSED Faulty * faulty, GstBuffer ** buffer, GstClockTime time)
{
  if (is_faulty (time) && time / (100 * GST_MSECOND) % 2)
    multiply (buffer, 10);
}

static const struct
{
  const gchar *name;
  Fault fault;                  /* or NULL */
} pictures[] = {
  {"healthy", NULL},
  {"dark", darken},
  {"freezing", freeze},
  {"flashing", flash},
};

static const gchar *const names[] =
    { "healthy", "dark", "freezing", "flashing", NULL };

G_STATIC_ASSERT (G_N_ELEMENTS (names) == G_N_ELEMENTS (pictures) + 1);

const gchar *const *
vhm_test_picture_get_names (void)
{
  return names;
}

static GstPadProbeReturn
on_buffer (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Faulty *faulty = data;

  faulty->fault (faulty, &buffer, GST_BUFFER_PTS (buffer) % PERIOD);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static void
faulty_free (gpointer data)
{
  Faulty *faulty = data;

  gst_clear_buffer (&faulty->kept);
  g_free (faulty);
}

GstElement *
vhm_test_picture_new (const gchar * name, GError ** error)
{
  GstElement *bin, *source;
  Faulty *faulty;
  GstPad *pad;
  guint i;

  /* The snow in SMPTE's bars moves, like the noise of a camera. */
  bin = gst_parse_bin_from_description ("videotestsrc name=source is-live=true "
      "pattern=smpte ! capsfilter caps=video/x-raw,format=I420,width=640,"
      "height=360,framerate=" G_STRINGIFY (FRAMES_PER_SECOND) "/1", TRUE,
      error);
  if (!bin)
    return NULL;
  for (i = 0; i < G_N_ELEMENTS (pictures); i++) {
    if (!g_str_equal (pictures[i].name, name) || !pictures[i].fault)
      continue;
    faulty = g_new0 (Faulty, 1);
    faulty->fault = pictures[i].fault;
    source = gst_bin_get_by_name (GST_BIN (bin), "source");
    pad = gst_element_get_static_pad (source, "src");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, faulty,
        faulty_free);
    gst_object_unref (pad);
    gst_object_unref (source);
  }
  return bin;
}
