/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of GLib and GStreamer that the loops and core/color.c call, for
 * a program compiled for another machine. Types and macros come from this
 * machine's headers, which are the same for all 64-bit little-endian machines,
 * but the libraries are missing. */
#include <gst/video/video.h>

#include <stdlib.h>

gpointer
(g_once_impl) (GOnce * once, GThreadFunc func, gpointer arg)
{
  once->retval = func (arg);
  once->status = G_ONCE_STATUS_READY;
  return once->retval;
}

void
g_assertion_message_expr (G_GNUC_UNUSED const char *domain,
    G_GNUC_UNUSED const char *file, G_GNUC_UNUSED int line,
    G_GNUC_UNUSED const char *func, G_GNUC_UNUSED const char *expr)
{
  abort ();
}

/* The values are GStreamer's own. */
gboolean
gst_video_color_matrix_get_Kr_Kb (GstVideoColorMatrix matrix, gdouble * kr,
    gdouble * kb)
{
  switch (matrix) {
    case GST_VIDEO_COLOR_MATRIX_FCC:
      *kr = 0.30;
      *kb = 0.11;
      return TRUE;
    case GST_VIDEO_COLOR_MATRIX_BT709:
      *kr = 0.2126;
      *kb = 0.0722;
      return TRUE;
    case GST_VIDEO_COLOR_MATRIX_BT601:
      *kr = 0.2990;
      *kb = 0.1140;
      return TRUE;
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      *kr = 0.212;
      *kb = 0.087;
      return TRUE;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      *kr = 0.2627;
      *kb = 0.0593;
      return TRUE;
    default:
      return FALSE;
  }
}
