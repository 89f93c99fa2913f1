/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A libnvcuvid.so.1 that decodes nothing. nvcodec registers none of its
 * elements without one, not even cudaupload and cudadownload. */

enum { SUCCESS, NOT_SUPPORTED = 801 };

/* The first fields of CUVIDDECODECAPS. */
typedef struct
{
  int codec, chroma_format;
  unsigned depth, reserved[3];
  unsigned char supported, n_decoders;
  unsigned short formats;
  unsigned max_width, max_height, max_macroblocks;
  unsigned short min_width, min_height;
} DecodeCaps;

/* Claims to decode everything: nvcodec 1.22 leaves a context on the thread's
 * stack for each codec that is not supported, and registers decoders with
 * criticals if it cannot query. */
__attribute__ ((visibility ("default"))) int cuvidGetDecoderCaps (DecodeCaps *);

int
cuvidGetDecoderCaps (DecodeCaps * caps)
{
  caps->supported = 1;
  caps->n_decoders = 1;
  caps->formats = 0xf;          /* NV12, P016, YUV444, YUV444_16Bit */
  caps->max_width = caps->max_height = 8192;
  caps->max_macroblocks = 1 << 18;
  caps->min_width = caps->min_height = 48;
  return SUCCESS;
}

#define ABSENT(name) \
  __attribute__ ((visibility ("default"))) int name (void); \
  int \
  name (void) \
  { \
    return NOT_SUPPORTED; \
  }

ABSENT (cuvidCtxLockCreate)
ABSENT (cuvidCtxLockDestroy)
ABSENT (cuvidCtxLock)
ABSENT (cuvidCtxUnlock)
ABSENT (cuvidCreateDecoder)
ABSENT (cuvidReconfigureDecoder)
ABSENT (cuvidDestroyDecoder)
ABSENT (cuvidDecodePicture)
ABSENT (cuvidCreateVideoParser)
ABSENT (cuvidParseVideoData)
ABSENT (cuvidDestroyVideoParser)
ABSENT (cuvidMapVideoFrame64)
ABSENT (cuvidUnmapVideoFrame64)
