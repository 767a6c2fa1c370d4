#include "harness/problems/external.h"

#include "harness/base/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char *const dcs_external_axes[] = {"axis_1", "axis_2", NULL};
_Static_assert(sizeof dcs_external_axes / sizeof dcs_external_axes[0] == DCS_MAX_DIMENSIONS + 1,
               "each axis is a dimension");

enum { MOST_AXIS = 60 }; /* bytes: two of them stand in a text beside their values */

typedef struct made {
  struct made *next;
  dcs_kind kind;
  dcs_dimension dimensions[DCS_MAX_DIMENSIONS];
  char *names, **parts;
} made;

static made *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const dcs_kind *find(const char *names) {
  for (const made *m = all; m; m = m->next)
    if (strcmp(m->names, names) == 0) return &m->kind;
  return NULL;
}

static dcs_status check_names(char *const *parts, int n, const char *names) {
  if (n > DCS_MAX_DIMENSIONS)
    return dcs_fail(DCS_INPUT, "found %d axes, %s; expected at most %d", n, names,
                    DCS_MAX_DIMENSIONS);
  for (int i = 0; i < n; i++)
    if (!*parts[i] || (i > 0 && strcmp(parts[i], parts[0]) == 0))
      return dcs_fail(DCS_INPUT, "found axes \"%s\"; expected a name for each, all different",
                      names);
  for (int i = 0; i < n; i++)
    if (!dcs_is_name(parts[i]) || strlen(parts[i]) > MOST_AXIS)
      return dcs_fail(DCS_INPUT,
                      "found an axis whose name is %zu bytes; expected up to %d bytes of UTF-8, "
                      "without control characters",
                      strlen(parts[i]), MOST_AXIS);
  return DCS_OK;
}

static void fill(made *m, int n) {
  for (int i = 0; i < n; i++)
    m->dimensions[i] = (dcs_dimension){m->parts[i], m->parts[i], i, 1};
  m->kind = (dcs_kind){.id = DCS_EXTERNAL,
                       .what = "timings of other programs",
                       .unit = "",
                       .eval = "",
                       .axes = dcs_external_axes,
                       .n_axes = n,
                       .dimensions = m->dimensions,
                       .n_dimensions = n,
                       .made_of = m->names};
}

static dcs_status make(const char *names, const dcs_kind **kind) {
  int n = 0;
  made *m = calloc(1, sizeof *m);
  if (m) m->names = strdup(names);
  dcs_status status = m && m->names ? dcs_split(names, ',', &m->parts, &n)
                                    : dcs_fail(DCS_UNAVAILABLE, "no memory for a problem");
  if (status == DCS_OK) status = check_names(m->parts, n, names);
  if (status != DCS_OK) {
    if (m) {
      free(m->parts);
      free(m->names);
    }
    free(m);
    return status;
  }
  fill(m, n);
  m->next = all;
  all = m;
  *kind = &m->kind;
  return DCS_OK;
}

dcs_status dcs_external_kind(const char *names, const dcs_kind **kind) {
  pthread_mutex_lock(&lock);
  *kind = find(names);
  dcs_status status = *kind ? DCS_OK : make(names, kind);
  pthread_mutex_unlock(&lock);
  return status;
}
