NAME = "ladder"
EVALS = "evaluations"
ALONG = "atoms"
ACROSS = "points"
# The ladder as dots, with columns of text. Block 1: panel (1: CPU, 2: GPU), y, name, rate, share of the
# limit, size. Then for each group (CPU with one thread, with all, GPU) two series: rate, its interval,
# y; the measured limit. Empty ones are not drawn. The picture is as tall as its rows need, 800 pixels at
# most; lengths down are in pixels.
array ROWS[2] = [0, 0]
set datafile separator "\t"
set datafile commentschars ""
stats NAME.".dat" index 0 using 0 name "TITLES" nooutput
stats NAME.".dat" index 1 using (ROWS[$1] = ROWS[$1] + 1, 0) nooutput
BOTH = ROWS[1] * ROWS[2] > 0
ABOVE = 64 + 24 * TITLES_records # titles and legend
BETWEEN = 84 # two panels
BELOW = 90
ROW = 576.0 / (ROWS[1] + ROWS[2] + (BOTH ? 3.6 : 0))
ROW = ROW > 48 ? 48.0 : ROW # real, as what it is divided by is not
PIXELS = ceil(ABOVE + ROW * (ROWS[1] + ROWS[2] + (BOTH ? 0.4 : 0.2)) + (BOTH ? BETWEEN : 0) + BELOW)
PIXELS = PIXELS > 800 ? 800 : PIXELS
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA index 1 using (strlen(strcol(3))) name "NAMES" nooutput
  stats DATA index 1 using (strlen(strcol(6))) name "SIZES" nooutput
  if (SIZES_max > 0 && SIZES_max < 19) { SIZES_max = 19 } # the column's title
  array FIRST[3] = [2, 6, 8]
  array LO[2]
  array HI[2]
  do for [p=1:2] {
    if (ROWS[p] > 0) {
      stats DATA index FIRST[p]:FIRST[p+1]-1 using 1 name "RATE" nooutput
      DECADE = 10 ** floor(log10(RATE_max)) # an axis without one has no numbers
      LO[p] = RATE_min / 1.4 < DECADE ? RATE_min / 1.4 : DECADE / 1.1
      HI[p] = RATE_max * 1.4
    }
  }
  SMALL = FORMAT eq "png" ? ",11" : ",13"
  LEFT = 0.045 + NAMES_max * 0.0072
  RIGHT = 0.98 - 0.0092 * 18 - 0.0068 * SIZES_max
  TOP = 1 - real(ABOVE) / PIXELS
  set logscale x
  set format x "%g"
  set ytics 1 scale 0 format ""
  set lmargin at screen LEFT
  set rmargin at screen RIGHT
  set multiplot
  do for [p=1:2] {
    if (ROWS[p] == 0) { continue }
    set xrange [LO[p]:HI[p]]
    set yrange [-ROWS[p]-0.6:-0.4]
    set tmargin at screen TOP
    set bmargin at screen TOP - ROW * (ROWS[p] + 0.2) / PIXELS
    set key at screen LEFT, screen TOP + 3.0 / PIXELS left bottom \
      vertical maxrows (p == 1 ? 2 : 1) Left reverse samplen 2 width 2 font SMALL
    set xlabel (p == 2 || ROWS[2] == 0 ? "useful work [10⁹ ".EVALS."/s]" : "") offset 0,0.5
    set label 2 "10⁹/s" right at graph 1, graph 1 offset 8,0.8 font SMALL
    set label 3 "of limit" right at graph 1, graph 1 offset 16,0.8 font SMALL
    set label 4 (SIZES_max > 0 ? "if not at that size" : "") at graph 1, graph 1 offset 18,0.8 font SMALL
    plot for [i=FIRST[p]:FIRST[p+1]-1:2] DATA index i using 1:4:2:3 with xerrorbars linetype i/2 \
        title columnheader(1), \
      for [i=FIRST[p]+1:FIRST[p+1]-1:2] DATA index i using 1:(-0.4):(0):(-ROWS[p]-0.2) with vectors nohead \
        linetype i/2 dashtype 2 title columnheader(1), \
      DATA index 1 using (LO[p]):($1 == p ? $2 : NaN):(strcol(3)) with labels right offset -0.8,0 notitle, \
      for [c=4:5] DATA index 1 using (HI[p]):($1 == p ? $2 : NaN):(strcol(c)) with labels right \
        offset (c == 4 ? 8 : 16),0 font SMALL notitle, \
      DATA index 1 using (HI[p]):($1 == p ? $2 : NaN):(strcol(6)) with labels left offset 18,0 font SMALL notitle
    unset label 1
    TOP = TOP - (ROW * ROWS[p] + BETWEEN) / PIXELS
  }
  unset multiplot
  unset output
}
