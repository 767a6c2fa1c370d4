/* The verification of methods: sizes where kernels go wrong, and physics that needs no golden data.
 */
#ifndef DCS_VERIFY_H
#define DCS_VERIFY_H

#include "harness/base/progress.h"
#include "harness/worker/bench.h"

/* What came of one method on all its cases. */
typedef struct {
  dcs_outcome outcome; /* the first that was not ok, else ok */
  bool refused;        /* it is inapplicable, as the device or engine says, not the variant */
  int cases;           /* maps that were accepted */
  double bound_ratio;  /* largest |v - v_ref| / bound among them, and of one that was not */
  char why[2 * DCS_TEXT];
  char lost[2 * DCS_TEXT]; /* devices that failed while others went on; the last time, "": never */
} dcs_verification;

/* Runs a method on grids of 1 point, a tile less 1, a tile, a tile and 1, prime and non-cubic
 * sizes, and on numbers of atoms around its chunk, the smallest twice; then the physics. Without a
 * grid, on numbers of atoms around a tile. The status is that of memory.
 */
dcs_status dcs_verify_method(dcs_bench *bench, const dcs_method *method, dcs_verification *result);

/* The method on a case of the user's, and the problem that it poses. */
dcs_status dcs_verify_on(dcs_bench *bench, const dcs_method *method, dcs_case *c,
                         dcs_verification *result);

/* Puts in the place of each method those that cover its variant: its initial configuration, and
 * others in which each parameter has each of its values once: every value of a small range, the
 * ends and some odd values of a large one. Several parameters change together, for there are fewer
 * methods then. A value that no method can have is left out. The caller frees ->list, whatever the
 * status. */
dcs_status dcs_cover_methods(dcs_methods *methods);

/* Compiles the CUDA kernels of methods for the bench's GPU, as many at once as there are CPUs: each
 * is then found in the cache of compiled code. Where there is no GPU or no cache, or one does not
 * compile, that is found out when it is used. */
void dcs_verify_compile(dcs_bench *bench, const dcs_methods *methods);
/* The same for an architecture, such as sm_90, with the kernels of a folder, or NULL. */
void dcs_verify_compile_for(const char *arch, const char *kernels, const dcs_methods *methods);

/* Whether the configuration is legal: it could compute a map of one point. */
bool dcs_is_legal(const dcs_method *method, char why[DCS_TEXT]);

/* The laws that any sum over atoms on a grid obeys, tried on one method and problem: the value of
 * one atom (where it has no images), linearity in the charges (where the kind is), superposition of
 * subsets, translation, permutation of atoms, mirror image. Without a grid superposition is none.
 * On a violation `result` says which (outcome wrong). */
dcs_status dcs_verify_physics(dcs_bench *bench, const dcs_method *method, const dcs_config *problem,
                              dcs_verification *result);

#endif
