# What the figures of panels share. Loaded after style.gp with BLOCKS (of the data, a panel) set; block
# 1 of a panel: two lines of title, then numbers; of which the last two are line types.
PANELS = LAST / BLOCKS
COLUMNS = PANELS == 1 ? 1 : PANELS <= 4 ? 2 : 3
ROWS = ceil(PANELS / real(COLUMNS))
set linetype 1 linecolor rgb "#0072b2" pointtype 7
set linetype 2 linecolor rgb "#d55e00" pointtype 5
set linetype 3 linecolor rgb "#009e73" pointtype 9
set linetype 5 linecolor rgb "#000000" pointtype 13
array NAMES[8] # by line type
do for [m=1:|NAMES|] { NAMES[m] = "" }
do for [p=0:PANELS-1] {
  stats DATA index (BLOCKS*p+1) every ::2 using (A = column(1), B = column(2), 0) nooutput
  stats DATA index (BLOCKS*p+2) every ::0::0 using (T = strcol(1), 0) nooutput
  NAMES[A] = T
  stats DATA index (BLOCKS*p+3) every ::0::0 using (T = strcol(1), 0) nooutput
  NAMES[B] = T
}
SMALL = FORMAT eq "png" ? ",11" : ",13"
set logscale xy
unset tmargin
unset key
set multiplot layout ROWS,COLUMNS margins screen 0.09,0.98,0.16,(ROWS == 1 ? 0.82 : 0.84) \
    spacing screen 0.075,0.17
