# What is said of the comparisons in a pairs.csv (tests/pairs.sh), and whether it is what
# results/deciding.md promises of comparisons in turns: the same program has any SLOWER or FASTER in
# at most 5% of runs, and one that does 5% more is FASTER in as few. Ends with 1 where more are than
# chance brings in one of 40 such series. The rest is shown and not judged: how often sequential
# comparisons err is of the host, and how much of a planted 5% is found is of its noise.
BEGIN { FS = "," }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
  how = $at["how"]; kind = how " " $at["load"]; verdict = $at["verdict"]
  n[kind]++
  count[kind, verdict]++
  if (!((kind, $at["pair"]) in seen)) { seen[kind, $at["pair"]]; runs[kind]++; all_runs[how]++ }
  if (verdict == "SLOWER" && !alarm[kind, $at["pair"]]++) { alarms[kind]++; all_alarms[how]++ }
  if ((verdict == "FASTER" || verdict == "SLOWER" && how != "planted") && !wrong[how, $at["pair"]]++) wrong_runs[how]++
  if (how != "planted") next
  logs += log($at["ratio"]); planted++; found += verdict == "SLOWER"
  width = ($at["ratio_hi"] - $at["ratio_lo"]) / $at["ratio"]
  if (width <= 0.02) { narrow++; narrow_found += verdict == "SLOWER" }
  wide += width > 0.03
}
# The probability of at most k of n.
function at_most(k, n, p,   i, term, sum) {
  for (i = 0; i <= k; i++) { term = i ? term * (n - i + 1) / i * p / (1 - p) : (1 - p) ^ n; sum += term }
  return sum
}
# The largest share of which k of n or fewer are to be expected in 5% of series.
function limit(k, n,   lo, hi, i) {
  hi = 1
  for (i = 0; i < 50; i++) if (at_most(k, n, (lo + hi) / 2) > 0.05) lo = (lo + hi) / 2; else hi = (lo + hi) / 2
  return hi
}
function show(how, what, k, n) { printf "%-9s %s: %d of %d runs %s (with 95%% at most %.0f%%)\n", "", how, k, n, what, 100 * limit(k, n) }
function judge(how, what,   k, n, ok) {
  k = wrong_runs[how] + 0; n = all_runs[how] + 0
  ok = n > 0 && (k == 0 || 1 - at_most(k - 1, n, 0.05) >= 0.025)
  printf "%-9s %s: %d of %d runs %s, promised are at most 5%% (with 95%% at most %.0f%%)\n", ok ? "holds" : "NOT SO", how, k, n, what, n ? 100 * limit(k, n) : 100
  failed += !ok
}
END {
  printf "%-18s %5s %5s %7s %7s %6s %7s %8s\n", "", "pairs", "sizes", "SLOWER", "FASTER", "SAME", "UNSURE", "status 1"
  split("sequential quiet,sequential loaded,turns quiet,turns loaded,planted quiet", kinds, ",")
  for (i = 1; i <= 5; i++) {
    kind = kinds[i]
    if (n[kind]) printf "%-18s %5d %5d %7d %7d %6d %7d %8d\n", kind, runs[kind], n[kind], count[kind, "SLOWER"], count[kind, "FASTER"], count[kind, "SAME"], count[kind, "UNSURE"], alarms[kind]
  }
  judge("turns", "have a SLOWER or FASTER")
  judge("planted", "have a FASTER")
  if (all_runs["sequential"]) show("sequential", "end with status 1", all_alarms["sequential"], all_runs["sequential"])
  if (planted) {
    printf "%-9s planted (%.1f%% in the mean): %d of %d sizes found\n", "", 100 * (exp(logs / planted) - 1), found, planted
    printf "%-9s planted: %d of %d sizes found whose interval, from lo to hi, is 2%% of the ratio or less; %d have more than 3%%\n", "", narrow_found, narrow, wide
  }
  exit failed > 0
}
