#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every function of the library reports invalid arguments; none crashes or stays silent.

The functions come from the GIR, so that a new one is covered. Each is called with one invalid and
otherwise valid arguments, once per invalid value: a null pointer, an object of another type, an
enum value or bit that does not exist, NaN, the ends of integers. The call must set a GError with a
message, or log a critical warning; QUIET lists the arguments that may have such a value, with
the reason."""

import ctypes
import os
import pathlib
import re
import unittest
import xml.etree.ElementTree

BUILD = pathlib.Path(os.environ['TEST_BUILD'], 'src/gst/videohistogram')
CORE = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'
CALLABLES = ('function', 'method', 'constructor')
# Functions that free memory accept any pointer.
FREE = re.compile(r'_free$')
CAPS = b'video/x-raw,format=GRAY8,width=8,height=8,framerate=25/1'
SIZE = 64
CRITICAL = 1 << 3
MAX_INT, MAX_UINT = 2 ** 31 - 1, 2 ** 32 - 1

NO_SUCH_CELL = 'documented: nothing is returned for a cell that does not exist'
# Pairs of a function, or '*', and a parameter that may have any value, with the reason.
QUIET = {
    ('*', 'column'): NO_SUCH_CELL,
    ('*', 'row'): NO_SUCH_CELL,
    ('gst_video_health_add_difference', 'difference'): 'documented: FALSE if out of range or NaN',
    ('gst_video_health_condition_describe', 'detail'): 'any words',
    ('gst_video_health_condition_describe', 'limit'): 'any threshold',
    ('gst_video_health_condition_describe', 'value'): 'documented: a NAN is not judged',
    ('gst_video_health_condition_scale', 'value'): 'any number is converted',
    ('gst_video_histogram_engine_open', 'cuda_device_id'): 'the CPU needs none',
    ('gst_video_histogram_get_bin_level', 'bin'): 'levels go on beyond white',
    ('gst_video_histogram_set_counts', 'n_bins'): 'documented: FALSE',
    ('gst_video_scope_settings_get_output_size', 'height'): 'any size that a picture can have',
    ('gst_video_scope_settings_get_output_size', 'width'): 'any size that a picture can have',
    ('gst_video_sparse_counts_multiply', 'n'): 'documented: NULL',
}
# Functions that reject the arguments made here because they need more.
NEED_MORE = {
    'gst_clear_video_histogram': 'the address of a pointer',
    'gst_clear_video_joint_histogram': 'the address of a pointer',
    'gst_video_health_engine_submit': 'a configured engine',
    'gst_video_histogram_from_json': 'a line of JSON',
    'gst_video_histogram_engine_propose_allocation': 'another query',
    'gst_video_histogram_unmap_device': 'a view of a GPU',
}
# Longer messages hide their point.
MAX_MESSAGE = 600

glib = ctypes.CDLL('libglib-2.0.so.0')
gst = ctypes.CDLL('libgstreamer-1.0.so.0')
library = ctypes.CDLL(str(BUILD / 'libgstvideohistogram-1.0.so'))


class Error(ctypes.Structure):
    _fields_ = [('domain', ctypes.c_uint32), ('code', ctypes.c_int),
                ('message', ctypes.c_char_p)]


def pointer(of, name, *arguments):
    """Calls a function that returns a pointer."""
    function = getattr(of, name)
    function.restype = ctypes.c_void_p
    return ctypes.c_void_p(function(*arguments))


def a_buffer():
    return pointer(gst, 'gst_buffer_new_allocate', None, ctypes.c_size_t(SIZE), None)


def an_element():
    return pointer(gst, 'gst_element_factory_make', b'identity', None)


def the_caps():
    return pointer(gst, 'gst_caps_from_string', CAPS)


def opened(kind, *arguments):
    thing = pointer(library, f'gst_video_{kind}_new')
    assert getattr(library, f'gst_video_{kind}_open')(thing, *arguments, None, None)
    return thing


def an_engine():
    engine = opened('histogram_engine', 1, -1)
    spec = pointer(library, 'gst_video_histogram_spec_new')
    assert library.gst_video_histogram_engine_configure(engine, the_caps(), spec, None)
    return engine


def an_equalizer():
    equalizer = opened('equalizer', -1)
    assert library.gst_video_equalizer_configure(equalizer, the_caps(), None)
    return equalizer


def a_scope():
    scope = opened('scope', -1)
    assert library.gst_video_scope_configure(scope, the_caps(), the_caps(), None)
    return scope


def a_histogram():
    return pointer(library, 'gst_video_histogram_engine_submit', an_engine(), a_buffer(), None, 0,
                   None)


def a_joint():
    return pointer(library, 'gst_video_joint_histogram_new', 2, 2,
                   (ctypes.c_uint32 * 4)(1, 2, 3, 4), 4)


def a_health_engine():
    return pointer(library, 'gst_video_health_engine_new',
                   pointer(library, 'gst_video_health_new'),
                   opened('histogram_engine', 1, -1))


def made(name):
    return lambda: pointer(library, name)


# By names in the GIR.
GOOD = {
    'GLib.Variant': lambda: pointer(library, 'gst_video_health_save',
                                    pointer(library, 'gst_video_health_new')),
    'Gst.Buffer': a_buffer,
    'Gst.BufferPool': lambda: pointer(gst, 'gst_buffer_pool_new'),
    'Gst.Caps': the_caps,
    'Gst.Context': lambda: pointer(gst, 'gst_context_new', b'gst.test', 1),
    'Gst.Element': an_element,
    'Gst.Query': lambda: pointer(gst, 'gst_query_new_context', b'gst.test'),
    'Gst.Segment': lambda: pointer(gst, 'gst_segment_new'),
    'Gst.Structure': lambda: pointer(library, 'gst_video_histogram_to_structure', a_histogram(),
                                     3),
    'VideoEqualizer': an_equalizer,
    'VideoEqualizerSettings': made('gst_video_equalizer_settings_new'),
    'VideoHealth': made('gst_video_health_new'),
    'VideoHealthEngine': a_health_engine,
    'VideoHistogram': a_histogram,
    'VideoHistogramEngine': an_engine,
    'VideoHistogramDeviceView': lambda: (ctypes.c_uint64 * 64)(),
    'VideoHistogramInfo': made('gst_video_histogram_info_new'),
    'VideoHistogramSpec': made('gst_video_histogram_spec_new'),
    'VideoHistogramStatistics': made('gst_video_histogram_statistics_new'),
    'VideoJointHistogram': a_joint,
    'VideoScope': a_scope,
    'VideoScopeSettings': made('gst_video_scope_settings_new'),
    'VideoSparseCounts': lambda: pointer(library, 'gst_video_joint_histogram_to_sparse',
                                         a_joint()),
    'utf8': lambda: ctypes.c_char_p(b''),
    'gint': lambda: ctypes.c_int(1),
    'guint': lambda: ctypes.c_uint(1),
    'gboolean': lambda: ctypes.c_int(0),
    'gdouble': lambda: ctypes.c_double(0),
    'Gst.ClockTime': lambda: ctypes.c_uint64(10 ** 9),
}
GOOD_NUMBERS = {'backend': 1, 'cuda_device_id': -1}
GOBJECTS = ('Gst.BufferPool', 'Gst.Element', 'VideoEqualizer', 'VideoHealth', 'VideoHealthEngine',
            'VideoHistogramEngine', 'VideoScope')
MINI_OBJECTS = ('Gst.Buffer', 'Gst.Caps', 'Gst.Context', 'Gst.Query', 'VideoHistogram',
                'VideoJointHistogram')
NUMBERS = {
    'gint': [(ctypes.c_int, value) for value in (-2 ** 31, -2, MAX_INT)],
    'guint': [(ctypes.c_uint, value) for value in (2 ** 31, MAX_UINT)],
    'gdouble': [(ctypes.c_double, float(value)) for value in ('nan', 'inf', '-inf', '1e300')],
}
TEXTS = (b'\xff\xfe', b'{', b'a=1,,', b'9' * 100000)


class Parameter:
    def __init__(self, element, enums, flags):
        kind, array = element.find(CORE + 'type'), element.find(CORE + 'array')
        self.name = element.get('name')
        self.out = element.get('direction') == 'out'
        self.nullable = element.get('nullable') == '1'
        self.array = array is not None
        self.type = (array.find(CORE + 'type') if self.array else kind).get('name')
        self.enum, self.flags = enums.get(self.type), flags.get(self.type)

    def good(self):
        if self.name in GOOD_NUMBERS:
            return ctypes.c_int(GOOD_NUMBERS[self.name])
        if self.out:
            return (ctypes.c_uint64 * 64)()
        if self.array:
            return ({'guint32': ctypes.c_uint32, 'gdouble': ctypes.c_double}[self.type] * 1)()
        if self.enum or self.flags:
            return ctypes.c_int((self.enum or self.flags)[-1])
        return GOOD[self.type]()

    def bad(self):
        """Returns functions that make a bad value, each with its name."""
        if self.enum:
            values = (-1, max(self.enum) + 1, 99, MAX_INT, -2 ** 31)
            return [(f'{value}', lambda value=value: ctypes.c_int(value)) for value in values]
        if self.flags:
            values = (sum(self.flags) + 1, 1 << 30, -1)
            return [(f'{value:#x}', lambda value=value: ctypes.c_int(value)) for value in values]
        if self.type in ('gboolean', 'Gst.ClockTime'):
            return []
        if self.type in NUMBERS and not self.out and not self.array:
            return [(f'{value}', lambda kind=kind, value=value: kind(value))
                    for kind, value in NUMBERS[self.type]]
        values = [] if self.nullable or self.out else [('NULL', ctypes.c_void_p)]
        if self.type == 'utf8' and not self.out:
            values += [(f'{text[:9]}', lambda text=text: ctypes.c_char_p(text)) for text in TEXTS]
        for kinds in (GOBJECTS, MINI_OBJECTS):
            if self.type in kinds:
                other = kinds[(kinds.index(self.type) + 1) % len(kinds)]
                values.append((f'a {other}', GOOD[other]))
        return values


def functions():
    root = xml.etree.ElementTree.parse(BUILD / 'GstVideoHistogram-1.0.gir').getroot()
    enums, flags = ({kind.get('name'): [int(member.get('value'))
                                        for member in kind.iter(CORE + 'member')]
                     for kind in root.iter(CORE + tag)} for tag in ('enumeration', 'bitfield'))
    for kind in CALLABLES:
        for element in root.iter(CORE + kind):
            parameters = element.find(CORE + 'parameters')
            if parameters is not None and not element.get('moved-to'):
                name = element.get(C + 'identifier')
                if FREE.search(name):
                    continue
                yield (name,
                       [Parameter(parameter, enums, flags) for parameter in parameters],
                       element.get('throws') == '1')


def call(name, arguments, throws):
    """Returns the function's messages."""
    error = ctypes.POINTER(Error)()
    criticals.clear()
    if throws:
        arguments.append(ctypes.byref(error))
    getattr(library, name)(*arguments)
    said = list(criticals)
    if error:
        said.append(error.contents.message.decode())
    return said


criticals = []


@ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
def take_log(domain, level, message, data):
    if level & CRITICAL:
        criticals.append('' + message.decode(errors='replace'))


def try_function(name, parameters, throws, report):
    """Reports problems; first prints the attempt, in case of a crash."""
    report(f'{name}: good arguments')
    said = call(name, [parameter.good() for parameter in parameters], throws)
    if said and name not in NEED_MORE:
        report(f'! {name} refuses good arguments: {said}')
    for bad in parameters:
        for text, make in bad.bad():
            case = f'{name}({bad.name}={text})'
            report(case)
            said = call(name, [make() if parameter is bad else parameter.good()
                               for parameter in parameters], throws)
            quiet = (name, bad.name) in QUIET or ('*', bad.name) in QUIET
            if not quiet and not any(len(line) > 10 for line in said):
                report(f'! {case} is silent')
            if any(len(line) > MAX_MESSAGE for line in said):
                report(f'! {case}: {len(max(said, key=len))} bytes of message')


class Nonsense(unittest.TestCase):
    def test_every_function(self):
        gst.gst_init(None, None)
        called = 0
        for name, parameters, throws in functions():
            with self.subTest(name):
                reader, writer = os.pipe()
                child = os.fork()
                if not child:
                    glib.g_log_set_default_handler(take_log, None)
                    try_function(name, parameters, throws,
                                 lambda text: os.write(writer, f'{text}\n'.encode()))
                    os._exit(0)
                os.close(writer)
                with os.fdopen(reader) as pipe:
                    lines = pipe.read().splitlines()
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                self.assertEqual(status, 0, lines[-1])
                self.assertEqual([line for line in lines if line.startswith('! ')], [])
                called += len(lines)
        self.assertGreater(called, 400)


if __name__ == '__main__':
    unittest.main(verbosity=2)
