# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups of cameras, users and their roles, and what they did."""

import base64
import contextlib
import datetime
import functools
import http.client
import json
import os
import re
import shlex
import shutil
import socket
import sqlite3
import ssl
import subprocess
import time
import unittest
import urllib.parse

import broker
import common
import webhook


class Groups(common.Case):
    CONFIG = '[cameras]\ngroup={}\n[camera a]\nuri=test\n[camera b]\nuri=test\ngroup={}\n'

    def groups(self, monitor):
        return [c['group'] for c in monitor.json('cameras')]

    def info(self, monitor):
        return sorted(m for m in monitor.metrics() if 'camera_info{' in m)

    def test_reload(self):
        """A change of the group does not disturb the camera."""
        monitor = self.monitor(config=self.CONFIG.format('North gate', ''))
        for name in 'ab':
            monitor.wait_for_state(name, 'up')
        since = monitor.camera('a')['since']
        self.assertEqual(self.groups(monitor), ['North gate', ''])
        self.assertEqual(self.info(monitor), [
            'videohistogram_camera_info{camera="a",group="North gate"}',
            'videohistogram_camera_info{camera="b"}'])
        monitor.config.write_text(self.CONFIG.format('<script> & Söhne', 'b'))
        monitor.reload()
        self.assertEqual(self.groups(monitor), ['<script> & Söhne', 'b'])
        self.assertEqual(self.info(monitor)[0],
                         'videohistogram_camera_info{camera="a",group="<script> & Söhne"}')
        camera = monitor.camera('a')
        self.assertEqual((camera['since'], camera['reconnects'], camera['state']),
                         (since, 0, 'up'))

    def test_names(self):
        for name in ('a/b', 'x' * 65, 'a"b', 'a\x1b[31m', '\u202e', '..'):
            with self.subTest(name=name):
                path = self.write('monitor.conf', f'[camera a]\nuri=test\ngroup={name}\n')
                status, output = common.check('--check', '--config', str(path))
                self.assertEqual(status, 2, output)
                self.assertIn('is not a valid group name: use 1 to 64 bytes', output)
                self.assertIn('such as North gate', output)
                self.assertTrue(all(line.isprintable() for line in output.split('\n')), output)


SECRETS = {'operator': 'operators-32-characters-of-secret',
           'viewer': 'viewers-of-32-characters-secrets!'}


class Case(common.Case):
    def secure(self, more='', **options):
        for role, secret in SECRETS.items():
            self.write(role, secret + '\n')
        return self.monitor(config='[camera a]\nuri=test\n[http]\nsecret=operator\n'
                            'viewer-secret=viewer\n' + more, **options)

    def log_in(self, monitor, role, user=None, headers=()):
        """Returns the headers of the new session."""
        form = {'secret': SECRETS[role], **({} if user is None else {'user': user})}
        answer = monitor.ask('/login', 'POST', urllib.parse.urlencode(form), {
            'Content-Type': 'application/x-www-form-urlencoded', **dict(headers)})
        self.assertEqual((answer.status, answer.headers['Location']), (303, '/'), answer.text)
        return {'Cookie': answer.headers['Set-Cookie'].split(';')[0]}

    def state(self, monitor, headers=()):
        """What the stream says first."""
        with contextlib.closing(http.client.HTTPConnection('127.0.0.1', monitor.port)) as stream:
            stream.request('GET', '/events?measured=none', headers=dict(headers))
            response = stream.getresponse()
            self.assertEqual(response.status, 200)
            while True:
                line = response.fp.readline()
                if line.startswith(b'data: '):
                    return json.loads(line.removeprefix(b'data: '))

    def who(self, monitor, headers=()):
        """The user and role that the stream names."""
        state = self.state(monitor, headers)
        return state['user'], state['role']

    def bearer(self, role):
        return {'Authorization': f'Bearer {SECRETS[role]}'}


def limit(file, name):
    text = (common.HERE.parents[1] / 'src/monitor' / file).read_text()
    return int(re.search(rf'#define {name} (\d+)', text)[1])


class Users(Case):
    def test_roles(self):
        monitor = self.secure()
        paths = [(path.replace('{camera}', 'a').replace('{event}', '1'), method.upper())
                 for path, methods in monitor.ask('/api/v1/openapi.json',
                                                  headers=self.bearer('viewer')).json()[
                                                      'paths'].items()
                 for method in methods if method in ('get', 'post')]
        self.assertGreater(len(paths), 15)
        for headers in (self.bearer('viewer'), self.log_in(monitor, 'viewer', 'Vera')):
            for path, method in paths:
                if method == 'GET' and path not in ('/events', '/pictures'):
                    self.assertNotIn(monitor.ask(path, headers=headers).status, (401, 403), path)
                elif method == 'POST' and path not in ('/login', '/logout'):
                    answer = monitor.ask(path, method, headers=headers)
                    self.assertEqual(answer.status, 403, path)
                    self.assertIn('Viewers cannot change anything: log in with the secret of '
                                  'operators', answer.json()['error'])
        for method in ('PUT', 'DELETE', 'PATCH'):
            self.assertEqual(monitor.ask('/api/v1/cameras/a', method,
                                         headers=self.bearer('viewer')).status, 403)
        for headers in (self.bearer('operator'), self.log_in(monitor, 'operator')):
            self.assertEqual(monitor.ask('/api/v1/events/1/acknowledge', 'POST',
                                         headers=headers).status, 404)
        viewer = self.log_in(monitor, 'viewer')
        self.assertEqual(monitor.ask('/logout', 'POST', headers=viewer).status, 303)
        self.assertEqual(monitor.ask('/api/v1/cameras', headers=viewer).status, 401)

    def test_folders(self):
        """Operators learn where the key file is, and what has it read again. Notices have
        no folder, and for viewers not what concerns operators."""
        monitor = self.secure()
        operator, viewer = self.bearer('operator'), self.bearer('viewer')
        configuration = self.state(monitor, operator)['configuration']
        self.assertEqual(configuration['file'], str(monitor.config.resolve()))
        self.assertIsNone(self.state(monitor, viewer)['configuration'])
        monitor.config.write_text('[camera a]\nuri=test\ncredentials=none\ninterval=x\n')
        done = subprocess.run(shlex.split(configuration['reload']), capture_output=True, text=True,
                              env=common.environment_of_others(), check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        text = 'Key file not reloaded, the previous one stays in effect.'
        full = f'{text} The new one has 2 errors. The log says which.'
        for headers, notice, trouble in ((operator, full, full), (viewer, text, '')):
            self.assertEqual(self.state(monitor, headers)['trouble'], trouble)
            notices = monitor.ask('/api/v1/notices', headers=headers).json()
            self.assertEqual([n['text'] for n in notices], [notice])

    def test_names(self):
        """Names in the session survive a restart, whatever they consist of."""
        monitor = self.secure()
        self.assertEqual(self.who(monitor, self.bearer('viewer')), ('', 'viewer'))
        self.assertEqual(self.who(monitor, self.bearer('operator')), ('', 'operator'))
        names = {None: '', '': '', 'Ann': 'Ann', '  Zoë Müller ': 'Zoë Müller',
                 '</script><b>': '</script><b>', 'a\nb 99999999999 c': 'ab 99999999999 c',
                 '\u202eevil\x1b[31m': 'evil[31m', '"quoted\\': '"quoted\\', 'x' * 200: 'x' * 64,
                 'é' * 40: 'é' * 32, '%41 +': '%41 +', '\u200b\x7f': ''}
        sessions = {user: self.log_in(monitor, 'operator', user) for user in names}
        sessions['Vera'] = self.log_in(monitor, 'viewer', 'Vera')
        for restart in (False, True):
            if restart:
                monitor.stop()
                monitor.start()
            for user, shown in names.items():
                self.assertEqual(self.who(monitor, sessions[user]), (shown, 'operator'))
            self.assertEqual(self.who(monitor, sessions['Vera']), ('Vera', 'viewer'))
        # Another secret ends the sessions of its role only.
        monitor.stop()
        self.write('viewer', 'another-secret-of-viewers')
        monitor.start()
        self.assertEqual(self.who(monitor, sessions['Ann']), ('Ann', 'operator'))
        self.assertEqual(monitor.ask('/api/v1/cameras', headers=sessions['Vera']).status, 401)

    def test_sessions_of_before(self):
        """Sessions without names, of an earlier version."""
        monitor = self.secure()
        session = self.log_in(monitor, 'operator', 'Ann')
        monitor.stop()
        path = self.folder / 'state/sessions'
        first, line, *_ = path.read_text().splitlines()
        path.write_text(f'{first}\n{" ".join(line.split()[:2])}\nx\nx y z\nx y z viewer\n')
        monitor.start()
        self.assertEqual(self.who(monitor, session), ('', 'operator'))

    def test_many_viewers(self):
        """Viewers cannot end the sessions of operators by logging in again and again."""
        monitor = self.secure()
        operator = self.log_in(monitor, 'operator', 'Ann')
        most = limit('sessions.c', 'MAX_SESSIONS')
        viewers = [self.log_in(monitor, 'viewer') for _ in range(most + 1)]
        for restart in (False, True):
            if restart:
                monitor.stop()
                monitor.start()
            for headers in (operator, viewers[-1]):
                self.assertEqual(monitor.ask('/api/v1/outputs', headers=headers).status, 200)
        lines = (self.folder / 'state/sessions').read_text().splitlines()
        self.assertEqual(len(lines), 1 + 1 + most)

    def test_many_actions(self):
        """Viewers cannot push out what operators did by logging in again and again."""
        monitor = self.secure()
        self.log_in(monitor, 'operator', 'Ann')
        most = limit('storedactions.c', 'MAX_ACTIONS')
        last = most + 2 * limit('storedactions.c', 'SURPLUS_ACTIONS')
        monitor.stop()
        common.run_sql(
            monitor, 'WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n '
            f'WHERE i < {last - 1}) INSERT INTO actions (number, time, user, role, action, '
            "camera, condition, event, until) SELECT i, (SELECT time FROM actions), 'Vera', "
            "'viewer', 'login', '', '', 0, 0 FROM n")
        monitor.start()
        self.log_in(monitor, 'viewer', 'Vera')

        def count():
            with contextlib.closing(sqlite3.connect(self.folder / 'state/monitor.db')) as database:
                return dict(database.execute('SELECT role, count(*) FROM actions GROUP BY role'))

        common.wait_for(lambda: count() == {'operator': 1, 'viewer': most}, 'the limit')

    def test_without_secret(self):
        monitor = self.monitor(config='[camera a]\nuri=test\n')
        self.assertEqual(self.who(monitor), ('', 'operator'))

    def test_header(self):
        """The header counts if it comes from a proxy, and gives no rights."""
        monitor = self.secure('user-header=X-Remote-User\n')
        header = {'X-Remote-User': 'Ann'}
        self.assertEqual(monitor.ask('/api/v1/cameras', headers=header).status, 401)
        self.assertEqual(self.who(monitor, {**header, **self.bearer('viewer')}),
                         ('Ann', 'viewer'))
        session = self.log_in(monitor, 'operator', 'Zoe')
        self.assertEqual(self.who(monitor, session), ('Zoe', 'operator'))
        self.assertEqual(self.who(monitor, {**session, 'x-remote-USER': 'Ann'}),
                         ('Ann', 'operator'))
        for name, shown in (('x' * 9000, 'x' * 64), ('a\tb\x7f', 'ab'), ('%0d%0a', '%0d%0a'),
                            (b'\xff\xfeAnn', '\ufffd\ufffdAnn'), ('Zoë'.encode(), 'Zoë')):
            self.assertEqual(self.who(monitor, {**session, 'X-Remote-User': name})[0], shown)
        # A proxy that adds its header to one of the client.
        connection = http.client.HTTPConnection('127.0.0.1', monitor.port)
        connection.putrequest('GET', '/api/v1/cameras')
        for name, value in (*session.items(), *header.items(), ('X-Remote-User', 'Zoe')):
            connection.putheader(name, value)
        connection.endheaders()
        answer = common.Answer(connection.getresponse())
        self.assertEqual(answer.status, 400)
        self.assertIn('configure the proxy to replace', answer.text)

    def test_strangers_header(self):
        monitor = self.secure('user-header=X-Remote-User\ntrusted-proxies=192.0.2.7 127.0.0.2/31 '
                              '::1\n')
        session = self.log_in(monitor, 'operator', 'Zoe', {'X-Remote-User': 'Ann'})
        self.assertEqual(self.who(monitor, {**session, 'X-Remote-User': 'Ann'})[0], 'Zoe')
        for address, user in (('127.0.0.1', 'Zoe'), ('127.0.0.2', 'Ann'), ('127.0.0.3', 'Ann'),
                              ('127.0.0.4', 'Zoe')):
            with contextlib.closing(socket.create_connection(
                    ('127.0.0.1', monitor.port), source_address=(address, 0))) as s:
                s.sendall(b'GET /events HTTP/1.1\r\nHost: localhost\r\nX-Remote-User: Ann\r\n'
                          + f'Cookie: {session["Cookie"]}\r\n\r\n'.encode())
                with s.makefile('rb') as lines:
                    line = next(line for line in lines if line.startswith(b'data: '))
            self.assertEqual(json.loads(line.removeprefix(b'data: '))['user'], user, address)

    def start_nginx(self, monitor, has_users):
        """Runs the example of the guide, with users or without. Returns its port and a context for
        TLS."""
        text = (common.HERE.parents[1] / 'docs/guides/service.md').read_text()
        example = next(block for block in re.findall(r'```conf\n(.*?)```', text, re.DOTALL)
                       if 'server {' in block and ('auth_basic' in block) == has_users)
        self.certify('cert')
        users = self.write('users', ''.join(
            f'{user}:' + subprocess.run(['openssl', 'passwd', '-apr1', f'password of {user}'],
                                        capture_output=True, check=True, text=True).stdout
            for user in ('ann', 'vera')))
        port = common.free_port()
        for name, value in (
                ('listen 443 ssl', f'listen 127.0.0.1:{port} ssl'),
                ('/etc/ssl/certs/wall.pem', self.folder / 'cert.pem'),
                ('/etc/ssl/private/wall.key', self.folder / 'cert.key'),
                ('127.0.0.1:8080', f'127.0.0.1:{monitor.port}'),
                *((('/etc/nginx/cameras.users', users),
                   ('SECRET-OF-OPERATORS', SECRETS['operator']),
                   ('SECRET-OF-VIEWERS', SECRETS['viewer'])) if has_users else ())):
            self.assertIn(name, example)
            example = example.replace(name, str(value))
        folders = '\n'.join(f'{kind}_temp_path {self.folder}/{kind};' for kind in (
            'client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'))
        user = 'user root;' if os.geteuid() == 0 else ''
        self.write('nginx.conf', f'{user}daemon off;\npid {self.folder}/nginx.pid;\nevents {{}}\n'
                   f'http {{ access_log off;\n{folders}\n{example}}}\n')
        nginx = subprocess.Popen(['nginx', '-p', str(self.folder), '-c',
                                  str(self.folder / 'nginx.conf'), '-e', 'stderr'])
        self.addCleanup(nginx.wait)
        self.addCleanup(nginx.terminate)

        def is_there():
            with contextlib.suppress(OSError):
                return socket.create_connection(('127.0.0.1', port)).close() or True

        common.wait_for(is_there, 'nginx')
        return port, ssl.create_default_context(cafile=self.folder / 'cert.pem')

    @unittest.skipUnless(shutil.which('nginx') and shutil.which('openssl'),
                         'there is no nginx or no openssl')
    def test_nginx(self):
        """The example without users: streams are not held back, and people can log in."""
        monitor = self.secure('hosts=wall.example.org\n')
        port, context = self.start_nginx(monitor, False)
        host = f'wall.example.org:{port}'

        def ask(path, method='GET', body=None, headers=()):
            connection = http.client.HTTPSConnection('127.0.0.1', port, context=context)
            self.addCleanup(connection.close)
            connection.request(method, path, body, {'Host': host, **dict(headers)})
            return connection.getresponse()

        answer = ask('/login', 'POST', urllib.parse.urlencode({'secret': SECRETS['operator']}), {
            'Origin': f'https://{host}', 'Content-Type': 'application/x-www-form-urlencoded'})
        self.assertEqual((answer.status, answer.headers['Location']), (303, '/'))
        session = {'Cookie': answer.headers['Set-Cookie'].split(';')[0]}
        self.assertEqual(ask('/', headers=session).status, 200)
        stream = ask('/events', headers=session)
        self.assertTrue(next(line for line in stream if line.startswith(b'data: ')))
        stream = ask('/pictures', headers=session)
        for _ in range(2):
            head = json.loads(stream.readline())
            self.assertEqual(len(stream.read(head['bytes'])), head['bytes'])
        stream.close()
        self.assertEqual(ask('/events').status, 401)

    @unittest.skipUnless(shutil.which('nginx') and shutil.which('openssl'),
                         'there is no nginx or no openssl')
    def test_nginx_with_users(self):
        """The example with users in a file."""
        monitor = self.secure('user-header=X-Remote-User\nhosts=wall.example.org\n')
        port, context = self.start_nginx(monitor, True)

        def ask(path, user, method='GET', **headers):
            token = base64.b64encode(f'{user}:password of {user}'.encode()).decode()
            host = f'wall.example.org:{port}'
            connection = http.client.HTTPSConnection('127.0.0.1', port, context=context)
            connection.request(method, path, headers={
                'Host': host, **({'Origin': f'https://{host}'} if method == 'POST' else {}),
                **({'Authorization': f'Basic {token}'} if user else {}), **headers})
            return connection.getresponse()

        # A header of the client does not get through, whatever its name looks like.
        for user, role in (('ann', 'operator'), ('vera', 'viewer')):
            stream = ask('/events', user, **{'X-Remote-User': 'zoe', 'X_Remote_User': 'zoe'})
            line = next(line for line in stream if line.startswith(b'data: '))
            data = json.loads(line.removeprefix(b'data: '))
            self.assertEqual((data['user'], data['role'], data['login']), (user, role, False))
            self.assertEqual(ask('/', user).status, 200)
            self.assertEqual(ask('/api/v1/events/1/acknowledge', user, 'POST').status,
                             404 if role == 'operator' else 403)
        self.assertEqual(ask('/', None).status, 401)
        self.assertEqual(ask('/', 'zoe').status, 401)

    def test_settings(self):
        self.write('short', 'short\n')
        self.write('same', SECRETS['operator'])
        self.write('also', SECRETS['operator'])
        for lines, error in (
                ('viewer-secret=same', 'has viewer-secret without secret: set secret=FILE as well'),
                ('secret=same\nviewer-secret=also', 'the same viewer-secret and secret: write '
                 'another password into one of the files'),
                ('secret=same\nviewer-secret=short', 'must have at least 16 characters'),
                ('user-header=X Remote', 'is not a header for the name of a user: set one that '
                 'your proxy overwrites in every request, such as X-Remote-User'),
                ('user-header=Cookie', 'is not a header for the name of a user'),
                ('user-header=' + 'x' * 65, 'is not a header for the name of a user'),
                ('trusted-proxies=192.0.2.7', 'trusted-proxies without user-header: name the '
                 'header in which they send the user, such as user-header=X-Remote-User'),
                ('user-header=X-User\ntrusted-proxies=proxy.example', '"proxy.example" is not an '
                 'address or network: set addresses such as 192.0.2.7'),
                ('user-header=X-User\ntrusted-proxies=192.0.2.7/33', 'not an address or network'),
                ('user-header=X-User\ntrusted-proxies=', 'no address: set those of your proxies')):
            with self.subTest(lines=lines):
                path = self.write('monitor.conf', f'[camera a]\nuri=test\n[http]\n{lines}\n')
                status, output = common.check('--check', '--config', str(path))
                self.assertEqual(status, 2, output)
                self.assertIn(error, output)

LOST = '[camera a]\nuri=rtsp://127.0.0.1:1/a\n'
RULES = '[cameras]\nrules=signal-loss,enter=0.5,leave=0.3\nconditions=signal-loss\n'


class Quiet(Case):
    """What is quiet is stored, and sent to nobody."""

    def setUp(self):
        super().setUp()
        self.write('key', webhook.SECRET + '\n')
        self.server = webhook.Server(self)
        self.hook = (f'[webhook ops]\nurl=http://127.0.0.1:{self.server.port}/\nsecret=key\n')

    def start(self, cameras, more=''):
        for role, secret in SECRETS.items():
            self.write(role, secret + '\n')
        self.more = f'[http]\nsecret=operator\n{self.hook}{more}'
        monitor = self.monitor(config=RULES + cameras + self.more)
        self.session = self.log_in(monitor, 'operator', 'Ann')
        monitor.ask = functools.partial(self.ask, monitor, monitor.ask)
        return monitor

    def ask(self, monitor, ask, path, method='GET', body=None, headers=()):
        return ask(path, method, body, {**self.session, **dict(headers)})

    def post(self, monitor, path):
        answer = monitor.ask(f'/api/v1/{path}', 'POST')
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json()

    def wait_for_events(self, monitor, *expected):
        """@expected are (active, quiet) of all events."""
        def are_there():
            events = common.all_events(monitor)
            return [(e['active'], e['quiet']) for e in events] == list(expected) and events
        return common.wait_for(are_there, expected)

    def wait_for_posts(self, *numbers):
        """Waits for the posts, and that no others are on their way."""
        common.wait_for(lambda: self.server.numbers() == list(numbers), numbers)

    def nothing_waits(self, monitor, delivered):
        self.assertEqual({k: v for k, v in monitor.output_named('webhook ops').items()
                          if k in ('queued', 'delivered', 'dead')},
                         {'queued': 0, 'delivered': delivered, 'dead': 0})

    def test_snooze(self):
        broker_ = broker.Broker(self) if broker.is_there() else None
        mqtt = f'[mqtt]\nbroker=mqtt://127.0.0.1:{broker_.port}\n' if broker_ else ''
        listener = broker.Subscriber(self, broker_.port, '#') if broker_ else None
        state = 'videohistogram/onvif-ej/VideoSource/SignalLoss/&a'

        def wait_for_state(active):
            if listener:
                listener.wait_for_state(state, active)

        monitor = self.start(LOST, mqtt)
        self.wait_for_events(monitor, (True, False))
        self.wait_for_posts(1)
        wait_for_state(True)
        self.assertEqual(monitor.camera('a')['severity'], 'lost')

        until = int(time.time()) + 3600
        camera = self.post(monitor, f'cameras/a/snooze?until={until}&note='
                           + urllib.parse.quote('ä' * 150))
        shown = {'until': datetime.datetime.fromtimestamp(until, datetime.timezone.utc).strftime(
            '%Y-%m-%dT%H:%M:%S.000Z'), 'by': 'Ann', 'note': 'ä' * 98 + '…'}
        self.assertEqual(camera['snoozed'], {**shown, 'condition': None})
        self.assertEqual(camera['conditions'][0]['quiet'], shown)
        events = self.wait_for_events(monitor, (True, False), (False, False), (True, True))
        self.assertEqual(events[1]['reason'],
                         f'snoozed until {shown["until"]} by Ann: {shown["note"]}')
        self.wait_for_posts(1, 2)
        wait_for_state(False)
        camera = monitor.camera('a')
        self.assertEqual(camera['severity'], '')
        self.assertTrue(camera['conditions'][0]['active'])
        metrics = monitor.metrics()
        labels = '{camera="a",condition="signal-loss"}'
        self.assertEqual(metrics[f'videohistogram_health_state{labels}'], 1)
        self.assertEqual(metrics[f'videohistogram_health_quiet{labels}'], 1)
        self.assertEqual([a['quiet'] for a in monitor.json('alarms')['alarms']], [True, False])

        # What was delivered but not noted is delivered again after kill -9.
        for output in ('webhook ops', *(['mqtt'] if listener else [])):
            common.wait_for(lambda o=output: common.progress(monitor, o) >= 2, output)
        # It survives kill -9, and reloads with and without a restart of the camera.
        monitor.kill()
        monitor.start()
        for lines in (LOST, LOST + 'group=b\n', LOST + 'timeout=11\n'):
            monitor.config.write_text(RULES + lines + self.more)
            monitor.reload()
            common.wait_for(lambda: monitor.camera('a')['snoozed'] == {
                **shown, 'condition': None}, 'the snooze')
        self.wait_for_events(monitor, (True, False), (False, False), (True, True))
        self.nothing_waits(monitor, 0)

        camera = self.post(monitor, 'cameras/a/unsnooze')
        self.assertIsNone(camera['snoozed'])
        events = self.wait_for_events(monitor, (True, False), (False, False), (True, True),
                                      (False, True), (True, False))
        self.assertEqual(events[3]['reason'],
                         'the snooze is over; the alarm goes on and is no longer quiet')
        begun = events[0]['since']
        cause = events[0]['reason']
        self.assertTrue(cause)
        self.assertTrue(events[2]['reason'].startswith(f'{cause}; snoozed until '))
        self.assertEqual(events[4]['reason'],
                         f'{cause}; still active since {begun}: it is no longer quiet')
        self.assertEqual(events[4]['advice'], events[0]['advice'])
        self.assertRegex(monitor.output(), r'no longer quiet after .*: the snooze is over\n')
        self.assertNotRegex(monitor.output(), r' (since|until) \S+Z')
        self.assertEqual([e['active_since'] for e in events], [None, None, begun, None, begun])
        self.assertEqual(monitor.camera('a')['active'][0]['active_since'], begun)
        self.wait_for_posts(1, 2, 5)
        wait_for_state(True)
        self.assertEqual(monitor.camera('a')['severity'], 'lost')
        if listener:
            self.assertEqual([json.loads(p)['number'] for p in listener.all(
                'videohistogram/events/a')], [1, 2, 5])

        self.post(monitor, 'events/5/acknowledge?note=' + urllib.parse.quote(
            ' the cleaner\n is <b>on</b> the ladder\u202e '))
        self.post(monitor, 'events/5/unacknowledge')
        self.assertEqual([(a['action'], a['user'], a['role'], a['camera'], a['condition'],
                           a['event'], a['until'], a['note']) for a in monitor.json('actions')], [
            ('unacknowledge', 'Ann', 'operator', 'a', 'signal-loss', 5, None, ''),
            ('acknowledge', 'Ann', 'operator', 'a', 'signal-loss', 5, None,
             'the cleaner is <b>on</b> the ladder'),
            ('unsnooze', 'Ann', 'operator', 'a', '', None, None, ''),
            ('snooze', 'Ann', 'operator', 'a', '', None, shown['until'], 'ä' * 98 + '…'),
            ('login', 'Ann', 'operator', '', '', None, None, '')])
        numbers = [a['number'] for a in monitor.json('actions?camera=a')]
        self.assertEqual(len(numbers), 4)
        self.assertEqual([a['number'] for a in monitor.json(
            f'actions?camera=a&limit=2&before={numbers[0]}')], numbers[1:3])

    def test_removed(self):
        """Removing a camera ends its snoozes, whether the program runs or not: another camera of
        this name is not quiet."""
        rest = '[camera b]\nuri=test\n'
        monitor = self.start(LOST + rest)

        def stored():
            with contextlib.closing(sqlite3.connect(self.folder / 'state/monitor.db')) as database:
                return [name for name, in database.execute('SELECT camera FROM snoozes')]

        def snooze():
            for name in 'ab':
                self.post(monitor, f'cameras/{name}/snooze?until={int(time.time()) + 3600}')
            self.assertEqual(sorted(stored()), ['a', 'b'])

        def configure(cameras):
            monitor.config.write_text(RULES + cameras + self.more)

        snooze()
        configure(rest)
        monitor.reload()
        common.wait_for(lambda: stored() == ['b'], 'the end of the snoozes')
        configure(LOST + rest)
        monitor.reload()
        monitor.wait_for_state('b', 'up')
        self.assertIsNone(monitor.camera('a')['snoozed'])
        snooze()
        monitor.kill()
        configure(rest)
        monitor.start()
        common.wait_for(lambda: stored() == ['b'], 'the end of the snoozes')
        self.assertTrue(monitor.camera('b')['snoozed'])

    def test_longer(self):
        """The end of a snooze does not delete a longer one that was stored before it ended."""
        monitor = self.start(LOST)
        self.post(monitor, f'cameras/a/snooze?until={int(time.time()) + 4}')
        common.run_sql(monitor, 'UPDATE snoozes SET until = until + 3600000000')
        common.wait_for(lambda: not monitor.camera('a')['snoozed'], 'the end')
        # It is stored after the end.
        self.post(monitor, 'cameras/a/unsnooze?condition=dark')
        with contextlib.closing(sqlite3.connect(self.folder / 'state/monitor.db')) as database:
            self.assertEqual(len(list(database.execute('SELECT * FROM snoozes'))), 1)

    def test_end(self):
        """What is still active when the snooze of a condition ends is sent once, even if the
        program does not run then."""
        monitor = self.start(LOST)
        self.wait_for_events(monitor, (True, False))
        condition = 'condition=signal-loss'
        self.post(monitor, f'cameras/a/snooze?until={int(time.time()) + 5}&{condition}')
        self.wait_for_events(monitor, (True, False), (False, False), (True, True), (False, True),
                             (True, False))
        self.wait_for_posts(1, 2, 5)
        self.assertIsNone(monitor.camera('a')['conditions'][0]['quiet'])
        self.post(monitor, f'cameras/a/snooze?until={int(time.time()) + 3600}&{condition}')
        common.wait_for(lambda: len(common.all_events(monitor)) == 7, 'quiet again')
        self.wait_for_posts(1, 2, 5, 6)
        monitor.stop()
        common.run_sql(monitor, f'UPDATE snoozes SET until = {int(time.time()) * 1000000}')
        for _ in range(2):
            monitor.start()
            self.wait_for_posts(1, 2, 5, 6, 9)
            self.assertEqual([e['reason'] for e in common.all_events(monitor)][3::4], [
                'the snooze is over; the alarm goes on and is no longer quiet'] * 2)
            monitor.stop()
        with contextlib.closing(sqlite3.connect(self.folder / 'state/monitor.db')) as database:
            self.assertEqual(list(database.execute('SELECT * FROM snoozes')), [])

    def test_schedule(self):
        """What starts and ends while it is quiet is sent to nobody."""
        path = self.write('camera.avi', '')
        camera = f'[camera a]\nuri={path}\n'
        monitor = self.start(camera + 'quiet=*@00:00-24:00\n')
        self.wait_for_events(monitor, (True, True))
        self.assertEqual(monitor.camera('a')['conditions'][0]['quiet']['by'], 'schedule')
        self.assertIsNone(monitor.camera('a')['snoozed'])
        self.assertEqual(monitor.camera('a')['severity'], '')
        self.clip(300, rate='5/1').rename(path)
        self.wait_for_events(monitor, (True, True), (False, True))
        self.nothing_waits(monitor, 0)
        # A reload without the schedule takes effect without a reconnect, and has nothing to send.
        monitor.wait_for_state('a', 'up')
        reconnects = monitor.camera('a')['reconnects']
        monitor.config.write_text(RULES + camera + self.more)
        monitor.reload()
        common.wait_for(lambda: not monitor.camera('a')['conditions'][0]['quiet'], 'no schedule')
        self.assertEqual(monitor.camera('a')['reconnects'], reconnects)
        self.nothing_waits(monitor, 0)
        self.assertEqual(self.server.posts, [])
        self.assertIn('camera a: quiet: no video', monitor.output())

    def test_reload(self):
        """A schedule that comes and goes; cameras of one host that are quiet are no outage."""
        cameras = '[camera a]\nuri=rtsp://127.0.0.1:1/a\n{}[camera b]\nuri=rtsp://127.0.0.1:1/b\n'
        monitor = self.start(cameras.format('quiet=signal-loss@00:00-24:00\n'))
        common.wait_for(lambda: len(common.all_events(monitor)) == 2, 'two losses')
        events = {e['camera']: e for e in common.all_events(monitor)}
        self.assertEqual([events[name]['quiet'] for name in 'ab'], [True, False])
        self.assertIsNone(events['b']['outage'])
        self.wait_for_posts(events['b']['number'])
        monitor.config.write_text(RULES + cameras.format('') + self.more)
        monitor.reload()
        self.wait_for_posts(events['b']['number'], 4)
        self.assertEqual(common.all_events(monitor)[2]['reason'],
                         'the quiet hours are over; the alarm goes on and is no longer quiet')
        monitor.config.write_text(RULES + cameras.format('quiet=*@00:00-24:00\n') + self.more)
        monitor.reload()
        self.wait_for_posts(events['b']['number'], 4, 5)
        # The end of what nobody was told is not sent either.
        monitor.config.write_text(RULES + cameras.partition('[camera b]')[1]
                                  + cameras.partition('[camera b]')[2] + self.more)
        monitor.reload()
        common.wait_for(lambda: len(common.all_events(monitor)) == 7, 'the end')
        self.assertTrue(common.all_events(monitor)[6]['quiet'])
        self.nothing_waits(monitor, 3)

    def test_refused(self):
        monitor = self.start(LOST)
        now = int(time.time())
        for query, error in (
                ('', 'send the end of the snooze in seconds since 1970'),
                (f'?until={now - 1}', 'in the future and at most 366 days from now'),
                (f'?until={now + 400 * 86400}', 'at most 366 days'), ('?until=x', 'whole number'),
                ('?until=-1', 'whole number'), (f'?until={now + 60}&until=1', 'repeated'),
                (f'?until={now + 60}&condition=drak', 'did you mean dark?'),
                (f'?until={now + 60}&condition=', 'is not a condition'),
                (f'?until={now + 60}&condition=</b>', 'is not a condition'),
                (f'?until={now + 60}&user=Zoe', 'Unknown parameter')):
            answer = monitor.ask(f'/api/v1/cameras/a/snooze{query}', 'POST')
            self.assertEqual(answer.status, 400, query)
            self.assertIn(error, answer.json()['error'])
        self.assertEqual(monitor.ask('/api/v1/cameras/b/unsnooze', 'POST').status, 404)
        self.assertEqual(monitor.json('actions?limit=10')[0]['action'], 'login')
        self.assertEqual(len(monitor.json('actions')), 1)

    def test_not_stored(self):
        """A snooze that would not survive a restart is refused."""
        monitor = self.start(LOST)
        self.wait_for_events(monitor, (True, False))
        with common.locked(monitor):
            answer = monitor.ask(f'/api/v1/cameras/a/snooze?until={int(time.time()) + 3600}',
                                 'POST')
            self.assertEqual(answer.status, 503)
            self.assertIn('Retry later', answer.json()['error'])
        self.assertIsNone(monitor.camera('a')['snoozed'])
        self.assertIsNone(monitor.camera('a')['conditions'][0]['quiet'])

    def test_check(self):
        path = self.write('monitor.conf', '[cameras]\nquiet=dark@22-06\n[camera a]\nuri=test\n'
                          'quiet=drak@22:00-06:00,*@06:00-06:00\n[camera b]\nuri=test\nquiet=\n')
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 2)
        for line in (':2: [cameras] quiet: "dark@22-06" is not CONDITION@HH:MM-HH:MM: set, for '
                     'example, dark@22:00-06:00, or *@12:00-13:00 for all conditions',
                     ':5: [camera a] quiet: "drak" is not a condition (did you mean dark?): set a '
                     'condition, such as dark@22:00-06:00, or * for all',
                     ':5: [camera a] quiet: "*@06:00-06:00" ends when it starts: for the whole '
                     'day, set 00:00-24:00'):
            self.assertIn(line, output)


if __name__ == '__main__':
    common.main()
