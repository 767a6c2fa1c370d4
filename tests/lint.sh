#!/bin/sh
# The rules of the design that can be checked on the sources. Arguments: the C sources. Prints every
# violation; ends with 1 when there is any.
set -u
bad=0
fail() { printf 'lint: %s\n' "$*"; bad=1; }

# One list: each id of variants.def has its files, each kernel file is on the list.
ids=$(sed -n 's/^DCS_VARIANT(\(.*\))$/\1/p' kernels/variants.def)
for id in $ids; do
  case $id in
    cpu_*) ls kernels/*/cpu/"${id#cpu_}".c >/dev/null 2>&1 || fail "$id: no kernels/KIND/cpu/${id#cpu_}.c" ;;
    cuda_*) ls kernels/*/cuda/"${id#cuda_}".cu kernels/*/cuda/"${id#cuda_}".c >/dev/null 2>&1 ||
      fail "$id: kernels/KIND/cuda/${id#cuda_}.cu and .c are not both there" ;;
    *) fail "$id: an id begins with cpu_ or cuda_" ;;
  esac
done
for f in kernels/*/cuda/*.cu; do
  id=cuda_$(basename "$f" .cu)
  echo "$ids" | grep -qx "$id" || fail "$f: $id is not in kernels/variants.def"
done

# Ids stand nowhere else: what is true of one variant belongs to its descriptor.
for id in $ids; do
  for f in $(grep -rlw "$id" harness tuning library cli plots Makefile 2>/dev/null); do fail "$f names the variant $id"; done
done

# So with devices: each line of devices.def has its folder, each folder its line. Nothing outside a
# kind's folder includes it or has its name in a text; "cuda" alone is also a backend.
kinds=$(sed -n 's/^DCS_DEVICE(\(.*\))$/\1/p' harness/device/devices.def)
for kind in $kinds; do
  [ -d "harness/device/$kind" ] || fail "$kind: no harness/device/$kind"
  names="\"[^\"]*\b$kind:"
  ls -d kernels/*/"$kind" >/dev/null 2>&1 || names="\"[^\"]*\b$kind\b"
  for f in $(grep -rlE --include=*.[ch] "$names" harness tuning library cli | grep -v '^harness/device/[a-z]*/'); do
    sed 's@/\*.*@@; /^ *\*/d; /^#include/d' "$f" | grep -E "$names" && fail "$f names the device $kind"
  done
done
for folder in harness/device/*/; do
  echo "$kinds" | grep -qx "$(basename "$folder")" || fail "$folder is not in harness/device/devices.def"
done
grep -rnE '^#include "harness/device/[a-z_]*/' harness tuning library cli | grep -v '^harness/device/[a-z]*/' &&
  fail "only the table knows the kinds of devices"
grep -rn '^#include "harness/device/devices.h"' harness/device/*/ && fail "a kind of devices knows no table"

# And with what is a kind's own: nothing but its file and its figures computes with a cutoff.
for f in $(grep -rli cutoff harness tuning | grep -vE '^harness/(problems/(coulomb|density|forces|forces_pairs|forces_reference)\.c|figures/(coulomb/|figures\.def))'); do
  sed 's@/\*.*@@; /^ *\*/d' "$f" | grep -i cutoff && fail "$f knows of cutoffs, a parameter of kinds"
done

# A mutant changes a line that its file has once: what moves takes its mutants along.
awk '/^- / && file { print file; print substr($0, 3) } { file = /^[a-z].*: / ? substr($1, 1, index($1, ":") - 1) : "" }' tests/mutants.txt |
  while read -r file && IFS= read -r line; do
    n=$(sed 's/^[ \t]*//' "$file" 2>/dev/null | grep -cxF -e "$line")
    [ "$n" = 1 ] || printf '%s has %s times, not once: %s\n' "$file" "${n:-0}" "$line"
  done | grep . && fail "tests/mutants.txt: the lines above"

# Dependencies run one way: a folder includes itself and the floors below it, which this list has from
# the ground up.
floors="kernels harness/base harness/files harness/device harness/input harness/frames harness/problems harness/spec harness/output harness/judge \
harness/limits harness/engine harness/trace harness/worker harness/labs harness/verify harness/runs harness/rounds harness/sweep harness/explain harness/timings harness/commands harness/compare \
harness/figures tuning/search tuning/journal tuning/database tuning/study tuning/tuner tuning/crossover \
tuning/claims tuning/dispatch tuning/report tuning/scale library cli mpi"
allowed=version\\.h
for floor in $floors; do
  allowed="$allowed|$floor/"
  grep -rnE '^#include "' "$floor" --include=*.c --include=*.h | grep -vE "#include \"($allowed)" |
    grep . && fail "$floor includes what is above it"
done
for folder in kernels $(ls -d harness/*/ tuning/*/) library cli mpi; do
  case " $floors " in *" ${folder%/} "*) ;; *) fail "$folder is on no floor" ;; esac
done

# Nothing below main ends the program or prints on its own; -ffast-math never reaches what judges.
grep -nE '\b(exit|abort|_exit)\(' $(echo "$@" | tr ' ' '\n' | grep -E '^(kernels|harness|tuning|library|cli|mpi)/' | grep -v 'cli/main.c') && fail "only main ends the program"
grep -nE '\b(printf|puts|putchar)\(' kernels/*.c kernels/*/*.c kernels/*/*/*.c && fail "kernels/ prints nothing"
grep -nE -e '-(Ofast|ffast-math|ffinite-math-only)' "$BUILD/flags" && fail "-ffast-math makes isnan a constant"

# Headers compile alone.
for h in kernels/*.h kernels/*/*.h kernels/*/*/*.h harness/*/*.h harness/*/*/*.h tuning/*/*.h library/*.h library/*/*.h cli/*.h cli/*/*.h mpi/*.h; do
  [ -f "$h" ] || continue
  case $h in */emulator*.h | */cpu/*_brick.h | */cpu/*_points.h | */cpu/*tile.h | */rsqrt_*.h | */probe_loops.h) continue ;; esac # C++, or made for one place
  compiler=${CC:-cc}
  case $h in mpi/*) # where there is no MPI, nothing can know
    grep -q 'HAVE_MPI := 1' "$BUILD/config.mk" || continue
    compiler="env OMPI_CC=$compiler MPICH_CC=$compiler ${MPICC:-mpicc}" ;;
  esac
  $compiler -std=gnu11 -D_GNU_SOURCE -I. -I"$BUILD" -fsyntax-only -x c "$h" || fail "$h does not compile alone"
done

# No name is that of two functions: of two in the archive a linker takes either, without a word.
if [ -f "$BUILD/internal.a" ]; then
  nm --defined-only "$BUILD/internal.a" | awk '$2 == "T" || $2 == "D" || $2 == "B" || $2 == "R" { print $3 }' | sort | uniq -d |
    sed 's/^/lint: defined twice: /' | grep . && bad=1
fi

# Functions fit a screen.
awk 'FNR == 1 { start = 0 }
     /^[a-zA-Z].*[)] \{$/ || /^    .*[)] \{$/ && prev ~ /^[a-z].*,$/ { start = FNR; name = $0 }
     /^\}/ { if (start && FNR - start > 60) printf "lint: %s:%d: a function of %d lines\n", FILENAME, start, FNR - start; start = 0 }
     { prev = $0 }' "$@" | grep . && bad=1

if command -v clang-format >/dev/null; then
  clang-format --dry-run -Werror "$@" 2>&1 | grep -m 10 'error' && fail "run make format"
else echo "lint: clang-format is not installed: formatting not checked"; fi

if command -v clang-tidy >/dev/null; then
  # The analyzer ends a function after two thousand states, which takes a quarter of the time of its own limit
  # (225,000). Of null pointers planted before the last line of 207 functions of 20 files it finds 154 so, 160 to
  # its limit, where it goes with DCS_TEST_FULL.
  steps="-Xclang -analyzer-config -Xclang max-nodes=2000"
  [ -z "${DCS_TEST_FULL:-}" ] || steps=
  cuda=$(sed -n 's/^CUDA_INCLUDE := \(..*\)/-isystem \1 -DDCS_WITH_CUDA=1/p' "$BUILD/config.mk")
  echo "$@" | tr ' ' '\n' | grep -E '^(kernels|harness|tuning|library|cli)/.*\.c$' | FLAGS="-std=gnu11 -D_GNU_SOURCE -I. -I$BUILD $cuda $steps" \
    xargs -P "$(nproc)" -n 12 sh -c 'clang-tidy --quiet "$@" -- $FLAGS' sh 2>/dev/null | grep -E '(warning|error):' && fail "clang-tidy found something"
else echo "lint: clang-tidy is not installed: not run"; fi

[ $bad = 0 ] && echo "lint: clean"
exit $bad
