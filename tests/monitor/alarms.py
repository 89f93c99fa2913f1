#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Alarms: a condition of a camera from its start to its end, in one row."""

import contextlib
import csv
import datetime
import email
import http.client
import io
import itertools
import random
import socket
import sqlite3
import time
import urllib.parse
import zoneinfo

import common

CAMERAS = ('a', 'b', 'gone', '=SUM(1)', 'c, d;e')
GROUPS = {'a': 'north', 'b': 'south'}
CONDITIONS = ('signal-loss', 'dark', 'monochrome', 'unknown-later')
SEVERITIES = {'signal-loss': 'lost', 'dark': 'impaired', 'monochrome': 'notice'}
# Nothing starts or ends while there is no picture.
CONFIG = ('[cameras]\nrules=signal-loss,enter=3000\n'
          'conditions=signal-loss,dark,monochrome\n') + ''.join(
    f'[camera {name}]\nuri=rtsp://127.0.0.1:1/a\ngroup={GROUPS.get(name, "")}\n'
    for name in CAMERAS if name != 'gone')
WORDS = {'signal-loss': 'no video', 'dark': 'too dark', 'monochrome': 'no color'}
START = 1_700_000_000
# The machine of the monitor is far from UTC.
ZONE = {'TZ': 'Pacific/Auckland'}
TIMES = ('begun', 'ended', 'acknowledged', 'active_since')
# What only programs use is not in the CSV.
MACHINES = ('advice', 'duration', 'picture', 'outage', 'reference', 'event', 'end_event',
            'last_seen')

# The database of the version before alarms.
VERSION_5 = """
    CREATE TABLE events (number INTEGER PRIMARY KEY AUTOINCREMENT, camera TEXT NOT NULL,
        condition TEXT NOT NULL, active INTEGER NOT NULL, topic_active INTEGER NOT NULL,
        value REAL NOT NULL, threshold REAL NOT NULL, time INTEGER NOT NULL,
        since INTEGER NOT NULL, reason TEXT NOT NULL, acknowledged INTEGER NOT NULL DEFAULT 0,
        outage INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX events_by_camera ON events (camera, condition, number);
    CREATE TABLE pictures (number INTEGER PRIMARY KEY REFERENCES events, jpeg BLOB NOT NULL);
    CREATE TABLE minutes (camera TEXT NOT NULL, minute INTEGER NOT NULL, frames INTEGER NOT NULL,
        measured INTEGER NOT NULL, average REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
        active INTEGER NOT NULL, PRIMARY KEY (camera, minute)) WITHOUT ROWID;
    CREATE INDEX minutes_by_time ON minutes (minute);
    CREATE TABLE reference (camera TEXT PRIMARY KEY, time INTEGER NOT NULL, jpeg BLOB NOT NULL);
    CREATE TABLE notices (number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL,
        text TEXT NOT NULL, over INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE outputs (output TEXT PRIMARY KEY, number INTEGER NOT NULL);
    CREATE TABLE dead_letters (id INTEGER PRIMARY KEY AUTOINCREMENT, output TEXT NOT NULL,
        number INTEGER NOT NULL REFERENCES events, time INTEGER NOT NULL, reason TEXT NOT NULL,
        queued INTEGER NOT NULL DEFAULT 0, UNIQUE (output, number));
    CREATE TABLE retained (topic TEXT PRIMARY KEY);
    PRAGMA user_version = 5;"""

INSERT = """INSERT INTO events (camera, condition, active, topic_active, value, threshold, time,
    since, reason, acknowledged) VALUES (?, ?, ?, ?, 0.5, 0.4, ?, ?, ?, ?)"""


# Has all events happen again.
REPEAT = ('DELETE FROM alarms', 'DELETE FROM series', 'CREATE TEMP TABLE e AS SELECT * FROM events',
          'DELETE FROM events', 'INSERT INTO events SELECT * FROM e ORDER BY number')


def make_event(rng, series, active, now):
    return (*series, active, active, now * 1000000, (now - rng.randrange(2)) * 1000000,
            rng.choice(('', '@cmd', '\t=a', 'x\r\n"y"')),
            rng.choice((0, now * 1000000)) if active else 0)


def make_events(count, seed=1):
    """Rows for INSERT. Some conditions last for days and overlap many short ones. In the end, what
    the monitor would end is over."""
    rng = random.Random(seed)
    active = {}
    now = START
    for _ in range(count):
        now += rng.choice((0, 1, 60, 3600))
        # Some conditions change rarely, so that they stay active for long.
        series = rng.choice(CAMERAS), rng.choices(CONDITIONS, (1, 8, 4, 1))[0]
        active[series] = not active.get(series)
        yield make_event(rng, series, active[series], now)
    for series in active:
        if active[series] and ('gone' in series or 'signal-loss' in series):
            yield make_event(rng, series, False, now)


def expect(events):
    """The alarms that rows for INSERT make, the newest first: what the monitor should answer."""
    alarms = []
    active = {}
    for number, event in enumerate(events, 1):
        camera, condition, is_active, _, _, since, reason, acknowledged = event
        if is_active and (camera, condition) not in active:
            active[camera, condition] = {
                'event': number, 'end_event': None, 'camera': camera, 'condition': condition,
                'group': GROUPS.get(camera, ''), 'severity': SEVERITIES.get(condition),
                'begun': since // 1000000, 'ended': None, 'reason': reason,
                'is_acknowledged': bool(acknowledged)}
            alarms.append(active[camera, condition])
        elif not is_active and (camera, condition) in active:
            alarm = active.pop((camera, condition))
            alarm.update(end_event=number, ended=max(since // 1000000, alarm['begun']))
    return sorted((a for a in alarms if a['severity']),
                  key=lambda a: (-a['begun'], -a['event']))


def selects(query, alarm):
    """Whether a query, {parameter: value}, selects an alarm of expect()."""
    tests = {
        'active': alarm['ended'] is None, 'over': alarm['ended'] is not None,
        'acknowledged': alarm['is_acknowledged'], 'unacknowledged': not alarm['is_acknowledged'],
        'missed': alarm['ended'] is not None and not alarm['is_acknowledged']}
    return (all(alarm[name] in query[name].split('/')
                for name in ('camera', 'group', 'condition', 'severity') if name in query)
            and alarm['begun'] < query.get('before', 1 << 40)
            and query.get('from', 0) < query.get('before', 1 << 40)
            and (alarm['ended'] is None or alarm['begun'] >= query.get('from', 0)
                 or alarm['ended'] > query.get('from', 0))
            and all(word in ' '.join((alarm['camera'], alarm['group'], alarm['condition'],
                                      WORDS[alarm['condition']])).lower()
                    for word in query.get('filter', '').lower().split())
            and ('state' not in query or tests[query['state']]))


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()


def local(time_of):
    """The text of a time, in seconds since 1970, at the machine of the monitor."""
    return str(datetime.datetime.fromtimestamp(int(time_of), zoneinfo.ZoneInfo(ZONE['TZ'])))[:19]


class Case(common.Case):
    def database(self):
        return contextlib.closing(sqlite3.connect(self.folder / 'state/monitor.db'))

    def stored(self, events, schema=None, environment=()):
        """A monitor whose database has these events and nothing else: its cameras are fine."""
        (self.folder / 'state').mkdir(0o700)
        if not schema:
            monitor = self.monitor(config=CONFIG, environment=environment)
            self.assertEqual(monitor.stop(), 0)
        with self.database() as database:
            database.executescript(schema or 'DELETE FROM alarms; DELETE FROM series; '
                                   'DELETE FROM events; DELETE FROM sqlite_sequence')
            database.executemany(INSERT, events)
            database.commit()
        if schema:
            return self.monitor(config=CONFIG)
        monitor.start()
        return monitor

    def ask(self, monitor, **query):
        return monitor.ask('/api/v1/alarms?' + urllib.parse.urlencode(query))

    def page(self, monitor, **query):
        answer = self.ask(monitor, **query)
        self.assertEqual(answer.status, 200, (query, answer.text))
        return answer.json()

    def walk(self, monitor, **query):
        """Numbers of all alarms, page by page."""
        numbers = []
        while True:
            page = self.page(monitor, **query)
            numbers += [a['event'] for a in page['alarms']]
            if not page['cursor']:
                return numbers
            self.assertTrue(page['alarms'])
            query['cursor'] = page['cursor']


class Filters(Case):
    def check_alarm(self, monitor, alarm, expected):
        """The alarm has the members that the description names, and their types."""
        schemas = monitor.json('openapi.json')['components']['schemas']
        self.assertEqual(list(alarm), list(schemas['Alarm']['properties']))
        types = {'integer': int, 'number': (int, float), 'string': str, 'boolean': bool}
        for name, schema in schemas['Alarm']['properties'].items():
            schema = schemas[schema['$ref'].rpartition('/')[2]] if '$ref' in schema else schema
            if alarm[name] is None:
                self.assertTrue(schema.get('nullable'), name)
            else:
                self.assertIsInstance(alarm[name], types[schema['type']], name)
        for name, value in expected.items():
            if name == 'is_acknowledged':
                self.assertEqual(bool(alarm['acknowledged']), value)
            elif name in ('begun', 'ended') and value is not None:
                self.assertEqual(seconds(alarm[name]), value)
            else:
                self.assertEqual(alarm[name], value, name)
        if alarm['ended']:
            self.assertEqual(alarm['duration'], expected['ended'] - expected['begun'])
        else:
            self.assertGreater(alarm['duration'], 1_000_000)

    def test_all(self):
        """Every combination of filters, by pages, gives what a simple search gives."""
        events = list(make_events(1500))
        monitor = self.stored(events)
        alarms = expect(events)
        self.assertGreater(len(alarms), 400)
        page = self.page(monitor, limit=500)
        for alarm, expected in zip(page['alarms'], alarms):
            self.check_alarm(monitor, alarm, expected)
        rng = random.Random(2)
        middle = [a['begun'] for a in alarms[::37]]
        choices = {
            'camera': ('a', 'gone/a', '=SUM(1)', 'none', 'c, d;e', '/'.join(CAMERAS)),
            'group': ('north', 'south/north', '', 'none'),
            'condition': ('dark', 'dark/monochrome', 'signal-loss'),
            'severity': ('notice', 'impaired', 'lost'),
            'filter': ('north', 'A Dark', 'monochrome  =sum', 'NO Color south', 'video C,', 'ä'),
            'from': middle, 'before': middle,
            'state': ('active', 'over', 'unacknowledged', 'acknowledged', 'missed')}
        found = 0
        for names in itertools.chain.from_iterable(
                itertools.combinations(choices, n) for n in range(len(choices) + 1)):
            query = {name: rng.choice(choices[name]) for name in names}
            with self.subTest(query=query):
                wanted = [a['event'] for a in alarms if selects(query, a)]
                found += bool(wanted)
                limit = rng.choice((1, 7, 100)) if len(wanted) < 100 else 50
                self.assertEqual(self.walk(monitor, limit=limit, **query), wanted)
        self.assertGreater(found, 50)

    def test_missed(self):
        """Alarms to acknowledge are those that the overview counts: no quiet or snoozed ones."""
        monitor = self.stored([(*e[:-1], 0) for e in make_events(1500)])
        monitor.stop()
        common.run_sql(
            monitor, 'UPDATE events SET quiet = 1 WHERE number % 3 = 0',
            "UPDATE events SET reason = 'snoozed until 2023-11-14T22:13:20.000Z' "
            'WHERE NOT active AND number % 5 = 0',
            "UPDATE events SET reason = 'snoozed until 2023-11-14T22:13:20.000Z' "
            'WHERE active AND number % 7 = 0',
            *REPEAT)
        monitor.start()
        until = int(time.time()) + 3600
        for change in ('', f'a/snooze?until={until}', f'b/snooze?until={until}&condition=dark',
                       'a/unsnooze'):
            if change:
                self.assertEqual(monitor.ask(f'/api/v1/cameras/{change}', 'POST').status, 200)
            snoozed = 'a' if 'a/snooze' in change or 'b/' in change else None

            def find(snoozed=snoozed):
                return [a for a in self.ask(monitor, export=1).json()['alarms']
                        if not a['acknowledged'] and not a['quiet'] and a['camera'] != snoozed
                        and not a['end_reason'].startswith('snoozed ')]

            # An alarm may begin between both.
            common.wait_for(lambda: self.walk(monitor, state='unacknowledged', limit=50)
                            == [a['event'] for a in find()], change)
            alarms = find()
            wanted = [a['event'] for a in alarms if a['ended']]
            self.assertGreater(len(wanted), 100)
            self.assertEqual(self.walk(monitor, state='missed', limit=7), wanted)
            self.assertEqual(len(self.page(monitor, state='missed', limit=100)['alarms']), 100)
            text = self.ask(monitor, state='missed', export=1, format='csv').text
            self.assertEqual(len(list(csv.reader(io.StringIO(text)))), len(wanted) + 1)
        self.assertEqual(self.walk(monitor, state='missed', camera='a', limit=50),
                         [a['event'] for a in self.ask(monitor, export=1, camera='a')
                          .json()['alarms'] if a['event'] in wanted])

    def test_walk_while_events_come(self):
        """Pages show each alarm once, and all that were there at the start, while others begin."""
        monitor = self.busy(8)
        common.wait_for(lambda: len(self.walk(monitor)) > 40, 'alarms')
        before = self.walk(monitor)
        query = {}
        seen = []
        for _ in range(1000):
            page = self.page(monitor, limit=2, **query)
            seen += [a['event'] for a in page['alarms']]
            if not page['cursor']:
                break
            query = {'cursor': page['cursor']}
        self.assertEqual(len(seen), len(set(seen)))
        self.assertEqual([n for n in seen if n in set(before)], before)
        common.wait_for(lambda: max(self.walk(monitor)) > max(before), 'a later alarm')

    def test_refused(self):
        monitor = self.stored(make_events(50))
        cursor = self.page(monitor, limit=1)['cursor']
        for query in ({'cursor': cursor[:-1]}, {'cursor': ''}, {'cursor': 'x' * 32},
                      {'cursor': '-' + cursor[1:]}, {'cursor': '0x' + cursor[2:]},
                      {'cursor': 'f' * 32}, {'cursor': ' ' + cursor[1:]}, {'condition': ''},
                      {'condition': 'dark/'}, {'condition': 'Dark'}, {'condition': 'dark,blurry'},
                      {'severity': ''}, {'severity': 'bad'}, {'state': 'acknowledge'},
                      {'state': ''}, {'filter': 'ä' * 101},
                      {'format': 'xml'}, {'export': '2'}, {'limit': '0'},
                      {'limit': '501'}, {'limit': '100001', 'export': '1'}, {'from': '-1'},
                      {'from': '1.5'}, {'before': str(1 << 40)}, {'other': '1'}):
            with self.subTest(query=query):
                answer = self.ask(monitor, **query)
                self.assertEqual(answer.status, 400)
                self.assertIn(f'"{list(query)[0]}"', answer.json()['error'])
        self.assertEqual(monitor.ask('/api/v1/alarms?limit=1&limit=2').status, 400)
        self.assertEqual(monitor.ask('/api/v1/alarms', 'POST').status, 405)
        self.assertEqual(self.page(monitor, **{'from': START + 10, 'before': START + 5})['alarms'],
                         [])
        # A cursor of another database is only a place in the list.
        self.assertEqual(self.page(monitor, cursor='0' * 32), {'alarms': [], 'cursor': None})


class Files(Case):
    """Exports: files that are sent while they are made."""

    MANY = 8000

    def many(self):
        """A monitor with many alarms of one camera."""
        return self.stored(
            ('a', 'dark', active, active, (START + i) * 1000000, (START + i) * 1000000, 'x' * 50, 0)
            for i in range(self.MANY) for active in (True, False))

    def test_formats(self):
        """Both formats have the same alarms as all pages, each member in its column."""
        events = list(make_events(2500))
        monitor = self.stored(events, environment=ZONE)
        alarms = expect(events)
        self.assertGreater(len(alarms), 1000)
        for query in ({}, {'state': 'over', 'camera': '=SUM(1)/a'}, {'camera': 'none'},
                      {'limit': 700}, {'limit': 500}, {'limit': 1}):
            limit = query.get('limit', 100000)
            wanted = [a for a in alarms if selects(query, a)]
            answer = self.ask(monitor, export=1, **query)
            self.assertRegex(answer.headers['Content-Disposition'],
                             r'^attachment; filename=alarms_[^"]*\.json$')
            self.assertEqual(answer.headers['Content-Type'], 'application/json')
            self.assertEqual(answer.headers['Transfer-Encoding'], 'chunked')
            exported = answer.json()
            self.assertEqual([a['event'] for a in exported['alarms']],
                             [a['event'] for a in wanted[:limit]])
            self.assertEqual(exported['cursor'] is not None, len(wanted) > limit, query)
            answer = self.ask(monitor, export=1, format='csv', **query)
            self.assertEqual(answer.body[:6], b'\xef\xbb\xbfcam')
            self.assertEqual(answer.headers['Content-Type'],
                             'text/csv; charset=utf-8; header=present')
            self.check_csv(answer.body.decode('utf-8-sig'), exported['alarms'])
        page = self.page(monitor, limit=3)
        self.check_csv(self.ask(monitor, limit=3, format='csv').body.decode('utf-8-sig'),
                       page['alarms'])
        rest = self.ask(monitor, export=1, cursor=page['cursor']).json()['alarms']
        self.assertEqual([a['event'] for a in page['alarms'] + rest], [a['event'] for a in alarms])

    def check_csv(self, text, alarms):
        """The text has a row for each alarm, and no cell that a spreadsheet would run."""
        self.assertNotRegex(text.replace('\r\n', ''), r'^\n|[^\r]\n')
        rows = list(csv.reader(io.StringIO(text, newline=''), strict=True))
        columns = ['camera', 'group', 'words', 'severity', 'begun', 'ended', 'lasted', 'at_most',
                   'reason', 'end_reason', 'acknowledged', 'acknowledged_by', 'note', 'quiet',
                   'active_since', 'condition', 'value', 'threshold', 'unit', 'present_reason']
        self.assertEqual(rows[0], columns)
        self.assertEqual(len(rows), len(alarms) + 1)
        for row, alarm in zip(rows[1:], alarms):
            self.assertEqual({*alarm, 'lasted'}, {*columns, *MACHINES})
            self.check_row(dict(zip(columns, row)), alarm)

    def check_row(self, row, alarm):
        hours, minutes, rest = map(int, row.pop('lasted').split(':'))
        # An active alarm lasts longer each time.
        self.assertAlmostEqual(hours * 3600 + minutes * 60 + rest, alarm['duration'], delta=100)
        for name, cell in row.items():
            value = alarm[name]
            self.assertFalse(cell.strip().startswith(tuple('=+-@')), cell)
            if name in TIMES and value:
                self.assertEqual(cell, local(seconds(value)))
            elif name in ('quiet', 'at_most'):
                self.assertEqual(cell, 'yes' if value else 'no')
            elif isinstance(value, str):
                self.assertEqual(cell.removeprefix("'"), value)
                self.assertEqual(cell.startswith("'"), value.strip()[:1] in tuple('=+-@'))
            elif isinstance(value, float):
                self.assertAlmostEqual(float(cell), value)
            else:
                self.assertEqual(cell, '' if value is None else str(value))

    def test_reasons(self):
        """Times within reasons are like those of other columns, and what is no time stays."""
        for_people = local(START)
        monitor = self.stored([
            ('a', 'dark', 1, 1, START * 10**6, START * 10**6,
             'still active since 2023-11-14T22:13:20.123Z: it is no longer quiet', 0),
            ('a', 'dark', 0, 0, (START + 90) * 10**6, (START + 90) * 10**6,
             'snoozed until 2023-11-14T22:13:20.000Z by Zo\u00eb: at 2023-99-99T99Z', 0)],
            environment=ZONE)
        text = self.ask(monitor, export=1, format='csv').body.decode('utf-8-sig')
        row = list(csv.DictReader(io.StringIO(text, newline='')))[0]
        self.assertEqual(row['reason'], f'still active since {for_people}: it is no longer quiet')
        self.assertEqual(row['end_reason'],
                         f'snoozed until {for_people} by Zo\u00eb: at 2023-99-99T99Z')
        self.assertEqual(row['lasted'], '0:01:30')

    def test_at_most(self):
        """Both formats say whether the duration of an alarm is the longest possible one, because
        nobody saw its end."""
        rows = [('a', 'dark', active, active, time * 10**6, time * 10**6, reason, 0)
                for active, time, reason in (
                    (1, START, ''), (0, START + 60, 'while nobody watched'),
                    (1, START + 90, 'while nobody watched'), (0, START + 120, ''),
                    (1, START + 150, 'while nobody watched'))]
        monitor = self.stored(rows, environment=ZONE)
        alarms = self.page(monitor)['alarms']
        self.assertEqual([alarm['at_most'] for alarm in alarms], [False, False, True])
        text = self.ask(monitor, format='csv').body.decode('utf-8-sig')
        self.check_csv(text, alarms)
        self.assertEqual([row['at_most'] for row in csv.DictReader(io.StringIO(text, newline=''))],
                         ['no', 'no', 'yes'])

    def test_duration(self):
        """A duration is the difference of the times as people see them, in both formats."""
        rows = [('a', 'dark', active, active, time, time, '', 0) for active, time in (
            (1, START * 10**6 + 900_000), (0, START * 10**6 + 2_100_000),
            (1, START * 10**6 + 5_100_000), (0, START * 10**6 + 7_900_000))]
        monitor = self.stored(rows, environment=ZONE)
        self.assertEqual([alarm['duration'] for alarm in self.page(monitor)['alarms']], [2, 2])
        text = self.ask(monitor, format='csv').body.decode('utf-8-sig')
        self.assertEqual([row['lasted'] for row in csv.DictReader(io.StringIO(text, newline=''))],
                         ['0:00:02', '0:00:02'])

    def test_names(self):
        """The name of a file says which cameras or groups it is about, and which days."""
        monitor = self.stored([], environment=ZONE)
        day = local(time.time())[:10]
        for query, name in (
                ({}, f'alarms_until_{day}.csv'), ({'camera': 'a'}, f'alarms_a_until_{day}.csv'),
                ({'camera': '=SUM(1)', 'from': START, 'before': START + 86400},
                 'alarms_-SUM-1-_2023-11-15_2023-11-16.csv'),
                # In Auckland, the days start at 11:00 UTC.
                ({'from': 1700046000, 'before': 1700132400}, 'alarms_2023-11-16.csv'),
                ({'from': 1700046000, 'before': 1700132401},
                 'alarms_2023-11-16_2023-11-17.csv'),
                ({'camera': 'a/b', 'group': ''}, f'alarms_2-cameras_no-group_until_{day}.csv'),
                ({'group': 'Süd "1"\r\nX: y/' + 'x' * 50, 'from': int(time.time())},
                 f'alarms_2-groups_{day}.csv'),
                ({'group': 'Süd "1"\r\nX: y', 'from': int(time.time())},
                 f'alarms_Süd--1---X--y_{day}.csv'),
                ({'camera': 'x' * 50, 'from': int(time.time())}, f'alarms_{"x" * 40}_{day}.csv')):
            with self.subTest(query):
                answer = self.ask(monitor, export=1, format='csv', **query)
                self.assertEqual(
                    email.message_from_string('Content-Disposition: '
                                              + answer.headers['Content-Disposition'])
                    .get_filename(), name)

    def connect(self, monitor, request, source='127.0.0.1'):
        """A connection that reads little."""
        connection = socket.socket()
        self.addCleanup(connection.close)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(common.MAX_WAIT_SECONDS)
        connection.bind((source, 0))
        connection.connect(('127.0.0.1', monitor.port))
        connection.sendall(request.encode() + b'\r\nHost: localhost\r\n\r\n')
        return connection

    def test_clients_that_do_not_read(self):
        """They take little memory, no other request waits for them, one client cannot have all
        exports, and those that leave make room."""
        monitor = self.many()
        before = common.resident(monitor)
        request = 'GET /api/v1/alarms?export=1 HTTP/1.1'
        slow = [self.connect(monitor, request) for _ in range(2)]
        for connection in slow:
            self.assertEqual(connection.recv(15), b'HTTP/1.1 200 OK')
        answer = self.ask(monitor, export=1)
        self.assertEqual((answer.status, answer.headers['Retry-After']), (503, '1'))
        self.assertIn('exports', answer.json()['error'])
        slow.append(self.connect(monitor, request, '127.0.0.2'))
        self.assertEqual(slow[2].recv(15), b'HTTP/1.1 200 OK')
        for _ in range(3):
            self.assertEqual(len(self.page(monitor, limit=500)['alarms']), 500)
        self.assertLess(common.resident(monitor) - before, 40 if not common.SANITIZED else 400)
        slow[0].close()
        slow[1].shutdown(socket.SHUT_RDWR)
        answer = common.wait_for(lambda: (a := self.ask(monitor, export=1)).status == 200 and a,
                                 'room')
        self.assertEqual(len(answer.json()['alarms']), self.MANY)
        # One that starts to read gets the rest.
        text = b''
        while not text.endswith(b'0\r\n\r\n'):
            text += slow[2].recv(1 << 20)
        self.assertEqual(text.count(b'"event":'), self.MANY)

    def test_other_requests(self):
        """HEAD, an old protocol and a connection that stays open."""
        monitor = self.stored(make_events(2500))
        exported = self.ask(monitor, export=1, state='over').text
        old = self.connect(monitor, 'GET /api/v1/alarms?export=1&state=over HTTP/1.0')
        text = b''
        while part := old.recv(65536):
            text += part
        head, _, body = text.decode().partition('\r\n\r\n')
        self.assertNotIn('chunked', head)
        self.assertEqual(body, exported)
        connection = http.client.HTTPConnection('127.0.0.1', monitor.port, timeout=20)
        with contextlib.closing(connection):
            for method in ('HEAD', 'GET', 'HEAD', 'GET'):
                connection.request(method, '/api/v1/alarms?export=1&state=over',
                                   headers={'Connection': 'keep-alive'})
                answer = connection.getresponse()
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.read().decode(), exported if method == 'GET' else '')
                self.assertIn('alarms_until_', answer.headers['Content-Disposition'])

    def test_unknown_conditions(self):
        """Pages without any condition that this version knows are no end of the file."""
        monitor = self.stored(
            ('a', condition, active, active, (START + i) * 1000000, (START + i) * 1000000, '', 0)
            for i, condition in enumerate(['dark'] * 20 + ['of-a-later-version'] * 1600)
            for active in (True, False))
        self.assertEqual(len(self.ask(monitor, export=1).json()['alarms']), 20)
        self.assertEqual(len(self.ask(monitor, export=1, format='csv').text.splitlines()), 21)

    def test_failure(self):
        """A file that cannot be finished ends without its end, so that nobody takes it for one."""
        monitor = self.many()
        connection = self.connect(monitor, 'GET /api/v1/alarms?export=1 HTTP/1.1')
        text = connection.recv(2000)
        self.assertTrue(text.startswith(b'HTTP/1.1 200 OK'))
        with self.database() as database:
            database.execute('DROP TABLE series')
            database.execute('DROP TABLE alarms')
            database.commit()
        while part := connection.recv(1 << 20):
            text += part
        self.assertFalse(text.endswith(b'0\r\n\r\n'))
        answer = self.ask(monitor, export=1)
        self.assertEqual(answer.status, 503)
        self.assertIn('database', answer.json()['error'])


class Acknowledging(Case):
    def change(self, monitor, action, numbers, **options):
        answer = monitor.ask(f'/api/v1/events/{action}?numbers={",".join(map(str, numbers))}',
                             'POST', **options)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(list(answer.json()), ['numbers'])
        return answer.json()['numbers']

    def test_several(self):
        """Acknowledging what is shown changes just that, and can be undone."""
        monitor = self.stored([(*e[:-1], 0) for e in make_events(300)])
        shown = self.page(monitor, condition='dark', limit=20)['alarms']
        numbers = [a['event'] for a in shown]
        others = self.walk(monitor, state='unacknowledged')
        missed = self.walk(monitor, state='missed')
        active = [a for a in shown if not a['ended'] and a['camera'] == 'a']
        self.assertEqual(self.change(monitor, 'acknowledge', numbers[:1]), numbers[:1])
        first = self.page(monitor, state='acknowledged')['alarms'][0]['acknowledged']
        # The last number does not exist, and one is there twice.
        self.assertEqual(self.change(monitor, 'acknowledge', numbers + [numbers[3], 1 << 40]),
                         numbers[1:])
        seen = self.page(monitor, state='acknowledged')['alarms']
        self.assertEqual([a['event'] for a in seen], numbers)
        # The earlier one stays as it is.
        self.assertEqual(seen[0]['acknowledged'], first)
        self.assertEqual(self.walk(monitor, state='unacknowledged'),
                         [n for n in others if n not in numbers])
        self.assertEqual(self.walk(monitor, state='missed'),
                         [n for n in missed if n not in numbers])
        for alarm in active:
            self.assertTrue(self.condition(monitor, 'a', alarm['condition'])['acknowledged'])
        self.assertEqual(self.change(monitor, 'acknowledge', numbers), [])
        self.assertEqual(self.change(monitor, 'unacknowledge', numbers[1:]), numbers[1:])
        self.assertEqual(self.walk(monitor, state='acknowledged'), numbers[:1])
        self.assertEqual(monitor.ask(f'/api/v1/events/{numbers[0]}/unacknowledge', 'POST').status,
                         200)
        self.assertEqual(self.walk(monitor, state='acknowledged'), [])
        self.assertEqual(self.walk(monitor, state='missed'), missed)
        for alarm in active:
            self.assertIsNone(self.condition(monitor, 'a', alarm['condition'])['acknowledged'])

    def condition(self, monitor, camera, name):
        return {c['condition']: c for c in monitor.camera(camera)['conditions']}[name]

    def test_by(self):
        """Who acknowledged is stored, and shown until it is undone."""
        monitor = self.monitor(config=common.LOST + '[http]\nuser-header=X-User\n')
        common.wait_for(lambda: self.walk(monitor), 'an alarm')
        for path in ('acknowledge?numbers=1&note=', '1/acknowledge?note='):
            path += 'a%20wasp'
            answer = monitor.ask('/api/v1/events/' + path, 'POST', headers={'X-User': 'Zo\u00eb <b>'
                                 .encode()})
            self.assertEqual(answer.status, 200, answer.text)
            for _ in range(2):
                alarm = self.page(monitor)['alarms'][0]
                self.assertEqual(alarm['acknowledged_by'], 'Zo\u00eb <b>')
                self.assertEqual(alarm['note'], 'a wasp')
                self.assertEqual(monitor.json('events')[0]['acknowledged_by'], 'Zo\u00eb <b>')
                condition = self.condition(monitor, 'a', 'signal-loss')
                self.assertEqual([condition[k] for k in ('acknowledged', 'acknowledged_by')],
                                 [alarm['acknowledged'], 'Zo\u00eb <b>'])
                monitor.kill()
                monitor.start()
            self.assertEqual(self.change(monitor, 'unacknowledge', [1]), [1])
            alarm = self.page(monitor)['alarms'][0]
            self.assertEqual([alarm['acknowledged_by'], alarm['note']], ['', ''])
            self.assertEqual(self.condition(monitor, 'a', 'signal-loss')['acknowledged_by'], '')

    def test_refused(self):
        monitor = self.stored(make_events(20))
        before = self.page(monitor, limit=500)
        many = ','.join(map(str, range(1, 502)))
        for action in ('acknowledge', 'unacknowledge'):
            for query in ('', '?numbers=', '?numbers=1,', '?numbers=,1', '?numbers=1,x',
                          '?numbers=0', '?numbers=-1', '?numbers=1%202', '?numbers=1;2',
                          f'?numbers={1 << 63}', f'?numbers={many}'):
                answer = monitor.ask(f'/api/v1/events/{action}{query}', 'POST')
                self.assertEqual(answer.status, 400, query)
                self.assertIn('"numbers"', answer.json()['error'])
            self.assertEqual(monitor.ask(f'/api/v1/events/{action}?numbers=1').status, 405)
        self.assertEqual([a['acknowledged'] for a in self.page(monitor, limit=500)['alarms']],
                         [a['acknowledged'] for a in before['alarms']])
        self.change(monitor, 'acknowledge', range(1, 501))


class Events(Case):
    def test_filters(self):
        """Any filters select what they say, in the order of the numbers, also where the clock was
        set back."""
        rng = random.Random(7)
        there = [name for name in CAMERAS if name != 'gone']
        times = [START + i * 40000 - 9_000_000 * (i % 100 > 80) for i in range(400)]
        events = [make_event(rng, (rng.choice(there), 'dark'), bool(i % 2), now)
                  for i, now in enumerate(times)]
        monitor = self.stored(events)
        expected = [(i + 1, e[0], e[4] // 1000000) for i, e in enumerate(events)]
        for _ in range(200):
            begin = rng.choice(times)
            query = {name: value for name, value in (
                ('camera', rng.choice(CAMERAS)), ('after', rng.randrange(400)),
                ('before', rng.randrange(2, 500)), ('from', begin),
                ('until', begin + rng.choice((0, 86400, 32 * 86400, 32 * 86400 + 1, 10 ** 8))))
                if rng.random() < 0.5}
            limit = query['limit'] = rng.choice((1, 7, 1000))
            chosen = [number for number, camera, when in expected
                      if camera == query.get('camera', camera)
                      and query.get('after', 0) < number < query.get('before', 1000)
                      and query.get('from', 0) <= when < query.get('until', 10 ** 10)]
            chosen = chosen[:limit] if 'after' in query else chosen[-limit:]
            found = monitor.json('events?' + urllib.parse.urlencode(query))
            self.assertEqual([e['number'] for e in found], chosen, query)


class Database(Case):
    def test_old(self):
        """A database without alarms gets them from its events: the same as from new events."""
        events = list(make_events(800, seed=3))
        # Starts and ends that are repeated, as an earlier fault could have left them.
        events = [e for i, e in enumerate(events) for _ in range(1 + (i % 50 == 7))]
        events = [(*e[:6], 'snoozed until noon', e[7]) if i % 9 == 0 else e
                  for i, e in enumerate(events)]
        monitor = self.stored(events, schema=VERSION_5)
        self.assertIn('upgrading the database from version 5', monitor.output())
        self.assertEqual(self.walk(monitor, limit=50), [a['event'] for a in expect(events)])
        for camera in monitor.json('cameras'):
            first = min(e[5] for e in events if e[0] == camera['name'])
            self.assertEqual(seconds(camera['first_watched']), first // 10**6)
        self.assertEqual(monitor.stop(), 0)
        with self.database() as database:
            rows = 'SELECT * FROM alarms JOIN series ON id = series ORDER BY alarms.number'
            columns = ('number, camera, condition, begun, ended, end_number, is_acknowledged, '
                       'is_to_do')
            rows = rows.replace('*', columns)
            upgraded = database.execute(rows).fetchall()
            database.executescript(';'.join(REPEAT))
            self.assertEqual(database.execute(rows).fetchall(), upgraded)
        self.assertGreater(len(upgraded), 200)
        self.assertEqual(len({row[-2:] for row in upgraded}), 3)

    def test_kill(self):
        """Whatever moment the program is killed at, alarms are those of the stored events."""
        monitor = self.busy(8)
        for _ in range(3):
            known = len(self.walk(monitor, limit=500))
            common.wait_for(lambda n=known: len(self.walk(monitor, limit=500)) > n + 8, 'alarms')
            monitor.kill()
            with self.database() as database:
                starts = [n for n, in database.execute(
                    'SELECT number FROM events WHERE active ORDER BY number DESC')]
                ends = [n for n, in database.execute(
                    'SELECT number FROM events WHERE NOT active ORDER BY number')]
                self.assertEqual([n for n, in database.execute(
                    'SELECT number FROM alarms ORDER BY number DESC')], starts)
                self.assertEqual([n for n, in database.execute(
                    'SELECT end_number FROM alarms WHERE ended NOTNULL ORDER BY 1')], ends)
            monitor.start()

    def test_full(self):
        """While events cannot be stored, alarms can be read and not acknowledged."""
        monitor = self.busy(2)
        common.wait_for(lambda: self.walk(monitor), 'alarms')
        with common.locked(monitor):
            common.wait_for(lambda: monitor.ask('/healthz').status == 503, 'trouble')
            before = self.walk(monitor)
            self.assertEqual(self.walk(monitor), before)
            answer = monitor.ask(f'/api/v1/events/acknowledge?numbers={before[0]}', 'POST')
            self.assertEqual(answer.status, 503)
            self.assertIn('Retry later', answer.json()['error'])
            self.assertEqual(self.walk(monitor, state='acknowledged'), [])
        common.wait_for(lambda: len(self.walk(monitor)) > len(before) + 2, 'later alarms')


if __name__ == '__main__':
    common.main()
