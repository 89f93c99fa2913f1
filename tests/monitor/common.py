# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program videohistogram-monitor, run by tests on loopback, each in a folder of its
own."""

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
import time
import unittest

PROGRAM = os.environ['TEST_MONITOR']
HERE = pathlib.Path(__file__).resolve().parent
# The unit for systemd, before the build makes two of it.
UNIT = HERE.parents[1] / 'src/monitor/videohistogram-monitor.service.in'

# Whether the program has a sanitizer, which takes its time.
SANITIZED = bool(os.environ.get('TEST_SANITIZED'))

# Everything is there sooner, on a busy machine too.
PATIENCE_SECONDS = 200 if SANITIZED else 60

# Most of the time tests wait for what takes its time: so many of a file run together.
AT_ONCE = 2 if SANITIZED else 4


# What LeakSanitizer reports, but is no leak: GLib's table of names, which another one of 16384
# bytes more replaces when it is full, with nothing above it that a suppression could name. Nor
# can it look at some threads once GnuTLS is loaded, and says so.
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
    """Tables of names, and of each attempt of a camera that sends by HTTP 32 bytes with 16 below
    them: the session of souphttpsrc of GStreamer 1.22 does not chain up when it is finalized."""
    return any((size - table, number - tables) == (32 * number_below, number_below)
               and size_below == 16 * number_below for table, tables in TABLES)


def without_known_leaks(text):
    return NO_LEAK.sub('', LEAK.sub(
        lambda m: '' if is_known_leak(*(int(g or 0) for g in m.groups())) else m[0], text))


def wait_for(condition, what):
    """What @condition returns, once that is true."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f'it did not come in {PATIENCE_SECONDS} s: {what}')


def check(*arguments, **options):
    """(status, all output) of the program with a configuration that it should refuse, or that
    it is only to check."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                          timeout=PATIENCE_SECONDS, check=False, **options)
    return done.returncode, without_known_leaks(done.stdout + done.stderr)


def environment_of_unit():
    """What the unit sets."""
    return dict(re.findall(r'^Environment=(\w+)=(.*)$', UNIT.read_text(), re.MULTILINE))


def environment_of_others():
    """For programs of GStreamer without our plugin, which may need a sanitizer."""
    environment = {**os.environ, 'GST_PLUGIN_PATH_1_0': ''}
    if registry := os.environ.get('GST_REGISTRY_1_0'):
        environment['GST_REGISTRY_1_0'] = f'{registry}-others'
    return environment


def figure(name, value):
    """Publishes it, as test_figure() of tests/common/ does."""
    print(f'figure: {name}: {value}', flush=True)
    if folder := os.environ.get('TEST_FIGURES'):
        test = f'monitor-{pathlib.Path(sys.argv[0]).stem}'
        with open(pathlib.Path(folder) / f'{test}.tsv', 'a', encoding='utf-8') as file:
            file.write(f'{name}\t{value}\n')


def everything_public(monitor):
    """What others see of the program: the process, its log, and its files."""
    pid = str(monitor.process.pid)
    proc = pathlib.Path('/proc') / pid
    shown = subprocess.run(['ps', 'ww', '-o', 'args,comm', '-p', pid, '--ppid', pid],
                           capture_output=True, text=True, check=True).stdout
    assert 'videohistogram' in shown, shown
    texts = [shown, monitor.output()]
    files = [*proc.glob('task/*/comm'), proc / 'environ', proc / 'cmdline',
             *(p for p in (monitor.folder / 'state').rglob('*') if p.is_file())]
    for path in files:
        with contextlib.suppress(FileNotFoundError):  # of a thread that has ended
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
    """The running program. @config is the text of a key file, or None; @prefix is a command
    that runs it."""

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
        found = wait_for(lambda: self.process.poll() is not None or re.search(
            r'cameras?, page at (https?)://(.*):(\d+)/', self.output()[begin:]), 'its address')
        assert found is not True, f'it ended: {self.output()}'
        self.scheme, self.host, self.port = found[1], found[2], int(found[3])

    def output(self):
        return self.log.read_text(errors='replace')

    def ask(self, path, method='GET', body=None, headers=()):
        connection = http.client.HTTPConnection('127.0.0.1', self.port,
                                                timeout=PATIENCE_SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, body, dict(headers))
            return Answer(connection.getresponse())

    def json(self, path):
        answer = self.ask('/api/v1/' + path)
        assert answer.status == 200, answer.text
        return answer.json()

    def metrics(self):
        """{name with labels: value} of all."""
        lines = self.ask('/metrics').text.splitlines()
        return {name: float(value) for name, value in
                (line.rsplit(' ', 1) for line in lines if not line.startswith('#'))}

    def output_named(self, name):
        return {o['name']: o for o in self.json('outputs')}.get(name)

    def camera(self, name):
        return self.json(f'cameras/{name}')

    def wait_for_state(self, name, state):
        return wait_for(lambda: self.camera(name)['state'] == state and self.camera(name),
                        f'{name} {state}: {self.output()}')

    def reload(self):
        """Has the configuration read again, and returns what was said."""
        begin = len(self.output())
        self.process.send_signal(signal.SIGHUP)
        wait_for(lambda: re.search('cameras?, page at', self.output()[begin:]), 'reading again')
        return self.output()[begin:]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """After a test: it has no faults that only its log shows, and leaves none behind."""
        self.stop()
        said = without_known_leaks(self.output())
        for word in ('CRITICAL', 'Sanitizer', 'runtime error'):
            assert word not in said, said

    def stop(self):
        """Its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(PATIENCE_SECONDS)


# A frame a second and a limit of a fraction of it: two events a second from each camera.
BUSY = '[cameras]\nrules=signal-loss,enter=0.5,leave=0.3\nconditions=signal-loss\n'


def all_events(monitor):
    """All that are stored, in their order."""
    events = []
    while True:
        some = monitor.json('events?limit=1000&after='
                            f'{events[-1]["number"] if events else 0}')
        if not some:
            return events
        events += some


def run_sql(monitor, *statements):
    """In the database of a monitor that does not run."""
    with contextlib.closing(sqlite3.connect(monitor.folder / 'state/monitor.db')) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def progress(monitor, output):
    """The number of the last event that the database says an output is done with."""
    path = monitor.folder / 'state/monitor.db'
    with contextlib.closing(sqlite3.connect(path)) as database:
        row = database.execute('SELECT number FROM outputs WHERE output = ?', (output,))
        return row.fetchone()[0]


def numbers_of(path):
    """Of all events in a database that nobody has open."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        return [n for n, in database.execute('SELECT number FROM events ORDER BY number')]


def processor_seconds(monitor):
    """What it has taken of the processors."""
    stat = pathlib.Path(f'/proc/{monitor.process.pid}/stat').read_text()
    return sum(int(f) for f in stat.rpartition(')')[2].split()[11:13]) / os.sysconf('SC_CLK_TCK')


def remove_state(monitor):
    """All that a monitor that does not run has kept."""
    shutil.rmtree(monitor.folder / 'state')


@contextlib.contextmanager
def locked(monitor):
    """Meanwhile nobody else can write into its database."""
    path = monitor.folder / 'state/monitor.db'
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute('BEGIN IMMEDIATE')
        yield
        database.execute('ROLLBACK')


# A camera that is not there, which is found out soon.
LOST = '[camera a]\nuri=rtsp://127.0.0.1:1/a\nrules=signal-loss,enter=0.5,leave=0.3\n'


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
        """The path of a video of JPEG pictures, of 64x48."""
        path = self.folder / f'{pattern}{frames}.avi'
        subprocess.run(['gst-launch-1.0', '-q', 'videotestsrc', f'num-buffers={frames}',
                        f'pattern={pattern}', '!',
                        f'video/x-raw,width=64,height=48,framerate={rate}', '!', 'jpegenc', '!',
                        'avimux', '!', 'filesink', f'location={path}'], check=True,
                       env=environment_of_others())
        return path

    def busy(self, cameras=8, more=''):
        """A monitor of cameras from which events come all the time."""
        path = self.clip(300, rate='1/1')
        return self.monitor(*(f'c{i}={path}' for i in range(cameras)), config=BUSY + more)

    def lost(self, more=''):
        """A monitor from which one event comes."""
        return self.monitor(config=LOST + more)

    def certify(self, name, issuer=None, subject='/CN=127.0.0.1', host='IP:127.0.0.1'):
        """Files name.pem and name.key: a certificate by @issuer, or one that signs itself."""
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
    """What meson calls a skip."""
    print(reason)
    sys.exit(77)


# ThreadSanitizer of GCC 12 ends a program in which two threads need more of its own memory at the
# same time, for which it has no lock: that says nothing of the program.
FAULT_OF_SANITIZER = 'ERROR: ThreadSanitizer failed to allocate'


def run_test(test):
    """What is to be said of it, and whether it passed."""
    begin = time.monotonic()
    for _ in range(3):
        result = unittest.TestResult()
        test.run(result)
        failures = [f'{t.id()}\n{trace}' for t, trace in result.failures + result.errors]
        if not any(FAULT_OF_SANITIZER in f for f in failures):
            break
    word = 'ok' if result.wasSuccessful() else 'FAIL'
    return '\n'.join((
        f'{word} {time.monotonic() - begin:5.1f} s  {test.id().removeprefix("__main__.")}',
        *(f'  skipped: {reason}' for _, reason in result.skipped),
        *failures)), result.wasSuccessful()


def all_tests(suite):
    for test in suite:
        yield from all_tests(test) if isinstance(test, unittest.TestSuite) else [test]


class Runner:
    """Runs tests, each in one of @at_once processes, and is the result, with what unittest.main()
    of Python 3.12 and later looks at, too."""

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
    # GStreamer scans all plugins, which takes seconds: once here, so that tests that run at the
    # same time find the registry complete.
    check('--check', 'test')
    unittest.main(testRunner=Runner(at_once))
