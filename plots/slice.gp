# A slice of a map as a heat map. Block 1: the names of the axes and the quantity; block 2: where the
# colours end, the steps along both axes; block 3: the two coordinates and the value of each point.
do for [FORMAT in "png svg"] {
  load "style.gp"
  ACROSS = ""
  UP = ""
  WHAT = ""
  stats DATA index 1 every ::0::0 using (ACROSS = strcol(1), UP = strcol(2), WHAT = strcol(3), 0) nooutput
  stats DATA index 2 every ::0::0 using (LIMIT = $1, DX = $2, DY = $3, 0) nooutput
  set size ratio -1
  set autoscale fix
  set cbrange [-LIMIT:LIMIT]
  # blue to white to red, told apart by colour-blind readers
  set palette defined (-2 "#053061", -1 "#4393c3", 0 "#f7f7f7", 1 "#d6604d", 2 "#67001f")
  set xlabel ACROSS
  set ylabel UP
  set cblabel WHAT offset 1
  set rmargin 14
  unset key
  unset grid
  set tics out
  set style fill solid 1 noborder
  plot DATA index 3 using 1:2:(0.53*DX):(0.53*DY):3 with boxxyerror fillcolor palette notitle
  unset output
}
