/* The PQR writer: one layout that readers by columns and readers by words both understand. */
#include "harness/base/decimal.h"
#include "harness/base/interrupt.h"
#include "harness/input/molecule.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_DECIMALS = 9 };

/* The fewest decimals, at least `least`, that show the value. What is below a millionth of the last
 * decimal is dust of the arithmetic (20.1 + 40). */
static int decimals(double value, int least) {
  int n = least;
  for (double scaled = value * pow(10, n); n < MOST_DECIMALS; n++, scaled *= 10)
    if (fabs(scaled - rint(scaled)) <= 1e-6) break;
  return n;
}

/* A blank always stands before the number, so that it cannot touch its neighbour; a number that
 * outgrows its columns moves the following ones. */
static int write_number(FILE *out, double value, int width, int least_decimals) {
  return fprintf(out, " %*.*f", width - 1, decimals(value, least_decimals), value);
}

/* Serials go round at 100,000: a sixth digit would move the columns, and no reader needs them. */
static bool write_site(FILE *out, int64_t i, const dcs_site *site) {
  return fprintf(out, "ATOM  %5" PRId64 "  X   UNK     1    ", (i + 1) % 100000) >= 0 &&
         write_number(out, site->x, 8, 3) >= 0 && write_number(out, site->y, 8, 3) >= 0 &&
         write_number(out, site->z, 8, 3) >= 0 && write_number(out, site->q, 8, 4) >= 0 &&
         write_number(out, site->radius, 7, 4) >= 0 && fputc('\n', out) != EOF;
}

static bool write_remark(FILE *out, const char *remark) {
  while (*remark != '\0') {
    size_t length = strcspn(remark, "\n");
    if (fprintf(out, "REMARK   1 %.*s\n", (int)length, remark) < 0) return false;
    remark += length + (remark[length] == '\n');
  }
  return true;
}

/* As a PDB file has it, which VMD and others read in PQR files, too: a, b, c in 9 columns each and
 * the angles in 7. */
static bool write_cell(FILE *out, const dcs_unit_cell *cell) {
  static const double most = 9999999; /* what fits the columns */
  for (int axis = 0; axis < 3; axis++)
    if (!(cell->edge[axis] > 0 && cell->edge[axis] < most)) return true;
  if (fputs("CRYST1", out) == EOF) return false;
  for (int axis = 0; axis < 3; axis++) {
    const double edge = cell->edge[axis];
    if (fprintf(out, "%9.*f", edge < 99999 ? 3 : edge < 999999 ? 2 : 1, edge) < 0) return false;
  }
  for (int axis = 0; axis < 3; axis++)
    if (fprintf(out, "%7.2f", cell->angle[axis]) < 0) return false;
  return fputs(" P 1           1\n", out) != EOF;
}

static bool write_all(FILE *out, const dcs_molecule *molecule, const char *remark) {
  if (remark != NULL && !write_remark(out, remark)) return false;
  if (!write_cell(out, &molecule->cell)) return false;
  for (int64_t i = 0; i < molecule->n && !dcs_interrupted(); i++)
    if (!write_site(out, i, &molecule->sites[i])) return false;
  return fputs("END\n", out) != EOF && fflush(out) == 0;
}

dcs_status dcs_pqr_write(FILE *out, const char *path, const dcs_molecule *molecule,
                         const char *remark) {
  locale_t before = dcs_decimal_enter();
  bool written = write_all(out, molecule, remark);
  int error = errno;
  dcs_decimal_leave(before);
  if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  if (!written) return dcs_fail(DCS_IO, "%s: cannot write: %s", path, strerror(error));
  return DCS_OK;
}
