#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Equalizes a video file into an MP4 file with the element videoequalize.

Usage: equalize-file.py INPUT OUTPUT.mp4
"""
import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: equalize-file.py INPUT OUTPUT.mp4")
    Gst.init(None)
    pipeline = Gst.parse_launch(
        "filesrc name=input ! decodebin ! queue ! videoconvert ! video/x-raw,format=I420 "
        "! videoequalize name=equalize method=equalize "
        "! x264enc ! h264parse ! mp4mux ! filesink name=output")
    pipeline.get_by_name("input").set_property("location", sys.argv[1])
    pipeline.get_by_name("output").set_property("location", sys.argv[2])
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    equalize = pipeline.get_by_name("equalize")
    counted, uncorrected = equalize.get_property("counted"), equalize.get_property("uncorrected")
    # Closes the file.
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(f"{sys.argv[1]}: {message.parse_error()[0].message}")
    print(f"{sys.argv[2]}: {counted} frames, {uncorrected} of them not corrected")


if __name__ == "__main__":
    main()
