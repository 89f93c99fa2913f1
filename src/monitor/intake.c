/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "intake.h"

#include "elementtype.h"
#include "intakeerror.h"
#include "matroska.h"
#include "pictureheader.h"
#include "place.h"
#include "playlist.h"
#include "rtcp.h"
#include "rtspanswers.h"

#include <stdatomic.h>
#include <string.h>

/* How long a thread that has passed a bound waits for the end of its pipeline,
 * in steps, µs. */
#define MAX_HOLD_TIME (2 * G_TIME_SPAN_SECOND)
#define HOLD_STEP (10 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  GWeakRef source;
  _Atomic guint64 kept;         /* bytes since a decoder got a packet */
  atomic_bool failed;
  VhmRtspAnswers *answers;      /* NULL unless it uses RTSP */
} Intake;

/* The sink pad of a decoder; its streaming thread only. */
typedef struct
{
  Intake *intake;
  VhmPictureHeader header;
} Decoding;

/* The sink pad of a demuxer; its streaming thread only. */
typedef struct
{
  Intake *intake;
  union
  {
    VhmMatroska matroska;
    VhmPlaylist playlist;
  };
} Container;

static Intake *
intake_ref (Intake * intake)
{
  return g_atomic_rc_box_acquire (intake);
}

static void
clear_intake (gpointer data)
{
  Intake *intake = data;

  g_weak_ref_clear (&intake->source);
  g_clear_pointer (&intake->answers, vhm_rtsp_answers_unref);
}

static void
intake_unref (gpointer intake)
{
  g_atomic_rc_box_release_full (intake, clear_intake);
}

static void
unref_in_closure (gpointer intake, G_GNUC_UNUSED GClosure * closure)
{
  intake_unref (intake);
}

/* Returns the source, which has to post an error, or NULL if it has posted one
 * before. Nothing more passes from now on. To be unreferenced. */
static GstElement *
begin_failure (Intake * intake)
{
  return atomic_exchange (&intake->failed, TRUE) ? NULL
      : g_weak_ref_get (&intake->source);
}

/* The pipeline ends because of the error. Until then the thread waits, so that
 * an element neither keeps nor allocates more. */
static GstPadProbeReturn
hold (GstPad * pad)
{
  const gint64 end = g_get_monotonic_time () + MAX_HOLD_TIME;

  while (!GST_PAD_IS_FLUSHING (pad) && g_get_monotonic_time () < end)
    g_usleep (HOLD_STEP);
  return GST_PAD_PROBE_DROP;
}

/* Bytes */

static guint64
measure (const GstPadProbeInfo * info)
{
  GstBufferList *list;

  if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST))
    return gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info))
        + VHM_BUFFER_BYTES;
  list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  return gst_buffer_list_calculate_size (list)
      + gst_buffer_list_length (list) * (guint64) VHM_BUFFER_BYTES;
}

static GstPadProbeReturn
on_data (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Intake *intake = data;
  const guint64 size = measure (info);
  GstElement *source;

  if (atomic_fetch_add (&intake->kept, size) + size > VHM_MAX_KEPT_BYTES
      && (source = begin_failure (intake))) {
    vhm_intake_fail (source, VHM_INTAKE_ERROR_BYTES, "no picture in %d MB of "
        "data", VHM_MAX_KEPT_BYTES / 1000000);
    gst_object_unref (source);
  }
  return atomic_load (&intake->failed) ? hold (pad) : GST_PAD_PROBE_OK;
}

/* RTP that comes over the connection of RTSP, or beside it. */
static GstPadProbeReturn
on_rtp (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Intake *intake = data;

  vhm_rtsp_answers_note_data (intake->answers, measure (info));
  return on_data (pad, info, intake);
}

static gboolean
remove_sdes (GstBuffer ** buffer, G_GNUC_UNUSED guint number,
    G_GNUC_UNUSED gpointer data)
{
  *buffer = vhm_rtcp_remove_sdes (*buffer);
  return TRUE;
}

static GstPadProbeReturn
on_rtcp (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    G_GNUC_UNUSED gpointer data)
{
  GstBufferList *list;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    list = gst_buffer_list_make_writable (GST_PAD_PROBE_INFO_BUFFER_LIST
        (info));
    gst_buffer_list_foreach (list, remove_sdes, NULL);
    info->data = list;
  } else
    info->data = vhm_rtcp_remove_sdes (GST_PAD_PROBE_INFO_BUFFER (info));
  return info->data ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

static void
note_progress (Intake * intake)
{
  atomic_store (&intake->kept, 0);
  if (intake->answers)
    vhm_rtsp_answers_note_progress (intake->answers);
}

/* Pictures */

static gboolean
check_size (Intake * intake, gint width, gint height)
{
  GstElement *source;

  if (width <= 0 || height <= 0
      || (gint64) width * height <= VHM_MAX_PIXELS)
    return TRUE;
  source = begin_failure (intake);
  if (source)
    vhm_intake_fail (source, VHM_INTAKE_ERROR_PICTURE, "pictures of %dx%d "
        "pixels are too large: set the camera to at most %d megapixels", width,
        height, VHM_MAX_PIXELS / 1000000);
  gst_clear_object (&source);
  return FALSE;
}

static gboolean
check_caps (Intake * intake, GstCaps * caps)
{
  guint i;

  for (i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *format = gst_caps_get_structure (caps, i);
    gint width = 0, height = 0;

    if (gst_structure_get_int (format, "width", &width)
        && gst_structure_get_int (format, "height", &height)
        && !check_size (intake, width, height))
      return FALSE;
  }
  return TRUE;
}

static GstPadProbeReturn
on_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  Intake *intake = data;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  return check_caps (intake, caps) ? GST_PAD_PROBE_OK : hold (pad);
}

/* Parsers of H.264 and H.265 believe the size in a container. Without it, they
 * take the size from the stream, as decoders do. */
static GstPadProbeReturn
on_parsed_event (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    G_GNUC_UNUSED gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstStructure *format;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  if (gst_caps_get_size (caps) != 1)
    return GST_PAD_PROBE_OK;
  caps = gst_caps_copy (caps);
  format = gst_caps_get_structure (caps, 0);
  if (gst_structure_has_name (format, "video/x-h264")
      || gst_structure_has_name (format, "video/x-h265")) {
    gst_structure_remove_fields (format, "width", "height", NULL);
    GST_PAD_PROBE_INFO_DATA (info) = gst_event_new_caps (caps);
    gst_event_unref (event);
  }
  gst_caps_unref (caps);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_packet (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Decoding *decoding = data;
  gint width, height;
  GstCaps *caps;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    if (vhm_picture_header_is_packet (&decoding->header))
      note_progress (decoding->intake);
    vhm_picture_header_read (&decoding->header,
        GST_PAD_PROBE_INFO_BUFFER (info), &width, &height);
    return check_size (decoding->intake, width, height)
        && !atomic_load (&decoding->intake->failed) ? GST_PAD_PROBE_OK
        : hold (pad);
  }
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS) {
    gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
    vhm_picture_header_start (&decoding->header, caps);
  }
  return GST_PAD_PROBE_OK;
}

static void
decoding_free (gpointer data)
{
  Decoding *decoding = data;

  intake_unref (decoding->intake);
  g_free (decoding);
}

static GstPadProbeReturn
on_frame (G_GNUC_UNUSED GstPad * pad, G_GNUC_UNUSED GstPadProbeInfo * info,
    gpointer data)
{
  note_progress (data);
  return GST_PAD_PROBE_OK;
}

/* Streams */

static guint
count_streams (GstElement * demuxer)
{
  guint n;

  GST_OBJECT_LOCK (demuxer);
  n = demuxer->numsrcpads;
  GST_OBJECT_UNLOCK (demuxer);
  return n;
}

/* Called before a decoder is made for the stream of @pad. */
static void
check_streams (Intake * intake, GstElement * demuxer, GstPad * pad)
{
  GstElement *source;

  if (count_streams (demuxer) <= VHM_MAX_STREAMS
      || !(source = begin_failure (intake)))
    return;
  vhm_intake_fail (source, VHM_INTAKE_ERROR_STREAMS, "more than %d streams in "
      "one", VHM_MAX_STREAMS);
  gst_object_unref (source);
  hold (pad);
}

/* Containers */

static GstPadProbeReturn
on_matroska (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Container *container = data;
  Intake *intake = container->intake;
  GstElement *source;

  vhm_matroska_read (&container->matroska, GST_PAD_PROBE_INFO_BUFFER (info));
  if (container->matroska.bytes > VHM_MAX_MATROSKA_BYTES
      && (source = begin_failure (intake))) {
    vhm_intake_fail (source, VHM_INTAKE_ERROR_HEADERS, "more than %d MB of "
        "tags and other data besides its pictures",
        VHM_MAX_MATROSKA_BYTES / 1000000);
    gst_object_unref (source);
  }
  return atomic_load (&intake->failed) ? hold (pad) : GST_PAD_PROBE_OK;
}

static void
container_free (gpointer data)
{
  Container *container = data;

  intake_unref (container->intake);
  g_free (container);
}

static void
watch_container (GstPad * pad, GstPadProbeCallback function, Intake * intake)
{
  Container *container = g_new0 (Container, 1);

  container->intake = intake_ref (intake);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, function, container,
      container_free);
}

/* Playlists */

static gboolean
is_adaptive (GstElement * element)
{
  const gchar *klass = gst_element_get_metadata (element,
      GST_ELEMENT_METADATA_KLASS);

  return klass && strstr (klass, "Adaptive");
}

/* The first playlist of an adaptive demuxer. place.c watches the others. */
static GstPadProbeReturn
on_playlist (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Container *container = data;
  Intake *intake = container->intake;
  GstElement *source;
  VhmIntakeError why;

  if (!vhm_playlist_read (&container->playlist,
          GST_PAD_PROBE_INFO_BUFFER (info), &why)
      && (source = begin_failure (intake))) {
    vhm_place_fail (source, why);
    gst_object_unref (source);
  }
  return atomic_load (&intake->failed) ? hold (pad) : GST_PAD_PROBE_OK;
}

/* Elements */

static void
add_probe (GstPad * pad, GstPadProbeType type, GstPadProbeCallback function,
    Intake * intake)
{
  gst_pad_add_probe (pad, type, function, intake_ref (intake), intake_unref);
}

static void
watch_sink (GstElement * element, GstPad * pad, Intake * intake)
{
  Decoding *decoding;

  if (vhm_element_is_decoder (element)) {
    decoding = g_new0 (Decoding, 1);
    decoding->intake = intake_ref (intake);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
        | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_packet, decoding,
        decoding_free);
  } else if (vhm_element_is_of_type (element,
          GST_ELEMENT_FACTORY_TYPE_PARSER))
    add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_parsed_event,
        intake);
  else if (vhm_element_is (element, "matroskademux"))
    watch_container (pad, on_matroska, intake);
  else if (is_adaptive (element))
    watch_container (pad, on_playlist, intake);
  else if (intake->answers && vhm_rtsp_answers_is_manager (element))
    add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
        | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_rtp, intake);
  else if (vhm_element_is (element, "rtpsession")
      && g_str_equal (GST_PAD_NAME (pad), "recv_rtcp_sink"))
    add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
        | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_rtcp, intake);
}

/* RTP that udpsrc receives for rtspsrc is counted where its manager gets it. */
static gboolean
is_counted (GstElement * element)
{
  GstObject *bin = GST_OBJECT_PARENT (element);

  return GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SOURCE)
      && !GST_IS_BIN (element)
      && !(bin && vhm_rtsp_answers_is_source (GST_ELEMENT (bin)));
}

static void
watch_pad (GstElement * element, GstPad * pad, Intake * intake)
{
  if (GST_PAD_IS_SINK (pad)) {
    watch_sink (element, pad, intake);
    return;
  }
  if (vhm_element_is_of_type (element, GST_ELEMENT_FACTORY_TYPE_DEMUXER))
    check_streams (intake, element, pad);
  add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, intake);
  if (vhm_element_is_decoder (element))
    add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, intake);
  if (is_counted (element))
    add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
        | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_data, intake);
}

static gboolean
watch_each_pad (GstElement * element, GstPad * pad, gpointer intake)
{
  watch_pad (element, pad, intake);
  return TRUE;
}

static void
on_element_added (GstElement * source, G_GNUC_UNUSED GstBin * bin,
    GstElement * element, Intake * intake)
{
  if (vhm_rtsp_answers_is_source (element) && !intake->answers)
    intake->answers = vhm_rtsp_answers_new (element, source);
  if (vhm_rtsp_answers_is_manager (element))
    g_object_set (element, "max-streams", VHM_MAX_RTSP_STREAMS, NULL);
  gst_element_foreach_pad (element, watch_each_pad, intake);
  g_signal_connect_data (element, "pad-added", G_CALLBACK (watch_pad),
      intake_ref (intake), unref_in_closure, 0);
}

/* GStreamer 1.26 and later place jpegparse before decoders of JPEG. It looks
 * for the end of a picture from its start again each time data comes, so that
 * a picture without end takes the square of its length in processor time.
 * Decoders find the end themselves, and continue where they were. */
static VhmSelect
on_select (G_GNUC_UNUSED GstElement * source, G_GNUC_UNUSED GstPad * pad,
    G_GNUC_UNUSED GstCaps * caps, GstElementFactory * factory,
    G_GNUC_UNUSED gpointer data)
{
  return g_str_equal (GST_OBJECT_NAME (factory), "jpegparse") ?
      VHM_SELECT_SKIP : VHM_SELECT_TRY;
}

/* A pad of the whole source: its frames may be raw from the start. */
static void
on_pad_added (G_GNUC_UNUSED GstElement * source, GstPad * pad, Intake * intake)
{
  add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, intake);
}

void
vhm_intake_watch (GstElement * source)
{
  Intake *intake = g_atomic_rc_box_new0 (Intake);

  g_weak_ref_init (&intake->source, source);
  g_signal_connect_data (source, "deep-element-added",
      G_CALLBACK (on_element_added), intake_ref (intake), unref_in_closure, 0);
  g_signal_connect_data (source, "pad-added", G_CALLBACK (on_pad_added),
      intake, unref_in_closure, 0);
  g_signal_connect (source, "autoplug-select", G_CALLBACK (on_select), NULL);
}
