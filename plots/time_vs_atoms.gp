# Time of one map against the number of atoms. Series: atoms, time, its interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  set logscale xy
  set format x "%.0s%c"
  set format y "%g"
  set xlabel ALONG
  set ylabel "time [ms]"
  stats DATA index 1:LAST using 3 name "LO" nooutput
  stats DATA index 1:LAST using 4 name "HI" nooutput
  LOW = 10 ** floor(log10(LO_min / 1.01))
  HIGH = HI_max
  LOGARITHMIC = 1
  ENTRIES = LAST
  HEIGHT = 1
  load "key.gp"
  plot for [i=1:LAST] DATA index i using 1:2:3:4 with yerrorlines linetype i title columnheader(1)
  unset output
}
