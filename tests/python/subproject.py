#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A project of somebody else that has this one as a subproject."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import common

BUILD_FILE = """project('parent', 'c')
executable('parent', 'main.c', dependencies: dependency('gstreamer-videohistogram-1.0',
  fallback: 'gst-videohistogram'))
"""

# It has no config.h, and gets none with the public headers.
PROGRAM = """#include <gst/videohistogram/videohistogram.h>
#if __has_include ("config.h")
#error "the config.h of another project"
#endif
int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  return gst_video_histogram_info_get_type () == 0;
}
"""


class Subproject(unittest.TestCase):
    def test_is_used(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        parent = pathlib.Path(folder.name)
        (parent / 'subprojects').mkdir()
        (parent / 'subprojects/gst-videohistogram').symlink_to(common.SOURCE)
        (parent / 'meson.build').write_text(BUILD_FILE)
        (parent / 'main.c').write_text(PROGRAM)
        for command in (['meson', 'setup', '-Dgst-videohistogram:cuda=disabled',
                         '-Dgst-videohistogram:introspection=disabled', 'build'],
                        ['ninja', '-C', 'build', 'parent.p/main.c.o']):
            done = subprocess.run(command, cwd=parent, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
        tests = subprocess.run(['meson', 'introspect', '--tests', 'build'], cwd=parent,
                               stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(json.loads(tests), [])


if __name__ == '__main__':
    unittest.main()
