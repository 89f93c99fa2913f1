/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "camera.h"

#include <math.h>
#include <string.h>

/* Normally distributed random numbers, read from random positions. */
#define N_NOISE (1 << 16)

static gfloat noise_table[N_NOISE];

static void
fill_noise (void)
{
  TestRandom random = test_random_new (0);
  guint i, k;

  if (noise_table[0] != 0)
    return;
  for (i = 0; i < N_NOISE; i++) {
    gdouble sum = -6;

    for (k = 0; k < 12; k++)
      sum += random_share (&random);
    noise_table[i] = sum;
  }
}

Camera *
camera_new (const Footage * footage, GstVideoFormat format, guint width,
    guint height, guint64 seed)
{
  Camera *camera = g_new0 (Camera, 1);

  fill_noise ();
  camera->footage = footage;
  camera->format = format;
  camera->width = width;
  camera->height = height;
  camera->random = test_random_new (seed);
  camera->weather = (Weather) {.light = 1,.headlights = -1,.lamp = 1};
  camera->start = random_between (&camera->random, 0, footage->n_frames);
  camera->speed = random_between (&camera->random, 0.7, 1.2) * footage->fps;
  camera->view_x = random_share (&camera->random);
  camera->view_y = random_share (&camera->random);
  /* A sensor always has noise: 0.6 to 2.5 codes. */
  camera->noise = random_between (&camera->random, 0.6, 2.5) / 255;
  camera->pace = random_between (&camera->random, 0.5, 3);
  camera->max_gain = random_between (&camera->random, 12, 24);
  camera->gain = 1;
  camera->auto_exposure = TRUE;
  camera->phase = random_share (&camera->random);
  camera->weather.people = test_random_below (&camera->random, 4);
  camera->y = g_new (gfloat, width * height);
  camera->u = g_new (gfloat, width * height / 4);
  camera->v = g_new (gfloat, width * height / 4);
  camera->scratch = g_new (gfloat, width * height);
  return camera;
}

void
camera_free (Camera * camera)
{
  g_free (camera->kept);
  g_free (camera->scratch);
  g_free (camera->v);
  g_free (camera->u);
  g_free (camera->y);
  g_free (camera);
}

/* Cuts a window out of a plane, cross-fading two frames of the footage. */
static void
look (const guint8 * a, const guint8 * b, guint stride, guint x, guint y,
    guint width, guint height, gdouble share, gfloat * to, gdouble zero,
    gdouble scale)
{
  guint row, column;

  for (row = 0; row < height; row++) {
    const guint8 *from_a = a + (y + row) * stride + x;
    const guint8 *from_b = b + (y + row) * stride + x;
    const gfloat of_b = share * scale, of_a = scale - of_b;
    const gfloat less = zero * scale;

    for (column = 0; column < width; column++)
      *to++ = from_a[column] * of_a + from_b[column] * of_b - less;
  }
}

/* The footage plays forward and backward, so that nothing jumps. */
static void
look_at_footage (Camera * camera)
{
  const Footage *f = camera->footage;
  const guint n = f->n_frames, turn = MAX (2 * n - 2, 1);
  const gsize size = (gsize) f->width * f->height;
  const gdouble at = camera->start + camera->time * camera->speed;
  const guint i = (guint64) at % turn, next = (i + 1) % turn;
  const guint8 *a = f->frames + (i < n ? i : turn - i) * size * 3 / 2;
  const guint8 *b = f->frames + (next < n ? next : turn - next) * size * 3 / 2;
  const guint w = camera->width / 2, h = camera->height / 2;
  const guint x = camera->view_x * (f->width / 2 - w);
  const guint y = camera->view_y * (f->height / 2 - h);
  const gdouble share = at - floor (at);

  look (a, b, f->width, 2 * x, 2 * y, 2 * w, 2 * h, share, camera->y, 16,
      1 / 219.0);
  look (a + size, b + size, f->width / 2, x, y, w, h, share, camera->u, 128,
      1 / 224.0);
  look (a + size * 5 / 4, b + size * 5 / 4, f->width / 2, x, y, w, h, share,
      camera->v, 128, 1 / 224.0);
}

/* Draws an ellipse of level @level without color. With @light its edges are
 * soft and it is added to the picture. */
static void
draw (Camera * camera, gdouble x, gdouble y, gdouble rx, gdouble ry,
    gdouble level, gboolean light)
{
  const gdouble reach = light ? 2.5 : 1;
  const gint top = MAX ((y - reach * ry) * camera->height, 0);
  const gint bottom = MIN ((y + reach * ry) * camera->height,
      (gint) camera->height);
  const gint left = MAX ((x - reach * rx) * camera->width, 0);
  const gint right = MIN ((x + reach * rx) * camera->width,
      (gint) camera->width);
  gint row, column;

  for (row = top; row < bottom; row++) {
    for (column = left; column < right; column++) {
      gfloat *const to = &camera->y[row * camera->width + column];
      const gdouble dx = ((gdouble) column / camera->width - x) / rx;
      const gdouble dy = ((gdouble) row / camera->height - y) / ry;
      const gdouble d = dx * dx + dy * dy;

      if (light)
        *to += level * exp (-2 * d);
      else if (d < 1)
        *to = level * (1 + 0.3 * sin (9 * dy));
    }
  }
}

static void
add_people (Camera * camera)
{
  guint i;

  for (i = 0; i < camera->weather.people; i++) {
    const gdouble pace = 0.02 + 0.013 * i;
    const gdouble at = camera->phase * 7 + i * 0.37 + camera->time * pace;
    const gdouble x = 1.2 * fabs (2 * (at - floor (at)) - 1) - 0.1;
    const gdouble size = 0.07 + 0.03 * (i % 3);

    draw (camera, x, 0.45 + 0.15 * (i % 3), size * 0.35, size,
        0.12 + 0.2 * (i % 4), FALSE);
  }
}

static void
add_rain (Camera * camera)
{
  const guint n = camera->weather.rain * camera->width * camera->height / 8;
  const guint length = MAX (camera->height / 24, 3);
  guint i, k;

  for (i = 0; i < n; i++) {
    const guint x = test_random_below (&camera->random, camera->width);
    const guint y = test_random_below (&camera->random,
        camera->height - length);

    for (k = 0; k < length; k++)
      camera->y[(y + k) * camera->width + x] += 0.12;
  }
}

static void
add_weather (Camera * camera)
{
  const Weather *weather = &camera->weather;
  const gdouble sun = weather->light;
  guint i, n = camera->width * camera->height;

  add_people (camera);
  for (i = 0; i < n; i++)
    camera->y[i] *= sun;
  /* Color fades with the light. */
  for (i = 0; i < n / 4; i++) {
    camera->u[i] *= sun;
    camera->v[i] *= sun;
  }
  if (weather->lamp > 0)
    draw (camera, 0.3 + 0.4 * camera->phase, 0.3, 0.25, 0.3,
        0.12 * weather->lamp, TRUE);
  if (weather->headlights >= 0) {
    draw (camera, weather->headlights, 0.6, 0.08, 0.06, 0.5, TRUE);
    draw (camera, weather->headlights - 0.08, 0.6, 0.02, 0.03, 0.9, TRUE);
  }
  add_rain (camera);
}

static void
expose (Camera * camera, gdouble passed)
{
  const guint n = camera->width * camera->height;
  gdouble mean = 0, wanted;
  guint i;

  for (i = 0; i < n; i += 3)
    mean += CLAMP (camera->y[i], 0, 4);
  mean /= (n + 2) / 3;
  if (camera->target == 0)
    camera->target = CLAMP (mean, 0.3, 0.5);
  if (camera->auto_exposure) {
    wanted = CLAMP (camera->target / MAX (mean, 1e-3), 0.4, camera->max_gain);
    camera->gain *= pow (wanted / camera->gain,
        1 - exp (-passed / camera->pace));
  }
  for (i = 0; i < n; i++)
    camera->y[i] *= camera->gain;
  for (i = 0; i < n / 4; i++) {
    camera->u[i] *= camera->gain;
    camera->v[i] *= camera->gain;
  }
}

/* Amplifier noise; the coder keeps a part of it, and shifts blocks. */
static void
add_noise (Camera * camera, gfloat * plane, guint width, guint height,
    gdouble noise)
{
  const gfloat block_noise = 0.4 / 255;
  const gfloat scale = noise;
  gfloat block[256];
  guint row, column;

  for (row = 0; row < height; row++) {
    const guint at = test_random_below (&camera->random, N_NOISE - 4096);
    const gfloat *from = noise_table + at;

    if (row % 8 == 0) {
      for (column = 0; column < MIN (width / 8 + 1, 256); column++)
        block[column] = block_noise * noise_table[(at * 7 + column * 13)
            % N_NOISE];
    }
    for (column = 0; column < width; column++)
      plane[row * width + column] += from[column] * scale
          + block[MIN (column / 8, 255)];
  }
}

static void
add_sensor (Camera * camera)
{
  const gdouble noise = camera->noise * sqrt (MAX (camera->gain, 1));
  const guint w = camera->width, h = camera->height;

  if (camera->weather.infrared) {
    memset (camera->u, 0, w * h / 4 * sizeof (gfloat));
    memset (camera->v, 0, w * h / 4 * sizeof (gfloat));
  } else {
    add_noise (camera, camera->u, w / 2, h / 2, noise / 2);
    add_noise (camera, camera->v, w / 2, h / 2, noise / 2);
  }
  add_noise (camera, camera->y, w, h, noise);
}

static guint
quantize (gfloat value, guint zero, gfloat scale, guint max)
{
  const gfloat code = value * scale + zero + 0.5f;

  return code <= 0 ? 0 : MIN ((guint) code, max);
}

static void
store (const gfloat * plane, GstVideoFrame * frame, guint component,
    guint zero, gfloat scale)
{
  const guint depth = GST_VIDEO_FRAME_COMP_DEPTH (frame, component);
  const guint step = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, component);
  const gint width = GST_VIDEO_FRAME_COMP_WIDTH (frame, component);
  const guint more = depth - 8;
  gint row, column;

  for (row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT (frame, component); row++) {
    guint8 *to = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, component)
        + row * GST_VIDEO_FRAME_COMP_STRIDE (frame, component);

    for (column = 0; column < width; column++, to += step) {
      const guint code = quantize (*plane++, zero << more, scale * (1 << more),
          (1 << depth) - 1);

      if (depth > 8)
        GST_WRITE_UINT16_LE (to, code);
      else
        *to = code;
    }
  }
}

static GstBuffer *
make_buffer (Camera * camera)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  GstBuffer *buffer;

  gst_video_info_set_format (&info, camera->format, camera->width,
      camera->height);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, 0, info.size);
  gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE);
  store (camera->y, &frame, 0, 16, 219);
  store (camera->u, &frame, 1, 128, 224);
  store (camera->v, &frame, 2, 128, 224);
  gst_video_frame_unmap (&frame);
  return buffer;
}

GstBuffer *
camera_take (Camera * camera, gdouble time, const Impairment * impairment,
    const gdouble * p, gdouble amount)
{
  const gdouble view_x = camera->view_x, view_y = camera->view_y;
  const gdouble passed = time - camera->time;
  const gboolean wrong = impairment && amount > 0;
  const Stage stage = impairment ? impairment->stage : STAGE_VIEW;

  camera->time = time;
  camera->weather.infrared = FALSE;
  if (wrong && stage == STAGE_VIEW)
    impairment->apply (camera, p, amount);
  look_at_footage (camera);
  camera->view_x = view_x;
  camera->view_y = view_y;
  add_weather (camera);
  if (wrong && stage == STAGE_SCENE)
    impairment->apply (camera, p, amount);
  expose (camera, passed);
  if (wrong && stage == STAGE_SENSOR)
    impairment->apply (camera, p, amount);
  add_sensor (camera);
  if (stage == STAGE_STREAM && (wrong || camera->kept))
    impairment->apply (camera, p, amount);
  return make_buffer (camera);
}
