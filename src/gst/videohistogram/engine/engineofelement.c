/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engineofelement.h"

/* The engines that are open for elements: each element has a GWeakRef as
 * qdata. */
static GMutex found_lock;
static G_DEFINE_QUARK (gst-video-histogram-engine-of-element, engine_of);

static void
free_weak_ref (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

void
vh_engine_attach (GObject * engine, GstElement * element)
{
  GWeakRef *weak;

  if (!element)
    return;
  weak = g_new0 (GWeakRef, 1);
  g_weak_ref_init (weak, engine);
  g_mutex_lock (&found_lock);
  g_object_set_qdata_full (G_OBJECT (element), engine_of_quark (), weak,
      free_weak_ref);
  g_mutex_unlock (&found_lock);
}

void
vh_engine_detach (GObject * engine, GstElement * element)
{
  GWeakRef *weak;
  GObject *attached = NULL;

  if (!element)
    return;
  g_mutex_lock (&found_lock);
  weak = g_object_get_qdata (G_OBJECT (element), engine_of_quark ());
  if (weak)
    attached = g_weak_ref_get (weak);
  /* An engine that is being finalized cannot be referenced any more. */
  if (!attached || attached == engine)
    g_object_set_qdata (G_OBJECT (element), engine_of_quark (), NULL);
  g_mutex_unlock (&found_lock);
  g_clear_object (&attached);
}

gpointer
vh_engine_of_element (GstElement * element)
{
  gpointer engine = NULL;
  GWeakRef *weak;

  g_mutex_lock (&found_lock);
  weak = g_object_get_qdata (G_OBJECT (element), engine_of_quark ());
  if (weak)
    engine = g_weak_ref_get (weak);
  g_mutex_unlock (&found_lock);
  return engine;
}
