# Time against energy or error: block 1 the label of the y axis; block 2 the front; then a variant
# each. Points: time, value, intervals of both.
do for [FORMAT in "png svg"] {
  load "style.gp"
  YLABEL = ""
  stats DATA index 1 every ::0::0 using (YLABEL = strcol(1), 0) nooutput
  stats DATA index 3:LAST every ::1 using 1:2 nooutput
  # decades only where there are several
  if (STATS_max_x > 10 * STATS_min_x) { set logscale x }
  if (STATS_max_y > 10 * STATS_min_y) { set logscale y }
  set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05
  set format x "%g"
  set format y "%g"
  set xlabel "time of an output [ms]"
  set ylabel YLABEL
  set key outside bottom center horizontal Left reverse
  plot for [i=3:LAST] DATA index i using 1:2:3:4:5:6 with xyerrorbars linetype i-2 title columnheader(1), \
    DATA index 2 using 1:2 with steps linecolor rgb "#404040" linewidth 1.5 dashtype 2 title columnheader(1)
  unset output
}
