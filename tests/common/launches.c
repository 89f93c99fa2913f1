/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launches.h"

#include <dlfcn.h>
#include <gst/check/gstcheck.h>

#include "common/env.h"
#include "double/double.h"
#include "params.h"

/* With this many multiprocessors, any kernel uses groups for a frame of a third
 * of a megapixel. */
#define MANY_PROCESSORS (6 * VH_KERNEL_GROUPS)

static gint n_launches[2];      /* atomic; launches without and with groups */

static void
note_launch (G_GNUC_UNUSED void *data, G_GNUC_UNUSED const char *kernel,
    G_GNUC_UNUSED unsigned device, const void *parameters, size_t bytes)
{
  const VhKernelParams *params = parameters;

  if (bytes >= sizeof (*params))
    g_atomic_int_inc (&n_launches[params->grouped != 0]);
}

static const VhDouble *
find_double (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);
  VhDoubleOpen open = NULL;

  if (library)
    *(void **) &open = dlsym (library, VH_DOUBLE_SYMBOL);
  return open ? open () : NULL;
}

gboolean
test_launches_watch (void)
{
  const VhDouble *gpu = find_double ();

  if (gpu)
    gpu->watch_launches (note_launch, NULL);
  return gpu != NULL;
}

gboolean
test_launches_finish (void)
{
  const VhDouble *gpu = find_double ();

  while (gpu && gpu->pending () > 0)
    g_usleep (1000);
  return gpu != NULL;
}

void
test_launches_check (void)
{
  fail_unless (g_atomic_int_get (&n_launches[FALSE]) > 0);
  if (test_env_number ("VH_DOUBLE_PROCESSORS", 0) >= MANY_PROCESSORS)
    fail_unless (g_atomic_int_get (&n_launches[TRUE]) > 0,
        "no blocks met in groups");
}
