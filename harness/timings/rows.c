#include "harness/timings/rows.h"

#include "harness/judge/stats.h"
#include "harness/problems/size.h"

#include <stdlib.h>
#include <string.h>

static void put_key(dcs_csv *csv, const dcs_timing *t, const dcs_kind *kind) {
  dcs_size size = {.kind = kind};
  memcpy(size.axes, t->axes, sizeof t->axes);
  DCS_CSV_TEXTS(csv, t->method, t->config ? t->config : "", dcs_scope_name(t->scope), "", "");
  dcs_size_put(csv, &size);
}

static void put_key_names(dcs_csv *csv, const dcs_kind *kind) {
  DCS_CSV_TEXTS(csv, "variant", "config", "scope", "memory", "devices", "problem",
                "problem_config");
  dcs_csv_names(csv, dcs_size_axes(kind));
}

dcs_status dcs_timings_sample_header(dcs_csv *csv, const dcs_kind *kind) {
  DCS_CSV_TEXTS(csv, "round", "seq");
  put_key_names(csv, kind);
  DCS_CSV_TEXTS(csv, "inner", "time_ns", "mark", "session");
  return dcs_csv_row(csv);
}

dcs_status dcs_timings_summary_header(dcs_csv *csv, const dcs_kind *kind) {
  put_key_names(csv, kind);
  DCS_CSV_TEXTS(csv, "backend", "n", "median_ns", "ci_lo_ns", "ci_hi_ns", "min_ns", "mad_ns",
                "outcome", "stop_reason", "why");
  return dcs_csv_row(csv);
}

dcs_status dcs_timings_put_sample(dcs_csv *csv, const dcs_timing *timing, int64_t seq,
                                  const dcs_kind *kind) {
  dcs_csv_integer(csv, timing->round >= 0 ? timing->round : seq);
  dcs_csv_integer(csv, seq);
  put_key(csv, timing, kind);
  dcs_csv_integer(csv, 1);
  dcs_csv_number(csv, timing->time_ns);
  dcs_csv_text(csv, timing->summary ? timing->summary : "");
  dcs_csv_integer(csv, timing->session);
  return dcs_csv_row(csv);
}

dcs_status dcs_timings_put_row(dcs_csv *csv, const dcs_timing *timing, const double *times,
                               size_t n, const char *stop_reason, const char *why,
                               const dcs_kind *kind) {
  static const char *const backends[] = {
      [DCS_CPU] = "cpu", [DCS_GPU] = "gpu", [DCS_NO_BACKEND] = ""};
  double *room = malloc((n + 1) * sizeof *room);
  if (!room) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu samples", n);
  const dcs_stats stats = dcs_summarize_series(times, n, room);
  free(room);
  put_key(csv, timing, kind);
  dcs_csv_text(csv, backends[timing->backend]);
  dcs_csv_integer(csv, (int64_t)stats.n);
  DCS_CSV_NUMBERS(csv, stats.median, stats.lo, stats.hi, stats.min, stats.mad);
  DCS_CSV_TEXTS(csv, dcs_outcome_name(timing->outcome), stop_reason, why);
  return dcs_csv_row(csv);
}
