# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups of cameras, users and their roles, and what they did."""

import base64
import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import unittest
import urllib.parse

import common


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


class Users(common.Case):
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

    def who(self, monitor, headers=()):
        """The user and role that the stream names."""
        with contextlib.closing(http.client.HTTPConnection('127.0.0.1', monitor.port)) as stream:
            stream.request('GET', '/events?measured=none', headers=dict(headers))
            response = stream.getresponse()
            self.assertEqual(response.status, 200)
            while True:
                line = response.fp.readline()
                if line.startswith(b'data: '):
                    data = json.loads(line.removeprefix(b'data: '))
                    return data['user'], data['role']

    def bearer(self, role):
        return {'Authorization': f'Bearer {SECRETS[role]}'}

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
                if method == 'GET' and path != '/events':
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
        path.write_text(f'{first}\n{line.rpartition(" ")[0]}\nx\nx y z\n')
        monitor.start()
        self.assertEqual(self.who(monitor, session), ('', 'operator'))

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

    @unittest.skipUnless(shutil.which('nginx') and shutil.which('openssl'),
                         'there is no nginx or no openssl')
    def test_nginx(self):
        """The example of the guide, with users in a file."""
        text = (common.HERE.parents[1] / 'docs/guides/service.md').read_text()
        example = next(block for block in re.findall(r'```conf\n(.*?)```', text, re.DOTALL)
                       if 'auth_basic' in block)
        monitor = self.secure('user-header=X-Remote-User\nhosts=wall.example.org\n')
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
                ('/etc/nginx/cameras.users', users),
                ('SECRET-OF-OPERATORS', SECRETS['operator']),
                ('SECRET-OF-VIEWERS', SECRETS['viewer']),
                ('127.0.0.1:8080', f'127.0.0.1:{monitor.port}')):
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
        context = ssl.create_default_context(cafile=self.folder / 'cert.pem')

        def ask(path, user, method='GET', **headers):
            token = base64.b64encode(f'{user}:password of {user}'.encode()).decode()
            host = f'wall.example.org:{port}'
            connection = http.client.HTTPSConnection('127.0.0.1', port, context=context)
            connection.request(method, path, headers={
                'Host': host, **({'Origin': f'https://{host}'} if method == 'POST' else {}),
                **({'Authorization': f'Basic {token}'} if user else {}), **headers})
            return connection.getresponse()

        def is_there():
            with contextlib.suppress(OSError):
                return socket.create_connection(('127.0.0.1', port)).close() or True

        common.wait_for(is_there, 'nginx')
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


if __name__ == '__main__':
    common.main()
