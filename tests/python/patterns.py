#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""videotestsrc's white and black are 1.0 and 0.0 in every format."""

import unittest

import common
from common import Gst
from gi.repository import GstVideo


class Patterns(unittest.TestCase):
    def formats(self):
        """Formats that both elements support in system memory."""
        both = []
        for name in ('videotestsrc', 'videohistogram'):
            element = Gst.ElementFactory.make(name)
            caps = element.get_static_pad('src').query_caps()
            names = map(GstVideo.VideoFormat.to_string, GstVideo.video_formats_raw())
            both.append({name for name in names if caps.can_intersect(
                Gst.Caps.from_string(f'video/x-raw,format={name}'))})
        formats = both[0] & both[1]
        self.assertGreater(len(formats), 50)
        # Its gray formats claim full range in the caps, but white is 235.
        return sorted(f for f in formats if not f.startswith('GRAY'))

    def check(self, video_format, pattern, level):
        results = common.run(
            f'videotestsrc num-buffers=1 pattern={pattern} ! '
            f'video/x-raw,format={video_format},width=34,height=18 ! '
            'videohistogram channels=luma+red+green+blue ! fakesink')
        depth = GstVideo.VideoFormat.get_info(
            GstVideo.VideoFormat.from_string(video_format)).depth[0]
        self.assertEqual(len(results), 1)
        for channel in ('luma', 'red', 'green', 'blue'):
            for statistic in ('average', 'min', 'max', 'median', 'p1', 'p99'):
                # videotestsrc makes deeper video by repeating the bits of 235 and 16.
                self.assertAlmostEqual(results[0][f'{channel}-{statistic}'], level,
                                       delta=0 if depth == 8 else 0.005,
                                       msg=f'{video_format} {pattern} {channel}-{statistic}')

    def test_white_and_black(self):
        for video_format in self.formats():
            with self.subTest(format=video_format):
                self.check(video_format, 'white', 1.0)
                self.check(video_format, 'black', 0.0)


common.main()
