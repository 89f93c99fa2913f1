#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the program tells systemd, through a socket of the test, and what the unit allows the
program. systemd itself is not run: it would have to be the first process."""

import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest
import urllib.request

import common

# The variants that src/monitor/meson.build makes: the name, and the text in three places.
UNITS = (('videohistogram-monitor.service', '', '', ''),
         ('videohistogram-monitor@.service', ' of %i', '/%i', '-%i'))

# By systemd-analyze security, from 0 (safe) to 10.
MAX_EXPOSURE = 2.0


class Notification(common.Case):
    def setUp(self):
        super().setUp()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.socket.close)
        self.socket.bind(str(self.folder / 'notify'))
        self.socket.settimeout(common.MAX_WAIT_SECONDS)

    def receive(self, wanted):
        """Returns the next message with @wanted; skips watchdog messages before it."""
        while True:
            message = self.socket.recv(4096).decode()
            if wanted in message:
                return message
            self.assertEqual(message, 'WATCHDOG=1')

    def test_all(self):
        monitor = self.monitor(config='[camera a]\nuri=test\n', environment={
            'NOTIFY_SOCKET': str(self.folder / 'notify'), 'WATCHDOG_USEC': '2000000',
            'INVOCATION_ID': '0123456789abcdef0123456789abcdef'})
        self.assertRegex(self.receive('READY=1'),
                         r'STATUS=watching 1 camera, page at http://127\.0\.0\.1:')
        # The page names the command of systemd.
        with urllib.request.urlopen(f'http://127.0.0.1:{monitor.port}/events') as stream:
            data = next(line for line in stream if line.startswith(b'data: '))
        self.assertRegex(json.loads(data[6:])['configuration']['reload'],
                         r'^(sudo systemctl|systemctl --user) reload ')
        begin = time.monotonic()
        for _ in range(4):
            self.assertEqual(self.socket.recv(4096), b'WATCHDOG=1')
        # At least twice in the watchdog's interval.
        self.assertLess(time.monotonic() - begin, 4 * 2)

        monitor.process.send_signal(signal.SIGHUP)
        self.assertRegex(self.receive('RELOADING=1'), r'MONOTONIC_USEC=\d+')
        self.receive('READY=1')

        # A stopped main loop sends no watchdog messages.
        monitor.process.send_signal(signal.SIGSTOP)
        time.sleep(0.2)
        self.socket.setblocking(False)
        with self.assertRaises(BlockingIOError):
            while True:
                self.socket.recv(4096)
        time.sleep(1)
        with self.assertRaises(BlockingIOError):
            self.socket.recv(4096)
        self.socket.settimeout(common.MAX_WAIT_SECONDS)
        monitor.process.send_signal(signal.SIGCONT)
        self.assertEqual(self.socket.recv(4096), b'WATCHDOG=1')

        before = len(monitor.output())
        monitor.process.terminate()
        self.receive('STOPPING=1')
        self.check_end(monitor, before, 'SIGTERM')

    def check_end(self, monitor, before, name):
        """The log says why the program exits, and that nothing is lost."""
        self.assertEqual(monitor.process.wait(common.MAX_WAIT_SECONDS), 0)
        text = common.without_known_leaks(monitor.output()[before:])
        self.assertRegex(text, fr'-Message: \S+ received {name}, stopping\n'
                         r'\S+-Message: \S+ stopped: events, states and learned references are '
                         fr'saved in {monitor.folder}/state\n\Z')

    def test_interrupt(self):
        monitor = self.monitor('test')
        monitor.wait_for_state('camera1', 'up')
        before = len(monitor.output())
        monitor.process.send_signal(signal.SIGINT)
        self.check_end(monitor, before, 'SIGINT')

    def test_end_without_saving(self):
        """Learned states cannot be written if their folder is gone."""
        monitor = self.monitor('test')
        monitor.wait_for_state('camera1', 'up')
        (monitor.folder / 'state/learned').rename(monitor.folder / 'elsewhere')
        self.assertEqual(monitor.stop(), 0)
        self.assertRegex(monitor.output(), r'WARNING \*\*: \S+ stopped: could not save '
                         'everything in ')


@unittest.skipUnless(shutil.which('systemd-analyze'), 'there is no systemd-analyze')
class Unit(common.Case):
    def units(self, program):
        for name, of, config, state in UNITS:
            text = common.UNIT.read_text()
            for key, value in (('@BINDIR@/videohistogram-monitor', program), ('@OF@', of),
                               ('@CONFIG@', 'videohistogram-monitor' + config),
                               ('@STATE@', 'videohistogram-monitor' + state)):
                self.assertIn(key, text)
                text = text.replace(key, value)
            with self.subTest(unit=name):
                yield self.write(name, text)

    def test_tunables(self):
        """glibc accepts the tunables that the unit sets; it ignores unknown ones."""
        loader = re.search(r'/\S+/ld-linux\S*', pathlib.Path('/proc/self/maps').read_text())[0]
        done = subprocess.run([loader, '--list-tunables'], capture_output=True, text=True,
                              check=True, env=common.environment_of_unit())
        self.assertRegex(done.stdout, r'(?m)^glibc\.malloc\.tcache_count: 0x0 ')

    def test_exposure(self):
        for unit in self.units('/usr/bin/videohistogram-monitor'):
            done = subprocess.run(['systemd-analyze', 'security', '--offline=yes', '--no-pager',
                                   str(unit)], capture_output=True, text=True, check=False)
            exposure = float(re.search(r'Overall exposure level for .*: ([0-9.]+)',
                                       done.stdout)[1])
            self.assertLessEqual(exposure, MAX_EXPOSURE, done.stdout)

    def test_syntax(self):
        for unit in self.units(f'"{common.PROGRAM}"'):
            instance = unit.with_name(unit.name.replace('@.', '@north.'))
            unit.rename(instance)
            done = subprocess.run(['systemd-analyze', 'verify', '--man=no', str(instance)],
                                  capture_output=True, text=True, check=False)
            about = [line for line in done.stderr.splitlines() if 'videohistogram' in line]
            self.assertEqual((done.returncode, about), (0, []))


if __name__ == '__main__':
    common.main()
