/* A frame of a DCD trajectory as a molecule: its places, in the file's order, and its cell. What is
 * accepted stands in dcd/trajectory.c; frames are counted from 1, and the hash is that of the one
 * that was read.
 *
 * Cells are A, gamma, B, beta, alpha, C. Three angles that all lie within -1 to 1 are cosines (NAMD
 * after 2.5, VMD, LAMMPS), within 30 to 150 they are degrees (NAMD before, MDAnalysis, OpenMM);
 * else the six are CHARMM's symmetric matrix by rows, whose rows are the edges. A cell with an edge
 * of 0, or that is none of these, is not stated. */
#include "harness/input/dcd/trajectory.h"

#include "harness/base/hash.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double LARGEST = 1e7; /* edge, angstrom */

/* ---- the cell ---- */

/* Angles, degrees, and edges of the rows a, b and c. */
static dcs_unit_cell cell_of_rows(const double row[3][3]) {
  dcs_unit_cell cell = {0};
  for (int axis = 0; axis < 3; axis++)
    cell.edge[axis] = sqrt(row[axis][0] * row[axis][0] + row[axis][1] * row[axis][1] +
                           row[axis][2] * row[axis][2]);
  for (int axis = 0; axis < 3; axis++) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const double dot = row[b][0] * row[c][0] + row[b][1] * row[c][1] + row[b][2] * row[c][2];
    cell.angle[axis] = acos(dot / (cell.edge[b] * cell.edge[c])) * 180 / M_PI;
  }
  return cell;
}

static bool all_within(const double angle[3], double lo, double hi) {
  for (int axis = 0; axis < 3; axis++)
    if (!(angle[axis] >= lo && angle[axis] <= hi)) return false;
  return true;
}

dcs_unit_cell dcs_dcd_cell(const double v[6]) {
  const double angle[3] = {v[4], v[3], v[1]}; /* alpha, beta, gamma */
  dcs_unit_cell cell = {.edge = {v[0], v[2], v[5]}};
  for (int axis = 0; axis < 3; axis++)
    if (!(cell.edge[axis] > 0 && cell.edge[axis] <= LARGEST)) return (dcs_unit_cell){0};
  for (int axis = 0; axis < 3; axis++)
    if (all_within(angle, -1, 1)) /* exactly 90 degrees where the cosine is 0 */
      cell.angle[axis] = 90 - asin(angle[axis]) * 180 / M_PI;
    else
      cell.angle[axis] = angle[axis];
  if (all_within(cell.angle, 30, 150) || all_within(angle, -1, 1)) return cell;
  cell = cell_of_rows(
      (const double[3][3]){{v[0], v[1], v[3]}, {v[1], v[2], v[4]}, {v[3], v[4], v[5]}});
  return all_within(cell.angle, 0, 180) && all_within(cell.edge, 0, LARGEST) ? cell
                                                                             : (dcs_unit_cell){0};
}

/* ---- the frame ---- */

static dcs_status no_frame(const dcs_dcd *dcd, int64_t wanted) {
  const char *path = dcs_content_place(dcd->content).path;
  if (dcd->frame == 0) return dcs_fail(DCS_INPUT, "%s: found no frames; expected one", path);
  return dcs_fail(DCS_USAGE, "--frame: found %" PRId64 "; %s has %" PRId64, wanted, path,
                  dcd->frame);
}

static dcs_status copy(const dcs_dcd *dcd, dcs_molecule *m) {
  m->sites = calloc((size_t)dcd->n_atoms, sizeof *m->sites);
  if (!m->sites) return dcs_fail(DCS_UNAVAILABLE, "no memory for %" PRId64 " atoms", dcd->n_atoms);
  m->n = dcd->n_atoms;
  m->cell = dcd->cell;
  m->hash = DCS_HASH_START;
  for (int64_t i = 0; i < m->n; i++) {
    m->sites[i].x = (double)dcd->places[0][i];
    m->sites[i].y = (double)dcd->places[1][i];
    m->sites[i].z = (double)dcd->places[2][i];
  }
  for (int axis = 0; axis < 3; axis++)
    m->hash = dcs_hash(m->hash, dcd->places[axis], (size_t)m->n * sizeof(float));
  m->hash = dcs_hash(m->hash, &m->cell, sizeof m->cell);
  return DCS_OK;
}

static dcs_status read_frame(dcs_dcd *dcd, int64_t wanted, dcs_molecule *m, FILE *notes) {
  bool found;
  DCS_TRY(dcs_dcd_pass(dcd, wanted - 1, &found));
  if (found) DCS_TRY(dcs_dcd_next(dcd, &found));
  if (!found) return no_frame(dcd, wanted);
  if (notes) dcs_dcd_tell(dcd, notes);
  return copy(dcd, m);
}

static dcs_status read_dcd(dcs_content *content, const dcs_read_options *how, dcs_molecule *m,
                           FILE *notes) {
  dcs_dcd dcd;
  dcs_status status = dcs_dcd_open(content, &dcd);
  if (status == DCS_OK) status = read_frame(&dcd, how->frame ? how->frame : 1, m, notes);
  dcs_dcd_close(&dcd);
  return status;
}

const dcs_reader dcs_reader_dcd = {.name = "DCD",
                                   .what = "a first record of 84 bytes with CORD",
                                   .gives = DCS_PLACES,
                                   .frames = true,
                                   .sniff = dcs_is_dcd,
                                   .read = read_dcd};
