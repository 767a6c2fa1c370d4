# What the figures share. Loaded with NAME (of the figure) and FORMAT ("png" or "svg") set. The
# scripts hold no data: titles and the names of series are strings of the data file, read as data
# and drawn without markup, so no label can become a command.
reset # the ranges of the picture before would limit what stats sees
set encoding utf8
set datafile separator "\t"
set datafile commentschars ""

# The height in pixels; a figure that fits what it shows has its own.
PIXELS = exists("PIXELS") ? PIXELS : 800

# PART ends the names of pictures that are drawn beside. A gnuplot without pngcairo draws no PNG.
PART = exists("PART") ? PART : ""
if (FORMAT eq "png") {
  if (strstrt(GPVAL_TERMINALS, "pngcairo")) {
    set terminal pngcairo noenhanced size 1200,PIXELS font "sans,13" background rgb "white"
    set output NAME.".".FORMAT.PART
  } else {
    print "no pngcairo: PNG is not drawn"
    set terminal unknown
  }
} else {
  set terminal svg noenhanced size 1200,PIXELS font "sans,16" background rgb "white"
  set output NAME.".".FORMAT.PART
}
DATA = NAME.".dat"

# Okabe and Ito's colours, told apart by colour-blind readers; a point type of its own for each.
set linetype 1 linecolor rgb "#0072b2" pointtype 7
set linetype 2 linecolor rgb "#d55e00" pointtype 5
set linetype 3 linecolor rgb "#009e73" pointtype 9
set linetype 4 linecolor rgb "#cc79a7" pointtype 11
set linetype 5 linecolor rgb "#e69f00" pointtype 13
set linetype 6 linecolor rgb "#56b4e9" pointtype 15
set linetype 7 linecolor rgb "#000000" pointtype 6
set linetype 8 linecolor rgb "#a39c00" pointtype 4
set linetype cycle 8
do for [i=1:8] { set linetype i linewidth 1.8 pointsize (FORMAT eq "png" ? 1.1 : 0.6) }

set grid linecolor rgb "#d0d0d0" linetype 1 linewidth 0.7
set border linecolor rgb "#404040"
set key outside right center Left reverse spacing 1.3 samplen 2.5

# Block 0: the lines of the title. The later blocks are the series.
TITLE = ""
stats DATA index 0 using (TITLE = TITLE.(strlen(TITLE) ? "\n" : "").strcol(1), 0) nooutput
TITLES = STATS_records
set tmargin TITLES + 2.5
stats DATA using 0 nooutput
LAST = STATS_blocks - 1
# Centred on the picture, not on the axes: a legend outside makes those narrow.
set label 1 TITLE at screen 0.5, screen 1 - 24./PIXELS center
