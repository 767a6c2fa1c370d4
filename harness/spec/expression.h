/* Expressions as specifications of kernels have them: a part of Python's, with its meaning.
 *
 * Whole numbers (of 64 bits, True and False among them), real numbers, texts, lists; a if c else b;
 * or, and, not; comparisons, also in a chain, in, not in; | ^ & << >> + - * / // % ** ~; calls of a
 * few functions, those of Python's math with or without "math."; [x for n in list if c]. */
#ifndef DCS_EXPRESSION_H
#define DCS_EXPRESSION_H

#include "harness/base/grow.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { DCS_VALUE_INTEGER, DCS_VALUE_REAL, DCS_VALUE_TEXT, DCS_VALUE_LIST } dcs_value_type;

typedef struct dcs_value dcs_value;
struct dcs_value {
  dcs_value_type type;
  int64_t integer;
  double real;
  const char *text;
  const dcs_value *items; /* n */
  int n;
};

static inline dcs_value dcs_integer_value(int64_t integer) {
  return (dcs_value){.type = DCS_VALUE_INTEGER, .integer = integer};
}
static inline dcs_value dcs_real_value(double real) {
  return (dcs_value){.type = DCS_VALUE_REAL, .real = real};
}
static inline dcs_value dcs_text_value(const char *text) {
  return (dcs_value){.type = DCS_VALUE_TEXT, .text = text};
}

typedef struct dcs_expression dcs_expression;

/* Reads an expression in which names[n_names] may stand. DCS_INPUT: "column 3: found ...; expected
 * ...". Free with dcs_expression_free(); on failure there is nothing to free. */
dcs_status dcs_expression_parse(const char *text, const char *const *names, int n_names,
                                dcs_expression **expression);
void dcs_expression_free(dcs_expression *expression); /* NULL is fine */

/* Its value where the names have these values. Lists lie in the room, texts in the expression and
 * the values. DCS_INPUT tells the column of what has no value: a division by zero. May be called by
 * several threads, each with a room of its own. */
dcs_status dcs_expression_value(const dcs_expression *expression, const dcs_value *values,
                                dcs_room *room, dcs_value *value);

/* As `if` takes it. */
bool dcs_value_is_true(const dcs_value *value);
/* Whether two values are equal, 1 and 1.0 among them. */
bool dcs_same_value(const dcs_value *a, const dcs_value *b);
/* A number as a real one; NaN of a text or list. */
double dcs_value_real(const dcs_value *value);

#endif
