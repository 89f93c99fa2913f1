#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""RTSP cameras that send clips: server.py NAME=CODEC=PATH...

Each clip plays in real time once its first viewer connects. For a line NAME on standard input, this
program connects as that viewer, and prints the line once the clip plays: everybody who connects
later joins in the middle. CODEC-lossy loses one frame in LOSS on the way. The program ends when its
standard input does."""

import sys
import threading

import gi
gi.require_version('Gst', '1.0')
gi.require_version('GstRtspServer', '1.0')
from gi.repository import GLib, Gst, GstRtspServer

# The payloader for each codec.
PAYLOADERS = {
    'h264': 'h264parse ! rtph264pay name=pay0',
    'h265': 'h265parse ! rtph265pay name=pay0',
    'mpeg4': 'mpeg4videoparse ! rtpmp4vpay name=pay0',
}

LOSS = 30

Gst.init(None)
loop = GLib.MainLoop()
server = GstRtspServer.RTSPServer()
server.set_address('127.0.0.1')
server.set_service('0')


def on_media(_factory, media):
    """Loses all packets of a frame, like an overloaded switch."""
    count = iter(range(1 << 30))
    kinds = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST
    media.get_element().get_by_name('pay0').get_static_pad('src').add_probe(
        kinds, lambda _pad, _info: Gst.PadProbeReturn.DROP if next(count) % LOSS == LOSS - 1
        else Gst.PadProbeReturn.OK)


for argument in sys.argv[1:]:
    name, kind, path = argument.split('=', 2)
    kind, lossy, _ = kind.partition('-lossy')
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(f'( filesrc location="{path}" ! tsdemux ! {PAYLOADERS[kind]} )')
    factory.set_shared(True)
    if lossy:
        factory.connect('media-configure', on_media)
    server.get_mount_points().add_factory(f'/{name}', factory)
server.attach(None)
print(server.get_bound_port(), flush=True)
watching = []


def watch(name):
    pipeline = Gst.parse_launch(f'rtspsrc protocols=tcp latency=0 location=rtsp://127.0.0.1:'
                                f'{server.get_bound_port()}/{name} ! fakesink name=sink')
    watching.append(pipeline)

    def arrived(_pad, _info):
        print(name, flush=True)
        return Gst.PadProbeReturn.REMOVE
    pipeline.get_by_name('sink').get_static_pad('sink').add_probe(Gst.PadProbeType.BUFFER, arrived)
    pipeline.set_state(Gst.State.PLAYING)


def listen():
    for line in sys.stdin:
        GLib.idle_add(watch, line.strip())
    loop.quit()


threading.Thread(target=listen, daemon=True).start()
loop.run()
