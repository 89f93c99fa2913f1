# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program videohistogram-monitor, run by tests on loopback, each in a folder of its
own."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ['TEST_MONITOR']
HERE = pathlib.Path(__file__).resolve().parent

# Everything is there sooner, on a busy machine and under a sanitizer too.
PATIENCE_SECONDS = 60


# What GLib allocates when it is loaded, with nothing above it that a suppression could name,
# is no leak, though LeakSanitizer reports it.
QUARKS = re.compile(r'=+\n==\d+==ERROR: LeakSanitizer: detected memory leaks\n+'
                    r'Direct leak of 16384 byte\(s\) in 1 object.*\n(?: +#.*\n){2}\n'
                    r'SUMMARY: AddressSanitizer: 16384 byte\(s\) leaked in 1 allocation\(s\)\.')


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
    return done.returncode, done.stdout + done.stderr


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
    """What others see of the program: processes, its log, and its files."""
    proc = pathlib.Path(f'/proc/{monitor.process.pid}')
    texts = [subprocess.run(['ps', 'axww', '-o', 'args'], capture_output=True, text=True,
                            check=True).stdout, monitor.output()]
    files = [*proc.glob('task/*/comm'), proc / 'environ', proc / 'cmdline',
             *(p for p in (monitor.folder / 'state').rglob('*') if p.is_file())]
    return '\n'.join(texts + [p.read_text(errors='replace') for p in files])


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()
        self.text = self.body.decode(errors='replace')

    def json(self):
        return json.loads(self.body)


class Monitor:
    """The running program. @config is the text of a key file, or None."""

    def __init__(self, folder, *arguments, config=None, environment=(), listen=True):
        self.folder = pathlib.Path(folder)
        self.config = self.folder / 'monitor.conf'
        if config is not None:
            self.config.write_text(config)
            arguments = ('--config', str(self.config), *arguments)
        if listen:
            arguments = ('--listen', '127.0.0.1:0', *arguments)
        self.arguments = (PROGRAM, '--directory', str(self.folder / 'state'), *arguments)
        self.environment = {**os.environ, **dict(environment)}
        self.log = self.folder / 'log'
        self.process = None
        self.start()

    def start(self):
        with self.log.open('ab') as log:
            begin = log.tell()
            self.process = subprocess.Popen(self.arguments, stdout=log, stderr=log,
                                            env=self.environment)
        found = wait_for(lambda: self.process.poll() is not None or re.search(
            r'cameras at (https?)://(.*):(\d+)/', self.output()[begin:]), 'its address')
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

    def camera(self, name):
        return self.json(f'cameras/{name}')

    def wait_for_state(self, name, state):
        return wait_for(lambda: self.camera(name)['state'] == state and self.camera(name),
                        f'{name} {state}: {self.output()}')

    def reload(self):
        """Has the configuration read again, and returns what was said."""
        begin = len(self.output())
        self.process.send_signal(signal.SIGHUP)
        wait_for(lambda: 'cameras at' in self.output()[begin:], 'reading again')
        return self.output()[begin:]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """After a test: it has no faults that only its log shows, and leaves none behind."""
        self.stop()
        said = QUARKS.sub('', self.output())
        for word in ('CRITICAL', 'Sanitizer', 'runtime error'):
            assert word not in said, said

    def stop(self):
        """Its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(PATIENCE_SECONDS)


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

    def write(self, name, text, mode=0o600):
        path = self.folder / name
        path.write_text(text)
        path.chmod(mode)
        return path


def skip(reason):
    """What meson calls a skip."""
    print(reason)
    sys.exit(77)


def main():
    unittest.main(verbosity=2)
