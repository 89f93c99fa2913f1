# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the video of these programs comes from: files, addresses and cameras, how they
are decoded, and what is wrong if they are not."""
import argparse
import glob
import os
import re
import stat
import struct
import sys
import time

import common
from common import Failure, Misuse

# Where decoders come from, and a plugin that tells whether a package is there.
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

# What nearly all converters write.
COMMON_FORMATS = {
    "H.264 in .mp4": "video/x-h264",
    "JPEG in .avi": "image/jpeg",
    "VP8 in .webm": "video/x-vp8",
}

TRANSPORTS = {"auto": "tcp+udp-mcast+udp", "tcp": "tcp", "udp": "udp"}
MAX_LATENCY = 3600000

# What reads containers that say how long they are. Of others, such as H.264 without one, the
# length is an estimate.
WITH_LENGTH = ("matroskademux", "qtdemux", "avidemux", "flvdemux", "asfdemux")

# How long the name of what is missing may come after the last pad, on a busy machine.
MISSING_SECONDS = 3


def milliseconds(text):
    """For argparse: a time in whole milliseconds."""
    if not text.isdecimal() or int(text) > MAX_LATENCY:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of milliseconds from 0 to "
                                         f"{MAX_LATENCY}")
    return int(text)


def add_arguments(parser, keyframes=False):
    """How a source is read. With @keyframes programs look at some frames only."""
    parser.add_argument("--rtsp-transport", choices=tuple(TRANSPORTS),
                        help="how RTSP video is transported (default: as the server "
                        "and GStreamer agree)")
    parser.add_argument("--latency", type=milliseconds, metavar="MILLISECONDS",
                        help="for RTSP: how long packets may wait for others that are "
                        "late (default 2000)")
    if keyframes:
        parser.add_argument("--keyframes", action="store_true",
                            help="decode and analyse key frames only, which takes a "
                            "small part of the time")


def is_uri(where):
    return "://" in where


def is_device(where):
    return where.startswith("/dev/")


def is_rtsp(where):
    return where.startswith("rtsp")


def without_password(text):
    """@text, in which the passwords of addresses are not shown."""
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
    return f": there is {devices}" if devices else ": there is no camera here"


class Source:
    """Video of a file, URI or device, or `test` for a generated picture. @options are
    those of add_arguments(). `launch` is the start of a pipeline, of which prepare()
    does the rest. Sound and subtitles are left out, or with @tracks copied as they are."""

    def __init__(self, where, options=None, tracks=None):
        self.where = where
        self.tracks = tracks
        self.transport = getattr(options, "rtsp_transport", None)
        self.latency = getattr(options, "latency", None)
        self.keyframes = getattr(options, "keyframes", False)
        self.state = {"linked": False, "note": None, "held": 0}
        self.live = False       # whether it has a time of its own
        for name, value in (("rtsp-transport", self.transport), ("latency", self.latency)):
            if value is not None and not is_rtsp(where):
                raise Misuse(f"--{name} is for RTSP, and {self.name()} is not an RTSP address: "
                             "leave it out")
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
            raise Failure(f"{where} is a folder: name a video file in it")
        if stat.S_ISCHR(mode):
            self.live = True
            return self._decoder(f"v4l2src device={quote(where)} ! decodebin name=input")
        if not os.access(where, os.R_OK):
            raise Failure(f"{where}: may not be read by this user")
        uri = common.Gst.filename_to_uri(os.path.abspath(where))
        return self._decoder(f"uridecodebin name=input uri={quote(uri)}")

    @staticmethod
    def _decoder(elements):
        return f"{elements} identity name=decoded silent=true"

    def prepare(self, pipeline):
        """Has the first video that is decoded linked. No function refers to this
        object or to a pipeline, which would then stay for ever."""
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
        """For how many seconds packets of video have come, but no frame that decodes whole;
        0 if frames come, or nothing does."""
        begin = self.state.get("waits")
        now = time.monotonic()
        return (now - begin if begin and now - self.last_sign() < common.PATIENCE_SECONDS
                else 0)

    def last_sign(self):
        """When there was something of the video last, be it a frame that is left out;
        None if the frames themselves tell."""
        return self.state.get("last sign")

    def reached(self):
        """Stream time of the last frame, be it one that is left out, in ns; 0 if the frames
        themselves tell."""
        return self.state.get("reached", 0)

    def states_length(self):
        """Whether the file says how long it is."""
        return "stated" in self.state

    def bytes_of_riff(self):
        """(bytes that there are, bytes that there should be) of an AVI file, whose reader takes
        what is there for all; (0, 0) of others."""
        try:
            with open(self.where, "rb") as file:
                name, size, kind = struct.unpack("<4sI4s", file.read(12))
                there = os.fstat(file.fileno()).st_size
        except (OSError, struct.error):
            return 0, 0
        # Who cannot seek back writes no size.
        known = name == b"RIFF" and kind == b"AVI " and 0 < size < 2**32 - 1
        return (there, size + 8) if known else (0, 0)

    def end_of_others(self):
        """Stream time up to which sound and subtitles have come, in ns."""
        return self.state.get("end", 0)

    def at_its_speed(self):
        """What follows the source where frames are looked at when they are due: of what is
        live the newest counts if the machine cannot keep up, and a file waits."""
        return f"queue leaky={'downstream' if self.live else 'no'} max-size-buffers=2"

    def sink(self):
        """The end of such a pipeline."""
        return ("identity name=video silent=true "
                f"! fakesink sync={'false' if self.live else 'true'}")

    def check(self, missing, over):
        """Says once what is done to the video. Raises Failure if there is none, given the
        missing-plugin messages; unless it is @over some may yet come."""
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
        """What an error message says, given the missing-plugin messages before it."""
        return without_password(
            f"{self.where}: {explain(self.where, message, missing)}")


def link_video(_source, pad, decoded, state):
    """Links the first video of a decoder; through a converter if it is of a format that
    videohistogram cannot count."""
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
        state["note"] = (f"{structure.get_value('format')} cannot be counted as it is: "
                         "it is converted")
    pad.add_probe(Gst.PadProbeType.BUFFER, check_first_frame, state)
    try:
        pad.link(sink)
    except Gst.LinkError:
        state["bad"] = (f"pictures of {structure.get_value('width')}x"
                        f"{structure.get_value('height')} {structure.get_value('format')} "
                        "cannot be decoded here")


def stream_time(pad, time):
    """In ns, or 0 if it is not known."""
    Gst = common.Gst
    segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
    if not segment or time == Gst.CLOCK_TIME_NONE:
        return 0
    place = segment.parse_segment().to_stream_time(Gst.Format.TIME, time)
    return 0 if place == Gst.CLOCK_TIME_NONE else place


def note_end(pad, info, state):
    """Subtitles and sound may go on after the video."""
    frame = info.get_buffer()
    end = stream_time(pad, frame.pts)
    if end and frame.duration != common.Gst.CLOCK_TIME_NONE:
        end += frame.duration
    state["end"] = max(end, state.get("end", 0))
    return common.Gst.PadProbeReturn.OK


def check_first_frame(pad, info, state):
    """Some containers store rows in another way than the caps say, which every element
    that reads a frame would take for other pixels."""
    Gst, GstVideo = common.Gst, common.GstVideo
    caps = pad.get_current_caps()
    video = GstVideo.VideoInfo.new_from_caps(caps) if caps else None
    frame = info.get_buffer()
    if (video and caps.get_features(0).contains(Gst.CAPS_FEATURE_MEMORY_SYSTEM_MEMORY)
            and frame.get_size() < video.size
            and not GstVideo.buffer_get_video_meta(frame)):
        state["bad"] = (f"its frames have {frame.get_size()} bytes, where "
                        f"{video.width}x{video.height} pixels of {video.finfo.name} take "
                        f"{video.size}: convert it to another format or an even size")
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
    """Of a decoder that was added; parsers have marked the frames."""
    if is_video_decoder(element):
        pad = element.get_static_pad("sink")
        if pad:
            pad.add_probe(common.Gst.PadProbeType.BUFFER, drop_delta_frame, state)


def drop_delta_frame(pad, info, state):
    """Notes that there was a frame: until the next key frame it may be half a minute."""
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
    """Of a Matroska file: its times are as they are written in it."""
    if pad.get_direction() == common.Gst.PadDirection.SRC:
        pad.add_probe(common.Gst.PadProbeType.EVENT_DOWNSTREAM, keep_start)


def keep_start(pad, info):
    """GStreamer takes the time of the first frame for zero, and may take that back some
    frames later: the first frames would come too early."""
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
    """What decodebin adds does for cameras what it should."""
    # JPEG over HTTP comes as parts of one stream, whose demuxer never says that no other
    # stream follows: all would wait until some buffer is full.
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
    """A stream that is joined between two key frames lacks the frames that the others
    refer to. Decoders put grey in their place: they get nothing before a key frame."""
    if not info.get_buffer().has_flags(common.Gst.BufferFlags.DELTA_UNIT):
        return common.Gst.PadProbeReturn.REMOVE
    return hold(live, state)


def hold_frame(_pad, info, live, state):
    """Nor is anything shown that a decoder marks as guessed."""
    if info.get_buffer().has_flags(common.Gst.BufferFlags.CORRUPTED):
        return hold(live, state)
    if state["held"] and not live:
        state["note"] = (f"it begins between two key frames: the first {state['held']} frames, "
                         "which refer to others, are left out")
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
        state["note"] = "it was joined between two key frames: waiting for the next one"
    return common.Gst.PadProbeReturn.DROP


def explain(where, message, missing):
    """What an error message means, given the missing-plugin messages before it."""
    Gst = common.Gst
    error, _debug = message.parse_error()
    text = " ".join(error.message.split()).rstrip(".")
    not_video = (Gst.StreamError.TYPE_NOT_FOUND, Gst.StreamError.WRONG_TYPE)

    if any(error.matches(Gst.stream_error_quark(), code) for code in not_video):
        return "is not a video: name a video file, a URI or a /dev/videoN"
    if (error.matches(Gst.core_error_quark(), Gst.CoreError.MISSING_PLUGIN)
            or error.matches(Gst.stream_error_quark(),
                             Gst.StreamError.CODEC_NOT_FOUND)):
        return explain_missing(where, missing)
    if error.matches(Gst.resource_error_quark(), Gst.ResourceError.BUSY):
        return "is in use: end the program that uses it and try again"
    if text == "Internal data stream error":
        text = "cannot be read"
    if is_device(where):
        return text + list_cameras()
    if is_uri(where):
        return f"{text}: check the address and the network"
    return f"{text}: is the file complete?"


def no_video(where):
    what = "the address of a picture" if is_uri(where) else "a file with a picture"
    return f"has no video in it: name {what}"


def explain_missing(where, missing):
    """No plugin for the video; or none was requested, because there is no
    video."""
    for message in missing:
        detail = message.get_structure().get_value("detail")
        if not isinstance(detail, common.Gst.Caps):
            return (f"nothing here opens {detail}: addresses: "
                    "gst-inspect-1.0 --uri-handlers lists those that can be")
        if detail.to_string().startswith("audio/"):
            continue
        what = common.GstPbutils.missing_plugin_message_get_description(message)
        return f"there is no {what}: {advice(detail)}"
    return no_video(where)


def decoders(caps, least):
    Gst = common.Gst
    factories = Gst.ElementFactory.list_get_elements(Gst.ELEMENT_FACTORY_TYPE_DECODER, least)
    return Gst.ElementFactory.list_filter(factories, caps, Gst.PadDirection.SINK, False)


def advice(caps):
    """What to do where nothing decodes @caps."""
    Gst = common.Gst
    # Those that no program takes by itself, such as fakevideodec, have no rank, either.
    ranked = {part.split(":")[0]
              for part in os.environ.get("GST_PLUGIN_FEATURE_RANK", "").split(",")}
    off = [factory.get_name() for factory in decoders(caps, Gst.Rank.NONE)
           if factory.get_rank() < Gst.Rank.MARGINAL and factory.get_name() in ranked]
    if off:
        return (f"{off[0]} is installed, but switched off in "
                "GST_PLUGIN_FEATURE_RANK")
    registry = Gst.Registry.get()
    packages = [package for package, plugin in PACKAGES.get(caps[0].get_name(), OTHERS)
                if not registry.find_plugin(plugin)]
    if packages:
        return "try apt-get install " + " ".join(packages)
    known = [text for text, name in COMMON_FORMATS.items()
             if decoders(Gst.Caps.from_string(name), Gst.Rank.MARGINAL)]
    return f"convert it to {known[0] if known else 'raw video'}"
