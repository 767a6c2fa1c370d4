/* Figures over the edge of the grid: the saw teeth that padding puts into the rate, and the padding
 * itself. */
#include "harness/figures/figure.h"

#include <math.h>

/* ---- rate against edge ---- */

/* The grids of one curve: nx = ny, one number of atoms, and one nz or all cubic (nz = CUBIC). */
enum { CUBIC = -1 };
typedef struct {
  int64_t atoms, nz;
} edge_family;

static edge_family family_of(const dcs_figure_cell *cell) {
  return (edge_family){cell->atoms, cell->n.z == cell->n.x ? CUBIC : cell->n.z};
}

static bool in_family(const dcs_figure_cell *cell, edge_family family) {
  edge_family own = family_of(cell);
  return cell->n.x == cell->n.y && own.atoms == family.atoms && own.nz == family.nz;
}

/* Matching rows within the family: at how many edges (its cells differ in that), and the best rate.
 */
typedef struct {
  int edges;
  double rate;
} edge_count;

static edge_count count_edges(const dcs_figure_run *run, edge_family family, dcs_figure_pick pick) {
  edge_count found = {0, 0};
  for (pick.cell = 0; pick.cell < run->n_cells; pick.cell++) {
    if (!in_family(&run->cells[pick.cell], family)) continue;
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (!row) continue;
    found.edges++;
    found.rate = fmax(found.rate, row->evals_per_s);
  }
  return found;
}

/* The family with the most edges, at least two. */
static bool choose_family(const dcs_figure_run *run, edge_family *best) {
  dcs_figure_pick pick = dcs_figure_any;
  int best_edges = 1;
  pick.scope = DCS_KERNEL;
  for (int cell = 0; cell < run->n_cells; cell++) {
    edge_family family = family_of(&run->cells[cell]);
    int edges = count_edges(run, family, pick).edges;
    if (edges <= best_edges) continue;
    *best = family;
    best_edges = edges;
  }
  return best_edges > 1;
}

typedef struct {
  bool padded; /* some grid made it compute points that nobody asked for */
  double rate; /* the highest */
} edge_variant;

static edge_variant describe_variant(const dcs_figure_run *run, edge_family family, int variant) {
  edge_variant found = {false, 0};
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_figure_row *row = &run->rows[i];
    if (!row->ok || row->variant != variant || row->scope != DCS_KERNEL ||
        !in_family(&run->cells[row->cell], family))
      continue;
    found.padded = found.padded || row->overhead > 0;
    found.rate = fmax(found.rate, row->evals_per_s);
  }
  return found;
}

/* The fastest variant of the family that pads, or that does not; -1 where there is none. */
static int fastest_variant(const dcs_figure_run *run, edge_family family, bool padded) {
  int best = -1;
  double best_rate = 0;
  for (int variant = 0; variant < run->n_variants; variant++) {
    edge_variant v = describe_variant(run, family, variant);
    if (v.padded != padded || v.rate <= best_rate) continue;
    best = variant;
    best_rate = v.rate;
  }
  return best;
}

/* The variant's configuration with the most edges, the faster of equals. */
static int choose_config(const dcs_figure_run *run, edge_family family, int variant) {
  dcs_figure_pick pick = dcs_figure_any;
  int best = 0;
  edge_count most = {0, 0};
  pick.variant = variant;
  pick.scope = DCS_KERNEL;
  for (pick.config = 0; pick.config < run->n_configs; pick.config++) {
    edge_count found = count_edges(run, family, pick);
    if (found.edges < most.edges || (found.edges == most.edges && found.rate <= most.rate))
      continue;
    best = pick.config;
    most = found;
  }
  return best;
}

/* One line of a curve. Executed work is drawn where some of the points have padding. */
static void edge_series(FILE *dat, const dcs_figure_run *run, edge_family family,
                        dcs_figure_pick pick, bool executed) {
  bool named = false;
  for (pick.cell = 0; pick.cell < run->n_cells; pick.cell++) {
    if (!in_family(&run->cells[pick.cell], family)) continue;
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (!row) continue;
    if (!named)
      dcs_figure_series(dat, "%s%s, %s", run->variants[pick.variant],
                        row->backend == DCS_CUDA ? run->gpu_suffix : "",
                        executed ? "executed" : "useful");
    named = true;
    dcs_figure_value rate = dcs_figure_geps(row);
    double factor = executed ? 1 + row->overhead : 1;
    rate = (dcs_figure_value){rate.value * factor, rate.lo * factor, rate.hi * factor};
    dcs_figure_point(dat, run, row, (double)run->cells[pick.cell].n.x, rate);
  }
}

static void edge_title(FILE *dat, const dcs_figure_run *run, edge_family family, int left_out) {
  char grids[DCS_TEXT];
  if (family.nz == CUBIC)
    snprintf(grids, sizeof grids, "cubic grids");
  else
    snprintf(grids, sizeof grids, "grids nx = ny, nz = %lld", (long long)family.nz);
  dcs_figure_titles(dat, run, left_out, "Rate against grid edge, %s, %lld atoms, kernel time",
                    grids, (long long)family.atoms);
}

static int edge_left_out(const dcs_figure_run *run, edge_family family, dcs_figure_pick pick) {
  int n = 0;
  for (pick.cell = 0; pick.cell < run->n_cells; pick.cell++)
    if (in_family(&run->cells[pick.cell], family)) n += dcs_figure_left_out(run, &pick);
  return n;
}

dcs_status dcs_figure_rate_vs_edge(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  edge_family family;
  if (!choose_family(run, &family)) {
    snprintf(why, DCS_TEXT, "no number of atoms was measured at two or more grids with nx = ny");
    return DCS_OK;
  }
  dcs_figure_pick picks[2]; /* padded, and not padded */
  int left_out = 0;
  for (int p = 0; p < 2; p++) {
    picks[p] = dcs_figure_any;
    picks[p].scope = DCS_KERNEL;
    picks[p].variant = fastest_variant(run, family, p == 0);
    if (picks[p].variant < 0) continue;
    picks[p].config = choose_config(run, family, picks[p].variant);
    left_out += edge_left_out(run, family, picks[p]);
  }
  edge_title(dat, run, family, left_out);
  for (int p = 0; p < 2; p++) {
    if (picks[p].variant < 0) continue;
    edge_series(dat, run, family, picks[p], false);
    if (p == 0) edge_series(dat, run, family, picks[p], true);
  }
  return DCS_OK;
}

/* ---- padding against edge ---- */

enum { FIRST_EDGE = 16, LAST_EDGE = 512, BLOCK = 16 };
typedef enum { SLICES = 1, VOLUMES = 2 } edge_panel;

double dcs_padding_overhead(dcs_dims n, dcs_dims tile) {
  double x = (double)dcs_round_up(n.x, tile.x) / (double)n.x;
  double y = (double)dcs_round_up(n.y, tile.y) / (double)n.y;
  double z = (double)dcs_round_up(n.z, tile.z) / (double)n.z;
  return x * y * z - 1;
}

static void computed_series(FILE *dat, int factor) {
  dcs_figure_series(dat, "K = %d", factor);
  for (edge_panel panel = SLICES; panel <= VOLUMES; panel++)
    for (int edge = FIRST_EDGE; edge <= LAST_EDGE; edge++) {
      dcs_dims n = {edge, edge, panel == SLICES ? 1 : edge};
      dcs_dims tile = {BLOCK * factor, BLOCK, panel == SLICES ? 1 : BLOCK};
      fprintf(dat, "%d\t%.9g\t%d\n", edge, 100 * dcs_padding_overhead(n, tile), (int)panel);
    }
}

dcs_status dcs_figure_padding_vs_edge(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  (void)why; /* the curves are arithmetic: there are always data */
  dcs_figure_titles(dat, run, 0,
                    "Padding against grid edge, blocks of 16x16 threads (volumes: 16x16x16), "
                    "K points of x a thread");
  for (int factor = 1; factor <= 16; factor *= 2)
    computed_series(dat, factor);
  return DCS_OK;
}
