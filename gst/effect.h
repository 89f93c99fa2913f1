/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of the elements that change frames with an object of the
 * library, in place or in a copy. An element derives from it and applies its
 * properties to the object. The base class does the rest: it opens and closes
 * the object, passes contexts, processes frames, passes those that cannot be
 * processed, and counts and reports them. */
#pragma once

#include "framepool.h"

G_BEGIN_DECLS

#define VH_TYPE_EFFECT (vh_effect_get_type ())
#define VH_EFFECT(object) \
    G_TYPE_CHECK_INSTANCE_CAST (object, VH_TYPE_EFFECT, VhEffect)
#define VH_EFFECT_CLASS(klass) \
    G_TYPE_CHECK_CLASS_CAST (klass, VH_TYPE_EFFECT, VhEffectClass)

/* Why a frame cannot be processed; also the kind of warning. */
typedef enum
{
  VH_FAULT_FRAME,               /* not what its caps and metas promise */
  VH_FAULT_DEVICE,              /* the GPU fails, or has no memory */
  VH_FAULT_SETTING,             /* a setting does not fit the frame */
  VH_FAULT_REFERENCE,           /* the reference is missing */
  VH_N_FAULTS
} VhFault;

typedef struct
{
  VhBaseTransform parent;

  gpointer object;              /* owned */

  /* protected by the object lock */
  guint64 processed, unprocessed;       /* frames */
  gboolean settings_changed;    /* since apply() was last called */

  /* streaming thread */
  gboolean in_place;            /* the class lets writable frames be processed
                                 * in place */
  VhFramePool pool;             /* for frames that are not */
} VhEffect;

/**
 * VhEffectClass:
 * @category: for debug output, by default the one of the base class
 * @methods: the functions of the object
 * @fault_texts: the beginning of the warning for each fault
 * @asks_upstream: the answer to upstream's ALLOCATION query depends on
 *     @is_idle
 * @is_idle: whether there is nothing to do, so that frames pass untouched
 * @apply: gives the object the current properties, if they have changed
 * @configure: configures the object for caps
 * @find_fault: returns why no frame can be processed, and sets @fault; or
 *     returns %NULL
 * @replace: takes a frame that could not be processed, and returns the frame to
 *     push instead, or %NULL for none
 *
 * The last two are optional. All but @is_idle are called by the streaming
 * thread.
 */
typedef struct
{
  VhBaseTransformClass parent_class;

  GstDebugCategory *category;
  const VhEffectMethods *methods;
  const gchar *fault_texts[VH_N_FAULTS];
  gboolean asks_upstream;
  gboolean (*is_idle) (VhEffect * effect);
  void (*apply) (VhEffect * effect);
  gboolean (*configure) (VhEffect * effect, GstCaps * caps, GError ** error);
  const gchar *(*find_fault) (VhEffect * effect, VhFault * fault);
  GstBuffer *(*replace) (VhEffect * effect, GstBuffer * buffer);
} VhEffectClass;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VhEffect, g_object_unref)

GType vh_effect_get_type (void);

/* Takes the object. Called by init. */
void vh_effect_set_object (VhEffect * effect, gpointer object);

/* If there is nothing to do, lets frames pass untouched. */
void vh_effect_update_passthrough (VhEffect * effect);

/* For rows of property tables: the setting has changed. */
void vh_effect_note_settings (gpointer effect);

G_END_DECLS
