/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decoder.h"

#include "elementtype.h"
#include "gpu.h"
#include "intakeerror.h"
#include "starts.h"

/* How often a decoder asks whether it may be created, µs. */
#define CREATE_INTERVAL 50000

/* A GPU that refuses so many decoders within this time, in µs, and starts none,
 * is not asked by others for this time. One that refuses a single decoder may
 * do so because of the stream. */
#define MIN_REFUSED 3
#define FULL_TIME (60 * G_TIME_SPAN_SECOND)

/* The share that the GPU must decode fewer than when it had no room. A camera
 * is interrupted when it returns, and others may need what they had. */
#define MIN_ROOM 0.05

/* Attempts that the GPU decodes, and decoded when it last refused one. */
static atomic_uint n_on_gpu, n_when_refused;

static atomic_uint n_refused;   /* since it started one */
static _Atomic gint64 refused_at;       /* monotonic µs */

static atomic_uint n_cameras;

void
vhm_decoder_set_cameras (guint n)
{
  atomic_store (&n_cameras, n);
}

static void
refuse_beside (VhmDecoder * decoder, GstElementFactory * factory, guint n)
{
  atomic_store (&decoder->beside, n);
  atomic_store (&decoder->refused, factory);
}

static void
refuse (VhmDecoder * decoder, GstElementFactory * factory)
{
  const guint n = atomic_load (&n_on_gpu);
  const gint64 now = g_get_monotonic_time ();

  refuse_beside (decoder, factory, n);
  atomic_store (&n_when_refused, n);
  if (now - atomic_exchange (&refused_at, now) > FULL_TIME)
    atomic_store (&n_refused, 0);
  atomic_fetch_add (&n_refused, 1);
}

gboolean
vhm_decoder_has_room (guint beside)
{
  return atomic_load (&n_on_gpu) < beside * (1 - MIN_ROOM);
}

static gboolean
is_full (guint n)
{
  return atomic_load (&n_refused) >= MIN_REFUSED && !vhm_decoder_has_room (n)
      && g_get_monotonic_time () - atomic_load (&refused_at) < FULL_TIME;
}

static VhmSelect
on_select (G_GNUC_UNUSED GstElement * bin, G_GNUC_UNUSED GstPad * pad,
    G_GNUC_UNUSED GstCaps * caps, GstElementFactory * factory, gpointer data)
{
  const guint n = atomic_load (&n_when_refused);

  if (!vhm_gpu_is_decoder (factory) || !is_full (n))
    return VHM_SELECT_TRY;
  refuse_beside (data, factory, n);
  return VHM_SELECT_SKIP;
}

void
vhm_decoder_choose (VhmDecoder * decoder, GstElement * bin)
{
  g_signal_connect (bin, "autoplug-select", G_CALLBACK (on_select), decoder);
}

static void
note_created (VhmDecoder * decoder)
{
  if (atomic_exchange (&decoder->creating, FALSE))
    vhm_start_end (VHM_START_DECODER);
}

/* If a decoder does not start, GStreamer may add another one in its place.
 * Factories live as long as the process. */
void
vhm_decoder_add (VhmDecoder * decoder, GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  GstElementFactory *before = atomic_exchange (&decoder->factory, factory);
  const gboolean was_hardware = atomic_exchange (&decoder->hardware,
      vhm_gpu_is_decoder (factory));

  note_created (decoder);
  if (was_hardware && !atomic_load (&decoder->hardware)
      && !atomic_load (&decoder->counted))
    refuse (decoder, before);
  if (atomic_load (&n_cameras) > g_get_num_processors ()
      && g_object_class_find_property (G_OBJECT_GET_CLASS (element),
          "max-threads"))
    g_object_set (element, "max-threads", 1, NULL);
}

/* NVIDIA's driver creates decoders that are asked for at the same time much
 * more slowly than one after the other. */
static GstPadProbeReturn
on_first_buffer (GstPad * pad, G_GNUC_UNUSED GstPadProbeInfo * info,
    gpointer data)
{
  VhmDecoder *decoder = data;

  while (!vhm_start_begin (VHM_START_DECODER)) {
    /* The pipeline is being stopped, or a file rewound, so the buffer is not
     * decoded. */
    if (GST_PAD_IS_FLUSHING (pad))
      return GST_PAD_PROBE_OK;
    atomic_store (&decoder->waited, g_get_monotonic_time ());
    g_usleep (CREATE_INTERVAL);
  }
  atomic_store (&decoder->creating, TRUE);
  return GST_PAD_PROBE_REMOVE;
}

/* It knows its output once it has been created. */
static GstPadProbeReturn
on_output (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  note_created (data);
  return GST_PAD_PROBE_REMOVE;
}

static void
probe (GstElement * element, const gchar * name, GstPadProbeType type,
    GstPadProbeCallback callback, VhmDecoder * decoder)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  if (pad) {
    gst_pad_add_probe (pad, type, callback, decoder, NULL);
    gst_object_unref (pad);
  }
}

void
vhm_decoder_queue (VhmDecoder * decoder, GstElement * element)
{
  if (!vhm_gpu_is_decoder (gst_element_get_factory (element)))
    return;
  probe (element, "src", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_output,
      decoder);
  probe (element, "sink", GST_PAD_PROBE_TYPE_BUFFER, on_first_buffer, decoder);
}

void
vhm_decoder_note_frame (VhmDecoder * decoder)
{
  if (!atomic_load (&decoder->hardware)
      || atomic_exchange (&decoder->counted, TRUE))
    return;
  atomic_fetch_add (&n_on_gpu, 1);
  atomic_store (&n_refused, 0);
}

/* Whether @object is a hardware decoder, or a part of one. */
static gboolean
is_decoder (GstObject * object)
{
  GstElementFactory *factory;

  for (; object; object = GST_OBJECT_PARENT (object)) {
    factory = GST_IS_ELEMENT (object) ?
        gst_element_get_factory (GST_ELEMENT (object)) : NULL;
    if (factory && vhm_gpu_is_decoder (factory))
      return TRUE;
  }
  return FALSE;
}

/* Whether @error is of a connection or the machine, and not of a decoder. */
static gboolean
is_of_source (const GError * error, GstObject * object)
{
  return error->domain == G_THREAD_ERROR || error->domain == VHM_INTAKE_ERROR
      || (error->domain == GST_RESOURCE_ERROR && object
      && GST_OBJECT_FLAG_IS_SET (object, GST_ELEMENT_FLAG_SOURCE));
}

/* If a decoder only rejects its input, the element before it posts the error,
 * as it does for a damaged stream. */
void
vhm_decoder_note_error (VhmDecoder * decoder, GstMessage * message)
{
  const gboolean began = atomic_load (&decoder->counted);
  GError *error;

  if (!atomic_load (&decoder->hardware))
    return;
  vhm_gpu_suspect ();
  gst_message_parse_error (message, &error, NULL);
  if (is_decoder (GST_MESSAGE_SRC (message))
      || error->domain == GST_STREAM_ERROR
      || (!began && !is_of_source (error, GST_MESSAGE_SRC (message)))) {
    atomic_store (&decoder->failed, TRUE);
    if (!began)
      refuse (decoder, atomic_load (&decoder->factory));
  }
  g_error_free (error);
}

void
vhm_decoder_end (VhmDecoder * decoder)
{
  note_created (decoder);
  if (atomic_exchange (&decoder->counted, FALSE))
    atomic_fetch_sub (&n_on_gpu, 1);
}

const gchar *
vhm_decoder_get_name (VhmDecoder * decoder)
{
  GstElementFactory *factory = atomic_load (&decoder->factory);

  return factory ? GST_OBJECT_NAME (factory) : NULL;
}

gchar *
vhm_decoder_describe_trouble (VhmDecoder * decoder, const gchar * why,
    guint * beside)
{
  GstElementFactory *refused = atomic_load (&decoder->refused);

  *beside = refused ? atomic_load (&decoder->beside) : 0;
  if (*beside)
    return g_strdup_printf ("%s cannot start beside the %u camera%s that the "
        "GPU decodes: its memory or its decoders may be used up",
        GST_OBJECT_NAME (refused), *beside, *beside == 1 ? "" : "s");
  if (refused)
    return g_strdup_printf ("%s failed before its first frame",
        GST_OBJECT_NAME (refused));
  return atomic_load (&decoder->failed) ? g_strdup_printf ("%s failed: %s",
      vhm_decoder_get_name (decoder), why ? why : "no reason") : NULL;
}
