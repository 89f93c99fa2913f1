#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera: rtsp-server.py PORT [USER:PASSWORD]. Says READY and its port; ends with its
standard input."""

import sys
import threading

import gi
gi.require_version('Gst', '1.0')
gi.require_version('GstRtspServer', '1.0')
from gi.repository import GLib, Gst, GstRtspServer

Gst.init(None)
loop = GLib.MainLoop()
server = GstRtspServer.RTSPServer()
server.set_address('127.0.0.1')
server.set_service(sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch('( videotestsrc is-live=true pattern=smpte ! video/x-raw,format=I420,'
                   'width=320,height=240,framerate=25/1 ! jpegenc ! rtpjpegpay name=pay0 )')
factory.set_shared(True)
if len(sys.argv) > 2:
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string(GstRtspServer.RTSP_TOKEN_MEDIA_FACTORY_ROLE, 'user')
    auth.add_basic(GstRtspServer.RTSPAuth.make_basic(*sys.argv[2].split(':')), token)
    server.set_auth(auth)
    factory.add_role_from_structure(Gst.Structure.from_string(
        'user,media.factory.access=(boolean)true,media.factory.construct=(boolean)true')[0])
server.get_mount_points().add_factory('/stream', factory)
server.attach(None)
print('READY', server.get_bound_port(), flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), loop.quit()), daemon=True).start()
loop.run()
