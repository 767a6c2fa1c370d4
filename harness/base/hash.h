/* 64-bit FNV-1a (Fowler, Noll, Vo): a change of one byte always changes it. */
#ifndef DCS_HASH_H
#define DCS_HASH_H

#include <stddef.h>
#include <stdint.h>

#define DCS_HASH_START 0xcbf29ce484222325u

/* Goes on from `hash`, DCS_HASH_START at first. */
static inline uint64_t dcs_hash(uint64_t hash, const void *bytes, size_t n) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ byte[i]) * 0x100000001b3u;
  return hash;
}

#endif
