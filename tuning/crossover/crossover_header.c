/* Thresholds to paste: a C header that needs nothing else, and sentences. */
#include "tuning/crossover/crossover.h"

#include "harness/base/c_text.h"
#include "harness/base/grow.h"
#include "harness/files/file.h"

#include <math.h>
#include <string.h>

/* ---- numbers, no finer than the interval supports ---- */

/* A hundredth of the interval's power of ten, at least 1: sizes are whole. */
static double unit_of(const dcs_threshold *t) {
  const double width = t->hi - t->lo;
  return width > 100 ? pow(10, floor(log10(width)) - 2) : 1;
}

static double rounded(double value, const dcs_threshold *t) {
  const double unit = unit_of(t);
  return unit * round(value / unit);
}

/* "95%: 17290 to 18940"; returns text. */
static char *interval_text(const dcs_threshold *t, char text[64]) {
  if (isnan(t->lo) && isnan(t->hi))
    snprintf(text, 64, "no interval");
  else if (isnan(t->lo))
    snprintf(text, 64, "95%%: up to %.15g", rounded(t->hi, t));
  else if (isnan(t->hi))
    snprintf(text, 64, "95%%: %.15g or more", rounded(t->lo, t));
  else
    snprintf(text, 64, "95%%: %.15g to %.15g", rounded(t->lo, t), rounded(t->hi, t));
  return text;
}

/* ---- sentences ---- */

/* "atoms on 512x512x4", "n", "points at 4000 atoms"; returns text. */
static char *axis_text(const dcs_crossover *c, char text[DCS_TEXT]) {
  char fixed[64], shape[DCS_TEXT];
  const dcs_kind *kind = c->like->size.kind;
  snprintf(text, DCS_TEXT, "%s", c->plane ? kind->dimensions[0].values : dcs_crossover_axis(c));
  for (int d = 0; d < kind->n_dimensions; d++)
    if (d != c->along && kind->made_of)
      dcs_append(text, DCS_TEXT, " at %s = %s", kind->dimensions[d].name,
                 dcs_dimension_text(&c->like->size, d, fixed));
    else if (d != c->along)
      dcs_append(text, DCS_TEXT, " %s %s%s", kind->dimensions[d].n == 3 ? "on" : "at",
                 dcs_dimension_text(&c->like->size, d, fixed),
                 kind->dimensions[d].n == 3 ? "" : " atoms");
  if (!c->plane && *dcs_crossover_shape(c, shape)) dcs_append(text, DCS_TEXT, ", %s", shape);
  return text;
}

static void append_card(const dcs_measured *m, const dcs_crossover *c, char text[1024]) {
  const char *card = dcs_crossover_card(m, c);
  if (*card)
    dcs_append(text, 1024, "; of two machines: the GPU's times are those of a reference, %s", card);
}

char *dcs_crossover_sentence(const dcs_measured *m, const dcs_crossover *c, char text[1024]) {
  const dcs_threshold *t = &c->threshold;
  char axis[DCS_TEXT], a[DCS_TEXT], b[DCS_TEXT], interval[64];
  axis_text(c, axis);
  dcs_crossover_what(m, c, 0, a);
  dcs_crossover_what(m, c, 1, b);
  if (isnan(t->estimate)) {
    const bool first = t->status == DCS_THRESHOLD_ALWAYS_A;
    const bool always = first || t->status == DCS_THRESHOLD_ALWAYS_B;
    const bool close = t->status == DCS_THRESHOLD_NOT_BRACKETED;
    snprintf(text, 1024, "%s (%s): %s%s%s at all %zu sizes measured", axis,
             dcs_scope_name(c->pair->scope), always ? "use " : "",
             always ? first ? a : b : "no crossover point",
             always  ? ""
             : close ? ", and the methods come close at an end,"
                     : ", because nothing is sure",
             t->sizes);
    append_card(m, c, text);
    return text;
  }
  snprintf(text, 1024, "%s (%s): use %s from %.15g on (%s), %s below", axis,
           dcs_scope_name(c->pair->scope), b, rounded(t->estimate, t), interval_text(t, interval),
           a);
  if (t->regret_worst > 0)
    dcs_append(text, 1024, "; it loses at most %.2g%% at a size that it was not drawn from",
               100 * t->regret_worst);
  else if (t->regret_worst == 0)
    dcs_append(text, 1024, "; it loses nothing at sizes that it was not drawn from");
  if (t->status != DCS_THRESHOLD_OK)
    dcs_append(text, 1024, " [%s]", dcs_threshold_status_name(t->status));
  append_card(m, c, text);
  return text;
}

/* ---- the header ---- */

/* DCS_GPU_OVER_CPU_WARM_FROM_N: what the threshold is of, told apart by what is fixed. */
static void put_name(FILE *out, const dcs_measured *m, const dcs_crossover *c, bool macro) {
  char b[DCS_TEXT], a[DCS_TEXT], axis[DCS_TEXT], name[4 * DCS_TEXT];
  dcs_crossover_what(m, c, 1, b);
  dcs_crossover_what(m, c, 0, a);
  if (!macro)
    snprintf(axis, sizeof axis, "%s", c->like->size.kind->dimensions[0].values);
  else
    axis_text(c, axis);
  snprintf(name, sizeof name, "DCS_%s_OVER_%s_%s_FROM_%s", b, a, dcs_scope_name(c->pair->scope),
           axis);
  dcs_put_name(out, name, macro);
}

static void put_sentence(FILE *out, const dcs_measured *m, const dcs_crossover *c) {
  char text[1024];
  fputs("\n/* ", out);
  dcs_put_comment(out, dcs_crossover_sentence(m, c, text));
  fputs(". */\n", out);
}

static void put_define(FILE *out, const dcs_measured *m, const dcs_crossover *c) {
  put_sentence(out, m, c);
  if (isnan(c->threshold.estimate)) return;
  fputs("#define ", out);
  put_name(out, m, c, true);
  fprintf(out, " %.15g\n", rounded(c->threshold.estimate, &c->threshold));
}

/* Of list[n], the threshold with an estimate that is next along dimension 1 after `last` (NULL: the
 * first); NULL: there is none. */
static const dcs_crossover *next_point(const dcs_crossover *list, size_t n,
                                       const dcs_crossover *last) {
  const dcs_crossover *next = NULL;
  for (const dcs_crossover *c = list; c < list + n; c++) {
    const double x = dcs_along(&c->like->size, 1);
    if (isnan(c->threshold.estimate) || (last && x <= dcs_along(&last->like->size, 1))) continue;
    if (!next || x < dcs_along(&next->like->size, 1)) next = c;
  }
  return next;
}

static void put_array(FILE *out, const char *name, const dcs_crossover *list, size_t n, bool x) {
  const dcs_crossover *c = NULL;
  const char *comma = "";
  fprintf(out, "  static const double %s[] = {", name);
  while ((c = next_point(list, n, c))) {
    fprintf(out, "%s%.15g", comma,
            x ? dcs_along(&c->like->size, 1) : rounded(c->threshold.estimate, &c->threshold));
    comma = ", ";
  }
  fputs("};\n", out);
}

/* What the points are, in words; returns how many. */
static int put_points(FILE *out, const dcs_crossover *list, size_t n) {
  const dcs_dimension *dimensions = list->like->size.kind->dimensions;
  const dcs_crossover *c = NULL;
  char text[64];
  int points = 0;
  fprintf(out, "\n/* From so many %s on, by %s:", dimensions[0].values, dimensions[1].values);
  while ((c = next_point(list, n, c)))
    fprintf(out, "%s %.15g at %.15g (%s, %s)", points++ ? "," : "",
            rounded(c->threshold.estimate, &c->threshold), dcs_along(&c->like->size, 1),
            interval_text(&c->threshold, text), dcs_threshold_status_name(c->threshold.status));
  fputs(".\n * Straight between them in log space, constant beyond. */\n", out);
  return points;
}

/* The frontier of one pair, list[n]: a function where it has two points at least. */
static void put_frontier(FILE *out, const dcs_measured *m, const dcs_crossover *list, size_t n) {
  const dcs_crossover *first = next_point(list, n, NULL);
  if (!first || !next_point(list, n, first)) return;
  const int last = put_points(out, list, n) - 1;
  fputs("static inline double ", out);
  put_name(out, m, list, false);
  fputs("(double at) {\n", out);
  put_array(out, "x", list, n, true);
  put_array(out, "from", list, n, false);
  fprintf(out,
          "  int i = 0;\n"
          "  if (at <= x[0]) return from[0];\n"
          "  while (i < %d && at > x[i + 1]) i++;\n"
          "  if (i == %d) return from[i];\n"
          "  return from[i] * pow(from[i + 1] / from[i], log(at / x[i]) / log(x[i + 1] / x[i]));\n"
          "}\n",
          last, last);
}

/* Whether thresholds of dimension 0 follow each other that differ in dimension 1 alone: grids of a
 * frontier, or the second axis of imported times. */
static bool same_frontier(const dcs_crossover *a, const dcs_crossover *b) {
  const dcs_kind *kind = a->like->size.kind;
  const bool over = a->plane || (kind->made_of && a->along == 0 && kind->n_axes == 2);
  return over && a->plane == b->plane && a->along == b->along && a->pair == b->pair &&
         kind == b->like->size.kind && dcs_shape_equal(a->shape, b->shape);
}

static void put_facts(FILE *out, const dcs_run *run, const char *const facts[]) {
  for (; *facts; facts++) {
    const char *value = dcs_run_fact(run, *facts);
    if (!*value || strcmp(value, "unknown") == 0) continue;
    fprintf(out, " *   %-16s ", *facts);
    dcs_put_comment(out, value);
    fputc('\n', out);
  }
}

static void put_machines(FILE *out, const dcs_measured *m) {
  static const char *const facts[] = {"imported_file", "cpu_model",   "cpus",
                                      "gpu_name",      "cuda_driver", "git_state",
                                      "input_fnv1a64", "date",        NULL},
                           *const of_card[] = {"gpu_name", "cuda_driver", "git_state", "date",
                                               NULL};
  put_facts(out, &m->run, facts);
  if (m->n_referred == 0) return;
  fputs(" * and, of another machine, the times of the GPU:\n", out);
  put_facts(out, &m->reference, of_card);
}

dcs_status dcs_crossovers_write_header(const char *path, const dcs_crossovers *found) {
  const dcs_measured *m = &found->measured;
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, path));
  FILE *out = file.stream;
  fputs("/* Written by `dcsbench crossover` from measurements of:\n", out);
  put_machines(out, m);
  fputs(
      " * Each number is the size from which on the one method is faster, the other below it. */\n"
      "#ifndef DCS_CROSSOVER_THRESHOLDS_H\n#define DCS_CROSSOVER_THRESHOLDS_H\n\n"
      "#include <math.h>\n",
      out);
  for (size_t i = 0, end; i < found->n; i = end) {
    for (end = i + 1; end < found->n && same_frontier(&found->list[i], &found->list[end]);)
      end++;
    for (size_t t = i; t < end && !found->list[i].plane; t++)
      put_define(out, m, &found->list[t]);
    put_frontier(out, m, &found->list[i], end - i);
  }
  fputs("\n#endif\n", out);
  return dcs_file_close(&file);
}
