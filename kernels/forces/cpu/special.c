/* The special pairs of an atom, one by one: a few hundredths of its pairs, or none. */
#include "kernels/forces/cpu/forces_atoms.h"

/* The nearest image's. */
static float nearest(float d, float period) {
  return period > 0 ? d - period * rintf(d / period) : d;
}

/* Adds a pair's terms at distance r; `apart` is from the other atom. */
static void add_terms(const dcs_forces_terms *terms, const dcs_special *pair, float charges,
                      float r2, const float apart[3], dcs_force *sum) {
  const float per_r2 = 1 / r2, r = sqrtf(r2), ratio = pair->minimum / r, ratio2 = ratio * ratio;
  const float b = ratio2 * ratio2 * ratio2, depth = pair->depth * b, well = depth * (b - 2);
  const float u = fminf(fmaxf(r2 * terms->slope - terms->from, 0), 1);
  const float on = 1 + u * u * (2 * u - 3), off = u * (u - 1) * terms->slope;
  float energy = well * on, force = 12 * (depth * (b - 1) * on * per_r2 - well * off);
  charges /= r;
  if (terms->alpha > 0) {
    const float part = erfcf(terms->alpha * r), bell = exp2f(terms->power * r2);
    energy += charges * part;
    force += charges * per_r2 * (part + terms->peak * r * bell);
  } else {
    const float left = 1 - r2 * terms->per_cutoff2;
    energy += charges * left * left;
    force += charges * left * (left * per_r2 + 4 * terms->per_cutoff2);
  }
  sum->x += force * apart[0];
  sum->y += force * apart[1];
  sum->z += force * apart[2];
  sum->energy += 0.5f * energy;
}

void dcs_forces_add_special(const dcs_forces_atoms *atoms, int64_t a, dcs_force *force) {
  const dcs_problem *problem = &atoms->problem;
  const int32_t *begins = problem->input[DCS_FORCES_SPECIAL_BEGINS];
  const dcs_special *list = problem->input[DCS_FORCES_SPECIAL];
  const dcs_particle *all = dcs_particles(problem), *own = &all[a];
  const float *period = atoms->sorted.grid.period;
  dcs_force sum = {0};
  for (int32_t s = begins[a]; s < begins[a + 1]; s++) {
    const dcs_particle *other = &all[list[s].atom];
    const float apart[3] = {nearest(own->x - other->x, period[0]),
                            nearest(own->y - other->y, period[1]),
                            nearest(own->z - other->z, period[2])};
    const float r2 = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
    if (r2 < atoms->terms.cutoff2)
      add_terms(&atoms->terms, &list[s], own->q * other->q * list[s].charges, r2, apart, &sum);
  }
  force->x += sum.x;
  force->y += sum.y;
  force->z += sum.z;
  force->energy += sum.energy;
}
