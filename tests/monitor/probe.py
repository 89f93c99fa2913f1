#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command that tries a camera, with servers as users have them."""

import contextlib
import http.server
import re
import socket
import socketserver
import ssl
import subprocess
import threading

import common
import rtsp


class Handler(http.server.BaseHTTPRequestHandler):
    """A camera that speaks HTTP."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path.startswith('/again'):
            self.send_response(302)
            self.send_header('Location', self.path + 'x')
            self.end_headers()
        elif self.path == '/jpeg':
            self.send_jpeg()
        elif self.path in self.server.files:
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(self.server.files[self.path])
        elif self.path == '/evil':
            self.send_response(418, '\x1b[2J/etc/secret ' + 60000 * 'R')
            self.end_headers()
        elif self.path == '/busy':
            self.send_response(503, 'Evil')
            self.end_headers()
        elif self.path == '/part':
            self.send_response(200)
            self.send_header('Content-Type', 'multipart/x-mixed-replace; boundary=x')
            self.end_headers()
            self.wfile.write(b'--x\r\nContent-Type: image/' + 2000 * b'e'
                             + b'\r\nContent-Length: 3\r\n\r\nabc\r\n--x\r\n')
        elif self.path == '/private':
            self.send_response(401)
            self.send_header('WWW-Authenticate', 'Basic realm="\x1b[31mx"')
            self.end_headers()
        else:
            self.send_error(404)

    def send_jpeg(self):
        self.send_response(200)
        self.send_header('Content-Type', 'multipart/x-mixed-replace; boundary=x')
        self.end_headers()
        picture = self.server.files['picture']
        with contextlib.suppress(OSError):
            while not self.server.ends.wait(0.1):
                self.wfile.write(b'--x\r\nContent-Type: image/jpeg\r\nContent-Length: '
                                 + str(len(picture)).encode() + b'\r\n\r\n' + picture + b'\r\n')


class Probe(common.Case):
    def probe(self, *arguments, password=''):
        done = subprocess.run([common.PROGRAM, 'probe', *map(str, arguments)], input=password,
                              capture_output=True, text=True, timeout=common.MAX_WAIT_SECONDS,
                              check=False, start_new_session=True)
        said = common.without_known_leaks(done.stdout + done.stderr)
        self.assertIsNone(re.search('[\x00-\x09\x0b-\x1f\x7f]', said), said)
        return done.returncode, said

    def serve(self, certificate=None, **files):
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        server.files = {'/' + name: data for name, data in files.items() if name != 'picture'}
        server.files['picture'] = files.get('picture')
        server.ends = threading.Event()
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.folder / f'{certificate}.pem',
                                    self.folder / f'{certificate}.key')
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.addCleanup(server.ends.set)
        return f'{"https" if certificate else "http"}://127.0.0.1:{server.server_port}'

    def make(self, name, *pipeline):
        path = self.folder / name
        subprocess.run(['gst-launch-1.0', '-q', *' '.join(pipeline).split(), '!', 'filesink',
                        f'location={path}'], check=True, env=common.environment_of_others())
        return path

    def facts(self, said):
        """The report as {label: text}."""
        return dict(re.findall(r'^([a-z ]+): +(.*)$', said, re.MULTILINE))

    def check_failure(self, source, reason, cure, *arguments, **options):
        status, said = self.probe(source, *arguments, **options)
        self.assertEqual(status, 1, said)
        facts = self.facts(said)
        self.assertIn(reason, facts['no picture'])
        self.assertIn(cure, facts['what to do'])
        self.assertNotIn('[camera', said)
        # There is no key file yet.
        self.assertNotRegex(facts['no picture'], r'\b(uri|credentials)\b')
        return facts

    def check_group(self, said):
        """The printed group is a valid key file, as it is."""
        text = said.partition('For the key file:\n')[2]
        self.write('probed.conf', text)
        status, told = common.check('--check', '--config', str(self.folder / 'probed.conf'))
        self.assertEqual(status, 0, told + text)
        self.assertNotIn('warning', told)


class Refusing(socketserver.StreamRequestHandler):
    """An RTSP camera that describes no stream, but answers with the status, or with the
    description, of its server."""

    def handle(self):
        while line := self.rfile.readline().decode():
            headers = dict(iter(lambda: tuple(h.decode().rstrip().split(': ', 1)) if
                                (h := self.rfile.readline()).strip() else None, None))
            answer = self.server.status if line.startswith('DESCRIBE') else '200 OK'
            body = self.server.body if line.startswith('DESCRIBE') else ''
            self.wfile.write(f'RTSP/1.0 {answer}\r\nCSeq: {headers["CSeq"]}\r\n'
                             'Public: OPTIONS, DESCRIBE, SETUP, PLAY\r\n'
                             'Content-Type: application/sdp\r\n'
                             f'Content-Length: {len(body)}\r\n\r\n{body}'.encode())


class Files(Probe):
    VIDEO = ('videotestsrc num-buffers=100 ! video/x-raw,width=320,height=240,framerate=10/1 !')

    def test_example(self):
        """The example in the docs has the form of a report."""
        page = (common.HERE.parents[1] / 'docs/monitor.md').read_text()
        example = re.search(
            r"\$ videohistogram-monitor probe ([^\n]+)\nPassword:\n(.*?)```", page, re.DOTALL)
        path = self.make('a.mkv', self.VIDEO, 'x264enc key-int-max=10 ! h264parse ! matroskamux')
        status, said = self.probe(path)
        self.assertEqual(status, 0, said)
        known = self.facts(example[2])
        facts = self.facts(said)
        self.assertEqual([k for k in known if k != 'transport'], list(facts))
        self.assertTrue(facts['codec'].startswith('H.264, profile '))
        self.assertEqual(facts['size'], '320x240')
        self.assertEqual(facts['key frames'], 'every 1 s')
        self.assertTrue(8 < float(facts['rate'].split()[0]) < 12, facts)
        self.assertIn(f'uri={path.as_uri()}\n', said)
        self.check_group(said)

    def test_long_name(self):
        """Long names are cut, but not within a character."""
        path = self.make('a.mkv', self.VIDEO, 'x264enc key-int-max=10 ! h264parse ! matroskamux')
        for name in ('x' + 'é' * 30, 'é' * 30, '€' * 20):
            path.rename(path.with_name(name))
            path = path.with_name(name)
            status, said = self.probe(f'file://{path}')
            self.assertEqual(status, 0, said)
            shown = re.search(r'\[camera (.*)\]', said)[1]
            self.assertTrue(name.startswith(shown), shown)
            self.assertIn(len(shown.encode()), (39, 40))
            self.check_group(said)

    def test_substream(self):
        """Both streams are tried, and the group has both."""
        paths = [self.make(name, 'videotestsrc num-buffers=50 ! '
                           f'video/x-raw,width={width},height=240,framerate=10/1 ! '
                           'x264enc key-int-max=10 ! h264parse ! matroskamux')
                 for name, width in (('main.mkv', 640), ('sub.mkv', 320))]
        status, said = self.probe(paths[0], f'--substream={paths[1]}')
        self.assertEqual(status, 0, said)
        main, sub = said.split('For the key file')[0].split('sub-stream:')
        self.assertEqual([self.facts(part)['size'] for part in (main, sub)],
                         ['640x240', '320x240'])
        self.assertIn(f'uri={paths[0].as_uri()}\nsubstream={paths[1].as_uri()}\n', said)
        self.check_group(said)
        status, said = self.probe(paths[0], '--substream=nothing.mkv')
        self.assertEqual(status, 2, said)

    def test_far_key_frames(self):
        path = self.make('a.mkv', self.VIDEO, 'x264enc key-int-max=1000 ! h264parse ! matroskamux')
        status, said = self.probe(path)
        self.assertEqual(status, 0, said)
        self.assertIn('Set the camera to send one every', self.facts(said)['advice'])

    def test_h265(self):
        if subprocess.run(['gst-inspect-1.0', '--exists', 'x265enc'], check=False,
                          env=common.environment_of_others()).returncode:
            self.skipTest('there is no x265enc')
        path = self.make('a.mkv', self.VIDEO,
                         'x265enc key-int-max=10 ! h265parse ! matroskamux')
        status, said = self.probe(path)
        self.assertEqual(status, 0, said)
        self.assertTrue(self.facts(said)['codec'].startswith('H.265, profile main'), said)

    def test_sound(self):
        path = self.make('a.ogg', 'audiotestsrc num-buffers=99 ! audioconvert ! vorbisenc ! '
                         'oggmux')
        self.check_failure(path, 'contains no video', 'sound only')

    def test_arguments(self):
        for arguments, words in (
                ((), 'name one source'), (('a', 'b'), 'name one source'),
                (('test', '--transport=pigeon'), 'auto, tcp or udp'),
                (('test', '--timeout=0'), '1 to 300'), (('test', '--timeout=nan'), '1 to 300'),
                (('rtsp://u:pass-word@h/',), '--user=NAME'), (('rtsp://h/\x1b[31m',), 'control'),
                (('rtsp://h/\n[camera x]',), 'control'), (('rtsp://h/\x9b31m',), 'control'),
                (('test', '--user=a\n[camera b]'), 'user contains'),
                (('nothing.mkv',), 'neither an address nor a file'),
                (('test', '--user=a', '--credentials=b'), 'not both'),
                (('test', '--credentials=nothing'), 'nothing'), (('test', '--nonsense'), 'help')):
            status, said = self.probe(*arguments)
            self.assertEqual(status, 2, said)
            self.assertIn(words, said)
            self.assertNotIn('pass-word', said)
        status, said = self.probe('--help')
        self.assertEqual(status, 0, said)
        for option in ('--user', '--credentials', '--transport', '--timeout', 'Exit status'):
            self.assertIn(option, said)


class Http(Probe):
    def test_jpeg(self):
        picture = self.make('a.jpg', 'videotestsrc num-buffers=1 ! '
                            'video/x-raw,width=320,height=240 ! jpegenc').read_bytes()
        status, said = self.probe(self.serve(picture=picture) + '/jpeg')
        self.assertEqual(status, 0, said)
        facts = self.facts(said)
        self.assertEqual((facts['codec'], facts['key frames']), ('JPEG', 'all frames'))
        self.check_group(said)

    def test_transport_stream(self):
        path = self.make('a.ts', Files.VIDEO, 'x264enc key-int-max=10 ! mpegtsmux')
        status, said = self.probe(self.serve(stream=path.read_bytes()) + '/stream')
        # What came so fast is over before it is measured, and cameras do not end.
        facts = self.facts(said)
        self.assertTrue(facts['codec'].startswith('H.264'), said)
        self.assertEqual(facts['size'], '320x240')

    def test_failures(self):
        server = self.serve(page=b'<html>a page</html>' * 100)
        self.check_failure(server + '/nothing', 'no stream at this path', 'manual')
        self.check_failure(server + '/private', 'asks for a user name', '--user=NAME')
        self.check_failure(server + '/private', 'rejected the user name', 'Check both',
                           '--user=me', password='wrong\n')
        self.check_failure(server + '/page', 'instead of video', 'browser')
        self.check_failure(server + '/again', 'another address', 'redirects', '--timeout=5')

    def test_reasons(self):
        """A server's own words are not shown, and no reason is long."""
        server = self.serve()
        facts = self.check_failure(server + '/evil', 'does not accept the request (status 418)',
                                   'manual')
        self.assertNotIn('RR', str(facts))
        self.assertNotIn('secret', str(facts))
        self.check_failure(server + '/busy', 'too many clients are connected (503 Service', 'raise')
        facts = self.check_failure(server + '/part', 'image/ee', '')
        self.assertLessEqual(len(facts['no picture'].encode()), 200)

    def test_cure_of_each_error(self):
        """Whatever a camera sends too much of, there is a row with what to do."""
        sources = common.HERE.parents[1] / 'src/monitor'
        rows = re.findall(r'^  {"(.*?)", ', (sources / 'cures.c').read_text(),
                          re.MULTILINE)
        self.assertGreater(len(rows), 15)
        found = {}
        for path in sources.glob('*.c'):
            for code, text in re.findall(r'vhm_intake_fail \(\w+, (VHM_INTAKE_ERROR_\w+),\s+'
                                         r'((?:"[^"]*"\s*)+)', path.read_text()):
                found[code] = ''.join(re.findall('"([^"]*)"', text))
        codes = re.findall(r'^  (VHM_INTAKE_ERROR_\w+),', (
            sources / 'intakeerror.h').read_text(), re.MULTILINE)
        self.assertEqual(sorted(found), sorted(codes))
        for code, text in found.items():
            with self.subTest(code=code, text=text):
                self.assertTrue(any(row in text for row in rows))

    def test_certificate(self):
        self.certify('own')
        server = self.serve('own')
        self.check_failure(server + '/jpeg', 'certificate', 'authority')


class Rtsp(Probe):
    def test_streams(self):
        for arguments, transport in (((), 'UDP'), (('--transport=tcp',), 'TCP')):
            server = rtsp.Server(self, 'h264')
            status, said = self.probe(server.uri(), *arguments)
            self.assertEqual(status, 0, said)
            facts = self.facts(said)
            self.assertEqual((facts['transport'], facts['size']), (transport, '320x240'))
            self.assertTrue(facts['codec'].startswith('H.264'), said)
            self.assertEqual('transport=tcp' in said, transport == 'TCP')
            self.check_group(said)

    def test_blocked_packets(self):
        """The packets go to another port, as if a firewall dropped them."""
        server = rtsp.Server(self, 'h264')
        proxy = common.Proxy(self, server.port, lambda data: re.sub(
            rb'(SETUP.*client_port=)[0-9-]+', rb'\g<1>9-10', data, flags=re.DOTALL))
        status, said = self.probe(f'rtsp://127.0.0.1:{proxy.port}/stream', '--timeout=20')
        self.assertEqual(status, 0, said)
        self.assertEqual(self.facts(said)['transport'], 'TCP')
        self.assertIn('Nothing arrived over UDP', said)
        self.assertIn('\ntransport=tcp\n', said)
        self.check_failure(f'rtsp://127.0.0.1:{proxy.port}/stream', 'over UDP', '--transport=tcp',
                           '--timeout=20', '--transport=udp')

    def test_log_in(self):
        server = rtsp.Server(self, login='me:right-password')
        secret = self.write('camera.secret', 'me:right-password\n')
        status, said = self.probe(server.uri(), f'--credentials={secret}')
        self.assertEqual(status, 0, said)
        self.assertIn(f'credentials={secret}\n', said)
        self.check_group(said)
        status, said = self.probe(server.uri(), '--user=me', password='right-password\n')
        self.assertEqual(status, 0, said)
        self.assertNotIn('right-password', said)
        self.check_failure(server.uri(), 'asks for a user name', '--user=NAME')
        self.check_failure(server.uri(), 'rejected the user name', 'Check both', '--user=me',
                           password='wrong\n')

    def test_answers(self):
        """Each answer that is not a stream is explained, and the server's own words are not
        printed."""
        for status, body, reason, cure in (
                ('503 Evil', '', 'too many clients are connected (503 Service', 'raise'),
                ('500 Evil', '', 'it has failed, and may need a restart (500', 'restart'),
                ('453 Evil', '', 'too many clients are connected (453 Not Enough', 'close other'),
                ('403 Evil', '', 'may not see the stream (403 Forbidden)', 'the right to view'),
                ('400 Evil', '', 'does not understand the address (400', 'manual'),
                ('499 Evil', '', 'does not accept the request (status 499)', 'manual'),
                ('599 Evil', '', 'has failed (status 599)', 'restart the camera'),
                ('405 Evil', '', 'offers no video', 'video is switched on'),
                ('200 OK', 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=x\r\nt=0 0\r\n',
                 'offers no video', 'video is switched on')):
            with self.subTest(status=status):
                server = socketserver.ThreadingTCPServer(('127.0.0.1', 0), Refusing)
                server.daemon_threads = True
                server.status, server.body = status, body
                threading.Thread(target=server.serve_forever, daemon=True).start()
                self.addCleanup(server.server_close)
                self.addCleanup(server.shutdown)
                facts = self.check_failure(f'rtsp://127.0.0.1:{server.server_address[1]}/a',
                                           reason, cure)
                self.assertNotIn('Evil', str(facts))

    def test_failures(self):
        server = rtsp.Server(self)
        self.check_failure(server.uri('other'), 'no stream at this path', 'manual')
        for scheme in 'rtsp', *(() if common.SANITIZED else ('http',)):
            facts = self.check_failure(f'{scheme}://127.0.0.1:1/a', 'cannot connect',
                                       'Check that the camera is on')
            self.assertEqual(facts['no picture'],
                             f'cannot connect to {scheme}://127.0.0.1:1: connection refused')
            facts = self.check_failure(f'{scheme}://nobody.invalid/a', 'cannot connect',
                                       'Check that the camera is on')
            self.assertRegex(facts['no picture'], 'no host has|the name server does not answer')
        with socket.create_server(('127.0.0.1', 0)) as closing:
            threading.Thread(target=lambda: [closing.accept()[0].close() for _ in range(2)],
                             daemon=True).start()
            self.check_failure(f'rtsp://127.0.0.1:{closing.getsockname()[1]}/a',
                               'ended the connection', 'the port')
        with socket.create_server(('127.0.0.1', 0)) as silent:
            self.check_failure(f'rtsp://127.0.0.1:{silent.getsockname()[1]}/a', 'no video for',
                               'the one for', '--timeout=1')


if __name__ == '__main__':
    if not rtsp.is_there():
        common.skip(rtsp.MISSING)
    common.main()
