/* A method on a size as the parts of an explanation see it. */
#ifndef DCS_EXPLAIN_SUBJECT_H
#define DCS_EXPLAIN_SUBJECT_H

#include "harness/device/devices.h"
#include "harness/explain/explain.h"
#include "harness/explain/instructions.h"
#include "harness/explain/occupancy.h"

typedef struct {
  const dcs_explain_request *request;
  dcs_explanation *out;
  const dcs_variant *variant;
  const dcs_config *config;

  /* What is computed. */
  dcs_size size;
  double spacing;
  dcs_problem shape;       /* without its inputs */
  double useful, executed; /* evaluations; executed NaN: it depends on the inputs */
  double flops, bytes;     /* of an evaluation; of main memory, at least, all of them together */

  /* What was measured, NULL: nothing like it; `same`: this method on this size;
   * same_method: on another, perhaps. */
  const dcs_run_row *row;
  bool same, same_method;

  double least_s; /* what the limit that binds takes; 0: unknown */

  /* A GPU's: the launches, the card, the code, and how it fills the card. */
  dcs_plan plan;
  int64_t launches, blocks; /* blocks of a launch */
  int threads;              /* of a block */
  int points;               /* of a thread */
  const char *arch;
  char arch_text[16];
  const dcs_capability *capability;
  int sms;         /* 0: no card of that architecture is known */
  double clock_hz; /* NaN: the same */
  bool compiled;
  dcs_code_facts code; /* registers -1: unknown */
  dcs_listing listing; /* its text is NULL after counting */
  dcs_inner_loop loop;
  double evals; /* of a thread, an iteration of the inner loop; NaN: unknown */
  dcs_occupancy occupancy;
  dcs_waves waves; /* NaN without a card */
} dcs_subject;

/* Adds a line; text may be "". */
void dcs_explain_add(dcs_subject *s, const char *section, const char *name, double value,
                     const char *unit, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* One that the name says all about. */
void dcs_explain_number(dcs_subject *s, const char *section, const char *name, double value,
                        const char *unit);

/* A number of the facts; NaN where they lack it. */
double dcs_explain_fact(const dcs_subject *s, const char *key);

/* Finds the row of the run that is nearest to the method, and chooses the size by it where none was
 * asked for. */
void dcs_explain_find_row(dcs_subject *s);

/* Compiles, counts, and adds what was found (code.c). */
dcs_status dcs_explain_code(dcs_subject *s);
/* What the method cannot be faster than (bounds.c). */
void dcs_explain_bounds(dcs_subject *s);
/* What was measured, and a prediction beside it (measured.c). */
void dcs_explain_measured(dcs_subject *s);

#endif
