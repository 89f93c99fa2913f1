#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two sites as one: pipelines/fleet, with the files in docs/monitor/fleet."""

import os
import pathlib
import re
import shutil
import subprocess
import textwrap

import common

ROOT = common.HERE.parents[1]
DOCS = ROOT / 'docs/monitor/fleet'


class Fleet(common.Case):
    def test_sites(self):
        """The cameras of both sites appear in one query and in one subscription; nothing remains
        afterwards."""
        build = pathlib.Path(common.PROGRAM).parents[2]
        done = subprocess.run([ROOT / 'pipelines/fleet', '--no-setup', '--once'], text=True,
                              capture_output=True, check=False, start_new_session=True,
                              env={**os.environ, 'VH_BUILD': str(build)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        expected = [(s, c) for s in ('north', 'south') for c in ('door', 'yard')]
        queried = re.findall(r'^{camera="(\w+)", site="(\w+)"} => 1 ', done.stdout, re.MULTILINE)
        self.assertEqual(sorted((site, camera) for camera, site in queried), expected)
        subscribed = re.findall(r'^(\w+)/onvif-ej/VideoSource/SignalLoss/&(\w+) {.*'
                                '"Data":{"State":false}}$', done.stdout, re.MULTILINE)
        self.assertEqual(sorted(subscribed), expected)
        ports = re.findall(r'127\.0\.0\.1:(\d+)', done.stdout)
        with open('/proc/net/tcp', encoding='ascii') as table:
            listening = {int(line.split()[1].split(':')[1], 16) for line in table
                         if ' 0A ' in line}
        self.assertEqual(listening & {int(p) for p in ports}, set())

    def test_files(self):
        shutil.copytree(DOCS, self.folder / 'fleet')
        shutil.copy(DOCS.parent / 'alerts.yml', self.folder / 'fleet')
        for name in ('prometheus-site.yml', 'prometheus-centre.yml'):
            done = subprocess.run(['promtool', 'check', 'config', name], text=True, check=False,
                                  cwd=self.folder / 'fleet', capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_key_file_of_kubernetes(self):
        """The program accepts the key file with the files that the manifest mounts."""
        text = textwrap.dedent(re.search(r'  monitor\.conf: \|\n((?:    .*\n|\n)+)',
                                         (DOCS / 'kubernetes.yaml').read_text())[1])
        for name, contents in (('door', 'user:password'), ('broker', 'user:password'),
                               ('page', 'x' * 32)):
            self.write(name, contents)
        self.certify('tls')
        (self.folder / 'tls.pem').rename(self.folder / 'tls.crt')
        text = re.sub(r'/run/(secrets/monitor|tls)/', '', text)
        path = self.write('monitor.conf', text)
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 0, output)
        self.assertRegex(output, f'^videohistogram-monitor: {path} is valid: 1 camera, .*\n$')

    def test_environment_of_kubernetes(self):
        """The manifest sets the same environment as the unit."""
        manifest = (DOCS / 'kubernetes.yaml').read_text()
        for name, value in common.environment_of_unit().items():
            self.assertIn(f'- {{name: {name}, value: {value}}}\n', manifest)


if __name__ == '__main__':
    if not all(shutil.which(name) or shutil.which(f'/usr/sbin/{name}')
               for name in ('prometheus', 'promtool', 'mosquitto', 'mosquitto_sub')):
        common.skip('there is no Prometheus or mosquitto: the packages prometheus, mosquitto and '
                    'mosquitto-clients have them')
    common.main(at_once=1)
