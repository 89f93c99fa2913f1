# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams made by real coders, generated while tests run and cached in the build folder.

make(Clip(...)) returns the path of a clip; join(), lose() and flip() return copies that start
between key frames, lack packets, or have flipped bits. changes() returns what videohealth
reports."""

import dataclasses
import hashlib
import os
import pathlib
import random
import re
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get('TEST_DATA') or ROOT.parent / 'shared' / 'data')
CACHE = pathlib.Path(os.environ.get('VH_BUILD') or ROOT / 'build') / 'tests/streams/clips'

# ffmpeg's options for each coder. {gop} is in frames; rates are for 320x240 and scale with the
# number of pixels. One thread only: with more, the stream would differ from machine to machine.
X264 = ('-c:v libx264 -preset veryfast -threads 1 -g {gop} -keyint_min {gop} -sc_threshold 0 '
        '-bf {bframes}')
X265 = ('-c:v libx265 -preset ultrafast -x265-params log-level=error:pools=1:frame-threads=1:'
        'keyint={gop}:min-keyint={gop}:scenecut=0:bframes={bframes}')
CONSTANT = '-b:v {rate}k -minrate {rate}k -maxrate {rate}k -bufsize {rate}k'
CODERS = {
    'x264-crf23': f'{X264} -crf 23',
    'x264-crf28': f'{X264} -crf 28',
    'x264-crf35': f'{X264} -crf 35',
    'x264-cbr': f'{X264} -x264-params nal-hrd=cbr {CONSTANT}',
    # Intra refresh: rows of blocks are refreshed in turn, and only the first frame is a key frame.
    'x264-refresh': f'{X264} -crf 28 -x264-params intra-refresh=1',
    # Open GOP: frames after a key frame refer to frames before it.
    'x264-open': f'{X264} -crf 28 -x264-params open-gop=1',
    'x265-crf28': f'{X265} -crf 28',
    'x265-crf35': f'{X265} -crf 35',
    'x265-cbr': f'{X265} {CONSTANT}',
    'mjpeg': '-c:v mjpeg -q:v 5 -pix_fmt yuvj420p',
    'mpeg2': f'-c:v mpeg2video -g {{gop}} -bf {{bframes}} {CONSTANT}',
    'vp9': '-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -crf 40 -b:v 0 -g {gop} -threads 1',
    'mpeg4': '-c:v mpeg4 -g {gop} -bf {bframes} -q:v 6',
}
# kbit/s for 320x240, and what MPEG-2 needs for its key frames.
RATES = {'mpeg2': 1500}
RATE = 300


@dataclasses.dataclass(frozen=True)
class Clip:
    """What is coded, and how. @gop and the times of @freezes are in seconds; during a freeze the
    coder receives the same pixels again and again."""
    coder: str = 'x264-crf28'
    scene: str = 'room'
    rate: int = 10
    gop: float = 2
    bframes: int = 0
    seconds: float = 20
    width: int = 320
    height: int = 240
    noise: float = 2        # sensor noise, in code values
    freezes: tuple = ()     # (start, end) of each
    container: str = 'ts'   # or mkv, mp4, avi, h264
    seed: int = 1


# Scenes

def texture(width, height, seed):
    """Luma with edges, gradients and fine texture, like a room."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    luma = 70 + 60 * x / width + 30 * np.sin(y / height * 5)
    for _ in range(25):
        left, top = rng.integers(0, width), rng.integers(0, height)
        luma[top:top + height // 6, left:left + width // 8] = rng.uniform(30, 210)
    fine = rng.normal(0, 12, (height, width))
    fine = (fine + np.roll(fine, 1, 0) + np.roll(fine, 1, 1) + np.roll(fine, (1, 1), (0, 1))) / 2
    return np.clip(luma + fine, 20, 230)


def room(clip):
    """Nothing moves."""
    still = texture(clip.width, clip.height, clip.seed)
    while True:
        yield still


def walkers(clip):
    """Two people walk about in the room."""
    still = texture(clip.width, clip.height, clip.seed)
    width, height = clip.width // 16, clip.height // 4
    i = 0
    while True:
        picture = still.copy()
        for speed, top, level in (0.06, clip.height // 3, 40), (-0.09, clip.height // 2, 190):
            left = int(speed * clip.width * i / clip.rate) % (clip.width - width)
            picture[top:top + height, left:left + width] = level
        yield picture
        i += 1


def leaving(clip):
    """The two people leave after two thirds of the time."""
    count = round(clip.seconds * clip.rate)
    for _, picture in zip(range(count * 2 // 3), walkers(clip)):
        yield picture
    yield from room(clip)


def other_room(clip):
    """The camera is turned away after half of the time."""
    rooms = [texture(clip.width, clip.height, clip.seed + more) for more in (0, 100)]
    for i in range(round(clip.seconds * clip.rate)):
        yield rooms[i >= clip.seconds * clip.rate / 2]


def dark(clip):
    """The lens is covered after half of the time."""
    for i, picture in zip(range(round(clip.seconds * clip.rate)), walkers(clip)):
        yield picture if i < clip.seconds * clip.rate / 2 else np.full_like(picture, 17)


def light(clip):
    """The lens is covered during the first half of the time."""
    for i, picture in zip(range(round(clip.seconds * clip.rate)), walkers(clip)):
        yield picture if i >= clip.seconds * clip.rate / 2 else np.full_like(picture, 17)


def eclipse(clip):
    """The lens is covered during the middle half of the time."""
    count = clip.seconds * clip.rate
    for i, picture in zip(range(round(count)), walkers(clip)):
        yield np.full_like(picture, 17) if count / 4 <= i < count * 3 / 4 else picture


SCENES = {'dark': dark, 'eclipse': eclipse, 'leaving': leaving, 'light': light,
          'other-room': other_room, 'room': room, 'walkers': walkers}


def to_i420(luma, noise, rng):
    """The colors are those of a lit room, a little warm."""
    luma = luma + rng.normal(0, noise, luma.shape) if noise else luma
    chroma = np.empty((2, luma.shape[0] // 2, luma.shape[1] // 2))
    chroma[0], chroma[1] = 118, 138
    chroma += np.linspace(-14, 14, chroma.shape[2])
    if noise:
        chroma += rng.normal(0, noise / 2, chroma.shape)
    return np.concatenate([np.clip(np.rint(p), 0, 255).astype(np.uint8).reshape(-1)
                           for p in (luma, chroma)])


def footage(clip):
    """Frames of a file in TEST_DATA, forward and backward."""
    raw = subprocess.run(['ffmpeg', '-v', 'error', '-i', DATA / clip.scene, '-vf',
                          f'scale={clip.width}:{clip.height}', '-pix_fmt', 'yuv420p', '-f',
                          'rawvideo', '-'], stdout=subprocess.PIPE, check=True).stdout
    there = np.frombuffer(raw, np.uint8).reshape(-1, clip.width * clip.height * 3 // 2)
    while True:
        yield from there
        yield from there[-2:0:-1]


def is_there(clip):
    """Whether it can be made: footage is not part of the project."""
    return clip.scene in SCENES or (DATA / clip.scene).is_file()


def frames(clip):
    """Frames of I420."""
    rng = np.random.default_rng(clip.seed)
    if clip.scene in SCENES:
        source = (to_i420(luma, clip.noise, rng) for luma in SCENES[clip.scene](clip))
    else:
        source = footage(clip)
    frame = None
    for i in range(round(clip.seconds * clip.rate)):
        live = next(source)
        if frame is None or not any(begin <= i / clip.rate < end for begin, end in clip.freezes):
            frame = live
        yield frame


# Files

def cached(parts, suffix, write):
    """Returns the path of a file that @write creates once for these @parts. Tests run in parallel,
    so each writes to a temporary file first."""
    source = pathlib.Path(__file__).read_bytes()
    name = hashlib.sha256(repr(parts).encode() + source).hexdigest()[:20]
    path = CACHE / f'{name}.{suffix}'
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        part = CACHE / f'{name}.{os.getpid()}.part.{suffix}'
        write(part)
        part.rename(path)
    return path


def encode(clip, path):
    rate = max(1, round(RATES.get(clip.coder, RATE) * clip.width * clip.height / (320 * 240)))
    options = CODERS[clip.coder].format(gop=max(1, round(clip.gop * clip.rate)), rate=rate,
                                        bframes=clip.bframes)
    formats = {'ts': 'mpegts', 'mkv': 'matroska'}
    process = subprocess.Popen(
        ['ffmpeg', '-v', 'error', '-y', '-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s',
         f'{clip.width}x{clip.height}', '-r', str(clip.rate), '-i', '-', *options.split(),
         '-fps_mode', 'passthrough', '-f', formats.get(clip.container, clip.container), path],
        stdin=subprocess.PIPE)
    for frame in frames(clip):
        process.stdin.write(frame.tobytes())
    process.stdin.close()
    if process.wait():
        raise RuntimeError(f'ffmpeg cannot make {clip}')


def make(clip):
    """The path of the clip."""
    return cached(clip, clip.container, lambda path: encode(clip, path))


# Damage. A network loses whole packets of a transport stream.

PACKET = 188


@dataclasses.dataclass
class Packet:
    data: bytes
    time: float     # index of the frame that it belongs to; None: not video
    key: bool       # starts a key frame
    begin: bool     # starts a frame


def packets(path):
    """Returns all packets of a transport stream with one video."""
    data = pathlib.Path(path).read_bytes()
    video, first, time, key, result = None, None, None, False, []
    for at in range(0, len(data), PACKET):
        packet = data[at:at + PACKET]
        pid = (packet[1] & 0x1f) << 8 | packet[2]
        payload = 4 + (1 + packet[4] if packet[3] & 0x20 else 0)
        begin = bool(packet[1] & 0x40) and packet[payload:payload + 3] == b'\0\0\1'
        if begin and packet[payload + 3] & 0xf0 == 0xe0:
            video = pid
            stamp = packet[payload + 9:payload + 14]
            # Frames are in decoding order and carry their presentation times.
            ticks = ((stamp[0] & 0x0e) << 29 | stamp[1] << 22 | (stamp[2] & 0xfe) << 14
                     | stamp[3] << 7 | stamp[4] >> 1)
            first = ticks if first is None else first
            time = (ticks - first) / 90000
            key = bool(packet[3] & 0x20 and packet[4] and packet[5] & 0x40)
        result.append(Packet(packet, time if pid == video else None, pid == video and key,
                             pid == video and begin))
    return result


# The kinds of units at the start of an elementary stream that say how to decode it.
PARAMETERS = {
    'x264': rb'[\x27\x28\x67\x68]',
    'x265': rb'[\x40\x42\x44]',
    'mpeg2': rb'[\xb3\xb5]',
    'mpeg4': rb'[\x00-\x2f\xb0\xb5]',
}
SUFFIXES = {'x264': 'h264', 'x265': 'h265', 'mpeg2': 'm2v', 'mpeg4': 'm4v'}


def elementary(path):
    """Returns the frames of a transport stream: (seconds, whether it is a key frame, data)."""
    result = []
    for packet in packets(path):
        if packet.time is None:
            continue
        payload = 4 + (1 + packet.data[4] if packet.data[3] & 0x20 else 0)
        if packet.begin:
            payload += 9 + packet.data[payload + 8]
            result.append((packet.time, packet.key, bytearray()))
        if result:
            result[-1][2].extend(packet.data[payload:])
    return result


def join(clip, seconds=0.0):
    """The clip as seen by a client that joins @seconds after its first key frame: first the decoder
    configuration, which RTSP sends separately, then no key frame until the next one."""
    kind = clip.coder.split('-')[0]

    def write(part):
        all_frames = elementary(make(clip))
        units = re.split(rb'\x00?\x00\x00\x01', bytes(all_frames[0][2]))
        begins = b''.join(b'\0\0\0\1' + unit for unit in units
                          if re.match(PARAMETERS[kind], unit))
        begin = next(i for i, (time, key, _) in enumerate(all_frames)
                     if not key and time >= seconds)
        part.write_bytes(begins + b''.join(data for _, _, data in all_frames[begin:]))
    return cached(('join', clip, seconds), SUFFIXES[kind], write)


def shift(path, seconds):
    """A copy whose times are @seconds later."""
    return cached(('shift', path.name, seconds), 'ts', lambda part: subprocess.run(
        ['ffmpeg', '-v', 'error', '-i', path, '-c', 'copy', '-output_ts_offset', str(seconds), '-f',
         'mpegts', part], check=True))


def jump(clip, after, seconds):
    """The clip as Matroska, in which times jump ahead by @seconds."""
    return cached(('jump', clip, after, seconds), 'mkv', lambda part: subprocess.run(
        ['ffmpeg', '-v', 'error', '-i', make(clip), '-vf',
         f'settb=1/1000,setpts=PTS-STARTPTS+{1000 * seconds}*gte(PTS-STARTPTS\\,{1000 * after})',
         '-fps_mode', 'passthrough', '-enc_time_base', '1/1000', '-c:v', 'libx264', '-preset',
         'veryfast', '-tune', 'zerolatency', '-threads', '1', '-g', '10', '-cluster_time_limit',
         '100', part], check=True))


def lose(path, share, begin=0, end=1e9, seed=1):
    """A copy that lacks @share of the video packets in this period."""
    def write(part):
        rng = random.Random(seed)
        part.write_bytes(b''.join(p.data for p in packets(path) if p.time is None or not
                                  (begin <= p.time < end and rng.random() < share)))
    return cached(('lose', path.name, share, begin, end, seed), 'ts', write)


def flip(path, share, begin=0, end=1e9, seed=1):
    """A copy with one flipped bit in @share of the video packets in this period."""
    def write(part):
        rng, result = random.Random(seed), []
        for packet in packets(path):
            data = bytearray(packet.data)
            # Headers stay intact: the transport protects them with checksums.
            if (packet.time is not None and not packet.begin and begin <= packet.time < end
                    and rng.random() < share):
                data[rng.randrange(40, PACKET)] ^= 1 << rng.randrange(8)
            result.append(bytes(data))
        part.write_bytes(b''.join(result))
    return cached(('flip', path.name, share, begin, end, seed), 'ts', write)


def jpegs(path):
    """The pictures of a JPEG clip in AVI."""
    data = pathlib.Path(path).read_bytes()
    result, at = [], data.index(b'movi')
    while (at := data.find(b'00dc', at)) >= 0:
        size = int.from_bytes(data[at + 4:at + 8], 'little')
        picture = data[at + 8:at + 8 + size]
        if picture[:2] != b'\xff\xd8':
            break   # stop at the index
        result.append(picture)
        at += 8 + size
    return result


# Reports

def changes(path, elements='decodebin', patience_s=120, **properties):
    """Returns what videohealth, with @properties, reports on a file decoded by @elements: a list of
    (seconds, '+frozen' or '-frozen', value)."""
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
    Gst.init(None)
    pipeline = Gst.parse_launch(f'filesrc location="{path}" ! {elements} ! '
                                'videohealth name=health ! fakesink sync=false')
    for name, value in properties.items():
        Gst.util_set_object_arg(pipeline.get_by_name('health'), name.replace('_', '-'), str(value))
    pipeline.set_state(Gst.State.PLAYING)
    told = []
    try:
        while True:
            message = pipeline.get_bus().timed_pop_filtered(
                patience_s * Gst.SECOND,
                Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR)
            if message is None:
                raise RuntimeError(f'{path}: it does not end in {patience_s} s')
            if message.type == Gst.MessageType.ERROR:
                raise RuntimeError(f'{path}: {message.parse_error()[0].message}')
            if message.type == Gst.MessageType.EOS:
                return told
            structure = message.get_structure()
            if structure.get_name() == 'videohealth':
                value = structure.get_value
                told.append((value('running-time') / Gst.SECOND,
                             '-+'[value('active')] + value('condition'), value('value')))
    finally:
        pipeline.set_state(Gst.State.NULL)
