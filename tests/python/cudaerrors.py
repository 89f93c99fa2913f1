#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every error in the toolkit's headers has a row in src/cuda/errors.c. Errors whose comments say
that the process must be terminated count as a lost GPU."""

import os
import pathlib
import re
import unittest

import common

INCLUDE = pathlib.Path(os.environ['TEST_CUDA_INCLUDE'])
ROW = re.compile(r'ROW \((\d+), (\w+), (\w+),\s*"([^"]+)"\)')
CODE = re.compile(r'/\*\*((?:(?!\*/).)*)\*/\s*{prefix}(\w+)\s*=\s*(\d+)', re.DOTALL)
ENDS = re.compile(r'the process must be terminated|process of shutting down')
CONTEXT = re.compile(r'context\s(cannot be used anymore|.*has been destroyed)')


def rows():
    """{code: (name, class)}"""
    found = ROW.findall((common.SOURCE / 'src/cuda/errors.c').read_text())
    table = {int(code): (name, kind) for code, name, kind, _ in found}
    assert len(table) == len(found), 'a code has two rows'
    return table


def codes(header, enum, prefix):
    """{code: (name, comment)} of an enum."""
    text = (INCLUDE / header).read_text(errors='replace')
    text = re.search(enum + r'\s*{(.*?)\n\s*}', text, re.DOTALL)[1]
    return {int(code): (name, ' '.join(comment.replace('*', ' ').split()))
            for comment, name, code in
            re.findall(CODE.pattern.replace('{prefix}', prefix), text, re.DOTALL)}


class CudaErrors(unittest.TestCase):
    def setUp(self):
        self.rows = rows()
        self.driver = codes('cuda.h', 'enum cudaError_enum', 'CUDA_')
        self.assertEqual(self.driver.pop(0)[0], 'SUCCESS')
        self.assertGreater(len(self.driver), 90)

    def test_every_code_has_a_row(self):
        for code, (name, _) in self.driver.items():
            with self.subTest(code=code, name=name):
                self.assertEqual('ERROR_' + self.rows.get(code, ('',))[0], name)

    def test_what_ends_the_process(self):
        runtime = codes('driver_types.h', 'enum (?:__device_builtin__ )?cudaError', 'cuda')
        ends = 0
        for code, (name, comment) in [*self.driver.items(), *runtime.items()]:
            if ENDS.search(comment) and code in self.rows:
                ends += 1
                with self.subTest(code=code, name=name):
                    self.assertEqual(self.rows[code][1], 'LOST')
        self.assertGreater(ends, 20)

    def test_what_ends_a_context(self):
        for code, (name, comment) in self.driver.items():
            if CONTEXT.search(comment):
                with self.subTest(code=code, name=name):
                    self.assertIn(self.rows[code][1], ('CONTEXT', 'LOST'))

    def test_classes(self):
        self.assertEqual({kind for _, kind in self.rows.values()},
                         {'BUSY', 'PERMANENT', 'CONTEXT', 'LOST'})


common.main()
