#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests cameras with real coders and servers, through videohistogram-monitor and the programs in
pipelines/."""

import datetime
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import unittest

import streams
from streams import Clip

sys.path.insert(0, str(streams.ROOT / 'tests/monitor'))
import common  # noqa: E402
import rtsp  # noqa: E402

LONG = bool(os.environ.get('TEST_LONG'))

# Slack for a machine with other work. Every bound under test is larger.
SLACK_SECONDS = 5


def seconds_of(text):
    return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()


class RtspServer:
    """Serves clips by server.py: {name: (codec, path)}."""

    def __init__(self, test, clips):
        self.process = subprocess.Popen(
            [sys.executable, str(streams.ROOT / 'tests/streams/server.py'),
             *(f'{name}={codec}={path}' for name, (codec, path) in clips.items())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=common.environment_of_others())
        test.addCleanup(self.kill)
        self.port = int(self.process.stdout.readline())

    def watch(self, *names):
        """Connects a first viewer, which receives the key frame at the start of each clip."""
        for name in names:
            self.process.stdin.write(f'{name}\n')
        self.process.stdin.flush()
        for _ in names:
            self.process.stdout.readline()

    def uri(self, name):
        return f'rtsp://127.0.0.1:{self.port}/{name}'

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


# How servers write parts: the header of the answer, and the bytes before and after a picture.
PARTS = {
    # Most firmwares.
    'length': ('multipart/x-mixed-replace;boundary=frame',
               lambda data: b'--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n'
               % len(data) + data + b'\r\n'),
    # Motion, some ESP32: a picture ends where the next part starts.
    'no-length': ('multipart/x-mixed-replace; boundary=BoundaryString',
                  lambda data: b'--BoundaryString\r\nContent-Type: image/jpeg\r\n\r\n' + data
                  + b'\r\n--BoundaryString\r\n'),
    # Axis and mjpg-streamer.
    'dashes': ('multipart/x-mixed-replace;boundary=--myboundary',
               lambda data: b'----myboundary\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n'
               b'X-Timestamp: 0.000000\r\n\r\n' % len(data) + data + b'\r\n'),
}


class JpegServer(http.server.ThreadingHTTPServer):
    """Serves cameras that send JPEG over HTTP: /PARTS/FRAMES-PER-SECOND."""

    daemon_threads = True

    def __init__(self, test, path, port=0):
        self.pictures = streams.jpegs(path)
        self.first = {}     # path: time when the first picture had been sent
        self.ends = False
        super().__init__(('127.0.0.1', port), JpegHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        test.addCleanup(self.close)

    def uri(self, path):
        return f'http://127.0.0.1:{self.server_port}/{path}'

    def close(self):
        # Only then do connections end: a client that connects again must find nobody.
        self.shutdown()
        self.server_close()
        self.ends = True


class JpegHandler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        kind, rate = self.path.strip('/').split('/')
        header, make_part = PARTS[kind]
        self.send_response(200)
        self.send_header('Content-Type', header)
        self.end_headers()
        try:
            for i in range(1_000_000):
                if self.server.ends:
                    break
                self.wfile.write(make_part(self.server.pictures[i % len(self.server.pictures)]))
                self.server.first.setdefault(self.path, time.time())
                time.sleep(1 / float(rate))
        except OSError:
            pass


class FileHandler(http.server.BaseHTTPRequestHandler):
    """Serves videos over HTTP in real time: {name: [(seconds to wait, data)]}."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Type', 'application/octet-stream')
        self.end_headers()
        try:
            for wait, data in self.server.pieces[self.path[1:]]:
                time.sleep(wait)
                self.wfile.write(data)
        except OSError:
            pass


def transport_stream(*paths):
    last = 0
    for path in paths:
        for packet in streams.packets(path):
            time_of = packet.time if packet.begin else last
            yield min(max(0, time_of - last), 0.2), packet.data
            last = time_of


def matroska(path, seconds):
    """Cuts a file into many pieces and spreads them over its duration."""
    data = path.read_bytes()
    size = len(data) // (5 * seconds) + 1
    for at in range(0, len(data), size):
        yield 0.2, data[at:at + size]


class Streams(common.Case):
    def first_picture(self, monitor, name):
        camera = common.wait_for(lambda: (camera := monitor.camera(name))['picture'] and camera,
                                 f'a picture of {name}')
        return seconds_of(camera['picture'])

    def lines(self, monitor, camera):
        """The lines of the log about this camera."""
        return re.findall(rf'camera {camera}: (.*)', monitor.output())

    def test_jpeg_over_http(self):
        """The first picture shows within a second of the first frame, for every way to write parts,
        for large and small pictures, at high and low rates."""
        large = Clip(coder='mjpeg', seconds=2, container='avi', width=960, height=720)
        small = Clip(coder='mjpeg', seconds=2, container='avi', width=160, height=120)
        servers = {name: JpegServer(self, streams.make(clip))
                   for name, clip in (('large', large), ('small', small))}
        cameras = {f'{size}-{kind}-{rate}': (servers[size], f'/{kind}/{rate}')
                   for size, kind, rate in (('large', 'length', 5), ('small', 'length', 10),
                                            ('small', 'length', 0.3), ('small', 'no-length', 10),
                                            ('small', 'no-length', 0.5), ('small', 'dashes', 2))}
        monitor = self.monitor(*(f'{name}={server.uri(path[1:])}'
                                 for name, (server, path) in cameras.items()))
        for name, (server, path) in cameras.items():
            with self.subTest(camera=name):
                delay = self.first_picture(monitor, name) - server.first[path]
                common.figure(f'picture of {name} after its first frame', f'{delay:.1f} s')
                self.assertLess(delay, 1 + SLACK_SECONDS)
                self.assertEqual(monitor.camera(name)['reconnects'], 0)

    @unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
    def test_joined_between_key_frames(self):
        """A camera joined between key frames waits for one, in a state of its own, without an
        alarm, a picture, or another connection."""
        coders = {'h264': 'x264-crf28', 'h265': 'x265-crf28', 'mpeg4': 'mpeg4'}
        server = RtspServer(self, {
            codec: (codec, streams.make(Clip(coder=coder, scene='walkers', rate=5, gop=12,
                                             seconds=40)))
            for codec, coder in coders.items()})
        server.watch(*coders)
        monitor = self.monitor(config='[cameras]\ntransport=tcp\n' + ''.join(
            f'[camera {name}]\nuri={server.uri(name)}\n' for name in coders))
        name = 'videohistogram_camera_waiting_for_key_frame{camera="%s"}'
        for codec in coders:
            camera = monitor.wait_for_state(codec, 'waiting-for-key-frame')
            self.assertEqual((camera['frames'], camera['picture'], camera['active']), (0, None, []))
            self.assertTrue(camera['reason'])
            self.assertEqual(monitor.metrics()[name % codec], 1)
        for codec in coders:
            camera = monitor.wait_for_state(codec, 'up')
            self.assertEqual((camera['reason'], camera['reconnects']), ('', 0))
            self.first_picture(monitor, codec)
            self.assertEqual(self.lines(monitor, codec),
                             ['waiting for a key frame', 'online'])
            self.assertEqual(monitor.metrics()[name % codec], 0)
        self.assertEqual(monitor.json('events'), [])

    @unittest.skipUnless(LONG and rtsp.is_there(), 'the long tier waits a minute')
    def test_lost_without_key_frame(self):
        """A camera that was lost before a restart, and then sends no key frame, is still lost."""
        server = RtspServer(self, {'h264': ('h264', streams.make(Clip(
            scene='walkers', rate=5, gop=70, seconds=140)))})
        server.watch('h264')
        monitor = self.monitor(config='[cameras]\ntransport=tcp\n'
                               f'[camera a]\nuri={server.uri("h264")}\n')
        monitor.kill()
        common.begin_unseen(monitor, ('a', 'signal-loss'))
        monitor.start()
        monitor.wait_for_state('a', 'waiting-for-key-frame')
        common.wait_for(lambda: not monitor.camera('a')['active'][0]['unconfirmed'], 'the loss')
        self.assertEqual(monitor.camera('a')['severity'], 'lost')

    @unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
    def test_lost_packets(self):
        """Decoders of H.265 show gray where data was lost: such frames are neither shown nor
        learned. Decoders of H.264 conceal the loss."""
        server = RtspServer(self, {
            codec: (f'{codec}-lossy', streams.make(Clip(coder=coder, scene='walkers', rate=10,
                                                        gop=2, seconds=40)))
            for codec, coder in (('h265', 'x265-crf28'), ('h264', 'x264-crf28'))})
        names = ('h265', 'h264')
        monitor = self.monitor(config='[cameras]\ntransport=tcp\ninterval=0\n' + ''.join(
            f'[camera {name}]\nuri={server.uri(name)}\n' for name in names))
        states = {name: set() for name in names}
        least = dict.fromkeys(names, 1)
        most = dict.fromkeys(names, 0)
        end = time.monotonic() + 10
        while time.monotonic() < end:
            for camera in monitor.json('cameras'):
                name = camera['name']
                states[name].add((camera['state'], camera['reason']))
                if camera.get('luma'):
                    least[name] = min(least[name], camera['luma']['deviation'])
                    most[name] = max(most[name], camera['luma']['deviation'])
        waiting = ('waiting-for-key-frame', 'packets were lost')
        for name in names:
            with self.subTest(camera=name):
                self.assertEqual(waiting in states[name], name != 'h264', states)
                common.figure(f'deviation of {name}', f'{least[name]:.3f} to {most[name]:.3f}')
                self.assertGreater(least[name], most[name] * 0.9)
                self.assertEqual(monitor.camera(name)['reconnects'], 0)
                noted = [line for line in self.lines(monitor, name) if 'packet loss' in line]
                self.assertEqual(len(noted), name != 'h264', monitor.output())
                self.assertNotIn('transport=tcp', str(noted))
        self.assertEqual(monitor.json('events'), [])

    @unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
    def test_programs(self):
        """The programs in pipelines/ handle JPEG cameras and missing key frames, too."""
        jpeg = JpegServer(self, streams.make(Clip(coder='mjpeg', seconds=2, container='avi')))
        server = RtspServer(self, {'a': ('h265', streams.make(
            Clip(coder='x265-crf28', scene='walkers', rate=5, gop=8, seconds=40)))})
        server.watch('a')
        programs = [
            subprocess.Popen([streams.ROOT / 'pipelines' / program, '--format', 'json', '--seconds',
                              '10', *cameras], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
            for program, cameras in (('camera-health', [f'jpeg={jpeg.uri("length/5")}',
                                                        f'joined={server.uri("a")}']),
                                     ('camera-exposure', [jpeg.uri('no-length/5')]))]
        (health, notes), (exposure, _) = [program.communicate() for program in programs]
        events = [json.loads(line) for line in health.splitlines()]
        self.assertEqual([e['event'] for e in events], ['summary', 'summary'], (health, notes))
        for event in events:
            self.assertGreater(event['frames'], 0)
        self.assertIn('joined between two key frames', notes)
        self.assertGreater(len(exposure.splitlines()), 3, exposure)

    @unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
    def test_refresh(self):
        """A stream without key frames is shown from its recovery point on."""
        clip = Clip(coder='x264-refresh', scene='walkers', rate=5, gop=6, seconds=40)
        server = RtspServer(self, {'a': ('h264', streams.make(clip))})
        server.watch('a')
        monitor = self.monitor(config=f'[camera a]\nuri={server.uri("a")}\ntransport=tcp\n')
        monitor.wait_for_state('a', 'waiting-for-key-frame')
        self.assertEqual(monitor.wait_for_state('a', 'up')['reconnects'], 0)

    def test_jumping_times(self):
        """A black picture of 8 seconds, during which times jump by hours, lasts 8 seconds."""
        dark = streams.make(Clip(scene='dark', seconds=8))
        light = streams.make(Clip(scene='light', seconds=8))
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), FileHandler)
        server.daemon_threads = True
        # Demuxers of transport streams handle jumps themselves, others do not.
        server.pieces = {
            'forwards': list(transport_stream(dark, streams.shift(light, 9800))),
            'backwards': list(transport_stream(streams.shift(dark, 9800), light)),
            'matroska': list(matroska(streams.jump(Clip(scene='eclipse', seconds=16), 8, 9800),
                                      16))}
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        monitor = self.monitor(config='[cameras]\nconditions=black\n' + ''.join(
            f'[camera {name}-{duration}]\nuri=http://127.0.0.1:{server.server_port}/{name}\n'
            f'rules=black,duration={duration}s\n' for name in server.pieces
            for duration in (5, 20)))
        for name in server.pieces:
            events = common.wait_for(
                lambda n=name: len(events := monitor.json(f'events?camera={n}-5')) >= 2 and events,
                f'events of {name}')
            begin, end = [seconds_of(e['since']) for e in events[:2]]
            self.assertTrue(5 < end - begin < 8 + SLACK_SECONDS, f'{name}: {end - begin}')
            self.assertLess(abs(seconds_of(events[0]['time']) - begin - 5), SLACK_SECONDS)
            self.assertEqual(monitor.json(f'events?camera={name}-20'), [])

    @unittest.skipUnless(LONG and rtsp.is_there(), 'the long tier waits a minute')
    def test_never_a_key_frame(self):
        clip = Clip(rate=5, gop=1000, seconds=100, scene='walkers')
        server = RtspServer(self, {'a': ('h264', streams.make(clip))})
        server.watch('a')
        monitor = self.monitor(config=f'[camera a]\nuri={server.uri("a")}\ntransport=tcp\n')
        monitor.wait_for_state('a', 'waiting-for-key-frame')
        begin = time.monotonic()
        end = begin + 55
        while time.monotonic() < end:
            self.assertEqual(monitor.camera('a')['state'], 'waiting-for-key-frame')
            time.sleep(1)
        camera = common.wait_for(lambda: monitor.camera('a')['reconnects'] and monitor.camera('a'),
                                 'another attempt')
        self.assertLess(time.monotonic() - begin, 66 + SLACK_SECONDS)
        self.assertIn('no key frame in 60 seconds of video: set the camera to send one',
                      monitor.output())
        self.assertEqual(camera['frames'], 0)

    def test_absence(self):
        """The log has the events, a line when a camera goes away, with the reason, and a line when
        it is back, with the length of the outage, but no line per attempt."""
        path = streams.make(Clip(coder='mjpeg', seconds=2, container='avi', width=160, height=120))
        server = JpegServer(self, path)
        port = server.server_port
        monitor = self.monitor(config=f'[camera a]\nuri={server.uri("length/10")}\n'
                               'rules=signal-loss,enter=2,leave=1\n')

        def events():
            return monitor.json(f'events?after={before}&limit=1000')

        # On a busy machine the first frame may come late enough for an event of its own.
        before = 0
        monitor.wait_for_state('a', 'up')
        common.wait_for(lambda: not monitor.camera('a')['active'], 'health')
        before = max((e['number'] for e in events()), default=0)
        earlier = len(self.lines(monitor, 'a'))
        self.assertIn('online', self.lines(monitor, 'a'))
        server.close()
        common.wait_for(lambda: monitor.camera('a')['reconnects'] >= 3, 'three attempts')
        JpegServer(self, path, port)
        common.wait_for(lambda: len(events()) >= 2, 'two events')
        self.assertEqual([e['active'] for e in events()[:2]], [True, False])
        lines = self.lines(monitor, 'a')[earlier:]
        kinds = [r'offline: the stream ended', 'no video',
                 r'still offline: cannot connect to http://127\.0\.0\.1:\d+',
                 r'back online after \d+ s', r'cleared after \d+ s: no video']
        for kind in kinds:
            self.assertEqual(sum(bool(re.match(kind, line)) for line in lines), 1, lines)
        self.assertEqual(len(lines), len(kinds), lines)
        away = int(re.search(r'back online after (\d+)', monitor.output())[1])
        # The attempts are 1, 2 and 4 s apart, plus or minus a quarter.
        self.assertGreaterEqual(away, 5)

    @unittest.skipUnless(LONG, 'the long tier waits minutes')
    def test_attempts(self):
        """At most 15 s pass between two attempts to reach a camera that was up before."""
        path = streams.make(Clip(coder='mjpeg', seconds=2, container='avi', width=160, height=120))
        server = JpegServer(self, path)
        port = server.server_port
        monitor = self.monitor(config=f'[camera a]\nuri={server.uri("length/10")}\n')
        monitor.wait_for_state('a', 'up')
        server.close()
        attempts = [time.monotonic()]
        with socket.create_server(('127.0.0.1', port)) as peer:
            peer.settimeout(common.MAX_WAIT_SECONDS)
            while time.monotonic() < attempts[0] + 120:
                peer.accept()[0].close()
                attempts.append(time.monotonic())
        apart = [b - a for a, b in zip(attempts, attempts[1:])]
        self.assertLess(max(apart), 15 + SLACK_SECONDS)
        self.assertGreater(max(apart), 10)
        self.assertLess(len(self.lines(monitor, 'a')), 8)

    def test_nothing_to_see(self):
        """A file with audio only, and an empty one."""
        sound = self.folder / 'sound.mp4'
        subprocess.run(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'sine=duration=3', '-c:a',
                        'aac', sound], check=True)
        nothing = self.write('nothing.ts', '')
        monitor = self.monitor(f'sound={sound}', f'nothing={nothing}')
        for name, reason in ('sound', 'contains no video'), ('nothing', ''):
            camera = monitor.wait_for_state(name, 'waiting')
            self.assertIn(reason, camera['reason'])
            self.assertTrue(camera['reason'])
            self.assertNotIn('GStreamer', camera['reason'])


if __name__ == '__main__':
    common.main()
