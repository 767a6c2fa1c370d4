/* dcsbench map */
#include "cli/commands.h"
#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "harness/judge/stats.h"
#include "harness/output/map_write.h"
#include "kernels/coulomb/coulomb.h"
#include "library/dcsbench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  dcs_problem_options problem;
  dcs_problem_choice choice;
  const char *grid, *out, *device, *dispatch;
  bool explain, time;
} arguments;

static const dcs_option options[] = {
    {"out", 'o', "FILE", "where to write the map; the name ends in %1$s", DCS_WORD(arguments, out)},
    {"grid", 0, "GRID", "NXxNYxNZ or N^3 points (what the molecule's box needs)",
     DCS_WORD(arguments, grid)},
    {"dispatch", 0, "DIR",
     "decide by DIR/dispatch.csv, as `dcsbench dispatch` wrote it on this machine",
     DCS_WORD(arguments, dispatch)},
    {"device", 'd', "DEVICE",
     "where beside the CPU: cpu (nowhere else), %1$s (a GPU by the dispatch table)",
     DCS_WORD(arguments, device)},
    {"explain", 0, NULL, "say which method was taken, and why", DCS_FLAG(arguments, explain)},
    {"time", 0, NULL, "compute 15 maps more, and say what the library adds",
     DCS_FLAG(arguments, time)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  if (a->out || a->explain || a->time) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--out FILE is missing: where to write the map");
}

/* A run folder stands for the dispatch table in it. One that is damaged or of another machine is
 * done without, as in the library; one that is not there is a slip of the user's. */
static dcs_status dispatch_path(const char *dispatch, char path[4096]) {
  struct stat facts;
  bool folder = stat(dispatch, &facts) == 0 && S_ISDIR(facts.st_mode);
  if (snprintf(path, 4096, "%s%s", dispatch, folder ? "/dispatch.csv" : "") >= 4096)
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
  if (a->explain || a->dispatch) print_explanation(a->explain ? stdout : stderr, mapper, r);
  if (!a->out && !a->time) return DCS_OK;
  dcs_interrupt_release(); /* there is nothing to save yet: an interrupt ends the program */
  DCS_TRY(dcs_map(mapper, r, map));
  if (a->time) DCS_TRY(time_maps(mapper, r, map));
  dcs_interrupt_catch();
  return a->out ? dcs_map_write(a->out, c, map) : DCS_OK;
}

static dcs_status map_case(const arguments *a, const dcs_molecule *m, const dcs_case *c) {
  char dispatch[4096];
  dcs_mapper_options how = {.device = a->device};
  dcs_mapper *mapper;
  if (a->dispatch) DCS_TRY(dispatch_path(a->dispatch, dispatch));
  if (a->dispatch) how.dispatch = dispatch;
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
                       .cutoff = p->config.value[DCS_COULOMB_CUTOFF],
                       .switched = dcs_switched(p)};
  memcpy(r.origin, c->origin, sizeof r.origin);
  for (int64_t i = 0; atoms && i < m->n; i++)
    memcpy(atoms + 4 * i, &m->sites[i], 4 * sizeof *atoms); /* x, y, z, q come first */
  dcs_status status = map && atoms ? dcs_mapper_open(&how, &mapper)
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
  const dcs_writer *writer;
  const dcs_kind *kind;
  dcs_config problem;
  dcs_grid grid = a->problem.grid;
  if (a->out) DCS_TRY(dcs_map_format(a->out, &writer));
  DCS_TRY(dcs_one_problem(&a->choice, &kind, &problem));
  if (kind != dcs_kinds[0])
    return dcs_fail(DCS_USAGE, "--problem: found %s; expected %s: the library computes no other",
                    kind->id, dcs_kinds[0]->id);
  if (a->grid) DCS_TRY(dcs_parse_grid(a->grid, &grid.n));
  DCS_TRY(dcs_molecule_read(a->problem.input, &m, stderr));
  dcs_status status = dcs_case_build(kind, &problem, &m, &grid, &c);
  if (status == DCS_OK) {
    char left_out[DCS_TEXT];
    if (*dcs_case_left_out(&c, left_out)) fprintf(stderr, "%s\n", left_out);
    status = map_case(a, &m, &c);
    dcs_case_free(&c);
  }
  dcs_molecule_free(&m);
  return status;
}

dcs_status dcs_command_map(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "FILE",
      .doc =
          "Compute the potential map of a molecule by the fastest method, and write it in "
          "e/angstrom. Without a dispatch table, or where it is of another machine or "
          "program or has nothing measured within such a cutoff, the CPU computes, by the highest "
          "rung of the ladder that runs here; with --device, the GPU that it names, by the method "
          "that took least on the reference card of its compute capability.",
      .place = DCS_PLACE(arguments, problem.input, const char *),
      .words = 1,
      .missing = "the molecule's file is missing",
      .check = check};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a,
                            (dcs_shared_options){.problem = &a.problem, .choice = &a.choice}));
  return map_file(&a);
}
