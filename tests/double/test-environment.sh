#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a process cannot test of itself: what the environment orders, and how it ends.
# test-environment.sh PROBE, a program that calls a few functions of the driver.
set -u

probe=$1
with_double=$(dirname "$0")/with-double
failed=0

# expect STATUS WORDS COMMAND…: checks the exit status of the command, and that its output has the
# words.
expect () {
  status=$1 words=$2
  shift 2
  said=$("$@" 2>&1)
  got=$?
  if [ $got -ne "$status" ] || ! printf '%s\n' "$said" | grep -q -- "$words"; then
    printf '%s: status %s, not %s with "%s":\n%s\n' "$*" $got "$status" "$words" "$said"
    failed=1
  fi
}

expect 0 'ok' "$with_double" "$probe"
expect 86 'leaked: device memory' "$with_double" "$probe" leak
expect 0 'VIOLATION leaked' env VH_DOUBLE_STRICT=0 "$with_double" "$probe" leak
expect 86 'contexts on its stack' "$with_double" "$probe" push
expect 1 'cuInit = 803' env VH_DOUBLE_FAIL=cuInit:1:803:ever "$with_double" "$probe"
expect 1 'cuInit = 100' env VH_DOUBLE_DEVICES=0 "$with_double" "$probe"
expect 0 '2 devices' env VH_DOUBLE_DEVICES=2 "$with_double" "$probe"
expect 0 'of 9.x' "$with_double" "$probe"
expect 0 'of 8.x' env VH_DOUBLE_CAPABILITY=86 "$with_double" "$probe"
expect 1 'cuMemAlloc_v2 = 2' env VH_DOUBLE_STRICT=0 VH_DOUBLE_FAIL='cuMemAlloc_v2:1:2' "$with_double" "$probe"
expect 1 'cuMemAlloc_v2 = 2' env VH_DOUBLE_STRICT=0 VH_DOUBLE_MEMORY=0 "$with_double" "$probe"
expect 1 '= 999' env VH_DOUBLE_STRICT=0 VH_DOUBLE_FAIL='*:4:999:all' "$with_double" "$probe"
expect 1 'Synchronize = 719' env VH_DOUBLE_FAULT=1:719 "$with_double" "$probe"
expect 1 'undefined symbol: cuMemFree_v2' env VH_DOUBLE_STRICT=0 \
    "$with_double" --without cuMemFree_v2 "$probe"
expect 0 'double: .* calls, 1 launches, 0 violations' env VH_DOUBLE_SUMMARY=1 "$with_double" "$probe"
expect 0 'double: 0 cuInit = 0' env VH_DOUBLE_LOG=1 "$with_double" "$probe"
expect 124 '' env VH_DOUBLE_HANG=1 timeout -k 1 1 "$with_double" "$probe"
exit $failed
