# Time of one map against the number of atoms, direct sum and within a cutoff. Three pairs of series (CPU
# with one thread and with all, GPU): atoms, time, its interval. Last, where the lines of a pair cross:
# atoms, time, atoms as text. Empty ones are not drawn.
do for [FORMAT in "png svg"] {
  load "style.gp"
  set logscale xy
  set format x "%.0s%c"
  set format y "%g"
  set xlabel "atoms"
  set ylabel "time of one map [ms]"
  stats DATA index 1:6 using 3 name "LO" nooutput
  stats DATA index 1:6 using 4 name "HI" nooutput
  LOW = 10 ** floor(log10(LO_min / 1.01))
  HIGH = HI_max
  LOGARITHMIC = 1
  ENTRIES = LAST
  HEIGHT = 1
  load "key.gp"
  array COLOURS[3] = [0x009e73, 0x0072b2, 0xd55e00]
  array HOLLOW[3] = [8, 6, 4]
  do for [k=1:3] {
    set linetype 2*k-1 linecolor rgb COLOURS[k] pointtype HOLLOW[k] dashtype 2
    set linetype 2*k linecolor rgb COLOURS[k] pointtype HOLLOW[k]+1 dashtype 1
  }
  set style textbox opaque noborder margins 0.2,0.2
  plot for [i=1:6] DATA index i using 1:2:3:4 with yerrorlines linetype i title columnheader(1), \
    DATA index 7 using 1:2 with points pointtype 2 pointsize 1.8 linewidth 2.5 linecolor rgb "black" \
      title columnheader(1), \
    DATA index 7 using 1:2:(strcol(3)) with labels left offset 1,-0.8 boxed notitle
  unset output
}
