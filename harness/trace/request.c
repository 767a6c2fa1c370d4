#include "harness/trace/request.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Sorts and removes what is there twice; returns how many are left. */
static int make_distinct(uint64_t *list, int n) {
  int kept = 0;
  bool sorted = true;
  for (int i = 1; i < n; i++)
    sorted = sorted && list[i - 1] <= list[i];
  if (!sorted) qsort(list, (size_t)n, sizeof *list, ascending);
  for (int i = 0; i < n; i++)
    if (i == 0 || list[i] != list[kept - 1]) list[kept++] = list[i];
  return kept;
}

/* Distinct units of so many bytes that the lanes touch, into list[2 * DCS_WARP]. */
static int touched(const dcs_memory_request *r, uint64_t unit, uint64_t *list) {
  int n = 0;
  for (int lane = 0; lane < DCS_WARP; lane++) {
    if (!(r->lanes >> lane & 1)) continue;
    const uint64_t first = r->address[lane] / unit, last = (r->address[lane] + r->bytes - 1) / unit;
    list[n++] = first;
    if (last != first) list[n++] = last; /* not aligned: two at most, of units as large as bytes */
  }
  return make_distinct(list, n);
}

static int distinct_addresses(const dcs_memory_request *r, uint64_t starts[DCS_WARP]) {
  int n = 0;
  for (int lane = 0; lane < DCS_WARP; lane++)
    if (r->lanes >> lane & 1) starts[n++] = r->address[lane];
  return make_distinct(starts, n);
}

static int bytes_used(const dcs_memory_request *r) {
  uint64_t starts[DCS_WARP];
  int n = distinct_addresses(r, starts), used = 0;
  for (int i = 0; i < n; i++) {
    const uint64_t gap = i + 1 < n ? starts[i + 1] - starts[i] : r->bytes;
    used += (int)(gap < r->bytes ? gap : r->bytes);
  }
  return used;
}

/* Passes beyond the first for some of the lanes. */
static int conflicts_of(const dcs_memory_request *r, uint32_t lanes) {
  uint64_t words[DCS_WARP * 4];
  int n = 0, in_bank[DCS_BANKS] = {0}, most = 1;
  for (int lane = 0; lane < DCS_WARP; lane++)
    for (uint32_t b = 0; lanes >> lane & 1 && b < r->bytes; b += DCS_BANK_BYTES)
      words[n++] = (r->address[lane] + b) / DCS_BANK_BYTES;
  n = make_distinct(words, n);
  for (int i = 0; i < n; i++) {
    const int passes = ++in_bank[words[i] % DCS_BANKS];
    if (passes > most) most = passes;
  }
  return most - 1;
}

static int bank_conflicts(const dcs_memory_request *r) {
  const int part =
      r->bytes <= DCS_BANK_BYTES ? DCS_WARP : DCS_WARP * DCS_BANK_BYTES / (int)r->bytes;
  const uint32_t lanes_of_part = part == DCS_WARP ? UINT32_MAX : (UINT32_C(1) << part) - 1;
  int conflicts = 0;
  for (int first = 0; first < DCS_WARP; first += part)
    conflicts += conflicts_of(r, r->lanes & lanes_of_part << first);
  return conflicts;
}

dcs_request_counts dcs_request_count(const dcs_memory_request *r) {
  dcs_request_counts counts = {0};
  uint64_t list[2 * DCS_WARP];
  switch (r->space) {
  case DCS_SPACE_CONSTANT:
    counts.distinct = distinct_addresses(r, list);
    break;
  case DCS_SPACE_SHARED:
    counts.bank_conflicts = bank_conflicts(r);
    break;
  default:
    counts.sectors = touched(r, DCS_SECTOR, list);
    counts.lines = touched(r, DCS_CACHE_LINE, list);
    counts.bytes_used = bytes_used(r);
  }
  return counts;
}
