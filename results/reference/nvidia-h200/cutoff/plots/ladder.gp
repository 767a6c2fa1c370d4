# The ladder as bars. Block 1: y, name of the variant. Block 2: end of a bar, y, its value. Block 3:
# the measured limit, 0 where unknown. Later blocks: rate, its interval, y, half the bar's height.
NAME = "ladder"
do for [FORMAT in "png svg"] {
  load "style.gp"
  stats DATA index 1 using (strlen(strcol(2))) name "NAMES" nooutput
  stats DATA index 1 using 1 name "SLOT" nooutput
  stats DATA index 2 using 1 name "RATE" nooutput
  stats DATA index 2 using (strlen(strcol(3))) name "VALUE" nooutput
  stats DATA index 3 every ::1 using 1 name "LIMIT" nooutput
  limit = LIMIT_max
  top = limit > RATE_max ? limit : RATE_max
  low = 10 ** floor(log10(RATE_min / 1.5))
  set logscale x
  # Room for the values at the ends of the bars.
  set xrange [low : top * (top / low) ** (VALUE_max > 25 ? 0.6 : 0.3)]
  set yrange [SLOT_min - 0.6 : SLOT_max + 0.6]
  set format x "%g"
  unset ytics
  set grid noytics
  set lmargin (NAMES_max + 3)
  set rmargin 5
  set key outside bottom center vertical
  set bmargin 9.2
  VALUES = FORMAT eq "png" ? ",11" : ",13"
  set xlabel "useful work [10⁹ evaluations/s]"
  set style fill solid 0.85 noborder
  set style textbox opaque noborder margins 0.2,0.2
  plot for [i=4:LAST] DATA index i using 1:4:(low):1:($4-$5):($4+$5) with boxxyerror \
      linetype i-3 title columnheader(1), \
    for [i=4:LAST] DATA index i using 1:4:2:3 with xerrorbars linecolor rgb "black" \
      pointtype 0 notitle, \
    for [i=3:(limit > 0 ? 3 : 2)] DATA index i using 1:(SLOT_max + 0.6):(0):(SLOT_min - SLOT_max - 1.2) \
      with vectors nohead linetype 7 dashtype 2 linewidth 2 title columnheader(1), \
    DATA index 1 using (low):1:(strcol(2)) with labels right offset -0.8,0 notitle, \
    DATA index 2 using 1:2:(strcol(3)) with labels left offset 0.8,0 boxed font VALUES notitle
  unset output
}
