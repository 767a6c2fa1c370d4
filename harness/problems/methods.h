/* Methods (a variant with a configuration) chosen by what people type. */
#ifndef DCS_METHODS_H
#define DCS_METHODS_H

#include "harness/base/machine.h"
#include "harness/problems/problem.h"

typedef struct {
  const dcs_variant *variant;
  dcs_config config;
} dcs_method;

typedef struct {
  dcs_method *list;
  int n;
} dcs_methods;

/* What a group of variants is taken from. */
typedef struct {
  bool gpu;                   /* the device of the GPU variants is there */
  const dcs_kind *kind;       /* whose variants are meant; NULL: any kind's */
  const dcs_config *problems; /* of the kind; n_problems. A variant that solves none is left out */
  int n_problems;             /* 0: whatever the problem */
} dcs_at_hand;

/* The kind whose variants, or which itself, all of the names with commas are; the first kind where
 * there is no such one. */
const dcs_kind *dcs_kind_of_names(const char *variants);

/* variants: "a,b,c" of ids, or groups: "all", "cpu", "gpu", a kind (of a group only what is
 * available and at hand). config: NULL or "k=v,k=v": a value is a number, a label, "all", "max"
 * (the CPUs at hand, for threads), or several: "1|2|4" and "1:16" or "32:256:32". All combinations
 * are made; a variant without that parameter ignores it, but one of them must have it. DCS_USAGE
 * names the token and suggests the nearest name. The caller frees `methods->list`. */
dcs_status dcs_select_methods(const char *variants, const char *config, dcs_at_hand at_hand,
                              dcs_methods *methods);

/* The method that a row of a file names: an id, and a value for each of its parameters as
 * dcs_format_config() writes them. DCS_INPUT says what was found and what would be right. */
dcs_status dcs_read_method(const char *variant, const char *config, dcs_method *method);
/* The same of both in one text, "VARIANT CONFIG". */
dcs_status dcs_method_of(const char *text, dcs_method *method);

bool dcs_same_method(const dcs_method *a, const dcs_method *b);

/* Whether the variant can run on this machine, its GPU left aside. */
bool dcs_variant_available(const dcs_variant *variant, char why[DCS_TEXT]);

/* ---- values of parameters, of variants and kinds alike ---- */

typedef struct {
  double *list;
  int n;
} dcs_values;

/* Adds what a text means for a parameter, "1|2|4", "all", "c2": each value once. */
dcs_status dcs_parse_values(const dcs_param *param, const char *text, dcs_values *values);

/* All combinations of values[n_params], the last parameter fastest, appended to *list. DCS_USAGE
 * for more than 100,000. */
dcs_status dcs_combine(const dcs_values *values, int n_params, dcs_config **list, int *n);

#endif
