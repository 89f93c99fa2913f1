#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The output of lines.c, in a program that has it besides its own outputs: a file and a name in the
list of outputs are all that an output takes."""

import json

import common


class Lines(common.Case):
    def numbers(self):
        path = self.folder / 'events'
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line)['number'] for line in lines]

    def test_delivery(self):
        """It gets each event once, in order, before and after a restart, and its state is where
        the states of other outputs are."""
        monitor = self.busy(2, '[lines log]\nfile=events\n')
        common.wait_for(lambda: len(self.numbers()) > 4, 'events')
        monitor.kill()
        monitor.start()
        common.wait_for(lambda: len(self.numbers()) > 8, 'more events')
        self.assertEqual(self.numbers(), list(range(1, len(self.numbers()) + 1)))
        state = monitor.output_named('lines log')
        self.assertEqual((state['up'], state['reason'], state['dead']), (True, '', 0))
        self.assertGreater(state['delivered'], 0)
        self.assertEqual(monitor.metrics()['videohistogram_output_up{output="lines log"}'], 1)
        monitor.config.write_text(common.BUSY)
        monitor.reload()
        self.assertEqual(monitor.json('outputs'), [])

    def test_dead_letters(self):
        """Events that it gives up on are dead letters, which can be delivered again."""
        monitor = self.lost('[lines log]\nfile=missing/events\n')
        common.wait_for(lambda: monitor.output_named('lines log')['dead'] == 1, 'a dead letter')
        letter, = monitor.json('dead-letters')
        self.assertEqual((letter['output'], letter['reason']), ('lines log', 'cannot write'))
        (self.folder / 'missing').mkdir()
        answer = monitor.ask('/api/v1/dead-letters/requeue', 'POST')
        self.assertEqual(answer.status, 200, answer.text)
        common.wait_for(lambda: monitor.output_named('lines log')['delivered'] == 1, 'delivery')

    def test_configuration(self):
        """Its group and keys are checked like all others."""
        path = self.write('monitor.conf',
                          '[camera a]\nuri=test\n[line x]\n[lines log]\nfil=b\n')
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 2)
        for line in (f'{path}:3: [line x] is not a group: did you mean [lines x]?',
                     f'{path}:4: lines log has no file',
                     f'{path}:5: warning: [lines log] fil: unknown key, ignored: did you mean '
                     'file?'):
            self.assertIn(line, output)
        path.write_text('[camera a]\nuri=test\n[lines log]\nfile=b\n')
        status, output = common.check('--check', '--config', str(path))
        self.assertEqual(status, 0, output)
        self.assertIn(', lines log', output)


common.main()
