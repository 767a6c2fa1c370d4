# Padding overhead against the edge of the grid: edge, percent, panel (1: slices, 2: volumes).
# A series for each coarsening factor, computed from the tile alone.
NAME = "padding_vs_edge"
do for [FORMAT in "png svg"] {
  load "style.gp"
  set multiplot
  set xrange [0:520]
  set yrange [0:200]
  set xtics 0,100
  set xlabel "grid edge n [points]"
  do for [panel=1:2] {
    set lmargin at screen (panel == 1 ? 0.07 : 0.49)
    set rmargin at screen (panel == 1 ? 0.43 : 0.85)
    set bmargin at screen 0.10
    set tmargin at screen 0.85
    set title (panel == 1 ? "slices n x n" : "volumes n x n x n")
    if (panel == 2) { unset label 1 }
    set ylabel (panel == 1 ? "padding overhead [%], axis cut at 200" : "")
    if (panel == 1) { unset key } else { set key at screen 0.86,0.6 left samplen 1.5 }
    plot for [i=1:LAST] DATA index i using 1:($3 == panel ? $2 : NaN) with lines linetype i linewidth 1.3 \
      title columnheader(1)
  }
  unset multiplot
  unset output
}
