/* What the literature claims of the variants of a kind: that one is so many times as fast as
 * another, or how near it comes to what the machine can do. `dcsbench claims` holds it against a
 * run. */
#ifndef DCS_KIND_CLAIMS_H
#define DCS_KIND_CLAIMS_H

#include "kernels/contract.h"

/* The fastest configuration of a variant that has these values. */
typedef struct {
  const char *variant; /* NULL: any of the GPU */
  const char *config;  /* "halo=past"; NULL: any */
} dcs_claimed_method;

typedef struct {
  const char *id, *source, *text;
  dcs_claimed_method method, base; /* base of no variant: the kind's measured limit */
  double lo, hi;     /* how many times as fast, in kernel time; of the limit: which part of it */
  double partly_lo;  /* from where on it is right in part; INFINITY: nowhere */
  double least_size; /* of the sizes that count, in any problem: the product of their axes */
} dcs_kind_claim;

typedef struct {
  const char *kind;
  const dcs_kind_claim *list;
  int n;
} dcs_kind_claims;

extern const dcs_kind_claims *const dcs_claims_of_kinds[]; /* NULL last */

#endif
