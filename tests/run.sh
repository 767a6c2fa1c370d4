#!/bin/sh
# Runs cmocka programs, one on each CPU, each to its end, and shows what a program wrote when it has
# ended; says at the end how many failed. None may depend on how long something takes.
export DCSBENCH_CACHE="${DCSBENCH_CACHE:-$BUILD/test-cache}"
logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
export logs

# Those that compile every kernel take longest: they begin.
long='test_\(ladder\|compile\)$'
{ printf '%s\n' "$@" | grep "$long"; printf '%s\n' "$@" | grep -v "$long"; } |
  xargs -P "$(nproc)" -n 1 sh -c '
    log=$logs/$(basename "$1")
    "$1" >"$log" 2>&1 || echo "$1" >>"$logs/failed"
    { echo "== $1"; cat "$log"; } >"$log.whole"
    cat "$log.whole"' sh

if [ -s "$logs/failed" ]; then echo "FAILED: $(sort "$logs/failed" | tr '\n' ' ')"; exit 1; fi
echo "all $# test programs passed"
