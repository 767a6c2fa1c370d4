/* Methods (a variant with a configuration) chosen by what people type. */
#ifndef DCS_METHODS_H
#define DCS_METHODS_H

#include "harness/base/machine.h"
#include "kernels/contract.h"

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
  bool gpu;    /* the device of CUDA variants is there */
  bool cutoff; /* a cutoff is given, for the variants that need one */
} dcs_at_hand;

/* variants: "a,b,c" of ids, or groups: "all", "cpu", "cuda" (of a group only what is available and
 * at hand). config: NULL or "k=v,k=v": a value is
 * a number, a label, "all", "max" (the CPUs at hand, for threads), or several: "1|2|4" and "1:16"
 * or "32:256:32". All combinations are made; a variant without that parameter ignores it, but one
 * of them must have it. DCS_USAGE names the token and suggests the nearest name. The caller frees
 * `methods->list`. */
dcs_status dcs_select_methods(const char *variants, const char *config, dcs_at_hand at_hand,
                              dcs_methods *methods);

bool dcs_same_method(const dcs_method *a, const dcs_method *b);

/* Whether the variant can run on this machine, its GPU left aside. */
bool dcs_variant_available(const dcs_variant *variant, char why[DCS_TEXT]);

#endif
