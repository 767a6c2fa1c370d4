/* The part of the device interface that does not depend on the implementation: names and limits. */
#include "harness/device/device.h"
#include "harness/device/device_impl.h"
#include "harness/device/device_list.h"

#include <stdlib.h>
#include <string.h>

/* A decimal number without sign or leading zeros; -1 for anything else. */
static int parse_index(const char *text) {
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 4 || text[digits] != '\0') return -1;
  if (text[0] == '0' && digits > 1) return -1;
  return atoi(text);
}

dcs_status dcs_device_open(const char *name, dcs_device **device) {
  *device = NULL;
  if (strcmp(name, "emulated") == 0) return dcs_device_emulated_open(device);
  if (dcs_names_several(name))
    return dcs_fail(DCS_USAGE, "\"%s\" names several devices; one is expected here, as cuda:0",
                    name);
  int index = strncmp(name, "cuda:", 5) == 0 ? parse_index(name + 5) : -1;
  if (index < 0)
    return dcs_fail(DCS_USAGE, "no device is named \"%s\"; use cuda:0, cuda:1, ... or emulated",
                    name);
  return dcs_device_cuda_open(index, device);
}

static dcs_status check_extent(const char *what, int dimension, int64_t value, int64_t limit) {
  if (value >= 1 && value <= limit) return DCS_OK;
  return dcs_fail(DCS_FAILED, "launch refused: %s.%c is %lld; it must be 1 to %lld", what,
                  "xyz"[dimension], (long long)value, (long long)limit);
}

dcs_status dcs_device_check_launch(const int64_t grid[3], const int block[3]) {
  static const int64_t grid_limit[3] = {INT32_MAX, 65535, 65535};
  static const int64_t block_limit[3] = {1024, 1024, 64};
  int64_t threads = 1;
  for (int d = 0; d < 3; d++) {
    DCS_TRY(check_extent("grid", d, grid[d], grid_limit[d]));
    DCS_TRY(check_extent("block", d, block[d], block_limit[d]));
    threads *= block[d];
  }
  if (threads > 1024)
    return dcs_fail(DCS_FAILED,
                    "launch refused: a block of %d x %d x %d has %lld threads; at most 1024 fit",
                    block[0], block[1], block[2], (long long)threads);
  return DCS_OK;
}
