#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the plugin and the library export and need, and how they are hardened."""

import re
import subprocess
import unittest

import common

PLUGIN = common.build_root() / 'gst/libgstvideohistogram.so'
LIBRARY = common.build_root() / 'src/gst/videohistogram/libgstvideohistogram-1.0.so.0'
SYSTEM = re.compile(r'(libgst(reamer|base|video)|lib(glib|gobject|gmodule)|libc\.|libm\.|'
                    r'libgstcuda|ld-linux)')

# Ends of sections, which ld exports where a library that is linked in asks for them.
LINKER = {'__bss_start', '_edata', '_end'}


def readelf(*arguments):
    return subprocess.run(['readelf', '-W', *arguments], capture_output=True, text=True,
                          check=True).stdout


def exported(path):
    lines = subprocess.run(['nm', '-D', '--defined-only', '--without-symbol-versions', path],
                           capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in lines.splitlines()} - LINKER


def needed(path):
    return re.findall(r'\(NEEDED\).*\[(.*)\]', readelf('-d', str(path)))


class Binaries(unittest.TestCase):
    def test_symbols_of_the_plugin(self):
        symbols = exported(PLUGIN)
        self.assertIn('gst_plugin_videohistogram_get_desc', symbols)
        self.assertEqual({s for s in symbols if not s.startswith('gst_plugin_')}, set())

    def test_symbols_of_the_library(self):
        headers = ''.join(header.read_text() for root in (common.SOURCE, common.build_root())
                          for header in (root / 'src/gst/videohistogram').glob('*.h'))
        # What G_DECLARE_FINAL_TYPE declares.
        headers += 'gst_video_histogram_engine_get_type ('
        self.assertGreater(len(exported(LIBRARY)), 30)
        for symbol in exported(LIBRARY):
            with self.subTest(symbol=symbol):
                self.assertTrue(symbol.startswith('gst_'))
                self.assertIn(symbol + ' (', headers)

    def test_dependencies(self):
        self.assertIn(LIBRARY.name, needed(PLUGIN))
        for path in (PLUGIN, LIBRARY):
            for library in needed(path):
                with self.subTest(path=path.name, library=library):
                    self.assertTrue(library == LIBRARY.name or SYSTEM.match(library))

    def test_hardening(self):
        for path in (PLUGIN, LIBRARY):
            with self.subTest(path=path.name):
                dynamic, segments = readelf('-d', str(path)), readelf('-l', str(path))
                self.assertIn('GNU_RELRO', segments)
                self.assertRegex(dynamic, r'\(FLAGS\).*BIND_NOW')
                self.assertRegex(dynamic, r'\(FLAGS_1\).*NOW')
                self.assertRegex(segments, r'GNU_STACK .* RW ')
                self.assertNotIn('TEXTREL', dynamic)

    def test_no_shell(self):
        """Nothing runs programs or writes files."""
        banned = {'system', 'popen', 'execve', 'execvp', 'fork', 'posix_spawn', 'g_spawn_async',
                  'g_spawn_sync', 'mkstemp', 'tmpfile', 'tmpnam', 'fopen', 'gets', 'strcpy',
                  'strcat', 'sprintf', 'vsprintf'}
        for path in (PLUGIN, LIBRARY):
            symbols = subprocess.run(['nm', '-D', '--undefined-only', path], check=True,
                                     capture_output=True, text=True).stdout
            used = {line.split()[-1].split('@')[0] for line in symbols.splitlines()}
            self.assertEqual(used & banned, set(), path.name)


common.main()
