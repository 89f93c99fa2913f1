#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera: rtsp-server.py PORT [VIDEO [MAIN]]. It sends VIDEO under /stream and MAIN under /main.
Each is a name below, or the path of an H.264 byte stream of 8 frames a second, which is repeated.

Prints READY and its port, and exits when standard input ends. A line on standard input triggers the
change of a video that changes in mid-stream. The environment variable LOGIN, hidden from process
lists, is USER:PASSWORD."""

import os
import sys
import threading

import gi
gi.require_version('Gst', '1.0')
gi.require_version('GstRtspServer', '1.0')
from gi.repository import GLib, Gst, GstRtspServer


def pictures(width, height, rate=25):
    return (f'videotestsrc is-live=true pattern=smpte ! video/x-raw,format=I420,width={width},'
            f'height={height},framerate={rate}/1')


H264 = 'x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25'
# The videos that a camera may send.
VIDEOS = {
    'jpeg': f'{pictures(320, 240)} ! jpegenc ! rtpjpegpay name=pay0',
    'small': f'{pictures(160, 120)} ! jpegenc ! rtpjpegpay name=pay0',
    'h264': f'{pictures(320, 240)} ! {H264} ! rtph264pay name=pay0 config-interval=1',
    # Packets are lost.
    'lossy-h264': f'{pictures(320, 240)} ! {H264} ! rtph264pay config-interval=1 mtu=300 ! '
                  'identity drop-probability=0.05 name=pay0',
    # Frames that are shown later than others, and a key frame each 6 s.
    'sparse-h264': f'{pictures(320, 240, 10)} ! x264enc bframes=2 b-adapt=false key-int-max=60 '
                   'rc-lookahead=2 sync-lookahead=0 speed-preset=ultrafast ! '
                   'video/x-h264,profile=main ! rtph264pay name=pay0 config-interval=-1',
    'sparse-h265': f'{pictures(320, 240, 10)} ! x265enc key-int-max=60 speed-preset=ultrafast '
                   'option-string=bframes=2:rc-lookahead=3:frame-threads=1:open-gop=1:scenecut=0:'
                   'log-level=none ! rtph265pay name=pay0 config-interval=-1',
    'vp8': f'{pictures(320, 240)} ! vp8enc deadline=1 ! rtpvp8pay name=pay0',
    # JPEG pictures carry their size, which changes between two of them.
    'resizing': f'{pictures(320, 240)} ! videoscale ! capsfilter name=size '
                'caps=video/x-raw,width=320,height=240 ! jpegenc ! rtpjpegpay name=pay0',
    'resizing-h264': f'{pictures(320, 240)} ! videoscale ! capsfilter name=size '
                     f'caps=video/x-raw,width=320,height=240 ! {H264} ! '
                     'rtph264pay name=pay0 config-interval=-1',
    # One picture, then nothing.
    'stalling': f'{pictures(320, 240)} ! identity name=valve ! jpegenc ! rtpjpegpay name=pay0',
    # Packets that are not valid in their codec.
    'garbage': 'videotestsrc is-live=true pattern=snow ! video/x-raw,format=GRAY8,width=30,'
               'height=30,framerate=25/1 ! capssetter replace=true join=false '
               'caps=video/x-h264,stream-format=byte-stream,alignment=au,profile=baseline ! '
               'rtph264pay name=pay0',
}

REPEATED = ('multifilesrc location={} loop=true caps=video/x-h264,stream-format=byte-stream,'
            'framerate=8/1 ! h264parse ! identity sync=true ! '
            'rtph264pay name=pay0 config-interval=-1')

Gst.init(None)
loop = GLib.MainLoop()
server = GstRtspServer.RTSPServer()
server.set_address('127.0.0.1')
server.set_service(sys.argv[1])
videos = dict(zip(('/stream', '/main'), sys.argv[2:] or ['jpeg']))


def make_factory(video):
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(f'( {VIDEOS.get(video) or REPEATED.format(video)} )')
    factory.set_shared(True)
    return factory


factories = {path: make_factory(video) for path, video in videos.items()}
if login := os.environ.get('LOGIN'):
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string(GstRtspServer.RTSP_TOKEN_MEDIA_FACTORY_ROLE, 'user')
    auth.add_basic(GstRtspServer.RTSPAuth.make_basic(*login.split(':')), token)
    server.set_auth(auth)
    for factory in factories.values():
        factory.add_role_from_structure(Gst.Structure.from_string(
            'user,media.factory.access=(boolean)true,media.factory.construct=(boolean)true')[0])

sizes = []


def on_media(_, media):
    size = media.get_element().get_by_name('size')
    if size:
        sizes.append(size)
    valve = media.get_element().get_by_name('valve')
    if valve:
        seen = []

        def pass_one(pad, info):
            seen.append(1)
            return Gst.PadProbeReturn.OK if len(seen) < 2 else Gst.PadProbeReturn.DROP
        # The first line prepares the media.
        valve.get_static_pad('src').add_probe(Gst.PadProbeType.BUFFER, pass_one)


def resize():
    for size in sizes:
        size.set_property('caps', Gst.Caps.from_string('video/x-raw,width=480,height=360'))


def listen():
    for _ in sys.stdin:
        GLib.idle_add(resize)
    loop.quit()


for path, factory in factories.items():
    factory.connect('media-configure', on_media)
    server.get_mount_points().add_factory(path, factory)
server.attach(None)
print('READY', server.get_bound_port(), flush=True)
threading.Thread(target=listen, daemon=True).start()
loop.run()
