#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spelling, and phrases that CONTRIBUTING.md asks not to use, in all text of the project: pages,
messages, comments and docstrings."""

import re
import shutil
import subprocess
import unittest

import common

TEXT = re.compile(r'\.(c|h|cu|cuh|cpp|py|js|html|css|md|7|json|yml|build|txt|in|conf|service|sh|'
                  r'vala|rs|install)$|/[A-Za-z0-9_-]+$|^[A-Za-z_]+$')
# The licence is not ours, and this file names what it looks for.
LEFT_OUT = re.compile(r'^LICENSE$|^tests/python/words\.py$|^tests/fuzz/corpus|^docs/pictures/|'
                      r'^docs/plots/')

# What codespell takes for mistakes.
TERMS = {
    'bu': 'a factor of the conversion from YUV to RGB, as "gu" and "rv"',
    'gir': 'the files of introspection',
    'seens': 'plural of a type that is called Seen',
    'caf': 'the start of a name with bytes that are not UTF-8',
    'fro': 'to and fro',
    'crate': 'a package of Rust',
    'medias': 'the streams of a GstSDPMessage',
    'alls': 'an option of a filter of ffmpeg',
    # Mistakes on purpose, which programs have to answer with the right word.
    'balck': 'of a condition',
    'intervall': 'of a key',
    'upto': 'of an option',
}

# Phrases that are not ordinary English, or that hide who does what, and what to write instead.
PHRASES = [
    (r'\bupon\b', 'on, after, when'),
    (r'\bheed(s|ed|less)?\b', 'handle, follow, look at'),
    (r'\blest\b', 'so that … does not'),
    (r'\bwhomever\b|\bwhosoever\b|\bwhoso\b', 'whoever, anyone who'),
    (r'\b(there|here|where)(of|in|by|with|upon|after|from)\b(?<!whereby)', 'of it, in it, …'),
    (r'\bcannot do without\b|\bcan do without\b', 'needs, does not need'),
    (r'\bought to\b|\bshall\b', 'must, should'),
    (r'\bever so\b', 'very'),
    (r'\bout of which\b', 'two sentences'),
    (r'\bwhom\b', 'whoever, or another sentence'),
    (r'(?<=[.:] )Who [a-z]+s\b(?![^.?]*\?)', 'If you …'),
    (r'(?<=[.:] )What is [a-z ]+ is\b', 'the name of the thing'),
    (r'\bit is no\b(?! (longer|more|less|later|earlier|different))', 'it is not a …'),
    (r'\bthat (is|are) none\b', 'that is not …'),
    (r'\bis (said|told) (of|so|to)\b|\bwhich is said\b|\bis told\b', 'the log says, …'),
    (r'\btells? of\b', 'report'),
    (r'\b(it|that|this) is so\b(?=[.,;:)])', 'applies, holds, or name the thing'),
    (r'\bno longer so\b|\bas it has it\b|\bhas it that\b', 'name the thing'),
    (r'\bto be had\b', 'available'),
    (r'\bis let\b|\bis broken off\b', 'allow, stop'),
    (r'\bmended\b', 'fixed'),
    (r'\bhonest (frame|buffer|client)s?\b', 'valid'),
    (r'\bthat of the\b(?! caps)', 'repeat the noun'),
    (r'\bis to be\b', 'must, will, or an imperative'),
    (r'\bbears? (it|a|an|the)\b', 'has, supports, survives'),
    (r', but for (what|the|those|one|a)\b', 'except'),
    (r', for (it|they|there|that) (is|are|has|have)\b', 'because'),
    # Variables have this name, too.
    (r'(?<!gboolean )(?<![*&(=!,@>] )(?<![*&(!@>])\banew\b(?! [=])', 'again'),
    (r'\bat the best\b|\bat the least\b', 'at best, at least'),
]

COMMENT = re.compile(r'^\s*(/?\*+/?|//+!?|#+(?!\w)|;|<!--)?\s*')


def list_files():
    listing = subprocess.run(['git', 'ls-files', '-z'], cwd=common.SOURCE, capture_output=True,
                             text=True, check=False)
    return [name for name in listing.stdout.split('\0') if name and TEXT.search(name)
            and not LEFT_OUT.search(name) and (common.SOURCE / name).is_file()]


def read(name):
    try:
        text = (common.SOURCE / name).read_text()
    except UnicodeDecodeError:
        return ''
    # The text of released versions does not change.
    if name == 'NEWS':
        return re.split(r'^(?=\d+\.\d+\.\d+, \d)', text, flags=re.MULTILINE)[0]
    # Its pairs show what not to write.
    if name == 'CONTRIBUTING.md':
        return re.sub(r'^\| instead of .*\n(\|.*\n)*', '', text, flags=re.MULTILINE)
    return text


def complaints(name, text):
    """Joins adjacent lines into one text, without comment marks."""
    lines = [COMMENT.sub('', line).rstrip() for line in text.split('\n')]
    starts, flat = [], ''
    for line in lines:
        starts.append(len(flat))
        flat += line + ' '
    for pattern, instead in PHRASES:
        for match in re.finditer(pattern, flat):
            line = sum(start <= match.start() for start in starts)
            yield f'{name}:{line}: "{match[0]}": better: {instead}'


class Words(unittest.TestCase):
    def test_spelling(self):
        if not shutil.which('codespell'):
            self.skipTest('codespell is not installed')
        done = subprocess.run(['codespell', '--quiet-level', '3', '--ignore-words-list',
                               ','.join(TERMS), *list_files()], cwd=common.SOURCE, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.stdout + done.stderr, '')

    def test_phrases(self):
        self.assertEqual([complaint for name in list_files()
                          for complaint in complaints(name, read(name))], [])

    def test_it_complains(self):
        self.assertEqual(list(complaints('x.c', '/* a\n * heed\n */\n')),
                         ['x.c:2: "heed": better: handle, follow, look at'])
        self.assertEqual(list(complaints('x.c', 'int has_heed;\n')), [])


if not list_files():
    common.skip('this is no git checkout')
common.main()
