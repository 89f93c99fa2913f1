/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <dlfcn.h>
#include <glib.h>
#include <link.h>

G_BEGIN_DECLS

static inline int
test_coverage_add_library (struct dl_phdr_info *info, size_t size,
    void *libraries)
{
  (void) size;
  g_ptr_array_add ((GPtrArray *) libraries, g_strdup (info->dlpi_name));
  return 0;
}

/* Writes the coverage data of the program and its libraries for tests/coverage.
 * Call it in programs that end with _exit(), where gcov does not write it. */
static inline void
test_coverage_write (void)
{
  GPtrArray *libraries = g_ptr_array_new_with_free_func (g_free);
  guint i;

  dl_iterate_phdr (test_coverage_add_library, libraries);
  for (i = 0; i < libraries->len; i++) {
    const gchar *name = libraries->pdata[i];
    void *library = dlopen (*name ? name : NULL, RTLD_LAZY | RTLD_NOLOAD);
    void (*dump) (void) = NULL;

    if (library)
      *(void **) &dump = dlsym (library, "__gcov_dump");
    if (dump)
      dump ();
    if (library)
      dlclose (library);
  }
  g_ptr_array_unref (libraries);
}

G_END_DECLS
