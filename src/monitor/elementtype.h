/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kind of element one is. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Answers to the signal autoplug-select. GStreamer does not install the header
 * of its GstAutoplugSelectResult. */
typedef enum
{
  VHM_SELECT_TRY,
  VHM_SELECT_EXPOSE,
  VHM_SELECT_SKIP
} VhmSelect;

/* Whether @element was made by the factory with this name. */
gboolean vhm_element_is (GstElement * element, const gchar * factory);

gboolean vhm_element_is_of_type (GstElement * element,
    GstElementFactoryListType type);

/* Whether @element decodes video. */
gboolean vhm_element_is_decoder (GstElement * element);

G_END_DECLS
