#include "harness/spec/own.h"

#include "harness/spec/made.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* They live as long as the program. */
static dcs_made *all[DCS_MAX_ADDED];
static int n_all;

dcs_made *dcs_made_at(int slot) {
  return all[slot];
}

dcs_made *dcs_made_of_kind(const dcs_kind *kind) {
  for (int m = 0; m < n_all; m++)
    if (&all[m]->kind == kind) return all[m];
  return NULL;
}

const dcs_spec *dcs_own_spec(const dcs_variant *variant) {
  for (int m = 0; m < n_all; m++)
    if (&all[m]->variant == variant) return &all[m]->spec;
  return NULL;
}

/* "own_" and the file's name without its ending, of letters, digits and _. */
static void name(dcs_made *made) {
  const char *path = made->spec.path, *slash = strrchr(path, '/') + 1, *point = strrchr(slash, '.');
  const int length = point && point > slash ? (int)(point - slash) : (int)strlen(slash);
  snprintf(made->id, sizeof made->id, DCS_OWN "%.*s", length < 48 ? length : 48, slash);
  for (char *c = made->id; *c; c++)
    if (!isalnum((unsigned char)*c)) *c = '_';
  snprintf(made->what, sizeof made->what, "%.40s of %.180s", made->spec.kernel_name, slash);
}

static dcs_status find_problem(dcs_made *made) {
  made->of = dcs_find_kind(made->spec.problem);
  if (made->of) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: $.KernelSpecification.Problem: found \"%s\"; expected one that `dcsbench "
                  "list` shows",
                  made->spec.path, made->spec.problem);
}

static dcs_status check_hash(const dcs_made *made, const char *hash) {
  char own[20];
  snprintf(own, sizeof own, "%016llx", (unsigned long long)made->spec.hash);
  if (!hash || strcmp(hash, own) == 0) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: found it or its kernel changed; expected both as they were when "
                  "the command began",
                  made->spec.path);
}

static dcs_status fill(dcs_made *made, bool runs) {
  made->outside.all = made->spec.hash;
  if (made->spec.problem)
    DCS_TRY(find_problem(made));
  else
    DCS_TRY(dcs_made_fill_kind(made, runs));
  return dcs_made_fill_variant(made);
}

/* Of the kind and the variant, both or none is added. */
static dcs_status add(dcs_made *made) {
  if (n_all == DCS_MAX_ADDED)
    return dcs_fail(DCS_USAGE, "found more than %d specifications", DCS_MAX_ADDED);
  if (dcs_find_variant(made->id))
    return dcs_fail(DCS_USAGE, "%s: found a second specification of that name", made->spec.path);
  if (!made->spec.problem) DCS_TRY(dcs_add_kind(&made->kind));
  dcs_made_take_slot(made, n_all);
  DCS_TRY(dcs_add_variant(&made->variant));
  all[n_all++] = made;
  return DCS_OK;
}

static void destroy(dcs_made *made) {
  for (int a = 0; a < DCS_MAX_ARGUMENTS; a++) {
    free(made->data[a]);
    free(made->expected[a]);
  }
  dcs_spec_free(&made->spec);
  free(made);
}

dcs_status dcs_own_load(const char *path, const char *hash, bool runs,
                        const dcs_variant **variant) {
  dcs_made *made = calloc(1, sizeof *made);
  if (!made) return dcs_fail(DCS_UNAVAILABLE, "no memory for %s", path);
  dcs_status status = dcs_spec_read(path, &made->spec);
  if (status == DCS_OK) status = check_hash(made, hash);
  if (status == DCS_OK) name(made);
  if (status == DCS_OK) status = fill(made, runs);
  if (status == DCS_OK) status = add(made);
  if (status == DCS_OK)
    *variant = &made->variant;
  else
    destroy(made);
  return status;
}

/* ---- folders ---- */

static int is_specification(const struct dirent *entry) {
  const char *point = strrchr(entry->d_name, '.');
  return point && strcmp(point, ".json") == 0;
}

/* Others are for `tune` alone. */
static dcs_status load_of_problem(const char *path) {
  const dcs_variant *variant;
  dcs_spec spec;
  dcs_status status = dcs_spec_read(path, &spec);
  const bool adds = status == DCS_OK && spec.problem;
  dcs_spec_free(&spec);
  return adds ? dcs_own_load(path, NULL, true, &variant) : status;
}

dcs_status dcs_own_load_folder(const char *folder) {
  struct dirent **entries;
  dcs_status status = DCS_OK;
  const int n = scandir(folder, &entries, is_specification, alphasort);
  if (n < 0 && errno == ENOMEM)
    return dcs_fail(DCS_UNAVAILABLE, "no memory to read the folder %s", folder);
  if (n < 0)
    return dcs_fail(DCS_IO, "%s: cannot read: %s; expected a folder with kernels", folder,
                    strerror(errno));
  for (int e = 0; e < n; e++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entries[e]->d_name);
    if (status == DCS_OK) status = load_of_problem(path);
    free(entries[e]);
  }
  free(entries);
  return status;
}
