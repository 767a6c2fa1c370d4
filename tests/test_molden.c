/* Molden files: which orbital is read, and what is refused, with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/molecule.h"
#include "tests/program.h"

#define ATOMS "[Molden Format]\n[Title]\n any text\n[Atoms] Angs\nH1 1 1 0 0 0\nO2 2 8 0 0 0.9\n"
#define BASIS "[GTO]\n1 0\ns 1 1.00\n 0.5D+00 1.0\n\n2 0\ns 1\n1.2 1\nsp 1\n0.3 1 0.5\n\n"
#define MO(energy, occupation, coefficients)                                                       \
  "Sym= a\nEne= " energy "\nSpin= Alpha\nOccup= " occupation "\n" coefficients "\n"

static const char *put(const char *text) {
  put_file(in_folder("file.molden"), text);
  return in_folder("file.molden");
}

static dcs_status read_text(const char *text, int64_t orbital, dcs_molecule *m) {
  const dcs_input input = {{put(text)}, {.orbital = orbital}};
  return dcs_molecule_read(&input, m, NULL);
}

/* What the orbital has of hydrogen's s, which has the number of the orbital in it. */
static double chosen(const char *text, int64_t orbital) {
  dcs_molecule m;
  if (read_text(text, orbital, &m) != DCS_OK) fail_msg("%s", dcs_error_message());
  const double c = m.basis->shells[0].c[0];
  dcs_molecule_free(&m);
  return c;
}

static void atoms_and_shells_are_read(void **state) {
  (void)state;
  dcs_molecule m;
  assert_int_equal(read_text(ATOMS BASIS "[MO]\n" MO("-1", "2", "1 0.5\n6 0.25"), 0, &m), DCS_OK);
  assert_int_equal(m.n, 2);
  assert_true(m.sites[1].z == 0.9 && m.sites[1].q == 8 && m.sites[0].q == 1);
  assert_int_equal(m.basis->n_shells, 4);
  assert_int_equal(m.basis->n_primitives, 4);
  static const int l[] = {0, 0, 0, 1};
  for (int s = 0; s < 4; s++) {
    assert_int_equal(m.basis->shells[s].l, l[s]);
    assert_int_equal(m.basis->shells[s].atom, s > 0);
    assert_int_equal(m.basis->shells[s].n, 1);
  }
  assert_true(m.basis->primitives[3].exponent == 0.3);
  assert_true(m.basis->shells[0].c[0] == 0.5 && m.basis->shells[1].c[0] == 0);
  assert_true(m.basis->shells[3].c[2] == 0.25); /* function 6: p in z */
  dcs_molecule_free(&m);
}

static void lengths_have_the_sections_unit(void **state) {
  (void)state;
  dcs_molecule m;
  assert_int_equal(read_text("[Molden Format]\n[ATOMS] (AU)\nHe 1 2 0 -2 0\n[GTO]\n1 0\ns 1\n1 1\n"
                             "[MO]\n" MO("0", "2", "1 1"),
                             0, &m),
                   DCS_OK);
  assert_true(m.sites[0].y == -2 * DCS_BOHR);
  dcs_molecule_free(&m);
}

/* Of the occupied ones the highest, in whatever order; the one that is asked for. */
static void the_highest_occupied_orbital_is_read(void **state) {
  (void)state;
  const char *text = ATOMS BASIS "[MO]\n" MO("-1", "2", "1 1") MO("-0.25", "2", "1 2")
      MO("-0.5", "1", "1 3") MO("0.5", "0", "1 4");
  assert_true(chosen(text, 0) == 2);
  for (int o = 1; o <= 4; o++)
    assert_true(chosen(text, o) == o);
  const char *none = ATOMS BASIS "[MO]\n" MO("-1", "0", "1 1") MO("-0.25", "0", "1 2");
  assert_true(chosen(none, 0) == 1);
  dcs_molecule m;
  assert_int_equal(read_text(text, 5, &m), DCS_USAGE);
  assert_contains(dcs_error_message(), "--orbital: found 5; expected 1 to 4");
}

static void the_hash_is_of_the_orbital(void **state) {
  (void)state;
  const char *text = ATOMS BASIS "[MO]\n" MO("-1", "2", "1 1") MO("-0.25", "2", "1 2");
  uint64_t hash[3];
  for (int o = 0; o < 3; o++) {
    dcs_molecule m;
    assert_int_equal(read_text(text, o, &m), DCS_OK);
    hash[o] = m.hash;
    dcs_molecule_free(&m);
  }
  assert_true(hash[1] != hash[2] && hash[0] != hash[1]);
}

static void wrong_files_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"[Molden Format]\n[Atoms]\n", ":2: found \"[Atoms]\"; expected [Atoms] AU or [Atoms] Angs"},
      {"[Molden Format]\n[Atoms] AU\nH 1 1 0 0\n", ":3: found \"H 1 1 0 0\"; expected name"},
      {"[Molden Format]\n[Atoms] AU\nH 2 1 0 0 0\n", ":3: found \"2\"; expected 1: [GTO] goes by"},
      {"[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\nH 1 1 0 0 1\n", ":4: found \"1\"; expected 2: "},
      {ATOMS "[GTO]\n1 0\ns 1 1.24\n", ":9: found \"1.24\"; expected 1.00: exponents"},
      {ATOMS BASIS "[MO]\n" MO("1", "1", "1 1") "[5D]\n",
       ":24: found \"[5D]\"; expected what functions are spherical before [MO]"},
      {"[Molden Format]\n[Atoms] AU\nH 1 1 0 x 0\n", ":3: found \"x\"; expected y, a number"},
      {"[Molden Format]\n[GTO]\n", ":2: found \"[GTO]\"; expected [Atoms] before [GTO]"},
      {"[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n[MO]\n", ":4: found \"[MO]\"; expected [GTO]"},
      {"[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n[STO]\n", ":4: found \"[STO]\"; expected Gauss"},
      {ATOMS "[GTO]\ns 1\n", ":8: found \"s 1\"; expected the number of an atom"},
      {ATOMS "[GTO]\n3 0\n", ":8: found \"3 0\"; expected an atom behind 0, up to the last"},
      {ATOMS "[GTO]\n2 0\n1 0\n", ":9: found \"1 0\"; expected an atom behind 2"},
      {ATOMS "[GTO]\n1 0\ng 1\n", ":9: found \"g\"; expected a shell s, p, sp, d or f"},
      {ATOMS "[GTO]\n1 0\ns\n", ":9: found \"s\"; expected a shell and 1 to 1000 primitives"},
      {ATOMS "[GTO]\n1 0\ns 2\n1 1\n[MO]\n", ":11: found \"[MO]\"; expected exponent"},
      {ATOMS "[GTO]\n1 0\nsp 1\n1 1\n", ":10: found \"1 1\"; expected exponent and coefficients"},
      {ATOMS "[GTO]\n1 0\ns 1\n-1 1\n", ":10: found \"-1\"; expected an exponent"},
      {ATOMS "[GTO]\n1 0\ns 1\n1 nan\n", ":10: found \"nan\"; expected a number"},
      {ATOMS BASIS, "found no orbital; expected [Atoms], [GTO] and [MO]"},
      {ATOMS BASIS "[MO]\n", "found no orbital; expected [Atoms], [GTO] and [MO]"},
      {ATOMS BASIS "[MO]\n1 1\n", ":19: found \"1 1\"; expected Sym=, Ene=, Spin= or Occup="},
      {ATOMS BASIS "[MO]\n" MO("x", "1", ""), ":20: found \"Ene= x\"; expected a number"},
      {ATOMS BASIS "[MO]\n" MO("1", "1", "7 1"), ":23: found \"7 1\"; expected the number of a "
                                                 "function, up to the basis's 6"},
      {ATOMS BASIS "[MO]\n" MO("1", "1", "1 1e30"), ":23: found \"1e30\"; expected a coefficient"},
      {ATOMS BASIS "[MO]\n" MO("1", "1", "1 1") "[MO]\n", ":24: found \"[MO]\"; expected one"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dcs_molecule m;
    if (read_text(cases[i].text, 0, &m) != DCS_INPUT) fail_msg("was read: %s", cases[i].text);
    assert_contains(dcs_error_message(), cases[i].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(atoms_and_shells_are_read),
      cmocka_unit_test(lengths_have_the_sections_unit),
      cmocka_unit_test(the_highest_occupied_orbital_is_read),
      cmocka_unit_test(the_hash_is_of_the_orbital),
      cmocka_unit_test(wrong_files_are_refused),
  };
  return cmocka_run_group_tests_name("molden", tests, program_setup, program_teardown);
}
