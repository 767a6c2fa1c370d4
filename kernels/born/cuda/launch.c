#include "kernels/born/cuda/launch.h"

#include <stdio.h>
#include <string.h>

enum { MOST_THREADS = 1024, MOST_ATOMS = 1 << 28 /* 8 times as many are counted by unsigned */ };

bool dcs_born_fits(const dcs_problem *problem, int threads, bool warps, char why[DCS_TEXT]) {
  if (threads > MOST_THREADS)
    snprintf(why, DCS_TEXT, "%d threads a block; CUDA allows %d", threads, MOST_THREADS);
  else if (warps && threads % 32 != 0)
    snprintf(why, DCS_TEXT, "%d threads; expected a multiple of 32, a warp", threads);
  else if (problem->n_inputs > MOST_ATOMS)
    snprintf(why, DCS_TEXT, "more than %d atoms", MOST_ATOMS);
  else
    return true;
  return false;
}

void dcs_born_plan(const dcs_problem *problem, int64_t blocks, int x, int y, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_BORN_RADII), DCS_BUFFER(DCS_BORN_ATOMS),
                                 DCS_ARG_N_INPUTS, DCS_ARG_OWN, DCS_ARG_END};
  const dcs_born own = dcs_born_of(problem);
  *plan = (dcs_plan){.chunk_inputs = problem->n_inputs,
                     .launch_slices = 1,
                     .stored = problem->n,
                     .block = {x, y, 1},
                     .grid = {blocks, 1, 1},
                     .args = args};
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
  memcpy(plan->own, &own, sizeof own);
}

/* ---- sorted by place ---- */

enum { SORTED, NUMBERS, LISTED, CELL_OF, BEGINS, COUNTS, BOXES }; /* scratch */
enum { SORT_THREADS = 256, SORT_BOXES = 64, CELLS = 4096 };       /* of sort.cuh */

static void add_sort_step(const char *kernel, int64_t blocks, const dcs_arg *args, dcs_plan *plan) {
  dcs_add_step(plan, (dcs_plan_step){.kernel = kernel,
                                     .block = {SORT_THREADS, 1, 1},
                                     .grid = {blocks, 1, 1},
                                     .args = args,
                                     .name = "sort"});
}

static void add_sort(int64_t n, dcs_plan *plan) {
  static const dcs_arg boxes[] = {DCS_SCRATCH(BOXES), DCS_BUFFER(DCS_BORN_ATOMS), DCS_ARG_N_INPUTS,
                                  DCS_ARG_END};
  static const dcs_arg count[] = {DCS_SCRATCH(CELL_OF), DCS_SCRATCH(COUNTS),
                                  DCS_SCRATCH(BOXES),   DCS_BUFFER(DCS_BORN_ATOMS),
                                  DCS_ARG_N_INPUTS,     DCS_ARG_END};
  static const dcs_arg add_up[] = {DCS_SCRATCH(BEGINS), DCS_SCRATCH(COUNTS), DCS_ARG_END};
  static const dcs_arg list[] = {DCS_SCRATCH(LISTED), DCS_SCRATCH(COUNTS), DCS_SCRATCH(CELL_OF),
                                 DCS_SCRATCH(BEGINS), DCS_ARG_N_INPUTS,    DCS_ARG_END};
  static const dcs_arg place[] = {
      DCS_SCRATCH(SORTED), DCS_SCRATCH(NUMBERS),       DCS_SCRATCH(LISTED), DCS_SCRATCH(CELL_OF),
      DCS_SCRATCH(BEGINS), DCS_BUFFER(DCS_BORN_ATOMS), DCS_ARG_N_INPUTS,    DCS_ARG_END};
  const int64_t blocks = dcs_divide_up(n, SORT_THREADS);
  plan->scratch[SORTED].bytes = (int64_t)sizeof(dcs_sphere) * n;
  for (int s = NUMBERS; s <= CELL_OF; s++)
    plan->scratch[s].bytes = 4 * n;
  plan->scratch[BEGINS].bytes = 4 * (CELLS + 1);
  plan->scratch[COUNTS] = (dcs_scratch){4 * CELLS, .zero = true};
  plan->scratch[BOXES].bytes = 6 * 4 * SORT_BOXES;
  add_sort_step("find_boxes", SORT_BOXES, boxes, plan);
  add_sort_step("count_atoms", blocks, count, plan);
  add_sort_step("add_up_cells", 1, add_up, plan);
  add_sort_step("list_atoms", blocks, list, plan);
  add_sort_step("place_atoms", blocks, place, plan);
}

/* Lets that launch have the numbers of atoms behind them; where it sorts, of sorted atoms. */
static void plan_sort(int64_t n, bool sorts, dcs_plan *plan) {
  static const dcs_arg as_they_come[] = {DCS_BUFFER(DCS_BORN_RADII),
                                         DCS_BUFFER(DCS_BORN_ATOMS),
                                         DCS_SCRATCH(NUMBERS),
                                         DCS_ARG_N_INPUTS,
                                         DCS_ARG_OWN,
                                         DCS_ARG_END};
  static const dcs_arg sorted[] = {
      DCS_BUFFER(DCS_BORN_RADII), DCS_SCRATCH(SORTED), DCS_SCRATCH(NUMBERS),
      DCS_ARG_N_INPUTS,           DCS_ARG_OWN,         DCS_ARG_END};
  plan->args = sorts ? sorted : as_they_come;
  plan->n_steps = 0;
  if (sorts) add_sort(n, plan);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}

/* ---- several atoms a thread ---- */

enum { WARP = 32 };

const int dcs_born_block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
const char *const dcs_born_orders[] = {"input", "place"};

bool dcs_born_rows_fit(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_born_fits(problem, WARP * (int)config->value[DCS_BORN_BLOCK_Y], true, why);
}

static int64_t tile_of(const dcs_config *config) {
  return WARP * (int64_t)config->value[DCS_BORN_COARSEN];
}

dcs_dims dcs_born_rows_executed(const dcs_problem *problem, const dcs_config *config) {
  return (dcs_dims){dcs_round_up(problem->n.x, tile_of(config)), 1, 1};
}

void dcs_born_rows_plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_born_plan(problem, dcs_divide_up(problem->n_inputs, tile_of(config)), WARP,
                (int)config->value[DCS_BORN_BLOCK_Y], plan);
  plan_sort(problem->n_inputs, config->value[DCS_BORN_ORDER] > 0, plan);
}
