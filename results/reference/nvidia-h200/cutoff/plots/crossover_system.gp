NAME = "crossover_system"
EVALS = "evaluations"
ALONG = "atoms"
ACROSS = "points"
# Times of two methods on systems of one density, and where they cross, a panel for each threshold. Three blocks a panel: title,
# line types, estimate and interval; then two series of atoms, time, its interval.
do for [FORMAT in "png svg"] {
  load "style.gp"
  XLABEL = ALONG
  load "crossover.gp"
}
