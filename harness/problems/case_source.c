/* Apart from case.c: the library makes cases of molecules that are in memory, and reads no file. */
#include "harness/problems/case.h"

dcs_status dcs_case_from(const dcs_case_source *s, const dcs_config *problem, dcs_case *c) {
  dcs_molecule molecule = {0};
  if (!s->input.files[0]) return dcs_case_random(s->kind, problem, s->atoms, &s->grid, s->seed, c);
  DCS_TRY(dcs_molecule_read(&s->input, &molecule, stderr));
  dcs_molecule part = molecule;
  dcs_status status = DCS_OK;
  if (s->atoms > molecule.n)
    status = dcs_fail(DCS_USAGE, "%s has %lld atoms; --atoms asks for %lld", s->input.files[0],
                      (long long)molecule.n, (long long)s->atoms);
  if (s->atoms > 0) part.n = s->atoms;
  if (status == DCS_OK) status = dcs_case_build(s->kind, problem, &part, &s->grid, c);
  dcs_molecule_free(&molecule);
  return status;
}
