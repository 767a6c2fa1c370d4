/* What a specification makes. Internal to harness/spec. */
#ifndef DCS_SPEC_MADE_H
#define DCS_SPEC_MADE_H

#include "harness/problems/case.h"
#include "harness/spec/own.h"

/* A configuration of a kernel in C, compiled. */
typedef struct {
  dcs_config config;
  void (*call)(void *const *arguments);
} dcs_made_code;

typedef struct {
  dcs_spec spec;
  char id[64], what[DCS_TEXT];
  const char *sources[2];
  dcs_variant variant;
  dcs_outside outside;
  dcs_param params[DCS_MAX_PARAMS];
  int param_of[DCS_MAX_PARAMS]; /* the specification's, of each of the variant's */
  const dcs_kind *of;           /* whose problems it computes: `kind`, or a built-in one */
  dcs_kind kind;
  dcs_buffer buffers[DCS_MAX_BUFFERS];
  int argument_of[DCS_MAX_BUFFERS];                            /* -1: none */
  void *data[DCS_MAX_ARGUMENTS], *expected[DCS_MAX_ARGUMENTS]; /* NULL: none */
  double outputs;                                              /* values that the kernel writes */
  dcs_arg args[DCS_MAX_ARGS + 1];
  unsigned char own[DCS_OWN_BYTES];
  dcs_made_code *code;
  int n_code, last; /* last: the one that was called last */
} dcs_made;

/* ---- the functions of the variant (variant.c, launch.c, call.c) ---- */

bool dcs_made_solves(const dcs_made *made, const dcs_config *problem, char why[DCS_TEXT]);
bool dcs_made_applicable(const dcs_made *made, const dcs_problem *problem, const dcs_config *config,
                         char why[DCS_TEXT]);
void dcs_made_plan(const dcs_made *made, const dcs_problem *problem, const dcs_config *config,
                   dcs_plan *plan);
dcs_status dcs_made_load(dcs_made *made, const dcs_config *config);
bool dcs_made_compute(dcs_made *made, const dcs_problem *problem, const dcs_config *config,
                      void *const out[DCS_MAX_BUFFERS]);

/* ---- making (kind.c, variant.c) ---- */

/* The kind with its buffers, and their data where it is to run. */
dcs_status dcs_made_fill_kind(dcs_made *made, bool runs);
/* The variant with its parameters and arguments. */
dcs_status dcs_made_fill_variant(dcs_made *made);
/* Sets the variant's functions to those of the place that it is added at (slots.c). */
void dcs_made_take_slot(dcs_made *made, int slot);
/* What was made for a kind, a place; NULL: nothing. */
dcs_made *dcs_made_of_kind(const dcs_kind *kind);
dcs_made *dcs_made_at(int slot);

#endif
