#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ThreadSanitizer sees races, but reports none where functions of GLib or GStreamer order the
accesses of threads.

see-races.py RACES: the program of races.c"""

import subprocess
import sys
import unittest

RACES = sys.argv[1]
FOUND = 66  # what ThreadSanitizer exits with
REPORTS = {'clear': 'destroy of a locked mutex', 'nested': 'lock-order-inversion'}
RACE = 'data race .* in touch'
SUMMARY = 'SUMMARY: ThreadSanitizer: '


def run(*args):
    return subprocess.run([RACES, *args], capture_output=True, text=True, timeout=60, check=False)


class SeeRaces(unittest.TestCase):
    def setUp(self):
        self.names = run().stdout.split()
        self.assertIn('mutex', self.names)

    def test_one_guard(self):
        for name in self.names:
            with self.subTest(guard=name):
                done = run(name)
                self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_a_guard_for_each(self):
        for name in self.names:
            with self.subTest(guard=name):
                done = run(name, 'apart')
                self.assertEqual(done.returncode, FOUND, done.stderr)
                self.assertRegex(done.stderr, SUMMARY + REPORTS.get(name, RACE))


unittest.main(argv=sys.argv[:1])
