#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judges the frames of a pipeline by their histograms, and prints when a condition begins
and ends. The video is a test picture that goes black for four seconds."""
import sys

import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstVideoHistogram", "1.0")
from gi.repository import Gst, GstVideoHistogram


def on_histogram(_element, histogram, health):
    """Called in a streaming thread for each frame, in order."""
    health.add_histogram(histogram)
    health.judge(histogram.get_info().running_time, Gst.CLOCK_TIME_NONE)
    there, change = health.next_change()
    while there:
        condition = GstVideoHistogram.VideoHealthCondition
        words = condition.get_words(change.condition)
        sys.stdout.write(
            f"{change.since / Gst.SECOND:.2f} s: {words} {'begins' if change.active else 'ends'}. "
            f"{health.describe(change.condition)}\n")
        if change.active:
            sys.stdout.write(f"{condition.get_advice(change.condition)}.\n")
        there, change = health.next_change()


def on_source_buffer(_pad, info, source):
    seconds = info.get_buffer().pts // Gst.SECOND
    source.set_property("pattern", "black" if 2 <= seconds < 6 else "smpte")
    return Gst.PadProbeReturn.OK


def main():
    Gst.init(None)
    health = GstVideoHistogram.VideoHealth.new()
    conditions = GstVideoHistogram.VideoHealthConditions
    health.set_conditions(conditions.BLACK | conditions.BRIGHT | conditions.MONOCHROME)
    health.set_rules("black,duration=1s")

    pipeline = Gst.parse_launch(
        "videotestsrc num-buffers=200 name=source ! video/x-raw,format=NV12,width=320,height=240,"
        "framerate=25/1 ! videohistogram name=histogram channels=luma+gradient grid=8x8 "
        "joint=chroma interval=0 post-messages=false ! fakesink")
    source = pipeline.get_by_name("source")
    source.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, on_source_buffer, source)
    pipeline.get_by_name("histogram").connect("histogram", on_histogram, health)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)


if __name__ == "__main__":
    main()
