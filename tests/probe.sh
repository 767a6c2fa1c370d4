#!/bin/sh
# Looks for what the build can use. Prints make variables to standard output; to standard error, what
# was found and what follows. CC, CUDA, OPENMP and MPI (auto, 0, 1), MPICC and CUDA_DIRS come from the Makefile.
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

# Both implementations' compilers take the compiler below them from the environment.
export OMPI_CC="$CC" MPICH_CC="$CC"
mpi=0
if [ "$MPI" != 0 ] && printf '#include <mpi.h>\nint main(void){return MPI_Init(0,0);}\n' | $MPICC -x c - -o /dev/null 2>/dev/null; then mpi=1; fi
if [ "$mpi" = 1 ]; then say "MPI: yes: dcsbench-mpi is built, for several machines"
elif [ "$MPI" = 1 ]; then say "MPI=1 was asked for, but \"$MPICC\" does not compile with mpi.h"; exit 1
elif [ "$MPI" = 0 ]; then say "MPI: switched off: dcsbench-mpi is not built: maps are computed by one machine"
else say "MPI: none: dcsbench-mpi is not built: maps are computed by one machine"; fi

libs=1
# The archive, so that what is built here runs where the library is not installed; without it the shared
# library. Arguments: name, name for the linker, header, a call, Debian's package, flags for the archive.
look() {
  program="#include <$3>\nint main(void){return $4;}\n"
  if compiles "$program" "${6:-} -l:lib$2.a"; then found=-l:lib$2.a
  elif compiles "$program" "-l$2"; then
    found=-l$2
    say "$1: no archive lib$2.a (Debian's $5 has it): the shared library is used, and what is built needs it where it runs"
  else
    found= libs=0
    say "$1: none: nothing can be built (make deps installs it); a program built elsewhere can run"
  fi
}
# libdcs.so holds libcsv.
look libcsv csv csv.h '!csv_strerror(0)' libcsv-dev '-shared -fPIC'
csv=$found
look jansson jansson jansson.h '!json_null()' libjansson-dev
json=$found
look zlib z zlib.h '!zlibVersion()' zlib1g-dev
z=$found
if command -v gnuplot >/dev/null; then say "gnuplot: yes: figures are drawn"
else say "gnuplot: none: figures are left as data and scripts"; fi

fuzzer=0
if printf 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9; }\n' |
  clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null; then fuzzer=1; fi

echo "HAVE_LIBS := $libs"
echo "LIB_CSV := $csv"
echo "LIB_JSON := $json"
echo "LIB_Z := $z"
echo "HAVE_FUZZER := $fuzzer"
echo "CUDA_INCLUDE := $include"
echo "HAVE_OPENMP := $openmp"
echo "HAVE_MPI := $mpi"
echo "CROSS_CC := $(command -v aarch64-linux-gnu-gcc)"
