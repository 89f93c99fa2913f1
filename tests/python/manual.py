#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The reference manual is complete: every public symbol is described, with its version, ownership
and units; the built pages have all of them, and no dead link; its programs do what they show."""

import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest
import xml.etree.ElementTree

import common
from gi.repository import GObject, Gst

CORE = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'
GLIB = '{http://www.gtk.org/introspection/glib/1.0}'
FOLDER = common.SOURCE / 'docs/reference'
LIBRARY = common.SOURCE / 'src/gst/videohistogram'
GIR = common.build_root() / 'src/gst/videohistogram/GstVideoHistogram-1.0.gir'
MANUAL = common.build_root() / 'docs/reference/gst-videohistogram-1.0'
CALLABLES = ('function', 'function-macro', 'method', 'constructor')
VERSION = re.compile(r'0\.[12]|[1-9]\d*\.\d+')
FACTS = tomllib.loads((FOLDER / 'elements.toml').read_text())


def local(element):
    return element.tag.rpartition('}')[2]


def symbols():
    """Yields the symbols of the GIR: name, element, the function or type it belongs to."""
    space = xml.etree.ElementTree.parse(GIR).getroot().find(CORE + 'namespace')
    for parent in (space, *space):
        if parent.get(GLIB + 'is-gtype-struct-for'):
            continue
        if parent is not space and local(parent) not in CALLABLES:
            yield parent.get(C + 'type') or parent.get('name'), parent, None
        for child in parent:
            kind = local(child)
            name = child.get(C + 'identifier') or child.get('name')
            if kind in CALLABLES and not child.get('moved-to'):
                yield name, child, None
            elif kind in ('member', 'field') and not child.get('private'):
                yield f'{parent.get("name")}.{name}', child, parent


def comments():
    """Yields the documentation comments of the library: name, text."""
    for path in sorted(LIBRARY.rglob('*.[ch]')):
        for block in re.findall(r'/\*\*\n(.*?)\*/', path.read_text(), re.S):
            lines = [re.sub(r'^ \* ?', '', line) for line in block.split('\n')]
            yield lines[0].split(':')[0], '\n'.join(lines[1:])


class Symbols(unittest.TestCase):
    def check_all(self, problem, least):
        count = 0
        for name, element, parent in symbols():
            count += 1
            with self.subTest(symbol=name):
                self.assertIsNone(problem(element, parent))
        self.assertGreater(count, least)

    def test_every_one_is_described(self):
        def problem(element, _):
            text = element.findtext(CORE + 'doc')
            if not text or len(text) < 3:
                return 'there is no description'
            if local(element) not in ('member', 'field') and not re.match(
                    r'[A-Z`].*?[.:](\s|$)', text, re.S):
                return f'this is no sentence: {text}'
            return None
        self.check_all(problem, 350)

    def test_every_one_has_a_version(self):
        def problem(element, parent):
            own = element.get('version')
            if parent is not None:
                own = own or parent.get('version')
            return None if own and VERSION.fullmatch(own) else f'Since: {own}'
        self.check_all(problem, 350)

    def test_every_parameter_is_described(self):
        def problem(element, _):
            parts = list(element.iterfind(f'{CORE}parameters/*'))
            result = element.find(CORE + 'return-value')
            if result is not None and result.find(f'{CORE}type[@name="none"]') is None:
                parts.append(result)
            missing = [part.get('name', 'what it returns') for part in parts
                       if not part.findtext(CORE + 'doc')]
            if local(element) in CALLABLES and missing:
                return f'not described: {", ".join(missing)}'
            return None
        self.check_all(problem, 350)

    def test_times_have_a_unit(self):
        def problem(element, _):
            for part in (element, *element.iterfind(f'{CORE}parameters/*'),
                         *element.iterfind(CORE + 'return-value')):
                kind = part.find(CORE + 'type')
                if kind is not None and kind.get('name') == 'Gst.ClockTime' and not re.search(
                        r'\bns\b', part.findtext(CORE + 'doc', '')):
                    return f'no unit: {part.findtext(CORE + "doc")}'
            return None
        self.check_all(problem, 350)

    def test_ownership_is_stated(self):
        """Ownership is stated for every pointer that a function returns."""
        texts, count = dict(comments()), 0
        for header in LIBRARY.glob('gst*.h'):
            for name in re.findall(r'GST_VIDEO_HISTOGRAM_API\n[\w ]+\*\*?(gst_\w+) ',
                                   header.read_text()):
                count += 1
                with self.subTest(function=name):
                    result = texts[name].partition('Returns:')[2]
                    self.assertRegex(' '.join(result.split()),
                                     r'\(transfer (none|full)\)|static string|`gradient`')
        self.assertGreater(count, 40)

    def test_macros(self):
        """Macros in the headers, of which the GIR has only some."""
        texts, count = dict(comments()), 0
        for header in LIBRARY.glob('gst*.h'):
            if 'private' in header.name:
                continue
            for name in re.findall(r'^#define (GST_\w+)', header.read_text(), re.M):
                count += 1
                with self.subTest(macro=name):
                    self.assertRegex(texts[name], r'[.]\n\nSince: 0\.[12]\n')
        self.assertGreater(count, 40)

    def test_names_exist(self):
        """Names in comments are names of symbols."""
        known = {name for name, _, __ in symbols()}
        texts = dict(comments())
        known |= set(texts)
        for name, element, parent in symbols():
            known |= {element.get(C + 'identifier'), element.get(C + 'type')}
            known |= {f'Gst{element.get("name")}'}
        for name, text in texts.items():
            with self.subTest(comment=name):
                text = re.sub(r'\|\[.*?\]\|', '', text, flags=re.S)
                ours = re.findall(r'\bgst_(?:video|buffer_(?:add|get)_video|clear)\w+(?= ?\()|'
                                  r'%GST_VIDEO_(?:H|E|S)\w+|#GstVideo(?!CropMeta|Meta)\w+', text)
                self.assertEqual([word for word in ours if word.lstrip('%#') not in known], [])

    def test_scanner_has_no_warning(self):
        ninja = shutil.which('ninja') or self.skipTest('there is no ninja')
        target = GIR.relative_to(common.build_root())
        commands = subprocess.run([ninja, '-C', common.build_root(), '-t', 'commands', target],
                                  capture_output=True, text=True, check=True).stdout
        command = [line for line in commands.split('\n') if 'g-ir-scanner' in line][-1]
        with tempfile.NamedTemporaryFile() as output:
            command = re.sub(r' --quiet| --output \S+', '', command)
            done = subprocess.run(f'{command} --warn-all --output {output.name}', shell=True,
                                  cwd=common.build_root(), capture_output=True, text=True,
                                  check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('Warning', done.stdout + done.stderr)

    def test_docgen_finds_no_gap(self):
        docgen = shutil.which('gi-docgen') or self.skipTest('there is no gi-docgen')
        with tempfile.NamedTemporaryFile('w', suffix='.toml') as config:
            config.write('[library]\nnamespace = "GstVideoHistogram"\n')
            config.flush()
            done = subprocess.run([docgen, 'check', '--quiet', '--config', config.name, GIR],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('WARNING', done.stdout + done.stderr)


class Page(html.parser.HTMLParser):
    """The links of a page, and the anchors in it."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.places = [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.places |= {attrs.get('id'), attrs.get('name')}
        for key in ('href', 'src'):
            if key in attrs:
                self.targets.append(attrs[key])


@unittest.skipUnless(MANUAL.exists(), 'the manual is not built')
class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = {path.name: Page(path) for path in MANUAL.glob('*.html')}

    def test_no_warning(self):
        self.assertNotRegex(MANUAL.with_name('warnings.log').read_text(), 'WARNING|ERROR')

    def test_links(self):
        self.assertGreater(len(self.pages), 200)
        for name, page in self.pages.items():
            with self.subTest(page=name):
                dead = []
                for target in page.targets:
                    file, _, place = target.partition('#')
                    file = file or name
                    if re.match('https?://', target):
                        continue
                    if not target or not (MANUAL / file).exists():
                        dead.append(target)
                    elif place and file.endswith('.html') and \
                            place not in self.pages[file].places:
                        dead.append(target)
                self.assertEqual(dead, [])

    def test_every_symbol_has_a_place(self):
        text = '\n'.join((MANUAL / name).read_text() for name in self.pages)
        for name, element, parent in symbols():
            # gi-docgen shows no function macros.
            if local(element) == 'function-macro':
                continue
            name = element.get(C + 'identifier') or element.get(C + 'type') or element.get('name')
            with self.subTest(symbol=name):
                self.assertRegex(text, rf'\b{name}\b')

    def test_devhelp(self):
        book = xml.etree.ElementTree.parse(MANUAL / 'gst-videohistogram-1.0.devhelp2').getroot()
        links = [element.get('link') for element in book.iter() if element.get('link')]
        self.assertGreater(len(links), 200)
        self.assertEqual([link for link in links
                          if not (MANUAL / link.partition('#')[0]).exists()], [])

    def test_no_name_in_c_is_left_unlinked(self):
        for name in self.pages:
            text = re.sub(r'<pre>.*?</pre>', '', (MANUAL / name).read_text(), flags=re.S)
            with self.subTest(page=name):
                self.assertEqual(re.findall(r'[#%]G[Ss][Tt]\w+|\|\[|\]\|', text), [])

    def test_elements(self):
        """Each element's page has its pads, properties, values and signals."""
        for feature in Gst.Registry.get().get_feature_list_by_plugin('videohistogram'):
            name = feature.get_name()
            page, element = self.pages[f'element-{name}.html'], feature.create(None)
            text = html.unescape((MANUAL / f'element-{name}.html').read_text())
            names = [pspec.name for pspec in element.list_properties()
                     if not pspec.owner_type.name.startswith(('GstObject', 'GstBase'))]
            names += GObject.signal_list_names(element.__gtype__)
            names += FACTS[name]['messages']
            with self.subTest(element=name):
                self.assertEqual(re.findall(r'<td>None</td>|Since:\s*None', text), [])
            for wanted in names:
                with self.subTest(element=name, part=wanted):
                    self.assertTrue({wanted, f'{wanted}_1', f'{wanted}-message', f'qos-{wanted}',
                                     f'element-message-{wanted}'} & page.places)
            for format_name in re.findall(r'[A-Z]\w{3,}', re.sub(r'\(.*?\)', '', element
                                          .get_pad_template('sink').get_caps().to_string())):
                if not format_name.startswith(('Gst', 'Interlaced', 'CUDA', 'System')):
                    self.assertIn(format_name, text)

    def names(self, column):
        text = (MANUAL / 'names.html').read_text()
        found = set()
        for section in re.split(r'<h2 ', text)[1:]:
            owner = re.match(r'[^>]*>(\w+)', section).group(1)
            for row in re.findall(r'<tr>\s*<td>.*?</tr>', section, re.S):
                cell = re.findall(r'<td>(.*?)</td>', row, re.S)[column]
                name = re.search(r'<code>([\w.]+)\(', cell).group(1)
                found.add(name if '.' in name or owner == 'Functions' else f'{owner}#{name}')
        return found

    def test_names_in_python(self):
        import gi
        gi.require_version('GstVideoHistogram', '1.0')
        from gi.repository import GstVideoHistogram as library
        names = self.names(1)
        self.assertGreater(len(names), 130)
        for name in names:
            with self.subTest(name):
                place = library
                for part in re.split('[.#]', name):
                    place = getattr(place, part)
                self.assertTrue(callable(place))

    def test_names_in_javascript(self):
        gjs = shutil.which('gjs') or self.skipTest('there is no gjs')
        names = sorted(self.names(2))
        script = ('imports.gi.versions.Gst = "1.0"; imports.gi.versions.GstVideoHistogram = "1.0";'
                  'const {Gst, GstVideoHistogram: Vh} = imports.gi; Gst.init(null);'
                  f'for (const name of {json.dumps(names)}) {{'
                  '  const [owner, method] = name.split("#");'
                  '  const path = owner.split(".");'
                  '  let place = Vh; for (const part of path) place = place[part];'
                  '  if (method) place = place.prototype[method];'
                  '  if (typeof place !== "function") print(name); }')
        done = subprocess.run([gjs, '-c', script], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, '', done.stderr)


class Elements(unittest.TestCase):
    """elements.toml lists what elements really post."""

    def test_units(self):
        for feature in Gst.Registry.get().get_feature_list_by_plugin('videohistogram'):
            with self.subTest(element=feature.get_name()):
                numbers = {pspec.name for pspec in feature.create(None).list_properties()
                           if hasattr(pspec, 'minimum')}
                self.assertEqual(set(FACTS[feature.get_name()]['units']), numbers)

    def collect(self, launch, late=None):
        """Returns the messages that the element "it" posts until its pipeline ends."""
        pipeline, messages = Gst.parse_launch(launch), []
        element = pipeline.get_by_name('it')
        if late:
            event = Gst.Event.new_qos(Gst.QOSType.UNDERFLOW, 2.0, 100 * Gst.SECOND, 0)
            pipeline.get_by_name('sink').connect(
                'handoff', lambda sink, *_: sink.get_static_pad('sink').push_event(event))
        pipeline.set_state(Gst.State.PLAYING)
        while True:
            message = pipeline.get_bus().timed_pop(60 * Gst.SECOND)
            self.assertIsNotNone(message, launch)
            if message.src == element and message.type & (
                    Gst.MessageType.ELEMENT | Gst.MessageType.QOS | Gst.MessageType.WARNING
                    | Gst.MessageType.ERROR):
                messages.append(message)
            if message.type & (Gst.MessageType.EOS | Gst.MessageType.ERROR):
                break
        pipeline.set_state(Gst.State.NULL)
        self.assertTrue(messages, launch)
        return messages

    def check_fields(self, element, messages, *channels):
        """Each field of the messages is in the table, with its type, and vice versa."""
        table = {}
        for name, kind, _ in FACTS[element]['messages'][element]['fields']:
            for channel in channels if 'CHANNEL' in name else ['']:
                table[name.replace('CHANNEL', channel)] = kind
        found = {}
        for message in messages:
            structure = message.get_structure()
            self.assertEqual(structure.get_name(), element)
            for i in range(structure.n_fields()):
                name = structure.nth_field_name(i)
                found[name] = GObject.type_name(structure.get_field_type(name))
        self.assertEqual(found, table)

    def test_videohistogram(self):
        self.check_fields('videohistogram', self.collect(
            'videotestsrc num-buffers=3 ! video/x-raw,format=NV12,width=16,height=16 ! tee name=t '
            't. ! queue ! videohistogram name=other channels=luma ! fakesink '
            't. ! queue ! videohistogram name=it channels=luma+red+green+blue+gradient grid=2x2 '
            'interval=0 joint-with=other ! fakesink'), *common.CHANNELS)

    def test_videohealth(self):
        self.check_fields('videohealth', self.collect(
            'videotestsrc pattern=black num-buffers=90 ! video/x-raw,width=64,height=64 ! '
            'videohealth name=it ! fakesink'))

    def test_kinds(self):
        """Each kind of message that an element posts is in its table."""
        small = 'videotestsrc num-buffers=3 ! video/x-raw,width=16,height=16 ! '
        bare = 'fakesrc num-buffers=1 ! '
        for element, kind, launch in (
                ('videohistogram', 'warning', small + 'videohistogram name=it roi=99,99,2,2'),
                ('videohistogram', 'error',
                 small + 'videohistogram name=it backend=cuda cuda-device-id=999'),
                ('videohistogram', 'qos', small + 'videohistogram name=it interval=0'),
                ('videoequalize', 'warning', small + 'videoequalize name=it roi=99,99,2,2'),
                ('videoequalize', 'error',
                 small + 'videoequalize name=it method=match reference=/nonexistent'),
                ('videohealth', 'qos', small + 'videohealth name=it'),
                ('videohealth', 'warning', bare + 'videohealth name=it'),
                ('videohealth', 'error',
                 small + 'videohealth name=it backend=cuda cuda-device-id=999'),
                ('videoscope', 'warning', small + 'videoscope name=it cuda-device-id=999'),
                ('videoscope', 'error', bare + 'videoscope name=it')):
            with self.subTest(element=element, kind=kind):
                messages = self.collect(
                    launch + ' ! fakesink name=sink signal-handoffs=true qos=false',
                    kind == 'qos')
                kinds = {message.type.first_value_nick for message in messages} - {'element'}
                self.assertEqual(kinds, {kind})
                self.assertIn(kind, FACTS[element]['messages'])


class Programs(unittest.TestCase):
    """The programs in the page on languages print what it shows, and use nothing from this
    checkout."""

    def run_block(self, language, *command):
        text = (FOLDER / 'languages.md').read_text()
        code, output = re.search(rf'```{language}\n(.*?)```\n.*?```text\n(.*?)```', text,
                                 re.S).groups()
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, f'program.{language}')
            source.write_text(code)
            if language == 'c':
                flags = subprocess.run(
                    ['pkg-config', '--cflags', '--libs', 'gstreamer-videohistogram-1.0'],
                    env={**os.environ, 'PKG_CONFIG_PATH':
                         str(common.build_root() / 'meson-uninstalled')},
                    capture_output=True, text=True, check=True).stdout.split()
                subprocess.run(['cc', '-Wall', '-Wextra', '-Werror', source, '-o',
                                f'{folder}/program', *flags], check=True)
                command = [f'{folder}/program']
            else:
                command = [*command, source]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.returncode), (output, 0), done.stderr)

    def test_c(self):
        self.run_block('c')

    def test_python(self):
        self.run_block('python', '/usr/bin/python3')

    def test_javascript(self):
        self.run_block('js', shutil.which('gjs') or self.skipTest('there is no gjs'))


common.main()
