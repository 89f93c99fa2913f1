#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Uses an installed copy as others would: with pkg-config and gst-inspect-1.0 only."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

import common

GIR = '{http://www.gtk.org/introspection/core/1.0}'
# In a stack trace: our functions, our library without symbols, or the calling program.
OURS = re.compile(r'\b(gst_video_(histogram|joint|sparse|equal|health)|vh_)|videohistogram|'
                  r'everything|foreign')

PROGRAM = r'''
#include <gst/videohistogram/videohistogram.h>

int
main (int argc, char **argv)
{
  GstVideoHistogramEngine *engine;
  GstVideoHistogramSpec spec;
  GstVideoHistogram *histogram;
  GstBuffer *buffer;
  GstCaps *caps;
  guint n;

  gst_init (&argc, &argv);
  engine = gst_video_histogram_engine_new ();
  gst_video_histogram_spec_init (&spec);
  caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=8,height=4,"
      "framerate=25/1");
  buffer = gst_buffer_new_allocate (NULL, 32, NULL);
  gst_buffer_memset (buffer, 0, 7, 32);
  if (!gst_video_histogram_engine_open (engine, GST_VIDEO_HISTOGRAM_BACKEND_CPU,
          -1, NULL, NULL)
      || !gst_video_histogram_engine_configure (engine, caps, &spec, NULL))
    return 1;
  histogram = gst_video_histogram_engine_submit (engine, buffer, NULL, FALSE, NULL);
  if (gst_video_histogram_get_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, &n)[7] != 32 || n != 256)
    return 2;
  g_print ("%d\n", GST_TYPE_VIDEO_HISTOGRAM_CHANNELS != 0);
  gst_video_histogram_unref (histogram);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
  g_object_unref (engine);
  return 0;
}
'''


def run(*command, **environment):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                            env=os.environ | environment, timeout=1000)
    if result.returncode != 0:
        raise AssertionError(f'{command}: {result.returncode}\n{result.stdout}{result.stderr}')
    return result.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Installs the build into a folder, as packagers do, and tells the .pc file about it."""
        root = common.build_root() / 'tests' / 'installed'
        build, staging, cls.work = common.build_root(), root / 'staging', root / 'work'
        shutil.rmtree(root, ignore_errors=True)
        cls.work.mkdir(parents=True)
        run('meson', 'install', '-C', build, '--no-rebuild', '--destdir', staging)
        options = {option['name']: option['value'] for option in
                   json.loads(run('meson', 'introspect', '--buildoptions', build))}
        prefix = pathlib.Path(options['prefix'])
        cls.prefix = staging / prefix.relative_to('/')
        libraries = cls.prefix / options['libdir']

        pkgconfig, = libraries.glob('pkgconfig/*.pc')
        text = pkgconfig.read_text()
        if f'prefix={prefix}\n' not in text:
            raise AssertionError(f'{pkgconfig} is not for {prefix}:\n{text}')
        pkgconfig.write_text(text.replace(f'prefix={prefix}\n', f'prefix={cls.prefix}\n'))
        cls.environment = {
            'PKG_CONFIG_PATH': str(pkgconfig.parent),
            'LD_LIBRARY_PATH': str(libraries),
            'GST_PLUGIN_PATH_1_0': str(libraries / 'gstreamer-1.0'),
            'GST_REGISTRY_1_0': str(cls.work / 'registry.bin'),
        }

    def ask_for_flags(self, *options):
        """Returns compiler flags, with spaces in folder names quoted."""
        return shlex.split(run('pkg-config', *options, 'gstreamer-videohistogram-1.0',
                               **self.environment))

    def test_program(self):
        source, program = self.work / 'program.c', self.work / 'program'
        source.write_text(PROGRAM)
        flags = self.ask_for_flags('--cflags', '--libs')
        run('cc', '-Wall', '-Werror', '-o', program, source, *flags)
        self.assertEqual(run(program, **self.environment), '1\n')

    def test_uninstalled(self):
        """The .pc file of the build folder works for programs in C and in Vala."""
        build = common.build_root()
        environment = {'PKG_CONFIG_PATH': str(build / 'meson-uninstalled'),
                       'LD_LIBRARY_PATH': str(build / 'src/gst/videohistogram')}
        source, program = self.work / 'uninstalled.c', self.work / 'uninstalled'
        source.write_text(PROGRAM)
        flags = shlex.split(run('pkg-config', '--cflags', '--libs', 'gstreamer-videohistogram-1.0',
                                **environment))
        run('cc', '-Wall', '-Werror', '-o', program, source, *flags)
        self.assertEqual(run(program, **environment), '1\n')
        vapi = build / 'src/gst/videohistogram/gstreamer-videohistogram-1.0.vapi'
        if vapi.exists():
            program = self.work / 'uninstalled-vala'
            run('valac', '--vapidir', vapi.parent, '--pkg', 'gstreamer-video-1.0',
                '--pkg', 'gstreamer-videohistogram-1.0', '-X', '-w',
                common.SOURCE / 'tests/strangers/everything.vala', '-o', program, **environment)
            run(program, **environment)

    def test_every_function(self):
        """A C program that calls every public function runs without leaks; no function is
        missing."""
        source = common.SOURCE / 'tests/strangers/everything.c'
        text = source.read_text()
        headers = ''.join(path.read_text() for path in self.prefix.rglob('videohistogram/gst*.h')
                          if 'enumtypes' not in path.name)
        declared = set(re.findall(r'\b(gst_[a-z_]+) \(', re.sub(r'/\*.*?\*/', '', headers,
                                                                 flags=re.S)))
        # Functions called by macros, and GStreamer's functions in inline functions.
        self.assertGreater(len(declared), 90)
        self.assertEqual([name for name in sorted(declared) if f'{name} (' not in text
                          and f'{name}\n' not in text], [])
        program = self.work / 'everything'
        flags = self.ask_for_flags('--cflags', '--libs')
        run('cc', '-Wall', '-Wextra', '-Werror', '-g', '-o', program, source, *flags)
        self.run_watched([program])

        self.cxx_of(source, flags)

    def cxx_of(self, source, flags):
        """Converts the program to C++, with that language's names and types."""
        for standard in '17', '20':
            with self.subTest(f'C++{standard}'):
                program = self.work / 'everything-cxx'
                run('c++', f'-std=c++{standard}', '-Wall', '-Wextra', '-Werror', '-o', program,
                    '-x', 'c++', source, *flags)
                run(program, **self.environment)

    def test_every_function_in_python(self):
        self.run_script('everything.py', '/usr/bin/python3')

    def test_every_function_in_javascript(self):
        self.run_script('everything.js', 'gjs')

    def run_script(self, name, interpreter):
        """Runs a script with the same calls as the C program, by introspection."""
        script = common.SOURCE / 'tests/strangers' / name
        text = script.read_text()
        self.assertEqual([name for name in self.described()
                          if not re.search(rf'[._]{name}\(', text)], [])
        self.run_watched([interpreter, script])

    def described(self):
        """The functions that other languages can call, without their types."""
        gir = next(self.prefix.rglob('*.gir'), None)
        if not gir:
            self.skipTest('the build has no introspection')
        names = [element.get('name') for kind in ('function', 'method', 'constructor')
                 for element in xml.etree.ElementTree.parse(gir).iter(GIR + kind)
                 if not element.get('moved-to') and element.get('introspectable') != '0']
        self.assertGreater(len(names), 80)
        return names

    def run_watched(self, command):
        """Runs it plainly, with valgrind and with the leaks tracer."""
        typelib = next(self.prefix.rglob('*.typelib'), self.work)
        environment = {**self.environment, 'GI_TYPELIB_PATH': str(typelib.parent),
                       'PYTHONMALLOC': 'malloc', 'G_SLICE': 'always-malloc'}
        # Other plugins may leak, so only ours is loaded. The first run adds it to the registry.
        alone = {**environment, 'GST_PLUGIN_SYSTEM_PATH_1_0': '',
                 'GST_REGISTRY_1_0': str(self.work / 'own-registry.bin')}
        run(*command, **alone)
        log = self.work / 'valgrind.log'
        run('valgrind', '-q', f'--log-file={log}', '--leak-check=full', '--num-callers=30',
            '--show-leak-kinds=definite', '--smc-check=all-non-file', *command, **alone)
        # The loader and interpreters leak some memory of their own.
        ours = [error for error in log.read_text().split('== \n') if OURS.search(error)]
        self.assertEqual(ours, [])
        done = subprocess.run(command, capture_output=True, text=True, check=True,
                              env={**os.environ, **environment, 'GST_TRACERS': 'leaks',
                                   'GST_DEBUG': 'GST_TRACER:7', 'GST_DEBUG_NO_COLOR': '1'})
        self.assertIn('object-alive.class', done.stderr)
        self.assertNotIn(':: object-alive, ', done.stderr)

    def test_version(self):
        version = run('pkg-config', '--modversion', 'gstreamer-videohistogram-1.0',
                      **self.environment).strip()
        self.assertIn(f"version: '{version}'", (common.SOURCE / 'meson.build').read_text())
        self.assertIn(version, run('gst-inspect-1.0', 'videohistogram', **self.environment))

    def test_headers(self):
        """Each header compiles on its own."""
        flags = self.ask_for_flags('--cflags')
        headers = sorted(pathlib.Path(self.prefix).rglob('videohistogram/*.h'))
        self.assertEqual(len(headers), 18)
        for header in headers:
            with self.subTest(header=header.name):
                source = self.work / 'header.c'
                source.write_text(f'#include <gst/videohistogram/{header.name}>\n')
                run('cc', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', source, *flags)

    def test_paths(self):
        """Installed files search only where the system does."""
        for library in self.prefix.rglob('*.so'):
            with self.subTest(library=library.name):
                self.assertNotRegex(run('readelf', '-dW', library), r'\((RPATH|RUNPATH)\)')

    def test_variables(self):
        """The folders of plugins and introspection data."""
        if not any(self.prefix.rglob('*.gir')):
            self.skipTest('the build has no introspection')
        for name, suffix in (('pluginsdir', 'libgst*.so'), ('girdir', 'GstVideoHistogram-1.0.gir'),
                             ('typelibdir', 'GstVideoHistogram-1.0.typelib')):
            with self.subTest(name):
                folder = run('pkg-config', f'--variable={name}', 'gstreamer-videohistogram-1.0',
                             **self.environment).strip()
                self.assertEqual(len(list(pathlib.Path(folder).glob(suffix))), 1)

    def test_documents(self):
        """Each page is installed, with everything it links to except source files."""
        folder, = self.prefix.rglob('doc/gst-videohistogram')
        self.assertIn('LESSER GENERAL PUBLIC', (folder / 'LICENSE').read_text())
        self.assertTrue((folder / 'NEWS').exists())
        pages = [folder / 'README.md', *(folder / 'docs').rglob('*.md')]
        self.assertGreater(len(pages), 6)
        for page in pages:
            for target in re.findall(r'\]\(((?:\.\./)*[\w/-]+\.(?:md|jpg|svg))',
                                     page.read_text()):
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((page.parent / target).exists()
                                    or target.endswith('CONTRIBUTING.md'))

    def test_reference_manual(self):
        if not (common.build_root() / 'docs/reference/gst-videohistogram-1.0').exists():
            self.skipTest('the build has no reference manual')
        folder, = self.prefix.rglob('doc/gst-videohistogram-1.0')
        self.assertTrue((folder / 'index.html').exists())
        self.assertTrue((folder / 'gst-videohistogram-1.0.devhelp2').exists())

    def test_manual_page(self):
        page, = self.prefix.rglob('man7/gst-videohistogram.7')
        self.assertEqual(run('groff', '-man', '-Tutf8', '-ww', '-z', page), '')
        version = run('pkg-config', '--modversion', 'gstreamer-videohistogram-1.0',
                      **self.environment).strip()
        self.assertIn(f'gst-videohistogram {version}', page.read_text())

    def test_every_function_in_vala(self):
        """Likewise in Vala, where constructors have the names of their classes."""
        source, program = common.SOURCE / 'tests/strangers/everything.vala', self.work / 'vala'
        vapi = next(self.prefix.rglob('gstreamer-videohistogram-1.0.vapi'), None)
        if not vapi:
            self.skipTest('the build has no API file for Vala')
        text = source.read_text()
        self.assertEqual([name for name in self.described() if name not in ('new', 'quark')
                          and not re.search(rf'[._]{name} \(', text)], [])
        for kind in ('VideoEqualizer', 'VideoHealth', 'VideoHealthEngine', 'VideoHistogram',
                     'VideoHistogramEngine', 'VideoJointHistogram', 'VideoScope',
                     'VideoSparseCounts'):
            self.assertIn(f'new Gst.{kind} (', text)
        run('valac', '--vapidir', vapi.parent, '--pkg', 'gstreamer-video-1.0', '--pkg',
            'gstreamer-videohistogram-1.0', '-X', '-w', '-o', program, source,
            **self.environment)
        self.run_watched([program])

    def test_rust(self):
        """A program without a binding, if there is a compiler."""
        compiler = shutil.which('rustc')
        if not compiler:
            self.skipTest('there is no rustc')
        program = self.work / 'foreign'
        flags = [word for flag in self.ask_for_flags('--libs') for word in
                 ('-C', f'link-arg={flag}')]
        run(compiler, '--edition', '2021', '-o', program,
            common.SOURCE / 'tests/strangers/foreign.rs', *flags)
        self.run_watched([program])

    def test_plugin(self):
        self.assertIn(str(self.prefix), run('gst-inspect-1.0', 'videohistogram',
                                            **self.environment))


common.main()
