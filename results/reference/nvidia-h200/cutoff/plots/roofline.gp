# The roofline. Block 1: ends of the axes. Block 2: a point's x and y, the height of its name, its kind
# and name. Then for each kind (1: CPU, one thread, 2: all threads, 3: GPU) three series of x and y: the
# roof, the ceiling of 1/sqrt, the points with their interval. Empty ones are not drawn.
NAME = "roofline"
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA index 1 using (X0 = $1, X1 = $2, Y0 = $3, Y1 = $4, 0) nooutput
  stats DATA index 2 using (strlen(strcol(5))) name "NAMES" nooutput
  set logscale xy
  set xrange [X0:X1]
  set yrange [Y0:Y1]
  set format x "%g"
  set format y "%g"
  set xlabel "operations per byte of main memory"
  set ylabel "useful work [GFLOPS]"
  set lmargin 10
  SMALL = FORMAT eq "png" ? ",11" : ",13"
  set rmargin (NAMES_max + 3)
  # Room for the key: two lines a machine for its roofs, one for its points.
  set bmargin 14
  set key outside bottom center horizontal maxcols 1 samplen 3 spacing 1.1 font SMALL
  # Names stand right of the axes, and a line leads from each to its point.
  plot for [i=3:LAST:3] DATA index i using 1:2 with lines linetype i/3 linewidth 2.5 \
      title columnheader(1), \
    for [i=4:LAST:3] DATA index i using 1:2 with lines linetype i/3 dashtype 2 linewidth 2 \
      title columnheader(1), \
    DATA index 2 using 1:2:(X1-$1):($3-$2) with vectors nohead linecolor rgb "#a0a0a0" \
      linewidth 0.7 notitle, \
    for [i=5:LAST:3] DATA index i using 1:2:3:4 with yerrorbars linetype i/3 title columnheader(1), \
    DATA index 2 using (X1):3:(strcol(5)) with labels left offset 0.6,0 font SMALL notitle
  unset output
}
