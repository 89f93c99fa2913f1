/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For streams of sockets that are polled. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Defines a stream type with a private struct, whose objects start as zeros.
 * @Kind is Input or Output, and @KIND the same in capital letters. */
#define VHM_DEFINE_POLLABLE(Type, name, ParentClass, PARENT_TYPE, Kind, KIND) \
  typedef ParentClass Type##Class; \
  static void name##_pollable_init (GPollable##Kind##StreamInterface *); \
  static GType name##_get_type (void); \
  G_DEFINE_TYPE_WITH_CODE (Type, name, PARENT_TYPE, \
      G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_##KIND##_STREAM, \
          name##_pollable_init)) \
  static void \
  name##_init (Type * stream) \
  { \
    (void) stream; \
  }

/* A source of @stream that is ready when @child is. Takes the reference to
 * @child. */
static inline GSource *
vhm_pollable_source_new (gpointer stream, GSource * child,
    GCancellable * cancellable)
{
  GSource *source = g_pollable_source_new_full (stream, child, cancellable);

  g_source_unref (child);
  return source;
}

G_END_DECLS
