#include "harness/commands/measure_run.h"

#include "harness/base/grow.h"
#include "harness/base/hash.h"
#include "harness/files/folder.h"
#include "harness/runs/environment.h"
#include "harness/runs/run.h"
#include "harness/timings/rows.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *path_in(const dcs_measuring *m, const char *name, char path[4096]) {
  return dcs_path_in(m->options->out, name, path) == DCS_OK ? path : "";
}

dcs_status dcs_measure_write(dcs_measuring *m) {
  char path[4096];
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path_in(m, "summary.csv", path)));
  dcs_status status = dcs_timings_summary_header(&csv, m->kind);
  for (int i = 0; status == DCS_OK && i < m->n_rows; i++) {
    dcs_measured_row *r = &m->rows[i];
    const bool ok = r->of.outcome == DCS_OUTCOME_OK;
    if (ok && r->n == 0) continue;
    status = dcs_timings_put_row(&csv, &r->of, r->times, ok ? r->n : 0, ok ? r->stop_reason : "",
                                 r->why, m->kind);
  }
  return dcs_csv_finish(&csv, status);
}

/* One hash over the commands: a run is of the same ones from its begin to its end. */
static uint64_t hash_commands(const dcs_measure_options *o) {
  uint64_t hash = DCS_HASH_START;
  for (int i = 0; i < o->n_methods; i++) {
    hash = dcs_hash(hash, o->methods[i].name, strlen(o->methods[i].name) + 1);
    hash = dcs_hash(hash, o->methods[i].command, strlen(o->methods[i].command) + 1);
  }
  const char *const others[] = {o->check ? o->check : "", o->time_from ? o->time_from : ""};
  for (int i = 0; i < 2; i++)
    hash = dcs_hash(hash, others[i], strlen(others[i]) + 1);
  return hash;
}

static void find_facts(const dcs_measure_options *o, dcs_facts *facts) {
  dcs_machine_facts(facts);
  dcs_fact_add(facts, "seed", "%llu", (unsigned long long)o->seed);
  dcs_fact_add(facts, "input_fnv1a64", "%016llx", (unsigned long long)hash_commands(o));
  for (int i = 0; i < o->n_methods && facts->n < DCS_MAX_FACTS - 2; i++) {
    char key[sizeof facts->list[0].key];
    snprintf(key, sizeof key, "command_%d", i + 1);
    dcs_fact_add(facts, key, "%s=%s", o->methods[i].name, o->methods[i].command);
  }
}

static dcs_status start_folder(dcs_measuring *m, const dcs_facts *facts) {
  char path[4096];
  dcs_csv csv;
  DCS_TRY(dcs_run_check_no_rows(path_in(m, "samples.csv", path)));
  DCS_TRY(dcs_run_check_no_rows(path_in(m, "summary.csv", path)));
  DCS_TRY(dcs_csv_create(&csv, path_in(m, "samples.csv", path)));
  DCS_TRY(dcs_csv_finish(&csv, dcs_timings_sample_header(&csv, m->kind)));
  DCS_TRY(dcs_measure_write(m));
  return dcs_write_facts(path_in(m, "env.csv", path), facts); /* with it, the folder is a run */
}

/* ---- an earlier part ---- */

static dcs_measured_row *find_row(const dcs_measuring *m, const dcs_run_row *of) {
  for (int i = 0; i < m->n_rows; i++) {
    dcs_measured_row *r = &m->rows[i];
    if (of->size.kind == m->kind && strcmp(r->of.method, of->variant) == 0 &&
        memcmp(r->of.axes, of->size.axes, sizeof r->of.axes) == 0)
      return r;
  }
  return NULL;
}

/* Rows are appended with it, the last column. */
static dcs_status need_session(const dcs_table *samples, int *column) {
  *column = dcs_table_column(samples, "session");
  if (*column >= 0 && *column + 1 == (int)dcs_table_columns(samples)) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "%s: its columns are those of another version of the program; take another "
                  "folder",
                  dcs_table_path(samples));
}

static dcs_status take_samples(dcs_measuring *m, const dcs_run *run) {
  dcs_run_row *keys;
  int column, sessions;
  DCS_TRY(dcs_table_need(run->samples, "time_ns", &column));
  DCS_TRY(need_session(run->samples, &sessions));
  DCS_TRY(dcs_run_read_keys(run->samples, &keys));
  dcs_status status = DCS_OK;
  const size_t n = dcs_table_rows(run->samples);
  for (size_t s = 0; status == DCS_OK && s < n; s++) {
    dcs_measured_row *r = find_row(m, &keys[s]);
    const double session = dcs_table_number(run->samples, s, sessions);
    if (session >= m->session && session < INT_MAX) m->session = (int)session + 1;
    if (!r) continue;
    status = dcs_grow(&r->times, r->n, sizeof *r->times, "samples");
    if (status == DCS_OK) r->times[r->n++] = dcs_table_number(run->samples, s, column);
  }
  m->seq = (int64_t)n;
  free(keys);
  return status;
}

static dcs_status take_up(dcs_measuring *m, const dcs_facts *facts) {
  dcs_run run;
  dcs_status status = dcs_run_open(&run, m->options->out);
  if (status == DCS_OK) status = dcs_same_facts(&run, facts);
  if (status == DCS_OK) status = take_samples(m, &run);
  for (size_t i = 0; status == DCS_OK && i < run.n_rows; i++) {
    dcs_measured_row *r = find_row(m, &run.rows[i]);
    if (!r) {
      status = dcs_fail(DCS_USAGE,
                        "%s: holds sizes that were not asked for; ask for them all, or take "
                        "another folder",
                        m->options->out);
    } else {
      r->of.outcome = run.rows[i].outcome;
      snprintf(r->why, sizeof r->why, "%s", dcs_run_cell(&run, &run.rows[i], "why"));
    }
  }
  dcs_run_close(&run);
  return status;
}

dcs_status dcs_measure_open(dcs_measuring *m) {
  char path[4096];
  DCS_TRY(dcs_make_folder(m->options->out, 0777));
  DCS_TRY(dcs_lock_own(path_in(m, "run.lock", path), "take another folder", &m->lock));
  dcs_facts *facts = calloc(1, sizeof *facts);
  if (!facts) return dcs_fail(DCS_UNAVAILABLE, "no memory for facts");
  find_facts(m->options, facts);
  const bool there = dcs_exists(path_in(m, "env.csv", path));
  dcs_status status =
      there && !m->options->resume
          ? dcs_fail(DCS_USAGE,
                     "%s: holds a run already; continue it with --resume, or take another folder",
                     m->options->out)
      : there ? take_up(m, facts)
              : start_folder(m, facts);
  free(facts);
  DCS_TRY(status);
  return dcs_csv_append(&m->samples, path_in(m, "samples.csv", path));
}
