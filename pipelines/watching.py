# SPDX-License-Identifier: LGPL-2.1-or-later
"""Watches many cameras in one process, for `cameras` and `camera-health`."""
import os
import stat
import time

import common
import sources
from common import Failure, Interrupt, Misuse, Run
from sources import Source

# While a camera keeps failing, the time between retries grows up to this factor.
LONGEST_RETRY = 6

# Fields in the records of every camera.
FIELDS = ("frames", "frames-per-second", "outages", "retry", "failure")


def add_arguments(parser):
    parser.add_argument("camera", nargs="*", metavar="[NAME=]SOURCE",
                        help="a V4L2 device, an RTSP or other URI, a file (it plays at its own "
                        "speed), or 'test' for a test picture")
    parser.add_argument("--cameras", metavar="FILE",
                        help="read more cameras from FILE, one [NAME=]SOURCE per line, which "
                        "keeps passwords out of the list of processes; lines that start with "
                        "# are comments")
    parser.add_argument("--retry", type=common.seconds, default=10,
                        metavar="SECONDS", help="time to wait before retrying a device or URI "
                        "that failed; doubles with each failure, up to "
                        f"{LONGEST_RETRY} times this (default 10; 0: do not retry)")
    parser.add_argument("--seconds", type=common.seconds, default=0,
                        help="end after this time (default 0: never)")
    sources.add_arguments(parser, keyframes=True)


def parse(parser):
    options = parser.parse_args()
    if not options.camera and not options.cameras:
        parser.error("a camera is required: give one, or a file with --cameras")
    return options


def read_cameras(program, path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.strip() for line in file]
            mode = os.fstat(file.fileno()).st_mode
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    if any("\0" in line for line in lines):
        raise Failure(f"{path}: not a text file: write one NAME=SOURCE per line")
    cameras = [line for line in lines if line and not line.startswith("#")]
    if not cameras:
        raise Failure(f"{path}: contains no cameras: write one NAME=SOURCE per line")
    if mode & (stat.S_IRGRP | stat.S_IROTH) and any(map(sources.has_password, cameras)):
        common.note(f"{program}: {path} contains passwords, and other users can read it: "
                    f"chmod 600 {path}")
    return cameras


def seconds_text(seconds):
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


class Camera:
    """One camera with its own pipeline, so that its failure does not affect others. Programs
    derive from it and add the analysis and the handling of its messages."""

    def __init__(self, text, options, lines):
        name, equals, where = text.partition("=")
        # An address may also contain =.
        named = equals and name.replace("-", "").replace("_", "").isalnum()
        self.name, self.where = ((name, where) if named
                                 else (sources.without_password(text), text))
        self.options = options
        self.lines = lines
        self.run = None         # while it runs
        self.retry_at = None    # when to try again, or None
        self.retry = options.retry
        self.begin = time.monotonic()
        self.seen_at = self.begin       # when the last picture came
        self.away_since = None  # when the current outage began, or None
        self.away = 0           # seconds in earlier outages
        self.outages = 0
        self.frames = 0         # in earlier runs
        self.failure = None     # the last failure
        self.end = None         # when it ended

    def say(self, event, text, place=None, **fields):
        self.lines.write(f"{self.name:12}  {text}",
                         {"camera": self.name, "event": event, **fields}, place)

    def start(self):
        self.retry_at = None
        try:
            source = Source(self.where, self.options)
            self.run = Run(source, f"{source.at_its_speed()} ! {self.analysis()} "
                           f"! {source.sink()}", self.note)
            self.prepare()
            self.run.start()
        except Failure as failure:
            self.stop()
            self._fail(failure)

    def analysis(self):
        """Returns the part of the pipeline between the source and the sink."""
        raise NotImplementedError

    def prepare(self):
        """Called before the pipeline starts."""

    def note(self, structure):
        """Takes a message of the analysis, in a streaming thread."""
        raise NotImplementedError

    def before_end(self):
        """Called before the end of the camera is reported, to report what came before."""

    def _fail(self, failure):
        now = time.monotonic()
        # A file that failed would fail again.
        again = self.retry if self._is_live() else 0
        self.failure = str(failure)
        self.say("failed", f"failed: {failure}"
                 + (f"; retrying in {again:g} s" if again else ""),
                 failure=self.failure, **({"retry": again} if again else {}))
        if self.away_since is None:
            self.away_since = self.seen_at
            self.outages += 1
        if again:
            self.retry_at = now + again
            self.retry = min(2 * self.retry, LONGEST_RETRY * self.options.retry)

    def is_between_key_frames(self):
        """Whether video comes, but the next key frame is not due yet."""
        source = self.run.source
        sign = source.last_sign() or 0
        return source.keyframes and (not source.live or sign > self.run.last_frame)

    def _is_live(self):
        return sources.is_uri(self.where) or sources.is_device(self.where)

    def _welcome(self):
        """Notes that the camera has pictures, maybe again after an outage."""
        self.retry = self.options.retry
        if self.away_since is not None:
            away = self.run.last_frame - self.away_since
            self.away += away
            self.away_since = None
            self.say("back", f"back after {seconds_text(away)}",
                     seconds=round(away, 1))

    def poll(self):
        if self.retry_at is not None and time.monotonic() >= self.retry_at:
            self.start()
        if not self.run:
            return
        try:
            ended = self.run.poll(0)
            if self.run.frames:
                self._welcome()
                self.seen_at = self.run.last_frame
            if ended:
                self.before_end()
                self.say("ended", "ended")
                self.end = time.monotonic()
                self.stop()
        except Failure as failure:
            self.stop()
            self._fail(failure)

    def stop(self):
        if self.run:
            self.frames += self.run.frames
            self.run.stop()
        self.run = None

    def summarize(self):
        now = self.end or time.monotonic()
        away = self.away + (now - self.away_since if self.away_since else 0)
        there = now - self.begin - away
        rate = self.frames / there if there > 0 else 0
        text = f"{self.frames} frames, {rate:.1f} frames/s"
        fields = {"frames": self.frames, "frames-per-second": round(rate, 2),
                  "outages": self.outages, "seconds": round(away, 1)}
        if self.outages:
            text += (f", {self.outages} outage{'s' * (self.outages > 1)}, "
                     f"{seconds_text(away)} in total, last failure: {self.failure}")
            fields["failure"] = self.failure
        self.say("summary", text, **fields)


def watch(program, options, make, turn):
    """Watches the cameras that @make creates from the arguments, and calls @turn with all of
    them after each round. Returns the exit status of the program."""
    interrupt = Interrupt()
    texts = options.camera + (read_cameras(program, options.cameras)
                              if options.cameras else [])
    cameras = [make(text) for text in texts]
    names = [camera.name for camera in cameras]
    for name in names:
        if names.count(name) > 1:
            raise Misuse(f"two cameras are called {name}: give each a different name, "
                         "NAME=SOURCE")
    begin = time.monotonic()
    for camera in cameras:
        camera.start()
    while not interrupt.pressed:
        now = time.monotonic()
        for camera in cameras:
            camera.poll()
        turn(cameras)
        if options.seconds and now - begin >= options.seconds:
            break
        if not any(camera.run or camera.retry_at for camera in cameras):
            break
        time.sleep(0.05)
    for camera in cameras:
        camera.stop()
    for camera in cameras:
        camera.summarize()
    return 1 if all(camera.away_since for camera in cameras) else 0
