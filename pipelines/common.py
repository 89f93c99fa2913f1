# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the programs in this folder share: environment, arguments, output, and running a
pipeline."""
import signal

# Until an Interrupt catches Ctrl-C, there is nothing to complete: Ctrl-C kills the program at
# once, without Python's traceback. start() blocks the signal while Python starts a second time.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

import argparse
import itertools
import os
import sys
import textwrap
import time

HERE = os.path.dirname(os.path.realpath(__file__))

# A source that delivers no picture for this long has failed.
MAX_SECONDS_WITHOUT_PICTURE = 10

# A source that sends video without a key frame for this long has failed, too.
KEY_FRAME_SECONDS = 60

# A file is incomplete if it has less than this share of the length that its header states.
SHORT = 0.9

# Set by start(), which imports them, so that --help works with nothing installed.
GLib = GObject = Gst = GstPbutils = GstVideo = None


class Failure(Exception):
    """What went wrong and what to do, in one line for the user."""


class Misuse(Failure):
    """An unknown option or an invalid value: exit status 2."""


class ReaderGone(Exception):
    """Nothing reads the standard output anymore."""


class Interrupted(Exception):
    """Ctrl-C or another signal came before there was anything to complete."""

    def __init__(self, number):
        super().__init__()
        self.number = number


class HelpFormatter(argparse.HelpFormatter):
    """Wraps text at blanks only, not within names such as gst-inspect-1.0, and keeps line breaks
    and lines that are indented."""

    def _split_lines(self, text, width):
        return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)

    def _fill_text(self, text, width, indent):
        return "\n".join(line if line.startswith(" ") else textwrap.fill(
            line, width, break_long_words=False, break_on_hyphens=False)
            for line in text.splitlines())


class Arguments(argparse.ArgumentParser):
    """Reports errors in one line."""

    def __init__(self, **options):
        super().__init__(formatter_class=HelpFormatter, **options)

    def parse_args(self, *args):
        # Otherwise argparse would report a missing argument instead of the unknown option.
        for text in itertools.takewhile("--".__ne__, sys.argv[1:]):
            name = text.split("=")[0]
            if name.startswith("--") and not any(known.startswith(name)
                                                 for known in self._option_string_actions):
                self.error(f"unknown option {name}")
        return super().parse_args(*args)

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}: see pipelines/{self.prog} --help\n")


def to_number(text, what):
    """For argparse: a number. @what describes it in the error."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not {what}") from None


def seconds(text):
    """For argparse: a time in seconds that elements accept."""
    value = to_number(text, "a number of seconds, such as 2 or 0.5")
    if not 0 <= value < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is out of range: it must be from 0 to "
                                         "999999999 seconds")
    if 0 < value < 1e-3:
        raise argparse.ArgumentTypeError(f"{text} is less than a millisecond: it must be 0, or "
                                         "0.001 or more")
    return value


def some(text):
    """For argparse: a name that is not empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it must not be empty")
    return text


def between(least, most):
    """For argparse: a number in this range."""
    def number(text):
        value = to_number(text, f"a number from {least:g} to {most:g}")
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f"{text} is out of range: it must be from {least:g} to {most:g}")
        return value
    return number


def start():
    """Loads GStreamer with the plugin of this checkout."""
    global GLib, GObject, Gst, GstPbutils, GstVideo
    if "VH_WITH_BUILD" not in os.environ:
        program = os.path.realpath(sys.argv[0])
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os.execv(f"{HERE}/with-build",
                 ["with-build", sys.executable, program, *sys.argv[1:]])
    try:
        import gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstPbutils", "1.0")
        gi.require_version("GstVideo", "1.0")
        from gi.repository import GLib, GObject, Gst, GstPbutils, GstVideo
        Gst.ValueArray
    except (ImportError, ValueError, AttributeError):
        sys.exit("GStreamer's bindings for Python are missing or incomplete: run pipelines/setup")
    Gst.init(None)
    GstPbutils.pb_utils_init()
    # File names may contain any bytes.
    for stream in (sys.stdout, sys.stderr):
        if stream and stream.errors == "strict":
            stream.reconfigure(errors="surrogateescape")


def main(program, function, *args):
    """Runs @function and ends the program with the status that it returns, or with its
    Failure. If the reader of the output has gone, the program ends as by SIGPIPE."""
    try:
        write_line(None)
        status = function(*args)
        write_line(None)
    except ReaderGone:
        forget_output()
        die_of(signal.SIGPIPE)
    except Interrupted as interrupted:
        die_of(interrupted.number)
    except Failure as failure:
        try:
            write_line(None)
        except (Failure, ReaderGone):
            forget_output()
        # File names may contain line breaks.
        note(f"{program}: {failure}".replace("\n", "\\n"))
        status = 2 if isinstance(failure, Misuse) else 1
    note(None)
    # Does not shut Python down: a thread of GStreamer may still free elements that have handlers
    # in Python, which crashes once Python has gone.
    os._exit(int(status or 0))


def die_of(number):
    """Ends the program by the signal @number, as if the program had not caught it."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def note(line):
    """Prints @line to the standard error, if that is open. None only flushes it."""
    try:
        if sys.stderr and line is not None:
            print(line, file=sys.stderr)
        if sys.stderr:
            sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def write_line(line, flush=True, end="\n"):
    """Prints @line to the standard output. None only flushes it. Raises Failure if it cannot
    all be written, and ReaderGone."""
    try:
        if not sys.stdout:
            raise OSError(0, "it is closed")
        if line is not None:
            print(line, end=end)
        if flush or line is None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        raise Failure("cannot write to the standard output: "
                      f"{error.strerror}") from None


def takes_escapes():
    """Whether the standard output is a terminal that supports bold, colors and cursor
    movements."""
    return bool(sys.stdout and sys.stdout.isatty()
                and os.environ.get("TERM", "dumb") != "dumb")


def forget_output():
    """Makes Python drop what it could not write, instead of trying again at exit."""
    if sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Run:
    """A pipeline that starts with @source and contains an identity named `video`, which counts
    frames, and optionally a videohistogram named `histogram` or a videohealth named `health`.
    @on_histogram gets the structure of each of its messages, in a streaming thread: a slow
    function slows the pipeline down, so that results do not pile up. If there is a
    videohistogram named `corrected`, @on_corrected gets its messages. If @launch ends with an
    Output, wait() completes or discards it."""

    def __init__(self, source, launch, on_histogram, on_corrected=None, output=None):
        self.source = source
        self.on_histogram = on_histogram
        self.on_corrected = on_corrected
        self.output = output
        self.missing = []       # missing-plugin messages
        self.failure = None     # raised by a function for messages
        self.frames = 0
        self.last_frame = time.monotonic()
        try:
            self.pipeline = Gst.parse_launch(f"{source.launch} ! {launch}")
        except GLib.Error as error:
            raise Failure(error.message.rstrip(".")) from None
        except UnicodeEncodeError:
            raise Failure(f"{output.path if output else source.where}: the name is not valid "
                          "UTF-8, which GStreamer needs: rename the file") from None
        source.prepare(self.pipeline)
        self.histogram = (self.pipeline.get_by_name("histogram")
                          or self.pipeline.get_by_name("health"))
        self.equalize = self.pipeline.get_by_name("equalize")
        self.video = self.pipeline.get_by_name("video")
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
        """Ends the stream after the first frame. The encoders' own snapshot=true would let
        some more through."""
        if not passed:
            passed.append(True)
            return Gst.PadProbeReturn.OK
        if len(passed) == 1:
            passed.append(True)
            pad.push_event(Gst.Event.new_eos())
        return Gst.PadProbeReturn.DROP

    def _on_element(self, _bus, message):
        structure = message.get_structure()
        if structure.get_name() in ("videohistogram", "videohealth"):
            on_message = (self.on_histogram if message.src == self.histogram
                          else self.on_corrected)
            # GLib would print an exception raised here and continue.
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
        """Stops the pipeline for good. The signal handler and the bus refer to each other,
        which Python does not see: they would stay, with their file descriptors."""
        self.pipeline.set_state(Gst.State.NULL)
        if self.handler:
            self.bus.disconnect(self.handler)
            self.bus.disable_sync_message_emission()
        self.handler = None

    def _count_frames(self):
        frames = self.video.get_property("stats").get_value("num-buffers")
        if frames != self.frames:
            self.frames = frames
            self.last_frame = time.monotonic()

    def _check_length(self):
        """Prints a note if a file ends long before the length that its header states. Raises
        Failure instead if an output is written, which would look complete."""
        known, length = self.pipeline.query_duration(Gst.Format.TIME)
        seen, end = self.pipeline.query_position(Gst.Format.TIME)
        end = max(end, self.source.reached(), self.source.end_of_others())
        there, stated = self.source.bytes_of_riff()
        if (known and seen and self.source.states_length() and not self.source.live
                and end + Gst.SECOND / 5 < SHORT * length):
            text = (f"{self.source.name()}: incomplete, ends after {end / Gst.SECOND:.1f} of "
                    f"{length / Gst.SECOND:.1f} seconds")
        elif there < SHORT * stated:
            text = f"{self.source.name()}: incomplete, has {there} of {stated} bytes"
        else:
            return
        if self.output:
            raise Failure(f"{text}; nothing was written. Get a complete file, or repair this one "
                          "with: ffmpeg -i FILE -c copy NEW.mkv")
        note(text)

    def poll(self, timeout_seconds):
        """Handles one message, after waiting for at most @timeout_seconds. Returns True at the
        end of the video. Raises Failure."""
        message = self.bus.timed_pop_filtered(
            int(timeout_seconds * Gst.SECOND),
            Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING)
        if self.failure:
            raise self.failure
        self._count_frames()
        ended = bool(message) and message.type == Gst.MessageType.EOS
        if (message and message.type == Gst.MessageType.ERROR
                and message.src == self.equalize):
            raise Failure(message.parse_error()[0].message)
        over = message and message.type != Gst.MessageType.WARNING
        self.source.check(self.missing, over)
        if message and message.type == Gst.MessageType.ERROR:
            raise Failure(self.output and self.output.explain(message)
                          or self.source.explain(message, self.missing))
        if (message and message.type == Gst.MessageType.WARNING
                and message.src in (self.histogram, self.equalize)):
            # The settings do not fit this video.
            raise Failure(f"{self.source.name()}: {message.parse_warning()[0].message}")
        waits = 0 if self.frames else self.source.key_frame_wait()
        if ended and waits:
            raise Failure(f"{self.source.name()}: contains no key frame, so it cannot be decoded")
        if ended and not self.frames:
            raise Failure(f"{self.source.name()}: contains no picture")
        if waits > KEY_FRAME_SECONDS:
            raise Failure(f"{self.source.name()}: no key frame in {KEY_FRAME_SECONDS} seconds "
                          "of video: set the camera to send one at least every 10 seconds "
                          "(GOP, I-frame interval), without intra refresh")
        last = max(self.last_frame, self.source.last_sign() or 0)
        # A file that plays at its own speed may have its next key frame much later; but its first
        # frame comes at once, unless decodebin has lost the error of a demuxer.
        started = self.frames or self.source.last_sign()
        if (time.monotonic() - last > MAX_SECONDS_WITHOUT_PICTURE
                and (self.source.live or not self.source.keyframes or not started)):
            raise Failure(f"{self.source.name()}: no picture for {MAX_SECONDS_WITHOUT_PICTURE} "
                          "seconds: " + ("check that the camera is on and the address is right"
                                         if self.source.live
                                         else "the file may be incomplete"))
        return ended

    def wait(self, seconds=None, goes_on=None):
        """Runs to the end, or for @seconds, or until Ctrl-C, or until @goes_on returns False,
        which is called several times a second. Then completes the output, if any."""
        try:
            try:
                self._play(seconds, goes_on)
            finally:
                self._count_frames()
                if self.output:
                    self.output.note_written()
                if self.histogram:
                    self.counters = {name: self.histogram.get_property(name)
                                     for name in ("processed", "dropped", "skipped",
                                                  "active-backend", "backend-reason")}
                self.stop()
            if self.failure:
                raise self.failure
            if self.output:
                self.output.complete(self.frames)
        except BaseException:
            if self.output:
                self.output.discard()
            raise

    def _check_picture(self, seconds):
        if not self.frames:
            raise Failure(f"{self.source.name()}: no picture in {seconds:g} seconds")

    def _play(self, seconds, goes_on):
        interrupt = Interrupt()
        begin = time.monotonic()
        ended = False
        self.start()
        while not (ended or interrupt.pressed):
            ended = self.poll(0.1)
            if goes_on and not goes_on():
                break
            if seconds and time.monotonic() - begin >= seconds:
                self._check_picture(seconds)
                break
        if ended and not (self.output and self.output.is_picture()):
            self._check_length()
        if self.output and not ended:
            self._count_frames()
            if interrupt.pressed and not self.frames:
                raise Interrupted(interrupt.pressed)
            self.pipeline.send_event(Gst.Event.new_eos())
            while not self.poll(0.1):
                pass


def default_sink():
    """An element that shows video, or, without a display, consumes it at the same speed."""
    display = {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)
    return "autovideosink" if display else "fakesink sync=true"


class Interrupt:
    """Catches Ctrl-C, SIGTERM and SIGHUP, so that the program can end cleanly."""

    def __init__(self):
        self.pressed = None     # the number of the signal
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # nohup makes programs ignore SIGHUP.
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._press)

    def _press(self, number, _frame):
        self.pressed = number
