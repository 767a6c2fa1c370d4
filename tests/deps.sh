#!/bin/sh
# Installs the packages that are missing, with apt. With the argument "check", those of the tests too; with
# "check-full", those that execute the notebook.
set -eu
packages="gcc g++ make libc6-dev libcsv-dev libjansson-dev zlib1g-dev libfftw3-double3 gnuplot-nox"
case "$*" in *check*) packages="$packages libcmocka-dev clang-format gcc-aarch64-linux-gnu libc6-dev-arm64-cross libopenmpi-dev openmpi-bin ocl-icd-libopencl1 pocl-opencl-icd" ;; esac
case "$*" in *check-full*) packages="$packages python3-nbclient python3-ipykernel" ;; esac

if ! command -v apt-get >/dev/null; then
  echo "make deps installs with apt, which is not here. Install what these Debian packages hold: $packages"
  exit 0
fi
missing=
for p in $packages; do
  case $p in # another package may bring the same program
    libopenmpi-dev) command -v mpicc >/dev/null && continue ;;
    openmpi-bin) command -v mpirun >/dev/null && continue ;;
    gnuplot-nox) command -v gnuplot >/dev/null && continue ;;
    gcc | g++ | make | clang-format) command -v $p >/dev/null && continue ;;
  esac
  dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
if [ -z "$missing" ]; then echo "deps: everything is installed"; exit 0; fi

sudo=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "deps: needs root or sudo to install:$missing"; exit 1; }
  sudo=sudo
fi
echo "deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
