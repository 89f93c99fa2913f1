/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* videohistogram-monitor: watches cameras. The way of an event:
 *
 *   run.c          a pipeline reports it
 *   camera.c       whose camera it is, and whether it is news
 *   fleet.c        to the store, and from there to the outputs
 *   store.c        it is committed and has a number
 *   eventstream.c  and the other listeners of the fleet tell it
 *   delivery.c     hands it to outputs that have to tell it in any case
 */
#include "config.h"

#include "check.h"
#include "contexts.h"
#include "fleet.h"
#include "frames.h"
#include "gpu.h"
#include "http.h"
#include "minutes.h"
#include "outputs.h"
#include "reload.h"
#include "run.h"
#include "service.h"
#include "settings.h"

#include <glib-unix.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* EX_TEMPFAIL: it cannot go on, and another process can. */
#define EXIT_RESTART 75

/* What share of their frames cameras must have without the GPU. */
#define LEAST_FRAMES 0.9

/* Files that may be open, if the system allows as many. */
#define MOST_FILES 65536

/* TLS 1.2 at least. */
#define TLS_PRIORITY "NORMAL:%COMPAT:-VERS-TLS1.0:-VERS-TLS1.1"

typedef struct
{
  GMainLoop *loop;
  int status;                   /* of the exit */
  VhmArguments arguments;
  VhmSettings *settings;
  VhmStore *store;
  VhmFleet *fleet;
  VhmMinutes *minutes;
  VhmOutputs *outputs;
  VhmHttp *http;
  VhmReload *reload;
  guint comparison;             /* source */
} Monitor;

/* Where the program does something else than to watch. */
typedef struct
{
  gboolean check, verbose;      /* it checks the configuration */
  gint reload;                  /* process that it has read it again; or 0 */
} Errand;

static const gchar *
name_file (const VhmArguments * arguments)
{
  return arguments->config ? arguments->config : "command line";
}

/* NULL if anything is wrong: everything that is has been printed, and is in
 * @why, to be freed, if that is not NULL. */
static VhmSettings *
read_settings (const VhmArguments * arguments, gchar ** why)
{
  const gchar *file = name_file (arguments);
  VhmProblems *problems = vhm_problems_new ();
  VhmSettings *settings = vhm_settings_read (arguments, problems);

  vhm_check_needs (settings, file, problems);
  vhm_check_folder (settings, file, problems);
  if (problems->errors)
    g_clear_pointer (&settings, vhm_settings_free);
  vhm_problems_print (problems);
  if (why)
    *why = settings ? NULL : vhm_problems_describe (problems);
  vhm_problems_free (problems);
  return settings;
}

/* Tells the service manager, too. @what is what has happened, or "". */
static void
say_ready (Monitor * monitor, GLogLevelFlags level, const gchar * what)
{
  gchar *address = vhm_http_get_address (monitor->http);
  const guint n = vhm_fleet_get_cameras (monitor->fleet)->len;
  gchar *status = g_strdup_printf ("%u camera%s at %s", n, n == 1 ? "" : "s",
      address);

  g_log (G_LOG_DOMAIN, level, "%s%s", what, status);
  vhm_service_ready (status);
  g_free (status);
  g_free (address);
}

static gboolean
needs_restart (const VhmSettings * a, const VhmSettings * b)
{
  return g_strcmp0 (a->http.host, b->http.host) || a->http.port != b->http.port
      || g_strcmp0 (a->http.certificate, b->http.certificate)
      || g_strcmp0 (a->http.key, b->http.key)
      || g_strcmp0 (a->http.secret, b->http.secret)
      || g_strcmp0 (a->http.url, b->http.url)
      || !a->http.hosts != !b->http.hosts
      || (a->http.hosts && !g_strv_equal ((const gchar * const *)
          a->http.hosts, (const gchar * const *) b->http.hosts))
      || g_strcmp0 (a->store.directory, b->store.directory)
      || a->store.pictures != b->store.pictures
      || a->store.days != b->store.days;
}

/* Changes of [http] need a restart: the page is where it was. */
static void
set_outputs (Monitor * monitor, const VhmSettings * settings)
{
  gchar *page = vhm_http_get_page (monitor->http);

  vhm_outputs_set (monitor->outputs, settings, page);
  g_free (page);
}

/* With a configuration that is wrong everything stays as it is. Returns what is
 * wrong with it, or NULL. */
static gchar *
reload (gpointer data)
{
  Monitor *monitor = data;
  VhmSettings *settings;
  gchar *why;

  vhm_service_reloading ();
  settings = read_settings (&monitor->arguments, &why);
  if (settings) {
    if (needs_restart (settings, monitor->settings))
      g_warning ("what has changed in [http] and [store] needs a restart");
    vhm_fleet_set_cameras (monitor->fleet, settings->cameras);
    set_outputs (monitor, settings);
    g_ptr_array_unref (monitor->settings->cameras);
    monitor->settings->cameras = g_ptr_array_ref (settings->cameras);
    vhm_settings_free (settings);
  }
  vhm_fleet_set_configuration_trouble (monitor->fleet, why);
  if (why)
    say_ready (monitor, G_LOG_LEVEL_WARNING, "the configuration was not read "
        "again, because of the errors above; as before: ");
  else
    say_ready (monitor, G_LOG_LEVEL_MESSAGE,
        "the configuration was read again: ");
  return why;
}

/* SIGHUP. */
static gboolean
on_reload (gpointer data)
{
  g_free (reload (data));
  return G_SOURCE_CONTINUE;
}

static void
quit (Monitor * monitor, const gchar * signal)
{
  /* Several may come at once. */
  if (g_main_loop_is_running (monitor->loop))
    g_message ("stopping because of %s", signal);
  g_main_loop_quit (monitor->loop);
}

static gboolean
on_sigint (gpointer data)
{
  quit (data, "SIGINT");
  return G_SOURCE_CONTINUE;
}

static gboolean
on_sigterm (gpointer data)
{
  quit (data, "SIGTERM");
  return G_SOURCE_CONTINUE;
}

/* Without the GPU */

static gboolean
is_any_hanging (const VhmFleet * fleet)
{
  const GPtrArray *cameras = vhm_fleet_get_cameras (fleet);
  guint i;

  for (i = 0; i < cameras->len; i++) {
    const VhmCamera *camera = g_ptr_array_index (cameras, i);

    if (camera->state == VHM_CAMERA_HANGING)
      return TRUE;
  }
  return FALSE;
}

static void
on_compared (gpointer data, gdouble share)
{
  Monitor *monitor = data;
  const gboolean hanging = is_any_hanging (monitor->fleet);
  gchar *text;

  monitor->comparison = 0;
  if (!hanging && share >= LEAST_FRAMES) {
    g_message ("without the GPU %.0f %% of the frames come", 100 * share);
    return;
  }
  text = hanging ?
      g_strdup ("The program ends to be started again, with the GPU if it is "
      "well: cameras hang in what was lost.") :
      g_strdup_printf ("The program ends to be started again, with the GPU if "
      "it is well: the processors alone manage %.0f %% of the frames.",
      100 * share);
  vhm_fleet_notify (monitor->fleet, text);
  g_free (text);
  monitor->status = EXIT_RESTART;
  g_main_loop_quit (monitor->loop);
}

static void
on_gpu_lost (gpointer data, const gchar * why)
{
  Monitor *monitor = data;
  gchar *text = g_strdup_printf ("Cameras go on without the GPU: %s.", why);

  vhm_fleet_notify (monitor->fleet, text);
  g_free (text);
  monitor->comparison = vhm_frames_compare (monitor->fleet, on_compared,
      monitor);
  vhm_fleet_leave_gpu (monitor->fleet);
}

static gboolean
start (Monitor * monitor, GError ** error)
{
  gchar *learned;

  monitor->store = vhm_store_new (&monitor->settings->store, error);
  if (!monitor->store)
    return FALSE;
  learned = g_build_filename (monitor->settings->store.directory, "learned",
      NULL);
  monitor->fleet = vhm_fleet_new (monitor->store, learned, error);
  g_free (learned);
  if (!monitor->fleet)
    return FALSE;
  monitor->minutes = vhm_minutes_new (monitor->fleet);
  monitor->outputs = vhm_outputs_new (monitor->fleet);
  monitor->http = vhm_http_new (&monitor->settings->http,
      monitor->settings->store.directory, monitor->fleet, monitor->outputs,
      error);
  if (!monitor->http)
    return FALSE;
  monitor->reload = vhm_reload_new (reload, monitor);
  vhm_gpu_start (on_gpu_lost, monitor);
  set_outputs (monitor, monitor->settings);
  vhm_fleet_set_cameras (monitor->fleet, monitor->settings->cameras);
  return TRUE;
}

/* What of it is not saved has been reported. */
static void
say_stopped (const Monitor * monitor, gboolean saved)
{
  if (saved)
    g_message ("stopped: events, states and what was learned are saved in %s",
        monitor->settings->store.directory);
  else
    g_warning ("stopped: not everything could be saved in %s",
        monitor->settings->store.directory);
}

/* Returns FALSE if threads are left. */
static gboolean
stop (Monitor * monitor)
{
  const guint unsaved = vhm_run_count_unsaved ();
  gboolean all = vhm_gpu_stop (), stored = TRUE;

  if (monitor->comparison)
    g_source_remove (monitor->comparison);
  if (monitor->reload)
    vhm_reload_free (monitor->reload);
  /* The fleet tells its listeners of its end. */
  if (monitor->fleet)
    all &= vhm_fleet_free (monitor->fleet);
  if (monitor->http)
    vhm_http_free (monitor->http);
  if (monitor->outputs)
    all &= vhm_outputs_free (monitor->outputs);
  if (monitor->minutes)
    vhm_minutes_free (monitor->minutes);
  if (monitor->store)
    stored = vhm_store_free (monitor->store);
  if (monitor->loop)
    say_stopped (monitor, all && stored && vhm_run_count_unsaved () == unsaved);
  vhm_settings_free (monitor->settings);
  if (all)
    vhm_contexts_clear ();
  return all;
}

static gboolean
parse_arguments (int *argc, char ***argv, VhmArguments * arguments,
    Errand * errand)
{
  gboolean version = FALSE;
  const GOptionEntry entries[] = {
    {"config", 'c', 0, G_OPTION_ARG_FILENAME, &arguments->config,
        "Key file with cameras and all else", "FILE"},
    {"listen", 'l', 0, G_OPTION_ARG_STRING, &arguments->listen,
        "Where the pages are (default 127.0.0.1:8080)", "ADDRESS:PORT"},
    {"directory", 'd', 0, G_OPTION_ARG_FILENAME, &arguments->directory,
        "Folder of the database", "FOLDER"},
    {"check", 0, 0, G_OPTION_ARG_NONE, &errand->check,
        "Check the configuration and what it names, and exit", NULL},
    {"verbose", 0, 0, G_OPTION_ARG_NONE, &errand->verbose,
        "With --check: print the rules of each camera", NULL},
    {"reload", 0, 0, G_OPTION_ARG_INT, &errand->reload,
        "Have the process read its configuration again, and wait", "PID"},
    {"version", 0, 0, G_OPTION_ARG_NONE, &version, "Show the version", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
        &arguments->sources, NULL, "[[NAME=]SOURCE...]"},
    {NULL}
  };
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gboolean ok;

  g_option_context_set_summary (context, "Watches cameras: shows their "
      "pictures and states, and tells when one goes wrong.\n\n"
      "A SOURCE is a URI such as rtsp://192.0.2.1/stream, a device such as "
      "/dev/video0,\na file, test, or test:dark, test:freezing or "
      "test:flashing.");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, argc, argv, &error);
  if (!ok) {
    g_printerr ("%s: see videohistogram-monitor --help\n", error->message);
    g_error_free (error);
  } else if (version) {
    g_print ("videohistogram-monitor %s\n", PACKAGE_VERSION);
    exit (EXIT_SUCCESS);
  } else if (errand->verbose && !errand->check) {
    g_printerr ("--verbose needs --check\n");
    ok = FALSE;
  } else if (!arguments->config && !arguments->sources && !errand->reload) {
    g_printerr ("There is no camera: name one, such as rtsp://192.0.2.1/stream "
        "or test, or a key file with --config=FILE\n");
    ok = FALSE;
  }
  g_option_context_free (context);
  return ok;
}

/* Until a signal comes, or only another process can go on. Returns the exit
 * status. */
static int
run (Monitor * monitor)
{
  GError *error = NULL;

  if (start (monitor, &error)) {
    monitor->loop = g_main_loop_new (NULL, FALSE);
    g_unix_signal_add (SIGHUP, on_reload, monitor);
    g_unix_signal_add (SIGINT, on_sigint, monitor);
    g_unix_signal_add (SIGTERM, on_sigterm, monitor);
    say_ready (monitor, G_LOG_LEVEL_MESSAGE, "");
    g_main_loop_run (monitor->loop);
    vhm_service_stopping ();
  } else {
    g_printerr ("videohistogram-monitor: %s\n", error->message);
    g_error_free (error);
    monitor->status = EXIT_FAILURE;
  }
  /* What a thread that hangs still uses must not be taken from it. */
  if (!stop (monitor))
    _exit (monitor->status);
  g_clear_pointer (&monitor->loop, g_main_loop_unref);
  return monitor->status;
}

/* Whether the standard error is the journal, as systemd has it. */
static gboolean
is_journal (void)
{
  const gchar *journal = g_getenv ("JOURNAL_STREAM");
  struct stat s;
  gchar *own;
  gboolean is;

  if (!journal || fstat (STDERR_FILENO, &s))
    return FALSE;
  own = g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT,
      (guint64) s.st_dev, (guint64) s.st_ino);
  is = g_str_equal (own, journal);
  g_free (own);
  return is;
}

/* Returns the exit status. */
static int
ask_to_reload (gint pid)
{
  GError *error = NULL;
  gchar *why;

  if (vhm_reload_ask (pid, &why, &error))
    return EXIT_SUCCESS;
  /* The process has reported the faults to the journal itself. */
  if (why && is_journal ()) {
    g_printerr ("videohistogram-monitor: process %d did not read its "
        "configuration again\n", pid);
    g_free (why);
    return 2;
  }
  if (why) {
    g_printerr ("%s\nEverything stays as it was.\n", why);
    g_free (why);
    return 2;
  }
  g_printerr ("videohistogram-monitor: process %d: %s\n", pid,
      error->message);
  g_error_free (error);
  return EXIT_FAILURE;
}

/* The threads of cameras come and go. An arena for each processor, eight times,
 * as glibc has them, would be left in pieces by those that went. */
static void
limit_arenas (void)
{
#ifdef __GLIBC__
  mallopt (M_ARENA_MAX, 2);
#endif
}

/* Cameras and connections need more files than the usual 1024, which is for
 * programs that use select(). */
static void
raise_files (void)
{
  struct rlimit files;

  if (getrlimit (RLIMIT_NOFILE, &files))
    return;
  files.rlim_cur = MAX (files.rlim_cur, MIN (files.rlim_max, MOST_FILES));
  setrlimit (RLIMIT_NOFILE, &files);
}

/* What holds for all that the program does, set before anything is done. */
static void
set_up_process (void)
{
  limit_arenas ();
  raise_files ();
  /* A file that may not grow is an error of the one who writes it. */
  signal (SIGXFSZ, SIG_IGN);
  /* Databases, pictures and what was learned are for this user alone, and so
   * are the files that libraries make beside them. */
  umask (0077);
  g_setenv ("G_TLS_GNUTLS_PRIORITY", TLS_PRIORITY, FALSE);
}

int
main (int argc, char *argv[])
{
  Monitor monitor = { NULL };
  Errand errand = { FALSE };
  int status = 2;

  set_up_process ();
  setlocale (LC_ALL, "");
  if (parse_arguments (&argc, &argv, &monitor.arguments, &errand)) {
    if (errand.reload)
      status = ask_to_reload (errand.reload);
    else
      monitor.settings = read_settings (&monitor.arguments, NULL);
  }
  if (monitor.settings && errand.check) {
    gchar *text = vhm_check_describe (monitor.settings,
        name_file (&monitor.arguments), errand.verbose);

    g_print ("%s\n", text);
    g_free (text);
    vhm_settings_free (monitor.settings);
    status = EXIT_SUCCESS;
  } else if (monitor.settings)
    status = run (&monitor);
  g_free (monitor.arguments.config);
  g_free (monitor.arguments.listen);
  g_free (monitor.arguments.directory);
  g_strfreev (monitor.arguments.sources);
  return status;
}
