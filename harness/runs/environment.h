/* env.csv: the facts of a run, key by key. It names no user and no host. */
#ifndef DCS_ENVIRONMENT_H
#define DCS_ENVIRONMENT_H

#include "harness/input/molecule.h"
#include "harness/runs/run.h"
#include "harness/worker/bench.h"

#include <math.h>

typedef struct {
  char key[48];
  char value[1024];
} dcs_fact;

enum { DCS_MAX_FACTS = 64 };

typedef struct {
  dcs_fact list[DCS_MAX_FACTS];
  int n;
} dcs_facts;

/* What a run depends on beside the machine. */
typedef struct {
  dcs_input input;     /* no file: random atoms */
  uint64_t input_hash; /* of the bytes that were read of it: a pipe gives them once */
  const char *kernels; /* folder, or NULL for the built-in sources */
  dcs_grid grid;       /* as asked for: spacing, margin, origin */
  uint64_t seed;
  const char
      *interleaved; /* name of the run, of another one too, whose samples take turns; or NULL */
  int argc;
  char **argv; /* of the command, "dcsbench sweep" first, for the record */
} dcs_run_facts;

/* Adds one; nothing where the list is full. */
void dcs_fact_add(dcs_facts *facts, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Program, compiler, CPU, memory, operating system. */
void dcs_machine_facts(dcs_facts *facts);
/* Driver, compiler and cards of the bench's GPU session; nothing when there is no GPU, which
 * bench->why then says. Of several cards, a fact in which they differ has a value for each, with
 * semicolons between. Not DCS_OK where it is not known whether there is one: its worker was killed,
 * could not be started, or does not answer. */
dcs_status dcs_gpu_facts(dcs_bench *bench, dcs_facts *facts);
/* Measures the limits that rates on this backend are held against; when that fails, or where
 * DCS_NO_LIMITS is set, adds why there are none instead. */
dcs_status dcs_limit_facts(dcs_bench *bench, dcs_backend backend, dcs_facts *facts);
/* Adds those of a run, or why it has none: its rates are held against limits that were measured
 * once. */
void dcs_kept_limits(const dcs_run *run, dcs_facts *facts);
/* Adds what identifies sources, program and input. */
dcs_status dcs_run_facts_add(const dcs_run_facts *run, dcs_facts *facts);

/* What a rate of the method is held against: the measured limit that its kind names; of a CPU's
 * with one thread, with a thread for each CPU (the facts', or this machine's), or in between on the
 * straight line between the two. NaN where the facts lack it. */
double dcs_limit_for(const dcs_facts *facts, const dcs_method *method);

/* "" when absent. */
const char *dcs_fact_value(const dcs_facts *facts, const char *key);

dcs_status dcs_write_facts(const char *path, const dcs_facts *facts);

/* Compares with the facts of an earlier run: DCS_USAGE names the first fact that differs and
 * makes the two incomparable (program, compiler, CPU, card, driver, seed, input, place of the
 * grid): samples of two builds, or of two inputs, never share a row. */
dcs_status dcs_same_facts(const dcs_run *run, const dcs_facts *facts);

#endif
