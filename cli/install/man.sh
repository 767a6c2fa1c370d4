#!/bin/sh
# Writes a man page of the program and one of each command, made of their help. Usage: man.sh PROGRAM
# VERSION FOLDER.
set -eu
program=$1 version=$2 folder=$3 here=$(dirname "$0")
export ARGP_HELP_FMT=rmargin=9999,opt-doc-col=60

# "NAME SUMMARY", then help that help.awk took apart, as a page.
page() {
  awk -F '\t' -v name="$1" -v summary="$2" -v version="$version" '
    function text(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); if (s ~ /^[.\047]/) s = "\\\\&" s; return s }
    function section(title) { if (now != title) print ".SH " title; now = title }
    BEGIN {
      printf ".TH %s 1 \"\" \"dcsbench %s\" \"dcsbench\"\n", toupper(text(name)), version
      print ".SH NAME\n" text(name) " \\- " text(summary)
    }
    $1 == "U" { if (now == "SYNOPSIS") print ".br"; section("SYNOPSIS"); print text($2) }
    $1 == "D" { section("DESCRIPTION"); print ".PP\n" text($2) }
    $1 == "C" { section("COMMANDS"); print ".TP\n.B " text($2) "\n" text($3); others = others ",\n.BR dcsbench\\-" $2 " (1)" }
    $1 == "G" { section("OPTIONS"); print ".PP\n" text($2) }
    $1 == "O" {
      section("OPTIONS")
      value = $4 == "" ? "" : $4 ~ /^\[/ ? $4 : "=" $4
      print ".TP\n.B " ($2 == "" ? "" : "\\-" text($2) ", ") "\\-\\-" text($3) text(value) "\n" text($5)
    }
    $1 == "N" { section("NOTES"); print ($2 ~ /^ / ? ".br\n" : ".PP\n") text($2) }
    END { print ".SH SEE ALSO\n.BR dcsbench (1)" others }' >"$folder/$1.1"
}

mkdir -p "$folder"
"$program" --help | awk -f "$here/help.awk" | page dcsbench "measure, tune and choose ways to compute Direct Coulomb Summation maps"
"$program" --help | awk -f "$here/help.awk" | awk -F '\t' '$1 == "C" { print $2 "\t" $3 }' |
  while IFS='	' read -r command summary; do
    "$program" "$command" --help | awk -f "$here/help.awk" | page "dcsbench-$command" "$summary"
  done
