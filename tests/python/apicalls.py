#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every function of the library is called by a test."""

import pathlib
import re
import unittest
import xml.etree.ElementTree

import common

GIR = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'
CALLABLES = ('function', 'method', 'constructor')
# Functions that a macro or the compiler calls.
BY_MACRO = re.compile(r'_get_type$|_quark$')


def functions():
    """All functions in the GIR by their C names, except those moved into a class."""
    path = common.build_root() / 'src/gst/videohistogram/GstVideoHistogram-1.0.gir'
    root = xml.etree.ElementTree.parse(path).getroot()
    return {element.get(C + 'identifier'): element
            for kind in CALLABLES for element in root.iter(GIR + kind)
            if not element.get('moved-to')}


class Calls(unittest.TestCase):
    def test_all_are_called(self):
        tests = '\n'.join(path.read_text() for path in
                          pathlib.Path(common.SOURCE, 'tests').rglob('*.c'))
        missing = [name for name in functions() if not BY_MACRO.search(name)
                   and not re.search(rf'\b{name}\b', tests)]
        self.assertEqual(missing, [])


common.main()
