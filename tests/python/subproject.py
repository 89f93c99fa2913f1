#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Another project that has this one as a subproject."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import common

BUILD_FILE = """project('parent', 'c')
executable('parent', 'main.c', dependencies: [
  dependency('gstreamer-videohistogram-1.0', fallback: 'gst-videohistogram'),
  dependency('gstvideohistogram', fallback: 'gst-videohistogram')])
"""

# It has no config.h, and gets none from the public headers. Plugin and program use one library,
# because its types cannot be registered twice.
PROGRAM = """#include <gst/videohistogram/videohistogram.h>
#if __has_include ("config.h")
#error "the config.h of another project"
#endif

GST_PLUGIN_STATIC_DECLARE (videohistogram);

int
main (int argc, char **argv)
{
  GstElement *pipeline;
  GstMessage *message;
  GstVideoHistogram *histogram;
  GstVideoHistogramEngine *engine;
  GError *error = NULL;

  gst_init (&argc, &argv);
  GST_PLUGIN_STATIC_REGISTER (videohistogram);
  pipeline = gst_parse_launch ("videotestsrc num-buffers=1 ! "
      "videohistogram name=h ! videoequalize ! fakesink", NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline),
      20 * GST_SECOND, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
  histogram = gst_video_histogram_from_structure (
      gst_message_get_structure (message), NULL);
  g_print ("%s\\n", gst_video_histogram_get_backend (histogram));
  gst_video_histogram_unref (histogram);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);

  engine = gst_video_histogram_engine_new ();
  if (!gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CUDA, -1, NULL, &error))
    g_print ("%s\\n", error->message);
  g_clear_error (&error);
  g_object_unref (engine);
  return gst_video_histogram_info_get_type () == 0;
}
"""

# The reason comes from the build.
OUTPUT = 'cpu\nthis build has no CUDA backend: disabled by -Dcuda=disabled\n'


class Subproject(unittest.TestCase):
    def run_command(self, *command):
        done = subprocess.run(command, cwd=self.parent, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False,
                              env={**os.environ, 'GST_PLUGIN_PATH_1_0': '',
                                   'LD_LIBRARY_PATH': '', 'G_DEBUG': 'fatal-warnings',
                                   'GST_REGISTRY_1_0': f'{self.parent}/registry.bin'})
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.parent = pathlib.Path(folder.name)
        (self.parent / 'subprojects').mkdir()
        (self.parent / 'subprojects/gst-videohistogram').symlink_to(common.SOURCE)
        (self.parent / 'meson.build').write_text(BUILD_FILE)
        (self.parent / 'main.c').write_text(PROGRAM)

    def test_static(self):
        """The program contains library and plugin. The build has no tests of ours and no other
        program. The program also links with the installed files."""
        self.run_command('meson', 'setup', '-Ddefault_library=static', '--buildtype=plain',
                         '--prefix=/usr', '-Dwarning_level=3', '-Dwerror=true',
                         '-Dgst-videohistogram:cuda=disabled',
                         '-Dgst-videohistogram:introspection=disabled', 'build')
        self.run_command('ninja', '-C', 'build')
        self.assertEqual(self.run_command('build/parent'), OUTPUT)
        self.assertEqual(json.loads(self.run_command('meson', 'introspect', '--tests', 'build')),
                         [])
        programs = [target['name'] for target in json.loads(
                        self.run_command('meson', 'introspect', '--targets', 'build'))
                    if target['type'] == 'executable']
        self.assertEqual(programs, ['parent'])

        staging = self.parent / 'staging'
        self.run_command('meson', 'install', '-C', 'build', '--no-rebuild', '--destdir', staging)
        folders = []
        for path in staging.rglob('*.pc'):
            path.write_text(path.read_text().replace('prefix=/usr\n', f'prefix={staging}/usr\n'))
            folders.append(str(path.parent))
        self.assertEqual(len(folders), 2)
        flags = self.run_command('env', f'PKG_CONFIG_PATH={":".join(folders)}', 'pkg-config',
                                 '--static', '--cflags', '--libs', 'gstvideohistogram').split()
        self.run_command('cc', '-o', 'installed', 'main.c', *flags)
        self.assertEqual(self.run_command('./installed'), OUTPUT)


if __name__ == '__main__':
    unittest.main()
