/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "effect.h"
#include "propertytable.h"

#include <gst/videohistogram/videohistogram.h>

/* Elements log what they do in their own categories. */
#define GST_CAT_DEFAULT (get_class (self)->category)

G_STATIC_ASSERT (VH_N_FAULTS <= VH_MAX_WARNINGS);

G_DEFINE_ABSTRACT_TYPE (VhEffect, vh_effect, VH_TYPE_BASE_TRANSFORM);

#define parent_class vh_effect_parent_class
#define get_class(self) G_TYPE_INSTANCE_GET_CLASS (self, VH_TYPE_EFFECT, \
    VhEffectClass)
#define get_methods(self) (get_class (self)->methods)

void
vh_effect_set_object (VhEffect * self, gpointer object)
{
  self->object = object;
  self->pool.base = VH_BASE_TRANSFORM (self);
  self->pool.methods = get_methods (self);
  self->pool.object = object;
}

void
vh_effect_update_passthrough (VhEffect * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  const gboolean passthrough = get_class (self)->is_idle (self);

  if (passthrough == gst_base_transform_is_passthrough (trans))
    return;
  GST_DEBUG_OBJECT (self, "frames %s", passthrough ? "pass" : "are processed");
  gst_base_transform_set_passthrough (trans, passthrough);
  if (get_class (self)->asks_upstream)
    gst_base_transform_reconfigure_sink (trans);
  if (passthrough)
    get_methods (self)->reset (self->object);
}

static gboolean
vh_effect_configure (VhBaseTransform * base, GstCaps * caps)
{
  VhEffect *self = VH_EFFECT (base);
  GError *error = NULL;
  GstVideoInfo info;

  get_class (self)->apply (self);
  if (!get_class (self)->configure (self, caps, &error)) {
    GST_ERROR_OBJECT (self, "Couldn't configure: %s", error->message);
    g_error_free (error);
    return FALSE;
  }
  if (!gst_video_info_from_caps (&info, caps))
    return FALSE;
  vh_frame_pool_configure (&self->pool, &info);
  vh_effect_update_passthrough (self);
  return TRUE;
}

/* Frames */

/* Counts a frame that cannot be processed, and warns about it, at a limited
 * rate. */
static void
note_unprocessed (VhEffect * self, GstBuffer * buffer, VhFault fault,
    const gchar * reason)
{
  const gboolean device = fault == VH_FAULT_DEVICE;

  GST_LOG_OBJECT (self, "not processing %" GST_PTR_FORMAT ": %s", buffer,
      reason);
  GST_OBJECT_LOCK (self);
  self->unprocessed++;
  GST_OBJECT_UNLOCK (self);
  vh_base_transform_warn (VH_BASE_TRANSFORM (self), fault,
      device ? GST_RESOURCE_ERROR : GST_STREAM_ERROR,
      device ? (gint) GST_RESOURCE_ERROR_FAILED :
      (gint) GST_STREAM_ERROR_FAILED, "%s: %s.",
      get_class (self)->fault_texts[fault], reason);
}

static VhFault
get_fault (const GError * error)
{
  if (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_FRAME))
    return VH_FAULT_FRAME;
  return g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
      GST_VIDEO_HISTOGRAM_ERROR_SPEC) ? VH_FAULT_SETTING : VH_FAULT_DEVICE;
}

/* Takes @in and returns the frame to push: @in itself, processed or not, or
 * another one. */
static GstBuffer *
vh_effect_process (VhBaseTransform * base, GstBuffer * in)
{
  VhEffect *self = VH_EFFECT (base);
  VhEffectClass *klass = get_class (self);
  const gchar *reason = NULL;
  GError *error = NULL;
  GstBuffer *out;
  VhFault fault;

  if (!vh_base_transform_get_caps (base)) {
    fault = VH_FAULT_FRAME;
    reason = "there are no caps yet";
  } else if (klass->find_fault) {
    reason = klass->find_fault (self, &fault);
  }
  if (reason) {
    note_unprocessed (self, in, fault, reason);
    return in;
  }

  out = vh_frame_pool_process (&self->pool, in, self->in_place, &error);
  if (out) {
    GST_LOG_OBJECT (self, "processed %" GST_PTR_FORMAT, out);
    GST_OBJECT_LOCK (self);
    self->processed++;
    GST_OBJECT_UNLOCK (self);
    return out;
  }
  note_unprocessed (self, in, get_fault (error), error->message);
  g_error_free (error);
  return klass->replace ? klass->replace (self, in) : in;
}

static void
vh_effect_before_transform (GstBaseTransform * trans, GstBuffer * buffer)
{
  VhEffect *self = VH_EFFECT (trans);
  const GstClockTime stream_time =
      vh_base_transform_get_stream_time (VH_BASE_TRANSFORM (trans), buffer);

  if (stream_time != GST_CLOCK_TIME_NONE)
    gst_object_sync_values (GST_OBJECT (self), stream_time);
  get_class (self)->apply (self);
  vh_effect_update_passthrough (self);
  if (GST_BUFFER_IS_DISCONT (buffer))
    get_methods (self)->reset (self->object);
}

/* Which metas a copy gets: all except those that refer to the memory. The base
 * class knows only one kind of them. */
static gboolean
vh_effect_transform_meta (GstBaseTransform * trans, GstBuffer * out,
    GstMeta * meta, GstBuffer * in)
{
  (void) trans;
  (void) out;
  (void) in;
  return !gst_meta_api_type_has_tag (meta->info->api,
      g_quark_from_static_string (GST_META_TAG_MEMORY_REFERENCE_STR));
}

static void
vh_effect_downstream_changed (VhBaseTransform * base)
{
  VH_EFFECT (base)->pool.unsure = TRUE;
}

/* Events, queries, contexts */

static gboolean
vh_effect_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    get_methods (trans)->reset (VH_EFFECT (trans)->object);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

static void
vh_effect_restart (VhBaseTransform * base)
{
  get_methods (base)->reset (VH_EFFECT (base)->object);
}

static gboolean
vh_effect_answer_context (VhBaseTransform * base, GstQuery * query)
{
  return get_methods (base)->answer_context_query (VH_EFFECT (base)->object,
      query);
}

static void
vh_effect_take_context (VhBaseTransform * base, GstContext * context)
{
  get_methods (base)->set_context (VH_EFFECT (base)->object, context);
}

/* States */

/* If upstream changed state first, frames may already arrive: this leaves the
 * settings to the streaming thread. */
static gboolean
vh_effect_start (GstBaseTransform * trans)
{
  VhEffect *self = VH_EFFECT (trans);

  GST_OBJECT_LOCK (self);
  self->processed = self->unprocessed = 0;
  self->settings_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->start (trans);
}

static gboolean
vh_effect_stop (GstBaseTransform * trans)
{
  vh_frame_pool_drop (&VH_EFFECT (trans)->pool);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
}

static gboolean
vh_effect_open (VhBaseTransform * base, gint cuda_device_id)
{
  const VhEffectMethods *methods = get_methods (base);
  gpointer object = VH_EFFECT (base)->object;
  GstElement *element = GST_ELEMENT (base);
  GError *error = NULL;

  if (!methods->open (object, cuda_device_id, element, &error)) {
    vh_base_transform_warn_device (base, VH_FAULT_DEVICE, cuda_device_id,
        error->message);
    g_error_free (error);
    methods->open (object, -1, element, NULL);
  }
  return TRUE;
}

static void
vh_effect_close (VhBaseTransform * base)
{
  get_methods (base)->close (VH_EFFECT (base)->object);
}

/* Properties */

void
vh_effect_note_settings (gpointer effect)
{
  VH_EFFECT (effect)->settings_changed = TRUE;
}

static void
get_active_backend (gpointer effect, GValue * value)
{
  g_value_set_string (value,
      get_methods (effect)->get_active_backend (VH_EFFECT (effect)->object));
}

static void
get_backend_reason (gpointer effect, GValue * value)
{
  g_value_take_string (value,
      get_methods (effect)->dup_backend_reason (VH_EFFECT (effect)->object));
}

/* *INDENT-OFF* */
static const VhProperty properties[] = {
  /**
   * VhEffect:active-backend:
   *
   * Where frames are processed now: `cpu`, `cuda`, or `none` while processing
   * fails; %NULL before there are caps.
   *
   * Since: 0.2
   */
  {"active-backend", "Active backend",
      "Where frames are processed now: cpu, cuda, or none while processing "
      "fails (null = no caps yet)",
      G_TYPE_STRING, .flags = G_PARAM_READABLE, .get = get_active_backend},
  /**
   * VhEffect:backend-reason:
   *
   * Why the other backend is not in use, or why processing fails; %NULL before
   * there are caps.
   *
   * Since: 0.2
   */
  {"backend-reason", "Backend reason",
      "Why the other backend is not in use, or why processing fails (null = "
      "no caps yet)",
      G_TYPE_STRING, .flags = G_PARAM_READABLE, .get = get_backend_reason},
};
/* *INDENT-ON* */

static const VhPropertyTable property_table = VH_PROPERTY_TABLE (properties,
    NULL);

/* Class */

static void
vh_effect_finalize (GObject * object)
{
  vh_frame_pool_drop (&VH_EFFECT (object)->pool);
  g_object_unref (VH_EFFECT (object)->object);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
vh_effect_init (VhEffect * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_base_transform_set_gap_aware (trans, TRUE);
  gst_base_transform_set_passthrough (trans, FALSE);
  self->in_place = TRUE;
  self->settings_changed = TRUE;
}

static void
vh_effect_class_init (VhEffectClass * klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  VhBaseTransformClass *base_class = VH_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_GET (klass->category, "videohistogram-base");

  G_OBJECT_CLASS (klass)->finalize = vh_effect_finalize;
  vh_property_table_install (&property_table, klass);

  trans_class->before_transform =
      GST_DEBUG_FUNCPTR (vh_effect_before_transform);
  trans_class->transform_meta = GST_DEBUG_FUNCPTR (vh_effect_transform_meta);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (vh_effect_sink_event);
  trans_class->start = GST_DEBUG_FUNCPTR (vh_effect_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (vh_effect_stop);

  base_class->open = GST_DEBUG_FUNCPTR (vh_effect_open);
  base_class->close = GST_DEBUG_FUNCPTR (vh_effect_close);
  base_class->take_context = GST_DEBUG_FUNCPTR (vh_effect_take_context);
  base_class->answer_context = GST_DEBUG_FUNCPTR (vh_effect_answer_context);
  base_class->configure = GST_DEBUG_FUNCPTR (vh_effect_configure);
  base_class->restart = GST_DEBUG_FUNCPTR (vh_effect_restart);
  base_class->downstream_changed =
      GST_DEBUG_FUNCPTR (vh_effect_downstream_changed);
  base_class->process = GST_DEBUG_FUNCPTR (vh_effect_process);

  gst_type_mark_as_plugin_api (VH_TYPE_EFFECT, 0);
}
