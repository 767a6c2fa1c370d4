NAME = "roofline"
EVALS = "evaluations"
ALONG = "atoms"
ACROSS = "points"
# The roofline. Five blocks a panel: title, ends of the axes; points (x, y), height of the name, name; then
# three series of x and y: the roof, the limit of the kind's rate, the points with their interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  PANELS = LAST / 5
  NAMES = 0
  do for [p=0:PANELS-1] {
    stats DATA index (5*p+2) using (NAMES = strlen(strcol(4)) > NAMES ? strlen(strcol(4)) : NAMES, 0) nooutput
  }
  SMALL = FORMAT eq "png" ? ",11" : ",13"
  set logscale xy
  set format x "%g"
  set format y "%g"
  unset key
  unset tmargin
  HEAD = 0.955 - 0.03 * TITLES
  set multiplot layout PANELS,1 margins screen 0.09,(0.97-NAMES*0.0072),0.1,HEAD spacing screen 0,0.075
  do for [p=0:PANELS-1] {
    set xrange [*:*]
    set yrange [*:*]
    stats DATA index (5*p+1) every ::0::0 using (T = strcol(1), 0) nooutput
    stats DATA index (5*p+1) every ::1 using (X0 = $1, X1 = $2, Y0 = $3, Y1 = $4, 0) nooutput
    set xrange [X0:X1]
    set yrange [Y0:Y1]
    set title T font SMALL offset 0,-0.6
    set ylabel (p == (PANELS - 1) / 2 ? "useful work [GFLOPS]" : "")
    set xlabel (p == PANELS - 1 ? "operations per byte of main memory" : "")
    # Names stand right of the axes, and a line leads from each to its point.
    plot DATA index (5*p+3) using 1:2 with lines linetype p+1 linewidth 2.5, \
      DATA index (5*p+4) using 1:2 with lines linetype p+1 dashtype 2 linewidth 2, \
      DATA index (5*p+2) using 1:2:(X1-$1):($3-$2) with vectors nohead linecolor rgb "#a0a0a0" linewidth 0.7, \
      DATA index (5*p+5) using 1:2:3:4 with yerrorbars linetype p+1, \
      DATA index (5*p+2) using (X1):3:(strcol(4)) with labels left offset 0.6,0 font SMALL
    unset label 1
  }
  unset multiplot
  unset output
}
