/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports from other threads to the main thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef void (*VhmReport) (gpointer object, gpointer contents);

/* Has the main thread call @report, after all earlier reports. Takes @object
 * and @contents, which are freed afterwards; free functions may be NULL. */
void vhm_main_thread_call (VhmReport report, gpointer object,
    GDestroyNotify free_object, gpointer contents,
    GDestroyNotify free_contents);

G_END_DECLS
