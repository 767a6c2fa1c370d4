#include "harness/device/opencl/rewrite.h"

#include <string.h>

static bool same(const dcs_token *a, const dcs_token *b) {
  return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

static void write_text(dcs_rewriter *r, const dcs_token *token) {
  for (int c = 0; c < token->length; c++)
    fputc(r->one_line && token->text[c] == '\n' ? ' ' : token->text[c], r->out);
}

/* What a token stands for: in an instance of a template, the argument for the parameter. */
static const dcs_token *meant(const dcs_rewriter *r, int at) {
  const dcs_token *token = &r->tokens.list[at];
  const bool parameter =
      r->parameter && token->kind == DCS_TOKEN_WORD && same(token, &r->tokens.list[r->parameter]);
  return parameter ? &r->tokens.list[r->argument] : token;
}

/* ---- types ---- */

static bool is_type(const dcs_rewriter *r, const dcs_token *token) {
  static const char *const types[] = {"void",   "bool",     "char",   "short",  "int",   "long",
                                      "float",  "uint",     "double", "int2",   "int3",  "int4",
                                      "float2", "unsigned", "float3", "float4", "size_t"};
  for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
    if (dcs_token_is(token, types[k])) return true;
  for (int s = 0; s < r->n_structs; s++)
    if (same(token, &r->tokens.list[r->structs[s]])) return true;
  return false;
}

void dcs_write_struct_names(dcs_rewriter *r) {
  const dcs_tokens *t = &r->tokens;
  for (int i = 0; i < t->n && r->n_structs < DCS_REWRITER_NAMES; i++) {
    if (!dcs_token_is(&t->list[i], "struct")) continue;
    const int name = dcs_next_token(t, i + 1), brace = dcs_next_token(t, name + 1);
    if (brace == t->n || !dcs_token_is(&t->list[brace], "{")) continue;
    r->structs[r->n_structs++] = name;
    fprintf(r->out, "typedef struct %.*s %.*s; ", t->list[name].length, t->list[name].text,
            t->list[name].length, t->list[name].text);
  }
  fprintf(r->out, "\n#line 1 \"%s\"\n", r->source->name);
}

/* ---- calls ---- */

bool dcs_is_function(const dcs_rewriter *r, const dcs_token *token) {
  for (int h = 0; h < r->n_helpers; h++)
    if (same(token, &r->tokens.list[r->helpers[h]])) return true;
  return false;
}

const dcs_template *dcs_template_at(const dcs_rewriter *r, int at, int *argument) {
  const dcs_tokens *t = &r->tokens;
  if (t->list[at].kind != DCS_TOKEN_WORD) return NULL;
  const int open = dcs_next_token(t, at + 1);
  *argument = dcs_next_token(t, open + 1);
  const int close = dcs_next_token(t, *argument + 1);
  if (close >= t->n || !dcs_token_is(&t->list[open], "<") || !dcs_token_is(&t->list[close], ">"))
    return NULL;
  for (int i = 0; i < r->n_templates; i++)
    if (same(&t->list[at], &t->list[r->templates[i].function.name])) return &r->templates[i];
  return NULL;
}

void dcs_write_constants(dcs_rewriter *r, bool declared, bool alone) {
  for (int c = 0; c < r->n_constants; c++) {
    const dcs_token *name = &r->tokens.list[r->constants[c].name];
    if (!alone || c > 0) fputs(", ", r->out);
    if (declared) {
      fputs("__constant ", r->out);
      dcs_rewrite(r, r->constants[c].type.from, r->constants[c].type.end);
      fputc('*', r->out);
    }
    fprintf(r->out, "%.*s", name->length, name->text);
  }
}

/* ---- tokens ---- */

/* Calls of helpers whose arguments are being written. */
enum { DEEPEST = 32 };
typedef struct {
  int close[DEEPEST];
  bool alone[DEEPEST];
  int n;
} open_calls;

/* Notes the call whose name ends at token `at`. */
static void open_call(const dcs_rewriter *r, open_calls *calls, int at) {
  const int open = dcs_next_token(&r->tokens, at + 1);
  if (open == r->tokens.n || !dcs_token_is(&r->tokens.list[open], "(") || calls->n == DEEPEST)
    return;
  calls->close[calls->n] = dcs_closing_token(&r->tokens, open);
  calls->alone[calls->n] = dcs_next_token(&r->tokens, open + 1) == calls->close[calls->n];
  calls->n++;
}

/* Writes the word at `at` and what belongs to it; returns the last token of that. */
static int write_word(dcs_rewriter *r, open_calls *calls, int at) {
  const dcs_tokens *t = &r->tokens;
  const dcs_token *word = meant(r, at);
  int argument, next = dcs_next_token(t, at + 1);
  const dcs_template *called = dcs_template_at(r, at, &argument);
  if (called) {
    const dcs_token *with = meant(r, argument);
    fprintf(r->out, "%.*s_%.*s", word->length, word->text, with->length, with->text);
    const int close = dcs_next_token(t, argument + 1);
    open_call(r, calls, close);
    return close;
  }
  const bool quoted = next < t->n && t->list[next].kind == DCS_TOKEN_TEXT;
  if (dcs_token_is(word, "extern") && quoted) return next;
  if (dcs_token_is(word, "__launch_bounds__")) return dcs_closing_token(t, next);
  if (dcs_token_is(word, "long") && next < t->n && dcs_token_is(&t->list[next], "long")) return at;
  if (is_type(r, word) && next < t->n && dcs_token_is(&t->list[next], "*"))
    fputs("__global ", r->out);
  write_text(r, word);
  if (dcs_token_is(word, "return") && next < t->n && dcs_token_is(&t->list[next], "{"))
    fprintf(r->out, " (%.*s)", t->list[r->result].length, t->list[r->result].text);
  if (dcs_is_function(r, word)) open_call(r, calls, at);
  return at;
}

void dcs_rewrite(dcs_rewriter *r, int from, int end) {
  open_calls calls = {.n = 0};
  for (int i = from; i < end && i < r->tokens.n; i++) {
    if (calls.n > 0 && calls.close[calls.n - 1] == i)
      dcs_write_constants(r, false, calls.alone[--calls.n]);
    if (r->tokens.list[i].kind == DCS_TOKEN_WORD)
      i = write_word(r, &calls, i);
    else if (!dcs_is_constant_reference(&r->tokens, i)) /* a copy is the same */
      write_text(r, &r->tokens.list[i]);
  }
}

/* ---- functions ---- */

/* What return { } makes: the last word of the function's type. */
static int result_of(const dcs_rewriter *r, const dcs_function *f) {
  int result = f->from;
  for (int i = f->from; i < f->name; i++)
    if (r->tokens.list[i].kind == DCS_TOKEN_WORD) result = i;
  return result;
}

/* Its name is written with the argument, where it is a template's instance. */
void dcs_write_helper(dcs_rewriter *r, const dcs_function *f) {
  const bool alone = dcs_next_token(&r->tokens, f->open + 1) == f->close;
  r->result = result_of(r, f);
  dcs_rewrite(r, f->from, f->name);
  write_text(r, &r->tokens.list[f->name]);
  if (r->parameter) {
    fputc('_', r->out);
    write_text(r, &r->tokens.list[r->argument]);
  }
  dcs_rewrite(r, f->open, f->close);
  dcs_write_constants(r, true, alone);
  dcs_rewrite(r, f->close, f->end);
}

dcs_status dcs_add_function(dcs_rewriter *r, const dcs_function *f) {
  if (r->n_helpers == DCS_REWRITER_NAMES)
    return dcs_fail(DCS_UNAVAILABLE, "%s: found more than %d functions", r->source->name,
                    DCS_REWRITER_NAMES);
  r->helpers[r->n_helpers++] = f->name;
  return DCS_OK;
}
