# How near a search is to the best recorded, against its evaluations. Series: a strategy each; share
# of the space in percent, median regret over the seeds in percent, its quartiles.
do for [FORMAT in "png svg"] {
  load "style.gp"
  FLOOR(loss) = loss < 0.1 ? 0.1 : loss # of a log axis
  set logscale xy
  set xrange [*:100]
  set format "%g"
  set ytics add ("≤ 0.1" 0.1)
  stats DATA index 1:LAST using (FLOOR($4)) name "HI" nooutput
  LOW = 0.1
  HIGH = HI_max > LOW ? HI_max : 10 * LOW
  LOGARITHMIC = 1
  ENTRIES = LAST
  HEIGHT = 1
  load "key.gp"
  set xlabel "evaluations [% of the space]"
  set ylabel "slower than the best recorded [%]; median and quartiles"
  set style fill transparent solid 0.15 noborder
  plot for [i=1:LAST] DATA index i using 1:(FLOOR($3)):(FLOOR($4)) with filledcurves linetype i notitle, \
    for [i=1:LAST] DATA index i using 1:(FLOOR($2)) with lines linetype i title columnheader(1)
  unset output
}
