/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mainthread.h"

typedef struct
{
  VhmReport report;
  gpointer object, contents;
  GDestroyNotify free_object, free_contents;
} Call;

static gboolean
run_call (gpointer data)
{
  const Call *call = data;

  call->report (call->object, call->contents);
  return G_SOURCE_REMOVE;
}

static void
call_free (gpointer data)
{
  const Call *call = data;

  if (call->free_contents)
    call->free_contents (call->contents);
  if (call->free_object)
    call->free_object (call->object);
  g_free (data);
}

void
vhm_main_thread_call (VhmReport report, gpointer object,
    GDestroyNotify free_object, gpointer contents,
    GDestroyNotify free_contents)
{
  const Call call = { report, object, contents, free_object, free_contents };

  g_idle_add_full (G_PRIORITY_DEFAULT, run_call,
      g_memdup2 (&call, sizeof call), call_free);
}
