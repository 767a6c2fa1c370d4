/* A program that uses the library as anybody's would: the map of 150 charges on a ring, in double
 * and in float coordinates. Prints the explanation, then a value a line. Built by
 * tests/test_library.c with build/include and build/libdcs.a alone. */
#include <dcsbench.h>

#include <math.h>
#include <stdio.h>

enum { ATOMS = 150, NX = 21, NY = 13, NZ = 7 };

static int print_map(dcs_mapper *mapper, const dcs_map_request *request) {
  static float map[NX * NY * NZ];
  char text[4096];
  if (dcs_map(mapper, request, map) != 0 || dcs_explain(mapper, request, text, sizeof text) != 0)
    return 1;
  fprintf(stderr, "%s", text);
  for (int i = 0; i < NX * NY * NZ; i++)
    printf("%.9g\n", map[i]);
  return 0;
}

int main(void) {
  static double atoms[4 * ATOMS];
  static float atoms_float[4 * ATOMS];
  for (int a = 0; a < ATOMS; a++) {
    const double atom[4] = {5 + 4 * sin(a), 3 + 2 * cos(a), 1 + 0.01 * a, a % 2 ? 0.5 : -0.75};
    for (int i = 0; i < 4; i++) {
      atoms[4 * a + i] = atom[i];
      atoms_float[4 * a + i] = (float)atom[i];
    }
  }
  dcs_map_request request = {.n_atoms = ATOMS,
                             .atoms = atoms,
                             .origin = {-1, -2, -0.5},
                             .spacing = 0.5,
                             .nx = NX,
                             .ny = NY,
                             .nz = NZ};
  dcs_mapper *mapper;
  if (dcs_mapper_open(NULL, &mapper) != 0) {
    fprintf(stderr, "%s\n", dcs_error_message());
    return 1;
  }
  int failed = print_map(mapper, &request);
  request.atoms = NULL;
  request.atoms_float = atoms_float;
  failed = failed || print_map(mapper, &request);
  if (failed) fprintf(stderr, "%s\n", dcs_error_message());
  dcs_mapper_close(mapper);
  return failed;
}
