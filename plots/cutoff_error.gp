# What a cutoff leaves out and the time of a map, over the cutoff. Block 1: what the times are. Then pairs
# of series, one for each switching function and size: cutoff, error; cutoff, time, its interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  TIME = ""
  stats DATA index 1 using (TIME = strcol(1), 0) nooutput
  stats DATA using 1 name "X" nooutput
  FIRST = 2
  load "stacked.gp"
  MARGIN = 0.04 * (X_max - X_min)
  set xrange [X_min-MARGIN:X_max+MARGIN]
  set logscale y
  set format y "%g"
  set ylabel "error, relative L2"
  plot for [i=2:LAST:2] DATA index i using 1:2 with linespoints linetype i/2 title columnheader(1)
  unset label 1
  unset key
  set yrange [*:*]
  set xlabel "cutoff [Å]"
  set ylabel TIME
  plot for [i=3:LAST:2] DATA index i using 1:2:3:4 with yerrorlines linetype (i-1)/2 \
    title columnheader(1)
  unset multiplot
  unset output
}
