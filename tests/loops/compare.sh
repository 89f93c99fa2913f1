#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The loops for another machine: they do what that machine's baseline does, and that does what
# the baseline of this machine does, which other tests compare with the reference.
# compare.sh PROGRAM EMULATOR PROGRAM-OF-THE-OTHER-MACHINE
#
# TEST_SEED: the seed, by default the time; TEST_LOOP_CASES: how many cases (1000). With these
# in its message, TEST_SEED=<case> TEST_LOOP_CASES=1 brings a failure back.
set -u

program=$1 emulator=$2 other=$3
seed=${TEST_SEED:-$(date +%s)}
cases=${TEST_LOOP_CASES:-1000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

echo "TEST_SEED=$seed"
"$program" "$seed" "$cases" >"$dir/here" || exit 1
"$emulator" "$other" "$seed" "$cases" >"$dir/there" || exit 1
diff "$dir/here" "$dir/there" || {
  echo "these loops do something else there"
  exit 1
}
