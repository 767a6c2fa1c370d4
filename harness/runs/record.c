#include "harness/runs/record.h"

#include "harness/base/grow.h"
#include "harness/problems/case.h"

#include <math.h>
#include <stdlib.h>

const char *const dcs_sample_columns[] = {
    "round",          "seq",     "variant",  "config", "scope",   "memory",  "devices", "problem",
    "problem_config", "atoms",   "nx",       "ny",     "nz",      "inner",   "time_ns", "sm_mhz",
    "temperature_c",  "power_w", "throttle", "mark",   "process", "session", NULL};

const char *const dcs_summary_columns[] = DCS_NAMES(
    "variant", "backend", "config", "block_x", "block_y", "coarsen", "chunk_atoms", "threads",
    "devices", "scope", "memory", "problem", "problem_config", "atoms", "nx", "ny", "nz", "spacing",
    "padded_nx", "padded_ny", "padded_nz", "evals_useful", "evals_executed", "padding_overhead",
    "overflow_atoms", "bin_fill", "n", "median_ns", "ci_lo_ns", "ci_hi_ns", "min_ns", "mad_ns",
    "outliers", "disturbed", "evals_per_s", "gflops", "flops_per_eval", "bytes_moved",
    "limit_fraction", "registers", "compile_ms", "rel_l2_error", "error_bound_ratio", "model_error",
    "energy_j", "evals_per_j", "outcome", "stop_reason", "why");

bool dcs_scope_copies(const dcs_variant *variant, dcs_scope scope) {
  return variant->backend == DCS_GPU && scope != DCS_KERNEL;
}

const char *dcs_record_memory(const dcs_record *record) {
  return dcs_scope_copies(record->method.variant, record->scope) ? dcs_memory_name(record->memory)
                                                                 : "";
}

bool dcs_record_known(const dcs_record *record) {
  return record->judged && (record->n_times > 0 || record->outcome != DCS_OUTCOME_OK);
}

dcs_status dcs_record_add(dcs_record *record, double time_ns, const char *mark) {
  DCS_TRY(dcs_grow(&record->times_ns, record->n_times, sizeof time_ns, "samples"));
  record->times_ns[record->n_times++] = time_ns;
  record->n_disturbed += *mark != '\0';
  return DCS_OK;
}

dcs_stats dcs_record_stats(const dcs_record *record) {
  double *room = malloc((record->n_times + 1) * sizeof *room);
  if (!room) return (dcs_stats){.n = 0, NAN, NAN, NAN, NAN, NAN};
  dcs_stats stats = dcs_summarize_series(record->times_ns, record->n_times, room);
  free(room);
  return stats;
}

double dcs_overhead(dcs_dims n, dcs_dims executed) {
  double useful = (double)n.x * (double)n.y * (double)n.z;
  return (double)executed.x * (double)executed.y * (double)executed.z / useful - 1;
}

dcs_status dcs_write_sample(dcs_csv *csv, const dcs_record *record, const dcs_sample_row *row) {
  const dcs_method *method = &record->method;
  const dcs_telemetry *t = &row->telemetry;
  char config[DCS_TEXT], throttle[DCS_TEXT];
  DCS_CSV_NUMBERS(csv, row->round, (double)row->seq);
  DCS_CSV_TEXTS(csv, method->variant->id,
                dcs_format_config(method->variant, &method->config, config),
                dcs_scope_name(record->scope), dcs_record_memory(record), record->device);
  dcs_size_put(csv, &record->size);
  DCS_CSV_NUMBERS(csv, (double)row->inner, row->time_ns, t->sm_mhz, t->temperature_c, t->power_w);
  DCS_CSV_TEXTS(csv, dcs_throttle_names(t->throttle, throttle), row->mark);
  dcs_csv_integer(csv, row->process);
  dcs_csv_integer(csv, row->session);
  return dcs_csv_row(csv);
}

/* The parameters that have a column of their own, by role; empty where the variant lacks them. */
static void write_parameters(dcs_csv *csv, const dcs_method *method) {
  static const dcs_role roles[] = {DCS_ROLE_BLOCK_X, DCS_ROLE_BLOCK_Y, DCS_ROLE_COARSEN,
                                   DCS_ROLE_CHUNK, DCS_ROLE_THREADS};
  for (size_t p = 0; p < sizeof roles / sizeof roles[0]; p++) {
    int value = dcs_role_value(method->variant, &method->config, roles[p], -1);
    dcs_csv_number(csv, value < 0 ? NAN : value);
  }
}

static void write_what(dcs_csv *csv, const dcs_record *record) {
  const dcs_method *method = &record->method;
  char config[DCS_TEXT];
  DCS_CSV_TEXTS(csv, method->variant->id, method->variant->backend == DCS_CPU ? "cpu" : "gpu",
                dcs_format_config(method->variant, &method->config, config));
  write_parameters(csv, method);
  DCS_CSV_TEXTS(csv, record->device, dcs_scope_name(record->scope), dcs_record_memory(record));
  dcs_size_put(csv, &record->size);
  dcs_csv_number(csv, record->spacing);
}

/* Whether the method does the useful work pair by pair; methods to a tolerance do the least part
 * so. Only then is there an overhead, and a limit that its rate is held against. */
static bool does_all_pairs(const dcs_record *record) {
  return !record->method.variant->candidates || !(record->candidates.pairs < record->given);
}

/* What was done for the useful work: points computed, or candidate pairs. */
static void write_work(dcs_csv *csv, const dcs_record *record, dcs_dims points) {
  const dcs_candidates *candidates = &record->candidates;
  const bool pairs = record->method.variant->candidates, bins = pairs && isfinite(candidates->fill);
  double executed = (double)record->n_inputs * (double)dcs_points(points);
  double overhead = dcs_overhead(dcs_size_points(&record->size), points);
  if (pairs) {
    executed = candidates->pairs;
    overhead = record->given > 0 && does_all_pairs(record) ? executed / record->given - 1 : NAN;
  }
  DCS_CSV_NUMBERS(csv, (double)points.x, (double)points.y, (double)points.z, record->work, executed,
                  overhead, bins ? (double)candidates->overflow : NAN,
                  bins ? candidates->fill : NAN);
}

static void write_rates(dcs_csv *csv, const dcs_record *record, const dcs_problem *shape,
                        double median_ns) {
  const dcs_method *method = &record->method;
  const double flops = method->variant->flops_per_eval(&method->config);
  const double rate = 1e9 * record->work / median_ns;
  const double pairs_rate = does_all_pairs(record) ? rate : NAN;
  DCS_CSV_NUMBERS(csv, rate, 1e-9 * pairs_rate * flops, flops,
                  dcs_bytes_moved(method->variant, shape, &method->config),
                  pairs_rate / record->limit_evals_per_s);
}

/* How far what was computed is from the answer of the problem that this one approximates: by what
 * the problem leaves out, and by what the method does. */
static double model_error(const dcs_record *record) {
  return hypot(record->model_error, record->verdict.rel_l2);
}

static void write_verdict(dcs_csv *csv, const dcs_record *record) {
  const bool compiled = record->facts.registers >= 0;
  const bool checked = record->outcome == DCS_OUTCOME_OK || record->outcome == DCS_OUTCOME_WRONG;
  DCS_CSV_NUMBERS(csv, compiled ? record->facts.registers : NAN,
                  compiled ? record->facts.compile_ms : NAN, checked ? record->verdict.rel_l2 : NAN,
                  checked ? record->verdict.bound_ratio : NAN, checked ? model_error(record) : NAN);
}

dcs_status dcs_write_summary(dcs_csv *csv, const dcs_record *record) {
  const dcs_method *method = &record->method;
  dcs_problem shape = dcs_size_problem(&record->size, record->spacing);
  shape.n_inputs = record->n_inputs;
  const dcs_stats stats = dcs_record_stats(record);
  write_what(csv, record);
  write_work(csv, record, method->variant->executed(&shape, &method->config));
  DCS_CSV_NUMBERS(csv, (double)stats.n, stats.median, stats.lo, stats.hi, stats.min, stats.mad,
                  stats.n > 0 ? (double)dcs_outliers(record->times_ns, &stats) : NAN,
                  stats.n > 0 ? (double)record->n_disturbed : NAN);
  write_rates(csv, record, &shape, stats.median);
  write_verdict(csv, record);
  DCS_CSV_NUMBERS(csv, record->energy_j, record->work / record->energy_j);
  DCS_CSV_TEXTS(csv, dcs_outcome_name(record->outcome), record->stop_reason,
                record->why ? record->why : "");
  return dcs_csv_row(csv);
}
