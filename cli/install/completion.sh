#!/bin/sh
# Writes completion of commands and their options for bash (FOLDER/dcsbench), zsh (FOLDER/_dcsbench)
# and fish (FOLDER/dcsbench.fish), made of the program's help; all else completes as names of files.
# Usage: completion.sh PROGRAM FOLDER.
set -eu
program=$1 folder=$2 here=$(dirname "$0")
export ARGP_HELP_FMT=rmargin=9999,opt-doc-col=60

# As help.awk has them, each command before its options.
help() {
  "$program" --help | awk -f "$here/help.awk" | grep '^C' | while IFS='	' read -r kind command summary; do
    printf '%s\t%s\t%s\n' "$kind" "$command" "$summary"
    "$program" "$command" --help </dev/null | awk -f "$here/help.awk" | grep '^O'
  done
}

mkdir -p "$folder"
help >"$folder/help.part"

awk -F '\t' '
  $1 == "C" { commands = commands " " $2; cases = cases (cases ? "\" ;;\n" : "") "    " $2 ") options=\"" }
  $1 == "O" { cases = cases " --" $3 ($4 == "" || $4 ~ /^\[/ ? "" : "=") }
  END {
    print "# bash completion of dcsbench\n_dcsbench() {\n  local word=${COMP_WORDS[COMP_CWORD]} options="
    print "  case ${COMP_WORDS[1]} in\n" cases "\" ;;\n  esac"
    print "  COMPREPLY=()"
    print "  if [ \"$COMP_CWORD\" = 1 ]; then"
    print "    COMPREPLY=($(compgen -W \"" substr(commands, 2) " --help --version\" -- \"$word\"))"
    print "  elif [[ $word == -* ]]; then"
    print "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))"
    print "    if [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi"
    print "  else # the value behind a =, or a word of its own"
    print "    compopt -o filenames"
    print "    mapfile -t COMPREPLY < <(compgen -f -- \"${word#=}\")"
    print "  fi\n}\ncomplete -F _dcsbench dcsbench"
  }' "$folder/help.part" >"$folder/dcsbench"

awk -F '\t' '
  function quoted(s) { gsub(/\047/, "\047\\\047\047", s); return s }
  function bracketed(s) { gsub(/[\[\]\\:]/, "\\\\&", s); return quoted(s) }
  $1 == "C" {
    commands = commands "    \047" $2 ":" quoted($3) "\047\n"
    cases = cases (cases ? " \\\n        \047*:file:_files\047 ;;\n" : "") "    " $2 ") _arguments"
  }
  $1 == "O" {
    value = $4 == "" ? "" : ":" bracketed($4) ":_files"
    if ($4 ~ /^\[/) value = ":" value
    cases = cases " \\\n        \047--" $3 ($4 == "" ? "" : $4 ~ /^\[/ ? "=-" : "=") "[" bracketed($5) "]" value "\047"
    if ($2 != "" && $2 != "?") cases = cases " \\\n        \047-" $2 "[" bracketed($5) "]" value "\047"
  }
  END {
    print "#compdef dcsbench\nlocal -a commands\ncommands=(\n" commands ")"
    print "if (( CURRENT == 2 )); then\n  _describe command commands -- \"(--help --version)\"\nelse"
    print "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n" cases " \\\n        \047*:file:_files\047 ;;\n  esac\nfi"
  }' "$folder/help.part" >"$folder/_dcsbench"

awk -F '\t' '
  function quoted(s) { gsub(/[\\\047]/, "\\\\&", s); return "\047" s "\047" }
  BEGIN { # a file may be named as a command is: the word behind the program is the command
    print "# fish completion of dcsbench\nfunction __dcsbench_command"
    print "  set -l words (commandline -opc)\n  test \"$words[2]\" = \"$argv[1]\"\nend"
    print "complete -c dcsbench -f -n \"__dcsbench_command \047\047\" -l help -d \"Give the list of commands\""
    print "complete -c dcsbench -f -n \"__dcsbench_command \047\047\" -l version -d \"Print the version\""
  }
  $1 == "C" {
    command = $2
    print "complete -c dcsbench -f -n \"__dcsbench_command \047\047\" -a " $2 " -d " quoted($3)
  }
  $1 == "O" {
    print "complete -c dcsbench -n \"__dcsbench_command " command "\" -l " $3 \
      ($2 == "" || $2 == "?" ? "" : " -s " $2) ($4 == "" || $4 ~ /^\[/ ? "" : " -r") " -d " quoted($5)
  }' "$folder/help.part" >"$folder/dcsbench.fish"
rm "$folder/help.part"
