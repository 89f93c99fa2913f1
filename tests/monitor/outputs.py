#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Edge cases of outputs: an outage of many cameras, pictures, and a full disk. With Debian's
mosquitto and a receiver that checks signatures."""

import base64
import json
import os
import re
import resource
import signal
import subprocess
import time
import unittest

import broker
import common
import rtsp
import webhook


class Case(webhook.Case):
    TOPICS = ['site/#']

    def setUp(self):
        super().setUp()
        self.broker = broker.Broker(self)
        self.listener = broker.Subscriber(self, self.broker.port, *self.TOPICS)
        self.hook_server = webhook.Server(self)
        self.before = 0

    def outputs(self, *lines):
        return '\n'.join(('[mqtt]', f'broker=mqtt://127.0.0.1:{self.broker.port}', 'prefix=site',
                          *lines, self.hook('ops', self.hook_server.port, *lines)))

    def posts(self):
        with self.hook_server.lock:
            posts = list(self.hook_server.posts)
        for headers, body, _, _ in posts:
            self.assertTrue(webhook.is_signed(headers, body))
        return [json.loads(body) for _, body, _, _ in posts]

    def messages(self):
        """Events and outages received by MQTT, in order."""
        return [json.loads(m['payload']) for m in list(self.listener.messages)
                if m['topic'].startswith('site/events/') or m['topic'] == 'site/outages']

    def told(self):
        """Everything that each output received since settle(), except notices."""
        return [[x for x in letters if x.get('number', 0) > self.before]
                for letters in (self.messages(), self.posts())]

    def settle(self, monitor, names):
        """Waits until all cameras are OK, whatever happened at start."""
        for name in names:
            monitor.wait_for_state(name, 'up')
        common.wait_for(lambda: not any(monitor.camera(n)['active'] for n in names), 'health')
        last = max((e['number'] for e in monitor.json('events')), default=0)
        common.wait_for(lambda: not last or all(
            max((e['number'] for e in singles(t)), default=0) >= last for t in self.told()),
            'the events of before')
        self.before = last

    def since(self, monitor):
        """Events since settle()."""
        return [e for e in common.all_events(monitor) if e['number'] > self.before]

    def notices(self):
        """The notices that each output received."""
        return ([json.loads(m) for m in self.listener.all('site/notices')],
                [p['notice'] for p in self.posts() if 'notice' in p])


def singles(letters):
    """The single events in @letters, in order."""
    return [e for letter in letters for e in letter.get('events', [letter])]


class Pictures(Case):
    def test_as_the_api(self):
        """An event says whether it has a picture, as in the API, whether the picture came with the
        next frame, was there before, or never comes."""
        # The file of the camera "slow" ends and loops after more than a second: a signal loss
        # with a picture.
        white = self.clip(30, 'white', '10/1')
        monitor = self.monitor(config=(
            '[cameras]\nrules=bright,duration=0s,hold=0s;signal-loss,enter=0.5,leave=0.3\n'
            f'[camera white]\nuri={white}\nconditions=bright\n'
            '[camera gone]\nuri=rtsp://127.0.0.1:1/gone\nconditions=signal-loss\n'
            f'[camera slow]\nuri={self.clip(3, "ball", "1/1")}\nconditions=signal-loss\n')
            + self.outputs())
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, 'INSERT OR REPLACE INTO reference VALUES '
                       "('slow', 1000000, x'ffd8')")
        monitor.start()

        def complete():
            seen = {(e['camera'], e['picture']) for e in common.all_events(monitor)}
            return seen >= {('white', True), ('gone', False), ('slow', True)}
        common.wait_for(complete, 'pictures of events')
        self.assertEqual(len(common.all_events(monitor)) > 2, True)
        last = common.all_events(monitor)[-1]['number']
        common.wait_for(lambda: all(singles(t)[-1]['number'] >= last for t in self.told()),
                        'these events')
        stored = {e['number']: e for e in common.all_events(monitor)}
        self.assertIn('1970-01-01T00:00:01.000Z', [e['reference'] for e in stored.values()])
        for letters in self.told():
            for letter in letters:
                for event in letter.get('events', []):
                    self.assertEqual(event, stored[event['number']])
                if 'events' not in letter:
                    self.assertEqual(letter, common.as_sent(monitor, stored[letter['number']]))

    def test_none_are_kept(self):
        """There is no picture if no room is allowed for pictures."""
        white = self.clip(30, 'white', '10/1')
        monitor = self.monitor(config=(
            f'[camera white]\nuri={white}\nconditions=bright\nrules=bright,duration=0s\n'
            '[store]\npictures=0\n') + self.outputs())
        common.wait_for(lambda: all(self.told()), 'the event')
        event = common.as_sent(monitor, monitor.json('events')[0])
        self.assertEqual([singles(t)[0] for t in self.told()], [event, event])
        self.assertIs(event['picture'], False)


class WithPictures(Case):
    # Payloads of site/pictures are no text.
    TOPICS = ['site/events/#', 'site/outages']

    def test_sent(self):
        """With pictures=true, an event comes with the picture that the API has, in the JSON of a
        webhook, and by MQTT in a message before it. After kill -9 it comes with the same."""
        received = subprocess.Popen(
            ['mosquitto_sub', '-p', str(self.broker.port), '-q', '1', '-t', 'site/pictures/#',
             '-t', 'site/events/#', '-F', '%t %x', '-C', '2'], stdout=subprocess.PIPE, text=True)
        self.addCleanup(received.stdout.close)
        self.addCleanup(received.kill)
        self.hook_server.answers = iter([503] + [204] * 100)
        white = self.clip(30, 'white', '10/1')
        monitor = self.monitor(config=(
            f'[camera wh ite]\nuri={white}\nconditions=bright\nrules=bright,duration=0s\n'
            + self.outputs('pictures=true')))
        common.wait_for(lambda: all(self.told()), 'the event')
        event = monitor.json('events')[0]
        picture = monitor.ask('/api/v1/events/1/picture').body
        self.assertEqual(picture[:2], b'\xff\xd8')
        lines = [line.rpartition(' ') for line in received.communicate(
            timeout=common.MAX_WAIT_SECONDS)[0].splitlines()]
        self.assertEqual([topic for topic, _, _ in lines],
                         ['site/pictures/wh ite', 'site/events/wh ite'])
        self.assertEqual(bytes.fromhex(lines[0][2]), picture)
        self.assertEqual(json.loads(bytes.fromhex(lines[1][2])), common.as_sent(monitor, event))
        # The first attempt was refused.
        monitor.kill()
        monitor.start()
        posts = common.wait_for(lambda: len(self.posts()) > 1 and self.posts(), 'another attempt')
        for post in [p for p in posts if p['number'] == 1]:
            self.assertEqual(base64.b64decode(post.pop('jpeg')), picture)
            self.assertEqual(post['link'].partition('#')[2],
                             f'camera/wh%20ite?at={event["time"][:19]}Z')

    def test_not_sent(self):
        """A picture that is too large, or gone, does not come, and the event does."""
        white = self.clip(30, 'white', '10/1')
        monitor = self.monitor(config=(
            f'[camera a]\nuri={white}\nconditions=bright\nrules=bright,duration=0s\n'
            + self.hook('ops', 1, 'pictures=true')))
        common.wait_for(lambda: monitor.ask('/api/v1/events/1/picture').status == 200, 'a picture')
        monitor.kill()
        common.run_sql(monitor, 'UPDATE pictures SET jpeg = zeroblob (131073)')
        monitor.config.write_text(monitor.config.read_text().replace(
            '127.0.0.1:1/', f'127.0.0.1:{self.hook_server.port}/'))
        monitor.start()
        common.wait_for(self.posts, 'the event')
        self.assertEqual((self.posts()[0]['number'], self.posts()[0]['picture']), (1, True))
        self.assertNotIn('jpeg', self.posts()[0])


class Places(Case):
    def test_groups(self):
        """Cameras that are lost together belong to one outage if they have the same host or the
        same group as another one of them."""
        places = {'a': (2, 'Yard'), 'b': (3, 'Yard'), 'c': (3, None), 'd': (4, None),
                  'e': (5, 'Hall'), 'f': (6, 'Hall'), 'g': (7, 'Roof'), 'h': (7, 'Roof'),
                  'i': (8, 'Alone')}
        monitor = self.monitor(config=(
            '[cameras]\nrules=signal-loss,enter=1,leave=0.5\nconditions=signal-loss\n'
            + ''.join(f'[camera {name}]\nuri=rtsp://127.0.0.{host}:1/{name}\n'
                      + (f'group={group}\n' if group else '')
                      for name, (host, group) in places.items()) + self.outputs()))
        common.wait_for(lambda: all(len(singles(t)) == 9 for t in self.told()), 'all losses')
        for letters in self.told():
            outages = {''.join(sorted(x['members'])): (x['words'], x['host'], x['group'])
                       for x in letters if 'events' in x}
            self.assertEqual(outages, {
                'abc': ('no video from 3 cameras', '', ''),
                'ef': ('no video from 2 cameras in group Hall', '', 'Hall'),
                'gh': ('no video from 2 cameras on 127.0.0.7 in group Roof', '127.0.0.7', 'Roof')})
            self.assertEqual(sorted(x['camera'] for x in letters if 'camera' in x), ['d', 'i'])
            for outage in (x for x in letters if 'events' in x):
                self.assertEqual(outage['link'], f'http://127.0.0.1:{monitor.port}/')
                self.assertEqual(outage['severity'], 'lost')
                self.assertEqual(outage['members'], [e['camera'] for e in outage['events']])

    def test_many_after_a_restart(self):
        """An outage of more cameras than are read at once is one message after a restart, too."""
        config = '[camera a]\nuri=test\nconditions=dark\n' + self.hook('ops', 1)
        monitor = self.monitor(config=config)
        monitor.kill()
        # It may not have stored its output yet, which would start with the next event.
        common.run_sql(monitor, "INSERT OR IGNORE INTO outputs VALUES ('webhook ops', 0)", *(
            'INSERT INTO events (camera, condition, active, topic_active, value, threshold, time,'
            f" since, reason, outage) VALUES ('c{i}', 'signal-loss', 1, 1, 1, 1, 1, 1, '', 7)"
            for i in range(250)))
        monitor.config.write_text(config.replace('127.0.0.1:1/',
                                                 f'127.0.0.1:{self.hook_server.port}/'))
        monitor.start()
        # The ends of conditions of cameras that are not configured follow.
        outage = common.wait_for(lambda: [p for p in self.posts() if p.get('active')], 'it')[0]
        self.assertEqual(outage['members'], [f'c{i}' for i in range(250)])


@unittest.skipUnless(rtsp.is_there(), rtsp.MISSING)
class Outage(Case):
    RULES = '[cameras]\nrules=signal-loss,enter=1,leave=0.5\nconditions=signal-loss\n'

    def cameras(self, server, names):
        return ''.join(f'[camera {n}]\nuri={server.uri()}\n' for n in names)

    def numbers(self, letters):
        return [e['number'] for e in singles(letters)]

    def test_one_notification(self):
        """Killing a server causes one notification, and its return another; in the API each camera
        keeps its own events. Another host is notified separately."""
        server = rtsp.Server(self, 'small')
        names = [f'c{i}' for i in range(6)]
        monitor = self.monitor(config=self.RULES + self.cameras(server, names) +
                               '[camera other]\nuri=rtsp://localhost:1/a\n' + self.outputs())
        common.wait_for(lambda: monitor.camera('other')['active'], 'the loss of the other')
        self.settle(monitor, names)
        server.kill()
        for active, words in ((True, 'no video from 6 cameras on 127.0.0.1'),
                              (False, 'video is back from 6 cameras on 127.0.0.1')):
            if not active:
                server.start()
            common.wait_for(lambda a=active: all(
                [x for x in t if 'events' in x and x['active'] is a] for t in self.told()), words)
            stored = {e['number']: e for e in common.all_events(monitor)}
            for letters in self.told():
                outages = [x for x in letters if 'events' in x and x['active'] is active]
                self.assertEqual(len(outages), 1)
                outage = outages[0]
                self.assertEqual(sorted(e['camera'] for e in outage['events']), names)
                self.assertEqual(outage['events'], [stored[e['number']] for e in
                                                    outage['events']])
                self.assertEqual({e['outage'] for e in outage['events']}, {outage['outage']})
                self.assertEqual((outage['words'], outage['host'], outage['number']),
                                 (words, '127.0.0.1', outage['events'][-1]['number']))
                # No camera has a notification of its own.
                self.assertEqual([x for x in letters if 'camera' in x], [])
            self.assertEqual([[a['outage'] for a in monitor.camera(n)['active']] for n in names],
                             [[outage['outage']] if active else []] * 6)
        self.assertEqual(monitor.camera('c0')['host'], '127.0.0.1')
        self.assertEqual(len({e['outage'] for e in self.since(monitor)}), 1)
        self.assertEqual([e['outage'] for e in stored.values() if e['camera'] == 'other'], [None])
        # Each camera has its own state.
        for name in names:
            self.listener.wait_for_state(f'site/onvif-ej/VideoSource/SignalLoss/&{name}', False)

    def test_killed_while_it_waits(self):
        """Events that waited to be grouped when the program was killed are sent afterwards,
        once."""
        server = rtsp.Server(self, 'small')
        monitor = self.monitor(config=self.RULES + self.cameras(server, 'abc') +
                               '[camera well]\nuri=rtsp://127.0.0.1:1/x\nrules=signal-loss,'
                               'enter=3600,leave=1\n' + self.outputs())
        self.settle(monitor, 'abc')
        server.kill()
        common.wait_for(lambda: len(self.since(monitor)) >= 3, 'events')
        monitor.kill()
        self.assertEqual(self.told(), [[], []])
        monitor.start()
        common.wait_for(lambda: all(self.told()), 'the outage')
        for letters in self.told():
            self.assertEqual(self.numbers(letters), [self.before + i for i in (1, 2, 3)])
            self.assertEqual(len(letters), 1)
        # After a restart, the return belongs to the same outage.
        server.start()
        common.wait_for(lambda: all(len(t) > 1 for t in self.told()), 'the return')
        for letters in self.told():
            self.assertEqual(letters[1]['outage'], letters[0]['outage'])

    def test_sixteen_killed_twice(self):
        """16 cameras are lost, and the program is killed before it reported all of them, and
        again while they come back: no event is missing, and none comes twice."""
        server = rtsp.Server(self, 'small')
        names = [f'c{i:02}' for i in range(16)]
        config = (self.RULES + self.cameras(server, names) +
                  '[camera well]\nuri=rtsp://127.0.0.1:1/x\nrules=signal-loss,enter=3600,leave=1\n'
                  + self.outputs())
        monitor = self.monitor(config=config)
        self.settle(monitor, names)
        self.hook_server.answers = iter([500, 500] + [204] * 100)
        for active in (True, False):
            def changed(active=active):
                return {e['camera'] for e in self.since(monitor) if e['active'] is active}

            def told(active=active):
                return [{e['camera'] for e in singles(t) if e['active'] is active}
                        for t in self.told()]
            (server.kill if active else server.start)()
            common.wait_for(changed, 'the first of them')
            monitor.kill()
            monitor.start()
            common.wait_for(lambda: len(changed()) == 16, 'all of them')
            common.wait_for(lambda: told() == [set(names)] * 2, 'all in the outputs')

        def each_once():
            # Those that were refused came again, with the same number.
            once = [{x['number']: x for x in letters}.values() for letters in self.told()]
            stored = [e['number'] for e in self.since(monitor)]
            return all(sorted(self.numbers(letters)) == stored for letters in once)
        common.wait_for(each_once, 'each event once')

    def test_not_all_come_back(self):
        """The return of one camera does not wait for the others if it is lost again: each camera's
        events arrive in order, and a single loss is an ordinary event."""
        a, b = (rtsp.Server(self, 'small') for _ in range(2))
        # On a busy machine, frames may come late by more than the second that the others allow,
        # which would be another loss.
        monitor = self.monitor(config=self.RULES.replace('enter=1', 'enter=4') +
                               self.cameras(a, 'a') + self.cameras(b, 'b') + self.outputs())
        self.settle(monitor, 'ab')
        a.kill()
        b.kill()
        common.wait_for(lambda: all(self.told()), 'the outage')
        a.start()
        common.wait_for(lambda: not monitor.camera('a')['active'], 'a')
        begin = time.monotonic()
        a.kill()
        common.wait_for(lambda: all(len(singles(t)) >= 4 for t in self.told()), 'a again')
        # Otherwise it would wait 20 s for b.
        self.assertLess(time.monotonic() - begin, 15)
        for letters in self.told():
            self.assertEqual([e['active'] for e in singles(letters) if e['camera'] == 'a'],
                             [True, False, True])
            self.assertEqual(self.numbers(letters), sorted(self.numbers(letters)))
            self.assertEqual([len(x.get('events', 'x')) for x in letters], [2, 1, 1])

    def test_given_up(self):
        """Each event of an outage becomes a dead letter, and they are sent again together."""
        self.hook_server.answers = iter([404] + [204] * 100)
        config = (self.RULES + '[camera a]\nuri=rtsp://127.0.0.1:1/a\n'
                  '[camera b]\nuri=rtsp://127.0.0.1:1/b\n')
        monitor = self.monitor(config=config + self.outputs())
        letters = common.wait_for(lambda: len(monitor.json('dead-letters')) == 2 and
                                  monitor.json('dead-letters'), 'dead letters')
        self.assertEqual([x['event']['number'] for x in letters], [1, 2])
        self.assertEqual(common.progress(monitor, 'webhook ops'), 2)
        answer = monitor.ask('/api/v1/dead-letters/requeue', 'POST')
        self.assertEqual(answer.json(), {'count': 2})
        common.wait_for(lambda: len(self.posts()) == 2, 'another attempt')
        self.assertEqual(self.numbers(self.posts()), [1, 2, 1, 2])
        common.wait_for(lambda: monitor.json('dead-letters') == [], 'no dead letters')
        output = monitor.output_named('webhook ops')
        self.assertEqual((output['queued'], output['dead'], output['delivered']), (0, 0, 2))


def can_mount():
    return subprocess.run(['unshare', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs',
                           'tmpfs', '/mnt'], capture_output=True, check=False).returncode == 0


class Notices(Case):
    def stop_broker(self, monitor):
        self.broker.stop()
        common.wait_for(lambda: not monitor.output_named('mqtt')['up'], 'the loss')

    def test_not_connected(self):
        """Notices made while the broker cannot be reached, as at each start, arrive once it can, in
        order. One that the broker may not have received is sent again."""
        self.listener = broker.Subscriber(self, self.broker.port, *self.TOPICS, session='listener')
        monitor = self.monitor('a=test', config=self.outputs())

        def told():
            return [[n for i, n in enumerate(some) if n not in some[:i]]
                    for some in self.notices()]

        def wait_for(*texts):
            def are_all_told():
                return all(len(some) == len(texts) and all(
                    n['text'].startswith(text) for n, text in zip(some, texts)) for some in told())
            common.wait_for(are_all_told, texts)

        def reload(text):
            count = len(monitor.json('notices'))
            monitor.config.write_text(text)
            monitor.process.send_signal(signal.SIGHUP)
            common.wait_for(lambda: len(monitor.json('notices')) > count, 'a notice')

        monitor.wait_for_state('a', 'up')
        config = monitor.config.read_text()
        monitor.kill()
        common.run_sql(monitor, 'UPDATE running SET time = time - 6000000000')
        monitor.start()
        gap = 'The monitor did not run for at most 1 h 4'
        wait_for(gap)
        common.wait_for(lambda: monitor.output_named('mqtt')['up'], 'the broker')
        self.stop_broker(monitor)
        reload('[camera')
        reload(config)
        self.broker.start()
        wait_for(gap, 'Key file not reloaded', 'Key file reloaded')
        self.assertEqual(*told())
        # A notice that the broker has acknowledged is not sent again over the next connection.
        time.sleep(2)
        count = len(self.listener.all('site/notices'))
        self.stop_broker(monitor)
        self.broker.start()
        common.wait_for(lambda: monitor.output_named('mqtt')['up'], 'the next connection')
        reload('[camera')
        wait_for(gap, 'Key file not reloaded', 'Key file reloaded', 'Key file not reloaded')
        self.assertEqual(len(self.listener.all('site/notices')), count + 1)


class Full(Case):
    """The disk is full: states are sent, people are notified, and no event is lost."""

    CONFIG = common.BUSY.replace('conditions=signal-loss', 'conditions=signal-loss;bright')

    def check(self, fill, free, **options):
        path = self.clip(300, rate='1/1')
        monitor = self.monitor(*(f'c{i}={path}' for i in range(3)),
                               config=self.CONFIG + self.outputs(), **options)
        topic = 'site/onvif-ej/VideoSource/SignalLoss/&c0'
        common.wait_for(lambda: all(self.told()), 'events')
        fill(monitor)
        common.wait_for(lambda: monitor.ask('/healthz').status == 503, 'trouble')
        common.wait_for(lambda: all(self.notices()), 'notices')
        self.assertRegex(monitor.json('notices')[0]['text'], '^Cannot store events: ')
        before = self.listener.all(topic)
        stored = monitor.json('events')[-1]['number']
        metrics = monitor.metrics()

        def states():
            return [json.loads(s)['Data']['State'] for s in
                    self.listener.all(topic)[len(before):]]
        common.wait_for(lambda: len(states()) >= 4, 'states that change')
        self.assertEqual(set(states()), {True, False})
        # Metrics and the page show the same events.
        name = 'videohistogram_health_transitions_total{camera="c0",condition="signal-loss",'
        now = monitor.metrics()
        self.assertGreater(now[name + 'to="active"}'], metrics[name + 'to="active"}'])
        self.assertEqual(now['videohistogram_store_up'], 0)
        # An acknowledgement that cannot be stored is refused.
        answer = monitor.ask(f'/api/v1/events/{stored}/acknowledge', 'POST')
        self.assertEqual(answer.status, 503, answer.text)
        self.assertFalse(monitor.json('events')[-1]['acknowledged'])
        # Events wait for the commit.
        self.assertEqual(monitor.json('events')[-1]['number'], stored)
        for letters in self.told():
            self.assertLessEqual(singles(letters)[-1]['number'], stored)
        free(monitor)
        common.wait_for(lambda: monitor.ask('/healthz').status == 200, 'health')
        last = common.wait_for(lambda: [e for e in common.all_events(monitor)][-1:], 'events')
        common.wait_for(lambda: all(singles(t)[-1]['number'] > last[0]['number']
                                    for t in self.told()), 'events that were stored late')
        for letters in self.told():
            numbers = [e['number'] for e in singles(letters)]
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        for notices in self.notices():
            self.assertEqual(len(notices), 2, notices)
            self.assertRegex(notices[0]['text'], '^Cannot store events: ')
            self.assertRegex(notices[1]['text'],
                             '^Events are being stored again, after failures since ')
            self.assertEqual([n['over'] for n in notices], [False, True])
        # Pending data is stored. The API has times in UTC, and the outputs have local ones.
        utc = re.compile(r'\d{4}-\d\d-\d\dT[\d:.]+Z')
        for notices in self.notices():
            self.assertIsNone(utc.search(notices[1]['text']))
        local = re.compile(r'(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d')
        self.assertEqual([utc.sub('TIME', n['text']) for n in monitor.json('notices')],
                         [local.sub('TIME', n['text']) for n in self.notices()[0][::-1]])

    def test_limit(self):
        """A file size limit acts as a full disk, and needs no privileges."""
        def limit(monitor, size):
            resource.prlimit(monitor.process.pid, resource.RLIMIT_FSIZE, (size, -1))
        # The log file is smaller than a page of the database.
        self.check(lambda m: limit(m, max(4096, m.log.stat().st_size + 2048)),
                   lambda m: limit(m, -1))

    @unittest.skipUnless(can_mount(), 'no file system can be mounted here')
    def test_small_disk(self):
        """A file system of 3 MB, in a namespace of the program's own."""
        (self.folder / 'state').mkdir()
        mounted = self.folder / 'mounted'
        mounted.write_text('#!/bin/sh\nexec unshare --map-root-user --mount sh -c \'mount -t '
                           f'tmpfs -o size=3m,mode=700 tmpfs {self.folder}/state && '
                           f'exec "$0" "$@"\' {common.PROGRAM} "$@"\n')
        mounted.chmod(0o755)

        def filler(monitor):
            return f'/proc/{monitor.process.pid}/root{self.folder}/state/filler'

        def fill(monitor):
            with open(filler(monitor), 'wb') as file:
                try:
                    while True:
                        os.write(file.fileno(), bytes(4096))
                except OSError as error:
                    self.assertEqual(error.errno, 28)
        program, common.PROGRAM = common.PROGRAM, str(mounted)
        try:
            self.check(fill, lambda m: os.unlink(filler(m)))
        finally:
            common.PROGRAM = program


if __name__ == '__main__':
    if not broker.is_there():
        common.skip('there is no mosquitto')
    common.main()
