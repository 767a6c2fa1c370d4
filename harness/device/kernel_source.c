/* Finds the text of a CUDA kernel and turns a configuration into macros. */
#include "harness/device/kernel_source.h"
#include "harness/base/embedded.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/files/text_stream.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_macro(dcs_kernel_source *source, const char *name, const char *label, int value) {
  char *text = source->option_text[source->source.n_options];
  snprintf(text, sizeof source->option_text[0], "-D%s%s%s=%d", name, label ? "_" : "",
           label ? label : "", value);
  for (char *c = text + 2; *c && *c != '='; c++)
    *c = (char)toupper((unsigned char)*c);
  source->options[source->source.n_options++] = text;
}

char *dcs_macro_value(const dcs_param *param, double value, char text[32]) {
  if (param->labels)
    snprintf(text, 32, "%s", param->labels[(int)(value - param->lo)]);
  else
    snprintf(text, 32, "%lld", (long long)value);
  return text;
}

/* block_x=16: -DBLOCK_X=16; read=end: -DREAD_START=0 -DREAD_END=1 -DREAD=1. */
static void add_macros(const dcs_variant *variant, const dcs_config *config,
                       dcs_kernel_source *source) {
  for (int p = 0; p < variant->n_params; p++) {
    const dcs_param *param = &variant->params[p];
    for (int v = (int)param->lo; param->labels && v <= param->hi; v++)
      add_macro(source, param->name, param->labels[v - (int)param->lo], v);
    add_macro(source, param->name, NULL, (int)config->value[p]);
  }
}

/* The folder that the kernel lies in is named after its language. */
bool dcs_written_in(const dcs_variant *variant, const char *language) {
  if (variant->outside) {
    if (strcmp(variant->outside->language, language) == 0) return true;
    (void)dcs_fail(DCS_UNAVAILABLE, "%s is written in %s, this device's language is %s",
                   variant->id, variant->outside->language, language);
    return false;
  }
  const char *path = variant->sources[0], *slash = strrchr(path, '/');
  const size_t length = strlen(language);
  if (slash && slash - path > (ptrdiff_t)length && slash[-(ptrdiff_t)length - 1] == '/' &&
      strncmp(slash - length, language, length) == 0)
    return true;
  (void)dcs_fail(DCS_UNAVAILABLE,
                 "%s is not written in this device's language: %s is in no folder %s", variant->id,
                 path, language);
  return false;
}

/* ---- text ---- */

/* A source and what it includes, written as one text. */
typedef struct {
  const char *kernels;
  bool outside; /* what is not in `kernels` is the compiler's to find */
  FILE *out;
  uint64_t hash; /* of all files so far */
} expansion;

static uint64_t hash_text(uint64_t hash, const char *path, const char *text) {
  hash = dcs_hash(hash, path, strlen(path) + 1);
  return dcs_hash(hash, text, strlen(text) + 1);
}

/* Whether the folder is of variants of the user's, beside which those built in stay as they are. */
static bool has_own(const char *kernels) {
  char *folder = dcs_n_variants > dcs_n_built_in ? realpath(kernels, NULL) : NULL;
  bool found = false;
  for (int v = dcs_n_built_in; folder && !found && v < dcs_n_variants; v++) {
    const char *file = dcs_variants[v]->outside->file, *slash = strrchr(file, '/');
    found = strlen(folder) == (size_t)(slash - file) && strncmp(file, folder, strlen(folder)) == 0;
  }
  free(folder);
  return found;
}

/* A file's text, the caller's to free, and its name for messages: from the folder of kernels, else,
 * unless that must have it, as built in. */
static dcs_status read_text(const char *path, const char *kernels, bool must, char name[DCS_TEXT],
                            char **text) {
  const char *slash = strrchr(path, '/');
  if (kernels) {
    snprintf(name, DCS_TEXT, "%s/%s", kernels, slash ? slash + 1 : path);
    must = must && !has_own(kernels);
    if (must || access(name, F_OK) == 0) return dcs_read_file(name, text, NULL);
  }
  snprintf(name, DCS_TEXT, "%s", path);
  const char *built_in = dcs_embedded(path);
  if (!built_in) return dcs_fail(DCS_UNAVAILABLE, "%s is not built into this program", path);
  *text = strdup(built_in);
  return *text ? DCS_OK : dcs_want("no memory for the text of %s", path);
}

/* Whether the line is #include "path". */
static bool is_include(const char *line, char path[DCS_TEXT]) {
  static const char *const words[] = {"#", "include", "\""};
  for (int w = 0; w < 3; w++) {
    line += strspn(line, " \t");
    if (strncmp(line, words[w], strlen(words[w])) != 0) return false;
    line += strlen(words[w]);
  }
  size_t length = strcspn(line, "\"\n");
  if (line[length] != '"' || length >= DCS_TEXT) return false;
  snprintf(path, DCS_TEXT, "%.*s", (int)length, line);
  return true;
}

static dcs_status expand(expansion *e, const char *name, const char *text, int depth);

/* Writes the file that line `number` of `from` includes. */
/* Whether a file of the user's includes one that lies beside it. */
static bool lies_beside(const char *path, const char *folder) {
  char name[2 * DCS_TEXT];
  const char *slash = strrchr(path, '/');
  snprintf(name, sizeof name, "%s/%s", folder, slash ? slash + 1 : path);
  return access(name, F_OK) == 0;
}

static dcs_status expand_include(expansion *e, const char *path, const char *from, int number,
                                 int depth) {
  enum { DEEPEST = 8 };
  char name[DCS_TEXT], *text;
  if (depth > DEEPEST)
    return dcs_fail(DCS_FAILED, "%s:%d: found %s included %d deep; expected at most %d", from,
                    number, path, depth, DEEPEST);
  dcs_status status = read_text(path, e->kernels, false, name, &text);
  if (status == DCS_UNAVAILABLE && !dcs_wanted())
    return dcs_fail(DCS_FAILED,
                    "%s:%d: found #include \"%s\"; expected a header of the project%s%s", from,
                    number, path, e->kernels ? " or of " : "", e->kernels ? e->kernels : "");
  if (status != DCS_OK) return status;
  e->hash = hash_text(e->hash, path, text);
  fprintf(e->out, "#line 1 \"%s\"\n", name);
  status = expand(e, name, text, depth);
  fprintf(e->out, "#line %d \"%s\"\n", number + 1, from);
  free(text);
  return status;
}

/* Writes a text, without the mark of UTF-8 that some editors put before it, with the files that it
 * includes in the place of their lines. With #line around these, a compiler's messages have the
 * file and line that a reader knows. */
static dcs_status expand(expansion *e, const char *name, const char *text, int depth) {
  char path[DCS_TEXT];
  dcs_status status = DCS_OK;
  text = dcs_text_behind_mark(text);
  for (int number = 1; *text && status == DCS_OK; number++) {
    size_t length = strcspn(text, "\n");
    if (is_include(text, path) && (!e->outside || lies_beside(path, e->kernels)))
      status = expand_include(e, path, name, number, depth + 1);
    else
      fprintf(e->out, "%.*s\n", (int)length, text);
    text += length + (text[length] == '\n');
  }
  return status;
}

static dcs_status open_text(const char *path, const char *kernels, dcs_kernel_source *source) {
  char *text;
  dcs_text_stream whole;
  DCS_TRY(read_text(path, kernels, true, source->name, &text));
  expansion e = {.kernels = kernels, .hash = hash_text(DCS_HASH_START, path, text)};
  dcs_status status = dcs_text_begin(&whole);
  if (status == DCS_OK) {
    e.out = whole.stream;
    status = expand(&e, source->name, text, 0);
    dcs_status ended = dcs_text_end(&whole, &source->text, NULL);
    if (status == DCS_OK) status = ended;
  }
  source->hash = e.hash;
  if (status != DCS_OK) dcs_kernel_source_free(source);
  free(text);
  return status;
}

dcs_status dcs_outside_text(const char *path, char **text, uint64_t *hash) {
  char folder[DCS_TEXT], *own;
  const char *slash = strrchr(path, '/');
  dcs_text_stream whole;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  DCS_TRY(dcs_read_file(path, &own, NULL));
  expansion e = {.kernels = folder, .outside = true, .hash = hash_text(DCS_HASH_START, "", own)};
  dcs_status status = dcs_text_begin(&whole);
  if (status == DCS_OK) {
    e.out = whole.stream;
    status = expand(&e, path, own, 0);
    dcs_status ended = dcs_text_end(&whole, text, NULL);
    if (status == DCS_OK) status = ended;
  }
  *hash = e.hash;
  free(own);
  return status;
}

/* The kernel as it was when its description was read. */
static dcs_status take_outside(const dcs_variant *variant, const dcs_config *config,
                               dcs_kernel_source *source) {
  const dcs_outside *outside = variant->outside;
  snprintf(source->name, sizeof source->name, "%.*s", DCS_TEXT - 1, variant->sources[0]);
  source->text = strdup(outside->text);
  source->hash = outside->all;
  for (int p = 0; p < variant->n_params; p++) {
    char *text = source->option_text[p], value[32];
    snprintf(text, sizeof source->option_text[0], "-D%s=%s", variant->params[p].name,
             dcs_macro_value(&variant->params[p], config->value[p], value));
    source->options[source->source.n_options++] = text;
  }
  for (int o = 0; o < outside->n_options; o++)
    source->options[source->source.n_options++] = outside->options[o];
  return source->text ? DCS_OK : dcs_want("no memory for %s", source->name);
}

/* Puts what the variant writes for the problem in front of the text. */
static dcs_status write_front(const dcs_variant *variant, const dcs_problem *problem,
                              const dcs_config *config, dcs_kernel_source *source) {
  dcs_text_stream whole;
  char *kernel = source->text;
  DCS_TRY(dcs_text_begin(&whole));
  variant->text(problem, config, whole.stream);
  fprintf(whole.stream, "#line 1 \"%s\"\n%s", source->name, kernel);
  DCS_TRY(dcs_text_end(&whole, &source->text, NULL));
  free(kernel);
  return DCS_OK;
}

dcs_status dcs_kernel_source_open(const dcs_variant *variant, const dcs_config *config,
                                  const char *kernels, dcs_kernel_source *source) {
  return dcs_kernel_source_for(variant, NULL, config, kernels, source);
}

dcs_status dcs_kernel_source_for(const dcs_variant *variant, const dcs_problem *problem,
                                 const dcs_config *config, const char *kernels,
                                 dcs_kernel_source *source) {
  *source = (dcs_kernel_source){0};
  if (variant->outside)
    DCS_TRY(take_outside(variant, config, source));
  else
    DCS_TRY(open_text(variant->sources[0], kernels, source));
  if (!variant->outside) add_macros(variant, config, source);
  if (variant->text) {
    const dcs_status status = write_front(variant, problem, config, source);
    if (status != DCS_OK) dcs_kernel_source_free(source);
    if (status != DCS_OK) return status;
  }
  source->source.name = source->name;
  source->source.text = source->text;
  source->source.options = source->options;
  source->source.shared_bytes = variant->shared_bytes;
  source->source.capabilities = variant->capabilities;
  return DCS_OK;
}

dcs_status dcs_kernel_source_built_in(const char *path, dcs_kernel_source *source) {
  *source = (dcs_kernel_source){0};
  DCS_TRY(open_text(path, NULL, source));
  source->source = (dcs_source){.name = source->name, .text = source->text};
  return DCS_OK;
}

dcs_status dcs_variant_hash(const dcs_variant *variant, const char *kernels, uint64_t *hash) {
  const dcs_config config = dcs_initial_config(variant, 1);
  const char *const *path = variant->sources;
  *hash = variant->outside ? variant->outside->all : DCS_HASH_START;
  if (variant->outside) return DCS_OK;
  if (variant->backend == DCS_GPU) {
    dcs_kernel_source source;
    dcs_status status = dcs_kernel_source_open(variant, &config, kernels, &source);
    *hash = source.hash;
    dcs_kernel_source_free(&source);
    DCS_TRY(status);
    path++;
  }
  for (; *path; path++) {
    const char *text = dcs_embedded(*path);
    if (!text) return dcs_fail(DCS_UNAVAILABLE, "%s is not built into this program", *path);
    *hash = hash_text(*hash, *path, text);
  }
  return DCS_OK;
}

uint64_t dcs_all_variants_hash(const char *kernels) {
  uint64_t all = DCS_HASH_START, one;
  for (int v = 0; v < dcs_n_variants; v++)
    if (dcs_variant_hash(dcs_variants[v], kernels, &one) == DCS_OK)
      all = dcs_hash(all, &one, sizeof one);
  return all;
}

void dcs_kernel_source_free(dcs_kernel_source *source) {
  free(source->text);
  source->text = NULL;
}
