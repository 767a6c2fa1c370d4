/* Compiled code on disk, under a hash of everything it was made from. The folder is
 * $DCSBENCH_CACHE, else $XDG_CACHE_HOME/dcsbench, else ~/.cache/dcsbench; when none can be made,
 * nothing is cached, and neither in a folder that others than this user (and root) can write to.
 * Entries are written beside and renamed; one whose key or checksum does not match is a miss, and
 * so is one of another user, one that others may write to, and a link. */
#ifndef DCS_CODECACHE_H
#define DCS_CODECACHE_H

#include "harness/device/device.h"

/* What the code is made from, as one text: compiler and version, architecture, options, source.
 * The caller frees. NULL when memory is short. */
char *dcs_codecache_key(const char *compiler, const char *arch, const dcs_source *source);

/* On a hit fills *image (malloc'd), *bytes and the facts, and returns true. */
bool dcs_codecache_get(const char *key, void **image, size_t *bytes, dcs_code_facts *facts);
void dcs_codecache_put(const char *key, const void *image, size_t bytes,
                       const dcs_code_facts *facts);

#endif
