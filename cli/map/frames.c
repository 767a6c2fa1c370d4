/* Maps of several frames: their mean, or each of them. */
#include "cli/map/frames.h"

#include "cli/map/frame_files.h"
#include "cli/map/ranks.h"
#include "harness/base/clock.h"
#include "harness/base/machine.h"
#include "harness/figures/slice.h"
#include "harness/frames/frames.h"
#include "library/frames/mean.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the job ---- */

typedef struct {
  const dcs_map_arguments *a;
  dcs_molecule top; /* where the first frame has its atoms */
  dcs_frames *frames;
  int64_t first, count; /* its number; how many there are, below 0: not known */
  dcs_map_request request;
  dcs_field field; /* the grid of all maps; values: a copy of one */
  double factor;   /* what 1 e/A is in the units asked for */
  dcs_frame_name each;
  dcs_progress progress;
  dcs_timeline timeline;
} frames_map;

/* Quietly: there may be thousands. */
static dcs_status write_frame(void *user, int64_t number, const float *map) {
  frames_map *f = user;
  char path[4096];
  DCS_TRY(dcs_frame_name_of(&f->each, number, path));
  memcpy(f->field.values, map, (size_t)dcs_points(f->field.n) * sizeof *map);
  dcs_field_scale(&f->field, f->factor, f->a->units.units->name);
  return dcs_is_picture(path) ? dcs_slice_draw(path, &f->field) : dcs_field_write(path, &f->field);
}

/* ---- memory ---- */

/* Devices, or CPUs of ranks, that compute on this host: ranks share its devices, or divide them. */
static int count_computing(const dcs_map_arguments *a) {
  dcs_device_list devices = {.n = 1};
  if (dcs_names_several(a->device) && dcs_device_list_of(a->device, &devices) != DCS_OK)
    devices.n = 1; /* opening them says why */
  return devices.n > dcs_job->local_size ? devices.n : dcs_job->local_size;
}

/* Bytes a point of this host. Each device, or the CPU, has a map and the sums of two blocks; rank 0
 * has the sums of all, and what is written of them; a rank the map that it writes. */
static double bytes_a_point(const dcs_map_arguments *a) {
  const double block = sizeof(float) + 2 * sizeof(double) * (a->variance ? 2 : 1);
  const double whole =
      a->variance ? 4 * sizeof(double) + 3 * sizeof(float) : sizeof(double) + sizeof(float);
  return count_computing(a) * block + (dcs_job->rank == 0 ? whole : 0) +
         (a->each ? dcs_job->local_size * (double)sizeof(float) : 0);
}

static dcs_status check_memory(const frames_map *f) {
  static const double share = 0.9; /* of what is free: the rest is left to others */
  const dcs_dims n = f->field.n;
  const double each = bytes_a_point(f->a), needed = (double)dcs_points(n) * each;
  const double available = (double)dcs_available_memory();
  char ranks[64] = "";
  if (needed <= share * available) return DCS_OK;
  if (dcs_job->local_size > 1)
    snprintf(ranks, sizeof ranks, " by %d ranks of this host", dcs_job->local_size);
  return dcs_fail(
      DCS_UNAVAILABLE,
      "%lldx%lldx%lld points need %.3g GB of memory, %g bytes a point for %s%s; %.3g GB "
      "are free",
      (long long)n.x, (long long)n.y, (long long)n.z, 1e-9 * needed, each,
      f->a->variance ? "mean and variance" : "the mean", ranks, 1e-9 * available);
}

/* ---- results ---- */

static dcs_status write_result(frames_map *f, const char *what, double factor, const char *units,
                               float *values) {
  const char *out = f->a->out;
  char path[4096];
  snprintf(path, sizeof path, "%s", out);
  if (*what) DCS_TRY(dcs_name_beside(out, what, path));
  dcs_field field = f->field;
  field.values = values;
  dcs_field_scale(&field, factor, units);
  return dcs_write_map(path, &field, NULL);
}

static dcs_status write_results(frames_map *f, const dcs_average *average, float *results[3]) {
  const char *units = f->a->units.units->name;
  char squared[DCS_UNITS_TEXT];
  snprintf(squared, sizeof squared, "(%s)^2", units);
  DCS_TRY(dcs_average_finish(average, results[0], results[1], results[2]));
  DCS_TRY(write_result(f, "", f->factor, units, results[0]));
  if (!f->a->variance) return DCS_OK;
  DCS_TRY(write_result(f, "variance", f->factor * f->factor, squared, results[1]));
  return write_result(f, "error", f->factor, units, results[2]);
}

static dcs_status write_average(frames_map *f, const dcs_average *average) {
  const size_t bytes = (size_t)dcs_points(f->field.n) * sizeof(float);
  float *results[3] = {NULL};
  bool room = true;
  for (int r = 0; r < (f->a->variance ? 3 : 1); r++)
    room = room && (results[r] = malloc(bytes));
  const dcs_status status = room ? write_results(f, average, results)
                                 : dcs_fail(DCS_UNAVAILABLE, "no memory to write the mean");
  for (int r = 0; r < 3; r++)
    free(results[r]);
  return status;
}

/* ---- computing ---- */

static void explain(const dcs_frames_job *job, const frames_map *f) {
  dcs_map_request request = f->request;
  dcs_mapper *mapper;
  char text[16384];
  request.n_atoms = f->top.n;
  const dcs_mapper_options how = {
      .device = job->device, .dispatch = job->dispatch, .threads = job->threads};
  if (dcs_mapper_open(&how, &mapper) != DCS_OK) return;
  if (dcs_explain(mapper, &request, text, sizeof text) == DCS_OK)
    fputs(text, f->a->explain ? stdout : stderr);
  dcs_mapper_close(mapper);
}

/* What rank 0 does with what all have computed; the checkpoint has then served. */
static dcs_status finish(frames_map *f, const dcs_average *average) {
  const dcs_map_arguments *a = f->a;
  if (a->each)
    fprintf(stderr, "%s: maps of %lld frames\n", a->each, (long long)dcs_average_frames(average));
  if (a->average) DCS_TRY(write_average(f, average));
  if (a->checkpoint) unlink(a->checkpoint);
  return DCS_OK;
}

/* Of this rank, for the table of all. */
static dcs_status print_rank_times(const frames_map *f, const dcs_frames_times *t,
                                   double writing_s) {
  dcs_rank_times mine = {.parts = dcs_divide_up(t->frames, DCS_FRAME_BLOCK),
                         .most_parts = dcs_divide_up(f->count, DCS_FRAME_BLOCK),
                         .reading_s = t->busy_s[DCS_STAGE_READING],
                         .computing_s = t->busy_s[DCS_STAGE_COMPUTING],
                         .writing_s = writing_s};
  return dcs_print_rank_times(dcs_job, &mine);
}

static dcs_status compute_mean(frames_map *f, const dcs_mean_job *mean) {
  dcs_frames_times times;
  dcs_average *average;
  f->progress = dcs_progress_start();
  dcs_status status = dcs_frames_mean(mean, &average, &times);
  dcs_progress_clear(&f->progress);
  if (*times.lost) fprintf(stderr, "%s\n", times.lost);
  const double start = dcs_now_ns();
  if (status == DCS_OK && dcs_job->rank == 0) status = finish(f, average);
  if (status == DCS_OK && f->a->time && dcs_job == dcs_alone())
    status = dcs_map_print_frame_times(&times, f->a->csv, f->a->json);
  else if (status == DCS_OK && f->a->time)
    status = print_rank_times(f, &times, 1e-9 * (dcs_now_ns() - start));
  if (status == DCS_OK && f->a->timeline)
    status = dcs_map_write_timeline(f->a->timeline, &times, &f->timeline);
  dcs_average_close(average);
  return status;
}

static dcs_status compute(frames_map *f) {
  const dcs_map_arguments *a = f->a;
  char dispatch[4096], own[DCS_TEXT], method[512];
  dcs_mean_job mean = {.job = {.frames = f->frames,
                               .top = &f->top,
                               .request = &f->request,
                               .device = dcs_rank_device(dcs_job, a->device, own),
                               .threads = dcs_rank_threads(dcs_job),
                               .variance = a->variance,
                               .timeline = a->timeline ? &f->timeline : NULL,
                               .each = a->each ? write_frame : NULL},
                       .each_user = f,
                       .workers = dcs_job,
                       .checkpoint = a->checkpoint,
                       .progress = &f->progress};
  if (a->dispatch) DCS_TRY(dcs_map_dispatch_path(a->dispatch, dispatch));
  if (a->dispatch) mean.job.dispatch = dispatch;
  if (a->explain || a->dispatch) explain(&mean.job, f);
  if (a->explain) {
    DCS_TRY(dcs_frames_method(&mean.job, method, &mean.job.opened));
    printf("all frames by %s\n", method);
    mean.job.method = method;
  }
  return compute_mean(f, &mean);
}

/* ---- the grid, and the first frame ---- */

/* The topology's atoms get the places and the cell of the first frame. */
static dcs_status place_top(frames_map *f) {
  dcs_frame frame = {.places = malloc((size_t)f->top.n * 3 * sizeof(double))};
  bool found = false;
  if (!frame.places)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms", (long long)f->top.n);
  const dcs_status status = dcs_frames_next(f->frames, &frame, &found);
  for (int64_t i = 0; status == DCS_OK && i < f->top.n; i++) {
    f->top.sites[i].x = frame.places[3 * i];
    f->top.sites[i].y = frame.places[3 * i + 1];
    f->top.sites[i].z = frame.places[3 * i + 2];
  }
  if (frame.cell.edge[0] > 0) f->top.cell = frame.cell;
  f->first = frame.number;
  free(frame.places);
  DCS_TRY(status);
  return dcs_frames_seek(f->frames, 0);
}

static void say_grid(const frames_map *f, bool typed) {
  const dcs_dims n = f->field.n;
  if (f->count >= 0) fprintf(stderr, "%lld ", (long long)f->count);
  fprintf(stderr, "frame%s on %lldx%lldx%lld points, fixed in space", f->count == 1 ? "" : "s",
          (long long)n.x, (long long)n.y, (long long)n.z);
  if (!typed)
    fprintf(stderr, ": %s of frame %lld", f->request.periodic ? "the cell" : "around the atoms",
            (long long)f->first);
  fputc('\n', stderr);
}

static dcs_status fix_grid(frames_map *f, const dcs_kind *kind, dcs_config *problem) {
  dcs_grid grid;
  DCS_TRY(dcs_map_grid(f->a, &f->top, kind, problem, &grid));
  DCS_TRY(dcs_case_grid(&f->top, &grid));
  if (f->a->out) DCS_TRY(dcs_check_map_grid(f->a->out, grid.n));
  if (f->a->each) DCS_TRY(dcs_check_map_grid(f->a->each, grid.n));
  const dcs_problem p = {.n = grid.n,
                         .spacing = (float)grid.spacing,
                         .given_spacing = grid.spacing,
                         .config = *problem};
  f->request = dcs_map_request_of(&p, grid.spacing, grid.origin);
  f->field = (dcs_field){.n = grid.n, .spacing = {grid.spacing, grid.spacing, grid.spacing}};
  memcpy(f->field.origin, grid.origin, sizeof grid.origin);
  say_grid(f, f->a->problem.grid.has_origin);
  return DCS_OK;
}

/* ---- all of it ---- */

static dcs_status run(frames_map *f, const dcs_kind *kind, dcs_config *problem) {
  const dcs_map_arguments *a = f->a;
  DCS_TRY(place_top(f));
  DCS_TRY(fix_grid(f, kind, problem));
  if (f->request.periodic && a->align)
    return dcs_fail(DCS_USAGE, "--align and a periodic boundary: the cell would turn with the "
                               "atoms; expected one of them");
  if (a->variance && f->count == 1)
    return dcs_fail(DCS_USAGE, "--variance: found one frame; expected two or more");
  DCS_TRY(check_memory(f));
  if (a->each) DCS_TRY(dcs_frame_name_read(a->each, &f->each));
  if (a->each) DCS_TRY(dcs_field_allocate(&f->field));
  return compute(f);
}

static dcs_status open_frames(frames_map *f) {
  const dcs_map_arguments *a = f->a;
  const int n = 1 + a->n_more;
  dcs_frame_range range = DCS_ALL_FRAMES;
  const char **files = malloc((size_t)n * sizeof *files);
  if (!files) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d files", n);
  files[0] = a->problem.input.files[1];
  for (int i = 1; i < n; i++)
    files[i] = a->more[i - 1];
  dcs_status status = a->frames ? dcs_parse_frames(a->frames, &range) : DCS_OK;
  if (status == DCS_OK) status = dcs_frames_open(files, n, &f->top, &range, stderr, &f->frames);
  free(files);
  DCS_TRY(status);
  f->count = dcs_frames_count(f->frames);
  return a->align ? dcs_frames_align(f->frames, a->align) : DCS_OK;
}

dcs_status dcs_map_frames(const dcs_map_arguments *a, const dcs_kind *kind, dcs_config *problem) {
  const dcs_input *input = &a->problem.input;
  frames_map f = {.a = a, .factor = dcs_units_factor(a->units.units, a->units.kelvin)};
  DCS_TRY(dcs_topology_read(input->files[0], &input->how, &f.top, stderr));
  dcs_status status = open_frames(&f);
  /* A cell that was typed holds for all frames. */
  if (status == DCS_OK && problem->value[kind->cell_edges] > 0) dcs_frames_without_cells(f.frames);
  if (status == DCS_OK) status = run(&f, kind, problem);
  dcs_frames_close(f.frames);
  free(f.field.values);
  dcs_timeline_free(&f.timeline);
  dcs_molecule_free(&f.top);
  return status;
}
