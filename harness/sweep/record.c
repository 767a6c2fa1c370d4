#include "harness/sweep/record.h"

#include "harness/base/grow.h"
#include "harness/judge/stats.h"
#include "harness/problems/case.h"
#include "harness/sweep/traffic.h"

#include <math.h>
#include <string.h>

const char *const dcs_sample_columns[] = {
    "round",          "seq",     "variant",  "config", "scope", "memory", "devices", "problem",
    "problem_config", "atoms",   "nx",       "ny",     "nz",    "inner",  "time_ns", "sm_mhz",
    "temperature_c",  "power_w", "throttle", "mark",   NULL};

const char *const dcs_summary_columns[] = DCS_NAMES(
    "variant", "backend", "config", "block_x", "block_y", "coarsen", "chunk_atoms", "threads",
    "devices", "scope", "memory", "problem", "problem_config", "atoms", "nx", "ny", "nz", "spacing",
    "padded_nx", "padded_ny", "padded_nz", "evals_useful", "evals_executed", "padding_overhead",
    "overflow_atoms", "bin_fill", "n", "median_ns", "ci_lo_ns", "ci_hi_ns", "min_ns", "mad_ns",
    "outliers", "evals_per_s", "gflops", "flops_per_eval", "bytes_moved", "limit_fraction",
    "registers", "compile_ms", "rel_l2_error", "error_bound_ratio", "model_error", "energy_j",
    "evals_per_j", "outcome", "stop_reason", "why");

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

dcs_status dcs_record_add(dcs_record *record, double time_ns) {
  DCS_TRY(dcs_grow(&record->times_ns, record->n_times, sizeof time_ns, "samples"));
  record->times_ns[record->n_times++] = time_ns;
  return DCS_OK;
}

double dcs_overhead(dcs_dims n, dcs_dims executed) {
  double useful = (double)n.x * (double)n.y * (double)n.z;
  return (double)executed.x * (double)executed.y * (double)executed.z / useful - 1;
}

static void write_grid(dcs_csv *csv, dcs_dims n) {
  dcs_csv_integer(csv, n.x);
  dcs_csv_integer(csv, n.y);
  dcs_csv_integer(csv, n.z);
}

dcs_status dcs_write_sample(dcs_csv *csv, const dcs_record *record, const dcs_sample_row *row) {
  char config[DCS_TEXT], throttle[DCS_TEXT];
  dcs_csv_integer(csv, row->round);
  dcs_csv_integer(csv, row->seq);
  dcs_csv_text(csv, record->method.variant->id);
  dcs_csv_text(csv, dcs_format_config(record->method.variant, &record->method.config, config));
  dcs_csv_text(csv, dcs_scope_name(record->scope));
  dcs_csv_text(csv, dcs_record_memory(record));
  dcs_csv_text(csv, record->device);
  dcs_size_put(csv, &record->size);
  dcs_csv_integer(csv, row->inner);
  dcs_csv_number(csv, row->time_ns);
  dcs_csv_number(csv, row->telemetry.sm_mhz);
  dcs_csv_number(csv, row->telemetry.temperature_c);
  dcs_csv_number(csv, row->telemetry.power_w);
  dcs_csv_text(csv, dcs_throttle_names(row->telemetry.throttle, throttle));
  dcs_csv_text(csv, row->mark);
  return dcs_csv_row(csv);
}

/* The parameters that have a column of their own, by role; empty where the variant lacks them. */
static void write_parameters(dcs_csv *csv, const dcs_method *method) {
  static const dcs_role roles[] = {DCS_ROLE_BLOCK_X, DCS_ROLE_BLOCK_Y, DCS_ROLE_COARSEN,
                                   DCS_ROLE_CHUNK, DCS_ROLE_THREADS};
  for (size_t p = 0; p < sizeof roles / sizeof roles[0]; p++) {
    int value = dcs_role_value(method->variant, &method->config, roles[p], -1);
    if (value < 0)
      dcs_csv_empty(csv);
    else
      dcs_csv_integer(csv, value);
  }
}

static void write_rates(dcs_csv *csv, const dcs_record *record, const dcs_problem *shape,
                        double evals, double median_ns) {
  double flops = record->method.variant->flops_per_eval(&record->method.config);
  double rate = 1e9 * evals / median_ns;
  dcs_csv_number(csv, rate);
  dcs_csv_number(csv, 1e-9 * rate * flops);
  dcs_csv_number(csv, flops);
  dcs_csv_number(csv, dcs_bytes_moved(record->method.variant, shape, &record->method.config));
  dcs_csv_number(csv, rate / record->limit_evals_per_s);
}

static void write_verdict(dcs_csv *csv, const dcs_record *record) {
  bool compiled = record->facts.registers >= 0;
  bool checked = record->outcome == DCS_OUTCOME_OK || record->outcome == DCS_OUTCOME_WRONG;
  if (compiled)
    dcs_csv_integer(csv, record->facts.registers);
  else
    dcs_csv_empty(csv);
  dcs_csv_number(csv, compiled ? record->facts.compile_ms : NAN);
  dcs_csv_number(csv, checked ? record->verdict.rel_l2 : NAN);
  dcs_csv_number(csv, checked ? record->verdict.bound_ratio : NAN);
  dcs_csv_number(csv, checked ? record->model_error : NAN);
}

static void write_what(dcs_csv *csv, const dcs_record *record) {
  const dcs_method *method = &record->method;
  char config[DCS_TEXT];
  dcs_csv_text(csv, method->variant->id);
  dcs_csv_text(csv, method->variant->backend == DCS_CPU ? "cpu" : "gpu");
  dcs_csv_text(csv, dcs_format_config(method->variant, &method->config, config));
  write_parameters(csv, method);
  dcs_csv_text(csv, record->device);
  dcs_csv_text(csv, dcs_scope_name(record->scope));
  dcs_csv_text(csv, dcs_record_memory(record));
  dcs_size_put(csv, &record->size);
  dcs_csv_number(csv, record->spacing);
}

/* The work: what was asked for, and what was done for it. */
typedef struct {
  double useful, executed, overhead;
} work;

static work work_of(const dcs_record *record, dcs_dims executed) {
  if (record->method.variant->candidates)
    return (work){record->work, record->candidates.pairs,
                  record->given > 0 ? record->candidates.pairs / record->given - 1 : NAN};
  return (work){record->work, (double)record->n_inputs * (double)dcs_points(executed),
                dcs_overhead(dcs_size_points(&record->size), executed)};
}

static void write_work(dcs_csv *csv, const dcs_record *record, work w) {
  const bool bins = record->method.variant->candidates && isfinite(record->candidates.fill);
  dcs_csv_number(csv, w.useful);
  dcs_csv_number(csv, w.executed);
  dcs_csv_number(csv, w.overhead);
  dcs_csv_number(csv, bins ? (double)record->candidates.overflow : NAN);
  dcs_csv_number(csv, bins ? record->candidates.fill : NAN);
}

dcs_status dcs_write_summary(dcs_csv *csv, dcs_record *record) {
  const dcs_method *method = &record->method;
  dcs_problem shape = dcs_size_problem(&record->size, record->spacing);
  shape.n_inputs = record->n_inputs;
  dcs_dims executed = method->variant->executed(&shape, &method->config);
  const work w = work_of(record, executed);
  dcs_stats stats = dcs_summarize(record->times_ns, record->n_times);

  write_what(csv, record);
  write_grid(csv, executed);
  write_work(csv, record, w);
  dcs_csv_integer(csv, (int64_t)stats.n);
  dcs_csv_number(csv, stats.median);
  dcs_csv_number(csv, stats.lo);
  dcs_csv_number(csv, stats.hi);
  dcs_csv_number(csv, stats.min);
  dcs_csv_number(csv, stats.mad);
  if (stats.n > 0)
    dcs_csv_integer(csv, (int64_t)dcs_outliers(record->times_ns, &stats));
  else
    dcs_csv_empty(csv);
  write_rates(csv, record, &shape, w.useful, stats.median);
  write_verdict(csv, record);
  dcs_csv_number(csv, record->energy_j);
  dcs_csv_number(csv, w.useful / record->energy_j);
  dcs_csv_text(csv, dcs_outcome_name(record->outcome));
  dcs_csv_text(csv, record->stop_reason);
  dcs_csv_text(csv, record->why ? record->why : "");
  return dcs_csv_row(csv);
}
