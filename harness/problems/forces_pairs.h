/* The pairs of a problem of forces, counted and computed in double precision. */
#ifndef DCS_FORCES_PAIRS_H
#define DCS_FORCES_PAIRS_H

#include "harness/problems/case.h"

/* The difference of two places, the nearest image's where atoms repeat in a cell; its square. */
double dcs_forces_apart(const double cell[3], bool periodic, const dcs_site *a, const dcs_site *b,
                        double apart[3]);

/* Whether a pair is excluded, special ones too. */
bool dcs_forces_excluded(const dcs_force_field *field, int64_t a, int64_t b);

/* What is special of a pair; NULL: nothing. */
const dcs_special_pair *dcs_forces_special(const dcs_force_field *field, int64_t a, int64_t b);

/* DCS_INPUT names two atoms that kernels would have at one place, where forces are infinite: no
 * distance is left of theirs in single precision, in a cell of their images. DCS_UNAVAILABLE when
 * memory is short. */
dcs_status dcs_forces_check_places(const dcs_case *c);

/* Pairs within the cutoff that are special or not excluded, each once. */
double dcs_forces_count(const dcs_case *c);

/* dcs_kind.rounding, and dcs_buffer.reference of the forces (forces_reference.c). */
double dcs_forces_rounding(const dcs_config *problem);
dcs_sums dcs_forces_reference(const dcs_case *c, int buffer, int64_t value, double largest);

#endif
