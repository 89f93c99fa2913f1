#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No tabs, no trailing spaces, no lines over 80 columns in C: things that an editor does not show
and a review should not discuss."""

import pathlib
import re
import subprocess
import unicodedata
import unittest

import common

KINDS = re.compile(r'(\.(c|h|cu|cpp|py|md|build|txt|sh|in|yml|json|supp)|/[A-Za-z0-9_-]+|^[^.]+)$')
WIDTH = {'.c': 80, '.h': 80, '.cu': 80, '.py': 100}
# The recipes of a makefile start with a tab.
TABS = 'pipelines/debian/rules'
INVISIBLE = {'Cc', 'Cf', 'Co', 'Cs', 'Zl', 'Zp'}


def list_files():
    """Returns the text files of the checkout."""
    listing = subprocess.run(
        ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
        cwd=common.SOURCE, capture_output=True, text=True, check=False)
    names = sorted(set(listing.stdout.split('\0')) - {''})
    return [n for n in names if KINDS.search(n) and n != 'LICENSE'
            and (common.SOURCE / n).is_file()]


def complaints(name, text):
    width = WIDTH.get(pathlib.Path(name).suffix)
    if not text.endswith('\n') and text:
        yield 'no newline at the end'
    if text.endswith('\n\n'):
        yield 'empty lines at the end'
    for number, line in enumerate(text.split('\n'), 1):
        if '\t' in line and name != TABS:
            yield f'{number}: a tab'
        if line != line.rstrip():
            yield f'{number}: blanks at the end'
        if any(unicodedata.category(c) in INVISIBLE or c == '\u00a0'
               for c in line.replace('\t', '')):
            yield f'{number}: an invisible character'
        if width and len(line) > width:
            yield f'{number}: {len(line)} columns, {width} are allowed'


class Style(unittest.TestCase):
    def test_files(self):
        for name in list_files():
            with self.subTest(file=name):
                text = (common.SOURCE / name).read_bytes().decode()
                self.assertEqual(list(complaints(name, text)), [])

    def test_it_complains(self):
        for text in ('a\tb\n', 'a \n', 'a\r\n', 'a', 'a\n\n', 'a\u200bb\n', 'a\u00a0b\n',
                     'x' * 81 + '\n'):
            self.assertNotEqual(list(complaints('x.c', text)), [], repr(text))
        self.assertEqual(list(complaints('x.c', 'é' * 80 + '\n')), [])


if not list_files():
    common.skip('this is no git checkout')
common.main()
