# SPDX-License-Identifier: LGPL-2.1-or-later
"""The options of videoequalize, for the programs that correct video."""
import settings
from common import Misuse, between, seconds

METHODS = ("none", "equalize", "stretch", "gamma", "match", "clahe")
DEFAULT_METHOD = "equalize"

# Properties that only one method uses.
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
    """For argparse: a time constant that the element accepts."""
    value = seconds(text)
    between(0, 3600)(text)
    return value


def add_arguments(parser):
    """Adds the options. Their defaults are the element's."""
    parser.add_argument("--method", choices=METHODS,
                        help="how to correct: equalize (use the whole range evenly), stretch "
                        "(spread the levels between two percentiles over the whole range), gamma "
                        "(move the median to --target), match (give frames the histogram of "
                        "--reference), clahe (equalize in tiles, for local detail), none "
                        f"(default {DEFAULT_METHOD})")
    parser.add_argument("--strength", type=between(0, 1), metavar="0...1",
                        help="how much of the correction to apply (default 1)")
    parser.add_argument("--smoothing", type=smoothing, metavar="SECONDS",
                        help="how slowly the correction follows the picture "
                        "(default 0.5; 0: correct each frame separately)")
    parser.add_argument("--target", type=between(0, 1), metavar="0...1",
                        help="for gamma: level that the median moves to (default 0.45)")
    parser.add_argument("--clip-limit", type=between(0, 1000), metavar="LIMIT",
                        help="for clahe: limit of contrast; a higher one gives more contrast and "
                        "more noise (default 2; 0: no limit)")
    parser.add_argument("--tiles", metavar="COLUMNSxROWS",
                        help="for clahe: how many tiles the picture is divided into, each "
                        "with its own curve (default 8x8)")
    parser.add_argument("--reference", metavar="FILE",
                        help="for match: a picture, or a stored histogram")
    parser.add_argument("--color", choices=("scale", "keep", "channels"),
                        help="how color follows luma: scale (saturation stays), keep (U and V "
                        "stay), channels (apply the curve to R, G and B) (default scale)")
    settings.add_argument(parser, "videoequalize")


def in_unit(name, value):
    """The value of an option in the unit of the property: properties have times in ns."""
    return str(round(value * 1e9) if name == "smoothing" else value)


def set_up(equalize, options):
    """Sets @options on the element. Raises Misuse for a value that is not allowed, and for an
    option of another method."""
    wished = [(name, in_unit(name, value), f"--{name}") for name in OPTIONS
              if (value := getattr(options, name.replace("-", "_"))) is not None]
    wished += [(name, value, None) for name, value in settings.split(options.set)]
    method = DEFAULT_METHOD
    for name, value, _option in wished:
        if name == "method":
            method = value
    if method == "match" and not any(name == "reference" for name, _value, _option in wished):
        raise Misuse("--method match needs a reference: add --reference FILE, a picture or a "
                     "stored histogram")
    for name, value, option in wished:
        needed = METHOD_OF.get(name, method)
        if needed != method:
            raise Misuse(f"{option or '--set ' + name} is for --method {needed}, but the method "
                         f"is {method}: add --method {needed}, or leave the option out")
        settings.change(equalize, name, value, option)
