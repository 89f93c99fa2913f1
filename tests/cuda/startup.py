#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The driver is missing, incomplete, or appears later: the element exists, counts on the CPU and
says why, and posts one clear error if only a GPU will do. videoequalize still corrects frames in
system memory.

startup.py PROBE DOUBLE_DIR: the program startup-probe, and the folder of the driver double."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROBE = pathlib.Path(sys.argv[1])
DOUBLE = pathlib.Path(sys.argv[2])
WITH_DOUBLE = pathlib.Path(__file__).resolve().parent.parent / 'double' / 'with-double'
STUBS = [pathlib.Path(p) for p in ('/usr/local/cuda/lib64/stubs/libcuda.so',
                                   '/usr/lib/x86_64-linux-gnu/stubs/libcuda.so')]
N_FRAMES = 2  # as in the probe
MAX_WAIT_SECONDS = 120  # each program starts in a second, or in some on a slow machine
LOADED = ['cuInit', 'cuCtxPushCurrent_v2', 'cuEventQuery', 'cuMemcpy2DAsync_v2', 'cuLaunchKernel']


def library_path(*folders):
    """Returns LD_LIBRARY_PATH with these folders, and without the double's."""
    old = os.environ.get('LD_LIBRARY_PATH', '').split(':')
    return ':'.join([str(f) for f in folders] + [p for p in old if p and pathlib.Path(p) != DOUBLE])


def has_driver():
    """Whether this machine has a driver of its own."""
    return subprocess.run(
        [sys.executable, '-c', 'import ctypes; ctypes.CDLL("libcuda.so.1")'],
        env={**os.environ, 'LD_LIBRARY_PATH': library_path()}, stderr=subprocess.DEVNULL,
        check=False).returncode == 0


class Said:
    """The output of a probe: values by key, of the first and the second time."""

    def __init__(self, output):
        self.parts = [[]]
        for line in output.splitlines():
            key, _, value = line.partition('=')
            if key == 'again':
                self.parts.append([])
            self.parts[-1].append((key, value))

    def all(self, key, part=0):
        return [v for k, v in self.parts[part] if k == key]

    def one(self, key, part=0):
        values = self.all(key, part)
        return values[0] if len(values) == 1 else values


survived = set()  # states of the machine that were survived


class Startup(unittest.TestCase):
    def setUp(self):
        self.state = self.id()
        self.dir = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.lib = self.dir / 'lib'
        self.lib.mkdir()

    def run_probe(self, backend, libcuda=None, command=(), wrapper=(), **env):
        """Runs the probe with this file as its libcuda.so.1, or without any."""
        target = self.lib / 'libcuda.so.1'
        if target.is_symlink() or target.exists():
            target.unlink()
        if libcuda:
            target.symlink_to(libcuda)
        registry = env.pop('registry', self.dir / 'registry.bin')
        done = subprocess.run(
            [*wrapper, PROBE, backend, *command],
            env={**os.environ, 'LD_LIBRARY_PATH': library_path(self.lib),
                 'GST_REGISTRY_1_0': str(registry),
                 'VH_DOUBLE_DIR': str(DOUBLE), **env},
            capture_output=True, text=True, timeout=MAX_WAIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn('CRITICAL', done.stderr)
        return Said(done.stdout)

    def expect_counted(self, backend, said, part):
        self.assertEqual(said.one('state', part), 'ready')
        self.assertEqual(said.all('counted', part), [backend] * N_FRAMES)
        self.assertEqual(said.one('active-backend', part), backend)
        self.assertEqual(said.all('error', part) + said.all('warning', part), [])

    def expect_cpu(self, said, *words, part=0):
        self.expect_counted('cpu', said, part)
        for word in words:
            self.assertIn(word, said.one('backend-reason', part))

    def expect_error(self, said, *words, part=0):
        self.assertEqual(said.one('state', part), 'failed')
        self.assertEqual(said.all('counted', part), [])
        self.assertEqual(said.all('warning', part), [])
        self.assertIsInstance(said.one('error', part), str)
        for word in (*words, 'backend=auto'):
            self.assertIn(word, said.one('error', part))

    def expect_cuda(self, said, part=0):
        self.expect_counted('cuda', said, part)

    def expect_corrected(self, said, part=0):
        self.assertEqual(said.one('state', part), 'ready')
        self.assertEqual(said.all('corrected', part), ['yes'] * N_FRAMES)
        self.assertEqual(said.one('uncorrected', part), '0')
        self.assertEqual(said.all('error', part) + said.all('warning', part), [])
        survived.add(self.state)

    def expect_neither(self, words, libcuda=None, wrapper=(), **env):
        """Checks that no GPU is used, that both backends report it with these words, and that
        videoequalize corrects."""
        self.expect_cpu(self.run_probe('auto', libcuda, wrapper=wrapper, **env), *words)
        self.expect_error(self.run_probe('cuda', libcuda, wrapper=wrapper, **env), *words)
        said = self.run_probe('cpu', libcuda, wrapper=wrapper, **env)
        self.expect_cpu(said)
        self.assertEqual(said.one('backend-reason'), '')
        self.expect_corrected(self.run_probe('equalize', libcuda, wrapper=wrapper, **env))

    def test_a_gpu(self):
        for backend in 'auto', 'cuda':
            self.expect_cuda(self.run_probe(backend, DOUBLE / 'libcuda.so.1'))

    @unittest.skipIf(has_driver(), 'this machine has a driver')
    def test_no_driver(self):
        self.expect_neither(['no NVIDIA driver'])

    def test_broken_driver(self):
        empty = self.dir / 'empty'
        empty.touch()
        text = self.dir / 'text'
        text.write_text('no library\n' * 100)
        for library in empty, text:
            self.expect_neither(['no NVIDIA driver'], library)

    def test_missing_symbols(self):
        for symbol in LOADED:
            with self.subTest(symbol=symbol):
                self.expect_neither(
                    [symbol], wrapper=[WITH_DOUBLE, '--without', symbol])

    def test_optional_symbols(self):
        self.expect_cuda(self.run_probe('cuda', wrapper=[WITH_DOUBLE, '--without',
                                                         'cuLaunchKernelEx']))

    @unittest.skipUnless(any(p.exists() for p in STUBS), 'there is no stub of a toolkit')
    def test_stub_of_a_toolkit(self):
        stub = [p for p in STUBS if p.exists()][0]
        self.expect_neither(['cuInit() returned 34'], stub)

    def test_no_device(self):
        self.expect_neither(['100'], DOUBLE / 'libcuda.so.1', VH_DOUBLE_DEVICES='0')

    def test_codes_of_init(self):
        for code in 3, 34, 100, 101, 802, 803, 804, 999:
            with self.subTest(code=code):
                self.state = f'cuInit() returned {code}'
                self.expect_neither(
                    [f'cuInit() returned {code}'], DOUBLE / 'libcuda.so.1',
                    VH_DOUBLE_FAIL=f'cuInit:1:{code}:ever', VH_DOUBLE_STRICT='0')

    def test_device_count_fails(self):
        self.expect_neither(['no device'], DOUBLE / 'libcuda.so.1',
                            VH_DOUBLE_FAIL='cuDeviceGetCount:1:999:ever', VH_DOUBLE_STRICT='0')

    def test_registry_from_before(self):
        """The driver came, or went, since GStreamer wrote its registry."""
        empty = self.dir / 'empty'
        empty.touch()
        for came in (True, False):
            with self.subTest(came=came):
                self.state = f'{self.id()} {came}'
                registry = self.dir / f'registry-{came}.bin'
                kinds = [(empty, self.expect_cpu), (DOUBLE / 'libcuda.so.1', self.expect_cuda)]
                for libcuda, expect in kinds if came else kinds[::-1]:
                    expect(self.run_probe('auto', libcuda, registry=registry))
                    self.assertTrue(registry.exists())
                self.expect_corrected(self.run_probe('equalize', libcuda, registry=registry))

    def test_driver_appears(self):
        """In the same process, when the element next goes to READY."""
        empty = self.dir / 'empty'
        empty.touch()
        target = self.lib / 'libcuda.so.1'
        appear = f'ln -sfn {DOUBLE}/libcuda.so.1 {target}'
        # So that the plugin scan does not load nvcodec into the probe: from 1.24 on libgstcuda
        # looks for a driver only once.
        self.run_probe('cpu', DOUBLE / 'libcuda.so.1')
        said = self.run_probe('auto', empty, command=(appear,))
        self.expect_cpu(said, 'no NVIDIA driver')
        self.expect_cuda(said, part=1)
        said = self.run_probe('cuda', empty, command=(appear,))
        self.expect_error(said, 'no NVIDIA driver')
        self.expect_cuda(said, part=1)
        said = self.run_probe('equalize', empty, command=(appear,))
        self.expect_corrected(said)
        self.expect_corrected(said, part=1)

    def test_driver_vanishes(self):
        """In the same process: the driver stays loaded, but fails."""
        self.run_probe('cpu', DOUBLE / 'libcuda.so.1')
        for backend in 'auto', 'equalize':
            said = self.run_probe(backend, DOUBLE / 'libcuda.so.1',
                                  command=(f'rm {self.lib}/libcuda.so.1', 'cuCtxPushCurrent_v2'),
                                  VH_DOUBLE_STRICT='0')
            if backend == 'equalize':
                self.expect_corrected(said)
                self.expect_corrected(said, part=1)
            else:
                self.assertEqual(said.all('counted', part=1), ['cpu'] * N_FRAMES)
                self.assertEqual(said.all('error', part=1), [])

    def test_driver_becomes_ready(self):
        # So that the plugin scan is not what fails.
        self.run_probe('cpu', DOUBLE / 'libcuda.so.1')
        said = self.run_probe('auto', DOUBLE / 'libcuda.so.1', command=('true',),
                              VH_DOUBLE_FAIL='cuInit:1:802:once')
        self.expect_cpu(said, 'cuInit() returned 802')
        self.expect_cuda(said, part=1)


def write_figure(name, value):
    """Like test_figure() in tests/common/figures.h."""
    print(f'figure: {name}: {value}')
    if folder := os.environ.get('TEST_FIGURES'):
        with open(pathlib.Path(folder) / 'cuda-startup.tsv', 'a', encoding='utf-8') as file:
            file.write(f'{name}\t{value}\n')


program = unittest.main(argv=sys.argv[:1], exit=False)
write_figure('states at start-up that both elements survived', len(survived))
sys.exit(not program.result.wasSuccessful())
