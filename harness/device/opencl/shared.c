#include "harness/device/opencl/shared.h"

#include <string.h>

enum { MOST = 32 };
typedef struct {
  int list[MOST]; /* tokens */
  int n;
} names;

static bool followed_by(const dcs_tokens *t, int at, const char *marks) {
  const int next = dcs_next_token(t, at + 1);
  return next < t->n && t->list[next].kind == DCS_TOKEN_MARK && strchr(marks, *t->list[next].text);
}

/* Of arrays. */
static void find_names(const dcs_tokens *t, const dcs_function *f, names *shared) {
  bool declared = false;
  for (int i = f->body; i < f->end && shared->n < MOST; i++) {
    if (dcs_token_is(&t->list[i], "__shared__")) declared = true;
    if (dcs_token_is(&t->list[i], ";")) declared = false;
    if (declared && t->list[i].kind == DCS_TOKEN_WORD && followed_by(t, i, "["))
      shared->list[shared->n++] = i;
  }
}

/* Whether the word is shared memory as a whole, or the address of an element. */
static bool is_address(const dcs_tokens *t, const names *shared, int at) {
  const bool taken = dcs_token_is(&t->list[at - 1], "&");
  if (t->list[at].kind != DCS_TOKEN_WORD || !(taken || followed_by(t, at, ",)+;"))) return false;
  for (int s = 0; s < shared->n; s++) {
    const dcs_token *name = &t->list[shared->list[s]];
    if (at != shared->list[s] && name->length == t->list[at].length &&
        memcmp(name->text, t->list[at].text, (size_t)name->length) == 0)
      return true;
  }
  return false;
}

dcs_status dcs_opencl_check_shared(const dcs_rewriter *r, const dcs_function *f) {
  const dcs_tokens *t = &r->tokens;
  names shared = {.n = 0};
  int argument, call_end = 0;
  bool pointer = false;
  find_names(t, f, &shared);
  for (int i = f->body; i < f->end; i++) {
    const bool called = dcs_is_function(r, &t->list[i]) || dcs_template_at(r, i, &argument);
    if (called && i > call_end)
      while (i < f->end && !dcs_token_is(&t->list[i], "("))
        i++;
    if (called && i > call_end) call_end = dcs_closing_token(t, i);
    if (dcs_token_is(&t->list[i], "=")) pointer = true;
    if (dcs_token_is(&t->list[i], ";")) pointer = false;
    if ((i < call_end || pointer) && is_address(t, &shared, i))
      return dcs_fail(
          DCS_UNAVAILABLE,
          "%s: %.*s gives its __shared__ %.*s to a function or a pointer, which OpenCL C "
          "1.2 has other types for",
          r->source->name, t->list[f->name].length, t->list[f->name].text, t->list[i].length,
          t->list[i].text);
  }
  return DCS_OK;
}
