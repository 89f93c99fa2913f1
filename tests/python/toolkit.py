#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An nvcc that cannot compile on this machine: an older compiler is used where one works, and
where none does the project builds without CUDA and says so in one line."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import common

TOOLKIT = pathlib.Path(os.environ['TEST_CUDA_INCLUDE']).parent

# Compiles only if it is given the compiler that COMPILER names.
NVCC = '''#!/bin/bash
case " $* " in
  *" --version "*) echo 'Copyright (c) 2005-2025'; echo 'Cuda tools, release 98.7, V98.7.6' ;;
  *" --dryrun "*) echo '#$ TOP=TOOLKIT' >&2 ;;
  *" -ccbin COMPILER "*) ;;
  *) echo 'In file included from x.cu:1:' >&2
    echo 'crt/host.h:1:2: error: #error -- unsupported GNU version!' >&2
    exit 1 ;;
esac
'''
PROBLEM = r'nvcc 98\.7 cannot compile with g\+\+ [0-9.]+ \(#error -- unsupported GNU version!\)'


class Toolkit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = pathlib.Path(folder.name) / 'bin'
        self.build = pathlib.Path(folder.name) / 'build'
        self.bin.mkdir()
        for name in ('g++-19', 'g++-17', 'g++-16'):
            self.add_program(name, '#!/bin/sh\n')

    def add_program(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def add_nvcc(self, compiler):
        self.add_program('nvcc', NVCC.replace('TOOLKIT', str(TOOLKIT))
                         .replace('COMPILER', compiler))

    def run_program(self, *command, **variables):
        return subprocess.run(
            command, cwd=common.SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False,
            env={**os.environ, **variables, 'PATH': f'{self.bin}:{os.environ["PATH"]}'})

    def configure(self, *options):
        return self.run_program('meson', 'setup', '-Dintrospection=disabled',
                                '-Dcuda-architectures=75,90', *options, self.build)

    def test_an_older_compiler(self):
        self.add_nvcc('g++-17')
        result = self.configure()
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, r'CUDA backend *: yes, .*, compiled with g\+\+-17\n')
        self.assertRegex(result.stdout, f'Message: {PROBLEM}: it uses g\\+\\+-17\n')
        lines = (self.build / 'build.ninja').read_text().splitlines()
        commands = [line for line in lines if line.startswith(f' COMMAND = {self.bin}/nvcc')]
        self.assertGreater(len(commands), 5)
        for line in commands:
            self.assertIn('-ccbin g++-17 ', line)
        # Nobody asked for benchmarks.
        self.assertEqual([line for line in lines
                          if re.match('build (src|tests)/(bench|gpu)/', line)], [])

    def test_no_compiler(self):
        """pipelines/setup reports this, too, once."""
        self.add_nvcc('none')
        # Nothing is installed, and nothing built.
        self.add_program('dpkg-query', '#!/bin/sh\nprintf installed\n')
        self.add_program('ninja', '#!/bin/sh\n[ "$1" = --version ] && echo 1.11.1\n')
        self.add_program('meson', f'#!/bin/bash\nexec {shutil.which("meson")} '
                         '"${@/introspection=enabled/introspection=disabled}"\n')
        result = self.run_program('pipelines/setup', VH_BUILD=str(self.build))
        said = [line for line in result.stdout.splitlines() if 'CUDA' in line]
        self.assertEqual(len(said), 1, result.stdout)
        self.assertRegex(said[0], f'^setup: building without CUDA: {PROBLEM}$')
        self.assertNotIn('HAVE_CUDA', (self.build / 'config.h').read_text())
        self.assertNotIn('.fatbin', (self.build / 'build.ninja').read_text())

    def test_no_compiler_where_cuda_is_wanted(self):
        self.add_nvcc('none')
        result = self.configure('-Dcuda=enabled')
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stdout, f'ERROR: .*{PROBLEM}. Install an older compiler')


common.main()
