#include "harness/frames/selection.h"

#include "harness/base/text.h"

#include <inttypes.h>
#include <stdlib.h>

static const char by_name[] = "name=";

/* ---- numbers ---- */

static dcs_status wrong(const char *text) {
  return dcs_fail(DCS_USAGE,
                  "--align: found \"%s\"; expected all, numbers of atoms such as 1:100,205, or "
                  "names such as name=CA,CB",
                  text);
}

/* N or FIRST:LAST */
static dcs_status mark_range(const char *text, const char *range, const dcs_molecule *m,
                             bool *marked) {
  const char *colon = strchr(range, ':');
  const size_t length = strlen(range);
  const dcs_slice ends[2] = {{range, colon ? (size_t)(colon - range) : length},
                             {colon ? colon + 1 : range, strlen(colon ? colon + 1 : range)}};
  int64_t first, last;
  if (!dcs_line_count(ends[0], &first) || !dcs_line_count(ends[1], &last)) return wrong(text);
  if (first < 1 || last < first || last > m->n)
    return dcs_fail(DCS_USAGE,
                    "--align: found \"%s\"; expected numbers of atoms from 1 to %" PRId64
                    ", the smaller one first",
                    range, m->n);
  memset(marked + first - 1, true, (size_t)(last - first + 1) * sizeof *marked);
  return DCS_OK;
}

/* ---- names ---- */

static dcs_status mark_name(const char *name, const dcs_molecule *m, bool *marked) {
  int64_t found = 0;
  if (!m->names)
    return dcs_fail(DCS_USAGE,
                    "--align: found names; the topology has none; expected all, or numbers of "
                    "atoms such as 1:100");
  for (int64_t i = 0; i < m->n; i++)
    if (strncmp(m->names[i].text, name, sizeof m->names[i].text) == 0) {
      marked[i] = true;
      found++;
    }
  return found ? DCS_OK
               : dcs_fail(DCS_USAGE, "--align: found the name \"%s\"; no atom has it", name);
}

/* ---- both ---- */

static dcs_status mark(const char *text, const dcs_molecule *m, bool *marked) {
  const bool names = strncmp(text, by_name, strlen(by_name)) == 0;
  char **parts;
  int n;
  dcs_status status = DCS_OK;
  if (strcmp(text, "all") == 0) {
    memset(marked, true, (size_t)m->n * sizeof *marked);
    return DCS_OK;
  }
  DCS_TRY(dcs_split(names ? text + strlen(by_name) : text, ',', &parts, &n));
  for (int i = 0; status == DCS_OK && i < n; i++)
    status = !*parts[i] ? wrong(text)
             : names    ? mark_name(parts[i], m, marked)
                        : mark_range(text, parts[i], m, marked);
  free(parts);
  return status;
}

dcs_status dcs_select_atoms(const char *text, const dcs_molecule *m, dcs_selection *selection) {
  bool *marked = calloc((size_t)m->n, sizeof *marked);
  int64_t *atoms = malloc((size_t)m->n * sizeof *atoms);
  dcs_status status = marked && atoms
                          ? mark(text, m, marked)
                          : dcs_fail(DCS_UNAVAILABLE, "no memory for %" PRId64 " atoms", m->n);
  *selection = (dcs_selection){.atoms = atoms};
  for (int64_t i = 0; status == DCS_OK && i < m->n; i++)
    if (marked[i]) atoms[selection->n++] = i;
  free(marked);
  if (status == DCS_OK) return DCS_OK;
  free(atoms);
  *selection = (dcs_selection){0};
  return status;
}
