NAME = "tolerance_crossover"
EVALS = "evaluations"
ALONG = "atoms"
ACROSS = "points"
# From how many atoms on one method overtakes another, against the tolerance. Series, one for each pair:
# tolerance, atoms, the interval; 1 where the status is not ok.
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA using 3 name "LO" nooutput
  stats DATA using 4 name "HI" nooutput
  stats DATA using 1 name "T" nooutput
  set logscale xy
  set xrange [T_max*2:T_min/2]
  set format x "%.0e"
  set format y "%.0s%c"
  set xlabel "error allowed, of the map's root mean square"
  set ylabel "atoms from which on the first is faster"
  LOW = 10 ** floor(log10(LO_min / 1.01))
  HIGH = 10 ** ceil(log10(HI_max))
  LOGARITHMIC = 1
  ENTRIES = LAST
  HEIGHT = 1
  load "key.gp"
  plot for [i=1:LAST] DATA index i using 1:2:3:4 with yerrorlines linetype i title columnheader(1), \
    for [i=1:LAST] DATA index i using 1:($5 > 0 ? $2 : NaN) with points pointtype 7 pointsize 0.5 \
      linecolor rgb "white" notitle
  unset output
}
