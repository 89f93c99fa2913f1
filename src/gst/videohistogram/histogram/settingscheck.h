/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks whether settings are within their limits: one row per field. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The public GST_VIDEO_HISTOGRAM_MIN_TIME. */
#define VH_MIN_TIME (G_GUINT64_CONSTANT (1000000))

typedef enum
{
  VH_FIELD_NUMBER,              /* gdouble */
  VH_FIELD_COUNT,               /* guint */
  VH_FIELD_TIME,                /* GstClockTime */
  VH_FIELD_CHOICE,              /* an enum or flags */
} VhFieldKind;

typedef struct
{
  const gchar *name;            /* of the field and of the property */
  gsize offset;
  VhFieldKind kind;
  gdouble least, most;          /* except for choices; times in ns */
    GType (*type) (void);       /* only for choices */
} VhField;

/* Checks the fields that @fields describe. FALSE with the error SPEC, and a
 * message that names the first field that is outside its limits. */
gboolean vh_check_settings (gconstpointer settings, const VhField * fields,
    guint n_fields, GError ** error);

/* The same for one @value, called @name, of an enum or flags @type. */
gboolean vh_check_choice (const gchar * name, GType type, guint value,
    GError ** error);

/* The same for the number of a device; -1 means any. */
gboolean vh_check_device_id (gint cuda_device_id, GError ** error);

G_END_DECLS
