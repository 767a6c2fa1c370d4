NAME = "rate_vs_coarsening"
EVALS = "evaluations"
ALONG = "atoms"
ACROSS = "points"
# Rate against the coarsening factor. Block 1: a line a panel. Series: panel, factor, useful rate, its
# interval, executed rate. Variants that are equally fast lie in each other: each line is thinner than the
# one below it.
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA index 1 using 0 nooutput
  PANELS = STATS_records
  array NAMES[PANELS]
  stats DATA index 1 using (NAMES[int($0)+1] = strcol(1), 0) nooutput
  set xrange [0.5:16.5]
  set yrange [0:*]
  set xtics 1,1,16
  set xlabel "coarsening factor [points a thread]"
  stats DATA index 2:LAST using (strlen(strcol(1))) name "NAMES" nooutput
  # In a row or two, as names are long; one below another where they are very long.
  EXECUTED = "executed, padding included"
  KEY = LAST-1 + 1 # entries: variants, and what is executed; all are as wide as the longest
  WIDE = KEY * (NAMES_max > strlen(EXECUTED) ? NAMES_max : strlen(EXECUTED))
  set key at screen 0.52, screen 0.01 bottom center vertical \
    maxrows (WIDE < 90 ? 1 : WIDE < 180 ? 2 : KEY) samplen 2.5
  set multiplot layout 1,PANELS margins screen 0.08,0.98,0.17,0.92-0.035*TITLES spacing screen 0.07,0.1
  do for [p=1:PANELS] {
    set ylabel (p == 1 ? "rate [10⁹ ".EVALS."/s]" : "")
    set title NAMES[p] noenhanced
    plot for [i=2:LAST] DATA index i using ($1==p ? $2 : NaN):3:4:5 with yerrorlines linetype i-1 \
        linewidth (LAST-i > 3 ? 7 : 2*(LAST-i)+1.5) pointsize 0.5+0.4*(LAST-i) title columnheader(1), \
      for [i=2:LAST] DATA index i using ($1==p ? $2 : NaN):6 with lines linetype i-1 dashtype 2 linewidth 1.2 notitle, \
      NaN with lines linecolor rgb "black" dashtype 2 linewidth 1.2 title EXECUTED
    unset label 1
    unset key
  }
  unset multiplot
  unset output
}
