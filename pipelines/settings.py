# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets properties of elements from options, and explains in one line why a value is refused."""
import contextlib
import re

import common
from common import Misuse

# The log domain of this plugin's warnings.
DOMAIN = "GStreamer-VideoHistogram"

NS_OF = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}
UNLIMITED = 2**64 - 1

# Properties that programs set themselves, or that make no sense as options.
HIDDEN = ("name", "parent", "qos")


def add_argument(parser, element):
    parser.add_argument("--set", action="append", default=[], metavar="PROPERTY=VALUE",
                        help=f"set any other property of {element}, see gst-inspect-1.0 "
                        f"{element}; may be repeated")


def split(texts):
    """(property, value) of each PROPERTY=VALUE. Raises Misuse."""
    pairs = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise Misuse(f"--set {text} is not valid: it must be PROPERTY=VALUE")
        pairs.append((name, value))
    return pairs


def nicks(element, name):
    """The values of an enum or flags property by their nicks; None for other properties."""
    kind = type(element.get_property(name))
    if issubclass(kind, common.GObject.GEnum):
        return {value.value_nick: value for value in kind.__enum_values__.values()}
    if issubclass(kind, common.GObject.GFlags):
        return {value.first_value_nick: value for value in kind.__flags_values__.values()}
    return None


def is_flags(element, name):
    return isinstance(element.get_property(name), common.GObject.GFlags)


def change(element, name, text, option=None):
    """Sets the property @name from @text, as gst-launch-1.0 does. Raises Misuse, with @option
    and the reason, if the property does not exist or refuses the value."""
    kind = element.get_factory().get_name()
    pspec = element.find_property(name)
    if not pspec or name in HIDDEN or not pspec.flags & common.GObject.ParamFlags.WRITABLE:
        raise Misuse(f"{option or name}: {kind} has no such property to set: choose from "
                     + ", ".join(_writable(element)))
    reason = _why_not(element, pspec, text)
    if not reason:
        with _warnings() as lines:
            common.Gst.util_set_object_arg(element, name, text)
        # If an element refuses a string, its warning says why.
        reason = lines and lines[0].rpartition("was not set: ")[2]
    if reason:
        what = f"{option} {text}" if option else f"{name}={text}"
        raise Misuse(f"{what} is not allowed: {reason}")


def _writable(element):
    return sorted(pspec.name for pspec in element.list_properties()
                  if pspec.flags & common.GObject.ParamFlags.WRITABLE
                  and pspec.name not in HIDDEN)


def _why_not(element, pspec, text):
    """Says what is wrong with the value of an enum, flags, a number or a boolean. Returns None
    if the value is right, and for strings, which the element checks itself."""
    names = nicks(element, pspec.name)
    if names and is_flags(element, pspec.name):
        if not set(text.split("+")) <= set(names):
            return f"it must be one or more of {', '.join(names)}, joined by +"
    elif names:
        if text not in names:
            return f"it must be one of {', '.join(names)}"
    elif hasattr(pspec, "minimum"):
        try:
            number = type(pspec.default_value)(text)
        except ValueError:
            number = None
        if number is None or not pspec.minimum <= number <= pspec.maximum:
            return _what_number(pspec, text)
    elif pspec.value_type == common.GObject.TYPE_BOOLEAN and text not in ("true", "false"):
        return "it must be true or false"
    return None


def _what_number(pspec, text):
    """Says which numbers the property accepts, with unit and range."""
    time = re.fullmatch(r"(\d+(?:\.\d*)?) ?(ns|us|ms|s|min|h)", text)
    ns = time and round(float(time[1]) * NS_OF[time[2]])
    # All properties of this type are times.
    if pspec.value_type == common.GObject.TYPE_UINT64:
        fits = time and pspec.minimum <= ns <= pspec.maximum
        most = ("" if pspec.maximum == UNLIMITED
                else f" to {pspec.maximum} ({pspec.maximum / 1e9:g} s)")
        return (f"it must be a whole number of nanoseconds, from {pspec.minimum}{most}"
                + (f"; write {ns} for {text}" if fits else ", such as 2000000000 for 2s"))
    whole = "" if isinstance(pspec.default_value, float) else "whole "
    most = f"from {pspec.minimum:.12g} to {pspec.maximum:.12g}"
    kind = "it is not a time, but" if time else "it must be"
    return f"{kind} a {whole}number {most}: {pspec.blurb}"


@contextlib.contextmanager
def _warnings():
    """Collects the warnings of this plugin, which GLib would otherwise print."""
    lines = []
    handler = common.GLib.log_set_handler(
        DOMAIN, common.GLib.LogLevelFlags.LEVEL_WARNING,
        lambda _domain, _level, text, _data: lines.append(text), None)
    try:
        yield lines
    finally:
        common.GLib.log_remove_handler(DOMAIN, handler)
