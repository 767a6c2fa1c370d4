# Time of one map against the tolerance. Series, one for each method: tolerance, time, its interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA using 3 name "LO" nooutput
  stats DATA using 4 name "HI" nooutput
  set logscale xy
  set xrange [*:*] reverse
  set format x "%.0e"
  set format y "%g"
  set xlabel "error allowed, of the map's root mean square"
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
