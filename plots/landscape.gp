# Two parameters as a heat map. Block 1: x, its value as text; block 2: y, its value as text, the
# first line of each the parameter's name; block 3: x, y, best rate over all other parameters.
do for [FORMAT in "png svg"] {
  load "style.gp"
  XNAME = ""
  YNAME = ""
  stats DATA index 1 every ::0::0 using (XNAME = strcol(2), 0) nooutput
  stats DATA index 2 every ::0::0 using (YNAME = strcol(2), 0) nooutput
  stats DATA index 3 using 1 name "X" nooutput
  stats DATA index 3 using 2 name "Y" nooutput
  stats DATA index 3 using 3 name "RATE" nooutput
  set xrange [-0.5:X_max + 0.5]
  set yrange [-0.5:Y_max + 0.5]
  set cbrange [RATE_min:RATE_max == RATE_min ? RATE_min + 1 : RATE_max]
  # viridis
  set palette defined (0 "#440154", 1 "#3b528b", 2 "#21918c", 3 "#5ec962", 4 "#fde725")
  set xlabel XNAME
  set ylabel YNAME
  set cblabel "best rate with the other parameters free [10⁹ evaluations/s]" offset 1
  set rmargin 14
  unset key
  unset grid
  unset xtics
  unset ytics
  set xtics scale 0
  set ytics scale 0
  set style fill solid 1 noborder
  set style textbox opaque noborder margins 0.3,0.3
  plot DATA index 3 using 1:2:(0.5):(0.5):3 with boxxyerror fillcolor palette notitle, \
    DATA index 1 every ::1 using 1:(-0.5):xtic(2) with points pointtype 0 notitle, \
    DATA index 2 every ::1 using (-0.5):1:ytic(2) with points pointtype 0 notitle, \
    DATA index 3 using 1:2:(sprintf("%.4g", $3)) with labels boxed notitle
  unset output
}
