/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Defines types that g-ir-scanner reads from the headers: enums and flags with
 * the nicks of a table, and structs of plain values. Use at file scope. */
#pragma once

#include "initialized.h"

/* A row of the table @ROWS, which is a macro ROWS(E). */
#define VH_TYPE_VALUE(id, nick) {id, #id, nick},

#define VH_DEFINE_VALUES_TYPE(Type, prefix, Value, ROWS, register_static) \
GType \
prefix##_get_type (void) \
{ \
  static const Value values[] = { \
    ROWS (VH_TYPE_VALUE) \
    {0, NULL, NULL}, \
  }; \
  static GType type = 0; \
\
  if (g_once_init_enter (&type)) \
    g_once_init_leave (&type, register_static (#Type, values)); \
  return type; \
}

#define VH_DEFINE_ENUM_TYPE(Type, prefix, ROWS) \
    VH_DEFINE_VALUES_TYPE (Type, prefix, GEnumValue, ROWS, \
        g_enum_register_static)
#define VH_DEFINE_FLAGS_TYPE(Type, prefix, ROWS) \
    VH_DEFINE_VALUES_TYPE (Type, prefix, GFlagsValue, ROWS, \
        g_flags_register_static)

/* The boxed type of a struct that holds nothing but values, and its functions
 * _new(), which calls @init, or (void) for zeros, _copy() and _free(). */
#define VH_DEFINE_STRUCT_TYPE(Type, prefix, init) \
G_DEFINE_BOXED_TYPE (Type, prefix, prefix##_copy, prefix##_free) \
\
Type * \
prefix##_new (void) \
{ \
  Type *self; \
\
  vh_return_val_unless_initialized (NULL, NULL); \
\
  self = g_new0 (Type, 1); \
  init (self); \
  return self; \
} \
\
Type * \
prefix##_copy (const Type * self) \
{ \
  vh_return_val_unless_initialized (NULL, NULL); \
  g_return_val_if_fail (self != NULL, NULL); \
\
  return g_memdup2 (self, sizeof (*self)); \
} \
\
void \
prefix##_free (Type * self) \
{ \
  vh_check_initialized (NULL); \
  g_free (self); \
}
