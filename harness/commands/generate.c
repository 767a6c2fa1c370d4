/* dcsbench generate */
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/commands/commands.h"

#include <string.h>

typedef struct {
  const char *kind, *out;
  int64_t atoms, seed;
  double edge;
} arguments;

enum { KEY_ATOMS = 2000, KEY_EDGE, KEY_SEED };

static const char *const kinds[] = {"water", "uniform", "ions"};

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case KEY_ATOMS:
    dcs_argp_check(state, dcs_parse_integer("--atoms", arg, 1, 100000000, &a->atoms));
    return 0;
  case KEY_EDGE:
    dcs_argp_check(state, dcs_parse_number("--edge", arg, 0.001, 1e6, &a->edge));
    return 0;
  case KEY_SEED:
    dcs_argp_check(state, dcs_parse_integer("--seed", arg, 0, INT64_MAX, &a->seed));
    return 0;
  case 'o':
    a->out = arg;
    return 0;
  case ARGP_KEY_ARG:
    if (a->kind) return ARGP_ERR_UNKNOWN;
    a->kind = arg;
    return 0;
  case ARGP_KEY_END:
    if (!a->kind) argp_error(state, "the kind is missing: water, uniform or ions");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static dcs_status parse_kind(const char *text, dcs_generated *kind) {
  for (int k = 0; k < 3; k++)
    if (strcmp(text, kinds[k]) == 0) {
      *kind = (dcs_generated)k;
      return DCS_OK;
    }
  const char *nearest = dcs_nearest_name(text, kinds, 3);
  return dcs_fail(DCS_USAGE, "generate: found \"%s\"; expected water, uniform or ions%s%s%s", text,
                  nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static dcs_status write_file(const char *path, const dcs_molecule *m, const char *remark) {
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, path));
  dcs_status status = dcs_pqr_write(file.stream, path, m, remark);
  if (status == DCS_OK) return dcs_file_close(&file);
  dcs_file_abandon(&file);
  return status;
}

dcs_status dcs_command_generate(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"atoms", KEY_ATOMS, "N", 0, "how many; of water rounded up to whole molecules (3000)", 0},
      {"edge", KEY_EDGE, "ANGSTROM", 0, "edge of the cubic box (what the density needs)", 0},
      {"seed", KEY_SEED, "N", 0, "the same seed gives the same molecule everywhere (1)", 0},
      {"out", 'o', "FILE", 0, "where to write the PQR (standard output)", 0},
      {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "water|uniform|ions",
      .doc = "Write a PQR file: TIP3P water at 0.0334 molecules per cubic angstrom, atoms and "
             "charges uniform at random, or ions of charge +1 and -1. All are neutral."};
  arguments a = {.atoms = 3000, .seed = 1};
  argp_parse(&argp, argc, argv, 0, NULL, &a);
  dcs_generated kind = DCS_WATER;
  dcs_molecule m;
  char remark[256];
  DCS_TRY(parse_kind(a.kind, &kind));
  DCS_TRY(dcs_generate(kind, a.atoms, a.edge, (uint64_t)a.seed, &m));
  snprintf(remark, sizeof remark, "dcsbench generate %s --atoms %lld --seed %lld", a.kind,
           (long long)a.atoms, (long long)a.seed);
  dcs_status status =
      a.out ? write_file(a.out, &m, remark) : dcs_pqr_write(stdout, "standard output", &m, remark);
  dcs_molecule_free(&m);
  return status;
}
