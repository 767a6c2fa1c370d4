#include "kernels/coulomb/images.h"

#include <math.h>
#include <stdlib.h>

void dcs_image_lines(const dcs_problem *problem, double reach, dcs_image_line lines[3]) {
  const int64_t n[3] = {problem->n.x, problem->n.y, problem->n.z};
  double cell[3];
  dcs_cell_edges(problem, cell);
  for (int d = 0; d < 3; d++) {
    dcs_image_line *line = &lines[d];
    *line =
        (dcs_image_line){cell[d], -reach, (double)(n[d] - 1) * (double)problem->spacing + reach, 0};
    line->most = (int)fmin((line->hi - line->lo) / line->period + 1, INT32_MAX);
  }
}

double dcs_most_images(const dcs_problem *problem, double reach) {
  dcs_image_line lines[3];
  dcs_image_lines(problem, reach, lines);
  return (double)lines[0].most * lines[1].most * lines[2].most;
}

/* Image number i of those of a coordinate that may count; whether it does. */
static bool is_image(const dcs_image_line *line, double coordinate, int i, double *image) {
  const double first = ceil((line->lo - coordinate) / line->period);
  *image = coordinate + (first + i) * line->period;
  return *image <= line->hi;
}

/* Adds an atom's images to the list, or (NULL) counts them; returns how many there are. */
static int64_t add_images(const dcs_image_line lines[3], const dcs_atom *atom, dcs_atom *list) {
  int64_t n = 0;
  double x, y, z;
  for (int k = 0; is_image(&lines[2], (double)atom->z, k, &z); k++)
    for (int j = 0; is_image(&lines[1], (double)atom->y, j, &y); j++)
      for (int i = 0; is_image(&lines[0], (double)atom->x, i, &x); i++) {
        if (list) list[n] = (dcs_atom){(float)x, (float)y, (float)z, atom->q};
        n++;
      }
  return n;
}

dcs_atom *dcs_images(const dcs_problem *problem, double reach, int64_t *n) {
  const dcs_atom *atoms = dcs_atoms(problem);
  dcs_image_line lines[3];
  dcs_image_lines(problem, reach, lines);
  *n = 0;
  for (int64_t a = 0; a < problem->n_inputs; a++)
    *n += add_images(lines, &atoms[a], NULL);
  dcs_atom *list = malloc((size_t)(*n > 0 ? *n : 1) * sizeof *list);
  int64_t at = 0;
  for (int64_t a = 0; list && a < problem->n_inputs; a++)
    at += add_images(lines, &atoms[a], list + at);
  return list;
}
