/* The walk over the text: what stands outside of functions, and kernels. What is within is
 * rewrite.c's, templates are templates.c's. */
#include "harness/device/opencl/translate.h"

#include "harness/device/opencl/refuse.h"
#include "harness/device/opencl/rewrite.h"
#include "harness/device/opencl/shared.h"

#include <stdlib.h>
#include <string.h>

/* ---- arguments of kernels ---- */

/* A parameter, tokens from..end-1: the last word is its name. */
static int name_of(const dcs_tokens *t, int from, int end) {
  int name = from;
  for (int i = from; i < end; i++)
    if (t->list[i].kind == DCS_TOKEN_WORD) name = i;
  return name;
}

static bool has_mark(const dcs_tokens *t, int from, int end, const char *mark) {
  for (int i = from; i < end; i++)
    if (dcs_token_is(&t->list[i], mark)) return true;
  return false;
}

/* Bytes of a type of numbers; 0: another. */
static int bytes_of(const dcs_tokens *t, int from, int end) {
  static const struct {
    const char *word;
    int bytes;
  } types[] = {{"long", 8},    {"double", 8}, {"size_t", 8},  {"float", 4},
               {"int", 4},     {"uint", 4},   {"float2", 8},  {"int2", 8},
               {"float4", 16}, {"int4", 16},  {"unsigned", 4}};
  for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
    if (has_mark(t, from, end, types[k].word)) return types[k].bytes;
  return 0;
}

static dcs_status add_arg(dcs_rewriter *r, dcs_opencl_kernel *kernel, int from, int end) {
  const dcs_tokens *t = &r->tokens;
  if (kernel->n_args == DCS_MAX_ARGS)
    return dcs_fail(DCS_UNAVAILABLE, "%s: found more than %d parameters", kernel->name,
                    DCS_MAX_ARGS);
  const int name = name_of(t, from, end), n = kernel->n_args++;
  kernel->args[n].pointer = has_mark(t, from, end, "*");
  if (kernel->args[n].pointer) {
    dcs_rewrite(r, from, name);
    fprintf(r->out, "dcs_buffer_of_%.*s, long dcs_offset_of_%.*s", t->list[name].length,
            t->list[name].text, t->list[name].length, t->list[name].text);
    return DCS_OK;
  }
  kernel->args[n].bytes = bytes_of(t, from, name);
  if (kernel->args[n].bytes == 0) {
    if (r->n_sizes == DCS_REWRITER_SIZES)
      return dcs_fail(DCS_UNAVAILABLE, "%s: found more than %d structs as arguments", kernel->name,
                      DCS_REWRITER_SIZES);
    kernel->args[n].struct_ = r->n_sizes;
    r->sizes[r->n_sizes++] = (dcs_token_range){from, name};
  }
  dcs_rewrite(r, from, end);
  return DCS_OK;
}

/* The parameter behind the one at `from`: its end, a comma or the closing bracket. */
static int parameter_end(const dcs_tokens *t, int from, int close) {
  int i = from;
  for (; i < close && !dcs_token_is(&t->list[i], ","); i++)
    if (dcs_token_is(&t->list[i], "(") || dcs_token_is(&t->list[i], "["))
      i = dcs_closing_token(t, i);
  return i;
}

static dcs_status write_parameters(dcs_rewriter *r, const dcs_function *f,
                                   dcs_opencl_kernel *kernel) {
  const dcs_tokens *t = &r->tokens;
  for (int from = f->open + 1; from < f->close;) {
    const int end = parameter_end(t, from, f->close);
    if (dcs_next_token(t, from) < end) {
      if (kernel->n_args > 0) fputs(",", r->out);
      DCS_TRY(add_arg(r, kernel, from, end));
    }
    from = end + 1;
  }
  dcs_write_constants(r, true, kernel->n_args == 0);
  return DCS_OK;
}

/* The pointers that the kernel's text knows. */
static void write_pointers(dcs_rewriter *r, const dcs_function *f) {
  const dcs_tokens *t = &r->tokens;
  for (int from = f->open + 1, end; from < f->close; from = end + 1) {
    end = parameter_end(t, from, f->close);
    if (!has_mark(t, from, end, "*")) continue;
    const dcs_token *name = &t->list[name_of(t, from, end)];
    const int at = name_of(t, from, end);
    r->one_line = true;
    dcs_rewrite(r, from, at);
    fprintf(r->out, "%.*s = (", name->length, name->text);
    dcs_rewrite(r, from, at);
    fprintf(r->out, ")((__global char *)dcs_buffer_of_%.*s + dcs_offset_of_%.*s); ", name->length,
            name->text, name->length, name->text);
    r->one_line = false;
  }
}

static dcs_status write_kernel(dcs_rewriter *r, const dcs_function *f) {
  const dcs_token *name = &r->tokens.list[f->name];
  if (r->translated->n_kernels == DCS_OPENCL_KERNELS)
    return dcs_fail(DCS_UNAVAILABLE, "found more than %d kernels", DCS_OPENCL_KERNELS);
  dcs_opencl_kernel *kernel = &r->translated->kernels[r->translated->n_kernels++];
  DCS_TRY(dcs_opencl_check_shared(r, f));
  snprintf(kernel->name, sizeof kernel->name, "%.*s", name->length, name->text);
  dcs_rewrite(r, f->from, f->open + 1);
  DCS_TRY(write_parameters(r, f, kernel));
  dcs_rewrite(r, f->close, f->body + 1);
  write_pointers(r, f);
  dcs_rewrite(r, f->body + 1, f->end);
  return DCS_OK;
}

/* ---- what stands outside of functions ---- */

static bool begins_with(const dcs_rewriter *r, int from, const char *word) {
  return from < r->tokens.n && dcs_token_is(&r->tokens.list[from], word);
}

static bool holds(const dcs_rewriter *r, int from, int end, const char *word) {
  for (int i = from; i < end; i++)
    if (dcs_token_is(&r->tokens.list[i], word)) return true;
  return false;
}

/* The end of what begins at `from`: behind its semicolon, or its body where it is a function, which
 * is found. The last brackets before the body are its parameters'; others are launch bounds. */
static int item_end(const dcs_rewriter *r, int from, dcs_function *f) {
  const dcs_tokens *t = &r->tokens;
  int word = from;
  *f = (dcs_function){.from = from};
  for (int i = from; i < t->n; i++) {
    if (t->list[i].kind == DCS_TOKEN_WORD) word = i;
    if (dcs_token_is(&t->list[i], ";")) return i + 1;
    if (dcs_token_is(&t->list[i], "(")) {
      f->name = word;
      f->open = i;
      f->close = i = dcs_closing_token(t, i);
    } else if (dcs_token_is(&t->list[i], "{")) {
      const bool function = f->open && dcs_next_token(t, f->close + 1) == i;
      if (function) f->body = i;
      i = dcs_closing_token(t, i);
      f->end = i + 1 < t->n ? i + 1 : t->n;
      if (function) return f->end;
    }
  }
  return t->n;
}

/* Nothing, but as many lines. */
static void write_lines(dcs_rewriter *r, int from, int end) {
  for (int i = from; i < end; i++)
    for (int c = 0; c < r->tokens.list[i].length; c++)
      if (r->tokens.list[i].text[c] == '\n') fputc('\n', r->out);
}

/* __constant__ TYPE NAME[N]; */
static dcs_status take_constant(dcs_rewriter *r, int from, int end) {
  const dcs_tokens *t = &r->tokens;
  int name = from;
  while (name < end && !dcs_token_is(&t->list[dcs_next_token(t, name + 1)], "["))
    name = dcs_next_token(t, name + 1);
  const int bracket = dcs_next_token(t, name + 1);
  if (name >= end || r->n_constants == DCS_OPENCL_CONSTANTS ||
      dcs_next_token(t, dcs_closing_token(t, bracket) + 1) != end - 1)
    return dcs_fail(DCS_UNAVAILABLE,
                    "%s: found a __constant__ that is no array of one dimension, "
                    "or more than %d; OpenCL C has them as arguments of kernels",
                    r->source->name, DCS_OPENCL_CONSTANTS);
  r->constants[r->n_constants] = (dcs_constant){{dcs_next_token(t, from + 1), name}, name};
  snprintf(r->translated->constants[r->n_constants++], DCS_OPENCL_NAME, "%.*s",
           t->list[name].length, t->list[name].text);
  write_lines(r, from, end);
  return DCS_OK;
}

static dcs_status write_function(dcs_rewriter *r, dcs_function *f, int end) {
  const bool kernel = holds(r, f->from, f->open, "__global__");
  if (begins_with(r, f->from, "template")) {
    write_lines(r, f->from, end);
    return dcs_add_template(r, f);
  }
  DCS_TRY(dcs_write_instances(r, f));
  if (kernel) return write_kernel(r, f);
  if (holds(r, f->body, end, "__shared__"))
    return dcs_fail(DCS_UNAVAILABLE,
                    "%s: %.*s has __shared__ memory and is no kernel, which OpenCL C has not",
                    r->source->name, r->tokens.list[f->name].length, r->tokens.list[f->name].text);
  DCS_TRY(dcs_add_function(r, f));
  dcs_write_helper(r, f);
  return DCS_OK;
}

static dcs_status write_item(dcs_rewriter *r, int from, int *end) {
  dcs_function f;
  *end = item_end(r, from, &f);
  if (f.body) return write_function(r, &f, *end);
  if (begins_with(r, from, "__constant__")) return take_constant(r, from, *end);
  dcs_rewrite(r, from, *end);
  return DCS_OK;
}

static dcs_status write_all(dcs_rewriter *r) {
  for (int at = 0, end; at < r->tokens.n; at = end) {
    const dcs_token_kind kind = r->tokens.list[at].kind;
    end = at + 1;
    if (kind == DCS_TOKEN_SPACE || kind == DCS_TOKEN_LINE)
      dcs_rewrite(r, at, end);
    else
      DCS_TRY(write_item(r, at, &end));
  }
  if (r->n_sizes > 0) fprintf(r->out, "\n__kernel void dcs_sizes(__global int *dcs_size) {");
  for (int s = 0; s < r->n_sizes; s++) {
    fprintf(r->out, " dcs_size[%d] = sizeof(", s);
    dcs_rewrite(r, r->sizes[s].from, r->sizes[s].end);
    fputs(");", r->out);
  }
  if (r->n_sizes > 0) fputs("}\n", r->out);
  r->translated->n_sizes = r->n_sizes;
  r->translated->n_constants = r->n_constants;
  return DCS_OK;
}

dcs_status dcs_opencl_translate(const dcs_source *source, bool doubles,
                                dcs_opencl_text *translated) {
  dcs_text_stream whole;
  *translated = (dcs_opencl_text){0};
  dcs_rewriter *r = calloc(1, sizeof *r);
  if (!r) return dcs_want("no memory to translate %s", source->name);
  r->source = source;
  r->translated = translated;
  dcs_status status = dcs_tokenize(source->text, &r->tokens);
  if (status == DCS_OK) status = dcs_opencl_refuse(source->name, doubles, &r->tokens);
  if (status == DCS_OK) status = dcs_text_begin(&whole);
  if (status == DCS_OK) {
    r->out = whole.stream;
    dcs_write_struct_names(r);
    status = write_all(r);
    const dcs_status ended = dcs_text_end(&whole, &translated->text, NULL);
    if (status == DCS_OK)
      status = ended;
    else
      free(translated->text);
  }
  free(r->tokens.list);
  free(r);
  return status;
}
