# Time of one map to a tolerance against the atoms, at one density. Series, one for each method: atoms, time, its interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA using 3 name "LO" nooutput
  stats DATA using 4 name "HI" nooutput
  set logscale xy
  set format x "%.0s%c"
  set format y "%g"
  set xlabel "atoms"
  set ylabel "time of one map [ms]"
  LOW = 10 ** floor(log10(LO_min / 1.01))
  HIGH = 10 ** ceil(log10(HI_max))
  LOGARITHMIC = 1
  ENTRIES = LAST
  HEIGHT = 1
  load "key.gp"
  plot for [i=1:LAST] DATA index i using 1:2:3:4 with yerrorlines linetype i title columnheader(1)
  unset output
}
