#!/bin/sh
# Lines of the rooms of readers and writers that their tests execute: of each file and each room; fails where
# a room has less than LEAST percent. BUILD is built with --coverage; arguments: the test programs.
set -u
least=${LEAST:-95} rooms="harness/input harness/input/charmm harness/input/dcd harness/output harness/files"
find "$BUILD" -name '*.gcda' -delete
BUILD=$BUILD sh tests/run.sh "$@" >"$BUILD/coverage.log" 2>&1 || { cat "$BUILD/coverage.log"; exit 1; }
for room in $rooms; do
  gcov -n "$BUILD/$room"/*.gcno 2>/dev/null | awk -v room="$room" -v least="$least" '
    /^File / { file = substr($2, 2, length($2) - 2) }
    /^Lines executed:/ && index(file, room "/") == 1 && file ~ /\.c$/ {
      split($0, part, /[:% ]+/)
      lines = part[5]; hit = lines * part[3] / 100
      printf "  %5.1f%%  %4d lines  %s\n", part[3], lines, file
      all += lines; sum += hit; file = ""
    }
    END {
      if (all == 0) { print "coverage: no line of " room " was compiled for it"; exit 1 }
      printf "  %5.1f%%  %4d lines  %s\n", 100 * sum / all, all, room
      if (100 * sum / all < least) { printf "coverage: %s has less than %d%%\n", room, least; exit 1 }
    }' || bad=1
done
[ -z "${bad:-}" ]
