/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which engine is open for an element; called by any thread. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Attaches an open engine to @element; detaches it, unless another engine was
 * attached since. Without an element, they do nothing. */
void vh_engine_attach (GObject * engine, GstElement * element);
void vh_engine_detach (GObject * engine, GstElement * element);

/* Returns the attached engine with a reference, or NULL. */
gpointer vh_engine_of_element (GstElement * element);

G_END_DECLS
