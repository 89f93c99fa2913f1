#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the files in docs/monitor/ for Prometheus and Grafana with a real Prometheus: it stores
what /metrics says, the alerts are right, and every query uses existing metrics. Runs 20 cameras, or
200 with TEST_LONG."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import common

DOCS = pathlib.Path(__file__).resolve().parents[2] / 'docs/monitor'
CAMERAS = 200 if os.environ.get('TEST_LONG') else 20
# More series per camera would burden the database.
MAX_SERIES = 110
METRIC = re.compile(r'\bvideohistogram_\w+')
# The values of these metrics change all the time.
CHANGING = ('_value', '_timestamp_seconds', '_total')
# Values in place of Grafana's variables.
VARIABLES = {'$instance': '.*', '$camera': '.*', '$condition': '.*', '$__range': '1h',
             '$__rate_interval': '1m'}


def promtool(*arguments):
    done = subprocess.run(['promtool', *arguments], cwd=DOCS, capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout + done.stderr


def panels():
    return json.loads((DOCS / 'dashboard.json').read_text())['panels']


def queries():
    for panel in panels():
        for target in panel['targets']:
            text = target['expr']
            for name, value in VARIABLES.items():
                text = text.replace(name, value)
            assert '$' not in text, text
            yield text


class Prometheus:
    def __init__(self, case, monitor_port):
        folder = case.folder / 'prometheus'
        folder.mkdir()
        shutil.copy(DOCS / 'alerts.yml', folder)
        config = (DOCS / 'prometheus.yml').read_text()
        assert '127.0.0.1:8080' in config and '15s' in config
        (folder / 'prometheus.yml').write_text(
            config.replace('127.0.0.1:8080', f'127.0.0.1:{monitor_port}').replace('15s', '1s') +
            'global: {evaluation_interval: 1s}\n')
        self.port = common.free_port()
        self.log = folder / 'log'
        with self.log.open('wb') as log:
            self.process = subprocess.Popen(
                ['prometheus', f'--config.file={folder}/prometheus.yml',
                 f'--storage.tsdb.path={folder}/data',
                 f'--web.listen-address=127.0.0.1:{self.port}'], stdout=log, stderr=log)
        case.addCleanup(self.process.wait)
        case.addCleanup(self.process.kill)
        common.wait_for(self.is_ready, 'Prometheus')

    def is_ready(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            with urllib.request.urlopen(f'http://127.0.0.1:{self.port}/-/ready') as answer:
                return answer.status == 200
        except urllib.error.URLError:
            return False

    def ask(self, path, **parameters):
        url = (f'http://127.0.0.1:{self.port}/api/v1/{path}?'
               f'{urllib.parse.urlencode(parameters)}')
        try:
            with urllib.request.urlopen(url) as answer:
                return json.load(answer)['data']
        except urllib.error.HTTPError as error:
            raise AssertionError(f'{parameters}: {error.read().decode()}') from error

    def query(self, text):
        return self.ask('query', query=text)['result']


def series(labels):
    """Returns its name, and its labels without those that Prometheus adds and the former one."""
    own = {k: v for k, v in labels.items() if k not in ('__name__', 'instance', 'job', 'stream')}
    return labels['__name__'], frozenset(own.items())


def parse_series(text):
    name, labels = text.rstrip('}').split('{')
    return name, frozenset(re.findall(r'(\w+)="([^"]*)"', labels))


class WithPrometheus(common.Case):
    def test_rules(self):
        for arguments in (('check', 'rules', 'alerts.yml'),
                          ('test', 'rules', 'alerts-test.yml')):
            status, output = promtool(*arguments)
            self.assertEqual(status, 0, output)
        status, output = promtool('check', 'config', 'prometheus.yml')
        self.assertEqual(status, 0, output)
        alerts = re.findall(r'alert: (\w+)', (DOCS / 'alerts.yml').read_text())
        tested = re.findall(r'alertname: (\w+)', (DOCS / 'alerts-test.yml').read_text())
        # These differ from a tested alert only in name and time.
        alike = {'CameraFrozen', 'CameraMoved', 'CameraTooBright'}
        self.assertEqual(set(alerts), set(tested) | alike)

    def test_held_back(self):
        """A real Alertmanager holds back the alerts of cameras while their host is down."""
        if not shutil.which('prometheus-alertmanager'):
            self.skipTest('there is no prometheus-alertmanager')
        port = common.free_port()
        log = (self.folder / 'log').open('wb')
        self.addCleanup(log.close)
        process = subprocess.Popen(
            ['prometheus-alertmanager', f'--config.file={DOCS}/alertmanager.yml',
             f'--storage.path={self.folder}', f'--web.listen-address=127.0.0.1:{port}',
             '--cluster.listen-address='], stdout=log, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def ask(path, body=None):
            request = urllib.request.Request(
                f'http://127.0.0.1:{port}{path}', json.dumps(body).encode() if body else None,
                {'Content-Type': 'application/json'})
            with contextlib.suppress(OSError), urllib.request.urlopen(request) as answer:
                return answer.read().decode()
            return None
        common.wait_for(lambda: ask('/-/ready'), 'Alertmanager')
        here = {'instance': 'm', 'host': '192.0.2.7'}
        alerts = [{'alertname': 'CameraHostDown', **here},
                  {'alertname': 'CameraDown', 'camera': 'a', **here},
                  {'alertname': 'CameraDown', 'camera': 'b', 'instance': 'm', 'host': '192.0.2.8'},
                  {'alertname': 'CameraDown', 'camera': 'c', 'instance': 'n', 'host': '192.0.2.7'},
                  {'alertname': 'CameraFrozen', 'camera': 'd', **here},
                  {'alertname': 'CameraGroupDown', 'instance': 'm', 'group': 'Yard'},
                  {'alertname': 'CameraDown', 'camera': 'e', 'instance': 'm', 'group': 'Yard',
                   'host': '192.0.2.9'},
                  {'alertname': 'CameraDown', 'camera': 'f', 'instance': 'm', 'group': 'Hall',
                   'host': '192.0.2.9'},
                  {'alertname': 'CameraReconnects', 'camera': 'b', 'instance': 'm'},
                  {'alertname': 'CameraReconnects', 'camera': 'd', 'instance': 'm'}]
        self.assertIsNotNone(ask('/api/v2/alerts', [{'labels': a} for a in alerts]))

        def held():
            found = json.loads(ask('/api/v2/alerts') or '[]')
            return len(found) == len(alerts) and sorted(
                (a['labels']['alertname'], a['labels'].get('camera')) for a in found
                if a['status']['inhibitedBy'])
        common.wait_for(lambda: held() == [('CameraDown', 'a'), ('CameraDown', 'e'),
                                           ('CameraReconnects', 'b')],
                        'what is held back')

    def test_scraped(self):
        path = self.clip(pattern='gradient')
        monitor = self.monitor(f'still={path}', 'gone=rtsp://127.0.0.1:1/a',
                               'lost=rtsp://127.0.0.1:1/b',
                               config='[mqtt]\nbroker=mqtt://127.0.0.1:1\n')
        common.wait_for(lambda: 'luma' in monitor.camera('still'), 'a measurement')
        common.wait_for(lambda: monitor.camera('gone')['active'], 'the loss of a signal')
        prometheus = Prometheus(self, monitor.port)

        def same():
            stored = {series(s['metric']): float(s['value'][1])
                      for s in prometheus.query('{camera=~".+",__name__!~"ALERTS.*"}')}
            said = {parse_series(k): v for k, v in monitor.metrics().items() if 'camera=' in k}
            assert len(said) > 60
            kept = [s for s in said if not s[0].endswith(CHANGING)]
            assert len(kept) > 30, kept
            return set(stored) == set(said) and all(stored[s] == said[s] for s in kept)

        common.wait_for(same, 'Prometheus to have what /metrics says')
        self.check_former_names(prometheus)
        self.check_alerts(prometheus, monitor)
        self.check_dashboard(prometheus, monitor)

    def test_many(self):
        """With many cameras, Prometheus has the same values as the JSON."""
        path = self.clip(600, rate='1/1')
        # Measured only once, so that values do not change between two requests.
        monitor = self.monitor(*(f'c{i}={path}' for i in range(CAMERAS)),
                               config='[cameras]\ninterval=60\n')
        common.wait_for(lambda: all('luma' in c and c['state'] == 'up' for c in
                                    monitor.json('cameras')), 'measurements')
        seconds = []
        for _ in range(20):
            begin = time.perf_counter()
            page = monitor.ask('/metrics').text
            seconds.append(time.perf_counter() - begin)
        for i in range(CAMERAS):
            self.assertLessEqual(page.count(f'camera="c{i}"'), MAX_SERIES)
        prometheus = Prometheus(self, monitor.port)

        def same():
            values = {name: {s['metric']['camera']: float(s['value'][1]) for s in
                             prometheus.query(f'videohistogram_{name}')}
                      for name in ('luma_mean_ratio', 'luma_entropy', 'camera_up',
                                   'reconnects_total')}
            said = {c['name']: (c['luma']['average'], c['luma']['entropy'],
                                c['state'] == 'up', c['reconnects'])
                    for c in monitor.json('cameras')}
            return len(said) == CAMERAS and said == {
                name: tuple(of[name] for of in values.values()) for name in said
                if all(name in of for of in values.values())}

        common.wait_for(same, 'Prometheus to have what the JSON says')
        up = prometheus.query('scrape_samples_scraped{job="videohistogram"}')
        self.assertGreater(float(up[0]['value'][1]), 40 * CAMERAS)
        took = prometheus.query('max_over_time(scrape_duration_seconds[1m])')
        common.figure(f'/metrics of {CAMERAS} cameras, median and longest of 20',
                      f'{statistics.median(seconds) * 1000:.1f} ms, {max(seconds) * 1000:.1f} ms')
        common.figure(f'longest scrape of {CAMERAS} cameras',
                      f'{float(took[0]["value"][1]) * 1000:.1f} ms')

    def check_former_names(self, prometheus):
        """Queries of the last release have the results of those of this one."""
        def ask(query, label):
            return sorted((s['metric'].get(label), s['metric'].get('reason'), s['value'][1])
                          for s in prometheus.query(query))
        for former, query in (
                ('sum by (stream) (videohistogram_stream_up) == 0',
                 'sum by (camera) (videohistogram_camera_up) == 0'),
                ('videohistogram_stream_info{stream="still"}',
                 'videohistogram_camera_video_info{camera="still"}'),
                ('videohistogram_stream_down_info * on (stream) videohistogram_camera_info',
                 'videohistogram_camera_down_info * on (camera) videohistogram_camera_info'),
                ('videohistogram_stream_waiting_for_key_frame{stream=~".+"}',
                 'videohistogram_camera_waiting_for_key_frame{camera=~".+"}')):
            self.assertEqual(ask(former, 'stream'), ask(query, 'camera'), former)
            self.assertTrue(ask(former, 'stream'), former)

    def check_alerts(self, prometheus, monitor):
        def rules():
            found = [r for g in prometheus.ask('rules')['groups'] for r in g['rules']]
            return all(r['health'] == 'ok' for r in found) and {r['name']: r for r in found}

        def pending(name='CameraDown', label='camera'):
            return sorted(a['labels'][label] for a in rules()[name]['alerts'])

        common.wait_for(rules, 'all rules to be evaluated')
        common.wait_for(lambda: pending() == ['gone', 'lost'], 'the alerts of cameras')
        # Both are on one host, and each alert has its camera's reason.
        common.wait_for(lambda: pending('CameraHostDown', 'host') == ['127.0.0.1'],
                        'the alert of the host')
        reasons = {c['name']: c['reason'] for c in monitor.json('cameras')}
        common.wait_for(lambda: {a['labels']['camera']: a['annotations']['description'] for a in
                                 rules()['CameraDown']['alerts']} == {
                                     n: f'Reason: {reasons[n]}. Check the power, network and '
                                     'address of the camera.' for n in ('gone', 'lost')},
                        reasons)
        self.assertEqual(rules()['CameraHostDown']['alerts'][0]['annotations']['description'],
                         ''.join(f'{n}: {reasons[n]}. ' for n in ('gone', 'lost')) +
                         'Check the recorder, server or switch first, then the cameras.')
        # Groups of rules are evaluated one after the other.
        common.wait_for(lambda: [a['labels']['output'] for a in
                                 rules()['MonitorOutputDown']['alerts']] == ['mqtt'],
                        'the alert of the broker that is away')

    def check_dashboard(self, prometheus, monitor):
        said = {name.split('{')[0] for name in monitor.metrics()}
        texts = [*queries(), (DOCS / 'alerts.yml').read_text()]
        self.assertEqual({m for text in texts for m in METRIC.findall(text)} - said, set())
        for text in queries():
            prometheus.query(text)
        for panel in panels():
            for other in panels():
                a, b = panel['gridPos'], other['gridPos']
                self.assertFalse(panel['id'] < other['id'] and a['x'] < b['x'] + b['w'] and
                                 b['x'] < a['x'] + a['w'] and a['y'] < b['y'] + b['h'] and
                                 b['y'] < a['y'] + a['h'], (panel['title'], other['title']))
        state = [t for t in queries() if 'max_over_time' in t]
        found = {(s['metric']['camera'], s['metric']['condition'])
                 for s in prometheus.query(state[0])}
        self.assertIn(('gone', 'signal-loss'), found)
        self.assertNotIn(('still', 'signal-loss'), found)


if __name__ == '__main__':
    if not shutil.which('prometheus') or not shutil.which('promtool'):
        common.skip('there is no Prometheus: the package prometheus has it')
    common.main(at_once=1)
