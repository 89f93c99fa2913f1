#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commit subjects are as short as CONTRIBUTING.md requires, since the commit that added this
test."""

import subprocess
import unittest

import common

LIMIT = 72


def git(*arguments):
    return subprocess.run(['git', *arguments], cwd=common.SOURCE, capture_output=True,
                          text=True, check=False).stdout.splitlines()


def list_subjects():
    added = git('log', '--diff-filter=A', '--format=%H', '--', 'tests/python/subjects.py')
    if not added:
        common.skip('there is no history from the commit on that added this test')
    return git('log', '--format=%s', added[-1] + '..HEAD') + git('log', '-1', '--format=%s',
                                                                 added[-1])


def complaints(subjects):
    return [f'{len(subject)} characters: {subject}' for subject in subjects
            if len(subject) > LIMIT]


class Subjects(unittest.TestCase):
    def test_history(self):
        self.assertEqual(complaints(list_subjects()), [])

    def test_it_complains(self):
        self.assertEqual(complaints(['x' * LIMIT]), [])
        self.assertNotEqual(complaints(['x' * (LIMIT + 1)]), [])


list_subjects()
common.main()
