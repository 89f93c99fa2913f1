# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs videohistogram-monitor on loopback for the tests, each in a folder of its own."""

import collections
import concurrent.futures
import contextlib
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

PROGRAM = os.environ['TEST_MONITOR']
HERE = pathlib.Path(__file__).resolve().parent
# The unit for systemd, before the build makes two variants of it.
UNIT = HERE.parents[1] / 'src/monitor/videohistogram-monitor.service.in'

# Whether the program was built with a sanitizer, which makes it slow.
SANITIZED = bool(os.environ.get('TEST_SANITIZED'))

# Far longer than anything takes, even on a busy machine or with a sanitizer.
MAX_WAIT_SECONDS = 200

# How many tests of a file run at a time, since most of them wait.
AT_ONCE = 2 if SANITIZED else 4


# A false report of LeakSanitizer: GLib's table of quarks. A full table is replaced by one that is
# 16384 bytes larger, with nothing above it on the stack that a suppression could name. The second
# message says that some threads cannot be inspected once GnuTLS is loaded.
LEAK = re.compile(
    r'\n?=+\n==\d+==ERROR: LeakSanitizer: detected memory leaks\n+'
    r'Direct leak of (\d+) byte\(s\) in (\d+) object.*\n(?: +#.*\n){2}\n'
    r'(?:Indirect leak of (\d+) byte\(s\) in (\d+) object.*\n(?: +#.*\n){2}\n)?'
    r'SUMMARY: AddressSanitizer: \d+ byte\(s\) leaked in \d+ allocation\(s\)\.\n')
NO_LEAK = re.compile(
    r'Tracer caught signal 11: .*\n==\d+==LeakSanitizer has encountered a fatal error\.\n'
    r'(?:==\d+==HINT: .*\n)*')
TABLES = ((16384, 1), (49152, 2), (98304, 3))


def is_known_leak(size, number, size_below, number_below):
    """Leaks that are not ours: tables of quarks, and for each attempt of a camera with an HTTP
    address a block of 32 bytes that owns one of 16. The latter are from the session of souphttpsrc,
    which in GStreamer 1.22 does not chain up when it is finalized."""
    return any((size - table, number - tables) == (32 * number_below, number_below)
               and size_below == 16 * number_below for table, tables in TABLES)


# rtspsrc of GStreamer 1.22, if a connection ends before a stream has begun.
OF_RTSPSRC = re.compile(r'^.*CRITICAL.*: gst_event_set_seqnum: assertion .* failed$', re.M)


def without_known_leaks(text):
    return NO_LEAK.sub('', LEAK.sub(
        lambda m: '' if is_known_leak(*(int(g or 0) for g in m.groups())) else m[0], text))


def wait_for(condition, what):
    """Waits until @condition returns a true value, and returns that value."""
    end = time.monotonic() + MAX_WAIT_SECONDS
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f'it did not come in {MAX_WAIT_SECONDS} s: {what}')


def check(*arguments, **options):
    """Returns (status, all output) of the program with a configuration that it should reject or
    only check."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                          timeout=MAX_WAIT_SECONDS, check=False, **options)
    return done.returncode, without_known_leaks(done.stdout + done.stderr)


def environment_of_unit():
    """The environment that the systemd unit sets."""
    return dict(re.findall(r'^Environment=(\w+)=(.*)$', UNIT.read_text(), re.MULTILINE))


def environment_of_others():
    """The environment for GStreamer's own programs without our plugin, which may need a
    sanitizer."""
    environment = {**os.environ, 'GST_PLUGIN_PATH_1_0': ''}
    if registry := os.environ.get('GST_REGISTRY_1_0'):
        environment['GST_REGISTRY_1_0'] = f'{registry}-others'
    return environment


def figure(name, value):
    """Publishes a test figure, like test_figure() in tests/common/."""
    print(f'figure: {name}: {value}', flush=True)
    if folder := os.environ.get('TEST_FIGURES'):
        test = f'monitor-{pathlib.Path(sys.argv[0]).stem}'
        with open(pathlib.Path(folder) / f'{test}.tsv', 'a', encoding='utf-8') as file:
            file.write(f'{name}\t{value}\n')


def everything_public(monitor):
    """Everything others can see of the program: its process, log and files."""
    pid = str(monitor.process.pid)
    proc = pathlib.Path('/proc') / pid
    shown = subprocess.run(['ps', 'ww', '-o', 'args,comm', '-p', pid, '--ppid', pid],
                           capture_output=True, text=True, check=True).stdout
    assert 'videohistogram' in shown, shown
    texts = [shown, monitor.output()]
    files = [*proc.glob('task/*/comm'), proc / 'environ', proc / 'cmdline',
             *(p for p in (monitor.folder / 'state').rglob('*') if p.is_file())]
    for path in files:
        with contextlib.suppress(FileNotFoundError):  # the thread has ended
            texts.append(path.read_text(errors='replace'))
    return '\n'.join(texts)


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()
        self.text = self.body.decode(errors='replace')

    def json(self):
        return json.loads(self.body)


class Monitor:
    """The running program. @config is the text of a key file, or None; @prefix is a command that
    runs the program."""

    running = []    # in this process

    def __init__(self, folder, *arguments, config=None, environment=(), listen=True,
                 directory=True, prefix=()):
        self.folder = pathlib.Path(folder)
        self.config = self.folder / 'monitor.conf'
        if config is not None:
            self.config.write_text(config)
            arguments = ('--config', str(self.config), *arguments)
        if listen:
            arguments = ('--listen', '127.0.0.1:0', *arguments)
        self.environment = {**os.environ, **dict(environment)}
        if directory:
            arguments = ('--directory', str(self.folder / 'state'), *arguments)
        else:
            self.environment['STATE_DIRECTORY'] = str(self.folder / 'state')
        self.arguments = (*prefix, PROGRAM, *arguments)
        self.log = self.folder / 'log'
        self.process = None
        self.start()

    def start(self):
        with self.log.open('ab') as log:
            begin = log.tell()
            self.process = subprocess.Popen(self.arguments, stdout=log, stderr=log,
                                            env=self.environment)
        Monitor.running = [m for m in Monitor.running if m.process.poll() is None] + [self]
        found = wait_for(lambda: self.process.poll() is not None or re.search(
            r'cameras?, page at (https?)://(.*):(\d+)/',
            self.log.read_bytes()[begin:].decode(errors='replace')), 'its address')
        assert found is not True, f'it ended: {self.output()}'
        self.scheme, self.host, self.port = found[1], found[2], int(found[3])

    def output(self):
        return self.log.read_text(errors='replace')

    def describe(self):
        """The state in which a failed test left the program."""
        lines = [f'log of {self.folder}:', *self.output().splitlines()[-60:]]
        try:
            lines += ['events:', *map(json.dumps, self.json('events?limit=40')), 'cameras:']
            lines += [json.dumps({k: v for k, v in camera.items()
                                  if k not in ('conditions', 'histogram', 'luma')})
                      for camera in self.json('cameras')[:20]]
            lines += ['outputs:', *map(json.dumps, self.json('outputs'))]
        except (AssertionError, OSError, http.client.HTTPException) as error:
            lines.append(repr(error))
        return '\n'.join(lines)

    def ask(self, path, method='GET', body=None, headers=()):
        connection = http.client.HTTPConnection('127.0.0.1', self.port,
                                                timeout=MAX_WAIT_SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, body, dict(headers))
            return Answer(connection.getresponse())

    def json(self, path):
        answer = self.ask('/api/v1/' + path)
        assert answer.status == 200, answer.text
        return answer.json()

    def metrics(self):
        """Returns all metrics as {name with labels: value}, without the former label of cameras."""
        lines = re.sub(r',stream="[^"]*"', '', self.ask('/metrics').text).splitlines()
        return {name: float(value) for name, value in
                (line.rsplit(' ', 1) for line in lines if not line.startswith('#'))}

    def output_named(self, name):
        return {o['name']: o for o in self.json('outputs')}.get(name)

    def camera(self, name):
        return self.json(f'cameras/{name}')

    def wait_for_state(self, name, state):
        return wait_for(lambda: self.camera(name)['state'] == state and self.camera(name),
                        f'{name} {state}')

    def reload(self):
        """Reloads the configuration and returns what the log says about it."""
        begin = len(self.output())
        self.process.send_signal(signal.SIGHUP)
        wait_for(lambda: re.search('cameras?, page at', self.output()[begin:]), 'reading again')
        return self.output()[begin:]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """Checks after a test that the log has no errors, and cleans up."""
        self.stop()
        said = OF_RTSPSRC.sub('', without_known_leaks(self.output()))
        for word in ('CRITICAL', 'Sanitizer', 'runtime error'):
            assert word not in said, said

    def stop(self):
        """Stops the program and returns its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(MAX_WAIT_SECONDS)


# One frame a second, and a limit below that: each camera causes two events a second.
BUSY = '[cameras]\nrules=signal-loss,enter=0.5,leave=0.3\nconditions=signal-loss\n'


def all_events(monitor):
    """Returns all stored events in order."""
    events = []
    while True:
        some = monitor.json('events?limit=1000&after='
                            f'{events[-1]["number"] if events else 0}')
        if not some:
            return events
        events += some


def run_sql(monitor, *statements):
    """Runs statements in the database of a stopped monitor."""
    with contextlib.closing(sqlite3.connect(monitor.folder / 'state/monitor.db')) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def begin_unseen(monitor, *alarms):
    """Has alarms, each a camera and a condition, be active since two hours ago, in the database of
    a stopped monitor."""
    since = int((time.time() - 7200) * 1e6)
    rows = ','.join(f"('{camera}', '{condition}', 1, 1, 1, 0.5, {since}, {since}, '')"
                    for camera, condition in alarms)
    run_sql(monitor, 'INSERT INTO events (camera, condition, active, topic_active, value, '
            f'threshold, time, since, reason) VALUES {rows}')


def as_sent(monitor, event):
    """An event of the API as outputs send it: with a link to the page of the camera at that
    time."""
    name = urllib.parse.quote(event['camera'], safe='')
    return {**event, 'link': f'http://127.0.0.1:{monitor.port}/#camera/{name}'
                             f'?at={event["time"][:19]}Z'}


def progress(monitor, output):
    """The number of the last event that an output has delivered, by the database."""
    path = monitor.folder / 'state/monitor.db'
    with contextlib.closing(sqlite3.connect(path)) as database:
        row = database.execute('SELECT number FROM outputs WHERE output = ?', (output,))
        return row.fetchone()[0]


def numbers_of(path):
    """The numbers of all events in a database that nobody has open."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        return [n for n, in database.execute('SELECT number FROM events ORDER BY number')]


def processor_seconds(monitor):
    """CPU seconds that the program has used."""
    stat = pathlib.Path(f'/proc/{monitor.process.pid}/stat').read_text()
    return sum(int(f) for f in stat.rpartition(')')[2].split()[11:13]) / os.sysconf('SC_CLK_TCK')


def resident(monitor):
    """Resident memory, in MiB."""
    status = pathlib.Path(f'/proc/{monitor.process.pid}/status').read_text()
    return int(re.search(r'VmRSS:\s+(\d+)', status)[1]) / 1024


def thread_seconds(monitor):
    """Returns {thread: (its name, CPU seconds)}."""
    found = {}
    for task in pathlib.Path(f'/proc/{monitor.process.pid}/task').iterdir():
        with contextlib.suppress(OSError):  # the thread has ended
            name = (task / 'comm').read_text().rstrip()
            nanoseconds = int((task / 'schedstat').read_text().split()[0])
            found[task.name] = name, nanoseconds / 1e9
    return found


def seconds_by_name(before, after):
    """Returns {thread name: CPU seconds between}, without threads that have ended."""
    used = collections.Counter()
    for thread, (name, seconds) in after.items():
        used[name] += seconds - before.get(thread, (name, 0))[1]
    return used


def remove_state(monitor):
    """Deletes the state of a stopped monitor."""
    shutil.rmtree(monitor.folder / 'state')


@contextlib.contextmanager
def locked(monitor):
    """Locks the database against other writers."""
    path = monitor.folder / 'state/monitor.db'
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute('BEGIN IMMEDIATE')
        yield
        database.execute('ROLLBACK')


class Proxy:
    """Forwards connections to a port until a test cuts it, or it swallows everything. @change may
    rewrite the data that passes."""

    def __init__(self, case, port, change=lambda data: data):
        self.to = port
        self.change = change
        self.socket = socket.create_server(('127.0.0.1', 0))
        self.port = self.socket.getsockname()[1]
        self.swallows = threading.Event()
        self.is_last = threading.Event()
        self.swallowed_at = 0
        self.ends = []
        self.accepted = self.closed = 0     # connections; closed by the one that opened them
        threading.Thread(target=self.accept, daemon=True).start()
        case.addCleanup(self.close)

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                one, _ = self.socket.accept()
                self.accepted += 1
                other = socket.create_connection(('127.0.0.1', self.to))
                self.ends += [one, other]
                for a, b in ((one, other), (other, one)):
                    threading.Thread(target=self.carry, args=(a, b, self.swallows, a is one),
                                     daemon=True).start()

    def carry(self, a, b, swallows, is_forth):
        """While it swallows, nothing comes through, not even the end of a connection."""
        with contextlib.suppress(OSError):
            while True:
                try:
                    data = a.recv(65536)
                except ConnectionResetError:    # closed before it has read everything
                    data = b''
                if not data:
                    self.closed += is_forth
                    break
                if not swallows.is_set():
                    b.sendall(self.change(data))
                    if is_forth and self.is_last.is_set():
                        self.is_last.clear()
                        self.swallow()
            if not swallows.is_set():
                b.shutdown(socket.SHUT_RDWR)

    def swallow(self):
        self.swallowed_at = time.monotonic()
        self.swallows.set()

    def swallow_after_packet(self):
        """Swallows everything after the next packet to the broker."""
        self.is_last.set()

    def recover(self):
        """Applies to new connections; existing ones stay as they are."""
        self.swallows = threading.Event()

    def cut(self):
        """Closes connections at both ends."""
        while self.ends:
            end = self.ends.pop()
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self):
        # Otherwise a thread that waits for a connection still accepts one.
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.cut()


# A camera that does not exist, which the monitor notices soon.
LOST = '[camera a]\nuri=rtsp://127.0.0.1:1/a\nrules=signal-loss,enter=0.5,leave=0.3\n'

# Of a camera that must not lose its signal, however busy the machine is.
NEVER_LOST = 'rules=signal-loss,enter=60,leave=30\n'


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def monitor(self, *arguments, **options):
        monitor = Monitor(self.folder, *arguments, **options)
        self.addCleanup(monitor.kill)
        self.addCleanup(monitor.end)
        return monitor

    def clip(self, frames=20, pattern='smpte', rate='30/1'):
        """Returns the path of a 64x48 video of JPEG pictures."""
        path = self.folder / f'{pattern}{frames}.avi'
        subprocess.run(['gst-launch-1.0', '-q', 'videotestsrc', f'num-buffers={frames}',
                        f'pattern={pattern}', '!',
                        f'video/x-raw,width=64,height=48,framerate={rate}', '!', 'jpegenc', '!',
                        'avimux', '!', 'filesink', f'location={path}'], check=True,
                       env=environment_of_others())
        return path

    def busy(self, cameras=8, more=''):
        """A monitor whose cameras cause events all the time."""
        path = self.clip(300, rate='1/1')
        return self.monitor(*(f'c{i}={path}' for i in range(cameras)), config=BUSY + more)

    def lost(self, more=''):
        """A monitor with a single event."""
        return self.monitor(config=LOST + more)

    def certify(self, name, issuer=None, subject='/CN=127.0.0.1', host='IP:127.0.0.1'):
        """Creates name.pem and name.key: a certificate by @issuer, or a self-signed one."""
        signed = ['-CA', f'{issuer}.pem', '-CAkey', f'{issuer}.key'] if issuer else []
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                        'ec_paramgen_curve:P-256', '-nodes', '-keyout', f'{name}.key', '-out',
                        f'{name}.pem', '-days', '2', '-subj', subject, '-addext',
                        f'subjectAltName={host}', *signed],
                       cwd=self.folder, check=True, capture_output=True)

    def write(self, name, text, mode=0o600):
        path = self.folder / name
        path.write_text(text)
        path.chmod(mode)
        return path


def skip(reason):
    """Reports a skip to meson."""
    print(reason)
    sys.exit(77)


# ThreadSanitizer of GCC 12 has no lock for its own memory, and ends a program if two threads need
# more of it at the same time. That is not a fault of the program.
FAULT_OF_SANITIZER = 'ERROR: ThreadSanitizer failed to allocate'


class Result(unittest.TestResult):
    """Takes down the state of every running monitor when a test fails, before they end."""

    def __init__(self):
        super().__init__()
        self.states = []

    def note(self):
        self.states += [m.describe() for m in Monitor.running if m.process.poll() is None]

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note()

    def addError(self, test, err):
        super().addError(test, err)
        self.note()

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.note()


def run_test(test):
    """Returns the report of the test, and whether it passed."""
    begin = time.monotonic()
    for _ in range(3):
        result = Result()
        test.run(result)
        failures = [f'{t.id()}\n{trace}' for t, trace in result.failures + result.errors]
        if not any(FAULT_OF_SANITIZER in f for f in failures):
            break
    word = 'ok' if result.wasSuccessful() else 'FAIL'
    return '\n'.join((
        f'{word} {time.monotonic() - begin:5.1f} s  {test.id().removeprefix("__main__.")}',
        *(f'  skipped: {reason}' for _, reason in result.skipped),
        *failures, *result.states)), result.wasSuccessful()


def all_tests(suite):
    for test in suite:
        yield from all_tests(test) if isinstance(test, unittest.TestSuite) else [test]


class Runner:
    """Runs each test in one of @at_once processes. It is also its own result object, with the
    fields that unittest.main() of Python 3.12 and later reads."""

    skipped = ()

    def __init__(self, at_once):
        self.at_once = at_once
        self.testsRun = self.failed = 0

    def run(self, suite):
        with concurrent.futures.ProcessPoolExecutor(
                self.at_once, multiprocessing.get_context('fork')) as pool:
            for done in concurrent.futures.as_completed(
                    [pool.submit(run_test, test) for test in all_tests(suite)]):
                text, passed = done.result()
                print(text, flush=True)
                self.testsRun += 1
                self.failed += not passed
        return self

    def wasSuccessful(self):
        return not self.failed


def main(at_once=AT_ONCE):
    # GStreamer takes seconds to scan all plugins: do it once here, so that the tests, which run in
    # parallel, find a complete registry.
    check('--check', 'test')
    unittest.main(testRunner=Runner(at_once))
