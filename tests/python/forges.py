#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files for forges: CI runs the commands of the README where CONTRIBUTING.md says so, and issue
templates have the form that GitHub accepts."""

import re
import shutil
import subprocess
import unittest

import common

try:
    import yaml
except ImportError:
    common.skip('python3-yaml is not installed')

GITHUB = common.SOURCE / '.github'
COMMANDS = ['./pipelines/demo', './tests/run']
IMAGES = ['debian:12', 'debian:13', 'ubuntu:24.04']
# What an issue form may consist of, and what each kind of field needs.
FIELDS = {'markdown': {'value'}, 'textarea': {'label'}, 'input': {'label'},
          'dropdown': {'label', 'options'}, 'checkboxes': {'label', 'options'}}


def load(path):
    return yaml.safe_load(path.read_text())


class Forges(unittest.TestCase):
    def test_github(self):
        job = load(GITHUB / 'workflows/ci.yml')['jobs']['readme']
        self.assertEqual(job['strategy']['matrix']['image'], IMAGES)
        commands = [step.get('run') for step in job['steps']]
        self.assertEqual([c for c in commands if c in COMMANDS], COMMANDS)
        for step in job['steps']:
            self.assertTrue(('run' in step) != ('uses' in step), step)

    def test_gitlab(self):
        job = load(common.SOURCE / '.gitlab-ci.yml')['readme']
        self.assertEqual(job['script'], COMMANDS)
        self.assertEqual(job['parallel']['matrix'][0]['IMAGE'], IMAGES)

    def test_readme(self):
        """The commands are those of the README."""
        readme = (common.SOURCE / 'README.md').read_text()
        for command in COMMANDS:
            self.assertIn(command.removeprefix('./'), readme)

    def test_templates(self):
        forms = [f for f in (GITHUB / 'ISSUE_TEMPLATE').glob('*.yml') if f.stem != 'config']
        self.assertTrue(forms)
        for form in forms:
            with self.subTest(form.name):
                content = load(form)
                self.assertLessEqual({'name', 'description', 'body'}, set(content))
                names = [field['id'] for field in content['body'] if 'id' in field]
                self.assertEqual(len(names), len(set(names)))
                for field in content['body']:
                    self.assertLessEqual(FIELDS[field['type']], set(field['attributes']))
                    self.assertEqual('id' in field, field['type'] != 'markdown')

    def test_what_is_asked_for(self):
        """Options and categories in the templates exist."""
        text = ''.join(f.read_text() for f in (GITHUB / 'ISSUE_TEMPLATE').glob('*.yml'))
        program = common.build_root() / 'src/monitor/videohistogram-monitor'
        if program.exists():
            known = subprocess.run([program, '--help'], text=True, capture_output=True,
                                   check=True).stdout
            for option in re.findall(r'videohistogram-monitor((?: --\w+)+)', text):
                for word in option.split():
                    self.assertIn(word, known)
        log = (common.SOURCE / 'src/core/log.c').read_text()
        self.assertIn('"videohistogram', log)

    def test_actionlint(self):
        if not shutil.which('actionlint'):
            self.skipTest('actionlint is not installed')
        done = subprocess.run(['actionlint'], cwd=common.SOURCE, text=True, capture_output=True,
                              check=False)
        self.assertEqual(done.stdout + done.stderr, '')


if not GITHUB.is_dir():
    common.skip('this is no git checkout')
common.main()
