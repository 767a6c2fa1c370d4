#!/bin/sh
# Records ROUNDS (2000) interleaved rounds of 10 methods on the CPU, and of 10 on the GPU where there is
# one, as build/tests/test_windows reads them: OUT/windows_cpu.csv and OUT/windows_gpu.csv, a column a
# method and a row a round, ns; the runs' env.csv beside them. Half a minute on a CPU, as long on an H200 (35 s).
# DEVICES="cpu gpu" says which. What SECONDS_EACH (300) interrupt is kept. Usage: windows.sh PROGRAM OUT
set -u
program=$(realpath "$1") out=$2 rounds=${ROUNDS:-2000} seconds=${SECONDS_EACH:-300}
mkdir -p "$out"

# As a table, from the samples of the run $1.
table() {
  awk -f tests/windows.awk "$1/samples.csv" >"$out/windows_$2.csv"
  cp "$1/env.csv" "$out/windows_$2.env.csv"
}

# The rounds of a sweep as windows_$1.csv; where it cannot measure, what it says is printed.
record() {
  name=$1
  shift
  run=$(mktemp -d)
  (cd "$run" && timeout -s INT -k 5 "$seconds" "$program" sweep --rounds "$rounds" --out run "$@") >"$run/log" 2>&1 ||
    tail -n 1 "$run/log"
  [ "$(wc -l <"$run/run/samples.csv")" -gt 1 ] && table "$run/run" "$name"
  rm -rf "$run"
}

for device in ${DEVICES:-cpu gpu}; do
  case $device in
    cpu) record cpu --variants cpu_gather,cpu_scatter,cpu_scatter_hoisted,cpu_simd,cpu_avx2 \
      --config 'threads=1|max' --atoms 30 --grid 16x16x40 ;;
    gpu) record gpu --variants \
      cuda_naive,cuda_constant,cuda_coarsened,cuda_coalesced,cuda_padded,cuda_volume,cuda_split,cuda_neighbours,cuda_reduce,cuda_parts \
      --atoms 1000 --grid 64x64x16 ;;
  esac
done
