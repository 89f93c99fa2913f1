/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of an element as a table. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* When a property may be set; 0: never. */
#define TEST_READY (G_PARAM_WRITABLE | GST_PARAM_MUTABLE_READY)
#define TEST_PLAYING (G_PARAM_WRITABLE | GST_PARAM_MUTABLE_PLAYING)
#define TEST_CONTROLLABLE (TEST_PLAYING | GST_PARAM_CONTROLLABLE)

/* A property with its type, its default in gst-launch-1.0's notation, and
 * another value, unless NULL, which it is set to. */
typedef struct
{
  const gchar *name, *type, *value;
  guint flags;                  /* one of those above */
  const gchar *other;
} TestProperty;

/* Fails unless @element has these properties, and no others of its own. */
void test_properties_check (GstElement * element,
    const TestProperty * properties, guint n);

/* Fails unless the property @name is @expected in gst-launch-1.0's notation. */
void test_property_check (GstElement * element, const gchar * name,
    const gchar * expected);

/* Fails unless the enum or flags @type has these nicks, separated by spaces. */
void test_nicks_check (const gchar * type, const gchar * expected);

G_END_DECLS
