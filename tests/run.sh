#!/bin/sh
# Runs cmocka programs one after another, each to its end; says at the end how many failed.
export DCSBENCH_CACHE="${DCSBENCH_CACHE:-$BUILD/test-cache}"
failed=
for t in "$@"; do
  echo "== $t"
  "$t" || failed="$failed $t"
done
if [ -n "$failed" ]; then echo "FAILED:$failed"; exit 1; fi
echo "all $# test programs passed"
