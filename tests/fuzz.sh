#!/bin/sh
# Runs fuzz targets, one on each CPU, SECONDS each: the programs BUILD/fuzz_NAME on the inputs of
# tests/corpus/NAME. What they find new goes on in BUILD/corpus; an input that breaks a target stays in
# BUILD/broken. Usage: fuzz.sh BUILD SECONDS NAME...
build=$1 seconds=$2
shift 2
mkdir -p "$build/broken"
export build seconds
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 sh -c '
  mkdir -p "$build/corpus/$1"
  log=$build/fuzz_$1.log
  "$build/fuzz_$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=32768 -print_final_stats=1 \
    -artifact_prefix="$build/broken/$1-" "$build/corpus/$1" "tests/corpus/$1" >"$log" 2>&1
  status=$?
  runs=$(sed -n "s/^stat::number_of_executed_units: *//p" "$log")
  if [ $status = 0 ]; then echo "fuzz: $1: ${runs:-0} executions"
  else echo "fuzz: $1: BROKEN, see $log"; grep -m 3 -E "ERROR|SUMMARY|not so" "$log"; fi
  exit $status' sh || exit 1
