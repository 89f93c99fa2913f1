/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws lines, numbers and names of scopes with Cairo and Pango. */
#include "scopegraticule.h"
#include "core/log.h"

#include <math.h>
#include <pango/pangocairo.h>

/* Lines are fainter than text. */
#define LINE_ALPHA 0.45
#define LIMIT_ALPHA 0.8

/* Half the side of the box of a target, in code values of 8 bits. */
#define BOX_75 5
#define BOX_100 3

/* The radius of the vectorscope's circle in 8-bit code values. Targets have
 * names only if the radius on the screen is at least this many times the height
 * of text. */
#define CHROMA_RADIUS 112
#define MIN_RADIUS_OF_NAMES 3.5

typedef struct
{
  gdouble red, green, blue;
} Color;

static const Color colors[] = {
  [GST_VIDEO_SCOPE_GRATICULE_GREEN] = {0.45, 0.9, 0.45},
  [GST_VIDEO_SCOPE_GRATICULE_AMBER] = {1, 0.75, 0.25},
  [GST_VIDEO_SCOPE_GRATICULE_WHITE] = {0.9, 0.9, 0.9},
};

static const Color limit_color = { 1, 0.3, 0.25 };
static const Color own_color = { 0.4, 0.85, 1 };
static const Color skin_color = { 0.8, 0.67, 0.6 };

static const gchar *const value_names[VH_SCOPE_N_VALUES] = {
  "luma", "red", "green", "blue", "U", "V"
};

static const gchar *const units[] = {
  [GST_VIDEO_SCOPE_SCALE_CODE] = "code",
  [GST_VIDEO_SCOPE_SCALE_PERCENT] = "%",
  [GST_VIDEO_SCOPE_SCALE_IRE] = "IRE",
  [GST_VIDEO_SCOPE_SCALE_MV] = "mV",
  [GST_VIDEO_SCOPE_SCALE_NITS] = "nits",
};

/* A view that is being drawn. */
typedef struct
{
  const VhScopeView *view;
  const VhLayout *layout;
  const VhScopeMarks *marks;
  cairo_t *cairo;
  PangoLayout *text;            /* NULL: there is no text */
  gdouble thickness;            /* of lines, in pixels */
} Drawing;

/* Where a text is placed relative to its point, as a share of its size. */
typedef struct
{
  gdouble x, y;
} Anchor;

static const Anchor at_left = { 1, 0.5 };
static const Anchor below = { 0.5, 0 };
static const Anchor from_top_left = { 0, 0 };
static const Anchor centred = { 0.5, 0.5 };

guint
vh_scope_graticule_place (gdouble code, guint depth, guint pixels)
{
  const gdouble place = (floor (code) + 0.5) * pixels / (1u << depth);

  return CLAMP (place, 0, pixels - 1);
}

static void
set_color (Drawing * drawing, const Color * color, gdouble alpha)
{
  cairo_set_source_rgba (drawing->cairo, color->red, color->green, color->blue,
      alpha);
}

static const Color *
own_graticule (const Drawing * drawing)
{
  return &colors[drawing->marks->graticule];
}

/* Text */

/* Without any font Pango would abort the process. */
static gboolean
has_fonts (void)
{
  PangoFontMap *map = pango_cairo_font_map_get_default ();
  PangoFontFamily **families;
  int n = 0;

  pango_font_map_list_families (map, &families, &n);
  g_free (families);
  if (n == 0)
    GST_WARNING ("no font is installed: scopes are drawn without text");
  return n > 0;
}

static PangoLayout *
new_text (cairo_t * cairo, guint height)
{
  PangoFontDescription *font;
  PangoLayout *text;

  if (height == 0 || !has_fonts ())
    return NULL;
  font = pango_font_description_from_string ("Sans");
  pango_font_description_set_absolute_size (font, height * PANGO_SCALE);
  text = pango_cairo_create_layout (cairo);
  pango_layout_set_font_description (text, font);
  pango_font_description_free (font);
  return text;
}

/* Writes @string in the current color, and clears any lines behind it. */
static void
write_text (Drawing * drawing, const gchar * string, gdouble x, gdouble y,
    const Anchor * anchor)
{
  gint width, height;

  if (!drawing->text)
    return;
  pango_layout_set_text (drawing->text, string, -1);
  pango_layout_get_pixel_size (drawing->text, &width, &height);
  x = round (x - width * anchor->x);
  y = round (y - height * anchor->y);
  cairo_save (drawing->cairo);
  cairo_set_operator (drawing->cairo, CAIRO_OPERATOR_CLEAR);
  cairo_rectangle (drawing->cairo, x, y, width, height);
  cairo_fill (drawing->cairo);
  cairo_restore (drawing->cairo);
  cairo_move_to (drawing->cairo, x, y);
  pango_cairo_show_layout (drawing->cairo, drawing->text);
  cairo_new_path (drawing->cairo);
}

/* Scales */

/* Where a plot lies in its view. */
static VhRect
in_view (const Drawing * drawing, const VhScopePlot * plot)
{
  return (VhRect) {
    .x = plot->rect.x - drawing->view->rect.x,
    .y = plot->rect.y - drawing->view->rect.y,
    .width = plot->rect.width,
    .height = plot->rect.height,
  };
}

static gboolean
is_histogram (const Drawing * drawing)
{
  return drawing->view->scope == GST_VIDEO_SCOPES_HISTOGRAM;
}

/* The distance of the line for @code from the side of code 0. */
static guint
place_of (const Drawing * drawing, const VhScopePlot * plot, gdouble code)
{
  return vh_scope_graticule_place (code, plot->axis.depth,
      is_histogram (drawing) ? plot->rect.width : plot->rect.height);
}

/* Draws a line across the plot at a code value: vertical in a histogram. */
static void
draw_line (Drawing * drawing, const VhScopePlot * plot, gdouble code)
{
  const VhRect rect = in_view (drawing, plot);
  const guint place = place_of (drawing, plot, code);
  const gdouble before = floor ((drawing->thickness - 1) / 2);

  if (is_histogram (drawing)) {
    cairo_rectangle (drawing->cairo, rect.x + place - before, rect.y,
        drawing->thickness, rect.height);
  } else {
    cairo_rectangle (drawing->cairo, rect.x,
        rect.y + rect.height - 1 - place - before, rect.width,
        drawing->thickness);
  }
  cairo_fill (drawing->cairo);
}

static void
draw_number (Drawing * drawing, const VhScopePlot * plot,
    const VhScopeLine * line)
{
  const VhRect rect = in_view (drawing, plot);
  const guint place = place_of (drawing, plot, line->code);

  if (is_histogram (drawing)) {
    write_text (drawing, line->label, rect.x + place + 0.5,
        rect.y + rect.height + 1, &below);
  } else {
    write_text (drawing, line->label, rect.x - drawing->view->text / 3.0,
        rect.y + rect.height - place - 0.5, &at_left);
  }
}

/* Draws the lines of the scale, with numbers if these do not touch; only the
 * first plot of a row has numbers for its levels. */
static void
draw_scale (Drawing * drawing, const VhScopePlot * plot, gboolean numbers)
{
  const guint apart = drawing->view->text *
      (is_histogram (drawing) ? 3.0 : 1.15);
  VhScopeLine line[VH_SCOPE_MAX_SCALE_LINES];
  const guint n = vh_scope_scale_lines (drawing->marks->scale, &plot->axis,
      line);
  guint last = 0, i;

  for (i = 0; i < n; i++) {
    const guint place = place_of (drawing, plot, line[i].code);

    set_color (drawing, own_graticule (drawing), LINE_ALPHA);
    draw_line (drawing, plot, line[i].code);
    if (!numbers || (i > 0 && place < last + apart))
      continue;
    set_color (drawing, own_graticule (drawing), 1);
    draw_number (drawing, plot, &line[i]);
    last = place;
  }
}

static void
draw_limits (Drawing * drawing, const VhScopePlot * plot)
{
  const VhScopeMarks *marks = drawing->marks;
  VhScopeLine line[VH_SCOPE_MAX_SCALE_LINES];
  const guint n = vh_scope_limit_lines (marks->limits, &plot->axis, line);
  guint i;

  set_color (drawing, &limit_color, LIMIT_ALPHA);
  for (i = 0; i < n; i++)
    draw_line (drawing, plot, line[i].code);
  set_color (drawing, &own_color, LIMIT_ALPHA);
  for (i = 0; i < marks->n_lines; i++) {
    const gdouble code = vh_scope_scale_code (marks->scale, &plot->axis,
        marks->line[i]);

    if (code >= 0 && code < 1u << plot->axis.depth)
      draw_line (drawing, plot, code);
  }
}

static void
draw_title (Drawing * drawing, const gchar * title)
{
  const gdouble text = drawing->view->text;

  set_color (drawing, own_graticule (drawing), 1);
  write_text (drawing, title, text / 2, text / 4, &from_top_left);
}

/* Such as "Waveform luma %". */
static gchar *
title_of (const Drawing * drawing)
{
  const VhScopeView *view = drawing->view;
  GString *title = g_string_new (is_histogram (drawing) ? "Histogram" :
      view->scope == GST_VIDEO_SCOPES_PARADE ? "Parade" : "Waveform");
  guint i, j;

  for (i = 0; i < view->n_plots; i++) {
    for (j = 0; j < view->plot[i].n_values; j++)
      g_string_append_printf (title, " %s", value_names[view->
              plot[i].value[j]]);
  }
  g_string_append_printf (title, " %s", units[drawing->marks->scale]);
  return g_string_free (title, FALSE);
}

static void
draw_levels (Drawing * drawing)
{
  const VhScopeView *view = drawing->view;
  gchar *title = title_of (drawing);
  guint i;

  draw_title (drawing, title);
  g_free (title);
  for (i = 0; i < view->n_plots; i++) {
    const VhScopePlot *plot = &view->plot[i];
    const gboolean lowest = plot->rect.y + plot->rect.height ==
        view->plot[view->n_plots - 1].rect.y +
        view->plot[view->n_plots - 1].rect.height;

    draw_scale (drawing, plot, is_histogram (drawing) ? lowest :
        plot->rect.x == view->plot[0].rect.x);
    draw_limits (drawing, plot);
  }
}

/* The vectorscope */

typedef struct
{
  gdouble x, y;
} Point;

/* Converts U and V in 8-bit code values to a point. */
static Point
chroma_point (const Drawing * drawing, gdouble u, gdouble v)
{
  const VhRect rect = in_view (drawing, &drawing->view->plot[0]);

  return (Point) {
    .x = rect.x + (u + 0.5) * rect.width / 256,
    .y = rect.y + rect.height - (v + 0.5) * rect.height / 256,
  };
}

static gdouble
chroma_unit (const Drawing * drawing)
{
  return drawing->view->plot[0].rect.width / 256.0;
}

/* Names of targets are between the targets and the centre; in a small circle
 * they would overlap. */
static gboolean
has_room_for_names (const Drawing * drawing)
{
  return CHROMA_RADIUS * chroma_unit (drawing) >=
      MIN_RADIUS_OF_NAMES * drawing->view->text;
}

/* Draws boxes around the targets of bars of @level, and their names if
 * @named. */
static void
draw_targets (Drawing * drawing, gdouble level, gdouble half, gboolean named)
{
  const gdouble side = half * chroma_unit (drawing);
  const gdouble away = 1.2 * drawing->view->text + side;
  VhScopeTarget target[VH_SCOPE_N_TARGETS];
  guint i;

  named &= has_room_for_names (drawing);
  vh_scope_targets (drawing->layout, level, target);
  for (i = 0; i < VH_SCOPE_N_TARGETS; i++) {
    const Point p = chroma_point (drawing, target[i].u, target[i].v);
    const gdouble u = target[i].u - 128, v = target[i].v - 128;
    const gdouble length = sqrt (u * u + v * v);

    cairo_rectangle (drawing->cairo, p.x - side, p.y - side, 2 * side,
        2 * side);
    cairo_stroke (drawing->cairo);
    if (named) {
      write_text (drawing, target[i].name, p.x - u / length * away,
          p.y + v / length * away, &centred);
    }
  }
}

static void
draw_skin_line (Drawing * drawing)
{
  const gdouble angle = drawing->marks->skin_line * G_PI / 180;
  const gdouble radius = CHROMA_RADIUS;
  const Point from = chroma_point (drawing, 128, 128);
  const Point to = chroma_point (drawing, 128 + radius * cos (angle),
      128 + radius * sin (angle));

  set_color (drawing, &skin_color, LIMIT_ALPHA);
  cairo_move_to (drawing->cairo, from.x, from.y);
  cairo_line_to (drawing->cairo, to.x, to.y);
  cairo_stroke (drawing->cairo);
}

static void
draw_chroma (Drawing * drawing)
{
  const VhScopeMarks *marks = drawing->marks;
  const Point centre = chroma_point (drawing, 128, 128);
  const gdouble radius = CHROMA_RADIUS * chroma_unit (drawing);

  draw_title (drawing, "Vectorscope");
  cairo_set_line_width (drawing->cairo, drawing->thickness);
  set_color (drawing, own_graticule (drawing), LINE_ALPHA);
  cairo_arc (drawing->cairo, centre.x, centre.y, radius, 0, 2 * G_PI);
  cairo_stroke (drawing->cairo);
  cairo_move_to (drawing->cairo, centre.x - radius, centre.y);
  cairo_line_to (drawing->cairo, centre.x + radius, centre.y);
  cairo_move_to (drawing->cairo, centre.x, centre.y - radius);
  cairo_line_to (drawing->cairo, centre.x, centre.y + radius);
  cairo_stroke (drawing->cairo);
  if (marks->skin_line != 0)
    draw_skin_line (drawing);

  set_color (drawing, own_graticule (drawing), 1);
  if (marks->targets & GST_VIDEO_SCOPE_TARGETS_PERCENT_75)
    draw_targets (drawing, 0.75, BOX_75, TRUE);
  if (marks->targets & GST_VIDEO_SCOPE_TARGETS_PERCENT_100)
    draw_targets (drawing, 1, BOX_100,
        !(marks->targets & GST_VIDEO_SCOPE_TARGETS_PERCENT_75));
}

/* The key of false color */

/* Fills a part of the key; @from and @to are shares of its length from its low
 * end. */
static void
fill_part (Drawing * drawing, const VhRect * rect, gdouble from, gdouble to)
{
  if (rect->height > rect->width) {
    cairo_rectangle (drawing->cairo, rect->x,
        rect->y + rect->height * (1 - to), rect->width,
        rect->height * (to - from));
  } else {
    cairo_rectangle (drawing->cairo, rect->x + rect->width * from, rect->y,
        rect->width * (to - from), rect->height);
  }
  cairo_fill (drawing->cairo);
}

/* Such as "38-42", "<2.5" or ">99". */
static void
write_band (Drawing * drawing, const VhRect * rect, const VhScopeBand * band,
    gdouble share)
{
  gchar label[40];

  if (band->from <= VH_SCOPE_ALL_BELOW)
    g_snprintf (label, sizeof (label), "<%g", band->to);
  else if (band->to >= VH_SCOPE_ALL_ABOVE)
    g_snprintf (label, sizeof (label), ">%g", band->from);
  else
    g_snprintf (label, sizeof (label), "%g-%g", band->from, band->to);
  set_color (drawing, own_graticule (drawing), 1);
  if (rect->height > rect->width)
    write_text (drawing, label, rect->x - drawing->view->text / 3.0,
        rect->y + rect->height * (1 - share), &at_left);
  else
    write_text (drawing, label, rect->x + rect->width * share,
        rect->y + rect->height + 1, &below);
}

/* Places the bands of the key; TRUE if there is room for text beside them. */
static gboolean
place_key (const Drawing * drawing, VhRect * rect)
{
  const VhRect *whole = &drawing->view->rect;
  const guint text = drawing->view->text;

  if (!drawing->text || whole->width < 6 * text || whole->height < 5 * text) {
    *rect = (VhRect) {
    0, 0, whole->width, whole->height};
    return FALSE;
  }
  *rect = (VhRect) {
  text / 2, 2 * text, whole->width - text, whole->height - 4 * text};
  if (whole->height > whole->width) {
    rect->x = 4 * text;
    rect->width = whole->width - 5 * text;
    rect->height = whole->height - 3 * text;
  }
  return TRUE;
}

/* Draws the bands, all equally high, from the lowest, each with its range in
 * percent. */
static void
draw_key (Drawing * drawing)
{
  const VhScopeTable *table = drawing->marks->table;
  VhRect rect;
  const gboolean labelled = place_key (drawing, &rect);
  const gdouble apart = drawing->view->text *
      (rect.height > rect.width ? 1.1 : 4);
  gdouble last = -1;
  guint i;

  if (!table || table->n_bands == 0)
    return;
  if (labelled)
    draw_title (drawing, "%");
  for (i = 0; i < table->n_bands; i++) {
    const VhScopeBand *band = &table->band[i];
    const gdouble from = (gdouble) i / table->n_bands;
    const gdouble to = (i + 1.0) / table->n_bands;

    if (band->grey)
      cairo_set_source_rgb (drawing->cairo, 0.5, 0.5, 0.5);
    else
      cairo_set_source_rgb (drawing->cairo, band->rgb[0] / 255.0,
          band->rgb[1] / 255.0, band->rgb[2] / 255.0);
    fill_part (drawing, &rect, from, to);
    if (labelled && (from - last) * MAX (rect.width, rect.height) > apart) {
      write_band (drawing, &rect, band, (from + to) / 2);
      last = from;
    }
  }
}

static void
draw_view (Drawing * drawing)
{
  switch (drawing->view->scope) {
    case GST_VIDEO_SCOPES_VECTORSCOPE:
      draw_chroma (drawing);
      break;
    case GST_VIDEO_SCOPES_FALSE_COLOR:
      draw_key (drawing);
      break;
    default:
      draw_levels (drawing);
      break;
  }
}

void
vh_scope_graticule_draw (const VhScopeView * view, const VhLayout * layout,
    const VhScopeMarks * marks, guint32 * pixels)
{
  const guint width = view->rect.width, height = view->rect.height;
  cairo_surface_t *surface;
  Drawing drawing = {
    .view = view,
    .layout = layout,
    .marks = marks,
    .thickness = MAX (1, round (view->text / 14.0)),
  };

  memset (pixels, 0, (gsize) width * height * 4);
  if (marks->graticule == GST_VIDEO_SCOPE_GRATICULE_NONE)
    return;
  /* With 32 bits per pixel, rows of a surface have no padding. */
  surface = cairo_image_surface_create_for_data ((guchar *) pixels,
      CAIRO_FORMAT_ARGB32, width, height, width * 4);
  drawing.cairo = cairo_create (surface);
  if (cairo_status (drawing.cairo) == CAIRO_STATUS_SUCCESS) {
    drawing.text = new_text (drawing.cairo, view->text);
    draw_view (&drawing);
    g_clear_object (&drawing.text);
  } else {
    GST_WARNING ("cannot draw a graticule of %ux%u pixels: %s", width, height,
        cairo_status_to_string (cairo_status (drawing.cairo)));
  }
  cairo_destroy (drawing.cairo);
  cairo_surface_destroy (surface);
}
