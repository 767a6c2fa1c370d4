/* A study as tables and sentences. */
#include "tuning/scale/scale.h"

#include "harness/files/csv.h"
#include "harness/files/folder.h"
#include "harness/judge/paired.h"

#include <math.h>

static const char *kind_of(const dcs_scale_point *p) {
  return p->weak ? "weak" : "strong";
}

/* ---- points ---- */

static dcs_sheet sheet_of(const dcs_scale *s) {
  static const dcs_sheet_column columns[] = {
      {"schema", NULL, NULL, 1},
      {"scaling", "scaling", NULL, 1},
      {"ranks", "ranks", "%.0f", 1},
      {"threads", "threads", "%.0f", 1},
      {"cards", "cards", "%.0f", 1},
      {"workers", "workers", "%.0f", 1},
      {"crowded", NULL, "%.0f", 1},
      {"runs", "runs", "%.0f", 1},
      {"wall_s", "wall s", "%.4g", 1},
      {"ci_lo_s", "from", "%.4g", 1},
      {"ci_hi_s", "to", "%.4g", 1},
      {"speed_up", "speed-up", "%.3f", 1},
      {"efficiency", "efficiency %", "%.1f", 100},
      {"communication_share", "communication %", "%.2f", 100}};
  dcs_sheet sheet = dcs_sheet_begin("Scaling", columns, (int)(sizeof columns / sizeof columns[0]));
  for (int i = 0; i < s->n_points; i++) {
    const dcs_scale_point *p = &s->points[i];
    const dcs_scale_row row = dcs_scale_row_of(s, i);
    dcs_sheet_text(&sheet, DCS_SCALE_SCHEMA);
    dcs_sheet_text(&sheet, kind_of(p));
    const double numbers[] = {p->ranks,     p->threads,     p->cards > 0 ? p->cards : NAN,
                              p->workers,   p->crowded,     row.runs,
                              row.wall_s,   row.lo_s,       row.hi_s,
                              row.speed_up, row.efficiency, row.communication_share};
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
      dcs_sheet_number(&sheet, numbers[n]);
  }
  return sheet;
}

/* ---- simulation ---- */

/* The point of so many ranks, each of the model's workers; -1: there is none. */
static int point_at(const dcs_scale *s, int64_t ranks, bool weak) {
  int one = -1;
  for (int i = 0; i < s->n_points; i++)
    if (!s->points[i].crowded && s->points[i].ranks == 1 &&
        (one < 0 || s->points[i].workers < s->points[one].workers))
      one = i;
  for (int i = 0; i < s->n_points && one >= 0; i++) {
    const dcs_scale_point *p = &s->points[i];
    if (!p->crowded && p->weak == weak && p->ranks == ranks &&
        p->workers == ranks * s->points[one].workers)
      return i;
  }
  return -1;
}

/* The median of what was measured there; NaN: nothing was. */
static double measured_at(const dcs_scale *s, int64_t ranks, bool weak) {
  const int point = point_at(s, ranks, weak);
  return point < 0 ? NAN : dcs_scale_row_of(s, point).wall_s;
}

/* The next number of ranks that was measured; 0: there is none. */
static int64_t next_measured(const dcs_scale *s, int64_t after, bool weak) {
  int64_t next = 0;
  for (int i = 0; i < s->n_points; i++) {
    const int64_t ranks = s->points[i].ranks;
    if (ranks > after && (next == 0 || ranks < next) && point_at(s, ranks, weak) >= 0) next = ranks;
  }
  return next;
}

/* The next number of nodes that is simulated: 1, 2, 4, ..., the last, and what was measured until
 * there; 0: there is none. */
static int64_t next_nodes(const dcs_scale *s, int64_t after, int64_t last, bool weak) {
  const int64_t measured = next_measured(s, after, weak);
  int64_t next = 1;
  if (after >= last) return 0;
  while (next <= after)
    next *= 2;
  if (next > last) next = last;
  return measured > 0 && measured < next ? measured : next;
}

static dcs_status put_simulated(dcs_csv *csv, const dcs_scale *s, const dcs_scale_model *m,
                                int64_t nodes, bool weak) {
  const double one_s = dcs_scale_simulate(m, 1, weak), s_of = dcs_scale_simulate(m, nodes, weak);
  const double speed_up = one_s / s_of * (weak ? (double)nodes : 1);
  const double measured_s = measured_at(s, nodes, weak);
  const double error = dcs_scale_fitted(m, nodes, weak) ? NAN : s_of / measured_s - 1;
  dcs_csv_text(csv, DCS_SCALE_SCHEMA);
  dcs_csv_text(csv, weak ? "weak" : "strong");
  dcs_csv_integer(csv, nodes);
  dcs_csv_integer(csv, dcs_scale_parts(m, nodes, weak));
  DCS_CSV_NUMBERS(csv, s_of, speed_up, speed_up / (double)nodes, measured_s, error);
  return dcs_csv_row(csv);
}

static dcs_status put_all_simulated(dcs_csv *csv, const dcs_scale *s, int64_t last) {
  static const char *const columns[] =
      DCS_NAMES("schema", "scaling", "nodes", "parts", "wall_s", "speed_up", "efficiency",
                "measured_s", "model_error");
  dcs_scale_model model;
  DCS_TRY(dcs_csv_header(csv, columns));
  if (!dcs_scale_model_of(s, &model)) return DCS_OK;
  for (int weak = 0; weak <= dcs_scale_grows(&model); weak++)
    for (int64_t n = 0; (n = next_nodes(s, n, last, weak)) > 0;)
      DCS_TRY(put_simulated(csv, s, &model, n, weak));
  return DCS_OK;
}

dcs_status dcs_scale_write(const dcs_scale *s, const char *folder, int64_t last) {
  char path[4096];
  dcs_csv csv;
  dcs_file file;
  DCS_TRY(dcs_path_in(folder, "scaling.csv", path));
  DCS_TRY(dcs_file_create(&file, path));
  dcs_sheet sheet = sheet_of(s);
  const dcs_status status = dcs_sheet_write(&sheet, DCS_SHEET_CSV, file.stream);
  dcs_sheet_free(&sheet);
  DCS_TRY(dcs_file_finish(&file, status));
  DCS_TRY(dcs_path_in(folder, "simulated.csv", path));
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, put_all_simulated(&csv, s, last));
}

/* ---- sentences ---- */

static void say_ratio(const dcs_scale *s, int a, int b) {
  char of[DCS_SCALE_POINT_TEXT], other[DCS_SCALE_POINT_TEXT];
  const dcs_ratio ratio = dcs_scale_ratio(s, a, b);
  printf("%s took %.3f times as long as %s", dcs_scale_point_text(&s->points[a], of), ratio.value,
         dcs_scale_point_text(&s->points[b], other));
  if (isnan(ratio.lo))
    printf(" (no interval below %d rounds)\n", DCS_PAIRED_BLOCKS);
  else
    printf(" (95%%: %.3f to %.3f)\n", ratio.lo, ratio.hi);
}

/* Points of as many workers, of more ranks and of fewer. */
static void say_ratios(const dcs_scale *s) {
  for (int a = 0; a < s->n_points; a++)
    for (int b = 0; b < s->n_points; b++) {
      const dcs_scale_point *p = &s->points[a], *q = &s->points[b];
      if (p->weak || q->weak || p->crowded || q->crowded) continue;
      if (p->workers == q->workers && p->ranks > q->ranks) say_ratio(s, a, b);
    }
}

static void say_fit(const dcs_scale *s) {
  const dcs_scale_fit fit = dcs_scale_amdahl(s);
  if (!fit.known) {
    printf("Amdahl's law: not fitted: expected strong scaling at two numbers of workers or more\n");
    return;
  }
  if (fit.parallel_s <= 0) {
    printf("Amdahl's law: not fitted: more workers took longer\n");
    return;
  }
  printf("Amdahl's law: %.4g s serial and %.4g s shared among workers: a serial share of %.2f%% "
         "(95%%: %.2f to %.2f%%)",
         fit.serial_s, fit.parallel_s, 100 * fit.share, 100 * fit.lo, 100 * fit.hi);
  if (fit.share > 0 && fit.share < 1)
    printf(", so at most %.3g times as fast as one", 1 / fit.share);
  printf("\nof the serial part rank 0 prepares for %.4g s and writes for %.4g s\n", fit.preparing_s,
         fit.writing_s);
}

static void say_check(const dcs_scale *s, const dcs_scale_model *m) {
  const int64_t first = next_measured(s, 0, false);
  for (int64_t n = first; n > 0; n = next_measured(s, n, false)) {
    const double measured_s = measured_at(s, n, false);
    const double simulated_s = dcs_scale_simulate(m, n, false);
    printf("%s%lld rank%s %.4g s (", n > first ? ", " : "", (long long)n, n > 1 ? "s" : "",
           simulated_s);
    if (dcs_scale_fitted(m, n, false))
      printf("fitted to %.4g s)", measured_s);
    else
      printf("measured %.4g s, error %+.1f%%)", measured_s, 100 * (simulated_s / measured_s - 1));
  }
  putchar('\n');
}

static void say_simulation(const dcs_scale *s, int64_t nodes) {
  dcs_scale_model m;
  if (!dcs_scale_model_of(s, &m)) {
    printf("simulation: none: expected strong scaling at one rank and at several of as many "
           "threads or cards, on CPUs of their own\n");
    return;
  }
  const double one_s = dcs_scale_simulate(&m, 1, false),
               s_of = dcs_scale_simulate(&m, nodes, false);
  if (m.steps > 0)
    printf("simulation of %lld steps, %.4g ms each on one node, and halos of %.4g ms exposed and "
           "%.4g ms hidden a neighbour: ",
           (long long)m.steps, 1e3 * m.step_s, 1e3 * m.exposed_s, 1e3 * m.hidden_s);
  else
    printf("simulation of a queue of parts, %.4g s each, that rank 0 receives in %.4g s each: ",
           m.part_s, m.receive_s);
  say_check(s, &m);
  printf("on %lld nodes this job would take %.4g s, %.3g times as fast as on one, in %lld parts\n",
         (long long)nodes, s_of, one_s / s_of, (long long)dcs_scale_parts(&m, nodes, false));
  if (m.steps > 0)
    printf("(no more than %lld slabs; memory, caches and network are those of this host)\n",
           (long long)m.most_parts);
  if (!dcs_scale_grows(&m)) return;
  const double weak_s = dcs_scale_simulate(&m, nodes, true);
  printf("a job %lld times as large would take %.4g s there: an efficiency of %.1f%%\n",
         (long long)nodes, weak_s, 100 * dcs_scale_simulate(&m, 1, true) / weak_s);
}

dcs_status dcs_scale_print(const dcs_scale *s, int64_t nodes, dcs_sheet_form form) {
  dcs_sheet sheet = sheet_of(s);
  const dcs_status status = dcs_sheet_write(&sheet, form, stdout);
  dcs_sheet_free(&sheet);
  if (status != DCS_OK || form == DCS_SHEET_CSV || form == DCS_SHEET_JSON) return status;
  for (int i = 0, said = 0; i < s->n_points && !said; i++)
    if (s->points[i].crowded)
      said = printf("points with more threads than CPUs count for no fit\n") > 0;
  say_ratios(s);
  say_fit(s);
  say_simulation(s, nodes);
  return DCS_OK;
}
