/* The reader of AMBER coordinates (inpcrd, rst7): places and the cell, no charges.
 *
 *     any title
 *     atoms [time [temperature]]
 *     x y z of all atoms, six numbers a line, each in 12 columns with 7 decimals (6F12.7)
 *     velocities, laid out likewise, or nothing: passed over
 *     a line with the box: three edges and perhaps three angles, degrees, or nothing
 *
 * Numbers are cut out by columns and may touch; one that outgrew its columns, which AMBER writes as
 * stars, is refused. One line behind the coordinates is the box, and of one or two atoms, whose
 * velocities are one line as well, neither. Blank lines at the end are passed over.
 *
 * Restarts and trajectories in NetCDF are refused by name. */
#include "harness/base/grow.h"
#include "harness/input/molecule.h"

#include <inttypes.h>
#include <math.h>

enum { A_LINE = 6, WIDTH = 12, POINT = 4 };

static const double LARGEST = 1e7; /* coordinate, angstrom */

static bool is_netcdf(dcs_slice head) {
  return dcs_starts_with(head, "CDF\001") || dcs_starts_with(head, "CDF\002") ||
         dcs_starts_with(head, "CDF\005") || dcs_starts_with(head, "\211HDF\r\n");
}

/* The line `atoms [time [temperature]]`. */
static bool read_count(dcs_slice line, int64_t *n) {
  dcs_slice words[4];
  double value;
  const int there = dcs_line_words(line, 3, words);
  if (there < 1 || there > 3 || dcs_has(words[0], '.')) return false;
  for (int w = 1; w < there; w++)
    if (!dcs_line_number(words[w], &value)) return false;
  return dcs_line_count(words[0], n);
}

static bool is_inpcrd(dcs_slice head) {
  dcs_slice line = {0};
  int64_t n;
  if (is_netcdf(head)) return true;
  for (int title = 0; title < 2; title++)
    if (!dcs_line_next(&head, &line)) return false;
  if (!read_count(line, &n) || !dcs_line_next(&head, &line)) return false;
  line = dcs_line_trimmed(line);
  const size_t fields = 3 * n < A_LINE ? 3 * (size_t)n : A_LINE;
  if (line.length != fields * WIDTH) return false;
  for (size_t f = 0; f < fields; f++)
    if (line.text[f * WIDTH + POINT] != '.' && line.text[f * WIDTH + POINT] != '*') return false;
  return true;
}

/* ---- coordinates ---- */

/* The numbers of a line, `n` of them. */
static dcs_status read_line(dcs_where at, dcs_slice line, int n, double value[A_LINE]) {
  if ((int)((dcs_line_trimmed(line).length + WIDTH - 1) / WIDTH) != n)
    return dcs_line_wrong(at, line, "%d numbers of %d columns", n, WIDTH);
  for (int i = 0; i < n; i++) {
    const size_t first = (size_t)(i * WIDTH) + 1;
    dcs_slice field = dcs_line_columns(line, first, first + WIDTH - 1);
    if (!dcs_line_number(field, &value[i]) || !(fabs(value[i]) <= LARGEST))
      return dcs_line_wrong(at, field, "a number of %d columns such as  -12.3456789", WIDTH);
  }
  return DCS_OK;
}

static dcs_status cut(dcs_content *content, int64_t found, int64_t expected) {
  return dcs_fail(DCS_INPUT,
                  "%s: found the end of the file after the coordinates of %" PRId64
                  " atoms; expected %" PRId64 ", as its second line says",
                  dcs_content_place(content).path, found, expected);
}

static dcs_status read_places(dcs_content *content, int64_t n, dcs_molecule *m) {
  dcs_slice line;
  bool found;
  double value[A_LINE];
  while (m->n < n) {
    const int sites = n - m->n < 2 ? 1 : 2;
    DCS_TRY(dcs_content_line(content, &line, &found));
    if (!found) return cut(content, m->n, n);
    DCS_TRY(read_line(dcs_content_place(content), line, 3 * sites, value));
    for (int s = 0; s < sites; s++) {
      DCS_TRY(dcs_grow(&m->sites, (size_t)m->n, sizeof *m->sites, "atoms"));
      m->sites[m->n++] = (dcs_site){value[3 * s], value[3 * s + 1], value[3 * s + 2], 0, 0};
    }
  }
  return DCS_OK;
}

/* ---- what is behind them ---- */

static dcs_status read_box(dcs_where at, dcs_slice line, dcs_unit_cell *cell) {
  double value[A_LINE] = {0};
  const bool angles = dcs_line_trimmed(line).length > 3 * WIDTH;
  DCS_TRY(read_line(at, line, angles ? 6 : 3, value));
  for (int axis = 0; axis < 3; axis++) {
    cell->edge[axis] = value[axis];
    cell->angle[axis] = angles ? value[3 + axis] : 90;
  }
  return DCS_OK;
}

/* The lines behind the coordinates up to blank ones; the last of them is the box where there may be
 * one. */
static dcs_status read_rest(dcs_content *content, int64_t n, dcs_unit_cell *cell) {
  const int64_t velocities = (3 * n + A_LINE - 1) / A_LINE;
  dcs_slice line;
  bool found;
  for (int64_t lines = 1;; lines++) {
    DCS_TRY(dcs_content_line(content, &line, &found));
    if (!found || dcs_line_trimmed(line).length == 0) {
      lines--;
      if (lines <= 1 || lines == velocities || lines == velocities + 1) return DCS_OK;
      return dcs_fail(DCS_INPUT,
                      "%s: found %" PRId64 " lines behind the coordinates; expected 1 "
                      "(the box), %" PRId64 " (velocities) or %" PRId64 " (both)",
                      dcs_content_place(content).path, lines, velocities, velocities + 1);
    }
    if ((lines == 1 && velocities > 1) || lines == velocities + 1)
      DCS_TRY(read_box(dcs_content_place(content), line, cell));
    else if (lines == 2)
      *cell = (dcs_unit_cell){0}; /* what was taken for a box began velocities */
  }
}

static dcs_status read_inpcrd(dcs_content *content, const dcs_read_options *how, dcs_molecule *m,
                              FILE *notes) {
  dcs_slice line = {0};
  bool found = false;
  int64_t n = 0;
  (void)how, (void)notes;
  DCS_TRY(dcs_content_peek(content, 8, &line));
  if (is_netcdf(line))
    return dcs_fail(DCS_INPUT,
                    "%s: found a NetCDF file; expected AMBER's coordinates as text, which "
                    "`cpptraj -p TOPOLOGY -y FILE -x OUT.rst7` makes of it",
                    dcs_content_place(content).path);
  for (int skipped = 0; skipped < 2; skipped++)
    DCS_TRY(dcs_content_line(content, &line, &found));
  if (!found || !read_count(line, &n))
    return dcs_line_wrong(dcs_content_place(content), line,
                          "the number of atoms, and perhaps time and "
                          "temperature, in the second line");
  DCS_TRY(read_places(content, n, m));
  return read_rest(content, n, &m->cell);
}

const dcs_reader dcs_reader_inpcrd = {
    .name = "inpcrd",
    .what = "a title, the number of atoms, coordinates in 12 columns each",
    .gives = DCS_PLACES,
    .sniff = is_inpcrd,
    .read = read_inpcrd};
