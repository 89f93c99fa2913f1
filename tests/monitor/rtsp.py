# SPDX-License-Identifier: LGPL-2.1-or-later
"""RTSP cameras in processes of their own, and a proxy between them and the program."""

import contextlib
import select
import socket
import subprocess
import sys
import threading

import common


def is_there():
    return subprocess.run([sys.executable, '-c', 'import gi; '
                           'gi.require_version("GstRtspServer", "1.0")'],
                          capture_output=True, check=False).returncode == 0


MISSING = 'there is no gir1.2-gst-rtsp-server-1.0'


class Server:
    """A camera. @video is what it sends: see rtsp-server.py."""

    def __init__(self, test, video='jpeg', port=0, login=None):
        self.video, self.port, self.login = video, port, login
        self.process = None
        self.start()
        test.addCleanup(self.kill)

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, str(common.HERE / 'rtsp-server.py'), str(self.port), self.video],
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


class Proxy:
    """Forwards connections to a port until it is silenced: then they stay open, but nothing passes.
    @change may rewrite the data that passes."""

    def __init__(self, test, port, change=lambda data: data):
        self.to = port
        self.change = change
        self.silent = False
        self.ends = False
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.listener.settimeout(0.2)
        self.port = self.listener.getsockname()[1]
        self.sockets = []
        threading.Thread(target=self.accept, daemon=True).start()
        test.addCleanup(self.close)

    def accept(self):
        while not self.ends:
            with contextlib.suppress(OSError):
                self.connect(self.listener.accept()[0])

    def connect(self, near):
        far = socket.create_connection(('127.0.0.1', self.to))
        self.sockets += [near, far]
        threading.Thread(target=self.forward, args=(near, far), daemon=True).start()

    def forward(self, *pair):
        while not self.ends:
            for ready in select.select(pair, [], [], 0.2)[0]:
                if self.silent:
                    # If nothing is read, the sender only sees a full window.
                    threading.Event().wait(0.2)
                    continue
                try:
                    data = ready.recv(65536)
                    pair[pair[0] is ready].sendall(self.change(data))
                except OSError:
                    data = b''
                if not data:
                    pair[0].close()
                    pair[1].close()
                    return

    def close(self):
        self.ends = True
        self.listener.close()
        for s in self.sockets:
            s.close()
