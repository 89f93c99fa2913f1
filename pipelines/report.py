# SPDX-License-Identifier: LGPL-2.1-or-later
"""What programs print: lines for people, or JSON lines or CSV for other programs."""
import csv
import datetime
import io
import json

from common import write_line

FORMATS = ("text", "json", "csv")

# Of a frame: in messages and in records.
EXPOSURE = ("luma-average", "luma-median", "luma-p99", "luma-clipped-low",
            "luma-clipped-high")


def add_arguments(parser, default="text"):
    parser.add_argument("--format", choices=FORMATS, default=default,
                        help="lines of text, JSON lines, or CSV with a heading "
                        f"(default {default})")


def exposure_text(structure):
    """The exposure of a frame in words and numbers."""
    average, median, p99, low, high = (structure.get_value(name) for name in EXPOSURE)
    return (f"mean {average:.3f}  median {median:.3f}  p99 {p99:.3f}  "
            f"black {low:6.1%}  white {high:6.1%}")


def exposure_fields(structure):
    """The same for write()."""
    return {name: structure.get_value(name) for name in EXPOSURE}


def stamp(time):
    """As in RFC 3339."""
    return time.isoformat(timespec="milliseconds")


def csv_row(cells):
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


class Report:
    """Prints records in one of FORMATS. Of CSV these are the columns, besides the time
    that each record has; without @dated lines of text have none."""

    def __init__(self, kind, *columns, dated=True):
        self.kind = kind
        self.dated = dated
        self.columns = ("time", *columns)
        self.begun = False
        self.before = None      # what is called before each line

    def write(self, text, fields):
        """A line of @text, after the local time, or the @fields that @text is made of,
        with the time. Each line is there at once."""
        now = datetime.datetime.now().astimezone()
        if self.before:
            self.before()
        if self.kind == "text":
            write_line(f"{now:%Y-%m-%d %H:%M:%S}  {text}" if self.dated else text)
        elif self.kind == "json":
            write_line(json.dumps({"time": stamp(now), **fields},
                                  ensure_ascii=False, separators=(",", ":")))
        else:
            if not self.begun:
                write_line(csv_row(self.columns))
            write_line(csv_row([stamp(now), *(fields.get(name, "")
                                              for name in self.columns[1:])]))
        self.begun = True

    def write_exposure(self, structure, name=None, event=None):
        """A record of a frame; @name stands before it, in the field camera."""
        text = exposure_text(structure)
        fields = {}
        if name is not None:
            text = f"{name:12}  {text}"
            fields["camera"] = name
        if event is not None:
            fields["event"] = event
        self.write(text, {**fields, **exposure_fields(structure)})
