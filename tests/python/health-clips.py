#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clips of simulated cameras with a coder, in the footage next to the checkout: each fault is found
once, soon, and is over once."""

import os
import pathlib
import unittest

import common
from gi.repository import Gst

DATA = pathlib.Path(os.environ.get('TEST_DATA') or common.SOURCE.parent / 'shared' / 'data')
# In each, a fault begins after 40 s and ends after 62 s.
BEGIN, END = 40, 62
# Name: conditions, any of which says what is wrong, and seconds until one must start
CLIPS = {
    'empty-room-crf35': (set(), 0),
    'quay-frozen': ({'frozen'}, 10),
    'wood-cloth': ({'moved', 'covered'}, 18),
    'room-spray': ({'low-contrast', 'blurry', 'obstructed', 'covered'}, 15),
    'parking-green-cast': ({'color-cast'}, 10),
}
# Seconds until it must be over
LATEST = 10


class Clips(unittest.TestCase):
    def watch(self, name, interval):
        """[(condition, whether it starts, s)]"""
        # One thread: frames are judged in the same order on every machine.
        changes = common.run(
            f'filesrc location={DATA}/health/{name}.mkv ! matroskademux ! h264parse ! '
            f'avdec_h264 max-threads=1 ! videohealth overload=wait interval={interval} ! '
            'fakesink', name='videohealth')
        return [(change['condition'], change['active'], change['timestamp'] / Gst.SECOND)
                for change in changes]

    def test_clips(self):
        for name, (conditions, latest) in CLIPS.items():
            for interval in 0, Gst.SECOND // 5:
                with self.subTest(name, interval=interval):
                    changes = self.watch(name, interval)
                    if not conditions:
                        self.assertEqual(changes, [])
                        continue
                    self.assertEqual([active for _, active, _ in changes], [True, False], changes)
                    (condition, _, begun), (same, _, ended) = changes
                    self.assertIn(condition, conditions)
                    self.assertEqual(condition, same)
                    self.assertTrue(BEGIN < begun <= BEGIN + latest, changes)
                    self.assertTrue(END <= ended <= END + LATEST, changes)


if not (DATA / 'health').exists():
    common.skip(f'there is no {DATA / "health"}')
common.main()
