# Padding overhead against the edge of the grid, computed from the tile alone: a panel for each coarsening
# factor; edge, percent of slices, percent of volumes.
do for [FORMAT in "png svg"] {
  load "style.gp"
  unset tmargin
  set multiplot layout 2,3 margins screen 0.07,0.98,0.09,0.87 spacing screen 0.05,0.1
  set xrange [0:512]
  set yrange [0:200]
  set xtics 0,128
  do for [i=1:LAST] {
    T = ""
    stats DATA index i every ::0::0 using (T = strcol(1), 0) nooutput
    set title T offset 0,-0.6
    set xlabel (i > LAST - 3 ? "grid edge n [points]" : "")
    set ylabel (i % 3 == 1 ? "padding overhead [%]" : "")
    if (i == 1) { set key inside right top opaque } else { unset key }
    plot DATA index i every ::1 using 1:3 with lines linetype 2 linewidth 1 title "n x n x n", \
      DATA index i every ::1 using 1:2 with lines linetype 1 linewidth 1 title "n x n x 1"
    unset label 1
  }
  unset multiplot
  unset output
}
