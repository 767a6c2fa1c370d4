# Rate against the edge of the grid: edge, rate, its interval. Series 1 is the useful work of a
# variant that pads and series 2 the work that it executed; a variant without padding comes last.
do for [FORMAT in "png svg"] {
  load "style.gp"
  set xlabel "grid edge nx [points]"
  set ylabel "rate [10⁹ ".EVALS."/s]"
  stats DATA index 1:LAST using 2 name "RATE" nooutput
  stats DATA index 1:LAST using 4 name "HI" nooutput
  LOW = 0
  HIGH = HI_max > RATE_max ? HI_max : RATE_max
  LOGARITHMIC = 0
  ENTRIES = LAST
  HEIGHT = 1
  load "key.gp"
  set linetype 2 linecolor rgb "#0072b2" pointtype 6 dashtype 2
  set linetype 3 linecolor rgb "#d55e00" pointtype 5
  plot for [i=1:LAST:2] DATA index i using 1:2:3:4 with yerrorlines linetype i \
      title columnheader(1), \
    for [i=2:LAST:2] DATA index i using 1:2 with linespoints linetype i title columnheader(1)
  unset output
}
