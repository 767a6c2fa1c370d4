/* PQR files as PDB2PQR, GROMACS, MDAnalysis, VMD and this program write them, and free ones: random
 * structures, whose atoms must be to the last bit what strtod makes of their numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/input/molecule.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STRUCTURES = 10000, MOST_ATOMS = 16, LINE = 256 };

/* What a line is made of: names and numbers, and the numbers' texts as they were printed. */
typedef struct {
  const char *record, *name, *residue;
  char chain, insertion;
  int serial, number;
  double value[5]; /* x, y, z, charge, radius */
  char text[5][32];
} atom;

static dcs_random randoms;

static int below(int n) {
  return (int)dcs_random_below(&randoms, n);
}

static void print_values(atom *a, const char *xyz, const char *charge, const char *radius) {
  const char *const formats[5] = {xyz, xyz, xyz, charge, radius};
  for (int i = 0; i < 5; i++)
    snprintf(a->text[i], sizeof a->text[i], formats[i], a->value[i]);
}

/* ---- the styles ---- */

/* The columns of a PDB file up to the coordinates, as PDB2PQR fills them: names of four letters
 * begin a column earlier. */
static int put_columns(const atom *a, bool chain, char *line) {
  char name[8], residue[8];
  snprintf(name, sizeof name, strlen(a->name) == 4 ? "%-4s" : " %-3s", a->name);
  snprintf(residue, sizeof residue, strlen(a->residue) == 4 ? "%-4s" : " %-3s", a->residue);
  return snprintf(line, LINE, "%-6s%5d %s%s %c%4d%c   ", a->record, a->serial % 100000, name,
                  residue, chain ? a->chain : ' ', a->number % 10000, a->insertion);
}

static void pdb2pqr(atom *a, char *line) {
  print_values(a, "%8.3f", "%8.4f", "%7.4f");
  const int n = put_columns(a, a->serial % 2, line);
  snprintf(line + n, LINE - (size_t)n, "%s%s%s%s%s\n", a->text[0], a->text[1], a->text[2],
           a->text[3], a->text[4]);
}

static void pdb2pqr_whitespace(atom *a, char *line) {
  char columns[LINE];
  print_values(a, "%8.3f", "%8.4f", "%7.4f");
  put_columns(a, true, columns);
  snprintf(line, LINE, "%.6s %.10s %.22s %s %s %s %s %s\n", columns, columns + 6, columns + 16,
           a->text[0], a->text[1], a->text[2], a->text[3], a->text[4]);
}

static void mdanalysis(atom *a, char *line) {
  print_values(a, "%8.3f", "%7.4f", "%6.4f");
  snprintf(line, LINE, "ATOM %6d %s%-*s  %-3s %c %4d   %s %s %s %s %s\n", a->serial,
           strlen(a->name) < 4 ? " " : "", strlen(a->name) < 4 ? 3 : 4, a->name, a->residue,
           a->chain, a->number, a->text[0], a->text[1], a->text[2], a->text[3], a->text[4]);
}

static void gromacs(atom *a, char *line) {
  print_values(a, "%8.3f", "%6.2f", "%6.2f");
  snprintf(line, LINE, "%-6s%5d %-4.4s%4.4s%c%4d %s %s %s %s %s\n", a->record, a->serial, a->name,
           a->residue, a->chain, a->number % 10000, a->text[0], a->text[1], a->text[2], a->text[3],
           a->text[4]);
}

/* Charge and radius in the columns of occupancy and B factor. */
static void gromacs_pdb(atom *a, char *line) {
  print_values(a, "%8.3f", "%6.2f", "%6.2f");
  snprintf(line, LINE, "%-6s%5d %-4.4s%c%4.4s%c%4d%c   %s%s%s%s%s          %2s\n", a->record,
           a->serial % 100000, a->name, ' ', a->residue, a->chain, a->number % 10000, a->insertion,
           a->text[0], a->text[1], a->text[2], a->text[3], a->text[4], "C");
}

static void vmd(atom *a, char *line) {
  print_values(a, "%8.3f", "%.3f", "%.3f");
  snprintf(line, LINE, "ATOM  %5d %-4s %s %5d    %s%s%s %s %s\n", a->serial, a->name, a->residue,
           a->number, a->text[0], a->text[1], a->text[2], a->text[3], a->text[4]);
}

/* Words, as APBS reads them. */
static void words(atom *a, char *line) {
  static const char *const blanks[] = {" ", "   ", "\t", " \t "};
  static const char *const formats[] = {"%#.10g", "%+.3f", "%.17e", "%#g"};
  print_values(a, formats[below(4)], formats[below(4)], formats[below(4)]);
  const char *const b = blanks[below(4)], *const c = blanks[below(4)];
  int n = snprintf(line, LINE, "%s%s%d%s%s%s%s%s", a->record, b, a->serial, c, a->name, b,
                   a->residue, b);
  if (a->chain != ' ') n += snprintf(line + n, LINE - (size_t)n, "%c%s", a->chain, c);
  snprintf(line + n, LINE - (size_t)n, "%d%s%s%s%s%s%s%s%s%s%s%s\r\n", a->number + 10, c,
           a->text[0], b, a->text[1], c, a->text[2], b, a->text[3], b, a->text[4],
           below(2) ? " O1-" : "");
}

static const struct {
  const char *name;
  void (*print)(atom *a, char *line);
} styles[] = {{"PDB2PQR", pdb2pqr},
              {"PDB2PQR --whitespace", pdb2pqr_whitespace},
              {"MDAnalysis", mdanalysis},
              {"GROMACS", gromacs},
              {"GROMACS, PDB", gromacs_pdb},
              {"VMD", vmd},
              {"words", words}};
enum { N_STYLES = sizeof styles / sizeof *styles };

/* ---- structures ---- */

static double coordinate(void) {
  static const double most[] = {1, 30, 999, 9999};
  const double x = most[below(4)] * (2 * dcs_random_unit(&randoms) - 1);
  return x < -999 ? -x : x;
}

static atom next_atom(int serial, int number) {
  static const char *const names[] = {"N", "CA", "HG11", "O5'", "1HB", "H", "CL", "NA"};
  static const char *const residues[] = {"ALA", "NMET", "TIP3", "DA", "U", "POPC", "36A", "HOH"};
  static const char chains[] = " A2zB ";
  atom a = {.record = below(4) ? "ATOM" : "HETATM",
            .name = names[below(8)],
            .residue = residues[below(8)],
            .chain = chains[below(6)],
            .insertion = below(8) ? ' ' : 'B',
            .serial = serial,
            .number = number};
  for (int i = 0; i < 3; i++)
    a.value[i] = coordinate();
  a.value[3] = 2 * dcs_random_unit(&randoms) - 1;
  a.value[4] = below(5) ? 3 * dcs_random_unit(&randoms) : 0;
  return a;
}

/* Writes a structure in that style; returns its number of atoms. */
static int write_structure(FILE *out, int style, atom atoms[MOST_ATOMS]) {
  const int n = 1 + below(MOST_ATOMS), serial = 1 + below(below(4) ? 90000 : 999000);
  int number = 1 + below(below(4) ? 900 : 99000);
  if (below(2)) fprintf(out, "REMARK   1 PQR file\nREMARK ATOM\n");
  if (below(3) == 0)
    fprintf(out, "CRYST1   %6.3f   40.000   40.000  90.00  90.00  90.00 P 1\n", 40.);
  for (int i = 0; i < n; i++) {
    char line[LINE];
    number += below(2);
    atoms[i] = next_atom(serial + i, number);
    if (i == 0) atoms[i].value[3] = -0.5; /* what has none of these may be a PDB file */
    styles[style].print(&atoms[i], line);
    fputs(line, out);
  }
  if (below(2)) fprintf(out, "TER\nEND\n");
  return n;
}

static void assert_same(const dcs_molecule *m, const atom *atoms, int n, int style) {
  assert_int_equal(m->n, n);
  for (int i = 0; i < n; i++) {
    const double *read = (const double *)&m->sites[i];
    for (int v = 0; v < 5; v++) {
      const double expected = strtod(atoms[i].text[v], NULL);
      if (memcmp(&read[v], &expected, sizeof expected) != 0)
        fail_msg("%s: value %d of atom %d: \"%s\" was read as %.17g", styles[style].name, v, i,
                 atoms[i].text[v], read[v]);
    }
  }
}

static void structures_are_read_to_the_last_bit(void **state) {
  (void)state;
  char path[64];
  const int file = memfd_create("structure", 0);
  assert_true(file >= 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  randoms = (dcs_random){17};
  for (int s = 0; s < STRUCTURES; s++) {
    const int style = s % N_STYLES;
    atom atoms[MOST_ATOMS];
    dcs_molecule m;
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    const int n = write_structure(out, style, atoms);
    fclose(out);
    if (dcs_molecule_read(DCS_INPUT_FILE(path), &m, NULL) != DCS_OK)
      fail_msg("%s: structure %d: %s", styles[style].name, s, dcs_error_message());
    assert_same(&m, atoms, n, style);
    dcs_molecule_free(&m);
  }
  close(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(structures_are_read_to_the_last_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
