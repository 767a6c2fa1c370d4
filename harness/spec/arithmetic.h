/* What operators make of values, as in Python. Internal to the evaluator. `column`: where it stands
 * in the expression, for DCS_INPUT of what has no value. */
#ifndef DCS_ARITHMETIC_H
#define DCS_ARITHMETIC_H

#include "harness/spec/expression_tree.h"

bool dcs_is_number(const dcs_value *value);

/* DCS_INPUT: "column 3: found ...; expected ..." */
dcs_status dcs_no_value(int column, const char *found, const char *expected);
dcs_status dcs_wrong_type(int column, const dcs_value *value, const char *expected);

/* A real result: Python refuses the infinite ones, too. */
dcs_status dcs_give_real(int column, double real, dcs_value *value);
/* A real number that is whole, as a whole one. */
dcs_status dcs_give_whole(int column, double real, dcs_value *value);

dcs_status dcs_negate(int column, int64_t integer, dcs_value *value);
/* A binary operator, `does`, between numbers. */
dcs_status dcs_operate(int column, dcs_operation does, const dcs_value *a, const dcs_value *b,
                       dcs_value *value);

/* Below 0, 0 or above it, as a is less, equal or greater. */
dcs_status dcs_order_values(int column, const dcs_value *a, const dcs_value *b, int *sign);
/* Whether a comparison holds. */
dcs_status dcs_compare_values(int column, dcs_operation does, const dcs_value *a,
                              const dcs_value *b, bool *holds);

#endif
