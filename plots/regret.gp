# How near a search is to the best recorded, against its evaluations. Series: a strategy each;
# evaluations, mean regret over the seeds in percent, its 95% interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  FLOOR(loss) = loss < 0.01 ? 0.01 : loss # of a log axis
  set logscale xy
  set xrange [1:*]
  set yrange [0.01:*]
  set format "%g"
  set ytics add ("≤ 0.01" 0.01)
  set key inside left bottom opaque
  set xlabel "evaluations"
  set ylabel "slower than the best recorded [%]; mean and its 95% interval"
  set style fill transparent solid 0.15 noborder
  plot for [i=1:LAST] DATA index i using 1:(FLOOR($3)):(FLOOR($4)) with filledcurves linetype i notitle, \
    for [i=1:LAST] DATA index i using 1:(FLOOR($2)) with lines linetype i title columnheader(1)
  unset output
}
