#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts of real footage decoded by GStreamer equal those of ffmpeg and numpy.

golden.json was made with FFmpeg 5.1. Later versions decode some codecs to other samples: if the
counts differ, they have to equal those of the installed ffmpeg.

The footage is not part of the project: it is in ../shared/data next to the checkout, or in the
folder TEST_DATA."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

import common

DATA = pathlib.Path(os.environ.get('TEST_DATA') or common.SOURCE.parent / 'shared' / 'data')
HISTOGRAM = 'videohistogram interval=0 backend=' + os.environ.get('TEST_BACKEND', 'cpu')


def decode_luma(path, frame, pixels):
    """Returns ffmpeg's count of each luma code value in a YUV frame."""
    command = ['ffmpeg', '-v', 'error', '-i', path,
               '-vf', f'select=eq(n\\,{frame}),extractplanes=y', '-frames:v', '1',
               '-fps_mode', 'passthrough', '-f', 'rawvideo', '-']
    samples = subprocess.run(command, check=True, capture_output=True).stdout
    assert len(samples) == pixels
    return [samples.count(value) for value in range(256)]


class Golden(unittest.TestCase):
    def setUp(self):
        self.golden = json.loads((DATA / 'golden.json').read_text())

    def check(self, name, launch, channel='luma', golden_channel=None):
        """Checks each frame of a file that golden.json lists."""
        results = common.run(f'filesrc location="{DATA / name}" ! {launch} ! '
                             'fakesink sync=false')
        wanted = self.golden[name]
        self.assertGreater(len(wanted['frames']), 0)
        for frame, channels in wanted['frames'].items():
            result = results[int(frame)]
            self.assertEqual(result['width'], wanted['width'])
            self.assertEqual(result['height'], wanted['height'])
            self.assertEqual(result['pixels'], wanted['width'] * wanted['height'])
            counts = channels[golden_channel or channel]
            if (list(result[channel]) != counts and channel == 'luma' and not golden_channel
                    and shutil.which('ffmpeg')):
                counts = decode_luma(DATA / name, frame, result['pixels'])
            self.assertEqual(list(result[channel]), counts, f'{name}, frame {frame}')
        return results

    def test_msmpeg4(self):
        results = self.check('cctv-768x576.avi', f'decodebin ! {HISTOGRAM}')
        self.assertEqual(len(results), 795)

    def test_h264(self):
        results = self.check('bikes.mp4', f'decodebin ! {HISTOGRAM}')
        self.assertEqual(len(results), 250)

    def test_behind_a_queue_and_a_tee(self):
        self.check('bikes.mp4', f'decodebin ! queue ! tee ! queue ! {HISTOGRAM} attach-meta=always')

    def test_rgb(self):
        for channel in ('red', 'green', 'blue'):
            self.check('kodim03.png', f'decodebin ! {HISTOGRAM} channels={channel}', channel)

    def test_rgb_of_other_layouts(self):
        for layout in ('RGB', 'BGR', 'RGBx', 'xBGR', 'ARGB', 'GBR', 'BGRP', 'RGBA'):
            launch = (f'decodebin ! videoconvert ! video/x-raw,format={layout} ! '
                      f'{HISTOGRAM} channels=red+green+blue')
            for channel in ('red', 'green', 'blue'):
                self.check('kodim03.png', launch, channel)

    def test_luma_of_rgb(self):
        for matrix, colorimetry in (('bt601', '1:4:7:1'), ('bt709', '1:3:7:1'),
                                    ('bt709', '1:1:7:1')):
            self.check('kodim03.png',
                       f'decodebin ! capssetter caps=video/x-raw,colorimetry={colorimetry} ! '
                       f'{HISTOGRAM}', 'luma', 'luma-' + matrix)


if not (DATA / 'golden.json').exists():
    common.skip(f'there is no {DATA / "golden.json"}')
common.main()
