/* What of the options of `map` goes together. */
#include "cli/map/frame_files.h"
#include "cli/map/frames.h"
#include "cli/map/surface.h"
#include "harness/figures/slice.h"
#include "harness/files/file.h"
#include "harness/files/folder.h"
#include "harness/frames/frames.h"

#include <stdlib.h>
#include <string.h>

/* ---- of several frames ---- */

static dcs_status alone(const char *option, const char *with) {
  return dcs_fail(DCS_USAGE, "%s: expected %s, too: it is of the maps of several frames", option,
                  with);
}

/* Of one map. */
static dcs_status check_one(const dcs_map_arguments *a) {
  static const char several[] = "--average or --each";
  if (a->variance) return alone("--variance", "--average");
  if (a->checkpoint) return alone("--checkpoint", "--average");
  if (a->align) return alone("--align", several);
  if (a->timeline) return alone("--timeline", several);
  if ((a->csv || a->json) && !a->isovalue)
    return alone(a->csv ? "--csv" : "--json", "--average, --each or --isovalue");
  if (a->frames)
    return dcs_fail(DCS_USAGE,
                    "--frames: expected %s, too; for the map of one frame alone, --frame %s",
                    several, a->frames);
  if (a->more)
    return dcs_fail(DCS_USAGE,
                    "found \"%s\", a third file; expected one, or two of which one gives charges "
                    "and one places; or trajectories, and %s",
                    a->more[0], several);
  return DCS_OK;
}

/* Standard input is read once. */
static dcs_status check_standard_input(const dcs_map_arguments *a) {
  int n = 0;
  for (int f = 0; f < 2; f++)
    n += strcmp(a->problem.input.files[f], "-") == 0;
  for (int f = 0; f < a->n_more; f++)
    n += strcmp(a->more[f], "-") == 0;
  if (n <= 1) return DCS_OK;
  return dcs_fail(DCS_USAGE, "found - twice; expected standard input once");
}

/* What --variance writes beside the mean. */
static const char *const beside[] = {"variance", "error"};
enum { N_BESIDE = sizeof beside / sizeof *beside };

/* Whether the file is one that is read. */
static bool is_read(const dcs_map_arguments *a, const char *path) {
  const dcs_read_options *how = &a->problem.input.how;
  char dispatch[4096];
  for (int f = 0; f < 2; f++)
    if (a->problem.input.files[f] && dcs_is_same_file(path, a->problem.input.files[f])) return true;
  for (int f = 0; f < a->n_more; f++)
    if (dcs_is_same_file(path, a->more[f])) return true;
  for (int p = 0; p < how->n_parameters; p++)
    if (dcs_is_same_file(path, how->parameters[p])) return true;
  if (a->dispatch && dcs_map_dispatch_path(a->dispatch, dispatch) == DCS_OK &&
      dcs_is_same_file(path, dispatch))
    return true;
  return a->at && dcs_is_same_file(path, a->at);
}

static dcs_status check_output(const dcs_map_arguments *a, const char *path) {
  if (!is_read(a, path)) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--out %s: %s is read, too; expected another name", a->out,
                  path == a->out ? "it" : path);
}

/* A map in the place of its molecule would be the last. */
static dcs_status check_out(const dcs_map_arguments *a) {
  char path[4096];
  if (!a->out) return DCS_OK;
  DCS_TRY(check_output(a, a->out));
  for (int i = 0; i < N_BESIDE && a->variance; i++) {
    DCS_TRY(dcs_name_beside(a->out, beside[i], path));
    DCS_TRY(check_output(a, path));
  }
  return DCS_OK;
}

/* At the end the checkpoint is removed. */
static dcs_status not_apart(const dcs_map_arguments *a) {
  return dcs_fail(DCS_USAGE,
                  "--checkpoint: found %s, which is read, or written to; expected a file "
                  "of its own, which is removed at the end",
                  a->checkpoint);
}

static dcs_status check_checkpoint(const dcs_map_arguments *a) {
  char path[4096];
  if (!a->checkpoint) return DCS_OK;
  if (is_read(a, a->checkpoint) || (a->out && dcs_is_same_file(a->checkpoint, a->out)))
    return not_apart(a);
  for (int i = 0; i < N_BESIDE && a->variance; i++) {
    DCS_TRY(dcs_name_beside(a->out, beside[i], path));
    if (dcs_is_same_file(a->checkpoint, path)) return not_apart(a);
  }
  return DCS_OK;
}

/* Its rows would take the place of the mean, or of what is read. */
static dcs_status check_timeline(const dcs_map_arguments *a) {
  char path[4096];
  if (!a->timeline) return DCS_OK;
  DCS_TRY(dcs_path_in(a->timeline, "timeline.csv", path));
  if (!is_read(a, path) && !(a->out && dcs_is_same_file(path, a->out)) &&
      !(a->checkpoint && dcs_is_same_file(path, a->checkpoint)))
    return DCS_OK;
  return dcs_fail(DCS_USAGE, "--timeline %s: %s is read, or written to; expected another folder",
                  a->timeline, path);
}

/* A frame's map in the place of the mean, or of what is read, would be lost, or the other. */
static dcs_status check_apart(const dcs_frame_name *each, const char *path) {
  if (!path || !dcs_frame_name_is(each, path)) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--each %s: %s is read, or written to; expected other names",
                  each->pattern, path);
}

static dcs_status check_each(const dcs_map_arguments *a) {
  dcs_frame_name name;
  char path[4096];
  DCS_TRY(dcs_frame_name_read(a->each, &name));
  DCS_TRY(check_apart(&name, a->out));
  for (int i = 0; i < N_BESIDE && a->variance; i++) {
    DCS_TRY(dcs_name_beside(a->out, beside[i], path));
    DCS_TRY(check_apart(&name, path));
  }
  for (int f = 0; f < 2; f++)
    DCS_TRY(check_apart(&name, a->problem.input.files[f]));
  for (int f = 0; f < a->n_more; f++)
    DCS_TRY(check_apart(&name, a->more[f]));
  if (!dcs_is_picture(a->each) || a->slice) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--each %s: a picture is of a slice; expected --slice z=12.5, too",
                  a->each);
}

static dcs_status check_frames(const dcs_map_arguments *a) {
  const char *several = a->average ? "--average" : "--each";
  dcs_frame_range range;
  if (!a->average && !a->each) return check_one(a);
  if (!a->problem.input.files[1])
    return dcs_fail(DCS_USAGE,
                    "%s: found one file; expected the one that gives charges, and the frames "
                    "behind it: trajectories, or files with a structure each",
                    several);
  DCS_TRY(check_standard_input(a));
  if (a->at)
    return dcs_fail(DCS_USAGE, "--at and %s: points of your own are of one frame", several);
  if (a->problem.input.how.frame)
    return dcs_fail(DCS_USAGE, "--frame and %s: expected --frames %lld", several,
                    (long long)a->problem.input.how.frame);
  if (a->variance && !a->average) return alone("--variance", "--average");
  if ((a->csv || a->json) && !a->time) return alone(a->csv ? "--csv" : "--json", "--time");
  if (a->csv && a->json) return dcs_fail(DCS_USAGE, "--csv and --json: leave one out");
  if (a->timeline && dcs_job != dcs_alone())
    return dcs_fail(DCS_USAGE, "--timeline: found %d ranks; expected one process", dcs_job->size);
  if (a->checkpoint && a->each)
    return dcs_fail(DCS_USAGE, "--checkpoint and --each: expected one of them: the maps of frames "
                               "that a checkpoint has are not computed again");
  if (a->average != (a->out != NULL))
    return dcs_fail(DCS_USAGE, a->average
                                   ? "--average: --out FILE is missing: where to write the mean"
                                   : "--out is of the mean; expected --average, too");
  DCS_TRY(check_checkpoint(a));
  DCS_TRY(check_timeline(a));
  if (a->frames) DCS_TRY(dcs_parse_frames(a->frames, &range));
  return a->each ? check_each(a) : DCS_OK;
}

/* ---- of points ---- */

/* --at needs no grid and no method. */
static dcs_status check_at(const dcs_map_arguments *a) {
  const dcs_grid *grid = &a->problem.grid;
  const char *other = a->grid             ? "--grid"
                      : grid->spacing > 0 ? "--spacing"
                      : grid->has_margin  ? "--margin"
                      : grid->has_origin  ? "--origin"
                      : a->slice          ? "--slice"
                      : a->device         ? "--device"
                      : a->dispatch       ? "--dispatch"
                      : a->explain        ? "--explain"
                      : a->time           ? "--time"
                                          : NULL;
  if (other)
    return dcs_fail(DCS_USAGE,
                    "--at and %s: points of your own are computed in double precision "
                    "on the CPU, without a grid; leave one out",
                    other);
  const char *ending = a->out ? strrchr(a->out, '.') : NULL;
  if (a->out && !(ending && strcmp(ending, ".csv") == 0))
    return dcs_fail(DCS_USAGE,
                    "--at writes CSV: found --out \"%s\"; expected a name that ends in "
                    ".csv",
                    a->out);
  return DCS_OK;
}

/* ---- of a kind ---- */

static dcs_status only(const char *option, const dcs_map_arguments *a, const char *expected) {
  return dcs_fail(DCS_USAGE, "%s: found --problem %s; expected %s", option, a->choice.kind->id,
                  expected);
}

static dcs_status check_kind(const dcs_map_arguments *a) {
  const dcs_kind *kind = a->choice.kind;
  char kinds[DCS_TEXT];
  if (!dcs_is_map(kind))
    return dcs_fail(DCS_USAGE,
                    "--problem: found %s, which has no map: what it computes is not a value at "
                    "each point of a grid around atoms; expected one of %s",
                    kind->id, dcs_map_kinds(kinds));
  if (kind == dcs_kinds[0]) return DCS_OK;
  if (a->average || a->each) return only(a->average ? "--average" : "--each", a, dcs_kinds[0]->id);
  if (a->units.units && !kind->potential)
    return only("--units", a, "them of a potential, or not at all");
  if (a->at && !kind->add) return only("--at", a, "a sum over atoms, or a grid");
  return DCS_OK;
}

static dcs_status check_temperature(const dcs_units_options *o) {
  if (!o->has_kelvin || (o->units && strcmp(o->units->name, "kT/e") == 0)) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "--temperature: found %g K and units of %s; expected --units kT/e, too",
                  o->kelvin, o->units ? o->units->name : "no temperature");
}

/* ---- of surfaces ---- */

static dcs_status check_surface(const dcs_map_arguments *a) {
  const char *other = a->at        ? "--at"
                      : a->slice   ? "--slice"
                      : a->average ? "--average"
                      : a->each    ? "--each"
                                   : NULL;
  double *values;
  int n;
  if (other)
    return dcs_fail(DCS_USAGE,
                    "--isovalue and %s: a surface is of one map on a whole grid; leave "
                    "one out",
                    other);
  if (dcs_job != dcs_alone())
    return dcs_fail(DCS_USAGE, "--isovalue: found %d ranks; expected one process", dcs_job->size);
  if (a->csv && a->json) return dcs_fail(DCS_USAGE, "--csv and --json: leave one out");
  DCS_TRY(dcs_parse_isovalues(a->isovalue, &values, &n));
  free(values);
  return DCS_OK;
}

/* ---- all of it ---- */

dcs_status dcs_map_check(const void *arguments) {
  const dcs_map_arguments *a = arguments;
  if (!a->problem.input.files[0]) return dcs_fail(DCS_USAGE, "the molecule's file is missing");
  DCS_TRY(check_kind(a));
  DCS_TRY(check_temperature(&a->units));
  DCS_TRY(check_out(a));
  if (a->isovalue) DCS_TRY(check_surface(a));
  DCS_TRY(check_frames(a));
  if (a->at) return check_at(a);
  if (a->grid && a->problem.grid.spacing > 0 && a->problem.grid.has_margin)
    return dcs_fail(DCS_USAGE, "--margin with --grid and --spacing: these two make the grid alone; "
                               "leave one of the three out");
  if (a->out && dcs_is_picture(a->out) && !a->slice)
    return dcs_fail(DCS_USAGE, "--out %s: a picture is of a slice; expected --slice z=12.5, too",
                    a->out);
  if (a->out || a->each || a->explain || a->time || a->isovalue) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--out FILE is missing: where to write the map");
}
