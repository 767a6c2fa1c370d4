# Time of one map against the number of atoms. Series: atoms, time, its interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  set logscale xy
  set format x "%.0s%c"
  set format y "%g"
  set xlabel ALONG
  set ylabel "time [ms]"
  set key inside right bottom opaque
  plot for [i=1:LAST] DATA index i using 1:2:3:4 with yerrorlines linetype i title columnheader(1)
  unset output
}
