/* From the text of an expression to its tree: nodes and operators. */
#include "harness/spec/parser.h"

#include <stdlib.h>

enum { MOST_NODES = 4096, DEEPEST = 64 };

/* ---- nodes ---- */

dcs_status dcs_add_node(dcs_parser *p, dcs_node_type type, int column, int *node) {
  if (p->e->n == MOST_NODES)
    return dcs_fail(DCS_INPUT, "column %d: found more than %d parts; expected fewer", column,
                    MOST_NODES);
  DCS_TRY(dcs_grow(&p->e->nodes, (size_t)p->e->n, sizeof *p->e->nodes, "an expression"));
  *node = p->e->n++;
  p->e->nodes[*node] =
      (dcs_node){.type = type, .column = column, .first = DCS_NO_NODE, .next = DCS_NO_NODE};
  return DCS_OK;
}

void dcs_adopt_node(dcs_parser *p, int parent, int child) {
  int *at = &p->e->nodes[parent].first;
  while (*at != DCS_NO_NODE)
    at = &p->e->nodes[*at].next;
  *at = child;
}

dcs_status dcs_add_above(dcs_parser *p, dcs_node_type type, int column, const int *children, int n,
                         int *node) {
  DCS_TRY(dcs_add_node(p, type, column, node));
  for (int c = 0; c < n; c++)
    dcs_adopt_node(p, *node, children[c]);
  return DCS_OK;
}

/* ---- operators, from those that bind most to those that bind least ---- */

static dcs_status parse_factor(dcs_parser *p, int *node);

static dcs_status parse_power(dcs_parser *p, int *node) {
  int base = DCS_NO_NODE, exponent;
  DCS_TRY(dcs_parse_operand(p, &base));
  const int column = dcs_column_of(p);
  *node = base;
  if (!dcs_take_token(p, "**")) return DCS_OK;
  DCS_TRY(parse_factor(p, &exponent));
  DCS_TRY(dcs_add_above(p, DCS_NODE_BINARY, column, (int[]){base, exponent}, 2, node));
  p->e->nodes[*node].how = DCS_DO_POWER;
  return DCS_OK;
}

static dcs_status deeper(dcs_parser *p) {
  if (++p->depth <= DEEPEST) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "column %d: found more than %d parts within each other; expected fewer",
                  dcs_column_of(p), DEEPEST);
}

static dcs_status parse_factor(dcs_parser *p, int *node) {
  static const struct {
    const char *token;
    dcs_node_type type;
  } signs[] = {{"-", DCS_NODE_NEGATE}, {"+", DCS_NODE_PLUS}, {"~", DCS_NODE_INVERT}};
  const int column = dcs_column_of(p);
  for (int s = 0; s < 3; s++) {
    int inner;
    if (!dcs_take_token(p, signs[s].token)) continue;
    DCS_TRY(deeper(p));
    DCS_TRY(parse_factor(p, &inner));
    p->depth--;
    return dcs_add_above(p, signs[s].type, column, &inner, 1, node);
  }
  return parse_power(p, node);
}

static const struct {
  const char *token;
  dcs_operation does;
  int level;
} binary[] = {
    {"|", DCS_DO_BIT_OR, 0},        {"^", DCS_DO_BIT_XOR, 1},      {"&", DCS_DO_BIT_AND, 2},
    {"<<", DCS_DO_SHIFT_LEFT, 3},   {">>", DCS_DO_SHIFT_RIGHT, 3}, {"+", DCS_DO_ADD, 4},
    {"-", DCS_DO_SUBTRACT, 4},      {"*", DCS_DO_MULTIPLY, 5},     {"/", DCS_DO_DIVIDE, 5},
    {"//", DCS_DO_FLOOR_DIVIDE, 5}, {"%", DCS_DO_MODULO, 5}};
enum { N_BINARY = sizeof binary / sizeof binary[0], N_LEVELS = 6 };

static int binary_next(const dcs_parser *p, int level) {
  for (int b = 0; b < N_BINARY; b++)
    if (binary[b].level == level && dcs_is_token(p, binary[b].token)) return b;
  return -1;
}

static dcs_status parse_level(dcs_parser *p, int level, int *node) {
  int b;
  if (level == N_LEVELS) return parse_factor(p, node);
  DCS_TRY(parse_level(p, level + 1, node));
  while ((b = binary_next(p, level)) >= 0) {
    const int column = dcs_column_of(p);
    int sides[2] = {*node};
    dcs_pass_token(p);
    DCS_TRY(parse_level(p, level + 1, &sides[1]));
    DCS_TRY(dcs_add_above(p, DCS_NODE_BINARY, column, sides, 2, node));
    p->e->nodes[*node].how = (int)binary[b].does;
  }
  return DCS_OK;
}

/* Takes a comparison; false: none is next. */
static bool take_comparison(dcs_parser *p, dcs_operation *does) {
  static const struct {
    const char *token;
    dcs_operation does;
  } list[] = {{"<=", DCS_DO_LESS_OR_EQUAL},
              {"<", DCS_DO_LESS},
              {"==", DCS_DO_EQUAL},
              {">=", DCS_DO_GREATER_OR_EQUAL},
              {">", DCS_DO_GREATER},
              {"!=", DCS_DO_DIFFER},
              {"in", DCS_DO_IN}};
  dcs_parser ahead = *p;
  for (int c = 0; c < 7; c++)
    if (dcs_take_token(p, list[c].token)) {
      *does = list[c].does;
      return true;
    }
  *does = DCS_DO_NOT_IN;
  if (!dcs_take_token(&ahead, "not") || !dcs_take_token(&ahead, "in")) return false;
  *p = ahead;
  return true;
}

/* a < b <= c: the first, then a node for each comparison with what follows. */
static dcs_status parse_comparison(dcs_parser *p, int *node) {
  dcs_operation does;
  int first = DCS_NO_NODE, column;
  DCS_TRY(parse_level(p, 0, &first));
  *node = first;
  while (column = dcs_column_of(p), take_comparison(p, &does)) {
    int other, with;
    if (*node == first) DCS_TRY(dcs_add_above(p, DCS_NODE_COMPARE, column, &first, 1, node));
    DCS_TRY(parse_level(p, 0, &other));
    DCS_TRY(dcs_add_above(p, DCS_NODE_COMPARED, column, &other, 1, &with));
    p->e->nodes[with].how = (int)does;
    dcs_adopt_node(p, *node, with);
  }
  return DCS_OK;
}

static dcs_status parse_not(dcs_parser *p, int *node) {
  const int column = dcs_column_of(p);
  int inner;
  if (!dcs_take_token(p, "not")) return parse_comparison(p, node);
  DCS_TRY(deeper(p));
  DCS_TRY(parse_not(p, &inner));
  p->depth--;
  return dcs_add_above(p, DCS_NODE_NOT, column, &inner, 1, node);
}

static dcs_status parse_and(dcs_parser *p, int *node) {
  DCS_TRY(parse_not(p, node));
  for (int column = dcs_column_of(p); dcs_take_token(p, "and"); column = dcs_column_of(p)) {
    int sides[2] = {*node};
    DCS_TRY(parse_not(p, &sides[1]));
    DCS_TRY(dcs_add_above(p, DCS_NODE_AND, column, sides, 2, node));
  }
  return DCS_OK;
}

dcs_status dcs_parse_or(dcs_parser *p, int *node) {
  DCS_TRY(parse_and(p, node));
  for (int column = dcs_column_of(p); dcs_take_token(p, "or"); column = dcs_column_of(p)) {
    int sides[2] = {*node};
    DCS_TRY(parse_and(p, &sides[1]));
    DCS_TRY(dcs_add_above(p, DCS_NODE_OR, column, sides, 2, node));
  }
  return DCS_OK;
}

dcs_status dcs_parse_choice(dcs_parser *p, int *node) {
  int value = DCS_NO_NODE, condition, other;
  DCS_TRY(deeper(p));
  DCS_TRY(dcs_parse_or(p, &value));
  const int column = dcs_column_of(p);
  *node = value;
  if (dcs_take_token(p, "if")) {
    DCS_TRY(dcs_parse_or(p, &condition));
    DCS_TRY(dcs_expect_token(p, "else"));
    DCS_TRY(dcs_parse_choice(p, &other));
    DCS_TRY(dcs_add_above(p, DCS_NODE_IF, column, (int[]){condition, value, other}, 3, node));
  }
  p->depth--;
  return DCS_OK;
}

/* ---- the whole ---- */

static dcs_status parse_whole(dcs_parser *p) {
  dcs_find_token(p);
  DCS_TRY(dcs_parse_choice(p, &p->e->root));
  return p->length == 0 ? DCS_OK : dcs_wrong_token(p, "an operator, or the end");
}

dcs_status dcs_expression_parse(const char *text, const char *const *names, int n_names,
                                dcs_expression **expression) {
  dcs_parser p = {.text = text, .at = text, .n_names = n_names};
  if (n_names > DCS_MOST_NAMES)
    return dcs_fail(DCS_INPUT, "found %d names; expected at most %d", n_names, DCS_MOST_NAMES);
  for (int n = 0; n < n_names; n++)
    p.names[n] = names[n];
  p.e = calloc(1, sizeof *p.e);
  if (!p.e) return dcs_fail(DCS_UNAVAILABLE, "no memory for an expression");
  p.e->n_names = n_names;
  const dcs_status status = parse_whole(&p);
  if (status == DCS_OK)
    *expression = p.e;
  else
    dcs_expression_free(p.e);
  return status;
}

void dcs_expression_free(dcs_expression *expression) {
  if (!expression) return;
  dcs_room_free(&expression->room);
  free(expression->nodes);
  free(expression);
}
