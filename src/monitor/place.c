/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "place.h"

#include "playlist.h"

#include <stdatomic.h>
#include <string.h>

/* For how long an error may follow what it is about, µs. */
#define MAX_ERROR_DELAY G_TIME_SPAN_SECOND

#define DOWNLOAD "vhm-download"
#define ALLOWED "vhm-allowed"

typedef gboolean (*SetUri) (GstURIHandler * handler, const gchar * uri,
    GError ** error);

/* What was refused to a thread that fetches for a camera. */
typedef struct
{
  _Atomic gint64 time;          /* monotonic µs; or 0 */
  atomic_int why;               /* VhmIntakeError */
} Refusal;

/* An element that fetches over HTTP. */
typedef struct
{
  Refusal *refusal;             /* of the thread that waits for it */
  VhmPlaylist playlist;         /* what has come; its streaming thread only,
                                 * while it fetches */
} Download;

static void
refusal_unref (gpointer refusal)
{
  g_atomic_rc_box_release (refusal);
}

static GPrivate own_refusal = G_PRIVATE_INIT (refusal_unref);

static GMutex lock;
static GHashTable *set_uris;    /* GType -> SetUri */
static GHashTable *allowed;     /* gchar * -> number of sources */

/* Refusals */

static Refusal *
get_refusal (void)
{
  Refusal *refusal = g_private_get (&own_refusal);

  if (!refusal) {
    refusal = g_atomic_rc_box_new0 (Refusal);
    g_private_set (&own_refusal, refusal);
  }
  return refusal;
}

static void
note_refusal (Refusal * refusal, VhmIntakeError why)
{
  atomic_store (&refusal->why, why);
  atomic_store (&refusal->time, g_get_monotonic_time ());
}

void
vhm_place_fail (GstElement * source, VhmIntakeError code)
{
  if (code == VHM_INTAKE_ERROR_PLACE)
    vhm_intake_fail (source, VHM_INTAKE_ERROR_PLACE, "its playlist names what "
        "is not at an address of http or https, and is not opened");
  else if (code == VHM_INTAKE_ERROR_ALTERNATIVES)
    vhm_intake_fail (source, VHM_INTAKE_ERROR_ALTERNATIVES, "its playlist "
        "names more than %d streams", VHM_MAX_PLAYLIST_STREAMS);
  else
    vhm_intake_fail (source, VHM_INTAKE_ERROR_PLAYLIST, "its playlist, or "
        "another file that it needs, has more than %d MB",
        VHM_MAX_PLAYLIST_BYTES / 1000000);
}

void
vhm_place_explain (GstMessage * message)
{
  Refusal *refusal = g_private_get (&own_refusal);
  const gint64 time = refusal ? atomic_exchange (&refusal->time, 0) : 0;

  if (!time || g_get_monotonic_time () - time > MAX_ERROR_DELAY
      || !GST_IS_ELEMENT (GST_MESSAGE_SRC (message)))
    return;
  vhm_place_fail (GST_ELEMENT (GST_MESSAGE_SRC (message)),
      atomic_load (&refusal->why));
}

/* Addresses */

/* Whether @uri is a file in the folder of the file @base, or below it. */
static gboolean
is_beside (const gchar * uri, const gchar * base)
{
  gchar *path = g_filename_from_uri (uri, NULL, NULL);
  gchar *other = g_filename_from_uri (base, NULL, NULL);
  gchar *folder = other ? g_path_get_dirname (other) : NULL;
  gchar *prefix = folder ? g_strconcat (folder, "/", NULL) : NULL;
  gchar *whole = path ? g_canonicalize_filename (path, "/") : NULL;
  const gboolean is = prefix && whole && g_str_has_prefix (whole, prefix);

  g_free (whole);
  g_free (prefix);
  g_free (folder);
  g_free (other);
  g_free (path);
  return is;
}

static gboolean
is_allowed (const gchar * uri)
{
  GHashTableIter i;
  gpointer key;
  gboolean is;

  g_mutex_lock (&lock);
  is = allowed && g_hash_table_contains (allowed, uri);
  if (!is && allowed && g_str_has_prefix (uri, "file:")) {
    g_hash_table_iter_init (&i, allowed);
    while (!is && g_hash_table_iter_next (&i, &key, NULL))
      is = is_beside (uri, key);
  }
  g_mutex_unlock (&lock);
  return is;
}

static gboolean
may_open (const gchar * uri)
{
  static const gchar *const schemes[] = { "http", "https", "udp" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (gst_uri_has_protocol (uri, schemes[i]))
      return TRUE;
  return is_allowed (uri);
}

/* As elements get it, with its scheme in lower case. To be freed. */
static gchar *
normalize (const gchar * uri)
{
  gchar *scheme = gst_uri_get_protocol (uri);
  gchar *normal = scheme ? g_strconcat (scheme, strchr (uri, ':'), NULL)
      : g_strdup (uri);

  g_free (scheme);
  return normal;
}

static void
disallow (gpointer uri)
{
  guint n;

  g_mutex_lock (&lock);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (allowed, uri));
  if (n > 1)
    g_hash_table_insert (allowed, g_strdup (uri), GUINT_TO_POINTER (n - 1));
  else
    g_hash_table_remove (allowed, uri);
  g_mutex_unlock (&lock);
  g_free (uri);
}

void
vhm_place_allow (GObject * source, const gchar * uri)
{
  gchar *normal = normalize (uri);
  guint n;

  g_mutex_lock (&lock);
  if (!allowed)
    allowed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (allowed, normal));
  g_hash_table_insert (allowed, g_strdup (normal), GUINT_TO_POINTER (n + 1));
  g_mutex_unlock (&lock);
  g_object_set_data_full (source, ALLOWED, normal, disallow);
}

/* Downloads */

static void
download_free (gpointer data)
{
  Download *download = data;

  refusal_unref (download->refusal);
  g_free (download);
}

/* The elements of a pipeline are watched by intake.c. Adaptive demuxers fetch
 * playlists and keys with elements that are in no pipeline, and keep what comes
 * until it is complete. */
static GstPadProbeReturn
on_data (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstElement *element = GST_ELEMENT (GST_OBJECT_PARENT (pad));
  Download *download = data;
  VhmIntakeError why;

  if (GST_OBJECT_PARENT (element))
    return GST_PAD_PROBE_REMOVE;
  if (vhm_playlist_read (&download->playlist, GST_PAD_PROBE_INFO_BUFFER (info),
          &why))
    return GST_PAD_PROBE_OK;
  note_refusal (download->refusal, why);
  vhm_place_fail (element, why);
  return GST_PAD_PROBE_DROP;
}

static void
watch_download (GstElement * element)
{
  Download *download = g_object_get_data (G_OBJECT (element), DOWNLOAD);
  GstPad *pad;

  if (download) {
    download->playlist = (VhmPlaylist) { 0 };
    return;
  }
  pad = gst_element_get_static_pad (element, "src");
  if (!pad)
    return;
  download = g_new0 (Download, 1);
  download->refusal = g_atomic_rc_box_acquire (get_refusal ());
  g_object_set_data_full (G_OBJECT (element), DOWNLOAD, download,
      download_free);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_data, download, NULL);
  gst_object_unref (pad);
}

/* Elements that open addresses */

/* What the class of @handler does with an address. */
static SetUri
find_set_uri (GstURIHandler * handler)
{
  GType type = G_TYPE_FROM_INSTANCE (handler);
  SetUri found = NULL;

  g_mutex_lock (&lock);
  for (; type && !found; type = g_type_parent (type))
    found = g_hash_table_lookup (set_uris, GSIZE_TO_POINTER (type));
  g_mutex_unlock (&lock);
  return found;
}

static gboolean
set_uri (GstURIHandler * handler, const gchar * uri, GError ** error)
{
  const SetUri set = find_set_uri (handler);

  if (!may_open (uri)) {
    note_refusal (get_refusal (), VHM_INTAKE_ERROR_PLACE);
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_UNSUPPORTED_PROTOCOL,
        "not opened, since no user has named it");
    return FALSE;
  }
  if (GST_IS_ELEMENT (handler) && !GST_OBJECT_PARENT (handler))
    watch_download (GST_ELEMENT (handler));
  return set (handler, uri, error);
}

/* GObject calls this for each class with interfaces, before its first
 * instance. */
static void
on_interface (gpointer type, gpointer iface)
{
  GstURIHandlerInterface *handler = iface;

  if (handler->parent.g_type != GPOINTER_TO_SIZE (type) || !handler->set_uri
      || handler->set_uri == set_uri)
    return;
  g_mutex_lock (&lock);
  g_hash_table_insert (set_uris, GSIZE_TO_POINTER
      (handler->parent.g_instance_type), handler->set_uri);
  g_mutex_unlock (&lock);
  handler->set_uri = set_uri;
}

void
vhm_place_start (void)
{
  set_uris = g_hash_table_new (NULL, NULL);
  g_type_add_interface_check (GSIZE_TO_POINTER (GST_TYPE_URI_HANDLER),
      on_interface);
}
