# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows the histograms of a video. The script demo starts it."""
import math
import shutil
import sys
from argparse import ArgumentTypeError

import common
from common import Failure, Misuse, Run, default_sink, note, seconds, write_line
from outputs import PICTURES, UPRIGHT, Output
from report import EXPOSURE, Report, exposure_fields
from sources import Source, is_same_file

BARS = " ▁▂▃▄▅▆▇█"
PLAIN_BARS = " .:-=+*#@"
HEADING = "    time    mean      p1  median     p99   black   white  "

# The light of the generated video: time in seconds, and brightness from -1 to 1 at that time.
LIGHT = ((0, -0.7), (3, -0.1), (5, 0.1), (7, 0.6), (8, 0.5), (10, -0.3))
GENERATED = ("videotestsrc num-buffers=300 pattern=zone-plate kx2=8 ky2=8 kt=1 "
             "! video/x-raw,format=I420,width=640,height=360,framerate=30/1 "
             "! videobalance name=light")


class Generated(Source):
    """A generated video with changing light, in real time."""

    def __init__(self):
        super().__init__("test")
        self.launch = GENERATED


def seconds_of(time):
    """Converts @time from ns to seconds. Returns None if it is not known, as in a still picture."""
    return None if time == common.Gst.CLOCK_TIME_NONE else time / 1e9


def time_text(time):
    return "-" if time is None else f"{time:.3f}"


class Display:
    """Prints one line per message and remembers the extremes."""

    def __init__(self):
        self.terminal = common.takes_escapes()
        columns = shutil.get_terminal_size((100, 24)).columns
        self.width = max(16, min(64, columns - len(HEADING) - 3))
        self.bars = BARS
        try:
            BARS.encode(sys.stdout.encoding)
        except UnicodeEncodeError:
            self.bars = PLAIN_BARS
        self.messages = 0
        self.extremes = {}

    def show(self, structure):
        value = structure.get_value
        time = seconds_of(value("stream-time"))
        if not self.messages:
            self._heading(value)
        self.messages += 1
        for name, field, sign in (("darkest", "luma-average", -1),
                                  ("brightest", "luma-average", 1),
                                  ("most black", "luma-clipped-low", 1),
                                  ("most white", "luma-clipped-high", 1)):
            level = value(field)
            best = self.extremes.get(name)
            if best is None or sign * level > sign * best[0]:
                self.extremes[name] = (level, time)

        write_line(f"{time_text(time):>8} {value('luma-average'):7.3f} "
                   f"{value('luma-p1'):7.3f} {value('luma-median'):7.3f} "
                   f"{value('luma-p99'):7.3f} {value('luma-clipped-low'):7.1%} "
                   f"{value('luma-clipped-high'):7.1%}  "
                   f"{self._bars(value('luma'))}")

    def _heading(self, value):
        text = HEADING + f"{value('bins')} bins in {self.width} bars"
        write_line(f"{value('width')}x{value('height')} pixels of {value('format')}, "
                   f"{value('range')} range, colorimetry {value('colorimetry')}")
        write_line(f"\033[1m{text}\033[0m" if self.terminal else text)

    def _bars(self, counts):
        """The counts as self.width bars. The highest bar of a frame is full, and a bar with at
        least one pixel is visible."""
        counts = list(counts)
        n = len(counts)
        edges = [i * n // self.width for i in range(self.width + 1)]
        sums = [sum(counts[a:max(b, a + 1)]) for a, b in zip(edges, edges[1:])]
        top = max(sums) or 1
        full = len(self.bars) - 1
        bars = (self.bars[math.ceil(full * math.sqrt(s / top))] for s in sums)
        return f"|{''.join(bars)}|"

    def summary(self, run):
        counters = run.counters
        skipped = counters["skipped"] + counters["dropped"]
        reason = counters["backend-reason"]
        write_line(f"\n{run.frames} frame{'s' * (run.frames != 1)} seen, "
                   f"{counters['processed']} analysed"
                   + (f", {skipped} not analysed" if skipped else "")
                   + f"; {self.messages} message{'s' * (self.messages != 1)}")
        write_line(f"counted on {counters['active-backend']}"
                   + (f": {reason}" if reason else ""))
        for name, (level, time) in self.extremes.items():
            number = f"{level:.1%} of the pixels" if "most" in name \
                else f"mean {level:.3f}"
            write_line(f"{name + ':':11} {number}"
                       + ("" if time is None else f", at {time:.3f} s"))


def change_light(run):
    """Makes the brightness of the generated video follow LIGHT."""
    import gi
    gi.require_version("GstController", "1.0")
    from gi.repository import GstController

    curve = GstController.InterpolationControlSource(
        mode=GstController.InterpolationMode.CUBIC_MONOTONIC)
    for time, brightness in LIGHT:
        curve.set(time * common.Gst.SECOND, brightness)
    light = run.pipeline.get_by_name("light")
    light.add_control_binding(GstController.DirectControlBinding.new_absolute(
        light, "brightness", curve))


class Records:
    """Prints JSON lines or CSV instead."""

    def __init__(self, kind):
        self.report = Report(kind, "event", *EXPOSURE, "frames", "processed", "backend")
        self.messages = 0

    def show(self, structure):
        self.messages += 1
        self.report.write("", {"event": "exposure", **exposure_fields(structure)},
                          structure.get_value("stream-time"))

    def summary(self, run):
        self.report.write("", {"event": "summary", "frames": run.frames,
                               "processed": run.counters["processed"],
                               "backend": run.counters["active-backend"]})


def snapshot(where, path):
    """Writes the first frame with its scopes."""
    if where and (where == path or is_same_file(where, path)):
        raise Misuse(f"{path} is the input: give another file for the output")
    output = Output(path, endings=PICTURES)
    run = Run(Source(where) if where else Generated(),
              f"{UPRIGHT} ! videoscope ! identity name=video ! {output.launch}", None,
              output=output)
    if not where:
        change_light(run)
    run.wait()
    write_line(f"{path}: {output.describe(run.frames)}")


def choose_end(where, window):
    """The end of the pipeline, which shows the video or just consumes it."""
    if window == "yes":
        sink = default_sink()
        if "fakesink" in sink:
            note("demo: no display, so the video is not shown: --snapshot FILE writes a picture")
        return f"videoscope ! identity name=video ! videoconvert ! {sink}"
    # Files are decoded as fast as possible.
    return f"identity name=video silent=true ! fakesink sync={'false' if where else 'true'}"


def demo(interval, kind, where, window, path):
    if path:
        snapshot(where, path)
        return
    source = Source(where) if where else Generated()
    display = Display() if kind == "text" else Records(kind)
    try:
        interval = seconds(interval)
    except ArgumentTypeError as error:
        raise Failure(f"--interval: {error}") from None
    run = Run(source, "videohistogram name=histogram "
              f"interval={int(interval * 1e9)} ! {choose_end(where, window)}",
              display.show)
    if not where:
        change_light(run)
    run.wait()
    if display.messages:
        display.summary(run)


if __name__ == "__main__":
    common.start()
    common.main("demo", demo, *sys.argv[1:])
