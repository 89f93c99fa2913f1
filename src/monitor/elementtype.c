/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "elementtype.h"

gboolean
vhm_element_is (GstElement * element, const gchar * name)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory && g_str_equal (GST_OBJECT_NAME (factory), name);
}

gboolean
vhm_element_is_of_type (GstElement * element, GstElementFactoryListType type)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory && gst_element_factory_list_is_type (factory, type);
}

gboolean
vhm_element_is_decoder (GstElement * element)
{
  return vhm_element_is_of_type (element, GST_ELEMENT_FACTORY_TYPE_DECODER
      | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
      | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE);
}
