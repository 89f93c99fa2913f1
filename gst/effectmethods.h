/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of an object of the library that changes frames, such as a
 * GstVideoEqualizer: its API names and documents them. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean (*open) (gpointer object, gint cuda_device_id, GstElement * element,
      GError ** error);
  void (*close) (gpointer object);
  void (*set_context) (gpointer object, GstContext * context);
  gboolean (*answer_context_query) (gpointer object, GstQuery * query);
  const gchar *(*get_active_backend) (gpointer object);
  gchar *(*dup_backend_reason) (gpointer object);
  gboolean (*process) (gpointer object, GstBuffer * in, GstBuffer * out,
      GError ** error);
  void (*reset) (gpointer object);
  GstBufferPool *(*new_pool) (gpointer object, GstBuffer * buffer,
      GstStructure ** config);
  gboolean (*pool_fits) (gpointer object, GstBufferPool * pool,
      GstBuffer * buffer);
} VhEffectMethods;

/* Defines one of these functions, for objects whose functions start with
 * @prefix. The rest are its parameters and its arguments. */
#define VH_EFFECT_METHOD(prefix, type, name, parameters, ...) \
  static type \
  prefix##_##name##_method parameters \
  { \
    return prefix##_##name (__VA_ARGS__); \
  }

/* Defines all of these functions, and @variable, the table of them. */
#define VH_DEFINE_EFFECT_METHODS(variable, prefix) \
  VH_EFFECT_METHOD (prefix, gboolean, open, \
      (gpointer object, gint id, GstElement * element, GError ** error), \
      object, id, element, error) \
  VH_EFFECT_METHOD (prefix, void, close, (gpointer object), object) \
  VH_EFFECT_METHOD (prefix, void, set_context, \
      (gpointer object, GstContext * context), \
      object, context) \
  VH_EFFECT_METHOD (prefix, gboolean, answer_context_query, \
      (gpointer object, GstQuery * query), \
      object, query) \
  VH_EFFECT_METHOD (prefix, const gchar *, get_active_backend, \
      (gpointer object), \
      object) \
  VH_EFFECT_METHOD (prefix, gchar *, dup_backend_reason, (gpointer object), \
      object) \
  VH_EFFECT_METHOD (prefix, gboolean, process, \
      (gpointer object, GstBuffer * in, GstBuffer * out, GError ** error), \
      object, in, out, error) \
  VH_EFFECT_METHOD (prefix, void, reset, (gpointer object), object) \
  VH_EFFECT_METHOD (prefix, GstBufferPool *, new_pool, \
      (gpointer object, GstBuffer * buffer, GstStructure ** config), \
      object, buffer, config) \
  VH_EFFECT_METHOD (prefix, gboolean, pool_fits, \
      (gpointer object, GstBufferPool * pool, GstBuffer * buffer), \
      object, pool, buffer) \
  static const VhEffectMethods variable = { \
    .open = prefix##_open_method, \
    .close = prefix##_close_method, \
    .set_context = prefix##_set_context_method, \
    .answer_context_query = prefix##_answer_context_query_method, \
    .get_active_backend = prefix##_get_active_backend_method, \
    .dup_backend_reason = prefix##_dup_backend_reason_method, \
    .process = prefix##_process_method, \
    .reset = prefix##_reset_method, \
    .new_pool = prefix##_new_pool_method, \
    .pool_fits = prefix##_pool_fits_method, \
  }

G_END_DECLS
