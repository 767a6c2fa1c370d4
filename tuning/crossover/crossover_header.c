/* Thresholds to paste: a C header that needs nothing else, and sentences. */
#include "tuning/crossover/crossover.h"

#include "harness/base/c_text.h"
#include "harness/base/grow.h"
#include "harness/files/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers, no finer than the interval supports ---- */

/* A hundredth of the interval's power of ten, at least 1: sizes are whole. */
static double unit_of(const dcs_threshold *t) {
  const double width = t->hi - t->lo;
  return width > 100 ? pow(10, floor(log10(width)) - 2) : 1;
}

double dcs_crossover_whole(double value) {
  return ceil(value * (1 - 1e-9));
}

static double rounded(double value, const dcs_threshold *t) {
  const double unit = unit_of(t);
  return unit > 1 ? unit * round(value / unit) : dcs_crossover_whole(value);
}

double dcs_crossover_loss(const dcs_crossover *c) {
  const double loss = 100 * c->threshold.regret_worst;
  const double unit = pow(10, floor(log10(loss)) - 1);
  return loss > 0 ? round(loss / unit) * unit : loss;
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
  snprintf(text, DCS_TEXT, "%s", kind->dimensions[c->along].values);
  if (c->system) dcs_append(text, DCS_TEXT, " at %s", dcs_crossover_fixed(c, fixed));
  for (int d = 0; !c->system && d < kind->n_dimensions; d++)
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

/* What is to be known beside a time or a threshold. */
static void append_notes(const dcs_measured *m, const dcs_crossover *c, char text[1024]) {
  const char *card = dcs_crossover_card(m, c);
  const double error = dcs_crossover_model_error(m, c);
  double sizes[2];
  if (dcs_crossover_far_apart(m, c, sizes))
    dcs_append(text, 1024, "; the sizes next to it are %.15g and %.15g: closer ones may move it",
               sizes[0], sizes[1]);
  char gaps[DCS_TEXT];
  if (*dcs_crossover_gaps(m, c, gaps)) dcs_append(text, 1024, "; next to it: %s", gaps);
  if (error > 0) dcs_append(text, 1024, "; at a model error of up to %.2g", error);
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
    append_notes(m, c, text);
    return text;
  }
  snprintf(text, 1024, "%s (%s): use %s from %.15g on (%s), %s below", axis,
           dcs_scope_name(c->pair->scope), b, rounded(t->estimate, t), interval_text(t, interval),
           a);
  if (t->regret_worst > 0)
    dcs_append(text, 1024, "; it loses at most %.6g%% at a size that it was not drawn from",
               dcs_crossover_loss(c));
  else if (t->regret_worst == 0)
    dcs_append(text, 1024, "; it loses nothing at sizes that it was not drawn from");
  if (t->status != DCS_THRESHOLD_OK)
    dcs_append(text, 1024, " [%s]", dcs_threshold_status_name(t->status));
  append_notes(m, c, text);
  return text;
}

/* ---- the header ---- */

/* DCS_GPU_OVER_CPU_WARM_FROM_N: what the threshold is of, told apart by what is fixed. */
static void put_name(FILE *out, const dcs_measured *m, const dcs_crossover *c, bool macro,
                     dcs_c_names *taken) {
  char b[DCS_TEXT], a[DCS_TEXT], axis[DCS_TEXT], name[4 * DCS_TEXT];
  dcs_crossover_what(m, c, 1, b);
  dcs_crossover_what(m, c, 0, a);
  if (!macro)
    snprintf(axis, sizeof axis, "%s", c->like->size.kind->dimensions[0].values);
  else
    axis_text(c, axis);
  snprintf(name, sizeof name, "DCS_%s_OVER_%s_%s_FROM_%s", b, a, dcs_scope_name(c->pair->scope),
           axis);
  dcs_put_new_name(out, name, macro, taken);
}

static void put_sentence(FILE *out, const dcs_measured *m, const dcs_crossover *c) {
  char text[1024];
  fputs("\n/* ", out);
  dcs_put_comment(out, dcs_crossover_sentence(m, c, text));
  fputs(". */\n", out);
}

static void put_define(FILE *out, const dcs_measured *m, const dcs_crossover *c,
                       dcs_c_names *taken) {
  put_sentence(out, m, c);
  if (isnan(c->threshold.estimate)) return;
  fputs("#define ", out);
  put_name(out, m, c, true, taken);
  fprintf(out, " %.15g\n", rounded(c->threshold.estimate, &c->threshold));
}

/* ---- a frontier as a function ---- */

/* Thresholds of one pair, by the values of dimension 1: those from which on side 1 - below is the
 * faster one. */
typedef struct {
  const dcs_crossover *list;
  size_t n;
  int below;
} frontier;

/* The pair's side that is faster at all sizes; -1: neither. */
static int always(const dcs_crossover *c) {
  const dcs_threshold *t = &c->threshold;
  if (t->status == DCS_THRESHOLD_ALWAYS_A) return t->below;
  return t->status == DCS_THRESHOLD_ALWAYS_B ? 1 - t->below : -1;
}

/* From where on; INFINITY and 0 where one is faster at all sizes; NaN where nothing is known. */
static double from(const frontier *f, const dcs_crossover *c) {
  const bool crosses = !isnan(c->threshold.estimate) && c->threshold.below == f->below;
  if (crosses) return rounded(c->threshold.estimate, &c->threshold);
  if (!isnan(c->threshold.estimate) || always(c) < 0) return NAN;
  return always(c) == f->below ? INFINITY : 0;
}

/* The threshold that is next along dimension 1 after `last` (NULL: the first); NULL: none is. */
static const dcs_crossover *next_point(const frontier *f, const dcs_crossover *last) {
  const dcs_crossover *next = NULL;
  for (const dcs_crossover *c = f->list; c < f->list + f->n; c++) {
    const double x = dcs_along(&c->like->size, 1);
    if (isnan(from(f, c)) || (last && x <= dcs_along(&last->like->size, 1))) continue;
    if (!next || x < dcs_along(&next->like->size, 1)) next = c;
  }
  return next;
}

static void put_array(FILE *out, const char *name, const frontier *f, bool x) {
  const dcs_crossover *c = NULL;
  const char *comma = "";
  fprintf(out, "  static const double %s[] = {", name);
  while ((c = next_point(f, c))) {
    const double value = x ? dcs_along(&c->like->size, 1) : from(f, c);
    fprintf(out, isinf(value) ? "%sHUGE_VAL" : "%s%.15g", comma, value);
    comma = ", ";
  }
  fputs("};\n", out);
}

/* What the points are, in words; returns how many. *open: one is no crossover point. */
static int put_points(FILE *out, const frontier *f, bool *open) {
  const dcs_dimension *dimensions = f->list->like->size.kind->dimensions;
  const dcs_crossover *c = NULL;
  char text[64];
  int points = 0;
  *open = false;
  fputs("\n/* From so many ", out);
  dcs_put_comment(out, dimensions[0].values);
  fputs(" on, by ", out);
  dcs_put_comment(out, dimensions[1].values);
  fputc(':', out);
  while ((c = next_point(f, c))) {
    const double x = dcs_along(&c->like->size, 1);
    fputs(points++ ? ", " : " ", out);
    if (isnan(c->threshold.estimate))
      fprintf(out, "%s at %.15g", isinf(from(f, c)) ? "never" : "always", x);
    else
      fprintf(out, "%.15g at %.15g (%s, %s)", from(f, c), x, interval_text(&c->threshold, text),
              dcs_threshold_status_name(c->threshold.status));
    *open = *open || isnan(c->threshold.estimate);
  }
  fprintf(out, ".\n * Straight between them in log space, constant beyond%s. */\n",
          *open ? "; beside always and never the nearer one" : "");
  return points;
}

/* A function where there is a second dimension, with two points at least, one a crossover point. */
static void put_function(FILE *out, const dcs_measured *m, const frontier *f, dcs_c_names *taken) {
  if (f->list->like->size.kind->n_dimensions < 2) return;
  const dcs_crossover *first = next_point(f, NULL), *named = first;
  bool open;
  while (named && isnan(named->threshold.estimate))
    named = next_point(f, named);
  if (!named || !next_point(f, first)) return;
  const int last = put_points(out, f, &open) - 1;
  fputs("static inline double ", out);
  put_name(out, m, named, false, taken);
  fputs("(double at) {\n", out);
  put_array(out, "x", f, true);
  put_array(out, "from", f, false);
  fprintf(out,
          "  int i = 0;\n"
          "  if (at <= x[0]) return from[0];\n"
          "  while (i < %d && at > x[i + 1]) i++;\n"
          "  if (i == %d) return from[i];\n",
          last, last);
  if (open)
    fputs(
        "  if (!(from[i] > 0 && from[i + 1] > 0 && from[i] < HUGE_VAL && from[i + 1] < HUGE_VAL))\n"
        "    return from[at / x[i] < x[i + 1] / at ? i : i + 1];\n",
        out);
  fputs("  return from[i] * pow(from[i + 1] / from[i], log(at / x[i]) / log(x[i + 1] / x[i]));\n"
        "}\n",
        out);
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

/* The crossovers with those of a frontier one behind the other, as the first of each comes. */
static void order_by_frontier(const dcs_crossovers *found, dcs_crossover *list) {
  size_t n = 0;
  for (size_t i = 0; i < found->n; i++) {
    const dcs_crossover *c = &found->list[i];
    size_t at = n;
    while (at > 0 && !same_frontier(&list[at - 1], c))
      at--;
    if (at == 0) at = n;
    memmove(&list[at + 1], &list[at], (n++ - at) * sizeof *list);
    list[at] = *c;
  }
}

static dcs_status put_thresholds(FILE *out, const dcs_measured *m, const dcs_crossover *list,
                                 size_t n) {
  dcs_c_names taken = {0};
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && same_frontier(&list[i], &list[end]);)
      end++;
    for (size_t t = i; t < end && !list[i].plane; t++)
      put_define(out, m, &list[t], &taken);
    for (int below = 0; below < 2; below++)
      put_function(out, m, &(frontier){&list[i], end - i, below}, &taken);
  }
  const bool whole = !taken.no_memory;
  dcs_c_names_free(&taken);
  return whole ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for names");
}

dcs_status dcs_crossovers_write_header(const char *path, const dcs_crossovers *found) {
  const dcs_measured *m = &found->measured;
  dcs_crossover *list = calloc(found->n + 1, sizeof *list);
  dcs_file file;
  if (!list) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu thresholds", found->n);
  order_by_frontier(found, list);
  dcs_status status = dcs_file_create(&file, path);
  if (status != DCS_OK) {
    free(list);
    return status;
  }
  FILE *out = file.stream;
  fputs("/* Written by `dcsbench crossover` from measurements of:\n", out);
  put_machines(out, m);
  fputs(
      " * Each number is the size from which on the one method is faster, the other below it. */\n"
      "#ifndef DCS_CROSSOVER_THRESHOLDS_H\n#define DCS_CROSSOVER_THRESHOLDS_H\n\n"
      "#include <math.h>\n",
      out);
  status = put_thresholds(out, m, list, found->n);
  fputs("\n#endif\n", out);
  free(list);
  return dcs_file_finish(&file, status);
}
