/* Templates of one parameter: a text for each argument that they are used with. */
#include "harness/device/opencl/rewrite.h"

#include <string.h>

/* template < int N > */
dcs_status dcs_add_template(dcs_rewriter *r, const dcs_function *f) {
  const dcs_tokens *t = &r->tokens;
  const int open = dcs_next_token(t, f->from + 1), kind = dcs_next_token(t, open + 1);
  const int parameter = dcs_next_token(t, kind + 1), close = dcs_next_token(t, parameter + 1);
  if (close >= f->name || !dcs_token_is(&t->list[close], ">"))
    return dcs_fail(DCS_UNAVAILABLE,
                    "%s: %.*s is a template of several parameters, which OpenCL C has not",
                    r->source->name, t->list[f->name].length, t->list[f->name].text);
  if (r->n_templates == DCS_REWRITER_NAMES)
    return dcs_fail(DCS_UNAVAILABLE, "%s: found more than %d templates", r->source->name,
                    DCS_REWRITER_NAMES);
  dcs_template *added = &r->templates[r->n_templates++];
  *added = (dcs_template){*f, parameter};
  added->function.from = dcs_next_token(t, close + 1);
  return DCS_OK;
}

/* The line of a token, and the file that it is in: of the last #line before it. */
static int line_of(const dcs_rewriter *r, int at, char file[DCS_TEXT]) {
  int line = 1;
  snprintf(file, DCS_TEXT, "%s", r->source->name);
  for (int i = 0; i < at; i++) {
    const dcs_token *token = &r->tokens.list[i];
    if (token->kind == DCS_TOKEN_LINE &&
        sscanf(token->text, "#line %d \"%255[^\"\n]\"", &line, file) == 2)
      line--;
    for (int c = 0; c < token->length; c++)
      line += token->text[c] == '\n';
  }
  return line;
}

static void write_line(dcs_rewriter *r, int at) {
  char file[DCS_TEXT];
  const int line = line_of(r, at, file);
  fprintf(r->out, "\n#line %d \"%s\"\n", line, file);
}

static void write_instance(dcs_rewriter *r, const dcs_template *of, int argument) {
  write_line(r, of->function.from);
  r->parameter = of->parameter;
  r->argument = argument;
  dcs_write_helper(r, &of->function);
  r->parameter = r->argument = 0;
}

static dcs_status find_instance(dcs_rewriter *r, int argument, int *found) {
  const dcs_token *token = &r->tokens.list[argument];
  for (*found = 0; *found < r->n_instances; (*found)++) {
    const dcs_token *before = &r->tokens.list[r->instances[*found].argument];
    if (before->length == token->length &&
        memcmp(before->text, token->text, (size_t)token->length) == 0)
      return DCS_OK;
  }
  if (r->n_instances == DCS_REWRITER_INSTANCES)
    return dcs_fail(DCS_UNAVAILABLE, "%s: found templates with more than %d arguments",
                    r->source->name, DCS_REWRITER_INSTANCES);
  r->instances[r->n_instances].argument = argument;
  r->instances[r->n_instances++].written = 0;
  return DCS_OK;
}

/* All templates so far with that argument: those that they call are among them. */
dcs_status dcs_write_instances(dcs_rewriter *r, const dcs_function *f) {
  int argument, found;
  bool any = false;
  for (int i = f->body; i < f->end; i++) {
    if (!dcs_template_at(r, i, &argument)) continue;
    DCS_TRY(find_instance(r, argument, &found));
    for (int *n = &r->instances[found].written; *n < r->n_templates; any = true)
      write_instance(r, &r->templates[(*n)++], argument);
  }
  if (any) write_line(r, f->from);
  return DCS_OK;
}
