/* The functions of a variant know no variant, so each place that one can be added at has its own.
 */
#include "harness/spec/made.h"

#define SLOTS(X)                                                                                   \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

#define FUNCTIONS(slot)                                                                            \
  static bool solves_##slot(const dcs_config *problem, char why[DCS_TEXT]) {                       \
    return dcs_made_solves(dcs_made_at(slot), problem, why);                                       \
  }                                                                                                \
  static bool applicable_##slot(const dcs_problem *problem, const dcs_config *config,              \
                                char why[DCS_TEXT]) {                                              \
    return dcs_made_applicable(dcs_made_at(slot), problem, config, why);                           \
  }                                                                                                \
  static void plan_##slot(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {  \
    dcs_made_plan(dcs_made_at(slot), problem, config, plan);                                       \
  }                                                                                                \
  static dcs_status load_##slot(const dcs_config *config) {                                        \
    return dcs_made_load(dcs_made_at(slot), config);                                               \
  }                                                                                                \
  static bool compute_##slot(const dcs_problem *problem, const dcs_config *config,                 \
                             void *const out[DCS_MAX_BUFFERS]) {                                   \
    return dcs_made_compute(dcs_made_at(slot), problem, config, out);                              \
  }
SLOTS(FUNCTIONS)

static const struct {
  bool (*solves)(const dcs_config *, char why[DCS_TEXT]);
  bool (*applicable)(const dcs_problem *, const dcs_config *, char why[DCS_TEXT]);
  void (*plan)(const dcs_problem *, const dcs_config *, dcs_plan *);
  dcs_status (*load)(const dcs_config *);
  bool (*compute)(const dcs_problem *, const dcs_config *, void *const out[DCS_MAX_BUFFERS]);
} slots[] = {
#define LISTED(slot) {solves_##slot, applicable_##slot, plan_##slot, load_##slot, compute_##slot},
    SLOTS(LISTED)};
_Static_assert(sizeof slots / sizeof slots[0] == DCS_MAX_ADDED, "a slot for each that is added");

void dcs_made_take_slot(dcs_made *made, int slot) {
  dcs_variant *variant = &made->variant;
  variant->applicable = slots[slot].applicable;
  if (made->spec.problem) variant->solves = slots[slot].solves;
  if (made->spec.is_c) {
    variant->load = slots[slot].load;
    variant->compute = slots[slot].compute;
  } else {
    variant->plan = slots[slot].plan;
  }
}
