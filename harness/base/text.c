#include "harness/base/text.h"

#include "harness/base/decimal.h"
#include "harness/base/grow.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

dcs_status dcs_parse_integer(const char *what, const char *text, int64_t lo, int64_t hi,
                             int64_t *value) {
  char *rest;
  errno = 0;
  long long parsed = strtoll(text, &rest, 10);
  const char *end = rest;
  double number; /* 1e6 and 2.5e3 are whole, too; up to where every whole number has its own */
  if (strpbrk(text, "eE") && dcs_parse_number(what, text, -0x1p53, 0x1p53, &number) == DCS_OK &&
      number == floor(number)) {
    parsed = (long long)number;
    end = "";
    errno = 0;
  }
  bool digits = *text == '-' ? text[1] >= '0' && text[1] <= '9' : *text >= '0' && *text <= '9';
  if (!digits || *end)
    return dcs_fail(DCS_USAGE, "%s: found \"%s\"; expected a whole number", what, text);
  if (errno == ERANGE || parsed < lo || parsed > hi)
    return dcs_fail(DCS_USAGE, "%s: found %s; expected %lld to %lld", what, text, (long long)lo,
                    (long long)hi);
  *value = parsed;
  return DCS_OK;
}

dcs_status dcs_parse_number(const char *what, const char *text, double lo, double hi,
                            double *value) {
  double parsed;
  if (!dcs_decimal_read(text, strlen(text), &parsed))
    return dcs_fail(DCS_USAGE, "%s: found \"%s\"; expected a decimal number", what, text);
  if (!(parsed >= lo && parsed <= hi))
    return dcs_fail(DCS_USAGE, "%s: found %s; expected %g to %g", what, text, lo, hi);
  *value = parsed;
  return DCS_OK;
}

dcs_status dcs_split(const char *text, char separator, char ***parts, int *n) {
  int count = 1;
  *parts = NULL;
  *n = 0;
  for (const char *c = text; *c; c++)
    count += *c == separator;
  size_t pointers = (size_t)count * sizeof(char *);
  char **block = malloc(pointers + strlen(text) + 1);
  if (!block) return dcs_fail(DCS_UNAVAILABLE, "no memory for a list of %d", count);
  char *copy = strcpy((char *)block + pointers, text);
  for (int i = 0; copy; i++) {
    block[i] = copy;
    copy = strchr(copy, separator);
    if (copy) *copy++ = '\0';
  }
  *parts = block;
  *n = count;
  return DCS_OK;
}

/* ---- lists of integers ---- */

typedef struct {
  int64_t *values; /* each once; n */
  int n;
  int typed; /* how many there were, doubles too */
  int64_t greatest;
} list;

enum { LONGEST_LIST = 10000 };

static dcs_status list_add(list *l, int64_t value) {
  if (l->typed++ > LONGEST_LIST)
    return dcs_fail(DCS_USAGE, "found a list of more than %d values", LONGEST_LIST);
  const bool beyond = l->n == 0 || value > l->greatest; /* as in ranges: no need to look */
  for (int i = 0; !beyond && i < l->n; i++)
    if (l->values[i] == value) return DCS_OK;
  if (beyond) l->greatest = value;
  DCS_TRY(dcs_grow(&l->values, (size_t)l->n, sizeof *l->values, "values of a list"));
  l->values[l->n++] = value;
  return DCS_OK;
}

static dcs_status add_logarithmic(list *l, int64_t first, int64_t last, int64_t per_decade) {
  double decades = log10((double)last / (double)first);
  int64_t steps = (int64_t)(decades * (double)per_decade + 1e-9);
  for (int64_t s = 0; s <= steps; s++) {
    double value = (double)first * pow(10, (double)s / (double)per_decade);
    DCS_TRY(list_add(l, value < (double)last ? llround(value) : last));
  }
  return list_add(l, last);
}

/* "LO:HI", "LO:HI:STEP", "LO:HI:logN" in its parts. */
typedef struct {
  int64_t first, last, step;
  bool logarithmic; /* step is a number a decade */
} range;

static dcs_status parse_step(const char *what, const char *text, range *r) {
  r->logarithmic = strncmp(text, "log", 3) == 0;
  const char *number = text + (r->logarithmic ? 3 : 0);
  if (*number < '0' || *number > '9')
    return dcs_fail(DCS_USAGE, "%s: found \"%s\"; expected a step, or logN for N a decade", what,
                    text);
  if (r->logarithmic && r->first < 1)
    return dcs_fail(DCS_USAGE, "%s: a logarithmic range starts at 1 or more", what);
  return dcs_parse_integer(what, number, 1, r->logarithmic ? 1000 : INT64_MAX, &r->step);
}

static dcs_status parse_range(const char *what, char **parts, int n, int64_t lo, int64_t hi,
                              range *r) {
  *r = (range){.step = 1};
  if (n > 3)
    return dcs_fail(DCS_USAGE, "%s: found %d colons; expected LO:HI, LO:HI:STEP or LO:HI:logN",
                    what, n - 1);
  DCS_TRY(dcs_parse_integer(what, parts[0], lo, hi, &r->first));
  DCS_TRY(dcs_parse_integer(what, parts[1], lo, hi, &r->last));
  if (r->last < r->first)
    return dcs_fail(DCS_USAGE, "%s: found %s:%s; expected the smaller number first", what, parts[0],
                    parts[1]);
  if (n == 3) DCS_TRY(parse_step(what, parts[2], r));
  if (!r->logarithmic && (r->last - r->first) / r->step > LONGEST_LIST)
    return dcs_fail(DCS_USAGE, "%s: %s:%s has more than %d values", what, parts[0], parts[1],
                    LONGEST_LIST);
  return DCS_OK;
}

static dcs_status add_range(const char *what, const char *text, int64_t lo, int64_t hi, list *l) {
  char **parts;
  int n;
  range r;
  DCS_TRY(dcs_split(text, ':', &parts, &n));
  dcs_status status = parse_range(what, parts, n, lo, hi, &r);
  free(parts);
  DCS_TRY(status);
  if (r.logarithmic) return add_logarithmic(l, r.first, r.last, r.step);
  int64_t steps = (r.last - r.first) / r.step;
  for (int64_t s = 0; s <= steps; s++)
    DCS_TRY(list_add(l, r.first + s * r.step));
  return DCS_OK;
}

dcs_status dcs_parse_integers(const char *what, const char *text, int64_t lo, int64_t hi,
                              int64_t **values, int *n) {
  char **parts;
  int n_parts;
  *values = NULL;
  *n = 0;
  DCS_TRY(dcs_split(text, ',', &parts, &n_parts));
  list l = {0};
  dcs_status status = DCS_OK;
  for (int i = 0; status == DCS_OK && i < n_parts; i++) {
    int64_t value;
    if (strchr(parts[i], ':'))
      status = add_range(what, parts[i], lo, hi, &l);
    else if ((status = dcs_parse_integer(what, parts[i], lo, hi, &value)) == DCS_OK)
      status = list_add(&l, value);
  }
  free(parts);
  if (status != DCS_OK) {
    free(l.values);
    return status;
  }
  *values = l.values;
  *n = l.n;
  return DCS_OK;
}

/* ---- grids ---- */

static dcs_status bad_grid(const char *text) {
  return dcs_fail(DCS_USAGE,
                  "grid: found \"%s\"; expected NXxNYxNZ or N^3, such as 64x64x32 or 64^3", text);
}

enum { LONGEST_EDGE = 1 << 30 };

dcs_status dcs_check_grid(dcs_dims n) {
  if (n.x < 1 || n.y < 1 || n.z < 1)
    return dcs_fail(DCS_USAGE,
                    "grid %lldx%lldx%lld has no points; every dimension must be at least 1",
                    (long long)n.x, (long long)n.y, (long long)n.z);
  if (n.x > DCS_MOST_ALONG || n.y > DCS_MOST_ALONG / n.x || n.z > DCS_MOST_ALONG / (n.x * n.y))
    return dcs_fail(DCS_USAGE, "grid %lldx%lldx%lld has more points than 2^40", (long long)n.x,
                    (long long)n.y, (long long)n.z);
  return DCS_OK;
}

dcs_status dcs_parse_grid(const char *text, dcs_dims *n) {
  char **parts;
  int n_parts;
  int64_t edge[3];
  size_t length = strlen(text);
  if (length > 2 && strcmp(text + length - 2, "^3") == 0) {
    char number[32];
    if (length - 2 >= sizeof number) return bad_grid(text);
    memcpy(number, text, length - 2);
    number[length - 2] = '\0';
    DCS_TRY(dcs_parse_integer("grid", number, 1, LONGEST_EDGE, &edge[0]));
    *n = (dcs_dims){edge[0], edge[0], edge[0]};
    return dcs_check_grid(*n);
  }
  DCS_TRY(dcs_split(text, 'x', &parts, &n_parts));
  dcs_status status = n_parts == 3 ? DCS_OK : bad_grid(text);
  for (int d = 0; status == DCS_OK && d < 3; d++)
    status = dcs_parse_integer("grid", parts[d], 1, LONGEST_EDGE, &edge[d]);
  free(parts);
  DCS_TRY(status);
  *n = (dcs_dims){edge[0], edge[1], edge[2]};
  return dcs_check_grid(*n);
}

static dcs_status add_grid(dcs_dims **grids, int *n, dcs_dims grid) {
  DCS_TRY(dcs_check_grid(grid));
  DCS_TRY(dcs_grow(grids, (size_t)*n, sizeof **grids, "grids"));
  (*grids)[(*n)++] = grid;
  return DCS_OK;
}

static dcs_status add_cubes(char *text, dcs_dims **grids, int *n) {
  size_t length = strlen(text);
  if (length < 3 || strcmp(text + length - 2, "^3") != 0) return bad_grid(text);
  text[length - 2] = '\0';
  int64_t *edges;
  int n_edges;
  DCS_TRY(dcs_parse_integers("grid", text, 1, LONGEST_EDGE, &edges, &n_edges));
  dcs_status status = DCS_OK;
  for (int i = 0; status == DCS_OK && i < n_edges; i++)
    status = add_grid(grids, n, (dcs_dims){edges[i], edges[i], edges[i]});
  free(edges);
  return status;
}

dcs_status dcs_parse_grids(const char *text, dcs_dims **grids, int *n) {
  char **parts;
  int n_parts;
  *grids = NULL;
  *n = 0;
  DCS_TRY(dcs_split(text, ',', &parts, &n_parts));
  dcs_status status = DCS_OK;
  for (int i = 0; status == DCS_OK && i < n_parts; i++) {
    dcs_dims grid;
    if (strchr(parts[i], ':'))
      status = add_cubes(parts[i], grids, n);
    else if ((status = dcs_parse_grid(parts[i], &grid)) == DCS_OK)
      status = add_grid(grids, n, grid);
  }
  free(parts);
  if (status == DCS_OK) return DCS_OK;
  free(*grids);
  *grids = NULL;
  *n = 0;
  return status;
}

const char *dcs_text_behind_mark(const char *text) {
  static const char mark[] = "\xef\xbb\xbf";
  return strncmp(text, mark, sizeof mark - 1) == 0 ? text + sizeof mark - 1 : text;
}

/* ---- names ---- */

enum { FAR = 4 };

/* Levenshtein distance, or FAR where it is seen to be as much or more: by the lengths, or as one is
 * beyond 63 characters. */
static int edit_distance(const char *a, const char *b) {
  size_t la = strlen(a), lb = strlen(b);
  int row[64];
  if (la > 63 || lb > 63 || la >= lb + FAR || lb >= la + FAR) return FAR;
  for (size_t j = 0; j <= lb; j++)
    row[j] = (int)j;
  for (size_t i = 1; i <= la; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= lb; j++) {
      int best = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best;
    }
  }
  return row[lb];
}

const char *dcs_nearest_name(const char *text, const char *const *names, int n) {
  const char *nearest = NULL;
  int least = FAR;
  for (int i = 0; i < n; i++) {
    int distance = edit_distance(text, names[i]);
    if (distance < least) {
      least = distance;
      nearest = names[i];
    }
  }
  return nearest;
}

char *dcs_did_you_mean(const char *text, const char *const *names, int n, char hint[DCS_TEXT]) {
  const char *nearest = dcs_nearest_name(text, names, n);
  snprintf(hint, DCS_TEXT, "%s%s%s", nearest ? "; did you mean " : "", nearest ? nearest : "",
           nearest ? "?" : "");
  return hint;
}

/* ---- files ---- */

/* With more memory, or descriptors, it may be opened another time. */
static dcs_status could_not_open(const char *path) {
  const int cause = errno;
  (void)dcs_fail(DCS_IO, "%s: cannot open: %s", path, strerror(cause));
  if (cause == ENOMEM || cause == EMFILE || cause == ENFILE) dcs_note_want();
  return DCS_IO;
}

dcs_status dcs_read_file(const char *path, char **text, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file) return could_not_open(path);
  struct stat info;
  if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) {
    fclose(file);
    return dcs_fail(DCS_IO, "%s: is a folder; expected a file", path);
  }
  size_t used = 0, capacity = 65536;
  char *buffer = malloc(capacity);
  size_t got = 1;
  while (buffer && got > 0) {
    got = fread(buffer + used, 1, capacity - used - 1, file);
    used += got;
    if (used + 1 == capacity) {
      char *more = realloc(buffer, capacity *= 2);
      if (!more) free(buffer);
      buffer = more;
    }
  }
  bool failed = ferror(file);
  int cause = errno;
  fclose(file);
  if (!buffer) return dcs_want("%s: no memory for its text", path);
  if (failed) {
    free(buffer);
    return dcs_fail(DCS_IO, "%s: cannot read: %s", path, strerror(cause));
  }
  buffer[used] = '\0';
  *text = buffer;
  if (bytes) *bytes = used;
  return DCS_OK;
}

/* ---- names ---- */

int dcs_character(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  const int bytes = *c < 0x80 ? *c != 0 : *c < 0xc2 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;
  if (*c > 0xf4) return 0;
  for (int i = 1; i < bytes; i++)
    if ((c[i] & 0xc0) != 0x80) return 0;
  /* Longer than need be, halves of UTF-16's pairs, beyond the last. */
  if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f)) return 0;
  if ((*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] > 0x8f)) return 0;
  return bytes;
}

bool dcs_is_name(const char *text) {
  if (!*text || strlen(text) > DCS_MOST_NAME) return false;
  for (int bytes; *text; text += bytes) {
    const unsigned char c = (unsigned char)*text, second = (unsigned char)text[1];
    bytes = dcs_character(text);
    if (bytes == 0 || c < ' ' || c == 127 || (c == 0xc2 && second < 0xa0)) return false;
  }
  return true;
}
