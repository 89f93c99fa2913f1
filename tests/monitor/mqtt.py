#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages to a real broker, Debian's mosquitto. With TEST_LONG the broker is away for ten minutes,
otherwise for seconds."""

import contextlib
import itertools
import json
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.parse

import broker
import common

LONG = bool(os.environ.get('TEST_LONG'))
AWAY_SECONDS = 600 if LONG else 4

# The shortest allowed.
KEEPALIVE = 10
# The keep-alive of each program whose packets are swallowed; 30 is the default.
KEEPALIVES = [KEEPALIVE] * 12 + [30] * 12 if LONG else [KEEPALIVE]

ONVIF = 'site/onvif-ej/'
SIGNAL_LOSS = ONVIF + 'VideoSource/SignalLoss/&'
STATUS = 'site/status'
EVENTS = 'site/events/'
VIDEO = 'site/video/'

# Keys of a device in Home Assistant's MQTT documentation.
DEVICE_KEYS = {
    'configuration_url', 'connections', 'hw_version', 'identifiers', 'manufacturer', 'model',
    'model_id', 'name', 'serial_number', 'suggested_area', 'sw_version', 'via_device'}

# Keys of an image in Home Assistant's MQTT documentation.
IMAGE_KEYS = {
    'availability', 'availability_mode', 'availability_template', 'availability_topic',
    'content_type', 'default_entity_id', 'device', 'enabled_by_default', 'encoding',
    'entity_category', 'entity_picture', 'icon', 'image_encoding', 'image_topic',
    'json_attributes_template', 'json_attributes_topic', 'name', 'origin',
    'payload_available', 'payload_not_available', 'platform', 'unique_id', 'url_template',
    'url_topic'}

# Keys of a binary sensor in Home Assistant's MQTT documentation.
DISCOVERY_KEYS = {
    'availability', 'availability_mode', 'availability_template', 'availability_topic', 'device',
    'device_class', 'enabled_by_default', 'encoding', 'entity_category', 'entity_picture',
    'expire_after', 'force_update', 'icon', 'json_attributes_template', 'json_attributes_topic',
    'name', 'object_id', 'off_delay', 'origin', 'payload_available', 'payload_not_available',
    'payload_off', 'payload_on', 'platform', 'qos', 'state_topic', 'unique_id', 'value_template'}

ODD = "Tür & <b>'x' $SYS 门"


def mqtt(port, *lines):
    return '\n'.join((f'[mqtt]\nbroker=mqtt://127.0.0.1:{port}\nprefix=site', *lines, ''))


class Case(common.Case):
    def setUp(self):
        super().setUp()
        self.broker = broker.Broker(self)

    def wait_until_up(self, monitor):
        common.wait_for(lambda: monitor.output_named('mqtt')['up'], 'the broker')

    def retained(self, topic='#'):
        return broker.retained(self.broker.port, topic)


class States(Case):
    def test_onvif(self):
        listener = broker.Subscriber(self, self.broker.port, 'site/#')
        monitor = self.monitor(config=common.LOST.replace('camera a', f'camera {ODD}') +
                               '[camera b]\nuri=test\n' + mqtt(self.broker.port))
        common.wait_for(lambda: monitor.camera('b')['state'] == 'up' and monitor.json('events'),
                        'an event')
        topic = SIGNAL_LOSS + ODD
        listener.wait_for_state(topic, True)
        common.wait_for(lambda: listener.last(EVENTS + ODD), 'the event')

        kept = self.retained()
        event = common.as_sent(monitor, monitor.json('events')[0])
        self.assertEqual(json.loads(kept[topic]), {
            'UtcTime': event['since'], 'Source': {'Source': ODD}, 'Data': {'State': True}})
        self.assertEqual(kept[STATUS], 'online')
        states = {t for t in kept if t.startswith(ONVIF)}
        self.assertEqual(set(kept), states | {STATUS, VIDEO + ODD, VIDEO + 'b'})
        self.assertEqual((kept[VIDEO + ODD], kept[VIDEO + 'b']), ('offline', 'online'))
        topics = {c['topic'] for c in monitor.camera('b')['conditions']}
        self.assertEqual(states, {f'{ONVIF}{t.removeprefix("tns1:")}/&{name}'
                                  for t in topics for name in (ODD, 'b')})
        for state in states:
            self.assertRegex(kept[state], r'^{"UtcTime":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",'
                             r'"Source":{"Source":"[^"]*"},"Data":{"State":(true|false|null)}}$')

        self.assertEqual({**json.loads(listener.last(EVENTS + ODD)), 'picture': 0},
                         {**event, 'picture': 0})
        self.assertEqual([m['retain'] for m in listener.messages
                          if m['topic'] == EVENTS + ODD], [0])
        self.assertEqual(monitor.metrics()['videohistogram_output_delivered_total'
                                           '{output="mqtt"}'], 1)

    def test_never_judged(self):
        """A camera that never sent a frame has a signal loss, and all other conditions are unknown,
        even after a restart. Once judged, a condition is known."""
        monitor = self.monitor(config=common.LOST + '[camera b]\nuri=test\n'
                               + mqtt(self.broker.port))
        def states(name):
            return {t.split('onvif-ej/')[1].rpartition('/&')[0]: json.loads(p)['Data']['State']
                    for t, p in self.retained(f'{ONVIF}#').items() if t.endswith(f'&{name}')}
        for _ in range(2):
            # After the restart, the state is unknown until the loss is seen again.
            common.wait_for(lambda: [c['unconfirmed'] for c in monitor.camera('a')['active']]
                            == [False], 'signal-loss')
            values = {c['topic']: c['value'] for c in monitor.camera('a')['conditions']}
            a = common.wait_for(lambda: (s := states('a')).get('VideoSource/SignalLoss') and s,
                                'the state of the loss')
            self.assertEqual((len(a), [t for t, s in a.items() if s is not None]),
                             (len(values), ['VideoSource/SignalLoss']))
            self.assertEqual([t for t, v in values.items() if v is not None],
                             ['tns1:VideoSource/SignalLoss'])
            common.wait_for(lambda: states('b').get(
                'VideoSource/ImageTooDark/AnalyticsService') is False, 'that b is not dark')
            monitor.kill()
            monitor.start()

    def test_one_state_of_two(self):
        """covered and moved share a topic, which says if either is active: after a start, it is
        null while nobody knows whether one of them still is."""
        monitor = self.monitor('a=test', config=mqtt(self.broker.port))
        self.wait_until_up(monitor)
        topic = f'{ONVIF}VideoSource/GlobalSceneChange/AnalyticsService/&a'
        common.wait_for(lambda: topic in self.retained(topic), 'the state')
        monitor.stop()
        common.run_sql(monitor, *(
            'INSERT INTO events (camera, condition, active, topic_active, value, threshold, time,'
            f" since, reason) VALUES ('a', '{name}', {active}, 1, 1, 1, 1, 1, '')"
            for name, active in (('covered', 0), ('moved', 1))))
        listener = broker.Subscriber(self, self.broker.port, topic)
        monitor.start()
        of_both = common.wait_for(lambda: [p for p in listener.all(topic) if '"1970' in p],
                                  'the state of both')
        self.assertEqual(json.loads(of_both[0])['Data']['State'], None)
        listener.wait_for_state(topic, False)

    def test_home_assistant(self):
        monitor = self.monitor(config=f'[camera {ODD}]\nuri=test\nconditions=all\ninterval=0\n'
                               'group=Yard\n'
                               + mqtt(self.broker.port, 'discovery=homeassistant'))
        # Conditions that share a topic share a sensor.
        count = len({c['topic'] for c in monitor.camera(urllib.parse.quote(ODD))['conditions']})
        common.wait_for(lambda: len(self.retained('homeassistant/#')) == count, 'discovery')
        kept = self.retained()
        found = {t: json.loads(p) for t, p in kept.items() if t.startswith('homeassistant/')}
        ids = set()
        for topic, config in found.items():
            self.assertRegex(topic, r'^homeassistant/binary_sensor/[\w-]+/[\w-]+/config$')
            self.assertLessEqual(set(config), DISCOVERY_KEYS)
            self.assertEqual(config['device_class'], 'problem')
            # Alarms appear on default dashboards, diagnostics do not.
            self.assertEqual(config.get('entity_category'), 'diagnostic' if config['name'] in (
                'no color', 'switching between day and night', 'slowly getting worse',
                'picture blocky') else None)
            self.assertEqual(config['device']['name'], ODD)
            self.assertEqual(config['device']['suggested_area'], 'Yard')
            self.assertLessEqual(set(config['device']), DEVICE_KEYS)
            url = config['device']['configuration_url']
            self.assertEqual(url.partition('#')[0], f'http://127.0.0.1:{monitor.port}/')
            self.assertEqual(urllib.parse.unquote(url.partition('#')[2]), f'camera/{ODD}')
            # The only condition that is judged without video.
            self.assertEqual([a['topic'] for a in config['availability']],
                             [STATUS] if config['name'] == 'no video' else [STATUS, VIDEO + ODD])
            self.assertEqual(config['value_template'], '{{ value_json.Data.State }}')
            # The template's result for the state, in Python's notation.
            state = json.loads(kept[config['state_topic']])['Data']['State']
            self.assertIn(str(state), (config['payload_on'], config['payload_off'], 'None'))
            ids.add(config['unique_id'])
        self.assertEqual(len(ids), count)
        self.assertEqual(len({c['device']['identifiers'][0] for c in found.values()}), 1)
        self.assertIn('camera covered or camera moved', {c['name'] for c in found.values()})

        # The area follows the group, and both work without a reconnect.
        monitor.config.write_text(f'[camera {ODD}]\nuri=test\nconditions=all\ninterval=0\n'
                                  'group=Gate\n'
                                  + mqtt(self.broker.port, 'discovery=homeassistant'))
        monitor.reload()
        common.wait_for(lambda: {json.loads(p)['device']['suggested_area'] for p in
                                 self.retained('homeassistant/#').values()} == {'Gate'}, 'Gate')

        # Pictures of events are an image, until they are no longer wanted.
        monitor.config.write_text(f'[camera {ODD}]\nuri=test\ngroup=Gate\n'
                                  + mqtt(self.broker.port, 'discovery=homeassistant',
                                         'pictures=true'))
        monitor.reload()
        common.wait_for(lambda: self.retained('homeassistant/image/#'), 'an image')
        (topic, config), = self.retained('homeassistant/image/#').items()
        config = json.loads(config)
        self.assertRegex(topic, r'^homeassistant/image/[\w-]+/picture/config$')
        self.assertLessEqual(set(config), IMAGE_KEYS)
        self.assertEqual(config['image_topic'], f'site/pictures/{ODD}')
        self.assertEqual(config['content_type'], 'image/jpeg')
        self.assertEqual(config['availability'], [{'topic': STATUS}])
        self.assertEqual(config['device'], {**next(iter(found.values()))['device'],
                                            'suggested_area': 'Gate'})
        self.assertNotIn(config['unique_id'], ids)

        monitor.config.write_text('[camera b]\nuri=test\nconditions=dark\n'
                                  + mqtt(self.broker.port, 'discovery=homeassistant'))
        monitor.reload()
        common.wait_for(lambda: [json.loads(p)['device']['name'] for p in
                                 self.retained('homeassistant/#').values()] == ['b'], 'b alone')


class Loss(Case):
    def sensors(self):
        """What Home Assistant shows: {(camera, sensor): state}."""
        kept = self.retained()
        shown = {}
        for config in (json.loads(p) for t, p in kept.items() if t.startswith('homeassistant/')):
            self.assertEqual(config['availability_mode'], 'all')
            key = config['device']['name'], config['name']
            if any(kept.get(a['topic']) != 'online' for a in config['availability']):
                shown[key] = 'unavailable'
            else:
                state = json.loads(kept[config['state_topic']])['Data']['State']
                shown[key] = {True: 'on', False: 'off', None: 'unknown'}[state]
        return shown

    def test_before(self):
        """What a camera showed before it lost its video is not present until a frame shows it,
        whether it is judged by signal-loss, and whether that is quiet, or not."""
        dark, bright = self.clip(150, 'black'), self.clip(151)
        clip = self.folder / 'clip.avi'
        shutil.copy(dark, clip)
        cameras = ''.join(f'[camera {name}]\nuri={clip}\nconditions={conditions}\n'
                          for name, conditions in (('door', 'dark;signal-loss'), ('hall', 'dark'),
                                                   ('yard', 'dark;signal-loss')))
        listener = broker.Subscriber(self, self.broker.port, 'site/#')
        monitor = self.monitor(config='[cameras]\nrules=dark,duration=0s,hold=0s;'
                               f'signal-loss,enter=3,leave=1,hold=0s\n{cameras}'
                               + mqtt(self.broker.port, 'discovery=homeassistant'))
        path = ('/api/v1/cameras/yard/snooze?condition=signal-loss&'
                f'until={int(time.time()) + 3600}')
        self.assertEqual(monitor.ask(path, 'POST').status, 200)

        def wait_for(darkness, loss):
            shown = {(name, 'too dark'): darkness for name in ('door', 'hall', 'yard')}
            shown |= {('door', 'no video'): loss, ('yard', 'no video'): 'off'}
            common.wait_for(lambda: self.sensors() == shown, shown)

        wait_for('on', 'off')
        for source in dark, bright:
            clip.write_bytes(b'')
            wait_for('unavailable', 'on')
            common.wait_for(lambda n=monitor.camera('hall')['reconnects']:
                            monitor.camera('hall')['reconnects'] > n + 1, 'two attempts')
            shutil.copy(source, clip)
            wait_for('on' if source == dark else 'off', 'off')
        for name in 'door', 'hall', 'yard':
            # It may send video before the broker is connected.
            video = listener.all(VIDEO + name)
            self.assertEqual(video[video.index('online'):], ['online', 'offline'] * 2 + ['online'])
            topic = f'{ONVIF}VideoSource/ImageTooDark/AnalyticsService/&{name}'
            states = [json.loads(p)['Data']['State'] for p in listener.all(topic)]
            self.assertEqual(states[states.index(True):], [True, None, True, None, False])

        monitor.config.write_text('[camera b]\nuri=test\n' + mqtt(self.broker.port))
        monitor.reload()
        common.wait_for(lambda: list(self.retained(VIDEO + '#')) == [VIDEO + 'b'], 'b alone')


class Removal(Case):
    def names(self):
        """The cameras for which the broker retains states."""
        return sorted({t.split('&')[1] for t in self.retained(ONVIF + '#')})

    def test_reload(self):
        """A removed camera's topics are deleted by empty messages, which subscribers see."""
        text = '[camera {}]\nuri=test\n'
        monitor = self.monitor(config=text.format('a') + text.format('b')
                               + mqtt(self.broker.port))
        common.wait_for(lambda: self.names() == ['a', 'b'], 'states of both')
        listener = broker.Subscriber(self, self.broker.port, 'site/#')
        listener.wait_for(STATUS, 'online')
        monitor.config.write_text(text.format('b') + '[camera c]\nuri=test\nconditions=dark\n'
                                  + mqtt(self.broker.port))
        monitor.reload()
        listener.wait_for(SIGNAL_LOSS + 'a', '')
        common.wait_for(lambda: self.names() == ['b', 'c'], 'states of the others')
        self.assertEqual(len([t for t in self.retained(ONVIF + '#') if t.endswith('&c')]), 1)
        # The remaining camera is not touched.
        states = listener.all(SIGNAL_LOSS + 'b')
        self.assertEqual(len(states), 1, states)

        # A changed camera keeps its topics, except those of conditions no longer watched.
        monitor.config.write_text('[camera b]\nuri=test:dark\nconditions=dark+frozen\n'
                                  + mqtt(self.broker.port))
        monitor.reload()
        common.wait_for(lambda: sorted(self.retained(ONVIF + '#')) == [
            f'{ONVIF}VideoSource/ImageTooDark/AnalyticsService/&b',
            f'{ONVIF}vh:VideoSource/Frozen/&b'], 'two states')

    def test_active(self):
        """Its active conditions end, and its topics stay deleted."""
        monitor = self.monitor(config=common.LOST + '[camera b]\nuri=test\n'
                               + mqtt(self.broker.port))
        listener = broker.Subscriber(self, self.broker.port, 'site/#')
        common.wait_for(lambda: listener.last(EVENTS + 'a'), 'signal-loss')
        monitor.config.write_text('[camera b]\nuri=test\n' + mqtt(self.broker.port))
        monitor.reload()
        common.wait_for(lambda: len(listener.all(EVENTS + 'a')) == 2, 'its end')
        listener.wait_for(SIGNAL_LOSS + 'a', '')
        event = json.loads(listener.last(EVENTS + 'a'))
        self.assertEqual((event['active'], event['reason']),
                         (False, 'no longer watched'))
        # The broker may forward a message before it acknowledges it.
        common.wait_for(lambda: monitor.output_named('mqtt')['queued'] == 0, 'an empty queue')
        monitor.stop()
        self.assertEqual(self.names(), ['b'])

    def test_while_away(self):
        """Topics of cameras removed while the program or the broker was away are deleted later."""
        text = '[camera a]\nuri=test\n[camera b]\nuri=test\n'
        monitor = self.monitor(config=text + mqtt(self.broker.port))
        common.wait_for(lambda: self.names() == ['a', 'b'], 'states of both')
        monitor.kill()
        monitor.config.write_text('[camera b]\nuri=test\n' + mqtt(self.broker.port))
        monitor.start()
        common.wait_for(lambda: self.names() == ['b'], 'states of b alone')

        self.broker.stop()
        monitor.config.write_text('[camera c]\nuri=test\n' + mqtt(self.broker.port))
        monitor.reload()
        self.broker.start()
        common.wait_for(lambda: self.names() == ['c'], 'states of c alone')

        # All topics change.
        monitor.config.write_text('[camera c]\nuri=test\n'
                                  + mqtt(self.broker.port).replace('=site', '=other'))
        monitor.reload()
        common.wait_for(lambda: {t.split('/')[0] for t in self.retained()} == {'other'},
                        'topics with the other prefix alone')
        self.assertEqual(monitor.stop(), 0)
        self.assertEqual(self.retained('other/status'),
                         {'other/status': 'offline'})

    def test_not_noted(self):
        """The list of retained topics is stored before they are sent, so that they can be deleted
        after a kill; but states do not wait for a database that cannot be written."""
        monitor = self.monitor(config='[camera a]\nuri=test\n' + mqtt(self.broker.port))
        common.wait_for(lambda: self.names() == ['a'], 'states')
        count = len({c['topic'] for c in monitor.camera('a')['conditions']})
        monitor.config.write_text('[camera a]\nuri=test\n[camera b]\nuri=test\n'
                                  + mqtt(self.broker.port))
        with common.locked(monitor):
            monitor.reload()
            monitor.wait_for_state('b', 'up')
            common.wait_for(lambda: self.names() == ['a', 'b'], 'states of both')
        common.wait_for(lambda: monitor.ask('/healthz').status == 200, 'health')
        path = self.folder / 'state/monitor.db'
        with contextlib.closing(sqlite3.connect(path)) as database:
            common.wait_for(lambda: database.execute(
                "SELECT count(*) FROM retained WHERE topic LIKE '%&b'").fetchone()[0] == count,
                'what the broker has to be stored')

    def test_broker_forgets(self):
        """A broker without persistence gets all states when it is back."""
        monitor = self.monitor('a=test', config=mqtt(self.broker.port))
        common.wait_for(lambda: self.names() == ['a'], 'states')
        self.broker.kill()
        (self.broker.folder / 'mosquitto.db').unlink(missing_ok=True)
        self.broker.start()
        common.wait_for(lambda: self.names() == ['a'], 'states again')
        self.assertEqual(monitor.output_named('mqtt')['reason'], '')


class LastWill(Case):
    def start(self, port):
        listener = broker.Subscriber(self, self.broker.port, STATUS)
        monitor = self.monitor('a=test', config=mqtt(port, f'keepalive={KEEPALIVE}'))
        listener.wait_for(STATUS, 'online')
        return listener, monitor

    def test_kill(self):
        listener, monitor = self.start(self.broker.port)
        begin = time.monotonic()
        monitor.kill()
        listener.wait_for(STATUS, 'offline')
        # Otherwise the broker would wait for the keep-alive time.
        self.assertLess(listener.messages[-1]['at'] - begin, KEEPALIVE)
        monitor.start()
        listener.wait_for(STATUS, 'online')

    def test_goodbye(self):
        listener, monitor = self.start(self.broker.port)
        self.assertEqual(monitor.stop(), 0)
        listener.wait_for(STATUS, 'offline')

    def swallowed(self, name, keepalive, source):
        """Returns a monitor whose packets are swallowed after the next one, and its proxy to the
        broker."""
        way = common.Proxy(self, self.broker.port)
        folder = self.folder / name
        folder.mkdir()
        monitor = common.Monitor(folder, f'a={source}', config=mqtt(
            way.port, f'keepalive={keepalive}').replace('prefix=site', f'prefix={name}'))
        self.addCleanup(monitor.kill)
        self.addCleanup(monitor.end)
        self.wait_until_up(monitor)
        way.swallow_after_packet()
        return monitor, way

    def test_black_hole(self):
        """Packets are swallowed: both ends notice, and neither keeps an outdated state. The last
        packet was just sent, which is when detection takes longest."""
        listener = broker.Subscriber(self, self.broker.port, '+' + STATUS.removeprefix('site'))
        seconds = {}
        names = [f'site{i}' for i in range(len(KEEPALIVES))]
        source = self.clip(100, rate='1/1')
        pairs = [self.swallowed(*pair, source) for pair in zip(names, KEEPALIVES)]
        time.sleep(max(KEEPALIVES))
        for name, keepalive, (_, way) in zip(names, KEEPALIVES, pairs):
            topic = STATUS.replace('site', name)
            listener.wait_for(topic, 'offline')
            took = listener.when(topic) - way.swallowed_at
            seconds.setdefault(keepalive, []).append(took)
        for keepalive, took in seconds.items():
            common.figure(f'last will after packets are swallowed, keepalive={keepalive}',
                          f'{min(took):.1f} to {max(took):.1f} s in {len(took)} tries; '
                          f'at most {1.5 * keepalive:g} s are allowed')
            self.assertLess(max(took), 1.5 * keepalive)

        (monitor, way), topic = pairs[0], STATUS.replace('site', names[0])
        common.wait_for(lambda: not monitor.output_named('mqtt')['up'], 'the loss')
        self.assertEqual(monitor.ask('/healthz').status, 200)
        way.recover()
        listener.wait_for(topic, 'online')
        time.sleep(2)
        self.assertEqual(listener.last(topic), 'online')

    def test_half_open(self):
        """The program is back before the broker notices that it was away: the last will of the old
        connection does not follow the new one's messages."""
        way = common.Proxy(self, self.broker.port)
        listener, monitor = self.start(way.port)
        way.swallow()
        monitor.kill()
        way.recover()
        monitor.start()
        common.wait_for(lambda: listener.all(STATUS)[1:], 'the new connection')
        time.sleep(1.5 * KEEPALIVE)
        self.assertEqual(listener.last(STATUS), 'online')


class Away(Case):
    def check(self, listener, monitor):
        """Every event of all cameras arrived in order; repeated ones are recognized by their
        number."""
        def numbers():
            return [json.loads(m['payload'])['number'] for m in listener.messages]

        stored = common.all_events(monitor)
        common.wait_for(lambda: max(numbers(), default=0) >= stored[-1]['number'],
                        f'event {stored[-1]["number"]}')
        first = list(dict.fromkeys(numbers()))
        self.assertEqual(first[:len(stored)], [e['number'] for e in stored])
        self.assertEqual(first, sorted(first))
        print(f'{len(stored)} events, {len(numbers()) - len(first)} told again')
        # Only events in flight, or whose delivery was not on disk yet, were repeated.
        common.wait_for(lambda: common.progress(monitor, 'mqtt') >= stored[-1]['number'],
                        'how far it is')

    def test_away(self):
        """The broker is away, and the program is killed meanwhile."""
        listener = broker.Subscriber(self, self.broker.port, EVENTS + '#', session='listener')
        monitor = self.busy(8, mqtt(self.broker.port))
        common.wait_for(lambda: len(listener.messages) > 20, 'events')
        self.broker.stop()
        before = common.wait_for(lambda: not monitor.output_named('mqtt')['up']
                                 and monitor.json('events')[-1]['number'], 'the loss')
        time.sleep(AWAY_SECONDS / 2)
        monitor.kill()
        monitor.start()
        time.sleep(AWAY_SECONDS / 2)
        after = common.wait_for(lambda: monitor.json('events')[-1]['number'], 'events')
        self.assertGreater(after, before + 4 * AWAY_SECONDS)
        self.assertGreater(monitor.output_named('mqtt')['queued'], after - before - 50)
        self.assertNotEqual(monitor.output_named('mqtt')['reason'], '')
        self.broker.start()
        self.check(listener, monitor)
        common.wait_for(lambda: monitor.output_named('mqtt')['queued'] < 20, 'an empty queue')

    def test_killed_again_and_again(self):
        """Kills the program at random moments, and cuts the connection."""
        way = common.Proxy(self, self.broker.port)
        listener = broker.Subscriber(self, self.broker.port, EVENTS + '#')
        monitor = self.busy(8, mqtt(way.port))
        for i in range(3):
            common.wait_for(lambda n=len(listener.messages): len(listener.messages) > n + 20,
                            'events')
            if i % 2:
                way.cut()
            else:
                monitor.kill()
                monitor.start()
        self.check(listener, monitor)

    def test_nothing_of_before(self):
        """A new output starts with events from now on."""
        monitor = self.busy(4)
        common.wait_for(lambda: len(monitor.json('events')) > 10, 'events')
        before = monitor.json('events')[-1]['number']
        listener = broker.Subscriber(self, self.broker.port, EVENTS + '#')
        monitor.config.write_text(common.BUSY + mqtt(self.broker.port))
        monitor.reload()
        common.wait_for(lambda: len(listener.messages) > 4, 'events')
        self.assertGreater(json.loads(listener.messages[0]['payload'])['number'], before)

        # Removed and added again, it continues where it stopped.
        monitor.config.write_text(common.BUSY)
        monitor.reload()
        self.assertIsNone(monitor.output_named('mqtt'))
        self.assertNotIn('videohistogram_output_up{output="mqtt"}', monitor.metrics())
        time.sleep(3)
        monitor.config.write_text(common.BUSY + mqtt(self.broker.port))
        monitor.reload()
        seen = len(listener.messages)
        common.wait_for(lambda: len(listener.messages) > seen + 10, 'events')
        numbers = list(dict.fromkeys(json.loads(m['payload'])['number']
                                     for m in listener.messages))
        self.assertEqual(numbers, list(range(numbers[0], numbers[-1] + 1)))


# Runs a program with so many open files that every further descriptor is beyond the range of
# select().
FULL = ('import os, resource, sys\n'
        'hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n'
        'resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))\n'
        'while os.dup(0) < 1024: pass\n'
        'for n in range(3, 1025): os.set_inheritable(n, True)\n'
        'os.execv(sys.argv[1], sys.argv[1:])')


class ManyFiles(Case):
    def test_reconnects(self):
        """Dozens of cameras have more than 1000 open files."""
        if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 2048:
            self.skipTest('a process may not have so many files')
        monitor = self.monitor('a=test', config=mqtt(self.broker.port),
                               prefix=(sys.executable, '-c', FULL))
        self.wait_until_up(monitor)
        self.broker.stop()
        common.wait_for(lambda: not monitor.output_named('mqtt')['up'], 'the loss')
        self.broker.start()
        self.wait_until_up(monitor)
        self.assertEqual(self.retained()[STATUS], 'online')
        monitor.stop()
        self.assertEqual(self.retained()[STATUS], 'offline')


class Refused(common.Case):
    """Brokers that reject certificates and passwords."""

    def wait_for_reason(self, monitor, pattern):
        reason = common.wait_for(lambda: re.search(
            pattern, monitor.output_named('mqtt')['reason']), pattern)
        self.assertFalse(monitor.output_named('mqtt')['up'])
        return reason

    def test_tls(self):
        self.certify('ca', subject='/CN=ca')
        self.certify('other', subject='/CN=other')
        self.certify('server', 'ca')
        self.certify('client', 'ca', subject='/CN=client')
        files = {name: self.folder / name for name in
                 ('ca.pem', 'other.pem', 'server.pem', 'server.key')}
        server = broker.Broker(self, f'cafile {files["ca.pem"]}\ncertfile {files["server.pem"]}\n'
                               f'keyfile {files["server.key"]}\nrequire_certificate true\n'
                               'allow_anonymous true\n')

        def config(host, ca, *more):
            return '[camera a]\nuri=test\n' + mqtt(server.port, f'ca={ca}.pem', *more).replace(
                'mqtt://127.0.0.1', f'mqtts://{host}')

        client = 'certificate=client.pem\nkey=client.key'
        monitor = self.monitor(config=config('127.0.0.1', 'other', client))
        self.wait_for_reason(monitor, 'certificate verify failed')
        monitor.config.write_text(config('localhost', 'ca', client))
        monitor.reload()
        # The certificate is not for this name.
        self.wait_for_reason(monitor, '(?i)host name mismatch|hostname|verify failed')
        monitor.config.write_text(config('127.0.0.1', 'ca'))
        monitor.reload()
        self.wait_for_reason(monitor, '(?i)certificate required|tls|lost|ssl')
        monitor.config.write_text(config('127.0.0.1', 'none', client))
        self.assertRegex(monitor.reload(), r'none\.pem: No such file')
        monitor.config.write_text(config('127.0.0.1', 'ca', client))
        monitor.reload()
        common.wait_for(lambda: monitor.output_named('mqtt')['up'], 'the broker')
        kept = broker.retained(server.port, STATUS, [
            '--cafile', str(files['ca.pem']), '--cert', str(self.folder / 'client.pem'), '--key',
            str(self.folder / 'client.key'), '-h', '127.0.0.1'])
        self.assertEqual(kept, {STATUS: 'online'})

    def test_password(self):
        passwords = self.folder / 'passwords'
        passwords.touch(0o600)
        subprocess.run(['mosquitto_passwd', '-b', str(passwords), 'monitor', 'geheim-815'],
                       check=True, capture_output=True)
        server = broker.Broker(self, f'password_file {passwords}\nallow_anonymous false\n')
        self.write('right', 'monitor:geheim-815\n')
        self.write('wrong', 'monitor:geheim-816\n')
        monitor = self.monitor(config='[camera a]\nuri=test\n'
                               + mqtt(server.port, 'credentials=wrong'))
        self.wait_for_reason(monitor, '(?i)not authori[sz]ed')
        self.assertEqual(monitor.ask('/healthz').status, 200)
        monitor.config.write_text('[camera a]\nuri=test\n'
                                  + mqtt(server.port, 'credentials=right'))
        monitor.reload()
        common.wait_for(lambda: monitor.output_named('mqtt')['up'], 'the broker')
        pages = ''.join(monitor.ask(path).text for path in
                        ('/', '/metrics', '/api/v1/outputs', '/api/v1/cameras'))
        self.assertNotIn('geheim', monitor.output() + pages)


class Hanging(common.Case):
    """Servers that are not brokers disturb nobody."""

    def check(self, answer):
        server = socket.create_server(('127.0.0.1', 0))
        self.addCleanup(server.close)
        taken = []

        def serve():
            try:
                while True:
                    taken.append(server.accept()[0])
                    if answer:
                        taken[-1].sendall(answer)
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        monitor = self.lost('[camera b]\nuri=test\n' + mqtt(
            server.getsockname()[1], f'keepalive={KEEPALIVE}'))
        self.addCleanup(lambda: [t.close() for t in taken])
        common.wait_for(lambda: taken, 'a connection')
        monitor.wait_for_state('b', 'up')
        common.wait_for(lambda: monitor.json('events'), 'an event')
        for _ in range(20):
            begin = time.monotonic()
            self.assertEqual(monitor.ask('/metrics').status, 200)
            self.assertLess(time.monotonic() - begin, 60)
        frames = monitor.camera('b')['frames']
        common.wait_for(lambda: monitor.camera('b')['frames'] > frames + 10, 'frames')
        output = monitor.output_named('mqtt')
        self.assertEqual((output['up'], output['queued']), (False, 1))
        # After the keep-alive time it connects again.
        common.wait_for(lambda: len(taken) > 1, 'another connection')
        self.assertLess(len(os.listdir(f'/proc/{monitor.process.pid}/fd')), 100)
        begin = time.monotonic()
        self.assertEqual(monitor.stop(), 0)
        self.assertLess(time.monotonic() - begin, 60)

    def test_silence(self):
        self.check(b'')

    def test_garbage(self):
        self.check(b'HTTP/1.1 400 Bad Request\r\n\r\n' + bytes(range(256)) * 50)

    def test_no_connection(self):
        """Connection packets are lost: the program still exits."""
        with socket.socket() as server:
            server.bind(('127.0.0.1', 0))
            server.listen(0)
            # The connection that the kernel accepts without the server.
            with socket.create_connection(server.getsockname()):
                monitor = self.monitor('a=test', config=mqtt(server.getsockname()[1]))
                monitor.wait_for_state('a', 'up')
                time.sleep(1)
                self.assertEqual(monitor.output_named('mqtt')['reason'],
                                 'connecting')
                monitor.config.write_text('')
                begin = time.monotonic()
                monitor.reload()
                self.assertIsNone(monitor.output_named('mqtt'))
                self.assertEqual(monitor.stop(), 0)
                self.assertLess(time.monotonic() - begin, 60)

    def test_stopped(self):
        """A broker that is there but stopped."""
        server = broker.Broker(self)
        monitor = self.busy(4, mqtt(server.port, f'keepalive={KEEPALIVE}'))
        common.wait_for(lambda: monitor.output_named('mqtt')['delivered'], 'events')
        server.process.send_signal(signal.SIGSTOP)
        common.wait_for(lambda: not monitor.output_named('mqtt')['up'], 'the loss')
        self.assertEqual(monitor.ask('/healthz').status, 200)
        server.process.send_signal(signal.SIGCONT)
        common.wait_for(lambda: monitor.output_named('mqtt')['up'], 'the broker again')
        common.wait_for(lambda: monitor.output_named('mqtt')['queued'] < 5, 'an empty queue')


class Excessive(common.Case):
    """Brokers that send what nobody asked for lose the connection."""

    REASON = '^the broker sends messages that nobody asked for'
    ACCEPTED = b'\x20\2\0\0'

    def check(self, parts):
        """Has each connection get @parts; returns how many bytes the first one took."""
        server = socket.create_server(('127.0.0.1', 0))
        self.addCleanup(server.close)
        sizes = []

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection = server.accept()[0]
                    size = 0
                    with connection, contextlib.suppress(OSError):
                        connection.recv(65536)
                        for part in parts():
                            connection.sendall(part)
                            size += len(part)
                        while connection.recv(65536):
                            pass
                    sizes.append(size)

        threading.Thread(target=serve, daemon=True).start()
        monitor = self.monitor('a=test', config=mqtt(server.getsockname()[1]))
        before = common.resident(monitor)
        common.wait_for(lambda: sizes, 'the end of the connection')
        common.wait_for(lambda: re.match(self.REASON, monitor.output_named('mqtt')['reason']),
                        'the reason')
        if not common.SANITIZED:
            self.assertLess(common.resident(monitor), before + 60)
        self.assertEqual(monitor.ask('/healthz').status, 200)
        self.assertEqual(monitor.stop(), 0)
        return sizes[0]

    def test_accepted_again(self):
        """Each time, all states would be published again."""
        self.check(lambda: [self.ACCEPTED] * 2)

    def test_messages(self):
        """libmosquitto keeps messages of QoS 2 until the broker releases them."""
        payload = 100_000 * b'x'
        length = 5 + len(payload)
        head = bytes([0x34, length & 127 | 128, length >> 7 & 127 | 128, length >> 14]) + b'\0\1t'
        size = self.check(lambda: itertools.chain([self.ACCEPTED], (
            head + number.to_bytes(2, 'big') + payload for number in range(1, 3000))))
        self.assertLess(size, 50_000_000)


if __name__ == '__main__':
    if not broker.is_there():
        common.skip('there is no mosquitto: the packages mosquitto and mosquitto-clients have it')
    common.main()
