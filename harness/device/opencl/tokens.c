#include "harness/device/opencl/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static size_t comment_length(const char *at) {
  if (at[1] == '/') return strcspn(at, "\n");
  const char *end = strstr(at + 2, "*/");
  return end ? (size_t)(end + 2 - at) : strlen(at);
}

static bool opens_comment(const char *at) {
  return at[0] == '/' && (at[1] == '/' || at[1] == '*');
}

static size_t space_length(const char *at) {
  size_t length = 0;
  while (at[length] && (isspace((unsigned char)at[length]) || opens_comment(at + length)))
    length += at[length] == '/' ? comment_length(at + length) : 1;
  return length;
}

/* Up to the end of the line, or of the last that continues it. */
static size_t directive_length(const char *at) {
  size_t length = strcspn(at, "\n");
  while (at[length] && at[length - 1] == '\\')
    length += 1 + strcspn(at + length + 1, "\n");
  return length;
}

static size_t text_length(const char *at) {
  size_t length = 1;
  while (at[length] && at[length] != at[0])
    length += at[length] == '\\' && at[length + 1] ? 2 : 1;
  return length + (at[length] != '\0');
}

static size_t word_length(const char *at) {
  size_t length = 0;
  while (isalnum((unsigned char)at[length]) || at[length] == '_')
    length++;
  return length;
}

/* With its point and the sign of its exponent. */
static size_t number_length(const char *at) {
  size_t length = 0;
  while (isalnum((unsigned char)at[length]) || at[length] == '.' ||
         (length > 0 && strchr("+-", at[length]) && strchr("eE", at[length - 1]) &&
          strncmp(at, "0x", 2) != 0 && at[length]))
    length++;
  return length;
}

static dcs_token token_at(const char *at) {
  const bool digit =
      isdigit((unsigned char)at[0]) || (at[0] == '.' && isdigit((unsigned char)at[1]));
  if (space_length(at)) return (dcs_token){DCS_TOKEN_SPACE, at, (int)space_length(at)};
  if (*at == '#') return (dcs_token){DCS_TOKEN_LINE, at, (int)directive_length(at)};
  if (digit) return (dcs_token){DCS_TOKEN_NUMBER, at, (int)number_length(at)};
  if (word_length(at)) return (dcs_token){DCS_TOKEN_WORD, at, (int)word_length(at)};
  if (*at == '"' || *at == '\'') return (dcs_token){DCS_TOKEN_TEXT, at, (int)text_length(at)};
  return (dcs_token){DCS_TOKEN_MARK, at, 1};
}

dcs_status dcs_tokenize(const char *text, dcs_tokens *tokens) {
  int room = 0;
  *tokens = (dcs_tokens){0};
  while (*text) {
    if (tokens->n == room) {
      room = 2 * room + 1024;
      dcs_token *list = realloc(tokens->list, (size_t)room * sizeof *list);
      if (!list) {
        free(tokens->list);
        *tokens = (dcs_tokens){0};
        return dcs_want("no memory to translate a kernel");
      }
      tokens->list = list;
    }
    tokens->list[tokens->n] = token_at(text);
    text += tokens->list[tokens->n++].length;
  }
  return DCS_OK;
}

bool dcs_token_is(const dcs_token *token, const char *text) {
  return strlen(text) == (size_t)token->length &&
         memcmp(token->text, text, (size_t)token->length) == 0;
}

int dcs_next_token(const dcs_tokens *tokens, int at) {
  while (at < tokens->n &&
         (tokens->list[at].kind == DCS_TOKEN_SPACE || tokens->list[at].kind == DCS_TOKEN_LINE))
    at++;
  return at;
}

int dcs_closing_token(const dcs_tokens *tokens, int at) {
  int depth = 0;
  for (; at < tokens->n; at++) {
    const dcs_token *token = &tokens->list[at];
    if (token->kind != DCS_TOKEN_MARK) continue;
    if (strchr("([{", *token->text)) depth++;
    if (strchr(")]}", *token->text) && --depth == 0) return at;
  }
  return at;
}

bool dcs_is_constant_reference(const dcs_tokens *tokens, int at) {
  const dcs_token *list = tokens->list;
  return at >= 4 && at + 1 < tokens->n && dcs_token_is(&list[at], "&") &&
         list[at + 1].kind == DCS_TOKEN_WORD && list[at - 2].kind == DCS_TOKEN_WORD &&
         dcs_token_is(&list[at - 4], "const");
}
