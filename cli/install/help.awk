# Takes the help of the program or of a command apart, as argp wrote it with no line broken
# (ARGP_HELP_FMT=rmargin=9999): a line each of
#   U usage | D paragraph before the options | C command, summary | G title of a group of options
#   O letter, name, value ("[=V]": may be left out), text | N paragraph behind the options
# with tabs between.
function line(kind, a, b, c, d) {
  print kind "\t" a (b c d == "" ? "" : "\t" b) (c d == "" ? "" : "\t" c "\t" d)
}

/^Mandatory or optional arguments/ || /^$/ { next }
/^Usage: / { line("U", substr($0, 8)); next }
/^  or:  / { line("U", substr($0, 8)); next }
/^  +(-., )?--/ {
  seen = 1
  letter = match($0, /^  -., /) ? substr($0, 4, 1) : ""
  sub(/^ +(-., )?--/, "")
  value = ""
  name = $1
  if (match($1, /\[?=/)) {
    name = substr($1, 1, RSTART - 1)
    value = substr($1, RSTART)
    if (value !~ /^\[/) value = substr(value, 2)
  }
  text = $0
  sub(/^[^ ]+ */, "", text)
  print "O\t" letter "\t" name "\t" value "\t" text
  next
}
/^  [a-z]+ +[^ ]/ && !steps { name = $1; text = $0; sub(/^  [a-z]+ +/, "", text); line("C", name, text); next }
/First steps:$/ { steps = 1 }
/^ [A-Z-]/ { line("G", substr($0, 2)); next }
{ line(seen || steps ? "N" : "D", $0) }
