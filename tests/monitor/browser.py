# SPDX-License-Identifier: LGPL-2.1-or-later
"""Headless Chromium, driven through the pipes of --remote-debugging-pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from common import MAX_WAIT_SECONDS


def path():
    """The path of the program, or None."""
    return shutil.which('chromium')


# Windows key codes, by which Chromium identifies keys that produce no text.
KEY_CODES = {'Tab': 9, 'Enter': 13, 'Escape': 27}


class Chromium:
    """The process, and its pages by debugging session."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.number = 0
        self.answers = {}
        self.pages = {}
        self.rest = b''
        here, there = os.pipe(), os.pipe()
        # Chromium reads from descriptor 3 and writes to descriptor 4.
        self.process = subprocess.Popen(
            ['/bin/bash', '-c', f'exec 3<&{here[0]} 4>&{there[1]}; exec "$@"', 'chromium', path(),
             '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
             '--remote-debugging-pipe', '--no-first-run', '--disable-background-networking',
             '--disable-component-update', '--disable-quic', '--disable-sync',
             '--hide-scrollbars', f'--user-data-dir={self.folder.name}', 'about:blank'],
            pass_fds=(here[0], there[1]), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(here[0])
        os.close(there[1])
        self.write, self.read = here[1], there[0]

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.write)
        os.close(self.read)
        self.folder.cleanup()

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
            elif page := self.pages.get(message.get('sessionId')):
                page.note(message)

    def call(self, session, method, given):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': given}
        if session:
            message['sessionId'] = session
        os.write(self.write, json.dumps(message).encode() + b'\0')
        end = time.monotonic() + MAX_WAIT_SECONDS
        while self.number not in self.answers:
            if time.monotonic() > end:
                raise AssertionError(f'the browser does not answer {method}')
            self.receive(1)
        answer = self.answers.pop(self.number)
        if 'error' in answer:
            raise AssertionError(f'{method}: {answer["error"]}')
        return answer['result']


class Browser:
    """A page in a browser of its own or, as another tab, in the browser of @other. @problems lists
    the errors that the page reports, @requests the requests that it sends."""

    def __init__(self, width=1280, height=900, dark=False, other=None, **target):
        self.chromium = other.chromium if other else Chromium()
        self.owner = not other
        self.problems = []
        self.requests = []
        self.session = None
        self.target = self.call('Target.createTarget', url='about:blank', **target)['targetId']
        self.session = self.call('Target.attachToTarget', targetId=self.target,
                                 flatten=True)['sessionId']
        self.chromium.pages[self.session] = self
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(f'{domain}.enable')
        self.resize(width, height)
        self.call('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def resize(self, width, height, touch=False):
        """Resizes the window; a narrow one acts as the screen of a phone, and one with @touch as
        that of a tablet."""
        phone = touch or width < 600
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=1, mobile=phone)
        self.call('Emulation.setTouchEmulationEnabled', enabled=phone)

    def tab(self, **options):
        """Opens another tab, which hides the other tabs of the window."""
        return Browser(other=self, **options)

    def close(self):
        if self.owner:
            self.chromium.close()
        else:
            session, self.session = self.session, None
            self.call('Target.closeTarget', targetId=self.target)
            del self.chromium.pages[session]

    def note(self, message):
        """Handles an event that is not an answer."""
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
        self.chromium.receive(seconds)

    def call(self, method, **given):
        return self.chromium.call(self.session, method, given)

    def evaluate(self, script):
        """Returns the value of @script once it has one."""
        answer = self.call('Runtime.evaluate', expression=script, returnByValue=True,
                           awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise AssertionError(f'{script}: {answer["exceptionDetails"]}')
        return answer['result'].get('value')

    def count(self, kind):
        """Returns how many objects of the class @kind the page keeps."""
        prototype = self.call('Runtime.evaluate', expression=f'{kind}.prototype')['result']
        found = self.call('Runtime.queryObjects', prototypeObjectId=prototype['objectId'])
        return self.call('Runtime.callFunctionOn', objectId=found['objects']['objectId'],
                         functionDeclaration='function () { return this.length }',
                         returnByValue=True)['result']['value']

    def wait_for(self, script):
        """Waits until @script is true, even if another page replaces this one."""
        end = time.monotonic() + MAX_WAIT_SECONDS
        found = None
        while time.monotonic() < end:
            try:
                found = self.evaluate(f'Boolean({script})')
            except AssertionError as error:  # The page may be unloading.
                found = error
            if found is True:
                return
            self.receive(0.1)
        raise AssertionError(f'it did not come: {script}: {found}; {self.problems}')

    def open(self, url):
        self.call('Page.navigate', url=url)

    def show(self):
        """Brings the tab to the front of its window."""
        self.call('Page.bringToFront')

    def press(self, key, text=None):
        given = {'key': key, 'code': key, **({'text': text} if text else {})}
        if key in KEY_CODES:
            given['windowsVirtualKeyCode'] = KEY_CODES[key]
        self.call('Input.dispatchKeyEvent', type='keyDown', **given)
        self.call('Input.dispatchKeyEvent', type='keyUp', **given)

    def write(self, text):
        """Types into the focused element."""
        self.call('Input.insertText', text=text)

    def find(self, element):
        """Scrolls @element, an expression, into view and returns its center once it stops
        moving."""
        x, y = self.evaluate(f'''(async () => {{
            for (let last = "";;) {{
                const element = {element};
                element.scrollIntoView({{block: "center", behavior: "instant"}});
                const r = element.getBoundingClientRect();
                const place = [r.x + r.width / 2, r.y + r.height / 2];
                if (last === place.join()) return place;
                last = place.join();
                await new Promise(done => setTimeout(done, 50));
            }}
        }})()''')
        return {'x': x, 'y': y}

    def point(self, where):
        """Moves the mouse to a position."""
        self.call('Input.dispatchMouseEvent', type='mouseMoved', **where)

    def push(self, where, count=1):
        """Clicks at a position, for the @count-th time in a row."""
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, button='left', clickCount=count,
                      **where)

    def click(self, element):
        """Clicks @element, an expression, as a hand does: it tries again after a miss, or if a tile
        has just moved and so does not take it."""
        end = time.monotonic() + MAX_WAIT_SECONDS
        while time.monotonic() < end:
            where = self.find(element)
            self.evaluate(f'window.missed = true; {element}.addEventListener("click", '
                          'click => window.missed = click.defaultPrevented && '
                          'click.currentTarget.matches("a.tile"), {once: true})')
            self.point(where)
            self.push(where)
            try:
                if not self.evaluate('window.missed'):
                    return where
            except AssertionError:  # The click led to another page.
                return where
        raise AssertionError(f'it cannot be hit: {element}')

    def screenshot(self, quality=70):
        return base64.b64decode(self.call('Page.captureScreenshot', format='jpeg',
                                          quality=quality)['data'])
