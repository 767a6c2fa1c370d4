/* dcsbench map */
#include "cli/map/frames.h"
#include "cli/map/ranks.h"
#include "cli/map/surface.h"
#include "harness/base/clock.h"
#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "harness/figures/slice.h"
#include "harness/judge/stats.h"
#include "harness/output/points.h"
#include "kernels/coulomb/coulomb.h"
#include "library/map_phases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef dcs_map_arguments arguments;

static const dcs_option options[] = {
    {"out", 'o', "FILE",
     "where to write the map; the name ends in %1$s, of a slice also in .png or .svg",
     DCS_WORD(arguments, out)},
    {"grid", 0, "GRID", "NXxNYxNZ or N^3 points (what the molecule's box needs)",
     DCS_WORD(arguments, grid)},
    {"slice", 0, "AXIS=ANGSTROM",
     "compute only the plane of the grid that is nearest: z=12.5; of two axes the line: x=1,y=2",
     DCS_WORD(arguments, slice)},
    {"at", 0, "FILE",
     "compute at points instead of a grid, in double precision on the CPU: a CSV with the columns "
     "x, y, z, angstrom; to --out FILE.csv or standard output",
     DCS_WORD(arguments, at)},
    {"isovalue", 0, "V,...",
     "the surface of the map at V, in its units, as triangles: to --out FILE.ply or .obj, with its "
     "area and volume to standard output; 0.05,-0.05 for both signs of an orbital",
     DCS_WORD(arguments, isovalue)},
    {"dispatch", 0, "DIR",
     "decide by DIR/dispatch.csv, as `dcsbench dispatch` wrote it on this machine",
     DCS_WORD(arguments, dispatch)},
    {"device", 'd', "DEVICE",
     "where beside the CPU: cpu (nowhere else), %1$s (a GPU by the dispatch table), or several "
     "that share each map, or the frames: %3$s",
     DCS_WORD(arguments, device)},
    {"explain", 0, NULL, "say which method was taken, and why", DCS_FLAG(arguments, explain)},
    {"time", 0, NULL,
     "compute 15 maps more, and say what the library adds and what the method's phases take; of "
     "several frames, what the stages did: reading, preparing, copying, computing, adding",
     DCS_FLAG(arguments, time)},
    {"timeline", 0, "DIR",
     "of several frames, write DIR/timeline.csv and draw DIR/plots/timeline.png and .svg: when "
     "each "
     "stage was busy, and when idle",
     DCS_WORD(arguments, timeline)},
    {"csv", 'c', NULL, "print the stages of --time, or the surfaces, as CSV",
     DCS_FLAG(arguments, csv)},
    {"json", 'j', NULL, "print the same as JSON", DCS_FLAG(arguments, json)},
    {"average", 0, NULL, "the mean of the maps of the frames of all TRAJ, to --out",
     DCS_FLAG(arguments, average)},
    {"variance", 0, NULL,
     "also their variance and the mean's standard error, to NAME_variance and NAME_error",
     DCS_FLAG(arguments, variance)},
    {"each", 0, "PATTERN", "a map a frame, such as 'map_%05d.npy': %d is the frame's number",
     DCS_WORD(arguments, each)},
    {"frames", 0, "FIRST:LAST:STEP",
     "which frames are averaged or written, from 1: 1:5000:10, 100:, 7 (all)",
     DCS_WORD(arguments, frames)},
    {"align", 0, "ATOMS",
     "move each frame by least squares onto the first one's: all, 1:100,205, name=CA,CB",
     DCS_WORD(arguments, align)},
    {"checkpoint", 0, "FILE",
     "keep there what --average has done; the same command goes on from it, and removes it at the "
     "end",
     DCS_WORD(arguments, checkpoint)},
    {0}};

dcs_status dcs_map_dispatch_path(const char *dispatch, char path[4096]) {
  struct stat facts;
  bool folder = stat(dispatch, &facts) == 0 && S_ISDIR(facts.st_mode);
  if (snprintf(path, 4096, "%s%s", dispatch, folder ? "/dispatch.csv" : "") >= 4096)
    return dcs_fail(DCS_USAGE, "--dispatch: the name is too long");
  if (stat(path, &facts) == 0) return DCS_OK;
  return dcs_fail(DCS_IO, "%s: %s; `dcsbench dispatch DIR` writes it into a run folder", path,
                  strerror(errno));
}

/* ---- timing ---- */

/* The mean over maps of each phase, where the method has any. */
static dcs_status time_phases(dcs_mapper *mapper, int maps) {
  dcs_phases phases = {0};
  for (int i = 0; i < maps; i++)
    DCS_TRY(dcs_map_phases(mapper, &phases));
  if (phases.n < 2) return DCS_OK;
  printf("phases, one after another (means):\n");
  for (int i = 0; i < phases.n; i++)
    printf("  %-24s %10.4g ms\n", phases.list[i].name, 1e-6 * phases.list[i].ns / maps);
  return DCS_OK;
}

static dcs_status compute_times(const dcs_map_job *job, float *map) {
  enum { MAPS = 15 };
  double whole[MAPS], method[MAPS], share[MAPS];
  for (int i = 0; i < MAPS; i++) {
    double start = dcs_now_ns();
    DCS_TRY(job->request ? (dcs_status)dcs_map(job->mapper, job->request, map)
                         : dcs_mapper_again(job->mapper, map));
    whole[i] = dcs_now_ns() - start;
    method[i] = dcs_map_method_ns(job->mapper);
    share[i] = method[i] > 0 ? whole[i] / method[i] - 1 : NAN;
  }
  if (isnan(share[0])) return dcs_fail(DCS_UNAVAILABLE, "this device has no times");
  printf("%d maps of %lld atoms on %lldx%lldx%lld points: %.4g ms a map, of them %.4g ms the "
         "method; the library adds %.3f%% (medians)\n",
         MAPS, (long long)job->atoms, (long long)job->n.x, (long long)job->n.y, (long long)job->n.z,
         1e-6 * dcs_summarize(whole, MAPS).median, 1e-6 * dcs_summarize(method, MAPS).median,
         100 * dcs_summarize(share, MAPS).median);
  return time_phases(job->mapper, MAPS);
}

/* On memory of its own. */
static dcs_status time_maps(const dcs_map_job *job) {
  dcs_field map = {.n = job->n};
  DCS_TRY(dcs_field_allocate(&map));
  dcs_interrupt_release();
  const dcs_status status = compute_times(job, map.values);
  dcs_interrupt_catch();
  dcs_field_free(&map);
  return status;
}

/* ---- map ---- */

static void print_explanation(FILE *out, dcs_mapper *mapper, const dcs_case *c) {
  char text[16384];
  const dcs_size size = dcs_case_size(c);
  dcs_mapper_explain(mapper, &size, c->spacing, text, sizeof text);
  fputs(text, out);
}

/* --time is then a table of the ranks. */
static dcs_status compute_by_ranks(const arguments *a, dcs_map_job *job, dcs_field *field) {
  dcs_rank_times times;
  job->whole = !a->out || dcs_is_picture(a->out);
  dcs_status status = dcs_map_by_ranks(dcs_job, job, field, &times);
  if (status == DCS_OK && a->time) status = dcs_print_rank_times(dcs_job, &times);
  dcs_map_end(job);
  return status;
}

/* `request`: NULL of a kind that the library has none of. */
static dcs_status compute(const arguments *a, dcs_mapper *mapper, const dcs_map_request *request,
                          dcs_case *c, dcs_field *field) {
  const bool potential = c->kind->potential;
  dcs_map_job job = {.mapper = mapper,
                     .request = request,
                     .c = c,
                     .atoms = c->n_sites,
                     .path = a->isovalue ? NULL : a->out,
                     .units = potential ? a->units.units->name : c->kind->unit,
                     .factor = potential ? dcs_units_factor(a->units.units, a->units.kelvin) : 1,
                     .whole = !a->out || a->time || a->isovalue || dcs_is_picture(a->out)};
  if (a->explain || a->dispatch) print_explanation(a->explain ? stdout : stderr, mapper, c);
  if (!a->out && !a->time && !a->isovalue) return DCS_OK;
  if (dcs_job != dcs_alone()) return compute_by_ranks(a, &job, field);
  dcs_status status = dcs_map_begin(&job, field);
  if (status == DCS_OK && a->time) status = time_maps(&job);
  if (status == DCS_OK && a->isovalue)
    status = dcs_map_surfaces(a, mapper, field);
  else if (status == DCS_OK && a->out)
    status = dcs_map_write(&job, field);
  dcs_map_end(&job);
  return status;
}

static dcs_status open_mapper(const arguments *a, dcs_mapper **mapper) {
  char dispatch[4096], own[DCS_TEXT];
  dcs_mapper_options how = {.device = dcs_rank_device(dcs_job, a->device, own),
                            .threads = dcs_rank_threads(dcs_job)};
  if (a->dispatch) DCS_TRY(dcs_map_dispatch_path(a->dispatch, dispatch));
  if (a->dispatch) how.dispatch = dispatch;
  return dcs_mapper_open(&how, mapper);
}

dcs_map_request dcs_map_request_of(const dcs_problem *p, double spacing, const double origin[3]) {
  dcs_map_request r = {.spacing = spacing,
                       .nx = p->n.x,
                       .ny = p->n.y,
                       .nz = p->n.z,
                       .cutoff = p->config.value[DCS_COULOMB_CUTOFF],
                       .switched = dcs_switched(p),
                       .tolerance = dcs_tolerance(p),
                       .periodic = dcs_periodic(p)};
  if (r.periodic) dcs_cell_edges(p, r.cell);
  memcpy(r.origin, origin, sizeof r.origin);
  return r;
}

static dcs_status open_and_compute(const arguments *a, const dcs_map_request *request,
                                   dcs_case *c) {
  dcs_mapper *mapper;
  dcs_field field = {.n = c->problem.n, .spacing = {c->spacing, c->spacing, c->spacing}};
  memcpy(field.origin, c->origin, sizeof field.origin);
  DCS_TRY(open_mapper(a, &mapper));
  const dcs_status status = compute(a, mapper, request, c, &field);
  dcs_mapper_close(mapper);
  dcs_field_free(&field);
  return status;
}

/* As programs ask the library, for what it has requests of. */
static dcs_status map_request(const arguments *a, const dcs_molecule *m, dcs_case *c) {
  double *atoms = malloc((size_t)m->n * 4 * sizeof *atoms);
  dcs_map_request r = dcs_map_request_of(&c->problem, c->spacing, c->origin);
  if (!atoms) return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms", (long long)m->n);
  r.n_atoms = m->n;
  r.atoms = atoms;
  for (int64_t i = 0; i < m->n; i++)
    memcpy(atoms + 4 * i, &m->sites[i], 4 * sizeof *atoms); /* x, y, z, q come first */
  const dcs_status status = open_and_compute(a, &r, c);
  free(atoms);
  return status;
}

static dcs_status map_case(const arguments *a, const dcs_molecule *m, dcs_case *c) {
  if (a->out) DCS_TRY(dcs_check_map_grid(a->out, c->problem.n));
  return c->kind == dcs_kinds[0] ? map_request(a, m, c) : open_and_compute(a, NULL, c);
}

/* ---- points of the user's own ---- */

static dcs_status map_points(const arguments *a, const dcs_case *c) {
  dcs_point *points;
  int64_t n, on_atoms;
  const bool potential = c->kind->potential;
  const char *units = potential ? a->units.units->name : c->kind->unit;
  DCS_TRY(dcs_points_read(a->at, &points, &n));
  double *values = malloc((size_t)n * sizeof *values);
  dcs_status status = values ? dcs_points_values(c, points, n, values, &on_atoms)
                             : dcs_fail(DCS_UNAVAILABLE, "no memory for %lld points", (long long)n);
  if (status == DCS_OK && on_atoms && c->kind->singular)
    fprintf(stderr, "%lld points lie on atoms, which are left out of the sum there\n",
            (long long)on_atoms);
  if (status == DCS_OK)
    status = dcs_points_write(a->out, points, n, values, units,
                              potential ? dcs_units_factor(a->units.units, a->units.kelvin) : 1);
  if (status == DCS_OK && a->out)
    fprintf(stderr, "%s: %lld points, %s, CSV\n", a->out, (long long)n, units);
  free(values);
  free(points);
  return status;
}

dcs_status dcs_map_grid(const arguments *a, const dcs_molecule *m, const dcs_kind *kind,
                        dcs_config *problem, dcs_grid *grid) {
  double at[3];
  int64_t first[3];
  *grid = a->problem.grid;
  if (a->grid) DCS_TRY(dcs_parse_grid(a->grid, &grid->n));
  DCS_TRY(dcs_case_settle(kind, m, a->problem.input.files[0], problem, grid));
  for (int d = 0; d < 3; d++)
    if (grid->cell[d] > 0) problem->value[kind->cell_edges + d] = grid->cell[d];
  if (a->at) {
    *grid = (dcs_grid){.n = {1, 1, 1}, .spacing = 1, .has_origin = true};
    dcs_molecule_box(m, grid->origin, at);
    return DCS_OK;
  }
  if (!a->slice) return DCS_OK;
  DCS_TRY(dcs_parse_slice(a->slice, at));
  DCS_TRY(dcs_case_grid(m, grid));
  grid->has_origin = true;
  const double spacing[3] = {grid->spacing, grid->spacing, grid->spacing};
  return dcs_slice_grid(at, grid->origin, spacing, &grid->n, first);
}

static dcs_status map_molecule(const arguments *a, const dcs_kind *kind, dcs_config *problem,
                               const dcs_molecule *m) {
  dcs_case c;
  dcs_grid grid;
  char left_out[DCS_TEXT];
  DCS_TRY(dcs_map_grid(a, m, kind, problem, &grid));
  DCS_TRY(dcs_case_build(kind, problem, m, &grid, &c));
  if (!a->at && *dcs_case_left_out(&c, left_out)) fprintf(stderr, "%s\n", left_out);
  dcs_status status = a->at ? map_points(a, &c) : map_case(a, m, &c);
  dcs_case_free(&c);
  return status;
}

/* Before it is computed, which may take hours; ranks other than 0 write beside rank 0's. */
static dcs_status check_can_write(const arguments *a) {
  if (dcs_job->rank > 0) return DCS_OK;
  if (a->out) DCS_TRY(dcs_check_can_write(a->out));
  return a->checkpoint ? dcs_check_can_write(a->checkpoint) : DCS_OK;
}

static dcs_status map_file(arguments *a) {
  dcs_molecule m;
  const dcs_kind *kind;
  dcs_config problem;
  if (a->out) DCS_TRY(a->isovalue ? dcs_check_mesh_name(a->out) : dcs_check_map_name(a->out));
  DCS_TRY(check_can_write(a));
  if (a->at && dcs_job->rank > 0) return DCS_OK; /* few points: rank 0 computes them */
  if (!a->units.units) a->units.units = &dcs_all_units[0];
  DCS_TRY(dcs_one_problem(&a->choice, &kind, &problem));
  if (a->average || a->each) return dcs_map_frames(a, kind, &problem);
  a->problem.input.how.shape = kind->shape;
  DCS_TRY(dcs_molecule_read(&a->problem.input, &m, stderr));
  dcs_status status = map_molecule(a, kind, &problem, &m);
  dcs_molecule_free(&m);
  return status;
}

/* The files of the input, and trajectories behind them. */
static bool take_word(char *word, void *values) {
  arguments *a = values;
  for (int f = 0; f < 2; f++) {
    if (a->problem.input.files[f]) continue;
    a->problem.input.files[f] = word;
    return true;
  }
  if (dcs_grow(&a->more, (size_t)a->n_more, sizeof *a->more, "files") != DCS_OK) return false;
  a->more[a->n_more++] = word;
  return true;
}

dcs_status dcs_command_map(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "FILE [FILE]\nTOP TRAJ...",
      .doc = "Compute the map of a molecule by the fastest method, and write it: the potential, or "
             "with --problem density or orbital that (results/maps.md). Of two files one gives "
             "charges and the other places, as of --input twice. With --average or --each, the "
             "maps of the frames of trajectories, TRAJ, of the atoms whose charges TOP gives "
             "(results/frames.md).\vThe method is that of the dispatch table. Without one, or "
             "where it is of another machine or program or has nothing measured within such a "
             "cutoff, the CPU computes, by the highest rung of the ladder that runs here; with "
             "--device, the GPU that it names, by the method that took least on the reference card "
             "of its compute capability.\n\nA map that needs more memory than is free is computed "
             "in slabs, which are the same bits but by two methods of the GPU; those of a file in "
             "which z varies fastest wait beside it: results/maps.md.",
      .take_word = take_word,
      .check = dcs_map_check};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(
      &line, argc, argv, &a,
      (dcs_shared_options){.problem = &a.problem, .choice = &a.choice, .units = &a.units}));
  const dcs_status status = map_file(&a);
  free(a.more);
  return status;
}
