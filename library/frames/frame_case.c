#include "library/frames/frame_case.h"

#include "harness/base/hash.h"
#include "harness/base/interrupt.h"
#include "kernels/coulomb/coulomb.h"
#include "library/mapper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The frame's edges, where it states any, take the place of the request's. */
static dcs_status take_cell(const dcs_frame *frame, dcs_map_request *r) {
  const dcs_unit_cell *cell = &frame->cell;
  const double *edge = cell->edge;
  if (!r->periodic) return DCS_OK;
  if (cell->unreadable)
    return dcs_fail(DCS_INPUT,
                    "frame %lld: found a cell that cannot be read, line %lld; expected three edges "
                    "and three angles",
                    (long long)frame->number, (long long)cell->unreadable);
  if (edge[0] == 0 && edge[1] == 0 && edge[2] == 0) return DCS_OK;
  for (int d = 0; d < 3; d++)
    if (!(edge[d] >= 0.1 && edge[d] <= 1e6))
      return dcs_fail(DCS_INPUT,
                      "frame %lld: found a cell with edges of %g, %g and %g A; expected 0.1 to 1e6",
                      (long long)frame->number, edge[0], edge[1], edge[2]);
  if (!dcs_cell_is_right(cell))
    return dcs_fail(DCS_INPUT,
                    "frame %lld: found a cell with angles %g, %g and %g; expected right ones",
                    (long long)frame->number, cell->angle[0], cell->angle[1], cell->angle[2]);
  memcpy(r->cell, cell->edge, sizeof r->cell);
  return DCS_OK;
}

static dcs_status bad_place(const dcs_frame *frame, int64_t a) {
  const double *at = frame->places + 3 * a;
  return dcs_fail(DCS_INPUT, "frame %lld: atom %lld is at %g, %g, %g; expected numbers within 1e12",
                  (long long)frame->number, (long long)a + 1, at[0], at[1], at[2]);
}

/* Places from the origin, with the charges of the topology. */
static dcs_status take_sites(const double origin[3], const dcs_molecule *top,
                             const dcs_frame *frame, dcs_site *sites) {
  bool good = true;
  for (int64_t a = 0; a < top->n; a++) {
    const double *at = frame->places + 3 * a;
    const double x = at[0] - origin[0], y = at[1] - origin[1], z = at[2] - origin[2];
    good &= fabs(x) <= 1e12 && fabs(y) <= 1e12 && fabs(z) <= 1e12;
    sites[a] = (dcs_site){x, y, z, top->sites[a].q, 0};
  }
  for (int64_t a = 0; !good && a < top->n; a++)
    if (!(fabs(sites[a].x) <= 1e12 && fabs(sites[a].y) <= 1e12 && fabs(sites[a].z) <= 1e12))
      return bad_place(frame, a);
  return DCS_OK;
}

dcs_status dcs_frame_case(const dcs_map_request *request, const dcs_molecule *top,
                          const dcs_frame *frame, dcs_case *c) {
  dcs_map_request r = *request;
  r.n_atoms = top->n;
  DCS_TRY(take_cell(frame, &r));
  DCS_TRY(dcs_request_check(&r));
  dcs_grid grid = {.n = {r.nx, r.ny, r.nz}, .spacing = r.spacing, .has_origin = true};
  memcpy(grid.origin, r.origin, sizeof grid.origin);
  const dcs_config problem = dcs_request_problem(&r);
  DCS_TRY(dcs_case_grid(top, &grid));
  DCS_TRY(dcs_case_begin(dcs_kinds[0], top->n, &grid, c));
  DCS_TRY(take_sites(r.origin, top, frame, c->sites));
  return dcs_case_end(&problem, c);
}

uint64_t dcs_frame_case_hash(const dcs_case *c) {
  const size_t bytes = (size_t)c->problem.n_inputs * c->kind->buffers[0].bytes;
  return dcs_hash_words(DCS_HASH_START, c->problem.input[0], bytes);
}

/* ---- method ---- */

/* The first of the choice for the mapper's case that passes its check and can compute it. */
static dcs_status choose_method(dcs_mapper *m, dcs_method *method) {
  dcs_choice choice;
  char why[DCS_TEXT] = "no method";
  DCS_TRY(dcs_mapper_choose(m, &choice));
  for (int i = 0; i < choice.n; i++) {
    *method = choice.list[i].method;
    if (!dcs_applicable(method->variant, &m->c.problem, &method->config, why)) continue;
    const dcs_status status = dcs_mapper_check(m, method);
    if (status == DCS_OK || dcs_interrupted()) return status;
    snprintf(why, sizeof why, "%.255s", dcs_error_message());
  }
  return dcs_fail(DCS_UNAVAILABLE, "no method can compute these frames here: %s", why);
}

dcs_status dcs_frame_method(dcs_mapper *m, char text[DCS_METHOD_TEXT]) {
  dcs_method method;
  char config[DCS_TEXT];
  DCS_TRY(choose_method(m, &method));
  snprintf(text, DCS_METHOD_TEXT, "%s %s", method.variant->id,
           dcs_format_config(method.variant, &method.config, config));
  return DCS_OK;
}
