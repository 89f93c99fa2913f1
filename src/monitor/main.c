/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* videohistogram-monitor: watches cameras. The path of an event:
 *
 *   attempt.c      a pipeline reports that a condition has changed
 *   camera.c       makes it an event of this camera, unless it is known already
 *   fleet.c        passes it to the store, and then to the listeners
 *   store.c        commits it and gives it a number
 *   eventstream.c  sends it to browsers, as other listeners send it elsewhere
 *   delivery.c     hands it to outputs that must not miss any event
 */
#include "config.h"

#include "configcheck.h"
#include "cudacontext.h"
#include "fleet.h"
#include "loadcontrol.h"
#include "gpucomparison.h"
#include "gpu.h"
#include "gpureturn.h"
#include "http.h"
#include "httpanswers.h"
#include "learning.h"
#include "minuterecorder.h"
#include "outputs.h"
#include "place.h"
#include "probe.h"
#include "reload.h"
#include "service.h"
#include "settings.h"
#include "threads.h"

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

/* EX_TEMPFAIL: this process cannot recover, but a new one can. */
#define EXIT_RESTART 75

/* Share of their frames that cameras must still deliver without the GPU. */
#define MIN_FRAMES_SHARE 0.9

/* Limit of open files, if the system allows as many. */
#define MAX_OPEN_FILES 65536

/* TLS 1.2 or newer. */
#define TLS_PRIORITY "NORMAL:%COMPAT:-VERS-TLS1.0:-VERS-TLS1.1"

typedef struct
{
  GMainLoop *loop;
  int status;                   /* exit status */
  VhmArguments arguments;
  VhmSettings *settings;
  VhmStore *store;
  VhmFleet *fleet;
  VhmLoadControl *load_control;
  VhmGpuReturn *gpu_return;
  VhmMinuteRecorder *recorder;
  VhmOutputs *outputs;
  VhmHttp *http;
  VhmReload *reload;
  guint comparison;             /* GSource id, or 0 */
} Monitor;

/* What to do instead of watching cameras. */
typedef struct
{
  gboolean check, verbose;      /* check the configuration */
  gint reload;                  /* process that has to reload; or 0 */
} Errand;

static const gchar *
name_file (const VhmArguments * arguments)
{
  return arguments->config ? arguments->config : "command line";
}

/* Adds all problems. Returns NULL if there is an error. */
static VhmSettings *
read_settings (const VhmArguments * arguments, VhmProblems * problems)
{
  const gchar *file = name_file (arguments);
  VhmSettings *settings = vhm_settings_read (arguments,
      vhm_output_groups, problems);

  vhm_config_check_needs (settings, file, problems);
  vhm_config_check_folder (settings, file, problems);
  if (problems->errors)
    g_clear_pointer (&settings, vhm_settings_free);
  return settings;
}

/* Logs what is watched, after the prefix @what, which may be "", and reports it
 * to the service manager. */
static void
say_ready (Monitor * monitor, GLogLevelFlags level, const gchar * what)
{
  gchar *address = vhm_http_get_address (monitor->http);
  const guint n = vhm_fleet_get_cameras (monitor->fleet)->len;
  gchar *status = g_strdup_printf ("watching %u camera%s, page at %s", n,
      n == 1 ? "" : "s", address);

  g_log (G_LOG_DOMAIN, level, "%s%s", what, status);
  vhm_service_ready (status);
  g_free (status);
  g_free (address);
}

/* The page keeps its address: changes of [http] need a restart. */
static void
set_outputs (Monitor * monitor, const VhmSettings * settings)
{
  gchar *page = vhm_http_get_page (monitor->http);

  vhm_outputs_set (monitor->outputs, settings->outputs, page);
  g_free (page);
}

/* Keeps everything as it is, and returns FALSE, if the configuration has an
 * error. Sets @text to the problems, to be freed. */
static gboolean
reload (gpointer data, gchar ** text)
{
  Monitor *monitor = data;
  VhmProblems *problems = vhm_problems_new ();
  VhmSettings *settings;
  gboolean ok;

  vhm_service_reloading ();
  settings = read_settings (&monitor->arguments, problems);
  ok = settings != NULL;
  if (ok && (!vhm_group_equal (settings->http, monitor->settings->http)
          || !vhm_group_equal (settings->store, monitor->settings->store)))
    vhm_problems_warn (problems, name_file (&monitor->arguments), 0,
        "changes to [http] and [store] take effect after a restart");
  vhm_problems_print (problems);
  if (ok) {
    vhm_fleet_set_cameras (monitor->fleet, settings->cameras);
    set_outputs (monitor, settings);
    g_ptr_array_unref (monitor->settings->cameras);
    monitor->settings->cameras = g_ptr_array_ref (settings->cameras);
    vhm_settings_free (settings);
  }
  vhm_notices_set_errors (vhm_fleet_get_notices (monitor->fleet),
      problems->errors);
  *text = vhm_problems_describe (problems);
  vhm_problems_free (problems);
  if (!ok)
    say_ready (monitor, G_LOG_LEVEL_WARNING, "key file not reloaded "
        "because of the errors above: still ");
  else
    say_ready (monitor, G_LOG_LEVEL_MESSAGE, "key file reloaded: ");
  return ok;
}

/* SIGHUP. */
static gboolean
on_reload (gpointer data)
{
  gchar *text;

  reload (data, &text);
  g_free (text);
  return G_SOURCE_CONTINUE;
}

static void
quit (Monitor * monitor, const gchar * signal)
{
  /* Several signals may arrive before the loop ends. */
  if (g_main_loop_is_running (monitor->loop))
    g_message ("received %s, stopping", signal);
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
  if (!hanging && share >= MIN_FRAMES_SHARE) {
    g_message ("without the GPU, cameras deliver %.0f %% of their frames",
        100 * share);
    return;
  }
  text = hanging ?
      g_strdup ("Exiting so that the service manager restarts the program, "
      "with the GPU if it works again: cameras are stuck waiting for the lost "
      "GPU.") :
      g_strdup_printf ("Exiting so that the service manager restarts the "
      "program, with the GPU if it works again: the CPU alone manages only "
      "%.0f %% of the frames.", 100 * share);
  vhm_notices_add_of_gpu (vhm_fleet_get_notices (monitor->fleet), text);
  g_free (text);
  monitor->status = EXIT_RESTART;
  g_main_loop_quit (monitor->loop);
}

static void
on_gpu_lost (gpointer data, const gchar * why)
{
  Monitor *monitor = data;
  gchar *text = g_strdup_printf ("GPU lost; cameras continue on the CPU: %s.",
      why);

  vhm_notices_add_of_gpu (vhm_fleet_get_notices (monitor->fleet), text);
  g_free (text);
  monitor->comparison = vhm_gpu_comparison_start (monitor->fleet, on_compared,
      monitor);
  vhm_fleet_leave_gpu (monitor->fleet);
}

static void
set_configuration (Monitor * monitor)
{
  gchar *file = monitor->arguments.config ?
      g_canonicalize_filename (monitor->arguments.config, NULL) : g_strdup ("");
  gchar *valid = g_utf8_make_valid (file, -1);
  gchar *command = vhm_service_describe_reload ();

  vhm_http_set_configuration (monitor->http, valid, command);
  g_free (command);
  g_free (valid);
  g_free (file);
}

static gboolean
start (Monitor * monitor, GError ** error)
{
  gchar *learned;

  monitor->store = vhm_store_new (monitor->settings->store, error);
  if (!monitor->store)
    return FALSE;
  learned = g_build_filename (monitor->settings->store->directory, "learned",
      NULL);
  monitor->fleet = vhm_fleet_new (monitor->store, learned, error);
  g_free (learned);
  if (!monitor->fleet)
    return FALSE;
  monitor->load_control = vhm_load_control_new (monitor->fleet);
  monitor->gpu_return = vhm_gpu_return_new (monitor->fleet);
  monitor->recorder = vhm_minute_recorder_new (monitor->fleet);
  monitor->outputs = vhm_outputs_new (monitor->fleet);
  monitor->http = vhm_http_new (monitor->settings->http,
      monitor->settings->store->directory, monitor->fleet, monitor->outputs,
      error);
  if (!monitor->http)
    return FALSE;
  set_configuration (monitor);
  monitor->reload = vhm_reload_new (reload, monitor);
  vhm_gpu_start (on_gpu_lost, monitor);
  set_outputs (monitor, monitor->settings);
  vhm_fleet_set_cameras (monitor->fleet, monitor->settings->cameras);
  return TRUE;
}

/* Whether what cameras have learned is saved; a thread that is stuck may have
 * saved it before. @failed: how many had failed before. */
static gboolean
check_learned (guint failed)
{
  const guint n = vhm_learning_count_unsaved ();

  if (n)
    g_warning ("%u camera%s did not stop: what was learned in the last minutes "
        "is not saved", n, n == 1 ? "" : "s");
  return !n && vhm_learning_count_failed () == failed;
}

/* What could not be saved has been logged before. */
static void
say_stopped (const Monitor * monitor, gboolean saved)
{
  if (saved)
    g_message ("stopped: events, states and learned references are saved in %s",
        monitor->settings->store->directory);
  else
    g_warning ("stopped: could not save everything in %s, see the warnings "
        "above", monitor->settings->store->directory);
}

/* Returns FALSE if threads are still running. */
static gboolean
stop (Monitor * monitor)
{
  const guint failed = vhm_learning_count_failed ();
  gboolean all = vhm_gpu_stop (), stored = TRUE;

  if (monitor->comparison)
    g_source_remove (monitor->comparison);
  if (monitor->reload)
    vhm_reload_free (monitor->reload);
  if (monitor->outputs)
    all &= vhm_outputs_free (monitor->outputs);
  if (monitor->load_control)
    vhm_load_control_free (monitor->load_control);
  if (monitor->gpu_return)
    vhm_gpu_return_free (monitor->gpu_return);
  /* The fleet still calls its listeners when it ends. */
  if (monitor->fleet)
    all &= vhm_fleet_free (monitor->fleet);
  if (monitor->http)
    vhm_http_free (monitor->http);
  if (monitor->recorder)
    vhm_minute_recorder_free (monitor->recorder);
  if (monitor->store)
    stored = vhm_store_free (monitor->store);
  if (monitor->loop)
    say_stopped (monitor, check_learned (failed) && stored);
  vhm_settings_free (monitor->settings);
  if (all)
    vhm_cuda_context_clear ();
  return all;
}

static gboolean
parse_arguments (int *argc, char ***argv, VhmArguments * arguments,
    Errand * errand)
{
  gboolean version = FALSE;
  const GOptionEntry entries[] = {
    {"config", 'c', 0, G_OPTION_ARG_FILENAME, &arguments->config,
        "Read cameras and all settings from the key file FILE", "FILE"},
    {"listen", 'l', 0, G_OPTION_ARG_STRING, &arguments->listen,
        "Listen for browsers here (default 127.0.0.1:8080)", "ADDRESS:PORT"},
    {"directory", 'd', 0, G_OPTION_ARG_FILENAME, &arguments->directory,
        "Keep the database in FOLDER", "FOLDER"},
    {"check", 0, 0, G_OPTION_ARG_NONE, &errand->check,
        "Check the configuration and the files it names, then exit", NULL},
    {"verbose", 0, 0, G_OPTION_ARG_NONE, &errand->verbose,
        "With --check: also print the rules of each camera", NULL},
    {"reload", 0, 0, G_OPTION_ARG_INT, &errand->reload,
          "Make process PID reload its configuration, and wait for the result",
        "PID"},
    {"version", 0, 0, G_OPTION_ARG_NONE, &version, "Print the version", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
        &arguments->sources, NULL, "[[NAME=]SOURCE...]"},
    {NULL}
  };
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gboolean ok;

  g_option_context_set_summary (context, "Watches cameras, shows them on a "
      "web page, and reports when a picture goes\ndark, freezes, is covered or "
      "is lost.\n\n"
      "A SOURCE is a URI such as rtsp://192.0.2.1/stream, a device such as "
      "/dev/video0,\na file, or a test picture: test, test:dark, test:freezing "
      "or test:flashing.\nWithout a NAME, cameras are called camera1, camera2 "
      "and so on.\n\n"
      "To try a camera first: videohistogram-monitor probe SOURCE");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, argc, argv, &error);
  if (!ok) {
    g_printerr ("videohistogram-monitor: %s (see --help)\n", error->message);
    g_error_free (error);
  } else if (version) {
    g_print ("videohistogram-monitor %s\n", PACKAGE_VERSION);
    exit (EXIT_SUCCESS);
  } else if (errand->verbose && !errand->check) {
    g_printerr ("videohistogram-monitor: --verbose only works with --check\n");
    ok = FALSE;
  } else if (!arguments->config && !arguments->sources && !errand->reload) {
    g_printerr ("videohistogram-monitor: no cameras: name one, such as "
        "rtsp://192.0.2.1/stream or test, or a key file with --config=FILE\n");
    ok = FALSE;
  }
  g_option_context_free (context);
  return ok;
}

/* Runs until a signal, or until only a new process can recover. Returns the
 * exit status. */
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
  /* A stuck thread may still use what exit() would tear down. */
  if (!stop (monitor))
    _exit (monitor->status);
  g_clear_pointer (&monitor->loop, g_main_loop_unref);
  return monitor->status;
}

/* Whether standard error goes to systemd's journal. */
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
  gchar *problems;
  const gboolean done = vhm_reload_ask (pid, &problems, &error);
  /* The process has logged the problems to the journal itself. */
  const gboolean logged = is_journal ();

  if (!problems) {
    g_printerr ("videohistogram-monitor: process %d: %s\n", pid,
        error->message);
    g_error_free (error);
    return EXIT_FAILURE;
  }
  if (*problems && !logged)
    g_printerr ("%s\n", problems);
  if (!done)
    g_printerr ("videohistogram-monitor: process %d did not reload its "
        "configuration%s\n", pid, logged ? ", which has errors" :
        " because of these errors");
  g_free (problems);
  return done ? EXIT_SUCCESS : 2;
}

/* Threads of cameras come and go. With glibc's default of eight arenas per
 * processor, ended threads would leave all of them fragmented; with fewer than
 * processors, threads wait for each other. */
static void
limit_arenas (void)
{
#ifdef __GLIBC__
  mallopt (M_ARENA_MAX, MAX (2, g_get_num_processors ()));
#endif
}

/* Cameras and connections need more files than the usual limit of 1024, which
 * protects programs that use select(). */
static void
raise_files (void)
{
  struct rlimit files;

  if (getrlimit (RLIMIT_NOFILE, &files))
    return;
  files.rlim_cur = MAX (files.rlim_cur, MIN (files.rlim_max, MAX_OPEN_FILES));
  setrlimit (RLIMIT_NOFILE, &files);
}

/* Settings of the whole process, before anything else. */
static void
set_up_process (void)
{
  limit_arenas ();
  vhm_threads_start ();
  vhm_place_start ();
  vhm_http_answers_start ();
  raise_files ();
  /* A write beyond the file size limit fails instead of ending the process. */
  signal (SIGXFSZ, SIG_IGN);
  /* Databases, pictures and learned references are private to this user, as are
   * the files that libraries create beside them. */
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
  if (argc > 1 && g_str_equal (argv[1], VHM_PROBE))
    return vhm_probe_run (argc - 1, argv + 1);
  if (parse_arguments (&argc, &argv, &monitor.arguments, &errand)) {
    if (errand.reload)
      status = ask_to_reload (errand.reload);
    else {
      VhmProblems *problems = vhm_problems_new ();

      monitor.settings = read_settings (&monitor.arguments, problems);
      vhm_problems_print (problems);
      vhm_problems_free (problems);
    }
  }
  if (monitor.settings && errand.check) {
    gchar *text = vhm_config_check_describe (monitor.settings,
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
