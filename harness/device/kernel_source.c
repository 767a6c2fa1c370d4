/* Finds the text of a CUDA kernel and turns a configuration into macros. */
#include "harness/device/kernel_source.h"
#include "harness/base/embedded.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_macro(dcs_kernel_source *source, const char *name, const char *label, int value) {
  char *text = source->option_text[source->source.n_options];
  snprintf(text, sizeof source->option_text[0], "-D%s%s%s=%d", name, label ? "_" : "",
           label ? label : "", value);
  for (char *c = text + 2; *c && *c != '='; c++)
    *c = (char)toupper((unsigned char)*c);
  source->options[source->source.n_options++] = text;
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

dcs_status dcs_kernel_source_open(const dcs_variant *variant, const dcs_config *config,
                                  const char *kernels, dcs_kernel_source *source) {
  *source = (dcs_kernel_source){0};
  const char *path = variant->sources[0];
  if (kernels) {
    snprintf(source->name, sizeof source->name, "%s%s", kernels, strrchr(path, '/'));
    DCS_TRY(dcs_read_file(source->name, &source->file_text, NULL));
    source->source.text = source->file_text;
  } else {
    snprintf(source->name, sizeof source->name, "%s", path);
    source->source.text = dcs_embedded(source->name);
    if (!source->source.text)
      return dcs_fail(DCS_UNAVAILABLE, "%s is not built into this program", source->name);
  }
  add_macros(variant, config, source);
  source->source.name = source->name;
  source->source.options = source->options;
  return DCS_OK;
}

static uint64_t hash_text(uint64_t hash, const char *path, const char *text) {
  hash = dcs_hash(hash, path, strlen(path) + 1);
  return dcs_hash(hash, text, strlen(text) + 1);
}

dcs_status dcs_variant_hash(const dcs_variant *variant, const char *kernels, uint64_t *hash) {
  const dcs_config config = dcs_initial_config(variant, 1);
  *hash = DCS_HASH_START;
  for (const char *const *path = variant->sources; *path; path++) {
    const char *text = dcs_embedded(*path);
    if (path == variant->sources && variant->backend == DCS_GPU) {
      dcs_kernel_source source;
      dcs_status status = dcs_kernel_source_open(variant, &config, kernels, &source);
      if (status == DCS_OK) *hash = hash_text(*hash, *path, source.source.text);
      dcs_kernel_source_free(&source);
      DCS_TRY(status);
    } else if (text) {
      *hash = hash_text(*hash, *path, text);
    } else {
      return dcs_fail(DCS_UNAVAILABLE, "%s is not built into this program", *path);
    }
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
  free(source->file_text);
  source->file_text = NULL;
}
