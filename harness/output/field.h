/* Maps in memory, and as files in the formats of formats.def: read by their content, written by the
 * name's ending. */
#ifndef DCS_FIELD_H
#define DCS_FIELD_H

#include "harness/base/progress.h"
#include "harness/problems/case.h"

#include <stdio.h>

enum { DCS_UNITS_TEXT = 24 };

/* What computes a map's values where there is no memory for them all: slab after slab, ranges of
 * slices (planes of constant z), each once and in ascending order, when a writer asks for it. */
typedef struct {
  int64_t slices; /* of a slab; the last may have fewer */
  float *values;  /* memory for one */
  /* Computes slices from..end-1 into values; it lasts as long as a slab takes. */
  dcs_status (*compute)(void *with, int64_t from, int64_t end, float *values);
  void *with;
  const char *beside; /* slabs may wait in a file beside this one, which nobody sees */
} dcs_slab_source;

/* A scalar at the points of a regular grid. */
typedef struct {
  dcs_dims n;
  double origin[3];  /* of point (0, 0, 0), angstrom */
  double spacing[3]; /* angstrom; all 0: the file it was read from does not say where points are */
  bool in_steps;     /* lengths are grid steps, not angstrom */
  char units[DCS_UNITS_TEXT];   /* "e/A"; "": unknown */
  float *values;                /* [(k * n.y + j) * n.x + i]; NULL with slabs */
  const dcs_slab_source *slabs; /* instead of values, of a map that is only written; NULL */
  dcs_progress *progress;       /* that writers tell of; NULL: none */
} dcs_field;

/* Memory for the points of ->n, asked for before it is taken; DCS_UNAVAILABLE where it is short,
 * DCS_USAGE for more points than can be addressed. The rest of the field stays as it is. */
dcs_status dcs_field_allocate(dcs_field *field);
/* The same for values that follow in a file, each of `least` bytes or more: DCS_INPUT where the
 * file is too short for them. */
dcs_status dcs_field_allocate_for(FILE *in, const char *path, int least, dcs_field *field);
void dcs_field_free(dcs_field *field); /* leaves no values */

/* ---- units of a potential ---- */

typedef struct {
  const char *name;   /* as users type it and files state it: "kT/e" */
  const char *column; /* of CSV files: "potential_kt_per_e" */
  const char *what;
  double factor; /* what 1 e/A is; of kT/e, at 1 K */
} dcs_units;

extern const dcs_units dcs_all_units[];
extern const int dcs_n_units;

/* The unit of that name, in any case; DCS_USAGE lists those that there are. */
dcs_status dcs_find_units(const char *name, const dcs_units **units);
/* What 1 e/A is in it at a temperature (K), which kT/e alone depends on. */
double dcs_units_factor(const dcs_units *units, double kelvin);
/* Whether its units are those of a potential; also where they are unknown. */
bool dcs_is_potential(const dcs_field *field);
/* What it is, for the head of a file. */
const char *dcs_field_title(const dcs_field *field);
/* What its lengths are in: "angstrom". */
const char *dcs_field_lengths(const dcs_field *field);
/* Whether a comment says that lengths are grid steps, as those who write it do. */
bool dcs_field_is_in_steps(const char *comment);
/* Column names of x, y, z, angstrom, and the value in CSV files, NULL last. */
void dcs_point_columns(const char *units, const char *names[5]);

/* Multiplies all values and states their units. */
void dcs_field_scale(dcs_field *field, double factor, const char *units);

/* ---- slices ---- */

/* "z=12.5", angstrom; with `x=1,z=2` a line. Not named: NaN. */
dcs_status dcs_parse_slice(const char *text, double at[3]);
/* Of a grid, the plane nearest to each coordinate that is a number becomes the only one; the first
 * point kept along each axis goes to first[3] (0 where all are). DCS_USAGE for one that is farther
 * outside the grid than half a spacing. */
dcs_status dcs_slice_grid(const double at[3], double origin[3], const double spacing[3],
                          dcs_dims *n, int64_t first[3]);
/* The same of a map: its values go too. */
dcs_status dcs_field_slice(dcs_field *field, const double at[3]);

/* ---- values in the order of files ---- */

/* Where x varies fastest: some slices from `from` on; *end: the first after them. Ask for what
 * follows until that is n.z; the values are valid until then. DCS_FAILED at an interrupt. */
dcs_status dcs_field_next(const dcs_field *field, int64_t from, int64_t *end, const float **values);

/* Where z varies fastest. */
typedef struct {
  const dcs_field *field;
  float *planes; /* of constant x, transposed: a few; with slabs one, and a part of one */
  int waiting;   /* file of slabs, cut into planes of constant x; -1: none */
} dcs_turned;

/* Computes all slabs where there are such. The caller ends it where this succeeds. */
dcs_status dcs_turned_begin(const dcs_field *field, dcs_turned *turned);
/* Planes from..*end-1, ny x nz values each, z fastest, one behind the other; valid until the next
 * call, for those that follow. DCS_FAILED at an interrupt. */
dcs_status dcs_turned_next(dcs_turned *turned, int64_t from, int64_t *end, const float **planes);
void dcs_turned_end(dcs_turned *turned);

/* ---- files ---- */

/* Of values, as heads of files state them. */
typedef struct {
  double least, greatest, sum, squares;
} dcs_statistics;

dcs_statistics dcs_statistics_of(const float *values, int64_t n); /* from the first to the last */
/* Adds what comes behind. Statistics of slice after slice are the same bits whoever counted a
 * slice. */
void dcs_statistics_add(dcs_statistics *all, const dcs_statistics *next);

enum { DCS_PLACED_HEAD = 1024 };

/* Single precision, little endian. Errors of a file that is written are left to who closes it.
 * DCS_INPUT for a file that ends too early. */
void dcs_put_floats(FILE *out, const float *values, int64_t n);
/* Has the disk begin with what was written so far, while more is computed or printed; closing the
 * file waits for it. */
void dcs_put_through(FILE *out);
dcs_status dcs_get_floats(FILE *in, const char *path, float *values, int64_t n);

typedef struct {
  const char *name;   /* "OpenDX" */
  const char *suffix; /* ".dx", of the names of its files */
  int least_bytes;    /* of a value in a file */
  int64_t most_along; /* points along an axis, as its counts hold them; 0: any */
  bool placeless;     /* it may hold a map of which nobody knows where its points are */
  bool x_fastest; /* slabs go straight to the file; else they wait in another until all are there
                   */
  /* Writes from the stream's begin. Errors of the file may be left to who closes it. An interrupt
   * (dcs_interrupted) ends it with DCS_FAILED. */
  dcs_status (*write)(FILE *out, const dcs_field *field);
  /* Writes the head of a file in which the values lie behind it as in memory, x fastest, and
   * returns its length, the same whatever the statistics: the values' places are known, and several
   * processes can write one file. NULL: the format has no such files. */
  int (*head)(const dcs_field *field, const dcs_statistics *s, char head[DCS_PLACED_HEAD]);
  /* Whether a file that begins with these bytes is of the format; NULL: it is only written. */
  bool (*sniff)(const char *head, size_t bytes);
  /* Reads a regular file from its begin into an empty field, units and all; after a failure the
   * caller frees it. DCS_INPUT names file, what was found and what would be right. */
  dcs_status (*read)(FILE *in, const char *path, dcs_field *field);
} dcs_field_format;

/* In the order of formats.def. */
extern const dcs_field_format *const dcs_field_formats[];
extern const int dcs_n_field_formats;

/* The format of a file of that name; DCS_USAGE lists those that are known. */
dcs_status dcs_field_format_of(const char *path, const dcs_field_format **format);

/* DCS_USAGE for a grid that files of the format, of which `path` is one, cannot state. */
dcs_status dcs_field_format_holds(const dcs_field_format *format, const char *path, dcs_dims n);

/* Those that are known, for messages: ".dx (OpenDX)". Returns text. */
char *dcs_field_format_list(char text[DCS_TEXT]);

/* Writes the map beside `path` and renames. DCS_INPUT for one without places in a format that has
 * them. An interrupt (dcs_interrupted) ends it with DCS_FAILED; that, and a full disk (DCS_IO),
 * leave an old file as it was. */
dcs_status dcs_field_write(const char *path, const dcs_field *field);

/* Reads a map; the caller frees it. DCS_IO where the file cannot be read. */
dcs_status dcs_field_read(const char *path, dcs_field *field);

#endif
