#include "harness/input/tally.h"

#include <inttypes.h>

static void tell(const dcs_tally *t, const dcs_read_options *how, const char *path, FILE *notes) {
  if (t->of_models > 0 && how->model)
    fprintf(notes, "%s: read model %" PRId64, path, how->model);
  else if (t->of_models > 0)
    fprintf(notes, "%s: read the first model", path);
  if (t->of_models > 0)
    fprintf(notes, ", %" PRId64 " atoms; left out %" PRId64 " atoms of other models (--model)\n",
            t->read, t->of_models);
  if (t->of_locations > 0)
    fprintf(notes,
            "%s: read one alternate location of each residue, %s; left out %" PRId64
            " atoms at others (--altloc)\n",
            path, how->altloc ? "the one asked for or else the first" : "the first",
            t->of_locations);
}

dcs_status dcs_tally_end(const dcs_tally *t, const dcs_read_options *how, const char *path,
                         FILE *notes) {
  if (t->read + t->of_models + t->of_locations != t->records)
    return dcs_fail(DCS_FAILED,
                    "%s: found %" PRId64 " atom records, but %" PRId64 " were read and %" PRId64
                    " left out; expected each to be either: please report this",
                    path, t->records, t->read, t->of_models + t->of_locations);
  if (notes) tell(t, how, path, notes);
  return DCS_OK;
}

dcs_status dcs_tally_none(const dcs_tally *t, const dcs_read_options *how, int64_t models,
                          const char *path, const char *expected) {
  if (t->records > 0 && how->model > models)
    return dcs_fail(DCS_USAGE, "--model: found %" PRId64 "; %s has %" PRId64, how->model, path,
                    models);
  return dcs_fail(DCS_INPUT, "%s: found no atoms%s; expected %s", path,
                  t->records == 0 ? ""
                  : how->model    ? " in that model"
                                  : " in the first model",
                  expected);
}
