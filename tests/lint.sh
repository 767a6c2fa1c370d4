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
    cpu_*) [ -f "kernels/cpu/${id#cpu_}.c" ] || fail "$id: no kernels/cpu/${id#cpu_}.c" ;;
    cuda_*) [ -f "kernels/cuda/${id#cuda_}.cu" ] && [ -f "kernels/cuda/${id#cuda_}.c" ] ||
      fail "$id: kernels/cuda/${id#cuda_}.cu and .c are not both there" ;;
    *) fail "$id: an id begins with cpu_ or cuda_" ;;
  esac
done
for f in kernels/cuda/*.cu; do
  id=cuda_$(basename "$f" .cu)
  echo "$ids" | grep -qx "$id" || fail "$f: $id is not in kernels/variants.def"
done

# Ids stand nowhere else: what is true of one variant belongs to its descriptor.
for id in $ids; do
  for f in $(grep -rlw "$id" harness tuning plots Makefile 2>/dev/null); do fail "$f names the variant $id"; done
done

# Dependencies run one way.
layer() { # folder, then the prefixes it may include
  folder=$1; shift
  [ -d "$folder" ] || return
  allowed=$(printf '%s|' "$@")
  grep -rnE '^#include "' "$folder" | grep -vE "#include \"(${allowed}version\.h)" |
    while read -r line; do echo "lint: $line: $folder may not include that"; done
}
below=$(
  layer kernels kernels/
  layer harness/base harness/base/ kernels/
  layer harness/input harness/input/ harness/base/ kernels/
  layer harness/device harness/device/ harness/base/ kernels/
  layer harness/judge harness/judge/ harness/input/ harness/base/ kernels/
  layer harness/compute harness/compute/ harness/judge/ harness/device/ harness/input/ harness/base/ kernels/
  layer harness/verify harness/verify/ harness/compute/ harness/judge/ harness/device/ harness/input/ harness/base/ kernels/
  layer harness/sweep harness/sweep/ harness/compute/ harness/judge/ harness/device/ harness/input/ harness/base/ kernels/
  layer harness/compare harness/compare/ harness/judge/ harness/input/ harness/base/ kernels/
  layer harness/figures harness/figures/ harness/base/ kernels/
  layer harness/commands harness/ kernels/
  layer tuning tuning/ harness/ kernels/
)
[ -z "$below" ] || { echo "$below"; bad=1; }

# Nothing below main ends the program or prints on its own; -ffast-math never reaches what judges.
grep -nE '\b(exit|abort|_exit)\(' $(echo "$@" | tr ' ' '\n' | grep -E '^(kernels|harness|tuning)/' | grep -v 'harness/main.c') && fail "only main ends the program"
grep -nE '\b(printf|puts|putchar)\(' kernels/*.c kernels/*/*.c && fail "kernels/ prints nothing"
grep -n 'ffast-math' Makefile && fail "-ffast-math makes isnan a constant"

# Headers compile alone.
for h in kernels/*.h kernels/cuda/*.h kernels/cpu/cpu.h harness/*/*.h tuning/*/*.h; do
  case $h in */emulator.h) continue ;; esac # C++, compiled with every kernel on the emulated device
  ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I. -I"$BUILD" -fsyntax-only -x c "$h" || fail "$h does not compile alone"
done

# Functions fit a screen.
awk 'FNR == 1 { start = 0 }
     /^[a-zA-Z].*[)] \{$/ || /^    .*[)] \{$/ && prev ~ /^[a-z].*,$/ { start = FNR; name = $0 }
     /^\}/ { if (start && FNR - start > 60) printf "lint: %s:%d: a function of %d lines\n", FILENAME, start, FNR - start; start = 0 }
     { prev = $0 }' "$@" | grep . && bad=1

if command -v clang-format >/dev/null; then
  clang-format --dry-run -Werror "$@" 2>&1 | grep -m 10 'error' && fail "run make format"
else echo "lint: clang-format is not installed: formatting not checked"; fi

if command -v clang-tidy >/dev/null; then
  cuda=$(sed -n 's/^CUDA_INCLUDE := \(..*\)/-isystem \1 -DDCS_WITH_CUDA=1/p' "$BUILD/config.mk")
  echo "$@" | tr ' ' '\n' | grep -E '^(kernels|harness|tuning)/.*\.c$' | FLAGS="-std=gnu11 -D_GNU_SOURCE -I. -I$BUILD $cuda" \
    xargs -P "$(nproc)" -n 4 sh -c 'clang-tidy --quiet "$@" -- $FLAGS' sh 2>/dev/null | grep -E '(warning|error):' && fail "clang-tidy found something"
else echo "lint: clang-tidy is not installed: not run"; fi

[ $bad = 0 ] && echo "lint: clean"
exit $bad
