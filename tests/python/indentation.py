#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""C sources are indented as by gst-indent: each line that GNU indent does not break has the
indentation and spaces that indent would give it.

Authors choose where lines break, since indent knows neither compound literals nor designated
initializers and would join them. It also joins lines with G_BEGIN_DECLS, so headers are not
checked."""

import difflib
import re
import shutil
import subprocess
import unittest

import common

# The options that gst-indent passes to indent, and types that it would not recognize.
OPTIONS = (
    '--braces-on-if-line --case-brace-indentation0 --case-indentation2 '
    '--braces-after-struct-decl-line --line-length80 --no-tabs --cuddle-else '
    '--dont-line-up-parentheses --continuation-indentation4 --honour-newlines --tab-size8 '
    '--indent-level2 --leave-preprocessor-space -T __m512i -T gboolean -T gint64 '
    '-T guint64').split()

# A macro that stands for statements or functions, without a semicolon.
MACRO = re.compile(r'\s*[A-Z][A-Z0-9_]* \(.*\)$')
ATTRIBUTE = re.compile(r' ?\b(__attribute__ \(\(.*?\)\)$|G_GNUC_PRINTF \(\d, \d\)(?=;?$))|'
                       r'\bG_GNUC_[A-Z]+ (?=\w)')


def list_files():
    listing = subprocess.run(['git', 'ls-files', '-z', '*.c'], cwd=common.SOURCE,
                             capture_output=True, text=True, check=False)
    return [name for name in listing.stdout.split('\0') if name]


def make_plain(text):
    """Returns @text without constructs that indent misreads, line by line."""
    lines = [ATTRIBUTE.sub('', line).rstrip() for line in text.split('\n')] + ['']
    before = ''
    for i, line in enumerate(lines[:-2]):
        if (MACRO.match(line) and re.match(r'#|.*([;{}]|\*/)$|$', before)
                and not re.match(r'\s*([{&|?:.+*-]|/[^*]|$)', lines[i + 1] or lines[i + 2])):
            lines[i] = line + ';'
        before = lines[i]
    return lines


def respace(line):
    """Returns @line without the spaces that indent cannot place: it takes products for pointers,
    and knows neither attributes nor compound literals."""
    return re.sub(r'(?<=\S) *(\*(?=[\s\w(])|\?|\(\() *|(?<={) +| +(?=})', r'\1', line)


def complaints(text):
    ours = make_plain(text)
    theirs = subprocess.run(['indent', *OPTIONS, '-st', '-'], input='\n'.join(ours),
                            capture_output=True, text=True, check=False).stdout.split('\n')
    matcher = difflib.SequenceMatcher(None, [''.join(line.split()) for line in ours],
                                      [''.join(line.split()) for line in theirs],
                                      autojunk=False)
    for block in matcher.get_matching_blocks():
        for k in range(block.size):
            is_, should_be = ours[block.a + k], theirs[block.b + k]
            if respace(is_) != respace(should_be):
                yield f'{block.a + k + 1}:\n-{is_}\n+{should_be}'


class Indentation(unittest.TestCase):
    def test_files(self):
        for name in list_files():
            with self.subTest(file=name):
                found = list(complaints((common.SOURCE / name).read_text()))
                if found:
                    self.fail('not as indent has it:\n' +
                              '\n'.join(f'{name}:{c}' for c in found))

    def test_it_complains(self):
        good = ('static int\nf (int x)\n{\n  if (x) {\n    g (x);\n    g ("' + 50 * 'x' +
                '",\n        "' + 50 * 'y' + '");\n  }\n  return x;\n}\n')
        self.assertEqual(list(complaints(good)), [])
        for line, bad in (('  if (x) {', '   if (x) {'), ('  if (x) {', '  if (x){'),
                          ('    g (x', '    g(x'), ('        "', '      "'),
                          ('  return', '    return')):
            self.assertIn(line, good)
            self.assertNotEqual(list(complaints(good.replace(line, bad))), [], bad)


if not list_files():
    common.skip('this is no git checkout')
if not shutil.which('indent'):
    common.skip('there is no GNU indent')
common.main()
