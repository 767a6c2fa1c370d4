/* The parser of expressions: tokens.c, operands.c, expression.c. Internal to it.
 *
 * What takes a token takes the space behind it, too. Functions that parse make *node, or DCS_INPUT
 * with the column and what was found. */
#ifndef DCS_PARSER_H
#define DCS_PARSER_H

#include "harness/spec/expression_tree.h"

enum { DCS_NO_NODE = -1 };

typedef struct {
  const char *text, *at; /* at: the token that is next */
  size_t length;         /* of that token; 0: the end */
  int depth;
  const char *names[DCS_MOST_NAMES + DCS_MOST_LOOPS]; /* of loops behind the others */
  int n_names;
  dcs_expression *e;
} dcs_parser;

/* ---- tokens ---- */

bool dcs_starts_word(const char *at);
bool dcs_starts_number(const char *at);
/* The token at p->at, or behind spaces there; the one behind this. */
void dcs_find_token(dcs_parser *p);
void dcs_pass_token(dcs_parser *p);
/* Whether this token is next; to take it, too; that it must be. */
bool dcs_is_token(const dcs_parser *p, const char *token);
bool dcs_take_token(dcs_parser *p, const char *token);
dcs_status dcs_expect_token(dcs_parser *p, const char *token);
int dcs_column_of(const dcs_parser *p); /* of the next token, from 1 */
/* DCS_INPUT, of the next token. */
dcs_status dcs_wrong_token(const dcs_parser *p, const char *expected);

/* ---- nodes ---- */

dcs_status dcs_add_node(dcs_parser *p, dcs_node_type type, int column, int *node);
/* Puts a node behind the other children. */
void dcs_adopt_node(dcs_parser *p, int parent, int child);
/* A node above one to three others. */
dcs_status dcs_add_above(dcs_parser *p, dcs_node_type type, int column, const int *children, int n,
                         int *node);

/* ---- parts ---- */

dcs_status dcs_parse_operand(dcs_parser *p, int *node);
dcs_status dcs_parse_or(dcs_parser *p, int *node);
/* value if condition else other: any expression. */
dcs_status dcs_parse_choice(dcs_parser *p, int *node);

#endif
