# SPDX-License-Identifier: LGPL-2.1-or-later
"""The output of the programs: text for people, and JSON lines or CSV for other programs."""
import csv
import datetime
import io
import json

import common
from common import write_line

FORMATS = ("text", "json", "csv")

# The fields for the exposure of a frame, in messages and in records.
EXPOSURE = ("luma-average", "luma-median", "luma-p99", "luma-clipped-low",
            "luma-clipped-high")


def add_arguments(parser, default="text"):
    parser.add_argument("--format", choices=FORMATS, default=default,
                        help="format of what is printed: text, JSON lines, or CSV with a heading "
                        f"(default {default})")


def exposure_text(structure):
    """The exposure of a frame as text."""
    average, median, p99, low, high = (structure.get_value(name) for name in EXPOSURE)
    return (f"mean {average:.3f}  median {median:.3f}  p99 {p99:.3f}  "
            f"black {low:6.1%}  white {high:6.1%}")


def exposure_fields(structure):
    """The exposure of a frame as fields for write()."""
    return {name: structure.get_value(name) for name in EXPOSURE}


def place_of(structure, live):
    """The position in the file, in ns, of the frame that a message describes. None for live video,
    which is dated by the clock."""
    return None if live else structure.get_value("stream-time")


def place_text(place):
    """A position in a file, in seconds."""
    return "-" if place == common.Gst.CLOCK_TIME_NONE else f"{place / 1e9:.3f}"


def stamp(time):
    """@time in the format of RFC 3339."""
    return time.isoformat(timespec="milliseconds")


def csv_row(cells):
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


class Report:
    """Prints records in one of FORMATS. @columns are the columns of CSV, after the time of the
    clock and the position in the file. Without @dated, lines of text have no time."""

    def __init__(self, kind, *columns, dated=True):
        self.kind = kind
        self.dated = dated
        self.columns = ("time", *(["stream-time"] if dated else []), *columns)
        self.begun = False
        self.before = None      # called before each line

    def write(self, text, fields, place=None):
        """Prints a record and flushes: as text, @text after the local time; otherwise @fields,
        which say the same, with the time. For a frame of a file, @place is its position in ns,
        which text shows instead of the local time."""
        now = datetime.datetime.now().astimezone()
        if self.before:
            self.before()
        if place is not None:
            known = place != common.Gst.CLOCK_TIME_NONE
            fields = {"stream-time": place if known else None, **fields}
        if self.kind == "text":
            when = f"{now:%Y-%m-%d %H:%M:%S}" if place is None else f"{place_text(place):>19}"
            write_line(f"{when}  {text}" if self.dated else text)
        elif self.kind == "json":
            write_line(json.dumps({"time": stamp(now), **fields},
                                  ensure_ascii=False, separators=(",", ":")))
        else:
            if not self.begun:
                write_line(csv_row(self.columns))
            write_line(csv_row([stamp(now), *("" if fields.get(name) is None
                                              else fields[name]
                                              for name in self.columns[1:])]))
        self.begun = True

    def write_exposure(self, structure, live, name=None, event=None):
        """Prints the exposure of a frame, with @name, if any, as the camera."""
        text = exposure_text(structure)
        fields = {}
        if name is not None:
            text = f"{name:12}  {text}"
            fields["camera"] = name
        if event is not None:
            fields["event"] = event
        self.write(text, {**fields, **exposure_fields(structure)},
                   place_of(structure, live))
