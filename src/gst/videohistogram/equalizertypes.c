/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideoequalizer.h"
#include "curve.h"

/* Enum types by hand, for the descriptions that gst-inspect-1.0 shows: a row
 * for each value. E (ID, nick, description) */
/* *INDENT-OFF* */
#define METHODS(E) \
  E (NONE, "none", "Frames are not changed") \
  E (EQUALIZE, "equalize", "All of the range is used evenly") \
  E (STRETCH, "stretch", "Two percentiles become black and white") \
  E (GAMMA, "gamma", "A power takes the median to a target") \
  E (MATCH, "match", "The histogram becomes that of a reference") \
  E (CLAHE, "clahe", "Evenly in each tile, with limited contrast")

#define COLORS(E) \
  E (SCALE, "scale", "Saturation stays: colour is scaled as luma is") \
  E (KEEP, "keep", "Colour differences stay as they are") \
  E (CHANNELS, "channels", \
      "The curve is applied to R, G and B each; hues change")
/* *INDENT-ON* */

#define E(id, nick, description) \
    G_STATIC_ASSERT ((guint) GST_VIDEO_EQUALIZE_METHOD_##id == \
        (guint) VH_CURVE_##id);
METHODS (E)
#undef E
#define E(id, nick, description) \
    G_STATIC_ASSERT ((guint) GST_VIDEO_EQUALIZE_COLOR_##id == \
        (guint) VH_COLOR_##id);
COLORS (E)
#undef E

GType
gst_video_equalize_method_get_type (void)
{
  static const GEnumValue values[] = {
#define E(id, nick, description) \
    {GST_VIDEO_EQUALIZE_METHOD_##id, description, nick},
    METHODS (E)
#undef E
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVideoEqualizeMethod", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_video_equalize_color_get_type (void)
{
  static const GEnumValue values[] = {
#define E(id, nick, description) \
    {GST_VIDEO_EQUALIZE_COLOR_##id, description, nick},
    COLORS (E)
#undef E
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVideoEqualizeColor", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}
