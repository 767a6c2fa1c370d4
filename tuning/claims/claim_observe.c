/* What a run shows of each claim. */
#include "harness/judge/ratio.h"
#include "kernels/contract.h"
#include "tuning/claims/claims.h"

#include <math.h>
#include <string.h>

enum { BOOK_CHUNK = 4000, MANY_BLOCKS = 4, MANY_CONFIGS = 10 };

static double atoms_of(const dcs_run_row *row) {
  return dcs_along(&row->size, 0);
}

/* ---- one method against another ---- */

/* The id of the variant that the book calls so; one that no run has where there is none. */
static const char *book_id(dcs_book book) {
  const dcs_variant *variant = dcs_find_book(book);
  return variant ? variant->id : "";
}

static const dcs_run_row *best_version(const dcs_claim_rows *rows, const dcs_run_row *at,
                                       dcs_book book) {
  const dcs_claim_pick pick = {.variant = book_id(book), .scope = DCS_KERNEL, .backend = DCS_GPU};
  return dcs_claim_best(rows, at, &pick);
}

static const dcs_run_row *best_cpu(const dcs_claim_rows *rows, const dcs_run_row *at,
                                   dcs_claim_side side) {
  dcs_claim_pick pick = {.scope = DCS_KERNEL, .backend = DCS_CPU, .threads = 1};
  if (side == DCS_SIDE_SEQUENTIAL) pick.variant = book_id(DCS_BOOK_SEQUENTIAL);
  if (side == DCS_SIDE_VECTOR) pick.without = book_id(DCS_BOOK_SEQUENTIAL);
  if (side == DCS_SIDE_PARALLEL) pick.threads = rows->most_threads;
  return side == DCS_SIDE_PARALLEL && pick.threads <= 1 ? NULL : dcs_claim_best(rows, at, &pick);
}

static const dcs_run_row *best_of(const dcs_claim_rows *rows, const dcs_run_row *at,
                                  dcs_claim_side side, dcs_scope scope) {
  if (side >= DCS_SIDE_SEQUENTIAL) return best_cpu(rows, at, side);
  if (side == DCS_SIDE_GPU)
    return dcs_claim_best(rows, at, &(dcs_claim_pick){.scope = scope, .backend = DCS_GPU});
  const dcs_run_row *one = best_version(rows, at, DCS_BOOK_VERSION_1);
  const dcs_run_row *two = best_version(rows, at, DCS_BOOK_VERSION_2);
  if (side == DCS_SIDE_VERSION_3) return best_version(rows, at, DCS_BOOK_VERSION_3);
  if (side == DCS_SIDE_VERSION_1) return one;
  if (side == DCS_SIDE_VERSION_2) return two;
  return one && two && one->median_ns < two->median_ns ? one : one ? two : NULL;
}

static bool counts(const dcs_claim *claim, const dcs_run_row *at) {
  const dcs_dims n = dcs_size_points(&at->size);
  if (n.x < claim->edge || n.y < claim->edge) return false;
  return claim->atoms_hi == 0 ||
         (atoms_of(at) >= claim->atoms_lo && atoms_of(at) <= claim->atoms_hi);
}

void dcs_observe_speedup(const dcs_claim_rows *rows, dcs_claim_result *result) {
  const dcs_claim *claim = result->claim;
  for (size_t s = 0; s < rows->n_sizes; s++) {
    const dcs_run_row *at = rows->sizes[s];
    if (!counts(claim, at)) continue;
    const dcs_run_row *method = best_of(rows, at, claim->method, claim->scope);
    const dcs_run_row *base = best_of(rows, at, claim->base, claim->scope);
    if (method && base) dcs_claim_add_speedup(result, method, base);
  }
}

/* ---- start-up ---- */

/* The row of the same method and size in another scope, or NULL. */
static const dcs_run_row *in_scope(const dcs_claim_rows *rows, const dcs_run_row *like,
                                   dcs_scope scope) {
  for (const dcs_run_row *row = rows->rows; row < rows->rows + rows->n; row++)
    if (dcs_same_row_method(row, like) && row->scope == scope &&
        dcs_same_size(&row->size, &like->size))
      return row;
  return NULL;
}

/* The fastest method of a size in scope first, less the same method in scope warm. */
void dcs_observe_start_up(const dcs_claim_rows *rows, dcs_claim_result *result) {
  for (size_t s = 0; s < rows->n_sizes; s++) {
    const dcs_run_row *first = best_of(rows, rows->sizes[s], DCS_SIDE_GPU, DCS_FIRST);
    const dcs_run_row *warm = first ? in_scope(rows, first, DCS_WARM) : NULL;
    if (!warm) continue;
    const dcs_stats a = first->stats, b = warm->stats;
    dcs_claim_grade(result, (dcs_observation){1e-6 * (a.median - b.median), 1e-6 * (a.lo - b.hi),
                                              1e-6 * (a.hi - b.lo), first, warm});
  }
}

/* ---- arithmetic: what the descriptors say ---- */

static void add_exact(dcs_claim_result *result, double value, dcs_grade grade) {
  dcs_claim_add(result,
                &(dcs_observation){.value = value, .lo = value, .hi = value, .grade = grade});
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
  dcs_claim_grade(result, (dcs_observation){saved, saved, saved, late, early});
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

/* How many configurations at a size the intervals do not set apart from the fastest. */
static void count_winners(const dcs_claim_rows *rows, const dcs_run_row *best,
                          dcs_claim_result *result) {
  size_t n = 0, winners = 0;
  bool told = true;
  for (const dcs_run_row *row = rows->rows; row < rows->rows + rows->n; row++) {
    if (row->backend != DCS_GPU || row->scope != DCS_KERNEL ||
        !dcs_same_size(&row->size, &best->size))
      continue;
    const dcs_ratio ratio = dcs_row_ratio(best, row);
    told &= !isnan(ratio.lo);
    winners += row == best || !(ratio.lo > 1);
    n++;
  }
  const double value = (double)winners, known = told ? value : NAN;
  if (n >= MANY_CONFIGS)
    dcs_claim_grade(result, (dcs_observation){value, known, known, best, NULL, n});
}

void dcs_observe_winners(const dcs_claim_rows *rows, dcs_claim_result *result) {
  for (size_t s = 0; s < rows->n_sizes; s++) {
    const dcs_run_row *best = best_of(rows, rows->sizes[s], DCS_SIDE_GPU, DCS_KERNEL);
    if (best) count_winners(rows, best, result);
  }
}
