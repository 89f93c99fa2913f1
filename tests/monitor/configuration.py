#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors of a configuration name the file, the line and what is allowed, all in one run, and
nothing starts. SIGHUP applies only what has changed."""

import contextlib
import http.client
import itertools
import json
import os
import re
import signal
import socket
import subprocess

import common


class Errors(common.Case):
    def refused(self, text, *expected):
        path = self.write('monitor.conf', text)
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 2, output)
        lines = output.splitlines()
        self.assertEqual(len(lines), len(expected), output)
        for line, (number, pattern) in zip(lines, expected):
            self.assertTrue(line.startswith(f'{path}:{number}: ' if number else f'{path}: '),
                            line)
            self.assertRegex(line, pattern)

    def test_each_line(self):
        self.refused('\n'.join((
            '# cameras', 'uri=test', '[camera door]', 'uri=ftp', 'transport=quic', 'timeout=0',
            'interval=fast', 'rules=dark,enter=7', 'conditions=drak+quxzzy', 'nonsense',
            '[camera yard]', '[broken', 'x=y', '[http]', 'listen=8080', 'hosts=a/b',
            '[store]', 'days=0', 'pictures=-1', '[camera a/b]', '[camera door]', '[http]')),
            (2, 'uri is outside of a group'),
            (4, 'uri: neither an address nor a file that exists: set an address'),
            (5, 'transport: not a transport: set auto, tcp or udp'),
            (6, 'timeout: "0" is not a number of seconds from 1 to 3600'),
            (7, 'interval: "fast" is not a number'),
            (8, 'rules: .*enter'),
            (9, r'conditions: "drak" is not a condition \(did you mean dark\?\): set default, all'),
            (9, 'conditions: "quxzzy" is not a condition: set default, all, or some of signal'),
            (10, 'line is neither'),
            (11, 'camera yard has no uri'),
            (12, r'not a \[group\] header'),
            (15, 'listen: "8080" is not ADDRESS:PORT'),
            (16, 'hosts: "a/b" is not a host name'),
            (18, 'days: "0" is not a whole number from 1'),
            (19, 'pictures: "-1" is not a whole number'),
            (20, '"a/b" is not a valid camera name'),
            (20, 'camera a/b has no uri'),
            (21, 'is already defined on line 3'),
            (22, 'is already defined on line 14'))

    def test_divided_group(self):
        """Keys of a group that is defined twice are checked together, wherever they are."""
        self.write('file', 'x')
        os.chmod(self.folder / 'file', 0o600)
        path = self.folder / 'monitor.conf'
        for text, expected in (
                ('[http]\n[http]\ncertificate=file\nkey=file\n',
                 ((2, 'already defined on line 1'), (3, 'certificate .*file with key .*file: '))),
                ('[mqtt]\n[mqtt]\nbroker=mqtt://127.0.0.1\n',
                 ((2, 'already defined on line 1'),))):
            path.write_text(text + '[camera a]\nuri=test\n')
            status, output = common.check('--check', '--config', str(path))
            self.assertEqual(status, 2, output)
            for line, (number, fault) in itertools.zip_longest(output.splitlines(), expected,
                                                               fillvalue=(0, '')):
                self.assertRegex(str(line), f':{number}: .*{fault}', output)

    def test_every_fault(self):
        """Every kind of fault is reported once, in one run, whoever finds it: the parser of
        lines, rules or groups, or the checks of secrets, certificates, protocols and folders. A
        faulty group does not hide faults inside it. The program reports the same at start and on
        reload."""
        self.write('file', 'x')
        self.write('weak', 'x' * 9)
        lines = (
            (b'[cameras]', ()),
            (b'interval=often', ('interval: "often" is not a number',)),
            (b'rules=dark,enter=7,duration=5;quxzzy;frozen,hold=x', (
                'rules: dark: enter is 7', 'rules: dark: duration is 5, .*5s" or .*5000ms',
                'rules: unknown condition "quxzzy"', 'rules: frozen: hold is x')),
            (b'ignore=dark,x=2,y=0,width=3,height=1', ('ignore: dark: x is 2',
                                                       'ignore: dark: width is 3')),
            (b'[camera a]', ()),
            (b'uri=gopher://192.0.2.1/x', ('GStreamer has no element for gopher',)),
            (b'rules=bright,leave=9;dark,hold=-1s', ('rules: dark: hold is -1s',
                                                     'rules: bright: leave is 9')),
            (b'conditions=flashing;murky;odd', ('"murky" is not', '"odd" is not')),
            (b'[camera b', ('not a .group. header',)),
            (b'latency=-1', ('latency: "-1"',)),
            (b'[Camera c]', (r'did you mean \[camera c\]',)),
            (b'timeout=0', ('timeout: "0"',)),
            (b'no such key=1', ()),
            (b'[camera d/e]', ('"d/e" is not a valid camera name', 'has no uri')),
            (b'transport=pigeon', ('transport: not a transport',)),
            (b'[camera a]', ('is already defined on line 5',)),
            (b'latency=x', ('latency: "x"',)),
            (b'# caf\xe9', ('not valid UTF-8',)),
            (b'[http]', ()),
            (b'listen=0.0.0.0:0', ('needs key=FILE in',)),
            (b'secret=weak', ('secret: weak: must have at least 16',)),
            (b'certificate=file', ('certificate without key',)),
            (b'hosts=a/b c,d/e', ('"a/b" is not a host', '"d/e" is not a host')),
            (b'[store]', ()),
            (b'directory=file', ('Not a directory',)),
            (b'days=0', ('days: "0"',)),
            (b'[mqtt]', ()),
            (b'broker=x', ('broker: must be',)),
            (b'ca=file', (r'\[mqtt\] ca: .*file: ',)),
            (b'[webhook w]', ('has no url',)),
            (b'secret=none', ('secret: cannot read the file: No such file',)),
        )
        faulty = b'\n'.join(line for line, _ in lines)
        path = self.folder / 'monitor.conf'
        path.write_bytes(faulty)
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 2)
        expected = [(number, text) for number, (_, texts) in enumerate(lines, 1)
                    for text in texts]
        said = output.splitlines()
        for line, (number, text) in itertools.zip_longest(said, expected, fillvalue=(0, '')):
            self.assertRegex(str(line), f'^{re.escape(str(path))}:{number}: .*{text}', output)
        self.assertEqual(common.check('--config', str(path)), (2, output))

        monitor = self.monitor(config='[camera a]\nuri=test\n[http]\nlisten=127.0.0.1:0\n',
                               directory=False, listen=False)
        path.write_bytes(faulty)
        again = monitor.reload()
        self.assertEqual([line for line in again.splitlines() if line in said], said)
        for line in said:
            self.assertEqual(again.count(line), 1, again)

    def test_secrets(self):
        """What is written where a file, an address or a line belongs may be a secret: no error
        quotes it, and viewers and outputs get only the number of errors."""
        lines = ('[camera a]', 'uri={}', 'substream=rtsp//me:{}@192.0.2.1/x', 'transport={}',
                 'credentials=me:{}', '{}', 'whsec_{}0==', 'me:{}@x=y', '[camera b] uri={}',
                 'uri=rtsp:/me:{}@192.0.2.1/x', 'sensitivity={}', '[camera c]', 'uri=test:{}@x',
                 'credentials={}', 'decode={}', '[http]', 'listen=127.0.0.1:0', 'secret={}',
                 'viewer-secret={}', '[webhook w]', 'url={}', 'secret=whsec_{}', '[mqtt]',
                 'broker={}', 'credentials={}')
        text = '\n'.join(lines).replace('{}', 'PassWord')
        path = self.write('monitor.conf', text)
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 2, output)
        self.assertNotIn('PassWord', output)
        refused = {int(re.match(r'.*?:(\d+): ', line)[1]) for line in output.splitlines()}
        right = {n for n, line in enumerate(lines, 1) if '{}' not in line}
        self.assertEqual(refused, set(range(1, len(lines) + 1)) - right, output)

        monitor = self.monitor(config='[camera a]\nuri=test\n')
        monitor.config.write_text(text)
        self.assertNotIn('PassWord', monitor.reload())
        notices = common.wait_for(lambda: monitor.json('notices'), 'a notice')
        self.assertRegex(notices[0]['text'], r'The new one has \d+ errors\. The log says which\.$')
        self.assertNotIn('PassWord', monitor.output())

    def test_interval(self):
        """A rule that needs every frame causes a warning for each camera with an interval."""
        self.refused('[camera a]\nuri=test\ninterval=0.0005',
                     (3, 'interval: "0.0005" is less than a millisecond: set 0.001 s or more, '
                         'or 0'))
        self.refused('\n'.join((
            '[cameras]', 'conditions=flashing+dark', '[camera a]', 'uri=test',
            '[camera b]', 'uri=test', 'interval=0', '[camera c]', 'interval=0.01', 'uri=test',
            'conditions=all+banding', '[camera d]', 'uri=test', 'conditions=dark')),
            (3, 'camera a: flashing needs every frame, but interval=0.2 skips most of them: '
                'set interval=0, or remove flashing from conditions'),
            (8, 'camera c: banding needs every frame, but interval=0.01 skips'))
        self.refused('\n'.join((
            '[cameras]', 'decode=some', 'interval=0', '[camera a]', 'uri=test', 'decode=keyframes',
            'conditions=flashing+dark')),
            (2, 'decode: must say which frames to decode: set all, keyframes or '
                'auto'),
            (4, 'camera a: flashing needs every frame, but decode=keyframes leaves out most of '
                'them: set decode=all and interval=0, or remove flashing from conditions'))
        for rules, warned in (('dark,enter=0.95', False), (' flashing , enter=5', True),
                              ('dark,enter=0.95;flashing,enter=5', True)):
            with self.subTest(rules=rules):
                path = self.write('monitor.conf', f'[cameras]\nrules={rules}\n'
                                  '[camera a]\nuri=test\n[camera b]\nuri=test\ninterval=0\n'
                                  '[camera c]\nuri=test\nconditions=dark\n')
                status, output = common.check('--check', '--config', str(path))
                self.assertEqual(status, 0, output)
                self.assertEqual(output.count('warning: '), warned, output)
                self.assertEqual(f'{path}:3: warning: camera a: the rule for flashing has no '
                                 'effect: ' in output, warned, output)
        # A camera named on the command line inherits from [cameras].
        path = self.write('monitor.conf', '[cameras]\nconditions=banding\n')
        status, output = common.check('--check', '--config', str(path), 'a=test')
        self.assertEqual(status, 2)
        self.assertIn('command line: camera a: banding needs every frame', output)

    def test_names(self):
        """Names that would be more than a name in a topic, label or path are rejected."""
        for name in ('a\rX-Evil: 1', 'a\x1b[31m', 'a\x00b', 'a/../b', '..', 'a"b', 'a+b', 'a#b',
                     'a\\b', 'x' * 65, '\x85', '\u202e'):
            with self.subTest(name=name):
                path = self.write('monitor.conf', f'[camera {name}]\nuri=test\n')
                status, output = common.check('--check', '--config', str(path))
                self.assertEqual(status, 2, output)
                # Nothing that a terminal would act on is quoted.
                self.assertTrue(all(line.isprintable() for line in output.split('\n')), output)

    def test_passwords(self):
        """Password files that others can read are rejected, and their contents are never shown."""
        status, output = common.check('--check', 'rtsp://user:geheim@192.0.2.1/a')
        self.assertEqual(status, 2)
        self.assertIn('credentials=FILE', output)
        self.assertNotIn('geheim', output)
        self.write('door', 'user:geheim\n', 0o644)
        self.write('none', 'geheim\n')
        self.refused('[camera door]\nuri=rtsp://192.0.2.1/a\ncredentials=door\n'
                     '[camera yard]\nuri=rtsp://192.0.2.1/b\ncredentials=none\n'
                     '[camera path]\nuri=rtsp://192.0.2.1/c\ncredentials=missing\n'
                     '[http]\nsecret=none\n',
                     (3, 'door: its group or other users can read it: run "chmod 600'),
                     (6, 'none: must be one line, user:password'),
                     (9, 'credentials: cannot read the file: No such file'),
                     (11, 'none: must have at least 16 characters'))

    def test_outputs(self):
        self.write('short', 'whsec_MDEyMw==\n')
        self.write('plain', 'x' * 40 + '\n')
        self.write('open', 'user:geheim\n', 0o644)
        self.refused('\n'.join((
            '[camera a]', 'uri=test', '[mqtt]', 'broker=127.0.0.1', 'prefix=a/#',
            'discovery=/x', 'keepalive=9', 'credentials=open', '[webhook a]', 'url=ftp://a.example',
            'secret=short', 'timeout=0', 'expire=-1', '[webhook b]',
            'url=http://u:geheim@a.example', 'secret=plain', '[webhook c/d]',
            '[webhook e]', 'url=http://a.example/', '[webhook  e]', '[webhook f]')),
            (4, 'broker: must be mqtt://HOST or, with TLS, mqtts://HOST'),
            (5, 'prefix: "a/#" is not a topic prefix'),
            (6, 'discovery: "/x" is not a topic prefix'),
            (7, 'keepalive: "9" is not a number of seconds from 10'),
            (8, 'credentials: .*open: its group or other users can read it: run "chmod 600'),
            (10, 'url: must be an address such as https://'),
            (11, r'secret: short: must be one line, whsec_ followed by at least 16 bytes'),
            (12, 'timeout: "0" is not a number'),
            (13, 'expire: "-1" is not a number'),
            (15, 'url: contains a user name or password'),
            (16, 'secret: plain: must be one line, whsec_'),
            (17, '"c/d" is not a valid webhook name'),
            (17, 'webhook c/d has no url'),
            (17, 'webhook c/d has no secret'),
            (18, 'webhook e has no secret: write .*, and set secret=FILE'),
            (20, 'webhook e already exists'),
            (20, 'webhook e has no url'),
            (20, 'webhook e has no secret'),
            (21, 'webhook f has no url: add a line such as url=https'),
            (21, 'webhook f has no secret'))

    def test_files_for_tls(self):
        """The files must be readable, and those of [http] must be valid."""
        self.write('empty', '')
        self.write('file', 'x')
        self.write('right', 'x' * 32)
        self.write('sign', 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==\n')
        self.refused('\n'.join((
            '[camera a]', 'uri=test', '[http]', 'certificate=nope.pem', 'key=.', '[mqtt]',
            'broker=mqtts://127.0.0.1', 'ca=nosuch.pem', 'certificate=empty', 'key=file',
            '[webhook a]', 'url=https://a.example', 'secret=sign', 'ca=none')),
            (4, r'certificate: .*/nope\.pem: No such file'), (5, 'key: .*: Is a directory'),
            (8, r'ca: .*/nosuch\.pem: No such file'), (9, 'certificate: .*/empty: file is empty'),
            (14, 'ca: .*/none: No such file'))
        path = self.write('monitor.conf', '[camera a]\nuri=test\n[http]\nsecret=right\n'
                          'certificate=file\nkey=file\n')
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 2)
        self.assertRegex(output, f'certificate {self.folder}/file with key {self.folder}/file: .')

    def test_addresses(self):
        """Common mistakes in addresses, each in a camera of its own: one line is reported for
        each."""
        expected = {
            'does not start with a scheme': (
                '"rtsp://192.0.2.1/x"', "'rtsp://192.0.2.1/x'", '<rtsp://192.0.2.1/x>', '://x',
                '1rtsp://192.0.2.1/x', 'cam=rtsp://192.0.2.1/x', 'ärtsp://192.0.2.1/x', '/x://y',
                'x://192.0.2.1/', '://', '?://'),
            'has no // after the scheme': ('v4l2:x://y', 'file:x://y', 'rtsp:/192.0.2.1/://'),
            'contains a space': ('rtsp://192.0.2.1/x # the yard',
                               'rtsp://192.0.2.1/a b', '" rtsp://192.0.2.1/x "'),
            'has no host': ('rtsp:///x', 'http://', 'srt://', 'rtsp://?a=b', 'srt://:0'),
            'not a valid address': ('rtsp://192.0.2.1:65536/x', 'rtsp://192.0.2.1:-1/x',
                                 'rtsp://[2001:db8::1/x', 'rtsp://192.0.2.1:1e2/x'),
            'contains a user name or password': ('rtsp://a@192.0.2.1/x', 'rtsp://:@192.0.2.1/x',
                                                 'http://a:b@[2001:db8::1]:80/x'),
        }
        rows = [(value, why) for why, values in expected.items() for value in values]
        lines, found = [], []
        for value, why in rows:
            lines += [f'[camera c{len(lines)}]', f'uri={value}']
            found.append((len(lines), f'uri: {why}'))
        self.refused('\n'.join(lines), *found)

    def test_brokers(self):
        self.write('file', 'x')
        for lines, *expected in (
                (['broker=mqtt://user:geheim@127.0.0.1'],
                 (4, 'contains a user name or password, which others could read')),
                (['broker=mqtt://127.0.0.1/x'],
                 (4, 'must be mqtt://HOST')),
                (['broker=mqtt://127.0.0.1', 'ca=file'],
                 (3, 'has files for TLS, which mqtt:// does not use'),
                 (5, r'\[mqtt\] ca: .*/file: ')),
                (['broker=mqtts://127.0.0.1', 'key=file'], (3, 'has key without certificate')),
                ([], (3, 'has no broker: add a line such as broker=mqtt://127.0.0.1'))):
            with self.subTest(lines=lines):
                self.refused('\n'.join(('[camera a]', 'uri=test', '[mqtt]', *lines)), *expected)
        self.write('right', 'user:geheim\n')
        path = self.write('monitor.conf', '[camera a]\nuri=test\n[mqtt]\n'
                          'broker=mqtt://192.0.2.1\ncredentials=right\n')
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 0)
        self.assertIn(f'{path}:3: warning: [mqtt] sends the password to 192.0.2.1 without TLS',
                      output)
        self.assertNotIn('geheim', output)

    def test_unknown_is_a_warning(self):
        path = self.write('monitor.conf', '[camera door]\nuri=test\nintervall=1\nzzzzzzzz=1\n'
                          '[cameras]\nuri=test\nury=test\n')
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 0, output)
        self.assertIn(f'{path}:3: warning: [camera door] intervall: unknown key, ignored: '
                      'did you mean interval?', output)
        self.assertIn(f'{path}:4: warning: [camera door] zzzzzzzz: unknown key, ignored\n',
                      output)
        self.assertIn(f'{path}:6: warning: [cameras] uri: ignored: set uri in [camera NAME]',
                      output)
        # The defaults of cameras do not suggest a key that they ignore.
        self.assertIn(f'{path}:7: warning: [cameras] ury: unknown key, ignored\n', output)

    def test_unknown_group(self):
        """An unknown group is an error: its contents would silently not be watched or reported."""
        for group, meant in (
                ('Camera a', 'camera a'), ('camera:b b', 'camera b b'), ('kamera a', 'camera a'),
                ('CAMERA2', 'camera 2'), ('camera', 'camera NAME'), ('htp', 'http'),
                ('Cameras', 'cameras'), ('webhooks ops', 'webhook ops'), ('MQTT', 'mqtt'),
                ('webhook', 'webhook NAME'), ('zzz', 'camera NAME'), ('€', 'camera NAME')):
            with self.subTest(group=group):
                self.refused(f'[camera z]\nuri=test\n[{group}]\nuri=test\n',
                             (3, re.escape(f'[{group}] is not a group: did you mean [{meant}]?')))

    def test_durations(self):
        """A bare number is rejected everywhere: it could mean 30 ns or 30 s."""
        self.refused('[cameras]\nrules=dark,duration=30\n[camera a]\nuri=test\n'
                     'rules=frozen,hold=0.5\n[camera b]\nuri=test\nrules=frozen,hold=500ms\n',
                     (2, 'rules: dark.*duration.*30.*30s'), (5, 'rules: frozen.*hold.*0.5.*s'))

    def test_valid(self):
        """--check prints what it has checked."""
        self.write('sign', 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==\n')
        path = self.write('monitor.conf', '\n'.join((
            '[camera a]', 'uri=test', '[store]', 'directory=some/folder', '[mqtt]',
            'broker=mqtt://broker.example', '[webhook ops]', 'url=https://a.example',
            'secret=sign', '[http]', 'listen=127.0.0.1:81')))
        status, output = common.check('--check', '--config', str(path))
        judged = re.search(r'\d+ conditions', output).group()
        self.assertEqual((status, output), (0, (
            f'videohistogram-monitor: {path} is valid: 1 camera, {judged}, page at '
            f'http://127.0.0.1:81, database in {self.folder}/some/folder, MQTT '
            'mqtt://broker.example:1883, webhook ops\n')))
        # It leaves no files behind.
        self.assertFalse((self.folder / 'some').exists())
        status, output = common.check('--check', 'test', 'a=test')
        self.assertEqual(status, 0)
        self.assertRegex(output, f'command line is valid: 2 cameras, {judged} each, ')

    def test_verbose(self):
        """--verbose prints the effective rules of each camera, equal to those in its JSON, and in a
        form that can be pasted back."""
        text = ('[cameras]\nrules=dark,enter=0.9,leave=0.7\nconditions=dark;bright;moved\n'
                '[camera a]\nuri=test\nrules=dark,enter=0.8;moved,enter=0.6\n'
                '[camera b]\nuri=test\nconditions=-moved\n')
        path = self.write('monitor.conf', text)
        status, output = common.check('--check', '--verbose', '--config', str(path))
        self.assertEqual(status, 0, output)
        self.assertIn('2 cameras, 2 to 3 conditions each', output)
        shown = {}
        for line in output.splitlines()[1:]:
            if line.startswith('camera '):
                rules = shown[line.split()[1].rstrip(':')] = {}
            else:
                name, *fields = line.strip().split(',')
                rules[name] = {k: float(v.removesuffix('s')) for k, v in
                               (f.split('=') for f in fields)}
        self.assertEqual({n: list(r) for n, r in shown.items()},
                         {'a': ['dark', 'bright', 'moved'], 'b': ['dark', 'bright']})
        dark = [(shown[n]['dark']['enter'], shown[n]['dark']['leave']) for n in 'ab']
        self.assertEqual(dark, [(0.8, 0.7), (0.9, 0.7)])
        self.assertEqual(shown['a']['moved']['enter'], 0.6)

        monitor = self.monitor(config=text)
        for name, rules in shown.items():
            common.wait_for(lambda: monitor.ask(f'/api/v1/cameras/{name}').status == 200, name)
            self.assertEqual(rules, {c['condition']: {k: c[k] for k in (
                'enter', 'leave', 'duration', 'hold')} for c in
                monitor.camera(name)['conditions']})

    def test_folder(self):
        """--check finds a folder that cannot be created, before the program does at start."""
        self.write('file', '')
        for folder, why in (('/proc/x', 'No such file'), ('/proc/x/y', 'No such file'),
                            ('file', 'Not a directory'), ('file/x', 'Not a directory')):
            with self.subTest(folder=folder):
                self.refused(f'[camera a]\nuri=test\n[store]\ndirectory={folder}\n',
                             (4, f'{folder}: {why}.*: set another folder with directory=FOLDER'))

    def test_open_files(self):
        """More cameras than the limit of open files allows are refused, test pictures are not."""
        cameras = ''.join(f'[camera {i}]\nuri=rtsp://192.0.2.1/{i}\n' for i in range(20))
        for text, status in (cameras, 2), (re.sub('uri=.*', 'uri=test', cameras), 0):
            file = self.write('many.conf', text)
            done = subprocess.run(['prlimit', '--nofile=120', common.PROGRAM, '--check', '--config',
                                   file], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual('20 cameras need at least 230 open files' in done.stderr, status == 2)

    def test_missing_elements(self):
        """If elements are missing, the program does not start."""
        (self.folder / 'none').mkdir()
        options = {'env': {**os.environ, 'GST_PLUGIN_PATH_1_0': str(self.folder / 'none'),
                           'GST_PLUGIN_SYSTEM_PATH_1_0': str(self.folder / 'none'),
                           'GST_REGISTRY_1_0': str(self.folder / 'registry.bin')}}
        for arguments in (['--check'], ['--directory', str(self.folder / 'state')]):
            status, output = common.check(*arguments, 'test', 'a=rtsp://192.0.2.1/a', **options)
            self.assertEqual(status, 2, output)
            for name, cure in (('videohealth', 'GST_PLUGIN_PATH'), ('jpegenc', 'plugins-good'),
                               ('uridecodebin', 'plugins-base')):
                self.assertRegex(output, f'GStreamer has no element .*{name}, .*{cure}')
            self.assertEqual(output.count('GST_PLUGIN_PATH'), 1)
            self.assertIn('camera a: GStreamer has no element for rtsp://', output)
        self.assertFalse((self.folder / 'state').exists())

    def test_certificates_of_outputs(self):
        self.write('sign', 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==\n')
        self.write('no.pem', 'x')
        self.certify('one')
        self.certify('other')
        text = ('[camera a]\nuri=test\n[mqtt]\nbroker=mqtts://127.0.0.1\nca={}\n'
                'certificate={}\nkey={}\n[webhook a]\nurl=https://a.example\nsecret=sign\n'
                'ca={}\n')
        path = self.write('monitor.conf', text.format('one.pem', 'one.pem', 'one.key', 'one.pem'))
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 0, output)
        self.refused(text.format('no.pem', 'one.pem', 'no.pem', 'no.pem'),
                     (5, r'\[mqtt\] ca: .*no.pem: '),
                     (6, r'\[mqtt\] certificate .*one.pem with key .*no.pem: '),
                     (11, r'\[webhook a\] ca: .*no.pem: '))

    def test_others_need_tls_and_a_secret(self):
        for where in ('0.0.0.0:0', '[::]:0', '192.0.2.1:80'):
            status, output = common.check('--check', '--listen', where, 'test')
            self.assertEqual(status, 2)
            self.assertRegex(output, 'certificate=FILE key=FILE secret=FILE')
        for where in ('127.0.0.1:0', '[::1]:0', 'localhost:0'):
            self.assertEqual(common.check('--check', '--listen', where, 'test')[0], 0)

    def test_nothing_is_started(self):
        path = self.write('monitor.conf', '[camera a]\nuri=test\n[camera b]\nuri=\n')
        status, output = common.check('--config', str(path), '--directory',
                                      str(self.folder / 'state'))
        self.assertEqual(status, 2, output)
        self.assertFalse((self.folder / 'state').exists())

    def test_port_in_use(self):
        with socket.create_server(('127.0.0.1', 0)) as server:
            where = f'127.0.0.1:{server.getsockname()[1]}'
            status, output = common.check('--directory', str(self.folder / 'state'), '--listen',
                                          where, 'test')
        self.assertEqual(status, 1)
        self.assertIn(f'{where}: another program is already listening there: choose another',
                      output)

    def test_byte_order_mark(self):
        path = self.write('monitor.conf', '\ufeff[camera door]\r\nuri=test\r\n')
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual((status, len(output.splitlines())), (0, 1), output)

    def test_no_camera(self):
        self.assertEqual(common.check()[0], 2)
        self.assertEqual(common.check('--config', str(self.folder / 'none'))[0], 2)

    def test_names_given_twice(self):
        status, output = common.check('--check', 'a=test', 'a=test')
        self.assertEqual(status, 2)
        self.assertIn('camera a already exists', output)
        # A = inside an address does not end a name.
        self.assertEqual(common.check('--check', 'rtsp://192.0.2.1/?a=b', 'test')[0], 0)


class Reload(common.Case):
    def test_sighup(self):
        monitor = self.monitor(config='[camera a]\nuri=test\n[camera b]\nuri=test\n')
        for name in 'ab':
            monitor.wait_for_state(name, 'up')
        since = monitor.camera('a')['since']
        threads = f'/proc/{monitor.process.pid}/task'

        monitor.config.write_text('[camera c]\nuri=test\n[camera a]\nuri=test\n'
                                  '[camera b]\nuri=test:dark\ntimeout=5\n')
        monitor.reload()
        self.assertEqual([c['name'] for c in monitor.json('cameras')], ['c', 'a', 'b'])
        monitor.wait_for_state('c', 'up')
        b = monitor.wait_for_state('b', 'up')
        self.assertEqual(b['source'], 'test:dark')
        # The running camera was not interrupted.
        a = monitor.camera('a')
        self.assertEqual((a['since'], a['reconnects'], a['state']), (since, 0, 'up'))
        common.wait_for(lambda: monitor.camera('a')['frames'] > monitor.camera('b')['frames'],
                        'more frames')

        monitor.config.write_text('[camera a]\nuri=test\n[camera b]\nuri=\n')
        said = monitor.reload()
        self.assertRegex(said, r'monitor\.conf:4: \[camera b\] uri: no value')
        self.assertEqual(len(monitor.json('cameras')), 3)

        before = len(os.listdir(threads))
        monitor.config.write_text('[camera a]\nuri=test\n')
        monitor.reload()
        self.assertEqual([c['name'] for c in monitor.json('cameras')], ['a'])
        common.wait_for(lambda: monitor.metrics()['videohistogram_camera_threads'] == 1,
                        'the end of threads')
        self.assertLess(len(os.listdir(threads)), before)
        self.assertEqual(monitor.camera('a')['since'], since)
        self.assertEqual(monitor.stop(), 0)

    def ask(self, monitor, program=common.PROGRAM):
        """Runs the unit's reload command; returns (exit status, output)."""
        line = re.search('^ExecReload=@BINDIR@/videohistogram-monitor (.*)$',
                         common.UNIT.read_text(), re.MULTILINE)[1]
        done = subprocess.run(['sh', '-c', f'exec "{program}" {line}'], text=True, check=False,
                              env={**os.environ, 'MAINPID': str(monitor.process.pid)},
                              capture_output=True, timeout=common.MAX_WAIT_SECONDS)
        return done.returncode, common.without_known_leaks(done.stderr)

    def test_failed(self):
        """A failed reload is an exit status, a notice, a banner on the page and a metric until the
        file is valid."""
        right = '[camera a]\nuri=test\n'
        metric = 'videohistogram_config_last_reload_successful'
        monitor = self.monitor(config=right)
        monitor.wait_for_state('a', 'up')
        since = monitor.camera('a')['since']
        self.assertEqual(self.ask(monitor), (0, ''))
        self.assertEqual((monitor.metrics()[metric], monitor.json('notices')), (1, []))

        monitor.config.write_text('[camera a]\nuri=test\n[Camera b]\nuri=test\n[http]\n'
                                  'listen=x\n')
        before = len(monitor.output())
        for _ in range(2):
            status, said = self.ask(monitor)
            self.assertEqual(status, 2)
            self.assertRegex(said, r'monitor\.conf:3: \[Camera b\] is not a group.*\n'
                             r'.*monitor\.conf:6: \[http\] listen: "x".*\n'
                             r'videohistogram-monitor: process \d+ did not reload its '
                             r'configuration because of these errors\n')
        self.assertEqual(monitor.metrics()[metric], 0)
        # Both times the log has one line per fault and one for the reload.
        logged = monitor.output()[before:]
        self.assertEqual([logged.count(text) for text in (
            ':3: [Camera b]', ':6: [http] listen', 'WARNING', 'not reloaded')], [2] * 4)
        # There is one notice although the reload was tried twice.
        notices = common.wait_for(lambda: monitor.json('notices'), 'a notice')
        self.assertEqual(len(notices), 1)
        self.assertRegex(notices[0]['text'], '^Key file not reloaded, the previous one stays '
                         r'in effect\. The new one has 2 errors\. The log says which\.$')
        self.assertEqual(notices[0]['kind'], 'configuration')
        self.assertEqual(self.trouble(monitor), notices[0]['text'])
        self.assertEqual(monitor.camera('a')['since'], since)

        before = len(monitor.output())
        monitor.config.write_text(right)
        self.assertEqual(self.ask(monitor), (0, ''))
        self.assertRegex(monitor.output()[before:], r'\A\S+-Message: \S+ key file '
                         r'reloaded: watching 1 camera, page at \S+\n\Z')
        self.assertEqual((monitor.metrics()[metric], self.trouble(monitor)), (1, ''))
        notices = common.wait_for(lambda: monitor.json('notices')[1:] and
                                  monitor.json('notices'), 'another notice')
        self.assertEqual(notices[0]['text'], 'Key file reloaded.')
        self.assertEqual(monitor.ask('/healthz').status, 200)

        # Warnings are those of a start, and one more.
        monitor.config.write_text(f'{right}intervall=1\n[store]\ndays=5\n')
        before = len(monitor.output())
        status, said = self.ask(monitor)
        self.assertEqual(status, 0)
        self.assertRegex(said, r'\A\S*monitor\.conf:3: warning: .* intervall: unknown key.*\n'
                         r'\S*monitor\.conf: warning: changes to .* after a restart\n\Z')
        self.assertEqual(monitor.output()[before:].count(said), 1)
        self.assertIn(said.splitlines()[0], common.check('--check', '--config',
                                                         str(monitor.config))[1])
        monitor.process.send_signal(signal.SIGSTOP)
        status, said = self.ask(monitor)
        self.assertEqual(status, 1)
        self.assertRegex(said, r'process \d+: has not answered for 60 s, and may still reload ')
        monitor.kill()
        status, said = self.ask(monitor)
        self.assertEqual(status, 1)
        self.assertRegex(said, rf'process {monitor.process.pid}: .*refused')

    def test_journal(self):
        """If the program's own log reaches the journal, the reload command does not repeat the
        faults."""
        monitor = self.monitor(config='[camera a]\nuri=test\n')
        monitor.config.write_text('[camera a]\nuri=\n')
        for ours, faults in ((True, 0), (False, 1)):
            log = self.folder / 'journal'
            with log.open('wb') as file:
                s = os.fstat(file.fileno())
                stream = f'{s.st_dev}:{s.st_ino + (not ours)}'
                done = subprocess.run([common.PROGRAM, f'--reload={monitor.process.pid}'],
                                      env={**os.environ, 'JOURNAL_STREAM': stream}, stderr=file,
                                      check=False, timeout=common.MAX_WAIT_SECONDS)
            self.assertEqual(done.returncode, 2)
            said = log.read_text()
            self.assertEqual(said.count('no value'), faults, said)
            self.assertEqual('configuration, which has errors' in said, ours, said)

    def trouble(self, monitor):
        """The banner that the page shows while the fault lasts."""
        connection = http.client.HTTPConnection('127.0.0.1', monitor.port,
                                                timeout=common.MAX_WAIT_SECONDS)
        with contextlib.closing(connection):
            connection.request('GET', '/events')
            answer = connection.getresponse()
            for line in answer:
                if line.startswith(b'data: {') and b'"trouble"' in line:
                    return json.loads(line[6:])['trouble']

    def test_strangers(self):
        """Messages from a process that has taken over the notification socket's name are
        ignored."""
        with socket.socket(socket.AF_UNIX) as taken:
            child = subprocess.Popen(['sleep', '60'])
            self.addCleanup(child.wait)
            self.addCleanup(child.kill)
            taken.bind(f'\0videohistogram-monitor/{child.pid}')
            taken.listen()
            status, said = common.check(f'--reload={child.pid}')
        self.assertEqual(status, 1)
        self.assertIn('another process is using its socket', said)

    def test_another_limit(self):
        """An alarm that would not have started under the new limits ends, though its value is not
        past `leave`; also if the limits change while the program is stopped."""
        def write(enter, leave):
            monitor.config.write_text(f'[camera a]\nuri={clip}\ninterval=0\nrules=dark,duration=0s,'
                                      f'hold=0s,enter={enter:.4f},leave={leave:.4f}\n')

        def dark():
            return next(c for c in monitor.camera('a')['conditions'] if c['condition'] == 'dark')

        clip = self.clip(300, rate='5/1')
        monitor = self.monitor(config=f'[camera a]\nuri={clip}\n')
        common.wait_for(lambda: dark()['value'], 'a value')
        value = dark()['value']
        for restart in False, True:
            with self.subTest(restart=restart):
                write(value / 2, value / 4)
                monitor.reload()
                common.wait_for(lambda: dark()['active'], 'an alarm')
                number = dark()['event']
                write(value / 1.5, value / 4)
                monitor.reload()
                monitor.wait_for_state('a', 'up')
                common.wait_for(lambda: dark()['value'], 'a value')
                self.assertEqual((dark()['active'], dark()['event']), (True, number))
                if restart:
                    self.assertEqual(monitor.stop(), 0)
                write(value * 1.1, value / 4)
                if restart:
                    monitor.start()
                else:
                    monitor.reload()
                end = common.wait_for(lambda: not (last := common.all_events(monitor)[-1])['active']
                                      and last, 'the end of the alarm')
                self.assertAlmostEqual(end['threshold'], value * 1.1, 3)

    def test_what_needs_a_restart(self):
        monitor = self.monitor(config='[camera a]\nuri=test\n[store]\ndays=3\n')
        monitor.config.write_text('[camera a]\nuri=test\n[store]\ndays=4\n')
        self.assertTrue(re.search('take effect after a restart', monitor.reload()))


if __name__ == '__main__':
    common.main()
