# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sound and subtitles of a video that is written again: they are copied as they are."""
import collections
import re
from xml.sax import saxutils

import common

# Names of caps that are tracks beside the video, or begin so.
KINDS = {
    "audio/": "sound",
    "text/": "subtitles",
    "subpicture/": "subtitles",
    "application/x-ass": "subtitles",
    "application/x-ssa": "subtitles",
    "application/x-usf": "subtitles",
    "application/x-subtitle": "subtitles",
    "subtitle/": "subtitles",
}

# What a muxer would take, but other programs do not expect in its files.
UNUSUAL = {
    # WebVTT, for one, which then ends the pipeline.
    "matroskamux": "application/x-subtitle-unknown",
    "avimux": "audio/mpeg,mpegversion=4",
    "webmmux": "text/x-raw;subtitle/x-kate;application/x-ssa;application/x-ass;"
               "application/x-usf;application/x-subtitle-unknown;subpicture/x-dvd",
}

# Subtitles have markup where Matroska is read, and muxers take none.
MARKUP = "text/x-raw,format=pango-markup"
PLAIN = "text/x-raw,format=utf8"

# Of these muxers a track of subtitles has one text at a time, without markup.
ONE_AT_A_TIME = ("mp4mux", "qtmux")

# How long a text stays that has no end, if no other one follows.
OPEN_SECONDS = 5

# What may wait for video that is corrected and encoded, which is later by some seconds.
MAX_WAITING_BYTES = 64 * 1024 * 1024


class Tracks:
    """Links what is beside the video to the muxer named `mux` of the pipeline, and
    remembers what that cannot hold."""

    def __init__(self):
        self.copied = []
        self.left_out = []

    def prepare(self, source):
        """Of an element that decodes. Its functions refer to no pipeline, which would then
        stay for ever."""
        source.connect("autoplug-continue", decode_further)
        source.connect("pad-added", link_track, self.copied, self.left_out)

    def describe(self):
        """What was copied, in words."""
        return f", with {' and '.join(count(self.copied))}" if self.copied else ""


def count(names):
    """Each once, with how many there are."""
    return [name if number == 1 else f"{name} ({number} tracks)"
            for name, number in collections.Counter(names).items()]


def kind_of(caps):
    name = caps[0].get_name()
    return next((kind for begin, kind in KINDS.items() if name.startswith(begin)), None)


def parsers(caps):
    Gst = common.Gst
    factories = Gst.ElementFactory.list_get_elements(Gst.ELEMENT_FACTORY_TYPE_PARSER,
                                                     Gst.Rank.MARGINAL)
    return Gst.ElementFactory.list_filter(factories, caps, Gst.PadDirection.SINK, False)


def decode_further(_source, _pad, caps):
    """Video is decoded, and sound parsed."""
    kind = kind_of(caps)
    if kind != "sound":
        return not kind
    structure = caps[0]
    whole = any(structure.has_field(name) and structure.get_value(name)
                for name in ("framed", "parsed"))
    return not whole and bool(parsers(caps))


def name_of(caps):
    """For users, such as: sound (MPEG-4 AAC)."""
    if caps[0].get_name().startswith("text/"):
        return kind_of(caps)
    codec = common.GstPbutils.pb_utils_get_codec_description(caps)
    return f"{kind_of(caps)} ({codec})" if codec and codec != caps[0].get_name() else kind_of(caps)


def find_template(mux, caps):
    """Of a pad that takes @caps, other than for video."""
    Gst = common.Gst
    factory = mux.get_factory()
    unusual = UNUSUAL.get(factory.get_name())
    if unusual and Gst.Caps.from_string(unusual).can_intersect(caps):
        return None
    for template in factory.get_static_pad_templates():
        if (template.direction == Gst.PadDirection.SINK
                and template.presence == Gst.PadPresence.REQUEST
                and not template.name_template.startswith("video")
                and template.get_caps().can_intersect(caps)):
            return mux.get_pad_template(template.name_template)
    return None


def find_way(mux, caps):
    """A template of the muxer for @caps and, if they are in another form than it takes, an
    element that changes that."""
    Gst = common.Gst
    template = find_template(mux, caps)
    one = mux.get_factory().get_name() in ONE_AT_A_TIME
    if template and one and caps.can_intersect(Gst.Caps.from_string(PLAIN)):
        return template, make_plain(mux)
    if template:
        return template, None
    if caps.can_intersect(Gst.Caps.from_string(MARKUP)):
        template = find_template(mux, Gst.Caps.from_string(PLAIN))
        return template, template and make_plain(mux)
    for factory in parsers(caps):
        for source in factory.get_static_pad_templates():
            if source.direction == Gst.PadDirection.SRC:
                template = find_template(mux, source.get_caps())
                if template:
                    return template, factory.create()
    return None, None


def make_plain(mux):
    """An element that takes the markup out of subtitles. Those of Matroska may have tags."""
    element = common.Gst.ElementFactory.make("capssetter")
    element.set_property("caps", common.Gst.Caps.from_string(PLAIN))
    name = mux.get_factory().get_name()
    pad, kinds = element.get_static_pad("src"), common.Gst.PadProbeType
    cues = Cues() if name in ONE_AT_A_TIME else None
    pad.add_probe(kinds.BUFFER, pass_plain, name == "matroskamux", cues)
    if cues:
        pad.add_probe(kinds.EVENT_DOWNSTREAM, pass_time, cues)
    return element


class Cues:
    """Makes texts that overlap follow each other: while there are several, all of them are
    shown. The first one begins with the video, and is empty if need be: qtmux would write
    the time before it as an edit, from which other programs take a wrong end of the last
    one."""

    def __init__(self):
        self.at = None          # what is before has been passed on
        self.begun = False      # whether that is anything
        self.shown = []         # [end, text] of what is shown then

    def begin(self, start):
        if not self.begun:
            self.at = start

    def pass_until(self, time, split):
        """(start, end, text) of what ends until @time, and if @split of what is shown up to
        then."""
        passed = []
        if not self.begun and time > self.at:
            passed.append((self.at, time, ""))
            self.at = time
            self.begun = True
        while self.shown:
            end = min(end for end, _text in self.shown)
            if end > time and not split:
                break
            end = min(end, time)
            if end > self.at:
                passed.append((self.at, end, "\n".join(text for _end, text in self.shown)))
            self.at = max(self.at, end)
            self.shown = [one for one in self.shown if one[0] > self.at]
            if end == time:
                break
        return passed

    def add(self, start, end, text):
        passed = self.pass_until(start, split=True)
        # One without an end is shown until this one begins.
        self.shown = [one for one in self.shown if one[0] != common.Gst.CLOCK_TIME_NONE]
        self.at = max(start, self.at)
        self.begun = True
        if end > self.at:
            self.shown.append([end, text])
        return passed

    def finish(self):
        ends = [self.at + OPEN_SECONDS * common.Gst.SECOND if end == common.Gst.CLOCK_TIME_NONE
                else end for end, _text in self.shown]
        self.shown = [[end, text] for end, (_end, text) in zip(ends, self.shown)]
        return self.pass_until(max(ends, default=0), split=False)


def make_text(start, end, text):
    """A frame with it."""
    Gst = common.Gst
    frame = Gst.Buffer.new_wrapped(text.encode()) if text else Gst.Buffer.new()
    frame.pts, frame.duration = start, end - start
    return frame


def pass_plain(pad, info, tags, cues):
    """Passes other text on in place of that of the frame, which may not be changed."""
    Gst, frame = common.Gst, info.get_buffer()
    text = frame.extract_dup(0, frame.get_size()).decode(errors="replace")
    markup = pad.get_peer() and pad.get_parent().get_static_pad("sink").get_current_caps()
    if markup and markup[0].get_string("format") == "pango-markup":
        if not tags:
            text = re.sub(r"</?[a-z][^>]*>", "", text)
        text = saxutils.unescape(text, {"&quot;": '"', "&apos;": "'", "&#39;": "'"})
    if cues:
        end = (frame.pts + frame.duration if frame.duration != Gst.CLOCK_TIME_NONE
               else Gst.CLOCK_TIME_NONE)
        frames = [make_text(*cue) for cue in cues.add(frame.pts, end, text)]
    else:
        plain = Gst.Buffer.new_wrapped(text.encode())
        plain.pts, plain.dts, plain.duration = frame.pts, frame.dts, frame.duration
        frames = [plain]
    for one in frames:
        pad.get_peer().chain(one)
    return Gst.PadProbeReturn.DROP


def pass_time(pad, info, cues):
    """Time that passes without a text, and the end."""
    Gst, event = common.Gst, info.get_event()
    passed = []
    if event.type == Gst.EventType.SEGMENT:
        cues.begin(event.parse_segment().start)
    elif event.type == Gst.EventType.GAP:
        passed = cues.pass_until(event.parse_gap()[0], split=False)
    elif event.type == Gst.EventType.EOS:
        passed = cues.finish()
    for cue in passed:
        pad.get_peer().chain(make_text(*cue))
    # A text whose end is not reached has yet to be passed on.
    waits = event.type == Gst.EventType.GAP and (cues.shown or not cues.begun)
    return Gst.PadProbeReturn.DROP if waits else Gst.PadProbeReturn.OK


def link_track(source, pad, copied, left_out):
    caps = pad.get_current_caps() or pad.query_caps(None)
    if caps[0].get_name().startswith("video/"):
        if not pad.is_linked():
            left_out.append("another video")
        return
    if not kind_of(caps):
        return
    pipeline = source.get_parent()
    mux = pipeline.get_by_name("mux")
    template, change = find_way(mux, caps) if mux else (None, None)
    if not template:
        left_out.append(name_of(caps))
        return
    queue = common.Gst.ElementFactory.make("queue")
    queue.set_property("max-size-buffers", 0)
    queue.set_property("max-size-time", 0)
    queue.set_property("max-size-bytes", MAX_WAITING_BYTES)
    chain = [queue] + ([change] if change else [])
    for element in chain:
        pipeline.add(element)
    for first, second in zip(chain, chain[1:]):
        first.link(second)
    sink = mux.request_pad(template, None, None)
    if sink and chain[-1].get_static_pad("src").link(sink) == common.Gst.PadLinkReturn.OK:
        for element in chain:
            element.sync_state_with_parent()
        if pad.link(queue.get_static_pad("sink")) == common.Gst.PadLinkReturn.OK:
            copied.append(name_of(caps))
            return
    if sink:
        mux.release_request_pad(sink)
    for element in chain:
        element.set_state(common.Gst.State.NULL)
        pipeline.remove(element)
    left_out.append(name_of(caps))
