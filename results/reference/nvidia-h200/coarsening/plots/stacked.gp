# Two panels above each other with one legend at their right. Loaded after style.gp; the panels' data are
# the series in pairs: one above, one below.
unset tmargin
stats DATA index 2:LAST using (strlen(strcol(1))) name "NAMES" nooutput
RIGHT = 1 - (90 + 9.6 * NAMES_max) / 1200
set multiplot layout 2,1 margins screen 0.09,RIGHT,0.09,0.86 spacing screen 0,0.07
set key at screen RIGHT+0.01,0.5 left center Left reverse spacing 1.3 samplen 2.5
