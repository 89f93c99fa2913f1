/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "attempt.h"

#include "address.h"
#include "bus.h"
#include "decoder.h"
#include "decodeslots.h"
#include "elementtype.h"
#include "encoders.h"
#include "failure.h"
#include "gpu.h"
#include "keyframes.h"
#include "learning.h"
#include "mainthread.h"
#include "pipeline.h"
#include "starts.h"
#include "threads.h"

#include <gio/gio.h>
#include <stdatomic.h>

/* Messages to the thread of the attempt, on its bus. */
#define STOP "vhm-stop"
#define PICTURE "vhm-picture"
#define UNLEARN "vhm-unlearn"
#define DECODE "vhm-decode"

/* Why an attempt ended that was asked to. */
#define STOPPED "stopped"

/* How long an attempt may wait for threads and memory, and how often it looks,
 * µs. */
#define MAX_ROOM_TIME (3 * G_TIME_SPAN_SECOND)
#define ROOM_INTERVAL 200000

/* How often an attempt asks whether it may build its pipeline, µs. */
#define START_INTERVAL 100000

/* How much later than received packets may be delivered, a frame may be
 * judged. */
#define MAX_LATENESS ((GstClockTimeDiff) GST_SECOND)

struct _VhmAttempt
{
  VhmCameraSettings *camera;
  const gchar *uri;             /* of the stream that is judged */
  const VhmAttemptHandler *handler;     /* main thread only; NULL once muted */
  void (*on_element) (gpointer data, GstElement * element, gboolean decodes);
  gpointer data;
  gboolean has_keys;            /* reasons name keys of the key file */
  GstBus *bus;
  gchar *learned;               /* file */
  gboolean software;            /* decodes on the CPU */

  atomic_bool ended;            /* its thread has ended, or is about to */
  _Atomic guint64 frames;
  _Atomic gint64 last_frame, last_frame_real;   /* µs */
  _Atomic gint64 behind, damaged;       /* when a frame last came late or after
                                         * a loss, and when lost data last
                                         * damaged one, µs since 1970; or 0 */
  _Atomic gint64 due;           /* when the frame after the last one of a file
                                 * comes, monotonic µs; or 0 */
  atomic_bool stopping;
  _Atomic gint64 begun;         /* when it began to build its pipeline,
                                 * monotonic µs; 0 before */
  atomic_bool starting;         /* has reserved room */
  atomic_uint wanted;           /* pictures to make: bits of VhmPictureSize */
  atomic_bool picture_waits;    /* until the thread encodes it */
  atomic_bool sample_waits;     /* until the main thread takes it */
  GstVideoHistogram *_Atomic colors;    /* for the next sample, or NULL */
  VhmDecoder decoder;
  VhmKeyFrames key_frames;
  VhmLearning learning;
  VhmTimeline timeline;

  /* its thread only */
  GstElement *pipeline;
  GstElement *histogram, *colors_histogram;
  VhmHealthElement *health;
  VhmEncoders encoders;
  GstClockTime position;        /* of the last frame of a file */
  guint64 played;               /* frames when the file was last rewound */
  gchar *missing;               /* the missing decoder, and where to get it; or
                                 * NULL */
};

static atomic_uint n_threads;

static VhmAttempt *
attempt_ref (VhmAttempt * attempt)
{
  return g_atomic_rc_box_acquire (attempt);
}

static void
clear_attempt (gpointer data)
{
  VhmAttempt *attempt = data;

  vhm_group_unref (attempt->camera);
  g_clear_pointer (&attempt->colors, gst_video_histogram_unref);
  g_free (attempt->learned);
  g_free (attempt->missing);
  gst_object_unref (attempt->bus);
}

static void
attempt_unref (gpointer attempt)
{
  g_atomic_rc_box_release_full (attempt, clear_attempt);
}

/* Reports to the main thread */

/* Takes @contents. */
static void
send_report (VhmAttempt * attempt, VhmReport report, gpointer contents,
    GDestroyNotify free_contents)
{
  vhm_main_thread_call (report, attempt_ref (attempt), attempt_unref,
      contents, free_contents);
}

static void
deliver_sample (gpointer object, gpointer contents)
{
  VhmAttempt *attempt = object;

  atomic_store (&attempt->sample_waits, FALSE);
  if (attempt->handler)
    attempt->handler->sample (attempt->data, contents);
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
deliver_change (gpointer object, gpointer contents)
{
  VhmAttempt *attempt = object;

  if (attempt->handler)
    attempt->handler->change (attempt->data, contents);
}

typedef struct
{
  VhmPicture picture;
  VhmPictureSize size;
} Delivery;

static void
deliver_picture (gpointer object, gpointer contents)
{
  VhmAttempt *attempt = object;
  const Delivery *delivery = contents;

  if (attempt->handler)
    attempt->handler->picture (attempt->data, delivery->size,
        &delivery->picture);
}

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  vhm_picture_set (&delivery->picture, NULL);
  g_free (delivery);
}

static void
deliver_end (gpointer object, gpointer contents)
{
  VhmAttempt *attempt = object;

  if (attempt->handler)
    attempt->handler->ended (attempt->data, contents);
}

/* Streaming threads */

static void
on_change (gpointer data, const VhmChange * change)
{
  send_report (data, deliver_change, g_memdup2 (change, sizeof *change),
      g_free);
}

static void
on_colors (G_GNUC_UNUSED GstElement * element, GstVideoHistogram * histogram,
    VhmAttempt * attempt)
{
  GstVideoHistogram *old = atomic_exchange (&attempt->colors,
      gst_video_histogram_ref (histogram));

  gst_clear_video_histogram (&old);
}

static void
on_histogram (GstElement * element, GstVideoHistogram * histogram,
    VhmAttempt * attempt)
{
  VhmSample *sample;

  /* While a sample waits for the main thread, newer ones are skipped. */
  if (atomic_exchange (&attempt->sample_waits, TRUE))
    return;
  sample = g_new0 (VhmSample, 1);
  sample->histogram = gst_video_histogram_ref (histogram);
  sample->colors = atomic_exchange (&attempt->colors, NULL);
  sample->time = atomic_load (&attempt->last_frame_real);
  g_object_get (element, "processed", &sample->analysed, "dropped",
      &sample->dropped, "skipped", &sample->skipped, NULL);
  vhm_health_element_get_verdict (attempt->health, &sample->verdict);
  send_report (attempt, deliver_sample, sample, sample_free);
}

static void
take_picture (VhmAttempt * attempt, GstPad * pad, GstBuffer * buffer)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstStructure *structure;
  GstSample *sample;

  if (!caps) {
    atomic_store (&attempt->picture_waits, FALSE);
    return;
  }
  sample = gst_sample_new (buffer, caps, NULL, NULL);
  structure = gst_structure_new (PICTURE, "sample", GST_TYPE_SAMPLE, sample,
      "time", G_TYPE_INT64, atomic_load (&attempt->last_frame_real),
      "arrival", G_TYPE_INT64, atomic_load (&attempt->last_frame),
      "sizes", G_TYPE_UINT, atomic_exchange (&attempt->wanted, 0), NULL);
  gst_bus_post (attempt->bus, gst_message_new_application (NULL, structure));
  gst_sample_unref (sample);
  gst_caps_unref (caps);
}

/* A frame of a file comes here when the one before it is due, and then waits
 * for its own time. The file is read no further meanwhile, so that no packets
 * between key frames show that there is a signal. */
static void
note_due (VhmAttempt * attempt, GstClockTime position)
{
  if (vhm_address_is_live (attempt->uri)
      || !GST_CLOCK_TIME_IS_VALID (position))
    return;
  if (position > attempt->position)
    atomic_store (&attempt->due, g_get_monotonic_time ()
        + (gint64) (position - attempt->position) / 1000);
  attempt->position = position;
}

static void
release_room (VhmAttempt * attempt)
{
  if (atomic_load (&attempt->starting)
      && atomic_exchange (&attempt->starting, FALSE))
    vhm_threads_release ();
}

/* Whether the frame waited in this process for too long: packets get their
 * times when they are received. */
static gboolean
is_late (const VhmAttempt * attempt, GstPad * pad, GstBuffer * buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstClockTime now = gst_element_get_current_running_time
      (attempt->histogram);
  const GstSegment *segment = NULL;
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (event)
    gst_event_parse_segment (event, &segment);
  if (segment)
    time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  gst_clear_event (&event);
  return GST_CLOCK_TIME_IS_VALID (time) && GST_CLOCK_TIME_IS_VALID (now)
      && GST_CLOCK_DIFF (time, now) > MAX_LATENESS
      + attempt->camera->latency * GST_SECOND;
}

/* The queue before this pad drops frames if they are judged too slowly, and
 * marks the next one. The first frame is marked, too. A file waits: it loses
 * nothing, and its frames are marked where it starts again. */
static void
note_trouble (VhmAttempt * attempt, GstPad * pad, GstBuffer * buffer)
{
  const gint64 now = g_get_real_time ();

  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    atomic_store (&attempt->damaged, now);
  if (vhm_address_is_live (attempt->uri) && atomic_load (&attempt->frames)
      && (GST_BUFFER_FLAG_IS_SET (buffer,
              GST_BUFFER_FLAG_CORRUPTED | GST_BUFFER_FLAG_DISCONT)
          || is_late (attempt, pad, buffer)))
    atomic_store (&attempt->behind, now);
}

static GstPadProbeReturn
on_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  VhmAttempt *attempt = data;

  note_trouble (attempt, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  if (atomic_load (&attempt->key_frames.only))
    note_due (attempt, GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)));
  atomic_store (&attempt->last_frame, g_get_monotonic_time ());
  atomic_store (&attempt->last_frame_real, g_get_real_time ());
  if (!atomic_fetch_add (&attempt->frames, 1))
    vhm_learning_begin (&attempt->learning);
  release_room (attempt);
  vhm_decoder_note_frame (&attempt->decoder);
  /* While a frame waits, others do not: each occupies a buffer of the
   * decoder. */
  if (atomic_load (&attempt->wanted)
      && !atomic_exchange (&attempt->picture_waits, TRUE))
    take_picture (attempt, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

static void
on_element_added (G_GNUC_UNUSED GstBin * pipeline, GstBin * bin,
    GstElement * element, gpointer data)
{
  VhmAttempt *attempt = data;
  /* Parts of a decoder do not count as decoders. */
  const gboolean decodes = vhm_element_is_decoder (element)
      && !vhm_element_is_decoder (GST_ELEMENT (bin));

  if (attempt->on_element)
    attempt->on_element (attempt->data, element, decodes);
  if (vhm_element_is (element, "uridecodebin"))
    vhm_decoder_choose (&attempt->decoder, element);
  if (!decodes)
    return;
  vhm_decoder_add (&attempt->decoder, element);
  vhm_key_frames_watch (&attempt->key_frames, element);
  vhm_decoder_queue (&attempt->decoder, element);
  vhm_decode_slots_use (element);
}

/* The thread of the attempt */

static gboolean
build_pipeline (VhmAttempt * attempt, GError ** error)
{
  const VhmPipelineSettings settings = { attempt->camera, attempt->uri,
    attempt->software, attempt->bus, on_element_added, attempt
  };
  GstPad *pad;

  attempt->pipeline = vhm_pipeline_new (&settings, &attempt->timeline, error);
  if (!attempt->pipeline)
    return FALSE;
  attempt->health = vhm_health_element_new (GST_BIN (attempt->pipeline),
      attempt->camera, attempt->learned, on_change, attempt);
  vhm_learning_watch (&attempt->learning, attempt->bus, attempt->health);
  attempt->colors_histogram = gst_bin_get_by_name (GST_BIN (attempt->pipeline),
      VHM_PIPELINE_COLORS);
  g_signal_connect (attempt->colors_histogram, "histogram",
      G_CALLBACK (on_colors), attempt);
  attempt->histogram = gst_bin_get_by_name (GST_BIN (attempt->pipeline),
      VHM_PIPELINE_HISTOGRAM);
  g_signal_connect (attempt->histogram, "histogram", G_CALLBACK (on_histogram),
      attempt);
  pad = gst_element_get_static_pad (attempt->histogram, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, attempt, NULL);
  gst_object_unref (pad);
  return TRUE;
}

static void
encode_picture (VhmAttempt * attempt, VhmPictureSize size, GstSample * sample,
    VhmPicture picture)
{
  Delivery *delivery;

  if (!vhm_encoders_encode (&attempt->encoders, size, sample, &picture))
    return;
  delivery = g_new (Delivery, 1);
  delivery->picture = picture;
  delivery->size = size;
  send_report (attempt, deliver_picture, delivery, delivery_free);
}

/* Makes the wanted pictures of the frame in @structure. */
static void
encode_pictures (VhmAttempt * attempt, const GstStructure * structure)
{
  GstSample *sample = gst_value_get_sample (gst_structure_get_value
      (structure, "sample"));
  VhmPicture picture = { NULL, 0, 0, 0 };
  guint wanted = 0, i;

  gst_structure_get (structure, "time", G_TYPE_INT64, &picture.time,
      "arrival", G_TYPE_INT64, &picture.arrival, "sizes", G_TYPE_UINT,
      &wanted, NULL);
  for (i = 0; i < VHM_N_PICTURE_SIZES; i++)
    if (wanted >> i & 1)
      encode_picture (attempt, i, sample, picture);
  atomic_store (&attempt->picture_waits, FALSE);
  vhm_encoders_tidy (&attempt->encoders);
}

/* Plays a file again. Returns why it cannot, or NULL. */
static gchar *
rewind_source (VhmAttempt * attempt)
{
  const guint64 frames = atomic_load (&attempt->frames);

  if (vhm_address_is_live (attempt->uri))
    return g_strdup ("the stream ended");
  if (frames == attempt->played)
    return g_strdup (VHM_NO_FRAME);
  attempt->played = frames;
  return gst_element_seek_simple (attempt->pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, 0) ? NULL : g_strdup ("the file ended and "
      "cannot be rewound");
}

static gchar *
explain_error (VhmAttempt * attempt, GstMessage * message)
{
  const VhmFailure failure = { attempt->uri, attempt->camera,
    atomic_load (&attempt->frames) > 0, attempt->has_keys, attempt->bus,
    &attempt->missing
  };

  return vhm_failure_explain (&failure, message);
}

/* Handles messages until the attempt fails or is asked to stop. Returns why. */
static gchar *
listen_to (VhmAttempt * attempt)
{
  gchar *why = NULL;

  while (!why) {
    GstMessage *message = gst_bus_timed_pop (attempt->bus, GST_CLOCK_TIME_NONE);
    const GstStructure *structure = gst_message_get_structure (message);

    switch (GST_MESSAGE_TYPE (message)) {
      case GST_MESSAGE_WARNING:
        vhm_gpu_suspect ();
        break;
      case GST_MESSAGE_ERROR:
        vhm_decoder_note_error (&attempt->decoder, message);
        why = explain_error (attempt, message);
        break;
      case GST_MESSAGE_EOS:
        why = rewind_source (attempt);
        break;
      case GST_MESSAGE_ELEMENT:
        if (gst_structure_has_name (structure, "missing-plugin"))
          vhm_failure_note_missing (&attempt->missing, attempt->has_keys,
              structure);
        break;
      case GST_MESSAGE_APPLICATION:
        if (gst_structure_has_name (structure, STOP))
          why = g_strdup (STOPPED);
        else if (gst_structure_has_name (structure, PICTURE))
          encode_pictures (attempt, structure);
        else if (gst_structure_has_name (structure, UNLEARN))
          vhm_health_element_unlearn (attempt->health);
        else if (gst_structure_has_name (structure, DECODE))
          vhm_health_element_set_key_frames (attempt->health,
              attempt->camera, atomic_load (&attempt->key_frames.only));
        break;
      default:
        break;
    }
    gst_message_unref (message);
  }
  return why;
}

/* Other attempts that start may need what is left, for a moment. */
static gboolean
reserve_room (VhmAttempt * attempt, GError ** error)
{
  const gint64 end = g_get_monotonic_time () + MAX_ROOM_TIME;

  while (!vhm_threads_reserve (error)) {
    if (atomic_load (&attempt->stopping) || g_get_monotonic_time () >= end)
      return FALSE;
    g_clear_error (error);
    g_usleep (ROOM_INTERVAL);
  }
  atomic_store (&attempt->starting, TRUE);
  return TRUE;
}

/* Returns FALSE if the attempt was stopped before. */
static gboolean
wait_for_turn (VhmAttempt * attempt)
{
  while (!atomic_load (&attempt->stopping)) {
    if (vhm_start_begin (VHM_START_PIPELINE))
      return TRUE;
    g_usleep (START_INTERVAL);
  }
  return FALSE;
}

/* What is built after the attempt was stopped ends at once. */
static gboolean
start_pipeline (VhmAttempt * attempt, GError ** error)
{
  gboolean built;

  if (!wait_for_turn (attempt)) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, STOPPED);
    return FALSE;
  }
  atomic_store (&attempt->begun, g_get_monotonic_time ());
  built = reserve_room (attempt, error) && build_pipeline (attempt, error);
  if (built && !atomic_load (&attempt->stopping))
    gst_element_set_state (attempt->pipeline, GST_STATE_PLAYING);
  vhm_start_end (VHM_START_PIPELINE);
  return built;
}

static gpointer
attempt_thread (gpointer data)
{
  VhmAttempt *attempt = data;
  GError *error = NULL;
  gchar *why;

  vhm_threads_give_way ();
  if (start_pipeline (attempt, &error))
    why = listen_to (attempt);
  else {
    why = g_strdup (error->message);
    g_error_free (error);
  }
  if (attempt->pipeline)
    gst_element_set_state (attempt->pipeline, GST_STATE_NULL);
  vhm_encoders_clear (&attempt->encoders);
  g_clear_pointer (&attempt->health, vhm_health_element_free);
  gst_clear_object (&attempt->colors_histogram);
  gst_clear_object (&attempt->histogram);
  gst_clear_object (&attempt->pipeline);
  gst_bus_set_flushing (attempt->bus, TRUE);
  release_room (attempt);
  vhm_decoder_end (&attempt->decoder);
  atomic_store (&attempt->ended, TRUE);
  send_report (attempt, deliver_end, why, g_free);
  atomic_fetch_sub (&n_threads, 1);
  attempt_unref (attempt);
  return NULL;
}

/* The main thread */

static void
start_thread (VhmAttempt * attempt)
{
  GError *error = NULL;

  atomic_fetch_add (&n_threads, 1);
  if (vhm_threads_run ("camera", attempt_thread, attempt_ref (attempt), &error))
    return;
  atomic_store (&attempt->ended, TRUE);
  send_report (attempt, deliver_end, g_strdup (error->message), g_free);
  atomic_fetch_sub (&n_threads, 1);
  attempt_unref (attempt);
  g_error_free (error);
}

VhmAttempt *
vhm_attempt_new (const VhmCameraSettings * camera, gboolean software,
    const gchar * learned, const VhmAttemptHandler * handler, gpointer data)
{
  VhmAttempt *attempt = g_atomic_rc_box_new0 (VhmAttempt);

  attempt->camera = vhm_group_ref (camera);
  attempt->uri = vhm_camera_settings_get_judged (camera);
  attempt->handler = handler;
  attempt->on_element = handler->element;
  attempt->data = data;
  attempt->has_keys = !handler->has_no_keys;
  attempt->learned = g_strdup (learned);
  attempt->software = software;
  attempt->key_frames.only = camera->decode == VHM_DECODE_KEY_FRAMES;
  attempt->key_frames.changes = camera->decode == VHM_DECODE_AUTO;
  attempt->bus = gst_bus_new ();
  vhm_bus_serve (attempt->bus);
  attempt->wanted = 1 << VHM_PICTURE_480;
  start_thread (attempt);
  return attempt;
}

static void
post_command (VhmAttempt * attempt, const gchar * what)
{
  gst_bus_post (attempt->bus, gst_message_new_application (NULL,
          gst_structure_new_empty (what)));
}

void
vhm_attempt_stop (VhmAttempt * attempt)
{
  if (!atomic_exchange (&attempt->stopping, TRUE))
    post_command (attempt, STOP);
}

void
vhm_attempt_unlearn (VhmAttempt * attempt)
{
  post_command (attempt, UNLEARN);
}

void
vhm_attempt_mute (VhmAttempt * attempt)
{
  vhm_attempt_stop (attempt);
  attempt->handler = NULL;
}

void
vhm_attempt_forget (VhmAttempt * attempt)
{
  vhm_attempt_mute (attempt);
  attempt_unref (attempt);
}

void
vhm_attempt_forget_ended (GPtrArray * attempts)
{
  guint i;

  for (i = attempts->len; i > 0; i--) {
    VhmAttempt *attempt = g_ptr_array_index (attempts, i - 1);

    if (atomic_load (&attempt->ended))
      g_ptr_array_remove_index (attempts, i - 1);
  }
}

guint64
vhm_attempt_get_frames (VhmAttempt * attempt, gint64 * monotonic, gint64 * real)
{
  *monotonic = atomic_load (&attempt->last_frame);
  *real = atomic_load (&attempt->last_frame_real);
  return atomic_load (&attempt->frames);
}

gint64
vhm_attempt_get_behind (VhmAttempt * attempt, gint64 * damaged)
{
  *damaged = atomic_load (&attempt->damaged);
  return atomic_load (&attempt->behind);
}

gint64
vhm_attempt_get_arrival (VhmAttempt * attempt)
{
  const gint64 due = MIN (atomic_load (&attempt->due), g_get_monotonic_time ());
  const gint64 dropped = atomic_load (&attempt->key_frames.dropped);
  const gint64 begun = atomic_load (&attempt->begun);

  if (!begun)
    return g_get_monotonic_time ();
  return MAX (MAX (atomic_load (&attempt->last_frame), begun),
      MAX (MAX (due, dropped), atomic_load (&attempt->decoder.waited)));
}

void
vhm_attempt_set_decode (VhmAttempt * attempt, VhmDecode decode)
{
  atomic_store (&attempt->key_frames.only, decode == VHM_DECODE_KEY_FRAMES);
  post_command (attempt, DECODE);
}

gboolean
vhm_attempt_has_delta_frames (VhmAttempt * attempt)
{
  return atomic_load (&attempt->key_frames.deltas)
      && !atomic_load (&attempt->key_frames.useless);
}

VhmDecode
vhm_attempt_get_decode (VhmAttempt * attempt)
{
  return atomic_load (&attempt->key_frames.only)
      && !atomic_load (&attempt->key_frames.useless) ? VHM_DECODE_KEY_FRAMES
      : VHM_DECODE_ALL;
}

gint64
vhm_attempt_get_key_frame_wait (VhmAttempt * attempt, gint64 * last)
{
  *last = atomic_load (&attempt->key_frames.last);
  return atomic_load (&attempt->key_frames.since);
}

void
vhm_attempt_want_picture (VhmAttempt * attempt, VhmPictureSize size)
{
  atomic_fetch_or (&attempt->wanted, 1 << size);
}

const gchar *
vhm_attempt_get_decoder (VhmAttempt * attempt, gboolean * hardware)
{
  *hardware = atomic_load (&attempt->decoder.hardware);
  return vhm_decoder_get_name (&attempt->decoder);
}

gboolean
vhm_attempt_has_decoder_failed (VhmAttempt * attempt)
{
  return atomic_load (&attempt->decoder.failed);
}

gchar *
vhm_attempt_describe_gpu_trouble (VhmAttempt * attempt, const gchar * why,
    guint * beside)
{
  return vhm_decoder_describe_trouble (&attempt->decoder, why, beside);
}

guint
vhm_attempt_count_threads (void)
{
  return atomic_load (&n_threads);
}
