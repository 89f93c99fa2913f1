# SPDX-License-Identifier: LGPL-2.1-or-later
"""RTSP cameras in processes of their own."""

import subprocess
import sys

import common


def is_there():
    return subprocess.run([sys.executable, '-c', 'import gi; '
                           'gi.require_version("GstRtspServer", "1.0")'],
                          capture_output=True, check=False).returncode == 0


MISSING = 'there is no gir1.2-gst-rtsp-server-1.0'


class Server:
    """A camera. @video is what it sends, and @main what it sends as main stream, if it has one: see
    rtsp-server.py."""

    def __init__(self, test, video='jpeg', port=0, login=None, main=None):
        self.video, self.port, self.login, self.main = video, port, login, main
        self.process = None
        self.start()
        test.addCleanup(self.kill)

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, str(common.HERE / 'rtsp-server.py'), str(self.port), self.video,
             *([self.main] if self.main else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**common.environment_of_others(), 'LOGIN': self.login or ''})
        self.port = int(self.process.stdout.readline().split()[1])

    def restart(self, video=None):
        self.kill()
        self.video = video or self.video
        self.start()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def uri(self, path='stream'):
        return f'rtsp://127.0.0.1:{self.port}/{path}'
