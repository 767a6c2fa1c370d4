#include "harness/device/devices.h"

#include "harness/base/grow.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DCS_DEVICE(prefix) extern const dcs_device_kind dcs_device_##prefix;
#include "harness/device/devices.def"

const dcs_device_kind *const dcs_device_kinds[] = {
#define DCS_DEVICE(prefix) &dcs_device_##prefix,
#include "harness/device/devices.def"
};

const int dcs_n_device_kinds = sizeof dcs_device_kinds / sizeof dcs_device_kinds[0];

/* ---- names ---- */

const dcs_device_kind *dcs_device_kind_of(const char *text) {
  if (!text) return dcs_device_kinds[0];
  for (int k = 0; k < dcs_n_device_kinds; k++) {
    size_t length = strlen(dcs_device_kinds[k]->prefix);
    if (strncmp(text, dcs_device_kinds[k]->prefix, length) == 0 && strchr(":,", text[length]))
      return dcs_device_kinds[k]; /* strchr finds the end of the text, too */
  }
  return NULL;
}

static int default_place;

void dcs_default_device_at(int place) {
  default_place = place;
}

const char *dcs_default_device(void) {
  static char name[DCS_DEVICE_NAME];
  const dcs_device_kind *kind = dcs_device_kinds[0];
  int n = 0;
  if (!kind->count) return kind->prefix;
  if (default_place == 0 || kind->count(&n) != DCS_OK || n < 1) n = 1;
  snprintf(name, sizeof name, "%s:%d", kind->prefix, default_place % n);
  return name;
}

const char *dcs_watched_device(void) {
  for (int k = 0; k < dcs_n_device_kinds; k++)
    if (dcs_device_kinds[k]->watched) return dcs_device_kinds[k]->prefix;
  return NULL;
}

char *dcs_device_names(char text[DCS_TEXT]) {
  *text = '\0';
  for (int k = 0; k < dcs_n_device_kinds; k++) {
    const dcs_device_kind *kind = dcs_device_kinds[k];
    const char *between = k == 0 ? "" : k + 1 < dcs_n_device_kinds ? ", " : " or ";
    dcs_append(text, DCS_TEXT, "%s%s%s", between, kind->prefix, kind->count ? ":N" : "");
  }
  return text;
}

char *dcs_device_list_names(char text[DCS_TEXT]) {
  *text = '\0';
  for (int k = 0; k < dcs_n_device_kinds; k++) {
    const char *prefix = dcs_device_kinds[k]->prefix;
    if (dcs_device_kinds[k]->count)
      dcs_append(text, DCS_TEXT, "%s%s:0,%s:1 or %s:all", *text ? ", " : "", prefix, prefix,
                 prefix);
  }
  return text;
}

/* A decimal number without sign or leading zeros; -1 for anything else. */
static int parse_index(const char *text) {
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 4 || text[digits] != '\0') return -1;
  if (text[0] == '0' && digits > 1) return -1;
  return atoi(text);
}

/* The kind and number of one device. */
static dcs_status find(const char *name, const dcs_device_kind **found, int *index) {
  const dcs_device_kind *kind = *name ? dcs_device_kind_of(name) : NULL;
  const char *behind = kind ? name + strlen(kind->prefix) : "";
  *found = kind;
  *index = kind && kind->count && *behind == ':' ? parse_index(behind + 1) : 0;
  if (kind && (kind->count ? *behind == ':' && *index >= 0 : !*behind)) return DCS_OK;
  char names[DCS_TEXT];
  return dcs_fail(DCS_USAGE, "no device is named \"%s\"; expected %s, as %s", name,
                  dcs_device_names(names), dcs_default_device());
}

/* Whether the text is a numbered kind's ":all". */
static bool names_all(const char *text) {
  const dcs_device_kind *kind = dcs_device_kind_of(text);
  return kind && kind->count && strcmp(text + strlen(kind->prefix), ":all") == 0;
}

bool dcs_names_several(const char *text) {
  return text && (strchr(text, ',') || names_all(text));
}

dcs_status dcs_need_one_device(const char *text, const char *command) {
  if (!dcs_names_several(text)) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--device: found \"%s\"; %s takes one device, as %s", text, command,
                  dcs_default_device());
}

bool dcs_has_times(const char *text) {
  const dcs_device_kind *kind = dcs_device_kind_of(text);
  return !kind || kind->timed;
}

dcs_status dcs_need_times(const char *text) {
  const dcs_device_kind *kind = dcs_device_kind_of(text);
  if (dcs_has_times(text)) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "the %s device has no times: measure on a GPU, and use it with `dcsbench verify`",
                  kind->prefix);
}

/* ---- opening ---- */

dcs_status dcs_device_open(const char *name, dcs_device **device) {
  const dcs_device_kind *kind;
  int index;
  *device = NULL;
  if (dcs_names_several(name))
    return dcs_fail(DCS_USAGE, "\"%s\" names several devices; one is expected here, as %s", name,
                    dcs_default_device());
  DCS_TRY(find(name, &kind, &index));
  DCS_TRY(kind->open(index, device));
  (*device)->kind = kind;
  (*device)->timed = kind->timed;
  return DCS_OK;
}

dcs_status dcs_device_compile(const dcs_source *source, const char *arch, dcs_code_facts *facts) {
  for (int k = 0; k < dcs_n_device_kinds; k++)
    if (dcs_device_kinds[k]->compile)
      return dcs_device_kinds[k]->compile(source, arch, NULL, NULL, facts);
  return dcs_fail(DCS_UNAVAILABLE, "no kind of device compiles for what is not here");
}

dcs_status dcs_device_list_code(const dcs_source *source, const char *arch, dcs_listing *listing,
                                dcs_code_facts *facts) {
  for (int k = 0; k < dcs_n_device_kinds; k++)
    if (dcs_device_kinds[k]->list) return dcs_device_kinds[k]->list(source, arch, listing, facts);
  *listing = (dcs_listing){.text = NULL};
  return dcs_fail(DCS_UNAVAILABLE, "no kind of device writes down what it compiles");
}

/* ---- lists ---- */

static dcs_status list_all(const dcs_device_kind *kind, dcs_device_list *list) {
  int count;
  DCS_TRY(kind->count(&count));
  for (list->n = 0; list->n < count && list->n < DCS_MAX_DEVICES; list->n++)
    snprintf(list->names[list->n], DCS_DEVICE_NAME, "%s:%u", kind->prefix, (unsigned)list->n % 100);
  return DCS_OK;
}

static dcs_status add_name(dcs_device_list *list, const char *text, const char *name) {
  const dcs_device_kind *kind;
  int index;
  if (list->n == DCS_MAX_DEVICES)
    return dcs_fail(DCS_USAGE, "--device: found \"%s\"; at most %d devices compute a map together",
                    text, DCS_MAX_DEVICES);
  DCS_TRY(find(name, &kind, &index));
  for (int d = 0; d < list->n; d++) {
    if (dcs_device_kind_of(list->names[d]) != kind)
      return dcs_fail(DCS_USAGE, "--device: found \"%s\"; expected devices of one kind", text);
    if (kind->count && strcmp(list->names[d], name) == 0)
      return dcs_fail(DCS_USAGE, "--device: found %s twice in \"%s\"", name, text);
  }
  snprintf(list->names[list->n++], DCS_DEVICE_NAME, "%s", name);
  return DCS_OK;
}

dcs_status dcs_device_list_of(const char *text, dcs_device_list *list) {
  char **parts;
  int n;
  *list = (dcs_device_list){.n = 0};
  if (names_all(text)) return list_all(dcs_device_kind_of(text), list);
  DCS_TRY(dcs_split(text, ',', &parts, &n));
  dcs_status status = DCS_OK;
  for (int p = 0; status == DCS_OK && p < n; p++)
    status = add_name(list, text, parts[p]);
  free(parts);
  return status;
}

dcs_status dcs_check_devices(const char *text) {
  dcs_device_list list;
  return names_all(text) ? DCS_OK : dcs_device_list_of(text, &list);
}

char *dcs_device_label(const dcs_device_list *list, int d, char text[DCS_DEVICE_LABEL]) {
  const bool numbered = dcs_device_kind_of(list->names[d])->count != NULL;
  snprintf(text, DCS_DEVICE_LABEL, "%s", list->names[d]);
  if (!numbered && list->n > 1)
    snprintf(text, DCS_DEVICE_LABEL, "%s (%d of %d)", list->names[d], d + 1, list->n);
  return text;
}
