/* The tokens of an expression. */
#include "harness/spec/parser.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool dcs_starts_word(const char *at) {
  return isalpha((unsigned char)*at) || *at == '_';
}

bool dcs_starts_number(const char *at) {
  return isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]));
}

static size_t word_length(const char *at) {
  size_t n = 0;
  while (isalnum((unsigned char)at[n]) || at[n] == '_' ||
         (at[n] == '.' && dcs_starts_word(at + n + 1)))
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

void dcs_find_token(dcs_parser *p) {
  p->at += strspn(p->at, " \t\r\n");
  if (dcs_starts_word(p->at))
    p->length = word_length(p->at);
  else if (dcs_starts_number(p->at))
    p->length = number_length(p->at);
  else if (*p->at == '"' || *p->at == '\'')
    p->length = quoted_length(p->at) ? quoted_length(p->at) : 1;
  else
    p->length = sign_length(p->at);
}

void dcs_pass_token(dcs_parser *p) {
  p->at += p->length;
  dcs_find_token(p);
}

bool dcs_is_token(const dcs_parser *p, const char *token) {
  return strlen(token) == p->length && strncmp(p->at, token, p->length) == 0;
}

bool dcs_take_token(dcs_parser *p, const char *token) {
  if (!dcs_is_token(p, token)) return false;
  dcs_pass_token(p);
  return true;
}

int dcs_column_of(const dcs_parser *p) {
  return 1 + (int)(p->at - p->text);
}

dcs_status dcs_wrong_token(const dcs_parser *p, const char *expected) {
  const int shown = p->length < 40 ? (int)p->length : 40;
  if (p->length == 0)
    return dcs_fail(DCS_INPUT, "column %d: found the end; expected %s", dcs_column_of(p), expected);
  return dcs_fail(DCS_INPUT, "column %d: found \"%.*s\"; expected %s", dcs_column_of(p), shown,
                  p->at, expected);
}

dcs_status dcs_expect_token(dcs_parser *p, const char *token) {
  char expected[16];
  snprintf(expected, sizeof expected, "\"%s\"", token);
  return dcs_take_token(p, token) ? DCS_OK : dcs_wrong_token(p, expected);
}
