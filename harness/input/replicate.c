/* Copies of a molecule, side by side as the boxes of a periodic simulation are. */
#include "harness/base/decimal.h"
#include "harness/base/text.h"
#include "harness/input/molecule.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the cell that a file states ---- */

/* Where the PDB format's columns of a CRYST1 record end: a, b, c, alpha, beta, gamma. */
enum { N_CELL = 6 };
static const size_t ends[N_CELL + 1] = {6, 15, 24, 33, 40, 47, 54};

/* Reads one number of the record, blanks around it passed over. */
static bool read_column(const char *line, size_t length, int field, double *value) {
  size_t first = ends[field], end = ends[field + 1] < length ? ends[field + 1] : length;
  while (first < end && line[first] == ' ')
    first++;
  while (end > first && line[end - 1] == ' ')
    end--;
  return first < end && dcs_decimal_read(line + first, end - first, value);
}

/* The record's box; *found stays false when it states none: sides of 0, or of 1, which stand for a
 * molecule that is no crystal. */
static dcs_status read_record(const char *path, int64_t number, const char *line, double edge[3],
                              bool *found) {
  double cell[N_CELL];
  for (int field = 0; field < N_CELL; field++)
    if (!read_column(line, strcspn(line, "\r\n"), field, &cell[field]))
      return dcs_fail(DCS_INPUT,
                      "%s:%" PRId64 ": found \"%.*s\"; expected CRYST1 with three sides and three "
                      "angles in columns 7 to 54",
                      path, number, (int)strcspn(line, "\r\n"), line);
  if (!(cell[0] > 1 && cell[1] > 1 && cell[2] > 1)) return DCS_OK;
  if (cell[3] != 90 || cell[4] != 90 || cell[5] != 90)
    return dcs_fail(DCS_INPUT,
                    "%s:%" PRId64 ": found a cell with angles of %g, %g and %g degrees; expected "
                    "90: give the distance of the copies with --edge",
                    path, number, cell[3], cell[4], cell[5]);
  memcpy(edge, cell, 3 * sizeof *edge);
  *found = true;
  return DCS_OK;
}

dcs_status dcs_pqr_cell(const char *path, double edge[3], bool *found) {
  char *text;
  *found = false;
  DCS_TRY(dcs_read_file(path, &text, NULL));
  dcs_status status = DCS_OK;
  int64_t number = 1;
  for (const char *line = text; *line; number++) {
    if (strncmp(line, "CRYST1", 6) == 0) {
      status = read_record(path, number, line, edge, found);
      break;
    }
    line += strcspn(line, "\n");
    line += *line == '\n';
  }
  free(text);
  return status;
}

/* ---- copies ---- */

dcs_status dcs_replicate(const dcs_molecule *one, const int64_t copies[3], const double shift[3],
                         dcs_molecule *many) {
  *many = (dcs_molecule){0};
  int64_t n = one->n;
  for (int axis = 0; axis < 3; axis++) {
    if (copies[axis] < 1 || n > DCS_MOST_ATOMS / copies[axis])
      return dcs_fail(DCS_USAGE,
                      "found %" PRId64 " x %" PRId64 " x %" PRId64 " copies of %" PRId64
                      " atoms; expected at least 1 each way, and at most %" PRId64
                      " atoms altogether",
                      copies[0], copies[1], copies[2], one->n, DCS_MOST_ATOMS);
    n *= copies[axis];
  }
  many->sites = malloc((size_t)n * sizeof *many->sites);
  if (!many->sites) return dcs_fail(DCS_UNAVAILABLE, "no memory for %" PRId64 " atoms", n);
  for (int64_t i = 0; i < n; i++) {
    int64_t copy = i / one->n;
    dcs_site *site = &many->sites[i];
    *site = one->sites[i % one->n];
    site->x += (double)(copy % copies[0]) * shift[0];
    site->y += (double)(copy / copies[0] % copies[1]) * shift[1];
    site->z += (double)(copy / copies[0] / copies[1]) * shift[2];
  }
  many->n = n;
  return DCS_OK;
}
