#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the benchmark of all methods on the driver double and without a GPU, checks its output, and
that wrong counts are detected.

benchmark.py PROGRAM PEERS_DIR DOUBLE_DIR: the program, the folder of a peer that counts wrong, and
the folder of the driver double. src/bench/plot draws the results; tests/python/plots.py tests that
in detail. With TEST_LONG all methods count two pictures instead of one, and --notes is tested."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM, PEERS, DOUBLE = (pathlib.Path(a) for a in sys.argv[1:4])
PLOT = pathlib.Path(__file__).resolve().parents[2] / 'src/bench/plot'
WIDTH, HEIGHT = 48, 16
SMALL = ('--sizes', f'{WIDTH}x{HEIGHT}', '--repeats', '3')
LONG = bool(os.environ.get('TEST_LONG'))
DATA = ('uniform', 'photo') if LONG else ('photo',)
NOT_ON_THE_DOUBLE = {'block-sort'}  # needs CUB


class Benchmark(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        self.json = self.dir / 'results.json'
        self.photo = self.dir / 'photo.ppm'
        self.photo.write_bytes(b'P6\n# made up\n20 10\n255\n' +
                               bytes(i * i % 251 for i in range(600)))

    def run_program(self, *arguments, status=0, gpu=True, peers=None):
        done = subprocess.run(
            [PROGRAM, '--peers', peers or self.dir, *arguments], capture_output=True, text=True,
            timeout=1000, check=False,
            env={**os.environ, 'LD_LIBRARY_PATH': str(DOUBLE), 'VH_DOUBLE_DELAY': '0',
                 'VH_DOUBLE_DEVICES': '1' if gpu else '0',
                 'GST_REGISTRY_1_0': str(self.dir / 'registry.bin')})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn('VIOLATION', done.stderr)
        return done.stdout if status != 2 else done.stderr

    def measure(self, *arguments, **options):
        """Returns what it printed, and its JSON."""
        text = self.run_program(*SMALL, '--json', self.json, *arguments, **options)
        return text, json.loads(self.json.read_text())

    def methods(self):
        """All of the element's methods, from the program's own list."""
        error = self.run_program('--methods', 'nonsense', status=2)
        names = re.search(r'use (.*)', error)[1].split(', ')
        return [n for n in names[names.index('read') + 1:names.index('auto')]
                if n not in NOT_ON_THE_DOUBLE]

    def check_case(self, case, names):
        times = {t['name']: t for t in case['times']}
        for name in names:
            time = times[name]
            if 'problem' in time:
                self.assertIn('method=', time['problem'])
                continue
            self.assertEqual(time['counts'], 'exact', name)
            self.assertLessEqual(time['us-least'], time['us-median'])
            self.assertLessEqual(time['us-median'], time['us-most'])
            self.assertGreaterEqual(time['repeats'], 3)
        self.assertIn(case['best'], names)
        self.assertGreaterEqual(case['auto-behind'], -1)

    def test_all_methods(self):
        text, results = self.measure('--data', ','.join(DATA), '--bins', '64', '--photo',
                                     self.photo, '--joint')
        names = self.methods()
        self.assertGreater(len(names), 4)
        self.assertEqual([c['data'] for c in results['cases']], list(DATA))
        for case in results['cases']:
            self.check_case(case, [*names, 'auto', 'auto-to-host', 'cpu'])
        self.assertEqual((results['wrong'], results['failures']), (0, 0))
        self.assertEqual(results['gpu']['name'], 'VH Double')
        self.assertEqual([x['size'] for x in results['latencies']], [f'{WIDTH}x{HEIGHT}'])
        methods = ('auto', 'tagged-warps', 'thread-tables')
        self.assertEqual([(x['size'], x['data'], x['kind'], x['bins'], x['method'],
                           x.get('counts')) for x in results['joints']],
                         [(f'{WIDTH}x{HEIGHT}', data, kind, bins, method,
                           None if (method, bins) == ('thread-tables', 256) else 'exact')
                          for data in DATA
                          for kind, bins in (('luma', 256), ('luma', 100), ('chroma', 256),
                                             ('chroma', 64))
                          for method in methods])
        self.assertRegex(text, rf'\n{WIDTH}x{HEIGHT} chroma, 64 x 64 bins, photo +\d')
        for name in names:
            self.assertRegex(text, rf'\n{name} ')
        for peer in ('cub', 'npp'):
            self.assertIn(f'leaving out {peer}: videohistogram-bench-{peer}.so not found', text)
        self.assertIn('auto is furthest behind in: ', text)
        photo = results['photo']
        self.assertEqual((photo['width'], photo['height']), (20, 10))
        pixels = self.photo.read_bytes()[-600:]
        for i, colour in enumerate(('red', 'green', 'blue')):
            self.assertEqual(photo[colour], [pixels[i::3].count(v) for v in range(256)])
        self.check_plots('auto.svg', 'colours.svg')

    def check_plots(self, *names):
        """Checks that these plots are drawn from the results, with everything that was timed."""
        folder = self.dir / 'plots'
        shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run([PLOT, self.json, folder], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual({p.name for p in folder.iterdir()}, set(names))
        cases = json.loads(self.json.read_text())['cases']
        timed = {t['name'] for c in cases for t in c['times'] if 'us-median' in t}
        for name in names:
            texts = {text.text for text in xml.etree.ElementTree.parse(folder / name).iter(
                '{http://www.w3.org/2000/svg}text')}
            if name == 'auto.svg':
                self.assertLess({c['case'] for c in cases}, texts)
            elif name == 'colours.svg':
                self.assertLess({'red', 'green', 'blue'}, texts)
            else:
                self.assertLess(timed - {'empty', 'auto-to-host'}, texts)

    def test_plots(self):
        methods = ('--methods', 'auto,lane-columns,replicated,cpu')
        self.measure(*methods, '--data', 'uniform,distinct-8,distinct-2,one-value')
        self.check_plots('auto.svg', 'frame.svg', 'contention.svg')
        self.measure(*methods, '--bins', '16,64,256', '--data', 'uniform')
        self.check_plots('auto.svg', 'frame.svg', 'bins-uniform.svg')
        self.measure(*methods, '--bins', '16,64,256', '--data', 'one-value')
        self.check_plots('auto.svg', 'frame.svg', 'bins-one-value.svg')
        self.run_program('--sizes', '32K', '--repeats', '3', '--json', self.json, *methods)
        self.check_plots('auto.svg', 'bulk.svg')

    def test_batches(self):
        text, results = self.measure('--methods', 'auto', '--data', 'one-value')
        self.assertEqual((results['batches'], results['joints']), ([], []))
        text, results = self.measure('--methods', 'auto', '--data', 'one-value', '--batches')
        self.assertEqual([(x['frames'], x['data']) for x in results['batches']],
                         [(n, data) for data in ('uniform', 'one-value') for n in (8, 16, 64)])
        for batch in results['batches']:
            self.assertEqual([t['counts'] for t in batch['times']], ['exact', 'exact', None])
            self.assertGreater(batch['times'][0]['us-median'], 0)
        self.assertRegex(text, rf'\n64 frames of {WIDTH}x{HEIGHT}, uniform +\d')

    def test_axes(self):
        text, results = self.measure(
            '--channels', 'luma,pitched,rgb,rgba-luma', '--depths', '8,10,12,16', '--bins', '40',
            '--data', 'ramp', '--methods', 'auto,replicated,cpu', '--from', 'hbm,l2')
        self.assertEqual(len(results['cases']), 2 * (4 + 4 + 2 + 2))
        formats = {c['format'] for c in results['cases']}
        self.assertEqual(formats, {'GRAY8', 'GRAY16_LE', 'P010_10LE', 'P012_LE', 'P016_LE',
                                   'NV12', 'RGBA', 'RGBA64_LE'})
        self.assertIn('counts: exact in all', text)

    def test_details(self):
        text = self.run_program(*SMALL, '--details', '--methods', 'auto')
        self.assertRegex(text, r'median us +min us +max us')

    def test_methods_that_cannot(self):
        text, results = self.measure('--methods', 'byte-counters,auto', '--bins', '256', '--data',
                                     'ramp')
        [time] = [t for t in results['cases'][0]['times'] if t['name'] == 'byte-counters']
        self.assertIn('up to 64 bins', time['problem'])
        self.assertNotIn('us-median', time)
        self.assertIn('up to 64 bins', text)

    def test_wrong_counts(self):
        text, results = self.measure('--methods', 'wrong,auto', '--data', 'one-value',
                                     peers=PEERS)
        self.assertIn('counts: exact in all', text)
        text, results = self.measure('--methods', 'wrong,auto', '--data', 'one-value,ramp',
                                     peers=PEERS, status=1)
        self.assertEqual(results['wrong'], 1)
        self.assertRegex(text, r'wrong +\d.* +WRONG\n')
        self.assertRegex(text, r'WRONG COUNTS: .*wrong: \d+ of 256 bins are wrong, such as bin')
        self.assertRegex(text, r'counts: WRONG in 1, exact in \d+\n')

    def test_lost_gpu(self):
        os.environ['VH_DOUBLE_FAULT'] = '30:700'
        self.addCleanup(os.environ.pop, 'VH_DOUBLE_FAULT')
        text, results = self.measure('--methods', 'auto', status=1)
        self.assertIn('THE GPU FAILED: ', text)
        self.assertIn('failed', results['gpu']['failure'])

    def test_equalize(self):
        text = self.run_program('--equalize', '--sizes', '32x16', '--repeats', '3', '--json',
                                self.json)
        results = json.loads(self.json.read_text())['equalize']
        self.assertEqual({r['method'] for r in results},
                         {'equalize', 'stretch', 'gamma', 'match', 'clahe'})
        for result in results:
            self.assertEqual(result['result'], 'exact')
            for part in ('copy', 'count', 'correct', 'all'):
                self.assertGreater(result[f'{part}-us-median'], 0)
        self.assertEqual(len(re.findall(r'^32x16 .* exact$', text, re.M)), len(results))
        self.run_program('--equalize', gpu=False, status=1)

    @unittest.skipUnless(LONG, 'only in the long tier')
    def test_notes(self):
        text = self.run_program('--notes', *SMALL)
        self.assertEqual(len(re.findall(r'^\d+ +4096 +\d+ +9', text, re.M)), 16)
        self.assertEqual(re.findall(r'^ *(\d+) items, +(\d+) bins, \w+ +[\d.]+$', text, re.M),
                         [('65536', '16'), (str(WIDTH * HEIGHT), '256')])
        self.assertEqual(
            [side for side, *numbers in re.findall(
                r'^ *(\d+) x \d+ +([01]\.\d+)' + r' +([\d.]+)' * 4 + '$', text, re.M)],
            ['256'] * 10 + ['32'] * 10)
        self.assertIn('--notes can only be combined with --sizes',
                      self.run_program('--notes', '--bins', '5', status=2))

    def test_no_gpu(self):
        text, results = self.measure(gpu=False)
        self.assertRegex(text, r'^No GPU: .*\. Measuring only the CPU\.\n')
        self.assertIsNone(results['gpu'])
        self.assertIsNone(results['photo'])
        for case in results['cases']:
            self.assertEqual([(t['name'], t['counts']) for t in case['times']],
                             [('cpu', 'exact')])
        self.run_program('--notes', gpu=False, status=1)
        self.assertIn('--methods: without a GPU, use cpu',
                      self.run_program('--methods', 'auto', gpu=False, status=2))

    def test_plans(self):
        for arguments in ((), ('--quick',), ('--papers',), ('--all',)):
            cases = re.search(r'\n(\d+) cases\n$', self.run_program('--dry-run', '--photo',
                                                                    self.photo, *arguments))[1]
            self.assertGreater(int(cases), 7)

    def test_help(self):
        text = self.run_program('--help')
        for option in ('methods', 'data', 'bins', 'sizes', 'channels', 'depths', 'from', 'quick',
                       'all', 'papers', 'notes', 'equalize', 'photo', 'json', 'limit',
                       'device'):
            self.assertRegex(text, rf'\n  --{option}[= ]')

    def test_bad_options(self):
        for arguments, words in (
                (('--sizes', '1080q'), '--sizes: unknown value "1080q"'),
                (('--sizes', '100K'), '--sizes: unknown value "100K"'),
                (('--sizes', '3G'), '--sizes: unknown value "3G"'),
                (('--sizes', '0x4'), '--sizes: unknown value "0x4"'),
                (('--sizes', ''), '--sizes: empty list'),
                (('--bins', '256,'), '--bins: unknown value ""'),
                (('--bins', '0'), '--bins: unknown value "0"'),
                (('--bins', '65537'), '--bins: unknown value "65537"'),
                (('--data', 'distinct-257'), '--data: unknown value "distinct-257"'),
                (('--depths', '9'), '--depths: unknown value "9"'),
                (('--channels', 'alpha'), '--channels: unknown value "alpha"'),
                (('--from', 'disk'), '--from: unknown value "disk"'),
                (('--depths', '10', '--channels', 'rgb'), 'nothing to measure: '),
                (('--data', 'photo'), 'nothing to measure: '),
                (('--photo', '/nowhere'), '/nowhere'),
                (('--photo', __file__), 'not a complete binary PPM'),
                (('--quick', '--papers'), 'cannot be combined'),
                (('--quick', '--bins', '4'), 'cannot be combined'),
                (('--equalize', '--bins', '4'), 'can only be combined with --sizes'),
                (('--repeats', '1'), '--repeats must be at least 3'),
                (('--nonsense',), '--nonsense'),
                (('nonsense',), 'unknown argument nonsense')):
            with self.subTest(arguments):
                error = self.run_program(*arguments, status=2)
                self.assertIn(words, error)
                self.assertTrue(error.startswith('videohistogram-bench: '))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
