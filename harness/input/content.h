/* The bytes of an input file, read once and from its start: a pipe has no way back. Data that gzip
 * or zlib has compressed is known by its content and unpacked on the way. */
#ifndef DCS_CONTENT_H
#define DCS_CONTENT_H

#include "harness/files/shared_file.h"
#include "harness/input/line.h"

typedef struct dcs_content dcs_content;

/* A file, a pipe, or standard input, whose path is "-". Each function below may fail with DCS_IO
 * (cannot be read), DCS_UNAVAILABLE (memory), DCS_FAILED (interrupted), and DCS_INPUT where
 * compressed data is damaged, ends too early or has other bytes behind it. */
dcs_status dcs_content_open(const char *path, dcs_content **content);
/* A part of a text in memory, behind `line` lines of the file of that name; it stays the caller's
 * and lasts as long as the content. */
dcs_status dcs_content_open_text(dcs_slice text, const char *path, int64_t line,
                                 dcs_content **content);
void dcs_content_close(dcs_content *content); /* NULL is fine */

/* The name for messages, and the number of the line given last (0: none). */
dcs_where dcs_content_place(const dcs_content *content);

/* The next bytes, fewer where the file ends; they are given again. What a function gives lasts
 * until the next call. */
dcs_status dcs_content_peek(dcs_content *content, size_t bytes, dcs_slice *next);

/* The next line of a text without its LF or CRLF, and without a UTF-8 mark at the file's start.
 * *found is false at the end. DCS_INPUT for a NUL byte in it. */
dcs_status dcs_content_line(dcs_content *content, dcs_slice *line, bool *found);

/* Exactly so many bytes; DCS_INPUT where the file ends before. */
dcs_status dcs_content_take(dcs_content *content, size_t bytes, const char **data);
/* Copies so many bytes, *got fewer where the file ends. */
dcs_status dcs_content_copy(dcs_content *content, size_t bytes, char *to, size_t *got);
/* Passes over so many bytes, or to the end; where the file is no pipe they are not read, and no
 * part of the hash. */
dcs_status dcs_content_skip(dcs_content *content, uint64_t bytes);
/* From now on no hash is made, which takes longer than reading: for who makes one of what it takes.
 */
void dcs_content_unhashed(dcs_content *content);
/* The bytes of all the content; false where they are not known before it was read. */
bool dcs_content_size(const dcs_content *content, uint64_t *bytes);
/* The file itself, for who reads at any place of it; the caller lets go. NULL where there is none:
 * of a pipe, compressed data or a text in memory, or where memory or descriptors are short. */
dcs_shared_file *dcs_content_share(const dcs_content *content);
/* From now on the content ends, and is cut, where compressed data ends too early; and as it was
 * before, DCS_INPUT where that has happened. */
void dcs_content_allow_cut(dcs_content *content);
dcs_status dcs_content_refuse_cut(dcs_content *content);
/* At the end: whether it is. */
bool dcs_content_is_cut(const dcs_content *content);
/* All bytes up to the end. */
dcs_status dcs_content_rest(dcs_content *content, dcs_slice *rest);

/* Reads what nothing has taken, and gives the hash (harness/base/hash.h) of all bytes, unpacked: a
 * file and its compressed copy are the same input. */
dcs_status dcs_content_end(dcs_content *content, uint64_t *hash);

#endif
