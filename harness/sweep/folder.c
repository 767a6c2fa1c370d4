/* The run folder of a sweep. */
#include "harness/sweep/state.h"

#include "harness/files/folder.h"
#include "harness/sweep/resume.h"

#include <stdio.h>

char *dcs_sweep_path(const dcs_sweep_state *s, const char *name, char path[4096]) {
  snprintf(path, 4096, "%s/%s", s->options->out, name);
  return path;
}

static dcs_status start_file(const char *path, const char *const *columns) {
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, dcs_csv_header(&csv, columns));
}

dcs_status dcs_sweep_take_folder(dcs_sweep_state *s) {
  char path[4096];
  DCS_TRY(dcs_make_folder(s->options->out, 0777));
  DCS_TRY(dcs_lock_own(dcs_sweep_path(s, "run.lock", path), "take another folder", &s->lock));
  if (dcs_exists(dcs_sweep_path(s, "env.csv", path)) && !s->options->resume)
    return dcs_fail(DCS_USAGE,
                    "%s: holds a run already; continue it with --resume, or take another folder",
                    s->options->out);
  return DCS_OK;
}

/* What the readers of the run would refuse, such as samples that are missing, is not gone on with;
 * that it is a run of other facts, which may be why, is said first. */
static dcs_status take_up(dcs_sweep_state *s) {
  dcs_run run;
  const dcs_status read = dcs_run_open(&run, s->options->out);
  dcs_status status = run.env ? dcs_same_facts(&run, &s->facts) : DCS_OK;
  if (status == DCS_OK) status = read;
  if (status == DCS_OK) dcs_kept_limits(&run, &s->facts);
  if (status == DCS_OK)
    status = dcs_resume(&run, s->options->sampling.most, s->options->again, &s->sizes, &s->seq,
                        &s->turns.process, &s->session);
  dcs_run_close(&run);
  return status;
}

/* env.csv comes last: a folder that has it is a whole run folder. */
static dcs_status start_files(const dcs_sweep_state *s) {
  char path[4096];
  DCS_TRY(dcs_run_check_no_rows(dcs_sweep_path(s, "samples.csv", path)));
  DCS_TRY(dcs_run_check_no_rows(dcs_sweep_path(s, "summary.csv", path)));
  DCS_TRY(start_file(dcs_sweep_path(s, "samples.csv", path), dcs_sample_columns));
  DCS_TRY(start_file(dcs_sweep_path(s, "summary.csv", path), dcs_summary_columns));
  return dcs_write_facts(dcs_sweep_path(s, "env.csv", path), &s->facts);
}

dcs_status dcs_sweep_open_folder(dcs_sweep_state *s) {
  char path[4096];
  if (dcs_exists(dcs_sweep_path(s, "env.csv", path)))
    DCS_TRY(take_up(s));
  else
    DCS_TRY(start_files(s));
  DCS_TRY(dcs_csv_append(&s->samples, dcs_sweep_path(s, "samples.csv", path)));
  return dcs_csv_append(&s->summary, dcs_sweep_path(s, "summary.csv", path));
}

dcs_status dcs_sweep_close_files(dcs_sweep_state *s, dcs_status status) {
  dcs_csv *const files[] = {&s->samples, &s->summary};
  for (int f = 0; f < 2; f++) {
    if (!files[f]->file.stream) continue;
    dcs_status closed = DCS_OK;
    if (status == DCS_IO)
      dcs_csv_abandon(files[f]);
    else
      closed = dcs_csv_close(files[f]);
    if (closed != DCS_OK) status = closed;
  }
  return status;
}
