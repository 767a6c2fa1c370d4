/* What a run shows of each claim. */
#include "harness/judge/ratio.h"
#include "kernels/contract.h"
#include "tuning/claims/claims.h"

#include <math.h>
#include <string.h>

enum { LARGE_EDGE = 300, BOOK_CHUNK = 4000, MANY_BLOCKS = 4, MANY_CONFIGS = 10 };

/* The id of the variant that the book calls so; one that no run has where there is none. */
static const char *book_id(dcs_book book) {
  const dcs_variant *variant = dcs_find_book(book);
  return variant ? variant->id : "";
}

static const dcs_run_row *best_of_book(const dcs_claim_rows *rows, const dcs_run_row *like,
                                       dcs_book book) {
  dcs_claim_pick pick = {.variant = book_id(book), .scope = DCS_KERNEL, .backend = DCS_GPU};
  return dcs_claim_best(rows, like, &pick);
}

static double atoms_of(const dcs_run_row *row) {
  return dcs_along(&row->size, 0);
}

static bool has_large_slices(const dcs_run_row *row) {
  const dcs_dims n = dcs_size_points(&row->size);
  return n.x >= LARGE_EDGE && n.y >= LARGE_EDGE;
}

/* ---- the book's versions against each other ---- */

void dcs_observe_coarsening(const dcs_claim_rows *rows, dcs_claim_result *result) {
  for (const dcs_run_row *at = rows->rows; at < rows->rows + rows->n; at++) {
    if (!has_large_slices(at) || !dcs_claim_first_of_size(rows, at)) continue;
    const dcs_run_row *one = best_of_book(rows, at, DCS_BOOK_VERSION_1);
    const dcs_run_row *two = best_of_book(rows, at, DCS_BOOK_VERSION_2);
    if (one && two) dcs_claim_add_speedup(result, two, one);
  }
}

void dcs_observe_padded(const dcs_claim_rows *rows, dcs_claim_result *result) {
  for (const dcs_run_row *at = rows->rows; at < rows->rows + rows->n; at++) {
    if (!has_large_slices(at) || !dcs_claim_first_of_size(rows, at)) continue;
    const dcs_run_row *one = best_of_book(rows, at, DCS_BOOK_VERSION_1);
    const dcs_run_row *two = best_of_book(rows, at, DCS_BOOK_VERSION_2);
    const dcs_run_row *three = best_of_book(rows, at, DCS_BOOK_VERSION_3);
    if (one && two && three)
      dcs_claim_add_speedup(result, three, one->median_ns < two->median_ns ? one : two);
  }
}

/* ---- CPU against GPU ---- */

static const dcs_run_row *best_cpu(const dcs_claim_rows *rows, const dcs_run_row *like,
                                   dcs_base base) {
  const char *sequential = book_id(DCS_BOOK_SEQUENTIAL);
  dcs_claim_pick pick = {.scope = DCS_KERNEL, .threads = 1};
  if (base == DCS_BASE_SEQUENTIAL) pick.variant = sequential;
  if (base == DCS_BASE_VECTOR) pick.without = sequential;
  if (base == DCS_BASE_PARALLEL) {
    if (rows->most_threads <= 1) return NULL;
    pick.threads = rows->most_threads;
  }
  return dcs_claim_best(rows, like, &pick);
}

static void observe_pair(const dcs_claim_rows *rows, dcs_claim_result *result, bool gpu_wins) {
  const dcs_claim *claim = result->claim;
  dcs_claim_pick pick = {.scope = claim->scope, .backend = DCS_GPU};
  for (const dcs_run_row *at = rows->rows; at < rows->rows + rows->n; at++) {
    if (atoms_of(at) < claim->atoms_lo || atoms_of(at) > claim->atoms_hi ||
        !dcs_claim_first_of_size(rows, at))
      continue;
    const dcs_run_row *cpu = best_cpu(rows, at, claim->base);
    const dcs_run_row *gpu = dcs_claim_best(rows, at, &pick);
    if (cpu && gpu) dcs_claim_add_speedup(result, gpu_wins ? gpu : cpu, gpu_wins ? cpu : gpu);
  }
}

void dcs_observe_cpu_wins(const dcs_claim_rows *rows, dcs_claim_result *result) {
  observe_pair(rows, result, false);
}

void dcs_observe_gpu_wins(const dcs_claim_rows *rows, dcs_claim_result *result) {
  observe_pair(rows, result, true);
}

/* The row of the same method and size in another scope, or NULL. */
static const dcs_run_row *in_scope(const dcs_claim_rows *rows, const dcs_run_row *like,
                                   dcs_scope scope) {
  for (const dcs_run_row *row = rows->rows; row < rows->rows + rows->n; row++)
    if (dcs_same_row_method(row, like) && row->scope == scope &&
        dcs_same_axes(&row->size, &like->size))
      return row;
  return NULL;
}

/* The fastest method of a size in scope first, less the same method in scope warm. */
void dcs_observe_start_up(const dcs_claim_rows *rows, dcs_claim_result *result) {
  static const dcs_claim_pick pick = {.scope = DCS_FIRST, .backend = DCS_GPU};
  for (const dcs_run_row *at = rows->rows; at < rows->rows + rows->n; at++) {
    const dcs_run_row *first =
        dcs_claim_first_of_size(rows, at) ? dcs_claim_best(rows, at, &pick) : NULL;
    const dcs_run_row *warm = first ? in_scope(rows, first, DCS_WARM) : NULL;
    if (!warm) continue;
    const dcs_stats a = first->stats, b = warm->stats;
    dcs_observation o = {1e-6 * (a.median - b.median),
                         1e-6 * (a.lo - b.hi),
                         1e-6 * (a.hi - b.lo),
                         DCS_GRADE_UNSURE,
                         first,
                         warm,
                         0};
    o.grade = dcs_grade_interval(o.lo, o.hi, result->claim->claimed);
    dcs_claim_add(result, &o);
  }
}

/* ---- arithmetic: what the descriptors say ---- */

static void add_exact(dcs_claim_result *result, double value, dcs_grade grade) {
  dcs_claim_add(result, &(dcs_observation){value, value, value, grade, NULL, NULL, 0});
}

static void set_role(const dcs_variant *variant, dcs_config *config, dcs_role role, int value) {
  int p = dcs_find_role(variant, role);
  if (p >= 0) config->value[p] = value;
}

void dcs_observe_padding(const dcs_claim_rows *rows, dcs_claim_result *result) {
  static const struct {
    int edge;
    double percent; /* to a tenth */
  } said[] = {{1000, 3.2}, {100, 43.4}};
  (void)rows;
  const dcs_variant *variant = dcs_find_book(DCS_BOOK_VERSION_3);
  for (size_t i = 0; variant && i < sizeof said / sizeof said[0]; i++) {
    dcs_config config = dcs_initial_config(variant, 1);
    set_role(variant, &config, DCS_ROLE_BLOCK_X, 16);
    set_role(variant, &config, DCS_ROLE_BLOCK_Y, 16);
    set_role(variant, &config, DCS_ROLE_COARSEN, 8);
    dcs_problem problem = {.n_inputs = 1, .n = {said[i].edge, said[i].edge, 1}, .spacing = 1};
    dcs_dims executed = variant->executed(&problem, &config);
    double points = (double)(problem.n.x * problem.n.y);
    double percent = 100 * ((double)(executed.x * executed.y * executed.z) / points - 1);
    add_exact(result, percent,
              fabs(percent - said[i].percent) <= 0.05 ? DCS_GRADE_YES : DCS_GRADE_NO);
  }
}

void dcs_observe_operations(const dcs_claim_rows *rows, dcs_claim_result *result) {
  static const struct {
    dcs_book book;
    int coarsen;
    double lo, hi;
  } said[] = {{DCS_BOOK_VERSION_1, 1, 9, 10},
              {DCS_BOOK_VERSION_2, 4, 31.0 / 4, 31.0 / 4},
              {DCS_BOOK_VERSION_2, 8, 59.0 / 8, 59.0 / 8}};
  (void)rows;
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
    const dcs_variant *variant = dcs_find_book(said[i].book);
    if (!variant) continue;
    dcs_config config = dcs_initial_config(variant, 1);
    set_role(variant, &config, DCS_ROLE_COARSEN, said[i].coarsen);
    double flops = variant->flops_per_eval(&config);
    bool right = flops >= said[i].lo - 1e-12 && flops <= said[i].hi + 1e-12;
    add_exact(result, flops, right ? DCS_GRADE_YES : DCS_GRADE_NO);
  }
}

/* ---- configurations of one kernel ---- */

/* Calls `add` with each pair of rows that differ in nothing but read=end and read=start. */
static void each_read(const dcs_claim_rows *rows, dcs_claim_result *result,
                      void (*add)(dcs_claim_result *, const dcs_run_row *late,
                                  const dcs_run_row *early)) {
  for (const dcs_run_row *late = rows->rows; late < rows->rows + rows->n; late++) {
    if (late->scope != DCS_KERNEL || !strstr(late->config, "read=end")) continue;
    for (const dcs_run_row *early = rows->rows; early < rows->rows + rows->n; early++)
      if (strstr(early->config, "read=start") && dcs_claim_same_but(late, early, "read="))
        add(result, late, early);
  }
}

static void add_registers(dcs_claim_result *result, const dcs_run_row *late,
                          const dcs_run_row *early) {
  double saved = early->registers - late->registers;
  if (isnan(saved)) return;
  dcs_grade grade = dcs_grade_interval(saved, saved, result->claim->claimed);
  dcs_claim_add(result, &(dcs_observation){saved, saved, saved, grade, late, early, 0});
}

void dcs_observe_registers(const dcs_claim_rows *rows, dcs_claim_result *result) {
  each_read(rows, result, add_registers);
}

void dcs_observe_late_read(const dcs_claim_rows *rows, dcs_claim_result *result) {
  each_read(rows, result, dcs_claim_add_speedup);
}

static bool has_long_chunks(const dcs_run_row *row) {
  return row->backend == DCS_GPU && row->scope == DCS_KERNEL && row->chunk == BOOK_CHUNK &&
         atoms_of(row) >= BOOK_CHUNK;
}

void dcs_observe_blocks(const dcs_claim_rows *rows, dcs_claim_result *result) {
  for (const dcs_run_row *row = rows->rows; row < rows->rows + rows->n; row++) {
    const dcs_run_row *fast = row, *slow = row;
    size_t n = 0;
    if (!has_long_chunks(row)) continue;
    for (const dcs_run_row *other = rows->rows; other < rows->rows + rows->n; other++) {
      if (!dcs_claim_same_but(row, other, "block_")) continue;
      if (other < row) break; /* the same kernel has been seen */
      if (other->median_ns < fast->median_ns) fast = other;
      if (other->median_ns > slow->median_ns) slow = other;
      n++;
    }
    if (n < MANY_BLOCKS) continue;
    dcs_claim_add_speedup(result, fast, slow);
  }
}

static bool is_gpu_kernel(const dcs_run_row *row, const dcs_run_row *at) {
  return row->backend == DCS_GPU && row->scope == DCS_KERNEL &&
         dcs_same_axes(&row->size, &at->size);
}

/* How many configurations at a size the intervals do not set apart from the fastest. */
void dcs_observe_winners(const dcs_claim_rows *rows, dcs_claim_result *result) {
  static const dcs_claim_pick pick = {.scope = DCS_KERNEL, .backend = DCS_GPU};
  for (const dcs_run_row *at = rows->rows; at < rows->rows + rows->n; at++) {
    const dcs_run_row *best =
        dcs_claim_first_of_size(rows, at) ? dcs_claim_best(rows, at, &pick) : NULL;
    size_t n = 0, winners = 0;
    bool told = true;
    for (const dcs_run_row *row = rows->rows; best && row < rows->rows + rows->n; row++) {
      if (!is_gpu_kernel(row, at)) continue;
      dcs_ratio ratio = dcs_row_ratio(best, row);
      told &= !isnan(ratio.lo);
      winners += row == best || !(ratio.lo > 1);
      n++;
    }
    if (n < MANY_CONFIGS) continue;
    double value = (double)winners;
    dcs_observation o = {
        value, told ? value : NAN, told ? value : NAN, DCS_GRADE_UNSURE, best, NULL, n};
    o.grade = dcs_grade_interval(o.lo, o.hi, result->claim->claimed);
    dcs_claim_add(result, &o);
  }
}
