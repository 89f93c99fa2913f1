#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the debug output: level 5 logs each choice of a device and a method, each fallback, retry,
allocation, late kernel and lost GPU, once each; level 6 logs each frame.

debug.py GST_LAUNCH DOUBLE_DIR: the program gst-launch-1.0, and the folder of the driver double."""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

GST_LAUNCH = sys.argv[1]
WITH_DOUBLE = pathlib.Path(__file__).resolve().parent.parent / 'double' / 'with-double'
LARGE = 'video/x-raw,format=NV12,width=320,height=240,framerate=30/1'
SMALL = 'video/x-raw,format=NV12,width=64,height=48,framerate=30/1'
COUNT = 'videohistogram name=histogram interval=0'
TO_GPU = 'cudaupload ! video/x-raw(memory:CUDAMemory) !'
TIME_OF_FRAME = r'0:00:00\.[0-9]{9}'

LINE = re.compile(r'\S+ +\d+ +0x[0-9a-f]+ (?P<level>[A-Z]+) +(?P<category>\S+) '
                  r'[^ ]*:\d+:\w+:(?:<[^>]*>)? ?(?P<text>.*)')
Line = collections.namedtuple('Line', 'level category text')


class Log:
    def __init__(self, text):
        self.text = text
        self.lines = [Line(**m.groupdict()) for m in map(LINE.match, text.splitlines()) if m]

    def find(self, level, category, words):
        """Returns the lines that match @words, a regular expression."""
        return [line for line in self.lines if line.level == level
                and line.category == 'videohistogram' + category and re.search(words, line.text)]


class Debug(unittest.TestCase):
    def run_pipeline(self, pipeline, frames=10, caps=LARGE, level=5, live=False, **env):
        with tempfile.NamedTemporaryFile('r') as file:
            done = subprocess.run(
                [WITH_DOUBLE, GST_LAUNCH, '-q', *(
                    f'videotestsrc num-buffers={frames} is-live={live} ! {caps} ! {pipeline} '
                    '! fakesink sync=false').split()],
                env={**os.environ, 'VH_DOUBLE_DIR': sys.argv[2], 'GST_DEBUG_NO_COLOR': '1',
                     'GST_DEBUG_FILE': file.name, 'GST_DEBUG': f'videohistogram*:{level}', **env},
                capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return Log(file.read())

    def assert_told(self, log, level, category, words, times=None):
        found = log.find(level, category, words)
        if not found or times not in (None, len(found)):
            self.fail(f'{len(found)} lines of {level} videohistogram{category} have "{words}":\n' +
                      log.text)

    def test_choice_of_device(self):
        log = self.run_pipeline(COUNT)
        self.assert_told(log, 'DEBUG', '-library', '^opened the device cuda$', 1)
        self.assert_told(log, 'DEBUG', '-library', '^working on cuda$', 1)
        self.assert_told(log, 'INFO', '', '^counting on cuda$', 1)
        log = self.run_pipeline(COUNT, caps=SMALL)
        self.assert_told(log, 'DEBUG', '-library', '^working on cpu: frames this small', 1)
        log = self.run_pipeline(COUNT, VH_DOUBLE_DEVICES='0')
        self.assert_told(log, 'DEBUG', '-library', '^cannot open the device cuda: .*NO_DEVICE$', 1)
        self.assert_told(log, 'DEBUG', '-library', '^working on cpu: .*NO_DEVICE$', 1)
        log = self.run_pipeline(f'{TO_GPU} videoequalize')
        self.assert_told(log, 'DEBUG', '-library', '^configuring the corrector of cuda: ', 1)

    def test_choice_of_method(self):
        log = self.run_pipeline(COUNT)
        self.assert_told(log, 'DEBUG', '-cuda',
                         '320x240 .* method auto, kernel vh_frame_columns_plane$', 1)
        log = self.run_pipeline(COUNT + ' method=global-atomics')
        self.assert_told(log, 'DEBUG', '-cuda',
                         'method global-atomics, kernel vh_global_atomics$', 1)
        log = self.run_pipeline(COUNT + ' method=thread-bytes-row bins=1000')
        self.assert_told(log, 'DEBUG', '-cuda', 'method auto, kernel vh_.*: '
                         'method=thread-bytes-row cannot count these frames: .*256 bins', 1)

    def test_overload(self):
        log = self.run_pipeline(COUNT)
        self.assert_told(log, 'DEBUG', '', 'no room for wait$', 1)
        self.assert_told(log, 'DEBUG', '-base', ' is not live$', 1)
        log = self.run_pipeline(COUNT, live=True)
        self.assertEqual(log.find('DEBUG', '', 'no room for wait$'), [], log.text)
        self.assert_told(log, 'DEBUG', '-base', ' is live$', 1)

    def test_allocation(self):
        log = self.run_pipeline(COUNT)
        self.assert_told(log, 'DEBUG', '-cuda', '[0-9]+ bytes of memory, result 0$')
        self.assert_told(log, 'DEBUG', '-cuda', '[0-9]+ bytes of pinned memory, result 0$')
        self.assertEqual(len(log.find('DEBUG', '-cuda', 'freeing [0-9]+ bytes$')),
                         len(log.find('DEBUG', '-cuda', 'bytes of memory, result 0$')), log.text)
        log = self.run_pipeline(COUNT, VH_DOUBLE_FAIL='cuMemAllocAsync:1:2')
        self.assert_told(log, 'DEBUG', '-cuda', '[0-9]+ bytes of memory, result 2$', 1)

    def test_retry(self):
        log = self.run_pipeline(COUNT, frames=50, live=True,
                                VH_DOUBLE_FAIL='cuLaunchKernelEx:2:2')
        self.assert_told(log, 'DEBUG', '-cuda', r'busy \(2\): retrying in 0:00:01\.0', 1)
        self.assert_told(log, 'DEBUG', '-library',
                         '^working on cpu: Launching a kernel failed: 2, ', 1)
        self.assert_told(log, 'INFO', '', '^the GPU cannot count: Launching a kernel failed', 1)
        self.assert_told(log, 'DEBUG', '-cuda', '^retrying the GPU$', 1)
        self.assert_told(log, 'DEBUG', '-library', '^working on cuda$', 2)
        self.assert_told(log, 'DEBUG', '-cuda', '^the GPU works again$', 1)
        self.assert_told(log, 'INFO', '', '^the GPU counts again$', 1)

    def test_late(self):
        log = self.run_pipeline(COUNT, frames=75, live=True, VH_DOUBLE_HANG='1')
        self.assert_told(log, 'DEBUG', '-cuda', 'a kernel is late$')
        self.assert_told(log, 'DEBUG', '-cuda', 'retrying in 0:00:01')
        self.assert_told(log, 'DEBUG', '-library', '^working on cpu: a kernel takes too long$', 1)
        self.assert_told(log, 'DEBUG', '-cuda', 'abandoned before the GPU is done$')

    def test_lost(self):
        log = self.run_pipeline(COUNT, VH_DOUBLE_FAULT='3:700')
        self.assert_told(log, 'WARN', '-cuda', '^the GPU is lost: ', 1)
        self.assert_told(log, 'DEBUG', '-library', '^working on cpu: the GPU was lost', 1)

    def test_nothing_with_each_frame(self):
        """Level 5 logs changes, however many frames there are."""
        for env in ({}, {'VH_DOUBLE_FAULT': '3:700'}):
            few, many = (
                [line for line in self.run_pipeline(COUNT, frames=n, **env).lines
                 # As many buffers as are in flight at once.
                 if 'pinned memory' not in line.text] for n in (10, 60))
            self.assertEqual(len(few), len(many), '\n'.join(line.text for line in few + many))
            self.assertEqual([line for line in few if line.level in ('LOG', 'TRACE')], [])

    def test_each_frame(self):
        cases = (
            (COUNT, '-library', f'^counting the frame of {TIME_OF_FRAME} on cuda$'),
            (COUNT, '-cuda', '^frame 0x.*: uploaded, on stream'),
            (COUNT, '-cuda', '^frame 0x.*: kernel vh_frame_columns_plane, .* on stream'),
            (COUNT, '', f'^result of {TIME_OF_FRAME}$'),
            (COUNT + ' backend=cpu', '-library',
             f'^counting the frame of {TIME_OF_FRAME} on cpu$'),
            (f'{TO_GPU} {COUNT}', '-cuda', '^frame 0x.*: already there, on stream'),
            ('videoequalize', '-library',
             f'^frame of {TIME_OF_FRAME} on cpu, counted here: corrected$'),
            (f'{TO_GPU} videoequalize', '-library',
             f'^frame of {TIME_OF_FRAME} on cuda, counted here: corrected$'),
            (f'{TO_GPU} videoequalize', '-cuda', '^frame 0x.*: corrected '),
            ('videoscope', '-library', f'^frame of {TIME_OF_FRAME} on cpu: drawn$'),
            (f'{TO_GPU} videoscope', '-library', f'^frame of {TIME_OF_FRAME} on cuda: drawn$'),
        )
        logs = {}
        for pipeline, category, words in cases:
            with self.subTest(pipeline=pipeline, words=words):
                if pipeline not in logs:
                    logs[pipeline] = self.run_pipeline(pipeline, frames=5, level=6)
                self.assert_told(logs[pipeline], 'LOG', category, words, 5)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
