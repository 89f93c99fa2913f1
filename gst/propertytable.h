/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties as rows of tables, which are installed, set, read and freed in one
 * place for all elements. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _VhProperty VhProperty;

/**
 * VhProperty:
 * @name: the name
 * @nick: the name for people
 * @blurb: what gst-inspect-1.0 shows
 * @type: the fundamental type: `G_TYPE_BOOLEAN`, `G_TYPE_INT`, `G_TYPE_UINT`,
 *     `G_TYPE_UINT64`, `G_TYPE_DOUBLE`, `G_TYPE_STRING`, `G_TYPE_ENUM`,
 *     `G_TYPE_FLAGS` or `G_TYPE_BOXED`. A `G_TYPE_UINT64` that can be set is a
 *     time in ns: 0, or at least %GST_VIDEO_HISTOGRAM_MIN_TIME
 * @get_type: the type of enums, flags and boxed values
 * @offset: where in the instance its value is, see VH_FIELD()
 * @size: the size of that field
 * @minimum: the lowest number
 * @maximum: the highest number; 0 for no limit
 * @value: the default, unless the table sets it
 * @text: the default of a string. If it is %NULL, the property may be %NULL
 * @flags: %G_PARAM_READABLE for a property that cannot be set,
 *     %GST_PARAM_MUTABLE_READY for one that cannot be set from PAUSED on, and
 *     %GST_PARAM_CONTROLLABLE
 * @parse: reads a string into the settings at @parsed in the instance. It
 *     returns %FALSE, with the settings unchanged, if it cannot. Called with
 *     the object lock
 * @apply: applies a string, which is "" for %NULL. It returns %FALSE if it
 *     cannot, with an error unless there is @allowed. Called without a lock. A
 *     row has @parse or @apply, not both
 * @allowed: the allowed values, for the warning that refuses another one;
 *     needed with @parse. It also means that 0 is not allowed for flags
 * @changed: called after the property got another value, or a string was set,
 *     with the object lock
 * @set: sets the property, instead of vh_property_store(). Called without a
 *     lock
 * @get: gets the property, if it is not a field. Called without a lock
 */
struct _VhProperty
{
  const gchar *name, *nick, *blurb;
  GType type;
  GType (*get_type) (void);
  gsize offset, size;
  gdouble minimum, maximum, value;
  const gchar *text;
  GParamFlags flags;
  gboolean (*parse) (const gchar * text, gpointer settings);
  gsize parsed;
  gboolean (*apply) (gpointer instance, const gchar * text, GError ** error);
  const gchar *allowed;
  void (*changed) (gpointer instance);
  void (*set) (gpointer instance, const VhProperty * property,
      const GValue * value);
  void (*get) (gpointer instance, GValue * value);
};

#define VH_FIELD(Type, field) .offset = G_STRUCT_OFFSET (Type, field), \
    .size = sizeof (((Type *) NULL)->field)

/* The properties of a class. set_defaults() sets the fields whose defaults the
 * library knows, in an instance of which nothing else is initialized. */
typedef struct
{
  const VhProperty *rows;
  guint n_rows;
  void (*set_defaults) (gpointer instance);
} VhPropertyTable;

#define VH_PROPERTY_TABLE(rows, defaults) \
    { rows, G_N_ELEMENTS (rows), defaults }

/* To be called by class_init, init and finalize. */
void vh_property_table_install (const VhPropertyTable * table,
    gpointer object_class);
void vh_property_table_init (const VhPropertyTable * table, gpointer instance);
void vh_property_table_clear (const VhPropertyTable * table, gpointer instance);

/* Sets a property to @value, or warns that it is not allowed and returns
 * FALSE. */
gboolean vh_property_store (gpointer instance, const VhProperty * property,
    const GValue * value);

G_END_DECLS
