#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages, metrics, JSON and events by HTTP, and who may read them."""

import contextlib
import datetime
import http.client
import itertools
import json
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import time
import urllib.parse

import common

# More series per camera would burden the database.
MAX_SERIES = 120


def size_of_jpeg(data):
    """Width and height in the start of the frame."""
    at = data.index(b'\xff\xc0')
    height, width = struct.unpack('>HH', data[at + 5:at + 9])
    return width, height


class Answers(common.Case):
    def test_metrics(self):
        monitor = self.monitor('good=test', 'bad=rtsp://127.0.0.1:1/a')
        monitor.wait_for_state('good', 'up')
        common.wait_for(lambda: 'luma' in monitor.camera('good'), 'a measurement')
        common.wait_for(lambda: monitor.camera('bad')['active'], 'the loss of a signal')
        page = monitor.ask('/metrics')
        self.assertEqual(page.headers['Content-Type'],
                         'text/plain; version=0.0.4; charset=utf-8')
        for name in ('good', 'bad'):
            count = page.text.count(f'camera="{name}"')
            self.assertTrue(10 < count <= MAX_SERIES, f'{count} series')
            # The former label stays for a release.
            self.assertEqual(page.text.count(f'camera="{name}",stream="{name}"'), count)
        if shutil.which('promtool'):
            done = subprocess.run(['promtool', 'check', 'metrics'], input=page.body,
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b'', b''))
        else:
            print('there is no promtool: the package prometheus has it')

    def test_metrics_are_the_json(self):
        """The values of a camera that ended do not change between two requests."""
        path = self.clip()
        monitor = self.monitor(f'a={path}', config='[cameras]\ninterval=0\n')
        common.wait_for(lambda: 'luma' in monitor.camera('a'), 'a measurement')

        def stable():
            before = monitor.camera('a')
            metrics = monitor.metrics()
            return before == monitor.camera('a') and (before, metrics)

        path.unlink()
        camera, metrics = common.wait_for(stable, 'two equal answers')
        luma = camera['luma']

        def metric(name, labels=''):
            return metrics[f'videohistogram_{name}{{camera="a"{labels}}}']

        self.assertEqual(metric('luma_mean_ratio'), luma['average'])
        self.assertEqual(metric('luma_deviation_ratio'), luma['deviation'])
        self.assertEqual(metric('luma_entropy'), luma['entropy'])
        for percentile, name in ((1, 'p1'), (50, 'median'), (99, 'p99')):
            self.assertEqual(metric('luma_percentile_ratio', f',percentile="{percentile}"'),
                             luma[name])
        for end in ('low', 'high'):
            self.assertEqual(metric('clipped_ratio', f',end="{end}"'), luma[f'clipped_{end}'])
        self.assertEqual(metric('frames_received_total'), camera['frames'])
        self.assertEqual(metric('reconnects_total'), camera['reconnects'])
        self.assertEqual(metric('camera_up'), camera['state'] == 'up')
        for former, name in (('stream_up', 'camera_up'),
                             ('stream_waiting_for_key_frame', 'camera_waiting_for_key_frame')):
            self.assertEqual(metric(former), metric(name))
        for condition in camera['conditions']:
            labels = f',condition="{condition["condition"]}"'
            self.assertEqual(metric('health_state', labels), condition['active'])
            if condition['value'] is not None:
                self.assertEqual(metric('health_value', labels), condition['value'])
            self.assertEqual(metric('health_transitions_total', labels + ',to="active"'),
                             condition['starts'])
        dark = next(c for c in camera['conditions'] if c['condition'] == 'dark')
        scale = dark['scale']
        self.assertAlmostEqual(scale['value'], 100 * dark['value'], 3)
        self.assertEqual([scale[key] for key in ('unit', 'enter', 'leave', 'least', 'most')],
                         ['%', 90, 80, 0, 100])
        # A camera that has shown colors may have a night mode, which takes a while.
        self.assertIn(dark['duration'], (5, 15))
        self.assertTrue(scale['sentence'].endswith(
            f"; the alarm starts after {dark['duration']:.0f} s above 90 %."))

    def test_pictures(self):
        monitor = self.monitor('a=test')
        common.wait_for(lambda: monitor.camera('a')['picture'], 'a picture')
        picture = monitor.ask('/api/v1/cameras/a/picture')
        self.assertEqual(picture.status, 200)
        self.assertEqual(picture.headers['Content-Type'], 'image/jpeg')
        self.assertEqual(picture.body[:2] + picture.body[-2:], b'\xff\xd8\xff\xd9')
        self.assertRegex(picture.headers['X-Frame-Time'], r'^\d{4}-.*Z$')
        # While somebody watches there is a new one every second.
        def next_time(before):
            now = monitor.ask('/api/v1/cameras/a/picture').headers['X-Frame-Time']
            return now != before and now

        times = [picture.headers['X-Frame-Time']]
        for _ in range(2):
            times.append(common.wait_for(lambda: next_time(times[-1]), 'another picture'))
        second, third = (datetime.datetime.fromisoformat(t.rstrip('Z')) for t in times[1:])
        self.assertLess(third - second, datetime.timedelta(seconds=8))
        self.assertEqual(monitor.ask('/api/v1/cameras/b/picture').status, 404)

    def test_scopes(self):
        monitor = self.monitor('a=test', 'lost=rtsp://127.0.0.1:1/a')
        monitor.wait_for_state('a', 'up')
        seen = set()
        for kind, size in (('histogram', (640, 360)), ('waveform', (640, 360)),
                           ('vectorscope', (480, 480))):
            scope = monitor.ask(f'/api/v1/cameras/a/scope?kind={kind}')
            self.assertEqual((scope.status, scope.headers['Content-Type']), (200, 'image/jpeg'))
            self.assertRegex(scope.headers['X-Frame-Time'], r'^\d{4}-.*Z$')
            self.assertEqual(size_of_jpeg(scope.body), size)
            seen.add(scope.body)
        self.assertEqual(len(seen), 3)
        self.assertEqual(monitor.ask('/api/v1/cameras/lost/scope').status, 404)
        refused = monitor.ask('/api/v1/cameras/a/scope?kind=parade')
        self.assertEqual(refused.status, 400)
        self.assertIn('waveform', refused.json()['error'])

    def test_events(self):
        """A client that was away gets the events it missed, each once and in order."""
        monitor = self.monitor(config='[cameras]\nconditions=signal-loss,dark,flapping\n'
                               '[camera a]\nuri=rtsp://127.0.0.1:1/a\n'
                               '[camera b]\nuri=rtsp://127.0.0.1:1/b\n')
        events = common.wait_for(
            lambda: len(monitor.json('events')) == 2 and monitor.json('events'), 'events')
        self.assertEqual([e['number'] for e in events], [1, 2])
        self.assertEqual({(e['condition'], e['severity'], e['active']) for e in events},
                         {('signal-loss', 'lost', True)})
        self.assertEqual({c['condition']: c['severity'] for c in monitor.camera('a')['conditions']
                          if c['condition'] in ('dark', 'flapping', 'signal-loss')},
                         {'dark': 'impaired', 'flapping': 'notice', 'signal-loss': 'lost'})
        advice = 'Check the power, the network and the address of the camera'
        alarms = monitor.json('alarms')['alarms']
        self.assertEqual([x['advice'] for x in (*events, *alarms, *(
            c for c in monitor.camera('a')['conditions'] if c['condition'] == 'signal-loss'))],
                         [advice] * 5)
        self.assertEqual(monitor.json('events?after=1'), events[1:])
        self.assertEqual(monitor.json('events?limit=1'), events[1:])
        self.assertEqual(monitor.json(f'events?camera={events[0]["camera"]}'), events[:1])
        self.assertEqual(monitor.json('events?before=2'), events[:1])
        self.assertEqual(monitor.json('events?after=0&limit=1'), events[:1])
        found = datetime.datetime.fromisoformat(events[0]['time'].replace('Z', '+00:00'))
        second = int(found.timestamp())
        for query, has in ((f'from={second}', True), (f'from={second + 1000}', False),
                           (f'until={second}', False), (f'until={second + 1000}', True),
                           (f'from={second}&until={second + 1000}&after=0', True)):
            self.assertEqual(events[0] in monitor.json(f'events?{query}'), has, query)

        connection = http.client.HTTPConnection('127.0.0.1', monitor.port, timeout=20)
        with contextlib.closing(connection):
            connection.request('GET', '/events', headers={'Last-Event-ID': '1'})
            response = connection.getresponse()
            self.assertEqual(response.headers['Content-Type'], 'text/event-stream')
            seen = {}
            while not {'event', 'cameras'} <= set(seen):
                line = response.readline().decode()
                if line.startswith('event: '):
                    seen.setdefault(line[7:].strip(),
                                    json.loads(response.readline().decode()[6:]))
        self.assertEqual(seen['event'], events[1])
        self.assertEqual([c['name'] for c in seen['cameras']['cameras']], ['a', 'b'])

        answer = monitor.ask('/api/v1/events/1/acknowledge', 'POST')
        self.assertEqual(answer.status, 200, answer.text)
        acknowledged = answer.json()['acknowledged']
        self.assertTrue(acknowledged)
        self.assertEqual(monitor.camera(events[0]['camera'])['active'][0]['acknowledged'],
                         acknowledged)
        answer = monitor.ask('/api/v1/events/1/unacknowledge', 'POST')
        self.assertEqual((answer.status, answer.json()['acknowledged']), (200, None))
        self.assertEqual(monitor.json('events'), events)
        self.assertIsNone(monitor.camera(events[0]['camera'])['active'][0]['acknowledged'])
        for action in ('acknowledge', 'unacknowledge'):
            self.assertEqual(monitor.ask(f'/api/v1/events/77/{action}', 'POST').status, 404)
            self.assertEqual(monitor.ask(f'/api/v1/events/1/{action}').status, 405)

    def follow(self, monitor, query=''):
        """Yields (event, data) from /events."""
        connection = http.client.HTTPConnection('127.0.0.1', monitor.port, timeout=20)
        self.addCleanup(connection.close)
        connection.request('GET', f'/events{query}')
        response = connection.getresponse()
        while True:
            line = response.readline().decode()
            if line.startswith('event: '):
                yield line[7:].strip(), json.loads(response.readline().decode()[6:])

    def test_changes(self):
        """Changes applied to the known state equal the API's answer; nothing else is sent."""
        clip = self.clip(300, rate='5/1')
        monitor = self.monitor(config=f'[camera a]\nuri={clip}\n[camera b]\nuri={clip}\n'
                               '[camera away]\nuri=rtsp://127.0.0.1:1/a\n')
        for name in 'ab':
            common.wait_for(lambda name=name: 'luma' in monitor.camera(name), 'a measurement')
        stream = self.follow(monitor, '?measured=a')
        kind, known = next(stream)
        self.assertEqual(kind, 'cameras')
        self.assertFalse(known['login'])
        cameras = {c['name']: c for c in known['cameras']}
        self.assertIn('histogram', cameras['a'])
        self.assertNotIn('histogram', cameras['b'])
        measured = set()
        while not cameras['away']['active'] or len(measured) < 3:
            kind, data = next(stream)
            if kind != 'changes':
                continue
            for change in data['cameras']:
                self.assertTrue(change.keys() - {'name'})
                if change['name'] == 'b':
                    self.assertFalse(change.keys() & {'histogram', 'luma', 'last_frame', 'picture'})
                if change['name'] == 'away':
                    for key in change.keys() - {'name'}:
                        self.assertNotEqual(cameras['away'].get(key), change[key], key)
                cameras[change['name']].update(change)
            measured.add(cameras['a']['measured'])
        self.assertEqual(cameras['away']['active'][0]['event'], 1)
        # Its value, the time without a picture, rises continuously.
        later = (data for kind, data in stream if kind == 'changes')
        for data in itertools.islice(later, 3):
            self.assertNotIn('outputs', data)
            for change in data['cameras']:
                self.assertTrue(change['name'] == 'a' or 'active' not in change, change)
        self.assertEqual(len(next(self.follow(monitor, '?measured='))[1]['cameras'][0].keys() &
                             {'histogram', 'luma'}), 0)
        self.assertIn('histogram', next(self.follow(monitor))[1]['cameras'][1])

        monitor.config.write_text(f'[camera b]\nuri={clip}\n[camera new]\nuri={clip}\n')
        monitor.reload()
        while kind != 'cameras':
            kind, data = next(stream)
        self.assertEqual([c['name'] for c in data['cameras']], ['b', 'new'])

    def test_description(self):
        """The OpenAPI document lists all existing paths, and no others."""
        monitor = self.monitor('a=test')
        document = monitor.json('openapi.json')
        for path, methods in document['paths'].items():
            where = path.replace('{camera}', 'a').replace('{event}', '1')
            for method in methods.keys() - {'parameters'}:
                if where in ('/events', '/pictures'):
                    continue
                status = monitor.ask(where, method.upper()).status
                self.assertNotIn(status, (405, 500), f'{method} {path}')
                if status == 404:
                    self.assertIn('404', methods[method]['responses'], path)
        source = (common.HERE.parents[1] / 'src/monitor/api.c').read_text()
        routes = re.findall(r'\{"(GET|POST)", "([^"]+)"', source)
        self.assertGreater(len(routes), 5)
        for method, pattern in routes:
            path = '/api/v1/' + pattern.replace('cameras/*', 'cameras/{camera}').replace(
                'events/*', 'events/{event}')
            self.assertIn(method.lower(), document['paths'].get(path, {}), path)


class Refusals(common.Case):
    def test_hosts_and_origins(self):
        monitor = self.monitor('a=test')
        own = f'127.0.0.1:{monitor.port}'
        for headers, status in (
                ({}, 200), ({'Host': f'localhost:{monitor.port}'}, 200),
                ({'Host': 'evil.example'}, 421), ({'Host': f'evil.example:{monitor.port}'}, 421),
                ({'Host': ''}, 421), ({'Host': '127.0.0.1.evil.example'}, 421),
                ({'Origin': f'http://{own}'}, 200), ({'Origin': 'http://evil.example'}, 403),
                ({'Origin': 'null'}, 403), ({'Origin': f'http://evil.example/{own}'}, 403),
                ({'Origin': 'http://127.0.0.1:1'}, 403),
                # A proxy may add the port that browsers omit.
                ({'Host': 'localhost:443', 'Origin': 'https://localhost'}, 200),
                ({'Host': 'localhost:80', 'Origin': 'http://localhost'}, 200),
                ({'Host': 'localhost:443', 'Origin': 'http://localhost'}, 403),
                ({'Host': 'localhost:80', 'Origin': 'https://localhost'}, 403),
                ({'Host': 'localhost:443', 'Origin': 'https://localhos'}, 403),
                ({'Host': 'localhost:443', 'Origin': 'https://evil.example'}, 403),
                ({'Host': 'localhost:443', 'Origin': 'https://'}, 403),
                ({'Sec-Fetch-Site': 'cross-site'}, 403),
                ({'Sec-Fetch-Site': 'same-origin'}, 200)):
            for path in ('/', '/metrics', '/healthz', '/api/v1/cameras', '/login'):
                with self.subTest(path=path, headers=headers):
                    self.assertEqual(monitor.ask(path, headers=headers).status, status)
        self.assertEqual(monitor.ask('/api/v1/events/1/acknowledge', 'POST', headers={
            'Origin': 'http://evil.example'}).status, 403)

    def test_scheme_of_proxy(self):
        """With TLS by a proxy, which url= tells, plain HTTP under the same name is another site."""
        monitor = self.monitor('a=test', config='[http]\nhosts=wall.example other.example\n'
                               'url=https://Wall.example/cameras/\n')
        own = f'127.0.0.1:{monitor.port}'
        for host, origin, status in (
                ('wall.example', 'https://wall.example', 200),
                ('wall.example:443', 'https://wall.example', 200),
                ('WALL.example', 'https://wall.example', 200),
                ('wall.example', 'http://wall.example', 403),
                ('wall.example', 'HTTP://wall.example', 403),
                ('wall.example:80', 'http://wall.example', 403),
                ('wall.example:8080', 'http://wall.example:8080', 403),
                # Nothing is known of how these are reached.
                ('other.example', 'http://other.example', 200),
                ('other.example', 'https://other.example', 200),
                ('other.example', 'https://wall.example', 403),
                (own, f'http://{own}', 200), ('[::1]:80', 'http://[::1]', 200),
                (own, f'ftp://{own}', 403), (own, f'moz-extension://{own}', 403),
                (own, f'://{own}', 403), (own, own, 403), (own, f'http://x://{own}', 403)):
            with self.subTest(host=host, origin=origin):
                self.assertEqual(monitor.ask('/api/v1/cameras', headers={
                    'Host': host, 'Origin': origin}).status, status)

    def test_headers(self):
        monitor = self.monitor('a=test')
        for path in ('/', '/healthz', '/nothing', '/api/v1/cameras'):
            headers = monitor.ask(path).headers
            self.assertIn("default-src 'none'", headers['Content-Security-Policy'])
            self.assertNotIn('unsafe', headers['Content-Security-Policy'])
            self.assertEqual(headers['X-Content-Type-Options'], 'nosniff')
            self.assertEqual(headers['X-Frame-Options'], 'DENY')

    def test_traversal(self):
        monitor = self.monitor('a=test')
        for path in ('/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/wall/../../etc/passwd',
                     '/..%2f..%2fetc%2fpasswd', '/api/v1/cameras/..%2f..', '/api/v1/cameras/%00',
                     '//etc/passwd', '/api/v1/cameras/a/../../x'):
            answer = monitor.ask(path)
            self.assertIn(answer.status, (400, 404), path)
            self.assertNotIn('root:', answer.text)

    def test_names_do_no_harm(self):
        """Hostile names harm neither headers nor pages nor metrics."""
        name = '<img src=x onerror=alert(1)>\u00e9 {}'
        monitor = self.monitor(config=f'[camera {name}]\nuri=test\n')
        self.assertEqual(monitor.json('cameras')[0]['name'], name)
        self.assertIn(f'camera="{name}"', monitor.ask('/metrics').text)
        self.assertNotIn('onerror', monitor.ask('/').text)
        self.assertEqual(monitor.ask('/api/v1/cameras/a%0d%0aX-Evil:%201').status, 404)

    def test_percent_in_names(self):
        """Paths are decoded once."""
        names = ('50% view', '%', 'a%41', 'aA')
        monitor = self.monitor(config=''.join(f'[camera {n}]\nuri=test\n' for n in names))
        for name in names:
            path = f'cameras/{urllib.parse.quote(name)}'
            self.assertEqual(monitor.json(path)['name'], name)
            self.assertEqual(monitor.json(f'{path}/minutes'), [])

    def test_too_long(self):
        monitor = self.monitor('a=test')
        for body in (b'x' * 5000, b'x' * 10_000_000):
            with contextlib.suppress(ConnectionError):
                self.assertEqual(monitor.ask('/login', 'POST', body).status, 413)
        with contextlib.suppress(ConnectionError, http.client.HTTPException):
            answer = monitor.ask('/' + 'x' * 1_000_000)
            self.assertIn(answer.status, (400, 404, 414, 431))
        with contextlib.suppress(ConnectionError):
            answer = monitor.ask('/', headers={'X': 'y' * 1_000_000})
            self.assertIn(answer.status, (400, 431))
        self.assertEqual(monitor.ask('/healthz').status, 200)

    def raw(self, monitor, *lines, body=b''):
        """Returns everything sent in answer to a malformed request, until the connection ends."""
        with socket.create_connection(('127.0.0.1', monitor.port), timeout=30) as s:
            s.sendall('\r\n'.join((*lines, '', '')).encode('latin-1') + body)
            parts = []
            with contextlib.suppress(ConnectionError):
                while part := s.recv(65536):
                    parts.append(part)
        return b''.join(parts).decode(errors='replace')

    def test_odd_requests(self):
        """Each gets at most one answer, and a request hidden inside it is not executed."""
        monitor = self.monitor('a=test')
        host = f'Host: 127.0.0.1:{monitor.port}'
        for request, allowed in (
                # No Host header, or two.
                (('GET /api/v1/cameras HTTP/1.0',), '4'),
                (('GET /api/v1/cameras HTTP/1.1',), '4'),
                (('GET /api/v1/cameras HTTP/1.1', host, 'Host: evil.example'), '4'),
                (('GET http://evil.example/api/v1/cameras HTTP/1.1', 'Host: evil.example'), '4'),
                # A second request in the body of the first.
                (('POST /login HTTP/1.1', host, 'Content-Length: 4',
                  'Transfer-Encoding: chunked'), '4'),
                (('POST /login HTTP/1.1', host, 'Content-Length: 1', 'Content-Length: 5'), '34'),
                (('POST /login HTTP/1.1', host, 'Content-Length: -1'), '34'),
                (('TRACE / HTTP/1.1', host), '4'), (('PUT / HTTP/1.1', host), '4'),
                (('DELETE /api/v1/cameras/a HTTP/1.1', host), '4'),
                (('CONNECT evil.example:443 HTTP/1.1', host), '4'),
                (('OPTIONS * HTTP/1.1', host), '4'),
                (('GET /api/v1/cameras/a\x00b HTTP/1.1', host), '4'),
                (('GET\x00 / HTTP/1.1', host), '45'), (('\x16\x03\x01\x02',), '45')):
            with self.subTest(request=request):
                answer = self.raw(monitor, *request,
                                  body=b'0\r\n\r\nGET /metrics HTTP/1.1\r\n'
                                  + host.encode() + b'\r\n\r\n')
                self.assertLessEqual(answer.count('HTTP/1.'), 1, answer)
                if answer:
                    self.assertRegex(answer, rf'^HTTP/1\.\d [{allowed}]')
                self.assertNotIn('videohistogram_luma', answer)
                self.assertNotIn('evil.example', answer)
        self.assertEqual(monitor.ask('/healthz').status, 200)
        self.assertNotIn('CRITICAL', monitor.output())

    def test_slow(self):
        """A slow request, body or reader is cut off, and delays nobody."""
        monitor = self.monitor('a=test')
        host = f'Host: 127.0.0.1:{monitor.port}\r\n'.encode()
        slow = []
        for begin in (b'GET / HT', b'GET / HTTP/1.1\r\n' + host + b'X: ',
                      b'POST /login HTTP/1.1\r\nContent-Length: 4000\r\n' + host + b'\r\n'):
            s = socket.create_connection(('127.0.0.1', monitor.port), timeout=30)
            self.addCleanup(s.close)
            s.send(begin)
            s.setblocking(False)
            slow.append(s)
        begin = time.monotonic()
        left = list(slow)
        while left:
            self.assertLess(time.monotonic() - begin, common.MAX_WAIT_SECONDS)
            for s in tuple(left):
                with contextlib.suppress(BlockingIOError):
                    try:
                        s.send(b'x')
                        ended = s.recv(1000) == b''
                    except ConnectionError:
                        ended = True
                    if ended:
                        left.remove(s)
            asked = time.monotonic()
            self.assertEqual(monitor.ask('/healthz').status, 200)
            self.assertLess(time.monotonic() - asked, 60)
            time.sleep(0.5)
        self.assertGreater(time.monotonic() - begin, 5)

    def test_parameters(self):
        """Each route accepts the parameters in OpenAPI, and rejects others by name before it does
        anything."""
        monitor = self.lost()
        common.wait_for(lambda: monitor.json('events'), 'an event')
        values = {'id': 7, 'time': 'x', 'measured': 'a', 'camera': 'a', 'limit': 1, 'width': 320,
                  'until': int(time.time()) + 60}
        for path, methods in monitor.json('openapi.json')['paths'].items():
            where = path.replace('{camera}', 'a').replace('{event}', '1')
            for method in methods.keys() - {'parameters'}:
                answers = methods[method]['responses']
                if path == '/api/v1/openapi.json':
                    continue
                self.assertIn('400', answers, path)
                for query in ('nonsense=1', 'nonsense', 'limit=1&nonsense=x', '%6eonsense=1',
                              'Limit=1', '\u20ac=1', '%ff=1', '=1'):
                    query = urllib.parse.quote(query, safe='%=&')
                    answer = monitor.ask(f'{where}?{query}', method.upper())
                    self.assertEqual(answer.status, 400, (method, path, query))
                    if 'nonsense' in query and 'limit' not in query:
                        self.assertRegex(answer.text, r'Unknown parameter ..?nonsense')
                parameters = [p for p in methods.get('parameters', []) +
                              methods[method].get('parameters', []) if p.get('in') == 'query']
                value_of = {p['name']: p.get('example') or p['schema'].get('enum', [None])[0]
                            or values.get(p['name'], 1795000000) for p in parameters}
                needed = {p['name'] for p in parameters if p.get('required')}
                where = where.replace('/events/1/', '/events/77/')  # what is valid may change it
                for name in value_of:
                    if where not in ('/events', '/pictures'):
                        query = urllib.parse.urlencode({n: value_of[n] for n in {name, *needed}})
                        answer = monitor.ask(f'{where}?{query}', method.upper())
                        # For minutes long ago, and for things that do not exist.
                        self.assertIn(str(answer.status), answers, (path, name))
                        if not path.endswith(('/minutes', '/what-if', '/values')):
                            self.assertNotEqual(answer.status, 400, (path, name))
        self.assertIsNone(monitor.json('events')[0]['acknowledged'])
        for query in ('', '?', '?&'):
            self.assertEqual(monitor.ask(f'/healthz{query}').status, 200)

    def test_numbers(self):
        monitor = self.monitor('a=test')
        for query in ('after=-1', 'after=x', 'limit=100000', 'limit=', 'before=-1', 'from=-1',
                      f'from={2**63}', 'until=', f'until={10**20}'):
            self.assertEqual(monitor.ask(f'/api/v1/events?{query}').status, 400, query)
        self.assertEqual(monitor.ask('/api/v1/cameras/a/minutes?from=0').status, 400)

    def test_many_connections(self):
        """1,000 silent connections keep nobody out, and slow ones are closed."""
        monitor = self.monitor('a=test')
        idle = []
        try:
            for _ in range(1000):
                s = socket.create_connection(('127.0.0.1', monitor.port), timeout=30)
                with contextlib.suppress(ConnectionError):
                    s.send(b'GET / HT')
                idle.append(s)
            self.assertEqual(monitor.ask('/healthz').status, 200)
            # The last connection did not push this one out.
            idle[-2].settimeout(common.MAX_WAIT_SECONDS)
            with contextlib.suppress(ConnectionError):
                while idle[-2].recv(1000):
                    pass
        finally:
            for s in idle:
                s.close()
        self.assertEqual(monitor.ask('/healthz').status, 200)

    def test_clients_that_do_not_wait(self):
        """Answers from the database find their client gone."""
        monitor = self.monitor('a=test')
        for i in range(300):
            with socket.create_connection(('127.0.0.1', monitor.port)) as s:
                path = ('events', 'cameras/a/minutes', 'events/1/picture')[i % 3]
                s.send(f'GET /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\n\r\n'.encode())
                if i % 2:
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        for _ in range(50):
            with socket.create_connection(('127.0.0.1', monitor.port)) as s:
                s.send(b'GET /events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 1\r\n\r\n')
        time.sleep(3)
        self.assertEqual(monitor.ask('/healthz').status, 200)
        self.assertNotIn('CRITICAL', monitor.output())

    def test_connections_end(self):
        monitor = self.monitor('a=test')
        monitor.wait_for_state('a', 'up')
        descriptors = f'/proc/{monitor.process.pid}/fd'
        before = len(os.listdir(descriptors))
        for _ in range(300):
            self.assertEqual(monitor.ask('/healthz').status, 200)
        self.assertLess(len(os.listdir(descriptors)), before + 10)


class Login(common.Case):
    SECRET = 'a-secret-of-32-characters-length'

    def secure(self, *arguments, more=''):
        self.write('secret', self.SECRET + '\n')
        return self.monitor(*arguments, config='[camera a]\nuri=test\n[http]\nsecret=secret\n'
                            + more)

    def test_secret(self):
        monitor = self.secure()
        for path in ('/api/v1/cameras', '/metrics', '/events', '/wall.js',
                     '/api/v1/cameras/a/picture'):
            self.assertEqual(monitor.ask(path).status, 401, path)
        page = monitor.ask('/', headers={'Accept': 'text/html'})
        self.assertEqual((page.status, page.headers['Location']), (303, '/login'))
        for path in ('/login', '/wall.css', '/healthz'):
            self.assertEqual(monitor.ask(path).status, 200, path)
        bearer = {'Authorization': f'Bearer {self.SECRET}'}
        self.assertEqual(monitor.ask('/metrics', headers=bearer).status, 200)
        self.assertEqual(monitor.ask('/metrics', headers={
            'Authorization': 'Bearer ' + self.SECRET[:-1]}).status, 401)

    def log_in(self, monitor, secret, **headers):
        return monitor.ask('/login', 'POST', f'secret={secret}', {
            'Content-Type': 'application/x-www-form-urlencoded', **headers})

    def test_cookie(self):
        monitor = self.secure()
        wrong = self.log_in(monitor, 'wrong')
        self.assertEqual((wrong.status, wrong.headers['Location']), (303, '/login#wrong'))
        self.assertIsNone(wrong.headers['Set-Cookie'])
        right = self.log_in(monitor, self.SECRET)
        self.assertEqual((right.status, right.headers['Location']), (303, '/'))
        header = right.headers['Set-Cookie']
        for attribute in ('HttpOnly', 'SameSite=Strict', 'Path=/'):
            self.assertIn(attribute, header)
        self.assertNotIn(self.SECRET, header)
        cookie = header.split(';')[0]
        self.assertEqual(monitor.ask('/api/v1/cameras', headers={'Cookie': cookie}).status, 200)
        name, token = cookie.split('=')
        for forged in (token[:-1], token + '0', token[:-1] + 'x', token.upper() + '.', '', 'x'):
            self.assertEqual(monitor.ask('/', headers={
                'Cookie': f'{name}={forged}'}).status, 401)
        # Not even with the cookie for other pages.
        self.assertEqual(monitor.ask('/api/v1/events/1/acknowledge', 'POST', headers={
            'Cookie': cookie, 'Origin': 'http://evil.example'}).status, 403)
        monitor.stop()
        monitor.start()
        self.assertEqual(monitor.ask('/', headers={'Cookie': cookie}).status, 200)

    def test_log(self):
        """The log names who sends wrong secrets, but neither these nor each one of many."""
        monitor = self.secure()
        self.assertEqual(monitor.ask('/metrics').status, 401)
        self.assertNotIn('wrong secret', monitor.output())
        self.log_in(monitor, 'guess-in-a-form')
        for _ in range(24):
            monitor.ask('/metrics', headers={'Authorization': 'Bearer guess-in-a-header'})
        line = 'wrong secret from 127.0.0.1'
        self.assertEqual(re.findall('wrong secret.*', monitor.output()), [line] * 3 + [
            f'{line}, after 16 more that the log leaves out: it must wait for the rest of the '
            'minute'])
        self.assertNotIn('guess', monitor.output())

    def test_log_out(self):
        monitor = self.secure()
        cookie = self.log_in(monitor, self.SECRET).headers['Set-Cookie'].split(';')[0]
        out = monitor.ask('/logout', 'POST', headers={'Cookie': cookie})
        self.assertEqual((out.status, out.headers['Location']), (303, '/login'))
        self.assertRegex(out.headers['Set-Cookie'], r'^videohistogram-session-\w+=;.*Max-Age=0')
        # A copy of the cookie is useless, even after a restart.
        self.assertEqual(monitor.ask('/', headers={'Cookie': cookie}).status, 401)
        other = self.log_in(monitor, self.SECRET).headers['Set-Cookie'].split(';')[0]
        monitor.stop()
        monitor.start()
        for tried, status in ((cookie, 401), (other, 200)):
            self.assertEqual(monitor.ask('/', headers={'Cookie': tried}).status, status)
        self.assertEqual(monitor.ask('/logout', 'POST').status, 401)
        # People whose session has ended get a page, not JSON.
        again = monitor.ask('/logout', 'POST', headers={'Accept': 'text/html,*/*'})
        self.assertEqual((again.status, again.headers['Location']), (303, '/login'))

    def test_cookie_behind_proxy(self):
        """Browsers send it over TLS only, if url= tells that a proxy provides TLS."""
        monitor = self.secure(more='hosts=wall.example other.example\n'
                              'url=https://wall.example/\n')
        for host, secure in (('wall.example', True), ('WALL.example:443', True),
                             ('other.example', False), (f'127.0.0.1:{monitor.port}', False)):
            with self.subTest(host=host):
                header = self.log_in(monitor, self.SECRET, Host=host).headers['Set-Cookie']
                self.assertEqual('; Secure' in header, secure, header)

    def test_said_nowhere(self):
        monitor = self.secure()
        self.log_in(monitor, self.SECRET)
        self.log_in(monitor, self.SECRET[:-1] + 'x')
        bearer = {'Authorization': f'Bearer {self.SECRET}'}
        for path in ('/', '/metrics', '/api/v1/cameras', '/api/v1/notices', '/login', '/healthz'):
            answer = monitor.ask(path, headers=bearer)
            self.assertNotIn(self.SECRET[:-1], f'{answer.headers}{answer.text}')
        self.assertNotIn(self.SECRET[:-1], common.everything_public(monitor))

    def test_guessing(self):
        monitor = self.secure()
        answers = [self.log_in(monitor, f'guess{i}').headers['Location'] for i in range(25)]
        self.assertEqual(answers[0], '/login#wrong')
        self.assertEqual(answers[-1], '/login#wait')
        self.assertEqual(self.log_in(monitor, self.SECRET).headers['Location'], '/login#wait')

    def test_tls(self):
        if not shutil.which('openssl'):
            self.skipTest('there is no openssl')
        self.certify('cert', subject='/CN=localhost', host='DNS:localhost')
        monitor = self.secure(more='certificate=cert.pem\nkey=cert.key\n')
        self.assertEqual(monitor.scheme, 'https')
        context = ssl.create_default_context(cafile=self.folder / 'cert.pem')
        answers = []
        for method, path, body, headers in (
                ('POST', '/login', f'secret={self.SECRET}', {}),
                ('GET', '/api/v1/cameras', None, {'Authorization': f'Bearer {self.SECRET}'})):
            connection = http.client.HTTPSConnection('localhost', monitor.port,
                                                     context=context, timeout=30)
            with contextlib.closing(connection):
                connection.request(method, path, body, headers)
                answers.append(common.Answer(connection.getresponse()))
        self.assertIn('Secure', answers[0].headers['Set-Cookie'])
        self.assertEqual(answers[1].status, 200)
        (self.folder / 'cert.key').write_text('x')
        status, output = common.check('--config', str(monitor.config), '--directory',
                                      str(self.folder / 'other'), '--listen', '127.0.0.1:0')
        self.assertEqual(status, 2)
        self.assertIn(f'certificate {self.folder}/cert.pem with key {self.folder}/cert.key: ',
                      output)
        with self.assertRaises((ConnectionError, http.client.HTTPException, TimeoutError)):
            plain = http.client.HTTPConnection('127.0.0.1', monitor.port, timeout=30)
            plain.request('GET', '/healthz')
            plain.getresponse()


if __name__ == '__main__':
    common.main()
