/* The device engine: atoms that the host arranges for the kernel, and the rest that it keeps. */
#include "harness/engine/engine_device.h"

#include <string.h>

dcs_status dcs_find_placed(dcs_device_engine *e, const dcs_device_method *m, dcs_block_kind kind,
                           dcs_places *p) {
  dcs_device *device = e->engine.device;
  const size_t bytes = (size_t)m->plan.placed_atoms * sizeof(dcs_atom);
  const size_t rest = (size_t)e->problem->n_atoms * sizeof(dcs_atom);
  const size_t map = (size_t)dcs_points(e->problem->n) * sizeof(float);
  /* What explicit copies start from; otherwise the host writes where kernels read. */
  dcs_block_kind source = p->memory == DCS_PAGEABLE ? DCS_BLOCK_ORDINARY
                          : p->memory == DCS_PINNED ? DCS_BLOCK_HOST
                                                    : kind;
  DCS_TRY(dcs_block_grow(device, kind, bytes, &e->placed[kind]));
  DCS_TRY(dcs_block_grow(device, source, bytes, &e->placed[source]));
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_ORDINARY, rest, &e->rest));
  DCS_TRY(dcs_block_grow(device, DCS_BLOCK_ORDINARY, map, &e->rest_map));
  p->atoms = e->placed[kind].ptr;
  p->placed = e->placed[source].host;
  p->from = p->placed;
  p->atoms_bytes = bytes;
  return DCS_OK;
}

void dcs_place_atoms(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  e->n_rest = p->placed ? m->variant->place(e->problem, &m->config, p->placed, e->rest.host) : 0;
}

dcs_outcome dcs_place_ahead(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                            bool timed) {
  dcs_device *device = e->engine.device;
  dcs_place_atoms(e, m, p);
  if (timed && e->n_rest > 0) {
    (void)dcs_fail(DCS_FAILED,
                   "%lld of %lld atoms overflow and are left to the host: a time of the launches "
                   "would be none of a map; scopes warm and first include the host's part",
                   (long long)e->n_rest, (long long)e->problem->n_atoms);
    return DCS_OUTCOME_INAPPLICABLE;
  }
  if (!p->placed) return DCS_OUTCOME_OK;
  dcs_status status = device->copy_in(device, p->atoms, p->from, p->atoms_bytes);
  return status == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH;
}

void dcs_compute_rest(dcs_device_engine *e, const dcs_device_method *m) {
  if (e->n_rest == 0) return;
  dcs_problem rest = *e->problem;
  rest.atoms = e->rest.host;
  rest.n_atoms = e->n_rest;
  memset(e->rest_map.host, 0, (size_t)dcs_points(rest.n) * sizeof(float));
  m->variant->add_rest(&rest, &m->config, e->rest_map.host);
}

void dcs_add_rest(const dcs_device_engine *e, float *map) {
  if (e->n_rest == 0) return;
  const float *part = e->rest_map.host;
  const int64_t points = dcs_points(e->problem->n);
#pragma omp parallel for if (points > 1000000)
  for (int64_t i = 0; i < points; i++)
    map[i] += part[i];
}
