# SPDX-License-Identifier: LGPL-2.1-or-later
"""Copies sound and subtitles, as they are, into a video that is written again."""
import collections
import re
from xml.sax import saxutils

import common

# The kinds of tracks beside the video, by the name of their caps or its beginning.
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

# What a muxer would accept, but other programs do not expect in its files.
UNUSUAL = {
    # For example WebVTT, which makes the pipeline fail.
    "matroskamux": "application/x-subtitle-unknown",
    "avimux": "audio/mpeg,mpegversion=4",
    "webmmux": "text/x-raw;subtitle/x-kate;application/x-ssa;application/x-ass;"
               "application/x-usf;application/x-subtitle-unknown;subpicture/x-dvd",
}

# Matroska's demuxer delivers subtitles with markup, which muxers do not accept.
MARKUP = "text/x-raw,format=pango-markup"
PLAIN = "text/x-raw,format=utf8"

# With these muxers, a track of subtitles has only one text at a time, without markup.
ONE_AT_A_TIME = ("mp4mux", "qtmux")

# How long a text without an end stays, if no other text follows.
OPEN_SECONDS = 5

# How much may wait for the video, which correcting and encoding delay by some seconds.
MAX_WAITING_BYTES = 64 * 1024 * 1024


class Tracks:
    """Links the tracks beside the video to the muxer named `mux` in the pipeline, and remembers
    those that the muxer cannot hold."""

    def __init__(self):
        self.copied = []
        self.left_out = []

    def prepare(self, source):
        """Connects to @source, an element that decodes. The handlers do not refer to the
        pipeline, which would otherwise never be freed."""
        source.connect("autoplug-continue", decode_further)
        source.connect("pad-added", link_track, self.copied, self.left_out)

    def describe(self):
        """Describes the copied tracks, for the user."""
        return f", with {' and '.join(count(self.copied))}" if self.copied else ""


def count(names):
    """Each of @names once, with its number if there are several."""
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
    """For autoplug-continue: decodes video, parses sound, and leaves subtitles as they are."""
    kind = kind_of(caps)
    if kind != "sound":
        return not kind
    structure = caps[0]
    whole = any(structure.has_field(name) and structure.get_value(name)
                for name in ("framed", "parsed"))
    return not whole and bool(parsers(caps))


def name_of(caps):
    """The name of a track for users, such as: sound (MPEG-4 AAC)."""
    if caps[0].get_name().startswith("text/"):
        return kind_of(caps)
    codec = common.GstPbutils.pb_utils_get_codec_description(caps)
    return f"{kind_of(caps)} ({codec})" if codec and codec != caps[0].get_name() else kind_of(caps)


def find_template(mux, caps):
    """The template of a pad of @mux that accepts @caps, other than for video; or None."""
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
    """A pad template of the muxer for @caps, and an element that converts them if the muxer
    needs another form, or None."""
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
    """An element that removes the markup from subtitles. Subtitles in Matroska may have tags."""
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
    """Turns texts that overlap into texts that follow each other: while several overlap, one
    text shows them all. The first text starts with the video, and is empty if necessary: qtmux
    would write the time before it as an edit list, from which other programs compute a wrong
    end of the last text."""

    def __init__(self):
        self.at = None          # everything before this time has been passed on
        self.begun = False      # whether anything has been passed on
        self.shown = []         # [end, text] of the texts shown at that time

    def begin(self, start):
        if not self.begun:
            self.at = start

    def pass_until(self, time, split):
        """Returns (start, end, text) of the texts that end by @time, and, if @split, of the part
        before @time of texts that end later."""
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
        # A text without an end is shown until this one starts.
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
    """A buffer with @text from @start to @end."""
    Gst = common.Gst
    frame = Gst.Buffer.new_wrapped(text.encode()) if text else Gst.Buffer.new()
    frame.pts, frame.duration = start, end - start
    return frame


def pass_plain(pad, info, tags, cues):
    """Passes on plain text in new buffers, because the incoming one may not be writable."""
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
    """Handles events: the start, time that passes without a text, and the end."""
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
    # While a text is not passed on completely, the gap must not overtake it.
    waits = event.type == Gst.EventType.GAP and (cues.shown or not cues.begun)
    return Gst.PadProbeReturn.DROP if waits else Gst.PadProbeReturn.OK


def link_track(source, pad, copied, left_out):
    caps = pad.get_current_caps() or pad.query_caps(None)
    if caps[0].get_name().startswith("video/"):
        if not pad.is_linked():
            left_out.append("another video track")
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
