/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA contexts, shared through GstContext. libgstcuda does the same, but makes
 * a separate context for each element that gets no answer to its query. */
#include "context.h"

static GMutex own_lock;
static GHashTable *own_contexts;        /* device id to GWeakRef */

static GstCudaContext *
ref_own_context (gint device_id)
{
  const gint id = MAX (device_id, 0);
  GstCudaContext *context;
  GWeakRef *weak;

  g_mutex_lock (&own_lock);
  if (!own_contexts)
    own_contexts = g_hash_table_new (NULL, NULL);
  weak = g_hash_table_lookup (own_contexts, GINT_TO_POINTER (id));
  if (!weak) {
    weak = g_new0 (GWeakRef, 1);
    g_weak_ref_init (weak, NULL);
    g_hash_table_insert (own_contexts, GINT_TO_POINTER (id), weak);
  }
  context = g_weak_ref_get (weak);
  if (!context) {
    context = gst_cuda_context_new (id);
    if (context)
      g_weak_ref_set (weak, context);
  }
  g_mutex_unlock (&own_lock);
  return context;
}

static gboolean
ask_peer (G_GNUC_UNUSED GstElement * element, GstPad * pad, gpointer data)
{
  GstQuery *query = data;

  return !gst_pad_peer_query (pad, query);
}

/* Queries the peers on one side. Returns whether one answered. */
static gboolean
ask_peers (GstElement * element, GstQuery * query, gboolean downstream)
{
  return !(downstream ?
      gst_element_foreach_src_pad (element, ask_peer, query) :
      gst_element_foreach_sink_pad (element, ask_peer, query));
}

static void
ask_neighbours (GstElement * element)
{
  GstQuery *query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstContext *found = NULL;

  if (ask_peers (element, query, TRUE) || ask_peers (element, query, FALSE))
    gst_query_parse_context (query, &found);
  if (found)
    gst_element_set_context (element, found);
  gst_query_unref (query);
}

static void
tell_others (GstElement * element, GstCudaContext * context)
{
  gst_element_post_message (element,
      gst_message_new_have_context (GST_OBJECT (element),
          gst_context_new_cuda_context (context)));
}

gboolean
vh_cuda_find_context (GstElement * element, gint device_id,
    GstCudaContext ** context)
{
  if (element) {
    ask_neighbours (element);
    if (!*context) {
      gst_element_post_message (element,
          gst_message_new_need_context (GST_OBJECT (element),
              GST_CUDA_CONTEXT_TYPE));
    }
  }
  if (!*context) {
    *context = ref_own_context (device_id);
    if (*context && element)
      tell_others (element, *context);
  }
  return *context != NULL;
}
