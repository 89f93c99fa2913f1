/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads the CUDA driver at run time: neither the plugin nor the library links
 * libcuda, so that both load on every machine. */
#include "driver.h"
#include "debug.h"

#include <gmodule.h>
#include "core/error.h"

#ifdef G_OS_WIN32
#define DRIVER_NAME "nvcuda.dll"
#else
#define DRIVER_NAME "libcuda.so.1"
#endif

GstDebugCategory *vh_cuda_debug;

static GMutex driver_lock;
static VhCudaDriver driver;     /* written under driver_lock, constant once it
                                 * is complete */
static gboolean driver_ready;   /* protected by driver_lock */
static GModule *driver_module;  /* protected by driver_lock; never closed,
                                 * because drivers leave threads behind */
static gint gpu_lost;           /* atomic */

static gboolean
load_functions (GError ** error)
{
  const struct
  {
    const gchar *symbol;
    gpointer *function;
  } functions[] = {
#define ROW(name, symbol, arguments) {symbol, (gpointer *) & driver.name},
    VH_CUDA_FUNCTIONS (ROW)
#undef ROW
  };
  guint i;

  if (!driver_module)
    driver_module = g_module_open (DRIVER_NAME,
        G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (!driver_module) {
    g_set_error (error, VH_ERROR,
        VH_ERROR_BACKEND,
        "no NVIDIA driver found on this machine (%s)", g_module_error ());
    return FALSE;
  }
  for (i = 0; i < G_N_ELEMENTS (functions); i++) {
    if (!g_module_symbol (driver_module, functions[i].symbol,
            functions[i].function)) {
      g_set_error (error, VH_ERROR,
          VH_ERROR_BACKEND, "%s lacks %s: the NVIDIA driver is too old, or "
          "this is not a driver", DRIVER_NAME, functions[i].symbol);
      return FALSE;
    }
  }
#define LOAD(name, symbol, arguments) \
  if (!g_module_symbol (driver_module, symbol, (gpointer *) & driver.name)) \
    driver.name = NULL;
  VH_CUDA_OPTIONAL_FUNCTIONS (LOAD)
#undef LOAD
  return TRUE;
}

static const gchar *
error_name (const VhCudaDriver * driver, CUresult result)
{
  const char *name = NULL;

  if (driver->GetErrorName (result, &name) != CUDA_SUCCESS || !name)
    return "unknown error";
  return name;
}

static gboolean
find_device (GError ** error)
{
  CUresult result;
  gint count = 0;

  result = driver.Init (0);
  if (result != CUDA_SUCCESS) {
    g_set_error (error, VH_ERROR,
        VH_ERROR_BACKEND,
        "the NVIDIA driver does not start: cuInit() returned %d, %s", result,
        error_name (&driver, result));
    return FALSE;
  }
  result = driver.DeviceGetCount (&count);
  if (result != CUDA_SUCCESS || count < 1) {
    g_set_error (error, VH_ERROR,
        VH_ERROR_BACKEND, "the NVIDIA driver found no device");
    return FALSE;
  }
  return TRUE;
}

const VhCudaDriver *
vh_cuda_driver_get (GError ** error)
{
  gboolean ready;

  if (vh_cuda_is_lost ()) {
    g_set_error (error, VH_ERROR,
        VH_ERROR_BACKEND, "the GPU was lost; restart this process to use it "
        "again");
    return NULL;
  }

  g_mutex_lock (&driver_lock);
  if (!vh_cuda_debug) {
    vh_cuda_debug = _gst_debug_category_new ("videohistogram-cuda", 0,
        "counting and correcting on NVIDIA GPUs");
  }
  if (!driver_ready)
    driver_ready = load_functions (error) && find_device (error);
  ready = driver_ready;
  g_mutex_unlock (&driver_lock);
  return ready ? &driver : NULL;
}

gboolean
vh_cuda_is_lost (void)
{
  return g_atomic_int_get (&gpu_lost);
}

void
vh_cuda_set_lost (void)
{
  if (g_atomic_int_compare_and_exchange (&gpu_lost, FALSE, TRUE))
    GST_WARNING ("the GPU is lost: making no further CUDA calls");
}

void
vh_cuda_note (CUresult result)
{
  if (result != CUDA_SUCCESS
      && vh_cuda_failure (result) == VH_CUDA_FAILURE_LOST)
    vh_cuda_set_lost ();
}

void
vh_cuda_set_error (const VhCudaDriver * driver, GError ** error,
    CUresult result, const gchar * what)
{
  vh_cuda_note (result);
  g_set_error (error, VH_ERROR,
      VH_ERROR_DEVICE, "%s failed: %d, %s", what, result,
      error_name (driver, result));
}
