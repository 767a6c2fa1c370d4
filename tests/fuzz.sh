#!/bin/sh
# Runs fuzz targets, one on each CPU, SECONDS each: the programs BUILD/fuzz_NAME on the inputs of
# tests/corpus/NAME, FUZZ_JOBS of them (1) beside each other on one corpus. What they find new goes on
# in BUILD/corpus; an input that breaks a target stays in BUILD/broken. The programs, tests/corpus and
# this script are all that another machine needs. Usage: fuzz.sh BUILD SECONDS NAME...
build=$1 seconds=$2
shift 2
mkdir -p "$build/broken"
export build seconds
# Where memory came from is not worth its time here: an input that breaks a target can be run again.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:malloc_context_size=0:quarantine_size_mb=1
jobs=$(seq "${FUZZ_JOBS:-1}")
for name in "$@"; do for job in $jobs; do echo "$name $job"; done; done | xargs -P "$(nproc)" -L 1 sh -c '
  case $1 in
  run) longest=16384 ;;
  records) longest=8192 ;;
  checkpoint | fields | spec) longest=2048 ;;
  codecache | decimal | expression | lists | methods) longest=512 ;;
  *) longest=1024 ;;
  esac
  mkdir -p "$build/corpus/$1"
  log=$build/fuzz_$1.$2.log
  "$build/fuzz_$1" -max_total_time="$seconds" -timeout="${FUZZ_TIMEOUT:-10}" -rss_limit_mb=2048 -max_len=$longest -print_final_stats=1 \
    -artifact_prefix="$build/broken/$1-" "$build/corpus/$1" "tests/corpus/$1" >"$log" 2>&1
  status=$?
  if [ $status != 0 ]; then echo "fuzz: $1: BROKEN, see $log"; grep -m 3 -E "ERROR|SUMMARY|not so" "$log"; fi
  exit $status' sh
status=$?
for name in "$@"; do
  cat "$build/fuzz_$name".*.log | awk -v name="$name" '/^stat::number_of_executed_units:/ { n += $2 }
    END { printf "fuzz: %s: %d executions\n", name, n }'
done
[ $status = 0 ]
