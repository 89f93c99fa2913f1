#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Correcting real footage adds hardly any flicker.

The footage is not part of the project: it is in ../shared/data next to the checkout, or in the
folder TEST_DATA."""

import os
import pathlib
import unittest

import common

DATA = pathlib.Path(os.environ.get('TEST_DATA') or common.SOURCE.parent / 'shared' / 'data')
CLIP = DATA / 'cctv-768x576.avi'

# How much mean luma may change from frame to frame after correction, on average, as a multiple of
# the change before correction.
MOST = 1.2


def mean_change(levels):
    return sum(abs(a - b) for a, b in zip(levels, levels[1:])) / (len(levels) - 1)


class Flicker(unittest.TestCase):
    def measure(self, settings, measured='videohistogram interval=0 message-counts=false'):
        """Returns the mean changes of mean luma before and after."""
        results = common.run(f'filesrc location="{CLIP}" ! decodebin ! {measured} ! '
                             f'videoequalize {settings} ! {measured} ! fakesink sync=false')
        # Each frame's message from the first element comes before that from the second.
        levels = [result['luma-average'] for result in results]
        before, after = levels[::2], levels[1::2]
        self.assertEqual((len(before), len(after)), (795, 795))
        print(f'{settings or "defaults"}: {mean_change(after) / mean_change(before):.3f} '
              'of the source')
        return mean_change(before), mean_change(after)

    def test_defaults(self):
        before, after = self.measure('')
        self.assertLessEqual(after, MOST * before)
        self.assertGreater(after, 0)

    def test_clahe(self):
        before, after = self.measure('method=clahe')
        self.assertLessEqual(after, MOST * before)
        self.assertGreater(after, 0)


if not CLIP.exists():
    common.skip(f'there is no {CLIP}')
common.main()
