#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams of pictures, and pictures on demand: JPEGs, which are decoded here and in Chromium."""

import contextlib
import datetime
import http.client
import json
import shutil
import socket
import subprocess
import unittest
import urllib.parse

import browser
import common
import rtsp

# The test pictures of the monitor.
WIDTH, HEIGHT = 640, 360


def seconds_of(text):
    return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()


def decode(jpeg):
    """Returns the width, the height, and the mean luma of the picture."""
    done = subprocess.run(
        ['gst-launch-1.0', '-q', 'fdsrc', '!', 'jpegparse', '!', 'jpegdec', '!', 'videoconvert',
         '!', 'video/x-raw,format=GRAY8', '!', 'pnmenc', '!', 'fdsink'], input=jpeg,
        capture_output=True, check=True, env=common.environment_of_others())
    # A header, in which lines may be comments, and then one byte for each pixel.
    header, _, rest = done.stdout.partition(b'\n255\n')
    width, height = (int(n) for n in header.split(b'\n')[-1].split())
    assert len(rest) == width * height, (header, len(rest))
    return width, height, sum(rest) / len(rest)


class Stream:
    """A client of /pictures."""

    def __init__(self, case, monitor, query='', small=False, headers=()):
        self.socket = socket.socket()
        if small:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.socket.settimeout(common.MAX_WAIT_SECONDS)
        self.socket.connect(('127.0.0.1', monitor.port))
        case.addCleanup(self.socket.close)
        lines = (f'GET /pictures{query} HTTP/1.1', 'Host: localhost', *headers, '', '')
        self.socket.sendall('\r\n'.join(lines).encode())
        self.response = http.client.HTTPResponse(self.socket)
        self.response.begin()

    def next(self):
        """The next line of JSON, and what follows it."""
        line = json.loads(self.response.readline())
        return line, self.response.read(line['bytes'])

    def next_of(self, camera, width=None):
        """The next picture of @camera, in this width."""
        def find():
            line, jpeg = self.next()
            return (line.get('camera') == camera and width in (None, line['width'])
                    and (line, jpeg))
        return common.wait_for(find, f'a picture of {camera}')


class Case(common.Case):
    def monitor_of_lost(self, *others):
        """A monitor with a camera that had a picture, and has no video any more."""
        if not rtsp.is_there():
            self.skipTest(rtsp.MISSING)
        server = rtsp.Server(self, 'jpeg')
        monitor = self.monitor(f'a={server.uri()}', *others)
        common.wait_for(lambda: monitor.camera('a')['picture'], 'a picture')
        server.kill()
        monitor.wait_for_state('a', 'waiting')
        return monitor


class Streams(Case):
    def test_sizes(self):
        """Pictures have the size that was asked for, and are never enlarged."""
        monitor = self.monitor('a=test', f'small={self.clip(100)}')
        monitor.wait_for_state('small', 'up')
        for width in (160, 320, 480, 640):
            stream = Stream(self, monitor, f'?width={width}')
            self.assertEqual(stream.response.headers['Content-Type'], 'application/octet-stream')
            for camera, size in (('a', (width, width * HEIGHT // WIDTH)), ('small', (64, 48))):
                line, jpeg = stream.next_of(camera, size[0])
                self.assertEqual(set(line), {'camera', 'time', 'width', 'bytes'})
                self.assertEqual(decode(jpeg)[:2], size)

    def test_contents(self):
        """A picture is the one of the camera that its line names."""
        monitor = self.monitor(*(f'{pattern}={self.clip(100, pattern)}'
                                 for pattern in ('black', 'white')))
        stream = Stream(self, monitor)
        for _ in range(2):
            self.assertLess(decode(stream.next_of('black')[1])[2], 20)
            self.assertGreater(decode(stream.next_of('white')[1])[2], 200)

    def test_names(self):
        """Names may need escapes, in the address and in the lines."""
        names = ('a b', 'Straße 1', 'x&y=1', '%41')
        monitor = self.monitor(config=''.join(f'[camera {n}]\nuri=test\n'
                                              for n in (*names, 'other')))
        chosen = '/'.join(urllib.parse.quote(n, safe='') for n in (*names, 'nobody'))
        stream = Stream(self, monitor, f'?cameras={chosen}')
        seen = [stream.next()[0].get('camera') for _ in range(3 * len(names))]
        self.assertEqual(set(seen) - {None}, set(names))

    def test_once_for_all(self):
        """Who asks for the same gets the same picture, and no more than one in an interval."""
        monitor = self.monitor('a=test')
        monitor.wait_for_state('a', 'up')
        streams = [Stream(self, monitor, '?width=320') for _ in range(3)]
        seen = [{}, {}, {}]
        for one, stream in zip(seen, streams):
            for _ in range(5):
                line, jpeg = stream.next_of('a', 320)
                one[line['time']] = jpeg
        common_times = set(seen[0]) & set(seen[1]) & set(seen[2])
        self.assertGreaterEqual(len(common_times), 3, [list(s) for s in seen])
        for time in common_times:
            self.assertEqual(len({s[time] for s in seen}), 1)
        for interval in (1, 2):
            stream = Stream(self, monitor, f'?width=160&interval={interval}')
            times = [seconds_of(stream.next_of('a', 160)[0]['time']) for _ in range(5)]
            # A frame may be late, by almost a second on a busy machine.
            self.assertGreater(times[-1] - times[0], 4 * (interval - 1 / 8) - 1)

    def test_lost(self):
        """The last picture of a camera without video comes once, and then signs of life."""
        monitor = self.monitor_of_lost()
        stream = Stream(self, monitor, '?width=320')
        line, jpeg = stream.next()
        self.assertEqual((line['camera'], line['time']), ('a', monitor.camera('a')['picture']))
        self.assertEqual(decode(jpeg)[:2], (320, 240))
        for _ in range(2):
            self.assertEqual(stream.next(), ({'bytes': 0}, b''))

    def test_slow(self):
        """A client that does not read for a while gets new pictures then, and not those of that
        while."""
        monitor = self.monitor('a=test', 'b=test')
        monitor.wait_for_state('b', 'up')
        slow = Stream(self, monitor, '?width=640', small=True)
        fast = Stream(self, monitor, '?width=640')
        passed = [fast.next_of('a', 640)[0]['time'] for _ in range(8)]
        old = {'a': 0, 'b': 0}
        while True:
            line, jpeg = slow.next()
            self.assertEqual((jpeg[:2], jpeg[-2:]), (b'\xff\xd8', b'\xff\xd9'))
            if line['time'] > passed[-1]:
                break
            old[line['camera']] += 1
        # The ordinary one at the start, one in the right size, and what sockets hold.
        for number in old.values():
            self.assertLessEqual(number, 4, old)
        self.assertLess(sum(old.values()), len(passed))

    def test_reload(self):
        """A stream goes on when cameras come and go."""
        monitor = self.monitor(config='[camera a]\nuri=test\n[camera b]\nuri=test\n')
        stream = Stream(self, monitor, '?cameras=a/c&width=160')
        stream.next_of('a', 160)
        monitor.config.write_text('[camera c]\nuri=test\n[camera b]\nuri=test\n')
        monitor.reload()
        stream.next_of('c', 160)
        monitor.config.write_text(f'[camera a]\nuri={self.clip(100, "black")}\n')
        monitor.reload()
        # It was another camera of this name.
        self.assertLess(decode(stream.next_of('a', 64)[1])[2], 20)

    def test_kill(self):
        """A program that was killed with open streams starts again, and streams go on."""
        monitor = self.monitor('a=test')
        streams = [Stream(self, monitor) for _ in range(5)]
        for stream in streams:
            stream.next_of('a')
        monitor.kill()
        for stream in streams:
            with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
                while stream.next():
                    pass
        monitor.start()
        Stream(self, monitor, '?width=160').next_of('a', 160)

    def test_invalid(self):
        monitor = self.monitor('a=test')
        for query in ('width=', 'width=full', 'width=161', 'width=0160', 'interval=0',
                      'interval=61', 'interval=1.5', 'interval=-1', 'cameras',
                      'width=160&width=160', 'x=1'):
            answer = monitor.ask(f'/pictures?{query}')
            self.assertEqual(answer.status, 400, query)
        self.assertEqual(monitor.ask('/pictures', 'HEAD').status, 200)
        self.assertEqual(monitor.ask('/pictures', 'POST').status, 405)
        self.assertEqual(monitor.ask('/pictures', headers={
            'Sec-Fetch-Site': 'cross-site'}).status, 403)


class OnDemand(Case):
    def test_sizes(self):
        monitor = self.monitor('a=test')
        monitor.wait_for_state('a', 'up')
        for width, right in (('160', 160), ('320', 320), ('480', 480), ('640', 640),
                             ('full', WIDTH)):
            answer = common.wait_for(lambda w=width: (
                answer := monitor.ask(f'/api/v1/cameras/a/picture?width={w}')).status == 200
                and answer, width)
            self.assertEqual(decode(answer.body)[:2], (right, right * HEIGHT // WIDTH))
        for width in ('', '1', 'Full', '8192', 'full%00'):
            answer = monitor.ask(f'/api/v1/cameras/a/picture?width={width}')
            self.assertEqual(answer.status, 400, width)

    def test_fresh(self):
        """A picture on demand is of a frame that is not older than a second at the request, unless
        no frame comes for 5 s, as on a busy machine."""
        monitor = self.monitor('a=test')
        before = ''

        def fresh():
            asked = datetime.datetime.now(datetime.timezone.utc).timestamp()
            answer = monitor.ask('/api/v1/cameras/a/picture?width=full')
            time = answer.headers['X-Frame-Time']
            return time and seconds_of(time) > asked - 1.1 and time

        for _ in range(3):
            monitor.wait_for_state('a', 'up')
            time = common.wait_for(fresh, 'a fresh picture')
            self.assertGreaterEqual(time, before)
            before = time

    def test_lost(self):
        """Without video there is the last picture, or none."""
        monitor = self.monitor_of_lost('b=rtsp://127.0.0.1:1/b')
        for width in ('160', 'full'):
            answer = monitor.ask(f'/api/v1/cameras/a/picture?width={width}')
            self.assertEqual(decode(answer.body)[:2], (320, 240))
            answer = monitor.ask(f'/api/v1/cameras/b/picture?width={width}')
            self.assertEqual(answer.status, 404)
            self.assertIn('retry', answer.text)

    def test_many(self):
        """Many requests of one client at once are answered, all with the pictures of a few frames,
        or told when to retry."""
        monitor = self.monitor(*(f'c{i}=test' for i in range(8)))
        for i in range(8):
            monitor.wait_for_state(f'c{i}', 'up')
        connections = []
        for i in range(80):
            connection = http.client.HTTPConnection('127.0.0.1', monitor.port,
                                                    timeout=common.MAX_WAIT_SECONDS)
            self.addCleanup(connection.close)
            connection.request('GET', f'/api/v1/cameras/c{i % 8}/picture?width=full')
            connections.append(connection)
        times, statuses = {}, []
        for i, connection in enumerate(connections):
            answer = common.Answer(connection.getresponse())
            statuses.append(answer.status)
            if answer.status == 200:
                times.setdefault(i % 8, set()).add(answer.headers['X-Frame-Time'])
            else:
                self.assertEqual((answer.status, answer.headers['Retry-After']), (503, '1'))
        self.assertGreaterEqual(statuses.count(200), 32)
        self.assertEqual(len(times), 8)
        self.assertLessEqual(max(map(len, times.values())), 3, times)


# What a page does: it reads the stream, cuts it into pictures, and decodes them.
SCRIPT = '''(async () => {
  const response = await fetch("/pictures?width=320");
  const reader = response.body.getReader();
  const seen = [];
  let rest = new Uint8Array(0);
  const more = async () => {
    const {value, done} = await reader.read();
    if (done) throw new Error("the stream ended");
    const all = new Uint8Array(rest.length + value.length);
    all.set(rest);
    all.set(value, rest.length);
    rest = all;
  };
  while (seen.length < 6) {
    let end;
    while ((end = rest.indexOf(10)) < 0) await more();
    const line = JSON.parse(new TextDecoder().decode(rest.subarray(0, end)));
    rest = rest.slice(end + 1);
    while (rest.length < line.bytes) await more();
    const blob = new Blob([rest.slice(0, line.bytes)], {type: "image/jpeg"});
    rest = rest.slice(line.bytes);
    if (!line.camera) continue;
    const image = new Image();
    image.src = URL.createObjectURL(blob);
    await image.decode();
    seen.push([line.camera, line.width, image.naturalWidth, image.naturalHeight]);
  }
  await reader.cancel();
  return seen;
})()'''


@unittest.skipUnless(browser.path(), 'there is no chromium: the package chromium has it')
class InChromium(Case):
    def test_stream(self):
        """A page reads the stream and shows its pictures under the policy of our headers, and the
        stream ends with the page."""
        monitor = self.monitor('a=test', 'b=test')
        monitor.wait_for_state('b', 'up')
        page = browser.Browser()
        self.addCleanup(page.close)
        page.open(f'http://127.0.0.1:{monitor.port}/login')
        page.wait_for('document.readyState === "complete"')
        seen = page.evaluate(SCRIPT)
        self.assertEqual({camera for camera, *_ in seen}, {'a', 'b'})
        for _, width, *size in seen:
            self.assertEqual(size, [width, width * HEIGHT // WIDTH])
        self.assertIn(320, [width for _, width, *_ in seen])
        self.assertEqual(page.problems, [])

    def test_tls(self):
        """Over TLS, requests that follow each other need no further handshake."""
        if not shutil.which('openssl'):
            self.skipTest('there is no openssl')
        self.certify('cert')
        monitor = self.monitor(config='[http]\ncertificate=cert.pem\nkey=cert.key\n'
                               '[camera a]\nuri=test\n[camera b]\nuri=test\n')
        page = browser.Browser()
        self.addCleanup(page.close)
        page.call('Security.setIgnoreCertificateErrors', ignore=True)
        page.open(f'https://127.0.0.1:{monitor.port}/login')
        page.wait_for('document.readyState === "complete" && location.protocol === "https:"')
        self.assertEqual({camera for camera, *_ in page.evaluate(SCRIPT)}, {'a', 'b'})
        handshakes = page.evaluate('''(async () => {
          performance.clearResourceTimings();
          for (let i = 0; i < 10; i++) await (await fetch("/healthz")).text();
          return performance.getEntriesByType("resource")
            .filter(entry => entry.connectEnd > entry.connectStart).length;
        })()''')
        self.assertLessEqual(handshakes, 1)


if __name__ == '__main__':
    common.main()
