# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the programs of this folder share: environment, sources, running."""
import argparse
import glob
import os
import re
import signal
import stat
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))

# A source that gives no picture for this time has failed.
PATIENCE_SECONDS = 10

# Where decoders come from, and a plugin that tells whether a package is there.
DECODER_PACKAGES = {
    "gstreamer1.0-libav": "libav",
    "gstreamer1.0-plugins-bad": "videoparsersbad",
    "gstreamer1.0-plugins-ugly": "asf",
}

# Set by start(), which imports it, so that --help works with nothing installed.
GLib = Gst = GstPbutils = None


class Failure(Exception):
    """What went wrong and what to do, in a line for the user."""


class ReaderGone(Exception):
    """Nothing reads the standard output any more."""


def seconds(text):
    """For argparse: a time that is not negative."""
    value = float(text)
    if not 0 <= value < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is not a length of time")
    return value


def between(least, most):
    """For argparse: a number in this range."""
    def number(text):
        value = float(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f"{text} is not from {least:g} to {most:g}")
        return value
    return number


EQUALIZER_OPTIONS = ("method", "strength", "smoothing", "target", "clip-limit",
                     "tiles", "reference", "color")


def add_equalizer_arguments(parser):
    """How videoequalize corrects; by default as the element does."""
    parser.add_argument("--method", choices=("none", "equalize", "stretch", "gamma",
                                             "match", "clahe"),
                        help="how the curve is made (default equalize)")
    parser.add_argument("--strength", type=between(0, 1), metavar="0...1",
                        help="how much of the correction is applied (default 1)")
    parser.add_argument("--smoothing", type=between(0, 3600), metavar="SECONDS",
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
                        help="how colour follows luma (default scale)")


def add_output_arguments(parser):
    parser.add_argument("--keep-format", action="store_true",
                        help="for .mp4 and .mkv: encode the video's own format, instead "
                        "of 8 bits of 4:2:0, which every player can show")


def start():
    """Loads GStreamer with the plugin of this checkout."""
    global GLib, Gst, GstPbutils
    if "VH_WITH_BUILD" not in os.environ:
        program = os.path.realpath(sys.argv[0])
        os.execv(f"{HERE}/with-build",
                 ["with-build", sys.executable, program, *sys.argv[1:]])
    try:
        import gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstPbutils", "1.0")
        from gi.repository import GLib, Gst, GstPbutils
        Gst.ValueArray
    except (ImportError, ValueError, AttributeError):
        sys.exit("Python's GStreamer is not complete: run pipelines/setup")
    Gst.init(None)
    GstPbutils.pb_utils_init()
    # File names may have any bytes.
    for stream in (sys.stdout, sys.stderr):
        if stream and stream.errors == "strict":
            stream.reconfigure(errors="surrogateescape")


def main(program, function, *args):
    """Ends the program with the status that @function returns, or with its Failure. If
    the reader of the output has gone, it ends as by SIGPIPE."""
    try:
        status = function(*args)
        write_line(None)
        sys.exit(status)
    except ReaderGone:
        forget_output()
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    except Failure as failure:
        try:
            write_line(None)
        except (Failure, ReaderGone):
            forget_output()
        sys.exit(f"{program}: {failure}")


def write_line(line, flush=True):
    """Prints a line, or with None what was not flushed. Raises Failure if not all
    can be written, and ReaderGone."""
    try:
        if not sys.stdout:
            raise OSError(0, "it is closed")
        if line is not None:
            print(line)
        if flush or line is None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        raise Failure("the standard output cannot be written: "
                      f"{error.strerror}") from None


def forget_output():
    """Lets Python drop what it could not write, instead of trying again at the
    end."""
    if sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_uri(where):
    return "://" in where


def is_device(where):
    return where.startswith("/dev/")


def without_password(text):
    """@text, in which the passwords of addresses are not shown."""
    return re.sub(r"(://[^\s:/@]*):[^\s/]*@", r"\1:***@", text)


def cameras():
    """A hint for a device name that is not a camera."""
    devices = " ".join(sorted(glob.glob("/dev/video*")))
    return f": there is {devices}" if devices else ": there is no camera here"


def source(where):
    """The start of a pipeline that gives the video of a file, URI or device."""
    if where == "test":
        return ("videotestsrc is-live=true "
                "! video/x-raw,format=NV12,width=640,height=360,framerate=30/1")
    if where.startswith("file://"):
        where = Gst.uri_get_location(where)
    if not is_uri(where):
        try:
            mode = os.stat(where).st_mode
        except FileNotFoundError:
            raise Failure(f"{where}: no such file or device"
                          + (cameras() if is_device(where) else "")) from None
        except OSError as error:
            raise Failure(f"{where}: {error.strerror}") from None
        if stat.S_ISDIR(mode):
            raise Failure(f"{where} is a folder: name a video file in it")
        if stat.S_ISCHR(mode):
            return f"v4l2src device={quote(where)} ! decodebin"
        if not os.access(where, os.R_OK):
            raise Failure(f"{where}: may not be read by this user")
        where = Gst.filename_to_uri(os.path.abspath(where))
    return (f"uridecodebin uri={quote(where)} expose-all-streams=false "
            'caps="video/x-raw(ANY)"')


def quote(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Run:
    """A pipeline with a videohistogram, and a sink or an identity named `video` that
    counts frames. @on_histogram gets the structure of each message, in a streaming
    thread: a slow function slows the pipeline down, so that no results pile up. If
    there is a videoequalize named `equalize`, it gets @equalizer's options; if there
    is a videohistogram named `corrected`, @on_corrected gets its messages. If @launch
    ends with an Output, that is completed or discarded by wait()."""

    def __init__(self, where, launch, on_histogram, equalizer=None,
                 on_corrected=None, output=None):
        self.where = where
        self.on_histogram = on_histogram
        self.on_corrected = on_corrected
        self.output = output
        self.missing = []       # missing-plugin messages
        self.failure = None     # that a function for messages has raised
        self.frames = 0
        self.last_frame = time.monotonic()
        try:
            self.pipeline = Gst.parse_launch(launch)
        except GLib.Error as error:
            raise Failure(error.message.rstrip(".")) from None
        except UnicodeEncodeError:
            raise Failure(f"{output.path if output else where}: GStreamer takes only "
                          "names in UTF-8: rename it") from None
        self.histogram = self.pipeline.get_by_name("histogram")
        self.equalize = self.pipeline.get_by_name("equalize")
        self.video = self.pipeline.get_by_name("video")
        if equalizer:
            self._set_equalizer(equalizer)
        first = self.pipeline.get_by_name("first")
        if first:
            first.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER,
                                                  self._only_first, [])
        if output:
            output.prepare(self.pipeline)
        self.bus = self.pipeline.get_bus()
        self.bus.enable_sync_message_emission()
        self.handler = self.bus.connect("sync-message::element", self._on_element)

    @staticmethod
    def _only_first(pad, _info, passed):
        """Ends the stream after the first frame: the encoders' own snapshot=true lets
        some more through."""
        if not passed:
            passed.append(True)
            return Gst.PadProbeReturn.OK
        if len(passed) == 1:
            passed.append(True)
            pad.push_event(Gst.Event.new_eos())
        return Gst.PadProbeReturn.DROP

    def _set_equalizer(self, options):
        for name in EQUALIZER_OPTIONS:
            value = getattr(options, name.replace("-", "_"))
            if value is not None:
                Gst.util_set_object_arg(self.equalize, name, str(value))
        if options.tiles and self.equalize.get_property("tiles") != options.tiles:
            raise Failure(f"--tiles {options.tiles} is not allowed: "
                          "the warning says why")

    def _on_element(self, _bus, message):
        structure = message.get_structure()
        if structure.get_name() == "videohistogram":
            on_message = (self.on_histogram if message.src == self.histogram
                          else self.on_corrected)
            # GLib prints what is raised here, and goes on.
            try:
                if not self.failure:
                    on_message(structure)
            except Exception as failure:
                self.failure = failure
        elif GstPbutils.is_missing_plugin_message(message):
            self.missing.append(message)

    def start(self):
        self.last_frame = time.monotonic()
        self.pipeline.set_state(Gst.State.PLAYING)

    def stop(self):
        """Ends it for good: a signal handler and the bus refer to each other, which
        Python does not see, and would stay with their descriptors."""
        self.pipeline.set_state(Gst.State.NULL)
        if self.handler:
            self.bus.disconnect(self.handler)
            self.bus.disable_sync_message_emission()
        self.handler = None

    def poll(self, timeout_seconds):
        """Waits briefly; True at the end of the video. Raises Failure."""
        message = self.bus.timed_pop_filtered(
            int(timeout_seconds * Gst.SECOND),
            Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING)
        if self.failure:
            raise self.failure
        stats = self.video.get_property("stats")
        frames = stats.get_value("rendered" if stats.has_field("rendered")
                                 else "num-buffers")
        if frames != self.frames:
            self.frames = frames
            self.last_frame = time.monotonic()
        ended = bool(message) and message.type == Gst.MessageType.EOS
        if (message and message.type == Gst.MessageType.ERROR
                and message.src == self.equalize):
            raise Failure(message.parse_error()[0].message)
        if message and message.type == Gst.MessageType.ERROR:
            raise Failure(without_password(
                self.output and self.output.explain(message) or
                f"{self.where}: " + explain(self.where, message, self.missing)))
        if (message and message.type == Gst.MessageType.WARNING
                and message.src in (self.histogram, self.equalize)):
            # The request makes no sense for this video.
            raise Failure(f"{self.name()}: {message.parse_warning()[0].message}")
        if ended and not frames:
            raise Failure(f"{self.name()}: there is no picture in it")
        if time.monotonic() - self.last_frame > PATIENCE_SECONDS:
            live = is_device(self.where) or is_uri(self.where)
            raise Failure(f"{self.name()}: no picture for {PATIENCE_SECONDS} seconds: "
                          + ("is it switched on, and the address right?" if live
                             else "is the file complete?"))
        return ended

    def name(self):
        return without_password(self.where)

    def wait(self, seconds=None):
        """Runs to the end, or for @seconds, or until Ctrl-C; then completes a file
        that is being written."""
        try:
            try:
                self._play(seconds)
            finally:
                self.counters = {name: self.histogram.get_property(name)
                                 for name in ("processed", "dropped", "skipped",
                                              "active-backend", "backend-reason")}
                self.stop()
            if self.failure:
                raise self.failure
            if self.output:
                self.output.complete()
        except BaseException:
            if self.output:
                self.output.discard()
            raise

    def _play(self, seconds):
        interrupt = Interrupt()
        begin = time.monotonic()
        ended = False
        self.start()
        while not (ended or interrupt.pressed):
            ended = self.poll(0.1)
            if seconds and time.monotonic() - begin >= seconds:
                break
        if self.output and not ended:
            self.pipeline.send_event(Gst.Event.new_eos())
            while not self.poll(0.1):
                pass


# How a file is written, by the end of its name, and the packages that this
# needs. PLAYABLE is what players can do with H.264.
FULL_RANGE = "video/x-raw,format=I420,colorimetry=1:4:0:0"
PLAYABLE = "video/x-raw,format=I420 ! "
H264 = f"videobox name=pad ! videoconvert ! {PLAYABLE}x264enc ! h264parse"
WRITERS = {
    ".mp4": (f"{H264} ! mp4mux", "gstreamer1.0-plugins-ugly"),
    ".mkv": (f"{H264} ! matroskamux", "gstreamer1.0-plugins-ugly"),
    ".webm": ("vp8enc deadline=1 cpu-used=4 target-bitrate=4000000 ! webmmux",
              "gstreamer1.0-plugins-good"),
    ".avi": (f"{FULL_RANGE} ! jpegenc quality=95 ! avimux",
             "gstreamer1.0-plugins-good"),
    ".png": ("identity name=first ! video/x-raw,format=RGB ! pngenc",
             "gstreamer1.0-plugins-good"),
    ".jpg": (f"identity name=first ! {FULL_RANGE} ! jpegenc quality=90",
             "gstreamer1.0-plugins-good"),
}

# Before a picture is corrected: it is turned as its tags say, because not every
# container keeps them.
UPRIGHT = "videoconvert name=upright ! videoflip video-direction=auto"


class Output:
    """A file for a video, or one picture of it. It has another name until it is
    complete, so that what was there before is not lost to a failure."""

    def __init__(self, path, keep_format=False):
        kinds = " ".join(WRITERS)
        ending = os.path.splitext(path)[1].lower()
        if ending not in WRITERS:
            raise Failure(f"{path}: its name must end in one of {kinds}")
        self.path = path
        self.ending = ending
        self.size = None        # width and height of the video, once known
        self.padding = None     # both before and after, if padded
        self._place()
        elements, package = WRITERS[ending]
        for part in elements.split(" ! "):
            name = part.split()[0]
            if "/" not in name and not Gst.ElementFactory.find(name):
                raise Failure(f"{path}: there is no {name} here: apt-get install "
                              f"{package}, or let the name end in one of {kinds}")
        if keep_format:
            elements = elements.replace(PLAYABLE, "")
        self.launch = (f"videoconvert name=encode ! {elements} "
                       f"! filesink name=file location={quote(self.part)}")

    def _place(self):
        self.target = os.path.realpath(self.path)
        folder = os.path.dirname(self.target)
        exists = os.path.exists(self.target)
        if not os.path.isdir(folder):
            raise Failure(f"{self.path}: there is no folder {folder}")
        if not os.access(self.target if exists else folder, os.W_OK):
            raise Failure(f"{self.path}: may not be written by this user")
        # A device or pipe, or a file in a folder of others, is written directly.
        direct = exists and not (os.path.isfile(self.target)
                                 and os.access(folder, os.W_OK))
        self.part = self.target if direct else self.target + ".part"

    def prepare(self, pipeline):
        """Looks at the video, and pads it to an even size for H.264."""
        self._look(pipeline.get_by_name("upright"), self._set_size)
        if pipeline.get_by_name("pad"):
            self._look(pipeline.get_by_name("encode"), self._set_padding,
                       pipeline.get_by_name("pad"))

    @staticmethod
    def _look(element, function, *args):
        """Calls @function with the width and height that come to @element."""
        def on_event(_pad, info):
            event = info.get_event()
            if event.type == Gst.EventType.CAPS:
                caps = event.parse_caps()[0]
                function(caps.get_value("width"), caps.get_value("height"), *args)
            return Gst.PadProbeReturn.OK

        element.get_static_pad("sink").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM,
                                                 on_event)

    def _set_size(self, width, height):
        self.size = width, height

    def _set_padding(self, width, height, pad):
        pad.set_property("right", -(width % 2))
        pad.set_property("bottom", -(height % 2))
        if width % 2 or height % 2:
            self.padding = (width, height), (width + width % 2, height + height % 2)

    def is_picture(self):
        """Whether it is a picture of the first frame."""
        return "name=first" in WRITERS[self.ending][0]

    def describe(self, frames):
        """What was written, in words."""
        text = "1 frame" if self.is_picture() or frames == 1 else f"{frames} frames"
        if self.padding:
            (width, height), (padded, higher) = self.padding
            text += (f", padded from {width}x{height} to {padded}x{higher} pixels "
                     "for H.264")
        return text

    def explain(self, message):
        """What an error says about the file, or None if it is not about it."""
        error, debug = message.parse_error()
        text = " ".join(error.message.split()).rstrip(".")
        factory = message.src.get_factory() if hasattr(message.src, "get_factory") \
            else None
        kind = factory.get_metadata("klass") if factory else ""
        others = "let the name end in " + " or ".join(
            ending for ending in WRITERS if ending != self.ending)
        if error.matches(Gst.resource_error_quark(), Gst.ResourceError.NO_SPACE_LEFT):
            return f"{self.path}: the disk is full: what was written is removed"
        if message.src.get_name() == "file":
            return f"{self.path}: {text}"
        if "Encoder" in kind or "Muxer" in kind:
            return f"{self.path}: {factory.get_name()} cannot write it: {text}: {others}"
        if "not-negotiated" in (debug or "") and self.size:
            width, height = self.size
            return (f"{self.path}: {self.ending} cannot hold pictures of "
                    f"{width}x{height} pixels: {others}")
        return None

    def complete(self):
        if self.part != self.target:
            try:
                os.replace(self.part, self.target)
            except OSError as error:
                raise Failure(f"{self.path}: {error.strerror}") from None

    def discard(self):
        if self.part != self.target and os.path.exists(self.part):
            os.remove(self.part)


def is_same_file(a, b):
    if a.startswith("file://"):
        a = Gst.uri_get_location(a)
    return os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b)


def default_sink():
    """An element that shows video, or one that accepts it at the same speed."""
    display = {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)
    return "autovideosink" if display else "fakesink sync=true"


def explain(where, message, missing):
    """What an error message means, given the missing-plugin messages before it."""
    error, _debug = message.parse_error()
    text = " ".join(error.message.split()).rstrip(".")
    not_video = (Gst.StreamError.TYPE_NOT_FOUND, Gst.StreamError.WRONG_TYPE)

    if any(error.matches(Gst.stream_error_quark(), code) for code in not_video):
        return "is not a video: name a video file, a URI or a /dev/videoN"
    if (error.matches(Gst.core_error_quark(), Gst.CoreError.MISSING_PLUGIN)
            or error.matches(Gst.stream_error_quark(),
                             Gst.StreamError.CODEC_NOT_FOUND)):
        return explain_missing(missing)
    if error.matches(Gst.resource_error_quark(), Gst.ResourceError.BUSY):
        return "is in use: end the program that uses it and try again"
    if text == "Internal data stream error":
        text = "cannot be read"
    if is_device(where):
        return text + cameras()
    if is_uri(where):
        return f"{text}: check the address and the network"
    return f"{text}: is the file complete?"


def explain_missing(missing):
    """No plugin for the video; or none was requested, because there is no
    video."""
    for message in missing:
        detail = message.get_structure().get_value("detail")
        if not isinstance(detail, Gst.Caps):
            return (f"nothing here opens {detail}: addresses: "
                    "gst-inspect-1.0 --uri-handlers lists those that can be")
        if detail.to_string().startswith("audio/"):
            continue
        what = GstPbutils.missing_plugin_message_get_description(message)
        return f"there is no {what}: {advice()}"
    return "has no video in it: name a file with a picture"


def advice():
    registry = Gst.Registry.get()
    packages = [package for package, plugin in DECODER_PACKAGES.items()
                if not registry.find_plugin(plugin)]
    if packages:
        return "try apt-get install " + " ".join(packages)
    return "convert it to a common format, such as H.264 in MP4"


class Interrupt:
    """Catches Ctrl-C and SIGTERM, to end in order."""

    def __init__(self):
        self.pressed = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._press)

    def _press(self, _number, _frame):
        self.pressed = True


def exposure(structure):
    """The exposure of a frame in words and numbers."""
    value = structure.get_value
    return (f"mean {value('luma-average'):.3f}  "
            f"median {value('luma-median'):.3f}  "
            f"p99 {value('luma-p99'):.3f}  "
            f"black {value('luma-clipped-low'):6.1%}  "
            f"white {value('luma-clipped-high'):6.1%}")


def clock():
    return time.strftime("%H:%M:%S")
