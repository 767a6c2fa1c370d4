#!/bin/sh
# Holds the trace's counts against a card's own: for every variant and coarsening factor, the requests
# and sectors of global stores and loads of all blocks of all launches of one small problem, as
# `dcsbench trace` counts them on the emulated device and as Nsight Compute reads them from the card.
# Needs a card, ncu with leave to read its counters, and a C++ compiler.
#
# Usage: trace_ncu.sh [DCSBENCH [VARIANT...]]
#
# Stores must be equal. Of loads the card may do fewer: the trace counts them as the source has them,
# and the card's compiler merges those of one address and hoists those that a loop repeats; that is
# said. More loads than the source has are an error. Where a kernel orders its data by atomics, which
# sectors a request touches depends on who came first: there requests must be equal, and sectors
# within 5%.
set -u
dcsbench=${1:-build/dcsbench}
[ $# -gt 0 ] && shift
device=${DEVICE:-cuda:0}
ncu=${NCU:-$(command -v ncu || ls /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -n 1)}
problem="--atoms 60 --grid 520x9x2"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

die() { echo "trace_ncu: $*" >&2; exit 1; }
[ -x "$dcsbench" ] || die "no program $dcsbench"
[ -n "$ncu" ] || die "no ncu here: nothing was compared"

metrics=
for op in st ld; do
  for count in requests sectors; do metrics="$metrics,l1tex__t_${count}_pipe_lsu_mem_global_op_$op.sum"; done
done
metrics=${metrics#,}

# Lines VARIANT CONFIGURATION.
methods() {
  for v in cuda_scatter cuda_naive cuda_constant; do echo "$v -"; done
  for v in cuda_coarsened cuda_coalesced cuda_padded cuda_shared; do
    for k in 1 2 4 8 16; do echo "$v coarsen=$k"; done
  done
  for v in cuda_volume cuda_split cuda_reduce; do
    for k in 1 2 4 8 16; do echo "$v coarsen_x=1,coarsen_z=$k"; done
  done
  for v in cuda_cutoff_bins cuda_cutoff_cells; do
    for k in 1 2 4 8 16; do echo "$v coarsen_z=$k"; done
  done
  echo "cuda_density_naive -"
  for k in 2 4 8 16; do echo "cuda_density_cells coarsen_z=$k"; done
}

chosen() {
  [ $# -eq 0 ] && { methods; return; }
  for v in "$@"; do methods | grep "^$v " || echo "$v -"; done
}

# The totals of a trace: requests and sectors of stores, requests and sectors of loads.
emulated() {
  awk -F, 'NR > 1 && $4 == "global" && $3 != "atomic" { r[$3] += $5; s[$3] += $6 }
           END { printf "%d %d %d %d\n", r["store"], s["store"], r["load"], s["load"] }' "$1"
}

# Whether a trace has atomics.
ordered_by_atomics() { awk -F, 'NR > 1 && $3 == "atomic" { found = 1 } END { exit !found }' "$1"; }

# Whether two counts of sectors are within 5%.
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 0.0025 * a * a) }'; }

# The same of all kernels that ncu has seen of a process.
measured() {
  awk -F'","' -v pid="$2" '$2 == pid && /l1tex__t_/ { v = $NF; gsub(/[",]/, "", v)
      for (i = 1; i <= NF; i++) if ($i ~ /^l1tex__t_/) { sum[$i] += v; seen = 1 } }
    END { p = "_pipe_lsu_mem_global_op_"; if (seen) printf "%d %d %d %d\n", sum["l1tex__t_requests" p "st.sum"],
      sum["l1tex__t_sectors" p "st.sum"], sum["l1tex__t_requests" p "ld.sum"], sum["l1tex__t_sectors" p "ld.sum"] }' "$1"
}

chosen "$@" > "$work/methods"
n=$(grep -c . "$work/methods")

# One command a line and method: the emulated side; the card's, once to have it compiled, and once under
# ncu, where each process says which it is.
i=0
while read -r variant config; do
  i=$((i + 1))
  [ "$config" = - ] && config= || config="--config $config"
  run="$dcsbench trace $variant $config $problem"
  echo "$run --blocks all --csv > $work/$i.csv 2> $work/$i.log || touch $work/$i.failed" >> "$work/emulated"
  echo "$run --device $device > $work/$i.log.card 2>&1 || touch $work/$i.failed.card" >> "$work/compile"
  echo "sh -c 'echo \$\$ > $work/$i.pid; exec $run --device $device'" >> "$work/profile"
done < "$work/methods"
jobs=$(nproc)
xargs -P "$jobs" -I{} sh -c '{}' < "$work/emulated"
xargs -P "$((jobs < 8 ? jobs : 8))" -I{} sh -c '{}' < "$work/compile"
for f in "$work"/*.failed "$work"/*.failed.card; do
  [ -e "$f" ] && die "method $(basename "$f" | sed 's/[.].*//'): $(cat "$(echo "$f" | sed 's/failed/log/')")"
done

"$ncu" --target-processes all --csv --print-units base --clock-control none --metrics "$metrics" \
  --log-file "$work/ncu.csv" sh "$work/profile" > "$work/ncu.log" 2>&1 < /dev/null
grep -q ERR_NVGPUCTRPERM "$work/ncu.csv" "$work/ncu.log" 2>/dev/null &&
  die "this user may not read the card's counters (ERR_NVGPUCTRPERM): nothing was compared"

printf '%-20s %-26s %21s %21s   %s\n' variant configuration "stores: trace, card" "loads: trace, card" verdict
i=0 bad=0 order=0
while read -r variant config; do
  i=$((i + 1)) before=$bad
  card=$(measured "$work/ncu.csv" "$(cat "$work/$i.pid" 2>/dev/null)")
  [ -n "$card" ] || die "$variant $config: ncu measured nothing: $(tail -n 5 "$work/ncu.csv" "$work/ncu.log" 2>&1)"
  # shellcheck disable=SC2046,SC2086
  set -- $(emulated "$work/$i.csv") $card
  verdict="equal"
  if [ "$3" -gt "$7" ]; then verdict="stores equal; of loads the card's compiler merged or hoisted $(($3 - $7))"
  elif [ "$3" -lt "$7" ]; then verdict="DIFFERS: the card loads more often than the source says"; bad=$((bad + 1))
  elif [ "$4" -ne "$8" ]; then verdict="DIFFERS: sectors of loads"; bad=$((bad + 1)); fi
  if [ "$1" -ne "$5" ] || [ "$2" -ne "$6" ]; then verdict="DIFFERS: stores"; bad=$((bad + 1)); fi
  if [ "$verdict" != equal ] && [ "$1/$3" = "$5/$7" ] && ordered_by_atomics "$work/$i.csv" &&
    near "$2" "$6" && near "$4" "$8"; then
    verdict="requests equal; sectors depend on the order of atomics"
    order=$((order + 1)) bad=$before
  fi
  printf '%-20s %-26s %10s %10s %10s %10s   %s\n' "$variant" "$config" "$1/$2" "$5/$6" "$3/$4" "$7/$8" "$verdict"
done < "$work/methods"

[ "$bad" -eq 0 ] || die "$bad differences in $n methods"
echo "trace_ncu: requests of stores are equal in all $n methods, sectors in all but the $order ordered by atomics"
