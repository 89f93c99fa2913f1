/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Initialization, devices, contexts, and functions that need do nothing but
 * exist. */
#include "core.h"

#include <algorithm>

using namespace vh;

static const struct
{
  CUresult code;
  const char *name, *text;
} errors[] = {
#define ERROR(code, text) {code, #code, text}
  ERROR (CUDA_SUCCESS, "no error"),
  ERROR (CUDA_ERROR_INVALID_VALUE, "invalid argument"),
  ERROR (CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
  ERROR (CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
  ERROR (CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
  ERROR (CUDA_ERROR_STUB_LIBRARY, "CUDA driver is a stub library"),
  ERROR (CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or "
      "unavailable"),
  ERROR (CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
  ERROR (CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
  ERROR (CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
  ERROR (CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
  ERROR (CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for "
      "execution on the device"),
  ERROR (CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered"),
  ERROR (CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
  ERROR (CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the provided PTX was compiled with "
      "an unsupported toolchain."),
  ERROR (CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
  ERROR (CUDA_ERROR_NOT_FOUND, "named symbol not found"),
  ERROR (CUDA_ERROR_NOT_READY, "device not ready"),
  ERROR (CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
  ERROR (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for "
      "launch"),
  ERROR (CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
  ERROR (CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
  ERROR (CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
  ERROR (CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
  ERROR (CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
  ERROR (CUDA_ERROR_SYSTEM_NOT_READY, "system not yet initialized"),
  ERROR (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "system has unsupported display "
      "driver / cuda driver combination"),
  ERROR (CUDA_ERROR_UNKNOWN, "unknown error"),
#undef ERROR
};

API CUresult
cuGetErrorName (CUresult error, const char **name)
{
  CALL (vh::Call::HARMLESS);

  for (auto & e : errors) {
    if (e.code == error) {
      *name = e.name;
      return CUDA_SUCCESS;
    }
  }
  *name = NULL;
  return call (CUDA_ERROR_INVALID_VALUE);
}

API CUresult
cuGetErrorString (CUresult error, const char **text)
{
  CALL (vh::Call::HARMLESS);

  for (auto & e : errors) {
    if (e.code == error) {
      *text = e.text;
      return CUDA_SUCCESS;
    }
  }
  *text = NULL;
  return call (CUDA_ERROR_INVALID_VALUE);
}

API CUresult
cuInit (unsigned int flags)
{
  CALL (vh::Call::HARMLESS);

  if (flags)
    return call (CUDA_ERROR_INVALID_VALUE);
  if (g.settings.devices == 0)
    return call (CUDA_ERROR_NO_DEVICE);
  g.initialized = true;
  return CUDA_SUCCESS;
}

API CUresult
cuDriverGetVersion (int *version)
{
  CALL (vh::Call::HARMLESS);

  *version = 13000;
  return CUDA_SUCCESS;
}

/* Reports not found: callers then use the exported symbols. */
API CUresult
cuGetProcAddress_v2 (const char *, void **function, int, cuuint64_t,
    CUdriverProcAddressQueryResult * status)
{
  CALL (vh::Call::HARMLESS);

  *function = NULL;
  if (status)
    *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return call (CUDA_ERROR_NOT_FOUND);
}

/* Devices */

static bool
is_device (CUdevice device)
{
  return device >= 0 && (unsigned) device < g.settings.devices;
}

API CUresult
cuDeviceGetCount (int *n)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS);

  *n = g.settings.devices;
  return CUDA_SUCCESS;
}

API CUresult
cuDeviceGet (CUdevice * device, int ordinal)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS);

  if (!is_device (ordinal))
    return call (CUDA_ERROR_INVALID_DEVICE);
  *device = ordinal;
  return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetName (char *name, int size, CUdevice device)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS);

  if (!is_device (device))
    return call (CUDA_ERROR_INVALID_DEVICE);
  snprintf (name, size, "VH Double");
  return CUDA_SUCCESS;
}

static CUresult
get_uuid (vh::Call & call, CUuuid * uuid, CUdevice device)
{
  if (!is_device (device))
    return call (CUDA_ERROR_INVALID_DEVICE);
  memcpy (uuid->bytes, "VH Double      0", 16);
  uuid->bytes[15] += device;
  return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetUuid_v2 (CUuuid * uuid, CUdevice device)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS);

  return get_uuid (call, uuid, device);
}

#undef cuDeviceGetUuid
API CUresult
cuDeviceGetUuid (CUuuid * uuid, CUdevice device)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS);

  return get_uuid (call, uuid, device);
}

API CUresult
cuDeviceTotalMem_v2 (size_t * bytes, CUdevice device)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS);

  if (!is_device (device))
    return call (CUDA_ERROR_INVALID_DEVICE);
  *bytes = (size_t) g.settings.memory_mib << 20;
  return CUDA_SUCCESS;
}

/* Much like an H100, with fewer multiprocessors: see Settings. */
static const struct
{
  CUdevice_attribute attribute;
  int value;
} attributes[] = {
  {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
  {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
  {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
  {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
  {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff},
  {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
  {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
  {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
  {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
  {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
  {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
  {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
  {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 0x7fffffff},
  {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
  {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
  {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
  {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
  {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
  {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
  {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 64},
  {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 4 << 20},
  {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
  {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
  {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 512},
  {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
  {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
  {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
  {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
  {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
  {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
  {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
  {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
  {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 1},
};

/* Bytes that a block may ask for. */
static int
shared_of_block ()
{
  switch (g.settings.capability) {
    case 75:
      return 64 << 10;
    case 86:
    case 89:
    case 120:
      return 99 << 10;
    default:
      return 227 << 10;
  }
}

API CUresult
cuDeviceGetAttribute (int *value, CUdevice_attribute attribute, CUdevice device)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS);

  if (!is_device (device))
    return call (CUDA_ERROR_INVALID_DEVICE);
  /* Attributes missing in the table are 0. */
  *value = 0;
  for (auto & a : attributes) {
    if (a.attribute == attribute)
      *value = a.value;
  }
  if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    *value = g.settings.processors;
  else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    *value = g.settings.capability / 10;
  else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    *value = g.settings.capability % 10;
  else if (attribute == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
    *value = g.settings.pools;
  else if (attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    *value = shared_of_block ();
  return CUDA_SUCCESS;
}

API CUresult
cuDeviceCanAccessPeer (int *can, CUdevice a, CUdevice b)
{
  CALL (vh::Call::INIT);

  if (!is_device (a) || !is_device (b))
    return call (CUDA_ERROR_INVALID_DEVICE);
  *can = 0;
  return CUDA_SUCCESS;
}

/* Contexts */

static std::shared_ptr<Context>
context_new (CUdevice device, bool primary)
{
  auto c = make<Context> (VH_DOUBLE_CONTEXT, 'c');

  c->device = device;
  c->primary = primary;
  c->destroyed = false;
  c->refs = 1;
  g.contexts[c->handle] = c;
  return c;
}

/* Destroys @c with everything in it, as a driver does; the caller should have
 * released it. */
static CUresult
context_end (vh::Call & call, const std::shared_ptr<Context> &c)
{
  std::vector<MemoryRef> left;
  unsigned n = 0;

  for (auto & s : g.streams)
    n += s.second->context == c && !s.second->excused;
  for (auto e = g.events.begin (); e != g.events.end ();) {
    n += e->second->context == c && !e->second->excused;
    if (e->second->context == c) {
      old_handle (e->first);
      e = g.events.erase (e);
    } else {
      ++e;
    }
  }
  for (auto m = g.modules.begin (); m != g.modules.end ();) {
    n += m->second->context == c && !m->second->excused;
    m->second->unloaded |= m->second->context == c;
    m = m->second->unloaded ? g.modules.erase (m) : std::next (m);
  }
  for (auto p = g.graphs.begin (); p != g.graphs.end ();) {
    n += p->second->context == c && !p->second->excused;
    p = p->second->context == c ? g.graphs.erase (p) : std::next (p);
  }
  for (auto f = g.functions.begin (); f != g.functions.end ();)
    f = f->second->module->context == c ? g.functions.erase (f) : std::next (f);
  for (auto & m : g.memories) {
    if (m.second->context == c) {
      n += !m.second->excused && !m.second->freed;
      left.push_back (m.second);
    }
  }
  if (n > 0 && !g.release_refused)
    violation ("%s: %u streams, events, modules and memories are still in the "
        "context", call.name, n);
  if (call (call.wait ([&] { return context_idle (c); })))
    return call.result;
  context_streams_end (c);
  for (auto & m : left) {
    if (g.memories.count (m->base))
      memory_release (m);
  }
  g.contexts.erase (c->handle);
  c->destroyed = true;
  old_handle (c->handle);
  return CUDA_SUCCESS;
}

static CUresult
create (vh::Call & call, CUcontext * context, CUdevice device)
{
  if (!context)
    return call (CUDA_ERROR_INVALID_VALUE);
  if (!is_device (device))
    return call (CUDA_ERROR_INVALID_DEVICE);
  auto c = context_new (device, false);
  thread ().stack.push_back (c);
  *context = (CUcontext) c->handle;
  return CUDA_SUCCESS;
}

API CUresult
cuCtxCreate_v2 (CUcontext * context, unsigned int, CUdevice device)
{
  CALL (vh::Call::INIT);

  return create (call, context, device);
}

API CUresult
cuCtxCreate_v4 (CUcontext * context, CUctxCreateParams *, unsigned int,
    CUdevice device)
{
  CALL (vh::Call::INIT);

  return create (call, context, device);
}

API CUresult
cuCtxDestroy_v2 (CUcontext handle)
{
  CALL (vh::Call::INIT | vh::Call::RELEASE);
  auto c = find (call, g.contexts, handle, "context");

  if (!c || c->primary)
    return call (CUDA_ERROR_INVALID_CONTEXT);
  auto & stack = thread ().stack;
  if (!stack.empty () && stack.back () == c)
    stack.pop_back ();
  return context_end (call, c);
}

API CUresult
cuCtxPushCurrent_v2 (CUcontext handle)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS | vh::Call::RELEASE);
  auto c = find (call, g.contexts, handle, "context");

  if (!c)
    return call (CUDA_ERROR_INVALID_CONTEXT);
  thread ().stack.push_back (c);
  return CUDA_SUCCESS;
}

API CUresult
cuCtxPopCurrent_v2 (CUcontext * handle)
{
  vh::Call call (__func__, vh::Call::INIT | vh::Call::HARMLESS |
      vh::Call::RELEASE, __builtin_return_address (0));
  Thread &t = thread ();

  if (call) {
    t.pop_refused = true;
    return call.result;
  }
  if (t.stack.empty ()) {
    if (!t.pop_refused)
      violation ("%s: the stack is empty", call.name);
    return call (CUDA_ERROR_INVALID_CONTEXT);
  }
  if (handle)
    *handle = (CUcontext) t.stack.back ()->handle;
  t.stack.pop_back ();
  return CUDA_SUCCESS;
}

/* Replaces the top of the stack. */
API CUresult
cuCtxSetCurrent (CUcontext handle)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS);
  auto & stack = thread ().stack;
  auto c = find (call, g.contexts, handle, "context");

  if (handle && !c)
    return call (CUDA_ERROR_INVALID_CONTEXT);
  if (!stack.empty ())
    stack.pop_back ();
  if (c)
    stack.push_back (c);
  return CUDA_SUCCESS;
}

API CUresult
cuCtxGetCurrent (CUcontext * handle)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS);
  auto & stack = thread ().stack;

  *handle = stack.empty () ? NULL : (CUcontext) stack.back ()->handle;
  return CUDA_SUCCESS;
}

API CUresult
cuCtxGetDevice (CUdevice * device)
{
  CALL (vh::Call::CONTEXT | vh::Call::HARMLESS);

  *device = call.context->device;
  return CUDA_SUCCESS;
}

API CUresult
cuCtxGetApiVersion (CUcontext, unsigned int *version)
{
  CALL (vh::Call::INIT | vh::Call::HARMLESS);

  *version = 13000;
  return CUDA_SUCCESS;
}

API CUresult
cuDevicePrimaryCtxRetain (CUcontext * handle, CUdevice device)
{
  CALL (vh::Call::INIT);

  if (!is_device (device))
    return call (CUDA_ERROR_INVALID_DEVICE);
  for (auto & c : g.contexts) {
    if (c.second->primary && c.second->device == device) {
      c.second->refs++;
      *handle = (CUcontext) c.first;
      return CUDA_SUCCESS;
    }
  }
  *handle = (CUcontext) context_new (device, true)->handle;
  return CUDA_SUCCESS;
}

static CUresult
primary_release (vh::Call & call, CUdevice device)
{
  for (auto & c : g.contexts) {
    if (c.second->primary && c.second->device == device) {
      auto context = c.second;

      return --context->refs == 0 ? context_end (call, context) : CUDA_SUCCESS;
    }
  }
  violation ("%s: the context of device %d is not retained", call.name, device);
  return call (CUDA_ERROR_INVALID_CONTEXT);
}

API CUresult
cuDevicePrimaryCtxRelease_v2 (CUdevice device)
{
  CALL (vh::Call::INIT | vh::Call::RELEASE);

  return primary_release (call, device);
}

#undef cuDevicePrimaryCtxRelease
API CUresult
cuDevicePrimaryCtxRelease (CUdevice device)
{
  CALL (vh::Call::INIT | vh::Call::RELEASE);

  return primary_release (call, device);
}

/* Called by absent.c: a function that the double does not implement. */
extern "C" int
vh_double_absent (const char *name, int code)
{
  vh::Call call (name, vh::Call::HARMLESS, NULL);

  if (call)
    return call.result;
  return call ((CUresult) code);
}
