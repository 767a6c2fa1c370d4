# A run's samples.csv as a table of its rounds: a column a method (with its threads, where that is all of
# its configuration), a row a round, ns. A round that a method lacks is left out.
BEGIN { FS = ","; OFS = "," }
{
  n = split($0, part, "\"") # a configuration of several parameters is quoted
  line = ""
  for (i = 1; i <= n; i++) {
    if (i % 2 == 0) gsub(/,/, ";", part[i])
    line = line part[i]
  }
  $0 = line
}
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
  name = $at["variant"] ($at["config"] ~ /^threads=[0-9]+$/ ? " " $at["config"] : "")
  if (!(name in known)) { known[name]; names[++methods] = name }
  time[$at["round"], name] = $at["time_ns"] + 0
  if ($at["round"] > last) last = $at["round"] + 0
}
END {
  for (i = 1; i <= methods; i++) printf "%s%s", names[i], i < methods ? "," : "\n"
  for (r = 0; r <= last; r++) {
    line = ""
    for (i = 1; i <= methods && (r, names[i]) in time; i++) line = line (i > 1 ? "," : "") sprintf("%.5g", time[r, names[i]])
    if (i > methods) print line
  }
}
