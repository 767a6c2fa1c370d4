/* A tuner's results as other tuners write them, in any of three layouts: T4 (TuningSchema, branch
 * T4, results-schema.json), KTT's own output, and a cache file of Kernel Tuner. */
#ifndef DCS_T4_RESULT_H
#define DCS_T4_RESULT_H

#include "harness/base/outcome.h"
#include "kernels/status.h"

#include <jansson.h>

/* What became of one configuration. */
typedef struct {
  json_t *configuration; /* an object of numbers, texts, true and false */
  dcs_scope scope;       /* what its times include: kernel, unless this program wrote the file */
  dcs_outcome outcome;
  json_t *runtimes;  /* numbers above 0; of an outcome that is ok, one at least */
  double unit_ns;    /* of them */
  double compile_ms; /* NaN: unknown */
  const json_t *own; /* what this program adds to a result (t4_write.h); NULL: nothing */
  const char *path;  /* of the file */
  char where[128];   /* in it, for messages: "results[3]" */
} dcs_t4_result;

/* Whether a file is of one of the layouts. */
bool dcs_t4_looks(const json_t *root);

/* Hands the file's results to `take`, in order, until it fails. DCS_INPUT names the file, the place
 * in it, what was found and what would be right. */
typedef dcs_status dcs_t4_take(void *to, const dcs_t4_result *result);
dcs_status dcs_t4_each(const char *path, const json_t *root, dcs_t4_take *take, void *to);

/* The card that the file names; "" where it names none. */
const char *dcs_t4_device(const json_t *root);

#endif
