#include "tuning/crossover/measured.h"

#include "harness/base/alike.h"
#include "harness/judge/ratio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those of this program's methods; what the run imported follows. */
enum { CPU_SEQUENTIAL, CPU_PARALLEL, FIRST_GPU, N_OWN = FIRST_GPU + 3 };
static const dcs_class own[N_OWN] = {
    [CPU_SEQUENTIAL] = {"cpu_sequential", DCS_KERNEL, .part_of = -1},
    [CPU_PARALLEL] = {"cpu_parallel", DCS_KERNEL, .part_of = -1},
    [FIRST_GPU] = {"gpu", DCS_KERNEL, .part_of = -1},
    {"gpu", DCS_WARM, .part_of = -1},
    {"gpu", DCS_FIRST, .part_of = -1}};

const char *dcs_class_name(const dcs_measured *m, int problem, int class) {
  if (class != CPU_SEQUENTIAL || !m->sequential[problem]) return m->classes[class].name;
  const dcs_variant *variant = dcs_find_variant(m->sequential[problem]);
  const bool book = variant && variant->book == DCS_BOOK_SEQUENTIAL;
  return book ? m->classes[class].name : "cpu_one_thread";
}

const dcs_run_row *dcs_best(const dcs_measured_size *size, const dcs_pair *pair, int side) {
  return size->best[pair->best[side]]; /* NOLINT: the first n_sizes have it */
}

size_t dcs_rivals(const dcs_measured_size *size, const dcs_pair *pair, int side,
                  dcs_threshold_times rivals[DCS_MOST_RIVALS]) {
  const dcs_run_row *best = dcs_best(size, pair, side);
  size_t n = 0;
  for (const dcs_member *m = size->members[pair->best[side]]; m && n < DCS_MOST_RIVALS;
       m = m->next) {
    const bool overlaps =
        isnan(m->row->stats.lo) || isnan(best->stats.hi) || m->row->stats.lo <= best->stats.hi;
    if (m->row != best && overlaps && m->row->n_times > 0)
      rivals[n++] = (dcs_threshold_times){m->row->times, m->row->n_times};
  }
  return n;
}

bool dcs_has_both(const dcs_measured_size *size, const dcs_pair *pair) {
  return dcs_best(size, pair, 0) && dcs_best(size, pair, 1);
}

/* ---- classes of rows ---- */

typedef struct {
  const dcs_run_row **best; /* place for those of all sizes */
  const dcs_member **members;
  int most_threads;
} facts;

static bool is_ok(const dcs_run_row *row) {
  return row->outcome == DCS_OUTCOME_OK;
}

static bool is_cpu_kernel(const dcs_run_row *row) {
  return row->backend == DCS_CPU && row->scope == DCS_KERNEL;
}

/* -1: none of its problem's rows is ok. */
static int problem_of(const dcs_measured *m, const dcs_run_row *row) {
  for (int p = 0; p < m->n_problems; p++)
    if (m->problems[p].kind == row->size.kind &&
        dcs_same_problem(row->size.kind, &m->problems[p].config, &row->size.config))
      return p;
  return -1;
}

static void find_facts(const dcs_measured *m, facts *f) {
  for (size_t i = 0; i < m->run.n_rows; i++) {
    const dcs_run_row *row = &m->run.rows[i];
    const int p = problem_of(m, row);
    if (p < 0 || !is_cpu_kernel(row)) continue;
    if (is_ok(row) && row->threads > f->most_threads) f->most_threads = row->threads;
    if (row->threads == 1 &&
        (!m->sequential[p] || dcs_find_rung(row->variant) < dcs_find_rung(m->sequential[p])))
      m->sequential[p] = row->variant;
  }
}

static const char *algorithm_of(const dcs_run_row *row) {
  const dcs_variant *variant = dcs_find_variant(row->variant);
  return variant && variant->algorithm ? variant->algorithm : DCS_DIRECT;
}

enum { MOST_CLASSES = 3 }; /* of a row: one thread may be all threads, with one algorithm */

/* Whether the row counts for the class of the problem, one of this program's. */
static bool belongs(const dcs_measured *m, const facts *f, int problem, const dcs_run_row *row,
                    int class) {
  const dcs_class *c = &m->classes[class];
  if (c->part_of >= 0)
    return strcmp(algorithm_of(row), c->algorithm) == 0 && belongs(m, f, problem, row, c->part_of);
  if (class >= FIRST_GPU) return row->backend == DCS_GPU && row->scope == c->scope;
  if (!is_cpu_kernel(row)) return false;
  if (class == CPU_PARALLEL) return row->threads == f->most_threads;
  const char *sequential = m->sequential[problem];
  return row->threads == 1 && sequential && strcmp(row->variant, sequential) == 0;
}

/* ---- classes ---- */

enum { MOST_ALGORITHMS = 4 };

/* The algorithms of the run's variants, DCS_DIRECT first; returns how many. */
static int find_algorithms(const dcs_run *run, const char *found[MOST_ALGORITHMS]) {
  int n = 0;
  found[n++] = DCS_DIRECT;
  for (size_t i = 0; i < run->n_rows; i++) {
    const char *algorithm = algorithm_of(&run->rows[i]);
    int at = 0;
    while (at < n && strcmp(found[at], algorithm) != 0)
      at++;
    if (is_ok(&run->rows[i]) && at == n && n < MOST_ALGORITHMS) found[n++] = algorithm;
  }
  return n;
}

/* Adds what cpu_parallel and gpu have of each algorithm; classes has room. */
static dcs_status add_algorithms(dcs_measured *m) {
  const char *algorithms[MOST_ALGORITHMS];
  const int n = find_algorithms(&m->run, algorithms);
  for (int c = CPU_PARALLEL; n > 1 && c < N_OWN; c++)
    for (int a = 0; a < n; a++) {
      char *name;
      DCS_TRY(dcs_room_take(&m->room, &name, DCS_TEXT, 1, "names"));
      snprintf(name, DCS_TEXT, "%s_%s", own[c].name, algorithms[a]);
      m->classes[m->n_classes++] =
          (dcs_class){name, own[c].scope, .part_of = c, .algorithm = algorithms[a]};
    }
  return DCS_OK;
}

/* The run's rows that are ok, with a number for each. */
typedef struct {
  const void **rows;
  size_t *number;
  size_t n, distinct;
} numbered;

static dcs_status number_rows(dcs_measured *m, dcs_comparing *compare, numbered *list) {
  const size_t n = m->run.n_rows;
  *list = (numbered){0};
  DCS_TRY(dcs_room_take(&m->room, &list->rows, n, sizeof *list->rows, "rows"));
  DCS_TRY(dcs_room_take(&m->room, &list->number, n, sizeof *list->number, "rows"));
  for (size_t i = 0; i < n; i++)
    if (is_ok(&m->run.rows[i])) list->rows[list->n++] = &m->run.rows[i];
  return dcs_number_alike(list->rows, list->n, compare, list->number, &list->distinct);
}

static int by_class(const void *left, const void *right) {
  const dcs_run_row *a = left, *b = right;
  const int order = strcmp(a->variant, b->variant);
  return order ? order : (int)a->scope - (int)b->scope;
}

/* A run is imported or it is not. */
static dcs_status add_imported(dcs_measured *m, const numbered *list) {
  DCS_TRY(dcs_room_take(&m->room, &m->imported, m->run.n_rows, sizeof *m->imported, "rows"));
  for (size_t i = 0; i < list->n; i++) {
    const dcs_run_row *row = list->rows[i];
    const int class = m->first_imported + (int)list->number[i];
    m->imported[row - m->run.rows] = class;
    if (class == m->n_classes)
      m->classes[m->n_classes++] = (dcs_class){row->variant, row->scope, true, .part_of = -1};
  }
  return DCS_OK;
}

static dcs_status find_classes(dcs_measured *m) {
  enum { MOST_OWN = N_OWN + (N_OWN - CPU_PARALLEL) * MOST_ALGORITHMS };
  numbered list = {0};
  const bool imported = m->problems[0].kind->made_of != NULL;
  if (imported) DCS_TRY(number_rows(m, by_class, &list));
  DCS_TRY(dcs_room_take(&m->room, &m->classes, MOST_OWN + list.distinct, sizeof *m->classes,
                        "methods"));
  memcpy(m->classes, own, sizeof own);
  m->n_classes = N_OWN;
  DCS_TRY(add_algorithms(m));
  m->first_imported = m->n_classes;
  return imported ? add_imported(m, &list) : DCS_OK;
}

/* Times of two GPUs have no best among them that holds for either. */
static dcs_status check_devices(const dcs_run *run) {
  const dcs_run_row *first = NULL;
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_run_row *row = &run->rows[i];
    if (!is_ok(row) || row->backend != DCS_GPU) continue;
    if (!first) first = row;
    if (strcmp(first->devices, row->devices) != 0)
      return dcs_fail(DCS_INPUT,
                      "%s: row %zu: found a GPU row of device \"%s\", and of \"%s\" in row %zu; "
                      "expected one device: measure the other into a folder of its own",
                      dcs_table_path(run->summary), row->row + 2, row->devices, first->devices,
                      first->row + 2);
  }
  return DCS_OK;
}

/* ---- sizes ---- */

static int by_axes(const void *left, const void *right) {
  dcs_size a = ((const dcs_run_row *)left)->size, b = ((const dcs_run_row *)right)->size;
  a.config = b.config = (dcs_config){0};
  return dcs_compare_sizes(&a, &b);
}

/* Enters the row of problem p at its size in a class, as the best where it is that. */
static void enter_class(dcs_measured *m, int p, const dcs_run_row *row,
                        const dcs_measured_size *size, int class) {
  const dcs_run_row **best = &size->best[p * m->n_classes + class];
  const dcs_member **members = &size->members[p * m->n_classes + class];
  if (!(*best && (*best)->median_ns <= row->median_ns)) *best = row; /* NOLINT: as above */
  m->members[m->n_members] = (dcs_member){row, *members};
  *members = &m->members[m->n_members++];
}

/* In its classes; of a row that is not imported. */
static void enter(const facts *f, dcs_measured *m, int p, const dcs_run_row *row,
                  const dcs_measured_size *size) {
  for (int c = 0; c < m->first_imported; c++)
    if (belongs(m, f, p, row, c)) enter_class(m, p, row, size, c);
}

static void find_best(const facts *f, const numbered *rows, dcs_measured *m) {
  for (size_t i = 0; i < rows->n; i++) {
    const dcs_run_row *row = rows->rows[i];
    const int p = problem_of(m, row);
    dcs_measured_size *size = &m->sizes[rows->number[i]];
    if (!size->best) {
      const size_t at = rows->number[i] * (size_t)m->n_problems * (size_t)m->n_classes;
      *size =
          (dcs_measured_size){.size = row->size, .best = f->best + at, .members = f->members + at};
      size->size.config = dcs_initial_problem(row->size.kind);
    }
    if (m->imported)
      enter_class(m, p, row, size, m->imported[row - m->run.rows]);
    else
      enter(f, m, p, row, size);
  }
}

/* ---- a reference ---- */

bool dcs_has_gpu(const dcs_run *run) {
  for (size_t i = 0; i < run->n_rows; i++)
    if (is_ok(&run->rows[i]) && run->rows[i].backend == DCS_GPU) return true;
  return false;
}

/* Whether both rows have as much to do, as far as is known: within a cutoff atoms that lie
 * otherwise may give more. */
static bool same_work(const dcs_run_row *a, const dcs_run_row *b) {
  return !(fabs(a->evals_useful - b->evals_useful) > 0.05 * a->evals_useful);
}

/* Where the run has CPU rows, for `row` to be held against. */
static const dcs_measured_size *place_of(const dcs_measured *m, int p, const dcs_run_row *row) {
  for (size_t i = 0; i < m->n_sizes; i++) {
    const dcs_run_row *const *best = m->sizes[i].best + p * m->n_classes;
    const dcs_run_row *cpu = best[CPU_SEQUENTIAL] ? best[CPU_SEQUENTIAL] : best[CPU_PARALLEL];
    if (cpu && dcs_same_axes(&m->sizes[i].size, &row->size) && same_work(cpu, row))
      return &m->sizes[i];
  }
  return NULL;
}

/* The run's own rows have been found. */
static void refer(const facts *f, dcs_measured *m) {
  for (size_t i = 0; i < m->reference.n_rows && !dcs_has_gpu(&m->run); i++) {
    const dcs_run_row *row = &m->reference.rows[i];
    const int p = is_ok(row) && row->backend == DCS_GPU ? problem_of(m, row) : -1;
    const dcs_measured_size *size = p < 0 ? NULL : place_of(m, p, row);
    if (size) enter(f, m, p, row, size);
    m->n_referred += size != NULL;
  }
}

bool dcs_is_referred(const dcs_measured *m, const dcs_pair *pair) {
  const dcs_class *b = &m->classes[pair->class[1]];
  return m->n_referred > 0 && !b->imported &&
         (b->part_of < 0 ? pair->class[1] : b->part_of) >= FIRST_GPU;
}

static dcs_status find_sizes(dcs_measured *m) {
  const size_t n = m->run.n_rows, problems = (size_t)m->n_problems;
  facts f = {0};
  numbered rows;
  DCS_TRY(number_rows(m, by_axes, &rows));
  m->n_sizes = rows.distinct;
  DCS_TRY(dcs_room_take(&m->room, &m->sequential, problems, sizeof *m->sequential, "problems"));
  DCS_TRY(dcs_room_take(&m->room, &f.best, m->n_sizes * problems,
                        (size_t)m->n_classes * sizeof(const dcs_run_row *), "rows"));
  DCS_TRY(dcs_room_take(&m->room, &f.members, m->n_sizes * problems,
                        (size_t)m->n_classes * sizeof(const dcs_member *), "rows"));
  DCS_TRY(dcs_room_take(&m->room, &m->members, MOST_CLASSES * (n + m->reference.n_rows),
                        sizeof *m->members, "rows"));
  DCS_TRY(dcs_room_take(&m->room, &m->sizes, m->n_sizes, sizeof *m->sizes, "sizes"));
  find_facts(m, &f);
  find_best(&f, &rows, m);
  refer(&f, m);
  return DCS_OK;
}

/* ---- pairs ---- */

/* Adds a class on problem p and one on q where they have a size in common; pairs has room for it.
 */
static void add_pair(dcs_measured *m, int p, int a, int q, int b) {
  const dcs_pair pair = {.problem = {p, q},
                         .class = {a, b},
                         .best = {(size_t)(p * m->n_classes + a), (size_t)(q * m->n_classes + b)},
                         .scope = m->classes[b].scope};
  for (size_t i = 0; i < m->n_sizes; i++)
    if (dcs_has_both(&m->sizes[i], &pair)) {
      m->pairs[m->n_pairs++] = pair;
      return;
    }
}

/* Counts for each imported class the sizes at which it is the fastest of its scope. */
static void count_won(const dcs_measured *m, int p, dcs_scope scope, int *won) {
  for (size_t i = 0; i < m->n_sizes; i++) {
    const dcs_run_row **best = m->sizes[i].best + p * m->n_classes;
    double least = INFINITY;
    for (int c = m->first_imported; c < m->n_classes; c++)
      if (best[c] && m->classes[c].scope == scope) least = fmin(least, best[c]->median_ns);
    for (int c = m->first_imported; c < m->n_classes; c++)
      won[c] += best[c] && m->classes[c].scope == scope && best[c]->median_ns <= least;
  }
}

/* Marks the imported classes of a scope that are held against each other: all, or where there are
 * too many those that won most. */
static void keep_most(const dcs_measured *m, dcs_scope scope, const int *won, bool *kept) {
  int all = 0;
  for (int c = m->first_imported; c < m->n_classes; c++)
    all += m->classes[c].scope == scope;
  for (int k = 0; k < DCS_MOST_IMPORTED; k++) {
    int most = -1;
    for (int c = m->first_imported; c < m->n_classes; c++)
      if (m->classes[c].scope == scope && !kept[c] && (won[c] > 0 || all <= DCS_MOST_IMPORTED) &&
          (most < 0 || won[c] > won[most]))
        most = c;
    if (most >= 0) kept[most] = true;
  }
}

enum { MOST_KEPT = 4 /* scopes */ * DCS_MOST_IMPORTED };

static dcs_status pair_imported(dcs_measured *m, int p) {
  int *won, list[MOST_KEPT], n = 0;
  bool *kept;
  DCS_TRY(dcs_room_take(&m->room, &won, (size_t)m->n_classes, sizeof *won, "methods"));
  DCS_TRY(dcs_room_take(&m->room, &kept, (size_t)m->n_classes, sizeof *kept, "methods"));
  for (dcs_scope scope = DCS_KERNEL; dcs_is_timed(scope); scope <<= 1) {
    count_won(m, p, scope, won);
    keep_most(m, scope, won, kept);
  }
  for (int c = m->first_imported; c < m->n_classes; c++)
    if (kept[c]) list[n++] = c;
  m->n_left_out += m->n_classes - m->first_imported - n;
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++)
      if (m->classes[list[a]].scope == m->classes[list[b]].scope)
        add_pair(m, p, list[a], p, list[b]);
  return DCS_OK;
}

static void pair_within(dcs_measured *m, int p) {
  add_pair(m, p, CPU_SEQUENTIAL, p, CPU_PARALLEL);
  for (int a = N_OWN; a < m->first_imported; a++)
    for (int b = a + 1; b < m->first_imported; b++)
      if (m->classes[a].part_of == m->classes[b].part_of) add_pair(m, p, a, p, b);
  for (int gpu = FIRST_GPU; gpu < N_OWN; gpu++)
    for (int cpu = 0; cpu < FIRST_GPU; cpu++)
      add_pair(m, p, cpu, p, gpu);
}

static void pair_between(dcs_measured *m, int p, int q) {
  for (int c = CPU_PARALLEL; c < N_OWN; c++)
    add_pair(m, p, c, q, c);
}

/* Atoms that repeat have another potential: neither is computed in the other's place. */
static bool same_cell(const dcs_size *p, const dcs_size *q) {
  const dcs_size *of[2] = {p, q};
  double cell[2][3] = {{0}};
  bool repeats[2] = {false, false};
  for (int i = 0; i < 2; i++) {
    const dcs_problem shape = {.n = {1, 1, 1}, .config = of[i]->config};
    repeats[i] = of[i]->kind->cell && of[i]->kind->cell(&shape, cell[i]);
  }
  bool same = true;
  for (int d = 0; d < 3; d++)
    same &= cell[0][d] == cell[1][d];
  return repeats[0] == repeats[1] && (!repeats[0] || same);
}

/* Who asks for a tolerance has no use for another: that of less error costs more, or as much. */
static bool two_tolerances(const dcs_size *p, const dcs_size *q) {
  return p->kind->tolerance && q->kind->tolerance && p->kind->tolerance(&p->config) > 0 &&
         q->kind->tolerance(&q->config) > 0;
}

static dcs_status find_pairs(dcs_measured *m) {
  const size_t n = (size_t)m->n_problems, classes = (size_t)m->first_imported,
               within = n * (classes * classes + MOST_KEPT * MOST_KEPT), between = N_OWN * n * n;
  DCS_TRY(dcs_room_take(&m->room, &m->pairs, within + between, sizeof *m->pairs, "pairs"));
  for (int p = 0; p < m->n_problems; p++) {
    pair_within(m, p);
    DCS_TRY(pair_imported(m, p));
  }
  for (int p = 0; p < m->n_problems; p++)
    for (int q = p + 1; q < m->n_problems; q++)
      if (same_cell(&m->problems[p], &m->problems[q]) &&
          !two_tolerances(&m->problems[p], &m->problems[q]))
        pair_between(m, p, q);
  return DCS_OK;
}

/* ---- a run ---- */

dcs_status dcs_measured_read(const char *folder, const char *reference, dcs_measured *m) {
  *m = (dcs_measured){0};
  DCS_TRY(dcs_run_open(&m->run, folder));
  if (m->run.n_rows == m->run.n_not_ok)
    return dcs_fail(DCS_INPUT, "%s: none of its %zu rows is ok", dcs_table_path(m->run.summary),
                    m->run.n_rows);
  DCS_TRY(check_devices(&m->run));
  if (reference) DCS_TRY(dcs_run_open(&m->reference, reference));
  if (reference) DCS_TRY(dcs_run_check_card(&m->reference));
  if (reference) DCS_TRY(check_devices(&m->reference));
  DCS_TRY(dcs_run_problems(&m->run, &m->problems, &m->n_problems));
  DCS_TRY(find_classes(m));
  DCS_TRY(find_sizes(m));
  return find_pairs(m);
}

void dcs_measured_free(dcs_measured *m) {
  dcs_run_close(&m->run);
  dcs_run_close(&m->reference);
  free(m->problems);
  dcs_room_free(&m->room);
  *m = (dcs_measured){0};
}

size_t dcs_measured_unsure(const dcs_measured *m) {
  size_t unsure = 0;
  for (size_t i = 0; i < m->n_sizes; i++) {
    bool few = false;
    for (int b = 0; b < m->n_problems * m->n_classes; b++)
      few |= m->sizes[i].best[b] && m->sizes[i].best[b]->n_times < DCS_RATIO_SAMPLES;
    unsure += few;
  }
  return unsure;
}
