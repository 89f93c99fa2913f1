/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "entrants.h"

#include <gmodule.h>
#include <string.h>

#define MODULE_PREFIX "videohistogram-bench-"
#define MODULE_SUFFIX ".so"

/* Peers to report if they are missing. */
static const gchar *const known_peers[] = { "cub", "npp" };

static void
entrant_free (gpointer data)
{
  BenchEntrant *entrant = data;

  g_free (entrant->name);
  g_free (entrant->problem);
  g_free (entrant);
}

static BenchEntrant *
add (GPtrArray * entrants, BenchEntrantKind kind, const gchar * name)
{
  BenchEntrant *entrant = g_new0 (BenchEntrant, 1);

  entrant->kind = kind;
  entrant->name = g_strdup (name);
  g_ptr_array_add (entrants, entrant);
  return entrant;
}

static void
add_methods (GPtrArray * entrants)
{
  GEnumClass *methods = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_METHOD);
  guint i;

  for (i = 0; i < methods->n_values; i++) {
    if (methods->values[i].value != GST_VIDEO_HISTOGRAM_METHOD_AUTO) {
      add (entrants, BENCH_METHOD, methods->values[i].value_nick)->method =
          methods->values[i].value;
    }
  }
  g_type_class_unref (methods);
  add (entrants, BENCH_METHOD, "auto")->method =
      GST_VIDEO_HISTOGRAM_METHOD_AUTO;
  add (entrants, BENCH_METHOD, "auto-to-host")->to_host = TRUE;
}

/* Modules stay loaded, because they stay registered with the CUDA runtime. */
static void
load_peer (GPtrArray * entrants, const gchar * folder, const gchar * name)
{
  BenchEntrant *entrant = add (entrants, BENCH_PEER, name);
  gchar *file = g_strconcat (MODULE_PREFIX, name, MODULE_SUFFIX, NULL);
  gchar *path = g_build_filename (folder, file, NULL);
  GModule *module;
  BenchPeerGet get;

  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    entrant->problem = g_strdup_printf ("%s not found in %s", file, folder);
  } else if (!(module = g_module_open (path, G_MODULE_BIND_LOCAL))
      || !g_module_symbol (module, BENCH_PEER_SYMBOL, (gpointer *) & get)) {
    entrant->problem = g_strdup_printf ("cannot be loaded: %s",
        g_module_error ());
  } else {
    entrant->peer = get ();
  }
  g_free (path);
  g_free (file);
}

static void
add_peers (GPtrArray * entrants, const gchar * folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *file;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (known_peers); i++)
    load_peer (entrants, folder, known_peers[i]);
  while (dir && (file = g_dir_read_name (dir))) {
    gchar *name;

    if (!g_str_has_prefix (file, MODULE_PREFIX)
        || !g_str_has_suffix (file, MODULE_SUFFIX))
      continue;
    name = g_strndup (file + strlen (MODULE_PREFIX), strlen (file) -
        strlen (MODULE_PREFIX) - strlen (MODULE_SUFFIX));
    if (!bench_entrants_find (entrants, name))
      load_peer (entrants, folder, name);
    g_free (name);
  }
  if (dir)
    g_dir_close (dir);
}

/* Whether all of @names are entrants. Otherwise @error lists the entrants. */
static gboolean
check_names (GPtrArray * entrants, gchar ** names, GError ** error)
{
  GString *known;
  guint i, k;

  for (i = 0; names[i]; i++) {
    if (bench_entrants_find (entrants, g_strstrip (names[i])))
      continue;
    known = g_string_new (NULL);
    for (k = 0; k < entrants->len; k++) {
      g_string_append_printf (known, "%s%s", k > 0 ? ", " : "",
          ((const BenchEntrant *) g_ptr_array_index (entrants, k))->name);
    }
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--methods: unknown method \"%s\"; use %s", names[i], known->str);
    g_string_free (known, TRUE);
    return FALSE;
  }
  return TRUE;
}

GPtrArray *
bench_entrants_new (const gchar * names, gboolean gpu, const gchar * peers,
    GError ** error)
{
  GPtrArray *entrants = g_ptr_array_new_with_free_func (entrant_free);
  gchar **wanted = names ? g_strsplit (names, ",", -1) : NULL;
  guint i;

  add (entrants, BENCH_EMPTY, "empty");
  add (entrants, BENCH_READ, "read");
  add_methods (entrants);
  add_peers (entrants, peers);
  add (entrants, BENCH_CPU, "cpu");
  if (wanted && !check_names (entrants, wanted, error)) {
    g_strfreev (wanted);
    g_ptr_array_unref (entrants);
    return NULL;
  }

  for (i = entrants->len; i-- > 0;) {
    const BenchEntrant *entrant = g_ptr_array_index (entrants, i);

    if ((!gpu && entrant->kind != BENCH_CPU)
        || (wanted && entrant->kind != BENCH_READ
            && !g_strv_contains ((const gchar * const *) wanted,
                entrant->name)))
      g_ptr_array_remove_index (entrants, i);
  }
  g_strfreev (wanted);
  return entrants;
}

void
bench_entrants_start (GPtrArray * entrants, const BenchPeerDevice * device)
{
  guint i;

  for (i = 0; i < entrants->len; i++) {
    BenchEntrant *entrant = g_ptr_array_index (entrants, i);
    const char *why;

    if (entrant->peer && (why = entrant->peer->start (device)) != NULL)
      entrant->problem = g_strdup_printf ("does not start: %s", why);
  }
}

gboolean
bench_entrant_is_method (const BenchEntrant * entrant)
{
  return entrant->kind == BENCH_METHOD
      && entrant->method != GST_VIDEO_HISTOGRAM_METHOD_AUTO;
}

const BenchEntrant *
bench_entrants_find (const GPtrArray * entrants, const gchar * name)
{
  guint i;

  for (i = 0; i < entrants->len; i++) {
    const BenchEntrant *entrant = g_ptr_array_index (entrants, i);

    if (g_str_equal (entrant->name, name))
      return entrant;
  }
  return NULL;
}
