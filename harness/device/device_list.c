#include "harness/device/device_list.h"

#include "harness/base/text.h"
#include "harness/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char all_cards[] = "cuda:all";

bool dcs_names_several(const char *text) {
  return text && (strchr(text, ',') || strcmp(text, all_cards) == 0);
}

bool dcs_names_emulated(const char *text) {
  return text && strncmp(text, "emulated", 8) == 0;
}

dcs_status dcs_need_one_device(const char *text, const char *command) {
  if (!dcs_names_several(text)) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--device: found \"%s\"; %s takes one device, as cuda:0", text,
                  command);
}

static dcs_status list_all(dcs_device_list *list) {
  int count;
  DCS_TRY(dcs_device_cuda_count(&count));
  for (list->n = 0; list->n < count && list->n < DCS_MAX_DEVICES; list->n++)
    snprintf(list->names[list->n], DCS_DEVICE_NAME, "cuda:%u", (unsigned)list->n % 100);
  return DCS_OK;
}

static dcs_status add_name(dcs_device_list *list, const char *text, const char *name) {
  if (list->n == DCS_MAX_DEVICES)
    return dcs_fail(DCS_USAGE, "--device: found \"%s\"; at most %d devices compute a map together",
                    text, DCS_MAX_DEVICES);
  if (!*name || strcmp(name, all_cards) == 0 || strlen(name) >= DCS_DEVICE_NAME)
    return dcs_fail(DCS_USAGE,
                    "--device: found \"%s\" in \"%s\"; expected cuda:0,cuda:1 and so on, or "
                    "cuda:all alone",
                    name, text);
  for (int d = 0; d < list->n; d++) {
    if (dcs_names_emulated(name) != dcs_names_emulated(list->names[d]))
      return dcs_fail(DCS_USAGE, "--device: found \"%s\"; expected cards or emulated devices alone",
                      text);
    if (!dcs_names_emulated(name) && strcmp(list->names[d], name) == 0)
      return dcs_fail(DCS_USAGE, "--device: found %s twice in \"%s\"", name, text);
  }
  snprintf(list->names[list->n++], DCS_DEVICE_NAME, "%s", name);
  return DCS_OK;
}

dcs_status dcs_device_list_of(const char *text, dcs_device_list *list) {
  char **parts;
  int n;
  *list = (dcs_device_list){.n = 0};
  if (strcmp(text, all_cards) == 0) return list_all(list);
  DCS_TRY(dcs_split(text, ',', &parts, &n));
  dcs_status status = DCS_OK;
  for (int p = 0; status == DCS_OK && p < n; p++)
    status = add_name(list, text, parts[p]);
  free(parts);
  return status;
}
