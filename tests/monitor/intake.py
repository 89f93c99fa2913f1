#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras that send without end, or pictures of enormous sizes. The monitor ends the connection at
a bound, says why, and takes little memory."""

import contextlib
import itertools
import os
import re
import socket
import struct
import subprocess
import threading
import time
import zlib

import common
import hostile

# This sets each byte that is allocated, also those of a message of 4 GB that never comes. The tests
# measure what the program itself sets.
os.environ.pop('MALLOC_PERTURB_', None)

# GStreamer 1.26 and later use this parser, which older versions have, too.
os.environ['GST_PLUGIN_FEATURE_RANK'] = 'jpegparse:PRIMARY'

MIB = 1 << 20
MIB_PER_SECOND = 20
SIDE = 16000    # pixels; libav refuses 16384

# MiB that the program may take at most, whatever one camera sends. Some
# elements copy what they keep. A sanitizer keeps what was freed.
MAX_MEMORY = 600 if not common.SANITIZED else 6000
# Seconds of processor time that it may take: elements that read everything once need up to 5.
MAX_TIME = 10 if not common.SANITIZED else 100
# One enormous picture would take more.
MAX_MEMORY_OF_PICTURES = 150 if not common.SANITIZED else 6000


def peak(monitor):
    """The largest resident memory so far, in MiB."""
    with open(f'/proc/{monitor.process.pid}/status', encoding='ascii') as status:
        return int(re.search(r'VmHWM:\s+(\d+)', status.read())[1]) / 1024


def processor_time(monitor):
    """Seconds that the program has used so far."""
    with open(f'/proc/{monitor.process.pid}/stat', encoding='ascii') as stat:
        return sum(map(int, stat.read().rpartition(')')[2].split()[11:13])) / os.sysconf(
            'SC_CLK_TCK')


class Bits:
    """A header of H.264: RFC 6184 and ISO 14496-10, 7.3."""

    def __init__(self, kind):
        self.kind, self.bits = kind, ''

    def flags(self, *values):
        """One bit each."""
        self.bits += ''.join(map(str, values))
        return self

    def numbers(self, *values):
        for value in values:
            code = bin(value + 1)[2:]
            self.bits += '0' * (len(code) - 1) + code
        return self

    def unit(self, more=b''):
        bits = self.bits + '1'
        bits += '0' * (-len(bits) % 8)
        data = int(bits, 2).to_bytes(len(bits) // 8, 'big') + more
        return bytes([self.kind]) + re.sub(rb'\0\0(?=[\0-\3])', b'\0\0\3', data)


def h264_units(side):
    """The units of a key frame of an H.264 stream with pictures of this size."""
    blocks = side // 16 - 1
    sps = Bits(0x67)
    sps.bits = f'{66:08b}{0x40:08b}{52:08b}'
    sps.numbers(0, 0, 2, 1).flags(0).numbers(blocks, blocks).flags(1, 1, 0, 0)
    pps = Bits(0x68).numbers(0, 0).flags(0, 0).numbers(0, 0, 0).flags(0, 0, 0)
    pps.numbers(0, 0, 0).flags(0, 0, 0)
    slice_ = Bits(0x65).numbers(0, 7, 0).flags(0, 0, 0, 0).numbers(0).flags(0, 0).numbers(0)
    return sps.unit(), pps.unit(), slice_.unit(bytes(range(1, 200)) * 10)


def h264(side):
    return b''.join(b'\0\0\0\1' + unit for unit in h264_units(side))


def element(name, *parts):
    """An element of Matroska."""
    data = b''.join(parts)
    return bytes.fromhex(name) + struct.pack('>Q', len(data) | 1 << 56) + data


def matroska(sps, pps, slice_, width, height, tracks=1):
    """A file with video tracks, whose headers may name another size than the stream of the first
    one has."""
    settings = (b'\1' + sps[1:4] + b'\xff\xe1' + struct.pack('>H', len(sps)) + sps + b'\1'
                + struct.pack('>H', len(pps)) + pps)
    every = [element('ae', element('d7', bytes([n])), element('73c5', bytes([n])),
                     element('83', b'\1'), element('86', b'V_MPEG4/ISO/AVC'),
                     element('63a2', settings),
                     element('e0', element('b0', struct.pack('>H', width)),
                             element('ba', struct.pack('>H', height))))
             for n in range(1, tracks + 1)]
    blocks = (element('a3', b'\x81' + struct.pack('>h', 40 * i) + b'\x80'
                      + struct.pack('>I', len(slice_)) + slice_) for i in range(20))
    return (element('1a45dfa3', element('4282', b'matroska'), element('4287', b'\2'))
            + element('18538067', element('1654ae6b', *every),
                      element('1f43b675', element('e7', b'\0'), *blocks)))


def jpeg(side):
    """A JPEG picture with this size in its header, and no more than the start of its data."""
    table = b'\xff\xdb\0\x43\0' + b'\1' * 64
    frame = b'\xff\xc0\0\x0b\x08' + struct.pack('>HH', side, side) + b'\1\1\x11\0'
    codes = b''.join(b'\xff\xc4\0\x14' + bytes([kind]) + b'\1' + b'\0' * 15 + b'\0'
                     for kind in (0, 0x10))
    return (b'\xff\xd8' + table + frame + codes + b'\xff\xda\0\x08\1\1\0\0\x3f\0'
            + b'\x55' * 2000 + b'\xff\xd9')


def slowly(data):
    for i in range(len(data)):
        yield data[i:i + 1]
        time.sleep(0.01)


def png(side):
    def chunk(name, data):
        return (struct.pack('>I', len(data)) + name + data
                + struct.pack('>I', zlib.crc32(name + data)))
    return (b'\x89PNG\r\n\x1a\n'
            + chunk(b'IHDR', struct.pack('>IIBBBBB', side, side, 8, 2, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(b'\0' * 100000)) + chunk(b'IEND', b''))


def vp8(side):
    """An IVF file with one key frame."""
    frame = b'\x10\0\0\x9d\1\x2a' + struct.pack('<HH', side & 0x3fff, side & 0x3fff) + b'\0' * 2000
    return (b'DKIF\0\0\x20\0VP80' + struct.pack('<HHIIII', 640, 480, 25, 1, 1000, 0)
            + (struct.pack('<IQ', len(frame), 0) + frame) * 100)


class Server:
    """Accepts connections, and has @answer write to each until that ends or the client leaves."""

    def __init__(self, case, answer):
        self.socket = socket.create_server(('127.0.0.1', 0))
        self.port = self.socket.getsockname()[1]
        self.answer = answer
        self.ends = threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()
        case.addCleanup(self.close)

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.work, args=(self.socket.accept()[0],),
                                 daemon=True).start()

    def work(self, connection):
        with connection, contextlib.suppress(OSError):
            for part in self.answer(connection):
                if self.ends.is_set():
                    break
                connection.sendall(part)

    def close(self):
        self.ends.set()
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def http(content, *parts):
    """Answers each request over HTTP with a body that does not end."""
    def answer(connection):
        while b'\r\n\r\n' not in connection.recv(65536):
            pass
        yield f'HTTP/1.1 200 OK\r\nContent-Type: {content}\r\n\r\n'.encode()
        for part in parts:
            yield from part
    return answer


def endless(data):
    """No faster than a network: the kernel says nothing of a connection while a program reads from
    it, and that ends only when all that has come is read."""
    part = data * max(1, MIB // len(data))
    while True:
        yield part
        time.sleep(1 / MIB_PER_SECOND)


class Case(common.Case):
    MAX_MEMORY = MAX_MEMORY

    def check(self, scheme, answer, reason, more=''):
        server = Server(self, answer)
        monitor = self.monitor(config=f'[camera b]\nuri=test\n[camera a]\ntimeout=100\n'
                               f'uri={scheme}://127.0.0.1:{server.port}/live\n{more}')
        monitor.wait_for_state('b', 'up')
        begin, begin_time = peak(monitor), processor_time(monitor)
        found = common.wait_for(lambda: (camera := monitor.camera('a'))['state'] == 'waiting'
                                and camera, 'the end of the connection')
        self.assertRegex(found['reason'], reason)
        most = peak(monitor)
        used = processor_time(monitor) - begin_time
        common.figure(f'{self.id().split(".")[-1]}, MiB', f'{begin:.0f} to {most:.0f}')
        common.figure(f'{self.id().split(".")[-1]}, processor s', f'{used:.1f}')
        self.assertLess(most, self.MAX_MEMORY)
        self.assertLess(used, MAX_TIME)
        self.assertEqual(monitor.camera('b')['state'], 'up')

    def make_jpeg(self):
        """A picture that decoders accept."""
        path = self.folder / 'small.jpg'
        subprocess.run(['gst-launch-1.0', '-q', 'videotestsrc', 'num-buffers=1', '!',
                        'video/x-raw,width=64,height=64', '!', 'jpegenc', '!', 'filesink',
                        f'location={path}'], check=True, env=common.environment_of_others())
        return path.read_bytes()


class Endless(Case):
    REASON = '^no picture in 134 MB of data: set uri to the address of its video, or restart the ' \
             'camera$'

    def test_constants(self):
        self.assertEqual(hostile.constant('VHM_MAX_KEPT_BYTES') // 1000000, 134)

    def test_part(self):
        """A part of a multipart stream, as cameras send JPEG."""
        self.check('http', http('multipart/x-mixed-replace; boundary=x',
                                [b'--x\r\nContent-Type: image/jpeg\r\n\r\n'], endless(b'abcdefgh')),
                   self.REASON)

    def test_jpeg(self):
        self.check('http', http('image/jpeg', [jpeg(64)[:-2]], endless(b'\x55' * 64)), self.REASON)

    def test_transport_stream(self):
        """A packet of video that goes on in all packets of the stream."""
        def packet(start, pid, data):
            return (b'\x47' + struct.pack('>H', start << 14 | pid) + b'\x10' + data).ljust(
                188, b'\xff')

        def table(pid, data):
            data += struct.pack('>I', crc(data))
            return packet(1, pid, b'\0' + data)

        def crc(data):
            value = 0xffffffff
            for byte in data:
                value ^= byte << 24
                for _ in range(8):
                    value = value << 1 ^ (0x04c11db7 if value >> 31 else 0)
                    value &= 0xffffffff
            return value

        tables = (table(0, bytes.fromhex('00b00d0001c100000001e100'))
                  + table(0x100, bytes.fromhex('02b0120001c10000e101f0001be101f000')))
        first = packet(1, 0x101, bytes.fromhex('000001e00000800000') + b'\0\0\1\x09\xf0'
                       + b'\0' * 170)
        self.check('http', http('video/mp2t', [tables * 20 + first],
                                endless(packet(0, 0x101, b'\x55' * 184))), self.REASON)


class RtspCase(Case):
    SDP = (b'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=x\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\n'
           b'a=rtpmap:96 H264/90000\r\na=control:track\r\n')

    def server(self, describe=SDP, after=()):
        """@describe answers DESCRIBE, and @after follows PLAY."""
        def answer(connection):
            text = b''
            while part := connection.recv(65536):
                text += part
                while b'\r\n\r\n' in text:
                    request, _, text = text.partition(b'\r\n\r\n')
                    number = re.search(rb'CSeq: *(\d+)', request)[1]
                    yield b'RTSP/1.0 200 OK\r\nCSeq: ' + number + b'\r\n'
                    if request.startswith(b'DESCRIBE'):
                        yield b'Content-Type: application/sdp\r\n'
                        if isinstance(describe, bytes):
                            yield b'Content-Length: %d\r\n\r\n' % len(describe) + describe
                        else:
                            yield b'Content-Length: 4000000000\r\n\r\n'
                            yield from describe
                    elif request.startswith(b'SETUP'):
                        yield (b'Session: 1\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n'
                               b'\r\n')
                    else:
                        yield b'Public: OPTIONS, DESCRIBE, SETUP, PLAY\r\n\r\n'
                    if request.startswith(b'PLAY'):
                        yield from after
        return answer

    @staticmethod
    def packets(payload):
        for number in itertools.count():
            data = struct.pack('>BBHII', 0x80, 96, number & 0xffff, 9000, 1) + payload
            yield b'$\0' + struct.pack('>H', len(data)) + data


class Rtsp(RtspCase):
    ANSWERS = '^its answers over RTSP have more than 1 MB besides video'

    def test_body(self):
        self.check('rtsp', self.server(describe=endless(b'v=0\r\n')), self.ANSWERS)

    def test_message_after_play(self):
        """A request of the server whose body does not end."""
        self.check('rtsp', self.server(after=itertools.chain(
            itertools.islice(self.packets(b'\x41abc'), 100),
            [b'ANNOUNCE * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 4000000000\r\n\r\n'],
            endless(b'x'))), self.ANSWERS, 'transport=tcp\n')

    def test_fragments(self):
        """Fragments of one unit of H.264, without the last one."""
        self.check('rtsp', self.server(after=itertools.chain(
            itertools.islice(self.packets(b'\x7c\x85' + b'\x55' * 60000), 1),
            self.packets(b'\x7c\x05' + b'\x55' * 60000))), Endless.REASON, 'transport=tcp\n')


class Pictures(Case):
    MAX_MEMORY = MAX_MEMORY_OF_PICTURES
    REASON = f'^pictures of {SIDE}x{SIDE} pixels are too large: set the camera to at most 67 ' \
             'megapixels$'

    def test_jpeg(self):
        self.check('http', http('multipart/x-mixed-replace; boundary=x', itertools.repeat(
            b'--x\r\nContent-Type: image/jpeg\r\n\r\n' + jpeg(SIDE) + b'\r\n')), self.REASON)

    def test_jpeg_after_other_segments(self):
        """The size comes in a later piece of the body, after segments of other programs."""
        picture = jpeg(SIDE)
        self.check('http', http('image/jpeg', [picture[:2] + 30 * (
            b'\xff\xe1\xff\xff' + b'\xff\xc0\0\x0b\x08' * 13106 + b'\0\0\0')
            + b'garbage\xff\0\xff\xd0' + b'\xff' * 9 + picture[2:]],
            itertools.repeat(picture)), self.REASON)

    def test_later_jpeg(self):
        """Of two pictures without parts between them, the second one is enormous."""
        small = self.make_jpeg()
        self.check('http', http('image/jpeg', [small] * 20, itertools.repeat(
            small + jpeg(SIDE))), self.REASON)

    def test_split_header(self):
        """Each byte comes on its own."""
        small = self.make_jpeg()
        self.check('http', http('image/jpeg', [small] * 20, slowly(jpeg(SIDE)[:100]),
                                itertools.repeat(jpeg(SIDE))), self.REASON)

    def test_png(self):
        self.check('http', http('image/png', [png(SIDE)] * 10), self.REASON)

    def test_h264(self):
        self.check('http', http('video/h264', itertools.repeat(h264(SIDE))), self.REASON)

    def test_vp8(self):
        self.check('http', http('video/x-ivf', [vp8(16383)]),
                   self.REASON.replace(str(SIDE), '16383'))

    def test_container(self):
        """A container that names a harmless size."""
        data = matroska(*h264_units(SIDE), 640, 480)
        self.check('http', http('video/x-matroska', [data]), self.REASON)


class Tracks(Case):
    def test_many_tracks(self):
        """Each would have threads of its own."""
        data = matroska(*h264_units(64), 64, 64, tracks=100)
        self.check('http', http('video/x-matroska', [data]), '^more than 32 streams in one$')


class Tags(Case):
    """Pictures come all the time, and beside them what the demuxer keeps."""
    REASON = '^more than 16 MB of tags and other data besides its pictures$'

    def stream(self, beside):
        units = h264_units(64)
        file = matroska(*units, 64, 64)
        # The segment and its clusters have no end.
        start = file[:file.index(bytes.fromhex('1f43b675'))]
        place = start.index(bytes.fromhex('18538067')) + 4
        yield start[:place] + b'\x01' + b'\xff' * 7 + start[place + 8:]
        for number in itertools.count():
            yield (b'\x1f\x43\xb6\x75\x01' + b'\xff' * 7
                   + element('e7', struct.pack('>I', 40 * number))
                   + element('a3', b'\x81\0\0\x80', struct.pack('>I', len(units[2])), units[2]))
            yield beside(number)
            time.sleep(0.002)

    @staticmethod
    def tag(text):
        return element('1254c367', element('7373', element('63c0'), element(
            '67c8', element('45a3', b'ARTIST'), element('4487', text.encode()))))

    def test_large(self):
        self.check('http', http('video/x-matroska', self.stream(
            lambda number: self.tag(f'{number:09}' * 10000))), self.REASON)

    def test_small(self):
        self.check('http', http('video/x-matroska', self.stream(
            lambda number: b''.join(self.tag(f'{number}.{i}') for i in range(100)))), self.REASON)

    def test_attachments(self):
        self.check('http', http('video/x-matroska', self.stream(
            lambda number: element('1941a469', element(
                '61a7', element('466e', b'a.jpg'), element('4660', b'image/jpeg'),
                element('46ae', struct.pack('>I', number + 1)),
                element('465c', jpeg(64) + b'x' * 100000))))), self.REASON)


class Names(RtspCase):
    """GStreamer keeps some names as long as the program runs, so cameras cannot have it learn
    others than the known ones."""
    MAX_MEMORY = 60 if not common.SANITIZED else 6000    # MiB more than before

    def check_growth(self, scheme, answer, is_done, more=''):
        """Memory while a camera sends new names again and again, until @is_done."""
        server = Server(self, answer)
        monitor = self.monitor(config=f'[camera b]\nuri=test\n[camera a]\ntimeout=100\n'
                               f'uri={scheme}://127.0.0.1:{server.port}/live\n{more}')
        monitor.wait_for_state('b', 'up')
        begin = common.resident(monitor)
        common.wait_for(is_done, 'all names')
        end = common.resident(monitor)
        common.figure(f'{self.id().split(".")[-1]}, MiB', f'{begin:.0f} to {end:.0f}')
        self.assertLess(end, begin + self.MAX_MEMORY)
        return monitor

    @staticmethod
    def descriptions(numbers):
        """A packet with 90 private items of SDES, each with a new name, after an empty report."""
        names = (b'%08x' % next(numbers) for _ in range(90))
        items = b''.join(b'\x08\x0a\x08' + name + b'v' for name in names) + b'\0'
        body = struct.pack('>I', 1) + items.ljust(-(-len(items) // 4) * 4, b'\0')
        data = (struct.pack('>BBHI', 0x80, 201, 1, 1)
                + struct.pack('>BBH', 0x81, 202, len(body) // 4) + body)
        return b'$\1' + struct.pack('>H', len(data)) + data

    def test_senders(self):
        """What senders say about themselves in RTCP."""
        numbers, connections = itertools.count(), []

        def after():
            yield from itertools.islice(self.packets(b'\x41abc'), 10)
            for _ in range(4000):
                yield self.descriptions(numbers)
            raise ConnectionError

        def answer(connection):
            connections.append(connection)
            return self.server(after=after())(connection)

        # The program connects again once it has read everything.
        self.check_growth('rtsp', answer, lambda: len(connections) > 1, 'transport=tcp\n')

    def test_attributes(self):
        """Attributes and parameters of formats in SDP."""
        numbers, count = itertools.count(), itertools.count()
        seen = []

        def describe():
            text = self.SDP[:-len(b'a=control:track\r\n')]
            for _ in range(20):
                text += b'm=audio 0 RTP/AVP 8\r\na=control:other\r\na=fmtp:8 ' + b';'.join(
                    b'%x=1' % next(numbers) for _ in range(2000)) + b'\r\n'
                text += b''.join(b'a=%x:\r\n' % next(numbers) for _ in range(2000))
            return text

        def answer(connection):
            seen.append(next(count))
            # The connection ends when the program asks for the streams.
            return itertools.takewhile(lambda part: not part.startswith(b'Session:'),
                                       self.server(describe())(connection))

        self.check_growth('rtsp', answer, lambda: len(seen) > 5, 'transport=tcp\n')

    def test_headers(self):
        """Headers of HTTP. The program asks for the rest of a body, but not too often."""
        numbers, requests = itertools.count(), []
        picture = self.make_jpeg()
        part = b'--b\r\nContent-Type: image/jpeg\r\n\r\n' + picture + b'\r\n'

        def answer(connection):
            text = b''
            while b'\r\n\r\n' not in text:
                text += connection.recv(65536)
            start = int((re.search(rb'[Rr]ange: *bytes=(\d+)', text) or [0, 0])[1])
            requests.append(time.monotonic())
            yield (b'HTTP/1.1 %s\r\nContent-Type: multipart/x-mixed-replace;boundary=b\r\n'
                   b'Accept-Ranges: bytes\r\nContent-Range: bytes %d-999999999999/1000000000000\r\n'
                   b'Content-Length: %d\r\n' % (
                       b'206 Partial Content' if start else b'200 OK', start, 10 ** 12 - start))
            yield b''.join(b'%x:\r\n' % next(numbers) for _ in range(6000)) + b'\r\n' + part

        monitor = self.check_growth('http', answer, lambda: len(requests) > 120)
        self.assertEqual(monitor.camera('a')['state'], 'up')
        # On average: a server may see two requests at once that were not sent at once.
        self.assertGreater(requests[120] - requests[0], 0.9 * 120 * hostile.constant(
            'VHM_MIN_REQUEST_INTERVAL_MS') / 1000)


class Playlists(Case):
    PLACE = '^its playlist names what is not at an address of http or https, and is not opened$'
    LONG = '^its playlist, or another file that it needs, has more than 1 MB$'
    TYPE = 'application/vnd.apple.mpegurl'
    START = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n'

    def files(self, **files):
        """Answers requests for /live, and for the others by name. A file is a text, or parts
        without end."""
        def answer(connection):
            text = b''
            while b'\r\n\r\n' not in text:
                if not (part := connection.recv(65536)):
                    return
                text += part
            content = files[re.match(rb'GET /(\w*)', text)[1].decode()]
            yield f'HTTP/1.1 200 OK\r\nContent-Type: {self.TYPE}\r\nConnection: close\r\n'.encode()
            if isinstance(content, str):
                yield f'Content-Length: {len(content)}\r\n\r\n{content}'.encode()
            else:
                yield b'\r\n'
                yield from content
        return answer

    def segments(self, uri):
        return self.START + 9 * f'#EXTINF:2,\n{uri}\n' + '#EXT-X-ENDLIST\n'

    def test_local_segment(self):
        """A playlist from the network cannot have a file of the machine played."""
        self.check('http', self.files(live=self.segments(f'file://{self.clip(60)}')), self.PLACE)

    def test_local_playlist(self):
        self.write('local.m3u8', self.segments('segment'))
        self.check('http', self.files(
            live='#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n'
            f'file://{self.folder}/local.m3u8\n'), self.PLACE)

    def test_local_key(self):
        self.write('key', '0123456789abcdef')
        self.check('http', self.files(
            live=self.segments('segment').replace(
                '#EXTINF', f'#EXT-X-KEY:METHOD=AES-128,URI="file://{self.folder}/key"\n#EXTINF',
                1), segment='x' * 188), self.PLACE)

    def test_local_map(self):
        self.check('http', self.files(
            live=self.segments('segment').replace(
                '#EXTINF', f'#EXT-X-MAP:URI="file://{self.clip(60)}"\n#EXTINF', 1),
            segment='x' * 188), self.PLACE)

    def test_other_host(self):
        """Another host that a playlist names does not get the address of the playlist."""
        requests = []

        def other(connection):
            requests.append(connection.recv(65536))
            yield b'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

        port = Server(self, other).port
        server = Server(self, self.files(live='#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n'
                                         f'http://127.0.0.1:{port}/second\n'))
        self.monitor(f'a=http://127.0.0.1:{server.port}/live?password=geheim')
        common.wait_for(lambda: requests, 'a request')
        self.assertIn(b'GET /second', requests[0])
        self.assertNotIn(b'referer', requests[0].lower())
        self.assertNotIn(b'geheim', requests[0])

    def test_long(self):
        self.check('http', self.files(live=itertools.chain(
            [self.START.encode()], endless(b'#EXTINF:2,\nsegment\n'))), self.LONG)

    def test_long_second(self):
        """Adaptive demuxers fetch it beside the pipeline."""
        self.check('http', self.files(
            live='#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\nsecond\n',
            second=itertools.chain([self.START.encode()],
                                   endless(b'#EXTINF:2,\nsegment\n'))), self.LONG)

    def manifest(self, streams):
        return ('<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" '
                'mediaPresentationDuration="PT60S" profiles="urn:mpeg:dash:profile:full:2011">'
                '<Period xmlns:m="urn:mpeg:dash:schema:mpd:2011">' + streams * (
                    '<m:AdaptationSet contentType="video" mimeType="video/mp4"><Representation '
                    'id="1" bandwidth="1000000"><SegmentTemplate timescale="1" duration="2" '
                    'media="$Number$" initialization="i"/></Representation></m:AdaptationSet>')
                + '</Period></MPD>')

    def alternatives(self, number):
        return ('#EXTM3U\n' + number * '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="a"\n'
                + '#EXT-X-STREAM-INF:BANDWIDTH=1000000,AUDIO="a"\nsecond\n')

    def check_streams(self, make, **others):
        """One stream more than the bound. GStreamer would start threads for each."""
        most = hostile.constant('VHM_MAX_PLAYLIST_STREAMS')
        files = {name: make(most + 1) for name in ('live', 'second')}
        self.check('http', self.files(**{**files, **others}),
                   f'^its playlist names more than {most} streams$')

    def test_many_alternatives(self):
        self.check_streams(self.alternatives)

    def test_many_alternatives_later(self):
        """In a playlist that is fetched beside the pipeline."""
        self.check_streams(self.alternatives, live='#EXTM3U\n'
                           '#EXT-X-STREAM-INF:BANDWIDTH=1000000\nsecond\n')

    def test_many_sets(self):
        self.check_streams(self.manifest)

    def test_own_file(self):
        """A playlist on disk may name the files beside it, but no others."""
        clip = self.clip(60)
        folder = self.folder / 'own'
        folder.mkdir()
        clip.rename(folder / 'own.avi')
        playlist = folder / 'own.m3u8'
        playlist.write_text(self.segments('own.avi'))
        monitor = self.monitor(f'a={playlist}')
        monitor.wait_for_state('a', 'up')
        (folder / 'own.avi').rename(self.folder / 'other.avi')
        playlist.write_text(self.segments(f'file://{folder}/../other.avi'))
        common.wait_for(lambda: re.match(self.PLACE, monitor.camera('a')['reason']), 'the end')


if __name__ == '__main__':
    common.main()
