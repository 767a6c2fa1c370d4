/* What can be said of a method on a size before it is measured, and beside what was measured: its
 * work, what the compiler made of its code, how it fills a card, and what it cannot be faster than.
 */
#ifndef DCS_EXPLAIN_H
#define DCS_EXPLAIN_H

#include "harness/problems/methods.h"
#include "harness/runs/environment.h"
#include "harness/runs/run.h"

typedef struct {
  const dcs_method *method;
  const dcs_run *run;        /* whose times are shown beside */
  const char *run_name;      /* for texts: "the shipped reference" */
  const dcs_facts *facts;    /* of the machine it is explained for, with keys as in env.csv */
  const char *card;          /* for texts, where that machine comes from: "cuda:0" */
  const char *arch;          /* "sm_90"; NULL: of that machine's card, else sm_90 */
  const char *kernels;       /* folder to read .cu files from; NULL: those built in */
  const dcs_config *problem; /* of the variant's kind */
  bool any_problem; /* nobody asked for it: what was measured of the method, else `problem` */
  int64_t atoms;    /* 0: what was measured of the method, else 4,000 */
  dcs_dims grid;    /* x 0: what was measured of the method, else 512x512x16 */
  double predicted; /* evaluations/s; NaN: nothing was */
} dcs_explain_request;

/* One thing that is known, or why it is not. */
typedef struct {
  const char *section, *name, *unit; /* name: snake_case; unit "": none */
  double value;                      /* NaN: the text says it */
  char text[DCS_TEXT];
} dcs_explained;

enum { DCS_MAX_EXPLAINED = 96 };

typedef struct {
  char title[4 * DCS_TEXT]; /* the method, on what size, on which card */
  dcs_explained list[DCS_MAX_EXPLAINED];
  int n;
} dcs_explanation;

/* DCS_USAGE: the method cannot compute the problem, or an architecture that is not known. A
 * compiler that is not here is said in the explanation and is no failure; DCS_FAILED: the code does
 * not compile. */
dcs_status dcs_explain_method(const dcs_explain_request *request, dcs_explanation *explanation);

/* The facts of a run's machine. */
void dcs_facts_of_run(const dcs_run *run, dcs_facts *facts);

#endif
