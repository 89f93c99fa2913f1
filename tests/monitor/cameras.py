#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras that come, go, hang and send garbage must never disturb another camera."""

import contextlib
import os
import pathlib
import re
import socket
import subprocess
import threading
import time
import unittest

import common
import rtsp

PASSWORD = 'geheim-4711'

# The period of the faults in the test pictures.
PERIOD_SECONDS = 45

TEST_CAMERAS = pathlib.Path(__file__).resolve().parents[2] / 'pipelines/test-cameras.conf'

# Longer than the time between two frames.
LOSS_SECONDS = 5 if common.SANITIZED else 1


@unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
class Rtsp(common.Case):
    def everything(self, monitor):
        """Everything that the program shows to anybody."""
        return '\n'.join([common.everything_public(monitor), *(
            monitor.ask(path).text for path in
            ('/metrics', '/', '/api/v1/cameras', '/api/v1/events', '/api/v1/notices'))])

    def test_passwords(self):
        server = rtsp.Server(self, login=f'user:{PASSWORD}')
        self.write('right', f'user:{PASSWORD}\n')
        self.write('wrong', f'user:{PASSWORD}x\n')
        uri = f'rtsp://127.0.0.1:{server.port}/stream'
        monitor = self.monitor(config=f"""
[cameras]
transport=tcp
timeout=20
[camera right]
uri={uri}
credentials=right
[camera wrong]
uri={uri}
credentials=wrong
[camera query]
uri=rtsp://127.0.0.1:{server.port}/other/{PASSWORD}?password={PASSWORD}
[camera none]
uri={uri}
""")
        monitor.wait_for_state('right', 'up')
        for name, reason, advice in (
                ('wrong', 'rejected the user name or password in credentials',
                 'Correct the user name and the password'),
                ('none', 'asks for a user name and password: set credentials', 'Set credentials'),
                ('query', 'has no stream at the path in uri', 'Look up the path')):
            camera = monitor.wait_for_state(name, 'waiting')
            self.assertEqual(camera['source'], f'rtsp://127.0.0.1:{server.port}')
            self.assertEqual(camera['reason'], f'{camera["source"]} {reason}')
            alarm = common.wait_for(lambda n=name: monitor.json(f'alarms?camera={n}')['alarms'],
                                    'an alarm')[0]
            active = common.wait_for(lambda n=name: monitor.camera(n)['active'], 'its loss')[0]
            for found in alarm['advice'], active['advice']:
                self.assertIn(advice, found)
                self.assertNotIn('power', found)
        common.wait_for(lambda: monitor.json('events'), 'events')

        # Once a rejected password is corrected, nothing has to be reloaded, and a reload changes
        # nothing.
        self.write('wrong', 'without a colon')
        common.wait_for(lambda n=monitor.camera('wrong')['reconnects']:
                        monitor.camera('wrong')['reconnects'] > n + 1, 'two attempts')
        self.write('wrong', f'user:{PASSWORD}\n')
        since = monitor.wait_for_state('wrong', 'up')['since']
        self.assertIn('camera wrong: the file of its credentials has changed', monitor.output())
        monitor.reload()
        self.assertEqual(monitor.camera('wrong')['since'], since)
        self.assertNotIn(PASSWORD, self.everything(monitor))

    def test_reconnects(self):
        """The server is killed and comes back: each outage starts once and ends once, and the
        camera next to it notices nothing."""
        server = rtsp.Server(self)
        monitor = self.monitor(config=f"""
[cameras]
rules=signal-loss,enter={LOSS_SECONDS},leave={LOSS_SECONDS / 2}
conditions=signal-loss
[camera a]
uri=rtsp://127.0.0.1:{server.port}/stream
transport=tcp
timeout={2 * LOSS_SECONDS}
[camera b]
uri=test
rules=signal-loss,enter={10 * LOSS_SECONDS}
""")
        monitor.wait_for_state('b', 'up')
        for outage in range(1, 4):
            monitor.wait_for_state('a', 'up')
            server.kill()
            common.wait_for(lambda: monitor.camera('a')['active'], 'the loss')
            server.start()
            common.wait_for(lambda: not monitor.camera('a')['active'], 'its end')
            self.assertGreaterEqual(monitor.camera('a')['reconnects'], outage)
            events = [e['active'] for e in monitor.json('events?camera=a')]
            # The first connection may have been slow.
            self.assertEqual(events[-2 * outage:], [True, False] * outage)
            self.assertLessEqual(len(events), 2 * outage + 2)
        self.assertEqual(monitor.json('events?camera=b'), [])
        self.assertEqual(monitor.camera('b')['reconnects'], 0)
        self.assertEqual(monitor.metrics()['videohistogram_camera_threads'], 2)

    def test_udp(self):
        server = rtsp.Server(self)
        monitor = self.monitor(config=f'[camera a]\nuri=rtsp://127.0.0.1:{server.port}/stream\n'
                               'transport=udp\n')
        monitor.wait_for_state('a', 'up')

    def test_no_udp(self):
        """UDP packets go to a port nobody listens on, as behind a firewall: the monitor switches to
        TCP."""
        server = rtsp.Server(self)
        proxy = common.Proxy(self, server.port, lambda data: re.sub(
            rb'client_port=\d+-\d+', b'client_port=8-9', data))
        monitor = self.monitor(config=f'[camera a]\nuri=rtsp://127.0.0.1:{proxy.port}/stream\n'
                               'timeout=60\n')
        camera = monitor.wait_for_state('a', 'up')
        self.assertEqual((camera['reconnects'], camera['reason']), (0, ''))
        common.wait_for(lambda: monitor.camera('a')['frames'] > 50, 'frames')
        # The warning of the switch does not count as one of what could not be saved.
        self.assertEqual(monitor.stop(), 0)
        self.assertNotIn('could not save everything', monitor.output())


class Faults(common.Case):
    def test_test_pictures(self):
        """Each test picture shows its fault, which starts once and ends once per period, and no
        other."""
        begin = time.monotonic()
        faults = {'dark': 'dark', 'freezing': 'frozen', 'flashing': 'flashing'}
        monitor = self.monitor(config=TEST_CAMERAS.read_text())

        def ended():
            return {e['camera'] for e in monitor.json('events')
                    if not e['active'] and e['condition'] == faults.get(e['camera'])}
        common.wait_for(lambda: len(ended()) == len(faults), 'the end of each fault')
        monitor.stop()
        monitor.start()
        events = [(e['camera'], e['condition'], e['active'])
                  for e in monitor.json('events?limit=1000') if e['condition'] != 'signal-loss']
        periods = (time.monotonic() - begin) // PERIOD_SECONDS + 1
        for name, condition in faults.items():
            found = [e for e in events if e[0] == name]
            self.assertEqual(found, [(name, condition, not i % 2) for i in range(len(found))])
            self.assertLessEqual(len(found), 2 * periods)
        self.assertEqual([e for e in events if e[0] == 'healthy'], [])


class Interval(common.Case):
    def test_interval(self):
        """`interval` sets how often frames are judged, too. Conditions that cannot be judged with
        it are not shown, and end if they were active."""
        rules = 'rules=flashing,enter=2,leave=1\n'
        monitor = self.monitor(config=f'[cameras]\ninterval=0\n{rules}'
                               '[camera a]\nuri=test:flashing\n[camera b]\nuri=test:flashing\n')

        def active(name):
            return [c['condition'] for c in monitor.camera(name)['active']]
        common.wait_for(lambda: all(active(name) == ['flashing'] for name in 'ab'), 'flashes')
        monitor.config.write_text(f'[cameras]\n{rules}[camera a]\nuri=test:flashing\n'
                                  '[camera b]\nuri=test:flashing\ninterval=0\n')
        said = monitor.reload()
        self.assertIn('monitor.conf:3: warning: camera a: the rule for flashing has no effect',
                      said)
        self.assertNotIn('camera b: the rule', said)
        common.wait_for(lambda: monitor.camera('a')['frames'] >= 60, 'frames')
        camera, other = monitor.camera('a'), monitor.camera('b')
        self.assertEqual(active('a'), [])
        names = {c['condition'] for c in other['conditions']}
        self.assertEqual(names - {c['condition'] for c in camera['conditions']},
                         {'flashing', 'banding'})
        self.assertEqual([(e['active'], e['reason']) for e in monitor.json('events?camera=a')
                          if e['condition'] == 'flashing'],
                         [(True, ''), (False, 'no longer watched')])
        metrics = monitor.metrics()
        for condition in ('flashing', 'banding', 'frozen'):
            for metric in ('state', 'value'):
                series = f'videohistogram_health_{metric}{{camera="%s",condition="{condition}"}}'
                self.assertEqual(series % 'a' in metrics, condition == 'frozen')
                self.assertIn(series % 'b', metrics)
        # One in two of the ten frames a second is measured; with interval=0 all are.
        self.assertLess(camera['analysed'], 0.6 * camera['frames'])
        self.assertGreater(other['analysed'], 0.9 * other['frames'])
        # Those of a camera that is removed end, too, and the log says how long they were active.
        monitor.config.write_text(f'[cameras]\n{rules}[camera a]\nuri=test:flashing\n')
        monitor.reload()
        for name in 'ab':
            common.wait_for(lambda n=name: re.search(
                rf'camera {n}: cleared after \d+ s: picture flashing .*: no longer watched\n',
                monitor.output()), 'an end')

    def test_colors(self):
        """Color histograms are taken from the first frame measured, then once a second."""
        monitor = self.monitor(config='[camera a]\nuri=test\ninterval=0\n'
                               '[camera b]\nuri=test\ninterval=60\n')
        for name in 'ab':
            histogram = common.wait_for(lambda: monitor.camera(name).get('histogram'), name)
            self.assertEqual(set(histogram), {'luma', 'red', 'green', 'blue'})
            for counts in histogram.values():
                self.assertEqual(sum(counts), 640 * 360)
        begin = time.monotonic()
        seen = {'luma': set(), 'red': set()}
        while len(seen['luma']) < 30:
            histogram = monitor.camera('a')['histogram']
            for channel, histograms in seen.items():
                histograms.add(tuple(histogram[channel]))
            self.assertLess(time.monotonic() - begin, common.MAX_WAIT_SECONDS)
        self.assertLessEqual(len(seen['red']), time.monotonic() - begin + 2)


class Learning(common.Case):
    def test_unlearn(self):
        """After `unlearn`, conditions based on the reference are not judged."""
        monitor = self.monitor('a=test', 'b=rtsp://127.0.0.1:1/b')

        def is_judged():
            return [c for c in monitor.camera('a')['conditions']
                    if c['condition'] == 'blurry' and c['value'] is not None]
        common.wait_for(is_judged, 'learning')
        self.assertEqual(monitor.ask('/api/v1/cameras/a/unlearn').status, 405)
        self.assertEqual(monitor.ask('/api/v1/cameras/a/unlearn', 'POST').status, 200)
        common.wait_for(lambda: not is_judged(), 'forgetting')
        self.assertEqual(monitor.ask('/api/v1/cameras/b/unlearn', 'POST').status, 409)

    def test_end(self):
        """What the discarded reference had active ends at once, and says why."""
        monitor = self.monitor(config='[camera a]\nuri=test\nconditions=moved\n'
                               'rules=moved,enter=0.0000002,leave=0.0000001,duration=0s\n')
        common.wait_for(lambda: monitor.camera('a')['active'], 'an alarm')
        self.assertEqual(monitor.ask('/api/v1/cameras/a/unlearn', 'POST').status, 200)
        events = common.wait_for(lambda: [e for e in monitor.json('events') if not e['active']],
                                 'its end')
        self.assertEqual(events[0]['reason'], 'the reference was relearned')


class Ignored(common.Case):
    def test_rectangle(self):
        """Nothing is judged if the whole picture is ignored."""
        monitor = self.monitor(config='[camera a]\nuri=test\n[camera b]\nuri=test\n'
                               'ignore=black,x=0,y=0,width=1,height=1\n')

        def value(name, condition):
            return next(c['value'] for c in monitor.camera(name)['conditions']
                        if c['condition'] == condition)
        common.wait_for(lambda: value('a', 'black') is not None
                        and value('b', 'frozen') is not None, 'values')
        self.assertIsNone(value('b', 'black'))


@unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
class Priority(common.Case):
    def test_threads(self):
        """The threads of cameras run after those that answer requests."""
        server = rtsp.Server(self, 'h264')
        monitor = self.monitor(f'file={self.clip(300)}', f'rtsp={server.uri()}')
        for name in 'file', 'rtsp':
            monitor.wait_for_state(name, 'up')

        def nice():
            found = {}
            for path in pathlib.Path(f'/proc/{monitor.process.pid}/task').glob('*/stat'):
                with contextlib.suppress(OSError):
                    name, rest = re.match(r'\d+ \((.*)\) (.*)', path.read_text()).groups()
                    found.setdefault(name, set()).add(int(rest.split()[16]))
            return found

        threads = nice()
        for name in 'camera', 'judge:src':
            self.assertEqual(threads[name], {19}, threads)
        main = pathlib.Path(f'/proc/{monitor.process.pid}/stat').read_text()
        self.assertEqual(main.rsplit(') ', 1)[1].split()[16], '0')
        self.assertEqual(threads['store'], {0}, threads)


class Trouble(common.Case):
    def test_hanging(self):
        """A pipeline hangs in a state change because nobody writes to its pipe: pages stay fast,
        and the program can exit."""
        os.mkfifo(self.folder / 'fifo')
        monitor = self.monitor(config=f'[camera a]\nuri={self.folder}/fifo\ntimeout=1\n'
                               '[camera b]\nuri=test\n')
        monitor.wait_for_state('b', 'up')
        camera = monitor.wait_for_state('a', 'hanging')
        self.assertIn('its thread is stuck', camera['reason'])
        begin = time.monotonic()
        for _ in range(50):
            monitor.camera('b')
        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(monitor.camera('b')['reconnects'], 0)
        self.assertEqual(monitor.metrics()['videohistogram_camera_threads'], 2)
        monitor.config.write_text('[camera b]\nuri=test\n')
        monitor.reload()
        self.assertEqual(len(monitor.json('cameras')), 1)
        # The hanging thread is still there and counted.
        self.assertEqual(monitor.metrics()['videohistogram_camera_threads'], 2)
        begin = time.monotonic()
        self.assertEqual(monitor.stop(), 0)
        self.assertLess(time.monotonic() - begin, 60)
        # The thread had nothing to save.
        self.assertIn('learned references are saved in', monitor.output())

    def test_hanging_after_frames(self):
        """A thread that is stuck when the program ends has saved what it learned."""
        os.mkfifo(self.folder / 'fifo')
        data = self.clip(50).read_bytes()
        fifo = os.open(self.folder / 'fifo', os.O_RDWR)
        self.addCleanup(os.close, fifo)
        threading.Thread(target=os.write, args=(fifo, data), daemon=True).start()
        monitor = self.monitor(f'a={self.folder}/fifo')
        common.wait_for(lambda: monitor.camera('a')['frames'], 'frames')
        self.assertEqual(monitor.stop(), 0)
        self.assertIn('learned references are saved in', monitor.output())
        self.assertEqual(len(list((monitor.folder / 'state/learned').iterdir())), 1)

    def test_stop_of_many(self):
        """Cameras that wait for their turn to start end at once."""
        monitor = self.monitor(*(f'c{i}=test' for i in range(400)))
        self.assertEqual(monitor.stop(), 0)
        self.assertIn('learned references are saved in', monitor.output())

    def test_hanging_and_changed(self):
        """However often the camera is changed, removed and added, there is only one thread besides
        the one that hangs. Once they can end, the camera works."""
        os.mkfifo(self.folder / 'fifo')
        text = f'[camera b]\nuri=test\n[camera a]\nuri={self.folder}/fifo\ntimeout='

        def threads():
            return monitor.metrics()['videohistogram_camera_threads']
        monitor = self.monitor(config=f'{text}1')
        monitor.wait_for_state('a', 'hanging')
        for timeout in range(2, 7):
            monitor.config.write_text(f'{text}{timeout}')
            monitor.reload()
            time.sleep(0.5)
            self.assertLessEqual(threads(), 3)
        monitor.config.write_text('[camera b]\nuri=test\n')
        monitor.reload()
        monitor.config.write_text(f'{text}1')
        monitor.reload()
        camera = monitor.wait_for_state('a', 'hanging')
        # An attempt that still waits for the earlier one ends when the camera is changed.
        self.assertRegex(camera['reason'], '(2 of its threads are|its thread is) stuck$')
        self.assertEqual(threads(), 3)
        os.rename(self.folder / 'fifo', self.folder / 'pipe')
        self.clip(10).rename(self.folder / 'fifo')
        with open(self.folder / 'pipe', 'wb'):
            monitor.wait_for_state('a', 'up')
        common.wait_for(lambda: threads() == 2, 'the end of those that hang')

    def test_no_video(self):
        """A file with audio only, and one that no decoder here can play."""
        sound = self.folder / 'sound.wav'
        subprocess.run(['gst-launch-1.0', '-q', 'audiotestsrc', 'num-buffers=20', '!', 'wavenc',
                        '!', 'filesink', f'location={sound}'], check=True,
                       env=common.environment_of_others())
        video, film = self.clip(10), self.folder / 'film.avi'
        subprocess.run(['gst-launch-1.0', '-q', 'avimux', 'name=mux', '!', 'filesink',
                        f'location={film}', 'videotestsrc', 'num-buffers=20', '!', 'jpegenc', '!',
                        'mux.', 'audiotestsrc', 'num-buffers=20', '!', 'mux.'], check=True,
                       env=common.environment_of_others())
        monitor = self.monitor(f'sound={sound}', f'video={video}', f'film={film}', environment={
            'GST_PLUGIN_FEATURE_RANK': 'avdec_mjpeg:NONE,jpegdec:NONE,nvjpegdec:NONE'})
        missing = ('no JPEG decoder installed: install a GStreamer plugin that has one, such as '
                   "Debian's package gstreamer1.0-plugins-good")
        for name, reason in (('sound', 'contains no video'), ('video', missing),
                             ('film', missing)):
            self.assertEqual(monitor.wait_for_state(name, 'waiting')['reason'], reason)

    def test_silent(self):
        """A server that accepts connections and never answers."""
        with socket.create_server(('127.0.0.1', 0)) as peer:
            monitor = self.monitor(config='[camera a]\ntimeout=2\ntransport=tcp\n'
                                   f'uri=rtsp://127.0.0.1:{peer.getsockname()[1]}/a\n'
                                   '[camera b]\nuri=test\n'
                                   '[camera c]\nrules=signal-loss,enter=2\ntransport=tcp\n'
                                   f'uri=rtsp://127.0.0.1:{peer.getsockname()[1]}/c\n')
            # Until an attempt has failed, nothing is wrong that would be worth an alarm.
            camera = monitor.camera('a')
            self.assertEqual((camera['state'], camera['severity']), ('connecting', ''))
            failed = monitor.wait_for_state('a', 'waiting')
            self.assertEqual(failed['severity'], 'lost')
            # The alarm comes as soon as the attempt has failed.
            loss = common.wait_for(lambda: monitor.json('events?camera=c'), 'the loss')[0]
            self.assertRegex(loss['reason'], 'does not answer|it sends no video')
            camera = common.wait_for(lambda: (monitor.camera('a')['reconnects'] > 0
                                              and monitor.camera('a')), 'another attempt')
            self.assertTrue(camera['reason'])
            self.assertEqual(monitor.wait_for_state('b', 'up')['reconnects'], 0)

    def test_garbage(self):
        self.write('noise.avi', 'RIFF' + 'x' * 10000)
        monitor = self.monitor(f'a={self.folder}/noise.avi', 'b=test')
        self.assertTrue(monitor.wait_for_state('a', 'waiting')['reason'])
        monitor.wait_for_state('b', 'up')

    def test_nobody(self):
        """If nobody answers, the reason names the host and port, but no other part of the
        address."""
        # GStreamer leaks 48 bytes per session with a web server.
        for scheme in 'rtsp', *(() if common.SANITIZED else ('http',)):
            uri = f'{scheme}://127.0.0.1:1/a'
            with self.subTest(uri=uri):
                monitor = self.monitor(f'a={uri}')
                camera = common.wait_for(lambda m=monitor: m.camera('a')['reason']
                                         and m.camera('a'), 'a reason')
                self.assertEqual(camera['reason'],
                                 f'cannot connect to {uri[:-2]}: connection refused')
                monitor.stop()

    def test_device(self):
        monitor = self.monitor('a=/dev/video-none')
        camera = monitor.wait_for_state('a', 'waiting')
        self.assertEqual(camera['source'], 'video-none')
        self.assertTrue(camera['reason'])
        self.assertNotIn('/dev', camera['reason'])

    def test_file_begins_again(self):
        path = self.clip(10)
        monitor = self.monitor(f'a={path}')
        camera = common.wait_for(lambda: (monitor.camera('a')['frames'] > 40
                                          and monitor.camera('a')), 'many frames')
        self.assertEqual(camera['reconnects'], 0)

    def test_file_without_frames(self):
        """A truncated file is a failure, and is retried like others."""
        path = self.clip(10)
        cut = self.folder / 'cut.mkv'
        subprocess.run(['gst-launch-1.0', '-q', 'filesrc', f'location={path}', '!', 'avidemux',
                        '!', 'matroskamux', '!', 'filesink', f'location={cut}'], check=True,
                       env=common.environment_of_others())
        # The header without the first frame.
        cut.write_bytes(cut.read_bytes().split(b'\xff\xd8')[0])
        monitor = self.monitor(f'a={cut}')
        camera = common.wait_for(lambda: monitor.camera('a')['reconnects'] >= 2
                                 and monitor.wait_for_state('a', 'waiting'), 'attempts')
        self.assertEqual(camera['reason'], 'the file ends before the first video frame: it may be '
                         'damaged or incomplete')
        self.assertEqual(camera['frames'], 0)


if __name__ == '__main__':
    common.main()
