/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "healthfile.h"

#include <glib/gstdio.h>

/* Files that are kept aside; the last one is replaced. */
#define MAX_ASIDE 9

/* A state is up to about 100 KiB. */
#define MAX_SIZE (1 << 20)

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
        "it is larger than any saved state");
    return FALSE;
  }
  state = swap_bytes (g_variant_new_from_bytes (G_VARIANT_TYPE ("a{sv}"),
          bytes, FALSE));
  ok = g_variant_is_normal_form (state);
  if (ok)
    ok = gst_video_health_restore (health, state, error);
  else
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "it is no saved state, or was cut off");
  g_variant_unref (state);
  return ok;
}

/* A name that no file has, as long as there are not too many. */
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

static void
set_aside (const gchar * path, GError ** error)
{
  gchar *aside = find_aside (path);

  if (g_rename (path, aside) == 0)
    g_prefix_error (error, "it is now %s: ", aside);
  g_free (aside);
}

/* Of a file that is not there yet. */
static gboolean
can_be_made (const gchar * path, GError ** error)
{
  gchar *folder = g_path_get_dirname (path);
  gboolean ok = g_file_test (folder, G_FILE_TEST_IS_DIR);

  if (!ok)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "there is no folder %s to save it in later", folder);
  g_free (folder);
  return ok;
}

gboolean
vh_health_file_load (GstVideoHealth * health, const gchar * path,
    GError ** error)
{
  GMappedFile *file;
  GBytes *bytes;
  gboolean ok;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return can_be_made (path, error);
  file = g_mapped_file_new (path, FALSE, error);
  if (!file)
    return FALSE;
  bytes = g_mapped_file_get_bytes (file);
  ok = restore (health, bytes, error);
  g_bytes_unref (bytes);
  g_mapped_file_unref (file);
  if (!ok)
    set_aside (path, error);
  return ok;
}

gboolean
vh_health_file_save (GstVideoHealth * health, const gchar * path,
    GError ** error)
{
  GVariant *state = swap_bytes (gst_video_health_save (health));
  gboolean ok = g_file_set_contents (path, g_variant_get_data (state),
      g_variant_get_size (state), error);

  g_variant_unref (state);
  return ok;
}
