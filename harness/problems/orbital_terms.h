/* The terms of an orbital, of which kernels/orbital/orbital.h says what they are. */
#ifndef DCS_ORBITAL_TERMS_H
#define DCS_ORBITAL_TERMS_H

#include "harness/problems/problem.h"

/* Places for them, those of nothing included: as if no two shells had terms in common. */
int64_t dcs_orbital_term_places(const dcs_problem *problem);

/* As dcs_buffer has fill(). */
void dcs_orbital_fill_terms(const dcs_case *c, int buffer, void *data);

#endif
