# What the stages of a run over frames did. Block 1: a stage's row, its name; block 2: the whole run, boxes
# whose height is the busy share; block 3: a part of it, whose ends come first, then a box for each span:
# x from, to, y from, to, the stage's number.
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA index 1 using 1 name "ROW" nooutput
  stats DATA index 2 using 2 name "X" nooutput
  stats DATA index 3 every ::1::1 using (FROM = $1, TO = $2, 0) nooutput
  stats DATA index 2 every ::0::0 using (WHOLE = strcol(1), 0) nooutput
  stats DATA index 3 every ::0::0 using (PART_OF = strcol(1), 0) nooutput
  unset tmargin
  unset key
  set style fill solid 1 border # what is short is still seen
  set yrange [-0.15:ROW_max + 1]
  set ytics scale 0
  set grid noytics
  set xtics out nomirror
  set multiplot layout 2,1 margins screen 0.26,0.97,0.09,0.85 spacing screen 0,0.13
  set title WHOLE offset 0,-0.5
  set xlabel "time [s]"
  set xrange [0:X_max]
  plot DATA index 1 every ::1 using (0):($1 + 0.4):ytic(2) with points pointtype 0 notitle, \
    DATA index 2 every ::1 using (($1 + $2) / 2):(($3 + $4) / 2):1:2:3:4:5 with boxxyerror linecolor variable linewidth 0.3 notitle
  unset label 1
  set title PART_OF
  set xrange [FROM:TO]
  plot DATA index 1 every ::1 using (FROM):($1 + 0.4):ytic(2) with points pointtype 0 notitle, \
    DATA index 3 every ::2 using (($1 + $2) / 2):(($3 + $4) / 2):1:2:3:4:5 with boxxyerror linecolor variable linewidth 0.3 notitle
  unset multiplot
  unset output
}
