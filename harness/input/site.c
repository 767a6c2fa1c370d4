#include "harness/input/site.h"

#include "harness/base/grow.h"

#include <float.h>
#include <math.h>

/* Names and largest sizes. */
static const char *const name[DCS_SITE_FIELDS] = {"x", "y", "z", "the charge", "the radius"};
static const double limit[DCS_SITE_FIELDS] = {1e7, 1e7, 1e7, FLT_MAX, FLT_MAX};

dcs_site_field dcs_site_read(dcs_slice text) {
  dcs_site_field f = {.text = text};
  f.number = dcs_line_number(text, &f.value);
  return f;
}

int dcs_site_wrong(const dcs_site_field *fields, int n) {
  int i = 0;
  while (i < n && fields[i].number && fabs(fields[i].value) <= limit[i])
    i++;
  return i;
}

char *dcs_site_expected(int field, char text[DCS_TEXT]) {
  snprintf(text, DCS_TEXT, "%s, a number such as -12.345 of at most %g in size", name[field],
           limit[field]);
  return text;
}

dcs_status dcs_site_check(dcs_where at, const dcs_site_field *fields, int n) {
  char expected[DCS_TEXT];
  const int wrong = dcs_site_wrong(fields, n);
  if (wrong == n) return DCS_OK;
  return dcs_line_wrong(at, fields[wrong].text, "%s", dcs_site_expected(wrong, expected));
}

dcs_status dcs_site_add(dcs_molecule *m, const dcs_site_field *fields, int n) {
  double value[DCS_SITE_FIELDS] = {0};
  for (int i = 0; i < n; i++)
    value[i] = fields[i].value;
  DCS_TRY(dcs_grow(&m->sites, (size_t)m->n, sizeof *m->sites, "atoms"));
  m->sites[m->n++] = (dcs_site){value[0], value[1], value[2], value[3], value[4]};
  return DCS_OK;
}
