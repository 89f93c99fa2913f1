#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""videoscope draws the same bytes on a GPU as on the CPU, in each layout, in place and into copies,
and in several streams at once.

drawing.py GST_LAUNCH DOUBLE_DIR: the program gst-launch-1.0, and the folder of the driver
double."""

import os
import pathlib
import subprocess
import sys
import unittest

GST_LAUNCH = sys.argv[1]
WITH_DOUBLE = pathlib.Path(__file__).resolve().parent.parent / 'double' / 'with-double'
# Sizes without padding, whose bytes are undefined.
SIZES = [(320, 240), (328, 182)]
FORMATS = ['NV12', 'P010_10LE', 'I420', 'RGBA']
SCOPES = ['', 'layout=beside position=right', 'layout=only scopes=parade+vectorscope',
          'scopes=histogram+waveform+vectorscope+false-color+zebra components=rgb mode=parade '
          'persistence=500000000 envelope=peak']
TO_FILE = 'cudadownload ! filesink location=/dev/stdout'
COPIES = f'tee name=t t. ! queue ! videoscope {{}} ! {TO_FILE} t. ! queue ! fakesink'
COMPANY = 'videotestsrc num-buffers=20 pattern=snow ! {} ! cudaupload ! videoscope ! fakesink'


class Drawing(unittest.TestCase):
    def draw(self, caps, pipeline):
        done = subprocess.run(
            [WITH_DOUBLE, GST_LAUNCH, '-q', *(
                f'videotestsrc num-buffers=3 pattern=ball ! {caps} ! {pipeline}').split()],
            env={**os.environ, 'VH_DOUBLE_DIR': sys.argv[2]}, capture_output=True, timeout=120,
            check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertTrue(done.stdout)
        return done.stdout

    def test_same_bytes(self):
        for name in FORMATS:
            for width, height in SIZES:
                for scopes in SCOPES:
                    with self.subTest(format=name, width=width, scopes=scopes):
                        caps = f'video/x-raw,format={name},width={width},height={height}'
                        drawn = self.draw(
                            caps, f'videoscope {scopes} ! filesink location=/dev/stdout')
                        self.assertNotEqual(
                            drawn, self.draw(caps, 'filesink location=/dev/stdout'))
                        self.assertEqual(
                            self.draw(caps, f'cudaupload ! videoscope {scopes} ! {TO_FILE}'), drawn)
                        self.assertEqual(
                            self.draw(caps, f'cudaupload ! {COPIES.format(scopes)}'), drawn)

    def test_company(self):
        caps = 'video/x-raw,format=NV12,width=320,height=240'
        others = ' '.join(COMPANY.format(caps.replace('320', str(64 * i))) for i in range(1, 5))
        alone = self.draw(caps, 'videoscope ! filesink location=/dev/stdout')
        self.assertEqual(self.draw(caps, f'cudaupload ! videoscope ! {TO_FILE} {others}'), alone)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
