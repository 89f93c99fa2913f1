#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""CONTRIBUTING.md is right about files: they exist, its table of folders has a row for each source
file, and functions are in the files it names.

A table whose first heading is "file in `folder/`" must list all sources in that folder."""

import pathlib
import re
import subprocess
import unittest

import common

PRODUCT = ('gst/', 'src/', 'kernels/')
SOURCES = ('.c', '.h', '.cu', '.cuh')
GENERATED = ('gst/libgstvideohistogram.so', 'src/monitor/videohistogram-monitor', 'build/',
  'config.h')

SPAN = re.compile(r'`([^`]+)`')
FILE = re.compile(r'(?!/)[\w./-]*\w\.(c|h|cu|cuh|cpp|py|md|txt|build)|(?!/)[\w./-]+/[\w.-]*')
FUNCTION = re.compile(r'(\w+) ?\(\)')
PATH = re.compile(r'(?<![\w/$.-])(?:gst|src|kernels|tests|pipelines|docs)/[\w./-]*\w')
PLACED = re.compile(r'`(\w+)(?:\(\))?`(?: there)?,? in `([\w./-]+\.\w+)`')


def list_files():
    listing = subprocess.run(['git', 'ls-files', '-z'], cwd=common.SOURCE, capture_output=True,
                             text=True, check=False)
    return [name for name in listing.stdout.split('\0') if name]


FILES = list_files()


def find(name):
    """Returns the files that @name may mean: a path, or the end of one."""
    if name.endswith('/'):
        return [f for f in FILES if f.startswith(name) or '/' + name in f]
    return [f for f in FILES if f == name or f.endswith('/' + name)
            or f.startswith(name + '/')]


def read(name):
    return (common.SOURCE / name).read_text()


def defines(name, function):
    return re.search(rf'(^|[\s*]){function} \(', read(name)) is not None


class Page:
    def __init__(self, text):
        blocks = re.split(r'^```.*$', text, flags=re.MULTILINE)
        self.prose, self.code = '\n'.join(blocks[::2]), '\n'.join(blocks[1::2])
        self.flat = ' '.join(self.prose.split())
        self.tables = []
        for table in re.findall(r'(?:^\|.*\|\n)+', self.prose, re.MULTILINE):
            rows = [[cell.strip() for cell in line.strip('|').split(' | ')]
                    for line in table.splitlines()]
            self.tables.append((rows[0], rows[2:]))

    def missing_files(self):
        names = [s for s in SPAN.findall(self.flat) if FILE.fullmatch(s)]
        names += PATH.findall(self.code)
        return sorted({n for n in names if not find(n) and not n.startswith(GENERATED)})

    def missing_functions(self):
        """Functions in the page that no product file contains."""
        names = {m[1] for m in map(FUNCTION.fullmatch, SPAN.findall(self.flat)) if m}
        sources = [f for f in FILES if f.startswith(PRODUCT) and f.endswith(SOURCES)]
        return sorted(n for n in names if not any(defines(f, n) for f in sources))

    def misplaced(self):
        """Things that are not in the file that the page names for them."""
        wrong = [f'{name} in {file}' for name, file in PLACED.findall(self.flat)
                 if not any(re.search(rf'\b{name}\b', read(f)) for f in find(file))]
        for heading, rows in self.tables:
            if [cell.strip() for cell in heading[:2]] != ['step', 'where']:
                continue
            for row in rows:
                spans = SPAN.findall(row[1])
                files = [f for s in spans if FILE.fullmatch(s) for f in find(s)]
                wrong += [f'{m[1]} in the row "{row[0]}"'
                          for m in map(FUNCTION.fullmatch, spans)
                          if m and not any(defines(f, m[1]) for f in files)]
        return wrong

    def without_row(self):
        """Source files that are in no folder of the table."""
        folders = tuple(SPAN.findall(row[0])[0] for heading, rows in self.tables
                        if heading[0].strip('| ') == 'folder' for row in rows)
        return [f for f in FILES if f.startswith(PRODUCT) and f.endswith(SOURCES)
                and not f.startswith(folders)]

    def not_listed(self):
        """Sources missing from a table that lists all files of a folder."""
        lacking = []
        for heading, rows in self.tables:
            folder = re.search(r'file in `([\w/-]+/)`', heading[0])
            if folder:
                listed = {pathlib.Path(s).stem for row in rows for s in SPAN.findall(row[0])}
                lacking += [f for f in FILES if f.startswith(folder[1]) and f.endswith(SOURCES)
                            and pathlib.Path(f).stem not in listed]
        return lacking


class Contributing(unittest.TestCase):
    def setUp(self):
        self.page = Page(read('CONTRIBUTING.md'))

    def test_files_exist(self):
        self.assertEqual(self.page.missing_files(), [])

    def test_functions_exist(self):
        self.assertEqual(self.page.missing_functions(), [])
        self.assertEqual(self.page.misplaced(), [])

    def test_every_source_has_a_row(self):
        self.assertEqual(self.page.without_row(), [])
        self.assertEqual(self.page.not_listed(), [])

    def test_it_complains(self):
        page = Page('`gst/nothing.c` `nothing()`, `nothing` in `gst/plugin.c`\n\n'
                    '| step | where |\n|---|---|\n| x | `plugin_init()` in `referencefile.c` |\n\n'
                    '| folder | what |\n|---|---|\n| `src/` | all |\n| `kernels/` | all |\n\n'
                    '| file in `gst/` | what |\n|---|---|\n| `plugin.c` | all |\n\n'
                    '```sh\ntests/nothing here\n```\n')
        self.assertEqual(page.missing_files(), ['gst/nothing.c', 'tests/nothing'])
        self.assertEqual(page.missing_functions(), ['nothing'])
        self.assertEqual(len(page.misplaced()), 3)
        self.assertIn('gst/plugin.c', page.without_row())
        self.assertNotIn('gst/plugin.c', page.not_listed())
        self.assertIn('gst/referencefile.c', page.not_listed())


if not FILES:
    common.skip('this is no git checkout')
common.main()
