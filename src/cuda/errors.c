/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each error of the CUDA driver means. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "errors.h"

#include <glib.h>

#define ROW(code, name, failure, reason) [code] = VH_CUDA_FAILURE_##failure

/* All errors of CUDA 13's cuda.h, by number, because the headers of older
 * toolkits lack some. The classes follow the comments there. For an assert they
 * follow the comment on cudaErrorAssert in driver_types.h, which is stricter:
 * the process must be terminated. */
static const guint8 failures[] = {
  ROW (1, INVALID_VALUE, BUSY, "only this call was invalid"),
  ROW (2, OUT_OF_MEMORY, BUSY, "others may free some"),
  ROW (3, NOT_INITIALIZED, BUSY, "cuInit() will be called again"),
  ROW (4, DEINITIALIZED, LOST, "the process is ending"),
  ROW (5, PROFILER_DISABLED, BUSY, "concerns profilers only"),
  ROW (6, PROFILER_NOT_INITIALIZED, BUSY, "concerns profilers only"),
  ROW (7, PROFILER_ALREADY_STARTED, BUSY, "concerns profilers only"),
  ROW (8, PROFILER_ALREADY_STOPPED, BUSY, "concerns profilers only"),
  ROW (34, STUB_LIBRARY, PERMANENT, "this library is not a driver"),
  ROW (36, CALL_REQUIRES_NEWER_DRIVER, PERMANENT,
      "the driver stays what it is"),
  ROW (46, DEVICE_UNAVAILABLE, BUSY, "another process has it for now"),
  ROW (100, NO_DEVICE, PERMANENT, "there is no GPU here"),
  ROW (101, INVALID_DEVICE, PERMANENT, "this GPU is not here"),
  ROW (102, DEVICE_NOT_LICENSED, BUSY, "a licence may still arrive"),
  ROW (200, INVALID_IMAGE, PERMANENT, "this build's kernels are bad"),
  ROW (201, INVALID_CONTEXT, CONTEXT, "no context, or a destroyed one"),
  ROW (202, CONTEXT_ALREADY_CURRENT, BUSY, "harmless, of old drivers"),
  ROW (205, MAP_FAILED, BUSY, "concerns one resource"),
  ROW (206, UNMAP_FAILED, BUSY, "concerns one resource"),
  ROW (207, ARRAY_IS_MAPPED, BUSY, "until it is unmapped"),
  ROW (208, ALREADY_MAPPED, BUSY, "until it is unmapped"),
  ROW (209, NO_BINARY_FOR_GPU, PERMANENT, "this build has no code for it"),
  ROW (210, ALREADY_ACQUIRED, BUSY, "until it is released"),
  ROW (211, NOT_MAPPED, BUSY, "concerns one resource"),
  ROW (212, NOT_MAPPED_AS_ARRAY, BUSY, "concerns one resource"),
  ROW (213, NOT_MAPPED_AS_POINTER, BUSY, "concerns one resource"),
  ROW (214, ECC_UNCORRECTABLE, LOST, "memory is corrupt"),
  ROW (215, UNSUPPORTED_LIMIT, PERMANENT, "this GPU has no such limit"),
  ROW (216, CONTEXT_ALREADY_IN_USE, BUSY, "until another thread is done"),
  ROW (217, PEER_ACCESS_UNSUPPORTED, PERMANENT, "these GPUs cannot"),
  ROW (218, INVALID_PTX, PERMANENT, "this build's kernels are bad"),
  ROW (219, INVALID_GRAPHICS_CONTEXT, BUSY, "concerns one resource"),
  ROW (220, NVLINK_UNCORRECTABLE, LOST, "data on the link is corrupt"),
  ROW (221, JIT_COMPILER_NOT_FOUND, PERMANENT, "the driver is incomplete"),
  ROW (222, UNSUPPORTED_PTX_VERSION, PERMANENT,
      "this build is too new for it"),
  ROW (223, JIT_COMPILATION_DISABLED, PERMANENT, "the environment forbids it"),
  ROW (224, UNSUPPORTED_EXEC_AFFINITY, PERMANENT, "this GPU cannot"),
  ROW (225, UNSUPPORTED_DEVSIDE_SYNC, PERMANENT,
      "this build's kernels are bad"),
  ROW (226, CONTAINED, LOST, "the process must end"),
  ROW (300, INVALID_SOURCE, PERMANENT, "this build's kernels are bad"),
  ROW (301, FILE_NOT_FOUND, BUSY, "a file may still be put there"),
  ROW (302, SHARED_OBJECT_SYMBOL_NOT_FOUND, PERMANENT,
      "libraries that do not fit"),
  ROW (303, SHARED_OBJECT_INIT_FAILED, BUSY, "memory may be short for now"),
  ROW (304, OPERATING_SYSTEM, BUSY, "descriptors may be short for now"),
  ROW (400, INVALID_HANDLE, BUSY, "concerns one object"),
  ROW (401, ILLEGAL_STATE, BUSY, "concerns one object, for now"),
  ROW (402, LOSSY_QUERY, BUSY, "concerns one call"),
  ROW (500, NOT_FOUND, PERMANENT, "the build lacks this kernel"),
  ROW (600, NOT_READY, BUSY, "under way, no error"),
  ROW (700, ILLEGAL_ADDRESS, LOST, "the process must end"),
  ROW (701, LAUNCH_OUT_OF_RESOURCES, BUSY,
      "concerns this launch, others may fit"),
  ROW (702, LAUNCH_TIMEOUT, LOST, "the process must end"),
  ROW (703, LAUNCH_INCOMPATIBLE_TEXTURING, BUSY, "concerns one launch"),
  ROW (704, PEER_ACCESS_ALREADY_ENABLED, BUSY, "harmless"),
  ROW (705, PEER_ACCESS_NOT_ENABLED, BUSY, "until it is"),
  ROW (708, PRIMARY_CONTEXT_ACTIVE, BUSY, "until it is released"),
  ROW (709, CONTEXT_IS_DESTROYED, CONTEXT, "another one may work"),
  ROW (710, ASSERT, LOST, "as cudaErrorAssert says"),
  ROW (711, TOO_MANY_PEERS, BUSY, "until others are done"),
  ROW (712, HOST_MEMORY_ALREADY_REGISTERED, BUSY, "until it is unregistered"),
  ROW (713, HOST_MEMORY_NOT_REGISTERED, BUSY, "concerns one block of memory"),
  ROW (714, HARDWARE_STACK_ERROR, LOST, "the process must end"),
  ROW (715, ILLEGAL_INSTRUCTION, LOST, "the process must end"),
  ROW (716, MISALIGNED_ADDRESS, LOST, "the process must end"),
  ROW (717, INVALID_ADDRESS_SPACE, LOST, "the process must end"),
  ROW (718, INVALID_PC, LOST, "the process must end"),
  ROW (719, LAUNCH_FAILED, LOST, "the process must end"),
  ROW (720, COOPERATIVE_LAUNCH_TOO_LARGE, BUSY,
      "concerns this launch, others may fit"),
  ROW (721, TENSOR_MEMORY_LEAK, LOST, "the process must end"),
  ROW (800, NOT_PERMITTED, BUSY, "permissions may change"),
  ROW (801, NOT_SUPPORTED, PERMANENT, "this machine cannot"),
  ROW (802, SYSTEM_NOT_READY, BUSY, "daemons may still start"),
  ROW (803, SYSTEM_DRIVER_MISMATCH, PERMANENT, "drivers that do not fit"),
  ROW (804, COMPAT_NOT_SUPPORTED_ON_DEVICE, PERMANENT,
      "a driver that does not fit"),
  ROW (805, MPS_CONNECTION_FAILED, BUSY, "the server may come back"),
  ROW (806, MPS_RPC_FAILURE, BUSY, "the server may come back"),
  ROW (807, MPS_SERVER_NOT_READY, BUSY, "it recovers"),
  ROW (808, MPS_MAX_CLIENTS_REACHED, BUSY, "until others are done"),
  ROW (809, MPS_MAX_CONNECTIONS_REACHED, BUSY, "until others are done"),
  ROW (810, MPS_CLIENT_TERMINATED, LOST, "the process must end"),
  ROW (811, CDP_NOT_SUPPORTED, PERMANENT, "this machine cannot"),
  ROW (812, CDP_VERSION_MISMATCH, PERMANENT, "this build's kernels are bad"),
  ROW (900, STREAM_CAPTURE_UNSUPPORTED, BUSY, "until the capture ends"),
  ROW (901, STREAM_CAPTURE_INVALIDATED, BUSY, "until the capture ends"),
  ROW (902, STREAM_CAPTURE_MERGE, BUSY, "until the capture ends"),
  ROW (903, STREAM_CAPTURE_UNMATCHED, BUSY, "until the capture ends"),
  ROW (904, STREAM_CAPTURE_UNJOINED, BUSY, "until the capture ends"),
  ROW (905, STREAM_CAPTURE_ISOLATION, BUSY, "until the capture ends"),
  ROW (906, STREAM_CAPTURE_IMPLICIT, BUSY, "until the capture ends"),
  ROW (907, CAPTURED_EVENT, BUSY, "until it is recorded again"),
  ROW (908, STREAM_CAPTURE_WRONG_THREAD, BUSY, "until the capture ends"),
  ROW (909, TIMEOUT, BUSY, "concerns one wait"),
  ROW (910, GRAPH_EXEC_UPDATE_FAILURE, BUSY, "concerns one graph"),
  ROW (911, EXTERNAL_DEVICE, LOST, "the process must end"),
  ROW (912, INVALID_CLUSTER_SIZE, BUSY, "concerns one launch"),
  ROW (913, FUNCTION_NOT_LOADED, BUSY, "until it is loaded"),
  ROW (914, INVALID_RESOURCE_TYPE, BUSY, "concerns one call"),
  ROW (915, INVALID_RESOURCE_CONFIGURATION, BUSY,
      "concerns this call, others may fit"),
  ROW (916, KEY_ROTATION, BUSY, "the next one may succeed"),
  ROW (999, UNKNOWN, LOST, "nothing is known to work"),
};

#undef ROW

VhCudaFailure
vh_cuda_failure (CUresult result)
{
  const guint code = result;

  return code < G_N_ELEMENTS (failures) ? failures[code] : VH_CUDA_FAILURE_BUSY;
}
