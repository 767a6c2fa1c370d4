# Rate against the coarsening factor. Series: factor, rate, its interval.
NAME = "rate_vs_coarsening"
do for [FORMAT in "png svg"] {
  load "style.gp"
  set logscale x 2
  set xrange [0.9:18]
  set yrange [0:*]
  set xtics (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
  set xlabel "coarsening factor [points a thread]"
  set ylabel "useful work [10⁹ evaluations/s]"
  plot for [i=1:LAST] DATA index i using 1:2:3:4 with yerrorlines linetype i title columnheader(1)
  unset output
}
