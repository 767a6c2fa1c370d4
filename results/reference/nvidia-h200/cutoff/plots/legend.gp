# One legend for all panels, at the bottom of the picture; ends the picture. Loaded with STYLE ("lines" or
# "boxes"), MARK (name of what is shaded or drawn) set.
unset label 1
unset object
unset arrow
unset title
unset xlabel
unset ylabel
unset tics
unset border
unset logscale
unset grid
set lmargin at screen 0.05
set rmargin at screen 0.95
set bmargin at screen 0.005
set tmargin at screen 0.08
ENTRIES = STYLE eq "lines" ? strlen(MARK) > 0 : 2
LONGEST = strlen(MARK)
do for [m=1:|NAMES|] {
  ENTRIES = ENTRIES + (strlen(NAMES[m]) > 0)
  LONGEST = strlen(NAMES[m]) > LONGEST ? strlen(NAMES[m]) : LONGEST
}
ABREAST = 124 / (LONGEST + 6) # as wide as the longest, its sign included
set key inside center center vertical maxrows ceil(real(ENTRIES) / (ABREAST > 1 ? ABREAST : 1)) Left reverse samplen 1.5 font SMALL
set xrange [0:1]
set yrange [0:1]
if (STYLE eq "lines") {
  plot for [m=1:|NAMES|] NaN with linespoints linetype m title NAMES[m], \
    NaN with boxes linecolor rgb "#e69f00" fillstyle solid 0.35 noborder title MARK
} else {
  plot for [m=1:|NAMES|] NaN with boxes linetype m fillstyle solid 0.55 noborder title NAMES[m], \
    NaN with boxes linecolor rgb "#b0b0b0" fillstyle solid 0.55 noborder title "unsure", \
    NaN with linespoints linecolor rgb "black" linewidth 2 pointtype 7 title MARK
}
unset multiplot
unset output
