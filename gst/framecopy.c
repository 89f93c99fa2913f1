/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "framecopy.h"

static gboolean
has_same_memories (GstBuffer * a, GstBuffer * b)
{
  const guint n = gst_buffer_n_memory (a);
  gboolean same = gst_buffer_n_memory (b) == n;
  guint i;

  for (i = 0; same && i < n; i++)
    same = gst_buffer_peek_memory (a, i) == gst_buffer_peek_memory (b, i);
  return same;
}

GstBuffer *
vh_frame_new_around (GstBuffer * buffer)
{
  GstBuffer *around = gst_buffer_copy (buffer);

  if (around && !has_same_memories (around, buffer))
    gst_clear_buffer (&around);
  return around;
}

gboolean
vh_frame_make_markable (GstBuffer ** buffer)
{
  GstBuffer *around;

  if (GST_BUFFER_IS_DISCONT (*buffer) || gst_buffer_is_writable (*buffer))
    return TRUE;
  around = vh_frame_new_around (*buffer);
  if (around)
    gst_buffer_replace (buffer, around);
  gst_clear_buffer (&around);
  return gst_buffer_is_writable (*buffer);
}

GstFlowReturn
vh_frame_push_unmarked (GstBaseTransform * trans, GstBuffer ** buffer)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (trans);
  GstSegment *segment = &trans->segment;

  if (!*buffer || gst_buffer_is_writable (*buffer)
      || GST_PAD_MODE (pad) != GST_PAD_MODE_PUSH)
    return GST_FLOW_OK;
  /* As the base class does for what it pushes. */
  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (*buffer)) {
    segment->position = GST_BUFFER_PTS (*buffer);
    if (GST_BUFFER_DURATION_IS_VALID (*buffer))
      segment->position += GST_BUFFER_DURATION (*buffer);
  }
  return gst_pad_push (pad, g_steal_pointer (buffer));
}
