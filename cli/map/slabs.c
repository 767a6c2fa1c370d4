#include "cli/map/slabs.h"

#include "cli/commands.h"
#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/base/machine.h"

#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* ---- computing ---- */

dcs_status dcs_map_slab(dcs_map_job *job, int64_t from, int64_t end, float *values) {
  dcs_field slab = {.n = {job->n.x, job->n.y, end - from}, .values = values};
  const double start = dcs_now_ns();
  DCS_TRY(dcs_mapper_slices(job->mapper, from, end, values));
  dcs_field_scale(&slab, job->factor, job->units);
  job->computing_ns += dcs_now_ns() - start;
  return DCS_OK;
}

static dcs_status compute_slab(void *with, int64_t from, int64_t end, float *values) {
  return dcs_map_slab(with, from, end, values);
}

/* In slabs as well, so that there is progress to tell of. */
static dcs_status compute_values(dcs_map_job *job, dcs_field *field) {
  const int64_t slice = field->n.x * field->n.y;
  const int64_t slices = dcs_mapper_slab_slices(job->mapper);
  dcs_status status = DCS_OK;
  dcs_interrupt_release(); /* there is nothing to save yet: an interrupt ends the program */
  for (int64_t from = 0, end; status == DCS_OK && from < field->n.z; from = end) {
    end = from + slices < field->n.z ? from + slices : field->n.z;
    dcs_progress_draw(&job->progress, (double)from / (double)field->n.z, "computing");
    status = compute_slab(job, from, end, field->values + from * slice);
  }
  dcs_interrupt_catch();
  dcs_progress_next(&job->progress);
  return status;
}

/* ---- memory ---- */

/* Of what is free, what a map may take; the rest is left to devices, files and other programs. */
#define SHARE_WHOLE 0.9
#define SHARE_SLABS 0.5

/* Bytes: planes of constant x, a few, are in memory while a map is written. */
static double plane_bytes(dcs_dims n, int64_t slices) {
  return 16.0 * (double)n.y * (double)slices * sizeof(float);
}

static double needed_bytes(dcs_dims n, int64_t slices) {
  return (double)n.x * (double)n.y * (double)slices * sizeof(float) + plane_bytes(n, slices) +
         (double)n.y * (double)n.z * sizeof(float);
}

bool dcs_map_fits(dcs_dims n, int64_t slices, double available) {
  return needed_bytes(n, slices) <= SHARE_WHOLE * available;
}

double dcs_map_memory(dcs_map_job *job, int processes) {
  job->working = processes * dcs_mapper_working_bytes(job->mapper);
  return fmax((double)dcs_available_memory() - job->working, 0);
}

char *dcs_map_tell_free(const dcs_map_job *job, double available, char text[128]) {
  const int used = snprintf(text, 128, "%.3g GB are free", 1e-9 * available);
  if (job->working > 0.01 * available)
    snprintf(text + used, 128 - (size_t)used, " beside %.3g GB that the method takes",
             1e-9 * job->working);
  return text;
}

static dcs_status too_large(const dcs_map_job *job, int64_t slices, double available) {
  const dcs_dims n = job->n;
  char text[128];
  return dcs_fail(DCS_UNAVAILABLE, "%lldx%lldx%lld points need %.3g GB of memory%s; %s",
                  (long long)n.x, (long long)n.y, (long long)n.z, 1e-9 * needed_bytes(n, slices),
                  slices < n.z ? ", slice by slice" : "", dcs_map_tell_free(job, available, text));
}

/* As many slices as half of the memory has room for, a multiple of the step where there is. */
static dcs_status choose_slab(dcs_map_job *job, dcs_dims n, double available) {
  const int64_t step = dcs_mapper_slab_step(job->mapper);
  const double one = needed_bytes(n, 1), two = needed_bytes(n, 2);
  int64_t slices = 1 + (int64_t)floor((SHARE_SLABS * available - one) / (two - one));
  if (slices < 1 || job->whole) return too_large(job, job->whole ? n.z : 1, available);
  if (slices > step) slices -= slices % step;
  job->slabs.slices = slices < n.z ? slices : n.z;
  return DCS_OK;
}

static void say_slabs(const dcs_map_job *job, dcs_dims n, double available) {
  const dcs_field_format *format;
  const double bytes = (double)dcs_points(n) * sizeof(float);
  char text[128];
  const bool waits = dcs_field_format_of(job->path, &format) == DCS_OK && !format->x_fastest;
  fprintf(stderr,
          "the map needs %.3g GB of memory, and %s: it is computed in %lld slabs of %lld slices",
          1e-9 * needed_bytes(n, n.z), dcs_map_tell_free(job, available, text),
          (long long)dcs_divide_up(n.z, job->slabs.slices), (long long)job->slabs.slices);
  if (waits)
    fprintf(stderr, ", which wait in a file of %.3g GB beside %s", 1e-9 * bytes, job->path);
  fputc('\n', stderr);
}

static dcs_status begin_slabs(dcs_map_job *job, dcs_field *field, double available) {
  DCS_TRY(choose_slab(job, field->n, available));
  const size_t points = (size_t)field->n.x * (size_t)field->n.y * (size_t)job->slabs.slices;
  job->slabs.values = malloc(points * sizeof *job->slabs.values);
  if (!job->slabs.values) return too_large(job, job->slabs.slices, available);
  job->slabs.compute = compute_slab;
  job->slabs.with = job;
  job->slabs.beside = job->path;
  field->slabs = &job->slabs;
  say_slabs(job, field->n, available);
  return DCS_OK;
}

/* ---- disk ---- */

/* Where the map is to be written there is room for it, and for what waits: else nothing would be
 * left of a long computation. Pipes and devices have room. */
dcs_status dcs_map_check_disk(const dcs_map_job *job, bool slabs) {
  const dcs_field_format *format;
  struct stat facts;
  struct statvfs disk;
  char folder[4096];
  if (!job->path || dcs_field_format_of(job->path, &format) != DCS_OK) return DCS_OK;
  if (stat(job->path, &facts) == 0 && !S_ISREG(facts.st_mode)) return DCS_OK;
  snprintf(folder, sizeof folder, "%s", job->path);
  if (statvfs(dirname(folder), &disk) != 0 || disk.f_blocks == 0) return DCS_OK; /* writing says */
  const double waiting = slabs && !format->x_fastest ? sizeof(float) : 0;
  const double bytes = (double)dcs_points(job->n) * (format->least_bytes + waiting);
  const double available = (double)disk.f_bavail * (double)disk.f_frsize;
  if (bytes <= available) return DCS_OK;
  return dcs_fail(DCS_IO, "%s: %lldx%lldx%lld points need %.3g GB of disk%s; %.3g GB are free",
                  job->path, (long long)job->n.x, (long long)job->n.y, (long long)job->n.z,
                  1e-9 * bytes, waiting > 0 ? ", slabs that wait included" : "", 1e-9 * available);
}

dcs_status dcs_map_pose(dcs_map_job *job) {
  return job->request ? dcs_mapper_pose(job->mapper, job->request)
                      : dcs_mapper_pose_case(job->mapper, job->c);
}

dcs_status dcs_map_begin(dcs_map_job *job, dcs_field *field) {
  DCS_TRY(dcs_map_pose(job));
  job->n = field->n;
  job->progress = dcs_progress_start();
  snprintf(field->units, sizeof field->units, "%s", job->units);
  const double available = dcs_map_memory(job, 1);
  const bool slabs = !dcs_map_fits(field->n, field->n.z, available);
  DCS_TRY(dcs_map_check_disk(job, slabs));
  if (slabs) return begin_slabs(job, field, available);
  DCS_TRY(dcs_field_allocate(field));
  const dcs_status status = compute_values(job, field);
  dcs_progress_clear(&job->progress);
  return status;
}

dcs_status dcs_map_write(dcs_map_job *job, dcs_field *field) {
  field->progress = &job->progress;
  return dcs_write_map(job->path, field, &job->computing_ns);
}

void dcs_map_end(dcs_map_job *job) {
  free(job->slabs.values);
}
