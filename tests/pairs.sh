#!/bin/sh
# How often `compare` is wrong: PAIRS (20) times the same program twice, in two sessions one after the
# other and in turns (compare --run), the second half of them beside a load of one core at random
# moments; and, where there is no load, in turns with a program whose kernels do 5% more. Pairs run at
# the same time where LANES names several sets of CPUs ("0,1 2,3"; one: all CPUs).
# Usage: pairs.sh PROGRAM OUT [SLOWER]: writes OUT/pairs.csv, a row a comparison of a method and size,
# and pairs.env.csv, facts of a run of it; prints what tests/pairs.awk makes of it. SLOWER is built from the tree where it is not given.
set -u
program=$(realpath "$1") out=$2 slower=${3:-} pairs=${PAIRS:-20}
lanes=${LANES:-$(taskset -cp $$ | sed 's/.*: //')}
what="--variants cpu_gather,cpu_scatter,cpu_simd,cpu_avx2 --config threads=1|max --atoms 100,200,400 --grid 16x16x40"
mkdir -p "$out"
out=$(realpath "$out")

# The same sources but for one line: a map is computed, and a twentieth of it once more.
if [ -z "$slower" ]; then
  tree=$out/tree engine=harness/engine/engine_cpu.c
  mkdir -p "$tree"
  git ls-files -z | xargs -0 tar cf - | tar xf - -C "$tree"
  line='    return variant->compute(problem, config, cpu->out);'
  sed "s|^$line\$|    {\\
      dcs_problem more = *problem;\\
      more.n.z /= 20;\\
      return variant->compute(problem, config, cpu->out) \&\&\\
             (more.n.z == 0 \|\| variant->compute(\&more, config, cpu->out));\\
    }|" $engine >"$tree/$engine"
  cmp -s $engine "$tree/$engine" && { echo "$0: $engine has another line" >&2; exit 1; }
  make -s -C "$tree" -j"$(nproc)" BUILD=build build/dcsbench >&2 || exit 1
  slower=$tree/build/dcsbench
fi
slower=$(realpath "$slower")

# One core is busy for up to 2 s, then for up to 2 s it is not, until the file `over` is there; moments
# are drawn from the seed $1.
load() {
  awk -v seed="$1" 'BEGIN { srand(seed); for (;;) print 2 * rand(), 2 * rand() }' |
    while [ ! -e over ] && read -r busy idle; do
      timeout "$busy" sh -c 'while :; do :; done'
      sleep "$idle"
    done
}

# Rows of a comparison, with the pair's number, its load, and how it was measured before them.
keep() {
  awk -F, -v OFS=, -v pair="$1" -v load="$2" -v how="$3" '
    BEGIN { n = split("variant config atoms ratio ratio_lo ratio_hi p verdict", kept, " ") }
    !/,/ { next }
    !header++ { for (i = 1; i <= NF; i++) at[$i] = i; $0 = "pair,load,how"; for (i = 1; i <= n; i++) $0 = $0 "," kept[i]; print; next }
    { line = pair "," load "," how; for (i = 1; i <= n; i++) line = line "," $at[kept[i]]; print line }' "$3" >"$3.rows"
}

# Pair $1, in a folder of its own.
one_pair() {
  mkdir -p "$out/$1"
  cd "$out/$1" || return
  export XDG_CACHE_HOME="$PWD" XDG_DATA_HOME="$PWD"
  load=quiet
  [ "$1" -gt $((pairs / 2)) ] && load=loaded
  rm -f over
  [ $load = loaded ] && load "$1" &
  began=$(date +%s)
  for run in a b; do
    "$program" sweep $what --budget 15 --out $run >$run.log 2>&1
  done
  "$program" compare --csv a b >sequential 2>>log
  keep "$1" $load sequential
  middle=$(date +%s)
  "$program" compare --csv --run "$program" "$program" $what >turns 2>>log
  echo "$1 $load turns, status $?, $(($(date +%s) - middle)) s; sessions $((middle - began)) s" >>"$out/times.txt"
  keep "$1" $load turns
  touch over
  [ $load = loaded ] || "$program" compare --csv --run "$program" "$slower" $what >planted 2>>log
  [ $load = loaded ] || keep "$1" $load planted
}

n=$(echo "$lanes" | wc -w) k=0 # the k-th set of CPUs has every n-th pair
for cpus in $lanes; do
  k=$((k + 1))
  (
    taskset -cp "$cpus" "$(sh -c 'echo $PPID')" >/dev/null
    for pair in $(seq $k "$n" "$pairs"); do (one_pair "$pair"); done
  ) &
done
wait
cat "$out"/*/*.rows | awk '!/^pair/ || !n++' >"$out/pairs.csv"
cp "$out/1/a/env.csv" "$out/pairs.env.csv"
awk -f "$(dirname "$0")/pairs.awk" "$out/pairs.csv"
