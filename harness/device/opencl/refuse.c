#include "harness/device/opencl/refuse.h"

#include <string.h>

static const struct {
  const char *word; /* or its beginning */
  const char *what;
} refused[] = {{"class", "classes, or templates of types"},
               {"operator", "operators of its own"},
               {"namespace", "namespaces"},
               {"typename", "templates of types"},
               {"using", "names for types"},
               {"auto", "deduced types"},
               {"constexpr", "constant expressions"},
               {"static_cast", "casts of C++"},
               {"reinterpret_cast", "casts of C++"},
               {"asm", "instructions of NVIDIA's"},
               {"__shfl", "shuffles of a warp"},
               {"__ballot", "votes of a warp"},
               {"__any_sync", "votes of a warp"},
               {"__all_sync", "votes of a warp"},
               {"__reduce_", "reductions of a warp"},
               {"__syncwarp", "barriers of a warp"},
               {"__activemask", "votes of a warp"},
               {"__cluster_dims__", "clusters of blocks"},
               {"cudaTextureObject_t", "textures of CUDA"},
               {"tex1D", "textures of CUDA"},
               {"tex3D", "textures of CUDA"}};

static const char *refused_word(const dcs_token *token) {
  for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
    const size_t length = strlen(refused[k].word);
    const bool begins =
        refused[k].word[length - 1] == '_' || strncmp(refused[k].word, "__", 2) == 0;
    if ((size_t)token->length >= length && memcmp(token->text, refused[k].word, length) == 0 &&
        (begins || (size_t)token->length == length))
      return refused[k].what;
  }
  return NULL;
}

/* A struct that has functions. */
static bool has_functions(const dcs_tokens *t, int at) {
  const int name = dcs_next_token(t, at + 1), open = dcs_next_token(t, name + 1);
  if (open == t->n || !dcs_token_is(&t->list[open], "{")) return false;
  for (int i = open; i < dcs_closing_token(t, open); i++)
    if (dcs_token_is(&t->list[i], "(")) return true;
  return false;
}

/* A reference through which something changes: TYPE &NAME of a number. Between other words & is an
 * operator. */
static bool is_reference(const dcs_tokens *t, int at) {
  if (at < 2 || !dcs_token_is(&t->list[at], "&") || dcs_next_token(t, at + 1) != at + 1)
    return false;
  const dcs_token *type = &t->list[at - 2];
  return !dcs_is_constant_reference(t, at) &&
         (dcs_token_is(type, "float") || dcs_token_is(type, "int") ||
          dcs_token_is(type, "double") || dcs_token_is(type, "float4"));
}

/* &NAME of what is declared as __shared__ TYPE NAME: pointers are __global, or private. */
static bool is_pointer_to_shared(const dcs_tokens *t, int at) {
  if (!dcs_token_is(&t->list[at], "&") || at + 1 >= t->n) return false;
  const dcs_token *of = &t->list[at + 1];
  for (int i = 0; i < t->n; i++) {
    if (!dcs_token_is(&t->list[i], "__shared__")) continue;
    const int name = dcs_next_token(t, dcs_next_token(t, i + 1) + 1);
    if (name < t->n && t->list[name].length == of->length &&
        memcmp(t->list[name].text, of->text, (size_t)of->length) == 0)
      return true;
  }
  return false;
}

dcs_status dcs_opencl_refuse(const char *name, bool doubles, const dcs_tokens *t) {
  for (int i = 0; i < t->n; i++) {
    const dcs_token *token = &t->list[i];
    const char *what = token->kind == DCS_TOKEN_WORD ? refused_word(token) : NULL;
    if (!what && dcs_token_is(token, "struct") && has_functions(t, i))
      what = "structs with functions";
    if (!what && !doubles && dcs_token_is(token, "double")) what = "numbers in double precision";
    if (!what && is_reference(t, i)) what = "references";
    if (!what && is_pointer_to_shared(t, i)) what = "pointers to shared memory";
    if (what)
      return dcs_fail(DCS_UNAVAILABLE,
                      "%s uses %s (\"%.*s\"), which this device's OpenCL C has not", name, what,
                      token->length, token->text);
  }
  return DCS_OK;
}
