#!/bin/sh
# Runs cmocka programs, one on each CPU, each to its end, and shows what a program wrote when it has
# ended; says at the end how many failed and what was skipped. A program fails by its own status, when
# it lasts longer than DCS_TEST_SECONDS (no test may depend on how long something takes: this ends one
# that hangs), when it does not say that its tests ran, and when it skips a test that tests/skips.txt
# does not have: a missing device must not turn the tests into nothing.
export DCSBENCH_CACHE="${DCSBENCH_CACHE:-$BUILD/test-cache}"
export DCS_TEST_SECONDS="${DCS_TEST_SECONDS:-900}"
# Teams of threads sleep where they wait: programs that run beside each other would take each other's time.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
here=$(dirname "$0")
logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
export here logs

# Those that compile every kernel take longest: they begin. The status is what xargs makes of those of
# the programs, so that no file needs to be written for a failure to count.
long='test_\(ladder\|compile\)$'
{ printf '%s\n' "$@" | grep "$long"; printf '%s\n' "$@" | grep -v "$long"; } |
  xargs -P "$(nproc)" -n 1 sh "$here/run_one.sh"
status=$?

skipped=$(sort "$logs/skipped" 2>/dev/null)
if [ -n "$skipped" ]; then printf 'skipped, %d tests:\n%s\n' "$(echo "$skipped" | wc -l)" "$skipped"; fi
if [ $status -ne 0 ]; then
  echo "FAILED: $(sort "$logs/failed" 2>/dev/null | tr '\n' ' ')"
  exit 1
fi
echo "all $# test programs passed"
