#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer's leaks tracer finds no object alive after pipelines have ended."""

import os
import subprocess
import unittest

import common

CAPS = 'video/x-raw,format=I420,width=64,height=48'
PIPELINES = (
    f'videotestsrc num-buffers=20 ! {CAPS} ! videohistogram interval=0 ! fakesink',
    f'videotestsrc num-buffers=20 ! {CAPS} ! videohistogram interval=0 attach-meta=always '
    'channels=luma+red+green+blue grid=4x3 ! videoconvert ! video/x-raw,format=RGB ! '
    'videoscale ! video/x-raw,width=33 ! fakesink',
    f'videotestsrc num-buffers=20 ! {CAPS} ! tee name=t t. ! queue ! videohistogram '
    'attach-meta=always ! fakesink t. ! queue ! videohistogram roi=200,200,1,1 ! fakesink',
    'videotestsrc num-buffers=20 ! videohistogram ! fakesink',
    f'videotestsrc num-buffers=20 pattern=black ! {CAPS} ! videohistogram interval=0 '
    'attach-meta=always channels=luma+gradient grid=8x8 ! videohealth '
    'rules=black,duration=0 ignore=frozen,x=0,y=0,width=0.5,height=0.5 ! fakesink',
    f'videotestsrc num-buffers=20 ! {CAPS} ! tee name=t t. ! queue ! videoscope '
    'scopes=histogram+waveform+parade+vectorscope+false-color+zebra layout=beside ! '
    'videohistogram interval=0 ! fakesink t. ! queue ! videoscope layout=only ! fakesink',
)
REFUSED = (
    f'videotestsrc num-buffers=20 ! {CAPS} ! videohistogram backend=cuda ! fakesink',
)


def trace(command):
    """Runs a command; returns its exit status and the objects reported alive."""
    run = subprocess.run(command, capture_output=True, text=True, timeout=120,
                         env=os.environ | {'GST_TRACERS': 'leaks', 'GST_DEBUG_NO_COLOR': '1',
                                           'GST_DEBUG': 'GST_TRACER:7', 'GST_DEBUG_FILE': ''})
    alive = [line for line in run.stderr.splitlines() if ':: object-alive, ' in line]
    return run, alive


class Leaks(unittest.TestCase):
    def check(self, launch, status):
        run, alive = trace(['gst-launch-1.0', '-m', *launch.split()])
        self.assertEqual(run.returncode, status, run.stderr)
        self.assertNotIn('CRITICAL', run.stderr)
        self.assertEqual(alive, [])
        return run

    def test_pipelines(self):
        for launch in PIPELINES:
            with self.subTest(launch=launch):
                run = self.check(launch, 0)
                self.assertIn('videohistogram, timestamp=', run.stdout)

    @unittest.skipIf(os.path.exists('/dev/nvidiactl'), 'there is a GPU')
    def test_refused(self):
        for launch in REFUSED:
            with self.subTest(launch=launch):
                run, alive = trace(['gst-launch-1.0', *launch.split()])
                self.assertNotEqual(run.returncode, 0)
                self.assertEqual(alive, [])

    def test_the_tracer_works(self):
        """A deliberate leak is found."""
        leak = ('import gi; gi.require_version("Gst", "1.0"); from gi.repository import Gst; '
                'Gst.init(None); e = Gst.ElementFactory.make("videohistogram"); Gst.deinit()')
        _, alive = trace(['/usr/bin/python3', '-c', leak])
        self.assertNotEqual(alive, [])


common.main()
