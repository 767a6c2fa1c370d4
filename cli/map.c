/* dcsbench map */
#include "cli/commands.h"
#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "harness/judge/stats.h"
#include "harness/output/map_file.h"
#include "library/dcsbench.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  dcs_problem_options problem;
  dcs_cutoff_options cutoff;
  const char *grid, *out, *device, *record;
  bool explain, time;
} arguments;

enum { KEY_GRID = 3000, KEY_DISPATCH, KEY_EXPLAIN, KEY_TIME };

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &a->problem;
    state->child_inputs[1] = &a->cutoff;
    return 0;
  case 'o':
    a->out = arg;
    return 0;
  case 'd':
    a->device = arg;
    return 0;
  case KEY_GRID:
    a->grid = arg;
    return 0;
  case KEY_DISPATCH:
    a->record = arg;
    return 0;
  case KEY_EXPLAIN:
    a->explain = true;
    return 0;
  case KEY_TIME:
    a->time = true;
    return 0;
  case ARGP_KEY_ARG:
    if (a->problem.input) return ARGP_ERR_UNKNOWN;
    a->problem.input = arg;
    return 0;
  case ARGP_KEY_END:
    if (!a->problem.input) argp_error(state, "the molecule's PQR file is missing");
    if (!a->out && !a->explain && !a->time)
      argp_error(state, "--out FILE.dx is missing: where to write the map");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static dcs_status check_out(const char *out) {
  const char *ending = out ? strrchr(out, '.') : NULL;
  if (!out || (ending && strcmp(ending, ".dx") == 0)) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--out: found \"%s\"; expected a name that ends in .dx (OpenDX)", out);
}

/* A run folder stands for the record in it. One that is damaged or of another machine is done
 * without, as in the library; one that is not there is a slip of the user's. */
static dcs_status record_path(const char *record, char path[4096]) {
  struct stat facts;
  bool folder = stat(record, &facts) == 0 && S_ISDIR(facts.st_mode);
  if (snprintf(path, 4096, "%s%s", record, folder ? "/dispatch.csv" : "") >= 4096)
    return dcs_fail(DCS_USAGE, "--dispatch: the name is too long");
  if (stat(path, &facts) == 0) return DCS_OK;
  return dcs_fail(DCS_IO, "%s: %s; `dcsbench dispatch DIR` writes it into a run folder", path,
                  strerror(errno));
}

/* ---- timing ---- */

static dcs_status time_maps(dcs_mapper *mapper, const dcs_map_request *r, float *map) {
  enum { MAPS = 15 };
  double whole[MAPS], method[MAPS], share[MAPS];
  for (int i = 0; i < MAPS; i++) {
    double start = dcs_now_ns();
    DCS_TRY(dcs_map(mapper, r, map));
    whole[i] = dcs_now_ns() - start;
    method[i] = dcs_map_method_ns(mapper);
    share[i] = method[i] > 0 ? whole[i] / method[i] - 1 : NAN;
  }
  if (isnan(share[0])) return dcs_fail(DCS_UNAVAILABLE, "this device has no times");
  printf("%d maps of %lld atoms on %lldx%lldx%lld points: %.4g ms a map, of them %.4g ms the "
         "method; the library adds %.3f%% (medians)\n",
         MAPS, (long long)r->n_atoms, (long long)r->nx, (long long)r->ny, (long long)r->nz,
         1e-6 * dcs_summarize(whole, MAPS).median, 1e-6 * dcs_summarize(method, MAPS).median,
         100 * dcs_summarize(share, MAPS).median);
  return DCS_OK;
}

/* ---- map ---- */

static void print_explanation(FILE *out, dcs_mapper *mapper, const dcs_map_request *r) {
  char text[16384];
  if (dcs_explain(mapper, r, text, sizeof text) == DCS_OK) fputs(text, out);
}

static dcs_status compute(const arguments *a, dcs_mapper *mapper, const dcs_map_request *r,
                          const dcs_case *c, float *map) {
  if (a->explain || a->record) print_explanation(a->explain ? stdout : stderr, mapper, r);
  if (!a->out && !a->time) return DCS_OK;
  signal(SIGINT, SIG_DFL); /* there is nothing to save yet: an interrupt ends the program */
  signal(SIGTERM, SIG_DFL);
  DCS_TRY(dcs_map(mapper, r, map));
  if (a->time) DCS_TRY(time_maps(mapper, r, map));
  dcs_interrupt_catch();
  return a->out ? dcs_map_write_dx(a->out, c, map) : DCS_OK;
}

static dcs_status map_case(const arguments *a, const dcs_molecule *m, const dcs_case *c) {
  char record[4096];
  dcs_mapper_options options = {.device = a->device};
  dcs_mapper *mapper;
  if (a->record) DCS_TRY(record_path(a->record, record));
  if (a->record) options.record = record;
  int64_t points = dcs_points(c->problem.n);
  float *map = malloc((size_t)points * sizeof *map);
  double *atoms = malloc((size_t)m->n * 4 * sizeof *atoms);
  const dcs_problem *p = &c->problem;
  dcs_map_request r = {.n_atoms = m->n,
                       .atoms = atoms,
                       .spacing = c->spacing,
                       .nx = p->n.x,
                       .ny = p->n.y,
                       .nz = p->n.z,
                       .cutoff = (double)p->cutoff,
                       .smooth = p->smooth != DCS_SMOOTH_NONE};
  memcpy(r.origin, c->origin, sizeof r.origin);
  for (int64_t i = 0; atoms && i < m->n; i++)
    memcpy(atoms + 4 * i, &m->sites[i], 4 * sizeof *atoms); /* x, y, z, q come first */
  dcs_status status = map && atoms ? dcs_mapper_open(&options, &mapper)
                                   : dcs_fail(DCS_UNAVAILABLE, "no memory for a map of %lld points",
                                              (long long)points);
  if (status == DCS_OK) {
    status = compute(a, mapper, &r, c, map);
    dcs_mapper_close(mapper);
  }
  free(atoms);
  free(map);
  return status;
}

static dcs_status map_file(const arguments *a) {
  dcs_molecule m;
  dcs_case c;
  dcs_grid grid = a->problem.grid;
  DCS_TRY(check_out(a->out));
  if (a->grid) DCS_TRY(dcs_parse_grid(a->grid, &grid.n));
  DCS_TRY(dcs_pqr_read(a->problem.input, &m, stderr));
  dcs_status status = dcs_case_build(&m, &grid, &c);
  if (status == DCS_OK) {
    if (c.n_coincident)
      fprintf(stderr, "%lld atoms lie on grid points and are left out of the sums there\n",
              (long long)c.n_coincident);
    status = dcs_set_cutoff(&a->cutoff, &c);
    if (status == DCS_OK) status = map_case(a, &m, &c);
    dcs_case_free(&c);
  }
  dcs_molecule_free(&m);
  return status;
}

dcs_status dcs_command_map(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"out", 'o', "FILE.dx", 0, "where to write the map, in OpenDX form", 0},
      {"grid", KEY_GRID, "GRID", 0, "NXxNYxNZ or N^3 points (what the molecule's box needs)", 0},
      {"dispatch", KEY_DISPATCH, "DIR", 0,
       "decide by DIR/dispatch.csv, as `dcsbench dispatch` wrote it on this machine", 0},
      {"device", 'd', "DEVICE", 0,
       "where beside the CPU: cpu (nowhere else), cuda:N or emulated (a GPU by the record)", 0},
      {"explain", KEY_EXPLAIN, NULL, 0, "say which method was taken, and why", 0},
      {"time", KEY_TIME, NULL, 0, "compute 15 maps more, and say what the library adds", 0},
      {0}};
  static const struct argp_child children[] = {
      {&dcs_problem_argp, 0, NULL, 0}, {&dcs_cutoff_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "FILE.pqr",
      .doc =
          "Compute the potential map of a molecule by the fastest method, and write it in "
          "e/angstrom. Without a record of decisions, or where it is of another machine or "
          "program or has nothing measured within such a cutoff, the CPU computes, by the highest "
          "rung of the ladder that runs here; with --device cuda:N, that GPU.",
      .children = children};
  arguments a = {.problem = dcs_problem_defaults()};
  argp_parse(&argp, argc, argv, 0, NULL, &a);
  return map_file(&a);
}
