/* The value of an expression: nodes, lists and functions. */
#include "harness/spec/arithmetic.h"

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

static dcs_status evaluate(evaluation *v, int node, dcs_value *value);

/* ---- comparisons in a chain ---- */

static dcs_status evaluate_chain(evaluation *v, const dcs_node *node, dcs_value *value) {
  const dcs_node *nodes = v->e->nodes;
  dcs_value left, right;
  bool holds = true;
  DCS_TRY(evaluate(v, node->first, &left));
  for (int c = nodes[node->first].next; c >= 0 && holds; c = nodes[c].next) {
    DCS_TRY(evaluate(v, nodes[c].first, &right));
    DCS_TRY(
        dcs_compare_values(nodes[c].column, (dcs_operation)nodes[c].how, &left, &right, &holds));
    left = right;
  }
  *value = dcs_integer_value(holds);
  return DCS_OK;
}

/* ---- lists ---- */

/* Room for so many values; one more than none. */
static dcs_status take_items(evaluation *v, int column, int n, dcs_value **items) {
  DCS_TRY(dcs_room_take(v->room, items, (size_t)n + 1, sizeof **items, "values in a list"));
  v->n_items += n;
  if (v->n_items <= MOST_ITEMS) return DCS_OK;
  return dcs_no_value(column, "more than 1000000 values in lists", "fewer");
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
  if (over.type != DCS_VALUE_LIST) return dcs_wrong_type(node->column, &over, "a list");
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
  if (of->n == 0) return dcs_no_value(column, "an empty list", "a value in it");
  *value = of->items[0];
  for (int i = 1; i < of->n; i++) {
    DCS_TRY(dcs_order_values(column, &of->items[i], value, &sign));
    if (greatest ? sign > 0 : sign < 0) *value = of->items[i];
  }
  return DCS_OK;
}

static dcs_status make_range(evaluation *v, int column, const dcs_value *of, dcs_value *value) {
  const dcs_value *a = of->items;
  dcs_value *items;
  for (int i = 0; i < of->n; i++)
    if (a[i].type != DCS_VALUE_INTEGER)
      return dcs_wrong_type(column, &a[i], "whole numbers in range()");
  const int64_t from = of->n > 1 ? a[0].integer : 0, to = of->n > 1 ? a[1].integer : a[0].integer,
                step = of->n > 2 ? a[2].integer : 1;
  if (step == 0) return dcs_no_value(column, "a step of 0", "another");
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
  if (list->type != DCS_VALUE_LIST) return dcs_wrong_type(column, list, "a list");
  for (int i = 0; i < list->n; i++) {
    const dcs_value before = *value;
    DCS_TRY(dcs_operate(column, DCS_DO_ADD, &before, &list->items[i], value));
  }
  return DCS_OK;
}

/* Of one number. */
static dcs_status call_on_number(int column, function f, const dcs_value *a, dcs_value *value) {
  const double x = dcs_value_real(a);
  const bool whole = a->type == DCS_VALUE_INTEGER;
  if (!dcs_is_number(a)) return dcs_wrong_type(column, a, "a number");
  *value = *a;
  switch (f) {
  case ABS:
    if (!whole) return dcs_give_real(column, fabs(x), value);
    return a->integer < 0 ? dcs_negate(column, a->integer, value) : DCS_OK;
  case FLOAT:
    return dcs_give_real(column, x, value);
  case INT:
    return whole ? DCS_OK : dcs_give_whole(column, trunc(x), value);
  case ROUND:
    return whole ? DCS_OK : dcs_give_whole(column, nearbyint(x), value);
  case CEIL:
    return whole ? DCS_OK : dcs_give_whole(column, ceil(x), value);
  case FLOOR:
    return whole ? DCS_OK : dcs_give_whole(column, floor(x), value);
  case SQRT:
    return dcs_give_real(column, sqrt(x), value);
  case EXP:
    return dcs_give_real(column, exp(x), value);
  case LOG:
    return dcs_give_real(column, log(x), value);
  case LOG2:
    return dcs_give_real(column, log2(x), value);
  case SIN:
    return dcs_give_real(column, sin(x), value);
  default:
    return dcs_give_real(column, cos(x), value);
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
    return dcs_operate(column, DCS_DO_POWER, &a[0], &a[1], value);
  case BOOL:
    *value = dcs_integer_value(dcs_value_is_true(a));
    return DCS_OK;
  case LIST:
    *value = *a;
    return a->type == DCS_VALUE_LIST ? DCS_OK : dcs_wrong_type(column, a, "a list");
  case LEN:
    *value = dcs_integer_value(a->type == DCS_VALUE_TEXT ? (int64_t)strlen(a->text) : a->n);
    return dcs_is_number(a) ? dcs_wrong_type(column, a, "a list") : DCS_OK;
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
  if (!dcs_is_number(&inner)) return dcs_wrong_type(node->column, &inner, "a number");
  *value = inner;
  if (node->type == DCS_NODE_PLUS) return DCS_OK;
  if (inner.type == DCS_VALUE_REAL) {
    if (node->type == DCS_NODE_NEGATE) return dcs_give_real(node->column, -inner.real, value);
    return dcs_no_value(node->column, "a real number", "a whole one behind ~");
  }
  *value = dcs_integer_value(~inner.integer);
  return node->type == DCS_NODE_INVERT ? DCS_OK : dcs_negate(node->column, inner.integer, value);
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
    return dcs_operate(node->column, (dcs_operation)node->how, &a, &b, value);
  default:
    return evaluate_sign(v, node, value);
  }
}

dcs_status dcs_expression_value(const dcs_expression *expression, const dcs_value *values,
                                dcs_room *room, dcs_value *value) {
  evaluation v = {.e = expression, .values = values, .room = room};
  return evaluate(&v, expression->root, value);
}
