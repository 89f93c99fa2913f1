# SPDX-License-Identifier: LGPL-2.1-or-later
"""Many cameras in one process: what `cameras` and `camera-health` share."""
import os
import stat
import time

import common
import sources
from common import Failure, Interrupt, Misuse, Run
from sources import Source

# How many times as long as at first a camera is left alone that goes on failing.
LONGEST_RETRY = 6

# Fields of the records that every camera has.
FIELDS = ("frames", "frames-per-second", "outages", "retry", "failure")


def add_arguments(parser):
    parser.add_argument("camera", nargs="*", metavar="[NAME=]SOURCE",
                        help="a V4L2 device, an RTSP or other URI, a file, which plays "
                        "at its own speed, or 'test' for a generated picture")
    parser.add_argument("--cameras", metavar="FILE",
                        help="a file with more of them, one in each line, which keeps "
                        "passwords out of the list of processes; lines that begin with "
                        "# are left out")
    parser.add_argument("--retry", type=common.seconds, default=10,
                        metavar="SECONDS", help="time until a device or URI that "
                        "failed is tried again, which doubles with each try in vain, up "
                        f"to {LONGEST_RETRY} times as long (default 10; 0: never)")
    parser.add_argument("--seconds", type=common.seconds, default=0,
                        help="end after this time (default 0: never)")
    sources.add_arguments(parser, keyframes=True)


def parse(parser):
    options = parser.parse_args()
    if not options.camera and not options.cameras:
        parser.error("a camera is required, or a file of them with --cameras")
    return options


def read_cameras(program, path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.strip() for line in file]
            mode = os.fstat(file.fileno()).st_mode
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    if any("\0" in line for line in lines):
        raise Failure(f"{path}: it is not a text file: write NAME=SOURCE in each line")
    cameras = [line for line in lines if line and not line.startswith("#")]
    if not cameras:
        raise Failure(f"{path}: there is no camera in it: write NAME=SOURCE in each line")
    if mode & (stat.S_IRGRP | stat.S_IROTH) and any(map(sources.has_password, cameras)):
        common.note(f"{program}: {path} has passwords and others may read it: "
                    f"chmod 600 {path}")
    return cameras


def seconds_text(seconds):
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


class Camera:
    """One camera with its own pipeline, so that its failure affects no other. A program
    derives from it what makes the pipeline, and what becomes of its messages."""

    def __init__(self, text, options, lines):
        name, equals, where = text.partition("=")
        # An = may also be part of an address.
        named = equals and name.replace("-", "").replace("_", "").isalnum()
        self.name, self.where = ((name, where) if named
                                 else (sources.without_password(text), text))
        self.options = options
        self.lines = lines
        self.run = None         # while it runs
        self.retry_at = None    # when it is tried again; None: it is not
        self.retry = options.retry
        self.begin = time.monotonic()
        self.seen_at = self.begin       # when the last picture was
        self.away_since = None  # while there is no picture after a failure
        self.away = 0           # seconds, of outages that are over
        self.outages = 0
        self.frames = 0         # of runs that are over
        self.failure = None     # the last one
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
        """What is in the pipeline between the source and its end."""
        raise NotImplementedError

    def prepare(self):
        """Before it starts."""

    def note(self, structure):
        """Takes a message of the analysis, in a streaming thread."""
        raise NotImplementedError

    def before_end(self):
        """What is said once more before it is said that it ended."""

    def _fail(self, failure):
        now = time.monotonic()
        # A file that failed will fail again.
        again = self.retry if self._is_live() else 0
        self.failure = str(failure)
        self.say("failed", f"failed: {failure}"
                 + (f"; next try in {again:g} s" if again else ""),
                 failure=self.failure, **({"retry": again} if again else {}))
        if self.away_since is None:
            self.away_since = self.seen_at
            self.outages += 1
        if again:
            self.retry_at = now + again
            self.retry = min(2 * self.retry, LONGEST_RETRY * self.options.retry)

    def is_between_key_frames(self):
        """Whether there is video, of which no key frame is due yet."""
        source = self.run.source
        sign = source.last_sign() or 0
        return source.keyframes and (not source.live or sign > self.run.last_frame)

    def _is_live(self):
        return sources.is_uri(self.where) or sources.is_device(self.where)

    def _welcome(self):
        """It has pictures, maybe again."""
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
            text += (f", {self.outages} outage{'s' * (self.outages > 1)} of "
                     f"{seconds_text(away)}, the last failure: {self.failure}")
            fields["failure"] = self.failure
        self.say("summary", text, **fields)


def watch(program, options, make, turn):
    """Watches what @make makes of each name, and calls @turn with all of them after each
    look at them. Returns the status of the program."""
    interrupt = Interrupt()
    texts = options.camera + (read_cameras(program, options.cameras)
                              if options.cameras else [])
    cameras = [make(text) for text in texts]
    names = [camera.name for camera in cameras]
    for name in names:
        if names.count(name) > 1:
            raise Misuse(f"two cameras are called {name}: give each a name of its own, "
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
