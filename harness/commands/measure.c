/* Users' commands: each tried and checked at each size, then timed in rounds. */
#include "harness/base/clock.h"
#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/base/random.h"
#include "harness/commands/command.h"
#include "harness/commands/measure_run.h"
#include "harness/judge/stats.h"
#include "harness/problems/external.h"
#include "harness/problems/size.h"
#include "harness/timings/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  MOST_OUTPUT = 1 << 20, /* bytes of a command's output in which its time is looked for */
  MOST_ROWS = 1000000
};

/* ---- commands ---- */

typedef struct {
  dcs_placeholder list[DCS_MOST_PLACEHOLDERS];
  char values[DCS_MAX_DIMENSIONS][32];
  int n;
} placeholders;

static void find_placeholders(const dcs_measure_options *o, const dcs_measured_row *r,
                              placeholders *p) {
  p->n = 0;
  for (int a = 0; a < o->n_axes; a++) {
    snprintf(p->values[a], sizeof p->values[a], "%lld", (long long)r->of.axes[a]);
    p->list[p->n++] = (dcs_placeholder){o->axes[a].name, p->values[a]};
  }
  p->list[p->n++] = (dcs_placeholder){"method", r->of.method};
}

/* What the command wrote, as a text; the caller frees it. */
static dcs_status read_output(int file, char **text) {
  *text = malloc(MOST_OUTPUT + 1);
  if (!*text) return dcs_fail(DCS_UNAVAILABLE, "no memory for a command's output");
  const ssize_t n = pread(file, *text, MOST_OUTPUT, 0);
  (*text)[n > 0 ? n : 0] = '\0';
  return DCS_OK;
}

static dcs_outcome printed_time(const dcs_measuring *m, int output, double *ns) {
  char *text;
  dcs_status status = read_output(output, &text);
  if (status == DCS_OK) status = dcs_command_time(&m->expression, text, ns);
  free(text);
  if (status == DCS_UNAVAILABLE) return DCS_OUTCOME_MEMORY;
  return status == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_WRONG;
}

/* Has the user's command look at what the method wrote. */
static dcs_outcome check_output(const dcs_measuring *m, const placeholders *p, int output) {
  double ns;
  if (!m->options->check) return DCS_OUTCOME_OK;
  lseek(output, 0, SEEK_SET);
  const dcs_timed_command check = {.command = m->options->check,
                                   .placeholders = p->list,
                                   .n_placeholders = p->n,
                                   .input = output,
                                   .output = -1,
                                   .errors = true,
                                   .timeout_s = m->options->timeout_s};
  const dcs_outcome outcome = dcs_command_run(&check, &ns);
  return outcome == DCS_OUTCOME_CRASH ? DCS_OUTCOME_WRONG : outcome;
}

/* Runs the row's command once; `trial`: what it writes is checked, and its errors are shown. */
static dcs_outcome run_once(const dcs_measuring *m, const dcs_measured_row *r, bool trial,
                            double *ns) {
  placeholders p;
  find_placeholders(m->options, r, &p);
  const bool reads = m->options->time_from || (trial && m->options->check);
  const int output = reads ? memfd_create("output", MFD_CLOEXEC) : -1;
  if (reads && output < 0) {
    (void)dcs_fail(DCS_UNAVAILABLE, "no file for a command's output: %s", strerror(errno));
    return DCS_OUTCOME_MEMORY;
  }
  const dcs_timed_command command = {.command = r->command,
                                     .placeholders = p.list,
                                     .n_placeholders = p.n,
                                     .input = -1,
                                     .output = output,
                                     .errors = trial,
                                     .timeout_s = m->options->timeout_s};
  dcs_outcome outcome = dcs_command_run(&command, ns);
  if (outcome == DCS_OUTCOME_OK && trial) outcome = check_output(m, &p, output);
  if (outcome == DCS_OUTCOME_OK && m->options->time_from) outcome = printed_time(m, output, ns);
  if (output >= 0) close(output);
  return outcome;
}

/* ---- rounds ---- */

static bool is_precise(dcs_measuring *m, const dcs_measured_row *r) {
  const dcs_stats s = dcs_summarize_series(r->times, r->n, m->room);
  return dcs_is_precise(&m->options->sampling, &s);
}

static bool has_enough(dcs_measuring *m, dcs_measured_row *r) {
  const dcs_sampling *sampling = &m->options->sampling;
  if (r->of.outcome != DCS_OUTCOME_OK || *r->stop_reason) return true;
  if (r->n >= (size_t)sampling->most)
    r->stop_reason = "rounds";
  else if (dcs_is_time_to_look(sampling, r->n) && is_precise(m, r))
    r->stop_reason = "interval";
  return *r->stop_reason != '\0';
}

static dcs_status add_time(dcs_measuring *m, dcs_measured_row *r, double ns) {
  DCS_TRY(dcs_grow(&r->times, r->n, sizeof ns, "samples"));
  r->of.time_ns = ns;
  r->of.round = (int64_t)r->n;
  r->of.session = m->session;
  r->times[r->n++] = ns;
  return dcs_timings_put_sample(&m->samples, &r->of, m->seq++, m->kind);
}

static void say_failure(dcs_measuring *m, const dcs_measured_row *r) {
  dcs_size size = {.kind = m->kind};
  char text[DCS_TEXT];
  memcpy(size.axes, r->of.axes, sizeof r->of.axes);
  dcs_progress_say(&m->progress, "%s on %s: %s: %s", r->of.method, dcs_size_text(&size, text),
                   dcs_outcome_name(r->of.outcome), r->why);
}

/* The want of this machine is no method's failure: it ends the sweep, and --resume goes on. */
static dcs_status note_failure(dcs_measuring *m, dcs_measured_row *r, dcs_outcome outcome) {
  if (outcome == DCS_OUTCOME_MEMORY) return DCS_UNAVAILABLE;
  r->of.outcome = outcome;
  snprintf(r->why, sizeof r->why, "%s", dcs_error_message());
  say_failure(m, r);
  return DCS_OK;
}

static dcs_status sample(dcs_measuring *m, dcs_measured_row *r) {
  double ns;
  const double started = dcs_now_ns();
  const dcs_outcome outcome = run_once(m, r, false, &ns);
  m->sampled_s += 1e-9 * (dcs_now_ns() - started);
  if (dcs_interrupted()) return DCS_OK;
  return outcome == DCS_OUTCOME_OK ? add_time(m, r, ns) : note_failure(m, r, outcome);
}

/* Tries those that have no samples yet: a cold start is none of them. */
static dcs_status try_all(dcs_measuring *m, dcs_measured_row *rows, int n) {
  for (int i = 0; i < n && !dcs_interrupted(); i++) {
    dcs_measured_row *r = &rows[i];
    double ns;
    if (has_enough(m, r)) continue;
    const dcs_outcome outcome = run_once(m, r, true, &ns);
    if (outcome != DCS_OUTCOME_OK && !dcs_interrupted()) DCS_TRY(note_failure(m, r, outcome));
  }
  return DCS_OK;
}

/* Whole rounds, until there is no more time; one sample of each, however little that is. */
static dcs_status take_rounds(dcs_measuring *m, dcs_measured_row *rows, int n, double until_ns) {
  dcs_random random = {m->options->seed + (uint64_t)(rows - m->rows)};
  bool left = true;
  int *order = malloc((size_t)n * sizeof *order);
  if (!order) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d methods", n);
  dcs_status status = DCS_OK;
  for (int i = 0; i < n; i++)
    order[i] = i;
  while (status == DCS_OK && left && !dcs_interrupted()) {
    const bool over = dcs_now_ns() >= until_ns;
    left = false;
    dcs_shuffle(&random, order, n);
    for (int i = 0; status == DCS_OK && i < n && !dcs_interrupted(); i++) {
      dcs_measured_row *r = &rows[order[i]];
      if (has_enough(m, r) || (over && r->n > 0)) continue;
      status = sample(m, r);
      left = left || !has_enough(m, r);
    }
  }
  free(order);
  for (int i = 0; i < n; i++)
    if (!has_enough(m, &rows[i]))
      rows[i].stop_reason = dcs_interrupted() ? "interrupted" : "budget";
  return status;
}

/* ---- the whole ---- */

static int count_sizes(const dcs_measure_options *o) {
  int n = 1;
  for (int a = 0; a < o->n_axes; a++)
    n *= o->axes[a].n;
  return n;
}

/* The last axis counts fastest. */
static dcs_status make_rows(dcs_measuring *m) {
  const dcs_measure_options *o = m->options;
  if (count_sizes(o) > MOST_ROWS / o->n_methods)
    return dcs_fail(DCS_USAGE, "found %d sizes of %d methods; expected at most %d together",
                    count_sizes(o), o->n_methods, MOST_ROWS);
  const int n = count_sizes(o) * o->n_methods;
  m->rows = calloc((size_t)n, sizeof *m->rows);
  if (!m->rows) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d rows", n);
  m->n_rows = n;
  for (int i = 0; i < n; i++) {
    const dcs_timed_method *method = &o->methods[i % o->n_methods];
    dcs_measured_row *r = &m->rows[i];
    int rest = i / o->n_methods;
    *r = (dcs_measured_row){.of = {.method = (char *)method->name,
                                   .scope = o->time_from ? DCS_WARM : DCS_FIRST,
                                   .backend = DCS_NO_BACKEND},
                            .command = method->command,
                            .stop_reason = ""};
    for (int a = o->n_axes - 1; a >= 0; a--) {
      r->of.axes[a] = o->axes[a].values[rest % o->axes[a].n];
      rest /= o->axes[a].n;
    }
  }
  return DCS_OK;
}

static dcs_status check_commands(dcs_measuring *m) {
  const dcs_measure_options *o = m->options;
  placeholders p;
  for (int a = 0; a < o->n_axes; a++)
    if (strcmp(o->axes[a].name, "method") == 0)
      return dcs_fail(DCS_USAGE,
                      "--size: found \"method\"; expected another name: {method} is that "
                      "of the command's --method");
  find_placeholders(o, &m->rows[0], &p);
  for (int i = 0; i < o->n_methods; i++)
    DCS_TRY(dcs_command_check(o->methods[i].command, p.list, p.n));
  if (o->check) DCS_TRY(dcs_command_check(o->check, p.list, p.n));
  if (!o->time_from) return DCS_OK;
  const int error = regcomp(&m->expression, o->time_from, REG_EXTENDED | REG_NEWLINE);
  if (error == REG_ESPACE)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for --time-from \"%s\"", o->time_from);
  if (error != 0)
    return dcs_fail(DCS_USAGE, "--time-from: found \"%s\"; expected an extended regular expression",
                    o->time_from);
  if (m->expression.re_nsub > 0) return DCS_OK;
  regfree(&m->expression);
  return dcs_fail(DCS_USAGE,
                  "--time-from: found no group in \"%s\"; expected the time in one: \"%s\"",
                  o->time_from, "time: ([0-9.]+ ms)");
}

static dcs_status measure_sizes(dcs_measuring *m) {
  const dcs_measure_options *o = m->options;
  const int n = count_sizes(o);
  const double started = dcs_now_ns();
  for (int s = 0; s < n && !dcs_interrupted(); s++) {
    const double left_ns = 1e9 * o->budget_s - (dcs_now_ns() - started);
    const double until = o->budget_s > 0 ? dcs_now_ns() + fmax(left_ns, 1) / (n - s) : INFINITY;
    dcs_measured_row *rows = m->rows + s * o->n_methods;
    dcs_progress_draw(&m->progress, (double)s / n, rows->of.method);
    DCS_TRY(try_all(m, rows, o->n_methods));
    DCS_TRY(take_rounds(m, rows, o->n_methods, until));
    DCS_TRY(dcs_measure_write(m));
  }
  return DCS_OK;
}

static dcs_status verdict_of(const dcs_measuring *m) {
  int ok = 0, bad = 0;
  for (int i = 0; i < m->n_rows; i++) {
    bad += m->rows[i].of.outcome != DCS_OUTCOME_OK;
    ok += m->rows[i].of.outcome == DCS_OUTCOME_OK && m->rows[i].n > 0;
  }
  if (dcs_interrupted())
    return dcs_fail(DCS_FAILED,
                    "interrupted; what was measured is kept in %s, and --resume continues",
                    m->options->out);
  printf("%s: %d measurements ok, %d failed\n", m->options->out, ok, bad);
  if (bad == 0) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%d of %d measurements failed; summary.csv in %s says how", bad,
                  m->n_rows, m->options->out);
}

/* For the times of any row, those of an earlier part included. */
static dcs_status make_room(dcs_measuring *m) {
  size_t most = (size_t)m->options->sampling.most;
  for (int i = 0; i < m->n_rows; i++)
    most = m->rows[i].n > most ? m->rows[i].n : most;
  m->room = malloc((most + 1) * sizeof *m->room);
  return m->room ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for %zu samples", most);
}

static dcs_status measure(dcs_measuring *m) {
  const dcs_measure_options *o = m->options;
  char names[DCS_TEXT] = "";
  for (int a = 0; a < o->n_axes; a++)
    dcs_append(names, sizeof names, "%s%s", a ? "," : "", o->axes[a].name);
  DCS_TRY(dcs_external_kind(names, &m->kind));
  DCS_TRY(make_rows(m));
  DCS_TRY(check_commands(m));
  DCS_TRY(dcs_measure_open(m));
  DCS_TRY(make_room(m));
  m->progress = dcs_progress_start();
  dcs_status status = measure_sizes(m);
  dcs_progress_clear(&m->progress);
  DCS_TRY(status);
  dcs_say_over_budget(1e-9 * (dcs_now_ns() - m->progress.started_ns), o->budget_s, m->sampled_s);
  return verdict_of(m);
}

dcs_status dcs_measure_commands(const dcs_measure_options *options) {
  dcs_measuring m = {.options = options};
  dcs_status status = measure(&m);
  if (m.samples.file.stream) {
    const dcs_status closed = dcs_csv_close(&m.samples);
    if (closed != DCS_OK && status != DCS_IO) status = closed;
  }
  for (int i = 0; i < m.n_rows; i++)
    free(m.rows[i].times);
  free(m.rows);
  free(m.room);
  if (m.kind && options->time_from && m.expression.re_nsub > 0) regfree(&m.expression);
  dcs_lock_leave(&m.lock);
  return status;
}
