# Time against size. Block 1: how many methods; then a series each: size, time, its interval; perhaps
# one more: crossover points, their time, the interval along the sizes.
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA index 1 using (METHODS = $1, 0) nooutput
  set logscale xy
  set format x "%.0s%c"
  set format y "%g"
  set xlabel ALONG
  set ylabel "time [ms]"
  set key outside bottom center horizontal maxcols 3 Left reverse
  if (LAST > METHODS + 1) {
    plot for [i=2:METHODS+1] DATA index i using 1:2:3:4 with yerrorlines linetype i-1 title columnheader(1), \
      DATA index LAST using 1:2:3:4 with xerrorbars linecolor rgb "black" pointtype 2 pointsize 2.2 linewidth 2 title columnheader(1)
  } else {
    plot for [i=2:METHODS+1] DATA index i using 1:2:3:4 with yerrorlines linetype i-1 title columnheader(1)
  }
  unset output
}
