/* A request: what the lanes of a warp load or store at the same time, and what it costs a card. */
#ifndef DCS_TRACE_REQUEST_H
#define DCS_TRACE_REQUEST_H

#include "harness/device/observer.h"

/* Alike on all cards since sm_70. */
enum { DCS_WARP = 32, DCS_SECTOR = 32, DCS_CACHE_LINE = 128, DCS_BANKS = 32, DCS_BANK_BYTES = 4 };

typedef struct {
  dcs_seen_kind kind; /* load, store or atomic operation */
  dcs_memory_space space;
  uint32_t code;
  uint32_t bytes;             /* of each lane */
  uint32_t lanes;             /* those that take part: a bit each */
  uint64_t address[DCS_WARP]; /* of those */
} dcs_memory_request;

typedef struct {
  /* Of global memory: sectors of 32 bytes and lines of 128 that are touched; distinct bytes. */
  int sectors, lines, bytes_used;
  /* Of shared memory: passes beyond the first that each part of the request takes, because lanes
   * want different words of one bank. Accesses of 8 bytes go by half warps, of 16 by quarters. */
  int bank_conflicts;
  /* Of constant memory: addresses that are not the same, which are served one after another. */
  int distinct;
} dcs_request_counts;

dcs_request_counts dcs_request_count(const dcs_memory_request *request);

#endif
