#!/bin/sh
# Runs every command of README.md and of the tour that measures, as they stand there, and prints how
# long each takes, and of it CPU time, which tells where the machine had other things to do. What a reader copies ends within LIMIT (60) seconds on 2 CPUs, or names a budget;
# else, or where a command ends with a status other than 0 or 4 (not on this machine), this ends with 1.
# Left out are commands on programs and kernels that the reader is to write, and larger budgets.
set -u
limit=${LIMIT:-60}
tree=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/results" "$work/other"
ln -s "$tree/kernels" "$tree/labs" "$tree/build" "$work"
ln -s "$tree"/results/*.csv "$tree/results/examples" "$tree/results/reference" "$work/results"
ln -s "$tree/build/dcsbench" "$work/other/dcsbench"
cp -r "$tree/kernels/coulomb/cuda" "$work/mine"
export XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"

commands() {
  sed -e :a -e '/\\$/N; s/\\\n *//; ta' README.md kernels/README.md kernels/*/README.md |
    sed -n 's/^    \(build\/dcsbench \)/\1/p' | sed -e 's/  *# .*//' -e 's/\.\.\/mine/mine/g' |
    grep -E '^build/dcsbench (sweep|tune|limits|compare --run|crossover .*--refine)' |
    grep -vE 'cuda_mine|cuda_NAME|\./mine'
}

# CPU seconds of what has ended so far.
cpu_seconds() {
  times >"$work/times"
  sed -n '2s/[ms]/ /gp' "$work/times" | awk '{ printf "%d", 60 * $1 + $2 + 60 * $3 + $4 }'
}

failed=0
list=$(commands)
cd "$work" || exit 1
echo "$list" | {
  while IFS= read -r command; do
    most=$limit
    budget=$(echo "$command" | sed -n 's/.*--budget \([0-9]*\).*/\1/p')
    [ "${budget:-0}" -gt "$limit" ] && continue
    begun=$(date +%s)
    cpu_seconds >"$work/before"
    timeout $((2 * most)) sh -c "$command" >"$work/out" 2>&1 </dev/null
    status=$?
    took=$(($(date +%s) - begun))
    word=ok
    [ $took -gt $most ] && word="TOO LONG: expected $most s at most"
    [ $status -ne 0 ] && [ $status -ne 4 ] && word="FAILED with status $status: $(tail -n 1 "$work/out")"
    [ "$word" = ok ] || failed=1
    cpu_seconds >"$work/after"
    cpu=$(($(cat "$work/after") - $(cat "$work/before")))
    printf '%4d s (CPU %d s)  %s  %s\n' $took $cpu "$word" "$command"
  done
  exit $failed
}
