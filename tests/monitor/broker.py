# SPDX-License-Identifier: LGPL-2.1-or-later
"""Debian's mosquitto, and a subscriber."""

import contextlib
import json
import shutil
import socket
import subprocess
import threading
import time

import common


def is_there():
    return shutil.which('mosquitto') and shutil.which('mosquitto_sub')


class Broker:
    """@config holds its settings apart from the port. Retained messages and sessions survive a
    restart."""

    def __init__(self, case, config='allow_anonymous true\n'):
        self.port = common.free_port()
        self.folder = case.folder / f'broker{self.port}'
        self.folder.mkdir()
        self.config = self.folder / 'mosquitto.conf'
        user = '' if self.folder.owner() != 'root' else 'user root\n'
        self.config.write_text(
            f'listener {self.port} 127.0.0.1\npersistence true\n{user}'
            f'persistence_location {self.folder}/\nmax_queued_messages 0\n{config}')
        self.process = None
        self.start()
        case.addCleanup(self.kill)

    def start(self):
        with (self.folder / 'log').open('ab') as log:
            self.process = subprocess.Popen(['mosquitto', '-c', str(self.config)], stdout=log,
                                            stderr=log)
        common.wait_for(self.is_ready, 'the broker')

    def is_ready(self):
        assert self.process.poll() is None, (self.folder / 'log').read_text()
        with contextlib.suppress(OSError), socket.create_connection(('127.0.0.1', self.port)):
            return True
        return False

    def stop(self):
        """Stops it as Debian's service does, so that it writes its database."""
        self.process.terminate()
        self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()


class Subscriber:
    """Receives the messages at @topics, in order. With a session, also those sent while the broker
    was away."""

    def __init__(self, case, port, *topics, session=None, arguments=()):
        command = ['mosquitto_sub', '-p', str(port), '-q', '1', '-F', '%j', *arguments]
        for topic in topics:
            command += ['-t', topic]
        if session:
            command += ['-c', '-i', session]
        self.messages = []
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        thread = threading.Thread(target=self.read, daemon=True)
        thread.start()
        case.addCleanup(self.process.stdout.close)
        case.addCleanup(thread.join)
        case.addCleanup(self.process.wait)
        case.addCleanup(self.process.kill)

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            message['at'] = time.monotonic()
            # mosquitto_sub prints null for an empty payload.
            message['payload'] = message['payload'] or ''
            self.messages.append(message)

    def all(self, topic):
        """The payloads in order of arrival."""
        return [m['payload'] for m in self.messages if m['topic'] == topic]

    def when(self, topic):
        """When the last one arrived."""
        return [m['at'] for m in self.messages if m['topic'] == topic][-1]

    def wait_for_state(self, topic, state):
        """Waits until the last message has this ONVIF state."""
        common.wait_for(lambda: self.last(topic) and
                        json.loads(self.last(topic))['Data']['State'] is state, (topic, state))

    def last(self, topic):
        return (self.all(topic) or [None])[-1]

    def wait_for(self, topic, payload):
        common.wait_for(lambda: self.last(topic) == payload, f'{payload!r} at {topic}')


def retained(port, topic='#', arguments=()):
    """Returns {topic: payload} of all retained messages."""
    done = subprocess.run(['mosquitto_sub', '-p', str(port), '-t', topic, '-F', '%j',
                           '--retained-only', '-W', '1', *arguments], capture_output=True,
                          text=True, check=False)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return {m['topic']: m['payload'] for m in messages}
