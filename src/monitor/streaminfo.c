/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "streaminfo.h"

#include "elementtype.h"

/* A stream has two, and new ones if its ports are taken. */
#define MAX_SOURCES 64

struct _VhmStreamInfo
{
  GMutex lock;
  GstCaps *caps;                /* of the packets, or NULL */
  GPtrArray *sources;           /* of GstElement: those that receive by UDP */
  VhmStreamFacts facts;         /* without codec and size */
  /* running or arrival times in ns, or NONE */
  GstClockTime first, last, key_frame;
};

static const struct
{
  const gchar *format;
  const gchar *name;
} codecs[] = {
  {"video/x-h264", "H.264"},
  {"video/x-h265", "H.265"},
  {"video/x-h266", "H.266"},
  {"video/x-av1", "AV1"},
  {"video/x-vp8", "VP8"},
  {"video/x-vp9", "VP9"},
  {"image/jpeg", "JPEG"},
  {"video/mpeg", "MPEG video"},
};

VhmStreamInfo *
vhm_stream_info_new (void)
{
  VhmStreamInfo *info = g_new0 (VhmStreamInfo, 1);

  g_mutex_init (&info->lock);
  info->sources = g_ptr_array_new_with_free_func (gst_object_unref);
  info->first = info->last = info->key_frame = GST_CLOCK_TIME_NONE;
  return info;
}

void
vhm_stream_info_free (VhmStreamInfo * info)
{
  gst_clear_caps (&info->caps);
  g_ptr_array_unref (info->sources);
  g_mutex_clear (&info->lock);
  g_free (info);
}

/* A file that starts again goes back by more than reordered frames do. */
#define MIN_STEP_BACK GST_SECOND

/* Times of the stream do not depend on when packets arrive, and a file may be
 * read ahead. JPEG over HTTP has none. */
static GstClockTime
get_time (GstBuffer * buffer)
{
  if (GST_BUFFER_DTS_IS_VALID (buffer))
    return GST_BUFFER_DTS (buffer);
  return GST_BUFFER_PTS_IS_VALID (buffer) ? GST_BUFFER_PTS (buffer) :
      (GstClockTime) g_get_monotonic_time () * 1000;
}

static void
note_key_frame (VhmStreamInfo * info, GstClockTime time)
{
  VhmStreamFacts *facts = &info->facts;

  facts->key_frames++;
  if (GST_CLOCK_TIME_IS_VALID (info->key_frame) && time > info->key_frame)
    facts->key_frame_distance = MAX (facts->key_frame_distance,
        (time - info->key_frame) / (gdouble) GST_SECOND);
  info->key_frame = time;
}

static GstPadProbeReturn
on_packet (GstPad * pad, GstPadProbeInfo * probe, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (probe);
  const GstClockTime time = get_time (buffer);
  VhmStreamInfo *info = data;

  g_mutex_lock (&info->lock);
  if (GST_CLOCK_TIME_IS_VALID (info->last)
      && time + MIN_STEP_BACK < info->last) {
    g_mutex_unlock (&info->lock);
    return GST_PAD_PROBE_OK;
  }
  info->facts.packets++;
  info->facts.bytes += gst_buffer_get_size (buffer);
  if (!info->caps)
    info->caps = gst_pad_get_current_caps (pad);
  if (!GST_CLOCK_TIME_IS_VALID (info->first) || time < info->first)
    info->first = time;
  if (!GST_CLOCK_TIME_IS_VALID (info->last) || time > info->last)
    info->last = time;
  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT))
    note_key_frame (info, time);
  g_mutex_unlock (&info->lock);
  return GST_PAD_PROBE_OK;
}

void
vhm_stream_info_watch (VhmStreamInfo * info, GstElement * element,
    gboolean decodes)
{
  GstPad *pad = decodes ? gst_element_get_static_pad (element, "sink") : NULL;

  if (vhm_element_is (element, "udpsrc")) {
    g_mutex_lock (&info->lock);
    if (info->sources->len < MAX_SOURCES)
      g_ptr_array_add (info->sources, gst_object_ref (element));
    info->facts.used_udp = TRUE;
    g_mutex_unlock (&info->lock);
  }
  if (pad) {
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet, info, NULL);
    gst_object_unref (pad);
  }
}

/* To be freed. */
static gchar *
describe_codec (const GstStructure * format)
{
  const gchar *name = gst_structure_get_name (format);
  const gchar *profile = gst_structure_get_string (format, "profile");
  const gchar *level = gst_structure_get_string (format, "level");
  GString *text;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (g_str_equal (codecs[i].format, name))
      name = codecs[i].name;
  text = g_string_new (name);
  if (profile)
    g_string_append_printf (text, ", profile %s", profile);
  if (level)
    g_string_append_printf (text, ", level %s", level);
  return g_string_free (text, FALSE);
}

void
vhm_stream_info_get (VhmStreamInfo * info, VhmStreamFacts * facts)
{
  gint width = 0, height = 0;
  guint i;

  g_mutex_lock (&info->lock);
  *facts = info->facts;
  if (GST_CLOCK_TIME_IS_VALID (info->first))
    facts->seconds = (info->last - info->first) / (gdouble) GST_SECOND;
  if (info->caps) {
    const GstStructure *format = gst_caps_get_structure (info->caps, 0);

    gst_structure_get_int (format, "width", &width);
    gst_structure_get_int (format, "height", &height);
    facts->codec = describe_codec (format);
    facts->width = MAX (width, 0);
    facts->height = MAX (height, 0);
  }
  /* rtspsrc removes them from the pipeline when it changes to TCP. */
  for (i = 0; i < info->sources->len; i++) {
    GstObject *parent = gst_object_get_parent (info->sources->pdata[i]);

    facts->uses_udp |= parent != NULL;
    gst_clear_object (&parent);
  }
  g_mutex_unlock (&info->lock);
}

void
vhm_stream_facts_clear (VhmStreamFacts * facts)
{
  g_clear_pointer (&facts->codec, g_free);
}
