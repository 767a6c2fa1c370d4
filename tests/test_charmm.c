/* CHARMM's parameter files: wells, pairs of types, wild cards, streams; the bonds of PSF files, and
 * which pairs these leave out or make special. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/grow.h"
#include "harness/input/charmm/parameters.h"
#include "tests/program.h"
#include "tests/read_molecule.h"

#include <math.h>

static int begin(void **state) {
  return program_setup(state) || make_files(state) ? -1 : 0;
}

static int end(void **state) {
  return program_teardown(state) | remove_files(state);
}

/* ---- molecules ---- */

/* Atoms of these types, in a row, with these bonds ("1 2 2 3"). */
static void put_molecule(const char *const *types, int n, const char *bonds, int n_bonds) {
  char psf[8192] = "PSF\n\n 1 !NTITLE\n REMARKS\n\n", pdb[8192] = "";
  dcs_append(psf, sizeof psf, " %d !NATOM\n", n);
  for (int i = 0; i < n; i++) {
    dcs_append(psf, sizeof psf, " %d A 1 R C%d %s 0.5 12.0 0\n", i + 1, i, types[i]);
    dcs_append(pdb, sizeof pdb, "ATOM  %5d  C%-2d R   A   1    %8.3f%8.3f%8.3f  1.00  0.00\n",
               i + 1, i, 1.5 * i, 0.1 * i * i, 0.0);
  }
  dcs_append(psf, sizeof psf, "\n %d !NBOND: bonds\n%s\n\n 0 !NNB\n\n 0 0 0 0\n", n_bonds, bonds);
  put_text(0, psf);
  put_text(1, pdb);
}

/* The input of both files, with the parameters of these texts. */
static dcs_input with_parameters(const char *const *texts, int n) {
  static char paths[DCS_MOST_PARAMETERS][PATH_MAX];
  dcs_input input = {{file[1], file[0]}, {.n_parameters = n}};
  for (int p = 0; p < n; p++) {
    char name[32];
    snprintf(name, sizeof name, "%d.prm", p);
    snprintf(paths[p], PATH_MAX, "%s", in_folder(name));
    put_file(paths[p], texts[p]);
    input.how.parameters[p] = paths[p];
  }
  return input;
}

static dcs_molecule read_with(const char *text) {
  const dcs_input input = with_parameters(&text, 1);
  char notes[1024];
  dcs_molecule m;
  assert_read(&input, &m, notes);
  assert_non_null(m.field.wells);
  return m;
}

static void assert_well(dcs_lennard_jones found, double half, double depth) {
  if (found.half != half || found.depth != depth)
    fail_msg("found %.17g at %.17g; expected %.17g at %.17g", found.depth, found.half, depth, half);
}

static void assert_pair(dcs_pair_well found, double minimum, double depth) {
  if (!(fabs(found.minimum - minimum) < 1e-12) || !(fabs(found.depth - depth) < 1e-12))
    fail_msg("found %.17g at %.17g; expected %.17g at %.17g", found.depth, found.minimum, depth,
             minimum);
}

/* ---- what is right ---- */

/* Epsilon is that of the file without its sign, in kcal/mol; Rmin/2 is the half of R_min. */
static void wells_are_read(void **state) {
  (void)state;
  static const char *const types[] = {"CT1", "ha", "CT1", "O"};
  put_molecule(types, 4, "", 0);
  dcs_molecule m = read_with("* a title - \n* NONBONDED\n*\n\n"
                             "NONBONDED nbxmod  5 atom cdiel shift vatom vdistance vswitch - \n"
                             "cutnb 14.0 ctofnb 12.0 ctonnb 10.0 -  ! goes on\n"
                             "eps 1.0 e14fac 0.5 wmin 1.5\n"
                             "  ! a comment -\n"
                             "CT1    0.0  -0.020   2.275 0.0  -0.01 1.9 ! alkane\n"
                             "HA\t0.  -2.2D-2   1.32\r\n"
                             "O      0.0  -.12  1.7   0.0  -0.12 1.4\n"
                             "END\n");
  assert_well(m.field.wells[0], 2.275, 0.02);
  assert_well(m.field.wells14[0], 1.9, 0.01);
  assert_well(m.field.wells[1], 1.32, 0.022);
  assert_well(m.field.wells14[1], 1.32, 0.022);
  assert_well(m.field.wells[2], 2.275, 0.02);
  assert_well(m.field.wells14[3], 1.4, 0.12);
  assert_true(m.field.charges14 == 0.5);
  assert_int_equal(m.field.n_types, 0);
  assert_null(m.field.types);
  dcs_molecule_free(&m);
}

/* Of lines that match a type the last counts, whichever has wild cards, over all files. */
static void wild_cards_match_and_the_last_line_counts(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *type;
    bool fits;
  } tried[] = {{"*", "CT1", true},
               {"C*", "CT1", true},
               {"c*", "CT1", true},
               {"C*", "C", true},
               {"C*", "HC", false},
               {"C%", "CA", true},
               {"C%", "C", false},
               {"C%", "CT1", false},
               {"C%%", "CT1", true},
               {"CT#", "CT", true},
               {"CT#", "CT12", true},
               {"CT#", "CTA", false},
               {"CT+", "CT1", true},
               {"CT+", "CT", false},
               {"CT+", "CTX", false},
               {"*1", "CT1", true},
               {"*T*", "CT1", true},
               {"*T*", "CA1", false},
               {"*#*1", "CT11", true},
               {"#*#*#*#+", "A123456B", false},
               {"*#*#%#+B", "A123456B", true},
               {"A#+#", "A1", true},
               {"A#+#", "A1A", false},
               {"CT1", "CT1", true},
               {"CT", "CT1", false},
               {"ABCDEFGH", "ABCDEFGH", true},
               {"ABCDEFG*", "ABCDEFGH", true}};
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
    char first[128], second[128];
    put_molecule(&tried[i].type, 1, "", 0);
    snprintf(first, sizeof first, "NONBONDED\n%s 0 -1 1\n%s 0 -2 1\n", "*", tried[i].type);
    snprintf(second, sizeof second, "NBON\n%s 0 -3 1\n", tried[i].pattern);
    const char *const texts[] = {first, second};
    const dcs_input input = with_parameters(texts, 2);
    char notes[1024];
    dcs_molecule m;
    assert_read(&input, &m, notes);
    if (m.field.wells[0].depth != (tried[i].fits ? 3 : 2))
      fail_msg("%s and %s: %g", tried[i].pattern, tried[i].type, m.field.wells[0].depth);
    dcs_molecule_free(&m);
  }
}

#define IONS                                                                                       \
  "NONBONDED\nSOD 0 -0.04 1.4\nCLA 0 -0.09 2.3\nOC 0 -0.16 1.7 0 -0.12 1.4\nX1 0 -0.25 2 0 -1 3\n"

/* The pair's, for either order; others combine: sqrt(0.04 0.09) = 0.06, sqrt(0.16 0.25) = 0.2. */
static void nbfix_replaces_what_wells_combine_to(void **state) {
  (void)state;
  static const char *const types[] = {"SOD", "CLA", "OC", "X1"};
  put_molecule(types, 4, "", 0);
  dcs_molecule m = read_with(IONS "NBFIX\nSOD CLA -0.083875 3.731 ! of osmotic pressure\n"
                                  "OC SOD -0.07502 3.19 -0.5 2.5\n");
  const dcs_force_field *f = &m.field;
  assert_pair(dcs_force_field_well(f, 0, 1), 3.731, 0.083875);
  assert_pair(dcs_force_field_well(f, 1, 0), 3.731, 0.083875);
  assert_pair(dcs_force_field_well(f, 0, 2), 3.19, 0.07502);
  assert_pair(dcs_force_field_well(f, 1, 2), 4.0, 0.12);
  assert_pair(dcs_force_field_well(f, 2, 3), 3.7, 0.2);
  assert_pair(dcs_force_field_well(f, 0, 0), 2.8, 0.04);
  assert_int_equal(f->n_types, 3);
  assert_int_equal(f->types[3], 0);
  dcs_molecule_free(&m);
}

static void nbfix_has_wild_cards_and_an_order_too(void **state) {
  (void)state;
  static const char *const types[] = {"SOD", "CLA", "OC", "X1"};
  put_molecule(types, 4, "", 0);
  dcs_molecule m = read_with(IONS "NBFIX\nSOD C* -1 1\nSOD CLA -2 2\nX+ X# -3 3\n* OC -4 4\n");
  assert_pair(dcs_force_field_well(&m.field, 0, 1), 2, 2);
  assert_pair(dcs_force_field_well(&m.field, 3, 3), 3, 3);
  assert_pair(dcs_force_field_well(&m.field, 2, 2), 4, 4);
  assert_pair(dcs_force_field_well(&m.field, 2, 0), 4, 4);
  assert_pair(dcs_force_field_well(&m.field, 3, 0), 3.4, 0.1);
  dcs_molecule_free(&m);
}

/* A topology's MASS lines say which type a number is; those of a file of parameters, too. */
static void numbers_of_types_are_masses(void **state) {
  (void)state;
  static const char *const types[] = {"22", "3"}, *const wells =
                                                      "ATOMS\nMASS 3 HA 1.008\n"
                                                      "NONBONDED\nCT1 0 -1 1\nHA 0 -2 2\n";
  static const char *const topology = "* a topology\n*\n27 1\nMASS 22 CT1 12.011 C ! alkane\n"
                                      "RESI ALA 0.0\nGROUP\nATOM N NH1 -0.47\nBOND CB CA N HN\n"
                                      "IMPR N -C CA HN\nCMAP -C N CA C N CA C +N\nEND\n";
  const char *const texts[] = {topology, wells};
  put_molecule(types, 2, "", 0);
  const dcs_input input = with_parameters(texts, 2);
  char notes[1024];
  dcs_molecule m;
  assert_read(&input, &m, notes);
  assert_well(m.field.wells[0], 1, 1);
  assert_well(m.field.wells[1], 2, 2);
  dcs_molecule_free(&m);
  const dcs_input without = with_parameters(&wells, 1);
  ASSERT_REFUSED(&without, DCS_INPUT, "atom 1: found the type 22, a number", "MASS");
}

/* Of a stream the parameters alone; sections that forces do without. */
static void streams_and_other_sections_are_passed_over(void **state) {
  (void)state;
  static const char *const types[] = {"OT"};
  put_molecule(types, 1, "", 0);
  dcs_molecule m =
      read_with("* water\n*\n\nioformat extended\nread rtf card append\n* topology\n*\n31 1\n"
                "MASS -1 OT 15.9994\nRESI TIP3 0.0\nATOM OH2 OT -0.834\nBOND OH2 H1 OH2 "
                "H2\nPATCHING FIRST -\n"
                "NONE\nEND\n\nset nat ?NATC\nread para card flex append\n* parameters\n*\n"
                "ATOMS\nMASS -1 OT 15.9994\nBONDS\nHT OT 450.0 0.9572 ! comment\nANGLES\n"
                "HT OT HT 55.0 104.52 10. 1.5\nDIHEDRALS\nX CT1 OH1 X 0.14 3 0.0\nIMPROPER\nHE2 "
                "HE2 CE2 CE2 3 0 180\n"
                "CMAP\nC NH1 CT1 C NH1 CT1 C NH1 24\n0.13 0.77 -1\n2.1\n"
                "NONBONDED nbxmod 5 atom - !\ncutnb 14.0 e14fac 1.0\nOT 0.0 -0.1521 1.7682\n"
                "HBOND CUTHB 0.5\nanything goes\nNBFIX\nOT OT -0.1 3\nEND\nRETURN\n");
  assert_pair(dcs_force_field_well(&m.field, 0, 0), 3, 0.1);
  dcs_molecule_free(&m);
}

/* ---- which pairs ---- */

/* "0-3 1-4" of what is excluded with larger numbers, and of what is special. */
static void assert_lists(const dcs_force_field *given, const char *excluded, const char *special) {
  char found[2][1024] = {"", ""};
  dcs_force_field f;
  assert_int_equal(dcs_force_field_copy(given, given->n, &f), DCS_OK);
  if (dcs_force_field_exclude(&f) != DCS_OK) fail_msg("%s", dcs_error_message());
  for (int32_t a = 0; a < f.n; a++) {
    for (int32_t e = f.begins[a]; e < f.begins[a + 1]; e++) {
      assert_true(e == f.begins[a] || f.excluded[e - 1] < f.excluded[e]);
      if (f.excluded[e] > a) dcs_append(found[0], 1024, "%d-%d ", a, f.excluded[e]);
    }
    for (int32_t s = f.begins14[a]; s < f.begins14[a + 1]; s++)
      if (f.special[s].atom > a) dcs_append(found[1], 1024, "%d-%d ", a, f.special[s].atom);
  }
  assert_int_equal(f.begins[f.n] % 2 + f.begins14[f.n] % 2, 0); /* each from both sides */
  assert_string_equal(found[0], excluded);
  assert_string_equal(found[1], special);
  dcs_force_field_free(&f);
}

#define ONE_TYPE "NONBONDED e14fac 1\nC 0 -0.1 2 0 -0.01 1.9\n"

static void chains_and_rings_exclude_what_they_should(void **state) {
  (void)state;
  static const char *const types[] = {"C", "C", "C", "C", "C", "C"};
  static const struct {
    int atoms, n_bonds;
    const char *bonds, *excluded, *special;
  } tried[] = {/* butane's carbons */
               {4, 3, "1 2 2 3 3 4", "0-1 0-2 0-3 1-2 1-3 2-3 ", "0-3 "},
               /* a chain of six, its bonds in any order, one of them twice */
               {6, 6, "6 5 1 2 3 2 3 4\n4 5 5 6",
                "0-1 0-2 0-3 1-2 1-3 1-4 2-3 2-4 2-5 3-4 3-5 4-5 ", "0-3 1-4 2-5 "},
               /* a ring of three: a triangle of water has no pairs three bonds apart */
               {3, 3, "1 2 1 3 2 3", "0-1 0-2 1-2 ", ""},
               /* of four: three bonds one way round are one the other way */
               {4, 4, "1 2 2 3 3 4 4 1", "0-1 0-2 0-3 1-2 1-3 2-3 ", ""},
               {5, 5, "1 2 2 3 3 4 4 5\n5 1", "0-1 0-2 0-3 0-4 1-2 1-3 1-4 2-3 2-4 3-4 ", ""},
               /* of six: opposite ones, once, though there are two ways */
               {6, 6, "1 2 2 3 3 4 4 5\n5 6 6 1",
                "0-1 0-2 0-3 0-4 0-5 1-2 1-3 1-4 1-5 2-3 2-4 2-5 3-4 3-5 4-5 ", "0-3 1-4 2-5 "},
               {3, 1, "1 3", "0-2 ", ""},
               {2, 0, "", "", ""}};
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
    put_molecule(types, tried[i].atoms, tried[i].bonds, tried[i].n_bonds);
    dcs_molecule m = read_with(ONE_TYPE);
    assert_int_equal(m.field.n_bonds, tried[i].n_bonds);
    assert_lists(&m.field, tried[i].excluded, tried[i].special);
    dcs_molecule_free(&m);
  }
}

/* Pairs three bonds apart that are as all others are not taken out of them. */
static void pairs_without_values_of_their_own_are_as_others(void **state) {
  (void)state;
  static const char *const types[] = {"C", "C", "C", "C"};
  put_molecule(types, 4, "1 2 2 3 3 4", 3);
  dcs_molecule m = read_with("NONBONDED\nC 0 -0.1 2\n");
  assert_lists(&m.field, "0-1 0-2 1-2 1-3 2-3 ", "");
  dcs_molecule_free(&m);
  m = read_with("NONBONDED e14fac 0.5\nC 0 -0.1 2\n");
  assert_lists(&m.field, "0-1 0-2 0-3 1-2 1-3 2-3 ", "0-3 ");
  dcs_molecule_free(&m);
}

/* sqrt(0.01 0.04) = 0.02 and 1.9 + 1.1 = 3 where they combine; NBFIX has values 1-4, or the same.
 */
static void special_pairs_have_their_values(void **state) {
  (void)state;
  static const char *const types[] = {"C", "X", "X", "O"};
  static const struct {
    const char *fix;
    double minimum, depth;
  } tried[] = {{"", 3, 0.02},
               {"NBFIX\nO C -0.3 3.3 -0.7 3.5\n", 3.5, 0.7},
               {"NBFIX\nC O -0.3 3.3\n", 3.3, 0.3},
               {"NBFIX\nC X -0.3 3.3\nX O -1 2\n", 3, 0.02}};
  put_molecule(types, 4, "1 2 2 3 3 4", 3);
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "NONBONDED e14fac 0.75\nC 0 -1 2 0 -0.01 1.9\nO 0 -1 2 0 -0.04 1.1\nX 0 0 0\n%s",
             tried[i].fix);
    dcs_molecule m = read_with(text);
    if (dcs_force_field_exclude(&m.field) != DCS_OK) fail_msg("%s", dcs_error_message());
    assert_int_equal(m.field.begins14[4], 2);
    assert_int_equal(m.field.special[0].atom, 3);
    assert_pair(m.field.special[0].well, tried[i].minimum, tried[i].depth);
    assert_true(m.field.special[0].charges == 0.75);
    dcs_molecule_free(&m);
  }
}

/* ---- what is refused ---- */

static const char *const wrong_parameters[][2] = {
    {"", "found no section of parameters"},
    {"C 0 -1 1\n", "found no section of parameters"},
    {"NONBONDED\nO 0 -1 1\n", "atom 1: found the type C;"},
    {"NONBONDED\nC 0 -1\n", "0.prm:2: found \"C 0 -1\"; expected a type and three numbers or six"},
    {"NONBONDED\nC 0 -1 1 0\n", "three numbers or six"},
    {"NONBONDED\nC 0 -1 1 comment\n", "three numbers or six"},
    {"NONBONDED\nC 0 -1 1 0 -1 1 0\n", "three numbers or six"},
    {"NONBONDED\n\n! \nC 0 0.5 1\n", "0.prm:4: found \"0.5\"; expected an epsilon of at most 0"},
    {"NONBONDED\nC 0 nan 1\n", "three numbers or six"},
    {"NONBONDED\nC 0 -1e9 1\n", "-1e+06 at least"},
    {"NONBONDED\nC 0 -1 -1\n", "found \"-1\"; expected a length of 0 to 100 angstrom"},
    {"NONBONDED\nC 0 -1 1 0 -1 101\n", "found \"101\"; expected a length"},
    {"NONBONDED\nC 0 -1 1 0 1 1\n", "found \"1\"; expected an epsilon"},
    {"NONBONDED\nLONGTYPE9 0 -1 1\n", "at most 8 characters"},
    {"NONBONDED nbxmod 4\nC 0 -1 1\n", "0.prm:1: found \"4\"; expected 5 behind NBXMOD"},
    {"NONBONDED eps 4.0\n", "expected 1 behind EPS"},
    {"NONBONDED e14fac\n", "a number behind e14f"},
    {"NONBONDED e14fac 2\n", "0 to 1 behind E14FAC"},
    {"NONBONDED e14fac 1\nNONBONDED e14fac 0.5\n", "0.prm:2: found \"0.5\"; expected 1 behind"},
    {"NONBONDED -\natom geom\n", "0.prm:1: found \"geom\"; expected no GEOM"},
    {"NONBONDED nbxmod 5 rdie\nC 0 -1 1\n", "0.prm:1: found \"rdie\"; expected no RDIELECTRIC"},
    {"NONBONDED\nC 0 -1 1\nEND\nNBFX\nC C -0.25 4\n",
     "0.prm:4: found \"NBFX\"; expected the name of a section"},
    {"* title\nNBFX\nC C -0.25 4\nNONBONDED\nC 0 -1 1\n", "0.prm:2: found \"NBFX\""},
    {"ATOMS\nMASS 1 C 12\nNBFX\nC C -0.25 4\n",
     "0.prm:3: found \"NBFX\"; expected MASS, in section ATOMS"},
    {"NONBONDED -\n", "the end behind a line that goes on"},
    {"NBFIX\nC C -1\n", "two types and two numbers or four"},
    {"NBFIX\nC C -1 1 2\n", "two types and two numbers or four"},
    {"NBFIX\nC -1 1\n", "two types and two numbers or four"},
    {"NBFIX\nC C 1 1\n", "found \"1\"; expected an epsilon of at most 0"},
    {"NBFIX\nC C -1 1 -1 1000\n", "expected a length"},
    {"NBFIX\nC LONGTYPE9 -1 1\n", "at most 8 characters"},
    {"BONDS\nC C 1 1\nNOBONDED\nC 0 -1 1\n",
     "0.prm:3: found \"NOBONDED\"; expected 2 types and 2 numbers, in section BOND"},
    {"ANGLES\nC C C 1\n", "3 types and 2 numbers, in section ANGL"},
    {"IMPHI\nC C C C 1 2 x\n", "4 types and 3 numbers, in section IMPR"},
    {"CMAP\nC C C C C C C C\n", "in section CMAP"},
    {"MASS x C 12\n", "MASS, a whole number, a type"},
    {"MASS 1.5 C 12\n", "MASS, a whole number"},
    {"MASS 1\n", "MASS, a whole number"},
    {"MASS 1 LONGTYPE9 12\n", "at most 8 characters"}};

static void wrong_parameters_are_refused(void **state) {
  (void)state;
  static const char *const types[] = {"C"};
  put_molecule(types, 1, "", 0);
  for (size_t i = 0; i < sizeof wrong_parameters / sizeof wrong_parameters[0]; i++) {
    const dcs_input input = with_parameters(&wrong_parameters[i][0], 1);
    ASSERT_REFUSED(&input, DCS_INPUT, wrong_parameters[i][1]);
  }
  char *text = calloc(1, 9000);
  assert_non_null(text);
  strcpy(text, "NONBONDED");
  memset(text + 9, ' ', 5000);
  strcat(text, "x\n");
  const char *long_line = text;
  dcs_input input = with_parameters(&long_line, 1);
  ASSERT_REFUSED(&input, DCS_INPUT, "4096 characters at most");
  for (int w = 0; w < 100; w++)
    memcpy(text + 9 + 2 * w, " x", 2);
  text[209] = '\0';
  input = with_parameters(&long_line, 1);
  ASSERT_REFUSED(&input, DCS_INPUT, "at most 64 words");
  free(text);
}

#define ATOMS "PSF\n 2 !NATOM\n 1 A 1 B C D 1.0 2.0 0\n 2 A 2 B C D -1.0 2.0 0\n"

static void wrong_bonds_are_refused(void **state) {
  (void)state;
  static const char *const refused[][2] = {
      {ATOMS, "found no bonds; expected a line such as \"2775 !NBOND: bonds\""},
      {ATOMS "\n 1 !NBOND\n 1 3\n", ":7: found \"3\"; expected a whole number, 1 to 2"},
      {ATOMS "\n 1 !NBOND\n 0 1\n", "found \"0\""},
      {ATOMS "\n 1 !NBOND\n 1 1.5\n", "found \"1.5\""},
      {ATOMS "\n 2 !NBOND\n 1 2 2\n 2\n", ":8: found \"2\"; expected a bond of two atoms"},
      {ATOMS "\n 1 !NBOND\n 1\n\n", "up to 8 of the 1 numbers of atoms that are left of 1 bonds"},
      {ATOMS "\n 1 !NBOND\n 1 2 1\n", "up to 8 of the 2"},
      {ATOMS "\n 1 !NBOND\n", "up to 8 of the 2"},
      {ATOMS "\n x !NBOND\n", "found \"x\"; expected a whole number"},
      {ATOMS " 0 !NBOND\n\n 2 !NNB\n", "expected 0 !NNB"},
      {ATOMS "\n 0 !NBOND\n\n 1 2 !NUMLP NUMLPH\n", "expected 0 !NUMLP"},
      {"PSF EXT DRUDE\n" ATOMS, "found \"DRUDE\""},
      {"PSF EXT drude\n" ATOMS, "found \"drude\""},
      {"PSF\n 1 !NATOM\n 1 A 1 B C LONGTYPE9 1.0 2.0 0\n 0 !NBOND\n", "a type of at most 8"}};
  static const char *const parameters = "NONBONDED\nD 0 -1 1\n";
  const dcs_input input = with_parameters(&parameters, 1);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    put_text(0, refused[i][0]);
    put_text(
        1,
        "two\n    2\n   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n");
    ASSERT_REFUSED(&input, DCS_INPUT, refused[i][1]);
  }
  put_text(0, ATOMS " 1 !NBOND\n 1 2\n\n 0 !NNB\n\n 0 0\n\n 0 0 !NUMLP NUMLPH\n");
  dcs_molecule m;
  char notes[1024];
  assert_read(&input, &m, notes); /* of such a file nothing is refused that is right */
  assert_int_equal(m.field.n_bonds, 1);
  assert_int_equal(m.field.bonds[0][1], 1);
  dcs_molecule_free(&m);
}

/* Bonds and types are not looked at where nobody asks for them. */
static void without_parameters_bonds_do_not_matter(void **state) {
  (void)state;
  put_text(0, ATOMS "\n 1 !NBOND\n 1 3\n");
  put_text(
      1, "two\n    2\n   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n");
  const dcs_input input = {{file[0], file[1]}, {0}};
  dcs_molecule m;
  char notes[1024];
  assert_read(&input, &m, notes);
  assert_null(m.field.wells);
  dcs_molecule_free(&m);
}

static void parameters_need_types(void **state) {
  (void)state;
  static const char *const parameters = "NONBONDED\nD 0 -1 1\n";
  dcs_input input = with_parameters(&parameters, 1);
  put_text(0, "1 2 3 0.5\n");
  input.files[0] = file[0];
  input.files[1] = NULL;
  ASSERT_REFUSED(&input, DCS_USAGE, "has no types of atoms; expected a PSF");
  input.how.parameters[0] = "/nowhere.prm";
  put_text(0, ATOMS " 0 !NBOND\n");
  put_text(
      1, "two\n    2\n   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n");
  input.files[1] = file[1];
  ASSERT_REFUSED(&input, DCS_IO, "/nowhere.prm: cannot read");
}

static void atoms_have_no_more_bonds_than_there_is_room_for(void **state) {
  (void)state;
  int64_t bonds[DCS_MOST_BONDS + 1][2];
  dcs_lennard_jones wells[DCS_MOST_BONDS + 2] = {{0}};
  for (int b = 0; b <= DCS_MOST_BONDS; b++)
    memcpy(bonds[b], (int64_t[]){1 + b, 0}, sizeof bonds[b]);
  for (int more = 0; more < 2; more++) {
    const dcs_force_field given = {
        .n = DCS_MOST_BONDS + 2, .wells = wells, .bonds = bonds, .n_bonds = DCS_MOST_BONDS + more};
    dcs_force_field f;
    assert_int_equal(dcs_force_field_copy(&given, given.n, &f), DCS_OK);
    assert_int_equal(dcs_force_field_exclude(&f), more ? DCS_INPUT : DCS_OK);
    if (more) assert_says(dcs_error_message(), "atom 1, counted from 1, has 33 bonds");
    if (!more) assert_int_equal(f.begins[1], DCS_MOST_BONDS);
    dcs_force_field_free(&f);
  }
}

/* The hash is of the parameters, too. */
static void other_parameters_are_other_inputs(void **state) {
  (void)state;
  static const char *const types[] = {"C"};
  put_molecule(types, 1, "", 0);
  dcs_molecule a = read_with("NONBONDED\nC 0 -1 1\n"), b = read_with("NONBONDED\nC 0 -1 1.5\n");
  dcs_molecule c = read_with("NONBONDED\nC 0 -1 1\n");
  assert_true(a.hash != b.hash && a.hash == c.hash);
  dcs_molecule_free(&a);
  dcs_molecule_free(&b);
  dcs_molecule_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wells_are_read),
      cmocka_unit_test(wild_cards_match_and_the_last_line_counts),
      cmocka_unit_test(nbfix_replaces_what_wells_combine_to),
      cmocka_unit_test(nbfix_has_wild_cards_and_an_order_too),
      cmocka_unit_test(numbers_of_types_are_masses),
      cmocka_unit_test(streams_and_other_sections_are_passed_over),
      cmocka_unit_test(chains_and_rings_exclude_what_they_should),
      cmocka_unit_test(pairs_without_values_of_their_own_are_as_others),
      cmocka_unit_test(special_pairs_have_their_values),
      cmocka_unit_test(wrong_parameters_are_refused),
      cmocka_unit_test(wrong_bonds_are_refused),
      cmocka_unit_test(without_parameters_bonds_do_not_matter),
      cmocka_unit_test(parameters_need_types),
      cmocka_unit_test(atoms_have_no_more_bonds_than_there_is_room_for),
      cmocka_unit_test(other_parameters_are_other_inputs),
  };
  return cmocka_run_group_tests_name("CHARMM", tests, begin, end);
}
