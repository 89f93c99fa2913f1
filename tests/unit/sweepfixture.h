/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What sweeps over random frames share. A case depends only on its seed, so
 * `TEST_SEED=<seed> TEST_SWEEP_CASES=1` reproduces a failure. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

#include "common/env.h"
#include "common/figures.h"
#include "common/frame.h"
#include "common/suite.h"
#include "cpu/cpudevice.h"
#include "devices/devices.h"

G_BEGIN_DECLS

void sweep_setup (void);
void sweep_teardown (void);

/* A suite with only this test, which may take any time. */
#define SWEEP_SUITE(name, test) \
TEST_SUITE (name, sweep_setup, sweep_teardown) \
{ \
  tcase_set_timeout (tc, 0); \
  tcase_add_test (tc, test); \
}

/* One of all supported formats, and a colorimetry for it, or NULL. */
GstVideoFormat sweep_format (TestRandom * random);
const gchar *sweep_colorimetry (TestRandom * random);

/* A frame like @frame, with the bytes @image in one memory. */
GstBuffer *sweep_buffer (const TestFrame * frame, const guint8 * image);

/* Views all planes of @buffer. */
void sweep_view (VhFrameView * view, const VhLayout * layout,
    GstBuffer * buffer);

/* Reads the planes from the image of @frame, not from its buffer. */
VhFrameView sweep_view_image (const VhLayout * layout, const TestFrame * frame);

/* The region of @spec in pixels of the planes of @frame. */
VhRect sweep_region (const TestFrame * frame,
    const GstVideoHistogramSpec * spec);

/* The backend TEST_BACKEND, by default the CPU; @counts_on is set to its name,
 * or NULL for auto. */
GstVideoHistogramBackend sweep_backend (const gchar ** counts_on);

/* An engine with @backend. */
GstVideoHistogramEngine *sweep_open_engine (GstVideoHistogramBackend backend);

/* The device of the CPU with a table of loops, of which there are
 * sweep_n_kernels(). */
VhDevice *sweep_open_cpu (const VhLoops * kernels);
guint sweep_n_kernels (void);

/* Whether TEST_BACKEND is cuda; a device of that backend, or of the CPU. */
gboolean sweep_is_cuda (void);
VhDevice *sweep_open_device (VhDevices ** devices);
void sweep_close_devices (VhDevices * devices);

G_END_DECLS
