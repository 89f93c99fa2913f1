/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"

#include "address.h"
#include "contexts.h"
#include "gpu.h"
#include "judge.h"
#include "keyframes.h"
#include "picture.h"
#include "source.h"
#include "timeline.h"

#include <stdatomic.h>
#include <string.h>

/* Messages to the thread of the run, on its bus. */
#define STOP "vhm-stop"
#define PICTURE "vhm-picture"
#define UNLEARN "vhm-unlearn"

#define NO_FRAME "the file ends before the first video frame: it may be " \
    "damaged or incomplete"

/* How long after the error the name of a missing decoder may arrive. */
#define MISSING_AFTER (GST_SECOND / 2)

/* How often to count red, green and blue. Converting each pixel to them costs
 * as much as everything else together, and no output needs them more often than
 * this. */
#define COLORS_INTERVAL GST_SECOND

/* For how long an element does not repeat a warning, µs. */
#define WARNING_INTERVAL G_TIME_SPAN_MINUTE

struct _VhmRun
{
  VhmCameraSettings *camera;
  const VhmRunHandler *handler; /* main thread only; NULL once muted */
  gpointer data;
  GstBus *bus;
  gchar *learned;               /* file */
  gboolean software;            /* decodes on the CPU */

  atomic_bool ended;            /* its thread has ended, or is about to */
  _Atomic guint64 frames;
  _Atomic gint64 last_frame, last_frame_real;   /* µs */
  atomic_bool stopping;
  atomic_bool wants_picture;
  atomic_bool sample_waits;     /* until the main thread takes it */
  GstVideoHistogram *_Atomic colors;    /* for the next sample, or NULL */
  GstElementFactory *_Atomic decoder;   /* the last one, or NULL */
  atomic_bool decoder_failed;   /* it was a hardware decoder */
  VhmKeyFrames key_frames;
  VhmTimeline timeline;

  /* its thread only */
  GstElement *pipeline;
  GstElement *histogram, *colors_histogram;
  VhmJudge *judge;
  VhmPictureEncoder *encoder;
  guint64 played;               /* frames when the file was last rewound */
  gchar *missing;               /* the missing decoder, and where to get it; or
                                 * NULL */
  gint64 save_failed;           /* when saving what was learned last failed, µs;
                                 * or 0 */
};

static atomic_uint n_threads, n_unsaved;

static VhmRun *
run_ref (VhmRun * run)
{
  return g_atomic_rc_box_acquire (run);
}

static void
clear (gpointer data)
{
  VhmRun *run = data;

  vhm_camera_settings_unref (run->camera);
  g_clear_pointer (&run->colors, gst_video_histogram_unref);
  g_free (run->learned);
  g_free (run->missing);
  gst_object_unref (run->bus);
}

static void
run_unref (gpointer run)
{
  g_atomic_rc_box_release_full (run, clear);
}

/* Reports to the main thread */

typedef struct
{
  VhmRun *run;
  void (*deliver) (VhmRun * run, gpointer contents);
  gpointer contents;
  GDestroyNotify free_contents;
} Report;

static gboolean
deliver (gpointer data)
{
  Report *report = data;

  if (report->run->handler)
    report->deliver (report->run, report->contents);
  return G_SOURCE_REMOVE;
}

static void
report_free (gpointer data)
{
  Report *report = data;

  report->free_contents (report->contents);
  run_unref (report->run);
  g_free (report);
}

/* Takes @contents. */
static void
send_report (VhmRun * run, void (*function) (VhmRun *, gpointer),
    gpointer contents, GDestroyNotify free_contents)
{
  Report *report = g_new (Report, 1);

  report->run = run_ref (run);
  report->deliver = function;
  report->contents = contents;
  report->free_contents = free_contents;
  g_idle_add_full (G_PRIORITY_DEFAULT, deliver, report, report_free);
}

static void
deliver_sample (VhmRun * run, gpointer contents)
{
  atomic_store (&run->sample_waits, FALSE);
  run->handler->sample (run->data, contents);
}

static void
sample_free (gpointer data)
{
  VhmSample *sample = data;

  gst_video_histogram_unref (sample->histogram);
  gst_clear_video_histogram (&sample->colors);
  g_free (sample);
}

static void
deliver_change (VhmRun * run, gpointer contents)
{
  run->handler->change (run->data, contents);
}

typedef struct
{
  GBytes *jpeg;
  gint64 time;
} Picture;

static void
deliver_picture (VhmRun * run, gpointer contents)
{
  const Picture *picture = contents;

  run->handler->picture (run->data, picture->jpeg, picture->time);
}

static void
picture_free (gpointer data)
{
  Picture *picture = data;

  g_bytes_unref (picture->jpeg);
  g_free (picture);
}

static void
deliver_end (VhmRun * run, gpointer contents)
{
  run->handler->ended (run->data, contents);
}

/* Streaming threads */

static void
on_change (gpointer data, const VhmChange * change)
{
  send_report (data, deliver_change, g_memdup2 (change, sizeof *change),
      g_free);
}

static void
on_colors (GstElement * element, GstVideoHistogram * histogram, VhmRun * run)
{
  GstVideoHistogram *old = atomic_exchange (&run->colors,
      gst_video_histogram_ref (histogram));

  (void) element;
  gst_clear_video_histogram (&old);
}

static void
on_histogram (GstElement * element, GstVideoHistogram * histogram,
    VhmRun * run)
{
  VhmSample *sample;

  /* While a sample waits for the main thread, newer ones are skipped. */
  if (atomic_exchange (&run->sample_waits, TRUE))
    return;
  sample = g_new0 (VhmSample, 1);
  sample->histogram = gst_video_histogram_ref (histogram);
  sample->colors = atomic_exchange (&run->colors, NULL);
  sample->time = atomic_load (&run->last_frame_real);
  g_object_get (element, "processed", &sample->analysed, "dropped",
      &sample->dropped, "skipped", &sample->skipped, NULL);
  vhm_judge_get_verdict (run->judge, &sample->verdict);
  send_report (run, deliver_sample, sample, sample_free);
}

static void
take_picture (VhmRun * run, GstPad * pad, GstBuffer * buffer)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstStructure *structure;
  GstSample *sample;

  if (!caps)
    return;
  sample = gst_sample_new (buffer, caps, NULL, NULL);
  structure = gst_structure_new (PICTURE, "sample", GST_TYPE_SAMPLE, sample,
      "time", G_TYPE_INT64, atomic_load (&run->last_frame_real), NULL);
  gst_bus_post (run->bus, gst_message_new_application (NULL, structure));
  gst_sample_unref (sample);
  gst_caps_unref (caps);
}

static GstPadProbeReturn
on_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  VhmRun *run = data;

  atomic_store (&run->last_frame, g_get_monotonic_time ());
  atomic_store (&run->last_frame_real, g_get_real_time ());
  atomic_fetch_add (&run->frames, 1);
  if (atomic_exchange (&run->wants_picture, FALSE))
    take_picture (run, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

static gboolean
is_video_decoder (GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory && gst_element_factory_list_is_type (factory,
      GST_ELEMENT_FACTORY_TYPE_DECODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
      | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE);
}

/* Factories live as long as the process. */
static void
on_element_added (GstBin * pipeline, GstBin * bin, GstElement * element,
    VhmRun * run)
{
  (void) pipeline;
  /* Parts of a decoder do not count as decoders. */
  if (!is_video_decoder (element) || is_video_decoder (GST_ELEMENT (bin)))
    return;
  atomic_store (&run->decoder, gst_element_get_factory (element));
  vhm_key_frames_watch (&run->key_frames, element);
}

/* The thread of the run */

static gboolean
build (VhmRun * run, GError ** error)
{
  const VhmCameraSettings *camera = run->camera;
  const gboolean live = vhm_address_is_live (camera->uri);
  const guint64 interval = camera->interval * GST_SECOND;
  GstElement *source, *bin, *queue;
  gchar *description;
  GstPad *pad;

  /* Live video drops old frames for the newest one; a file waits until its
   * frames are due. */
  description = g_strdup_printf ("queue name=queue max-size-buffers=2 "
      "max-size-bytes=0 max-size-time=0 leaky=%s ! %s ! "
      "videohistogram name=colors channels=red+green+blue "
      "interval=%" G_GUINT64_FORMAT " post-messages=false ! "
      "videohistogram name=histogram interval=%" G_GUINT64_FORMAT
      " post-messages=false ! "
      "fakesink enable-last-sample=false sync=%s", live ? "downstream" : "no",
      vhm_judge_get_elements (),
      MAX (interval, COLORS_INTERVAL), interval, live ? "false" : "true");
  bin = gst_parse_launch_full (description, NULL, GST_PARSE_FLAG_FATAL_ERRORS,
      error);
  g_free (description);
  if (!bin)
    return FALSE;
  run->pipeline = gst_object_ref_sink (bin);
  gst_element_set_bus (run->pipeline, run->bus);
  g_signal_connect (run->pipeline, "deep-element-added",
      G_CALLBACK (on_element_added), run);
  source = vhm_source_new (camera, run->software, error);
  if (!source)
    return FALSE;
  gst_bin_add (GST_BIN (run->pipeline), source);
  queue = gst_bin_get_by_name (GST_BIN (run->pipeline), "queue");
  vhm_source_link (source, queue);
  pad = gst_element_get_static_pad (queue, "sink");
  /* Timestamps of a file stay as they are: they say when its frames are due. */
  if (live)
    vhm_timeline_straighten (&run->timeline, pad);
  gst_object_unref (pad);
  gst_object_unref (queue);

  run->judge = vhm_judge_new (GST_BIN (run->pipeline), camera, run->learned,
      on_change, run);
  run->colors_histogram = gst_bin_get_by_name (GST_BIN (run->pipeline),
      "colors");
  g_signal_connect (run->colors_histogram, "histogram", G_CALLBACK (on_colors),
      run);
  run->histogram = gst_bin_get_by_name (GST_BIN (run->pipeline), "histogram");
  g_signal_connect (run->histogram, "histogram", G_CALLBACK (on_histogram),
      run);
  pad = gst_element_get_static_pad (run->histogram, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, run, NULL);
  gst_object_unref (pad);
  return TRUE;
}

static void
encode_picture (VhmRun * run, const GstStructure * structure)
{
  GstSample *sample = gst_value_get_sample (gst_structure_get_value
      (structure, "sample"));
  Picture *picture;
  GBytes *jpeg;

  if (!run->encoder)
    run->encoder = vhm_picture_encoder_new ();
  jpeg = vhm_picture_encoder_encode (run->encoder, sample);
  if (!jpeg)
    return;
  picture = g_new (Picture, 1);
  picture->jpeg = jpeg;
  gst_structure_get_int64 (structure, "time", &picture->time);
  send_report (run, deliver_picture, picture, picture_free);
}

/* Plays a file again. Returns why it cannot, or NULL. */
static gchar *
rewind_source (VhmRun * run)
{
  const guint64 frames = atomic_load (&run->frames);

  if (vhm_address_is_live (run->camera->uri))
    return g_strdup ("the stream ended");
  if (frames == run->played)
    return g_strdup (NO_FRAME);
  run->played = frames;
  return gst_element_seek_simple (run->pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, 0) ? NULL : g_strdup ("the file ended and "
      "cannot be rewound");
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

/* Whether @object is the element that looks for a decoder. */
static gboolean
is_from_source (GstObject * object)
{
  GstElementFactory *factory = GST_IS_ELEMENT (object) ?
      gst_element_get_factory (GST_ELEMENT (object)) : NULL;

  return factory && g_str_equal (GST_OBJECT_NAME (factory), "uridecodebin");
}

/* The error may be the GPU's fault. If a decoder only rejects its input, the
 * element before it posts the error, as it does for a damaged stream. */
static void
suspect_decoder (VhmRun * run, GstMessage * message)
{
  gboolean hardware;
  GError *error;

  vhm_run_get_decoder (run, &hardware);
  if (!hardware)
    return;
  vhm_gpu_suspect ();
  gst_message_parse_error (message, &error, NULL);
  if (is_decoder (GST_MESSAGE_SRC (message)) || !atomic_load (&run->frames)
      || error->domain == GST_STREAM_ERROR)
    atomic_store (&run->decoder_failed, TRUE);
  g_error_free (error);
}

/* Explains errors of network sources that users would not understand. To be
 * freed; NULL for other errors. */
static gchar *
explain_network (VhmRun * run, const GError * error, const gchar * where)
{
  if (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NOT_AUTHORIZED))
    return g_strdup_printf (run->camera->password ?
        "%s rejected the user name or password in credentials" :
        "%s asks for a user name and password: set credentials", where);
  if (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NOT_FOUND))
    return g_strdup_printf ("%s has no stream at the path in uri", where);
  if (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_OPEN_READ_WRITE))
    return g_strdup_printf ("cannot connect to %s", where);
  if (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED)
      && !atomic_load (&run->frames))
    return g_strdup_printf ("no video from %s", where);
  return NULL;
}

/* The Debian package with a decoder or demuxer for @format. */
static const gchar *
find_package (const gchar * format)
{
  static const gchar *const of_good[] = { "image/jpeg", "image/png",
    "video/x-vp8", "video/x-vp9", "video/quicktime", "video/x-matroska",
    "video/x-msvideo", "multipart/x-mixed-replace", "application/x-rtp", NULL
  };
  static const gchar *const of_bad[] = { "video/x-av1", "video/mpegts", NULL };

  if (g_strv_contains (of_good, format))
    return "gstreamer1.0-plugins-good";
  return g_strv_contains (of_bad, format) ? "gstreamer1.0-plugins-bad"
      : "gstreamer1.0-libav";
}

/* Notes a missing decoder. Decoders of sound are not needed. */
static void
note_missing (VhmRun * run, const GstStructure * missing)
{
  const GValue *detail = gst_structure_get_value (missing, "detail");
  const gchar *format = "";

  if (detail && GST_VALUE_HOLDS_CAPS (detail)
      && gst_caps_get_size (gst_value_get_caps (detail)))
    format = gst_structure_get_name (gst_caps_get_structure
        (gst_value_get_caps (detail), 0));
  if (run->missing || g_str_has_prefix (format, "audio/"))
    return;
  run->missing = g_strdup_printf ("no %s installed: install a GStreamer "
      "plugin that has one, such as %s",
      gst_structure_get_string (missing, "name"),
      find_package (format));
}

/* Why nothing could be decoded. */
static gchar *
explain_missing (VhmRun * run)
{
  const gint64 end = g_get_monotonic_time () + MISSING_AFTER / 1000;

  while (!run->missing && g_get_monotonic_time () < end) {
    GstMessage *message = gst_bus_timed_pop_filtered (run->bus,
        MISSING_AFTER / 10, GST_MESSAGE_ELEMENT);

    if (message && gst_message_has_name (message, "missing-plugin"))
      note_missing (run, gst_message_get_structure (message));
    g_clear_pointer (&message, gst_message_unref);
  }
  return g_strdup (run->missing ? run->missing : "contains no video");
}

static gchar *
explain (VhmRun * run, GstMessage * message)
{
  gchar *where = vhm_address_describe (run->camera->uri);
  GError *error;
  gchar *text, *network;

  gst_message_parse_error (message, &error, NULL);
  network = strstr (where, "://") ? explain_network (run, error, where) : NULL;
  /* Sound that is decoded but not linked ends the file with an error that hides
   * the missing decoder. */
  if (run->missing && !atomic_load (&run->frames))
    text = g_strdup (run->missing);
  else if (g_error_matches (error, GST_CORE_ERROR,
          GST_CORE_ERROR_MISSING_PLUGIN)
      && !atomic_load (&run->frames)
      && is_from_source (GST_MESSAGE_SRC (message)))
    text = explain_missing (run);
  /* Since GStreamer 1.26 a file that ends before its first frame fails with an
   * error. */
  else if (!atomic_load (&run->frames)
      && !vhm_address_is_live (run->camera->uri)
      && g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED))
    text = g_strdup (NO_FRAME);
  else if (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_TYPE_NOT_FOUND))
    text = g_strdup ("not a video in a known format");
  else if (network)
    text = g_steal_pointer (&network);
  else
    text = vhm_address_hide (run->camera->uri, run->camera->password,
        error->message);
  g_error_free (error);
  g_free (network);
  g_free (where);
  return text;
}

static void
note_warning (VhmRun * run, GstMessage * message)
{
  GError *error;

  gst_message_parse_warning (message, &error, NULL);
  if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ))
    run->save_failed = g_get_monotonic_time ();
  g_error_free (error);
}

/* Handles messages until the run fails or is asked to stop. Returns why. */
static gchar *
listen_to (VhmRun * run)
{
  gchar *why = NULL;

  while (!why) {
    GstMessage *message = gst_bus_timed_pop (run->bus, GST_CLOCK_TIME_NONE);
    const GstStructure *structure = gst_message_get_structure (message);

    switch (GST_MESSAGE_TYPE (message)) {
      case GST_MESSAGE_WARNING:
        note_warning (run, message);
        vhm_gpu_suspect ();
        break;
      case GST_MESSAGE_ERROR:
        suspect_decoder (run, message);
        why = explain (run, message);
        break;
      case GST_MESSAGE_EOS:
        why = rewind_source (run);
        break;
      case GST_MESSAGE_ELEMENT:
        if (gst_structure_has_name (structure, "missing-plugin"))
          note_missing (run, structure);
        break;
      case GST_MESSAGE_APPLICATION:
        if (gst_structure_has_name (structure, STOP))
          why = g_strdup ("stopped");
        else if (gst_structure_has_name (structure, PICTURE))
          encode_picture (run, structure);
        else if (gst_structure_has_name (structure, UNLEARN))
          vhm_judge_unlearn (run->judge);
        break;
      default:
        break;
    }
    gst_message_unref (message);
  }
  return why;
}

/* Called after the element has saved what was learned, or tried to. */
static void
note_unsaved (VhmRun * run)
{
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (run->bus, GST_MESSAGE_WARNING))) {
    note_warning (run, message);
    gst_message_unref (message);
  }
  /* The element does not repeat a warning at once, so an earlier warning may be
   * the only one about this save. */
  if (run->save_failed && g_get_monotonic_time () - run->save_failed
      < WARNING_INTERVAL)
    atomic_fetch_add (&n_unsaved, 1);
}

static gpointer
run_thread (gpointer data)
{
  VhmRun *run = data;
  GError *error = NULL;
  gchar *why;

  if (!build (run, &error)) {
    why = g_strdup (error->message);
    g_error_free (error);
  } else {
    gst_element_set_state (run->pipeline, GST_STATE_PLAYING);
    why = listen_to (run);
  }
  /* The step to NULL would discard all messages on the bus. */
  if (run->pipeline)
    gst_element_set_state (run->pipeline, GST_STATE_READY);
  note_unsaved (run);
  if (run->pipeline)
    gst_element_set_state (run->pipeline, GST_STATE_NULL);
  g_clear_pointer (&run->encoder, vhm_picture_encoder_free);
  g_clear_pointer (&run->judge, vhm_judge_free);
  gst_clear_object (&run->colors_histogram);
  gst_clear_object (&run->histogram);
  gst_clear_object (&run->pipeline);
  gst_bus_set_flushing (run->bus, TRUE);
  atomic_store (&run->ended, TRUE);
  send_report (run, deliver_end, why, g_free);
  atomic_fetch_sub (&n_threads, 1);
  run_unref (run);
  return NULL;
}

/* The main thread */

VhmRun *
vhm_run_new (const VhmCameraSettings * camera, gboolean software,
    const gchar * learned, const VhmRunHandler * handler, gpointer data)
{
  VhmRun *run = g_atomic_rc_box_new0 (VhmRun);

  run->camera = vhm_camera_settings_ref ((VhmCameraSettings *) camera);
  run->handler = handler;
  run->data = data;
  run->learned = g_strdup (learned);
  run->software = software;
  run->bus = gst_bus_new ();
  vhm_contexts_share (run->bus);
  run->wants_picture = TRUE;
  atomic_fetch_add (&n_threads, 1);
  g_thread_unref (g_thread_new ("camera", run_thread, run_ref (run)));
  return run;
}

static void
tell (VhmRun * run, const gchar * what)
{
  gst_bus_post (run->bus, gst_message_new_application (NULL,
          gst_structure_new_empty (what)));
}

void
vhm_run_stop (VhmRun * run)
{
  if (!atomic_exchange (&run->stopping, TRUE))
    tell (run, STOP);
}

void
vhm_run_unlearn (VhmRun * run)
{
  tell (run, UNLEARN);
}

void
vhm_run_mute (VhmRun * run)
{
  vhm_run_stop (run);
  run->handler = NULL;
}

void
vhm_run_forget (VhmRun * run)
{
  vhm_run_mute (run);
  run_unref (run);
}

void
vhm_run_forget_ended (GPtrArray * runs)
{
  guint i;

  for (i = runs->len; i > 0; i--) {
    VhmRun *run = g_ptr_array_index (runs, i - 1);

    if (atomic_load (&run->ended))
      g_ptr_array_remove_index (runs, i - 1);
  }
}

guint64
vhm_run_get_frames (VhmRun * run, gint64 * monotonic, gint64 * real)
{
  *monotonic = atomic_load (&run->last_frame);
  *real = atomic_load (&run->last_frame_real);
  return atomic_load (&run->frames);
}

gint64
vhm_run_get_key_frame_wait (VhmRun * run, gint64 * last)
{
  *last = atomic_load (&run->key_frames.last);
  return atomic_load (&run->key_frames.since);
}

void
vhm_run_want_picture (VhmRun * run)
{
  atomic_store (&run->wants_picture, TRUE);
}

const gchar *
vhm_run_get_decoder (VhmRun * run, gboolean * hardware)
{
  GstElementFactory *factory = atomic_load (&run->decoder);

  *hardware = factory && vhm_gpu_is_decoder (factory);
  return factory ? GST_OBJECT_NAME (factory) : NULL;
}

gboolean
vhm_run_has_decoder_failed (VhmRun * run)
{
  return atomic_load (&run->decoder_failed);
}

guint
vhm_run_count_threads (void)
{
  return atomic_load (&n_threads);
}

guint
vhm_run_count_unsaved (void)
{
  return atomic_load (&n_unsaved);
}
