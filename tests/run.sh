#!/bin/sh
# Runs cmocka programs beside each other, each to its end, and shows what a program wrote when it has
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

# Those that take longest begin, so that no CPU waits for the last; two programs more than CPUs, for some
# wait for what they started. The status is what xargs makes of those of the programs, so that no file
# needs to be written for a failure to count.
long="ladder compile trace kills races lab_mistakes tune_figure tune_study labs sweep resume pages terminal threshold"
{ for name in $long; do printf '%s\n' "$@" | grep "/test_$name\$"; done
  printf '%s\n' "$@" | grep -vE "/test_($(echo $long | tr ' ' '|'))\$"; } |
  xargs -P "$(($(nproc) + 2))" -n 1 sh "$here/run_one.sh"
status=$?

echo "CPU seconds of the longest: $(sort -rn "$logs"/*.cpu | head -n 12 | tr '\n' ',')"
skipped=$(sort "$logs/skipped" 2>/dev/null)
if [ -n "$skipped" ]; then printf 'skipped, %d tests:\n%s\n' "$(echo "$skipped" | wc -l)" "$skipped"; fi
if [ $status -ne 0 ]; then
  echo "FAILED: $(sort "$logs/failed" 2>/dev/null | tr '\n' ' ')"
  exit 1
fi
echo "all $# test programs passed"
