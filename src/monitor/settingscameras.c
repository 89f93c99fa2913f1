/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settingscameras.h"

#include "address.h"
#include "event.h"
#include "rules.h"
#include "schedule.h"
#include "secretfile.h"

static gchar *
parse_uri (const VhmValue * value)
{
  if (((VhmGroup *) value->group)->class == &vhm_camera_group)
    return vhm_address_parse (value->text, value->reading->folder,
        value->field);
  if (!value->line->refused)
    vhm_problems_warn (value->reading->problems, value->reading->file,
        value->line->line, "[cameras] %s: ignored: set %s in [camera NAME] "
        "of each camera", value->key->name, value->key->name);
  return NULL;
}

/* Without a value, a camera is in no group, whatever [cameras] has. */
static gchar *
parse_group (const VhmValue * value)
{
  if (*value->text && !vhm_name_is_allowed (value->text))
    return g_strdup_printf ("\"%s\" is not a valid group name: "
        VHM_NAME_RULE ", such as North gate", value->text);
  vhm_value_take (value, *value->text ? g_strdup (value->text) : NULL);
  return NULL;
}

static gchar *
parse_credentials (const VhmValue * value)
{
  VhmCameraSettings *camera = value->group;
  gchar *why = vhm_parse_credentials (value);

  if (!why) {
    g_free (camera->credentials);
    camera->credentials = g_canonicalize_filename (value->text,
        value->reading->folder);
  }
  return why;
}

/* The elements take it in ns, and refuse less than a millisecond. */
static gchar *
parse_interval (const VhmValue * value)
{
  gdouble *interval = value->field;
  const gdouble before = *interval;
  gchar *why = vhm_parse_number (value);

  if (!why && *interval > 0
      && *interval < (gdouble) GST_VIDEO_HISTOGRAM_MIN_TIME / GST_SECOND) {
    *interval = before;
    why = g_strdup_printf ("\"%s\" is less than a millisecond: set 0.001 s or "
        "more, or 0 for every frame", value->text);
  }
  return why;
}

/* Sets an enum, whose values have @names. */
static gchar *
parse_choice (const VhmValue * value, const gchar * const *names,
    const gchar * what_is_wrong)
{
  guint i;

  for (i = 0; names[i]; i++)
    if (g_str_equal (value->text, names[i])) {
      *(guint *) value->field = i;
      return NULL;
    }
  return g_strdup (what_is_wrong);
}

static gchar *
parse_transport (const VhmValue * value)
{
  static const gchar *const names[] = { "auto", "tcp", "udp", NULL };

  return parse_choice (value, names,
      "not a transport: set auto, tcp or udp");
}

const gchar *
vhm_camera_settings_get_judged (const VhmCameraSettings * camera)
{
  return camera->substream ? camera->substream : camera->uri;
}

static const gchar *const decode_names[] = { "all", "keyframes", "auto",
  NULL
};

const gchar *
vhm_decode_get_name (VhmDecode decode)
{
  return decode_names[decode];
}

static gchar *
parse_decode (const VhmValue * value)
{
  return parse_choice (value, decode_names, "must say which frames to "
      "decode: set all, keyframes or auto");
}

/* The error of GstVideoHealth for @text, or NULL if it is valid. */
static gchar *
ask_health (const gchar * text,
    gboolean (*set) (GstVideoHealth *, const gchar *, GError **))
{
  GstVideoHealth *health = gst_video_health_new ();
  GError *error = NULL;
  gchar *why = NULL;

  if (!set (health, text, &error)) {
    why = g_strdup (error->message);
    g_error_free (error);
  }
  g_object_unref (health);
  return why;
}

/* The lines of @text that are not in @others, or NULL. */
static gchar *
leave_out_lines (const gchar * text, const gchar * others)
{
  gchar **lines = g_strsplit (text, "\n", -1);
  gchar **known = g_strsplit (others, "\n", -1);
  GPtrArray *left = g_ptr_array_new ();
  gchar *result = NULL;
  guint i;

  for (i = 0; lines[i]; i++)
    if (!g_strv_contains ((const gchar * const *) known, lines[i]))
      g_ptr_array_add (left, lines[i]);
  g_ptr_array_add (left, NULL);
  if (left->len > 1)
    result = g_strjoinv ("\n", (gchar **) left->pdata);
  g_ptr_array_unref (left);
  g_strfreev (known);
  g_strfreev (lines);
  return result;
}

/* Rules of a camera refine those of [cameras], and must be valid together with
 * them: enter of one may go with leave of the other. Errors of [cameras] are
 * reported there only, not for each camera. */
static gchar *
refine_rules (VhmCameraSettings * camera, const gchar * text)
{
  gchar *before = ask_health (camera->rules, gst_video_health_set_rules);
  gchar *refined = vhm_rules_refine (camera->rules, text);
  gchar *all = ask_health (refined, gst_video_health_set_rules);
  gchar *why = all ? leave_out_lines (all, before ? before : "") : NULL;

  g_free (camera->rules);
  camera->rules = refined;
  g_free (all);
  g_free (before);
  return why;
}

static gchar *
parse_rules (const VhmValue * value)
{
  return refine_rules (value->group, value->text);
}

/* A sensitivity is a rule for all conditions. */
static gchar *
parse_sensitivity (const VhmValue * value)
{
  static const gchar *const names[] = { "low", "medium", "high", NULL };
  gchar *why = parse_choice (value, names,
      "not a sensitivity: set low, medium or high");
  gchar *rule;

  if (why)
    return why;
  rule = g_strconcat ("all,sensitivity=", value->text, NULL);
  why = refine_rules (value->group, rule);
  g_free (rule);
  return why;
}

static gchar *
parse_ignore (const VhmValue * value)
{
  gchar *why = ask_health (value->text, gst_video_health_set_ignored);

  if (!why)
    vhm_value_take (value, g_strdup (value->text));
  return why;
}

/* Without a value, nothing is quiet, whatever [cameras] has. */
static gchar *
parse_quiet (const VhmValue * value)
{
  gchar *why = NULL;
  VhmSchedule *schedule = *value->text ? vhm_schedule_new (value->text, &why)
      : NULL;

  if (!why)
    vhm_value_take (value, schedule ? g_strdup (value->text) : NULL);
  g_clear_pointer (&schedule, vhm_schedule_free);
  return why;
}

/* The conditions that @name stands for; 0 if the name is unknown. */
static GstVideoHealthConditions
find_conditions (const gchar * name)
{
  gint condition;

  if (g_str_equal (name, "all"))
    return GST_VIDEO_HEALTH_CONDITIONS_ALL;
  if (g_str_equal (name, "default"))
    return gst_video_health_get_default_conditions ();
  condition = vhm_condition_from_name (name);
  return condition >= 0 ? 1 << condition : 0;
}

/* Adds to @camera the conditions that @name stands for or, if @without is TRUE,
 * removes them from it. Returns FALSE if the name is unknown. */
static gboolean
change_conditions (VhmCameraSettings * camera, const gchar * name,
    gboolean without)
{
  const GstVideoHealthConditions found = find_conditions (name);

  if (without) {
    camera->conditions &= ~found;
    camera->named &= ~found;
  } else {
    camera->conditions |= found;
    if (vhm_condition_from_name (name) >= 0)
      camera->named |= found;
  }
  return found != 0;
}

/* Appends an error line to @text. */
static void
refuse_conditions (GString * text, const gchar * why)
{
  guint i;

  g_string_append_printf (text, "%s%s", text->len ? "\n" : "", why);
  g_string_append (text, ": set default, all, or some of");
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    g_string_append_printf (text, " %s",
        gst_video_health_condition_get_name (i));
  g_string_append (text, ", separated by ; (-NAME leaves one out, as in "
      "default;-moved)");
}

/* A list that starts with + or - changes the list of [cameras]. */
static gchar *
parse_conditions (const VhmValue * value)
{
  VhmCameraSettings *camera = value->group;
  VhmCameraSettings changed = *camera;
  gchar **names = g_regex_split_simple ("[;, \\t]+|(?<=[^;, \\t])\\+",
      value->text, 0, 0);
  GString *why = g_string_new (NULL);
  guint i;

  if (*value->text != '-' && *value->text != '+')
    changed.conditions = changed.named = 0;
  for (i = 0; names[i]; i++) {
    const gboolean has_sign = *names[i] == '-' || *names[i] == '+';
    gchar *unknown;

    if (!*names[i] || change_conditions (&changed, names[i] + has_sign,
            *names[i] == '-'))
      continue;
    unknown = vhm_condition_describe_unknown (names[i] + has_sign);
    refuse_conditions (why, unknown);
    g_free (unknown);
  }
  if (!why->len && !changed.conditions)
    refuse_conditions (why, "no condition is left");
  if (!why->len) {
    camera->conditions = changed.conditions;
    camera->named = changed.named;
  }
  g_strfreev (names);
  return g_string_free (why, !why->len);
}

static gboolean
is_refused (const VhmReading * reading, guint group, const gchar * key)
{
  const VhmKeyLine *found = vhm_key_lines_find (reading->lines, group, key);

  return found && g_hash_table_contains (reading->refused, found);
}

static gboolean
has_rule (const VhmCameraSettings * camera, const gchar * condition)
{
  gchar *pattern = g_strdup_printf ("(^|;)\\s*%s\\s*,", condition);
  const gboolean has = camera->rules
      && g_regex_match_simple (pattern, camera->rules, 0, 0);

  g_free (pattern);
  return has;
}

/* What leaves out frames, and what would leave out none, to be freed; or
 * NULL. */
static gchar *
describe_left_out (const VhmCameraSettings * camera)
{
  if (camera->decode == VHM_DECODE_KEY_FRAMES)
    return g_strdup ("decode=keyframes leaves out most of them: set "
        "decode=all and interval=0");
  return camera->interval > 0 ? g_strdup_printf ("interval=%g skips most of "
      "them: set interval=0", camera->interval) : NULL;
}

/* Removes the conditions that cannot be judged without every frame. That is
 * only a problem if the user named them, or set rules for them. */
static void
check_frames (const VhmReading * reading, VhmCameraSettings * camera)
{
  const guint line = camera->group.line;
  gchar *left_out;
  guint i;

  /* The interval is invalid, so it is not known what was meant. */
  if (is_refused (reading, line, "interval")
      || (!vhm_group_has (camera, reading, "interval")
          && is_refused (reading, reading->defaults, "interval")))
    return;
  left_out = describe_left_out (camera);
  for (i = 0; left_out && i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    const gchar *name = gst_video_health_condition_get_name (i);
    const guint condition = 1 << i;

    if (!(camera->conditions & condition & VHM_OF_EVERY_FRAME))
      continue;
    if (camera->named & condition)
      vhm_problems_error (reading->problems, reading->file, line,
          "camera %s: %s needs every frame, but %s, or remove %s from "
          "conditions", camera->name, name, left_out, name);
    else if (has_rule (camera, name))
      vhm_problems_warn (reading->problems, reading->file, line,
          "camera %s: the rule for %s has no effect: %s needs every frame, "
          "but %s", camera->name, name, name, left_out);
    if (camera->interval > 0)
      camera->conditions &= ~condition;
  }
  g_free (left_out);
}

static void
check_camera (const VhmReading * reading, gpointer group)
{
  VhmCameraSettings *camera = group;

  check_frames (reading, camera);
  if (camera->group.line && !vhm_group_has (camera, reading, "uri"))
    vhm_problems_error (reading->problems, reading->file, camera->group.line,
        "camera %s has no uri: add a line such as "
        "uri=rtsp://192.0.2.1/stream", camera->name);
}

static void
set_camera_defaults (gpointer group)
{
  VhmCameraSettings *camera = group;

  camera->transport = VHM_TRANSPORT_AUTO;
  camera->latency = 0.2;
  camera->timeout = 10;
  camera->interval = 0.2;
  camera->sensitivity = GST_VIDEO_HEALTH_SENSITIVITY_MEDIUM;
  camera->views = 1;
  camera->conditions = gst_video_health_get_default_conditions ();
}

#define AT(field) G_STRUCT_OFFSET (VhmCameraSettings, field)

static const VhmKey keys[] = {
  {NULL, NULL, VHM_TEXT, AT (name)},
  {"group", parse_group, VHM_TEXT, AT (group_name),.live = TRUE},
  {"uri", parse_uri, VHM_TEXT, AT (uri),.named = TRUE},
  {"substream", parse_uri, VHM_TEXT, AT (substream),.named = TRUE},
  {"credentials", parse_credentials, VHM_SECRET, AT (user)},
  {NULL, NULL, VHM_SECRET, AT (password)},
  {NULL, NULL, VHM_TEXT, AT (credentials),.live = TRUE},
  {"transport", parse_transport, VHM_WHOLE, AT (transport)},
  {"decode", parse_decode, VHM_WHOLE, AT (decode)},
  {"latency", vhm_parse_number, VHM_NUMBER, AT (latency), 0, 60},
  {"timeout", vhm_parse_number, VHM_NUMBER, AT (timeout), 1, 3600},
  {"interval", parse_interval, VHM_NUMBER, AT (interval), 0, 60},
  {"rules", parse_rules, VHM_TEXT, AT (rules)},
  {"sensitivity", parse_sensitivity, VHM_WHOLE, AT (sensitivity)},
  {"ignore", parse_ignore, VHM_TEXT, AT (ignore)},
  {"views", vhm_parse_whole, VHM_WHOLE, AT (views), 1,
      GST_VIDEO_HEALTH_MAX_VIEWS},
  {"quiet", parse_quiet, VHM_TEXT, AT (quiet),.live = TRUE},
  {"conditions", parse_conditions, VHM_WHOLE, AT (conditions)},
  {NULL}
};

const VhmGroupClass vhm_cameras_group = {
  .name = "cameras",
  .size = sizeof (VhmCameraSettings),
  .keys = keys,
  .set_defaults = set_camera_defaults,
};

const VhmGroupClass vhm_camera_group = {
  .name = "camera",
  .size = sizeof (VhmCameraSettings),
  .keys = keys,
  .name_offset = AT (name),
  .check = check_camera,
};

VhmCameraSettings *
vhm_camera_settings_read_credentials (const VhmCameraSettings * camera)
{
  VhmCameraSettings *again = NULL;
  gchar *secret = NULL, *user = NULL, *password = NULL, *why = NULL;

  if (camera->credentials)
    secret = vhm_secret_file_read (camera->credentials, &why);
  if (secret && vhm_secret_divide (secret, &user, &password)
      && !(g_str_equal (user, camera->user)
          && g_str_equal (password, camera->password))) {
    again = vhm_group_copy (camera->group.class, camera);
    vhm_secret_free (again->user);
    vhm_secret_free (again->password);
    again->user = g_steal_pointer (&user);
    again->password = g_steal_pointer (&password);
  }
  vhm_secret_free (password);
  vhm_secret_free (user);
  vhm_secret_free (secret);
  g_free (why);
  return again;
}
