/* A problem for any variant. Include after cmocka.h. */
#ifndef DCS_TEST_SOLVED_PROBLEM_H
#define DCS_TEST_SOLVED_PROBLEM_H

#include "harness/problems/problem.h"

#include <stdlib.h>

/* The first of the problems that verify tries the variant on. */
static inline dcs_config solved_problem(const dcs_variant *variant) {
  const dcs_kind *kind = dcs_kind_of(variant);
  char why[DCS_TEXT];
  for (const char *const *text = kind->verified; *text; text++) {
    dcs_config problem;
    assert_int_equal(dcs_parse_problem(kind, *text, &problem), DCS_OK);
    if (dcs_solves(variant, &problem, why)) return problem;
  }
  fail_msg("%s solves none of its kind's problems", variant->id);
  return (dcs_config){{0}};
}

#endif
