#!/bin/sh
# Plants each mutant of tests/mutants.txt in a copy of the tree and demands that what the table names
# fails. What is named must pass on the sources as they are; a mutant whose line is not there once, that
# does not build, or that is a kernel which does not compile while tests run, fails the run, as one does
# that lives. Usage: mutants.sh BUILD [PATTERN]: only mutants whose heading matches it. MUTANT_JOBS copies
# at a time (all CPUs).
build=$(realpath "$1") only=$2 here=$PWD
jobs=${MUTANT_JOBS:-$(nproc)}
root=$build/mutants
rm -rf "$root"
mkdir -p "$root/list"

# One file a mutant: its heading, the line, what stands in its place.
awk -v out="$root/list" -v only="$only" '
  function put() { if (head ~ only && head) { n++; f = sprintf("%s/%03d", out, n); printf "%s\n%s\n%s\n", head, from, to > f; close(f) } head = "" }
  /^- / { from = substr($0, 3); next }
  /^\+/ { to = substr($0, 3); put(); next }
  /^[a-z].*: / { head = $0 }' tests/mutants.txt

# What builds and runs one of those that are named, in a copy of the tree; its log is ./log. With a
# mutant it ends after 10 times as long as without, and a minute.
cat >"$root/run_one" <<'END'
limit=$root/limit.$1.$2
case $1 in
  test_*) case $1 in test_mpi*) ranks=build/dcsbench-mpi ;; *) ranks= ;; esac
    make $make_options BUILD=build "build/tests/$1" build/dcsbench $ranks >log 2>&1 || exit 9
    set -- "build/tests/$1" ;;
  verify) make $make_options BUILD=build build/dcsbench >log 2>&1 || exit 9
    set -- build/dcsbench verify --device emulated --variants "$2" ;;
  faults) make $make_options BUILD=build build/dcsbench build/faults build/fault_inject.so >log 2>&1 || exit 9
    set -- build/faults build/dcsbench build/fault_inject.so "$2" ;;
  *) echo "what is $1?" >log; exit 9 ;;
esac
begin=$(date +%s)
timeout -k 5 "$(cat "$limit" 2>/dev/null || echo 3600)" "$@" >>log 2>&1
status=$?
[ -e "$limit" ] || echo $((10 * ($(date +%s) - begin) + 60)) >"$limit"
exit $status
END

# The names in a heading, one a line, a word that a verify or faults takes behind it.
cat >"$root/names" <<'END'
sed 's/^[^:]*: //' | awk '$1 == "survives:" { next } { for (i = 1; i <= NF; i++) if ($i == "verify" || $i == "faults") { print $i, $(i + 1); i++ } else print $i }'
END

# The compiler of kernels, which keeps what it had to say of those that do not compile.
mkdir "$root/bin"
for cxx in c++ g++ clang++; do
  real=$(command -v $cxx) || continue
  cat >"$root/bin/$cxx" <<END
#!/bin/sh
said=\$(mktemp)
PATH='$PATH' "$real" "\$@" 2>"\$said" # where it may look for itself
status=\$?
cat "\$said" >&2
[ \$status = 0 ] || cat "\$said" >>"\${MUTANT_SAID:-/dev/null}"
rm -f "\$said"
exit \$status
END
  chmod +x "$root/bin/$cxx"
done

# Plants one mutant in the copy of the tree that its place in the queue has.
cat >"$root/plant" <<'END'
mutant=$1
cd "$root/tree$PLACE" || exit 1
export DCSBENCH_CACHE="$PWD/build/cache" MUTANT_SAID="$PWD/said"
{ read -r head; IFS= read -r from; IFS= read -r to; } <"$root/list/$mutant"
file=${head%%:*} what="${head%%:*}: $from" begin=$(date +%s)
cp -p "$file" kept
FROM=$from TO=$to awk '{ line = $0; sub(/^[ \t]*/, "", line)
  if (line == ENVIRON["FROM"]) { n++; print ENVIRON["TO"] } else print } END { exit n != 1 }' kept >changed
if [ $? != 0 ]; then echo "NOT THERE ONCE $what" | tee -a "$root/bad"; exit; fi
cat changed >"$file"
verdict=LIVES
echo "$head" | sh "$root/names" >wanted
: >"$MUTANT_SAID"
while read -r name word; do
  sh "$root/run_one" $name $word </dev/null
  case $? in 0) ;; 124 | 137) verdict="found by $name $word, which did not end"; break ;; 9) verdict="DOES NOT BUILD"; cp log "$root/$mutant.log"; break ;; *) verdict="found by $name $word"; break ;; esac
done <wanted
[ -s wanted ] || verdict="known to live"
if grep -qE "(^|/)$(basename "$file"):[0-9:]* error: " "$MUTANT_SAID"; then
  verdict="DOES NOT COMPILE, rewrite it:"
  cp "$MUTANT_SAID" "$root/$mutant.log"
fi
case $verdict in found* | known*) echo "mutants: $what: $verdict, $(($(date +%s) - begin)) s" ;; *) echo "$verdict $what" | tee -a "$root/bad" ;; esac
cp -p kept "$file"
touch "$file"
END

# What is named must pass without mutants, or it would find nothing.
cat >"$root/itself" <<'END'
cd "$root/tree$PLACE" || exit 1
export DCSBENCH_CACHE="$PWD/build/cache"
sh "$root/run_one" "$@" </dev/null || { echo "FAILS BY ITSELF $*" | tee -a "$root/bad"; cp log "$root/itself.log"; }
END

# Each copy has what is built already: a mutant costs one compilation and the links.
for place in $(seq 0 $((jobs - 1))); do
  mkdir -p "$root/tree$place/build"
  git ls-files -z | xargs -0 tar cf - | tar xf - -C "$root/tree$place"
  (cd "$build" && tar cf - $(ls -d cli harness kernels library mpi tuning embedded.* flags internal.a version.h 2>/dev/null)) |
    tar xf - -C "$root/tree$place/build"
done
export root make_options="-s" PATH="$root/bin:$PATH" BUILD=build
export DCS_TEST_SECONDS=3600 # a call that a busy machine holds up is not found for that
queue() { xargs -P "$jobs" --process-slot-var=PLACE "$@"; }

cat "$root"/list/* | grep -E '^[a-z/_.]+: ' | sh "$root/names" | sort -u | queue -L 1 sh "$root/itself"
ls "$root/list" | queue -n 1 sh "$root/plant"
n=$(ls "$root/list" | wc -l)
lives=$(grep -l ': survives: ' "$root"/list/* | wc -l)
if [ -e "$root/bad" ]; then echo "mutants: $(wc -l <"$root/bad") of $n NOT FOUND:"; cat "$root/bad"; exit 1; fi
echo "mutants: $n, $((n - lives)) found, $lives known to live"
