NAME = "rate_vs_coarsening"
EVALS = "evaluations"
ALONG = "atoms"
ACROSS = "points"
# Rate against the coarsening factor. Series: factor, rate, its interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  set xrange [0.5:16.5]
  set yrange [0:*]
  set xtics 1,1,16
  set xlabel "coarsening factor [points a thread]"
  set ylabel "useful work [10⁹ ".EVALS."/s]"
  set key inside right bottom opaque
  plot for [i=1:LAST] DATA index i using 1:2:3:4 with yerrorlines linetype i title columnheader(1)
  unset output
}
