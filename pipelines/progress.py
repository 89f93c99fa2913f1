# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows on a terminal how far a program is with a file."""
import sys
import time

import common

# Seconds between two updates, and before the first one: short work needs no progress line.
INTERVAL = 0.5


def clock(seconds):
    """@seconds as a player shows it, such as 1:02:03."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Progress:
    """Shows the position in the file and the time left, in a line on the standard error that
    it overwrites. Shows nothing if that is not a terminal or the length is not known."""

    def __init__(self, run):
        self.run = run
        self.width = 0          # of the line that is shown
        self.begin = time.monotonic()
        self.next = self.begin + INTERVAL
        self.latest = []        # the time stamp of the newest frame
        self.on = bool(sys.stderr) and sys.stderr.isatty()
        if self.on:
            self.pad = run.video.get_static_pad("sink")
            self.pad.add_probe(common.Gst.PadProbeType.BUFFER, note_time, self.latest)

    def __call__(self):
        """For Run.wait(). Returns True: continue."""
        now = time.monotonic()
        if self.on and now >= self.next:
            self.next = now + INTERVAL
            text = self._text(now - self.begin)
            if text:
                self._show(text)
        return True

    def end(self):
        """Clears the line for other output."""
        if self.width:
            self._show("")
            self.width = 0

    def _text(self, elapsed):
        Gst = common.Gst
        known, length = self.run.pipeline.query_duration(Gst.Format.TIME)
        segment = self.pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
        if not (known and length > 0 and segment and self.latest):
            return None
        place = segment.parse_segment().to_stream_time(Gst.Format.TIME, self.latest[0])
        if place in (0, Gst.CLOCK_TIME_NONE):
            return None
        share = min(place / length, 1)
        left = elapsed * (1 - share) / share
        return (f"{clock(place / Gst.SECOND)} of {clock(length / Gst.SECOND)} "
                f"({share:.0%}), {clock(left)} left")

    def _show(self, text):
        try:
            print("\r" + text.ljust(self.width) + ("" if text else "\r"), end="",
                  file=sys.stderr, flush=True)
        except OSError:
            self.on = False
        self.width = len(text)


def wait(run, seconds=None):
    """Runs to the end like Run.wait(), and shows the progress."""
    progress = Progress(run)
    try:
        run.wait(seconds, progress)
    finally:
        progress.end()


def note_time(_pad, info, latest):
    latest[:] = [info.get_buffer().pts]
    return common.Gst.PadProbeReturn.OK
