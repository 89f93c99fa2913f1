/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A device without pixels in place of the CPU, which records what it is asked
 * for. For tests that link the library statically. */
#pragma once

#include <gst/check/gstcheck.h>

#include "core/error.h"
#include "cpu/cpudevice.h"

G_BEGIN_DECLS

#define TEST_NO_ERROR -1

/* What was done since this was last cleared. */
static struct
{
  guint devices, counters;      /* numbers of configure calls */
  guint begun, ended, waited;   /* waited: frames that wait for room */
} fake;

/* The code of the error with which the next frame is refused, or
 * TEST_NO_ERROR. */
static gint fake_error = TEST_NO_ERROR;

static inline VhDevice *
fake_open (G_GNUC_UNUSED const VhDeviceConfig * config,
    G_GNUC_UNUSED GError ** error)
{
  VhDevice *device = g_new0 (VhDevice, 1);

  device->klass = &vh_cpu_device_class;
  return device;
}

static inline void
fake_close (VhDevice * device)
{
  g_free (device);
}

static inline gboolean
fake_configure (G_GNUC_UNUSED VhDevice * device,
    G_GNUC_UNUSED const VhLayout * layout, G_GNUC_UNUSED guint upload_planes,
    G_GNUC_UNUSED GError ** error)
{
  fake.devices++;
  return TRUE;
}

static inline VhFrame *
fake_begin (G_GNUC_UNUSED VhDevice * device, VhFrameView * view,
    VhFrameAccess access, gboolean wait, GError ** error)
{
  VhFrame *frame;

  fail_unless (access == VH_FRAME_READ);
  fake.begun++;
  fake.waited += wait;
  if (fake_error != TEST_NO_ERROR) {
    g_set_error (error, VH_ERROR, fake_error, "as wished");
    fake_error = TEST_NO_ERROR;
    return NULL;
  }
  frame = g_new0 (VhFrame, 1);
  frame->view = view;
  return frame;
}

static inline gboolean
fake_end (G_GNUC_UNUSED VhDevice * device, VhFrame * frame,
    G_GNUC_UNUSED GError ** error)
{
  fake.ended++;
  g_free (frame);
  return TRUE;
}

/* The test says what happens to counts. */
static gboolean fake_count (const VhRect * region, VhCounts * counts,
    GError ** error);

static inline gboolean
fake_counter_configure (G_GNUC_UNUSED VhCounter * counter,
    G_GNUC_UNUSED const VhLayout * layout,
    G_GNUC_UNUSED const VhCountSpec * spec, G_GNUC_UNUSED GError ** error)
{
  fake.counters++;
  return TRUE;
}

static inline gboolean
fake_counter_submit (G_GNUC_UNUSED VhCounter * counter,
    G_GNUC_UNUSED VhFrame * frame, const VhRect * region, VhCounts * counts,
    GError ** error)
{
  return fake_count (region, counts, error);
}

static inline void
fake_counter_close (VhCounter * counter)
{
  g_free (counter);
}

static inline VhCounter *
fake_new_counter (G_GNUC_UNUSED VhDevice * device)
{
  static const VhCounterClass klass = {
    .configure = fake_counter_configure,
    .submit = fake_counter_submit,
    .close = fake_counter_close,
  };
  VhCounter *counter = g_new0 (VhCounter, 1);

  counter->klass = &klass;
  return counter;
}

/* For the initializer of vh_cpu_device_class. */
#define FAKE_DEVICE \
  .name = "cpu", \
  .open = fake_open, \
  .close = fake_close, \
  .configure = fake_configure, \
  .begin = fake_begin, \
  .end = fake_end, \
  .new_counter = fake_new_counter

G_END_DECLS
