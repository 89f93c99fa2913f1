#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the plugin and the library export and need, and how they are hardened."""

import platform
import re
import subprocess
import unittest

import common

PLUGIN = common.build_root() / 'gst/libgstvideohistogram.so'
LIBRARY = common.build_root() / 'src/gst/videohistogram/libgstvideohistogram-1.0.so.1'
SYSTEM = re.compile(r'(libgst(reamer|base|video)|lib(glib|gobject|gmodule|json-glib)|libc\.|libm\.|'
                    r'lib(cairo|pango|pangocairo)|libgstcuda|ld-linux)')

CONTROL_FLOW = 'x86 feature: IBT, SHSTK'

# Functions that run programs, read the environment, write files, or trust the lengths of strings.
BANNED = re.compile(r'(exec[lv]|fexecve|posix_spawn|v?fork$|system$|popen$|g_spawn_|'
                    r'(g_)?subprocess|(secure_|__secure_|g_)?getenv|g_get_environ|environ$|'
                    r'g_environ|mk[od]?s?temp|tmpfile|tmpnam|g_mk|mk(dir|nod|fifo)|(g_)?rmdir|'
                    r'(__)?(open|openat|creat)(64)?(_2)?$|f?d?(re)?open(64)?$|'
                    r'g_(open|creat|fopen|freopen|rename|remove|unlink)$|g_file_set_contents|'
                    r'g_file_(append|create|replace|copy|move|delete|make|open|new_tmp)|'
                    r'rename|unlink|g_dir_make_tmp|(sym)?link(at)?$|'
                    r'remove$|(__)?(gets|strcpy|strcat|v?sprintf)(_chk)?$)')
LOADERS = re.compile(r'(dlopen|dlmopen|g_module_open)')

# Ends of sections, which ld exports if a library linked in asks for them.
LINKER = {'__bss_start', '_edata', '_end'}


def readelf(*arguments):
    return subprocess.run(['readelf', '-W', *arguments], capture_output=True, text=True,
                          errors='replace', check=True).stdout


def exported(path):
    lines = subprocess.run(['nm', '-D', '--defined-only', '--without-symbol-versions', path],
                           capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in lines.splitlines()} - LINKER


def imported(path):
    lines = subprocess.run(['nm', '-D', '--undefined-only', '--without-symbol-versions', path],
                           capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in lines.splitlines()}


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
        # Declared by G_DECLARE_FINAL_TYPE.
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
                self.assertNotRegex(segments, r'LOAD .* RWE ')
                self.assertNotIn('TEXTREL', dynamic)
                self.assertIn('__stack_chk_fail', imported(path))

    @unittest.skipUnless(platform.machine() == 'x86_64', 'x86 alone has this')
    def test_control_flow(self):
        """The CPU can protect return addresses and, in our own code, indirect jumps."""
        for path in (PLUGIN, LIBRARY):
            with self.subTest(path=path.name):
                self.assertRegex(readelf('-n', str(path)), 'x86 feature: .*SHSTK')

        # The linker takes this flag on trust, so check the objects.
        objects = [path for folder in ('gst', 'src', 'kernels')
                   for path in (common.build_root() / folder).rglob('*.o')
                   if 'bench' not in str(path.relative_to(common.build_root()))]
        self.assertGreater(len(objects), 30)
        for path in objects:
            with self.subTest(path=path.name):
                self.assertIn(CONTROL_FLOW, readelf('-n', str(path)))

    def test_calls(self):
        """Nothing runs programs, reads the environment or writes files, except state-location."""
        for path, used in (PLUGIN, {'g_file_set_contents', 'rename'}), (LIBRARY, set()):
            with self.subTest(path=path.name):
                self.assertEqual({s for s in imported(path) if BANNED.match(s)}, used)

    def test_loads(self):
        """Only the driver is loaded at run time, and no library by a path of ours."""
        self.assertEqual({s for s in imported(PLUGIN) if LOADERS.match(s)}, set())
        self.assertLessEqual({s for s in imported(LIBRARY) if LOADERS.match(s)},
                             {'g_module_open'})
        for path, loaded in (PLUGIN, set()), (LIBRARY, {'libcuda.so.1'}):
            with self.subTest(path=path.name):
                strings = readelf('-p', '.rodata', str(path))
                self.assertLessEqual(set(re.findall(r'[\w./-]+\.so\b[\w.]*', strings)), loaded)
                self.assertNotRegex(strings, r'/(bin|dev|etc|home|lib|opt|proc|root|run|sys|tmp|'
                                             r'usr|var)/')
                self.assertNotIn(str(common.build_root()), strings)


common.main()
