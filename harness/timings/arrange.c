/* Which values beside a time are its size, and which choose the method's configuration. */
#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/problems/external.h"
#include "harness/problems/size.h"
#include "harness/timings/timings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static const char *value_of(const dcs_timing *t, const char *name) {
  for (int v = 0; v < t->n_values; v++)
    if (strcmp(t->values[v].name, name) == 0) return t->values[v].value;
  return NULL;
}

/* A size as people write it: 1000, 1e6. */
static bool read_size(const char *text, int64_t *size) {
  double value;
  if (!text || !dcs_decimal_read(text, strlen(text), &value)) return false;
  if (!(value >= 1 && value <= (double)DCS_MOST_ALONG && value == floor(value))) return false;
  *size = (int64_t)value;
  return true;
}

static bool varies(const dcs_timings *timings, const char *name) {
  int64_t first = 0, size;
  bool differs = false;
  for (size_t i = 0; i < timings->n; i++) {
    if (!read_size(value_of(&timings->list[i], name), &size)) return false;
    if (i == 0) first = size;
    differs = differs || size != first;
  }
  return differs;
}

/* ---- sizes ---- */

/* Names of sizes, with commas between. */
typedef struct {
  char text[DCS_TEXT];
  int n;
} names;

static dcs_status choose(const dcs_timings *timings, names *sizes) {
  const dcs_timing *first = &timings->list[0];
  *sizes = (names){0};
  if (timings->rule == DCS_SIZES_ASKED)
    return dcs_fail(DCS_USAGE,
                    "%s: a file of format %s does not tell a size from other parameters: name it "
                    "with --size",
                    timings->path, timings->format);
  for (int v = 0; v < first->n_values; v++) {
    const char *name = first->values[v].name;
    if (timings->rule == DCS_SIZES_VARYING && !varies(timings, name)) continue;
    dcs_append(sizes->text, sizeof sizes->text, "%s%s", sizes->n++ ? "," : "", name);
  }
  if (sizes->n > 0 && sizes->n <= DCS_MAX_DIMENSIONS) return DCS_OK;
  if (sizes->n == 0)
    return dcs_fail(DCS_INPUT,
                    "%s: found no size beside the times; expected whole numbers that are not "
                    "always the same (%s)",
                    timings->path, timings->format);
  return dcs_fail(DCS_USAGE, "%s: found %d sizes: %s; name at most %d of them with --size",
                  timings->path, sizes->n, sizes->text, DCS_MAX_DIMENSIONS);
}

static bool is_size(char *const *sizes, int n, const char *name) {
  for (int s = 0; s < n; s++)
    if (strcmp(sizes[s], name) == 0) return true;
  return false;
}

static dcs_status check_once(const dcs_timings *timings, const dcs_timing *t, const char *name) {
  int found = 0;
  for (int v = 0; v < t->n_values; v++)
    found += strcmp(t->values[v].name, name) == 0;
  if (found < 2) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: %s: found %s %d times beside the time of %s; expected a size once",
                  timings->path, t->where, name, found, t->method);
}

static dcs_status take_sizes(const dcs_timings *timings, dcs_timing *t, char *const *sizes, int n) {
  for (int s = 0; s < n; s++) {
    const char *value = value_of(t, sizes[s]);
    if (!value)
      return dcs_fail(DCS_USAGE, "%s: %s: found no \"%s\" beside the time of %s; expected a size",
                      timings->path, t->where, sizes[s], t->method);
    if (!read_size(value, &t->axes[s]))
      return dcs_fail(DCS_INPUT,
                      "%s: %s: found %s \"%s\"; expected a whole number, 1 to 2^40: it is a size",
                      timings->path, t->where, sizes[s], value);
    DCS_TRY(check_once(timings, t, sizes[s]));
  }
  return DCS_OK;
}

static dcs_status take_config(const dcs_timings *timings, dcs_timing *t, char *const *sizes,
                              int n) {
  char text[DCS_TEXT] = "";
  size_t length = 0;
  for (int v = 0; v < t->n_values; v++) {
    const dcs_timing_value *value = &t->values[v];
    if (is_size(sizes, n, value->name)) continue;
    length += strlen(value->name) + strlen(value->value) + 2;
    dcs_append(text, sizeof text, "%s%s=%s", *text ? "," : "", value->name, value->value);
  }
  if (length > sizeof text)
    return dcs_fail(DCS_INPUT, "%s: %s: found %zu bytes of parameters; expected at most %d",
                    timings->path, t->where, length, DCS_TEXT);
  t->config = strdup(text);
  return t->config ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for timings");
}

dcs_status dcs_timings_arrange(dcs_timings *timings, const char *sizes, const dcs_kind **kind) {
  names chosen;
  char **list = NULL;
  int n = 0;
  if (!sizes) {
    DCS_TRY(choose(timings, &chosen));
    sizes = chosen.text;
  }
  DCS_TRY(dcs_external_kind(sizes, kind));
  DCS_TRY(dcs_split(sizes, ',', &list, &n));
  dcs_status status = DCS_OK;
  for (size_t i = 0; status == DCS_OK && i < timings->n; i++) {
    status = take_sizes(timings, &timings->list[i], list, n);
    if (status == DCS_OK) status = take_config(timings, &timings->list[i], list, n);
  }
  free(list);
  return status;
}
