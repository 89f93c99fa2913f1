#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Without gst_init() every function of the library says what is missing, and none crashes.

The functions come from the GIR, so that a new one is covered. Each is called in a process of its
own, with objects that g_object_new() makes, and zeros."""

import ctypes
import os
import pathlib
import re
import unittest
import xml.etree.ElementTree

BUILD = pathlib.Path(os.environ['TEST_BUILD'], 'src/gst/videohistogram')
CORE = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'
GLIB = '{http://www.gtk.org/introspection/glib/1.0}'
CALLABLES = ('function', 'method', 'constructor')
# These make types and error domains, which exist without GStreamer.
FREE = re.compile(r'_get_type$|_quark$')
SAYS = 'gst_init() must be called first'


def functions():
    """Yields the functions of the GIR: name, the type of the instance or '', number of arguments,
    whether the function has a GError."""
    root = xml.etree.ElementTree.parse(BUILD / 'GstVideoHistogram-1.0.gir').getroot()
    types = {kind.get('name'): kind.get(GLIB + 'get-type') for kind in root.iter(CORE + 'class')}
    for kind in CALLABLES:
        for element in root.iter(CORE + kind):
            name = element.get(C + 'identifier')
            if element.get('moved-to') or FREE.search(name):
                continue
            instance = element.find(f'{CORE}parameters/{CORE}instance-parameter')
            owner = ''
            if instance is not None:
                owner = types.get(instance.find(CORE + 'type').get('name'), '')
            number = len(element.findall(f'{CORE}parameters/{CORE}parameter'))
            yield name, owner, number, element.get('throws') == '1'


class Error(ctypes.Structure):
    _fields_ = [('domain', ctypes.c_uint32), ('code', ctypes.c_int),
                ('message', ctypes.c_char_p)]


def call(library, objects, name, owner, number, throws):
    """Runs in a child process, whose exit status is 0 if the function left the right error."""
    arguments, error = [], ctypes.POINTER(Error)()
    if owner:
        get_type = getattr(library, owner)
        get_type.restype = ctypes.c_size_t
        objects.g_object_new.restype = ctypes.c_void_p
        arguments.append(ctypes.c_void_p(objects.g_object_new(ctypes.c_size_t(get_type()), None)))
    elif number == 0 or not name.endswith(('_new', '_caps')):
        arguments.append(ctypes.c_void_p())
    arguments += [ctypes.c_void_p()] * number
    if throws:
        # The error is the last argument, after those of the GIR.
        arguments.append(ctypes.byref(error))
    if owner == '' and throws and name in ('gst_video_histogram_from_json',
                                           'gst_video_histogram_from_structure'):
        del arguments[0]
    getattr(library, name)(*arguments)
    if owner:
        objects.g_object_unref(arguments[0])
    if throws:
        return 0 if error and SAYS in error.contents.message.decode() else 1
    return 0


class Uninitialized(unittest.TestCase):
    def test_every_function(self):
        library = ctypes.CDLL(str(BUILD / 'libgstvideohistogram-1.0.so'))
        objects = ctypes.CDLL('libgobject-2.0.so.0')
        called = 0
        for function in functions():
            with self.subTest(function[0]):
                reader, writer = os.pipe()
                child = os.fork()
                if not child:
                    os.dup2(writer, 2)
                    os._exit(call(library, objects, *function))
                os.close(writer)
                with os.fdopen(reader) as pipe:
                    said = pipe.read()
                self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, said)
                self.assertIn('CRITICAL', said)
                self.assertIn(f'{function[0]}: {SAYS}', said)
                called += 1
        self.assertGreater(called, 140)


if __name__ == '__main__':
    unittest.main(verbosity=2)
