/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scope.h"
#include "error.h"
#include "joint.h"

#include <math.h>

#define ONE 65536               /* 1.0 in VhScopeColors */

VhScopePlan *
vh_scope_plan_new (void)
{
  VhScopePlan *plan = g_new0 (VhScopePlan, 1);

  plan->refcount = 1;
  return plan;
}

VhScopePlan *
vh_scope_plan_ref (VhScopePlan * plan)
{
  g_atomic_int_inc (&plan->refcount);
  return plan;
}

void
vh_scope_plan_unref (VhScopePlan * plan)
{
  if (!g_atomic_int_dec_and_test (&plan->refcount))
    return;
  g_free (plan->graticules);
  g_free (plan->look.of_code);
  g_free (plan);
}

gboolean
vh_scope_plan_continues (const VhScopePlan * plan, const VhScopePlan * before,
    guint i)
{
  const VhScopeTrace *now = &plan->trace[i];
  const VhScopeTrace *then;

  if (!before || i >= plan->n_traces || i >= before->n_traces)
    return FALSE;
  then = &before->trace[i];
  if (now->kind != then->kind || now->columns != then->columns
      || now->levels != then->levels)
    return FALSE;
  /* Peaks of bars are in pixels, so another size invalidates them. */
  if (now->kind == VH_TRACE_HISTOGRAM && (now->width != then->width
          || now->height != then->height))
    return FALSE;
  return now->kind == VH_TRACE_CHROMA || now->value == then->value;
}

gsize
vh_scope_trace_cells (const VhScopeTrace * trace)
{
  return (gsize) trace->columns * trace->levels;
}

VhRect
vh_scope_trace_region (const VhScopeTrace * trace, const VhFrameView * view)
{
  const VhLayout *layout = view->layout;
  const gboolean of_chroma = trace->kind == VH_TRACE_CHROMA
      || trace->value == VH_SCOPE_U || trace->value == VH_SCOPE_V;

  if (!of_chroma || layout->model == VH_MODEL_RGB)
    return view->picture;
  if (layout->model == VH_MODEL_YUV)
    return vh_chroma_region (layout, &view->picture);
  return (VhRect) { 0, };
}

static gboolean
fits (guint at, guint size, guint room)
{
  return at <= room && size <= room - at;
}

static gboolean
panels_fit (const VhScopePlan * plan, const VhRect * picture, GError ** error)
{
  guint i;

  for (i = 0; i < plan->n_panels; i++) {
    const VhScopePanel *panel = &plan->panel[i];

    if (!fits (panel->x, panel->width, picture->width)
        || !fits (panel->y, panel->height, picture->height)) {
      g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "A scope of %ux%u pixels "
          "at %u,%u does not fit a picture of %ux%u", panel->width,
          panel->height, panel->x, panel->y, picture->width, picture->height);
      return FALSE;
    }
  }
  return TRUE;
}

/* Whether no pixel of the picture shares chroma with a pixel to the left of the
 * picture or above it. */
static gboolean
chroma_begins (const VhFrameView * view, GError ** error)
{
  const VhRect *picture = &view->picture;
  guint i;

  for (i = 0; i < view->layout->n_components; i++) {
    const VhComponent *component = &view->layout->component[i];

    if ((picture->x & ((1u << component->w_sub) - 1))
        || (picture->y & ((1u << component->h_sub) - 1))) {
      g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "The crop meta starts at "
          "%u,%u, where pixels share chroma with pixels outside the crop; "
          "start it at multiples of %ux%u", picture->x, picture->y,
          1u << component->w_sub, 1u << component->h_sub);
      return FALSE;
    }
  }
  return TRUE;
}

/* A crop meta may select more pixels than the caps have: there is no room for
 * them. */
static gboolean
is_as_large (const VhFrameView * view, GError ** error)
{
  const GstVideoInfo *info = &view->layout->info;
  const VhRect *picture = &view->picture;

  if (picture->width <= (guint) GST_VIDEO_INFO_WIDTH (info)
      && picture->height <= (guint) GST_VIDEO_INFO_FIELD_HEIGHT (info))
    return TRUE;
  g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "The crop meta selects %ux%u "
      "pixels, but the caps have %ux%u", picture->width, picture->height,
      GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_FIELD_HEIGHT (info));
  return FALSE;
}

gboolean
vh_scope_plan_takes (const VhScopePlan * plan, const VhFrameView * in,
    const VhFrameView * out, GError ** error)
{
  const VhRect *from = &in->picture, *to = &out->picture;
  guint p;

  if (!is_as_large (in, error) || !chroma_begins (in, error)
      || !panels_fit (plan, to, error))
    return FALSE;
  if (in != out && plan->shows_picture
      && (!fits (plan->picture_x, from->width, to->width)
          || !fits (plan->picture_y, from->height, to->height))) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "A picture of %ux%u pixels "
        "at %u,%u does not fit an output of %ux%u", from->width, from->height,
        plan->picture_x, plan->picture_y, to->width, to->height);
    return FALSE;
  }
  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if ((out->planes & (1u << p)) && !out->plane[p].memory) {
      g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "Plane %u lies across "
          "several memories and cannot be written", p);
      return FALSE;
    }
  }
  return TRUE;
}

static gint32
round_scale (gdouble scale)
{
  return lround (scale * ONE);
}

/* Weights of R, G and B for luma times @scale. */
static void
set_luma (gint32 weights[3], gdouble kr, gdouble kb, gdouble scale)
{
  weights[0] = round_scale (kr * scale);
  weights[2] = round_scale (kb * scale);
  weights[1] = round_scale (scale) - weights[0] - weights[2];
}

/* Weights for the difference of component @i (2 is B, 0 is R) from luma; it
 * spans @scale. They sum to 0, so that grey has no difference. */
static void
set_difference (gint32 weights[3], gdouble kr, gdouble kb, guint i,
    gdouble scale)
{
  const gdouble gain = scale / (2 * (1 - (i == 0 ? kr : kb)));

  weights[2 - i] = round_scale (-(i == 0 ? kb : kr) * gain);
  weights[1] = round_scale (-(1 - kr - kb) * gain);
  weights[i] = -weights[1] - weights[2 - i];
}

void
vh_scope_colors_init (VhScopeColors * colors, const VhLayout * layout)
{
  const guint up = layout->depth - 8;
  const gint max = (1 << layout->depth) - 1;
  const gboolean limited =
      layout->colorimetry.range != GST_VIDEO_COLOR_RANGE_0_255;
  const gdouble span = limited ? 219 << up : max;
  const gdouble chroma_span = limited ? 224 << up : max;
  const gint black = limited ? 16 << up : 0;
  gdouble kr, kb;
  guint i;

  gst_video_color_matrix_get_Kr_Kb (layout->matrix, &kr, &kb);
  *colors = (VhScopeColors) {
    .max = max,
    .grey = 1 << (layout->depth - 1),
  };
  if (layout->model == VH_MODEL_RGB) {
    for (i = 0; i < 3; i++) {
      colors->offset[i] = black;
      colors->scale[i][i] = round_scale (span / 255);
    }
    set_difference (colors->chroma[0], kr, kb, 2, (224 << up) / span);
    set_difference (colors->chroma[1], kr, kb, 0, (224 << up) / span);
    return;
  }
  colors->offset[0] = black;
  colors->offset[1] = colors->offset[2] = colors->grey;
  set_luma (colors->scale[0], kr, kb, span / 255);
  set_difference (colors->scale[1], kr, kb, 2, chroma_span / 255);
  set_difference (colors->scale[2], kr, kb, 0, chroma_span / 255);
}

static void
put_word (guint8 * pattern, guint length, guint at, guint stride, guint bytes,
    gboolean big_endian, guint32 word)
{
  guint i;

  for (; at + bytes <= length; at += stride) {
    for (i = 0; i < bytes; i++) {
      pattern[at + i] |= word >> 8 * (big_endian ? bytes - 1 - i : i);
    }
  }
}

/* Sets all bits of alpha, which is not a component of @layout. */
static void
put_alpha (const VhLayout * layout, guint plane, guint8 * pattern, guint length)
{
  const GstVideoFormatInfo *finfo = layout->info.finfo;
  const guint bytes = finfo->depth[GST_VIDEO_COMP_A] > 8 ? 2 : 1;
  const guint32 ones = (1u << finfo->depth[GST_VIDEO_COMP_A]) - 1;

  if (!GST_VIDEO_FORMAT_INFO_HAS_ALPHA (finfo)
      || finfo->plane[GST_VIDEO_COMP_A] != plane)
    return;
  if (layout->component[0].sample_bytes == 4) {
    /* GStreamer's tables do not say where alpha is in such words: it is above
     * the samples. */
    put_word (pattern, length, 0, 4, 4, layout->big_endian,
        ones << 3 * layout->depth);
    return;
  }
  put_word (pattern, length, finfo->poffset[GST_VIDEO_COMP_A],
      finfo->pixel_stride[GST_VIDEO_COMP_A], bytes, layout->big_endian,
      ones << finfo->shift[GST_VIDEO_COMP_A]);
}

guint
vh_scope_black (const VhScopeColors * colors, const VhLayout * layout,
    guint plane, guint8 pattern[VH_SCOPE_MAX_PATTERN])
{
  const GstVideoFormatInfo *finfo = layout->info.finfo;
  guint length = 0, i;

  for (i = 0; i < finfo->n_components; i++) {
    if (finfo->plane[i] == plane)
      length = MAX (length, (guint) finfo->pixel_stride[i]);
  }
  memset (pattern, 0, VH_SCOPE_MAX_PATTERN);
  for (i = 0; i < layout->n_components; i++) {
    const VhComponent *component = &layout->component[i];

    if (component->plane == plane) {
      put_word (pattern, length, component->offset, component->pixel_stride,
          component->sample_bytes, layout->big_endian,
          (guint32) colors->offset[i] << component->shift);
    }
  }
  put_alpha (layout, plane, pattern, length);
  return length;
}
