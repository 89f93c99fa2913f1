# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chromium without a screen, driven through the pipes that --remote-debugging-pipe makes."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from common import PATIENCE_SECONDS


def path():
    """Of the program, or None."""
    return shutil.which('chromium')


class Browser:
    """A page of its own. What the page says goes wrong is in @problems, and what it asks for
    in @requests."""

    def __init__(self, width=1280, height=900, dark=False):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.problems = []
        self.requests = []
        self.number = 0
        self.answers = {}
        self.rest = b''
        here, there = os.pipe(), os.pipe()
        # 3 and 4 are those that it reads from and writes to.
        self.process = subprocess.Popen(
            ['/bin/bash', '-c', f'exec 3<&{here[0]} 4>&{there[1]}; exec "$@"', 'chromium', path(),
             '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
             '--remote-debugging-pipe', '--no-first-run', '--disable-background-networking',
             '--disable-component-update', '--hide-scrollbars',
             f'--user-data-dir={self.folder.name}', 'about:blank'],
            pass_fds=(here[0], there[1]), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(here[0])
        os.close(there[1])
        self.write, self.read = here[1], there[0]
        self.session = None
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target,
                                 flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(f'{domain}.enable')
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.write)
        os.close(self.read)
        self.folder.cleanup()

    def note(self, message):
        """What was not asked for."""
        method, given = message.get('method'), message.get('params', {})
        if method == 'Runtime.exceptionThrown':
            self.problems.append(json.dumps(given['exceptionDetails']))
        elif method == 'Runtime.consoleAPICalled' and given['type'] in ('error', 'warning'):
            self.problems.append(json.dumps(given['args']))
        elif method == 'Log.entryAdded' and given['entry']['level'] in ('error', 'warning'):
            self.problems.append(json.dumps(given['entry']))
        elif method == 'Page.javascriptDialogOpening':
            self.problems.append(f'a dialog: {given["message"]}')
        elif method == 'Network.requestWillBeSent':
            self.requests.append(given['request']['url'])

    def receive(self, seconds):
        if not select.select([self.read], [], [], seconds)[0]:
            return
        more = os.read(self.read, 1 << 20)
        if not more:
            raise AssertionError('the browser ended')
        *messages, self.rest = (self.rest + more).split(b'\0')
        for message in map(json.loads, messages):
            if 'id' in message:
                self.answers[message['id']] = message
            else:
                self.note(message)

    def call(self, method, **given):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': given}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.write, json.dumps(message).encode() + b'\0')
        end = time.monotonic() + PATIENCE_SECONDS
        while self.number not in self.answers:
            if time.monotonic() > end:
                raise AssertionError(f'the browser does not answer {method}')
            self.receive(1)
        answer = self.answers.pop(self.number)
        if 'error' in answer:
            raise AssertionError(f'{method}: {answer["error"]}')
        return answer['result']

    def evaluate(self, script):
        """The value of @script, once it is there."""
        answer = self.call('Runtime.evaluate', expression=script, returnByValue=True,
                           awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise AssertionError(f'{script}: {answer["exceptionDetails"]}')
        return answer['result'].get('value')

    def wait_for(self, script):
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            if self.evaluate(f'Boolean({script})'):
                return
            self.receive(0.1)
        raise AssertionError(f'it did not come: {script}; {self.problems}')

    def open(self, url):
        self.call('Page.navigate', url=url)

    def press(self, key, text=None):
        given = {'key': key, 'code': key, **({'text': text} if text else {})}
        codes = {'Tab': 9, 'Enter': 13, 'Escape': 27}
        if key in codes:
            given['windowsVirtualKeyCode'] = codes[key]
        self.call('Input.dispatchKeyEvent', type='keyDown', **given)
        self.call('Input.dispatchKeyEvent', type='keyUp', **given)

    def screenshot(self, quality=70):
        return base64.b64decode(self.call('Page.captureScreenshot', format='jpeg',
                                          quality=quality)['data'])
