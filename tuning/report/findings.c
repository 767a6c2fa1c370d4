/* What is to be known of a run: plain sentences, each computed from the data. */
#include "tuning/report/report.h"

#include "harness/base/grow.h"
#include "harness/files/text_stream.h"
#include "harness/runs/tuned_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- sentences ---- */

dcs_status dcs_findings_say(dcs_findings *findings, const char *format, ...) {
  va_list arguments;
  char *text;
  DCS_TRY(dcs_grow(&findings->list, findings->n, sizeof *findings->list, "sentences"));
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0) return dcs_fail(DCS_UNAVAILABLE, "not enough memory for a sentence");
  findings->list[findings->n++] = text;
  return DCS_OK;
}

void dcs_findings_free(dcs_findings *findings) {
  for (size_t i = 0; i < findings->n; i++)
    free(findings->list[i]);
  free(findings->list);
  *findings = (dcs_findings){0};
}

/* "18,100": of a size above 0 from which on something holds, three digits that count; returns
 * text. */
static char *about(double value, char text[64]) {
  char digits[64];
  const double unit = value >= 1000 ? pow(10, floor(log10(value)) - 2) : 1;
  const double whole = unit > 1 ? round(value / unit) * unit : dcs_crossover_whole(value);
  const int n = snprintf(digits, sizeof digits, "%.0f", whole);
  int used = 0;
  for (int i = 0; i < n && used < 62; i++) {
    if (i > 0 && (n - i) % 3 == 0) text[used++] = ',';
    text[used++] = digits[i];
  }
  text[used] = '\0';
  return text;
}

/* "150 ms"; returns text. */
static char *duration(double ns, char text[32]) {
  static const struct {
    double ns;
    const char *name;
  } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  int u = 0;
  while (u < 3 && fabs(ns) < units[u].ns)
    u++;
  snprintf(text, 32, "%.3g %s", ns / units[u].ns, units[u].name);
  return text;
}

/* ---- the fastest ---- */

static void name_method(const dcs_figure_row *row, char text[2 * DCS_TEXT]) {
  const int threads = row->of->threads;
  snprintf(text, 2 * DCS_TEXT, "%s", row->of->variant);
  if (row->of->backend == DCS_CPU && threads > 0)
    dcs_append(text, 2 * DCS_TEXT, " with %d thread%s", threads, threads == 1 ? "" : "s");
}

/* Whether the pick has rows of two variants. */
static bool has_several(const dcs_figure_run *run, const dcs_figure_pick *pick) {
  const dcs_figure_row *row = NULL, *first = NULL;
  while ((row = dcs_figure_next(run, pick, row))) {
    if (!row->ok) continue;
    if (!first) first = row;
    if (row->variant != first->variant) return true;
  }
  return false;
}

/* The fastest at the size of the ladder, and by how much it is ahead of the other backend. */
static dcs_status say_fastest(const dcs_figure_run *run, int problem, dcs_findings *to) {
  const int at = dcs_figure_ladder_size(run, problem);
  dcs_figure_pick pick = dcs_figure_pick_at(at, DCS_KERNEL);
  if (at < 0) return DCS_OK;
  pick.problem = problem;
  const dcs_figure_row *best = dcs_figure_best(run, &pick);
  if (!best || !has_several(run, &pick)) return DCS_OK;
  char size[DCS_TEXT], name[2 * DCS_TEXT], more[4 * DCS_TEXT] = "", other_name[2 * DCS_TEXT];
  name_method(best, name);
  if (isfinite(best->of->limit_fraction))
    dcs_append(more, sizeof more, ", %.3g%% of the measured limit", 100 * best->of->limit_fraction);
  if (isfinite(best->of->model_error))
    dcs_append(more, sizeof more, ", at a model error of %.3g", best->of->model_error);
  pick.backend = best->of->backend == DCS_GPU ? DCS_CPU : DCS_GPU;
  const dcs_figure_row *other = dcs_figure_best(run, &pick);
  if (other) {
    name_method(other, other_name);
    dcs_append(more, sizeof more, ", %.3g times as fast as the best %s variant, %s",
               best->of->evals_per_s / other->of->evals_per_s,
               other->of->backend == DCS_GPU ? "GPU" : "CPU", other_name);
  }
  const bool first = run->kind == dcs_kinds[0];
  return dcs_findings_say(to, "%s%s%s: %s is the fastest (kernel time), %.4g x 10^9 %s a second%s.",
                          first ? "" : run->kind->id, first ? "" : ", ",
                          dcs_size_text(&best->of->size, size), name, 1e-9 * best->of->evals_per_s,
                          run->kind->eval, more);
}

/* ---- thresholds ---- */

static const dcs_class *class_of(const dcs_measured *m, const dcs_crossover *c, int side) {
  return &m->classes[c->pair->class[side]];
}

static bool is_class(const dcs_class *class, const char *name) {
  return !class->imported && strcmp(class->name, name) == 0;
}

/* The pair's class on that side. */
static const char *class_words(const dcs_measured *m, const dcs_crossover *c, int side) {
  const char *name = dcs_class_name(m, c->pair->problem[side], c->pair->class[side]);
  return class_of(m, c, side)->imported        ? name
         : strcmp(name, "cpu_sequential") == 0 ? "the sequential CPU code"
         : strcmp(name, "cpu_one_thread") == 0 ? "the CPU with one thread"
         : strcmp(name, "cpu_parallel") == 0   ? "the CPU with all threads"
         : strcmp(name, "gpu") == 0            ? "the GPU"
                                               : name;
}

static const char *scope_words(dcs_scope scope) {
  return scope == DCS_FIRST  ? "start-up included"
         : scope == DCS_WARM ? "copies included"
                             : "by kernel time";
}

/* Side of the pair; with its problem where it is not the initial one, or both have not the same. */
static char *side_words(const dcs_measured *m, const dcs_crossover *c, int side,
                        char text[DCS_TEXT]) {
  const dcs_size *problem = &m->problems[c->pair->problem[side]];
  char config[DCS_TEXT];
  config[0] = '\0';
  if (!problem->kind->made_of) dcs_format_problem(problem->kind, &problem->config, config);
  if (!*config && c->pair->problem[0] != c->pair->problem[1]) strcpy(config, "plain");
  snprintf(text, DCS_TEXT, "%s%s%.150s%s", class_words(m, c, side), *config ? " (" : "", config,
           *config ? ")" : "");
  return text;
}

/* Where: "512x512x4" or "4000 atoms, grids N^3", behind the kind that is not the first. */
static char *where_words(const dcs_crossover *c, char text[DCS_TEXT]) {
  char fixed[64], shape[DCS_TEXT];
  const dcs_kind *kind = c->like->size.kind;
  if (kind->made_of) {
    snprintf(text, DCS_TEXT, "%s", dcs_crossover_fixed(c, fixed));
    return text;
  }
  dcs_crossover_shape(c, shape);
  dcs_crossover_fixed(c, fixed);
  const bool inputs = *fixed && *shape && !c->system; /* are what is fixed */
  const char *name = kind == dcs_kinds[0] ? "" : kind->id;
  snprintf(text, DCS_TEXT, "%s%s%s%s%s%.100s", name, *name && (*fixed || *shape) ? ", " : "", fixed,
           inputs ? " " : "", inputs ? kind->dimensions[0].values : "", *shape ? ", grids " : "");
  return dcs_append(text, DCS_TEXT, "%s", shape);
}

static int by_number(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median over the sizes of what side 1 of one pair takes longer than that of the other; NaN: no
 * size has both. */
static double scope_costs(const dcs_measured *m, const dcs_crossover *with,
                          const dcs_crossover *without) {
  double *costs = malloc((m->n_sizes + 1) * sizeof *costs), cost = NAN;
  size_t n = 0;
  for (size_t i = 0; costs && i < m->n_sizes; i++) {
    const dcs_run_row *more = dcs_best(&m->sizes[i], with->pair, 1);
    const dcs_run_row *less = dcs_best(&m->sizes[i], without->pair, 1);
    if (more && less && dcs_crossover_covers(with, &m->sizes[i]))
      costs[n++] = more->median_ns - less->median_ns;
  }
  if (n > 0) {
    qsort(costs, n, sizeof *costs, by_number);
    cost = n % 2 ? costs[n / 2] : 0.5 * (costs[n / 2 - 1] + costs[n / 2]);
  }
  free(costs);
  return cost;
}

/* The same threshold in the scope that lacks what this one includes; NULL: there is none. */
static const dcs_crossover *without_cost(const dcs_crossovers *found, const dcs_crossover *c) {
  const dcs_measured *m = &found->measured;
  const dcs_scope less = c->pair->scope == DCS_FIRST ? DCS_WARM : DCS_KERNEL;
  for (size_t i = 0; i < found->n; i++) {
    const dcs_crossover *o = &found->list[i];
    if (o->plane == c->plane && o->system == c->system && o->along == c->along &&
        o->pair->scope == less &&
        memcmp(o->pair->problem, c->pair->problem, sizeof c->pair->problem) == 0 &&
        o->pair->class[0] == c->pair->class[0] && is_class(class_of(m, o, 1), "gpu") &&
        (c->like->size.kind->n_dimensions < 2 ||
         dcs_same_along(&o->like->size, &c->like->size, 1 - c->along)) &&
        dcs_shape_equal(o->shape, c->shape))
      return o;
  }
  return NULL;
}

/* " because starting it costs 150 ms; without that it wins at every size measured": where the GPU
 * is ahead of a CPU method from the estimate on, and would be earlier without what the scope adds.
 */
static void append_because(const dcs_crossovers *found, const dcs_crossover *c,
                           char text[4 * DCS_TEXT]) {
  const dcs_measured *m = &found->measured;
  if (is_class(class_of(m, c, 0), "gpu") || !is_class(class_of(m, c, 1), "gpu") ||
      c->threshold.below != 0 || c->pair->scope == DCS_KERNEL)
    return;
  const dcs_crossover *other = without_cost(found, c);
  if (!other) return;
  const bool always = other->threshold.status == DCS_THRESHOLD_ALWAYS_B;
  const bool earlier = other->threshold.status == DCS_THRESHOLD_OK && other->threshold.below == 0 &&
                       other->threshold.estimate < c->threshold.estimate;
  const double cost = scope_costs(m, c, other);
  char number[64];
  if (!(always || earlier) || !(cost > 0)) return;
  dcs_append(text, 4 * DCS_TEXT, " because %s costs %s; without that it wins",
             c->pair->scope == DCS_FIRST ? "starting it" : "copying to and from it",
             duration(cost, number));
  if (always)
    dcs_append(text, 4 * DCS_TEXT, " at every size measured");
  else
    dcs_append(text, 4 * DCS_TEXT, " from %s on", about(other->threshold.estimate, number));
}

/* No speed without its accuracy, where the problem approximates another. */
static void append_error(double error, char *text, size_t size) {
  if (error > 0) dcs_append(text, size, ", at a model error of up to %.2g", error);
}

/* "the GPU loses to the CPU with all threads below 18,100 atoms (95%: 17,300 to 18,900) because
 * ..." */
static dcs_status say_crossover(const dcs_crossovers *found, const dcs_crossover *c,
                                dcs_findings *to) {
  const dcs_threshold *t = &c->threshold;
  const dcs_measured *m = &found->measured;
  char where[DCS_TEXT], a[DCS_TEXT], b[DCS_TEXT], n[64], lo[64], hi[64], gaps[DCS_TEXT],
      text[4 * DCS_TEXT] = "";
  dcs_append(text, sizeof text, "%s loses to %s below %s %s", side_words(m, c, 1 - t->below, a),
             side_words(m, c, t->below, b), about(t->estimate, n),
             c->like->size.kind->dimensions[c->along].values);
  dcs_append(text, sizeof text, " (95%%: %s to %s)", isnan(t->lo) ? "open" : about(t->lo, lo),
             isnan(t->hi) ? "open" : about(t->hi, hi));
  append_because(found, c, text);
  if (t->status != DCS_THRESHOLD_OK)
    dcs_append(text, sizeof text, "; status %s", dcs_threshold_status_name(t->status));
  if (t->regret_worst > 0.005)
    dcs_append(text, sizeof text, "; going by it loses up to %.6g%% at sizes held out",
               dcs_crossover_loss(c));
  if (*dcs_crossover_gaps(m, c, gaps)) dcs_append(text, sizeof text, "; next to it: %s", gaps);
  append_error(dcs_crossover_model_error(m, c), text, sizeof text);
  if (*dcs_crossover_card(m, c))
    dcs_append(text, sizeof text, "; the GPU's times are of another machine, a reference (%s)",
               dcs_crossover_card(m, c));
  where_words(c, where);
  return dcs_findings_say(to, "%s%s%s: %s.", where, *where ? ", " : "", scope_words(c->pair->scope),
                          text);
}

/* Whether both say that the same side is always ahead. */
static bool same_always(const dcs_crossover *a, const dcs_crossover *b) {
  return !b->plane && a->threshold.status == b->threshold.status &&
         a->pair->scope == b->pair->scope &&
         memcmp(a->pair->class, b->pair->class, sizeof a->pair->class) == 0 &&
         memcmp(a->pair->problem, b->pair->problem, sizeof a->pair->problem) == 0;
}

static bool is_always(const dcs_measured *m, const dcs_crossover *c) {
  return !c->plane && !is_class(class_of(m, c, 0), "cpu_sequential") &&
         (c->threshold.status == DCS_THRESHOLD_ALWAYS_A ||
          c->threshold.status == DCS_THRESHOLD_ALWAYS_B);
}

/* One sentence for all rows of sizes at which one side is always ahead. */
static dcs_status say_always(const dcs_crossovers *found, size_t at, dcs_findings *to) {
  const dcs_crossover *c = &found->list[at];
  const int ahead = c->threshold.status == DCS_THRESHOLD_ALWAYS_B;
  char places[2 * DCS_TEXT] = "", where[DCS_TEXT], a[DCS_TEXT], b[DCS_TEXT], more[64] = "";
  double error = NAN;
  for (size_t i = 0; i < found->n; i++) {
    if (!same_always(c, &found->list[i])) continue;
    if (i < at) return DCS_OK; /* said already */
    dcs_append(places, sizeof places, "%s%s", *places ? "; " : "",
               where_words(&found->list[i], where));
    error = fmax(error, dcs_crossover_model_error(&found->measured, &found->list[i]));
  }
  append_error(error, more, sizeof more);
  return dcs_findings_say(to, "At every size measured%s%s, %s, %s is ahead of %s%s.",
                          *places ? " of " : "", places, scope_words(c->pair->scope),
                          side_words(&found->measured, c, ahead, a),
                          side_words(&found->measured, c, !ahead, b), more);
}

static dcs_status say_thresholds(const dcs_crossovers *found, dcs_findings *to) {
  for (size_t i = 0; i < found->n; i++)
    if (!found->list[i].plane && !isnan(found->list[i].threshold.estimate))
      DCS_TRY(say_crossover(found, &found->list[i], to));
  for (size_t i = 0; i < found->n; i++)
    if (is_always(&found->measured, &found->list[i])) DCS_TRY(say_always(found, i, to));
  return DCS_OK;
}

/* ---- what to look at ---- */

static dcs_status say_claims(const dcs_claims *claims, dcs_findings *to) {
  static const char *const words[DCS_N_VERDICTS] = {[DCS_VERDICT_HOLDS] = "hold here",
                                                    [DCS_VERDICT_PARTLY] = "hold in part",
                                                    [DCS_VERDICT_FAILS] = "fail",
                                                    [DCS_VERDICT_NOT_MEASURED] =
                                                        "were not measured"};
  char text[DCS_TEXT] = "";
  bool measured = false; /* else arithmetic alone */
  for (size_t i = 0; i < claims->n; i++)
    measured |= claims->list[i].shown.method != NULL;
  if (!measured) return DCS_OK;
  for (int v = 0; v < DCS_N_VERDICTS; v++) {
    size_t n = 0;
    for (size_t i = 0; i < claims->n; i++)
      n += (int)claims->list[i].verdict == v;
    if (n > 0) dcs_append(text, sizeof text, "%s%zu %s", *text ? ", " : "", n, words[v]);
  }
  return dcs_findings_say(to, "Of the case study's %zu claims %s.", claims->n, text);
}

static dcs_status say_outcomes(const dcs_run *run, dcs_findings *to) {
  for (int outcome = DCS_OUTCOME_OK + 1; outcome < DCS_N_OUTCOMES; outcome++) {
    const dcs_run_row *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < run->n_rows; i++) {
      if ((int)run->rows[i].outcome != outcome) continue;
      if (!first) first = &run->rows[i];
      n++;
    }
    if (!first) continue;
    const char *why = dcs_run_cell(run, first, "why");
    DCS_TRY(dcs_findings_say(to, "%zu of %zu rows have no time, outcome %s, such as %s %s%s%s.", n,
                             run->n_rows, dcs_outcome_name((dcs_outcome)outcome), first->variant,
                             first->config, *why ? ": " : "", why));
  }
  return DCS_OK;
}

static dcs_status say_scatter(const dcs_run *run, dcs_findings *to) {
  const dcs_run_row *widest = NULL;
  double most = 0.05;
  size_t wide = 0, few = 0, ok = 0;
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_run_row *row = &run->rows[i];
    if (row->outcome != DCS_OUTCOME_OK) continue;
    const double half = 0.5 * (row->ci_hi_ns - row->ci_lo_ns) / row->median_ns;
    ok++;
    few += isnan(half);
    wide += half > 0.05;
    if (!(half > most)) continue;
    most = half;
    widest = row;
  }
  char size[DCS_TEXT];
  if (widest)
    DCS_TRY(dcs_findings_say(
        to, "%zu of %zu times are known to no better than 5%%, worst %s (%s, %s) to %.0f%%.", wide,
        ok, widest->variant, dcs_scope_name(widest->scope), dcs_size_text(&widest->size, size),
        100 * most));
  if (few == 0) return DCS_OK;
  const bool imported = *dcs_run_fact(run, "imported_file");
  return dcs_findings_say(
      to, "%zu of %zu times have no interval: fewer than 6 samples; %s.", few, ok,
      imported ? "import 6 or more of each"
               : "measure with --rounds 6 or more, with budget enough for them");
}

/* Lines that others wrote of the run, a sentence each. */
static dcs_status say_lines(char *lines, dcs_findings *to) {
  char *rest;
  for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    DCS_TRY(dcs_findings_say(to, "%s", line));
  return DCS_OK;
}

static dcs_status say_notes(const dcs_run *run, dcs_findings *to) {
  dcs_text_stream text;
  char *lines;
  DCS_TRY(dcs_text_begin(&text));
  if (dcs_table_torn(run->summary))
    fprintf(text.stream, "%s: the last row was cut off and is left out.\n",
            dcs_table_path(run->summary));
  dcs_status status = dcs_tuned_check_say(run->folder, text.stream);
  const dcs_status ended = dcs_text_end(&text, &lines, NULL);
  if (status == DCS_OK) status = ended;
  if (status == DCS_OK) status = say_lines(lines, to);
  free(lines);
  return status;
}

/* Rows that were measured while the machine did something else as well. */
static dcs_status say_disturbed(const dcs_run *run, dcs_findings *to) {
  size_t n = 0;
  for (size_t i = 0; i < run->n_rows; i++)
    n += dcs_row_disturbed(&run->rows[i]);
  if (n == 0) return DCS_OK;
  return dcs_findings_say(to,
                          "%zu of %zu rows are disturbed: in more than a quarter of their samples "
                          "the machine did something else as well.",
                          n, run->n_rows);
}

dcs_status dcs_report_findings(dcs_report *report, dcs_findings *to) {
  *to = (dcs_findings){0};
  const dcs_kind *kind = NULL;
  while ((kind = dcs_report_kind(&report->run.own, kind))) {
    DCS_TRY(dcs_figure_take(&report->run, kind));
    DCS_TRY(say_fastest(&report->run, DCS_FIGURE_DIRECT, to));
    for (int problem = 0; problem < report->run.n_problems; problem++)
      DCS_TRY(say_fastest(&report->run, problem, to));
  }
  DCS_TRY(say_thresholds(&report->crossovers, to));
  DCS_TRY(say_claims(&report->claims, to));
  DCS_TRY(say_outcomes(&report->run.own, to));
  DCS_TRY(say_scatter(&report->run.own, to));
  DCS_TRY(say_disturbed(&report->run.own, to));
  return say_notes(&report->run.own, to);
}
