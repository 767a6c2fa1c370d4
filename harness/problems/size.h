/* The size key in files and texts: written, read, compared and printed here alone. */
#ifndef DCS_SIZE_H
#define DCS_SIZE_H

#include "harness/files/csv.h"
#include "harness/problems/problem.h"

/* problem, problem_config, then the axes of all listed kinds; NULL last. */
extern const char *const dcs_size_columns[];
enum { DCS_SIZE_COLUMNS = 2 + DCS_MAX_AXES };
/* Those of the axes alone, in a file of sizes of that kind: a made one has its own. NULL last. */
const char *const *dcs_size_axes(const dcs_kind *kind);

/* Writes the cells of these columns; of the axes alone. */
void dcs_size_put(dcs_csv *csv, const dcs_size *size);
void dcs_size_put_axes(dcs_csv *csv, const dcs_size *size);
/* The value of an axis by its column; NaN where the kind has none such. */
double dcs_size_axis(const dcs_size *size, const char *column);

/* Where the columns are in a table. DCS_INPUT names one that is missing, and the command that makes
 * a file of this schema. */
typedef struct {
  int column[DCS_SIZE_COLUMNS];
  int made[DCS_MAX_DIMENSIONS]; /* axes of a made kind; -1: none */
} dcs_size_at;
dcs_status dcs_size_find(const dcs_table *table, dcs_size_at *at);
/* Reads a row. DCS_INPUT names file, row, what was found and what would be right. */
dcs_status dcs_size_read(const dcs_table *table, size_t row, const dcs_size_at *at, dcs_size *size);

/* The size of so many atoms and that grid, as far as the kind has them. */
dcs_size dcs_size_of(const dcs_kind *kind, const dcs_config *config, int64_t atoms, dcs_dims grid);

bool dcs_same_size(const dcs_size *a, const dcs_size *b);
bool dcs_same_axes(const dcs_size *a, const dcs_size *b);
/* An order of all sizes: by kind, grid, atoms, then by the values of the parameters. */
int dcs_compare_sizes(const dcs_size *a, const dcs_size *b);

/* The product of the axes of a dimension, NAN where the kind has no such dimension; "4000",
 * "256x256x4" (returns text); whether both sizes agree in it. */
double dcs_along(const dcs_size *size, int dimension);
char *dcs_dimension_text(const dcs_size *size, int dimension, char text[64]);
bool dcs_same_along(const dcs_size *a, const dcs_size *b, int dimension);

/* Of a listed kind: what a sweep is given for the size, "4000" and "256x256x4", "" where the kind
 * has no such dimension. */
void dcs_size_words(const dcs_size *size, char atoms[64], char grid[64]);

/* Of a kind whose dimensions are inputs and a grid: inputs a point; whether two such are those of
 * systems that differ in size alone, within 10%. */
bool dcs_has_density(const dcs_kind *kind);
double dcs_density_of(const dcs_size *size);
bool dcs_same_density(double a, double b);

/* Evaluations where each input counts at each output. */
double dcs_all_evals(const dcs_size *size);

/* Evaluations of a problem without its input, for inputs that fill the grid's box evenly; spacing
 * in angstrom. With `tile` (points; NULL: one), those that are done where all points of a tile take
 * what any of them takes. The ball around a point is taken for a cube of its volume: in a cube of
 * two ranges and more that is right to 5%, in a slab of one slice a sixth too small. Of a kind that
 * estimates its own, that. */
double dcs_estimate(const dcs_size *size, double spacing, const int64_t tile[3]);

/* Points of the output; of a kind without a grid as many in x as there are inputs. */
dcs_dims dcs_size_points(const dcs_size *size);
/* Elements of the input that a size has; 1 of a kind whose sizes are grids alone. */
int64_t dcs_size_inputs(const dcs_size *size);
/* The distance within which an input counts, angstrom; 0: any. */
double dcs_problem_range(const dcs_kind *kind, const dcs_config *config);
/* The size as predicates and plans take it, without its inputs. */
dcs_problem dcs_size_problem(const dcs_size *size, double spacing);

/* "4000 atoms, 256x256x4" and, where they are not initial, ", cutoff=12,switching=c2"; of a made
 * kind "n=4000, m=8"; returns
 * text. */
char *dcs_size_text(const dcs_size *size, char text[DCS_TEXT]);

/* The size as options that a shell reads back: "--atoms 4000 --grid 256x256x4 --cutoff 12"; returns
 * text. */
char *dcs_size_options(const dcs_size *size, char text[DCS_TEXT]);

#endif
