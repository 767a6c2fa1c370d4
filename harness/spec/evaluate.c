/* The value of an expression. */
#include "harness/spec/expression_tree.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ITEMS = 1000000 }; /* of all lists of an evaluation */

typedef struct {
  const dcs_expression *e;
  const dcs_value *values;         /* of the names */
  dcs_value loops[DCS_MOST_LOOPS]; /* of those of loops */
  dcs_room *room;
  int64_t n_items;
} evaluation;

static const char *const type_names[] = {"a whole number", "a real number", "a text", "a list"};

static dcs_status evaluate(evaluation *v, int node, dcs_value *value);

/* ---- values ---- */

static bool is_a_number(const dcs_value *value) {
  return value->type == DCS_VALUE_INTEGER || value->type == DCS_VALUE_REAL;
}

double dcs_value_real(const dcs_value *value) {
  if (value->type == DCS_VALUE_INTEGER) return (double)value->integer;
  return value->type == DCS_VALUE_REAL ? value->real : NAN;
}

bool dcs_value_is_true(const dcs_value *value) {
  switch (value->type) {
  case DCS_VALUE_INTEGER:
    return value->integer != 0;
  case DCS_VALUE_REAL:
    return value->real != 0;
  case DCS_VALUE_TEXT:
    return *value->text != '\0';
  default:
    return value->n > 0;
  }
}

bool dcs_same_value(const dcs_value *a, const dcs_value *b) {
  if (is_a_number(a) != is_a_number(b)) return false;
  if (a->type == DCS_VALUE_INTEGER && b->type == DCS_VALUE_INTEGER) return a->integer == b->integer;
  if (is_a_number(a)) return dcs_value_real(a) == dcs_value_real(b);
  if (a->type != b->type) return false;
  if (a->type == DCS_VALUE_TEXT) return strcmp(a->text, b->text) == 0;
  bool same = a->n == b->n;
  for (int i = 0; same && i < a->n; i++)
    same = dcs_same_value(&a->items[i], &b->items[i]);
  return same;
}

/* ---- what goes wrong ---- */

static dcs_status wrong(int column, const char *found, const char *expected) {
  return dcs_fail(DCS_INPUT, "column %d: found %s; expected %s", column, found, expected);
}

static dcs_status not_a_number(int column, const dcs_value *value) {
  return wrong(column, type_names[value->type], "a number");
}

static dcs_status too_large(int column) {
  return wrong(column, "a number beyond 64 bits", "a smaller one");
}

/* A real result: Python refuses the infinite ones, too. */
static dcs_status give_real(int column, double real, dcs_value *value) {
  *value = dcs_real_value(real);
  return isfinite(real) ? DCS_OK : wrong(column, "a value that is not finite", "a finite one");
}

static dcs_status give_integer(int column, bool overflows, int64_t integer, dcs_value *value) {
  *value = dcs_integer_value(integer);
  return overflows ? too_large(column) : DCS_OK;
}

/* A real number that is whole, as a whole one. */
static dcs_status give_whole(int column, double real, dcs_value *value) {
  if (!(fabs(real) < 0x1p63)) return too_large(column);
  *value = dcs_integer_value((int64_t)real);
  return DCS_OK;
}

/* ---- arithmetic ---- */

/* base ** exponent, exponent >= 0. */
static bool power_overflows(int64_t base, int64_t exponent, int64_t *result) {
  *result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 && __builtin_mul_overflow(*result, base, result)) return true;
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return true;
  }
  return false;
}

/* Rounded down, so that a == b * (a // b) + a % b with the sign of b. */
static dcs_status divide_integers(int column, dcs_operation does, int64_t a, int64_t b,
                                  dcs_value *value) {
  if (b == 0) return wrong(column, "a division by zero", "another divisor");
  if (b == -1 && does == DCS_DO_MODULO) return give_integer(column, false, 0, value);
  if (b == -1) {
    int64_t negative = 0;
    const bool overflows = __builtin_sub_overflow((int64_t)0, a, &negative);
    return give_integer(column, overflows, negative, value);
  }
  const int64_t rest = a % b, down = rest != 0 && (rest < 0) != (b < 0);
  return give_integer(column, false, does == DCS_DO_MODULO ? rest + down * b : a / b - down, value);
}

static dcs_status shift(int column, dcs_operation does, int64_t a, int64_t b, dcs_value *value) {
  if (b < 0) return wrong(column, "a shift by less than 0", "0 or more");
  if (does == DCS_DO_SHIFT_RIGHT) return give_integer(column, false, a >> (b > 63 ? 63 : b), value);
  int64_t factor, result = 0;
  if (a == 0) return give_integer(column, false, 0, value);
  const bool overflows =
      b > 62 || power_overflows(2, b, &factor) || __builtin_mul_overflow(a, factor, &result);
  return give_integer(column, overflows, result, value);
}

static dcs_status real_power(int column, double a, double b, dcs_value *value) {
  if (a == 0 && b < 0) return wrong(column, "0 to a power below 0", "another base");
  if (a < 0 && b != floor(b))
    return wrong(column, "a root of a number below 0", "a base from 0 on");
  return give_real(column, pow(a, b), value);
}

static dcs_status on_integers(int column, dcs_operation does, int64_t a, int64_t b,
                              dcs_value *value) {
  int64_t r = 0;
  bool overflows;
  switch (does) {
  case DCS_DO_ADD:
    overflows = __builtin_add_overflow(a, b, &r);
    return give_integer(column, overflows, r, value);
  case DCS_DO_SUBTRACT:
    overflows = __builtin_sub_overflow(a, b, &r);
    return give_integer(column, overflows, r, value);
  case DCS_DO_MULTIPLY:
    overflows = __builtin_mul_overflow(a, b, &r);
    return give_integer(column, overflows, r, value);
  case DCS_DO_FLOOR_DIVIDE:
  case DCS_DO_MODULO:
    return divide_integers(column, does, a, b, value);
  case DCS_DO_SHIFT_LEFT:
  case DCS_DO_SHIFT_RIGHT:
    return shift(column, does, a, b, value);
  case DCS_DO_BIT_OR:
    return give_integer(column, false, a | b, value);
  case DCS_DO_BIT_XOR:
    return give_integer(column, false, a ^ b, value);
  case DCS_DO_BIT_AND:
    return give_integer(column, false, a & b, value);
  default:
    if (b < 0) return real_power(column, (double)a, (double)b, value);
    overflows = power_overflows(a, b, &r);
    return give_integer(column, overflows, r, value);
  }
}

static dcs_status on_reals(int column, dcs_operation does, double a, double b, dcs_value *value) {
  const bool divides =
      does == DCS_DO_DIVIDE || does == DCS_DO_FLOOR_DIVIDE || does == DCS_DO_MODULO;
  if (divides && b == 0) return wrong(column, "a division by zero", "another divisor");
  double rest = divides ? fmod(a, b) : 0;
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  switch (does) {
  case DCS_DO_ADD:
    return give_real(column, a + b, value);
  case DCS_DO_SUBTRACT:
    return give_real(column, a - b, value);
  case DCS_DO_MULTIPLY:
    return give_real(column, a * b, value);
  case DCS_DO_DIVIDE:
    return give_real(column, a / b, value);
  case DCS_DO_MODULO:
    return give_real(column, rest, value);
  case DCS_DO_FLOOR_DIVIDE:
    return give_real(column, nearbyint((a - rest) / b), value);
  case DCS_DO_POWER:
    return real_power(column, a, b, value);
  default:
    return wrong(column, "a real number", "whole ones between bit operators");
  }
}

static dcs_status compute(int column, dcs_operation does, const dcs_value *a, const dcs_value *b,
                          dcs_value *value) {
  if (!is_a_number(a)) return not_a_number(column, a);
  if (!is_a_number(b)) return not_a_number(column, b);
  if (a->type == DCS_VALUE_INTEGER && b->type == DCS_VALUE_INTEGER && does != DCS_DO_DIVIDE)
    return on_integers(column, does, a->integer, b->integer, value);
  return on_reals(column, does, dcs_value_real(a), dcs_value_real(b), value);
}

/* ---- comparisons ---- */

/* Below 0, 0 or above it, as a is less, equal or greater. */
static dcs_status order(int column, const dcs_value *a, const dcs_value *b, int *sign) {
  if (a->type == DCS_VALUE_TEXT && b->type == DCS_VALUE_TEXT) {
    *sign = strcmp(a->text, b->text);
    return DCS_OK;
  }
  if (!is_a_number(a)) return not_a_number(column, a);
  if (!is_a_number(b)) return not_a_number(column, b);
  const double x = dcs_value_real(a), y = dcs_value_real(b);
  *sign = (x > y) - (x < y);
  if (a->type == DCS_VALUE_INTEGER && b->type == DCS_VALUE_INTEGER)
    *sign = (a->integer > b->integer) - (a->integer < b->integer);
  return DCS_OK;
}

static dcs_status is_in(int column, const dcs_value *a, const dcs_value *b, bool *holds) {
  *holds = false;
  if (a->type == DCS_VALUE_TEXT && b->type == DCS_VALUE_TEXT)
    *holds = strstr(b->text, a->text) != NULL;
  else if (b->type != DCS_VALUE_LIST)
    return wrong(column, type_names[b->type], "a list");
  for (int i = 0; b->type == DCS_VALUE_LIST && i < b->n && !*holds; i++)
    *holds = dcs_same_value(a, &b->items[i]);
  return DCS_OK;
}

static dcs_status compare(int column, dcs_operation does, const dcs_value *a, const dcs_value *b,
                          bool *holds) {
  int sign;
  if (does == DCS_DO_EQUAL || does == DCS_DO_DIFFER) {
    *holds = dcs_same_value(a, b) == (does == DCS_DO_EQUAL);
    return DCS_OK;
  }
  if (does == DCS_DO_IN || does == DCS_DO_NOT_IN) {
    DCS_TRY(is_in(column, a, b, holds));
    *holds = *holds == (does == DCS_DO_IN);
    return DCS_OK;
  }
  DCS_TRY(order(column, a, b, &sign));
  *holds = does == DCS_DO_LESS            ? sign < 0
           : does == DCS_DO_LESS_OR_EQUAL ? sign <= 0
           : does == DCS_DO_GREATER       ? sign > 0
                                          : sign >= 0;
  return DCS_OK;
}

static dcs_status evaluate_chain(evaluation *v, const dcs_node *node, dcs_value *value) {
  const dcs_node *nodes = v->e->nodes;
  dcs_value left, right;
  bool holds = true;
  DCS_TRY(evaluate(v, node->first, &left));
  for (int c = nodes[node->first].next; c >= 0 && holds; c = nodes[c].next) {
    DCS_TRY(evaluate(v, nodes[c].first, &right));
    DCS_TRY(compare(nodes[c].column, (dcs_operation)nodes[c].how, &left, &right, &holds));
    left = right;
  }
  *value = dcs_integer_value(holds);
  return DCS_OK;
}

/* ---- lists ---- */

/* Room for so many values; one more than none. */
static dcs_status take_items(evaluation *v, int column, int n, dcs_value **items) {
  v->n_items += n;
  if (v->n_items > MOST_ITEMS) return wrong(column, "more than 1000000 values in lists", "fewer");
  return dcs_room_take(v->room, items, (size_t)n + 1, sizeof **items, "values in a list");
}

static dcs_status evaluate_list(evaluation *v, const dcs_node *node, dcs_value *value) {
  const dcs_node *nodes = v->e->nodes;
  dcs_value *items;
  int n = 0;
  for (int c = node->first; c >= 0; c = nodes[c].next)
    n++;
  DCS_TRY(take_items(v, node->column, n, &items));
  n = 0;
  for (int c = node->first; c >= 0; c = nodes[c].next)
    DCS_TRY(evaluate(v, c, &items[n++]));
  *value = (dcs_value){.type = DCS_VALUE_LIST, .items = items, .n = n};
  return DCS_OK;
}

static dcs_status evaluate_loop(evaluation *v, const dcs_node *node, dcs_value *value) {
  const dcs_node *nodes = v->e->nodes;
  const int list = nodes[node->first].next, condition = nodes[list].next;
  dcs_value over, holds = dcs_integer_value(1), *items;
  dcs_value *own = &v->loops[node->place - v->e->n_names];
  int n = 0;
  DCS_TRY(evaluate(v, list, &over));
  if (over.type != DCS_VALUE_LIST) return wrong(node->column, type_names[over.type], "a list");
  DCS_TRY(take_items(v, node->column, over.n, &items));
  for (int i = 0; i < over.n; i++) {
    *own = over.items[i];
    if (condition >= 0) DCS_TRY(evaluate(v, condition, &holds));
    if (dcs_value_is_true(&holds)) DCS_TRY(evaluate(v, node->first, &items[n++]));
  }
  *value = (dcs_value){.type = DCS_VALUE_LIST, .items = items, .n = n};
  return DCS_OK;
}

/* ---- functions ---- */

typedef enum {
  MIN,
  MAX,
  ABS,
  INT,
  FLOAT,
  BOOL,
  ROUND,
  LEN,
  SUM,
  LIST,
  RANGE,
  POW,
  CEIL,
  FLOOR,
  SQRT,
  EXP,
  LOG,
  LOG2,
  SIN,
  COS,
  N_FUNCTIONS
} function;
static const struct {
  const char *name;
  int least, most;
} functions[N_FUNCTIONS] = {
    [MIN] = {"min", 1, INT_MAX}, [MAX] = {"max", 1, INT_MAX}, [ABS] = {"abs", 1, 1},
    [INT] = {"int", 1, 1},       [FLOAT] = {"float", 1, 1},   [BOOL] = {"bool", 1, 1},
    [ROUND] = {"round", 1, 1},   [LEN] = {"len", 1, 1},       [SUM] = {"sum", 1, 1},
    [LIST] = {"list", 1, 1},     [RANGE] = {"range", 1, 3},   [POW] = {"pow", 2, 2},
    [CEIL] = {"ceil", 1, 1},     [FLOOR] = {"floor", 1, 1},   [SQRT] = {"sqrt", 1, 1},
    [EXP] = {"exp", 1, 1},       [LOG] = {"log", 1, 1},       [LOG2] = {"log2", 1, 1},
    [SIN] = {"sin", 1, 1},       [COS] = {"cos", 1, 1}};

int dcs_find_function(const char *name, int *least, int *most) {
  const bool of_math = strncmp(name, "math.", 5) == 0;
  for (int f = of_math ? CEIL : 0; f < N_FUNCTIONS; f++)
    if (strcmp(functions[f].name, name + (of_math ? 5 : 0)) == 0) {
      *least = functions[f].least;
      *most = functions[f].most;
      return f;
    }
  return -1;
}

/* The least or greatest of several values, or of the values of one list. */
static dcs_status find_extreme(int column, bool greatest, const dcs_value *of, dcs_value *value) {
  int sign;
  if (of->n == 1 && of->items[0].type == DCS_VALUE_LIST) of = &of->items[0];
  if (of->n == 0) return wrong(column, "an empty list", "a value in it");
  *value = of->items[0];
  for (int i = 1; i < of->n; i++) {
    DCS_TRY(order(column, &of->items[i], value, &sign));
    if (greatest ? sign > 0 : sign < 0) *value = of->items[i];
  }
  return DCS_OK;
}

static dcs_status make_range(evaluation *v, int column, const dcs_value *of, dcs_value *value) {
  const dcs_value *a = of->items;
  dcs_value *items;
  for (int i = 0; i < of->n; i++)
    if (a[i].type != DCS_VALUE_INTEGER)
      return wrong(column, type_names[a[i].type], "whole numbers in range()");
  const int64_t from = of->n > 1 ? a[0].integer : 0, to = of->n > 1 ? a[1].integer : a[0].integer,
                step = of->n > 2 ? a[2].integer : 1;
  if (step == 0) return wrong(column, "a step of 0", "another");
  const double steps = ((double)to - (double)from) / (double)step;
  const int n = steps > 0 ? (int)fmin(ceil(steps), MOST_ITEMS + 1) : 0;
  DCS_TRY(take_items(v, column, n, &items));
  for (int i = 0; i < n; i++)
    items[i] = dcs_integer_value(from + i * step);
  *value = (dcs_value){.type = DCS_VALUE_LIST, .items = items, .n = n};
  return DCS_OK;
}

static dcs_status sum_up(int column, const dcs_value *list, dcs_value *value) {
  *value = dcs_integer_value(0);
  if (list->type != DCS_VALUE_LIST) return wrong(column, type_names[list->type], "a list");
  for (int i = 0; i < list->n; i++) {
    const dcs_value before = *value;
    DCS_TRY(compute(column, DCS_DO_ADD, &before, &list->items[i], value));
  }
  return DCS_OK;
}

/* Of one number. */
static dcs_status call_on_number(int column, function f, const dcs_value *a, dcs_value *value) {
  const double x = dcs_value_real(a);
  const bool whole = a->type == DCS_VALUE_INTEGER;
  if (!is_a_number(a)) return not_a_number(column, a);
  *value = *a;
  switch (f) {
  case ABS:
    if (!whole) return give_real(column, fabs(x), value);
    return a->integer < 0 ? on_integers(column, DCS_DO_SUBTRACT, 0, a->integer, value) : DCS_OK;
  case FLOAT:
    return give_real(column, x, value);
  case INT:
    return whole ? DCS_OK : give_whole(column, trunc(x), value);
  case ROUND:
    return whole ? DCS_OK : give_whole(column, nearbyint(x), value);
  case CEIL:
    return whole ? DCS_OK : give_whole(column, ceil(x), value);
  case FLOOR:
    return whole ? DCS_OK : give_whole(column, floor(x), value);
  case SQRT:
    return give_real(column, sqrt(x), value);
  case EXP:
    return give_real(column, exp(x), value);
  case LOG:
    return give_real(column, log(x), value);
  case LOG2:
    return give_real(column, log2(x), value);
  case SIN:
    return give_real(column, sin(x), value);
  default:
    return give_real(column, cos(x), value);
  }
}

static dcs_status call(evaluation *v, const dcs_node *node, dcs_value *value) {
  const function f = (function)node->how;
  const int column = node->column;
  dcs_value given;
  DCS_TRY(evaluate_list(v, node, &given));
  const dcs_value *a = given.items;
  switch (f) {
  case MIN:
  case MAX:
    return find_extreme(column, f == MAX, &given, value);
  case RANGE:
    return make_range(v, column, &given, value);
  case SUM:
    return sum_up(column, a, value);
  case POW:
    return compute(column, DCS_DO_POWER, &a[0], &a[1], value);
  case BOOL:
    *value = dcs_integer_value(dcs_value_is_true(a));
    return DCS_OK;
  case LIST:
    *value = *a;
    return a->type == DCS_VALUE_LIST ? DCS_OK : wrong(column, type_names[a->type], "a list");
  case LEN:
    *value = dcs_integer_value(a->type == DCS_VALUE_TEXT ? (int64_t)strlen(a->text) : a->n);
    return is_a_number(a) ? wrong(column, type_names[a->type], "a list") : DCS_OK;
  default:
    return call_on_number(column, f, a, value);
  }
}

/* ---- nodes ---- */

static dcs_status evaluate_sign(evaluation *v, const dcs_node *node, dcs_value *value) {
  dcs_value inner;
  DCS_TRY(evaluate(v, node->first, &inner));
  if (node->type == DCS_NODE_NOT) {
    *value = dcs_integer_value(!dcs_value_is_true(&inner));
    return DCS_OK;
  }
  if (!is_a_number(&inner)) return not_a_number(node->column, &inner);
  *value = inner;
  if (node->type == DCS_NODE_PLUS) return DCS_OK;
  if (inner.type == DCS_VALUE_REAL) {
    if (node->type == DCS_NODE_NEGATE) return give_real(node->column, -inner.real, value);
    return wrong(node->column, "a real number", "a whole one behind ~");
  }
  if (node->type == DCS_NODE_INVERT)
    return give_integer(node->column, false, ~inner.integer, value);
  return on_integers(node->column, DCS_DO_SUBTRACT, 0, inner.integer, value);
}

/* or, and: the value of the side that decides; if: of the one that is chosen. */
static dcs_status evaluate_choice(evaluation *v, const dcs_node *node, dcs_value *value) {
  const dcs_node *nodes = v->e->nodes;
  const int second = nodes[node->first].next;
  dcs_value first;
  DCS_TRY(evaluate(v, node->first, &first));
  const bool is_true = dcs_value_is_true(&first);
  if (node->type == DCS_NODE_IF) return evaluate(v, is_true ? second : nodes[second].next, value);
  if (is_true == (node->type == DCS_NODE_AND)) return evaluate(v, second, value);
  *value = first;
  return DCS_OK;
}

static dcs_status evaluate(evaluation *v, int index, dcs_value *value) {
  const dcs_node *node = &v->e->nodes[index];
  dcs_value a, b;
  switch (node->type) {
  case DCS_NODE_VALUE:
    *value = node->value;
    return DCS_OK;
  case DCS_NODE_NAME:
    *value = node->place < v->e->n_names ? v->values[node->place]
                                         : v->loops[node->place - v->e->n_names];
    return DCS_OK;
  case DCS_NODE_LIST:
    return evaluate_list(v, node, value);
  case DCS_NODE_FOR:
    return evaluate_loop(v, node, value);
  case DCS_NODE_CALL:
    return call(v, node, value);
  case DCS_NODE_AND:
  case DCS_NODE_OR:
  case DCS_NODE_IF:
    return evaluate_choice(v, node, value);
  case DCS_NODE_COMPARE:
    return evaluate_chain(v, node, value);
  case DCS_NODE_BINARY:
    DCS_TRY(evaluate(v, node->first, &a));
    DCS_TRY(evaluate(v, v->e->nodes[node->first].next, &b));
    return compute(node->column, (dcs_operation)node->how, &a, &b, value);
  default:
    return evaluate_sign(v, node, value);
  }
}

dcs_status dcs_expression_value(const dcs_expression *expression, const dcs_value *values,
                                dcs_room *room, dcs_value *value) {
  evaluation v = {.e = expression, .values = values, .room = room};
  return evaluate(&v, expression->root, value);
}
