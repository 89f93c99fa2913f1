/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthfile.h"

#include <glib/gstdio.h>

/* How many invalid files are kept; further ones replace the last. */
#define MAX_ASIDE 9

/* How many symbolic links in a row to follow, as on Linux. */
#define MAX_LINKS 40

/* The state of one view has up to 136 KB, each of up to 15 others 109 KB. */
#define MAX_SIZE (1 << 22)

/* Numbers are stored in little-endian order. */
static GVariant *
swap_bytes (GVariant * state)
{
  GVariant *stored = g_variant_take_ref (state);

  if (G_BYTE_ORDER == G_BIG_ENDIAN) {
    stored = g_variant_byteswap (state);
    g_variant_unref (state);
  }
  return stored;
}

static gboolean
restore (GstVideoHealth * health, GBytes * bytes, GError ** error)
{
  GVariant *state;
  gboolean ok;

  if (g_bytes_get_size (bytes) > MAX_SIZE) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "it is too large for a saved state");
    return FALSE;
  }
  state = swap_bytes (g_variant_new_from_bytes (G_VARIANT_TYPE ("a{sv}"),
          bytes, FALSE));
  ok = g_variant_is_normal_form (state);
  if (ok)
    ok = gst_video_health_restore (health, state, error);
  else
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "it is not a saved state, or is truncated");
  g_variant_unref (state);
  return ok;
}

/* Returns a name for an invalid file: an unused one, as long as there are fewer
 * than MAX_ASIDE. */
static gchar *
find_aside (const gchar * path)
{
  gchar *aside = g_strconcat (path, ".bad", NULL);
  guint i;

  for (i = 2; i <= MAX_ASIDE && g_file_test (aside, G_FILE_TEST_EXISTS); i++) {
    g_free (aside);
    aside = g_strdup_printf ("%s.bad%u", path, i);
  }
  return aside;
}

static gboolean
set_aside (const gchar * path, GError ** error)
{
  gchar *aside = find_aside (path);
  const gboolean ok = g_rename (path, aside) == 0;

  if (ok)
    g_prefix_error (error, "unusable file, renamed to %s: ", aside);
  else
    g_prefix_error (error, "unusable file, cannot be renamed to %s: ", aside);
  g_free (aside);
  return ok;
}

/* Whether a file that does not exist yet can be created later. */
static gboolean
can_be_made (const gchar * path, GError ** error)
{
  gchar *folder = g_path_get_dirname (path);
  gboolean ok = g_file_test (folder, G_FILE_TEST_IS_DIR);

  if (!ok)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "there is no folder %s: create it, or nothing can be saved", folder);
  g_free (folder);
  return ok;
}

/* Follows the symbolic links at @path, if any. Returns the final path, which
 * need not exist, or NULL with an error if there are too many links. */
static gchar *
follow_links (const gchar * path, GError ** error)
{
  gchar *followed = g_strdup (path);
  guint i;

  for (i = 0; i < MAX_LINKS; i++) {
    gchar *target = g_file_read_link (followed, NULL);

    if (!target)
      return followed;
    if (!g_path_is_absolute (target)) {
      gchar *folder = g_path_get_dirname (followed);
      gchar *relative = target;

      target = g_build_filename (folder, relative, NULL);
      g_free (folder);
      g_free (relative);
    }
    g_free (followed);
    followed = target;
  }
  g_free (followed);
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
      "more than %u symbolic links in a row", MAX_LINKS);
  return NULL;
}

static gboolean
is_no_file (const gchar * path, GError ** error)
{
  if (!g_file_test (path, G_FILE_TEST_EXISTS)
      || g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
      "it is not a regular file");
  return TRUE;
}

static VhHealthFile
load (GstVideoHealth * health, const gchar * path, GError ** error)
{
  GMappedFile *file;
  GBytes *bytes;
  gboolean ok;

  if (is_no_file (path, error))
    return VH_HEALTH_FILE_LEFT;
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    can_be_made (path, error);
    return VH_HEALTH_FILE_NONE;
  }
  file = g_mapped_file_new (path, FALSE, error);
  if (!file)
    return VH_HEALTH_FILE_LEFT;
  bytes = g_mapped_file_get_bytes (file);
  ok = restore (health, bytes, error);
  g_bytes_unref (bytes);
  g_mapped_file_unref (file);
  if (ok)
    return VH_HEALTH_FILE_RESTORED;
  return set_aside (path, error) ? VH_HEALTH_FILE_NONE : VH_HEALTH_FILE_LEFT;
}

VhHealthFile
vh_health_file_load (GstVideoHealth * health, const gchar * path,
    GError ** error)
{
  gchar *followed = follow_links (path, error);
  VhHealthFile result = VH_HEALTH_FILE_LEFT;

  if (followed)
    result = load (health, followed, error);
  g_free (followed);
  return result;
}

gboolean
vh_health_file_save (GstVideoHealth * health, const gchar * path,
    GError ** error)
{
  gchar *followed = follow_links (path, error);
  gboolean ok = FALSE;
  GVariant *state;

  if (followed && !is_no_file (followed, error)) {
    state = swap_bytes (gst_video_health_save (health));
    ok = g_file_set_contents (followed, g_variant_get_data (state),
        g_variant_get_size (state), error);
    g_variant_unref (state);
  }
  g_free (followed);
  return ok;
}
