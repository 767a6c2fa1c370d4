# Who is faster in the plane, a panel for each pair of methods, scope and shape of grids. Five blocks a
# panel: title, line types; three series of rectangles (a, b, unsure): atoms, points, and the edges of a
# rectangle; the frontier: atoms, points, its interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  BLOCKS = 5
  load "panels.gp"
  set format x "%.0s%c"
  set format y "%.0s%c"
  set autoscale fix
  set grid noxtics noytics
  set tics out
  set style fill solid 0.55 border linecolor rgb "white"
  do for [p=0:PANELS-1] {
    if (p == 1) { unset label 1 }
    T = ""
    stats DATA index (5*p+1) every ::0::1 using (T = T.(strlen(T) ? "\n" : "").strcol(1), 0) nooutput
    stats DATA index (5*p+1) every ::2 using (A = $1, B = $2, 0) nooutput
    set title T font SMALL offset 0,-0.5
    set xlabel ALONG offset 0,0.4
    set ylabel (p % COLUMNS == 0 ? ACROSS : "")
    plot DATA index (5*p+2) using 1:2:3:4:5:6 with boxxyerror linetype A, \
      DATA index (5*p+3) using 1:2:3:4:5:6 with boxxyerror linetype B, \
      DATA index (5*p+4) using 1:2:3:4:5:6 with boxxyerror linecolor rgb "#b0b0b0", \
      DATA index (5*p+4) using 1:2 with points pointtype 2 pointsize 1.6 linecolor rgb "#404040", \
      DATA index (5*p+5) using 1:2 with lines linecolor rgb "black" linewidth 2, \
      DATA index (5*p+5) using 1:2:3:4 with xerrorbars linecolor rgb "black" linewidth 2 pointtype 7
  }
  STYLE = "boxes"
  MARK = "frontier, 95%"
  load "legend.gp"
}
