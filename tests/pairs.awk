# What is said of the comparisons in a pairs.csv (tests/pairs.sh), and whether it is what
# results/measuring.md promises: of the same program at most 2.5% of sizes SLOWER and as many FASTER,
# and status 1 of compare --run in at most 5% of runs; of a planted 5% at least 95% found, none FASTER.
BEGIN { FS = "," }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
  kind = $at["how"] " " $at["load"]
  n[kind]++
  count[kind, $at["verdict"]]++
  if ($at["verdict"] == "SLOWER") alarm[kind, $at["pair"]] = 1
  run[kind, $at["pair"]] = 1
  all += kind == "planted quiet"
  if (kind == "planted quiet") logs += log($at["ratio"])
}
function row(kind,   k, parts, runs, alarms) {
  for (k in run) { split(k, parts, SUBSEP); runs += parts[1] == kind }
  for (k in alarm) { split(k, parts, SUBSEP); alarms += parts[1] == kind }
  printf "%-18s %5d %5d %7d %7d %6d %7d %7d\n", kind, runs, n[kind], count[kind, "SLOWER"], count[kind, "FASTER"], count[kind, "SAME"], count[kind, "UNSURE"], alarms
  false_alarms[kind] = alarms; all_runs[kind] = runs
}
function hold(ok, claim) { printf "%-9s %s\n", ok ? "holds" : "NOT SO", claim; failed += !ok }
END {
  printf "%-18s %5s %5s %7s %7s %6s %7s %7s\n", "", "pairs", "sizes", "SLOWER", "FASTER", "SAME", "UNSURE", "alarms"
  split("sequential quiet,sequential loaded,turns quiet,turns loaded,planted quiet", kinds, ",")
  for (i = 1; i <= 5; i++) if (n[kinds[i]]) row(kinds[i])
  split("sequential,turns", hows, ",")
  for (i = 1; i <= 2; i++) for (j = 1; j <= 2; j++) {
    verdict = j == 1 ? "SLOWER" : "FASTER"
    sizes = n[hows[i] " quiet"] + n[hows[i] " loaded"]
    wrong = count[hows[i] " quiet", verdict] + count[hows[i] " loaded", verdict]
    hold(wrong <= 0.025 * sizes, sprintf("%s: %d of %d sizes of the same program %s, at most 2.5%%", hows[i], wrong, sizes, verdict))
  }
  wrong = false_alarms["turns quiet"] + false_alarms["turns loaded"]
  runs = all_runs["turns quiet"] + all_runs["turns loaded"]
  hold(wrong <= 0.05 * runs, sprintf("turns: %d of %d runs end with status 1, at most 5%%", wrong, runs))
  kind = "planted quiet"
  hold(all > 0 && count[kind, "SLOWER"] >= 0.95 * all, sprintf("planted (%.1f%% in the mean): %d of %d found, at least 95%%", all ? 100 * (exp(logs / all) - 1) : 0, count[kind, "SLOWER"], all))
  hold(count[kind, "FASTER"] == 0, sprintf("planted: %d FASTER", count[kind, "FASTER"]))
  exit failed > 0
}
