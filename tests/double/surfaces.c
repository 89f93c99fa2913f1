/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "surfaces.h"

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

struct _TestSurfaces
{
  GMutex lock;
  GCond came_back;
  GQueue free;                  /* of GstMemory, under the lock */
  guint n;
  GstMiniObjectDisposeFunction dispose; /* original dispose function of the
                                         * memories, or NULL */
  GstVideoMeta layout;
  gboolean has_layout;
};

static GQuark
surfaces_quark (void)
{
  return g_quark_from_static_string ("test-surfaces");
}

/* The last reference to the memory is gone: keep it for the next picture. */
static gboolean
come_back (GstMiniObject * memory)
{
  TestSurfaces *self = gst_mini_object_get_qdata (memory, surfaces_quark ());

  gst_mini_object_ref (memory);
  GST_MINI_OBJECT_FLAG_UNSET (memory, GST_MEMORY_FLAG_READONLY);
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->free, memory);
  g_cond_signal (&self->came_back);
  g_mutex_unlock (&self->lock);
  return FALSE;
}

/* Takes over the memory of @buffer, which has only one. */
static void
take_surface (TestSurfaces * self, GstBuffer * buffer)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  GstMemory *memory;

  fail_unless_equals_int (gst_buffer_n_memory (buffer), 1);
  if (meta) {
    self->layout = *meta;
    self->has_layout = TRUE;
  }
  memory = gst_buffer_get_memory (buffer, 0);
  /* The pool drops a buffer that has lost its memory. */
  gst_buffer_remove_all_memory (buffer);
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), surfaces_quark (),
      self, NULL);
  self->dispose = GST_MINI_OBJECT_CAST (memory)->dispose;
  GST_MINI_OBJECT_CAST (memory)->dispose = come_back;
  g_queue_push_tail (&self->free, memory);
}

TestSurfaces *
test_surfaces_new (GstBufferPool * pool, guint n)
{
  TestSurfaces *self = g_new0 (TestSurfaces, 1);
  GstBuffer **buffers = g_new (GstBuffer *, n);
  guint i;

  g_mutex_init (&self->lock);
  g_cond_init (&self->came_back);
  g_queue_init (&self->free);
  self->n = n;
  for (i = 0; i < n; i++) {
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffers[i],
            NULL), GST_FLOW_OK);
  }
  for (i = 0; i < n; i++) {
    take_surface (self, buffers[i]);
    gst_buffer_unref (buffers[i]);
  }
  g_free (buffers);
  return self;
}

void
test_surfaces_free (TestSurfaces * self)
{
  GstMemory *memory;

  fail_unless_equals_int (test_surfaces_free_count (self), self->n);
  while ((memory = g_queue_pop_head (&self->free))) {
    GST_MINI_OBJECT_CAST (memory)->dispose = self->dispose;
    gst_memory_unref (memory);
  }
  g_cond_clear (&self->came_back);
  g_mutex_clear (&self->lock);
  g_free (self);
}

GstBuffer *
test_surfaces_acquire (TestSurfaces * self, gint64 max_wait)
{
  const gint64 end = g_get_monotonic_time () + max_wait;
  GstMemory *memory;
  GstBuffer *buffer;

  g_mutex_lock (&self->lock);
  while (!(memory = g_queue_pop_head (&self->free))
      && g_cond_wait_until (&self->came_back, &self->lock, end));
  g_mutex_unlock (&self->lock);
  if (!memory)
    return NULL;
  buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, memory);
  if (self->has_layout) {
    GstVideoMeta *l = &self->layout;

    gst_buffer_add_video_meta_full (buffer, l->flags, l->format, l->width,
        l->height, l->n_planes, l->offset, l->stride);
  }
  return buffer;
}

void
test_surfaces_decoded (GstBuffer * buffer)
{
  GST_MINI_OBJECT_FLAG_SET (gst_buffer_peek_memory (buffer, 0),
      GST_MEMORY_FLAG_READONLY);
}

guint
test_surfaces_free_count (TestSurfaces * self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = g_queue_get_length (&self->free);
  g_mutex_unlock (&self->lock);
  return n;
}
