/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe.h"

#include "address.h"
#include "attempt.h"
#include "cures.h"
#include "probefailure.h"
#include "secretfile.h"
#include "streaminfo.h"

#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_USAGE 2

#define TICK_MS 100

/* µs: how long the stream is measured, or until some key frames came, and how
 * long to wait for the first key frame and for the end. */
#define MIN_MEASURING_TIME (5 * G_TIME_SPAN_SECOND)
#define MAX_MEASURING_TIME (15 * G_TIME_SPAN_SECOND)
#define MIN_KEY_FRAMES 3
#define MAX_KEY_FRAME_TIME (60 * G_TIME_SPAN_SECOND)
#define MAX_STOP_TIME (2 * G_TIME_SPAN_SECOND)

/* s: after lost packets or a new connection, the picture may take this long. */
#define MAX_KEY_FRAME_DISTANCE 8

/* The longest name of a camera to suggest. */
#define MAX_NAME_BYTES 40

#define PROGRAM "videohistogram-monitor " VHM_PROBE

typedef struct
{
  /* arguments */
  gchar *credentials, *user, *transport, *substream;
  gdouble timeout;
  gchar **sources;

  VhmCameraSettings *camera;
  gchar *substream_uri;         /* or NULL */
  VhmStreamInfo *info;
  VhmAttempt *attempt;
  GMainLoop *loop;
  gchar *why;                   /* why there is no picture, or NULL */
  gint64 start, first;          /* monotonic µs; @first: first frame, or 0 */
  gint64 stopped;
  VhmStreamFacts facts;         /* when it stopped */
  gdouble rate;                 /* frames per second */
  gint width, height;           /* of frames; 0: unknown */
  gboolean udp_blocked;         /* for any stream */
} Probe;

/* Whether valid text could control a terminal, or end a line. */
static gboolean
has_control (const gchar * text)
{
  for (; *text; text = g_utf8_next_char (text))
    if (g_unichar_iscntrl (g_utf8_get_char (text)))
      return TRUE;
  return FALSE;
}

/* Prints text that may contain what a stranger sent. */
static void
print_line (const gchar * label, const gchar * text)
{
  gchar *valid = g_utf8_make_valid (text, -1);
  gchar *shown = has_control (valid) ? g_strescape (valid, NULL) : NULL;

  g_print ("%-14s%s\n", label, shown ? shown : valid);
  g_free (shown);
  g_free (valid);
}

G_GNUC_PRINTF (2, 3)
static void
print_fact (const gchar * label, const gchar * format, ...)
{
  va_list arguments;
  gchar *text;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  print_line (label, text);
  g_free (text);
}

/* The attempt */

static void
on_element (gpointer data, GstElement * element, gboolean decodes)
{
  const Probe *probe = data;

  vhm_stream_info_watch (probe->info, element, decodes);
}

static void
on_sample (gpointer data, const VhmSample * sample)
{
  const GstVideoHistogramInfo *frame =
      gst_video_histogram_get_info (sample->histogram);
  Probe *probe = data;

  probe->width = frame->width;
  probe->height = frame->height;
}

static void
on_change (G_GNUC_UNUSED gpointer data, G_GNUC_UNUSED const VhmChange * change)
{
}

static void
on_picture (G_GNUC_UNUSED gpointer data, G_GNUC_UNUSED VhmPictureSize size,
    G_GNUC_UNUSED const VhmPicture * picture)
{
}

static void
on_ended (gpointer data, const gchar * why)
{
  Probe *probe = data;

  if (!probe->stopped) {
    probe->why = g_strdup (why);
    vhm_stream_info_get (probe->info, &probe->facts);
  }
  vhm_attempt_forget (g_steal_pointer (&probe->attempt));
  g_main_loop_quit (probe->loop);
}

static const VhmAttemptHandler handler = {
  .sample = on_sample,.change = on_change,.picture = on_picture,
  .element = on_element,.ended = on_ended,.has_no_keys = TRUE
};

static void
stop (Probe * probe, gchar * why)
{
  probe->why = why;
  probe->stopped = g_get_monotonic_time ();
  vhm_stream_info_get (probe->info, &probe->facts);
  vhm_attempt_stop (probe->attempt);
}

static void
wait_for_frame (Probe * probe, gint64 now)
{
  const gint64 most = probe->timeout * G_TIME_SPAN_SECOND;
  gint64 last;
  const gint64 since = vhm_attempt_get_key_frame_wait (probe->attempt, &last);

  if (since && now - since > MAX (most, MAX_KEY_FRAME_TIME))
    stop (probe, g_strdup_printf ("no key frame in %.0f seconds of video",
            (now - since) / 1e6));
  else if (!since && now - probe->start > most)
    stop (probe, g_strdup_printf ("no video for %g seconds", probe->timeout));
}

static void
measure (Probe * probe, gint64 now)
{
  VhmStreamFacts facts;
  gint64 last, real;
  const guint64 frames = vhm_attempt_get_frames (probe->attempt, &last, &real);
  const gint64 elapsed = now - probe->first;

  vhm_stream_info_get (probe->info, &facts);
  if (last > probe->first)
    probe->rate = (frames - 1) * 1e6 / (last - probe->first);
  if (elapsed > MAX_MEASURING_TIME || (elapsed > MIN_MEASURING_TIME
          && (!facts.codec || facts.key_frames >= MIN_KEY_FRAMES)))
    stop (probe, NULL);
  vhm_stream_facts_clear (&facts);
}

static gboolean
on_tick (gpointer data)
{
  const gint64 now = g_get_monotonic_time ();
  Probe *probe = data;
  gint64 last, real;

  if (!probe->attempt)
    return G_SOURCE_CONTINUE;
  if (probe->stopped) {
    /* A stuck thread is left behind. */
    if (now - probe->stopped > MAX_STOP_TIME)
      g_main_loop_quit (probe->loop);
    return G_SOURCE_CONTINUE;
  }
  if (!probe->first && vhm_attempt_get_frames (probe->attempt, &last, &real))
    probe->first = last;
  if (probe->first)
    measure (probe, now);
  else
    wait_for_frame (probe, now);
  return G_SOURCE_CONTINUE;
}

/* The report */

static void
print_facts (const Probe * probe)
{
  const VhmStreamFacts *facts = &probe->facts;
  const guint width = probe->width ? probe->width : facts->width;
  const guint height = probe->height ? probe->height : facts->height;
  gchar *address = vhm_address_describe (vhm_camera_settings_get_judged
      (probe->camera));

  print_line (probe->camera->substream ? "sub-stream:" : "address:", address);
  if (facts->codec && g_str_has_prefix (address, "rtsp"))
    print_line ("transport:", facts->uses_udp ? "UDP" : "TCP");
  if (facts->codec)
    print_line ("codec:", facts->codec);
  else if (probe->first)
    print_line ("codec:", "none: the video is raw");
  if (width)
    print_fact ("size:", "%ux%u", width, height);
  if (probe->rate > 0)
    print_fact ("rate:", "%.3g frames per second", probe->rate);
  if (facts->codec && facts->key_frames >= facts->packets)
    print_line ("key frames:", "all frames");
  else if (facts->key_frame_distance > 0)
    print_fact ("key frames:", "every %.3g s", facts->key_frame_distance);
  if (facts->seconds > 0)
    print_fact ("bit rate:", "%.2f Mbit/s", facts->bytes * 8 / facts->seconds
        / 1e6);
  if (probe->first)
    print_fact ("first frame:", "after %.1f s",
        (probe->first - probe->start) / 1e6);
  g_free (address);
}

static gboolean
is_udp_blocked (const VhmStreamFacts * facts)
{
  return facts->used_udp && !facts->uses_udp;
}

static void
print_advice (const VhmStreamFacts * facts)
{
  if (is_udp_blocked (facts))
    print_line ("advice:", "Nothing arrived over UDP. With transport=tcp, the "
        "monitor connects without first waiting for UDP.");
  if (facts->key_frame_distance > MAX_KEY_FRAME_DISTANCE
      || (facts->packets && facts->key_frames < 2))
    print_line ("advice:", "Key frames are far apart, so a picture comes late "
        "after a new connection. Set the camera to send one every 1 to 2 s, "
        "at most every 8 s (GOP, I-frame interval).");
}

/* A name that may stand in a header. To be freed. */
static gchar *
make_name (const gchar * uri)
{
  gchar *host = vhm_address_get_host (uri);
  gchar *text = host ? host : g_path_get_basename (uri);
  gchar *name = g_utf8_make_valid (text, -1);

  g_free (text);
  g_strdelimit (name, "#+/\"'\\[]%:?", '-');
  if (strlen (name) > MAX_NAME_BYTES)
    *g_utf8_find_prev_char (name, name + MAX_NAME_BYTES + 1) = '\0';
  return name;
}

static void
print_group (const Probe * probe)
{
  gchar *name = make_name (probe->camera->uri);

  g_print ("\nFor the key file:\n\n");
  if (probe->user)
    g_print ("# First: (umask 077 && echo '%s:PASSWORD' > %s.secret)\n",
        probe->camera->user, name);
  g_print ("[camera %s]\nuri=%s\n", name, probe->camera->uri);
  if (probe->camera->substream)
    g_print ("substream=%s\n", probe->camera->substream);
  if (probe->credentials)
    g_print ("credentials=%s\n", probe->credentials);
  else if (probe->user)
    g_print ("credentials=%s.secret\n", name);
  if (probe->udp_blocked)
    g_print ("transport=tcp\n");
  else if (probe->transport)
    g_print ("transport=%s\n", probe->transport);
  g_free (name);
}

static void
print_failure (const Probe * probe)
{
  print_line ("no picture:", probe->why);
  print_fact ("what to do:", "%s.", vhm_cure_find_for_probe (probe->why));
}

/* Arguments */

/* Returns an error, to be freed, or NULL. */
static gchar *
read_credentials (Probe * probe)
{
  VhmCameraSettings *camera = probe->camera;
  gchar *secret, *why = NULL;

  if (probe->user) {
    /* It reads standard input if there is no terminal. */
    secret = getpass ("Password: ");
    camera->user = g_strdup (probe->user);
    camera->password = g_strdup (secret ? secret : "");
    if (secret)
      memset (secret, 0, strlen (secret));
    return NULL;
  }
  if (!probe->credentials)
    return NULL;
  secret = vhm_secret_file_read (probe->credentials, &why);
  if (!secret || !vhm_secret_divide (secret, &camera->user,
          &camera->password)) {
    gchar *refused = why;

    why = g_strdup_printf ("%s: %s", probe->credentials, refused ? refused :
        "must be one line, user:password");
    g_free (refused);
  }
  vhm_secret_free (secret);
  return why;
}

static gchar *
read_transport (Probe * probe)
{
  static const gchar *const names[] = { "auto", "tcp", "udp" };
  guint i;

  for (i = 0; probe->transport && i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (probe->transport, names[i])) {
      probe->camera->transport = i;
      return NULL;
    }
  return probe->transport ? g_strdup_printf ("\"%s\" is not a transport: use "
      "auto, tcp or udp", probe->transport) : NULL;
}

/* Texts that are printed later. */
static gchar *
check_text (const gchar * what, const gchar * text)
{
  if (text && !g_utf8_validate (text, -1, NULL))
    return g_strdup_printf ("the %s is not valid UTF-8", what);
  if (text && has_control (text))
    return g_strdup_printf ("the %s contains a control character", what);
  return NULL;
}

static gchar *
read_address (const gchar * text, gchar ** uri)
{
  gchar *folder = g_get_current_dir ();
  gchar *why, *refused;

  why = check_text ("address", text);
  if (!why) {
    refused = vhm_address_parse (text, folder, uri);
    if (refused && strstr (refused, "user name or password"))
      why = g_strdup ("the address contains a user name or password, which "
          "others can read in the list of processes: remove it, and add "
          "--user=NAME, which asks for the password, or --credentials=FILE");
    else if (refused)
      why = g_strdup_printf ("%s: %s", text, refused);
    g_free (refused);
  }
  g_free (folder);
  return why;
}

/* The camera of a key file that sets nothing but its name. */
static VhmCameraSettings *
make_camera (void)
{
  VhmCameraSettings *defaults = vhm_group_new (&vhm_cameras_group);
  VhmCameraSettings *camera = vhm_group_copy (&vhm_camera_group, defaults);

  vhm_group_unref (defaults);
  camera->name = g_strdup (VHM_PROBE);
  return camera;
}

/* Returns an error, to be freed, or NULL. */
static gchar *
read_arguments (Probe * probe)
{
  gchar *why = NULL;

  if (!probe->sources || !probe->sources[0] || probe->sources[1])
    return g_strdup ("name one source, such as rtsp://192.0.2.1/stream");
  if (probe->user && probe->credentials)
    return g_strdup ("use --user or --credentials, not both");
  if (!(probe->timeout >= 1 && probe->timeout <= 300))
    return g_strdup ("--timeout must be 1 to 300 seconds");
  probe->camera = make_camera ();
  probe->camera->timeout = probe->timeout;
  why = check_text ("user", probe->user);
  if (!why)
    why = check_text ("name of the file", probe->credentials);
  if (!why)
    why = read_address (probe->sources[0], &probe->camera->uri);
  if (!why && probe->substream)
    why = read_address (probe->substream, &probe->substream_uri);
  if (!why)
    why = read_transport (probe);
  return why ? why : read_credentials (probe);
}

static gboolean
parse_options (Probe * probe, int argc, char **argv)
{
  const GOptionEntry entries[] = {
    {"user", 'u', 0, G_OPTION_ARG_STRING, &probe->user,
        "Log in as NAME, and ask for the password", "NAME"},
    {"credentials", 0, 0, G_OPTION_ARG_FILENAME, &probe->credentials,
        "Log in with what FILE contains: user:password", "FILE"},
    {"transport", 0, 0, G_OPTION_ARG_STRING, &probe->transport,
        "Transport of RTSP: auto, tcp or udp (default auto)", "T"},
    {"substream", 0, 0, G_OPTION_ARG_STRING, &probe->substream,
        "Also try this stream, which the monitor then judges", "ADDRESS"},
    {"timeout", 0, 0, G_OPTION_ARG_DOUBLE, &probe->timeout,
        "Seconds to wait for the first frame (default 10)", "S"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &probe->sources,
        NULL, "SOURCE"},
    {NULL}
  };
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gboolean ok;

  g_set_prgname (PROGRAM);
  g_option_context_set_summary (context, "Connects to a camera once. Prints "
      "what it sends, or what is wrong and what to do, and\nits group for the "
      "key file.\n\nExit status: 0 if a picture came, 1 if none came, 2 for "
      "wrong arguments.");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, &argc, &argv, &error);
  if (!ok) {
    g_printerr (PROGRAM ": %s (see --help)\n", error->message);
    g_error_free (error);
  }
  g_option_context_free (context);
  return ok;
}

static void
connect_once (Probe * probe)
{
  guint tick = g_timeout_add (TICK_MS, on_tick, probe);

  probe->info = vhm_stream_info_new ();
  probe->loop = g_main_loop_new (NULL, FALSE);
  probe->start = g_get_monotonic_time ();
  probe->attempt = vhm_attempt_new (probe->camera, FALSE, NULL, &handler,
      probe);
  g_main_loop_run (probe->loop);
  g_source_remove (tick);
}

/* Returns whether a picture came. */
static gboolean
try_stream (Probe * probe)
{
  gboolean came;

  connect_once (probe);
  if (probe->why && !probe->first)
    probe->why = vhm_probe_try_connection (vhm_camera_settings_get_judged
        (probe->camera), probe->why);
  print_facts (probe);
  came = !probe->why;
  if (came)
    print_advice (&probe->facts);
  else
    print_failure (probe);
  fflush (stdout);
  /* A thread that is stuck may still use what exit() would tear down. */
  if (probe->attempt)
    _exit (came ? EXIT_SUCCESS : EXIT_FAILURE);
  probe->udp_blocked |= is_udp_blocked (&probe->facts);
  vhm_stream_facts_clear (&probe->facts);
  vhm_stream_info_free (probe->info);
  g_main_loop_unref (probe->loop);
  g_clear_pointer (&probe->why, g_free);
  return came;
}

/* Returns whether a picture came of the sub-stream. */
static gboolean
try_substream (Probe * probe)
{
  probe->first = probe->stopped = 0;
  probe->rate = 0;
  probe->width = probe->height = 0;
  probe->camera->substream = g_steal_pointer (&probe->substream_uri);
  g_print ("\n");
  return try_stream (probe);
}

int
vhm_probe_run (int argc, char **argv)
{
  Probe probe = {.timeout = 10 };
  gboolean came;
  gchar *why;

  if (!parse_options (&probe, argc, argv))
    return EXIT_USAGE;
  why = read_arguments (&probe);
  if (why) {
    g_printerr (PROGRAM ": %s (see --help)\n", why);
    g_free (why);
    return EXIT_USAGE;
  }
  came = try_stream (&probe);
  if (came && probe.substream_uri)
    came = try_substream (&probe);
  if (came)
    print_group (&probe);
  vhm_group_unref (probe.camera);
  g_free (probe.substream_uri);
  g_free (probe.substream);
  g_free (probe.credentials);
  g_free (probe.user);
  g_free (probe.transport);
  g_strfreev (probe.sources);
  return came ? EXIT_SUCCESS : EXIT_FAILURE;
}
