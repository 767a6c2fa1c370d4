# How much each parameter matters, as bars. Block 1: y, name of the parameter; block 2: y, percent.
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA index 1 using 1 name "SLOT" nooutput
  stats DATA index 2 using 2 name "LOSS" nooutput
  set xrange [0:LOSS_max > 0 ? 1.15 * LOSS_max : 1]
  set yrange [SLOT_min - 0.6:SLOT_max + 0.6]
  unset key
  set grid noytics
  set ytics scale 0
  set lmargin 16
  set rmargin 5
  set style fill solid 0.85 noborder
  set xlabel "rate lost by the worst value, the other parameters at their best [%]"
  plot DATA index 2 using 2:1:(0):2:($1-0.3):($1+0.3) with boxxyerror linetype 1 notitle, \
    DATA index 1 using (0):1:ytic(2) with points pointtype 0 notitle, \
    DATA index 2 using 2:1:(sprintf("%.1f", $2)) with labels left offset 0.8,0 notitle
  unset output
}
