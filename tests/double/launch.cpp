/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modules, which all contain the built-in kernels, and launches. */
#include "core.h"

#include <algorithm>
#include <ctype.h>

using namespace vh;

namespace
{
  const int DEFAULT_SHARED = 49152, MAX_SHARED = 232448;
  const int SHARED_OF_PROCESSOR = 233472, THREADS_OF_PROCESSOR = 2048;

  unsigned fault_left;          /* launches until one faults; 0: none */
  int fault_code;

  struct Launch
  {
    VhDoubleGrid grid;
    bool early;                 /* may start before the previous launch has
                                 * ended */
    alignas (64) unsigned char parameters[4096];
  };

  /* Machine code, several images of it, or PTX. */
  bool
  is_image (const void *image)
  {
    const unsigned char *p = (const unsigned char *) image;
    static const unsigned char fat[] = { 0x50, 0xed, 0x55, 0xba };
    static const unsigned char wrapped[] = { 0xb1, 0x43, 0x62, 0x46 };
    static const unsigned char elf[] = { 0x7f, 'E', 'L', 'F' };

    if (!p)
      return false;
    if (memcmp (p, fat, 4) == 0 || memcmp (p, wrapped, 4) == 0
        || memcmp (p, elf, 4) == 0)
      return true;
    while (isspace (*p))
      p++;
    return memcmp (p, "//", 2) == 0 || strncmp ((const char *) p, ".version",
        8) == 0;
  }

  /* The memory that the parameters seem to point to. */
  std::vector<MemoryRef>
  used_memory (const Launch & launch, size_t bytes)
  {
    std::vector<MemoryRef> uses;

    for (size_t i = 0; i + 8 <= bytes; i += 8) {
      uint64_t word;

      memcpy (&word, launch.parameters + i, 8);
      MemoryRef m = memory_at (word);

      if (m && std::find (uses.begin (), uses.end (), m) == uses.end ())
        uses.push_back (m);
    }
    return uses;
  }

  void
  execute (Launch & launch)
  {
    uint64_t n = launch.grid.n_blocks;
    int code = 0;

    {
      Lock lock (g.mutex);

      g.launches++;
      if (fault_left > 0 && --fault_left == 0)
        code = fault_code;
    }
    launch.grid.n_blocks = code ? n / 2 : n;
    vh_double_grid_run (&launch.grid);
    if (launch.early && !launch.grid.waited && !launch.grid.error && !code) {
      Lock lock (g.mutex);

      violation ("kernel %s was to begin early, and no thread of it has waited "
          "for the launch before", launch.grid.kernel->name);
    }
    if (launch.grid.error || code) {
      Lock lock (g.mutex);

      if (launch.grid.error)
        violation ("kernel %s", launch.grid.message);
      g.fault = launch.grid.error ? launch.grid.error : code;
      g.done.notify_all ();
    }
  }

  CUresult
  get_parameters (vh::Call & call, Launch * launch, void **parameters,
      void **extra)
  {
    const VhDoubleKernel *k = launch->grid.kernel;

    if (k->bytes > sizeof launch->parameters)
      return call (CUDA_ERROR_INVALID_VALUE);
    if (parameters) {
      for (unsigned i = 0; i < k->n_parameters; i++)
        memcpy (launch->parameters + k->offsets[i], parameters[i], k->sizes[i]);
    } else if (extra) {
      const void *buffer = NULL;
      size_t size = 0;

      for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
          buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
          size = *(size_t *) extra[1];
      }
      if (!buffer || size < k->bytes)
        return call (CUDA_ERROR_INVALID_VALUE);
      memcpy (launch->parameters, buffer, k->bytes);
    } else if (k->n_parameters > 0) {
      return call (CUDA_ERROR_INVALID_VALUE);
    }
    return CUDA_SUCCESS;
  }

  /* Whether @s has enough incomplete kernels to fill a driver's queue. */
  bool
  is_full (const Stream & s)
  {
    const unsigned n = g.settings.queue;

    return n > 0 && s.queue.size () >= n && (unsigned) std::count_if (
        s.queue.begin (), s.queue.end (),
        [] (const std::shared_ptr<Operation> &o) { return o->kernel; }) >= n;
  }

  CUresult
  launch_kernel (vh::Call & call, CUfunction handle, dim3 grid, dim3 block,
      unsigned shared, CUstream stream_handle, bool early, void **parameters,
      void **extra)
  {
    auto f = find (call, g.functions, handle, "function");
    auto s = stream_of (call, stream_handle);
    const uint64_t threads = (uint64_t) block.x * block.y * block.z;

    if (!f || !s)
      return call (CUDA_ERROR_INVALID_HANDLE);
    if (f->module->context != call.context) {
      violation ("%s: %s is of another context", call.name, f->kernel->name);
      return call (CUDA_ERROR_INVALID_HANDLE);
    }
    if (threads == 0 || threads > 1024 || block.z > 64 || grid.x == 0
        || grid.x > 0x7fffffff || grid.y == 0 || grid.y > 65535
        || grid.z == 0 || grid.z > 65535
        || (int64_t) shared > std::max (f->max_dynamic, DEFAULT_SHARED)) {
      violation ("%s: %s with blocks of %ux%ux%u, grid of %ux%ux%u, %u bytes "
          "of shared memory", call.name, f->kernel->name, block.x, block.y,
          block.z, grid.x, grid.y, grid.z, shared);
      return call (CUDA_ERROR_INVALID_VALUE);
    }
    if (f->kernel->max_threads && threads > f->kernel->max_threads) {
      violation ("%s: %s with %u threads of %u", call.name, f->kernel->name,
          (unsigned) threads, f->kernel->max_threads);
      return call (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    }

    if (!s->capture && is_full (*s)
        && call (call.wait ([&] { return !is_full (*s); })))
      return call.result;

    auto launch = std::make_shared<Launch> ();
    launch->early = early;
    launch->grid.kernel = f->kernel;
    launch->grid.parameters = launch->parameters;
    launch->grid.context = call.context.get ();
    launch->grid.grid = grid;
    launch->grid.block = block;
    launch->grid.dynamic_bytes = shared;
    launch->grid.preempt = g.settings.preempt;
    launch->grid.seed = (g.settings.seed + s->handle + s->submitted) *
        0x9e3779b97f4a7c15 >> 8;
    launch->grid.n_blocks = (uint64_t) grid.x * grid.y * grid.z;
    if (get_parameters (call, launch.get (), parameters, extra))
      return call.result;
    if (g.watch)
      g.watch (g.watch_data, f->kernel->name, call.context->device,
          launch->parameters, f->kernel->bytes);

    Work work;

    work.kernel = true;
    work.module = f->module;
    work.uses = used_memory (*launch, f->kernel->bytes);
    work.run = [launch] { execute (*launch); };
    if (early)
      work.ahead = std::shared_ptr<VhDoubleGrid> (launch, &launch->grid);
    work.hangs = g.hang_match && g.hang_match (g.hang_data, f->kernel->name,
        (void *) call.context->handle, (void *) s->handle, launch->parameters,
        f->kernel->bytes);
    submit (call, s, work);
    return CUDA_SUCCESS;
  }
}

void
vh::order_fault (unsigned nth, int code)
{
  fault_left = nth;
  fault_code = code;
}

/* A driver waits for the whole context, here and when it unloads. */
static CUresult
load (vh::Call & call, CUmodule * module, const void *image)
{
  if (!module || !is_image (image))
    return call (CUDA_ERROR_INVALID_IMAGE);
  if (call (call.wait_for (call.context)))
    return call.result;
  auto m = make<Module> (VH_DOUBLE_MODULE, 'k');
  m->context = call.context;
  m->unloaded = false;
  g.modules[m->handle] = m;
  *module = (CUmodule) m->handle;
  return CUDA_SUCCESS;
}

API CUresult
cuModuleLoadData (CUmodule * module, const void *image)
{
  CALL (vh::Call::CONTEXT);

  return load (call, module, image);
}

API CUresult
cuModuleLoadDataEx (CUmodule * module, const void *image, unsigned int,
    CUjit_option *, void **)
{
  CALL (vh::Call::CONTEXT);

  return load (call, module, image);
}

API CUresult
cuModuleLoadFatBinary (CUmodule * module, const void *image)
{
  CALL (vh::Call::CONTEXT);

  return load (call, module, image);
}

static bool
is_under_way (const std::shared_ptr<Module> &module)
{
  return std::any_of (g.running.begin (), g.running.end (),
      [&] (const std::shared_ptr<Stream> &s) {
        return std::any_of (s->queue.begin (), s->queue.end (),
            [&] (const std::shared_ptr<Operation> &o) {
              return o->module == module;
            });
      });
}

API CUresult
cuModuleUnload (CUmodule handle)
{
  CALL (vh::Call::CONTEXT | vh::Call::RELEASE);
  auto m = find (call, g.modules, handle, "module");

  if (!m)
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (is_under_way (m))
    violation ("%s: a kernel of the module is under way", call.name);
  m->unloaded = true;
  g.modules.erase (m->handle);
  for (auto f = g.functions.begin (); f != g.functions.end ();) {
    if (f->second->module == m)
      f = g.functions.erase (f);
    else
      ++f;
  }
  return call (call.wait_for (m->context));
}

API CUresult
cuModuleGetFunction (CUfunction * function, CUmodule handle, const char *name)
{
  CALL (vh::Call::CONTEXT);
  auto m = find (call, g.modules, handle, "module");
  const VhDoubleKernel *kernel = vh_double_kernel_find (name);

  if (!m)
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (!kernel)
    return call (CUDA_ERROR_NOT_FOUND);
  for (auto & f : g.functions) {
    if (f.second->module == m && f.second->kernel == kernel) {
      *function = (CUfunction) f.first;
      return CUDA_SUCCESS;
    }
  }
  auto f = std::make_shared<Function> (Function {m, kernel, 0});
  const uint64_t key = new_handle ('f');
  g.functions[key] = f;
  *function = (CUfunction) key;
  return CUDA_SUCCESS;
}

API CUresult
cuModuleGetGlobal_v2 (CUdeviceptr *, size_t *, CUmodule, const char *)
{
  CALL (vh::Call::CONTEXT);

  return call (CUDA_ERROR_NOT_FOUND);
}

API CUresult
cuFuncSetAttribute (CUfunction handle, CUfunction_attribute attribute, int value)
{
  CALL (vh::Call::CONTEXT);
  auto f = find (call, g.functions, handle, "function");

  if (!f)
    return call (CUDA_ERROR_INVALID_HANDLE);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      if (value < 0 || value > MAX_SHARED)
        return call (CUDA_ERROR_INVALID_VALUE);
      f->max_dynamic = value;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return call (value < -1 || value > 100 ? CUDA_ERROR_INVALID_VALUE :
          CUDA_SUCCESS);
    default:
      return call (CUDA_ERROR_INVALID_VALUE);
  }
}

API CUresult
cuFuncSetCacheConfig (CUfunction handle, CUfunc_cache)
{
  CALL (vh::Call::CONTEXT);

  if (!find (call, g.functions, handle, "function"))
    return call (CUDA_ERROR_INVALID_HANDLE);
  return CUDA_SUCCESS;
}

API CUresult
cuFuncGetAttribute (int *value, CUfunction_attribute attribute,
    CUfunction handle)
{
  CALL (vh::Call::CONTEXT);
  auto f = find (call, g.functions, handle, "function");

  if (!f)
    return call (CUDA_ERROR_INVALID_HANDLE);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = f->kernel->max_threads ? f->kernel->max_threads : 1024;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = std::max (f->max_dynamic, DEFAULT_SHARED);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = g.settings.capability;
      break;
    default:
      *value = 0;
      break;
  }
  return CUDA_SUCCESS;
}

API CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor (int *n, CUfunction handle,
    int threads, size_t shared)
{
  CALL (vh::Call::CONTEXT);
  auto f = find (call, g.functions, handle, "function");

  if (!f)
    return call (CUDA_ERROR_INVALID_HANDLE);
  if (!n || threads <= 0)
    return call (CUDA_ERROR_INVALID_VALUE);
  if (threads > (int) (f->kernel->max_threads ? f->kernel->max_threads : 1024)
      || shared > (size_t) std::max (f->max_dynamic, DEFAULT_SHARED)) {
    *n = 0;
  } else {
    /* The driver takes 1 KiB of shared memory per block. */
    *n = std::min (THREADS_OF_PROCESSOR / ((threads + 31) / 32 * 32),
        (int) (SHARED_OF_PROCESSOR / (shared + 1024)));
    *n = std::min (*n, 32);
  }
  return CUDA_SUCCESS;
}

API CUresult
cuLaunchKernel (CUfunction function, unsigned int grid_x, unsigned int grid_y,
    unsigned int grid_z, unsigned int block_x, unsigned int block_y,
    unsigned int block_z, unsigned int shared, CUstream stream,
    void **parameters, void **extra)
{
  CALL (vh::Call::CONTEXT);

  return launch_kernel (call, function, {grid_x, grid_y, grid_z}, {block_x,
        block_y, block_z}, shared, stream, false, parameters, extra);
}

API CUresult
cuLaunchKernelEx (const CUlaunchConfig * c, CUfunction function,
    void **parameters, void **extra)
{
  CALL (vh::Call::CONTEXT);
  bool early = false;

  if (!c)
    return call (CUDA_ERROR_INVALID_VALUE);
  for (unsigned i = 0; i < c->numAttrs; i++) {
    const CUlaunchAttributeID id = c->attrs[i].id;

    /* Only attributes that are known here and affect speed alone. */
    if (id != CU_LAUNCH_ATTRIBUTE_IGNORE
        && id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        && id != CU_LAUNCH_ATTRIBUTE_PRIORITY
        && id != CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
      return call (CUDA_ERROR_NOT_SUPPORTED);
    if (id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      early = c->attrs[i].value.programmaticStreamSerializationAllowed;
  }
  if (early && g.settings.capability < 90)
    return call (CUDA_ERROR_NOT_SUPPORTED);
  return launch_kernel (call, function, {c->gridDimX, c->gridDimY,
        c->gridDimZ}, {c->blockDimX, c->blockDimY, c->blockDimZ},
        c->sharedMemBytes, c->hStream, early, parameters, extra);
}
