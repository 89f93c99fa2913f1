#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""src/bench/plot draws all of its input, with names, units and scales, and nothing overlaps."""

import collections
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import common

try:
    import matplotlib  # pylint: disable=unused-import
except ImportError as error:
    common.skip(f'{error}; python3-matplotlib has it')

PLOT = pathlib.Path(common.SOURCE) / 'src/bench/plot'
KINDS = {'empty': 'empty', 'read': 'read', 'cub': 'peer', 'npp': 'peer', 'cpu': 'cpu'}
METHODS = [f'method-number-{i:02}' for i in range(16)]
ENTRANTS = ['empty', 'read', *METHODS, 'auto', 'cub', 'npp', 'cpu']
DATA = ['uniform', 'normal', 'one-value', 'photo', 'film', 'ramp']
BINS = [16, 64, 256, 1024, 4096, 65536]
TEXT = '{http://www.w3.org/2000/svg}text'
USE = '{http://www.w3.org/2000/svg}use'
SIZES = {'1G': (32768, 32768), '64M': (32768, 2048), '256M': (16384, 8192),
         '1080p': (1920, 1080), '720p': (1280, 720)}

Text = collections.namedtuple('Text', 'text x y size anchor upwards')


def time(name, k, us):
    """The time of entrant @k: slower the further down the list, with the first ten nearly equal."""
    slower = 1.02 ** k if k < 10 else 1.5 ** (k - 9)
    return {'name': name, 'kind': KINDS.get(name, 'method'), 'counts': 'exact',
            'us-median': us * slower, 'gb-per-s': 4000 / slower, 'of-reading': 1.02 / slower}


def case(size, data='uniform', bins=256, depth=8, missing=(), **members):
    width, height = SIZES[size]
    times = [time(name, k, 2 + DATA.index(data) / 4 if data in DATA else 2)
             for k, name in enumerate(ENTRANTS)]
    for t in times:
        if t['name'] in missing:
            for key in ('us-median', 'gb-per-s', 'of-reading'):
                del t[key]
            t['problem'] = 'it cannot count that'
        elif t['name'] == 'empty':
            del t['gb-per-s'], t['of-reading']
    return {'case': f'{size} of {data}, {bins} bins, {depth} bits', 'size': size, 'width': width,
            'height': height, 'bytes': width * height * (2 if depth > 8 else 1),
            'channels': 'luma', 'format': 'GRAY16_LE' if depth > 8 else 'GRAY8', 'depth': depth,
            'bins': bins, 'data': data, 'from': 'hbm', 'best': METHODS[0],
            'auto-takes': METHODS[1], 'auto-behind': 0.02, 'times': times, **members}


def all_results():
    """The results of a complete run."""
    late = ('method-number-05', 'method-number-06', 'npp')
    cases = [case(size, data) for size in ('64M', '1G', '720p', '1080p') for data in DATA]
    cases += [case('256M', data, bins, 16, late if bins > 1024 else ())
              for data in ('uniform', 'one-value') for bins in BINS]
    cases += [case('256M', 'one-value' if n == 1 else f'distinct-{n}')
              for n in (256, 128, 64, 32, 16, 8, 4, 2, 1)]
    for i, one in enumerate(cases):
        one['auto-behind'] = i / 100 - 0.01
    # Cases that no plot may show, at the start and the end of the list.
    failed = {'failure': 'the GPU failed', 'times': [], 'auto-behind': None}
    cases[:0] = [case('1G', **failed), case('1080p', **failed),
                 case('256M', 'uniform', 32, 16, **failed)]
    cases += [case('1080p', 'uniform', **{'from': 'l2'}),
              case('1080p', 'uniform', channels='rgb', **{'auto-behind': None})]
    photo = {'width': 20, 'height': 10}
    for least, colour in enumerate(('blue', 'green', 'red')):
        photo[colour] = [least * 100 + i * 37 % 101 for i in range(256)]
    return {'program': 'videohistogram-bench', 'papers': False, 'photo': photo, 'cases': cases}


class Plots(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.folder = self.dir / 'new' / 'plots'

    def run_plot(self, *arguments, status=0):
        done = subprocess.run([PLOT, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        if status == 0:
            self.assertEqual(done.stderr, '')
        return done.stdout + done.stderr

    def draw(self, results):
        """Returns the names of the plots of @results."""
        path = self.dir / 'results.json'
        path.write_text(json.dumps(results))
        said = self.run_plot(path, self.folder)
        names = sorted(p.name for p in self.folder.iterdir())
        self.assertEqual(sorted(re.findall(r'^\S+$', said, re.M)), names)
        return names

    def read(self, name):
        """Returns the root of a plot, and its texts."""
        root = xml.etree.ElementTree.parse(self.folder / name).getroot()
        texts = []
        for node in root.iter(TEXT):
            style = node.get('style')
            size = float(re.search(r'font(?:-size)?: (?:\w+ )?([\d.]+)px', style)[1])
            anchor = re.search(r'text-anchor: (\w+)', style)
            texts.append(Text(node.text, float(node.get('x', 0)), float(node.get('y', 0)), size,
                              anchor[1] if anchor else 'start',
                              'rotate(-90' in node.get('transform', '')))
        return root, texts

    def check_plot(self, name, *expected):
        """Checks that all of @expected is written, whole and not overlapping."""
        root, texts = self.read(name)
        written = [t.text for t in texts]
        for text in expected:
            self.assertIn(text, written)
        width, height = (float(n) for n in root.get('viewBox').split()[2:])
        boxes = []
        for text in texts:
            length = len(text.text) * text.size * 0.62
            if text.upwards:
                self.assertGreater(text.x, text.size)
                self.assertLess(text.y + length / 2, height)
                continue
            left = text.x - {'start': 0, 'middle': length / 2, 'end': length}[text.anchor]
            self.assertGreaterEqual(left, 0, text)
            self.assertLessEqual(left + length, width, text)
            self.assertTrue(text.size <= text.y <= height, text)
            boxes.append((left, left + length, text))
        for (left, right, a), (other, end, b) in itertools.combinations(boxes, 2):
            if left < end and other < right:
                self.assertGreater(abs(a.y - b.y), min(a.size, b.size), (a, b))
        return root, texts

    def count_marks(self, root, colour):
        return sum(f'fill: {colour}' in use.get('style', '') for use in root.iter(USE))

    def order(self, texts, names):
        """Returns @names from top to bottom."""
        return [t.text for t in sorted(texts, key=lambda t: t.y) if t.text in names]

    def test_all(self):
        self.assertEqual(self.draw(all_results()), [
            'auto.svg', 'bins-one-value.svg', 'bins-uniform.svg', 'bulk.svg', 'colours.svg',
            'contention.svg', 'frame.svg'])
        files = {p.name: p.read_bytes() for p in self.folder.iterdir()}
        self.draw(all_results())
        for path in self.folder.iterdir():
            self.assertEqual(path.read_bytes(), files[path.name])
            self.assertNotIn(b'dc:date', files[path.name])
            self.assertNotIn(b'Matplotlib', files[path.name])

    def test_dots(self):
        self.draw(all_results())
        for name, title, label, best in (
                ('bulk.svg', '1G of 8-bit samples: how near to the speed of reading',
                 'throughput, % of a kernel that only reads the same bytes (logarithmic)',
                 'read'),
                ('frame.svg', 'One frame of 1080p: how long counting takes',
                 'microseconds for a frame (logarithmic)', 'empty')):
            with self.subTest(name):
                rows = ENTRANTS[ENTRANTS.index(best):]
                root, texts = self.check_plot(name, title, label, *DATA, *rows, '10', '100')
                self.assertEqual(self.order(texts, rows), rows)
                self.assertEqual([t.text for t in texts if t.text in DATA], DATA)
                for colour in ('#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00',
                               '#56b4e9'):
                    # One more mark is in the legend.
                    self.assertEqual(self.count_marks(root, colour), len(rows) + 1, colour)
        _, texts = self.read('bulk.svg')
        self.assertNotIn('empty', [t.text for t in texts])
        self.assertIn('98 %', [t.text for t in texts])
        _, texts = self.read('frame.svg')
        self.assertIn('2 … 3.25 µs', [t.text for t in texts])

    def test_lines(self):
        self.draw(all_results())
        rows = ENTRANTS[1:]
        for name, title, subtitle, label, ticks in (
                ('bins-uniform.svg', 'Throughput by bins, uniform data',
                 '256M of GRAY16_LE; more is better', 'bins', BINS),
                ('bins-one-value.svg', 'Throughput by bins, one-value data',
                 '256M of GRAY16_LE; more is better', 'bins', BINS),
                ('contention.svg', 'Throughput by how many values there are',
                 '256M of GRAY8, 256 bins; more is better', 'values that differ',
                 (256, 128, 64, 32, 16, 8, 4, 2, 1))):
            with self.subTest(name):
                root, texts = self.check_plot(name, title, subtitle, label, *rows,
                                              'GB/s (logarithmic)', *map(str, ticks))
                # Names whose lines end further left are at the same height as before.
                self.assertEqual(self.order(texts, rows), rows)
                places = sorted((t.x, int(t.text)) for t in texts
                                if t.anchor == 'middle' and t.text.isdigit())
                self.assertEqual([n for _, n in places], list(ticks))
                for entrant, colour in (('auto', '#0072b2'), ('cub', '#d55e00'),
                                        ('npp', '#e69f00'), ('cpu', '#cc79a7')):
                    points = 4 if entrant == 'npp' and 'bins' in name else len(ticks)
                    # One more mark is next to its name.
                    self.assertEqual(self.count_marks(root, colour), points + 1, entrant)

    def test_auto(self):
        results = all_results()
        self.draw(results)
        sorted_cases = sorted((c for c in results['cases'] if c['auto-behind'] is not None),
                              key=lambda c: -c['auto-behind'])
        names = [c['case'] for c in sorted_cases[:30]]
        _, texts = self.check_plot(
            'auto.svg', 'How far auto is behind the best method',
            f'the worst 30 of {len(sorted_cases)} cases; all others are nearer',
            '% more time than the best method', 'best method', 'auto uses', *names)
        written = [t.text for t in texts]
        self.assertEqual(written.count(METHODS[0]), 30)
        self.assertEqual(written.count(METHODS[1]), 30)
        self.assertIn(f'{sorted_cases[0]["auto-behind"] * 100:+.1f}', written)
        self.assertEqual(self.order(texts, names), names)
        shutil.rmtree(self.folder)
        slow = case('1080p', **{'auto-takes': None, 'auto-behind': -0.01})
        slow['times'][-1]['us-median'] = 12345.6
        self.draw({**results, 'cases': [slow]})
        self.check_plot('auto.svg', 'the worst 1 of 1 cases', '-1.0', 'not timed alone')
        self.check_plot('frame.svg', '12346 µs')

    def test_colours(self):
        self.draw(all_results())
        root, texts = self.check_plot('colours.svg', 'Colours of the photograph',
                                      '20 × 10 pixels, 256 bins', 'code value', 'pixels', 'red',
                                      'green', 'blue', '0', '240')
        # In the order of their last values.
        self.assertEqual(self.order(texts, ('red', 'green', 'blue')), ['red', 'green', 'blue'])
        paths = [p.get('d') for p in root.iter('{http://www.w3.org/2000/svg}path')]
        self.assertEqual(sum(d.count('L') == 255 for d in paths), 3)

    def test_papers(self):
        methods = {'tagged-warps': '#0072b2', 'thread-tables': '#d55e00'}
        bins = (16, 256, 4096, 57855, 57856, 65536)
        cases = [case('256M', data, b, 16) for data in ('uniform', 'normal', 'one-value')
                 for b in bins]
        for c in cases:
            c['times'] = [time('tagged-warps', 3, 2), time('thread-tables', 5, 2),
                          time('auto', 1, 2)]
            if c['bins'] > 57600:
                del c['times'][1]['gb-per-s']
        warps = [{'method': method, 'data': data, 'warps': n,
                  'gb-per-s': None if (method, n) == ('thread-tables', 32) else n + 1.5 * k}
                 for k, method in enumerate(methods, 1)
                 for data in ('uniform', 'normal', 'one value') for n in (2, 4, 8, 16, 32)]
        self.assertEqual(self.draw({**all_results(), 'papers': True, 'cases': cases,
                                    'warps': warps}), ['shams-bins.svg', 'shams-warps.svg'])
        lines = [f'{method}, {data}' for method in methods
                 for data in ('uniform', 'normal', 'one value')]
        for name, label, columns, missing in (('shams-bins.svg', 'bins', bins, 3),
                                              ('shams-warps.svg', 'warps', (2, 4, 8, 16, 32), 1)):
            root, _ = self.check_plot(name, label, 'GB/s (logarithmic)', *lines,
                                      *map(str, columns))
            for method, colour in methods.items():
                points = len(columns) - (missing if method == 'thread-tables' else 0)
                # One more mark is next to each name.
                self.assertEqual(self.count_marks(root, colour), 3 * (points + 1), name)

    def test_what_is_missing(self):
        results = all_results()
        cases = results['cases']
        one = [c for c in cases if c['size'] == '720p' and c['from'] == 'hbm']
        self.assertEqual(self.draw({**results, 'cases': one, 'photo': None}),
                         ['auto.svg', 'frame.svg'])
        self.check_plot('frame.svg', 'One frame of 720p: how long counting takes')
        shutil.rmtree(self.folder)
        # Two points are too few for a line, and without the times of a kernel that only reads, no
        # method can be near the limit.
        two = [c for c in cases if c['bins'] in (16, 64) or c['size'] == '64M']
        for c in two:
            c['times'] = [{**t, 'of-reading': None} for t in c['times'] if t['name'] != 'read']
        self.assertEqual(self.draw({**results, 'cases': two}), ['auto.svg', 'colours.svg'])
        shutil.rmtree(self.folder)
        self.assertEqual(self.draw({'program': 'videohistogram-bench', 'cases': []}), [])
        self.assertEqual(self.draw({'program': 'videohistogram-bench', 'papers': True,
                                    'cases': [], 'warps': []}), [])

    def test_published(self):
        """The plots in the documents match the data file next to them."""
        docs = pathlib.Path(common.SOURCE) / 'docs/plots'
        for source, n_plots in (('results.json', 7), ('papers.json', 2)):
            shutil.rmtree(self.folder, ignore_errors=True)
            names = self.draw(json.loads((docs / source).read_text()))
            self.assertEqual(len(names), n_plots)
            for name in names:
                _, texts = self.read(name)
                root = xml.etree.ElementTree.parse(docs / name).getroot()
                self.assertEqual(sorted(n.text for n in root.iter(TEXT)),
                                 sorted(t.text for t in texts))

    def test_help(self):
        text = self.run_plot('--help')
        for name in self.draw(all_results()):
            self.assertRegex(text, rf'\n  {re.escape(name)} +\w')

    def test_errors(self):
        path = self.dir / 'results.json'
        self.assertIn('No such file', self.run_plot(path, self.folder, status=1))
        path.write_text('{')
        self.assertRegex(self.run_plot(path, self.folder, status=1), '^plot: .*line 1')
        path.write_text('{"gpu": "", "equalize": []}')
        self.assertIn('not written by videohistogram-bench',
                      self.run_plot(path, self.folder, status=1))
        self.assertFalse(self.folder.exists())
        path.write_text(json.dumps(all_results()))
        self.assertIn('exists', self.run_plot(path, path, status=1))
        self.run_plot(path, status=2)


common.main()
