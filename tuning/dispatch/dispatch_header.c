/* dispatch.h: the decision as a C header that needs nothing else. */
#include "tuning/dispatch/dispatch.h"

#include "harness/base/decimal.h"
#include "harness/base/file.h"

#include <math.h>
#include <string.h>

static const char head[] =
    " *\n"
    " * dcs_dispatch_choose() says which method of dcsbench computes a Direct Coulomb Summation "
    "map\n"
    " * fastest, dcs_dispatch_choose_within() the same of the sum within a cutoff, which is "
    "another "
    "map.\n"
    " * Scopes: kernel, atoms lie on the GPU and the map stays there; warm, both in host\n"
    " * memory, the GPU's context alive; first, the same from a cold start. CPU methods count "
    "with\n"
    " * their own time in all of them (in kernel only where no GPU was measured).\n"
    " *\n"
    " * The numbers are nanoseconds of a map, a launch, an atom, ..., fitted to measured medians. "
    "They\n"
    " * hold for this machine alone. Sizes far from the measured ones are extrapolated. Whether a "
    "map\n"
    " * fits the card's memory is not looked at.\n"
    " *\n"
    " * Regret: time lost against the fastest method measured, at sizes that were left out of the "
    "fit.\n";

static const char types[] =
    "#include <stdint.h>\n"
    "\n"
    "typedef enum { DCS_DISPATCH_KERNEL, DCS_DISPATCH_WARM, DCS_DISPATCH_FIRST } "
    "dcs_dispatch_scope;\n"
    "\n"
    "typedef struct {\n"
    "  int scope;                 /* dcs_dispatch_scope */\n"
    "  int sum; /* 0: of all atoms; 1: within a cutoff, not smoothed; 2: smoothed c2 */\n"
    "  double cutoff_least, cutoff_most; /* that were measured, angstrom */\n"
    "  int64_t atoms_least;       /* it is not for maps of fewer */\n"
    "  int gpu;                   /* 0: runs on the CPU */\n"
    "  const char *variant, *config;\n"
    "  int64_t tile_x, tile_y, tile_z; /* points of a block */\n"
    "  int64_t slices, chunk;     /* slices and atoms of a launch; 0: all */\n"
    "  int64_t shares;            /* blocks that share the atoms of a tile */\n"
    "  double units;              /* multiprocessors that take turns to compute blocks; 0: not "
    "counted */\n"
    "  double together;           /* turns before blocks are late; 0: none is */\n"
    "  double map, point, atom, launch, turn, step, turn_step, late_step, eval; /* ns each */\n"
    "} dcs_dispatch_method;\n"
    "\n"
    "static const dcs_dispatch_method dcs_dispatch_methods[] = {\n";

static const char functions[] =
    "enum { DCS_DISPATCH_METHODS = sizeof dcs_dispatch_methods / sizeof dcs_dispatch_methods[0] "
    "};\n"
    "\n"
    "/* The share of the atoms within the cutoff of any point of a tile, along one axis: the ball "
    "is taken\n"
    " * for a cube. */\n"
    "static inline double dcs_dispatch_share(int64_t n, int64_t tile, double spacing, double "
    "cutoff) {\n"
    "  const double length = spacing * (double)(n > 1 ? n - 1 : 1);\n"
    "  const double half = 0.80599597700823 * cutoff + 0.5 * spacing * (double)(tile - 1);\n"
    "  const double beyond = half < length ? 1 - half / length : 0;\n"
    "  return 1 - beyond * beyond;\n"
    "}\n"
    "\n"
    "/* Expected ns of one map of nx * ny * nz points; below 0: the method cannot compute it, is "
    "not for\n"
    " * so few atoms, or the cutoff is too far from those measured. Whole sums have no cutoff, 0, "
    "and any\n"
    " * spacing. */\n"
    "static inline double dcs_dispatch_ns(const dcs_dispatch_method *m, int64_t atoms, int64_t "
    "nx,\n"
    "                                     int64_t ny, int64_t nz, double spacing, double cutoff) "
    "{\n"
    "  const int64_t x = (nx + m->tile_x - 1) / m->tile_x, y = (ny + m->tile_y - 1) / m->tile_y;\n"
    "  const int64_t z = ((m->slices ? m->slices : nz) + m->tile_z - 1) / m->tile_z;\n"
    "  const double shares = (double)(m->shares < atoms ? m->shares : atoms);\n"
    "  const double tiles = (double)(x * y) * (double)z;\n"
    "  const double groups = m->slices ? (double)((nz + m->slices - 1) / m->slices) : 1;\n"
    "  const double chunks = m->chunk ? (double)((atoms + m->chunk - 1) / m->chunk) : 1;\n"
    "  const double near_point = m->sum ? dcs_dispatch_share(nx, 1, spacing, cutoff) *\n"
    "                                         dcs_dispatch_share(ny, 1, spacing, cutoff) *\n"
    "                                         dcs_dispatch_share(nz, 1, spacing, cutoff)\n"
    "                                   : 1;\n"
    "  const double near_tile = m->sum ? dcs_dispatch_share(nx, m->tile_x, spacing, cutoff) *\n"
    "                                        dcs_dispatch_share(ny, m->tile_y, spacing, cutoff) "
    "*\n"
    "                                        dcs_dispatch_share(nz, m->tile_z, spacing, cutoff)\n"
    "                                  : 1;\n"
    "  const double evals = (double)atoms * (tiles * groups *\n"
    "                       (double)(m->tile_x * m->tile_y * m->tile_z)) * near_point;\n"
    "  const double steps = groups * (double)atoms / shares * near_tile;\n"
    "  double ns = m->map + m->point * ((double)nx * (double)ny * (double)nz) +\n"
    "              m->atom * (double)atoms + m->launch * groups * chunks + m->step * steps +\n"
    "              m->eval * evals;\n"
    "  if ((m->gpu && (y > 65535 || z > 65535)) || atoms < m->atoms_least) return -1;\n"
    "  if (cutoff * DCS_DISPATCH_CUTOFF_FACTOR < m->cutoff_least ||\n"
    "      cutoff > m->cutoff_most * DCS_DISPATCH_CUTOFF_FACTOR)\n"
    "    return -1;\n"
    "  if (m->units > 0) {\n"
    "    const double exact = tiles * shares / m->units;\n"
    "    double turns = (double)(int64_t)exact;\n"
    "    if (turns < exact) turns += 1;\n"
    "    ns += turns * (m->turn * groups * chunks + m->turn_step * steps);\n"
    "    if (m->together > 0 && turns > m->together)\n"
    "      ns += (turns - m->together) * m->late_step * steps;\n"
    "  }\n"
    "  return ns;\n"
    "}\n"
    "\n"
    "static inline const dcs_dispatch_method *dcs_dispatch_best(dcs_dispatch_scope scope, int "
    "sum,\n"
    "                                                           int64_t atoms, int64_t nx, int64_t "
    "ny,\n"
    "                                                           int64_t nz, double spacing,\n"
    "                                                           double cutoff) {\n"
    "  const dcs_dispatch_method *best = 0;\n"
    "  double least = 0;\n"
    "  int i;\n"
    "  for (i = 0; i < (int)DCS_DISPATCH_METHODS; i++) {\n"
    "    double ns;\n"
    "    if (dcs_dispatch_methods[i].scope != (int)scope || dcs_dispatch_methods[i].sum != sum)\n"
    "      continue;\n"
    "    ns = dcs_dispatch_ns(&dcs_dispatch_methods[i], atoms, nx, ny, nz, spacing, cutoff);\n"
    "    if (ns < 0 || (best && ns >= least)) continue;\n"
    "    best = &dcs_dispatch_methods[i];\n"
    "    least = ns;\n"
    "  }\n"
    "  return best;\n"
    "}\n"
    "\n"
    "/* The method for a map of at least 1 atom and 1 point; NULL where the scope has none for it. "
    "*/\n"
    "static inline const dcs_dispatch_method *dcs_dispatch_choose(dcs_dispatch_scope scope,\n"
    "                                                             int64_t atoms, int64_t nx,\n"
    "                                                             int64_t ny, int64_t nz) {\n"
    "  return dcs_dispatch_best(scope, 0, atoms, nx, ny, nz, 1, 0);\n"
    "}\n"
    "\n"
    "/* The same for the sum within a cutoff above 0, angstrom as is the spacing of the grid; "
    "smooth:\n"
    " * each term is multiplied by (1 - r^2 / cutoff^2)^2. NULL also where no cutoff near this one "
    "was\n"
    " * measured with that smoothing. */\n"
    "static inline const dcs_dispatch_method *dcs_dispatch_choose_within(\n"
    "    dcs_dispatch_scope scope, int64_t atoms, int64_t nx, int64_t ny, int64_t nz, double "
    "spacing,\n"
    "    double cutoff, int smooth) {\n"
    "  return dcs_dispatch_best(scope, smooth ? 2 : 1, atoms, nx, ny, nz, spacing, cutoff);\n"
    "}\n"
    "\n"
    "#endif\n";

/* Text of a comment: nothing in it may end it. */
static void put_fact(FILE *out, const char *name, const char *value) {
  fprintf(out, " *   %-24s ", name);
  for (const char *c = *value ? value : "none"; *c; c++)
    fputc(*c == '/' && c > value && c[-1] == '*' ? ' ' : *c, out);
  fputc('\n', out);
}

static void put_regrets(FILE *out, const dcs_dispatch *dispatch) {
  for (int sum = 0; sum < DCS_DISPATCH_SUMS; sum++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
      const dcs_dispatch_table *t = &dispatch->tables[sum][s];
      if (sum > 0 && t->n == 0) continue;
      fprintf(out, " *   %-6s %-29s ", dcs_scope_name(dcs_dispatch_scopes[s]),
              dcs_dispatch_sum_names[sum]);
      if (t->n > 0 && t->regret.cells > 0)
        fprintf(out, "mean %.1f%%, worst %.1f%% of %lld sizes\n", 100 * t->regret.mean,
                100 * t->regret.worst, (long long)t->regret.cells);
      else
        fprintf(out, "%s\n", t->n > 0 ? "no size had a choice" : "not measured");
    }
}

static void put_numbers(FILE *out, const double *numbers, int n) {
  char text[DCS_DECIMAL_TEXT];
  for (int i = 0; i < n; i++)
    fprintf(out, ", %s", dcs_decimal_write(numbers[i], text));
}

static void put_method(FILE *out, int sum, int scope, const dcs_dispatch_method *m) {
  const dcs_tiling *shape = &m->cost.shape;
  char config[DCS_TEXT];
  const double turns[] = {m->cost.units, m->cost.together};
  fprintf(out, "    {%d, %d", scope, sum);
  put_numbers(out, (const double[]){m->cost.cutoff_least, m->cost.cutoff_most}, 2);
  fprintf(out, ", %lld, %d, \"%s\", \"%s\",\n     %lld, %lld, %lld, %lld, %lld, %lld",
          (long long)m->cost.atoms_least, m->variant->backend == DCS_CUDA, m->variant->id,
          dcs_format_config(m->variant, &m->config, config), (long long)shape->tile[0],
          (long long)shape->tile[1], (long long)shape->tile[2], (long long)shape->slices,
          (long long)shape->chunk, (long long)shape->shares);
  put_numbers(out, turns, 2);
  fputs(",\n     ", out);
  char first[DCS_DECIMAL_TEXT];
  fputs(dcs_decimal_write(m->cost.ns[0], first), out);
  put_numbers(out, m->cost.ns + 1, DCS_COST_TERMS - 1);
  fputs("},\n", out);
}

dcs_status dcs_dispatch_write_header(const char *path, const dcs_dispatch *dispatch) {
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, path));
  FILE *out = file.stream;
  char factor[DCS_DECIMAL_TEXT];
  fputs("/* Written by `dcsbench dispatch` from measurements of:\n", out);
  for (int f = 0; f < DCS_N_FOR; f++)
    put_fact(out, dcs_dispatch_facts[f], dispatch->facts[f]);
  fputs(head, out);
  put_regrets(out, dispatch);
  fputs(" */\n#ifndef DCS_DISPATCH_H\n#define DCS_DISPATCH_H\n\n", out);
  fputs(types, out);
  for (int sum = 0; sum < DCS_DISPATCH_SUMS; sum++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      for (int m = 0; m < dispatch->tables[sum][s].n; m++)
        put_method(out, sum, s, &dispatch->tables[sum][s].list[m]);
  fprintf(out, "};\n#define DCS_DISPATCH_CUTOFF_FACTOR %s /* how far beyond those measured */\n",
          dcs_decimal_write(DCS_COST_CUTOFF_FACTOR, factor));
  fputs(functions, out);
  return dcs_file_close(&file);
}
