#!/bin/sh
# Pages of `dcsbench report --html` and `compare --html` in headless Chromium, on a phone's width and a
# desk's: layout, console, sorting, filters, figures, and that nothing leaves the page. Skipped, and said,
# where there is no Chromium.
set -u
chromium=
for name in chromium chromium-browser google-chrome; do
  command -v $name >/dev/null && { chromium=$name; break; }
done
if [ -z "$chromium" ]; then echo "browser: skipped: no chromium here (Debian, Ubuntu: apt install chromium)"; exit 0; fi
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bin=$BUILD/dcsbench
failed=0

# A browser that asks for anything is told that there is no such host.
browse() {
  "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --enable-logging=stderr \
    --host-resolver-rules='MAP * ~NOTFOUND' --disable-background-networking --virtual-time-budget=20000 \
    "$@" 2>"$work/log"
}

# check NAME PAGE TABLES: in a frame of each width, with the tests put into it.
check() {
  { printf '<!doctype html><script>\n'; cat "$here/browser.js"; printf '</script>\n'; cat "$2"; } >"$work/$1.html"
  for width in 360 1280; do
    cat >"$work/frame.html" <<END
<!doctype html><meta charset=utf-8><pre id=result>nothing was said</pre>
<script>addEventListener("message", event => { document.getElementById("result").textContent = JSON.stringify(event.data); });</script>
<iframe src="$1.html" width=$width height=800></iframe>
END
    found=$(browse --dump-dom "file://$work/frame.html" | sed -n 's/.*<pre id="result">\(.*\)<\/pre>.*/\1/p')
    case $found in
      '{"wrong":[],"tables":'*) ;;
      *) echo "browser: $1 at $width px: $found"; failed=1 ;;
    esac
    if grep CONSOLE "$work/log"; then echo "browser: $1 at $width px: the console has messages"; failed=1; fi
    echo "browser: $1 at $width px: $found"
  done
}

# A run of no machine: every text is markup, and thousands of rows.
mkdir "$work/nasty" "$work/large"
head='variant,backend,config,threads,devices,scope,memory,problem,problem_config,atoms,nx,ny,nz,median_ns,ci_lo_ns,ci_hi_ns,evals_per_s,outcome'
for run in nasty large; do
  printf 'key,value\nschema,4\ncpu_model,"<script>document.title=1</script>"\ncpus,2\nseed,1\n' >"$work/$run/env.csv"
  echo "$head" >"$work/$run/summary.csv"
done
i=0
for v in '<script>throw 1</script>' '<img src=http://127.0.0.1/x onerror=alert(1)>' "';alert(1);'" '</table></main>' a b c d e; do
  i=$((i + 1))
  echo "\"$v\",cpu,\"<b>$i,$v\",1,cpu,kernel,,coulomb,,${i}000,8,8,4,${i}e6,${i}e6,${i}e6,1e9,ok" >>"$work/nasty/summary.csv"
done
awk 'BEGIN { for (i = 1; i <= 5000; i++)
  printf "v%d,cpu,\"block_x=%d,block_y=4,coarsen=%d,chunk_atoms=4000,read=end\",1,cpu,kernel,,coulomb,,%d,64,64,64,%d.5,%d,%d,%g,ok\n",
    i % 20, i % 512, i % 16, 10 * i, 1000 * i, 999 * i, 1001 * i, 1e9 + 1e7 * (i * 7919 % 5000) }' >>"$work/large/summary.csv"

for run in nasty large; do
  "$bin" report "$work/$run" --html -o "$work/$run.page" >/dev/null || failed=1
  check $run "$work/$run.page"
done
reference=$(ls -d results/reference/*/ | head -n 1)
"$bin" report "$reference" --html -o "$work/reference.page" >/dev/null || failed=1
check reference "$work/reference.page"
# Two runs, one of them with other times.
mkdir "$work/a" "$work/b"
for run in a b; do
  cp "$work/nasty/env.csv" "$work/nasty/summary.csv" "$work/$run"
  echo 'round,seq,variant,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz,inner,time_ns' >"$work/$run/samples.csv"
  tail -n +2 "$work/nasty/summary.csv" | awk -v run=$run -F, '{ for (i = 0; i < 8; i++) {
    match($0, /,cpu,"/); name = substr($0, 1, RSTART - 1); rest = substr($0, RSTART + 5)
    match(rest, /",1,cpu,kernel/); config = substr(rest, 1, RSTART); atoms = $(NF - 8)
    print i "," i "," name "," config ",kernel,,cpu,coulomb,," atoms ",8,8,4,1," (run == "a" ? 1 : 1.5) * 1e6 + 100 * i } }' >>"$work/$run/samples.csv"
done
"$bin" compare "$work/a" "$work/b" --html="$work/compare.page" >/dev/null
[ $? -eq 1 ] || { echo "browser: compare did not find what is slower"; failed=1; }
check compare "$work/compare.page"
[ $failed = 0 ] && echo "browser: every page passed"
exit $failed
