#!/bin/sh
# Runs one cmocka program for run.sh: ends with 0 when it passed and skipped nothing but what may be.
program=$1
name=$(basename "$program")
log=$logs/$name

fail() {
  bad="$bad$name: $1
"
}

bad=
timeout -k 10 "$DCS_TEST_SECONDS" "$program" >"$log" 2>&1
status=$?
case $status in
  0) ;;
  124) fail "ended after $DCS_TEST_SECONDS s: it hangs" ;;
  137) fail "status 137: killed, by others or for not ending after $DCS_TEST_SECONDS s" ;;
  *) fail "status $status" ;;
esac
grep -q '^\[==========\] [1-9][0-9]* test(s) run' "$log" || fail "did not say that its tests ran"
for test in $(sed -n 's/^\[  SKIPPED \] \([A-Za-z0-9_]*\)$/\1/p' "$log" | sort -u); do
  grep -qE "^$name ($test|\*) " "$here/skips.txt" || fail "skipped $test, which tests/skips.txt does not have"
  echo "  $name: $test" >>"$logs/skipped"
done

times >"$log.times" # not by a pipe, whose parts have times of their own
awk -v name="$name" 'NR == 2 { gsub(/[ms]/, " "); print int($1 * 60 + $2 + $3 * 60 + $4), name }' "$log.times" >"$log.cpu"

{ echo "== $program"; cat "$log"; printf '%s' "$bad"; } >"$log.whole"
flock "$logs" cat "$log.whole" # one after another: two at once into one file would lose text
[ -z "$bad" ] || { echo "$program" >>"$logs/failed"; exit 1; }
