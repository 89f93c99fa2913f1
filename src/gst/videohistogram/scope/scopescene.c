/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scopescene.h"

/* The smallest height of text in pixels, and how many lines of text fit the
 * height of a scope. */
#define MIN_TEXT_HEIGHT 10
#define LINES_OF_TEXT 26

/* Fewer pixels beside the picture do not count as room. */
#define MIN_ROOM 16

/* Pixels between plots that have a graticule. */
#define GAP 4

/* The scopes that have a panel, in order; the width of each in a row of height
 * 1, and its height in a column of width 1. */
static const struct
{
  GstVideoScopes scope;
  gdouble width, height;
} kinds[] = {
  {GST_VIDEO_SCOPES_FALSE_COLOR, 0.65, 0.2},
  {GST_VIDEO_SCOPES_HISTOGRAM, 16.0 / 9, 9.0 / 16},
  {GST_VIDEO_SCOPES_WAVEFORM, 16.0 / 9, 9.0 / 16},
  {GST_VIDEO_SCOPES_PARADE, 16.0 / 9, 9.0 / 16},
  {GST_VIDEO_SCOPES_VECTORSCOPE, 1, 1},
};

static const struct
{
  guint n;
  guint value[VH_SCOPE_MAX_PLOTS];
} components[] = {
  [GST_VIDEO_SCOPE_COMPONENTS_LUMA] = {1, {VH_SCOPE_LUMA}},
  [GST_VIDEO_SCOPE_COMPONENTS_RGB] =
      {3, {VH_SCOPE_RED, VH_SCOPE_GREEN, VH_SCOPE_BLUE}},
  [GST_VIDEO_SCOPE_COMPONENTS_YUV] =
      {3, {VH_SCOPE_LUMA, VH_SCOPE_U, VH_SCOPE_V}},
};

/* The groups of output pixels that share chroma: edges of panels are multiples
 * of these. */
typedef struct
{
  guint x, y;
} Unit;

static Unit
unit_of (const VhLayout * layout)
{
  Unit unit = { 1, 1 };
  guint i;

  for (i = 0; i < layout->n_components; i++) {
    unit.x = MAX (unit.x, 1u << layout->component[i].w_sub);
    unit.y = MAX (unit.y, 1u << layout->component[i].h_sub);
  }
  return unit;
}

static guint
align_down (gdouble edge, guint unit)
{
  return (guint) edge / unit * unit;
}

static guint
align_up (guint edge, guint unit)
{
  return (edge + unit - 1) / unit * unit;
}

/* Views */

/* Adds the requested views. */
static void
add_views (VhScopeScene * scene, const GstVideoScopeSettings * settings,
    const VhLayout * in)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const GstVideoScopes scope = kinds[i].scope;

    if (!(settings->scopes & scope)
        || (scope == GST_VIDEO_SCOPES_FALSE_COLOR && (!scene->shows_picture
                || settings->graticule == GST_VIDEO_SCOPE_GRATICULE_NONE))
        || (scope == GST_VIDEO_SCOPES_VECTORSCOPE
            && in->model == VH_MODEL_GRAY))
      continue;
    scene->view[scene->n_views++].scope = scope;
  }
}

/* The extent of a view along a row or a column. */
static gdouble
extent_of (const VhScopeView * view, gboolean column)
{
  guint i = 0;

  while (kinds[i].scope != view->scope)
    i++;
  return column ? kinds[i].height : kinds[i].width;
}

static gdouble
sum_extents (const VhScopeView * view, guint n, gboolean column)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < n; i++)
    sum += extent_of (&view[i], column);
  return sum;
}

/* Fills @area with views side by side. */
static void
fill_row (VhScopeView * view, guint n, const VhRect * area, Unit unit)
{
  const gdouble sum = sum_extents (view, n, FALSE);
  guint i, x = area->x;
  gdouble before = 0;

  for (i = 0; i < n; i++) {
    guint end;

    before += extent_of (&view[i], FALSE);
    end = i == n - 1 ? area->x + area->width :
        align_down (area->x + area->width * before / sum, unit.x);
    view[i].rect = (VhRect) {
    x, area->y, end - x, area->height};
    x = end;
  }
}

/* Fills @area with views one below another. */
static void
fill_column (VhScopeView * view, guint n, const VhRect * area, Unit unit)
{
  const gdouble sum = sum_extents (view, n, TRUE);
  guint i, y = area->y;
  gdouble before = 0;

  for (i = 0; i < n; i++) {
    guint end;

    before += extent_of (&view[i], TRUE);
    end = i == n - 1 ? area->y + area->height :
        align_down (area->y + area->height * before / sum, unit.y);
    view[i].rect = (VhRect) {
    area->x, y, area->width, end - y};
    y = end;
  }
}

/* Fills @area with a grid that is as close to square as possible. */
static void
fill_grid (VhScopeScene * scene, const VhRect * area, Unit unit)
{
  guint columns = 1, rows, row, done = 0, y = area->y;

  while (columns * columns < scene->n_views)
    columns++;
  rows = (scene->n_views + columns - 1) / columns;
  for (row = 0; row < rows; row++) {
    const guint n = MIN (columns, scene->n_views - done);
    const guint end = row == rows - 1 ? area->y + area->height :
        align_down (area->y + (gdouble) area->height * (row + 1) / rows,
        unit.y);
    const VhRect part = { area->x, y, area->width, end - y };

    fill_row (scene->view + done, n, &part, unit);
    done += n;
    y = end;
  }
}

static gboolean
is_column (GstVideoScopePosition position)
{
  return position == GST_VIDEO_SCOPE_POSITION_LEFT
      || position == GST_VIDEO_SCOPE_POSITION_RIGHT;
}

static gboolean
is_top (GstVideoScopePosition position)
{
  return position <= GST_VIDEO_SCOPE_POSITION_TOP_RIGHT;
}

/* The share of the free room that goes to the left. */
static gdouble
left_share (GstVideoScopePosition position)
{
  switch (position) {
    case GST_VIDEO_SCOPE_POSITION_TOP_LEFT:
    case GST_VIDEO_SCOPE_POSITION_LEFT:
    case GST_VIDEO_SCOPE_POSITION_BOTTOM_LEFT:
      return 0;
    case GST_VIDEO_SCOPE_POSITION_TOP:
    case GST_VIDEO_SCOPE_POSITION_BOTTOM:
      return 0.5;
    default:
      return 1;
  }
}

/* Lays views in a row or a column over the @picture. */
static void
lay_over (VhScopeScene * scene, const GstVideoScopeSettings * settings,
    const VhRect * picture, Unit unit)
{
  const gboolean column = is_column (settings->position);
  const gdouble sum = sum_extents (scene->view, scene->n_views, column);
  gdouble width, height;
  VhRect area;

  if (column) {
    width = MIN (picture->width * settings->size, picture->height / sum);
    height = width * sum;
  } else {
    height = MIN (picture->height * settings->size, picture->width / sum);
    width = height * sum;
  }
  area.width = MIN (MAX (align_down (width, unit.x), unit.x), picture->width);
  area.height = MIN (MAX (align_down (height, unit.y), unit.y),
      picture->height);
  area.x = align_down ((picture->width - area.width) *
      left_share (settings->position), unit.x);
  area.y = column ? align_down ((picture->height -
          area.height) / 2, unit.y) : is_top (settings->position) ? 0 :
      align_down (picture->height - area.height, unit.y);
  if (column)
    fill_column (scene->view, scene->n_views, &area, unit);
  else
    fill_row (scene->view, scene->n_views, &area, unit);
}

/* Finds the room beside the picture, and places the picture; FALSE if there is
 * no room. */
static gboolean
find_room (VhScopeScene * scene, const GstVideoScopeSettings * settings,
    const VhRect * picture, const VhRect * output, Unit unit, VhRect * room)
{
  const guint across = output->width - picture->width;
  const guint down = output->height - picture->height;

  *room = *output;
  if (across >= MIN_ROOM && across >= down) {
    if (left_share (settings->position) == 0)
      room->width = scene->picture_x = align_down (across, unit.x);
    else
      room->x = align_up (picture->width, unit.x);
    room->width = MIN (room->width, output->width - room->x);
  } else if (down >= MIN_ROOM) {
    if (is_top (settings->position))
      room->height = scene->picture_y = align_down (down, unit.y);
    else
      room->y = align_up (picture->height, unit.y);
    room->height = MIN (room->height, output->height - room->y);
  } else {
    return FALSE;
  }
  return TRUE;
}

/* Plots */

/* Divides @rect into plots for @n values, as @mode says. */
static void
divide (VhScopeView * view, const VhRect * rect, GstVideoScopeMode mode,
    const guint * value, guint n, const VhLayout * in)
{
  const guint gap = view->text ? GAP : 0;
  const guint parts = mode == GST_VIDEO_SCOPE_MODE_OVERLAY ? 1 : n;
  guint i;

  view->n_plots = parts;
  for (i = 0; i < parts; i++) {
    VhScopePlot *plot = &view->plot[i];
    guint from, end;

    plot->rect = *rect;
    if (mode == GST_VIDEO_SCOPE_MODE_STACK) {
      from = rect->height * i / parts;
      end = rect->height * (i + 1) / parts;
      plot->rect.y += from;
      plot->rect.height = end - from;
      if (i < parts - 1 && plot->rect.height > 4 * gap)
        plot->rect.height -= gap;
    } else if (mode == GST_VIDEO_SCOPE_MODE_PARADE) {
      from = rect->width * i / parts;
      end = rect->width * (i + 1) / parts;
      plot->rect.x += from;
      plot->rect.width = end - from;
      if (i < parts - 1 && plot->rect.width > 4 * gap)
        plot->rect.width -= gap;
    }
    plot->n_values = parts == 1 ? n : 1;
    memcpy (plot->value, value + i, plot->n_values * sizeof (*value));
    vh_scope_axis_init (&plot->axis, in, value[i]);
  }
}

/* The largest square in the middle of @rect. */
static VhRect
square_in (const VhRect * rect)
{
  const guint side = MIN (rect->width, rect->height);

  return (VhRect) {
    .x = rect->x + (rect->width - side) / 2,
    .y = rect->y + (rect->height - side) / 2,
    .width = side,
    .height = side,
  };
}

/* The part of the view that the graticule's text leaves free. Text is above it;
 * waveforms also have text on the left, and histograms below. */
static VhRect
inside (VhScopeView * view, GstVideoScopeGraticule graticule)
{
  const VhRect *rect = &view->rect;
  const guint text = MAX (MIN_TEXT_HEIGHT, MIN (rect->height,
          rect->width) / LINES_OF_TEXT);
  guint left = text / 2, top = 2 * text, right = text / 2, bottom = text / 2;

  if (graticule == GST_VIDEO_SCOPE_GRATICULE_NONE)
    return *rect;
  if (view->scope == GST_VIDEO_SCOPES_HISTOGRAM)
    left = right = bottom = 2 * text;
  else if (view->scope != GST_VIDEO_SCOPES_VECTORSCOPE
      && view->scope != GST_VIDEO_SCOPES_FALSE_COLOR)
    left = 4 * text;
  if (rect->width < left + right + 3 * text
      || rect->height < top + bottom + 3 * text)
    return *rect;

  view->text = text;
  return (VhRect) {
    .x = rect->x + left,
    .y = rect->y + top,
    .width = rect->width - left - right,
    .height = rect->height - top - bottom,
  };
}

static void
add_plots (VhScopeView * view, const GstVideoScopeSettings * settings,
    const VhLayout * in)
{
  const VhRect rect = inside (view, settings->graticule);
  const gboolean parade = view->scope == GST_VIDEO_SCOPES_PARADE;
  guint of = settings->components;
  guint n;

  if (view->scope == GST_VIDEO_SCOPES_FALSE_COLOR)
    return;
  if (view->scope == GST_VIDEO_SCOPES_VECTORSCOPE) {
    view->n_plots = 1;
    view->plot[0].rect = square_in (&rect);
    return;
  }
  if (parade && of == GST_VIDEO_SCOPE_COMPONENTS_LUMA)
    of = GST_VIDEO_SCOPE_COMPONENTS_RGB;
  /* Grey has neither U nor V. */
  n = in->model == VH_MODEL_GRAY && of == GST_VIDEO_SCOPE_COMPONENTS_YUV ? 1 :
      components[of].n;
  divide (view, &rect, parade ? GST_VIDEO_SCOPE_MODE_PARADE : settings->mode,
      components[of].value, n, in);
}

/* Drops views and plots that have no pixels in a small output. */
static void
drop_empty (VhScopeScene * scene)
{
  guint n = 0, i, j;

  for (i = 0; i < scene->n_views; i++) {
    VhScopeView *view = &scene->view[i];
    guint n_plots = 0;

    for (j = 0; j < view->n_plots; j++) {
      if (view->plot[j].rect.width > 0 && view->plot[j].rect.height > 0)
        view->plot[n_plots++] = view->plot[j];
    }
    view->n_plots = n_plots;
    if (view->rect.width > 0 && view->rect.height > 0)
      scene->view[n++] = *view;
  }
  scene->n_views = n;
}

void
vh_scope_scene_arrange (VhScopeScene * scene,
    const GstVideoScopeSettings * settings, const VhLayout * in, guint width,
    guint height, const VhLayout * out)
{
  const Unit unit = unit_of (out);
  const VhRect picture = { 0, 0, width, height };
  const VhRect output = {
    .width = GST_VIDEO_INFO_WIDTH (&out->info),
    .height = GST_VIDEO_INFO_FIELD_HEIGHT (&out->info),
  };
  VhRect room;
  guint i;

  /* Scenes are compared byte by byte. */
  memset (scene, 0, sizeof (*scene));
  scene->shows_picture = settings->layout != GST_VIDEO_SCOPE_LAYOUT_ONLY
      && output.width >= width && output.height >= height;
  add_views (scene, settings, in);
  if (scene->n_views == 0)
    return;

  if (!scene->shows_picture) {
    fill_grid (scene, &output, unit);
  } else if (settings->layout == GST_VIDEO_SCOPE_LAYOUT_BESIDE
      && find_room (scene, settings, &picture, &output, unit, &room)) {
    if (room.height < output.height)
      fill_row (scene->view, scene->n_views, &room, unit);
    else
      fill_column (scene->view, scene->n_views, &room, unit);
  } else {
    scene->over_picture = TRUE;
    lay_over (scene, settings, &picture, unit);
  }
  for (i = 0; i < scene->n_views; i++)
    add_plots (&scene->view[i], settings, in);
  drop_empty (scene);
}
