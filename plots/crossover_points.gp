# Times of two methods and where they cross, a panel for each threshold. Three blocks a panel: title,
# line types, estimate and interval; then two series of points, time, its interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  XLABEL = ACROSS
  load "crossover.gp"
}
