/* Born radii: a tile of atoms stays in registers while the spheres go by.
 *
 * Idea: a lane is an atom that is descreened, so sums need no reduction, and what a sphere alone
 *   tells (its place, the coefficients of the series) is computed once for all atoms and read as
 *   a broadcast. Of a far pair, and nearly all are far, the series needs one reciprocal and no
 *   logarithm. Near pairs are found by one comparison; the formula is computed where a tile has
 *   any, for whole vectors.
 * Derives from: cpu_simd.
 * Per far pair: 3 subtractions, 1 multiply, 2 FMA, 1 maximum and comparison, 1 reciprocal (an
 *   estimate and a Newton step: 2 operations; portable: a division), 3 FMA, 1 multiply, 1 FMA.
 * Parameters: threads (1..1024), which share the tiles; isa (portable, avx2, avx512).
 * Limits: tiles are of 8, 16, 32 atoms. An atom of a protein has some 40 near spheres, whatever
 *   its size: of 4,096 atoms a tile of 32 has a near pair with a quarter of the spheres, if atoms
 *   next to each other in the input are not near in space. */
#include "kernels/born/cpu/born_spheres.h"

#include <stdlib.h>

enum { THREADS, ISA, N_PARAMS };

static const dcs_born_kernel *kernel_of(const dcs_config *config) {
  static const dcs_born_kernel *const kernels[] = {&dcs_born_portable, &dcs_born_avx2,
                                                   &dcs_born_avx512};
  return kernels[(int)config->value[ISA]];
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  return (dcs_dims){dcs_round_up(problem->n.x, kernel_of(config)->tile), 1, 1};
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 3 + 1 + 2 * 2 + 2 + 3 * 2 + 1 + 2;
}

static void place_spheres(const dcs_problem *problem, dcs_born_spheres *s) {
  const float c[4] = {DCS_BORN_C0, DCS_BORN_C1, DCS_BORN_C2, DCS_BORN_C3};
  const float descreening = dcs_born_of(problem).descreening;
  for (int64_t j = 0; j < problem->n_inputs; j++) {
    const dcs_sphere *atom = &dcs_spheres(problem)[j];
    const float radius = descreening * atom->radius, radius2 = radius * radius;
    float power = radius;
    s->x[j] = atom->x;
    s->y[j] = atom->y;
    s->z[j] = atom->z;
    s->radius[j] = radius;
    s->near2[j] = DCS_BORN_NEAR2 * radius2;
    for (int k = 0; k < 4; k++)
      s->c[k][j] = c[k] * (power *= radius2);
  }
}

static bool compute(const dcs_problem *problem, const dcs_config *config,
                    void *const out[DCS_MAX_BUFFERS]) {
  enum { ARRAYS = 9 };
  const dcs_born_kernel *kernel = kernel_of(config);
  const size_t n = (size_t)problem->n_inputs;
  float *room = malloc(ARRAYS * n * sizeof *room);
  if (!room) return false;
  dcs_born_spheres s = {.problem = *problem};
  float **const arrays[ARRAYS] = {&s.x,    &s.y,    &s.z,    &s.radius, &s.near2,
                                  &s.c[0], &s.c[1], &s.c[2], &s.c[3]};
  for (int a = 0; a < ARRAYS; a++)
    *arrays[a] = room + (size_t)a * n;
  place_spheres(problem, &s);
  dcs_cpu_run(&s.problem, (int)config->value[THREADS], DCS_CPU_GUIDED,
              dcs_divide_up(problem->n_inputs, kernel->tile), kernel->descreen,
              out[DCS_BORN_RADII]);
  free(room);
  return true;
}

static const dcs_param params[N_PARAMS] = {[THREADS] = DCS_CPU_THREADS, [ISA] = DCS_CPU_ISA};

static const char *const sources[] = {"kernels/born/cpu/born.c",
                                      "kernels/born/cpu/born_spheres.h",
                                      "kernels/born/cpu/born_tile.h",
                                      "kernels/born/cpu/born_avx2.c",
                                      "kernels/born/cpu/born_avx512.c",
                                      "kernels/born/cpu/born_portable.c",
                                      "kernels/common/cpu.c",
                                      "kernels/common/cpu.h",
                                      "kernels/born/born.h",
                                      NULL};

const dcs_variant dcs_variant_cpu_born = {
    .id = "cpu_born",
    .kind = "born",
    .sources = sources,
    .idea = "a tile of atoms in registers; far pairs by a series, near ones by the formula",
    .backend = DCS_CPU,
    .params = params,
    .n_params = N_PARAMS,
    .applicable = dcs_cpu_isa_applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_cpu_longest_sum_blocks,
    .compute = compute,
};
