#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machines with too little for all cameras: those for which there is enough are watched, and the
reasons of the others say what to raise."""

import os
import re
import resource
import unittest

import common

CAMERAS = 40
# Attempts that fail do so again, and again.
MIN_RECONNECTS = 2


class Shortage(common.Case):
    def watch(self, why, **options):
        path = self.clip(60)
        monitor = self.monitor(*(f'c{i}={path}' for i in range(CAMERAS)), **options)

        def cameras():
            found = monitor.json('cameras')
            return found if any(c['state'] == 'up' for c in found) and any(
                re.search(why, c['reason']) for c in found) else None
        common.wait_for(cameras, 'a camera that is up, and one that is not')
        common.wait_for(lambda: any(monitor.camera(c['name'])['reconnects'] >= MIN_RECONNECTS
                                    for c in monitor.json('cameras')), 'other attempts')
        self.assertTrue(cameras())
        self.assertNotIn('its thread is stuck', monitor.output())
        self.assertEqual(monitor.stop(), 0, monitor.output()[-2000:])

    def test_threads(self):
        self.watch('cannot create another thread: .* TasksMax= in the systemd unit', environment={
            'LD_PRELOAD': os.environ['TEST_FEW_THREADS'], 'TEST_MAX_THREADS': '90'})

    def test_memory(self):
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        if most != resource.RLIM_INFINITY:
            raise unittest.SkipTest('the address space is limited')
        self.watch('no memory for another camera: .* ulimit -Hv',
                   prefix=('prlimit', f'--as={400 * 1024 * 1024}'))


if __name__ == '__main__':
    common.main()
