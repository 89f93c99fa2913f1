#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Published events survive, whatever happens to the program or its database."""

import contextlib
import datetime
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import unittest

import common

# More than the event stream reads at once.
MANY_EVENTS = """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
    INSERT INTO events
        (camera, condition, active, topic_active, value, threshold, time, since, reason)
        SELECT 'gone', 'signal-loss', i % 2, i % 2, 0, 0, i, i, '' FROM n"""


class Case(common.Case):
    def database(self):
        return self.folder / 'state/monitor.db'


def seconds_of(text):
    return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()


def read_events(monitor, seconds, events, after=0):
    """Adds published events to {number: event}, each once and in order, as they arrive or from
    @after on."""
    connection = http.client.HTTPConnection('127.0.0.1', monitor.port, timeout=seconds)
    with contextlib.closing(connection), contextlib.suppress(OSError):
        connection.request('GET', '/events', headers={'Last-Event-ID': str(after)})
        response = connection.getresponse()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            line = response.readline()
            if line.startswith(b'data: {"number"'):
                event = json.loads(line[6:])
                assert event['number'] > max(events, default=0), event
                events[event['number']] = event


class Away(Case):
    def test_nothing_is_missed(self):
        """Events from before, and events that arrive while those are fetched."""
        monitor = self.busy()
        common.wait_for(lambda: len(monitor.json('events')) > 20, 'events')
        for _ in range(5):
            seen = {}
            read_events(monitor, 1.5, seen, after=1)
            self.assertEqual(list(seen), list(range(2, len(seen) + 2)))
            self.assertGreater(len(seen), 20)

    def test_odd_ids(self):
        """An invalid event number counts as absent: stored events are neither sent nor read over
        and over."""
        monitor = self.busy(1)
        common.wait_for(lambda: monitor.json('events'), 'an event')
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, MANY_EVENTS)
        monitor.start()
        last = monitor.json('events')[-1]['number']
        for odd in ('-1', str(2 ** 63), str(2 ** 64), 'x', '1x', ''):
            with self.subTest(odd=odd):
                seen = {}
                before = common.processor_seconds(monitor)
                read_events(monitor, 2, seen, after=odd)
                self.assertGreater(min(seen, default=last + 1), last)
                self.assertLess(common.processor_seconds(monitor) - before, 0.3)


    def test_numbers_of_another_database(self):
        """A client that has seen higher numbers than exist gets new events from now on."""
        monitor = self.busy(2)
        last = common.wait_for(lambda: monitor.json('events'), 'an event')[-1]['number']
        for odd in (last + 1000, 2 ** 63 - 1):
            last = monitor.json('events')[-1]['number']
            seen = {}
            read_events(monitor, 4, seen, after=odd)
            self.assertGreater(len(seen), 2)
            self.assertGreater(min(seen), last)
            self.assertEqual(list(seen), list(range(min(seen), max(seen) + 1)))


class Kill(Case):
    def test_nothing_is_lost(self):
        monitor = self.busy()
        published = {}
        rng = random.Random(5)
        for _ in range(4):
            before = len(published)
            read_events(monitor, rng.uniform(2, 4), published)
            monitor.kill()
            self.assertGreater(len(published), before + 5)
            monitor.start()
            stored = {}
            while True:
                some = monitor.json(f'events?limit=1000&after={max(stored, default=0)}')
                if not some:
                    break
                stored.update((e['number'], e) for e in some)
            for number, event in published.items():
                # Only the picture may have come later.
                self.assertEqual({**stored[number], 'picture': 0}, {**event, 'picture': 0})
        # Starts and ends alternate, even across kills.
        last = {}
        for _, event in sorted(stored.items()):
            self.assertNotEqual(last.get(event['camera'], False), event['active'], event)
            last[event['camera']] = event['active']


class Active(Case):
    def test_goes_on(self):
        """A condition that is active when the program is killed or a camera changed stays active
        until it is known to be over: nobody is notified, and acknowledgements stay."""
        # In a file that loops, nothing lasts longer than the file.
        path = self.clip(100, 'white', '10/1')
        config = ('[camera gone]\nuri=rtsp://127.0.0.1:1/gone\ntimeout={0}\n'
                  'conditions=signal-loss\n'
                  '[camera white]\nuri={1}\ntimeout={0}\nconditions=bright\n')
        monitor = self.monitor(config=config.format(10, path))

        def active(name):
            return monitor.camera(name)['active']
        for name in ('gone', 'white'):
            common.wait_for(lambda n=name: active(n) and active(n)[0]['event'], name)
        number = active('gone')[0]['event']
        self.assertEqual(monitor.ask(f'/api/v1/events/{number}/acknowledge', 'POST').status, 200)
        before = self.known(monitor)
        monitor.kill()
        monitor.start()
        self.check_unchanged(monitor, before)
        monitor.config.write_text(config.format(11, path))
        monitor.reload()
        self.check_unchanged(monitor, before)
        # With another picture, both conditions end.
        path = self.clip(100, 'ball', '10/1')
        monitor.config.write_text(config.format(11, path).replace('rtsp://127.0.0.1:1/gone',
                                                                  str(path)))
        monitor.reload()
        common.wait_for(lambda: len(monitor.json('events')) >= 4, 'the ends')
        self.assertEqual(active('gone') + active('white'), [])
        self.assertEqual([(e['camera'], e['condition'], e['active'])
                          for e in sorted(monitor.json('events')[2:4], key=lambda e: e['camera'])],
                         [('gone', 'signal-loss', False), ('white', 'bright', False)])

    def test_does_not_begin_again(self):
        """The saved state of a camera may be older than its last event."""
        config = '[camera a]\nuri={}\nconditions=bright\n'
        monitor = self.monitor(config=config.format(self.clip(100, 'white', '10/1')))
        common.wait_for(lambda: monitor.camera('a')['active'], 'bright')
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, 'INSERT INTO events (camera, condition, active, topic_active, '
                       'value, threshold, time, since, reason) SELECT camera, condition, 0, 0, 0, '
                       "0.5, time, since, '' FROM events")
        monitor.config.write_text(config.format(self.clip(100, 'ball', '10/1')))
        monitor.start()
        common.wait_for(lambda: monitor.camera('a')['frames'] > 8 * 10, 'frames')
        self.assertEqual([e['active'] for e in monitor.json('events')], [True, False])

    def known(self, monitor):
        """All events except pictures, which may come later, and all active conditions except their
        values, and whether frames have confirmed them."""
        return ([{**e, 'picture': 0} for e in monitor.json('events')],
                [{**c, 'value': 0, 'scale': 0, 'starts': 0, 'unconfirmed': 0}
                 for name in ('gone', 'white') for c in monitor.camera(name)['active']])

    def check_unchanged(self, monitor, before):
        """Waits longer than any condition takes to start."""
        begin = time.monotonic()
        while time.monotonic() < begin + 9 or monitor.camera('white')['frames'] < 9 * 10:
            time.sleep(0.2)
            self.assertEqual(self.known(monitor), before)


class Removed(Case):
    def test_ends(self):
        """Removing a camera ends its active conditions once, whether the program runs or not."""
        rest = '[camera b]\nuri=test\n'
        monitor = self.monitor(config=common.LOST + rest)

        def events():
            return [(e['camera'], e['condition'], e['active'], e['reason'])
                    for e in common.all_events(monitor) if not e['active']]
        end = ('a', 'signal-loss', False, 'no longer watched')
        common.wait_for(lambda: monitor.camera('a')['active'], 'signal-loss')
        monitor.config.write_text(rest)
        for _ in range(3):
            monitor.process.send_signal(signal.SIGHUP)
        common.wait_for(events, 'the end')
        monitor.reload()
        self.assertEqual(events(), [end])

        monitor.config.write_text(common.LOST + rest)
        monitor.reload()
        common.wait_for(lambda: monitor.camera('a')['active'], 'signal-loss again')
        monitor.kill()
        monitor.config.write_text(common.LOST.replace('camera a', 'camera c') + rest)
        monitor.start()
        common.wait_for(lambda: monitor.camera('c')['active'], 'signal-loss by another name')
        self.assertEqual(events(), [end, end])


class Damage(Case):
    def damage(self, change):
        monitor = self.busy(2)
        common.wait_for(lambda: len(monitor.json('events')) > 4, 'events')
        self.assertEqual(monitor.stop(), 0)
        before = max(e['number'] for e in self.stored())
        change(self.database())
        damaged = self.database().read_bytes()
        monitor.start()
        self.assertRegex(monitor.output(), r'database is damaged: it was renamed to .*\.damaged-.* '
                         'and replaced by an empty one')
        kept = list((self.folder / 'state').glob('monitor.db.damaged-*'))
        self.assertEqual([p.read_bytes() for p in kept], [damaged])
        number = common.wait_for(lambda: monitor.json('events'), 'events')[0]['number']
        self.assertGreater(number, before)
        self.assertEqual(monitor.ask('/healthz').status, 200)

    def stored(self):
        with contextlib.closing(sqlite3.connect(self.database())) as db:
            return [{'number': n} for n, in db.execute('SELECT number FROM events')]

    def test_garbage(self):
        self.damage(lambda path: path.write_bytes(b'x' * 5000))

    def test_damaged_pages(self):
        def change(path):
            data = bytearray(path.read_bytes())
            for page in range(1, len(data) // 4096):
                data[page * 4096:page * 4096 + 100] = b'\xff' * 100
            path.write_bytes(data)
        self.damage(change)

    def test_newer(self):
        """A database of a newer version is not treated as damaged, and stays as it is."""
        monitor = self.busy(1)
        self.assertEqual(monitor.stop(), 0)
        with contextlib.closing(sqlite3.connect(self.database())) as db:
            db.execute('PRAGMA user_version = 99')
        status, output = common.check('--directory', str(self.folder / 'state'), 'test')
        self.assertEqual(status, 1)
        self.assertIn('created by a newer version of videohistogram-monitor', output)


class Notices(Case):
    """Those of earlier versions."""

    FOLDER = '/home/ann/cameras'
    # text, whether it says that a problem is over, kind now, text now
    OLD = (
        (f'Key file not reloaded, the previous one stays in effect: {FOLDER}/cam.conf:3: '
         '[camera a] credentials: ann:pass-word: No such file', 0, 'configuration',
         'Key file not reloaded, the previous one stays in effect.'),
        (f'Configuration not reloaded, the previous one stays in effect: {FOLDER}/cam.conf:1: x', 0,
         'configuration', 'Key file not reloaded, the previous one stays in effect.'),
        (f'The configuration was not read again, since {FOLDER}/cam.conf has errors', 0,
         'configuration', 'Key file not reloaded, the previous one stays in effect.'),
        ('Configuration reloaded.', 1, 'configuration', 'Key file reloaded.'),
        (f'Cannot store events: {FOLDER}/monitor.db: disk is full. States are still published.', 0,
         'database', 'Cannot store events.'),
        ('Events are being stored again, after failures since 2026-01-02T03:04:05Z.', 1, 'database',
         'Events are being stored again, after failures since 2026-01-02T03:04:05Z.'),
        ('GPU lost; cameras continue on the CPU: no reason.', 0, 'gpu',
         'GPU lost; cameras continue on the CPU: no reason.'),
        (f'Something in {FOLDER}', 0, None, None),
    )
    # What it becomes, if it changes; every second one is of an end.
    REASONS = (('cannot connect to rtsp://192.0.2.1:554', None),
               ('was active while it was quiet', 'the snooze is over, or the quiet hours are; the '
                'alarm goes on and is no longer quiet'),
               ('no video for 10 seconds', None), ('Could not open rtsp://192.0.2.1/...', None),
               (f'Could not open file "{FOLDER}/a.mkv" for reading',
                'the log of that time has the reason'))

    def test_quote_nothing(self):
        monitor = self.monitor(config=common.LOST)
        common.wait_for(lambda: monitor.json('events'), 'an event')
        self.assertEqual(monitor.stop(), 0)
        with contextlib.closing(sqlite3.connect(self.database())) as db:
            # What was added since then
            db.execute('ALTER TABLE events DROP COLUMN active_since')
            db.execute('ALTER TABLE actions DROP COLUMN note')
            db.execute('ALTER TABLE events DROP COLUMN note')
            db.execute('ALTER TABLE snoozes DROP COLUMN note')
            db.execute('DROP INDEX pictures_by_reference')
            db.execute('ALTER TABLE pictures DROP COLUMN reference')
            db.execute('DROP TABLE past_references')
            for trigger in ('alarm_begins', 'alarm_ends', 'alarm_is_acknowledged'):
                db.execute(f'DROP TRIGGER {trigger}')
            db.execute('DROP INDEX alarms_to_do')
            db.execute('DROP INDEX alarms_to_do_by_series')
            db.execute('ALTER TABLE alarms DROP COLUMN is_to_do')
            for trigger in ('alarm_begins', 'alarm_ends', 'alarm_is_acknowledged'):
                db.execute(f'CREATE TRIGGER {trigger} AFTER INSERT ON events BEGIN SELECT 1; END')
            db.execute('DELETE FROM notices')
            db.execute('DROP TABLE running')
            db.execute('DROP TABLE first_watched')
            for column in ('kind', 'detail', 'since'):
                db.execute(f'ALTER TABLE notices DROP COLUMN {column}')
            for i, (text, over, *_) in enumerate(self.OLD):
                db.execute('INSERT INTO notices (time, text, over) VALUES (?, ?, ?)',
                           (1000000 * i, text, over))
            for i, (reason, _) in enumerate(self.REASONS):
                db.execute('INSERT INTO events (camera, condition, active, topic_active, value, '
                           'threshold, time, since, reason) VALUES '
                           "('old', 'signal-loss', ?, 0, 0, 0, ?, 0, ?)", (i + 1 & 1, i, reason))
            db.execute('PRAGMA user_version = 9')
            db.commit()
        monitor.start()
        notices = monitor.json('notices')[::-1]
        self.assertEqual([(n['over'], n['kind'], n['text']) for n in notices],
                         [(bool(over), kind, now) for _, over, kind, now in self.OLD if kind])
        reasons = [e['reason'] for e in monitor.json('events?camera=old')]
        self.assertEqual(sorted(reasons), sorted(
            now or reason for reason, now in self.REASONS))


class Gap(Case):
    def test_program(self):
        """A notice says that the program did not run, but not after a restart, and not after a time
        without cameras."""
        monitor = self.monitor('a=test')
        monitor.wait_for_state('a', 'up')
        self.assertEqual(monitor.stop(), 0)
        monitor.start()
        monitor.wait_for_state('a', 'up')
        self.assertEqual(monitor.json('notices'), [])
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, 'UPDATE minutes SET minute = minute - 1000')
        monitor.start()
        monitor.wait_for_state('a', 'up')
        self.assertEqual(monitor.json('notices'), [])
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, 'UPDATE running SET time = time - 6000000000')
        monitor.start()
        notice = common.wait_for(lambda: monitor.json('notices'), 'the notice')[0]
        self.assertEqual((notice['kind'], notice['over']), ('program', False))
        minutes = 60 + int(re.match(r'The monitor did not run for at most 1 h (\d+) min, ',
                                    notice['text'])[1])
        self.assertAlmostEqual(minutes, 100, delta=2)
        since, end = (datetime.datetime.fromisoformat(notice[key].replace('Z', '+00:00'))
                      for key in ('since', 'time'))
        self.assertAlmostEqual((end - since).total_seconds() / 60, minutes, delta=1)

    def test_last_run(self):
        """A gap starts when the program was last known to run, by a note or by an event, and its
        duration is the difference of its times in whole seconds."""
        monitor = self.monitor('a=test')
        monitor.wait_for_state('a', 'up')

        def last_run():
            with contextlib.closing(sqlite3.connect(self.database())) as db:
                return db.execute('SELECT time FROM running').fetchone()[0] / 1e6

        first, notices = last_run(), []
        self.assertAlmostEqual(first, time.time(), delta=5)
        last = common.wait_for(lambda: last_run() > first and last_run(), 'a later time')
        self.assertAlmostEqual(last - first, 10, delta=3)
        monitor.kill()
        # The third one is of a clock that was wrong.
        for ahead, seen in (None, 40), (9, 31), (3600, 31):
            monitor.kill()
            event = round((last - 40 + (ahead or 0)) * 1e6)
            common.run_sql(monitor, f'UPDATE running SET time = {round((last - 40) * 1e6)}', *ahead
                           and ["""INSERT INTO events (camera, condition, active, topic_active,
                value, threshold, time, since, reason) VALUES ('a', 'dark', 0, 0, 0, 0,
                %d, %d, '')""" % (event, event)] or ())
            before = len(notices)
            monitor.start()
            notice = common.wait_for(lambda n=before: len(monitor.json('notices')) > n
                                     and monitor.json('notices'), 'the notice')[0]
            notices.append(notice)
            since, end = (datetime.datetime.fromisoformat(notice[key].replace('Z', '+00:00'))
                          .timestamp() for key in ('since', 'time'))
            self.assertAlmostEqual(since, last - seen, delta=0.01)
            self.assertIn(f' for at most {int(end) - int(since)} s, ', notice['text'])
        # A clock that was set back makes no gap, and the next notes follow it.
        monitor.stop()
        self.assertAlmostEqual(last_run(), time.time(), delta=2)
        common.run_sql(monitor, 'UPDATE running SET time = time + 3600000000')
        monitor.start()
        common.wait_for(lambda: last_run() < time.time(), 'a note by the new clock')
        self.assertEqual(len(monitor.json('notices')), len(notices))

    def reasons(self, monitor):
        return {(a['camera'], a['condition']): a['ended'] and a['end_reason']
                for a in monitor.json('alarms')['alarms']}

    def test_ends(self):
        """An alarm whose end nobody saw says so, but not one that was seen to be active after the
        gap; and what cannot be judged does not end."""
        clip = self.folder / 'dark-then-bright.avi'
        parts = [f'videotestsrc num-buffers={n} pattern={pattern} ! '
                 'video/x-raw,width=64,height=48,framerate=30/1 ! c.'
                 for n, pattern in ((240, 'black'), (9000, 'smpte'))]
        subprocess.run(['gst-launch-1.0', '-q', *(
            f'concat name=c ! jpegenc ! avimux ! filesink location={clip} {" ".join(parts)}'
        ).split()], check=True, env=common.environment_of_others())
        monitor = self.monitor(config=f"""[cameras]
conditions=dark;covered;signal-loss
rules=dark,duration=0s,hold=0s;signal-loss,enter=2,leave=1,hold=0s
[camera bright]
uri=test
[camera dark]
uri={clip}
[camera lost]
uri={self.write('empty.avi', '')}
[camera away]
uri={self.write('away.avi', '')}
""")
        self.assertEqual(monitor.stop(), 0)
        all_cameras = ('bright', 'dark', 'lost')
        common.run_sql(monitor, 'DELETE FROM alarms', 'DELETE FROM events')
        common.begin_unseen(monitor, ('away', 'signal-loss'), *(
            (camera, condition) for camera in all_cameras
            for condition in ('dark', 'covered', 'signal-loss')))
        common.run_sql(monitor, 'UPDATE running SET time = time - 6000000000')
        monitor.start()
        unseen = 'while nobody watched'
        wanted = {('bright', 'dark'): 'while there was no video',
                  ('bright', 'signal-loss'): unseen,
                  ('dark', 'dark'): '', ('dark', 'signal-loss'): unseen}
        wanted['away', 'signal-loss'] = None
        wanted |= {(camera, condition): None for camera in all_cameras for condition in
                   ('dark', 'covered', 'signal-loss') if (camera, condition) not in wanted}
        common.wait_for(lambda: len([r for r in self.reasons(monitor).values() if r is not None])
                        == 4, 'four ends')
        self.assertEqual(self.reasons(monitor), wanted)
        self.assertIn(unseen, monitor.ask('/api/v1/alarms?format=csv').text)
        for line in monitor.output().splitlines():
            if ': cleared' in line:
                self.assertEqual('after at most ' in line, line.endswith(unseen), line)
        # A snooze divides an alarm, and nobody has seen its second part either.
        path = f'/api/v1/cameras/bright/snooze?until={int(time.time()) + 3600}'
        self.assertEqual(monitor.ask(path, 'POST').status, 200)
        quiet = common.wait_for(lambda: [a for a in monitor.json('alarms?camera=bright')['alarms']
                                         if a['quiet'] and a['ended']], 'an end')
        self.assertEqual(quiet[0]['end_reason'], 'while there was no video')
        # That these could not be opened was seen.
        for name in 'away', 'lost':
            shutil.copy(clip, self.folder / ('away.avi' if name == 'away' else 'empty.avi'))
            common.wait_for(lambda n=name: self.reasons(monitor)[n, 'signal-loss'] is not None,
                            'an end')
            self.assertEqual(self.reasons(monitor)[name, 'signal-loss'], '')

    def test_unconfirmed(self):
        """After any restart, an alarm that is not judged yet says so, and is not what the camera
        has; nor is a camera OK before it is judged."""
        monitor = self.monitor(config=f'''[cameras]
conditions=dark;covered
rules=dark,duration=0s,hold=0s
[camera a]
uri=test
[camera dark]
uri={self.clip(3000, "black", "30/1")}
[camera away]
uri=rtsp://127.0.0.1:1/a
[camera lost]
uri=rtsp://127.0.0.1:1/b
conditions=signal-loss
rules=signal-loss,enter=2,leave=1
''')
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, 'DELETE FROM alarms', 'DELETE FROM events')
        common.begin_unseen(monitor, ('a', 'covered'), ('a', 'dark'), ('dark', 'dark'),
                          ('away', 'dark'), ('lost', 'signal-loss'))
        monitor.start()

        def alarm_of(name):
            camera = monitor.camera(name)
            return camera['severity'], [(c['condition'], c['unconfirmed'])
                                        for c in camera['active']]

        # It would have as much time as a camera that is slow, had it not refused to connect.
        begin = time.monotonic()
        common.wait_for(lambda: alarm_of('lost') == ('lost', [('signal-loss', False)]), 'lost')
        self.assertLess(time.monotonic() - begin, 25)
        common.wait_for(lambda: alarm_of('dark') == ('impaired', [('dark', False)]), 'dark')
        common.wait_for(lambda: alarm_of('a') == ('', [('covered', True)]), 'the end of dark')
        self.assertFalse(monitor.camera('a')['judged'])
        self.assertEqual(alarm_of('away'), ('lost', [('dark', True)]))
        common.wait_for(lambda: alarm_of('a') == ('', []), 'the end of covered')
        self.assertTrue(monitor.camera('a')['judged'])
        self.assertEqual(self.reasons(monitor), {
            ('a', 'covered'): '', ('a', 'dark'): '', ('dark', 'dark'): None,
            ('away', 'dark'): None, ('lost', 'signal-loss'): None})

    def test_still_frozen(self):
        """An alarm of a picture that is still frozen goes on, although it takes videohealth some
        seconds to see that again."""
        path = self.clip(3000, 'circular', '8/1')
        monitor = self.monitor(config=f'[camera a]\nuri={path}\nconditions=frozen\n')
        monitor.kill()
        common.begin_unseen(monitor, ('a', 'frozen'))
        monitor.start()
        common.wait_for(lambda: monitor.camera('a')['frames'] >= 80, 'ten seconds')
        self.assertEqual([c['unconfirmed'] for c in monitor.camera('a')['active']], [False])
        self.assertEqual(self.reasons(monitor), {('a', 'frozen'): None})
        self.assertEqual(len(monitor.json('alarms')['alarms']), 1)

    def test_still_lost(self):
        """A loss goes on over a restart, with its last picture and the time since its start."""
        clip = self.folder / 'clip.avi'
        shutil.copy(self.clip(100), clip)
        monitor = self.monitor(config=f'''[camera a]
uri={clip}
conditions=signal-loss
rules=signal-loss,enter=1,leave=0.5,hold=0s
''')
        common.wait_for(lambda: monitor.camera('a')['picture'], 'a picture')
        clip.write_bytes(b'')
        [loss] = common.wait_for(lambda: [a for a in monitor.json('alarms')['alarms']
                                          if a['picture']], 'the loss')
        picture = monitor.ask(f'/api/v1/events/{loss["event"]}/picture').body
        monitor.kill()
        time.sleep(3)
        monitor.start()
        camera = common.wait_for(lambda: monitor.camera('a')['active'][0]['value']
                                 and monitor.camera('a'), 'a judgement')
        self.assertEqual([camera[key] for key in ('picture', 'since', 'last_frame')],
                         [loss['begun'], loss['begun'], None])
        answer = monitor.ask('/api/v1/cameras/a/picture')
        self.assertEqual((answer.status, answer.body), (200, picture))
        [active] = camera['active']
        self.assertGreater(active['value'], 3)
        self.assertEqual((active['event'], active['since']), (loss['event'], loss['begun']))
        # So does what the log says of it.
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, 'UPDATE events SET since = since - 7200000000')
        monitor.start()
        common.wait_for(lambda: monitor.camera('a')['reason'], 'a failure')
        shutil.copy(self.clip(100), clip)
        common.wait_for(lambda: 'camera a: back online after 2 h\n' in monitor.output(),
                        'the return')

    def test_seen_before_the_loss(self):
        """What was active before a loss lasts until it was last seen, after a restart, too."""
        dark, bright = self.clip(150, 'black'), self.clip(151)
        clip = self.folder / 'clip.avi'
        shutil.copy(dark, clip)
        monitor = self.monitor(config=f'''[camera a]
uri={clip}
conditions=dark;signal-loss
rules=dark,duration=0s,hold=0s;signal-loss,enter=1,leave=0.5,hold=0s
''')
        common.wait_for(lambda: monitor.camera('a')['active'], 'dark')
        clip.write_bytes(b'')
        common.wait_for(lambda: len(monitor.camera('a')['active']) == 2, 'the loss')

        def alarm():
            [one] = monitor.json('alarms?condition=dark')['alarms']
            return one, datetime.datetime.fromisoformat((one['last_seen'] or one['ended'])[:-1])

        before = alarm()[1]
        for end in monitor.kill, monitor.stop:
            end()
            time.sleep(2)
            monitor.start()
            common.wait_for(lambda: monitor.camera('a')['reason'], 'a failure')
            after, seen = alarm()
            self.assertEqual((after['ended'], monitor.camera('a')['active'][-1]['last_seen']),
                             (None, after['last_seen']))
            self.assertLess(abs(seen - before), datetime.timedelta(seconds=1))
            self.assertEqual(monitor.metrics()['videohistogram_health_state'
                                               '{camera="a",condition="dark"}'], 0)
        shutil.copy(bright, clip)
        common.wait_for(lambda: not monitor.camera('a')['active'], 'the end')
        after, seen = alarm()
        self.assertEqual(after['end_reason'], 'while there was no video')
        self.assertLess(abs(seen - before), datetime.timedelta(seconds=1))

    def test_not_connected_yet(self):
        """A camera that takes its time to connect is not lost before it could not be connected."""
        with socket.create_server(('127.0.0.1', 0)) as silent:
            port = silent.getsockname()[1]
            monitor = self.monitor(config=f'''[camera a]
uri=rtsp://127.0.0.1:{port}/a
timeout=4
conditions=signal-loss
rules=signal-loss,enter=1,leave=0.5
''')
            [loss] = common.wait_for(lambda: monitor.json('alarms')['alarms'], 'the loss')
            self.assertEqual(monitor.camera('a')['severity'], 'lost')
            event = monitor.json('events')[0]
            begun, told = (datetime.datetime.fromisoformat(text.rstrip('Z'))
                           for text in (loss['begun'], event['time']))
            self.assertGreater((told - begun).total_seconds(), 3.5)
            self.assertRegex(loss['reason'], 'does not answer|it sends no video')

    def test_first_watched(self):
        """The monitor knows when each camera was first watched, by this run or an earlier one."""
        monitor = self.monitor(config='[camera a]\nuri=test\n')
        first = common.wait_for(lambda: monitor.camera('a')['first_watched'], 'the start')
        monitor.config.write_text('[camera b]\nuri=test\n')
        monitor.reload()
        monitor.config.write_text('[camera a]\nuri=test\n[camera b]\nuri=test\n')
        monitor.kill()
        monitor.start()
        common.wait_for(lambda: monitor.camera('a')['first_watched'] == first, 'the first start')
        self.assertGreater(monitor.camera('b')['first_watched'], first)

    def test_restart(self):
        """An alarm that ends at a restart without a gap does not say that nobody watched."""
        monitor = self.monitor(config='[camera a]\nuri=test\nrules=dark,hold=0s\n')
        monitor.kill()
        common.begin_unseen(monitor, ('a', 'dark'))
        monitor.start()
        common.wait_for(lambda: self.reasons(monitor).get(('a', 'dark')) is not None, 'an end')
        self.assertEqual(self.reasons(monitor), {('a', 'dark'): ''})

    def test_pause(self):
        """While the program stands still, no camera loses its signal."""
        monitor = self.monitor('a=test', config='[cameras]\nrules=signal-loss,enter=8,leave=4\n')
        monitor.wait_for_state('a', 'up')
        common.wait_for(lambda: 'signal-loss' in str(monitor.camera('a')['conditions']), 'a value')
        monitor.process.send_signal(signal.SIGSTOP)
        time.sleep(14)
        monitor.process.send_signal(signal.SIGCONT)
        notice = common.wait_for(lambda: monitor.json('notices'), 'the notice')[0]
        self.assertRegex(notice['text'], r'^The monitor stood still for 1\d s, ')
        time.sleep(3)
        self.assertEqual(monitor.json('events'), [])
        self.assertEqual(monitor.camera('a')['reconnects'], 0)

    def test_pauses(self):
        """The first of several pauses has a notice at once, and the others have one together."""
        monitor = self.monitor('a=test')
        monitor.wait_for_state('a', 'up')
        for count in 1, 2, 3:
            monitor.process.send_signal(signal.SIGSTOP)
            time.sleep(11)
            monitor.process.send_signal(signal.SIGCONT)
            common.wait_for(lambda n=count: monitor.output().count('The monitor stood still') == n,
                            'the end of a pause')
        self.assertEqual(len(common.wait_for(lambda: monitor.json('notices'), 'the notice')), 1)
        self.assertEqual(monitor.stop(), 0)
        monitor.start()
        last, first = monitor.json('notices')
        self.assertRegex(last['text'], r'^The monitor stood still 2 more times from \S+ to \S+, '
                         r'for [23]\d s in all, ')
        self.assertIsNone(last['since'])
        self.assertIsNotNone(first['since'])

    def test_open_notices(self):
        """What lasted when the program ended is over at its next start."""
        monitor = self.monitor('a=test')
        monitor.kill()
        common.run_sql(monitor, *(f"""INSERT INTO notices (time, kind, text, over) VALUES
            ({time.time_ns() // 1000}, '{kind}', '{text}', {over})""" for kind, text, over in (
                ('configuration', 'Not reloaded.', 0), ('configuration', 'Reloaded.', 1),
                ('machine', 'Keeps up.', 1), ('machine', 'Too busy.', 0), ('gpu', 'Lost.', 0))))
        for _ in range(2):
            monitor.start()
            new = common.wait_for(lambda: monitor.json('notices')[:-5], 'the end')
            self.assertEqual([(n['kind'], n['over'], n['text']) for n in new], [(
                'machine', True, 'The monitor was restarted while this machine was too busy.')])
            monitor.kill()


class Deleted(Case):
    def delete(self):
        for path in (self.folder / 'state').glob('monitor.db*'):
            path.unlink()

    def test_while_it_runs(self):
        """Deleting the database is noticed and reported; events go to a new one, and no number is
        used twice."""
        monitor = self.busy(2)
        common.wait_for(lambda: len(monitor.json('events')) > 4, 'events')
        before = monitor.json('events')[-1]['number']
        self.delete()
        common.wait_for(lambda: 'monitor.db: the database file was deleted or replaced'
                        in monitor.output(), 'a warning')
        events = common.wait_for(lambda: monitor.json('events'), 'events')
        self.assertGreater(events[0]['number'], before)
        self.assertIn('The database file was deleted',
                      '\n'.join(n['text'] for n in monitor.json('notices')))
        self.assertEqual(self.database().stat().st_mode & 0o77, 0)
        common.wait_for(lambda: monitor.ask('/healthz').status == 200, 'health')
        last = monitor.json('events')[-1]['number']
        monitor.kill()
        monitor.start()
        common.wait_for(lambda: monitor.json('events')[-1]['number'] > last + 2, 'more events')
        numbers = [e['number'] for e in common.all_events(monitor)]
        self.assertEqual(numbers, list(range(events[0]['number'],
                                             events[0]['number'] + len(numbers))))

    def test_without_events(self):
        """It is noticed even if there is nothing to write, and reported until there is."""
        monitor = self.lost()
        common.wait_for(lambda: monitor.json('events'), 'an event')
        self.delete()
        answer = common.wait_for(
            lambda: monitor.ask('/healthz').status == 503 and monitor.ask('/healthz'), 'trouble')
        self.assertIn('database file was deleted or replaced', answer.text)
        self.assertEqual(monitor.json('events'), [])
        self.assertEqual(monitor.ask('/api/v1/events/1/acknowledge', 'POST').status, 404)
        common.wait_for(lambda: monitor.ask('/healthz').status == 200, 'health')

    def test_replaced(self):
        """A database moved into its place is used, with numbers above those of both."""
        monitor = self.busy(2)
        common.wait_for(lambda: len(monitor.json('events')) > 2, 'events')
        monitor.stop()
        other = self.folder / 'other'
        other.write_bytes(self.database().read_bytes())
        stored = common.numbers_of(other)
        monitor.start()
        common.wait_for(lambda: monitor.json('events')[-1]['number'] > stored[-1] + 4, 'events')
        for end in ('-wal', '-shm'):
            pathlib.Path(f'{self.database()}{end}').unlink()
        before = monitor.json('events')[-1]['number']
        other.rename(self.database())
        common.wait_for(lambda: monitor.json('events')[-1]['number'] > before + 4, 'events')
        numbers = [e['number'] for e in common.all_events(monitor)]
        self.assertEqual(numbers[:len(stored)], stored)
        self.assertGreaterEqual(numbers[len(stored)], before)

    def test_folder(self):
        """Without the folder nothing can be stored; once it is back, no number is used twice."""
        monitor = self.busy(2)
        common.wait_for(lambda: len(monitor.json('events')) > 4, 'events')
        state = self.folder / 'state'
        state.rename(self.folder / 'away')
        common.wait_for(lambda: 'database file was deleted' in monitor.output(), 'a warning')
        common.wait_for(lambda: 'unable to open' in monitor.ask('/healthz').text, 'trouble')
        before = common.numbers_of(self.folder / 'away/monitor.db')[-1]
        state.mkdir(0o700)
        events = common.wait_for(lambda: monitor.ask('/api/v1/events').status == 200
                                 and monitor.json('events'), 'events')
        self.assertGreater(events[0]['number'], before)
        self.assertEqual(monitor.ask('/healthz').status, 200)


class Folder(Case):
    def refused(self, *arguments, status=2):
        """Returns the output of a program that fails to start."""
        ended, output = common.check('--listen', '127.0.0.1:0', *arguments, 'test')
        self.assertEqual(ended, status, output)
        self.assertNotRegex(output, 'cameras?, page at')
        return output

    def test_two(self):
        """Only one process can use a folder; another one can as soon as that process has ended."""
        monitor = self.monitor('a=test')
        state = self.folder / 'state'
        self.assertIn(f'cannot use {state}: another videohistogram-monitor is using it: set '
                      'another folder with directory=FOLDER in [store], ',
                      self.refused('--directory', state, status=1))
        monitor.wait_for_state('a', 'up')
        monitor.kill()
        monitor.start()
        self.assertEqual(monitor.stop(), 0)
        monitor.start()

    def test_none(self):
        self.write('file', '')
        for path in (self.folder / 'file', self.folder / 'file/folder'):
            self.assertIn(f'{path}: Not a directory: set another folder',
                          self.refused('--directory', path))

    @unittest.skipIf(os.geteuid() == 0, 'root may write everywhere')
    def test_not_writable(self):
        self.folder.chmod(0o500)
        self.assertIn('Permission denied: set another folder',
                      self.refused('--directory', self.folder))
        self.folder.chmod(0o700)


class Trouble(Case):
    def test_locked(self):
        """Events that cannot be written are shown, and published once they are written."""
        monitor = self.monitor('a=rtsp://127.0.0.1:1/a')
        with contextlib.closing(sqlite3.connect(self.database(), isolation_level=None)) as db:
            db.execute('BEGIN IMMEDIATE')
            active = common.wait_for(lambda: monitor.camera('a')['active'], 'signal-loss')
            self.assertEqual(active[0]['event'], 0)
            self.assertEqual(monitor.ask('/healthz').status, 503)
            self.assertEqual(monitor.metrics()['videohistogram_store_up'], 0)
            self.assertEqual(monitor.json('events'), [])
            # Readers do not wait for a blocked write each time.
            begin = time.monotonic()
            for _ in range(10):
                self.assertEqual(monitor.json('events'), [])
            # Each would wait for 5 s.
            self.assertLess(time.monotonic() - begin, 25)
            db.execute('ROLLBACK')
        events = common.wait_for(lambda: monitor.json('events'), 'the event')
        self.assertEqual(len(events), 1)
        common.wait_for(lambda: monitor.ask('/healthz').status == 200, 'health')
        condition = monitor.camera('a')['active'][0]
        self.assertEqual((condition['event'], condition['starts']), (events[0]['number'], 1))


    def test_counted_once(self):
        """Events shown before they could be written are not counted twice."""
        monitor = self.busy(1)

        def begun():
            return next(c['starts'] for c in monitor.camera('c0')['conditions']
                        if c['condition'] == 'signal-loss')

        common.wait_for(lambda: begun() > 1, 'events')
        with common.locked(monitor):
            before = begun()
            common.wait_for(lambda: begun() > before + 4, 'more of them')
            written = [e['active'] for e in monitor.json('events?after=0&limit=1000')]
        common.wait_for(lambda: monitor.ask('/healthz').status == 200, 'health')
        self.assertGreater(begun(), sum(written))
        common.wait_for(lambda: sum(e['active'] for e in common.all_events(monitor)) == begun(),
                        'as many events as were counted')


class History(Case):
    def test_minutes(self):
        monitor = self.monitor('a=test')
        common.wait_for(lambda: monitor.camera('a')['frames'] > 24, 'frames')
        self.assertEqual(monitor.stop(), 0)
        first = self.minutes()
        self.assertGreater(first[0], 20)
        monitor.start()
        common.wait_for(lambda: monitor.camera('a')['frames'] > 24, 'frames')
        self.assertEqual(monitor.stop(), 0)
        self.assertGreater(self.minutes()[0], first[0] + 20)
        monitor.start()
        minutes = monitor.json('cameras/a/minutes')
        self.assertEqual(sum(m['frames'] for m in minutes), self.minutes()[0])
        self.assertTrue(all(0.4 < m['average'] < 0.6 for m in minutes if m['measured']), minutes)

    def minutes(self):
        with contextlib.closing(sqlite3.connect(self.database())) as db:
            return next(db.execute('SELECT sum(frames), count(*) FROM minutes'))

    def test_old_minutes(self):
        """Old minutes are deleted one day at a time: a briefly wrong clock must not delete all."""
        monitor = self.monitor('a=test')
        self.assertEqual(monitor.stop(), 0)
        now = int(time.time()) // 60
        for age in (95, 94.5, 93, 91, 89):
            common.run_sql(monitor, 'INSERT INTO minutes VALUES '
                           f"('a', {now - int(age * 1440)}, 1, 1, 0.5, 0.1, 0.9, 0, x'')")
        for left in (3, 2, 1, 1):
            monitor.start()
            common.wait_for(lambda: monitor.camera('a')['frames'] > 4, 'frames')
            self.assertEqual(monitor.stop(), 0)
            self.assertEqual(self.old_minutes(now), left)

    def test_what_if(self):
        """With the rule in effect, it gives the alarms that are stored; monitor-whatif compares
        them one by one."""
        clip = self.clip(300, 'blink', '1/1')
        monitor = self.monitor(config=f'[camera a]\nuri={clip}\ninterval=0\n'
                               'rules=black,duration=0s;dark,enter=0.95\n'
                               '[camera lost]\nuri=rtsp://127.0.0.1:1/a\n'
                               'rules=signal-loss,enter=0.5,leave=0.3\n')
        for _ in range(2):
            last = max([e['number'] for e in monitor.json('events')], default=0)
            common.wait_for(lambda last=last: max(
                [e['number'] for e in monitor.json('events')], default=0) > last + 4, 'events')
            self.assertEqual(monitor.stop(), 0)
            monitor.start()
        for camera, condition in ('a', 'black'), ('lost', 'signal-loss'):
            answer = monitor.json(f'cameras/{camera}/what-if?condition={condition}')
            events = [e for e in common.all_events(monitor) if e['active']
                      and (e['camera'], e['condition']) == (camera, condition)]
            # It does not have those that a stop cut off, nor those between the first two frames,
            # which come at once.
            self.assertTrue(1 <= answer['count'] <= len(events), (answer, events))
            self.assertEqual(len(answer['alarms']), answer['count'])
            for alarm in answer['alarms']:
                self.assertTrue(any(abs(seconds_of(alarm['begun']) - seconds_of(e['since'])) < 60
                                    for e in events), (alarm, events))
        self.assertGreater(answer['seconds'], 1)
        answer = monitor.json('cameras/a/what-if?condition=black&enter=0.99')
        self.assertEqual(answer['rule'], 'black,enter=0.99,leave=0.98')
        self.assertEqual(answer['rules'],
                         'black,duration=0s,enter=0.99,leave=0.98;dark,enter=0.95')
        self.assertGreaterEqual(answer['count'], 1)
        for query, words in (('condition=x', 'condition'), ('', 'condition'),
                             ('condition=banding&enter=nan', 'enter'),
                             ('condition=dark&enter=1e400', 'enter'),
                             ('condition=dark&enter=0.5&leave=0.6', 'must be below'),
                             ('condition=dark&enter=2', 'from 0 to 1'),
                             ('condition=dark&from=0', '32 days')):
            refused = monitor.ask(f'/api/v1/cameras/a/what-if?{query}')
            self.assertEqual(refused.status, 400, query)
            self.assertIn(words, refused.json()['error'])
        self.check_values(monitor)

    def test_current_minute(self):
        """What happened in this minute counts, too, and only once, also after a restart."""
        clip = self.folder / 'black-for-a-while.avi'
        parts = [f'videotestsrc num-buffers={n} pattern={pattern} ! '
                 'video/x-raw,width=64,height=48,framerate=10/1 ! c.'
                 for n, pattern in ((30, 'white'), (20, 'black'), (3000, 'white'))]
        subprocess.run(['gst-launch-1.0', '-q', *(
            f'concat name=c ! jpegenc ! avimux ! filesink location={clip} {" ".join(parts)}'
        ).split()], check=True, env=common.environment_of_others())
        # Time for all of it within one minute
        time.sleep(max(0, time.time() % 60 - 40) and 60 - time.time() % 60)
        monitor = self.monitor(config=f'[camera a]\nuri={clip}\ninterval=0\nconditions=black\n'
                               'rules=black,duration=0s,hold=0s\n')
        now = int(time.time()) // 60 * 60
        for count in 1, 2:
            common.wait_for(lambda: [a for a in monitor.json('alarms')['alarms'] if a['ended']]
                            [count - 1:], f'end {count}')
            for query in '', f'&from={now - 600}&before={int(time.time())}':
                path = f'cameras/a/what-if?condition=black{query}'
                # Values are taken a few times a second.
                answer = common.wait_for(lambda: (a := monitor.json(path))['alarms'][count - 1:]
                                         and a['alarms'][-1]['ended'] and a, 'what-if')
                self.assertEqual(answer['count'], count)
                self.assertAlmostEqual(answer['seconds'] / count, 2, delta=1.1)
            self.assertEqual(monitor.json(f'cameras/a/what-if?condition=black&from={now - 600}'
                                          f'&before={now}')['count'], 0)
            self.assertEqual(monitor.stop(), 0)
            monitor.start()

    def test_night_mode(self):
        """A camera that may have a night mode is dark only after 15 s: the monitor says so, and the
        history has the alarms as they were."""
        clip = self.folder / 'dark-for-a-while.avi'
        parts = [f'videotestsrc num-buffers={n} pattern={pattern} ! '
                 'video/x-raw,width=160,height=120,framerate=5/1 ! c.'
                 for n, pattern in ((300, 'smpte'), (100, 'black'), (3000, 'smpte'))]
        subprocess.run(['gst-launch-1.0', '-q', *(
            f'concat name=c ! jpegenc ! avimux ! filesink location={clip} {" ".join(parts)}'
        ).split()], check=True, env=common.environment_of_others())
        monitor = self.monitor(config=f'[camera a]\nuri={clip}\n'
                               'conditions=dark;monochrome;moved\n')
        dark = common.wait_for(lambda: (c := monitor.json('cameras/a')['conditions'][0])['duration']
                               == 15 and c, 'colors')
        self.assertIn('the alarm starts after 15 s above 90 %', dark['scale']['sentence'])
        [alarm] = common.wait_for(lambda: [a for a in monitor.json('alarms')['alarms']
                                           if a['ended']], 'the end')
        [tried] = common.wait_for(lambda: [a for a in monitor.json(
            'cameras/a/what-if?condition=dark')['alarms'] if a['ended']], 'what-if')
        # The history has whole seconds, of when the main thread got the value, and an event the
        # time at which another thread reported the change: a busy machine delays either. With the
        # duration of its rule, 5 s, the start would be 10 s off.
        for key in 'begun', 'ended':
            self.assertAlmostEqual(seconds_of(tried[key]), seconds_of(alarm[key]), delta=4.9)
        # It is as long with another limit.
        answer = monitor.json('cameras/a/what-if?condition=dark&enter=0.99')
        self.assertEqual(answer['count'], 1)
        self.assertAlmostEqual(answer['seconds'], 20, delta=4.9)

    def check_values(self, monitor):
        """Between the values of a picture that is black and of one that is not."""
        answer = monitor.json('cameras/a/values?condition=black')
        self.assertEqual(answer['step'], 60)
        for point in answer['values']:
            self.assertEqual(seconds_of(point['time']) % 60, 0)
            self.assertGreaterEqual(point['worst'], point['best'])
        self.assertTrue(any(p['worst'] > 0.98 and p['best'] < 0.1 for p in answer['values']),
                        answer)
        now = int(time.time())
        week = monitor.json('cameras/a/values?condition=black&'
                            f'from={now - 604800}&before={now + 60}')
        self.assertEqual(week['step'], 420)
        self.assertIn(len(week['values']), (1, 2))
        refused = monitor.ask('/api/v1/cameras/a/values?condition=x')
        self.assertEqual(refused.status, 400)
        self.assertIn('condition', refused.json()['error'])

    def old_minutes(self, now):
        with contextlib.closing(sqlite3.connect(self.database())) as db:
            return next(db.execute(f'SELECT count(*) FROM minutes WHERE minute < {now - 60}'))[0]

    def test_reference_of_the_future(self):
        """After a wrong clock was corrected, a reference from the future is replaced."""
        monitor = self.monitor('a=test', config='[cameras]\nconditions=signal-loss\n')
        common.wait_for(lambda: monitor.ask('/api/v1/cameras/a/reference').status == 200,
                        'a reference picture')
        self.assertEqual(monitor.stop(), 0)
        common.run_sql(monitor, 'UPDATE reference SET time = time + 1000000000000')
        monitor.start()
        now = time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(time.time() + 3600))
        common.wait_for(lambda: monitor.ask('/api/v1/cameras/a/reference').headers.get(
            'X-Frame-Time', 'none yet') < now, 'another reference picture')

    def test_pictures_of_events(self):
        """Pictures stay within their limit: the oldest are deleted."""
        monitor = self.busy(2)
        common.wait_for(lambda: [e for e in monitor.json('events') if e['picture']], 'a picture')
        number = [e for e in monitor.json('events') if e['picture']][-1]['number']
        answer = monitor.ask(f'/api/v1/events/{number}/picture')
        self.assertEqual((answer.status, answer.body[:2]), (200, b'\xff\xd8'))
        self.assertEqual(monitor.stop(), 0)
        self.assertTrue(list(self.folder.glob('*.avi')))
        monitor.config.write_text(common.BUSY + '[store]\npictures=0\n')
        monitor.start()
        last = max(e['number'] for e in monitor.json('events'))
        common.wait_for(lambda: max(e['number'] for e in monitor.json('events')) > last + 8,
                        'more events')
        self.assertEqual([e for e in monitor.json('events') if e['picture']], [])

    def test_references_of_events(self):
        """The reference of the time of an event is kept, once, as long as a picture has it."""
        def stored():
            with contextlib.closing(sqlite3.connect(self.database())) as database:
                return [bytes(jpeg) for jpeg, in database.execute(
                    'SELECT jpeg FROM past_references ORDER BY time')]

        monitor = self.busy(1)
        self.assertEqual(monitor.stop(), 0)
        kept = []
        for second in (1, 2):
            common.run_sql(monitor, 'INSERT OR REPLACE INTO reference VALUES '
                           f"('c0', {second}000000, x'ffd80{second}')")
            monitor.start()
            of_now = f'1970-01-01T00:00:0{second}.000Z'
            kept.append(common.wait_for(lambda t=of_now: len(found := [
                e for e in monitor.json('events') if e['reference'] == t]) > 2 and found[0],
                'events with this reference'))
            for event in kept:
                answer = monitor.ask(f'/api/v1/events/{event["number"]}/reference')
                self.assertEqual((answer.body, answer.headers['X-Frame-Time']),
                                 (bytes((0xff, 0xd8, int(event['reference'][18]))),
                                  event['reference']))
            alarms = monitor.json('alarms?limit=500')['alarms']
            self.assertIn(of_now, [a['reference'] for a in alarms])
            self.assertEqual(monitor.stop(), 0)
        self.assertEqual(stored(), [b'\xff\xd8\x01', b'\xff\xd8\x02'])
        # The last picture of the first one takes so much room that the oldest are deleted, but
        # not all of the second one.
        common.run_sql(monitor, 'DELETE FROM pictures WHERE reference = 1 AND number > '
                       '(SELECT min (number) FROM pictures WHERE reference = 1)',
                       'UPDATE pictures SET jpeg = zeroblob (1100000) WHERE reference = 1',
                       *(f"INSERT INTO pictures VALUES ({10 ** 6 + i}, x'ffd8', 2)"
                         for i in range(30)))
        monitor.config.write_text(common.BUSY + '[store]\npictures=1\n')
        monitor.start()
        common.wait_for(lambda: stored() == [b'\xff\xd8\x02'], 'the end of the first reference')
        self.assertEqual(monitor.stop(), 0)
        monitor.config.write_text(common.BUSY + '[store]\npictures=0\n')
        monitor.start()
        common.wait_for(lambda: stored() == [], 'the end of the references')
        for event in kept:
            self.assertEqual(monitor.ask(f'/api/v1/events/{event["number"]}/reference').status, 404)
        self.assertEqual(monitor.stop(), 0)

    def test_learned(self):
        monitor = self.monitor('a=test')
        monitor.wait_for_state('a', 'up')
        self.assertEqual(monitor.stop(), 0)
        self.assertGreater((self.folder / 'state/learned/a.state').stat().st_size, 100)

    def test_mode(self):
        self.monitor('a=test')
        self.assertEqual(self.database().stat().st_mode & 0o77, 0)
        self.assertEqual(pathlib.Path(self.folder / 'state').stat().st_mode & 0o77, 0)


if __name__ == '__main__':
    common.main()
