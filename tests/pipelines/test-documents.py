# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs what the pages show, compares what it prints, and checks their links and names.

Usage: test-documents.py [CLASS[.METHOD]]..., with VH_BUILD naming the build folder, or
test-documents.py --run PAGE for the blocks of one page.

Each page has a folder of its own in which its blocks run, in their order, as at the root of a
checkout, with the programs of this build in PATH. It has a network of its own, too. There,
192.0.2.1 to 192.0.2.9 are this machine, and names that end in .example, .example.org or
.example.com become 127.0.0.1. Each rtsp:// address of the page is a camera, and mosquitto listens
on port 1883.

What kinds of blocks are:

  sh        Statements for bash. A program of SERVERS runs on, for the blocks that follow, until
            the page starts it again or ends. What matches a row of NEEDS is not run: bash only
            parses it, and its programs and options are compared with --help.
  python    A program. After a line that ends with "`NAME.py`:" the block is that file, and a
            block of shell has to run it.
  text      What the nearest block of sh or python before it prints: lines, in their order, where
            … stands for anything. What another command prints has a row in PRINTED.
  console   Commands after "$ ", with the lines that they print.
  log       Lines of a log that no command of the page prints.
  ini conf  A file, with the name that the line before it has: "`cam.conf`:". Key files of
            videohistogram-monitor have to pass its --check.
"""
import collections
import concurrent.futures
import fcntl
import functools
import glob
import json
import os
import re
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unicodedata
import unittest

MAX_WAIT_SECONDS = 240    # far longer than anything takes, even on a busy machine
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.path.abspath(os.environ.get("VH_BUILD", os.path.join(ROOT, "build")))
PAGES = sorted(os.path.relpath(path, ROOT) for pattern in (
    "*.md", "docs/**/*.md", "tests/**/*.md", "pipelines/**/*.md", ".github/**/*.md")
               for path in glob.glob(os.path.join(ROOT, pattern), recursive=True)
               # Sources of the reference manual, which tests/python/manual.py tests.
               if "/docs/reference/" not in path)
KINDS = ("c", "conf", "console", "ini", "javascript", "json", "log", "meson", "python", "sh",
         "text", "yaml")

# Only a build with CUDA and -Dbenchmarks=true has it.
BENCH = os.path.exists(os.path.join(BUILD, "src/bench/videohistogram-bench"))

# The only reasons for not running a statement of a page: what it needs, and how to recognize that.
NEEDS = [
    ("root, packages or systemd",
     r"\bsudo\b|\bapt(-get)? |\bsystemctl\b|\bjournalctl\b|^editor |^ldconfig\b|/etc/"),
    ("a V4L2 camera", r"/dev/video"),
    ("a display", r"--window\b|pipelines/(scope|equalize-c\w+)(?!.*(--snapshot|fakesink|"
     r"--output))|autovideosink|xvimagesink|xdg-open"),
    ("minutes to configure, build or package",
     r"^(\./)?(meson (setup|devenv|install|configure|compile|test)|ninja|pipelines/(setup|package)|"
     r"tests/(run|coverage|fresh))\b|\bmeson test\b|^git clone\b"),
    ("a GPU, or minutes of measuring",
     r"tests/(gpu|bench|health)/|OUT/run\b|\bbench-\w+|\bncu\b|src/bench/plot|"
     r"videohistogram-bench" + ("(?!.*--help)" if BENCH else "")),
    ("two Prometheus servers: the test monitor-fleet runs it", r"pipelines/fleet\b"),
    ("a camera with a password: the test monitor-probe runs it", r"videohistogram-monitor probe\b"),
]

# They run until they are interrupted.
SERVERS = re.compile(
    r"^(\w+=\S* )*((\./)?pipelines/(with-build )?)?"
    r"(videohistogram-monitor(?!.*(--check|--reload|--version|--help))|monitor\b(?!.*--check)|"
    r"camera-health |camera-exposure |cameras |mosquitto |mosquitto_sub(?!.* -[CW] ?\d)|"
    r"python3 receiver\.py)")

# The command that prints a block of text, where that block does not follow the block with the
# command: words of the text, and the command.
PRINTED = [
    ("640x360 pixels of I420", "./pipelines/demo"),
    ("grid=0x9 is not allowed", "pipelines/with-build gst-launch-1.0 videotestsrc "
     "num-buffers=1 ! videohistogram grid=0x9 ! fakesink"),
    ("Frames that do not match", "pipelines/with-build gst-launch-1.0 fakesrc num-buffers=1 "
     "format=time sizetype=fixed sizemax=255 filltype=zero "
     "! video/x-raw,format=GRAY8,width=16,height=16,framerate=25/1 "
     "! videoequalize ! fakesink"),
    ("Cannot count on the GPU", "pipelines/with-build gst-launch-1.0 videotestsrc "
     "! videohistogram backend=cuda ! fakesink"),
]

# What differs from run to run, with another version of videotestsrc, or with a GPU.
VARIES = [(re.compile(r"backend=\(string\)\w+"), "backend=BACKEND"),
          (re.compile(r"message #\d+"), "message #N"),
          (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d{4})?"), "TIME"),
          (re.compile(r"(?<=[<,] )\d+(?=[, ])|(?<=[\[,])\d+(?=[,\]])"), "COUNT"),
          (re.compile(r"-?\d+\.\d{2,}"), lambda number: f"{float(number[0]):.1f}"),
          (re.compile(r"[▁-█ ]{10,}\|"), "BARS|")]

# Files that pages name but do not create.
CLIP = ("-f lavfi -i testsrc2=d=14:r=5:s=320x180 -f lavfi -i sine=d=14 -c:v libx264 "
        "-preset ultrafast -c:a aac")
PROVIDED = {name: CLIP for name in (
    "bikes.mp4", "clip.mp4", "dark.mp4", "film.mp4", "fog.mp4", "input.mp4", "night.mp4",
    "street.mp4", "video.mp4")}
PROVIDED |= {name: "-f lavfi -i testsrc2=d=1:r=1:s=320x180 -frames:v 1" for name in (
    "IN.png", "frame.png", "night.png", "photo.jpg", "picture.jpg")}
PROVIDED |= {"read-histogram.c": "pipelines/examples/read-histogram.c",
             "camera-health.c": "pipelines/examples/camera-health.c",
             "failed-script.bin": "tests/fuzz/corpus/093d5414.bin"}

NAMES = re.compile(r"\b(?:[\w-]+\.)+example(?:\.org|\.com)?\b|\b[\w-]+\.example\.(?:org|com)\b")
CAMERA = re.compile(r"rtsp://(?:[^\s/@]+@)?([\w.-]+)(:\d+)?(/[\w./-]*)?")
# Programs that may be missing here, since statements that are not run may need them.
ELSEWHERE = {"sudo", "editor", "systemctl", "journalctl", "ncu", "meson", "ninja", "apt",
             "apt-get", "ldconfig", "git"}


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


Block = collections.namedtuple("Block", "line kind code name")


def blocks(page):
    """The blocks of code in @page, in order, each with the file that it becomes."""
    text = read(page)
    for match in re.finditer(r"^( *)```(\w*)\n(.*?)^ *```$", text, re.M | re.S):
        before = text[:match.start()].rstrip("\n").rsplit("\n", 1)[-1]
        name = re.search(r"`([\w.-]+\.\w+)`[^`]*:$", before)
        indent = match[1]
        code = re.sub(rf"^{indent}", "", match[3], flags=re.M)
        yield Block(text.count("\n", 0, match.start()) + 1, match[2], code,
                    name[1] if name else None)


def statements(code):
    """Splits a block of shell into statements that bash can parse on their own."""
    part = ""
    for line in code.splitlines(keepends=True):
        part += line
        if not part.strip() or part.strip().startswith("#") and "\n" not in part.strip():
            part = ""
            continue
        if not re.search(r"(\\|\||&&)\s*$", re.sub(r"\s#.*", "", line)) and parses(part):
            yield part
            part = ""
    if part:
        yield part


@functools.lru_cache(None)
def parses(code):
    return subprocess.run(["bash", "-n"], input=code, text=True, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def plain(statement):
    """@statement without comments and with its lines as one."""
    return " ".join(re.sub(r"(^|\s)#.*", "", statement).replace("\\\n", " ").split())


def need(statement):
    """Returns what @statement needs that a test does not have, or None."""
    return next((why for why, how in NEEDS if re.search(how, plain(statement))), None)


def words(text):
    """@text without what varies, and with line breaks as spaces, because the pages break lines
    anywhere."""
    for pattern, instead in VARIES:
        text = pattern.sub(instead, text)
    return " ".join(text.split())


def missing(shown, printed):
    """The first line of @shown that @printed lacks, or None."""
    printed = words(printed)
    if shown.startswith("Got message"):
        return None if words(shown) in printed else shown
    start = 0
    for line in shown.splitlines():
        for part in filter(None, words(line).split("…")):
            found = printed.find(part.strip(), start)
            if found < 0:
                return line
            start = found + len(part.strip())
    return None


MOSQUITTO = """#!/bin/bash
set -eu
conf=$(mktemp)
echo user root >"$conf"
while getopts c:dp:v option; do
  case $option in
    c) cat "$OPTARG" >>"$conf" ;;
    p) printf 'listener %s 0.0.0.0\\nallow_anonymous true\\n' "$OPTARG" >>"$conf" ;;
  esac
done
exec /usr/sbin/mosquitto -c "$conf"
"""


class Failure(Exception):
    pass


class Page:
    """Runs the blocks of a page, in a network of its own."""

    def __init__(self, page, folder):
        self.page, self.folder = page, folder
        self.servers = {}       # programs that keep running: by name, the process and its output
        self.printed = ""       # by the last block of sh or python, or None if that was not run
        self.server = None      # the server that this block has started
        self.failures = []
        self.used = set()

    def prepare(self):
        text = read(self.page)
        home = os.path.join(self.folder, ".home")
        programs = os.path.join(self.folder, ".programs")
        os.makedirs(home)
        os.makedirs(programs)
        os.symlink("/usr/bin/python3", os.path.join(programs, "python3"))
        library = os.path.join(BUILD, "src/gst/videohistogram")
        self.has_monitor = os.path.exists(os.path.join(
            BUILD, "src/monitor/videohistogram-monitor"))
        self.environment = os.environ | {
            "HOME": home, "VH_BUILD": BUILD, "LC_ALL": "C.UTF-8",
            "PATH": ":".join([programs, os.path.join(BUILD, "src/monitor"),
                              os.path.join(BUILD, "src/bench"), os.environ["PATH"],
                              "/usr/sbin", "/sbin"]),
            "GST_PLUGIN_PATH_1_0": os.path.join(BUILD, "gst"),
            "GST_REGISTRY_1_0": os.path.join(self.folder, ".registry.bin"),
            "GI_TYPELIB_PATH": library, "LD_LIBRARY_PATH": library,
            "PKG_CONFIG_PATH": os.path.join(BUILD, "meson-uninstalled")}
        for name in ("STATE_DIRECTORY", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
                     "DISPLAY", "WAYLAND_DISPLAY", "GST_DEBUG"):
            self.environment.pop(name, None)
        for name in os.listdir(ROOT):
            if not name.startswith((".", "build")) and name != "pipelines":
                os.symlink(os.path.join(ROOT, name), os.path.join(self.folder, name))
        os.symlink(BUILD, os.path.join(self.folder, "build"))
        # mosquitto would switch to another user, but only root exists here.
        self.write(os.path.join(programs, "mosquitto"), MOSQUITTO, 0o755)
        # Programs that would first set up the checkout do not do so here.
        os.mkdir(os.path.join(self.folder, "pipelines"))
        for name in os.listdir(os.path.join(ROOT, "pipelines")):
            original = os.path.join(ROOT, "pipelines", name)
            copy = os.path.join(self.folder, "pipelines", name)
            if name in ("demo", "monitor"):
                self.write(copy, f'#!/bin/sh\nexec "{original}" --no-setup "$@"\n', 0o755)
            else:
                os.symlink(original, copy)
        code = "".join(block.code for block in blocks(self.page))
        for name, source in PROVIDED.items():
            path = os.path.join(self.folder, name)
            if not re.search(rf"(?<![\w/.-]){re.escape(name)}\b", code):
                continue
            if source.startswith("-"):
                subprocess.run(["ffmpeg", "-loglevel", "error", *source.split(), path], check=True)
            else:
                shutil.copy(os.path.join(ROOT, source), path)
        if CAMERA.search(code):
            self.start_cameras(code)
        if re.search(r"mosquitto_|mqtt://", code) and not re.search(r"^mosquitto ", code, re.M):
            self.start(".mosquitto", ["mosquitto", "-p", "1883"])
            self.wait_for(lambda: not socket.socket().connect_ex(("127.0.0.1", 1883)))
        return text

    def write(self, path, content, mode=0o600):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(path, mode)

    def start_cameras(self, code):
        paths = {match[3] or "/" for match in CAMERA.finditer(code)}
        ports = {(match[2] or ":554")[1:] for match in CAMERA.finditer(code)}
        for port in sorted(ports):
            server, _ = self.start(f".rtsp {port}", [
                "/usr/bin/python3", os.path.realpath(__file__), "--cameras", port, *paths])
            self.wait_for(lambda name=f".rtsp {port}": "READY" in self.output(name), server)

    def start(self, name, command, **options):
        self.stop(name)
        output = os.path.join(self.folder, f".output-{len(self.used)}")
        self.used.add(output)
        with open(output, "w", encoding="utf-8") as file:
            process = subprocess.Popen(command, cwd=self.folder, env=self.environment,
                                       stdin=subprocess.PIPE, stdout=file,
                                       stderr=subprocess.STDOUT, start_new_session=True, **options)
        self.servers[name] = process, output
        return process, output

    def output(self, name):
        with open(self.servers[name][1], encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_for(self, condition, process=None):
        end = time.monotonic() + MAX_WAIT_SECONDS
        while not condition():
            if time.monotonic() > end or process and process.poll() is not None:
                return condition()
            time.sleep(0.1)
        return True

    def stop(self, name):
        """Interrupts a program that keeps running, as Ctrl-C does; it must exit without an
        error."""
        if name not in self.servers:
            return
        process, _ = self.servers[name]
        early = process.poll()
        if early is None:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        process.stdin.close()
        said = self.output(name)
        del self.servers[name]
        if not name.startswith(".") and process.returncode not in (0, 130, -signal.SIGINT):
            raise Failure(f"{name} ended {'by itself ' if early is not None else ''}with "
                          f"{process.returncode}: {said}")

    def run(self, script):
        """Runs statements that end by themselves. If a server was started, waits until it
        answers."""
        end = time.monotonic() + (20 if self.servers else 0)
        while True:
            done = subprocess.run(["bash", "-ec", script], cwd=self.folder, text=True,
                                  timeout=MAX_WAIT_SECONDS,
                                  env=self.environment, capture_output=True, check=False,
                                  stdin=subprocess.DEVNULL)
            if not done.returncode or time.monotonic() > end:
                break
            time.sleep(0.5)
        if done.returncode:
            raise Failure(f"ended with {done.returncode}: {done.stdout}{done.stderr}")
        if "gst-launch-1.0" in script and "WARN" in done.stdout + done.stderr:
            raise Failure(f"a warning: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def shell(self, code, prefix=""):
        self.printed, self.server = None, None
        script = ""
        for statement in statements(code):
            if not parses(statement):
                raise Failure("bash cannot parse this")
            if need(statement):
                self.check_words(statement)
                continue
            self.printed = self.printed or ""
            if SERVERS.search(plain(statement)):
                if script:
                    self.printed += self.run(prefix + script)
                    prefix += "".join(line + "\n" for line in script.splitlines()
                                      if line.startswith("export ") or re.match(r"\w+=", line))
                    script = ""
                name = SERVERS.search(plain(statement))[0].strip().rsplit("/", 1)[-1]
                self.start(name, ["bash", "-ec", prefix + "exec " + re.sub(
                    r"\s*&\s*$", "", plain(statement))])
                self.server = name
                time.sleep(1.5)
                if self.servers[name][0].poll() not in (None, 0):
                    raise Failure(f"ended with {self.servers[name][0].returncode}: "
                                  f"{self.output(name)}")
            else:
                script += statement
        if script:
            self.printed += self.run(prefix + script)

    def check_words(self, statement):
        """The programs and options in statements that are not run exist."""
        synopsis = re.sub(r"\[[A-Z][^\]]*\]", "", plain(statement))
        for part in re.split(r"&&|\|\|?|;|&|\$\(", synopsis):
            try:
                parts = shlex.split(part.strip().strip("()"))
            except ValueError:
                continue
            while parts and (re.match(r"\w+=", parts[0]) or parts[0] in (
                    "sudo", "env", "exec", "export", "for", "do", "then", "if", "time", "break",
                    "done", "pipelines/with-build")):
                parts.pop(0)
            if not parts or re.match(r"[\[{(<>]", parts[0]) or parts[1:2] == ["in"]:
                continue
            program = parts[0].removeprefix("./")
            options = [word.split("=")[0] for word in parts[1:] if re.match(r"--\w", word)]
            self.check_program(program, options, parts)

    def check_program(self, program, options, parts):
        if program.startswith("OUT/"):
            program = "tests/gpu/" + program[4:]
        ours = os.path.join(self.folder, program)
        if "/" not in program:
            for folder in ("src/monitor", "src/bench", "tests/bench", "tests/gpu", "tests/monitor"):
                if os.path.exists(os.path.join(BUILD, folder, program)):
                    ours = os.path.join(BUILD, folder, program)
        if program == "meson":
            with open(os.path.join(ROOT, "meson_options.txt"), encoding="utf-8") as file:
                known = set(re.findall(r"option\('([\w-]+)'", file.read()))
            for word in parts[1:]:
                option = re.match(r"-D([\w-]+)=", word)
                if option and option[1] not in known and not option[1].startswith("b_"):
                    raise Failure(f"meson has no option {option[1]}")
        elif os.path.exists(ours) and not os.path.isdir(ours):
            self.check_options([ours] + [word for word in parts[1:2] if word == "probe"], options)
        elif os.path.basename(program) == "videohistogram-bench" and not BENCH:
            return
        elif "/" in program or not (shutil.which(program) or program in ELSEWHERE or
                                    program == "in" or re.match(r"(bench-|\w+$)", program)
                                    and self.is_built(program)):
            raise Failure(f"there is no {program}")

    def is_built(self, program):
        """Whether a program of the tests has this name, built or not."""
        return bool(glob.glob(os.path.join(ROOT, "tests", "*", program + ".c")))

    def check_options(self, program, options):
        if not options:
            return
        said = subprocess.run(program + ["--help"], cwd=self.folder, env=self.environment,
                              text=True, capture_output=True, check=False, timeout=MAX_WAIT_SECONDS,
                              stdin=subprocess.DEVNULL)
        for option in options:
            if not re.search(rf"{option}(?![\w-])", said.stdout + said.stderr):
                raise Failure(f"{' '.join(program)} --help has no {option}")

    def block(self, block, later):
        if block.kind == "sh":
            self.shell(block.code)
        elif block.name and block.kind in ("ini", "conf", "c", "python", "json", "yaml"):
            self.write(os.path.join(self.folder, block.name), block.code)
            if block.kind == "python" and block.name not in later:
                raise Failure(f"no later block runs {block.name}")
        elif block.kind == "python":
            self.write(os.path.join(self.folder, ".program.py"), block.code)
            self.server, self.printed = None, self.run("python3 .program.py")
        elif block.kind == "console":
            for command in re.split(r"^\$ ", block.code, flags=re.M)[1:]:
                command, shown = command.split("\n", 1)
                self.shell(command)
                self.compare(shown)
        elif block.kind == "text" and not any(part in block.code for part, _ in PRINTED):
            self.compare(block.code)
        if block.kind == "ini" and re.search(
                r"^\[(camera|http|store|mqtt|webhook|cameras)\b", block.code, re.M):
            self.check_keys(block.code)

    def compare(self, shown):
        if self.printed is None:
            return
        if self.server:
            self.wait_for(lambda: missing(shown, self.output(self.server)) is None,
                          self.servers[self.server][0])
        printed = self.printed + (self.output(self.server) if self.server else "")
        lacking = missing(shown, printed)
        if lacking is not None:
            raise Failure(f"not printed: {lacking}\nbut: {printed[-3000:]}")

    def check_keys(self, keys):
        """A key file, or a part of one, passes --check once it has a camera and the files that it
        names exist."""
        folder = tempfile.mkdtemp(dir=self.folder)
        for key, name in re.findall(r"^(secret|credentials)=(?!/)(.*)$", keys, re.M):
            self.write(os.path.join(folder, name), "whsec_" + "QUJD" * 12 + "\n" if key == "secret"
                       else "user:password\n")
        if not re.search(r"^\[camera ", keys, re.M):
            keys += "\n[camera of-the-test]\nuri=test\n"
        if re.search(r"^\w+=/|^certificate=|^key=", keys, re.M):
            return
        self.write(os.path.join(folder, "cam.conf"), keys)
        program = os.path.join(BUILD, "src/monitor/videohistogram-monitor")
        if not self.has_monitor:
            return
        done = subprocess.run([program, "--check", "--config", os.path.join(folder, "cam.conf"),
                               "--directory", folder], env=self.environment, text=True,
                              capture_output=True, check=False, timeout=MAX_WAIT_SECONDS)
        if done.returncode:
            raise Failure(done.stderr)

    def run_all(self):
        self.prepare()
        if not self.has_monitor and re.search(r"videohistogram-monitor|pipelines/monitor",
                                              "".join(block.code for block in blocks(self.page))):
            return []
        rest = [block._replace(code=NAMES.sub("127.0.0.1", block.code))
                for block in blocks(self.page)]
        for number, block in enumerate(rest):
            start = time.monotonic()
            try:
                self.block(block, "".join(other.code for other in rest[number + 1:]
                                          if other.kind in ("sh", "console")))
            except (Failure, subprocess.TimeoutExpired) as failure:
                self.failures.append(f"{self.page}:{block.line}: {failure}")
            print(f"{self.page}:{block.line}: {time.monotonic() - start:.1f} s")
        for name in list(self.servers):
            try:
                self.stop(name)
            except Failure as failure:
                self.failures.append(f"{self.page}: {failure}")
        return self.failures


def serve_cameras(port, paths):
    """RTSP cameras on all addresses, one at each path, until it is interrupted."""
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtspServer
    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address("0.0.0.0")
    server.set_service(port)
    for path in paths:
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch("( videotestsrc is-live=true "
                           "! video/x-raw,format=I420,width=320,height=240,"
                           "framerate=25/1 ! jpegenc ! rtpjpegpay name=pay0 )")
        factory.set_shared(True)
        server.get_mount_points().add_factory(path, factory)
    server.attach(None)
    print("READY", flush=True)
    GLib.MainLoop().run()


def bring_network_up():
    """Starts the loopback device of a new network, with the addresses that the pages use."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        flags = fcntl.ioctl(control, 0x8913, struct.pack("16sH14x", b"lo", 0))
        if struct.unpack("16sH14x", flags)[1] & 1:
            sys.exit("test-documents: this network is in use: its addresses stay as they are")
        for number in range(10):
            device = b"lo" if number == 0 else f"lo:{number}".encode()
            address = socket.inet_aton(f"192.0.2.{number}")
            if number:
                fcntl.ioctl(control, 0x8916, struct.pack("16sHH4s8x", device, socket.AF_INET, 0,
                                                         address))
            fcntl.ioctl(control, 0x8914, struct.pack("16sH14x", device, 0x41))


def run_page(page):
    """Runs the blocks of a page, prints failures, and returns whether there were any."""
    bring_network_up()
    with tempfile.TemporaryDirectory() as folder:
        failures = Page(page, folder).run_all()
    print("\n".join(failures))
    return bool(failures)


@functools.lru_cache(None)
def apart():
    """The command that gives another one a network of its own, or None."""
    for command in (["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"]):
        if not subprocess.run([*command, "true"], stderr=subprocess.DEVNULL,
                              check=False).returncode:
            return command
    return None


class Blocks(unittest.TestCase):
    """What the pages show is what happens."""

    def test_pages(self):
        if not apart():
            self.skipTest("this system lets no process have a network of its own")

        def run(page):
            return page, subprocess.run(
                ["/usr/bin/python3", os.path.realpath(__file__), "--run", page],
                text=True, check=False, timeout=4 * MAX_WAIT_SECONDS, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            # Pages that wait for test cameras to go wrong start first.
            first = sorted(PAGES, key=lambda page: -read(page).count("test:"))
            for page, done in pool.map(run, first):
                with self.subTest(page):
                    self.assertEqual(done.returncode, 0, done.stdout)

    def test_kinds(self):
        """Each block names its kind, which decides how it is tested."""
        self.assertEqual([f"{page}:{block.line}: {block.kind}" for page in PAGES
                          for block in blocks(page) if block.kind not in KINDS], [])

    def test_json(self):
        for page in PAGES:
            for block in blocks(page):
                if block.kind == "json" and "…" not in block.code:
                    with self.subTest(page, line=block.line):
                        json.loads(block.code)

    def test_c(self):
        """Whole files in C compile. Fragments are not tested."""
        flags = subprocess.run(["pkg-config", "--cflags", "gstreamer-videohistogram-1.0"],
                               env=os.environ | {"PKG_CONFIG_PATH": os.path.join(
                                   BUILD, "meson-uninstalled")},
                               text=True, check=True, capture_output=True).stdout.split()
        whole = [block.code for page in PAGES for block in blocks(page)
                 if block.kind == "c" and "#include" in block.code]
        self.assertTrue(whole)
        for code in whole:
            done = subprocess.run(["cc", "-Wall", "-Wno-unused-function", "-Werror",
                                   "-fsyntax-only", *flags, "-xc", "-"], input=code, check=False,
                                  text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_printed(self):
        """The texts of PRINTED are what their commands print, and each row is in use."""
        texts = [(page, block.code) for page in PAGES for block in blocks(page)
                 if block.kind == "text"]
        with tempfile.TemporaryDirectory() as folder:
            place = Page("README.md", folder)
            place.prepare()
            for part, command in PRINTED:
                shown = [text for _, text in texts if part in text]
                with self.subTest(command):
                    self.assertTrue(shown, part)
                    # Machines with a driver count on their GPU.
                    if "NVIDIA driver" in shown[0] and shutil.which("nvidia-smi"):
                        continue
                    done = subprocess.run(command, shell=True, cwd=folder, text=True,
                                          timeout=MAX_WAIT_SECONDS,
                                          env=place.environment, capture_output=True, check=False)
                    # A build without CUDA reports that first.
                    if "NVIDIA driver" in shown[0] and "this build has no CUDA" in done.stderr:
                        continue
                    for text in shown:
                        self.assertIsNone(missing(text, done.stdout + done.stderr),
                                          done.stdout + done.stderr)
            for name in list(place.servers):
                place.stop(name)

    def test_needs(self):
        """Each reason not to run something is in use."""
        said = {need(statement) for page in PAGES for block in blocks(page)
                if block.kind in ("sh", "console") for statement in statements(block.code)}
        self.assertEqual([why for why, _ in NEEDS if why not in said], [])

    def test_it_complains(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Page("README.md", folder)
            page.environment = os.environ
            os.symlink(os.path.join(ROOT, "tests"), os.path.join(folder, "tests"))
            for code in ("false\n", "if\n", "sudo nothing-of-this-name\n", "tests/run --lnog\n",
                         "meson setup -Dcdua=enabled build\n", "tests/rnu\n"):
                with self.subTest(code), self.assertRaises(Failure):
                    page.shell(code)
            page.shell("echo one\necho two # 3\n")
            page.compare("one\ntwo\n")
            page.compare("o…\n")
            for shown in ("three\n", "two\none\n"):
                with self.assertRaises(Failure):
                    page.compare(shown)
        self.assertEqual(list(statements("a \\\n  b |\n  c # d\nfor i in 1; do\n  e\ndone\n")),
                         ["a \\\n  b |\n  c # d\n", "for i in 1; do\n  e\ndone\n"])


def slug(heading, taken):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]+>", "", text).replace("`", "").strip().lower()
    text = re.sub(r"(?<!\w)[*_]+|[*_]+(?!\w)", "", text)
    name = "".join("-" if c == " " else c for c in text
                   if c in " -_" or unicodedata.category(c)[0] in "LNM")
    number = taken[name]
    taken[name] += 1
    return f"{name}-{number}" if number else name


def prose(text):
    """The text of a page without blocks of code and code spans."""
    text = re.sub(r"^( *)```.*?^ *```$", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]+(?:\n[^`\n]+)?`", "", text)


def anchors(page):
    text = re.sub(r"^( *)```.*?^ *```$", "", read(page), flags=re.M | re.S)
    taken = collections.Counter()
    return {slug(heading, taken) for heading in re.findall(r"^#{1,6} +(.*?) *#*$", text, re.M)} | \
        set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def links(page):
    text = prose(read(page))
    yield from re.findall(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)", text)
    yield from re.findall(r"^\[[^\]]+\]:\s*(\S+)", text, re.M)
    yield from re.findall(r"<(?:img|a|source)\b[^>]*?\b(?:src|href|srcset)=\"([^\"]+)\"", text)


def wrong_links(page):
    for link in links(page):
        if re.match(r"(https?|mailto):", link):
            continue
        name, _, anchor = link.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
        if not os.path.exists(os.path.join(ROOT, path)):
            yield f"{page}: {link}: no such file"
        elif anchor and path.endswith(".md") and anchor not in anchors(path):
            yield f"{page}: {link}: no such anchor"


class Links(unittest.TestCase):
    def test_links(self):
        for page in PAGES:
            with self.subTest(page):
                self.assertEqual(list(wrong_links(page)), [])

    def test_anchors(self):
        taken = collections.Counter()
        for heading, anchor in (("How to add …", "how-to-add-"), ("`roi`, `grid`", "roi-grid"),
                                ("In C", "in-c"), ("In C", "in-c-1"), ("a_b & c", "a_b--c"),
                                ("[Links](x.md) *too*", "links-too")):
            self.assertEqual(slug(heading, taken), anchor)


class Names(unittest.TestCase):
    def test_names(self):
        """Every function, type and value that the pages name exists."""
        names = set()
        for folder in ("src", "gst", "kernels", "tests"):
            for path in glob.glob(os.path.join(ROOT, folder, "**", "*"), recursive=True):
                if path.endswith((".c", ".h", ".cu", ".cuh")):
                    with open(path, encoding="utf-8") as file:
                        names.update(re.findall(r"\b\w+\b", file.read()))
        for page in PAGES:
            used = re.findall(r"\b(?:gst_(?:video|buffer)_\w+|GST_VIDEO_\w+|GstVideo\w+)\b",
                              read(page))
            self.assertEqual([name for name in used if name not in names], [], page)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        # Never run in the machine's own network, because its addresses and names would change.
        if os.environ.get("VH_DOCUMENTS_APART") != str(os.getppid()):
            os.execvp("unshare", [*apart(), "sh", "-c", "VH_DOCUMENTS_APART=$$ /usr/bin/python3 "
                                  '"$0" "$@"; exit $?', os.path.realpath(__file__), *sys.argv[1:]])
        sys.exit(run_page(sys.argv[2]))
    if sys.argv[1:2] == ["--cameras"]:
        serve_cameras(sys.argv[2], sys.argv[3:])
    unittest.main()
