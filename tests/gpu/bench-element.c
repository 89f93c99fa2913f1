/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times the element in pipelines: its cost for a decoder, for a streaming
 * thread and for a machine with many streams, and how fast frames in system
 * memory are analysed.
 *
 * bench-element [CLIP.h264 [RESULTS.json]]
 *
 * CLIP.h264 is a byte stream; without it nothing is decoded. Without a GPU,
 * only the CPU backend is timed, and the exit status is 77. */
#include "cuda/gstcudacompat.h"

#include <gmodule.h>
#include <gst/video/video.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <sys/resource.h>

#define EXIT_SKIPPED 77
#define SINK "fakesink name=sink sync=false async=false"
#define MIB ((gsize) 1 << 20)

static GstCudaContext *cuda;    /* NULL without a GPU */
static GstContext *shared_context;      /* likewise, for pipelines */
static GQuark seen_quark;
static JsonBuilder *json;

/* Results */

static void G_GNUC_PRINTF (2, 3)
record (gdouble value, const gchar * format, ...)
{
  gchar *name;
  va_list args;

  if (!isfinite (value))
    return;
  va_start (args, format);
  name = g_strdup_vprintf (format, args);
  va_end (args);
  json_builder_set_member_name (json, name);
  json_builder_add_double_value (json, value);
  g_free (name);
}

static const gchar *
met (gboolean condition)
{
  return condition ? "met" : "MISSED";
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* Percentile by nearest rank; sorts the array of gdouble. */
static gdouble
percentile (GArray * values, guint p)
{
  if (values->len == 0)
    return NAN;
  g_array_sort (values, compare);
  return g_array_index (values, gdouble, (values->len * p + 99) / 100 - 1);
}

static GArray *
new_values (void)
{
  return g_array_sized_new (FALSE, FALSE, sizeof (gdouble), 8192);
}

/* Pipelines fed from outside, so that the pushing thread is their streaming
 * thread */

typedef struct
{
  GstElement *pipeline;
  GstElement *element;          /* element under test */
  GstElement *sink;
  GstPad *pad;                  /* owned */
  gboolean counts;              /* element is a videohistogram */
  guint64 pushed;               /* buffers */

  /* written by the streaming thread */
  GstClockTime entered;         /* monotonic ns when a frame entered the
                                 * element */
  GArray *thread_us;            /* time of each frame in the element */
  guint64 arrived;              /* frames at the sink */
  GstClockTime first, last;     /* their times, monotonic ns */
  guint memories;               /* memories new to the sink: few, unless the
                                 * element prevents pools from reusing them */
  GPtrArray *kept;              /* frames that arrived, or NULL */
} Chain;

static GstPadProbeReturn
on_enter (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Chain *chain = data;

  (void) pad;
  (void) info;
  chain->entered = gst_util_get_timestamp ();
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_leave (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Chain *chain = data;
  const gdouble us = (gst_util_get_timestamp () - chain->entered) / 1e3;

  (void) pad;
  (void) info;
  g_array_append_val (chain->thread_us, us);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_arrive (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Chain *chain = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstMiniObject *memory =
      GST_MINI_OBJECT_CAST (gst_buffer_peek_memory (buffer, 0));

  (void) pad;
  chain->last = gst_util_get_timestamp ();
  if (chain->arrived++ == 0)
    chain->first = chain->last;
  if (!gst_mini_object_get_qdata (memory, seen_quark)) {
    gst_mini_object_set_qdata (memory, seen_quark, chain, NULL);
    chain->memories++;
  }
  if (chain->kept)
    g_ptr_array_add (chain->kept, gst_buffer_ref (buffer));
  return GST_PAD_PROBE_OK;
}

static void
add_probe (Chain * chain, GstElement * element, const gchar * name,
    GstPadProbeCallback callback)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, chain, NULL);
  gst_object_unref (pad);
}

/* No other code reads the bus. */
static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  GError *error = NULL;

  (void) bus;
  (void) data;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_error ("%s: %s", GST_MESSAGE_SRC_NAME (message), error->message);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    gst_message_parse_warning (message, &error, NULL);
    g_print ("%s: %s\n", GST_MESSAGE_SRC_NAME (message), error->message);
    g_error_free (error);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
send_start (Chain * chain, GstCaps * caps, GstFormat format)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  gst_pad_push_event (chain->pad, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (chain->pad, gst_event_new_caps (caps));
  gst_pad_push_event (chain->pad, gst_event_new_segment (&segment));
}

/* Starts @description. Its first element is fed with @caps, the element under
 * test is named "e" and the sink "sink". */
static Chain *
chain_new (const gchar * description, GstCaps * caps, GstFormat format,
    GstContext * context)
{
  Chain *chain = g_new0 (Chain, 1);
  GError *error = NULL;
  GstPad *peer;
  GstBus *bus;

  chain->pipeline = gst_parse_launch (description, &error);
  if (error)
    g_error ("%s: %s", description, error->message);
  chain->element = gst_bin_get_by_name (GST_BIN (chain->pipeline), "e");
  chain->sink = gst_bin_get_by_name (GST_BIN (chain->pipeline), "sink");
  chain->counts = g_object_class_find_property (G_OBJECT_GET_CLASS
      (chain->element), "processed") != NULL;
  chain->thread_us = new_values ();
  add_probe (chain, chain->element, "sink", on_enter);
  add_probe (chain, chain->element, "src", on_leave);
  add_probe (chain, chain->sink, "sink", on_arrive);

  bus = gst_element_get_bus (chain->pipeline);
  gst_bus_set_sync_handler (bus, on_message, NULL, NULL);
  gst_object_unref (bus);
  if (context)
    gst_element_set_context (chain->pipeline, context);

  peer = gst_bin_find_unlinked_pad (GST_BIN (chain->pipeline), GST_PAD_SINK);
  chain->pad = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  if (gst_pad_link (chain->pad, peer) != GST_PAD_LINK_OK)
    g_error ("%s: cannot be fed", description);
  gst_object_unref (peer);

  gst_element_set_state (chain->pipeline, GST_STATE_PLAYING);
  gst_pad_set_active (chain->pad, TRUE);
  send_start (chain, caps, format);
  return chain;
}

/* Returns one of the element's counters, or 0 if it has none of that name. */
static guint64
chain_count (Chain * chain, const gchar * property)
{
  guint64 n = 0;

  if (chain->counts)
    g_object_get (chain->element, property, &n, NULL);
  return n;
}

static void
chain_free (Chain * chain)
{
  const guint64 skipped = chain_count (chain, "skipped");

  if (skipped > 0)
    g_print ("%" G_GUINT64_FORMAT " frames could not be analysed\n", skipped);
  gst_element_set_state (chain->pipeline, GST_STATE_NULL);
  gst_pad_set_active (chain->pad, FALSE);
  gst_object_unref (chain->pad);
  gst_object_unref (chain->element);
  gst_object_unref (chain->sink);
  gst_object_unref (chain->pipeline);
  g_array_unref (chain->thread_us);
  if (chain->kept)
    g_ptr_array_unref (chain->kept);
  g_free (chain);
}

/* Takes @buffer. */
static void
chain_push (Chain * chain, GstBuffer * buffer)
{
  const GstFlowReturn flow = gst_pad_push (chain->pad, buffer);

  if (flow != GST_FLOW_OK)
    g_error ("a buffer was refused: %s", gst_flow_get_name (flow));
  chain->pushed++;
}

/* Waits until all pushed frames are accounted for. */
static void
settle (Chain * chain)
{
  const GstClockTime end = gst_util_get_timestamp () + GST_SECOND;

  while (chain->counts && chain_count (chain, "processed")
      + chain_count (chain, "dropped") + chain_count (chain, "skipped") <
      chain->pushed && gst_util_get_timestamp () < end)
    g_thread_yield ();
}

/* Frames */

static GstCaps *
make_caps (const gchar * format, guint width, guint height)
{
  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format,
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
      GST_TYPE_FRACTION, 30, 1, NULL);
}

/* A gradient with noise that differs in each frame. */
static void
fill (GstBuffer * buffer, const GstVideoInfo * info, guint seed)
{
  GstVideoFrame frame;
  guint32 noise = 2463534242u + seed;
  guint x, y, p;

  if (!gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE))
    g_error ("a frame cannot be written");
  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const guint width = GST_VIDEO_FRAME_COMP_WIDTH (&frame, p) *
        GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, p);

    for (y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, p); y++) {
      guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, p) +
          (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p);

      for (x = 0; x < width; x++) {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        row[x] = 16 + x * 180 / width + (noise & 31);
      }
    }
  }
  gst_video_frame_unmap (&frame);
}

/* @n frames from @pool or, if NULL, in ordinary memory. */
static GPtrArray *
make_frames (GstCaps * caps, guint n, GstBufferPool * pool)
{
  GPtrArray *frames =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  GstVideoInfo info;
  guint i;

  gst_video_info_from_caps (&info, caps);
  for (i = 0; i < n; i++) {
    GstBuffer *buffer = NULL;

    if (!pool)
      buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    else if (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL) !=
        GST_FLOW_OK)
      g_error ("the pool has no buffer");
    fill (buffer, &info, i);
    g_ptr_array_add (frames, buffer);
  }
  return frames;
}

static GstCaps *
make_cuda_caps (const gchar * format, guint width, guint height)
{
  GstCaps *caps = make_caps (format, width, height);

  gst_caps_set_features_simple (caps,
      gst_caps_features_new ("memory:CUDAMemory", NULL));
  return caps;
}

/* @n frames in CUDA memory. */
static GPtrArray *
make_cuda_frames (const gchar * format, guint width, guint height, guint n)
{
  GstCaps *caps = make_caps (format, width, height);
  GPtrArray *frames = make_frames (caps, n, NULL);
  GPtrArray *uploaded =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  Chain *chain = chain_new ("cudaupload name=e ! "
      "video/x-raw(memory:CUDAMemory) ! " SINK, caps, GST_FORMAT_TIME,
      shared_context);
  guint i;

  chain->kept = g_ptr_array_ref (uploaded);
  for (i = 0; i < n; i++)
    chain_push (chain, gst_buffer_ref (g_ptr_array_index (frames, i)));
  chain_free (chain);
  g_ptr_array_unref (frames);
  gst_caps_unref (caps);
  return uploaded;
}

/* Returns the pool that @chain offers for @caps, activated, or NULL. */
static GstBufferPool *
get_offered_pool (Chain * chain, GstCaps * caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;
  GstStructure *config;
  guint size, min, max;

  /* The return value is ignored, as in sources and decoders. */
  gst_pad_peer_query (chain->pad, query);
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  gst_query_unref (query);
  if (!pool)
    return NULL;

  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, size, min, max);
  if (!gst_buffer_pool_set_config (pool, config)
      || !gst_buffer_pool_set_active (pool, TRUE))
    g_error ("the pool that is offered cannot be used");
  return pool;
}

static void
free_pool (GstBufferPool * pool)
{
  if (!pool)
    return;
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

/* Decoding */

#define DECODE_ROUNDS 5
#define DECODE_SECONDS 0.7
#define CHUNK 65536
#define DECODER "h264parse ! nvh264dec ! video/x-raw(memory:CUDAMemory) ! "

typedef struct
{
  const gchar *name;
  const gchar *element;
  GArray *fps;
  guint64 frames, processed, dropped, memories;
} DecodeCase;

/* Decodes @clip @loops times. */
static void
decode_once (DecodeCase * decode, GBytes * clip, guint loops)
{
  GstCaps *caps =
      gst_caps_from_string ("video/x-h264,stream-format=byte-stream");
  gchar *description = g_strconcat (DECODER, decode->element, " ! " SINK, NULL);
  Chain *chain =
      chain_new (description, caps, GST_FORMAT_BYTES, shared_context);
  const gsize size = g_bytes_get_size (clip);
  gdouble fps;
  gsize at;
  guint i;

  for (i = 0; i < loops; i++) {
    for (at = 0; at < size; at += CHUNK) {
      GBytes *chunk = g_bytes_new_from_bytes (clip, at, MIN (CHUNK, size - at));

      chain_push (chain, gst_buffer_new_wrapped_bytes (chunk));
      g_bytes_unref (chunk);
    }
  }
  gst_pad_push_event (chain->pad, gst_event_new_eos ());
  if (chain->arrived < 2)
    g_error ("the clip holds no frames that can be decoded");

  fps = (chain->arrived - 1) * 1e9 / (chain->last - chain->first);
  g_array_append_val (decode->fps, fps);
  decode->frames = chain->arrived;
  decode->processed = chain_count (chain, "processed");
  decode->dropped = chain_count (chain, "dropped");
  decode->memories = chain->memories;
  chain_free (chain);
  g_free (description);
  gst_caps_unref (caps);
}

static void
report_decode (const DecodeCase * decode, gdouble without)
{
  const gdouble fps = percentile (decode->fps, 50);
  const gdouble least = g_array_index (decode->fps, gdouble, 0);
  const gdouble most =
      g_array_index (decode->fps, gdouble, decode->fps->len - 1);
  const gdouble spread = (most - least) / fps * 100;

  g_print ("%-22s %8.1f %8.2f %8.4f %8" G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT
      " %7" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT "\n", decode->name, fps,
      spread, fps / without, decode->frames, decode->processed,
      decode->dropped, decode->memories);
  record (fps, "decode_%s_fps", decode->name);
  record (spread, "decode_%s_spread_pct", decode->name);
  record (fps / without, "decode_%s_ratio", decode->name);
  record (decode->frames, "decode_%s_frames", decode->name);
  record (decode->processed, "decode_%s_processed", decode->name);
  record (decode->dropped, "decode_%s_dropped", decode->name);
  record (decode->memories, "decode_%s_memories", decode->name);
}

static void
bench_decode (const gchar * path)
{
  DecodeCase cases[] = {
    /* A capsfilter stands in for the element. */
    {"without", "capsfilter name=e"},
    {"identity", "identity name=e"},
    {"messages", "videohistogram name=e interval=0"},
    {"silent", "videohistogram name=e interval=0 post-messages=false"},
  };
  enum
  { WITHOUT, MESSAGES = 2 };
  const guint n = G_N_ELEMENTS (cases);
  GError *error = NULL;
  gdouble without, ratio;
  gchar *content;
  GBytes *clip;
  gsize size;
  guint i, round, loops;

  if (!g_file_get_contents (path, &content, &size, &error))
    g_error ("%s", error->message);
  clip = g_bytes_new_take (content, size);
  for (i = 0; i < n; i++)
    cases[i].fps = new_values ();

  decode_once (&cases[WITHOUT], clip, 1);
  loops = ceil (DECODE_SECONDS * percentile (cases[WITHOUT].fps, 50) /
      cases[WITHOUT].frames);
  g_array_set_size (cases[WITHOUT].fps, 0);
  for (round = 0; round < DECODE_ROUNDS; round++) {
    for (i = 0; i < n; i++)
      decode_once (&cases[(i + round) % n], clip, loops);
  }

  without = percentile (cases[WITHOUT].fps, 50);
  g_print ("\nnvh264dec ! ELEMENT ! fakesink, medians of %u\n%-22s %8s %8s %8s "
      "%8s %9s %7s %8s\n", DECODE_ROUNDS, "element", "fps", "spread %", "ratio",
      "frames", "processed", "dropped", "memories");
  for (i = 0; i < n; i++)
    report_decode (&cases[i], without);
  ratio = percentile (cases[MESSAGES].fps, 50) / without;
  g_print ("messages, to without: %.4f (target >= 0.98: %s)\n", ratio,
      met (ratio >= 0.98));
  for (i = 0; i < n; i++)
    g_array_unref (cases[i].fps);
  g_bytes_unref (clip);
}

/* The streaming thread */

#define THREAD_ROUNDS 3
#define THREAD_FRAMES 1500
#define THREAD_WARMUP 50
#define THREAD_TICK (250 * GST_USECOND)

/* Pushes @n frames, each after the previous one was analysed and @tick ns have
 * passed. */
static void
push_paced (Chain * chain, GPtrArray * frames, guint n, GstClockTime tick)
{
  guint i;

  for (i = 0; i < n; i++) {
    const GstClockTime next = gst_util_get_timestamp () + tick;

    chain_push (chain, gst_buffer_copy (g_ptr_array_index (frames,
                i % frames->len)));
    settle (chain);
    while (gst_util_get_timestamp () < next)
      g_thread_yield ();
  }
}

static void
warm_up (Chain * chain, GPtrArray * frames, guint n)
{
  push_paced (chain, frames, n, 0);
  g_array_set_size (chain->thread_us, 0);
}

static void
report_thread (Chain * chain, const gchar * name)
{
  const gdouble p50 = percentile (chain->thread_us, 50);
  const gdouble p99 = percentile (chain->thread_us, 99);
  const guint64 processed = chain_count (chain, "processed");
  const guint64 dropped = chain_count (chain, "dropped");

  g_print ("%-22s %8.2f %8.2f %9" G_GUINT64_FORMAT " %7" G_GUINT64_FORMAT, name,
      p50, p99, processed, dropped);
  g_print (chain->counts ? "   (targets <= 12 and <= 50: %s, %s)\n" : "\n",
      met (p50 <= 12), met (p99 <= 50));
  record (p50, "thread_%s_p50_us", name);
  record (p99, "thread_%s_p99_us", name);
  record (processed, "thread_%s_processed", name);
  record (dropped, "thread_%s_dropped", name);
}

static void
bench_thread (void)
{
  static const struct
  {
    const gchar *name;
    const gchar *element;
  } cases[] = {
    {"identity", "identity name=e ! " SINK},
    {"passthrough", "videohistogram name=e interval=0 ! " SINK},
    {"meta", "videohistogram name=e interval=0 attach-meta=always ! " SINK},
  };
  Chain *chains[G_N_ELEMENTS (cases)];
  GstCaps *caps = make_cuda_caps ("NV12", 1920, 1080);
  GPtrArray *frames = make_cuda_frames ("NV12", 1920, 1080, 8);
  guint i, round;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    chains[i] =
        chain_new (cases[i].element, caps, GST_FORMAT_TIME, shared_context);
    warm_up (chains[i], frames, THREAD_WARMUP);
  }
  for (round = 0; round < THREAD_ROUNDS; round++) {
    for (i = 0; i < G_N_ELEMENTS (cases); i++)
      push_paced (chains[i], frames, THREAD_FRAMES, THREAD_TICK);
  }

  g_print ("\nstreaming thread between the element's pads, 1080p NV12 in CUDA "
      "memory, us\n%-22s %8s %8s %9s %7s\n", "element", "p50", "p99",
      "processed", "dropped");
  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    report_thread (chains[i], cases[i].name);
    chain_free (chains[i]);
  }
  g_ptr_array_unref (frames);
  gst_caps_unref (caps);
}

/* Frames in system memory */

#define SYSTEM_ROUNDS 5
#define SYSTEM_SECONDS 0.2
#define SYSTEM_FRAMES 8
#define SYSTEM_WIDTH 3840
#define SYSTEM_HEIGHT 2160
#define BANDWIDTH_ROUNDS 9
#define BANDWIDTH_SIZE (256 * MIB)
#define BACK_OFF (5 * GST_USECOND)

typedef enum
{
  FROM_PAGEABLE,                /* ordinary memory */
  FROM_KEPT,                    /* pool buffers that are never returned */
  FROM_POOL,                    /* a pool buffer per frame */
} FramesFrom;

typedef struct
{
  const gchar *name;
  const gchar *elements;
  gboolean needs_gpu;
  FramesFrom from;
  Chain *chain;
  GstBufferPool *pool;          /* or NULL */
  GPtrArray *frames;            /* NULL if each comes from the pool */
  guint next;
  GArray *fps;
} SystemCase;

static void
check (CUresult result, const gchar * what)
{
  if (result != CUDA_SUCCESS)
    g_error ("%s: CUDA error %d", what, result);
}

/* Measures large copies from pinned memory, in GB/s. */
static gdouble
measure_pinned_bandwidth (void)
{
  GArray *rates = new_values ();
  CUDA_MEMCPY2D copy = { 0, };
  CUdeviceptr device;
  CUstream stream;
  gdouble rate;
  void *host;
  guint i;

  gst_cuda_context_push (cuda);
  check (CuMemAllocHost (&host, BANDWIDTH_SIZE), "pinned memory");
  check (CuMemAlloc (&device, BANDWIDTH_SIZE), "device memory");
  check (CuStreamCreate (&stream, CU_STREAM_NON_BLOCKING), "stream");
  memset (host, 1, BANDWIDTH_SIZE);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device;
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = MIB;
  copy.Height = BANDWIDTH_SIZE / MIB;
  for (i = 0; i < BANDWIDTH_ROUNDS; i++) {
    const GstClockTime start = gst_util_get_timestamp ();

    check (CuMemcpy2DAsync (&copy, stream), "copy");
    check (CuStreamSynchronize (stream), "copy");
    rate = BANDWIDTH_SIZE / (gdouble) (gst_util_get_timestamp () - start);
    g_array_append_val (rates, rate);
  }
  CuStreamDestroy (stream);
  CuMemFree (device);
  CuMemFreeHost (host);
  gst_cuda_context_pop (NULL);
  rate = percentile (rates, 50);
  g_array_unref (rates);
  return rate;
}

static GstBuffer *
next_frame (SystemCase * system)
{
  GstBuffer *buffer = NULL;

  if (system->frames) {
    return gst_buffer_ref (g_ptr_array_index (system->frames,
            system->next++ % system->frames->len));
  }
  if (gst_buffer_pool_acquire_buffer (system->pool, &buffer, NULL) !=
      GST_FLOW_OK)
    g_error ("the pool has no buffer");
  return buffer;
}

/* For a while, pushes frames as fast as they are analysed; records the rate per
 * second. */
static void
push_fast (SystemCase * system, gdouble seconds)
{
  Chain *chain = system->chain;
  const guint64 before = chain_count (chain, "processed");
  const GstClockTime start = gst_util_get_timestamp ();
  guint64 dropped = chain_count (chain, "dropped");
  gdouble fps;

  while (gst_util_get_timestamp () - start < seconds * GST_SECOND) {
    guint64 now_dropped;

    chain_push (chain, next_frame (system));
    now_dropped = chain_count (chain, "dropped");
    if (now_dropped > dropped) {
      const GstClockTime again = gst_util_get_timestamp () + BACK_OFF;

      while (gst_util_get_timestamp () < again);
    }
    dropped = now_dropped;
  }
  settle (chain);
  fps = (chain_count (chain, "processed") - before) * 1e9 /
      (gst_util_get_timestamp () - start);
  g_array_append_val (system->fps, fps);
}

static void
start_system (SystemCase * system, GstCaps * caps)
{
  system->chain =
      chain_new (system->elements, caps, GST_FORMAT_TIME, shared_context);
  system->fps = new_values ();
  if (system->from != FROM_PAGEABLE) {
    Chain *offering = chain_new ("videohistogram name=e backend=cuda ! " SINK,
        caps, GST_FORMAT_TIME, shared_context);

    system->pool = get_offered_pool (offering, caps);
    chain_free (offering);
    if (!system->pool)
      g_error ("videohistogram offers no pool");
  }
  system->frames = make_frames (caps, SYSTEM_FRAMES, system->pool);
  /* This returns the buffers to the pool, with their contents. */
  if (system->from == FROM_POOL)
    g_clear_pointer (&system->frames, g_ptr_array_unref);
  push_fast (system, SYSTEM_SECONDS / 4);
  g_array_set_size (system->fps, 0);
}

static void
stop_system (SystemCase * system)
{
  chain_free (system->chain);
  g_clear_pointer (&system->frames, g_ptr_array_unref);
  free_pool (system->pool);
  g_array_unref (system->fps);
}

static gdouble
report_system (SystemCase * system, gdouble pinned)
{
  const gdouble fps = percentile (system->fps, 50);
  const gdouble rate = fps * SYSTEM_WIDTH * SYSTEM_HEIGHT / 1e9;

  g_print ("%-22s %8.1f %8.2f %8.3f %8u\n", system->name, fps, rate,
      rate / pinned, system->chain->memories);
  record (fps, "system_%s_fps", system->name);
  record (rate, "system_%s_gb_s", system->name);
  record (rate / pinned, "system_%s_of_pinned", system->name);
  record (system->chain->memories, "system_%s_memories", system->name);
  return fps;
}

static void
bench_system (void)
{
#define UPLOAD "videohistogram name=e backend=cuda interval=0 ! " SINK
#define PEER "cudaupload ! videohistogram name=e interval=0 ! " SINK
  SystemCase cases[] = {
    {"pool", UPLOAD, TRUE, FROM_POOL},
    {"kept", UPLOAD, TRUE, FROM_KEPT},
    {"pageable", UPLOAD, TRUE, FROM_PAGEABLE},
    {"cudaupload", PEER, TRUE, FROM_PAGEABLE},
    {"cudaupload-kept", PEER, TRUE, FROM_KEPT},
    {"cpu", "videohistogram name=e backend=cpu interval=0 ! " SINK, FALSE,
        FROM_PAGEABLE},
  };
  enum
  { POOL, CUDAUPLOAD = 3, N = G_N_ELEMENTS (cases) };
  GstCaps *caps = make_caps ("NV12", SYSTEM_WIDTH, SYSTEM_HEIGHT);
  const gdouble pinned = cuda ? measure_pinned_bandwidth () : NAN;
  gdouble fps[N];
  guint i, round;

  for (i = 0; i < N; i++) {
    if (cuda || !cases[i].needs_gpu)
      start_system (&cases[i], caps);
  }
  for (round = 0; round < SYSTEM_ROUNDS; round++) {
    for (i = 0; i < N; i++) {
      if (cases[i].chain)
        push_fast (&cases[i], SYSTEM_SECONDS);
    }
  }

  g_print ("\n2160p NV12 in system memory, luma, medians of %u\n",
      SYSTEM_ROUNDS);
  if (cuda)
    g_print ("pinned memory is uploaded at %.2f GB/s\n", pinned);
  g_print ("%-22s %8s %8s %8s %8s\n", "frames", "fps", "GB/s", "ratio",
      "memories");
  record (pinned, "upload_pinned_gb_s");
  for (i = 0; i < N; i++) {
    if (!cases[i].chain) {
      g_print ("%-22s no GPU\n", cases[i].name);
      continue;
    }
    fps[i] = report_system (&cases[i], pinned);
    stop_system (&cases[i]);
  }
  if (cuda) {
    const gdouble of_pinned =
        fps[POOL] * SYSTEM_WIDTH * SYSTEM_HEIGHT / 1e9 / pinned;
    const gdouble of_cudaupload = fps[POOL] / fps[CUDAUPLOAD];

    g_print ("pool, of pinned bandwidth: %.3f (target >= 0.85: %s)\n"
        "pool, times cudaupload: %.2f (target >= 2: %s)\n", of_pinned,
        met (of_pinned >= 0.85), of_cudaupload, met (of_cudaupload >= 2));
    record (of_cudaupload, "system_pool_of_cudaupload");
  }
  gst_caps_unref (caps);
}

/* The size from which auto should use the GPU */

#define CROSSOVER_ROUNDS 3
#define CROSSOVER_FRAMES 60
#define CROSSOVER_WARMUP 10
#define CROSSOVER_TICK (100 * GST_USECOND)

static void
bench_size (guint width, guint height)
{
  enum
  { CPU, PAGEABLE, PINNED, N };
  static const gchar *const names[] = { "cpu", "pageable", "pinned" };
  GstCaps *caps = make_caps ("GRAY8", width, height);
  Chain *chains[N] = { NULL, };
  GPtrArray *frames[N];
  GstBufferPool *pool = NULL;
  guint i, round;

  for (i = 0; i < (cuda ? N : 1); i++) {
    chains[i] = chain_new (i == CPU ?
        "videohistogram name=e backend=cpu interval=0 ! " SINK :
        "videohistogram name=e backend=cuda interval=0 ! " SINK, caps,
        GST_FORMAT_TIME, shared_context);
    if (i == PINNED)
      pool = get_offered_pool (chains[i], caps);
    frames[i] = make_frames (caps, 8, pool);
    warm_up (chains[i], frames[i], CROSSOVER_WARMUP);
  }
  for (round = 0; round < CROSSOVER_ROUNDS; round++) {
    for (i = 0; i < N && chains[i]; i++)
      push_paced (chains[i], frames[i], CROSSOVER_FRAMES, CROSSOVER_TICK);
  }

  g_print ("%4ux%-17u", width, height);
  for (i = 0; i < N; i++) {
    gdouble p50, p99;

    if (!chains[i]) {
      g_print (" %17s", "no GPU");
      continue;
    }
    p50 = percentile (chains[i]->thread_us, 50);
    p99 = percentile (chains[i]->thread_us, 99);
    g_print (" %8.1f %8.1f", p50, p99);
    record (p50, "crossover_%ux%u_%s_p50_us", width, height, names[i]);
    record (p99, "crossover_%ux%u_%s_p99_us", width, height, names[i]);
    chain_free (chains[i]);
    g_ptr_array_unref (frames[i]);
  }
  g_print ("\n");
  free_pool (pool);
  gst_caps_unref (caps);
}

static void
bench_crossover (void)
{
  static const guint sizes[][2] = {
    {64, 64}, {128, 128}, {256, 256}, {512, 512}, {1024, 1024}, {1920, 1080},
    {3840, 2160},
  };
  guint i;

  g_print ("\nstreaming thread for a GRAY8 frame in system memory, us\n"
      "%-22s %17s %17s %17s\n%-22s %8s %8s %8s %8s %8s %8s\n", "frame", "cpu",
      "cuda, pageable", "cuda, pinned", "", "p50", "p99", "p50", "p99", "p50",
      "p99");
  for (i = 0; i < G_N_ELEMENTS (sizes); i++)
    bench_size (sizes[i][0], sizes[i][1]);
}

/* Many streams */

#define STREAM_FPS 30
#define FRAME_TIME (GST_SECOND / STREAM_FPS)
#define STREAM_FRAMES 8
#define START_DELAY (200 * GST_MSECOND)
/* The sink drops video only if it is later than this. */
#define LIVE_SINK "fakesink name=sink async=false sync=true qos=true " \
    "max-lateness=20000000"
#define LIVE(backend) \
    "videohistogram name=e interval=0 backend=" backend " ! " LIVE_SINK

typedef struct
{
  Chain *chain;
  GPtrArray *frames;            /* shared */
  GstClockTime start;           /* clock time of the first frame */
  guint n_frames;
  GThread *thread;
} Stream;

typedef struct
{
  const gchar *name;
  const gchar *elements;
  gboolean in_cuda;             /* frames in CUDA memory, otherwise in system
                                 * memory */
  gboolean needs_gpu;
  gboolean shares_context;
  guint n_streams;
  guint seconds;                /* after one second of warm-up */
} StreamsCase;

/* A camera: each frame arrives at its time. */
static gpointer
stream_run (gpointer data)
{
  Stream *stream = data;
  GstClock *clock = gst_element_get_clock (stream->chain->pipeline);
  const GstClockTime base_time =
      gst_element_get_base_time (stream->chain->pipeline);
  guint i;

  for (i = 0; i < stream->n_frames; i++) {
    const GstClockTime time = stream->start + i * FRAME_TIME;
    GstClockID id = gst_clock_new_single_shot_id (clock, time);
    GstBuffer *buffer = gst_buffer_copy (g_ptr_array_index (stream->frames,
            i % stream->frames->len));

    GST_BUFFER_PTS (buffer) = time - base_time;
    GST_BUFFER_DURATION (buffer) = FRAME_TIME;
    gst_clock_id_wait (id, NULL);
    gst_clock_id_unref (id);
    chain_push (stream->chain, buffer);
  }
  settle (stream->chain);
  gst_object_unref (clock);
  return NULL;
}

static guint64
lost_at_sinks (Stream * streams, guint n)
{
  guint64 sum = 0;
  guint i;

  for (i = 0; i < n; i++) {
    GstStructure *stats;
    guint64 dropped = 0;

    g_object_get (streams[i].chain->sink, "stats", &stats, NULL);
    gst_structure_get_uint64 (stats, "dropped", &dropped);
    gst_structure_free (stats);
    sum += dropped;
  }
  return sum;
}

static gdouble
cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
      (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* MiB of GPU memory in use, or NAN if unknown. */
static gdouble
gpu_memory_used (void)
{
  static CUresult (CUDAAPI * get_info) (size_t * available, size_t * total);
  size_t available, total;
  gboolean known;

  if (!cuda)
    return NAN;
  if (!get_info) {
    GModule *library = g_module_open ("libcuda.so.1", G_MODULE_BIND_LOCAL);

    if (!library || !g_module_symbol (library, "cuMemGetInfo_v2",
            (gpointer *) & get_info))
      return NAN;
  }
  gst_cuda_context_push (cuda);
  known = get_info (&available, &total) == CUDA_SUCCESS;
  gst_cuda_context_pop (NULL);
  return known ? (total - available) / (gdouble) MIB : NAN;
}

static guint
count_threads (void)
{
  GDir *dir = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (dir && g_dir_read_name (dir))
    n++;
  if (dir)
    g_dir_close (dir);
  return n;
}

typedef struct
{
  guint64 pushed, arrived, processed, dropped, lost, lost_at_start;
  gdouble cpu_pct, gpu_mib;     /* per stream */
  guint threads;
  GArray *thread_us;
} StreamsResult;

static void
report_streams (const StreamsCase * streams, const StreamsResult * result)
{
  const gdouble p50 = percentile (result->thread_us, 50);
  const gdouble p99 = percentile (result->thread_us, 99);
  gchar *key = g_strdup_printf ("streams_%s_%u", streams->name,
      streams->n_streams);

  g_print ("%-14s %7u %6" G_GUINT64_FORMAT " %6" G_GUINT64_FORMAT " %6"
      G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT " %7" G_GUINT64_FORMAT
      " %8.2f %8.1f %7u %8.1f %8.1f\n", streams->name, streams->n_streams,
      result->pushed, result->lost, result->lost_at_start, result->processed,
      result->dropped, result->cpu_pct, result->gpu_mib, result->threads, p50,
      p99);
  record (result->pushed, "%s_frames", key);
  record (result->lost, "%s_lost_frames", key);
  record (result->lost_at_start, "%s_lost_at_start_frames", key);
  record (result->processed, "%s_processed", key);
  record (result->dropped, "%s_dropped", key);
  record (result->cpu_pct, "%s_cpu_pct_per_stream", key);
  record (result->gpu_mib, "%s_gpu_mib_per_stream", key);
  record (result->threads, "%s_threads", key);
  record (p50, "%s_thread_p50_us", key);
  record (p99, "%s_thread_p99_us", key);
  g_free (key);
}

static void
start_streams (const StreamsCase * streams, Stream * all, GPtrArray * frames)
{
  GstCaps *caps = streams->in_cuda ? make_cuda_caps ("NV12", 1920, 1080) :
      make_caps ("NV12", 1920, 1080);
  GstClock *clock = gst_system_clock_obtain ();
  GstClockTime start;
  guint i;

  for (i = 0; i < streams->n_streams; i++) {
    all[i].chain = chain_new (streams->elements, caps, GST_FORMAT_TIME,
        streams->shares_context ? shared_context : NULL);
    all[i].frames = frames;
    all[i].n_frames = (streams->seconds + 1) * STREAM_FPS;
  }
  start = gst_clock_get_time (clock) + START_DELAY;
  for (i = 0; i < streams->n_streams; i++) {
    all[i].start = start + i * FRAME_TIME / streams->n_streams;
    all[i].thread = g_thread_new ("stream", stream_run, &all[i]);
  }
  gst_object_unref (clock);
  gst_caps_unref (caps);
}

static void
stop_streams (Stream * all, guint n, StreamsResult * result)
{
  guint i;

  for (i = 0; i < n; i++) {
    Chain *chain = all[i].chain;

    result->pushed += chain->pushed;
    result->arrived += chain->arrived;
    result->processed += chain_count (chain, "processed");
    result->dropped += chain_count (chain, "dropped");
    g_array_append_vals (result->thread_us, chain->thread_us->data,
        chain->thread_us->len);
    chain_free (chain);
  }
  result->lost += result->pushed - result->arrived;
}

static void
run_streams (const StreamsCase * streams, GPtrArray * frames)
{
  const guint n = streams->n_streams;
  Stream *all = g_new0 (Stream, n);
  StreamsResult result = {.thread_us = new_values () };
  const gdouble memory = gpu_memory_used ();
  gdouble cpu;
  GstClockTime start;
  guint i;

  start_streams (streams, all, frames);
  g_usleep ((START_DELAY + GST_SECOND) / GST_USECOND);
  result.lost_at_start = lost_at_sinks (all, n);
  cpu = cpu_seconds ();
  start = gst_util_get_timestamp ();
  result.threads = count_threads ();

  for (i = 0; i < n; i++)
    g_thread_join (all[i].thread);
  result.cpu_pct = (cpu_seconds () - cpu) * 100e9 / n /
      (gst_util_get_timestamp () - start);
  result.gpu_mib = (gpu_memory_used () - memory) / n;
  result.lost = lost_at_sinks (all, n);

  stop_streams (all, n, &result);
  report_streams (streams, &result);
  g_array_unref (result.thread_us);
  g_free (all);
}

static void
bench_streams (void)
{
  static const StreamsCase cases[] = {
    {"cuda", LIVE ("auto"), TRUE, TRUE, TRUE, 1, 1},
    {"cuda", LIVE ("auto"), TRUE, TRUE, TRUE, 16, 4},
    {"cuda", LIVE ("auto"), TRUE, TRUE, TRUE, 64, 5},
    {"system", LIVE ("auto"), FALSE, TRUE, TRUE, 1, 1},
    {"system", LIVE ("auto"), FALSE, TRUE, TRUE, 16, 4},
    {"system", LIVE ("auto"), FALSE, TRUE, TRUE, 64, 5},
    /* For applications that do not share a context among pipelines. */
    {"own-contexts", LIVE ("auto"), FALSE, TRUE, FALSE, 16, 1},
    {"cpu", LIVE ("cpu"), FALSE, FALSE, TRUE, 1, 1},
    {"cpu", LIVE ("cpu"), FALSE, FALSE, TRUE, 16, 1},
    {"cpu", LIVE ("cpu"), FALSE, FALSE, TRUE, 64, 2},
    {"identity", "identity name=e ! " LIVE_SINK, FALSE, FALSE, TRUE, 64, 2},
  };
  GstCaps *caps = make_caps ("NV12", 1920, 1080);
  GPtrArray *frames = make_frames (caps, STREAM_FRAMES, NULL);
  GPtrArray *cuda_frames = cuda ?
      make_cuda_frames ("NV12", 1920, 1080, STREAM_FRAMES) : NULL;
  guint i;

  g_print ("\n1080p NV12 at %u fps, every frame analysed; lost where it is "
      "more than 20 ms late\nat the sink\n"
      "%-14s %7s %6s %6s %6s %9s %7s %8s %8s %7s %17s\n"
      "%-14s %7s %6s %6s %6s %9s %7s %8s %8s %7s %8s %8s\n", STREAM_FPS,
      "frames in", "streams", "frames", "lost", "in 1st", "processed",
      "dropped", "% of a", "GPU MiB", "threads", "streaming thread", "", "", "",
      "", "second", "", "", "core of", "of each", "", "p50 us", "p99 us");
  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (cuda || !cases[i].needs_gpu) {
      run_streams (&cases[i], cases[i].in_cuda ? cuda_frames : frames);
    } else {
      g_print ("%-14s %7u no GPU\n", cases[i].name, cases[i].n_streams);
    }
  }
  g_ptr_array_unref (frames);
  if (cuda_frames)
    g_ptr_array_unref (cuda_frames);
  gst_caps_unref (caps);
}

/* Whether this machine has everything to be timed; prints what is missing. */
static gboolean
find_gpu (void)
{
  GstElement *element = gst_element_factory_make ("videohistogram", NULL);
  gchar *active, *reason;
  gboolean found;

  if (!element)
    g_error ("GStreamer does not find videohistogram");
  gst_element_set_state (element, GST_STATE_READY);
  g_object_get (element, "active-backend", &active, "backend-reason", &reason,
      NULL);
  found = g_strcmp0 (active, "cuda") == 0;
  if (!found)
    g_print ("no GPU: %s\n", reason);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  g_free (active);
  g_free (reason);
  return found;
}

static gboolean
has_element (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  if (factory)
    gst_object_unref (factory);
  else
    g_print ("no element %s\n", name);
  return factory != NULL;
}

static void
write_results (const gchar * path)
{
  JsonGenerator *generator = json_generator_new ();
  JsonNode *root;
  GError *error = NULL;

  json_builder_end_object (json);
  root = json_builder_get_root (json);
  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  if (path && !json_generator_to_file (generator, path, &error))
    g_error ("%s", error->message);
  json_node_unref (root);
  g_object_unref (generator);
}

int
main (int argc, char **argv)
{
  gboolean complete;

  gst_init (&argc, &argv);
  seen_quark = g_quark_from_static_string ("bench-element-seen");
  json = json_builder_new ();
  json_builder_begin_object (json);

  complete = find_gpu () && has_element ("cudaupload");
  if (complete) {
    cuda = gst_cuda_context_new (0);
    if (!cuda)
      g_error ("no CUDA context");
    shared_context = gst_context_new_cuda_context (cuda);
    if (argc > 1 && has_element ("nvh264dec"))
      bench_decode (argv[1]);
    else
      complete = argc < 2;
    bench_thread ();
  }
  bench_system ();
  bench_crossover ();
  bench_streams ();

  write_results (argc > 2 ? argv[2] : NULL);
  g_object_unref (json);
  if (shared_context)
    gst_context_unref (shared_context);
  gst_clear_object (&cuda);
  return complete ? 0 : EXIT_SKIPPED;
}
