/* Figures over the edge of the grid: the saw teeth that padding puts into the rate, and the padding
 * itself. */
#include "harness/figures/figure.h"

#include <math.h>

/* ---- rate against edge ---- */

/* The grids of one curve: nx = ny, as many inputs, and one nz or all cubic (nz = CUBIC). */
enum { CUBIC = -1 };
typedef struct {
  double inputs;
  int64_t nz;
} edge_family;

static edge_family family_of(const dcs_figure_size *size) {
  return (edge_family){size->inputs, size->n.z == size->n.x ? CUBIC : size->n.z};
}

static bool in_family(const dcs_figure_size *size, edge_family family) {
  edge_family own = family_of(size);
  return size->n.x == size->n.y && own.inputs == family.inputs && own.nz == family.nz;
}

/* Matching rows within the family: at how many edges (its sizes differ in that), the best rate, and
 * whether some grid made one compute points that nobody asked for. */
typedef struct {
  int edges;
  double rate;
  bool padded;
} edge_count;

static edge_count count_edges(const dcs_figure_run *run, edge_family family, dcs_figure_pick pick) {
  edge_count found = {0, 0, false};
  for (pick.size = 0; pick.size < run->n_sizes; pick.size++) {
    const dcs_figure_row *row = NULL;
    bool any = false;
    if (!in_family(&run->sizes[pick.size], family)) continue;
    while ((row = dcs_figure_next(run, &pick, row))) {
      if (!row->ok) continue;
      any = true;
      found.padded |= row->of->padding_overhead > 0;
      found.rate = fmax(found.rate, row->of->evals_per_s);
    }
    found.edges += any;
  }
  return found;
}

/* The family with the most edges, at least two. */
static bool choose_family(const dcs_figure_run *run, edge_family *best) {
  const dcs_figure_pick pick = dcs_figure_pick_at(DCS_FIGURE_ANY, DCS_KERNEL);
  int best_edges = 1;
  for (int size = 0; size < run->n_sizes; size++) {
    edge_family family = family_of(&run->sizes[size]);
    int edges = count_edges(run, family, pick).edges;
    if (edges <= best_edges) continue;
    *best = family;
    best_edges = edges;
  }
  return best_edges > 1;
}

/* The fastest variant of the family that pads, or that does not; -1 where there is none. */
static int fastest_variant(const dcs_figure_run *run, edge_family family, bool padded) {
  dcs_figure_pick pick = dcs_figure_pick_at(DCS_FIGURE_ANY, DCS_KERNEL);
  int best = -1;
  double best_rate = 0;
  for (pick.variant = 0; pick.variant < run->n_variants; pick.variant++) {
    const edge_count own = count_edges(run, family, pick);
    if (own.padded != padded || own.rate <= best_rate) continue;
    best = pick.variant;
    best_rate = own.rate;
  }
  return best;
}

/* The variant's configuration with the most edges, the faster of equals. */
static const char *choose_config(const dcs_figure_run *run, edge_family family, int variant) {
  dcs_figure_pick pick = dcs_figure_pick_at(DCS_FIGURE_ANY, DCS_KERNEL), own;
  const dcs_figure_row *row = NULL;
  const char *best = NULL;
  edge_count most = {0, 0, false};
  pick.variant = variant;
  for (own = pick; (row = dcs_figure_next(run, &pick, row));) {
    own.config = row->of->config;
    const edge_count found = count_edges(run, family, own);
    if (found.edges < most.edges || (found.edges == most.edges && found.rate <= most.rate))
      continue;
    best = own.config;
    most = found;
  }
  return best;
}

/* One line of a curve. Executed work is drawn where some of the points have padding. */
static void edge_series(FILE *dat, const dcs_figure_run *run, edge_family family,
                        dcs_figure_pick pick, bool executed) {
  bool named = false;
  for (pick.size = 0; pick.size < run->n_sizes; pick.size++) {
    if (!in_family(&run->sizes[pick.size], family)) continue;
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (!row) continue;
    if (!named)
      dcs_figure_series(dat, "%s%s, %s", run->variants[pick.variant],
                        row->of->backend == DCS_GPU ? run->gpu_suffix : "",
                        executed ? "executed" : "useful");
    named = true;
    double factor = executed ? 1 + fmax(0, row->of->padding_overhead) : 1;
    dcs_figure_point(dat, row, (double)run->sizes[pick.size].n.x,
                     dcs_figure_scaled(dcs_figure_geps(row), factor));
  }
}

static void edge_title(FILE *dat, const dcs_figure_run *run, edge_family family,
                       dcs_figure_seen seen) {
  char grids[DCS_TEXT];
  if (family.nz == CUBIC)
    snprintf(grids, sizeof grids, "cubic grids");
  else
    snprintf(grids, sizeof grids, "grids nx = ny, nz = %lld", (long long)family.nz);
  dcs_figure_titles(dat, run, seen, "Rate against grid edge, %s, %.0f %s, kernel time", grids,
                    family.inputs, run->kind->dimensions[0].values);
}

dcs_status dcs_figure_rate_vs_edge(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  edge_family family;
  if (!choose_family(run, &family))
    return dcs_figure_skip_exact(run, why,
                                 "no number of %s was measured at two or more grids with nx = ny",
                                 run->kind->dimensions[0].values);
  dcs_figure_pick picks[2]; /* padded, and not padded */
  dcs_figure_seen seen = {0};
  for (int p = 0; p < 2; p++) {
    dcs_figure_pick *pick = &picks[p];
    *pick = dcs_figure_pick_at(DCS_FIGURE_ANY, DCS_KERNEL);
    pick->variant = fastest_variant(run, family, p == 0);
    if (pick->variant < 0) continue;
    pick->config = choose_config(run, family, pick->variant);
    for (pick->size = 0; pick->size < run->n_sizes; pick->size++)
      if (in_family(&run->sizes[pick->size], family)) dcs_figure_see(run, pick, &seen);
  }
  edge_title(dat, run, family, seen);
  for (int p = 0; p < 2; p++) {
    if (picks[p].variant < 0) continue;
    edge_series(dat, run, family, picks[p], false);
    if (p == 0) edge_series(dat, run, family, picks[p], true);
  }
  return DCS_OK;
}

/* ---- padding against edge ---- */

enum { FIRST_EDGE = 16, LAST_EDGE = 512, BLOCK = 16 };

double dcs_padding_overhead(dcs_dims n, dcs_dims tile) {
  double x = (double)dcs_round_up(n.x, tile.x) / (double)n.x;
  double y = (double)dcs_round_up(n.y, tile.y) / (double)n.y;
  double z = (double)dcs_round_up(n.z, tile.z) / (double)n.z;
  return x * y * z - 1;
}

/* Edge, percent of slices n x n, percent of volumes n x n x n. */
static void computed_series(FILE *dat, int factor) {
  dcs_figure_series(dat, "K = %d", factor);
  for (int edge = FIRST_EDGE; edge <= LAST_EDGE; edge++) {
    const dcs_dims slice = {edge, edge, 1}, volume = {edge, edge, edge};
    const dcs_dims of_slice = {BLOCK * factor, BLOCK, 1},
                   of_volume = {BLOCK * factor, BLOCK, BLOCK};
    fprintf(dat, "%d\t%.9g\t%.9g\n", edge, 100 * dcs_padding_overhead(slice, of_slice),
            100 * dcs_padding_overhead(volume, of_volume));
  }
}

dcs_status dcs_figure_padding_vs_edge(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  (void)why; /* the curves are arithmetic: there are always data */
  dcs_figure_titles(dat, run, (dcs_figure_seen){0},
                    "Padding against grid edge, blocks of 16x16 threads (volumes: 16x16x16), "
                    "K points of x a thread");
  for (int factor = 1; factor <= 16; factor *= 2)
    computed_series(dat, factor);
  return DCS_OK;
}
