# How near a search is to the best recorded, against its evaluations. Series: a strategy each; share
# of the space in percent, median regret over the seeds in percent, its quartiles.
NAME = "convergence"
do for [FORMAT in "png svg"] {
  load "style.gp"
  set xrange [0:60]
  set yrange [0:30]
  set xlabel "evaluations [% of the space]"
  set ylabel "slower than the best recorded [%]; median and quartiles, axis cut at 30"
  set style fill transparent solid 0.15 noborder
  plot for [i=1:LAST] DATA index i using 1:3:4 with filledcurves linetype i notitle, \
    for [i=1:LAST] DATA index i using 1:2 with lines linetype i title columnheader(1)
  unset output
}
