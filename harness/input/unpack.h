/* A file's bytes, plain or as gzip or zlib have compressed them. */
#ifndef DCS_UNPACK_H
#define DCS_UNPACK_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct dcs_unpack dcs_unpack;

/* Owns the file, standard input apart; NULL, and the file is the caller's, when memory is short. */
dcs_unpack *dcs_unpack_open(FILE *file, const char *path);
void dcs_unpack_close(dcs_unpack *unpack); /* NULL is fine */

/* The next bytes, at most `size`; *got is 0 at the end alone. Which kind of data it is, is known by
 * its first bytes. Members of a gzip file that follow each other are one text. DCS_INPUT for data
 * that is damaged, has other bytes behind it, or is compressed in another way. */
dcs_status dcs_unpack_read(dcs_unpack *unpack, char *to, size_t size, size_t *got);
/* At the end: whether compressed data ended too early; and DCS_INPUT, which says so. */
bool dcs_unpack_is_cut(const dcs_unpack *unpack);
dcs_status dcs_unpack_check_end(const dcs_unpack *unpack);

/* Of a plain file that is no pipe, once it was read from: its bytes, and moving on by so many
 * without reading them. False elsewhere, and nothing was moved. */
bool dcs_unpack_size(const dcs_unpack *unpack, uint64_t *bytes);
bool dcs_unpack_seek(dcs_unpack *unpack, uint64_t bytes);
/* Its descriptor, where the first byte is the file's first; -1 elsewhere. */
int dcs_unpack_descriptor(const dcs_unpack *unpack);

#endif
