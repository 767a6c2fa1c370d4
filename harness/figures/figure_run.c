/* The run that figures are drawn of: the rows of one kind with their indices, and its limits. */
#include "harness/base/alike.h"
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists that rows are indices into ---- */

static int by_size(const void *left, const void *right) {
  return dcs_compare_sizes(left, right);
}

/* Sorts elements that begin with a size, and keeps one of each; returns how many. */
static int distinct(void *list, size_t n, size_t width) {
  char *at = list;
  size_t kept = 0;
  if (n > 0) qsort(list, n, width, by_size);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || by_size(at + i * width, at + (kept - 1) * width) != 0)
      memmove(at + kept++ * width, at + i * width, width);
  return (int)kept;
}

/* -1: it is not there. */
static int index_of(const dcs_size *size, const void *list, int n, size_t width) {
  const char *found = bsearch(size, list, (size_t)n, width, by_size);
  return found ? (int)((size_t)(found - (const char *)list) / width) : -1;
}

static dcs_size without_axes(const dcs_size *size) {
  return (dcs_size){.kind = size->kind, .config = size->config};
}

static dcs_size of_direct(const dcs_figure_run *run, dcs_size size) {
  size.config = run->direct;
  return size;
}

static bool is_direct(const dcs_figure_run *run, const dcs_size *size) {
  return dcs_same_problem(size->kind, &size->config, &run->direct);
}

/* Is it the problem, or one that approximates it? */
static bool comes_near(const dcs_kind *kind, const dcs_config *config, const dcs_config *problem) {
  dcs_config exact;
  return dcs_same_problem(kind, config, problem) ||
         (kind->approximates && kind->approximates(config, &exact) &&
          dcs_same_problem(kind, &exact, problem));
}

static dcs_config choose_direct(const dcs_figure_run *run) {
  const dcs_config initial = dcs_initial_problem(run->kind);
  dcs_config first = initial;
  for (size_t i = run->n_rows; i-- > 0;) {
    first = run->rows[i].of->size.config; /* NOLINT: no row is NULL */
    if (comes_near(run->kind, &first, &initial)) return initial;
  }
  return first;
}

static void list_sizes(dcs_figure_run *run) {
  size_t n_problems = 0;
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_run_row *row = run->rows[i].of;
    const dcs_size *size = &row->size;
    /* NOLINTNEXTLINE: no row is NULL */
    run->sizes[i] = (dcs_figure_size){of_direct(run, *size), dcs_size_points(size),
                                      dcs_along(size, 0), row->spacing, NULL};
    if (!is_direct(run, size)) run->problems[n_problems++] = without_axes(size);
  }
  run->n_sizes = distinct(run->sizes, run->n_rows, sizeof *run->sizes);
  run->n_problems = distinct(run->problems, n_problems, sizeof *run->problems);
}

static int by_text(const void *a, const void *b) {
  return strcmp(a, b);
}

typedef struct {
  const char *name;
  int rung;
  size_t number; /* as the files have them */
} named;

static int by_rung(const void *left, const void *right) {
  const named *a = left, *b = right;
  return a->rung != b->rung ? a->rung - b->rung : (a->number > b->number) - (a->number < b->number);
}

/* In the ladder's order; those that it does not know come last, as the files have them. Gives rows
 * their variants. */
static dcs_status list_variants(dcs_figure_run *run) {
  const size_t n = run->n_rows;
  const void **names;
  size_t *number, *place, distinct;
  named *list;
  DCS_TRY(dcs_room_take(&run->room, &names, n, sizeof *names, "variants"));
  DCS_TRY(dcs_room_take(&run->room, &number, n, sizeof *number, "variants"));
  DCS_TRY(dcs_room_take(&run->room, &place, n, sizeof *place, "variants"));
  DCS_TRY(dcs_room_take(&run->room, &list, n, sizeof *list, "variants"));
  for (size_t i = 0; i < n; i++)
    names[i] = run->rows[i].of->variant; /* NOLINT: no row is NULL */
  DCS_TRY(dcs_number_alike(names, n, by_text, number, &distinct));
  for (size_t i = n; i-- > 0;)
    list[number[i]] = (named){names[i], 0, number[i]};
  for (size_t v = 0; v < distinct; v++)
    list[v].rung = dcs_find_rung(list[v].name);
  qsort(list, distinct, sizeof *list, by_rung);
  for (size_t v = 0; v < distinct; v++) {
    run->variants[v] = list[v].name;
    place[list[v].number] = v;
  }
  run->n_variants = (int)distinct;
  for (size_t i = 0; i < n; i++)
    run->rows[i].variant = (int)place[number[i]];
  return DCS_OK;
}

static int problem_of(const dcs_figure_run *run, const dcs_size *problem) {
  if (is_direct(run, problem)) return DCS_FIGURE_DIRECT;
  return index_of(problem, run->problems, run->n_problems, sizeof *run->problems);
}

/* In the order of the rows. */
static void chain_rows(dcs_figure_run *run) {
  for (size_t i = run->n_rows; i-- > 0;) {
    dcs_figure_row *row = &run->rows[i];
    row->next = run->sizes[row->size].rows;
    run->sizes[row->size].rows = row;
  }
}

static dcs_status index_rows(dcs_figure_run *run) {
  if (run->n_rows == 0) return DCS_OK;
  run->direct = choose_direct(run);
  list_sizes(run);
  DCS_TRY(list_variants(run));
  for (size_t i = 0; i < run->n_rows; i++) {
    dcs_figure_row *row = &run->rows[i];
    const dcs_size key = of_direct(run, row->of->size), problem = without_axes(&row->of->size);
    row->size = index_of(&key, run->sizes, run->n_sizes, sizeof *run->sizes);
    row->problem = problem_of(run, &problem);
    row->ok = row->of->outcome == DCS_OUTCOME_OK &&
              (run->kind->made_of ? row->of->median_ns : row->of->evals_per_s) > 0;
  }
  chain_rows(run);
  return DCS_OK;
}

bool dcs_figure_pick_size(const dcs_figure_run *run, const dcs_size *size, dcs_figure_pick *pick) {
  const dcs_size key = of_direct(run, *size), problem = without_axes(size);
  pick->size = index_of(&key, run->sizes, run->n_sizes, sizeof *run->sizes);
  pick->problem = problem_of(run, &problem);
  return pick->size >= 0 && pick->problem != DCS_FIGURE_ANY;
}

char *dcs_figure_axes(const dcs_figure_run *run, int size, char text[DCS_TEXT]) {
  dcs_size key = run->sizes[size].key;
  key.config = dcs_initial_problem(key.kind);
  return dcs_size_text(&key, text);
}

/* ---- a kind ---- */

static dcs_status make_room(dcs_figure_run *run) {
  const size_t n = run->own.n_rows + run->other.n_rows;
  DCS_TRY(dcs_room_take(&run->room, &run->rows, n, sizeof *run->rows, "rows"));
  DCS_TRY(dcs_room_take(&run->room, &run->sizes, n, sizeof *run->sizes, "sizes"));
  DCS_TRY(dcs_room_take(&run->room, &run->problems, n, sizeof *run->problems, "problems"));
  return dcs_room_take(&run->room, &run->variants, n, sizeof *run->variants, "variants");
}

/* The rows of one backend; returns whether one may be drawn. */
static bool append(dcs_figure_run *run, const dcs_run *from, dcs_backend backend) {
  bool any = false;
  for (size_t i = 0; i < from->n_rows; i++) {
    const dcs_run_row *row = &from->rows[i];
    if (row->size.kind != run->kind || row->backend != backend) continue;
    run->rows[run->n_rows++].of = row;
    any = any || row->outcome == DCS_OUTCOME_OK;
  }
  return any;
}

/* The limits of all, those of the card whose rows are drawn among them. */
static void read_limits(dcs_figure_run *run) {
  static const char *const names[] = {"cpu_1", "cpu_all", "gpu"};
  for (int group = 0; group < DCS_FIGURE_GROUPS; group++) {
    const bool gpu = group == DCS_FIGURE_GPU;
    const dcs_run *of = gpu && run->gpu_is_reference ? &run->other : &run->own;
    const char *limit = run->kind->limit[gpu ? DCS_GPU : DCS_CPU], *mark;
    char key[DCS_TEXT];
    snprintf(key, sizeof key, "limit_%s_fma_per_s", names[group]);
    run->limits[group].fma_per_s = dcs_run_fact_number(of, key);
    snprintf(key, sizeof key, "limit_%s_memory_bytes_per_s", names[group]);
    run->limits[group].bytes_per_s = dcs_run_fact_number(of, key);
    run->limits[group].evals_per_s = NAN;
    if (!limit) continue;
    mark = strstr(limit, "%s"); /* of the CPU: one thread, or all */
    if (mark)
      snprintf(key, sizeof key, "limit_%.*s%s%s", (int)(mark - limit), limit,
               group == DCS_FIGURE_ONE_THREAD ? "1" : "all", mark + 2);
    else
      snprintf(key, sizeof key, "limit_%s", limit);
    run->limits[group].evals_per_s =
        dcs_run_fact_number(of, key) / dcs_limit_cost(run->kind, gpu ? DCS_GPU : DCS_CPU);
  }
}

dcs_status dcs_figure_take(dcs_figure_run *run, const dcs_kind *kind) {
  dcs_room_free(&run->room);
  *run = (dcs_figure_run){.dir = run->dir,
                          .own = run->own,
                          .other = run->other,
                          .gpu_suffix = "",
                          .kind = kind,
                          .of_figures = run->of_figures,
                          .figure = &run->of_figures};
  DCS_TRY(make_room(run));
  append(run, &run->own, DCS_NO_BACKEND);
  append(run, &run->own, DCS_CPU);
  if (!append(run, &run->own, DCS_GPU) && run->other.folder) {
    run->gpu_is_reference = append(run, &run->other, DCS_GPU);
    if (run->gpu_is_reference) run->gpu_suffix = " (reference)";
  }
  DCS_TRY(index_rows(run));
  read_limits(run);
  return DCS_OK;
}

bool dcs_figure_holds(const dcs_figure_run *run, const dcs_kind *kind) {
  for (size_t i = 0; i < run->own.n_rows; i++)
    if (run->own.rows[i].size.kind == kind) return true;
  return false;
}

dcs_status dcs_figure_load(dcs_figure_run *run, const char *dir, const char *reference) {
  int kind = 0;
  *run = (dcs_figure_run){.dir = dir, .gpu_suffix = ""};
  DCS_TRY(dcs_run_open_summary(&run->own, dir));
  if (reference) DCS_TRY(dcs_run_open_summary(&run->other, reference));
  if (reference) DCS_TRY(dcs_run_check_card(&run->other));
  if (run->own.n_rows > 0 && run->own.rows[0].size.kind->made_of) /* the one kind of such a run */
    return dcs_figure_take(run, run->own.rows[0].size.kind);
  while (kind < dcs_n_kinds && !dcs_figure_holds(run, dcs_kinds[kind]))
    kind++;
  return dcs_figure_take(run, dcs_kinds[kind % dcs_n_kinds]);
}

void dcs_figure_unload(dcs_figure_run *run) {
  dcs_room_free(&run->room);
  dcs_room_free(&run->of_figures);
  dcs_run_close(&run->own);
  dcs_run_close(&run->other);
}
