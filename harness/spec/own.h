/* Kernels of the user's: a specification becomes a variant, and where it names no built-in problem
 * a kind of problems with its arguments as buffers; both are added behind those built in. */
#ifndef DCS_OWN_H
#define DCS_OWN_H

#include "harness/problems/problem.h"
#include "harness/spec/spec.h"

/* The ids of what is added begin so; the name of the file follows: own_saxpy for saxpy.json. */
#define DCS_OWN "own_"

/* Reads a specification and adds what it makes. `hash`: what the text must hash to, in hexadecimal;
 * NULL: anything. `runs`: data are made, too, so that it can be run. DCS_INPUT as
 * dcs_spec_read(). */
dcs_status dcs_own_load(const char *path, const char *hash, bool runs, const dcs_variant **variant);

/* All specifications *.json of a folder that name a built-in problem, in the order of their names.
 * DCS_IO where it is no folder: what is measured would be the kernels built in. */
dcs_status dcs_own_load_folder(const char *folder);

/* That of a variant; NULL: it is built in. */
const dcs_spec *dcs_own_spec(const dcs_variant *variant);

#endif
