/* How the tokens of functions are written as OpenCL C. */
#ifndef DCS_OPENCL_REWRITE_H
#define DCS_OPENCL_REWRITE_H

#include "harness/device/opencl/tokens.h"
#include "harness/device/opencl/translate.h"
#include "harness/files/text_stream.h"

enum {
  DCS_REWRITER_NAMES = 128, /* functions, structs */
  DCS_REWRITER_SIZES = 64,
  DCS_REWRITER_INSTANCES = 16 /* arguments that templates are used with */
};

typedef struct {
  int from, end;
} dcs_token_range;

/* A function's tokens: where it begins, its name, the brackets of its parameters, its body's {, and
 * what is behind it. body: 0: it is no function. */
typedef struct {
  int from, name, open, close, body, end;
} dcs_function;

/* A function with one parameter, `class T` or `int N`. */
typedef struct {
  dcs_function function; /* from: behind template <> */
  int parameter;
} dcs_template;

typedef struct {
  dcs_token_range type;
  int name;
} dcs_constant;

typedef struct {
  const dcs_source *source;
  dcs_opencl_text *translated;
  dcs_tokens tokens;
  FILE *out;
  bool one_line; /* line ends are written as spaces */

  int structs[DCS_REWRITER_NAMES]; /* their names */
  int n_structs;
  int helpers[DCS_REWRITER_NAMES]; /* names of functions that are no kernels */
  int n_helpers;
  dcs_constant constants[DCS_OPENCL_CONSTANTS];
  int n_constants;
  dcs_token_range sizes[DCS_REWRITER_SIZES]; /* types */
  int n_sizes;

  dcs_template templates[DCS_REWRITER_NAMES];
  int n_templates;
  /* Arguments of templates, and how many templates are written out with each. */
  struct {
    int argument, written;
  } instances[DCS_REWRITER_INSTANCES];
  int n_instances;

  /* While a function is written. */
  int result;              /* the token that its type ends with */
  int parameter, argument; /* of a template: what is written for what; 0: none */
} dcs_rewriter;

/* Declares every struct, so that its name alone is a type. */
void dcs_write_struct_names(dcs_rewriter *r);
/* Tokens from..end-1. */
void dcs_rewrite(dcs_rewriter *r, int from, int end);
/* The constant arrays as the last parameters of a function, or the last arguments of a call. */
void dcs_write_constants(dcs_rewriter *r, bool declared, bool alone);
void dcs_write_helper(dcs_rewriter *r, const dcs_function *f);

/* DCS_UNAVAILABLE: there are too many. */
dcs_status dcs_add_function(dcs_rewriter *r, const dcs_function *f);
/* Whether a word is the name of one of them. */
bool dcs_is_function(const dcs_rewriter *r, const dcs_token *word);
dcs_status dcs_add_template(dcs_rewriter *r, const dcs_function *f);
/* The instances of templates that the function needs, before it. */
dcs_status dcs_write_instances(dcs_rewriter *r, const dcs_function *f);
/* The template that the token calls as NAME<ARGUMENT>(, or NULL; *argument is that. */
const dcs_template *dcs_template_at(const dcs_rewriter *r, int at, int *argument);

#endif
