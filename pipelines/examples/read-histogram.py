#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Embeds the element videohistogram and reads its results in two ways: from the
message on the bus, and from the meta on the buffers."""
import sys

import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstVideoHistogram", "1.0")
from gi.repository import Gst, GstVideoHistogram

LUMA = GstVideoHistogram.VideoHistogramChannel.LUMA
RED = GstVideoHistogram.VideoHistogramChannel.RED


def on_buffer(_pad, info):
    """Called in a streaming thread for every frame that reaches the sink."""
    meta = GstVideoHistogram.buffer_get_video_histogram_meta(info.get_buffer())
    if meta:
        # Waits until the histogram is complete.
        counts = meta.histogram.get_counts(LUMA)
        counted, red = meta.histogram.get_statistics(RED)
        if counted:
            sys.stdout.write(
                f"meta: {counts[len(counts) // 2]} of {meta.histogram.get_pixels()} "
                f"pixels in the middle of {len(counts)} bins, "
                f"mean of red {red.average:.3f}\n")
    return Gst.PadProbeReturn.OK


def on_element_message(message):
    structure = message.get_structure()
    if structure.get_name() != "videohistogram":
        return
    value = structure.get_value
    sys.stdout.write(
        f"message: {value('running-time') / Gst.SECOND:.3f} s, "
        f"luma mean {value('luma-average'):.3f}, p99 {value('luma-p99'):.3f}, "
        f"{len(value('luma'))} bins\n")


def main():
    Gst.init(None)
    pipeline = Gst.parse_launch(
        "videotestsrc num-buffers=30 ! video/x-raw,format=NV12,width=640,height=360 "
        "! videohistogram channels=luma+red attach-meta=always interval=500000000 "
        "! fakesink name=sink")
    pad = pipeline.get_by_name("sink").get_static_pad("sink")
    pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)
    pipeline.set_state(Gst.State.PLAYING)

    bus = pipeline.get_bus()
    wanted = Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR
    while True:
        message = bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, wanted)
        if message.type != Gst.MessageType.ELEMENT:
            break
        on_element_message(message)
    pipeline.set_state(Gst.State.NULL)

    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)


if __name__ == "__main__":
    main()
