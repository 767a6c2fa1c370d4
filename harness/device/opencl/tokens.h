/* A text in CUDA C++ as tokens. */
#ifndef DCS_OPENCL_TOKENS_H
#define DCS_OPENCL_TOKENS_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  DCS_TOKEN_SPACE, /* and comments */
  DCS_TOKEN_LINE,  /* a directive of the preprocessor, with those lines that continue it */
  DCS_TOKEN_WORD,
  DCS_TOKEN_NUMBER,
  DCS_TOKEN_TEXT, /* in quotes */
  DCS_TOKEN_MARK  /* one character */
} dcs_token_kind;

typedef struct {
  dcs_token_kind kind;
  const char *text;
  int length;
} dcs_token;

typedef struct {
  dcs_token *list; /* points into the text */
  int n;
} dcs_tokens;

/* DCS_UNAVAILABLE: no memory, and there are no tokens. The caller frees tokens->list. */
dcs_status dcs_tokenize(const char *text, dcs_tokens *tokens);

bool dcs_token_is(const dcs_token *token, const char *text);
/* The next token from `at` on that is neither space nor directive; tokens->n: none. */
int dcs_next_token(const dcs_tokens *tokens, int at);
/* The bracket that closes the one at `at`: ( [ or {; tokens->n: none. */
int dcs_closing_token(const dcs_tokens *tokens, int at);

/* Whether the token is the & of const TYPE &NAME. */
bool dcs_is_constant_reference(const dcs_tokens *tokens, int at);

#endif
