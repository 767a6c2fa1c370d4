NAME = "cutoff_capacity"
EVALS = "evaluations"
ALONG = "atoms"
ACROSS = "points"
# Methods with bins, over the atoms that a bin has room for. Pairs of series, one for each edge of a bin:
# capacity, time, its interval; capacity, percent of the atoms that do not fit.
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA using 1 name "X" nooutput
  FIRST = 1
  load "stacked.gp"
  set logscale x 2
  set xrange [X_min/1.15:X_max*1.15]
  set logscale y
  set format y "%g"
  set ylabel "time of one map, warm [ms]"
  plot for [i=1:LAST:2] DATA index i using 1:2:3:4:xtic(sprintf("%g", $1)) with yerrorlines \
    linetype (i+1)/2 title columnheader(1)
  unset label 1
  unset key
  unset logscale y
  set yrange [0:*]
  set xlabel "capacity [atoms a bin has room for]"
  set ylabel "atoms that overflow [%]"
  plot for [i=2:LAST:2] DATA index i using 1:2:xtic(sprintf("%g", $1)) with linespoints \
    linetype i/2 title columnheader(1)
  unset multiplot
  unset output
}
