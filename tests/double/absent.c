/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Symbols that libgstcuda expects of a driver and the double does not
 * implement: textures, OpenGL, other processes, access from device to device.
 * Without cuda.h, because arguments do not matter. */

int vh_double_absent (const char *name, int code);

enum { NO_DEVICE = 100, PEER_ACCESS_UNSUPPORTED = 217, NOT_SUPPORTED = 801 };

#define ABSENT(name, code) \
  __attribute__ ((visibility ("default"))) int name (void); \
  int \
  name (void) \
  { \
    return vh_double_absent (#name, code); \
  }

ABSENT (cuCtxEnablePeerAccess, PEER_ACCESS_UNSUPPORTED)
ABSENT (cuCtxDisablePeerAccess, PEER_ACCESS_UNSUPPORTED)
ABSENT (cuGLGetDevices_v2, NO_DEVICE)
ABSENT (cuGraphicsGLRegisterImage, NOT_SUPPORTED)
ABSENT (cuGraphicsGLRegisterBuffer, NOT_SUPPORTED)
ABSENT (cuGraphicsMapResources, NOT_SUPPORTED)
ABSENT (cuGraphicsUnmapResources, NOT_SUPPORTED)
ABSENT (cuGraphicsResourceSetMapFlags_v2, NOT_SUPPORTED)
ABSENT (cuGraphicsSubResourceGetMappedArray, NOT_SUPPORTED)
ABSENT (cuGraphicsResourceGetMappedPointer_v2, NOT_SUPPORTED)
ABSENT (cuGraphicsUnregisterResource, NOT_SUPPORTED)
ABSENT (cuTexObjectCreate, NOT_SUPPORTED)
ABSENT (cuTexObjectDestroy, NOT_SUPPORTED)
ABSENT (cuIpcGetEventHandle, NOT_SUPPORTED)
ABSENT (cuIpcOpenEventHandle, NOT_SUPPORTED)
ABSENT (cuIpcGetMemHandle, NOT_SUPPORTED)
ABSENT (cuIpcOpenMemHandle, NOT_SUPPORTED)
ABSENT (cuIpcOpenMemHandle_v2, NOT_SUPPORTED)
ABSENT (cuIpcCloseMemHandle, NOT_SUPPORTED)
ABSENT (cuCtxGetLimit, NOT_SUPPORTED)
ABSENT (cuCtxSetLimit, NOT_SUPPORTED)
ABSENT (cuDestroyExternalMemory, NOT_SUPPORTED)
ABSENT (cuDestroyExternalSemaphore, NOT_SUPPORTED)
ABSENT (cuExternalMemoryGetMappedBuffer, NOT_SUPPORTED)
ABSENT (cuExternalMemoryGetMappedMipmappedArray, NOT_SUPPORTED)
ABSENT (cuImportExternalMemory, NOT_SUPPORTED)
ABSENT (cuImportExternalSemaphore, NOT_SUPPORTED)
ABSENT (cuMemAddressFree, NOT_SUPPORTED)
ABSENT (cuMemAddressReserve, NOT_SUPPORTED)
ABSENT (cuMemAllocFromPoolAsync, NOT_SUPPORTED)
ABSENT (cuMemCreate, NOT_SUPPORTED)
ABSENT (cuMemExportToShareableHandle, NOT_SUPPORTED)
ABSENT (cuMemGetAccess, NOT_SUPPORTED)
ABSENT (cuMemGetAllocationGranularity, NOT_SUPPORTED)
ABSENT (cuMemGetAllocationPropertiesFromHandle, NOT_SUPPORTED)
ABSENT (cuMemImportFromShareableHandle, NOT_SUPPORTED)
ABSENT (cuMemMap, NOT_SUPPORTED)
ABSENT (cuMemPoolCreate, NOT_SUPPORTED)
ABSENT (cuMemPoolDestroy, NOT_SUPPORTED)
ABSENT (cuMemPoolGetAttribute, NOT_SUPPORTED)
ABSENT (cuMemPoolSetAttribute, NOT_SUPPORTED)
ABSENT (cuMemRelease, NOT_SUPPORTED)
ABSENT (cuMemRetainAllocationHandle, NOT_SUPPORTED)
ABSENT (cuMemSetAccess, NOT_SUPPORTED)
ABSENT (cuMemUnmap, NOT_SUPPORTED)
ABSENT (cuMemsetD2D16Async, NOT_SUPPORTED)
ABSENT (cuMemsetD2D16_v2, NOT_SUPPORTED)
ABSENT (cuMemsetD2D32Async, NOT_SUPPORTED)
ABSENT (cuMemsetD2D32_v2, NOT_SUPPORTED)
ABSENT (cuMemsetD2D8_v2, NOT_SUPPORTED)
ABSENT (cuSignalExternalSemaphoresAsync, NOT_SUPPORTED)
ABSENT (cuWaitExternalSemaphoresAsync, NOT_SUPPORTED)
