#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs pipelines/setup with fake apt, sudo, meson and nvcc, which misbehave as real systems do:
what it prints, what it runs, and its exit status."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

import common

SETUP = common.SOURCE / 'pipelines/setup'

# Each reads and writes files in the folder above its own.
PROGRAMS = {
    'id': 'cat $top/uid',
    'sudo': '[ ! -e $top/sudo ] || { cat $top/sudo >&2; exit 1; }; exec "$@"',
    'dpkg-query': 'grep -qx "${!#}" $top/installed && printf installed',
    # It writes more than a pipe holds after the text that is searched for.
    'apt-cache': r'''
[ -n "${2-}" ] || { echo '     origin example.org'; seq 20000; exit; }
grep -qx "$2" $top/absent || { printf '%s:\n  Candidate: 1.0\n' "$2"; seq 20000; }''',
    'apt-get': r'''
echo "apt-get $*" >>$top/calls
case " $* " in
  *" update "*) cat $top/update; [ ! -s $top/update ] || exit 100 ;;
  *" --assume-no "*) echo "Need to get 41.5 MB/120 MB of archives."
    echo "After this operation, 1,234 MB of additional disk space will be used."; exit 1 ;;
  *" --download-only "*) cat $top/download; [ ! -s $top/download ] || exit 100 ;;
  *" install "*) echo "pmstatus:gcc:amd64:50.0000:Unpacking gcc (amd64)"; cat $top/install
    [ ! -e $top/slow ] || { trap '' INT; sleep 2; }
    [ -s $top/install ] || printf '%s\n' "$@" >>$top/installed ;;
esac''',
    'meson': r'''
echo "meson $*" >>$top/calls
[ ! -e $top/broken ] || { echo 'Dependency "glib-2.0" not found'; exit 1; }
build=${@: -2:1}
mkdir -p $build/meson-info
printf '{"directories": {"source": "%s", "build": "%s"}}' "${!#}" "$build" \
  >$build/meson-info/meson-info.json
case " $* " in
  *" -Dtests=disabled "*) echo 'build x' >$build/build.ninja ;;
  *" -Dbenchmarks=true "*) echo 'build tests/unit/test-benchcounts' >$build/build.ninja ;;
  *) echo 'build tests/unit/test-x' >$build/build.ninja ;;
esac''',
    'ninja': 'echo "ninja: no work to do."',
    'npm': r'''
[ ! -s $top/npm ] || { cat $top/npm; exit 1; }
mkdir $4/package && echo axe >$4/package/axe.min.js
tar -czf $4/${2/@/-}.tgz -C $4 package && rm -r $4/package''',
    'sha256sum': 'read -r _ path && [ -e $path ] && [ ! -e $top/forged ]',
    'nvidia-smi': 'cat $top/gpus',
    'pkg-config': 'exit 1',
}
NVCC = '''case $1 in
  --version) cat $top/release ;;
  --list-gpu-code) printf 'sm_%s\\n' 75 80 89 90 ;;
esac'''


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.build = self.top / 'build'
        (self.top / 'bin').mkdir()
        for name, text in PROGRAMS.items():
            self.add_program(name, text)
        for name in ('absent', 'update', 'download', 'install', 'gpus', 'calls'):
            self.write(name)
        self.write('uid', '0\n')
        self.write('installed', '\n'.join(self.names()) + '\n')

    def write(self, name, text=''):
        (self.top / name).write_text(text)

    def add_program(self, name, text):
        path = self.top / 'bin' / name
        path.write_text(f'#!/bin/bash\ntop={self.top}\n{text}\n')
        path.chmod(0o755)

    @staticmethod
    def names():
        """All packages that the script may ask for."""
        text = SETUP.read_text()
        text = text[text.index('\npackages=('):text.index('\nroot=')]
        return re.findall(r'[\w.+-]{2,}', re.sub('(?m)^#.*', '', text))

    def remove(self, *names):
        installed = (self.top / 'installed').read_text().split()
        self.assertLessEqual(set(names), set(installed))
        self.write('installed', '\n'.join(set(installed) - set(names)) + '\n')

    def environment(self, **variables):
        return {**os.environ, 'VH_BUILD': str(self.build), **variables,
                'PATH': f'{self.top}/bin:/usr/bin:/bin'}

    def run_setup(self, *arguments, **variables):
        """Returns status, lines and calls."""
        self.write('calls')
        result = subprocess.run(
            [SETUP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False, env=self.environment(**variables))
        return (result.returncode, result.stdout.splitlines(),
                (self.top / 'calls').read_text().splitlines())

    def fails(self, expected, *arguments, **variables):
        status, lines, calls = self.run_setup(*arguments, **variables)
        self.assertEqual(status, 1, lines)
        self.assertRegex(lines[-1], expected)
        return calls

    def test_nothing_to_do(self):
        status, lines, calls = self.run_setup()
        self.assertEqual((status, lines), (0, [f'setup: configuring {self.build}']))
        self.assertIn('-Dtests=disabled', calls[0])
        self.assertNotIn('-Dbenchmarks', calls[0])
        self.assertEqual(self.run_setup(), (0, [], []))

    def test_tests_are_built_when_they_are_wanted(self):
        self.run_setup()
        _, _, calls = self.run_setup('--tests')
        self.assertRegex(calls[0], 'meson setup --reconfigure .*-Dtests=auto -Dbenchmarks=true')
        self.assertEqual(self.run_setup('--tests'), (0, [], []))
        self.assertEqual(self.run_setup(), (0, [], []))
        # A folder of an older version of this script has tests, but no benchmarks.
        (self.build / 'build.ninja').write_text('build tests/unit/test-x\n')
        self.assertRegex(self.run_setup('--tests')[2][0], '--reconfigure .*-Dbenchmarks=true')

    def test_npm(self):
        """Tests need a file from the registry of npm, which is fetched once."""
        self.run_setup()
        self.assertFalse((self.build / 'axe.min.js').exists())
        self.write('npm', 'npm ERR! code ENOTFOUND\n')
        self.fails('npm cannot fetch axe-core@.*: check the network: npm ERR! code ENOTFOUND$',
                   '--tests')
        self.write('npm')
        self.write('forged')
        self.fails('is not the file that is expected', '--tests')
        (self.top / 'forged').unlink()
        self.assertIn('setup: fetching axe-core@4.10.2', self.run_setup('--tests')[1])
        self.assertEqual(self.run_setup('--tests'), (0, [], []))

    def test_packages(self):
        self.remove('meson')
        status, lines, calls = self.run_setup()
        self.assertEqual(status, 0, lines)
        self.assertEqual(lines[:2], [
            'setup: installing 1 package: meson',
            'setup: including their dependencies: 41.5 MB/120 MB to download, 1,234 MB on '
            'the disk'])
        self.assertRegex(calls[0], 'Error-Mode=any update')
        self.remove('meson', 'gcc')
        _, lines, calls = self.run_setup()
        self.assertEqual(lines[0], 'setup: installing 2 packages: gcc meson')
        # New packages may be found only now.
        self.assertIn('--reconfigure', calls[-1])

    def test_no_network(self):
        self.remove('meson')
        self.write('update', "E: Failed to fetch http://x: Temporary failure resolving 'x'\n")
        self.write('download', 'E: Unable to locate package meson\n')
        self.fails('check the network: E: Unable to locate package meson$')
        # Old package lists may be enough.
        self.write('download')
        self.assertEqual(self.run_setup()[0], 0)

    def test_not_all_is_installed(self):
        self.remove('meson', 'gcc')
        self.write('install', 'Preparing to unpack .../gcc.deb ...\n')
        self.fails('cannot install the packages: still missing: gcc meson: Preparing to unpack')

    def test_sudo_refuses(self):
        self.remove('gcc')
        self.write('uid', '1000\n')
        self.write('sudo', 'sudo: a password is required\n')
        calls = self.fails(r'sudo failed \(a password is required\): as root, run: apt-get update '
                           '&& apt-get install --no-install-recommends gcc$')
        self.assertEqual(calls, [])

    def test_package_that_the_system_does_not_have(self):
        self.remove('chromium')
        self.write('absent', 'chromium\n')
        status, lines, calls = self.run_setup('--tests')
        self.assertEqual((status, len(lines), len(calls)), (0, 2, 1), lines)
        # Any other package is needed.
        self.remove('gcc')
        self.write('absent', 'gcc\n')
        self.write('download', "E: Package 'gcc' has no installation candidate\n")
        self.fails("cannot install the packages: E: Package 'gcc' has no")

    def test_toolkit_and_gpus_that_come_later(self):
        self.run_setup()
        self.add_program('nvcc', NVCC)
        self.write('release', 'Build cuda_13.0\n')
        _, lines, calls = self.run_setup()
        self.assertEqual(lines, [f'setup: configuring {self.build}'])
        self.assertRegex(calls[0], '--reconfigure .*-Dcuda-architectures=75,90 ')
        self.assertEqual(self.run_setup(), (0, [], []))
        self.write('gpus', '8.9\n8.9\n')
        self.assertIn('-Dcuda-architectures=75,89 ', self.run_setup()[2][0])
        # If the GPU is not reported, it has not been replaced.
        self.write('gpus')
        self.assertEqual(self.run_setup(), (0, [], []))
        self.write('release', 'Build cuda_13.1\n')
        self.assertIn('--reconfigure', self.run_setup()[2][0])

    def test_options_of_the_user(self):
        self.build.mkdir()
        subprocess.run([self.top / 'bin/meson', 'setup', self.build, common.SOURCE], check=True)
        self.add_program('nvcc', NVCC)
        self.write('release', 'Build cuda_13.0\n')
        self.assertEqual(self.run_setup('--tests'), (0, ['setup: fetching axe-core@4.10.2'], []))

    def test_moved_folder(self):
        self.run_setup()
        info = self.build / 'meson-info/meson-info.json'
        for place in ({'source': '/nowhere', 'build': '/nowhere/build'},
                      {'source': '/nowhere', 'build': str(self.build)},
                      {'source': str(common.SOURCE), 'build': '/nowhere/build'}):
            info.write_text(json.dumps({'directories': place}))
            self.assertRegex(self.run_setup()[2][0], 'meson setup --wipe ')
            self.assertEqual(self.run_setup(), (0, [], []))
        self.write('meson.build')
        info.write_text(json.dumps({'directories': {'source': str(self.top),
                                                    'build': str(self.build)}}))
        self.fails(f'is the build folder of another checkout, {self.top}: set VH_BUILD')

    def test_folder_that_cannot_be_written(self):
        self.fails('/proc/build is not writable: set VH_BUILD', VH_BUILD='/proc/build')

    def test_pkg_config_of_another_system(self):
        self.write('broken')
        _, lines, _ = self.run_setup()
        self.assertIn(f'setup: the pkg-config in PATH is {self.top}/bin/pkg-config: it may not '
                      "find Debian's libraries", lines)

    def test_interrupt(self):
        """apt-get exits with 0 after Ctrl-C once everything is installed."""
        self.remove('gcc')
        self.write('slow')
        process = subprocess.Popen([SETUP], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, env=self.environment(), start_new_session=True)
        while ' -y install --no-install-recommends gcc' not in (self.top / 'calls').read_text():
            time.sleep(0.05)
        time.sleep(0.2)
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate()
        self.assertEqual(process.returncode, 130, output)
        self.assertEqual(output.splitlines()[-1],
                         'setup: interrupted: run pipelines/setup again to continue')
        self.assertNotIn('configuring', output)


common.main()
