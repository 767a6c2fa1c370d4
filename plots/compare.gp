# Two runs: the ratio of their times, a point a row, ascending. Four series, by verdict (unsure, same,
# faster, slower): rank, ratio, its interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA index 1:LAST using 3 name "LO" nooutput
  stats DATA index 1:LAST using 4 name "HI" nooutput
  stats DATA index 1:LAST using 1 name "RANK" nooutput
  MARGIN = 1.02
  LOWEST = LO_min < 1 / MARGIN ? LO_min : 1 / MARGIN
  HIGHEST = HI_max > MARGIN ? HI_max : MARGIN
  set xrange [0:RANK_max+1]
  set yrange [LOWEST/1.03:HIGHEST*1.03]
  set logscale y 1.1
  set format y "%.2f"
  set xlabel "rows, by their ratio"
  set ylabel "time B / time A"
  set key inside left top opaque
  plot for [i=1:LAST] DATA index i using 1:3:(0):($4-$3) with vectors nohead linewidth 1 \
      linecolor rgb word("#b8b8b8 #0072b2 #009e73 #d55e00", i) notitle, \
    for [i=1:LAST] DATA index i using 1:2 with points pointtype 7 pointsize 0.4 \
      linecolor rgb word("#888888 #0072b2 #009e73 #d55e00", i) title columnheader(1), \
    MARGIN linetype 7 dashtype 2 linewidth 1 title "2%", \
    1 / MARGIN linetype 7 dashtype 2 linewidth 1 notitle
  unset output
}
