/* The text of a CUDA kernel, and a configuration as macros. */
#ifndef DCS_KERNEL_SOURCE_H
#define DCS_KERNEL_SOURCE_H

#include "harness/device/device.h"

enum {
  DCS_MACRO = 96,      /* of "-DNAME=VALUE" */
  DCS_MAX_OPTIONS = 64 /* of dcs_outside */
};

/* The kernel of a CUDA variant, the first of its sources, with what it includes in its place, and
 * the macros of a configuration. From a folder of kernels: the file of that name there, which must
 * be there unless the folder has variants of the user's, else the one built in; of what is
 * included, the file of that name there, if there is one, else the project's. Of a variant that is
 * not built in: the text that was read. The struct must stay where it is; free with
 * dcs_kernel_source_free(). */
typedef struct {
  dcs_source source;
  char *text;    /* owned */
  uint64_t hash; /* over paths and texts of the files in it */
  char name[DCS_TEXT];
  char option_text[3 * DCS_MAX_PARAMS][DCS_MACRO];
  const char *options[3 * DCS_MAX_PARAMS + DCS_MAX_OPTIONS];
} dcs_kernel_source;

/* The text of a kernel of the user's, with what it includes from beside it in its place, and a hash
 * of all; the caller frees it. DCS_IO: a file cannot be read. */
dcs_status dcs_outside_text(const char *path, char **text, uint64_t *hash);

/* The value of a macro of a variant that is not built in: the label as it is; returns text. */
char *dcs_macro_value(const dcs_param *param, double value, char text[32]);

/* Whether the variant's kernel is of that language; else says so in dcs_error_message(). */
bool dcs_written_in(const dcs_variant *variant, const char *language);

/* DCS_IO: the folder lacks the kernel; DCS_FAILED: what a line includes is nowhere. Then nothing is
 * left to free. */
dcs_status dcs_kernel_source_open(const dcs_variant *variant, const dcs_config *config,
                                  const char *kernels, dcs_kernel_source *source);
/* The same with what the variant writes in front of it for a problem (dcs_variant.text): that has
 * the text of this problem alone. */
dcs_status dcs_kernel_source_for(const dcs_variant *variant, const dcs_problem *problem,
                                 const dcs_config *config, const char *kernels,
                                 dcs_kernel_source *source);
/* The same of a kernel that is built in and no variant's, without options. */
dcs_status dcs_kernel_source_built_in(const char *path, dcs_kernel_source *source);
void dcs_kernel_source_free(dcs_kernel_source *source);

/* One hash over the names and texts of all sources of a variant, on the CPU and for CUDA alike; a
 * kernel is taken from the folder `kernels` where that is not NULL. DCS_IO when it lacks it. */
dcs_status dcs_variant_hash(const dcs_variant *variant, const char *kernels, uint64_t *hash);
/* The same over all variants: two runs of other kernels do not mix. A kernel that a folder lacks
 * counts as empty; measuring its variant will say so. */
uint64_t dcs_all_variants_hash(const char *kernels);

#endif
