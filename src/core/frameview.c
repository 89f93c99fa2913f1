/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the planes of a buffer, and proves that they lie in its memories. Until
 * then, nothing that the buffer or its metas say is trusted. */
#include "frameview.h"
#include "error.h"

#define FRAME_ERROR VH_ERROR, VH_ERROR_FRAME

/* What the caps, or the buffer's video meta if it has one, say about the
 * planes. */
typedef struct
{
  guint width, height;          /* pixels */
  const gsize *offset;          /* bytes, per plane */
  const gint *stride;           /* bytes, per plane */
} Claim;

static gboolean
read_claim (Claim * claim, const VhLayout * layout, GstBuffer * buffer,
    GError ** error)
{
  const GstVideoInfo *info = &layout->info;
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  claim->width = GST_VIDEO_INFO_WIDTH (info);
  claim->height = GST_VIDEO_INFO_FIELD_HEIGHT (info);
  claim->offset = info->offset;
  claim->stride = info->stride;
  if (!meta)
    return TRUE;

  if (meta->format != GST_VIDEO_INFO_FORMAT (info)
      || meta->n_planes != GST_VIDEO_INFO_N_PLANES (info)) {
    g_set_error (error, FRAME_ERROR, "The format of the video meta differs "
        "from that of the caps");
    return FALSE;
  }
  /* If a crop meta selects a part, the planes may be larger. */
  if (!gst_buffer_get_video_crop_meta (buffer)
      && (meta->width != claim->width || meta->height != claim->height)) {
    g_set_error (error, FRAME_ERROR, "The video meta has %ux%u pixels, but the "
        "caps have %ux%u", meta->width, meta->height, claim->width,
        claim->height);
    return FALSE;
  }
  claim->width = meta->width;
  claim->height = meta->height;
  claim->offset = meta->offset;
  claim->stride = meta->stride;
  return TRUE;
}

static gboolean
find_picture (VhFrameView * view, const Claim * claim, GError ** error)
{
  GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (view->buffer);

  view->picture = (VhRect) {
  0, 0, claim->width, claim->height};

  if (crop) {
    if (crop->width == 0 || crop->height == 0
        || (guint64) crop->x + crop->width > claim->width
        || (guint64) crop->y + crop->height > claim->height) {
      g_set_error (error, FRAME_ERROR, "The crop meta %u,%u,%u,%u exceeds the "
          "frame of %ux%u pixels", crop->x, crop->y, crop->width, crop->height,
          claim->width, claim->height);
      return FALSE;
    }
    view->picture = (VhRect) {
    crop->x, crop->y, crop->width, crop->height};
  }
  return TRUE;
}

static guint
subsampled (guint size, guint sub)
{
  return (size >> sub) + ((size & ((1u << sub) - 1)) != 0);
}

/* Sets the rows of plane @p, and the bytes of a row up to the end of its last
 * pixel: whole pixels, because counting may read what lies between the samples.
 * A plane may hold only alpha, which is not a component of the layout. */
static void
measure_plane (VhPlane * plane, const VhLayout * layout, guint p,
    const Claim * claim)
{
  const GstVideoFormatInfo *finfo = layout->info.finfo;
  guint i;

  plane->rows = 0;
  plane->row_bytes = 0;
  for (i = 0; i < finfo->n_components; i++) {
    gsize end;

    if (finfo->plane[i] != p)
      continue;
    end = (gsize) subsampled (claim->width, finfo->w_sub[i]) *
        finfo->pixel_stride[i];
    plane->row_bytes = MAX (plane->row_bytes, end);
    plane->rows = MAX (plane->rows, subsampled (claim->height,
            finfo->h_sub[i]));
  }
}

/* Finds the memory that holds all @size bytes from @plane->offset, if one
 * does. */
static gboolean
locate_plane (VhPlane * plane, GstBuffer * buffer, gsize size)
{
  guint index, length;
  gsize skip;

  if (!gst_buffer_find_memory (buffer, plane->offset, size, &index, &length,
          &skip))
    return FALSE;

  if (length == 1) {
    plane->memory = gst_buffer_peek_memory (buffer, index);
    plane->memory_offset = skip;
  }
  return TRUE;
}

static gboolean
prove_plane (VhFrameView * view, guint p, const Claim * claim, GError ** error)
{
  VhPlane *plane = &view->plane[p];
  gsize size, end;

  measure_plane (plane, view->layout, p, claim);

  if (claim->stride[p] <= 0 || (gsize) claim->stride[p] < plane->row_bytes) {
    g_set_error (error, FRAME_ERROR, "Plane %u has a stride of %d bytes for "
        "rows of %" G_GSIZE_FORMAT, p, claim->stride[p], plane->row_bytes);
    return FALSE;
  }
  plane->stride = claim->stride[p];
  plane->offset = claim->offset[p];

  if (!g_size_checked_mul (&size, plane->rows - 1, plane->stride)
      || !g_size_checked_add (&size, size, plane->row_bytes)
      || !g_size_checked_add (&end, size, plane->offset)
      || end > gst_buffer_get_size (view->buffer)
      || !locate_plane (plane, view->buffer, size)) {
    g_set_error (error, FRAME_ERROR, "Plane %u does not fit: %u rows of %"
        G_GSIZE_FORMAT " bytes, %" G_GSIZE_FORMAT " apart, from byte %"
        G_GSIZE_FORMAT " of a buffer of %" G_GSIZE_FORMAT, p, plane->rows,
        plane->row_bytes, plane->stride, plane->offset,
        gst_buffer_get_size (view->buffer));
    return FALSE;
  }
  return TRUE;
}

gboolean
vh_frame_view_init (VhFrameView * view, const VhLayout * layout,
    GstBuffer * buffer, guint planes, GError ** error)
{
  Claim claim;
  guint p;

  memset (view, 0, sizeof (*view));
  view->layout = layout;
  view->buffer = buffer;

  if (!read_claim (&claim, layout, buffer, error)
      || !find_picture (view, &claim, error))
    return FALSE;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if (!(planes & (1u << p)))
      continue;
    if (!prove_plane (view, p, &claim, error))
      return FALSE;
    view->planes |= 1u << p;
  }
  return TRUE;
}

static gsize
plane_size (const VhPlane * plane)
{
  return (plane->rows - 1) * plane->stride + plane->row_bytes;
}

/* Copies @size bytes from @offset of the buffer, memory by memory:
 * gst_buffer_extract() may replace the memories that it maps. */
static gboolean
gather_bytes (GstBuffer * buffer, gsize offset, guint8 * to, gsize size)
{
  const guint n = gst_buffer_n_memory (buffer);
  guint i;

  for (i = 0; i < n && size > 0; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    gsize there = gst_memory_get_sizes (memory, NULL, NULL), part;
    GstMapInfo map;

    if (offset >= there) {
      offset -= there;
      continue;
    }
    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      return FALSE;
    there = MIN (there, map.size);
    part = there > offset ? MIN (there - offset, size) : 0;
    memcpy (to, map.data + offset, part);
    gst_memory_unmap (memory, &map);
    if (part == 0)
      return FALSE;
    to += part;
    size -= part;
    offset = 0;
  }
  return size == 0;
}

static gboolean
gather_plane (VhFrameView * view, VhPlane * plane, GError ** error)
{
  const gsize size = plane_size (plane);

  plane->gathered = g_try_malloc (size);
  if (!plane->gathered
      || !gather_bytes (view->buffer, plane->offset, plane->gathered, size)) {
    g_set_error (error, FRAME_ERROR, "Cannot assemble a plane of %"
        G_GSIZE_FORMAT " bytes from several memories", size);
    return FALSE;
  }
  plane->data = plane->gathered;
  return TRUE;
}

/* Maps the memory itself: gst_buffer_map_range() may put another memory into
 * the buffer, which must not change. */
static gboolean
map_plane (VhPlane * plane, GstMapFlags flags, GError ** error)
{
  if (!gst_memory_map (plane->memory, &plane->map, flags)) {
    plane->map.memory = NULL;
    g_set_error (error, FRAME_ERROR, "Cannot map memory of type %s",
        plane->memory->allocator ?
        plane->memory->allocator->mem_type : "(none)");
    return FALSE;
  }
  if (plane->memory_offset > plane->map.size
      || plane_size (plane) > plane->map.size - plane->memory_offset) {
    g_set_error (error, FRAME_ERROR, "Only %" G_GSIZE_FORMAT " bytes of a "
        "memory can be mapped, but its plane ends at byte %" G_GSIZE_FORMAT,
        plane->map.size,
        plane->memory_offset + plane_size (plane));
    return FALSE;
  }
  plane->data = plane->map.data + plane->memory_offset;
  return TRUE;
}

gboolean
vh_frame_view_map (VhFrameView * view, GstMapFlags flags, GError ** error)
{
  const gboolean to_host = flags < GST_MAP_FLAG_LAST;
  guint p;

  if (to_host && view->not_for_host) {
    g_set_error (error, FRAME_ERROR, "A memory was made smaller after it was "
        "allocated, so the CPU cannot read it");
    return FALSE;
  }
  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    VhPlane *plane = &view->plane[p];

    if (!(view->planes & (1u << p)))
      continue;
    if (!(plane->memory ? map_plane (plane, flags, error) :
            gather_plane (view, plane, error))) {
      vh_frame_view_unmap (view);
      return FALSE;
    }
  }
  return TRUE;
}

void
vh_frame_view_unmap (VhFrameView * view)
{
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    VhPlane *plane = &view->plane[p];

    if (plane->map.memory)
      gst_memory_unmap (plane->memory, &plane->map);
    plane->map.memory = NULL;
    g_clear_pointer (&plane->gathered, g_free);
    plane->data = NULL;
  }
}

/* Whether @a and @b are equal modulo 2^@sub. */
static gboolean
is_aligned (guint a, guint b, guint sub)
{
  return ((a ^ b) & ((1u << sub) - 1)) == 0;
}

gboolean
vh_frame_view_takes (const VhFrameView * out, const VhFrameView * in,
    GError ** error)
{
  const GstVideoFormatInfo *finfo = in->layout->info.finfo;
  const VhRect *from = &in->picture, *to = &out->picture;
  guint i, p;

  if (from->width != to->width || from->height != to->height) {
    g_set_error (error, FRAME_ERROR, "The picture has %ux%u pixels, but its "
        "destination has %ux%u", from->width, from->height, to->width,
        to->height);
    return FALSE;
  }
  for (i = 0; i < finfo->n_components; i++) {
    if (!is_aligned (from->x, to->x, finfo->w_sub[i])
        || !is_aligned (from->y, to->y, finfo->h_sub[i])) {
      g_set_error (error, FRAME_ERROR, "The crop meta starts at %u,%u, but "
          "the destination at %u,%u: both must start at the same place within "
          "the block of pixels that shares chroma", from->x, from->y, to->x,
          to->y);
      return FALSE;
    }
  }
  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if ((out->planes & (1u << p)) && !out->plane[p].memory) {
      g_set_error (error, FRAME_ERROR, "Plane %u lies across several memories "
          "and cannot be written", p);
      return FALSE;
    }
  }
  return TRUE;
}

VhRect
vh_layout_bytes (const VhLayout * layout, const VhRect * pixels, guint p)
{
  const GstVideoFormatInfo *finfo = layout->info.finfo;
  guint left = G_MAXUINT, right = 0, top = G_MAXUINT, bottom = 0, i;

  for (i = 0; i < finfo->n_components; i++) {
    const guint stride = finfo->pixel_stride[i];
    const guint w_sub = finfo->w_sub[i], h_sub = finfo->h_sub[i];

    if (finfo->plane[i] != p)
      continue;
    left = MIN (left, (pixels->x >> w_sub) * stride);
    right = MAX (right,
        (((pixels->x + pixels->width - 1) >> w_sub) + 1) * stride);
    top = MIN (top, pixels->y >> h_sub);
    bottom = MAX (bottom, ((pixels->y + pixels->height - 1) >> h_sub) + 1);
  }
  return (VhRect) {
  left, top, right - left, bottom - top};
}

void
vh_frame_view_match (const VhFrameView * out, const VhFrameView * in, guint p,
    VhRect * to, VhRect * from)
{
  const VhPlane *a = &in->plane[p], *b = &out->plane[p];

  *from = vh_layout_bytes (in->layout, &in->picture, p);
  *to = vh_layout_bytes (out->layout, &out->picture, p);
  if (a->rows == b->rows && a->row_bytes == b->row_bytes
      && from->x == to->x && from->y == to->y) {
    *from = *to = (VhRect) {
    0, 0, a->row_bytes, a->rows};
  }
}

void
vh_frame_view_copy (VhFrameView * out, const VhFrameView * in, guint planes)
{
  guint p, y;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    const VhPlane *from = &in->plane[p], *to = &out->plane[p];
    VhRect a, b;

    if (!(in->planes & out->planes & planes & (1u << p)))
      continue;
    vh_frame_view_match (out, in, p, &b, &a);
    for (y = 0; y < a.height; y++) {
      memcpy ((guint8 *) to->data + (b.y + y) * to->stride + b.x,
          from->data + (a.y + y) * from->stride + a.x, a.width);
    }
  }
}
