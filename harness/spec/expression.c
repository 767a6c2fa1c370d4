/* From the text of an expression to its tree. */
#include "harness/spec/expression_tree.h"

#include "harness/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 4096, DEEPEST = 64, WORD = 64, NO_NODE = -1 };

typedef struct {
  const char *text, *at; /* at: the token that is next */
  size_t length;         /* of that token; 0: the end */
  int depth;
  const char *names[DCS_MOST_NAMES + DCS_MOST_LOOPS]; /* of loops behind the others */
  int n_names;
  dcs_expression *e;
} parser;

/* ---- tokens ---- */

static bool is_word(const char *at) {
  return isalpha((unsigned char)*at) || *at == '_';
}

static bool is_number(const char *at) {
  return isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]));
}

static size_t word_length(const char *at) {
  size_t n = 0;
  while (isalnum((unsigned char)at[n]) || at[n] == '_' || (at[n] == '.' && is_word(at + n + 1)))
    n++;
  return n;
}

static size_t number_length(const char *at) {
  size_t n = 0;
  if (*at == '0' && (at[1] == 'x' || at[1] == 'X'))
    return 2 + strspn(at + 2, "0123456789abcdefABCDEF");
  while (isdigit((unsigned char)at[n]) || at[n] == '.')
    n++;
  if (n > 0 && (at[n] == 'e' || at[n] == 'E')) {
    const size_t sign = at[n + 1] == '+' || at[n + 1] == '-';
    if (isdigit((unsigned char)at[n + 1 + sign])) n += 1 + sign;
    while (isdigit((unsigned char)at[n]))
      n++;
  }
  return n;
}

/* The length of a quoted text with its quotes; 0: it has no end, or an escape, which none needs. */
static size_t quoted_length(const char *at) {
  const char marks[] = {*at, '\\', '\n', '\0'};
  const size_t n = 1 + strcspn(at + 1, marks);
  return at[n] == *at ? n + 1 : 0;
}

static size_t sign_length(const char *at) {
  static const char *const two[] = {"**", "//", "<<", ">>", "<=", ">=", "==", "!="};
  for (size_t i = 0; i < sizeof two / sizeof two[0]; i++)
    if (strncmp(at, two[i], 2) == 0) return 2;
  return *at != '\0';
}

static void find_token(parser *p) {
  p->at += strspn(p->at, " \t\r\n");
  if (is_word(p->at))
    p->length = word_length(p->at);
  else if (is_number(p->at))
    p->length = number_length(p->at);
  else if (*p->at == '"' || *p->at == '\'')
    p->length = quoted_length(p->at) ? quoted_length(p->at) : 1;
  else
    p->length = sign_length(p->at);
}

static void go_on(parser *p) {
  p->at += p->length;
  find_token(p);
}

static bool is_next(const parser *p, const char *token) {
  return strlen(token) == p->length && strncmp(p->at, token, p->length) == 0;
}

static bool take(parser *p, const char *token) {
  if (!is_next(p, token)) return false;
  go_on(p);
  return true;
}

static int column_of(const parser *p) {
  return 1 + (int)(p->at - p->text);
}

static dcs_status wrong(const parser *p, const char *expected) {
  const int shown = p->length < 40 ? (int)p->length : 40;
  if (p->length == 0)
    return dcs_fail(DCS_INPUT, "column %d: found the end; expected %s", column_of(p), expected);
  return dcs_fail(DCS_INPUT, "column %d: found \"%.*s\"; expected %s", column_of(p), shown, p->at,
                  expected);
}

/* ---- nodes ---- */

static dcs_status add_node(parser *p, dcs_node_type type, int column, int *node) {
  if (p->e->n == MOST_NODES)
    return dcs_fail(DCS_INPUT, "column %d: found more than %d parts; expected fewer", column,
                    MOST_NODES);
  DCS_TRY(dcs_grow(&p->e->nodes, (size_t)p->e->n, sizeof *p->e->nodes, "an expression"));
  *node = p->e->n++;
  p->e->nodes[*node] =
      (dcs_node){.type = type, .column = column, .first = NO_NODE, .next = NO_NODE};
  return DCS_OK;
}

/* Puts a node behind the other children. */
static void adopt(parser *p, int parent, int child) {
  int *at = &p->e->nodes[parent].first;
  while (*at != NO_NODE)
    at = &p->e->nodes[*at].next;
  *at = child;
}

/* A node above one to three others. */
static dcs_status add_above(parser *p, dcs_node_type type, int column, const int *children, int n,
                            int *node) {
  DCS_TRY(add_node(p, type, column, node));
  for (int c = 0; c < n; c++)
    adopt(p, *node, children[c]);
  return DCS_OK;
}

/* ---- atoms ---- */

static dcs_status parse_expression(parser *p, int *node);
static dcs_status parse_or(parser *p, int *node);

static dcs_status expect(parser *p, const char *token) {
  char expected[16];
  snprintf(expected, sizeof expected, "\"%s\"", token);
  return take(p, token) ? DCS_OK : wrong(p, expected);
}

static dcs_status take_number(parser *p, int *node) {
  char text[WORD], *end;
  if (p->length >= sizeof text) return wrong(p, "a number of fewer digits");
  snprintf(text, sizeof text, "%.*s", (int)p->length, p->at);
  const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  DCS_TRY(add_node(p, DCS_NODE_VALUE, column_of(p), node));
  dcs_value *value = &p->e->nodes[*node].value;
  errno = 0;
  if (hex || !strpbrk(text, ".eE"))
    *value = dcs_integer_value(strtoll(text, &end, hex ? 16 : 10));
  else
    *value = dcs_real_value(strtod(text, &end));
  if (*end || (hex && p->length == 2)) return wrong(p, "a number");
  if (errno == ERANGE && value->type == DCS_VALUE_INTEGER) return wrong(p, "a number of 64 bits");
  if (!hex && text[0] == '0' && value->type == DCS_VALUE_INTEGER && value->integer != 0)
    return wrong(p, "a number without 0 before it");
  const char behind = p->at[p->length];
  go_on(p);
  return isalpha((unsigned char)behind) || behind == '_' ? wrong(p, "an operator") : DCS_OK;
}

static dcs_status take_text(parser *p, int *node) {
  char *text;
  if (p->length < 2) return wrong(p, "a text with its closing quote, without \\");
  DCS_TRY(add_node(p, DCS_NODE_VALUE, column_of(p), node));
  DCS_TRY(dcs_room_take(&p->e->room, &text, p->length - 1, 1, "a text"));
  memcpy(text, p->at + 1, p->length - 2);
  p->e->nodes[*node].value = dcs_text_value(text);
  go_on(p);
  return DCS_OK;
}

static dcs_status unknown_name(const parser *p, const char *word) {
  char hint[DCS_TEXT];
  return dcs_fail(DCS_INPUT, "column %d: found \"%s\"; expected the name of a parameter%s",
                  column_of(p), word, dcs_did_you_mean(word, p->names, p->n_names, hint));
}

/* The latest of that name: a loop's before one outside of it. */
static dcs_status take_name(parser *p, const char *word, int *node) {
  int place = p->n_names - 1;
  while (place >= 0 && strcmp(p->names[place], word) != 0)
    place--;
  if (place < 0 && strcmp(word, "True") != 0 && strcmp(word, "False") != 0)
    return unknown_name(p, word);
  DCS_TRY(add_node(p, place < 0 ? DCS_NODE_VALUE : DCS_NODE_NAME, column_of(p), node));
  p->e->nodes[*node].place = place;
  p->e->nodes[*node].value = dcs_integer_value(word[0] == 'T');
  go_on(p);
  return DCS_OK;
}

/* Up to the closing token, which is taken. */
static dcs_status take_arguments(parser *p, int parent, const char *closing, int *n) {
  for (*n = 0; !take(p, closing); ++*n) {
    int child;
    if (*n > 0) {
      DCS_TRY(expect(p, ","));
      if (take(p, closing)) return DCS_OK;
    }
    DCS_TRY(parse_expression(p, &child));
    adopt(p, parent, child);
  }
  return DCS_OK;
}

static dcs_status take_call(parser *p, const char *word, int *node) {
  int least, most, n;
  const int function = dcs_find_function(word, &least, &most), column = column_of(p);
  if (function < 0) return wrong(p, "a function such as min, max, abs, int, float, range or list");
  DCS_TRY(add_node(p, DCS_NODE_CALL, column, node));
  p->e->nodes[*node].how = function;
  go_on(p);
  DCS_TRY(expect(p, "("));
  DCS_TRY(take_arguments(p, *node, ")", &n));
  if (n >= least && n <= most) return DCS_OK;
  return dcs_fail(DCS_INPUT, "column %d: found %s with %d argument%s; expected %d%s", column, word,
                  n, n == 1 ? "" : "s", least, most > least ? " or more" : "");
}

static bool is_keyword(const char *word) {
  static const char *const words[] = {"and", "or",  "not", "if",    "else",
                                      "in",  "for", "is",  "lambda"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(word, words[i]) == 0) return true;
  return false;
}

static dcs_status take_word(parser *p, int *node) {
  char word[WORD];
  if (p->length >= sizeof word) return wrong(p, "a name of at most 63 characters");
  snprintf(word, sizeof word, "%.*s", (int)p->length, p->at);
  if (is_keyword(word)) return wrong(p, "a value");
  const char *behind = p->at + p->length + strspn(p->at + p->length, " \t\r\n");
  return *behind == '(' ? take_call(p, word, node) : take_name(p, word, node);
}

/* Behind [ comes the first element already: of it and a loop, or a list. The element was read with
 * the loop's name unknown, so it is read again. */
static dcs_status take_loop(parser *p, const char *element, int column, int *node) {
  static const char expected[] = "a name for the values of the list, one loop in 3 others at most";
  int list, condition = NO_NODE, value;
  char word[WORD], *name;
  if (!is_word(p->at) || p->length >= sizeof word) return wrong(p, expected);
  snprintf(word, sizeof word, "%.*s", (int)p->length, p->at);
  const int loops = p->n_names - p->e->n_names;
  if (is_keyword(word) || loops == DCS_MOST_LOOPS) return wrong(p, expected);
  go_on(p);
  DCS_TRY(expect(p, "in"));
  DCS_TRY(parse_or(p, &list));
  DCS_TRY(dcs_room_take(&p->e->room, &name, strlen(word) + 1, 1, "a name"));
  memcpy(name, word, strlen(word) + 1);
  p->names[p->n_names++] = name;
  if (take(p, "if")) DCS_TRY(parse_or(p, &condition));
  DCS_TRY(expect(p, "]"));
  const char *end = p->at;
  p->at = element;
  find_token(p);
  DCS_TRY(parse_expression(p, &value));
  p->n_names--;
  p->at = end;
  find_token(p);
  DCS_TRY(add_above(p, DCS_NODE_FOR, column, (int[]){value, list}, 2, node));
  if (condition != NO_NODE) adopt(p, *node, condition);
  p->e->nodes[*node].place = p->n_names;
  return DCS_OK;
}

/* Where the word `for` of a loop stands, at the depth of the brackets that opened just now; NULL:
 * it is a list. */
static const char *find_loop(const parser *p) {
  parser ahead = *p;
  for (int depth = 0; ahead.length > 0; go_on(&ahead)) {
    if (depth == 0 && is_next(&ahead, "for")) return ahead.at;
    if (ahead.length == 1 && strchr("([", *ahead.at)) depth++;
    if (ahead.length == 1 && strchr(")]", *ahead.at) && depth-- == 0) return NULL;
  }
  return NULL;
}

static dcs_status take_list(parser *p, int *node) {
  const int column = column_of(p);
  int n;
  go_on(p);
  const char *element = p->at, *loop = find_loop(p);
  if (!loop) {
    DCS_TRY(add_node(p, DCS_NODE_LIST, column, node));
    return take_arguments(p, *node, "]", &n);
  }
  p->at = loop + strlen("for");
  find_token(p);
  return take_loop(p, element, column, node);
}

/* A tuple is a list here. */
static dcs_status take_group(parser *p, int *node) {
  const int column = column_of(p);
  int inner, n;
  go_on(p);
  DCS_TRY(parse_expression(p, &inner));
  if (!is_next(p, ",")) {
    *node = inner;
    return expect(p, ")");
  }
  DCS_TRY(add_above(p, DCS_NODE_LIST, column, &inner, 1, node));
  go_on(p);
  return take_arguments(p, *node, ")", &n);
}

static dcs_status parse_atom(parser *p, int *node) {
  if (is_word(p->at)) return take_word(p, node);
  if (is_number(p->at)) return take_number(p, node);
  if (*p->at == '"' || *p->at == '\'') return take_text(p, node);
  if (is_next(p, "[")) return take_list(p, node);
  if (is_next(p, "(")) return take_group(p, node);
  return wrong(p, "a value");
}

/* ---- operators, from those that bind most to those that bind least ---- */

static dcs_status parse_factor(parser *p, int *node);

static dcs_status parse_power(parser *p, int *node) {
  int base = NO_NODE, exponent;
  DCS_TRY(parse_atom(p, &base));
  const int column = column_of(p);
  *node = base;
  if (!take(p, "**")) return DCS_OK;
  DCS_TRY(parse_factor(p, &exponent));
  DCS_TRY(add_above(p, DCS_NODE_BINARY, column, (int[]){base, exponent}, 2, node));
  p->e->nodes[*node].how = DCS_DO_POWER;
  return DCS_OK;
}

static dcs_status deeper(parser *p) {
  if (++p->depth <= DEEPEST) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "column %d: found more than %d parts within each other; expected fewer",
                  column_of(p), DEEPEST);
}

static dcs_status parse_factor(parser *p, int *node) {
  static const struct {
    const char *token;
    dcs_node_type type;
  } signs[] = {{"-", DCS_NODE_NEGATE}, {"+", DCS_NODE_PLUS}, {"~", DCS_NODE_INVERT}};
  const int column = column_of(p);
  for (int s = 0; s < 3; s++) {
    int inner;
    if (!take(p, signs[s].token)) continue;
    DCS_TRY(deeper(p));
    DCS_TRY(parse_factor(p, &inner));
    p->depth--;
    return add_above(p, signs[s].type, column, &inner, 1, node);
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

static int binary_next(const parser *p, int level) {
  for (int b = 0; b < N_BINARY; b++)
    if (binary[b].level == level && is_next(p, binary[b].token)) return b;
  return -1;
}

static dcs_status parse_level(parser *p, int level, int *node) {
  int b;
  if (level == N_LEVELS) return parse_factor(p, node);
  DCS_TRY(parse_level(p, level + 1, node));
  while ((b = binary_next(p, level)) >= 0) {
    const int column = column_of(p);
    int sides[2] = {*node};
    go_on(p);
    DCS_TRY(parse_level(p, level + 1, &sides[1]));
    DCS_TRY(add_above(p, DCS_NODE_BINARY, column, sides, 2, node));
    p->e->nodes[*node].how = (int)binary[b].does;
  }
  return DCS_OK;
}

/* Takes a comparison; false: none is next. */
static bool take_comparison(parser *p, dcs_operation *does) {
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
  parser ahead = *p;
  for (int c = 0; c < 7; c++)
    if (take(p, list[c].token)) {
      *does = list[c].does;
      return true;
    }
  *does = DCS_DO_NOT_IN;
  if (!take(&ahead, "not") || !take(&ahead, "in")) return false;
  *p = ahead;
  return true;
}

/* a < b <= c: the first, then a node for each comparison with what follows. */
static dcs_status parse_comparison(parser *p, int *node) {
  dcs_operation does;
  int first = NO_NODE, column;
  DCS_TRY(parse_level(p, 0, &first));
  *node = first;
  while (column = column_of(p), take_comparison(p, &does)) {
    int other, with;
    if (*node == first) DCS_TRY(add_above(p, DCS_NODE_COMPARE, column, &first, 1, node));
    DCS_TRY(parse_level(p, 0, &other));
    DCS_TRY(add_above(p, DCS_NODE_COMPARED, column, &other, 1, &with));
    p->e->nodes[with].how = (int)does;
    adopt(p, *node, with);
  }
  return DCS_OK;
}

static dcs_status parse_not(parser *p, int *node) {
  const int column = column_of(p);
  int inner;
  if (!take(p, "not")) return parse_comparison(p, node);
  DCS_TRY(deeper(p));
  DCS_TRY(parse_not(p, &inner));
  p->depth--;
  return add_above(p, DCS_NODE_NOT, column, &inner, 1, node);
}

static dcs_status parse_and(parser *p, int *node) {
  DCS_TRY(parse_not(p, node));
  for (int column = column_of(p); take(p, "and"); column = column_of(p)) {
    int sides[2] = {*node};
    DCS_TRY(parse_not(p, &sides[1]));
    DCS_TRY(add_above(p, DCS_NODE_AND, column, sides, 2, node));
  }
  return DCS_OK;
}

static dcs_status parse_or(parser *p, int *node) {
  DCS_TRY(parse_and(p, node));
  for (int column = column_of(p); take(p, "or"); column = column_of(p)) {
    int sides[2] = {*node};
    DCS_TRY(parse_and(p, &sides[1]));
    DCS_TRY(add_above(p, DCS_NODE_OR, column, sides, 2, node));
  }
  return DCS_OK;
}

/* value if condition else other */
static dcs_status parse_expression(parser *p, int *node) {
  int value = NO_NODE, condition, other;
  DCS_TRY(deeper(p));
  DCS_TRY(parse_or(p, &value));
  const int column = column_of(p);
  *node = value;
  if (take(p, "if")) {
    DCS_TRY(parse_or(p, &condition));
    DCS_TRY(expect(p, "else"));
    DCS_TRY(parse_expression(p, &other));
    DCS_TRY(add_above(p, DCS_NODE_IF, column, (int[]){condition, value, other}, 3, node));
  }
  p->depth--;
  return DCS_OK;
}

/* ---- the whole ---- */

static dcs_status parse_whole(parser *p) {
  find_token(p);
  DCS_TRY(parse_expression(p, &p->e->root));
  return p->length == 0 ? DCS_OK : wrong(p, "an operator, or the end");
}

dcs_status dcs_expression_parse(const char *text, const char *const *names, int n_names,
                                dcs_expression **expression) {
  parser p = {.text = text, .at = text, .n_names = n_names};
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
