/* Numbers, lists and grids as people type them, and whole files as text. A list that is refused is
 * NULL and 0: nothing of it is left for the caller to free. */
#ifndef DCS_TEXT_H
#define DCS_TEXT_H

#include "kernels/contract.h"

/* Strict: the whole text is one decimal number within lo..hi, or DCS_USAGE naming `what`. */
dcs_status dcs_parse_integer(const char *what, const char *text, int64_t lo, int64_t hi,
                             int64_t *value);
dcs_status dcs_parse_number(const char *what, const char *text, double lo, double hi,
                            double *value);

/* "a,b,c" of integers and ranges: "lo:hi:logN" (N a decade, rounded, both ends included) and
 * "lo:hi:STEP"; ascending order is kept as typed, doubles are dropped. *values is malloc'd. */
dcs_status dcs_parse_integers(const char *what, const char *text, int64_t lo, int64_t hi,
                              int64_t **values, int *n);

/* The most that an axis of a size, or the points of a grid, may be: 2^40 (4 TiB of floats). */
#define DCS_MOST_ALONG ((int64_t)1 << 40)
/* DCS_USAGE for a grid that has no points, or more than that: their number is computed nowhere
 * before. */
dcs_status dcs_check_grid(dcs_dims n);

/* "NXxNYxNZ" or "N^3"; checked. */
dcs_status dcs_parse_grid(const char *text, dcs_dims *n);
/* "a,b,c" of grids, and "lo:hi:logN^3" for a range of cubes; checked. */
dcs_status dcs_parse_grids(const char *text, dcs_dims **grids, int *n);

/* Splits at `separator` into malloc'd parts (one block; free *parts). Empty parts are kept. */
dcs_status dcs_split(const char *text, char separator, char ***parts, int *n);

/* Bytes of the UTF-8 character that the text begins with; 0: it begins with none, as at its end or
 * where a character was cut off. */
int dcs_character(const char *text);
/* Names that are shown, in tables, files and pictures: methods and axes of other programs. */
enum { DCS_MOST_NAME = 200 };
#define DCS_A_NAME "up to 200 bytes of UTF-8, without control characters"
bool dcs_is_name(const char *text);

/* The name among `names` nearest to `text` (edit distance at most 3), or NULL: for "did you mean".
 */
const char *dcs_nearest_name(const char *text, const char *const *names, int n);
/* "; did you mean NAME?", or "" where none is near; returns `hint`. */
char *dcs_did_you_mean(const char *text, const char *const *names, int n, char hint[DCS_TEXT]);

/* The whole file with a NUL after it (malloc'd); DCS_IO naming file and cause. bytes may be NULL.
 */
dcs_status dcs_read_file(const char *path, char **text, size_t *bytes);

/* The text behind the mark of UTF-8 that some editors put before it. */
const char *dcs_text_behind_mark(const char *text);

#endif
