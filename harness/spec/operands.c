/* What operators stand between: numbers, texts, names, calls, lists, groups. */
#include "harness/base/text.h"
#include "harness/spec/parser.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 }; /* characters and the end */

static dcs_status take_number(dcs_parser *p, int *node) {
  char text[WORD], *end;
  if (p->length >= sizeof text) return dcs_wrong_token(p, "a number of fewer digits");
  snprintf(text, sizeof text, "%.*s", (int)p->length, p->at);
  const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  DCS_TRY(dcs_add_node(p, DCS_NODE_VALUE, dcs_column_of(p), node));
  dcs_value *value = &p->e->nodes[*node].value;
  errno = 0;
  if (hex || !strpbrk(text, ".eE"))
    *value = dcs_integer_value(strtoll(text, &end, hex ? 16 : 10));
  else
    *value = dcs_real_value(strtod(text, &end));
  if (*end || (hex && p->length == 2)) return dcs_wrong_token(p, "a number");
  if (errno == ERANGE && value->type == DCS_VALUE_INTEGER)
    return dcs_wrong_token(p, "a number of 64 bits");
  if (!hex && text[0] == '0' && value->type == DCS_VALUE_INTEGER && value->integer != 0)
    return dcs_wrong_token(p, "a number without 0 before it");
  const char behind = p->at[p->length];
  dcs_pass_token(p);
  return isalpha((unsigned char)behind) || behind == '_' ? dcs_wrong_token(p, "an operator")
                                                         : DCS_OK;
}

static dcs_status take_text(dcs_parser *p, int *node) {
  char *text;
  if (p->length < 2) return dcs_wrong_token(p, "a text with its closing quote, without \\");
  DCS_TRY(dcs_add_node(p, DCS_NODE_VALUE, dcs_column_of(p), node));
  DCS_TRY(dcs_room_take(&p->e->room, &text, p->length - 1, 1, "a text"));
  memcpy(text, p->at + 1, p->length - 2);
  p->e->nodes[*node].value = dcs_text_value(text);
  dcs_pass_token(p);
  return DCS_OK;
}

static dcs_status unknown_name(const dcs_parser *p, const char *word) {
  char hint[DCS_TEXT];
  return dcs_fail(DCS_INPUT, "column %d: found \"%s\"; expected the name of a parameter%s",
                  dcs_column_of(p), word, dcs_did_you_mean(word, p->names, p->n_names, hint));
}

/* The latest of that name: a loop's before one outside of it. */
static dcs_status take_name(dcs_parser *p, const char *word, int *node) {
  int place = p->n_names - 1;
  while (place >= 0 && strcmp(p->names[place], word) != 0)
    place--;
  if (place < 0 && strcmp(word, "True") != 0 && strcmp(word, "False") != 0)
    return unknown_name(p, word);
  DCS_TRY(dcs_add_node(p, place < 0 ? DCS_NODE_VALUE : DCS_NODE_NAME, dcs_column_of(p), node));
  p->e->nodes[*node].place = place;
  p->e->nodes[*node].value = dcs_integer_value(word[0] == 'T');
  dcs_pass_token(p);
  return DCS_OK;
}

/* Up to the closing token, which is taken. */
static dcs_status take_arguments(dcs_parser *p, int parent, const char *closing, int *n) {
  for (*n = 0; !dcs_take_token(p, closing); ++*n) {
    int child;
    if (*n > 0) {
      DCS_TRY(dcs_expect_token(p, ","));
      if (dcs_take_token(p, closing)) return DCS_OK;
    }
    DCS_TRY(dcs_parse_choice(p, &child));
    dcs_adopt_node(p, parent, child);
  }
  return DCS_OK;
}

static dcs_status take_call(dcs_parser *p, const char *word, int *node) {
  int least, most, n;
  const int function = dcs_find_function(word, &least, &most), column = dcs_column_of(p);
  if (function < 0)
    return dcs_wrong_token(p, "a function such as min, max, abs, int, float, range or list");
  DCS_TRY(dcs_add_node(p, DCS_NODE_CALL, column, node));
  p->e->nodes[*node].how = function;
  dcs_pass_token(p);
  DCS_TRY(dcs_expect_token(p, "("));
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

static dcs_status take_word(dcs_parser *p, int *node) {
  char word[WORD];
  if (p->length >= sizeof word) return dcs_wrong_token(p, "a name of at most 63 characters");
  snprintf(word, sizeof word, "%.*s", (int)p->length, p->at);
  if (is_keyword(word)) return dcs_wrong_token(p, "a value");
  const char *behind = p->at + p->length + strspn(p->at + p->length, " \t\r\n");
  return *behind == '(' ? take_call(p, word, node) : take_name(p, word, node);
}

/* Behind [ comes the first element already: of it and a loop, or a list. The element was read with
 * the loop's name unknown, so it is read again. */
static dcs_status take_loop(dcs_parser *p, const char *element, int column, int *node) {
  static const char expected[] = "a name for the values of the list, one loop in 3 others at most";
  int list, condition = DCS_NO_NODE, value;
  char word[WORD], *name;
  if (!dcs_starts_word(p->at) || p->length >= sizeof word) return dcs_wrong_token(p, expected);
  snprintf(word, sizeof word, "%.*s", (int)p->length, p->at);
  const int loops = p->n_names - p->e->n_names;
  if (is_keyword(word) || loops == DCS_MOST_LOOPS) return dcs_wrong_token(p, expected);
  dcs_pass_token(p);
  DCS_TRY(dcs_expect_token(p, "in"));
  DCS_TRY(dcs_parse_or(p, &list));
  DCS_TRY(dcs_room_take(&p->e->room, &name, strlen(word) + 1, 1, "a name"));
  memcpy(name, word, strlen(word) + 1);
  p->names[p->n_names++] = name;
  if (dcs_take_token(p, "if")) DCS_TRY(dcs_parse_or(p, &condition));
  DCS_TRY(dcs_expect_token(p, "]"));
  const char *end = p->at;
  p->at = element;
  dcs_find_token(p);
  DCS_TRY(dcs_parse_choice(p, &value));
  p->n_names--;
  p->at = end;
  dcs_find_token(p);
  DCS_TRY(dcs_add_above(p, DCS_NODE_FOR, column, (int[]){value, list}, 2, node));
  if (condition != DCS_NO_NODE) dcs_adopt_node(p, *node, condition);
  p->e->nodes[*node].place = p->n_names;
  return DCS_OK;
}

/* Where the word `for` of a loop stands, at the depth of the brackets that opened just now; NULL:
 * it is a list. */
static const char *find_loop(const dcs_parser *p) {
  dcs_parser ahead = *p;
  for (int depth = 0; ahead.length > 0; dcs_pass_token(&ahead)) {
    if (depth == 0 && dcs_is_token(&ahead, "for")) return ahead.at;
    if (ahead.length == 1 && strchr("([", *ahead.at)) depth++;
    if (ahead.length == 1 && strchr(")]", *ahead.at) && depth-- == 0) return NULL;
  }
  return NULL;
}

static dcs_status take_list(dcs_parser *p, int *node) {
  const int column = dcs_column_of(p);
  int n;
  dcs_pass_token(p);
  const char *element = p->at, *loop = find_loop(p);
  if (!loop) {
    DCS_TRY(dcs_add_node(p, DCS_NODE_LIST, column, node));
    return take_arguments(p, *node, "]", &n);
  }
  p->at = loop + strlen("for");
  dcs_find_token(p);
  return take_loop(p, element, column, node);
}

/* A tuple is a list here. */
static dcs_status take_group(dcs_parser *p, int *node) {
  const int column = dcs_column_of(p);
  int inner, n;
  dcs_pass_token(p);
  DCS_TRY(dcs_parse_choice(p, &inner));
  if (!dcs_is_token(p, ",")) {
    *node = inner;
    return dcs_expect_token(p, ")");
  }
  DCS_TRY(dcs_add_above(p, DCS_NODE_LIST, column, &inner, 1, node));
  dcs_pass_token(p);
  return take_arguments(p, *node, ")", &n);
}

dcs_status dcs_parse_operand(dcs_parser *p, int *node) {
  if (dcs_starts_word(p->at)) return take_word(p, node);
  if (dcs_starts_number(p->at)) return take_number(p, node);
  if (*p->at == '"' || *p->at == '\'') return take_text(p, node);
  if (dcs_is_token(p, "[")) return take_list(p, node);
  if (dcs_is_token(p, "(")) return take_group(p, node);
  return dcs_wrong_token(p, "a value");
}
