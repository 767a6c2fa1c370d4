# Two panels above each other, whose legend stands in the upper one. Loaded after style.gp with FIRST set:
# from it on the panels' data are series in pairs, one above (x, y, its interval), one below.
unset tmargin
LOW = 1e300
HIGH = 0
do for [i=FIRST:LAST:2] {
  stats DATA index i using 3 name "LO" nooutput
  stats DATA index i using 4 name "HI" nooutput
  LOW = LO_min < LOW ? LO_min : LOW
  HIGH = HI_max > HIGH ? HI_max : HIGH
}
LOW = 10 ** floor(log10(LOW / 1.01))
HEIGHT = 0.42
ENTRIES = (LAST - FIRST + 1) / 2
LOGARITHMIC = 1
load "key.gp"
set multiplot layout 2,1 margins screen 0.08,0.98,0.09,0.86 spacing screen 0,0.07
