# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sources of video: files, URIs and cameras. How they are decoded, and why decoding
fails."""
import argparse
import glob
import os
import re
import stat
import struct
import time

import common
from common import Failure, Misuse

# The packages that decoders come in, each with a plugin that shows whether it is installed.
LIBAV, GOOD, BAD = (f"gstreamer1.0-{name}" for name in ("libav", "plugins-good",
                                                        "plugins-bad"))
PACKAGES = {
    "video/quicktime": ((GOOD, "isomp4"),),
    "video/x-matroska": ((GOOD, "matroska"),),
    "video/webm": ((GOOD, "matroska"),),
    "video/x-msvideo": ((GOOD, "avi"),),
    "video/mpegts": ((BAD, "mpegtsdemux"),),
    "multipart/x-mixed-replace": ((GOOD, "multipart"),),
    "image/jpeg": ((GOOD, "jpeg"),),
    "image/png": ((GOOD, "png"),),
    "video/x-vp8": ((GOOD, "vpx"),),
    "video/x-vp9": ((GOOD, "vpx"),),
    "video/x-av1": ((BAD, "aom"),),
    "video/x-h264": ((LIBAV, "libav"), (BAD, "videoparsersbad")),
    "video/x-h265": ((LIBAV, "libav"), (BAD, "videoparsersbad")),
}
OTHERS = (LIBAV, "libav"), (BAD, "videoparsersbad"), ("gstreamer1.0-plugins-ugly", "asf")

# Formats that nearly all converters can write.
COMMON_FORMATS = {
    "H.264 in .mp4": "video/x-h264",
    "JPEG in .avi": "image/jpeg",
    "VP8 in .webm": "video/x-vp8",
}

TRANSPORTS = {"auto": "tcp+udp-mcast+udp", "tcp": "tcp", "udp": "udp"}
MAX_LATENCY = 3600000

# Demuxers of containers that state their length. For other files, such as raw H.264, the length
# is an estimate.
WITH_LENGTH = ("matroskademux", "qtdemux", "avidemux", "flvdemux", "asfdemux")

# How long after the last pad the message about a missing plugin may come, on a busy machine.
MISSING_SECONDS = 3


def milliseconds(text):
    """For argparse: a time in whole milliseconds."""
    if not text.isdecimal() or int(text) > MAX_LATENCY:
        raise argparse.ArgumentTypeError(f"{text} is not valid: it must be a whole number of "
                                         f"milliseconds from 0 to {MAX_LATENCY}")
    return int(text)


def add_arguments(parser, keyframes=False):
    """Options for reading a source. @keyframes adds --keyframes, for programs that need only
    some of the frames."""
    parser.add_argument("--rtsp-transport", choices=tuple(TRANSPORTS),
                        help="transport of RTSP video (default: GStreamer and the server "
                        "agree on one)")
    parser.add_argument("--latency", type=milliseconds, metavar="MILLISECONDS",
                        help="for RTSP: how long to buffer packets, to wait for late ones "
                        "(default 2000)")
    if keyframes:
        parser.add_argument("--keyframes", action="store_true",
                            help="decode and analyse only key frames, which is much faster")


def is_uri(where):
    return "://" in where


def is_device(where):
    return where.startswith("/dev/")


def is_rtsp(where):
    return where.startswith("rtsp")


def without_password(text):
    """@text with the passwords in addresses replaced by ***."""
    return re.sub(r"(://[^\s:/@]*):[^\s/]*@", r"\1:***@", text)


def has_password(text):
    return without_password(text) != text


def quote(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def is_same_file(a, b):
    if a.startswith("file://"):
        a = common.Gst.uri_get_location(a)
    return os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b)


def list_cameras():
    """A hint for a device name that is not a camera."""
    devices = " ".join(sorted(glob.glob("/dev/video*")))
    return (f": the cameras here are {devices}" if devices
            else ": this machine has no camera (/dev/video*)")


class Source:
    """Video of a file, URI or device, or `test` for a generated picture. @options come from
    add_arguments(). `launch` is the start of a pipeline description; prepare() completes the
    pipeline. Sound and subtitles are left out, or, with @tracks, copied as they are."""

    def __init__(self, where, options=None, tracks=None):
        self.where = where
        self.tracks = tracks
        self.transport = getattr(options, "rtsp_transport", None)
        self.latency = getattr(options, "latency", None)
        self.keyframes = getattr(options, "keyframes", False)
        self.state = {"linked": False, "note": None, "held": 0}
        self.live = False       # whether it plays in real time by itself
        for name, value in (("rtsp-transport", self.transport), ("latency", self.latency)):
            if value is not None and not is_rtsp(where):
                raise Misuse(f"--{name} is for RTSP, and {self.name()} is not an RTSP address: "
                             "leave the option out")
        self.launch = self._launch()

    def name(self):
        return without_password(self.where)

    def _launch(self):
        where = self.where
        if where == "test":
            self.live = True
            return ("videotestsrc is-live=true "
                    "! video/x-raw,format=NV12,width=640,height=360,framerate=30/1")
        if where.startswith("file://"):
            where = common.Gst.uri_get_location(where)
        if is_uri(where):
            self.live = True
            return self._decoder(f"uridecodebin name=input uri={quote(where)}")
        try:
            mode = os.stat(where).st_mode
        except FileNotFoundError:
            raise Failure(f"{where}: no such file or device"
                          + (list_cameras() if is_device(where) else "")) from None
        except (OSError, ValueError) as error:
            raise Failure(f"{where}: {getattr(error, 'strerror', error)}") from None
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            raise Failure(f"{where} is a pipe: write the video to a file first")
        if stat.S_ISDIR(mode):
            raise Failure(f"{where} is a folder: give a video file")
        if stat.S_ISCHR(mode):
            self.live = True
            return self._decoder(f"v4l2src device={quote(where)} ! decodebin name=input")
        if not os.access(where, os.R_OK):
            raise Failure(f"{where}: permission denied: make it readable for this user")
        uri = common.Gst.filename_to_uri(os.path.abspath(where))
        return self._decoder(f"uridecodebin name=input uri={quote(uri)}")

    @staticmethod
    def _decoder(elements):
        return f"{elements} identity name=decoded silent=true"

    def prepare(self, pipeline):
        """Links the first video stream once it is decoded. The handlers refer neither to this
        object nor to the pipeline, which would otherwise never be freed."""
        source = pipeline.get_by_name("input")
        if not source:
            return
        source.connect("pad-added", link_video, pipeline.get_by_name("decoded"),
                       self.state)
        source.connect("no-more-pads", note_end_of_pads, self.state)
        if self.tracks:
            self.tracks.prepare(source)
        if self.transport is not None or self.latency is not None:
            source.connect("source-setup", set_up_rtsp, self.transport, self.latency)
        if self.keyframes:
            pipeline.connect("deep-element-added", leave_out_delta_frames, self.state)
        pipeline.connect("deep-element-added", set_up_part, self.live, self.state)

    def key_frame_wait(self):
        """For how many seconds packets of video have come without a frame that decodes
        completely; 0 if frames come, or if nothing comes."""
        begin = self.state.get("waits")
        now = time.monotonic()
        if not begin or now - self.last_sign() >= common.MAX_SECONDS_WITHOUT_PICTURE:
            return 0
        return now - begin

    def last_sign(self):
        """When video last came, including delta frames that --keyframes drops and frames that are
        dropped before the first key frame. None if there were no such frames: then the frames that
        pass show that video comes."""
        return self.state.get("last sign")

    def reached(self):
        """Stream time of the last frame in ns, including delta frames that --keyframes drops. 0
        without --keyframes."""
        return self.state.get("reached", 0)

    def states_length(self):
        """Whether the file states its length."""
        return "stated" in self.state

    def bytes_of_riff(self):
        """(size of the file, size that its header states) in bytes for an AVI file, because
        GStreamer reads a truncated one as if it were complete; (0, 0) for other files."""
        try:
            with open(self.where, "rb") as file:
                name, size, kind = struct.unpack("<4sI4s", file.read(12))
                there = os.fstat(file.fileno()).st_size
        except (OSError, struct.error):
            return 0, 0
        # A writer that cannot seek back leaves the size open.
        known = name == b"RIFF" and kind == b"AVI " and 0 < size < 2**32 - 1
        return (there, size + 8) if known else (0, 0)

    def end_of_others(self):
        """Stream time up to which sound and subtitles have come, in ns."""
        return self.state.get("end", 0)

    def at_its_speed(self):
        """A queue after the source, for analysis in real time: if the machine cannot keep up, a
        live source drops all but the newest frames, and a file waits."""
        return f"queue leaky={'downstream' if self.live else 'no'} max-size-buffers=2"

    def sink(self):
        """The end of a pipeline with at_its_speed()."""
        return ("identity name=video silent=true "
                f"! fakesink sync={'false' if self.live else 'true'}")

    def check(self, missing, over):
        """Prints the pending note about the video, if any. Raises Failure if there is no video,
        with a reason from @missing, the missing-plugin messages. More of these may come unless
        the run is @over."""
        note, self.state["note"] = self.state["note"], None
        if note:
            common.note(f"{self.name()}: {note}")
        if self.state.get("bad"):
            raise Failure(f"{self.name()}: {self.state['bad']}")
        ended = self.state.get("ended")
        if (ended and not self.state["linked"]
                and (missing or over or time.monotonic() - ended > MISSING_SECONDS)):
            raise Failure(f"{self.name()}: {explain_missing(self.where, missing)}")

    def explain(self, message, missing):
        """Explains an error message, given the missing-plugin messages before it."""
        return without_password(
            f"{self.where}: {explain(self.where, message, missing)}")


def link_video(_source, pad, decoded, state):
    """Links the first video stream of a decoder, through a converter if videohistogram cannot
    count its format."""
    Gst = common.Gst
    caps = pad.get_current_caps() or pad.query_caps(None)
    structure = caps[0]
    if structure.get_name() != "video/x-raw" or state["linked"]:
        pad.add_probe(Gst.PadProbeType.BUFFER, note_end, state)
        return
    state["linked"] = True
    sink = decoded.get_static_pad("sink")
    if not (caps.can_intersect(countable_caps())
            or caps.can_intersect(sink.query_caps(None))):
        convert = Gst.ElementFactory.make("videoconvert")
        decoded.get_parent().add(convert)
        convert.link(decoded)
        convert.sync_state_with_parent()
        sink = convert.get_static_pad("sink")
        state["note"] = (f"converting {structure.get_value('format')}, which cannot be counted "
                         "directly")
    pad.add_probe(Gst.PadProbeType.BUFFER, check_first_frame, state)
    try:
        pad.link(sink)
    except Gst.LinkError:
        state["bad"] = (f"cannot handle frames of {structure.get_value('width')}x"
                        f"{structure.get_value('height')} pixels of "
                        f"{structure.get_value('format')}: convert the video")


def stream_time(pad, time):
    """The stream time of @time in ns, or 0 if it is not known."""
    Gst = common.Gst
    segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
    if not segment or time == Gst.CLOCK_TIME_NONE:
        return 0
    place = segment.parse_segment().to_stream_time(Gst.Format.TIME, time)
    return 0 if place == Gst.CLOCK_TIME_NONE else place


def note_end(pad, info, state):
    """Notes the time that sound and subtitles have reached, which may end after the video."""
    frame = info.get_buffer()
    end = stream_time(pad, frame.pts)
    if end and frame.duration != common.Gst.CLOCK_TIME_NONE:
        end += frame.duration
    state["end"] = max(end, state.get("end", 0))
    return common.Gst.PadProbeReturn.OK


def check_first_frame(pad, info, state):
    """Notes frames that are too small for their caps: some containers store rows in another layout
    than the caps say, and all elements would read the wrong pixels."""
    Gst, GstVideo = common.Gst, common.GstVideo
    caps = pad.get_current_caps()
    video = GstVideo.VideoInfo.new_from_caps(caps) if caps else None
    frame = info.get_buffer()
    if (video and caps.get_features(0).contains(Gst.CAPS_FEATURE_MEMORY_SYSTEM_MEMORY)
            and frame.get_size() < video.size
            and not GstVideo.buffer_get_video_meta(frame)):
        state["bad"] = (f"its frames have {frame.get_size()} bytes, but "
                        f"{video.width}x{video.height} pixels of {video.finfo.name} need "
                        f"{video.size}: convert it to another format or to an even size")
    return Gst.PadProbeReturn.REMOVE


def countable_caps():
    factory = common.Gst.ElementFactory.find("videohistogram")
    sink, = (template for template in factory.get_static_pad_templates()
             if template.direction == common.Gst.PadDirection.SINK)
    return sink.get_caps()


def note_end_of_pads(_source, state):
    state["ended"] = time.monotonic()


def set_up_rtsp(_source, element, transport, latency):
    if transport is not None:
        common.Gst.util_set_object_arg(element, "protocols", TRANSPORTS[transport])
    if latency is not None:
        element.set_property("latency", latency)


def leave_out_delta_frames(_pipeline, _bin, element, state):
    """Drops delta frames before a decoder that was added. Parsers have marked them."""
    if is_video_decoder(element):
        pad = element.get_static_pad("sink")
        if pad:
            pad.add_probe(common.Gst.PadProbeType.BUFFER, drop_delta_frame, state)


def drop_delta_frame(pad, info, state):
    """Drops a delta frame, but notes that it came: the next key frame may be half a minute
    away."""
    Gst, frame = common.Gst, info.get_buffer()
    state["last sign"] = time.monotonic()
    state["reached"] = max(stream_time(pad, frame.pts), state.get("reached", 0))
    delta = frame.has_flags(Gst.BufferFlags.DELTA_UNIT)
    return Gst.PadProbeReturn.DROP if delta else Gst.PadProbeReturn.OK


def is_video_decoder(element):
    factory = element.get_factory()
    kind = factory.get_metadata("klass") if factory else ""
    return "Decoder" in kind and ("Video" in kind or "Image" in kind)


def keep_times(_demuxer, pad):
    """Keeps the times of a Matroska file as they are written in it."""
    if pad.get_direction() == common.Gst.PadDirection.SRC:
        pad.add_probe(common.Gst.PadProbeType.EVENT_DOWNSTREAM, keep_start)


def keep_start(pad, info):
    """Makes the segment start at 0. The demuxer lets it start at the first frame, and may
    correct that start some frames later. Without this, the first frames would come too early."""
    Gst, event = common.Gst, info.get_event()
    if event.type != Gst.EventType.SEGMENT:
        return Gst.PadProbeReturn.OK
    segment = event.parse_segment().copy()
    if segment.format != Gst.Format.TIME or segment.time or segment.base or not segment.start:
        return Gst.PadProbeReturn.OK
    segment.start = segment.position = 0
    pad.push_event(Gst.Event.new_segment(segment))
    return Gst.PadProbeReturn.DROP


def set_up_part(_pipeline, parent, element, live, state):
    """Sets up an element that decodebin added."""
    # JPEG over HTTP comes as parts of one stream, but the demuxer never says that no other
    # stream follows: decodebin would wait until a buffer is full.
    if element.find_property("single-stream"):
        element.set_property("single-stream", True)
    factory = element.get_factory()
    name = factory and factory.get_name()
    if not live and name == "matroskademux":
        element.connect("pad-added", keep_times)
    if name in WITH_LENGTH:
        state["stated"] = True
    if is_video_decoder(element) and not is_video_decoder(parent):
        for name, probe in (("sink", hold_packet), ("src", hold_frame)):
            pad = element.get_static_pad(name)
            if pad:
                pad.add_probe(common.Gst.PadProbeType.BUFFER, probe, live, state)


def hold_packet(_pad, info, live, state):
    """Drops packets before the first key frame. A stream that is joined between two key frames
    lacks the frames that others refer to, and decoders would show grey in their place."""
    if not info.get_buffer().has_flags(common.Gst.BufferFlags.DELTA_UNIT):
        return common.Gst.PadProbeReturn.REMOVE
    return hold(live, state)


def hold_frame(_pad, info, live, state):
    """Also drops the first frames that a decoder marks as corrupted."""
    if info.get_buffer().has_flags(common.Gst.BufferFlags.CORRUPTED):
        return hold(live, state)
    if state["held"] and not live:
        state["note"] = (f"starts between two key frames: skipped the first {state['held']} "
                         "frames, which refer to missing ones")
    if state["held"]:
        state["last sign"] = time.monotonic()
    state["held"] = 0
    state.pop("waits", None)
    return common.Gst.PadProbeReturn.REMOVE


def hold(live, state):
    state["last sign"] = time.monotonic()
    state["held"] += 1
    state.setdefault("waits", state["last sign"])
    if live and state["held"] == 1:
        state["note"] = "joined between two key frames: waiting for the next one"
    return common.Gst.PadProbeReturn.DROP


def explain(where, message, missing):
    """Says what an error message means, given the missing-plugin messages before it."""
    Gst = common.Gst
    error, _debug = message.parse_error()
    text = " ".join(error.message.split()).rstrip(".")
    not_video = (Gst.StreamError.TYPE_NOT_FOUND, Gst.StreamError.WRONG_TYPE)

    if any(error.matches(Gst.stream_error_quark(), code) for code in not_video):
        return "is not a video: give a video file, a URI or a /dev/videoN"
    if (error.matches(Gst.core_error_quark(), Gst.CoreError.MISSING_PLUGIN)
            or error.matches(Gst.stream_error_quark(),
                             Gst.StreamError.CODEC_NOT_FOUND)):
        return explain_missing(where, missing)
    if error.matches(Gst.resource_error_quark(), Gst.ResourceError.BUSY):
        return "is in use: close the program that uses it and try again"
    if text == "Internal data stream error":
        text = "cannot be read"
    if is_device(where):
        return text + list_cameras()
    if is_uri(where):
        return f"{text}: check the address and the network"
    return f"{text}: the file may be incomplete or damaged"


def no_video(where):
    return f"contains no video: give another {'address' if is_uri(where) else 'file'}"


def explain_missing(where, missing):
    """Says which plugin is missing. If no plugin was requested, there is no video."""
    for message in missing:
        detail = message.get_structure().get_value("detail")
        if not isinstance(detail, common.Gst.Caps):
            return (f"no installed plugin opens {detail}:// addresses: use a kind that "
                    "gst-inspect-1.0 --uri-handlers lists")
        if detail.to_string().startswith("audio/"):
            continue
        what = common.GstPbutils.missing_plugin_message_get_description(message)
        return f"no {what} found: {advice(detail)}"
    return no_video(where)


def decoders(caps, least):
    Gst = common.Gst
    factories = Gst.ElementFactory.list_get_elements(Gst.ELEMENT_FACTORY_TYPE_DECODER, least)
    return Gst.ElementFactory.list_filter(factories, caps, Gst.PadDirection.SINK, False)


def advice(caps):
    """What to do if nothing decodes @caps."""
    Gst = common.Gst
    # Elements that are never chosen automatically, such as fakevideodec, have no rank either.
    ranked = {part.split(":")[0]
              for part in os.environ.get("GST_PLUGIN_FEATURE_RANK", "").split(",")}
    off = [factory.get_name() for factory in decoders(caps, Gst.Rank.NONE)
           if factory.get_rank() < Gst.Rank.MARGINAL and factory.get_name() in ranked]
    if off:
        return (f"{off[0]} is installed, but the environment variable "
                "GST_PLUGIN_FEATURE_RANK switches it off")
    registry = Gst.Registry.get()
    packages = [package for package, plugin in PACKAGES.get(caps[0].get_name(), OTHERS)
                if not registry.find_plugin(plugin)]
    if packages:
        return "try apt-get install " + " ".join(packages)
    known = [text for text, name in COMMON_FORMATS.items()
             if decoders(Gst.Caps.from_string(name), Gst.Rank.MARGINAL)]
    return f"convert it to {known[0] if known else 'raw video'}"
