/* The claims that kinds have of their own (kernels/claims.h). */
#include "kernels/claims.h"
#include "tuning/claims/claims.h"

#include <math.h>

/* The part of the measured limit that the method reaches; times are its samples. */
static void add_part(dcs_claim_result *result, const dcs_run_row *row) {
  const dcs_stats s = row->stats;
  const double part = row->limit_fraction;
  if (isnan(part)) return;
  dcs_claim_grade(
      result, (dcs_observation){part, part * s.median / s.hi, part * s.median / s.lo, row, NULL});
}

static dcs_claim_pick pick_of(const dcs_claimed_method *method) {
  const dcs_variant *variant = method->variant ? dcs_find_variant(method->variant) : NULL;
  return (dcs_claim_pick){.variant = method->variant,
                          .config = method->config,
                          .scope = DCS_KERNEL,
                          .backend = variant ? variant->backend : DCS_GPU};
}

static void observe(const dcs_claim_rows *rows, dcs_claim_result *result) {
  const dcs_kind_claim *said = result->claim->said;
  const dcs_claim_pick pick = pick_of(&said->method), base_pick = pick_of(&said->base);
  for (size_t s = 0; s < rows->n_sizes; s++) {
    const dcs_size *size = &rows->sizes[s]->size;
    double all = 1;
    for (int d = 0; d < size->kind->n_dimensions; d++)
      all *= dcs_along(size, d);
    if (all < said->least_size) continue;
    const dcs_run_row *method = dcs_claim_best(rows, rows->sizes[s], &pick);
    const dcs_run_row *base =
        said->base.variant ? dcs_claim_best(rows, rows->sizes[s], &base_pick) : NULL;
    if (method && !said->base.variant) add_part(result, method);
    if (method && base) dcs_claim_add_speedup(result, method, base);
  }
}

dcs_claim dcs_claim_of(const dcs_kind_claim *said) {
  const bool limit = !said->base.variant;
  return (dcs_claim){
      .id = said->id,
      .source = said->source,
      .text = said->text,
      .unit = limit ? "of the measured limit" : "times as fast",
      .rule = limit
                  ? "Large sizes, each problem apart: kernel time of the fastest method. Yes: its "
                    "part of the limit lies within what is claimed."
                  : "Large sizes, each problem apart: kernel time, the fastest configuration of "
                    "each. Yes: the ratio lies within what is claimed, at least 2% faster.",
      .missing = limit ? "scope kernel of a variant of a GPU at a large size"
                       : "scope kernel of both methods at one large size and problem",
      .observe = observe,
      .claimed = {said->lo, said->hi, said->partly_lo},
      .said = said};
}
