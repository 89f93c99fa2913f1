#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Includes point one way, from elements to the library, in it from its health, scope and equalizer
to its engine and histograms, from there to devices, backends and their shared code; there are no
circles; and only backends and devices use CUDA.

Needs nothing but Python: tests/python/includes.py"""

import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = ('.c', '.h', '.cu', '.cuh')

# The rooms of the library. A public header belongs to the room that implements it.
HALL = 'src/gst/videohistogram/'
ROOMS = ('histogram', 'engine', 'equalizer', 'scope', 'health')

# The layers: the files of each, and the layers that they may include besides their own.
LAYERS = (
    ('devices', r'src/(.*/)?devices(/|\.)', ('cpu', 'cuda', 'core')),
    ('gst', r'gst/', (*ROOMS, 'library')),
    ('engine', HALL + r'(engine/|gstvideohistogram(engine|spec)\.h)', ('histogram', 'devices',
                                                                      'core')),
    ('equalizer', HALL + r'(equalizer/|gstvideoequalizer)', ('engine', 'histogram', 'devices',
                                                            'core')),
    ('scope', HALL + r'(scope/|gstvideoscope)', ('engine', 'histogram', 'devices', 'core')),
    ('health', HALL + r'(health/|gstvideohealth)', ('engine', 'histogram', 'core')),
    ('library', HALL + r'videohistogram\.h', ROOMS),
    ('histogram', HALL + r'(histogram/|gstvideo|videohistogram-prelude)', ('core',)),
    ('cpu', r'src/cpu/', ('core',)),
    ('cuda', r'src/cuda/', ('core',)),
    ('core', r'src/core/', ()),
    ('kernels', r'kernels/', ()),
    ('programs', r'src/(bench|monitor)/', ('gst', *ROOMS, 'library', 'devices', 'cpu', 'cuda',
                                           'core', 'kernels')),
)

# Headers that every layer may include, and that include only such headers: those shared by kernels
# and the host, and public headers with only types.
LEAVES = re.compile(r'kernels/\w+\.h')

PUBLIC = re.compile(HALL + r'[\w-]+\.h')

# Include paths, searched after the folder of the including file.
ROOTS = ('src/', 'kernels/', '')

# Layers that do not mention CUDA except where users see it: in documentation, texts, the caps, the
# property and the enum.
WITHOUT_CUDA = ('gst', *ROOMS, 'library', 'core', 'cpu')
SEEN_BY_USERS = re.compile(
    r'/\*\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'
    r'\b(?:cuda_device_id|cuda_context|'
    r'GST_VIDEO_HISTOGRAM_BACKEND_CUDA|\w*MEMORY_CUDA\w*|cuda_formats|make_cuda_caps)\b',
    re.DOTALL)
OF_GSTREAMER = re.compile(r'"gst\.cuda\.')

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)

# What headers declare and sources define, functions and variables, in GNU style: only where a
# function is defined does its name start a line.
COMMENT_OR_MACRO = re.compile(r'/\*.*?\*/|^#(?:[^\n]*\\\n)*[^\n]*|^[A-Z_]+$|^G_DECLARE_[^;]*?\)\n',
                              re.M | re.S)
DECLARED = re.compile(r'^(?!static|typedef)\w[\w\s*]*?\b(\w+) \([^;{}]*?\)[^;{}]*;|'
                      r'^extern [^;{}()]*?\b(\w+)(?:\[[^;]*\])?;', re.M)
DEFINED = re.compile(r'^(?!static\b)\w[^;{}()\n]*\n(\w+) \([^;{}]*\)\n\{|'
                     r'^(?!static\b)\w[\w *]*?\b(\w+)(?:\[[^;=]*\])? =', re.M)


def layer(path):
    return next((name for name, files, _ in LAYERS if re.match(files, path)), None)


def read_files():
    return {str(path.relative_to(SOURCE)): path.read_text()
            for folder in ('gst', 'src', 'kernels') for path in (SOURCE / folder).rglob('*')
            if path.suffix in SUFFIXES}


def includes(files):
    """Returns [(file, included file)] for @files."""
    found = []
    for path, text in sorted(files.items()):
        for name in INCLUDE.findall(text):
            for root in (path.rpartition('/')[0] + '/',) + ROOTS:
                if root + name in files:
                    found.append((path, root + name))
                    break
    return found


def wrong_arrows(files):
    may_include = {name: others for name, _, others in LAYERS}
    for path, included in includes(files):
        source, target = layer(path), layer(included)
        if LEAVES.fullmatch(path):
            if not LEAVES.fullmatch(included):
                yield f'{path} includes {included}, and every layer may include it'
        elif (not LEAVES.fullmatch(included) and source != target
              and target not in may_include[source]):
            yield f'{path} includes {included}: {source} -> {target}'


def module_of(path):
    if path.startswith(HALL):
        path = f'{HALL}{layer(path)}/{path.rpartition("/")[2]}'
    return re.sub(r'(-private)?\.[ch]$', '', path)


def names(pattern, text):
    return {function or variable
            for function, variable in pattern.findall(COMMENT_OR_MACRO.sub('', text))}


def declarations(files):
    """Returns [(header, source)] where @source, of another module, defines what @header declares:
    whoever includes the header relies on that source. Public headers describe a class, whichever
    files implement it; and what several files define is an interface that each implements."""
    definers = {}
    for path, text in sorted(files.items()):
        if path.endswith(('.c', '.cu')):
            for name in names(DEFINED, text):
                definers.setdefault(name, set()).add(path)
    return [(path, source) for path, text in sorted(files.items())
            if path.endswith('.h') and not PUBLIC.fullmatch(path)
            for source in sorted(set().union(*(
                definers[name] for name in names(DECLARED, text)
                if len(definers.get(name, ())) == 1)))
            if module_of(source) != module_of(path)]


def circles(files):
    """Returns sets of modules that need each other, because one includes the other or declares what
    the other defines; a .c file, its .h, its -private.h and its public header are one module."""
    graph = {}
    for path, other_path in includes(files) + declarations(files):
        module, other = module_of(path), module_of(other_path)
        graph.setdefault(module, set())
        graph.setdefault(other, set())
        if module != other:
            graph[module].add(other)

    def reach(module):
        seen, ahead = set(), list(graph[module])
        while ahead:
            other = ahead.pop()
            if other not in seen:
                seen.add(other)
                ahead += graph[other]
        return seen

    reached = {module: reach(module) for module in graph}
    return sorted({' <-> '.join(sorted(m for m in reached[module] if module in reached[m]))
                   for module in graph if module in reached[module]})


def mentions_of_cuda(files):
    for path, text in sorted(files.items()):
        if layer(path) not in WITHOUT_CUDA:
            continue
        rest = SEEN_BY_USERS.sub(
            lambda m: m[0] if OF_GSTREAMER.match(m[0]) else '\n' * m[0].count('\n'), text)
        for number, line in enumerate(rest.split('\n'), 1):
            if 'cuda' in line.lower():
                yield f'{path}:{number}: {text.splitlines()[number - 1].strip()}'


class Includes(unittest.TestCase):
    def setUp(self):
        self.files = read_files()

    def check(self, findings):
        findings = list(findings)
        if findings:
            self.fail(f'{len(findings)} findings:\n' + '\n'.join(findings))

    def test_arrows(self):
        self.assertGreater(len(includes(self.files)), 100)
        self.check(wrong_arrows(self.files))

    def test_circles(self):
        declared, defined = (set().union(*(names(pattern, text)
                                           for path, text in self.files.items()
                                           if path.endswith(suffix)))
                             for pattern, suffix in ((DECLARED, '.h'), (DEFINED, '.c')))
        self.assertGreater(len(declared & defined), 1000)
        self.check(circles(self.files))

    def test_cuda(self):
        self.check(mentions_of_cuda(self.files))

    def test_layers(self):
        """Each file belongs to a layer."""
        self.check(path for path in self.files if not layer(path))

    def test_it_complains(self):
        files = {
            'gst/a.c': '#include "core/b.h"\n#include <gst/videohistogram/gstvideohistogram.h>\n',
            'src/core/b.h': '#include "d.h"\n/* CUDA */\n/** CUDA */ "cuda" "gst.cuda.x"\n',
            'src/core/b.c': '#include "b.h"\n#include "e.h"\n',
            'src/core/e.h': '#include "b.h"\n',
            'src/gst/videohistogram/gstvideohistogram.h': '#include "cuda/f.h"\n',
            'src/gst/videohistogram/histogram/g.h':
                '#include <gst/videohistogram/gstvideoscope.h>\n',
            'src/gst/videohistogram/gstvideoscope.h': '',
            'src/cuda/f.h': '#include "core/b.h"\n/* CUDA */\n',
            'kernels/d.h': '#include "core/e.h"\n',
        }
        self.assertEqual([line.partition(' includes')[0] for line in wrong_arrows(files)],
                         ['gst/a.c', 'kernels/d.h',
                          'src/gst/videohistogram/gstvideohistogram.h',
                          'src/gst/videohistogram/histogram/g.h'])
        self.assertEqual(circles(files), ['kernels/d <-> src/core/b <-> src/core/e'])
        self.assertEqual([line.split(': ')[0] for line in mentions_of_cuda(files)],
                         ['src/core/b.h:2', 'src/core/b.h:3'])

    def test_it_sees_declarations(self):
        """Who includes a header must be able to rely on its own .c."""
        define = '#include "session.h"\n\n{}VhCounter *\nvh_new (VhSession * s)\n{{\n  f ();\n}}\n'
        header = 'gint vh_f (void);\n\n/* Makes one. */\nVhCounter *vh_new (VhSession * s);\n'
        circle = ['src/cuda/counter <-> src/cuda/session']

        def check(expected, header, counter, other=''):
            self.assertEqual(circles({'src/cuda/session.h': header, 'src/cuda/counter.c': counter,
                                      'src/cuda/other.c': other}), expected)
        check(circle, header, define.format(''))
        check(circle, 'extern const gint vh_sizes[2];\n',
              '#include "session.h"\nconst gint vh_sizes[2] = { 1, 2 };\n')
        check([], header, define.format('static '))
        check([], header, define.format('').replace('#include "session.h"', ''))
        check([], header, '#include "session.h"\n/* vh_new () */\n  vh_new (s);\n')
        check([], header, define.format(''), define.format(''))


if __name__ == '__main__':
    unittest.main(verbosity=2, argv=sys.argv[:1])
