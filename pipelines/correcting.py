# SPDX-License-Identifier: LGPL-2.1-or-later
"""How videoequalize corrects: what the programs that correct share."""
import settings
from common import Misuse, between, seconds

METHODS = ("none", "equalize", "stretch", "gamma", "match", "clahe")
DEFAULT_METHOD = "equalize"

# Properties that only one method has.
METHOD_OF = {
    "target": "gamma",
    "low-percentile": "stretch",
    "high-percentile": "stretch",
    "clip-limit": "clahe",
    "tiles": "clahe",
    "reference": "match",
}

OPTIONS = ("method", "strength", "smoothing", "target", "clip-limit", "tiles", "reference",
           "color")


def smoothing(text):
    """For argparse: a time constant, as the element takes it."""
    value = seconds(text)
    between(0, 3600)(text)
    return value


def add_arguments(parser):
    """By default it corrects as the element does."""
    parser.add_argument("--method", choices=METHODS,
                        help=f"how the curve is made (default {DEFAULT_METHOD})")
    parser.add_argument("--strength", type=between(0, 1), metavar="0...1",
                        help="how much of the correction is applied (default 1)")
    parser.add_argument("--smoothing", type=smoothing, metavar="SECONDS",
                        help="how fast the correction follows the picture "
                        "(default 0.5; 0: each frame by itself)")
    parser.add_argument("--target", type=between(0, 1), metavar="0...1",
                        help="for gamma: what the median becomes (default 0.45)")
    parser.add_argument("--clip-limit", type=between(0, 1000), metavar="TIMES",
                        help="for clahe: limit of contrast (default 2)")
    parser.add_argument("--tiles", metavar="COLUMNSxROWS",
                        help="for clahe: tiles with a curve each (default 8x8)")
    parser.add_argument("--reference", metavar="FILE",
                        help="for match: a picture, or a stored histogram")
    parser.add_argument("--color", choices=("scale", "keep", "channels"),
                        help="how color follows luma (default scale)")
    settings.add_argument(parser, "videoequalize")


def in_unit(name, value):
    """An option as the property has it: times of properties are in ns."""
    return str(round(value * 1e9) if name == "smoothing" else value)


def set_up(equalize, options):
    """Sets what @options ask of the element. Raises Misuse for what is not allowed, or
    belongs to another method."""
    wished = [(name, in_unit(name, value), f"--{name}") for name in OPTIONS
              if (value := getattr(options, name.replace("-", "_"))) is not None]
    wished += [(name, value, None) for name, value in settings.split(options.set)]
    method = DEFAULT_METHOD
    for name, value, _option in wished:
        if name == "method":
            method = value
    for name, value, option in wished:
        needed = METHOD_OF.get(name, method)
        if needed != method:
            raise Misuse(f"{option or '--set ' + name} is for the method {needed}, and the "
                         f"method is {method}: add --method {needed}, or leave it out")
        settings.change(equalize, name, value, option)
