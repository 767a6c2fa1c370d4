# The panels of crossover_atoms, crossover_points and crossover_system. Loaded with XLABEL set.
BLOCKS = 3
load "panels.gp"
set format x "%.0s%c"
set format y "%g"
CROSSED = 0
do for [p=0:PANELS-1] {
  if (p == 1) { unset label 1 }
  T = ""
  stats DATA index (3*p+1) every ::0::1 using (T = T.(strlen(T) ? "\n" : "").strcol(1), 0) nooutput
  stats DATA index (3*p+1) every ::2 using (A = $1, B = $2, E = $3, LO = $4, HI = $5, 0) nooutput
  set title T font SMALL offset 0,-0.5
  set xlabel XLABEL offset 0,0.5
  set ylabel (p % COLUMNS == 0 ? "time [ms]" : "")
  unset object
  unset arrow
  if (E > 0) {
    CROSSED = 1
    set object 1 rectangle from first LO, graph 0 to first HI, graph 1 behind \
      fillcolor rgb "#e69f00" fillstyle solid 0.35 noborder
    set arrow 1 from first E, graph 0 to first E, graph 1 nohead back linecolor rgb "#a06000" \
      dashtype 2 linewidth 1.2
  }
  plot DATA index (3*p+2) using 1:2:3:4 with yerrorlines linetype A, \
    DATA index (3*p+3) using 1:2:3:4 with yerrorlines linetype B
}
STYLE = "lines"
MARK = CROSSED ? "crossover, 95%" : ""
load "legend.gp"
