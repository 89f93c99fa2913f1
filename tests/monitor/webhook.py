#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Posts events to servers that answer well, badly, late or never."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import itertools
import json
import os
import random
import re
import ssl
import subprocess
import threading
import time

import common

KEY = bytes(range(32))
SECRET = 'whsec_' + base64.b64encode(KEY).decode()


class Server:
    """Answers each post with the next of @answers, then with 204. An answer is a status or a
    function of the handler."""

    def __init__(self, case, *answers, context=None):
        self.posts = []
        self.answers = itertools.chain(answers, itertools.repeat(204))
        self.lock = threading.Lock()
        posts = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers['Content-Length'])
                body = self.rfile.read(length)
                # The client gave up half-way because the webhook's address changed.
                if len(body) < length:
                    return
                with posts.lock:
                    posts.posts.append((self.headers, body, time.time(), self.path))
                    answer = next(posts.answers)
                if callable(answer):
                    answer(self)
                else:
                    self.send_response(answer)
                    if 300 <= answer < 400:
                        self.send_header('Location', f'http://127.0.0.1:{posts.port}/elsewhere')
                    self.end_headers()

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                """Clients may disconnect at any time."""

        self.server = Quiet(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        case.addCleanup(self.server.server_close)
        case.addCleanup(self.server.shutdown)

    def numbers(self):
        with self.lock:
            letters = [json.loads(body) for _, body, _, _ in self.posts]
        return [letter['number'] for letter in letters if 'notice' not in letter]


def is_signed(headers, body, key=KEY):
    """Verifies a signature as the Standard Webhooks specification says."""
    text = f'{headers["webhook-id"]}.{headers["webhook-timestamp"]}.'.encode() + body
    expected = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    return f'v1,{expected}' in headers['webhook-signature'].split(' ')


class Case(common.Case):
    def setUp(self):
        super().setUp()
        self.write('secret', SECRET + '\n')

    def hook(self, name, port, *lines):
        return '\n'.join((f'[webhook {name}]', f'url=http://127.0.0.1:{port}/hook?token=geheim',
                          'secret=secret', *lines, ''))

    def one(self, server, *lines):
        """A monitor with a webhook, and one event."""
        monitor = self.lost(self.hook('ops', server.port, *lines))
        common.wait_for(lambda: server.posts, 'the event')
        return monitor

    def output(self, monitor, name='ops'):
        return monitor.output_named(f'webhook {name}')


class Posts(Case):
    def test_signature(self):
        server = Server(self)
        monitor = self.one(server)
        headers, body, at, path = server.posts[0]
        event = common.as_sent(monitor, monitor.json('events')[0])
        self.assertEqual({**json.loads(body), 'picture': 0}, {**event, 'picture': 0})
        self.assertEqual(headers['Content-Type'], 'application/json')
        self.assertRegex(headers['User-Agent'], r'^videohistogram-monitor/')
        self.assertRegex(headers['webhook-id'], r'^1-\d+$')
        self.assertLess(abs(int(headers['webhook-timestamp']) - at), 60)
        self.assertEqual(path, '/hook?token=geheim')
        self.assertTrue(is_signed(headers, body))
        self.assertFalse(is_signed(headers, body + b' '))
        self.assertFalse(is_signed(headers, body, KEY[::-1]))
        changed = dict(headers)
        changed['webhook-timestamp'] = str(int(changed['webhook-timestamp']) + 1)
        self.assertFalse(is_signed(changed, body))
        common.wait_for(lambda: self.output(monitor)['delivered'] == 1, 'success')
        self.assertEqual(self.output(monitor), {
            'name': 'webhook ops', 'up': True, 'reason': '', 'queued': 0, 'delivered': 1,
            'dead': 0})
        self.assertNotIn('geheim', monitor.output())

    def test_openssl(self):
        """docs/monitor-outputs.md shows how a shell checks a signature."""
        server = Server(self)
        self.one(server)
        headers, body, _, _ = server.posts[0]
        page = (common.HERE.parents[1] / 'docs/monitor-outputs.md').read_text()
        script = re.search(r'```sh\n(key=\$\(.*?)```', page, re.DOTALL)[1]
        (self.folder / 'body').write_bytes(body)
        done = subprocess.run(['sh', '-c', script], cwd=self.folder, text=True, check=True,
                              capture_output=True, env={
                                  **os.environ, 'id': headers['webhook-id'],
                                  'timestamp': headers['webhook-timestamp']})
        self.assertEqual(done.stdout.strip(), headers['webhook-signature'])

    def test_order(self):
        """Events are posted in order, whatever goes wrong in between, to each webhook
        independently."""
        server = Server(self, 204, 500, 200, 503, hang_up, 204)
        other = Server(self, *[500] * 100)
        monitor = self.busy(8, self.hook('ops', server.port) + self.hook('other', other.port))
        common.wait_for(lambda: len(server.posts) > 60, 'posts')
        numbers = list(dict.fromkeys(server.numbers()))
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
        self.assertEqual(set(other.numbers()), {numbers[0]})
        self.assertTrue(self.output(monitor)['up'])
        output = self.output(monitor, 'other')
        self.assertEqual((output['up'], output['reason']), (False, '500 Internal Server Error'))
        self.assertGreater(output['queued'], 40)
        # All attempts for an event have the same id, each with its own time.
        ids = {}
        for headers, body, _, _ in server.posts:
            ids.setdefault(json.loads(body)['number'], set()).add(headers['webhook-id'])
            self.assertTrue(is_signed(headers, body))
        self.assertTrue(all(len(i) == 1 for i in ids.values()))
        self.assertEqual(len(set.union(*ids.values())), len(ids))

    def test_reload(self):
        """A webhook is added, changed and removed; the other one continues."""
        server, other = Server(self), Server(self)
        monitor = self.busy(4, self.hook('ops', server.port))
        common.wait_for(lambda: server.posts, 'posts')
        monitor.config.write_text(common.BUSY + self.hook('ops', server.port)
                                  + self.hook('new', other.port))
        monitor.reload()
        common.wait_for(lambda: len(other.posts) > 3, 'posts to the new one')
        seen = max(server.numbers())
        monitor.config.write_text(common.BUSY + self.hook('ops', other.port, 'timeout=5'))
        monitor.reload()
        self.assertIsNone(self.output(monitor, 'new'))
        common.wait_for(lambda: max(other.numbers()) > seen + 5, 'posts to the other address')
        numbers = list(dict.fromkeys(server.numbers() + other.numbers()))
        self.assertEqual(sorted(numbers), list(range(min(numbers), max(numbers) + 1)))


def hang_up(handler):
    handler.connection.close()


def garbage(handler):
    handler.wfile.write(bytes(range(256)) * 4)


def silence(handler):
    time.sleep(5)


def late(handler):
    time.sleep(1)
    handler.send_response(204)
    handler.end_headers()


def drip(handler):
    """Sends an endless header."""
    with contextlib.suppress(OSError):
        handler.wfile.write(b'HTTP/1.1 200 OK\r\nX: ')
        for _ in range(100):
            handler.wfile.write(b'x')
            time.sleep(0.05)


def endless(handler):
    """Reports success, with an endless body."""
    with contextlib.suppress(OSError):
        handler.wfile.write(b'HTTP/1.1 200 OK\r\n\r\n')
        while True:
            handler.wfile.write(b'x' * 65536)


def informational(status):
    """Sends informational answers without end."""
    def answer(handler):
        with contextlib.suppress(OSError):
            while True:
                handler.wfile.write(b'HTTP/1.1 %d X\r\n\r\n' % status * 1000)
    return answer


def some_informational(handler):
    handler.wfile.write(b'HTTP/1.1 100 Continue\r\n\r\n' + b'HTTP/1.1 103 Early Hints\r\n\r\n' * 3)
    handler.send_response(204)
    handler.end_headers()


def count_connections(port):
    """Counts the open connections to @port."""
    with open('/proc/net/tcp', encoding='ascii') as table:
        rows = [line.split() for line in table]
    return len([r for r in rows if r[2].endswith(f':{port:04X}') and r[3] == '01'])


class Trouble(Case):
    def test_retries(self):
        """Temporary failures are retried at growing intervals."""
        for answer, reason in ((500, '500 Internal'), (429, '429 Too Many Requests'), (408, '408'),
                               (hang_up, '.'), (garbage, '.'), (silence, 'no answer within 1 sec'),
                               (drip, 'no answer within 1 sec')):
            with self.subTest(answer=answer):
                server = Server(self, answer)
                monitor = self.one(server, 'timeout=1')
                output = common.wait_for(lambda m=monitor: not self.output(m)['up']
                                         and self.output(m), 'trouble')
                self.assertRegex(output['reason'], reason)
                self.assertNotIn('geheim', output['reason'])
                self.assertEqual((output['queued'], output['dead']), (1, 0))
                common.wait_for(lambda m=monitor: self.output(m)['delivered'] == 1, 'success')
                # A busy machine may need more than the time that an answer has, once more.
                self.assertEqual(server.numbers()[:2], [1, 1])
                self.assertEqual(set(server.numbers()), {1})
                self.assertGreater(server.posts[1][2] - server.posts[0][2], 0.7)
                self.assertEqual(monitor.stop(), 0)
                common.remove_state(monitor)

    def test_informational(self):
        """A receiver that sends informational answers without end is left. Others may send some."""
        for status in 100, 102:
            with self.subTest(status=status):
                server = Server(self, *[informational(status)] * 2)
                monitor = self.one(server)
                output = common.wait_for(lambda m=monitor: not self.output(m)['up']
                                         and self.output(m), 'trouble')
                self.assertRegex(output['reason'], f'informational answers.* {status}')
                common.wait_for(lambda m=monitor: self.output(m)['delivered'] == 1, 'success')
                self.assertEqual(monitor.stop(), 0)
                common.remove_state(monitor)
        server = Server(self, some_informational)
        monitor = self.one(server)
        common.wait_for(lambda: self.output(monitor)['delivered'] == 1, 'success')
        self.assertEqual(len(server.posts), 1)

    def test_nobody(self):
        monitor = self.lost(self.hook('ops', common.free_port()))
        common.wait_for(lambda: 'refused' in self.output(monitor)['reason'], 'trouble')
        self.assertEqual(monitor.ask('/healthz').status, 200)
        self.assertEqual(monitor.metrics()['videohistogram_output_up{output="webhook ops"}'], 0)

    def test_endless(self):
        """An endless body counts as success, and the connection is closed."""
        server = Server(self, *[endless] * 5)
        monitor = self.busy(4, self.hook('ops', server.port))
        common.wait_for(lambda: len(server.posts) > 10, 'posts')
        self.assertTrue(self.output(monitor)['up'])
        common.wait_for(lambda: count_connections(server.port) < 3, 'the ends of connections')

    def test_tls(self):
        self.certify('right')
        self.certify('wrong')
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / 'right.pem', self.folder / 'right.key')
        server = Server(self, context=context)

        def config(*lines):
            return self.hook('ops', server.port, *lines).replace('http:', 'https:')

        monitor = self.lost(config())
        for ca in (None, 'wrong', 'missing'):
            if ca:
                monitor.config.write_text(common.LOST + config(f'ca={ca}.pem'))
                said = monitor.reload()
                self.assertEqual('ca: ' in said, ca == 'missing', said)
            common.wait_for(lambda: re.search(
                '(?i)certificate|missing.pem', self.output(monitor)['reason']), 'trouble')
            self.assertEqual(server.posts, [])
        monitor.config.write_text(common.LOST + config('ca=right.pem'))
        monitor.reload()
        common.wait_for(lambda: self.output(monitor)['delivered'] == 1, 'success')


class Kill(Case):
    def test_nothing_is_lost(self):
        """Each event is posted at least once, in order; repeated ones have the same number."""
        rng = random.Random(7)
        server = Server(self, *(rng.choice((204,) * 8 + (500, hang_up)) for _ in range(60)))
        monitor = self.busy(8, self.hook('ops', server.port))
        for _ in range(4):
            common.wait_for(lambda n=len(server.posts): len(server.posts) > n + 15, 'posts')
            time.sleep(rng.uniform(0, 0.2))
            monitor.kill()
            monitor.start()
        stored = [e['number'] for e in common.all_events(monitor)]
        common.wait_for(lambda: max(server.numbers()) >= stored[-1], 'the last one')
        first = list(dict.fromkeys(server.numbers()))
        self.assertEqual(first[:len(stored)], stored)
        # Only events that failed, or whose delivery was not on disk yet, were repeated.
        common.wait_for(lambda: common.progress(monitor, 'webhook ops') >= stored[-1],
                        'how far it is')


class DeadLetters(Case):
    def dead(self, monitor):
        return monitor.json('dead-letters')

    def change(self, monitor, what, status=200):
        answer = monitor.ask(f'/api/v1/dead-letters/{what}', 'POST')
        self.assertEqual(answer.status, status, answer.text)
        return answer.json()

    def requeued(self, server):
        """A monitor with a dead letter that was posted again, and the letter."""
        monitor = self.one(server)
        letter = common.wait_for(lambda: self.dead(monitor), 'a dead letter')[0]
        self.change(monitor, 'requeue')
        common.wait_for(lambda: len(server.posts) >= 2, 'it again')
        return monitor, letter

    def test_refused(self):
        """A permanent failure would repeat: later events do not wait for it."""
        server = Server(self, 404, 302, 400, 401)
        monitor = self.busy(4, self.hook('ops', server.port))
        common.wait_for(lambda: len(self.dead(monitor)) == 4, 'dead letters')
        common.wait_for(lambda: len(server.posts) > 8, 'posts')
        letters = self.dead(monitor)
        numbers = server.numbers()
        self.assertEqual(numbers[:8], list(range(numbers[0], numbers[0] + 8)))
        self.assertEqual([d['event']['number'] for d in letters], numbers[:4])
        self.assertEqual([d['reason'] for d in letters], [
            '404 Not Found', '302 Found', '400 Bad Request', '401 Unauthorized'])
        self.assertTrue(all(d['output'] == 'webhook ops' and not d['queued'] for d in letters))
        self.assertEqual([p for _, _, _, p in server.posts if 'elsewhere' in p], [])
        self.assertEqual(self.output(monitor)['dead'], 4)
        self.assertEqual(monitor.metrics()['videohistogram_output_dead_letters'
                                           '{output="webhook ops"}'], 4)

        # One is sent again, one discarded, and the rest stays after a kill.
        first, second = letters[0]['id'], letters[1]['id']
        self.assertEqual(self.change(monitor, f'requeue?id={first}'), {'count': 1})
        common.wait_for(lambda: server.numbers().count(numbers[0]) == 2, 'the first again')
        common.wait_for(lambda: self.output(monitor)['dead'] == 3, 'three of them')
        self.assertEqual(self.change(monitor, f'discard?id={second}'), {'count': 1})
        common.wait_for(lambda: self.output(monitor)['dead'] == 2, 'two of them')
        self.change(monitor, f'requeue?id={second}', 404)
        self.change(monitor, 'requeue?id=x', 400)
        monitor.kill()
        monitor.start()
        self.assertEqual([d['id'] for d in self.dead(monitor)], [d['id'] for d in letters[2:]])
        self.assertEqual(self.change(monitor, 'requeue'), {'count': 2})
        common.wait_for(lambda: self.dead(monitor) == [], 'their end')
        counts = [server.numbers().count(n) for n in numbers[:4]]
        self.assertEqual(counts, [2, 1, 2, 2])
        common.wait_for(lambda: self.output(monitor)['dead'] == 0, 'none of them')

    def test_which(self):
        """Without a filter all dead letters are changed, and never by mistake."""
        server = Server(self, 404, 404)
        monitor = self.busy(2, self.hook('ops', server.port))
        common.wait_for(lambda: len(self.dead(monitor)) == 2, 'dead letters')
        for what in ('discard', 'requeue'):
            for query, status in (('id=0', 404), ('id=77', 404), ('id=-1', 400), ('id=', 400),
                                  ('Id=1', 400), ('ids=1', 400), ('id=1&output=x', 400), ('', 400),
                                  ('id', 400), ('1', 400)):
                with self.subTest(what=what, query=query):
                    self.change(monitor, f'{what}?{query}', status)
            for body in ('id=1', '{"id": 1}'):
                answer = monitor.ask(f'/api/v1/dead-letters/{what}', 'POST', body)
                self.assertEqual(answer.status, 400, answer.text)
        self.assertEqual([d['queued'] for d in self.dead(monitor)], [False] * 2)
        self.assertEqual(self.change(monitor, 'discard'), {'count': 2})
        self.assertEqual(self.dead(monitor), [])

    def test_of_another_output(self):
        """Dead letters of a removed webhook are not retried and can be discarded, even those
        waiting to be sent again."""
        server = Server(self, 404, 404)
        monitor = self.busy(2, self.hook('op', server.port))
        common.wait_for(lambda: len(self.dead(monitor)) == 2, 'dead letters')
        first, second = (d['id'] for d in self.dead(monitor))
        monitor.stop()
        common.run_sql(monitor, f'UPDATE dead_letters SET queued = 1 WHERE id = {first}')
        monitor.config.write_text(common.BUSY + self.hook('ops', server.port))
        monitor.start()
        self.assertEqual(self.change(monitor, 'requeue'), {'count': 0})
        self.change(monitor, f'requeue?id={second}', 404)
        self.assertEqual([d['queued'] for d in self.dead(monitor)], [True, False])
        self.assertEqual(self.change(monitor, f'discard?id={first}'), {'count': 1})
        self.assertEqual(self.change(monitor, 'discard'), {'count': 1})
        self.assertEqual(self.dead(monitor), [])

    def test_again(self):
        """An event that fails again is a dead letter again, once, even after a kill in between."""
        server = Server(self, 404, 404, hang_up)
        monitor, letter = self.requeued(server)
        again = common.wait_for(lambda: [d for d in self.dead(monitor) if not d['queued']],
                                'it again')
        self.assertEqual([d['id'] for d in again], [letter['id']])
        monitor.stop()
        common.run_sql(monitor, 'UPDATE dead_letters SET queued = 1')
        monitor.start()
        common.wait_for(lambda: self.dead(monitor) == [], 'success')
        self.assertEqual(server.numbers(), [1] * 4)

    def test_expired(self):
        """Dead letters expire after this time."""
        server = Server(self, *[500] * 50)
        monitor = self.one(server, 'expire=2')
        letter = common.wait_for(lambda: self.dead(monitor), 'a dead letter')[0]
        self.assertEqual(letter['reason'], '500 Internal Server Error')
        self.assertGreater(len(server.posts), 1)
        self.assertEqual((self.output(monitor)['queued'], self.output(monitor)['dead']), (0, 1))

    def test_not_noted(self):
        """A delivered event that cannot be marked as such is not posted again and again."""
        server = Server(self, 404, late)
        monitor, _ = self.requeued(server)
        with common.locked(monitor):
            common.wait_for(lambda: monitor.ask('/healthz').status == 503, 'trouble')
            # Marking is tried more than once.
            time.sleep(4)
        common.wait_for(lambda: self.dead(monitor) == [], 'success')
        self.assertEqual(server.numbers(), [1, 1])

    def test_store_locked(self):
        """While nothing can be written, nothing is given up, and nothing is posted again and
        again."""
        server = Server(self, 204, 404)
        monitor = self.busy(1, self.hook('ops', server.port))
        common.wait_for(lambda: self.dead(monitor), 'a dead letter')
        with common.locked(monitor):
            self.change(monitor, 'requeue', 503)
            time.sleep(2)
            before = len(server.posts)
            time.sleep(2)
            self.assertLess(len(server.posts), before + 3)
        self.change(monitor, 'requeue')
        common.wait_for(lambda: self.dead(monitor) == [], 'success')


if __name__ == '__main__':
    common.main()
