# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the Python tests. meson sets the environment: see meson.build."""

import os
import pathlib
import sys
import unittest

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import Gst  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CHANNELS = ('luma', 'red', 'green', 'blue', 'gradient')


def build_root():
    """The build under test."""
    return pathlib.Path(os.environ['TEST_BUILD'])


def skip(reason):
    """Ends the program as meson expects from a skipped test."""
    print('skipped:', reason)
    sys.exit(77)


def run(launch, wait=60, name='videohistogram'):
    """Runs a pipeline to its end; returns the structures of its messages with this name."""
    pipeline = Gst.parse_launch(launch)
    bus = pipeline.get_bus()
    results = []
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while True:
            message = bus.timed_pop_filtered(
                wait * Gst.SECOND,
                Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR)
            if message is None:
                raise TimeoutError(launch)
            if message.type == Gst.MessageType.ERROR:
                error, debug = message.parse_error()
                raise RuntimeError(f'{launch}: {error.message} ({debug})')
            if message.type == Gst.MessageType.EOS:
                return results
            if message.get_structure().get_name() == name:
                results.append(message.get_structure())
    finally:
        pipeline.set_state(Gst.State.NULL)


def main():
    """Runs the tests of the calling program."""
    Gst.init(None)
    unittest.main(verbosity=2)
