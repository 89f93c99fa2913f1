/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "configcheck.h"

#include "address.h"
#include "keylines.h"
#include "machinelimits.h"
#include "privatefile.h"
#include "thresholds.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define OURS "install gst-videohistogram, or set GST_PLUGIN_PATH to the " \
    "folder of its plugin"
#define CORE "install GStreamer's core elements"
#define BASE "install gst-plugins-base"
#define GOOD "install gst-plugins-good"

/* Elements that every camera needs. */
static const struct
{
  const gchar *name;
  const gchar *cure;
} elements[] = {
  {"videohealth", OURS},
  {"videohistogram", OURS},
  {"videoscope", OURS},
  {"queue", CORE},
  {"capsfilter", CORE},
  {"fakesink", CORE},
  {"appsrc", BASE},
  {"appsink", BASE},
  {"uridecodebin", BASE},
  {"videoconvert", BASE},
  {"videoscale", BASE},
  {"videotestsrc", BASE},
  {"jpegenc", GOOD},
};

static gboolean
has_element (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);
  const gboolean has = factory != NULL;

  gst_clear_object (&factory);
  return has;
}

/* Where a key is set, for errors. */
typedef struct
{
  const gchar *file;
  guint line;
} Place;

/* @group is the line of the group, or 0 for the command line. */
static Place
find_place (const VhmSettings * settings, const gchar * file, guint group,
    const gchar * key)
{
  const VhmKeyLine *line = vhm_key_lines_find (settings->lines, group, key);
  const Place place = { group ? file : VHM_COMMAND_LINE,
    line ? line->line : group
  };

  return place;
}

static void
check_protocol (const VhmSettings * settings, const VhmCameraSettings * camera,
    const gchar * key, const gchar * file, VhmProblems * problems)
{
  const gchar *uri = vhm_group_get_text (camera, key);
  const Place at = find_place (settings, file, camera->group.line, key);
  gchar *protocol;

  if (!uri || vhm_address_get_test_picture (uri))
    return;
  protocol = gst_uri_get_protocol (uri);
  if (!gst_uri_protocol_is_supported (GST_URI_SRC, protocol))
    vhm_problems_error (problems, at.file, at.line, "camera %s: GStreamer has "
        "no element for %s://: install a plugin that has one", camera->name,
        protocol);
  g_free (protocol);
}

/* Loads the files of an output as a connection does. */
static void
check_tls (const VhmSettings * settings, const VhmGroup * group,
    const gchar * file, VhmProblems * problems)
{
  const gchar *ca = vhm_group_get_text (group, "ca");
  const gchar *certificate = vhm_group_get_text (group, "certificate");
  const gchar *key = vhm_group_get_text (group, "key");
  gchar *header = vhm_group_make_header (group);
  const Place at_ca = find_place (settings, file, group->line, "ca");
  const Place at = find_place (settings, file, group->line, "certificate");
  GError *error = NULL;
  GTlsDatabase *database = ca ? g_tls_file_database_new (ca, &error) : NULL;
  GTlsCertificate *pair = NULL;

  if (error)
    vhm_problems_error (problems, at_ca.file, at_ca.line, "[%s] ca: %s: %s",
        header, ca, error->message);
  g_clear_error (&error);
  if (certificate && key)
    pair = g_tls_certificate_new_from_files (certificate, key, &error);
  if (error)
    vhm_problems_error (problems, at.file, at.line, "[%s] certificate %s "
        "with key %s: %s", header, certificate, key, error->message);
  g_clear_error (&error);
  g_clear_object (&pair);
  g_clear_object (&database);
  g_free (header);
}

static void
check_limits (const GPtrArray * cameras, const gchar * file,
    VhmProblems * problems)
{
  guint pictures = 0, i;

  for (i = 0; i < cameras->len; i++) {
    const VhmCameraSettings *camera = g_ptr_array_index (cameras, i);

    pictures += !camera->uri || vhm_address_get_test_picture (camera->uri);
  }
  vhm_machine_limits_check (cameras->len, pictures, file, problems);
}

/* Elements with the same cure are one problem. */
static void
check_elements (const gchar * file, VhmProblems * problems)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (elements);) {
    const gchar *cure = elements[i].cure;
    GString *missing = g_string_new (NULL);

    for (; i < G_N_ELEMENTS (elements) && g_str_equal (elements[i].cure, cure);
        i++)
      if (!has_element (elements[i].name))
        g_string_append_printf (missing, "%s%s", missing->len ? ", " : "",
            elements[i].name);
    if (missing->len)
      vhm_problems_error (problems, file, 0, "GStreamer has no element %s, "
          "which every camera needs: %s", missing->str, cure);
    g_string_free (missing, TRUE);
  }
}

void
vhm_config_check_needs (const VhmSettings * settings, const gchar * file,
    VhmProblems * problems)
{
  guint i;

  check_elements (file, problems);
  for (i = 0; i < settings->cameras->len; i++) {
    const VhmCameraSettings *camera = g_ptr_array_index (settings->cameras, i);

    check_protocol (settings, camera, "uri", file, problems);
    check_protocol (settings, camera, "substream", file, problems);
  }
  check_limits (settings->cameras, file, problems);
  for (i = 0; i < settings->outputs->len; i++)
    check_tls (settings, g_ptr_array_index (settings->outputs, i), file,
        problems);
}

/* Creates the folder with missing parents, and removes them again. Returns why
 * it cannot be used, to be freed, or NULL. Others may open the @parent of a
 * folder to create. */
static gchar *
try_folder (const gchar * path, gboolean parent)
{
  gchar *above, *why;

  if (g_mkdir (path, 0700) == 0) {
    g_rmdir (path);
    return NULL;
  }
  if (errno == EEXIST && !g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_strdup (g_strerror (ENOTDIR));
  if (errno == EEXIST && g_access (path, W_OK | X_OK))
    return g_strdup (g_strerror (errno));
  if (errno == EEXIST)
    return parent ? NULL : vhm_private_folder_check (path);
  if (errno != ENOENT)
    return g_strdup (g_strerror (errno));
  above = g_path_get_dirname (path);
  /* The parent exists, but cannot contain new folders, like /proc. */
  if (g_str_equal (above, path) || g_file_test (above, G_FILE_TEST_EXISTS))
    why = g_strdup (g_strerror (ENOENT));
  else
    why = try_folder (above, TRUE);
  g_free (above);
  return why;
}

void
vhm_config_check_folder (const VhmSettings * settings, const gchar * file,
    VhmProblems * problems)
{
  gchar *why = try_folder (settings->store->directory, FALSE);
  const Place at =
      find_place (settings, file, settings->store->group.line, "directory");

  if (why)
    vhm_problems_error (problems, at.file, at.line, "cannot use %s: %s: "
        "set another folder with directory=FOLDER in [store], or "
        "--directory=FOLDER", settings->store->directory, why);
  g_free (why);
}

static guint
count_conditions (GstVideoHealthConditions conditions)
{
  guint n = 0, i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    n += conditions >> i & 1;
  return n;
}

static void
add_conditions (GString * text, const GPtrArray * cameras)
{
  guint least = G_MAXUINT, most = 0, i;

  for (i = 0; i < cameras->len; i++) {
    const VhmCameraSettings *camera = g_ptr_array_index (cameras, i);
    const guint n = count_conditions (camera->conditions);

    least = MIN (least, n);
    most = MAX (most, n);
  }
  g_string_append_printf (text, "%u camera%s", cameras->len,
      cameras->len == 1 ? "" : "s");
  if (!cameras->len)
    return;
  if (least < most)
    g_string_append_printf (text, ", %u to", least);
  else
    g_string_append_c (text, ',');
  g_string_append_printf (text, " %u condition%s%s", most,
      most == 1 ? "" : "s", cameras->len == 1 ? "" : " each");
}

/* Appends the rules in a form that can be copied into a key file. */
static void
add_rules (GString * text, const VhmCameraSettings * camera)
{
  GstVideoHealth *health = gst_video_health_new ();
  VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS];
  gchar *source = vhm_address_describe (vhm_camera_settings_get_judged
      (camera));
  guint i;

  /* The rules have been validated before. */
  if (camera->rules)
    gst_video_health_set_rules (health, camera->rules, NULL);
  vhm_thresholds_read (health, thresholds);
  g_string_append_printf (text, "\ncamera %s: %s%s, decode %s, interval %g s, "
      "timeout %g s, rules:", camera->name, source,
      camera->substream ? " (sub-stream)" : "",
      vhm_decode_get_name (camera->decode), camera->interval,
      camera->timeout);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (camera->conditions >> i & 1)
      g_string_append_printf (text,
          "\n  %s,enter=%.15g,leave=%.15g,duration=%.15gs,hold=%.15gs",
          gst_video_health_condition_get_name (i), thresholds[i].enter,
          thresholds[i].leave, thresholds[i].duration / 1e6,
          thresholds[i].hold / 1e6);
  g_free (source);
  g_object_unref (health);
}

gchar *
vhm_config_check_describe (const VhmSettings * settings, const gchar * file,
    gboolean verbose)
{
  GString *text = g_string_new ("videohistogram-monitor: ");
  guint i;

  g_string_append_printf (text, "%s is valid: ", file);
  add_conditions (text, settings->cameras);
  g_string_append_printf (text, ", page at %s://%s:%u, database in %s",
      settings->http->certificate ? "https" : "http", settings->http->host,
      settings->http->port, settings->store->directory);
  for (i = 0; i < settings->outputs->len; i++) {
    const VhmGroup *group = g_ptr_array_index (settings->outputs, i);
    gchar *words = group->class->describe ? group->class->describe (group)
        : vhm_group_make_header (group);

    g_string_append_printf (text, ", %s", words);
    g_free (words);
  }
  for (i = 0; verbose && i < settings->cameras->len; i++)
    add_rules (text, g_ptr_array_index (settings->cameras, i));
  return g_string_free (text, FALSE);
}
