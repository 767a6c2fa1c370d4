#!/bin/sh
# Looks for what the build can use. Prints make variables to standard output; to standard error, what
# was found and what follows. CC, CUDA and OPENMP (auto, 0, 1) and CUDA_DIRS come from the Makefile.
set -u
say() { printf '%s\n' "$*" >&2; }
compiles() { printf '%b' "$1" | $CC -x c - -o /dev/null $2 2>/dev/null; }

if ! command -v "$CC" >/dev/null; then say "no C compiler \"$CC\": run make deps"; exit 1; fi

include=
if [ "$CUDA" != 0 ]; then
  for d in $CUDA_DIRS; do
    if [ -z "$include" ] && [ -f "$d/include/nvrtc.h" ] && [ -f "$d/include/cuda.h" ]; then include=$d/include; fi
  done
fi
if [ -n "$include" ]; then say "CUDA headers: yes: the CUDA backend is built in"
elif [ "$CUDA" = 0 ]; then say "CUDA headers: switched off: CUDA variants run on the emulated device alone"
elif [ "$CUDA" = 1 ]; then say "CUDA=1 was asked for, but cuda.h and nvrtc.h are not in: $CUDA_DIRS"; exit 1
else say "CUDA headers: none: CUDA variants run on the emulated device alone"; fi

openmp=0
if [ "$OPENMP" != 0 ] && compiles '#include <omp.h>\nint main(void){return omp_get_max_threads()<1;}\n' -fopenmp; then openmp=1; fi
if [ "$openmp" = 1 ]; then say "OpenMP: yes: CPU variants take threads"
elif [ "$OPENMP" = 1 ]; then say "OPENMP=1 was asked for, but $CC has no OpenMP"; exit 1
else say "OpenMP: no: CPU variants run one thread"; fi

libs=1
if ! compiles '#include <csv.h>\nint main(void){return 0;}\n' -l:libcsv.a; then
  libs=0
  say "libcsv: none: nothing can be built (make deps installs it); a program built elsewhere can run"
fi
if ! compiles '#include <jansson.h>\nint main(void){return 0;}\n' -l:libjansson.a; then
  libs=0
  say "jansson: none: nothing can be built (make deps installs it); a program built elsewhere can run"
fi
if ! compiles '#include <zlib.h>\nint main(void){return 0;}\n' -l:libz.a; then
  libs=0
  say "zlib: none: nothing can be built (make deps installs it); a program built elsewhere can run"
fi
if command -v gnuplot >/dev/null; then say "gnuplot: yes: figures are drawn"
else say "gnuplot: none: figures are left as data and scripts"; fi

fuzzer=0
if printf 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9; }\n' |
  clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null; then fuzzer=1; fi

echo "HAVE_LIBS := $libs"
echo "HAVE_FUZZER := $fuzzer"
echo "CUDA_INCLUDE := $include"
echo "HAVE_OPENMP := $openmp"
echo "CROSS_CC := $(command -v aarch64-linux-gnu-gcc)"
