# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the scripts of pipelines/ as a user does and checks what they print.

Usage: test-pipelines.py [CLASS[.METHOD]]..., with VH_BUILD naming the build folder."""
import csv
import fcntl
import glob
import json
import os
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PIPELINES = os.path.join(ROOT, "pipelines")
# Some programs run in other folders.
if "VH_BUILD" in os.environ:
    os.environ["VH_BUILD"] = os.path.abspath(os.environ["VH_BUILD"])
BARS = set(" ▁▂▃▄▅▆▇█")

MAX_WAIT_SECONDS = 240    # far longer than anything takes, even on a busy machine

# A video of JPEG pictures, which have full range.
FRAMES = 30
VIDEO = (f"videotestsrc num-buffers={FRAMES} pattern=%s "
         "! video/x-raw,format=RGB,width=64,height=48,framerate=30/1 ! videoconvert "
         "! video/x-raw,format=I420,colorimetry=1:4:0:0 ! jpegenc quality=100 ")

# The environment of programs that find no display.
NO_DISPLAY = {name: value for name, value in os.environ.items()
              if name not in ("DISPLAY", "WAYLAND_DISPLAY")}


def run(script, *arguments, **options):
    """Returns a script's exit status, standard output and standard error."""
    options.setdefault("timeout", 40)
    done = subprocess.run([os.path.join(PIPELINES, script), *arguments], text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout, done.stderr


def make(launch, path):
    status, _, error = run("with-build", "gst-launch-1.0", "-q",
                           *f"{launch} ! filesink location={path}".split())
    assert status == 0, error


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def video(self, pattern="white"):
        path = self.path(f"{pattern}.avi")
        make(VIDEO % pattern + "! avimux", path)
        return path

    def film(self, seconds, *options):
        """Makes a film as coders do: H.264 with B-frames."""
        path = self.path("film.mp4")
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i",
                        f"testsrc2=d={seconds}:r=25:s=160x120", "-c:v", "libx264",
                        "-sc_threshold", "0", *options, path], check=True)
        return path

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def succeeds(self, script, *arguments, **options):
        status, output, error = run(script, *arguments, **options)
        if script == "file-to-jsonl" and "--help" not in arguments:
            self.assertRegex(error, r"\A\d+ frames?, "
                             rf"{output.count(chr(10))} lines?\n\Z")
            error = ""
        self.assertEqual((status, error), (0, ""), output)
        return output

    def fails(self, expected, script, *arguments, **options):
        """Expects one line on standard error that matches @expected."""
        status, output, error = run(script, *arguments, **options)
        self.assertNotIn(status, (0, None), output)
        self.assertEqual(error.count("\n"), 1, error)
        self.assertRegex(error, expected)
        self.assertTrue(error.startswith(f"{script}: "), error)
        return output

    def misuses(self, expected, script, *arguments):
        """Likewise, with the exit status of wrong usage."""
        self.fails(expected, script, *arguments)
        self.assertEqual(run(script, *arguments)[0], 2)

    def in_terminal(self, script, *arguments, **environment):
        """Returns what the program writes to a terminal of 60 columns."""
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        program = subprocess.Popen(
            [os.path.join(PIPELINES, script), *arguments], stdin=subprocess.DEVNULL,
            stdout=its, stderr=subprocess.PIPE,
            env={**os.environ, "TERM": "xterm", **environment})
        os.close(its)
        output = b""
        try:
            while part := os.read(ours, 4096):
                output += part
        except OSError:         # a terminal ends in this way
            pass
        os.close(ours)
        self.assertEqual(program.communicate()[1], b"")
        self.assertEqual(program.returncode, 0)
        return output.decode().replace("\r\n", "\n")


class Demo(Case):
    def rows(self, output):
        lines = output.split("\n\n")[0].splitlines()
        self.assertIn("mean      p1  median     p99   black   white", lines[1])
        rows = []
        for line in lines[2:]:
            numbers, bars, end = line.split("|")
            self.assertEqual(end, "")
            self.assertLessEqual(set(bars), BARS)
            rows.append([float(number.rstrip("%")) for number in numbers.split()]
                        + [bars])
        return rows

    def test_file(self):
        output = self.succeeds("demo", "--no-setup", "--interval", "0.5",
                               self.video())
        rows = self.rows(output)
        self.assertEqual([row[:7] for row in rows],
                         [[0, 1, 1, 1, 1, 0, 100], [0.5, 1, 1, 1, 1, 0, 100]])
        self.assertEqual(rows[0][7].strip(), "█")
        self.assertTrue(rows[0][7].endswith("█"))
        self.assertIn(f"\n\n{FRAMES} frames seen, 2 analysed; 2 messages\n"
                      "counted on ", output)
        self.assertIn("brightest:  mean 1.000, at 0.000 s\n", output)
        self.assertIn("most white: 100.0% of the pixels, at 0.000 s\n", output)

    def test_still(self):
        path = self.path("still.png")
        make("videotestsrc num-buffers=1 ! pngenc", path)
        self.assertIn("\n\n1 frame seen, 1 analysed; 1 message\n",
                      self.succeeds("demo", "--no-setup", path))

    def test_uri_and_odd_names(self):
        path = self.video()
        odd = self.path('a "b" #1 %20 \\ ä.avi')
        os.rename(path, odd)
        self.assertEqual(len(self.rows(self.succeeds("demo", "--no-setup", odd))), 4)
        os.rename(odd, path)
        self.assertEqual(len(self.rows(self.succeeds("demo", "--no-setup",
                                                     f"file://{path}"))), 4)

    def test_fits_a_terminal(self):
        path = self.video("smpte")
        for columns in (80, 120):
            output = self.succeeds("demo", "--no-setup", path,
                                   env={**os.environ, "COLUMNS": str(columns)})
            rows = output.split("\n\n")[0].splitlines()
            self.assertLess(max(map(len, rows)), columns)
            self.assertNotIn("\033", output)

    def test_terminal(self):
        arguments = "demo", "--no-setup", self.video()
        self.assertIn("\033[1m    time", self.in_terminal(*arguments))
        self.assertNotIn("\033", self.in_terminal(*arguments, TERM="dumb"))

    def test_plain_where_bars_cannot_be_written(self):
        env = {**os.environ, "PYTHONIOENCODING": "ascii"}
        output = self.succeeds("demo", "--no-setup", self.video(), env=env)
        self.assertTrue(output.isascii())
        self.assertIn("@|", output)

    def test_generated_until_interrupt(self):
        demo = subprocess.Popen([os.path.join(PIPELINES, "demo"), "--no-setup"],
                                text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        self.addCleanup(demo.communicate)
        self.addCleanup(demo.kill)
        output = ""
        while output.count("|\n") < 4 and (line := demo.stdout.readline()):
            output += line
        demo.send_signal(signal.SIGINT)
        output += demo.stdout.read()
        self.assertEqual((demo.wait(20), demo.stderr.read()), (0, ""))
        rows = self.rows(output)
        self.assertGreater(len(rows), 2)
        # The brightness changes visibly.
        self.assertGreater(rows[-1][1], rows[0][1] + 0.05)
        self.assertRegex(output, r"\n\n\d+ frames seen, \d+ analysed; ")


    def test_snapshot(self):
        path = self.path("demo.png")
        self.assertEqual(self.succeeds("demo", "--no-setup", "--snapshot", path, self.video()),
                         f"{path}: 1 frame\n")
        self.assertEqual(content(path)[:8], b"\x89PNG\r\n\x1a\n")

    def test_window_without_a_display(self):
        status, output, error = run("demo", "--no-setup", "--window", self.video(),
                                    env=NO_DISPLAY)
        self.assertEqual((status, error),
                         (0, "demo: no display, so the video is not shown: "
                          "--snapshot FILE writes a picture\n"))
        self.assertIn(f"{FRAMES} frames seen", output)


class DemoFailures(Case):
    def demo_fails(self, expected, *arguments, **options):
        self.assertEqual(self.fails(expected, "demo", "--no-setup", *arguments,
                                    **options), "")

    def test_no_file(self):
        self.demo_fails("/nowhere.mp4: no such file or device", "/nowhere.mp4")
        self.demo_fails("/nowhere.mp4: no such file", "file:///nowhere.mp4")

    def test_no_video(self):
        text = self.write("text.mp4", b"This is a text.\n" * 100)
        self.demo_fails("text.mp4: is not a video: give a video file", text)
        noise = self.write("noise", bytes(range(7, 251, 3)) * 40)
        self.demo_fails("noise: is not a video", noise)
        self.demo_fails("empty: is not a video", self.write("empty", b""))
        self.demo_fails("is a folder: give a video file", self.folder)

    def test_cut_off(self):
        with open(self.video(), "rb") as file:
            start = file.read(300)
        self.demo_fails("cut.avi: .*: the file may be incomplete", self.write(
            "cut.avi", start))

    def test_audio_only(self):
        make("audiotestsrc num-buffers=10 ! wavenc", self.path("audio.wav"))
        self.demo_fails("audio.wav: contains no video", self.path("audio.wav"))

    def test_no_decoder(self):
        with open(self.video(), "rb") as file:
            content = file.read().replace(b"MJPG", b"XQZY")
        self.demo_fails("no .* decoder found: (try apt-get|convert it)",
                        self.write("unknown.avi", content))

    def test_decoder_that_is_not_installed(self):
        """If a decoder is missing, the error names its package, even if the sound of the film can
        be decoded. If a decoder is switched off, the error says so."""
        film = self.path("sound.mkv")
        subprocess.run(["ffmpeg", "-loglevel", "error", "-i", self.film(1), "-f", "lavfi", "-i",
                        "sine=d=1", "-c:v", "copy", "-c:a", "pcm_s16le", film], check=True)
        pictures = self.video()
        status, text, _ = run("with-build", "gst-inspect-1.0", "libav")
        self.assertEqual(status, 0)
        plugins = os.path.dirname(re.search(r"Filename +(\S+)", text)[1])
        os.mkdir(self.path("plugins"))
        hidden = "libav", "openh264", "jpeg", "nvcodec", "va", "vaapi", "v4l2codecs"
        for name in os.listdir(plugins):
            if name.endswith(".so") and name not in {f"libgst{one}.so" for one in hidden}:
                os.symlink(os.path.join(plugins, name), self.path(f"plugins/{name}"))
        less = {**os.environ, "GST_PLUGIN_SYSTEM_PATH_1_0": self.path("plugins"),
                "GST_REGISTRY_1_0": self.path("registry.bin")}
        off = {**os.environ, "GST_PLUGIN_FEATURE_RANK": ",".join(
            f"{name}:NONE" for name in ("avdec_h264", "openh264dec", "nvh264dec", "vah264dec",
                                        "vaapih264dec", "vaapidecodebin"))}
        for path, environment, words in (
                (film, less, r"no H\.264 .*: try apt-get install gstreamer1\.0-libav$"),
                (pictures, less, r"no JPEG .*: try apt-get install gstreamer1\.0-plugins-good$"),
                (film, off, "no H.264 .*: avdec_h264 is installed, but .*_RANK switches it off")):
            self.fails(words, "file-to-jsonl", path, env=environment)

    def test_uri(self):
        self.demo_fails("check the address and the network",
                        "rtsp://127.0.0.1:1/camera")
        self.demo_fails("check the address", "http://127.0.0.1:1/video.mp4")
        self.demo_fails("no installed plugin opens foo:// addresses: use", "foo://bar")

    def test_device(self):
        self.demo_fails("/dev/video99: no such file or device", "/dev/video99")
        self.demo_fails("/dev/null: .*: (the cameras here are|this machine has no camera) ",
                        "/dev/null")

    def test_arguments(self):
        self.fails("unknown option --no", "demo", "--no")
        self.fails("only one video at a time", "demo", "a", "b")
        for interval in ("", "x", "-1", "1.2.3"):
            self.fails("must be a number of seconds", "demo", "--interval", interval)
            self.assertEqual(run("demo", "--interval", interval)[0], 2)
        self.fails("the name of the video is empty", "demo", "")
        self.demo_fails("99999999999 is out of range", "--interval",
                        "99999999999", self.video())
        self.demo_fails("0.0005 is less than a millisecond", "--interval", "0.0005", self.video())
        self.fails("needs a value", "demo", "--interval")
        self.fails("needs a file name", "demo", "--snapshot")
        self.fails("cannot be combined", "demo", "--snapshot", "a.png", "--window")
        for name in ("a.mkv", "a.gif"):
            self.demo_fails("must end in one of .png .jpg\n", "--snapshot", name, self.video())
        self.fails("must be text, json or csv", "demo", "--format", "xml")

    def test_name_with_a_dash(self):
        status, output, error = run("demo", "--no-setup", "--", os.path.basename(
            shutil.copy(self.video(), self.path("-film.avi"))), cwd=self.folder)
        self.assertEqual((status, error), (0, ""))
        self.assertIn("30 frames seen", output)

    def test_no_output(self):
        done = subprocess.run(["sh", "-c", '"$@" >&-', "-", os.path.join(PIPELINES, "demo"),
                               "--no-setup", self.video()],
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "demo: cannot write to the standard output: it is closed\n"))

    def test_not_built(self):
        status, _, error = run("demo", "--no-setup",
                               env={**os.environ, "VH_BUILD": self.folder})
        self.assertEqual(status, 1)
        folder = os.path.realpath(self.folder)
        self.assertEqual(error, f"with-build: there is no plugin in {folder}: "
                         "run pipelines/setup first\n")


class FileToJsonl(Case):
    def frames(self, *arguments):
        output = self.succeeds("file-to-jsonl", *arguments)
        return [json.loads(line) for line in output.splitlines()]

    def test_every_frame(self):
        frames = self.frames(self.video())
        self.assertEqual(len(frames), FRAMES)
        for i, frame in enumerate(frames):
            self.assertAlmostEqual(frame["timestamp"], i * 1e9 / 30, delta=1)
            self.assertEqual((frame["width"], frame["height"]), (64, 48))
            self.assertEqual(frame["pixels"], 64 * 48)
            for channel in ("luma", "red", "green", "blue"):
                self.assertEqual(len(frame[channel]), 256)
                self.assertEqual(sum(frame[channel]), frame["pixels"])
        self.assertEqual(frames[0]["luma"][255], 64 * 48)
        self.assertEqual(frames[0]["luma-average"], 1)

    def test_options(self):
        frames = self.frames(self.video("smpte"), "--interval", "0.5", "--bins", "16",
                             "--channels", "luma+blue+gradient", "--grid", "3x2", "--roi",
                             "10,10,30,999")
        self.assertEqual(len(frames), 2)
        frame = frames[0]
        self.assertEqual(frame["roi"], "10,10,30,38")
        self.assertEqual(frame["pixels"], 30 * 38)
        self.assertNotIn("red", frame)
        cells = frame["blue-cells"]
        self.assertEqual(len(cells), 3 * 2 * 16)
        self.assertEqual([sum(cells[b::16]) for b in range(16)], frame["blue"])

    def test_formats(self):
        path = self.video()
        status, output, _ = run("file-to-jsonl", path, "--format", "csv")
        rows = list(csv.DictReader(output.splitlines()))
        self.assertEqual((status, len(rows)), (0, FRAMES))
        self.assertEqual((rows[1]["width"], rows[1]["roi"]), ("64", "0,0,64,48"))
        self.assertEqual(float(rows[1]["luma-average"]), 1)
        self.assertNotIn("luma", rows[0])
        status, output, _ = run("file-to-jsonl", path, "--format", "text", "--interval",
                                "0.5")
        self.assertEqual(status, 0)
        self.assertRegex(output, r"\A +0\.000  mean 1\.000 .*\n +0\.500  mean .*\n\Z")

    def test_format_that_cannot_be_counted(self):
        path = self.path("capture.mov")
        make("videotestsrc num-buffers=3 ! video/x-raw,format=v210,width=48,height=16,"
             "framerate=30/1 ! qtmux", path)
        status, output, error = run("file-to-jsonl", path, "--no-counts")
        self.assertEqual((status, output.count("\n")), (0, 3))
        self.assertEqual(error, f"{path}: converting v210, which cannot be counted directly\n"
                         "3 frames, 3 lines\n")
        frame = json.loads(output.splitlines()[0])
        self.assertGreaterEqual(frame["depth"], 10)

    def test_sound_beside_it(self):
        path = self.path("both.mkv")
        make("matroskamux name=m videotestsrc num-buffers=5 ! jpegenc ! m. "
             "audiotestsrc num-buffers=9 ! audioconvert ! m. m.", path)
        self.assertEqual(len(self.frames(path, "--no-counts")), 5)

    def test_key_frames(self):
        path = self.path("film.webm")
        make("videotestsrc num-buffers=30 ! video/x-raw,width=64,height=48 ! vp8enc "
             "keyframe-max-dist=10 ! webmmux", path)
        self.assertEqual(len(self.frames(path, "--no-counts")), 30)
        self.assertEqual([round(frame["timestamp"] / 1e9 * 30) for frame in
                          self.frames(path, "--no-counts", "--keyframes")], [0, 10, 20])

    def test_key_frames_far_apart(self):
        """The last key frame of a complete film is long before its end."""
        path = self.film(20, "-g", "250")
        self.assertEqual([frame["stream-time"] / 1e9 for frame in
                          self.frames(path, "--no-counts", "--keyframes")], [0, 10])
        half = self.write("half.mp4", content(path)[:os.path.getsize(path) * 3 // 4])
        self.assertNotEqual(run("file-to-jsonl", half, "--keyframes")[2], "")

    def test_progress(self):
        """Progress shows on a terminal if the work takes longer than a moment."""
        ours, its = pty.openpty()
        program = subprocess.Popen(
            [os.path.join(PIPELINES, "file-to-jsonl"), self.film(20, "-bf", "0"),
             "--grid", "4x4"], stdout=subprocess.DEVNULL, stderr=its)
        os.close(its)
        output = b""
        try:
            while part := os.read(ours, 4096):
                output += part
        except OSError:         # a terminal ends in this way
            pass
        os.close(ours)
        self.assertEqual(program.wait(), 0)
        self.assertRegex(output, rb"\r0:\d\d of 0:20 \(\d+%\), 0:\d\d left *\r")
        self.assertRegex(output, rb"\r *\r500 frames, 500 lines\r\n\Z")

    def test_options_of_rtsp(self):
        for option in ("--rtsp-transport=tcp", "--latency=100"):
            self.fails(r"is for RTSP, and .*white.avi is not an RTSP address",
                       "file-to-jsonl", self.video(),
                       option)
        self.assertEqual(run("file-to-jsonl", "rtsp://a", "--latency=-1")[0], 2)

    def test_summary(self):
        path = self.video()
        for arguments, lines in (((), FRAMES), (("--interval", "0.5"), 2)):
            status, output, error = run("file-to-jsonl", path, *arguments)
            self.assertEqual((status, output.count("\n")), (0, lines))
            self.assertEqual(error, f"{FRAMES} frames, {lines} lines\n")

    def test_no_counts(self):
        frame = self.frames(self.video(), "--no-counts")[0]
        self.assertNotIn("luma", frame)
        self.assertEqual(frame["luma-p99"], 1)

    def test_reader_that_stops(self):
        script = os.path.join(PIPELINES, "file-to-jsonl")
        done = subprocess.run(f"'{script}' '{self.video()}' | head -c 5", shell=True,
                              text=True, capture_output=True, timeout=MAX_WAIT_SECONDS)
        self.assertEqual((done.stdout, done.stderr), ('{"tim', ""))

    def test_output_that_cannot_be_written(self):
        path = self.video()
        with open("/dev/full", "w", encoding="ascii") as full:
            for script, arguments in (
                    ("file-to-jsonl", [path]),
                    ("demo", ["--no-setup", path]),
                    ("camera-exposure", ["test", "--interval", "0.1"]),
                    ("cameras", ["test", "--interval", "0.1"]),
                    ("camera-health", ["test", "--seconds", "0.5"])):
                done = subprocess.run(
                    [os.path.join(PIPELINES, script), *arguments], stdout=full,
                    stderr=subprocess.PIPE, text=True, timeout=MAX_WAIT_SECONDS, check=False)
                self.assertEqual(
                    (done.returncode, done.stderr),
                    (1, f"{script}: cannot write to the standard output: "
                     "No space left on device\n"))
        script = os.path.join(PIPELINES, "file-to-jsonl")
        done = subprocess.run(f"'{script}' '{path}' >&-", shell=True, text=True,
                              capture_output=True, timeout=MAX_WAIT_SECONDS, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "file-to-jsonl: cannot write to the standard output: "
                          "it is closed\n"))

    def test_not_allowed(self):
        path = self.video()
        for arguments in (("--bins", "65537"), ("--channels", "mauve"),
                          ("--interval", "-1"), ("--grid", "0x9"),
                          ("--roi", "1,2")):
            status, output, error = run("file-to-jsonl", path, *arguments)
            self.assertEqual((status, output), (2, ""))
            self.assertIn(arguments[1], error)
            self.assertNotIn("WARNING", error)
        self.fails(r"\Afile-to-jsonl: --roi 0,0,a is not allowed: it must be X,Y,WIDTH,HEIGHT",
                   "file-to-jsonl", path, "--roi", "0,0,a")
        self.fails("lies outside the picture of 64x48 pixels", "file-to-jsonl", path,
                   "--roi", "64,0,1,1")
        self.fails("no such file", "file-to-jsonl", "/nowhere.mp4")

    def test_pipe(self):
        os.mkfifo(self.path("pipe"))
        for script in ("file-to-jsonl", "demo", "camera-exposure"):
            self.fails("pipe is a pipe: write the video to a file first", script,
                       self.path("pipe"))

    def test_nothing_named(self):
        for script in ("file-to-jsonl", "camera-exposure", "tee-analysis", "equalize-camera",
                       "equalize-compare"):
            status, _, error = run(script, "")
            self.assertEqual(status, 2, script)
            self.assertIn("must not be empty", error)
        status, _, error = run("equalize-compare", self.video(), "--output", "")
        self.assertEqual(status, 2)

    def test_frames_of_another_layout(self):
        """Raw video with a smaller row stride than GStreamer's."""
        width, height = 102, 4
        size = width * height * 3 // 2
        frame = struct.pack("<4sI", b"00db", size) + bytes(size)
        header = struct.pack("<14I", 40000, 0, 0, 0x10, 1, 0, 1, size, width, height, 0, 0, 0, 0)
        stream = (b"vids" + b"I420" + struct.pack("<3I", 0, 0, 0)
                  + struct.pack("<8I4H", 1, 25, 0, 1, size, 0, 0, 0, 0, 0, width, height))
        kind = struct.pack("<IiiHH4sIiiII", 40, width, height, 1, 12, b"I420", size, 0, 0, 0, 0)

        def chunk(name, content):
            return name + struct.pack("<I", len(content)) + content + bytes(len(content) % 2)

        def chunks(name, content):
            return chunk(b"LIST", name + content)

        path = self.write("raw.avi", chunk(b"RIFF", b"AVI " + chunks(
            b"hdrl", chunk(b"avih", header) + chunks(
                b"strl", chunk(b"strh", stream) + chunk(b"strf", kind)))
            + chunks(b"movi", frame)))
        for script, output in (("file-to-jsonl", ()), ("demo", ()),
                               ("equalize-file", (self.path("out.mkv"),))):
            self.fails(rf"raw.avi: its frames have {size} bytes, but 102x4 pixels of I420 "
                       r"need \d+: convert it", script, path, *output)
        self.assertFalse(os.path.exists(self.path("out.mkv")))

    def test_file_that_ends_early(self):
        path = self.path("white.mkv")
        make(VIDEO % "white" + "! matroskamux", path)
        os.truncate(path, os.path.getsize(path) // 2)
        status, _, error = run("file-to-jsonl", path)
        self.assertEqual(status, 0)
        self.assertRegex(error, r"white.mkv: incomplete, ends after 0.\d of 1.0 seconds\n")

    def test_terminal_that_ends(self):
        # SIGHUP acts as in a terminal even if these tests run under nohup.
        done = subprocess.Popen(
            [os.path.join(PIPELINES, "file-to-jsonl"), "test"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        done.stdout.readline()
        os.kill(done.pid, signal.SIGHUP)
        output, error = done.communicate(timeout=MAX_WAIT_SECONDS)
        self.assertEqual(done.returncode, 0, error)
        lines = 1 + output.count("\n")
        # The line of a frame is written before the frame reaches the end of the pipeline.
        self.assertRegex(error, rf"^({lines}|{lines - 1}) frames?, {lines} lines?\n")


DATE = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d"
EXPOSURE = (DATE + r"  mean 0\.\d{3}  median 0\.\d{3}  p99 1\.000  "
            r"black +\d+\.\d%  white +\d+\.\d%")


class CameraExposure(Case):
    def test_lines(self):
        lines = self.succeeds("camera-exposure", "test", "--interval", "0.4",
                              "--seconds", "1.5").splitlines()
        self.assertGreaterEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, f"^{EXPOSURE}$")

    def test_formats(self):
        lines = self.succeeds("camera-exposure", "test", "--interval", "0.4",
                              "--seconds", "1.5", "--format", "json").splitlines()
        for line in lines:
            record = json.loads(line)
            self.assertRegex(record["time"], f"^{STAMP}$")
            self.assertAlmostEqual(record["luma-average"], 0.48, delta=0.01)
        rows = list(csv.reader(self.succeeds(
            "camera-exposure", "test", "--interval", "0.4", "--seconds", "1.5",
            "--format", "csv").splitlines()))
        self.assertEqual(rows[0][:3], ["time", "stream-time", "luma-average"])
        self.assertGreaterEqual(len(rows), 3)
        self.assertEqual({len(row) for row in rows}, {7})
        self.assertEqual({row[1] for row in rows[1:]}, {""})

    def test_times_of_files(self):
        """The first frame of a film with B-frames does not have time stamp 0."""
        path = self.film(1, "-g", "250")
        lines = self.succeeds("camera-exposure", path, "--interval", "0.4").splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["0.000", "0.400", "0.800"])
        for program in ("camera-exposure", "tee-analysis", "equalize-camera", "demo"):
            places = []
            for line in self.succeeds(program, path, "--interval", "0.4", "--format",
                                      "json").splitlines():
                record = json.loads(line)
                if "luma-average" in record:
                    places.append(record["stream-time"] / 1e9)
            # A busy tee drops frames, perhaps most of this second, and takes the next. Some
            # programs write two lines per frame: before and after.
            self.assertLess(places[0], 1 if program == "tee-analysis" else 1e-9, program)
            frames = [place * 25 for place in places]
            self.assertTrue(all(abs(frame - round(frame)) < 1e-6 for frame in frames),
                            (program, places))
            self.assertTrue(all(b == a or b - a > 9 for a, b in zip(frames, frames[1:])),
                            (program, places))

    def test_failure(self):
        self.fails("rtsp://127.0.0.1:1/a: .*check the address", "camera-exposure",
                   "rtsp://127.0.0.1:1/a")

    def test_server_that_says_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            uri = f"http://127.0.0.1:{server.getsockname()[1]}/a"
            self.fails(f"{uri}: no picture in 0.5 seconds", "camera-exposure", uri,
                       "--seconds", "0.5")


class Cameras(Case):
    def test_failure_of_one(self):
        output = self.succeeds(
            "cameras", "door=test", "yard=rtsp://127.0.0.1:1/a", "test",
            self.video(), "--interval", "0.5", "--seconds", "2.5", "--retry", "1")
        lines = output.splitlines()
        for name in ("door", "test"):
            seen = [line for line in lines if line[21:].startswith(f"{name} ")]
            self.assertGreaterEqual(len(seen), 3, output)
        failures = [line for line in lines if "yard  " in line and "  failed" in line]
        self.assertGreaterEqual(len(failures), 2, output)
        for wait, line in zip((1, 2), failures):
            self.assertRegex(line, rf"^{DATE}  yard +failed: .*check the address.*; "
                             f"retrying in {wait} s$")
        self.assertEqual(len([line for line in lines if line.endswith("ended")]), 1)
        summary = lines[-4:]
        self.assertRegex(summary[0], r"door +\d+ frames, [123]?\d\.\d frames/s$")
        self.assertRegex(summary[1], r"yard +0 frames, .*, 1 outage, \d\.\d s in total, "
                         "last failure: rtsp://127.0.0.1:1/a: ")
        # A file plays in real time.
        self.assertRegex(summary[3], rf"avi  {FRAMES} frames, [123]?\d\.\d frames/s$")

    def test_outage(self):
        """The device does not exist yet."""
        clip = self.video()
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            program = subprocess.Popen(
                [os.path.join(PIPELINES, "cameras"), f"a={folder}/b", "--retry", "0.2",
                 "--interval", "0.3", "--format", "json", "--seconds", "30"], text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(program.communicate)
            records = [json.loads(program.stdout.readline()) for _ in range(2)]
            shutil.copy(clip, f"{folder}/c")
            os.rename(f"{folder}/c", f"{folder}/b")
            records += [json.loads(line) for line in program.stdout]
        self.assertEqual([r["retry"] for r in records[:2]], [0.2, 0.4])
        events = [r["event"] for r in records]
        self.assertEqual([e for e in events
                          if e not in ("failed", "exposure", "no-picture")],
                         ["back", "ended", "summary"])
        back, summary = records[events.index("back")], records[-1]
        self.assertGreater(back["seconds"], 0.2)
        self.assertEqual((summary["frames"], summary["outages"], summary["seconds"]),
                         (FRAMES, 1, back["seconds"]))
        self.assertIn("no such file or device", summary["failure"])

    def test_file_of_cameras(self):
        path = self.write("cameras", b"# Those of the house\n\n door=test\n"
                          b"yard=rtsp://user:secret@127.0.0.1:1/a\n")
        os.chmod(path, 0o644)
        status, output, error = run("cameras", "--cameras", path, "--seconds", "1.4",
                                    "--interval", "0.5", "--format", "csv")
        self.assertEqual(status, 0)
        self.assertEqual(error, f"cameras: {path} contains passwords, and other users can read "
                         f"it: chmod 600 {path}\n")
        self.assertNotIn("secret", output)
        rows = list(csv.DictReader(output.splitlines()))
        self.assertEqual({row["camera"] for row in rows}, {"door", "yard"})
        os.chmod(path, 0o600)
        self.assertEqual(run("cameras", "--cameras", path, "--seconds", "0.2")[2], "")
        self.fails("contains no cameras", "cameras", "--cameras",
                   self.write("none", b"# none\n"))
        self.fails("nowhere: No such file", "cameras", "--cameras", "/nowhere")

    def test_dead_camera_costs_nothing(self):
        """Retrying leaks neither descriptors nor memory."""
        script = os.path.join(PIPELINES, "cameras")
        program = subprocess.Popen(
            f"ulimit -n 128; exec '{script}' dead=rtsp://127.0.0.1:1/a test "
            "--retry 0.01 --interval 60", shell=True, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        seen = []
        for _ in range(3):
            for _ in range(40):
                self.assertIn("dead  ", program.stdout.readline())
            seen.append(len(os.listdir(f"/proc/{program.pid}/fd")))
        # One attempt may be in progress at any time.
        self.assertLessEqual(max(seen) - min(seen), 6, seen)
        self.assertLess(max(seen), 60)

    def test_reader_that_stops(self):
        """The program ends when its reader does, even if a network library ignores SIGPIPE."""
        script = os.path.join(PIPELINES, "cameras")
        done = subprocess.run(
            f"'{script}' dead=rtsp://127.0.0.1:1/a --retry 0.1 | head -n 2", shell=True,
            text=True, capture_output=True, timeout=MAX_WAIT_SECONDS, check=False)
        self.assertEqual(done.stdout.count("\n"), 2)
        self.assertEqual(done.stderr, "")

    def test_passwords_are_not_shown(self):
        _, output, error = run("cameras", "rtsp://user:secret@127.0.0.1:1/a", "--retry",
                               "0")
        self.assertEqual(error, "")
        self.assertNotIn("secret", output)
        self.assertIn("rtsp://user:***@127.0.0.1:1/a", output)

    def test_one_name_twice(self):
        status, _, error = run("cameras", "a=test", "a=test")
        self.assertEqual((status, error.count("\n")), (2, 1))
        self.assertIn("two cameras are called a: give each a different name", error)

    def test_file_that_is_none_of_cameras(self):
        self.fails("cameras: not a text file: write one NAME=SOURCE per line", "cameras",
                   "--cameras", self.write("cameras", b"a=x\0y\n"))

    def test_all_fail(self):
        status, output, error = run("cameras", "/nowhere.mp4")
        self.assertEqual((status, error), (1, ""))
        self.assertRegex(output, "failed: /nowhere.mp4: no such file or device\n")


class CameraHealth(Case):
    RULES = ("--rules", "black,duration=0,hold=0")

    def events(self, *arguments):
        output = self.succeeds("camera-health", *arguments, "--format", "json")
        return [json.loads(line) for line in output.splitlines()]

    def black_and_white(self):
        """Half a second of black between two half seconds of white."""
        path = self.path("dark.avi")
        parts = (f"videotestsrc num-buffers=15 pattern={pattern} "
                 "! video/x-raw,width=64,height=48,framerate=30/1 ! c. "
                 for pattern in ("white", "black", "white"))
        make("".join(parts) + "concat name=c ! jpegenc ! avimux", path)
        return path

    def test_changes(self):
        records = self.events(f"a={self.black_and_white()}", f"b={self.video()}",
                              "--conditions", "black", *self.RULES)
        changes = [r for r in records if r["event"] == "change"]
        self.assertEqual([(r["camera"], r["condition"], r["active"]) for r in changes],
                         [("a", "black", True), ("a", "black", False)])
        self.assertEqual((changes[0]["value"], changes[1]["value"]), (1, 0))
        self.assertTrue(0.2 < changes[1]["seconds"] < 5, changes)
        self.assertEqual({(r["camera"], r["event"]) for r in records} - {("a", "change")},
                         {(n, e) for n in "ab" for e in ("ended", "summary")})

    def test_key_frames(self):
        """Key frames 11 seconds apart are neither a signal loss nor a failure."""
        records = self.events(self.film(12, "-g", "275"), "--keyframes")
        self.assertEqual({r["event"] for r in records}, {"ended", "summary"})
        self.fails("signal-loss cannot be detected with --keyframes", "camera-health", "test",
                   "--keyframes", "--conditions", "signal-loss+dark")

    def test_ignored(self):
        records = self.events(self.black_and_white(), "--conditions", "black", *self.RULES,
                              "--ignore", "black,x=0,y=0,width=1,height=1")
        self.assertEqual({r["event"] for r in records}, {"ended", "summary"})

    def test_text(self):
        output = self.succeeds("camera-health", f"a={self.black_and_white()}",
                               "yard=/nowhere.mp4", *self.RULES)
        self.assertRegex(output, r"(?m)^ +0\.500  a +picture black \(black\): 100 % of the picture "
                                 r"is black; the alarm ends .*\. Check the light and the lens")
        self.assertRegex(output, r"(?m)^ +1\.000  a +picture black \(black\) ended after \d\.\d s: "
                                 r"0 % of the picture is black; the alarm starts ")
        self.assertRegex(output, rf"(?m)^{DATE}  yard +failed: /nowhere.mp4: no such file")
        self.assertNotIn("\x1b", output)

    def test_terminal(self):
        arguments = ("good=test", "bad=rtsp://127.0.0.1:1/a", f"a={self.black_and_white()}",
                     "--seconds", "4", *self.RULES)
        colored = self.in_terminal("camera-health", *arguments)
        self.assertRegex(colored, r"\ngood +\x1b\[32mok.*\x1b\[0m\n")
        self.assertRegex(colored, r"\nbad +\x1b\[31mreconnecting in \d+ s: ")
        # The status lines are erased before other lines are written.
        self.assertRegex(colored, r"\x1b\[3A\x1b\[J(\d{4}-| +\d\.\d{3}  a)")
        self.assertEqual(colored.count("frames, "), 3)
        plain = self.in_terminal("camera-health", *arguments, NO_COLOR="1")
        self.assertRegex(plain, r"\ngood +ok")
        self.assertNotRegex(plain, r"\x1b\[\d+m")
        for line in re.sub(r"\x1b\[3A\x1b\[J", "", plain).split("\n"):
            if not re.match(r"\d{4}-| +\d\.\d{3} ", line):
                self.assertLess(len(line), 60)
        self.assertNotIn("\x1b", self.in_terminal(
            "camera-health", "good=test", "--seconds", "1", *self.RULES, TERM="dumb"))

    def test_bad_settings(self):
        for option, value, words in (
                ("--rules", "nonsense", "unknown condition"),
                ("--ignore", "black,x=2", "x"),
                ("--conditions", "black+nonsense", "must be one or more of signal-loss, black, ")):
            status, output, error = run("camera-health", "test", option, value)
            self.assertEqual((status, output), (2, ""))
            self.assertIn(words, error)
            self.assertIn(f"camera-health: {option} {value} is not allowed", error)
            self.assertEqual(error.count("\n"), 1, error)


class TeeAnalysis(Case):
    def counts(self, *arguments):
        output = self.succeeds("tee-analysis", *arguments)
        self.assertRegex(output, "mean 0")
        counts = re.search(r"(\d+) frames shown, (\d+) frames analysed",
                           output)
        return int(counts[1]), int(counts[2])

    def test_slow_analysis_does_not_hold_the_video(self):
        shown, analysed = self.counts("test", "--sink", "fakesink sync=true",
                                      "--seconds", "2", "--slow", "0.5")
        self.assertGreater(shown, 45)
        self.assertLess(analysed, 7)

    def test_no_such_sink(self):
        self.fails('no element "nosuch"', "tee-analysis", "test", "--sink", "nosuch")

    def test_file(self):
        shown, analysed = self.counts(self.video("smpte"), "--sink", "fakesink")
        self.assertEqual(shown, FRAMES)
        self.assertGreater(analysed, 0)


class EqualizeFile(Case):
    def dark(self):
        """A video without any level above a fifth."""
        path = self.path("dark.avi")
        make((VIDEO % "smpte").replace("! jpegenc", "! videobalance contrast=0.2 "
                                       "! jpegenc") + "! avimux", path)
        return path

    def check_written(self, name, frames, *arguments):
        path = self.path(name)
        output = self.succeeds("equalize-file", self.dark(), path, *arguments)
        found = re.fullmatch(rf"{re.escape(path)}: {frames}, mean luma "
                             r"(0\.\d{3}) before and (0\.\d{3}) after correction\n", output)
        self.assertTrue(found, output)
        before, after = map(float, found.groups())
        # The file has the levels that the program printed.
        lines = self.succeeds("file-to-jsonl", path, "--no-counts").splitlines()
        self.assertEqual(f"{len(lines)} frame{'s' * (len(lines) > 1)}", frames)
        # RGB is converted to luma with another matrix.
        self.assertAlmostEqual(json.loads(lines[0])["luma-average"], after, delta=0.04)
        return before, after

    def test_video(self):
        before, after = self.check_written("out.avi", "30 frames")
        self.assertLess(before, 0.15)
        self.assertGreater(after, 0.4)

    def test_pictures(self):
        for name in ("out.png", "out.jpg"):
            before, after = self.check_written(name, "1 frame", "--method", "gamma",
                                               "--target", "0.6", "--smoothing", "0")
            self.assertGreater(after, before + 0.2)

    def test_other_containers(self):
        for name in ("out.webm", "out.mp4", "out.mkv"):
            path = self.path(name)
            status, output, error = run("equalize-file", self.video(), path)
            if "apt-get install" in error:
                continue
            self.assertEqual((status, error), (0, ""))
            self.assertEqual(len(self.succeeds("file-to-jsonl", path,
                                               "--no-counts").splitlines()), FRAMES)

    def test_old_file_stays_until_the_new_one_is_complete(self):
        make("audiotestsrc num-buffers=10 ! wavenc", self.path("audio.wav"))
        for name in ("old.avi", "old.png"):
            old = self.write(name, b"old")
            self.fails("audio.wav: contains no video", "equalize-file",
                       self.path("audio.wav"), old)
            with open(old, "rb") as file:
                self.assertEqual(file.read(), b"old")
            self.assertEqual([entry for entry in os.listdir(self.folder)
                              if entry.endswith(".part")], [])
        link = self.path("link.avi")
        os.symlink("old.avi", link)
        self.succeeds("equalize-file", self.dark(), link)
        self.assertTrue(os.path.islink(link))
        self.assertEqual(len(self.succeeds("file-to-jsonl", self.path("old.avi"),
                                           "--no-counts").splitlines()), FRAMES)

    def clip(self, name, caps, mux):
        path = self.path(name)
        make("videotestsrc num-buffers=3 ! video/x-raw,framerate=30/1,"
             f"{caps} ! {mux}", path)
        return path

    def test_sizes(self):
        odd = self.clip("odd.mkv", "format=Y444,width=65,height=49",
                        "vp9enc deadline=1 ! matroskamux")
        for name, size in (("out.mp4", "66x50"), ("out.mkv", "66x50"),
                           ("out.webm", None), ("out.avi", None), ("out.png", None)):
            status, output, error = run("equalize-file", odd, self.path(name))
            if "apt-get install" in error:
                continue
            self.assertEqual((status, error), (0, ""))
            expected = (f"padded from 65x49 to {size} pixels for H.264" if size
                        else "mean luma")
            self.assertIn(expected, output)
            line = json.loads(self.succeeds("file-to-jsonl", self.path(name),
                                            "--no-counts").splitlines()[0])
            self.assertEqual(f"{line['width']}x{line['height']}", size or "65x49")
            if size:
                self.assertIn(line["format"], ("I420", "NV12"))
        dot = self.clip("dot.png", "format=RGB,width=1,height=1", "pngenc snapshot=true")
        for name in ("dot.avi", "dot.webm"):
            self.fails(f"{name}: .{name[4:]} cannot hold a picture or a video without a "
                       "frame rate: use .png for a picture",
                       "equalize-file", dot, self.path(name))
            self.assertFalse(os.path.exists(self.path(name)))
        self.succeeds("equalize-file", dot, self.path("out.png"))

    def test_picture_is_no_video(self):
        picture = self.clip("picture.png", "format=RGB,width=64,height=48",
                            "pngenc snapshot=true")
        old = self.write("out.mkv", b"precious")
        self.fails("out.mkv: the input is a single picture without a duration: use .png or "
                   ".jpg", "equalize-file", picture, old)
        with open(old, "rb") as file:
            self.assertEqual(file.read(), b"precious")

    def test_times_of_avi(self):
        """A file without time stamps gets as many frames as players would show."""
        slow = self.path("slow.mkv")
        make("videotestsrc num-buffers=40 ! video/x-raw,format=I420,width=64,height=48,"
             "framerate=30/1 ! jpegenc ! identity drop-probability=0.5 ! matroskamux", slow)
        there = self.succeeds("file-to-jsonl", slow, "--no-counts").count("\n")
        output = self.succeeds("equalize-file", slow, self.path("out.avi"), "--format", "json")
        lines = self.succeeds("file-to-jsonl", self.path("out.avi"), "--no-counts").splitlines()
        self.assertEqual(json.loads(output)["frames"], len(lines))
        self.assertGreater(len(lines), there)

    def test_colors_keep_their_coding(self):
        for colorimetry, name in (("1:3:5:1", "full"), ("bt2020", "wide")):
            path = self.clip(f"{name}.mkv", f"format=I420,width=66,height=48,"
                             f"colorimetry={colorimetry}", "avenc_ffv1 ! matroskamux")
            before, after = (json.loads(self.succeeds("file-to-jsonl", video, "--no-counts")
                                        .splitlines()[0])
                             for video in (path, self._written(path)))
            self.assertEqual((before["colorimetry"], before["range"]),
                             (after["colorimetry"], after["range"]))
            self.assertAlmostEqual(before["luma-average"], after["luma-average"], delta=0.02)

    def _written(self, path):
        self.succeeds("equalize-file", path, self.path("out.mkv"), "--method", "none")
        return self.path("out.mkv")

    def test_own_format_is_kept(self):
        deep = self.clip("deep.mkv", "format=I420_10LE,width=64,height=48",
                         "avenc_ffv1 ! matroskamux")
        self.succeeds("equalize-file", deep, self.path("out.mkv"), "--keep-format")
        line = json.loads(self.succeeds("file-to-jsonl", self.path("out.mkv"),
                                        "--no-counts").splitlines()[0])
        self.assertIn("10LE", line["format"])

    def test_turned_video_stays_upright(self):
        path = self.clip("turned.mp4", "format=I420,width=64,height=48",
                         "jpegenc ! qtmux")
        with open(path, "rb") as file:
            content = bytearray(file.read())
        # The matrix in the track's header for a quarter turn.
        matrix = content.index(b"tkhd") + 44
        self.assertEqual(content[matrix:matrix + 4], b"\0\1\0\0")
        content[matrix:matrix + 36] = struct.pack(
            ">9i", 0, 0x10000, 0, -0x10000, 0, 0, 48 << 16, 0, 0x40000000)
        turned = self.write("turned.mov", content)
        for script, arguments, width, height in (
                ("equalize-file", [self.path("out.avi")], 48, 64),
                ("equalize-compare", ["--output", self.path("out.avi")],
                 2 * 48 + 8, 64)):
            self.succeeds(script, turned, *arguments)
            line = json.loads(self.succeeds("file-to-jsonl", self.path("out.avi"),
                                            "--no-counts").splitlines()[0])
            self.assertEqual((line["width"], line["height"]), (width, height))

    def test_full_disk(self):
        os.mkdir(self.path("disk"))
        program = (f"mount -t tmpfs -o size=8k none '{self.path('disk')}' && "
                   f"'{PIPELINES}/equalize-file' '{self.dark()}' "
                   f"'{self.path('disk')}/out.avi'; status=$?; "
                   f"ls -A '{self.path('disk')}'; exit $status")
        done = subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-c",
                               program], text=True, capture_output=True, timeout=MAX_WAIT_SECONDS,
                              check=False)
        if "unshare failed" in done.stderr or "mount:" in done.stderr:
            self.skipTest("no file systems can be mounted here")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aequalize-file: .*out.avi: the disk is full: "
                         r"the incomplete output was removed\n\Z")

    def test_nothing_to_do(self):
        before, after = self.check_written("out.avi", "30 frames", "--method", "none")
        self.assertEqual(before, after)

    def test_interrupt_ends_the_file(self):
        path = self.path("out.avi")
        program = subprocess.Popen(
            [os.path.join(PIPELINES, "equalize-file"), "test", path], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(4)
        program.send_signal(signal.SIGINT)
        output, error = program.communicate(timeout=MAX_WAIT_SECONDS)
        self.assertEqual((program.returncode, error), (0, ""))
        frames = int(re.search(r": (\d+) frames", output)[1])
        self.assertGreater(frames, 5)
        self.assertAlmostEqual(len(self.succeeds("file-to-jsonl", path, "--no-counts")
                                   .splitlines()), frames, delta=2)

    def test_sizes_that_change(self):
        """The size changes, as in recordings of broadcasts. All frames are decoded, in the size of
        the first."""
        parts = []
        for size, rate in ("63x47", 25), ("128x80", 50):
            parts.append(self.path(f"{size}.ts"))
            subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i",
                            f"testsrc2=d=1:r={rate}:s={size},format=yuv444p", "-c:v", "libx264",
                            parts[-1]], check=True)
        source = self.path("both.ts")
        with open(source, "wb") as both:
            for part in parts:
                with open(part, "rb") as file:
                    shutil.copyfileobj(file, both)
        for name in "a.mp4", "a.mov", "a.mkv", "a.webm", "a.avi":
            with self.subTest(name):
                path = self.path(name)
                self.assertRegex(self.succeeds("equalize-file", source, path),
                                 r"frames of other sizes scaled to 6\dx4\d pixels")
                done = subprocess.run(
                    ["ffprobe", "-loglevel", "error", "-show_entries", "frame=width,height", "-of",
                     "csv=p=0", path], check=True, capture_output=True, text=True)
                sizes = [line.rstrip(",") for line in done.stdout.split()]
                self.assertEqual((len(set(sizes)), done.stderr), (1, ""), done.stdout)
                self.assertGreaterEqual(len(sizes), 50)

    def interrupted(self, has_begun):
        """Ctrl-C after @has_begun(program, server) returns: nothing is printed or written. The
        server of the video never answers."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(20)
            program = subprocess.Popen(
                [os.path.join(PIPELINES, "equalize-file"),
                 f"http://127.0.0.1:{server.getsockname()[1]}/film.mp4", self.path("out.avi")],
                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            has_begun(program, server)
            program.send_signal(signal.SIGINT)
            output, error = program.communicate(timeout=MAX_WAIT_SECONDS)
        self.assertEqual((program.returncode, output, error), (-signal.SIGINT, "", ""))
        self.assertEqual(os.listdir(self.folder), [])

    def test_interrupt_while_starting(self):
        def loads_gstreamer(program, _server):
            maps = ""
            while program.poll() is None and "girepository" not in maps:
                with open(f"/proc/{program.pid}/maps", encoding="utf-8") as file:
                    maps = file.read()

        self.interrupted(loads_gstreamer)

    def test_interrupt_before_the_first_frame(self):
        self.interrupted(lambda _program, server: self.addCleanup(server.accept()[0].close))

    def test_set(self):
        _, strong = self.check_written("out.avi", "30 frames", "--method", "stretch")
        _, weak = self.check_written("out.avi", "30 frames", "--set", "method=stretch", "--set",
                                     "max-gain=1")
        self.assertLess(weak, strong - 0.05)

    def tracks(self, path):
        """Returns (codec, packets or lines of text) of every track except the video."""
        found = json.loads(subprocess.run(
            ["ffprobe", "-loglevel", "error", "-count_packets", "-show_streams", "-of", "json",
             path], check=True, capture_output=True).stdout)["streams"]
        return [(track["codec_name"], int(track["nb_read_packets"])) for track in found
                if track["codec_type"] != "video"]

    def test_tracks(self):
        """Sound and subtitles are copied if the container can hold them."""
        film = self.film(2, "-g", "25")
        self.write("words.srt", b"1\n00:00:00,500 --> 00:00:01,000\nHello <i>you</i> & me\n\n"
                   b"2\n00:00:01,200 --> 00:00:01,900\nBye\n")

        def add(name, *codecs):
            path = self.path(name)
            subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i", film, "-f", "lavfi",
                            "-i", "sine=d=2", "-i", self.path("words.srt"), "-map", "0",
                            "-map", "1", "-map", "2", "-c:v", "copy", *codecs, path],
                           check=True)
            return path

        mp4 = add("with.mp4", "-c:a", "aac", "-c:s", "mov_text")
        mkv = add("with.mkv", "-c:a", "libopus", "-c:s", "srt")
        web = add("web.mkv", "-c:a", "libopus", "-c:s", "webvtt")
        two = add("two.mkv", "-c:a", "libopus", "-c:s", "srt", "-map", "2")
        styled = add("styled.mkv", "-c:a", "pcm_s16le", "-c:s", "ass")
        for source, name, codecs, left_out in (
                (mp4, "a.mp4", ["aac", "mov_text"], None),
                (mp4, "a.mkv", ["aac", "subrip"], None),
                (mp4, "a.mov", ["aac", "mov_text"], None),
                (mp4, "a.webm", [], r"sound \(MPEG-4 AAC\), subtitles, which this program "
                 r"cannot copy to \.webm; \.mkv keeps"),
                (mkv, "b.mkv", ["opus", "subrip"], None),
                (mkv, "b.mp4", ["opus", "mov_text"], None),
                (mkv, "b.webm", ["opus"], "subtitles"),
                (web, "d.mkv", ["opus"], "subtitles"),
                (styled, "c.mkv", ["pcm_s16le", "ass"], None),
                (styled, "c.mp4", [], "sound .*, subtitles"),
                (styled, "c.avi", ["pcm_s16le"], "subtitles"),
                (two, "e.avi", [], r"sound \(Opus\), subtitles \(2 tracks\), which .* \.avi;")):
            path = self.path(name)
            status, output, error = run("equalize-file", source, path)
            self.assertEqual(status, 0, error)
            if left_out:
                self.assertRegex(error, rf"\A{path}: left out {left_out}")
                self.assertEqual(error.count("\n"), 1)
            else:
                self.assertEqual(error, "")
            found = self.tracks(path)
            self.assertEqual([codec for codec, _ in found], codecs, name)
            before = dict(self.tracks(source))
            for codec, packets in found:
                if codec in before:
                    self.assertAlmostEqual(packets, before[codec], delta=2, msg=name)
        text = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", self.path("b.mkv"), "-f",
                               "srt", "-"], check=True, capture_output=True, text=True).stdout
        self.assertIn("Hello <i>you</i> & me", text)
        self.assertIn("Bye", text)

    def cues(self, path, track=0):
        """Returns (start, end, text) of subtitles, as ffmpeg reads them."""
        text = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", path, "-map",
                               f"0:s:{track}", "-f", "srt", "-"], check=True,
                              capture_output=True, text=True).stdout
        return re.findall(r"\d+\n(\S+) --> (\S+)\n(.*?)\n\n",
                          re.sub(r"</?font[^>]*>|</?i>", "", text), re.DOTALL)

    def test_subtitles(self):
        """Subtitles keep their texts, starts and ends, even the last one, those after the end of
        the video, and those of a film whose first frame is late. Overlapping ones are shown
        together if a track can hold only one at a time."""
        words = ("00:00:00,500", "00:00:00,900", "one"), ("00:00:01,000", "00:00:01,500", "a\nb")
        others = ("00:00:00,700", "00:00:01,400", "& over"), ("00:00:01,900", "00:00:04,500", "end")
        late = ("00:00:01,600", "00:00:03,900", "late"),

        def write(name, cues):
            return self.write(name, "\n\n".join(
                f"{number}\n{begin} --> {end}\n{text}" for number, (begin, end, text) in
                enumerate(cues, 1)).encode() + b"\n\n")

        film = self.film(2, "-g", "25")

        def add(name, codec, shift, *files):
            path = self.path(name)
            inputs = [word for file in files for word in ("-i", file)]
            maps = [word for i in range(len(files)) for word in ("-map", str(i + 1))]
            subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-itsoffset", shift, "-i", film,
                            *inputs, "-map", "0", *maps, "-c:v", "copy", "-c:s", codec, path],
                           check=True)
            return path

        first, second, third = (write(f"{i}.srt", cues) for i, cues in
                                enumerate((words, others, late)))
        both = write("both.srt", sorted(words + others))
        for source in (add("two.mkv", "srt", "0", first, second),
                       add("two.mp4", "mov_text", "0", first, second),
                       add("late.mkv", "srt", "1.5", third),
                       add("all.mkv", "srt", "0", both)):
            for ending in (".mkv", ".mp4", *[".mov"] * source.endswith("two.mkv")):
                path = self.path("out" + ending)
                status, _, error = run("equalize-file", source, path)
                self.assertEqual((status, error), (0, ""))
                before = self.cues(source)
                if source.endswith("all.mkv") and ending != ".mkv":
                    (a, b, one), (c, d, over), (e, f, ab), last = before
                    before = [(a, c, one), (c, b, f"{one}\n{over}"), (b, e, over),
                              (e, d, f"{over}\n{ab}"), (d, f, ab), last]
                with self.subTest(source=source, ending=ending):
                    self.assertEqual(self.cues(path), before)
                    if "two" in source:
                        self.assertEqual(self.cues(path, 1), self.cues(source, 1))

    def test_times(self):
        """The output has as many frames as the input, at the same times, if the first one is late,
        or the track has an edit list or a negative decoding time."""
        film = self.film(2, "-bf", "3", "-g", "25")

        def make_late(name, *options):
            path = self.path(name)
            subprocess.run(["ffmpeg", "-loglevel", "error", "-y", *options[:-1], "-i", film,
                            "-c", "copy", *options[-1], path], check=True)
            return path

        def times(path):
            found = subprocess.run(
                ["ffprobe", "-loglevel", "error", "-select_streams", "v", "-show_entries",
                 "packet=pts_time", "-of", "csv=p=0", path], check=True, capture_output=True,
                text=True).stdout.split()
            return sorted(float(time.strip(",")) for time in found)

        for path, first in ((film, 0), (make_late("a.mkv", ["-output_ts_offset", "1.4"]), 1.4),
                            (make_late("b.mp4", ["-output_ts_offset", "2"]), 2),
                            (make_late("c.mkv", "-itsoffset", "0.023", []), 0.023)):
            lines = self.succeeds("file-to-jsonl", path, "--no-counts").splitlines()
            seen = [json.loads(line)["stream-time"] / 1e9 for line in lines]
            self.assertEqual(len(seen), 50)
            self.assertAlmostEqual(seen[0], first, delta=0.002)
            for program, arguments in (("equalize-file", ()), ("equalize-compare", ("--output",))):
                out = self.path("out.mkv")
                self.succeeds(program, path, *arguments, out)
                with self.subTest(program=program, path=path):
                    written = times(out)
                    self.assertEqual(len(written), 50)
                    for a, b in zip(written, seen):
                        self.assertAlmostEqual(a, b, delta=0.002)

    def test_cut_off(self):
        """A truncated input is an error: the output would look complete."""
        path = self.path("cut.mkv")
        film = self.film(4, "-g", "10")
        subprocess.run(["ffmpeg", "-loglevel", "error", "-i", film, "-c", "copy",
                        path], check=True)
        os.truncate(path, os.path.getsize(path) // 2)
        for program, arguments in (("equalize-file", ()), ("equalize-compare", ("--output",))):
            self.fails(r"cut.mkv: incomplete, ends after \d\.\d of 4\.0 seconds; nothing was "
                       "written.*ffmpeg", program, path, *arguments, self.path("out.mkv"))
        pictures = self.video()
        os.truncate(pictures, os.path.getsize(pictures) // 2)
        self.fails(r"white.avi: incomplete, has \d+ of \d+ bytes; nothing was written",
                   "equalize-file", pictures, self.path("out.mkv"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["cut.mkv", "film.mp4", "white.avi"])

    def test_length_that_is_an_estimate(self):
        """A raw stream has no times; guessing them from the bitrate is wrong if it varies."""
        path, film = self.path("still.h264"), self.film(2)
        subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
                        "color=d=4:r=25:s=160x120", "-i", film, "-filter_complex",
                        "[0][1]concat=n=2", "-c:v", "libx264", path], check=True)
        for program, arguments in (("equalize-file", (self.path("out.mkv"),)),
                                   ("file-to-jsonl", ("--no-counts",))):
            self.succeeds(program, path, *arguments)

    def test_odd_names(self):
        film = self.film(1)
        for name in ("a b", "50%20d%d", "line\nbreak", "quo\"te's", "back\\slash"):
            source, path = self.path(f"{name}.mp4"), self.path(f"{name}.mkv")
            os.link(film, source)
            self.succeeds("equalize-file", source, path)
            self.assertTrue(os.path.getsize(path))
            self.fails("is the input", "equalize-file", source, source)

    def test_match(self):
        reference = self.path("reference.txt")
        status, output, _ = run("with-build", "gst-launch-1.0", "-m",
                                *"videotestsrc num-buffers=1 pattern=solid-color "
                                "foreground-color=0xff808080 ! video/x-raw,format=GRAY8 "
                                "! videohistogram ! fakesink".split())
        self.assertEqual(status, 0)
        self.write("reference.txt", output.encode())
        _, after = self.check_written("out.avi", "30 frames", "--method", "match",
                                      "--reference", reference)
        self.assertAlmostEqual(after, 128 / 255, delta=0.01)

    def test_failures(self):
        path, out = self.dark(), self.path("out.avi")
        self.fails("no such file", "equalize-file", "/nowhere.mp4", out)
        self.fails("must end in one of .mp4", "equalize-file", path, "out.xyz")
        self.fails("there is no folder /nowhere", "equalize-file", path,
                   "/nowhere/out.avi")
        self.fails("is the input", "equalize-file", path, path)
        self.fails("Cannot read the reference: there is no file /nowhere", "equalize-file", path,
                   out, "--method", "match", "--reference", "/nowhere")
        self.fails("--method match needs a reference: add", "equalize-file", path, out,
                   "--method", "match")
        self.fails("--tiles 0x9 is not allowed: it must be .* 1 to 32", "equalize-file", path,
                   out, "--method", "clahe", "--tiles", "0x9")
        for arguments, words in (
                (["--target", "0.3"], "--target is for --method gamma, .* is equalize"),
                (["--method", "gamma", "--clip-limit", "3"], "is for --method clahe"),
                (["--set", "low-percentile=1"], "--set low-percentile is for .* stretch"),
                (["--set", "max-gain=0"], "max-gain=0 is not allowed: .* from 1 to 100: Limits"),
                (["--set", "smoothing=2s"], "smoothing=2s is not allowed: it must be a whole "
                 r"number of nanoseconds, from 0 to 3600000000000 \(3600 s\); write 2000000000 "
                 "for 2s"),
                (["--set", "smoothing=2h"], "number of nanoseconds, .*, such as 2000000000 for 2s"),
                (["--set", "strength=2s"], "strength=2s is not allowed: it is not a time, but a "
                 "number from 0 to 1: How much of the correction"),
                (["--set", "cuda-device-id=x"], "it must be a whole number from -1 to "),
                (["--set", "counted=1"], "counted: videoequalize has no such property"),
                (["--set", "x"], "must be PROPERTY=VALUE")):
            status, output, error = run("equalize-file", path, out, *arguments)
            self.assertEqual((status, output, error.count("\n")), (2, "", 1))
            self.assertRegex(error, words)
            self.assertFalse(os.path.exists(out))
        self.fails("is not valid UTF-8", "equalize-file", path,
                   os.fsencode(self.folder) + b"/\xff.avi")
        for arguments in (("--method", "magic"), ("--strength", "2"),
                          ("--clip-limit", "-1"), ("--color", "blue")):
            status, output, error = run("equalize-file", path, out, *arguments)
            self.assertEqual((status, output), (2, ""))
            self.assertIn(arguments[1], error)


class EqualizeCamera(Case):
    def test_lines(self):
        lines = self.succeeds("equalize-camera", "test", "--interval", "0.4",
                              "--seconds", "1.5", "--sink", "fakesink", "--method",
                              "gamma", "--target", "0.8").splitlines()
        means = {"before": [], "corrected": []}
        for line in lines:
            found = re.fullmatch(rf"{DATE}  (before|corrected) +mean (0\.\d{{3}}) "
                                 r" median 0\.\d{3}  p99 \d\.\d{3}  black +\d+\.\d%  "
                                 r"white +\d+\.\d%", line)
            self.assertTrue(found, line)
            means[found[1]].append(float(found[2]))
        self.assertGreaterEqual(len(means["before"]), 2)
        self.assertGreaterEqual(len(means["corrected"]), 2)
        self.assertGreater(min(means["corrected"]), max(means["before"]) + 0.05)

    def test_failure(self):
        self.fails("rtsp://127.0.0.1:1/a: .*check the address", "equalize-camera",
                   "rtsp://127.0.0.1:1/a")


class EqualizeCompare(Case):
    def test_side_by_side(self):
        video, path = self.video("smpte"), self.path("both.avi")
        output = self.succeeds("equalize-compare", video, "--output", path,
                               "--method", "gamma", "--target", "0.9")
        self.assertEqual(output, f"{path}: {FRAMES} frames\n")

        def mean(file, roi):
            line = self.succeeds("file-to-jsonl", file, "--no-counts", "--interval",
                                 "9", "--roi", roi)
            fields = json.loads(line)
            return fields["width"], fields["luma-average"]

        width, before = mean(video, "0,0,64,48")
        self.assertEqual(width, 64)
        width, left = mean(path, "0,0,64,48")
        self.assertEqual(width, 64 + 8 + 64)
        _, gap = mean(path, "66,0,4,48")
        _, right = mean(path, "72,0,64,48")
        self.assertAlmostEqual(left, before, delta=0.02)
        self.assertAlmostEqual(gap, 0, delta=0.02)
        self.assertGreater(right, left + 0.1)

    def test_picture(self):
        path = self.path("both.png")
        picture = self.path("one.png")
        self.succeeds("equalize-file", self.video("smpte"), picture)
        self.assertEqual(self.succeeds("equalize-compare", picture, "--output", path),
                         f"{path}: 1 frame\n")

    def test_shown(self):
        self.assertEqual(self.succeeds("equalize-compare", "test", "--seconds", "1",
                                       "--sink", "fakesink sync=true"), "")

    def test_no_display(self):
        status, output, error = run("equalize-compare", self.video(), env=NO_DISPLAY)
        self.assertEqual((status, output), (0, ""))
        self.assertIn("no display, so the video is not shown: --output", error)

    def test_failures(self):
        self.fails("no such file", "equalize-compare", "/nowhere.mp4")
        video = self.video()
        self.fails("is the input", "equalize-compare", video, "--output", video)


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Scope(Case):
    def size(self, path):
        header = content(path)[:24]
        self.assertEqual(header[:8], b"\x89PNG\r\n\x1a\n")
        return int.from_bytes(header[16:20], "big"), int.from_bytes(header[20:24], "big")

    def test_snapshot(self):
        video = self.video("smpte")
        for name, options in (("first", []), ("later", ["--time", "0.5", "--scopes", "parade"]),
                              ("beside", ["--layout", "beside", "--position", "right", "--set",
                                          "graticule=amber"])):
            path = self.path(f"{name}.png")
            output = self.succeeds("scope", video, "--snapshot", path, *options)
            self.assertEqual(output, f"{path}: 1 frame\n")
        width, height = self.size(self.path("first.png"))
        self.assertEqual(self.size(self.path("later.png")), (width, height))
        beside = self.size(self.path("beside.png"))
        self.assertGreater(beside[0], width)
        self.assertEqual(beside[1], height)
        self.assertNotEqual(content(self.path("first.png")), content(self.path("later.png")))

    def test_shows(self):
        self.assertEqual(self.succeeds("scope", self.video(), "--sink", "fakesink",
                                       "--scopes", "vectorscope"), "")

    def test_no_display(self):
        status, output, error = run("scope", self.video(), env=NO_DISPLAY)
        self.assertEqual((status, output), (0, ""))
        self.assertIn("no display, so the video is not shown: --snapshot", error)

    def test_keys(self):
        import pty
        ours, theirs = pty.openpty()
        scope = subprocess.Popen(
            [os.path.join(PIPELINES, "scope"), "--sink", "fakesink sync=true"], text=True,
            stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(theirs)
        self.assertIn("q quits", scope.stdout.readline())
        for key, line in ((b"h", "scopes waveform+vectorscope"), (b"z", "scopes waveform+"
                          "vectorscope+zebra"), (b"l", "layout beside"), (b"c", "components rgb"),
                          (b"e", "envelope instant"), (b"?", "q quits")):
            os.write(ours, key)
            self.assertIn(line, scope.stdout.readline())
        os.write(ours, b"q")
        output, error = scope.communicate(timeout=MAX_WAIT_SECONDS)
        self.assertEqual((scope.returncode, output, error), (0, "", ""))
        os.close(ours)

    def test_failures(self):
        video = self.video()
        self.fails("no such file", "scope", "/nowhere.mp4")
        for name in ("scopes.mkv", "scopes.gif"):
            self.fails("must end in one of .png .jpg\n", "scope", video, "--snapshot",
                       self.path(name))
        self.fails("no frame at or after 99 seconds", "scope", video, "--time", "99", "--snapshot",
                   self.path("late.png"))
        self.assertFalse(os.path.exists(self.path("late.png")))
        self.fails("is the input", "scope", video, "--snapshot", video)
        for arguments, text in ((["--scopes", "radar"], "--scopes radar is not allowed"),
                                (["--size", "7"], "--size 7 is not allowed"),
                                (["--set", "nothing=1"], "nothing: videoscope has no such"),
                                (["--set", "drawn=1"], "drawn: videoscope has no such property"),
                                (["--set", "lines"], "must be PROPERTY=VALUE"),
                                (["--set", "lines=x"], "lines=x is not allowed"),
                                (["--set", "cuda-device-id=0.5"], "=0.5 is not allowed"),
                                (["--set", "parent=x"], "parent: videoscope has no such")):
            status, _, error = run("scope", video, *arguments)
            self.assertEqual(status, 2)
            self.assertNotIn("Traceback", error)
            self.assertIn(text, error)


class MakePictures(Case):
    script = os.path.join("..", "docs", "make-pictures")

    def test_own_scenes(self):
        picture = self.path("one.png")
        self.succeeds("equalize-file", self.video("smpte"), picture)
        # This test runs 26 programs.
        scenes = [argument for option in ("--day", "--night", "--fog", "--color")
                  for argument in (option, picture)]
        status, output, error = run(self.script, *scenes, "--folder", self.folder,
                                    timeout=MAX_WAIT_SECONDS)
        self.assertEqual((status, error), (0, ""))
        shown = set()
        for page in [os.path.join(ROOT, "README.md"),
                     *glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True)]:
            with open(page) as file:
                shown |= set(re.findall(r"\((?:docs/|\.\./)?pictures/([^)]+\.jpg)\)", file.read()))
        # docs/make-wall-pictures makes the other pictures.
        shown = {name for name in shown if not name.startswith("wall-")}
        self.assertEqual({name for name in os.listdir(self.folder)
                          if name.endswith(".jpg")}, shown)
        self.assertEqual(output.count("\n"), len(shown))

    def test_failures(self):
        status, _, error = run(self.script, "--night", "/nowhere.png")
        self.assertEqual((status, error.count("\n")), (1, 1))
        self.assertIn("name a --folder", error)
        status, _, error = run(self.script, "--day", "/nowhere.png", "--night", "/nowhere.png",
                               "--fog", "/nowhere.png", "--color", "/nowhere.png",
                               "--folder", self.folder)
        self.assertEqual(status, 1)
        self.assertIn("/nowhere.png: no such file", error)


class Explanations(Case):
    """Messages for failures that need a camera."""

    def setUp(self):
        super().setUp()
        # The modules run in this process only.
        variables = mock.patch.dict(os.environ, VH_WITH_BUILD="yes")
        variables.start()
        self.addCleanup(variables.stop)
        sys.path.insert(0, PIPELINES)
        self.addCleanup(sys.path.remove, PIPELINES)

    def test_busy_device(self):
        import common
        common.start()
        message = common.Gst.Message.new_error(None, common.GLib.Error.new_literal(
            common.Gst.resource_error_quark(), "Device '/dev/video0' is busy",
            common.Gst.ResourceError.BUSY), "")
        import sources
        self.assertEqual(sources.explain("/dev/video0", message, []),
                         "is in use: close the program that uses it and try again")

    def test_rtsp(self):
        import common
        import sources
        common.start()
        element = common.Gst.ElementFactory.make("rtspsrc")
        sources.set_up_rtsp(None, element, "udp", 123)
        self.assertEqual(element.get_property("latency"), 123)
        self.assertIn("udp", element.get_property("protocols").value_nicks)
        self.assertNotIn("tcp", element.get_property("protocols").value_nicks)


class Help(Case):
    def test_help(self):
        for script in ("setup", "with-build", "demo", "file-to-jsonl",
                       "camera-exposure", "cameras", "camera-health", "tee-analysis",
                       "equalize-file", "equalize-camera", "equalize-compare", "scope",
                       "monitor", "package"):
            # This works before anything is built, with only coreutils in PATH.
            output = self.succeeds(script, "--help", env={"PATH": "/usr/bin:/bin"})
            self.assertRegex(output, "^[Uu]sage: ")

    def test_monitor_of_the_build(self):
        output = self.succeeds("with-build", "videohistogram-monitor", "--help")
        self.assertRegex(output, "^Usage:\n +videohistogram-monitor ")

    def test_unknown_arguments(self):
        self.misuses("--config needs a file", "monitor", "--no-setup", "--config")
        self.misuses("--listen needs a value", "monitor", "--no-setup", "--listen")
        # The program's own option may also come last.
        path = self.write("cameras.conf", b"[camera a]\nuri=test\n")
        self.succeeds("monitor", "--check", "--config", path, "--no-setup")
        for script in ("file-to-jsonl", "camera-exposure", "cameras", "camera-health",
                       "tee-analysis", "equalize-file", "equalize-camera",
                       "equalize-compare"):
            self.misuses("required", script)
            self.misuses("unknown option --nonsense", script, "--nonsense=1")
        for script in ("setup", "package", "fleet"):
            self.misuses("unknown .* --nonsense: see ", script, "--nonsense")


class ExampleC(Case):
    command = [os.path.join(os.environ.get("VH_BUILD", ""),
                            "tests/pipelines/read-histogram")]

    def test_message_and_meta(self):
        lines = self.succeeds("with-build", *self.command).splitlines()
        metas = [line for line in lines if line.startswith("meta: ")]
        messages = [line for line in lines if line.startswith("message: ")]
        self.assertEqual((len(metas), len(messages)), (30, 2))
        for line in metas:
            self.assertRegex(line, r"^meta: \d+ of 230400 pixels in the middle of "
                             r"256 bins, mean of red 0\.49\d$")
        for line in messages:
            self.assertRegex(line, r"luma mean 0\.4\d\d, p99 1\.000, 256 bins$")


class ExamplePython(ExampleC):
    command = [os.path.join(PIPELINES, "examples/read-histogram.py")]


class ExampleEqualizePython(Case):
    command = os.path.join(PIPELINES, "examples/equalize-file.py")

    def mean(self, path):
        lines = self.succeeds("file-to-jsonl", path, "--channels", "luma", "--no-counts")
        means = [json.loads(line)["luma-average"] for line in lines.splitlines()]
        self.assertEqual(len(means), FRAMES)
        return sum(means) / FRAMES

    def test_file(self):
        """The result has the same light as that of equalize-file."""
        video, output, other = self.video("ball"), self.path("one.mp4"), self.path("other.mp4")
        self.assertEqual(self.succeeds("with-build", self.command, video, output),
                         f"{output}: {FRAMES} frames, 0 of them not corrected\n")
        self.succeeds("equalize-file", video, other, "--method", "equalize")
        self.assertAlmostEqual(self.mean(output), self.mean(other), delta=0.01)
        self.assertNotAlmostEqual(self.mean(output), self.mean(video), delta=0.05)

    def test_failures(self):
        for arguments, expected in ((("/nowhere.mp4", self.path("a.mp4")), "/nowhere.mp4: "),
                                    ((), "usage: ")):
            status, _, error = run("with-build", self.command, *arguments)
            self.assertEqual((status, error.count("\n")), (1, 1))
            self.assertTrue(error.startswith(expected), error)


class ExampleHealthC(Case):
    command = [os.path.join(os.environ.get("VH_BUILD", ""),
                            "tests/pipelines/camera-health")]

    def test_changes(self):
        self.assertEqual(self.succeeds("with-build", *self.command).splitlines(), [
            "2.04 s: picture black begins. 100 % of the picture is black; the alarm ends below "
            "97 %.", "Check the light and the lens cap; if they are fine, restart the camera.",
            "6.04 s: picture black ends. 18.8 % of the picture is black; the alarm starts after "
            "1 s above 98 %."])


class ExampleHealthPython(ExampleHealthC):
    command = [os.path.join(PIPELINES, "examples/camera-health.py")]


if __name__ == "__main__":
    unittest.main()
