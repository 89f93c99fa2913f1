#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs 16 cameras for a long time, 4 of which lose their server again and again: nothing grows, and
the other cameras notice nothing. TEST_LONG makes it 100 outages or more. Each other camera then
sends as many frames in 24 minutes as in 72 hours at one a second, after 21 minutes in which pools
and queues reach their largest size."""

import contextlib
import http.client
import mmap
import os
import signal
import statistics
import struct
import threading
import time
import unittest

import common
import rtsp

LONG = bool(os.environ.get('TEST_LONG'))
OUTAGES = 100 if LONG else 3
FRAMES = 72 * 3600 if LONG else 0
WARM_UP_SECONDS = 21 * 60 if LONG else 0
RATE = 180 if LONG else 30
# A camera that has sent frames for this long is retried after a second.
SECONDS_UNTIL_QUICK_RETRY = 11
# Frame rate of the test pictures.
LIVE_RATE = 25
RTSP_CAMERAS, FILE_CAMERAS = 4, 11
# During the warm-up the program is stopped for this long, so that its queues are full afterwards.
STANDSTILL_SECONDS = 2
# Allocated memory fluctuates with the work in progress: it is the mean of this many readings.
READINGS, READING_SECONDS = 40 if LONG else 4, 0.05
# Neighboring observations may be correlated; means of this many hardly are.
GROUP = 8
# Maximum growth per hour beyond chance, of allocated memory and of memory including what glibc
# caches.
LIMITS = {'allocated': ('KiB', 256), 'memory': ('KiB', 1024), 'resident': ('KiB', 1024),
          'files': ('files', 0.5), 'threads': ('threads', 0.5)}


class Allocated:
    """Measures the allocations of a program by allocated.c, in the environment of the systemd
    unit."""

    def __init__(self, test):
        path = test.folder / 'allocated'
        path.write_bytes(bytes(8))
        with path.open('rb') as file:
            self.bytes = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
        test.addCleanup(self.bytes.close)
        # LD_PRELOAD is split at spaces, so the library needs a path without any.
        library = test.folder / 'allocated.so'
        library.symlink_to(os.environ['TEST_ALLOCATED'])
        self.environment = {'LD_PRELOAD': str(library),
                            'TEST_ALLOCATED_FILE': str(path), **common.environment_of_unit()}

    def look(self):
        """One reading, in KiB."""
        return struct.unpack('q', self.bytes[:8])[0] / 1024

    def mean(self):
        looks = []
        for _ in range(READINGS):
            looks.append(self.look())
            time.sleep(READING_SECONDS)
        return statistics.mean(looks)


class Observation:
    """The resources of the process at one time."""

    def __init__(self, monitor, allocated):
        self.allocated = allocated.mean()
        pid = monitor.process.pid
        with open(f'/proc/{pid}/smaps_rollup', encoding='ascii') as file:
            sizes = {line.split()[0]: line.split()[1] for line in file if 'kB' in line}
        self.time = time.monotonic()
        self.memory = int(sizes['Private_Dirty:'])
        self.resident = int(sizes['Rss:'])
        self.files = len(os.listdir(f'/proc/{pid}/fd'))
        self.threads = len(os.listdir(f'/proc/{pid}/task'))


def slope(observations, field):
    """Returns (growth per hour, its standard error), from means of groups."""
    ends = range(len(observations), GROUP - 1, -GROUP)
    groups = [observations[end - GROUP:end] for end in ends]
    times = [statistics.mean(o.time / 3600 for o in group) for group in groups]
    values = [statistics.mean(getattr(o, field) for o in group) for group in groups]
    line = statistics.linear_regression(times, values)
    rest = [v - line.slope * t - line.intercept for t, v in zip(times, values)]
    spread = sum((t - statistics.mean(times)) ** 2 for t in times)
    return line.slope, (sum(r * r for r in rest) / (len(rest) - 2) / spread) ** 0.5


def frames(monitor):
    """Returns (frames of the live camera, frames of a camera that plays a file)."""
    return [monitor.camera(name)['frames'] for name in ('live', 'f0')]


class Visitors:
    """A browser that stays on the page, and Prometheus scraping every second."""

    def __init__(self, test, monitor):
        self.ends = False
        self.threads = [threading.Thread(target=self.visit, args=(monitor, path))
                        for path in ('/events', '/metrics')]
        for thread in self.threads:
            thread.start()
        test.addCleanup(self.close)

    def visit(self, monitor, path):
        while not self.ends:
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection('127.0.0.1', monitor.port, timeout=5)
                with contextlib.closing(connection):
                    connection.request('GET', path)
                    response = connection.getresponse()
                    while not self.ends and response.readline():
                        pass
            time.sleep(1)

    def close(self):
        self.ends = True
        for thread in self.threads:
            thread.join()


@unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
class Endurance(common.Case):
    def outage(self, monitor, server):
        """The server goes away and comes back, and its cameras with it."""
        before = [monitor.camera(f'r{i}')['reconnects'] for i in range(RTSP_CAMERAS)]
        server.kill()
        common.wait_for(lambda: all(monitor.camera(f'r{i}')['state'] != 'up'
                                    for i in range(RTSP_CAMERAS)), 'the loss')
        server.start()
        for i in range(RTSP_CAMERAS):
            camera = monitor.wait_for_state(f'r{i}', 'up')
            self.assertGreater(camera['reconnects'], before[i])

    def warm_up(self, monitor, server):
        """Waits until caches are full."""
        end = time.monotonic() + WARM_UP_SECONDS
        while True:
            monitor.process.send_signal(signal.SIGSTOP)
            time.sleep(STANDSTILL_SECONDS)
            monitor.process.send_signal(signal.SIGCONT)
            time.sleep(SECONDS_UNTIL_QUICK_RETRY if LONG else 1)
            if time.monotonic() >= end:
                return
            self.outage(monitor, server)

    def observe(self, monitor, server, allocated):
        """Takes all observations, each at the same time after an outage."""
        begin, (_, played) = time.monotonic(), frames(monitor)
        observations = []
        while len(observations) < OUTAGES or frames(monitor)[1] < played + FRAMES:
            self.outage(monitor, server)
            time.sleep(SECONDS_UNTIL_QUICK_RETRY - READINGS * READING_SECONDS if LONG else 0)
            observations.append(o := Observation(monitor, allocated))
            if LONG:
                print(len(observations), f'{o.time - begin:.1f} {o.allocated:.1f}', o.memory,
                      o.resident, o.files, o.threads, flush=True)
        return observations

    def test_outages(self):
        server = rtsp.Server(self)
        path = self.clip(RATE * 10, rate=f'{RATE}/1')
        cameras = [f'[camera r{i}]\nuri={server.uri()}\ntransport=tcp\n'
                   for i in range(RTSP_CAMERAS)]
        cameras += [f'[camera f{i}]\nuri={path}\n' for i in range(FILE_CAMERAS)]
        allocated = Allocated(self)
        monitor = self.monitor(config='[camera live]\nuri=test\n' + ''.join(cameras),
                               environment=allocated.environment)
        for camera in monitor.json('cameras'):
            monitor.wait_for_state(camera['name'], 'up')
        Visitors(self, monitor)
        self.warm_up(monitor, server)
        begin, before = time.monotonic(), frames(monitor)
        observations = self.observe(monitor, server, allocated)
        sent = LIVE_RATE * (time.monotonic() - begin)
        live, played = (a - b for a, b in zip(frames(monitor), before))
        lost = max(sent - live, 0)
        common.figure('outages of each of 4 RTSP cameras', len(observations))
        common.figure('frames of each of 11 cameras beside them', played)
        common.figure('frames that a live camera beside them lost', f'{lost:.0f} of {sent:.0f}')
        self.check_growth(observations)
        self.check_others(monitor)
        # Frames are counted four times a second.
        self.assertLess(lost, (0.01 if LONG else 0.05) * sent + LIVE_RATE / 2)

    def check_others(self, monitor):
        for camera in monitor.json('cameras'):
            if camera['name'][0] != 'r':
                full = monitor.camera(camera['name'])
                self.assertEqual((full['state'], full['reconnects'], full['reason']),
                                 ('up', 0, ''))
                self.assertEqual(full['dropped'], 0)
        losses = [e for e in monitor.json('events?limit=1000')
                  if e['condition'] == 'signal-loss' and e['camera'][0] != 'r']
        self.assertEqual(losses, [])
        self.assertEqual(monitor.metrics()['videohistogram_camera_threads'],
                         1 + RTSP_CAMERAS + FILE_CAMERAS)

    def check_growth(self, observations):
        first, last = observations[0], observations[-1]
        growths = {}
        # A single observation of a quick run proves nothing.
        for field, (unit, _) in LIMITS.items() if LONG else ():
            growth, error = slope(observations, field)
            growths[field] = growth - 2 * error
            mean = statistics.mean(getattr(o, field) for o in observations)
            common.figure(f'{field}: growth in an hour',
                          f'{growth:.1f} ± {2 * error:.1f} {unit}, of {mean:.0f}')
        # A request may be in progress. At first, connections of before may still be closing.
        self.assertLessEqual(last.files - first.files, 6)
        self.assertLessEqual(last.threads - first.threads, 6)
        # Allocations are really counted.
        self.assertGreater(first.allocated, 1024)
        self.assertLess(last.allocated, first.allocated + 2 * 1024)
        self.assertLess(last.memory, first.memory + 8 * 1024)
        for field, growth in growths.items():
            self.assertLess(growth, LIMITS[field][1], field)


if __name__ == '__main__':
    common.main(at_once=1)
