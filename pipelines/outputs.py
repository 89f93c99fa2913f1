# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files that programs write: videos, and pictures of one frame."""
import os

import common
from common import Failure, Misuse
from sources import quote
from tracks import Tracks, count


def add_arguments(parser):
    parser.add_argument("--keep-format", action="store_true",
                        help="for .mp4, .mov and .mkv: keep the format of the video instead of "
                        "converting it to 8-bit 4:2:0, which every player can show")


# How to write a file, by its extension, and the package with the elements. PLAYABLE is the format
# of H.264 that all players support.
FULL_RANGE = "video/x-raw,format=I420,colorimetry=1:4:0:0"
PLAYABLE = "video/x-raw,format=I420 ! "
# videobox loses the colorimetry, and with it the range: capssetter restores it.
PAD = "videobox name=pad ! capssetter name=tags ! videoconvert ! "
H264 = f"{PAD}{PLAYABLE}x264enc ! h264parse"
WRITERS = {
    ".mp4": (f"{H264} ! mp4mux name=mux", "gstreamer1.0-plugins-ugly"),
    ".mov": (f"{H264} ! qtmux name=mux", "gstreamer1.0-plugins-ugly"),
    ".mkv": (f"{H264} ! matroskamux name=mux", "gstreamer1.0-plugins-ugly"),
    ".webm": ("vp8enc deadline=1 cpu-used=4 target-bitrate=4000000 ! webmmux name=mux",
              "gstreamer1.0-plugins-good"),
    # AVI has no timestamps, so it needs frames at a constant rate.
    ".avi": (f"videorate name=rate ! identity name=written ! {FULL_RANGE} ! jpegenc quality=95 "
             "! avimux name=mux",
             "gstreamer1.0-plugins-good"),
    ".png": ("identity name=first ! video/x-raw,format=RGB ! pngenc",
             "gstreamer1.0-plugins-good"),
    ".jpg": (f"identity name=first ! {FULL_RANGE} ! jpegenc quality=90",
             "gstreamer1.0-plugins-good"),
}

# Rotates a picture as its tags say before it is corrected, because not every container keeps
# these tags.
UPRIGHT = "videoconvert name=upright ! videoflip video-direction=auto"


NO_RATE = "a picture or a video without a frame rate"
RATE_REMEDY = "use .png for a picture, or .mkv for a video"


# The extensions of pictures.
PICTURES = [ending for ending, (elements, _) in WRITERS.items() if "name=first" in elements]


class Output:
    """A file for a video, or for a picture of one frame. It has another name until it is
    complete, so that a failure does not destroy an existing file. Its extension is one of
    @endings."""

    def __init__(self, path, keep_format=False, endings=tuple(WRITERS)):
        kinds = " ".join(endings)
        ending = os.path.splitext(path)[1].lower()
        if ending not in endings:
            raise Misuse(f"{path}: the name must end in one of {kinds}")
        self.path = path
        self.ending = ending
        self.size = None        # width and height of the video, once known
        self.first = None       # the structure of the caps of the first picture
        self.begun = False      # whether the first picture has come
        self.scaled = False     # whether later pictures had another size
        self.padding = None     # sizes before and after padding, if padded
        self.tracks = Tracks()
        self.variable = False   # whether it has no frame rate, as a still picture
        self.written = None     # counts written frames, if not all frames read are written
        self.frames_written = None
        self._place()
        elements, package = WRITERS[ending]
        for part in elements.split(" ! "):
            name = part.split()[0]
            if "/" not in name and not common.Gst.ElementFactory.find(name):
                raise Failure(f"{path}: the element {name} is missing: apt-get install "
                              f"{package}, or use one of {kinds}")
        # videobox, which pads, handles only 8 bits.
        if keep_format:
            elements = elements.replace(PAD, "").replace(PLAYABLE, "")
        # A file has one size and one rate: if they change, muxers fail, or write files that
        # cannot be decoded.
        same = ("" if self.is_picture() else "videoscale add-borders=true ! capsfilter name=size "
                "! capssetter name=named ! videoconvert ! ")
        self.launch = (f"videoconvert name=encode ! {same}{elements} "
                       f"! filesink name=file location={quote(self.part)}")

    def _place(self):
        self.target = os.path.realpath(self.path)
        folder = os.path.dirname(self.target)
        exists = os.path.exists(self.target)
        if not os.path.isdir(folder):
            raise Failure(f"{self.path}: there is no folder {folder}: create it")
        if not os.access(self.target if exists else folder, os.W_OK):
            raise Failure(f"{self.path}: permission denied: write to another folder")
        # A device, a pipe, or a file in a read-only folder is written directly.
        direct = exists and not (os.path.isfile(self.target)
                                 and os.access(folder, os.W_OK))
        self.part = self.target if direct else self.target + ".part"

    def prepare(self, pipeline):
        """Adds probes that read the properties of the video and pad it to an even size for
        H.264."""
        self.written = pipeline.get_by_name("written")
        if pipeline.get_by_name("rate"):
            self._stop_at_end(pipeline.get_by_name("rate"))
        self._look(pipeline.get_by_name("upright"), self._set_size)
        if pipeline.get_by_name("size"):
            encode = pipeline.get_by_name("encode")
            self._look(encode, self._note_first, pipeline)
            encode.get_static_pad("sink").add_probe(common.Gst.PadProbeType.BUFFER,
                                                    self._keep_first, pipeline)
        if pipeline.get_by_name("pad"):
            self._look(pipeline.get_by_name("pad"), self._set_tags,
                       pipeline.get_by_name("tags"))

    @staticmethod
    def _stop_at_end(rate):
        """Drops frames that start where the last frame ends: videorate of GStreamer 1.28 adds
        such a frame."""
        none, end = common.Gst.CLOCK_TIME_NONE, None

        def on_frame(_pad, info):
            nonlocal end
            frame = info.get_buffer()
            end = None if none in (frame.pts, frame.duration) else frame.pts + frame.duration
            return common.Gst.PadProbeReturn.OK

        def on_output(_pad, info):
            frame = info.get_buffer()
            beyond = (end is not None and none not in (frame.pts, frame.duration)
                      and frame.pts + frame.duration / 2 > end)
            return (common.Gst.PadProbeReturn.DROP if beyond
                    else common.Gst.PadProbeReturn.OK)

        for pad, function in (("sink", on_frame), ("src", on_output)):
            rate.get_static_pad(pad).add_probe(common.Gst.PadProbeType.BUFFER, function)

    @staticmethod
    def _look(element, function, *args):
        """Calls @function with the structure of each caps event that reaches @element."""
        def on_event(_pad, info):
            event = info.get_event()
            if event.type == common.Gst.EventType.CAPS:
                function(event.parse_caps()[0], *args)
            return common.Gst.PadProbeReturn.OK

        element.get_static_pad("sink").add_probe(common.Gst.PadProbeType.EVENT_DOWNSTREAM,
                                                 on_event)

    def _set_size(self, caps):
        self.size = caps.get_value("width"), caps.get_value("height")
        known, numerator, _denominator = caps.get_fraction("framerate")
        self.variable = not known or numerator == 0

    def _note_first(self, caps, pipeline):
        """Keeps the last caps before the first picture."""
        if self.begun:
            if any(caps.get_value(name) != self.first.get_value(name)
                   for name in ("width", "height")):
                self.scaled = True
            return
        self.first = caps.copy()
        if pipeline.get_by_name("pad"):
            self._set_padding(caps.get_value("width"), caps.get_value("height"),
                              pipeline.get_by_name("pad"))

    def _keep_first(self, _pad, _info, pipeline):
        """Gives all pictures the size of the first one, and sets its frame rate in the caps."""
        self.begun = True
        for element, names in (("size", ("width", "height", "pixel-aspect-ratio")),
                               ("named", ("framerate",))):
            caps = common.Gst.Caps.new_empty_simple("video/x-raw")
            for name in names:
                if self.first.has_field(name):
                    caps.set_value(name, self.first.get_value(name))
            pipeline.get_by_name(element).set_property("caps", caps)
        return common.Gst.PadProbeReturn.REMOVE

    def _set_padding(self, width, height, pad):
        pad.set_property("right", -(width % 2))
        pad.set_property("bottom", -(height % 2))
        if width % 2 or height % 2:
            self.padding = (width, height), (width + width % 2, height + height % 2)

    @staticmethod
    def _set_tags(caps, tags):
        colorimetry = caps.get_string("colorimetry")
        if colorimetry:
            tags.set_property("caps", common.Gst.Caps.from_string(
                f"video/x-raw,colorimetry=(string){colorimetry}"))

    def is_picture(self):
        """Whether the output is a picture of the first frame."""
        return self.ending in PICTURES

    def count(self, frames):
        """How many frames were written, if @frames were read."""
        return 1 if self.is_picture() else self.frames_written or frames

    def describe(self, frames):
        """Describes the written file, for the user."""
        frames = self.count(frames)
        text = "1 frame" if frames == 1 else f"{frames} frames"
        if self.padding:
            (width, height), (padded, higher) = self.padding
            text += (f", padded from {width}x{height} to {padded}x{higher} pixels "
                     "for H.264")
        if self.scaled:
            text += (f", frames of other sizes scaled to {self.first.get_value('width')}x"
                     f"{self.first.get_value('height')} pixels, the size of the first")
        return text + self.tracks.describe()

    def explain(self, message):
        """Explains an error about the output file. Returns None for other errors."""
        error, debug = message.parse_error()
        text = " ".join(error.message.split()).rstrip(".")
        factory = message.src.get_factory() if hasattr(message.src, "get_factory") \
            else None
        kind = factory.get_metadata("klass") if factory else ""
        others = "use " + " or ".join(
            ending for ending in WRITERS if ending != self.ending)
        if error.matches(common.Gst.resource_error_quark(), common.Gst.ResourceError.NO_SPACE_LEFT):
            return f"{self.path}: the disk is full: the incomplete output was removed"
        if message.src.get_name() == "file":
            return f"{self.path}: {text}"
        if "Muxer" in kind and self.variable:
            return f"{self.path}: {self.ending} cannot hold {NO_RATE}: {RATE_REMEDY}"
        if "Encoder" in kind or "Muxer" in kind:
            return f"{self.path}: {factory.get_name()} cannot write it: {text}: {others}"
        if "not-negotiated" in (debug or "") and self.size:
            width, height = self.size
            what = NO_RATE if self.variable else f"pictures of {width}x{height} pixels"
            remedy = RATE_REMEDY if self.variable else others
            return f"{self.path}: {self.ending} cannot hold {what}: {remedy}"
        return None

    def note_written(self):
        """Called before the pipeline stops."""
        if self.written:
            self.frames_written = self.written.get_property("stats").get_value("num-buffers")

    def complete(self, frames):
        if frames == 1 and self.variable and not self.is_picture():
            raise Failure(f"{self.path}: the input is a single picture without a duration: "
                          "use .png or .jpg")
        if self.tracks.left_out and not self.is_picture():
            other = "" if self.ending == ".mkv" else "; .mkv keeps most tracks"
            common.note(f"{self.path}: left out {', '.join(count(self.tracks.left_out))}, which "
                        f"this program cannot copy to {self.ending}{other}")
        if self.part != self.target:
            try:
                os.replace(self.part, self.target)
            except OSError as error:
                raise Failure(f"{self.path}: {error.strerror}") from None

    def discard(self):
        if self.part != self.target and os.path.exists(self.part):
            os.remove(self.part)
