/* The part of the device interface that no kind has to itself: limits, facts, packing. */
#include "harness/device/device.h"

#include <stdio.h>
#include <string.h>

static dcs_status check_extent(const char *what, int dimension, int64_t value, int64_t limit) {
  if (value >= 1 && value <= limit) return DCS_OK;
  return dcs_fail(DCS_FAILED, "launch refused: %s.%c is %lld; it must be 1 to %lld", what,
                  "xyz"[dimension], (long long)value, (long long)limit);
}

dcs_status dcs_device_check_launch(const dcs_launch_limits *limits, const int64_t grid[3],
                                   const int block[3]) {
  int64_t threads = 1;
  for (int d = 0; d < 3; d++) {
    DCS_TRY(check_extent("grid", d, grid[d], limits->grid[d]));
    DCS_TRY(check_extent("block", d, block[d], limits->block[d]));
    threads *= block[d];
  }
  if (threads > limits->threads)
    return dcs_fail(DCS_FAILED,
                    "launch refused: a block of %d x %d x %d has %lld threads; at most %d fit",
                    block[0], block[1], block[2], (long long)threads, limits->threads);
  return DCS_OK;
}

int64_t dcs_resident_threads(const dcs_device_info *info, int registers) {
  int64_t threads = info->sm_threads;
  if (registers > 0 && info->sm_registers / registers < threads)
    threads = info->sm_registers / registers;
  return threads * info->sm_count;
}

void dcs_pack_corner(void *to, dcs_dims n, const void *from, dcs_dims stored) {
  if (n.x == 0) return; /* of a surface without triangles: `from` may be NULL */
  for (int64_t k = 0; k < n.z; k++)
    for (int64_t j = 0; j < n.y; j++)
      memcpy((char *)to + (k * n.y + j) * n.x, (const char *)from + (k * stored.y + j) * stored.x,
             (size_t)n.x);
}

dcs_status dcs_device_read_facts(dcs_device *device, dcs_device_facts *facts) {
  const dcs_device_fact *fact = device->kind->facts;
  char values[DCS_MAX_DEVICE_FACTS][DCS_FACT] = {{0}};
  facts->n = 0;
  DCS_TRY(device->read_facts(device, values));
  for (int f = 0; fact[f].key; f++) {
    if (!*values[f]) continue;
    snprintf(facts->list[facts->n].key, sizeof facts->list[0].key, "%s", fact[f].key);
    memcpy(facts->list[facts->n++].value, values[f], DCS_FACT);
  }
  return DCS_OK;
}

const char *dcs_device_fact_value(const dcs_device_facts *facts, const char *key) {
  for (int f = 0; f < facts->n; f++)
    if (strcmp(facts->list[f].key, key) == 0) return facts->list[f].value;
  return "";
}

bool dcs_source_suits(const dcs_source *source, int capability) {
  const dcs_capabilities *c = &source->capabilities;
  const bool suits = capability >= c->least && (c->last == 0 || capability <= c->last);
  if (!suits)
    (void)dcs_fail(DCS_UNAVAILABLE, "%s is for compute capability %d.%d%s; this is %d.%d",
                   source->name, c->least / 10, c->least % 10,
                   c->last ? " alone" : " and later ones", capability / 10, capability % 10);
  return suits;
}
